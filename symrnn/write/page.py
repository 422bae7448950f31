r"""A page of text and displays as plain text, as Markdown and as a whole LaTeX document; long displays over several lines.

>>> print(markdown([Paragraph("With $h_t$:"), Display("a = b")]))
With $`h_t`$:
<BLANKLINE>
```math
a = b
```
<BLANKLINE>
"""
from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from symrnn.expr import Expr
from symrnn.model import Equation
from symrnn.write.latex import latex
from symrnn.write.lines import broken
from symrnn.write.notation import Notation

WIDTH = 34.0
"""The widest line of a display, in units of the size of the type: the text width of a LaTeX article."""


@dataclass(frozen=True)
class Heading:
    """A heading of a page; level 1 is the title."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    """Text, with formulas between single dollar signs and code between backticks."""

    text: str


@dataclass(frozen=True)
class Display:
    """One displayed formula or aligned block."""

    latex: str


@dataclass(frozen=True)
class Listing:
    """Items, numbered from ``start`` on or only marked, each text as in a paragraph."""

    items: tuple[str, ...]
    start: int | None = None


@dataclass(frozen=True)
class Table:
    """Columns with a head and rows of cells, each text as in a paragraph."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Box:
    """What is to be found at a glance: blocks with a frame."""

    blocks: tuple[Block, ...]


Block = Heading | Paragraph | Display | Listing | Table | Box


def equation(left: str, right: Expr, notation: Notation | None = None, limit: float = WIDTH) -> str:
    """``left = right``, over several lines if it is too long for one.

    >>> from symrnn.expr import symbol
    >>> equation("c", symbol("a") + symbol("b"))
    'c = a + b'
    """
    return broken(f"{left} = {latex(right, notation)}", limit)


def defined(e: Equation, notation: Notation) -> str:
    """An equation of a model as LaTeX."""
    return equation(notation.at(e.left.name, e.left.time), e.right, notation)


def aligned(rows: Iterable[str]) -> str:
    """Rows with alignment marks as one block; a single row stands alone."""
    rows = list(rows)
    if len(rows) == 1:
        return rows[0].replace("&=", "=", 1)
    return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"


# --------------------------------------------------------------------------------------------------------------- documents
_ESCAPES = {"&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}",
            "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "<": r"\textless{}", ">": r"\textgreater{}", "$": r"\$"}
PREAMBLE = r"""\documentclass{article}
\usepackage{amsmath,amssymb,array,longtable}
\allowdisplaybreaks
\setlength{\parindent}{0pt}
\setlength{\parskip}{6pt}
\emergencystretch=3em
"""


def document(blocks: Iterable[Block]) -> str:
    r"""A complete LaTeX document, for pdflatex with amsmath and amssymb.

    >>> print(document([Heading("A cell", 1), Paragraph("With $h_t$ & more.")]).split(r"\begin{document}")[1])
    <BLANKLINE>
    \section*{A cell}
    With $h_t$ \& more.
    <BLANKLINE>
    \end{document}
    <BLANKLINE>
    """
    body = "\n".join(_LATEX[type(b)](b) for b in blocks)
    return PREAMBLE + "\\begin{document}\n" + body + "\n\\end{document}\n"


def markdown(blocks: Iterable[Block]) -> str:
    """The blocks as Markdown for GitHub: formulas in text as code between dollar signs, displays in fences."""
    return "\n\n".join(_MARKDOWN[type(b)](b) for b in blocks) + "\n"


_MARKED = re.compile(r"\$([^$]+)\$|`([^`]+)`")


def pieces(text: str) -> list[tuple[str, str]]:
    """Text, formulas and code in turn, each as (kind, piece).

    >>> pieces("the $h_t$ of `run`")
    [('text', 'the '), ('maths', 'h_t'), ('text', ' of '), ('code', 'run')]
    """
    kinds = ("text", "maths", "code")
    return [(kinds[k % 3], p) for k, p in enumerate(_MARKED.split(text)) if p]


def _escape(text: str) -> str:
    return "".join(_ESCAPES.get(c, c) for c in text)


_LATEX_PIECES: dict[str, Callable[[str], str]] = {
    "text": _escape, "maths": lambda p: f"${p}$",
    "code": lambda p: rf"\texttt{{{_code(p)}}}",
}
_GITHUB_PIECES: dict[str, Callable[[str], str]] = {
    "text": lambda p: re.sub(r"([*_<>|\[\]`\\])", r"\\\1", p), "maths": lambda p: f"$`{p}`$",
    "code": lambda p: f"`{p}`".replace("|", r"\|"),
}


def _code(text: str) -> str:
    """Code for LaTeX, with places at which its line may be broken."""
    return "".join("~" if c == GLUE else _escape(c) + (r"\allowbreak{}" if c in "_,(.=" else "") for c in text)


def escaped(text: str) -> str:
    """Text with formulas for LaTeX: what is no formula is escaped."""
    return "".join(_LATEX_PIECES[kind](p) for kind, p in pieces(text))


def github(text: str) -> str:
    """Text with formulas for GitHub, where code between dollar signs is safe from Markdown's own marks."""
    return "".join(_GITHUB_PIECES[kind](p) for kind, p in pieces(text))


FRAME = r"\par\noindent\rule{\linewidth}{0.6pt}\par"
"""The line above and below what is in a box; between them the page may end."""
_SECTIONS = {1: "section", 2: "subsection", 3: "subsubsection"}


def _latex_listing(b: Listing) -> str:
    kind = "itemize" if b.start is None else "enumerate"
    items = "\n".join(rf"\item {escaped(x)}" for x in b.items)
    if b.start is not None:
        items = rf"\setcounter{{enumi}}{{{b.start - 1}}}" + "\n" + items
    return f"\\begin{{{kind}}}\n{items}\n\\end{{{kind}}}"


def _latex_table(b: Table) -> str:
    rows = [" & ".join(escaped(x) for x in row) + r" \\" for row in (b.head, *b.rows)]
    wide = [3 + max(3, *(min(len(row[k]), 60) for row in (b.head, *b.rows))) for k in range(len(b.head))]
    columns = "".join(rf">{{\raggedright\arraybackslash}}p{{{0.94 * w / sum(wide):.3f}\linewidth}}" for w in wide)
    return "\n".join([rf"{{\small\tabcolsep=2pt\begin{{longtable}}{{{columns}}}", rows[0], r"\hline \endhead", *rows[1:],
                      r"\end{longtable}}"])


def _markdown_listing(b: Listing) -> str:
    return "\n".join(f"{_mark(b, n)} {github(x)}" for n, x in enumerate(b.items))


def _mark(b: Listing, n: int) -> str:
    return "-" if b.start is None else f"{b.start + n}."


def _markdown_table(b: Table) -> str:
    rows = [b.head, tuple("---" for _ in b.head), *b.rows]
    return "\n".join("| " + " | ".join(x if x == "---" else github(x) for x in row) + " |" for row in rows)


GLUE = "\N{NO-BREAK SPACE}"
"""A space at which no line of text is broken, such as those inside formulas; plain text gets plain spaces at the end."""


def text(blocks: Iterable[Block]) -> str:
    """The blocks as plain text; formulas stand as they are given."""
    return "\n\n".join(_TEXT[type(b)](b) for b in blocks).replace(GLUE, " ") + "\n"


def _text_listing(b: Listing) -> str:
    marks = [_mark(b, n) for n in range(len(b.items))]
    wide = max(map(len, marks), default=0)
    return "\n".join(textwrap.fill(x, 100, initial_indent=f"  {mark:>{wide}} ", subsequent_indent=" " * (wide + 3),
                                   break_long_words=False, break_on_hyphens=False)
                     for mark, x in zip(marks, b.items, strict=True))


CELL = 60
"""So many characters of a cell stand in one line of plain text, unless a formula has more."""


def _text_table(b: Table) -> str:
    rows = [[textwrap.wrap(cell, CELL, break_long_words=False, break_on_hyphens=False) or [""] for cell in row]
            for row in (b.head, *b.rows)]
    widths = [max(len(line) for row in rows for line in row[k]) for k in range(len(b.head))]
    lines = ["  " + "  ".join(f"{cell:<{n}}" for cell, n in zip(parts, widths, strict=True)).rstrip()
             for row in rows for parts in zip_longest(*row, fillvalue="")]
    return "\n".join([lines[0], "  " + "  ".join("-" * n for n in widths), *lines[1:]])


_TEXT: dict[type, Callable[[Any], str]] = {
    Heading: lambda b: f"{b.text}\n{'=-~'[b.level - 1] * len(b.text)}",
    Paragraph: lambda b: textwrap.fill(b.text, 100, break_long_words=False, break_on_hyphens=False),
    Display: lambda b: textwrap.indent(b.latex, "    "),
    Listing: _text_listing,
    Table: _text_table,
    Box: lambda b: "\n".join(["  +---", *(f"  | {row}".rstrip() for row in text(b.blocks).rstrip().split("\n")), "  +---"]),
}
_LATEX: dict[type, Callable[[Any], str]] = {
    Heading: lambda b: rf"\{_SECTIONS[b.level]}*{{{escaped(b.text)}}}",
    Paragraph: lambda b: escaped(b.text) + "\n",
    Display: lambda b: "\\[\n" + broken(b.latex, WIDTH) + "\n\\]",
    Listing: _latex_listing,
    Table: _latex_table,
    Box: lambda b: "\n".join([FRAME, *(_LATEX[type(x)](x) for x in b.blocks), FRAME]),
}
_MARKDOWN: dict[type, Callable[[Any], str]] = {
    Heading: lambda b: f"{'#' * b.level} {github(b.text)}",
    Paragraph: lambda b: github(b.text),
    Display: lambda b: f"```math\n{broken(b.latex, WIDTH)}\n```",
    Listing: _markdown_listing,
    Table: _markdown_table,
    Box: lambda b: "\n".join(f"> {row}".rstrip() for row in markdown(b.blocks).rstrip().split("\n")),
}
