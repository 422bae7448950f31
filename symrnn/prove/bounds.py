"""Where the entries of a variable lie, for all sizes, inputs and parameters: intervals carried through its equation.

What an equation takes from the step before is bounded by induction, from a start that the claim must allow. A bound falls by a small
network of one unit whose value, enclosed, lies outside.

>>> from symrnn.expr import apply
>>> from symrnn.model import Model, param, sequence
>>> from symrnn.prove.ranges import interval
>>> h, c, x = sequence("h", "n"), sequence("c", "n"), sequence("x", "n", kind="input")
>>> m = Model.build("m", [(c, apply("tanh", param("W", "n", "n") @ h[-1] + x)), (h, c * apply("sigmoid", x))])
>>> within(m, "h", interval("(-1, 1)")).word, within(m, "h", interval("[0, 1]")).counterexample["left"][:6]
('proved', '-0.204')
"""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import ceil, floor
from random import Random

from symrnn.expr import NOW, Expr, Symbol, is_one, symbols
from symrnn.model import Model
from symrnn.prove.parts import made_of
from symrnn.prove.ranges import RANGES, Interval
from symrnn.prove.reals import balls
from symrnn.prove.verdict import EVERYWHERE, Verdict

ALL = Interval(None, None, False, False)
DRAWS = tuple(Fraction(n, 2) for n in (0, 2, -2, 1, -1, 4, -4, 8, -8))
"""What inputs and parameters are tried at."""
LAST_T, TRIES = 3, 120
METHOD = "intervals carried through the equations"

Ends = tuple[Fraction, Fraction]


def within(model: Model, name: str, claimed: Interval, known: Mapping[str, Interval] | None = None, zero: bool = False) -> Verdict | None:
    """Whether every entry of a variable lies in an interval at every step; None where neither a proof nor a counterexample is found.

    ``known`` are the ranges of variables without an equation; ``zero`` says that the states before the first step are zero.
    """
    known = known or {}
    own = bounds(model.definitions[name], model, known, {})
    if claimed.holds(own):
        why = f"the entries of {name} lie in {own}"
        return Verdict("proved", reason=why, method=METHOD, scope=EVERYWHERE, error_bound="0")
    if claimed.holds(bounds(model.definitions[name], model, known, {name: claimed})):
        start = f"{name} is zero before the first step" if zero else f"the entries of {name} before the first step lie in {claimed}"
        if zero and claimed.holds(Interval(Fraction(0), Fraction(0), True, True)):
            return Verdict("proved", reason="by induction over the steps", method=METHOD, scope=EVERYWHERE, error_bound="0",
                           conditions=(start,))
        if not zero:
            why = f"true when {start}; by induction over the steps"
            return Verdict("conditional", "SR403", why, METHOD, EVERYWHERE, "0", (start,), start)
    found = outside(model, name, claimed, known)
    return found if found is None or own == ALL else replace(found, reason=f"{found.reason}; its values lie in {own}")


# ------------------------------------------------------------------------------------------------------------------ proofs
def bounds(e: Expr, model: Model, known: Mapping[str, Interval], before: Mapping[str, Interval]) -> Interval:
    """An interval that holds every entry of an expression; ``before`` are intervals of variables at the step before.

    >>> from symrnn.model import sequence
    >>> from symrnn.prove.ranges import interval
    >>> z, h, g = (sequence(name, "n", kind="input") for name in "zhg")
    >>> known = {"z": interval("(0, 1)"), "h": interval("[-2, 1]"), "g": interval("(-1, 3)")}
    >>> print(bounds((1 - z) * h + z * g, Model("m", ()), known, {}), bounds(z * g, Model("m", ()), known, {}))
    [-2, 3) (-1, 3)
    """
    match e.op:
        case "sym":
            return _symbol(e.attr, model, known, before)
        case "num" | "ones" | "zeros":
            value = e.attr if e.op == "num" else Fraction(e.op == "ones")
            return Interval(value, value, True, True)
        case "transpose" | "entry" | "slice":
            return bounds(e.args[0], model, known, before)
        case "apply" if e.attr in RANGES:
            return RANGES[e.attr]
        case "softmax":
            return Interval(Fraction(0), Fraction(1), False, True)
        case "smul" | "had" if len(e.args) == 2:
            return times(*(bounds(a, model, known, before) for a in e.args))
        case "add":
            mixed = mixture(e)
            if mixed is not None and Interval(Fraction(0), Fraction(1), True, True).holds(bounds(mixed[0], model, known, before)):
                return hull(*(bounds(a, model, known, before) for a in mixed[1:]))
            out = Interval(Fraction(0), Fraction(0), True, True)
            for a in e.args:
                out = plus(out, bounds(a, model, known, before))
            return out
    return ALL


def _symbol(s: Symbol, model: Model, known: Mapping[str, Interval], before: Mapping[str, Interval]) -> Interval:
    if s.name in known:
        return known[s.name]
    if s.time == NOW and s.name in model.definitions:
        return bounds(model.definitions[s.name], model, known, before)
    return before.get(s.name, ALL) if s.time == NOW - 1 else ALL


def mixture(e: Expr) -> tuple[Expr, Expr, Expr] | None:
    """The share and the two parts of ``(1 - z) a + z b``."""
    if len(e.args) != 2 or any(a.op not in ("had", "smul") or len(a.args) != 2 for a in e.args):
        return None
    for first, second in (e.args, e.args[::-1]):
        for i, j in product((0, 1), repeat=2):
            if _rest(first.args[i]) == second.args[j]:
                return second.args[j], first.args[1 - i], second.args[1 - j]
    return None


def _rest(e: Expr) -> Expr | None:
    """What is taken from one."""
    if e.op != "add" or len(e.args) != 2:
        return None
    one, other = e.args if is_one(e.args[0]) else e.args[::-1]
    minus = other.op in ("smul", "had") and other.args[0].op == "num" and other.args[0].attr == -1
    return other.args[1] if is_one(one) and minus else None


def plus(a: Interval, b: Interval) -> Interval:
    """Where a sum lies."""
    low = None if a.low is None or b.low is None else a.low + b.low
    high = None if a.high is None or b.high is None else a.high + b.high
    return Interval(low, high, a.left and b.left and low is not None, a.right and b.right and high is not None)


def times(a: Interval, b: Interval) -> Interval:
    """Where a product lies; an end is open where every product of ends that gives it has an open one.

    >>> from symrnn.prove.ranges import interval
    >>> print(times(interval("(0, 1)"), interval("(-1, 1)")), times(interval("[0, 1]"), interval("(-1, 2]")))
    (-1, 1) (-1, 2]
    """
    if None in (a.low, a.high, b.low, b.high):
        positive = all(x.low is not None and x.low >= 0 for x in (a, b))
        return Interval(Fraction(0), None, True, False) if positive else ALL
    corners = [(x * y, (p and q) or x * y == 0) for x, p in ((a.low, a.left), (a.high, a.right))
               for y, q in ((b.low, b.left), (b.high, b.right)) if x is not None and y is not None]
    low, high = min(v for v, _ in corners), max(v for v, _ in corners)
    return Interval(low, high, any(c for v, c in corners if v == low), any(c for v, c in corners if v == high))


def hull(a: Interval, b: Interval) -> Interval:
    """The smallest interval that holds two."""
    low = None if a.low is None or b.low is None else min(a.low, b.low)
    high = None if a.high is None or b.high is None else max(a.high, b.high)
    left, right = (any(c for v, c in ends if v == end) for ends, end in
                   ((((a.low, a.left), (b.low, b.left)), low), (((a.high, a.right), (b.high, b.right)), high)))
    return Interval(low, high, left and low is not None, right and high is not None)


# --------------------------------------------------------------------------------------------------------- counterexamples
class Unknown(Exception):
    """An operation that has no value here."""


class Unit:
    """A network of one unit, with numbers for its inputs and parameters; every value is enclosed by two fractions."""

    def __init__(self, model: Model, known: Mapping[str, Interval], draw: Iterator[Fraction]) -> None:
        self.model, self.known, self.draw = model, known, draw
        self.values: dict[tuple[str, int | None], Fraction] = {}
        self.found: dict[tuple[str, int], Ends] = {}

    def variable(self, name: str, t: int) -> Ends:
        """The value of a variable at a step; zero before the first one."""
        if t < 1:
            return Fraction(0), Fraction(0)
        if (name, t) not in self.found:
            self.found[name, t] = self(self.model.definitions[name], t)
        return self.found[name, t]

    def __call__(self, e: Expr, t: int) -> Ends:
        match e.op:
            case "sym":
                return self._leaf(e.attr, t)
            case "num":
                return e.attr, e.attr
            case "ones" | "zeros":
                return Fraction(e.op == "ones"), Fraction(e.op == "ones")
            case "transpose":
                return self(e.args[0], t)
            case "add":
                parts = [self(a, t) for a in e.args]
                return sum((low for low, _ in parts), Fraction(0)), sum((high for _, high in parts), Fraction(0))
            case "matmul" if len(e.args) == 2 and e.args[0].op == "sym" and e.args[1].op == "cat":
                name, stacked = e.args[0].attr.name, e.args[1].args      # one entry of the weight for each part
                rows = [self._product([self._value(f"{name}[1,{k}]", None), self(a, t)]) for k, a in enumerate(stacked, start=1)]
                return sum((low for low, _ in rows), Fraction(0)), sum((high for _, high in rows), Fraction(0))
            case "had" | "smul" | "matmul":
                return self._product([self(a, t) for a in e.args])
            case "apply" if e.attr in RANGES:                         # all of them rise
                system = balls()
                with system.scope():
                    low, high = (system.ends(system.element(e.attr, system.number(x))) for x in self(e.args[0], t))
                return low[0], high[1]
        raise Unknown(e.op)

    def _leaf(self, s: Symbol, t: int) -> Ends:
        if s.time is not None and s.time.base != "t":
            raise Unknown("a fixed step")
        at = None if s.time is None else t + s.time.offset
        own = self.known.get(s.name)
        if own is not None and own.low is not None and own.high is not None:
            return own.low, own.high
        if s.name in self.model.definitions and at is not None:
            return self.variable(s.name, at)
        return self._value(s.name, at)

    def _value(self, name: str, t: int | None) -> Ends:
        """The number that an input or a parameter is tried at."""
        if (name, t) not in self.values:
            self.values[name, t] = next(self.draw)
        return self.values[name, t], self.values[name, t]

    def _product(self, factors: Sequence[Ends]) -> Ends:
        out = (Fraction(1), Fraction(1))
        for ends in factors:
            corners = [x * y for x in out for y in ends]
            out = min(corners), max(corners)
        return out


def outside(model: Model, name: str, claimed: Interval, known: Mapping[str, Interval]) -> Verdict | None:
    """A network of one unit in which a variable has a value outside an interval, if one is found.

    A constant of which nothing is known may be meant to lie where the claim holds, so that nothing is tried for it.
    """
    if any(s.kind == "constant" and s.name not in known for n in made_of(model, [name]) for s in symbols(model.definitions[n])):
        return None
    for T in range(1, LAST_T + 1):
        for n in range(TRIES):
            unit = Unit(model, known, draws(f"{name} {claimed} {T} {n}"))
            try:
                low, high = unit.variable(name, T)
            except Unknown:
                return None
            if claimed.misses(low, high):
                return _refuted(model, name, claimed, unit, T, (low, high))
    return None


def enclosed(low: Fraction, high: Fraction) -> str:
    """A number between two fractions in figures, which hold both.

    >>> enclosed(Fraction(1, 2), Fraction(1, 2)), enclosed(Fraction(1, 3), Fraction(1, 3)), enclosed(Fraction(-1), Fraction(-1, 3))
    ('1/2', '1/3', 'between -1 and -0.333')
    """
    if low == high:
        return str(low)
    if high - low < Fraction(1, 10**14):
        return f"{float((low + high) / 2):.12f} +/- 1e-12"
    thousand = Fraction(1000)
    return f"between {floor(low * thousand) / 1000:g} and {ceil(high * thousand) / 1000:g}"


def draws(seed: str) -> Iterator[Fraction]:
    """Numbers for inputs and parameters, the same for the same seed."""
    random = Random(seed)
    while True:
        yield random.choice(DRAWS)


def _refuted(model: Model, name: str, claimed: Interval, unit: Unit, T: int, ends: Ends) -> Verdict:  # noqa: N803
    shown = {f"{s}[{t}]" if t is not None else s: str(v) for (s, t), v in unit.values.items()}
    left, sizes = enclosed(*ends), dict.fromkeys((n for n in model.sizes if "+" not in n), 1)
    return Verdict("refuted", "SR403", f"{name} at step {T} is {left}, outside {claimed}", METHOD,
                   counterexample={"T": T, "sizes": sizes, "values": shown, "left": left, "right": str(claimed)})
