r"""Convolution as a recurrent network, end to end: from the printed lines to a proof for every size and step."""
from __future__ import annotations

from pathlib import Path

import pytest

from symrnn.audit import Judged, audit_document
from symrnn.errors import DeclarationError, Place
from symrnn.setting import Setting

DERIVATION = Path(__file__).parent.parent / "derivations" / "elman-and-convolution.md"
SYMBOLS = {"x": "scalar, sequence", "h": "vector p, sequence", "y": "scalar, sequence", "a": "vector p", "p": "size", "t": "time",
           "b": "vector p", "T": "size"}
HEAD = "---\ntitle: A window\nsymrnn:\n  time: sub\n  symbols:\n" + "".join(f"    {k}: {v}\n" for k, v in SYMBOLS.items())
GIVEN = '  assume: ["x_s = 0", "h_0 = 0"]\n'


def audited(path: Path, *formulas: str, given: str = GIVEN) -> Judged:
    path.write_text(HEAD + given + "---\n\n" + "\n\n".join(f"$$\n{f}\n$$" for f in formulas) + "\n")
    return audit_document(path)


def test_the_published_lines_are_proved_for_every_size_and_step():
    display = audit_document(DERIVATION).equations[-1]
    assert [r.verdict.word for r in display.relations] == [None, "proved", None]
    verdict = display.relations[1].verdict
    assert verdict.scope is not None and verdict.scope.to_json() == {"sizes": "all", "T": "all"}
    assert {"x_s = 0", "h_0 = 0"} <= set(verdict.conditions) and verdict.method.startswith("induction over t")


def test_the_output_is_a_correlation_with_the_kernel(tmp_path):
    judged = audited(tmp_path / "a.md", r"h_t = (h_{t-1}[2:p], x_t)", r"y_t = a^\top h_t = \sum_{i=1}^{p} a_i x_{t-p+i}",
                     r"y_t = \sum_{i=1}^{p} a_i x_{t-p+i}")
    assert [e.verdict for e in judged.equations] == [None, "proved", "proved"]


@pytest.mark.parametrize("wrong", [
    r"h_t = (x_{t-p}, \ldots, x_{t-1}, x_t)", r"h_t = (x_{t-p}, \ldots, x_{t-1})", r"h_t = (h_{t-1}[1:p-1], x_t)",
    r"h_t = (x_t, h_{t-1}[2:p])", r"h_t = (h_{t-1}[2:p+1], x_t)"])
def test_a_wrong_window_is_refuted(tmp_path, wrong):
    assert audited(tmp_path / "a.md", r"h_t = (h_{t-1}[2:p], x_t)", wrong).equations[1].verdict == "refuted"


def test_a_definition_that_keeps_the_wrong_entries_is_no_window(tmp_path):
    judged = audited(tmp_path / "a.md", r"h_t = (h_{t-1}[1:p-1], x_t) = (x_{t-p+1}, \ldots, x_{t-1}, x_t)")
    assert judged.equations[0].verdict == "refuted"


def test_without_the_stated_facts_the_claim_is_one_about_full_windows_and_says_what_holds_before(tmp_path):
    judged = audited(tmp_path / "a.md", r"h_t = (h_{t-1}[2:p], x_t)", r"h_t = (x_{t-p+1}, \ldots, x_{t-1}, x_t)", given="")
    verdict = judged.equations[1].relations[0].verdict
    assert (verdict.word, verdict.reason) == ("proved", "with x_s = 0 for s <= 0 and h_0 = 0 it holds at every step")
    assert verdict.conditions == ("the claim does not speak of t < p: a printed symbol does not exist there",)


@pytest.mark.parametrize("given", ["", '  assume: ["h_0 = 0"]\n', '  assume: ["x_s = 0"]\n', GIVEN])
@pytest.mark.parametrize("wrong", [
    r"h_t = (x_{t-p}, \ldots, x_{t-1})", r"h_t = (x_{t-p+2}, \ldots, x_t, x_{t+1})", r"h_t = (x_t, x_{t-1}, \ldots, x_{t-p+1})",
    r"h_t = (h_{t-1}[1:p-1], x_t) = (x_{t-p+1}, \ldots, x_t)", r"y_t = \sum_{i=1}^{p} a_i x_{t-p+i-1}",
    r"y_t = \sum_{i=1}^{p} a_i x_{t-i+1}"])
def test_a_wrong_window_is_never_proved_whatever_is_stated(tmp_path, wrong, given):
    judged = audited(tmp_path / "a.md", r"h_t = (h_{t-1}[2:p], x_t)", r"y_t = a^\top h_t", wrong, given=given)
    assert judged.equations[2].verdict not in ("proved", "conditional")


@pytest.mark.parametrize(("text", "kind", "subject"), [
    ("x_s = 0", "past-zero", "x"), (r"x_s = 0 \text{ for } s \le 0", "past-zero", "x"), (r"x_s = 0, s \leq 0", "past-zero", "x"),
    (r"x_s = 0 \quad (s < 1)", "past-zero", "x"), ("h_0 = 0", "past-zero", "h"),
    (r"x_t = 0 \text{ for } t \le 0", "past-zero", "x"), ("x_t = 0", "zero", "x"), ("b = 0", "zero", "b")])
def test_a_zero_before_the_first_step_is_told_from_a_zero_everywhere(text, kind, subject):
    found = Setting.of("main", {"time": "sub", "symbols": SYMBOLS}).condition(text)
    assert [(c.kind, c.subject, c.text) for c in found] == [(kind, (subject,), text)]


@pytest.mark.parametrize("text", ["h_1 = 0", "x_{s-1} = 0", "x_T = 0", "x_s = 1", r"x_s = 0 \text{ for } s < 0",
                                  r"x_s = 0 \text{ for } u \le 0"])
def test_a_condition_that_is_not_understood_is_an_error_with_its_place(text):
    with pytest.raises(DeclarationError) as caught:
        Setting.of("main", {"time": "sub", "symbols": SYMBOLS, "assume": text}, where=Place("notes.md", 7))
    assert str(caught.value).startswith("notes.md:7: DeclarationError: the condition")
