"""Faults that need no value: an operation on shapes that do not fit, sides that differ in shape or in their free indices."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symrnn.expr import Expr, Index, Shape, show_shape, walk
from symrnn.expr.show import show
from symrnn.prove.claim import Claim
from symrnn.prove.grid import Free
from symrnn.prove.verdict import EVERYWHERE, Verdict


@dataclass(frozen=True)
class ShapeConflict:
    """Why a claim has no reading under the declared shapes.

    ``kind`` is ``left`` or ``right`` (an operation inside that side: ``what``, the two shapes and the ``operands``), ``sides``
    (the two sides have different shapes) or ``indices`` (``indices`` are free on one side only).
    """

    kind: str
    what: str
    left: Shape | None = None
    right: Shape | None = None
    operands: tuple[Expr, ...] = ()
    operation: str = ""
    indices: tuple[Index, ...] = ()

    @property
    def code(self) -> str:
        """The code of the finding."""
        return "SR102" if self.kind == "indices" else "SR101"

    @property
    def reason(self) -> str:
        """The conflict in a sentence, with the offending operands."""
        return self.sentence(show)

    def sentence(self, render: Callable[[Expr], str]) -> str:
        """The conflict in a sentence, its operands written by ``render``."""
        if self.kind in ("left", "right") and self.operands:
            return f"on the {self.kind} side, {self}, in " + " and ".join(map(render, self.operands))
        return str(self)

    def __str__(self) -> str:
        shapes = " and ".join(show_shape(s) for s in (self.left, self.right) if s is not None)
        return f"{self.what}: {shapes}" if shapes else self.what


def conflict(claim: Claim) -> ShapeConflict | None:
    """The first fault of a claim, or None.

    >>> from symrnn.model import Model
    >>> from symrnn.expr import symbol
    >>> W, h = symbol("W", ("n", "m"), "parameter"), symbol("h", ("n", 1))
    >>> print(conflict(Claim(W @ h, h, Model("none", ()))))
    cannot multiply: n x m and n x 1
    >>> print(conflict(Claim(W.T @ h, h, Model("none", ()))))
    the sides differ: m x 1 and n x 1
    """
    for kind, side in (("left", claim.left), ("right", claim.right)):
        fault = side.fault
        if fault is not None:
            operation, operands = fault.node if fault.node else ("", ())
            return ShapeConflict(kind, fault.what, fault.left, fault.right, operands, operation)
    if claim.left.shape != claim.right.shape:
        return ShapeConflict("sides", "the sides differ", claim.left.shape, claim.right.shape, (claim.left, claim.right))
    return _lonely(claim)


def derivative_shape(top: Sequence[str], bottom: Sequence[str], groups: Sequence[Sequence[str]]) -> Verdict | None:
    """Whether a derivative has the sizes that are printed: those of what is differentiated, then those of what by.

    Sizes of 1 are left out. The two in the other order are a layout of its own, and not decided. Different letters are different sizes.

    >>> derivative_shape(["n"], ["m"], [["n", "m"]]).word, derivative_shape(["n"], ["m"], [["m", "n"]])
    ('proved', None)
    >>> derivative_shape(["N", "N"], ["M", "N"], [["N", "N"], ["M", "M"]]).reason
    'the sizes are (N x N) x (M x N), not (N x N) x (M x M)'
    """
    flat = [n for group in groups for n in group if n != "1"]
    orders = [[*top, *bottom], [*bottom, *top], [*top, *reversed(bottom)], [*reversed(bottom), *reversed(top)]]
    if flat == orders[0]:
        return Verdict("proved", method="shapes", scope=EVERYWHERE, error_bound="0")
    if flat in orders[1:] and len(top) < 2:
        return None
    if flat == orders[1]:
        return None
    meant = " x ".join(f"({' x '.join(g)})" if len(g) > 1 and top else " x ".join(g) for g in (top, bottom) if g)
    said = " x ".join(f"({' x '.join(g)})" if len(groups) > 1 else " x ".join(g) for g in groups)
    return Verdict("refuted", "SR101", f"the sizes are {meant or '1'}, not {said}", method="shapes")


def _lonely(claim: Claim) -> ShapeConflict | None:
    """An index free on one side only; a side without any symbol (``= 0``) may lack it, and so may one that i = k ties."""
    free = Free()
    left, right = (set(free.indices(side)) for side in (claim.left, claim.right))
    tied = {i for c in claim.conditions if c.kind == "equal" for i in c.subject}
    lonely = sorted((i for i in left ^ right if i not in tied and i.name not in tied), key=str)
    constant = {side for side in (claim.left, claim.right) if not any(x.op in ("sym", "vcall", "vjac") for x in walk(side))}
    lonely = [i for i in lonely if (claim.right if i in left else claim.left) not in constant]
    if claim.left.op == "deriv" and set(lonely) <= left and all(a.op == "entry" for a in claim.left.args):
        return None                                                   # that of an entry by an entry may be the same for every i
    if not lonely:
        return None
    names = ", ".join(i.name for i in lonely)
    side = "left" if lonely[0] in left else "right"
    return ShapeConflict("indices", f"the index {names} is free on the {side} side only", indices=tuple(lonely),
                         operands=(claim.left, claim.right))
