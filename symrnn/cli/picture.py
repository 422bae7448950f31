"""``symrnn picture``: draw a model, its gradients, or what its derivation costs."""

from __future__ import annotations

import click

from symrnn.cli.output import write

KINDS = ("unrolled", "folded", "gradient-norm", "step-size", "cost")


@click.command()
@click.argument("model")
@click.option("--kind", type=click.Choice(KINDS), default=KINDS[0], show_default=True, help="What is drawn.")
@click.option("-T", "--steps", type=click.IntRange(min=1), help="Number of time steps, or the greatest distance in time.")
@click.option("--data", type=click.Path(dir_okay=False), help="Measurements for --kind cost; bench/cost.json, if not given.")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write to this file instead of stdout.")
def picture(model: str, kind: str, steps: int | None, data: str | None, output: str | None) -> None:
    """Draw a picture as SVG.

    \b
    unrolled        the network over some steps, with the flow of values and of derivatives
    folded          one step of it, for any number of steps
    gradient-norm   how far a gradient reaches back in time, with its bound
    step-size       the error of a gradient by differences and by complex step
    cost            seconds for all gradients against the number of steps, as measured

    A MODEL is a document, a name that `symrnn models` lists, or several joined by + (a stack, the first at the bottom).
    """
    from symrnn import api
    from symrnn.cli.progress import Progress

    with Progress("drawing"):
        text = api.picture(model, kind, steps=steps, data=data)
    write(text, output)
