"""The definitions of a model as a text: its equations, what every symbol is, what is held fixed and assumed."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from symrnn.bptt import Derivation, fusion
from symrnn.expr import Expr, Symbol, Time, fix_time, symbols, walk
from symrnn.expr.functions import TABLE as FUNCTIONS
from symrnn.lastloss import counted_late
from symrnn.model import LAST, Model
from symrnn.unroll import after_last
from symrnn.write.cases import at_end, placed
from symrnn.write.page import Block, Paragraph, Table
from symrnn.write.voice import Voice
from symrnn.write.words import are, listed


# ----------------------------------------------------------------------------------------------------------- facts of a model
def known_symbols(m: Model) -> tuple[Symbol, ...]:
    """All symbols of a model: what is given, the parameters, the variables."""
    return (*m.inputs, *m.targets, *m.constants, *m.parameters, *m.variables)


def uses(m: Model, s: Symbol) -> list[Symbol]:
    """The variables whose equations use ``s``, at the step at which they use its value of step t; each once."""
    found: dict[Symbol, None] = {}
    for e in m.equations:
        for x in symbols(e.right):
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


def rough(m: Model) -> list[str]:
    """Names of functions in the model that have no derivative at some points."""
    found = dict.fromkeys(x.attr for e in m.equations for x in walk(e.right) if x.op == "apply" and x.attr in FUNCTIONS)
    return [f for f in found if not FUNCTIONS[f].smooth]


def simplex_steps(d: Derivation) -> list[int]:
    """Numbers of the steps that use that the entries of a target sum to one."""
    return [n for n, s in enumerate(d.trail, 1) if s.rule == "fuse" and fusion(s.sentence).output == "softmax"
            and any(x.name in d.model.simplex for x in symbols(s.after))]


# ------------------------------------------------------------------------------------------------------------- what a symbol is
@dataclass(frozen=True)
class Role:
    """What a symbol is called that ``fits``: its part in the equations, whatever its letter."""

    name: str
    fits: Callable[[Model, Symbol], bool]


def _value_of(op: str, attr: str | None = None) -> Callable[[Model, Symbol], bool]:
    def fits(m: Model, s: Symbol) -> bool:
        e = m.definitions.get(s.name)
        return e is not None and e.op == op and attr in (None, e.attr)
    return fits


def _occurs_in(m: Model, s: Symbol) -> list[Expr]:
    """The operations of which a symbol is an argument, at each of its places."""
    return [x for e in m.equations for x in walk(e.right) for a in x.args if a.op == "sym" and a.attr.name == s.name]


def _argument_of(op: str) -> Callable[[Model, Symbol], bool]:
    def fits(m: Model, s: Symbol) -> bool:
        found = _occurs_in(m, s)
        return bool(found) and all(x.op == op for x in found)
    return fits


def _term(m: Model, s: Symbol) -> bool:
    return any(x.op == "add" for x in _occurs_in(m, s))


def _gate(m: Model, s: Symbol) -> bool:
    return _value_of("apply", "sigmoid")(m, s) and any(x.op == "had" for x in _occurs_in(m, s))


def _matrix(m: Model, s: Symbol) -> bool:
    return 1 not in s.shape


def _unused(m: Model, s: Symbol) -> bool:
    return all(u.name == m.loss for u in uses(m, s))


def _any(m: Model, s: Symbol) -> bool:
    return True


ROLES: dict[str, tuple[Role, ...]] = {
    "input": (Role("input", _any),), "target": (Role("target", _any),), "constant": (Role("constant", _any),),
    "parameter": (Role("weights", _matrix), Role("bias", _term), Role("parameter", _any)),
    "variable": (
        Role("loss of one step", lambda m, s: s.name == m.loss), Role("probabilities", _value_of("softmax")),
        Role("logits", _argument_of("softmax")), Role("state", lambda m, s: s.name in {x.name for x in m.states}),
        Role("gate", _gate), Role("pre-activation", _argument_of("apply")), Role("output", _unused), Role("variable", _any)),
}
"""Kind of a symbol -> the roles it may have; the first that fits is the name."""

ORIGINS = {"parameter": "the same at every step", "input": "given", "target": "given", "constant": "given", "variable": "by its equation"}
"""Kind of a symbol -> where its value comes from."""


def role(m: Model, s: Symbol) -> str:
    """What a symbol is called in a model.

    >>> from symrnn.expr import apply
    >>> from symrnn.model import param, sequence
    >>> h, x = sequence("h", "n"), sequence("x", "m", kind="input")
    >>> m = Model.build("cell", [(h, apply("tanh", param("W", "n", "n") @ h[-1] + param("U", "n", "m") @ x + param("b", "n")))])
    >>> [(s.name, role(m, s)) for s in known_symbols(m)]
    [('x', 'input'), ('W', 'weights'), ('U', 'weights'), ('b', 'bias'), ('h', 'state')]
    """
    return next(r.name for r in ROLES[s.kind] if r.fits(m, s))


def shapes(m: Model, v: Voice) -> Table:
    """What every symbol of a model is, with its shape, where it comes from and what uses it."""
    def row(s: Symbol, name: str, origin: str, users: list[Symbol]) -> tuple[str, ...]:
        return v(s), name, v.shape(s.shape), origin, listed(map(v, users)) if users else "nothing"
    rows, late = [], counted_late(m) if m.at_end else frozenset()
    origin = "that of the last step" if m.at_end else "the sum over the steps"
    total = [row(m.summed, "loss of the sequence", origin, [])[:4] + ("",)] if m.loss is not None else []
    for s in known_symbols(m):
        users = [m.summed] if s.name == m.loss else [at_end(u) if u.name in late else u for u in uses(m, s)]
        once = s.name in late or m.at_end and s.kind == "target"
        rows.append(row(at_end(s) if once else s, role(m, s), ORIGINS[s.kind], users))
    for s in before_first(m):
        users = [Symbol(u.name, u.shape, u.kind, Time("", u.time.offset + s.time.offset)) for u in uses(m, s)
                 if u.time is not None and s.time is not None and u.time.offset + s.time.offset >= 1]
        rows.append(row(s, "state before the first step", "zero" if m.initial == "zero" else "given", users))
    for s in after_last(m):
        users = [Symbol(u.name, u.shape, u.kind, s.time + u.time.offset) for u in uses(m, s)
                 if u.time is not None and s.time is not None and u.time.offset + s.time.offset <= 0]
        rows.append(row(s, "state after the last step", "zero" if m.initial == "zero" else "given", users))
    return Table(("symbol", "name", "shape", "its value", "used in"), (*rows, *total))


def model_blocks(m: Model, v: Voice) -> Iterator[Block]:
    """The definitions of a model with shapes."""
    if m.source:
        yield Paragraph(f"After {m.source}.")
    late = counted_late(m) if m.at_end else frozenset()
    yield Paragraph(f"For {v.steps()}, where {v.last()} is the number of steps:")
    yield v.display(*((e.left, e.right) for e in m.equations if e.name not in late))
    if m.backward:
        back = [v(s) for s in m.variables if s.name in m.backward]
        yield Paragraph(f"{listed(back)} {'run' if len(back) > 1 else 'runs'} backward: computed from the last step to the first.")
    if late:
        yield Paragraph(f"The loss of a sequence is the loss of its last step, {v.at_end()}. Of what it alone uses, only the value at that "
                        "step counts:")
        yield v.display(*((at_end(e.left), fix_time(e.right, "t", LAST)) for e in m.equations if e.name in late), (m.summed, m.total_loss))
    elif m.loss is not None:
        yield Paragraph("The loss of a sequence is the sum over its steps:")
        yield v.display((m.summed, m.total_loss))
    if m.sizes:
        yield Paragraph(f"Vectors are columns. {listed(map(v.size, m.sizes))} {are(m.sizes)} "
                        f"{'sizes' if len(m.sizes) > 1 else 'a size'}; whatever follows holds for every size and every number of steps.")
    yield shapes(m, v)


# ------------------------------------------------------------------------------------------------------------------ assumptions
def facts(d: Derivation, v: Voice) -> list[tuple[str, str]]:
    """What the derivatives mean and what is assumed, as (name, sentence)."""
    m = d.model
    total = v(m.summed)
    out = [("total derivative", f"Every derivative of {total} is a total derivative, along every path through the steps, and has "
            "the shape of what it is taken by; a Jacobian has a row for each output and a column for each input.")]
    if m.parameters:
        out.append(("shared parameters", f"{listed(map(v, m.parameters))} {are(m.parameters)} the same at every step; "
                    "a gradient adds up what every step contributes."))
    given = [*map(v, (*m.inputs, *(placed(d, y) for y in m.targets), *m.constants))]
    start = [*before_first(m), *after_last(m)]
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
        out.append(("simplex", f"The entries of {v(placed(d, y))} sum to one; {where}."))
    for name in rough(m):
        out.append(("almost everywhere", f"The derivative of {name} holds where its argument has no entry at the kink."))
    return out
