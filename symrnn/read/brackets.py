r"""What a bracket that follows no function holds: a grouping, a tuple, a list, blocks, a set, an interval, a norm, ...

============================== =======================================================
written                        read as
============================== =======================================================
``(x)``                        x
``(x, y)``, ``(x, y; z)``      Tuple, with the part after the semicolon Given
``[x, y]``                     List
``[x; y]``, ``(x; y)``         Stack
``(A \quad B)``                Matrix of one Row, with a note
``[i = j]``                    Indicator
``(0, 1)``, ``[0, 1)``         Interval, where both ends are numbers or the brackets differ
``\{x, y\}``, ``\{x : c\}``    Set
``|x|``, ``\|x\|``             Abs, Norm
``\langle x, y\rangle``        Inner
============================== =======================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symrnn.read.pieces import Piece, Pieces, split_pieces
from symrnn.read.skeleton import make
from symrnn.read.tokens import Refused
from symrnn.read.tree import Node

if TYPE_CHECKING:
    from symrnn.read.arrays import Arrays

_KINDS = {("|", "|"): "Abs", ("||", "||"): "Norm", ("<", ">"): "Inner", ("floor", "floor"): "Floor", ("ceil", "ceil"): "Ceil"}
_MIXED = {("(", ")"), ("[", "]"), ("(", "]"), ("[", ")")}


def bracketed(read: Arrays, opening: str, closing: str, inner: Pieces, span: tuple[int, int]) -> Node:
    """The node of a bracket. Errors: :class:`Refused` for an empty bracket and for brackets that do not go together."""
    if not inner:
        raise Refused(span[0], opening, "the brackets are empty")
    kind = _KINDS.get((opening, closing))
    if kind == "Inner":
        return make("Inner", *read.arguments(inner), span=span)
    if kind:
        return make(kind, read.expression(inner), span=span)
    if (opening, closing) == ("{", "}"):
        return _set(read, inner, span)
    if (opening, closing) == ("{", ".") and len(inner) == 1 and inner[0].kind == "env":
        return read.cases(inner[0].parts[0], span)
    if (opening, closing) not in _MIXED:
        raise Refused(span[0], opening, f"a bracket {opening} closed by {closing} has no meaning that is known")
    return _round_or_square(read, opening, closing, inner, span)


def _set(read: Arrays, inner: Pieces, span: tuple[int, int]) -> Node:
    """A set of its members, or of what fulfils a condition; or braces that only group."""
    colon = next((k for k, p in enumerate(inner) if p.is_("rel", ":")), None)
    if colon is not None:
        inner = (*inner[:colon], Piece("given", "|", inner[colon].start, inner[colon].end), *inner[colon + 1 :])
    return make("Set", *read.arguments(inner), span=span)


def _round_or_square(read: Arrays, opening: str, closing: str, inner: Pieces, span: tuple[int, int]) -> Node:
    commas = split_pieces(inner, "sep", ",")
    stacked = split_pieces(inner, "sep", ";")
    if len(commas) == 1 and len(stacked) == 1:
        bars = [p for p in inner if p.is_("bar") or p.is_("given")]
        halves = split_pieces(inner, bars[0].kind, bars[0].text) if len(bars) == 1 and opening == "[" else []
        if len(halves) == 2 and all(halves):                          # [h \| x], and [W | U] side by side
            read.note(span[0], "blocks", "a bar in a bracket is read as the border of blocks")
            nodes = [read.side(half) for half in halves]
            return make("List", *nodes, span=span) if bars[0].text == "||" else make("Matrix", make("Row", *nodes), span=span)
        blocks = [run for run in split_pieces(inner, "sep", "quad") if run]
        if any(p.kind in ("rel", "link") for p in inner):
            node = read.side(inner)
            return make("Indicator", node, span=span) if opening == "[" else node.at(span)
        if len(blocks) > 1 and not any(_open_ended(run) for run in blocks):
            read.note(span[0], "blocks", "wide space in a bracket is read as the border of blocks")
            return make("Matrix", make("Row", *map(read.expression, blocks)), span=span)
        return read.expression(inner).at(span)
    if len(stacked) > 1 and len(commas) == 1:
        return make("Stack", *(read.side(run) for run in stacked), span=span)
    if len(stacked) > 1 and opening == "[":
        rows = (make("Row", *(read.side(cell) for cell in split_pieces(run, "sep", ","))) for run in stacked)
        return make("Matrix", *rows, span=span)
    nodes = read.arguments(inner)
    if len(nodes) == 2 and (opening + closing in ("(]", "[)") or all(map(_is_end, nodes))):
        if opening + closing == "()":
            read.note(span[0], "interval", "a pair of numbers in brackets is read as an interval")
        return make("Interval", opening + closing, *nodes, span=span)
    if opening + closing not in ("()", "[]"):
        raise Refused(span[0], opening, f"a bracket {opening} closed by {closing} must be an interval")
    return make("Tuple" if opening == "(" else "List", *nodes, span=span)


def _open_ended(run: list[Piece]) -> bool:
    """Whether a block begins or ends with an operator, so that the space beside it separates nothing."""
    return run[-1].kind == "op" or run[0].is_("op", "+", "Dot", "Times", "Star", "Had", "Ring", "Outer", "Div")


def _is_end(node: Node) -> bool:
    """Whether a node can only be the end of an interval: a number or infinity, with or without a sign."""
    while node.op == "Neg":
        node = node.nodes[0]
    return node.op == "Num" or node.op == "Sym" and node.head == "infty"
