"""A refuted formula beside its correction: what differs is marked, in both, and nothing else."""

from __future__ import annotations

import pytest

from symrnn.report.marks import compared, unmarked
from symrnn.write.pieces import latex, pieces


@pytest.mark.parametrize(("printed", "right", "marked"), [
    ("W x", r"W^\top x", ("W x", r"W^{\changed{\top}} x")),
    ("h_t W", "W h_t", (r"h_{t} \changed{W}", r"\changed{W} h_{t}")),
    ("a - b", "a + b", (r"a \mathbin{\changed{-}} b", r"a \mathbin{\changed{+}} b")),
    (r"\frac{a}{b}", r"\frac{a}{c}", (r"\frac{a}{\changed{b}}", r"\frac{a}{\changed{c}}")),
    ("x = y", "x = y + (a + b) c", ("x = y", r"x = y \mathbin{\changed{+}} \changed{(a + b) c}")),
    (r"\left( a \right) b c", "(a) b d", (r"\left( a \right) b \changed{c}", r"(a) b \changed{d}")),
    ("x_{i} y", "x_i y", ("x_{i} y", "x_{i} y")),
])
def test_what_differs_is_marked(printed, right, marked):
    assert compared(printed, right) == marked


def test_formulas_that_have_little_in_common_are_not_marked():
    assert compared("a + b", r"\sum_k \exp(c_k)") == ("a + b", r"\sum_k \exp(c_k)")


def test_a_formula_without_a_tree_stays_as_it_is():
    assert compared(r"\frac{a", "b") == (r"\frac{a", "b")


@pytest.mark.parametrize("source", [r"a \changed{b c} d", r"W^{\changed{\top}}", r"a \mathbin{\changed{-}} b", r"h_{\changed{t-1}}"])
def test_marks_are_read_back(source):
    assert latex(pieces(source)) == source


def test_a_formula_to_copy_has_no_marks_and_what_has_no_tree_stays():
    assert unmarked(r"W^{\changed{\top}} \mathbin{\changed{-}} \changed{x y}") == r"W^{\top} - x y"
    assert unmarked(r"\changed{x") == r"\changed{x"
