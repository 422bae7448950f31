"""How each operation acts on arrays: the rows for values and for tangents that forward evaluation is made of.

A value is one matrix for every assignment of the component indices it depends on; a tangent has one leading axis more.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Protocol

import numpy as np

from symrnn.expr import Expr, Index, Shape, Symbol, Time, node
from symrnn.expr.functions import function
from symrnn.prove.claim import Missing, Unsupported
from symrnn.prove.grid import Sizes, index_order, size_value
from symrnn.prove.numbers import Array, System

Axes = tuple[Index, ...]


class Setting(Protocol):
    """What a rule needs to know: the number system and the sizes."""

    system: System
    sizes: Sizes
    T: int
    stated_past: set[object]

    def dims(self, shape: Shape) -> tuple[int, int]: ...

    def identity(self, n: int) -> Array: ...


@dataclass(frozen=True, slots=True)
class Val:
    """An array of shape (axes..., rows, columns): one matrix for each assignment of the component indices ``axes``.

    A tangent has one leading axis more: the directions.
    """

    axes: Axes
    a: Array


def spread(v: Val, axes: Axes, lead: int = 0) -> Array:
    """The array with an axis of length 1 for each index of ``axes`` that ``v`` does not have."""
    if v.axes == axes:
        return v.a
    dims = dict(zip(v.axes, v.a.shape[lead:], strict=False))
    return v.a.reshape(*v.a.shape[:lead], *(dims.get(i, 1) for i in axes), *v.a.shape[-2:])


def union(vals: Iterable[Val]) -> Axes:
    axes = {v.axes for v in vals}
    return axes.pop() if len(axes) == 1 else tuple(sorted({i for one in axes for i in one}, key=index_order))


def pick(v: Val, at: tuple[Index | int, Index | int], lead: int, sizes: Sizes) -> Val:
    """The component (rows, columns) of the last two axes; an index becomes an axis, or the diagonal of one that is there."""
    rows, columns = at
    axes = union([v, *(Val((i,), v.a) for i in (rows, columns) if isinstance(i, Index))])
    a = spread(v, axes, lead)
    n = len(axes)

    def grid(values: Array | list[int], axis: int) -> Array:
        return np.asarray(values).reshape([-1 if k == axis else 1 for k in range(max(n, 1))] if n else [1])

    def along(i: Index | int) -> Array:
        return grid(np.arange(size_value(i.size, sizes)), axes.index(i)) if isinstance(i, Index) else grid([i - 1], -1)

    grids = tuple(grid(np.arange(a.shape[lead + k]), k) for k in range(n))
    for i, length in ((rows, a.shape[-2]), (columns, a.shape[-1])):
        if (size_value(i.size, sizes) if isinstance(i, Index) else i) > length:
            raise Missing(f"the component {i} does not exist at these sizes")
    out = a[(slice(None),) * lead + grids + (along(rows), along(columns))]
    return Val(axes, out.reshape(*a.shape[:lead], *(out.shape[lead:] if n else ()), 1, 1))


# --------------------------------------------------------------------------------------------- rules: value and tangent by kind
# A *linear* rule serves values and tangents alike (``lead`` leading axes); a *product* rule is linear in each of two arguments.
Rule = Callable[[Setting, Expr, list[Val], int], Val]


def over(point: Setting, vals: list[Val], lead: int, join: Callable[[list[Array]], Array]) -> Val:
    axes = union(vals)
    return Val(axes, point.system.reduce(join([spread(v, axes, lead) for v in vals])))


def add_up(point: Setting, vals: list[Val], lead: int) -> Val:
    """The sum of a list that is not empty."""
    return over(point, vals, lead, lambda x: reduce(lambda p, q: p + q, x))


def _sum_index(point: Setting, e: Expr, a: list[Val], lead: int) -> Val:
    v, i = a[0], e.attr
    if i not in v.axes:
        return Val(v.axes, point.system.reduce(v.a * point.system.number(size_value(i.size, point.sizes))))
    at = v.axes.index(i)
    return Val(v.axes[:at] + v.axes[at + 1:], point.system.reduce(v.a.sum(lead + at)))


def _stack(point: Setting, e: Expr, a: list[Val], lead: int) -> Val:
    if not a:                                                       # a window of no steps
        return Val((), point.system.full((0, 1), 0))
    axes = union(a)
    arrays = [spread(v, axes, lead) for v in a]
    outer = np.broadcast_shapes(*(x.shape[:-2] for x in arrays))
    out = np.concatenate([np.broadcast_to(x, outer + x.shape[-2:]) for x in arrays], axis=-2)
    if out.shape[-2] != size_value(e.attr, point.sizes):
        raise Unsupported(f"the stack has {out.shape[-2]} rows and not {e.attr}")
    return Val(axes, out)


def _slice(point: Setting, e: Expr, a: list[Val], lead: int) -> Val:
    first, last, size = (size_value(s, point.sizes) for s in e.attr)
    if not 1 <= first <= last + 1 <= a[0].a.shape[-2] + 1 or last - first + 1 != size:
        raise Unsupported(f"the components {e.attr[0]}..{e.attr[1]} are not {e.attr[2]} components of this vector")
    return Val(a[0].axes, a[0].a[..., first - 1:last, :])


def window_parts(point: Setting, e: Expr, last: int, first: int) -> list[Expr]:
    """The values of a window that ends at the step ``last``, oldest first: symbols at their steps, 0 before the first step.

    ``first`` is the first step at which the sequence exists. Raises Missing when the window reaches before it and no condition
    says that the sequence is zero there.
    """
    s: Symbol = e.args[0].attr
    steps = range(last - size_value(e.attr, point.sizes) + 1, last + 1)
    if steps.start < first and s.name not in point.stated_past:
        raise Missing(f"{s.name} does not exist at step {steps.start} (it exists from {first} on)")
    zero = node("num", attr=Fraction(0))
    return [zero if n < 1 and s.name in point.stated_past else node("sym", attr=replace(s, time=Time("", n))) for n in steps]


def _entry(point: Setting, e: Expr, a: list[Val], lead: int) -> Val:
    rows, columns = (1 if i is None else i for i in e.attr)
    return pick(a[0], (rows, columns), lead, point.sizes)


def _diag(point: Setting, e: Expr, a: list[Val], lead: int) -> Val:
    return Val(a[0].axes, a[0].a * point.identity(a[0].a.shape[-2]))


LINEAR: dict[str, Rule] = {
    "add": lambda point, e, a, lead: add_up(point, a, lead),
    "transpose": lambda point, e, a, lead: Val(a[0].axes, np.swapaxes(a[0].a, -1, -2)),
    "sum": lambda point, e, a, lead: Val(a[0].axes, point.system.reduce(a[0].a.sum((-2, -1), keepdims=True))),
    "diag": _diag, "entry": _entry, "isum": _sum_index, "cat": _stack, "window": _stack,
    "slice": _slice,
}

PRODUCT: dict[str, Callable[[Array, Array], Array]] = {
    "smul": lambda x, y: x * y, "had": lambda x, y: x * y, "matmul": np.matmul,
}


def _delta(point: Setting, e: Expr) -> Val:
    eye = Val((), point.identity(max((size_value(i.size, point.sizes) if isinstance(i, Index) else i) for i in e.attr)))
    return pick(eye, e.attr, 0, point.sizes)


LEAF: dict[str, Callable[[Setting, Expr], Val]] = {
    "num": lambda point, e: Val((), point.system.full((1, 1), e.attr)),
    "size": lambda point, e: Val((), point.system.full((1, 1), size_value(e.attr, point.sizes))),
    "steps": lambda point, e: Val((), point.system.full((1, 1), point.T)),
    "ones": lambda point, e: Val((), point.system.full(point.dims(e.attr), 1)),
    "zeros": lambda point, e: Val((), point.system.full(point.dims(e.attr), 0)),
    "eye": lambda point, e: Val((), point.identity(size_value(e.attr, point.sizes))),
    "delta": _delta,
}


@dataclass(frozen=True)
class Curve:
    """A nonlinear operation: its value, and its tangent from the argument ``x``, the value ``v`` and the tangent ``d`` of x."""

    value: Callable[[Setting, Expr, Array], Array]
    tangent: Callable[[Setting, Expr, Array, Array, Array], Array]


def _power(point: Setting, u: Array, n: int) -> Array:
    if n < 0:
        return _power(point, point.system.apply("recip", u), -n)
    out = point.system.full(u.shape, 1)
    with np.errstate(over="ignore"):
        for bit in bin(n)[2:] if n else "":
            out = point.system.reduce(out * out)
            out = point.system.reduce(out * u) if bit == "1" else out
    return out


def _power_tangent(point: Setting, e: Expr, x: Array, v: Array, d: Array) -> Array:
    if e.attr == 0:
        return d * 0
    out: Array = point.system.reduce(_power(point, x, e.attr - 1) * point.system.number(e.attr)) * d
    return out


def _apply_tangent(point: Setting, e: Expr, x: Array, v: Array, d: Array) -> Array:
    slope = function(e.attr).derivative(x, v, lambda name, u: point.system.apply(name, point.system.reduce(u)))
    out: Array = point.system.reduce(slope) * d
    return out


def _softmax_tangent(point: Setting, e: Expr, x: Array, p: Array, d: Array) -> Array:
    q: Array = point.system.reduce(p * d)
    out: Array = q - p * point.system.reduce(q.sum(-2, keepdims=True))
    return out


CURVE: dict[str, Curve] = {
    "pow": Curve(lambda point, e, x: _power(point, x, e.attr), _power_tangent),
    "apply": Curve(lambda point, e, x: point.system.apply(e.attr, x), _apply_tangent),
    "softmax": Curve(lambda point, e, x: point.system.softmax(x), _softmax_tangent),
    "lse": Curve(lambda point, e, x: point.system.log_sum_exp(x),
                 lambda point, e, x, v, d: (point.system.softmax(x) * d).sum(-2, keepdims=True)),
}
