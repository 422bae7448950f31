"""Wrong formulas made from true ones, by class of error: what a proof must refuse and a repair should find."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from symrnn.expr import Expr, scale
from symrnn.prove.claim import Claim
from symrnn.repair.edits import KIND, Kind, single_edits
from symrnn.repair.palette import Palette
from symrnn.repair.rules import Change, Site

SLIP = Fraction(1001, 1000)


def scaled(site: Site) -> Iterator[Change]:
    """A part that is a thousandth too large."""
    e = site.node
    if e.op not in ("num", "zeros", "deriv") and e.shape is not None:
        yield scale(SLIP, e), ("multiply {} by {}", e, SLIP)


@dataclass(frozen=True)
class Class:
    """One class of mutants: its name, the kinds of edit that make them, and whether the shape must stay."""

    name: str
    kinds: tuple[Kind, ...]
    same_shape: bool = False


CLASSES = (
    Class("sign", (KIND["sign"],)),
    Class("transpose", (KIND["transpose"],)),
    Class("order", (KIND["order"],)),
    Class("time shift", (KIND["time"],)),
    Class("wrong symbol", (KIND["symbol"], KIND["derivative"]), True),
    Class("dropped factor", (KIND["drop factor"],)),
    Class("scaled by 1.001", (Kind("scaled", "SR207", 1.0, scaled),)),
    Class("sum range", (KIND["range"],)),
)
"""The classes, in the order in which their mutants come."""


def mutants(claim: Claim) -> Iterator[tuple[str, Claim]]:
    """Every mutant of the right side of a claim that is one error away, with the name of its class; none comes twice.

    A mutant may have no shape, may speak of a symbol at a step where it does not exist, or may be equal to the original
    (a sign inside a square); whoever uses them decides that.
    """
    palette = Palette.of(claim)
    seen: set[Expr] = {claim.right}
    for row in CLASSES:
        for new, _ in single_edits(claim.right, palette, row.kinds):
            if new not in seen and not (row.same_shape and new.shape != claim.right.shape):
                seen.add(new)
                yield row.name, replace(claim, right=new)
