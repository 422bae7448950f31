"""How often exact evaluation can be fooled: degrees and heights carried through the same program as the values.

Over random points a value is a rational function of the draws and of the oracles' values. :class:`Degrees` bounds, for every
expression and step, the degrees and the coefficients of its numerator and denominator, and counts the oracle calls.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING

from symrnn.expr import Expr, Symbol, apply
from symrnn.expr.functions import function
from symrnn.prove.claim import Unsupported
from symrnn.prove.grid import size_value
from symrnn.prove.numbers import CLOSED
from symrnn.prove.primes import BITS

if TYPE_CHECKING:
    from symrnn.prove.evaluate import Point

Seed = tuple[str, int | None, bool]


@dataclass(frozen=True)
class Degree:
    """Bounds on a fraction: degrees of top and bottom, and the logarithms (base 2) of the sums of their coefficients.

    >>> Degree(1) * Degree(2, 1) + 1
    Degree(top=3, bottom=1, tall=1.0, deep=0.0)
    """

    top: int = 0
    bottom: int = 0
    tall: float = 0.0
    deep: float = 0.0

    def __add__(self, other: Degree | int) -> Degree:
        b = other if isinstance(other, Degree) else number(other)
        return Degree(max(self.top + b.bottom, b.top + self.bottom), self.bottom + b.bottom,
                      max(self.tall + b.deep, b.tall + self.deep) + 1, self.deep + b.deep)

    __radd__ = __add__

    def __sub__(self, other: Degree | int) -> Degree:
        return self + other

    __rsub__ = __radd__

    def __neg__(self) -> Degree:
        return self

    def __mul__(self, other: Degree | int) -> Degree:
        b = other if isinstance(other, Degree) else number(other)
        return Degree(self.top + b.top, self.bottom + b.bottom, self.tall + b.tall, self.deep + b.deep)

    __rmul__ = __mul__

    def inverse(self) -> Degree:
        return Degree(self.bottom, self.top, self.deep, self.tall)

    def times(self, n: int) -> Degree:
        """The sum of ``n`` fractions like this one."""
        m = max(n, 1)
        return Degree(self.top + (m - 1) * self.bottom, m * self.bottom, self.tall + (m - 1) * self.deep + log2(m), m * self.deep)

    def power(self, n: int) -> Degree:
        base = self if n >= 0 else self.inverse()
        return Degree(*(abs(n) * x for x in (base.top, base.bottom)), *(abs(n) * x for x in (base.tall, base.deep)))

    def join(self, other: Degree) -> Degree:
        """A bound for either."""
        return Degree(max(self.top, other.top), max(self.bottom, other.bottom),
                      max(self.tall, other.tall), max(self.deep, other.deep))


def number(q: object) -> Degree:
    """A rational number."""
    top, bottom = abs(getattr(q, "numerator", 1)), getattr(q, "denominator", 1)
    return Degree(0, 0, log2(top) if top else 0.0, log2(bottom))


FRESH = Degree(1)
Maybe = Degree | None       # None: a tangent that is zero


class Degrees:
    """Bounds for one model at finite sizes and T; the methods follow :class:`symrnn.prove.evaluate.Point`."""

    def __init__(self, point: Point) -> None:
        self.point = point
        self.calls, self.argument = 0, Degree()
        self.logs, self.exps = FRESH, FRESH.join(FRESH.inverse())       # what log and exp may return, by the table of the field
        self._known: dict[tuple[object, ...], Maybe] = {}
        for eq, t in point.remaining(0, point.T):
            self.value(eq.right, {"t": t})

    # -------------------------------------------------------------------------------------------------------------- functions
    def call(self, name: str, u: Degree, count: int) -> Degree:
        """An elementwise function at ``count`` arguments."""
        if name == "id":
            return u
        if name == "recip":
            return u.inverse()
        self.calls += count
        self.argument = self.argument.join(u)
        if name == "log":
            self.exps = self.exps.join(u).join(u.inverse())
            return self.logs
        if name in ("exp", "tanh", "sigmoid", "softplus", "sinh", "cosh"):
            self.logs = self.logs.join(u)
            e = self.exps
            if name == "exp":
                return e
            if name in ("sigmoid", "softplus"):
                log = self.call("log", 1 + e, count)
                self.logs = self.logs.join(u + log)
                return log if name == "softplus" else e * (1 + e).inverse()
            return (e * e + 1) * (e * e + 1 if name == "tanh" else e * 2).inverse()
        closed = CLOSED.get(name)
        value = Degree(closed.top, closed.bottom, 2, 2) if closed else FRESH
        return u * value if name == "relu" else value

    def softmax(self, u: Degree, n: int) -> Degree:
        e = self.call("exp", u, n)
        self.logs = self.logs.join(u + self.call("log", e.times(n), 1))
        return e * e.times(n).inverse()

    # ----------------------------------------------------------------------------------------------------------------- values
    def value(self, e: Expr, env: Mapping[str, int]) -> Degree:
        key = ("value", e, *(env[x] for x in self.point.free.letters(e)))
        if key not in self._known:
            self._known[key] = self._value(e, env)
        return self._known[key] or Degree()

    def count(self, e: Expr) -> int:
        """How many components a value has, over all assignments of its component indices."""
        n = 1
        for size in (*(e.shape or ()), *(i.size for i in self.point.free.indices(e))):
            n *= size_value(size, self.point.sizes)
        return n

    def rows(self, e: Expr) -> int:
        assert e.shape is not None
        return size_value(e.shape[0], self.point.sizes)

    def _value(self, e: Expr, env: Mapping[str, int]) -> Degree:
        op, point = e.op, self.point
        if op == "sym":
            return self.symbol(e.attr, env)
        if op == "num":
            return number(e.attr)
        if op == "size":
            return number(size_value(e.attr, point.sizes))
        if op == "steps":
            return number(point.T)
        if op in ("ones", "zeros", "eye", "delta"):
            return Degree()
        if op == "tsum":
            terms: list[Maybe] = [self.value(e.args[0], inner) for inner in point.ranged(e, env)]
            return self.total(terms) or Degree()
        if op in ("mpow", "inv"):
            return self.value(point.expanded(e, env), env)
        if op == "mexp" and point.rows(e) == 1:
            return self.value(apply("exp", e.args[0]), env)
        if op == "deriv":
            s, step, once, _ = point.target(e, env)
            return self.tangent(e.args[0], env, (s.name, step, once), point.moment(e.args[0], env)) or Degree()
        a: list[Degree] = [self.value(x, env) for x in (point.window(e, env) if op == "window" else e.args)]
        if op in ("vcall", "vjac", "mexp"):
            self.calls += self.count(e)
            for x in a:
                self.argument = self.argument.join(x)
            return FRESH
        if op == "pow":
            return a[0].power(e.attr)
        if op == "apply":
            return self.call(e.attr, a[0], self.count(e))
        if op == "softmax":
            return self.softmax(a[0], self.rows(e))
        if op == "lse":
            return self.call("log", self.call("exp", a[0], self.rows(e.args[0])).times(self.rows(e.args[0])), 1)
        return self.linear(e, list(a)) or Degree()

    def linear(self, e: Expr, a: list[Maybe]) -> Maybe:
        """Sums and products of bounds, as the operation makes them."""
        kept = [d for d in a if d is not None]
        if not kept:
            return None
        if e.op == "add":
            return self.total(kept)
        if e.op in ("smul", "had"):
            return kept[0] * kept[1]
        if e.op == "matmul":
            shape = e.args[0].shape
            assert shape is not None
            return (kept[0] * kept[1]).times(size_value(shape[1], self.point.sizes))
        if e.op == "sum":
            return kept[0].times(self.count(e.args[0]))
        if e.op == "isum":
            return kept[0].times(size_value(e.attr.size, self.point.sizes))
        if e.op in ("transpose", "diag", "entry", "slice"):
            return kept[0]
        if e.op in ("cat", "window"):
            out = kept[0]
            for d in kept[1:]:
                out = out.join(d)
            return out
        raise Unsupported(f"no bound for the operation {e.op}")

    @staticmethod
    def total(terms: Sequence[Maybe]) -> Maybe:
        kept = [d for d in terms if d is not None]
        if not kept:
            return None
        out = kept[0]
        for d in kept[1:]:
            out = out + d
        return out

    def symbol(self, s: Symbol, env: Mapping[str, int]) -> Degree:
        point, loss = self.point, self.point.model.loss or ""
        step = None if s.time is None else point.step(s.time, env)
        if s.kind in ("adjoint", "gradient"):
            parts = [self.variable(loss, k, (s.name, step, False)) for k in range(1, point.T + 1)]
            return self.total(parts) or Degree()
        if point.is_total(s):
            return self.total([self.value(point.model.definitions[loss], {"t": k}) for k in range(1, point.T + 1)]) or Degree()
        if step is not None and 1 <= step <= point.T and s.name in point.model.definitions:
            return self.value(point.model.definitions[s.name], {"t": step})
        return Degree(1, 0, log2(size_value(s.shape[0], point.sizes) + 1) if s.name in point.simplex else 0.0)

    # --------------------------------------------------------------------------------------------------------------- tangents
    def variable(self, name: str, step: int, seed: Seed) -> Maybe:
        """The tangent of a variable at a step along one symbol."""
        key = ("variable", name, step, seed)
        if key not in self._known:
            own = Degree() if (name, step) == seed[:2] else None
            before = seed[1] is not None and step < seed[1] and not self.point.model.backward
            flow = None if before else self.tangent(
                self.point.model.definitions[name], {"t": step}, seed, step)
            self._known[key] = self.total([flow, own])
        return self._known[key]

    def tangent(self, e: Expr, env: Mapping[str, int], seed: Seed, at: int) -> Maybe:
        key = ("tangent", e, seed, at if seed[2] else None, *(env[x] for x in self.point.free.letters(e)))
        if key not in self._known:
            self._known[key] = self._tangent(e, env, seed, at)
        return self._known[key]

    def _tangent(self, e: Expr, env: Mapping[str, int], seed: Seed, at: int) -> Maybe:
        op, point = e.op, self.point
        if op == "sym":
            s: Symbol = e.attr
            step = None if s.time is None else point.step(s.time, env)
            if point.is_total(s):
                loss = point.model.loss or ""
                return self.total([self.variable(loss, k, seed) for k in range(1, point.T + 1)])
            if step is not None and 1 <= step <= point.T and s.name in point.model.definitions and not (seed[2] and step < at):
                return self.variable(s.name, step, seed)
            return Degree() if (s.name, step) == seed[:2] else None
        if op == "tsum":
            return self.total([self.tangent(e.args[0], inner, seed, at) for inner in point.ranged(e, env)])
        if op in ("mpow", "inv"):
            return self.tangent(point.expanded(e, env), env, seed, at)
        if op == "mexp" and point.rows(e) == 1:
            return self.tangent(apply("exp", e.args[0]), env, seed, at)
        d = [self.tangent(a, env, seed, at) for a in (point.window(e, env) if op == "window" else e.args)]
        if all(x is None for x in d):
            return None
        if op in ("smul", "had", "matmul"):
            x, y = (self.value(a, env) for a in e.args)
            return self.total([None if dx is None else self.linear(e, [dx, y]) for dx, y in ((d[0], y), (d[1], x))])
        if op in ("pow", "apply", "softmax", "lse", "vcall"):
            return self.curved(e, [self.value(a, env) for a in e.args], self.value(e, env), d)
        return self.linear(e, d)

    def curved(self, e: Expr, x: list[Degree], v: Degree, d: list[Maybe]) -> Maybe:
        if e.op == "vcall":
            self.calls += self.count(e) * sum(self.count(a) for a in e.args)
            return self.total([(FRESH * k).times(self.count(a)) for k, a in zip(d, e.args, strict=True) if k is not None])
        k = d[0]
        assert k is not None
        if e.op == "pow":
            return x[0].power(e.attr - 1) * number(e.attr) * k
        if e.op == "apply":
            slope = function(e.attr).derivative(x[0], v, lambda name, u: self.call(name, u, self.count(e)))
            return slope * k  # type: ignore[no-any-return]
        p = v if e.op == "softmax" else self.softmax(x[0], self.rows(e.args[0]))
        inner = (p * k).times(self.rows(e.args[0]))
        return inner if e.op == "lse" else p * k + p * inner

    # ------------------------------------------------------------------------------------------------------------- the result
    def exponent(self, left: Degree, right: Degree) -> float:
        """k such that one random point shows a difference between two unequal values with probability 1 - 2^-k or better.

        Counted are the roots of the numerator of left - right, the poles, the pairs of oracle arguments that meet by accident
        (with either sign), and the primes that divide all coefficients.
        """
        gap = left + right
        meet = 2 * (self.calls + 1) ** 2 * 2 * (self.argument.top + self.argument.bottom + 1)
        heights = gap.tall + gap.deep
        roots = gap.top + gap.bottom + meet
        primes = 2 ** (BITS - 1) / (BITS * 2)           # a lower bound on the number of primes of this many bits
        return -log2(roots / 2 ** (BITS - 1) + (heights / (BITS - 1) + 1) / primes)
