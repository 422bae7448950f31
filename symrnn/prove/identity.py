"""Proofs of identities for all sizes and all T: normal forms, definitions put in on demand, sums over t, boundary cases.

A proof is a list of obligations, each discharged by equality of normal forms:

* the *generic* case, with the definitions put in at ``t+k`` for k in a window;
* the *boundary* cases at the first and last steps that the window leaves out, with the facts that hold there (an adjoint beyond
  T is zero, the state before the first step is given or zero), and the few small T in which both ends meet;
* for sums over t: equality of the summands after the ranges were made equal, terms at the ends counted apart.

A step at which a printed symbol does not exist lies outside the claim and is listed as such.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from symrnn.bptt import Derivation, derive
from symrnn.errors import SymrnnError
from symrnn.expr import Expr, Index, Symbol, Time, symbols
from symrnn.model import FIRST, LAST
from symrnn.prove.algebra import Algebra
from symrnn.prove.claim import Claim, Unsupported
from symrnn.prove.forms import BOUND, Form, Range, Term
from symrnn.prove.lower import Lowering, axes_of, relabel

ROUNDS = 10
MANY = 400
"""Beyond this many terms no further definition is put in."""
WHOLE: Range = (FIRST, LAST)


@dataclass
class Proof:
    """What a proof rests on: obligations (in words), rewrites, definitions put in, facts, and the steps outside the claim."""

    obligations: list[str] = field(default_factory=list)
    rules: tuple[str, ...] = ()
    inlined: dict[str, None] = field(default_factory=dict)
    facts: dict[str, None] = field(default_factory=dict)
    outside: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Window:
    """Which steps may have their definitions put in: offsets of ``base`` from low to high, at a fixed place or a generic one."""

    base: str = "t"
    low: int = -3
    high: int = 3


class Prover:
    """Prove one claim; :meth:`prove` gives a Proof or None (not proved, which refutes nothing)."""

    def __init__(self, claim: Claim) -> None:
        self.claim, self.model = claim, claim.model
        self.order = {e.name: n for n, e in enumerate(self.model.equations)}
        self.states = {s.name for s in self.model.states}
        self.last: int | None = None                                # T as a number, in the cases of small T
        self.proof = Proof()
        self._derivation: Derivation | None = None
        names = {str(c.subject[1]): str(c.subject[0]) for c in claim.conditions if c.kind == "equal"}
        apart = [frozenset("@" + names.get(str(i), str(i)) for i in c.subject) for c in claim.conditions if c.kind == "distinct"]
        simplex = self.model.simplex | {str(s) for s in claim.subjects("simplex")}
        self.algebra = Algebra(simplex, self.is_zero, apart)
        self.lower = Lowering(self.algebra, names, self.local)
        self._definitions: dict[Symbol, Form] = {}

    # ------------------------------------------------------------------------------------------------------------ facts
    def is_zero(self, s: Symbol) -> bool:
        """The named facts that make a symbol zero."""
        t = s.time
        fact = ""
        if s.name in self.claim.subjects("zero") and s.kind not in ("adjoint", "gradient"):
            fact = f"{s.name} = 0"
        elif t is not None and s.kind == "adjoint":
            if (t.base == "T" and t.offset > 0) or (not t.base and self.last is not None and t.offset > self.last):
                fact = "the adjoints after step T are zero"
        elif t is not None and not t.base and t.offset <= 0:
            if s.name in self.claim.subjects("past-zero"):
                fact = f"{s.name} is zero before the first step"
            elif self.model.initial == "zero" and s.name in self.states and t.offset == 0:
                fact = f"{s.name} starts at zero"
        if fact:
            self.proof.facts[fact] = None
        return bool(fact)

    def exists(self, s: Symbol) -> bool:
        """Whether the symbol exists at its step."""
        t = s.time
        if t is None or t.base not in ("", "T"):
            return True
        first = 0 if s.name in self.states else 1
        if t.base == "T":
            return t.offset <= 0
        return t.offset >= first and (self.last is None or t.offset <= self.last)

    # ------------------------------------------------------------------------------------------------------ definitions
    @property
    def derivation(self) -> Derivation:
        if self._derivation is None:
            self._derivation = derive(self.model)
        return self._derivation

    def definition(self, s: Symbol) -> Form | None:
        """The form that defines a symbol at its step, or None."""
        if s in self._definitions:
            return self._definitions[s]
        e = self._definition(s)
        if e is None:
            return None
        f = self.lower(e)
        if s.time is not None:
            at = s.time
            f = self.algebra.retime(f, lambda x: at + x.offset if x.base == "t" else x)
        if self.last is None:
            self._definitions[s] = f
        return f

    def _definition(self, s: Symbol) -> Expr | None:
        if s == self.claim.total_loss and self.model.loss is not None:
            return self.model.total_loss
        if s.kind == "variable" and s.time is not None:
            return self.model.definitions.get(s.name)
        if s.kind in ("adjoint", "gradient"):
            if self.model.loss is None:
                raise Unsupported("a gradient in a model without a loss")
            try:
                table = self.derivation.adjoints if s.kind == "adjoint" else self.derivation.gradients
            except SymrnnError as error:
                raise Unsupported(error.came) from None
            return table.get(s.name)
        return None

    # ------------------------------------------------------------------------------------------------ derivative nodes
    def local(self, lower: Lowering, e: Expr) -> Form:
        """The form of a derivative node: an adjoint or gradient of the loss, or a derivative along the equations."""
        top, bottom = e.args
        at: tuple[Index | int | None, ...] | None = None
        if bottom.op == "entry":
            at, bottom = bottom.attr, bottom.args[0]
        if bottom.op != "sym":
            raise Unsupported("a derivative by something that is not a symbol")
        s = lower.symbol(bottom.attr)
        if top.op == "sym" and top.attr == self.claim.total_loss and self.model.loss is not None:
            return self._loss_derivative(lower, s, bottom, at)
        f = self.expand(lower(top), s, e.attr)
        if top.op in ("sym", "entry") and s not in f.symbols():
            raise Unsupported(f"no definition connects {top} with {s}")
        axes = axes_of(e)
        if at is not None:
            labels = [lower.label(i) for i, n in zip(at, bottom.attr.shape, strict=True) if n != 1 and i is not None]
        else:
            own = [x for x, _ in f.labels]
            labels = [x for x, _ in axes if x not in own] if own and axes_of(bottom) else [x for x, _ in axes_of(bottom)]
            if own and axes_of(bottom) and len(labels) != 1:
                raise Unsupported("a derivative of rank 3 or more")
        return self.algebra.form(axes, dict(self.algebra.derivative(f, s, labels).terms))

    def _loss_derivative(self, lower: Lowering, s: Symbol, bottom: Expr, at: tuple[Index | int | None, ...] | None) -> Form:
        kind = "gradient" if s.kind == "parameter" else "adjoint"
        if s.kind not in ("parameter", "variable", "input") or (kind == "adjoint" and s.time is None):
            raise Unsupported(f"the derivative of the loss by {s}")
        axes = axes_of(bottom)
        f = self.algebra.symbol(Symbol(s.name, s.shape, kind, s.time), axes)
        if at is None:
            return f
        labels = [lower.label(i) for i, n in zip(at, s.shape, strict=True) if n != 1 and i is not None]
        return relabel(self.algebra, self.algebra.form((), dict(f.terms)),
                       dict(zip([x for x, _ in axes], labels, strict=True)))

    def depends(self, name: str, on: str, seen: frozenset[str] = frozenset()) -> bool:
        """Whether a variable depends on a quantity through the equations, at any step."""
        if name in seen or name not in self.model.definitions:
            return False
        used = {s.name for s in symbols(self.model.definitions[name])}
        return on in used or any(self.depends(u, on, seen | {name}) for u in used)

    def expand(self, f: Form, s: Symbol, mode: str) -> Form:
        """Put in the definitions between f and s, so that s stands in the open."""
        immediate = mode == "immediate" or self.claim.states("immediate")
        latest = max((t.offset for t in f.times()), default=0)
        for _ in range(ROUNDS):
            pick = [u for u in f.symbols() if u.kind == "variable" and u != s and u.time is not None
                    and self.depends(u.name, s.name) and self._between(u, s, latest)]
            if not pick:
                break
            f = self.algebra.substitute(f, {u: self._checked(u) for u in pick})
        else:
            raise Unsupported("a derivative across too many steps")
        if s.time is None and not immediate:
            through = [u for u in f.symbols() if u.kind == "variable" and self.depends(u.name, s.name)]
            if through:
                raise Unsupported(f"the total derivative by {s} through earlier steps; only the immediate one is expanded")
        return f

    def _between(self, u: Symbol, s: Symbol, latest: int) -> bool:
        assert u.time is not None
        if s.time is None:
            return u.time.offset == latest
        if u.time.base != s.time.base:
            raise Unsupported("a derivative between steps with different time letters")
        if u.time.offset == s.time.offset:
            return self.order[u.name] > self.order.get(s.name, -1)
        return u.time.offset > s.time.offset

    def _checked(self, u: Symbol) -> Form:
        f = self.definition(u)
        assert f is not None
        self.proof.inlined[u.name] = None
        return f

    # ------------------------------------------------------------------------------------------------------------ proofs
    def prove(self) -> Proof | None:
        """The proof, or None; Unsupported when a construct is outside the normal form."""
        left, right = self.lower(self.claim.left), self.lower(self.claim.right)
        if left.labels != right.labels:
            return None
        if not self.equal(left, right):
            return None
        self.proof.rules = tuple(self.algebra.used)
        return self.proof

    def equal(self, left: Form, right: Form) -> bool:
        """Equality of two forms that may carry sums over time."""
        if left == right:
            self.proof.obligations.append("both sides have one normal form")
            return True
        left, right = self._open(left), self._open(right)
        if not any(t.over for f in (left, right) for t, _ in f.terms):
            return self.pointwise(left, right, "t")
        for rounds in (0, ROUNDS):                                  # first without any definition: most re-indexings need none
            for way, l, r in self._aligned(left, right):
                before = len(self.proof.obligations)
                if self._equal_sums(l, r, rounds):
                    if way:
                        self.proof.obligations.insert(before, way)
                    return True
                del self.proof.obligations[before:]
        return False

    def _open(self, f: Form) -> Form:
        """Put in the sums over t that define the total loss and the gradients."""
        pick = [s for s in f.symbols() if s == self.claim.total_loss or s.kind == "gradient"]
        values = {s: d for s in pick if (d := self.definition(s)) is not None}
        for s in values:
            self.proof.inlined[str(s)] = None
        return self.algebra.substitute(f, values)

    def _aligned(self, left: Form, right: Form) -> Iterator[tuple[str, Form, Form]]:
        """Ways to give both sides the same ranges."""
        yield "", left, right
        yield "ranges brought to t = 1..T, end terms counted apart", self.ranged(left, 0), self.ranged(right, 0)
        for k in (1, -1):
            yield f"the right sum re-indexed by {k:+d}", self.ranged(left, 0), self.ranged(right, k)
        yield "every sum re-indexed so that its latest step is t", self.ranged(left, None), self.ranged(right, None)

    def ranged(self, f: Form, move: int | None) -> Form:
        """Every sum over t brought to t = 1..T, re-indexed by ``move`` (None: so that its latest step is t)."""
        A = self.algebra
        out = A.form(f.labels, {t: c for t, c in f.terms if t.over is None})
        for t, c in f.terms:
            if t.over is None:
                continue
            lo, hi = t.over
            body = A.form(f.labels, {Term(t.parts): c})
            k = -max((x.offset for x in body.times() if x.base == BOUND), default=0) if move is None else move
            body = A.retime(body, lambda x, k=k: x + k if x.base == BOUND else x)     # summand at #+k, so # runs over lo-k..hi-k
            lo, hi = lo - k, hi - k
            if lo.base or hi.base != "T":
                out = A.add(out, A.form(f.labels, {u: d for v, d in body.terms for u in [Term(v.parts, (lo, hi))]}))
                continue
            out = A.add(out, A.form(f.labels, {Term(v.parts, WHOLE): d for v, d in body.terms}))
            ends = [(Time("", n), 1) for n in range(lo.offset, 1)] + [(Time("", n), -1) for n in range(1, lo.offset)]
            ends += [(Time("T", n), 1) for n in range(1, hi.offset + 1)] + [(Time("T", n), -1) for n in range(hi.offset + 1, 1)]
            for at, sign in ends:
                term = A.retime(body, lambda x, at=at: at + x.offset if x.base == BOUND else x)
                out = A.add(out, A.scale(sign, term))
        return out

    def _equal_sums(self, left: Form, right: Form, rounds: int) -> bool:
        ranges = {t.over for f in (left, right) for t, _ in f.terms}
        for over in sorted(ranges, key=lambda o: "" if o is None else f"{o[0]}..{o[1]}"):
            l, r = (self.algebra.form(f.labels, {Term(t.parts): c for t, c in f.terms if t.over == over}) for f in (left, right))
            if over is not None and (l != r) and not self._inside(over):
                return False
            if not self.pointwise(l, r, "t" if over is None else BOUND, rounds):
                return False
        return True

    def _inside(self, over: Range) -> bool:
        """Whether a range lies in 1..T (only there do the definitions hold)."""
        lo, hi = over
        return ((not lo.base and lo.offset >= 1) or (lo.base == "t" and lo.offset >= 0)) and \
            ((hi.base == "T" and hi.offset <= 0) or (hi.base == "t" and hi.offset <= 0))

    def pointwise(self, left: Form, right: Form, base: str, rounds: int = ROUNDS) -> bool:
        """Equality at every step of 1..T: the generic case and the cases at the ends."""
        if left == right:
            self.proof.obligations.append("the summands have one normal form" if base == BOUND else "one normal form")
            return True
        reach = self.unfold(left, right, Window(base), rounds)
        if reach is None:
            return False
        low, high = min(reach, default=0), max(reach, default=0)
        low, high = min(low, 0), max(high, 0)
        letter = "t"
        self.proof.obligations.append(f"generic {letter}, definitions put in at {letter}{low:+d}..{letter}{high:+d}")
        cases = [(Time("", n), None) for n in range(1, 1 - low)] + [(Time("T", -n), None) for n in range(high)]
        if low and high:
            cases += [(Time("", n), last) for last in range(1, high - low + 1) for n in range(1, last + 1)]
        return all(self._case(left, right, base, at, last, low, high) for at, last in cases)

    def _case(self, left: Form, right: Form, base: str, at: Time, last: int | None, low: int, high: int) -> bool:
        """One step at an end."""
        A = self.algebra
        self.last = last
        try:
            def move(x: Time) -> Time:
                x = at + x.offset if x.base == base else x
                return Time("", last + x.offset) if last is not None and x.base == "T" else x
            l, r = A.retime(left, move), A.retime(right, move)
            name = f"t = {at}" + (f", T = {last}" if last is not None else "")
            if not all(self.exists(s) for f in (l, r) for s in f.symbols()):
                self.proof.outside.append(name)
                return True
            window = Window(at.base, at.offset + low, at.offset + high)
            done = self.unfold(l, r, window) is not None
            if done:
                self.proof.obligations.append(f"the step {name}")
            return done
        finally:
            self.last = None

    def unfold(self, left: Form, right: Form, window: Window, rounds: int = ROUNDS) -> list[int] | None:
        """Put in definitions on demand until the forms are equal; the offsets used, or None."""
        reach: list[int] = []
        for k in range(rounds + 1):
            if left == right or self._cleared(left, right):
                return reach
            if k == rounds or len(left.terms) + len(right.terms) > MANY:
                return None
            pick = self._pick(left, right, window)
            if not pick:
                return None
            values: dict[Symbol, Form] = {}
            for s in pick:
                d = self.definition(s)
                assert d is not None
                values[s] = d
                self.proof.inlined[f"adjoint of {s.name}" if s.kind == "adjoint" else s.name] = None
                if s.time is not None and s.time.base == window.base:
                    reach.append(s.time.offset)
            left, right = self.algebra.substitute(left, values), self.algebra.substitute(right, values)
        return None

    def _may(self, s: Symbol, window: Window) -> bool:
        """Whether the definition of a symbol may be put in: it exists and its step lies in the window and in 1..T."""
        t = s.time
        if t is None:
            return False
        if s.kind == "adjoint" and s.name not in self.order and s.name not in {i.name for i in self.model.inputs}:
            return False
        if s.kind not in ("variable", "adjoint") or (s.kind == "variable" and s.name not in self.order):
            return False
        if t.base == window.base and not window.low <= t.offset <= window.high:
            return False
        if not t.base:
            return t.offset >= 1 and (self.last is None or t.offset <= self.last)
        if t.base == "T":
            return t.offset <= 0
        return t.base == window.base

    def _pick(self, left: Form, right: Form, window: Window) -> list[Symbol]:
        """The symbols to put in next: first what only one side mentions, intermediate quantities before states."""
        a, b = left.symbols(), right.symbols()
        every = [s for s in {**a, **b} if self._may(s, window)]
        single = [s for s in every if (s in a) != (s in b)]

        def key(s: Symbol) -> int:
            return s.time.offset if s.time is not None else 0

        def earliest(group: list[Symbol]) -> list[Symbol]:
            return [s for s in group if key(s) == min(map(key, group))] if group else []

        def latest(group: list[Symbol]) -> list[Symbol]:
            return [s for s in group if key(s) == max(map(key, group))] if group else []

        for group in (single, every):
            back = [s for s in group if s.kind == "adjoint"]
            forward = [s for s in group if s.kind == "variable"]
            inner_back, inner = ([s for s in side if s.name not in self.states] for side in (back, forward))
            later = [s for s in back if any(o.kind == "adjoint" and o.time is not None and key(o) > key(s) for o in {**a, **b})]
            earlier = [s for s in forward if any(o.name in self.states and o.kind == "variable" and o.time is not None
                                                 and key(o) < key(s) for o in {**a, **b})]
            choice = inner_back or earliest(later) or (earliest(back) if group is single else []) or inner or latest(earlier)
            choice = choice or latest(forward)
            if choice:
                return choice
        return []

    def _cleared(self, left: Form, right: Form) -> bool:
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
            out = A.form(d.labels, {})
            for t, c in d.terms:
                own = sum(e for part in t.parts for b, jx, e in part if (b, jx) == found)
                rest = tuple(p for part in t.parts if (p := tuple(f for f in part if (f[0], f[1]) != found)))
                term = A.form(d.labels, {Term(rest, t.over): c})
                out = A.add(out, A.times(term, A.power(whole, power - own)))
            d = out
        return d.is_zero
