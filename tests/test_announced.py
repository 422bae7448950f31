r"""What a text prints before it defines anything, and what it prints again: an announced result, and the beginning of a chain."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from symrnn.api import audit

INTRODUCTIONS = (
    "Consider the recurrence of the unit:", "We begin with the rule by which a unit moves on:", "Recall how the unit is updated:",
    "The activation of the unit is given by", "The unit is updated as follows:", "In full, a unit is defined by the equation")
RESULT = r"q(n) = \tanh(A q(n-1) + B v(n))"
TWICE = r"\tanh(A \tanh(A q(n-2) + B v(n-1)) + B v(n))"
DEFINITION = r"q(n) = \tanh(A q(n-1) + B v(n) + c)"
DERIVATION = f"We now drop the bias, which gives\n\n$${RESULT}$$\n\nand once more\n\n$$q(n) = {TWICE}$$\n"


def equations(tmp_path: Path, text: str) -> list[dict[str, Any]]:
    path = tmp_path / "a.md"
    path.write_text(text)
    (document,) = audit(path, timeout=60).to_json()["documents"]
    return document["equations"]                                      # type: ignore[no-any-return]


def words(e: dict[str, Any]) -> list[str | None]:
    return [r["verdict"] for r in e["relations"]]


# ------------------------------------------------------------------------------------------------------------- announced results
@pytest.mark.parametrize("introduction", INTRODUCTIONS)
def test_a_result_that_is_printed_before_its_definition_is_a_claim(tmp_path: Path, introduction: str) -> None:
    text = f"Units remember.\n\n$${RESULT} = {TWICE}$$\n\nWhy is that so?\n\n{introduction}\n\n$${DEFINITION}$$\n\n{DERIVATION}"
    first, definition, *steps = equations(tmp_path, text)
    assert (first["role"], words(first)) == ("claim", ["proved", "proved"])
    assert all("c = 0" in r["conditions"] for r in first["relations"])
    assert (definition["role"], definition["verdict"]) == ("definition", None) and first["uses"] == [definition["id"]]
    assert [e["verdict"] for e in steps] == ["proved", "proved"]


def test_a_wrong_step_of_an_announced_result_is_refuted_under_what_the_text_supposes(tmp_path: Path) -> None:
    wrong = TWICE.replace("v(n-1)", "v(n)")
    text = f"$${RESULT} = {wrong}$$\n\n{INTRODUCTIONS[0]}\n\n$${DEFINITION}$$\n\n{DERIVATION}"
    assert words(equations(tmp_path, text)[0]) == ["proved", "refuted"]


def test_a_result_needs_nothing_dropped_if_it_follows_from_the_definition_itself(tmp_path: Path) -> None:
    text = f"$$q(n) = {TWICE}$$\n\n{INTRODUCTIONS[0]}\n\n$${RESULT}$$\n"
    first, definition = equations(tmp_path, text)
    assert (first["verdict"], definition["verdict"]) == ("proved", None)
    assert not any("= 0" in c for c in first["relations"][0]["conditions"])


@pytest.mark.parametrize("text", [
    f"$${RESULT}$$\n\n{INTRODUCTIONS[0]}\n\n$${DEFINITION}$$\n",                             # nothing makes it follow
    f"$${RESULT}$$\n\nAnother unit has a bias.\n\n$${DEFINITION}$$\n\n{DERIVATION}",          # no sentence says which one defines
    f"$${RESULT}$$\n\nConsider another unit instead:\n\n$${DEFINITION}$$\n\n{DERIVATION}",
    f"Consider a unit:\n\n$${RESULT}$$\n\nThen consider one with a bias:\n\n$${DEFINITION}$$\n\n{DERIVATION}",
    f"$${RESULT}$$\n\n$$r(n) = C q(n)$$\n\n{INTRODUCTIONS[0]}\n\n$${DEFINITION}$$\n\n{DERIVATION}"])
def test_else_the_first_equation_of_a_variable_defines_it(tmp_path: Path, text: str) -> None:
    first = equations(tmp_path, text)[0]
    assert (first["role"], first["verdict"]) == ("definition", None)


# --------------------------------------------------------------------------------------------------------- beginnings of chains
LOSS = r"""
$$s_t = \tanh(R s_{t-1} + P x_t), \qquad p_t = \mathrm{softmax}(Q s_t), \qquad E_t = - d_t^\top \log p_t$$

$$E(\{x_1, \ldots, x_T\}, \{d_1, \ldots, d_T\}) = \sum_{t=1}^{T} E_t$$

"""


@pytest.mark.parametrize("left", [r"E(\{x_1, \ldots, x_T\}, \{d_1, \ldots, d_T\})", "E"])
@pytest.mark.parametrize(("right", "verdict"), [
    (r"- \sum_{t=1}^{T} d_t^\top \log p_t", "proved"), (r"\sum_{t=1}^{T} d_t^\top \log p_t", "refuted")])
def test_a_chain_that_begins_with_a_definition_is_judged_from_its_second_relation_on(
        tmp_path: Path, left: str, right: str, verdict: str) -> None:
    chain = equations(tmp_path, LOSS + rf"$${left} = \sum_{{t=1}}^{{T}} E_t = {right}$$")[-1]
    assert (chain["role"], words(chain)) == ("claim", [None, verdict])
    assert chain["relations"][0]["reason"] == "defined in line 4" and chain["reason"] == chain["relations"][1]["reason"]


STATE = "$$s_t = \\tanh(R s_{t-1} + P x_t)$$\n\n"


@pytest.mark.parametrize(("formula", "expected"), [
    (r"s_t = \tanh(R s_{t-1} + P x_t) = \tanh(R \tanh(R s_{t-2} + P x_{t-1}) + P x_t)", [None, "proved"]),
    (r"s_t = \tanh(R s_{t-1} + P x_t) = \tanh(R \tanh(R s_{t-2} + P x_t) + P x_t)", [None, "refuted"]),
    (r"s_t = \tanh(R s_{t-1} + P x_t)", ["proved"]),
    (r"s_t = \tanh(P x_t + R s_{t-1}) = \tanh(R s_{t-1} + P x_t)", ["proved", "proved"]),
    (r"\tanh(R s_{t-1} + P x_t) = s_t = \tanh(P x_t + R s_{t-1})", ["proved", "proved"])])
def test_only_what_says_the_definition_again_and_goes_on_is_no_claim(tmp_path: Path, formula: str, expected: list[str | None]) -> None:
    assert words(equations(tmp_path, STATE + f"$${formula}$$")[1]) == expected


def test_a_chain_before_the_definition_claims_all_that_it_says(tmp_path: Path) -> None:
    text = "$$s_{t+1} = \\tanh(R s_t) = \\tanh(R \\tanh(R s_{t-1}))$$\n\n$$s_t = \\tanh(R s_{t-1})$$\n"
    assert words(equations(tmp_path, text)[1]) == ["proved"]
