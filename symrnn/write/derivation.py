"""A derivation as a text: the model, what is held fixed, every step with its rule, recurrences, boundaries and gradients.

One list of blocks is made in the voice that is asked for, so that text, Markdown and LaTeX say the same; nothing in it depends on
a number of steps.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from symrnn import __version__
from symrnn.bptt import FUSIONS, Derivation, Step, adjoint, at, gradient, leaves
from symrnn.calculus import PULLS, softmax_jacobian
from symrnn.displayed import Displayed
from symrnn.expr import (
    Expr,
    Index,
    Symbol,
    Time,
    delta,
    derivative,
    entry,
    fix_time,
    node,
    show_shape,
    smul,
    symbols,
    transform,
    walk,
    zeros,
)
from symrnn.expr.functions import TABLE as FUNCTIONS
from symrnn.expr.show import show
from symrnn.model import FIRST, LAST, Equation, Model
from symrnn.write.latex import latex
from symrnn.write.notation import Notation
from symrnn.write.page import GLUE, Block, Heading, Listing, Paragraph, Table, document, markdown, text
from symrnn.write.voice import LatexVoice, PlainVoice, Voice

SCHEMA = "symrnn-derive-1"
KINDS = {"parameter": "parameter, the same at every step", "input": "input, given", "target": "target, given",
         "constant": "constant, given", "variable": "variable, by its equation"}


@dataclass(frozen=True)
class DerivationText(Displayed):
    """A derivation that can be printed; the default notation is that of the source of the model."""

    derivation: Derivation
    notation: Notation

    @classmethod
    def of(cls, derivation: Derivation, notation: Notation | None = None) -> DerivationText:
        """The derivation in a notation."""
        return cls(derivation, notation or Notation.of(derivation.model))

    @cached_property
    def _latex_blocks(self) -> tuple[Block, ...]:
        return tuple(blocks(self.derivation, LatexVoice(self.notation)))

    def to_text(self) -> str:
        """Plain text."""
        return text(blocks(self.derivation, PlainVoice()))

    def to_md(self) -> str:
        """Markdown for GitHub."""
        return markdown(self._latex_blocks)

    def to_latex(self) -> str:
        """A whole LaTeX document."""
        return document(self._latex_blocks)

    def to_json(self) -> dict[str, Any]:
        """A value of the schema ``symrnn-derive-1``."""
        return as_json(self.derivation, self.notation)


# ----------------------------------------------------------------------------------------------------------- facts of a model
def listed(items: Iterable[str]) -> str:
    """Items in a sentence.

    >>> listed(["W"]), listed(["W", "U"]), listed(["W", "U", "b"])
    ('W', 'W and U', 'W, U and b')
    """
    *front, last = items
    return f"{', '.join(front)} and {last}" if front else last


def are(items: Sequence[object]) -> str:
    return "are" if len(items) > 1 else "is"


def known_symbols(m: Model) -> tuple[Symbol, ...]:
    """All symbols of a model: what is given, the parameters, the variables."""
    return (*m.inputs, *m.targets, *m.constants, *m.parameters, *m.variables)


def uses(m: Model, s: Symbol) -> list[Symbol]:
    """The variables whose equations use ``s``, at the step at which they use its value of step t; each once."""
    found: dict[Symbol, None] = {}
    for e in m.equations:
        for _, x in leaves(e.right):
            if x.name == s.name:
                lag = x.time.offset if x.time is not None else 0
                assert e.left.time is not None
                found[Symbol(e.left.name, e.left.shape, e.left.kind, e.left.time - lag)] = None
    return list(found)


def before_first(m: Model) -> list[Symbol]:
    """The states before the first step, as the symbols that step 1 and later steps use."""
    found: dict[Symbol, None] = {}
    for e in m.equations:
        for s in symbols(e.right):
            if s.kind == "variable" and s.time is not None and s.time.offset < 0:
                for k in range(-s.time.offset):
                    found[Symbol(s.name, s.shape, s.kind, Time("", -k))] = None
    return list(found)


def at_last(e: Expr) -> Expr:
    """An adjoint recurrence at the last step: what would come from later steps is zero."""
    def gone(x: Expr) -> Expr | None:
        late = x.op == "sym" and x.attr.kind == "adjoint" and x.attr.time.base == "T" and x.attr.time.offset > 0
        return zeros(x.attr.shape) if late else None
    return transform(fix_time(e, "t", LAST), gone)


def softmax_equations(m: Model) -> list[tuple[Symbol, Symbol]]:
    """(p, o) for every equation p = softmax(o)."""
    return [(e.left, e.right.args[0].attr) for e in m.equations if e.right.op == "softmax" and e.right.args[0].op == "sym"]


def jacobian(p: Symbol, o: Symbol) -> list[tuple[Expr, Expr]]:
    """The Jacobian of p = softmax(o), as a matrix and entry by entry, for any number of classes."""
    pe, oe = node("sym", attr=p), node("sym", attr=o)
    i, j = Index("i", p.shape[0]), Index("j", p.shape[0])
    by_entry = smul(entry(pe, i), delta(i, j) - entry(pe, j))
    return [(derivative(pe, oe, "partial"), softmax_jacobian(pe)),
            (derivative(entry(pe, i), entry(oe, j), "partial"), by_entry)]


def rough(m: Model) -> list[str]:
    """Names of functions in the model that have no derivative at some points."""
    found = dict.fromkeys(x.attr for e in m.equations for x in walk(e.right) if x.op == "apply" and x.attr in FUNCTIONS)
    return [f for f in found if not FUNCTIONS[f].smooth]


def simplex_steps(d: Derivation) -> list[int]:
    """Numbers of the steps that use that the entries of a target sum to one."""
    sentence = FUSIONS[0].sentence
    return [n for n, s in enumerate(d.trail, 1) if s.rule == "fuse" and s.sentence == sentence
            and any(x.name in d.model.simplex for x in symbols(s.after))]


def facts(d: Derivation, v: Voice) -> list[tuple[str, str]]:
    """What the derivatives mean and what is assumed, as (name, sentence)."""
    m = d.model
    total = v(Symbol(m.total, (1, 1)))
    out = [("total derivative", f"Every derivative of {total} is a total derivative, along every path through the steps, and has "
            "the shape of what it is taken by; a Jacobian has a row for each output and a column for each input.")]
    if m.parameters:
        out.append(("shared parameters", f"{listed(map(v, m.parameters))} {are(m.parameters)} the same at every step; "
                    "a gradient adds up what every step contributes."))
    given = [*map(v, (*m.inputs, *m.targets, *m.constants))]
    start = before_first(m)
    if m.initial == "given":
        given += map(v, start)
    if given:
        out.append(("held fixed", f"{listed(given)} {are(given)} given; what is given, and every other parameter, is held fixed "
                    "while one symbol varies."))
    if m.initial == "zero" and start:
        out.append(("initial", f"{listed(map(v, start))} {are(start)} zero."))
    for y in (s for s in m.targets if s.name in m.simplex):
        steps = simplex_steps(d)
        where = f"used in {'steps' if len(steps) > 1 else 'step'} {listed(map(str, steps))}" if steps else "no step uses it"
        out.append(("simplex", f"The entries of {v(y)} sum to one; {where}."))
    for name in rough(m):
        out.append(("almost everywhere", f"The derivative of {name} holds where its argument has no entry at the kink."))
    return out


# ---------------------------------------------------------------------------------------------------------------- the steps
def words(d: Derivation, s: Step, v: Voice) -> str:
    """One step of the trail as a sentence."""
    m = d.model
    if s.rule == "seed":
        assert s.target is not None
        why = f", as {v(Symbol(m.total, (1, 1)))} is the sum of the losses of the steps" if s.equation == m.loss else ""
        return f"seed: the cotangent of {v(s.target)} is {v(s.after)}{why}."
    if s.rule in ("collect", "gradient", "fuse"):
        return _gathered(m, s, v)
    rule = next(r for r in PULLS.values() if r.name == s.rule)
    part = at(_equation(m, s.equation).right, s.path)
    return f"{s.rule}: the cotangent of {v(part)} is {v(s.after)} ({rule.sentence})."


def _gathered(m: Model, s: Step, v: Voice) -> str:
    assert s.target is not None
    symbol = m.symbol(s.target.name)
    users = uses(m, symbol)
    left = v(s.target)
    if not users:
        return f"{s.rule}: nothing uses {v(symbol)}, so {left} is zero."
    used = f"{v(symbol)} is used in {listed(map(v, users))}"
    if s.rule == "gradient":
        each = v(s.after)
        return f"gradient: {used} at every step; a step contributes {each}, and {left} is the sum of this over {v.steps()}."
    if s.rule == "fuse":
        sent = s.before[0] if len(s.before) == 1 else None
        both = f"; the rules give {v(sent)}, which is {v(s.after)}" if sent is not None else f": {v(s.after)}"
        return f"fuse: {used} only; {s.sentence}{both}."
    together = "what these send back adds up to" if len(s.before) > 1 else "what it sends back is"
    return f"collect: {used}; {together} {left} = {v(s.after)}."


def _equation(m: Model, name: str) -> Equation:
    return next(e for e in m.equations if e.name == name)


# --------------------------------------------------------------------------------------------------------------- the sections
def model_blocks(m: Model, v: Voice) -> Iterator[Block]:
    """The definitions of a model with shapes."""
    if m.source:
        yield Paragraph(f"After {m.source}.")
    yield Paragraph(f"For {v.steps()}:")
    yield v.display(*((e.left, e.right) for e in m.equations))
    if m.loss is not None:
        yield Paragraph("The loss is the sum over the steps.")
        yield v.display((Symbol(m.total, (1, 1)), m.total_loss))
    yield shapes(m, v)


def shapes(m: Model, v: Voice) -> Table:
    """What every symbol of a model is, with its shape."""
    return Table(("symbol", "what it is", "shape"), tuple((v(s), KINDS[s.kind], v.shape(s.shape)) for s in known_symbols(m)))


def blocks(d: Derivation, v: Voice) -> Iterator[Block]:
    """The whole text of a derivation."""
    yield Heading(f"Backpropagation through time: {d.model.name}", 1)
    yield Heading("Model")
    yield from model_blocks(d.model, v)
    yield from body(d, v)


def body(d: Derivation, v: Voice) -> Iterator[Block]:
    """The text of a derivation after the definitions."""
    m = d.model
    yield Heading("Conventions and assumptions")
    yield Listing(tuple(sentence for _, sentence in facts(d, v)))
    for p, o in softmax_equations(m):
        yield Heading("The Jacobian of softmax")
        yield Paragraph(f"For any number of classes, with {v(p)} as the value of softmax at {v(o)}:")
        for row in jacobian(p, o):
            yield v.display(row)
    yield Heading("Derivation")
    yield from _trail_blocks(d, v)
    yield Heading("Adjoint recurrences")
    late = adjoint(Symbol("v", (1, 1), "variable", Time("T", 1)))
    yield Paragraph(f"For {v.steps()}, where every derivative by a variable of a step after the last is zero"
                    + (f" ({v(late)} = 0)" if isinstance(v, PlainVoice) else "") + ":")
    yield v.display(*((adjoint(m.symbol(name)), e) for name, e in d.adjoints.items()))
    yield Heading("Boundaries")
    yield from _boundary_blocks(d, v)
    if m.parameters:
        yield Heading("Gradients")
        yield v.display(*((gradient(s), d.gradients[s.name]) for s in m.parameters))


def _trail_blocks(d: Derivation, v: Voice) -> Iterator[Block]:
    """The steps, those of one equation together, then the sums."""
    start = 1
    for name in [e.name for e in reversed(d.model.equations)]:
        steps = [s for s in d.trail if s.equation == name and s.rule not in ("collect", "gradient", "fuse")]
        e = _equation(d.model, name)
        yield Paragraph(f"Backwards through {v(e.left)}:")
        yield Listing(tuple(words(d, s, v) for s in steps), start)
        start += len(steps)
    yield Paragraph("What each symbol receives:")
    yield Listing(tuple(words(d, s, v) for s in d.trail[start - 1:]), start)


def boundary(d: Derivation) -> list[tuple[str, Symbol, Expr, str]]:
    """The facts at the ends: (place, derivative, value, reason)."""
    m, out = d.model, []
    for name, e in d.adjoints.items():
        s = adjoint(m.symbol(name, LAST))
        if any(x.kind == "adjoint" and x.time is not None and x.time.offset > 0 for x in symbols(e)):
            out.append(("T", s, at_last(e), "no step comes after the last"))
    for name, e in d.initial.items():
        s = m.symbol(name, Time("", 0))
        out.append(("1", adjoint(s), fix_time(e, "t", FIRST), "the first step uses it"))
    return out


def _boundary_blocks(d: Derivation, v: Voice) -> Iterator[Block]:
    found = boundary(d)
    last = [(s, e) for place, s, e, _ in found if place == "T"]
    first = [(s, e) for place, s, e, _ in found if place == "1"]
    if not found:
        yield Paragraph("No step uses another; the recurrences hold at both ends as they stand.")
    if last:
        yield Paragraph("At the last step nothing comes from a later one:")
        yield v.display(*last)
    if first:
        yield Paragraph("The state before the first step receives what the first steps send back:")
        yield v.display(*first)


# --------------------------------------------------------------------------------------------------------------------- JSON
def formula(e: Expr | Symbol, n: Notation) -> dict[str, str]:
    """An expression as plain text and as LaTeX."""
    x = e if isinstance(e, Expr) else node("sym", attr=e)
    return {"text": show(x), "latex": latex(x, n)}


def model_json(m: Model, n: Notation) -> dict[str, Any]:
    """The definitions of a model as plain data."""
    return {
        "name": m.name, "source": m.source or None, "hash": m.hash, "initial": m.initial, "loss": m.loss,
        "total": m.total if m.loss is not None else None, "simplex": sorted(m.simplex), "sizes": list(m.sizes),
        "symbols": [{"name": s.name, "kind": s.kind, "shape": list(s.shape), "sequence": s.time is not None,
                     "latex": n.base(s.name)} for s in known_symbols(m)],
        "equations": [{"name": e.name, **pair(e.left, e.right, n), "shape": show_shape(e.left.shape)} for e in m.equations]}


def pair(left: Expr | Symbol, right: Expr, n: Notation) -> dict[str, dict[str, str]]:
    """Both sides of an equation."""
    return {"left": formula(left, n), "right": formula(right, n)}


def as_json(d: Derivation, n: Notation) -> dict[str, Any]:
    """The derivation as plain data."""
    m, plain = d.model, PlainVoice()
    return {
        "schema": SCHEMA, "tool": {"name": "symrnn", "version": __version__}, "model": model_json(m, n),
        "facts": [{"name": name, "text": sentence.replace(GLUE, " ")} for name, sentence in facts(d, plain)],
        "jacobians": [{"of": p.name, "by": o.name, "forms": [pair(a, b, n) for a, b in jacobian(p, o)]}
                      for p, o in softmax_equations(m)],
        "steps": [{"number": k, "rule": s.rule, "equation": s.equation, "path": list(s.path),
                   "target": formula(s.target, n) if s.target is not None else None,
                   "before": [formula(e, n) for e in s.before], "after": formula(s.after, n),
                   "text": words(d, s, plain).replace(GLUE, " ")} for k, s in enumerate(d.trail, 1)],
        "adjoints": [{"name": name, **pair(adjoint(m.symbol(name)), e, n), "fused": name in d.fused}
                     for name, e in d.adjoints.items()],
        "boundary": [{"step": place, **pair(s, e, n), "text": why} for place, s, e, why in boundary(d)],
        "gradients": [{"name": s.name, "shape": list(s.shape), **pair(gradient(s), d.gradients[s.name], n),
                       "summand": formula(d.summands[s.name], n)} for s in m.parameters]}
