"""Powers of a square matrix whose exponent counts steps, as A^{k-j} in the closed form of a linear recurrence."""
from __future__ import annotations

from functools import reduce

from symrnn.expr.sizes import Time
from symrnn.expr.tree import Expr, eye, matmul, node, walk


def matrix_power(base: Expr, last: Time, first: Time) -> Expr:
    """``base`` to the power last - first; it exists where that is not negative.

    >>> from symrnn.expr.tree import symbol
    >>> A = symbol("A", ("n", "n"), "parameter")
    >>> matrix_power(A, Time("t"), Time("j", 1)), matrix_power(A, Time("t", 1), Time("t", -1))
    (A^(t-1 - j), A @ A)
    """
    if base.op == "eye":
        return base
    if last.base == first.base and last.offset >= first.offset:
        return repeated(base, last.offset - first.offset)
    return node("mpow", base, attr=(last - first.offset, Time(first.base)))


def repeated(base: Expr, k: int) -> Expr:
    """The product of k equal factors.

    >>> from symrnn.expr.tree import symbol
    >>> A = symbol("A", ("n", "n"), "parameter")
    >>> repeated(A, 0), repeated(A, 3)
    (I, A @ A @ A)
    """
    if base.shape is None:
        return base
    return reduce(matmul, [base] * k) if k else eye(base.shape[0])


def has_powers(*sides: Expr) -> bool:
    """Whether a power with a counted exponent stands somewhere."""
    return any(x.op == "mpow" for e in sides for x in walk(e))
