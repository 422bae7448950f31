"""A report as one HTML file that needs nothing else: no script, no network; light and dark, on a phone and on paper.

Everything that comes from a document passes through :class:`markupsafe.Markup`, which escapes it; formulas are checked MathML. The policy
in the head of the page forbids scripts and requests all the same.

>>> str(line((Text("a < b & "), Strong((Text("c"),)))))
'a &lt; b &amp; <strong>c</strong>'
>>> str(line((Link((Text("x"),), "javascript:alert(1)"),)))
'x'
"""
from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from typing import Any
from xml.etree.ElementTree import Element

from markupsafe import Markup

from symrnn import __version__
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
    headings,
    plain,
)
from symrnn.write.lines import Layout, Row, Segment, boxed, layout
from symrnn.write.pieces import Unclosed

SIGNS = {"proved": ("✓", "proved"), "conditional": ("◐", "true under a condition"), "refuted": ("×", "refuted"),
         "agrees": ("≈", "agrees"), "undecided": ("?", "undecided"), "unreadable": ("!", "unreadable")}
"""The sign and the words of each verdict; the class of its colour is its name."""
LEAF = 9.0
"""The widest piece of a formula, in units of the size of the type, that is not broken even where the page is narrow."""
NARROW = 16.0
"""The widest formula that is set as one piece: it fits on the screen of a phone."""
LEANING = 5.0
"""The widest left side that has the right side beside it on a phone."""
BESIDE = 24.0
"""The widest formula that stands beside its correction; a wider one stands above it."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data:"
ADDRESS = re.compile(r"(?:https?://|mailto:|#)\S*|[^:\\\s?#&<>\"']+(?:#\S*)?", re.I)
"""Where a link may lead: to the web, into the page, to a file beside it."""
FACES = (("STIX Two Math", "normal", 400, "maths"), ("STIX Two Text", "normal", 400, "text"),
         ("STIX Two Text", "italic", 400, "text-italic"), ("STIX Two Text", "normal", 700, "text-bold"))


def write(report: Report) -> str:
    """The whole page."""
    title, errors = plain(report.title), report.errors
    counts = Markup("").join(Markup("<li>{} {}</li>").format(badge(b), b.count) for b in report.counts)
    body = Markup("").join((
        Markup('<a class="skip" href="#content">Skip to the text</a>\n<header>\n<h1>{}</h1>\n').format(line(report.title)),
        Markup('<p class="source">{}</p>\n').format(report.source) if report.source else "",
        Markup('<ul class="counts" aria-label="Verdicts">{}</ul>\n').format(counts or Markup("<li>nothing is claimed</li>")),
        Markup("</header>\n"), contents(report.body, bool(errors)), Markup('<main id="content">\n'),
        blocks(report.opening),
        Markup('<section class="errors" aria-labelledby="what-is-wrong"><h2 id="what-is-wrong">What is wrong</h2>\n{}</section>\n')
        .format(blocks(errors)) if errors else "",
        blocks(report.rest), Markup("</main>\n<footer><p>{}</p></footer>\n").format(line(report.foot))))
    return str(Markup(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" content="{}">\n<meta name="color-scheme" content="light dark">\n'
        '<meta name="generator" content="symrnn {}">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n{}</body>\n</html>\n')
        .format(POLICY, __version__, title, style(), body))


@lru_cache(maxsize=1)
def style() -> Markup:
    """The style sheet, with the fonts in it."""
    assets = files("symrnn.report") / "assets"
    faces = "".join(
        f'@font-face {{ font-family: "{family}"; font-style: {slope}; font-weight: {weight}; font-display: block; '
        f"src: url(data:font/woff2;base64,{b64encode((assets / f'{name}.woff2').read_bytes()).decode()}) format(\"woff2\"); }}\n"
        for family, slope, weight, name in FACES)
    return Markup(faces + (assets / "style.css").read_text(encoding="utf-8"))


def contents(body: Sequence[Block], errors: bool) -> Markup:
    """The table of contents: headings of the second and third level."""
    found = [(h.level, h.anchor, line(h.parts)) for h in headings(body) if h.level <= 3]
    if errors:
        found.insert(0, (2, "what-is-wrong", Markup("What is wrong")))
    if len(found) < 2:
        return Markup("")
    items = Markup("").join(Markup('<li class="level{}"><a href="#{}">{}</a></li>\n').format(level, anchor, text)
                            for level, anchor, text in found)
    return Markup('<nav aria-label="Contents"><details open><summary>Contents</summary>\n<ul>\n{}</ul></details></nav>\n').format(items)


# ----------------------------------------------------------------------------------------------------------------------- lines
def line(parts: Inlines) -> Markup:
    """Pieces of text; a formula stays on the line of the punctuation behind it."""
    out: list[Markup] = []
    for p in parts:
        shown = INLINES[type(p)](p)
        if out and isinstance(p, Text) and (mark := re.match(r"[,.;:)]+", p.text)) and out[-1].startswith("<math"):
            out[-1] = Markup('<span class="whole">{}{}</span>').format(out[-1], mark[0])
            shown = Markup("{}").format(p.text[mark.end():])
        out.append(shown)
    return Markup("").join(out)


def badge(b: Badge) -> Markup:
    """A verdict by sign, word and colour."""
    if b.verdict not in SIGNS:
        return Markup("{}").format(b.verdict)
    sign, words = SIGNS[b.verdict]
    return Markup('<b class="badge {}"><span aria-hidden="true">{}</span>&nbsp;{}</b>').format(b.verdict, sign, words)


def link(p: Link) -> Markup:
    """A link, or its words alone where it leads to what is no page."""
    if not ADDRESS.fullmatch(p.target):
        return line(p.parts)
    return Markup('<a href="{}">{}</a>').format(p.target, line(p.parts))


INLINES: dict[type, Callable[[Any], Markup]] = {
    Text: lambda p: Markup("{}").format(p.text),
    Maths: lambda p: inline(p.latex),
    CodeText: lambda p: Markup("<code>{}</code>").format(p.text),
    Strong: lambda p: Markup("<strong>{}</strong>").format(line(p.parts)),
    Emphasis: lambda p: Markup("<em>{}</em>").format(line(p.parts)),
    Small: lambda p: Markup("<small>{}</small>").format(line(p.parts)),
    Link: link,
    Break: lambda p: Markup("<br>"),
    Badge: badge,
}


# -------------------------------------------------------------------------------------------------------------------- formulas
def maths(latex: str, display: bool = True) -> Markup | None:
    """A formula, or a piece of one, as one element; None where it cannot be converted."""
    tree = mathml.tree(latex, display)
    if tree is None:
        return None
    return Markup("<math{}>{}</math>").format(Markup(' displaystyle="true"') if display else "", _shown(tree))


def _shown(tree: Element) -> Markup:
    """What stands in the element of a formula: its checked parts."""
    return Markup(mathml.inner(tree) if tree.tag == "mrow" and not tree.attrib else mathml.text(tree))


def inline(latex: str) -> Markup:
    """A formula within a line: its LaTeX goes with it, and a long one is broken with the line."""
    tree = mathml.tree(latex, False)
    try:
        found = layout(latex)
    except Unclosed:
        found = None
    if tree is None or found is None or found.names:
        return Markup("<code>{}</code>").format(latex)
    if len(found.rows) == 1 and found.rows[0].width > NARROW:
        return Markup('<span class="long" title="{}">{}</span>').format(latex, _segments(found.rows[0].segments, False, True))
    return Markup('<math alttext="{}">{}</math>').format(latex, _shown(tree))


def display(b: Display, note: Markup = Markup("")) -> Markup:  # noqa: B008  (it is immutable)
    """A formula that stands alone, with its number and its LaTeX."""
    mark = Markup('<a class="number" href="#{}" aria-label="Equation {}">({})</a>').format(b.anchor, b.number, b.number) if b.number else ""
    place = Markup(' id="{}"').format(b.anchor) if b.anchor else ""
    source = Markup('<details class="source"><summary>LaTeX</summary><pre>{}</pre></details>').format(unmarked(b.latex))
    return Markup('<div class="formula"{}>{}{}{}{}</div>\n').format(place, note, formula(b.latex), mark, source)


def formula(latex: str) -> Markup:
    """The rows of a formula, in a frame if it is boxed; one that cannot be set is shown as LaTeX."""
    inner = boxed(latex)
    if inner is not None:
        return Markup('<div class="framed">{}</div>').format(formula(inner))
    try:
        return _rows(layout(latex))
    except (Unclosed, _NotSet):
        return Markup('<pre class="tex">{}</pre>').format(unmarked(latex))


class _NotSet(Exception):
    """A formula, or a piece of it, that cannot be converted."""


def _rows(found: Layout) -> Markup:
    if not found.rows:
        raise _NotSet
    alone = len(found.rows) == 1 and found.rows[0].width <= NARROW and not found.names
    two = any(row.lead for row in found.rows)
    shown = _piece(found.rows[0].segments) if alone else Markup("").join(_row(row, two) for row in found.rows)
    tag = Markup('<span class="tag">({})</span>').format(found.tag) if found.tag else ""
    kind = "rows" if two and not alone else "row"
    most = max(row.left_width for row in found.rows)
    wide = " stacked" if most > NARROW else " leaning" if most > LEANING else ""
    names = Markup("").join(Markup('<div class="where"><span>where {} is</span>{}</div>').format(maths(name, False), _rows(of))
                            for name, of in found.names)
    return Markup('<div class="{}{}">{}</div>{}{}').format(kind, wide, shown, tag, names)


def _row(row: Row, two: bool) -> Markup:
    """A row, of two cells where the rows of the formula have something before the alignment."""
    left = Markup('<div class="left">{}</div>').format(_segments(row.lead, first=True)) if two else Markup("")
    return Markup('{}<div class="right">{}</div>').format(left, _segments(row.right, first=not row.lead))


def _segments(found: Sequence[Segment], display: bool = True, first: bool = False) -> Markup:
    """Segments with a place to break the line between them; short ones that stand together are one piece."""
    return Markup("<wbr>").join(_joined(found, display, first))


def _joined(found: Sequence[Segment], display: bool, first: bool) -> Iterator[Markup]:
    held: list[Segment] = []
    for k, s in enumerate(found):
        if held and sum(h.width for h in held) + s.width > LEAF:
            yield _piece(held, display, first and held[0] is found[0])
            held = []
        if s.width > LEAF and s.parts:
            yield Markup('<span class="part">{}</span>').format(_segments(s.parts, display, first and k == 0))
        else:
            held.append(s)
    if held:
        yield _piece(held, display, first and held[0] is found[0])


def _piece(found: Sequence[Segment], display: bool = True, first: bool = True) -> Markup:
    """A piece of a formula; a sign or a relation has room before it unless it is the first in its row."""
    latex = " ".join(s.latex for s in found)
    made = maths("{}" + latex if found[0].leads and not first else latex, display)
    if made is None:
        raise _NotSet(latex)
    return made


# ---------------------------------------------------------------------------------------------------------------------- blocks
def blocks(found: Iterable[Block]) -> Markup:
    """Blocks, one under the other."""
    return Markup("").join(BLOCKS[type(b)](b) for b in found)


def _items(b: Items) -> Markup:
    rows = Markup("").join(Markup("<li>{}</li>\n").format(
        line(item[0].parts) if len(item) == 1 and isinstance(item[0], Paragraph) else blocks(item)) for item in b.items)
    if b.start is None:
        return Markup("<ul>\n{}</ul>\n").format(rows)
    return Markup('<ol start="{}">\n{}</ol>\n').format(b.start, rows)


def _table(b: Table) -> Markup:
    align = b.align.ljust(len(b.head), "l")
    head = Markup("").join(Markup('<th scope="col" class="{}">{}</th>').format(a, line(c)) for a, c in zip(align, b.head, strict=True))
    rows = Markup("").join(Markup("<tr>{}</tr>\n").format(Markup("").join(
        Markup('<th scope="row" class="{}">{}</th>' if k == 0 else '<td class="{}">{}</td>').format(align[k], line(c))
        for k, c in enumerate(row[: len(b.head)]))) for row in b.rows)
    return Markup("<table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody>\n</table>\n").format(head, rows)


def _picture(b: Picture) -> Markup:
    data = b64encode(b.svg.encode("utf-8")).decode()
    return Markup('<figure><img alt="{}" src="data:image/svg+xml;base64,{}"></figure>\n').format(b.words, data)


def _finding(b: Finding) -> Markup:
    rulings = [_ruling(r, b.target) for r in b.rulings]
    shown = rulings[0] if len(rulings) == 1 else Markup("<ol>\n{}</ol>\n").format(
        Markup("").join(Markup("<li>{}</li>\n").format(r) for r in rulings))
    place = Markup(' id="{}"').format(b.anchor) if isinstance(b.shown, Paragraph) else ""
    return Markup('<div class="finding {}"{}>\n{}{}</div>\n').format(b.verdict, place, blocks(b.head), shown)


def _ruling(r: Ruling, target: Display) -> Markup:
    pair = _pair(r.correction, target) if r.correction is not None else ""
    return Markup("<p>{}</p>\n{}{}").format(line(r.sentence), pair, blocks(r.notes))


def _pair(c: Correction, target: Display) -> Markup:
    """A formula, with its number where it has one here, beside its correction."""
    edits = Markup('<p class="edits">{}</p>').format(line(c.edits)) if c.edits else ""
    printed = Markup('<p class="label">as printed: {}</p>').format(badge(Badge("refuted")))
    right = Markup('<p class="label">corrected: {}</p>').format(badge(Badge(c.verdict)))
    wide = " wide" if max(_width(c.printed), _width(c.latex)) > BESIDE else ""
    return Markup('<div class="pair{}"><div class="printed">{}</div><div class="right">{}{}</div></div>\n').format(
        wide, display(replace(target, latex=c.printed), printed), display(Display(c.latex), right), edits)


def _width(latex: str) -> float:
    """About how wide a formula is, in units of the size of the type; nothing for what is no formula."""
    try:
        return max((row.width for row in layout(latex).rows), default=0.0)
    except Unclosed:
        return 0.0


BLOCKS: dict[type, Callable[[Any], Markup]] = {
    Heading: lambda b: Markup('<h{} id="{}">{} <a class="anchor" href="#{}" aria-label="Link to this section">#</a></h{}>\n').format(
        min(b.level, 6), b.anchor, line(b.parts), b.anchor, min(b.level, 6)),
    Paragraph: lambda b: Markup("<p>{}</p>\n").format(line(b.parts)),
    Display: display,
    Items: _items,
    Table: _table,
    Code: lambda b: Markup("<pre><code>{}</code></pre>\n").format(b.text),
    Quote: lambda b: Markup("<blockquote>{}</blockquote>\n").format(blocks(b.blocks)),
    Fold: lambda b: Markup('<details class="fold"><summary>{}</summary>\n{}</details>\n').format(line(b.summary), blocks(b.blocks)),
    Box: lambda b: Markup('<div class="box">\n{}</div>\n').format(blocks(b.blocks)),
    Picture: _picture,
    Rule: lambda b: Markup("<hr>\n"),
    Finding: _finding,
}
