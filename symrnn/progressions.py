r"""Sums with dots, of which each term is one step earlier or later than the one before it, with a power that grows along.

``C B x_t + C A B x_{t-1} + \dots + C A^{t-1} B x_1`` is the sum of ``C A^i B x_{t-i}`` for i from 0 to t - 1: the last term says what
may change, the first ones say how, and all that are printed must come out again.

>>> from symrnn.read.reader import read
>>> from symrnn.read.symbols import SymbolTable
>>> table = SymbolTable.from_mapping({"symbols": {"x": "scalar, sequence", "w": "scalar"}})
>>> print(summed(read(r"x_t + w x_{t-1} + w^2 x_{t-2} + \cdots + w^{t-1} x_1", table).tree))
(Sum i 0 (Add t (Neg 1)) (Mul (Pow w i) x{t=(Add t (Neg i))}) Absent)
>>> print(summed(read(r"x_t + w x_{t-1} + w^2 x_{t-2} + \cdots + w^t x_1", table).tree))
None
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from symrnn.read.counting import Count, count, minus, plus, times, tree
from symrnn.read.tree import Node
from symrnn.telescopes import ABSENT, fresh

Slots = tuple[tuple[str, Count], ...]
"""The exponents with letters and the steps in a term, in order."""
ONE: Count = ((), 1)
NONE: Count = ((), 0)


def summed(n: Node) -> Node | None:
    """A sum with dots as one over a letter; None where the printed terms do not tell it."""
    dots = [k for k, p in enumerate(n.nodes) if p.op == "Ellipsis"] if n.op == "Add" else []
    if len(dots) != 1:
        return None
    before, after = n.nodes[: dots[0]], n.nodes[dots[0] + 1 :]
    return _growing(before, after, n) or _growing(after[::-1], before[::-1], n)


def with_sums(n: Node) -> Node:
    """A tree with its sums with dots as such sums."""
    found = summed(n)
    return found if found is not None else Node(n.op, tuple(with_sums(a) if isinstance(a, Node) else a for a in n.args), n.span)


def _growing(first: Sequence[Node], last: Sequence[Node], whole: Node) -> Node | None:
    """The sum of terms in order, of which the last ones have the powers."""
    if not first or not last or len(first) + len(last) < 3:
        return None
    form, begin = last[-1], [c for kind, c in _slots(first[0]) if kind == "Time"]
    end = [c for kind, c in _slots(form) if kind == "Time"]
    powers = [c for kind, c in _slots(form) if kind == "Pow"]
    if len(begin) != len(end) or not (powers or end):
        return None
    name = fresh([whole])
    letter: Count = (((name, 1),), 0)
    apart = [minus(b, a) for a, b in zip(begin, end, strict=True)]
    for low in (0, 1):
        moved = next((d for d in apart if d != NONE), NONE)
        number = minus(powers[0], ((), low)) if powers else moved if moved[0] and moved[0][0][1] > 0 else times(moved, -1)
        signs = [next((s for s in (0, 1, -1) if times(number, s) == d), None) for d in apart]
        if number == NONE or None in signs or any(minus(p, ((), low)) != number for p in powers):
            continue

        def at(i: Count, low: int = low, signs: Sequence[int | None] = signs) -> Node:
            steps = iter([plus(b, times(i, s or 0)) for b, s in zip(begin, signs, strict=True)])
            return _filled(form, lambda kind: plus(i, ((), low)) if kind == "Pow" else next(steps))
        rest = [at(plus(number, ((), k + 1 - len(last)))) for k in range(len(last))]
        if [*map(_plain, first), *map(_plain, last)] == [*(_plain(at(((), k))) for k in range(len(first))), *map(_plain, rest)]:
            return Node("Sum", (Node("Sym", (name,)), tree(NONE), tree(number), at(letter), ABSENT), whole.span)
    return None


def _slots(n: Node) -> Iterator[tuple[str, Count]]:
    """The exponents with letters, and the steps."""
    if n.op == "Pow" and (c := count(n.nodes[1])) is not None and c[0]:
        yield from _slots(n.nodes[0])
        yield "Pow", c
    elif n.op == "Time":
        yield "Time", count(n.nodes[0]) or NONE
    else:
        for a in n.nodes:
            yield from _slots(a)


def _filled(n: Node, value: Callable[[str], Count]) -> Node:
    """A term with other exponents and steps in the same places."""
    if n.op == "Pow" and (c := count(n.nodes[1])) is not None and c[0]:
        base = _filled(n.nodes[0], value)
        return Node("Pow", (base, tree(value("Pow"))))
    if n.op == "Time":
        return Node("Time", (tree(value("Time")),))
    return Node(n.op, tuple(_filled(a, value) if isinstance(a, Node) else a for a in n.args), n.span)


def _plain(n: Node) -> list[Node]:
    """The factors of a term in one form: without powers of zero and one, steps and exponents in order."""
    if n.op in ("Mul", "Dot"):
        return [f for a in n.nodes for f in _plain(a)]
    if n.op == "Pow" and (c := count(n.nodes[1])) is not None:
        return [] if c == NONE else _plain(n.nodes[0]) if c == ONE else [Node("Pow", (*_plain(n.nodes[0]), tree(c)))]
    if n == Node("Num", ("1",)):
        return []
    return [_ordered(n)]


def _ordered(n: Node) -> Node:
    c = count(n) if n.op in ("Add", "Neg", "Sym", "Num") and not n.part("Time") else None
    return tree(c) if c is not None and n.op == "Add" else Node(n.op, tuple(_ordered(a) if isinstance(a, Node) else a for a in n.args))
