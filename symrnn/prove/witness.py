"""The SymPy witness: both sides of a claim, entry by entry, at tiny sizes and T, derivatives by SymPy's ``diff``.

It decides at 50 digits and confirms by cancelling where that is cheap; ``simplify`` and ``equals`` are never called. It shares
no rule of differentiation, no normal form and no field arithmetic with the other deciders.
"""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import mpmath
import sympy

from symrnn.components import Components, NoSuchStep, NotComponents
from symrnn.errors import LimitError
from symrnn.points import free_letters, point
from symrnn.prove.claim import Claim, Missing, Unsupported
from symrnn.prove.lemmas import with_exponentials
from symrnn.scalars import Evaluator, OutsideDomain

LARGEST = 3
"""The largest T and the largest size: this is a witness for tiny networks."""

POINTS, TRIES = 2, 24
CHEAP = 60
"""A difference is cancelled symbolically if it has at most this many operations."""


@dataclass(frozen=True)
class Comparison:
    """What the witness saw: ``holds`` at every entry of every step, of which ``cancelled`` were shown equal symbolically.

    When it does not hold, ``place`` says where first (steps, indices, entry) and ``left`` and ``right`` are 50-digit values;
    ``point`` gives the leaves. ``skipped`` counts steps at which the claim speaks of something that does not exist.
    """

    holds: bool
    sizes: Mapping[str, int]
    T: int
    comparisons: int
    cancelled: int
    skipped: int
    place: str = ""
    left: str = ""
    right: str = ""
    point: Mapping[str, str] | None = None


def components_of(claim: Claim, sizes: Mapping[str, int], T: int) -> Components:
    """The component form of the model of a claim, under the conditions that the claim states."""
    if claim.subjects("at-end"):
        raise Unsupported("a loss at the last step only, in the component form")
    names = {kind: [str(n) for n in claim.subjects(kind)] for kind in ("simplex", "zero", "past-zero")}
    return Components(claim.model, sizes, T, simplex=names["simplex"], zero=names["zero"], past_zero=names["past-zero"],
                      immediate=claim.states("immediate"))


def component_witness(claim: Claim, sizes: Mapping[str, int], T: int, components: Components | None = None
                      ) -> Comparison:
    """Compare the two sides of a claim at these sizes and this T.

    ``components`` is a component form to reuse: that of :func:`components_of` for a claim with the same model and conditions.
    Raises LimitError above T = 3 or size 3, Unsupported for what has no component form or no point in its domain, and Missing
    if there is no step at which the claim can be asked.
    """
    if T > LARGEST or any(n > LARGEST for n in sizes.values()):
        raise LimitError("the component witness", must=f"be asked for T and sizes up to {LARGEST}",
                         came=f"T={T}, " + ", ".join(f"{k}={v}" for k, v in sizes.items()), limit="size",
                         bound=float(LARGEST), next_step="take a smaller T and smaller sizes")
    if claim.relation != "=":
        raise Unsupported(f"the relation {claim.relation} in the component witness")
    components = components if components is not None else components_of(claim, sizes, T)
    try:
        rows, skipped = both_sides(claim, components)
    except NotComponents as unsupported:
        raise Unsupported(str(unsupported)) from None
    if not rows:
        raise Missing(skipped[0] if skipped else "no choice of indices satisfies the conditions")
    evaluators = [(values, Evaluator(values, components.values())) for values in points(claim, components, rows)]
    cancelled = 0
    for place, left, right in rows:
        for values, evaluate in evaluators:
            (a, _), (b, _) = evaluate(left), evaluate(right)
            if abs(a - b) > mpmath.mpf(10) ** -35 * (1 + abs(a) + abs(b)):
                shown = {str(s): str(v) for s, v in values.items()}
                return Comparison(False, dict(sizes), T, len(rows), 0, len(skipped), place, mpmath.nstr(a, 20),
                                  mpmath.nstr(b, 20), shown)
        cancelled += cancels(left - right)
    return Comparison(True, dict(sizes), T, len(rows), cancelled, len(skipped))


def both_sides(claim: Claim, components: Components) -> tuple[list[tuple[str, sympy.Expr, sympy.Expr]], list[str]]:
    """(place, left, right) for every entry at every choice of steps and indices that the conditions allow, over named symbols;
    and why choices were left out."""
    rows: list[tuple[str, sympy.Expr, sympy.Expr]] = []
    skipped: list[str] = []
    last = components.T - (1 if claim.states("before-end") else 0)
    for times, indices in free_letters(claim.left, claim.right).choices(components, last):
        if not allowed(claim, indices):
            continue
        try:
            left, right = (components.named(e, times, indices) for e in (claim.left, claim.right))
        except NoSuchStep as missing:
            skipped.append(str(missing))
            continue
        chosen = ", ".join(f"{k}={v}" for k, v in {**times, **indices}.items())
        rows += [(", ".join(x for x in (chosen, entry) if x), a, b) for entry, a, b in pairs(left, right)]
    return rows, skipped


def allowed(claim: Claim, indices: Mapping[str, int]) -> bool:
    """Whether a choice of indices satisfies the conditions ``equal`` and ``distinct``."""
    for c in claim.conditions:
        if c.kind in ("equal", "distinct"):
            a, b = (x if isinstance(x, int) else indices.get(getattr(x, "name", str(x))) for x in c.subject)
            if a is None or b is None:                               # the claim does not print both: nothing is restricted
                continue
            if (a == b) is not (c.kind == "equal"):
                return False
    return True


def pairs(left: Any, right: Any) -> Iterator[tuple[str, sympy.Expr, sympy.Expr]]:
    """The entries of two values of one shape."""
    if not isinstance(left, sympy.MatrixBase) and not isinstance(right, sympy.MatrixBase):
        yield "", left, right
        return
    shapes = [x.shape if isinstance(x, sympy.MatrixBase) else (1, 1) for x in (left, right)]
    if shapes[0] != shapes[1]:
        raise Unsupported(f"two sides of shapes {shapes[0]} and {shapes[1]}")
    rows, columns = shapes[0]
    for i in range(rows):
        for j in range(columns):
            yield f"entry {i + 1},{j + 1}", left[i, j], right[i, j]


def points(claim: Claim, components: Components, rows: list[tuple[str, sympy.Expr, sympy.Expr]]) -> list[dict[sympy.Symbol, Any]]:
    """Points at which both sides of every row are defined."""
    found: list[dict[sympy.Symbol, Any]] = []
    for number in range(TRIES):
        values = point(components, f"{claim.left} {claim.relation} {claim.right} {claim.model.hash} {number}")
        evaluate = Evaluator(values, components.values())
        try:
            for _, left, right in rows:
                evaluate(left), evaluate(right)
        except OutsideDomain:
            continue
        except NotImplementedError as unknown:
            raise Unsupported(f"the function {unknown} in the component witness") from None
        found.append(values)
        if len(found) == POINTS:
            return found
    raise Unsupported(f"a claim without a point in its domain among {TRIES} tried")


def cancels(difference: sympy.Expr) -> bool:
    """Whether a small difference is zero symbolically, after writing it with exponentials."""
    if difference == 0:
        return True
    if difference.count_ops() > CHEAP or difference.has(sympy.Piecewise):
        return False
    return bool(sympy.cancel(sympy.together(with_exponentials(difference))) == 0)
