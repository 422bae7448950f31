"""Linear arithmetic of symbolic sizes: ``p-1`` and one more is ``p``; texts are canonical, so equal sizes are equal texts.

A size is a sum of products of names, each name at least 1. What is no such sum (a size in LaTeX) counts as a name of its own.
"""
from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from symrnn.expr.sizes import Size

_PIECE = re.compile(r"\s*([+-]?)\s*([^\s+-]+)\s*")
_FACTOR = re.compile(r"\d+|\??[^\W\d][\w{}\\'.]*")


@dataclass(frozen=True, order=True)
class Linear:
    """A whole number plus multiples of names (or of products of names), sorted by name, none of them zero."""

    terms: tuple[tuple[str, int], ...] = ()
    constant: int = 0

    @classmethod
    def of(cls, size: Size) -> Linear:
        """The form of a size.

        >>> print(Linear.of("n_x + n_h - 1"), Linear.of("2*n + 3*n"), Linear.of(4))
        n_h+n_x-1 5*n 4
        """
        if isinstance(size, int):
            return cls((), size)
        found: dict[str, int] = {}
        end = 0
        for m in _PIECE.finditer(size):
            factors = [f.strip() for f in m[2].split("*")]
            if m.start() != end or (end and not m[1]) or not all(_FACTOR.fullmatch(f) for f in factors):
                return cls(((size, 1),))
            end = m.end()
            value = -1 if m[1] == "-" else 1
            for f in factors:
                value *= int(f) if f.isdigit() else 1
            name = "*".join(sorted(f for f in factors if not f.isdigit()))
            found[name] = found.get(name, 0) + value
        if end != len(size):
            return cls(((size, 1),))
        return cls.made(found)

    @classmethod
    def made(cls, values: Mapping[str, int]) -> Linear:
        """The form with these multiples; the name '' stands for the number."""
        return cls(tuple(sorted((n, k) for n, k in values.items() if k and n)), values.get("", 0))

    def __add__(self, other: Linear | int) -> Linear:
        b = other if isinstance(other, Linear) else Linear((), other)
        values = dict(self.terms)
        for name, k in b.terms:
            values[name] = values.get(name, 0) + k
        return Linear.made({**values, "": self.constant + b.constant})

    def __neg__(self) -> Linear:
        return Linear(tuple((n, -k) for n, k in self.terms), -self.constant)

    def __sub__(self, other: Linear | int) -> Linear:
        return self + -other

    def __mul__(self, other: Linear) -> Linear:
        """The product, with the products of names as names.

        >>> print(Linear.of("h+1") * Linear.of("d+h"))
        d+d*h+h+h*h
        """
        values: dict[str, int] = {}
        for a, k in (*self.terms, ("", self.constant)):
            for b, m in (*other.terms, ("", other.constant)):
                name = "*".join(sorted(f for x in (a, b) for f in x.split("*") if f))
                values[name] = values.get(name, 0) + k * m
        return Linear.made(values)

    def __str__(self) -> str:
        """The canonical text: names in order, the number last."""
        out = ""
        for name, k in self.terms:
            out += ("-" if k < 0 else "+" if out else "") + (f"{abs(k)}*" if abs(k) != 1 else "") + name
        return out + (f"{self.constant:+d}" if out and self.constant else "" if out else str(self.constant))

    @property
    def size(self) -> Size:
        """The form as a size: a number, or its canonical text."""
        return str(self) if self.terms else self.constant

    @property
    def names(self) -> tuple[str, ...]:
        """The names in it.

        >>> Linear.of("d*h+n-1").names
        ('d', 'h', 'n')
        """
        return tuple(dict.fromkeys(name for product, _ in self.terms for name in product.split("*")))

    @property
    def least(self) -> int | None:
        """The least value over all sizes, each at least 1; None when it is not bounded below.

        >>> Linear.of("p-1").least, Linear.of("1-p").least
        (0, None)
        """
        return None if any(k < 0 for _, k in self.terms) else self.constant + sum(k for _, k in self.terms)

    @property
    def somewhere(self) -> bool:
        """Whether the value is at least 0 for all sizes that are large enough (and for all sizes if nothing is symbolic)."""
        return self.constant >= 0 if not self.terms else all(k > 0 for _, k in self.terms)


def canonical(size: Size) -> Size:
    """The canonical text of a size.

    >>> canonical("n_x + n_h"), canonical("p - 1 + 1"), canonical("3"), canonical(r"\\tfrac{n}{2}")
    ('n_h+n_x', 'p', 3, '\\\\tfrac{n}{2}')
    """
    return Linear.of(size).size


def total_size(*sizes: Size) -> Size:
    """The sum of some sizes.

    >>> total_size("p-1", 1), total_size("n_h", "n_x"), total_size()
    ('p', 'n_h+n_x', 0)
    """
    out = Linear()
    for s in sizes:
        out += Linear.of(s)
    return out.size


def between(first: Size, last: Size) -> Size:
    """How many components there are from the first to the last.

    >>> between(2, "p"), between(1, "p-1"), between(2, 4)
    ('p-1', 'p-1', 3)
    """
    return (Linear.of(last) - Linear.of(first) + 1).size


def replaced(size: Size, values: Mapping[str, Size]) -> Size:
    """A size with some of its names replaced.

    >>> replaced("?h+n_x", {"?h": "n_h"}), replaced("2*n-1", {"n": 3})
    ('n_h+n_x', 5)
    """
    if not isinstance(size, str) or size in values:
        return values[size] if isinstance(size, str) else size
    form = Linear.of(size)
    if not any(name in values for name, _ in form.terms):
        return size
    out = Linear((), form.constant)
    for name, k in form.terms:
        new = Linear.of(values.get(name, name))
        out += Linear(tuple((n, k * c) for n, c in new.terms), k * new.constant)
    return out.size


def value(size: Size, sizes: Mapping[str, int]) -> int:
    """A size as a number. Raises KeyError with the name that has none.

    >>> value("2*n_h+n_x-1", {"n_h": 2, "n_x": 3})
    6
    """
    if not isinstance(size, int) and size in sizes:
        return sizes[size]
    form = Linear.of(size)
    out = form.constant
    for name, k in form.terms:
        product = k
        for factor in [name] if name in sizes else name.split("*"):
            product *= sizes[factor]
        out += product
    return out
