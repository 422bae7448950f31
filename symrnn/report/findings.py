"""What was found for an equation, as the blocks of a report: the sentence, the counterexample, the correction, the causes.

>>> from symrnn.prove.verdict import Verdict
>>> from symrnn.report.model import plain
>>> plain(sentence(Verdict("refuted", "SR201", "the shapes differ")))
'refuted (SR201): the shapes differ'
"""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from symrnn.audit import Equation
from symrnn.codes import code
from symrnn.expr import Time
from symrnn.judge import Relation
from symrnn.prove.verdict import Verdict
from symrnn.read.document import Span
from symrnn.report import marks
from symrnn.report.model import (
    Badge,
    Block,
    CodeText,
    Correction,
    Display,
    Finding,
    Inline,
    Inlines,
    Items,
    Link,
    Maths,
    Paragraph,
    Ruling,
    Small,
    Table,
    Text,
    said,
)
from symrnn.write.latex import Writer
from symrnn.write.notation import Notation
from symrnn.write.pieces import Unclosed, pieces, width

SHORT = 24.0
"""The widest relation, in units of the size of the type, that is printed again before its verdict."""
OUTSIDE = re.compile(r"the claim does not speak of (.*?): a printed symbol does not exist there")


def anchor(e: Equation) -> str:
    """The anchor of an equation in a report; the names that a file of claims gives are made fit for it.

    >>> slug("eq-3"), slug("a b")
    ('eq-3', 'a-b')
    """
    return slug(e.id)


def slug(name: str) -> str:
    """A name without what an anchor may not have."""
    return re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-") or "equation"


def place(span: Span) -> str:
    """Where a formula stands: the line, in a notebook within its cell, in another file than the document with its name."""
    where = f"line {span.line}" if span.cell is None else f"cell {span.cell}, line {span.line}"
    return f"{where} of {Path(span.path).name}" if span.path else where


def short(name: str) -> str:
    """The number of an equation; empty for what has a name of its own.

    >>> short("eq-3"), short("d2-eq-3"), short("code-1")
    ('3', '3', '')
    """
    found = re.fullmatch(r"(?:d\d+-)?eq-(\d+)", name)
    return found[1] if found else ""


def number(name: str) -> str:
    """How an equation is called in the text.

    >>> number("eq-3"), number("d2-code-1"), number("my claim")
    ('equation 3', 'statement 1', 'my claim')
    """
    found = re.fullmatch(r"(?:d\d+-)?(eq|code|said)-(\d+)", name)
    return f"{KINDS[found[1]]} {found[2]}" if found else name


KINDS = {"eq": "equation", "code": "statement", "said": "sentence"}


def display(span: Span) -> str:
    """The LaTeX of a formula that stands alone; a row of an environment keeps its alignment."""
    source = span.latex.strip()
    return f"\\begin{{aligned}}\n{source}\n\\end{{aligned}}" if span.kind == "row" else source


def finding(e: Equation, shown: Display | Paragraph, notation: Notation, place: str = "") -> Finding | None:
    """An equation with what was found for each of its relations; None where nothing was claimed."""
    judged = [r for r in e.relations if r.verdict.word is not None]
    if not judged:
        return None
    several = len({r.verdict.word for r in judged}) > 1
    first, *others = (ruling(r, notation, several) for r in judged)
    rulings = (replace(first, notes=(*repeated(e), *first.notes)), *others)
    whole = len(e.relations) == 1 and bare(judged[0].latex) == bare(e.span.latex)
    compared = whole and isinstance(shown, Display) and rulings[0].correction is not None
    return Finding(anchor(e), shown, rulings, e.verdict or "undecided", place, compared)


def repeated(e: Equation) -> Iterator[Paragraph]:
    """The relations that only say a definition again, each with the line of the definition."""
    for r in e.relations:
        if r.verdict.word is None and r.verdict.reason:
            yield Paragraph((Small((Maths(r.latex), Text(f": {r.verdict.reason}"))),))


def bare(latex: str) -> str:
    """LaTeX without white space and alignment."""
    return re.sub(r"\s|(?<!\\)&", "", latex)


def ruling(r: Relation, notation: Notation, several: bool = False) -> Ruling:
    """What was found for one relation; with `several` that differ each is printed again."""
    v = r.verdict
    shown: Inlines = (Maths(r.latex), Text(" ")) if several and _short(r.latex) else ()
    right = None
    if v.fix is not None:
        printed, corrected = marks.compared(r.latex, v.fix.latex)
        right = Correction(printed, corrected, v.fix.verdict, said(", ".join(v.fix.edits)))
    return Ruling(v.word or "undecided", (*shown, *sentence(v, notation)), tuple(notes(v, notation)), right)


def _short(latex: str) -> bool:
    try:
        return width(pieces(latex)) <= SHORT
    except Unclosed:
        return False


_SPOKEN = re.compile(
    r"(?P<formula>\$[^$]+\$)"
    r"|\b(?P<size>n_\w+|[A-Za-z]) ?= ?(?P<value>\d+)(?!\d|\.\d)"
    r"|\b(?P<rows>n_\w+(?:\*n_\w+)*|[A-Za-z]|\d+) x (?P<columns>n_\w+(?:\*n_\w+)*|[A-Za-z]|\d+)\b"
    r"|(?P<middle>-?\d+(?:\.\d+)?) \+/- 1e-(?P<digits>\d+)"
    r"|2\^-(?P<bits>\d+)"
    r"|(?<![.\w`'])(?P<name>[A-Za-z]_[A-Za-z0-9]{1,3})(?!\.\w)(?!\w)")
_QUOTED = re.compile(r"\$`(?P<tick>[^`]+)`\$|\$(?P<dollar>[^$]+)\$|\\\((?P<paren>.+?)\\\)")


def words(text: str, notation: Notation = Notation()) -> Inlines:  # noqa: B008  (it is immutable)
    r"""What a verdict says, with the formulas in it as formulas: those between dollars, sizes, shapes, bounds, names with an index.

    >>> [p.latex for p in words("n_h x 1 up to 2^-60, 0.5 +/- 1e-12 at n_h = 2, of W_hh") if isinstance(p, Maths)]
    ['n_h \\times 1', '2^{-60}', '0.5 \\pm 10^{-12}', 'n_h = 2', 'W_{hh}']
    """
    out: list[Inline] = []
    at = 0
    for m in _SPOKEN.finditer(text):
        out += [Text(text[at : m.start()])] * (m.start() > at)
        out.append(Maths(notation.base(m["name"]) if m["name"] else _formula(m, Writer(notation).size)))
        at = m.end()
    return (*out, *([Text(text[at:])] * (at < len(text))))


def quoted(text: str) -> Inlines:
    """A sentence of a document, with its formulas as formulas.

    >>> [type(p).__name__ for p in quoted(r"the same $W$ at every step")]
    ['Text', 'Maths', 'Text']
    """
    out: list[Inline] = []
    at = 0
    for m in _QUOTED.finditer(text):
        out += [Text(text[at : m.start()])] * (m.start() > at)
        out.append(Maths(m["tick"] or m["dollar"] or m["paren"]))
        at = m.end()
    return (*out, *([Text(text[at:])] * (at < len(text))))


def _formula(m: re.Match[str], size: Callable[[str], str]) -> str:
    if m["formula"]:
        return m["formula"][1:-1]
    if m["size"]:
        return f"{size(m['size'])} = {m['value']}"
    if m["rows"]:
        rows, columns = (" ".join(map(size, m[side].split("*"))) for side in ("rows", "columns"))
        return rf"{rows} \times {columns}"
    return rf"{m['middle']} \pm 10^{{-{m['digits']}}}" if m["middle"] else f"2^{{-{m['bits']}}}"


def sentence(v: Verdict, notation: Notation = Notation()) -> Inlines:  # noqa: B008  (it is immutable)
    """A verdict in a line: the word, its scope, its code and reason, what it rests on."""
    out: list[Inline] = [Badge(v.word or "undecided")]
    if v.scope is not None and v.word in ("proved", "conditional", "agrees"):
        out += words(f" {v.scope}", notation)
    if v.code:
        out += [Text(" ("), CodeText(v.code), Text(")")]
    if v.reason:
        out += words(f": {v.reason}", notation)
    if v.conditions and v.word == "proved":
        out += conditions(v.conditions)
    if v.cause:
        out += [Text("; it repeats or uses what is wrong in "), Link((Text(number(v.cause)),), f"#{slug(v.cause)}")]
    return tuple(out)


def conditions(found: Sequence[str]) -> Inlines:
    """What a verdict rests on, each once, and the steps that lie outside of the claim.

    >>> from symrnn.report.model import plain
    >>> plain(conditions(("b = 0", "b = 0", "the claim does not speak of t = 1: a printed symbol does not exist there")))
    ', where b = 0; a printed symbol does not exist at t = 1, which is not claimed'
    """
    outside = [m[1] for c in found if (m := OUTSIDE.fullmatch(c))]
    out: list[Inline] = []
    for k, c in enumerate(dict.fromkeys(c for c in found if not OUTSIDE.fullmatch(c))):
        out += [Text("; " if k else ", where "), *stated(c)]
    if outside:
        out.append(Text(f"; a printed symbol does not exist at {', '.join(outside)}, which is not claimed"))
    return tuple(out)


def stated(condition: str) -> Inlines:
    """A condition as text, or as a formula where it is one."""
    is_formula = "\\" in condition or re.fullmatch(r"[\w{}^_(), ]+[=<>][\w{}^_(), +-]+", condition)
    return (Maths(condition),) if is_formula else said(condition)


def notes(v: Verdict, notation: Notation) -> Iterator[Block]:
    """Method, domain, counterexample and other readings."""
    if v.word == "proved" and v.method:
        yield Paragraph((Small(words(v.method, notation)),))
    if v.domain:
        yield Paragraph((Text("Where defined: "), *words(v.domain, notation), Text(".")))
    if v.counterexample and v.word == "refuted":
        yield counterexample(v.counterexample, notation)
    for latex, word in v.readings:
        yield Paragraph((Text("Read otherwise, as "), Maths(latex), Text(f", it is {word}.")))


def counterexample(c: Mapping[str, Any], notation: Notation) -> Table:
    """A counterexample as a small table: where, the values, and both sides."""
    size = Writer(notation).size
    rows: list[tuple[Inlines, Any]] = [((Maths(size(k)),), v) for k, v in (c.get("sizes") or {}).items()]
    rows.append(((Maths(notation.last),), c.get("T")))
    rows += [((symbol(str(k), notation)), v) for k, v in (c.get("values") or {}).items()]
    rows += [((Text("left side"),), c.get("left")), ((Text("right side"),), c.get("right"))]
    return Table(((Text("counterexample"),), (Text("value"),)),
                 tuple((name, value(str(v))) for name, v in rows if v not in (None, "")), "ll")


def symbol(name: str, notation: Notation) -> Inlines:
    """A symbol of a counterexample, such as ``h[0]``, as the document writes it."""
    found = re.fullmatch(r"([\w^()]+?)(?:\[(\d+)\])?", name)
    if found is None:
        return (Text(name),)
    return (Maths(notation.at(found[1], None if found[2] is None else Time("", int(found[2])))),)


def value(text: str) -> Inlines:
    r"""A value of a counterexample; a matrix of numbers as a matrix.

    >>> value("[[1, 0], [1/2, 1]]")
    (Maths(latex='\\begin{bmatrix} 1 & 0 \\\\ 1/2 & 1 \\end{bmatrix}'),)
    """
    rows = re.findall(r"\[([^\[\]]*)\]", text)
    if not re.fullmatch(r"\[\s*\[[\d\s,./+-]*\](?:\s*,\s*\[[\d\s,./+-]*\])*\s*\]", text):
        return words(text)
    return (Maths(r"\begin{bmatrix} " + r" \\ ".join(" & ".join(x.strip() for x in row.split(",")) for row in rows) + r" \end{bmatrix}"),)


# ----------------------------------------------------------------------------------------------------------------- what is wrong
WRONG = ("refuted", "unreadable")


def errors(equations: Iterable[Equation]) -> tuple[Block, ...]:
    """What is wrong, a line for each: root causes in the order of the document, and under each what follows from it."""
    wrong = [e for e in equations if e.verdict in WRONG]
    known = {e.id for e in wrong}
    causes = {e.id: next((c for r in e.relations if (c := r.verdict.cause) in known and c != e.id), None) for e in wrong}
    roots = [e for e in wrong if causes[e.id] is None]
    roots.sort(key=lambda e: e.expected == e.verdict)                   # what the document itself expects comes last
    items = tuple(_error(e, [f for f in wrong if causes[f.id] is not None and _root(f.id, causes) == e.id]) for e in roots)
    return (Items(items),) if items else ()


def _root(name: str, causes: Mapping[str, str | None]) -> str:
    """The first cause of an error."""
    seen = {name}
    while (cause := causes.get(name)) is not None and cause not in seen:
        name = cause
        seen.add(name)
    return name


def _error(e: Equation, followers: Sequence[Equation]) -> tuple[Block, ...]:
    r = next(r for r in e.relations if r.verdict.word == e.verdict)
    v = r.verdict
    parts: list[Inline] = [Link((Text(number(e.id)),), f"#{anchor(e)}"), Text(f", {place(e.span)}: "), Badge(e.verdict or "")]
    if v.code:
        parts += [Text(" ("), CodeText(v.code), Text(f" {code(v.code).slug})")]
    if e.expected == e.verdict:
        parts.append(Text(", as the document expects"))
    if e.span.kind not in ("sentence", "code") and v.word == "refuted" and _short(r.latex):
        parts += [Text(": "), Maths(r.latex)]
    out: list[Block] = [Paragraph(tuple(parts))]
    if followers:
        links = [Link((Text(number(f.id)),), f"#{anchor(f)}") for f in followers]
        out.append(Paragraph((Text("The same error is in "), *(p for k, x in enumerate(links) for p in ((Text(", "), x) if k else (x,))),
                              Text("."))))
    return tuple(out)
