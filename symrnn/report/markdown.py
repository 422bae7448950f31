r"""A report as Markdown for GitHub: formulas in fences and between dollars and backticks, with no macro that GitHub does not know.

>>> write_blocks((Paragraph((Text("a_b "), Maths(r"\operatorname{diag}(x)"), Text(" <i>"))),))
'a\\_b $`\\mathrm{diag}(x)`$ \\<i\\>'
"""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import quote

from symrnn.report.model import (
    Badge,
    Block,
    Box,
    Break,
    Code,
    CodeText,
    Correction,
    Display,
    Emphasis,
    Finding,
    Fold,
    Heading,
    Inlines,
    Items,
    Link,
    Maths,
    Paragraph,
    Picture,
    Quote,
    Report,
    Rule,
    Ruling,
    Small,
    Strong,
    Table,
    Text,
)
from symrnn.write.lines import broken

SIGNS = {"proved": "✅ proved", "conditional": "◐ true under a condition", "refuted": "❌ refuted", "agrees": "≈ agrees",
         "undecided": "❔ undecided", "unreadable": "⚠️ unreadable"}
WRONG = ("refuted", "unreadable")
"""The verdicts that the head of a report leads to."""
WIDTH = 43.0
"""The widest line of a display, in units of the size of the type, that the column of text on GitHub holds."""


def write(report: Report) -> str:
    """The whole report."""
    counts = " · ".join(f"{SIGNS[b.verdict]}: {b.count}" for b in report.counts) or "nothing is claimed"
    head = [f"# {line(report.title)}", f"*Source: {escaped(report.source)}.*" if report.source else "", f"**Verdicts.** {counts}",
            write_blocks(report.opening), "**What is wrong**" if report.errors else "", write_blocks(report.errors)]
    return "\n\n".join(p for p in (*head, write_blocks(report.rest), f"*{line(report.foot)}*") if p) + "\n"


def write_blocks(found: Iterable[Block]) -> str:
    """Blocks, one under the other."""
    return "\n\n".join(filter(None, (BLOCKS[type(b)](b) for b in found)))


# ----------------------------------------------------------------------------------------------------------------------- lines
def line(parts: Inlines, cell: bool = False) -> str:
    """Pieces of text; in the cell of a table nothing may look like the end of it."""
    text = "".join(INLINES[type(p)](p) for p in parts)
    return " ".join(text.split("\n")).replace("|", r"\|").replace(r"\\|", r"\|") if cell else text


def escaped(text: str) -> str:
    r"""Words that hold nothing which Markdown or GitHub would take for a mark.

    >>> escaped("a*b <script> [x](y) `z` $5")
    'a\\*b \\<script\\> \\[x](y) \\`z\\` \\$5'
    """
    return re.sub(r"([\\*_<>`$]|~(?=~)|\[(?=[^\]]*\][(\[:])|&(?=#?\w+;))", r"\\\1", text)


def _code(text: str) -> str:
    """Program text in as many backticks as it needs."""
    ticks = "`" * (1 + max((len(m) for m in re.findall("`+", text)), default=0))
    pad = " " if len(ticks) > 1 or text[:1] == " " else ""
    return f"{ticks}{pad}{' '.join(text.splitlines())}{pad}{ticks}"


def _link(p: Link) -> str:
    target = p.target if p.target.startswith("#") else quote(p.target, safe="/:?#[]@!$&'*+,;=%-._~")
    return f"[{line(p.parts)}]({target})"


INLINES: dict[type, Callable[[Any], str]] = {
    Text: lambda p: escaped(p.text),
    Maths: lambda p: f"$`{' '.join(macros(p.latex).split())}`$",
    CodeText: lambda p: _code(p.text),
    Strong: lambda p: f"**{line(p.parts)}**",
    Emphasis: lambda p: f"*{line(p.parts)}*",
    Small: lambda p: f"<sub>{line(p.parts)}</sub>",
    Link: _link,
    Break: lambda p: "  \n",
    Badge: lambda p: f"**{SIGNS[p.verdict]}**" if p.verdict in SIGNS else escaped(p.verdict),
}


# ---------------------------------------------------------------------------------------------------------------------- blocks
def _paragraph(b: Paragraph) -> str:
    """A paragraph of which no line looks like a heading, a list or a quote."""
    first = isinstance(b.parts[0], Text) if b.parts else False
    rows = line(b.parts).split("\n")
    return "\n".join(_START.sub(r"\1\\\2", row) if k or first else row for k, row in enumerate(rows))


_START = re.compile(r"^(\s*\d*)((?<=\d)[.)]|(?<!\d)[#+>=-])")
"""What begins another block where it begins a line."""


def _display(b: Display) -> str:
    return f"```math\n{macros(broken(b.latex, WIDTH))}\n```"


def _items(b: Items) -> str:
    out = []
    for n, item in enumerate(b.items):
        mark = "- " if b.start is None else f"{b.start + n}. "
        out.append(mark + write_blocks(item).replace("\n", "\n" + " " * len(mark)))
    tight = all(len(item) == 1 for item in b.items)
    return re.sub(r"[ ]+\n", "\n", ("\n" if tight else "\n\n").join(out))


def _table(b: Table) -> str:
    marks = {"l": ":--", "c": ":-:", "r": "--:"}
    rows = [[line(cell, cell=True) for cell in row] for row in (b.head, *b.rows)]
    rows.insert(1, [marks[a] for a in (b.align or "l" * len(b.head)).ljust(len(b.head), "l")])
    return "\n".join(f"| {' | '.join(row)} |".replace("|  |", "| |") for row in rows)


def _fence(b: Code) -> str:
    ticks = "`" * max(3, 1 + max((len(m) for m in re.findall("`+", b.text)), default=0))
    return f"{ticks}{re.sub('[^A-Za-z0-9+#-]', '', b.language)}\n{b.text}\n{ticks}"


def _fold(b: Fold) -> str:
    return f"<details><summary>{line(b.summary)}</summary>\n\n{write_blocks(b.blocks)}\n\n</details>"


def _finding(b: Finding) -> str:
    place = f'<a id="{b.anchor}"></a>' if b.verdict in WRONG else ""
    note = f"<sub>{escaped(b.place)}</sub>" if b.place else ""
    change = b.rulings[0].correction if b.compared else None
    shown = "\n\n".join(filter(None, (place, note, write_blocks((Display(change.printed) if change else b.shown,)))))
    if len(b.rulings) == 1:
        r = b.rulings[0]
        return "\n\n".join(filter(None, (shown, line(r.sentence), _details(r))))
    rows = "\n".join(f"{n}. {line(r.sentence)}" for n, r in enumerate(b.rulings, start=1))
    return "\n\n".join(filter(None, (shown, rows, *map(_details, b.rulings))))


def _details(r: Ruling) -> str:
    return "\n\n".join(filter(None, (write_blocks(r.notes), _correction(r.correction) if r.correction else "")))


def _correction(c: Correction) -> str:
    edits = f" ({line(c.edits)})" if c.edits else ""
    return f"**Corrected**{edits}, {SIGNS[c.verdict]}:\n\n{_display(Display(c.latex))}"


BLOCKS: dict[type, Callable[[Any], str]] = {
    Heading: lambda b: f"{'#' * b.level} {line(b.parts)}",
    Paragraph: _paragraph,
    Display: _display,
    Items: _items,
    Table: _table,
    Code: _fence,
    Quote: lambda b: "\n".join(f"> {row}".rstrip() for row in write_blocks(b.blocks).split("\n")),
    Fold: _fold,
    Box: lambda b: "\n".join(f"> {row}".rstrip() for row in write_blocks(b.blocks).split("\n")),
    Picture: lambda b: f"![{escaped(b.words)}]({quote(b.path)})",
    Rule: lambda b: "---",
    Finding: _finding,
}

# ---------------------------------------------------------------------------------------------------------------------- macros
_SWAPS = tuple((re.compile(pattern), new) for pattern, new in (
    (r"\\htmlClass\{[^{}]*\}", ""), (r"\\color\{[^{}]*\}\s*", ""), (r"\\tag\*?\{([^{}]*)\}", r"\\qquad (\1)"),
    (r"\\label\{[^{}]*\}", ""), (r"\\(?:nonumber|notag)(?![A-Za-z])", ""),
    (r"\\(begin|end)\{(?:align|eqnarray|flalign|split)\*?\}", r"\\\1{aligned}"),
    (r"\\(begin|end)\{(?:gather|multline)\*?\}", r"\\\1{gathered}"),
    (r"\\(?:begin|end)\{(?:equation|displaymath|math)\*?\}", ""),
    (r"\\operatorname\*\{", r"\\mathop{\\mathrm "), (r"\\operatorname\{", r"\\mathrm{"),
    (r"\\bm(?![A-Za-z])", r"\\boldsymbol"), (r"\\(?:mathbbm|mathds)(?![A-Za-z])", r"\\mathbf"), (r"\\coloneqq(?![A-Za-z])", ":="),
    (r"\\(arg)(max|min)(?![A-Za-z])", r"\\mathop{\\mathrm{\1\\,\2}}"), (r"\\changed(?![A-Za-z])", r"\\underline"),
))
"""What GitHub does not set, and what is written instead."""


def macros(latex: str) -> str:
    r"""A formula with the macros and environments that GitHub sets.

    >>> macros(r"\begin{align} a &= \bm{x} \tag{3} \end{align}")
    '\\begin{aligned} a &= \\boldsymbol{x} \\qquad (3) \\end{aligned}'
    """
    for pattern, new in _SWAPS:
        latex = pattern.sub(new, latex)
    return latex
