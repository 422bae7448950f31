"""Forward duals: the tangents of all variables along the entries of one symbol, carried through the equations step by step."""
from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from symrnn.expr import Expr, Symbol, apply
from symrnn.prove.claim import Missing, Unsupported
from symrnn.prove.rows import CURVE, LEAF, LINEAR, PRODUCT, Array, Axes, Val, add_up, spread, union

if TYPE_CHECKING:
    from symrnn.prove.evaluate import Point

Tangent = Val | None      # None: zero along every direction


def vector_name(e: Expr, by: int | None = None) -> str:
    """The oracle of an unspecified vector function, or of its Jacobian by one argument."""
    k = e.attr[2] if e.op == "vjac" else by
    return str(e.attr[0]) if k is None else f"{e.attr[0]} by {k}"


class Sweep:
    """The tangents along every entry of the symbol ``name``, at all of ``steps`` at once.

    ``slices[step]`` are the directions that perturb the symbol at this step, row by row. With ``immediate`` the variables of
    steps before the one in question are held fixed.
    """

    def __init__(self, point: Point, name: str, shape: tuple[int, int], steps: Iterable[int | None], immediate: bool) -> None:
        self.point, self.name, self.dims, self.immediate = point, name, shape, immediate
        n = shape[0] * shape[1]
        self.slices: dict[int | None, slice] = {step: slice(k * n, (k + 1) * n) for k, step in enumerate(steps)}
        self.size = n * len(self.slices)
        self._tangents: dict[tuple[Any, ...], Tangent] = {}
        self._seeds: dict[int | None, Val] = {}
        self._state: dict[tuple[str, int], Tangent] = {}
        self._missing: dict[tuple[str, int], Missing] = {}
        self._run = 0
        self._loss: Tangent = None

    def zero(self, shape: tuple[int, int]) -> Val:
        """The zero tangent of a matrix."""
        return Val((), self.point.system.full((self.size, *shape), 0))

    def seed(self, name: str, step: int | None) -> Tangent:
        """The perturbation itself: the identity on the directions of this symbol at this step."""
        if name != self.name or step not in self.slices:
            return None
        if step not in self._seeds:
            a = self.zero(self.dims).a
            a.reshape(self.size, -1)[self.slices[step]] = self.point.identity(self.dims[0] * self.dims[1])
            self._seeds[step] = Val((), a)
        return self._seeds[step]

    def loss(self) -> Val:
        """The tangent of the loss summed over t = 1..T."""
        if self._loss is None:
            self.run(self.point.T)
            terms = [self.state(self.point.model.loss or "", t) for t in range(1, self.point.T + 1)]
            self._loss = self.total(terms) or self.zero((1, 1))
        return self._loss

    def run(self, last: int) -> None:
        """Carry the tangents through the equations up to a step."""
        self.point.run(last)
        for eq, t in self.point.remaining(self._run, last):
            try:
                self._state[eq.name, t] = self.total([self.tangent(eq.right, {"t": t}, t), self.seed(eq.name, t)])
            except Missing as reason:
                self._missing[eq.name, t] = reason
        self._run = max(self._run, self.point.T if self.point.model.backward else last)

    def state(self, name: str, step: int) -> Tangent:
        """The tangent of a variable at a step that was computed."""
        if (name, step) in self._missing:
            raise self._missing[name, step]
        return self._state[name, step]

    def total(self, terms: list[Tangent]) -> Tangent:
        kept = [d for d in terms if d is not None]
        return add_up(self.point, kept, 1) if len(kept) > 1 else kept[0] if kept else None

    # ------------------------------------------------------------------------------------------------------------- the rules
    def tangent(self, e: Expr, env: Mapping[str, int], at: int) -> Tangent:
        """The tangent of an expression; ``at`` is the step that counts as the present one for ``immediate``."""
        key = (e, at if self.immediate else None, *(env[x] for x in self.point.free.letters(e)))
        if key not in self._tangents:
            self._tangents[key] = self._tangent(e, env, at)
        return self._tangents[key]

    def _tangent(self, e: Expr, env: Mapping[str, int], at: int) -> Tangent:
        op = e.op
        if op == "sym":
            return self.symbol(e.attr, env, at)
        if op in LEAF:
            return None
        if op == "tsum":
            return self.total([self.tangent(e.args[0], inner, at) for inner in self.point.ranged(e, env)])
        if op in ("mpow", "inv"):
            return self.tangent(self.point.expanded(e, env), env, at)
        if op == "mexp" and self.point.rows(e) == 1:
            return self.tangent(apply("exp", e.args[0]), env, at)
        if op == "deriv":
            raise Unsupported("a derivative of a derivative")
        parts = self.point.window(e, env) if op == "window" else e.args
        ds = [self.tangent(a, env, at) for a in parts]
        if all(d is None for d in ds):
            return None
        if op == "add":
            return self.total(ds)
        if op in LINEAR:
            return LINEAR[op](self.point, e, [d or self.zero(self.shape(a)) for d, a in zip(ds, parts, strict=True)], 1)
        xs = [self.point.eval(a, env) for a in e.args]
        if op in PRODUCT:
            return self.product(PRODUCT[op], xs, ds)
        if op in CURVE:
            return self.curve(e, xs[0], self.point.eval(e, env), ds[0])
        if op == "vcall":
            return self.chain(e, xs, ds)
        raise Unsupported(f"the derivative of the operation {op}")

    def shape(self, e: Expr) -> tuple[int, int]:
        assert e.shape is not None
        return self.point.dims(e.shape)

    def symbol(self, s: Symbol, env: Mapping[str, int], at: int) -> Tangent:
        point = self.point
        step = None if s.time is None else point.step(s.time, env)
        if s.kind == "adjoint" and point.nothing_there(s.name, step):
            return None
        if s.kind in ("adjoint", "gradient"):
            raise Unsupported(f"the derivative of {s}, which is a derivative")
        if point.is_total(s):
            return self.loss()
        if point.vanishes(s, step):
            return None
        point.check_symbol(s, step)
        if step is None or not 1 <= step <= point.T or s.name not in point.model.definitions or (self.immediate and step < at):
            return self.seed(s.name, step)
        if (s.name, step) not in self._state and (s.name, step) not in self._missing:
            self.run(step)
        return self.state(s.name, step)

    def product(self, rule: Any, xs: list[Val], ds: list[Tangent]) -> Tangent:
        """The product rule for two arguments."""
        (x, y), (dx, dy) = xs, ds
        axes = union([x, y, *(d for d in ds if d is not None)])
        parts: list[Array] = []
        if dx is not None:
            parts.append(rule(spread(dx, axes, 1), spread(y, axes)))
        if dy is not None:
            parts.append(rule(spread(x, axes), spread(dy, axes, 1)))
        return Val(axes, self.point.system.reduce(parts[0] + parts[1] if len(parts) == 2 else parts[0]))

    def curve(self, e: Expr, x: Val, v: Val, d: Tangent) -> Tangent:
        """The chain rule for a nonlinear operation of one argument."""
        assert d is not None
        axes: Axes = union([x, v, d])
        rule = CURVE[e.op].tangent
        return Val(axes, self.point.system.reduce(rule(self.point, e, spread(x, axes), spread(v, axes), spread(d, axes, 1))))

    def chain(self, e: Expr, xs: list[Val], ds: list[Tangent]) -> Tangent:
        """The chain rule for an unspecified vector function: Jacobian times tangent, summed over the arguments."""
        terms: list[Tangent] = []
        for k, d in enumerate(ds):
            if d is not None:
                long = math.prod(self.shape(e.args[k]))              # a matrix is the long vector of its entries, row by row
                jacobian = self.point.vector(vector_name(e, k), xs, (self.shape(e)[0], long))
                column = Val(d.axes, d.a.reshape(*d.a.shape[:-2], long, 1))
                terms.append(self.product(np.matmul, [jacobian, xs[k]], [None, column]))
        return self.total(terms)
