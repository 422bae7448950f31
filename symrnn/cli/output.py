"""What commands print: a result in one format, to stdout or to a file; notes go to stderr."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from symrnn.errors import CallError

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def output_options(*formats: str) -> Decorator:
    """Return a decorator that adds ``--format`` (the first of `formats` is the default) and ``--output``."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        command = click.option(
            "-o", "--output", type=click.Path(dir_okay=False), help="Write to this file instead of stdout."
        )(command)
        return click.option(
            "--format", "form", type=click.Choice(formats), default=formats[0], show_default=True,
            help="How to print the result.",
        )(command)

    return decorate


LEVELS = ("full", "brief")
"""How much of a derivation is printed."""


def level_option(what: str) -> Decorator:
    """Return a decorator that adds ``--level``; `what` says what it is for."""
    return click.option("--level", type=click.Choice(LEVELS), default=LEVELS[0], show_default=True, help=f"{what}.")


def loss_at_option(command: Any) -> Any:
    """Add ``--loss-at`` to a command."""
    return click.option("--loss-at", type=click.Choice(("all", "last")), default="all", show_default=True,
                        help="The steps whose losses are summed.")(command)


def render(result: Any, form: str) -> str:
    """Return a result as text in the format `form`, by its method ``to_text``, ``to_json``, ``to_latex`` or ``to_md``.

    ``to_json`` gives a value made of dicts, lists, strings and numbers; the others give strings.
    """
    payload = getattr(result, f"to_{form}")()
    return json_text(payload) if form == "json" else str(payload)


def json_text(payload: Any) -> str:
    """Return a value as indented JSON, in the order of its keys; what JSON cannot say is an error."""
    return json.dumps(payload, indent=2, ensure_ascii=False, allow_nan=False)


def write(text: str, output: str | None) -> None:
    """Write a payload, with one final newline, to stdout or to the file `output`."""
    text = text.rstrip("\n") + "\n"
    if output is None:
        click.echo(text, nl=False)
        return
    _spare_inputs(Path(output))
    try:
        Path(output).write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    except OSError as error:
        raise CallError(
            f"--output {output}",
            must="name a file that can be written",
            came=error.strerror or str(error),
            next_step="Check that its folder exists.",
        ) from None


def _spare_inputs(output: Path) -> None:
    """Raise if `output` is a document that the command reads."""
    context = click.get_current_context(silent=True)
    asked = context.params if context is not None else {}
    for source in (*asked.get("files", ()), *filter(None, (asked.get("model"),))):
        if output.exists() and Path(source).exists() and output.samefile(source):
            raise CallError(f"--output {output}", must="be another file than the document", came="the document",
                            next_step="Name another file.")


def note(text: str) -> None:
    """Say something that is not the payload, on stderr."""
    click.echo(text, err=True)


def openable(files: Iterable[str]) -> list[str]:
    """Return the files that can be opened, and say on stderr of the others why not."""
    from symrnn.zoo import cannot_open

    found = []
    for path in files:
        try:
            with open(path, "rb"):
                found.append(path)
        except OSError as error:
            note(str(cannot_open(path, error)))
    return found
