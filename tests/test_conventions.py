r"""What a text says of its notation in words holds: how derivatives lie, names for gradients, sizes in sentences and tables."""
from __future__ import annotations

from pathlib import Path

import pytest

from symrnn import api

NETWORK = r"""
$$ h_t = \tanh(W h_{t-1} + U x_t + b), \qquad o_t = V h_t + c $$

$$ L = \sum_{t=1}^T \ell_t, \qquad \ell_t = \tfrac12 \|o_t - y_t\|^2, \qquad o_t \in \mathbb{R}^m, \qquad h_t \in \mathbb{R}^n $$

"""
ROW = r"\frac{\partial L}{\partial o_t} = (o_t - y_t)^\top"
COLUMN = r"\frac{\partial L}{\partial o_t} = o_t - y_t"
JACOBIAN = r"\frac{\partial o_t}{\partial h_t} = V"
TURNED = r"\frac{\partial o_t}{\partial h_t} = V^\top"
BY_MATRIX = r"\frac{\partial L}{\partial V} = \sum_t h_t (o_t - y_t)^\top"
DELTA = r"\frac{\partial L}{\partial b} = \sum_t (1 - h_t^2) \odot \delta_t"


def judged(folder: Path, text: str, *claims: str) -> list[str | None]:
    """The verdicts on claims that stand after a text."""
    path = folder / "a.md"
    path.write_text(text + "\n\n" + "\n\n".join(f"$$ {claim} $$" for claim in claims))
    (document,) = api.audit(path, timeout=60).to_json()["documents"]
    return [e["verdict"] for e in document["equations"]][-len(claims):]


@pytest.mark.parametrize("words", [
    "We use numerator layout.", "Derivatives are row vectors.",
    "Throughout, the gradient of a scalar with respect to a vector is a row vector.",
    "We use the convention that derivatives are treated as row vectors (numerator layout).",
])
def test_a_text_that_says_so_has_gradients_by_vectors_as_rows(tmp_path, words):
    wrong = ROW.replace("o_t - y_t", "o_t - 2 y_t")
    assert judged(tmp_path, words + NETWORK, ROW, wrong, JACOBIAN, TURNED) == ["proved", "refuted", "proved", "refuted"]
    assert judged(tmp_path, words + NETWORK, BY_MATRIX)[0] != "refuted"
    assert judged(tmp_path, words + NETWORK, COLUMN) == ["undecided"]


@pytest.mark.parametrize("words", [
    "", "We do not use numerator layout.", "If derivatives were row vectors, all would be transposed.",
    "The inputs are row vectors of a table.",
    "Others use numerator layout, unlike us.", "Each gradient is a row of the matrix.",
    "Some use numerator layout, and others use denominator layout.",
])
def test_a_text_that_does_not_say_so_has_gradients_as_columns(tmp_path, words):
    assert judged(tmp_path, words + NETWORK, ROW, COLUMN, JACOBIAN, TURNED, BY_MATRIX) == ["refuted", "proved", "proved", "refuted",
    "refuted"]


def test_a_jacobian_in_denominator_layout_is_not_refuted_and_proved_only_under_the_convention(tmp_path):
    words = "Here denominator layout is used." + NETWORK
    assert judged(tmp_path, words, ROW, COLUMN, JACOBIAN, TURNED) == ["refuted", "proved", "conditional", "undecided"]


@pytest.mark.parametrize("words", [
    r"We write $\delta_t$ for $\partial L/\partial h_t$.", r"Let $\delta_t$ denote $\frac{\partial L}{\partial h_t}$.",
    r"Here $\delta_t$ denotes the derivative $\frac{\partial L}{\partial h_t}$.", r"We denote $\nabla_{h_t} L$ by $\delta_t$.",
    r"We abbreviate $\frac{\partial L}{\partial h_t}$ by $\delta_t$.",
    r"where $\delta_t$ is the gradient of the loss with respect to $h_t$.",
    r"where $\delta_t$ stands for the total derivative of the loss $L$ with respect to $h_t$.",
    r"Denote by $\delta_t$ the gradient $\nabla_{h_t} L$.",
])
def test_a_name_that_a_sentence_gives_to_a_gradient_is_that_gradient(tmp_path, words):
    assert judged(tmp_path, NETWORK + words, DELTA, DELTA.replace("1 - h", "2 - h")) == ["proved", "refuted"]


@pytest.mark.parametrize("words", [
    r"We do not write $\delta_t$ for $\partial L/\partial h_t$.",
    r"If $\delta_t$ denoted $\frac{\partial L}{\partial h_t}$, all would be short.",
    r"We write $\delta_t$ for $W h_t$.", r"Let $\delta_t$ denote $h_{t-1}$.",
    r"where $\delta_t$ is the gradient of the Hessian with respect to $h_t$.",
    r"We write $\delta_t$ for $\partial L/\partial h_{t+1}$.",
])
def test_a_sentence_that_gives_no_name_to_a_gradient_gives_none(tmp_path, words):
    assert judged(tmp_path, NETWORK + words, DELTA) == ["undecided"]


def test_a_gradient_of_the_loss_of_one_step_that_a_sentence_names_is_that(tmp_path):
    words = NETWORK + r"where $\delta_t$ is the derivative of the loss $\ell_t$ with respect to $o_t$."
    assert judged(tmp_path, words, r"\delta_t = o_t - y_t", r"\delta_t = o_t + y_t") == ["proved", "refuted"]


UNIT = "\n\n" + r"$$ s_t = \tanh(A s_{t-1} + B u_t + b) $$"


@pytest.mark.parametrize("words", [
    r"with $A \in R^{n \times n}$ and $u_t \in \mathbf{R}^d$.", r"$A$ is of size $(n, n)$ and $B$ of size $(n, d)$.",
    r"$s_t$ has size $n$ and $u_t$ has dimension $d$.",
    r"$A$ is $n \times n$, $B$ is $n \times d$.",
    r"$A$ is an $n \times n$ matrix. The input $u_t$ is a $d$-dimensional vector.",
    r"with $A \in \mathbb{R}^{n \times n}$ and $u_t \in \mathbb{R}^d$.",
    "| symbol | shape |\n|:--|--:|\n| $A$ | $n \\times n$ |\n| $u_t$ | $d$ |",
    "Name | Meaning | Size\n---|---|---\n`A` | weights | (n, n)\n`u_t` | input | (d,)",
    "| size | variable |\n|---|---|\n| n x n | $A$ |\n| $\\mathbb{R}^{n \\times d}$ | $B$ |",
])
def test_sizes_that_a_text_states_are_those_of_its_network(tmp_path, words):
    path = tmp_path / "a.md"
    path.write_text(words + UNIT)
    roles = {s["latex"]: s["role"] for span in api.read(path).to_json()["documents"][0]["spans"] for s in span["symbols"]}
    assert {name: roles[name] for name in "AB"} == {"A": "n x n, parameter", "B": "n x d, parameter"}
    assert roles["s"] == "n, variable at every step" and roles.get("d", "a size") == "a size"


@pytest.mark.parametrize("words", [
    r"If $A$ is of size $(n, d)$, nothing fits.", r"$A$ is not an $n \times d$ matrix.", r"$A$ has size $n$.",
    r"$s_t$ has size $(n, d)$.",
    r"$A$ is of size $(n, n)$. Here $A$ is of size $(m, m)$.", r"$A$ is of size $(T, T)$.", "| symbol | shape |\n\nA | n x d |",
    r"A vector $b$ of $K$ numbers.",
])
def test_sizes_that_are_denied_supposed_or_impossible_change_nothing(tmp_path, words):
    path = tmp_path / "a.md"
    path.write_text(words + UNIT)
    roles = {s["latex"]: s["role"] for span in api.read(path).to_json()["documents"][0]["spans"] for s in span["symbols"]}
    assert roles["A"] == "n_s x n_s, parameter"


def test_a_stated_size_that_the_equations_contradict_makes_no_equation_wrong(tmp_path):
    text = r"$A$ is of size $(n, d)$, and $s_t$ has size $n$, and $u_t$ has size $d$." + UNIT
    path = tmp_path / "a.md"
    path.write_text(text)
    assert api.audit(path).to_json()["summary"]["refuted"] == 0
    jacobian = r"\frac{\partial s_t}{\partial s_{t-1}} = \mathrm{diag}(1 - s_t^2) A"
    assert judged(tmp_path, text, jacobian) == ["proved"]


@pytest.mark.parametrize(("words", "role"), [
    (r"with $A \in \mathbf{R}^{n \times n}$", "a set"), (r"with $A \in R^{n \times n}$", "a set"),
    (r"with $A \in R^{n \times n}$ and $R u_t$", "? x ?, parameter"),
])
def test_r_in_another_font_is_a_set_only_where_it_is_nothing_else(tmp_path, words, role):
    path = tmp_path / "a.md"
    path.write_text(words + UNIT)
    (document,) = api.read(path).to_json()["documents"]
    assert {s["role"] for span in document["spans"] for s in span["symbols"] if "R" in s["latex"]} == {role}
