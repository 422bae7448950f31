r"""Whole equations with a verdict that was decided by hand, for the texts of the other modules."""
from __future__ import annotations

from hand_network import NET
from hand_notation import ARRAYS, FORMULA
from hand_styles import GATED, LEAKY

P, R, C = "proved", "refuted", "conditional"
VERDICTS = {
    NET: (
        (r"s_t = \tanh(A \tanh(A s_{t-2} + B u_{t-1} + \beta) + B u_t + \beta)", P),
        (r"s_t = \tanh(A \tanh(A s_{t-2} + B u_t + \beta) + B u_t + \beta)", R),
        (r"\varepsilon_t = - w_t^\top \log \pi_t", P),
        (r"\log \pi_{t,k} = r_{t,k} - \log \sum_{l=1}^{q} e^{r_{t,l}}", P),
        (r"\log \pi_{t,k} = r_{t,k} + \log \sum_{l=1}^{q} e^{r_{t,l}}", R),
        (r"\sum_{k=1}^{q} \pi_{t,k} = 1", P),
        (r"\sum_{k=1}^{q} r_{t,k} = 1", R),
        (r"\frac{\partial \pi_{t,k}}{\partial r_{t,k}} = \pi_{t,k} (1 - \pi_{t,k})", P),
        (r"\frac{\partial \pi_{t,k}}{\partial r_{t,l}} = \pi_{t,k} (1 - \pi_{t,l})", R),
        (r"\frac{\partial \pi_{t,k}}{\partial r_{t,l}} = \begin{cases} \pi_{t,k} (1 - \pi_{t,l}) & k = l \\ -\pi_{t,k} \pi_{t,l} & "
         r"\text{otherwise} \end{cases}", P),
        (r"\frac{\partial \pi_t}{\partial r_t} = \operatorname{diag}(\pi_t) - \pi_t \pi_t^\top", P),
        (r"\frac{\partial E}{\partial r_t} = \pi_t - w_t", P),
        (r"\frac{\partial E}{\partial r_t} = w_t - \pi_t", R),
        (r"\frac{\partial \varepsilon_t}{\partial r_{t,k}} = \pi_{t,k} - \sum_{l = k} w_{t,l}", C),
        (r"\frac{\partial s_t}{\partial s_{t-1}} = \operatorname{diag}(1 - s_t^2) A", P),
        (r"\frac{\partial s_t}{\partial s_{t-1}} = A \operatorname{diag}(1 - s_t^2)", R),
        (r"\frac{\partial s_t}{\partial \beta} = \operatorname{diag}(1 - s_t^2)", C),
        (r"\frac{\partial E}{\partial s_t} = C^\top (\pi_t - w_t) + A^\top \frac{\partial E}{\partial a_{t+1}}", P),
        (r"\frac{\partial E}{\partial s_t} = C^\top (\pi_t - w_t) + A \frac{\partial E}{\partial a_{t+1}}", R),
        (r"\nabla_{s_T} E = C^\top (\pi_T - w_T)", P),
        (r"\frac{\partial E}{\partial u_t} = B^\top \frac{\partial E}{\partial a_t}", P),
        (r"\frac{\partial E}{\partial u_t} = B \frac{\partial E}{\partial a_t}", R),
        (r"\frac{\partial E}{\partial A} = \sum_{t=1}^{T} \frac{\partial E}{\partial a_t} s_{t-1}^\top", P),
        (r"\frac{\partial E}{\partial A} = \sum_{t=1}^{T} \frac{\partial E}{\partial a_t} s_t^\top", R),
        (r"\frac{\partial E}{\partial C} = \sum_{t=1}^{T} (\pi_t - w_t) s_t^\top", P),
        (r"\frac{\partial E}{\partial C} = \sum_{t=1}^{T} s_t (\pi_t - w_t)^\top", R),
        (r"\frac{\partial E}{\partial \beta} = \sum_{t=1}^{T} (1 - s_t^2) \odot \frac{\partial E}{\partial s_t}", P),
        (r"\frac{\partial E}{\partial \gamma} = \sum_{t=1}^{T-1} (\pi_t - w_t)", R),
        (r"\Delta \beta = - \eta \sum_{t=1}^{T} \frac{\partial E}{\partial a_t}", P),
    ),
    GATED: (
        (r"\frac{\partial J^{(t)}}{\partial h^{(t)}} = h^{(t)} - y^{(t)}", P),
        (r"J^{(t)} = \frac{1}{2} \lVert h^{(t)} - y^{(t)} \rVert^2", P),
        (r"J^{(t)} = \lVert h^{(t)} - y^{(t)} \rVert^2", R),
        (r"\frac{\partial S}{\partial b} = \sum_{t=1}^{T} \Gamma^{(t)} \odot (1 - (\tilde{h}^{(t)})^2) "
         r"\odot \frac{\partial S}{\partial h^{(t)}}", P),
        (r"h^{(t)} = h^{(t-1)} + \Gamma^{(t)} * (\tilde{h}^{(t)} - h^{(t-1)})", P),
    ),
    LEAKY: (
        (r"\frac{\partial x(n)}{\partial v(n)} = \mu \, \operatorname{diag}(\phi'(M x(n-1) + M^{in} v(n))) M^{in}", P),
        (r"\frac{\partial o(n)}{\partial x(n)} = (M^{out})^\top", R),
    ),
    ARRAYS: (
        (r"(W G)^\top = G^\top W^\top", P), (r"(W G)^\top = W^\top G^\top", R), (r"W G = G W", R),
        (r"b^\top W c = c^\top W^\top b", P), (r"\operatorname{diag}(b) c = b \odot c", P),
        (r"\operatorname{diag}(b) W = W \operatorname{diag}(b)", R), (r"\sum_{i} W_{ij} b_i = [W^\top b]_j", P),
        (r"\sum_{j} W_{ij} b_j = [W^\top b]_i", R), (r"b c^\top = c b^\top", R), (r"b_1 c_1 + \dots + b_m c_m = b^\top c", P),
    ),
    FORMULA: (
        (r"\frac{g(x) - g(-x)}{g(x) + g(-x)} = \tanh(x)", P), (r"\varsigma'(x) = \varsigma(x) (1 - \varsigma(x))", P),
        (r"\varsigma'(x) = 1 - \varsigma(x)^2", R), (r"f'(x) = \frac{1 - x^2}{(1 + x^2)^2}", P),
    ),
}
