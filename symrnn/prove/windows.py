"""Proofs by induction over t: a state that shifts its entries and takes in the newest input is a window of the inputs.

For ``h_t = (h_{t-1}[2:p], x_t)`` the induction shows ``h_t = (x_{t-p+1}, ..., x_t)`` for every t >= 0 and every p:

* base: ``h_0`` and the window that ends at step 0 are both zero, by the facts that hold before the first step;
* step: with the hypothesis for ``h_{t-1}`` in the definition of ``h_t``, both are one list of segments.

Where nothing is said of the steps before the first, the induction is over the entries that were taken in: whatever the state was,
k steps later its last k entries are a window, so that from t = p on it is one. That proves a claim which prints a window of the
inputs, for it does not speak of earlier steps.

Then each state is replaced by its window, every vector by its list of segments, and the sides are compared; what surrounds the
vectors (``a^T h_t``) is left to the normal form, which sees each list as one unknown vector.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations

from symrnn.expr import (
    NOW,
    SCALAR,
    Expr,
    Linear,
    Size,
    Symbol,
    Time,
    fix_time,
    node,
    part,
    rebuild,
    resize,
    shift,
    stack,
    symbols,
    total_size,
    transform,
    walk,
    window,
)
from symrnn.model import Equation, Model
from symrnn.prove.claim import Claim, Condition, Missing, Unsupported
from symrnn.prove.grid import Free
from symrnn.prove.identity import Proof, Prover
from symrnn.prove.meaning import Meaning
from symrnn.prove.segments import Segmenter

PARTS = ("cat", "slice", "window")
"""The operations that make vectors of segments."""
BARRED = ("deriv", "tsum")
START = Time("", 0)


@dataclass
class Induction:
    """The states of a model that are windows, with what was shown for each."""

    meaning: Meaning
    segmenter: Segmenter
    values: dict[str, Expr] = field(default_factory=dict)              # state -> the window that it is at step t
    shown: dict[str, list[str]] = field(default_factory=dict)
    used: dict[str, None] = field(default_factory=dict)

    @classmethod
    def over(cls, claim: Claim) -> Induction:
        meaning = Meaning(claim)
        out = cls(meaning, Segmenter(meaning.is_zero))
        for v in claim.model.variables:
            if v.shape != SCALAR and v.shape[1] == 1 and v.time == NOW:
                for candidate in _candidates(claim.model, v):
                    if out.holds(v, candidate):
                        break
        return out

    def holds(self, v: Symbol, candidate: Expr) -> bool:
        """Whether ``v_t`` is the candidate for every t >= 0; remembers it then."""
        right = _inlined(self.meaning.model, v)
        before = replace(v, time=NOW - 1)
        hypothesis = shift(candidate, -1)
        state = node("sym", attr=replace(v, time=START))
        try:
            base = self.segmenter.segments(state) == self.segmenter.segments(fix_time(candidate, "t", START))
            given = transform(right, lambda x: hypothesis if x.op == "sym" and x.attr == before else None)
            if not base or self.segmenter.segments(given) != self.segmenter.segments(candidate):
                return False
        except Unsupported:
            return False
        self.values[v.name] = candidate
        self.shown[v.name] = [
            f"base: {state} and {fix_time(candidate, 't', START)} are zero",
            f"step: with {node('sym', attr=before)} = {hypothesis} the definition of {v.name} gives {candidate}",
            f"so {node('sym', attr=v)} = {candidate} for every t >= 0"]
        return True

    def replaced(self, e: Expr) -> Expr:
        """The expression with every state that is a window replaced by it, at the steps 0, 1, ... of which that was shown."""
        def change(x: Expr) -> Expr | None:
            s: Symbol | None = x.attr if x.op == "sym" and x.attr.kind == "variable" else None
            if s is None or s.time is None or s.name not in self.values:
                return None
            if s.time.base not in ("t", "T", "") or s.time.offset < (-1 if s.time.base else 0):
                return None
            self.used[s.name] = None
            at = s.time
            return fix_time(self.values[s.name], "t", at)
        return transform(e, change)


def _candidates(model: Model, v: Symbol) -> Iterator[Expr]:
    """The windows that a state may be: of the scalar sequences in its definition, up to their latest step there."""
    right = _inlined(model, v)
    if any(x.op in PARTS for x in walk(right)):
        for s in symbols(right):
            if s.shape == SCALAR and s.time is not None and s.kind not in ("adjoint", "gradient"):
                yield window(node("sym", attr=s), v.shape[0])


def _inlined(model: Model, v: Symbol) -> Expr:
    """The definition of a variable with the vectors of the same step put in."""
    def change(x: Expr) -> Expr | None:
        s = x.attr if x.op == "sym" and x.shape != SCALAR and x.attr.kind == "variable" else None
        return model.definitions.get(s.name) if s is not None and s.time == NOW else None
    out = model.definitions[v.name]
    for _ in model.equations:
        out = transform(out, change)
    return out


# ------------------------------------------------------------------------------------------------------------------ the proof
def concerns(claim: Claim) -> bool:
    """Whether a claim or the definitions that it uses speak of stacks, slices or windows, and of no derivative or sum over t."""
    sides = (claim.left, claim.right)
    if any(x.op in BARRED or (x.op == "sym" and x.attr.kind in ("adjoint", "gradient")) for e in sides for x in walk(e)):
        return False
    return any(x.op in PARTS for e in (*sides, *claim.model.definitions.values()) for x in walk(e))


def prove_windows(claim: Claim) -> Proof | None:
    """The proof of a claim about windows, stacks and slices for all sizes and every T, or None.

    >>> from symrnn.expr import part, stack
    >>> from symrnn.model import scalar, sequence
    >>> h, x = sequence("h", "p"), scalar("x", "input")
    >>> model = Model.build("delay line", [(h, stack(part(h[-1], 2, "p"), x))])
    >>> given = (Condition("past-zero", ("x",)), Condition("past-zero", ("h",)))
    >>> print(*prove_windows(Claim(h, window(x, "p"), model, "=", given)).obligations, sep="\\n")
    base: h[0] and window(x[0], p) are zero
    step: with h[t-1] = window(x[t-1], p) the definition of h gives window(x[t], p)
    so h[t] = window(x[t], p) for every t >= 0
    both sides are window(x[t], p)
    >>> prove_windows(Claim(h, window(x, "p"), model)).outside
    ('t < p',)
    """
    if claim.relation != "=" or not concerns(claim):
        return None
    return _first_proof(claim, (_as_printed, _by_induction, _by_definition, _when_full))


def _first_proof(claim: Claim, ways: Iterable[Callable[[Claim], Proof | None]]) -> Proof | None:
    for way in ways:
        try:
            found = way(claim)
        except (Unsupported, Missing):
            continue
        if found is not None:
            return found
    return None


def _as_printed(claim: Claim) -> Proof | None:
    meaning = Meaning(claim)
    return _compared(claim, meaning, Segmenter(meaning.is_zero), lambda e: e, lambda: ([], ()))


def _by_induction(claim: Claim) -> Proof | None:
    induction = Induction.over(claim)
    if not induction.values:
        return None

    def shown() -> tuple[list[str], tuple[str, ...]]:
        return [line for name in induction.used for line in induction.shown[name]], tuple(induction.used)
    return _compared(claim, induction.meaning, induction.segmenter, induction.replaced, shown)


def _by_definition(claim: Claim) -> Proof | None:
    """With the definitions of the vectors of step t put in once."""
    meaning = Meaning(claim)
    used: dict[str, None] = {}

    def change(x: Expr) -> Expr | None:
        s = x.attr if x.op == "sym" and x.attr.kind == "variable" else None
        if s is None or s.time != NOW or s.shape == SCALAR or s.name not in claim.model.definitions:
            return None
        used[s.name] = None
        return claim.model.definitions[s.name]
    return _compared(claim, meaning, Segmenter(meaning.is_zero), lambda e: transform(e, change), lambda: ([], tuple(used)))


def _when_full(claim: Claim) -> Proof | None:
    """With every state that is a window once it is full replaced by it, if the claim speaks of no earlier step."""
    meaning = Meaning(claim)
    full = {v.name: c for v in claim.model.variables if v.time == NOW and v.shape != SCALAR and v.shape[1] == 1
            for c in _candidates(claim.model, v) if _fills(meaning, v, c)}
    first = [step for side in (claim.left, claim.right) for x in walk(side) if (step := _first_step(x, meaning)) is not None]
    used: dict[str, None] = {}

    def change(x: Expr) -> Expr | None:
        s: Symbol | None = x.attr if x.op == "sym" and x.attr.kind == "variable" else None
        if s is None or s.name not in full or s.time is None:
            return None
        needed = Linear.of(full[s.name].attr) - s.time.offset         # the first step at which it is full
        gaps = [(begin - needed).least for base, begin in first if base == s.time.base]
        if not any(gap is not None and gap >= 0 for gap in gaps):
            return None
        used[s.name] = None
        return fix_time(full[s.name], "t", s.time)

    def shown() -> tuple[list[str], tuple[str, ...]]:
        return [line for name in used for line in _filling(name, full[name])], tuple(used)
    left, right = (transform(_by_states(claim.model, side, full), change) for side in (claim.left, claim.right))
    if not used:
        return None
    found = _compared(replace(claim, left=left, right=right), meaning, Segmenter(meaning.is_zero), lambda e: e, shown)
    outside = _outside(claim, meaning, claim.left, claim.right)
    return None if found is None else replace(found, outside=tuple(dict.fromkeys([*found.outside, *outside])))


def _by_states(model: Model, e: Expr, full: Mapping[str, Expr]) -> Expr:
    """The expression with what defines the states ``full`` as these, and what depends on them at the same step by its definition."""
    states = {model.definitions[v.name]: node("sym", attr=v) for v in model.variables if v.name in full}
    e = transform(e, states.get)
    above: dict[Symbol, Expr] = {}
    for eq in model.equations:
        if eq.name not in full and any(s in above or s.name in full and s.time == NOW for s in symbols(eq.right)):
            above[eq.left] = transform(eq.right, lambda x: above.get(x.attr) if x.op == "sym" else None)
    return transform(e, lambda x: above.get(x.attr) if x.op == "sym" else None)


def _fills(meaning: Meaning, v: Symbol, candidate: Expr) -> bool:
    """Whether each step takes in one more entry of the window, whatever the state was before: then it is full after as many steps.

    With k of p entries new, the cases are k = 0 and k > 0, one entry still to come and more than one.
    """
    size, (last,) = v.shape[0], candidate.args
    new, old = f"{size}.new", f"{size}.old"                           # no names of the claim's own
    cases: list[tuple[Size, Size]] = [(0, 1), (0, f"{old}+1"), (new, f"{new}+1"), (new, f"{new}+{old}+1")]
    if isinstance(size, int):
        cases = [(k, size) for k in range(size)]
    elif Linear.of(size) != Linear(((size, 1),)):
        return False
    return all(_takes_in(meaning, v, last, k, whole) for k, whole in cases)


def _takes_in(meaning: Meaning, v: Symbol, last: Expr, k: Size, whole: Size) -> bool:
    """Whether a step makes k + 1 new entries of k, where the state has ``whole`` of them."""
    start = node("sym", attr=Symbol(f"{v.name} before", (whole, 1), "parameter"))

    def state(k: Size, end: Expr) -> Expr:
        """A state of which the last k entries are new, and the others any."""
        kept = [part(start, total_size(k, 1), whole)] if k != whole else []
        return stack(*kept, *([window(end, k)] if k != 0 else []))
    values = {v.shape[0]: whole} if isinstance(v.shape[0], str) else {}
    before = replace(v, shape=(whole, 1), time=NOW - 1)
    given = transform(resize(_inlined(meaning.model, v), values), lambda x: state(k, shift(last, -1)) if x.op == "sym" and x.attr == before
                      else None)
    segmenter = Segmenter(meaning.is_zero)
    try:
        same = segmenter.segments(given) == segmenter.segments(state(total_size(k, 1), last))
    except Unsupported:
        return False
    return same and not segmenter.outside


def _filling(name: str, full: Expr) -> list[str]:
    """The lines of the proof that a state is a window once it is full."""
    p, x = full.attr, full.args[0].attr.name
    return [f"base: before any step no entry of {name} is known",
            f"step: whatever the other entries are, from k to k + 1 of the {p} last entries of {name} are the last values of {x}",
            f"so {name}[t] = {full} for every t >= {p}"]


def _first_step(x: Expr, meaning: Meaning) -> tuple[str, Linear] | None:
    """The base of the steps at which a window stands, and the first of these at which all that is in it exists."""
    if x.op != "window" or x.args[0].attr.time.base not in ("t", "T") or x.args[0].attr.name in meaning.past:
        return None
    s = x.args[0].attr
    return s.time.base, Linear.of(x.attr) - s.time.offset + (meaning.first.get(s.name, 1) - 1)


def _compared(claim: Claim, meaning: Meaning, segmenter: Segmenter, change: Callable[[Expr], Expr],
              shown: Callable[[], tuple[list[str], tuple[str, ...]]]) -> Proof | None:
    """Both sides after ``change``, every vector in the form of its segments: equal as they stand, or by the normal form."""
    meaning.check(claim.left, claim.right)
    left, right = (normal(change(side), segmenter) for side in (claim.left, claim.right))
    if left is right:
        rest = Proof((f"both sides are {left}",), (), (), (), ())
    else:
        equations = tuple(Equation(e.left, opaque(normal(change(e.right), segmenter))) for e in claim.model.equations)
        inner = replace(claim, left=opaque(left), right=opaque(right), model=replace(claim.model, equations=equations))
        prover = Prover(inner)
        prover.first, prover.states = meaning.first, meaning.states  # what exists is what the claim's own model says
        found = prover.prove()
        if found is None:
            return None
        rest = replace(found, obligations=("every vector is written as its list of segments", *found.obligations))
    lines, names = shown()
    outside = dict.fromkeys([*segmenter.outside, *_outside(claim, meaning, left, right), *rest.outside])
    facts = dict.fromkeys([*meaning.notes.facts, *rest.facts])
    inlined = dict.fromkeys([*names, *rest.inlined])
    return Proof((*lines, *rest.obligations), rest.rules, tuple(inlined), tuple(facts), tuple(outside))


def normal(e: Expr, segmenter: Segmenter) -> Expr:
    """The expression with every stack, slice and window in the form of its segments."""
    done: dict[Expr, Expr] = {}
    for x in walk(e):
        y = x if x.op == "window" else rebuild(x, tuple(done[a] for a in x.args))
        done[x] = segmenter.normal(y) if y.op in PARTS and y.fault is None else y
    return done[e]


def opaque(e: Expr) -> Expr:
    """Every stack, slice and window as one unknown vector at its latest step. Raises Unsupported for one with a free index."""
    free = Free()
    done: dict[Expr, Expr] = {}
    for x in walk(e):
        if x.op in PARTS:
            if free.indices(x):
                raise Unsupported("a vector of components")
            done[x] = _unknown(x)
        else:
            done[x] = rebuild(x, tuple(done[a] for a in x.args))
    return done[e]


def _unknown(x: Expr) -> Expr:
    assert x.shape is not None
    times = {s.time for s in symbols(x) if s.time is not None}
    if len({time.base for time in times}) > 1:
        raise Unsupported("a vector of steps counted from different letters")
    if not times:
        return node("sym", attr=Symbol(f"[{x}]", x.shape, "parameter"))
    last = max(times)
    return node("sym", attr=Symbol(f"[{shift(x, -last.offset, last.base)}]", x.shape, "input", last))


def _outside(claim: Claim, meaning: Meaning, left: Expr, right: Expr) -> Iterator[str]:
    """The steps at which something printed does not exist."""
    for side in (claim.left, claim.right, left, right):
        for x in walk(side):
            if (begin := _first_step(x, meaning)) is not None:
                yield f"{begin[0]} < {begin[1]}"
    for s in (s for side in (claim.left, claim.right) for s in symbols(side)):
        if s.time is None or s.time.base not in ("t", "T"):
            continue
        for n in range(1, 1 - s.time.offset):
            at = replace(s, time=Time("", n + s.time.offset))
            if not meaning.exists(at) and not meaning.is_zero(at):
                yield f"{s.time.base} = {n}"
        if s.time.base == "t":
            yield from (f"t = {Time('T', -n)}" for n in range(s.time.offset))


def method(proof: Proof) -> str:
    """How a claim was proved here, in words."""
    inductive = any(line.startswith("step:") for line in proof.obligations)
    return ("induction over t; " if inductive else "") + "vectors as lists of segments"


# ------------------------------------------------------------------------------------------------------------- what would help
def with_start(claim: Claim) -> tuple[tuple[Condition, ...], Proof] | None:
    """The fewest facts about the steps before the first under which the claim is proved from the first step on, and the proof; None if
    no such facts prove it."""
    missing = lacking(claim) if claim.relation == "=" and concerns(claim) else []

    def under(added: tuple[Condition, ...]) -> Proof | None:
        return _first_proof(replace(claim, conditions=(*claim.conditions, *added)), (_as_printed, _by_induction, _by_definition))
    whole = under(tuple(missing)) if missing else None
    if whole is None:                                                # what all of them do not prove, fewer do not
        return None
    fewer = (added for k in range(1, len(missing)) for added in combinations(missing, k))
    return next(((added, proof) for added in fewer if (proof := under(added)) is not None), (tuple(missing), whole))


def lacking(claim: Claim) -> list[Condition]:
    """The facts about the steps before the first that a claim about windows does not state."""
    right = [claim.left, claim.right, *claim.model.definitions.values()]
    inputs = {s.name for e in right for s in symbols(e) if s.shape == SCALAR and s.time is not None and s.kind == "input"}
    states = {s.name for s in claim.model.states if any(x.op in PARTS for x in walk(_inlined(claim.model, s)))}
    if claim.model.initial == "zero":
        states = set()
    missing = [Condition("past-zero", (name,), f"{name}_s = 0 for s <= 0") for name in sorted(inputs)]
    missing += [Condition("past-zero", (name,), f"{name}_0 = 0") for name in sorted(states)]
    return [c for c in missing if c.subject[0] not in claim.subjects("past-zero")]
