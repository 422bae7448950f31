r"""What the structure of a formula is made of: letters, words, signs, and brackets with their contents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from symrnn.read.names import join_name

Pieces = tuple["Piece", ...]

POWER = "**"
"""The mark of a power that is written as in programs: neither a transposition nor a time."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of structure.

    ========= ======================================= =====================================================
    kind      text                                    parts
    ========= ======================================= =====================================================
    letter    canonical name of one letter            none
    word      canonical word                          the letters, when it may also be a product of them
    number    the numeral                             none
    const     0 or 1 in bold, blackboard or arrowed   none
    space     letter of a set of numbers              none
    text      words as they stand                     none
    group     empty                                   the contents of a pair of braces
    fence     opening and closing bracket, by a space the contents
    frac      empty                                   numerator, denominator
    column    the command                             what stands above, what stands below
    root      empty                                   body, degree (may be empty)
    env       name of the environment                 the contents
    unknown   a command that no table has             none
    other     normal form of a sign (signs.SIGNS)     none; the kind is the class of the sign
    ========= ======================================= =====================================================
    """

    kind: str
    text: str
    start: int
    end: int
    parts: tuple[Pieces, ...] = ()
    font: str = ""

    def is_(self, kind: str, *texts: str) -> bool:
        """Whether it is of this kind and, if texts are given, has one of them."""
        return self.kind == kind and (not texts or self.text in texts)

    @property
    def named(self) -> bool:
        """Something that can be a symbol: a letter, a word or an unknown command."""
        return self.kind in ("letter", "word", "unknown")

    @property
    def brackets(self) -> tuple[str, str]:
        """Opening and closing bracket of a fence."""
        opening, _, closing = self.text.partition(" ")
        return opening, closing

    def with_font(self, font: str) -> Piece:
        """The same piece in a font."""
        return replace(self, font=font)


def split_pieces(pieces: Iterable[Piece], kind: str, *texts: str) -> list[list[Piece]]:
    """The runs between separators of this kind and these texts; brackets are pieces, so nothing inside is split."""
    runs: list[list[Piece]] = [[]]
    for piece in pieces:
        if piece.is_(kind, *texts):
            runs.append([])
        else:
            runs[-1].append(piece)
    return runs


def span_of(pieces: Sequence[Piece], default: tuple[int, int] = (0, 0)) -> tuple[int, int]:
    """The offsets that a run of pieces covers."""
    return (min(p.start for p in pieces), max(p.end for p in pieces)) if pieces else default


_SHOWN = {"Dot": ".", "Times": "x", "Star": "*", "Had": "o", "Ring": "o", "Div": "/", "top": "T", "prime": "'"}


def name_of(pieces: Sequence[Piece]) -> str:
    """The canonical name that pieces write: agrees with :func:`symrnn.read.names.canonical_name` on their text."""
    base, scripts, i = "", {"_": "", "^": ""}, 0
    while i < len(pieces):
        piece = pieces[i]
        i += 1
        if piece.is_("script", "_", "^") and i < len(pieces):
            scripts[piece.text] += name_of(group_contents(pieces[i]))
            i += 1
        elif piece.kind == "fence":
            opening, closing = piece.brackets
            base += opening + name_of(piece.parts[0]) + closing
        elif piece.parts and piece.kind in ("group", "frac", "root", "env"):
            base += "".join(name_of(part) for part in piece.parts)
        else:
            base += _SHOWN.get(piece.text, piece.text)
    return join_name(base, scripts["_"], scripts["^"])


def group_contents(piece: Piece) -> Pieces:
    """The contents of a pair of braces, or the piece alone."""
    return piece.parts[0] if piece.kind == "group" else (piece,)
