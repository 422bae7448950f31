"""Powers of a square matrix whose exponent counts steps, as A^{k-j} in the closed form of a linear recurrence; and its inverse."""
from __future__ import annotations

from fractions import Fraction
from functools import reduce

from symrnn.expr.sizes import Time
from symrnn.expr.tree import Expr, add, apply, eye, had, matmul, negative, node, scale, smul, total, walk


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


def inverse_at(base: Expr, n: int) -> Expr:
    """The inverse of an n x n matrix by sums, products and one reciprocal: the method of Faddeev and LeVerrier.

    With M_1 = I, c_k = -tr(A M_k) / k and M_(k+1) = A M_k + c_k I, the theorem of Cayley and Hamilton gives A M_n + c_n I = 0.

    >>> from symrnn.expr.tree import symbol
    >>> inverse_at(symbol("a"), 1)
    recip(a)
    """
    if base.shape is None or n == 1:
        return apply("recip", base)
    identity = eye(base.shape[0])
    adjugate = identity
    for k in range(1, n):
        whole = matmul(base, adjugate)
        adjugate = add(whole, smul(scale(Fraction(-1, k), total(had(whole, identity))), identity))
    last = scale(Fraction(-1, n), total(had(matmul(base, adjugate), identity)))
    return smul(negative(apply("recip", last)), adjugate)


def has_powers(*sides: Expr) -> bool:
    """Whether a power with a counted exponent stands somewhere."""
    return any(x.op == "mpow" for e in sides for x in walk(e))
