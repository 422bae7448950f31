r"""Values of parameters at which a gradient vanishes, as in a regression: ``C = Y X^T (X X^T + b I)^{-1}`` after the gradient by C."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from symrnn.expr import Expr, Size, resize, substitute, symbols, unify, unknown, zeros
from symrnn.expr import walk as nodes_of
from symrnn.prove.claim import Claim
from symrnn.prove.decide import decide
from symrnn.prove.verdict import Verdict
from symrnn.read.meaningless import Meaningless
from symrnn.read.tree import Node, walk


def at_zero_gradient(claim: Claim, trees: Iterable[Node], elaborate: Callable[[Node], Expr]) -> Verdict | None:
    """The verdict on a formula for a parameter, if a gradient by it that the text gives, and that is proved, vanishes there.

    The text need not say that the formula comes from that gradient; so the verdict is conditional, and nothing is refuted.
    """
    if claim.left.op != "sym" or claim.left.attr.time is not None or not any(x.op == "inv" for x in nodes_of(claim.right)):
        return None
    s = claim.left.attr
    for chain in (n for tree in trees for n in walk(tree) if n.op == "Chain" and len(n.nodes) == 2 and n.nodes[1].head == "="):
        by = {"Grad": chain.nodes[0].nodes[:1], "Deriv": chain.nodes[0].nodes[1:]}.get(chain.nodes[0].op, ())
        if [n.head for n in by] != [s.name]:
            continue
        try:
            slope, value = elaborate(chain.nodes[0]), elaborate(chain.nodes[1].nodes[0])
        except Meaningless:
            continue
        sizes = unify([(slope, value)])
        slope, value = (resize(e, sizes) for e in (slope, value))
        sizes = _known([slope, value], claim)
        slope, value = (resize(e, sizes) for e in (slope, value))
        if value.shape is None or decide(replace(claim, left=slope, right=value)).word != "proved":
            continue
        there = substitute(value, {s: claim.right})
        found = decide(replace(claim, left=there, right=zeros(value.shape))) if there.fault is None else None
        if found is not None and found.word == "proved":
            meant = f"{s.name} is where its gradient vanishes"
            return replace(found, word="conditional", convention=meant, conditions=(*found.conditions, meant),
                           reason=f"true when {meant}, as put into the gradient shows; by itself the equation would define {s.name}")
    return None



def _known(sides: Iterable[Expr], claim: Claim) -> dict[str, Size]:
    """The open sizes of the symbols of some expressions, as a claim has them."""
    shapes = {s.name: s.shape for side in (claim.left, claim.right) for s in symbols(side)}
    pairs = (pair for side in sides for s in symbols(side) for pair in zip(s.shape, shapes.get(s.name, s.shape), strict=True))
    return {str(a): b for a, b in pairs if unknown(a)}
