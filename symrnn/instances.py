"""Functions that a text never gives: a claim that does not speak of them may be meant of the one that its author has in mind.

Such a claim is false for every function that counts, or it is not refuted.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symrnn.expr import Expr, apply, resize, softmax, transform, walk
from symrnn.model import Equation
from symrnn.prove.claim import Claim

USUAL = ("sigmoid", "tanh", "id")
"""Elementwise functions that a letter may stand for."""


def unspecified(claim: Claim) -> frozenset[str]:
    """The functions without a formula that the definitions have and the claim does not print.

    >>> from symrnn.model import Model, sequence
    >>> h, x = sequence("h", "n"), sequence("x", "n", kind="input")
    >>> m = Model.build("m", [(h, apply("?f", x))])
    >>> sorted(unspecified(Claim(h, x, m))), sorted(unspecified(Claim(h, apply("?f", x), m)))
    (['f'], [])
    """
    inside = {_letter(x) for e in claim.model.equations for x in walk(e.right)}
    printed = {_letter(x) for side in (claim.left, claim.right) for x in walk(side)}
    return frozenset(inside - printed - {""})


def instances(claim: Claim) -> Iterator[Claim]:
    """The claim with a usual function for each of them: one for all, and softmax where it is applied to columns."""
    letters = unspecified(claim)
    for name in (*USUAL, "softmax"):
        def change(x: Expr, name: str = name) -> Expr | None:
            if _letter(x) not in letters or x.attr.endswith("'"):
                return None
            inner = x.args[0]
            column = inner.shape is not None and inner.shape[1] == 1
            return apply(name, inner) if name in USUAL else softmax(inner) if column else apply(USUAL[0], inner)
        rows = tuple(Equation(e.left, resize(transform(e.right, change), {})) for e in claim.model.equations)
        yield replace(claim, model=replace(claim.model, equations=rows))


def _letter(x: Expr) -> str:
    return x.attr[1:].rstrip("'") if x.op == "apply" and x.attr.startswith("?") else ""
