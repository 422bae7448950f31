r"""Sizes that no text states: what a rule says of its own letters, where sums end, and what fits in no size."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from symrnn.api import audit

RULE = r"""
For letters of its own, $x \in \mathbb{R}^p$, $v \in \mathbb{R}^d$ and $s \in \mathbb{R}^q$, the chain rule says

$$\frac{\partial s}{\partial x_i} = \sum_{j=1}^{d} \frac{\partial s}{\partial v_j} \frac{\partial v_j}{\partial x_i}$$

"""
NETWORK = r"""
$$s_t = \tanh(R s_{t-1} + P x_t + b)$$

$$o_t = Q s_t + c, \qquad o_t \in \mathbb{R}^d$$

$$E = \sum_{t=1}^{T} l(o_t, y_t)$$

"""
SUM = r"""
$$\frac{\partial E}{\partial Q} = \sum_{t=1}^{T} \sum_{i=1}^{d} \frac{\partial E}{\partial o_{t,i}} \frac{\partial o_{t,i}}{\partial Q}$$

$$\frac{\partial E}{\partial x_t} = \sum_{i=1}^{d} \frac{\partial E}{\partial s_{t,i}} \frac{\partial s_{t,i}}{\partial x_t}$$

"""


def equations(tmp_path: Path, text: str) -> list[dict[str, Any]]:
    path = tmp_path / "a.md"
    path.write_text(text)
    (document,) = audit(path, timeout=60).to_json()["documents"]
    return document["equations"]                                      # type: ignore[no-any-return]


def last(tmp_path: Path, text: str) -> dict[str, Any]:
    return equations(tmp_path, text)[-1]


@pytest.mark.parametrize("text", [NETWORK + SUM, RULE + NETWORK + SUM], ids=["nothing stated", "stated of a rule"])
def test_a_sum_over_components_of_which_nothing_states_the_number_goes_over_all_of_them(tmp_path: Path, text: str):
    found = last(tmp_path, text)
    assert found["verdict"] == "proved"
    assert any("is read as one over all" in c for c in found["relations"][0]["conditions"])


@pytest.mark.parametrize("more", [
    r"$s_t \in \mathbb{R}^q$", r"$s \in \mathbb{R}^q$, the state",
    r"$$\sum_{i=1}^{q} s_{t,i} = \sum_{i=1}^{q} s_{t,i}$$"], ids=["of the sequence", "of its letter", "another sum"])
def test_a_sum_to_another_size_than_the_stated_one_or_that_of_other_sums_is_conditional(tmp_path: Path, more: str):
    found = last(tmp_path, more + "\n\n" + NETWORK + SUM)
    assert found["verdict"] == "conditional" and "is read as one over all" in found["reason"]


def test_a_rule_in_the_letters_of_the_network_states_their_sizes(tmp_path: Path):
    rule = RULE.replace("v", "o")                                     # every letter of it has steps
    assert last(tmp_path, rule + NETWORK + SUM)["verdict"] == "conditional"


@pytest.mark.parametrize(("formula", "verdict"), [
    (r"o_{t,i} = Q s_{t,i} + c", "refuted"),                          # a matrix with a number, in whatever size
    (r"\frac{\partial E}{\partial Q} = \sum_{t=1}^{T} \sum_{i=1}^{d} \frac{\partial E}{\partial o_{t,i}} s_{t,i}", "refuted"),
    (r"\frac{\partial E}{\partial s_t} = Q \frac{\partial E}{\partial o_t}", "refuted")])    # it fits for one size, and fails
def test_what_fits_in_no_size_or_fails_where_it_fits_is_refuted_also_where_a_size_is_open(tmp_path: Path, formula: str, verdict: str):
    assert last(tmp_path, NETWORK + f"$${formula}$$")["verdict"] == verdict
