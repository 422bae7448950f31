"""The smallest counterexample of a false claim: least T, then least sum of sizes, then few and small values.

A size at which exact evaluation finds both sides equal is passed over, with its error bound; the counterexample itself is
certified: both sides are exact rational numbers, or enclosed in balls that do not meet.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import blake2b
from typing import Any

from symrnn.expr import walk
from symrnn.prove.claim import Claim, Missing, Unsupported
from symrnn.prove.evaluate import Draw, Point
from symrnn.prove.exact import Difference, compare, differences
from symrnn.prove.grid import Free, Sizes, complete_sizes, free_sizes, function_names, small_sizes
from symrnn.prove.numbers import BadPoint, Number, System
from symrnn.prove.reals import Balls, Floats, Instance, Rationals, balls, instances

Key = tuple[str, int | None]
Values = dict[Key, list[list[Number]]]

LAST_T = 4              # T is searched to here
EXTRA = 4               # the sum of the sizes is searched to this much more than the number of sizes
CANDIDATES = 24         # starting values tried at one choice of T and sizes
PATIENCE = 3            # choices at which the field differs and no real point does, before giving up
HALF = Fraction(1, 2)
POOLS: tuple[tuple[Number, ...], ...] = ((1, -1, 2, HALF, -HALF, -2), (1, 2, HALF, 3))      # the second for logs and roots


@dataclass(frozen=True)
class Tried:
    """One choice of T and sizes: ``equal`` (error 2^-exponent), ``different`` without a certified point, or ``bad``."""

    T: int
    sizes: dict[str, int]
    status: str
    exponent: int = 0


@dataclass(frozen=True)
class Counterexample:
    """Where a claim fails.

    ``values`` shows every symbol that is used; ``left`` and ``right`` are the two sides at the component ``entry`` (from 1) for
    the steps ``times`` and the index values ``indices``: exact rationals if ``exact``, else enclosures (at least one of them).

    ``instances`` says what stands for an unspecified function; ``tried`` are the smaller choices that were passed over.
    ``assignment`` holds the values as numbers, for a program that computes the example again.
    """

    T: int
    sizes: dict[str, int]
    values: dict[str, str]
    times: dict[str, int]
    indices: dict[str, int]
    entry: tuple[int, int]
    left: str
    right: str
    exact: bool
    instances: dict[str, str] = field(default_factory=dict)
    tried: tuple[Tried, ...] = ()
    assignment: tuple[tuple[str, int | None, tuple[tuple[Fraction, ...], ...]], ...] = ()
    counts_steps: bool = False                                       # T is printed as a number

    @property
    def text(self) -> str:
        """The counterexample in a sentence."""
        sizes = [f"{name} = {n}" for name, n in self.sizes.items()]
        steps = [f"T = {self.T}"] if self.uses_time else []
        where = [f"{name} = {k}" for name, k in (*self.times.items(), *self.indices.items())]
        entry = [f"component ({self.entry[0]}, {self.entry[1]})"] if self.entry != (1, 1) else []
        at = ", ".join([*sizes, *steps, *where, *entry])
        return f"the left side is {self.left} and the right side {self.right}" + (f" at {at}" if at else "")

    @property
    def uses_time(self) -> bool:
        """Whether anything in it has a step."""
        return bool(self.times) or self.counts_steps or any(step is not None for _, step, _ in self.assignment)

    def to_json(self) -> dict[str, Any]:
        """The record of the audit schema; an unspecified function stands among the values, as ``f(u)``."""
        values = {**self.values, **{f"{name}(u)": text for name, text in self.instances.items()}}
        return {"T": self.T if self.uses_time else None, "sizes": dict(self.sizes), "values": values,
                "left": self.left, "right": self.right}

    @property
    def t(self) -> int | None:
        """The step, if the claim speaks of a generic one."""
        return self.times.get("t")


@dataclass(frozen=True)
class Search:
    """The counterexample, or the reason why there is none; and everything that was tried."""

    found: Counterexample | None
    reason: str = ""
    tried: tuple[Tried, ...] = ()


def counterexample(claim: Claim, last: int = LAST_T, extra: int = EXTRA) -> Counterexample | None:
    """The smallest certified counterexample within the bounds, or None; :func:`search` also says why."""
    return search(claim, last, extra).found


def search(claim: Claim, last: int = LAST_T, extra: int = EXTRA) -> Search:
    """Look for the smallest counterexample with T <= ``last`` and sizes whose sum is at most ``extra`` more than their number."""
    general = compare(claim, T=last)
    if general.status == "equal":
        return Search(None, f"both sides are equal at {general.scope} (error 2^-{general.exponent})")
    if general.status == "bad":
        return Search(None, general.reason)
    finder = Finder(claim)
    tried: list[Tried] = []
    unsure = 0
    for T in range(1, last + 1):
        for chosen in small_sizes(free_sizes(claim), extra):
            try:
                sizes = complete_sizes(claim, chosen)
            except Unsupported as error:
                return Search(None, str(error), tuple(tried))
            outcome = compare(claim, sizes, T, points=1)       # its error concerns only whether a smaller example exists
            if outcome.status == "different":
                found = finder.find(sizes, T)
                if found is not None:
                    return Search(finder.show(found, sizes, T, tuple(tried)), "", tuple(tried))
                unsure += 1
                if unsure == PATIENCE:
                    return Search(None, finder.reason, tuple(tried))
            tried.append(Tried(T, sizes, outcome.status, outcome.exponent))
    reason = finder.reason if unsure else f"no difference up to T={last} and sizes with sum {len(free_sizes(claim)) + extra}"
    return Search(None, reason, tuple(tried))


# ------------------------------------------------------------------------------------------------------------- at given sizes
@dataclass(frozen=True)
class Found:
    """A certified point: its values, the difference there, and the system that certifies it."""

    values: Values
    difference: Difference
    system: System


class Finder:
    """Looks for real points at given sizes; floats screen, rationals or balls certify."""

    def __init__(self, claim: Claim) -> None:
        self.claim, self.free = claim, Free()
        self.instances: dict[str, Instance] = instances(function_names(claim))
        self.reason = "the sides differ over finite fields; no real point that shows it was found"

    def find(self, sizes: Sizes, T: int) -> Found | None:
        """Start from one candidate after another, make it small, certify it."""
        for number in range(CANDIDATES):
            values: Values = {}
            if not self.differs(values, sizes, T, number):
                continue
            self.shrink(values, sizes, T, number)
            found = self.certify(values, sizes, T, number)
            if found is not None:
                return found
        return None

    def point(self, system: System, values: Values, sizes: Sizes, T: int, number: int) -> Point:
        return Point(self.claim.model, system, sizes, T, drawer(values, number), self.claim.conditions, self.free)

    def differs(self, values: Values, sizes: Sizes, T: int, number: int) -> bool:
        """Whether floats show a difference; fills in the values that the candidate gives."""
        try:
            return differences(self.point(Floats(instances=self.instances, strict=True), values, sizes, T, number),
                               self.claim)[0] is not None
        except (BadPoint, Missing):
            return False
        except Unsupported as reason:
            self.reason = str(reason)
            return False

    def shrink(self, values: Values, sizes: Sizes, T: int, number: int) -> None:
        """Whole symbols to zero, then entries to 0 or 1, as long as the sides still differ."""
        simplex = {*self.claim.model.simplex, *self.claim.subjects("simplex")}
        changed = True
        while changed:
            changed = False
            for key, smaller in smaller_values(values, simplex):
                before = values[key]
                if cost(smaller) >= cost(before):
                    continue
                values[key] = smaller
                if self.differs(values, sizes, T, number):
                    changed = True
                else:
                    values[key] = before

    def certify(self, values: Values, sizes: Sizes, T: int, number: int) -> Found | None:
        """The difference in exact rationals if every value is rational, else in balls."""
        for system in (Rationals(self.instances), balls(self.instances)):
            try:
                difference = differences(self.point(system, values, sizes, T, number), self.claim)[0]
            except (BadPoint, Missing):
                continue
            except Unsupported as reason:
                if isinstance(system, Balls):
                    self.reason = str(reason)
                continue
            if difference is not None:
                return Found(values, difference, system)
        return None

    def show(self, found: Found, sizes: dict[str, int], T: int, tried: tuple[Tried, ...]) -> Counterexample:
        """The counterexample in words and numbers."""
        d, system = found.difference, found.system
        with system.scope():
            left, right = system.text(d.left), system.text(d.right)
        keys = sorted(found.values, key=lambda k: (k[1] is not None, k[0], k[1] or 0))
        return Counterexample(
            T, sizes, {label(k): matrix_text(found.values[k]) for k in keys}, d.times, d.indices, d.entry, left, right,
            "+/-" not in left + right, {**{base[1:]: str(i) for base, i in self.instances.items()}, **vector_instances(self.claim)}, tried,
            tuple((*k, tuple(tuple(map(Fraction, row)) for row in found.values[k])) for k in keys),
            any(x.op == "steps" for side in (self.claim.left, self.claim.right) for x in walk(side)))


def vector_instances(claim: Claim) -> dict[str, str]:
    """What stands for the unspecified vector functions that a claim or its model uses."""
    sides = (claim.left, claim.right, *(e.right for e in claim.model.equations))
    names = dict.fromkeys(str(x.attr[0]) for side in sides for x in walk(side) if x.op in ("vcall", "vjac"))
    return {name: System.instance_text(name) for name in names}


def drawer(values: Values, number: int) -> Draw:
    """Draws what ``values`` holds, and adds what is missing: small numbers, a fixed sequence for each candidate ``number``.

    What must sum to one is one-hot for two candidates, then positive everywhere for two, and so on.
    """
    def draw(name: str, step: int | None, shape: tuple[int, int], simplex: bool) -> list[list[Number]]:
        if (name, step) not in values:
            pool = POOLS[number % len(POOLS)]

            def choose(i: int, j: int, n: int) -> int:
                digest = blake2b(f"{number} {name} {step} {i} {j}".encode(), digest_size=8).digest()
                return int.from_bytes(digest, "big") % n
            if simplex and number // 2 % 2:
                weights = [1 + choose(i, 0, 3) for i in range(shape[0])]
                values[name, step] = [[Fraction(x, sum(weights))] * shape[1] for x in weights]
            elif simplex:
                hot = choose(0, 0, shape[0])
                values[name, step] = [[int(i == hot)] * shape[1] for i in range(shape[0])]
            else:
                values[name, step] = [[pool[choose(i, j, len(pool))] for j in range(shape[1])] for i in range(shape[0])]
        return values[name, step]
    return draw


def cost(rows: list[list[Number]]) -> tuple[int, int, int]:
    """Fewer non-zeros first, then smaller numbers, then fewer minus signs and earlier places."""
    flat = [Fraction(x) for row in rows for x in row]
    return (sum(x != 0 for x in flat), sum(abs(x.numerator) + x.denominator - 2 + (x < 0) for x in flat if x),
            sum(k for k, x in enumerate(flat) if x))


def smaller_values(values: Values, simplex: set[object]) -> Iterator[tuple[Key, list[list[Number]]]]:
    """Smaller candidates for one symbol after another; each is looked up when its turn comes."""
    for key in sorted(values, key=lambda k: (k[1] is not None, k[0], k[1] or 0)):
        rows, columns = len(values[key]), len(values[key][0])
        if key[0] in simplex:
            for hot in range(rows):
                yield key, [[int(i == hot)] * columns for i in range(rows)]
            yield key, [[Fraction(1, rows)] * columns for _ in range(rows)]
            continue
        yield key, [[0] * columns for _ in range(rows)]
        for i in range(rows):
            for j in range(columns):
                for x in (0, 1, -1):
                    yield key, [[x if (a, b) == (i, j) else v for b, v in enumerate(row)] for a, row in enumerate(values[key])]


def label(key: Key) -> str:
    """``W`` or ``x[2]``."""
    return key[0] if key[1] is None else f"{key[0]}[{key[1]}]"


def matrix_text(rows: list[list[Number]]) -> str:
    """A matrix as text; a column as a list, a single number as itself.

    >>> matrix_text([[1], [Fraction(1, 2)]]), matrix_text([[1, 0]]), matrix_text([[3]])
    ('[1, 1/2]', '[[1, 0]]', '3')
    """
    if len(rows) == len(rows[0]) == 1:
        return str(rows[0][0])
    if len(rows[0]) == 1:
        return "[" + ", ".join(str(row[0]) for row in rows) + "]"
    return "[" + ", ".join("[" + ", ".join(map(str, row)) + "]" for row in rows) + "]"
