r"""Rules of calculus in the letters of functions, such as :math:`h'(x) = (f'(x) g(x) - f(x) g'(x)) / g^2(x)`.

Every letter is a function of one number, applied to the same letter everywhere, whatever a network has under these names; one of
them may be given by a formula in the others.

>>> from symrnn.read.reader import read
>>> from symrnn.read.symbols import SymbolTable
>>> given, rule = (read(s, SymbolTable()).tree for s in (r"h(x) = f(x) g(x)", r"h'(x) = f'(x) g(x) + f(x) g'(x)"))
>>> claim = function_rule(rule.nodes[0], rule.nodes[1].nodes[0], [given])
>>> print(claim.left, "|", claim.right)
d(?f(x) * ?g(x))/d(x) | ?f'(x) * ?g(x) + ?f(x) * ?g'(x)
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from operator import mul

from symrnn.expr import Expr, add, apply, derivative, lift, power, quotient, symbol
from symrnn.model import Model
from symrnn.prove.claim import Claim
from symrnn.read.symbols import STANDARD
from symrnn.read.tree import Node

MODEL = Model.build("functions of one number", [])


class NoRule(Exception):
    """Something else stands in the formula."""


def function_rule(left: Node, right: Node, before: Iterable[Node]) -> Claim | None:
    """What a relation says of functions of one number, the last formula for the function on its left put in; None if it is no rule."""
    call = _call(left)
    if call is None:
        return None
    name, _, x = call
    formulas = [n for n in before if n.op == "Chain" and len(n.nodes) == 2 and (own := _call(n.nodes[0])) is not None
                and own[:2] == (name, 0)]
    if not formulas:
        return None
    own = _call(formulas[-1].nodes[0])
    assert own is not None
    try:
        value = _Reader(own[2], {})(formulas[-1].nodes[1].nodes[0])
        made = _Reader(x, {name: value})
        return Claim(made(left), made(right), MODEL)
    except NoRule:
        return None


def functions_in(n: Node) -> frozenset[str]:
    """The letters of functions in a relation that gives one of them by a formula in the others: h(x) = f(x) / g(x)."""
    call = _call(n.nodes[0]) if n.op == "Chain" and len(n.nodes) == 2 else None
    if call is None or call[1]:
        return frozenset()
    reader = _Reader(call[2], {})
    try:
        reader(n.nodes[1].nodes[0])
    except NoRule:
        return frozenset()
    return frozenset(reader.applied | {call[0]}) if reader.applied - {call[0]} else frozenset()


def _call(n: Node) -> tuple[str, int, str] | None:
    """The letter of a function, its primes and the letter that it is applied to."""
    if n.op not in ("Call", "Mul") or len(n.nodes) != 2:
        return None
    f, x = n.nodes
    primes = 0
    while f.op == "Prime":
        f, primes = f.nodes[0], primes + 1
    plain = all(m.op == "Sym" and len(m.args) == 1 for m in (f, x))
    return (f.head, primes, x.head) if plain and f.head not in STANDARD and f.head != x.head else None


class _Reader:
    """Formulas in functions of the one letter ``x``; ``values`` are the formulas of some of them."""

    def __init__(self, x: str, values: Mapping[str, Expr]) -> None:
        self.x, self.values = x, values
        self.argument = symbol("x", kind="constant")
        self.applied: set[str] = set()

    def __call__(self, n: Node) -> Expr:
        call = _call(n)
        if call is not None and call[2] == self.x:
            return self._applied(*call[:2])
        match n.op:
            case "Num" if n.head.isdigit():
                return lift(int(n.head))
            case "Sym" if n.args == (self.x,):
                return self.argument
            case "Add":
                return add(*map(self, n.nodes))
            case "Neg":
                return -self(n.nodes[0])
            case "Mul" | "Dot":
                return reduce(mul, self._factors(n.nodes))
            case "Div":
                return quotient(self(n.nodes[0]), self(n.nodes[1]))
            case "Pow" if n.nodes[1].op == "Num" and n.nodes[1].head in ("2", "3"):
                return power(self(n.nodes[0]), int(n.nodes[1].head))
        raise NoRule(n.op)

    def _factors(self, nodes: tuple[Node, ...]) -> Iterator[Expr]:
        """The factors of a product, in which a letter before ``x`` is a function of it."""
        rest = list(nodes)
        while rest:
            n = rest.pop(0)
            f, k = (n.nodes[0], int(n.nodes[1].head)) if n.op == "Pow" and n.nodes[1].head in ("2", "3") else (n, 1)
            call = _call(Node("Call", (f, rest[0]))) if rest and rest[0].args == (self.x,) else None
            if call is None:
                yield self(n)
            else:
                rest.pop(0)
                yield power(self._applied(*call[:2]), k)

    def _applied(self, name: str, primes: int) -> Expr:
        self.applied.add(name)
        if name not in self.values:
            return apply("?" + name + "'" * primes, self.argument)
        if primes > 1:
            raise NoRule(name)
        return derivative(self.values[name], self.argument) if primes else self.values[name]
