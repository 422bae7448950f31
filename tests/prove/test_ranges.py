"""The table of ranges: each row is the least interval that holds every value, and what is claimed is held against it."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

from symrnn.prove.ranges import RANGES, Interval, components, elementwise, interval, single_component
from symrnn.scalars import SCALARS

u = sympy.Symbol("u", real=True)


def shown(end: Fraction | None, sign: int) -> sympy.Expr:
    return sign * sympy.oo if end is None else sympy.Rational(end.numerator, end.denominator)


@pytest.mark.parametrize("name", ["tanh", "sigmoid", "softplus"])
def test_a_smooth_function_of_the_table_rises_from_one_end_of_its_range_to_the_other(name):
    f, own = SCALARS[name](u), RANGES[name]
    slope = sympy.together(sympy.diff(f.rewrite(sympy.exp), u))
    assert all(slope.subs(u, x).evalf(40) > 0 for x in (-9, -1, 0, 1, 9)) and sympy.solveset(slope, u, sympy.S.Reals) == sympy.S.EmptySet
    assert sympy.limit(f, u, -sympy.oo) == shown(own.low, -1)
    assert sympy.limit(f, u, sympy.oo) == shown(own.high, 1)
    assert not own.left and not own.right, "the ends are limits that a rising function does not reach"


def test_relu_and_step_take_exactly_the_values_of_their_rows():
    relu, step = SCALARS["relu"], SCALARS["step"]
    assert [relu(sympy.Integer(x)) for x in (-3, 0, 2)] == [0, 0, 2] and str(RANGES["relu"]) == "[0, oo)"
    assert {step(sympy.Integer(x)) for x in (-3, 0, 2)} == {0, 1} and str(RANGES["step"]) == "[0, 1]"


@pytest.mark.parametrize(("name", "claimed", "word"), [
    ("tanh", "(-1, 1)", "proved"), ("tanh", "[-1, 1]", "proved"), ("tanh", "[-2, 5]", "proved"), ("tanh", r"(-\infty, 1)", "proved"),
    ("tanh", "[0, 1]", "refuted"), ("tanh", "(0, 1)", "refuted"), ("tanh", "[-0.5, 0.5]", "refuted"), ("tanh", "[-1, 0]", "refuted"),
    ("sigmoid", "(0, 1)", "proved"), ("sigmoid", "[0, 1]", "proved"), ("sigmoid", "[-1, 1]", "proved"),
    ("sigmoid", "(0, 0.5)", "refuted"), ("sigmoid", "[1, 2]", "refuted"),
    ("relu", r"[0, \infty)", "proved"), ("relu", r"(0, \infty)", "refuted"), ("relu", "[0, 1]", "refuted"),
    ("softplus", r"(0, \infty)", "proved"), ("softplus", r"(1, \infty)", "refuted"), ("step", "[0, 1]", "proved"),
    ("tanh", "[-0.99999999999999999999, 1]", "undecided"),
])
def test_a_range_that_holds_every_value_is_proved_and_one_that_a_value_leaves_is_refuted(name, claimed, word):
    verdict = elementwise(name, interval(claimed))
    assert verdict.word == word
    if word == "refuted":
        assert set(verdict.counterexample) == {"T", "sizes", "values", "left", "right"} and verdict.counterexample["values"]


def test_a_function_without_a_row_has_no_verdict():
    assert elementwise("sin", interval("[0, 1]")) is None


@pytest.mark.parametrize(("text", "value"), [
    ("[0, 1]", "[0, 1]"), ("]0,1[", "(0, 1)"), (r"\left( -1, 1 \right]", "(-1, 1]"), (r"[0,\,\infty)", "[0, oo)"), ("[−1, 1]", "[-1, 1]"),
    ("[0, 1", "None"), ("[a, 1]", "None"), ("(3, 2)", "None"), ("0, 1", "None"),
])
def test_an_interval_is_read_with_its_ends(text, value):
    assert str(interval(text)) == value


def test_an_end_without_bound_belongs_to_no_interval():
    assert interval(r"[0, \infty]") == Interval(Fraction(0), None, True, False)


def test_the_components_of_softmax_lie_below_one_only_if_there_are_two():
    assert components(interval("(0, 1)")).conditions == ("at least two components",)
    assert components(interval("(0, 1]")).conditions == ()
    assert components(interval("(0, 1)"), least=3).conditions == ("at least 3 components",)
    assert components(interval("(0, 1)"), least=1).word == "conditional"
    example = single_component("m", interval("(0, 1)")).counterexample
    assert (example["sizes"], example["left"], example["right"]) == ({"m": 1}, "1", "(0, 1)")
