r"""Derivatives: fractions of partial signs or d, their orders and variables, those with a slash, and ``\partial_x f``."""

from __future__ import annotations

from collections.abc import Sequence

from symrnn.read.atoms import Atoms
from symrnn.read.pieces import Piece, Pieces, group_contents, name_of
from symrnn.read.skeleton import make
from symrnn.read.tokens import Refused
from symrnn.read.tree import SLOT, Node

WINDOW = 40
"""Pieces within which the slash of a derivative such as dL/dW must stand."""


class Derivatives(Atoms):
    """Reads derivatives."""

    def one(self, pieces: Sequence[Piece], i: int) -> tuple[Node, int]:
        """One factor: the node of the piece at `i` with its scripts and brackets, and the index after it."""
        raise NotImplementedError

    def _mark(self, pieces: Sequence[Piece]) -> str:
        """The kind of derivative that a run begins with, or ''."""
        if not pieces:
            return ""
        first = pieces[0]
        if first.kind == "partial":
            return "" if len(pieces) > 1 and pieces[1].is_("script", "_") else "partial"
        for letter, kind in (("d", "d"), ("D", "total")):
            if first.is_("letter", letter) and (first.font == "\\mathrm" or letter not in self.table):
                return kind
        return ""

    def derivative(self, frac: Piece, above: Pieces, below: Pieces) -> Node | None:
        """The derivative that a fraction is, or None if it is a quotient."""
        kind = self._mark(above)
        bare = all(run and run[0].is_("letter", "d") and (len(run) < 2 or run[1].kind not in ("script", "op"))
                   for run in (above, below))
        if not kind and bare and len(below) > 1:
            self.note(frac.start, "derivative-or-quotient", "d is declared, but the fraction is read as a derivative")
            above, below = (tuple(p.with_font("\\mathrm") if p.is_("letter", "d") else p for p in run) for run in (above, below))
            kind = "d"
        if not kind and all(len(run) > 1 and run[0].is_("letter", "delta") and run[1].named for run in (above, below)):
            self.note(frac.start, "derivative-or-quotient", "the fraction of two deltas is read as a derivative")
            above, below = ((Piece("partial", "partial", run[0].start, run[0].end), *run[1:]) for run in (above, below))
            kind = "partial"
        marks = [k for k in range(len(below)) if kind and self._mark(below[k:]) == kind and not (
            k and below[k - 1].kind == "script")]
        if not kind or not marks and kind != "partial":
            return None
        order, kind, numerator = self._order(above, kind)
        span = (frac.start, frac.end)
        if not marks:
            self.note(frac.start, "derivative-sign", "the denominator has no sign of derivation; it is read as if it had one")
            segments, lead = [below], below[:0]
        else:
            segments = [_unmarked(below[a + 1 : b]) for a, b in zip(marks, [*marks[1:], len(below)], strict=True)]
            lead = below[: marks[0]]
        lead = lead[:-1] if lead and lead[-1].is_("op", "Dot", "Times", "Star") else lead
        denominators = [node for segment in segments for node in self._variable(segment, order, frac)]
        if len(denominators) != order:
            raise Refused(frac.start, "", f"a derivative of order {order} must have as many variables, not {len(denominators)}")
        body = self.expression(numerator) if numerator else SLOT
        node = make("Deriv", kind, str(order), body, *denominators, span=span)
        return make("Div", node, self.expression(lead), span=span) if lead else node

    def _order(self, above: Pieces, kind: str) -> tuple[int, str, Pieces]:
        """Order and kind of a derivative, and what stands after its sign."""
        if len(above) > 2 and above[1].is_("script", "^"):
            inner = group_contents(above[2])
            if name_of(inner) == "+" and kind == "partial":
                return 1, "immediate", above[3:]
            if len(inner) == 1 and inner[0].kind == "number" and inner[0].text in "123456789":
                return int(inner[0].text), kind, above[3:]
            raise Refused(above[2].start, name_of(inner), "the order of a derivative must be a small number")
        return 1, kind, above[1:]

    def _variable(self, segment: Pieces, order: int, frac: Piece) -> list[Node]:
        """The variable of one sign in a denominator, as often as its power says."""
        if not segment:
            raise Refused(frac.end, "", "the variable of the derivative is missing")
        if order > 1 and len(segment) > 2 and segment[-2].is_("script", "^"):
            inner = group_contents(segment[-1])
            if len(inner) == 1 and inner[0].kind == "number" and inner[0].text in "23456789":
                return [self.expression(segment[:-2])] * int(inner[0].text)
        return [self.expression(segment)]

    def plain_derivative(self, pieces: Sequence[Piece], i: int) -> tuple[Node, int] | None:
        """A derivative with a slash, or a differential, that begins with the letter d."""
        if i + 1 >= len(pieces) or not (
                pieces[i + 1].named or pieces[i + 1].is_("script", "^") or pieces[i + 1].kind in ("fence", "group")):
            return None
        if not self._mark(pieces[i:]):
            slash = next((k for k in range(i, min(len(pieces) - 2, i + WINDOW)) if pieces[k].is_("op", "Div")), None)
            tight = slash is not None and pieces[slash + 1].is_("letter", "d") and pieces[slash + 2].named and all(
                pieces[k].end == pieces[k + 1].start for k in (i, slash + 1))
            if not tight or slash is None:
                return None
            self.note(pieces[i].start, "derivative-or-quotient", "d is declared, but the fraction is read as a derivative")
            upright = {i, slash + 1}
            pieces = [p.with_font("\\mathrm") if k in upright else p for k, p in enumerate(pieces)]
        found = self.slanted(pieces, i, "d")
        if found is None and pieces[i].font == "\\mathrm" and not pieces[i + 1].kind == "script":
            body, j = self.one(pieces, i + 1)
            return make("Differential", "d", body, span=(pieces[i].start, body.span[1])), j
        return found

    def by_subscript(self, pieces: Sequence[Piece], i: int) -> tuple[Node, int] | None:
        r"""``\partial_{x} f``: the variable is a lower script of the sign, and one factor follows, as after nabla."""
        if not (i + 1 < len(pieces) and pieces[i + 1].is_("script", "_")):
            return None
        scripts, j = self.scripts(pieces, i + 1)
        if len(scripts) > 1:
            raise Refused(pieces[i].start, pieces[i].text, "a partial sign with a lower script has no other script")
        variable = self.expression(scripts[0][1])
        body, j = self.one(pieces, j)
        return make("Deriv", "partial", "1", body, variable, span=(pieces[i].start, body.span[1])), j

    def slanted(self, pieces: Sequence[Piece], i: int, kind: str) -> tuple[Node, int] | None:
        """A derivative written with a slash: sign, one factor, slash, sign, one factor."""
        reach = range(i + 1, min(len(pieces), i + WINDOW))
        slash = next((k for k in reach if pieces[k].kind in ("op", "rel", "sep")), None)
        if slash is None or not pieces[slash].is_("op", "Div") or self._mark(pieces[slash + 1 :]) != kind:
            return None
        order, found, rest = self._order(tuple(pieces[i:slash]), kind)
        body, used = self.one(rest, 0) if rest else (SLOT, 0)
        if used < len(rest):
            return None
        j = slash + 1
        denominators: list[Node] = []
        while len(denominators) < order and self._mark(pieces[j:]) == kind:
            base, after = self.one(pieces, j + 1)
            power = int(base.nodes[1].head) if order > 1 and base.op == "Pow" and base.nodes[1].op == "Num" else 1
            denominators += [base.nodes[0] if power > 1 else base] * power
            j = after
        if len(denominators) != order:
            raise Refused(pieces[slash].start, "/", f"a derivative of order {order} must have as many variables")
        return make("Deriv", found, str(order), body, *denominators, span=(pieces[i].start, pieces[j - 1].end)), j


def _unmarked(segment: Pieces) -> Pieces:
    """The variable of a sign in a denominator, without the plus of an immediate derivative on that sign."""
    marked = len(segment) > 2 and segment[0].is_("script", "^") and name_of(group_contents(segment[1])) == "+"
    return segment[2:] if marked else segment
