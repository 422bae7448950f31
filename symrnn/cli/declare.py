"""``symrnn declare``: propose the declarations of a document."""

from __future__ import annotations

import click

from symrnn.cli.output import note, output_options, render, write


@click.command()
@click.argument("document", metavar="FILE", type=click.Path())
@output_options("toml", "yaml", "comment", "json")
def declare(document: str, form: str, output: str | None) -> None:
    """Propose the declarations of a document.

    What is printed is the table of symbols that follows from how the document uses them, ready to edit. As TOML it stands
    in a file beside the document (chapter.symrnn.toml for chapter.tex), as YAML in the front matter of a Markdown
    document, as a comment in TeX, HTML or Markdown. Unchanged it changes no verdict; a line that is changed holds.
    """
    from symrnn import api

    proposed = api.declare(document)
    if not proposed.inferred:
        note(f"{document} declares its symbols itself; nothing was inferred")
    write(render(proposed, form), output)
