r"""Tuples, slices and windows: what the reader makes of them, and what it refuses."""
from __future__ import annotations

import pytest

from symrnn.expr import NOW, SCALAR, Expr, Index, entry, index_sum, matmul, part, stack, symbol, window
from symrnn.read.elaborate import Elaborator, Meaningless
from symrnn.read.reader import read
from symrnn.read.scope import Scope
from symrnn.read.symbols import SymbolTable

TABLE = SymbolTable.from_mapping({"time": "sub", "symbols": {
    "x": "scalar, sequence", "y": "scalar, sequence", "h": "vector p, sequence", "z": "vector n_z, sequence", "W": "matrix n_z p",
    "a": "vector p", "b": "vector q", "p": "size", "q": "size", "n_z": "size", "T": "size", "t": "time"}})
x, y = symbol("x", SCALAR, "input", NOW), symbol("y", SCALAR, "input", NOW)
h, z = symbol("h", ("p", 1), "variable", NOW), symbol("z", ("n_z", 1), "input", NOW)
a = symbol("a", ("p", 1), "parameter")


def meaning(text: str) -> Expr:
    reading = read(text, TABLE)
    assert reading.tree is not None, reading.unread
    return Elaborator(Scope(TABLE, defined=frozenset({"h"})))(reading.tree)


@pytest.mark.parametrize(("text", "meant"), [
    (r"(h_{t-1}[2:p], x_t)", stack(part(h[-1], 2, "p"), x)),
    (r"[h_{t-1}[2:p]; x_t]", stack(part(h[-1], 2, "p"), x)),
    (r"\begin{bmatrix} h_{t-1} \\ z_t \end{bmatrix}", stack(h[-1], z)),
    (r"[h_{t-1}, z_t]", stack(h[-1], z)),
    (r"h_{t-1}[2:]", part(h[-1], 2, "p")),
    (r"h_{t-1}[:p-1]", part(h[-1], 1, "p-1")),
    (r"h_t[:]", part(h, 1, "p")),
    (r"z_t[2:3]", part(z, 2, 3)),
    (r"(y_t, x_t)", stack(y, x)),
])
def test_parts_stand_one_under_the_other(text, meant):
    assert meaning(text) is meant


def test_sizes_add_up_and_are_canonical():
    assert meaning(r"(h_{t-1}[2:p], x_t)").shape == ("p", 1)
    assert meaning(r"(z_t, h_t)").shape == meaning(r"(h_t, z_t)").shape == ("n_z+p", 1)
    assert meaning(r"(x_t, y_t, h_t)").shape == ("p+2", 1)


@pytest.mark.parametrize(("text", "meant"), [
    (r"(x_{t-p+1}, \ldots, x_{t-1}, x_t)", window(x, "p")),
    (r"(x_{t-p+1}, x_{t-p+2}, \ldots, x_t)", window(x, "p")),
    (r"[x_{t-p}, \dots, x_{t-1}]", window(x[-1], "p")),
    (r"(x_{t-p+2}, \ldots, x_{t})", window(x, "p-1")),
    (r"(x_{t-p-q+1}, \ldots, x_t)", window(x, "p+q")),
    (r"(x_{1-p}, \ldots, x_0)", window(symbol("x", SCALAR, "input", NOW.__class__("", 0)), "p")),
    (r"(x_{T-p+1}, \ldots, x_T)", window(symbol("x", SCALAR, "input", NOW.__class__("T", 0)), "p")),
    (r"(x_{t-4}, \ldots, x_{t-1}, x_t)", window(x, 5)),
    (r"(x_{t-2}, x_{t-1}, x_t)", window(x, 3)),
])
def test_one_sequence_at_consecutive_steps_is_a_window(text, meant):
    assert meaning(text) is meant


@pytest.mark.parametrize(("text", "reason"), [
    (r"(x_t, x_{t-1}, \ldots, x_{t-p+1})", "do not go up by one"),
    (r"(x_{t-p+1}, x_{t-p+3}, \ldots, x_t)", "do not go up by one"),
    (r"(x_{t-p+1}, \ldots, x_{t-2}, x_t)", "do not go up by one"),
    (r"(x_{t+p}, \ldots, x_t)", "do not go up by one"),
    (r"(x_{t-1}, x_t, \ldots, x_{t-1}, x_t)", "do not go up by one"),
    (r"(x_t, \ldots, x_{t+p})", "letter plus a whole number"),
    (r"(x_1, \ldots, x_t)", "different letters"),
    (r"(x_{t-p+1}, \ldots, y_t)", "not one sequence"),
    (r"(z_{t-p+1}, \ldots, z_t)", "no scalar sequence"),
    (r"(x_{t-p+1}, \ldots)", "between the first item and the last"),
    (r"(x_{t-p+1}, \ldots, x_{t-3}, \ldots, x_t)", "between the first item and the last"),
    (r"(x_{t-r+1}, \ldots, x_t)", "r in a time index is no size"),
    (r"x_{t-p+1}", "in a window"),
    (r"(W, h_t)", "no column vectors"),
    (r"W[2:p]", "no column vector"),
    (r"h_t[3:2]", "ends before it begins"),
    (r"h_t[2:r]", "r is no size"),
    (r"\begin{bmatrix} x_t & y_t \\ y_t & x_t \end{bmatrix}", "a matrix written out"),
])
def test_what_does_not_agree_is_refused_with_a_reason(text, reason):
    with pytest.raises(Meaningless, match=reason) as caught:
        meaning(text)
    assert caught.value.code == "SR303"


@pytest.mark.parametrize("text", [r"h_t[2:p+1]", r"h_t[0:p]"])
def test_a_slice_beyond_the_vector_has_no_shape(text):
    assert meaning(text).fault is not None


def test_a_time_with_a_size_and_an_index_is_a_component_of_a_window():
    i = Index("i", "p")
    assert meaning(r"\sum_{i=1}^{p} a_i x_{t-p+i}") is index_sum(i, entry(a, i) * entry(window(x, "p"), i))
    assert meaning(r"\sum_{i=1}^{p} x_{t-p+i-1}") is index_sum(i, entry(window(x[-1], "p"), i))


def test_an_index_over_another_size_is_no_component_of_the_window():
    with pytest.raises(Meaningless, match="does not run over p"):
        meaning(r"\sum_{i=1}^{q} b_i x_{t-p+i}")


def test_a_tuple_is_a_factor_like_any_vector():
    assert meaning(r"W (h_{t-1}[2:p], x_t)") is matmul(symbol("W", ("n_z", "p"), "parameter"), stack(part(h[-1], 2, "p"), x))
