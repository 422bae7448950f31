r"""Real numbers made of norms, spectral radii and eigenvalues of matrices, and what is said of them.

>>> from symrnn.expr import symbol
>>> W = symbol("W", ("n", "n"), "parameter")
>>> print(product(number(2), norm(W), radius(W)))
2 |W| rho(W)
"""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from symrnn.expr import Expr, Time, fix_time


@dataclass(frozen=True)
class Count:
    """A whole number that letters for steps give, such as t - k: the multiple of each letter, and what is added."""

    letters: tuple[tuple[str, int], ...] = ()
    offset: int = 0

    @classmethod
    def of(cls, letters: Mapping[str, int], offset: int) -> Count:
        return cls(tuple(sorted((x, n) for x, n in letters.items() if n)), offset)

    def at(self, env: Mapping[str, int]) -> int:
        return sum(n * env[x] for x, n in self.letters) + self.offset

    def __str__(self) -> str:
        parts = [("" if n == 1 else "-" if n == -1 else str(n)) + x for x, n in self.letters]
        return " + ".join([*parts, *([str(self.offset)] if self.offset or not parts else [])]).replace("+ -", "- ")


def between(first: Time, last: Time) -> Count:
    """How many steps lie from the first to the last one.

    >>> print(between(Time("k", 1), Time("t")))
    -k + t
    """
    letters: dict[str, int] = {}
    for time, sign in ((last, 1), (first, -1)):
        if time.base:
            letters[time.base] = letters.get(time.base, 0) + sign
    return Count.of(letters, last.offset - first.offset + 1)


@dataclass(frozen=True)
class Product:
    """The product of a matrix over steps, those of later steps on the left."""

    letter: str
    first: Time
    last: Time
    body: Expr

    def __str__(self) -> str:
        return f"prod({self.letter}={self.first}..{self.last}, {self.body})"


Matrix = Expr | Product


@dataclass(frozen=True)
class Magnitude:
    """A real number. ``op`` says what ``attr`` and ``args`` are.

    ========= ================================== =======================================
    op        attr                               args
    ========= ================================== =======================================
    number    a fraction                         --
    value     a scalar expression                --
    norm      (kind, matrix); kind "" unnamed    --
    radius    a matrix                           --
    top       a matrix: its largest eigenvalue   --
    abs       --                                 one
    add, mul  --                                 two or more
    power     the exponent, a Count              one
    prod      (letter, first step, last step)    one
    ========= ================================== =======================================
    """

    op: str
    args: tuple[Magnitude, ...] = ()
    attr: Any = None

    def __str__(self) -> str:
        match self.op:
            case "number" | "value":
                return str(self.attr)
            case "norm":
                kind, matrix = self.attr
                return f"|{matrix}|" + (f"_{kind}" if kind else "")
            case "radius" | "top":
                return f"{'rho' if self.op == 'radius' else 'lambda_max'}({self.attr})"
            case "abs":
                return f"|{self.args[0]}|"
            case "power":
                return f"({self.args[0]})^({self.attr})"
            case "prod":
                letter, first, last = self.attr
                return f"prod({letter}={first}..{last}, {self.args[0]})"
        return (" + " if self.op == "add" else " ").join(map(str, self.args))


def number(value: Fraction | int) -> Magnitude:
    return Magnitude("number", attr=Fraction(value))


def norm(matrix: Matrix, kind: str = "") -> Magnitude:
    return Magnitude("norm", attr=(kind, matrix))


def radius(matrix: Matrix) -> Magnitude:
    return Magnitude("radius", attr=matrix)


def product(*factors: Magnitude) -> Magnitude:
    return factors[0] if len(factors) == 1 else Magnitude("mul", factors)


def walk(m: Magnitude) -> Iterator[Magnitude]:
    """A magnitude and everything in it."""
    yield m
    for a in m.args:
        yield from walk(a)


def matrices(m: Magnitude) -> Iterator[Matrix]:
    """The matrices that a magnitude speaks of."""
    for x in walk(m):
        if x.op == "norm":
            yield x.attr[1]
        elif x.op in ("radius", "top", "value"):
            yield x.attr


def expressions(m: Magnitude) -> Iterator[Expr]:
    """The expressions in a magnitude."""
    yield from (x.body if isinstance(x, Product) else x for x in matrices(m))


def letters(m: Magnitude) -> set[str]:
    """The letters for steps that bounds and exponents in it have."""
    out: set[str] = set()
    for x in walk(m):
        if isinstance(x.attr, Count):
            out |= {name for name, _ in x.attr.letters}
        elif x.op == "prod":
            out |= {time.base for time in x.attr[1:] if time.base}
    for p in matrices(m):
        if isinstance(p, Product):
            out |= {time.base for time in (p.first, p.last) if time.base}
    return out


def moved(m: Magnitude, letter: str, time: Time) -> Magnitude:
    """A magnitude at the step that stands for a letter."""
    def at(x: Matrix) -> Matrix:
        return replace(x, body=fix_time(x.body, letter, time)) if isinstance(x, Product) else fix_time(x, letter, time)
    attr = m.attr
    if m.op == "norm":
        attr = attr[0], at(attr[1])
    elif m.op in ("radius", "top", "value"):
        attr = at(attr)
    return Magnitude(m.op, tuple(moved(a, letter, time) for a in m.args), attr)


@dataclass(frozen=True)
class Said:
    """``left relation right``; the relation is one of ``= < <= > >=``."""

    left: Magnitude
    relation: str
    right: Magnitude

    def __str__(self) -> str:
        return f"{self.left} {self.relation} {self.right}"

    def upward(self) -> Said:
        """The same with the larger side on the right."""
        turned = {">": "<", ">=": "<="}
        return Said(self.right, turned[self.relation], self.left) if self.relation in turned else self


@dataclass(frozen=True)
class Tends:
    """A magnitude that goes to ``0`` or to infinity (``oo``) as the number of steps grows."""

    value: Magnitude
    to: str

    def __str__(self) -> str:
        return f"{self.value} -> {self.to}"
