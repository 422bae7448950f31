"""Claims in code and plain text: what a statement computes is compared with what the text says that its target is."""
from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from symrnn.claims import check_claim


@dataclass(frozen=True)
class Text:
    """What is given, and statements that are right and wrong beside it."""

    given: list[str]
    shapes: dict[str, str]
    right: list[str]
    wrong: list[str]
    language: str = "python"
    assume: list[str] = field(default_factory=list)


CELL = ["m[t] = q*m[t-1] + r*n; y[t] = s*tanh(m[t])", "q, r, s = sigmoid(...); n = tanh(...)",
        "dy = dL/dy[t] including what comes back from step t+1"]

TEXTS = {
    "plain recurrent step": Text(
        ["a[t] = W @ h[t-1] + U @ x[t] + b; h[t] = np.tanh(a[t])", "dh = dL/dh[t] including what comes back from step t+1",
         "da is to be dL/da[t]"],
        {"W": "n x n", "U": "n x d", "b": "n x 1", "x[t]": "d x 1"},
        ["da = dh * (1 - h[t]**2)", "da = dh * (1 - np.tanh(a[t])**2)", "self.da = np.multiply(dh, 1.0 - np.square(h[t]))",
         "da = (1 - h_t * h_t) * dh"],
        ["da = dh * (1 - h[t])", "da = dh * (1 - a[t]**2)", "da = dh * (1 - h[t-1]**2)", "da = (1 - h[t]**2)"]),
    "weights collect over the steps": Text(
        ["a[t] = np.dot(W, h[t-1]) + np.dot(U, x[t]) + b; h[t] = np.tanh(a[t])", "da = dL/da[t]",
         "dW is to become dL/dW and starts as zeros", "db is to become dL/db and starts as zeros_like(b)"],
        {"W": "n x n", "U": "n x d", "a, h, b": "n x 1", "x[t]": "d x 1"},
        ["dW += np.dot(da, h[t-1].T)", "db += da", "dW += da @ h_prev.T"],
        ["dW += np.dot(da, h[t].T)", "db += db", "dW += np.dot(da, x[t-1].T)", "dW += np.dot(h[t-1], da.T)", "db += 2 * da"]),
    "gates of a cell": Text(
        [*CELL, "dm = dL/dm[t]", "dq is to be dL at the argument of the q gate"], {"all": "k x 1"},
        ["dq = dm * m_prev * q * (1 - q)", "dq = dm * m[t-1] * q[t] * (1 - q[t])"],
        ["dq = dm * m_prev * q", "dq = dm * m[t] * q * (1 - q)", "dq = dm * m_prev * (1 - q * q)", "dq = dy * m_prev * q * (1 - q)"]),
    "the state carries over": Text(
        [*CELL, "dm = dL/dm[t]"], {"all": "k x 1"},
        ["dm = dy * s * (1 - tanh(m[t])**2) + dm[t+1] * q[t+1]"],
        ["dm = dy * s * (1 - tanh(m[t])**2)", "dm = dy * s * (1 - tanh(m[t])**2) + dm[t+1] * q[t]",
         "dm[t] = dy[t] * s[t] * (1 - y[t]**2)"]),
    "log of softmax": Text(
        ["out = log_softmax(z)", "grad_out = dL/dout; grad_z is to be dL/dz"], {"z, out": "n"},
        ["grad_z = grad_out - np.exp(out) * np.sum(grad_out)", "grad_z = grad_out - softmax(z) * grad_out.sum()"],
        ["grad_z = grad_out - np.exp(out) * grad_out", "grad_z = grad_out - np.sum(np.exp(out) * grad_out)",
         "grad_z = grad_out - out * np.sum(grad_out)"]),
    "components in plain text": Text(
        ["dst = softmax(src)", "diff_dst = dL/ddst"], {"src, dst": "n"},
        ["diff_src[i] = dst[i] * (diff_dst[i] - sum(diff_dst * dst))", "diff_src[j] = dst[j] * diff_dst[j] - dst[j] * sum(dst * diff_dst)"],
        ["diff_src[i] = dst[i] * (1 - dst[i]) * diff_dst[i]", "diff_src[i] = dst[i] * (diff_dst[i] - sum(diff_dst))"], "ascii"),
    "a batch of rows": Text(
        ["z = x @ W + b", "dz = dL/dz; dx is to be dL/dx; dW is to be dL/dW; db is to be dL/db"],
        {"x": "B x d", "W": "d x k", "b": "k"},
        ["dx = dz @ W.T", "dW = x.T @ dz", "db = dz.sum(axis=0)", "dW = np.dot(np.transpose(x), dz)"],
        ["dx = dz @ W", "dW = dz.T @ x", "db = dz.sum(axis=1)", "dx = dz * 2 @ W.T", "db = dz.sum()"]),
    "incoming gradients": Text(
        ["new_h = g * np.tanh(new_c)", "dnew_c, dnew_h: incoming gradients from later steps"], {"all": "B x n"},
        ["dnew_c += g * (1 - np.tanh(new_c)**2) * dnew_h",
         "dnew_c = dnew_c + g * (1 - np.tanh(new_c) * np.tanh(new_c)) * dnew_h"],
        ["dnew_c += g * (1 - new_c**2) * dnew_h", "dnew_c += (1 - np.tanh(new_c)**2) * dnew_h",
         "dnew_c = g * (1 - np.tanh(new_c)**2) * dnew_h"]),
    "an equation and its code": Text(
        ["h_t = z_t \\circ h_{t-1} + (1 - z_t) \\circ n_t (elementwise)"], {"h, z, n": "B x k"},
        ["h = z * h_prev + (1 - z) * n", "ht = n + z * (h_prev - n)"],
        ["h = (1 - z) * h_prev + z * n", "h = z * h_prev + (1 - z) * h_prev", "h = z * h_prev + z * n"]),
    "cross-entropy of a class": Text(
        ["p = softmax(s); loss = -log p[label]", "ds is to be dL/ds"], {"s": "K"},
        ["ds = p; ds[label] -= 1"],
        ["ds = p; ds[label] += 1", "ds = p", "ds = 1 - p"]),
    "kernel in C": Text(
        ["y = sigmoid(x)", "dy = dL/dy; dx is to be dL/dx"], {"x, y": "n"},
        ["dx = y * (1.0f - y) * dy;", "dx = dy * y - dy * y * y; // fused"],
        ["dx = x * (1.0f - x) * dy;", "dx = 2.0f * y * (1.0f - y) * dy;"], "c++"),
}


def rows(kind: str) -> list[tuple[Text, str]]:
    return [pytest.param(text, claim, id=f"{name}: {claim}") for name, text in TEXTS.items() for claim in getattr(text, kind)]


def verdict(text: Text, claim: str) -> str | None:
    return check_claim(claim, given=text.given, shapes=text.shapes, language=text.language, assume=text.assume).verdict


@pytest.mark.parametrize(("text", "claim"), rows("right"))
def test_a_statement_that_computes_what_the_text_says_is_proved(text: Text, claim: str):
    assert verdict(text, claim) == "proved"


@pytest.mark.parametrize(("text", "claim"), rows("wrong"))
def test_a_statement_that_computes_something_else_is_refuted(text: Text, claim: str):
    assert verdict(text, claim) == "refuted"
