"""Points at which an inequality between norms fails, or matrices for which a limit is another one.

>>> from symrnn.expr import symbol
>>> from symrnn.magnitudes.tree import Magnitude, Said, number, radius
>>> A = symbol("A", ("n", "n"), "parameter")
>>> found = counterexample(Said(radius(A), "=", Magnitude("top", attr=A)), (), Model("m", ()))
>>> found.values, found.left, found.right
({'A': '-1'}, '1', '-1')
"""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from symrnn.expr import Expr, lift, symbols
from symrnn.expr import walk as walk_expression
from symrnn.magnitudes.enclosed import KINDS, ZERO, Enclosed, Ends, Rows, certainly, never
from symrnn.magnitudes.tree import Count, Magnitude, Product, Said, expressions, letters, walk
from symrnn.model import Model
from symrnn.prove.bounds import enclosed
from symrnn.prove.claim import Claim, Condition, Missing, Unsupported
from symrnn.prove.evaluate import Draw, Point
from symrnn.prove.grid import Free, complete_sizes, free_sizes, names_in
from symrnn.prove.numbers import BadPoint, Number
from symrnn.prove.reals import Balls, Floats, Reals, balls

HALF = Fraction(1, 2)
ENTRIES: tuple[Number, ...] = (0, 1, -1, 2, -2, HALF, 4, -4, 8)
SQUARE: tuple[list[list[Number]], ...] = (
    [[0, 2], [0, 0]], [[HALF, 10], [0, HALF]], [[1, 0], [0, 1]], [[-1, 0], [0, -1]], [[0, -1], [1, 0]], [[2, 0], [0, HALF]],
    [[HALF, 0], [0, HALF]], [[1, 1], [0, 1]], [[2, 0], [0, 2]])
"""Matrices of which norm, radius and eigenvalues tell different things."""
LAST_T, TRIES = 3, 60


@dataclass(frozen=True)
class Found:
    """Where a relation fails: the sizes, the steps, the values, and both sides."""

    T: int
    sizes: dict[str, int]
    values: dict[str, str]
    left: str
    right: str

    def to_json(self) -> dict[str, Any]:
        timed = any("[" in name for name in self.values)
        return {"T": self.T if timed else None, "sizes": self.sizes, "values": self.values, "left": self.left, "right": self.right}


def counterexample(said: Said, premises: Sequence[Said], model: Model, conditions: tuple[Condition, ...] = ()) -> Found | None:
    """A point at which every premise holds and the relation fails, whatever an unnamed norm is; None where none is found."""
    for T, sizes, point in _points((said, *premises), model, conditions):
        for env in _steps((said, *premises), T):
            try:
                sides = [_sides(said, premises, point, T, env, kind) for kind in _kinds((said, *premises))]
            except (BadPoint, Missing, Unsupported):
                continue
            if all(s is not None for s in sides) and sides[0] is not None:
                left, right = sides[0]
                return Found(T, sizes, point.shown(), enclosed(*left), enclosed(*right))
    return None


def _sides(said: Said, premises: Sequence[Said], point: Values, T: int, env: Mapping[str, int], kind: str) -> tuple[Ends, Ends] | None:
    """Both sides where the premises hold and the relation fails, for certain; floats are asked first."""
    for system in (point.floats, point.balls):
        value = Enclosed(system, T, kind)
        if not all(certainly(value(p.left, env), p.relation, value(p.right, env)) for p in premises):
            return None
        left, right = value(said.left, env), value(said.right, env)
        if not never(left, said.relation, right):
            return None
    return left, right


def _kinds(said: Sequence[Said]) -> tuple[str, ...]:
    """The norms that the unnamed ones may be; the first two where a norm has a 2."""
    printed = {m.attr[0] for s in said for side in (s.left, s.right) for m in walk(side) if m.op == "norm"}
    return KINDS if "" in printed else KINDS[:2] if "2" in printed else KINDS[:1]


class Values:
    """The free symbols at one point, seen by floats and by enclosures."""

    def __init__(self, model: Model, sizes: Mapping[str, int], T: int, draw: Draw, conditions: tuple[Condition, ...]) -> None:
        self.drawn: dict[tuple[str, int | None], list[list[Number]]] = {}
        self.draw = draw

        def kept(name: str, step: int | None, shape: tuple[int, int], simplex: bool) -> list[list[Number]]:
            if (name, step) not in self.drawn:
                self.drawn[name, step] = draw(name, step, shape, simplex)
            return self.drawn[name, step]
        def made(system: Reals) -> Point:
            return Point(model, system, sizes, T, kept, conditions, Free())
        self._points: dict[type, tuple[Reals, Point]] = {}
        self._make = made

    def floats(self, e: Expr, env: Mapping[str, int]) -> Rows:
        return self._rows(Floats, lambda x: (Fraction(float(x)),) * 2, e, env)

    def balls(self, e: Expr, env: Mapping[str, int]) -> Rows:
        system = self._system(Balls)[0]
        assert isinstance(system, Balls)
        return self._rows(Balls, system.ends, e, env)

    def _system(self, kind: type) -> tuple[Reals, Point]:
        if kind not in self._points:
            system: Reals = Floats(strict=True) if kind is Floats else balls()
            self._points[kind] = system, self._make(system)
        return self._points[kind]

    def _rows(self, kind: type, ends: Any, e: Expr, env: Mapping[str, int]) -> Rows:
        system, point = self._system(kind)
        with system.scope():
            array = point.value(e, env)
            return [[ends(x) for x in row] for row in array]

    def shown(self) -> dict[str, str]:
        """The values by their names, as a counterexample shows them."""
        out = {}
        for (name, step), rows in sorted(self.drawn.items(), key=lambda kv: (kv[0][1] is not None, kv[0][0], kv[0][1] or 0)):
            flat = [[str(x) for x in row] for row in rows]
            text = flat[0][0] if len(flat) == len(flat[0]) == 1 else "[" + ", ".join(
                row[0] if len(row) == 1 else "[" + ", ".join(row) + "]" for row in flat) + "]"
            out[name if step is None else f"{name}[{step}]"] = text
        return out


def _points(said: Sequence[Said], model: Model, conditions: tuple[Condition, ...]) -> Iterator[tuple[int, dict[str, int], Values]]:
    """Points in order: least sizes, least T; numbers, then matrices of two rows."""
    sides = [e for s in said for side in (s.left, s.right) for e in expressions(side)] or [lift(0)]
    claims = [Claim(e, e, model) for e in sides]
    names = tuple(dict.fromkeys(n for c in claims for n in free_sizes(c)))
    timed = any(s.time is not None for e in sides for s in symbols(e)) or any(letters(side) for s in said for side in (s.left, s.right))
    for n in (1, 2):
        sizes = dict.fromkeys(names, n)
        for c in claims:
            sizes |= complete_sizes(c, sizes)
        for T in range(1, LAST_T + 1) if timed else (1,):
            for number in range(TRIES):
                yield T, dict.fromkeys(names, n), Values(model, sizes, T, _draw(number), conditions)


def _draw(number: int) -> Draw:
    random = Random(number)

    def draw(name: str, step: int | None, shape: tuple[int, int], simplex: bool) -> list[list[Number]]:
        if simplex:
            return [[1 if i == 0 else 0] for i in range(shape[0])]
        if shape == (2, 2) and step is None:
            return random.choice(SQUARE)
        pool = ENTRIES if number % 3 else ENTRIES[:3]
        return [[random.choice(pool) for _ in range(shape[1])] for _ in range(shape[0])]
    return draw


def _steps(said: Sequence[Said], T: int) -> Iterator[dict[str, int]]:
    """Steps for the letters that are free."""
    bound = {x for s in said for side in (s.left, s.right) for m in walk(side) for x in _bound_by(m)}
    free = {x for s in said for side in (s.left, s.right) for x in letters(side)}
    free |= {x for s in said for side in (s.left, s.right) for e in expressions(side) for x in Free().letters(e)}
    names = sorted(free - bound - {"T", ""})
    for values in product(range(1, T + 1), repeat=len(names)):
        env = dict(zip(names, values, strict=True))
        if all(_in_order(m, {**env, "T": T}) for s in said for side in (s.left, s.right) for m in walk(side)):
            yield env


def _in_order(m: Magnitude, env: Mapping[str, int]) -> bool:
    """Whether an exponent is not negative, and no derivative is taken by a later step than its own."""
    if isinstance(m.attr, Count):
        return m.attr.at(env) >= 0
    for e in (x for top in expressions(replace(m, args=())) for x in walk_expression(top) if x.op == "deriv"):
        ends = [{env.get(s.time.base, 0) + s.time.offset for s in symbols(a) if s.time is not None} for a in e.args]
        if all(ends) and max(ends[0]) < min(ends[1]):
            return False
    return True


def _bound_by(m: Magnitude) -> Iterator[str]:
    """The letters that a product binds."""
    matrix = m.attr[1] if m.op == "norm" else m.attr
    if isinstance(matrix, Product):
        yield matrix.letter
    elif m.op == "prod":
        yield m.attr[0]


# ------------------------------------------------------------------------------------------------------------------- limits
def candidates(magnitudes: Sequence[Magnitude], model: Model) -> Iterator[tuple[dict[str, int], Values]]:
    """Points for what does not change with the steps: numbers, then matrices of two rows."""
    names = dict.fromkeys(n for m in magnitudes for e in expressions(m) for s in symbols(e) for size in s.shape for n in names_in(size))
    for n in (1, 2):
        for number in range(TRIES):
            sizes = dict.fromkeys(names, n)
            yield sizes, Values(model, sizes, 1, _draw(number), ())


def rests(model: Model, state: str) -> bool:
    """Whether the argument of a state's function is zero where everything else is: its value is the one at zero.

    >>> from symrnn.expr import apply
    >>> from symrnn.model import param, sequence
    >>> h, x = sequence("h", "n"), sequence("x", "n", kind="input")
    >>> [rests(Model.build("m", [(h, apply("tanh", param("W", "n", "n") @ h[-1] + c))]), "h") for c in (x, x + 1)]
    [True, False]
    """
    argument = next((x.args[0] for x in walk_expression(model.definitions[state]) if x.op == "apply"), None)
    if argument is None:
        return False
    sizes = {n: 1 for c in (Claim(argument, argument, model),) for n in free_sizes(c)}
    try:
        sizes = complete_sizes(Claim(argument, argument, model), sizes)
        point = Values(model, sizes, 1, lambda name, step, shape, simplex: [[0] * shape[1] for _ in range(shape[0])], ())
        return point.balls(argument, {"t": 1})[0][0] == ZERO
    except (BadPoint, Missing, Unsupported):
        return False


def text_of(ends: Ends) -> str:
    """A number between two fractions, in figures."""
    return enclosed(*ends)
