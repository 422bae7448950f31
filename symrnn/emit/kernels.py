"""The functions that an emitted module may need: text of NumPy source, each included only where it is called.

All of them take arrays whose last axis is that of the vector, real or complex (for complex-step derivatives), and avoid overflow.
"""
from __future__ import annotations

KERNELS: dict[str, str] = {
    "_positive": '''
def _positive(u: Array) -> Array:
    """Where the (real part of the) entry is positive."""
    where: Array = np.real(u) > 0
    return where
''',
    "_sigmoid": '''
def _sigmoid(u: Array) -> Array:
    """1 / (1 + exp(-u)), without overflow."""
    positive = _positive(u)
    small = np.exp(np.where(positive, -u, u))
    value: Array = np.where(positive, 1, small) / (1 + small)
    return value
''',
    "_softplus": '''
def _softplus(u: Array) -> Array:
    """log(1 + exp(u)), without overflow."""
    positive = _positive(u)
    value: Array = np.where(positive, u, 0) + np.log1p(np.exp(np.where(positive, -u, u)))
    return value
''',
    "_relu": '''
def _relu(u: Array) -> Array:
    """max(u, 0)."""
    value: Array = np.where(_positive(u), u, 0)
    return value
''',
    "_step": '''
def _step(u: Array) -> Array:
    """1 where u > 0, else 0: the derivative of max(u, 0)."""
    value: Array = _positive(u).astype(u.real.dtype)
    return value
''',
    "_log_sum_exp": '''
def _log_sum_exp(u: Array) -> Array:
    """log(sum of exp(u)) over the last axis, which is kept; shifted by the maximum, so that nothing overflows."""
    top = u.real.max(axis=-1, keepdims=True)
    value: Array = top + np.log(np.exp(u - top).sum(axis=-1, keepdims=True))
    return value
''',
    "_softmax": '''
def _softmax(u: Array) -> Array:
    """exp(u) / sum of exp(u) over the last axis; shifted by the maximum, so that nothing overflows."""
    value: Array = u - u.real.max(axis=-1, keepdims=True)
    np.exp(value, out=value)
    value /= value.sum(axis=-1, keepdims=True)
    return value
''',
    "_softmax_and_log": '''
def _softmax_and_log(u: Array) -> tuple[Array, Array]:
    """exp(u) / sum of exp(u), and log(sum of exp(u)), over the last axis; shifted so that nothing overflows."""
    top = u.real.max(axis=-1, keepdims=True)
    value: Array = u - top
    np.exp(value, out=value)
    sums = value.sum(axis=-1, keepdims=True)
    value /= sums
    return value, top + np.log(sums)
''',
    "_diagonal": '''
def _diagonal(u: Array) -> Array:
    """Diagonal matrices (..., n, n) of vectors (..., n)."""
    value: Array = u[..., :, None] * np.eye(u.shape[-1], dtype=u.dtype)
    return value
''',
    "_stack": '''
def _stack(*parts: Array) -> Array:
    """Vectors one under the other, along the last axis."""
    lead = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    value: Array = np.concatenate([np.broadcast_to(part, lead + part.shape[-1:]) for part in parts], axis=-1)
    return value
''',
    "_times": '''
def _times(u: Array, w: Array) -> Array:
    """u @ w at every step of every sequence, as one matrix product."""
    value: Array = (u.reshape(-1, u.shape[-1]) @ w).reshape(*u.shape[:-1], w.shape[-1])
    return value
''',
    "_sum_of_products": '''
def _sum_of_products(u: Array, v: Array) -> Array:
    """Sum over steps and sequences of the outer products u v^T, as one matrix product."""
    value: Array = u.reshape(-1, u.shape[-1]).T @ v.reshape(-1, v.shape[-1])
    return value
''',
    "_ahead": '''
def _ahead(u: Array, k: int) -> Array:
    """u[t + k] for every t; at the end, where it meets a zero adjoint, the last value is kept."""
    value: Array = u[np.minimum(np.arange(len(u)) + k, len(u) - 1)]
    return value
''',
    "_rows": '''
def _rows(steps: int, shape: tuple[int, ...], kind: Any, kept: bool) -> Any:
    """So many rows, not filled: an array, or the same row again and again where none need be kept."""
    return np.empty((steps, *shape), kind) if kept else [np.empty(shape, kind)] * steps
''',
    "_backwards": '''
def _backwards(*arrays: Array) -> Iterator[tuple[Array, ...]]:
    """The steps of arrays of the same length, the last one first."""
    return zip(*(array[::-1] for array in arrays), strict=True)
''',
    "_weighed": '''
def _weighed(u: Array, c: _Checked) -> Array:
    """u times the weight of its step in the loss: zero in padding; one in a sum, or the share of one step in a mean."""
    value = u if c.share == 1 else c.share * u
    if c.mask is None:
        return value
    return np.where(c.mask.reshape(c.mask.shape + (1,) * (u.ndim - 2)), value, 0)
''',
    "_shared": '''
def _shared(u: Array, c: _Checked) -> Array:
    """u times the weight of its sequence in the loss: one in a sum, or the share of one sequence in a mean."""
    return u if c.share == 1 else c.share * u
''',
    "_expected": '''
def _expected(y: Array, u: Array, v: Any) -> Array:
    """The sum of y * (u - v) over the last axis, which is kept; class numbers y pick one entry."""
    if y.ndim == u.ndim:
        return np.asarray(np.sum(y * (u - v), axis=-1, keepdims=True))
    picked = u.reshape(-1, u.shape[-1])[np.arange(y.size), y.ravel()]
    return np.asarray(picked.reshape(*y.shape, 1) - v)
''',
    "_off": '''
def _off(u: Array, y: Array) -> Array:
    """u - y, as a new array; class numbers y take one off one entry."""
    return _take_off(u.copy(), y)
''',
    "_take_off": '''
def _take_off(u: Array, y: Array) -> Array:
    """u - y, in place, where nothing else needs u; class numbers y take one off one entry."""
    if y.ndim == u.ndim:
        u -= y
    else:
        u.reshape(-1, u.shape[-1])[np.arange(y.size), y.ravel()] -= 1
    return u
''',
    "_one_hot": '''
def _one_hot(y: Array, n: int, kind: Any) -> Array:
    """Class numbers as probabilities; what are probabilities stays as it is."""
    return y if y.dtype.kind not in "iu" else np.asarray(np.eye(n, dtype=kind)[y])
''',
}

NEEDS = {"_sigmoid": "_positive", "_softplus": "_positive", "_relu": "_positive", "_step": "_positive",
         "_off": "_take_off"}
"""Which kernel another one calls."""


def sources(names: set[str]) -> list[str]:
    """The source of these kernels and of those they need, in the order of the table."""
    wanted = names | {NEEDS[n] for n in names if n in NEEDS}
    return [text.strip("\n") for name, text in KERNELS.items() if name in wanted]
