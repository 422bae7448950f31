# Written by symrnn 0.1.0 from the model last-output; not to be edited, but to be written again:
#     symrnn emit last-output --target numpy --loss-at last
# SPDX-License-Identifier: 0BSD
# (What symrnn writes carries no licence of symrnn: use it for any purpose, without any condition.)
#
# model: sha256 5f53f668cf61472ebbf8d49e02a4a3d244e210238a827b0e910a040eba3b34c9
# proved: every adjoint and gradient of a loss with any weight at every step, so also one at the last step and zero
#     before it, for all sizes and every T: equal to the derivative of the Lagrangian, index by index (normal
#     form)
# proved: and equal to forward derivatives over prime fields for n_h=2, n_y=3, n_x=4, T=4, up to 2^-85
# checked: this text was run: at n_h=2, n_y=3, n_x=2, T=2, alone and in a padded batch, every variable and the loss
#     lie within rounding of 50-digit values of the equations; every derivative is that by complex step
"""The recurrent network last-output: forward pass, loss, gradients by backpropagation through time.

    h[t] = ?g(W @ x[t] + U @ h[t-1])
    y[t] = ?f(V @ h[t])
    loss[t] = (1/2) * ((y[t] - d[t]).T @ (y[t] - d[t]))
    L = loss[T]

Source: Recurrent Neural Networks, course notes with the Elman network (text 004_2f96793d3e1cf520)

Parameters: W (n_h, n_x), U (n_h, n_h), V (n_y, n_h).
B sequences of T steps are arrays of shape (T, B, n); one sequence may come as (T, n), and so its results.
The loss of B sequences is the sum or the mean of their losses at their last steps; a mask says which steps are
padding.
Arithmetic is in the precision of the parameters, float32 or float64, which must be the same for all of them;
whatever else is given is taken in it. Lists and integers count as float64, unless a parameter says otherwise.
Run as a program, the module compares every gradient with a derivative by complex step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
Function = Callable[[Array], Array]


class Params(NamedTuple):
    """The parameters; each may be anything of which NumPy makes an array of the given shape."""

    W: Any  # (n_h, n_x)
    U: Any  # (n_h, n_h)
    V: Any  # (n_y, n_h)


class Forward(NamedTuple):
    """The variables at every step ("last step": at that one only)."""

    h_pre: Array  # (T, B, n_h)
    h: Array  # (T, B, n_h)
    y_pre: Array  # (B, n_y), last step
    y: Array  # (B, n_y), last step


class Adjoints(NamedTuple):
    """The derivatives of the loss by variables, at every step ("last step": at that one only)."""

    d_y: Array  # (B, n_y), last step
    d_y_pre: Array  # (B, n_y), last step
    d_h: Array  # (T, B, n_h)
    d_h_pre: Array  # (T, B, n_h)


class Gradients(NamedTuple):
    """The derivatives of the loss by the parameters and the states before the first step."""

    W: Array  # (n_h, n_x)
    U: Array  # (n_h, n_h)
    V: Array  # (n_y, n_h)
    h0: Array  # (B, n_h)


class InputGradients(NamedTuple):
    """The derivatives of the loss by the inputs, at every step."""

    x: Array  # (T, B, n_x)


def forward(params: Params, x: Any, h0: Any = None, *, g: Function, f: Function) -> Forward:
    """The variables at every step, from the parameters and the inputs.

    x: (T, B, n_x)
    h0: (B, n_h), h at the step before the first; zero if left out
    g: an elementwise function of arrays
    f: an elementwise function of arrays
    A single sequence may come without the axis B. TypeError or ValueError names an argument that is wrong.
    """
    c = _check(params, x, ..., h0, g, g, f, g)
    run = _run(c, True)
    if c.single:
        return Forward(run.h_pre[:, 0], run.h[1:, 0], run.y_pre[0, 0], run.y[0, 0])
    return Forward(run.h_pre, run.h[1:], run.y_pre[0], run.y[0])


def loss(
    params: Params,
    x: Any,
    d: Any,
    h0: Any = None,
    *,
    g: Function,
    f: Function,
    mask: Any = None,
    reduction: str = "sum",
) -> float:
    """The loss at the last step, over all sequences.

    x: (T, B, n_x)
    d: (B, n_y)
    h0: (B, n_h), h at the step before the first; zero if left out
    g: an elementwise function of arrays
    f: an elementwise function of arrays
    mask: (T, B), False in padding, which is at the end and may hold anything; no step is padding if left out
    the last step of a sequence is its last one that is not padding
    reduction: "sum", or "mean" over the sequences
    A single sequence may come without the axis B. TypeError or ValueError names an argument that is wrong.
    """
    c = _check(params, x, d, h0, g, g, f, g, mask, reduction)
    return float(_loss(c, _run(c, False)))


def adjoints(
    params: Params,
    x: Any,
    d: Any,
    h0: Any = None,
    *,
    g: Function,
    dg: Function,
    f: Function,
    df: Function,
    mask: Any = None,
    reduction: str = "sum",
) -> Adjoints:
    """The derivatives of the loss by the variables: the recurrences of backpropagation through time.

    adj y[t] = y[t] - d[t]
    adj y_pre[t] = ?f'(y_pre[t]) * adj y[t]
    adj h[t] = V.T @ (adj y_pre[t]) + U.T @ (adj h_pre[t+1])
    adj h_pre[t] = ?g'(h_pre[t]) * adj h[t]
    where terms that come from the loss belong to t = T alone

    Adjoints after the last step are zero. The arguments are those of `gradients`.
    """
    c = _check(params, x, d, h0, g, dg, f, df, mask, reduction)
    back = _back(c, _run(c, False), True)
    if c.single:
        return Adjoints(back.d_y[0, 0], back.d_y_pre[0, 0], back.d_h[:, 0], back.d_h_pre[:-1, 0])
    return Adjoints(back.d_y[0], back.d_y_pre[0], back.d_h, back.d_h_pre[:-1])


def gradients(
    params: Params,
    x: Any,
    d: Any,
    h0: Any = None,
    *,
    g: Function,
    dg: Function,
    f: Function,
    df: Function,
    mask: Any = None,
    reduction: str = "sum",
) -> Gradients:
    """The derivatives of the loss by the parameters and the states before the first step.

    grad W = sum_t=1..T(adj h_pre[t] @ x[t].T)
    grad U = sum_t=1..T(adj h_pre[t] @ h[t-1].T)
    grad V = sum_t=1..T(adj y_pre[t] @ h[t].T)
    where terms that come from the loss belong to t = T alone

    Each has the shape of what it is the derivative by.

    x: (T, B, n_x)
    d: (B, n_y)
    h0: (B, n_h), h at the step before the first; zero if left out
    g: an elementwise function of arrays
    dg: an elementwise function of arrays, the derivative of g
    f: an elementwise function of arrays
    df: an elementwise function of arrays, the derivative of f
    mask: (T, B), False in padding, which is at the end and may hold anything; no step is padding if left out
    the last step of a sequence is its last one that is not padding
    reduction: "sum", or "mean" over the sequences
    A single sequence may come without the axis B. TypeError or ValueError names an argument that is wrong.
    """
    return loss_and_gradients(params, x, d, h0, g=g, dg=dg, f=f, df=df, mask=mask, reduction=reduction)[1]


def loss_and_gradients(
    params: Params,
    x: Any,
    d: Any,
    h0: Any = None,
    *,
    g: Function,
    dg: Function,
    f: Function,
    df: Function,
    mask: Any = None,
    reduction: str = "sum",
) -> tuple[float, Gradients]:
    """The loss and its derivatives, in one pass; the arguments are those of `gradients`."""
    c = _check(params, x, d, h0, g, dg, f, df, mask, reduction)
    run = _run(c, False)
    back = _back(c, run, False)
    return float(_loss(c, run)), _returned(c, _gradients(c, run, back))


def loss_and_all_gradients(
    params: Params,
    x: Any,
    d: Any,
    h0: Any = None,
    *,
    g: Function,
    dg: Function,
    f: Function,
    df: Function,
    mask: Any = None,
    reduction: str = "sum",
) -> tuple[float, Gradients, InputGradients]:
    """The loss and its derivatives, also those by the inputs, in one pass; the arguments are those of `gradients`."""
    c = _check(params, x, d, h0, g, dg, f, df, mask, reduction)
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
    W, U, V = c.params
    x, h0, g, f = c.x, c.h0, c.g, c.f
    T, B, n_h = c.sizes["T"], c.sizes["B"], c.sizes["n_h"]
    end = c.end
    kind = c.x.dtype
    h_pre = np.empty((T, B, n_h), kind)
    h = np.empty((T + 1, B, n_h), kind)
    h[0] = h0
    h_pre_in = _times(x, W.T)
    U_T = np.ascontiguousarray(U.T)
    h_past = h[0]
    # the last argument of each call is where its result goes
    for h_pre_t, h_pre_in_t, h_t in zip(h_pre, h_pre_in, h[1:], strict=True):
        h_past.dot(U_T, h_pre_t)
        h_pre_t += h_pre_in_t
        h_t[...] = g(h_pre_t)
        h_past = h_t
    del h_pre_in
    y_pre = _times(h[1:][end], V.T)
    y = f(y_pre)
    return Forward(h_pre, h, y_pre, y)


def _loss(c: _Checked, run: Forward) -> Any:
    """The loss at the last step, over all sequences."""
    y = run.y
    d = c.d
    loss_2 = (1/2)*np.sum((y - d)*(y - d), axis=-1, keepdims=True)
    return _shared(loss_2, c).sum()


def _back(c: _Checked, run: Forward, everything: bool) -> Adjoints:
    """The adjoints at every step.

    Besides the steps 1..T, d_h_pre has 1 more at the end, zero. What the gradients can do without is kept only for
    `everything`.
    """
    U, V = c.params.U, c.params.V
    h_pre, y_pre, y = run.h_pre, run.y_pre, run.y
    d, dg, df = c.d, c.dg, c.df
    T, B, n_h = c.sizes["T"], c.sizes["B"], c.sizes["n_h"]
    end = c.end
    kind = c.x.dtype
    d_y = _shared(y - d, c)
    d_y_pre = df(y_pre)
    d_y_pre *= d_y
    d_h_end = np.zeros((T, B, n_h), kind)
    d_h_end[end] = _times(d_y_pre, V)
    d_h = _rows(T, (B, n_h), kind, everything)
    d_h_pre = np.empty((T + 1, B, n_h), kind)
    d_h_pre[T] = 0
    d_h_pre_in = d_h_pre[:-1]
    d_h_pre_in[...] = dg(h_pre)
    d_h_pre_next = d_h_pre[T]
    # the last argument of each call is where its result goes
    for d_h_t, d_h_end_t, d_h_pre_t in _backwards(d_h, d_h_end, d_h_pre[:-1]):
        d_h_pre_next.dot(U, d_h_t)
        d_h_t += d_h_end_t
        d_h_pre_t *= d_h_t
        d_h_pre_next = d_h_pre_t
    return Adjoints(d_y, d_y_pre, d_h, d_h_pre)


def _gradients(c: _Checked, run: Forward, back: Adjoints) -> Gradients:
    """The gradients: sums over steps and sequences."""
    U = c.params.U
    h = run.h
    d_y_pre, d_h_pre = back.d_y_pre, back.d_h_pre
    x = c.x
    end = c.end
    d_W = _sum_of_products(d_h_pre[:-1], x)
    d_U = _sum_of_products(d_h_pre[:-1], h[:-1])
    d_V = _sum_of_products(d_y_pre, h[1:][end])
    d_h0 = d_h_pre[0] @ U
    return Gradients(d_W, d_U, d_V, d_h0)


def _by_inputs(c: _Checked, run: Forward, back: Adjoints) -> InputGradients:
    """The derivatives by the inputs at every step."""
    W = c.params.W
    d_h_pre = back.d_h_pre
    d_x = _times(d_h_pre[:-1], W)
    return InputGradients(d_x)


def _returned(c: _Checked, found: Gradients) -> Gradients:
    """The gradients in the shapes of what they are derivatives by."""
    if c.single:
        found = found._replace(h0=found.h0[0])
    return found


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


def _shared(u: Array, c: _Checked) -> Array:
    """u times the weight of its sequence in the loss: one in a sum, or the share of one sequence in a mean."""
    return u if c.share == 1 else c.share * u


# ---- the arguments


class _Checked(NamedTuple):
    """Arguments that were checked, as arrays over (T, B, n); `single` says that they came without the axis B."""

    params: Params
    x: Array
    d: Array
    h0: Array
    g: Function
    dg: Function
    f: Function
    df: Function
    mask: Array | None
    share: float
    total: float
    end: tuple[Array, Array]
    sizes: dict[str, int]
    single: bool


def _check(
    params: Params,
    x: Any,
    d: Any,
    h0: Any,
    g: Function,
    dg: Function,
    f: Function,
    df: Function,
    mask: Any = None,
    reduction: str = "sum",
) -> _Checked:
    """The arguments as arrays, or an error that names the one that is wrong."""
    if not isinstance(params, Params):
        came = type(params).__name__
        raise TypeError(f"params must be Params(W, U, V); it came as {came}")
    kind = _precision(params)
    single = _rank(x) == 2
    sizes: dict[str, int] = {"B": 1} if single else {}
    checked = Params(
        W=_array("params.W", params.W, ("n_h", "n_x"), sizes, kind),
        U=_array("params.U", params.U, ("n_h", "n_h"), sizes, kind),
        V=_array("params.V", params.V, ("n_y", "n_h"), sizes, kind),
    )
    many: tuple[str, ...] = () if single else ("B",)
    x = _array("x", x, ("T", *many, "n_x"), sizes, kind)
    real = _mask(mask, ("T", *many), sizes)
    x = _unpadded(x, real)
    x = x[:, None] if single else x
    if d is not ...:
        d = _target("d", d, (*many, "n_y"), sizes, kind, None, False)
        d = d[None, None] if single else d[None]
    if h0 is None:
        h0 = np.zeros((sizes["B"], sizes["n_h"]), kind)
    else:
        h0 = _array("h0", h0, (*many, "n_h"), sizes, kind)
        h0 = h0[None] if single else h0
    mask = None if real is None else real.reshape(sizes["T"], sizes["B"])
    count = sizes["B"]
    share = _share(reduction, count)
    last = np.full(sizes["B"], sizes["T"] - 1) if mask is None else mask.sum(axis=0) - 1
    end = last[None], np.arange(sizes["B"])[None]
    return _Checked(checked, x, d, h0, g, dg, f, df, mask, share, share * count, end, sizes, single)


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
    if not real[0].all():
        raise ValueError(f"mask must leave a step of every sequence, in shape {_shape(shape, sizes)}; one is all False")
    return real


def _unpadded(u: Array, real: Array | None) -> Array:
    """`u` with zeros in padding, which may hold anything."""
    return u if real is None else np.where(real.reshape(real.shape + (1,) * (u.ndim - real.ndim)), u, u.dtype.type(0))


def _share(reduction: str, count: int) -> float:
    """How much each of `count` losses counts."""
    if reduction not in ("sum", "mean"):
        raise ValueError(f'reduction must be "sum" or "mean"; it came as {reduction!r}')
    return 1.0 if reduction == "sum" else 1 / count


def _target(
    name: str, value: Any, shape: Shape, sizes: dict[str, int], kind: Any, real: Array | None, unit: bool
) -> Array:
    """A target; with `unit` it must hold numbers from 0 to 1."""
    array = _array(name, value, shape, sizes, kind)
    held = array if real is None else array[real]
    if unit and not np.all((held >= 0) & (held <= 1)):
        came = f"{held.min()} to {held.max()}"
        raise ValueError(f"{name} must hold numbers from 0 to 1, in shape {_shape(shape, sizes)}; it came with {came}")
    return _unpadded(array, real)


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
        W=_numbers((2, 4), 1),
        U=_numbers((2, 2), 2),
        V=_numbers((3, 2), 3),
    )
    x = _numbers((4, 2, 4), 4)
    d = _numbers((2, 3), 5)
    h0 = _numbers((2, 2), 6)
    x[3, 1] = np.nan  # padding may hold anything
    mask = np.array([[True, True], [True, True], [True, True], [True, False]])
    c = _check(params, x, d, h0, np.tanh, lambda u: 1 - np.tanh(u) ** 2, np.tanh, lambda u: 1 - np.tanh(u) ** 2, mask, "mean")
    alone = [
        _check(params, x[: 4 - b, b], d[b], h0[b], np.tanh, lambda u: 1 - np.tanh(u) ** 2, np.tanh, lambda u: 1 - np.tanh(u) ** 2, None, "sum")
        for b in range(2)
    ]
    count = 2
    run = _run(c, False)
    back = _back(c, run, False)
    found = _gradients(c, run, back)
    exact = found._asdict() | _by_inputs(c, run, back)._asdict()
    given = dict(x=c.x.astype(complex), d=c.d.astype(complex), h0=c.h0.astype(complex))
    given |= {n: v.astype(complex) for n, v in c.params._asdict().items()}
    print("last-output: every gradient against the derivative by complex step, at T=4, B=2, n_h=2, n_y=3, n_x=4")
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
