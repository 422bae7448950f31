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
    small = np.exp(np.where(_positive(u), -u, u))
    value: Array = np.where(_positive(u), 1 / (1 + small), small / (1 + small))
    return value
''',
    "_softplus": '''
def _softplus(u: Array) -> Array:
    """log(1 + exp(u)), without overflow."""
    value: Array = np.where(_positive(u), u, 0) + np.log1p(np.exp(np.where(_positive(u), -u, u)))
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
    value: Array = np.where(_positive(u), 1.0, 0.0)
    return value
''',
    "_log_sum_exp": '''
def _log_sum_exp(u: Array) -> Array:
    """log(sum of exp(u)) over the last axis, which is kept; shifted by the maximum, so that nothing overflows."""
    top = np.max(np.real(u), axis=-1, keepdims=True)
    value: Array = top + np.log(np.sum(np.exp(u - top), axis=-1, keepdims=True))
    return value
''',
    "_softmax": '''
def _softmax(u: Array) -> Array:
    """exp(u) / sum of exp(u) over the last axis; shifted by the maximum, so that nothing overflows."""
    powers = np.exp(u - np.max(np.real(u), axis=-1, keepdims=True))
    value: Array = powers / np.sum(powers, axis=-1, keepdims=True)
    return value
''',
    "_diagonal": '''
def _diagonal(u: Array) -> Array:
    """Diagonal matrices (..., n, n) of vectors (..., n)."""
    value: Array = u[..., :, None] * np.eye(u.shape[-1])
    return value
''',
    "_stack": '''
def _stack(*parts: Array) -> Array:
    """Vectors one under the other, along the last axis."""
    lead = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    value: Array = np.concatenate([np.broadcast_to(part, lead + part.shape[-1:]) for part in parts], axis=-1)
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
}

NEEDS = {"_sigmoid": "_positive", "_softplus": "_positive", "_relu": "_positive", "_step": "_positive"}
"""Which kernel another one calls."""


def sources(names: set[str]) -> list[str]:
    """The source of these kernels and of those they need, in the order of the table."""
    wanted = names | {NEEDS[n] for n in names if n in NEEDS}
    return [text.strip("\n") for name, text in KERNELS.items() if name in wanted]
