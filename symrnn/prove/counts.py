"""How many parameters a network has: the shapes of the parameters in its equations, added up as a polynomial in the sizes.

>>> from symrnn.expr import apply
>>> from symrnn.model import Model, param, sequence
>>> h, x = sequence("h", "n"), sequence("x", "d", kind="input")
>>> m = Model.build("m", [(h, apply("tanh", param("W", "n", "n") @ h[-1] + param("U", "n", "d") @ x + param("b", "n")))])
>>> print(total(m.parameters), "=", factored(m.parameters))
d*n+n+n*n = n(n + d + 1)
>>> judged(m.parameters, Linear.of("n*n + n*d")).word, judged(m.parameters, Linear.of("n*n + n*d + n")).word
('refuted', 'proved')
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import gcd

from symrnn.cost import size, total
from symrnn.expr import Size, Symbol
from symrnn.expr.linear import Linear
from symrnn.expr.linear import value as number
from symrnn.prove.verdict import EVERYWHERE, Verdict

METHOD = "the shapes of the parameters, added up"
LARGEST = 4
"""The sizes up to which two counts are told apart; they are of the second degree, and differ at one of these."""


@dataclass(frozen=True)
class Convention:
    """Another way to count: how many it gives, and what it takes for granted."""

    count: Linear
    words: str


def judged(parameters: Sequence[Symbol], claimed: Linear, others: Sequence[Convention] = ()) -> Verdict:
    """Whether some parameters have together as many entries as is claimed, for all sizes; ``others`` are other ways to count."""
    own = total(parameters)
    names = ", ".join(p.name for p in parameters)
    if claimed == own:
        return Verdict("proved", reason=f"the entries of {names}", method=METHOD, scope=EVERYWHERE, error_bound="0")
    found = [c for c in others if c.count == claimed]
    if found:
        return Verdict("conditional", "SR406", f"true when {found[0].words}; the parameters of the equations, {names}, have {own} entries",
                       METHOD, EVERYWHERE, "0", (found[0].words,), found[0].words)
    where = apart(own, claimed)
    left_value, right_value = (str(_at(x, where)) for x in (own, claimed))
    at = f" at {', '.join(f'{k} = {v}' for k, v in where.items())}" if where else ""
    return Verdict("refuted", "SR406", f"{names} have together {left_value} entries{at}, not {right_value}", METHOD,
                   counterexample={"T": None, "sizes": where, "values": {}, "left": left_value, "right": right_value})


SHARED = "one symbol in the equation of every step"


def never_more(parameters: Sequence[Symbol]) -> Verdict:
    """The number of parameters is no function of the number of steps, where none of their sizes is."""
    names = ", ".join(p.name for p in parameters)
    return Verdict("proved", reason=f"the equations at every step use the same {names}, and none of their sizes counts steps",
                   method=SHARED, scope=EVERYWHERE, error_bound="0")


def more(parameters: Sequence[Symbol]) -> Verdict:
    """The verdict on a number of parameters that is said to grow with the number of steps, where none of their sizes does."""
    ones = {f: 1 for p in parameters for f in _factors(size(p.shape))}
    count = str(_at(total(parameters), ones))
    return replace(never_more(parameters), word="refuted", code="SR406", scope=None, error_bound=None,
                   counterexample={"T": 2, "sizes": ones, "values": {}, "left": count, "right": f"more than {count}"})


def multiple(sums: Sequence[Sequence[Symbol]], claimed: int) -> Verdict:
    """Whether a cell has so many times the parameters of one with a single sum, when each of its ``sums`` has as many as that."""
    one, names = total(sums[0]), ", ".join(p.name for p in sums[0])
    why = f"{len(sums)} equations with as many parameters as {names}; a plain cell of the same sizes has one"
    if len(sums) == claimed:
        return Verdict("proved", reason=why, method=METHOD, scope=EVERYWHERE, error_bound="0")
    ones = dict.fromkeys(_factors(one), 1)
    left, right = (str(k * _at(one, ones)) for k in (len(sums), claimed))
    return Verdict("refuted", "SR406", why, METHOD,
                   counterexample={"T": None, "sizes": ones, "values": {}, "left": left, "right": right})


def unequal(left: int, right: int) -> Verdict:
    """Two numbers that are said to be equal and are not."""
    return Verdict("refuted", "SR406", f"the left side is {left} and the right side {right}", "whole numbers",
                   counterexample={"T": None, "sizes": {}, "values": {}, "left": str(left), "right": str(right)})


def apart(a: Linear, b: Linear) -> dict[str, int]:
    """The smallest sizes at which two different polynomials have two values.

    >>> apart(Linear.of("n*n"), Linear.of("n")), apart(Linear.of("n*m"), Linear.of("n+m"))
    ({'n': 2}, {'m': 1, 'n': 1})
    """
    letters = sorted({*_factors(a), *_factors(b)})
    for values in sorted(product(range(1, LARGEST + 1), repeat=len(letters)), key=sum):
        where = dict(zip(letters, values, strict=True))
        if _at(a, where) != _at(b, where):
            return where
    raise AssertionError(f"{a} and {b} are equal at all small sizes")


def _factors(form: Linear) -> list[str]:
    """The letters of a polynomial, in order."""
    return sorted({f for name, _ in form.terms for f in name.split("*")})


def _at(form: Linear, where: Mapping[str, int]) -> int:
    return number(form.size, where)


def factored(parameters: Iterable[Symbol], written: Callable[[Size], str] = str) -> str:
    """The count with the columns of parameters of equally many rows in one bracket, as texts write it; a number where all sizes are."""
    parameters = tuple(parameters)
    whole = total(parameters)
    if not whole.terms:
        return str(whole)
    columns: dict[Size, Linear] = {}
    for p in parameters:
        columns[p.shape[0]] = columns.get(p.shape[0], Linear()) + Linear.of(p.shape[1])
    return " + ".join(_product(rows, form, written) for rows, form in columns.items())


def _product(rows: Size, columns: Linear, written: Callable[[Size], str]) -> str:
    """So many rows of so many columns."""
    common = gcd(columns.constant, *(k for _, k in columns.terms))
    terms = [(k // common, name) for name, k in sorted(columns.terms, key=lambda x: x[0] != rows)] + [(columns.constant // common, "")]
    inner = [f"{k if k != 1 or not name else ''}{written(name) if name else ''}" for k, name in terms if k]
    several = isinstance(rows, str) and len(Linear.of(rows).terms) + bool(Linear.of(rows).constant) > 1
    text = f"({written(rows)})" if several else "" if rows == 1 else written(rows)
    factor = ("" if common == 1 else f"{common}" + (r" \cdot " if text[:1].isdigit() else "")) + text
    return factor + (f"({' + '.join(inner)})" if len(inner) > 1 or inner[0].isdigit() and factor else inner[0] if inner != ["1"] else "")
