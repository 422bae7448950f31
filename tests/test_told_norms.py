r"""Claims about norms of Jacobians, and about the larger of some variables, in texts that declare nothing."""
from __future__ import annotations

from fractions import Fraction
from math import cosh, exp
from pathlib import Path

import pytest

from symrnn.audit import audit_document
from symrnn.expr import apply
from symrnn.model import Model, param, sequence
from symrnn.prove.norms import limit, one_step

CELL = r"$$h_t = f(A v_t + B h_{t-1} + q)$$"


def verdict(claim: str, cell: str, tmp_path: Path, before: str = "") -> str | None:
    path = tmp_path / "text.md"
    path.write_text(f"The sigmoid is $\\sigma$.\n\n{cell}\n\n{before}\n\n$${claim}$$\n", encoding="utf-8")
    return next(e for e in audit_document(path, timeout=60).equations if e.span.latex == claim).verdict


JACOBIAN = r"\left\| \frac{\partial h_t}{\partial h_{t-1}} \right\|"
MANY = r"\left\| \frac{\partial h_T}{\partial h_1} \right\|"


@pytest.mark.parametrize(("function", "claim", "expected"), [
    (r"\tanh", rf"{JACOBIAN} \le \|B\|", "proved"),
    (r"\tanh", rf"{JACOBIAN} \le 2 \|B\|", "proved"),
    (r"\tanh", rf"{JACOBIAN} \le \frac{{1}}{{4}} \|B\|", "refuted"),
    (r"\sigma", rf"{JACOBIAN} \le \frac{{1}}{{4}} \|B\|", "proved"),
    (r"\sigma", rf"{JACOBIAN} \le \frac{{1}}{{5}} \|B\|", "refuted"),
    (r"\tanh", rf"{JACOBIAN} \le \|A\|", "refuted"),
    (r"\tanh", rf"{JACOBIAN} \le \|B\|_2", None),
    (r"\tanh", rf"\|B\| < 1 \Rightarrow {MANY} \to 0", "proved"),
    (r"\tanh", rf"\|B\| \le 1 \Rightarrow {MANY} \to 0", "refuted"),
    (r"\sigma", rf"\|B\| < 4 \Rightarrow {MANY} \to 0", "proved"),
    (r"\sigma", rf"\|B\| < 5 \Rightarrow {MANY} \to 0", None),
    (r"\tanh", rf"\|B\| > 1 \Rightarrow {MANY} \to \infty", "refuted"),
    (r"\sigma", rf"\|B\| > 4 \Rightarrow {MANY} \to \infty", "refuted"),
])
def test_the_largest_slope_bounds_a_step_and_says_nothing_of_growth(function, claim, expected, tmp_path):
    assert verdict(claim, CELL.replace("f(", f"{function}("), tmp_path) == expected


@pytest.mark.parametrize("cell", [r"$$h_t = B h_{t-1} + A v_t$$", r"$$h_t = \tanh(B h_{t-1})$$", r"$$h_t = \tanh(B h_{t-1}) + q$$"])
def test_without_a_bias_inside_the_function_a_nilpotent_weight_refutes_growth(cell, tmp_path):
    assert verdict(rf"\|B\| > 1 \Rightarrow {MANY} \to \infty", cell, tmp_path) == "refuted"
    assert verdict(rf"\|B\| > 1 \Rightarrow {MANY} \to \infty", rf"The number $B \in \mathbb{{R}}$. {cell}", tmp_path) != "refuted"


def test_what_the_text_calls_untrue_is_no_claim(tmp_path):
    claim = rf"\|B\| > 1 \Rightarrow {MANY} \to \infty"
    assert verdict(claim, CELL.replace("f(", r"\tanh("), tmp_path, "It is not so that") is None


def test_a_sentence_that_has_ended_denies_nothing(tmp_path):
    claim = rf"\|B\| > 1 \Rightarrow {MANY} \to \infty"
    assert verdict(claim, CELL.replace("f(", r"\tanh("), tmp_path, "This is not hard.") == "refuted"


@pytest.mark.parametrize("function", ["tanh", "sigmoid"])
@pytest.mark.parametrize("most", [Fraction(1, 3), Fraction(1), Fraction(4), Fraction(1000)])
def test_the_network_that_refutes_growth_has_factors_below_one(function, most):
    h, x = sequence("h", "n"), sequence("x", "n", kind="input")
    step = one_step(Model.build("m", [(h, apply(function, param("B", "n", "n") @ h[-1] + x + param("q", "n")))]), "h", "h")
    values = limit(step, ">", most, "infty").counterexample["values"]
    weight, bias = Fraction(values["B"]), int(values["bias"])
    assert weight > most
    least = float(bias - weight)                                      # states lie between -1 and 1
    slope = 1 / cosh(least) ** 2 if function == "tanh" else exp(-least) / (1 + exp(-least)) ** 2
    assert least > 0 and float(weight) * slope < 1


MIXED = "$$z_t = \\sigma(P v_t)$$\n\n$$k_t = \\tanh(Q v_t)$$\n\n$$m_t = z_t \\odot k_t + (1 - z_t) \\odot m_{t-1}$$"


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\min(m_{t-1}, k_t) \le m_t \le \max(m_{t-1}, k_t)", "proved"),
    (r"m_t \le \max(k_t, m_{t-1})", "proved"),
    (r"\max(k_t, m_{t-1}) \ge m_t", "proved"),
    (r"|m_t| \le \max(|m_{t-1}|, |k_t|) \text{ (elementwise)}", "proved"),
    (r"|m_t| \le \max(|m_{t-1}|, |k_t|)", None),
    (r"m_t < \max(k_t, m_{t-1})", "refuted"),
    (r"\max(m_{t-1}, k_t) \le m_t", "refuted"),
    (r"m_t \le \min(m_{t-1}, k_t)", "refuted"),
    (r"m_t \le \max(z_t, m_{t-1})", "refuted"),
    (r"|k_t| < 1 \text{ elementwise}", "proved"),
    (r"|k_t| < \frac{1}{2} \quad \text{(entry-wise)}", "refuted"),
    (r"|k_t| < 1 \text{ if } v_t > 0", None),
])
def test_a_mixture_lies_between_its_parts_and_not_beyond(claim, expected, tmp_path):
    assert verdict(claim, MIXED, tmp_path) == expected


def test_a_sum_that_is_no_mixture_is_not_taken_for_one(tmp_path):
    cell = MIXED.replace("(1 - z_t)", "(1 + z_t)")
    assert verdict(r"m_t \le \max(m_{t-1}, k_t)", cell, tmp_path) != "proved"
