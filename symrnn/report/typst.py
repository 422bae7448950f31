r"""A report as PDF, set by Typst: the extra ``symrnn[pdf]``; the same content as the page, with its pictures.

Words reach Typst as string literals only, and formulas as what :mod:`symrnn.report.mathml` made of them, so that no text of a document
is carried out.

>>> line((Text('a "b" #c'), Maths("x^2")))
'#"a \\"b\\" #c"$attach(x, t: 2)$'
"""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any
from xml.etree.ElementTree import Element

from symrnn.errors import CallError
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
from symrnn.write.lines import Segment, layout, rows_of
from symrnn.write.pieces import Unclosed

WIDTH, INLINE = 40.0, 12.0
"""The widest line of a display, and the widest piece of a formula within a line, in units of the size of the type."""
SIGNS = {"proved": ("✓", "proved"), "conditional": ("◐", "true under a condition"), "refuted": ("×", "refuted"),
         "agrees": ("≈", "agrees"), "undecided": ("?", "undecided"), "unreadable": ("!", "unreadable")}
PREAMBLE = """\
#set page(paper: "a4", margin: (x: 23mm, y: 22mm), numbering: "1")
#set text(font: "Libertinus Serif", size: 10.5pt, lang: "en")
#set par(leading: 0.6em, spacing: 0.9em)
#set list(marker: [•])
#set document(date: none)
#show heading: set block(above: 1.6em, below: 0.8em, sticky: true)
#show math.equation: set text(font: "New Computer Modern Math")
#show raw: set text(font: "DejaVu Sans Mono", size: 8pt)
#show link: underline
#let colours = (proved: rgb("#00664a"), conditional: rgb("#0a568c"), refuted: rgb("#a33a00"), agrees: rgb("#6b5200"),
  undecided: rgb("#565653"), unreadable: rgb("#7b2869"))
#let badge(word, sign, words) = text(fill: colours.at(word), [#text(font: "DejaVu Sans Mono", size: 0.85em, sign) *#words*])
#let changed(body) = text(fill: colours.proved, math.underline(body))
#let changed-wrong(body) = text(fill: colours.refuted, math.underline(body))
#let fit(body) = context layout(size => {
  let own = measure(body).width
  if own > size.width { scale(size.width / own * 100%, origin: left, reflow: true, body) } else { body }
})
#show math.equation.where(block: true): set align(left)
#show math.equation.where(block: true): set block(breakable: true)
#let formula(number, body) = block(breakable: true, above: 1em, below: 1em, inset: (left: 1.2em), grid(
  columns: (1fr, auto), column-gutter: 1em, align: (left + horizon, right + horizon), fit(body), number))
#let finding(word, body) = block(inset: (left: 0.9em), stroke: (left: 1.5pt + colours.at(word)), above: 1.3em, below: 1.3em, body)
#let boxed(body) = block(stroke: 0.8pt, outset: (x: 0.6em), inset: (y: 0.6em), width: 100%, breakable: true, body)
#let rows = table.with(stroke: (x, y) => (bottom: 0.4pt + luma(if y == 0 { 0 } else { 200 })), inset: (x: 0.5em, y: 0.35em))
#let panel(body) = block(fill: luma(245), inset: 0.7em, radius: 2pt, width: 100%, breakable: false, body)
#let code(lines) = block(fill: luma(245), inset: 0.8em, width: 100%, text(font: "DejaVu Sans Mono", size: 7.4pt,
  for l in lines { par(hanging-indent: 2em, leading: 0.45em, spacing: 0.45em, l) }))
"""


def write(report: Report) -> bytes:
    """The whole document as PDF. Raises CallError where Typst is not installed."""
    try:
        import typst as compiler
    except ImportError:
        raise CallError("the format pdf", must="have the package typst", came="an installation without it",
                        next_step="Install symrnn[pdf], or choose the format html or tex.") from None
    made = compiler.compile(source(report).encode("utf-8"), format="pdf", ignore_system_fonts=True, timestamp=0)
    return bytes(made)


def source(report: Report) -> str:
    """The document for Typst."""
    counts = "#h(1.5em)".join(f"{badge(b)} {b.count}" for b in report.counts) or "nothing is claimed"
    parts = [PREAMBLE, f"#set document(title: {string(plain(report.title))})", f"#text(size: 20pt, weight: 700, [{line(report.title)}])",
             f"#text(style: \"italic\", fill: luma(80), {string(report.source)})" if report.source else "", counts,
             "#outline(depth: 2, indent: 1.2em, title: [Contents])", write_blocks(report.opening)]
    if report.errors:
        parts += ["= What is wrong", write_blocks(report.errors)]
    return "\n\n".join(filter(None, (*parts, write_blocks(report.rest), f"#text(size: 9pt, fill: luma(80), [{line(report.foot)}])"))) + "\n"


def write_blocks(found: Iterable[Block]) -> str:
    """Blocks, one under the other."""
    return "\n\n".join(filter(None, (BLOCKS[type(b)](b) for b in found)))


# ------------------------------------------------------------------------------------------------------------------------ text
def string(words: str) -> str:
    r"""Words as a string literal.

    >>> string('a "b" \\ c')
    '"a \\"b\\" \\\\ c"'
    """
    kept = "".join(c if c.isprintable() else " " for c in words.replace("\n", " "))
    return '"' + kept.replace("\\", "\\\\").replace('"', '\\"') + '"'


def label(anchor: str) -> str:
    """The name of a place in the document."""
    return "at-" + re.sub(r"[^A-Za-z0-9-]", "-", anchor)


def badge(b: Badge) -> str:
    """A verdict by colour, sign and word."""
    if b.verdict not in SIGNS:
        return f"#{string(b.verdict)}"
    sign, words = SIGNS[b.verdict]
    return f"#badge({string(b.verdict)}, {string(sign)}, {string(words)})"


def link(p: Link) -> str:
    """A link to the web; what leads into the document or to a file beside it is text."""
    if re.fullmatch(r"https?://[^\s\"\\]+", p.target):
        return f"#link({string(p.target)})[{line(p.parts)}]"
    return line(p.parts)


def line(parts: Inlines) -> str:
    """Pieces of text."""
    return "".join(INLINES[type(p)](p) for p in parts)


INLINES: dict[type, Callable[[Any], str]] = {
    Text: lambda p: f"#{string(p.text)}",
    Maths: lambda p: inline(p.latex),
    CodeText: lambda p: f"#raw({string(p.text)})",
    Strong: lambda p: f"#strong[{line(p.parts)}]",
    Emphasis: lambda p: f"#emph[{line(p.parts)}]",
    Small: lambda p: f"#text(size: 0.88em, fill: luma(70))[{line(p.parts)}]",
    Link: link,
    Break: lambda p: "#linebreak()",
    Badge: badge,
}


# -------------------------------------------------------------------------------------------------------------------- formulas
_ACCENTS = {"ˆ": "hat", "^": "hat", "˜": "tilde", "~": "tilde", "¯": "macron", "‾": "macron", "˙": "dot", "¨": "dot.double", "ˇ": "caron",
            "´": "acute", "`": "grave", "→": "arrow", "⃗": "arrow", "˘": "breve"}
_FENCES = "()[]{}|‖⟨⟩⌈⌉⌊⌋"


def maths(e: Element, changed: str = "changed") -> str:
    """A formula that was converted, in the language of Typst."""
    inner = [maths(child, changed) for child in e]
    made = _ELEMENTS.get(e.tag, _row)(e, inner)
    kind = e.get("class")
    if kind == "changed":
        return f"#{changed}(${made}$)"
    return f"#box(stroke: 0.5pt, inset: 0.4em, ${made}$)" if kind == "boxed" else made


def _row(e: Element, inner: Sequence[str]) -> str:
    first, last = (e[0], e[-1]) if len(e) > 2 else (None, None)
    joined = " ".join(inner)
    if first is not None and last is not None and all(x.tag == "mo" and x.text in tuple(_FENCES) and not x.get("stretchy")
                                                      and not x.get("minsize") for x in (first, last)):
        return f"lr({joined})"
    opens = len(e) == 2 and e[0].tag == "mo" and e[0].text in tuple(_FENCES) and e[1].tag == "mtable"
    return f"lr({joined})" if opens else joined


def _letter(e: Element, inner: Sequence[str]) -> str:
    text = e.text or ""
    if len(text) != 1:
        return f"op({string(text)})"
    return f"upright({text})" if e.get("mathvariant") == "normal" and text.isalpha() else _sign(text)


def _operator(e: Element, inner: Sequence[str]) -> str:
    text = e.text or ""
    if e.get("minsize", "").endswith("em") and text in tuple(_FENCES):
        return f"lr({_sign(text)}, size: #{e.get('minsize')})"
    return _sign(text)


def _sign(text: str) -> str:
    """A character as itself; what means something to Typst is escaped."""
    if text.isascii() and not text.isalnum():
        return f"\\{text}" if len(text) == 1 else string(text)
    return text if len(text) == 1 else string(text)


def _grouped(inner: str) -> str:
    """An argument of a function."""
    return inner if inner.strip() else "#none"


def _scripts(names: str) -> Callable[[Element, Sequence[str]], str]:
    def made(e: Element, inner: Sequence[str]) -> str:
        base = inner[0] if inner[0].strip() else '""'
        marks = ", ".join(f"{name}: {part}" for name, part in zip(names, inner[1:], strict=False) if part.strip())
        if e.tag.startswith("mun") and e[0].tag != "mo":
            base = f"limits({base})"
        return f"attach({base}, {marks})" if marks else base
    return made


def _over(e: Element, inner: Sequence[str]) -> str:
    sign = e[1].text or "" if e[1].tag == "mo" else ""
    if e.get("accent") and sign in _ACCENTS:
        return f"accent({inner[0]}, {_ACCENTS[sign]})"
    if sign == "⏞":
        return f"overbrace({inner[0]})"
    if sign in ("¯", "‾", "_", "\u0305"):
        return f"overline({inner[0]})"
    return f"attach(limits({inner[0]}), t: {inner[1]})"


def _under(e: Element, inner: Sequence[str]) -> str:
    sign = e[1].text or "" if e[1].tag == "mo" else ""
    if sign == "⏟":
        return f"underbrace({inner[0]})"
    if sign in ("\u0332", "_"):
        return f"underline({inner[0]})"
    return f"attach({inner[0] if e[0].tag == 'mo' else f'limits({inner[0]})'}, b: {inner[1]})"


def _table(e: Element, inner: Sequence[str]) -> str:
    align = {"l": "left", "c": "left", "k": "left", "r": "right"}.get(e[0][0].get("class", "") if len(e) and len(e[0]) else "", "center")
    return f"mat(delim: #none, align: #{align}, {'; '.join(inner)})"


_ELEMENTS: dict[str, Callable[[Element, Sequence[str]], str]] = {
    "mi": _letter, "mn": lambda e, inner: string(e.text or "") if len(e.text or "") > 1 else _sign(e.text or ""), "mo": _operator,
    "mtext": lambda e, inner: string(e.text or ""),
    "mspace": lambda e, inner: f"#h({width})" if re.fullmatch(r"-?[\d.]+em", width := e.get("width", "")) else "",
    "mfrac": lambda e, inner: f"frac({_grouped(inner[0])}, {_grouped(inner[1])})",
    "msqrt": lambda e, inner: f"sqrt({' '.join(inner)})", "mroot": lambda e, inner: f"root({inner[1]}, {inner[0]})",
    "msub": _scripts("b"), "msup": _scripts("t"), "msubsup": _scripts("bt"), "munderover": _scripts("bt"), "mover": _over,
    "munder": _under, "mtable": _table, "mtr": lambda e, inner: ", ".join(cell or "#none" for cell in inner),
    "mtd": lambda e, inner: " ".join(inner), "mphantom": lambda e, inner: f"#hide(${' '.join(inner)}$)",
}


def inline(latex: str) -> str:
    """A formula within a line: a long one in pieces, between which the line may be broken."""
    tree = mathml.tree(latex, False)
    try:
        rows = layout(latex).rows if tree is not None else ()
    except Unclosed:
        rows = ()
    if tree is None or len(rows) != 1:
        return f"#raw({string(latex)})"
    if rows[0].width <= INLINE:
        return f"${maths(tree)}$"
    trees = [mathml.tree("{}" + s.latex if s.leads and k else s.latex, False) for k, s in enumerate(_leaves(rows[0].segments))]
    if None in trees:
        return f"#raw({string(latex)})"
    return "".join(f"#box(${maths(t)}$)#sym.zws" for t in trees if t is not None)


def _leaves(found: Sequence[Segment]) -> Iterator[Segment]:
    for s in found:
        yield from _leaves(s.parts) if s.width > INLINE and s.parts else (s,)


def display(b: Display, changed: str = "changed") -> str:
    """A formula that stands alone, over as many lines as it needs; with its number."""
    rows = _rows(b.latex, changed)
    if rows is None:
        return _code(Code(unmarked(b.latex)))
    return f"#formula([{f'({b.number})' if b.number else ''}], $ {rows} $)"


def _rows(latex: str, changed: str) -> str | None:
    """The lines of a formula with their alignment; None where it cannot be set."""
    try:
        rows = rows_of(layout(latex), WIDTH) if mathml.tree(latex) is not None else []
    except Unclosed:
        return None
    out = []
    for left, right in rows:
        sides = mathml.tree(left), mathml.tree("{}" + right if left else right)
        if sides[0] is None or sides[1] is None:
            return None
        out.append(f"{maths(sides[0], changed)} & {maths(sides[1], changed)}")
    return " \\\n".join(out) if out else None


# ---------------------------------------------------------------------------------------------------------------------- blocks
def _items(b: Items) -> str:
    items = ", ".join(f"[{write_blocks(item)}]" for item in b.items)
    return f"#list({items})" if b.start is None else f"#enum(start: {b.start}, {items})"


def _grid(b: Table) -> str:
    align = {"l": "left", "c": "center", "r": "right"}
    aligns = ", ".join(align[a] for a in (b.align or "").ljust(len(b.head), "l")[: len(b.head)])
    cells = ", ".join(f"[{line(cell)}]" for row in b.rows for cell in (*row, *[()] * len(b.head))[: len(b.head)])
    head = ", ".join(f"[*{line(cell)}*]" for cell in b.head)
    return f"#rows(columns: {len(b.head)}, align: ({aligns},), table.header({head}), {cells})"


def _code(b: Code) -> str:
    rows = (re.sub(r"^ +", lambda m: "\u00a0" * len(m[0]), row) for row in b.text.expandtabs(4).splitlines())
    return f"#code(({', '.join(map(string, rows))},))"


def _finding(b: Finding) -> str:
    rulings = (_ruling(r, f"({n}) " if len(b.rulings) > 1 else "", b.target) for n, r in enumerate(b.rulings, start=1))
    return f"#finding({string(b.verdict)})[\n{write_blocks(b.head)}\n\n" + "\n\n".join(rulings) + "\n]"


def _ruling(r: Ruling, mark: str, target: Display) -> str:
    pair = _pair(r.correction, target) if r.correction is not None else ""
    return "\n\n".join(filter(None, (mark + line(r.sentence), pair, write_blocks(r.notes))))


def _pair(c: Correction, target: Display) -> str:
    edits = f" ({line(c.edits)})" if c.edits else ""
    printed = f"as printed: {badge(Badge('refuted'))}\n{display(replace(target, latex=c.printed), 'changed-wrong')}"
    right = f"corrected: {badge(Badge(c.verdict))}{edits}\n{display(Display(c.latex))}"
    return f"#panel[{printed}]\n#panel[{right}]"


def _picture(p: Picture) -> str:
    """A label with a letter that its font does not have would be set in another font as a whole, upright."""
    svg = re.sub("[⊤⊺]", "T", p.svg)
    return f"#align(center, image(bytes({string(svg)}), format: \"svg\", alt: {string(p.words)}, width: 70%))"


BLOCKS: dict[type, Callable[[Any], str]] = {
    Heading: lambda b: f"#heading(level: {max(b.level - 1, 1)})[{line(b.parts)}]",
    Paragraph: lambda b: line(b.parts),
    Display: display,
    Items: _items,
    Table: _grid,
    Code: _code,
    Quote: lambda b: f"#quote(block: true)[{write_blocks(b.blocks)}]",
    Fold: lambda b: f"#strong[{line(b.summary)}]\n\n{write_blocks(b.blocks)}",
    Box: lambda b: f"#boxed[\n{write_blocks(b.blocks)}\n]",
    Picture: _picture,
    Rule: lambda b: "#line(length: 100%, stroke: 0.4pt)",
    Finding: _finding,
}
