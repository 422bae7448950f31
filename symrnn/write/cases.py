"""When the equations of a derivation hold: at every step, or, with the loss at the last step, at that one or before it."""
from __future__ import annotations

from dataclasses import dataclass, replace

from symrnn.bptt import Derivation, Step, adjoint
from symrnn.expr import Expr, Symbol, Time, fix_time, node, symbols, transform, zeros
from symrnn.model import FIRST, LAST

EVERY, AT_LAST, BEFORE = "t", "T", "t < T"
"""The steps at which an equation holds."""


@dataclass(frozen=True)
class Case:
    """An equation for an adjoint, and the steps at which it holds."""

    when: str
    left: Symbol
    right: Expr


def cases(d: Derivation, name: str) -> tuple[Case, ...]:
    """The equations for the adjoint of a variable or an input, at the last step first.

    >>> from dataclasses import replace
    >>> from symrnn.api import model
    >>> from symrnn.bptt import derive
    >>> for case in cases(derive(replace(model("elman"), at_end=True)), "h"):
    ...     print(case.when, "|", case.left, "=", case.right)
    T | adj h[T] = V.T @ (adj o[T])
    t < T | adj h[t] = W.T @ (adj a[t+1])
    """
    left, whole = adjoint(d.model.symbol(name)), d.adjoints[name]
    late, carried = d.parted(left) if d.model.at_end else (None, whole)
    if late is None:
        return (Case(EVERY, left, whole),)
    last = Case(AT_LAST, at_end(left), at_last(whole))
    return (last,) if carried is None else (last, Case(BEFORE, left, carried))


def at_end(s: Symbol) -> Symbol:
    """A symbol of step t at the last step."""
    moved: Symbol = fix_time(node("sym", attr=s), "t", LAST).attr
    return moved


def at_last(e: Expr) -> Expr:
    """An adjoint recurrence at the last step: what would come from later steps is zero."""
    def gone(x: Expr) -> Expr | None:
        late = x.op == "sym" and x.attr.kind == "adjoint" and x.attr.time.base == "T" and x.attr.time.offset > 0
        return zeros(x.attr.shape) if late else None
    return transform(fix_time(e, "t", LAST), gone)


def at_first(e: Expr) -> Expr:
    """An adjoint recurrence of what runs backward at the first step: what would come from earlier steps is zero."""
    def gone(x: Expr) -> Expr | None:
        early = x.op == "sym" and x.attr.kind == "adjoint" and not x.attr.time.base and x.attr.time.offset < 1
        return zeros(x.attr.shape) if early else None
    return transform(fix_time(e, "t", FIRST), gone)


def placed(d: Derivation, s: Symbol) -> Symbol:
    """A symbol of step t at the step at which it counts.

    >>> from dataclasses import replace
    >>> from symrnn.api import model
    >>> from symrnn.bptt import derive
    >>> d = derive(replace(model("elman"), at_end=True))
    >>> print(placed(d, d.model.symbol("o")), placed(d, d.model.symbol("h")))
    o[T] h[t]
    """
    once = s.name in d.late or d.model.at_end and s.kind == "target"
    return at_end(s) if once else s


def step_placed(d: Derivation, s: Step) -> Step:
    """A step of the derivation at the step of the network at which it counts."""
    if s.equation not in d.late:
        return s
    target = at_end(s.target) if s.target is not None else None
    return replace(s, target=target, before=tuple(fix_time(e, "t", LAST) for e in s.before), after=fix_time(s.after, "t", LAST))


def reaches_earlier(e: Expr) -> bool:
    """Whether an adjoint of an earlier step stands in an expression."""
    return any(x.kind == "adjoint" and x.time is not None and x.time.base == "t" and x.time.offset < 0 for x in symbols(e))


def reaches_later(e: Expr) -> bool:
    """Whether an adjoint of a later step stands in an expression."""
    return any(x.kind == "adjoint" and x.time is not None and x.time != Time("t") and x.time.offset > 0 for x in symbols(e))
