r"""Matrices and definitions by cases, from the rows and cells of their environments."""

from __future__ import annotations

from symrnn.read.bounds import Bounds
from symrnn.read.pieces import Piece, Pieces, split_pieces
from symrnn.read.skeleton import make
from symrnn.read.tokens import Refused
from symrnn.read.tree import ABSENT, OTHERWISE, Node

_CONDITION_WORDS = frozenset("if for when where with".split())
_OTHERWISE_WORDS = frozenset("otherwise else otherwise, else,".split())


class Arrays(Bounds):
    """Reads matrices and cases."""

    def matrix(self, inner: Pieces, span: tuple[int, int]) -> Node:
        """A matrix of its rows."""
        rows = [make("Row", *(self.side(cell) if cell else ABSENT for cell in split_pieces(row, "sep", "&")))
                for row in split_pieces(inner, "sep", "\\\\") if row]
        if not rows:
            raise Refused(span[0], "", "the matrix has no rows")
        return make("Matrix", *rows, span=span)

    def cases(self, inner: Pieces, span: tuple[int, int]) -> Node:
        """A definition by cases."""
        found = []
        for row in split_pieces(inner, "sep", "\\\\"):
            value, *rest = split_pieces(row, "sep", "&")
            if not value and not any(rest):
                continue
            condition = [p for run in rest for p in run]
            if not condition:
                k = next((k for k, p in enumerate(value) if _says(p, _CONDITION_WORDS | _OTHERWISE_WORDS)), len(value))
                value, condition = value[:k], value[k:]
            while value and (value[-1].kind == "sep" or value[-1].kind == "point"):
                value = value[:-1]
            found.append(make("If", self.expression(value, span), self._condition(condition, span)))
        if not found:
            raise Refused(span[0], "", "the definition has no cases")
        return make("Cases", *found, span=span)

    def _condition(self, pieces: list[Piece], span: tuple[int, int]) -> Node:
        pieces = [p for p in pieces if not p.is_("sep", "quad")]
        while pieces and pieces[-1].kind in ("point", "sep"):
            pieces = pieces[:-1]
        if pieces and _says(pieces[0], _OTHERWISE_WORDS) and len(pieces) == 1:
            return OTHERWISE
        while pieces and _says(pieces[0], _CONDITION_WORDS):
            pieces = pieces[1:]
        if not pieces:
            raise Refused(span[1], "", "the condition of a case is missing")
        return self.side(pieces)


def _says(piece: Piece, words: frozenset[str]) -> bool:
    return piece.kind in ("text", "word") and piece.text.strip().lower() in words
