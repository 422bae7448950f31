"""``symrnn unroll``: write a model out over time."""

from __future__ import annotations

import click

from symrnn.cli.output import output_options, render, write


@click.command()
@click.argument("model")
@click.option("-T", "--steps", type=click.IntRange(min=1), default=3, show_default=True, help="Number of time steps.")
@output_options("text", "json", "latex")
def unroll(model: str, steps: int, form: str, output: str | None) -> None:
    """Write a model out over T steps.

    The result is an ordered list of named equations. A MODEL is a document, or a name that `symrnn models` lists.
    """
    from symrnn import api
    from symrnn.cli.progress import Progress

    with Progress("unrolling"):
        text = render(api.unroll(model, steps), form)
    write(text, output)
