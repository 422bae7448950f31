"""The hunt for false proofs: random claims about recurrent models; whatever is proved must hold in numbers, at every small T.

A claim is an expression and a copy of it with some edits: definitions put in (true where they hold), sums re-indexed, steps
shifted, ranges changed, products turned round. Numbers come from loops: the model is run, its adjoints are found by central
differences alone, and a step at which a printed symbol does not exist is left out.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from expressions import Scope, expressions
from fuzzing import MORE, fuzz
from hypothesis import event, given
from hypothesis import strategies as st
from loops import Bump, World, evaluate, far, form_table, loss, mpf, run
from models import coupled, elman, plain

from symrnn.bptt import adjoint, derive, gradient
from symrnn.expr import (
    SCALAR,
    Expr,
    Symbol,
    Time,
    derivative,
    entry,
    fix_time,
    node,
    shift,
    symbol,
    symbols,
    time_sum,
    total,
    transform,
    walk,
)
from symrnn.model import Model
from symrnn.prove.claim import Claim, Condition, Unsupported
from symrnn.prove.identity import Proof, Prover

MODELS = {"plain": plain(), "tanh": plain("tanh"), "zero": plain(initial="zero"), "lag 2": plain(lag2=True),
          "lag 2 zero": plain("sigmoid", lag2=True, initial="zero"), "coupled": coupled(), "elman": elman("?f")}
SIZES = ({"n": 2, "m": 2, "k": 2}, {"n": 1, "m": 1, "k": 1}, {"n": 2, "m": 1, "k": 3})
H = mpf(10) ** -16
Draw = Callable[[st.SearchStrategy[Any]], Any]
ENDS = [(Time("", lo), Time("T", hi)) for lo in (0, 1, 2, 3) for hi in (-2, -1, 0, 1)] + [
    (Time("t", 0), Time("T", 0)), (Time("t", 1), Time("T", 0)), (Time("", 1), Time("t", 0)), (Time("", 1), Time("t", -1))]


# -------------------------------------------------------------------------------------------------------------------- the numbers
def first_step(model: Model, name: str) -> int:
    """The first step at which a quantity exists."""
    return min([1, *(1 + s.time.offset for e in model.equations for s in symbols(e.right) if s.name == name and s.time)])


@cache
def ran(name: str, place: int, last: int) -> World:
    """A model that was run, with every adjoint and gradient by central differences of its loss."""
    model = MODELS[name]
    start = frozenset(s.name for s in model.states) if model.initial == "zero" else frozenset()
    w = World(SIZES[place], T=last, seed=place, positive=frozenset("y"), simplex=model.simplex)
    for s in model.states:
        if s.name in start:
            zero = [[mpf(0)] for _ in range(w.size(s.shape[0]))]
            w = replace(w, known={**w.known, **{(s.name, "variable", t): zero for t in range(-3, 1)}})
    out = dict(run(w, model).known)

    def slope(change: Callable[[Any], World]) -> Any:
        return (loss(change(H), model) - loss(change(-H), model)) / (2 * H)

    def table(s: Symbol, change: Callable[[int, int, Any], World]) -> list[list[Any]]:
        rows, columns = (range(w.size(n)) for n in s.shape)
        return [[slope(lambda x, r=r, c=c: change(r, c, x)) for c in columns] for r in rows]
    for s in model.parameters:
        out[s.name, "gradient", None] = table(
            s, lambda r, c, x, s=s: run(replace(w, moved={(s.name, s.kind, None): (r, c, x)}), model))
    for s in (*model.variables, *model.inputs):
        for t in range(first_step(model, s.name), last + 4):
            def change(r: int, c: int, x: Any, s: Symbol = s, t: int = t) -> World:
                if s.kind == "variable" and t > 0:
                    bump: Bump = (s.name, t, r, c, x)
                    return run(w, model, bump)
                if (s.name, s.kind, t) in w.known:
                    return run(replace(w, known={**w.known, (s.name, s.kind, t): [[v + x * (k == r)] for k, (v,) in enumerate(
                        w.known[s.name, s.kind, t])]}), model)
                return run(replace(w, moved={(s.name, s.kind, t): (r, c, x)}), model)
            out[s.name, "adjoint", t] = table(s, change)
    return replace(w, known=out)


def printed(e: Expr, w: World, bound: dict[str, int]) -> list[tuple[Symbol, int]]:
    """Every symbol with a step that an expression prints, with the step; sums over t written out."""
    if e.op == "sym":
        s = e.attr
        return [(s, replace(w, letters=bound).step(s.time))] if s.time is not None else []
    if e.op == "tsum":
        letter, lo, hi = e.attr
        ends = range(replace(w, letters=bound).step(lo), replace(w, letters=bound).step(hi) + 1)
        return [x for k in ends for x in printed(e.args[0], w, {**bound, letter: k})]
    return [x for a in e.args for x in printed(a, w, bound)]


def defined(model: Model, e: Expr, w: World) -> bool:
    """Whether everything printed exists (an adjoint beyond T does: it is zero)."""
    return all(first_step(model, s.name) <= k and (k <= w.T or s.kind == "adjoint") for s, k in printed(e, w, {}))


def holds(name: str, left: Expr, right: Expr, ended: bool) -> bool:
    """Whether a claim holds in numbers at every small T, every t, and sizes that are alike, 1, and apart."""
    model = MODELS[name]
    for place in range(len(SIZES) if MORE > 1 else 2):
        for last in (1, 2, 3, 4) if MORE > 1 else (1, 2, 3):
            for t in range(1, last + 1 - ended):
                w = replace(ran(name, place, last), t=t)
                if not defined(model, left, w) or not defined(model, right, w):
                    continue
                if far(evaluate(w, left), evaluate(w, right)) > mpf(10) ** -9:
                    return False
    return True


# --------------------------------------------------------------------------------------------------------------------- the claims
def pool(model: Model) -> tuple[Expr, ...]:
    """The quantities of a model near t, at both ends, and their adjoints and gradients."""
    out: list[Expr] = [node("sym", attr=s) for s in model.parameters]
    out += [node("sym", attr=gradient(s)) for s in model.parameters]
    for s in (*model.variables, *model.inputs):
        if s.name != model.loss:
            for k in (-2, -1, 0, 0, 0, 1):
                out.append(node("sym", attr=replace(s, time=Time("t", k))))
            for k in (-1, 0, 0, 0, 0, 1, 2):
                out.append(node("sym", attr=adjoint(replace(s, time=Time("t", k)))))
            for at in (Time("", 0), Time("", 1), Time("", 2), Time("T", -1), Time("T", 0), Time("T", 1)):
                out += [node("sym", attr=replace(s, time=at)), node("sym", attr=adjoint(replace(s, time=at)))]
    return tuple(e for e in out if e.attr.kind == "adjoint" or e.attr.time != Time("T", 1))


@cache
def derivation(name: str):
    return derive(MODELS[name])


def put_in(name: str, s: Symbol) -> Expr | None:
    """The definition of a symbol at its step."""
    d = derivation(name)
    tables = {"variable": MODELS[name].definitions, "adjoint": d.adjoints, "gradient": d.gradients}
    e = tables.get(s.kind, {}).get(s.name)
    if e is None or s.time is None:
        return e
    return fix_time(e, "t", s.time) if s.time.base != "t" else shift(e, s.time.offset)


def edit(draw: Draw, name: str, e: Expr) -> Expr:
    """One edit of an expression somewhere."""
    places = [x for x in walk(e) if x.op in ("sym", "tsum", "matmul")]
    if not places:
        return e
    x = draw(st.sampled_from(places))
    new: Expr | None = None
    kind = draw(st.integers(0, 9))
    if x.op == "sym":
        if kind < 6:
            new = put_in(name, x.attr)
        elif x.attr.time is not None:
            new = symbol(x.attr.name, x.attr.shape, x.attr.kind, x.attr.time + draw(st.sampled_from([-1, 1])))
    elif x.op == "tsum":
        letter, lo, hi = x.attr
        k = draw(st.sampled_from([-1, 1]))
        body = shift(x.args[0], k, letter)
        new = [time_sum(letter, lo - k, hi - k, body), time_sum(letter, lo, hi, body), time_sum(letter, lo - k, hi, body),
               time_sum(letter, lo - k, hi, x.args[0]), time_sum(letter, lo, hi - k, x.args[0])][max(0, kind - 5)]
        if kind == 0 and lo != hi:
            new = time_sum(letter, lo + 1, hi, x.args[0]) + fix_time(x.args[0], letter, lo)
        if kind == 1:
            new = time_sum(letter, lo, hi - 1, x.args[0]) + fix_time(x.args[0], letter, hi)
    elif kind < 3:
        a, b = x.args
        new = b @ a if b.shape[1] == a.shape[0] and (b.shape[0], a.shape[1]) == x.shape else x
    if new is None or new.shape != x.shape:
        return e
    return transform(e, lambda y: new if y is x else None)


@st.composite
def claims(draw: Draw) -> tuple[str, Expr, Expr, tuple[Condition, ...]]:
    name = draw(st.sampled_from(sorted(MODELS)))
    everything = pool(MODELS[name])
    shape = draw(st.sampled_from(sorted({e.shape for e in everything} | {SCALAR}, key=str)))
    scope = Scope(sums=False, components=False, divide=False, rough=False, calls=False, pool=everything)
    body = draw(expressions(shape, draw(st.integers(0, 2)), scope))
    left = body
    if draw(st.booleans()):
        left = time_sum("t", *draw(st.sampled_from(ENDS)), body)
        if draw(st.integers(0, 3)) == 0:
            left = left + draw(expressions(shape, 1, scope))
    right = left
    for _ in range(draw(st.integers(1, 3))):
        right = edit(draw, name, right)
    ended = draw(st.integers(0, 5)) == 0
    return name, left, right, (Condition("before-end"),) if ended else ()


def proof(name: str, left: Expr, right: Expr, conditions: tuple[Condition, ...]) -> Proof | None:
    try:
        return Prover(Claim(left, right, MODELS[name], conditions=conditions)).prove()
    except Unsupported:
        return None


@fuzz(60)
@given(claims())
@pytest.mark.slow
def test_what_is_proved_holds_in_numbers(claim):
    name, left, right, conditions = claim
    if left is right or left.fault or right.fault:
        return
    found = [proof(name, a, b, conditions) for a, b in ((left, right), (right, left))]
    if not any(found):
        event("not proved, holds" if MORE > 1 and holds(name, left, right, bool(conditions)) else "not proved")
        return
    event("proved by " + next(p for p in found if p).obligations[-1].split(",")[0][:30])
    assert holds(name, left, right, bool(conditions)), (name, left, right)


# ------------------------------------------------------------------------------------------------ derivatives along the equations
@st.composite
def local_claims(draw: Draw) -> tuple[str, Expr, Symbol, str]:
    """A derivative of an expression in a model by a state, an input or a parameter."""
    name = draw(st.sampled_from(sorted(MODELS)))
    model = MODELS[name]
    every = [node("sym", attr=replace(s, time=Time("t", k))) for s in (*model.variables, *model.inputs) if s.name != model.loss
             for k in (-1, 0, 0, 1)]
    scope = Scope(sums=False, components=False, divide=False, rough=False, calls=False,
                  pool=(*every, *(node("sym", attr=s) for s in model.parameters)))
    x, y = (draw(st.sampled_from(every)) for _ in range(2))
    top = total(x * draw(expressions(x.shape, draw(st.integers(0, 1)), scope))) + draw(st.sampled_from([0, 1])) * total(y)
    states = [replace(s, time=Time("t", k)) for s in model.states for k in (-2, -1, -1, 0)]
    by = draw(st.sampled_from([*model.parameters, *states, *(e.attr for e in every)]))
    return name, top, by, draw(st.sampled_from(["total", "immediate"]))


def slopes(name: str, top: Expr, by: Symbol, mode: str, w: World) -> list[list[Any]]:
    """The derivative by central differences: the model is run again with one entry changed.

    Immediate: the states of steps before the latest one that ``top`` prints stay as they were.
    """
    model = MODELS[name]
    latest = max((w.step(s.time) for s in symbols(top) if s.time is not None and s.kind == "variable"), default=w.t)
    held = {key: v for key, v in w.known.items() if key[1] == "variable" and key[2] is not None and (
        key[2] < latest if mode == "immediate" and by.time is None else key[2] < 1)}
    bare = World(w.sizes, w.t, w.T, w.seed, positive=w.positive, simplex=w.simplex, known=held)

    def after(r: int, c: int, x: Any) -> Any:
        step = None if by.time is None else w.step(by.time)
        if by.kind == "variable" and step is not None and step >= 1:
            there = forward(bare, model, held, (by.name, step, r, c, x))
        elif by.kind == "variable":
            given_ = [[v + x * (k == r)] for k, (v,) in enumerate(bare.value(replace(by, time=Time("", step))))]
            there = forward(replace(bare, known={**held, (by.name, by.kind, step): given_}), model, held)
        else:
            there = forward(replace(bare, moved={(by.name, by.kind, step): (r, c, x)}), model, held)
        return evaluate(there, top)[0][0]
    rows, columns = (range(w.size(n)) for n in by.shape)
    return [[(after(r, c, H) - after(r, c, -H)) / (2 * H) for c in columns] for r in rows]


def carried(name: str, by: Symbol) -> Callable[[World, Symbol, list[int]], Any]:
    """The total derivative of a variable by a parameter, in the components of both."""
    def value(w: World, s: Symbol, at: list[int]) -> Any:
        assert s.time is not None
        whole = node("sym", attr=Symbol(s.name.partition(" by ")[0], s.shape, "variable", Time("", w.step(s.time))))
        own = 0 if s.shape == (1, 1) else 1
        top = entry(whole, at[0] + 1) if own else whole
        places = iter(at[own:])
        r, c = (0 if n == 1 else next(places) for n in by.shape)
        return slopes(name, top, by, "total", w)[r][c]
    return value


def forward(w: World, model: Model, held: dict[Any, Any], bump: Bump | None = None) -> World:
    """The model run, but for what is held."""
    out = run(w, model, bump) if all(key[2] < 1 for key in held) else None
    if out is not None:
        return out
    known = dict(w.known)
    for t in range(1, w.T + 1):
        for eq in model.equations:
            if (eq.name, "variable", t) not in held:
                known[eq.name, "variable", t] = evaluate(replace(w, t=t, known=known), eq.right)
    return replace(w, known=known)


@fuzz(12)
@given(local_claims())
@pytest.mark.slow
def test_a_derivative_along_the_equations_is_that_of_running_the_model_again(claim):
    name, top, by, mode = claim
    prover = Prover(Claim(top, top, MODELS[name]))
    e = derivative(top, node("sym", attr=by), mode)
    try:
        f = prover.lower(e)
    except Unsupported:
        event("refused")
        return
    event("lowered" if f.terms else "zero")
    for place, last in ((0, 3), (1, 1), (1, 2)):
        for t in range(1, last + 1):
            w = replace(ran(name, place, last), t=t)
            if defined(MODELS[name], top, w) and defined(MODELS[name], node("sym", attr=by), w):
                want = slopes(name, top, by, mode, w)
                w = replace(w, carried=carried(name, by))
                assert far(want, form_table(w, f, by.shape)) < mpf(10) ** -9, (name, top, by, mode, t, last)


def test_the_hunt_finds_a_false_proof_when_there_is_one(monkeypatch):
    """With the cases at the ends taken away, a claim that fails at t = T is proved, and the numbers refute it."""
    model = MODELS["plain"]
    adj = [node("sym", attr=replace(adjoint(model.symbol("h")), time=Time("t", k))) for k in (0, 1, 2)]
    one = [expr for expr in [derivation("plain").adjoints["h"].args[0]]][0]
    W = model["W"]
    wrong = one + W.T @ (one + W.T @ adj[2])
    assert proof("plain", adj[0], wrong, ()) is None
    assert not holds("plain", adj[0], wrong, False)
    monkeypatch.setattr(Prover, "case", lambda *args: True)
    assert proof("plain", adj[0], wrong, ()) is not None
    with pytest.raises(AssertionError):
        assert holds("plain", adj[0], wrong, False)
