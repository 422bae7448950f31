r"""Odd formulas: nothing is given a meaning that a reader would not give it, unless a note says what was chosen."""
from __future__ import annotations

import pytest

from symrnn.expr import (
    FIRST,
    LAST,
    NOW,
    SCALAR,
    Expr,
    Index,
    Time,
    delta,
    entry,
    had,
    index_sum,
    lift,
    matmul,
    ones,
    smul,
    symbol,
    time_sum,
)
from symrnn.read.elaborate import Elaborator, Meaningless
from symrnn.read.reader import read
from symrnn.read.scope import Scope
from symrnn.read.symbols import SymbolTable

TABLE = SymbolTable.from_mapping({"time": "sub", "symbols": {
    "h": "vector n, sequence", "x": "vector m, sequence", "o": "vector q, sequence", "y": "vector q, sequence", "a": "vector n, sequence",
    "u": "scalar, sequence", "W": "matrix n n", "A": "matrix n n", "W_{hh}": "matrix n n", "W^{(hh)}": "matrix n n", "b": "vector n",
    "s": "vector n", "z": "vector q", r"\alpha": "scalar", r"\beta": "scalar", r"\sigma": "function sigmoid", r"\phi": "function",
    "g": "vfunction", "S": "vfunction softmax", "E": "scalar", r"\ell": "scalar, sequence", "i": "index", "j": "index", "c": "index n",
    "k": "index q", "n": "size", "m": "size", "q": "size", "N": "size", "T": "size", "t": "time"}})
SCOPE = Scope(TABLE, defined=frozenset({"h", "a", "o"}), targets=frozenset({"y"}), loss="ell", total="E")
h, a, b, s = (symbol(name, ("n", 1), kind, time) for name, kind, time in (
    ("h", "variable", NOW), ("a", "variable", NOW), ("b", "parameter", None), ("s", "parameter", None)))
W, x = symbol("W", ("n", "n"), "parameter"), symbol("x", ("m", 1), "input", NOW)
i, j = Index("i", "n"), Index("j", "n")


def meaning(text: str) -> tuple[Expr, set[str]]:
    """The expression and the codes of the notes, those of the reader among them."""
    reading = read(text, TABLE, second=False)
    assert reading.tree is not None, reading.unread
    E = Elaborator(SCOPE)
    return E(reading.tree), {c.code for c in E.choices} | {w.code for w in reading.warnings}


REFUSED = {
    # letters in the wrong place
    r"i h_t": "the letter i is used as a number", r"t h_t": "the time t is used as a number", r"h_t + t": "is used as a number",
    r"\sum_{t=1}^{T} t h_t": "is used as a number", r"\sum_{i=1}^{n} i b_i": "the letter i is used as a number",
    r"(W h_t)_t": "t is used as a component index", r"h_{t,t}": "t is used as a component index",
    r"S(o_t)_t": "t is used as a component index", r"h_{i,T}": "T is used as a component index",
    r"b_n": "n is used as a component index", r"\sum_{j \ne t} h_{t,j}": "t is used as a component index",
    r"\begin{cases} h_{t,i} & i = t \\ 0 & \text{otherwise} \end{cases}": "t is used as a component index",
    r"b_0": "counted from 1", r"h_{t,0}": "counted from 1", r"W_{0,1}": "counted from 1", r"h_{2t}": "a letter plus a whole number",
    r"h_{t-\tau}": "a letter plus a whole number", r"h_{1-t}": "a letter plus a whole number", r"h_\infty": "infty is no step",
    r"\frac{\partial h_t}{\partial h_k}": "a step?", r"\ell_{t,i}": "a component or layer of the loss", r"E_i": "component or layer",
    r"\alpha_i": "1 subscripts on something with 0 axes", r"W_i": "1 subscripts on something with 2 axes",
    # sums
    r"\sum_{i=1}^{m} b_i": "ends at m, but i runs over n", r"\sum_{i=1}^{T} b_i": "ends at the step T",
    r"\sum_{i=1}^{t} h_{t,i}": "ends at the step t", r"\sum_{i=1}^{W} b_i": "ends at the matrix W",
    r"\sum_{i=1}^{\alpha} b_i": "ends at the scalar alpha", r"\sum_{t=1}^{n} h_t": "n is no step", r"\sum_{t=1}^{N} \ell_t": "N is no step",
    r"\sum_{t=1}^{T_x} h_t": "T_x is no step", r"\sum_{t=1}^{\infty} h_t": "infty is no step", r"\sum_{t=T}^{1} h_t": "before it begins",
    r"\sum_{t=3}^{2} h_t": "before it begins", r"\sum_{t=1}^{t} h_t": "ends or begins at t", r"\sum_{t=1}^{2T} h_t": "whole number",
    r"\sum_{i=1}^{n} h_i x_i": "ends at the size n", r"\sum_{j=1}^{n} W_{ij} h_j": "a step and a component in one sum",
    r"\sum_{i} h_{i,i}": "a step and a component in one sum", r"\sum_{i=1}^{n} b": "without the index i",
    r"\sum_k o_t": "without the index k", r"\sum_i h_t": "occurs in no component", r"\sum b": "no letter",
    r"\sum_{i=2}^{n} b_i": "begin at 1",
    r"\sum_{i=1}^{3} b_i": "does not end at a size", r"\sum_{i \ne i} b_i": "a condition of i on itself",
    r"\sum_{i < j} b_i": "end at a size",
    r"\sum_{t \ne T} h_t": "a restricted sum over time", r"\sum_{i=1}^{n} b_{n-i}": "a letter or a number",
    # series
    r"b_1 + \cdots + b_m": "ends at m, but", r"b_1 + \dots + b_T": "ends at the step T", r"b_1 + b_3 + \dots + b_n": "before the dots",
    r"b_2 + b_3 + \dots + b_n": "before the dots", r"b_1 - b_2 + \dots - b_n": "before the dots", r"b_1 + b_2 + \dots": "ends in dots",
    r"b_1 s_1 + b_2 s_1 + \dots + b_n s_1": "before the dots", r"b_1 + \dots + b_n + \alpha": "the last term",
    # powers, divisions, transposes
    r"W^2": "the power of a matrix", r"W^{-2}": "the power of a matrix", r"(h_t h_t^\top)^2": "the power of a matrix",
    r"W^j": "a power must be", r"\alpha^{1/2}": "a power must be", r"\alpha^{T/2}": "a power must be", r"b_i^j": "a power must be",
    r"\frac{1}{W}": "a division by a matrix", r"\frac{E}{W}": "a division by a matrix", r"W_{ij}^\top": "the transpose of a component",
    r"W^\top_{ij}": "the transpose of a component", r"1^\top h_t": "a transposed number", r"h_t'": "no meaning",
    # products
    r"h_t \cdot a_t": "inner or the entrywise product", r"W * A": "between square matrices", r"W \times A": "between square matrices",
    r"\alpha \otimes h_t": "no column vector", r"h_t^\top \otimes x_t": "no column vector", r"b(1)": "a number right after a symbol",
    r"\nabla_W E(W)": "a factor or an argument", r"\sigma \circ \phi": "no meaning", r"\mathbf{1} + \alpha": "whose size nothing tells",
    # functions
    r"\tanh_i(a_t)": "a component of the function tanh", r"\sigma^{(1)}(a_t)": "a layer on the function", r"\sigma'": "no meaning",
    r"\sigma''(a_t)": "a second derivative", r"\sigma^{-1}(a_t)": "no plain function", r"S(o_{t,k})": "the softmax of a number",
    r"S'(o_t)": "the function S with 1 arguments", r"\phi(h_t, x_t)": "with 2 arguments", r"g(h_t)": "the size of the value of g",
    r"\log_0 h_t": "a logarithm to the base 0", r"\lVert W \rVert^2": "that of Frobenius", r"\lVert b \rVert_1^2": "Euclidean",
    # derivatives
    r"\frac{\partial E}{\partial W_t}": "at a step, of something not at that step", r"\frac{\partial h_t}{\partial W^\top}": "no symbol",
    r"\frac{\partial E}{\partial (W h_t)}": "no symbol", r"\frac{\partial h_t}{\partial t}": "as a number", r"\nabla E": "by what",
    r"\frac{\partial^2 E}{\partial b^2}": "higher order", r"\Delta W": "no update rule",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_has_no_clear_meaning_is_refused_with_a_reason(text: str):
    with pytest.raises(Meaningless, match=REFUSED[text]):
        meaning(text)


SUM_B = index_sum(i, entry(b, i))
CHOSEN = {
    r"b_i \sum_i b_i": (smul(entry(b, i), SUM_B), "index-reused"),
    r"\sum_i b_i \sum_i b_i": (index_sum(i, smul(entry(b, i), SUM_B)), "index-reused"),
    r"\sum_t \sum_t h_t": (time_sum("t", FIRST, LAST, time_sum("t", FIRST, LAST, h)), "index-reused"),
    r"\sum_{t=1}^{T} b": (time_sum("t", FIRST, LAST, b), "constant-summand"),
    r"\sum_{i=1}^{n} \alpha": (index_sum(i, symbol("alpha", SCALAR, "constant")), "constant-summand"),
    r"\sum_{i=1}^{N} b_i": (SUM_B, "bound"),
    r"\sum_t h_t": (time_sum("t", FIRST, LAST, h), "range-left-out"),
    r"\sum_i b_i + s_i": (SUM_B + entry(s, i), "sum-extent"),
    r"h_j": (symbol("h", ("n", 1), "variable", Time("j")), "step"),
    r"h": (h, "time-left-out"),
    r"h_c": (entry(h, Index("c", "n")), "time-left-out"),
    r"\ell": (symbol("loss", SCALAR, "variable", NOW), "time-left-out"),
    r"b_\alpha": (entry(b, Index("alpha", "n")), "index"),
    r"W_{12}": (entry(W, 1, 2), "two-digits"),
    r"h_t^2": (h**2, "entrywise"),
    r"h_t^0": (ones(("n", 1)), "entrywise"),
    r"\frac{b}{s}": (b / s, "entrywise"),
    r"W + 1": (W + 1, "entrywise"),
    r"h_t * a_t": (had(h, a), "product"),
    r"h_t \otimes x_t": (matmul(h, x.T), "product"),
    r"h_t^T": (h.T, "transpose-or-power"),
    r"\alpha^\top b": (smul(symbol("alpha", SCALAR, "constant"), b), "transposed-number"),
    r"W_t h_t": (matmul(W, h), "copy"),
}


@pytest.mark.parametrize("text", CHOSEN)
def test_a_choice_is_noted(text: str):
    expected, code = CHOSEN[text]
    found, notes = meaning(text)
    assert found is expected and code in notes


PLAIN = {
    r"\sum_{j=1}^{t} h_j": time_sum("j", FIRST, NOW, symbol("h", ("n", 1), "variable", Time("j"))),
    r"\sum_{j=t+1}^{T} h_j": time_sum("j", Time("t", 1), LAST, symbol("h", ("n", 1), "variable", Time("j"))),
    r"\sum_{j \ne i} W_{ij} b_j": index_sum(j, smul(lift(1) - delta(i, j), smul(entry(W, i, j), entry(b, j)))),
    r"\sum_i b_i + \sum_i s_i": SUM_B + index_sum(i, entry(s, i)),
    r"b_1 + b_2 + \dots + b_n": index_sum(Index("l", "n"), entry(b, Index("l", "n"))),
    r"(W^\top)_{ij}": entry(W.T, i, j),
    r"W^{(hh)} h_t": matmul(symbol("W^(hh)", ("n", "n"), "parameter"), h),
    r"W_{hh} h_T": matmul(symbol("W_hh", ("n", "n"), "parameter"), symbol("h", ("n", 1), "variable", LAST)),
}


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_clear_needs_no_note(text: str):
    found, notes = meaning(text)
    assert found is PLAIN[text] and notes == set()


def test_a_last_step_of_another_name_is_declared():
    scope = Scope(TABLE, loss="ell", total="E", steps=frozenset({"N"}))
    tree = read(r"\sum_{t=1}^{N} \ell_t", TABLE, second=False).tree
    assert Elaborator(scope)(tree) is time_sum("t", FIRST, LAST, symbol("loss", SCALAR, "variable", NOW))


@pytest.mark.parametrize("text", [r"h_t x_t", r"h_t W", r"b + b^\top", r"h_t + \alpha", r"\mathrm{softmax}(W)",
                                  r"h_t \odot a_t^\top", r"W h_{t-1} W h_t", r"\sum_k b_k"])
def test_shapes_that_do_not_fit_stay_faults(text: str):
    assert meaning(text)[0].fault is not None
