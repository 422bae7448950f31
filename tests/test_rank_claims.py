"""Claims on the rank and the determinant of the derivative of a softmax, whose rows and columns sum to zero."""
from __future__ import annotations

import pytest

import symrnn

SOFTMAX = {"given": [r"p = \mathrm{softmax}(z)"], "shapes": {"z": "K", "p": "K", "W": "K x K"}}


def verdict(claim: str, context: dict = SOFTMAX) -> str:
    return symrnn.check(claim, **context).verdict


@pytest.mark.parametrize("claim, expected", [
    (r"\operatorname{rank} \frac{\partial p}{\partial z} = K", "refuted"),
    (r"\operatorname{rank} \left( \frac{\partial p}{\partial z} \right) = K", "refuted"),
    (r"\det \frac{\partial p}{\partial z} = 0", "proved"),
])
def test_a_matrix_that_takes_ones_to_zero_is_singular(claim, expected):
    assert verdict(claim) == expected


@pytest.mark.parametrize("claim", [
    r"\operatorname{rank} \frac{\partial p}{\partial z} = K - 1", r"\operatorname{rank} \frac{\partial p}{\partial z} = 1",
    r"\operatorname{rank} W = K", r"\det W = 0", r"\det \frac{\partial p}{\partial z} = 1",
])
def test_other_claims_on_ranks_are_left_open(claim):
    assert verdict(claim) == "undecided"


def test_a_derivative_of_full_rank_is_not_refuted():
    curved = {"given": [r"p = \tanh(z)"], "shapes": {"z": "K", "p": "K"}}
    assert verdict(r"\operatorname{rank} \frac{\partial p}{\partial z} = K", curved) == "undecided"


def test_a_bold_number_is_a_column_as_long_as_what_stands_beside_it_needs():
    assert verdict(r"\frac{\partial p}{\partial z} \mathbf{1} = \mathbf{0}") == "proved"
    assert verdict(r"\mathbf{1}^\top \frac{\partial p}{\partial z} = \mathbf{0}^\top") == "proved"
    assert verdict(r"\frac{\partial p}{\partial z} \mathbf{1} = p") == "refuted"
    assert verdict(r"p^\top \mathbf{1} = K") == "refuted"


@pytest.mark.parametrize("claim", [r"W \mathbf{1} = W", r"p \mathbf{1} = p"])
def test_a_bold_one_that_fits_as_an_identity_or_a_number_only_is_left_open(claim):
    assert verdict(claim) == "undecided"
