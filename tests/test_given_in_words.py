r"""What the rows of a claim say beside its formulas: last steps, copies, further names, targets, losses that are never given."""
from __future__ import annotations

import pytest

from symrnn.claims import check_claim


def verdict(claim: str, *given: str, shapes: dict[str, str] | None = None, assume: tuple[str, ...] = ()) -> str | None:
    return check_claim(claim, given=given, shapes=shapes, assume=assume, timeout=60).verdict


NETWORK = (r"h_t = \tanh(W h_{t-1} + U x_t)", r"o_t = V h_t")
SIZES = {"W": "n x n", "U": "n x m", "V": "q x n"}


# ----------------------------------------------------------------------------------------------------------------- losses
LOSSES = [
    (r"\ell_t = L(o_t, y_t)", r"J = \sum_{t=1}^T \ell_t"), (r"J_t = L(o_t, y_t)", r"J = \sum_t J_t"),
    (r"\ell_t = L(o_t, y_t)", r"J = \frac{1}{T} \sum_{t=1}^T \ell_t"), (r"J = \frac{1}{T} \sum_{t=1}^T \ell(o_t, y_t)",)]


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize(("claim", "expected"), [
    (r"\frac{\partial J}{\partial V} = \sum_t \frac{\partial J}{\partial o_t} h_t^\top", "proved"),
    (r"\frac{\partial J}{\partial V} = \sum_t h_t \frac{\partial J}{\partial o_t}^\top", "refuted")])
def test_a_loss_may_be_a_function_that_is_never_given(loss: tuple[str, ...], claim: str, expected: str) -> None:
    assert verdict(claim, *NETWORK, *loss, shapes=SIZES) == expected


@pytest.mark.parametrize(("total", "right"), [
    (r"J = \sum_{t=1}^T \ell_t", "1"), (r"J = \frac{1}{T} \sum_{t=1}^T \ell_t", r"\frac{1}{T}"),
    (r"J = \frac{1}{2} \sum_{t=1}^T \ell_t", r"\frac{1}{2}")])
def test_the_share_of_a_step_in_the_total_loss(total: str, right: str) -> None:
    given = (*NETWORK, r"\ell_t = v^\top o_t", total)
    found = {value: verdict(rf"\frac{{\partial J}}{{\partial \ell_t}} = {value}", *given, shapes={**SIZES, "v": "q"})
             for value in ("1", r"\frac{1}{T}", r"\frac{1}{2}")}
    assert found == {value: "proved" if value == right else "refuted" for value in found}


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\frac{1}{T} \sum_{t=1}^T \alpha = \alpha", "proved"), (r"\sum_{t=1}^T \alpha = T \alpha", "proved"),
    (r"\sum_{t=1}^T \alpha = \alpha", "refuted"), (r"\frac{4 \alpha}{T} = \alpha", "refuted")])
def test_the_number_of_steps_is_a_number(claim: str, expected: str) -> None:
    assert verdict(claim, *NETWORK, r"L = \sum_{t=1}^T \ell_t", shapes={**SIZES, r"\alpha": "scalar"}) == expected


def test_a_mean_is_not_the_value_of_one_step() -> None:
    given = (r"J^{(t)}(\theta) = -\sum_{j=1}^{|V|} y_{t,j} \log \hat{y}_{t,j}",)
    right = r"J = \frac{1}{T} \sum_{t=1}^T J^{(t)}(\theta)"
    assert verdict(right, *given, shapes={"y_t": "one-hot, |V|"}) == "undecided"
    parts = r"\frac{1}{T} \sum_{t=1}^T J^{(t)}(\theta) = %s \frac{1}{T} \sum_{t=1}^T \sum_{j=1}^{|V|} y_{t,j} \log \hat{y}_{t,j}"
    assert verdict(parts % "-", *given, shapes={"y_t": "one-hot, |V|"}) == "proved"
    assert verdict(parts % "", *given, shapes={"y_t": "one-hot, |V|"}) == "refuted"


@pytest.mark.parametrize(("claim", "expected"), [
    (r"(\nabla_{o^{(t)}} L)_i = \hat{y}_i^{(t)} - \mathbf{1}_{i, y^{(t)}}", "proved"),
    (r"(\nabla_{o^{(t)}} L)_i = \mathbf{1}_{i, y^{(t)}} - \hat{y}_i^{(t)}", "refuted"),
    (r"\frac{\partial L}{\partial L^{(t)}} = 1", "proved"), (r"\frac{\partial L}{\partial L^{(t)}} = 2", "refuted")])
def test_a_likelihood_of_a_class_is_the_cross_entropy(claim: str, expected: str) -> None:
    given = (r"h^{(t)} = \tanh(W h^{(t-1)} + U x^{(t)})", r"o^{(t)} = V h^{(t)}", r"\hat{y}^{(t)} = \mathrm{softmax}(o^{(t)})",
             r"L = \sum_t L^{(t)} = -\sum_t \log p(y^{(t)} \mid x^{(1)}, \dots, x^{(t)})")
    assert verdict(claim, *given, shapes=SIZES) == expected


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\frac{\partial J}{\partial W} = \frac{\partial J}{\partial z} x^\top + \lambda W", "proved"),
    (r"\frac{\partial J}{\partial W} = \frac{\partial J}{\partial z} x^\top", "refuted")])
def test_a_loss_may_be_one_term_of_a_sum(claim: str, expected: str) -> None:
    given = (r"z = W x", r"h = \phi(z)", r"J = l(h, y) + \frac{\lambda}{2} \|W\|_F^2")
    assert verdict(claim, *given, shapes={"W": "h x d"}) == expected


# -------------------------------------------------------------------------------------------------------- the chain-rule operator
@pytest.mark.parametrize(("claim", "expected"), [
    (r"\frac{\partial J}{\partial h_t} = P(J, h_{t+1}, h_t) + P(J, o_t, h_t)", "proved"),
    (r"\frac{\partial J}{\partial h_t} = P(J, h_{t+1}, h_t)", "refuted"),
    (r"\frac{\partial J}{\partial V} = \sum_{t=1}^T P(J, o_t, V)", "proved"),
    (r"\frac{\partial J}{\partial U} = \sum_{t=1}^T P(J, h_t, U)", "conditional")])
def test_the_product_operator_is_the_chain_rule(claim: str, expected: str) -> None:
    import re
    operator = r"\\textrm{prod}\\left(\\frac{\\partial \1}{\\partial \2}, \\frac{\\partial \2}{\\partial \3}\\right)"
    written = re.sub(r"P\((\w), (\w_?\w?|h_\{t\+1\}), (\w_?\w?)\)", operator, claim)
    assert verdict(written, *NETWORK, r"J = \sum_{t=1}^T \ell(o_t, y_t)", shapes=SIZES) == expected


# -------------------------------------------------------------------------------------------------------------------- sentences
STEPS = (r"h^{(t)} = \tanh(W h^{(t-1)} + U x^{(t)} + b)", r"o^{(t)} = V h^{(t)}", r"L = \sum_t \ell(o^{(t)}, y^{(t)})")


def test_a_last_step_under_another_letter() -> None:
    right = r"\nabla_{h^{(r)}} L = V^\top \nabla_{o^{(r)}} L"
    assert verdict(right, *STEPS, shapes=SIZES, assume=("r is the last step",)) == "proved"
    assert verdict(right, *STEPS, shapes=SIZES) != "proved"


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\nabla_b L = \sum_t \left( \frac{\partial h^{(t)}}{\partial b^{(t)}} \right)^\top \nabla_{h^{(t)}} L", "proved"),
    (r"\nabla_b L = \sum_t \frac{\partial h^{(t)}}{\partial b^{(t)}} \nabla_{o^{(t)}} L", "refuted")])
def test_a_copy_of_a_parameter_at_one_step(claim: str, expected: str) -> None:
    copy = r"b^{(t)} is the copy of b used at step t alone (h^{(t-1)} held fixed)"
    assert verdict(claim, *STEPS, shapes=SIZES, assume=(copy,)) == expected


RECURRENCE = (r"s_k = s_{k-1} w + x_k u", r"y = S_n", r"x_1, \dots, x_n \text{ the inputs}, S_0 = 0",
              r"\xi = (y - t)^2 \text{ for a target } t; \ S_k \text{ and } s_k \text{ are the same}")


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\frac{\partial \xi}{\partial w} = \sum_{k=1}^n \frac{\partial \xi}{\partial S_k} S_{k-1}", "proved"),
    (r"\frac{\partial \xi}{\partial w} = \sum_{k=1}^n \frac{\partial \xi}{\partial S_k} S_k", "refuted"),
    (r"\frac{\partial \xi}{\partial u} = \sum_{k=1}^n \frac{\partial \xi}{\partial s_k} x_k", "proved"),
    (r"\frac{\partial \xi}{\partial S_n} = 2 (y - t)", "proved"), (r"\frac{\partial \xi}{\partial S_n} = 2 (t - y)", "refuted")])
def test_two_names_of_one_state(claim: str, expected: str) -> None:
    assert verdict(claim, *RECURRENCE, shapes={"all": "scalars"}) == expected


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\mathrm{softmax}(z)_i = \frac{\exp(z_i)}{\sum_j \exp(z_j)}", "proved"),
    (r"\mathrm{softmax}(z)_i = \frac{\exp(z_i)}{\sum_i \exp(z_j)}", "refuted")])
def test_a_given_shape_is_a_declaration(claim: str, expected: str) -> None:
    assert verdict(claim, r"z \in \mathbb{R}^n") == expected


@pytest.mark.parametrize("claim", [
    r"\rho(W^\top) = \rho(W)", r"\rho(2 W) = 2 \rho(W)", r"E[a + b] = E[a] + E[b]",
    r"\kappa(W) = \frac{\sigma_{\max}(W)}{\sigma_{\min}(W)}", r"\lambda_1(W) + \lambda_2(W) = \mathrm{tr}(W)"])
def test_eigenvalues_and_expected_values_are_notation_without_a_verdict(claim: str) -> None:
    assert verdict(claim, shapes={"W": "n x n", "a, b": "n"}) == "undecided"


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\|u\|^2 = u^\top u", "proved"), (r"\|\alpha u\| = \alpha \|u\|", "refuted"), (r"\sqrt{\alpha^2} = \alpha", "refuted"),
    (r"\mathrm{tr}(W A) = \mathrm{tr}(A W)", "proved"), (r"\mathrm{tr}(W A) = \mathrm{tr}(W) \mathrm{tr}(A)", "refuted"),
    (r"\langle W u, v \rangle = \langle u, W^\top v \rangle", "proved"), (r"\langle W u, v \rangle = \langle u, W v \rangle", "refuted"),
    (r"[W \; A] [u; v] = W u + A v", "proved"), (r"[W \; A] [u; v] = A u + W v", "refuted"),
    (r"\max(0, u) = u \odot \mathbb{1}[u > 0]", "proved"), (r"\max(0, u) = \mathbb{1}[u > 0]", "refuted"),
    (r"\log_2 \alpha = \frac{\ln \alpha}{\ln 2}", "proved"), (r"\log_2 \alpha = \ln \alpha", "refuted"),
    (r"W^2 u = W W u", "proved"), (r"\frac{\partial \|W u\|^2}{\partial W} = 2 W u u^\top", "proved"),
    (r"\frac{\partial \|u\|}{\partial u} = \frac{u}{\|u\|}", "proved"), (r"\frac{\partial \|u\|}{\partial u} = u", "refuted")])
def test_norms_traces_blocks_and_conditions_have_a_meaning(claim: str, expected: str) -> None:
    assert verdict(claim, shapes={"u, v": "n", "W, A": "n x n", r"\alpha": "scalar"}) == expected


@pytest.mark.parametrize("claim", [r"\therefore h_t = \tanh(U x_t)", r"\Rightarrow h_t = \tanh(U x_t)"])
def test_a_conclusion_from_what_stands_elsewhere_is_not_refuted(claim: str) -> None:
    assert verdict(claim, *NETWORK, shapes=SIZES) == "undecided"
    assert verdict(claim, r"h_t = \tanh(U x_t)", shapes=SIZES) == "proved"


# ----------------------------------------------------------------------------------------------------------------------- blocks
SUM, ROW = (r"h_t = \tanh(W_{hh} h_{t-1} + W_{xh} x_t + b)",), r"W = [W_{hh} \; W_{xh}]"
PARTS = {"W_{hh}": "n x n", "W_{xh}": "n x m"}


@pytest.mark.parametrize(("claim", "expected"), [
    (r"h_t = \tanh((W_{hh} \quad W_{xh}) \binom{h_{t-1}}{x_t} + b)", "proved"),
    (r"h_t = \tanh(\begin{bmatrix} W_{hh} & W_{xh} \end{bmatrix} \begin{bmatrix} h_{t-1} \\ h_t \end{bmatrix} + b)", "refuted"),
    (r"\frac{\partial h_t}{\partial h_{t-1}} = \mathrm{diag}(1 - h_t^2) W_{hh}", "proved")])
def test_blocks_side_by_side_in_a_claim(claim: str, expected: str) -> None:
    assert verdict(claim, *SUM, shapes=PARTS) == expected


def test_a_matrix_of_blocks_that_nothing_gives_is_not_refuted() -> None:
    claim = r"h_t = \tanh(W [h_{t-1}; x_t] + b)"
    assert verdict(claim, *SUM, shapes=PARTS) == "undecided"
    assert verdict(claim, *SUM, ROW, shapes=PARTS) == "proved"
    assert verdict(claim, *SUM, r"W = [W_{xh} \; W_{hh}]", shapes=PARTS) == "refuted"


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\frac{\partial h_t}{\partial h_{t-1}} \equiv \mathrm{diag}(1 - h_t^2) W_{hh}", "proved"),
    (r"\frac{\partial h_t}{\partial h_{t-1}} \equiv W_{hh} \mathrm{diag}(1 - h_t^2)", "refuted")])
def test_three_bars_are_an_equation(claim: str, expected: str) -> None:
    assert verdict(claim, *SUM, shapes=PARTS) == expected


# ----------------------------------------------------------------------------------------------------------------------- layers
LAYER = r"h_t^{(l)} = \tanh(W^{(l)} h_t^{(l-1)} + U^{(l)} h_{t-1}^{(l)} + b^{(l)})"
SLOPE = r"\mathrm{diag}(1 - (h_t^{(l)})^2)"


@pytest.mark.parametrize(("claim", "expected"), [
    (rf"\frac{{\partial h_t^{{(l)}}}}{{\partial h_t^{{(l-1)}}}} = {SLOPE} W^{{(l)}}", "proved"),
    (rf"\frac{{\partial h_t^{{(l)}}}}{{\partial h_{{t-1}}^{{(l)}}}} = {SLOPE} U^{{(l)}}", "proved"),
    (rf"\frac{{\partial h_t^{{(l)}}}}{{\partial h_{{t-1}}^{{(l)}}}} = U^{{(l)}} {SLOPE}", "refuted"),
    (r"\frac{\partial h_t^{(l)}}{\partial h_t^{(l-2)}} = 0", "undecided"),
    (r"\frac{\partial h_t^{(l+1)}}{\partial h_t^{(l)}} = W^{(l+1)}", "undecided")])
def test_the_states_of_two_layers_are_two_quantities(claim: str, expected: str) -> None:
    assert verdict(claim, LAYER) == expected


# ----------------------------------------------------------------------------------------------------- rows, and letters with numbers
PERCEPTRON = (r"z = x W + b_1", r"h = \mathrm{relu}(z)", r"\theta = h U + b_2", r"\hat{y} = \mathrm{softmax}(\theta)",
              r"J = CE(y, \hat{y})", r"\delta_1 = \frac{\partial J}{\partial \theta},\ \delta_2 = \frac{\partial J}{\partial z}")


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\delta_1 = \hat{y} - y", "proved"), (r"\delta_1 = y - \hat{y}", "refuted"),
    (r"\frac{\partial J}{\partial b_2} = \delta_1", "proved"),
    (r"\frac{\partial J}{\partial U} = h^\top \delta_1", "proved"), (r"\frac{\partial J}{\partial U} = h^\top \delta_2", "refuted"),
    (r"\delta_2 = \delta_1 U^\top \odot \mathrm{relu}'(z)", "proved"), (r"\delta_2 = \delta_1 U \odot \mathrm{relu}'(z)", "refuted")])
def test_rows_and_letters_that_a_number_tells_apart(claim: str, expected: str) -> None:
    assert verdict(claim, *PERCEPTRON, shapes={"x": "1 x m", "W": "m x n", "U": "n x q", "y": "1 x q, one-hot"}) == expected


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\frac{\partial z}{\partial x_i} = \sum_j \frac{\partial z}{\partial y_j} \frac{\partial y_j}{\partial x_i}", "proved"),
    (r"\frac{\partial z}{\partial x_i} = \sum_i \frac{\partial z}{\partial y_j} \frac{\partial y_j}{\partial x_i}", "refuted"),
    (r"\frac{\partial z}{\partial x_i} = \sum_j \frac{\partial z}{\partial x_j} \frac{\partial y_j}{\partial x_i}", "refuted"),
    (r"\nabla_x z = \left(\frac{\partial y}{\partial x}\right)^\top \nabla_y z", "proved"),
    (r"\nabla_x z = \frac{\partial y}{\partial x} \nabla_y z", "refuted")])
def test_a_function_between_columns_of_two_sizes_is_one_of_the_whole_column(claim: str, expected: str) -> None:
    assert verdict(claim, r"y = g(x), \ z = f(y)", shapes={"x": "m", "y": "n"}) == expected
