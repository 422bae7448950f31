r"""Which of some variables is said to be the larger: ``\min(c_{t-1}, g_t) \le c_t \le \max(c_{t-1}, g_t)``."""
from __future__ import annotations

from collections.abc import Iterator

from symrnn.document import Row
from symrnn.judge import Relation
from symrnn.prove.order import Side, ordered
from symrnn.read.elaborate import Elaborator, Meaningless
from symrnn.read.tree import Node, walk
from symrnn.told.ranges import TURNED, claimed_tree, perhaps_condition, says_each
from symrnn.told.world import World, place

PICKS = ("min", "max")


def stated(row: Row, world: World) -> Iterator[Relation]:
    """What a formula says of the least or the greatest of some variables of a step, relation by relation."""
    tree = claimed_tree(row, world)
    for chain in () if tree is None else tree.nodes if tree.op in ("Seq", "Rows") else (tree,):
        picks = any(n.op == "Call" and n.nodes[0].head in PICKS for n in walk(chain))
        picks = picks and (says_each(row, world) or not any(n.op == "Abs" for n in walk(chain)))    # bars may be those of a norm
        if chain.op != "Chain" or not picks or not all(rel.head in TURNED for rel in chain.nodes[1:]):
            continue
        left = chain.nodes[0]
        for rel in chain.nodes[1:]:
            right = rel.nodes[0]
            try:
                sides = _side(left, row, world), _side(right, row, world)
            except Meaningless:
                return
            small, large = sides if rel.head[0] == "<" else sides[::-1]
            verdict = ordered(world.model(row.span.offset), small, "<=" if "=" in rel.head else "<", large)
            if verdict is None or verdict.word == "refuted" and perhaps_condition(row, world):
                return
            yield Relation(row.span.latex[left.span[0] : right.span[1]], verdict)
            left = right


def _side(n: Node, row: Row, world: World) -> Side:
    """A side of a relation; Meaningless for anything but variables near the running step, their absolute values, and picks of such."""
    scope = row.setting.scope
    if n.op == "Call" and n.nodes[0].head in PICKS and len(n.nodes) > 2:
        return Side(n.nodes[0].head, tuple(_side(a, row, world) for a in n.nodes[1:]))
    if n.op == "Abs":
        return Side("abs", (_side(n.nodes[0], row, world),))
    if place(n, scope.table.time_letter) is None or len(n.args) != 2:
        raise Meaningless("SR303", "a side that is no variable of a step", n.span)
    E = Elaborator(scope, solved=world.context.sizes_of(row.setting), lenient=True)
    return Side("value", (E(n),))
