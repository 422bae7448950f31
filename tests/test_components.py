"""The component form: entries as SymPy scalars, derivatives by SymPy, compared with hand-written sums and differences."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
import sympy
from ids import stable

from symrnn.component_rows import NoSuchStep, NotComponents
from symrnn.components import Components
from symrnn.errors import CallError
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
    eye,
    fix_time,
    had,
    index_sum,
    log_sum_exp,
    negative,
    node,
    ones,
    softmax,
    symbol,
    time_sum,
    total,
)
from symrnn.model import FIRST, LAST, Model, param, scalar, sequence
from symrnn.points import point
from symrnn.scalars import SCALARS, Evaluator, OutsideDomain, opaque, scalar_function

T, NOW = 3, Time("t", 0)
SIZES = {"n": 2, "m": 3, "k": 3}
W, U, V = param("W", "n", "n"), param("U", "n", "m"), param("V", "k", "n")
h, x, y, ell = sequence("h", "n"), sequence("x", "m", kind="input"), sequence("y", "k", kind="target"), scalar("l")


def network(activation: str = "tanh", initial: str = "given") -> Model:
    p = sequence("p", "k")
    rows = [(h, apply(activation, W @ h[-1] + U @ x)), (p, softmax(V @ h)), (ell, negative(y.T @ apply("log", p)))]
    return Model.build("net", rows, loss="l", initial=initial)


def at(e: Expr, t: int) -> Symbol:
    """The symbol at an absolute time."""
    return fix_time(e, "t", Time("", t)).attr


def number(c: Components, e: sympy.Expr, values: dict[sympy.Symbol, Fraction]) -> mpmath.mpf:
    return Evaluator(values, c.values())(e)[0]


def loss_at(c: Components, values: dict[sympy.Symbol, Fraction]) -> mpmath.mpf:
    return number(c, c.named(symbol("L")), values)


def test_the_named_equations_are_small_and_in_order():
    c = Components(network(), SIZES, T)
    known = set(c.leaves)
    for left, right in c.equations:
        assert right.free_symbols <= known
        known.add(left)
    assert max(right.count_ops() for _, right in c.equations) < 40


def test_an_expression_over_the_leaves_has_no_other_symbols():
    c = Components(network(), SIZES, T)
    assert c.expression(h, {"t": 3}).free_symbols <= set(c.leaves)
    assert c.expression(symbol("L")).free_symbols <= set(c.leaves)


@pytest.mark.parametrize("activation", ["tanh", "sigmoid", "softplus", "relu", "?f"])
@pytest.mark.parametrize(("of", "i", "j"), [(Symbol("W", ("n", "n"), "gradient"), 0, 1),
                                            (Symbol("U", ("n", "m"), "gradient"), 1, 2),
                                            (Symbol("V", ("k", "n"), "gradient"), 2, 1),
                                            (Symbol("h", ("n", 1), "adjoint", Time("", 0)), 1, 0),
                                            (Symbol("x", ("m", 1), "adjoint", Time("", 2)), 2, 0)], ids=stable)
def test_a_gradient_is_the_limit_of_difference_quotients(activation, of, i, j):
    c = Components(network(activation), SIZES, T)
    values = point(c, "differences")
    grad = c.named(node("sym", attr=of))[i, j]
    kind = "parameter" if of.kind == "gradient" else c._known[of.name].kind
    leaf = c.entries(Symbol(of.name, of.shape, kind, of.time))[i][j]
    step = Fraction(1, 2**40)
    with mpmath.workdps(50):
        quotient = (loss_at(c, {**values, leaf: values[leaf] + step}) - loss_at(c, {**values, leaf: values[leaf] - step}))
        assert abs(quotient * 2**39 - number(c, grad, values)) < 1e-20


def test_an_adjoint_of_a_variable_is_the_derivative_past_its_equation():
    c = Components(network(), SIZES, T)
    last = c.named(symbol("h", ("n", 1), "adjoint", Time("", 3)))
    p, V1, y3 = c.entries(at(sequence("p", "k"), 3)), c.entries(V.attr), c.entries(at(y, 3))
    by_hand = sum(V1[q][0] * (p[q][0] * sum(r[0] for r in y3) - y3[q][0]) for q in range(3))
    values = point(c, "last")
    assert abs(number(c, last[0] - by_hand, values)) < 1e-45


def test_an_adjoint_after_the_last_step_is_zero():
    c = Components(network(), SIZES, T)
    assert c.named(symbol("h", ("n", 1), "adjoint", Time("T", 1))) == sympy.zeros(2, 1)


def test_a_total_derivative_follows_every_path_and_an_immediate_one_only_one_step():
    c = Components(network(), SIZES, T)
    whole = c.named(derivative(entry(h, 1), W, "total"), {"t": 2})
    local = c.named(derivative(entry(h, 1), W, "immediate"), {"t": 2})
    values = point(c, "paths")
    h2, h1 = (c.entries(at(h, t)) for t in (2, 1))
    for j in range(2):
        by_hand = (1 - h2[0][0] ** 2) * h1[j][0]
        assert abs(number(c, local[0, j] - by_hand, values)) < 1e-45
        assert abs(number(c, whole[0, j] - by_hand, values)) > 1e-6
    assert local[1, 0] == 0 and whole[1, 0] != 0


def test_the_immediate_form_can_be_asked_for_all_derivatives_by_parameters():
    loose, strict = Components(network(), SIZES, T), Components(network(), SIZES, T, immediate=True)
    claim = derivative(entry(h, 1), W, "total")
    assert strict.named(claim, {"t": 2}) == strict.named(derivative(entry(h, 1), W, "immediate"), {"t": 2})
    assert loose.named(claim, {"t": 2}) != strict.named(claim, {"t": 2})
    step = derivative(h, h[-2])
    assert loose.expression(step, {"t": 2}) == strict.expression(step, {"t": 2})


def test_a_jacobian_across_steps_is_the_product_of_the_jacobians_of_the_steps():
    c = Components(network(), SIZES, T)
    far = c.named(derivative(h, h[-3]), {"t": 3})
    steps = [c.named(derivative(h, h[-1]), {"t": t}) for t in (3, 2, 1)]
    values = point(c, "product")
    difference = far - steps[0] * steps[1] * steps[2]
    assert all(abs(number(c, d, values)) < 1e-45 for d in difference) and far.shape == (2, 2)


def test_the_softmax_jacobian_has_rows_of_outputs_and_columns_of_inputs():
    o, p = sequence("o", "k"), sequence("p", "k")
    c = Components(Model.build("s", [(o, V @ sequence("z", "n", kind="input")), (p, softmax(o))]), SIZES, 1)
    J = c.named(derivative(p, o), {"t": 1})
    p1 = sympy.Matrix(c.entries(at(p, 1)))
    values = point(c, "softmax")
    assert all(abs(number(c, d, values)) < 1e-45 for d in J - (sympy.diag(*p1) - p1 * p1.T))


def test_a_second_derivative_is_taken_through_the_first():
    c = Components(Model.build("cube", [(scalar("q"), param("w") * scalar("z", "input") ** 3)]), {}, 1)
    z = scalar("z", "input")
    second = derivative(derivative(scalar("q"), z), z)
    w1, z1 = c.leaves
    assert sympy.expand(c.expression(second, {"t": 1}) - 6 * w1 * z1) == 0


i, j = Index("i", "n"), Index("j", "n")


@pytest.mark.parametrize(("e", "by_hand"), [
    (entry(W, i, j), lambda W, H: W[0][1]),
    (index_sum(j, entry(W, i, j) * entry(h, j)), lambda W, H: W[0][0] * H[0][0] + W[0][1] * H[1][0]),
    (delta(i, j), lambda W, H: sympy.S.Zero),
    (index_sum(i, index_sum(j, delta(i, j) * entry(h, i))), lambda W, H: H[0][0] + H[1][0]),
    (entry(h, 2), lambda W, H: H[1][0]),
    (node("size", attr="n"), lambda W, H: sympy.Integer(2)),
    (total(W), lambda W, H: W[0][0] + W[0][1] + W[1][0] + W[1][1]),
    (entry(diag(h) @ W, i, j), lambda W, H: H[0][0] * W[0][1]),
    (entry(had(W, W.T), i, j), lambda W, H: W[0][1] * W[1][0]),
    (entry(eye("n") + W**2, 2, 2), lambda W, H: 1 + W[1][1] ** 2),
    (log_sum_exp(h), lambda W, H: sympy.log(sympy.exp(H[0][0]) + sympy.exp(H[1][0]))),
    (entry(node("cat", h, ones(("n", 1)), attr="2n"), 3), lambda W, H: sympy.S.One),
    (entry(node("slice", h, attr=(2, 2, 1))), lambda W, H: H[1][0]),
], ids=stable)
def test_each_operation_means_its_entries(e, by_hand):
    c = Components(network(), SIZES, T)
    H = c.entries(at(h, 2))
    assert sympy.expand(c.named(e, {"t": 2}, {"i": 1, "j": 2}) - by_hand(c.entries(W.attr), H)) == 0


def test_a_sum_over_time_binds_its_letter_and_may_be_empty():
    c = Components(network(), SIZES, T)
    H = [c.entries(at(h, t))[0][0] for t in (1, 2, 3)]
    assert c.named(time_sum("s", FIRST, LAST, entry(symbol("h", ("n", 1), time=Time("s", 0)), 1))) == sum(H)
    assert c.named(time_sum("s", Time("", 2), Time("", 1), symbol("h", ("n", 1), time=Time("s", 0)))) == sympy.zeros(2, 1)


@pytest.mark.parametrize("time_", [Time("T", 1), Time("", -1), Time("", 4)])
def test_a_step_that_does_not_exist_is_said(time_):
    with pytest.raises(NoSuchStep):
        Components(network(), SIZES, T).named(symbol("h", ("n", 1), time=time_))


@pytest.mark.parametrize("e", [symbol("h", ("n", 1), time=Time("s", 0)), entry(W, i, j), W + V, symbol("Q", ("n", 1), "gradient"),
                               derivative(scalar("l"), W @ h), symbol("z", ("nowhere", 1))], ids=stable)
def test_what_has_no_component_form_is_said(e):
    with pytest.raises(NotComponents):
        Components(network(), SIZES, T).named(e, {"t": 1})


def test_missing_sizes_are_named():
    with pytest.raises(CallError, match="add k"):
        Components(network(), {"n": 2, "m": 3}, T)


def test_targets_that_sum_to_one_and_states_that_are_zero_are_no_leaves():
    plain, bound = Components(network(), SIZES, 1), Components(network(initial="zero"), SIZES, 1, simplex=["y"], zero=["U"])
    assert len(plain.leaves) - len(bound.leaves) == 2 + 1 + 6
    assert sum(bound.expression(y, {"t": 1})) == 1
    assert bound.expression(h[-1], {"t": 1}) == sympy.zeros(2, 1)


def test_derivatives_do_not_pass_through_a_constraint_on_the_targets():
    c = Components(network(), SIZES, 1, simplex=["y"])
    y1 = at(y, 1)
    slope = c.named(derivative(scalar("l"), node("sym", attr=y1)), {"t": 1})[0]
    p1 = c.entries(Symbol("p", ("k", 1), "variable", Time("", 1)))[0][0]
    assert abs(number(c, slope + sympy.log(p1), point(c, "constraint"))) < 1e-45


def test_symbols_are_plain_and_distinct_whatever_the_names():
    odd = [param("W_1"), param("W", "n", "n"), param("__import__('os')"), param("lambda"), param("\\mathrm{W}")]
    v = scalar("v")
    c = Components(Model.build("odd", [(v, odd[0] + total(odd[1]) + odd[2] + odd[3] + odd[4])]), {"n": 2}, 1)
    names = [s.name for s in c.meaning]
    assert len(set(names)) == len(names) == 9
    assert all(n.isascii() and n.isidentifier() and n.replace("_", "").isalnum() for n in names)


@pytest.mark.usefixtures("no_hang")
def test_three_units_and_three_steps_have_every_gradient():
    c = Components(network(), {"n": 3, "m": 3, "k": 3}, 3)
    for s in network().parameters:
        assert c.named(node("sym", attr=Symbol(s.name, s.shape, "gradient"))) is not None


# ----------------------------------------------------------------------------------------------------------------- numbers
def test_every_function_of_the_table_has_a_sympy_form():
    from symrnn.expr.functions import TABLE

    assert set(SCALARS) == set(TABLE)


def test_the_derivatives_of_an_unspecified_function_are_its_own_row():
    u = sympy.Symbol("u")
    assert scalar_function("?f")(u).diff(u) == scalar_function("?f'")(u)
    assert scalar_function("?f'")(3 * u).diff(u) == 3 * scalar_function("?f''")(3 * u)
    v = sympy.Symbol("v")
    assert opaque("F_1", (0, 0))(u, v).diff(v) == opaque("F_1", (0, 1))(u, v)


def test_an_unspecified_function_and_its_derivative_have_consistent_numbers():
    u = sympy.Symbol("u")
    with mpmath.workdps(50):
        f, df = scalar_function("?f")(u), scalar_function("?f'")(u)
        near = [Evaluator({u: Fraction(1, 3) + s * Fraction(1, 2**50)})(f)[0] for s in (1, -1)]
        assert abs((near[0] - near[1]) * 2**49 - Evaluator({u: Fraction(1, 3)})(df)[0]) < 1e-25


def test_the_rounding_bound_covers_what_double_precision_does():
    c = Components(network(), SIZES, 2)
    grads = [e for s in network().parameters for e in c.expression(node("sym", attr=Symbol(s.name, s.shape, "gradient")))]
    values = point(c, "rounding")
    evaluate = Evaluator(values, c.values())
    computed = sympy.lambdify(list(c.leaves), grads, "math", cse=True)(*(float(values[s]) for s in c.leaves))
    for e, double in zip(grads, computed, strict=True):
        exact, bound = evaluate(e)
        assert abs(exact - double) <= 8 * bound < 1e-10


@pytest.mark.parametrize("e", ["log", "recip", "sqrt"])
def test_a_point_outside_the_domain_is_said(e):
    u = sympy.Symbol("u")
    value = Fraction(0) if e == "recip" else Fraction(-1)
    with pytest.raises(OutsideDomain):
        Evaluator({u: value})(scalar_function(e)(u))


def test_a_case_that_is_not_taken_is_not_evaluated():
    u = sympy.Symbol("u")
    e = sympy.Piecewise((1 / u, u > 0), (5, True))
    assert Evaluator({u: Fraction(0)})(e)[0] == 5
