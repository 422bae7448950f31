"""Pages: long sums over several lines, escaping, and notation that is observed."""

from __future__ import annotations

import pytest

from symrnn.expr import symbol
from symrnn.read.symbols import SymbolTable
from symrnn.write.notation import Notation, declarations
from symrnn.write.page import Display, Heading, Listing, Paragraph, Table, document, escaped, github, markdown, text

PAGE = [Heading("A & B", 1), Paragraph("From $h_t$ to 100%."), Display("a = b"), Listing(("first $x$", "second"), 3),
        Table(("symbol", "shape"), (("$h_t$", "n x 1"),))]


def test_a_long_display_is_broken_and_a_short_one_stays_as_it_is():
    sides = " + ".join(f"W_{{{k}}} x_{{{k}}}" for k in range(20))
    page = markdown([Display(f"y = {sides}"), Display("y = W x")])
    assert "\\begin{aligned}\ny &= W_{0} x_{0}" in page and " \\\\\n  &\\quad + W_{" in page
    assert page.endswith("```math\ny = W x\n```\n")


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
