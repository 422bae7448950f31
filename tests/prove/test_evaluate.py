"""Values and forward duals agree with hand-written NumPy: every operation, the whole network, every edge of time."""
from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from ids import stable

from symrnn.expr import (
    OPERATIONS,
    SCALAR,
    Expr,
    Index,
    Symbol,
    Time,
    apply,
    delta,
    derivative,
    diag,
    entry,
    eye,
    had,
    index_sum,
    lift,
    log_sum_exp,
    matmul,
    matrix_power,
    negative,
    node,
    ones,
    smul,
    softmax,
    symbol,
    time_sum,
    total,
    transpose,
    window,
    zeros,
)
from symrnn.model import FIRST, LAST, Model, param, scalar, sequence
from symrnn.prove.claim import Claim, Condition, Missing, Unsupported
from symrnn.prove.evaluate import Point
from symrnn.prove.exact import field_point
from symrnn.prove.numbers import BadPoint
from symrnn.prove.reals import Decimals, Floats, instances

SIZES = {"n": 3, "m": 2}
NONE = Model("none", ())


# --------------------------------------------------------------------------------------------------- every operation of the table
W, v, s = param("W", "n", "n"), param("v", "n"), param("s")
x = sequence("x", "n", kind="input")
i, j, k = Index("i", "n"), Index("j", "n"), Index("k", "n")
cube = apply("?f", v)

#: operation -> (an expression that uses it, the same in NumPy from W, v, s and x[1..4] = X)
CASES: dict[str, tuple[Expr, Any]] = {
    "sym": (v, lambda W, v, s, X: v),
    "num": (lift(Fraction(3, 7)), lambda W, v, s, X: 3 / 7),
    "size": (smul(node("size", attr="n"), v), lambda W, v, s, X: 3 * v),
    "steps": (smul(node("steps"), v), lambda W, v, s, X: 4 * v),
    "ones": (W @ ones(("n", 1)), lambda W, v, s, X: W.sum(1, keepdims=True)),
    "zeros": (node("add", v, zeros(("n", 1))), lambda W, v, s, X: v),
    "eye": (node("add", W, eye("n")), lambda W, v, s, X: W + np.eye(3)),
    "delta": (index_sum(j, smul(delta(i, j), entry(v, j))), lambda W, v, s, X: v[1]),
    "add": (node("add", v, W @ v, v), lambda W, v, s, X: 2 * v + W @ v),
    "smul": (node("smul", s, smul(s, v)), lambda W, v, s, X: s * s * v),
    "matmul": (node("matmul", W, matmul(W, v)), lambda W, v, s, X: W @ W @ v),
    "had": (had(v, W @ v), lambda W, v, s, X: v * (W @ v)),
    "transpose": (transpose(W) @ v, lambda W, v, s, X: W.T @ v),
    "pow": (node("pow", W @ v, attr=3) + node("pow", v, attr=-2), lambda W, v, s, X: (W @ v)**3 + 1 / v**2),
    "mpow": (matrix_power(W, Time("T", -1), Time("")) @ v, lambda W, v, s, X: np.linalg.matrix_power(W, 3) @ v),
    "inv": (node("inv", W) @ v, lambda W, v, s, X: np.linalg.inv(W) @ v),
    "apply": (apply("tanh", W @ v), lambda W, v, s, X: np.tanh(W @ v)),
    "softmax": (softmax(W @ v), lambda W, v, s, X: np.exp(W @ v) / np.exp(W @ v).sum()),
    "lse": (log_sum_exp(W @ v), lambda W, v, s, X: np.log(np.exp(W @ v).sum())),
    "sum": (total(had(W, W)), lambda W, v, s, X: (W * W).sum()),
    "diag": (diag(v) @ W, lambda W, v, s, X: np.diag(v[:, 0]) @ W),
    "entry": (smul(entry(W, i, 2), entry(v, i)), lambda W, v, s, X: W[1, 1] * v[1]),
    "isum": (index_sum(j, smul(entry(W, i, j), entry(W, j, i))), lambda W, v, s, X: (W[1] * W[:, 1]).sum()),
    "tsum": (time_sum("t", FIRST, Time("T", -1), W @ x), lambda W, v, s, X: W @ sum(X[:3])),
    "cat": (node("cat", v, W @ v, attr="2*n"), lambda W, v, s, X: np.vstack([v, W @ v])),
    "slice": (node("slice", W @ v, attr=(2, "n", "n-1")), lambda W, v, s, X: (W @ v)[1:]),
    "window": (W @ window(symbol("u", SCALAR, "input", Time("t", 1)), "n"),
               lambda W, v, s, X: W @ np.array([[-0.5], [0.25], [-0.25]])),
    "deriv": (derivative(apply("tanh", v), v), lambda W, v, s, X: np.diag(1 - np.tanh(v[:, 0])**2)),
}
IN_THE_FIELD = {"vcall", "vjac", "mexp"}        # what is any function of vectors, or of a matrix, has values in the field only
VALUES = {"W": [[1, Fraction(-1, 2), 2], [0, Fraction(1, 3), 1], [-1, 1, Fraction(1, 2)]], "v": [[1], [Fraction(-1, 2)], [2]],
          "s": [[Fraction(3, 2)]]}


def draws(changed: dict[Any, Any]) -> Any:
    def draw(name, step, shape, simplex):
        rows = VALUES.get(name) or [[Fraction((7 * len(name) + 3 * (step or 0) + 2 * a + b) % 5 - 2, 4) for b in range(shape[1])]
                                    for a in range(shape[0])]
        return [[q + changed.get((name, a, b), 0) for b, q in enumerate(row)] for a, row in enumerate(rows)]
    return draw


def at(e: Expr, system: Any = None, changed: dict[Any, Any] | None = None) -> np.ndarray:
    point = Point(NONE, system or Decimals(), SIZES, 4, draws(changed or {}))
    return point.value(e, {"t": 2}, {"i": 2})


def test_no_operation_is_without_a_case():
    assert set(CASES) | IN_THE_FIELD == set(OPERATIONS)
    assert all(any(x.op == op for x in walk_all(e)) for op, (e, _) in CASES.items())


def walk_all(e: Expr) -> list[Expr]:
    return [e, *(y for a in e.args for y in walk_all(a))]


@pytest.mark.parametrize("op", CASES)
def test_the_value_of_an_operation_is_that_of_numpy(op):
    e, numpy = CASES[op]
    W, v, s = (np.array(VALUES[n], dtype=float) for n in ("W", "v", "s"))
    X = [np.array(draws({})("x", t, (3, 1), False), dtype=float) for t in range(1, 5)]
    got = at(e, Floats())
    assert np.allclose(got, np.broadcast_to(numpy(W, v, s, X), got.shape), rtol=1e-14)


@pytest.mark.parametrize("op", [op for op in CASES if op != "deriv"])
@pytest.mark.parametrize("by", [W, v, s], ids=stable)
def test_the_dual_of_an_operation_is_its_central_difference(op, by):
    e = CASES[op][0]
    e = e if e.shape == SCALAR else total(had(e, e)) + total(e)
    slope = at(derivative(e, by))
    name, h = by.attr.name, Fraction(1, 10**16)
    for (a, b), got in np.ndenumerate(slope):
        up, down = (at(e, changed={(name, a, b): sign * h})[0, 0] for sign in (1, -1))
        assert abs((up - down) / 2 * 10**16 - got) < 1e-25
    depends = name in {q.attr.name for q in walk_all(e) if q.op == "sym"}
    assert depends == any(g != 0 for g in slope.ravel())


def test_a_derivative_of_a_derivative_is_unsupported():
    with pytest.raises(Unsupported, match="a derivative of a derivative"):
        at(derivative(total(derivative(apply("tanh", v), v)), v))


@pytest.mark.parametrize("power", [0, 1, 2, 5, -1])
def test_a_power_and_its_dual_are_right_for_every_exponent(power):
    e = node("pow", v, attr=power)
    u = np.array(VALUES["v"], dtype=float)
    assert np.allclose(at(e, Floats()), u**power)
    assert np.allclose(at(derivative(e, v), Floats()), np.diag((power * u**(power - 1.0))[:, 0]))


def test_indices_are_axes_and_a_sum_binds_its_own_only():
    e = smul(entry(v, i), index_sum(i, index_sum(i, entry(v, i))))
    u = np.array(VALUES["v"], dtype=float)[:, 0]
    assert np.allclose(at(e, Floats()), u[1] * 3 * u.sum())
    table = Point(NONE, Floats(), SIZES, 4, draws({})).table(smul(entry(W, k, i), entry(v, i)))
    assert table.axes == (i, k)
    assert np.allclose(table.a[..., 0, 0], (np.array(VALUES["W"], dtype=float) * u).T)


def test_a_derivative_by_a_component_has_its_index():
    e = derivative(entry(apply("tanh", W @ v), i), entry(W, k, j))
    point = Point(NONE, Floats(), SIZES, 4, draws({}))
    table = point.table(e)
    u, M = np.array(VALUES["v"], dtype=float)[:, 0], np.array(VALUES["W"], dtype=float)
    want = np.einsum("i,ik,j->ijk", 1 - np.tanh(M @ u)**2, np.eye(3), u)
    assert table.axes == (i, j, k)
    assert np.allclose(table.a[..., 0, 0], want)
    diagonal = point.table(derivative(entry(softmax(v), i), entry(v, i)))
    p = np.exp(u) / np.exp(u).sum()
    assert diagonal.axes == (i,) and np.allclose(diagonal.a[:, 0, 0], p - p * p)


def test_an_unspecified_vector_function_obeys_the_chain_rule_in_the_field():
    f = ("f", ("m", 1))
    e = node("vcall", W @ v, s, attr=f)
    chain = node("vjac", W @ v, s, attr=(*f, 0)) @ W
    point = field_point(Claim(derivative(e, v), chain, NONE), SIZES, 1)
    assert (point.value(derivative(e, v)) == point.value(chain)).all()
    assert (point.value(derivative(e, s)) == point.value(node("vjac", W @ v, s, attr=(*f, 1)))).all()
    assert (point.value(e) != point.value(node("vcall", W @ W @ v, s, attr=f))).all()
    with pytest.raises(Unsupported, match="the derivative of the operation vjac"):
        point.value(derivative(total(chain), v))


def test_an_unspecified_vector_function_has_one_instance_in_the_reals_with_its_own_jacobian():
    f = ("f", ("m", 1))
    e, jacobian = node("vcall", W @ v, s, attr=f), node("vjac", W @ v, s, attr=(*f, 0)) @ W
    assert np.allclose(np.asarray(at(derivative(e, v)), float), np.asarray(at(jacobian), float))


def test_a_component_that_these_sizes_do_not_have_is_missing():
    with pytest.raises(Missing):
        at(entry(v, 4))


def test_a_slice_outside_the_vector_is_unsupported():
    with pytest.raises(Unsupported, match="are not"):
        at(node("slice", v, attr=(2, 4, 3)))


# ------------------------------------------------------------------------------------------------------- the network, by hand
def elman() -> Model:
    W, U, b = param("W", "n_h", "n_h"), param("U", "n_h", "n_x"), param("b", "n_h")
    V, c = param("V", "n_y", "n_h"), param("c", "n_y")
    h, a, o, p = sequence("h", "n_h"), sequence("a", "n_h"), sequence("o", "n_y"), sequence("p", "n_y")
    x, y, loss = sequence("x", "n_x", kind="input"), sequence("y", "n_y", kind="target"), scalar("l")
    return Model.build("elman", [(a, W @ h[-1] + U @ x + b), (h, apply("tanh", a)), (o, V @ h + c), (p, softmax(o)),
                                 (loss, negative(y.T @ apply("log", p)))], loss="l", simplex=["y"])


ELMAN, NETWORK, STEPS = elman(), {"n_h": 2, "n_x": 3, "n_y": 4}, 3


def drawn(name, step, shape, simplex):
    rows = [[Fraction((13 * sum(map(ord, name)) + 5 * (step or 0) + 3 * a + 7 * b) % 9 - 4, 6) for b in range(shape[1])]
            for a in range(shape[0])]
    return [[Fraction(int(a == (step or 0) % shape[0]))] for a in range(shape[0])] if simplex else rows


SHAPES = {"W": (2, 2), "U": (2, 3), "b": (2, 1), "V": (4, 2), "c": (4, 1), "h": (2, 1), "x": (3, 1), "y": (4, 1), "a": (2, 1),
          "o": (4, 1), "p": (4, 1)}


def by_hand(name: str, step: int | None, bump: np.ndarray, want: str = "") -> Any:
    """The loss with ``bump`` added to one symbol, or the value of the variable ``want`` at the last step: plain NumPy."""
    def get(n, t=None):
        q = np.array(drawn(n, t, SHAPES[n], n == "y"), dtype=float)
        return q + bump if (n, t) == (name, step) else q

    def bumped(n, t, q):
        return q + bump if (n, t) == (name, step) else q

    h, loss = get("h", 0), 0
    for t in range(1, STEPS + 1):
        a = bumped("a", t, get("W") @ h + get("U") @ get("x", t) + get("b"))
        h = bumped("h", t, np.tanh(a))
        o = bumped("o", t, get("V") @ h + get("c"))
        p = bumped("p", t, np.exp(o) / np.exp(o).sum())
        loss = loss - (get("y", t).T @ np.log(p))[0, 0]
    return {"h": h, "": loss}[want]


def complex_step(name: str, step: int | None) -> np.ndarray:
    out = np.zeros(SHAPES[name])
    for place in np.ndindex(*out.shape):
        bump = np.zeros(out.shape, dtype=complex)
        bump[place] = 1e-30j
        out[place] = by_hand(name, step, bump).imag / 1e-30
    return out


def central(name: str, step: int | None) -> np.ndarray:
    out = np.zeros(SHAPES[name])
    for place in np.ndindex(*out.shape):
        bump = np.zeros(out.shape)
        bump[place] = 1e-5
        out[place] = (by_hand(name, step, bump) - by_hand(name, step, -bump)) / 2e-5
    return out


POINT = Point(ELMAN, Floats(), NETWORK, STEPS, drawn)
SEEDS = [*((n, None) for n in "WUbVc"), *((n, t) for n in "ahopxy" for t in range(1, STEPS + 1)), ("h", 0)]


def test_the_forward_recurrence_is_that_of_numpy():
    zero = np.zeros((2, 1))
    assert np.allclose(POINT.value(ELMAN["h"], {"t": STEPS}), by_hand("b", None, zero, "h"), rtol=1e-14)
    assert np.allclose(POINT.value(symbol("L")), by_hand("b", None, zero), rtol=1e-14)
    assert np.allclose(POINT.value(ELMAN.total_loss), by_hand("b", None, zero), rtol=1e-14)


@pytest.mark.parametrize(("name", "step"), SEEDS, ids=stable)
def test_gradients_and_adjoints_are_those_of_the_complex_step_and_of_differences(name, step):
    s = ELMAN.symbol(name, None if step is None else Time("", step))
    kind = "gradient" if step is None else "adjoint"
    got = POINT.value(node("sym", attr=Symbol(name, s.shape, kind, s.time)))
    assert np.allclose(got, complex_step(name, step), rtol=1e-13, atol=1e-14)
    assert np.allclose(got, central(name, step), rtol=1e-6, atol=1e-8)
    same = POINT.value(derivative(symbol("L"), node("sym", attr=s)))
    assert (same == got).all()


def test_the_evaluator_itself_can_take_a_complex_step():
    def loss(bump):
        def draw(name, step, shape, simplex):
            return drawn(name, step, shape, simplex)
        point = Point(ELMAN, Floats(np.complex128), NETWORK, STEPS, draw)
        point.free_symbol("W", None, (2, 2))[0, 1] += bump
        return point.value(symbol("L"))[0, 0]
    assert np.isclose(loss(1e-30j).imag / 1e-30, complex_step("W", None)[0, 1], rtol=1e-13)


def state(t: Any) -> Expr:
    return node("sym", attr=ELMAN.symbol("h", t if isinstance(t, Time) else Time("", t)))


def test_total_and_immediate_derivatives_by_a_parameter_differ():
    h, W = np.array(drawn("h", 0, (2, 1), False), dtype=float), node("sym", attr=ELMAN.symbol("W"))
    M = np.array(drawn("W", None, (2, 2), False), dtype=float)
    h1 = POINT.value(state(1))
    h2 = POINT.value(state(2))
    once = np.einsum("i,ik,j->ikj", (1 - h2**2)[:, 0], np.eye(2), h1[:, 0])
    first = np.einsum("i,ik,j->ikj", (1 - h1**2)[:, 0], np.eye(2), h[:, 0])
    through = np.einsum("ia,akj->ikj", (1 - h2**2) * M, first)
    row = Index("r", "n_h")
    for mode, want in (("total", once + through), ("immediate", once), ("partial", once)):
        e = derivative(entry(state(2), row), W, mode)
        assert np.allclose(POINT.table(e).a, want), mode
    stated = Point(ELMAN, Floats(), NETWORK, STEPS, drawn, (Condition("immediate"),))
    assert np.allclose(stated.table(derivative(entry(state(2), row), W)).a, once)
    whole = derivative(symbol("L"), W, "partial")
    assert np.allclose(stated.value(whole), complex_step("W", None)), "the loss is differentiated along every path"


def test_a_derivative_by_an_earlier_state_is_the_product_of_the_jacobians():
    M = np.array(drawn("W", None, (2, 2), False), dtype=float)
    J = [(1 - POINT.value(state(t))**2) * M for t in (1, 2, 3)]
    assert np.allclose(POINT.value(derivative(state(3), state(0))), J[2] @ J[1] @ J[0])
    assert np.allclose(POINT.value(derivative(state(2), state(1), "partial")), J[1])
    assert np.allclose(POINT.value(derivative(state(2), state(2))), np.eye(2))
    assert np.allclose(POINT.value(derivative(state(1), state(2))), 0)


# ---------------------------------------------------------------------------------------------------------------- edges of time
@pytest.mark.parametrize(("name", "time", "exists"), [
    ("h", Time("", 0), True), ("h", Time("", -1), False), ("h", Time("T", 0), True), ("h", Time("T", 1), False),
    ("x", Time("", 0), False), ("x", Time("", 1), True), ("y", Time("T", 1), False), ("a", Time("", 0), False)])
def test_a_symbol_exists_where_the_recurrence_needs_it(name, time, exists):
    e = node("sym", attr=ELMAN.symbol(name, time))
    if exists:
        assert POINT.value(e).shape == SHAPES[name]
    else:
        with pytest.raises(Missing, match=f"{name} does not exist at step"):
            POINT.value(e)


def test_adjoints_after_the_last_step_are_zero_and_before_the_first_are_missing():
    late = node("sym", attr=Symbol("h", ("n_h", 1), "adjoint", Time("T", 1)))
    assert (POINT.value(late) == 0).all()
    with pytest.raises(Missing):
        POINT.value(node("sym", attr=Symbol("a", ("n_h", 1), "adjoint", Time("", 0))))


def test_an_empty_sum_over_time_is_zero():
    e = time_sum("t", Time("", 3), Time("", 2), x)
    assert (Point(NONE, Floats(), SIZES, 4, draws({})).value(e) == 0).all()


def test_a_sum_may_start_at_a_free_step():
    e = time_sum("r", Time("t", 1), LAST, node("sym", attr=ELMAN.symbol("l", Time("r"))))
    parts = [POINT.value(node("sym", attr=ELMAN.symbol("l", Time("", t)))) for t in (2, 3)]
    assert np.allclose(POINT.value(e, {"t": 1}), sum(parts))


@pytest.mark.parametrize("e", [
    symbol("h", ("n_h", 1), time=Time("z")), symbol("h", ("n_h", "n_h"), time=Time("", 1)), symbol("h", ("n_h", 1)),
    node("sym", attr=Symbol("q", ("n_h", 1), "adjoint", Time("", 1))), derivative(symbol("c", ("n_y", 1)), W @ v),
    derivative(total(node("sym", attr=Symbol("h", ("n_h", 1), "adjoint", Time("", 1)))), symbol("b", ("n_h", 1))),
    entry(symbol("b", ("n_h", 1)), Index("u", "n_h")), symbol("q", ("n_q", 1)),
], ids=stable)
def test_what_cannot_be_treated_is_said(e):
    with pytest.raises(Unsupported):
        POINT.value(e)


# ------------------------------------------------------------------------------------------------------------------- conditions
def test_conditions_restrict_what_is_drawn():
    conditions = (Condition("zero", ("b",)), Condition("past-zero", ("h",)), Condition("simplex", ("c",)))
    claim = Claim(ELMAN["h"], ELMAN["h"], ELMAN, conditions=conditions)
    point = field_point(claim, NETWORK, STEPS)
    value = {n: point.value(node("sym", attr=ELMAN.symbol(n, Time("", 0)))) for n in ("b", "c", "h")}
    assert (value["b"] == 0).all() and (value["h"] == 0).all()
    assert point.system.reduce(value["c"].sum()) == 1
    assert point.system.reduce(point.value(node("sym", attr=ELMAN.symbol("y", Time("", 1)))).sum()) == 1


def test_a_zero_initial_state_is_zero():
    model = Model.build("m", [(sequence("h", "n"), apply("tanh", sequence("h", "n")[-1] + v))], initial="zero")
    point = Point(model, Floats(), SIZES, 2, draws({}))
    assert (point.value(node("sym", attr=model.symbol("h", Time("", 0)))) == 0).all()


def test_a_condition_on_a_computed_quantity_must_hold_by_itself():
    def value(*conditions):
        return field_point(Claim(ELMAN["h"], ELMAN["h"], ELMAN, conditions=conditions), NETWORK, 1).value(ELMAN["h"], {"t": 1})
    value(Condition("simplex", ("p",)))
    for bad in (Condition("simplex", ("h",)), Condition("zero", ("a",)), Condition("moonlight")):
        with pytest.raises(Unsupported, match="the condition"):
            value(bad)


def test_a_value_outside_a_domain_is_a_bad_point_in_every_real_system():
    for system in (Floats(), Decimals()):
        with pytest.raises(BadPoint):
            at(apply("log", v), system)


def test_an_unspecified_function_needs_an_instance():
    with pytest.raises(Unsupported, match="the unspecified function f"):
        at(cube)
    assert at(cube, Floats(instances=instances(["?f"])))[2, 0] == 4
