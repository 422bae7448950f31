r"""Sums with dots whose terms go from step to step are sums over the steps."""
from __future__ import annotations

import pytest

from symrnn.claims import check_claim

SPACE = (r"h_t = A h_{t-1} + B x_t", r"y_t = C h_t", r"h_0 = 0")
SHAPES = {"A": "n x n", "B": "n x 1", "C": "1 x n", "x_t": "scalar", "y_t": "scalar"}
NUMBERS = (r"s_t = w s_{t-1} + x_t", r"s_0 = 0")


@pytest.mark.parametrize(("claim", "expected"), [
    (r"y_t = C B x_t + C A B x_{t-1} + \dots + C A^{t-1} B x_1", "proved"),
    (r"y_t = C B x_t + C A B x_{t-1} + C A^2 B x_{t-2} + \dots + C A^{t-1} B x_1", "proved"),
    (r"y_t = C A^{t-1} B x_1 + C A^{t-2} B x_2 + \dots + C B x_t", "proved"),
    (r"y_t = C A B x_t + C A^2 B x_{t-1} + \dots + C A^t B x_1", "refuted"),
    (r"y_t = C B x_t + C A B x_{t-1} + \dots + C A^t B x_1", "undecided"),
    (r"y_t = C B x_t + B C A x_{t-1} + \dots + C A^{t-1} B x_1", "undecided")])
def test_the_output_of_a_state_space_is_written_out(claim: str, expected: str) -> None:
    assert check_claim(claim, given=SPACE, shapes=SHAPES).verdict == expected


@pytest.mark.parametrize(("claim", "expected"), [
    (r"s_t = x_t + w x_{t-1} + w^2 x_{t-2} + \cdots + w^{t-1} x_1", "proved"),
    (r"s_t = w^{t-1} x_1 + w^{t-2} x_2 + \cdots + w x_{t-1} + x_t", "proved"),
    (r"s_t = w x_t + w^2 x_{t-1} + \cdots + w^t x_1", "refuted"),
    (r"s_t = x_t + w x_{t-1} + w^3 x_{t-2} + \cdots + w^{t-1} x_1", "undecided")])
def test_terms_that_do_not_go_on_alike_are_no_sum_over_steps(claim: str, expected: str) -> None:
    assert check_claim(claim, given=NUMBERS, shapes={"all": "scalars"}).verdict == expected
