"""``symrnn recheck``: check certificates again."""

from __future__ import annotations

from pathlib import Path

import click

from symrnn.cli.output import note, openable, write


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE|DIR...")
@click.option("--source", type=click.Path(exists=True, dir_okay=False), metavar="FILE", help="The document that the certificates quote.")
@click.pass_context
def recheck(ctx: click.Context, files: tuple[str, ...], source: str | None) -> None:
    """Check certificates with the stand-alone checker.

    It believes no step of a proof: what is stated is established again, in another way. A directory stands for the
    certificates in it. Status 1 if a certificate is refused.
    """
    from symrnn import api
    from symrnn.cli.app import NOT_ASKED, REFUTED

    paths = [p for name in files for p in (sorted(Path(name).glob("*.json")) if Path(name).is_dir() else [Path(name)])]
    opened = openable(tuple(map(str, paths)))
    text = None if source is None else Path(source).read_bytes().decode()
    refused = 0
    for path in opened:
        try:
            stands, lines = api.recheck(path, text)
        except UnicodeDecodeError as error:
            note(f"{path}: must be UTF-8 text; {error}")
            ctx.exit(NOT_ASKED)
        refused += not stands
        write("\n  ".join([f"{path}: {lines[0]}", *lines[1:]]) + "\n", None)
    note(f"{len(opened)} certificates, {refused} refused")
    ctx.exit(NOT_ASKED if len(opened) < len(paths) else REFUTED if refused else 0)
