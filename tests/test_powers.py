"""Powers that count steps and closed forms of linear recurrences: what is proved for all T, and false variants that are not."""
from __future__ import annotations

from itertools import product

import pytest

import symrnn
from symrnn.expr import FIRST, NOW, Symbol, Time, matrix_power, node, repeated, retime, shift, time_sum
from symrnn.model import Model, param, sequence
from symrnn.prove.claim import Claim, Condition
from symrnn.prove.closed import prove_closed
from symrnn.prove.decide import decide
from symrnn.prove.exact import compare

LINEAR = {"given": [r"h_t = A h_{t-1} + B x_t", r"y_t = C h_t", "h_0 = 0"],
          "shapes": {"h_t": "n", "x_t": "m", "y_t": "p", "A": "n x n", "B": "n x m", "C": "p x n"}}
ANYHOW = {**LINEAR, "given": LINEAR["given"][:2]}
LOSS = {"given": [r"h_t = W h_{t-1} + U x_t", r"o_t = V h_t", r"L = \sum_{t=1}^T \ell(o_t, y_t)"],
        "shapes": {"h_t": "n", "x_t": "m", "o_t": "p", "W": "n x n", "U": "n x m", "V": "p x n"}}


def verdict(claim: str, context: dict) -> str:
    return symrnn.check(claim, **context).verdict


@pytest.mark.parametrize("claim", [
    r"h_t = \sum_{j=1}^t A^{t-j} B x_j",
    r"h_t = A^t h_0 + \sum_{j=1}^t A^{t-j} B x_j",
    r"h_t = \sum_{j=0}^{t-1} A^{j} B x_{t-j}",
    r"y_t = \sum_{j=1}^t C A^{t-j} B x_j",
    r"y_t = C \sum_{j=1}^t A^{t-j} B x_j",
    r"h_T = \sum_{k=1}^T A^{T-k} B x_k",
    r"\frac{\partial h_t}{\partial h_j} = A^{t-j}",
    r"\frac{\partial y_t}{\partial h_j} = C A^{t-j}",
    r"\frac{\partial h_t}{\partial x_j} = A^{t-j} B",
    r"A^{t-j} A = A^{t-j+1}",
    r"(A^{t-j})^\top = (A^\top)^{t-j}",
])
def test_closed_forms_of_a_linear_recurrence_are_proved_for_every_step(claim):
    found = symrnn.check(claim, **LINEAR).equation.relations[0].verdict
    assert (found.word, found.scope.T) == ("proved", "all")


@pytest.mark.parametrize("claim", [
    r"h_t = \sum_{j=1}^t A^{t-j+1} B x_j",
    r"h_t = \sum_{j=1}^t (A^\top)^{t-j} B x_j",
    r"h_t = \sum_{j=1}^{t} A^{j} B x_j",
    r"y_t = \sum_{j=1}^t C A^{t-j+1} B x_j",
    r"h_t = \sum_{j=1}^{t} A^{j} B x_{t-j}",
    r"\frac{\partial h_t}{\partial h_j} = A^{t-j-1}",
    r"\frac{\partial h_t}{\partial h_j} = A^{t-j+1}",
    r"\frac{\partial h_t}{\partial h_j} = (A^\top)^{t-j}",
    r"\frac{\partial h_t}{\partial x_j} = A^{t-j-1} B",
    r"\frac{\partial y_t}{\partial h_j} = A^{t-j} C",
    r"A^{t-j} A = A^{t-j+2}",
])
def test_false_closed_forms_are_refuted(claim):
    assert verdict(claim, LINEAR) == "refuted"


def test_a_closed_form_without_the_first_state_holds_if_that_is_zero():
    found = symrnn.check(r"h_t = \sum_{j=1}^t A^{t-j} B x_j", **ANYHOW).equation.relations[0].verdict
    assert (found.word, found.convention) == ("conditional", "h_0 = 0")
    assert verdict(r"h_t = A^t h_0 + \sum_{j=1}^t A^{t-j} B x_j", ANYHOW) == "proved"


def test_what_prints_the_first_state_is_not_rescued_by_taking_it_to_be_zero():
    assert verdict(r"h_t = A^{t-1} h_0 + \sum_{j=1}^t A^{t-j} B x_j", ANYHOW) == "refuted"


def test_an_exponent_that_is_negative_within_the_sum_proves_nothing():
    assert verdict(r"y_t = \sum_{j=1}^t C A^{t-j-1} B x_j", LINEAR) == "undecided"


def test_steps_counted_from_zero_are_not_held_against_a_closed_form():
    assert verdict(r"h_T = \sum_{k=0}^T A^{T-k} B x_k", ANYHOW) == "undecided"


def test_the_letter_of_the_last_step_above_a_matrix_beside_a_power_may_be_a_power():
    found = symrnn.check(r"h_T = A^T h_0 + \sum_{k=1}^T A^{T-k} B x_k", **ANYHOW)
    assert (found.verdict, found.equation.relations[0].verdict.reason) == ("undecided", "A^T may be transposed or a power")


@pytest.mark.parametrize("claim, expected", [
    (r"\sum_{i=t}^T (W^\top)^{i-t} V^\top \frac{\partial L}{\partial o_i}", "proved"),
    (r"\sum_{i=t}^T (W^{i-t})^\top V^\top \frac{\partial L}{\partial o_i}", "proved"),
    (r"\sum_{i=t}^T (W^\top)^{T-i} V^\top \frac{\partial L}{\partial o_{T+t-i}}", "proved"),
    (r"\sum_{i=t}^T (W^\top)^{T-i+1} V^\top \frac{\partial L}{\partial o_{T+t-i}}", "refuted"),
    (r"\sum_{i=t}^T W^{i-t} V^\top \frac{\partial L}{\partial o_i}", "refuted"),
    (r"\sum_{i=t+1}^T (W^\top)^{i-t} V^\top \frac{\partial L}{\partial o_i}", "refuted"),
])
def test_gradients_by_states_as_sums_over_later_steps(claim, expected):
    assert verdict(rf"\frac{{\partial L}}{{\partial h_t}} = {claim}", LOSS) == expected


def test_the_closed_form_of_a_linear_recurrence_is_refuted_for_a_curved_one():
    context = {"given": [r"h_t = \tanh(w h_{t-1} + x_t)"], "shapes": {"h_t": "scalar", "x_t": "scalar", "w": "scalar"}}
    assert verdict(r"h_t = \sum_{j=1}^t w^{t-j} x_j", context) == "refuted"
    assert verdict(r"\frac{\partial h_t}{\partial h_j} = w^{t-j}", context) == "refuted"


def test_the_correction_of_an_exponent_is_found_and_proved():
    fix = symrnn.check(r"\frac{\partial h_t}{\partial h_j} = A^{t-j-1}", **LINEAR).equation.fix
    assert (fix.latex, fix.verdict) == (r"\frac{\partial h_t}{\partial h_j} = A^{t-j}", "proved")


# ------------------------------------------------------------------------------------------------------------ in the core
h, x, A, B = sequence("h", "n"), sequence("x", "n", kind="input"), param("A", "n", "n"), param("B", "n", "n")
STEP = Model.build("linear", [(h, A @ h[-1] + x)], initial="zero")


def at_j(e):
    return retime(e, lambda t: Time("j", t.offset))


def powers(last: int = 0, first: int = 0, base=A):
    return time_sum("j", FIRST, NOW, matrix_power(base, NOW + last, Time("j", first)) @ at_j(x))


def test_every_change_of_one_letter_or_offset_of_a_proved_closed_form_loses_the_proof():
    assert prove_closed(Claim(h, powers(), STEP)) is not None
    for wrong in (powers(1), powers(-1), powers(0, 1), powers(base=B), powers(base=A.T), 2 * powers(), A @ powers(),
                  time_sum("j", FIRST, NOW - 1, matrix_power(A, NOW, Time("j")) @ at_j(x)),
                  time_sum("j", FIRST, NOW, matrix_power(A, NOW, Time("j")) @ shift(at_j(x), 1, "j"))):
        assert prove_closed(Claim(h, wrong, STEP)) is None, wrong
        assert decide(Claim(h, wrong, STEP)).word != "proved"


def test_two_states_that_need_each_other_have_no_closed_form_of_one_of_them():
    g = sequence("g", "n")
    model = Model.build("two", [(h, A @ h[-1] + g[-1]), (g, B @ h[-1])], initial="zero")
    jacobian = node("deriv", h, retime(h, lambda t: Time("j")), attr="partial")
    assert prove_closed(Claim(jacobian, matrix_power(A, NOW, Time("j")), model)) is None


def test_the_derivative_of_a_power_by_its_base_is_not_taken_for_zero():
    w, u = param("w"), node("sym", attr=Symbol("u", (1, 1), "variable", NOW))
    model = Model.build("none", [(u, w * u[-1])])
    slope = node("deriv", matrix_power(w, NOW, Time("", 0)), w, attr="partial")
    claim = Claim(slope, 0 * w, model, "=", (Condition("past-zero", ("u",)),))
    assert prove_closed(claim) is None
    assert decide(claim).word == "refuted"


def test_a_power_is_a_product_where_its_exponent_is_a_number():
    assert matrix_power(A, NOW + 2, NOW) == repeated(A, 2) == A @ A
    assert shift(matrix_power(A, NOW, Time("j")), 1) == matrix_power(A, NOW + 1, Time("j"))


def test_a_state_that_feeds_another_one_hands_on_more_than_its_own_step():
    g = sequence("g", "n")
    model = Model.build("cascade", [(g, B @ g[-1] + x), (h, A @ h[-1] + g)])
    claim = Claim(node("deriv", h, at_j(g), attr="partial"), matrix_power(A, NOW, Time("j")), model)
    assert prove_closed(claim) is None
    assert decide(claim).word == "refuted"


def test_of_all_ranges_and_exponents_nearby_only_those_are_proved_that_hold():
    found = set()
    for first, last, late, shifted in product((0, 1, 2), (-1, 0), (-1, 0, 1), (-1, 0, 1)):
        body = matrix_power(A, NOW + late, Time("j")) @ shift(at_j(x), shifted, "j")
        claim = Claim(h, time_sum("j", Time("", first), NOW + last, body), STEP)
        if prove_closed(claim) is not None:
            found.add((first, last, late, shifted))
            assert compare(claim, T=5).status == "equal"
    assert found == {(1, 0, 0, 0), (0, -1, -1, 1)}
