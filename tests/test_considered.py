"""What a text only considers defines nothing, and nothing that may be meant under it is refuted; a start at zero is a value like others."""
from __future__ import annotations

from pathlib import Path

import pytest

from symrnn.api import audit

NETWORK = "# A network\n\n$$ h_t = \\tanh(W h_{t-1} + U x_t + b) $$\n\n"
JACOBIAN = r"$$ \frac{\partial h_t}{\partial h_{t-1}} = \mathrm{diag}(1 - h_t^2) W $$"
LINEAR = r"$$ \frac{\partial h_t}{\partial h_{t-1}} = W $$"


def verdicts(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "a.md"
    path.write_text(text, encoding="utf-8")
    (document,) = audit(path, timeout=60).to_json()["documents"]
    return [e["verdict"] for e in document["equations"] if e["verdict"]]


@pytest.mark.parametrize("aside", [
    "If we dropped the nonlinearity, $h_t = W h_{t-1} + U x_t + b$.",
    "A linear network, by contrast, has $h_t = W h_{t-1} + U x_t + b$.",
    "Many texts print $h_t = W h_{t-1} + U x_t + b$ here.",
    "It is tempting to take $h_t = W h_{t-1} + U x_t + b$.",
])
def test_another_network_that_is_only_considered_defines_nothing(tmp_path: Path, aside: str) -> None:
    assert verdicts(tmp_path, f"{NETWORK}{aside}\n\n# Its Jacobian\n\n{JACOBIAN}\n\n{LINEAR}\n") == ["proved", "refuted"]


@pytest.mark.parametrize("aside", ["If $W = I$, it forgets nothing.", "Some authors set $W = I$; we do not.",
                                   "In the limit $W = I$ it remembers."])
def test_a_value_that_is_only_considered_proves_nothing_and_what_may_be_meant_under_it_is_not_refuted(tmp_path: Path, aside: str) -> None:
    claim = r"$$ \frac{\partial h_t}{\partial h_{t-1}} = \mathrm{diag}(1 - h_t^2) $$"
    assert verdicts(tmp_path, f"{NETWORK}{aside}\n\n{claim}\n\n# Later\n\n{claim}\n\n{JACOBIAN}\n") == ["undecided", "refuted", "proved"]


@pytest.mark.parametrize("value", ["The slope is greatest at $x = 0$.", "A typical value is $x = 0$.",
                                   "We used $x = 0$ in the experiments."])
def test_a_number_at_which_something_is_looked_at_is_no_value_for_good(tmp_path: Path, value: str) -> None:
    text = f"Let $\\sigma(x) = \\frac{{1}}{{1 + e^{{-x}}}}$. {value}\n\n# Claims\n\n"
    text += "$$\\tanh(x) = 2\\sigma(x) - 1.$$\n\n$$\\tanh(x) = 2\\sigma(2x) - 1$$\n"
    assert verdicts(tmp_path, text) == ["refuted", "proved"]


@pytest.mark.parametrize("name", ["If we write", "We let", "We define"])
def test_a_name_given_in_passing_is_a_definition(tmp_path: Path, name: str) -> None:
    text = f"A state is $$ h_t = \\tanh(a_t). $$ {name} $a_t = W h_{{t-1}} + U x_t$, then {JACOBIAN}\n"
    assert verdicts(tmp_path, text) == ["proved"]


@pytest.mark.parametrize("zero", ["0", r"\mathbf{0}", r"\vec{0}", r"\boldsymbol{0}"])
def test_a_state_that_starts_at_zero_can_be_differentiated_by(tmp_path: Path, zero: str) -> None:
    start = r"$$ h_1 = \tanh(U x_1 + b) $$"
    wrong = r"$$ \frac{\partial h_t}{\partial h_{t-1}} = 0 $$"
    text = f"{NETWORK}with $h_0 = {zero}$, so that\n\n{start}\n\n{JACOBIAN}\n\n{wrong}\n"
    assert verdicts(tmp_path, text) == ["proved", "proved", "refuted"]


GATED = (r"$$ f_t = \sigma(W_f x_t + U_f h_{t-1}), \quad g_t = \tanh(W_g x_t + U_g h_{t-1}), \quad c_t = f_t \odot c_{t-1} + g_t, \quad "
         r"h_t = \tanh(c_t) $$" "\n\nwhere $\\sigma$ is the logistic function.\n\n")


@pytest.mark.parametrize(("right", "expected"), [
    (r"\mathrm{diag}(f_t)", "undecided"), (r"\mathrm{diag}(g_t)", "refuted"), (r"-\mathrm{diag}(f_t)", "refuted")])
def test_what_holds_for_the_derivative_of_one_equation_alone_is_not_refuted(tmp_path: Path, right: str, expected: str) -> None:
    text = f"{GATED}$$ \\frac{{\\partial c_t}}{{\\partial c_{{t-1}}}} = {right} $$\n"
    assert verdicts(tmp_path, text) == [expected]


@pytest.mark.parametrize("block", ["W = [W_h, W_x]", r"W = (W_h \quad W_x)", r"W = \begin{bmatrix} W_h & W_x \end{bmatrix}"])
def test_a_weight_put_together_in_a_way_that_is_not_understood_is_not_free(tmp_path: Path, block: str) -> None:
    text = (f"$$ h_t = \\tanh(W [h_{{t-1}}; x_t] + b) $$\n\nwith $h_t \\in \\mathbb{{R}}^n$, $x_t \\in \\mathbb{{R}}^d$ and ${block}$.\n\n"
            r"$$ \frac{\partial h_t}{\partial h_{t-1}} = \mathrm{diag}(1 - h_t^2) W_h $$" "\n")
    assert "refuted" not in verdicts(tmp_path, text)


def test_a_letter_that_is_taken_from_one_beside_itself_is_a_number(tmp_path: Path) -> None:
    text = r"Let $v_t = \beta v_{t-1} + (1 - \beta) g_t$ with $v_0 = 0$. Then $$v_2 = (1 - \beta)(g_2 + \beta g_1).$$" "\n"
    assert verdicts(tmp_path, text) == ["proved"]


def test_what_an_equation_in_components_may_define_is_not_refuted_and_a_component_of_a_product_is_differentiated(tmp_path: Path) -> None:
    given = r"Let $a_i = \sum_{j=1}^n W_{ij} h_j$ with $W \in \mathbb{R}^{n\times n}$, $h \in \mathbb{R}^n$, $a \in \mathbb{R}^n$."
    claims = r"$$\frac{\partial a_i}{\partial W_{ij}} = h_j$$" "\n\n" r"$$\frac{\partial a_i}{\partial W_{ij}} = h_i$$"
    assert verdicts(tmp_path, f"{given}\n\n{claims}\n") == ["proved", "refuted"]
    later = r"Let $a_i = \sum_{j=1}^n W_{ij} h_j$ for $i = 1, \dots, n$."
    assert "refuted" not in verdicts(tmp_path, later)


def test_what_is_added_in_a_softmax_may_be_a_number(tmp_path: Path) -> None:
    softmax = r"$$ \mathrm{softmax}(%s) = \mathrm{softmax}(z) $$"
    assert verdicts(tmp_path, "\n\n".join(softmax % x for x in ("z + c", "2 z", "-z"))) == ["undecided", "refuted", "refuted"]


def test_what_a_sentence_restricts_in_its_own_words_is_not_refuted_in_general(tmp_path: Path) -> None:
    off = r"\frac{\partial p_i}{\partial z_j} = -p_i p_j"
    sentences = [rf"When $i \neq j$ the derivative is $$ {off.replace('-', '')}. $$", rf"For $i \ne j$, $$ {off}. $$",
                 rf"For $j \ne i$ we get ${off}$.", rf"It is ${off}$.", rf"The off-diagonal entries are $$ {off}. $$"]
    text = "Let $p = \\mathrm{softmax}(z)$ with $z \\in \\mathbb{R}^n$.\n\n" + "\n\n".join(sentences) + "\n"
    assert verdicts(tmp_path, text) == ["refuted", "proved", "undecided", "refuted", "undecided"]
