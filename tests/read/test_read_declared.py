"""Names, symbol tables, and the declarations that a text makes in its mathematics."""

from __future__ import annotations

import pytest

from symrnn.errors import DeclarationError
from symrnn.read.declarations import declarations
from symrnn.read.names import canonical_name, join_name, name_latex, split_name
from symrnn.read.pieces import name_of
from symrnn.read.reader import read
from symrnn.read.structure import Structure
from symrnn.read.symbols import Declared, SymbolTable
from symrnn.read.tokens import tokenize

NAMES = {
    r"\mathbf{W}_{hh}": "W_hh", r"\boldsymbol{W_{hh}}": "W_hh", "W_{hh}": "W_hh",
    r"{\mathbf{x}}_t": "x_t", r"\hat{\mathbf y}": "hat(y)",
    r"\widetilde{C}": "tilde(C)", r"\mathcal{L}": "L", r"\theta": "theta", r"W^{\mathrm{in}}": "W^in", r"W^{(hh)}": "W^(hh)",
    r"\delta_{z_t}": "delta_{z_t}", r"\overrightarrow{\mathbf{h}}": "fwd(h)", r"\htmlClass{a}{\mathbf{W}}^{in}": "W^in",
    r"\mathbb{R}": "bb(R)", r"b_{h,1}": "b_{h,1}", r"{\rm Loss}": "Loss", r"a^{\langle t \rangle}": "a^<t>",
}


@pytest.mark.parametrize(("latex", "name"), NAMES.items())
def test_a_name_has_one_normal_form(latex: str, name: str):
    assert canonical_name(latex) == name
    assert canonical_name(name) == name


@pytest.mark.parametrize("latex", [x for x in NAMES if "mathbb" not in x])
def test_structure_and_text_give_the_same_name(latex: str):
    assert name_of(Structure(tokenize(latex)).pieces()) == NAMES[latex]


@pytest.mark.parametrize("name", sorted(set(NAMES.values())))
def test_a_printed_name_has_the_same_normal_form(name: str):
    assert canonical_name(name_latex(name)) == name
    assert join_name(*split_name(name)) == name


def test_a_table_is_made_from_front_matter_and_back():
    data = {"time": "sup", "symbols": {"h_t": "vector n_h", r"\mathbf{W}_{hh}": "matrix n_h x n_h", r"\sigma": "function tanh",
                                       "s": "time", "i": {"kind": "index", "shape": "n_h"}, "L": "scalar, sequence"}}
    table = SymbolTable.from_mapping(data)
    assert table.time_letter == "s" and table.get("s").role == "time"
    assert SymbolTable.from_mapping(table.to_mapping()) == table
    assert table.get("sigma").role == "tanh" and table.lookup("softmax").kind == "vfunction" and "softmax" not in table


def test_a_sequence_is_declared_by_its_time_in_every_style():
    for name in ("h_t", "h^{(t)}", r"h^{\langle t \rangle}", "h(t)", "h[t]", "h^t"):
        assert Declared.parse(name, "vector n") == Declared("h", "vector", ("n",), sequence=True)


def test_an_inner_scope_rebinds_a_letter_and_leaves_the_outer_alone():
    outer = SymbolTable.from_mapping({"symbols": {"h": "vector n, sequence"}})
    inner = outer.rebound({"h": "function"}, time="sup")
    assert (inner.get("h").kind, inner.time, outer.get("h").kind, outer.time) == ("function", "sup", "vector", "sub")
    assert str(read("h(x)", inner).tree) == "(Call h x)"
    assert str(read("h_2", outer).tree) == "h{t=2}"


@pytest.mark.parametrize("data", [
    {"symbols": {"h": "vektor n"}}, {"symbols": {"h": "vector n m"}}, {"symbols": {"W": "matrix n m k"}},
    {"symbols": {"h": "vector n, often"}}, {"symbols": {"h": {"kind": "vector", "size": "n"}}}, {"time": "above"},
    {"symbols": ["h"]}, {"symbols": {"f": "function a b"}}, {"symbols": {"a": "scalar n"}},
])
def test_a_wrong_declaration_is_an_error_that_says_what_to_write(data: dict):
    with pytest.raises(DeclarationError) as caught:
        SymbolTable.from_mapping(data)
    assert caught.value.next_step


@pytest.mark.parametrize(("latex", "declared"), [
    (r"x_t \in \mathbb{R}^{n_x}", [Declared("x", "vector", ("n_x",), True)]),
    (r"W \in \mathbb{R}^{n_h \times n_h}", [Declared("W", "matrix", ("n_h", "n_h"))]),
    (r"W_{hh}, U_h \in \mathbb R^{h \times 2d}", [
        Declared("W_hh", "matrix", ("h", "2*d")), Declared("U_h", "matrix", ("h", "2*d"))]),
    (r"\eta \in \mathbb{R}, \quad y_t \in \{0, 1\}^K", [Declared("eta", "scalar"), Declared("y", "vector", ("K",), True)]),
    (r"\varphi: \mathbb{R} \to \mathbb{R}", [Declared("varphi", "function")]),
    (r"g \colon \mathbb{R}^n \to \mathbb{R}^m", [Declared("g", "vfunction")]),
    (r"i = 1, \dots, K", [Declared("i", "index", ("K",))]), (r"n \in \mathbb{N}", [Declared("n", "size")]),
    (r"h_0 = (0, \dots, 0) \in \mathbb{R}^p", []), (r"x_i \in \mathbb{R}", []), (r"h_t = x_t", []),
])
def test_declarations_in_the_mathematics_are_recognised(latex: str, declared: list[Declared]):
    assert list(declarations(read(latex, SymbolTable()).tree, SymbolTable())) == declared
