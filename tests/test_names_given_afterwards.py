r"""Names that a text gives to what its equations already have: pre-activations, gradients with factors, blocks, matrices of steps."""
from __future__ import annotations

from pathlib import Path

import pytest

from symrnn.api import audit

NETWORK = "$$ h_t = \\tanh(W h_{t-1} + U x_t + b), \\qquad o_t = V h_t $$\n\n"
PRE = r"Let $a_t = W h_{t-1} + U x_t + b$ be the pre-activation and $\delta_t = \frac{\partial L}{\partial a_t}$." + "\n\n"
SCALED = r"With $\delta_t = \frac{\partial L}{\partial h_t} \odot (1 - h_t^2)$:" + "\n\n"
BY_NAME = (r"Write $g_t = \frac{\partial L}{\partial h_t}$ and $\delta_t = g_t \odot (1 - h_t^2)$." + "\n\n")


def verdicts(tmp_path: Path, text: str) -> list[str]:
    """The verdicts on the relations of a text that have one."""
    path = tmp_path / "a.md"
    path.write_text(text, encoding="utf-8")
    (document,) = audit(path).documents
    return [r.verdict.word for e in document.equations for r in e.relations if r.verdict.word]


@pytest.mark.parametrize("named", [PRE, SCALED, BY_NAME])
@pytest.mark.parametrize(("claim", "expected"), [
    (r"\frac{\partial L}{\partial W} = \sum_t \delta_t h_{t-1}^\top", "proved"),
    (r"\frac{\partial L}{\partial W} = \sum_t \delta_t h_t^\top", "refuted"),
    (r"\frac{\partial L}{\partial h_t} = V^\top \frac{\partial L}{\partial o_t} + W^\top \delta_{t+1}", "proved"),
    (r"\frac{\partial L}{\partial h_t} = V^\top \frac{\partial L}{\partial o_t} + W \delta_{t+1}", "refuted"),
])
def test_delta_stands_for_its_gradient_however_the_text_names_it(tmp_path: Path, named: str, claim: str, expected: str) -> None:
    assert verdicts(tmp_path, f"{NETWORK}{named}$$ {claim} $$\n") == [expected]


def test_a_quantity_beside_the_network_changes_no_gradient_of_an_open_loss(tmp_path: Path) -> None:
    text = NETWORK + r"Let $m_t = h_t \odot h_t$ be the energies." + "\n\n"
    right = r"$$ \frac{\partial L}{\partial V} = \sum_t \frac{\partial L}{\partial o_t} h_t^\top $$"
    chain = (r"$$ \frac{\partial L}{\partial h_t} = V^\top \frac{\partial L}{\partial o_t} "
             r"+ W^\top \left((1 - h_{t+1}^2) \odot \frac{\partial L}{\partial h_{t+1}}\right) $$")
    assert verdicts(tmp_path, f"{text}{right}\n\n{chain}\n") == ["proved", "proved"]


@pytest.mark.parametrize(("loss", "expected"), [("", "undecided"), (r"Let $L = \sum_t L_t$." + "\n\n", "refuted")])
def test_a_loss_of_which_nothing_is_said_may_be_that_of_the_last_step(tmp_path: Path, loss: str, expected: str) -> None:
    text = "$$ h_t = \\tanh(W h_{t-1} + U x_t) $$\n\n" + loss
    claim = r"$$ \frac{\partial L}{\partial h_t} = W^\top \left((1 - h_{t+1}^2) \odot \frac{\partial L}{\partial h_{t+1}}\right) $$"
    assert verdicts(tmp_path, f"{text}{claim}\n") == [expected]


@pytest.mark.parametrize("given", ["[W_h, W_x]", r"\begin{pmatrix} W_h & W_x \end{pmatrix}"])
@pytest.mark.parametrize(("block", "expected"), [("W_h", "proved"), ("W_x", "refuted")])
def test_a_weight_that_was_used_as_a_whole_may_be_given_as_blocks(tmp_path: Path, given: str, block: str, expected: str) -> None:
    text = rf"$$ h_t = \tanh(W [h_{{t-1}}; x_t] + b) $$ with $h_t \in \mathbb{{R}}^n$, $x_t \in \mathbb{{R}}^d$ and $W = {given}$."
    claim = rf"$$ \frac{{\partial h_t}}{{\partial h_{{t-1}}}} = \mathrm{{diag}}(1 - h_t^2) {block} $$"
    assert verdicts(tmp_path, f"{text}\n\n{claim}\n") == [expected]


@pytest.mark.parametrize(("claim", "expected"), [
    (r"h_k = \sum_{j=0}^{k-1} \bar{A}^{j} \bar{B} x_{k-j}", "proved"),
    (r"\bar{B} = A^{-1} (e^{\Delta A} - I) B", "proved"),
    (r"\bar{B} = (\Delta A)^{-1} (e^{\Delta A} - I) B", "refuted"),
    (r"\frac{\partial h_k}{\partial h_{k-1}} = e^{\Delta A}", "agrees"),
])
def test_matrices_of_a_step_may_be_given_by_an_exponential(tmp_path: Path, claim: str, expected: str) -> None:
    text = (r"$$ h_k = \bar{A} h_{k-1} + \bar{B} x_k $$ where $\bar{A} = e^{\Delta A}$ and "
            r"$\bar{B} = (\Delta A)^{-1} (e^{\Delta A} - I) \Delta B$. With $h_0 = 0$:")
    assert verdicts(tmp_path, f"{text}\n\n$$ {claim} $$\n") == [expected]


def test_the_state_of_linear_attention_is_a_matrix_and_its_decay_a_number(tmp_path: Path) -> None:
    text = (r"For $q_t, k_t \in \mathbb{R}^d$ and $v_t \in \mathbb{R}^m$ let $$ S_t = \lambda S_{t-1} + v_t k_t^\top, \qquad S_0 = 0, $$ "
            r"and $y_t = S_t q_t$. With $L = \sum_t \ell(y_t)$ and $G_t = \partial L / \partial S_t$:")
    claims = (r"\frac{\partial L}{\partial v_t} = G_t k_t", r"\frac{\partial L}{\partial k_t} = G_t v_t",
              r"\frac{\partial L}{\partial \lambda} = \sum_t \mathrm{tr}(G_t^\top S_{t-1})")
    assert verdicts(tmp_path, text + "".join(f"\n\n$$ {claim} $$" for claim in claims)) == ["proved", "refuted", "proved"]


def test_a_claim_at_the_step_of_a_product_holds_like_one_at_the_running_step(tmp_path: Path) -> None:
    assert verdicts(tmp_path, NETWORK + r"$$ \frac{\partial h_j}{\partial h_{j-1}} = \mathrm{diag}(1 - h_j^2) W $$") == ["proved"]


@pytest.mark.parametrize(("words", "expected"), [
    ("for $a > 0$", "undecided"), (r"for \(a \ge 0\)", "undecided"), (r"for all $t \ge 1$", "refuted"), ("for $t = 1, 2$", "refuted"),
    ("", "refuted"),
])
def test_what_is_said_for_some_values_only_is_not_refuted_by_others(tmp_path: Path, words: str, expected: str) -> None:
    text = rf"It is easy to see that $\mathrm{{ReLU}}(a) = a$ {words}."
    assert verdicts(tmp_path, text)[0] == expected


def test_plain_text_has_an_equation_in_letters_beside_one_with_commands(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("The network is\n\n    h_t = \\tanh(W h_{t-1} + U x_t)\n    y_t = V h_t\n\nand so on.\n", encoding="utf-8")
    (document,) = audit(path).documents
    assert [e.span.latex for e in document.equations] == [r"h_t = \tanh(W h_{t-1} + U x_t)", "y_t = V h_t"]


BACKWARDS = r"$$ \delta_t = V^\top \frac{\partial L}{\partial o_t} + W^\top \left( (1 - h_{t+1}^2) \odot \delta_{t+1} \right) $$" + "\n\n"


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\frac{\partial L}{\partial W} = \sum_t (\delta_t \odot (1 - h_t^2)) h_{t-1}^\top", "proved"),
    (r"\frac{\partial L}{\partial W} = \sum_t \delta_t h_{t-1}^\top", "refuted"),
])
def test_a_recurrence_backwards_in_time_says_of_which_variable_a_name_is_the_gradient(tmp_path: Path, claim: str, expected: str) -> None:
    assert verdicts(tmp_path, f"{NETWORK}{BACKWARDS}$$ {claim} $$\n") == ["proved", expected]


def test_what_rests_on_a_recurrence_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(NETWORK + BACKWARDS, encoding="utf-8")
    (document,) = audit(path).documents
    assert r"\delta is 0 after the last step, so that it is the gradient by h by its recurrence" in (
        document.equations[-1].relations[0].verdict.conditions)


def test_a_recurrence_that_no_gradient_satisfies_gives_its_name_no_meaning(tmp_path: Path) -> None:
    wrong = BACKWARDS.replace(r"W^\top", "W")
    claim = r"$$ \frac{\partial L}{\partial W} = \sum_t (\delta_t \odot (1 - h_t^2)) h_{t-1}^\top $$"
    assert verdicts(tmp_path, f"{NETWORK}{wrong}{claim}\n") == ["undecided", "undecided"]
