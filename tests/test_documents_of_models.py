r"""What the equations of a document that declares nothing mean as a model: losses, penalties, masks, rows, batches; what is an error."""
from __future__ import annotations

from pathlib import Path

import pytest

from symrnn import api
from symrnn.bptt import check_trail, derive
from symrnn.compiling import compile_model
from symrnn.errors import CallError, ModelError, ReadError, SymrnnError
from symrnn.model import Model
from symrnn.prove.selfproof import self_proof
from symrnn.zoo import Source

CELL = r"""$x_t \in \mathbb{R}^{m}$, $h_t \in \mathbb{R}^{n}$, $z_t, y_t \in \mathbb{R}^{k}$.

$$ h_t = \tanh(W h_{t-1} + U x_t + b) $$

$$ z_t = V h_t + d $$

$$ p_t = \mathrm{softmax}(z_t) $$
"""
ENTROPY = r"\ell_t = -\sum_{i=1}^{k} y_{t,i} \log p_{t,i}"
SUM = r"L = \sum_{t=1}^{T} \ell_t"
MEAN = r"L = \frac{1}{T} \sum_{t=1}^{T} \ell_t"
DECAY = SUM + r" + \frac{\lambda}{2} \lVert W \rVert_F^2"


def compiled(*displays: str, cell: str = CELL) -> Model:
    return compile_model(Source("m", None, cell + "".join(f"\n$$ {d} $$\n" for d in displays)))


def means(*displays: str, cell: str = CELL) -> dict[str, str]:
    return {e.name: str(e.right) for e in compiled(*displays, cell=cell).equations}


def verdicts(tmp_path: Path, *displays: str) -> list[str]:
    """The verdicts on the displays, where the targets are distributions."""
    path = tmp_path / "a.md"
    claims = "".join(f"\n$$ {d} $$\n" for d in displays[2:])
    shown = "".join(f"\n$$ {d} $$\n" for d in displays[:2])
    path.write_text(f"{CELL}{shown}\nThe target is a distribution, $\\sum_i y_{{t,i}} = 1$. Then\n{claims}", encoding="utf-8")
    return [r.verdict.word for e in api.audit([path]).documents[0].equations for r in e.relations if r.verdict.word]


@pytest.mark.parametrize("displays, loss", [
    ([ENTROPY, SUM], "-sum(y[t] * log(p[t]))"),
    ([r"\ell_t = -\sum_{i=1}^{k} w_i y_{t,i} \log p_{t,i}", SUM], "-sum(w * y[t] * log(p[t]))"),
    ([r"\ell_t = -r_t \sum_{i=1}^{k} y_{t,i} \log p_{t,i}", SUM], "-r[t] * sum(y[t] * log(p[t]))"),
    ([ENTROPY, MEAN], "recip(T) * ell[t]"),
    ([ENTROPY, DECAY], "ell[t] + (1/2) * (recip(T) * (lambda * sum(W * W)))"),
    ([r"\ell_t = \sum_{i=1}^{k} \max(0, z_{t,i} - y_{t,i})^2", SUM], "sum(relu(z[t] - y[t])**2)"),
    ([r"\ell_t = \sqrt{\sum_{i=1}^{k} (z_{t,i} - y_{t,i})^2}", SUM], "sqrt(sum((z[t] - y[t])**2))")], ids=str)
def test_a_loss_becomes_one_of_vectors_and_all_its_gradients_are_proved_by_each_witness(displays, loss):
    model = compiled(*displays)
    assert means(*displays)["loss"] == loss
    assert check_trail(derive(model)) == [] and len(self_proof(model)) == 2


def test_a_number_for_each_step_is_an_input_and_no_vector():
    model = compiled(r"\ell_t = -r_t \sum_{i=1}^{k} y_{t,i} \log p_{t,i}", SUM)
    assert model.symbol("r").shape == (1, 1)


def test_softmax_and_cross_entropy_stay_together_in_a_mean():
    found = derive(compile_model(Source("m", None, "---\nsymrnn: {targets: [y], simplex: [y]}\n---\n" + CELL
                                        + f"\n$$ {ENTROPY} $$\n\n$$ {MEAN} $$\n")))
    assert str(found.adjoints["z"]) == "adj ell[t] * (p[t] - y[t])" and str(found.adjoints["ell"]) == "recip(T)"


def test_gradients_of_a_mean_are_proved_with_the_number_of_steps_and_refuted_without(tmp_path):
    gradient = r"\frac{\partial L}{\partial V} = %s \sum_{t=1}^{T} (p_t - y_t) h_t^\top"
    assert verdicts(tmp_path, ENTROPY, MEAN, gradient % r"\frac{1}{T}", gradient % "") == ["proved", "refuted"]
    assert verdicts(tmp_path, ENTROPY, SUM, gradient % r"\frac{1}{T}", gradient % "") == ["refuted", "proved"]


def test_a_penalty_adds_its_own_gradient(tmp_path):
    by_output = r"\frac{\partial L}{\partial V} = \sum_{t=1}^{T} (p_t - y_t) h_t^\top"
    assert verdicts(tmp_path, ENTROPY, SUM + r" + \frac{\lambda}{2} \lVert V \rVert_F^2", by_output + r" + \lambda V", by_output) == [
        "proved", "refuted"]


@pytest.mark.parametrize("claim, word", [
    (r"\sum_{t=1}^{T} u = T u", "proved"), (r"\sum_{t=1}^{T} u = (T + 1) u", "refuted"), ("T u = 4 u", "refuted"),
    ("T u = 5 u", "refuted"), (r"\frac{1}{T} \sum_{t=1}^{T} u = u", "proved")])
def test_the_last_step_is_a_number(claim, word):
    assert api.check(claim, shapes={"u": "scalar"}).verdict == word


def test_a_bias_may_be_called_e_and_the_base_of_a_power_stays_a_number():
    shapes = r"$x_t \in \mathbb{R}^{m}$, $h_t \in \mathbb{R}^{n}$." + "\n"
    assert means(r"h_t = \tanh(W h_{t-1} + e)", cell=shapes)["h"] == "tanh(W @ h[t-1] + e)"
    assert "e" not in [s.name for s in compiled(r"h_t = W h_{t-1} + e^{-2} U x_t", cell=shapes).parameters]


def test_vectors_may_be_rows_and_a_batch_adds_a_row_to_each_of_its_rows():
    rows = r"$x_t \in \mathbb{R}^{1 \times m}$, $h_t, y_t \in \mathbb{R}^{1 \times n}$." + "\n"
    cell = r"h_t = \tanh(h_{t-1} W + x_t U + b)"
    found = means(cell, r"\ell_t = \lVert h_t - y_t \rVert^2", SUM, cell=rows)
    assert found == {"h": "tanh(h[t-1] @ W + x[t] @ U + b)", "loss": "(h[t] - y[t]) @ (h[t] - y[t]).T"}
    batch = r"$X_t \in \mathbb{R}^{B \times m}$, $H_t \in \mathbb{R}^{B \times n}$, $b \in \mathbb{R}^{1 \times n}$." + "\n"
    assert means(r"H_t = \tanh(H_{t-1} W + X_t U + b)", cell=batch)["H"] == "tanh(H[t-1] @ W + X[t] @ U + ones @ b)"


SHAPES = r"$x_t \in \mathbb{R}^{m}$, $h_t, y_t, g_t \in \mathbb{R}^{n}$." + "\n"
HALF = r"\ell_t = \frac{1}{2} \lVert h_t - y_t \rVert^2"


@pytest.mark.parametrize("displays, kind, words", [
    ([r"h_t = \tanh(W h_t + U x_t)", HALF, SUM], ModelError, "not need h of the same step"),
    ([r"h_t = \tanh(W h_{t-1} + g_t)", r"g_t = \sigma(V h_t)", HALF, SUM], ModelError, "a cycle"),
    ([r"h_t = \tanh(W h_{t+1} + U x_t)", HALF, SUM], ModelError, r"h\[t\+1\], of another step"),
    ([r"h_t = \tanh(W h_{t-1} + U x_{t+1})", HALF, SUM], ModelError, r"x\[t\+1\], of another step"),
    ([r"h_t = \tanh(W h_{t-1})", r"h_t = \sigma(U x_t)", HALF, SUM], ModelError, "a second definition of h"),
    ([r"h_t = \arctan(W h_{t-1})", HALF, SUM], ReadError, "arctan is not in the table"),
    ([r"h_t = \tanh(W h_{t-1})", r"\ell_t = \lVert h_t - y_t \rVert_1", SUM], ReadError, "a norm other than"),
    ([r"h_t = \tanh(W h_{t-1})", r"L = \prod_t h_t"], ReadError, "Prod has no meaning")], ids=str)
def test_what_should_define_something_and_does_not_is_an_error_that_says_why(displays, kind, words):
    with pytest.raises(SymrnnError, match=words) as raised:
        derive(compiled(*displays, cell=SHAPES))
    assert isinstance(raised.value, kind) and raised.value.where is not None


def test_an_operation_without_a_differentiation_rule_is_named_with_the_place_for_one():
    with pytest.raises(ModelError, match="inv") as raised:
        derive(compiled(r"h_t = (I - W)^{-1} U x_t + W h_{t-1}", HALF, SUM, cell=SHAPES))
    assert "symrnn/calculus.py" in str(raised.value)


def test_looped_code_refuses_a_loss_that_counts_the_steps_and_unrolled_code_has_their_number(tmp_path):
    path = tmp_path / "mean.md"
    path.write_text(CELL + f"\n$$ {ENTROPY} $$\n\n$$ {MEAN} $$\n", encoding="utf-8")
    with pytest.raises(CallError, match="reduction"):
        api.emit(str(path))
    assert "def loss" in api.emit(str(path), style="unrolled", steps=2, sizes=[2, 2, 2])
