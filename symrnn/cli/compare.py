"""``symrnn compare``: are two models one?"""

from __future__ import annotations

import click

from symrnn.cli.output import output_options, render, write


@click.command()
@click.argument("first")
@click.argument("second")
@click.option("--of", metavar="NAME", help="Compare this variable, NAME or NAME=NAME, instead of the losses.")
@output_options("text", "json")
@click.pass_context
def compare(ctx: click.Context, first: str, second: str, of: str | None, form: str, output: str | None) -> None:
    """Say whether two models are equal, or where they differ.

    They may be equal as they stand, after renaming or after re-parametrisation, or one may be a
    special case of the other; the parameters that show it are printed. Exit status 1 if the models
    are different. A model is a document, a name that `symrnn models` lists, or several joined by +.
    """
    from symrnn import api
    from symrnn.cli.progress import Progress

    with Progress("comparing"):
        result = api.compare(first, second, of=of)
    write(render(result, form), output)
    ctx.exit(int(result.verdict == "different"))
