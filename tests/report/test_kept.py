"""A report is made again when something that it is made of has changed, and only then."""
from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import symrnn.report as report
import symrnn.report.kept as records
from symrnn.report import regenerate

TEXT = r"""# A state

$$h_t = \tanh(W h_{t-1} + U x_t)$$

```{audit}
\frac{\partial h_t}{\partial h_{t-1}} = \mathrm{diag}(1 - h_t^2) W
```
"""


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The documents that were judged, in order."""
    found: list[Path] = []
    audit_document = report.audit_document
    monkeypatch.setattr(report, "audit_document", lambda path: (found.append(path), audit_document(path))[1])
    return found


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "state.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_a_report_of_which_nothing_changed_is_not_made_again_and_says_the_same(judged: list[Path], document: Path) -> None:
    document.write_text(TEXT.replace(r"h_t^2) W", r"h_t^2) U"), encoding="utf-8")
    first = regenerate([document], document.parent / "out")
    assert first.unexpected and regenerate([document], document.parent / "out") == first and judged == [document]


def changed_text(document: Path, _: pytest.MonkeyPatch) -> None:
    document.write_text(TEXT + "More.\n", encoding="utf-8")


def changed_page(document: Path, _: pytest.MonkeyPatch) -> None:
    (document.parent / "out" / "state.html").write_text("another", encoding="utf-8")


def lost_page(document: Path, _: pytest.MonkeyPatch) -> None:
    (document.parent / "out" / "state.md").unlink()


def lost_record(document: Path, _: pytest.MonkeyPatch) -> None:
    (document.parent / "out" / ".raw" / "state.kept.json").write_text("{", encoding="utf-8")


def forged_record(document: Path, _: pytest.MonkeyPatch) -> None:
    path = document.parent / "out" / ".raw" / "state.kept.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "sources": {}}), encoding="utf-8")


def changed_program(_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "program", lambda: "another")


@pytest.mark.parametrize("change", [changed_text, changed_page, lost_page, lost_record, forged_record, changed_program])
def test_a_report_is_made_again_when_anything_changed(judged: list[Path], document: Path, monkeypatch: pytest.MonkeyPatch,
                                                      change: Callable[[Path, pytest.MonkeyPatch], None]) -> None:
    out = document.parent / "out"
    regenerate([document], out)
    before = (out / "state.md").read_text(encoding="utf-8")
    change(document, monkeypatch)
    regenerate([document], out)
    assert judged == [document, document] and (out / "state.md").read_text(encoding="utf-8").startswith(before[:20])


def test_other_formats_are_written_when_they_are_asked_for(judged: list[Path], document: Path) -> None:
    out = document.parent / "out"
    regenerate([document], out, formats=["md"])
    regenerate([document], out, formats=["md", "tex"])
    assert len(judged) == 2 and (out / "state.tex").exists()


def test_a_file_that_a_document_includes_counts_as_part_of_it(judged: list[Path], tmp_path: Path) -> None:
    part, whole = tmp_path / "part.tex", tmp_path / "whole.tex"
    part.write_text("$h_t = W h_{t-1}$\n", encoding="utf-8")
    whole.write_text("\\documentclass{article}\\begin{document}\n\\input{part}\n\\end{document}\n", encoding="utf-8")
    regenerate([whole], tmp_path / "out")
    regenerate([whole], tmp_path / "out")
    assert len(judged) == 1
    part.write_text("$h_t = V h_{t-1}$\n", encoding="utf-8")
    regenerate([whole], tmp_path / "out")
    assert len(judged) == 2


def test_the_program_is_known_by_every_one_of_its_files() -> None:
    records.program.cache_clear()
    assert len(records.program()) == 64 and records.program() == records.program()
