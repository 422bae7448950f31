r"""A recurrent network with softmax and cross-entropy, times below: forward equations, Jacobians, gradients, update rules."""
from __future__ import annotations

from typing import Any

import numpy as np
from hand import Drawn, Text, slope, softmax


def forward(d: Drawn) -> None:
    """s = tanh(A s[t-1] + B u + beta), r = C s + gamma, p = softmax(r), loss -w.log(p); the copies of A at each step are bumped too."""
    d.s, d.a, d.r, d.p, d.loss = {0: d.start("s", 0)}, {}, {}, {}, {}
    for t in range(1, d.T + 1):
        d.a[t] = (d.A + d.bump("A", t)) @ d.s[t - 1] + d.B @ d.u[t] + d.beta + d.bump("a", t)
        d.s[t] = np.tanh(d.a[t]) + d.bump("s", t)
        d.r[t] = d.C @ d.s[t] + d.gamma + d.bump("r", t)
        d.p[t] = softmax(d.r[t]) + d.bump("p", t)
        d.loss[t] = -(d.w[t] * np.log(d.p[t])).sum()


NET = Text("network", {
    "time": "sub", "symbols": {
        "u": "vector d, sequence", "a": "vector m, sequence", "s": "vector m, sequence", "r": "vector q, sequence",
        r"\pi": "vector q, sequence", "w": "vector q, sequence", "A": "matrix m m", "B": "matrix m d", "C": "matrix q m",
        r"\beta": "vector m", r"\gamma": "vector q", r"\eta": "scalar", r"\varepsilon": "scalar, sequence", "E": "scalar",
        "i": "index m", "j": "index m", "k": "index q", "l": "index q", "t": "time", r"\tau": "index"},
    "targets": ["w"], "simplex": ["w"], "loss": r"\varepsilon", "total": "E", "rate": r"\eta", "gradients": [r"\delta"]},
    (r"a_t = A s_{t-1} + B u_t + \beta", r"s_t = \tanh(a_t)", r"r_t = C s_t + \gamma", r"\pi_t = \mathrm{softmax}(r_t)",
     r"\varepsilon_t = -\sum_{k=1}^{q} w_{t,k} \log \pi_{t,k}", r"E = \sum_{t=1}^{T} \varepsilon_t"),
    forward, {"p": "pi"})


def loss(d: Drawn) -> Any:
    """The loss of all steps."""
    return sum(d.loss.values())


def by(name: str, step: int = 0) -> Any:
    """The derivative of the loss by a parameter, or (with ``step``) by what stands ``step`` steps from t."""
    return lambda d, t: slope(loss, d, name, t + step)


def delta(d: Drawn, t: int) -> Any:
    """dE/da at a step, by complex steps; zero after the last."""
    return slope(loss, d, "a", t) if t <= d.T else 0 * d.beta


# -- forward equations and the unrolled state
NET(r"A s_{t-1} + B u_t + \beta", lambda d, t: d.A.dot(d.s[t - 1]) + d.B.dot(d.u[t]) + d.beta)
NET(r"s_t = \tanh\left( A \, s_{t-1} + B \, u_t + \beta \right)", lambda d, t: np.tanh(d.A @ d.s[t - 1] + d.B @ d.u[t] + d.beta))
NET(r"\tanh(\beta + B u_t + A \tanh(\beta + B u_{t-1} + A s_{t-2}))", steps=(2, 3, 4), hand=lambda d, t: np.tanh(
    d.beta + d.B @ d.u[t] + d.A @ np.tanh(d.beta + d.B @ d.u[t - 1] + d.A @ d.s[t - 2])))
NET(r"\tanh(A \tanh(A \tanh(A s_0 + B u_1 + \beta) + B u_2 + \beta) + B u_3 + \beta)", lambda d, t: d.s[3])
NET(r"\tanh\left( \sum_{j=1}^{m} A_{ij} s_{t-1,j} + \beta_i \right)", lambda d, t: np.array(
    [np.tanh(sum(d.A[i, j] * d.s[t - 1][j] for j in range(len(d.beta))) + d.beta[i]) for i in range(len(d.beta))]))
NET(r"[C s_t]_k + \gamma_k", lambda d, t: d.C @ d.s[t] + d.gamma)
NET(r"\left( A - \eta A^\top \right)_{ij}", lambda d, t: d.A - d.eta * d.A.T)

# -- softmax and cross-entropy
NET(r"\pi_{t,k} = \frac{e^{r_{t,k}}}{\sum_{l=1}^{q} e^{r_{t,l}}}", lambda d, t: np.exp(d.r[t]) / sum(np.exp(x) for x in d.r[t]))
NET(r"\pi_t = \frac{\exp(r_t)}{\sum_{l} \exp(r_{t,l})}", lambda d, t: np.exp(d.r[t]) / np.exp(d.r[t]).sum())
NET(r"\mathrm{softmax}(C s_t + \gamma)_k", lambda d, t: d.p[t])
NET(r"\log \pi_{t,k} = r_{t,k} - \log \sum_{l=1}^{q} e^{r_{t,l}}", lambda d, t: d.r[t] - np.log(np.exp(d.r[t]).sum()))
NET(r"\frac{e^{r_{t,1}}}{e^{r_{t,1}} + e^{r_{t,2}} + \cdots + e^{r_{t,q}}}",
    lambda d, t: np.exp(d.r[t][0]) / np.exp(d.r[t]).sum())
NET(r"-\sum_{k=1}^{q} w_{t,k} \ln \pi_{t,k}", lambda d, t: -(d.w[t] * np.log(d.p[t])).sum())
NET(r"- w_t^\top \log \pi_t", lambda d, t: d.loss[t])
NET(r"-\left( w_{t,1} \log \pi_{t,1} + \dots + w_{t,q} \log \pi_{t,q} \right)", lambda d, t: d.loss[t])
NET(r"\sum_{t=1}^{T} \varepsilon_t", lambda d, t: d.loss[1] + d.loss[2] + d.loss[3] + d.loss[4])
NET(r"-\sum_{t=1}^{T} \sum_{k=1}^{q} w_{t,k} \log \pi_{t,k}", lambda d, t: loss(d))
NET(r"\tfrac{1}{2} \lVert r_t - w_t \rVert^2", lambda d, t: 0.5 * ((d.r[t] - d.w[t])**2).sum())
NET(r"\frac{1}{q} \sum_{k=1}^{q} (\pi_{t,k} - w_{t,k})^2", lambda d, t: ((d.p[t] - d.w[t])**2).mean())

# -- the Jacobian of softmax, in cases and with restricted sums
NET(r"\frac{\partial \pi_{t,k}}{\partial r_{t,l}}", lambda d, t: slope(lambda e: e.p[t], d, "r", t))
NET(r"\frac{\partial \pi_{t,k}}{\partial r_{t,l}} = \begin{cases} \pi_{t,k} (1 - \pi_{t,k}) & k = l \\ -\pi_{t,k} \pi_{t,l} & "
    r"\text{otherwise} \end{cases}", lambda d, t: slope(lambda e: e.p[t], d, "r", t))
NET(r"\frac{\partial \pi_{t,k}}{\partial r_{t,l}} = \begin{cases} -\pi_{t,k} \pi_{t,l} & k \neq l \\ \pi_{t,k} - \pi_{t,k}^2 & "
    r"\text{otherwise} \end{cases}", lambda d, t: slope(lambda e: e.p[t], d, "r", t))
NET(r"\operatorname{diag}(\pi_t) - \pi_t \pi_t^\top", lambda d, t: np.diag(d.p[t]) - np.outer(d.p[t], d.p[t]))
NET(r"\operatorname{diag}(\pi_t) - \pi_t \otimes \pi_t", lambda d, t: slope(lambda e: e.p[t], d, "r", t))
NET(r"\frac{\partial \varepsilon_t}{\partial r_{t,k}} = -w_{t,k} (1 - \pi_{t,k}) + \sum_{l \neq k} w_{t,l} \pi_{t,k}",
    lambda d, t: d.p[t] - d.w[t])
NET(r"\frac{\partial \varepsilon_t}{\partial r_{t,k}} = -\sum_{l=1}^{q} \frac{w_{t,l}}{\pi_{t,l}} \frac{\partial \pi_{t,l}}"
    r"{\partial r_{t,k}}", lambda d, t: slope(lambda e: e.loss[t], d, "r", t))
NET(r"w_{t,k} - \sum_{l = k} \pi_{t,l}", lambda d, t: d.w[t] - d.p[t])
NET(r"r_{t,k} \sum_{l \ne k} \pi_{t,l}",
    lambda d, t: np.array([x * (d.p[t].sum() - p) for x, p in zip(d.r[t], d.p[t], strict=True)]))
NET(r"\frac{\partial E}{\partial \pi_t} = -\frac{w_t}{\pi_t}", lambda d, t: -d.w[t] / d.p[t])

# -- Jacobians and adjoints
NET(r"\frac{\partial s_t}{\partial s_{t-1}}", lambda d, t: np.diag(1 - d.s[t]**2) @ d.A)
NET(r"\operatorname{diag}(1 - s_t^2) A",
    lambda d, t: slope(lambda e: e.s[t], d, "s", t - 1) if t > 1 else np.diag(1 - d.s[1]**2) @ d.A)
NET(r"\mathrm{diag}\left[ \tanh'(a_t) \right] A", lambda d, t: (1 - np.tanh(d.a[t])**2)[:, None] * d.A)
NET(r"\frac{\partial s_{t+1,i}}{\partial s_{t-1,j}}", lambda d, t: slope(lambda e: e.s[t + 1], d, "s", t - 1), steps=(2, 3))
NET(r"\left( \frac{\partial r_t}{\partial s_t} \right)^\top", lambda d, t: d.C.T)
NET(r"\frac{\partial E}{\partial s_t}", by("s"))
NET(r"\delta_{s_t}", by("s"))
NET(r"C^\top \delta_{r_t} + A^\top \delta_{a_{t+1}}", lambda d, t: d.C.T @ by("r")(d, t) + d.A.T @ delta(d, t + 1), steps=(1, 2, 3))
NET(r"\sum_t \delta_{a_t} s_{t-1}^\top + \delta_A", lambda d, t: 2 * slope(loss, d, "A"))
NET(r"\pi_{t,k} (\mathbf{1}_{k = l} - \pi_{t,l})", lambda d, t: np.diag(d.p[t]) - np.outer(d.p[t], d.p[t]))
NET(r"\nabla_{s_t} E = C^\top (\pi_t - w_t) + A^\top \left( (1 - s_{t+1} \odot s_{t+1}) \odot \nabla_{s_{t+1}} E \right)",
    lambda d, t: slope(loss, d, "s", t), steps=(1, 2, 3))
NET(r"A^\top \mathrm{diag}(1 - s_{t+1}^2) \frac{\partial E}{\partial s_{t+1}} + C^\top \frac{\partial E}{\partial r_t}",
    lambda d, t: slope(loss, d, "s", t), steps=(1, 2, 3))
NET(r"(1 - s_t^2) \odot \left( C^\top (\pi_t - w_t) + A^\top \frac{\partial E}{\partial a_{t+1}} \right)", delta, steps=(1, 2, 3))
NET(r"\left( \nabla_{a_t} E \right)^{\top} A", lambda d, t: (delta(d, t) @ d.A)[None, :])
NET(r"\nabla_{s_T} E", lambda d, t: d.C.T @ (d.p[4] - d.w[4]))
NET(r"\frac{\partial E}{\partial s_{t,i}}", by("s"))
NET(r"\frac{\partial E}{\partial u_t} = B^\top \frac{\partial E}{\partial a_t}", lambda d, t: slope(loss, d, "u", t))
NET(r"\frac{d E}{d s_{0}}", lambda d, t: slope(loss, d, "s", 0))

# -- gradients as sums over time
NET(r"\frac{\partial E}{\partial A}", lambda d, t: slope(loss, d, "A"))
NET(r"\sum_{t=1}^{T} \frac{\partial E}{\partial a_t} s_{t-1}^\top",
    lambda d, t: sum(np.outer(delta(d, s), d.s[s - 1]) for s in (1, 2, 3, 4)))
NET(r"\sum_{t} \mathrm{diag}(1 - s_t^2) \left( \nabla_{s_t} E \right) u_t^T", lambda d, t: slope(loss, d, "B"))
NET(r"\sum_{t=0}^{T-1} \frac{\partial E}{\partial a_{t+1}} s_t^{\intercal}", lambda d, t: slope(loss, d, "A"))
NET(r"\frac{\partial E}{\partial C} = \sum_{t=1}^T (\pi_t - w_t) s_t^\top", lambda d, t: slope(loss, d, "C"))
NET(r"\frac{\partial E}{\partial \gamma} = \sum_{\tau=1}^{T} \left( \pi_\tau - w_\tau \right)",
    lambda d, t: slope(loss, d, "gamma"))
NET(r"\frac{\partial E}{\partial A_{ij}} = \sum_{t=1}^{T} \frac{\partial E}{\partial a_{t,i}} s_{t-1,j}",
    lambda d, t: slope(loss, d, "A"))
NET(r"\frac{\partial a_{t,1}}{\partial A_t}", lambda d, t: np.outer(np.eye(len(d.beta))[0], d.s[t - 1]))
NET(r"\sum_{\tau=1}^{t} s_\tau",
    lambda d, t: sum(d.s[k] for k in range(1, t + 1)))
NET(r"\sum_{t=2}^{T} s_{t-1} s_t^\top", lambda d, t: sum(np.outer(d.s[k - 1], d.s[k]) for k in (2, 3, 4)))
NET(r"\sum_{\tau=t}^{T} \frac{\partial \varepsilon_\tau}{\partial s_t}", by("s"))
NET(r"\Delta A", lambda d, t: -d.eta * slope(loss, d, "A"))
NET(r"A - \eta \frac{\partial E}{\partial A}", lambda d, t: d.A - d.eta * slope(loss, d, "A"))
NET(r"\Delta \beta = - \eta \, \nabla_\beta E", lambda d, t: -d.eta * slope(loss, d, "beta"))
NET(r"\frac{\partial s_\tau}{\partial a_t}", lambda d, t, tau: slope(lambda e: e.s[tau], d, "a", t) if tau >= t else
    np.zeros((len(d.beta), len(d.beta))), letters=("tau",))
