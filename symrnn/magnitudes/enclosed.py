"""The value of a magnitude at a point, between two fractions.

Norms of matrices are enclosed where a formula gives them: with one row or column, or two rows or columns.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import isqrt

from symrnn.expr import Expr, Time
from symrnn.magnitudes.tree import Count, Magnitude, Matrix
from symrnn.prove.claim import Unsupported

Ends = tuple[Fraction, Fraction]
Rows = list[list[Ends]]
Value = Callable[[Expr, Mapping[str, int]], Rows]
"""The entries of an expression at steps, each between two fractions."""
SCALE = 10**60
"""Roots are taken to this many parts of one."""
ZERO, ONE = (Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))
KINDS = ("2", "F", "1", "infty")
"""The norms that an unnamed one may be; one with a 2 may be the first or the second, which takes the entries for those of a vector."""


def plus(a: Ends, b: Ends) -> Ends:
    return a[0] + b[0], a[1] + b[1]


def minus(a: Ends) -> Ends:
    return -a[1], -a[0]


def times(a: Ends, b: Ends) -> Ends:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def square(a: Ends) -> Ends:
    """The square of a number, never negative."""
    low, high = sorted((a[0] ** 2, a[1] ** 2))
    return (Fraction(0) if a[0] < 0 < a[1] else low), high


def size(a: Ends) -> Ends:
    """The absolute value."""
    low, high = sorted(map(abs, a))
    return (Fraction(0) if a[0] < 0 < a[1] else low), high


def root(a: Ends) -> Ends:
    """The square root of a number that is not negative.

    >>> root((Fraction(4), Fraction(4)))
    (Fraction(2, 1), Fraction(2, 1))
    """
    low, high = (max(x, Fraction(0)) for x in a)
    down, up = isqrt(int(low * SCALE**2)), isqrt(int(high * SCALE**2))
    exact = Fraction(up, SCALE) ** 2 == high
    return Fraction(down, SCALE), Fraction(up if exact else up + 1, SCALE)


def total(parts: Iterable[Ends]) -> Ends:
    out = ZERO
    for p in parts:
        out = plus(out, p)
    return out


def largest(parts: Iterable[Ends]) -> Ends:
    """The largest of some numbers."""
    ends = list(parts)
    return max(a for a, _ in ends), max(b for _, b in ends)


def matmul(a: Rows, b: Rows) -> Rows:
    return [[total(times(x, row[j]) for x, row in zip(line, b, strict=True)) for j in range(len(b[0]))] for line in a]


def turned(a: Rows) -> Rows:
    return [list(column) for column in zip(*a, strict=True)]


def matrix_norm(a: Rows, kind: str) -> Ends:
    """The norm of a matrix, or of a column.

    >>> rows = [[(Fraction(n), Fraction(n)) for n in line] for line in ((3, 0), (4, 5))]
    >>> [f"{float(matrix_norm(rows, kind)[0]):.4f}" for kind in ("F", "1", "infty", "2")]
    ['7.0711', '7.0000', '9.0000', '6.7082']
    """
    if kind == "1":
        return largest(total(map(size, column)) for column in turned(a))
    if kind == "infty":
        return largest(total(map(size, line)) for line in a)
    whole = total(square(x) for line in a for x in line)
    if kind == "F" or 1 in (len(a), len(a[0])):
        return root(whole)
    small = a if len(a) == 2 else turned(a)
    if kind != "2" or len(small) != 2:
        raise Unsupported("the norm of a matrix with more than two rows and columns")
    gram = matmul(small, turned(small))                               # its larger eigenvalue is the square of the norm
    return root(_eigenvalues(gram)[1])


def _eigenvalues(a: Rows) -> tuple[Ends, Ends]:
    """The smaller and the larger eigenvalue of a matrix of two rows that has real ones."""
    half = times(plus(a[0][0], a[1][1]), (Fraction(1, 2), Fraction(1, 2)))
    apart = _discriminant(a)
    if apart[1] < 0:
        raise Unsupported("eigenvalues that are not real")
    r = root(apart)
    return plus(half, minus(r)), plus(half, r)


def _discriminant(a: Rows) -> Ends:
    """A quarter of the square of the difference of the eigenvalues."""
    half = times(plus(a[0][0], minus(a[1][1])), (Fraction(1, 2), Fraction(1, 2)))
    return plus(square(half), times(a[0][1], a[1][0]))


def spectral_radius(a: Rows) -> Ends:
    """The largest modulus of an eigenvalue of a square matrix."""
    if len(a) == 1:
        return size(a[0][0])
    if len(a) != 2 or len(a[0]) != 2:
        raise Unsupported("the eigenvalues of a matrix with more than two rows")
    apart = _discriminant(a)
    if apart[1] < 0:
        return root(plus(times(a[0][0], a[1][1]), minus(times(a[0][1], a[1][0]))))
    if apart[0] < 0:
        raise Unsupported("eigenvalues that may be equal")
    return largest(map(size, _eigenvalues(a)))


class Enclosed:
    """Values of magnitudes at one point; ``kind`` is what a norm without a name is."""

    def __init__(self, value: Value, last: int, kind: str) -> None:
        self.value, self.last, self.kind = value, last, kind

    def __call__(self, m: Magnitude, env: Mapping[str, int]) -> Ends:
        match m.op:
            case "number":
                return Fraction(m.attr), Fraction(m.attr)
            case "value":
                return self.value(m.attr, env)[0][0]
            case "norm":
                kind, matrix = m.attr
                rows = self.matrix(matrix, env)
                own = kind or self.kind
                own = "F" if kind == "2" and self.kind == "F" else own
                return matrix_norm(rows, "2" if own == "F" and 1 in (len(rows), len(rows[0])) else own)
            case "radius":
                return spectral_radius(self.matrix(m.attr, env))
            case "top":
                rows = self.matrix(m.attr, env)
                return rows[0][0] if len(rows) == 1 else _eigenvalues(rows)[1]
            case "abs":
                return size(self(m.args[0], env))
            case "power":
                assert isinstance(m.attr, Count)
                return self.power(self(m.args[0], env), m.attr.at({**env, "T": self.last}))
            case "prod":
                letter, *ends = m.attr
                first, last = (self.step(time, env) for time in ends)
                parts = [self(m.args[0], {**env, letter: s}) for s in range(first, last + 1)]
            case _:
                parts = [self(a, env) for a in m.args]
        if m.op == "add":
            return total(parts)
        out = ONE
        for p in parts:
            out = times(out, p)
        return out

    def power(self, base: Ends, exponent: int) -> Ends:
        out = ONE
        for _ in range(abs(exponent)):
            out = times(out, base)
        if exponent >= 0:
            return out
        if out[0] <= 0 <= out[1]:
            raise Unsupported("a division by zero")
        return 1 / out[1], 1 / out[0]

    def matrix(self, m: Matrix, env: Mapping[str, int]) -> Rows:
        """The entries of a matrix, or of a product over steps."""
        if isinstance(m, Expr):
            return self.value(m, env)
        first, last = (self.step(time, env) for time in (m.first, m.last))
        if last < first:
            raise Unsupported("an empty product")
        out = self.value(m.body, {**env, m.letter: first})
        for s in range(first + 1, last + 1):
            out = matmul(self.value(m.body, {**env, m.letter: s}), out)
        return out

    def step(self, time: Time, env: Mapping[str, int]) -> int:
        base = {"": 0, "T": self.last}.get(time.base, env.get(time.base))
        if base is None:
            raise Unsupported(f"the letter {time.base} has no range")
        return base + time.offset


def certainly(left: Ends, relation: str, right: Ends) -> bool:
    """Whether a relation holds for all numbers between the ends."""
    match relation:
        case "<":
            return left[1] < right[0]
        case "<=":
            return left[1] <= right[0]
        case ">":
            return left[0] > right[1]
        case ">=":
            return left[0] >= right[1]
    return left == right and left[0] == left[1]


def never(left: Ends, relation: str, right: Ends) -> bool:
    """Whether a relation fails for all numbers between the ends."""
    opposite = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
    if relation == "=":
        return left[1] < right[0] or right[1] < left[0]
    return certainly(left, opposite[relation], right)
