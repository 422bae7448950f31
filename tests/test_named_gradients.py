r"""Gradients that carry the name of what they are taken by: right equations are proved, wrong ones never."""
from __future__ import annotations

import pytest

from symrnn.claims import check_claim

pytestmark = pytest.mark.slow

CELL = (r"s_t = A h_{t-1} + B x_t + c", r"h_t = \tanh(s_t)")
SHAPES = {"A": "n x n", "B": "n x m", "x_t": "m"}
SAID = (r"\delta_{h_t} = \frac{\partial E}{\partial h_t}",)


def verdict(claim: str, *given: str, shapes: dict[str, str] | None = None, assume: tuple[str, ...] = ()) -> str | None:
    return check_claim(claim, given=given, shapes=SHAPES if shapes is None else shapes, assume=assume, timeout=60).verdict


# ------------------------------------------------------------------------------------------------------------ what a name means
@pytest.mark.parametrize(("claim", "expected"), [
    (r"\delta_{s_t} = \delta_{h_t} \odot (1 - h_t^2)", "proved"),
    (r"\delta_{s_t} = \delta_{h_t} \odot (1 - h_t)^2", "refuted"),
    (r"\delta_{x_t} = B^\top \delta_{s_t}", "proved"),
    (r"\delta_{x_t} = A^\top \delta_{s_t}", "refuted"),
    (r"\delta_{x_t} = B \delta_{s_t}", "refuted"),
    (r"\delta_A = \sum_t \delta_{s_t} h_{t-1}^\top", "proved"),
    (r"\delta_A = \sum_t \delta_{s_t} h_{t}^\top", "refuted"),
    (r"\delta_A = \sum_t h_{t-1} \delta_{s_t}^\top", "refuted"),
    (r"\delta_c = \sum_t \delta_{s_t}", "proved"),
    (r"\delta_c = \sum_t \delta_{h_t}", "refuted"),
])
def test_a_gradient_named_after_a_symbol_below_the_letter(claim: str, expected: str) -> None:
    assert verdict(claim, *CELL, *SAID) == expected


@pytest.mark.parametrize("claim", [
    r"\delta s_t = \delta h_t \odot (1 - h_t^2)", r"\delta_{s,t} = \delta_{h,t} \odot (1 - h_t^2)",
    r"\delta^{(s)}_t = \delta^{(h)}_t \odot (1 - h_t^2)", r"\delta^s_t = \delta^h_t \odot (1 - h_t^2)",
    r"\delta_{s t} = \delta_{h t} \odot (1 - h_t^2)"])
def test_the_symbol_stands_below_above_or_after_the_letter(claim: str) -> None:
    assert verdict(claim, *CELL, *SAID) == "proved"
    assert verdict(claim.replace("1 -", "1 +"), *CELL, *SAID) == "refuted"


@pytest.mark.parametrize(("claim", "expected"), [
    (r"ds_t = dh_t \odot (1 - h_t^2)", "proved"), (r"ds_t = dh_t \odot (1 + h_t^2)", "refuted"),
    (r"dA = \sum_t ds_t h_{t-1}^\top", "proved"), (r"dB = \sum_t ds_t h_{t-1}^\top", "refuted")])
def test_a_d_before_a_symbol_is_its_gradient_where_a_sentence_says_so(claim: str, expected: str) -> None:
    assert verdict(claim, *CELL, r"dh_t, ds_t, dA \text{ are the gradients of the loss}") == expected


@pytest.mark.parametrize("claim", [r"ds_t = dh_t \odot (1 + h_t^2)", r"dx_t = B ds_t", r"ds_t = A dh_{t-1} + B dx_t"])
def test_nothing_is_refuted_where_nothing_says_what_the_letter_means(claim: str) -> None:
    assert verdict(claim, *CELL) == "undecided"


def test_what_is_proved_with_a_guessed_letter_names_the_guess() -> None:
    found = check_claim(r"ds_t = dh_t \odot (1 - h_t^2)", given=CELL, shapes=SHAPES)
    assert found.verdict == "proved"
    assert "d before s is read as the gradient of L" in found.equation.relations[0].verdict.conditions


def test_a_letter_that_the_text_gives_another_meaning_is_no_gradient() -> None:
    given = (*CELL, r"\delta_{s_t} = \frac{\partial E}{\partial h_t}")
    assert verdict(r"\delta_{x_t} = B^\top \delta_{s_t}", *given) in ("undecided", "refuted")
    assert verdict(r"\delta_{s_t} = \delta_{h_t} \odot (1 - h_t^2)", *given) != "proved"


def test_a_letter_with_a_time_alone_is_what_its_equation_says() -> None:
    given = (*CELL, r"\delta_t = \frac{\partial E}{\partial s_t}")
    assert verdict(r"\frac{\partial E}{\partial A} = \sum_t \delta_t h_{t-1}^\top", *given) == "proved"
    assert verdict(r"\frac{\partial E}{\partial h_t} = \frac{\partial E_t}{\partial h_t} + A^\top \delta_{t+1}", *given,
                   "E = \\sum_t E_t", assume=("t < T",)) == "proved"
    assert verdict(r"\frac{\partial E}{\partial h_t} = \frac{\partial E_t}{\partial h_t} + A^\top \delta_{t}", *given,
                   "E = \\sum_t E_t", assume=("t < T",)) == "refuted"


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\frac{\partial J}{\partial A} = \delta x^\top", "proved"), (r"\frac{\partial J}{\partial A} = x \delta^\top", "refuted"),
    (r"\delta_A = \delta x^\top", "proved"), (r"\frac{\partial J}{\partial x} = A^\top \delta", "proved")])
def test_a_letter_that_is_a_symbol_itself_is_a_factor_beside_others(claim: str, expected: str) -> None:
    given = (r"a = A x + b", r"y = \tanh(a)", r"\delta = \frac{\partial J}{\partial a}")
    assert verdict(claim, *given, shapes={"A": "n x m", "x": "m"}) == expected


@pytest.mark.parametrize("sentence", [r"\delta_{ij} \text{ is the Kronecker delta}", r"\text{gradients do not vanish}"])
def test_sentences_about_other_deltas_and_other_words_say_nothing(sentence: str) -> None:
    claim = r"\delta s_t = \delta h_t \odot (1 + h_t^2)" if "delta" in sentence else r"ds_t = dh_t \odot (1 + h_t^2)"
    assert verdict(claim, *CELL, sentence) == "undecided"


# ------------------------------------------------------------------------------------------------------ arguments of activations
GATE = (r"u_t = \sigma(P h_{t-1} + Q x_t)", r"h_t = u_t \odot h_{t-1} + (1 - u_t) \odot x_t", r"r_t = \sigma(R h_{t-1})")
GATE_SHAPES = {"P, Q, R": "n x n"}


def test_a_sentence_says_that_gradients_are_taken_at_the_arguments() -> None:
    said = r"\delta^{(u)}_t \text{ is the gradient at the argument of the activation of } u_t"
    right = r"\delta^{(u)}_t = \frac{\partial L}{\partial h_t} \odot (h_{t-1} - x_t) \odot u_t \odot (1 - u_t)"
    assert verdict(right, *GATE, said, shapes=GATE_SHAPES) == "proved"
    assert verdict(right.replace(r"\odot (1 - u_t)", ""), *GATE, said, shapes=GATE_SHAPES) == "refuted"
    value = r"\delta^{(u)}_t = \frac{\partial L}{\partial h_t} \odot (h_{t-1} - x_t)"
    assert verdict(value, *GATE, said, shapes=GATE_SHAPES) == "refuted"


def test_where_no_sentence_says_it_the_argument_is_a_convention() -> None:
    said = r"\delta_{h_t} = \frac{\partial L}{\partial h_t}"
    at_argument = r"\delta_{u_t} = \delta_{h_t} \odot (h_{t-1} - x_t) \odot u_t \odot (1 - u_t)"
    assert verdict(at_argument, *GATE, said, shapes=GATE_SHAPES) == "conditional"
    assert verdict(r"\delta_{u_t} = \delta_{h_t} \odot (h_{t-1} - x_t)", *GATE, said, shapes=GATE_SHAPES) == "proved"
    assert verdict(r"\delta_{u_t} = \delta_{h_t} \odot (h_{t-1} + x_t)", *GATE, said, shapes=GATE_SHAPES) == "refuted"


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\delta_{a_{ut}} = \delta_{h_t} \odot (h_{t-1} - x_t) \odot u_t \odot (1 - u_t)", "proved"),
    (r"\delta_{a_{ut}} = \delta_{h_t} \odot (h_{t-1} - x_t)", "refuted"),
    (r"d_P = \sum_t \delta_{a_{ut}} h_{t-1}^\top", "proved"), (r"d_P = \sum_t \delta_{a_{ut}} x_t^\top", "refuted"),
    (r"d_P = \sum_t d_{P,t} = \sum_t \delta_{a_{ut}} h_{t-1}^\top", "proved"),
    (r"d_P = \sum_t d_{P,t} = \sum_t h_{t-1} \delta_{a_{ut}}^\top", "refuted"),
])
def test_the_argument_may_have_a_name_that_no_equation_gives(claim: str, expected: str) -> None:
    said = (r"\delta_{h_t} = \frac{\partial L}{\partial h_t}", r"a_{ut}, a_{rt} \text{ the pre-activations}")
    assert verdict(claim, *GATE, *said, shapes=GATE_SHAPES) == expected


# ---------------------------------------------------------------------------------------------------------- parts of a gradient
FLOW = (r"\delta_{h_{t-1}} is the part flowing back from step t",)


def test_the_part_from_later_steps_leaves_out_the_loss_of_the_step() -> None:
    right = r"\delta_{h_{t-1}} = A^\top (\delta_t \odot (1 - h_t^2))"
    said = r"\delta_t = \frac{\partial E}{\partial h_t}"
    assert verdict(right, *CELL, said, assume=FLOW) == "proved"
    assert verdict(right.replace(r"A^\top", "A"), *CELL, said, assume=FLOW) == "refuted"
    assert verdict(right, *CELL, said) == "undecided"                 # true of the whole gradient only if the last step alone has a loss
    assert verdict(right.replace(r"A^\top", "A"), *CELL, said) == "refuted"


def test_a_sentence_names_the_gradient_of_the_loss_of_one_step() -> None:
    given = (*CELL, r"\delta_t = \frac{\partial E}{\partial s_t}", r"q_t \text{ is the direct gradient of the step loss at } h_t")
    right = r"\delta_t = (q_t + A^\top \delta_{t+1}) \odot (1 - h_t^2)"
    assert verdict(right, *given, assume=("t before the last step",)) == "proved"
    assert verdict(right.replace(r"A^\top", "A"), *given) == "refuted"
    assert verdict(right.replace("q_t +", "q_t -"), *given) == "refuted"


def test_the_part_of_one_step_is_told_from_the_whole() -> None:
    said = r"ds_t, dA \text{ are the gradients of the loss}"
    assert verdict(r"dA = ds_t h_{t-1}^\top", *CELL, said) == "conditional"
    assert verdict(r"dA = h_{t-1} ds_t^\top", *CELL, said) == "refuted"
    assert verdict(r"dA = ds_t h_t^\top", *CELL, said) == "refuted"


def test_gradients_arriving_from_later_steps() -> None:
    cell = (r"v^{\langle t\rangle} = k^{\langle t\rangle} * v^{\langle t-1\rangle} + x^{\langle t\rangle}",
            r"k^{\langle t\rangle} = \sigma(K y^{\langle t-1\rangle})", r"y^{\langle t\rangle} = \tanh(v^{\langle t\rangle})")
    said = r"dy_{next}, dv_{next}: \text{ gradients arriving at } y^{\langle t\rangle}, v^{\langle t\rangle} \text{ from later steps}"
    right = r"dk^{\langle t\rangle} = (dv_{next} + dy_{next} * (1 - \tanh(v_{next})^2)) * v_{prev}"
    shapes = {"K": "n x n", "y, v, k": "n"}
    assert verdict(right, *cell, said, shapes=shapes) == "proved"
    assert verdict(right.replace("v_{prev}", "v_{next}"), *cell, said, shapes=shapes) == "refuted"
    assert verdict(right.replace("dv_{next} + ", ""), *cell, said, shapes=shapes) == "refuted"


@pytest.mark.parametrize(("claim", "expected"), [
    (r"dA = \sum_{t=2}^T ds_t h_{t-1}^\top", "refuted"), (r"dA = \sum_{t=0}^{T-1} ds_{t+1} h_t^\top", "proved")])
def test_a_sum_over_steps_is_no_part_of_one_step(claim: str, expected: str) -> None:
    found = check_claim(claim, given=(*CELL, r"ds_t, dA \text{ are the gradients of the loss}"), shapes=SHAPES, timeout=60)
    assert found.verdict == expected
    assert "summed over all steps" not in str(found.equation.reason)


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (2, 0, 1)])
def test_a_name_for_a_derivative_may_be_given_before_what_is_differentiated(order: tuple[int, ...]) -> None:
    rows = (r"y = W x", r"L = \frac{1}{2} (y - r)^\top (y - r)", r"\delta = \frac{\partial L}{\partial y}")
    given, shapes = tuple(rows[k] for k in order), {"W": "n x m", "x": "m"}
    assert verdict(r"\frac{\partial L}{\partial W} = \delta x^\top", *given, shapes=shapes) == "proved"
    assert verdict(r"\delta = r - y", *given, shapes=shapes) == "refuted"


# ------------------------------------------------------------------------------------------------------------- styles and losses
BARE = (r"\bar g^t = G x^t + H y^{t-1}", r"g^t = \tanh(\bar g^t)", r"y^t = g^t \odot x^t")


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\delta \bar g^t = \delta g^t \odot (1 - (g^t)^2)", "proved"), (r"\delta \bar g^t = \delta g^t \odot (1 - g^t)", "refuted"),
    (r"\delta H = \sum_{t=1}^{T} \delta \bar g^t (y^{t-1})^\top", "proved"),
    (r"\delta H = \sum_{t=1}^{T} \delta \bar g^{t} (y^{t})^\top", "refuted")])
def test_times_as_bare_upper_scripts(claim: str, expected: str) -> None:
    assert verdict(claim, *BARE, r"\delta g^t = \partial E / \partial g^t", shapes={"G, H": "n x n"}) == expected


def test_a_power_of_a_matrix_is_no_time() -> None:
    assert verdict(r"h_t = A^{t} h_0", r"h_t = A h_{t-1}", shapes={"A": "n x n"}) != "refuted"


def test_rows_and_a_loss_that_is_a_word() -> None:
    given = (r"h_t = \tanh(h_{t-1} \cdot W + x_t \cdot U)", r"z_t = h_t \cdot V", r"a_t = \mathrm{softmax}(z_t)",
             r"loss: \text{ cross-entropy with one-hot } y", r"\delta_{z_t} = \partial loss / \partial z_t")
    shapes = {"h_t": "1 x n", "x_t": "1 x m", "W": "n x n", "U": "m x n", "V": "n x q"}
    assert verdict(r"d_V = \sum_t h_t^\top \cdot \delta_{z_t}", *given, shapes=shapes) == "proved"
    assert verdict(r"d_V = \sum_t \delta_{z_t}^\top \cdot h_t", *given, shapes=shapes) == "refuted"
    assert verdict(r"\delta_{z_t} = a_t - y_t", *given, shapes=shapes) == "proved"
    assert verdict(r"\delta_{z_t} = y_t - a_t", *given, shapes=shapes) == "refuted"


def test_a_name_that_a_claim_introduces_stands_for_what_it_is_set_equal_to() -> None:
    given = (*CELL, *SAID)
    assert verdict(r"w_t = 1 - h_t^2, \quad \delta_{s_t} = \delta_{h_t} \odot w_t", *given) == "proved"
    assert verdict(r"w_t = 1 + h_t^2, \quad \delta_{s_t} = \delta_{h_t} \odot w_t", *given) == "refuted"
