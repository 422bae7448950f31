r"""Gradients that carry the name of what they are taken by, after a letter that the table knows as their prefix.

============================================= ==================================
written                                       gradient by
============================================= ==================================
``\delta h_t``, ``dW``, ``d\tilde c_{t}``     the symbol that follows
``\delta_{h_t}``, ``\delta_{h,t}``, ``d_{W}`` the symbol below
``\delta_h^t``, ``\delta_{h}^{(t)}``          the symbol below at the step above
``\delta^{(h)}_t``, ``\delta^h_t``            the symbol above at the step below
============================================= ==================================

The symbol must be declared; anything else is no such gradient. A prefix that is declared as a symbol too stands before none.
"""

from __future__ import annotations

from collections.abc import Sequence

from symrnn.read.calls import Calls
from symrnn.read.context import Script
from symrnn.read.pieces import Piece, Pieces, span_of, split_pieces
from symrnn.read.skeleton import Item, make
from symrnn.read.tree import Node

KINDS = ("scalar", "vector", "matrix")
"""What a loss has a gradient by."""

Found = tuple[Node, list[Item], int]
"""A gradient, what is written on it, and the index after both."""


class Named(Calls):
    """Reads named gradients."""

    def symbol(self, pieces: Sequence[Piece], i: int, twice: bool = False) -> tuple[list[Item], int]:
        """The items of the symbol at `i`, with its scripts and, where it is one, its call; and the index after them."""
        raise NotImplementedError

    def named_gradient(self, pieces: Sequence[Piece], i: int) -> Found | None:
        """The gradient that begins with the prefix at `i`; None if that letter stands for something else here."""
        if i + 1 < len(pieces) and (pieces[i + 1].named or pieces[i + 1].kind == "group"):
            return self._beside(pieces, i)
        scripts, j = self.scripts(pieces, i + 1)
        marks = {mark: inner for mark, inner in scripts}
        if len(marks) < len(scripts) or not marks:
            return None
        found = self._by(marks)
        if found is None:
            return None
        posts = [Item("post", span_of(inner), "Transpose") for mark, inner in scripts if mark == "^" and self.transposes(inner, "")]
        return self._made(pieces[i], found, pieces[j - 1].end), posts, j

    def _made(self, prefix: Piece, by: Node, end: int) -> Node:
        return make("Gradient", prefix.text, by.at((prefix.start, end)), span=(prefix.start, end))

    def _beside(self, pieces: Sequence[Piece], i: int) -> Found | None:
        """The prefix before a symbol; a letter that is a symbol itself is a factor there."""
        if pieces[i].text in self.table:
            return None
        inner = pieces[i + 1].parts[0] if pieces[i + 1].kind == "group" else ()
        if pieces[i + 1].kind == "group" and not (inner and inner[0].named and self.scripts(inner, 1)[1] == len(inner)):
            return None
        run = [*pieces[: i + 1], *inner, *pieces[i + 2 :]] if inner else list(pieces)
        if not self._known(run[i + 1 :]):
            return None
        items, j = self.symbol(run, i + 1)
        by, *posts = items
        if by.kind != "atom" or not self._has_gradient(by.nodes[0]):
            return None
        return self._made(pieces[i], by.nodes[0], by.nodes[0].span[1]), posts, j - len(run) + len(pieces)

    def _known(self, run: Sequence[Piece]) -> bool:
        """Whether a run begins with something that may be a declared array or number under its own name or a label's."""
        return any(d.name == run[0].text or d.name.startswith((run[0].text + "_", run[0].text + "^")) for d in self.table
                   if d.kind in KINDS)

    def _has_gradient(self, n: Node) -> bool:
        d = self.table.get(n.head) if n.op == "Sym" else None
        return d is not None and d.kind in KINDS

    def _by(self, marks: dict[str, Pieces]) -> Node | None:
        """The symbol that the scripts of a prefix name, at its step."""
        low, high = marks.get("_"), marks.get("^")
        if high is not None and self.transposes(high, ""):
            high = None
        if len(marks) > 2 or "'" in marks:
            return None
        if low is not None and (by := self._symbol_of(low)) is not None:
            return by if high is None else self._timed(by, ("^", high))
        if high is None:
            return None
        bracket = len(high) == 1 and high[0].kind == "fence" and high[0].brackets == ("(", ")")
        above = self._symbol_of(high[0].parts[0] if bracket else high)
        if above is None or above.part("Time") is not None:
            return None
        return above if low is None else self._timed(above, ("_", low))

    def _symbol_of(self, script: Pieces) -> Node | None:
        """The declared symbol that a script is: ``h_{t-1}``, or ``h, t``."""
        name, *rest = split_pieces(script, "sep", ",")
        braced = bool(name) and name[0].kind == "group" and len(name) > 1
        name = [*name[0].parts[0], *name[1:]] if braced else name
        if not name or len(rest) > 1 or not name[0].named or not self._known(name):
            return None
        flat = not rest and len(name) > 1 and name[1].kind != "script"              # ht: the symbol h and the step t
        head, after = (name[:1], name[1:]) if flat else (name, rest[0] if rest else [])
        if self.scripts(head, 1, braced)[1] != len(head) or (flat and not self.mentions_time(after[:1])):
            return None
        items, _ = self.symbol(head, 0, braced)
        if len(items) != 1 or not self._has_gradient(items[0].nodes[0]):
            return None
        return self._timed(items[0].nodes[0], ("_", tuple(after))) if after else items[0].nodes[0]

    def _timed(self, by: Node, script: Script) -> Node | None:
        """A symbol at the step that a script says; None if it has one already, or the script says none."""
        mark, inner = script
        while len(inner) == 1 and inner[0].kind == "fence" and inner[0].brackets in (("(", ")"), ("<", ">")):
            inner = inner[0].parts[0]
        if by.part("Time") is not None or not self.mentions_time(inner) and not self._is_step(inner):
            return None
        return Node("Sym", (by.head, Node("Time", (self.expression(inner),)), *by.args[1:]), by.span)

    def _is_step(self, inner: Pieces) -> bool:
        """A letter that runs over steps in a sum around, or a number."""
        return bool(inner) and (inner[0].text in self.clocks or len(inner) == 1 and inner[0].kind == "number")
