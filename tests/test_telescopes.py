r"""Products of Jacobians over steps, with a sign or with dots, lags, and the sums over earlier steps in which they stand."""
from __future__ import annotations

import pytest

from symrnn.claims import check_claim

NETWORK = (r"a_t = W h_{t-1} + U x_t + b", r"h_t = \tanh(a_t)", r"o_t = V h_t", r"L = \sum_{t=1}^T L_t", r"L_t = \ell(o_t, y_t)")
SHAPES = {"W": "n x n", "U": "n x m", "h_t": "n", "x_t": "m", "V": "q x n", "o_t": "q"}
NUMBERS = {"all": "scalars"}
LINEAR = (r"h_t = W h_{t-1} + U x_t",)


def d(top: str, bottom: str) -> str:
    return rf"\frac{{\partial {top}}}{{\partial {bottom}}}"


MANY = r"\left(\prod_{j=k+1}^t \frac{\partial h_j}{\partial h_{j-1}}\right)"
LOCAL = r"\left(\prod_{j=%s}^t W (1 - h_j^2)\right) (1 - h_k^2) %s"
DOTS = d("h_t", "h_{t-1}") + d("h_{t-1}", "h_{t-2}") + r"\cdots "
RISING = d("h_{k+1}", "h_k") + r"\cdots " + d("h_t", "h_{t-1}")


def verdict(claim: str, shapes: dict[str, str], given: tuple[str, ...] = NETWORK) -> str | None:
    return check_claim(claim, given=given, shapes=shapes).verdict


@pytest.mark.parametrize(("claim", "expected"), [
    (d("h_t", "h_k") + " = " + DOTS + d("h_{k+1}", "h_k"), "proved"),
    (d("h_t", "h_k") + " = " + DOTS + d("h_k", "h_{k-1}"), "refuted"),
    (d("h_t", "h_k") + " = " + RISING, "refuted"),
    (d("h_T", "h_1") + " = " + d("h_T", "h_{T-1}") + r"\cdots " + d("h_2", "h_1"), "proved"),
    (d("h_t", "h_{t-k}") + r" = \prod_{j=0}^{k-1} \mathrm{diag}(1 - h_{t-j}^2) W", "proved"),
    (d("h_t", "h_{t-k}") + r" = \prod_{j=0}^{k-1} \mathrm{diag}(1 - h_{t-j-1}^2) W", "refuted"),
    (d("h_t", "h_k") + r" = \prod_{j=k}^{t-1} " + d("h_{j+1}", "h_j"), "conditional"),
    (d("L_t", "h_k") + r" = \left(\prod_{j=k+1}^t W^\top \mathrm{diag}(1 - h_j^2)\right)" + d("L_t", "h_t"), "conditional")])
def test_a_product_of_jacobians_is_judged_in_the_order_that_is_printed(claim: str, expected: str) -> None:
    assert verdict(claim, SHAPES) == expected


def test_the_order_of_factors_is_all_the_same_for_numbers() -> None:
    assert verdict(d("h_t", "h_k") + " = " + RISING, NUMBERS) == "proved"


@pytest.mark.parametrize(("claim", "expected"), [
    (d("h_t", "h_{t-k}") + " = W^k", "proved"), (d("h_t", "h_{t-k}") + " = W^{k-1}", "refuted"), (d("h_{t+k}", "h_t") + " = W^k", "proved"),
    (d("h_t", "h_{t-k}") + r" = \prod_{j=t-k+1}^t " + d("h_j", "h_{j-1}") + " = W^k", "conditional")])
def test_a_lag_is_a_step_that_is_counted_back(claim: str, expected: str) -> None:
    assert verdict(claim, SHAPES, LINEAR) == expected


def test_the_counterexample_of_a_lag_names_the_lag() -> None:
    checked = check_claim(d("h_t", "h_{t-k}") + " = W^{k+1}", given=LINEAR, shapes=SHAPES)
    assert "with k = " in str(checked.equation.relations[0].verdict.reason)


@pytest.mark.parametrize(("claim", "expected"), [
    (d("L_t", "W") + r" = \sum_{k=1}^t " + d("L_t", "o_t") + d("o_t", "h_t") + MANY + d("h_k", "W"), "conditional"),
    (d("L_t", "W") + r" = \sum_{k=1}^t " + d("L_t", "o_t") + d("o_t", "h_t") + MANY + d("h_t", "W"), "refuted"),
    (d("L_t", "W") + r" = \sum_{k=1}^t " + d("L_t", "h_t") + MANY + d("^+ h_k", "W"), "proved"),
    (d("L_t", "W") + r" = \sum_{k=1}^t " + d("L_t", "h_t") + LOCAL % ("k+1", "h_{k-1}"), "proved"),
    (d("L_t", "W") + r" = \sum_{k=1}^t " + d("L_t", "h_t") + LOCAL % ("k", "h_{k-1}"), "refuted"),
    (d("L_t", "W") + r" = \sum_{k=1}^t " + d("L_t", "h_t") + LOCAL % ("k+1", "h_k"), "refuted"),
    (d("L", "W") + r" = \sum_{t=1}^T \sum_{k=1}^t " + d("L_t", "h_t") + MANY + d("h_k", "W"), "conditional"),
    (d("L", "W") + r" = \sum_{t=1}^T \sum_{k=1}^t " + d("L_t", "h_t") + MANY + d("h_k", "b"), "refuted"),
    (d("h_t", "W") + " = " + d("^+ h_t", "W") + r" + \sum_{k=1}^{t-1} " + MANY + d("^+ h_k", "W"), "proved"),
    (d("h_t", "W") + r" = \sum_{k=1}^{t-1} " + MANY + d("^+ h_k", "W"), "refuted"),
    (d("L_t", "h_k") + " = " + d("L_t", "h_t") + DOTS + d("h_{k+1}", "h_k"), "proved")])
def test_the_sum_over_earlier_steps_is_the_total_derivative(claim: str, expected: str) -> None:
    assert verdict(claim, NUMBERS) == expected


@pytest.mark.parametrize("claim", [
    d("L_t", "h_k") + " = " + d("L_t", "h_t") + MANY, d("L_t", "h_{t-1}") + " = " + d("L_t", "h_t") + d("h_t", "h_{t-1}"),
    d("L", "W") + r" = \sum_{t=1}^T \sum_{k=1}^t " + d("L_t", "o_t") + d("o_t", "h_t") + MANY + d("h_k", "W")])
def test_gradients_may_be_rows_where_nothing_says_that_they_are_columns(claim: str) -> None:
    checked = check_claim(claim, given=NETWORK, shapes=SHAPES)
    assert checked.verdict == "conditional" and "rows" in str(checked.equation.relations[0].verdict.reason)
    columns = (*NETWORK, d("L", "V") + r" = \sum_{t=1}^T " + d("L_t", "o_t") + r" h_t^\top")
    assert check_claim(claim, given=columns, shapes=SHAPES).verdict in ("refuted", "undecided")


def test_a_cell_that_hands_on_more_than_one_state_has_more_paths_than_one_product() -> None:
    cell = (r"f_t = \sigma(w h_{t-1} + u x_t)", r"c_t = f_t c_{t-1} + x_t", r"h_t = f_t \tanh(c_t)")
    shapes = {"all": "scalars", r"\sigma": "function sigmoid"}
    assert verdict(d("c_t", "c_k") + r" = \prod_{j=k+1}^t " + d("c_j", "c_{j-1}"), shapes, cell) == "undecided"
    assert verdict(d("c_t", "c_k") + " = " + d("c_t", "c_{t-1}") + r"\cdots " + d("c_{k+1}", "c_k"), shapes, cell) == "undecided"
