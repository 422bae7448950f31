r"""Documents: where their mathematics is, with exact positions, and what stands beside it. One scanner for each format.

>>> document = parse_document("The state $h_t$ costs $5 and $6.\n\n$$ h_t = x_t $$\n", "notes.md")
>>> [(s.latex, s.line, s.column, s.kind) for s in document.spans]
[('h_t', 1, 12, 'inline'), ('h_t = x_t', 3, 4, 'display')]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from symrnn.errors import DocumentError, Place
from symrnn.read.beside import declared_outside
from symrnn.read.decoding import decoded
from symrnn.read.macros import Macros
from symrnn.read.places import Lines


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of mathematics.

    `offset` is where its LaTeX begins in the text of the document (in characters), so that `offset` and the offset of a token in the
    span add up to a place in that text; line and column count from 1 and say where it begins in the file; the end is the place
    just past the last character. `kind` is inline, display, block (a fence, an environment, the body of a directive) or row
    (an equation of an environment that holds several); of a claim in words alone it is sentence, and the LaTeX is the words.
    `directive` is the position of its directive in :attr:`Document.directives`, or None. `label` is a name that the text gives the
    formula outside of it. Lines and columns are those of `cell` in a notebook, and of the file `path` if that is not the document.
    """

    latex: str
    line: int
    column: int
    end_line: int
    end_column: int
    offset: int
    kind: str
    prose_before: str = ""
    directive: int | None = None
    label: str | None = None
    cell: int | None = None
    path: str | None = None

    @classmethod
    def of(cls, text: str, lines: Lines, low: int, high: int, kind: str, prose: str = "", directive: int | None = None,
           label: str | None = None) -> Span:
        """The span between two offsets of a text."""
        source = lines.source(low)
        cell, path = (source.cell, source.path) if source is not None else (None, None)
        return cls(text[low:high], *lines.extent(low, high), low, kind, prose, directive, label, cell, path)


@dataclass(frozen=True, slots=True)
class Directive:
    """A fenced instruction to symrnn: name, argument, options, and its body with the place of each.

    `offset` is where the fence begins, `end` the offset past its last line, `body_offset` where the body begins.
    """

    name: str
    argument: str
    options: Mapping[str, str]
    body: str
    line: int
    end_line: int
    offset: int
    end: int
    body_offset: int
    argument_offset: int


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of text of another kind: a code block (name: its language), a comment, a heading (name: its level)."""

    name: str
    text: str
    line: int
    offset: int


@dataclass(frozen=True)
class Document:
    """A document: its text, what it says to symrnn in its front matter, its parts in order, and the macros that it defines.

    `text` is what is read: the file itself, or where that has another form its words and formulas, of which `woven` knows the places.
    `problems` say of code and comments that are not closed, and of files that are not included, that something is not read, each with
    its line and column. Mathematics that is not closed is a span that cannot be read. `declared_in` is the place of declarations that
    stand in a comment, or in a file beside it.
    """

    path: str
    text: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    spans: tuple[Span, ...] = ()
    directives: tuple[Directive, ...] = ()
    code: tuple[Block, ...] = ()
    comments: tuple[Block, ...] = ()
    headings: tuple[Block, ...] = ()
    problems: tuple[tuple[int, int, str], ...] = ()
    macros: Macros = field(default_factory=dict)
    woven: Lines | None = None
    declared_in: Place | None = None

    @cached_property
    def lines(self) -> Lines:
        """The places of the offsets of the text."""
        return Lines(self.text) if self.woven is None else self.woven

    @property
    def prose(self) -> str:
        """The text without its front matter, which is no part of what the text says."""
        from symrnn.read.frontmatter import end_of_front_matter

        return self.text[end_of_front_matter(self.text):]

    def place(self, offset: int) -> Place:
        """The place of a character offset of the text, in the file that it comes from."""
        return self.lines.place(self.path, offset)

    def span(self, low: int, high: int, kind: str) -> Span:
        """The span between two offsets of the text."""
        return Span.of(self.text, self.lines, low, high, kind)


def parse_document(text: str, path: str, folder: Path | None = None) -> Document:
    """The document that `text` is; the suffix of `path` says in which format, or the text itself where the suffix says nothing.

    What the text includes is looked for in `folder`, and nowhere outside of it; without one nothing is included. Declarations may stand
    in a comment, or in a file of their own there, see :mod:`symrnn.read.beside`.
    Errors: :class:`DocumentError` for a format that cannot be read, and for malformed declarations or directives.
    """
    from symrnn.read.formats import scanner

    document = scanner(path, text)(text, path, folder)
    for own, place in declared_outside(text, path, folder):
        if twice := sorted(set(document.settings) & set(own)):
            raise DocumentError(f"the declaration {twice[0]}", must="stand in one place", came="it in two", where=place,
                                next_step="Remove one of the two.")
        document = replace(document, settings={**document.settings, **own}, declared_in=place)
    return document


def load_document(path: str | Path, shown: str | None = None) -> Document:
    """The document in a file; `shown` is its path as it is to be printed.

    The text is decoded as :func:`symrnn.read.decoding.decoded` says. What it includes is looked for in the folder of the file.
    Errors: :class:`DocumentError` where the file cannot be opened, and as :func:`parse_document`.
    """
    name = shown if shown is not None else Path(path).as_posix()
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise DocumentError(name, must="be a file that can be opened", came=error.strerror or type(error).__name__,
                            where=Place(name), next_step="Check the path.") from None
    return parse_document(decoded(data, name), name, Path(path).parent)
