"""Reports: documents with their directives carried out, every printed equation with its verdict."""
from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from symrnn.audit import Judged, audit_document
from symrnn.report.checks import raw
from symrnn.report.markdown import Page

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Regenerated:
    """The files written, and every verdict that is not the expected one."""

    written: tuple[str, ...]
    unexpected: tuple[str, ...]


def regenerate(paths: Sequence[str | Path], output: str | Path, *, formats: Sequence[str] = ("md",),
               progress: Progress | None = None) -> Regenerated:
    """Write the report of each document into a folder; reports are written whatever the verdicts are.

    A report holds nothing that differs between machines or runs.
    """
    folder = Path(output)
    folder.mkdir(parents=True, exist_ok=True)
    written: list[str] = []
    unexpected: list[str] = []
    for n, path in enumerate(map(Path, paths)):
        if progress:
            progress(n, len(paths), str(path))
        judged = audit_document(path)
        page = Page(judged, path.stem)
        for name, content in page.files().items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content, encoding="utf-8")
            written.append(target.as_posix())
        measured = folder / ".raw" / f"{path.stem}.json"
        measured.parent.mkdir(exist_ok=True)
        measured.write_text(json.dumps(raw(page.checks), indent=1, default=str) + "\n", encoding="utf-8")
        unexpected += surprises(judged)
    return Regenerated(tuple(written), tuple(unexpected))


def surprises(judged: Judged) -> list[str]:
    """The equations whose verdict is not the one their directive expects (proved, when it expects nothing)."""
    out = []
    for e in judged.equations:
        if e.span.directive is None or judged.document.directives[e.span.directive].name != "audit" or e.verdict is None:
            continue
        want = e.expected or "proved"
        if e.verdict != want:
            place = f"{judged.path}:{e.span.line}:{e.span.column}"
            out.append(f"{place}: {e.verdict}, expected {want}: {' '.join(e.span.latex.split())[:70]}")
    return out
