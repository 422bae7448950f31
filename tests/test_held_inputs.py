"""Recurrences that come from a differential equation whose input is held over each step: what their matrices are, and what is left open."""
from __future__ import annotations

import pytest

import symrnn

PAGE = r"""
The state follows

$$ h'(t) = A h(t) + B x(t) $$

with an invertible A. {hold}

$$ h_k = \bar{{A}} h_{{k-1}} + \bar{{B}} x_k $$

$$ {claim} $$
"""
HOLD = r"Over a step of length $\Delta$ the input is held, which leads to"


def verdict(claim: str, hold: str = HOLD) -> str | None:
    equations = symrnn.audit(write(PAGE.format(hold=hold, claim=claim))).documents[0].equations
    return equations[-1].verdict


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(text: str) -> str:
    with open("page.md", "w", encoding="utf-8") as file:
        file.write(text)
    return "page.md"


@pytest.mark.parametrize("claim", [
    r"\bar{A} = \exp(\Delta A)", r"\bar{A} = e^{\Delta A}", r"\bar{B} = A^{-1} (\exp(\Delta A) - I) B",
    r"\bar{B} = (\Delta A)^{-1} (\exp(\Delta A) - I) \Delta B",
])
def test_the_exact_solution_over_a_step_is_proved(claim):
    assert verdict(claim) == "proved"


@pytest.mark.parametrize("claim", [
    r"\bar{B} = (\Delta A)^{-1} (\exp(\Delta A) - I) B", r"\bar{A} = \exp(A)", r"\bar{B} = A^{-1} (I - \exp(\Delta A)) B",
    r"\bar{B} = A (\exp(\Delta A) - I) B",
])
def test_a_lost_factor_or_sign_is_refuted(claim):
    assert verdict(claim) == "refuted"


@pytest.mark.parametrize("claim", [r"\bar{A} = I + \Delta A", r"\bar{B} = \Delta B", r"\bar{A} = (I - \Delta A)^{-1}"])
def test_other_ways_to_make_steps_are_not_refuted(claim):
    assert verdict(claim) not in ("refuted", "proved")


def test_without_a_word_on_the_input_nothing_is_known_of_the_recurrence():
    assert verdict(r"\bar{B} = (\Delta A)^{-1} (\exp(\Delta A) - I) B", "This leads to") not in ("refuted", "proved")
