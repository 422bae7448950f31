"""``symrnn audit``: judge the equations of documents."""

from __future__ import annotations

import click

from symrnn.cli.output import json_text, note, openable, output_options, write
from symrnn.cli.values import Seconds

RENDERED = ("text", "json", "md", "html", "tex")


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
@output_options(*RENDERED)
@click.option("--timeout", type=Seconds(), metavar="SECONDS", help="Time for each claim; 20 unless asked for otherwise.")
@click.option("--require-checked", is_flag=True, help="Exit 1 also if a claim is undecided or unreadable.")
@click.option("--certificates", type=click.Path(file_okay=False), metavar="DIR", help="Write a certificate for each verdict to DIR.")
@click.pass_context
def audit(
    ctx: click.Context, files: tuple[str, ...], form: str, output: str | None, timeout: float | None, require_checked: bool,
    certificates: str | None,
) -> None:
    """Judge every equation of documents.

    A document is Markdown, TeX, HTML, a notebook, reStructuredText, a Python source, plain text, or a .jsonl file of claims.

    A document that cannot be opened, or whose declarations are malformed, ends in status 2; the others are judged all the
    same.
    """
    from symrnn import api
    from symrnn.cli.app import NOT_ASKED
    from symrnn.cli.audit_text import audit_markdown, audit_text, exit_status
    from symrnn.cli.progress import Progress

    opened = openable(files)
    if opened:
        with Progress("judging") as progress:
            judged = api.audit(opened, timeout=timeout, progress=progress)
            if certificates is not None:
                judged, words = api.certify(judged, certificates)
                note(words)
        for failure in judged.failures:
            note(str(failure))
        for words in judged.notes:
            note(words)
        result = judged.to_json()
        printed = {"text": audit_text, "json": json_text, "md": audit_markdown}
        write(printed[form](result) if form in printed else str(api.page(judged, form)), output)
    failed = len(opened) < len(files) or bool(judged.failures)
    ctx.exit(NOT_ASKED if failed else exit_status(result, require_checked))
