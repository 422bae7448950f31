r"""The six ways to write a time, gates, leaks, and quantities whose time or argument is left out."""
from __future__ import annotations

from typing import Any

import numpy as np
from hand import Drawn, Text, phi, phi_slope, psi, sigmoid, slope, softmax


# -- upper times in brackets: a gated unit ---------------------------------------------------------------------------------
def gated(d: Drawn) -> None:
    d.h = {0: d.start("h", 0)}
    d.g, d.c, d.l = {}, {}, {}
    for t in range(1, d.T + 1):
        d.g[t] = sigmoid(d.Q @ d.h[t - 1] + d.P @ d.e[t])
        d.c[t] = np.tanh(d.R @ (d.g[t] * d.h[t - 1]) + d.b)
        d.h[t] = (1 - d.g[t]) * d.h[t - 1] + d.g[t] * d.c[t] + d.bump("h", t)
        d.l[t] = ((d.h[t] - d.y[t])**2).sum() / 2


GATED = Text("gated", {
    "time": "sup", "symbols": {
        "h": "vector m, sequence", r"\Gamma": "vector m, sequence", r"\tilde{h}": "vector m, sequence", "e": "vector d, sequence",
        "y": "vector m, sequence", "Q": "matrix m m", "P": "matrix m d", "R": "matrix m m", "b": "vector m", "J": "scalar, sequence",
        "S": "scalar", r"\sigma": "function sigmoid", r"\lambda": "scalar", "i": "index m", "j": "index m", "t": "time"},
    "targets": ["y"], "loss": "J", "total": "S"},
    (r"\boldsymbol{\Gamma}^{(t)} = \sigma(\boldsymbol{Q} \boldsymbol{h}^{(t-1)} + \boldsymbol{P} \boldsymbol{e}^{(t)})",
     r"\tilde{h}^{(t)} = \tanh(R (\Gamma^{(t)} \odot h^{(t-1)}) + b)",
     r"h^{(t)} = (1 - \Gamma^{(t)}) \odot h^{(t-1)} + \Gamma^{(t)} \odot \tilde{h}^{(t)}",
     r"J^{(t)} = \frac{1}{2} \sum_{i=1}^{m} (h_i^{(t)} - y_i^{(t)})^2", r"S = \sum_{t=1}^{T} J^{(t)}"),
    gated, {"g": "Gamma", "c": "tilde(h)", "lam": "lambda", "l": "J"})


def cost(d: Drawn) -> Any:
    return d.l[1] + d.l[2] + d.l[3] + d.l[4]


GATED(r"\sigma( Q h^{(t-1)} + P e^{(t)} )", lambda d, t: 1 / (1 + np.exp(-(d.Q @ d.h[t - 1] + d.P @ d.e[t]))))
GATED(r"R \Gamma^{(t)} \circ h^{(t-1)} + b", lambda d, t: (d.R @ d.g[t]) * d.h[t - 1] + d.b)
GATED(r"R \odot Q \, h^{(t)}", lambda d, t: (d.R * d.Q) @ d.h[t])
GATED(r"\Gamma^{(t)} * \tilde{h}^{(t)} + (\mathbf{1} - \Gamma^{(t)}) * h^{(t-1)}", lambda d, t: d.h[t])
GATED(r"\Gamma^{(t)} \odot (1 - \Gamma^{(t)})", lambda d, t: d.g[t] - d.g[t]**2)
GATED(r"{h^{(t-1)}}^\top R \, h^{(t)}", lambda d, t: d.h[t - 1] @ d.R @ d.h[t])
GATED(r"\sigma'(b) \odot \exp(b)", lambda d, t: sigmoid(d.b) * sigmoid(-d.b) * np.exp(d.b))
GATED(r"\left( \boldsymbol{h}^{(t)} {\boldsymbol{h}^{(t-1)}}^{\intercal} \right)^\top R^T",
    lambda d, t: np.outer(d.h[t - 1], d.h[t]) @ d.R.T)
GATED(r"\frac{h_i^{(t)} - h_j^{(t)}}{1 + \left( h_i^{(t)} \right)^2}",
    lambda d, t: (d.h[t][:, None] - d.h[t][None, :]) / (1 + d.h[t][:, None]**2))
GATED(r"\nabla_{h^{(t)}} S", lambda d, t: slope(cost, d, "h", t))
GATED(r"\frac{\partial S}{\partial Q}", lambda d, t: slope(cost, d, "Q"))
GATED(r"\nabla_R S", lambda d, t: slope(cost, d, "R"))
GATED(r"\frac{\partial h^{(t+1)}}{\partial h^{(t)}}", lambda d, t: slope(lambda e: e.h[t + 1], d, "h", t), steps=(1, 2, 3))
GATED(r"\frac{\partial J^{(t)}}{\partial h^{(t-1)}_j}", lambda d, t: slope(lambda e: e.l[t], d, "h", t - 1), steps=(2, 3, 4))
GATED(r"\lambda \left\| b \right\|_2^2 + S", lambda d, t: d.lam * sum(x * x for x in d.b) + cost(d))
GATED(r"\sum_{j \neq i} R_{ij} h^{(t)}_j", lambda d, t: np.array(
    [sum(d.R[i, j] * d.h[t][j] for j in range(len(d.b)) if j != i) for i in range(len(d.b))]))


# -- times in brackets: a leaky reservoir, time letter n ---------------------------------------------------------------------
def reservoir(d: Drawn) -> None:
    d.x = {0: d.start("x", 0)}
    d.o = {}
    for n in range(1, d.T + 1):
        d.x[n] = (1 - d.mu) * d.x[n - 1] + d.mu * phi(d.M @ d.x[n - 1] + d.Min @ d.v[n])
        d.o[n] = d.Mout @ d.x[n]


LEAKY = Text("reservoir", {
    "time": "call", "time_letter": "n", "symbols": {
        "x": "vector m, sequence", "v": "vector d, sequence", "o": "vector q, sequence", "M": "matrix m m", "M^{in}": "matrix m d",
        "M^{out}": "matrix q m", r"\mu": "scalar", r"\phi": "function", r"\psi": "function", "n": "time", "i": "index m", "j": "index m"}},
    (r"x(n) = (1 - \mu) x(n-1) + \mu \phi(M x(n-1) + M^{in} v(n))", r"o(n) = M^{out} x(n)"),
    reservoir, {"mu": "mu", "Min": "M^in", "Mout": "M^out"})
LEAKY(r"\phi(M x(n-1) + M^{in} v(n))", lambda d, n: phi(d.M @ d.x[n - 1] + d.Min @ d.v[n]))
LEAKY(r"(1 - \mu) \, x(n - 1) + \mu \, \phi \left( M \, x(n - 1) + M^{in} \, v(n) \right)", lambda d, n: d.x[n])
LEAKY(r"M^{out} \psi(x(n))", lambda d, n: d.Mout @ psi(d.x[n]))
LEAKY(r"\phi'(M x(n)) \odot x(n)", lambda d, n: phi_slope(d.M @ d.x[n]) * d.x[n])
LEAKY(r"x_i(n-1) - \mu \sum_{j=1}^{m} M_{ij} x_j(n)", lambda d, n: d.x[n - 1] - d.mu * (d.M @ d.x[n]))
LEAKY(r"\frac{\partial o(n)}{\partial x(n-1)}", lambda d, n: d.Mout @ (
    (1 - d.mu) * np.eye(len(d.M)) + d.mu * phi_slope(d.M @ d.x[n - 1] + d.Min @ d.v[n])[:, None] * d.M))
LEAKY(r"x(0)^\top x(n)", lambda d, n: d.x[0] @ d.x[n])

# -- angle brackets -----------------------------------------------------------------------------------------------------------
ANGLE = Text("angle", {"time": "angle", "symbols": {
    "a": "vector m, sequence", "x": "vector d, sequence", r"\hat{y}": "vector q, sequence", "W_{aa}": "matrix m m",
    "W_{ax}": "matrix m d", "W_{ya}": "matrix q m", "b_a": "vector m", "b_y": "vector q", "g": "function relu", "t": "time"}},
    names={"Waa": "W_aa", "Wax": "W_ax", "Wya": "W_ya", "ba": "b_a", "by": "b_y"})
ANGLE(r"W_{aa} a^{\langle t-1 \rangle} + W_{ax} x^{\langle t \rangle} + b_a",
    lambda d, t: d.Waa @ d.a[t - 1] + d.Wax @ d.x[t] + d.ba)
ANGLE(r"g(W_{aa} a^{<t-1>} + b_a)", lambda d, t: np.maximum(0, d.Waa @ d.a[t - 1] + d.ba))
ANGLE(r"\mathrm{softmax}(W_{ya} a^{<t>} + b_y)", lambda d, t: softmax(d.Wya @ d.a[t] + d.by))
ANGLE(r"W_{ya} \, \mathrm{diag}(g'(a^{<t>})) \, W_{aa}", lambda d, t: d.Wya @ np.diag(1.0 * (d.a[t] > 0)) @ d.Waa)
ANGLE(r"[W_{aa} a^{<1>} ; W_{ya} a^{<2>}]", lambda d, t: np.concatenate([d.Waa @ d.a[1], d.Wya @ d.a[2]]))

# -- bare upper times, and square brackets ----------------------------------------------------------------------------------
BARE = Text("bare", {"time": "bare", "symbols": {
    "z": "vector m, sequence", "V": "matrix m m", r"\psi": "function", r"\theta": "scalar", "t": "time", "k": "index"}})
BARE(r"V \psi(z^{t-1}) + \theta z^t", lambda d, t: d.V @ psi(d.z[t - 1]) + d.theta * d.z[t])
BARE(r"{z^t}^\top z^{t+1} + \theta^2", lambda d, t: d.z[t] @ d.z[t + 1] + d.theta**2)
BARE(r"\sum_{k=1}^{t} V^\top z^k", lambda d, t: sum(d.V.T @ d.z[k] for k in range(1, t + 1)))
SQUARE = Text("square", {"time": "bracket", "symbols": {
    "h": "vector m, sequence", "x": "vector d, sequence", "W": "matrix m m", "U": "matrix m d", r"\phi": "function", "t": "time",
    r"\alpha": "scalar"}})
SQUARE(r"\alpha h[t-1] + (1 - \alpha) \phi(W h[t-1] + U x[t])", lambda d, t: d.alpha * d.h[t - 1] + (1 - d.alpha) * phi(
    d.W @ d.h[t - 1] + d.U @ d.x[t]))
SQUARE(r"h[t] \times h[t-1] - \frac{h[t]}{2}", lambda d, t: d.h[t] * d.h[t - 1] - d.h[t] / 2)
SQUARE(r"W \cdot h[0] \cdot \alpha", lambda d, t: d.alpha * d.W @ d.h[0])

# -- times and arguments left out ---------------------------------------------------------------------------------------------
ELIDED = Text("elided", {
    "time": "sup", "symbols": {
        "o": "vector q, sequence", "f": "vector q, sequence", r"\sigma": "vfunction softmax, sequence", "p": "vector q, sequence",
        "W": "matrix q q", "z": "vector q", "i": "index q", "j": "index q", "t": "time"}, "elided": {r"\sigma": r"\sigma(o^{(t)})"}})
ELIDED(r"\sigma - p", lambda d, t: softmax(d.o[t]) - d.p[t])
ELIDED(r"\sigma_i (1 - \sigma_i)", lambda d, t: softmax(d.o[t]) * (1 - softmax(d.o[t])))
ELIDED(r"\sigma(z)_i", lambda d, t: softmax(d.z))
ELIDED(r"\begin{cases} \sigma_i (1 - \sigma_j) & \text{if } i = j \\ -\sigma_i \sigma_j & \text{otherwise} \end{cases}",
    lambda d, t: np.diag(
    softmax(d.o[t])) - np.outer(softmax(d.o[t]), softmax(d.o[t])))
ELIDED(r"W^\top (\sigma - p) o^\top", lambda d, t: np.outer(d.W.T @ (softmax(d.o[t]) - d.p[t]), d.o[t]))
ELIDED(r"\frac{\partial \sigma_i}{\partial o_j}",
    lambda d, t: np.diag(softmax(d.o[t])) - np.outer(softmax(d.o[t]), softmax(d.o[t])))
ELIDED(r"\sum_{t=1}^{T} (\sigma - p)", lambda d, t: sum(softmax(d.o[k]) - d.p[k] for k in (1, 2, 3, 4)))
