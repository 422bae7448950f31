"""Component form to vector form: a sum over a component index becomes the sum of the entries of a vector.

``sum_i y_i log p_i`` becomes ``sum(y * log(p))``, so that an equation printed in components enters a model as a vector equation.
Only what keeps the meaning for every size is rewritten; anything else is left as it stands.
"""
from __future__ import annotations

from symrnn.expr.sizes import SCALAR, Index
from symrnn.expr.tree import Expr, add, apply, filled, had, power, smul, total, transform, walk


def vectorise(e: Expr) -> Expr:
    """The expression with every sum over a component index that allows it written as a sum of entries.

    >>> from symrnn.expr import Index, entry, index_sum, symbol
    >>> i, y, p = Index("i", "K"), symbol("y", ("K", 1)), symbol("p", ("K", 1))
    >>> vectorise(index_sum(i, entry(y, i) * apply("log", entry(p, i))))
    sum(y * log(p))
    """
    def change(x: Expr) -> Expr | None:
        if x.op != "isum":
            return None
        found = along(x.args[0], x.attr)
        return None if found is None else total(found)
    return transform(e, change)


def along(e: Expr, i: Index) -> Expr | None:
    """The column vector whose i-th entry is the scalar ``e``, or None when it is not built from entries of column vectors."""
    if not any(i in x.attr for x in walk(e) if x.op in ("entry", "delta")):
        return None
    return _along(e, i)


def _along(e: Expr, i: Index) -> Expr | None:
    if not any(i in x.attr for x in walk(e) if x.op in ("entry", "delta")):
        return smul(e, filled(1, (i.size, 1))) if e.shape == SCALAR else None
    if e.op == "entry":
        return e.args[0] if e.attr == (i, None) and e.args[0].shape == (i.size, 1) else None
    parts = [_along(a, i) for a in e.args]
    if any(p is None for p in parts):
        return None
    done = [p for p in parts if p is not None]
    match e.op:
        case "add":
            return add(*done)
        case "smul":
            return had(*done)
        case "pow":
            return power(done[0], e.attr)
        case "apply":
            return apply(e.attr, done[0])
    return None
