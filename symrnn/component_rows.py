"""The component form, row by row: how each operation of the core makes the entries of its value from those of its arguments."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import sympy

from symrnn.expr import Expr, Index, Shape, Size, Symbol, Time, inverse_at, repeated
from symrnn.scalars import opaque, scalar_function

Grid = tuple[tuple[sympy.Expr, ...], ...]
"""The entries of a matrix, row by row."""


class NotComponents(Exception):
    """A construct that has no component form here; the message names it."""


class NoSuchStep(Exception):
    """An expression speaks of a symbol at a step where it does not exist; the message says which."""


@dataclass(frozen=True)
class Where:
    """The numbers that stand for the free letters of an expression."""

    times: tuple[tuple[str, int], ...] = ()
    indices: tuple[tuple[str, int], ...] = ()

    def with_time(self, letter: str, value: int) -> Where:
        return Where((*((k, v) for k, v in self.times if k != letter), (letter, value)), self.indices)

    def with_index(self, name: str, value: int) -> Where:
        return Where(self.times, (*((k, v) for k, v in self.indices if k != name), (name, value)))


class Source(Protocol):
    """What a row asks for: the entries of its arguments, and numbers for sizes, steps and indices."""

    def lower(self, e: Expr, where: Where) -> Grid: ...
    def size(self, n: Size) -> int: ...
    def step(self, time: Time, where: Where) -> int: ...
    def place(self, i: Index | int | None, where: Where) -> int: ...
    def filled(self, shape: Shape, value: sympy.Expr) -> Grid: ...
    def symbol(self, s: Symbol, where: Where) -> Grid: ...
    def derivative(self, e: Expr, where: Where) -> Grid: ...


def flat(grid: Grid) -> list[sympy.Expr]:
    return [x for line in grid for x in line]


def each(grid: Grid, change: Callable[[sympy.Expr], sympy.Expr]) -> Grid:
    return tuple(tuple(change(x) for x in line) for line in grid)


def as_sympy(grid: Grid) -> Any:
    return grid[0][0] if len(grid) == len(grid[0]) == 1 else sympy.ImmutableMatrix(grid)


def put(e: sympy.Expr, values: Mapping[sympy.Symbol, sympy.Expr]) -> sympy.Expr:
    used = {s: values[s] for s in e.free_symbols if s in values}
    return e.xreplace(used) if used else e


def _join(first: Grid, *others: Grid, by: Callable[..., sympy.Expr]) -> Grid:
    return tuple(tuple(by(*cells) for cells in zip(*lines, strict=True)) for lines in zip(first, *others, strict=True))


def _product(a: Grid, b: Grid) -> Grid:
    columns = tuple(zip(*b, strict=True))
    return tuple(tuple(sympy.Add(*(x * y for x, y in zip(line, column, strict=True))) for column in columns) for line in a)


def _softmax(grid: Grid) -> Grid:
    powers = [sympy.exp(x) for x in flat(grid)]
    return tuple((p / sympy.Add(*powers),) for p in powers)


def _sum_over(c: Source, e: Expr, wheres: Iterable[Where]) -> Grid:
    parts = [c.lower(e.args[0], w) for w in wheres]
    assert e.shape is not None
    return _join(*parts, by=sympy.Add) if parts else c.filled(e.shape, sympy.S.Zero)


def _time_sum(c: Source, e: Expr, w: Where) -> Grid:
    letter, first, last = e.attr
    return _sum_over(c, e, [w.with_time(letter, t) for t in range(c.step(first, w), c.step(last, w) + 1)])


def _matrix_power(c: Source, e: Expr, w: Where) -> Grid:
    last, first = (c.step(time, w) for time in e.attr)
    if last < first:
        raise NoSuchStep(f"{e} has the exponent {last - first}")
    return c.lower(repeated(e.args[0], last - first), w)


def _inverse(c: Source, e: Expr, w: Where) -> Grid:
    assert e.shape is not None
    return c.lower(inverse_at(e.args[0], c.size(e.shape[0])), w)


def _delta(c: Source, e: Expr, w: Where) -> Grid:
    i, j = (c.place(x, w) for x in e.attr)
    return ((sympy.Integer(int(i == j)),),)


def _eye(c: Source, e: Expr, w: Where) -> Grid:
    n = c.size(e.attr)
    return tuple(tuple(sympy.Integer(int(i == j)) for j in range(n)) for i in range(n))


def _diag(c: Source, e: Expr, w: Where) -> Grid:
    column = flat(c.lower(e.args[0], w))
    return tuple(tuple(x if i == j else sympy.S.Zero for j in range(len(column))) for i, x in enumerate(column))


def _entry(c: Source, e: Expr, w: Where) -> Grid:
    grid = c.lower(e.args[0], w)
    i, j = (c.place(x, w) for x in e.attr)
    if not (1 <= i <= len(grid) and 1 <= j <= len(grid[0])):
        raise NotComponents(f"the component ({i}, {j}) of a {len(grid)} x {len(grid[0])} expression")
    return ((grid[i - 1][j - 1],),)


def _cat(c: Source, e: Expr, w: Where) -> Grid:
    return tuple(line for a in e.args for line in c.lower(a, w))


def _slice(c: Source, e: Expr, w: Where) -> Grid:
    first, last = (c.size(n) for n in e.attr[:2])
    return c.lower(e.args[0], w)[first - 1:last]


def _window(c: Source, e: Expr, w: Where) -> Grid:
    s: Symbol = e.args[0].attr
    assert s.time is not None
    last = c.step(s.time, w)
    steps = range(last - c.size(e.attr) + 1, last + 1)
    return tuple(c.symbol(Symbol(s.name, s.shape, s.kind, Time("", n)), w)[0] for n in steps)


def _call(c: Source, e: Expr, w: Where) -> Grid:
    label, shape = e.attr[:2]
    arguments = [x for a in e.args for x in flat(c.lower(a, w))]
    return tuple((opaque(f"{label}_{i}", (0,) * len(arguments))(*arguments),) for i in range(1, c.size(shape[0]) + 1))


def _jacobian(c: Source, e: Expr, w: Where) -> Grid:
    label, shape, k = e.attr
    parts = [flat(c.lower(a, w)) for a in e.args]
    arguments = [x for part in parts for x in part]
    start = sum(len(part) for part in parts[:k])
    def cell(i: int, j: int) -> sympy.Expr:
        return opaque(f"{label}_{i}", tuple(int(n == start + j) for n in range(len(arguments))))(*arguments)
    by = e.args[k].shape
    if by is not None and by[1] != 1:                                 # of a number by a matrix: laid out as the matrix, transposed
        wide = c.size(by[1])
        return tuple(tuple(cell(1, i * wide + j) for i in range(c.size(by[0]))) for j in range(wide))
    return tuple(tuple(cell(i, j) for j in range(len(parts[k]))) for i in range(1, c.size(shape[0]) + 1))


def _scaled(c: Source, e: Expr, w: Where) -> Grid:
    factor = c.lower(e.args[0], w)[0][0]
    return each(c.lower(e.args[1], w), lambda x: factor * x)


def _rational(c: Source, e: Expr, w: Where) -> Grid:
    return ((sympy.Rational(e.attr.numerator, e.attr.denominator),),)


def _index_sum(c: Source, e: Expr, w: Where) -> Grid:
    return _sum_over(c, e, [w.with_index(e.attr.name, i) for i in range(1, c.size(e.attr.size) + 1)])


LOWER: dict[str, Callable[[Source, Expr, Where], Grid]] = {
    "sym": lambda c, e, w: c.symbol(e.attr, w),
    "num": _rational,
    "size": lambda c, e, w: ((sympy.Integer(c.size(e.attr)),),),
    "steps": lambda c, e, w: ((sympy.Integer(c.step(Time("T"), w)),),),
    "ones": lambda c, e, w: c.filled(e.attr, sympy.S.One),
    "zeros": lambda c, e, w: c.filled(e.attr, sympy.S.Zero),
    "eye": _eye,
    "delta": _delta,
    "add": lambda c, e, w: _join(*(c.lower(a, w) for a in e.args), by=sympy.Add),
    "smul": _scaled,
    "matmul": lambda c, e, w: _product(c.lower(e.args[0], w), c.lower(e.args[1], w)),
    "had": lambda c, e, w: _join(*(c.lower(a, w) for a in e.args), by=sympy.Mul),
    "transpose": lambda c, e, w: tuple(zip(*c.lower(e.args[0], w), strict=True)),
    "pow": lambda c, e, w: each(c.lower(e.args[0], w), lambda x: x**e.attr),
    "mpow": _matrix_power,
    "inv": _inverse,
    "apply": lambda c, e, w: each(c.lower(e.args[0], w), scalar_function(e.attr)),
    "softmax": lambda c, e, w: _softmax(c.lower(e.args[0], w)),
    "lse": lambda c, e, w: ((sympy.log(sympy.Add(*map(sympy.exp, flat(c.lower(e.args[0], w))))),),),
    "sum": lambda c, e, w: ((sympy.Add(*flat(c.lower(e.args[0], w))),),),
    "diag": _diag,
    "entry": _entry,
    "isum": _index_sum,
    "tsum": _time_sum,
    "cat": _cat,
    "slice": _slice,
    "window": _window,
    "deriv": lambda c, e, w: c.derivative(e, w),
    "vcall": _call,
    "vjac": _jacobian,
}
