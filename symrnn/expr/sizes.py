"""Sizes and time indices: the two kinds of index that stay symbolic everywhere."""
from __future__ import annotations

from dataclasses import dataclass

#: A size is a name (``"n_h"``) or a positive number; a shape is (rows, columns); a column is ``(n, 1)``, a scalar ``(1, 1)``.
Size = str | int
Shape = tuple[Size, Size]
SCALAR: Shape = (1, 1)


@dataclass(frozen=True, order=True)
class Time:
    """A time index ``base + offset``; base ``""`` is the absolute axis, ``"t"`` a generic step, ``"T"`` the last step.

    >>> str(Time("t", -1)), str(Time("", 0)), str(Time("T", 1))
    ('t-1', '0', 'T+1')
    """

    base: str = "t"
    offset: int = 0

    def __add__(self, k: int) -> Time:
        return Time(self.base, self.offset + k)

    def __sub__(self, k: int) -> Time:
        return Time(self.base, self.offset - k)

    def __str__(self) -> str:
        if not self.base:
            return str(self.offset)
        return self.base + (f"{self.offset:+d}" if self.offset else "")


@dataclass(frozen=True, order=True)
class Index:
    """A component index: a variable with the size it runs over (``i`` over ``n_h``), counted from 1."""

    name: str
    size: Size

    def __str__(self) -> str:
        return self.name


NOW = Time("t", 0)
FIRST, LAST = Time("", 1), Time("T", 0)
"""The first and the last step."""


def axes(shape: Shape) -> tuple[str, ...]:
    """The axes of a shape that are not 1: ``"r"`` for rows, ``"c"`` for columns.

    >>> axes(("n", 1)), axes(("n", "m")), axes((1, "n")), axes((1, 1))
    (('r',), ('r', 'c'), ('c',), ())
    """
    return tuple(name for name, size in zip("rc", shape, strict=True) if size != 1)
