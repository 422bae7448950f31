"""A bound on how far one step can stretch a change of the state, for all inputs: a polynomial in norms of the parameters.

Each operation has a rule: the norm of a sum is at most the sum of the norms, a matrix product brings the norm of the matrix, a function
the greatest slope it has anywhere, an entrywise product the greatest entry of the other factor. Where a rule is missing, or a factor
has no greatest entry, there is no bound, and none is drawn.

>>> from symrnn.expr import apply
>>> from symrnn.model import Model, param, sequence
>>> h, x = sequence("h", "n"), sequence("x", "n", kind="input")
>>> step_slope(Model.build("unit", [(h, apply("sigmoid", param("W", "n", "n") @ h[-1] + x))]))
(Term(factor=Fraction(1, 4), norms=('W',)),)
"""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from symrnn.expr import Expr, numeric
from symrnn.model import Model

SLOPES: dict[str, int | Fraction] = {"id": 1, "tanh": 1, "sigmoid": Fraction(1, 4), "relu": 1, "step": 0, "softplus": 1, "sin": 1, "cos": 1}
"""Elementwise function -> its greatest slope, where it has one."""
RANGES = {"tanh": (-1, 1), "sigmoid": (0, 1), "step": (0, 1), "sin": (-1, 1), "cos": (-1, 1), "softmax": (0, 1)}
"""Function -> between which numbers its values lie, where they do."""


@dataclass(frozen=True, order=True)
class Term:
    """A number times norms of parameters."""

    factor: Fraction
    norms: tuple[str, ...] = ()

    def value(self, norms: Mapping[str, float]) -> float:
        out = float(self.factor)
        for name in self.norms:
            out *= norms[name]
        return out


Sum = tuple[Term, ...]


class Slopes:
    """The slopes of one model by the states of the step before, all taken together as one vector."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.known: dict[str, Sum | None] = {}

    def of(self, e: Expr) -> Sum | None:
        """A bound on the norm of the derivative; None where no rule gives one."""
        c, body = numeric(e)
        if c != 1 and e.op != "num":
            return times(abs(c), self.of(body))
        if e.op == "sym":
            return self.symbol(e)
        if e.op in ("num", "size", "steps", "ones", "zeros", "eye"):
            return ()
        inner = [self.of(a) for a in e.args]
        if all(x == () for x in inner):
            return ()
        if e.op in ("add", "cat"):
            return plus(inner)
        if e.op in ("slice", "transpose"):
            return inner[0]
        if e.op == "matmul":
            matrix = e.args[0].args[0] if e.args[0].op == "transpose" else e.args[0]
            return times(1, inner[1], matrix.attr.name) if matrix.op == "sym" and matrix.attr.kind == "parameter" else None
        if e.op == "apply":
            return times(SLOPES[e.attr], inner[0]) if e.attr in SLOPES else None
        if e.op == "softmax":
            return times(Fraction(1, 2), inner[0])
        if e.op == "had":
            (a, b), (slope_a, slope_b) = e.args, inner
            return plus([() if s == () else times(h, s) if (h := self.height(x)) is not None else None
                         for s, x in ((slope_a, b), (slope_b, a))])
        return None

    def symbol(self, e: Expr) -> Sum | None:
        s = e.attr
        if s.kind != "variable" or s.time is None:
            return ()
        if s.time.offset:
            return (Term(Fraction(1)),) if s.time.offset == -1 else None
        if s.name not in self.known:
            self.known[s.name] = self.of(self.model.definitions[s.name])
        return self.known[s.name]

    def height(self, e: Expr) -> Fraction | None:
        """The greatest size of an entry, for any inputs; None where there is none."""
        found = self.range(e)
        return None if found is None else max(abs(found[0]), abs(found[1]))

    def range(self, e: Expr) -> tuple[Fraction, Fraction] | None:
        """Numbers between which all entries lie, for any inputs."""
        c, body = numeric(e)
        if e.op == "num":
            return c, c
        if c != 1:
            ends = self.range(body)
            return ends and (min(c * x for x in ends), max(c * x for x in ends))
        if e.op == "ones":
            return Fraction(1), Fraction(1)
        if e.op == "softmax" or e.op == "apply" and e.attr in RANGES:
            low, high = RANGES[e.attr if e.op == "apply" else "softmax"]
            return Fraction(low), Fraction(high)
        if e.op == "sym" and e.attr.kind == "variable" and e.attr.time is not None and not e.attr.time.offset:
            return self.range(self.model.definitions[e.attr.name])
        parts = [self.range(a) for a in e.args] if e.op in ("add", "had") else [None]
        known = [p for p in parts if p is not None]
        if len(known) < len(parts):
            return None
        if e.op == "add":
            return sum((low for low, _ in known), Fraction(0)), sum((high for _, high in known), Fraction(0))
        products = [x * y for x in known[0] for y in known[1]]
        return min(products), max(products)


def plus(parts: list[Sum | None]) -> Sum | None:
    """The sum, terms of the same norms gathered; None if a part has none."""
    gathered: dict[tuple[str, ...], Fraction] = {}
    for part in parts:
        if part is None:
            return None
        for term in part:
            gathered[term.norms] = gathered.get(term.norms, Fraction(0)) + term.factor
    return tuple(Term(c, norms) for norms, c in gathered.items())


def times(factor: Fraction | int, part: Sum | None, norm: str = "") -> Sum | None:
    """A sum times a number and, if named, the norm of a parameter."""
    if part is None:
        return None
    return tuple(Term(t.factor * factor, tuple(sorted((*t.norms, *([norm] if norm else []))))) for t in part if factor)


def step_slope(model: Model) -> Sum | None:
    """A bound on the norm of the derivative of the states of a step by those of the step before; None where no rule gives one."""
    slopes = Slopes(model)
    return plus([slopes.symbol(model[s.name]) for s in model.states])
