"""Verdicts that were once false: each test is a claim whose truth was decided by hand."""
from __future__ import annotations

from pathlib import Path

import pytest

import symrnn
from symrnn.audit import audit_document

SCALARS = {"u": "scalar", "v": "scalar"}
VECTORS = {"b": "vector n", "i": "index", "k": "index"}
RECURRENT = r"$$ h_t = w h_{t-1} + x_t, \qquad \ell_t = (h_t - y_t)^2, \qquad L = \sum_{t=1}^{T} \ell_t $$"
HEAD = """---
symrnn:
  symbols: {h: "scalar, sequence", x: "scalar, sequence", g: "scalar, sequence", y: "scalar, sequence", w: scalar, v: scalar}
  targets: [y]
  loss: \\ell_t
  total: L
---
"""


def verdict(claim: str, **more: object) -> str | None:
    return symrnn.check(claim, **more).verdict                       # type: ignore[no-any-return]


def words(folder: Path, *formulas: str, head: str = HEAD) -> list[str | None]:
    """The verdicts of the equations of a document, one span each."""
    path = folder / "text.md"
    path.write_text(head + "\n" + "\n\n".join(f if f.startswith(("$$", "```")) else f"$$ {f} $$" for f in formulas))
    return [e.verdict for e in audit_document(path).equations]


# ------------------------------------------------------------------------------------------------------------------ derivatives
def test_what_one_reading_of_a_derivative_leaves_open_is_not_refuted_by_the_other(tmp_path: Path) -> None:
    assert words(tmp_path, RECURRENT, r"\frac{\partial L}{\partial w} = \sum_t \frac{\partial \ell_t}{\partial w}")[-1] == "proved"


def test_a_number_that_is_a_parameter_has_an_immediate_derivative_too(tmp_path: Path) -> None:
    found = words(tmp_path, RECURRENT, r"\frac{\partial h_t}{\partial w} = h_{t-1}", r"\frac{\partial h_t}{\partial w} = h_t")
    assert found[-2:] == ["conditional", "refuted"]


def test_beside_a_partial_derivative_the_other_sign_means_the_total_one(tmp_path: Path) -> None:
    found = words(tmp_path, RECURRENT, r"\frac{\partial L}{\partial w} = \sum_t \frac{\partial L}{\partial h_t} \frac{d h_t}{d w}")
    assert found[-1] == "refuted"


# ------------------------------------------------------------------------------------------------------------- nothing is claimed
@pytest.mark.parametrize(("claim", "assume"), [
    (r"b_i = 7", ["b = 0", r"\sum_i b_i = 1"]), (r"b_i = b_k", ["i = k", r"i \ne k"])])
def test_conditions_that_contradict_each_other_prove_nothing(claim: str, assume: list[str]) -> None:
    assert verdict(claim, shapes=VECTORS, assume=assume) == "undecided"


@pytest.mark.parametrize("claim", [
    r"\frac{0}{0} = 1", r"\frac{u}{0} = \frac{u}{0}", r"\frac{u-u}{u-u} = 1", r"\log(u-u) = 1", r"\log(-1) = \log(-1)",
    r"\log(0) = 1", r"\frac{1}{0} = \frac{1}{0}"])
def test_what_is_defined_nowhere_is_undecided(claim: str) -> None:
    assert verdict(claim, shapes=SCALARS) == "undecided"


def test_a_correction_that_loses_its_place_is_given_up() -> None:
    assert verdict(r"f'(u) = f(u)(1 - f(u))", shapes={"u": "scalar", "f": "function"}) == "refuted"


# ------------------------------------------------------------------------------------------------------ conditions and ranges
@pytest.mark.parametrize(("claim", "assumed"), [
    (r"b_2 = 0", r"b_1 = 0"), (r"b_i = 0", r"b_1 = 0"), (r"\sum_k b_k = 1", r"\sum_{k=2}^{n} b_k = 1"),
    (r"\sum_k b_k = 1", r"\sum_{k \ne i} b_k = 1"), (r"\sum_k b_k = 1", r"\sum_k b_k^2 = 1"),
    (r"\sum_k y_{t,k} = 1", r"\sum_t y_t = 1"), (r"\sum_k y_{t,k} = 1", r"\sum_k y_{1,k} = 1"), ("y_t = 0", "y_{t,1} = 0"),
    ("y_t = 0", "y_1 = 0"), (r"W_{ik} = 0", r"W_{12} = 0"), (r"\sum_k W_{ik} = 1", r"\sum_i W_{ik} = 1")])
def test_a_condition_on_a_part_is_none_on_the_whole(claim: str, assumed: str) -> None:
    shapes = {**VECTORS, "y": "vector n, sequence", "W": "matrix n n"}
    assert verdict(claim, shapes=shapes, assume=[assumed]) in ("undecided", "refuted")


def test_two_numbers_that_are_set_equal_are_not_two_indices() -> None:
    assert verdict("u^2 = v^2", shapes=SCALARS, assume=["u = v"]) == "undecided"


@pytest.mark.parametrize(("claim", "expected"), [
    (r"u^2 = v^2 \quad \text{if } u = v", "undecided"), (r"\mathrm{ReLU}(u) = u \quad \text{for } u > 0", "undecided"),
    (r"u^2 = v^2, \quad i = 1, \dots, n", "refuted"), (r"b_i = b_k, \quad i = k", "proved"),
    (r"b_i = 2 b_k, \quad i \ne k", "refuted"), (r"u^2 = v^2 \quad \text{for } i \in \{2, \dots, n\}", "undecided"),
    (r"u v = v u \quad \text{if } u > 0", "proved")])
def test_a_printed_condition_is_not_ignored(claim: str, expected: str) -> None:
    assert verdict(claim, shapes={**SCALARS, **VECTORS}) == expected


@pytest.mark.parametrize("condition", [
    "t > 1", r"t \ge 2", "t = T", "t < 5", r"t = 2, \dots, T", r"t = 1, \dots, 5", "x_t > 0", "x_t = 0"])
def test_an_equation_for_some_steps_defines_nothing_at_the_others(tmp_path: Path, condition: str) -> None:
    assert words(tmp_path, rf"g_t = h_t \quad \text{{if }} {condition}", "g_1 = h_1") == ["undecided", "undecided"]


@pytest.mark.parametrize("condition", [
    r"t = 1, \dots, T", r"t \ge 1", "t > 0", r"1 \le t \le T", r"t = 1, 2, \dots", r"t \in \{1, \dots, T\}", "x_0 = 0",
    r"v \in \mathbb{R}"])
def test_an_equation_for_all_steps_is_a_definition(tmp_path: Path, condition: str) -> None:
    assert words(tmp_path, rf"g_t = h_t, \quad \text{{where }} {condition}", "g_1 = h_1") == [None, "proved"]


@pytest.mark.parametrize("total", [
    r"\sum_{t=2}^{T} \ell_t", r"\sum_{t=1}^{T-1} \ell_t", r"\sum_{t=0}^{T} \ell_t", r"\sum_{t \ne 1} \ell_t"])
def test_a_total_over_some_of_the_steps_is_no_total(tmp_path: Path, total: str) -> None:
    head = HEAD.replace("  total: L\n", "").replace("  loss: \\ell_t\n", "")
    found = words(tmp_path, r"h_t = w h_{t-1}, \qquad \ell_t = h_t^2", f"L = {total}",
                  r"\frac{\partial L}{\partial h_t} = 2 h_t + w \frac{\partial L}{\partial h_{t+1}}", head=head)
    assert found[-1] == "undecided"


def test_a_given_total_over_some_of_the_steps_is_not_taken_for_all() -> None:
    given = ["h_t = w h_{t-1}", r"\ell_t = h_t^2", r"L = \sum_{t=2}^{T} \ell_t"]
    claim = r"\frac{\partial L}{\partial h_t} = 2 h_t + w \frac{\partial L}{\partial h_{t+1}}"
    assert verdict(claim, given=given, shapes={"h": "scalar, sequence", "w": "scalar"}) == "undecided"


# ------------------------------------------------------------------------------------------------------------------ the loss
def test_a_symbol_with_the_name_of_the_loss_is_not_the_loss(tmp_path: Path) -> None:
    head = HEAD.replace("total: L", "total: J").replace("w: scalar", "w: scalar, L: scalar, loss: scalar")
    found = words(tmp_path, r"h_t = w h_{t-1}, \qquad \ell_t = h_t^2", r"J = \sum_{t=1}^{T} \ell_t", "L = J",
                  r"\frac{\partial J}{\partial L} = 1", r"\ell_t = loss", head=head)
    assert found == [None, None, "undecided", "undecided", "undecided"]


def test_a_loss_that_was_not_understood_is_not_made_an_open_one(tmp_path: Path) -> None:
    found = words(tmp_path, "h_t = w h_{t-1}", r"\ell_t = \max(h_t, v)",
                  r"\frac{\partial L}{\partial h_t} = 2 h_t + w \frac{\partial L}{\partial h_{t+1}}",
                  r"\frac{\partial L}{\partial h_t} = w \frac{\partial L}{\partial h_{t+1}}")
    assert found == [None, "undecided", "undecided", "undecided"]


def test_a_loss_that_is_never_written_refutes_no_formula_of_it(tmp_path: Path) -> None:
    found = words(tmp_path, "h_t = w h_{t-1}", r"\frac{\partial L}{\partial h_T} = h_T - y_T",
                  r"\frac{\partial L}{\partial h_t} = \frac{\partial \ell_t}{\partial h_t} + v \frac{\partial L}{\partial h_{t+1}}")
    assert found == [None, "undecided", "refuted"]


def test_a_sum_to_the_last_step_is_no_definition_at_a_step(tmp_path: Path) -> None:
    assert words(tmp_path, "h_t = w h_{t-1} + g_{t-1}", r"g_t = \sum_{s=1}^{T} h_s", "g_1 = g_2") == [None, "undecided", "undecided"]


def test_an_open_loss_summed_over_some_of_the_steps_is_no_total() -> None:
    claim = r"\frac{\partial L}{\partial h_1} = f'(h_1) + w \frac{\partial L}{\partial h_2}"
    given = ["h_t = w h_{t-1}", r"L = \sum_{t=2}^{T} f(h_t)"]
    assert verdict(claim, given=given, shapes={"h": "scalar, sequence", "w": "scalar", "f": "function"}) == "undecided"


# ------------------------------------------------------------------------------------------------------------------ sizes
@pytest.mark.parametrize("claim", ["a = a^\\top", "a^\\top b = a b^\\top", "a b = b a", "A a = a A", "a b^\\top = b^\\top a"])
def test_what_fits_for_single_entries_only_is_not_proved(claim: str) -> None:
    assert verdict(claim, shapes={"a, b": "vector", "A": "matrix"}) in ("conditional", "refuted", "undecided")


def test_letters_that_nobody_declares_may_be_numbers() -> None:
    assert verdict("(u + v)^2 = u^2 + 2 u v + v^2") == "proved"
    assert verdict(r"x y = y x") in ("proved", "conditional")


@pytest.mark.parametrize("claim", [r"x x^\top = x^\top x", r"A (x \odot y) = (A x) \odot y", "A x = x A", "(A + B) (A - B) = A^2 - B^2"])
def test_letters_that_are_printed_like_arrays_are_no_numbers(claim: str) -> None:
    assert verdict(claim) == "undecided"


# ------------------------------------------------------------------------------------------------------- what is not declared
TOTAL = ["h_t = w h_{t-1} + x_t", r"\ell_t = (h_t - y_t)^2", r"L = \sum_{t=1}^{T} \ell_t"]
SEQUENCES = {"h, x, y": "scalar, sequence", "w": "scalar"}


def test_the_loss_of_the_last_step_is_no_symbol_of_its_own() -> None:
    assert verdict(r"L = \ell_T + \sum_{t=1}^{T-1} \ell_t", given=TOTAL, shapes=SEQUENCES) in ("proved", "agrees")


def test_another_letter_is_not_the_last_step() -> None:
    assert verdict(r"L = \sum_{t=1}^{N} \ell_t", given=TOTAL, shapes=SEQUENCES) == "undecided"


# ------------------------------------------------------------------------------------------------------- numbers beside letters
@pytest.mark.parametrize("claim", [r"b_1 + b_2 = \sum_i b_i", r"b_1^2 + b_2^2 + b_3^2 = b^\top b"])
def test_the_components_that_are_printed_are_not_all_there_are(claim: str) -> None:
    assert verdict(claim, shapes=VECTORS) == "refuted"


@pytest.mark.parametrize("claim", [
    r"L = \ell_1 + \ell_2 + \ell_3 + \ell_4", r"\frac{\partial L}{\partial h_4} = 2 (h_4 - y_4)", "h_{T-3} = h_1"])
def test_the_steps_that_are_printed_are_not_all_there_are(claim: str) -> None:
    assert verdict(claim, given=TOTAL, shapes=SEQUENCES) in ("refuted", "undecided")


# ------------------------------------------------------------------------------------------------------- what a claim implies
def test_a_chain_rule_holds_only_if_there_is_no_other_path() -> None:
    shapes = {"z": "vector p", "y": "vector m", "x": "vector n"}
    assert verdict(r"\frac{dz}{dx} = \frac{\partial z}{\partial y} \frac{dy}{dx}", shapes=shapes) == "conditional"
    assert verdict(r"\frac{dz}{dx} = \frac{dy}{dx} \frac{\partial z}{\partial y}", shapes=shapes) == "refuted"


def test_an_identity_of_unknown_size_decides_nothing() -> None:
    assert verdict(r"\delta_{ij} = 1", shapes={"i": "index", "j": "index"}) == "undecided"


# --------------------------------------------------------------------------------------------------------- chains, formulas, words
def test_a_derivative_means_one_thing_in_a_chain(tmp_path: Path) -> None:
    claim = r"\frac{\partial L}{\partial w} = \sum_t \frac{\partial \ell_t}{\partial w} = \sum_t 2 (h_t - y_t) h_{t-1}"
    assert words(tmp_path, RECURRENT, claim)[-1] == "refuted"


def test_the_argument_of_a_formula_does_not_catch_its_letters(tmp_path: Path) -> None:
    head = HEAD.replace("w: scalar", "w: scalar, f: function")
    found = words(tmp_path, "f(z) = z^2 + v", "f'(v) = 2 v + 1", "f'(v) = 2 v", "f'(w) = 2 w", head=head)
    assert found == [None, "undecided", "undecided", "proved"]


def test_a_formula_for_some_arguments_is_no_definition(tmp_path: Path) -> None:
    head = HEAD.replace("w: scalar", "w: scalar, f: function")
    assert words(tmp_path, r"f(z) = z^2 \quad \text{for } z > 0", "f(v)^2 = v^4", head=head) == ["undecided", "refuted"]


@pytest.mark.parametrize("claim", ["2 h_t = h_t", r"\frac{\partial L}{\partial h_t} = \frac{\partial L}{\partial h_t} + 1"])
def test_that_a_side_equals_itself_is_no_correction(tmp_path: Path, claim: str) -> None:
    (tmp_path / "text.md").write_text(f"{HEAD}\n{RECURRENT}\n\n$$ {claim} $$")
    equation = audit_document(tmp_path / "text.md").equations[-1]
    assert (equation.verdict, equation.fix) == ("refuted", None)


def test_an_implication_claims_neither_its_premise_nor_what_rests_on_it(tmp_path: Path) -> None:
    found = words(tmp_path, RECURRENT, r"h_t = v \Rightarrow h_t^2 = v^2", r"v = 2 \Rightarrow v^2 = 4", "v = 2 w",
                  r"h_t = w h_{t-1} + x_t \Rightarrow h_t + x_t = w h_{t-1}")
    assert found[1:] == ["undecided", "undecided", None, "refuted"]


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\sigma'(u) = \sigma(u) (1 - \sigma(u))", "undecided"), (r"\sigma(-u) = 1 - \sigma(u)", "undecided"),
    (r"\sigma'(u) = \sigma(u) (1 + \sigma(u))", "refuted"), ("f(u) = u^2", "undecided"), ("f(u) = f(u)^2", "refuted")])
def test_a_function_that_nobody_declares_is_not_any_function(claim: str, expected: str) -> None:
    assert verdict(claim, shapes=SCALARS) == expected


# ------------------------------------------------------------------------------------------------------------- the first step
@pytest.mark.parametrize("text", [r"h_t = w h_{t-1} + x_t, \qquad h_0 = 0", r"h_t = w h_{t-1} + x_t \quad \text{with } h_0 = 0"])
def test_a_printed_initial_value_is_no_claim_and_holds(tmp_path: Path, text: str) -> None:
    assert words(tmp_path, text, "h_1 = x_1", "h_0 = v", "h_2 = x_2") == [None, "proved", "refuted", "refuted"]


def test_the_state_before_the_first_step_is_given(tmp_path: Path) -> None:
    assert words(tmp_path, "h_t = w h_{t-1} + x_t", "h_0 = v", "h_1 = x_1") == [None, "undecided", "refuted"]


def test_a_sum_over_the_steps_so_far_defines_nothing_and_stops_nothing(tmp_path: Path) -> None:
    assert words(tmp_path, "h_t = w h_{t-1}", r"g_t = \sum_{s=1}^{t} h_s", "g_t = g_{t-1} + h_t", "h_1 = w h_0") == [
        None, "undecided", "undecided", "proved"]


# ------------------------------------------------------------------------------------------------- documents that declare nothing
CLASSES = r"$$ q_t = \tanh(A q_{t-1} + B u_t + d) $$ $$ z_t = C q_t $$ $$ p_t = \mathrm{softmax}(z_t) $$"
ENTROPY = CLASSES + r" $$ J_t = -\sum_k r_{t,k} \log p_{t,k}, \qquad J = \sum_{t=1}^{T} J_t $$"
GRADIENT = r"\frac{\partial J}{\partial z_t} = p_t - r_t"


def undeclared(folder: Path, text: str, *claims: str) -> list[str | None]:
    """The verdicts of the last equations of a document without declarations; nothing before them is refuted."""
    path = folder / "text.md"
    path.write_text("\n\n".join([text.replace("$$ $$", "$$\n\n$$"), *(f"$$ {c} $$" for c in claims)]) + "\n")
    found = [e.verdict for e in audit_document(path).equations]
    assert not claims or "refuted" not in found[: -len(claims)]
    return found[-len(claims):]


@pytest.mark.parametrize(("words", "expected"), [
    ("where $r_t$ is one-hot.", "proved"), ("Each target $r_t$ is a one-hot vector.", "proved"), ("", "conditional"),
    ("The targets are one-hot vectors.", "conditional"), ("Here $r_t$ is not one-hot.", "conditional"),
    ("The input $u_t$ is one-hot.", "conditional"), ("Here $p_t$ is a distribution, and $r_t$ is one-hot.", "proved")])
def test_a_target_of_a_cross_entropy_sums_to_one_where_the_text_says_so_and_else_under_that_condition(
        tmp_path: Path, words: str, expected: str) -> None:
    assert undeclared(tmp_path, ENTROPY + "\n\n" + words, GRADIENT) == [expected]


@pytest.mark.parametrize("claim", [r"\frac{\partial J}{\partial z_t} = r_t - p_t", r"\frac{\partial J}{\partial z_t} = p_t",
                                   r"\frac{\partial J}{\partial p_t} = p_t - r_t",
                                   r"\frac{\partial J}{\partial C} = \sum_t (p_t - r_t) q_{t-1}^\top"])
def test_a_wrong_gradient_of_a_cross_entropy_stays_refuted(tmp_path: Path, claim: str) -> None:
    assert undeclared(tmp_path, ENTROPY, claim) == ["refuted"]


@pytest.mark.parametrize("words", ["We do not drop the bias.", "Networks without biases are rarely used.", "The biases are never omitted."])
def test_a_sentence_that_denies_it_drops_no_bias(tmp_path: Path, words: str) -> None:
    text = r"$$ q_t = \tanh(A q_{t-1} + B u_t + d) $$" + f"\n\n{words}"
    claim = r"\frac{\partial q_t}{\partial u_t} = \mathrm{diag}(1 - \tanh^2(A q_{t-1} + B u_t)) B"
    assert undeclared(tmp_path, text, claim) == ["refuted"]


def test_the_equation_of_a_loss_that_is_not_taken_as_its_definition_is_not_refuted(tmp_path: Path) -> None:
    text = r"$$ q_t = \tanh(A q_{t-1} + B u_t) $$ $$ v = C q_T $$"
    claims = r"J = \frac12 \| v - r \|^2 + \frac12 \| q_0 \|^2", r"\frac{\partial J}{\partial C} = (v - r) q_T^\top"
    assert "refuted" not in undeclared(tmp_path, text, *claims)


def test_a_letter_with_a_number_below_is_not_known_to_be_a_component(tmp_path: Path) -> None:
    text = r"$$ q_t = \tanh(A q_{t-1} + B u_t) $$ $$ v_t = C q_t $$"
    assert undeclared(tmp_path, text, r"J = \| v_1 - r_1 \|^2") == ["undecided"]


def test_a_capital_letter_before_a_bracket_is_a_weight_if_it_is_transposed_or_differentiated_by(tmp_path: Path) -> None:
    text = r"$$ g_t = \sigma(W_g u_t + R_g q_{t-1}) $$ $$ a_t = \tanh(W u_t + R (g_t \odot q_{t-1})) $$ $$ q_t = a_t + q_{t-1} $$"
    found = undeclared(tmp_path, text, *(
        r"\frac{\partial J}{\partial R} = \sum_t \left(\frac{\partial J}{\partial a_t} \odot (1 - a_t^2)\right) (g_t \odot q_{t-1})^\top",
        r"\frac{\partial J}{\partial g_t} = q_{t-1} \odot R^\top \left(\frac{\partial J}{\partial a_t} \odot (1 - a_t^2)\right)",
        r"\frac{\partial J}{\partial g_t} = q_{t-1} \odot R \left(\frac{\partial J}{\partial a_t} \odot (1 - a_t^2)\right)"))
    assert found == ["proved", "proved", "refuted"]


READOUT = r"$$ q_t = \tanh(A q_{t-1} + B u_t + b) $$ $$ v_t = C q_t + c $$"


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\frac{\partial q}{\partial u} = \frac{\partial q}{\partial v} \frac{\partial v}{\partial u}", ("undecided",)),
    (r"\frac{\partial u}{\partial q} = \frac{\partial u}{\partial v} \frac{\partial v}{\partial q}", ("undecided",)),
    (r"\frac{\partial v}{\partial u} = \frac{\partial v}{\partial q} \frac{\partial q}{\partial u}", ("proved", "conditional"))])
def test_a_rule_in_the_letters_of_the_network_follows_its_dependencies(tmp_path: Path, claim: str, expected: tuple[str, ...]) -> None:
    assert undeclared(tmp_path, READOUT, claim)[0] in expected


def test_an_output_that_is_only_differentiated_is_no_number_where_products_with_matrices_compute_it(tmp_path: Path) -> None:
    assert undeclared(tmp_path, READOUT, r"\frac{\partial v_t}{\partial A} = C \frac{\partial q_t}{\partial A}")[0] != "refuted"


def test_what_fails_at_the_first_step_only_is_not_refuted_where_one_state_follows_from_another(tmp_path: Path) -> None:
    text = r"$$ s_t = A q_{t-1} + M s_{t-1} + B u_t $$ $$ q_t = \tanh(s_t) $$"
    right = r"\frac{\partial s_t}{\partial s_{t-1}} = M + A \, \mathrm{diag}(1 - q_{t-1}^2)"
    wrong = right.replace("q_{t-1}^2", "q_t^2")
    assert undeclared(tmp_path, text, right) == ["undecided"]
    assert undeclared(tmp_path, text, wrong) == ["refuted"]


def test_an_output_whose_loss_is_the_square_of_one_number_may_be_one_number(tmp_path: Path) -> None:
    text = r"$$ q_t = A q_{t-1} + B u_t $$ $$ v_t = C^\top q_t $$"
    claims = (r"J_t = \frac12 (v_t - r_t)^2", r"J = \sum_{t=1}^{T} J_t", r"\frac{\partial J}{\partial C} = \sum_{t=1}^{T} (v_t - r_t) q_t",
              r"\frac{\partial J}{\partial q_t} = (v_t - r_t) C + A^\top \frac{\partial J}{\partial q_{t+1}}")
    assert "refuted" not in undeclared(tmp_path, text, *claims)
    assert undeclared(tmp_path, text, r"q_t = v_t q_{t-1} u_t") != ["proved"]


@pytest.mark.parametrize("claim", [r"\frac{\partial J}{\partial C} = \sum_{t=1}^{T} q_t (v_t - r_t)^\top",
                                   r"\frac{\partial J}{\partial C} = \sum_{t=1}^{T} (v_t - r_t) q_t^\top"])
def test_a_state_before_a_bracket_makes_no_matrix_of_what_stands_in_it(tmp_path: Path, claim: str) -> None:
    text = READOUT + r" $$ J = \frac12 \sum_{t=1}^{T} \| v_t - r_t \|^2 $$"
    assert undeclared(tmp_path, text, claim)[0] in (("proved",) if claim.endswith(r"q_t^\top") else ("refuted", "undecided"))


@pytest.mark.parametrize("last", ["T", "N", r"\tau"])
def test_the_last_step_has_any_usual_letter_also_where_no_sum_ends_at_it(tmp_path: Path, last: str) -> None:
    text = r"$$ q_t = \tanh(A q_{t-1} + B u_t) $$ $$ p = \mathrm{softmax}(C q_@) $$ $$ J = -\sum_k r_k \log p_k $$".replace("@", last)
    claims = (r"\frac{\partial J}{\partial q_@} = C^\top (p - r)", r"\frac{\partial J}{\partial q_@} = C^\top (r - p)",
              r"\frac{\partial J}{\partial q_t} = A^\top \left((1 - q_{t+1}^2) \odot \frac{\partial J}{\partial q_{t+1}}\right)")
    found = undeclared(tmp_path, text, *(c.replace("@", last) for c in claims))
    assert found[0] in ("conditional", "undecided") and found[1:] == ["refuted", "proved"]


def test_the_equation_of_a_component_of_what_nothing_else_defines_is_not_refuted(tmp_path: Path) -> None:
    text = r"$$ q_j(t) = \tanh\left( \sum_i w_{ji} q_i(t-1) + \sum_m b_{jm} u_m(t) \right) $$ $$ v_k(t) = \sum_j c_{kj} q_j(t) $$"
    assert "refuted" not in undeclared(tmp_path, text, r"J = \frac12 \sum_t \sum_k (v_k(t) - r_k(t))^2")


@pytest.mark.parametrize("formula", [r"\frac{1}{1 + e^{-z}}", r"\log(1 + e^z)", r"z \tanh(z)", r"\frac{e^z - e^{-z}}{e^z + e^{-z}}"])
def test_a_function_that_a_text_gives_by_a_formula_is_applied_to_every_entry(tmp_path: Path, formula: str) -> None:
    text = rf"Let $\phi(z) = {formula}$." + "\n\n" + r"$$ q_t = \phi(A q_{t-1} + B u_t) $$ $$ v_t = C q_t $$"
    claims = r"\frac{\partial J}{\partial q_t} = C^\top \frac{\partial J}{\partial v_t}", r"\frac{\partial v_t}{\partial q_t} = C"
    found = undeclared(tmp_path, text, *claims)
    assert found[0] in ("refuted", "undecided") and found[1] == "proved"


def test_its_slope_is_that_of_the_formula(tmp_path: Path) -> None:
    text = r"Let $\phi(z) = \frac{1}{1 + e^{-z}}$." + "\n\n" + r"$$ q_t = \phi(A q_{t-1} + B u_t) $$"
    right = r"\frac{\partial q_t}{\partial q_{t-1}} = \mathrm{diag}(q_t \odot (1 - q_t)) A"
    wrong = (r"\frac{\partial q_t}{\partial q_{t-1}} = \mathrm{diag}(1 - q_t^2) A", r"\frac{\partial q_t}{\partial q_{t-1}} = A")
    assert undeclared(tmp_path, text, right, *wrong) == ["proved", "refuted", "refuted"]


def test_a_network_without_a_letter_of_a_matrix_may_be_a_single_unit(tmp_path: Path) -> None:
    text = r"$$ q_t = \tanh(w q_{t-1} + u x_t) $$ $$ v_t = m q_t $$ $$ J_t = \frac12 (v_t - r_t)^2, \qquad J = \sum_{t=1}^{T} J_t $$"
    for claim in (r"\frac{\partial J}{\partial m} = \sum_t (v_t - r_t) q_t",
                  r"\frac{\partial q_t}{\partial q_k} = \prod_{i=k+1}^{t} w (1 - q_i^2)",
                  r"\frac{\partial J}{\partial w} = \sum_t \frac{\partial J}{\partial q_t} (1 - q_t^2) q_{t-1}"):
        assert undeclared(tmp_path, text, claim)[0] not in ("refuted", "agrees")


def test_a_formula_that_is_printed_again_where_other_words_stand_before_it_is_judged_again(tmp_path: Path) -> None:
    rule = r"\frac{\partial J}{\partial C} = \frac{\partial J}{\partial v} \frac{\partial v}{\partial C}"
    far = "\n\nNow we are back at the network in full, with all of its layers and every weight.\n\n" * 30
    text = READOUT.replace("$$ $$", "$$\n\n$$") + f"\n\nTake only one neuron. Then\n\n$$ {rule} $$" + far
    path = tmp_path / "text.md"
    path.write_text(f"{text}\n\n$$ {rule} $$\n\nTake only one neuron. Then\n\n$$ "
                    + r"\frac{\partial q}{\partial u} = \frac{\partial q}{\partial v} \frac{\partial v}{\partial u} $$")
    *_, first, second, third = (e.verdict for e in audit_document(path).equations)
    assert (first, second, third) == ("proved", "undecided", "undecided")


def test_the_correction_of_a_transposed_product_is_a_product_that_people_write():
    found = symrnn.check(r"\frac{\partial h_t}{\partial h_{t-1}} = W^T \mathrm{diag}(1 - h_t^2)", given=[r"h_t = \tanh(W h_{t-1})"],
                        shapes={"h_t": "n", "W": "n x n"})
    fix = found.equation.relations[0].verdict.fix
    assert fix is not None and fix.verdict == "proved" and fix.latex.endswith(r"= \mathrm{diag}(1 - h_t^2) W")
