# Written by symrnn 0.1.0 from the model bptt; not to be edited, but to be written again:
#     symrnn emit bptt --target numpy
# SPDX-License-Identifier: 0BSD
# (What symrnn writes carries no licence of symrnn: use it for any purpose, without any condition.)
#
# model: sha256 f04dfd9f097039d5c8a37e556cac38051b136919ee4226c4f4dc5ede1d360a0f
# proved: every adjoint and gradient, for all sizes and every T: equal to the derivative of the Lagrangian, index by
#     index (normal form)
# proved: and equal to forward derivatives over prime fields for n_h=2, n_y=3, n_x=4, T=4, up to 2^-74
# checked: this text was run: at n_h=2, n_y=3, n_x=2, T=2, alone and in a padded batch, every variable and the loss
#     lie within rounding of 50-digit values of the equations; every derivative is that by complex step
"""The recurrent network bptt: forward pass, loss, gradients by backpropagation through time.

    a[t] = W_hh @ h[t-1] + W_xh @ x[t] + b_h
    h[t] = tanh(a[t])
    o[t] = W_yh @ h[t] + b_o
    hat(y)[t] = softmax(o[t])
    loss[t] = -sum(y[t] * log(hat(y)[t]))
    L = sum_t=1..T(loss[t])

Source: Elman 1990; Werbos 1990; Goodfellow, Bengio and Courville, Deep Learning (2016), section 10.2.2; notation of
this project

Parameters: W_hh (n_h, n_h), W_xh (n_h, n_x), b_h (n_h,), W_yh (n_y, n_h), b_o (n_y,).
B sequences of T steps are arrays of shape (T, B, n); one sequence may come as (T, n), and so its results.
The loss of B sequences is the sum or the mean of their losses; a mask says which steps are padding.
Arithmetic is in the precision of the parameters, float32 or float64, which must be the same for all of them;
whatever else is given is taken in it. Lists and integers count as float64, unless a parameter says otherwise.
Run as a program, the module compares every gradient with a derivative by complex step.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Adjoints",
    "Forward",
    "Gradients",
    "InputGradients",
    "Params",
    "adjoints",
    "forward",
    "gradients",
    "loss",
    "loss_and_all_gradients",
    "loss_and_gradients",
    "self_check",
]

Array = NDArray[Any]
Shape = tuple[str | int, ...]


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
    o_lse: Array  # (T, B, 1)


class Adjoints(NamedTuple):
    """The derivatives of the loss by variables, at every step."""

    d_o: Array  # (T, B, n_y)
    d_h: Array  # (T, B, n_h)
    d_a: Array  # (T, B, n_h)


class Gradients(NamedTuple):
    """The derivatives of the loss by the parameters and the states before the first step."""

    W_hh: Array  # (n_h, n_h)
    W_xh: Array  # (n_h, n_x)
    b_h: Array  # (n_h,)
    W_yh: Array  # (n_y, n_h)
    b_o: Array  # (n_y,)
    h0: Array  # (B, n_h)


class InputGradients(NamedTuple):
    """The derivatives of the loss by the inputs, at every step."""

    x: Array  # (T, B, n_x)


def forward(params: Params, x: Any, h0: Any = None) -> Forward:
    """The variables at every step, from the parameters and the inputs.

    x: (T, B, n_x)
    h0: (B, n_h), h at the step before the first; zero if left out
    A single sequence may come without the axis B. TypeError or ValueError names an argument that is wrong.
    """
    c = _check(params, x, ..., h0)
    run = _run(c, True)
    if c.single:
        return Forward(run.a[:, 0], run.h[1:, 0], run.o[:, 0], run.hat_y[:, 0], run.o_lse[:, 0])
    return Forward(run.a, run.h[1:], run.o, run.hat_y, run.o_lse)


def loss(params: Params, x: Any, y: Any, h0: Any = None, *, mask: Any = None, reduction: str = "sum") -> float:
    """The loss, over all steps and sequences.

    x: (T, B, n_x)
    y: (T, B, n_y), probabilities that sum to 1; or class numbers from 0, as integers of shape (T, B)
    h0: (B, n_h), h at the step before the first; zero if left out
    mask: (T, B), False in padding, which is at the end and may hold anything; no step is padding if left out
    reduction: "sum", or "mean": over all steps of all sequences that are not padding
    A single sequence may come without the axis B. TypeError or ValueError names an argument that is wrong.
    """
    c = _check(params, x, y, h0, mask, reduction)
    return float(_loss(c, _run(c, False)))


def adjoints(
    params: Params, x: Any, y: Any, h0: Any = None, *, mask: Any = None, reduction: str = "sum"
) -> Adjoints:
    """The derivatives of the loss by the variables: the recurrences of backpropagation through time.

    adj o[t] = hat(y)[t] - y[t]
    adj h[t] = W_yh.T @ (adj o[t]) + W_hh.T @ (adj a[t+1])
    adj a[t] = (ones - h[t]**2) * adj h[t]

    Adjoints after the last step are zero. The arguments are those of `gradients`.
    """
    c = _check(params, x, y, h0, mask, reduction)
    back = _back(c, _run(c, False), True)
    if c.single:
        return Adjoints(back.d_o[:, 0], back.d_h[:, 0], back.d_a[:-1, 0])
    return Adjoints(back.d_o, back.d_h, back.d_a[:-1])


def gradients(
    params: Params, x: Any, y: Any, h0: Any = None, *, mask: Any = None, reduction: str = "sum"
) -> Gradients:
    """The derivatives of the loss by the parameters and the states before the first step.

    grad W_hh = sum_t=1..T(adj a[t] @ h[t-1].T)
    grad W_xh = sum_t=1..T(adj a[t] @ x[t].T)
    grad b_h = sum_t=1..T(adj a[t])
    grad W_yh = sum_t=1..T(adj o[t] @ h[t].T)
    grad b_o = sum_t=1..T(adj o[t])

    Each has the shape of what it is the derivative by.

    x: (T, B, n_x)
    y: (T, B, n_y), probabilities that sum to 1; or class numbers from 0, as integers of shape (T, B)
    h0: (B, n_h), h at the step before the first; zero if left out
    mask: (T, B), False in padding, which is at the end and may hold anything; no step is padding if left out
    reduction: "sum", or "mean": over all steps of all sequences that are not padding
    A single sequence may come without the axis B. TypeError or ValueError names an argument that is wrong.
    """
    return loss_and_gradients(params, x, y, h0, mask=mask, reduction=reduction)[1]


def loss_and_gradients(
    params: Params, x: Any, y: Any, h0: Any = None, *, mask: Any = None, reduction: str = "sum"
) -> tuple[float, Gradients]:
    """The loss and its derivatives, in one pass; the arguments are those of `gradients`."""
    c = _check(params, x, y, h0, mask, reduction)
    run = _run(c, False)
    back = _back(c, run, False)
    return float(_loss(c, run)), _returned(c, _gradients(c, run, back))


def loss_and_all_gradients(
    params: Params, x: Any, y: Any, h0: Any = None, *, mask: Any = None, reduction: str = "sum"
) -> tuple[float, Gradients, InputGradients]:
    """The loss and its derivatives, also those by the inputs, in one pass; the arguments are those of `gradients`."""
    c = _check(params, x, y, h0, mask, reduction)
    run = _run(c, False)
    back = _back(c, run, False)
    rates = _by_inputs(c, run, back)
    rates = InputGradients(*(rate[:, 0] for rate in rates)) if c.single else rates
    return float(_loss(c, run)), _returned(c, _gradients(c, run, back)), rates


# ---- the computation, on checked arguments


def _run(c: _Checked, everything: bool) -> Forward:
    """The variables at every step.

    Besides the steps 1..T, h has 1 more at the front. What the backward pass can do without is kept only for
    `everything`.
    """
    W_hh, W_xh, b_h, W_yh, b_o = c.params
    x, h0 = c.x, c.h0
    T, B, n_h = c.sizes["T"], c.sizes["B"], c.sizes["n_h"]
    kind = c.x.dtype
    a = _rows(T, (B, n_h), kind, everything)
    h = np.empty((T + 1, B, n_h), kind)
    h[0] = h0
    a_in = _times(x, W_xh.T)
    a_in += b_h
    W_hh_T = np.ascontiguousarray(W_hh.T)
    h_past = h[0]
    # the last argument of each call is where its result goes
    for a_t, a_in_t, h_t in zip(a, a_in, h[1:], strict=True):
        h_past.dot(W_hh_T, a_t)
        a_t += a_in_t
        np.tanh(a_t, h_t)
        h_past = h_t
    del a_in
    o = _times(h[1:], W_yh.T)
    o += b_o
    hat_y, o_lse = _softmax_and_log(o)
    return Forward(a, h, o, hat_y, o_lse)


def _loss(c: _Checked, run: Forward) -> Any:
    """The loss, over all steps and sequences."""
    o, o_lse = run.o, run.o_lse
    y = c.y
    loss_2 = _expected(y, o, o_lse)
    np.negative(loss_2, out=loss_2)
    return _weighed(loss_2, c).sum()


def _back(c: _Checked, run: Forward, everything: bool) -> Adjoints:
    """The adjoints at every step.

    Besides the steps 1..T, d_a has 1 more at the end, zero. What the gradients can do without is kept only for
    `everything`.
    """
    W_hh, W_yh = c.params.W_hh, c.params.W_yh
    h, hat_y = run.h, run.hat_y
    y = c.y
    T, B, n_h = c.sizes["T"], c.sizes["B"], c.sizes["n_h"]
    kind = c.x.dtype
    d_o = _weighed(_take_off(hat_y, y), c)
    d_h = _rows(T, (B, n_h), kind, everything)
    d_a = np.empty((T + 1, B, n_h), kind)
    d_a[T] = 0
    d_h_in = _times(d_o, W_yh)
    d_a_in = d_a[:-1]
    np.square(h[1:], out=d_a_in)
    np.subtract(1, d_a_in, out=d_a_in)
    d_a_next = d_a[T]
    # the last argument of each call is where its result goes
    for d_h_t, d_h_in_t, d_a_t in _backwards(d_h, d_h_in, d_a[:-1]):
        d_a_next.dot(W_hh, d_h_t)
        d_h_t += d_h_in_t
        d_a_t *= d_h_t
        d_a_next = d_a_t
    del d_h_in
    return Adjoints(d_o, d_h, d_a)


def _gradients(c: _Checked, run: Forward, back: Adjoints) -> Gradients:
    """The gradients: sums over steps and sequences."""
    W_hh = c.params.W_hh
    h = run.h
    d_o, d_a = back.d_o, back.d_a
    x = c.x
    d_W_hh = _sum_of_products(d_a[:-1], h[:-1])
    d_W_xh = _sum_of_products(d_a[:-1], x)
    d_b_h = d_a[:-1].sum(axis=(0, 1))
    d_W_yh = _sum_of_products(d_o, h[1:])
    d_b_o = d_o.sum(axis=(0, 1))
    d_h0 = d_a[0] @ W_hh
    return Gradients(d_W_hh, d_W_xh, d_b_h, d_W_yh, d_b_o, d_h0)


def _by_inputs(c: _Checked, run: Forward, back: Adjoints) -> InputGradients:
    """The derivatives by the inputs at every step."""
    W_xh = c.params.W_xh
    d_a = back.d_a
    d_x = _times(d_a[:-1], W_xh)
    return InputGradients(d_x)


def _returned(c: _Checked, found: Gradients) -> Gradients:
    """The gradients in the shapes of what they are derivatives by."""
    if c.single:
        found = found._replace(h0=found.h0[0])
    return found


def _softmax_and_log(u: Array) -> tuple[Array, Array]:
    """exp(u) / sum of exp(u), and log(sum of exp(u)), over the last axis; shifted so that nothing overflows."""
    top = u.real.max(axis=-1, keepdims=True)
    value: Array = u - top
    np.exp(value, out=value)
    sums = value.sum(axis=-1, keepdims=True)
    value /= sums
    return value, top + np.log(sums)


def _times(u: Array, w: Array) -> Array:
    """u @ w at every step of every sequence, as one matrix product."""
    value: Array = (u.reshape(-1, u.shape[-1]) @ w).reshape(*u.shape[:-1], w.shape[-1])
    return value


def _sum_of_products(u: Array, v: Array) -> Array:
    """Sum over steps and sequences of the outer products u v^T, as one matrix product."""
    value: Array = u.reshape(-1, u.shape[-1]).T @ v.reshape(-1, v.shape[-1])
    return value


def _rows(steps: int, shape: tuple[int, ...], kind: Any, kept: bool) -> Any:
    """So many rows, not filled: an array, or the same row again and again where none need be kept."""
    return np.empty((steps, *shape), kind) if kept else [np.empty(shape, kind)] * steps


def _backwards(*arrays: Array) -> Iterator[tuple[Array, ...]]:
    """The steps of arrays of the same length, the last one first."""
    return zip(*(array[::-1] for array in arrays), strict=True)


def _weighed(u: Array, c: _Checked) -> Array:
    """u times the weight of its step in the loss: zero in padding; one in a sum, or the share of one step in a mean."""
    value = u if c.share == 1 else c.share * u
    if c.mask is None:
        return value
    return np.where(c.mask.reshape(c.mask.shape + (1,) * (u.ndim - 2)), value, 0)


def _expected(y: Array, u: Array, v: Any) -> Array:
    """The sum of y * (u - v) over the last axis, which is kept; class numbers y pick one entry."""
    if y.ndim == u.ndim:
        return np.asarray(np.sum(y * (u - v), axis=-1, keepdims=True))
    picked = u.reshape(-1, u.shape[-1])[np.arange(y.size), y.ravel()]
    return np.asarray(picked.reshape(*y.shape, 1) - v)


def _take_off(u: Array, y: Array) -> Array:
    """u - y, in place, where nothing else needs u; class numbers y take one off one entry."""
    if y.ndim == u.ndim:
        u -= y
    else:
        u.reshape(-1, u.shape[-1])[np.arange(y.size), y.ravel()] -= 1
    return u


# ---- the arguments


class _Checked(NamedTuple):
    """Arguments that were checked, as arrays over (T, B, n); `single` says that they came without the axis B."""

    params: Params
    x: Array
    y: Array
    h0: Array
    mask: Array | None
    share: float
    total: float
    sizes: dict[str, int]
    single: bool


def _check(params: Params, x: Any, y: Any, h0: Any, mask: Any = None, reduction: str = "sum") -> _Checked:
    """The arguments as arrays, or an error that names the one that is wrong."""
    if not isinstance(params, Params):
        came = type(params).__name__
        raise TypeError(f"params must be Params(W_hh, W_xh, b_h, W_yh, b_o); it came as {came}")
    kind = _precision(params)
    single = _rank(x) == 2
    sizes: dict[str, int] = {"B": 1} if single else {}
    checked = Params(
        W_hh=_array("params.W_hh", params.W_hh, ("n_h", "n_h"), sizes, kind),
        W_xh=_array("params.W_xh", params.W_xh, ("n_h", "n_x"), sizes, kind),
        b_h=_array("params.b_h", params.b_h, ("n_h",), sizes, kind),
        W_yh=_array("params.W_yh", params.W_yh, ("n_y", "n_h"), sizes, kind),
        b_o=_array("params.b_o", params.b_o, ("n_y",), sizes, kind),
    )
    many: tuple[str, ...] = () if single else ("B",)
    x = _array("x", x, ("T", *many, "n_x"), sizes, kind)
    real = _mask(mask, ("T", *many), sizes)
    x = _unpadded(x, real)
    x = x[:, None] if single else x
    if y is not ...:
        y = _classes("y", y, ("T", *many, "n_y"), sizes, kind, real, True)
        y = y[:, None] if single else y
    if h0 is None:
        h0 = np.zeros((sizes["B"], sizes["n_h"]), kind)
    else:
        h0 = _array("h0", h0, (*many, "n_h"), sizes, kind)
        h0 = h0[None] if single else h0
    mask = None if real is None else real.reshape(sizes["T"], sizes["B"])
    count = sizes["T"] * sizes["B"] if real is None else int(real.sum())
    share = _share(reduction, count)
    return _Checked(checked, x, y, h0, mask, share, share * count, sizes, single)


def _array(name: str, value: Any, shape: Shape, sizes: dict[str, int], kind: Any = float) -> Array:
    """`value` as `kind` if it has the shape; a size without a number in `sizes` gets the one found here."""
    known = len(sizes)
    try:
        array = np.asarray(value)
    except ValueError:
        came = "it came as lists of unequal lengths"
        raise ValueError(f"{name} must have shape {_shape(shape, sizes)}; {came}") from None
    if array.dtype.kind not in ("b" if kind is bool else "fiu"):
        holds = "booleans" if kind is bool else "real numbers"
        raise TypeError(f"{name} must hold {holds}, in shape {_shape(shape, sizes)}; it came with dtype {array.dtype}")
    fits = array.ndim == len(shape)
    for size, n in zip(shape, array.shape, strict=False):
        fits = fits and n == (sizes.setdefault(size, n) if isinstance(size, str) else size)
    if not fits or 0 in array.shape:
        full = ", nowhere empty" if fits else ""
        wanted = _shape(shape, dict(list(sizes.items())[:known]))
        raise ValueError(f"{name} must have shape {wanted}{full}; it came with shape {array.shape}")
    return array if array.dtype == kind else array.astype(kind)


def _shape(shape: Shape, sizes: dict[str, int]) -> str:
    """A shape in symbols, and in numbers as far as they are known: (T, n_x) = (?, 3)."""
    comma = "," if len(shape) == 1 else ""
    numbers = ", ".join(str(sizes.get(size, "?") if isinstance(size, str) else size) for size in shape)
    return f"({', '.join(map(str, shape))}{comma}) = ({numbers}{comma})"


def _precision(params: Params) -> np.dtype[Any]:
    """The precision of the parameters: float32 or float64, the same for all of them."""
    kinds = {getattr(value, "dtype", None) for value in params}
    for usual in (np.dtype(np.float64), np.dtype(np.float32)):
        if kinds == {usual}:
            return usual
    found = {}
    for name, value in zip(Params._fields, params, strict=True):
        kind = getattr(value, "dtype", None)
        if isinstance(kind, np.dtype) and kind.kind == "f":
            found[name] = kind
    first = next(iter(found), "")
    wanted = found.get(first, np.dtype(float))
    for name, kind in found.items():
        if kind != wanted:
            raise TypeError(f"params.{name} must have dtype {wanted}, as params.{first} has; it came with dtype {kind}")
    if wanted.itemsize not in (4, 8):
        raise TypeError(f"params.{first} must have dtype float32 or float64; it came with dtype {wanted}")
    return np.dtype(wanted.type)


def _rank(value: Any) -> int:
    """The number of axes."""
    try:
        return int(np.ndim(value))
    except ValueError:
        return -1


def _mask(mask: Any, shape: Shape, sizes: dict[str, int]) -> Array | None:
    """Which steps are real and not padding; None where all are."""
    if mask is None:
        return None
    real = _array("mask", mask, shape, sizes, bool)
    wrong = np.argwhere(real[1:] & ~real[:-1])
    if wrong.size:
        where = f"sequence {wrong[0, 1]}" if real.ndim == 2 else "the sequence"
        came = f"{where} came with True at step {wrong[0, 0] + 1} after False (counted from 0)"
        raise ValueError(f"mask must be True and then False in every sequence, in shape {_shape(shape, sizes)}; {came}")
    if not real.any():
        raise ValueError(f"mask must leave a step of some sequence, in shape {_shape(shape, sizes)}; all are False")
    return real


def _unpadded(u: Array, real: Array | None) -> Array:
    """`u` with zeros in padding, which may hold anything."""
    return u if real is None else np.where(real.reshape(real.shape + (1,) * (u.ndim - real.ndim)), u, u.dtype.type(0))


def _share(reduction: str, count: int) -> float:
    """How much each of `count` losses counts."""
    if reduction not in ("sum", "mean"):
        raise ValueError(f'reduction must be "sum" or "mean"; it came as {reduction!r}')
    return 1.0 if reduction == "sum" else 1 / count


def _classes(
    name: str, value: Any, shape: Shape, sizes: dict[str, int], kind: Any, real: Array | None, numbers: bool
) -> Array:
    """A target of probabilities, or of class numbers, which are kept if `numbers` and else become probabilities."""
    size = shape[-1]
    if _rank(value) != len(shape) - 1 or np.asarray(value).dtype.kind not in "iu":
        array = _array(name, value, shape, sizes, kind)
        held = array if real is None else array[real]
        if not np.all((held >= 0) & (held <= 1)):
            came = f"{_shape(shape, sizes)}; it came with {held.min()} to {held.max()}"
            raise ValueError(f"{name} must hold numbers from 0 to 1, in shape {came}")
        sums = held.sum(axis=-1)
        if not np.all(np.abs(sums - 1) < max(1e-6, 1000 * np.finfo(kind).eps)):
            came = f"{sums.min()} to {sums.max()}"
            raise ValueError(f"{name} must sum to 1 over its last axis {size}; it came with sums from {came}")
        return _unpadded(array, real)
    labels = _array(name, value, shape[:-1], sizes, np.intp)
    held = labels if real is None else labels[real]
    n = sizes[str(size)]
    if held.view(np.uintp).max() >= n:  # as an unsigned number a negative one is larger than any size
        came = f"{held.min()} to {held.max()}"
        raise ValueError(f"{name} must hold class numbers from 0 to {size} - 1 = {n - 1}; it came with {came}")
    labels = _unpadded(labels, real)
    return labels if numbers else np.asarray(np.eye(n, dtype=kind)[labels])


# ---- the module checks itself


def _numbers(shape: tuple[int, ...], start: int) -> Array:
    """Fixed numbers between -0.7 and 0.7."""
    values: Array = 0.7 * np.sin(start + 1.7 * np.arange(int(np.prod(shape))).reshape(shape))
    return values


def self_check() -> float:
    """Compare every gradient with the derivative by complex step, and a padded batch with its sequences one by one.

    Print and return the largest deviation.
    """
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
    x[3, 1] = y[3, 1] = np.nan  # padding may hold anything
    mask = np.array([[True, True], [True, True], [True, True], [True, False]])
    c = _check(params, x, y, h0, mask, "mean")
    alone = [
        _check(params, x[: 4 - b, b], y[: 4 - b, b], h0[b], None, "sum")
        for b in range(2)
    ]
    count = 7
    run = _run(c, False)
    back = _back(c, run, False)
    found = _gradients(c, run, back)
    exact = found._asdict() | _by_inputs(c, run, back)._asdict()
    given = dict(x=c.x.astype(complex), y=c.y.astype(complex), h0=c.h0.astype(complex))
    given |= {n: v.astype(complex) for n, v in c.params._asdict().items()}
    print("bptt: every gradient against the derivative by complex step, at T=4, B=2, n_h=2, n_y=3, n_x=4")
    worst = 0.0
    for name, gradient in exact.items():
        past = len(given[name]) - len(gradient)
        largest = 0.0
        for at in np.ndindex(gradient.shape):
            moved: dict[str, Any] = dict(given)
            moved[name] = given[name].copy()
            moved[name][(at[0] + past, *at[1:])] += 1e-30j
            near = c._replace(params=Params(**{n: moved.pop(n) for n in Params._fields}))._replace(**moved)
            slope = float(np.imag(_loss(near, _run(near, False)))) / 1e-30
            deviation = abs(float(gradient[at]) - slope) / max(1.0, abs(slope))
            largest = max(largest, deviation) if deviation == deviation else float("inf")
        print(f"  {name}: {gradient.size} entries, largest deviation {largest:.1e}")
        worst = max(worst, largest)
    runs = [_run(one, False) for one in alone]
    largest = abs(sum(float(_loss(one, r)) for one, r in zip(alone, runs, strict=True)) / count - float(_loss(c, run)))
    each = [_gradients(one, r, _back(one, r, False)) for one, r in zip(alone, runs, strict=True)]
    for name in Params._fields:
        gap = sum(getattr(g, name) for g in each) / count - getattr(found, name)
        largest = max(largest, float(np.max(np.abs(gap))))
    print(f"  the mean over 2 sequences of lengths 4 and 3, padded, and one by one: largest difference {largest:.1e}")
    return max(worst, largest if largest == largest else float("inf"))


if __name__ == "__main__":
    passed = self_check() < 1e-10
    print("passed" if passed else "FAILED: a deviation above 1e-10")
    raise SystemExit(0 if passed else 1)
