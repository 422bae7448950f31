"""Proofs by induction over t: a state that shifts its entries and takes in the newest input is a window of the inputs.

For ``h_t = (h_{t-1}[2:p], x_t)`` the induction shows ``h_t = (x_{t-p+1}, ..., x_t)`` for every t >= 0 and every p:

* base: ``h_0`` and the window that ends at step 0 are both zero, by the facts that hold before the first step;
* step: with the hypothesis for ``h_{t-1}`` in the definition of ``h_t``, both are one list of segments.

Then each state is replaced by its window, every vector by its list of segments, and the sides are compared; what surrounds the
vectors (``a^T h_t``) is left to the normal form, which sees each list as one unknown vector.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations

from symrnn.expr import NOW, SCALAR, Expr, Linear, Symbol, Time, fix_time, node, rebuild, shift, symbols, transform, walk, window
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
    >>> prove_windows(Claim(h, window(x, "p"), model)) is None
    True
    """
    if claim.relation != "=" or not concerns(claim):
        return None
    for way in (_as_printed, _by_induction, _by_definition):
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
            if x.op == "window" and x.args[0].attr.time.base in ("t", "T") and x.args[0].attr.name not in meaning.past:
                s = x.args[0].attr
                yield f"{s.time.base} < {Linear.of(x.attr) - s.time.offset}"
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
    """The fewest facts about the steps before the first under which the claim is proved, and the proof; None if no such facts
    prove it."""
    missing = lacking(claim) if concerns(claim) else []

    def under(added: tuple[Condition, ...]) -> Proof | None:
        return prove_windows(replace(claim, conditions=(*claim.conditions, *added)))
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
