"""Sizes solved by unification: unknown sizes are written ``?name`` and found from the equations.

Every operation and every equation says that two sizes are the same; the unknown one takes the value of the other. A conflict
between two known sizes is left in the expression as its fault.
"""
from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from symrnn.expr.linear import Linear, replaced
from symrnn.expr.sizes import Index, Shape, Size
from symrnn.expr.tree import Expr, Fault, Symbol, transform

Pairs = Iterable[tuple[Expr, Expr]]


SIGNED = re.compile(r"\^[*+-]")
"""A sign above a name."""


def unknown(size: Any) -> bool:
    """Whether a size is yet to be found; a sign above the name of a symbol, as in ``?W^*.1``, makes no sum of it.

    >>> unknown("?h"), unknown("?W^*.1"), unknown("2*?h"), unknown("?h+1"), unknown("n")
    (True, True, False, False, False)
    """
    return isinstance(size, str) and size.startswith("?") and not any(sign in SIGNED.sub("", size) for sign in "+-*")


def unify(pairs: Pairs) -> dict[str, Size]:
    """The values of the unknown sizes that make the two sides of each pair fit, as far as they can be known.

    >>> from symrnn.expr.tree import symbol
    >>> W, h, x = symbol("W", ("?1", "?2")), symbol("h", ("n_h", 1)), symbol("x", ("n_x", 1))
    >>> unify([(h, W @ x)])
    {'?2': 'n_x', '?1': 'n_h'}
    """
    rows = list(pairs)
    values: dict[str, Size] = {}
    changed = True
    while changed:
        changed = False
        for left, right in rows:
            for a, b in demands(left, right):
                a, b = values.get(a, a) if isinstance(a, str) else a, values.get(b, b) if isinstance(b, str) else b
                found = None if a == b else solved(a, b)
                if found is None:
                    continue
                old, new = found
                values = {key: new if value == old else value for key, value in values.items()} | {str(old): new}
                rows = [(resize(x, values), resize(y, values)) for x, y in rows]
                changed = True
                break
            if changed:
                break
    return values


def solved(a: Size, b: Size) -> tuple[Size, Size] | None:
    """The unknown size that makes two sizes equal, with its value; None where there is no single one.

    >>> solved("?x", "n"), solved("n_h+n_x", "?x+n_h"), solved("n", "m"), solved("?x+?y", "n")
    (('?x', 'n'), ('?x', 'n_x'), None, None)
    """
    if unknown(a) or unknown(b):
        return (a, b) if unknown(a) else (b, a)
    apart = Linear.of(a) - Linear.of(b)
    loose = [(name, k) for name, k in apart.terms if unknown(name)]
    if len(loose) != 1 or abs(loose[0][1]) != 1:
        return None
    name, k = loose[0]
    rest = apart - Linear(((name, k),))
    value = -rest if k > 0 else rest
    return (name, value.size) if value.least is not None and value.least > 0 else None


def demands(left: Expr, right: Expr) -> list[tuple[Size, Size]]:
    """The pairs of sizes that must be equal and are not."""
    for side in (left, right):
        if side.fault is not None:
            return _of_fault(side.fault)
    if left.shape is None or right.shape is None:
        return []
    return [(a, b) for a, b in zip(left.shape, right.shape, strict=True) if a != b]


def _of_fault(fault: Fault) -> list[tuple[Size, Size]]:
    op = fault.node[0] if fault.node else ""
    left, right = fault.left, fault.right
    if left is None:
        return []
    if op == "matmul" and right is not None:
        return [(left[1], right[0])]
    if op == "add":
        return _of_terms([term.shape for term in fault.node[1] if term.shape is not None])
    if op == "had" and right is not None:
        return [(a, b) for a, b in zip(left, right, strict=True) if a != b]
    if op == "entry" and right is not None:
        return [(left[0], right[0])]
    if op in ("mpow", "inv", "mexp"):
        return [(left[0], left[1])]
    if op in ("diag", "softmax", "lse"):
        return [(left[1], 1)]
    return []


def _of_terms(shapes: list[Shape]) -> list[tuple[Size, Size]]:
    """What a sum demands of its terms; a row may be added to every row of a matrix."""
    tall = next((shape for shape in shapes if 1 not in shape and not unknown(shape[0])), None)
    first = tall or shapes[0]
    rows = [(first[0], shape[0]) for shape in shapes if tall is None or shape[0] != 1]
    return [(a, b) for a, b in (*rows, *((first[1], shape[1]) for shape in shapes)) if a != b]


def own_shape(e: Expr) -> Shape | None:
    """The shape that an expression has by its own operations, also where they settle sizes that were unknown.

    >>> from symrnn.expr.tree import symbol
    >>> own_shape(symbol("W", ("?1", "?2")) @ symbol("h", ("n", 1)))
    ('?1', 1)
    """
    return e.shape if e.shape is not None else resize(e, unify([(e, e)])).shape


def may_be_matrix(e: Expr) -> bool:
    """Whether an expression has, or may have, more than one row and more than one column, as many of these as of those."""
    shape = own_shape(e)
    return shape is None or 1 not in shape and (shape[0] == shape[1] or any(map(unknown, shape)))


def resize(e: Expr, values: Mapping[str, Size]) -> Expr:
    """The expression with sizes replaced."""
    if not values:
        return e

    def size(s: Any) -> Any:
        return replaced(s, values)

    def shape(s: Shape) -> Shape:
        return (size(s[0]), size(s[1]))

    def index(i: Any) -> Any:
        return Index(i.name, size(i.size)) if isinstance(i, Index) else i

    def change(x: Expr) -> Expr | None:
        if x.op == "sym":
            s: Symbol = x.attr
            return Expr("sym", (), Symbol(s.name, shape(s.shape), s.kind, s.time))
        if x.op in ("ones", "zeros"):
            return Expr(x.op, (), shape(x.attr))
        if x.op in ("eye", "size", "cat", "window"):
            return Expr(x.op, x.args, size(x.attr))
        if x.op == "slice":
            return Expr(x.op, x.args, tuple(map(size, x.attr)))
        if x.op in ("entry", "delta"):
            return Expr(x.op, x.args, tuple(map(index, x.attr)))
        if x.op == "isum":
            return Expr(x.op, x.args, index(x.attr))
        return None
    return transform(e, change)


def named(values: Mapping[str, Size], symbols: Iterable[Symbol]) -> dict[str, Size]:
    """The values, with a name made from a symbol for every size that stays unknown: ``n_h`` for the vector h."""
    out = dict(values)
    taken = {s for sym in symbols for s in sym.shape if isinstance(s, str) and not unknown(s)}
    for sym in symbols:
        for axis, s in enumerate(sym.shape):
            s = out.get(s, s) if isinstance(s, str) else s
            if not unknown(s):
                continue
            word = re.sub(r"\W+", "_", sym.name).strip("_")           # a size is a name in sums of sizes: hat(y) would be two
            base = f"n_{word}" if sym.shape[1] == 1 else f"n_{word}{axis + 1}"
            name = base if base not in taken else next(f"{base}_{k}" for k in range(2, 99) if f"{base}_{k}" not in taken)
            taken.add(name)
            out = {key: name if value == s else value for key, value in out.items()} | {str(s): name}
    return out
