"""Scalar functions as SymPy expressions, and the value of a SymPy expression to 50 digits with the rounding it could suffer.

Derivatives are SymPy's own: nothing here comes from the table of derivatives. An unspecified function is an opaque SymPy
function; where a number is needed it stands for one fixed sine wave with a frequency and phase of its own.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache
from hashlib import sha256
from math import prod
from typing import Any

import mpmath
import numpy as np
import sympy

from symrnn.naming import identifier

#: name in the table of elementwise functions -> its definition for SymPy.
SCALARS: dict[str, Callable[[sympy.Expr], sympy.Expr]] = {
    "id": lambda u: u,
    "tanh": sympy.tanh,
    "sigmoid": lambda u: 1 / (1 + sympy.exp(-u)),
    "relu": lambda u: sympy.Piecewise((u, u > 0), (0, True)),
    "step": lambda u: sympy.Piecewise((1, u > 0), (0, True)),
    "softplus": lambda u: sympy.log(1 + sympy.exp(u)),
    "exp": sympy.exp,
    "log": sympy.log,
    "recip": lambda u: 1 / u,
    "sin": sympy.sin,
    "cos": sympy.cos,
    "sinh": sympy.sinh,
    "cosh": sympy.cosh,
    "sqrt": sympy.sqrt,
}


class Opaque(sympy.Function):  # type: ignore[misc]
    """A function of which nothing is known but its derivatives, which are opaque functions again."""

    label: str
    orders: tuple[int, ...]

    def fdiff(self, argindex: int = 1) -> sympy.Expr:
        """The derivative by one argument."""
        orders = tuple(n + (k == argindex - 1) for k, n in enumerate(self.orders))
        return opaque(self.label, orders)(*self.args)


@cache
def opaque(label: str, orders: tuple[int, ...]) -> type[Opaque]:
    """The derivative of the given orders of the unspecified function ``label``; its name is plain: ``f``, ``df``, ``d2f``.

    >>> u = sympy.Symbol("u")
    >>> opaque("f", (0,))(2 * u).diff(u)
    2*df(2*u)
    """
    prefix = "d" * (sum(orders) > 0) + (str(sum(orders)) if sum(orders) > 1 else "")
    tail = "_" + "_".join(map(str, orders)) if len(orders) > 1 else ""
    return type(prefix + identifier(label, "f") + tail, (Opaque,), {"label": label, "orders": orders, "nargs": len(orders)})


def scalar_function(name: str) -> Callable[[sympy.Expr], sympy.Expr]:
    """The SymPy form of an elementwise function; ``?f'`` is the first derivative of the unspecified ``f``."""
    if name.startswith("?"):
        label = name[1:].rstrip("'")
        return opaque(label, (len(name) - 1 - len(label),))
    return SCALARS[name]


# ------------------------------------------------------------------------------------------------------------------ numbers
ROUNDOFF = mpmath.mpf(2) ** -53


class OutsideDomain(ArithmeticError):
    """A value is infinite or not real at this point."""


Value = tuple[Any, Any]
"""A number of 50 digits and a bound on what rounding to 53 bits can do to it, to first order."""


def wave(label: str, count: int) -> tuple[list[Fraction], Fraction]:
    """The sine wave that an opaque function of ``count`` arguments stands for: frequencies w and phase c of sin(w.u + c)."""
    bits = sha256(label.encode()).digest()
    return [Fraction(20 + bits[k % 31] % 40, 32) for k in range(count)], Fraction(bits[31], 64)


def _wave(label: str, orders: tuple[int, ...], u: list[Any]) -> Any:
    """The number an opaque function stands for, differentiated."""
    weights, phase = wave(label, len(u))
    angle = mpmath.fsum([*(_number(w) * x for w, x in zip(weights, u, strict=True)), _number(phase)])
    out = mpmath.sin(angle + sum(orders) * mpmath.pi / 2)
    for w, n in zip(weights, orders, strict=True):
        out *= _number(w) ** n
    return out


def double_precision(function: type[Opaque]) -> Callable[..., Any]:
    """The same wave for NumPy arrays."""
    weights, phase = wave(function.label, len(function.orders))
    factor = prod(float(w) ** n for w, n in zip(weights, function.orders, strict=True))
    turn = sum(function.orders) % 4

    def value(*u: Any) -> Any:
        angle = sum(float(w) * x for w, x in zip(weights, u, strict=True)) + float(phase)
        return factor * (np.sin(angle), np.cos(angle), -np.sin(angle), -np.cos(angle))[turn]
    return value


_SLOPES: dict[str, tuple[Callable[[Any], Any], Callable[[Any, Any], Any]]] = {
    # the function, and |f'| from the argument and the value (for the rounding bound only)
    "tanh": (mpmath.tanh, lambda u, v: abs(1 - v * v)),
    "exp": (mpmath.exp, lambda u, v: abs(v)),
    "log": (mpmath.log, lambda u, v: abs(1 / u)),
    "sin": (mpmath.sin, lambda u, v: 1),
    "cos": (mpmath.cos, lambda u, v: 1),
    "sinh": (mpmath.sinh, lambda u, v: mpmath.cosh(u)),
    "cosh": (mpmath.cosh, lambda u, v: abs(mpmath.sinh(u))),
}


class Evaluator:
    """Values of SymPy expressions, each distinct node once.

    ``values`` are the numbers of the free symbols (exact: rationals with a power of two below, so that 53 bits hold them);
    ``definitions`` the expressions of the named ones. Raises KeyError for an unknown symbol, OutsideDomain off the domain and
    NotImplementedError for a function that has no row.
    """

    def __init__(self, values: Mapping[sympy.Symbol, Any], definitions: Mapping[sympy.Symbol, sympy.Expr] | None = None,
                 digits: int = 50) -> None:
        self.definitions = definitions or {}
        self.digits = digits
        with mpmath.workdps(digits):
            self.memo: dict[sympy.Basic, Value] = {s: (_number(v), mpmath.mpf(0)) for s, v in values.items()}

    def __call__(self, expression: sympy.Expr) -> Value:
        """The value and its rounding bound."""
        with mpmath.workdps(self.digits):
            stack = [sympy.sympify(expression)] if not isinstance(expression, sympy.Basic) else [expression]
            root = stack[0]
            while stack:
                e = stack[-1]
                if e in self.memo:
                    stack.pop()
                    continue
                needs = [x for x in self._needs(e) if x not in self.memo]
                if needs:
                    stack.extend(needs)
                    continue
                self.memo[e] = self._value(stack.pop())
            return self.memo[root]

    def _needs(self, e: sympy.Basic) -> tuple[sympy.Basic, ...]:
        if e.is_Symbol:
            return (self.definitions[e],)
        if isinstance(e, sympy.Piecewise):
            conditions = [c for _, c in e.args if c not in (sympy.true, sympy.false)]
            sides = tuple(x for c in conditions for x in c.args)
            chosen = self._branch(e) if all(x in self.memo for x in sides) else None
            return (*sides, *((chosen,) if chosen is not None else ()))
        return tuple(e.args)

    def _branch(self, e: sympy.Piecewise) -> sympy.Expr:
        for value, condition in e.args:
            if condition in (sympy.true, sympy.false):
                holds = condition == sympy.true
            else:
                left, right = (self.memo[x][0] for x in condition.args)
                holds = _COMPARE[type(condition)](left, right)
            if holds:
                return value
        raise OutsideDomain("no case of a definition by cases applies")

    def _value(self, e: sympy.Basic) -> Value:
        if e.is_Symbol:
            return self.memo[self.definitions[e]]
        if e.is_number and not e.args:
            v = _number(e)
            return v, ROUNDOFF * abs(v)
        if isinstance(e, sympy.Piecewise):
            return self.memo[self._branch(e)]
        parts = [self.memo[a] for a in e.args]
        v, error = self._operation(e, parts)
        if not mpmath.isfinite(v) or isinstance(v, mpmath.mpc):
            raise OutsideDomain(f"{type(e).__name__} has no finite real value here")
        return v, error

    def _operation(self, e: sympy.Basic, parts: list[Value]) -> Value:
        if e.is_Add:
            v = mpmath.fsum(x for x, _ in parts)
            return v, mpmath.fsum(d for _, d in parts) + len(parts) * ROUNDOFF * mpmath.fsum(abs(x) for x, _ in parts)
        if e.is_Mul:
            v, error = parts[0]
            for x, d in parts[1:]:
                v, error = v * x, abs(v) * d + error * abs(x)
            return v, error + len(parts) * ROUNDOFF * abs(v)
        if isinstance(e, sympy.Pow):
            (base, d), (exponent, _) = parts
            if base == 0 and exponent < 0:
                raise OutsideDomain("division by zero")
            v = base ** (int(exponent) if exponent == int(exponent) else exponent)
            return v, (abs(exponent * v / base) * d if base else d) + 4 * ROUNDOFF * abs(v)
        if isinstance(e, Opaque):
            arguments = [x for x, _ in parts]
            v = _wave(e.label, e.orders, arguments)
            return v, 2 * mpmath.fsum(d for _, d in parts) + 4 * ROUNDOFF
        row = _SLOPES.get(type(e).__name__)
        if row is None:
            raise NotImplementedError(type(e).__name__)
        (u, d), = parts
        if row[0] is mpmath.log and u <= 0:
            raise OutsideDomain("the logarithm of a number that is not positive")
        v = row[0](u)
        return v, row[1](u, v) * d + 4 * ROUNDOFF * abs(v)


_COMPARE: dict[type, Callable[[Any, Any], bool]] = {
    sympy.StrictGreaterThan: lambda a, b: a > b,
    sympy.GreaterThan: lambda a, b: a >= b,
    sympy.StrictLessThan: lambda a, b: a < b,
    sympy.LessThan: lambda a, b: a <= b,
}


def _number(v: Any) -> Any:
    if isinstance(v, sympy.Rational):
        return mpmath.mpf(v.p) / v.q
    if isinstance(v, sympy.Basic):
        if v is sympy.nan or v.is_finite is False:
            raise OutsideDomain(f"{v} is no number")
        return mpmath.mpf(v.evalf(mpmath.mp.dps + 5))
    return mpmath.mpf(v.numerator) / v.denominator if hasattr(v, "denominator") else mpmath.mpf(v)
