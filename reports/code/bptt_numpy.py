# Written by symrnn 0.1.0 from the model bptt; not to be edited, but to be written again:
#     symrnn emit bptt --target numpy
# SPDX-License-Identifier: 0BSD
# (What symrnn writes carries no licence of symrnn: use it for any purpose, without any condition.)
#
# model: sha256 f04dfd9f097039d5c8a37e556cac38051b136919ee4226c4f4dc5ede1d360a0f
# proved: every adjoint and gradient, for all sizes and every T: equal to the derivative of the Lagrangian, index by index (normal form)
# proved: and equal to forward derivatives over prime fields for n_h=2, n_y=3, n_x=4, T=4, up to 2^-74
"""The recurrent network bptt: forward pass, loss, gradients by backpropagation through time.

    a[t] = W_hh @ h[t-1] + W_xh @ x[t] + b_h
    h[t] = tanh(a[t])
    o[t] = W_yh @ h[t] + b_o
    hat(y)[t] = softmax(o[t])
    loss[t] = -sum(y[t] * log(hat(y)[t]))
    L = sum_t=1..T(loss[t])

Source: Elman 1990; Werbos 1990; Goodfellow, Bengio and Courville, Deep Learning (2016), section 10.2.2; notation of this project

Parameters: W_hh (n_h, n_h), W_xh (n_h, n_x), b_h (n_h,), W_yh (n_y, n_h), b_o (n_y,).
B sequences of T steps are arrays of shape (T, B, n); one sequence may come as (T, n), and so its results.
The loss of B sequences is the sum of their losses.
Arithmetic is in double precision.
Run as a program, the module compares every gradient with a derivative by complex step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Adjoints", "Forward", "Gradients", "Params", "adjoints", "forward", "gradients", "loss", "self_check"]

Array = NDArray[Any]


class Params(NamedTuple):
    """The parameters; each may be anything of which NumPy makes an array of the given shape."""

    W_hh: Any  # (n_h, n_h)
    W_xh: Any  # (n_h, n_x)
    b_h: Any  # (n_h,)
    W_yh: Any  # (n_y, n_h)
    b_o: Any  # (n_y,)


class Forward(NamedTuple):
    """The variables at every step."""

    a: Array  # (T, B, n_h)
    h: Array  # (T, B, n_h)
    o: Array  # (T, B, n_y)
    hat_y: Array  # (T, B, n_y)


class Adjoints(NamedTuple):
    """The derivatives of the loss by variables, at every step."""

    d_o: Array  # (T, B, n_y)
    d_h: Array  # (T, B, n_h)
    d_a: Array  # (T, B, n_h)


class Gradients(NamedTuple):
    """The derivatives of the loss by the parameters and by the states before the first step."""

    W_hh: Array  # (n_h, n_h)
    W_xh: Array  # (n_h, n_x)
    b_h: Array  # (n_h,)
    W_yh: Array  # (n_y, n_h)
    b_o: Array  # (n_y,)
    h0: Array  # (B, n_h)


def forward(params: Params, x: Any, h0: Any = None) -> Forward:
    """The variables at every step, from the parameters and the inputs.

    x: (T, B, n_x)
    h0: (B, n_h), h at the step before the first; zero if left out
    A single sequence may come without the axis B. TypeError or ValueError names an argument that is wrong.
    """
    c = _check(params, x, ..., h0)
    run = _run(c)
    if c.single:
        return Forward(run.a[:, 0], run.h[1:, 0], run.o[:, 0], run.hat_y[:, 0])
    return Forward(run.a, run.h[1:], run.o, run.hat_y)


def loss(params: Params, x: Any, y: Any, h0: Any = None) -> float:
    """The loss, summed over steps and sequences.

    x: (T, B, n_x)
    y: (T, B, n_y), probabilities that sum to 1; or class numbers from 0, as integers of shape (T, B)
    h0: (B, n_h), h at the step before the first; zero if left out
    A single sequence may come without the axis B. TypeError or ValueError names an argument that is wrong.
    """
    c = _check(params, x, y, h0)
    return float(_loss(c, _run(c)))


def adjoints(params: Params, x: Any, y: Any, h0: Any = None) -> Adjoints:
    """The derivatives of the loss by the variables: the recurrences of backpropagation through time.

    adj o[t] = hat(y)[t] - y[t]
    adj h[t] = W_yh.T @ (adj o[t]) + W_hh.T @ (adj a[t+1])
    adj a[t] = (ones - h[t]**2) * adj h[t]

    Adjoints after the last step are zero. The arguments are those of `gradients`.
    """
    c = _check(params, x, y, h0)
    back = _back(c, _run(c))
    if c.single:
        return Adjoints(back.d_o[:, 0], back.d_h[:, 0], back.d_a[:-1, 0])
    return Adjoints(back.d_o, back.d_h, back.d_a[:-1])


def gradients(params: Params, x: Any, y: Any, h0: Any = None) -> Gradients:
    """The derivatives of the loss by every parameter and by the states before the first step.

    grad W_hh = sum_t=1..T(adj a[t] @ h[t-1].T)
    grad W_xh = sum_t=1..T(adj a[t] @ x[t].T)
    grad b_h = sum_t=1..T(adj a[t])
    grad W_yh = sum_t=1..T(adj o[t] @ h[t].T)
    grad b_o = sum_t=1..T(adj o[t])

    Each has the shape of what it is the derivative by.

    x: (T, B, n_x)
    y: (T, B, n_y), probabilities that sum to 1; or class numbers from 0, as integers of shape (T, B)
    h0: (B, n_h), h at the step before the first; zero if left out
    A single sequence may come without the axis B. TypeError or ValueError names an argument that is wrong.
    """
    c = _check(params, x, y, h0)
    run = _run(c)
    found = _gradients(c, run, _back(c, run))
    if c.single:
        found = found._replace(h0=found.h0[0])
    return found


# ---- the computation, on checked arguments


def _run(c: _Checked) -> Forward:
    """The variables at every step; h with 1 more at the front."""
    W_hh, W_xh, b_h, W_yh, b_o = c.params
    x, h0 = c.x, c.h0
    T, B, n_h = c.sizes["T"], c.sizes["B"], c.sizes["n_h"]
    kind = np.result_type(*c.params, c.x, c.h0)
    a = np.empty((T, B, n_h), kind)
    h = np.empty((T + 1, B, n_h), kind)
    h[0] = h0
    a_in = x @ W_xh.T + b_h
    for t in range(T):
        a[t] = h[t] @ W_hh.T + a_in[t]
        h[t + 1] = np.tanh(a[t])
    o = h[1:] @ W_yh.T + b_o
    hat_y = _softmax(o)
    return Forward(a, h, o, hat_y)


def _loss(c: _Checked, run: Forward) -> Any:
    """The loss, summed over steps and sequences."""
    o = run.o
    y = c.y
    loss_2 = -np.sum(y*(o - _log_sum_exp(o)), axis=-1, keepdims=True)
    return np.sum(loss_2)


def _back(c: _Checked, run: Forward) -> Adjoints:
    """The adjoints at every step; d_a with 1 more at the end, zero."""
    W_hh, W_yh = c.params.W_hh, c.params.W_yh
    h, hat_y = run.h, run.hat_y
    y = c.y
    T, B, n_h = c.sizes["T"], c.sizes["B"], c.sizes["n_h"]
    kind = np.result_type(*c.params, c.x, c.h0)
    d_o = hat_y - y
    d_h = np.empty((T, B, n_h), kind)
    d_a = np.zeros((T + 1, B, n_h), kind)
    d_h_in = d_o @ W_yh
    d_a_in = 1 - h[1:]**2
    for t in reversed(range(T)):
        d_h[t] = d_a[t + 1] @ W_hh + d_h_in[t]
        d_a[t] = d_a_in[t]*d_h[t]
    return Adjoints(d_o, d_h, d_a)


def _gradients(c: _Checked, run: Forward, back: Adjoints) -> Gradients:
    """The gradients: sums over steps and sequences."""
    W_hh = c.params.W_hh
    h = run.h
    d_o, d_a = back.d_o, back.d_a
    x = c.x
    d_W_hh = _sum_of_products(d_a[:-1], h[:-1])
    d_W_xh = _sum_of_products(d_a[:-1], x)
    d_b_h = np.sum(d_a[:-1], axis=(0, 1))
    d_W_yh = _sum_of_products(d_o, h[1:])
    d_b_o = np.sum(d_o, axis=(0, 1))
    d_h0 = d_a[0] @ W_hh
    return Gradients(d_W_hh, d_W_xh, d_b_h, d_W_yh, d_b_o, d_h0)


def _log_sum_exp(u: Array) -> Array:
    """log(sum of exp(u)) over the last axis, which is kept; shifted by the maximum, so that nothing overflows."""
    top = np.max(np.real(u), axis=-1, keepdims=True)
    value: Array = top + np.log(np.sum(np.exp(u - top), axis=-1, keepdims=True))
    return value


def _softmax(u: Array) -> Array:
    """exp(u) / sum of exp(u) over the last axis; shifted by the maximum, so that nothing overflows."""
    powers = np.exp(u - np.max(np.real(u), axis=-1, keepdims=True))
    value: Array = powers / np.sum(powers, axis=-1, keepdims=True)
    return value


def _sum_of_products(u: Array, v: Array) -> Array:
    """Sum over steps and sequences of the outer products u v^T, as one matrix product."""
    value: Array = u.reshape(-1, u.shape[-1]).T @ v.reshape(-1, v.shape[-1])
    return value


# ---- the arguments


class _Checked(NamedTuple):
    """Arguments that were checked, as arrays over (T, B, n); `single` says that they came without the axis B."""

    params: Params
    x: Array
    y: Array
    h0: Array
    sizes: dict[str, int]
    single: bool


def _check(params: Params, x: Any, y: Any, h0: Any) -> _Checked:
    """The arguments as arrays, or an error that names the one that is wrong."""
    if not isinstance(params, Params):
        raise TypeError(f"params must be Params(W_hh, W_xh, b_h, W_yh, b_o); it came as {type(params).__name__}")
    single = _rank(x) == 2
    sizes: dict[str, int] = {"B": 1} if single else {}
    checked = Params(
        W_hh=_array("params.W_hh", params.W_hh, ("n_h", "n_h"), sizes),
        W_xh=_array("params.W_xh", params.W_xh, ("n_h", "n_x"), sizes),
        b_h=_array("params.b_h", params.b_h, ("n_h",), sizes),
        W_yh=_array("params.W_yh", params.W_yh, ("n_y", "n_h"), sizes),
        b_o=_array("params.b_o", params.b_o, ("n_y",), sizes),
    )
    many: tuple[str, ...] = () if single else ("B",)
    x = _array("x", x, ("T", *many, "n_x"), sizes)
    x = x[:, None] if single else x
    if y is not ...:
        y = _target("y", y, ("T", *many, "n_y"), sizes, "classes")
        y = y[:, None] if single else y
    if h0 is None:
        h0 = np.zeros((sizes["B"], sizes["n_h"]))
    else:
        h0 = _array("h0", h0, (*many, "n_h"), sizes)
        h0 = h0[None] if single else h0
    return _Checked(checked, x, y, h0, sizes, single)


def _array(name: str, value: Any, shape: tuple[str | int, ...], sizes: dict[str, int]) -> Array:
    """`value` in double precision if it has the shape; a size without a number in `sizes` gets the one found here."""
    wanted = _shape(shape, sizes)
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} must have shape {wanted}; it came as lists of unequal lengths") from None
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name} must hold real numbers, in shape {wanted}; it came with dtype {array.dtype}")
    fits = array.ndim == len(shape)
    for size, n in zip(shape, array.shape, strict=False):
        fits = fits and n == (sizes.setdefault(size, n) if isinstance(size, str) else size)
    if not fits:
        raise ValueError(f"{name} must have shape {wanted}; it came with shape {array.shape}")
    if 0 in array.shape:
        raise ValueError(f"{name} must have shape {wanted}, nowhere empty; it came with shape {array.shape}")
    return array.astype(float)


def _shape(shape: tuple[str | int, ...], sizes: dict[str, int]) -> str:
    """A shape in symbols, and in numbers as far as they are known: (T, n_x) = (?, 3)."""
    comma = "," if len(shape) == 1 else ""
    numbers = ", ".join(str(sizes.get(size, "?") if isinstance(size, str) else size) for size in shape)
    return f"({', '.join(map(str, shape))}{comma}) = ({numbers}{comma})"


def _rank(value: Any) -> int:
    """The number of axes."""
    try:
        return int(np.ndim(value))
    except ValueError:
        return -1


def _target(name: str, value: Any, shape: tuple[str | int, ...], sizes: dict[str, int], values: str) -> Array:
    """A target: `values` says whether it holds any numbers, numbers of [0, 1], or classes and their probabilities."""
    size = shape[-1]
    if values == "classes" and size in sizes and _rank(value) == len(shape) - 1 and np.asarray(value).dtype.kind in "iu":
        labels = _array(name, value, shape[:-1], sizes).astype(int)
        n = sizes[str(size)]
        if labels.min() < 0 or labels.max() >= n:
            came = f"{labels.min()} to {labels.max()}"
            raise ValueError(f"{name} must hold class numbers from 0 to {size} - 1 = {n - 1}; it came with {came}")
        found: Array = np.eye(n)[labels]
        return found
    array = _array(name, value, shape, sizes)
    if values != "any" and not np.all((array >= 0) & (array <= 1)):
        came = f"{array.min()} to {array.max()}"
        raise ValueError(f"{name} must hold numbers from 0 to 1, in shape {_shape(shape, sizes)}; it came with {came}")
    if values == "classes" and not np.all(np.abs(array.sum(axis=-1) - 1) < 1e-6):
        came = f"{array.sum(axis=-1).min()} to {array.sum(axis=-1).max()}"
        raise ValueError(f"{name} must sum to 1 over its last axis {size}; it came with sums from {came}")
    return array


# ---- the module checks itself


def _numbers(shape: tuple[int, ...], start: int) -> Array:
    """Fixed numbers between -0.7 and 0.7."""
    values: Array = 0.7 * np.sin(start + 1.7 * np.arange(int(np.prod(shape))).reshape(shape))
    return values


def self_check() -> float:
    """Compare every gradient with the derivative of the loss by complex step; print and return the largest deviation."""
    params = Params(
        W_hh=_numbers((2, 2), 1),
        W_xh=_numbers((2, 4), 2),
        b_h=_numbers((2,), 3),
        W_yh=_numbers((3, 2), 4),
        b_o=_numbers((3,), 5),
    )
    x = _numbers((4, 2, 4), 6)
    y = 0.5 + 0.6 * _numbers((4, 2, 3), 7)
    y /= y.sum(axis=-1, keepdims=True)
    h0 = _numbers((2, 2), 8)
    c = _check(params, x, y, h0)
    run = _run(c)
    found = _gradients(c, run, _back(c, run))
    print("bptt: every gradient against the derivative by complex step, at T=4, B=2, n_h=2, n_y=3, n_x=4")
    worst = 0.0
    for name, exact in found._asdict().items():
        value = getattr(c.params if name in Params._fields else c, name)
        largest = 0.0
        for at in np.ndindex(value.shape):
            moved = value.astype(complex)
            moved[at] += 1e-30j
            changed: dict[str, Any] = {name: moved}
            near = c._replace(params=c.params._replace(**changed)) if name in Params._fields else c._replace(**changed)
            slope = float(np.imag(_loss(near, _run(near)))) / 1e-30
            deviation = abs(float(exact[at]) - slope) / max(1.0, abs(slope))
            largest = max(largest, deviation) if deviation == deviation else float("inf")
        print(f"  {name}: {value.size} entries, largest deviation {largest:.1e}")
        worst = max(worst, largest)
    ones = [_check(params, x[:, b], y[:, b], h0[b]) for b in range(2)]
    together = float(_loss(c, run))
    difference = abs(sum(float(_loss(one, _run(one))) for one in ones) - together) / max(1.0, abs(together))
    print(f"  2 sequences together and one by one: losses differ by {difference:.1e}")
    worst = max(worst, difference if difference == difference else float("inf"))
    return worst


if __name__ == "__main__":
    passed = self_check() < 1e-10
    print("passed" if passed else "FAILED: a deviation above 1e-10")
    raise SystemExit(0 if passed else 1)
