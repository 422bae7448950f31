"""Random expressions: the normal form has the value of the expression, at every size, and so has all arithmetic of forms."""
from __future__ import annotations

import itertools
import os
from dataclasses import replace

import pytest
from expressions import SIZES, Scope, expressions, shapes
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from loops import World, evaluate, far, form_table, form_value, mp, mpf

from symrnn.expr import SCALAR, Expr, Symbol, Time, symbols
from symrnn.prove.algebra import Algebra
from symrnn.prove.claim import Unsupported
from symrnn.prove.forms import Form
from symrnn.prove.lower import Lowering

EXACT = mpf(10) ** -22
HUGE = mpf(10) ** 9

MORE = int(os.environ.get("SYMRNN_FUZZ", "1"))
"""How many times the usual number of examples to try; above 1 they are other ones on every run."""


def fuzz(examples: int):
    return settings(max_examples=examples * MORE, deadline=None, derandomize=MORE == 1, database=None,
                    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large])


@st.composite
def worlds(draw) -> World:
    """Sizes 1, 2, 3 with equal ones among them, T from 1, and a step t in 1..T."""
    sizes = {n: draw(st.integers(1, 3)) for n in SIZES if isinstance(n, str)}
    last = draw(st.integers(1, 3))
    return World(sizes, draw(st.integers(1, last)), last, draw(st.integers(0, 5)),
                 {i: draw(st.integers(0, sizes[n] - 1)) for i, n in (("i", "n"), ("j", "n"), ("o", "m"))} | {"z": 0})


def lowered(e: Expr, algebra: Algebra | None = None) -> Form:
    try:
        return Lowering(algebra or Algebra())(e)
    except Unsupported:
        assume(False)
        raise


def value(w: World, e: Expr):
    """The value of an expression where it is defined and of moderate size."""
    try:
        out = evaluate(w, e)
    except (ZeroDivisionError, ValueError, OverflowError):
        assume(False)
        raise
    assume(all(mp.isfinite(x) and abs(x) < HUGE for row in out for x in row))
    return out


@fuzz(250)
@given(st.data(), shapes(), worlds())
def test_the_normal_form_of_an_expression_has_its_value(data, shape, w):
    e = data.draw(expressions(shape, data.draw(st.integers(1, 4))))
    f = lowered(e)
    assert far(value(w, e), form_table(w, f, shape)) < EXACT
