"""Points at which formulas are compared: small rationals that follow from a text, so that they are the same on every run.

Every number is a multiple of 1/64 and so exact in binary floating point.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from itertools import product

import sympy

from symrnn.components import Components
from symrnn.expr import Expr, Index, own_steps

DENOMINATOR = 64


def stream(text: str) -> Iterator[int]:
    """Numbers of 16 bits derived from a text by SHA-256."""
    for block in range(2**32):
        digest = sha256(f"{block}:{text}".encode()).digest()
        yield from (int.from_bytes(digest[k:k + 2], "big") for k in range(0, 32, 2))


def point(components: Components, text: str) -> dict[sympy.Symbol, Fraction]:
    """A value for every leaf: within (-1, 1); targets within (0, 1), those that sum to one with a positive rest for the last.

    >>> from symrnn.model import Model, param, scalar
    >>> w, x, h = param("w"), scalar("x", "input"), scalar("h")
    >>> c = Components(Model.build("sum", [(h, w * h[-1] + x)]), {}, 1)
    >>> {str(k): str(v) for k, v in point(c, "an example").items()}
    {'w_1': '31/32', 'x_1_1': '31/64', 'h_0_1': '3/4'}
    """
    numbers = stream(text)
    out: dict[sympy.Symbol, Fraction] = {}
    for s in components.leaves:
        owner = components.meaning[s].symbol
        if owner.kind == "target":
            many = components.shape(owner.shape)[0] * components.shape(owner.shape)[1]
            top = max((DENOMINATOR - 1) // many, 1) if owner.name in components.simplex else DENOMINATOR - 1
            out[s] = Fraction(1 + next(numbers) % top, DENOMINATOR)
        else:
            k = 1 + next(numbers) % (DENOMINATOR - 1)
            out[s] = Fraction(k if next(numbers) % 2 else -k, DENOMINATOR)
    return out


# ---------------------------------------------------------------------------------------------------- what a relation leaves free
@dataclass(frozen=True)
class Letters:
    """The time letters and component indices that are free in an expression."""

    times: tuple[str, ...]
    indices: tuple[Index, ...]

    def choices(self, components: Components, last: int) -> Iterator[tuple[dict[str, int], dict[str, int]]]:
        """Every way to give them numbers: steps 1..last, indices 1..their size."""
        ranges = [range(1, components.size(i.size) + 1) for i in self.indices]
        for steps in product(range(1, last + 1), repeat=len(self.times)):
            for numbers in product(*ranges):
                yield (dict(zip(self.times, steps, strict=True)),
                       {i.name: n for i, n in zip(self.indices, numbers, strict=True)})


def free_letters(*expressions: Expr) -> Letters:
    """The letters that some of the expressions leave free, sorted.

    >>> from symrnn.expr import Time, entry, index_sum, symbol, time_sum
    >>> i, h = Index("i", "n"), symbol("h", ("n", 1), time=Time("t", 0))
    >>> free_letters(entry(h, i)), free_letters(time_sum("t", Time("", 1), Time("T", 0), index_sum(i, entry(h, i))))
    (Letters(times=('t',), indices=(Index(name='i', size='n'),)), Letters(times=(), indices=()))
    """
    times: set[str] = set()
    indices: set[Index] = set()
    done: set[tuple[Expr, frozenset[str], frozenset[str]]] = set()
    stack = [(e, frozenset({"", "T"}), frozenset[str]()) for e in expressions]
    while stack:
        item = stack.pop()
        if item in done:
            continue
        done.add(item)
        e, bound, summed = item
        attr = e.attr
        times |= {time.base for time in own_steps(e)} - bound
        if e.op in ("entry", "delta"):
            indices |= {i for i in attr if isinstance(i, Index) and i.name not in summed}
        elif e.op == "isum":
            summed = summed | {attr.name}
        elif e.op == "tsum":
            times |= {end.base for end in attr[1:]} - bound
            bound = bound | {attr[0]}
        stack.extend((a, bound, summed) for a in e.args)
    return Letters(tuple(sorted(times)), tuple(sorted(indices, key=lambda i: (i.name, str(i.size)))))
