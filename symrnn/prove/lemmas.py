"""Scalar identities in one real variable, decided exactly: both sides become rational functions of x, exp(x/k) and exp(i x/k).

These three are algebraically independent, so an identity holds where both sides are defined exactly if the difference of the
rational functions cancels. A difference with logarithms is decided by its derivative and its value at 0, where both sides are
defined for every x. ``simplify`` and ``equals`` are never called.
"""
from __future__ import annotations

from functools import reduce
from math import lcm

import mpmath
import sympy
from sympy.functions.elementary.hyperbolic import HyperbolicFunction
from sympy.functions.elementary.trigonometric import TrigonometricFunction

from symrnn.scalars import Evaluator, OutsideDomain

POINTS = tuple(sympy.Rational(n, 64) for n in (37, -53, 11, 181, -7, 118))
"""Where two sides that seem to differ are compared to 50 digits."""

E, CIRCLE = sympy.Symbol("E_", positive=True), sympy.Symbol("C_")


def scalar_lemma(left: sympy.Expr, right: sympy.Expr) -> bool | None:
    """Whether ``left = right`` for every real x where both are defined; None if neither can be said.

    >>> x = sympy.Symbol("x", real=True)
    >>> scalar_lemma(sympy.tanh(x), (1 - sympy.exp(-2 * x)) / (1 + sympy.exp(-2 * x)))
    True
    >>> scalar_lemma(sympy.tanh(x), 1 / (1 + sympy.exp(-x)))
    False
    >>> scalar_lemma(sympy.log(1 + sympy.exp(x)) - sympy.log(1 + sympy.exp(-x)), x)
    True
    """
    left, right = sympy.sympify(left, strict=True), sympy.sympify(right, strict=True)
    variables = left.free_symbols | right.free_symbols
    if len(variables) > 1:
        return None
    x = next(iter(variables), sympy.Symbol("x", real=True))
    difference = left - right
    if vanishes(difference, x) or _constant_zero(difference, x):
        return True
    return False if differ(left, right, x) else None


def with_exponentials(e: sympy.Expr) -> sympy.Expr:
    """``e`` with hyperbolic and trigonometric functions written with exponentials; powers stay powers."""
    return e.rewrite([HyperbolicFunction, TrigonometricFunction], sympy.exp)


def vanishes(e: sympy.Expr, x: sympy.Symbol) -> bool:
    """Whether ``e`` is zero as a rational function of x, exp(x/k) and exp(i x/k); False if it is none, or not zero."""
    algebraic = rational_form(e, x)
    return algebraic is not None and sympy.cancel(sympy.together(algebraic)) == 0


def rational_form(e: sympy.Expr, x: sympy.Symbol) -> sympy.Expr | None:
    """``e`` with exp(x/k) and exp(i x/k) as symbols; None if something else than rational functions of these remains."""
    e = with_exponentials(e)
    powers = sorted(e.atoms(sympy.exp), key=sympy.default_sort_key)
    rates: dict[sympy.Expr, tuple[sympy.Rational, bool]] = {}
    for p in powers:
        rate = sympy.expand(p.args[0]).coeff(x, 1)
        turning = sympy.I if rate.has(sympy.I) else sympy.S.One
        if sympy.expand(p.args[0] - rate * x) != 0 or not (rate / turning).is_Rational:
            return None
        rates[p] = (rate / turning, rate.has(sympy.I))
    k = reduce(lcm, (int(r.q) for r, _ in rates.values()), 1)
    e = e.xreplace({p: (CIRCLE if turns else E) ** (r * k) for p, (r, turns) in rates.items()})
    parts = sympy.fraction(sympy.together(e))
    return e if all(part.is_polynomial(x, E, CIRCLE) for part in parts) else None


def _constant_zero(e: sympy.Expr, x: sympy.Symbol) -> bool:
    """Whether e' = 0 and e(0) = 0, for an e that is defined and smooth for every real x."""
    if not e.has(sympy.log) or not all(_always_positive(u.args[0], x) for u in e.atoms(sympy.log)):
        return False
    outside = e.xreplace({u: sympy.Dummy(positive=True) for u in e.atoms(sympy.log)})
    if not outside.is_polynomial(*outside.free_symbols) or not vanishes(e.diff(x), x):
        return False
    return bool(sympy.expand_log(e.subs(x, 0), force=False) == 0)


def _always_positive(u: sympy.Expr, x: sympy.Symbol) -> bool:
    """Whether ``u`` is a quotient of polynomials in exp(x/k) with positive coefficients."""
    form = rational_form(u, x)
    if form is None or form.has(x) or form.has(CIRCLE):
        return False
    parts = sympy.fraction(sympy.together(form))
    return all(c.is_positive for part in parts for c in sympy.Poly(part, E).coeffs())


def differ(left: sympy.Expr, right: sympy.Expr, x: sympy.Symbol) -> bool:
    """Whether the two differ at one of the points, to 50 digits."""
    for value in POINTS:
        evaluate = Evaluator({x: value})
        try:
            a, b = (_value(evaluate, side) for side in (left, right))
        except (OutsideDomain, NotImplementedError, KeyError, OverflowError):     # the last: a value with too many digits
            continue
        if abs(a - b) > mpmath.mpf(10) ** -40 * (1 + abs(a)):
            return True
    return False


def _value(evaluate: Evaluator, side: sympy.Expr) -> mpmath.mpf:
    """The value of a side; one with functions that have no row is written with exponentials first."""
    try:
        return evaluate(side)[0]
    except NotImplementedError:
        return evaluate(with_exponentials(side))[0]
