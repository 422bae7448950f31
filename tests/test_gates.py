r"""Several variables in one equation: columns of gates, computed by columns of functions."""
from __future__ import annotations

from pathlib import Path

import pytest

from symrnn import api
from symrnn.compiling import compile_model
from symrnn.errors import ModelError
from symrnn.zoo import Source

SHAPES = r"""$x_t \in \mathbb{R}^{d}$, $h_t, c_t \in \mathbb{R}^{n}$.

"""
REST = r"""
$$ c_t = f_t \odot c_{t-1} + i_t \odot g_t $$

$$ h_t = o_t \odot \tanh(c_t) $$
"""
COLUMN = r"\begin{bmatrix} f_t \\ i_t \\ o_t \\ g_t \end{bmatrix}"
AFFINE = r"\left( W \begin{bmatrix} h_{t-1} \\ x_t \end{bmatrix} + b \right)"


def column(*names: str) -> str:
    return r"\begin{bmatrix} " + r" \\ ".join(names) + r" \end{bmatrix}"


def equations(*displays: str) -> list[str]:
    text = SHAPES + "\n\n".join(f"$$ {d} $$" for d in displays) + REST
    return [str(e) for e in compile_model(Source("m", None, text)).equations]


def verdicts(tmp_path: Path, *displays: str) -> list[str]:
    path = tmp_path / "a.md"
    path.write_text(SHAPES + "\n\n".join(f"$$ {d} $$" for d in displays[:-1]) + REST + f"\n$$ {displays[-1]} $$\n", encoding="utf-8")
    return [r.verdict.word for e in api.audit([path]).documents[0].equations for r in e.relations if r.verdict.word]


GATES = ["a[t] = W @ cat(h[t-1], x[t]) + b", "f[t] = sigmoid(a[t][1:n])", "i[t] = sigmoid(a[t][n+1:2*n])",
         "o[t] = sigmoid(a[t][2*n+1:3*n])", "g[t] = tanh(a[t][3*n+1:4*n])"]


def test_each_gate_takes_its_rows_of_one_product():
    found = equations(COLUMN + " = " + column(r"\sigma", r"\sigma", r"\sigma", r"\tanh") + AFFINE)
    assert found[:5] == GATES


def test_semicolons_in_brackets_are_columns_too():
    assert equations(r"[f_t; i_t; o_t; g_t] = [\sigma; \sigma; \sigma; \tanh] (W [h_{t-1}; x_t] + b)")[:5] == GATES


def test_one_function_may_be_taken_of_all_rows():
    found = equations(column("f_t", "i_t", "o_t") + r" = \sigma" + AFFINE, r"g_t = \tanh(W_g h_{t-1} + U_g x_t)")
    assert found[0] == GATES[0] and found[2:5] == GATES[1:4]


def test_a_vector_that_has_a_name_keeps_it():
    found = equations(r"p_t = W [h_{t-1}; x_t] + b", COLUMN + " = " + column(r"\sigma", r"\sigma", r"\sigma", r"\tanh") + "(p_t)")
    assert found[:2] == ["p[t] = W @ cat(h[t-1], x[t]) + b", "f[t] = sigmoid(p[t][1:n])"]


def test_a_letter_of_the_text_is_not_taken_for_the_vector():
    found = equations(r"a_t = \tanh(U x_t)", column("f_t", "i_t") + r" = \sigma(W [h_{t-1}; a_t])",
                      column("o_t", "g_t") + r" = \tanh(V [h_{t-1}; a_t])")
    assert found[1] == "u[t] = W @ cat(h[t-1], a[t])" and "q[t] = V @ cat(h[t-1], a[t])" in found


def test_two_columns_are_one_equation_for_each_row():
    gates = ("W_f x_t", "W_i x_t", "W_o x_t", "W_g x_t")
    found = equations(COLUMN + " = " + column(*(rf"\sigma({g})" for g in gates)))
    assert found[:4] == [f"{g}[t] = sigmoid(W_{g} @ x[t])" for g in "fiog"]


def test_a_column_that_defines_nothing_is_an_error_that_names_what_it_leaves_undefined():
    with pytest.raises(ModelError, match="f, i, o, g"):
        equations(COLUMN + r" = \mathrm{LSTM}(W, h_{t-1}, x_t)")


def test_what_depends_on_gates_that_were_not_understood_is_not_judged(tmp_path):
    claim = r"\frac{\partial c_t}{\partial c_{t-1}} = \mathrm{diag}(f_t)"
    assert verdicts(tmp_path, COLUMN + r" = \mathrm{LSTM}(W, h_{t-1}, x_t)", claim)[-1] == "undecided"


def test_derivatives_through_gates_of_a_column_are_proved_or_refuted(tmp_path):
    gates = COLUMN + " = " + column(r"\sigma", r"\sigma", r"\sigma", r"\tanh") + AFFINE
    assert verdicts(tmp_path, gates, r"\frac{\partial c_t}{\partial x_t} = 0") == ["refuted"]
    assert verdicts(tmp_path, gates, r"\frac{\partial h_t}{\partial o_t} = \mathrm{diag}(\tanh(c_t))") == ["proved"]
