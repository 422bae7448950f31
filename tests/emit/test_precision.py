"""Emitted code lies within 4 (T + n) units in the last place of a 50-digit evaluation, n the longest inner product.

The unit is that of the sum of the absolute values of the terms: each scale below follows its value, with every term by its size.
"""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

SIZES = {"W_hh": (4, 4), "W_xh": (4, 3), "b_h": (4,), "W_hy": (5, 4), "b_y": (5,)}
LONGEST = 5
tanh, exp, log, exactly = (np.frompyfunc(f, 1, 1) for f in (mpmath.tanh, mpmath.exp, mpmath.log, lambda v: mpmath.mpf(float(v))))


def arguments(kind: str, dtype: type, T: int):
    r = np.random.default_rng(T)
    params = {k: r.normal(size=s) / np.sqrt(s[-1]) for k, s in SIZES.items()}
    if kind == "saturated":
        params["W_hh"], params["W_xh"] = 10 * params["W_hh"], 30 * params["W_xh"]
    if kind == "wide":
        params["b_y"] = np.array([1e4, -1e4, 1e4, 0.0, -1e4])
    numbers = {k: v.astype(dtype) for k, v in params.items()}
    return numbers, r.normal(size=(T, 3)).astype(dtype), r.integers(0, 5, T), r.normal(size=4).astype(dtype) / 2


def by_hand(numbers, x, labels, h0):
    """Values and scales of the loss, the states and all derivatives, by name, to 50 digits."""
    W, U, b, V, c = (exactly(v) for v in numbers.values())
    X, T = exactly(x), len(x)
    Y = exactly(np.eye(len(c))[labels])
    h, size = [exactly(h0)], [abs(exactly(h0))]
    o, p, p_size, value, loss_size = [], [], [], mpmath.mpf(0), mpmath.mpf(0)
    for t in range(T):
        h.append(tanh(W @ h[t] + U @ X[t] + b))
        size.append((1 - h[-1] ** 2) * (abs(W) @ size[t] + abs(U) @ abs(X[t]) + abs(b)) + abs(h[-1]))
        o.append(V @ h[-1] + c)
        wide = abs(V) @ size[-1] + abs(c)
        powers = exp(o[-1] - max(o[-1]))
        p.append(powers / sum(powers))
        p_size.append(p[-1] * (1 + wide + p[-1] @ wide))
        value -= Y[t] @ log(p[-1])
        loss_size += Y[t] @ wide + p[-1] @ wide + abs(max(o[-1])) + 1
    found = {"h": (np.array(h[1:]), np.array(size[1:])), "loss": (value, loss_size)}
    sums = {k: [0 * W[0, 0] + 0 * exactly(v), 0 * exactly(v)] for k, v in numbers.items()}
    dx, dx_size = [], []
    da, da_size = 0 * h0, 0 * h0
    for t in reversed(range(T)):
        do, do_size = p[t] - Y[t], p_size[t] + Y[t]
        dh, dh_size = V.T @ do + W.T @ da, abs(V.T) @ do_size + abs(W.T) @ da_size
        da, slope = (1 - h[t + 1] ** 2) * dh, 1 + h[t + 1] ** 2 + 2 * abs(h[t + 1]) * size[t + 1]
        da_size = (1 - h[t + 1] ** 2) * dh_size + slope * abs(dh)
        parts = {"W_hh": (da, da_size, h[t], size[t]), "W_xh": (da, da_size, X[t], abs(X[t])), "b_h": (da, da_size),
                 "W_hy": (do, do_size, h[t + 1], size[t + 1]), "b_y": (do, do_size)}
        for name, (u, wide, *more) in parts.items():
            sums[name][0] = sums[name][0] + (np.outer(u, more[0]) if more else u)
            sums[name][1] = sums[name][1] + (np.outer(wide, abs(more[0])) + np.outer(abs(u), more[1]) if more else wide)
        dx.insert(0, U.T @ da)
        dx_size.insert(0, abs(U.T) @ da_size)
    return found | {k: tuple(v) for k, v in sums.items()} | {"h0": (W.T @ da, abs(W.T) @ da_size), "x": (np.array(dx), np.array(dx_size))}


@pytest.mark.parametrize("kind", ["ordinary", "saturated", "wide"])
@pytest.mark.parametrize("T", [5, 50])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_everything_is_within_four_times_t_plus_n_units_in_the_last_place(make_elman, module_of, dtype, T, kind):
    module = module_of(make_elman())
    numbers, x, labels, h0 = arguments(kind, dtype, T)
    params = module.Params(**numbers)
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        loss, found, rates = module.loss_and_all_gradients(params, x, labels, h0)
        states = module.forward(params, x, h0).h
    computed = found._asdict() | {"x": rates.x, "h": states, "loss": np.array(loss)}
    with mpmath.workdps(50):
        wanted = by_hand(numbers, x, labels, h0)
        assert set(wanted) == set(computed)
        for name, (value, scale) in wanted.items():
            off = np.abs(exactly(computed[name]) - value) / (scale + mpmath.mpf(10) ** -300)
            assert np.max(off) <= 4 * (T + LONGEST) * float(np.finfo(dtype).eps) / 2, (name, float(np.max(off)))


def test_saturated_units_and_wide_logits_are_what_they_say():
    """Else the test above would say less than it claims."""
    numbers, x, labels, h0 = arguments("saturated", np.float64, 50)
    with mpmath.workdps(50):
        states = by_hand(numbers, x, labels, h0)["h"][0]
    assert np.mean(np.abs(states.astype(float)) > 1 - 1e-9) > 0.5
    assert np.ptp(arguments("wide", np.float64, 5)[0]["b_y"]) == 2e4
