r"""Networks with one output and one loss, after the last step; total losses that are written out; the adjoint of the first state."""
from __future__ import annotations

from pathlib import Path

import pytest

from symrnn.api import audit, emit
from symrnn.errors import ModelError

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


def test_no_code_is_emitted_for_a_loss_of_the_last_step(tmp_path: Path):
    path = tmp_path / "a.md"
    path.write_text("---\nsymrnn:\n  symbols: {q: \"vector n, sequence\", u: \"vector n, sequence\", A: matrix n n, y: vector n}\n"
                    "  total: E\n---\n\n$$q_t = \\tanh(A q_{t-1} + u_t)$$\n\n$$E = (q_T - y)^\\top (q_T - y)$$\n")
    with pytest.raises(ModelError, match="last step"):
        emit(path)


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
