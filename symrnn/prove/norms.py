"""How the norm of the Jacobian of one step grows: at most the largest slope times the norm of the weight, and no less than nothing.

The bound says that gradients vanish where it is below one. It says nothing of growth: a saturated unit has a small slope whatever its
weight, so that a product of Jacobians vanishes there.

>>> from symrnn.expr import apply
>>> from symrnn.model import Model, param, sequence
>>> s, x = sequence("s", "n"), sequence("x", "n", kind="input")
>>> m = Model.build("m", [(s, apply("sigmoid", param("W", "n", "n") @ s[-1] + x + param("b", "n")))])
>>> step = one_step(m, "s", "s")
>>> step.factor, step.weights
(Fraction(1, 4), ('W',))
>>> limit(step, ">", Fraction(4), "infty").word, limit(step, "<", Fraction(4), "0").word, limit(step, "<", Fraction(5), "0")
('refuted', 'proved', None)
"""
from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from symrnn.expr import NOW, Expr, Symbol
from symrnn.model import Model
from symrnn.prove.ranges import SLOPES
from symrnn.prove.verdict import EVERYWHERE, Verdict

CENTRED = ("tanh", "sigmoid")
"""Functions whose slope is largest at zero, and vanishes far from it at least as fast as 4 exp(-|u|)."""
METHOD = "the largest slope and the norms of the weights, step by step"


@dataclass(frozen=True)
class Step:
    """A bound of the norm of a Jacobian: a number times the norms of weights.

    ``function`` is the one activation on the way; ``shifted`` says that a bias is added to its argument. Both are kept only where the
    step is that function of the weight times the state before, plus terms that may be zero.
    """

    factor: Fraction
    weights: tuple[str, ...] = ()
    function: str | None = None
    shifted: bool = False


class Unbounded(Exception):
    """A way from the step before for which there is no bound here."""


def one_step(model: Model, name: str, state: str) -> Step | None:
    """A bound for the derivative of a variable by a state of the step before; None where it depends otherwise on the past."""
    try:
        return _bound(model.definitions[name], state, model) if name in model.definitions else None
    except Unbounded:
        return None


def _bound(e: Expr, state: str, model: Model) -> Step | None:
    """The bound of a derivative by the state; None if there is no dependence."""
    match e.op:
        case "sym":
            return _leaf(e.attr, state, model)
        case "num" | "ones" | "zeros":
            return None
        case "add":
            found = [(a, b) for a in e.args if (b := _bound(a, state, model)) is not None]
            if len(found) > 1:
                raise Unbounded
            others = [a for a in e.args if not found or a is not found[0][0]]
            bias = any(map(_may_shift, others))
            inside = found[0][1] if found else Step(Fraction(0))
            outside = "?" if inside.function else None                # what is added to the function moves the state itself
            return replace(inside, shifted=inside.shifted or bias, function=outside) if found else None
        case "apply":
            inner = _bound(e.args[0], state, model)
            if inner is None:
                return None
            if e.attr not in SLOPES or (most := SLOPES[e.attr][0].high) is None:
                raise Unbounded
            simple = inner.function is None and e.attr in CENTRED
            return replace(inner, factor=inner.factor * abs(most), function=e.attr if simple else "?")
        case "matmul" if len(e.args) == 2:
            inner, weight = _bound(e.args[1], state, model), e.args[0].args[0] if e.args[0].op == "transpose" else e.args[0]
            if inner is None and _bound(e.args[0], state, model) is None:
                return None
            if inner is None or weight.op != "sym" or weight.attr.kind != "parameter":
                raise Unbounded
            return replace(inner, weights=tuple(sorted((*inner.weights, weight.attr.name))), function=inner.function and "?")
    if any(_bound(a, state, model) is not None for a in e.args):
        raise Unbounded
    return None


def _may_shift(e: Expr) -> bool:
    """Whether a term may have any value, the same at every step: a bias, an input, an input times a weight."""
    if e.op == "matmul":
        return len(e.args) == 2 and e.args[0].op == "sym" and e.args[0].attr.kind == "parameter" and _may_shift(e.args[1])
    return e.op == "sym" and (e.attr.kind == "parameter" and e.attr.time is None or e.attr.kind == "input")


def _leaf(s: Symbol, state: str, model: Model) -> Step | None:
    if s.time == NOW and s.name in model.definitions:
        return _bound(model.definitions[s.name], state, model)
    if s.name not in model.definitions:
        return None
    if s.name == state and s.time == NOW - 1:
        return Step(Fraction(1))
    raise Unbounded


def _free(step: Step) -> bool:
    """Whether a network of one unit has the slopes of one function alone, with any weight."""
    return step.function in CENTRED and len(step.weights) == 1


def limit(step: Step, relation: str, most: Fraction, to: str) -> Verdict | None:
    """Whether the norm of the Jacobian over many steps goes to 0 or to infinity if that of the weight lies on one side of a number."""
    below = relation in ("<", "<=")
    if len(step.weights) != 1 or most <= 0:
        return None
    small = most * step.factor < 1 or relation == "<" and most * step.factor == 1
    if to == "0" and below and small:
        return Verdict("proved", reason=f"{_words(step)}, which is less than 1", method=METHOD, scope=EVERYWHERE, error_bound="0")
    if to != "infty" or not _free(step) or not step.shifted:
        return None
    (w,) = step.weights
    weight = most / 2 if below else most + 1
    bias = int(weight) + 1 + (4 * (int(weight) + 1)).bit_length()
    why = (f"in a network of one unit with {w} = {weight}, a bias or input that adds {bias}, all else 0, and states between -1 "
           f"and 1, each factor is "
           f"positive and at most a number below 1: the product goes to 0")
    return Verdict("refuted", "SR299", why, METHOD, counterexample={
        "T": None, "sizes": {}, "values": {w: str(weight), "bias": str(bias)}, "left": "0", "right": "oo"})


def _words(step: Step) -> str:
    return "the norm of the Jacobian of a step is at most " + " ".join((str(step.factor), *(f"|{w}|" for w in step.weights)))
