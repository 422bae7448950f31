r"""Stated shapes against the equations: the statement that alone is wrong is refuted, a definition never is."""
from __future__ import annotations

from pathlib import Path

import pytest

from symrnn.audit import Judged, audit_document

CELL = "$$s_t = \\tanh(A v_t + B s_{t-1})$$\n"


def judged(text: str, tmp_path: Path) -> Judged:
    path = tmp_path / "text.md"
    path.write_text(text, encoding="utf-8")
    return audit_document(path, timeout=60)


def verdicts(text: str, tmp_path: Path) -> dict[str, str | None]:
    return {e.span.latex: e.verdict for e in judged(text, tmp_path).equations}


def test_the_one_shape_without_which_all_others_fit_is_refuted_with_the_right_one(tmp_path):
    found = judged(r"$v_t \in \mathbb{R}^{p}$, $s_t \in \mathbb{R}^{q}$, $A \in \mathbb{R}^{p \times q}$." + "\n\n" + CELL, tmp_path)
    wrong = next(e for e in found.equations if e.span.latex.startswith("A"))
    assert (wrong.verdict, wrong.fix.latex) == ("refuted", r"A \in \mathbb{R}^{q \times p}")
    assert next(e for e in found.equations if "tanh" in e.span.latex).role == "definition"


def test_the_sizes_of_all_others_may_be_what_shows_the_error(tmp_path):
    text = r"$v_t \in \mathbb{R}^{p}$ is the input; all other vectors are in $\mathbb{R}^{q}$, so $A \in \mathbb{R}^{p \times q}$."
    assert verdicts(text + "\n\n" + CELL, tmp_path)[r"A \in \mathbb{R}^{p \times q}"] == "refuted"


@pytest.mark.parametrize("right", [r"$A \in \mathbb{R}^{q \times p}$", r"$B \in \mathbb{R}^{q \times q}$"])
def test_a_right_shape_is_no_finding(right, tmp_path):
    text = rf"$v_t \in \mathbb{{R}}^{{p}}$, $s_t \in \mathbb{{R}}^{{q}}$, {right}." + "\n\n" + CELL
    assert "refuted" not in verdicts(text, tmp_path).values()


def test_where_either_of_two_shapes_may_be_wrong_none_is_refuted_and_the_network_stands(tmp_path):
    text = r"$v_t \in \mathbb{R}^{p}$, $A \in \mathbb{R}^{p \times q}$." + "\n\n" + CELL
    claim = r"\frac{\partial s_t}{\partial s_{t-1}} = \mathrm{diag}(1 - s_t^2) B"
    found = verdicts(text + f"\n$${claim}$$\n", tmp_path)
    assert found[r"A \in \mathbb{R}^{p \times q}"] == "undecided" and found[claim] == "proved"


@pytest.mark.parametrize("text", [
    r"$v_t \in \mathbb{R}^p$, $s_t \in \mathbb{R}^q$, $A \in \mathbb{R}^{p \times q}$, $B \in \mathbb{R}^{q \times q}$."
    "\n\n$$s_t = \\tanh(v_t A + s_{t-1} B)$$\n",
    r"$V_t \in \mathbb{R}^{n \times p}$, "
    r"$S_t \in \mathbb{R}^{n \times q}$, $A \in \mathbb{R}^{p \times q}$, $a \in \mathbb{R}^{1 \times q}$."
    "\n\n$$S_t = \\tanh(V_t A + S_{t-1} B + a)$$\n",
    r"$v_t \in \mathbb{R}^p$, $s_t \in \mathbb{R}^q$, $A \in \mathbb{R}^{p \times q}$, where $p = q$." + "\n\n" + CELL,
    r"$v_t \in \mathbb{R}^p$, $s_t \in \mathbb{R}^q$, $A \in \mathbb{R}^{q \times p}$." + "\n\n" + CELL
    + "\nAnother network:\n\n$$s_t = \\tanh(A s_{t-1} + B v_t)$$\n",
], ids=["rows", "batch", "equal sizes", "two networks"])
def test_another_convention_refutes_nothing(text, tmp_path):
    assert "refuted" not in verdicts(text, tmp_path).values()


def test_a_statement_of_two_shapes_has_no_fix_that_changes_both(tmp_path):
    text = r"$v_t \in \mathbb{R}^p$, $s_t \in \mathbb{R}^q$, $A, C \in \mathbb{R}^{p \times q}$." + "\n\n" + CELL + "\n$$y_t = C s_t$$\n"
    wrong = next(e for e in judged(text, tmp_path).equations if "C" in e.span.latex and "in" in e.span.latex)
    assert wrong.verdict == "refuted" and wrong.fix is None
