r"""Networks with one output and one loss, after the last step; total losses that are written out; the adjoint of the first state."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from symrnn.api import audit, derive, emit, unroll
from symrnn.bptt import derive as derive_model
from symrnn.bptt import gradient
from symrnn.emit.load import load
from symrnn.errors import ModelError
from symrnn.expr import apply, node, total
from symrnn.model import Model, param, scalar, sequence
from symrnn.write.cases import cases
from symrnn.write.latex import latex

READER = r"""
$$q_t = \tanh(A q_{t-1} + B u_t + c)$$

"""
LAST = READER + r"""
$$z = D q_T + w$$

$$E = \tfrac12 \lVert z - y \rVert^2$$

"""
EVERY = READER + r"""
$$z_t = D q_t$$

$$E = \frac12 \sum_{t=1}^T \lVert z_t - y_t \rVert^2$$

"""


LOSS = LAST.replace("E", "L")


def last(tmp_path: Path, text: str) -> dict:
    path = tmp_path / "a.md"
    path.write_text(text)
    (document,) = audit(path, timeout=60).to_json()["documents"]
    assert all(e["verdict"] is None for e in document["equations"][:3])
    return document["equations"][-1]


@pytest.mark.parametrize("claim", [
    r"\frac{\partial E}{\partial q_T} = D^\top (z - y)",
    r"\frac{\partial E}{\partial q_{t-1}} = A^\top \left( (1 - q_t^2) \odot \frac{\partial E}{\partial q_t} \right)",
    r"\frac{\partial E}{\partial D} = (z - y) q_T^\top",
    r"\frac{\partial E}{\partial w} = z - y",
    r"\frac{\partial E}{\partial B} = \sum_{t=1}^T \left( (1 - q_t^2) \odot \frac{\partial E}{\partial q_t} \right) u_t^\top"])
def test_a_gradient_of_a_loss_at_the_last_step_is_proved_for_every_t(tmp_path: Path, claim: str):
    found = last(tmp_path, LAST + f"$${claim}$$")
    assert found["verdict"] == "proved" and found["relations"][0]["scope"] == {"sizes": "all", "T": "all"}
    assert "E is the loss of the last step" in found["relations"][0]["conditions"]


@pytest.mark.parametrize("claim", [
    r"\frac{\partial E}{\partial q_T} = D (z - y)",
    r"\frac{\partial E}{\partial q_t} = D^\top (z - y)",
    r"\frac{\partial E}{\partial q_{t-1}} = A^\top \left( (1 - q_t^2) \odot \frac{\partial E}{\partial q_t} \right) + D^\top (z - y)",
    r"\frac{\partial E}{\partial D} = (z - y) q_{T-1}^\top",
    r"\frac{\partial E}{\partial D} = \sum_{t=1}^T (z - y) q_t^\top",
    r"\frac{\partial E}{\partial B} = \sum_{t=1}^T \left( (1 - q_t^2) \odot \frac{\partial E}{\partial q_t} \right) u_{t-1}^\top"])
def test_a_wrong_gradient_of_it_is_not_proved(tmp_path: Path, claim: str):
    assert last(tmp_path, LAST + f"$${claim}$$")["verdict"] in ("refuted", "undecided")


def test_an_unspecified_loss_of_the_last_state_is_one_too(tmp_path: Path):
    text = READER + "$$E = l(q_T)$$\n\n$$a_t = q_t$$\n\n"
    claim = r"$$\frac{\partial E}{\partial q_{t-1}} = A^\top \left( (1 - q_t^2) \odot \frac{\partial E}{\partial q_t} \right)$$"
    assert last(tmp_path, text + claim)["verdict"] == "proved"
    assert last(tmp_path, text + claim.replace("q_t^2", "q_{t-1}^2"))["verdict"] != "proved"


def test_the_code_of_a_loss_of_the_last_step_takes_one_target_for_each_sequence(tmp_path: Path):
    path = tmp_path / "a.md"
    path.write_text(LOSS)
    module = load(emit(path))
    r = np.random.default_rng(0)
    params = module.Params(*(r.normal(size=s) for s in [(3, 3), (3, 2), 3, (4, 3), 4]))
    u, y = r.normal(size=(5, 2)), r.normal(size=4)
    run = module.forward(params, u)
    z = params.D @ run.q[-1] + params.w
    assert np.isclose(module.loss(params, u, y), 0.5 * (z - y) @ (z - y))
    assert np.allclose(module.gradients(params, u, y).D, np.outer(z - y, run.q[-1]))


SHARES = READER + r"""
$$z = D q_T + w$$

$$p = \mathrm{softmax}(z)$$

$$E = -\sum_k y_k \log p_k$$

"""


def test_targets_that_need_not_sum_to_one_may_be_compared_with_the_last_probabilities(tmp_path: Path, capsys):
    """The logits then hear of the loss on two ways, directly and through the sum of the probabilities."""
    path = tmp_path / "a.md"
    path.write_text(SHARES)
    module = load(emit(path))
    assert module.self_check() < 1e-10
    r = np.random.default_rng(0)
    params = module.Params(*(r.normal(size=s) for s in [(3, 3), (3, 2), 3, (4, 3), 4]))
    u, y = r.normal(size=(5, 2)), r.random(4)
    q = module.forward(params, u).q[-1]
    shares = np.exp(params.D @ q + params.w)
    shares /= shares.sum()
    assert np.allclose(module.gradients(params, u, y).w, y.sum() * shares - y)


def test_what_a_text_writes_without_a_step_has_none_in_the_report_of_its_derivation(symrnn_command, tmp_path: Path):
    path = tmp_path / "a.md"
    path.write_text(SHARES + "```{derive}\n```\n")
    assert symrnn_command("report", str(path), "--format", "md", "--output", str(tmp_path / "out")).exit_code == 0
    text = (tmp_path / "out" / "a.md").read_text()
    assert r"\frac{\partial E}{\partial z} &= \left( \sum_{i=1}^{n_z} y_i \right) p - y" in text
    assert r"\frac{\partial E}{\partial q_T} &= D^\top \frac{\partial E}{\partial z}" in text
    assert not any(name in text for name in ("z_T", "z_t", "y_T", "y_t", r"p_T", r"p_t"))


def test_every_equation_of_the_derivation_of_a_loss_of_the_last_step_is_proved_when_it_is_read_again(tmp_path: Path):
    path = tmp_path / "a.md"
    path.write_text(LOSS)
    found = derive(path)
    d, n = found.derivation, found.notation
    rows = [(node("sym", attr=c.left), c.right) for name in d.adjoints for c in cases(d, name)]
    rows += [(node("sym", attr=gradient(s)), d.gradients[s.name]) for s in d.model.parameters]
    claims = [f"{latex(a, n)} = {latex(b, n)}".replace("y_T", "y").replace("z_T", "z") for a, b in rows]
    path.write_text(LOSS + "\n\n".join(f"$${claim}$$" for claim in claims))
    (document,) = audit(path, timeout=60).to_json()["documents"]
    assert len(claims) == 9
    assert [e["verdict"] for e in document["equations"][3:]] == ["proved"] * 9


def test_a_number_at_the_end_that_is_called_like_no_loss_is_none(tmp_path: Path):
    path = tmp_path / "a.md"
    path.write_text(LOSS.replace("L =", "s ="))
    with pytest.raises(ModelError, match="have a loss for gradients"):
        derive(path)


def test_what_reaches_the_loss_at_the_last_step_only_is_said_at_that_step(tmp_path: Path):
    text = derive("elman", loss_at="last").to_text()
    assert "adj h[T] = V.T @ (adj o[T])" in text and "adj h[t] = W.T @ (adj a[t+1])" in text and "grad V = adj o[T] @ h[T].T" in text
    assert "grad W = sum_t=1..T(adj a[t] @ h[t-1].T)" in text and "o[t]" not in text.split("Adjoint recurrences")[1]


def test_the_unrolled_network_has_what_the_loss_alone_uses_at_the_last_step(tmp_path: Path):
    path = tmp_path / "a.md"
    path.write_text(LOSS)
    text = unroll(path, 2).to_text()
    assert "z[2] = D @ q[2] + w" in text and "z[1]" not in text and "L = loss[2]" in text
    assert "grad D = adj z[2] @ q[2].T" in text


def test_an_output_that_the_loss_uses_but_is_of_an_earlier_step_is_refused_by_name():
    q, z, ell = sequence("q", "n"), sequence("z", "n"), scalar("l")
    model = Model.build("m", [(q, apply("tanh", param("A", "n", "n") @ q[-1])), (z, param("D", "n", "n") @ q[-1]), (ell, total(z**2))],
                        loss="l", at_end=True)
    with pytest.raises(ModelError, match=r"the equation z\[t\] = D @ q\[t-1\], which counts at the last step alone"):
        derive_model(model)


@pytest.mark.parametrize(("claim", "verdict"), [
    (r"\frac{\partial E}{\partial z_t} = z_t - y_t", "proved"), (r"\frac{\partial E}{\partial z_t} = 2 (z_t - y_t)", "refuted"),
    (r"\frac{\partial E}{\partial q_0} = A^\top \left( (1 - q_1^2) \odot \frac{\partial E}{\partial q_1} \right)", "proved"),
    (r"\frac{\partial E}{\partial q_0} = A^\top \left( (1 - q_1^2) \odot \frac{\partial E}{\partial q_1} \right) + D^\top (z_1 - y_1)",
     "refuted")])
def test_a_total_loss_that_is_written_out_as_a_sum_defines_the_loss_of_a_step(tmp_path: Path, claim: str, verdict: str):
    assert last(tmp_path, EVERY + f"$${claim}$$")["verdict"] == verdict


def test_a_loss_named_like_the_function_that_gives_it_is_one_of_the_last_state(tmp_path: Path):
    text = READER + "$$L = L(q_T)$$\n\n$$a_t = q_t$$\n\n"
    claim = r"$$\frac{\partial L}{\partial q_{t-1}} = A^\top \left( (1 - q_t^2) \odot \frac{\partial L}{\partial q_t} \right)$$"
    assert last(tmp_path, text + claim)["verdict"] == "proved"
    assert last(tmp_path, text + claim.replace(r"A^\top", "A"))["verdict"] == "refuted"
