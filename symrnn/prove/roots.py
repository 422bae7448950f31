"""Squares of square roots: equal to what is under the root wherever the root is defined.

>>> from symrnn.expr import apply, had, symbol
>>> u, g = symbol("u"), symbol("g", ("n", 1))
>>> print(squared((apply("recip", apply("sqrt", u)) * g) ** 2), "|", squared(apply("sqrt", u) ** 3))
recip(u) * g**2 | sqrt(u)**3
"""
from __future__ import annotations

from dataclasses import replace

from symrnn.expr import Expr, apply, had, power, smul, transform, walk
from symrnn.prove.claim import Claim


def without_roots(claim: Claim) -> Claim | None:
    """The claim with every even power of a root multiplied out; None where there is none. It says the same where both are defined."""
    sides = [squared(e) if has_root(e) else e for e in (claim.left, claim.right)]
    return None if sides == [claim.left, claim.right] else replace(claim, left=sides[0], right=sides[1])


def has_root(e: Expr) -> bool:
    """Whether a square root stands in an expression."""
    return any(x.op == "apply" and x.attr == "sqrt" for x in walk(e))


def squared(e: Expr) -> Expr:
    """An expression with the even powers of roots multiplied out."""
    def change(x: Expr) -> Expr | None:
        if x.op == "pow" and x.attr % 2 == 0 and has_root(x.args[0]):
            return _power(x.args[0], x.attr)
        if x.op in ("had", "smul") and x.args[0] is x.args[1] and has_root(x.args[0]):
            return _power(x.args[0], 2)
        return None
    return transform(e, change)


def _power(e: Expr, n: int) -> Expr:
    """An even power, taken into products and quotients."""
    if e.op == "smul":
        return smul(*(_power(a, n) for a in e.args))
    if e.op == "had":
        return had(*(_power(a, n) for a in e.args))
    if e.op == "apply" and e.attr == "recip":
        return apply("recip", _power(e.args[0], n))
    return power(e.args[0], n // 2) if e.op == "apply" and e.attr == "sqrt" else power(e, n)
