"""One point of a prime field as a filter: whether two expressions have one value there, at every step up to T.

A candidate costs a few additions and products, since the point remembers the value of every part. What passes is not proved.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import cycle, islice, product
from math import cos, cosh, exp, isclose, log, prod, sin, sinh, sqrt, tanh
from types import MappingProxyType

import numpy as np

from symrnn.expr import SCALAR, Expr, Symbol, symbols, walk, zeros
from symrnn.prove.claim import Claim, Missing, Unsupported
from symrnn.prove.evaluate import Point
from symrnn.prove.exact import RETRIES, field_point, mask
from symrnn.prove.grid import default_sizes
from symrnn.prove.numbers import BadPoint
from symrnn.prove.primes import fingerprint
from symrnn.prove.rows import spread, union

LAST = 3
"""T at the point; a sum over time is computed in full for every candidate."""
PATTERN = 0x9E3779B97F4A7C15F39CC0605CEDC834
"""The values 0 and 1 of step at the point, bit by bit: a right formula may rest on step being one of the two."""

POINTS = (0.3125, -0.71875, 1.4375)
"""Real numbers at which formulas for a number are compared."""
REAL: Mapping[str, Callable[[float], float]] = MappingProxyType({
    "exp": exp, "tanh": tanh, "sigmoid": lambda x: 1 / (1 + exp(-x)), "log": log, "sqrt": sqrt, "sin": sin, "cos": cos, "sinh": sinh,
    "cosh": cosh, "recip": lambda x: 1 / x, "softplus": lambda x: log(1 + exp(x)),
})
"""The functions whose values are computed there."""
OPERATIONS: Mapping[str, Callable[[list[float]], float]] = MappingProxyType({"add": sum, "smul": prod})


def number(e: Expr, values: Mapping[Symbol, float]) -> float:
    """The value of a formula for a number. Raises KeyError for what is none.

    >>> from symrnn.expr import apply, symbol
    >>> x = symbol("x")
    >>> number(2 * apply("exp", x) + x**2, {x.attr: 0.0})
    2.0
    """
    if e.op == "num":
        return float(e.attr)
    if e.op == "sym":
        return values[e.attr]
    parts = [number(a, values) for a in e.args]
    if e.op == "apply":
        return REAL[e.attr](parts[0])
    return float(OPERATIONS[e.op](parts) if e.op != "pow" else parts[0] ** e.attr)


class Target:
    """The values of the left side of a claim at one point, to be met by candidates.

    Raises Unsupported when the left side has no value at any point that is tried.
    """

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.point, self.times = self._good()

    def _good(self) -> tuple[Point, list[dict[str, int]]]:
        """The first point at which the left side can be computed, and the steps at which it exists, the middle one first."""
        claim, seed = self.claim, fingerprint(self.claim)
        reason: Exception = Unsupported("the left side has no value")
        for number in range(RETRIES):
            point = field_point(claim, default_sizes(claim), LAST, number, pattern=PATTERN, seed=seed)
            try:
                times = [t for t in self._steps(point) if self._exists(point, t)]
            except BadPoint as error:
                reason = error
                continue
            if times:
                return point, times
        raise Unsupported(str(reason))

    def _steps(self, point: Point) -> Iterator[dict[str, int]]:
        """Every assignment of the letters of the claim, and of t in any case, the middle of the range first."""
        letters = sorted({"t", *point.free.letters(self.claim.left), *point.free.letters(self.claim.right)})
        order = sorted(range(1, LAST + 1), key=lambda k: (abs(2 * k - LAST - 1), k))
        last = LAST - 1 if self.claim.states("before-end") else LAST
        for row in product(order, repeat=len(letters)):
            times = dict(zip(letters, row, strict=True))
            if times["t"] <= last:
                yield times

    def _exists(self, point: Point, times: dict[str, int]) -> bool:
        try:
            point.table(self.claim.left, times)
        except Missing:
            return False
        return True

    def met(self, e: Expr, goal: Expr | None = None) -> bool:
        """Whether ``e`` has the shape and the value of the goal (the left side) at every step at which both exist."""
        goal = self.claim.left if goal is None else goal
        if e.fault is not None or e.shape != goal.shape:
            return False
        return self._met_in_field(e, goal) or self._met_in_reals(e, goal)

    def _met_in_reals(self, e: Expr, goal: Expr) -> bool:
        """Whether two formulas for a number are equal at a few real points: the field knows of no identity between two functions."""
        if goal.shape != SCALAR or not any(x.op == "apply" for x in walk(goal)):
            return False
        free = sorted({*symbols(e), *symbols(goal)}, key=str)
        if any(s.name in self.claim.model.definitions or s.kind in ("adjoint", "gradient") for s in free):
            return False
        try:
            return all(isclose(*(number(x, dict(zip(free, islice(cycle(POINTS), k, None), strict=False))) for x in (e, goal)), rel_tol=1e-9)
                       for k in range(len(POINTS)))
        except (ArithmeticError, KeyError, ValueError):
            return False

    def _met_in_field(self, e: Expr, goal: Expr) -> bool:
        compared = False
        for times in self.times:
            try:
                if not self._same(e, goal, times):
                    return False
                compared = True
            except Missing:
                continue
            except (Unsupported, BadPoint):
                return False
        return compared

    def is_zero(self, e: Expr) -> bool:
        """Whether a well-shaped expression is zero at every step at which it exists."""
        return e.shape is not None and self.met(e, zeros(e.shape))

    def _same(self, e: Expr, goal: Expr, times: dict[str, int]) -> bool:
        a, b = self.point.table(e, times), self.point.table(goal, times)
        axes = union([a, b])
        x, y = np.broadcast_arrays(spread(a, axes), spread(b, axes))
        wrong = self.point.system.different(x, y)
        allowed = mask(self.claim, axes, x.shape[:-2])
        if allowed is not None:
            wrong = wrong & allowed[..., None, None]
        return not bool(wrong.any())
