"""Corrections of refuted claims: what a slip of each kind is corrected to, in the author's words, and that it stands when read afresh."""

from __future__ import annotations

import re

import pytest

from symrnn.api import audit
from symrnn.audit import Auditor
from symrnn.claims import check_claim
from symrnn.read.document import parse_document

BACK = [r"z_t = R s_{t-1} + U x_t", r"s_t = \tanh(z_t)", r"\delta_t = \frac{\partial J}{\partial z_t}",
        r"q_t \text{ the direct gradient of the step loss at } s_t"]
SIZES = {"R": "n x n", "U": "n x d"}
LAST = [r"s_t = \tanh(R s_{t-1} + U x_t)", "J = J(s_T)", r"e_t = \frac{\partial J}{\partial s_t}"]
GATED = [r"g_t = \sigma(A [s_{t-1}, x_t] + a)", r"\tilde{m}_t = \tanh(B [s_{t-1}, x_t] + b)",
         r"m_t = g_t \odot m_{t-1} + (1 - g_t) \odot \tilde{m}_t", r"s_t = \tanh(m_t)",
         r"\delta^{(g)}_t, \delta^{(\tilde{m})}_t: \text{ the gradients at the arguments of the activations of } g_t, \tilde{m}_t"]
SOFTMAX = [r"u_i = \frac{e^{v_i}}{\sum_j e^{v_j}}"]
SCALAR = {"u": "scalar", r"\sigma": "function sigmoid"}

SLIPS = {
    "a transpose, in the bracket that is printed": (
        BACK, SIZES, r"\boxed{ \delta_t = (q_t + R \delta_{t+1}) \odot (1 - s_t^2) }",
        r"\boxed{ \delta_t = (q_t + R^\top \delta_{t+1}) \odot (1 - s_t^2) }"),
    "a step, with the author's growing brackets": (
        BACK, SIZES, r"\delta_t = \left( q_t + R^\top \delta_{t+1} \right) \odot (1 - s_{t-1}^2)",
        r"\delta_t = \left( q_t + R^\top \delta_{t+1} \right) \odot (1 - s_t^2)"),
    "a factor behind the matrix instead of before it": (
        LAST, SIZES, r"e_{t-1} = (R^\top e_t) \odot (1 - s_t^2)", r"e_{t-1} = R^\top ((1 - s_t^2) \odot e_t)"),
    "a factor of a product over steps": (
        LAST[:1], SIZES, r"\prod_{i=k+1}^{t} \frac{\partial s_i}{\partial s_{i-1}} = \prod_{i=k+1}^{t} R^\top \mathrm{diag}(1 - s_i^2)",
        r"\prod_{i=k+1}^{t} \frac{\partial s_i}{\partial s_{i-1}} = \prod_{i=k+1}^{t} \mathrm{diag}(1 - s_i^2) R"),
    "the argument of an activation": (
        GATED, {"A, B": "n x (n + d)", "s_t, m_t": "n"},
        r"\delta^{(g)}_t = \frac{\partial L}{\partial m_t} \odot (m_{t-1} - \tilde{m}_t) \odot \sigma'(A [s_{t-1}, x_t])",
        r"\delta^{(g)}_t = (g_t - g_t^2) \odot \left( \frac{\partial L}{\partial m_t} \odot m_{t-1} - "
        r"\frac{\partial L}{\partial m_t} \odot \tilde{m}_t \right)"),
    "a Jacobian that is no diagonal": (
        SOFTMAX, {"u, v": "n"}, r"\frac{\partial u}{\partial v} = \mathrm{diag}(u \odot (1 - u))",
        r"\frac{\partial u}{\partial v} = \mathrm{diag}(u) - u u^\top"),
    "the entries of a Jacobian": (
        SOFTMAX, {"u, v": "n"}, r"\frac{\partial u_i}{\partial v_j} = u_i (1 - u_j)",
        r"\frac{\partial u_i}{\partial v_j} = -u_i u_j + \delta_{ij} u_i"),
    "a row of derivatives by components": (
        ["w(x) = x_1^2 + 4 x_2"], {"x": "2"},
        r"\begin{pmatrix} \frac{\partial w}{\partial x_1} & \frac{\partial w}{\partial x_2} \end{pmatrix} = "
        r"\begin{pmatrix} x_1 & 4 \end{pmatrix}",
        r"\begin{pmatrix} \frac{\partial w}{\partial x_1} & \frac{\partial w}{\partial x_2} \end{pmatrix} = "
        r"\begin{bmatrix} 2 x_1 & 4 \end{bmatrix}"),
    "a gradient that the text has as a row": (
        ["z = W x", r"g = \frac{\partial J}{\partial z}"], {"W": "n x m", "x": "m x 1", "g": "1 x n"},
        r"\frac{\partial J}{\partial W} = g^\top x", r"\frac{\partial J}{\partial W} = g^\top x^\top"),
    "a number in an identity between two functions": (
        [], SCALAR, r"\tanh(u) = 2 \sigma(2u) + 1", r"\tanh(u) = 2 \sigma(2u) - 1"),
    "two signs of a fraction": (
        [], SCALAR, r"\tanh(u) = \frac{e^u + e^{-u}}{e^u - e^{-u}}", r"\tanh(u) = \frac{e^u - e^{-u}}{e^u + e^{-u}}"),
    "a shape": ([r"y = V x"], {"V": "n x m"}, r"V \in \mathbb{R}^{m \times n}", r"V \in \mathbb{R}^{n \times m}"),
}
"""Kind of slip -> what is given, shapes, the claim with the slip, and the claim without it."""

CELL = ["m[t] = q*m[t-1] + r*n; y[t] = s*tanh(m[t])", "q, r, s = sigmoid(...); n = tanh(...)",
        "dy = dL/dy[t] including what comes back from step t+1", "dm = dL/dm[t]", "q[t] is stored after the sigmoid"]
ALL = {"all": "n x 1"}
IN_CODE = {
    "a name": (["y = w * tanh(u)", "dy = dL/dy; du is to be dL/du"], {"all": "n"},
               "du = dy * u * (1 - np.tanh(u)**2)", "du = dy * w * (1 - np.tanh(u)**2)"),
    "a name, its owner and its step kept": (
        [*CELL, "delta_r_list[t], delta_q_list[t]: errors at the pre-activations"], ALL,
        "br_grad = self.delta_q_list[t]", "br_grad = self.delta_r_list[t]"),
    "a function of the whole product": (["text: y_t = tanh(m_t) o s_t (elementwise)"], {"m, s": "n x h"},
                                        "y = np.tanh(m * s)", "y = np.tanh(m) * s"),
    "the slope by the value": (
        [*CELL, "Wq_d += np.dot(dq, z[t].T)"], ALL, "dq = dm * m_prev; dq = sigmoid(q[t]) * dq",
        "dq = dm * m_prev; dq = (q[t] * (1 - q[t])) * dq"),
    "a number": (["p = softmax(scores); loss = -wt * log p[label]", "h = second derivative of the loss in score k"], {"p": "K"},
                 "h = 2 * p * (1 - p) * wt", "h = p * (1 - p) * wt"),
    "a term that no name of the claim has": (
        ["y = log_softmax(x)", "gy = dL/dy; g is to be dL/dx"], {"x, y": "n x 1"}, "g = gy - np.exp(y)", "g = gy - np.sum(gy) * np.exp(y)"),
    "one slip in each of two statements": (
        ["each gate has its own weight and bias: (Wp, bp), (Wq, bq), (Ws, bs)"], {"Zt": "batch x (h + d)"},
        "_Gp = Zt @ Wp + bs\n_Gq = Zt @ Wq + bs", "_Gp = Zt @ Wp + bp\n_Gq = Zt @ Wq + bq"),
}
"""The same for claims in Python."""


def judged(given, shapes, claim, language="latex"):
    return check_claim(claim, given=given, shapes=shapes, language=language)


def fix_of(checked):
    (fix,) = {r.verdict.fix.latex for r in checked.equation.relations if r.verdict.fix is not None}
    return fix


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_corrected_in_the_words_of_the_author(slip):
    given, shapes, claim, right = SLIPS[slip]
    found = judged(given, shapes, claim)
    assert found.verdict == "refuted" and fix_of(found) == right
    assert judged(given, shapes, right).verdict == "proved"


@pytest.mark.parametrize("slip", IN_CODE)
def test_a_slip_in_code_is_corrected_where_it_stands(slip):
    given, shapes, claim, right = IN_CODE[slip]
    found = judged(given, shapes, claim, "python")
    assert found.verdict == "refuted" and fix_of(found) == right
    assert judged(given, shapes, right, "python").verdict == "proved"


MUTATIONS = ((r"\^\\top", ""), (r" \+ ", " - "), (r"t-1", "t"), (r"t\+1", "t"), (r"\(1 - ", "(1 + "), (r"W", "V"), (r"\\tanh", r"\\exp"))
"""Slips as texts: what is printed, and what is printed instead."""
NETWORK = [r"h_t = \tanh(W h_{t-1} + U x_t + b)", r"o_t = V h_t + c", r"L = \sum_t \ell_t(o_t)"]
TRUE = (
    r"\frac{\partial h_t}{\partial h_{t-1}} = \mathrm{diag}(1 - h_t^2) W",
    r"\frac{\partial L}{\partial h_t} = W^\top \mathrm{diag}(1 - h_{t+1}^2) \frac{\partial L}{\partial h_{t+1}} + "
    r"V^\top \frac{\partial L}{\partial o_t}",
    r"\frac{\partial L}{\partial W} = \sum_{t=1}^T \left( (1 - h_t^2) \odot \frac{\partial L}{\partial h_t} \right) h_{t-1}^\top",
    r"\frac{\partial L}{\partial U} = \sum_{t=1}^T \left( (1 - h_t^2) \odot \frac{\partial L}{\partial h_t} \right) x_t^\top",
    r"\frac{\partial L}{\partial V} = \sum_{t=1}^T \frac{\partial L}{\partial o_t} h_t^\top",
    r"\frac{\partial L}{\partial b} = \sum_{t=1}^T (1 - h_t^2) \odot \frac{\partial L}{\partial h_t}",
    r"o_t = V \tanh(W h_{t-1} + U x_t + b) + c",
)


def mutated(claim):
    """The claim with each mutation at each place of its right side."""
    head, _, body = claim.partition(" = ")
    for old, new in MUTATIONS:
        for m in re.finditer(old, body):
            yield f"{head} = {body[:m.start()]}{re.sub(old, new, m[0])}{body[m.end():]}"


def test_nearly_every_mutant_of_true_identities_is_corrected_and_every_correction_is_proved_afresh():
    shapes = {"W": "n x n", "U": "n x d", "V": "m x n", "h_t": "n", "o_t": "m", "x_t": "d", "b": "n", "c": "m"}
    wrong, right = [], []
    for m in dict.fromkeys(x for claim in TRUE for x in mutated(claim)):
        found = judged(NETWORK, shapes, m)
        if found.verdict == "refuted":
            wrong.append(m)
            right += [fix_of(found)] if any(r.verdict.fix for r in found.equation.relations) else []
    assert (len(wrong), len(right)) == (22, 22)
    assert [x for x in dict.fromkeys(right) if judged(NETWORK, shapes, x).verdict != "proved"] == []


TOLD = """A recurrent network reads $x_t \\in \\mathbb{R}^{d}$ and keeps $s_t \\in \\mathbb{R}^{n}$ for $t = 1, \\ldots, \\tau$:

$$ s_t = \\tanh(R s_{t-1} + U x_t + b) $$

The function $\\tanh$ squashes its argument to the range $[0, 1]$.
"""


def test_a_sentence_with_a_wrong_range_is_corrected_by_the_table_of_ranges():
    fixes = [r.verdict.fix for e in Auditor(parse_document(TOLD, "told.md")).run() for r in e.relations if r.verdict.word == "refuted"]
    assert [(f.latex, f.verdict) for f in fixes] == [(r"\tanh(u) \in (-1, 1)", "proved")]


def test_a_second_derivative_by_what_no_equation_has_is_undecided():
    given = ["p = softmax(s); loss = -wt * log p[label]", "h = second derivative of the loss in score k"]
    assert judged(given, {"p": "K"}, "h = p * (1 - p) * wt", "python").verdict == "undecided"


def test_a_derivative_through_all_earlier_steps_is_refuted_though_no_correction_can_be_written_down():
    found = judged([r"h_t = w h_{t-1}"], {"h_t": "scalar", "w": "matrix 1 1"}, r"\frac{\partial h_t}{\partial w} = h_t")
    assert found.verdict == "refuted"


def test_a_side_that_repeats_the_left_one_is_no_correction():
    found = judged([], {"A, B": "n x n"}, "A B = B A")
    assert found.verdict == "refuted" and all(r.verdict.fix is None for r in found.equation.relations)


def test_a_correction_ends_its_sums_at_the_last_step_of_the_text(tmp_path):
    path = tmp_path / "a.md"
    path.write_text("$$h_t = \\tanh(W h_{t-1} + U x_t)$$\n\n$$o_t = V h_t, \\quad t = 1, \\dots, \\tau$$\n\n"
                    "$$\\frac{\\partial L}{\\partial h_\\tau} = V^\\top \\frac{\\partial L}{\\partial o_\\tau}$$\n\n"
                    "$$\\nabla_W L = \\sum_t \\mathrm{diag}(1 - h_t^2) (\\nabla_{h_t} L) h_t^\\top$$\n")
    fix = [e.fix for e in audit(path).documents[0].equations if e.verdict == "refuted"]
    assert [f.latex for f in fix] == [r"\nabla_W L = \sum_{t=1}^\tau \mathrm{diag}(1 - h_t^2) (\nabla_{h_t} L) h_{t-1}^\top"]
