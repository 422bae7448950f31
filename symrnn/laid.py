"""Verdicts in a text that says in words how derivatives lie: the words settle that of some derivatives, and not of others.

*Numerator layout* or *derivatives are rows* is said of vectors; a gradient by a matrix is printed in either way all the same, and one
by a vector as a column in passing. In *denominator layout* a Jacobian may have a row for each input.
"""
from __future__ import annotations

from dataclasses import replace

from symrnn.expr import SCALAR, Expr, walk
from symrnn.prove.claim import Claim
from symrnn.prove.verdict import Verdict

ROW_PER_OUTPUT = "a Jacobian has a row for each output"


def with_layout(v: Verdict, claim: Claim | None, stated: str | None) -> Verdict:
    """A verdict where the text has stated a layout: nothing is refuted, and nothing proved in silence, that the words leave open."""
    if claim is None or stated is None or v.word not in ("refuted", "proved"):
        return v
    derivatives = [x for side in (claim.left, claim.right) for x in walk(side) if x.op == "deriv"]
    if stated != "denominator" and v.word == "refuted" and any(map(_by_matrix, derivatives)):
        return Verdict("undecided", "SR303", f"the text speaks of {_NAMES[stated]}, but not of how a derivative by a matrix lies")
    if stated != "denominator" and v.word == "refuted" and v.method == "shapes" and any(map(_by_vector, derivatives)):
        return Verdict("undecided", "SR303", f"the text speaks of {_NAMES[stated]}, and as a row the derivative does not fit")
    if stated == "denominator" and any(map(_is_jacobian, derivatives)):
        if v.word == "proved":
            return replace(v, word="conditional", reason=f"the text speaks of denominator layout; true where {ROW_PER_OUTPUT}",
                           convention=ROW_PER_OUTPUT, conditions=(*v.conditions, ROW_PER_OUTPUT))
        return Verdict("undecided", "SR303", "the text speaks of denominator layout, in which a Jacobian may have a row for each input")
    return v


_NAMES = {"numerator": "numerator layout", "rows": "derivatives that are rows"}


def _by_matrix(x: Expr) -> bool:
    """A derivative of a number by a matrix, or by a row."""
    top, below = x.args[0].shape, x.args[1].shape
    return top == SCALAR and below is not None and below[1] != 1


def _by_vector(x: Expr) -> bool:
    """A derivative of a number by a column."""
    top, below = x.args[0].shape, x.args[1].shape
    return top == SCALAR and below is not None and below[1] == 1 and below != SCALAR


def _is_jacobian(x: Expr) -> bool:
    """A derivative of a vector by a vector."""
    top, below = x.args[0].shape, x.args[1].shape
    return top is not None and below is not None and SCALAR not in (top, below)
