"""The table of re-parametrisations: identities by which one network is written as another, and how each shows in what was found."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from symrnn.equivalence.maps import Map, Piece
from symrnn.expr import Expr, apply, negative, ones, transform, walk
from symrnn.expr.functions import function
from symrnn.model import Equation, Model


@dataclass(frozen=True)
class Rewriting:
    """An identity of functions by which an argument changes its sign: for the parity ``parity``, ``value(name, argument)`` is the same."""

    parity: str
    sentence: str
    value: Callable[[str, Expr], Expr]


REWRITINGS = (
    Rewriting("complement", "{f}(-a) = 1 - {f}(a)", lambda f, u: ones(u.shape or (1, 1)) - apply(f, negative(u))),
    Rewriting("odd", "{f}(-a) = -{f}(a)", lambda f, u: negative(apply(f, negative(u)))),
)
"""Ways to write a gate or a candidate so that its parameters change their sign."""
MOST = 6
"""Only so many functions of a network are tried with the other sign."""


@dataclass(frozen=True)
class Change:
    """A kind of change of parameters: what it says, and whether a parameter is changed by it."""

    sentence: str
    concerns: Callable[[Map], bool]


def any_piece(test: Callable[[Piece], bool]) -> Callable[[Map], bool]:
    """Whether a piece of a parameter passes a test."""
    return lambda m: any(test(p) for value in m.blocks.values() for _, p in value)


CHANGES = (
    Change("one matrix for a stack: [A B] [u; v] = A u + B v", lambda m: len(m.columns) > 1),
    Change("one matrix for several products: [A; B] v = [A v; B v]", lambda m: len(m.rows) > 1),
    Change("a part of a matrix: its first columns times u are A [u; 0]", any_piece(lambda p: p.symbol is not None and not p.is_whole)),
    Change("the other layout: (u A)^T = A^T u^T", any_piece(lambda p: p.flip)),
    Change("another sign or scale of a parameter", lambda m: any(c != 1 for v in m.blocks.values() for c, _ in v)),
    Change("terms of one kind added into one parameter", lambda m: any(len(v) > 1 for v in m.blocks.values())),
    Change("a number as a parameter", any_piece(lambda p: p.kind == "ones")),
    Change("an entrywise product as a diagonal matrix", any_piece(lambda p: p.kind == "diag")),
    Change("what has no factor, times the identity", any_piece(lambda p: p.kind == "eye")),
    Change("a parameter set to zero", lambda m: any(not v for v in m.blocks.values())),
)
"""How the parameters of one network can be made of those of another."""


def changes(maps: dict[str, Map]) -> tuple[str, ...]:
    """What the table says of some parameters.

    >>> from fractions import Fraction
    >>> from symrnn.equivalence.maps import Piece, whole
    >>> from symrnn.expr import Symbol
    >>> b, c = (Symbol(name, ("n", 1), "parameter") for name in "bc")
    >>> changes({"b": Map(b, {(whole("n"), whole(1)): ((Fraction(-1), Piece.of(c)),)})})
    ('another sign or scale of a parameter',)
    """
    return tuple(c.sentence for c in CHANGES if any(c.concerns(m) for m in maps.values()))


def rewritten(model: Model) -> Iterator[tuple[Model, tuple[str, ...]]]:
    """The model as it stands, then with some of its functions written with the other sign of what they are applied to, fewest first."""
    rows = {r.parity: r for r in REWRITINGS}
    places = [(n, x) for n, e in enumerate(model.equations) for x in walk(e.right)
              if x.op == "apply" and function(x.attr).parity in rows and x.attr not in ("id", "recip")]
    sure = [(n, x) for n, x in places if function(x.attr).parity == "complement"]
    places = (sure + [p for p in places if p not in sure])[:MOST]
    for count in range(len(places) + 1):
        for chosen in combinations(places, count):
            yield turned(model, chosen, rows)


def turned(model: Model, places: tuple[tuple[int, Expr], ...], rows: dict[str, Rewriting]) -> tuple[Model, tuple[str, ...]]:
    """The model with the functions at some places (equation, expression) written the other way."""
    equations = list(model.equations)
    said: dict[str, None] = {}
    for n, place in places:
        row = rows[str(function(place.attr).parity)]
        said[row.sentence.format(f=place.attr)] = None
        value = row.value(place.attr, place.args[0])
        e = equations[n]
        equations[n] = Equation(e.left, transform(e.right, {place: value}.get))
    return replace(model, equations=tuple(equations)), tuple(said)
