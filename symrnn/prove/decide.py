"""The ladder of decision for one claim: shapes, exact evaluation, normal form, scalar lemma, counterexample.

Exact evaluation is the cheap filter and the second witness; the normal form is the proof for all sizes and all T; a difference
counts only when an enclosed real point confirms it. Either witness can be switched off, for tests.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial, reduce
from operator import mul

from symrnn.expr import SCALAR, Expr, Linear, Shape, Symbol, derivative, has_powers, lift, rebuild, symbol, symbols, transform, walk
from symrnn.model import Model
from symrnn.prove.accumulated import THROUGH, accumulated, through_state
from symrnn.prove.accumulated import WAY as ACCUMULATED
from symrnn.prove.blocks import prove_blocks, prove_parts
from symrnn.prove.claim import Claim, Condition, Missing, Unsupported
from symrnn.prove.closed import WAY, closed_from_zero, from_zero, prove_closed
from symrnn.prove.exact import ENOUGH, Outcome, compare
from symrnn.prove.grid import enough_steps
from symrnn.prove.identity import Proof, Prover
from symrnn.prove.inverses import WAY as INVERSES
from symrnn.prove.inverses import prove_inverses
from symrnn.prove.refute import counterexample
from symrnn.prove.roots import without_roots
from symrnn.prove.shapes import conflict
from symrnn.prove.verdict import EVERYWHERE, Scope, Verdict
from symrnn.prove.windows import method, prove_windows, with_start

IMMEDIATE = "derivatives of a state by a parameter are immediate ones (earlier states held fixed)"
NOT_SPOKEN = "the claim does not speak of"
"""How a condition begins that leaves out the steps at which a printed symbol does not exist."""
KEPT = 512
"""Verdicts that are kept. A verdict depends on its claim alone, and a correction is decided when it is found and when it is read afresh."""


@dataclass(frozen=True)
class Witnesses:
    """Which legs of the ladder may be used."""

    normal: bool = True
    exact: bool = True


@lru_cache(maxsize=KEPT)
def decide(claim: Claim, use: Witnesses = Witnesses()) -> Verdict:
    """The verdict on a claim as printed, or under the one reading of its derivatives that makes it true.

    A partial derivative of a state by a parameter may mean the total one (through all earlier steps) or the immediate one. What
    holds for the total one is proved; what holds for the immediate one only is conditional, and says how the other fails. What is
    false under one reading and not known to be false under the other is not refuted.
    """
    if not _by_parameter(claim) or claim.states("immediate"):
        first = judge(claim, use)
        return first if first.word == "proved" else started(claim, first, use) or first
    first, third = judge(total_reading(claim), use), None
    if first.word == "proved" or _tells_apart(claim):
        return first
    second = judge(replace(claim, conditions=(*claim.conditions, Condition("immediate", (), IMMEDIATE))), use)
    if second.word != "proved" and (mixed := _of_states(claim)) is not None:
        third = judge(mixed, use)
        if third.word in ("proved", "undecided", "agrees"):
            second = third
    if second.word != "proved":
        open_too = second.word in ("refuted", "agrees") or second is third
        return second if first.word == "refuted" and open_too else first
    return replace(second, word="conditional", code="SR209", convention="immediate derivative",
                   reason=f"true when {IMMEDIATE}; with total derivatives {_why(first)}", counterexample=first.counterexample,
                   conditions=(*(str(c) for c in claim.conditions), IMMEDIATE))


def started(claim: Claim, first: Verdict, use: Witnesses) -> Verdict | None:
    """What holds once the inputs and states before the first step are zero is conditional: the condition is named."""
    if not use.normal or first.method == "shapes" or claim.model.backward:
        return None
    found = with_start(claim)
    way = method(found[1]) if found is not None else WAY
    found = found or closed_from_zero(claim)
    if found is None:
        return None
    added, proof = found
    named = " and ".join(map(str, added))
    fails = _why(first) if first.word == "refuted" else "it speaks of steps before the first"
    second = proved(claim, proof, None, tuple(map(str, (*claim.conditions, *added))), way)
    return replace(second, word="conditional", convention=named, counterexample=first.counterexample,
                   reason=f"true when {named}; as printed {fails}")


def from_the_start(claim: Claim, proof: Proof) -> str | None:
    """What makes a claim about windows hold at the steps, too, of which it does not speak."""
    early = {o for o in proof.outside if o.startswith(("t < ", "T < "))}
    found = with_start(claim) if early else None
    if found is None or early & set(found[1].outside):
        return None
    return f"with {' and '.join(map(str, found[0]))} it holds at every step"


def _of_states(claim: Claim) -> Claim | None:
    """The claim with a total derivative on the left and immediate ones of states on the right, where it has both there."""
    def of_loss(d: Expr) -> bool:
        return d.args[0].op == "sym" and d.args[0].attr.name == claim.model.loss
    def change(e: Expr, own: str) -> Expr | None:
        if e.op == "deriv" and _is_by_parameter(claim, e):
            return derivative(e.args[0], e.args[1], "total" if of_loss(e) else own)
        return None
    left, right = (transform(side, partial(change, own=own)) for side, own in ((claim.left, "total"), (claim.right, "immediate")))
    return replace(claim, left=left, right=right) if right != claim.right else None


def _tells_apart(claim: Claim) -> bool:
    """Whether the claim prints both signs, so that its d by a parameter cannot mean the partial one."""
    signs = {d.attr for d in _derivatives(claim)}
    return "partial" in signs and any(d.attr == "total" and _is_by_parameter(claim, d) for d in _derivatives(claim))


def _why(v: Verdict) -> str:
    if v.word == "refuted":
        return f"it fails: {v.reason}"
    return f"it is {v.word} ({v.reason})" if v.reason else f"it is {v.word}"


def total_reading(claim: Claim) -> Claim:
    """The claim with every partial derivative by a parameter read as the total one."""
    def change(e: Expr) -> Expr | None:
        if e.op == "deriv" and e.attr == "partial" and _is_by_parameter(claim, e):
            return derivative(e.args[0], e.args[1], "total")
        return None
    return replace(claim, left=transform(claim.left, change), right=transform(claim.right, change))


def judge(claim: Claim, use: Witnesses = Witnesses()) -> Verdict:
    """One pass of the ladder."""
    found = conflict(claim)
    if found is not None:
        return refuse_shape(claim)
    try:
        loose = two_shapes(claim) or unconnected(claim) or nowhere(claim)
    except Unsupported as contradiction:                              # conditions that contradict each other: nothing is claimed
        return Verdict("undecided", "SR303", str(contradiction), conditions=tuple(map(str, claim.conditions)))
    if loose is not None:
        return Verdict("undecided", "SR103", loose)
    if claim.relation != "=":
        return Verdict("undecided", "SR303", f"the relation {claim.relation} is not decided yet")
    plain = without_roots(claim)
    if plain is not None and (found_plain := judge(plain, use)).word == "proved":
        return replace(found_plain, domain=domain(claim))
    stated = tuple(str(c) for c in claim.conditions)
    outcome = compare(claim, T=enough_steps(claim)) if use.exact else None
    if outcome is not None and outcome.status == "bad" and "does not exist at step" in outcome.reason:
        wrong = beyond(claim, outcome)
        if wrong is not None:
            return wrong
    if outcome is not None and outcome.status == "different":
        verdict = from_difference(claim, outcome)
        if verdict is not None:
            return only_first(claim, verdict) or verdict
    proof, why = prove(claim) if use.normal else (None, "the normal form is switched off")
    if proof is not None:
        return proved(claim, proof, outcome, stated)
    causal = use.normal and not claim.model.backward                  # the next two argue from the first step on
    proof = prove_windows(claim) if causal else None
    if proof is not None:
        return replace(proved(claim, proof, outcome, stated, method(proof)), reason=from_the_start(claim, proof))
    proof = prove_closed(claim) if causal else None
    if proof is not None:
        return proved(claim, proof, outcome, stated, WAY)
    proof = prove_inverses(claim) if use.normal and outcome is not None and outcome.status == "equal" else None
    if proof is not None:                                             # the inverses exist at the points that were compared
        return proved(claim, proof, outcome, stated, INVERSES)
    proof = prove_parts(claim) or prove_blocks(claim) if use.normal else None
    if proof is not None:
        return proved(claim, proof, outcome, stated, "normal form of each block")
    def same(a: Expr, b: Expr) -> bool:
        return a.shape == b.shape and judge(replace(claim, left=a, right=b), use).word == "proved"
    if use.normal and (whole := accumulated(claim, same)) is not None and (summed := judge(whole, use)).word == "proved":
        return replace(summed, method=f"{ACCUMULATED}; {summed.method}", conditions=tuple(dict.fromkeys((*stated, *summed.conditions))))
    if use.normal and through_state(claim, same):
        return Verdict("proved", method=THROUGH, scope=EVERYWHERE, error_bound="0", conditions=stated, domain=domain(claim))
    if use.normal and lemma(claim):
        return Verdict("proved", method="scalar identity: both sides written with exponentials cancel", scope=EVERYWHERE,
                       error_bound="0", conditions=stated, domain=domain(claim))
    if outcome is not None and outcome.status == "equal" and outcome.exponent >= ENOUGH:
        return from_equality(claim, outcome, stated, why)
    reason = outcome.reason if outcome is not None and outcome.status == "bad" else why
    return Verdict("undecided", "SR303", reason or "neither proved nor refuted", conditions=stated)


def only_first(claim: Claim, refuted: Verdict) -> Verdict | None:
    """What is false at the first step only, of a derivative by a state before it: there one state may be meant to follow from another."""
    states = {s.name for s in claim.model.states}
    before = sorted({s.name for d in _derivatives(claim) for s in symbols(d.args[1])
                     if s.name in states and s.time is not None and s.time.base == "t" and s.time.offset < 0})
    if not before or len(states) < 2 or claim.states("from-second"):
        return None
    later = replace(claim, conditions=(*claim.conditions, Condition("from-second", (), "t > 1")))
    if compare(later, T=enough_steps(claim)).status != "equal":
        return None
    given = " and ".join(f"{name}_0" for name in sorted(states))
    return Verdict("undecided", "SR303", f"it holds at every step tried but the first, where {given} are given: {refuted.reason}",
                   conditions=refuted.conditions)


def beyond(claim: Claim, outcome: Outcome) -> Verdict | None:
    """A claim that speaks of a step at which a symbol does not exist: refuted when it fails even with zero there."""
    extended = replace(claim, conditions=(*claim.conditions, Condition("beyond-zero", (), "what does not exist counts as zero")))
    if compare(extended).status != "different":
        return None
    if has_powers(claim.left, claim.right) and compare(from_zero(extended)).status != "different":
        return None                                                   # steps may be counted from 0, where all begins with zero
    found = counterexample(extended)
    if found is None:
        return None
    return Verdict("refuted", "SR204", f"{outcome.reason}; with zero in its place {found.text}", error_bound="0",
                   method="exact evaluation; both sides enclosed at a real point", conditions=tuple(map(str, extended.conditions)),
                   counterexample=found.to_json())


def refuse_shape(claim: Claim) -> Verdict:
    """What does not fit is refuted; a derivative of rank 3 is a matter of convention instead."""
    found = conflict(claim)
    assert found is not None
    if "rank 3" in found.what:
        return Verdict("undecided", "SR303", found.what)
    return Verdict("refuted", found.code, found.reason, method="shapes")


def prove(claim: Claim) -> tuple[Proof | None, str]:
    """The proof by the normal form, or why there is none."""
    try:
        proof = Prover(claim).prove()
        return proof, "" if proof else "the normal forms differ, which decides nothing by itself"
    except (Unsupported, Missing) as reason:
        return None, str(reason)


def proved(claim: Claim, proof: Proof, outcome: Outcome | None, stated: tuple[str, ...],
           way: str = "normal form") -> Verdict:
    """``proved`` for all sizes and every T, with what the proof rests on."""
    if outcome is not None and outcome.status == "equal":
        way += "; exact evaluation agrees" + (f" for {outcome.scope}" if outcome.scope else "") + f" up to 2^-{outcome.exponent}"
    outside = tuple(f"{NOT_SPOKEN} {o}: a printed symbol does not exist there" for o in proof.outside)
    return Verdict("proved", method=way, scope=EVERYWHERE, error_bound="0", conditions=(*stated, *proof.facts, *outside),
                   domain=domain(claim), proof=tuple(proof.obligations), rules=proof.rules, uses=tuple(proof.inlined))


def from_equality(claim: Claim, outcome: Outcome, stated: tuple[str, ...], why: str) -> Verdict:
    """Equal at finite sizes: proved when the claim speaks of nothing but those, else it only agrees."""
    finite = Scope([dict(outcome.sizes)] if outcome.sizes else "all", [outcome.T] if outcome.tried != ((),) else "all")
    method = f"exact evaluation over prime fields of 61 bits, {len(outcome.seeds)} points"
    bound = f"2^-{outcome.exponent}"
    if not outcome.sizes and outcome.tried == ((),):
        return Verdict("proved", method=method, scope=EVERYWHERE, error_bound=bound, conditions=stated, domain=domain(claim))
    return Verdict("agrees", None, f"holds {finite} (error at most {bound}); no proof for all sizes and T: {why}", method, finite,
                   bound, stated, domain=domain(claim))


def from_difference(claim: Claim, outcome: Outcome) -> Verdict | None:
    """A difference over a field, confirmed at a real point; None when no such point is found."""
    found = counterexample(claim, enough_steps(claim))
    if found is None:
        return None
    return Verdict("refuted", "SR299", found.text, method="exact evaluation; both sides enclosed at a real point",
                   scope=None, error_bound="0", conditions=tuple(str(c) for c in claim.conditions), counterexample=found.to_json())


ENTRYWISE = frozenset("sym num ones zeros add smul had pow apply".split())
"""Operations of which an entry depends on the same entry of the operands only."""


def one_entry(claim: Claim) -> Claim | None:
    """The claim for one entry, where both sides are numbers, or arrays of one shape, that depend entry by entry on one symbol."""
    nodes = [x for side in (claim.left, claim.right) for x in walk(side)]
    names = {x.attr for x in nodes if x.op == "sym"}
    shapes = {x.shape for x in nodes} - {SCALAR}
    if len(names) > 1 or len(shapes) > 1 or any(x.op not in ENTRYWISE for x in nodes):
        return None
    if shapes and any(s.shape == SCALAR for s in names):
        return None
    entries = {"sym": lambda x: symbol(f"an entry of {x.attr}", SCALAR), "ones": lambda x: lift(1), "zeros": lambda x: lift(0)}
    done: dict[Expr, Expr] = {}
    for x in nodes:
        args = [done[a] for a in x.args]
        make = entries.get(x.op)
        done[x] = make(x) if make else reduce(mul, args) if x.op == "had" else rebuild(x, tuple(args))
    return Claim(done[claim.left], done[claim.right], Model.build("one entry", []), claim.relation)


def lemma(claim: Claim) -> bool:
    """Whether both sides depend entry by entry on one symbol and are equal by the table of exponentials, whatever its value."""
    entry = one_entry(claim)
    if entry is None:
        return False
    from symrnn.prove.lemmas import scalar_lemma
    from symrnn.prove.witness import both_sides, components_of
    try:
        rows, _ = both_sides(entry, components_of(entry, {}, 1))
        return bool(rows) and all(scalar_lemma(a, b) is True for _, a, b in rows)
    except (Unsupported, Missing, NotImplementedError):
        return False


# --------------------------------------------------------------------------------------------------------------- what it rests on
def _derivatives(claim: Claim) -> list[Expr]:
    return [x for side in (claim.left, claim.right) for x in walk(side) if x.op == "deriv"]


def _by_parameter(claim: Claim) -> bool:
    """Whether a derivative of something other than the loss is taken by a parameter (or a number that is one)."""
    return any(_is_by_parameter(claim, d) for d in _derivatives(claim))


def _is_by_parameter(claim: Claim, d: Expr) -> bool:
    top, bottom = d.args
    return _symbol(bottom).kind in ("parameter", "constant") and not (top.op == "sym" and top.attr == claim.total_loss)


def _symbol(e: Expr) -> Symbol:
    while e.op != "sym":
        e = e.args[0]
    return e.attr  # type: ignore[no-any-return]


def two_shapes(claim: Claim) -> str | None:
    """A letter that stands for arrays of two shapes: one of its readings is wrong."""
    shapes: dict[str, Shape] = {}
    for side in (claim.left, claim.right):
        for s in symbols(side):
            if s.kind not in ("adjoint", "gradient") and shapes.setdefault(s.name, s.shape) != s.shape:
                (a, b), (c, d) = shapes[s.name], s.shape
                return f"{s.name} stands for a {a} x {b} array and for a {c} x {d} one"
    return None


def unconnected(claim: Claim) -> str | None:
    """A derivative of one symbol by another that no definition connects says nothing (it would be 0 = 0)."""
    prover = Prover(claim)
    for d in _derivatives(claim):
        top, bottom = d.args
        if top.op not in ("sym", "entry"):
            continue
        u, s = _symbol(top), _symbol(bottom)
        if u == claim.total_loss:
            if claim.model.loss is None:
                return f"{u.name} has no definition here"
            u = Symbol(claim.model.loss, SCALAR, "variable", None)
        if u != s and not prover.depends(u.name, s.name):
            return f"no definition connects {u.name} with {s.name}, so its derivative says nothing here"
    return None


def domain(claim: Claim, render: Callable[[Expr], str] = str) -> str | None:
    """Where both sides are defined, when that is not everywhere."""
    needs: dict[str, None] = {}
    for side in (claim.left, claim.right):
        for x in walk(side):
            if x.op == "apply" and x.attr in NEEDS and not positive(x.args[0], claim.model):
                needs[f"{render(x.args[0])} {NEEDS[x.attr]}"] = None
            if x.op == "inv":
                needs[f"{render(x.args[0])} is invertible"] = None
            if x.op == "apply" and x.attr in ("relu", "step"):
                needs["almost everywhere (not where an argument of ReLU is 0)"] = None
    return "; ".join(needs) or None


def nowhere(claim: Claim) -> str | None:
    """A number outside the domain of its function: the claim speaks of nothing."""
    outside = {"recip": lambda x: x == 0, "log": lambda x: x <= 0, "sqrt": lambda x: x < 0}
    for side in (claim.left, claim.right):
        for x in walk(side):
            if x.op == "apply" and x.attr in outside and x.args[0].op == "num" and outside[x.attr](x.args[0].attr):
                return f"{x} is nowhere defined"
    return None


NEEDS = {"recip": "is not 0", "log": "is positive", "sqrt": "is positive"}


def positive(e: Expr, model: Model) -> bool:
    """Whether an expression is positive by its form, or by that of the definition of a variable."""
    match e.op:
        case "sym":
            value = model.definitions.get(e.attr.name) if e.attr.kind == "variable" else None
            return value is not None and value.op in ("softmax", "apply") and positive(value, model)
        case "num":
            return bool(e.attr > 0)
        case "ones" | "softmax" | "steps":
            return True
        case "size":
            return (Linear.of(e.attr).least or 0) > 0
        case "apply":
            return e.attr in ("exp", "sigmoid", "cosh") or (e.attr == "recip" and positive(e.args[0], model))
        case "add" | "smul" | "had" | "sum" | "isum" | "entry" | "pow":
            return all(positive(a, model) for a in e.args)
    return False
