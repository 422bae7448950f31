r"""The bracket after a symbol: a call, a time, a slice, a component, or only a factor."""

from __future__ import annotations

from symrnn.read.context import ARRAYS, Context, Draft
from symrnn.read.pieces import Piece, Pieces, span_of, split_pieces
from symrnn.read.skeleton import make
from symrnn.read.symbols import STANDARD
from symrnn.read.tokens import Refused
from symrnn.read.tree import Node

INDICATORS = frozenset({"bb(I)", "I"})
"""Letters before a bracket with a relation in it: 1 where it holds, else 0."""


class Calls(Context):
    """Reads brackets after symbols, and lists of arguments."""

    def bracket_after(self, draft: Draft, fence: Piece, derived: bool) -> Node | None:
        """The call, time, slice or component that the bracket after a symbol makes of it; None if it is a factor."""
        opening, closing = fence.brackets
        inner = fence.parts[0]
        if draft.entry is None and draft.name == "E" and opening == "[" and not draft.primes:
            draft.name, draft.entry = "bb(E)", STANDARD["bb(E)"]      # the expected value
        head = draft.node()
        span = (draft.start, fence.end)
        if opening == "{" and draft.entry is not None and draft.entry.is_function and draft.name in STANDARD:
            arguments = self.arguments(inner)
            return make("Call", head, *(arguments if len(arguments) == 1 else (make("Set", *arguments),)), span=span)
        if draft.entry is None and draft.name in INDICATORS and any(p.kind == "rel" for p in inner):
            return make("Indicator", self.side(inner), span=span)
        if (opening, closing) not in (("(", ")"), ("[", "]")):
            return None
        parts = split_pieces(inner, "sep", ",", ";")
        several = len(parts) > 1 or any(p.is_("given") for p in inner)
        if opening == "[" and any(p.is_("rel", ":") for p in inner) and len(parts) == 1:
            return self.slice(head, fence)
        clock = {"call": "(", "bracket": "["}.get(self.table.time) == opening
        timeless = draft.time is None and not several and bool(inner) and (clock or not draft.index)
        if timeless and draft.sequence and (clock or self._only_time(inner)):
            if not clock:
                self.note(fence.start, "time-style", f"the bracket after {draft.name} is read as its time")
            draft.time, draft.end = self.expression(inner), fence.end
            return draft.node()
        if draft.name in self.table.values:
            return make("Call", head, *self.arguments(inner), span=span)
        if draft.entry is not None and draft.entry.is_function:
            return None if draft.index else make("Call", head, *self.arguments(inner), span=span)
        letters = all(len(p) == 1 and self.counts(p[0]) and (opening == "[" or p[0].kind == "letter") for p in parts)
        if draft.kind in ARRAYS and letters and not draft.index and not draft.primes:
            if opening == "(":
                self.note(fence.start, "component", f"the bracket after {draft.name} is read as its component")
            draft.index.extend(self.expression(p) for p in parts)
            draft.end = fence.end
            return draft.node()
        lone = len(inner) > 0 and inner[0].named and self.scripts(inner, 1)[1] == len(inner)
        argument = lone and draft.kind == "scalar" and not derived and (                        # L(theta), not nabla L (x)
            draft.name[0].isupper() or self._is_value(inner[0]))
        stacked = opening == "[" and several and draft.entry is None and draft.name[0].isupper()   # W_f [h, x]: a product
        if draft.kind in ARRAYS or stacked or not inner or not several and draft.entry is not None and not argument:
            return None
        if draft.entry is None:
            self.note(draft.start, "undeclared", f"{draft.name} is not declared; the bracket after it is read as a call")
        else:
            self.note(draft.start, "call", f"{draft.name} is no function; the bracket after it is read as a call")
        return make("Call", head, *self.arguments(inner), span=span)

    def _is_value(self, piece: Piece) -> bool:
        """Whether a symbol that stands alone in a bracket after a number is what a function is taken at: a matrix, a step."""
        entry = self.table.get(piece.text)
        return entry is not None and (entry.kind in ("matrix", "size") or entry.role == "time")

    def slice(self, base: Node, fence: Piece) -> Node:
        """A base with the bounds of a slice after it."""
        ends = split_pieces(fence.parts[0], "rel", ":")
        if len(ends) > 2:
            raise Refused(fence.start, "[", "a slice has one colon")
        return make("Slice", base, *(self.expression(e) if e else Node("Absent") for e in ends), span=(base.span[0], fence.end))

    def _only_time(self, inner: Pieces) -> bool:
        """A time variable alone, or with a whole number added."""
        return inner[0].named and inner[0].text == self.table.time_letter and (
            len(inner) == 1 or len(inner) == 3 and inner[1].is_("op", "+", "-") and inner[2].kind == "number")

    def arguments(self, inner: Pieces) -> list[Node]:
        """The arguments of a bracket; those after a semicolon or a bar are in one Given at the end."""
        bars = [p for p in inner if p.is_("bar", "|")]
        if len(bars) == 1:
            inner = tuple(Piece("given", "|", p.start, p.end) if p is bars[0] else p for p in inner)
        runs: list[list[Piece]] = [[]]
        for piece in inner:
            if piece.is_("given") or piece.is_("sep", ";"):
                runs.append([])
            else:
                runs[-1].append(piece)
        groups = [self._listed(run) if run else [] for run in runs]
        given = [node for group in groups[1:] for node in group]
        return groups[0] + ([make("Given", *given)] if given else [])

    def _listed(self, run: list[Piece]) -> list[Node]:
        out = []
        for part in split_pieces(run, "sep", ","):
            part = [p for p in part if not p.is_("sep", "quad")]
            if not part:
                raise Refused(span_of(run)[1], ",", "an argument between commas is missing")
            if len(part) == 1 and part[0].is_("op", "Dot"):
                out.append(Node("Slot", (), (part[0].start, part[0].end)))
            else:
                out.append(self.side(part))
        return out
