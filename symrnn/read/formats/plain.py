r"""Plain text: what Markdown has, displays without delimiters, and listings without fences.

>>> text = "The state is\n\nh_t = \\tanh(W h_{t-1} + U x_t)\n\nwhere $W$ is a matrix.\n"
>>> [(s.latex, s.line, s.column, s.kind) for s in scan_plain(text, "a.txt").spans]
[('h_t = \\tanh(W h_{t-1} + U x_t)', 3, 1, 'display'), ('W', 5, 8, 'inline')]
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from symrnn.read.codelines import language, listings
from symrnn.read.document import Block, Document, Span
from symrnn.read.formats.displays import displays
from symrnn.read.formats.markdown import scanned
from symrnn.read.places import Lines
from symrnn.read.running import PROSE_LIMIT, Scan

_HEADING = re.compile(r"[^\W_][^\n$\\]{1,98}[^\W_)?!.’'”\"]?[#¶]")
_MARK = "\ue000"


def scan_plain(text: str, path: str, folder: Path | None = None) -> Document:
    """The document that a plain text is.

    A display without delimiters is a line, or the lines of one environment or bracket, with a TeX command (or an equation with scripts
    in braces), without a delimiter of mathematics, and without an English word outside the commands for text; a line that begins with
    a relation goes on with the one before it. Listings are blocks of code, with the numbers between their lines.
    Errors: as :func:`symrnn.read.formats.markdown.scan_markdown`.
    """
    first = scanned(Scan(text, path, by_rows=False))
    lines = first.lines
    closed = _closed(first, lines)
    stretches = listings(text, closed)
    code = [_block(text, a, b, lines) for a, b in stretches]
    taken = _lines_of(stretches, lines)
    found = displays(text, lambda line: line in taken or closed(line))
    masked = _masked(text, [*stretches, *((a, (text + "\n").find("\n", b)) for a, b in found)])
    document = scanned(Scan(masked, path, by_rows=False))
    spans = [replace(s, prose_before=s.prose_before.rpartition(_MARK)[2].strip()) for s in document.spans
             if text.startswith(s.latex, s.offset)]                   # in a fence without an end displays are found on their own
    ends = sorted(s.offset + len(s.latex) for s in spans)
    spans += [_span(text, masked, a, b, lines, ends) for a, b in found]
    headings = [Block("1", m[0][:-1].strip(), lines.at(m.start())[0], m.start())
                for m in re.finditer(rf"^{_HEADING.pattern}$", masked, re.M) if _MARK not in m[0]]
    return replace(document, text=text, macros=first.macros, spans=tuple(sorted(spans, key=lambda s: s.offset)),
                   code=tuple(sorted((*document.code, *code), key=lambda b: b.offset)),
                   headings=tuple(sorted((*document.headings, *headings), key=lambda b: b.offset)))


# ----------------------------------------------------------------------------------------------------------------------- pieces
def _closed(document: Document, lines: Lines) -> Callable[[int], bool]:
    """Which lines (from 0) belong to fences, comments or displays with delimiters over several lines."""
    pieces = [(d.offset, d.end) for d in document.directives]
    pieces += [(b.offset - 1, b.offset + len(b.text)) for b in (*document.code, *document.comments)]
    pieces += [(s.offset, s.offset + len(s.latex)) for s in document.spans
               if s.kind == "display" or s.kind == "block" and not s.latex.startswith("\\begin") or s.directive is not None]
    taken = _lines_of(pieces, lines)
    return lambda line: line in taken


def _lines_of(pieces: Iterable[tuple[int, int]], lines: Lines) -> frozenset[int]:
    return frozenset(n - 1 for a, b in pieces for n in range(lines.at(max(a, 0))[0], lines.at(max(a, b - 1, 0))[0] + 1))


def _masked(text: str, pieces: Iterable[tuple[int, int]]) -> str:
    """The text with some pieces replaced by a mark, line by line, so that every offset stays what it was."""
    out, last = [], 0
    for a, b in sorted(pieces):
        out += [text[last:a], re.sub(r"[^\n]", _MARK, text[a:b])]
        last = b
    return "".join((*out, text[last:]))


def _block(text: str, start: int, end: int, lines: Lines) -> Block:
    """A listing; its language is python where a parser takes it."""
    return Block(language(text[start:end]), text[start:end], lines.at(start)[0], start)


def _span(text: str, masked: str, start: int, end: int, lines: Lines, ends: Sequence[int]) -> Span:
    """A display without delimiters, with the prose since the formula before it (``ends``: where the others end)."""
    k = bisect.bisect_right(ends, start)
    last = ends[k - 1] if k else 0
    before = re.sub(r"^\s*(?:\$\$?|\\\)|\\\])", "", masked[last:start]) if k else masked[:start]
    prose = " ".join(before[-2 * PROSE_LIMIT :].rpartition(_MARK)[2].split())[-PROSE_LIMIT:]
    return Span.of(text, lines, start, end, "display", prose)
