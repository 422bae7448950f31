"""Whole numbers made of letters, as they stand in steps, bounds and exponents: t - k + 1.

>>> from symrnn.read.reader import read
>>> from symrnn.read.symbols import SymbolTable
>>> count(read("t - (k - 2)", SymbolTable()).tree)
((('k', -1), ('t', 1)), 2)
>>> print(tree(((("k", -1), ("t", 1)), 2)))
(Add t (Neg k) 2)
"""
from __future__ import annotations

from fractions import Fraction

from symrnn.read.tree import Node

Count = tuple[tuple[tuple[str, int], ...], int]
"""A sum of letters and a whole number: the multiple of each letter, and the number."""


def count(n: Node) -> Count | None:
    """A tree as a sum of letters and a whole number; None for anything else."""
    match n.op:
        case "Num":
            value = Fraction(n.head)
            return ((), int(value)) if value.denominator == 1 else None
        case "Sym":
            return (((n.head, 1),), 0) if len(n.args) == 1 else None
        case "Neg":
            inner = count(n.nodes[0])
            return None if inner is None else times(inner, -1)
        case "Add":
            out: Count = ((), 0)
            for a in n.nodes:
                c = count(a)
                if c is None:
                    return None
                out = plus(out, c)
            return out
    return None


def plus(a: Count, b: Count) -> Count:
    letters = dict(a[0])
    for x, k in b[0]:
        letters[x] = letters.get(x, 0) + k
    return tuple(sorted((x, k) for x, k in letters.items() if k)), a[1] + b[1]


def times(a: Count, k: int) -> Count:
    return tuple((x, n * k) for x, n in a[0]), a[1] * k


def minus(a: Count, b: Count) -> Count:
    return plus(a, times(b, -1))


def tree(c: Count) -> Node:
    """A count as a tree, what is added first."""
    def part(x: str, k: int) -> Node:
        one = Node("Sym", (x,))
        body = one if abs(k) == 1 else Node("Mul", (Node("Num", (str(abs(k)),)), one))
        return body if k > 0 else Node("Neg", (body,))
    parts = [part(x, k) for x, k in sorted(c[0], key=lambda row: row[1] < 0)]
    if c[1] or not parts:
        number = Node("Num", (str(abs(c[1])),))
        parts.append(number if c[1] >= 0 else Node("Neg", (number,)))
    return parts[0] if len(parts) == 1 else Node("Add", tuple(parts))
