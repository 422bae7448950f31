r"""reStructuredText: the role and the directive ``math``, listings, headings; also as docstrings write it.

>>> text = "State\n=====\n\nThe state :math:`h_t` is\n\n.. math::\n   :label: state\n\n   h_t = x_t\n"
>>> [(s.latex, s.kind, s.label, s.line, s.column) for s in scan_restructured(text, "notes.rst").spans]
[('h_t', 'inline', None, 4, 18), ('h_t = x_t', 'display', 'state', 9, 4)]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from symrnn.read.codelines import language
from symrnn.read.definitions import own
from symrnn.read.document import Document
from symrnn.read.places import Source
from symrnn.read.weaving import Loom

CODE = frozenset("code code-block sourcecode parsed-literal ipython testcode testsetup prompt".split())
"""Directives that hold program text."""

SKIPPED = frozenset("toctree contents raw image autosummary automodule autoclass autofunction plot graphviz bibliography highlight include "
                    "currentmodule module literalinclude index meta testoutput csv-table digraph uml mermaid only default-domain".split())
"""Directives whose content is no text."""

Finder = Callable[[str], Sequence[tuple[int, int]]]
"""What finds displays without delimiters in some text: from where to where."""

_DIRECTIVE = re.compile(r"(?P<indent>[ \t]*)\.\.[ \t]+(?P<name>[A-Za-z][\w:+.-]*?)[ \t]?::(?:[ \t]+(?P<argument>[^\n]*)|[ \t]*\Z)")
_EXPLICIT = re.compile(r"(?P<indent>[ \t]*)\.\.(?:[ \t]+(?!\[)[^\n]*)?\Z")
_OPTION = re.compile(r"[ \t]*:(?P<key>[\w-]+):(?!`)[ \t]*(?P<value>[^\n]*)")
_ADORNMENT = re.compile(r"[ \t]*(?P<mark>[=\-~^\"'`#*+.:_<>])(?P=mark){2,}[ \t\r]*")
_LITERAL = re.compile(r"(?:[^\n]*[^:\s]|[ \t]*|[^\n]*\s)::[ \t\r]*")
_PROMPT = re.compile(r"[ \t]*>>>(?:\s|\Z)")


def scan_restructured(text: str, path: str, folder: Path | None = None) -> Document:
    """The document that a text is."""
    loom = Loom()
    weave(loom, Source(text))
    return loom.document(path, macros=own(text))


def weave(loom: Loom, source: Source, finder: Finder | None = None) -> None:
    """Weave a text; with a finder, also the displays without delimiters that it finds in the words."""
    _Walk(loom, source, finder).run()


@dataclass
class _Walk:
    """One walk through the lines of a text."""

    loom: Loom
    source: Source
    finder: Finder | None
    levels: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lines = self.source.text.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)

    def run(self) -> None:
        """Weave every line."""
        i = plain = 0
        while i < len(self.lines):
            row = next((row for row in (self._directive, self._comment, self._title, self._prompts) if (row(i, False)) > i), None)
            if row is None:
                literal = _LITERAL.fullmatch(self.lines[i])
                i += 1
                if literal and (end := self._body(i, _indent(self.lines[i - 1]))) > i:
                    self._words(plain, i)
                    self._code("", i, end)
                    i = plain = end
                continue
            self._words(plain, i)
            i = plain = row(i, True)
        self._words(plain, len(self.lines))

    # -- what lines may be: each says where what begins at a line ends (at the line itself where nothing does), and weaves it ---------
    def _directive(self, i: int, weave: bool) -> int:
        found = _DIRECTIVE.fullmatch(self.lines[i].rstrip("\r"))
        if found is None:
            return i
        name = found["name"].lower()
        if name not in CODE and name not in SKIPPED and name != "math":
            return i + 1                                             # its content is text
        end = self._body(i + 1, len(found["indent"]))
        if not weave or name in SKIPPED:
            return end
        body, options = i + 1, dict[str, str]()
        while body < end and (option := _OPTION.fullmatch(self.lines[body].rstrip("\r"))):
            options[option["key"]] = option["value"].strip()
            body += 1
        if name == "math":
            self._mathematics(i, found, body, end, options.get("label") or options.get("name"))
        else:
            self._code((found["argument"] or "python" * (name in ("ipython", "testcode"))).strip().lower(), body, end)
        return end

    def _comment(self, i: int, weave: bool) -> int:
        found = _EXPLICIT.fullmatch(self.lines[i].rstrip("\r"))
        return i if found is None else self._body(i + 1, len(found["indent"]))

    def _title(self, i: int, weave: bool) -> int:
        above = _ADORNMENT.fullmatch(self.lines[i]) is not None
        k = i + above
        if k + 1 >= len(self.lines) or not self.lines[k].strip() or _ADORNMENT.fullmatch(self.lines[k]):
            return i
        below = _ADORNMENT.fullmatch(self.lines[k + 1])
        title = self.lines[k].strip()
        if below is None or len(self.lines[k + 1].strip()) + 1 < len(title) and len(self.lines[k + 1].strip()) < 4:
            return i
        if above and self.lines[i].strip()[0] != below["mark"] or i and self.lines[i - 1].strip():
            return i
        if weave:
            style = below["mark"] * (1 + above)
            self.levels += [] if style in self.levels else [style]
            low = self.starts[k] + len(self.lines[k]) - len(self.lines[k].lstrip())
            with self.loom.heading(min(self.levels.index(style) + 1, 6), self.source, low), self.loom.words():
                self.loom.copy(self.source, low, low + len(title))
        return k + 2

    def _prompts(self, i: int, weave: bool) -> int:
        """A session in an interpreter."""
        if not _PROMPT.match(self.lines[i]):
            return i
        end = i
        while end < len(self.lines) and self.lines[end].strip():
            end += 1
        if weave:
            self._code("pycon", i, end)
        return end

    # -- parts ------------------------------------------------------------------------------------------------------
    def _body(self, i: int, indent: int) -> int:
        """The line after those that are blank or stand further in than an indent, without blank ones at the end."""
        end = i
        while i < len(self.lines) and (not self.lines[i].strip() or _indent(self.lines[i]) > indent):
            i += 1
            end = i if self.lines[i - 1].strip() else end
        return end

    def _mathematics(self, i: int, found: re.Match[str], body: int, end: int, label: str | None) -> None:
        """The formulas of a directive: its argument with the lines after it, and each paragraph of the rest."""
        argument = found["argument"] and found["argument"].strip()
        low = self.starts[i] + found.start("argument") if argument else None
        for k in range(body if argument is None else i + 1, end + 1):
            blank = k == end or not self.lines[k].strip()
            if blank and low is not None:
                with self.loom.formula("display", self.source, low, label):
                    self.loom.copy(self.source, low, self.starts[k] - 1)
                low, label = None, None
            elif not blank and low is None and k >= body:
                low = self.starts[k]

    def _code(self, name: str, i: int, end: int) -> None:
        """Lines of program text, without the white space that all of them begin with."""
        while i < end and not self.lines[i].strip():
            i += 1
        lines = self.lines[i:end]
        margin = min((_indent(line) for line in lines if line.strip()), default=0)
        with self.loom.code(name or language("\n".join(line[margin:] for line in lines)), self.source, self.starts[i]):
            for k in range(i, end):
                self.loom.copy(self.source, min(self.starts[k] + margin, self.starts[k + 1] - 1),
                               min(self.starts[k + 1], len(self.source.text)))

    def _words(self, i: int, end: int) -> None:
        """Lines of text."""
        low, high = self.starts[i], min(self.starts[end], len(self.source.text))
        for a, b in self.finder(self.source.text[low:high]) if self.finder else ():
            self._running(low, self.starts[i] + a)
            with self.loom.formula("display", self.source, self.starts[i] + a):
                self.loom.copy(self.source, self.starts[i] + a, self.starts[i] + b)
            low = self.starts[i] + b
        self._running(low, high)

    def _running(self, low: int, high: int) -> None:
        with self.loom.words():
            self.loom.copy(self.source, low, high)


def _indent(line: str) -> int:
    """How far in a line begins."""
    return len(line) - len(line.lstrip(" \t"))
