"""Proofs of identities for all sizes and all T: normal forms, definitions put in on demand, sums over t, boundary cases.

A proof is a list of obligations, each discharged by equality of normal forms:

* the *generic* case, with the definitions put in at ``t+k`` for k in a window;
* the *boundary* cases at the first and last steps that the window leaves out, with the facts that hold there (an adjoint beyond
  T is zero, the state before the first step is given or zero);
* for sums over t: equality of the summands after the ranges were made equal, terms at the ends counted apart;
* the *small T* for which the argument does not hold (both ends meet, a definition used at T-2): each with its sums written out.

A step at which a printed symbol does not exist lies outside the claim and is listed as such; inside a sum over t there is no
such step, the claim is then not proved.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from symrnn.expr import Symbol, Time
from symrnn.prove.claim import Claim, Unsupported
from symrnn.prove.forms import BOUND, Form, Range, Term, never_negative
from symrnn.prove.meaning import Meaning, Notes, inside

ROUNDS = 6
"""How many times definitions are put in before a way is given up; the proofs of the tests need at most 3."""
MANY = 200
"""Beyond this many terms no further definition is put in."""
STEPS = 4
"""At how many different steps the definition of one quantity is put in; doing so again and again proves nothing."""
Align = Callable[["Prover", Form], Form]
SMALL = 8
"""The most small T that are treated one by one."""


@dataclass(frozen=True)
class Proof:
    """What a proof rests on: obligations (in words), rewrites, definitions put in, facts, and the steps outside the claim."""

    obligations: tuple[str, ...]
    rules: tuple[str, ...]
    inlined: tuple[str, ...]
    facts: tuple[str, ...]
    outside: tuple[str, ...]


@dataclass(frozen=True)
class Window:
    """Which steps may have their definitions put in: offsets of ``base`` from low to high, at a fixed place or a generic one.

    ``given``: T is known to be at least this, because the step of the case exists.
    """

    base: str = "t"
    low: int = -3
    high: int = 3
    given: int = 1


@dataclass(frozen=True)
class Route:
    """Both sides after one way of aligning their sums, with what that rests on."""

    way: str
    left: Form
    right: Form
    notes: Notes


class Prover(Meaning):
    """Prove one claim; :meth:`prove` gives a Proof or None (not proved, which refutes nothing)."""

    def __init__(self, claim: Claim) -> None:
        super().__init__(claim)
        self.ended = claim.states("before-end")

    def prove(self) -> Proof | None:
        """The proof, or None; Unsupported when a construct is outside the normal form."""
        if self.claim.relation != "=":
            raise Unsupported(f"the relation {self.claim.relation}")
        self.check(self.claim.left, self.claim.right)
        left, right = self.lower(self.claim.left), self.lower(self.claim.right)
        if left.labels != right.labels or not self.equal(left, right) or not self.small(left, right):
            return None
        n = self.notes
        return Proof(*(tuple(x) for x in (n.obligations, n.rules, n.inlined, n.facts, n.outside)))

    def attempt(self, way: Callable[[], bool]) -> bool:
        """Try one way; what a failed one noted is forgotten."""
        before = self.notes.copy()
        done = way()
        if not done:
            self.notes = before
        return done

    def state(self, obligation: str) -> bool:
        """Record what was shown."""
        self.notes.obligations[obligation] = None
        return True

    # -------------------------------------------------------------------------------------------------------- sums over t
    def equal(self, left: Form, right: Form) -> bool:
        """Equality of two forms that may carry sums over time."""
        if left == right or self.algebra.counted(left) == self.algebra.counted(right):
            return self.state("both sides have one normal form")
        left, right = self.at_last(self.opened(left)), self.at_last(self.opened(right))
        if not any(t.over for f in (left, right) for t, _ in f.terms):
            return self.attempt(lambda: self.pointwise(left, right))
        routes: dict[tuple[Form, Form], Route] = {}
        for way, f, g in ALIGNED:
            pair, notes = self.apart(partial(lambda f, g: (f(self, left), g(self, right)), f, g))
            routes.setdefault(pair, Route(way, *pair, notes))
        return any(self.attempt(partial(self.equal_sums, route, rounds))
                   for rounds in (0, ROUNDS) for route in routes.values())  # first without definitions: most need none

    def opened(self, f: Form) -> Form:
        """Put in the sums over t that define the total loss and the gradients."""
        pick = [s for s in f.symbols() if s == self.claim.total_loss or s.kind == "gradient"]
        values = {s: d for s in pick if (d := self.definition(s)) is not None}
        for s in values:
            self.notes.inlined[str(s)] = None
        return self.algebra.substitute(f, values)

    def at_last(self, f: Form) -> Form:
        """Every sum to T over what is zero before the last step, as its last term."""
        if not self.at_end:
            return f
        values = {s: d for s in f.symbols() if s.kind == "adjoint" and s.time is not None and s.time.base == BOUND
                  and (d := self.definition(s)) is not None and all(map(self.marked, d.terms))}
        f = self.algebra.substitute(f, values)
        pieces = [self.algebra.form(f.labels, {})]
        for t, c in f.terms:
            whole = t.over is not None and t.over[1] == Time("T") and t.over[0] in (Time("", 1), Time("t"))
            body = self.algebra.form(f.labels, {t if not whole else Term(t.parts): c})
            pieces.append(self.algebra.place(body, BOUND, Time("T")) if whole and self.marked((t, c), 0) else
                          self.algebra.form(f.labels, {t: c}))
        return self.algebra.add(*pieces)

    def marked(self, term: tuple[Term, Fraction], offset: int | None = None) -> bool:
        """Whether a product has a factor that is zero before the last step (of the step with this offset, if it is given)."""
        marks = [a.symbol.time for a, _, _ in term[0].flat() if a.symbol is not None and a.symbol.name in self.at_end]
        return any(t is not None and offset in (None, t.offset) for t in marks)

    def ranged(self, f: Form, move: int | None) -> Form:
        """Every sum over t brought to 1..T (or t..T, 1..t), re-indexed by ``move`` (None: so that its latest step is t).

        A range that is empty with a negative count for some T is left as it is: its end terms would not cancel there.
        """
        A = self.algebra
        pieces = [A.form(f.labels, {t: c for t, c in f.terms if t.over is None})]
        for t, c in f.terms:
            if t.over is None:
                continue
            lo, hi = t.over
            body = A.form(f.labels, {Term(t.parts): c})
            k = -max((x.offset for x in body.times() if x.base == BOUND), default=0) if move is None else move
            body, lo, hi = A.shift(body, k, BOUND), lo - k, hi - k  # the summand k steps later, the range k earlier
            if lo.base not in ("", "t") or hi.base not in ("t", "T") or lo.base == hi.base or not never_negative((lo, hi)):
                pieces.append(A.form(f.labels, {Term(v.parts, (lo, hi)): d for v, d in body.terms}))
                continue
            begin = 0 if lo.base else 1                             # ranges 1..T, t..T and 1..t are the ones kept
            pieces.append(A.form(f.labels, {Term(v.parts, (Time(lo.base, begin), Time(hi.base))): d for v, d in body.terms}))
            ends = [(Time(lo.base, n), 1) for n in range(lo.offset, begin)]
            ends += [(Time(lo.base, n), -1) for n in range(begin, lo.offset)]
            ends += [(Time(hi.base, n), 1) for n in range(1, hi.offset + 1)]
            ends += [(Time(hi.base, n), -1) for n in range(hi.offset + 1, 1)]
            pieces += [A.scale(sign, A.place(body, BOUND, at)) for at, sign in ends]
        return A.add(*pieces)

    def equal_sums(self, route: Route, rounds: int) -> bool:
        """Equality of the summands, range by range, after both sides were aligned in one way."""
        self.notes.add(route.notes)
        if route.way:
            self.state(route.way)
        sides = route.left, route.right
        ranges = {t.over for f in sides for t, _ in f.terms}
        for over in sorted(ranges, key=lambda o: "" if o is None else f"{o[0]}..{o[1]}"):
            a, b = (self.algebra.form(f.labels, {Term(t.parts): c for t, c in f.terms if t.over == over}) for f in sides)
            if over is not None and a != b and not inside(over):
                return False
            if not self.pointwise(a, b, over, rounds):
                return False
        return True

    # ------------------------------------------------------------------------------------------------- one step at a time
    def pointwise(self, left: Form, right: Form, over: Range | None = None, rounds: int = ROUNDS) -> bool:
        """Equality at every step t = 1..T, or of a range in it: the generic case and the cases at the ends."""
        if left == right:
            return self.state("the summands have one normal form" if over else "one normal form")
        base = BOUND if over else "t"
        reach = self.unfold(left, right, Window(base), rounds)
        if reach is None:
            return False
        low, high = min([0, *reach]), max([0, *reach])
        self.state(f"generic t, definitions put in at t{low:+d}..t{high:+d}")
        if low and high:
            self.notes.least = max(self.notes.least, high - low)
        begin = over[0].offset if over and not over[0].base else 1
        end = -over[1].offset if over and over[1].base == "T" else int(self.ended and not over)
        starts = [(Time("", n), Window("", n + low, n + high, n)) for n in range(begin, 1 - low)]
        ends = [(Time("T", -n), Window("T", low - n, high - n, n + 1)) for n in range(end, high)]
        return all(self.case(left, right, base, at, window) for at, window in starts + ends)

    def case(self, left: Form, right: Form, base: str, at: Time, window: Window) -> bool:
        """One step at an end."""
        left, right = self.algebra.place(left, base, at), self.algebra.place(right, base, at)
        beyond = base == "t" and f"t = {at}" in self.notes.outside       # a symbol that a derivative was expanded from
        if beyond or not self.all_exist(left, right):
            self.notes.outside[f"t = {at}"] = None
            return base != BOUND
        return self.unfold(left, right, window) is not None and self.state(f"the step t = {at}")

    def all_exist(self, *forms: Form) -> bool:
        return all(self.exists(s) for f in forms for s in f.symbols())

    # ------------------------------------------------------------------------------------------------------------ small T
    def small(self, left: Form, right: Form) -> bool:
        """The T below ``least``, one by one, with every sum over t written out."""
        if self.notes.least > SMALL:
            return False
        left, right = self.opened(left), self.opened(right)
        generic = any(x.base == "t" for f in (left, right) for x in self.all_times(f))
        for last in range(1, self.notes.least):
            self.last = last
            try:
                for n in range(1, last + (not self.ended)) if generic else (None,):
                    if not self.attempt(partial(self.instance, left, right, last, n)):
                        return False
            finally:
                self.last = None
        return True

    def instance(self, left: Form, right: Form, last: int, step: int | None) -> bool:
        """The claim at one T and one t."""
        name = f"T = {last}" + (f", t = {step}" if step else "")
        a, b = self.written_out(left, last, step), self.written_out(right, last, step)
        if f"t = {step}" in self.notes.outside or not self.all_exist(a, b):
            self.notes.outside[name] = None
            return True
        return self.unfold(a, b, Window("", 1, last, last)) is not None and self.state(f"the case {name}")

    def written_out(self, f: Form, last: int, step: int | None) -> Form:
        """A form at one T and one t, its sums over t as sums of their terms."""
        A = self.algebra

        def fixed(x: Time) -> Time:
            if x.base == "T":
                return Time("", last + x.offset)
            return Time("", step + x.offset) if x.base == "t" and step is not None else x
        pieces = [A.form(f.labels, {})]
        for t, c in f.terms:
            body = A.retime(A.form(f.labels, {Term(t.parts): c}), fixed)
            if t.over is None:
                pieces.append(body)
                continue
            lo, hi = map(fixed, t.over)
            if lo.base or hi.base:
                raise Unsupported(f"a sum over {lo}..{hi}")
            pieces += [A.place(body, BOUND, Time("", n)) for n in range(lo.offset, hi.offset + 1)]
        return A.add(*pieces)

    def all_times(self, f: Form) -> Iterator[Time]:
        yield from f.times()
        yield from (x for t, _ in f.terms if t.over for x in t.over)

    # ---------------------------------------------------------------------------------------------- definitions on demand
    def unfold(self, left: Form, right: Form, window: Window, rounds: int = ROUNDS) -> list[int] | None:
        """Put in definitions on demand until the forms are equal; the offsets used, or None. One order of doing so, then others."""
        for pick in (self.pick, self.topmost, self.last_computed):
            before = self.notes.copy()
            reach = self.unfold_by(pick, left, right, window, rounds)
            if reach is not None:
                return reach
            self.notes = before
        return None

    def unfold_by(self, choose: Callable[[Form, Form, Window], list[Symbol]], left: Form, right: Form, window: Window,
                  rounds: int) -> list[int] | None:
        """The same in one order."""
        reach: list[int] = []
        done: dict[tuple[str, str], set[Time | None]] = {}
        for k in range(rounds + 1):
            if left == right or self.cleared(left, right):
                return reach
            if k == rounds or len(left.terms) + len(right.terms) > MANY:
                return None
            pick = [s for s in choose(left, right, window)
                    if len(done.setdefault((s.name, s.kind), set()) | {s.time}) <= STEPS]
            if not pick:
                return None
            values: dict[Symbol, Form] = {}
            for s in pick:
                d = self.definition(s)
                assert d is not None and s.time is not None
                values[s] = d
                done[s.name, s.kind].add(s.time)
                self.notes.inlined[f"adjoint of {s.name}" if s.kind == "adjoint" else s.name] = None
                if s.time.base == window.base:
                    reach.append(s.time.offset)
                need = {"": s.time.offset, "T": 1 - s.time.offset}.get(s.time.base, 1)
                if need > window.given and self.last is None:       # the step of the definition exists for larger T only
                    self.notes.least = max(self.notes.least, need)
            left, right = self.algebra.substitute(left, values), self.algebra.substitute(right, values)
        return None

    def may(self, s: Symbol, window: Window) -> bool:
        """Whether the definition of a symbol may be put in: it has one, and its step lies in the window and in 1..T."""
        t = s.time
        if t is None or (s.name not in self.order and not (s.kind == "adjoint" and s.name in self.inputs)):
            return False
        if s.kind not in ("variable", "adjoint"):
            return False
        if t.base == window.base and not window.low <= t.offset <= window.high:
            return False
        if not t.base:
            first = self.first[s.name] if s.kind == "adjoint" and s.name in self.states else 1
            return t.offset >= first and (self.last is None or t.offset <= self.last)
        if t.base == "T":
            return t.offset <= 0
        return t.base == window.base

    def upstream(self, group: list[Symbol]) -> list[Symbol]:
        """Of adjoints of one step, those of the variable computed first: the definition of its adjoint mentions the others."""
        rank = {s: self.order.get(s.name, -1) for s in group}
        return [s for s in group if rank[s] == min(rank.values())]

    def pick(self, left: Form, right: Form, window: Window) -> list[Symbol]:
        """The symbols to put in next: first what only one side mentions, intermediate quantities before states."""
        a, b = left.symbols(), right.symbols()
        every = [s for s in {**a, **b} if self.may(s, window)]
        single = [s for s in every if (s in a) != (s in b)]

        def turned(s: Symbol) -> bool:
            return s.name in self.model.backward

        def key(s: Symbol) -> int:
            offset = s.time.offset if s.time is not None else 0
            return -offset if turned(s) else offset

        def earliest(group: list[Symbol]) -> list[Symbol]:
            return [s for s in group if key(s) == min(map(key, group))] if group else []

        def latest(group: list[Symbol]) -> list[Symbol]:
            return [s for s in group if key(s) == max(map(key, group))] if group else []

        for group in (single, every):
            back = [s for s in group if s.kind == "adjoint"]
            forward = [s for s in group if s.kind == "variable"]
            inner_back, inner = ([s for s in side if s.name not in self.states] for side in (back, forward))
            later = [s for s in back if any(o.kind == "adjoint" and o.time is not None and key(o) > key(s) and turned(o) == turned(s)
                                            for o in {**a, **b})]
            earlier = [s for s in forward if any(o.name in self.states and o.kind == "variable" and o.time is not None
                                                 and key(o) < key(s) and turned(o) == turned(s) for o in {**a, **b})]
            choice = inner_back or self.upstream(earliest(later)) or (earliest(back) if group is single else [])
            choice = choice or [s for s in every if s.kind == "adjoint" and s.name not in self.states]
            choice = choice or inner or latest(earlier) or latest(forward)
            if choice:
                return choice
        return []

    def topmost(self, left: Form, right: Form, window: Window) -> list[Symbol]:
        """The adjoint of one side whose definition mentions the others: of the earliest step, and there of what is computed first."""
        a, b = left.symbols(), right.symbols()
        single = [s for s in {**a, **b} if s.kind == "adjoint" and s.time is not None and (s in a) != (s in b) and self.may(s, window)]
        first = [s for s in single if s.time is not None and s.time.offset == min(o.time.offset for o in single if o.time is not None)]
        values = [s for s in {**a, **b} if s.kind == "variable" and (s in a) != (s in b) and s.name not in self.states
                  and self.may(s, window)]
        return self.upstream(first) if first else values or self.pick(left, right, window)

    def last_computed(self, left: Form, right: Form, window: Window) -> list[Symbol]:
        """After the adjoints the variable of a step that is computed last: what it is made of may then cancel."""
        chosen = self.pick(left, right, window)
        every = [s for s in {**left.symbols(), **right.symbols()} if s.kind == "variable" and self.may(s, window)]
        inner = [s for s in every if s.name not in self.states]
        if not inner or any(s.kind == "adjoint" for s in chosen):
            return chosen
        top = max(self.order[s.name] for s in inner)
        return [s for s in inner if self.order[s.name] == top]

    def cleared(self, left: Form, right: Form) -> bool:
        """Equality after multiplying by the denominators, where they are reciprocals of whole forms without dummies."""
        A = self.algebra
        d = A.subtract(left, right)
        for _ in range(4):
            if d.is_zero:
                A.note("clearing denominators")
                return True
            found = next(((a, ix) for t, _ in d.terms for part in t.parts for a, ix, e in part
                          if a.kind == "f" and a.name == "recip" and all(x[0] != "#" for x in ix)), None)
            if found is None:
                return False
            a, ix = found
            power = max(e for t, _ in d.terms for part in t.parts for b, jx, e in part if (b, jx) == found)
            whole = A.argument(a, ix)
            pieces = []
            for t, c in d.terms:
                own = sum(e for part in t.parts for b, jx, e in part if (b, jx) == found)
                rest = tuple(p for part in t.parts if (p := tuple(f for f in part if (f[0], f[1]) != found)))
                pieces.append(A.times(A.form(d.labels, {Term(rest, t.over): c}), A.power(whole, power - own)))
            d = A.add(*pieces)
        return d.is_zero


#: Ways to give both sides the same ranges: in words, what is done to the left side, what to the right side.
ALIGNED: tuple[tuple[str, Align, Align], ...] = (
    ("", lambda p, f: f, lambda p, f: f),
    ("constants taken out of the sums", lambda p, f: p.algebra.counted(f), lambda p, f: p.algebra.counted(f)),
    ("ranges brought to t = 1..T, end terms counted apart", lambda p, f: p.ranged(f, 0), lambda p, f: p.ranged(f, 0)),
    ("the right sum re-indexed by +1", lambda p, f: p.ranged(f, 0), lambda p, f: p.ranged(f, 1)),
    ("the right sum re-indexed by -1", lambda p, f: p.ranged(f, 0), lambda p, f: p.ranged(f, -1)),
    ("every sum re-indexed so that its latest step is t", lambda p, f: p.ranged(f, None), lambda p, f: p.ranged(f, None)),
)
