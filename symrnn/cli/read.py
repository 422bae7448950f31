"""``symrnn read``: show how the formulas of documents are read."""

from __future__ import annotations

import click

from symrnn.cli.output import json_text, note, openable, output_options, write
from symrnn.cli.values import Seconds


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
@output_options("text", "json")
@click.option("--timeout", type=Seconds(), metavar="SECONDS", help="Time for each formula; 20 unless asked for otherwise.")
@click.pass_context
def read(ctx: click.Context, files: tuple[str, ...], form: str, output: str | None, timeout: float | None) -> None:
    """Show how the formulas of documents are read.

    For every formula: its place, whether it is a definition, a claim, a condition, a mention or unreadable, the reading
    printed back as LaTeX, what its symbols are, and what is in doubt. Nothing is judged.
    """
    from symrnn import api
    from symrnn.cli.app import NOT_ASKED
    from symrnn.cli.progress import Progress
    from symrnn.cli.read_text import read_text

    opened = openable(files)
    if opened:
        with Progress("reading") as progress:
            found = api.read(opened, timeout=timeout, progress=progress)
        for failure in found.failures:
            note(str(failure))
        write((json_text if form == "json" else read_text)(found.to_json()), output)
    ctx.exit(NOT_ASKED if len(opened) < len(files) or found.failures else 0)
