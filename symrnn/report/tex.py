r"""A report as a LaTeX document for pdflatex, with the packages of a basic installation; no line is wider than the page.

Only formulas that were converted without an error are set as mathematics, so that no text of a document is carried out by TeX.

>>> print(line((Text("50 % of "), Maths("h_t"), CodeText("a_b"))))
50 \% of $h_t$\code{a\symbol{95}\allowbreak{}b}
"""
from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from symrnn.report import mathml
from symrnn.report.marks import unmarked
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
    plain,
)
from symrnn.write.lines import Segment, block, layout, rows_of
from symrnn.write.pieces import Unclosed

WIDTH, INLINE = 38.0, 12.0
"""The widest line of a display, and the widest piece of a formula within a line, in units of the size of the type."""
FRAME = r"\par\noindent\rule{\linewidth}{0.4pt}\par"
"""A line across the page; also above and below what is in a box, which may go on on the next page."""
ROWS = 18
"""So many lines of a formula stay together on one page."""
SIGNS = {"proved": (r"$\checkmark$", "proved"), "conditional": (r"$\circ$", "true under a condition"), "refuted": (r"$\times$", "refuted"),
         "agrees": (r"$\approx$", "agrees"), "undecided": ("?", "undecided"), "unreadable": ("!", "unreadable")}
PREAMBLE = r"""\documentclass[fleqn]{article}
\usepackage[utf8]{inputenc}
\usepackage{amsmath,amssymb,array,bm,color,graphicx,longtable,textcomp}
\usepackage[hidelinks]{hyperref}
\hoffset=-1in \voffset=-1in
\oddsidemargin=26mm \textwidth=160mm \topmargin=22mm \headheight=0pt \headsep=0pt \textheight=232mm
\parindent=0pt \parskip=6pt plus 2pt
\tolerance=9999 \emergencystretch=4em \hbadness=10000 \hfuzz=1pt \vbadness=10000 \raggedbottom
\mathindent=1.5em \LTleft=0pt \LTpre=4pt \LTpost=4pt
\definecolor{proved}{rgb}{0,.4,.29}\definecolor{conditional}{rgb}{.04,.34,.55}\definecolor{refuted}{rgb}{.64,.23,0}
\definecolor{agrees}{rgb}{.42,.32,0}\definecolor{undecided}{rgb}{.34,.34,.33}\definecolor{unreadable}{rgb}{.48,.16,.41}
\newcommand{\verdict}[3]{\textcolor{#1}{\textbf{#2~#3}}}
\newcommand{\code}[1]{{\ttfamily #1}}
\newcommand{\changedcolor}{proved}
\newcommand{\changed}[1]{\underline{\color{\changedcolor}#1}}
\newcommand{\within}[2]{\setbox0=\hbox{$#1$}\ifdim\wd0>#2\resizebox{#2}{!}{\box0\relax}\else\box0\relax\fi}
\newcommand{\fit}[1]{\within{\displaystyle #1}{.93\linewidth}}
\newcommand{\fits}[1]{\within{#1}{\linewidth}}
\newenvironment{codelines}{\par\begingroup\ttfamily\footnotesize\parskip=0pt\raggedright\hangindent=2em}{\par\endgroup}
\newcommand{\codeline}[2]{\par\leftskip=#1\hangindent=2em\hangafter=1\noindent\strut #2}
\providecommand{\argmax}{\mathop{\mathrm{arg\,max}}}\providecommand{\argmin}{\mathop{\mathrm{arg\,min}}}
\providecommand{\coloneqq}{\mathrel{:=}}\providecommand{\mathscr}[1]{\mathcal{#1}}
"""


def write(report: Report) -> str:
    """The whole document."""
    counts = r" \quad ".join(f"{verdict(b)}~{b.count}" for b in report.counts) or "nothing is claimed"
    head = [rf"{{\LARGE\bfseries\raggedright {line(report.title)}\par}}", rf"\emph{{{text(report.source)}}}" if report.source else "",
            counts, r"\tableofcontents", write_blocks(report.opening)]
    errors = [r"\section*{What is wrong}", write_blocks(report.errors)] if report.errors else []
    body = [p for p in (*head, *errors, write_blocks(report.rest), rf"{{\small {line(report.foot)}\par}}") if p]
    title = text(plain(report.title))
    return (PREAMBLE + rf"\hypersetup{{pdftitle={{{title}}}}}" + "\n\\begin{document}\n" + "\n\n".join(body) + "\n\\end{document}\n")


def write_blocks(found: Iterable[Block]) -> str:
    """Blocks, one under the other."""
    return "\n\n".join(filter(None, (BLOCKS[type(b)](b) for b in found)))


# ------------------------------------------------------------------------------------------------------------------------ text
_ESCAPES = {"&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "$": r"\$",
            "^": r"\textasciicircum{}", "\\": r"\textbackslash{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
            '"': "''", "\u00a0": "~"}
_SYMBOLS = {"→": r"\rightarrow", "←": r"\leftarrow", "↔": r"\leftrightarrow", "⇒": r"\Rightarrow", "≤": r"\le", "≥": r"\ge", "≠": r"\ne",
            "≈": r"\approx", "∈": r"\in", "∂": r"\partial", "∇": r"\nabla", "∑": r"\sum", "∏": r"\prod", "∞": r"\infty", "√": r"\surd",
            "⊙": r"\odot", "⊗": r"\otimes", "∘": r"\circ", "−": "-", "⊤": r"\top", "ᵀ": r"{}^{\top}", "ℓ": r"\ell", "ℝ": r"\mathbb{R}",
            "′": "'", "✓": r"\checkmark", "⋯": r"\cdots", "∀": r"\forall", "∃": r"\exists", "ŷ": r"\hat{y}", "₀": "{}_0", "₁": "{}_1",
            "₂": "{}_2", "ₜ": "{}_t"}
_WIDE = 24
"""A word of more characters may be broken anywhere."""


def text(words: str) -> str:
    r"""Words in which nothing is a command.

    >>> text(r"50% of \input{x}"), text("β → 中")
    ('50\\% of \\textbackslash{}input\\{x\\}', '\\ensuremath{\\beta} \\ensuremath{\\rightarrow} [U+4E2D]')
    """
    return "".join(_word(part) for part in re.split(r"(\s+)", words))


def _word(part: str) -> str:
    if not part.strip():
        return part and " "
    return r"\hspace{0pt}".join(map(_character, part)) if len(part) > _WIDE else "".join(map(_character, part))


def _character(c: str) -> str:
    if c in _ESCAPES:
        return _ESCAPES[c]
    if c.isascii():
        return c if c.isprintable() else " "
    command = _SYMBOLS.get(c) or greek(c)
    if command:
        return rf"\ensuremath{{{command}}}"
    return c if c in _LATIN else f"[U+{ord(c):04X}]"


_LATIN = frozenset("áàâäãåçéèêëíìîïñóòôöõøúùûüýÿßÁÀÂÄÃÅÇÉÈÊËÍÌÎÏÑÓÒÔÖÕØÚÙÛÜÝœŒæÆŠšŽž–—‘’“”…·×÷±§©°µ")


def greek(c: str) -> str:
    r"""The command for a Greek letter; empty for any other character.

    >>> greek("θ"), greek("Σ"), greek("x")
    ('\\theta', '\\Sigma', '')
    """
    name = unicodedata.name(c, "")
    found = re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (\w+)", name)
    if found is None or found[2] in ("OMICRON", "FINAL"):
        return ""
    letter = {"LAMDA": "lambda"}.get(found[2], found[2].lower())
    if found[1] == "SMALL":
        return f"\\{letter}"
    return f"\\{letter.title()}" if letter in CAPITALS else rf"\mathrm{{{LATIN_CAPITALS[letter]}}}"


CAPITALS = frozenset("gamma delta theta lambda xi pi sigma upsilon phi psi omega".split())
LATIN_CAPITALS = {"alpha": "A", "beta": "B", "epsilon": "E", "zeta": "Z", "eta": "H", "iota": "I", "kappa": "K", "mu": "M", "nu": "N",
                  "rho": "P", "tau": "T", "chi": "X"}


def code(source: str) -> str:
    """Program text: every character as it is, and a place to break the line after each that is no letter."""
    out = []
    for k, c in enumerate(source):
        if c == " ":
            out.append(r"\ ")
        elif c.isascii() and c.isalnum():
            out.append(c + (r"\allowbreak{}" if k % 40 == 39 else ""))
        else:
            out.append((rf"\symbol{{{ord(c)}}}" if c.isascii() and c.isprintable() else _character(c)) + r"\allowbreak{}")
    return "".join(out).removesuffix(r"\allowbreak{}")


def verdict(b: Badge) -> str:
    """A verdict by colour, sign and word."""
    if b.verdict not in SIGNS:
        return text(b.verdict)
    sign, words = SIGNS[b.verdict]
    return rf"\verdict{{{b.verdict}}}{{{sign}}}{{{words}}}"


def link(p: Link) -> str:
    """A link within the document; an address is printed."""
    if p.target.startswith("#"):
        return rf"\hyperlink{{{_anchor(p.target[1:])}}}{{{line(p.parts)}}}"
    shown = line(p.parts)
    return shown if plain(p.parts) == p.target else rf"{shown} ({code(' '.join(p.target.split()))})"


def _anchor(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9.-]", "-", name)


def line(parts: Inlines) -> str:
    """Pieces of text."""
    return "".join(INLINES[type(p)](p) for p in parts)


INLINES: dict[type, Callable[[Any], str]] = {
    Text: lambda p: text(p.text),
    Maths: lambda p: inline(p.latex),
    CodeText: lambda p: rf"\code{{{code(' '.join(p.text.splitlines()))}}}",
    Strong: lambda p: rf"\textbf{{{line(p.parts)}}}",
    Emphasis: lambda p: rf"\emph{{{line(p.parts)}}}",
    Small: lambda p: rf"{{\small {line(p.parts)}}}",
    Link: link,
    Break: lambda p: r"\newline ",
    Badge: verdict,
}


# -------------------------------------------------------------------------------------------------------------------- formulas
def settable(latex: str) -> str | None:
    """A formula as TeX may have it; None where it is not known that it can be set."""
    if mathml.tree(latex) is None:
        return None
    out = "".join(c if c.isascii() else f"{{{known}}}" if (known := _SYMBOLS.get(c) or greek(c)) else "\0" for c in latex)
    return None if "\0" in out else out


def inline(latex: str) -> str:
    """A formula within a line: a long one in pieces, between which the line may be broken."""
    source = settable(latex)
    try:
        rows = layout(source).rows if source is not None else ()
    except Unclosed:
        rows = ()
    if source is None or len(rows) != 1:
        return rf"\code{{{code(latex)}}}"
    if rows[0].width <= INLINE:
        return f"${rows[0].latex}$" if latex.count("{") > 40 else f"${source}$"
    return r"\allowbreak ".join(rf"\fits{{{'{}' if s.leads and k else ''}{s.latex}}}" for k, s in enumerate(_leaves(rows[0].segments)))


def _leaves(found: Sequence[Segment]) -> Iterator[Segment]:
    for s in found:
        yield from _leaves(s.parts) if s.width > INLINE and s.parts else (s,)


def display(b: Display, bound: bool = False) -> str:
    """A formula that stands alone, over as many lines as it needs; one that is `bound` stays on the page of what follows."""
    target = rf"\hypertarget{{{_anchor(b.anchor)}}}{{}}" if b.anchor else ""
    tag = rf"\tag{{{b.number}}}" if b.number else ""
    source = settable(b.latex)
    try:
        rows = rows_of(layout(source), WIDTH) if source is not None else []
    except Unclosed:
        rows = []
    if not rows:
        return target + _code(Code(unmarked(b.latex)))
    parts = [rows[k : k + ROWS] for k in range(0, len(rows), ROWS)]
    ends = [*[""] * (len(parts) - 1), tag + (r"\postdisplaypenalty10000" if bound else "")]
    shown = [rf"\[ \fit{{{block(part)}}} {end} \]" for part, end in zip(parts, ends, strict=True)]
    return target + "\n".join(shown)


# ---------------------------------------------------------------------------------------------------------------------- blocks
_SECTIONS = {1: "section", 2: "section", 3: "subsection", 4: "subsubsection"}


def _heading(b: Heading) -> str:
    name, words = _SECTIONS.get(b.level, "paragraph"), line(b.parts)
    entry = rf"\addcontentsline{{toc}}{{{name}}}{{{text(plain(b.parts))}}}" if b.level <= 3 else ""
    return rf"\hypertarget{{{_anchor(b.anchor)}}}{{}}\{name}*{{\raggedright {words}}}{entry}"


def _items(b: Items) -> str:
    kind = "itemize" if b.start is None else "enumerate"
    start = "" if b.start is None else rf"\setcounter{{enumi}}{{{min(b.start, 9999) - 1}}}" + "\n"
    return f"\\begin{{{kind}}}\n{start}" + "\n".join(rf"\item {write_blocks(item)}" for item in b.items) + f"\n\\end{{{kind}}}"


def _length(parts: Inlines) -> int:
    """About how many characters wide a cell is."""
    return sum(len(SIGNS.get(p.verdict, ("", p.verdict))[1]) + 4 if isinstance(p, Badge) else len(plain((p,))) for p in parts)


def _table(b: Table) -> str:
    wide = [3 + max(3, *(min(_length(row[k]), 60) for row in (b.head, *b.rows) if k < len(row))) for k in range(len(b.head))]
    least = [0.0125 * max((len(word) for word in plain(cell).split()), default=0) for cell in b.head]
    room = 0.97 - 0.012 * len(wide) - sum(least)
    share = [low + max(room, 0) * w / max(sum(wide), 75) for low, w in zip(least, wide, strict=True)]
    columns = "".join(rf">{{\raggedright\arraybackslash}}p{{{w:.3f}\linewidth}}" for w in share)
    rows = [" & ".join(line(cell) for cell in row[: len(b.head)]) + r" \\" for row in b.rows]
    head = " & ".join(rf"\textbf{{{line(cell)}}}" for cell in b.head) + r" \\ \hline \endhead"
    return "\n".join([rf"{{\small\tabcolsep=.006\linewidth\begin{{longtable}}{{{columns}}}", head, *rows, r"\end{longtable}}"])


def _code(b: Code) -> str:
    rows = ((len(row) - len(row.lstrip(" ")), row.strip()) for row in b.text.expandtabs(4).splitlines())
    lines = (rf"\codeline{{{deep / 2:.1f}em}}{{{code(row)}}}" for deep, row in rows)
    return "\\begin{codelines}\n" + "\n".join(lines) + "\n\\end{codelines}"


def _picture(b: Picture) -> str:
    return rf"\emph{{Picture: {text(b.words)}, in the file}} \code{{{code(b.path)}}}"


def _finding(b: Finding) -> str:
    rulings = [_ruling(r, f"({n}) " if len(b.rulings) > 1 else "", b.target) for n, r in enumerate(b.rulings, start=1)]
    if b.compared or not isinstance(b.shown, Display):
        return "\n\n".join(filter(None, (write_blocks(b.head), *rulings)))
    return "\n\n".join(filter(None, (write_blocks(b.head[:-1]), display(b.shown, bound=True) + "\n" + rulings[0], *rulings[1:])))


def _ruling(r: Ruling, mark: str, target: Display) -> str:
    pair = _pair(r.correction, target) if r.correction is not None else ""
    return "\n\n".join(filter(None, (mark + line(r.sentence), pair, write_blocks(r.notes))))


def _pair(c: Correction, target: Display) -> str:
    edits = f" ({line(c.edits)})" if c.edits else ""
    printed = display(replace(target, latex=c.printed), True)
    return "\n".join((rf"As printed: {verdict(Badge('refuted'))}", r"{\renewcommand{\changedcolor}{refuted}" + printed + "}",
                      rf"Corrected: {verdict(Badge(c.verdict))}{edits}", display(Display(c.latex))))


BLOCKS: dict[type, Callable[[Any], str]] = {
    Heading: _heading,
    Paragraph: lambda b: line(b.parts),
    Display: display,
    Items: _items,
    Table: _table,
    Code: _code,
    Quote: lambda b: f"\\begin{{quote}}\n{write_blocks(b.blocks)}\n\\end{{quote}}",
    Fold: lambda b: rf"\textbf{{{line(b.summary)}}}" + "\n\n" + write_blocks(b.blocks),
    Box: lambda b: "\n\n".join((FRAME, write_blocks(b.blocks), FRAME)),
    Picture: _picture,
    Rule: lambda b: FRAME,
    Finding: _finding,
}
