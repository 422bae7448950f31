"""Truncated backpropagation through time: what a window of k steps keeps of the adjoints and gradients, and what it leaves out.

The adjoint *within k steps* of h_t is the derivative of the losses of the steps t..t+k-1 alone. It has the recurrence of the whole
adjoint, with what comes from j steps later taken within k - j steps, and it is zero within no step: the whole adjoint of a network whose
last step is t+k-1. What is left out has the same recurrence without the losses, and within no step it is the whole adjoint. Both together
are the adjoint, since the recurrences are linear in the adjoints.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from symrnn.bptt import Derivation, adjoint
from symrnn.errors import CallError, ModelError
from symrnn.expr import FIRST, LAST, SCALAR, Expr, Symbol, add, is_zero, node, shift, symbols, time_sum, transform, zeros
from symrnn.model import one_way

KEPT, LEFT = "within", "beyond"
"""The kinds of the two parts of an adjoint, each followed by the number of steps of the window."""


def part(kind: str, s: Symbol, steps: str) -> Symbol:
    """One part of the adjoint of a symbol, for a window of so many steps.

    >>> print(part(KEPT, Symbol("h", ("n", 1)), "k-1"), part(LEFT, Symbol("h", ("n", 1)), "K"))
    adj_(k-1) h rest_K h
    """
    return Symbol(s.name, s.shape, f"{kind} {steps}", s.time)


@dataclass(frozen=True)
class Truncated:
    """What a window of any number of steps keeps and leaves out.

    ``kept`` and ``left`` are the recurrences of both parts of each adjoint, in windows of k steps and less; ``gradients`` and
    ``missing`` the parts of each gradient for a window of K steps. Within no step (k = 0) what is kept is zero, and what is left out the
    whole adjoint.
    """

    derivation: Derivation
    kept: dict[str, Expr]
    left: dict[str, Expr]
    gradients: dict[str, Expr]
    missing: dict[str, Expr]


def truncate(d: Derivation) -> Truncated:
    """What windows keep and leave out of a derivation.

    Raises CallError for a network that runs in both directions, ModelError where the loss is that of the last step alone.

    >>> from symrnn.api import model
    >>> from symrnn.bptt import derive
    >>> found = truncate(derive(model("elman")))
    >>> print(found.kept["h"], "|", found.kept["o"])
    V.T @ (adj_k o[t]) + W.T @ (adj_(k-1) a[t+1]) | hat(y)[t] - y[t]
    >>> print(found.left["h"], "|", found.left["o"])
    W.T @ (rest_(k-1) a[t+1]) | zeros
    """
    m = one_way(d.model, "the truncated derivation")
    if m.at_end:
        raise ModelError(f"the loss of {m.name}", must="be a sum over the steps to be truncated", came="the loss of the last step",
                         next_step="sum the loss over the steps")
    kept = {name: windowed(e, KEPT, "k") for name, e in d.adjoints.items()}
    rest = carried(d)
    left = {name: windowed(e, LEFT, "k") for name, e in rest.items() if name in d.adjoints}
    return Truncated(d, kept, left, {name: time_sum("t", FIRST, LAST, windowed(e, KEPT, "K")) for name, e in d.summands.items()},
                     {name: time_sum("t", FIRST, LAST, windowed(rest[name], LEFT, "K")) for name in d.summands})


def windowed(e: Expr, kind: str, steps: str) -> Expr:
    """An expression with every adjoint within a window: as many steps shorter as the adjoint is later."""
    def change(x: Expr) -> Expr | None:
        if x.op != "sym" or x.attr.kind != "adjoint":
            return None
        later = x.attr.time.offset
        return node("sym", attr=part(kind, x.attr, f"{steps}-{later}" if later else steps))
    return transform(e, change)


def carried(d: Derivation) -> dict[str, Expr]:
    """The adjoints, and what a step adds to the gradients, without what comes from the loss of the step: that is never left out."""
    found = {**d.adjoints, **d.summands}
    for _ in found:                                                   # what comes from the losses alone is zero, and so what is made of it
        gone = {node("sym", attr=adjoint(d.model.symbol(name))): e for name, e in found.items() if is_zero(e) and name in d.adjoints}
        found = {name: transform(through(e), gone.get) for name, e in found.items()}
    return found


def through(e: Expr) -> Expr:
    """The terms of a sum that have an adjoint in them."""
    terms = [x for x in (e.args if e.op == "add" else (e,)) if any(s.kind == "adjoint" for s in symbols(x))]
    return add(*terms) if terms else zeros(e.shape or SCALAR)


def within(d: Derivation, name: str, steps: int) -> Expr:
    """The adjoint of a variable within a number of steps, written out: no adjoint is left in it.

    >>> from symrnn.api import model
    >>> from symrnn.bptt import derive
    >>> print(within(derive(model("elman")), "h", 1))
    V.T @ (hat(y)[t] - y[t])
    """
    return written(d, name, steps, lambda s: zeros(s.shape))


def beyond(d: Derivation, name: str, steps: int) -> Expr:
    """What a window of a number of steps leaves out of the adjoint of a variable, by whole adjoints so many steps later."""
    def rest(e: Expr, left: int) -> Expr:
        def change(x: Expr) -> Expr | None:
            if x.op != "sym" or x.attr.kind != "adjoint":
                return None
            after = left - x.attr.time.offset
            return x if after <= 0 else shift(rest(d.adjoints[x.attr.name], after), x.attr.time.offset)
        return transform(through(e), change)
    return rest(d.adjoints[name], steps) if steps else node("sym", attr=adjoint(d.model.symbol(name)))


def written(d: Derivation, name: str, steps: int, end: Callable[[Symbol], Expr]) -> Expr:
    """The recurrence of an adjoint put into itself until the window ends."""
    def change(x: Expr) -> Expr | None:
        if x.op != "sym" or x.attr.kind != "adjoint":
            return None
        later = x.attr.time.offset
        return shift(written(d, x.attr.name, steps - later, end), later) if steps > later else end(x.attr)
    if steps < 1:
        raise CallError("the steps of a window", must="be at least 1", came=str(steps), next_step="for example 1")
    return transform(d.adjoints[name], change)
