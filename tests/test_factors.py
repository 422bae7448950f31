r"""Products over steps are judged by one factor, where a step hands on nothing else; their order is a convention."""
from __future__ import annotations

from pathlib import Path

import pytest

from symrnn.api import audit

ELMAN = r"""
$$q_t = \tanh(A q_{t-1} + B u_t + c)$$

$$r_t = D q_t$$

"""
JACOBIAN = r"\frac{\partial q_t}{\partial q_k}"


def last(tmp_path: Path, text: str) -> dict:
    path = tmp_path / "a.md"
    path.write_text(text)
    (document,) = audit(path, timeout=60).to_json()["documents"]
    return document["equations"][-1]


@pytest.mark.parametrize("product", [
    r"\prod_{i=k+1}^{t} \frac{\partial q_i}{\partial q_{i-1}}", r"\prod_{t \ge i > k} \mathrm{diag}(1 - q_i^2) A",
    r"\prod_{j=k}^{t-1} \frac{\partial q_{j+1}}{\partial q_j}"])
def test_a_jacobian_over_many_steps_is_the_product_of_those_of_one_step_in_the_right_order(tmp_path: Path, product: str):
    found = last(tmp_path, ELMAN + f"$${JACOBIAN} = {product}$$")
    assert found["verdict"] == "conditional" and "later steps stand on the left" in found["relations"][0]["conditions"][-1]
    assert found["relations"][0]["scope"] == {"sizes": "all", "T": "all"}


@pytest.mark.parametrize("factor", [r"A^\top \mathrm{diag}(1 - q_i^2)", r"\mathrm{diag}(1 + q_i^2) A",
                                    r"2 \frac{\partial q_i}{\partial q_{i-1}}", r"\mathrm{diag}(1 - q_{i-1}^2) A"])
def test_a_wrong_factor_is_refuted_where_the_product_has_only_that_one(tmp_path: Path, factor: str):
    found = last(tmp_path, ELMAN + rf"$${JACOBIAN} = \prod_{{i=k+1}}^{{t}} {factor}$$")
    assert found["verdict"] == "refuted"


@pytest.mark.parametrize("product", [
    r"\prod_{i=k}^{t} \frac{\partial q_i}{\partial q_{i-1}}", r"\prod_{i=k+1}^{t} \frac{\partial q_t}{\partial q_{i-1}}",
    r"\prod_{i=1}^{t} \frac{\partial q_i}{\partial q_{i-1}}"])
def test_other_bounds_and_factors_that_speak_of_other_steps_are_not_judged(tmp_path: Path, product: str):
    assert last(tmp_path, ELMAN + f"$${JACOBIAN} = {product}$$")["verdict"] == "undecided"


def test_two_products_over_the_same_steps_are_equal_where_their_factors_are(tmp_path: Path):
    left = r"\prod_{i=k+1}^{t} \frac{\partial q_i}{\partial q_{i-1}}"
    assert last(tmp_path, ELMAN + rf"$${left} = \prod_{{i=k+1}}^{{t}} \mathrm{{diag}}(1 - q_i^2) A$$")["verdict"] == "proved"
    assert last(tmp_path, ELMAN + rf"$${left} = \prod_{{i=k+1}}^{{t}} \mathrm{{diag}}(1 - q_i^2) A^\top$$")["verdict"] == "refuted"


def test_a_network_that_hands_on_more_than_one_variable_leaves_the_product_undecided(tmp_path: Path):
    text = r"""
$$m_t = m_{t-1} \odot \tanh(A q_{t-1} + u_t)$$

$$q_t = \tanh(m_t)$$

"""
    product = r"\prod_{i=k+1}^{t} \frac{\partial q_i}{\partial q_{i-1}}"
    assert last(tmp_path, text + f"$${JACOBIAN} = {product}$$")["verdict"] == "undecided"


def test_factors_that_are_numbers_have_no_order(tmp_path: Path):
    text = "---\nsymrnn:\n  symbols: {q: \"scalar, sequence\", u: \"scalar, sequence\", w: scalar}\n---\n\n$$q_t = w q_{t-1} + u_t$$\n\n"
    assert last(tmp_path, text + rf"$${JACOBIAN} = \prod_{{i=k+1}}^{{t}} w$$")["verdict"] == "proved"
    assert last(tmp_path, text + rf"$${JACOBIAN} = \prod_{{i=k+1}}^{{t}} w^2$$")["verdict"] == "refuted"
