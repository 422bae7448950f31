"""``symrnn explain``: say what a finding means."""

from __future__ import annotations

import click

from symrnn.cli.output import write


@click.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Say what a finding means.

    CODE is its code (SR201) or its name (missing-transpose); without it all findings are listed.
    """
    from symrnn import codes

    write(codes.overview() if code is None else codes.page(codes.code(code)), None)
