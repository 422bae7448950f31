"""Which of two values is the larger: a mixture lies between its parts; a network of one unit shows the contrary.

A side is an expression, or the least, the greatest or the absolute value of such.

>>> from symrnn.expr import apply
>>> from symrnn.model import Model, param, sequence
>>> c, g, x = sequence("c", "n"), sequence("g", "n"), sequence("x", "n", kind="input")
>>> f = apply("sigmoid", param("w", "n") + x)
>>> m = Model.build("m", [(g, apply("tanh", x)), (c, f * c[-1] + (1 - f) * g)])
>>> parts = (Side("value", (c[-1],)), Side("value", (g,)))
>>> ordered(m, Side("value", (c,)), "<=", Side("max", parts)).word, ordered(m, Side("max", parts), "<=", Side("value", (c,))).word
('proved', 'refuted')
"""
from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from symrnn.expr import Expr, symbols
from symrnn.model import Model
from symrnn.prove.bounds import LAST_T, TRIES, Ends, Unit, Unknown, bounds, draws, enclosed, mixture
from symrnn.prove.parts import made_of
from symrnn.prove.ranges import Interval
from symrnn.prove.verdict import EVERYWHERE, Verdict

SHARE = Interval(Fraction(0), Fraction(1), True, True)
METHOD = "a mixture lies between its parts"


@dataclass(frozen=True)
class Side:
    """A value, or the ``min``, ``max`` or ``abs`` of others."""

    op: str
    args: tuple[Side | Expr, ...]

    def values(self) -> tuple[Expr, ...]:
        """The expressions in it."""
        return tuple(e for a in self.args for e in (a.values() if isinstance(a, Side) else (a,)))


def ordered(model: Model, left: Side, relation: str, right: Side) -> Verdict | None:
    """Whether ``left <= right`` (or ``<``) entry by entry at every step; None where neither is found."""
    if relation == "<=" and (_least(left, right, model) or _greatest(left, right, model)):
        return Verdict("proved", method=METHOD, scope=EVERYWHERE, error_bound="0")
    return _contrary(model, left, relation, right)


def _least(left: Side, right: Side, model: Model) -> bool:
    """``min(p, q) <= z p + (1 - z) q``."""
    return left.op == "min" and right.op == "value" and _between(right, left.args, "value", model)


def _greatest(left: Side, right: Side, model: Model) -> bool:
    """``z p + (1 - z) q <= max(p, q)``, and so with absolute values."""
    if right.op != "max" or left.op not in ("value", "abs"):
        return False
    inner = left.args[0] if left.op == "abs" else left
    return isinstance(inner, Side) and _between(inner, right.args, left.op, model)


def _between(value: Side, among: tuple[Side | Expr, ...], op: str, model: Model) -> bool:
    """Whether a variable is a mixture of two of some values (of two whose absolute values are among them)."""
    (e,) = value.args
    if not isinstance(e, Expr) or e.op != "sym" or e.attr.name not in model.definitions or e != model[e.attr.name]:
        return False
    mixed = mixture(model.definitions[e.attr.name])
    if mixed is None or not SHARE.holds(bounds(mixed[0], model, {}, {})):
        return False
    parts = {Side("value", (p,)) for p in mixed[1:]}
    return {Side("abs", (p,)) for p in parts} <= set(among) if op == "abs" else parts <= set(among)


def _contrary(model: Model, left: Side, relation: str, right: Side) -> Verdict | None:
    """A network of one unit in which the left side is certainly the larger."""
    names = {s.name for side in (left, right) for e in side.values() for s in symbols(e)}
    free = {s.name for n in made_of(model, names) for s in symbols(model.definitions[n]) if s.kind == "constant"}
    if free or not names <= set(model.definitions):
        return None
    for T in range(1, LAST_T + 1):  # noqa: N806
        for n in range(TRIES):
            unit = Unit(model, {}, draws(f"{left} {relation} {right} {T} {n}"))
            try:
                a, b = _ends(left, unit, T), _ends(right, unit, T)
            except Unknown:
                return None
            if a[0] > b[1] or relation == "<" and a[0] >= b[1]:
                shown = {f"{s}[{t}]" if t is not None else s: str(v) for (s, t), v in unit.values.items()}
                sides = enclosed(*a), enclosed(*b)
                sizes = dict.fromkeys((m for m in model.sizes if "+" not in m), 1)
                why = f"at step {T} what is said to be the smaller is {sides[0]}, and the larger {sides[1]}"
                return Verdict("refuted", "SR299", why, "a network of one unit", counterexample={
                    "T": T, "sizes": sizes, "values": shown, "left": sides[0], "right": sides[1]})
    return None


def _ends(side: Side | Expr, unit: Unit, t: int) -> Ends:
    """The value of a side at a step, between two fractions."""
    if isinstance(side, Expr):
        return unit(side, t)
    found = [_ends(a, unit, t) for a in side.args]
    if side.op == "abs":
        low, high = found[0]
        return (Fraction(0) if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))
    pick = {"min": min, "max": max, "value": min}[side.op]
    return pick(low for low, _ in found), pick(high for _, high in found)
