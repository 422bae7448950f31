"""The index-notation normal form: sums of products of typed atoms with component indices, dummies in canonical order.

A form is ``sum of coefficient * product of atom[labels]^exponent``. A label is free (``r`` and ``c`` for the axes of a matrix,
``@i`` for a component index, ``=2`` for a fixed component) or a dummy (``#1``), which is summed over its size. Two forms that
are equal as records are equal for all sizes, because only valid rewrites are applied; the converse does not hold.

Functions are rewritten to one basis: softmax to exp and its sum Z, ReLU to u step(u), the reciprocal of a sigmoid to 1 + exp(-u),
and products of sigmoid and exponential of one argument are split, so that derivatives are polynomials in the basis. Every rule
is a row of :data:`REWRITES` and is proved on its own in ``tests/prove/test_rewrites.py``.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b

from symrnn.expr import Size, Symbol, Time

Label = str
Range = tuple[Time, Time]
BOUND = "#"
"""The time letter of the one sum over time that a term may carry."""


class Hashed:
    """A frozen record whose hash is computed once (forms lie deep inside one another)."""

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(getattr(self, name) for name in self.__dataclass_fields__))  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True)
class Atom(Hashed):
    """A typed quantity with one slot for each component index.

    ``kind``: ``v`` a symbol, ``f`` an elementwise function of a form, ``Z`` the sum of exponentials of a form over its one slot,
    ``l`` the log of that, ``d`` Kronecker's delta, ``n`` a size (or the count of steps), ``F`` an unspecified vector function of
    forms, ``J`` its Jacobian by one argument.
    """

    __hash__ = Hashed.__hash__

    kind: str
    name: str = ""
    symbol: Symbol | None = None
    args: tuple[Form, ...] = ()
    slots: tuple[Size, ...] = ()

    @cached_property
    def sort(self) -> str:
        """A stable text that orders atoms; the digest of the argument stands for it."""
        inner = "".join(a.digest for a in self.args)
        who = f"{self.symbol.kind}:{self.symbol}" if self.symbol else self.name
        return f"{self.kind}:{who}:{inner}:{self.slots}"

    def symbols(self) -> Iterator[Symbol]:
        """The symbols inside."""
        if self.symbol is not None:
            yield self.symbol
        for a in self.args:
            yield from a.symbols()

    def times(self) -> Iterator[Time]:
        """The time indices inside."""
        if self.symbol is not None and self.symbol.time is not None:
            yield self.symbol.time
        for a in self.args:
            yield from a.times()


Factor = tuple[Atom, tuple[Label, ...], int]
Component = tuple[Factor, ...]


@dataclass(frozen=True)
class Term(Hashed):
    """A canonical product: its connected parts, and the range of its sum over time if it has one."""

    __hash__ = Hashed.__hash__

    parts: tuple[Component, ...]
    over: Range | None = None

    @cached_property
    def sort(self) -> str:
        body = ";".join(",".join(f"{a.sort}[{' '.join(ix)}]^{e}" for a, ix, e in part) for part in self.parts)
        return f"{self.over[0]}..{self.over[1]}|{body}" if self.over else body

    def flat(self) -> Iterator[Factor]:
        """Every factor."""
        for part in self.parts:
            yield from part

    def factors(self, fresh: Iterator[Label]) -> tuple[list[Factor], dict[Label, Size]]:
        """The factors with fresh dummies, and the size of each dummy."""
        out: list[Factor] = []
        sizes: dict[Label, Size] = {}
        for part in self.parts:
            names: dict[Label, Label] = {}
            for a, ix, e in part:
                for slot, label in enumerate(ix):
                    if label[0] == "#" and label not in names:
                        names[label] = next(fresh)
                        sizes[names[label]] = a.slots[slot]
                out.append((a, tuple(names.get(x, x) for x in ix), e))
        return out, sizes


@dataclass(frozen=True)
class Form(Hashed):
    """A normal form: its free labels with their sizes, and its terms in canonical order."""

    __hash__ = Hashed.__hash__

    labels: tuple[tuple[Label, Size], ...]
    terms: tuple[tuple[Term, Fraction], ...]

    @cached_property
    def digest(self) -> str:
        text = f"{self.labels}" + "+".join(f"{c}*{t.sort}" for t, c in self.terms)
        return blake2b(text.encode(), digest_size=12).hexdigest()

    @property
    def is_zero(self) -> bool:
        return not self.terms

    def atoms(self) -> Iterator[Atom]:
        """Every atom at the top level of a term."""
        for t, _ in self.terms:
            for a, _, _ in t.flat():
                yield a

    def times(self) -> Iterator[Time]:
        for a in self.atoms():
            yield from a.times()

    def symbols(self) -> dict[Symbol, None]:
        """The symbols that occur, also inside functions, in order."""
        out: dict[Symbol, None] = {}
        for a in self.atoms():
            out.update(dict.fromkeys(a.symbols()))
        return out

    def __str__(self) -> str:
        if not self.terms:
            return "0"
        return " + ".join(f"{c} {show_term(t)}".strip() for t, c in self.terms)


def show_term(t: Term) -> str:
    """A term as text, for messages."""
    body = " ".join(show_factor(f) for part in t.parts for f in part)
    return f"sum_#={t.over[0]}..{t.over[1]} {body}" if t.over else body


def show_factor(f: Factor) -> str:
    a, ix, e = f
    name = str(a.symbol) if a.symbol else a.name or a.kind
    inside = f"({', '.join(map(str, a.args))})" if a.args else ""
    return name + inside + (f"_[{' '.join(ix)}]" if ix else "") + (f"^{e}" if e != 1 else "")


def fewest(over: Range) -> int | None:
    """The least of last - first + 1 over T >= 1 (and t = 1..T); None when nothing is known.

    >>> fewest((Time("", 1), Time("T", 0))), fewest((Time("", 3), Time("T", 0))), fewest((Time("t", 1), Time("T", 0)))
    (1, -1, 0)
    """
    lo, hi = over
    if lo.base == hi.base or (lo.base, hi.base) == ("t", "T"):
        return hi.offset - lo.offset + 1
    return hi.offset - lo.offset + 2 if not lo.base and hi.base in ("t", "T") else None


def never_negative(over: Range) -> bool:
    """Whether last - first + 1 is the number of steps for every T: where it is negative, the sum is empty and the count 0."""
    least = fewest(over)
    return least is not None and least >= 0


class TooSymmetric(Exception):
    """A term whose dummies cannot be put in order within the bound."""


def component(factors: list[Factor]) -> Component:
    """Dummies of one connected product renamed in canonical order: colour refinement, then the least of the remaining choices."""
    dummies = sorted({x for _, ix, _ in factors for x in ix if x[0] == "#"})
    if not dummies:
        return tuple(sorted(factors, key=lambda f: (f[0].sort, f[2], f[1])))
    rows = [((a.sort, e), ix) for a, ix, e in factors]
    best: list[tuple[list[tuple[tuple[str, int], tuple[str, ...]]], dict[str, str]]] = []
    budget = [2000]

    def search(colour: dict[str, int]) -> None:
        colour = refine(rows, colour)
        classes: dict[int, list[str]] = {}
        for d, c in colour.items():
            classes.setdefault(c, []).append(d)
        tied = next((c for c in sorted(classes) if len(classes[c]) > 1), None)
        if tied is None:
            names = {d: f"#{n:03d}" for n, d in enumerate(sorted(colour, key=colour.__getitem__))}
            key = sorted((lab, tuple(names.get(x, x) for x in ix)) for lab, ix in rows)
            if not best or key < best[0][0]:
                best[:] = [(key, names)]
            return
        for d in classes[tied]:
            budget[0] -= 1
            if budget[0] < 0:
                raise TooSymmetric
            split = {x: 2 * c + 1 for x, c in colour.items()}
            split[d] = 2 * tied
            search(split)

    search(dict.fromkeys(dummies, 0))
    names = best[0][1]
    renamed = [(a, tuple(names.get(x, x) for x in ix), e) for a, ix, e in factors]
    return tuple(sorted(renamed, key=lambda f: (f[0].sort, f[2], f[1])))


def refine(rows: list[tuple[tuple[str, int], tuple[str, ...]]], colour: dict[str, int]) -> dict[str, int]:
    """Split the classes of dummies by where they stand, until nothing changes."""
    count = len(set(colour.values()))
    while True:
        seen: dict[str, list[tuple[tuple[str, int], int, tuple[tuple[int, str], ...]]]] = {d: [] for d in colour}
        for lab, ix in rows:
            around = tuple((colour[x], "") if x in colour else (-1, x) for x in ix)
            for slot, x in enumerate(ix):
                if x in colour:
                    seen[x].append((lab, slot, around))
        full = {d: (colour[d], tuple(sorted(v))) for d, v in seen.items()}
        rank = {k: n for n, k in enumerate(sorted(set(full.values())))}
        colour = {d: rank[full[d]] for d in colour}
        if len(rank) == count:
            return colour
        count = len(rank)


def connected(factors: list[Factor]) -> list[list[Factor]]:
    """The factors in groups that share dummies."""
    groups: list[tuple[set[str], list[Factor]]] = []
    for f in factors:
        mine = {x for x in f[1] if x[0] == "#"}
        joined, rest = [f], []
        for labels, members in groups:
            if labels & mine:
                mine |= labels
                joined = members + joined
            else:
                rest.append((labels, members))
        groups = [*rest, (mine, joined)]
    return [members for _, members in groups]


@dataclass(frozen=True)
class Rewrite:
    """A rule of the normal form: its name and the identity it uses, with the variables it holds for."""

    name: str
    identity: str


REWRITES: dict[str, Rewrite] = {r.name: r for r in (
    Rewrite("delta", "sum_j delta_ij a_j = a_i, and delta_ij a_j = delta_ij a_i"),
    Rewrite("power", "a^m a^n = a^(m+n) where a is not zero"),
    Rewrite("step", "step(u)^2 = step(u)"),
    Rewrite("simplex", "sum_k y_k = 1 for a vector declared so"),
    Rewrite("count", "a sum over an index that does not occur is the size"),
    Rewrite("partition", "sum_j exp(o_j) = Z(o)"),
    Rewrite("softmax", "softmax(o)_i = exp(o_i) / Z(o)"),
    Rewrite("log-sum-exp", "log Z(o) = lse(o)"),
    Rewrite("log of exp", "log(exp(u)) = u, log(a b) = log a + log b for a, b > 0"),
    Rewrite("relu", "relu(u) = u step(u)"),
    Rewrite("positive factor", "step(c u) = step(u) for a number c > 0"),
    Rewrite("step of relu", "step(u step(u)) = step(u)"),
    Rewrite("odd", "f(-u) = -f(u) for odd f"),
    Rewrite("even", "f(-u) = f(u) for even f"),
    Rewrite("complement", "sigmoid(-u) = 1 - sigmoid(u)"),
    Rewrite("reciprocal", "exp(-u) = 1/exp(u)"),
    Rewrite("softplus", "softplus(-u) = softplus(u) - u, log sigmoid(u) = u - softplus(u), log(1 - sigmoid(u)) = -softplus(u)"),
    Rewrite("sigmoid and exp", "sigmoid(u) exp(u) = exp(u) - sigmoid(u), sigmoid(u) exp(-u) = 1 - sigmoid(u)"),
    Rewrite("reciprocal of sigmoid", "1/sigmoid(u) = 1 + exp(-u), 1/(1 - sigmoid(u)) = 1 + exp(u), 1/(1 + exp(-u)) = sigmoid(u)"),
    Rewrite("value at zero", "f(0) where the table gives it"),
    Rewrite("clearing denominators", "a = b where c a = c b and c is not zero"),
    Rewrite("zero", "a symbol that a fact makes zero"),
    Rewrite("one", "a symbol that a fact makes one"),
)}
