r"""Documents: where their mathematics is, with exact positions, and what stands beside it. One scanner for each format.

>>> document = parse_document("The state $h_t$ costs $5 and $6.\n\n$$ h_t = x_t $$\n", "notes.md")
>>> [(s.latex, s.line, s.column, s.kind) for s in document.spans]
[('h_t', 1, 12, 'inline'), ('h_t = x_t', 3, 4, 'display')]
"""

from __future__ import annotations

import bisect
import re
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from symrnn.errors import DocumentError, Place


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of mathematics.

    `offset` is where its LaTeX begins in the text of the file (in characters), so that `offset` and the offset of a
    token in the span add up to a place in the file; line and column count from 1 and say the same; the end is the place
    just past the last character. `kind` is inline, display or block (a fence, an environment, the body of a directive);
    of a claim in words alone it is sentence, and the LaTeX is the words.
    `directive` is the position of its directive in :attr:`Document.directives`, or None.
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
    """A document: its text, what it says to symrnn in its front matter, and its parts in order.

    `problems` are sentences about code and comments that are not closed, each with its line and column: what follows is no
    mathematics. Mathematics that is not closed is a span that cannot be read.
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

    def place(self, offset: int) -> Place:
        """The place of a character offset of the text."""
        line, column = Lines(self.text).at(offset)
        return Place(self.path, line, column)


class Lines:
    """Offsets to lines and columns, both from 1; a line ends at its line feed."""

    def __init__(self, text: str) -> None:
        self._starts = array("q", [0])
        self._starts.extend(m.end() for m in re.finditer("\n", text))

    def at(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset.

        >>> Lines("ab\\nc").at(3), Lines("ab\\nc").at(0)
        ((2, 1), (1, 1))
        """
        line = bisect.bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


Scanner = Callable[[str, str], Document]


def formats() -> Mapping[str, Scanner]:
    """The scanner of each file suffix. A further format is a module with a scanner, and a row here."""
    from symrnn.read.markdown import scan_markdown
    from symrnn.read.plain import scan_plain

    return MappingProxyType({".md": scan_markdown, ".markdown": scan_markdown, ".txt": scan_plain, ".qmd": scan_markdown})


def parse_document(text: str, path: str) -> Document:
    """The document that `text` is; the suffix of `path` says in which format.

    Errors: :class:`DocumentError` for a format that cannot be read, and for malformed front matter or directives.
    """
    return _scanner(path)(text, path)


def _scanner(path: str) -> Scanner:
    """The scanner for a path."""
    known = formats()
    suffix = Path(path).suffix.lower()
    if suffix not in known:
        raise DocumentError(path, must=f"have one of the suffixes {', '.join(sorted(known))}", came=suffix or "no suffix",
                            where=Place(path), next_step="Convert the document, or rename it if it is Markdown.")
    return known[suffix]


def load_document(path: str | Path, shown: str | None = None) -> Document:
    """The document in a file; `shown` is its path as it is to be printed.

    Bytes that are no UTF-8 become replacement characters: the span that they stand in cannot be read, the others can.
    Errors: :class:`DocumentError` where the file cannot be opened, and as :func:`parse_document`.
    """
    name = shown if shown is not None else Path(path).as_posix()
    _scanner(name)
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise DocumentError(name, must="be a file that can be opened", came=error.strerror or type(error).__name__,
                            where=Place(name), next_step="Check the path.") from None
    return parse_document(data.decode("utf-8-sig", errors="replace"), name)
