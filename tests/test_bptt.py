"""Backpropagation through time: the trail replays, no step of it changes unseen, and the Lagrangian confirms every result."""
from __future__ import annotations

from dataclasses import replace

import pytest
from fuzzing import fuzz
from hypothesis import given
from hypothesis import strategies as st
from loops import World, backward, evaluate, far, loss, mp, mpf, run
from models import coupled, elman, plain, random_models

from symrnn.bptt import FUSIONS, check_trail, cross_entropies, derive
from symrnn.errors import ModelError
from symrnn.expr import Time, apply, fix_time, negative, node, softmax, total
from symrnn.model import FIRST, LAST, Model, param, scalar, sequence
from symrnn.prove.lagrangian import Lagrangian, unproved

MODELS = {
    **{f"elman-{act}": elman(act) for act in ("tanh", "sigmoid", "relu", "softplus", "id", "?f")},
    "elman-binary": elman(output="sigmoid"), "elman-squares": elman(output="id"),
    "plain": plain("tanh"), "lag-2": plain("sigmoid", lag2=True), "coupled": coupled(),
}
ELMAN = derive(MODELS["elman-tanh"])
STEPS = range(len(ELMAN.trail))
H = mpf(10) ** -13


# ---------------------------------------------------------------------------------------------------------------------- the trail
@pytest.mark.parametrize("name", MODELS)
def test_the_trail_of_a_derivation_replays(name):
    assert check_trail(derive(MODELS[name])) == []


@pytest.mark.parametrize("n", STEPS)
def test_a_trail_without_one_step_is_caught(n):
    trail = ELMAN.trail
    assert check_trail(replace(ELMAN, trail=trail[:n] + trail[n + 1:]))


@pytest.mark.parametrize("n", STEPS[:-1])
def test_a_trail_with_two_steps_swapped_is_caught(n):
    trail = list(ELMAN.trail)
    trail[n], trail[n + 1] = trail[n + 1], trail[n]
    assert check_trail(replace(ELMAN, trail=tuple(trail)))


@pytest.mark.parametrize("n", STEPS)
def test_a_trail_with_a_step_twice_is_caught(n):
    trail = ELMAN.trail
    assert check_trail(replace(ELMAN, trail=trail[:n] + trail[n:n + 1] + trail[n:]))


@pytest.mark.parametrize("n", STEPS)
@pytest.mark.parametrize("change", [
    lambda s: replace(s, after=negative(s.after)),
    lambda s: replace(s, after=2 * s.after),
    lambda s: replace(s, rule="sum rule" if s.rule != "sum rule" else "chain rule"),
    lambda s: replace(s, before=(*s.before, *s.before)) if s.before else replace(s, before=(s.after,)),
    lambda s: replace(s, path=(*s.path, 0)) if not s.target else replace(s, target=replace(s.target, name="other")),
], ids=["sign", "factor", "rule", "parts", "place"])
def test_a_trail_with_one_step_altered_is_caught(n, change):
    trail = ELMAN.trail
    assert check_trail(replace(ELMAN, trail=(*trail[:n], change(trail[n]), *trail[n + 1:])))


@pytest.mark.parametrize("name", sorted(ELMAN.adjoints))
def test_a_result_that_the_trail_does_not_give_is_caught(name):
    changed = {**ELMAN.adjoints, name: negative(ELMAN.adjoints[name])}
    if changed[name] is not ELMAN.adjoints[name]:
        assert check_trail(replace(ELMAN, adjoints=changed))


def test_a_derivation_does_not_know_t():
    again = derive(elman())
    assert (again.adjoints, again.summands, again.trail) == (ELMAN.adjoints, ELMAN.summands, ELMAN.trail)
    texts = [str(e) for e in (*again.adjoints.values(), *again.gradients.values())]
    for last in (3, 10**6):
        fixed = [str(fix_time(e, "T", Time("", last))) for e in (*again.adjoints.values(), *again.gradients.values())]
        assert [x.replace(f"..{last}", "..T") for x in fixed] == texts


# --------------------------------------------------------------------------------------------------------------- what is derived
@pytest.mark.parametrize("name", MODELS)
def test_the_lagrangian_confirms_every_adjoint_and_gradient_for_all_sizes(name):
    assert unproved(derive(MODELS[name])) == []


@pytest.mark.parametrize("name", [n for n in ELMAN.adjoints if n != "y"])
@pytest.mark.parametrize("change", [lambda e: 2 * e, lambda e: e - 1, lambda e: e[1] if e[1] is not e else 3 * e],
                         ids=["factor", "term", "step"])
def test_the_lagrangian_refuses_a_wrong_adjoint(name, change):
    wrong = replace(ELMAN, adjoints={**ELMAN.adjoints, name: change(ELMAN.adjoints[name])})
    assert f"{name}[t]" in unproved(wrong)


@pytest.mark.parametrize("name", ELMAN.summands)
def test_the_lagrangian_refuses_a_wrong_gradient(name):
    wrong = replace(ELMAN, summands={**ELMAN.summands, name: negative(ELMAN.summands[name])})
    assert unproved(wrong) == [name]


def test_the_lagrangian_refuses_a_missing_transpose():
    W, later = param("W", "n", "n"), node("sym", attr=replace(ELMAN.model.symbol("a"), kind="adjoint", time=Time("t", 1)))
    right = ELMAN.adjoints["h"]
    wrong = right - W.T @ later + W @ later
    assert unproved(replace(ELMAN, adjoints={**ELMAN.adjoints, "h": wrong})) == ["h[t]"]
    assert unproved(replace(ELMAN, adjoints={**ELMAN.adjoints, "h": right - W.T @ later + W.T @ later})) == []


def check_numbers(model: Model, w: World) -> None:
    """Adjoints and gradients of a model at one point against central differences of its loss."""
    d = derive(model)
    w = replace(w, indices={})
    base = run(w, model)
    if not all(mp.isfinite(x) and abs(x) < 10**6 for m in base.known.values() for row in m for x in row):
        return
    back = backward(base, model, d.adjoints)

    def difference(change) -> object:
        return (loss(change(H), model) - loss(change(-H), model)) / (2 * H)
    for s in model.parameters:
        grad = [evaluate(replace(back, t=t), d.summands[s.name]) for t in range(1, w.T + 1)]
        r, c = w.size(s.shape[0]) - 1, 0
        slope = difference(lambda x, s=s, r=r, c=c: run(replace(w, moved={(s.name, s.kind, None): (r, c, x)}), model))
        assert far([[slope]], [[sum(g[r][c] for g in grad)]]) < mpf(10) ** -10, s
    for s in (*model.variables, *model.inputs):
        if s.name != model.loss and s.name not in w.simplex:
            for t in range(1, w.T + 1):
                r = w.size(s.shape[0]) - 1
                if s.kind == "input":
                    slope = difference(lambda x, s=s, t=t, r=r: run(replace(w, moved={(s.name, s.kind, t): (r, 0, x)}), model))
                else:
                    slope = difference(lambda x, s=s, t=t, r=r: run(w, model, (s.name, t, r, 0, x)))
                assert far([[slope]], [[back.known[s.name, "adjoint", t][r][0]]]) < mpf(10) ** -10, (s, t)
    for s in model.states:
        if s.name in d.initial:
            r = w.size(s.shape[0]) - 1
            slope = difference(lambda x, s=s, r=r: run(replace(w, moved={(s.name, s.kind, 0): (r, 0, x)}), model))
            assert far([[slope]], [[evaluate(replace(back, t=1), d.initial[s.name])[r][0]]]) < mpf(10) ** -10, s


@pytest.mark.parametrize("name", MODELS)
def test_adjoints_and_gradients_are_those_of_central_differences(name):
    positive = frozenset({"y"})
    for sizes, last in (({"n": 2, "m": 3, "k": 3}, 3), ({"n": 1, "m": 1, "k": 1}, 1), ({"n": 2, "m": 2, "k": 2}, 2)):
        check_numbers(MODELS[name], World(sizes, T=last, positive=positive, simplex=MODELS[name].simplex))


@fuzz(15)
@given(random_models(), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))
@pytest.mark.slow
def test_random_models_prove_themselves_and_agree_with_central_differences(model, n, m, last):
    d = derive(model)
    assert check_trail(d) == []
    assert unproved(d) == []
    check_numbers(model, World({"n": n, "m": m, "k": 2}, T=last))


# ------------------------------------------------------------------------------------------------------------------- fused pairs
OUTPUTS = {"softmax": softmax, "sigmoid": lambda o: apply("sigmoid", o)}


def pairs():
    o, p, y = sequence("o", "k"), sequence("p", "k"), sequence("y", "k", kind="target")
    for row in FUSIONS:
        for kind in row.loss:
            for n, e in enumerate(cross_entropies(p, y)[kind]):
                for simplex in ((), ("y",)):
                    yield pytest.param(row, o, p, y, e, simplex, id=f"{row.name} {n} {'simplex' if simplex else ''}".strip())


def test_the_logits_may_be_an_input():
    o, p, y = sequence("o", "k", kind="input"), sequence("p", "k"), sequence("y", "k", kind="target")
    for simplex in ((), ("y",)):
        model = Model.build("given", [(p, softmax(o)), (scalar("l"), negative(y.T @ apply("log", p)))], loss="l", simplex=simplex)
        d = derive(model)
        assert check_trail(d) == [] and unproved(d) == []
        check_numbers(model, World({"k": 3}, T=2, positive=frozenset("y"), simplex=frozenset(simplex)))


@pytest.mark.parametrize("row, o, p, y, e, simplex", list(pairs()))
def test_every_fused_pair_is_proved_and_holds_in_numbers(row, o, p, y, e, simplex):
    rows = [(o, param("b", "k") * 1), (p, OUTPUTS[row.output](o)), (scalar("l"), e)]
    model = Model.build("pair", rows, loss="l", simplex=simplex)
    d = derive(model)
    assert d.fused["o"][0] == row.sentence
    assert unproved(d) == []
    for size in (1, 2, 3):
        check_numbers(model, World({"k": size}, T=1, positive=frozenset("y"), simplex=frozenset(simplex)))


def test_a_fused_pair_whose_value_is_used_elsewhere_is_not_fused():
    o, p, y = sequence("o", "k"), sequence("p", "k"), sequence("y", "k", kind="target")
    e = negative(y.T @ apply("log", p))
    free = [(o, param("b", "k") * 1), (p, softmax(o))]
    assert "o" in derive(Model.build("one", [*free, (scalar("l"), e)], loss="l")).fused
    for extra in ([(sequence("q", "k"), p[-1] * 1)], [(sequence("q", "k"), o * 1)]):
        d = derive(Model.build("two", [*free, *extra, (scalar("l"), e + total(sequence("q", "k")))], loss="l"))
        assert d.fused == {} and unproved(d) == []
    other = derive(Model.build("square", [*free, (scalar("l"), total((p - y) ** 2))], loss="l"))
    assert other.fused == {} and unproved(other) == []


def test_a_wrong_fusion_is_refused_by_the_lagrangian():
    d = ELMAN
    p, y = d.model["p"], d.model["y"]
    for wrong in (y - p, p, p - 2 * y, p * y):
        assert "o[t]" in unproved(replace(d, adjoints={**d.adjoints, "o": wrong}))


# --------------------------------------------------------------------------------------------------------------- what is refused
def test_a_loss_that_uses_earlier_steps_is_refused_because_step_t_plus_1_has_no_loss():
    h = sequence("h", "n")
    model = Model.build("lag", [(h, param("W", "n", "n") @ h[-1]), (scalar("l"), h.T @ h[-1])], loss="l")
    with pytest.raises(ModelError, match="its own step"):
        derive(model)
    q = scalar("q")
    named = Model.build("named", [(h, param("W", "n", "n") @ h[-1]), (q, h.T @ h[-1]), (scalar("l"), 1 * q)], loss="l")
    assert unproved(derive(named)) == []
    check_numbers(named, World({"n": 2}, T=3))


def test_a_loss_that_other_equations_use_is_refused():
    q, b = scalar("q"), param("b")
    with pytest.raises(ModelError, match="no equation"):
        derive(Model.build("fed", [(scalar("l"), b * b), (q, scalar("l") + q[-1])], loss="l"))


def test_the_total_loss_runs_from_the_first_step_to_the_last():
    assert ELMAN.model.total_loss.attr[1:] == (FIRST, LAST)
    assert all(g.attr[1:] == (FIRST, LAST) for g in ELMAN.gradients.values())


def test_the_lagrangian_gives_the_gradient_of_a_linear_state_by_hand():
    model = plain()
    own = Lagrangian(model)
    adj = node("sym", attr=replace(model.symbol("h"), kind="adjoint"))
    assert own.by(model.symbol("W")) == own.lower(adj @ model["h"][-1].T)
    assert own.by(model.symbol("h")) == own.lower(1 + model["W"].T @ adj[1])
    assert own.by(model.symbol("h")) != own.lower(1 + model["W"] @ adj[1])
