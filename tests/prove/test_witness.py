"""The SymPy witness tells true claims from false ones at tiny sizes, and says what it cannot be asked."""

from __future__ import annotations

import ast
from fractions import Fraction
from pathlib import Path

import pytest

import symrnn.component_rows
import symrnn.components
import symrnn.points
import symrnn.prove.witness
import symrnn.scalars
import symrnn.unroll
from symrnn.bptt import derive
from symrnn.components import Components
from symrnn.errors import LimitError
from symrnn.expr import (
    SCALAR,
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
from symrnn.prove.claim import Claim, Condition, Missing, Unsupported
from symrnn.prove.witness import component_witness

pytestmark = pytest.mark.slow

SIZES = {"n_h": 2, "n_x": 3, "n_y": 3}
W, U, b, V, c = param("W", "n_h", "n_h"), param("U", "n_h", "n_x"), param("b", "n_h"), param("V", "n_y", "n_h"), param("c", "n_y")
h, a, o, p = (sequence(n, d) for n, d in (("h", "n_h"), ("a", "n_h"), ("o", "n_y"), ("p", "n_y")))
x, y, ell = sequence("x", "n_x", kind="input"), sequence("y", "n_y", kind="target"), scalar("l")
dh, da, do = (symbol(s.attr.name, s.shape, "adjoint", s.attr.time) for s in (h, a, o))


def elman(activation: str = "tanh") -> Model:
    return Model.build("elman", [(a, W @ h[-1] + U @ x + b), (h, apply(activation, a)), (o, V @ h + c), (p, softmax(o)),
                                 (ell, negative(y.T @ apply("log", p)))], loss="l", simplex=["y"])


def gradient(e):
    return symbol(e.attr.name, e.shape, "gradient")


def holds(left, right, *conditions, model=None, T=3, sizes=SIZES) -> bool:
    return component_witness(Claim(left, right, model or elman(), conditions=conditions), sizes, T).holds


@pytest.mark.parametrize("activation", ["tanh", "sigmoid", "relu", "softplus", "id", "?f"])
def test_every_adjoint_and_gradient_of_the_reverse_sweep_is_confirmed(activation):
    model = elman(activation)
    derived = derive(model)
    claims = [(Symbol(n, model.symbol(n).shape, "adjoint", model.symbol(n).time), e) for n, e in derived.adjoints.items()]
    claims += [(Symbol(n, model.symbol(n).shape, "gradient"), e) for n, e in derived.gradients.items()]
    shared = Components(model, SIZES, 2)
    for left, right in claims:
        found = component_witness(Claim(node("sym", attr=left), right, model), SIZES, 2, shared)
        assert found.holds and found.comparisons > 0, left


def summed(e):
    return time_sum("t", FIRST, LAST, e)


TRUE_W = da @ h[-1].T
WRONG = {
    "sign": negative(TRUE_W), "transposed": h[-1] @ da.T, "time": da @ h.T, "other adjoint": dh @ h[-1].T,
    "scaled": scale(Fraction(1001, 1000), TRUE_W), "term": TRUE_W + W, "last factor": da @ ones((1, "n_h")),
}


def test_a_true_gradient_holds_at_three_steps():
    assert holds(gradient(W), summed(TRUE_W))


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_a_mutant_of_a_gradient_is_refuted(wrong):
    assert not holds(gradient(W), summed(WRONG[wrong]))


def test_a_difference_in_one_entry_only_is_found():
    i, j = Index("i", "n_h"), Index("j", "n_h")
    left = entry(gradient(W), i, j)
    right = summed(entry(da, i) * entry(h[-1], j))
    bent = right + scale(Fraction(1, 1000), delta(i, 2) * delta(j, 1) * entry(W, i, j))
    assert holds(left, right)
    found = component_witness(Claim(left, bent, elman()), SIZES, 2)
    assert not found.holds and found.place == "i=2, j=1" and found.left != found.right and found.point


def test_a_missing_transpose_of_an_output_weight_is_refuted_and_the_right_form_holds():
    square = {"n_h": 3, "n_x": 2, "n_y": 3}
    V_square = param("V", "n_h", "n_h")
    ys, os_, ps = sequence("y", "n_h", kind="target"), sequence("o", "n_h"), sequence("p", "n_h")
    model = Model.build("square", [(a, W @ h[-1] + U @ x + b), (h, apply("tanh", a)), (os_, V_square @ h), (ps, softmax(os_)),
                                   (ell, negative(ys.T @ apply("log", ps)))], loss="l", simplex=["y"])
    back = symbol("o", ("n_h", 1), "adjoint", Time("t", 0))
    rest = W.T @ da[1]
    assert holds(dh, V_square.T @ back + rest, model=model, sizes=square, T=2)
    assert not holds(dh, V_square @ back + rest, model=model, sizes=square, T=2)


@pytest.mark.slow
def test_a_derivative_written_out_is_compared_through_sympy():
    assert holds(derivative(p, o), diag(p) - p @ p.T)
    assert not holds(derivative(p, o), p @ p.T - diag(p))
    assert holds(derivative(h, h[-1]), diag(1 - h**2) @ W)
    assert not holds(derivative(h, h[-1]), W @ diag(1 - h**2))
    assert holds(derivative(symbol("L", SCALAR), h), dh)


def test_a_derivative_by_a_parameter_is_total_unless_it_is_said_to_be_immediate():
    i = Index("i", "n_h")
    local = (1 - entry(h, i) ** 2) * ones(SCALAR)
    claim = derivative(entry(h, i), entry(b, i))
    assert not holds(claim, local, T=2)
    assert holds(claim, local, Condition("immediate"), T=2)
    assert holds(derivative(entry(h, i), entry(b, i), "immediate"), local, T=2)


def test_conditions_are_used():
    two = {"n_h": 2, "n_x": 1, "n_y": 3}
    free = Model.build("free", elman().equations, loss="l")
    assert not holds(do, p - y, model=free, sizes=two, T=1)
    assert holds(do, p - y, Condition("simplex", ("y",)), model=free, sizes=two, T=1)
    assert holds(do, total(y) * p - y, model=free, sizes=two, T=1)
    assert holds(a, W @ h[-1] + U @ x, Condition("zero", ("b",)), sizes=two, T=2)
    assert not holds(h[-1], 0 * h, Condition("past-zero", ("h",)), sizes=two, T=2)
    assert holds(symbol("h", ("n_h", 1), time=Time("", 0)), 0 * h, Condition("past-zero", ("h",)), sizes=two, T=2)
    i, k = Index("i", "n_y"), Index("k", "n_y")
    cross = derivative(entry(p, i), entry(o, k))
    assert holds(cross, negative(entry(p, i) * entry(p, k)), Condition("distinct", (i, k)), sizes=two, T=1)
    assert not holds(cross, negative(entry(p, i) * entry(p, k)), sizes=two, T=1)
    assert holds(cross, entry(p, i) * (1 - entry(p, i)), Condition("equal", (i, k)), sizes=two, T=1)


def test_steps_that_do_not_exist_are_left_out_and_counted():
    found = component_witness(Claim(h[1], apply("tanh", W @ h + U @ x[1] + b), elman()), SIZES, 3)
    assert found.holds and found.skipped == 1 and found.comparisons == 4
    with pytest.raises(Missing):
        component_witness(Claim(h[1], apply("tanh", a[1]), elman()), SIZES, 1)


def test_the_end_condition_leaves_out_the_last_step():
    claim = Claim(dh, V.T @ do + W.T @ had(1 - h[1] ** 2, dh[1]), elman(), conditions=(Condition("before-end"),))
    assert component_witness(claim, SIZES, 3).comparisons == 4


def test_an_index_expression_holds_by_cancelling():
    i, j = Index("i", "n_h"), Index("j", "n_x")
    assert component_witness(Claim(entry(U @ x, i), index_sum(j, entry(U, i, j) * entry(x, j)), elman()), SIZES, 1).cancelled == 2


@pytest.mark.parametrize(("left", "right", "sizes", "T", "error"), [
    (h, h, {"n_h": 4, "n_x": 2, "n_y": 2}, 2, LimitError),
    (h, h, SIZES, 4, LimitError),
    (h, symbol("h", ("n_h", 1), time=Time("s", 0)) + symbol("z", ("n_q", 1)), SIZES, 2, Unsupported),
    (apply("log", negative(h**2)), h, SIZES, 2, Unsupported),
])
def test_what_the_witness_cannot_be_asked_is_said(left, right, sizes, T, error):
    with pytest.raises(error):
        component_witness(Claim(left, right, elman()), sizes, T)


def test_the_witness_does_not_rest_on_the_rules_it_checks():
    modules = [symrnn.components, symrnn.component_rows, symrnn.points, symrnn.scalars, symrnn.unroll, symrnn.prove.witness]
    for module in modules:
        tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
        names = {n.module.removeprefix("symrnn.") for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module}
        assert not names & {"calculus", "bptt", "expr.functions", "prove.lower", "prove.algebra"}
