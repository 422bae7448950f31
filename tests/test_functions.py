"""Every row of the table of elementwise functions is proved: against SymPy, and numerically to 50 digits."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import mpmath
import pytest
import sympy

from symrnn.expr.functions import ROWS, TABLE, Function, function

MP = mpmath.ctx_mp.MPContext()
MP.dps = 50
REAL = ("-2.3", "-0.7", "-0.01", "0.4", "1", "3.2")
POSITIVE = ("0.01", "0.4", "1", "3.2")


@dataclass(frozen=True)
class Meaning:
    """What a name stands for, written twice: for SymPy and for mpmath."""

    symbolic: Callable[[Any], Any]
    numeric: Callable[[Any], Any]
    points: tuple[str, ...] = REAL


MEANING = {
    "id": Meaning(lambda u: u, lambda u: u),
    "tanh": Meaning(sympy.tanh, MP.tanh),
    "sigmoid": Meaning(lambda u: 1 / (1 + sympy.exp(-u)), lambda u: 1 / (1 + MP.exp(-u))),
    "relu": Meaning(lambda u: sympy.Piecewise((u, u > 0), (0, True)), lambda u: max(u, MP.mpf(0))),
    "step": Meaning(lambda u: sympy.Piecewise((1, u > 0), (0, True)), lambda u: MP.mpf(u > 0)),
    "softplus": Meaning(lambda u: sympy.log(1 + sympy.exp(u)), lambda u: MP.log(1 + MP.exp(u))),
    "exp": Meaning(sympy.exp, MP.exp),
    "log": Meaning(sympy.log, MP.log, POSITIVE),
    "recip": Meaning(lambda u: 1 / u, lambda u: 1 / u),
    "sin": Meaning(sympy.sin, MP.sin),
    "cos": Meaning(sympy.cos, MP.cos),
    "sinh": Meaning(sympy.sinh, MP.sinh),
    "cosh": Meaning(sympy.cosh, MP.cosh),
    "sqrt": Meaning(sympy.sqrt, MP.sqrt, POSITIVE),
}

PARITY: dict[str | None, Callable[[Any], Any]] = {
    "odd": lambda v: -v, "even": lambda v: v, "complement": lambda v: 1 - v, "reciprocal": lambda v: 1 / v,
}


def vanishes(e: Any) -> bool:
    """Whether a SymPy expression of one variable is zero, decided by exponentials and cancelling."""
    return sympy.cancel(sympy.expand(sympy.sympify(e).rewrite(sympy.exp), power_exp=True)) == 0


def branches(row: Function) -> list[sympy.Symbol]:
    """The variable on which the derivative is claimed: the whole domain, or one side of a kink after the other."""
    plus, minus = sympy.Symbol("u", positive=True), sympy.Symbol("u", negative=True)
    if row.domain == "positive":
        return [plus]
    return [sympy.Symbol("u", real=True)] if row.smooth and row.domain == "reals" else [plus, minus]


def faults(row: Function) -> list[str]:
    """Everything in a row that is not so; empty for a true row."""
    meaning, wrong = MEANING[row.name], []
    f = meaning.symbolic
    for u in branches(row):
        slope = row.derivative(u, f(u), lambda name, x: MEANING[name].symbolic(x))
        if not vanishes(sympy.diff(f(u), u) - slope):
            wrong.append(f"derivative for {u.assumptions0}")
        if row.parity is not None and not vanishes(f(-u) - PARITY[row.parity](f(u))):
            wrong.append("parity")
        if row.idempotent and not vanishes(f(u) ** 2 - f(u)):
            wrong.append("idempotent")
    for text in meaning.points:
        x = MP.mpf(text)
        v = meaning.numeric(x)
        slope = row.derivative(x, v, lambda name, y: MEANING[name].numeric(y))
        if abs(MP.diff(meaning.numeric, x) - slope) > MP.mpf(10) ** -40 * (1 + abs(slope)):
            wrong.append(f"numerical derivative at {text}")
    if row.zero is not None and f(sympy.Integer(0)) != sympy.Rational(row.zero):
        wrong.append("value at zero")
    return wrong


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_row_is_true(row):
    assert faults(row) == []


def test_no_row_is_without_a_proof():
    assert set(MEANING) == set(TABLE) == {row.name for row in ROWS}
    assert len(TABLE) == len(ROWS), "two rows share a name"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_no_symmetry_and_no_value_at_zero_is_left_out(row):
    """A row that says None really has nothing to say, so that the witnesses know all they can."""
    u, f = sympy.Symbol("u", real=True), MEANING[row.name].symbolic
    if row.parity is None and row.domain == "reals" and row.smooth:
        assert not any(vanishes(f(-u) - rule(f(u))) for rule in PARITY.values())
    value = f(sympy.Integer(0)) if row.domain == "reals" else None
    assert (row.zero is not None) == (value is not None and value.is_rational is True)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_domain_is_the_domain(row):
    f = MEANING[row.name].symbolic
    at = {x: f(sympy.Integer(x)) for x in (-2, 0, 2)}
    real = {x for x, v in at.items() if v.is_real and v.is_finite}
    expected = {"reals": {-2, 0, 2}, "nonzero": {-2, 2}, "positive": {2}}[row.domain]
    assert real == expected or (row.name == "sqrt" and real == {0, 2}), "sqrt has a value at 0, but no derivative"


@pytest.mark.parametrize("row", [row for row in ROWS if not row.smooth], ids=lambda row: row.name)
def test_a_row_that_is_not_smooth_has_a_kink_or_a_jump_at_zero(row):
    f, tiny = MEANING[row.name].numeric, MP.mpf(10) ** -20
    right, left = (f(tiny) - f(MP.mpf(0))) / tiny, (f(MP.mpf(0)) - f(-tiny)) / tiny
    assert abs(right - left) > 0.5


@pytest.mark.parametrize(("name", "change"), [
    ("tanh", {"derivative": lambda u, v, fn: 1 - v}),
    ("tanh", {"derivative": lambda u, v, fn: 1 + v * v}),
    ("sigmoid", {"parity": "odd"}),
    ("sigmoid", {"zero": "0"}),
    ("recip", {"derivative": lambda u, v, fn: v * v}),
    ("relu", {"derivative": lambda u, v, fn: fn("step", -u)}),
    ("sqrt", {"derivative": lambda u, v, fn: fn("recip", v)}),
    ("cos", {"derivative": lambda u, v, fn: fn("sin", u)}),
])
def test_a_corrupted_row_is_caught(name, change):
    assert faults(replace(TABLE[name], **change)) != []


def test_an_unspecified_function_has_derivatives_of_every_order_and_nothing_else():
    row = function("?f'")
    assert row.derivative(None, None, lambda name, u: name) == "?f''"
    assert (row.parity, row.zero, row.idempotent) == (None, None, False)


def test_a_name_outside_the_table_is_an_error():
    with pytest.raises(KeyError, match="no row for the function 'erf'"):
        function("erf")
