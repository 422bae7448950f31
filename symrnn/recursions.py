r"""Names that a text gives by a recurrence backwards in time alone, as lambda by ``\lambda_t = C^\top g_t + A^\top \lambda_{t+1}``.

Such an equation says what the name is at every step if it is zero after the last one. Where the gradient of the loss by a variable
satisfies it too, the name is that gradient.
"""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from symrnn.claimforms import fitted
from symrnn.document import Row, Sides
from symrnn.errors import SymrnnError
from symrnn.expr import resize
from symrnn.model import Model
from symrnn.prove.claim import Claim
from symrnn.prove.decide import decide
from symrnn.read.elaborate import Elaborator, Meaningless
from symrnn.read.names import name_latex
from symrnn.read.scope import LOSS, Scope
from symrnn.read.tree import Node, walk
from symrnn.setting import Setting, steps_ahead


def backwards(rows: Sequence[Row]) -> Iterator[tuple[Setting, Sides]]:
    """The equations of a document by which a name without another meaning follows from itself at the next step, with their scopes."""
    for row in rows:
        for s in row.found if isinstance(row.found, list) and row.span.directive is None else ():
            sides = s.sides[0] if s.role == "claim" and s.sides else None
            if sides is not None and sides.relation in ("=", ":=") and row.setting.undefined(sides.left) and _follows_itself(sides, row):
                yield row.setting, sides


def _follows_itself(sides: Sides, row: Row) -> bool:
    scope = row.setting.scope
    if sides.left.head in {*scope.gradients, *scope.direct}:
        return False
    steps = [n.part("Time") for n in walk(sides.right) if n.op == "Sym" and n.head == sides.left.head]
    return bool(steps) and all(t is not None and steps_ahead(t.nodes[0], scope.table.time_letter) == 1 for t in steps)


def as_gradient(sides: Sides, setting: Setting, model: Model) -> tuple[Scope, str] | None:
    """The scope in which the left side of such an equation stands for a gradient that satisfies it, with the supposition; or None."""
    name, scope = sides.left.head, setting.scope
    step = sides.left.part("Time")
    if scope.total is None or model.loss is None or step is None:
        return None
    for v in model.variables:
        by = Node("Sym", (v.name, step))
        gradient = Node("Deriv", ("partial", "1", Node("Sym", (scope.total,)), by))
        inner = replace(scope, gradients={**scope.gradients, name: gradient})
        if v.name == LOSS or not _holds(sides, replace(setting, scope=inner), model):
            continue
        words = f"{name_latex(name)} is 0 after the last step, so that it is the gradient by {name_latex(v.name)} by its recurrence"
        return inner, words
    return None


def _holds(sides: Sides, setting: Setting, model: Model) -> bool:
    sizes = setting.sizes()
    elaborator = Elaborator(setting.scope, solved=sizes)
    try:
        left, right = (resize(resize(elaborator(n), sizes), elaborator.sizes) for n in (sides.left, sides.right))
        left, right = fitted(left, right)
        return decide(Claim(left, right, model, "=", setting.conditions)).word == "proved"
    except (Meaningless, SymrnnError, RecursionError):
        return False
