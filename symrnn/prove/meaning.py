"""What the symbols of a claim mean: the facts that hold, the steps at which a symbol exists, definitions, derivative nodes.

A derivative node becomes the form of an adjoint or gradient of the loss, or is expanded along the equations. A definition is put
in only where it holds at every step that the claim speaks of (1..T, less the steps at which a printed symbol does not exist);
anything else is refused, because the first steps of a recurrence differ from the later ones.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from symrnn.bptt import Derivation, derive
from symrnn.errors import SymrnnError
from symrnn.expr import (
    FIRST,
    LAST,
    NOW,
    SCALAR,
    Expr,
    Index,
    Size,
    Symbol,
    Time,
    add,
    derivative,
    lift,
    node,
    symbols,
    time_sum,
    walk,
    zeros,
)
from symrnn.prove.algebra import Algebra
from symrnn.prove.claim import Claim, Unsupported
from symrnn.prove.forms import BOUND, Atom, Form
from symrnn.prove.lower import Lowering, axes_of, relabel

ROUNDS = 10
At = tuple[Index | int | None, ...]
Result = TypeVar("Result")


@dataclass
class Notes:
    """What a proof rests on: obligations (in words), rewrites, definitions put in, facts, and the steps outside the claim.

    ``least``: the argument holds for T >= least; smaller T need cases of their own.
    """

    obligations: dict[str, None] = field(default_factory=dict)
    rules: dict[str, None] = field(default_factory=dict)
    inlined: dict[str, None] = field(default_factory=dict)
    facts: dict[str, None] = field(default_factory=dict)
    outside: dict[str, None] = field(default_factory=dict)
    least: int = 1

    def copy(self) -> Notes:
        return replace(self, obligations=dict(self.obligations), rules=dict(self.rules), inlined=dict(self.inlined),
                       facts=dict(self.facts), outside=dict(self.outside))

    def add(self, other: Notes) -> None:
        """Take over what a remembered result rests on."""
        self.rules.update(other.rules)
        self.facts.update(other.facts)


class Meaning:
    """The facts, definitions and derivative nodes of one claim."""

    def __init__(self, claim: Claim) -> None:
        self.claim, self.model = claim, claim.model
        self.order = {e.name: n for n, e in enumerate(self.model.equations)}
        self.states = {s.name for s in self.model.states}
        self.inputs = {s.name for s in self.model.inputs}
        self.last: int | None = None                                # T as a number, in the cases of small T
        self.notes = Notes()
        self.zeros = claim.subjects("zero")
        self.past = claim.subjects("past-zero")
        self.at_end = claim.subjects("at-end")
        self.ahead = _ahead(claim, set(self.first))
        names, apart = self._indices()
        simplex = self.model.simplex | {str(s) for s in claim.subjects("simplex")}
        if simplex & {str(s) for s in self.zeros | self.past}:
            raise Unsupported("conditions that contradict each other: a vector that sums to one and is zero")
        self.algebra = Algebra(simplex, self.is_zero, apart, lambda rule: self.notes.rules.setdefault(rule), self.is_one)
        self.lower = Lowering(self.algebra, names, self.local)
        self._plain = Lowering(self.algebra)                        # for the equations of the model: no names, no letter around
        self._definitions: dict[tuple[Symbol, int | None], tuple[Form, Notes]] = {}
        self._uses: dict[str, set[str]] = {}

    def _indices(self) -> tuple[dict[str, str], list[frozenset[str]]]:
        """The conditions on component indices: names that are one, labels that are apart."""
        conditions = self.claim.conditions
        names = {str(c.subject[1]): str(c.subject[0]) for c in conditions if c.kind == "equal"}
        apart = [frozenset("@" + names.get(str(i), str(i)) for i in c.subject) for c in conditions if c.kind == "distinct"]
        if any(len(pair) < 2 for pair in apart):
            raise Unsupported("conditions that contradict each other: two indices equal and not equal")
        return names, apart

    # ------------------------------------------------------------------------------------------------------------ facts
    @cached_property
    def first(self) -> dict[str, int]:
        """The first step at which each quantity of the model exists: 1, or earlier for what is used at earlier steps."""
        out: dict[str, int] = {}
        for e in self.model.equations:
            for s in (e.left, *symbols(e.right)):
                if s.time is not None:
                    out[s.name] = min(out.get(s.name, 1), 1 + s.time.offset)
        return out

    @cached_property
    def beyond_last(self) -> dict[str, int]:
        """How many steps after the last one what runs backward is given."""
        found: dict[str, int] = {}
        for s in (s for e in self.model.equations for s in symbols(e.right) if s.time is not None and s.name in self.model.backward):
            found[s.name] = max(found.get(s.name, 0), s.time.offset if s.time else 0)
        return found

    def is_zero(self, s: Symbol) -> bool:
        """The named facts that make a symbol zero."""
        t = s.time
        fact = ""
        if s.kind == "adjoint":
            if s.name in self.model.backward:
                fact = "the adjoints before step 1 of what runs backward are zero" if t is not None and not t.base and t.offset < 1 else ""
            elif t is not None and ((t.base == "T" and t.offset > 0)
                                    or (not t.base and self.last is not None and t.offset > self.last)):
                fact = "the adjoints after step T are zero"
        elif s.kind == "gradient":
            return False
        elif s.name in self.at_end:
            return t is not None and self._before_end(t)
        elif s.name in self.zeros:
            fact = f"{s.name} = 0"
        elif t is not None and not t.base and t.offset <= 0:
            if s.name in self.past:
                fact = f"{s.name} is zero before the first step"
            elif self.model.initial == "zero" and s.name in self.states:
                fact = f"{s.name} starts at zero"
        if fact:
            self.notes.facts[fact] = None
        return bool(fact)

    def is_one(self, s: Symbol) -> bool:
        """Whether a number marks the last step, and its step is the last."""
        t = s.time
        return s.name in self.at_end and t is not None and (t == Time("T") or not t.base and t.offset == self.last)

    def _before_end(self, t: Time) -> bool:
        """Whether a step is known to lie before T; every step t that the claim speaks of is at most T, or so far before it."""
        if not t.base:
            return self.last is not None and t.offset < self.last
        return t.base == "T" and t.offset < 0 or t.base == "t" and t.offset < self.ahead

    def exists(self, s: Symbol) -> bool:
        """Whether the symbol exists at its step; of what the model does not define, nothing is known and it is taken to."""
        t = s.time
        if t is None or t.base not in ("", "T") or s.name not in self.first:
            return True
        beyond = self.beyond_last.get(s.name, 0)
        if t.base == "T":
            return t.offset <= beyond
        return t.offset >= self.first[s.name] and (self.last is None or t.offset <= self.last + beyond)

    def check(self, *sides: Expr) -> None:
        """Refuse a claim whose symbols are not those of the model: a symbol of another shape or kind is another quantity."""
        for x in (x for side in sides for x in walk(side)):
            if x.op == "delta":
                self._check_delta(x, sides)
            for size, k in reached(x):
                if isinstance(size, str) and k > 1:
                    self.notes.outside[f"{size} < {k}"] = None
            if x.op != "sym" or x.attr == self.claim.total_loss:
                continue
            s: Symbol = x.attr
            try:
                own = self.model.symbol(s.name)
            except KeyError:
                continue
            kinds = (own.kind,) if s.kind not in ("adjoint", "gradient") else (s.kind,)
            if (s.shape, s.time is None) != (own.shape, own.time is None) or s.kind not in kinds:
                raise Unsupported(f"{s} is not the {s.name} of the model")

    def _check_delta(self, x: Expr, sides: tuple[Expr, ...]) -> None:
        """A number beside an index in a delta must be one that the size is known to reach."""
        sizes = [i.size for i in x.attr if isinstance(i, Index)]
        if len(set(sizes)) > 1:
            raise Unsupported(f"{x} between indices of different sizes")
        for k in x.attr:
            if not sizes or isinstance(k, Index):
                continue
            printed = sizes[0] if isinstance(sizes[0], int) else max(
                (m for side in sides for y in walk(side) for size, m in reached(y) if size == sizes[0]), default=1)
            if not 1 <= k <= printed:
                raise Unsupported(f"{x}, when nothing says that {sizes[0]} is at least {k}")

    # ------------------------------------------------------------------------------------------------------ definitions
    @cached_property
    def derivation(self) -> Derivation:
        try:
            return derive(self.model, self.model.constants)
        except SymrnnError:                                           # an operation on a constant may have no rule where it needs none
            return derive(self.model)

    def definition(self, s: Symbol) -> Form | None:
        """The form that defines a symbol at its step, or None."""
        key = s, self.last
        if key not in self._definitions:
            e = self._definition(s)
            if e is None:
                return None
            at = s.time
            self._definitions[key] = self.apart(
                lambda: self._plain(e) if at is None else self.algebra.place(self._plain(e), "t", at))
        f, notes = self._definitions[key]
        self.notes.add(notes)
        return f

    def apart(self, make: Callable[[], Result]) -> tuple[Result, Notes]:
        """A result with what it alone rests on, so that whoever uses it can add that to the notes."""
        outer, self.notes = self.notes, Notes()
        try:
            return make(), self.notes
        finally:
            self.notes = outer

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
            found = lift(1) if s.kind == "adjoint" and s.name == self.model.loss else table.get(s.name)
            given = s.time is not None and not s.time.base and s.time.offset < 1
            if s.name in self.model.backward and s.time is not None and s.time.base in ("", "T") and not self._in_between(s.time):
                return None                                           # the state after the last step is given
            return self._from_first(found, s) if found is not None and given else found
        return None

    def _in_between(self, t: Time) -> bool:
        """Whether a step from an end of the sequence is known to be one of 1..T."""
        return t.offset <= 0 if t.base == "T" else t.offset >= 1 and (self.last is None or t.offset <= self.last)

    def _from_first(self, adjoint: Expr, s: Symbol) -> Expr:
        """The adjoint of a state that is given: what the equations of the steps from the first on add to it, and no others."""
        assert s.time is not None
        loss = self.model.definitions[self.model.loss or ""]
        if any(x.name == s.name and x.time is not None and x.time.offset for x in symbols(loss)):
            raise Unsupported(f"the adjoint of {s}, which the loss of a later step mentions")
        kept = []
        for term in adjoint.args if adjoint.op == "add" else (adjoint,):
            steps = {x.time.offset for x in symbols(term) if x.kind == "adjoint" and x.time is not None}
            if len(steps) > 1:
                raise Unsupported(f"the adjoint of {s}, whose terms are of several steps")
            if steps and s.time.offset + min(steps) >= 1:
                kept.append(term)
        return add(*kept) if kept else zeros(s.shape)

    def depends(self, name: str, on: str) -> bool:
        """Whether a variable depends on a quantity through the equations, at any step."""
        if name not in self._uses:
            used: set[str] = set()
            todo = [name]
            while todo:
                right = self.model.definitions.get(todo.pop())
                new = {s.name for s in symbols(right)} - used if right is not None else set()
                used |= new
                todo += new
            self._uses[name] = used
        return on in self._uses[name]

    # ------------------------------------------------------------------------------------------------ derivative nodes
    def local(self, lower: Lowering, e: Expr) -> Form:
        """The form of a derivative node: an adjoint or gradient of the loss, or a derivative along the equations."""
        top, bottom = e.args
        at: At | None = None
        if bottom.op == "entry":
            at, bottom = bottom.attr, bottom.args[0]
        if bottom.op != "sym":
            raise Unsupported("a derivative by something that is not a symbol")
        s = lower.symbol(bottom.attr)
        if top.op == "sym" and top.attr == self.claim.total_loss and self.model.loss is not None:
            if s.name in self.forward and not self.claim.states("immediate") and not self.model.backward:
                loss = node("sym", attr=Symbol(self.model.loss, SCALAR, "variable", NOW))
                return lower(time_sum("t", FIRST, LAST, derivative(loss, e.args[1], "total")))
            return self._loss_derivative(lower, s, bottom, at)
        if self.model.backward:
            raise Unsupported("a derivative within a network that runs in both directions")
        if self.is_zero(s) or (s.name in self.algebra.simplex and s.kind in ("target", "input")):
            raise Unsupported(f"the derivative by {s}, which a condition ties down")
        if e.attr == "total" and self._is_behind(lower, top, s):
            return self._sensitivity(lower, top, s, e, at)
        f = self.expand(lower(top), s, lower)
        if top.op in ("sym", "entry") and s not in f.symbols():
            raise Unsupported(f"no definition connects {top} with {s}")
        axes = axes_of(e)
        if at is not None:
            labels = lower.labels(at, bottom.attr.shape)
        else:
            own = [x for x, _ in f.labels]
            labels = [x for x, _ in axes if x not in own] if own and axes_of(bottom) else [x for x, _ in axes_of(bottom)]
            if own and axes_of(bottom) and len(labels) != 1:
                raise Unsupported("a derivative of rank 3 or more")
        found = self.algebra.derivative(f, s, labels)
        if s.time is None and e.attr == "total" and not self.claim.states("immediate"):
            found = self.algebra.add(found, *(self._through(f, u, s, labels) for u in self._dependent(f, s)))
        return self.algebra.form(axes, dict(found.terms))

    @cached_property
    def forward(self) -> Mapping[str, int]:
        """What the claim takes total derivatives of variables by -> how many steps after t the latest of these variables is."""
        out: dict[str, int] = {}
        for d in (x for side in (self.claim.left, self.claim.right) for x in walk(side) if x.op == "deriv" and x.attr == "total"):
            top, bottom = (a.args[0] if a.op == "entry" else a for a in d.args)
            if top.op == bottom.op == "sym" and top.attr.kind == "variable" and top.attr.time is not None and bottom.attr.time is None:
                out[bottom.attr.name] = max(top.attr.time.offset, out.get(bottom.attr.name, top.attr.time.offset))
        return out

    def _is_behind(self, lower: Lowering, top: Expr, s: Symbol) -> bool:
        """Whether a derivative is of a variable of an earlier step than others of the claim, whose definitions lead to it."""
        top = top.args[0] if top.op == "entry" else top
        if top.op != "sym" or top.attr.kind != "variable" or s.time is not None or self.claim.states("immediate"):
            return False
        u = lower.symbol(top.attr)
        return u.time is not None and u.time.base in ("t", BOUND) and u.time.offset < self.forward.get(s.name, u.time.offset) and (
            self.depends(u.name, s.name))

    def _sensitivity(self, lower: Lowering, top: Expr, s: Symbol, e: Expr, at: At | None) -> Form:
        """The total derivative of a variable as a quantity of its own, of which nothing more has to be known."""
        axes = axes_of(e)
        if top.op == "entry":
            top, inner = top.args[0], lower.labels(top.attr, top.args[0].attr.shape)
        else:
            inner = [x for x, _ in axes_of(top)]
        outer = [x for x, _ in axes if x not in inner] if at is None else lower.labels(at, s.shape)
        return self.algebra.form(axes, dict(self._carried(lower.symbol(top.attr), s, inner, outer).terms))

    def _carried(self, u: Symbol, s: Symbol, inner: Sequence[str], outer: Sequence[str]) -> Form:
        """The derivative of one variable by a parameter, in labels for the components of both."""
        sizes = [n for n in (*u.shape, *s.shape) if n != 1]
        if len(sizes) != len(inner) + len(outer):
            raise Unsupported("a derivative of rank 3 or more")
        own = Symbol(f"{u.name} by {s.name}", u.shape, "sensitivity", u.time)
        return self.algebra.of(Atom("v", symbol=own, slots=tuple(sizes)), [*inner, *outer])

    def _through(self, f: Form, u: Symbol, s: Symbol, outer: Sequence[str]) -> Form:
        """What of the derivative of a form by a parameter comes through a variable of an earlier step, by the chain rule."""
        inner = [(f"%{next(self.algebra.fresh)[1:]}", n) for n in u.shape if n != 1]
        labels = [x for x, _ in inner]
        slope = self.algebra.derivative(f, u, labels)
        product = self.algebra.contract([(slope, [x for x, _ in slope.labels]), (self._carried(u, s, labels, outer), ())], slope.labels)
        for axis in inner:
            product = self.algebra.sum_over(product, *axis)
        return product

    def _loss_derivative(self, lower: Lowering, s: Symbol, bottom: Expr, at: At | None) -> Form:
        kind = "gradient" if s.kind in ("parameter", "constant") else "adjoint"
        if s.kind not in ("parameter", "constant", "variable", "input") or (kind == "adjoint" and s.time is None):
            raise Unsupported(f"the derivative of the loss by {s}")
        axes = axes_of(bottom)
        f = self.algebra.symbol(Symbol(s.name, s.shape, kind, s.time), axes)
        if at is None:
            return f
        labels = lower.labels(at, s.shape)
        return relabel(self.algebra, self.algebra.form((), dict(f.terms)),
                       dict(zip([x for x, _ in axes], labels, strict=True)))

    def expand(self, f: Form, s: Symbol, lower: Lowering) -> Form:
        """Put in the definitions between f and s, so that s stands in the open."""
        self._refuse(f, s)
        printed = [u for u in (*f.symbols(), s) if u.time is not None and u.name in self.first]
        tops = self._dependent(f, s)
        if s.time is not None and any(u.time is not None and u.time.base != s.time.base for u in tops):
            raise Unsupported("a derivative between steps with different time letters")
        steps = {u.time for u in tops}
        if s.time is None and len(steps) > 1:
            raise Unsupported(f"the derivative by {s} of quantities of several steps")
        for _ in range(ROUNDS):
            pick = [u for u in self._dependent(f, s) if (u.time in steps if s.time is None else self._between(u, s))]
            if not pick:
                break
            for u in pick:
                self._holds(u, printed, lower)
            f = self.algebra.substitute(f, {u: self._put_in(u) for u in pick})
        else:
            raise Unsupported("a derivative across too many steps")
        return f

    def _refuse(self, f: Form, s: Symbol) -> None:
        """What has a derivative that no equation of the model gives."""
        for u in f.symbols():
            if u.kind in ("adjoint", "gradient") or (u.name == self.model.total and u.time is None):
                raise Unsupported(f"the derivative of an expression with {u} in it")
            if u.kind == "variable" and u.time is not None and u.name not in self.order and u != s:
                raise Unsupported(f"the derivative of {u}, which no equation defines")
        tied = sorted(str(name) for name in self.zeros if name in self.order)
        if tied:
            raise Unsupported(f"a derivative where {', '.join(tied)} is set to zero")

    def _dependent(self, f: Form, s: Symbol) -> list[Symbol]:
        """The variables in f, other than s, that depend on s (the state before the first step is given and does not)."""
        return [u for u in f.symbols() if u.kind == "variable" and u.time is not None and u != s and self.depends(u.name, s.name)
                and (u.time.base or u.time.offset > 0)]

    def _between(self, u: Symbol, s: Symbol) -> bool:
        assert u.time is not None and s.time is not None
        if u.time.offset == s.time.offset:
            return self.order[u.name] > self.order.get(s.name, -1)
        return u.time.offset > s.time.offset

    def _holds(self, u: Symbol, printed: Iterable[Symbol], lower: Lowering) -> None:
        """Refuse the definition of u unless it holds at every step the derivative speaks of."""
        t = u.time
        assert t is not None
        if t.base == BOUND:
            assert lower.over is not None
            lo, hi = lower.over
            if not inside((lo + t.offset, hi + t.offset)):
                raise Unsupported(f"a derivative in a sum that runs to steps at which {u.name} has no definition")
        elif t.base in ("t", "T"):
            starts = [1, *(self.first[v.name] - v.time.offset for v in printed if v.time is not None and v.time.base == t.base)]
            if max(starts) + t.offset < 1:
                raise Unsupported(f"a derivative through {u}, which is given and not computed at the first step")
            for n in range(1, 1 - t.offset):
                self.notes.outside[f"{t.base} = {n}"] = None
        elif t.base:
            raise Unsupported(f"a derivative at a step {t} of unknown range")

    def _put_in(self, u: Symbol) -> Form:
        f = self.definition(u)
        assert f is not None
        self.notes.inlined[u.name] = None
        return f


def _ahead(claim: Claim, known: set[str]) -> int:
    """How many steps after t the claim speaks of outside its sums, so that t lies at least so many before T."""
    found, todo = [0, int(claim.states("before-end"))], [claim.left, claim.right]
    while todo:
        x = todo.pop()
        if x.op == "sym" and x.attr.name in known and x.attr.time is not None and x.attr.time.base == "t":
            found.append(x.attr.time.offset)
        todo += () if x.op == "tsum" else x.args
    return max(found)


def inside(over: tuple[Time, Time]) -> bool:
    """Whether a range lies in 1..T (only there do the definitions hold)."""
    lo, hi = over
    return ((not lo.base and lo.offset >= 1) or (lo.base == "t" and lo.offset >= 0)) and hi.base in ("t", "T") and hi.offset <= 0


def reached(e: Expr) -> Iterator[tuple[Size, int]]:
    """The fixed components that a node prints: the size of the axis and the number."""
    if e.op == "entry" and e.args[0].shape is not None:
        yield from ((n, k) for n, k in zip(e.args[0].shape, e.attr, strict=True) if isinstance(k, int))
