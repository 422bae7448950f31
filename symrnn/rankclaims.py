r"""Claims on the rank or the determinant of a square matrix, where the vector of ones is in its kernel.

The derivative of a softmax by its logits is such a matrix: its rows and columns sum to zero, whatever the logits are.
"""
from __future__ import annotations

from collections.abc import Callable

from symrnn.expr import SCALAR, Expr, filled, matmul, own_shape, resize, transpose, unify, zeros
from symrnn.model import Model
from symrnn.prove.claim import Claim, Condition
from symrnn.prove.decide import decide
from symrnn.prove.verdict import EVERYWHERE, Verdict
from symrnn.read.tree import Node

CALLED = {"rank": "rank", "rk": "rank", "det": "determinant"}
"""What names of functions of a matrix mean here."""


def singular(left: Node, right: Node, elaborate: Callable[[Node], Expr], model: Model, stated: tuple[Condition, ...]) -> Verdict | None:
    """The verdict on a rank said to be full, or a determinant said to be zero, of a matrix that takes the vector of ones to zero.

    None for any other claim. Of such a matrix the rank is less than its size, and the determinant is zero.
    """
    word = CALLED.get(left.nodes[0].head) if left.op == "Call" and len(left.nodes) == 2 else None
    if word is None:
        return None
    matrix = elaborate(left.nodes[1])
    matrix = resize(matrix, unify([(matrix, matrix)]))
    shape = own_shape(matrix)
    if shape is None or shape == SCALAR or shape[0] != shape[1]:
        return None
    value = elaborate(right)
    full = word == "rank" and value.op == "size" and value.attr == shape[0]
    zero = word == "determinant" and value.op == "num" and value.attr == 0
    if not full and not zero:
        return None
    ones = filled(1, (shape[0], 1))
    for side, sums in ((matrix, "rows"), (transpose(matrix), "columns")):
        found = decide(Claim(matmul(side, ones), zeros((shape[0], 1)), model, "=", stated))
        if found.word != "proved":
            continue
        why = f"its {sums} sum to zero, so that the vector of ones is in the kernel"
        if zero:
            return Verdict("proved", method=f"{why}: {found.method}", scope=EVERYWHERE, error_bound="0", conditions=found.conditions,
                           domain=found.domain)
        return Verdict("refuted", "SR299", f"the rank is at most {shape[0]} - 1: {why}", method=found.method, error_bound="0",
                       conditions=found.conditions, domain=found.domain)
    return None
