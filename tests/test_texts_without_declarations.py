r"""Whole texts that declare next to nothing: what their sentences and equations say is taken in, right claims hold, wrong ones fall."""
from __future__ import annotations

from pathlib import Path

import pytest

from symrnn.audit import audit_document

CLASSES = r"""\documentclass{article}
\newcommand{\vr}{\mathbf{r}} \newcommand{\vz}{\mathbf{z}} \newcommand{\half}[2][H]{\frac{\partial #1}{\partial #2}}
\begin{document}
Let $\vz_t \in \mathbb{R}^{m}$; all other vectors are in $\mathbb{R}^{n}$.
\begin{align}
\mathbf{a}_t &= A \vz_t + B \vr_{t-1} + \mathbf{q} \\
\vr_t &= g(\mathbf{a}_t), \qquad g(v) = \frac{1}{1 + e^{-v}} \\
\mathbf{y}_t &= \mathrm{softmax}(C \vr_t + \mathbf{k}), \qquad \ell_t = -\log y_{t,k_t}
\end{align}
The loss of the whole sequence is $H = \sum_{t=1}^T \ell_t$, and $\mathbf{e}_j$ is the $j$-th unit vector. Hence
\begin{align}
CLAIM
\end{align}
\end{document}
"""
"""A softmax over classes; the loss of a step is a component that the class of the step picks."""

GATES = r"""# A gated cell

Columns: $v_t \in \mathbb{R}^p$ is the input, all others are in $\mathbb{R}^q$.

$$u_t = \sigma(U_u v_t + M_u m_{t-1} + b_u)$$

$$r_t = \sigma(U_r v_t + M_r m_{t-1} + b_r)$$

$$k_t = \tanh(U_k v_t + M_k (r_t \odot m_{t-1}) + b_k)$$

$$m_t = (1 - u_t) \odot m_{t-1} + u_t \odot k_t$$

The loss is $J = \sum_{t=1}^{T} j_t(m_t)$, with $g_t = \partial j_t / \partial m_t$. The letter d before a
symbol means the derivative of $J$ by that symbol; the arguments of the activations are called $a^u_t$, $a^r_t$, $a^k_t$.

$$CLAIM$$
"""
"""A cell with gates; prose names the gradients and the arguments of the activations."""


def verdict(text: str, claim: str, path: Path) -> str | None:
    path.write_text(text.replace("CLAIM", claim), encoding="utf-8")
    line = text.partition("CLAIM")[0].count("\n") + 1
    return next(e for e in audit_document(path, timeout=60).equations if e.span.line <= line <= e.span.end_line).verdict


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\half[\ell_t]{\vr_t} &= C^\top (\mathbf{y}_t - \mathbf{e}_{k_t})", "proved"),
    (r"\half[\ell_t]{\vr_t} &= C^\top (\mathbf{e}_{k_t} - \mathbf{y}_t)", "refuted"),
    (r"\half[\ell_t]{\vr_t} &= C (\mathbf{y}_t - \mathbf{e}_{k_t})", "refuted"),
    (r"\epsilon_t \equiv \half{\mathbf{a}_t} &= \vr_t \odot (1 - \vr_t) \odot [C^\top (\mathbf{y}_t - \mathbf{e}_{k_t}) "
     r"+ B^\top \epsilon_{t+1}]", "proved"),
    (r"\epsilon_t \equiv \half{\mathbf{a}_t} &= (1 - \vr_t^2) \odot [C^\top (\mathbf{y}_t - \mathbf{e}_{k_t}) "
     r"+ B^\top \epsilon_{t+1}]", "refuted"),
    (r"\epsilon_t \equiv \half{\mathbf{a}_t} &= \vr_t \odot (1 - \vr_t) \odot [C^\top (\mathbf{y}_t - \mathbf{e}_{k_t}) "
     r"+ B \epsilon_{t+1}]", "refuted"),
    (r"\half{B} &= \sum_{t=1}^T \epsilon_t \vr_{t-1}^\top", "undecided"),
])
def test_a_class_that_picks_a_component_is_a_one_hot_vector(claim, expected, tmp_path):
    assert verdict(CLASSES, claim, tmp_path / "text.tex") == expected


def test_a_vector_that_nothing_calls_one_hot_proves_nothing(tmp_path):
    text = CLASSES.replace("unit vector", "embedding")
    assert verdict(text, r"\half[\ell_t]{\vr_t} &= C^\top (\mathbf{y}_t - \mathbf{e}_{k_t})", tmp_path / "text.tex") == "undecided"


def test_what_is_false_only_for_distributions_that_are_not_one_hot_is_not_refuted(tmp_path):
    claim = r"\half[\ell_t]{\mathbf{k}} &= \mathbf{y}_t - \mathbf{e}_{k_t} \odot \mathbf{e}_{k_t}"
    assert verdict(CLASSES, claim, tmp_path / "text.tex") == "undecided"


@pytest.mark.parametrize(("claim", "expected"), [
    (r"da^u_t = dm_t \odot (k_t - m_{t-1}) \odot u_t \odot (1 - u_t)", "proved"),
    (r"da^u_t = dm_t \odot (k_t + m_{t-1}) \odot u_t \odot (1 - u_t)", "refuted"),
    (r"da^u_t = dm_t \odot k_t \odot u_t \odot (1 - u_t)", "refuted"),
    (r"da^k_t = dm_t \odot u_t \odot (1 - k_t^2)", "proved"),
    (r"da^k_t = dm_t \odot (1 - u_t) \odot (1 - k_t^2)", "refuted"),
    (r"da^r_t = (M_k^\top da^k_t) \odot m_{t-1} \odot r_t \odot (1 - r_t)", "proved"),
    (r"da^r_t = (M_k da^k_t) \odot m_{t-1} \odot r_t \odot (1 - r_t)", "refuted"),
    (r"dU_u = \sum_{t=1}^T da^u_t v_t^\top", "proved"),
    (r"dU_u = \sum_{t=1}^T v_t (da^u_t)^\top", "refuted"),
    (r"dm_{t-1} = g_{t-1} + dm_t \odot (1 - u_t) + M_u^\top da^u_t + M_r^\top da^r_t + r_t \odot (M_k^\top da^k_t)", "proved"),
    (r"dm_{t-1} = g_{t-1} + M_u^\top da^u_t + M_r^\top da^r_t + r_t \odot (M_k^\top da^k_t)", "refuted"),
])
def test_prose_says_what_the_letters_of_gradients_and_arguments_are(claim, expected, tmp_path):
    assert verdict(GATES, claim, tmp_path / "text.md") == expected


@pytest.mark.parametrize("dropped", ["; the arguments of the activations are called $a^u_t$, $a^r_t$, $a^k_t$",
                                     "The letter d before a\nsymbol means the derivative of $J$ by that symbol; "])
def test_where_prose_does_not_say_it_nothing_is_refuted(dropped, tmp_path):
    text = GATES.replace(dropped, "")
    assert text != GATES
    wrong = r"da^u_t = dm_t \odot (k_t + m_{t-1}) \odot u_t \odot (1 - u_t)"
    assert verdict(text, wrong, tmp_path / "text.md") == "undecided"


SUMMED = r"""# A plain network

$$a_t = W h_{t-1} + U x_t + b$$

$$h_t = \tanh(a_t)$$

$$\hat{y}_t = V h_t + c$$

The error of step $t$ is $\ell_t = \frac12 \|\hat{y}_t - y_t\|^2$, and SENTENCE. With $\delta_t = \partial \mathcal{L} / \partial a_t$

$$CLAIM$$
"""
"""A loss whose sum over the steps only a sentence gives."""

RIGHT = r"\delta_t = (1 - h_t^2) \odot \left[ V^\top (\hat{y}_t - y_t) + W^\top \delta_{t+1} \right]"


@pytest.mark.parametrize("sentence", [
    r"$\mathcal{L}$ is the sum of $\ell_t$ over all steps", r"$\mathcal{L}$ is the total loss, the sum of the $\ell_t$ over time",
    r"$\mathcal{L}$ adds up $\ell_t$ over the time steps"])
def test_a_sentence_says_that_the_loss_is_a_sum_over_the_steps(sentence, tmp_path):
    text = SUMMED.replace("SENTENCE", sentence)
    assert verdict(text, RIGHT, tmp_path / "text.md") == "proved"
    assert verdict(text, RIGHT.replace("h_t^2", "h_t"), tmp_path / "text.md") == "refuted"


@pytest.mark.parametrize("sentence", [
    r"$\mathcal{L}$ is not the sum of $\ell_t$ over all steps", r"$\mathcal{L}$ is the weighted sum of $\ell_t$ over all steps",
    r"$\mathcal{L}$ is what we minimise"])
def test_where_the_loss_stays_open_what_needs_it_is_not_decided(sentence, tmp_path):
    text = SUMMED.replace("SENTENCE", sentence)
    assert verdict(text, RIGHT, tmp_path / "text.md") == "undecided"
    assert verdict(text, RIGHT.replace("h_t^2", "h_t"), tmp_path / "text.md") == "undecided"
