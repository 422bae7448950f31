r"""Texts that write the weights behind the variables, as in ``x_t W + b``, and declare no shape: vectors are rows, or batches of rows."""
from __future__ import annotations

from pathlib import Path

import pytest

from symrnn.api import audit, declare

ROWS = r"""
$$ h_t = \tanh(x_t W + h_{t-1} U + b), \qquad o_t = h_t V + c $$

With $L = \sum_t \ell(o_t)$ and $\delta_t = \frac{\partial L}{\partial h_t} \odot (1 - h_t^2)$,
"""
BATCH = r"""
$$ H_t = \phi(X_t W_{xh} + H_{t-1} W_{hh} + b_h), \qquad O_t = H_t W_{hq} + b_q $$

The gradients of $L$ are
"""


def verdicts(tmp_path: Path, text: str) -> list[str]:
    """The verdicts on the relations of a text that have one."""
    path = tmp_path / "a.md"
    path.write_text(text, encoding="utf-8")
    (document,) = audit(path).documents
    return [r.verdict.word for e in document.equations for r in e.relations if r.verdict.word]


def declared(tmp_path: Path, text: str) -> dict[str, str]:
    """What is proposed for the symbols of a text."""
    path = tmp_path / "a.md"
    path.write_text(text, encoding="utf-8")
    return {name: str(spec) for name, spec in declare(path).data["symbols"].items()}


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\frac{\partial L}{\partial W} = \sum_t x_t^\top \delta_t", "proved"),
    (r"\frac{\partial L}{\partial W} = \sum_t \delta_t x_t^\top", "refuted"),
    (r"\frac{\partial L}{\partial U} = \sum_t h_{t-1}^\top \delta_t", "proved"),
    (r"\frac{\partial L}{\partial U} = \sum_t h_t^\top \delta_t", "refuted"),
    (r"\frac{\partial L}{\partial b} = \sum_t \delta_t", "proved"),
    (r"\frac{\partial L}{\partial V} = \sum_t h_t^\top \frac{\partial L}{\partial o_t}", "proved"),
    (r"\frac{\partial L}{\partial h_t} = \frac{\partial L}{\partial o_t} V^\top + \delta_{t+1} U^\top", "proved"),
    (r"\frac{\partial L}{\partial h_t} = \frac{\partial L}{\partial o_t} V + \delta_{t+1} U", "refuted"),
])
def test_vectors_before_their_weights_are_rows(tmp_path: Path, claim: str, expected: str) -> None:
    assert verdicts(tmp_path, f"{ROWS}\n$$ {claim} $$\n") == [expected]


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\frac{\partial L}{\partial W_{hq}} = \sum_t H_t^\top \frac{\partial L}{\partial O_t}", "proved"),
    (r"\frac{\partial L}{\partial W_{hq}} = \sum_t \frac{\partial L}{\partial O_t}^\top H_t", "refuted"),
    (r"\frac{\partial L}{\partial b_q} = \sum_t \mathbf{1}^\top \frac{\partial L}{\partial O_t}", "proved"),
])
def test_capitals_before_their_weights_are_batches_with_a_bias_in_each_row(tmp_path: Path, claim: str, expected: str) -> None:
    assert verdicts(tmp_path, f"{BATCH}\n$$ {claim} $$\n") == [expected]


@pytest.mark.parametrize(("words", "expected"), [("", "undecided"), ("For a mini-batch of examples:\n", "refuted")])
def test_a_batch_may_have_one_row_unless_the_text_speaks_of_several(tmp_path: Path, words: str, expected: str) -> None:
    claim = r"$$ \frac{\partial L}{\partial b_q} = \sum_t \frac{\partial L}{\partial O_t} $$"
    assert verdicts(tmp_path, f"{words}{BATCH}\n{claim}\n") == [expected]


def test_batches_that_are_added_have_as_many_rows_as_the_text_says_of_one_of_them(tmp_path: Path) -> None:
    found = declared(tmp_path, r"Let $X_t \in \mathbb{R}^{n \times d}$." + BATCH)
    assert found["X"] == "matrix n d, sequence"
    assert found["H"].startswith("matrix n ")


def test_a_space_that_is_said_of_a_row_gives_its_length(tmp_path: Path) -> None:
    found = declared(tmp_path, r"Let $x_t \in \mathbb{R}^d$, $W \in \mathbb{R}^{d \times n}$ and $b \in \mathbb{R}^n$." + ROWS)
    assert (found["x"], found["b"]) == ("matrix 1 d, sequence", "matrix 1 n")


def test_a_space_says_nothing_of_rows_where_the_weights_are_said_to_lie_otherwise(tmp_path: Path) -> None:
    found = declared(tmp_path, r"Let $x_t \in \mathbb{R}^d$ and $W \in \mathbb{R}^{n \times d}$." + ROWS)
    assert found["x"] == "vector d, sequence"


def test_one_product_the_other_way_round_leaves_columns_columns(tmp_path: Path) -> None:
    found = declared(tmp_path, r"$$ h_t = \tanh(U h_{t-1} + x_t W) $$")
    assert found["h"] == "vector, sequence"


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\frac{\partial L}{\partial V} = \sum_t h_t^\top (p_t - y_t)", "proved"),
    (r"\frac{\partial L}{\partial V} = \sum_t (p_t - y_t)^\top h_t", "refuted"),
    (r"\frac{\partial L}{\partial c} = \sum_t (p_t - y_t)", "proved"),
    (r"\frac{\partial L}{\partial c} = \sum_t (y_t - p_t)", "refuted"),
])
def test_rows_side_by_side_and_the_softmax_of_a_row_are_rows(tmp_path: Path, claim: str, expected: str) -> None:
    text = (r"$$ h_t = \tanh([x_t, h_{t-1}] W + b), \qquad p_t = \mathrm{softmax}(h_t V + c) $$ with the loss "
            r"$L = -\sum_t \sum_k y_{t,k} \log p_{t,k}$ for one-hot targets $y_t$:")
    assert verdicts(tmp_path, f"{text}\n\n$$ {claim} $$\n") == [expected]


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\frac{\partial L}{\partial q_t} = \frac{\partial L}{\partial y_t} S_t^\top", "proved"),
    (r"\frac{\partial L}{\partial q_t} = S_t \frac{\partial L}{\partial y_t}", "refuted"),
    (r"\frac{\partial L}{\partial k_t} = v_t \frac{\partial L}{\partial S_t}", "refuted"),
])
def test_the_outer_product_of_two_rows_is_a_matrix(tmp_path: Path, claim: str, expected: str) -> None:
    text = (r"We compute $q_t = x_t W_q$, $k_t = x_t W_k$, $v_t = x_t W_v$ and "
            r"$$ S_t = S_{t-1} + k_t^\top v_t, \qquad y_t = q_t S_t. $$")
    assert verdicts(tmp_path, f"{text}\n\n$$ {claim} $$\n") == [expected]


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\frac{\partial L}{\partial b} = \sum_t \left( \frac{\partial L}{\partial H_t} \odot (1 - H_t^2) \right) \mathbf{1}", "proved"),
    (r"\frac{\partial L}{\partial b} = \sum_t \frac{\partial L}{\partial H_t} \odot (1 - H_t^2)", "refuted"),
])
def test_a_bias_times_a_row_of_ones_makes_a_batch_in_columns(tmp_path: Path, claim: str, expected: str) -> None:
    text = r"$$ H_t = \tanh(W H_{t-1} + U X_t + b \mathbf{1}^\top), \qquad O_t = V H_t $$ For a loss $L$:"
    assert verdicts(tmp_path, f"{text}\n\n$$ {claim} $$\n") == [expected]
