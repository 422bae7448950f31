"""Backpropagation through time: adjoint recurrences and gradients at a generic step, each step of the derivation justified.

The reverse sweep visits the equations of one generic step; what it writes is constant in T. A derivation is a list of steps;
a step names its rule, and :func:`check_trail` replays every step from its rule alone.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from symrnn.calculus import PULLS, together
from symrnn.displayed import Displayed
from symrnn.errors import ModelError
from symrnn.expr import (
    NOW,
    Expr,
    Symbol,
    add,
    apply,
    collect,
    fix_time,
    had,
    lift,
    negative,
    node,
    shift,
    symbols,
    time_sum,
    total,
)
from symrnn.lastloss import counted_late
from symrnn.model import FIRST, LAST, Equation, Model

Path = tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """One step: ``rule`` takes ``before`` (the cotangent of a node, or the parts of a sum) to ``after``.

    ``equation`` and ``path`` say where: the node is reached from the right side of the equation by the argument numbers of
    ``path``; a step of the rules ``seed``, ``collect``, ``gradient`` and ``fuse`` concerns the symbol ``target`` instead.
    """

    rule: str
    sentence: str
    equation: str
    path: Path
    target: Symbol | None
    before: tuple[Expr, ...]
    after: Expr


@dataclass(frozen=True)
class Derivation(Displayed):
    """The adjoint of every variable at step t, the gradient of every parameter, and the trail that leads there.

    ``adjoints[h]`` is the right side of the recurrence for the derivative of the loss by h_t; it holds for t = 1..T with the
    boundary fact that every adjoint at T+1 is zero. ``gradients[W]`` is a sum over t = 1..T.
    """

    model: Model
    adjoints: dict[str, Expr]
    summands: dict[str, Expr]
    fused: dict[str, tuple[str, Expr]]
    trail: tuple[Step, ...]

    @cached_property
    def gradients(self) -> dict[str, Expr]:
        """Parameter -> its gradient, a sum over t = 1..T; what counts at the last step alone is no part of the sum."""
        if not self.model.at_end:
            return {name: time_sum("t", FIRST, LAST, e) for name, e in self.summands.items()}
        out = {}
        for name, e in self.summands.items():
            late, carried = self.parted(gradient(self.model.symbol(name)))
            parts = [*([time_sum("t", FIRST, LAST, carried)] if carried else []), *([fix_time(late, "t", LAST)] if late else [])]
            out[name] = add(*parts) if parts else e
        return out

    @cached_property
    def late(self) -> frozenset[str]:
        """The variables of which the last value alone counts; none where the loss is summed over the steps."""
        return counted_late(self.model) if self.model.at_end else frozenset()

    def parted(self, target: Symbol) -> tuple[Expr | None, Expr | None]:
        """An adjoint, or what a step adds to a gradient, in two parts: what comes from the loss of the step without a state between, and
        what comes through states. None where there is no such part.

        With the loss at the last step the first part counts at that step alone.
        """
        step = next(s for s in self.trail if s.target == target and s.rule in ("collect", "gradient", "fuse"))
        if step.rule == "fuse":
            return step.after, None
        through = [p for p in step.before if any(s.kind == "adjoint" and s.name not in self.late for s in symbols(p))]
        straight = [p for p in step.before if p not in through]
        return (collect(*straight) if straight else None), (collect(*through) if through else None)

    @cached_property
    def initial(self) -> dict[str, Expr]:
        """State -> the gradient by its value before the first step (what step 1 sends back to it), as an expression at step 1.

        Of a state that runs backward, the gradient by its value after the last step, as an expression at step T.
        """
        out = {}
        for s in self.model.states:
            late = [step for step in self.trail if step.rule == "collect" and step.target == adjoint(s)]
            way = -1 if s.name in self.model.backward else 1
            parts = [p for p in late[0].before if comes_from(p, way)] if late else []
            e = together(parts, s.shape)
            out[s.name] = shift(e, -way)
        return out


def adjoint(s: Symbol) -> Symbol:
    """The derivative of the loss by ``s``."""
    return Symbol(s.name, s.shape, "adjoint", s.time)


def gradient(s: Symbol) -> Symbol:
    """The derivative of the loss by the parameter ``s``."""
    return Symbol(s.name, s.shape, "gradient", None)


def comes_from(e: Expr, way: int) -> bool:
    """Whether the contribution comes from a later step, or with ``way`` -1 from an earlier one."""
    return any(s.kind == "adjoint" and s.time is not None and s.time.offset * way > 0 for s in symbols(e))


# ----------------------------------------------------------------------------------------------------------------- the sweep
def seed(model: Model, eq: Equation) -> Expr:
    """The cotangent at the root of an equation: 1 for the loss, else the adjoint of the variable."""
    return lift(1) if eq.name == model.loss else node("sym", attr=adjoint(eq.left))


def leaves(e: Expr, more: tuple[Symbol, ...] = (), path: Path = ()) -> Iterator[tuple[Path, Symbol]]:
    """Every occurrence of a parameter, variable, input or one of the constants ``more`` in ``e``, with the way to it."""
    if e.op == "sym":
        if e.attr.kind in ("parameter", "variable", "input") or e.attr in more:
            yield path, e.attr
        return
    for k, a in enumerate(e.args):
        yield from leaves(a, more, (*path, k))


def at(e: Expr, path: Path) -> Expr:
    """The node at the end of a path."""
    for k in path:
        e = e.args[k]
    return e


def sweep(model: Model, eq: Equation, more: tuple[Symbol, ...] = ()) -> tuple[list[Step], dict[Path, Expr]]:
    """Carry the seed of one equation down to every occurrence; returns the steps and the cotangent at each place."""
    name = node("sym", attr=eq.left)
    start = seed(model, eq)
    steps = [Step("seed", f"the cotangent of {eq.name} is {start}", eq.name, (), eq.left, (), start)]
    found: dict[Path, Expr] = {(): start}
    for path, _ in leaves(eq.right, more):
        for k in range(len(path)):
            here, there = path[:k], path[:k + 1]
            if there in found:
                continue
            e = at(eq.right, here)
            rule = PULLS.get(e.op)
            if rule is None:
                raise ModelError(f"the equation of {eq.name}", must="use operations with a differentiation rule", came=e.op,
                                 next_step="write it with other operations, or give the operation a row in PULLS of symrnn/calculus.py, "
                                 "which the tests then prove")
            value = name if not here else e
            found[there] = rule.pull(e, value, found[here], path[k])
            steps.append(Step(rule.name, rule.sentence, eq.name, there, None, (found[here],), found[there]))
    return steps, found


def check_loss(model: Model) -> None:
    """The loss of a step must come from that step alone and feed nothing.

    Its cotangent is then 1 at every step; with h[t-1] in it, step T+1 would send a contribution that does not exist.
    """
    for eq in model.equations:
        for s in symbols(eq.right):
            if s.name == model.loss:
                raise ModelError(f"the loss {model.loss} in {eq}", must="be used by no equation", came="a use of it",
                                 next_step="give the value that is used on a name of its own")
            if eq.name == model.loss and s.time is not None and s.time.offset:
                raise ModelError(f"the loss of model {model.name}", must="use quantities of its own step", came=str(s),
                                 next_step="give the quantity of the other step a name of its own, by an equation at step t")
    late = counted_late(model) if model.at_end else ()
    for eq in model.equations:
        for s in symbols(eq.right):
            if eq.name in late and s.kind == "variable" and s.time != NOW:
                raise ModelError(f"the equation {eq}, which counts at the last step alone,", must="use quantities of its own step",
                                 came=str(s), next_step="give the quantity of the other step a name of its own, by an equation at step t")


def derive(model: Model, more: tuple[Symbol, ...] = ()) -> Derivation:
    """The adjoint recurrences and gradients of a model, for every T; also by the constants ``more``.

    Raises ModelError if the model has no loss, the loss uses earlier steps or is used, or an operation has no rule.
    """
    if model.loss is None:
        raise ModelError(f"model {model.name}", must="have a loss for gradients", came="none",
                         next_step="name the scalar equation that is the loss of one step")
    check_loss(model)
    trail: list[Step] = []
    parts: dict[str, list[Expr]] = {}
    for eq in reversed(model.equations):
        steps, found = sweep(model, eq, more)
        trail += steps
        for path, s in leaves(eq.right, more):
            lag = s.time.offset if s.time is not None else 0
            parts.setdefault(s.name, []).append(shift(found[path], -lag))
    fused = fusions(model)
    adjoints: dict[str, Expr] = {}
    summands: dict[str, Expr] = {}
    for s in reversed(model.variables):
        if s.name == model.loss:
            continue
        pieces = tuple(parts.get(s.name, ()))
        adjoints[s.name] = gathered(s, pieces, fused, trail)
    for s in (*model.parameters, *more, *model.inputs):
        pieces = tuple(parts.get(s.name, ()))
        if s.kind == "input":
            adjoints[s.name] = gathered(s, pieces, fused, trail)
            continue
        value = together(pieces, s.shape)
        summands[s.name] = value
        trail.append(Step("gradient", f"{s.name} is used {len(pieces)} times in a step", s.name, (), gradient(s), pieces, value))
    return Derivation(model, adjoints, summands, fused, tuple(trail))


def gathered(s: Symbol, pieces: tuple[Expr, ...], fused: dict[str, tuple[str, Expr]], trail: list[Step]) -> Expr:
    """The adjoint of a symbol from its contributions, or from a fused pair; the step goes to the trail."""
    if s.name in fused:
        row, value = fused[s.name]
        trail.append(Step("fuse", row, s.name, (), adjoint(s), pieces, value))
        return value
    value = together(pieces, s.shape)
    trail.append(Step("collect", f"{s.name} is used {len(pieces)} times", s.name, (), adjoint(s), pieces, value))
    return value


# ---------------------------------------------------------------------------------------------------------------- fused pairs
@dataclass(frozen=True)
class Fusion:
    """An output function followed by the loss it belongs to: the two together have a short adjoint.

    ``output(o)`` and ``loss(p, y)`` build the pair; ``value(p, y)`` is the adjoint of o, ``short`` the same when the targets
    are declared to sum to one, and ``why`` what cancels. Each row is proved in ``tests/test_bptt.py``.
    """

    name: str
    sentence: str
    output: str
    loss: tuple[str, ...]
    value: str
    why: str


FUSIONS = (
    Fusion("softmax with cross-entropy", "softmax and cross-entropy together: (sum of y) p - y, which is p - y as y sums to one",
           "softmax", ("cross-entropy",), "p - y",
           "its quotient cancels the probability of the same entry"),
    Fusion("sigmoid with binary cross-entropy", "sigmoid and binary cross-entropy together: p - y",
           "sigmoid", ("binary cross-entropy",), "p - y",
           "the slope of the sigmoid cancels its denominators"),
)


def fusion(sentence: str) -> Fusion:
    """The row of the table with this sentence.

    >>> fusion(FUSIONS[0].sentence).name
    'softmax with cross-entropy'
    """
    return next(f for f in FUSIONS if f.sentence == sentence)


def cross_entropies(p: Expr, y: Expr) -> dict[str, tuple[Expr, ...]]:
    """The ways to write the two losses of the table, in core form."""
    def both(f: Expr, g: Expr) -> tuple[Expr, ...]:
        plain = (total(had(f, g)), total(had(g, f)), f.T @ g, g.T @ f)
        return tuple(x for e in plain for x in (negative(e), -1 * e))
    assert p.shape is not None
    logp, logq = apply("log", p), apply("log", 1 - p)
    binary = tuple(negative(total(x)) for x in (had(y, logp) + had(1 - y, logq), had(1 - y, logq) + had(y, logp)))
    return {"cross-entropy": both(y, logp), "binary cross-entropy": binary}


def fusions(model: Model) -> dict[str, tuple[str, Expr]]:
    """Variable o -> (sentence, adjoint) where o feeds only an output function that feeds only its own loss."""
    out: dict[str, tuple[str, Expr]] = {}
    for eq in model.equations:
        right = eq.right
        kind = right.attr if right.op == "apply" else right.op
        row = next((f for f in FUSIONS if f.output == kind), None)
        if row is None or right.args[0].op != "sym" or right.args[0].attr.kind not in ("variable", "input"):
            continue
        o, p = right.args[0].attr, eq.left
        if o.time != NOW:
            continue
        users = {name: {e.name for e in model.equations if any(s.name == name for _, s in leaves(e.right))}
                 for name in (o.name, p.name)}
        final = next((e for e in model.equations if users[p.name] == {e.name}), None)
        if users[o.name] != {p.name} or final is None:
            continue
        loss, weight = final.right, seed(model, final)
        for y in model.targets:
            target, value = node("sym", attr=y), node("sym", attr=p)
            if y.shape == p.shape and loss in cross_entropies(value, target)[row.loss[0]]:
                front = value if y.name in model.simplex or kind != "softmax" else total(target) * value
                out[o.name] = (row.sentence, weight * (front - target))
    return out


# ----------------------------------------------------------------------------------------------------------------- the trail
def check_trail(derivation: Derivation) -> list[str]:
    """Replay the trail from the rules and the model alone; returns what is wrong (nothing: the trail stands).

    Every place of every equation must be reached by exactly one step, in order, and every sum must have exactly its parts.
    """
    model, wrong = derivation.model, []
    expected: list[Step] = []
    parts: dict[str, list[Expr]] = {}
    for eq in reversed(model.equations):
        steps, found = sweep(model, eq)
        expected += steps
        for path, s in leaves(eq.right):
            parts.setdefault(s.name, []).append(shift(found[path], -(s.time.offset if s.time else 0)))
    trail = derivation.trail
    if len(trail) < len(expected):
        wrong.append(f"the trail has {len(trail)} steps; the rules need at least {len(expected)}")
    for n, step in enumerate(trail):
        if n < len(expected):
            want = expected[n]
            if (step.rule, step.equation, step.path) != (want.rule, want.equation, want.path):
                wrong.append(f"step {n + 1}: {step.rule} at {step.equation}{list(step.path)} stands where {want.rule} at "
                             f"{want.equation}{list(want.path)} must")
            elif step != want:
                wrong.append(f"step {n + 1}: {step.rule} gives {want.after}, not {step.after}")
            continue
        wrong += check_sum(derivation, n, step, parts)
    targets = [s.target for s in trail[len(expected):]]
    needed = [adjoint(s) for s in reversed(model.variables) if s.name != model.loss]
    needed += [gradient(s) for s in model.parameters] + [adjoint(s) for s in model.inputs]
    if targets != needed:
        wrong.append("the sums of the trail are not those of the model, in order")
    return wrong


def check_sum(derivation: Derivation, n: int, step: Step, parts: dict[str, list[Expr]]) -> list[str]:
    """One step that gathers contributions: all of them, and the recorded result."""
    if step.target is None:
        return [f"step {n + 1}: {step.rule} names no symbol"]
    pieces = tuple(parts.get(step.target.name, ()))
    store = derivation.summands if step.target.kind == "gradient" else derivation.adjoints
    result = store.get(step.target.name)
    if step.before != pieces:
        return [f"step {n + 1}: the contributions to {step.target} are not those of the equations"]
    if step.rule == "fuse":
        want = fusions(derivation.model).get(step.target.name, ("", None))[1]
    elif step.rule in ("collect", "gradient"):
        want = together(pieces, step.target.shape)
    else:
        return [f"step {n + 1}: unknown rule {step.rule}"]
    if step.after is not want or result is not want:
        return [f"step {n + 1}: {step.rule} gives {want}, not {step.after}"]
    return []
