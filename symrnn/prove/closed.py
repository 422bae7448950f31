"""Closed forms of linear recurrences, for claims that print powers whose exponents count steps.

What solves ``h_t = M h_{t-1} + u_t`` for every t >= 0, where M does not change over time and u does not depend on h, is

    h_t = M^t h_0 + sum over j = 1..t of M^(t-j) u_j

by induction over t: for t = 0 both sides are h_0, and M times the sum up to t-1, with u_t added, is the sum up to t. In the same way
an adjoint ``g_t = N g_{t+1} + v_t`` that is zero after step T is the sum over i = t..T of N^(i-t) v_i, and the derivative of h_t by
h_j is M^(t-j) for j <= t. Here states, adjoints and such derivatives are replaced by these sums, on both sides of a claim.

The powers are left to the normal form as products of unknown matrices: M^(k-j) is Q_k R_j. If the sides are equal for all sequences of
matrices Q and R, they are so for Q_k = M^k and R_j = M^(-j) with any invertible M; and since both sides are continuous in the entries
of M, and the invertible matrices are dense, for every M.
"""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import reduce

from symrnn.bptt import derive
from symrnn.errors import SymrnnError
from symrnn.expr import (
    FIRST,
    LAST,
    NOW,
    SCALAR,
    Expr,
    Symbol,
    Time,
    add,
    eye,
    fix_time,
    free_steps,
    has_powers,
    matmul,
    matrix_power,
    node,
    numeric,
    rebuild,
    retime,
    scale,
    smul,
    symbols,
    time_sum,
    transform,
    transpose,
    walk,
    zeros,
)
from symrnn.model import Model
from symrnn.prove.claim import Claim, Condition, Missing, Unsupported
from symrnn.prove.identity import Proof, Prover

LETTER = "closed"
"""The letter of the sums that closed forms bring in; no text has it."""
WAY = "closed forms of linear recurrences, by induction over t; powers as products of unknown matrices"
"""How a claim is proved here, in words."""


@dataclass(frozen=True)
class Linear:
    """``v[t] = factor v[t + lag] + rest``, where the factor does not change over time and the rest does not depend on v."""

    symbol: Symbol
    factor: Expr
    rest: Expr


def times(a: Expr, b: Expr) -> Expr:
    """The product of a number or matrix with what it acts on."""
    if a.op == "eye":
        return b
    if b.op == "eye":
        return a
    return smul(a, b) if a.shape == SCALAR else matmul(a, b)


def linear(v: Symbol, right: Expr, lag: int) -> Linear | None:
    """The equation of a variable as a linear recurrence in its value ``lag`` steps away; None if it is none.

    >>> from symrnn.model import param, sequence
    >>> h, x, A, B = sequence("h", "n"), sequence("x", "m", kind="input"), param("A", "n", "n"), param("B", "n", "m")
    >>> linear(h.attr, A @ h[-1] + B @ x, -1)
    Linear(symbol=Symbol(name='h', shape=('n', 1), kind='variable', time=Time(base='t', offset=0)), factor=A, rest=B @ x[t])
    """
    found = split(right, replace(v, time=NOW + lag))
    return None if found is None else Linear(v, *found)


def split(e: Expr, s: Symbol) -> tuple[Expr, Expr] | None:
    """What multiplies a symbol from the left, which does not change over time, and the other terms; None where it stands otherwise."""
    factors: list[Expr] = []
    rest: list[Expr] = []
    if any(x.op == "deriv" for x in walk(e)):
        return None
    for term in e.args if e.op == "add" else (e,):
        if not any((x.name, x.kind) == (s.name, s.kind) for x in symbols(term)):
            rest.append(term)
            continue
        factor = _factor(term, s)
        if factor is None:
            return None
        factors.append(factor)
    assert e.shape is not None
    return (add(*factors), add(*rest) if rest else zeros(e.shape)) if factors else None


def _factor(e: Expr, before: Symbol) -> Expr | None:
    """What a term multiplies a symbol by from the left, if that does not change over time; None if it does anything else with it."""
    if e.op == "sym" and e.attr == before:
        return eye(before.shape[0])
    if e.op == "add":
        parts = [_factor(a, before) for a in e.args]
        return None if any(p is None for p in parts) else add(*(p for p in parts if p is not None))
    if e.op not in ("matmul", "smul"):
        return None
    left, right = e.args if e.op == "matmul" or before not in symbols(e.args[0]) else e.args[::-1]
    inner = None if any(s.time is not None or s.kind == "variable" for s in symbols(left)) else _factor(right, before)
    if inner is None or e.op == "smul" and left.shape != SCALAR:
        return None
    return left if inner.op == "eye" and left.shape == inner.shape else smul(left, inner) if left.shape == SCALAR else matmul(left, inner)


@dataclass
class Solved:
    """The linear recurrences of a claim's model, with what was used of them."""

    claim: Claim
    states: dict[str, Linear] = field(default_factory=dict)
    adjoints: dict[str, Linear] = field(default_factory=dict)
    used: dict[str, None] = field(default_factory=dict)
    printed: tuple[tuple[Time, Time], ...] = ()

    @classmethod
    def of(cls, claim: Claim) -> Solved:
        model = claim.model
        out = cls(claim, linear_states(model), printed=tuple(x.attr for side in (claim.left, claim.right) for x in _outside_sums(side)))
        if any(_is_loss(claim, x.args[0]) for side in (claim.left, claim.right) for x in walk(side) if x.op == "deriv"):
            out.adjoints = _adjoints(model)
        return out

    def replaced(self, e: Expr, bound: frozenset[str] = frozenset()) -> Expr:
        """The expression with what is solved in closed form; nothing is replaced at the running step of a sum."""
        if e.op == "sym":
            return self._value(e, bound)
        if e.op == "deriv":
            return self._derivative(e, bound)
        inner = bound | {e.attr[0]} if e.op == "tsum" else bound
        return rebuild(e, tuple(self.replaced(a, inner) for a in e.args))

    def _value(self, e: Expr, bound: frozenset[str]) -> Expr:
        """A variable in closed form, or with its definition if that leads to one."""
        s: Symbol = e.attr
        t = s.time
        if t is None or s.kind != "variable" or t.base in bound:
            return e
        if s.name in self.states:
            if not (t.offset >= 1 if not t.base else -1 <= t.offset <= 0):
                return e
            self.used[s.name] = None
            row = self.states[s.name]
            start = node("sym", attr=replace(s, time=Time("", 0)))
            steps = time_sum(LETTER, FIRST, t, times(matrix_power(row.factor, t, Time(LETTER)), fix_time(row.rest, "t", Time(LETTER))))
            return steps if self._from_zero(s.name) else add(times(matrix_power(row.factor, t, Time("", 0)), start), steps)
        exists = t.offset >= 1 if not t.base else t.offset == 0
        if exists and s.name in self.claim.model.definitions and _upstream(self.claim.model, s.name) & set(self.states):
            self.used[s.name] = None
            return self.replaced(fix_time(self.claim.model.definitions[s.name], "t", t), bound)
        return e

    def _from_zero(self, name: str) -> bool:
        return self.claim.model.initial == "zero" or name in self.claim.subjects("past-zero")

    def _derivative(self, e: Expr, bound: frozenset[str]) -> Expr:
        """An adjoint as a sum, the derivative of a state by itself at another step as a power."""
        top, bottom = e.args
        if e.attr == "immediate" or bottom.op != "sym" or bottom.attr.time is None or bottom.attr.time.base in bound:
            return e
        s: Symbol = bottom.attr
        t = bottom.attr.time
        if _is_loss(self.claim, top):
            if s.name not in self.adjoints or not (t.base and t.offset == 0 or not t.base and t.offset >= 1):
                return e
            self.used[f"adjoint of {s.name}"] = None
            row, i = self.adjoints[s.name], Time(LETTER)
            return time_sum(LETTER, t, LAST, times(matrix_power(row.factor, i, t), fix_time(row.rest, "t", i)))
        if top.op != "sym" or top.attr.kind != "variable" or top.attr.time is None or top.attr.time.base in bound:
            return e
        reach = self._reach(top.attr.name, s.name)
        if reach is None or top.attr.shape[1] != 1 or s.shape[1] != 1:
            return e
        if not self._ordered(top.attr.time, t):
            raise Unsupported("a derivative by what may be of a later step")
        before, state, after = reach
        self.used[state] = None
        return times(before, times(matrix_power(self.states[state].factor, top.attr.time, t), after))

    def _reach(self, top: str, bottom: str) -> tuple[Expr, str, Expr] | None:
        """How a variable depends on another of an earlier step, through one state alone: the factors behind and before its powers."""
        if top in self.states:
            row = self.states[top]
            if bottom == top:
                return eye(row.symbol.shape[0]), top, eye(row.symbol.shape[0])
            source = next((s for s in symbols(row.rest) if (s.name, s.time) == (bottom, NOW)), None)
            found = split(row.rest, source) if source is not None else None
            if source is None or found is None or bottom in self.claim.model.definitions or self._depends(found[1], bottom):
                return None
            return eye(row.symbol.shape[0]), top, found[0]
        if top not in self.claim.model.definitions:
            return None
        right = self.claim.model.definitions[top]
        for s in symbols(right):
            reach = self._reach(s.name, bottom) if s.time == NOW and s.name in self.states else None
            found = split(right, s) if reach is not None else None
            if reach is not None and found is not None and not self._depends(found[1], bottom):
                return times(found[0], reach[0]), reach[1], reach[2]
        return None

    def _depends(self, e: Expr, name: str) -> bool:
        """Whether an expression depends on a quantity at any step."""
        return any(name in _upstream(self.claim.model, s.name) for s in symbols(e))

    def _ordered(self, late: Time, early: Time) -> bool:
        """Whether a step is not before another wherever the printed powers exist."""
        if late.base == early.base:
            return late.offset >= early.offset
        gap = late.offset - early.offset
        return any((a.base, b.base) == (late.base, early.base) and a.offset - b.offset <= gap for a, b in self.printed)


def linear_states(model: Model) -> dict[str, Linear]:
    """The states of a model with linear recurrences of their own."""
    rows = {v.name: linear(v, model.definitions[v.name], -1) for v in model.states}
    return {name: row for name, row in rows.items() if row is not None and not any(
        name in _upstream(model, s.name) for s in symbols(row.rest))}


def solvable(model: Model, name: str) -> bool:
    """Whether a variable is made of states, and all of them have linear recurrences of their own.

    >>> from symrnn.model import param, scalar
    >>> from symrnn.expr import apply
    >>> h, y, w = scalar("h"), scalar("y"), param("w")
    >>> line, curve = Model.build("line", [(h, w * h[-1]), (y, 2 * h)]), Model.build("curve", [(h, apply("tanh", w * h[-1]))])
    >>> solvable(line, "y"), solvable(curve, "h")
    (True, False)
    """
    states = _upstream(model, name) & {s.name for s in model.states}
    return bool(states) and states <= set(linear_states(model))


def _adjoints(model: Model) -> dict[str, Linear]:
    """The adjoint recurrences that are linear with a factor that does not change."""
    if model.loss is None:
        return {}
    try:
        table = derive(model).adjoints
    except SymrnnError as error:
        raise Unsupported(error.came) from None
    loss = model.definitions[model.loss]
    lagged = {s.name for s in symbols(loss) if s.time is not None and s.time.offset}
    rows = {v.name: linear(replace(v, kind="adjoint"), table[v.name], 1) for v in model.variables if v.name in table}
    return {name: row for name, row in rows.items() if row is not None and name not in lagged and all(
        s.time is None or not s.time.offset for s in symbols(row.rest))}


def _is_loss(claim: Claim, e: Expr) -> bool:
    return e.op == "sym" and e.attr == claim.total_loss


def _upstream(model: Model, name: str) -> set[str]:
    """The name and those of everything that its equation is made of, at any step."""
    seen: set[str] = set()
    todo = [name]
    while todo:
        x = todo.pop()
        if x not in seen:
            seen.add(x)
            todo += [s.name for s in symbols(model.definitions[x])] if x in model.definitions else []
    return seen


# ------------------------------------------------------------------------------------------------------------------- the powers
def _outside_sums(e: Expr) -> list[Expr]:
    """The powers that stand in no sum over time."""
    if e.op == "tsum":
        return []
    return [*([e] if e.op == "mpow" else []), *(x for a in e.args for x in _outside_sums(a))]


def check_exponents(e: Expr, ranges: Mapping[str, tuple[Time, Time]] | None = None) -> None:
    """Refuse a power in a sum over time whose exponent may be negative there."""
    ranges = ranges or {}
    if e.op == "mpow" and any(t.base in ranges for t in e.attr):
        last, first = e.attr
        late = ranges[last.base][0] + last.offset if last.base in ranges else last
        early = ranges[first.base][1] + first.offset if first.base in ranges else first
        if last.base in ranges and first.base in ranges or not _never_before(late, early):
            raise Unsupported(f"{e} in a sum, where its exponent may be negative")
    inner = {**ranges, e.attr[0]: e.attr[1:]} if e.op == "tsum" else ranges
    for a in e.args:
        check_exponents(a, inner)


def _never_before(late: Time, early: Time) -> bool:
    """Whether a step is at least another for all values of their letters from 1 on."""
    gap = late.offset - early.offset
    return gap >= 0 if late.base == early.base else gap + 1 >= 0 if not early.base else (late.base, early.base) == ("T", "t") and gap >= 0


def aligned(e: Expr) -> Expr:
    """Every sum over time with its letter counted so that it begins at 1, or at a letter itself; powers gathered.

    >>> from symrnn.expr import symbol
    >>> A, x = symbol("A", ("n", "n"), "parameter"), symbol("x", ("n", 1), "input", Time("j", 1))
    >>> aligned(time_sum("j", Time("", 0), Time("t", -1), matmul(matrix_power(A, Time("t"), Time("j", 1)), x)))
    sum_j=1..t(A^(t - j) @ x[j])
    """
    def change(x: Expr) -> Expr | None:
        if x.op == "mpow":
            (base,) = x.args
            power = matrix_power(transpose(base) if base.op == "transpose" else base, *x.attr)
            return transpose(power) if base.op == "transpose" else power
        if x.op == "matmul":
            return reduce(_joined, _chain(x))
        if x.op == "transpose" and x.args[0].op == "matmul":
            return reduce(_joined, [f for y in reversed(_chain(x.args[0])) for f in _chain(transpose(y))])
        if x.op != "tsum":
            return None
        letter, low, high = x.attr
        k = low.offset - (0 if low.base else 1)
        return x if not k else transform(time_sum(letter, low - k, high - k, retime(x.args[0], lambda t: t + k if t.base == letter else t)),
                                         lambda y: matrix_power(y.args[0], *y.attr) if y.op == "mpow" else None)
    return transform(e, change)


def _chain(e: Expr) -> list[Expr]:
    """The factors of a matrix product, however it is bracketed."""
    return [f for a in e.args for f in _chain(a)] if e.op == "matmul" else [e]


def _joined(left: Expr, right: Expr) -> Expr:
    """The product of what stands left with one more factor; a matrix beside a power of it raises the power."""
    before, near = left.args if left.op == "matmul" else (None, left)
    merged = _merged(near, right)
    return matmul(left, right) if merged is None else merged if before is None else matmul(before, merged)


def _merged(a: Expr, b: Expr) -> Expr | None:
    """One power for two neighbouring ones of one matrix, if their exponents add up to one that counts steps."""
    if a.op == b.op == "transpose" and (inner := _merged(b.args[0], a.args[0])) is not None:
        return transpose(inner)
    if a.op == "mpow" and a.args[0] == b:
        return matrix_power(b, a.attr[0] + 1, a.attr[1])
    if b.op == "mpow" and b.args[0] == a:
        return matrix_power(a, b.attr[0] + 1, b.attr[1])
    if a.op == b.op == "mpow" and a.args == b.args:
        (last, first), (late, early) = a.attr, b.attr
        if first.base == late.base and first.base:
            return matrix_power(a.args[0], last + (late.offset - first.offset), early)
        if late.base and early.base == last.base:
            return matrix_power(a.args[0], late + (last.offset - early.offset), first)
    return None


def unknown_powers(e: Expr, bases: dict[str, Expr]) -> Expr:
    """Every power with a counted exponent as a product of two unknown matrices, one for each end; ``bases`` keeps the names apart."""
    def end(base: Expr, which: str, t: Time) -> Expr:
        assert base.shape is not None
        if bases.setdefault(str(base), base) != base:
            raise Unsupported("powers of two matrices that are written alike")
        return node("sym", attr=Symbol(f"{which} of {base}", base.shape, "input", t))

    def change(x: Expr) -> Expr | None:
        if x.op != "mpow":
            return None
        (base,) = x.args
        if any(True for _ in free_steps(base)) or any(y.op in ("entry", "isum") for y in walk(base)):
            raise Unsupported("the power of a matrix that changes")
        last, first = x.attr
        return times(end(base, "late power", last - first.offset), end(base, "early power", Time(first.base)))
    if any(x.op == "deriv" and has_powers(x) for x in walk(e)):
        raise Unsupported("a derivative of an expression with a power in it")
    return transform(e, change)


def _spread(e: Expr) -> Expr:
    """Products with sums over time taken into the sums, so that powers meet their neighbours."""
    def change(x: Expr) -> Expr | None:
        if x.op not in ("matmul", "smul", "transpose"):
            return None
        for k, a in enumerate(x.args):
            c, rest = numeric(a)
            if rest.op == "tsum" and not any(t.base == rest.attr[0] for other in x.args if other is not a for t in free_steps(other)):
                parts = tuple(rest.args[0] if n == k else y for n, y in enumerate(x.args))
                return scale(c, Expr("tsum", (change(body) or body,), rest.attr)) if (body := rebuild(x, parts)) else None
            if rest.op == "add" and any(y.op == "tsum" for y in rest.args):
                terms = (rebuild(x, tuple(y if n == k else z for n, z in enumerate(x.args))) for y in rest.args)
                return scale(c, add(*(change(term) or term for term in terms)))
        return None
    return transform(e, change)


# -------------------------------------------------------------------------------------------------------------------- the proof
def prove_closed(claim: Claim) -> Proof | None:
    """The proof of a claim with powers whose exponents count steps, for all sizes and every T, or None.

    >>> from symrnn.model import param, sequence
    >>> h, x, A = sequence("h", "n"), sequence("x", "n", kind="input"), param("A", "n", "n")
    >>> model = Model.build("linear", [(h, A @ h[-1] + x)], initial="zero")
    >>> powers = time_sum("j", FIRST, NOW, matrix_power(A, NOW, Time("j")) @ retime(x, lambda t: Time("j")))
    >>> print(*prove_closed(Claim(h, powers, model)).obligations, sep="\\n")
    the recurrence of h in closed form, by induction over t
    both sides have one normal form
    >>> prove_closed(Claim(h, A @ powers, model)) is None
    True
    """
    if claim.relation != "=" or not has_powers(claim.left, claim.right):
        return None
    try:
        return _proved(claim)
    except (Unsupported, Missing):
        return None


def from_zero(claim: Claim) -> Claim:
    """The claim for a network whose states are zero before the first step."""
    states = sorted({s.name for s in claim.model.states} - set(claim.subjects("past-zero"))) if claim.model.initial != "zero" else ()
    added = tuple(Condition("past-zero", (name,), f"{name}_0 = 0") for name in states)
    return replace(claim, conditions=(*claim.conditions, *added))


def closed_from_zero(claim: Claim) -> tuple[tuple[Condition, ...], Proof] | None:
    """The facts about the states before the first step under which a claim with powers is proved, and the proof; None if none prove it."""
    whole = from_zero(claim)
    added = whole.conditions[len(claim.conditions):]
    printed = {s.name for side in (claim.left, claim.right) for s in symbols(side) if s.time is not None and not s.time.base}
    if printed & {c.subject[0] for c in added}:                       # what a claim prints it does not take to be zero
        return None
    proof = prove_closed(whole) if added else None
    return None if proof is None else (added, proof)


def _proved(claim: Claim) -> Proof | None:
    sides = (claim.left, claim.right)
    for side in sides:
        check_exponents(side)
    solved = Solved.of(claim)
    bases: dict[str, Expr] = {}
    left, right = (unknown_powers(aligned(_spread(solved.replaced(side))), bases) for side in sides)
    found = Prover(replace(claim, left=left, right=right)).prove()
    if found is None:
        return None
    shown = tuple(f"the recurrence of {name} in closed form, by induction over t" for name in solved.used)
    outside = dict.fromkeys([*found.outside, *(words for pair in solved.printed if (words := _missing(*pair)))])
    zero = claim.model.initial == "zero"
    facts = dict.fromkeys([*found.facts, *(f"{name} starts at zero" for name in solved.used if zero and name in solved.states)])
    return replace(found, obligations=(*shown, *found.obligations), inlined=tuple(dict.fromkeys([*solved.used, *found.inlined])),
                   facts=tuple(facts), outside=tuple(outside))


def _missing(last: Time, first: Time) -> str:
    """Where a printed power has a negative exponent, in words; '' if nowhere."""
    return "" if _never_before(last, first) else f"{last - first.offset} < {Time(first.base)}"
