"""The functions of emitted modules and the rewritten logarithms are right to rounding, at ordinary and at extreme arguments."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from symrnn.emit.kernels import KERNELS, sources
from symrnn.emit.load import load
from symrnn.emit.stable import expose, stable_derivation, stable_logarithms
from symrnn.expr import apply, negative, softmax, total
from symrnn.model import Model, param, scalar, sequence

HEAD = "from __future__ import annotations\nfrom typing import Any\nimport numpy as np\nArray = Any\n\n"
K = load(HEAD + "\n\n".join(sources(set(KERNELS))))
ARGUMENTS = np.array([-1e4, -745.2, -40.0, -3.1, -1e-9, 0.0, 1e-9, 0.7, 40.0, 745.2, 1e4])


def close(computed, exact) -> bool:
    least = mpmath.mpf("1e-300")
    return all(abs(mpmath.mpf(float(a)) - b) <= 4e-16 * max(abs(b), least) for a, b in zip(computed, exact, strict=True))


@pytest.mark.parametrize(("name", "exact"), [
    ("_sigmoid", lambda u: 1 / (1 + mpmath.exp(-u))),
    ("_softplus", lambda u: mpmath.log1p(mpmath.exp(u))),
    ("_relu", lambda u: max(u, 0)),
    ("_step", lambda u: mpmath.mpf(u > 0)),
])
def test_a_function_of_one_number_is_right_to_rounding(name, exact):
    with mpmath.workdps(60), np.errstate(over="raise", invalid="raise"):
        assert close(getattr(K, name)(ARGUMENTS), [exact(mpmath.mpf(u)) for u in ARGUMENTS])


@pytest.mark.parametrize("u", [[0.0, 1.0, -2.0], [1e4, -1e4, 9999.0], [-1e4, -1e4, -1e4]])
def test_softmax_and_log_sum_exp_are_right_to_rounding(u):
    with mpmath.workdps(60), np.errstate(over="raise", invalid="raise"):
        powers = [mpmath.exp(mpmath.mpf(x)) for x in u]
        assert close(K._softmax(np.array(u)), [p / mpmath.fsum(powers) for p in powers])
        assert close(K._log_sum_exp(np.array(u)), [mpmath.log(mpmath.fsum(powers))])


@pytest.mark.parametrize("name", ["_sigmoid", "_softplus", "_relu", "_softmax", "_log_sum_exp"])
def test_complex_steps_pass_through_every_function(name):
    u = np.array([0.3, -1.2, 2.0])
    f = getattr(K, name)
    moved = u + np.array([0, 1e-30j, 0])
    quotient = (f(u + [0, 1e-6, 0]) - f(u - [0, 1e-6, 0])) / 2e-6
    assert np.allclose(np.imag(f(moved)) / 1e-30, quotient, atol=1e-8)


def output(kind: str, loss, simplex=()):
    V, h = param("V", "k", "n"), sequence("h", "n")
    p, y, x = sequence("p", "k"), sequence("y", "k", kind="target"), sequence("x", "n", kind="input")
    right = softmax(V @ h) if kind == "softmax" else apply(kind, V @ h)
    rows = [(h, apply("tanh", param("w") * h[-1] + x)), (p, right), (scalar("l"), loss(p, y))]
    return Model.build("m", rows, loss="l", simplex=simplex)


def test_the_argument_of_an_output_gets_a_name_and_its_logarithm_is_rewritten():
    model = stable_logarithms(expose(output("softmax", lambda p, y: negative(y.T @ apply("log", p)))))
    assert [str(e) for e in model.equations if e.name in ("p_pre", "p")] == ["p_pre[t] = V @ h[t]", "p[t] = softmax(p_pre[t])"]
    assert str(model.definitions["l"]) == "-y[t].T @ (p_pre[t] - lse(p_pre[t]) * ones)"


def test_both_logarithms_of_a_sigmoid_are_rewritten():
    model = stable_logarithms(expose(output("sigmoid", lambda p, y: total(apply("log", p)) + total(apply("log", 1 - p)))))
    assert str(model.definitions["l"]) == "sum(-softplus(-p_pre[t])) + sum(-softplus(p_pre[t]))"


def test_a_logarithm_of_a_sigmoid_inside_an_equation_is_rewritten_as_well():
    h, x = sequence("h", "n"), sequence("x", "n", kind="input")
    row = (scalar("l"), total(apply("log", 1 - apply("sigmoid", param("w") * (param("W", "n", "n") @ h[-1])))))
    model = stable_logarithms(expose(Model.build("m", [(h, x + h[-1]), row], loss="l")))
    assert str(model.definitions["l"]) == "sum(-softplus(l_sigmoid_pre[t]))"


def test_what_the_backward_pass_needs_again_is_named_once():
    h, x = sequence("h", "n"), sequence("x", "n", kind="input")
    gate = apply("sigmoid", param("W", "n", "n") @ x)
    model = expose(Model.build("m", [(h, gate * h[-1] + (1 - gate) * apply("sin", param("U", "n", "n") @ h[-1]))]))
    assert [str(e) for e in model.equations] == [
        "h_sigmoid_pre[t] = W @ x[t]", "h_sin_pre[t] = U @ h[t-1]",
        "h_sigmoid[t] = sigmoid(h_sigmoid_pre[t])", "h_sin[t] = sin(h_sin_pre[t])",
        "h[t] = h_sigmoid[t] * h[t-1] + (ones - h_sigmoid[t]) * h_sin[t]"]


def test_a_model_without_logarithms_is_left_as_it_is():
    model = output("tanh", lambda p, y: total((p - y) ** 2))
    assert stable_logarithms(model).equations == model.equations


def test_what_goes_into_a_gate_has_an_adjoint_of_its_own_which_every_weight_of_the_gate_shares():
    """The slope of the gate is then multiplied once, and not in the gradient of each weight."""
    h, x = sequence("h", "n"), sequence("x", "n", kind="input")
    W, U, b = param("W", "n", "n"), param("U", "n", "n"), param("b", "n")
    rows = [(h, apply("tanh", W @ h[-1] + U @ x + b)), (scalar("l"), total(h**2))]
    derived = stable_derivation(Model.build("m", rows, loss="l"))
    assert str(derived.adjoints["h_pre"]) == "(ones - h[t]**2) * adj h[t]"
    assert [str(derived.summands[k]) for k in "WUb"] == ["adj h_pre[t] @ h[t-1].T", "adj h_pre[t] @ x[t].T", "adj h_pre[t]"]


def test_a_function_of_a_state_inside_an_equation_is_computed_once_for_both_passes():
    c, o = sequence("c", "n"), sequence("o", "n", kind="input")
    model = expose(Model.build("m", [(c, c[-1] + o), (sequence("h", "n"), o * apply("tanh", c))]))
    assert [str(e) for e in model.equations[1:]] == ["h_tanh[t] = tanh(c[t])", "h[t] = o[t] * h_tanh[t]"]


def test_a_weighted_loss_that_is_no_fused_pair_is_differentiated_without_a_quotient():
    weights = param("q", "k")
    derived = stable_derivation(output("sigmoid", lambda p, y: negative(total(y * (weights * apply("log", p))))))
    assert not any("recip" in str(e) for e in derived.adjoints.values())
    assert derived.adjoints["p_pre"].shape == ("k", 1)
