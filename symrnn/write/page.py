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
    """Text, with formulas between single dollar signs."""

    text: str


@dataclass(frozen=True)
class Display:
    """One displayed formula or aligned block."""

    latex: str


@dataclass(frozen=True)
class Listing:
    """Items, numbered from ``start`` on or only marked, each text with formulas between single dollar signs."""

    items: tuple[str, ...]
    start: int | None = None


@dataclass(frozen=True)
class Table:
    """Columns with a head and rows of cells, each text with formulas between single dollar signs."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Heading | Paragraph | Display | Listing | Table


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
\usepackage{amsmath,amssymb}
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


def pieces(text: str) -> list[tuple[str, bool]]:
    """Text and formulas in turn: (piece, whether it is a formula).

    >>> pieces("the $h_t$ of a step")
    [('the ', False), ('h_t', True), (' of a step', False)]
    """
    return [(p, k % 2 == 1) for k, p in enumerate(text.split("$")) if p]


def escaped(text: str) -> str:
    """Text with formulas for LaTeX: what is no formula is escaped."""
    return "".join(f"${p}$" if maths else "".join(_ESCAPES.get(c, c) for c in p) for p, maths in pieces(text))


def github(text: str) -> str:
    """Text with formulas for GitHub, where code between dollar signs is safe from Markdown's own marks."""
    return "".join(f"$`{p}`$" if maths else re.sub(r"([*_<>|\[\]`\\])", r"\\\1", p) for p, maths in pieces(text))


_SECTIONS = {1: "section", 2: "subsection", 3: "subsubsection"}


def _latex_listing(b: Listing) -> str:
    kind = "itemize" if b.start is None else "enumerate"
    items = "\n".join(rf"\item {escaped(x)}" for x in b.items)
    if b.start is not None:
        items = rf"\setcounter{{enumi}}{{{b.start - 1}}}" + "\n" + items
    return f"\\begin{{{kind}}}\n{items}\n\\end{{{kind}}}"


def _latex_table(b: Table) -> str:
    rows = [" & ".join(escaped(x) for x in row) + r" \\" for row in (b.head, *b.rows)]
    return "\n".join([rf"\begin{{tabular}}{{{'l' * len(b.head)}}}", rows[0], r"\hline", *rows[1:], r"\end{tabular}"])


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


def _text_table(b: Table) -> str:
    widths = [max(len(row[k]) for row in (b.head, *b.rows)) for k in range(len(b.head))]
    lines = ["  " + "  ".join(f"{cell:<{n}}" for cell, n in zip(row, widths, strict=True)).rstrip() for row in (b.head, *b.rows)]
    return "\n".join([lines[0], "  " + "  ".join("-" * n for n in widths), *lines[1:]])


_TEXT: dict[type, Callable[[Any], str]] = {
    Heading: lambda b: f"{b.text}\n{'=-~'[b.level - 1] * len(b.text)}",
    Paragraph: lambda b: textwrap.fill(b.text, 100, break_long_words=False, break_on_hyphens=False),
    Display: lambda b: textwrap.indent(b.latex, "    "),
    Listing: _text_listing,
    Table: _text_table,
}
_LATEX: dict[type, Callable[[Any], str]] = {
    Heading: lambda b: rf"\{_SECTIONS[b.level]}*{{{escaped(b.text)}}}",
    Paragraph: lambda b: escaped(b.text) + "\n",
    Display: lambda b: "\\[\n" + broken(b.latex, WIDTH) + "\n\\]",
    Listing: _latex_listing,
    Table: _latex_table,
}
_MARKDOWN: dict[type, Callable[[Any], str]] = {
    Heading: lambda b: f"{'#' * b.level} {github(b.text)}",
    Paragraph: lambda b: github(b.text),
    Display: lambda b: f"```math\n{broken(b.latex, WIDTH)}\n```",
    Listing: _markdown_listing,
    Table: _markdown_table,
}
