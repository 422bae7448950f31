r"""Results as a notebook shows them: plain text, LaTeX where the result is a formula, and HTML with its formulas between TeX's marks.

What comes from a document is escaped; LaTeX commands that make links, classes or definitions are shown as their names.

>>> from symrnn import api
>>> sorted(bundle(api.check(r"x + x = 2 x", shapes={"x": "scalar"})))
['text/html', 'text/latex', 'text/plain']
"""
from __future__ import annotations

import re
from collections.abc import Iterable
from functools import singledispatch
from html import escape
from typing import Any, NamedTuple

from symrnn.audit import Audit, Judged
from symrnn.audit import Equation as JudgedEquation
from symrnn.bptt import Derivation, adjoint, gradient
from symrnn.claims import Checked
from symrnn.expr import node, show_shape
from symrnn.judge import Relation
from symrnn.model import Model
from symrnn.pictures import network
from symrnn.proposed import Proposal
from symrnn.prove.verdict import Verdict
from symrnn.readings import Read, Readings
from symrnn.unroll import Unrolled
from symrnn.write.derivation import DerivationText
from symrnn.write.latex import latex
from symrnn.write.notation import Notation
from symrnn.write.page import aligned, defined, equation
from symrnn.write.unrolled import UnrolledText

SIGNS = {"proved": ("✔", "#1a7f37"), "conditional": ("◐", "#0969da"), "refuted": ("✘", "#cf222e"), "agrees": ("≈", "#9a6700"),
         "undecided": ("?", "#9a6700"), "unreadable": ("⚠", "#8250df")}
"""Verdict -> its sign and colour; the word stands beside them."""
_NAMES = ("href url html[A-Za-z]* class cssId style data require includegraphics unicode [gex]?def let newcommand renewcommand "
          "newenvironment renewenvironment DeclareMathOperator input begingroup csname catcode bbox texttip mmlToken toggle")
REACHING = re.compile(rf"\\+({'|'.join(_NAMES.split())})(?![A-Za-z])")
"""Commands that do more than print something, in one renderer or another."""
LONG = 40
"""The most equations of an audit that are shown with their formulas; the rest is counted."""


class Shown(NamedTuple):
    """A result in the three forms; no LaTeX where a result is no formula."""

    plain: str
    html: str
    latex: str = ""


def bundle(x: Any) -> dict[str, str]:
    """The forms of a result by their MIME types."""
    found = shown(x)
    return {"text/plain": found.plain, "text/html": f'<div class="symrnn">{found.html}</div>',
            **({"text/latex": f"$\\displaystyle {harmless(found.latex)}$"} if found.latex else {})}


@singledispatch
def shown(x: Any) -> Shown:
    """The forms of a result of a kind that has a row below."""
    raise TypeError(f"a notebook shows results of symrnn, and no {type(x).__name__}")


# ---------------------------------------------------------------------------------------------------------------------- pieces
def harmless(latex: str) -> str:
    r"""LaTeX without commands that do more than print.

    >>> print(harmless(r"\href{javascript:x}{h_t} + \hat{y}"))
    \mathtt{href}{javascript:x}{h_t} + \hat{y}
    """
    return REACHING.sub(r"\\mathtt{\1}", latex).replace("$", r"\mathtt{\char36}")


def display(latex: str) -> str:
    """A formula on a line of its own."""
    return f"<p>$$ {escape(harmless(latex))} $$</p>"


def inline(latex: str) -> str:
    return f"${escape(harmless(' '.join(latex.split())))}$"


def prose(text: str) -> str:
    """Text as HTML; a renderer that looks for formulas in it finds none that do more than print."""
    return escape(REACHING.sub(r"\1", text))


def words(text: str) -> str:
    """Prose in which formulas stand between dollar signs."""
    parts = text.split("$")
    if len(parts) % 2 == 0:
        return prose(text).replace("$", "&#36;")
    return "".join(inline(p) if k % 2 else prose(p) for k, p in enumerate(parts))


def heading(text: str) -> str:
    return f"<h4>{prose(text)}</h4>"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of cells that are HTML."""
    def row(cells: Iterable[str], tag: str) -> str:
        return "<tr>" + "".join(f'<{tag} style="text-align:left">{c}</{tag}>' for c in cells) + "</tr>"
    return f"<table><thead>{row(head, 'th')}</thead><tbody>{''.join(row(r, 'td') for r in rows)}</tbody></table>"


def word(verdict: str) -> str:
    """A verdict by sign, colour and word."""
    sign, colour = SIGNS[verdict]
    return f'<b style="color:{colour}">{sign}&nbsp;{verdict}</b>'


# ----------------------------------------------------------------------------------------------------------- models, derivations
@shown.register
def _(m: Model) -> Shown:
    notation = Notation.of(m)
    equations = [defined(e, notation) for e in m.equations]
    symbols = (*m.inputs, *m.targets, *m.parameters, *m.constants, *m.variables)
    rows = ((inline(notation.at(s.name, s.time)), s.kind, escape(show_shape(s.shape))) for s in symbols)
    shapes = table(("symbol", "kind", "shape"), rows)
    loss = [f"  loss: {m.loss}, summed to {m.total}"] if m.loss else []
    plain = "\n".join([f"model {m.name}", *(f"  {e}" for e in m.equations), *loss])
    html = heading(m.name) + "".join(map(display, equations)) + network.folded(m) + f"<details><summary>Symbols</summary>{shapes}</details>"
    return Shown(plain, html, lines(equations))


@shown.register
def _(d: Derivation) -> Shown:
    plain = [*(f"adj {name}[t] = {e}" for name, e in d.adjoints.items()), *(f"grad {name} = {e}" for name, e in d.gradients.items())]
    return derivation(d, Notation.of(d.model), "\n".join(plain))


@shown.register
def _(d: DerivationText) -> Shown:
    return derivation(d.derivation, d.notation, d.to_text().rstrip())


def derivation(d: Derivation, notation: Notation, plain: str) -> Shown:
    """The recurrences and the gradients; the steps that lead to them are in the plain text."""
    back = [equation(latex(node("sym", attr=adjoint(d.model.symbol(n))), notation), e, notation) for n, e in d.adjoints.items()]
    sums = [equation(latex(node("sym", attr=gradient(d.model.symbol(n))), notation), e, notation) for n, e in d.gradients.items()]
    html = (heading("Adjoint recurrences, from the last step to the first") + "".join(map(display, back))
            + heading("Gradients, for every number of steps") + "".join(map(display, sums)))
    return Shown(plain, html, lines([*back, *sums]))


@shown.register
def _(u: UnrolledText) -> Shown:
    return unrolled(u.unrolled, u.notation, u.to_text().rstrip())


@shown.register
def _(u: Unrolled) -> Shown:
    return unrolled(u, Notation.of(u.model), u.to_text())


def unrolled(u: Unrolled, notation: Notation, plain: str) -> Shown:
    """The equations step by step, and the network as a picture where it has few steps."""
    equations = [defined(e, notation) for e, _ in zip(u, range(LONG), strict=False)]
    more = f"<p>… {len(u) - len(equations)} more equations</p>" if len(u) > len(equations) else ""
    picture = network.unrolled(u.model, u.T, notation) if u.T <= network.MOST_STEPS else network.folded(u.model, notation)
    return Shown(plain, picture + "".join(map(display, equations)) + more, lines(equations))


def lines(formulas: list[str]) -> str:
    """Formulas below each other; one that has several lines itself is set as a block."""
    return "\\begin{gathered}\n" + " \\\\\n".join(aligned([f]) for f in formulas) + "\n\\end{gathered}"


# -------------------------------------------------------------------------------------------------------------------- verdicts
@shown.register
def _(v: Verdict) -> Shown:
    scope = f" {v.scope}" if v.scope is not None else ""
    plain = f"{v.word or 'definition'}{scope}{f' [{v.code}]' if v.code else ''}" + (f": {v.reason}" if v.reason else "")
    return Shown(plain, f"<p>{verdict(v)}</p>")


def verdict(v: Verdict) -> str:
    """One verdict in a line, and below it what belongs to it."""
    first = (word(v.word) if v.word else "definition") + (f" {escape(str(v.scope))}" if v.scope is not None else "")
    first += f" <code>{escape(v.code)}</code>" if v.code else ""
    parts = [first, words(v.reason or ""), f"where {listed_conditions(v.conditions)}" if v.conditions else "",
             f"defined where {words(v.domain)}" if v.domain else ""]
    if v.counterexample and v.word == "refuted":
        parts.append(counterexample(v.counterexample))
    if v.fix is not None:
        parts.append(f"right is {inline(v.fix.latex)}, {word(v.fix.verdict)}")
    return "<br>".join(p for p in parts if p)


def listed_conditions(found: tuple[str, ...]) -> str:
    return "; ".join(inline(c) if "\\" in c else words(c) for c in dict.fromkeys(found))


def counterexample(c: dict[str, Any]) -> str:
    """The point at which the two sides are two numbers."""
    names = [*(dict(c.get("sizes") or {})).items(), ("T", c.get("T")), *(dict(c.get("values") or {})).items()]
    at = ", ".join(f"{name} = {value}" for name, value in names if value is not None)
    return f"for instance at {prose(at)}: left {prose(str(c.get('left')))}, right {prose(str(c.get('right')))}"


@shown.register
def _(c: Checked) -> Shown:
    rows = "".join(map(relation, c.equation.relations))
    ignored = "".join(f"<p>not understood: {words(fact)}</p>" for fact in c.ignored)
    return Shown(c.to_text(), rows + ignored, c.to_latex())


def relation(r: Relation) -> str:
    """A formula and its verdict; what is no formula stands as code."""
    return display(r.latex) + f"<p>{verdict(r.verdict)}</p>"


@shown.register
def _(a: Audit) -> Shown:
    text = "\n".join(shown(d).plain for d in a.documents)
    failures = "".join(f"<p>{prose(str(f))}</p>" for f in a.failures)
    return Shown("\n".join([text, *map(str, a.failures)]).strip(), "".join(shown(d).html for d in a.documents) + failures)


@shown.register
def _(j: Judged) -> Shown:
    judged = [e for e in j.equations if e.verdict is not None]
    count = {w: sum(e.verdict == w for e in judged) for w in SIGNS}
    total = ", ".join(f"{n} {w}" for w, n in count.items() if n) or "no claim"
    plain = [f"{j.path}: {total}", *(f"  line {e.span.line}: {e.verdict}: {' '.join(e.span.latex.split())}" for e in judged)]
    rows = [(str(e.span.line), word(e.verdict or ""), stated(e), "<br>".join(verdict(r.verdict) for r in e.relations if r.verdict.word))
            for e in judged[:LONG]]
    more = f"<p>… {len(judged) - LONG} more</p>" if len(judged) > LONG else ""
    found = table(("line", "verdict", "equation", "finding"), rows) if rows else ""
    return Shown("\n".join(plain), heading(j.path) + f"<p>{total}</p>" + found + more)


def stated(e: JudgedEquation) -> str:
    """What stands in the document: a formula, or program text or prose as it is."""
    formula = e.role != "code" and e.span.kind not in ("code", "sentence")
    return inline(e.span.latex) if formula else f"<code>{escape(e.span.latex)}</code>"


# -------------------------------------------------------------------------------------------------------------------- readings
@shown.register
def _(r: Read) -> Shown:
    text = "\n".join([*(shown(d).plain for d in r.documents), *map(str, r.failures)])
    return Shown(text, "".join(shown(d).html for d in r.documents) + "".join(f"<p>{prose(str(f))}</p>" for f in r.failures))


@shown.register
def _(r: Readings) -> Shown:
    kept = [u for u in r.spans if u.role not in ("mention", "code")]
    plain = [r.document.path, *(f"  line {u.span.line}: {u.role}: {u.canonical or ' '.join(u.span.latex.split())}" for u in kept)]
    rows = [(str(u.span.line), u.role, inline(u.canonical) if u.canonical else f"<code>{escape(u.span.latex)}</code>",
             "<br>".join(prose(doubt) for doubt in (*(w.message for w in u.warnings), u.meaningless, u.unread and u.unread.hint) if doubt))
            for u in kept[:LONG]]
    more = f"<p>… {len(kept) - LONG} more</p>" if len(kept) > LONG else ""
    found = table(("line", "role", "reading", "in doubt"), rows) if rows else ""
    return Shown("\n".join(plain), heading(r.document.path) + found + more)


@shown.register
def _(p: Proposal) -> Shown:
    return Shown(p.to_toml(), f"<pre>{prose(p.to_toml())}</pre>")
