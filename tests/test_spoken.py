"""What is claimed under a condition that stands in words only is not refuted by what happens without it."""
from __future__ import annotations

from pathlib import Path

import pytest

from symrnn.api import audit

NETWORK = "The network is\n\n$$ h_t = \\tanh(W h_{t-1} + U x_t). $$\n\n"
WRONG = r"\frac{\partial h_t}{\partial h_{t-1}} = W \mathrm{diag}(1 - h_t^2)"


def verdicts(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "a.md"
    path.write_text(text, encoding="utf-8")
    (document,) = audit(path, timeout=60).to_json()["documents"]
    return [e["verdict"] for e in document["equations"] if e["verdict"]]


@pytest.mark.parametrize("before", [
    "If $W$ is symmetric, then", "For a diagonal $W$ the two factors commute, so that", "Suppose that $W$ is orthogonal. Then",
    "In the linear regime we have", "To first order in $W$,", "Ignoring the order of the factors,", "With layer normalisation it is",
    "We freeze $W$ at the identity, so that", "For positive pre-activations", "The direct contribution is", "With ReLU instead of it,",
    "When the recurrent matrix is symmetric, we get\n"])
def test_a_condition_in_words_before_a_formula_restricts_it(tmp_path: Path, before: str) -> None:
    assert verdicts(tmp_path, f"{NETWORK}{before}\n\n$$ {WRONG} $$\n") == ["undecided"]


@pytest.mark.parametrize("after", ["if $W$ is diagonal.", "whenever the factors commute.", ". This holds only for symmetric $W$.",
                                   ", up to higher order terms."])
def test_a_condition_in_words_after_a_formula_restricts_it(tmp_path: Path, after: str) -> None:
    assert verdicts(tmp_path, f"{NETWORK}The Jacobian is ${WRONG}$ {after}\n") == ["undecided"]


@pytest.mark.parametrize("before", [
    "The Jacobian is", "We differentiate and get", "If we apply the chain rule, we get", "When differentiating it we find",
    "By the identity for the slope of tanh,", "In closed form,", "The loss is a scalar, and"])
def test_words_that_leave_nothing_out_restrict_nothing(tmp_path: Path, before: str) -> None:
    assert verdicts(tmp_path, f"{NETWORK}{before}\n\n$$ {WRONG} $$\n") == ["refuted"]


@pytest.mark.parametrize("after", ["\n\nIf the sequence is long, it vanishes.", ". If $W$ is large, it explodes."])
def test_a_sentence_that_begins_after_a_formula_restricts_what_follows_it(tmp_path: Path, after: str) -> None:
    assert verdicts(tmp_path, f"{NETWORK}The Jacobian is\n\n$$ {WRONG} $${after}\n")[:1] == ["refuted"]


@pytest.mark.parametrize(("network", "verdict"), [("W h_{t-1} + U x_t", "refuted"), (r"\phi(W h_{t-1} + U x_t)", "undecided")])
def test_a_supposition_that_the_equations_of_the_network_show_leaves_nothing_open(tmp_path: Path, network: str, verdict: str) -> None:
    text = f"Consider a network whose activation is the identity,\n\n$$ h_t = {network}. $$\n\n"
    assert verdicts(tmp_path, text + "The gradient is read off.\n\n" r"$$ \frac{\partial h_t}{\partial x_t} = W $$") == [verdict]


def test_a_supposition_ends_with_its_section(tmp_path: Path) -> None:
    text = f"{NETWORK}Let $W$ be a diagonal matrix.\n\nA sentence between.\n\n$$ {WRONG} $$\n\n# In general\n\n$$ {WRONG} $$\n"
    assert verdicts(tmp_path, text) == ["undecided", "refuted"]


def test_what_holds_in_general_holds_under_a_condition(tmp_path: Path) -> None:
    right = r"\frac{\partial h_t}{\partial h_{t-1}} = \mathrm{diag}(1 - h_t^2) W"
    assert verdicts(tmp_path, f"{NETWORK}If $W$ is symmetric,\n\n$$ {right} $$\n") == ["proved"]


@pytest.mark.parametrize("words", ["Factors of two are absorbed in the learning rate.", "We drop constant factors."])
def test_a_text_that_drops_factors_is_not_taken_to_the_letter(tmp_path: Path, words: str) -> None:
    text = f"{words} Let $L = \\sum_t \\|\\hat y_t - y_t\\|^2$ and $\\hat y_t = V h_t$.\n\n"
    text += r"$$ \frac{\partial L}{\partial V} = \sum_t (\hat y_t - y_t) h_t^\top $$" "\n"
    assert verdicts(tmp_path, text) == ["undecided"]


def test_arrays_that_a_sentence_makes_numbers_have_no_shapes_to_conflict(tmp_path: Path) -> None:
    claim = r"$$ \frac{\partial h_t}{\partial h_{t-1}} = W h_t (1 - h_t) $$"
    text = "Consider $$ h_t = \\sigma(W h_{t-1} + U x_t) $$ with the logistic function. "
    assert verdicts(tmp_path, f"{text}A scalar network has\n\n{claim}\n\n# In general\n\n{claim}\n") == ["undecided", "refuted"]
    sizes = r"$h_t \in \mathbb{R}^n$, $x_t \in \mathbb{R}^m$, $h_t = \tanh(W h_{t-1} + U x_t)$. Setting $m = n = 1$, "
    assert verdicts(tmp_path, sizes + r"$$ \frac{\partial h_t}{\partial h_{t-1}} = (1 - h_t^2) W. $$") == ["undecided"]


def test_logarithms_to_another_base_are_not_those_that_are_proved(tmp_path: Path) -> None:
    text = r"Let $p = \mathrm{softmax}(z)$, $L = -\sum_i y_i \log p_i$ with $\sum_i y_i = 1$. $$ \frac{\partial L}{\partial z} = p - y $$"
    (word,) = set(verdicts(tmp_path, f"Here $\\log$ is the logarithm to base 2. {text}"))
    assert word == "undecided" and "undecided" not in verdicts(tmp_path, text)
