r"""Documents that declare nothing: kinds and sizes follow from use, whatever the letters are, and a letter may be bound anew."""
from __future__ import annotations

import re
from pathlib import Path

import pytest

from symrnn.api import audit

TEXT = r"""
The state is

$$s^{(t)} = \tanh(R s^{(t-1)} + P x^{(t)} + b)$$

and the output is

$$o^{(t)} = Q s^{(t)} + c$$

$$p^{(t)} = \mathrm{softmax}(o^{(t)})$$

The loss is open:

$$L = \sum_{t=1}^{T} l(o^{(t)}, d^{(t)})$$

so that

$$\frac{\partial L}{\partial s^{(t)}}
= R^\top \mathrm{diag}(1 - (s^{(t+1)})^2) \frac{\partial L}{\partial s^{(t+1)}} + Q^\top \frac{\partial L}{\partial o^{(t)}}$$

$$\frac{\partial L}{\partial Q} = \sum_{t=1}^{T} \frac{\partial L}{\partial o^{(t)}} (s^{(t)})^\top$$

but not

$$\frac{\partial L}{\partial s^{(t)}}
= R \, \mathrm{diag}(1 - (s^{(t+1)})^2) \frac{\partial L}{\partial s^{(t+1)}} + Q^\top \frac{\partial L}{\partial o^{(t)}}$$
"""
EXPECTED = [None, None, None, None, "proved", "proved", "refuted"]
OTHER_LETTERS = {"s": "h", "R": r"W_{hh}", "P": r"W_{xh}", "Q": r"W_{hy}", "b": "b_h", "c": "b_y", "L": r"\mathcal{L}", "T": r"\tau"}
GREEK = {"R": r"\Theta", "P": r"\Omega", "Q": r"\Gamma"}
OTHER_FONTS = {"s": r"\mathbf{s}", "R": r"\mathbf{R}", "Q": r"\boldsymbol{Q}", "o": r"\mathbf{o}"}


def verdicts(tmp_path: Path, text: str, name: str = "a.md") -> list[str | None]:
    path = tmp_path / name
    path.write_text(text)
    (document,) = audit(path, timeout=60).to_json()["documents"]
    return [e["verdict"] for e in document["equations"]]


def renamed(text: str, letters: dict[str, str]) -> str:
    """The text with other letters in its formulas."""
    def formula(match: re.Match[str]) -> str:
        return re.sub(r"\\[A-Za-z]+|[A-Za-z]", lambda m: letters.get(m[0], m[0]), match[0])
    return re.sub(r"\$\$.*?\$\$", formula, text, flags=re.S)


@pytest.mark.parametrize("letters", [{}, OTHER_LETTERS, OTHER_FONTS, GREEK], ids=["as it stands", "letters", "fonts", "greek"])
def test_the_same_text_has_the_same_verdicts_in_other_letters_and_fonts(tmp_path: Path, letters: dict[str, str]):
    assert verdicts(tmp_path, renamed(TEXT, letters)) == EXPECTED


@pytest.mark.parametrize("style", [r"_{\1}", r"^{\\langle \1 \\rangle}"])
def test_times_may_be_written_in_another_style(tmp_path: Path, style: str):
    assert verdicts(tmp_path, re.sub(r"\^\{\(([^()]*)\)\}", style, TEXT)) == EXPECTED


def test_shifted_lines_change_nothing(tmp_path: Path):
    assert verdicts(tmp_path, "More words.\n\n" * 40 + TEXT) == EXPECTED


def test_a_state_that_is_defined_anew_begins_another_network(tmp_path: Path):
    again = r"""
Now without a bias, and linear:

$$s^{(t)} = R s^{(t-1)} + P x^{(t)}$$

$$\frac{\partial s^{(t)}}{\partial s^{(t-1)}} = R$$

$$\frac{\partial s^{(t)}}{\partial s^{(t-1)}} = \mathrm{diag}(1 - (s^{(t)})^2) R$$
"""
    assert verdicts(tmp_path, TEXT + again) == [*EXPECTED, None, "proved", "refuted"]


def test_a_softmax_that_is_given_by_components_is_one(tmp_path: Path):
    text = r"""
$$\sigma(z)_i = \frac{e^{z_i}}{\sum_{j=1}^{K} e^{z_j}}$$

$$\frac{\partial \sigma(z)_i}{\partial z_k} = \sigma(z)_i (\delta_{ik} - \sigma(z)_k)$$

$$\frac{\partial \sigma(z)_i}{\partial z_k} = \sigma(z)_i (1 - \sigma(z)_k)$$
"""
    assert verdicts(tmp_path, text)[1:] == ["proved", "refuted"]


def test_a_function_may_be_named_after_its_use(tmp_path: Path):
    text = r"""
$$h_t = f(V h_{t-1} + U x_t)$$

$$f = \tanh$$

$$\frac{\partial h_t}{\partial h_{t-1}} = \mathrm{diag}(1 - h_t^2) V$$
"""
    assert verdicts(tmp_path, text)[2] == "proved"


def test_a_chain_rule_for_letters_whose_kind_is_only_guessed_is_not_refuted(tmp_path: Path):
    text = r"""
$$h_t = \tanh(V h_{t-1} + U x_t)$$

$$o_t = W h_t$$

$$\frac{\partial L}{\partial W} = \frac{\partial L}{\partial o} \frac{\partial o}{\partial W}$$
"""
    assert verdicts(tmp_path, text)[2] == "undecided"


HEAD = r"""---
symrnn:
  symbols: {x: "vector n, sequence", h: "vector n, sequence", y: "vector m, sequence", d: "vector m, sequence", W: "matrix n n",
    V: "matrix m n", i: index}
  targets: [d]
  loss: \ell_t
  total: L
---

"""
LOSS = r"""

$$y_t = V h_t$$

$$\ell_t = \sum_i (y_{t,i} - d_{t,i})^2, \qquad L = \sum_{t=1}^T \ell_t$$

"""
GRADIENT = r"$$\frac{\partial L}{\partial h_t} = 2 V^\top (y_t - d_t)$$"


@pytest.mark.parametrize("definition", [
    r"$$h_t = \tanh(W h_{t-1} + x_t$$", r"$$h_t = \tanh(Q h_{t-1} + x_t)$$", r"$$h_t = \max_k(W h_{t-1} + x_t)$$",
    "$$\\begin{align} h_t &= \\tanh(W h_{t-1} + x_t)$$", r"$ h_t = \tanh(W h_{t-1} + x_t$", r"$h_t = \tanh(W h_{t-1} + x_t)",
    r"$h_t = \tanh(W h_{t-1} + x_t), where ($d_t$)"],
    ids=["bracket", "undeclared", "construct", "environment", "dollar and bracket", "dollar", "pair"])
def test_a_gradient_through_an_equation_that_was_not_understood_is_undecided(tmp_path: Path, definition: str):
    assert verdicts(tmp_path, HEAD + definition + LOSS + GRADIENT)[-1] == "undecided"


def test_the_same_gradient_is_refuted_where_the_equation_is_understood_and_proved_where_there_is_none(tmp_path: Path):
    assert verdicts(tmp_path, HEAD + r"$$h_t = \tanh(W h_{t-1} + x_t)$$" + LOSS + GRADIENT)[-1] == "refuted"
    assert verdicts(tmp_path, HEAD + LOSS + GRADIENT)[-1] == "proved"


def test_a_derivative_that_cannot_pass_through_it_is_proved_all_the_same(tmp_path: Path):
    claim = r"$$\frac{\partial \ell_t}{\partial y_t} = 2 (y_t - d_t)$$"
    assert verdicts(tmp_path, HEAD + r"$$h_t = \tanh(W h_{t-1} + x_t$$" + LOSS + claim)[-1] == "proved"


@pytest.mark.slow
def test_a_product_of_thousands_of_factors_has_a_verdict(tmp_path: Path):
    claim = "$$y_t = V " + "W " * 3000 + "x_t$$"
    assert verdicts(tmp_path, HEAD + "$$h_t = W x_t$$" + LOSS + claim)[-1] in ("refuted", "undecided", "unreadable")


def test_what_stands_for_itself_is_undecided(tmp_path: Path):
    text = "---\nsymrnn:\n  symbols: {u: scalar, \\sigma: function sigmoid}\n  elided: {\\sigma: \\sigma_i u}\n---\n\n$$\\sigma_i = 1$$\n"
    assert verdicts(tmp_path, text) == ["undecided"]


def test_a_conflict_with_a_size_that_nothing_states_is_undecided(tmp_path: Path):
    text = r"""
$$h_t = \tanh(a_t)$$

$$W \in \mathbb{R}^{n \times n}$$

$$d_t = (1 - h_t^2) \odot (W^\top e_t)$$
"""
    assert verdicts(tmp_path, text)[-1] != "refuted"


@pytest.mark.parametrize("line", ["initial: zeor", "time_letter: [a]", "elided: [1, 2]", "elided: 3", "layout: up"])
def test_a_value_that_a_declaration_cannot_have_is_an_error_with_its_place(tmp_path: Path, line: str):
    path = tmp_path / "a.md"
    path.write_text(f"---\nsymrnn:\n  symbols: {{u: scalar}}\n  {line}\n---\n\n$$u = u$$\n")
    (failure,) = audit(path).failures
    assert "a.md:4" in str(failure)


def test_an_equation_that_is_not_causal_stops_nothing_else(tmp_path: Path):
    text = r"""
$$h_t = \tanh(W h_{t-1} + U x_t)$$

$$z = V h_T$$

$$\frac{\partial h_t}{\partial h_{t-1}} = \mathrm{diag}(1 - h_t^2) W$$

$$\frac{\partial h_t}{\partial h_{t-1}} = \mathrm{diag}(1 - h_t^2) U$$
"""
    found = verdicts(tmp_path, text)
    assert found[2] == "proved" and found[3] in ("refuted", "undecided")


RECURRENCE = r"""
Consider

$$q(n) = \tanh(A q(n-1) + B u(n) + c)$$

"""


@pytest.mark.parametrize("right", [r"\tanh(A q(n-1) + B u(n))", r"\tanh(A \tanh(A q(n-2) + B u(n-1)) + B u(n))"])
def test_what_follows_from_the_definition_once_the_bias_is_dropped_is_proved_under_that_condition(tmp_path: Path, right: str):
    path = tmp_path / "a.md"
    path.write_text(RECURRENCE + "We now ignore the bias. This gives\n\n" + f"$$q(n) = {right}$$\n")
    (document,) = audit(path, timeout=60).to_json()["documents"]
    assert [e["verdict"] for e in document["equations"]] == [None, "proved"]
    assert "c = 0" in document["equations"][1]["relations"][0]["conditions"]


def test_a_definition_put_into_itself_is_a_claim_and_a_wrong_one_is_another_network(tmp_path: Path):
    right = r"$$q(n) = \tanh(A \tanh(A q(n-2) + B u(n-1) + c) + B u(n) + c)$$"
    assert verdicts(tmp_path, RECURRENCE + right) == [None, "proved"]
    assert verdicts(tmp_path, RECURRENCE + right.replace("u(n-1)", "u(n)"))[1] != "proved"


def test_a_letter_may_be_a_size_in_one_place_and_count_components_in_another(tmp_path: Path):
    text = r"""
Here $z \in \mathbb{R}^k$.

$$p_i = \frac{e^{s_i}}{\sum_{j=1}^{n} e^{s_j}}$$

When $i = k$,

$$\frac{\partial p_i}{\partial s_k} = p_i (1 - p_i)$$

When $i \neq k$,

$$\frac{\partial p_i}{\partial s_k} = p_i p_k$$
"""
    assert verdicts(tmp_path, text)[-3::2] == ["proved", "refuted"]


def test_an_identity_of_hyperbolic_functions_and_exponentials_holds_entry_by_entry(tmp_path: Path):
    text = "---\nsymrnn:\n  symbols: {u: vector n}\n---\n\n$$\\tanh(u) = \\frac{e^u - e^{-u}}{e^u + e^{-u}}$$\n\n" \
           "$$\\tanh(u) = \\frac{e^u + e^{-u}}{e^u - e^{-u}}$$\n"
    assert verdicts(tmp_path, text) == ["proved", "refuted"]


LONG = r"""
$$s_t = \tanh(R s_{t-1} + P x_t + b)$$

$$o_t = Q s_t$$

$$L = \sum_{t=1}^{T} l(o_t, d_t)$$

"""


@pytest.mark.parametrize(("right", "verdict"), [
    (r"\sum_{t=1}^T \left( \frac{\partial s_t}{\partial R} \right)^\top \frac{\partial L}{\partial s_t}", "conditional"),
    (r"\sum_{t=1}^T \left( \frac{\partial L}{\partial s_t} \right)^\top \frac{\partial s_t}{\partial R}", "conditional"),
    (r"2 \sum_{t=1}^T \left( \frac{\partial s_t}{\partial R} \right)^\top \frac{\partial L}{\partial s_t}", "refuted"),
    (r"\sum_{t=1}^T \left( \frac{\partial s_t}{\partial s_{t-1}} \right)^\top \left( \frac{\partial s_{t-1}}{\partial R} \right)^\top"
     r" \frac{\partial L}{\partial s_t}", "refuted"),
    (r"\sum_{t=1}^T \frac{\partial L}{\partial s_t} \frac{\partial s_t}{\partial R}", "conditional")])        # gradients are rows
def test_a_product_with_a_derivative_by_a_matrix_is_read_as_one_by_a_long_vector(tmp_path: Path, right: str, verdict: str):
    assert verdicts(tmp_path, LONG + rf"$$\frac{{\partial L}}{{\partial R}} = {right}$$")[-1] == verdict


def test_a_rule_in_letters_of_its_own_is_proved_for_what_its_derivatives_connect(tmp_path: Path):
    rule = r"$$\frac{\partial w}{\partial x_i} = \sum_j \frac{\partial w}{\partial u_j} \frac{\partial u_j}{\partial x_i}$$"
    assert verdicts(tmp_path, LONG + rule)[-1] == "proved"
    assert verdicts(tmp_path, LONG + rule.replace("= ", "= 2 "))[-1] != "proved"


def test_an_update_rule_in_any_letters_is_meant_of_every_parameter(tmp_path: Path):
    rule = r"$$\Delta w_i = -\eta \frac{\partial E}{\partial w_i}$$" + "\n\n"
    change = r"$$\Delta Q = -\eta \sum_{t=1}^T \frac{\partial L}{\partial o_t} s_t^\top$$"
    assert verdicts(tmp_path, LONG + rule + change)[-1] == "proved"
    assert verdicts(tmp_path, LONG + rule + change.replace("-", "", 1))[-1] == "refuted"


def test_a_derivative_of_a_sum_says_what_the_loss_of_a_step_is(tmp_path: Path):
    text = r"""
$$s_t = \tanh(R s_{t-1} + P x_t)$$

$$o_t = Q s_t$$

$$q_i = \frac{e^{o_i}}{\sum_j e^{o_j}}$$

Here $p$ is a probability distribution.

$$L = \sum_t L_t$$

$$\frac{\partial L}{\partial o_i} = -\frac{\partial}{\partial o_i} \sum_j p_j \log q_j$$

$$\frac{\partial L}{\partial o_i} = q_i - p_i$$

$$\frac{\partial L}{\partial o_i} = p_i - q_i$$
"""
    assert verdicts(tmp_path, text)[-3:] == [None, "proved", "refuted"]


def test_words_below_a_weight_are_labels_also_of_letters_that_usually_count(tmp_path: Path):
    text = r"""
$$i_t = \mathrm{sigmoid}(W_{ii} x_t + b_{ii} + W_{hi} h_{t-1} + b_{hi})$$

$$h_t = i_t \odot \tanh(W_{rec} h_{t-1} + W_{in} x_t)$$

$$\frac{\partial h_t}{\partial i_t} = \mathrm{diag}(\tanh(W_{rec} h_{t-1} + W_{in} x_t))$$

$$\frac{\partial i_t}{\partial h_{t-1}} = \mathrm{diag}(i_t \odot (1 - i_t)) W_{hi}$$

$$\frac{\partial i_t}{\partial h_{t-1}} = \mathrm{diag}(i_t \odot (1 - i_t)) W_{hi}^\top$$
"""
    assert verdicts(tmp_path, text) == [None, None, "proved", "proved", "refuted"]


def test_a_condition_before_a_colon_restricts_what_follows(tmp_path: Path):
    text = r"""
$$p_k = \frac{e^{s_k}}{\sum_{l=1}^{n} e^{s_l}}$$

$$\text{if } i = j: \frac{\partial p_i}{\partial s_i} = p_i (1 - p_i)$$

$$\text{if } i \neq j: \frac{\partial p_i}{\partial s_j} = -p_i p_j$$

$$\text{if } i \neq j: \frac{\partial p_i}{\partial s_j} = p_i p_j$$
"""
    assert verdicts(tmp_path, text) == [None, "proved", "proved", "refuted"]


def test_a_transposition_may_stand_inside_the_bracket_of_a_time(tmp_path: Path):
    gradient = r"$$\frac{\partial L}{\partial Q} = \sum_{t=1}^{T} \frac{\partial L}{\partial o^{(t)}} s^{(t)^\top}$$"
    assert verdicts(tmp_path, TEXT + gradient)[-1] == "proved"
    assert verdicts(tmp_path, TEXT + gradient.replace("s^{(t)", "s^{(t-1)"))[-1] == "refuted"


def test_an_error_that_is_printed_again_or_used_names_the_first_one_as_its_cause(tmp_path: Path):
    wrong = r"R \sum_{t=1}^{T} \frac{\partial L}{\partial s_t} s_t^\top"
    text = LONG + rf"$$\frac{{\partial L}}{{\partial R}} = {wrong}$$" + "\n\n" + rf"$$\frac{{\partial L}}{{\partial R}} = 2 {wrong}$$"
    path = tmp_path / "a.md"
    path.write_text(text)
    first, second = audit(path, timeout=60).to_json()["documents"][0]["equations"][-2:]
    assert (first["verdict"], first["relations"][0]["cause"]) == ("refuted", None)
    assert (second["verdict"], second["relations"][0]["cause"]) == ("refuted", first["id"])


@pytest.mark.parametrize("letter", ["g", "f", r"\phi"])
def test_functions_that_are_told_apart_by_numbers_are_functions_wherever_they_stand(tmp_path: Path, letter: str):
    text = (f"$$h_t = {letter}_1(W h_{{t-1}} + U x_t + b)$$\n\n$$o_t = {letter}_2(V h_t)$$\n\nHere ${letter}_2 = 1$, and so "
            rf"$$\frac{{\partial h_t}}{{\partial h_{{t-1}}}} = \mathrm{{diag}}({letter}_1'(W h_{{t-1}} + U x_t + b)) W$$"
            "\n\nand not "
            rf"$$\frac{{\partial h_t}}{{\partial h_{{t-1}}}} = \mathrm{{diag}}({letter}_2'(W h_{{t-1}} + U x_t + b)) W$$")
    assert [v for v in verdicts(tmp_path, text) if v] == ["refuted", "proved", "refuted"]


NUMBERED = r"""
$$h_t = \tanh(W_1 h_{t-1} + U_1 x_t + b_1)$$

$$s_t = \tanh(W_2 s_{t-1} + U_2 h_t + b_2)$$

$$\frac{\partial s_t}{\partial h_t} = \mathrm{diag}(1 - s_t^2) U_2$$

$$\frac{\partial s_t}{\partial h_t} = -\mathrm{diag}(1 - s_t^2) U_2$$
"""


def test_weights_and_biases_that_only_a_number_tells_apart_are_symbols_of_their_own(tmp_path: Path):
    assert verdicts(tmp_path, NUMBERED) == [None, None, "proved", "refuted"]


def test_numbers_below_a_letter_with_several_equations_settle_nothing(tmp_path: Path):
    text = r"""
$$h_1 = \tanh(U x_1 + W h_0), \quad h_2 = \tanh(U x_2 + W h_1), \quad L = \frac12 \|h_2 - y\|^2$$

$$\frac{\partial L}{\partial h_1} = W ((1 - h_2^2) \odot (h_2 - y))$$

$$\frac{\partial h_2}{\partial h_1} = 0$$
"""
    assert verdicts(tmp_path, text) == ["undecided"] * 3


def test_a_loss_that_is_left_open_may_be_one_of_a_matrix_of_outputs(tmp_path: Path):
    text = r"""
$X_t \in \mathbb{R}^{n \times d}$, $H_t \in \mathbb{R}^{n \times h}$, $W_{hq} \in \mathbb{R}^{h \times q}$

$$H_t = \tanh(X_t W_{xh} + H_{t-1} W_{hh})$$

$$O_t = H_t W_{hq} + B$$

$$\frac{\partial L}{\partial W_{hq}} = \sum_t H_t^\top \frac{\partial L}{\partial O_t}$$

$$\frac{\partial L}{\partial W_{hq}} = \sum_t H_{t-1}^\top \frac{\partial L}{\partial O_t}$$

$$\frac{\partial L}{\partial H_t} = \frac{\partial L}{\partial O_t} W_{hq}^\top
+ \left((1 - H_{t+1}^2) \odot \frac{\partial L}{\partial H_{t+1}}\right) W_{hh}^\top$$

$$\frac{\partial L}{\partial H_t} = \frac{\partial L}{\partial O_t} W_{hq}^\top
+ \left((1 - H_{t+1}^2) \odot \frac{\partial L}{\partial H_{t+1}}\right) W_{hh}$$
"""
    assert [v for v in verdicts(tmp_path, text) if v] == ["proved", "refuted", "proved", "refuted"]


def test_a_probability_of_an_inner_product_is_a_number_and_so_is_what_is_added_to_it(tmp_path: Path):
    text = r"""
$x_t \in \mathbb{R}^d$, $h_t \in \mathbb{R}^m$

$$h_t = \tanh(R h_{t-1} + P x_t + b), \quad t = 1, \dots, n$$

The probability of a positive review is $p = \sigma(w^\top h_n + c)$ and the loss is

$$J = -y \log p - (1 - y) \log (1 - p)$$

$$\frac{\partial J}{\partial w} = (p - y) h_n$$

$$\frac{\partial J}{\partial c} = p - y$$

$$\frac{\partial J}{\partial h_n} = (y - p) w$$

$$\frac{\partial J}{\partial P} = \sum_{t=1}^n \left( (1 - h_t^2) \odot \frac{\partial J}{\partial h_t} \right) x_t^\top$$
"""
    assert [v for v in verdicts(tmp_path, text) if v] == ["proved", "proved", "refuted", "proved"]


def test_a_loss_has_a_derivative_by_a_number_too(tmp_path: Path):
    text = r"""
$$h_t = (1-\alpha) h_{t-1} + \alpha \tanh(W h_{t-1} + U x_t)$$

$$o_t = V h_t, \quad L = \sum_t \frac12 \|o_t - y_t\|^2$$

$$\frac{\partial L}{\partial \alpha} = \sum_t \left(\frac{\partial L}{\partial h_t}\right)^\top (\tanh(W h_{t-1} + U x_t) - h_{t-1})$$

$$\frac{\partial L}{\partial \alpha} = \sum_t \left(\frac{\partial L}{\partial h_t}\right)^\top (\tanh(W h_{t-1} + U x_t) + h_{t-1})$$
"""
    assert [v for v in verdicts(tmp_path, text) if v] == ["proved", "refuted"]


def test_an_indicator_of_the_class_is_a_component_of_its_one_hot_vector(tmp_path: Path):
    text = r"""
$$h_t = \tanh(W h_{t-1} + U x_t), \quad p_t = \mathrm{softmax}(V h_t), \quad L = -\sum_t \log p_{t,k_t}$$

$$\frac{\partial L}{\partial p_{t,i}} = -\frac{\mathbb{1}_{i = k_t}}{p_{t,i}}$$

$$\frac{\partial L}{\partial p_{t,i}} = \frac{\mathbf{1}[k_t = i]}{p_{t,i}}$$
"""
    assert [v for v in verdicts(tmp_path, text) if v] == ["proved", "refuted"]


def test_a_star_between_vectors_is_an_entrywise_product_and_capital_letters_may_be_vectors(tmp_path: Path):
    text = r"""
$$f_t = \sigma(W_f \cdot [h_{t-1}, x_t] + b_f)$$
$$i_t = \sigma(W_i \cdot [h_{t-1}, x_t] + b_i)$$
$$\tilde{C}_t = \tanh(W_C \cdot [h_{t-1}, x_t] + b_C)$$
$$C_t = f_t * C_{t-1} + i_t * \tilde{C}_t$$
$$o_t = \sigma(W_o \cdot [h_{t-1}, x_t] + b_o)$$
$$h_t = o_t * \tanh(C_t)$$

$$\frac{\partial L}{\partial f_t} = \frac{\partial L}{\partial C_t} * C_{t-1}$$
$$\frac{\partial L}{\partial i_t} = \frac{\partial L}{\partial C_t} * C_{t-1}$$
"""
    assert [v for v in verdicts(tmp_path, text) if v] == ["proved", "refuted"]


def test_a_missing_transpose_is_one_whatever_the_sizes_are_that_nothing_states(tmp_path: Path):
    text = r"""
$$z_t = W x_t + R h_{t-1}, \quad h_t = \tanh(z_t), \quad E = \sum_t \frac12 \|V h_t - d_t\|^2$$

$$\frac{\partial E}{\partial x_t} = W^\top \frac{\partial E}{\partial z_t}$$

$$\frac{\partial E}{\partial x_t} = W \frac{\partial E}{\partial z_t}$$
"""
    assert [v for v in verdicts(tmp_path, text) if v] == ["proved", "refuted"]


def test_a_letter_that_picks_components_may_be_a_class_or_its_vector_and_steps_may_have_another_letter(tmp_path: Path):
    text = r"""
The encoder is $h_i = \tanh(W h_{i-1} + U x_i)$ and the decoder starts from $s_0 = h_n$:

$$s_t = \tanh(A s_{t-1} + B y_{t-1}), \quad p_t = \operatorname{softmax}(C s_t), \quad L = -\sum_{t=1}^m \log p_{t, y_t}$$

$$\frac{\partial L}{\partial C} = \sum_{t=1}^m (p_t - y_t) s_t^\top$$
"""
    assert "refuted" not in verdicts(tmp_path, text)


def test_a_number_in_brackets_beside_the_step_tells_layers_apart(tmp_path: Path):
    text = r"""
$$h_t^{(1)} = \tanh(W^{(1)} h_{t-1}^{(1)} + U^{(1)} x_t)$$

$$h_t^{(2)} = \tanh(W^{(2)} h_{t-1}^{(2)} + U^{(2)} h_t^{(1)})$$

$$E = \sum_t \frac12 \|V h_t^{(2)} - y_t\|^2$$

$$\frac{\partial E}{\partial U^{(2)}}
= \sum_t \left( (1 - (h_t^{(2)})^2) \odot \frac{\partial E}{\partial h_t^{(2)}} \right) (h_t^{(1)})^\top$$

$$\frac{\partial E}{\partial U^{(2)}}
= \sum_t \left( (1 - (h_t^{(2)})^2) \odot \frac{\partial E}{\partial h_t^{(2)}} \right) (h_{t-1}^{(1)})^\top$$
"""
    assert [v for v in verdicts(tmp_path, text) if v] == ["proved", "refuted"]


def test_small_letters_are_numbers_where_the_text_says_that_the_network_is_one_of_numbers(tmp_path: Path):
    text = r"""
Consider the scalar network $h_t = \tanh(w h_{t-1} + u x_t)$, $y_t = v h_t$ with $E = \frac{1}{2} \sum_{t=1}^T (y_t - d_t)^2$.

$$\frac{\partial E}{\partial v} = \sum_{t=1}^T (y_t - d_t) h_t$$

$$\frac{\partial E}{\partial u} = \sum_{t=1}^T \frac{\partial E}{\partial h_t} (1 - h_t^2) x_t$$

$$\frac{\partial E}{\partial u} = \sum_{t=1}^T \frac{\partial E}{\partial h_t} (1 - h_t) x_t$$
"""
    assert [v for v in verdicts(tmp_path, text) if v] == ["proved", "proved", "refuted"]


def test_the_letter_of_functions_of_one_number_is_a_number(tmp_path: Path):
    text = r"""
$$h_t = \sigma(W h_{t-1} + U x_t)$$

The sigmoid satisfies $\sigma(z) = \frac{1}{1 + e^{-z}}$ and $\sigma'(z) = \sigma(z)(1 - \sigma(z))$, but not $\sigma'(z) = \sigma(z)^2$.
"""
    assert [v for v in verdicts(tmp_path, text) if v] == ["proved", "proved", "refuted"]


@pytest.mark.parametrize("state", [r"h^{(t)}{}^\top", r"{h^{(t)}}^\top", r"(h^{(t)})^{\mathsf T}", r"{h^{(t)}}^{\!\top}"])
def test_empty_braces_between_two_scripts_and_thin_spaces_show_nothing(tmp_path: Path, state: str):
    text = r"$$h^{(t)} = \tanh(W h^{(t-1)} + U x^{(t)}), \quad o^{(t)} = V h^{(t)}$$" + "\n\n" + (
        rf"$$\nabla_V L = \sum_t (\nabla_{{o^{{(t)}}}} L) {state}$$" + "\n")
    assert [v for v in verdicts(tmp_path, text) if v] == ["proved"]


ROWS = r"""
$$h_t = \tanh(W h_{t-1} + U x_t), \quad o_t = V h_t, \quad L = \sum_t \ell(o_t, y_t)$$

$$\frac{\partial L}{\partial W} = \sum_{t=1}^T \frac{\partial L}{\partial h_t} \frac{\partial^+ h_t}{\partial W}$$

$$\frac{\partial L}{\partial W}
= \sum_{t=1}^T \frac{\partial \ell_t}{\partial o_t} \frac{\partial o_t}{\partial h_t} \frac{\partial^+ h_t}{\partial W}$$
"""


def test_a_chain_rule_through_a_matrix_may_have_gradients_as_rows_where_no_gradient_is_a_column(tmp_path: Path):
    assert [v for v in verdicts(tmp_path, ROWS) if v] == ["conditional", "refuted"]
    column = r"""
$$\frac{\partial L}{\partial h_T} = V^\top \frac{\partial L}{\partial o_T}$$
"""
    assert [v for v in verdicts(tmp_path, ROWS + column) if v] == ["undecided", "refuted", "proved"]
    turned = ROWS.replace(r"\frac{\partial L}{\partial h_t} \frac{\partial^+ h_t}{\partial W}",
                          r"\frac{\partial^+ h_t}{\partial W} \frac{\partial L}{\partial h_t}")
    assert [v for v in verdicts(tmp_path, turned) if v] == ["undecided", "refuted"]
