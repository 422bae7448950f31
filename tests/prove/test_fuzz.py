"""Random expressions: the normal form has the value of the expression, at every size, and so has all arithmetic of forms."""
from __future__ import annotations

from dataclasses import replace

import pytest
from expressions import SIZES, Scope, expressions, shapes
from fuzzing import fuzz
from hypothesis import assume, given
from hypothesis import strategies as st
from loops import World, evaluate, far, form_table, form_value, mp, mpf

from symrnn.expr import SCALAR, Expr, Index, Symbol, Time, entry, index_sum, lift, matmul, ones, symbol, time_sum, total
from symrnn.model import Model
from symrnn.prove.algebra import Algebra
from symrnn.prove.claim import Claim, Unsupported
from symrnn.prove.forms import BOUND, Form
from symrnn.prove.identity import Prover
from symrnn.prove.lower import Lowering

EXACT = mpf(10) ** -22
HUGE = mpf(10) ** 9

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


@fuzz(120)
@given(st.data(), shapes(), worlds())
@pytest.mark.slow
def test_the_normal_form_of_an_expression_has_its_value(data, shape, w):
    e = data.draw(expressions(shape, data.draw(st.integers(1, 4))))
    f = lowered(e)
    assert far(value(w, e), form_table(w, f, shape)) < EXACT


FACTS = st.sampled_from(["x_n1", "x_m1", "h_n1", "A_11", "x_11"])


@fuzz(40)
@given(st.data(), worlds())
def test_facts_about_symbols_keep_the_value(data, w):
    zero, simplex = data.draw(st.frozensets(FACTS, max_size=2)), data.draw(st.frozensets(st.sampled_from(["x_n1", "h_m1"])))
    w = replace(w, zero=zero, simplex=simplex - zero)
    e = data.draw(expressions(SCALAR, data.draw(st.integers(2, 4))))
    f = lowered(e, Algebra(simplex - zero, lambda s: s.name in zero))
    assert far(value(w, e), form_table(w, f, SCALAR)) < EXACT


@fuzz(40)
@given(st.data(), worlds())
def test_the_sum_of_a_simplex_is_one_wherever_it_stands(data, w):
    y, z = (symbol(name, ("n", 1), "target", Time("t", -1)) for name in "yz")
    q = Index("q", "n")
    one = data.draw(st.sampled_from([total(y), index_sum(q, entry(y, q)), matmul(y.T, ones(("n", 1)))]))
    pool = (one, total(z), symbol("A", ("n", "n"), "parameter"), y, z)
    e = data.draw(expressions(SCALAR, 3, Scope(pool=pool)))
    f = lowered(e, Algebra({"y"}))
    w = replace(w, simplex=frozenset("y"))
    assert far(value(w, e), form_table(w, f, SCALAR)) < EXACT


# ----------------------------------------------------------------------------------------------------------------- derivatives
SMALL = mpf(10) ** -13


def moved(w: World, s: Symbol, r: int, c: int, amount) -> World:
    return replace(w, moved={(s.name, s.kind, None if s.time is None else w.step(s.time)): (r, c, amount)})


def marks(s: Symbol) -> list[str]:
    """Labels for the axes of a symbol that are not 1."""
    return [x for x, n in zip(("@dr", "@dc"), s.shape, strict=True) if n != 1]


def alone(w: World, s: Symbol, every) -> None:
    """No other symbol of the expression is the same quantity at the same step."""
    if s.time is not None:
        same = [u for u in every if (u.name, u.kind) == (s.name, s.kind) and u != s and u.time is not None]
        assume(not any(u.time.base not in ("", "t", "T") or w.step(u.time) == w.step(s.time) for u in same))


@fuzz(40)
@given(st.data(), shapes(), worlds())
@pytest.mark.slow
def test_the_derivative_of_a_form_is_that_of_central_differences(data, shape, w):
    algebra = Algebra()
    e = data.draw(expressions(shape, data.draw(st.integers(1, 4))))
    f = lowered(e, algebra)
    assume(f.symbols())
    s = data.draw(st.sampled_from(list(f.symbols())))
    assume(s.time is None or s.time.base != BOUND)
    alone(w, s, f.symbols())
    try:
        d = algebra.derivative(f, s, marks(s))
    except Unsupported:
        assume(False)
    r, c = (data.draw(st.integers(0, w.size(n) - 1)) for n in s.shape)
    up, down = (value(moved(w, s, r, c, x), e) for x in (SMALL, -SMALL))
    slope = [[(x - y) / (2 * SMALL) for x, y in zip(a, b, strict=True)] for a, b in zip(up, down, strict=True)]
    assume(all(abs(x) < 10**4 for row in [*slope, *value(w, e)] for x in row))
    assert far(slope, form_table(replace(w, indices={**w.indices, "dr": r, "dc": c}), d, shape)) < mpf(10) ** -12


@fuzz(30)
@given(st.data(), worlds())
def test_the_second_derivative_of_a_form_is_that_of_central_differences(data, w):
    algebra = Algebra()
    e = data.draw(expressions(SCALAR, data.draw(st.integers(1, 3)), Scope(sums=False, calls=False)))
    f = lowered(e, algebra)
    assume(f.symbols())
    s, u = (data.draw(st.sampled_from(list(f.symbols()))) for _ in range(2))
    alone(w, s, f.symbols())
    alone(w, u, f.symbols())
    first = algebra.derivative(f, s, marks(s))
    second = algebra.derivative(first, u, ["@er", "@ec"][:len(marks(u))])
    at = {x: data.draw(st.integers(0, w.size(n) - 1)) for x, n in zip(("dr", "dc"), s.shape, strict=True)}
    r, c = (data.draw(st.integers(0, w.size(n) - 1)) for n in u.shape)
    er, ec = (r, c) if u.shape[0] != 1 else (c, c)
    w = replace(w, indices={**w.indices, **at, "er": er, "ec": ec})
    try:
        up, down = (form_value(moved(w, u, r, c, x), first, {}) for x in (SMALL, -SMALL))
    except ZeroDivisionError:
        assume(False)
    assume(max(abs(up), abs(down)) < 10**4)
    slope = (up - down) / (2 * SMALL)
    assume(abs(slope) < 10**4)
    assert far([[slope]], [[form_value(w, second, {})]]) < mpf(10) ** -12


# --------------------------------------------------------------------------------------------- substitution, steps, labels, sums
@fuzz(40)
@given(st.data(), shapes(), worlds())
@pytest.mark.slow
def test_substitution_puts_the_value_in_the_place_of_the_symbol(data, shape, w):
    algebra = Algebra()
    e = data.draw(expressions(shape, data.draw(st.integers(1, 4)), Scope(divide=False)))
    f = lowered(e, algebra)
    pick = [s for s in f.symbols() if s.time is None or s.time.base != BOUND]
    assume(pick)
    chosen = data.draw(st.lists(st.sampled_from(pick), min_size=1, max_size=2, unique=True))
    bare = Scope(indices=(Index("z", 1),), sums=False)
    values = {s: data.draw(expressions(s.shape, 2, bare)) for s in chosen}
    try:
        g = algebra.substitute(f, {s: lowered(x, algebra) for s, x in values.items()})
    except Unsupported:
        assume(False)
    assert far(value(replace(w, defined=values), e), form_table(w, g, shape)) < EXACT


@fuzz(40)
@given(st.data(), shapes(), worlds())
@pytest.mark.slow
def test_moving_the_steps_of_a_form_moves_those_of_the_expression(data, shape, w):
    algebra = Algebra()
    e = data.draw(expressions(shape, data.draw(st.integers(1, 4))))
    f = lowered(e, algebra)
    k = data.draw(st.integers(1 - w.t, w.T - w.t))                  # a count of steps holds for t in 1..T
    later = algebra.retime(f, lambda x: x + k if x.base == "t" else x)
    assert far(value(replace(w, t=w.t + k), e), form_table(w, later, shape)) < EXACT
    fixed = algebra.retime(f, lambda x: Time("", {"t": w.t, "T": w.T}.get(x.base, 0) + x.offset) if x.base in ("t", "T") else x)
    assert {x.base for x in fixed.times()} <= {"", BOUND}
    assert far(value(w, e), form_table(w, fixed, shape)) < EXACT


@fuzz(30)
@given(st.data(), worlds())
def test_renamed_axes_swap_and_meet_as_labels_do(data, w):
    algebra = Algebra()
    f = lowered(data.draw(expressions(("n", "n"), 3, Scope(divide=False))), algebra)
    n = w.size("n")
    swapped = algebra.rename(f, ["c", "r"], f.labels)
    assert far(form_table(w, swapped, ("n", "n")), [list(row) for row in zip(*form_table(w, f, ("n", "n")), strict=True)]) < EXACT
    diagonal = algebra.rename(f, ["r", "r"], f.labels[:1])
    trace = algebra.contract([(f, ["r", "r"])], ())
    entries = [form_value(w, f, {"r": k, "c": k}) for k in range(n)]
    assert far([entries], [[form_value(w, diagonal, {"r": k}) for k in range(n)]]) < EXACT
    assert far([[sum(entries)]], [[form_value(w, trace, {})]]) < EXACT


@fuzz(30)
@given(st.data(), worlds())
def test_a_sum_over_an_index_is_the_sum_of_its_values(data, w):
    algebra = Algebra()
    f = lowered(data.draw(expressions(SCALAR, 3, Scope(divide=False))), algebra)
    summed = algebra.sum_over(f, "@i", "n")
    want = sum(form_value(replace(w, indices={**w.indices, "i": k}), f, {}) for k in range(w.size("n")))
    assert far([[want]], [[form_value(w, summed, {})]]) < EXACT


ENDS = [(Time("", lo), Time("T", hi)) for lo in (-1, 0, 1, 2, 3) for hi in (-2, -1, 0, 1)]


@fuzz(40)
@given(st.data(), st.sampled_from(ENDS), worlds())
@pytest.mark.slow
def test_sums_over_time_keep_their_value_when_ranges_are_changed_or_written_out(data, ends, w):
    p = Prover(Claim(lift(0), lift(0), Model.build("none", [])))
    body = data.draw(expressions(SCALAR, 2, Scope(letter="s", sums=False, divide=False)))
    f = lowered(time_sum("s", *ends, body) + data.draw(expressions(SCALAR, 1, Scope(divide=False))), p.algebra)
    want = form_value(w, f, {})
    for k in (0, 1, -1, None):
        g = p.ranged(f, k)
        assert far([[want]], [[form_value(w, g, {})]]) < EXACT, k
    assert far([[want]], [[form_value(w, p.written_out(f, w.T, w.t), {})]]) < EXACT
