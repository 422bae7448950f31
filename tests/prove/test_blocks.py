r"""Stacked inputs: equations with W [h; x] are proved block by block, for all sizes, and wrong ones never."""
from __future__ import annotations

import pytest

from symrnn.claims import check_claim

GIVEN = (r"g_t = \tanh(W [h_{t-1}, x_t] + b)", r"h_t = g_t \odot h_{t-1}")
SHAPES = {"W": "n x (n + m)", "h_t": "n", "x_t": "m"}


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\nabla_W L = \sum_t \left(\nabla_{g_t} L \odot (1 - g_t^2)\right) [h_{t-1}, x_t]^\top", "proved"),
    (r"\nabla_W L = \sum_t \left(\nabla_{g_t} L \odot (1 - g_t^2)\right) [h_t, x_t]^\top", "refuted"),
    (r"\nabla_W L = \sum_t [h_{t-1}, x_t] \left(\nabla_{g_t} L \odot (1 - g_t^2)\right)^\top", "refuted"),
    (r"\frac{\partial L}{\partial g_t} = \frac{\partial L}{\partial h_t} \odot h_{t-1}", "proved"),
    (r"\frac{\partial L}{\partial g_t} = \frac{\partial L}{\partial h_t} \odot h_{t}", "refuted"),
    (r"(W + W) [h_{t-1}, x_t] = W [h_{t-1}, x_t] + W [h_{t-1}, x_t]", "proved"),
    (r"W [h_{t-1}, x_t] = W [h_{t}, x_t]", "refuted"),
])
def test_equations_with_a_stacked_input(claim: str, expected: str) -> None:
    found = check_claim(claim, given=GIVEN, shapes=SHAPES, timeout=60)
    assert found.verdict == expected
    if expected == "proved":
        scope = found.equation.relations[0].verdict.scope
        assert scope is not None and (scope.sizes, scope.T) == ("all", "all")


def test_the_size_of_an_input_follows_from_that_of_the_stack() -> None:
    assert check_claim(GIVEN[1], given=GIVEN, shapes={"W": "n x (n + m)", "h_t": "n"}).verdict == "proved"
