"""Exact evaluation accepts true claims with an honest bound, rejects false ones, and says what it cannot decide."""
from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from math import comb

import pytest

from symrnn.bptt import adjoint, derive, gradient
from symrnn.expr import (
    Expr,
    Index,
    Symbol,
    Time,
    apply,
    delta,
    derivative,
    diag,
    entry,
    had,
    index_sum,
    log_sum_exp,
    negative,
    node,
    ones,
    scale,
    softmax,
    symbol,
    time_sum,
    total,
)
from symrnn.model import FIRST, LAST, Model, param, scalar, sequence
from symrnn.prove.claim import Claim, Condition
from symrnn.prove.degrees import Degree, Degrees
from symrnn.prove.evaluate import Point
from symrnn.prove.exact import ENOUGH, compare, exact_only, field_point
from symrnn.prove.grid import default_sizes, size_value, small_sizes
from symrnn.prove.numbers import Field
from symrnn.prove.primes import fingerprint, prime_and_key

NONE = Model("none", ())
u, w, o, y = param("u", "n"), param("w", "n"), param("o", "K"), param("y", "K")
z = param("z")
i, k = Index("i", "K"), Index("k", "K")


def network(act: str = "tanh", output: str = "softmax") -> Model:
    W, U, b = param("W", "n_h", "n_h"), param("U", "n_h", "n_x"), param("b", "n_h")
    V, c = param("V", "n_y", "n_h"), param("c", "n_y")
    h, a, q, p = sequence("h", "n_h"), sequence("a", "n_h"), sequence("q", "n_y"), sequence("p", "n_y")
    x, t, loss = sequence("x", "n_x", kind="input"), sequence("y", "n_y", kind="target"), scalar("l")
    out = softmax(q) if output == "softmax" else apply("sigmoid", q)
    value = t.T @ apply("log", p) if output == "softmax" else (t.T @ apply("log", p)) + (1 - t).T @ apply("log", 1 - p)
    return Model.build("net", [(a, W @ h[-1] + U @ x + b), (h, apply(act, a)), (q, V @ h + c), (p, out), (loss, negative(value))],
                       loss="l", simplex=["y"] if output == "softmax" else [])


def derived(model: Model) -> dict[str, Claim]:
    """Every adjoint and gradient that the reverse sweep derives, as a claim."""
    d = derive(model)
    rows = {n: Claim(node("sym", attr=adjoint(model.symbol(n))), e, model) for n, e in d.adjoints.items()}
    return rows | {n: Claim(node("sym", attr=gradient(model.symbol(n))), e, model) for n, e in d.gradients.items()}


def says(left: Expr, right: Expr, *conditions: Condition, model: Model = NONE, **options: object) -> str:
    return compare(Claim(left, right, model, conditions=conditions), **options).status


# ---------------------------------------------------------------------------------------------------------------- whole networks
@pytest.mark.parametrize("act", ["tanh", "sigmoid", "relu", "softplus", "id", "?f"])
def test_every_gradient_of_the_reverse_sweep_is_the_forward_dual(act):
    for name, claim in derived(network(act)).items():
        outcome = compare(claim)
        assert (name, outcome.status) == (name, "equal")
        assert outcome.exponent >= ENOUGH
        half = compare(Claim(claim.left, scale(Fraction(1001, 1000), claim.right), claim.model))
        assert (name, half.status) == (name, "different")


def test_sigmoid_outputs_with_binary_cross_entropy_are_exact_too():
    for name, claim in derived(network(output="sigmoid")).items():
        assert (name, compare(claim).status) == (name, "equal")


def test_a_claim_is_judged_where_its_symbols_exist_and_the_rest_is_listed():
    model = network()
    claim = Claim(model["h"][1], apply("tanh", model["a"][1]), model)
    outcome = compare(claim)
    assert outcome.status == "equal"
    assert outcome.tried == ((("t", 1),), (("t", 2),), (("t", 3),))
    assert outcome.skipped == ("h does not exist at step 5 (it exists at 0..4)",)


def test_a_claim_about_no_existing_step_is_not_decided():
    model = network()
    outcome = compare(Claim(model["h"][5], model["h"][5], model))
    assert (outcome.status, outcome.tried) == ("bad", ())
    assert "does not exist" in outcome.reason


def test_a_stated_end_leaves_out_the_last_step():
    outcome = compare(Claim(network()["h"], network()["h"], network(), conditions=(Condition("before-end"),)))
    assert len(outcome.tried) == 3


def test_where_the_first_difference_stands_is_told():
    h = network()["h"]
    outcome = compare(Claim(h, had(h, param("v", "n_h")), network()))
    assert (outcome.status, outcome.times, outcome.entry) == ("different", {"t": 1}, (1, 1))
    e = compare(Claim(entry(softmax(o), i), entry(softmax(o), i) + delta(i, 2), NONE))
    assert (e.status, e.times, e.indices) == ("different", {}, {"i": 2})


# ------------------------------------------------------------------------------------------------------------- single identities
TRUE = {
    "softmax Jacobian": (derivative(softmax(o), o), diag(softmax(o)) - softmax(o) @ softmax(o).T),
    "log of softmax": (apply("log", softmax(o)), o - log_sum_exp(o) * ones(("K", 1))),
    "tanh by exp": (apply("tanh", u), (apply("exp", u) - apply("exp", -u)) * apply("recip", apply("exp", u) + apply("exp", -u))),
    "softplus by log": (apply("softplus", u), apply("log", 1 + apply("exp", u))),
    "sine and cosine": (apply("sin", u)**2 + apply("cos", u)**2, ones(("n", 1))),
    "odd": (apply("tanh", -u), -apply("tanh", u)),
    "complement": (apply("sigmoid", -u), 1 - apply("sigmoid", u)),
    "step is 0 or 1": (apply("step", u)**2, apply("step", u)),
    "relu": (apply("relu", u), had(apply("step", u), u)),
    "relu twice": (had(apply("relu", u), apply("step", u)), apply("relu", u)),
    "components": (derivative(entry(softmax(o), i), entry(o, k)), entry(softmax(o), i) * (delta(i, k) - entry(softmax(o), k))),
    "trace": (total(diag(u)), index_sum(Index("r", "n"), entry(u, Index("r", "n")))),
    "number of classes": (total(ones(("K", 1))), node("size", attr="K")),
}
FALSE = {
    "softmax Jacobian": (derivative(softmax(o), o), diag(softmax(o)) + softmax(o) @ softmax(o).T),
    "exp of a sum": (apply("exp", u + w), apply("exp", u) + apply("exp", w)),
    "step is 1": (apply("step", u), ones(("n", 1))),
    "two steps": (had(apply("step", u), apply("step", w)), apply("step", u)),
    "components": (derivative(entry(softmax(o), i), entry(o, k)), entry(softmax(o), i) * (1 - entry(softmax(o), k))),
    "number of classes": (total(ones(("K", 1))), 3 + symbol("c") - symbol("c") + 1),
}


@pytest.mark.parametrize("name", TRUE)
def test_a_true_identity_is_equal(name):
    outcome = compare(Claim(*TRUE[name], NONE))
    assert outcome.status == "equal", outcome.reason
    assert outcome.exponent >= ENOUGH


@pytest.mark.parametrize("name", FALSE)
def test_a_false_identity_is_different(name):
    assert says(*FALSE[name]) == "different"


def test_conditions_make_the_difference():
    cross = derivative(negative(y.T @ apply("log", softmax(o))), o)
    assert says(cross, softmax(o) - y) == "different"
    assert says(cross, softmax(o) - y, Condition("simplex", ("y",))) == "equal"
    assert says(u, u + w) == "different"
    assert says(u, u + w, Condition("zero", ("w",))) == "equal"
    p = softmax(o)
    jacobian = derivative(entry(p, i), entry(o, k))
    assert says(jacobian, entry(p, i) * (1 - entry(p, i)), Condition("equal", (i, k))) == "equal"
    assert says(jacobian, -entry(p, i) * entry(p, k), Condition("distinct", (i, k))) == "equal"
    assert says(jacobian, -entry(p, i) * entry(p, k)) == "different"


def test_sums_over_time_need_their_boundary():
    model = network()
    a, h = node("sym", attr=adjoint(model.symbol("a"))), model["h"]
    left = node("sym", attr=gradient(model.symbol("W")))
    late = time_sum("t", Time("", 2), LAST, a @ h[-1].T)
    assert says(left, time_sum("t", FIRST, LAST, a @ h[-1].T), model=model) == "equal"
    assert says(left, late, model=model) == "different"
    assert says(left, late, Condition("past-zero", ("h",)), model=model) == "equal"
    assert says(left, time_sum("t", Time("", 0), Time("T", -1), a[1] @ h.T), model=model) == "equal"


# ------------------------------------------------------------------------------------------------------------------ honest bounds
def test_the_bound_gets_weaker_with_the_degree_and_more_points_make_up_for_it():
    def power(n: int):
        return compare(Claim(node("pow", z, attr=n) * z, node("pow", z, attr=n + 1), NONE))
    low, high = power(3), power(2**40)
    assert len(low.seeds) == 2 and len(high.seeds) > 2
    assert low.exponent >= ENOUGH and high.exponent >= ENOUGH


def test_one_point_alone_is_not_called_enough():
    outcome = compare(Claim(u, u, NONE), points=1)
    assert outcome.status == "equal" and outcome.exponent < ENOUGH
    assert exact_only(Claim(u, u, NONE)).outcome.exponent >= ENOUGH


def test_degrees_add_up_as_fractions_do():
    x = Degree(1)
    assert (x * x + 1).top == 2
    third = x * (x + 1).inverse()
    assert (third.top, third.bottom) == (1, 1)
    assert (third + third).top == 2 and third.times(4).bottom == 4 and third.times(4).top == 4
    assert third.power(-2).top == 2


@pytest.mark.parametrize("name", ["W", "h", "a", "x"])
def test_the_degree_along_a_line_of_points_is_what_the_bound_allows(name):
    """Without functions a value is a polynomial; differences of an order above its degree vanish, and the bound is not slack."""
    W, U = param("W", "n", "n"), param("U", "n", "m")
    h, a, x = sequence("h", "n"), sequence("a", "n"), sequence("x", "m", kind="input")
    y, loss = sequence("y", "n", kind="target"), scalar("l")
    model = Model.build("linear", [(a, W @ h[-1] + U @ x), (h, had(a, a)), (loss, y.T @ h)], loss="l")
    s = model.symbol(name)
    kind, time = ("gradient", None) if s.kind == "parameter" else ("adjoint", Time("", 1))
    e = node("sym", attr=Symbol(name, s.shape, kind, time))
    sizes, T = {"n": 2, "m": 3}, 2
    system = Field(*prime_and_key(b"line", 0))

    def value(at: int) -> int:
        def draw(n, step, shape, simplex):
            return [[system.hash(n, step, r, c, "from") + at * system.hash(n, step, r, c, "to") for c in range(shape[1])]
                    for r in range(shape[0])]
        return Point(model, system, sizes, T, draw).value(e)[0, 0]

    def difference(order: int) -> int:
        return sum((-1) ** k * comb(order, k) * value(k) for k in range(order + 1)) % system.prime

    bound = Degrees(field_point(Claim(e, e, model), sizes, T)).value(e, {})
    assert bound.bottom == 0
    assert difference(bound.top + 1) == 0
    assert difference(bound.top) != 0, "the bound is the degree itself"


def test_a_huge_coefficient_weakens_the_bound():
    def exponent(c: int) -> float:
        claim = Claim(scale(c, z), scale(c, z), NONE)
        degrees = Degrees(field_point(claim, {}, 1))
        return degrees.exponent(degrees.value(claim.left, {}), degrees.value(claim.right, {}))
    assert exponent(2**100_000) < exponent(3) - 5


def test_the_primes_follow_the_claim_and_its_definitions():
    claims = [Claim(u, w, NONE), Claim(w, u, NONE), Claim(u, w, network()), Claim(u, w, network("sigmoid")),
              Claim(u, w, NONE, conditions=(Condition("zero", ("w",)),)),
              Claim(derivative(u, u), derivative(u, u, "partial"), NONE), Claim(derivative(u, u), derivative(u, u), NONE)]
    assert len({fingerprint(c) for c in claims}) == len(claims)
    assert len({seed for c in claims for seed in compare(c, sizes=default_sizes(c)).seeds}) >= len(claims)


def test_a_number_that_vanishes_modulo_a_known_prime_does_not_pass_for_zero():
    assert says(scale(2**61 - 1, z), z * 0) == "different"


# ------------------------------------------------------------------------------------------------------------- scope and verdicts
def test_default_sizes_are_distinct_and_classes_are_three_or_more():
    sizes = default_sizes(Claim(softmax(o), softmax(o), network()))
    assert len(set(sizes.values())) == len(sizes) == 4
    assert min(sizes.values()) == 2 and sizes["K"] >= 3 and sizes["n_y"] >= 3
    assert default_sizes(Claim(softmax(o), softmax(o), NONE)) == {"K": 3}


def test_a_size_that_stacking_defines_is_no_free_size():
    stack = node("cat", u, o, attr="d")
    claim = Claim(node("slice", stack, attr=("n+1", "d", "K")), o, NONE)
    sizes = default_sizes(claim)
    assert sizes["d"] == sizes["n"] + sizes["K"]
    assert compare(claim).status == "equal"
    assert says(node("slice", stack, attr=(1, "n", "n")), w) == "different"


def test_sizes_are_sums_of_products():
    assert size_value("4*n_h + n_x - 1", {"n_h": 2, "n_x": 5}) == 12
    assert [sum(s.values()) for s in small_sizes(("a", "b"), 2)] == [2, 3, 3, 4, 4, 4]


def test_alone_it_proves_the_finite_scope_and_agrees_for_all():
    verdict = exact_only(derived(network())["W"])
    assert (verdict.finite, verdict.all) == ("proved", "agrees")
    assert verdict.scope == "n_h=2, n_y=3, n_x=4, T=4"
    plain = exact_only(Claim(apply("tanh", -z), -apply("tanh", z), NONE))
    assert (plain.finite, plain.all, plain.scope) == ("proved", "proved", "")
    assert exact_only(Claim(z, z + 1, NONE)).finite == "different"
    assert exact_only(Claim(symbol("h", ("n", 2), time=Time("t")) @ u, u, NONE)).all == "undecided"


@pytest.mark.parametrize(("claim", "reason"), [
    (Claim(u @ w, u, NONE), "without a shape"), (Claim(u, o, NONE), "different shapes"), (Claim(u, u, NONE, "<="), "relation"),
    (Claim(apply("recip", z - z), z, NONE), "1/0"),
    (Claim(entry(o, i), entry(o, k), NONE, conditions=(Condition("equal", (i, k)), Condition("distinct", (i, k)))),
     "no component"),
])
def test_what_cannot_be_decided_is_bad_with_the_reason(claim, reason):
    outcome = compare(claim)
    assert outcome.status == "bad" and reason in outcome.reason


def test_many_steps_are_sampled_and_a_sample_does_not_prove():
    wide = param("q", 9)
    claim = Claim(total(had(apply("step", wide), apply("step", wide))), total(apply("step", wide)), NONE)
    outcome = compare(claim)
    assert outcome.status == "bad" and "sampled" in outcome.reason
    assert says(total(apply("step", wide)), symbol("c")) == "different"


def test_the_adjoint_of_an_unknown_symbol_is_undecided():
    outcome = compare(Claim(node("sym", attr=Symbol("nix", ("n", 1), "adjoint", Time("t"))), u, network()))
    assert outcome.status == "bad" and "nix" in outcome.reason


PROGRAM = """
from symrnn.expr import *
from symrnn.model import *
from symrnn.prove.claim import Claim
from symrnn.prove.exact import compare
from symrnn.prove.refute import search
W, h, x = param("W", "n", "n"), sequence("h", "n"), sequence("x", "n", kind="input")
y, l = sequence("y", "n", kind="target"), scalar("l")
m = Model.build("m", [(h, apply("?f", W @ h[-1] + x)), (l, y.T @ softmax(h))], loss="l", simplex=["y"])
a = node("sym", attr=Symbol("h", ("n", 1), "adjoint", NOW))
for right in (a, -a, W @ a, W.T @ a[1] + y):
    print(compare(Claim(a, right, m)))
    print(search(Claim(a, right, m), extra=1))
"""


def test_the_same_claim_gives_the_same_answer_under_any_hash_seed():
    answers = {subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True,
                              env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)}).stdout for seed in ("1", "77")}
    assert len(answers) == 1
    assert "Counterexample" in answers.pop()


def test_a_condition_on_indices_that_a_claim_does_not_print_restricts_nothing():
    same = Condition("equal", (i, k))
    assert compare(Claim(entry(o, i), entry(o, i) + 0, NONE, conditions=(same,))).status == "equal"
    assert compare(Claim(entry(o, i), 2 * entry(o, i), NONE, conditions=(same,))).status == "different"
