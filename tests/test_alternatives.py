"""Where a text gives two definitions of one variable, or two meanings of a derivative, a claim is decided only if they agree on it."""
from __future__ import annotations

from pathlib import Path

import pytest

from symrnn.api import audit

NETWORK = "The state is $$ h_t = \\tanh(W h_{t-1} + U x_t), \\quad \\hat y_t = V h_t. $$\n\n"
JACOBIAN = r"$$ \frac{\partial h_t}{\partial h_{t-1}} = %s $$"
COLUMNS = r"\mathrm{diag}(1 - h_t^2) W"
TURNED = r"W^\top \mathrm{diag}(1 - h_t^2)"


def judged(tmp_path: Path, text: str) -> list[tuple[str, str]]:
    path = tmp_path / "a.md"
    path.write_text(text, encoding="utf-8")
    (document,) = audit(path, timeout=60).to_json()["documents"]
    return [(e["verdict"], e["reason"] or "") for e in document["equations"] if e["verdict"]]


def verdicts(tmp_path: Path, text: str) -> list[str]:
    return [word for word, _ in judged(tmp_path, text)]


def test_of_two_definitions_in_one_sentence_neither_wins(tmp_path: Path) -> None:
    text = r"""The pre-activation is $a_t = W h_{t-1} + U x_t$, so that $h_t = \tanh(a_t)$ and $h_t = \sigma(a_t)$ for the sigmoid.

$$ \frac{\partial h_t}{\partial a_t} = \mathrm{diag}(1 - h_t^2) $$

$$ \frac{\partial h_t}{\partial a_t} = \mathrm{diag}(h_t \odot (1 - h_t)) $$

$$ \frac{\partial a_t}{\partial h_{t-1}} = W $$
"""
    (tanh, why), (sigmoid, _), (argument, _) = judged(tmp_path, text)
    assert (tanh, sigmoid, argument) == ("undecided", "undecided", "proved")
    assert "line 1 defines h otherwise" in why


def test_a_slip_in_a_definition_that_is_recalled_is_refuted_and_decides_nothing(tmp_path: Path) -> None:
    text = NETWORK + "Recall that $h_t = \\tanh(W h_{t-1} + U x_{t-1})$.\n\n"
    text += r"$$ \frac{\partial h_t}{\partial x_t} = \mathrm{diag}(1 - h_t^2) U $$" "\n\n"
    text += r"$$ \frac{\partial \hat y_t}{\partial h_t} = V $$"
    assert verdicts(tmp_path, text) == ["refuted", "undecided", "proved"]


def test_what_stands_before_a_slip_is_judged_without_it(tmp_path: Path) -> None:
    text = NETWORK + JACOBIAN % COLUMNS + "\n\nAs before, $h_t = \\tanh(W^\\top h_{t-1} + U x_t)$.\n\n" + JACOBIAN % COLUMNS
    assert verdicts(tmp_path, text) == ["proved", "refuted", "undecided"]


def test_a_heading_between_two_definitions_passes_on_to_another_network(tmp_path: Path) -> None:
    text = NETWORK + "# A linear one\n\n$$ h_t = W h_{t-1} + U x_t $$\n\n" + JACOBIAN % "W"
    assert verdicts(tmp_path, text) == ["proved"]


@pytest.mark.parametrize("words", [
    r"We use the denominator layout, so that $\frac{\partial a}{\partial b}$ is the transpose of the Jacobian.",
    r"The $(i,j)$ entry of $\frac{\partial y}{\partial x}$ is $\frac{\partial y_j}{\partial x_i}$.",
    "A derivative has a row for each input and a column for each output.",
    r"In this note $\left(\frac{\partial y}{\partial x}\right)_{ij} = \frac{\partial y_j}{\partial x_i}$.",
])
def test_derivatives_may_lie_with_their_inputs_as_rows_if_the_text_says_so(tmp_path: Path, words: str) -> None:
    text = f"{words}\n\n{NETWORK}{JACOBIAN % TURNED}\n\n{JACOBIAN % COLUMNS}\n"
    assert verdicts(tmp_path, text) == ["proved", "refuted"]


@pytest.mark.parametrize("words", [
    "There is one column of a derivative per component of $y$ and one row per component of $x$."])
def test_a_layout_that_the_words_leave_open_decides_no_jacobian(tmp_path: Path, words: str) -> None:
    text = f"{words}\n\n{NETWORK}{JACOBIAN % TURNED}\n\n{JACOBIAN % COLUMNS}\n\n{JACOBIAN % 'W'}\n"
    assert verdicts(tmp_path, text) == ["undecided", "undecided", "refuted"]


def test_gradients_are_rows_if_the_text_says_so(tmp_path: Path) -> None:
    text = r"""Gradients are row vectors here. Let $$ h_t = \tanh(W h_{t-1} + U x_t), \quad L = \sum_{t=1}^{T} \frac12\|h_t - y_t\|^2. $$

$$ \frac{\partial L}{\partial h_t} = (h_t - y_t)^\top + \frac{\partial L}{\partial h_{t+1}} \mathrm{diag}(1 - h_{t+1}^2) W $$

$$ \frac{\partial L}{\partial h_t} = (h_t - y_t)^\top + \frac{\partial L}{\partial h_{t+1}} W \mathrm{diag}(1 - h_{t+1}^2) $$
"""
    assert verdicts(tmp_path, text) == ["proved", "refuted"]


def test_the_norm_of_a_row_is_a_number(tmp_path: Path) -> None:
    text = r"""Let $$ h_t = \tanh(h_{t-1} W + x_t U), \quad \hat y_t = h_t V $$ with $h_t \in \mathbb{R}^{1 \times n}$,
$x_t \in \mathbb{R}^{1 \times d}$, $\hat y_t \in \mathbb{R}^{1 \times k}$ and $$ L = \sum_{t=1}^T \frac12\|\hat y_t - y_t\|^2. $$

$$ \frac{\partial L}{\partial V} = \sum_t h_t^\top (\hat y_t - y_t) $$

$$ \frac{\partial L}{\partial V} = \sum_t (\hat y_t - y_t)^\top h_t $$
"""
    assert verdicts(tmp_path, text) == ["proved", "refuted"]
