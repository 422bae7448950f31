"""The Elman network as an engineer writes it in NumPy by hand: what emitted code is measured against.

One matrix product over all steps and sequences wherever there is no recurrence, arrays made before the loops, results in place.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Weights(NamedTuple):
    """The parameters, in the order of the model ``elman``."""

    W: Any
    U: Any
    b: Any
    V: Any
    c: Any


def loss_and_gradients(weights: Weights, x: Any, labels: Any) -> tuple[float, Weights]:
    """The summed cross-entropy of x (T, B, n_x) with class numbers (T, B), and its gradients."""
    W, U, b, V, c = weights
    (T, B, n_x), n = x.shape, len(W)
    N = T * B
    flat_x, rows, columns = x.reshape(N, n_x), np.arange(N), labels.reshape(N)

    states = np.zeros((T + 1, B, n), x.dtype)
    h, before = states[1:], states[:-1]
    np.matmul(flat_x, U.T, out=h.reshape(N, n))
    h += b
    turned, step = np.ascontiguousarray(W.T), np.empty((B, n), x.dtype)
    for t in range(T):
        np.matmul(before[t], turned, out=step)
        state = h[t]
        state += step
        np.tanh(state, out=state)

    flat_h = h.reshape(N, n)
    p = flat_h @ V.T
    p += c
    p -= p.max(axis=1, keepdims=True)
    picked = p[rows, columns]
    np.exp(p, out=p)
    sums = p.sum(axis=1, keepdims=True)
    loss = float((np.log(sums[:, 0]) - picked).sum())

    p /= sums
    p[rows, columns] -= 1
    from_output = (p @ V).reshape(T, B, n)
    da = 1 - h * h
    da[-1] *= from_output[-1]
    for t in range(T - 2, -1, -1):
        np.matmul(da[t + 1], W, out=step)
        step += from_output[t]
        da[t] *= step
    flat = da.reshape(N, n)
    return loss, Weights(flat.T @ before.reshape(N, n), flat.T @ flat_x, flat.sum(axis=0), p.T @ flat_h, p.sum(axis=0))
