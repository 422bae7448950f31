"""What a report says, as data: blocks and pieces of text that every writer turns into its format.

Text is data here, never markup of any format: a writer escapes whatever it is given.

>>> plain((Text("the state "), Maths("h_t"), Strong((Text(" decays"),))))
'the state h_t decays'
"""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from symrnn.prove.verdict import ORDER
from symrnn.write import page


# ------------------------------------------------------------------------------------------------------------- pieces of text
@dataclass(frozen=True)
class Text:
    """Words."""

    text: str


@dataclass(frozen=True)
class Maths:
    """A formula within a line, in LaTeX."""

    latex: str


@dataclass(frozen=True)
class CodeText:
    """A piece of program text or of a file within a line."""

    text: str


@dataclass(frozen=True)
class Strong:
    """Emphasised twice."""

    parts: Inlines


@dataclass(frozen=True)
class Emphasis:
    """Emphasised."""

    parts: Inlines


@dataclass(frozen=True)
class Small:
    """Said in passing."""

    parts: Inlines


@dataclass(frozen=True)
class Link:
    """A link to an address, to a file beside the report, or to an anchor in it (``#eq-3``)."""

    parts: Inlines
    target: str


@dataclass(frozen=True)
class Break:
    """The end of a line."""


@dataclass(frozen=True)
class Badge:
    """A verdict by its word; the writers give it a sign and a colour. `count` says how many there are of it."""

    verdict: str
    count: int | None = None


Inline = Text | Maths | CodeText | Strong | Emphasis | Small | Link | Break | Badge
Inlines = tuple[Inline, ...]


# --------------------------------------------------------------------------------------------------------------------- blocks
@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the title. `anchor` is its own in the report."""

    parts: Inlines
    level: int = 2
    anchor: str = ""


@dataclass(frozen=True)
class Paragraph:
    """Text."""

    parts: Inlines


@dataclass(frozen=True)
class Display:
    """A formula that stands alone, in LaTeX; with an anchor and a number where it can be referred to."""

    latex: str
    anchor: str = ""
    number: str = ""


@dataclass(frozen=True)
class Items:
    """A list of blocks, numbered from `start` on or only marked."""

    items: tuple[tuple[Block, ...], ...]
    start: int | None = None


@dataclass(frozen=True)
class Table:
    """Columns with a head and rows; `align` has a letter (l, c, r) for each column. `caption` says what is in it."""

    head: tuple[Inlines, ...]
    rows: tuple[tuple[Inlines, ...], ...]
    align: str = ""
    caption: str = ""


@dataclass(frozen=True)
class Code:
    """Program text, or what is kept as it was written."""

    text: str
    language: str = ""


@dataclass(frozen=True)
class Quote:
    """What somebody else says."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Fold:
    """Blocks that a reader may open, under a line that says what they are."""

    summary: Inlines
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Box:
    """What is to be found at a glance: blocks with a frame."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Picture:
    """A drawing as SVG, with what it shows in words; `path` is its file beside the report."""

    svg: str
    words: str
    path: str


@dataclass(frozen=True)
class Rule:
    """A line across the page."""


@dataclass(frozen=True)
class Correction:
    """What would be right instead of a refuted relation: both formulas with their difference marked by ``\\changed``."""

    printed: str
    latex: str
    verdict: str
    edits: Inlines = ()


@dataclass(frozen=True)
class Ruling:
    """What was found for one relation: the sentence, what belongs to it, and the correction."""

    verdict: str
    sentence: Inlines
    notes: tuple[Block, ...] = ()
    correction: Correction | None = None


@dataclass(frozen=True)
class Finding:
    """A formula, a sentence or a statement of a listing, with what was found for it.

    `shown` is a Display, or a paragraph where it stands within the text or is no formula; `place` says where that is, apart from the text.
    It is `compared` where its one ruling is about all of it, so that it stands in its comparison with the correction.
    """

    anchor: str
    shown: Display | Paragraph
    rulings: tuple[Ruling, ...]
    verdict: str
    place: str = ""
    compared: bool = False

    @property
    def head(self) -> tuple[Block, ...]:
        """What stands before the rulings: the place, and the formula unless it is compared."""
        place = (Paragraph((Small((Text(self.place),)),)),) if self.place else ()
        return place if self.compared else (*place, self.shown)

    @property
    def target(self) -> Display:
        """What bears the number and the anchor in the comparison; nothing where the formula stands before it."""
        return self.shown if self.compared and isinstance(self.shown, Display) else Display("")


Block = Heading | Paragraph | Display | Items | Table | Code | Quote | Fold | Box | Picture | Rule | Finding


@dataclass(frozen=True)
class Report:
    """A whole report. `errors` leads to what is wrong, root causes first; `files` are what stands beside it, by name."""

    name: str
    title: Inlines
    source: str
    counts: tuple[Badge, ...]
    errors: tuple[Block, ...]
    body: tuple[Block, ...]
    foot: Inlines
    files: dict[str, str] = field(default_factory=dict)

    @property
    def opening(self) -> tuple[Block, ...]:
        """What the document says of itself before anything else: the paragraphs that the body begins with."""
        return tuple(takewhile(lambda block: isinstance(block, Paragraph), self.body))

    @property
    def rest(self) -> tuple[Block, ...]:
        """The body after its opening."""
        return self.body[len(self.opening):]


# ------------------------------------------------------------------------------------------------------------------- questions
def plain(parts: Iterable[Inline]) -> str:
    """What text says without any marks; formulas as LaTeX."""
    return "".join(_plain(p) for p in parts)


def _plain(p: Inline) -> str:
    match p:
        case Text(text) | CodeText(text):
            return text
        case Maths(latex):
            return latex
        case Strong(parts) | Emphasis(parts) | Small(parts) | Link(parts, _):
            return plain(parts)
        case Badge(verdict, _):
            return verdict
        case Break():
            return " "


def said(text: str) -> Inlines:
    """Words with formulas between single dollar signs and code between backticks.

    >>> said("where $b = 0$ holds")
    (Text(text='where '), Maths(latex='b = 0'), Text(text=' holds'))
    """
    return tuple(PIECES[kind](p) for kind, p in page.pieces(text))


PIECES: dict[str, Callable[[str], Inline]] = {"text": Text, "maths": Maths, "code": CodeText}


def counts(verdicts: Iterable[str | None]) -> tuple[Badge, ...]:
    """How often each verdict occurs, the best first.

    >>> counts(["refuted", None, "proved", "proved"])
    (Badge(verdict='proved', count=2), Badge(verdict='refuted', count=1))
    """
    found = list(verdicts)
    return tuple(Badge(w, found.count(w)) for w in reversed(ORDER) if w in found)


def headings(blocks: Iterable[Block]) -> Iterator[Heading]:
    """The headings below the title, in order."""
    return (b for b in blocks if isinstance(b, Heading))


def anchored(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Blocks whose headings have anchors of their own and levels that go down one by one.

    >>> [(h.level, h.anchor) for h in headings(anchored([Heading((Text("A b"),), 2), Heading((Text("A b"),), 5)]))]
    [(2, 'a-b'), (3, 'a-b-2')]
    >>> [h.level for h in headings(anchored([Heading((Text("A"),), n) for n in (3, 3, 5, 4, 2)]))]
    [2, 2, 3, 3, 2]
    """
    out: list[Block] = []
    taken: dict[str, int] = {}
    above: list[int] = []
    for b in blocks:
        if isinstance(b, Heading):
            above = [*(n for n in above if n < max(b.level, 2)), max(b.level, 2)]
            stem = re.sub(r"[^a-z0-9]+", "-", plain(b.parts).lower()).strip("-") or "section"
            stem = f"section-{stem}" if re.match(r"(eq|said|code)-\d", stem) else stem
            taken[stem] = taken.get(stem, 0) + 1
            b = Heading(b.parts, len(above) + 1, stem if taken[stem] == 1 else f"{stem}-{taken[stem]}")
        out.append(b)
    return tuple(out)


def of_page(found: page.Block, lower: int = 0) -> Block:
    """A block of a derivation or of an unrolled network, its headings `lower` levels down."""
    match found:
        case page.Heading(text, level):
            return Heading(said(text), level + lower)
        case page.Paragraph(text):
            return Paragraph(said(text))
        case page.Display(latex):
            return Display(latex)
        case page.Listing(items, start):
            return Items(tuple((Paragraph(said(item)),) for item in items), start)
        case page.Table(head, rows):
            return Table(tuple(map(said, head)), tuple(tuple(map(said, row)) for row in rows))
        case page.Box(blocks):
            return Box(tuple(of_page(b, lower) for b in blocks))
