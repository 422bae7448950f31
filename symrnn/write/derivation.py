"""A derivation as a text: definitions, what is held fixed, every step with its rule, recurrences, boundaries, gradients, and the code.

One list of blocks is made in the voice that is asked for, so that text, Markdown and LaTeX say the same; nothing in it depends on
a number of steps. The level ``brief`` has the definitions, the recurrences and the gradients, ``full`` everything.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from symrnn import __version__
from symrnn.bptt import Derivation, adjoint, gradient
from symrnn.displayed import Displayed
from symrnn.expr import Expr, Symbol, Time, fix_time, node, show_shape, symbols
from symrnn.expr.show import show
from symrnn.model import FIRST, LAST, Model
from symrnn.unroll import after_last
from symrnn.write.cases import AT_LAST, BEFORE, EVERY, at_first, at_last, cases, placed, reaches_earlier, reaches_later
from symrnn.write.costs import cost_blocks, cost_json
from symrnn.write.definitions import before_first, facts, known_symbols, model_blocks
from symrnn.write.incode import Code, NoCode, code_blocks
from symrnn.write.latex import latex
from symrnn.write.local import jacobian, local_blocks, softmax_equations
from symrnn.write.notation import Notation
from symrnn.write.page import GLUE, Block, Box, Heading, Listing, Paragraph, document, markdown, text
from symrnn.write.signs import functions, signs
from symrnn.write.steps import trail_blocks, words
from symrnn.write.truncated import truncated_blocks, truncated_json
from symrnn.write.voice import LatexVoice, PlainVoice, Voice
from symrnn.write.words import are, listed

SCHEMA = "symrnn-derive-1"
LEVELS = ("brief", "full")


@dataclass(frozen=True)
class DerivationText(Displayed):
    """A derivation that can be printed; the default notation is that of the source of the model.

    ``level`` is one of :data:`LEVELS`; ``code`` the lines of the module that computes it, or why there is none; None if it is not asked
    for. With ``truncate`` it says what a window of so many steps keeps and leaves out, with ``cost`` what the network costs.
    """

    derivation: Derivation
    notation: Notation
    level: str = "full"
    code: Code | NoCode | None = None
    truncate: int | None = None
    cost: bool = False

    @classmethod
    def of(cls, derivation: Derivation, notation: Notation | None = None, level: str = "full",
           code: Code | NoCode | None = None) -> DerivationText:
        """The derivation in a notation."""
        return cls(derivation, notation or Notation.of(derivation.model), level, code)

    def blocks(self, v: Voice) -> Iterator[Block]:
        """The whole text in a voice."""
        yield Heading(f"Backpropagation through time: {self.derivation.model.name}", 1)
        for section in SECTIONS[self.level]:
            yield from section(self.derivation, v)
        if self.truncate is not None:
            yield from truncated_blocks(self.derivation, self.truncate, v)
        if self.cost:
            yield from cost_blocks(self.derivation, v)
        if self.code is not None and self.level == "full":
            yield from code_blocks(self.derivation, self.code, v)

    @cached_property
    def _latex_blocks(self) -> tuple[Block, ...]:
        return tuple(self.blocks(LatexVoice(self.notation)))

    def to_text(self) -> str:
        """Plain text."""
        return text(self.blocks(PlainVoice()))

    def to_md(self) -> str:
        """Markdown for GitHub."""
        return markdown(self._latex_blocks)

    def to_latex(self) -> str:
        """A whole LaTeX document."""
        return document(self._latex_blocks)

    def to_json(self) -> dict[str, Any]:
        """A value of the schema ``symrnn-derive-1``, whatever the level."""
        found = as_json(self.derivation, self.notation)
        if self.truncate is not None:
            found["truncated"] = truncated_json(self.derivation, self.truncate)
        return {**found, "cost": cost_json(self.derivation)} if self.cost else found


# --------------------------------------------------------------------------------------------------------------- the sections
def definitions(d: Derivation, v: Voice) -> Iterator[Block]:
    """The model with the shapes of its symbols."""
    yield Heading("Definitions")
    yield from model_blocks(d.model, v)


def conventions(d: Derivation, v: Voice) -> Iterator[Block]:
    """What the signs mean, and what is held fixed and assumed."""
    yield Heading("Signs")
    yield signs(d, v)
    yield from functions(d, v)
    yield Heading("Conventions and assumptions")
    yield Listing(tuple(sentence for _, sentence in facts(d, v)))


def plan(d: Derivation, v: Voice) -> Iterator[Block]:
    """Why there is a way forth and a way back."""
    m = d.model
    total = v(m.summed)
    yield Heading("The plan")
    sums = (f"Then the gradients: a parameter is used at every step, so its gradient is a sum over {v.steps()} of what the adjoints of the "
            "variables that use it send back.",)
    late = [placed(d, x) for x in m.variables if x.name in d.late and x.name != m.loss]
    if late:
        sums = (f"Then the gradients: what a parameter sends to {listed(map(v, late))} counts once; what it sends to the others at every "
                f"step is summed over {v.steps()}.",)
    forth, back = ("run by run", "each run the other way round") if m.backward else (v.steps(), v.steps(True))
    yield Listing((
        f"Forward, {forth}: the equations give every variable, as each uses only what is given or computed before.",
        f"Backward, {back}: the adjoint of every variable, that is the derivative of {total} by it. By the chain rule it is the "
        "sum over the variables that use it, of the adjoint of each, multiplied by the Jacobian of that use, transposed.",
        *(sums if m.parameters else ())), 1)


def recurrences(d: Derivation, v: Voice) -> Iterator[Block]:
    """The adjoints with their order and both ends."""
    yield Heading("Adjoint recurrences")
    ends = {place for place, *_ in boundary(d)}
    zero = ["of a step after the last one"] * ("T" in ends) + ["that runs backward, of a step before the first one,"] * ("first" in ends)
    late = f", where every derivative by a variable {' or '.join(zero)} is zero" if zero else ""
    found = [case for name in d.adjoints for case in cases(d, name)]
    when = {AT_LAST: f"At {v.at_end()}, where the loss is:",
            BEFORE: f"For {v.steps(True, before=True)}, before the loss:",
            EVERY: f"For {v.steps(True)}{late}:"}
    for steps, sentence in when.items():
        rows = [(case.left, case.right) for case in found if case.when == steps]
        if rows:
            yield Paragraph(sentence)
            yield v.display(*rows)
    if d.late:
        yield Paragraph(f"Before {v.at_end()} the derivatives by what the loss alone uses are zero.")
    yield Paragraph(order(d, v))
    yield Heading("Boundaries")
    yield from _boundary_blocks(d, v)


def order(d: Derivation, v: Voice) -> str:
    """In which order the adjoints can be computed, and why."""
    m = d.model
    def needed(way: int) -> str:
        found = {name: [s for s in symbols(e) if s.kind == "adjoint" and s.time is not None and s.time.offset * way > 0]
                 for name, e in d.adjoints.items()}
        return "; ".join(f"{v(adjoint(m.symbol(name)))} needs {listed(map(v, used))}" for name, used in found.items() if used)
    later, earlier = needed(1), needed(-1)
    within = listed(v(adjoint(placed(d, m.symbol(name)))) for name in d.adjoints)
    inside = f"Within a step they are computed in the order {within}, each after those that it needs." if len(d.adjoints) > 1 else ""
    if earlier:
        both = [f"{later}, of a later step"] * bool(later) + [f"{earlier}, of an earlier one"]
        return (f"{'; '.join(both)}. So the runs of the network are taken from the last run to the first, each the other way round: "
                "the adjoints of what runs forward from the last step to the first, those of what runs backward from the first step to the "
                "last.")
    across = (f"{later}, of a later step. So the steps are taken from the last one to the first." if later else
              "No adjoint needs one of another step: the steps may be taken in any order.")
    return f"{across} {inside}".rstrip()


def result(d: Derivation, v: Voice) -> Iterator[Block]:
    """All gradients in a box: by parameters, by the states before the first step, by inputs."""
    m = d.model
    inputs = [c for x in m.inputs for c in cases(d, x.name)]
    rows: dict[str, list[tuple[Symbol, Expr]]] = {
        "By the parameters:": [(gradient(s), d.gradients[s.name]) for s in m.parameters],
        "By the states before the first step:": [(s, e) for place, s, e, _ in boundary(d) if place == "1"],
        "By the states after the last step:": [(s, e) for place, s, e, _ in boundary(d) if place == "after"],
        f"By the inputs, for {v.steps()}:": [(c.left, c.right) for c in inputs if c.when == EVERY],
        f"By the inputs that the loss uses, at {v.at_end()}:": [(c.left, c.right) for c in inputs if c.when == AT_LAST],
        f"and for {v.steps(before=True)}:": [(c.left, c.right) for c in inputs if c.when == BEFORE]}
    parts = [b for words, found in rows.items() if found for b in (Paragraph(words), v.display(*found))]
    if not parts:
        return
    yield Heading("Gradients")
    for which, ends, way in (("first", before_first(m), -1), ("last", after_last(m), 1)):
        used = [s for s in ends if any(x.name == s.name and x.time is not None and x.time.offset * way > 0
                                       for e in d.summands.values() for x in symbols(e))]
        if used:
            yield Paragraph(f"The {which} terms of the sums use {listed(map(v, used))}, which {are(used)} "
                            f"{'zero' if m.initial == 'zero' else 'given'}.")
    yield Box(tuple(parts))


def steps(d: Derivation, v: Voice) -> Iterator[Block]:
    """Every step with its rule."""
    yield from local_blocks(d, v)
    yield Heading("Derivation")
    yield from trail_blocks(d, v)


Section = Callable[[Derivation, Voice], Iterator[Block]]
SECTIONS: dict[str, tuple[Section, ...]] = {
    "brief": (definitions, recurrences, result),
    "full": (definitions, conventions, plan, steps, recurrences, result),
}
"""Level -> the sections of the text, in order."""


# ----------------------------------------------------------------------------------------------------------------- boundaries
def boundary(d: Derivation) -> list[tuple[str, Symbol, Expr, str]]:
    """The facts at the ends: (place, derivative, value, reason)."""
    m, out = d.model, []
    for name, e in d.adjoints.items():
        s = adjoint(m.symbol(name, LAST))
        if cases(d, name)[0].when == EVERY and reaches_later(e):
            out.append(("T", s, at_last(e), "no step comes after the last"))
        if reaches_earlier(e):
            out.append(("first", adjoint(m.symbol(name, FIRST)), at_first(e), "no step comes before the first"))
    for name, e in d.initial.items():
        if name in m.backward:
            out.append(("after", adjoint(m.symbol(name, LAST + 1)), fix_time(e, "t", LAST), "the last step uses it"))
        else:
            out.append(("1", adjoint(m.symbol(name, Time("", 0))), fix_time(e, "t", FIRST), "the first step uses it"))
    return out


PLACES = {"T": "T", "1": "1", "first": "1", "after": "T"}
"""The facts at the ends -> the step at which each holds."""


def _boundary_blocks(d: Derivation, v: Voice) -> Iterator[Block]:
    found = boundary(d)
    last = [(s, e) for place, s, e, _ in found if place == "T"]
    first, start, after = ([(s, e) for place, s, e, _ in found if place == which] for which in ("1", "first", "after"))
    if not found:
        yield Paragraph("No step uses another; the recurrences hold at both ends as they stand.")
    if last:
        yield Paragraph(f"There is no step after the last one, so at {v.at_end()} the part that comes from "
                        "a later step is zero:")
        yield v.display(*last)
    if start:
        yield Paragraph("What runs backward has no step before the first one, so at the first step the part that comes from an earlier "
                        "step is zero:")
        yield v.display(*start)
    if first:
        yield Paragraph("The state before the first step has no equation. It receives what the steps that use it send back, and the way "
                        "back ends there:")
        yield v.display(*first)
    if after:
        yield Paragraph("The state after the last step, from which what runs backward begins, has no equation either:")
        yield v.display(*after)


# --------------------------------------------------------------------------------------------------------------------- JSON
def formula(e: Expr | Symbol, n: Notation) -> dict[str, str]:
    """An expression as plain text and as LaTeX."""
    x = e if isinstance(e, Expr) else node("sym", attr=e)
    return {"text": show(x), "latex": latex(x, n)}


def model_json(m: Model, n: Notation) -> dict[str, Any]:
    """The definitions of a model as plain data."""
    return {
        "name": m.name, "source": m.source or None, "hash": m.hash, "initial": m.initial, "loss": m.loss,
        "loss_at": "last" if m.at_end else "all",
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
        "adjoints": [{"name": name, **pair(c.left, c.right, n), "fused": name in d.fused, "at": c.when}
                     for name in d.adjoints for c in cases(d, name)],
        "boundary": [{"step": PLACES[place], **pair(s, e, n), "text": why} for place, s, e, why in boundary(d)],
        "gradients": [{"name": s.name, "shape": list(s.shape), **pair(gradient(s), d.gradients[s.name], n),
                       "summand": formula(d.summands[s.name], n)} for s in m.parameters]}
