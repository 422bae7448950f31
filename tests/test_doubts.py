"""Letters and numbers that may mean two things decide nothing where the two differ."""
from __future__ import annotations

from pathlib import Path

import pytest

from symrnn.api import audit

LINEAR = "A linear network\n\n$$ h_t = A h_{t-1} + B x_t $$\n\nwith $h_t \\in \\mathbb{R}^n$.\n\n"
TANH = "The state is\n\n$$ h_t = \\tanh(W h_{t-1} + U x_t) $$\n\n"


def equations(tmp_path: Path, text: str) -> list[dict[str, object]]:
    path = tmp_path / "a.md"
    path.write_text(text, encoding="utf-8")
    (document,) = audit(path, timeout=60).to_json()["documents"]
    return [e for e in document["equations"] if e["verdict"]]


def verdicts(tmp_path: Path, text: str) -> list[object]:
    return [e["verdict"] for e in equations(tmp_path, text)]


@pytest.mark.parametrize(("right", "expected"), [
    ("A^T", "conditional"), ("A^{T}", "conditional"), (r"A^\top", "refuted"), ("2 A^T", "refuted")])
def test_an_upper_letter_of_the_last_step_may_be_a_number_of_factors(tmp_path: Path, right: str, expected: str) -> None:
    assert verdicts(tmp_path, LINEAR + rf"$$ \frac{{\partial h_T}}{{\partial h_0}} = {right} $$") == [expected]


def test_a_transpose_that_is_right_stays_one(tmp_path: Path) -> None:
    text = r"Let $h_t = A h_{t-1}$ and $L = \frac12 h_T^\top h_T$." "\n\n"
    assert verdicts(tmp_path, text + r"$$ \frac{\partial L}{\partial h_{t}} = A^T \frac{\partial L}{\partial h_{t+1}} $$") == ["proved"]


def test_a_condition_on_early_steps_makes_a_window_no_theorem(tmp_path: Path) -> None:
    text = "---\nsymrnn:\n  symbols:\n    x: scalar, sequence\n    h: vector p, sequence\n    p: size\n---\n"
    text += r"The update is $$ h_t = (h_{t-1}[2:p], x_t). $$" "\n\n"
    window = r"$$ h_t = (x_{t-p+1}, \dots, x_t). $$" "\n\n"
    assert verdicts(tmp_path, f"{text}For $t \\ge p$, {window}For $t < p$, {window}") == ["proved", "undecided"]


@pytest.mark.parametrize("special", ["for $\\hat y_t = y_t$", "We ask for $\\hat y_t = y_t$", "at the optimum $\\hat y_t = y_t$"])
def test_what_may_hold_in_a_special_case_is_not_refuted_and_the_case_is_no_claim(tmp_path: Path, special: str) -> None:
    text = r"Let $$h_t = \tanh(W h_{t-1} + U x_t), \quad \hat y_t = V h_t, \quad L = \sum_{t=1}^{T} \|\hat y_t - y_t\|^2.$$"
    assert verdicts(tmp_path, f"{text} The loss is least {special}.\n\n" + r"$$ \frac{\partial L}{\partial V} = 0 $$") == ["undecided"]


def test_a_property_of_a_matrix_that_is_supposed_is_no_claim(tmp_path: Path) -> None:
    text = LINEAR + r"If $A^\top A = I$ and $x_t = 0$, nothing is lost:" "\n\n"
    assert verdicts(tmp_path, text + r"$$ h_t^\top h_t = h_{t-1}^\top h_{t-1} $$") == ["undecided"]


def test_a_function_that_a_text_tries_is_not_the_one_that_it_uses(tmp_path: Path) -> None:
    text = "Let $h_t = f(W h_{t-1} + U x_t)$ with any differentiable $f$.\n\n"
    jacobian = r"$$ \frac{\partial h_t}{\partial h_{t-1}} = \mathrm{diag}(1 - h_t^2) W $$" "\n\n"
    assert verdicts(tmp_path, f"{text}{jacobian}For $f = \\tanh$ it is so.\n") == ["undecided"]
    assert verdicts(tmp_path, f"{text}Take $f = \\tanh$.\n\n{jacobian}") == ["proved"]


@pytest.mark.parametrize("text", [
    r"Layer $l$ computes $h^l_t = \tanh(W^l h^l_{t-1} + U^l h^{l-1}_t)$ with $h^0_t = x_t$.",
    r"Let $h^1_t = \tanh(W^1 h^1_{t-1} + U^1 x_t)$ and $h^2_t = \tanh(W^2 h^2_{t-1} + U^2 h^1_t)$."])
def test_numbers_of_layers_are_no_exponents(tmp_path: Path, text: str) -> None:
    claim = r"$$ \frac{\partial h^2_t}{\partial h^1_t} = \mathrm{diag}(1 - (h^2_t)^2) U^2 $$"
    assert set(verdicts(tmp_path, f"{text}\n\n{claim}\n")) == {"undecided"}


def test_a_text_that_counts_its_steps_from_zero_is_not_refuted_at_its_ends(tmp_path: Path) -> None:
    text = r"Let $h_{-1} = 0$, $h_t = \tanh(W h_{t-1} + U x_t)$ and $\ell_t = \frac12 \|h_t - y_t\|^2$, "
    text += r"$L = \sum_{t=0}^{T-1} \ell_t$." "\n\n"
    claim = r"$$ \frac{\partial L}{\partial W} = \sum_{t=0}^{T-1} \mathrm{diag}(1 - h_t^2) \frac{\partial L}{\partial h_t} h_{t-1}^\top $$"
    assert "refuted" not in verdicts(tmp_path, text + claim)


def test_a_first_step_with_an_equation_of_its_own_is_not_refuted_by_that_of_the_others(tmp_path: Path) -> None:
    text = TANH.replace("state is", "state at later steps is") + "and $h_1 = \\tanh(U x_1)$.\n\n"
    claims = r"$$ \frac{\partial h_1}{\partial h_0} = 0 $$" "\n\n" r"$$ \frac{\partial h_t}{\partial h_{t-1}} = 0 $$"
    assert verdicts(tmp_path, text + claims) == ["undecided", "undecided", "refuted"]


def test_a_variable_without_its_step_on_both_sides_may_be_meant_at_two(tmp_path: Path) -> None:
    assert verdicts(tmp_path, TANH + r"In short, $h = \tanh(W h + U x)$.") == ["undecided"]


def test_a_sequence_before_a_letter_in_brackets_may_be_meant_at_that_time(tmp_path: Path) -> None:
    text = r"The discrete system is $h_k = A h_{k-1} + B x_k$, $y_k = C h_k$; the continuous one has $y(t) = C h(t)$."
    assert verdicts(tmp_path, text) == ["undecided"]


def test_a_matrix_with_a_mark_that_nothing_explains_is_not_refuted(tmp_path: Path) -> None:
    text = r"Let $h_t = W h_{t-1}$ and $L = \frac12 \|h_T\|^2$." "\n\n"
    assert verdicts(tmp_path, text + r"$$ \frac{\partial L}{\partial h_t} = W^* \frac{\partial L}{\partial h_{t+1}} $$") == ["undecided"]


def test_a_letter_for_a_family_of_functions_need_not_be_the_usual_one(tmp_path: Path) -> None:
    text = r"A sigmoid is steeper: $$ \sigma(z) = \frac{1}{1 + e^{-\beta z}}. $$"
    assert verdicts(tmp_path, text) == ["undecided"]


def test_a_definition_is_no_correction(tmp_path: Path) -> None:
    (claim,) = equations(tmp_path, TANH + r"$$ h_{t,i} = \tanh\left(\sum_{j} W_{ji} h_{t-1,j} + \sum_k U_{ik} x_{t,k}\right) $$")
    assert (claim["verdict"], claim["fix"]) == ("refuted", None)


LISTING = "The network is $$ %s $$\n\n~~~python\ndef step(h, x):\n    a = %s\n    h = np.tanh(%s)\n    return h\n~~~\n"


@pytest.mark.parametrize(("text", "first", "second"), [
    (r"a_t = W h_{t-1} + U x_t + b, \quad h_t = \tanh(a_t).", "W @ h + U @ x", "a + b"),
    (r"a_t = W h_{t-1} + U x_t, \quad h_t = \tanh(a_t + b).", "W @ h + U @ x + b", "a")])
def test_a_listing_may_split_a_sum_otherwise(tmp_path: Path, text: str, first: str, second: str) -> None:
    assert verdicts(tmp_path, LISTING % (text, first, second)) == ["proved"]
    assert "proved" not in verdicts(tmp_path, LISTING % (text, first, f"2 * ({second})"))


def test_the_inputs_of_a_listing_may_count_from_zero(tmp_path: Path) -> None:
    text = "The network is $$ h_t = \\tanh(W h_{t-1} + U x_t + b). $$\n\n~~~python\ndef forward(xs):\n    h = np.zeros((T + 1, n))\n"
    text += "    for t in range(1, T + 1):\n        h[t] = np.tanh(W @ h[t-1] + U @ xs[t-1] + b)\n    return h\n~~~\n"
    assert verdicts(tmp_path, text) == ["conditional"]


def test_a_letter_that_usually_counts_is_a_variable_where_it_has_values(tmp_path: Path) -> None:
    text = (r"The entropy is $H(p) = -\sum_r p(r) \log p(r)$. Let $h_t = \tanh(W h_{t-1} + U r_t)$ and $L = \sum_t L_t$." "\n\n"
            r"$$ \frac{\partial h_t}{\partial r_t} = \mathrm{diag}(1 - h_t^2) U $$")
    assert verdicts(tmp_path, text)[-1] == "proved"
