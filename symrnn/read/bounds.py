r"""The bounds of sums and products: which variable, from where to where, under which restriction."""

from __future__ import annotations

from symrnn.read.derivatives import Derivatives
from symrnn.read.pieces import Pieces, span_of, split_pieces
from symrnn.read.skeleton import make
from symrnn.read.tree import ABSENT, Node, num


class Bounds(Derivatives):
    """Reads what stands below and above a sum."""

    def bounds(self, sub: Pieces, upper: Node) -> tuple[Node, ...]:
        """Variable, lower bound, upper bound and restriction, for each variable of a sum."""
        quads: list[list[Node]] = []
        pending: list[Node] = []
        for part in split_pieces(sub, "sep", ",", "\\\\"):
            rels = [p.text for p in part if p.kind == "rel"]
            sides = [self.expression(run, span_of(sub)) for run in split_pieces(part, "rel")]
            if not rels and quads and any(p.kind in ("text", "word") for p in part):
                quads[-1][3] = sides[0]                                # t = 1, t odd
                continue
            if not rels:
                pending.append(sides[0])
                continue
            quad = _bound(rels, sides, upper)
            if pending and len(rels) == 1 and pending[-1] in sides:      # \\sum_{j, i \\ne j}
                chain = make("Chain", sides[0], make("Rel", rels[0], sides[1]))
                quads += [[variable, ABSENT, upper, ABSENT] for variable in pending[:-1]]
                quads.append([pending[-1], ABSENT, upper, chain])
                pending = []
                continue
            if quads and quad[3] != ABSENT:
                quads[-1][3] = quad[3] if quads[-1][3] == ABSENT else make("Seq", quads[-1][3], quad[3])
                continue
            quads += [[variable, *quad[1:]] for variable in pending] + [quad]
            pending = []
        quads += [[variable, ABSENT, upper, ABSENT] for variable in pending]
        return tuple(node for quad in quads for node in quad)


_SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _bound(rels: list[str], sides: list[Node], upper: Node) -> list[Node]:
    """The bounds that one condition under a sum gives: variable, lower, upper, restriction."""
    if len(rels) == 2 and rels[0] in _SWAPPED and rels[1] in _SWAPPED:
        low, high = (0, 2) if rels[0] in ("<", "<=") else (2, 0)
        first, second = (rels[0], rels[1]) if low == 0 else (_SWAPPED[rels[1]], _SWAPPED[rels[0]])
        if first in ("<", "<=") and second in ("<", "<="):
            return [sides[1], _next(sides[low], first, 1), _next(sides[high], second, -1), ABSENT]
    if len(rels) == 1 and rels[0] == "=":
        return [sides[0], sides[1], upper, ABSENT]
    if rels == ["=", ":"] and upper == ABSENT:
        return [*sides, ABSENT]
    if rels == ["in"] and upper == ABSENT and (ends := _listed(sides[1])) is not None:
        return [sides[0], *ends, ABSENT]
    if len(rels) == 1 and rels[0] in (">", ">=") and upper == ABSENT:
        return [sides[0], _next(sides[1], rels[0], 1), upper, ABSENT]
    if len(rels) == 1 and rels[0] in ("<", "<=") and upper == ABSENT:
        return [sides[0], ABSENT, _next(sides[1], rels[0], -1), ABSENT]
    chain = make("Chain", sides[0], *(make("Rel", r, s) for r, s in zip(rels, sides[1:], strict=True)))
    return [sides[0], ABSENT, upper, chain]


def _listed(values: Node) -> tuple[Node, Node] | None:
    """The first and the last of whole numbers that are listed: a set with dots, or an interval in square brackets."""
    if values.op == "Set" and len(values.nodes) > 2 and values.nodes[-2].op == "Ellipsis" and values.nodes[0].op != "Ellipsis":
        return values.nodes[0], values.nodes[-1]
    if values.op == "List" and len(values.nodes) == 2 or values.op == "Interval" and values.head == "[]":
        return values.nodes[0], values.nodes[1]
    return None


def _next(bound: Node, relation: str, step: int) -> Node:
    """The bound that a strict relation between whole numbers means."""
    if relation in ("<=", ">="):
        return bound
    if bound.op == "Num" and bound.head.isdigit() and int(bound.head) + step >= 0:
        return num(int(bound.head) + step).at(bound.span)
    one = num(1)
    return make("Add", bound, one if step > 0 else make("Neg", one), span=bound.span)
