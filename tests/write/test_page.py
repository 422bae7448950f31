"""Pages: long sums over several lines, escaping, and notation that is observed."""

from __future__ import annotations

import pytest

from symrnn.expr import add, symbol
from symrnn.read.symbols import SymbolTable
from symrnn.write.latex import latex
from symrnn.write.notation import Notation, declarations
from symrnn.write.page import Display, Heading, Listing, Paragraph, Table, document, equation, escaped, github, markdown, text

PAGE = [Heading("A & B", 1), Paragraph("From $h_t$ to 100%."), Display("a = b"), Listing(("first $x$", "second"), 3),
        Table(("symbol", "shape"), (("$h_t$", "n x 1"),))]


def test_a_long_sum_is_broken_before_its_terms_with_their_signs():
    parts = [symbol(f"a_{k}") for k in "bcdefg"]
    whole = add(*parts[:3], *(-p for p in parts[3:]))
    assert equation("x", whole, limit=9) == (
        "\\begin{aligned}\nx &= a_b + a_c + a_d \\\\\n  &\\quad - a_e - a_f - a_g\n\\end{aligned}")
    assert equation("x", whole) == "x = " + latex(whole)


def test_text_is_escaped_and_formulas_are_not():
    assert escaped("a_b $a_b$ & {c}") == r"a\_b $a_b$ \& \{c\}"
    assert github("a_b $a_b$ | *c*") == r"a\_b $`a_b`$ \| \*c\*"


def test_one_page_in_three_formats():
    assert text(PAGE) == (
        "A & B\n=====\n\nFrom $h_t$ to 100%.\n\n    a = b\n\n  3. first $x$\n  4. second\n\n"
        "  symbol  shape\n  ------  -----\n  $h_t$   n x 1\n")
    assert markdown(PAGE) == (
        "# A & B\n\nFrom $`h_t`$ to 100%.\n\n```math\na = b\n```\n\n"
        "3. first $`x`$\n4. second\n\n"
        "| symbol | shape |\n| --- | --- |\n| $`h_t`$ | n x 1 |\n")
    tex = document(PAGE)
    assert tex.startswith(r"\documentclass")
    assert all(part in tex for part in (r"\section*{A \& B}", r"100\%", r"\setcounter{enumi}{2}"))


@pytest.mark.parametrize(("samples", "transpose", "diag", "gradient", "last", "total"), [
    ([], r"\top", (r"\mathrm{diag}", "(", ")"), "fraction", "T", "L"),
    ([r"W^{\intercal} x", r"diag\left[ 1 - h^2 \right]", r"\sum_{t = 1}^\tau \nabla_{\boldsymbol{h}^{(t)}}\mathcal{L}"],
     r"\intercal", (r"\mathrm{diag}", "[", "]"), "nabla", r"\tau", "L"),
    ([r"W^T x + U^T y + V^\top z", r"\operatorname{Diag}(x)", r"\frac{\partial E}{\partial W}"],
     "T", (r"\mathrm{Diag}", "(", ")"), "fraction", "T", "E"),
])
def test_an_authors_choices_are_those_he_makes_most(samples, transpose, diag, gradient, last, total):
    found = Notation.observed(SymbolTable.from_mapping({"symbols": {"h": "vector n, sequence"}}), {}, samples)
    assert (found.transpose, found.diag, found.gradient, found.last, found.total) == (transpose, diag, gradient, last, total)


def test_names_and_functions_are_written_as_the_author_writes_them():
    table = SymbolTable.from_mapping({"time": "call", "time_letter": "n", "symbols": {
        "x": "vector N, sequence", "W^{in}": "matrix N K", "g": "function tanh"}})
    found = Notation.observed(table, {"W^in": r"\mathbf{W}^{\mathrm{in}}"})
    assert found.at("x", None) == "x" and found.function("tanh") == "g"
    assert found.written("W^in", None).sup and found.name("W^in") == r"\mathbf{W}^{\mathrm{in}}"


def test_declarations_read_back_to_the_shapes():
    h = symbol("h", ("n_h", 1)).attr
    assert SymbolTable.from_mapping({"symbols": declarations([h])}).get("h").shape == ("n_h",)
