r"""Mathematics in running text: dollars, brackets, roles and environments, with exact positions; and what a scanner has found so far.

>>> scan = Scan(r"The state $h_t$ costs $5 and $6; \(y_t = h_t\).", "notes.md")
>>> scan.region(0, len(scan.text))
>>> [(s.latex, s.column) for s in scan.spans]
[('h_t', 12), ('y_t = h_t', 36)]
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Mapping
from typing import Any

from symrnn.read.document import Block, Directive, Document, Span
from symrnn.read.macros import Macros
from symrnn.read.places import Lines
from symrnn.read.texrows import rows

PROSE_LIMIT = 400
"""Characters of the prose before a span that are kept."""

ENVIRONMENTS = frozenset(
    n + star for n in "align alignat gather equation eqnarray multline flalign displaymath math dmath".split() for star in ("", "*"))
"""The environments that begin mathematics."""

BRACKETS = {"\\(": "\\)", "\\[": "\\]", "$$": "$$"}
"""Delimiters that close with a mark of their own, or may stand over several lines."""

_BLANK = re.compile(r"\n[ \t\r]*+\n")
_DOLLAR = re.compile(r"\n[ \t\r]*+\n|\\.|`++(?:[^`\n]|\n(?![ \t\r]*+\n))++`++|\$", re.S)
_MATHEMATICAL = re.compile(r"\\[A-Za-z]{2,}|[_^=]")
_NO_FORMULA = re.compile(r"\d[\d.,]*+(?!\w)|[A-Z]{2,}[A-Z\d_]*+\b")
"""An amount of money, or a variable of a shell."""
_OTHER = re.compile(r"\\[(\[]|\\begin\b|`|\$\$")
"""Where another formula, or code, begins."""
_OPEN = re.compile(
    r"<!--|(?:\{math\}|:math:)(?=`)(?P<role>`+)|(?P<ticks>`+)|\$\$|\$|\\\(|\\\[|\\begin\{(?P<env>[A-Za-z]+\*?)\}|\\.", re.S)
_LABEL = re.compile(r"[ \t]*(?:\((?P<a>[\w:.-]+)\)|\{#(?P<b>[\w:.-]+)[^}\n]*\})[ \t\r]*(?=\n|\Z)|\s*:(?:eq)?label:`(?P<c>[^`\n]+)`")
"""A label after a display: ``(name)``, ``{#name}``, or a role with the name."""


class Scan:
    """What has been found so far in one document; `by_rows` says whether the rows of an environment may be formulas of their own."""

    def __init__(self, text: str, path: str, lines: Lines | None = None, by_rows: bool = True) -> None:
        self.text, self.path, self.by_rows = text, path, by_rows
        self.lines = Lines(text) if lines is None else lines
        self.spans: list[Span] = []
        self.directives: list[Directive] = []
        self.code: list[Block] = []
        self.comments: list[Block] = []
        self.headings: list[Block] = []
        self.problems: list[tuple[int, str]] = []
        self.prose_from = 0
        self._paragraph: tuple[int, list[int]] = (0, [])

    def document(self, settings: Mapping[str, Any], macros: Macros, woven: Lines | None = None) -> Document:
        """The document that was found."""
        def ordered(blocks: list[Block]) -> tuple[Block, ...]:
            return tuple(sorted(blocks, key=lambda b: b.offset))
        problems = tuple((*self.lines.at(offset), words) for offset, words in sorted(self.problems))
        return Document(self.path, self.text, settings, tuple(sorted(self.spans, key=lambda s: s.offset)), tuple(self.directives),
                        ordered(self.code), ordered(self.comments), ordered(self.headings), problems, macros, woven)

    # -- what was found ---------------------------------------------------------------------------------------------
    def problem(self, offset: int, words: str) -> None:
        """Note something because of which a part of the text is not read."""
        source = self.lines.source(offset)
        cell, path = (None, None) if source is None else (source.cell, source.path)
        within = f" in cell {cell}" if cell is not None else f" in {path}" if path is not None else ""
        self.problems.append((offset, words.format(within)))

    def unclosed(self, offset: int, what: str) -> None:
        """Note something that is not closed."""
        self.problem(offset, f"{what}{{}} is not closed, and what follows it is not read")

    def block(self, name: str, low: int, high: int, at: int) -> Block:
        """The text between two offsets as a block of code, a comment or a heading, whose line is that of a third one."""
        return Block(name, self.text[low:high], self.lines.at(at)[0], low)

    def span(self, start: int, end: int, kind: str, outer: tuple[int, int], directive: int | None = None, label: str | None = None) -> None:
        """Keep the mathematics between two offsets, without the white space at its ends; `outer` includes delimiters."""
        raw = self.text[start:end]
        start += len(raw) - len(raw.lstrip())
        end = start + len(raw.strip())
        if start >= end:
            return
        prose = " ".join(self.text[max(self.prose_from, outer[0] - 2 * PROSE_LIMIT) : outer[0]].split())
        self.spans.append(Span.of(self.text, self.lines, start, end, kind, prose[-PROSE_LIMIT:], directive, label))
        self.prose_from = outer[1]

    def paragraphs(self, start: int, stop: int, directive: int) -> None:
        """Keep each paragraph between two offsets as a formula."""
        for paragraph in re.finditer(r"(?:[^\n]*\S[^\n]*(?:\n|\Z))+", self.text[start:stop]):
            low, high = start + paragraph.start(), start + paragraph.end()
            self.prose_from = low
            self.span(low, high, "block", (low, high), directive)

    # -- running text -----------------------------------------------------------------------------------------------
    def region(self, i: int, stop: int, directive: int | None = None) -> None:
        """Keep the mathematics of a run of text, and its comments."""
        text = self.text
        open_ended: set[str] = set()                # closing marks of which none is left: each is looked for once
        while (found := _OPEN.search(text, i, stop)) is not None:
            mark, at = found.group(), found.start()
            i = found.end()
            if mark == "<!--":
                end = text.find("-->", i, stop)
                if end < 0:
                    self.unclosed(at, "a comment")
                    return
                self.comments.append(Block("", text[i:end].strip(), self.lines.at(at)[0], i))
                i = end + 3
            elif ticks := found["ticks"] or found["role"]:
                close = None if ticks in open_ended else re.compile(rf"(?<!`){ticks}(?!`)").search(text, i, stop)
                if close is None:
                    open_ended.add(ticks)
                elif "\n\n" not in text[i : close.start()]:
                    if found["role"]:
                        self.span(i, close.start(), "inline", (at, close.end()), directive)
                    i = close.end()
            elif mark in BRACKETS:
                closing = BRACKETS[mark]
                end = -1 if closing in open_ended else _closing(text, closing, i, stop)
                if end < 0:
                    open_ended.add(closing)
                if end < 0 or mark == "$$" and _parted(text, i, end):
                    i = self._unclosed(at, stop, directive)
                    continue
                label = None if mark == "\\(" else self.label(end + 2, stop)
                outer = (at, end + 2 if label is None else label.end())
                self.span(i, end, "inline" if mark == "\\(" else "display", outer, directive, label and label[label.lastgroup or 0])
                i = outer[1]
            elif mark == "$":
                end, width = _dollar(text, i, stop)
                if end >= 0:
                    start = i + 1 if width == 2 else i
                    self.span(start, end, "inline", (at, end + width), directive)
                    i = end + width
                else:
                    i = self._loose(at, stop, directive)
            elif found["env"] in ENVIRONMENTS:
                closing = f"\\end{{{found['env']}}}"
                end = -1 if closing in open_ended else text.find(closing, i, stop)
                if end < 0:
                    open_ended.add(closing)
                    i = self._unclosed(at, stop, directive)
                    continue
                equations = rows(text, found["env"], i, end) if self.by_rows and directive is None else []
                for low, high in equations:
                    self.span(low, high, "row", (low, high))
                if not equations:
                    self.span(at, end + len(closing), "block", (at, end + len(closing)), directive)
                i = self.prose_from = end + len(closing)

    def label(self, i: int, stop: int) -> re.Match[str] | None:
        """The label that a display has after it."""
        return _LABEL.match(self.text, i, stop)

    def _dollars(self, i: int, stop: int) -> tuple[int, int, int]:
        """Where the paragraph at an offset ends, the next single dollar in it (-1 if none), and how many there are from `i` on."""
        if i >= self._paragraph[0]:
            blank = _BLANK.search(self.text, i, stop)
            end = blank.start() if blank else stop
            self._paragraph = (end, [m.start() for m in _DOLLAR.finditer(self.text, i, end) if m.group() == "$"])
        end, offsets = self._paragraph
        at = bisect.bisect_left(offsets, i)
        return end, offsets[at] if at < len(offsets) else -1, len(offsets) - at

    def _loose(self, at: int, stop: int, directive: int | None) -> int:
        """What a dollar begins that no dollar closes in the usual way; the offset after it.

        Money, and whatever has no mark of mathematics, is text. Two dollars of which white space stands within the first or the second
        are a pair where the others of the paragraph make pairs too; else nobody can say which dollar is missing, and the rest of the
        paragraph, with what stands since the last formula where the dollar closes something, is kept as it is.
        """
        text, i = self.text, at + 1
        end, closing, count = self._dollars(i, stop)
        other = _OTHER.search(text, i, closing if closing >= 0 else end)
        mark = _MATHEMATICAL.search(text, i, other.start() if other else closing if closing >= 0 else end)
        if mark and not (mark.group() in "_=" and _NO_FORMULA.match(text, i)):
            if count % 2 == 0:
                return self._unclosed(at, stop, directive)
            self.span(i, closing, "inline", (at, closing + 1), directive)
            return closing + 1
        if count == 0 and not text[i : i + 1].isalnum() and self.spans:
            since = max(self.prose_from, text.rfind("\n\n", 0, at) + 1)
            if _MATHEMATICAL.search(text, since, at):
                return self._unclosed(since, stop, directive)
        return i

    def _unclosed(self, at: int, stop: int, directive: int | None) -> int:
        """Keep the rest of a paragraph from a mark on that is not closed, mark and all: it is not passed over, and cannot be read."""
        blank = _BLANK.search(self.text, at, stop)
        end = blank.start() if blank else stop
        self.span(at, end, "display", (at, end), directive)
        return end


def _parted(text: str, i: int, end: int) -> bool:
    """Whether two marks belong to two displays: a blank line parts what is between them, or them from text."""
    inside = text[i:end]
    if _BLANK.search(inside.strip()):
        return True
    return bool(_BLANK.search(inside, len(inside.rstrip())) and text[end + 2 : end + 402].partition("\n")[0].strip())


def _closing(text: str, closing: str, i: int, stop: int) -> int:
    """The offset of a closing delimiter in front of which no odd number of backslashes stands; -1 if there is none."""
    while (end := text.find(closing, i, stop)) >= 0:
        backslashes = len(text[i:end]) - len(text[i:end].rstrip("\\"))
        if backslashes % 2 == 0:
            return end
        i = end + 1
    return -1


def _dollar(text: str, i: int, stop: int) -> tuple[int, int]:
    """Where a single dollar closes, and the width of its closing mark; -1 where it is money or only a dollar."""
    if text[i : i + 1] == "`":
        end = text.find("`$", i + 1, stop)
        return (end, 2) if end >= 0 and "\n\n" not in text[i:end] else (-1, 1)
    if i >= stop or text[i].isspace():
        return -1, 1
    for found in _DOLLAR.finditer(text, i, stop):
        if found.group()[0] == "\n":
            break
        end = found.start()
        if found.group() == "$" and not text[end - 1].isspace() and not text[end + 1 : end + 2].isdigit():
            return end, 1
        if found.group() == "$" and text[end + 1 : end + 2] != "$" and text[end - 1].isspace():
            break
    return -1, 1
