"""An unrolled network as a text: its equations step by step, the states written out, the way back, and, at sizes, scalars."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from symrnn import __version__
from symrnn.bptt import Derivation, adjoint, derive, gradient
from symrnn.displayed import Displayed
from symrnn.errors import CallError, LimitError
from symrnn.expr import Expr, Symbol, Time, add, fix_time, transform, zeros
from symrnn.lastloss import counted_late
from symrnn.model import Equation, Model
from symrnn.unroll import Unrolled, unroll
from symrnn.write.cases import AT_LAST, BEFORE, EVERY, cases
from symrnn.write.derivation import formula, model_json, pair
from symrnn.write.notation import Notation
from symrnn.write.page import Block, Display, Heading, Paragraph, Table, aligned, document, markdown, text
from symrnn.write.scalar import ScalarForm, ScalarRow
from symrnn.write.voice import LatexVoice, PlainVoice, Voice
from symrnn.write.words import are, listed

SCHEMA = "symrnn-unroll-1"
WRITTEN_OUT = 200
"""The longest formula of a state that is written out, in nodes."""
FEW = 8
"""Up to so many steps a sum over the steps is written term by term."""
PER_DISPLAY = 12


@dataclass(frozen=True)
class UnrolledText(Displayed):
    """An unrolled network that can be printed; with ``sizes`` (name -> number) its scalar form stands at the end."""

    unrolled: Unrolled
    notation: Notation
    sizes: Mapping[str, int] | None = None

    @classmethod
    def of(cls, model: Model, T: int, sizes: Sequence[int] | Mapping[str, int] | None = None,  # noqa: N803
           notation: Notation | None = None) -> UnrolledText:
        """A model over ``T`` steps. CallError for a T below 1 or sizes that are not those of the model."""
        return cls(unroll(model, T), notation or Notation.of(model), None if sizes is None else numbered(model, sizes))

    @cached_property
    def derivation(self) -> Derivation | None:
        """The derivation of the model, if it has a loss."""
        return derive(self.unrolled.model) if self.unrolled.model.loss is not None else None

    @cached_property
    def scalars(self) -> ScalarForm | None:
        """The component form, if there are sizes."""
        return None if self.sizes is None else ScalarForm(self.unrolled.model, self.sizes, self.unrolled.T)

    @cached_property
    def _latex_blocks(self) -> tuple[Block, ...]:
        return tuple(blocks(self, LatexVoice(self.notation)))

    def to_text(self) -> str:
        """Plain text."""
        return text(blocks(self, PlainVoice()))

    def to_md(self) -> str:
        """Markdown for GitHub."""
        return markdown(self._latex_blocks)

    def to_latex(self) -> str:
        """A whole LaTeX document."""
        return document(self._latex_blocks)

    def to_json(self) -> dict[str, Any]:
        """A value of the schema ``symrnn-unroll-1``."""
        return as_json(self)


def numbered(m: Model, sizes: Sequence[int] | Mapping[str, int]) -> dict[str, int]:
    """Sizes by name; a sequence stands in the order of the sizes of the model.

    Raises CallError for a missing, unknown or superfluous one.
    """
    given = dict(sizes) if isinstance(sizes, Mapping) else dict(zip(m.sizes, sizes, strict=False))
    count = len(sizes)
    if set(given) != set(m.sizes) or count != len(m.sizes) or any(n < 1 for n in given.values()):
        raise CallError("sizes", must=f"be a positive number for each of {', '.join(m.sizes)}",
                        came=", ".join(f"{k}={n}" for k, n in given.items()) if isinstance(sizes, Mapping) else
                        ", ".join(map(str, sizes)) or "nothing",
                        next_step="give " + ",".join(f"{s}=2" for s in m.sizes))
    return {s: given[s] for s in m.sizes}


def at_step(e: Expr, t: int, m: Model, T: int) -> Expr:  # noqa: N803
    """An expression at step ``t`` of 1..``T``: adjoints of later steps are zero, and so is a zero initial state."""
    def known(x: Expr) -> Expr | None:
        if x.op != "sym" or x.attr.time is None:
            return None
        late = x.attr.kind == "adjoint" and x.attr.time.offset > T
        late = late and x.attr.name not in m.backward or x.attr.kind == "adjoint" and x.attr.time.offset < 1 and x.attr.name in m.backward
        outside = x.attr.kind == "variable" and not 1 <= x.attr.time.offset <= T and m.initial == "zero"
        return zeros(x.attr.shape) if late or outside else None
    return transform(fix_time(fix_time(e, "T", Time("", T)), "t", Time("", t)), known)


def states(u: Unrolled) -> Iterator[tuple[Symbol, Expr | None]]:
    """Every state at every step, written out down to inputs and parameters; None where that is too long."""
    variables = u.model.states or u.model.variables[:1]
    for t in range(1, u.T + 1):
        for s in variables:
            try:
                yield u.equation(s.name, t).left, u.inlined(s.name, t, limit=WRITTEN_OUT)
            except LimitError:
                yield u.equation(s.name, t).left, None


def backward(u: Unrolled, d: Derivation) -> Iterator[tuple[int, list[tuple[Symbol, Expr]]]]:
    """The adjoints at each step, from the last step to the first; of several runs the last run first, each the other way round."""
    inputs = {s.name for s in u.model.inputs}
    runs = [({*d.adjoints}, -1)]
    if u.model.backward:
        runs = [*(({e.name for e in rows}, -way) for way, rows in reversed(u.model.runs)), (inputs, -1)]
    for names, way in runs:
        for t in range(1, u.T + 1)[::way]:
            holds = {EVERY, AT_LAST if t == u.T else BEFORE}
            rows = [(adjoint(u.model.symbol(c.left.name, Time("", t))), at_step(c.right, t, u.model, u.T))
                    for name in d.adjoints if name in names for c in cases(d, name) if c.when in holds]
            if rows:
                yield t, rows


def gradients(u: Unrolled, d: Derivation) -> list[tuple[Symbol, Expr]]:
    """Every gradient, over few steps as a sum term by term."""
    out = []
    for s in u.model.parameters:
        late, through = d.parted(gradient(s)) if u.model.at_end else (None, d.summands[s.name])
        parts = [at_step(through, t, u.model, u.T) for t in range(1, u.T + 1)] if through else []
        parts += [at_step(late, u.T, u.model, u.T)] if late else []
        whole = add(*parts) if u.T <= FEW else fix_time(d.gradients[s.name], "T", Time("", u.T))
        out.append((gradient(s), whole))
    return out


def total(u: Unrolled) -> Equation | None:
    """The total loss, over few steps term by term."""
    found = u.total
    if found is None or u.T > FEW:
        return found
    assert u.model.loss is not None
    parts = [fix_time(u.model[u.model.loss], "t", Time("", t)) for t in range(u.T if u.model.at_end else 1, u.T + 1)]
    return Equation(found.left, add(*parts))


# -------------------------------------------------------------------------------------------------------------------- blocks
def blocks(x: UnrolledText, v: Voice) -> Iterator[Block]:
    """The whole text of an unrolled network."""
    u = x.unrolled
    m = u.model
    yield Heading(f"{m.name} over {u.T} step{'s' if u.T > 1 else ''}", 1)
    if m.source:
        yield Paragraph(f"After {m.source}.")
    yield from forward_blocks(u, v)
    if x.derivation is not None:
        yield Heading("Backward")
        yield Paragraph(f"The derivatives of {v(m.summed)} by every value, the last step first: by the chain rule each is the sum of what "
                        "the values that are made of it send back.")
        for _, rows in backward(u, x.derivation):
            yield v.display(*rows)
        yield Heading("Gradients")
        for row in gradients(u, x.derivation):
            yield v.display(row)
    if x.scalars is not None:
        yield from scalar_blocks(x.scalars, x.derivation, v)


def forward_blocks(u: Unrolled, v: Voice) -> Iterator[Block]:
    """The equations of every step, and the states written out."""
    m = u.model
    start = [s for s in u.boundary if s.kind == "variable"]
    late = counted_late(m) if m.at_end else frozenset()
    if start:
        yield Paragraph(f"{listed(map(v, start))} {are(start)} {m.initial}.")
    yield Heading("Forward")
    for way, rows in m.runs if m.backward else ((1, m.equations),):
        for t in range(1, u.T + 1)[::way]:
            shown = [u.equation(e.name, t) for e in rows if t == u.T or e.name not in late]
            if shown:
                yield v.display(*((e.left, e.right) for e in shown))
    loss = total(u)
    if loss is not None:
        yield Paragraph("The loss:")
        yield v.display((loss.left, loss.right))
    yield Heading("States written out")
    for s, e in states(u):
        yield v.display((s, e)) if e is not None else Paragraph(f"{v(s)} has more than {WRITTEN_OUT} symbols when written out.")


def scalar_blocks(form: ScalarForm, d: Derivation | None, v: Voice) -> Iterator[Block]:
    """The component form with its legend."""
    yield Heading("In scalars")
    sizes = listed(v.maths(f"{k} = {n}", f"{k} = {n}") for k, n in form.sizes.items())
    yield Paragraph(f"At {sizes}: the first index of a quantity with a time is the step, the others count its components.")
    legend = form.legend()
    if legend:
        yield Table(("letter", "stands for"), tuple((v.maths(letter, letter), v(s)) for letter, s in legend))
    sections = [("Forward", form.forward()), ("The softmax Jacobian of step 1", form.jacobians())]
    if d is not None:
        sections.append(("Backward and gradients", form.backward(d)))
    for title, rows in sections:
        found = list(rows)
        if found:
            yield Heading(title, 3)
            yield from (Display(scalar_rows(part, v)) for part in chunks(found))


def scalar_rows(rows: Sequence[ScalarRow], v: Voice) -> str:
    """Scalar equations one below the other."""
    if isinstance(v, LatexVoice):
        return aligned(f"{r.left} &= {r.right}" for r in rows)
    return "\n".join(f"{r.name} = {r.expression}" for r in rows)


def chunks(rows: Sequence[ScalarRow]) -> Iterator[Sequence[ScalarRow]]:
    """Rows in groups that fit on a page."""
    for k in range(0, len(rows), PER_DISPLAY):
        yield rows[k:k + PER_DISPLAY]


# --------------------------------------------------------------------------------------------------------------------- JSON
def as_json(x: UnrolledText) -> dict[str, Any]:
    """The unrolled network as plain data."""
    u, n, d = x.unrolled, x.notation, x.derivation
    loss = total(u)
    return {
        "schema": SCHEMA, "tool": {"name": "symrnn", "version": __version__}, "model": model_json(u.model, n), "T": u.T,
        "boundary": [formula(s, n) for s in u.boundary],
        "forward": [{"name": e.name, "t": e.left.time.offset if e.left.time else None, **pair(e.left, e.right, n)} for e in u],
        "total": pair(loss.left, loss.right, n) if loss is not None else None,
        "states": [{"name": s.name, "t": s.time.offset if s.time else None, **pair(s, e, n)}
                   for s, e in states(u) if e is not None],
        "backward": [{"name": s.name, "t": t, **pair(s, e, n)} for t, rows in backward(u, d) for s, e in rows] if d else [],
        "gradients": [{"name": s.name, **pair(s, e, n)} for s, e in gradients(u, d)] if d else [],
        "scalars": scalars_json(x.scalars, d, n) if x.scalars is not None else None}


def scalars_json(form: ScalarForm, d: Derivation | None, n: Notation) -> dict[str, Any]:
    """The component form as plain data."""
    def rows(found: Iterable[ScalarRow]) -> list[dict[str, str]]:
        return [{"left": r.left, "right": r.right, "text": f"{r.name} = {r.expression}"} for r in found]
    return {"sizes": dict(form.sizes), "legend": [{"letter": letter, "stands_for": formula(s, n)} for letter, s in form.legend()],
            "forward": rows(form.forward()), "jacobians": rows(form.jacobians()),
            "backward": rows(form.backward(d)) if d is not None else []}
