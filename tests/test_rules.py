r"""Rules in the letters of functions are judged for any functions, whatever a network has under these letters."""
from __future__ import annotations

from pathlib import Path

import pytest

from symrnn.api import audit

NETWORK = r"""
$$h_t = \tanh(W h_{t-1} + U x_t)$$

$$o_t = V h_t$$

$$L = \sum_t l(o_t, d_t)$$

"""


def words(tmp_path: Path, text: str) -> list[str | None]:
    path = tmp_path / "a.md"
    path.write_text(text)
    (document,) = audit(path, timeout=60).to_json()["documents"]
    return [e["verdict"] for e in document["equations"]]


@pytest.mark.parametrize(("given", "rule", "verdict"), [
    (r"h(x) = \frac{f(x)}{g(x)}", r"h'(x) = \frac{f'(x) g(x) - f(x) g'(x)}{g^2(x)}", "proved"),
    (r"h(x) = \frac{f(x)}{g(x)}", r"h'(x) = \frac{f'(x) g(x) + f(x) g'(x)}{g^2(x)}", "refuted"),
    (r"h(x) = \frac{f(x)}{g(x)}", r"h'(x) = \frac{f'(x) g(x) - f(x) g'(x)}{g(x)}", "refuted"),
    (r"h(x) = f(x) g(x)", r"h'(x) = f'(x) g(x) + f(x) g'(x)", "proved"),
    (r"h(x) = f(x) g(x)", r"h'(x) = f'(x) g'(x)", "refuted"),
    (r"q(u) = a(u) - b(u)", r"q'(u) = a'(u) - b'(u)", "proved")])
def test_a_rule_for_derivatives_is_judged_for_any_functions(tmp_path: Path, given: str, rule: str, verdict: str):
    assert words(tmp_path, NETWORK + f"For ${given}$ the rule says\n\n$${rule}$$\n")[-1] == verdict


def test_the_slope_of_such_a_function_is_only_named_where_a_chain_goes_on(tmp_path: Path):
    text = r"$$p_i = \frac{e^{o_i}}{\sum_{j=1}^n e^{o_j}}$$" + "\n\n" + r"For $h(x) = \frac{f(x)}{g(x)}$ we have" + "\n\n"
    slope = r"$$f'(o_k) = \frac{\partial}{\partial o_k} e^{o_i} = \begin{cases} e^{o_k}, & i = k \\ 0, & \text{otherwise} \end{cases}$$"
    assert words(tmp_path, text + slope)[-1] == "proved"
    assert words(tmp_path, text + slope.replace("0,", "1,"))[-1] == "refuted"


def test_a_chain_rule_for_a_single_unit_is_one_for_numbers(tmp_path: Path):
    rule = r"$$\frac{\partial L}{\partial w} = \frac{\partial L}{\partial o} \frac{\partial o}{\partial w}$$"
    text = NETWORK + r"$W \in \mathbb{R}^{n \times n}$" + "\n\n"
    assert words(tmp_path, text + "With only one unit we have\n\n" + rule)[-1] == "proved"
    assert words(tmp_path, text + "With many units we have\n\n" + rule)[-1] != "refuted"
