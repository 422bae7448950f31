"""``symrnn derive``: derive all gradients of a model."""

from __future__ import annotations

import click

from symrnn.cli.output import level_option, loss_at_option, output_options, render, write


@click.command()
@click.argument("model")
@level_option("How much to print")
@loss_at_option
@click.option("--truncate", type=click.IntRange(min=1), metavar="K", help="Say what backpropagation through K steps keeps and leaves out.")
@click.option("--cost", is_flag=True, help="Say how many parameters, multiplications and kept values there are.")
@output_options("text", "json", "latex", "md")
def derive(model: str, level: str, loss_at: str, truncate: int | None, cost: bool, form: str, output: str | None) -> None:
    """Derive all gradients of a model, for any T.

    Each step of the derivation names its rule, and each line of the code its formula; the level
    brief has only definitions, recurrences and gradients. A MODEL is a document, a name that
    `symrnn models` lists, or several joined by + (a stack, the first at the bottom).
    """
    from symrnn import api
    from symrnn.cli.progress import Progress

    with Progress("deriving"):
        text = render(api.derive(model, level=level, loss_at=loss_at, truncate=truncate, cost=cost), form)
    write(text, output)
