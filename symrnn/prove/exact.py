"""Deciding a claim at finite sizes by exact evaluation over prime fields, with an error bound.

``equal`` means: both sides are the same function at these sizes, except with probability 2^-exponent over the hash that chose the
points. ``different`` is no refutation yet, since a field does not know every identity of real functions:
:mod:`symrnn.prove.refute` certifies it at a real point.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import floor

import numpy as np

from symrnn.expr import Index
from symrnn.prove.claim import Claim, Missing, Unsupported
from symrnn.prove.degrees import Degrees
from symrnn.prove.evaluate import Draw, Point
from symrnn.prove.grid import Free, Sizes, complete_sizes, default_sizes, depends_on_time, steps
from symrnn.prove.numbers import Array, BadPoint, Field, Number
from symrnn.prove.primes import fingerprint, prime_and_key
from symrnn.prove.rows import Axes, spread, union

ENOUGH = 60             # an error of 2^-60 or less is wanted
RETRIES = 8             # points that may be bad (a division by zero) before the claim is given up
PATTERNS = 64           # patterns of a step function (its values are 0 and 1) that are tried one by one


@dataclass(frozen=True)
class Outcome:
    """What exact evaluation says of a claim at finite sizes.

    ``status`` is ``equal``, ``different`` (first at the steps ``times``, index values ``indices`` and ``entry``, counted from
    1) or ``bad`` (``reason`` says why nothing was decided). ``exponent`` k is the error bound 2^-k of ``equal``; ``tried`` are
    the steps at which every printed symbol exists: ``((),)`` for a claim that speaks of no step, just T for one about all.
    """

    status: str
    sizes: dict[str, int]
    T: int
    exponent: int = 0
    times: dict[str, int] | None = None
    indices: dict[str, int] | None = None
    entry: tuple[int, int] | None = None
    seeds: tuple[str, ...] = ()
    tried: tuple[tuple[tuple[str, int], ...], ...] = ()
    skipped: tuple[str, ...] = ()
    reason: str = ""

    @property
    def scope(self) -> str:
        """The finite scope in words."""
        return ", ".join([*(f"{n}={k}" for n, k in self.sizes.items()), *([f"T={self.T}"] if self.tried != ((),) else [])])


@dataclass(frozen=True)
class Finite:
    """Exact evaluation's own verdict: ``finite`` for the scope it tried, ``all`` for every size and T."""

    finite: str
    all: str
    scope: str
    outcome: Outcome


def field_draw(system: Field) -> Draw:
    """Every entry a hash of its name, step and place; the last of a simplex makes the sum one."""
    def draw(name: str, step: int | None, shape: tuple[int, int], simplex: bool) -> list[list[Number]]:
        rows: list[list[Number]] = [[system.hash("draw", name, step, i, j) for j in range(shape[1])] for i in range(shape[0])]
        if simplex:
            rows[-1] = [1 - sum(row[j] for row in rows[:-1]) for j in range(shape[1])]
        return rows
    return draw


def field_point(claim: Claim, sizes: Sizes, T: int, number: int = 0, *, pattern: int | None = None, seed: bytes | None = None,
                free: Free | None = None) -> Point:
    """Point ``number`` of a claim: prime, oracles and draws are fixed by the claim and its definitions."""
    prime, key = prime_and_key(seed or fingerprint(claim), number)
    system = Field(prime, key, pattern)
    return Point(claim.model, system, sizes, T, field_draw(system), claim.conditions, free)


# ------------------------------------------------------------------------------------------------------------- one point of it
@dataclass(frozen=True)
class Difference:
    """Where two sides differ, and the two values there."""

    times: dict[str, int]
    indices: dict[str, int]
    entry: tuple[int, int]
    left: object
    right: object


def mask(claim: Claim, axes: Axes, lengths: tuple[int, ...]) -> Array | None:
    """Which assignments of the component indices the conditions ``equal`` and ``distinct`` allow; None: all."""
    names = {i.name: k for k, i in enumerate(axes)}
    out: Array | None = None

    def name(subject: object) -> str:
        return subject.name if isinstance(subject, Index) else str(subject)

    def values(subject: object) -> Array:
        if isinstance(subject, int):
            return np.asarray(subject)
        k = names[name(subject)]
        return np.arange(1, lengths[k] + 1).reshape([-1 if j == k else 1 for j in range(len(axes))])

    for c in claim.conditions:
        if c.kind in ("equal", "distinct"):
            i, k = c.subject
            if any(not isinstance(x, int) and name(x) not in names for x in (i, k)):
                continue                                              # the claim does not print both: nothing is restricted
            allowed = (values(i) == values(k)) == (c.kind == "equal")
            out = allowed if out is None else out & allowed
    return out


def sides(point: Point, claim: Claim, times: dict[str, int]) -> tuple[Axes, Array, Array]:
    """Both sides for every index assignment, as arrays of one shape."""
    left, right = point.table(claim.left, times), point.table(claim.right, times)
    if left.a.shape[-2:] != right.a.shape[-2:]:
        raise Unsupported("the two sides have different shapes")
    axes = union([left, right])
    a, b = np.broadcast_arrays(spread(left, axes), spread(right, axes))
    return axes, a, b


def differences(point: Point, claim: Claim) -> tuple[Difference | None, list[dict[str, int]], list[str]]:
    """The first difference at a point, the steps that were tried, and why the others were not."""
    tried: list[dict[str, int]] = []
    skipped: list[str] = []
    compared = False
    for times in steps(claim, point.T):
        try:
            axes, a, b = sides(point, claim, times)
        except Missing as reason:
            skipped.append(str(reason))
            continue
        tried.append(times)
        allowed = mask(claim, axes, a.shape[:-2])
        with point.system.scope():
            wrong = point.system.different(a, b)
        if allowed is not None:
            wrong = wrong & allowed[..., None, None]
        compared = compared or allowed is None or bool(allowed.any())
        if wrong.any():
            at = tuple(int(k) for k in np.argwhere(wrong)[0])
            return Difference(times, {i.name: k + 1 for i, k in zip(axes, at, strict=False)}, (at[-2] + 1, at[-1] + 1),
                              a[at], b[at]), tried, skipped
    if tried and not compared:
        raise Unsupported("no component fulfils the conditions at these sizes")
    return None, tried, skipped


# ---------------------------------------------------------------------------------------------------------------- the decision
def compare(claim: Claim, sizes: Sizes | None = None, T: int = 4, points: int | None = None) -> Outcome:
    """Both sides at random points of prime fields, all steps 1..T and all components.

    ``points`` None: as many as an error of 2^-60 needs. Nothing is raised for a claim that cannot be treated: the outcome is
    ``bad``, with the reason.
    """
    full: dict[str, int] = dict(sizes or {})
    try:
        full = complete_sizes(claim, sizes) if sizes is not None else default_sizes(claim)
        return _compare(claim, full, T, points)
    except (Unsupported, Missing, BadPoint) as reason:
        return Outcome("bad", full, T, reason=str(reason))


def good_points(claim: Claim, sizes: Sizes, T: int, pattern: int | None = None, free: Free | None = None,
                ) -> Iterator[tuple[Point, Difference | None, list[dict[str, int]], list[str]]]:
    """Point after point, without the bad ones. Raises BadPoint when RETRIES in a row are bad."""
    seed, number, bad = fingerprint(claim), 0, 0
    while True:
        point = field_point(claim, sizes, T, number, pattern=pattern, seed=seed, free=free)
        number += 1
        try:
            row = (point, *differences(point, claim))
        except BadPoint:
            bad += 1
            if bad == RETRIES:
                raise
            continue
        bad = 0
        yield row


def _compare(claim: Claim, sizes: dict[str, int], T: int, points: int | None) -> Outcome:
    if claim.left.fault or claim.right.fault:
        raise Unsupported(f"an expression without a shape ({claim.left.fault or claim.right.fault})")
    if claim.relation != "=":
        raise Unsupported(f"the relation {claim.relation}")
    free = Free()
    seeds: list[str] = []
    exponent = 0.0
    for point, found, tried, skipped in good_points(claim, sizes, T, free=free):
        assert isinstance(point.system, Field)
        seeds.append(f"{point.system.prime:x}")
        here = tuple(tuple(times.items()) for times in tried)
        if here == ((),) and depends_on_time(claim):
            here = ((("T", T),),)
        if not tried:
            raise Missing(skipped[0] if skipped else "the claim speaks of no step up to T")
        if found and point.system.steps:
            return _with_steps(claim, sizes, T, len(point.system.steps), found, tuple(seeds), here, tuple(skipped))
        if found:
            return Outcome("different", sizes, T, 0, found.times, found.indices, found.entry, tuple(seeds), here, tuple(skipped))
        if not exponent:
            exponent = error_exponent(claim, point, tried)
            points = points or max(1, -(-ENOUGH // max(1, floor(exponent))))
        if len(seeds) >= (points or 1):
            return Outcome("equal", sizes, T, floor(exponent * len(seeds)), None, None, None, tuple(seeds), here, tuple(skipped))
    raise AssertionError("points never end")


def _with_steps(claim: Claim, sizes: dict[str, int], T: int, calls: int, found: Difference, seeds: tuple[str, ...],
                here: tuple[tuple[tuple[str, int], ...], ...], skipped: tuple[str, ...]) -> Outcome:
    """A difference where ``step`` was any number: it counts only if it is there with the values 0 and 1 too.

    With few calls all patterns are tried, which decides; with many, a sample of them can only show a difference.
    """
    every = calls < PATTERNS.bit_length()
    for pattern in range(2**calls) if every else _spread_patterns(calls):
        done = exponent = 0.0
        for point, difference, tried, _ in good_points(claim, sizes, T, pattern):
            if difference:
                return Outcome("different", sizes, T, 0, difference.times, difference.indices, difference.entry, seeds, here,
                               skipped)
            assert isinstance(point.system, Field)
            if len(point.system.steps) > calls:             # the first point stopped before it had seen all calls
                return _with_steps(claim, sizes, T, len(point.system.steps), found, seeds, here, skipped)
            exponent = exponent or error_exponent(claim, point, tried)
            done += exponent
            if done >= ENOUGH or not every:
                break
    if every:
        return Outcome("equal", sizes, T, ENOUGH, seeds=seeds, tried=here, skipped=skipped)
    raise Unsupported("the values 0 and 1 of step were sampled only, without a difference")


def _spread_patterns(calls: int) -> list[int]:
    """A fixed sample of the patterns of ``calls`` bits."""
    return [(k * 0x9E3779B97F4A7C15 >> 7) % 2**calls if k < 60 else k - 60 for k in range(1, PATTERNS)]


def error_exponent(claim: Claim, point: Point, tried: list[dict[str, int]]) -> float:
    """k such that a false claim passes one point with probability 2^-k at most; the weakest of the steps."""
    degrees = Degrees(point)
    pairs = [(degrees.value(claim.left, times), degrees.value(claim.right, times)) for times in tried]
    return max(1.0, min(degrees.exponent(a, b) for a, b in pairs))


def exact_only(claim: Claim, T: int = 4) -> Finite:
    """The verdict that exact evaluation can give alone: ``proved`` for its finite scope, ``agrees`` for all sizes and T.

    A claim that speaks of no size and no step is proved altogether. ``different`` must be certified before it refutes.
    """
    outcome = compare(claim, T=T)
    if outcome.status == "equal" and outcome.exponent >= ENOUGH:
        whole = not outcome.sizes and outcome.tried == ((),)
        return Finite("proved", "proved" if whole else "agrees", outcome.scope, outcome)
    if outcome.status == "equal":
        return Finite("agrees", "agrees", outcome.scope, outcome)
    word = "different" if outcome.status == "different" else "undecided"
    return Finite(word, word, outcome.scope, outcome)
