"""``symrnn derive``: derive all gradients of a model."""

from __future__ import annotations

import click

from symrnn.cli.output import output_options, render, write


@click.command()
@click.argument("model")
@output_options("text", "json", "latex", "md")
def derive(model: str, form: str, output: str | None) -> None:
    """Derive all gradients of a model, for any T.

    Each step of the derivation names its rule. A MODEL is a document, a name that
    `symrnn models` lists, or several joined by + (a stack, the first at the bottom).
    """
    from symrnn import api
    from symrnn.cli.progress import Progress

    with Progress("deriving"):
        text = render(api.derive(model), form)
    write(text, output)
