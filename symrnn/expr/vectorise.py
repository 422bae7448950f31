"""Component form to vector form: a sum over a component index becomes the sum of the entries of a vector.

``sum_i y_i log p_i`` becomes ``sum(y * log(p))``, so that an equation printed in components enters a model as a vector equation.
Only what keeps the meaning for every size is rewritten; anything else is left as it stands.
"""
from __future__ import annotations

from functools import reduce

from symrnn.expr.sizes import SCALAR, Index
from symrnn.expr.tree import Expr, add, apply, filled, had, matmul, power, smul, total, transform, transpose


def vectorise(e: Expr) -> Expr:
    """The expression with every sum over a component index that allows it written as a sum of entries.

    >>> from symrnn.expr import Index, entry, index_sum, symbol
    >>> i, y, p = Index("i", "K"), symbol("y", ("K", 1)), symbol("p", ("K", 1))
    >>> vectorise(index_sum(i, entry(y, i) * apply("log", entry(p, i))))
    sum(y * log(p))
    >>> w = symbol("w", ("K", 1))
    >>> vectorise(index_sum(i, entry(w, i) @ entry(y, i) * apply("log", entry(p, i))))
    sum(w * y * log(p))
    """
    def change(x: Expr) -> Expr | None:
        if x.op != "isum":
            return None
        found = along(x.args[0], x.attr)
        return None if found is None else total(found)
    return transform(e, change)


def repeated_rows(e: Expr) -> Expr:
    """The expression with a row that is added to matrices of several rows added to each of them, as a bias in a batch is.

    >>> from symrnn.expr import symbol
    >>> X, b = symbol("X", ("B", "n")), symbol("b", (1, "n"))
    >>> repeated_rows(X + b), repeated_rows(X + b).shape
    (X + ones @ b, ('B', 'n'))
    """
    def change(x: Expr) -> Expr | None:
        tall = next((a.shape for a in x.args if a.shape is not None and 1 not in a.shape), None)
        if x.op != "add" or x.fault is None or tall is None or any(a.shape not in (tall, (1, tall[1])) for a in x.args):
            return None
        return add(*(a if a.shape == tall else matmul(filled(1, (tall[0], 1)), a) for a in x.args))
    return transform(e, change)


def along(e: Expr, i: Index) -> Expr | None:
    """The column vector whose i-th entry is the scalar ``e``, or None when it is not built from entries of column vectors."""
    return _along(e, i) if _occurs(i, e) else None


def _occurs(i: Index, e: Expr) -> bool:
    """Whether the letter occurs in ``e`` and no sum there binds it."""
    if e.op in ("entry", "delta") and i in e.attr:
        return True
    return not (e.op == "isum" and e.attr == i) and any(_occurs(i, a) for a in e.args)


def _factors(e: Expr) -> list[Expr]:
    return [f for a in e.args for f in _factors(a)] if _of_numbers(e) else [e]


def _of_numbers(e: Expr) -> bool:
    """Whether the expression is a product of scalars."""
    return e.op in ("smul", "matmul") and all(a.shape == SCALAR for a in e.args)


def _product(e: Expr, i: Index) -> Expr | None:
    """The matrix times the vector that a sum over the second index of the matrix is."""
    j, body = e.attr, e.args[0]
    factors = _factors(body)
    matrices = [f for f in factors if f.op == "entry" and f.attr in ((i, j), (j, i))]
    rest = [f for f in factors if f not in matrices]
    if len(matrices) != 1 or any(_occurs(i, f) for f in rest):
        return None
    matrix = matrices[0].args[0] if matrices[0].attr == (i, j) else transpose(matrices[0].args[0])
    vector = _along(reduce(smul, rest), j) if rest else filled(1, (j.size, 1))
    return None if vector is None else matmul(matrix, vector)


def _along(e: Expr, i: Index) -> Expr | None:
    if not _occurs(i, e):
        return smul(e, filled(1, (i.size, 1))) if e.shape == SCALAR else None
    if e.op == "entry":
        lying = e.args[0] if e.attr == (i, None) else transpose(e.args[0]) if e.attr == (None, i) else None
        return lying if lying is not None and lying.shape == (i.size, 1) else None
    if e.op == "isum":
        return _product(e, i)
    parts = [_along(a, i) for a in e.args]
    if any(p is None for p in parts):
        return None
    done = [p for p in parts if p is not None]
    match e.op:
        case "add":
            return add(*done)
        case "smul" | "matmul" if _of_numbers(e):
            return had(*done)
        case "pow":
            return power(done[0], e.attr)
        case "apply":
            return apply(e.attr, done[0])
    return None
