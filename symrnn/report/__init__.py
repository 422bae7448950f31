"""Reports: documents with their directives carried out, every printed equation with its verdict.

A report is built once, as data (:mod:`symrnn.report.model`), and written in each format that is asked for: a format is a module with a
function that makes text or bytes of a report, and a row in :data:`WRITERS`.
"""
from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from symrnn.audit import Audit, Judged, audit_document
from symrnn.errors import CallError
from symrnn.report.build import Builder
from symrnn.report.checks import raw
from symrnn.report.kept import Record, keep, unchanged
from symrnn.report.model import Report

Progress = Callable[[int, int, str], None]

WRITERS = {"md": "markdown", "html": "html", "tex": "tex", "pdf": "typst"}
"""Format, which is also the suffix of its files -> the module that writes it."""


def written(report: Report, form: str) -> str | bytes:
    """A report in one of the formats of :data:`WRITERS`."""
    module = import_module(f"symrnn.report.{WRITERS[form]}")
    content: str | bytes = module.write(report)
    return content


@dataclass(frozen=True)
class Regenerated:
    """The files written, every verdict that is not the expected one, and what is not closed in the documents."""

    written: tuple[str, ...]
    unexpected: tuple[str, ...]
    notes: tuple[str, ...] = ()


def regenerate(paths: Sequence[str | Path], output: str | Path, *, formats: Sequence[str] = ("md", "html"), level: str = "full",
               progress: Progress | None = None) -> Regenerated:
    """Write the report of each document into a folder; reports are written whatever the verdicts are.

    One of which nothing has changed since it was written there (:mod:`symrnn.report.kept`) is left as it is.

    A report holds nothing that differs between machines or runs. Raises CallError before anything is written if two reports
    would be one file, or a report its own document; and where a file cannot be written.
    """
    folder = Path(output)
    sources = {path.resolve(): path for path in map(Path, paths)}
    pages = _pages(list(sources.values()), folder, formats)
    paths_written: list[str] = []
    unexpected: list[str] = []
    notes: list[str] = []
    for n, path in enumerate(pages):
        if progress:
            progress(n, len(pages), str(path))
        record = unchanged(folder / ".raw" / f"{path.stem}.kept.json", path, (*formats, level)) or _made(path, folder, formats, level)
        paths_written += [name for name in record.files]
        unexpected += record.unexpected
        notes += record.notes
    return Regenerated(tuple(paths_written), tuple(unexpected), tuple(notes))


def _made(path: Path, folder: Path, formats: Sequence[str], level: str) -> Record:
    """The record of a report that is written now."""
    judged = audit_document(path)
    builder = Builder(judged, path.stem, level)
    report = builder.report()
    files: dict[str, str | bytes] = {f"{path.stem}.{form}": written(report, form) for form in formats}
    targets = {folder / name: content for name, content in {**files, **report.files}.items()}
    for target, content in targets.items():
        _write(target, content)
    _write(folder / ".raw" / f"{path.stem}.json", json.dumps(raw(builder.checks), indent=1, default=str) + "\n")
    included = [s.path for s in judged.document.lines.sources if s.path is not None]
    return keep(folder / ".raw" / f"{path.stem}.kept.json", path, included, (*formats, level), targets, surprises(judged),
                Audit((judged,)).notes)


def _pages(paths: Sequence[Path], folder: Path, formats: Sequence[str]) -> list[Path]:
    """The documents, of which each has pages of its own that are none of the documents."""
    pages: dict[Path, Path] = {}
    documents = {path.resolve() for path in paths}
    for path in paths:
        for form in formats:
            page = (folder / f"{path.stem}.{form}").resolve()
            if page in documents:
                raise CallError(f"the report of {path}", must="be another file than a document", came=f"{folder / path.stem}.{form}",
                                next_step="Name another folder with --output.")
            if page in pages:
                raise CallError(f"the report of {path}", must="have a name of its own", came=f"that of {pages[page]}",
                                next_step="Write them to different folders, one at a time.")
            pages[page] = path
    return list(dict.fromkeys(pages.values()))


def _write(target: Path, content: str | bytes) -> None:
    """Write a file, and the folder for it."""
    data = content if isinstance(content, bytes) else content.encode("utf-8", errors="backslashreplace")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    except OSError as error:
        raise CallError(target.as_posix(), must="be a file that can be written", came=error.strerror or type(error).__name__,
                        next_step="Name another folder with --output.") from None


def surprises(judged: Judged) -> list[str]:
    """The equations whose verdict is not the one their directive expects (proved, when it expects nothing)."""
    out = []
    for n, d in enumerate(judged.document.directives):
        if "expect" in d.options and all(e.verdict is None for e in judged.equations if e.span.directive == n):
            out.append(f"{judged.path}:{d.line}: no verdict, expected {d.options['expect']}")
    for e in judged.equations:
        if e.span.directive is None or judged.document.directives[e.span.directive].name != "audit" or e.verdict is None:
            continue
        want = e.expected or "proved"
        if e.verdict != want:
            place = f"{judged.path}:{e.span.line}:{e.span.column}"
            out.append(f"{place}: {e.verdict}, expected {want}: {' '.join(e.span.latex.split())[:70]}")
    return out
