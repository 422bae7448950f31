r"""Tuples, slices and windows, rows, quotients, formulas of functions, signs between arrays, transposes of every kind."""
from __future__ import annotations

import numpy as np
from hand import Text, sigmoid, softmax

ARRAYS = Text("arrays", {"time": "sub", "symbols": {
    "b": "vector m", "c": "vector m", "g": "vector d", "r": "vector q", "W": "matrix m m", "U": "matrix m d",
    "G": "matrix m m", r"\nu": "scalar", r"\rho": "scalar", "x": "vector d, sequence", "h": "vector m, sequence",
    "u": "scalar, sequence", "a": "vector m", "S": "vfunction softmax", "i": "index m", "j": "index m", "k": "index d", "t": "time",
    "m": "size", "d": "size", "q": "size"}})

# -- stacks, slices, windows
ARRAYS(r"(h_{t-1}, x_t)", lambda d, t: np.concatenate([d.h[t - 1], d.x[t]]))
ARRAYS(r"\tanh([h_{t-1}, x_t])", lambda d, t: np.tanh(np.concatenate([d.h[t - 1], d.x[t]])))
ARRAYS(r"[b; \nu; g]", lambda d, t: np.concatenate([d.b, [d.nu], d.g]))
ARRAYS(r"\begin{bmatrix} W b \\ g \end{bmatrix}", lambda d, t: np.concatenate([d.W @ d.b, d.g]))
ARRAYS(r"\begin{pmatrix} \nu \\ \rho \\ u_t \end{pmatrix}", lambda d, t: np.array([d.nu, d.rho, d.u[t]]))
ARRAYS(r"(b[2:m], \rho)", lambda d, t: np.concatenate([d.b[1:], [d.rho]]))
ARRAYS(r"h_t[1:m-1]", lambda d, t: d.h[t][:-1])
ARRAYS(r"h_t[2:]", lambda d, t: d.h[t][1:])
ARRAYS(r"W (u_{t-m+1}, \ldots, u_{t-1}, u_t)",
    lambda d, t: d.W @ np.array([d.u[t - k] for k in reversed(range(len(d.b)))]), steps=(4,))
ARRAYS(r"a^\top (u_{t-m}, \dots, u_{t-1})", lambda d, t: sum(d.a[k] * d.u[t - len(d.a) + k] for k in range(len(d.a))), steps=(4,))
ARRAYS(r"\sum_{i=1}^{m} a_i u_{t-m+i}",
    lambda d, t: sum(d.a[i - 1] * d.u[t - len(d.a) + i] for i in range(1, len(d.a) + 1)), steps=(3, 4))
ARRAYS(r"(u_{t-2}, u_{t-1}, u_t)", lambda d, t: np.array([d.u[t - 2], d.u[t - 1], d.u[t]]), steps=(3, 4))

# -- products of every kind
ARRAYS(r"b \, g^\top", lambda d, t: np.outer(d.b, d.g))
ARRAYS(r"b \otimes g", lambda d, t: d.b[:, None] * d.g[None, :])
ARRAYS(r"b^\top W c", lambda d, t: d.b @ d.W @ d.c)
ARRAYS(r"W b \odot G c", lambda d, t: (d.W @ d.b) * (d.G @ d.c))
ARRAYS(r"W (b \odot c)", lambda d, t: d.W @ (d.b * d.c))
ARRAYS(r"W \odot G^\top", lambda d, t: d.W * d.G.T)
ARRAYS(r"2 \nu W \cdot b - 3 c", lambda d, t: 2 * d.nu * d.W @ d.b - 3 * d.c)
ARRAYS(r"b * c", lambda d, t: d.b * d.c)
ARRAYS(r"\nu \times \rho", lambda d, t: d.nu * d.rho)
ARRAYS(r"W \times b", lambda d, t: d.W @ d.b)
ARRAYS(r"\operatorname{diag}(b) U", lambda d, t: d.b[:, None] * d.U)
ARRAYS(r"U \mathrm{diag}(g) U^\top", lambda d, t: sum(d.g[k] * np.outer(d.U[:, k], d.U[:, k]) for k in range(len(d.g))))

ARRAYS(r"\mathbf{1}_m^\top b", lambda d, t: d.b.sum())
ARRAYS(r"\mathbf{1} - b - \mathbf{0}_m", lambda d, t: 1 - d.b)

# -- transposes
ARRAYS(r"(W b)^\top", lambda d, t: (d.W @ d.b)[None, :])
ARRAYS(r"b^T W^{\mathsf{T}}", lambda d, t: (d.W @ d.b)[None, :])
ARRAYS(r"{h_t}^{\top} W^\top h_{t-1}", lambda d, t: d.h[t - 1] @ d.W @ d.h[t])
ARRAYS(r"h_t^{\intercal} \left( W^\top + G \right)", lambda d, t: (d.h[t] @ (d.W.T + d.G))[None, :])
ARRAYS(r"\left( U x_t x_t^\top \right)^{\!\top}", lambda d, t: np.outer(d.x[t], d.x[t]) @ d.U.T)

# -- quotients, powers, numbers
ARRAYS(r"\frac{b}{1 + c^2}", lambda d, t: d.b / (1 + d.c**2))
ARRAYS(r"\nu / (1 + \rho^2)", lambda d, t: d.nu / (1 + d.rho**2))
ARRAYS(r"\frac{\nu \, W}{2} + \frac{1}{m} G", lambda d, t: d.nu * d.W / 2 + d.G / len(d.b))
ARRAYS(r"\rho^{-2} (1 - b)^3", lambda d, t: (1 - d.b)**3 / d.rho**2)
ARRAYS(r"\sqrt{1 + \nu^2}", lambda d, t: np.sqrt(1 + d.nu**2))
ARRAYS(r"\sqrt{b^2 + c^2} - \sqrt[2]{\mathbf{1} + c^2}", lambda d, t: np.sqrt(d.b**2 + d.c**2) - np.sqrt(1 + d.c**2))
ARRAYS(r"0.25 \, b - 1", lambda d, t: d.b / 4 - 1)
ARRAYS(r"e^{-\nu b} + \ln(1 + e^{c})", lambda d, t: np.exp(-d.nu * d.b) + np.log(1 + np.exp(d.c)))
ARRAYS(r"\tanh^2(b) + \sin b \odot \cos c", lambda d, t: np.tanh(d.b)**2 + np.sin(d.b) * np.cos(d.c))
ARRAYS(r"\mathrm{softplus}(U g) - \mathrm{ReLU}(b)", lambda d, t: np.log1p(np.exp(d.U @ d.g)) - np.where(d.b > 0, d.b, 0))
ARRAYS(r"\nu W_{ij} - G_{ji}^2", lambda d, t: d.nu * d.W - d.G.T**2)
ARRAYS(r"W_{12} b_2 - c_1", lambda d, t: d.W[0, 1] * d.b[1] - d.c[0])

# -- sums over components
ARRAYS(r"\sum_{i,j} b_i W_{ij} c_j", lambda d, t: d.b @ d.W @ d.c)
ARRAYS(r"\sum_{j=1}^{m} \sum_{k=1}^{d} W_{ij} U_{jk} g_k", lambda d, t: d.W @ d.U @ d.g)
ARRAYS(r"\sum_{i \ne j} W_{ij} b_i", lambda d, t: d.W.T @ d.b - np.diag(d.W) * d.b)
ARRAYS(r"\sum_{i=1}^{m} W_{ii}", lambda d, t: np.trace(d.W))
ARRAYS(r"b_1^2 + b_2^2 + \dots + b_m^2", lambda d, t: d.b @ d.b)
ARRAYS(r"(b_1 c_1 + \dots + b_m c_m) - \nu", lambda d, t: d.b @ d.c - d.nu)
ARRAYS(r"S(W b)_i", lambda d, t: softmax(d.W @ d.b))
ARRAYS(r"\mathrm{softmax}_i(b)", lambda d, t: softmax(d.b))
ARRAYS(r"\operatorname{logsumexp}(r)", lambda d, t: np.log(sum(np.exp(v) for v in d.r)))
ARRAYS(r"\frac{\partial}{\partial b} \left( b^\top W b \right)", lambda d, t: d.W @ d.b + d.W.T @ d.b)
ARRAYS(r"\frac{\partial (W b)}{\partial b}", lambda d, t: d.W)
ARRAYS(r"\frac{\partial \, \mathrm{softmax}(b)_i}{\partial b_j}",
    lambda d, t: np.diag(softmax(d.b)) - np.outer(softmax(d.b), softmax(d.b)))

# -- functions that the text gives by a formula
FORMULA = Text("formula", {"time": "sub", "symbols": {
    "f": "function", "g": "function exp", r"\varsigma": "function sigmoid", "x": "scalar", "y": "scalar", "z": "vector m", "t": "time"}},
    (r"f(x) = \frac{x}{1 + x^2}",))
FORMULA(r"f(y) - f(2 x)", lambda d, t: d.y / (1 + d.y**2) - 2 * d.x / (1 + 4 * d.x**2))
FORMULA(r"f'(y)", lambda d, t: (1 - d.y**2) / (1 + d.y**2)**2)
FORMULA(r"\frac{g(x) - g(-x)}{g(x) + g(-x)}", lambda d, t: np.tanh(d.x))
FORMULA(r"\varsigma'(z)", lambda d, t: sigmoid(d.z) * (1 - sigmoid(d.z)))
FORMULA(r"g(x)^2 \, \varsigma(-z)", lambda d, t: np.exp(2 * d.x) / (1 + np.exp(d.z)))

# -- norms, roots, inner products and blocks
ARRAYS(r"\|b\| \langle b, c \rangle", lambda d, t: np.sqrt(d.b @ d.b) * (d.b @ d.c))
ARRAYS(r"\sqrt{\exp(b)} + \frac{\|W\|_F}{\operatorname{tr}(W^\top W)} b", lambda d, t: np.exp(d.b / 2) + d.b / np.sqrt((d.W**2).sum()))
ARRAYS(r"\begin{bmatrix} W & U \end{bmatrix} \begin{bmatrix} b \\ g \end{bmatrix}", lambda d, t: d.W @ d.b + d.U @ d.g)
ARRAYS(r"\langle W, G \rangle W^3 b", lambda d, t: (d.W * d.G).sum() * np.linalg.matrix_power(d.W, 3) @ d.b)
