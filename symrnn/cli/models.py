"""``symrnn models``: list the models that come with symrnn."""

from __future__ import annotations

import click

from symrnn.cli.output import json_text, note, output_options, write


@click.command()
@output_options("text", "json")
def models(form: str, output: str | None) -> None:
    """List the models that come with symrnn."""
    from symrnn import zoo

    sources = [zoo.source(name) for name in zoo.names()]
    if form == "json":
        write(json_text([{"name": s.name, "title": s.title} for s in sources]), output)
        return
    if not sources:
        note("no model is installed")
        return
    widest = max(len(s.name) for s in sources)
    write("\n".join(f"{s.name:<{widest}}  {s.title}" for s in sources), output)
