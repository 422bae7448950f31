"""The part that one step has in the gradient by a parameter: what a text that treats a single step writes as the gradient itself.

It is the gradient by the copy of the parameter that the step uses. Where every step has a copy of its own, the claim is one about the
gradient by that copy; what is proved for free copies holds for equal ones. What fails even when it is summed over all steps is false.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from symrnn.expr import FIRST, LAST, NOW, SCALAR, Expr, Symbol, derivative, node, symbol, symbols, time_sum, transform
from symrnn.expr.tree import free_steps
from symrnn.model import Equation
from symrnn.prove.claim import Claim
from symrnn.prove.verdict import Verdict
from symrnn.read.scope import TOTAL
from symrnn.read.tree import Node
from symrnn.setting import Setting


def parameter_of(left: Node, setting: Setting) -> str | None:
    """The parameter whose gradient stands alone on a side, under its own name."""
    by = left.nodes[0] if left.op == "Gradient" else None
    d = setting.scope.table.get(by.head) if by is not None else None
    if by is None or d is None or d.sequence or by.part("Index") is not None or d.name in setting.scope.defined:
        return None
    time = by.part("Time")
    return d.name if time is None or str(time.nodes[0]) == setting.scope.table.time_letter else None


def part_of_step(name: str, claim: Claim, decide: Callable[[Claim], Verdict]) -> Verdict | None:
    """The verdict on a claim about the part of one step, whose right side is ``claim.right``; None where it speaks of no step.

    >>> from symrnn.expr import apply, lift
    >>> from symrnn.model import Model, param, sequence
    >>> h, x, W, L = sequence("h", "n"), sequence("x", "m", kind="input"), param("W", "n", "m"), symbol(TOTAL, SCALAR)
    >>> from symrnn.implied import open_loss
    >>> from symrnn.prove.decide import decide
    >>> model = open_loss(Model.build("m", [(h, W @ x)]))
    >>> part_of_step("W", Claim(lift(0), derivative(L, h, "partial") @ x.T, model), decide).word
    'proved'
    """
    used = next((s for e in claim.model.equations for s in symbols(e.right) if s.name == name and s.time is None), None)
    if used is None or not any(time.base == "t" for time in free_steps(claim.right)):
        return None
    total = symbol(TOTAL, SCALAR)
    whole = replace(claim, left=derivative(total, node("sym", attr=used), "partial"), right=time_sum("t", FIRST, LAST, claim.right))
    summed = decide(whole)
    if summed.word == "refuted":
        return replace(summed, reason=f"summed over all steps it would be the gradient by {name}, but {summed.reason}")
    copy = Symbol(used.name, used.shape, "input", NOW)

    def change(x: Expr) -> Expr | None:
        return node("sym", attr=copy) if x.op == "sym" and x.attr == used else None
    rows = tuple(Equation(e.left, transform(e.right, change)) for e in claim.model.equations)
    apart = replace(claim, left=derivative(total, node("sym", attr=copy), "partial"), right=transform(claim.right, change),
                    model=replace(claim.model, equations=rows))
    found = decide(apart)
    return found if found.word == "proved" else Verdict("undecided", "SR303", "the part that one step has in a gradient")
