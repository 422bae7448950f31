"""Places in texts: lines and columns of offsets, also where a text was woven from several others or from parts of one.

What a scanner reads is one text of words and formulas. A Markdown file is that text; of a notebook it is made of the cells, of a page
in HTML of what stands between the tags. `at` and `extent` give places as the author sees them, in the file or the cell.

>>> page = Source("<p>a &lt; b</p>")
>>> weaver = Weaver()
>>> weaver.copy(page, 3, 5), weaver.put("<", page, 5, 9), weaver.copy(page, 9, 11)
(None, None, None)
>>> weaver.text, weaver.lines.extent(2, 3), weaver.lines.extent(0, 5)
('a < b', (1, 6, 1, 10), (1, 4, 1, 12))
"""

from __future__ import annotations

import bisect
import re
from array import array
from dataclasses import dataclass, field
from functools import cached_property

from symrnn.errors import Place

_LINE_FEED = re.compile("\n")

Extent = tuple[int, int, int, int]
"""The line and column where something begins, and those just past its last character; all count from 1."""


class Lines:
    """Offsets of a text to lines and columns, both from 1; a line ends at its line feed."""

    def __init__(self, text: str) -> None:
        self._starts = array("q", [0])
        self._starts.extend(m.end() for m in _LINE_FEED.finditer(text))

    def at(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset.

        >>> Lines("ab\\nc").at(3), Lines("ab\\nc").at(0)
        ((2, 1), (1, 1))
        """
        line = bisect.bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def extent(self, low: int, high: int) -> Extent:
        """The places of two offsets."""
        return (*self.at(low), *self.at(high))

    def source(self, offset: int) -> Source | None:
        """The text that an offset comes from; None where that is the text itself."""
        return None

    @property
    def sources(self) -> tuple[Source, ...]:
        """The texts that this one was woven from."""
        return ()

    def place(self, path: str, offset: int) -> Place:
        """The place of an offset, with the file and the cell; ``path`` is that of the document."""
        source = self.source(offset)
        path = source.path if source is not None and source.path is not None else path
        return Place(path if source is None or source.cell is None else f"{path}:cell {source.cell}", *self.at(offset))


@dataclass(frozen=True, eq=False)
class Source:
    """A text as its author sees it, or one that was itself `woven` from such texts.

    `path` and `sha256` say of which file it is if not of the document's own, `cell` of which cell.
    """

    text: str
    path: str | None = None
    cell: int | None = None
    sha256: str | None = None
    woven: Lines | None = None

    @cached_property
    def lines(self) -> Lines:
        """The places of its offsets."""
        return Lines(self.text) if self.woven is None else self.woven


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of a source; what stands for it in the woven text is the stretch itself, or other characters."""

    source: Source
    start: int
    end: int
    copied: bool


class Woven(Lines):
    """Places of a woven text: the lines and columns of the sources that its pieces come from."""

    def __init__(self, offsets: list[int], pieces: list[_Piece]) -> None:
        self._offsets, self._pieces = offsets, pieces

    def at(self, offset: int) -> tuple[int, int]:
        """The place in its source where a character of the text begins."""
        k = self._piece(offset)
        if k < 0:
            return 1, 1
        piece = self._pieces[k]
        beyond = offset - self._offsets[k]
        return piece.source.lines.at(min(piece.start + beyond, piece.end) if piece.copied else piece.end if beyond > 0 else piece.start)

    def extent(self, low: int, high: int) -> Extent:
        """The place where a stretch begins, and the place just past its last character."""
        k = self._piece(max(high - 1, low))
        if k < 0 or high <= low:
            return (*self.at(low), *self.at(low))
        piece = self._pieces[k]
        end = piece.start + (high - self._offsets[k]) if piece.copied else piece.end
        end = min(end, piece.end)
        return (*self.at(low), *piece.source.lines.extent(max(end - 1, 0), end)[2:])

    def source(self, offset: int) -> Source | None:
        """The source that an offset comes from."""
        k = self._piece(offset)
        return self._pieces[k].source if k >= 0 else None

    @property
    def sources(self) -> tuple[Source, ...]:
        """The texts that this one was woven from, in order."""
        return tuple({id(p.source): p.source for p in self._pieces}.values())

    def _piece(self, offset: int) -> int:
        return bisect.bisect_right(self._offsets, offset) - 1


@dataclass
class Weaver:
    """Puts a text together and keeps where each piece of it comes from."""

    size: int = 0
    _out: list[str] = field(default_factory=list)
    _offsets: list[int] = field(default_factory=list)
    _pieces: list[_Piece] = field(default_factory=list)

    def copy(self, source: Source, start: int, end: int) -> None:
        """Go on with a stretch of a source as it stands."""
        self._add(source.text[start:end], _Piece(source, start, end, True))

    def put(self, text: str, source: Source, start: int, end: int) -> None:
        """Go on with other characters for a stretch of a source (of any length, also none)."""
        self._add(text, _Piece(source, start, end, False))

    def _add(self, text: str, piece: _Piece) -> None:
        if text:
            self._offsets.append(self.size)
            self._pieces.append(piece)
            self._out.append(text)
            self.size += len(text)

    @property
    def text(self) -> str:
        """What was woven so far."""
        return "".join(self._out)

    @property
    def lines(self) -> Woven:
        """The places of what was woven so far."""
        return Woven(self._offsets, self._pieces)
