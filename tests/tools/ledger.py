"""Numbers of 50 digits that know the sum of the absolute values of their terms, and derivatives of one by all others, in reverse.

This is what rounding is measured by: a computed value may be so many units in the last place of that sum away. A model is run on
such numbers with a few lines for each operation, and differentiated number by number: no rule of the package for recurrences,
matrices or losses is used.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import mpmath
import numpy as np
from mpmath import mpf

from symrnn.expr import Expr, Symbol
from symrnn.expr.linear import value as value_of_size
from symrnn.model import Model

Slope = tuple["Num", Any, Any]
"""What a number was computed from, its derivative by that, and what of the size of the derivative comes of computing it."""


class Num:
    """A value, its ``size`` and its slopes. What was given and not computed is ``exact``; ``log`` is a better form of its logarithm."""

    __slots__ = ("exact", "log", "rate", "rate_size", "size", "slopes", "value")

    def __init__(self, value: Any, size: Any = None, slopes: tuple[Slope, ...] = (), log: Num | None = None) -> None:
        self.value, self.exact, self.slopes, self.log = value, size is None, slopes, log
        self.size = abs(value) if size is None else size
        self.rate, self.rate_size = mpf(0), mpf(0)

    @property
    def error(self) -> Any:
        """The part of the size that comes of computing."""
        return 0 if self.exact else self.size

    def __add__(self, other: Any) -> Num:
        other = number(other)
        return Num(self.value + other.value, self.size + other.size, ((self, 1, 0), (other, 1, 0)))

    def __mul__(self, other: Any) -> Num:
        other = number(other)
        size = self.error * abs(other.value) + abs(self.value) * other.error or abs(self.value * other.value)
        return Num(self.value * other.value, size, ((self, other.value, other.error), (other, self.value, self.error)))

    __radd__, __rmul__ = __add__, __mul__

    def by(self, f: Callable[[Any], tuple[Any, Any, Any, Any]]) -> Num:
        """A function of this number, which gives its value, its slope, the terms of that and its curvature."""
        v, slope, terms, curvature = f(self.value)
        return Num(v, abs(slope) * self.size + abs(v), ((self, slope, abs(terms) + abs(curvature) * self.error),))


def number(x: Any) -> Num:
    return x if isinstance(x, Num) else Num(mpmath.mpf(x.numerator) / x.denominator)


def plain(f: Callable[[Any], Any], slope: Callable[[Any], Any], curvature: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function whose slope is a single term."""
    return lambda u: (f(u), slope(u), slope(u), curvature(u))


def tanh(u: Any) -> tuple[Any, Any, Any, Any]:
    """The slope is computed from the value, and so has the rounding of the value in it."""
    v = mpmath.tanh(u)
    return v, 1 - v**2, 1 + 3 * v**2, 2 * v * (1 - v**2)


def sigmoid(u: Any) -> tuple[Any, Any, Any, Any]:
    v = 1 / (1 + mpmath.exp(-u))
    return v, v * (1 - v), v * (2 + abs(1 - 2 * v)), v * (1 - v)


FUNCTIONS: dict[str, Callable[[Any], tuple[Any, Any, Any, Any]]] = {
    "tanh": tanh, "sigmoid": sigmoid,
    "id": plain(lambda u: u, lambda _: 1, lambda _: 0),
    "exp": plain(mpmath.exp, mpmath.exp, mpmath.exp),
    "log": plain(mpmath.log, lambda u: 1 / u, lambda u: 1 / u**2),
    "recip": plain(lambda u: 1 / u, lambda u: -1 / u**2, lambda u: 2 / u**3),
    "sqrt": plain(mpmath.sqrt, lambda u: 1 / (2 * mpmath.sqrt(u)), lambda u: 1 / (4 * u * mpmath.sqrt(u))),
    "relu": plain(lambda u: u * (u > 0), lambda u: u > 0, lambda _: 0),
    "softplus": plain(lambda u: mpmath.log1p(mpmath.exp(u)), lambda u: 1 / (1 + mpmath.exp(-u)), lambda u: 1 / (2 + 2 * mpmath.cosh(u))),
}


def power(u: Num, n: int) -> Num:
    return u.by(plain(lambda v: v**n, lambda v: n * v**(n - 1), lambda v: n * (n - 1) * v**(n - 2) if n > 1 else mpf(0)))


def applied(name: str, u: Num) -> Num:
    return u.log if name == "log" and u.log is not None else u.by(FUNCTIONS[name])


def shares(u: Any) -> tuple[list[Any], list[Any], Any]:
    """The softmax of some numbers and the sizes of its entries, and the shift under which it is computed."""
    top = max(x.value for x in u)
    powers = [mpmath.exp(x.value - top) for x in u]
    p = [v / sum(powers) for v in powers]
    mean = sum(s * x.size for s, x in zip(p, u, strict=True))
    return p, [s * (1 + x.size + mean) for s, x in zip(p, u, strict=True)], top


def log_sum_exp(u: Any) -> Num:
    p, sizes, top = shares(u)
    value = top + mpmath.log(sum(mpmath.exp(x.value - top) for x in u))
    size = sum(s * x.size for s, x in zip(p, u, strict=True)) + abs(top) + 1
    return Num(value, size, tuple(zip(u, p, sizes, strict=True)))


def softmax(u: Any) -> list[Num]:
    """The entries; the logarithm of one is the logit less the log-sum-exp, as one writes it who knows of overflow."""
    p, sizes, _ = shares(u)
    common = log_sum_exp(u) * -1
    out = []
    for i, (v, size) in enumerate(zip(p, sizes, strict=True)):
        slopes = tuple((u[j], v * ((i == j) - p[j]), size * ((i == j) + p[j]) + v * sizes[j]) for j in range(len(u)))
        out.append(Num(v, size, slopes, u[i] + common))
    return out


class Ledger:
    """A model run for T steps on numbers: ``known`` are values (rows, columns) by name and step."""

    def __init__(self, model: Model, sizes: Mapping[str, int], T: int, known: dict[tuple[str, int | None], Any]) -> None:  # noqa: N803
        self.sizes, self.known, self.loss = sizes, known, Num(mpf(0), mpf(0))
        for t in range(1, T + 1):
            for e in model.equations:
                known[e.name, t] = self.value(e.right, t)
            self.loss = self.loss + known[model.loss, t][0, 0]
        self.differentiate()

    def value(self, e: Expr, t: int) -> Any:
        """The entries of an expression at a step."""
        rows, columns = (value_of_size(n, self.sizes) for n in e.shape)
        a = [self.value(x, t) for x in e.args]
        match e.op:
            case "sym":
                return self.given(e.attr, t)
            case "num":
                return np.array([[number(e.attr)]])
            case "ones" | "zeros" | "eye":
                make = {"ones": np.ones, "zeros": np.zeros, "eye": lambda shape, _: np.eye(*shape, dtype=int)}[e.op]
                return np.vectorize(number, otypes=[object])(make((rows, columns), int))
            case "size":
                return np.array([[number(value_of_size(e.attr, self.sizes))]])
            case "add":
                return sum(a[1:], a[0])
            case "smul" | "had":
                return a[0] * a[1]
            case "matmul":
                return a[0] @ a[1]
            case "transpose":
                return a[0].T
            case "pow":
                return np.vectorize(lambda u: power(u, e.attr), otypes=[object])(a[0])
            case "apply":
                return np.vectorize(lambda u: applied(e.attr, u), otypes=[object])(a[0])
            case "softmax":
                return np.array(softmax(a[0].ravel())).reshape(rows, columns)
            case "lse":
                return np.array([[log_sum_exp(a[0].ravel())]])
            case "sum":
                return np.array([[sum(a[0].ravel()[1:], a[0].ravel()[0])]])
            case "diag":
                return np.array([[u if r == c else number(0) for c in range(columns)] for r, u in enumerate(a[0].ravel())])
            case "cat":
                return np.concatenate(a)
            case "slice":
                return a[0][value_of_size(e.attr[0], self.sizes) - 1:value_of_size(e.attr[1], self.sizes)]
        raise NotImplementedError(e.op)

    def given(self, s: Symbol, t: int) -> Any:
        return self.known[s.name, None if s.time is None else t + s.time.offset]

    def differentiate(self) -> None:
        """Leave in every number the derivative of the loss by it, and the size of that."""
        order: list[Num] = []
        seen, stack = set(), [(self.loss, False)]
        while stack:
            x, done = stack.pop()
            if done:
                order.append(x)
            elif id(x) not in seen:
                seen.add(id(x))
                stack.append((x, True))
                stack.extend((u, False) for u, _, _ in x.slopes)
        self.loss.rate = self.loss.rate_size = mpf(1)
        for x in reversed(order):
            for u, slope, size in x.slopes:
                u.rate += slope * x.rate
                u.rate_size += abs(slope) * x.rate_size + size * abs(x.rate)


def entries(field: str, grid: Any) -> Any:
    """One field of many numbers."""
    return np.vectorize(lambda u: getattr(u, field), otypes=[object])(grid)
