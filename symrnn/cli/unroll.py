"""``symrnn unroll``: write a model out over time."""

from __future__ import annotations

import click

from symrnn.cli import values
from symrnn.cli.output import output_options, render, write


@click.command()
@click.argument("model")
@click.option("-T", "--steps", type=click.IntRange(min=1), default=3, show_default=True, help="Number of time steps.")
@click.option("--sizes", metavar="LIST", help="Sizes for the scalar form: 2,2,3, or n_h=2,n_y=2,n_x=3.")
@output_options("text", "json", "latex", "md")
def unroll(model: str, steps: int, sizes: str | None, form: str, output: str | None) -> None:
    """Write a model out over T steps.

    The result is an ordered list of named equations, forward and backward. A MODEL is a document, a name that
    `symrnn models` lists, or several joined by + (a stack, the first at the bottom).
    """
    from symrnn import api
    from symrnn.cli.progress import Progress

    numbers = values.sizes(sizes)
    with Progress("unrolling"):
        text = render(api.unroll(model, steps, numbers), form)
    write(text, output)
