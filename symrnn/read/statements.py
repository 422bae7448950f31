r"""Rows, chains of relations, conditions and lists: from the pieces of a whole span to its statements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symrnn.read import signs
from symrnn.read.items import Items
from symrnn.read.pieces import Piece, Pieces, span_of, split_pieces
from symrnn.read.skeleton import make
from symrnn.read.tokens import Refused
from symrnn.read.tree import ELLIPSIS, Node

CONDITION_WORDS = frozenset({"if", "for", "where", "with", "when", "whenever", "for all", "for each", "for every", "given",
                             "forall", "subject to", "s.t.", "such that", "as", "over", "at", "provided that"})
"""Words after which a condition stands."""

JOINING_WORDS = frozenset({"and", "or", "so", "thus", "hence", "then", "therefore", "which gives", "i.e.", "or equivalently"})
"""Words between statements that say no more than a comma."""

_NEEDS_LEFT = ("Dot", "Times", "Star", "Had", "Ring", "Outer", "Plus", "Div", "+", "PlusMinus")


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a row between separators, and whether a word before it makes it a condition."""

    pieces: tuple[Piece, ...]
    condition: bool = False

    @property
    def related(self) -> bool:
        """Whether it holds a relation."""
        return any(p.kind in ("rel", "link") for p in self.pieces)


class Statements(Items):
    """Reads whole spans."""

    def span(self, pieces: Pieces) -> Node:
        """The tree of a span: one statement, or Rows."""
        rows = self._rows(pieces)
        if not rows:
            raise Refused(0, "", "there is nothing to read")
        nodes = []
        for row in rows:
            self.clocks = set()
            nodes.append(self.statement(row))
        return nodes[0] if len(nodes) == 1 else make("Rows", *nodes)

    def side(self, pieces: Sequence[Piece]) -> Node:
        return (self.statement if any(p.kind in ("rel", "link") for p in pieces) else self.expression)(pieces)

    # -- rows -----------------------------------------------------------------------------------------------------------
    def _rows(self, pieces: Pieces) -> list[list[Piece]]:
        """The rows of a span, each with what continues it."""
        rows: list[list[Piece]] = []
        for row in self._flat(pieces):
            empty_first = bool(row) and row[0].is_("sep", "&")
            cells = [c for c in split_pieces(row, "sep", "&") if any(not p.is_("sep", "quad") for p in c)]
            joined = self._joined(cells)
            while joined and joined[0].is_("sep", "quad"):
                joined = joined[1:]
            if not joined:
                continue
            if rows and self._continues(rows[-1], joined, empty_first):
                last = _stripped(rows[-1])
                if last and last[-1].kind == "rel" and joined[0].is_("rel", last[-1].text):
                    self.note(last[-1].start, "empty-side", "the side between two relations is empty and was left out")
                    last = last[:-1]
                rows[-1] = last + joined
            else:
                rows.append(joined)
        return rows

    def _flat(self, pieces: Sequence[Piece]) -> list[list[Piece]]:
        """The rows of pieces and of the environments of rows in them."""
        while len(pieces) == 1 and pieces[0].kind == "group":
            pieces = pieces[0].parts[0]
        out: list[list[Piece]] = []
        for run in split_pieces(pieces, "sep", "\\\\"):
            row: list[Piece] = []
            for piece in run:
                inner = self._row_parts(piece)
                if inner is None:
                    row.append(piece)
                    continue
                first, *more = self._flat(inner)
                row += first
                if more:
                    out.append(row)
                    out.extend(more[:-1])
                    row = list(more[-1])
            out.append(row)
        return out

    def _row_parts(self, piece: Piece) -> Pieces | None:
        """The contents of an environment whose rows are statements; None for any other piece."""
        if piece.kind == "group" and any(self._row_parts(p) is not None for p in piece.parts[0]):
            return piece.parts[0]
        if piece.kind != "env":
            return None
        if piece.text in signs.ROW_ENVIRONMENTS:
            return piece.parts[0]
        if piece.text == "array" and any(p.kind == "rel" for p in piece.parts[0]):
            return piece.parts[0]
        return None

    def _joined(self, cells: list[list[Piece]]) -> list[Piece]:
        """The cells of a row as one run; a wide space separates cells that do not continue each other."""
        out: list[Piece] = []
        for cell in cells:
            if out and not _open_end(out) and not _open_start(cell):
                out.append(Piece("sep", "quad", cell[0].start, cell[0].start))
            out += cell
        return out

    def _continues(self, last: list[Piece], row: list[Piece], empty_first: bool) -> bool:
        """Whether a row goes on with the row before it."""
        if row[0].kind == "rel" or _open_end(last):
            return True
        if row[0].kind == "op" and row[0].text in _NEEDS_LEFT:
            return True
        return row[0].is_("op", "-") and (empty_first or not any(p.kind == "rel" for p in row))

    # -- statements -------------------------------------------------------------------------------------------------------
    def statement(self, pieces: Sequence[Piece]) -> Node:
        """The tree of one row: a chain, a list, or a statement with conditions."""
        row = self._unnumbered(_stripped(list(pieces)))
        if len(row) > 1 and row[0].kind == "link":                    # a conclusion from what stands before
            return make("Implies", ELLIPSIS.at((row[0].start, row[0].end)), self.statement(row[1:]))
        if not row:
            raise Refused(*_where(pieces), "a statement is missing here")
        for link in ("Implies", "Iff"):
            parts = split_pieces(row, "link", link)
            if len(parts) > 1:
                return make(link, *(self.statement(p) for p in parts))
        segments = self._segments(row)
        if len(segments) == 1 and not segments[0].condition:
            return self._chain(segments[0].pieces)
        return self._listed_statements(self._merged(segments))

    def _unnumbered(self, row: list[Piece]) -> list[Piece]:
        """A row without the number of the equation, which stands in brackets after a wide space."""
        apart = len(row) > 2 and row[-1].is_("fence", "( )") and row[-2].is_("sep", "quad") and any(p.kind == "rel" for p in row[:-2])
        number = row[-1].parts[0] if apart else ()
        if len(number) != 1 or number[0].kind != "number":
            return row
        self.note(row[-1].start, "number", f"({number[0].text}) is read as the number of the equation")
        return _stripped(row[:-2])

    def _segments(self, row: list[Piece]) -> list[Segment]:
        """The parts of a row between commas, wide spaces and words."""
        out: list[Segment] = []
        current: list[Piece] = []
        condition = False
        for k, piece in enumerate(row):
            word = piece.text.strip().strip(",.;:").lower() if piece.kind in ("text", "word", "forall") else ""
            starts = word in CONDITION_WORDS and not self._applied(row, k)
            joins = word in JOINING_WORDS and not self._applied(row, k)
            wide = piece.is_("sep", "quad")
            if wide and (_open_end(current) or _open_start(row[k + 1 :])) and current:
                continue
            if not (starts or joins or wide or piece.is_("sep", ",", ";")):
                current.append(piece)
                continue
            if current:
                out.append(Segment(tuple(current), condition))
                current, condition = [], False
            condition = starts or condition and not joins
        if current:
            out.append(Segment(tuple(current), condition))
        elif condition:
            raise Refused(*_where(row[-1:]), "a condition must follow")
        if not out:
            raise Refused(*_where(row), "a statement is missing here")
        return [s for k, segment in enumerate(out) for s in (self._bracketed_range(segment) if k else (segment,))]

    def _bracketed_range(self, segment: Segment) -> Sequence[Segment]:
        """The parts of a condition that stands in brackets after a statement, as in (t = 1, ..., T)."""
        alone = segment.pieces[0] if len(segment.pieces) == 1 else None
        if alone is None or not alone.is_("fence", "( )") or not any(p.kind == "rel" for p in alone.parts[0]):
            return (segment,)
        first, *rest = self._segments(list(alone.parts[0]))
        return Segment(first.pieces, True), *rest

    def _applied(self, row: list[Piece], k: int) -> bool:
        """Whether a word is used as a symbol: it is declared, or a bracket or script follows it."""
        after = row[k + 1] if k + 1 < len(row) else None
        return row[k].text in self.table or row[k].kind == "word" and after is not None and after.kind == "script"

    def _merged(self, segments: list[Segment]) -> list[tuple[Node, bool]]:
        """The statements of segments and whether each is a condition; listed ranges and shared relations are joined."""
        out: list[tuple[Node, bool]] = []
        k = 0
        while k < len(segments):
            segment = segments[k]
            more = k + 1
            while more < len(segments) and not segments[more].related and not segments[more].condition:
                more += 1
            tail = segments[k + 1 : more]
            dotted = any(len(s.pieces) == 1 and s.pieces[0].kind == "dots" for s in tail)
            if segment.related and dotted:
                chain = self._chain(segment.pieces)
                last = chain.nodes[-1]
                listed = make("Enum", last.nodes[0], *(self.expression(s.pieces) for s in tail))
                out.append((make("Chain", *chain.args[:-1], make("Rel", last.head, listed)), segment.condition))
                k = more
                continue
            following = segments[more] if more < len(segments) else None
            shared = following is not None and not segment.related and not following.condition and self._sets(following)
            if shared and following is not None:
                chain = self._chain(following.pieces)
                for one in segments[k:more]:
                    out.append((make("Chain", self.expression(one.pieces), *chain.args[1:]), segment.condition))
                out.append((chain, segment.condition))
                k = more + 1
                continue
            out.append((self._chain(segment.pieces), segment.condition))
            k += 1
        return out

    def _sets(self, segment: Segment) -> bool:
        """Whether the first relation of a segment says what something is an element of."""
        return next((p.text in ("in", ":") for p in segment.pieces if p.kind == "rel"), False)

    def _listed_statements(self, found: list[tuple[Node, bool]]) -> Node:
        """Statements with the conditions after them."""
        out: list[list[Node]] = []
        pending: list[Node] = []
        for node, condition in found:
            condition = condition or bool(out) and self._is_range(node) and not self._is_range(out[-1][0])
            if condition and out:
                out[-1].append(node)
            elif condition:
                pending.append(node)
            else:
                out.append([node, *pending])
                pending = []
        if not out:
            out = [[node] for node in pending] if len(pending) > 1 else [pending]
        nodes = [make("Where", *group) if len(group) > 1 else group[0] for group in out]
        return nodes[0] if len(nodes) == 1 else make("Seq", *nodes)

    def _is_range(self, node: Node) -> bool:
        """Whether a statement says which values something that counts takes."""
        if node.op != "Chain":
            return False
        left = node.nodes[0]
        middle = node.nodes[1].nodes[0] if len(node.args) == 3 else left
        return any(n.op == "Sym" and len(n.args) == 1 and self._counter(n.head) for n in (left, middle))

    def _counter(self, name: str) -> bool:
        entry = self.table.get(name)
        return self.counts(Piece("letter", name, 0, 0)) or entry is not None and entry.kind in ("index", "size")

    def _chain(self, pieces: Sequence[Piece]) -> Node:
        """Relations in a row, or an expression."""
        rels = [p for p in pieces if p.kind == "rel"]
        sides = split_pieces(pieces, "rel")
        end = span_of(list(pieces))[1]
        ends = [*rels, Piece("", "", end, end)]
        for side, rel in zip(sides, ends, strict=True):
            if not side:
                raise Refused(rel.start, rel.text, "one side of the relation is missing")
        nodes = [self.expression(side) for side in sides]
        if not rels:
            return nodes[0]
        chain = make("Chain", nodes[0], *(make("Rel", rel.text, node, span=(rel.start, node.span[1]))
                                          for rel, node in zip(rels, nodes[1:], strict=True)))
        conditions = [self.statement(part) for rel in rels for part in rel.parts]
        return make("Where", chain, *conditions) if conditions else chain


def _stripped(row: list[Piece]) -> list[Piece]:
    """A row without the punctuation and space at its ends."""
    while row and (row[-1].kind in ("sep", "point")):
        row = row[:-1]
    while row and row[0].is_("sep", "quad"):
        row = row[1:]
    return row


def _open_end(run: Sequence[Piece]) -> bool:
    """Whether a run ends with something that needs a right side."""
    return bool(run) and (run[-1].kind in ("rel", "link", "op", "big", "nabla") and not run[-1].is_("op", "Slot"))


def _open_start(run: Sequence[Piece]) -> bool:
    """Whether a run begins with something that needs a left side."""
    run = [p for p in run[:2] if not p.is_("sep", "quad")]
    return bool(run) and (run[0].kind == "rel" or run[0].kind == "op")


def _where(pieces: Sequence[Piece]) -> tuple[int, str]:
    return (pieces[0].start, pieces[0].text) if pieces else (0, "")
