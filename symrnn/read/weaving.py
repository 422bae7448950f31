"""Documents woven from parts: words, formulas, code and headings, each with its places in the file that it comes from.

>>> page = Source("<p>the state <script type='math/tex'>h_t</script></p>")
>>> loom = Loom()
>>> loom.copy(page, 3, 13)
>>> with loom.formula("inline", page, 13):
...     loom.copy(page, 37, 40)
>>> document = loom.document("page.html")
>>> document.text, [(s.latex, s.line, s.column, s.prose_before) for s in document.spans]
('the state $h_t$', [('h_t', 1, 38, 'the state')])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from symrnn.read.document import Block, Document
from symrnn.read.macros import Macros
from symrnn.read.places import Source, Weaver
from symrnn.read.running import Scan

MARKS = {"inline": ("$", "$"), "display": ("\n\n$$ ", " $$\n\n"), "block": ("\n\n", "\n\n"), "row": ("\n\n", "\n\n")}
"""What stands round a formula of each kind in the woven text, so that it reads as Markdown."""

Reader = Callable[[Scan, int, int], None]
"""What finds the formulas of a stretch of text."""


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the woven text with what it is: ``keep`` enters it into a scan."""

    low: int
    high: int
    keep: Callable[[Scan, Part], None]


@dataclass
class Loom(Weaver):
    """Weaves a document. What stands in no part is words without formulas."""

    parts: list[Part] = field(default_factory=list)
    problems: list[tuple[int, str]] = field(default_factory=list)
    open: list[tuple[int, str]] = field(default_factory=list)

    @contextmanager
    def part(self, keep: Callable[[Scan, Part], None]) -> Iterator[None]:
        """What is woven within is a part."""
        low = self.size
        yield
        self.parts.append(Part(low, self.size, keep))

    @contextmanager
    def formula(self, kind: str, source: Source, at: int, label: str | None = None) -> Iterator[None]:
        """What is woven within is a formula, which begins with its delimiters at an offset of the source."""
        left, right = MARKS[kind]
        self.put(left, source, at, at)
        with self.part(lambda scan, p: scan.span(p.low, p.high, kind, (p.low - len(left), p.high + len(right)), None, label)):
            yield
        self.put(right, source, at, at)

    @contextmanager
    def code(self, language: str, source: Source, at: int) -> Iterator[None]:
        """What is woven within is a listing."""
        self.put(f"\n\n```{language}\n", source, at, at)
        with self.part(lambda scan, p: scan.code.append(scan.block(language, p.low, p.high, p.low))):
            yield
        self.put("\n```\n\n", source, at, at)

    @contextmanager
    def heading(self, level: int, source: Source, at: int) -> Iterator[None]:
        """What is woven within is a heading."""
        self.put(f"\n\n{'#' * level} ", source, at, at)
        with self.part(lambda scan, p: scan.headings.append(
                Block(str(level), scan.text[p.low : p.high].strip(), scan.lines.at(p.low)[0], p.low))):
            yield
        self.put("\n\n", source, at, at)

    @contextmanager
    def words(self, reader: Reader = Scan.region) -> Iterator[None]:
        """What is woven within is text whose formulas have delimiters."""
        with self.part(lambda scan, p: reader(scan, p.low, p.high)):
            yield

    def problem(self, source: Source, at: int, words: str) -> None:
        """Note why something that begins at an offset of a source is not read."""
        self.put(" ", source, at, at)
        self.problems.append((self.size - 1, words.replace("{", "{{").replace("}", "}}") + "{}"))

    def unclosed(self, source: Source, at: int, what: str) -> None:
        """Note something that begins at an offset of a source and is not closed."""
        self.put(" ", source, at, at)
        self.open.append((self.size - 1, what))

    def document(self, path: str, settings: Mapping[str, Any] = MappingProxyType({}), macros: Macros = MappingProxyType({})) -> Document:
        """The document that was woven."""
        lines = self.lines
        scan = Scan(self.text, path, lines)
        for part in sorted(self.parts, key=lambda p: p.low):
            part.keep(scan, part)
        for offset, words in self.problems:
            scan.problem(offset, words)
        for offset, what in self.open:
            scan.unclosed(offset, what)
        return scan.document(settings, macros, lines)
