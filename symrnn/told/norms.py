r"""How the norm of the Jacobian of a step is bounded, and what that of many steps tends to.

Of one step: ``\| \frac{\partial h_t}{\partial h_{t-1}} \| \le \|W\|``. Of many steps:
``\|W\| < 1 \Rightarrow \| \frac{\partial h_T}{\partial h_1} \| \to 0``.
"""
from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from symrnn.document import Row
from symrnn.judge import Relation
from symrnn.prove.norms import Step, at_most, limit, one_step
from symrnn.read.tree import Node
from symrnn.told.ranges import TURNED, claimed_tree, number, perhaps_condition
from symrnn.told.world import World, place, plain

NORMS = ("", "2", "F")
"""The kinds of norms that a product of matrices does not exceed, as they are printed."""


def stated(row: Row, world: World) -> Iterator[Relation]:
    """What a formula says of the norms of Jacobians, as far as that is decided."""
    tree = claimed_tree(row, world)
    if tree is None:
        return
    if tree.op == "Chain" and len(tree.nodes) == 2 and tree.nodes[1].head == "<=":
        found = _bounded(tree.nodes[0], tree.nodes[1].nodes[0], row, world)
    elif tree.op == "Implies" and len(tree.nodes) == 2:
        found = _limit(*tree.nodes, row, world)
    else:
        found = None
    if found is not None and not (found.verdict.word == "refuted" and perhaps_condition(row, world)):
        yield found


def _bounded(left: Node, right: Node, row: Row, world: World) -> Relation | None:
    """``|dh_t/dh_{t-1}| <= c |W|``."""
    ends, factors = _jacobian(left), right.nodes if right.op == "Mul" else (right,)
    letter = row.setting.scope.table.time_letter
    at = [place(n, letter) for n in ends]
    numbers = [n for n in map(number, factors) if n is not None]
    weights = [_weight(f, left) for f in factors if number(f) is None]
    if len(at) != 2 or None in at or None in weights or at[0][1] != 0 or at[1][1] != -1:       # type: ignore[index]
        return None
    step = one_step(world.model(row.span.offset), at[0][0], at[1][0])                           # type: ignore[index]
    factor = Fraction(1)
    for n in numbers:
        factor *= n
    verdict = None if step is None else at_most(step, factor, tuple(sorted(map(str, weights))))
    return None if verdict is None else Relation(row.span.latex, verdict)


def _limit(premise: Node, conclusion: Node, row: Row, world: World) -> Relation | None:
    """``|W| > c  =>  |dh_T/dh_1| -> oo``."""
    if any(n.op != "Chain" or len(n.nodes) != 2 for n in (premise, conclusion)) or conclusion.nodes[1].head != "->":
        return None
    size, relation, most = premise.nodes[0], premise.nodes[1].head, number(premise.nodes[1].nodes[0])
    value, to = conclusion.nodes[0], conclusion.nodes[1].nodes[0].head
    step = _many(value, row, world)
    if step is None or most is None or relation not in TURNED or step.weights != (_weight(size, value),):
        return None
    verdict = limit(step, relation, most, to)
    return None if verdict is None else Relation(row.span.latex, verdict)


def _many(value: Node, row: Row, world: World) -> Step | None:
    """The bound for one step, of a Jacobian of a state at the last step by the same state at a fixed one."""
    ends = _jacobian(value)
    times = [n.part("Time") for n in ends]
    if len(ends) != 2 or ends[0].head != ends[1].head or any(len(n.args) != 2 for n in ends) or None in times:
        return None
    last, first = (time.nodes[0] for time in times if time is not None)
    early = first.op == "Num" or plain(first) and first.head in ("k", "s", "j")
    if not plain(last) or last.head not in row.setting.scope.steps or not early:
        return None
    return one_step(world.model(row.span.offset), ends[0].head, ends[0].head)


def _jacobian(n: Node) -> tuple[Node, ...]:
    """The ends of a derivative in a norm."""
    inner = n.nodes[0] if n.op == "Norm" and _kind(n) in NORMS else Node("Absent")
    return inner.nodes if inner.op == "Deriv" and len(inner.nodes) == 2 and inner.args[1] == "1" else ()


def _weight(n: Node, like: Node) -> str | None:
    """The matrix in a norm of the same kind as another; turned round where that norm does not see it."""
    if n.op != "Norm" or _kind(n) != _kind(like):
        return None
    inner = n.nodes[0].nodes[0] if n.nodes[0].op == "Transpose" and _kind(n) else n.nodes[0]
    return inner.head if plain(inner) else None


def _kind(n: Node) -> str:
    """What stands below a norm."""
    return n.nodes[1].head if len(n.nodes) > 1 else ""
