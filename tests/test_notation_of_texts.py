r"""Notation that published texts take for granted: usual macros, values given as functions, primed letters, sentences."""
from __future__ import annotations

from pathlib import Path

import pytest

from symrnn.audit import audit_files
from symrnn.claims import check_claim


def verdict(claim: str, *given: str, shapes: dict[str, str] | None = None, assume: tuple[str, ...] = ()) -> str | None:
    return check_claim(claim, given=given, shapes=shapes, assume=assume, timeout=60).verdict


# ----------------------------------------------------------------------------------------------------------------------- macros
@pytest.mark.parametrize(("claim", "expected"), [
    (r"\pd{\bh_t}{\bx_t} = \diag(1 - \bh_t^2) \bU", "proved"), (r"\pdv{\vh_t}{\vx_t} = \vU \diag(1 - \vh_t^2)", "refuted"),
    (r"\norm{\bx_t}^2 = \bx_t^\top \bx_t", "proved"), (r"\norm{\bx_t}^2 = 2 \bx_t^\top \bx_t", "refuted")])
def test_macros_that_everybody_defines_alike(claim: str, expected: str) -> None:
    assert verdict(claim, r"\mathbf{h}_t = \tanh(\MW \bh_{t-1} + \bU \Vx_t)", shapes={r"\bW": "n x n", r"\bU": "n x m"}) == expected


@pytest.mark.parametrize(("macro", "words"), [
    (r"\newcommand{\pd}[2]{\frac{\partial #2}{\partial #1}}", ["refuted"]), ("", ["proved"]),
    (r"\def\pd#1#2{\frac{\partial #2}{\partial #1}}", ["refuted"])])
def test_a_macro_of_the_text_goes_before_the_usual_one(tmp_path: Path, macro: str, words: list[str]) -> None:
    path = tmp_path / "a.md"
    path.write_text(macro + "\n\n" + r"""$$ h_t = \tanh(W h_{t-1} + U x_t) $$

$$ \pd{h_t}{h_{t-1}} = \operatorname{diag}(1 - h_t^2) W $$
""")
    (judged,) = audit_files([path]).documents
    assert [e.verdict for e in judged.equations if e.role == "claim"] == words


# ------------------------------------------------------------------------------------------------- the variable below the sign
@pytest.mark.parametrize(("claim", "expected"), [
    (r"\partial_{x} q = 2 a x", "proved"), (r"\partial_x q = a x", "refuted"), (r"\partial_{a} q + 1 = x^2 + 1", "proved")])
def test_a_partial_sign_with_its_variable_below(claim: str, expected: str) -> None:
    assert verdict(claim, "q = a x^2", shapes={"a, x": "scalar"}) == expected


@pytest.mark.parametrize("claim", [r"\partial_x^2 q = 2 a", r"\partial_x = a"])
def test_a_partial_sign_with_a_power_or_without_a_body_is_not_read(claim: str) -> None:
    assert verdict(claim, "q = a x^2", shapes={"a, x": "scalar"}) == "unreadable"


# ------------------------------------------------------------------------------------------------- functions that are a value
LOSS = (r"p_i = \frac{\exp(s_i)}{\sum_j \exp(s_j)}", r"\psi(\mathbf{y}, \mathbf{p}) = -\sum_{i=1}^n y_i \log p_i")
ARRAYS = {"s, y": "n"}
ONE = (r"\sum_i y_i = 1",)


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\frac{\partial \psi}{\partial s_j} = p_j - y_j", "proved"), (r"\partial_{s_j} \psi(\mathbf{y}, \mathbf{p}) = p_j - y_j", "proved"),
    (r"\frac{\partial \psi}{\partial s_j} = y_j - p_j", "refuted"), (r"\frac{\partial \psi}{\partial p_j} = -y_j / p_j", "proved"),
    (r"\psi(\mathbf{y}, \mathbf{p}) = \log \sum_i \exp(s_i) - \sum_i y_i s_i", "proved"),
    (r"\psi(\mathbf{y}, \mathbf{p}) = \sum_i y_i s_i - \log \sum_i \exp(s_i)", "refuted"),
    (r"\psi(\mathbf{p}, \mathbf{y}) = \log \sum_i \exp(s_i) - \sum_i y_i s_i", None),
])
def test_a_function_given_for_whole_arrays_is_a_value(claim: str, expected: str | None) -> None:
    assert verdict(claim, *LOSS, shapes=ARRAYS, assume=ONE) == expected


@pytest.mark.parametrize(("claim", "expected"), [
    (r"k'(s_j) = 2 s_j", "proved"), (r"k'(s_j) = s_j", "refuted"), (r"\frac{\partial k}{\partial s_j}(s_j) = 2 s_j", "proved")])
def test_a_function_of_one_component_that_is_none_of_it(claim: str, expected: str) -> None:
    assert verdict(claim, r"k(s_j) = \sum_{i=1}^n s_i^2", shapes={"s": "n"}) == expected


@pytest.mark.parametrize(("claim", "expected"), [
    (r"k'(u) = 2 u", "proved"), (r"k'(u) = u", "refuted"),
    (r"q'(u) = \frac{f'(u) g(u) - f(u) g'(u)}{g(u)^2}", "proved"), (r"q'(u) = \frac{f'(u) g(u) + f(u) g'(u)}{g(u)^2}", "refuted")])
def test_a_rule_for_every_argument_stays_a_function(claim: str, expected: str) -> None:
    assert verdict(claim, "k(u) = u^2", r"q(u) = \frac{f(u)}{g(u)}", shapes={"u": "scalar", "f, g, k, q": "function"}) == expected


def test_a_letter_t_that_is_a_number_is_no_time() -> None:
    given = r"\xi(t, y) = (t - y)^2"
    assert verdict(r"\frac{\partial \xi}{\partial y} = 2 (y - t)", given, shapes={"all": "scalars"}) == "proved"
    assert verdict(r"\frac{\partial \xi}{\partial y} = 2 (t - y)", given, shapes={"all": "scalars"}) == "refuted"


# ---------------------------------------------------------------------------------------------------------- indices, facts given
@pytest.mark.parametrize(("claim", "expected"), [
    (r"\frac{\partial p_i}{\partial s_{i'}} = p_i (\delta_{ii'} - p_{i'})", "proved"),
    (r"\frac{\partial p_i}{\partial s_{i'}} = p_{i'} (\delta_{ii'} - p_{i'})", "refuted"),
    (r"\frac{\partial p_i}{\partial s_k} = p_i (\mathbf{1}_{i = k} - p_k)", "proved"),
    (r"\frac{\partial p_i}{\partial s_k} = p_i (\mathbf{1}_{i \ne k} - p_k)", "refuted"),
    (r"\sum_{i'} \delta_{ii'} s_{i'} = s_i", "proved"), (r"\sum_{i'} \delta_{ii'} s_{i} = n s_i", "refuted")])
def test_primed_letters_and_indicators(claim: str, expected: str) -> None:
    assert verdict(claim, LOSS[0], shapes={"s, p": "n"}) == expected


def test_a_given_fact_that_is_proved_is_no_obstacle_and_a_wrong_one_is() -> None:
    claim = r"\frac{d}{du} \operatorname{tanh}(u) = 1 - \operatorname{tanh}^2(u)"
    assert verdict(claim, r"\operatorname{tanh}(u) = \frac{e^u - e^{-u}}{e^u + e^{-u}}", shapes={"u": "scalar"}) == "proved"
    assert verdict(claim, r"\operatorname{tanh}(u) = \frac{e^u + e^{-u}}{e^u - e^{-u}}", shapes={"u": "scalar"}) == "undecided"


def test_a_function_whose_slope_is_given_is_the_logistic_one() -> None:
    given = (r"\sigma'(a) = \sigma(a) (1 - \sigma(a))", r"h_t = \sigma(W h_{t-1})")
    claim = r"\frac{\partial h_t}{\partial h_{t-1}} = \operatorname{diag}(h_t \odot (1 - h_t)) W"
    assert verdict(claim, *given, shapes={"W": "n x n"}) == "proved"
    assert verdict(claim, given[1], shapes={"W": "n x n"}) == "undecided"         # nothing says what sigma is


def test_an_equation_of_the_next_step_is_a_definition() -> None:
    assert verdict(r"\frac{\partial h_t}{\partial h_{t-1}} = W", r"h_{t+1} = W h_t + U x_{t+1}", shapes={"W": "n x n"}) == "proved"
    assert verdict(r"\frac{\partial h_t}{\partial x_{t}} = W", r"h_{t+1} = W h_t + U x_{t+1}", shapes={"W, U": "n x n"}) == "refuted"


@pytest.mark.parametrize("sentence", ["t is before its last step, on Sundays", "the last step is late", r"\delta_{h_t} is small"])
def test_a_sentence_that_is_not_understood_blocks_a_refutation(sentence: str) -> None:
    found = check_claim(r"h_t = 2 W h_{t-1}", given=("h_t = W h_{t-1}",), shapes={"W": "n x n"}, assume=(sentence,))
    assert found.verdict == "undecided" and sentence in found.ignored


def test_a_condition_in_formulas_is_not_taken_for_a_sentence() -> None:
    given = ("h_t = W h_{t-1} + x_t",)
    found = check_claim(r"h_1 = x_1", given=given, shapes={"W": "n x n"}, assume=("h_0 = 0",))
    assert found.verdict == "proved" and not found.ignored


# ---------------------------------------------------------------------------------------------------------- primes for the next step
CELL = (r"r = \sigma(W_r x + U_r h + b_r)", r"z = \sigma(W_z x + U_z h + b_z)", r"n = \tanh(W_n x + b_n + r * (U_n h + b_h))",
        r"h' = (1 - z) * n + z * h")


D_Z, D_N = r"\frac{\partial h'}{\partial z}", r"\frac{\partial h'}{\partial n}"


@pytest.mark.parametrize(("claim", "expected"), [
    (r"h' = n + z * (h - n)", "proved"), (r"h' = (1 - z) * h + z * n", "refuted"), (r"h^{\prime} = n - z * n + z * h", "proved"),
    (rf"{D_Z} = \mathrm{{diag}}(h - n)", "proved"), (rf"{D_Z} = \mathrm{{diag}}(n - h)", "refuted"),
    (rf"{D_N} = \mathrm{{diag}}(1 - z)", "proved"), (rf"{D_N} = \mathrm{{diag}}(z)", "refuted")])
def test_a_prime_is_the_next_step_where_nothing_else_has_a_time(claim: str, expected: str) -> None:
    assert verdict(claim, *CELL, shapes={r"\sigma": "function sigmoid"}) == expected


@pytest.mark.parametrize("given", [
    (r"u' = -u + \tanh(W u)",), (r"y = \tanh(W h)", r"y' = \tanh(W h')"), (r"h' = W' \tanh(h)",), (r"h' = W h + x",)])
def test_other_primes_are_no_steps(given: tuple[str, ...]) -> None:
    claim = given[-1].replace("=", "= 2")
    assert verdict(claim, *given, shapes={"W": "n x n"}) == "undecided"
