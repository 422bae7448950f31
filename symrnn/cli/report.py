"""``symrnn report``: regenerate the reports."""

from __future__ import annotations

from pathlib import Path

import click

from symrnn.cli.output import level_option, note

DOCUMENTS = Path("derivations")
REPORTS = Path("reports")
FORMATS = ("md", "html", "tex", "pdf")
DEFAULT = "md,html"


@click.command()
@click.argument("files", nargs=-1, type=click.Path(), metavar="[FILE...]")
@click.option("--format", "form", default=DEFAULT, show_default=True, metavar="NAME,...",
              help=f"Formats to write: {', '.join(FORMATS)}; pdf needs symrnn[pdf].")
@level_option("How much derivations print, unless their directive says so")
@click.option("-o", "--output", type=click.Path(file_okay=False), default=str(REPORTS), show_default=True,
              help="Folder to write to.")
@click.pass_context
def report(ctx: click.Context, files: tuple[str, ...], form: str, level: str, output: str) -> None:
    """Regenerate the reports.

    FILE is a document; without one, all of derivations/ are taken. Prints the path of each report. Status 1 says that a
    verdict is not the expected one; the reports are written either way.
    """
    documents = [Path(file) for file in files] or sorted(DOCUMENTS.glob("*.md"))
    if not documents:
        raise click.UsageError(f"There is no {DOCUMENTS}/*.md here. Name the documents, or run this in a checkout of symrnn.")

    from symrnn import api
    from symrnn.cli import values
    from symrnn.cli.progress import Progress

    formats = values.names(form, FORMATS, "--format")
    with Progress("reporting") as progress:
        result = api.report(documents, output, formats=formats, level=level, progress=progress)
    for path in result.written:
        click.echo(path)
    for line in result.notes:
        note(line)
    for line in result.unexpected:
        note(f"unexpected: {line}")
    ctx.exit(int(bool(result.unexpected)))
