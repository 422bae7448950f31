"""The documents of derivations/: the verdicts are the expected ones, corrections stand, and what was printed is transcribed."""
from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from symrnn.audit import Equation, Judged, audit_document
from symrnn.prove.verdict import worst
from symrnn.read.document import Document, Span, load_document
from symrnn.report import surprises

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted((ROOT / "derivations").glob("*.md"))
GOLDEN = Path(__file__).with_name("golden") / "derivations.json"
LONG = "rnn-from-definition-to-training"
OURS = ("bptt", "softmax")
"""Documents in our own words and formulas."""

each = pytest.mark.parametrize(
    "name", [p.stem for p in DOCUMENTS])


@cache
def judged(name: str) -> Judged:
    return audit_document(ROOT / "derivations" / f"{name}.md")


def pinned(document: Judged) -> list[dict[str, Any]]:
    """What is pinned of each relation that has a verdict."""
    return [{"latex": " ".join(r.latex.split()), "verdict": r.verdict.word, "code": r.verdict.code,
             "fix": r.verdict.fix.latex if r.verdict.fix else None}
            for e in document.equations for r in e.relations if r.verdict.word is not None]


@each
@pytest.mark.slow
def test_every_verdict_is_the_one_that_its_document_expects(name):
    assert surprises(judged(name)) == []


@each
@pytest.mark.slow
def test_nothing_outside_an_audit_is_refuted_or_unreadable(name):
    document = judged(name)
    for e in document.equations:
        inside = e.span.directive is not None and document.document.directives[e.span.directive].name == "audit"
        assert inside or e.verdict in (None, "proved") or e.span.kind == "inline", (e.span.line, e.verdict, e.reason)


@each
@pytest.mark.slow
def test_every_relation_has_its_pinned_verdict_code_and_correction(name):
    """SYMRNN_UPDATE_GOLDEN=1 writes what is found instead."""
    found = pinned(judged(name))
    golden = json.loads(GOLDEN.read_text(encoding="utf-8")) if GOLDEN.exists() else {}
    if os.environ.get("SYMRNN_UPDATE_GOLDEN"):
        golden[name] = found
        GOLDEN.write_text(json.dumps(dict(sorted(golden.items())), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert found == golden.get(name)


def corrected(document: Judged) -> tuple[str, set[str]]:
    """The text with every refuted formula replaced by its corrections, and those corrections."""
    text, fixes = document.document.text, set()
    for e in reversed(document.equations):
        mine = [r.verdict.fix.latex for r in e.relations if r.verdict.fix]
        if e.span.directive is not None and (left := document.document.directives[e.span.directive].options.get("equals")):
            mine = [fix.removeprefix(f"{left} = ") for fix in mine]
        if e.verdict != "refuted" or not mine:
            continue
        fixes.update(mine)
        joint = "$, $" if e.span.kind == "inline" else "\n$$\n\n$$\n"
        text = text[:e.span.offset] + joint.join(mine) + text[e.span.offset + len(e.span.latex):]
    return text, fixes


@each
@pytest.mark.slow
def test_a_correction_is_proved_when_it_is_read_afresh_in_its_document(name, tmp_path):
    document = judged(name)
    assert {r.verdict.fix.verdict for e in document.equations for r in e.relations if r.verdict.fix} <= {"proved"}
    text, fixes = corrected(document)
    if not fixes:
        assert name not in (*OURS, LONG)
        return
    path = tmp_path / f"{name}.md"
    path.write_text(text, encoding="utf-8")
    again = {e.span.latex: e.verdict for e in audit_document(path).equations}
    assert {again.get(fix.strip()) for fix in fixes} == {"proved"}, [f for f in fixes if again.get(f.strip()) != "proved"]


PUBLISHED = (
    ("the stray minus on the softmax", r"\sigma(\boldsymbol{o})_i = -\frac", "SR203", r"= \frac{e^{o_i}}"),
    ("a missing transpose, input weights",
     r"\frac{\partial \mathcal{L}}{\partial W_{xh}} = \sum_{t = 1}^\tau \left( diag\left[ 1 - (\boldsymbol{h}^{(t)})^2 \right] \right)",
     "SR201", r"{\boldsymbol{x}^{(t)}}^\intercal"),
    ("a missing transpose, output weights",
     r"\frac{\partial \mathcal{L}}{\partial W_{yh}} = \sum_{t = 1}^\tau \left( \boldsymbol{\sigma}",
     "SR201", r"{\boldsymbol{h}^{(t)}}^\intercal"),
    ("a misplaced diagonal", r"\nabla_{\boldsymbol{h}^{(t)}}\mathcal{L} = \left( \boldsymbol{W_{yh}}", "SR202",
     r"diag\left[ 1 - (\boldsymbol{h}^{(t + 1)})^2 \right] \nabla_{\boldsymbol{h}^{(t + 1)}}\mathcal{L}"),
    ("input weights for recurrent ones", r"\nabla_{\boldsymbol{h}^{(t)}}\mathcal{L} - ", "SR101",
     r"= \boldsymbol{W_{hh}}^\intercal diag\left[ 1 - (\boldsymbol{h}^{(t + 1)})^2 \right] \nabla_{\boldsymbol{h}^{(t + 1)}}\mathcal{L}"),
    ("brackets around a difference under a sum",
     r"\frac{\partial \mathcal{L}}{\partial b_o} = \sum_{t = 1}^\tau \boldsymbol{\sigma} -",
     "SR208", r"\sum_{t=1}^\tau (\boldsymbol{\sigma} - \boldsymbol{p})"),
)


@pytest.mark.parametrize(("printed", "code", "fix"), [row[1:] for row in PUBLISHED], ids=[row[0] for row in PUBLISHED])
def test_a_published_error_is_named_and_corrected(printed, code, fix):
    found = [r.verdict for e in judged(LONG).equations for r in e.relations if " ".join(r.latex.split()).startswith(printed)]
    assert found
    for v in found:
        assert (v.word, v.code) == ("refuted", code) and v.fix is not None and v.fix.verdict == "proved"
        assert fix in v.fix.latex


# ------------------------------------------------------------------------------- the labelled equations, where they are at hand
CASES = os.environ.get("SYMRNN_CASES", "")
ACCEPTABLE = {"true": {"proved"}, "false": {"refuted"}, "ill-typed": {"refuted"}, "conventional": {"conditional"},
              "uncheckable": {"undecided", "unreadable", None}}
"""Label -> the verdicts that say so; a mention has none."""
SILENT = {None, "undecided", "unreadable", "agrees"}
"""Verdicts that miss a label but do not contradict it."""


@pytest.fixture(scope="module")
def labelled() -> dict[str, list[dict[str, Any]]]:
    """Formula without white space and wrappers -> its entries."""
    path = Path(CASES) / "seed-equations.json"
    if not CASES or not path.is_file():
        pytest.skip("SYMRNN_CASES does not name a folder with the labelled equations")
    out: dict[str, list[dict[str, Any]]] = {}
    for row in json.loads(path.read_text(encoding="utf-8")):
        out.setdefault(plain(row["latex"]), []).append(row)
    return out


def plain(latex: str) -> str:
    """LaTeX without white space and without the wrappers that only carry a class.

    >>> plain(r"\\htmlClass{a-1}{\\mathbf{W}} x")
    '\\\\mathbf{W}x'
    """
    while (found := re.search(r"\\htmlClass\{[^{}]*\}\{", latex)) is not None:
        depth, at = 1, found.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(latex[at], 0)
            at += 1
        latex = latex[:found.start()] + latex[found.end():at - 1] + latex[at:]
    return "".join(latex.split())


def transcribed() -> Iterator[tuple[Document, Span]]:
    """Every formula of the published texts' documents: displays, and whatever a directive judges."""
    for path in DOCUMENTS:
        if path.stem in OURS:
            continue
        document = load_document(path)
        for span in document.spans:
            name = document.directives[span.directive].name if span.directive is not None else ""
            if name != "define" and (name or span.kind != "inline"):
                yield document, span


def test_no_transcription_changes_a_formula(labelled):
    spans = list(transcribed())
    assert len(spans) > 60
    assert [f"{d.path}:{s.line}: {s.latex}" for d, s in spans if plain(s.latex) not in labelled] == []


def test_no_displayed_formula_is_left_out(labelled):
    have = {plain(s.latex) for p in DOCUMENTS for s in load_document(p).spans}
    assert [row["id"] for key, rows in labelled.items() for row in rows if key not in have and row["kind"] != "inline"] == []


def labelled_equations(labelled: dict[str, list[dict[str, Any]]]) -> Iterator[tuple[Equation, dict[str, Any]]]:
    for path in DOCUMENTS:
        if path.stem not in OURS:
            for e in judged(path.stem).equations:
                for row in labelled.get(plain(e.span.latex), []):
                    if row["verdict"] in ACCEPTABLE:
                        yield e, row


def accepted(row: dict[str, Any], label: str) -> set[str | None]:
    return set().union(*(ACCEPTABLE.get(x, set()) for x in (label, *(row.get("also_acceptable_labels") or ()))))


def test_the_verdict_on_each_labelled_equation_is_an_acceptable_one(labelled):
    rows = list(labelled_equations(labelled))
    words = [(row["id"], row["verdict"], worst([r.verdict.word for r in e.relations]), accepted(row, row["verdict"]))
             for e, row in rows]
    assert len(words) >= 50
    assert [x for x in words if x[2] not in x[3] | SILENT] == []
    assert {x[0] for x in words if x[2] not in x[3]} <= {"s3-118"}, "an inequality"


def test_the_verdict_on_each_labelled_step_does_not_contradict_its_label(labelled):
    seen = 0
    for e, row in labelled_equations(labelled):
        steps = [s["verdict"] for s in row.get("steps") or [] if s["step"] != "empty row"]
        found = [r.verdict.word for r in e.relations]
        assert not steps or len(found) == len(steps), row["id"]
        for number, (label, word) in enumerate(zip(steps, found, strict=False), start=1):
            if label in ACCEPTABLE:
                seen += 1
                good = accepted(row, label) | SILENT | ({"conditional"} if label == "true" else set())
                assert word in good, (row["id"], number, label, word)
    assert seen > 40
