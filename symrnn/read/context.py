r"""What all readers of pieces share: the symbol table, the notes, what a piece is by that table, and scripts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from symrnn.read.pieces import POWER, Piece, Pieces, group_contents, span_of, split_pieces
from symrnn.read.skeleton import Item, make
from symrnn.read.symbols import Declared, SymbolTable
from symrnn.read.tokens import Note, Refused
from symrnn.read.tree import Node, num, sym

INDEX_LETTERS = frozenset("ijklmn")
"""Letters that count when nothing is declared of them."""

COUNTING = INDEX_LETTERS | {"t", "s"}
"""Letters that count components or steps, with primes too."""

ARRAYS = ("vector", "matrix")
"""Kinds that are no numbers and no functions."""

NUMBERS = frozenset("rho det tr Tr trace rank".split())
"""Functions of a matrix whose value is a number."""

Script = tuple[str, Pieces]
"""A mark (lower, upper or prime) and what is written there."""


@dataclass
class Draft:
    """A symbol while its scripts are being read."""

    name: str
    entry: Declared | None
    start: int
    end: int
    time: Node | None = None
    layer: Node | None = None
    index: list[Node] = field(default_factory=list)
    param: list[Node] = field(default_factory=list)
    primes: int = 0
    inverse: bool = False
    posts: list[Item] = field(default_factory=list)

    def node(self) -> Node:
        """The symbol, with its primes."""
        out = sym(self.name, time=self.time, layer=self.layer, index=tuple(self.index), param=tuple(self.param),
                  span=(self.start, self.end))
        if self.inverse:
            out = make("Inverse", out)
        for _ in range(self.primes):
            out = make("Prime", out)
        return out

    @property
    def kind(self) -> str:
        """The declared kind, or ''."""
        return self.entry.kind if self.entry else ""

    @property
    def sequence(self) -> bool:
        """Declared as a sequence over time."""
        return self.entry is not None and self.entry.sequence


def primed(inner: Pieces) -> Pieces:
    """A script in which a letter that counts, with primes on it, is a letter of its own, as in ``a_{k'}``."""
    out: list[Piece] = []
    for piece in inner:
        last = out[-1] if out else None
        counts = last is not None and last.kind == "letter" and not last.font and last.text.rstrip("'") in COUNTING
        if last is not None and counts and piece.is_("script", "'"):
            out[-1] = Piece("letter", last.text + "'", last.start, piece.end)
        else:
            out.append(piece)
    return tuple(out)


class Context:
    """What is known while a span is read; `build` is the grammar of the skeleton."""

    def __init__(self, table: SymbolTable, build: Callable[[Sequence[Item]], Node]) -> None:
        self.table = table
        self.build = build
        self.notes: list[Note] = []
        self.clocks: set[str] = set()                 # letters that run over times in the statement that is being read

    def expression(self, pieces: Sequence[Piece], default: tuple[int, int] = (0, 0)) -> Node:
        """The tree of an expression without relations."""
        raise NotImplementedError

    def side(self, pieces: Sequence[Piece]) -> Node:
        """The tree of an argument: an expression, or a statement where it holds a relation."""
        raise NotImplementedError

    def note(self, offset: int, code: str, message: str) -> None:
        """Keep a note, once."""
        if not any((note.code, note.message) == (code, message) for note in self.notes):
            self.notes.append(Note(offset, code, message))

    def mentions_time(self, pieces: Sequence[Piece]) -> bool:
        """Whether the time variable occurs in the pieces."""
        return any(p.named and p.text == self.table.time_letter or any(self.mentions_time(part) for part in p.parts)
                   for p in pieces)

    def counts(self, piece: Piece) -> bool:
        """Whether a piece is something that counts: a number, an index letter, the time variable."""
        entry = self.table.get(piece.text)
        if piece.kind == "number":
            return True
        if piece.kind != "letter":
            return False
        return entry.kind == "index" if entry else piece.text.rstrip("'") in INDEX_LETTERS or piece.text == self.table.time_letter

    def is_function(self, piece: Piece) -> bool:
        """Whether a piece names a function: declared as one, or standard and declared as nothing else."""
        entry = self.table.lookup(piece.text) if piece.named else None
        return entry is not None and entry.is_function

    def transposes(self, pieces: Pieces, kind: str) -> bool:
        """Whether an upper script says "transposed", on something of this kind ('' if that is unknown, `number` if it is surely one)."""
        if len(pieces) != 1 or not (pieces[0].kind == "top" or pieces[0].text == "T" and pieces[0].named):
            return False
        if pieces[0].kind == "top" or pieces[0].font in ("\\mathsf", "\\mathrm", "\\mathtt"):
            return True
        if kind != "number" and "T" not in self.table:
            return True
        plain = kind in ("scalar", "index", "size", "number")
        self.note(pieces[0].start, "transpose-or-power", "T is declared and stands as an upper script: read as "
                  + ("a power" if plain else "transposed"))
        return not plain

    def scripts(self, pieces: Sequence[Piece], i: int, twice: bool = False) -> tuple[list[Script], int]:
        """The scripts that begin at `i`, and the index after them; two alike only where braces, perhaps empty ones, keep them apart."""
        out: list[Script] = []
        while i < len(pieces) and (pieces[i].kind == "script" or self._parts(pieces, i)):
            if pieces[i].kind != "script":
                i, twice = i + 1, True
            mark = pieces[i]
            if mark.text == "'":
                out.append(("'", (mark,)))
                i += 1
                continue
            if mark.text == "^" and i + 1 < len(pieces) and pieces[i + 1].is_("script", "'"):       # \sigma^{'}
                out.append(("'", (pieces[i + 1],)))
                i += 2
                continue
            if i + 1 >= len(pieces) or pieces[i + 1].kind == "script":
                raise Refused(mark.start, mark.text, "a script must follow")
            inner = primed(group_contents(pieces[i + 1]))
            if not inner:
                raise Refused(mark.start, mark.text, "the script is empty")
            if not twice and any(m == mark.text for m, _ in out):
                raise Refused(mark.start, mark.text, "a second script of this kind; use braces")
            if mark.font == POWER:                                    # W**T is no transposed matrix
                inner = (Piece("group", POWER, inner[0].start, inner[-1].end, (inner,)),)
            if mark.text == "^" and all(p.kind == "prime" or p.is_("script", "'") for p in inner):
                out.extend([("'", (p,)) for p in inner])
            else:
                out.append((mark.text, inner))
            i += 2
        return out, i

    @staticmethod
    def _parts(pieces: Sequence[Piece], i: int) -> bool:
        """Whether empty braces stand between two scripts, as in h^{(t)}{}^T."""
        empty = pieces[i].kind == "group" and not pieces[i].parts[0]
        return empty and i + 1 < len(pieces) and pieces[i + 1].kind == "script"

    def posts(self, pieces: Sequence[Piece], i: int, kind: str = "") -> tuple[list[Item], int]:
        """The scripts at `i` on something that is no plain symbol, as items; and the index after them.

        The kind is ``number`` for what is one by its notation, such as a norm: nothing transposes it.
        """
        scripts, j = self.scripts(pieces, i)
        out = []
        for mark, inner in scripts:
            span = span_of(inner)
            if mark == "_":
                juxtaposed = len(inner) > 1 and all(map(self.counts, inner))
                nodes = tuple(self.side(p) for p in ([[q] for q in inner] if juxtaposed else split_pieces(inner, "sep", ",")))
                out.append(Item("post", span, "At", nodes))
            elif mark == "'":
                out.append(Item("post", span, "Prime"))
            elif self.transposes(inner, kind):
                out.append(Item("post", span, "Transpose"))
            elif inner[0].is_("op", "-") and len(inner) == 2 and self.transposes(inner[1:], ""):
                out += [Item("post", span, "Pow", (make("Neg", num(1)),)), Item("post", span, "Transpose")]
            elif inner[0].kind == "fence" and len(inner) == 1 and self.mentions_time(inner):
                raise Refused(inner[0].start, "(", "a time can only be written on a symbol")
            else:
                out.append(Item("post", span, "Pow", (self.expression(inner),)))
        return out, j
