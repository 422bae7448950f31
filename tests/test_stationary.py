"""Formulas for a parameter at which a gradient of the text vanishes, as in ridge regression."""
from __future__ import annotations

import pytest

import symrnn

PAGE = r"""
$$ h_t = \tanh(W h_{t-1} + U x_t), \qquad y_t = C h_t $$

The objective has the gradient

$$ {GRADIENT} $$

hence

$$ {CLAIM} $$
"""
RIDGE = r"\nabla_C \left( \| Y - C X \|_F^2 + \beta \| C \|_F^2 \right) = 2 (C X - Y) X^\top + 2 \beta C"


@pytest.fixture
def judged(tmp_path):
    def judge(claim: str, gradient: str = RIDGE):
        page = tmp_path / "page.md"
        page.write_text(PAGE.replace("{GRADIENT}", gradient).replace("{CLAIM}", claim), encoding="utf-8")
        return symrnn.audit(page).documents[0].equations[-1]
    return judge


@pytest.mark.parametrize("claim", [r"C = Y X^\top (X X^\top + \beta I)^{-1}", r"C = Y X^\top (\beta I + X X^\top)^{-1}"])
def test_the_solution_of_a_ridge_regression_holds_where_the_gradient_vanishes(judged, claim):
    found = judged(claim)
    assert (found.verdict, found.relations[0].verdict.convention) == ("conditional", "C is where its gradient vanishes")


def test_the_solution_with_a_penalty_is_not_that_of_a_gradient_without_one(judged):
    plain = r"\nabla_C \| Y - C X \|_F^2 = 2 (C X - Y) X^\top"
    assert judged(r"C = Y X^\top (X X^\top + \beta I)^{-1}", plain).verdict == "undecided"


@pytest.mark.parametrize("claim", [
    r"C = Y X^\top (X X^\top + 2 \beta I)^{-1}", r"C = Y X^\top (X X^\top - \beta I)^{-1}", r"C = Y X^\top (X X^\top)^{-1}",
    r"C = -Y X^\top (X X^\top + \beta I)^{-1}", r"C = (X X^\top + \beta I)^{-1} X Y^\top",
])
def test_another_formula_is_not_taken_for_the_solution(judged, claim):
    assert judged(claim).verdict not in ("proved", "conditional", "agrees")


def test_a_wrong_gradient_gives_no_solution(judged):
    wrong = r"\nabla_C \left( \| Y - C X \|_F^2 + \beta \| C \|_F^2 \right) = (C X - Y) X^\top + 2 \beta C"
    assert judged(r"C = Y X^\top (X X^\top + 2 \beta I)^{-1}", wrong).verdict == "undecided"


@pytest.mark.parametrize("claim, expected", [
    (r"\nabla_C \| Y - C X \|_F^2 = 2 (Y - C X) X^\top", "refuted"), (r"\nabla_C \| C \|_F^2 = 2 C^\top", "refuted"),
    (r"\| C \|_F^2 = \| C^\top \|_F^2", "proved"), (r"\| 2 C \|_F^2 = 2 \| C \|_F^2", "refuted"),
    (r"\| C \|_2^2 = \| C \|_F^2", "undecided"),
])
def test_the_frobenius_norm_is_the_sum_of_the_squares(claim, expected):
    assert symrnn.check(claim, shapes={"Y": "q x T", "C": "q x N", "X": "N x T"}).verdict == expected


@pytest.mark.parametrize("claim, expected", [
    (r"\frac{\partial p_i}{\partial z_j} = \frac{1}{\tau} (\delta_{ij} p_i - p_i p_j)", "proved"),
    (r"\frac{\partial p_i}{\partial z_j} = \delta_{ij} p_i - p_i p_j", "refuted"),
    (r"\frac{\partial p_i}{\partial z_j} = \tau (\delta_{ij} p_i - p_i p_j)", "refuted"),
])
@pytest.mark.parametrize("letter", [r"\tau", "T"])
def test_a_temperature_is_a_number_and_no_step(claim, expected, letter):
    given = r"p_i = \frac{\exp(z_i / \tau)}{\sum_j \exp(z_j / \tau)}"
    assert symrnn.check(claim.replace(r"\tau", letter), given=[given.replace(r"\tau", letter)]).verdict == expected
