"""Claims in code and plain text: what a statement computes is compared with what the text says that its target is."""
from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from symrnn.claims import check_claim
from symrnn.errors import CallError


@dataclass(frozen=True)
class Text:
    """What is given, and statements that are right and wrong beside it."""

    given: list[str]
    shapes: dict[str, str]
    right: list[str]
    wrong: list[str]
    language: str = "python"
    assume: list[str] = field(default_factory=list)


CELL = ["m[t] = q*m[t-1] + r*n; y[t] = s*tanh(m[t])", "q, r, s = sigmoid(...); n = tanh(...)",
        "dy = dL/dy[t] including what comes back from step t+1"]

TEXTS = {
    "plain recurrent step": Text(
        ["a[t] = W @ h[t-1] + U @ x[t] + b; h[t] = np.tanh(a[t])", "dh = dL/dh[t] including what comes back from step t+1",
         "da is to be dL/da[t]"],
        {"W": "n x n", "U": "n x d", "b": "n x 1", "x[t]": "d x 1"},
        ["da = dh * (1 - h[t]**2)", "da = dh * (1 - np.tanh(a[t])**2)", "self.da = np.multiply(dh, 1.0 - np.square(h[t]))",
         "da = (1 - h_t * h_t) * dh"],
        ["da = dh * (1 - h[t])", "da = dh * (1 - a[t]**2)", "da = dh * (1 - h[t-1]**2)", "da = (1 - h[t]**2)"]),
    "weights collect over the steps": Text(
        ["a[t] = np.dot(W, h[t-1]) + np.dot(U, x[t]) + b; h[t] = np.tanh(a[t])", "da = dL/da[t]",
         "dW is to become dL/dW and starts as zeros", "db is to become dL/db and starts as zeros_like(b)"],
        {"W": "n x n", "U": "n x d", "a, h, b": "n x 1", "x[t]": "d x 1"},
        ["dW += np.dot(da, h[t-1].T)", "db += da", "dW += da @ h_prev.T"],
        ["dW += np.dot(da, h[t].T)", "db += db", "dW += np.dot(da, x[t-1].T)", "dW += np.dot(h[t-1], da.T)", "db += 2 * da"]),
    "gates of a cell": Text(
        [*CELL, "dm = dL/dm[t]", "dq is to be dL at the argument of the q gate"], {"all": "k x 1"},
        ["dq = dm * m_prev * q * (1 - q)", "dq = dm * m[t-1] * q[t] * (1 - q[t])"],
        ["dq = dm * m_prev * q", "dq = dm * m[t] * q * (1 - q)", "dq = dm * m_prev * (1 - q * q)", "dq = dy * m_prev * q * (1 - q)"]),
    "the state carries over": Text(
        [*CELL, "dm = dL/dm[t]"], {"all": "k x 1"},
        ["dm = dy * s * (1 - tanh(m[t])**2) + dm[t+1] * q[t+1]"],
        ["dm = dy * s * (1 - tanh(m[t])**2)", "dm = dy * s * (1 - tanh(m[t])**2) + dm[t+1] * q[t]",
         "dm[t] = dy[t] * s[t] * (1 - y[t]**2)"]),
    "log of softmax": Text(
        ["out = log_softmax(z)", "grad_out = dL/dout; grad_z is to be dL/dz"], {"z, out": "n"},
        ["grad_z = grad_out - np.exp(out) * np.sum(grad_out)", "grad_z = grad_out - softmax(z) * grad_out.sum()"],
        ["grad_z = grad_out - np.exp(out) * grad_out", "grad_z = grad_out - np.sum(np.exp(out) * grad_out)",
         "grad_z = grad_out - out * np.sum(grad_out)"]),
    "components in plain text": Text(
        ["dst = softmax(src)", "diff_dst = dL/ddst"], {"src, dst": "n"},
        ["diff_src[i] = dst[i] * (diff_dst[i] - sum(diff_dst * dst))", "diff_src[j] = dst[j] * diff_dst[j] - dst[j] * sum(dst * diff_dst)"],
        ["diff_src[i] = dst[i] * (1 - dst[i]) * diff_dst[i]", "diff_src[i] = dst[i] * (diff_dst[i] - sum(diff_dst))"], "ascii"),
    "a batch of rows": Text(
        ["z = x @ W + b", "dz = dL/dz; dx is to be dL/dx; dW is to be dL/dW; db is to be dL/db"],
        {"x": "B x d", "W": "d x k", "b": "k"},
        ["dx = dz @ W.T", "dW = x.T @ dz", "db = dz.sum(axis=0)", "dW = np.dot(np.transpose(x), dz)"],
        ["dx = dz @ W", "dW = dz.T @ x", "db = dz.sum(axis=1)", "dx = dz * 2 @ W.T", "db = dz.sum()"]),
    "incoming gradients": Text(
        ["new_h = g * np.tanh(new_c)", "dnew_c, dnew_h: incoming gradients from later steps"], {"all": "B x n"},
        ["dnew_c += g * (1 - np.tanh(new_c)**2) * dnew_h",
         "dnew_c = dnew_c + g * (1 - np.tanh(new_c) * np.tanh(new_c)) * dnew_h"],
        ["dnew_c += g * (1 - new_c**2) * dnew_h", "dnew_c += (1 - np.tanh(new_c)**2) * dnew_h",
         "dnew_c = g * (1 - np.tanh(new_c)**2) * dnew_h"]),
    "an equation and its code": Text(
        ["h_t = z_t \\circ h_{t-1} + (1 - z_t) \\circ n_t (elementwise)"], {"h, z, n": "B x k"},
        ["h = z * h_prev + (1 - z) * n", "ht = n + z * (h_prev - n)"],
        ["h = (1 - z) * h_prev + z * n", "h = z * h_prev + (1 - z) * h_prev", "h = z * h_prev + z * n"]),
    "cross-entropy of a class": Text(
        ["p = softmax(s); loss = -log p[label]", "ds is to be dL/ds"], {"s": "K"},
        ["ds = p; ds[label] -= 1"],
        ["ds = p; ds[label] += 1", "ds = p", "ds = 1 - p"]),
    "kernel in C": Text(
        ["y = sigmoid(x)", "dy = dL/dy; dx is to be dL/dx"], {"x, y": "n"},
        ["dx = y * (1.0f - y) * dy;", "dx = dy * y - dy * y * y; // fused"],
        ["dx = x * (1.0f - x) * dy;", "dx = 2.0f * y * (1.0f - y) * dy;"], "c++"),
    "a stored gate": Text(
        [*CELL, "dm = dL/dm[t]", "q[t] is stored after the sigmoid", "Wq_grad += np.dot(dq, v[t].T)"], {"all": "k x 1"},
        ["dq = dm * m_prev; dq = q[t] * (1 - q[t]) * dq", "dq = dm * m_prev * q * (1 - q)"],
        ["dq = dm * m_prev; dq = sigmoid(q[t]) * dq", "dq = dm * m_prev", "dq = dm * m_prev; dq = (1 - q**2) * dq"]),
    "a helper with an option": Text(
        [*CELL, "dm = dL/dm[t]", "sigmoid(x, slope=True) returns sigmoid(x)*(1 - sigmoid(x))", "tanh_slope(y) = 1 - y * y",
         "dn is to be dL at the argument of n"], {"all": "k x 1"},
        ["dn = dm * r * tanh_slope(n)"], ["dn = dm * r * sigmoid(n, slope=True)", "dn = dm * r * tanh_slope(m)"]),
    "a loss that sees the last state": Text(
        [*CELL, "the loss may also depend on m[T] directly: last = dL/dm[T] (direct)"], {"all": "k x 1"},
        ["dm[T] = dy[T] * s[T] * (1 - tanh(m[T])**2) + last"], ["dm[T] = dy[T] * s[T] * (1 - tanh(m[T])**2)"]),
    "names at a step": Text(
        ["m[t] = q*m[t-1] + r*n", "q, r = sigmoid(...); n = tanh(...)", "gm = dL/dm[k]", "qk, m_old: q at step k, m at step k-1",
         "gq is to be dL at the argument of q"], {"all": "k x 1"},
        ["gq = gm * m_old * qk * (1 - qk)"], ["gq = gm * m_old * qk", "gq = gm * m_old * (1 - qk)"]),
    "weights and biases that belong together": Text(
        ["each gate has its own weight and bias: (Wa, ba), (Wb, bb), (Wc, bc)"], {"X": "batch x n"},
        ["gate_b = X @ Wb + bb", "gate_a = X @ Wa + ba; gate_c = X @ Wc + bc"],
        ["gate_b = X @ Wb + ba", "gate_b = X @ Wa + bb", "gate_a = X @ Wa + ba; gate_c = X @ Wc + bb"]),
    "terms that are added later": Text(
        ["s_t = tanh(x_t @ U.T + bu + s_{t-1} @ V.T + bv)", "the recurrent term and its bias bv are added on the following lines"],
        {"bu, bv": "k"},
        ["st = x_t @ torch.transpose(U, 0, 1) + bu"], ["st = x_t @ torch.transpose(U, 0, 1) + bv", "st = x_t @ U.T"]),
    "stacked inputs": Text(
        ["[z, k] = sigmoid(v_s * w_zk + b_zk)", "c = tanh(v_s * w_c + b_c)", "s_new = z \\circ c", "w_zk = [w_z_v w_k_v; w_z_s w_k_s]",
         "d_z_bar, d_c_bar: gradients at the pre-activations", "d_s_new, d_v: gradients at s_new, v"],
        {"v": "B x i", "s": "B x h", "w_zk": "(i + h) x 2h", "w_c": "(i + h) x h"},
        ["d_v = d_z_bar * w_z_v^T + d_c_bar * w_c_v^T", "d_c_bar = d_s_new \\circ z \\circ (1 - c \\circ c)",
         "d_v = first + second where first = d_z_bar * w_z_v^T and second = d_c_bar * w_c_v^T"],
        ["d_v = d_z_bar * w_k_v^T + d_c_bar * w_c_v^T", "d_v = d_z_bar * w_z_v^T", "d_c_bar = d_s_new \\circ z \\circ (1 - c)"], "ascii"),
    "a slope without a target": Text(
        ["out = sigmoid(net)", "the method returns the derivative of out in net"], {"out, net": "n"},
        ["return out * (1d - out);"], ["return 1d - out;", "return out * out;", "return Math.exp(net);"], "java"),
    "what multiplies a gradient": Text(
        ["softmax_slope(u) multiplies the gradient up at the softmax output"], {"u, up": "n x 1"},
        ["s = softmax(u); np.diagflat(s) - s @ s.T"], ["softmax(u) * (1 - softmax(u))", "s = softmax(u); np.diagflat(s) + s @ s.T"]),
    "a second derivative": Text(
        ["q = softmax(v); loss = -w * log q[label]", "hess = second derivative of the loss in v"], {"q": "K"},
        ["hess = w * q * (1.0f - q);"], ["hess = w * q;", "hess = 2.0f * w * q * (1.0f - q);"], "c++"),
    "a loop over the steps": Text(
        ["s[0] = first", "s[t] = unit(x[t], s[t-1])"], {"s[t]": "k"},
        ["for t in range(T): s_t = unit(x_t, s_prev); s_prev = s_t; kept.append(s_t)"],
        ["for t in range(T): s_t = unit(x_t, first); kept.append(s_t)", "for t in range(T): s_t = unit(s_prev, x_t); s_prev = s_t"]),
    "a norm that is kept": Text(
        ["shrink the vector so that the norm becomes limit"], {"v": "any"},
        [], ["size = np.sum(v * v)\nif size > limit:\n  v = v * (limit / size)", "v = v / np.sqrt(np.sum(v * v))"]),
    "a step of descent": Text(
        ["gradients are stored as A_grad, B_grad, ..."], {"A": "n x d", "B": "n x n"},
        ["self.A -= rate * self.A_grad"], ["self.A -= rate * self.B_grad"]),
    "output and loss in words": Text(
        ["nn.err = y - nn.out{n}", "softmax output with cross-entropy loss", "g{n}: gradient of the loss at the argument of the softmax"],
        {"err": "q"}, ["g{n} = -nn.err;", "g{n} = nn.out{n} - y;"], ["g{n} = nn.err;", "g{n} = -nn.err .* nn.out{n};"], "matlab",
        ["y is one-hot"]),
    "parameters of a gate": Text(
        [*CELL, "e_q[t], e_r[t]: errors at the pre-activations"], {"all": "k x 1"},
        ["br_grad = self.e_r[t]", "Wqy_grad = np.dot(self.e_q[t], self.y_list[t-1].T)", "dbr += e_r[t]", "dWqx += np.outer(e_q[t], x[t])"],
        ["br_grad = self.e_q[t]", "Wqy_grad = np.dot(self.e_q[t], self.y_list[t].T)", "dbr += e_q[t]"]),
    "what one step sends back": Text(
        [*CELL, "dm = dL/dm[t]", "dm_prev is to be dL/dm[t-1] through step t"], {"all": "k x 1"},
        ["dm_prev = dm * q"], ["dm_prev = dm * r", "dm_prev = dm"]),
    "what a plain network sends back": Text(
        ["u[t] = np.tanh(np.dot(A, u[t-1]) + np.dot(B, x[t]))", "du = dL/du[t]", "du_next is to be what step t sends back to u[t-1]"],
        {"u[t]": "k x 1", "x[t]": "d x 1", "A": "k x k"},
        ["raw = (1 - u[t]**2) * du; du_next = np.dot(A.T, raw)"],
        ["raw = (1 - u[t]**2) * du; du_next = np.dot(A, raw)", "du_next = A.T @ du"]),
    "a rectifier": Text(
        ["y = relu(x)", "dy = dL/dy; dx is to be dL/dx"], {"all": "n"},
        ["dx = dy * (x > 0)", "dx = np.where(x > 0, dy, 0)"], ["dx = dy * (x < 0)", "dx = np.where(x > 0, 0, dy)", "dx = dy * x"]),
    "a rule of descent with memory": Text(
        ["v_t = mu * v_{t-1} - lr * g_t; w_t = w_{t-1} + v_t"], {"v, w, g": "n", "mu, lr": "scalar"},
        ["v = mu * v - lr * g; w += v"], ["v = mu * v + lr * g", "v = mu * v - lr * g; w = w + v_prev"]),
    "a state that is read and assigned": Text(
        ["s[t] = (1 - z)*s[t-1] + z*n", "z = sigmoid(...); n = tanh(...)"], {"all": "k x 1"},
        ["s = (1 - z) * s + z * n", "s += z * (n - s)", "s = s + z * (n - s_prev)"],
        ["s = z * s + (1 - z) * n", "s += z * n", "s = (1 - z) * n + z * n"]),
}


UNDECIDED = [
    ("dy = dL/dy; dx is to be dL/dx", "dx = dy * w", "the sum runs over half of the entries"),
    ("dy = gate error", "dx = dy * w", "words are no equation"),
    ("dy = dL/dy", "du = dy * w", "nothing says what du is"),
    ("dy = dL/dy; dx is to be dL/dx", "dx = dx", "what dx was is not said"),
    ("dy = dL/dy; dx is to be dL/dx", "dx += dy * w", "what dx was is not said"),
    ("dy = dL/dy; dx is to be dL/dx", "dx = dy * v", "nothing says what v is"),
    ("dx is to be dL/dx", "dx = w", "nothing connects x with the loss"),
    ("each gate has its own weight and bias: (Wa, ba), (Wb, bb)", "gate_a = z + Wa + ba", "the form is not that of a gate"),
    ("a is stored after the sigmoid; dy = dL/dy", "dx = dy * w", "a has no equation that says so"),
]
"""What is given beside ``y = w * x``, a claim, and why nothing follows."""


def rows(kind: str) -> list[tuple[Text, str]]:
    return [pytest.param(text, claim, id=f"{name}: {claim}") for name, text in TEXTS.items() for claim in getattr(text, kind)]


@pytest.fixture(autouse=True)
def verdicts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No correction is looked for, which takes far longer than a verdict; tests/test_corrections.py holds the corrections."""
    monkeypatch.setattr("symrnn.claims.corrected", lambda *_: None)


def verdict(text: Text, claim: str) -> str | None:
    return check_claim(claim, given=text.given, shapes=text.shapes, language=text.language, assume=text.assume).verdict


@pytest.mark.parametrize(("text", "claim"), rows("right"))
def test_a_statement_that_computes_what_the_text_says_is_proved(text: Text, claim: str):
    assert verdict(text, claim) == "proved"


@pytest.mark.parametrize(("text", "claim"), rows("wrong"))
def test_a_statement_that_computes_something_else_is_refuted(text: Text, claim: str):
    assert verdict(text, claim) == "refuted"


@pytest.mark.parametrize(("given", "claim", "why"), UNDECIDED)
def test_what_the_text_does_not_settle_is_undecided(given: str, claim: str, why: str):
    lines = ["y = w * x", given, *([why] if "half" in why else [])]
    found = check_claim(claim, given=lines, shapes={"all": "n"}, language="python")
    assert found.verdict == "undecided" and found.equation.reason


@pytest.mark.parametrize(("claim", "language"), [("dx = dy *", "python"), ("dx = dy w", "python"), ("while x: y = 1", "python"),
                                                 ("dx = dy[]", "python"),
                                                 ("dx = some words", "ascii"), ("dx = ?", "ascii"), ("(" * 3000, "c++")])
def test_what_is_no_statement_is_unreadable_with_the_place(claim: str, language: str):
    found = check_claim(claim, given=["y = w * x"], language=language)
    assert found.verdict == "unreadable" and found.equation.reason


def test_a_star_that_the_text_calls_a_matrix_product_is_conditional_where_it_can_only_be_entrywise():
    given = ["* is the matrix product", "y = w * x", "dy = dL/dy"]
    assert check_claim("dx = w * dy", given=given, shapes={"all": "n"}, language="ascii").verdict == "conditional"


def test_a_name_that_may_be_two_gradients_decides_nothing_unless_both_agree():
    given = [*CELL, "dm = dL/dm[t]"]
    found = [check_claim(c, given=given, shapes={"all": "k x 1"}, language="python").verdict for c in
             ("dq = dm * m_prev", "dq = dm * m_prev * q * (1 - q)", "dq = dm * n")]
    assert found == ["undecided", "undecided", "refuted"]


def test_inputs_that_are_stacked_and_not_taken_apart_are_no_free_inputs():
    given = ["[z, k] = sigmoid(v_s * w_zk + b_zk)", "s_new = z \\circ s + k", "d_s_new, d_s: gradients at s_new, s"]
    shapes = {"v": "B x i", "s, s_new": "B x h"}
    assert check_claim("d_s = d_s_new \\circ z", given=given, shapes=shapes, language="ascii").verdict == "undecided"
    blocks = "w_zk = [w_z_v w_k_v; w_z_s w_k_s]"
    assert check_claim("d_s = d_s_new \\circ z", given=[*given, blocks], shapes=shapes, language="ascii").verdict == "refuted"


def test_part_of_a_gradient_by_a_name_alone_is_not_refuted():
    assert check_claim("dm = dy * s * (1 - tanh(m[t])**2)", given=CELL, shapes={"all": "k x 1"}, language="python").verdict == "undecided"


def test_a_counterexample_names_what_the_code_names():
    found = check_claim("dx = dy", given=["y = w * x", "dy = dL/dy; dx is to be dL/dx"], shapes={"all": "n"}, language="python")
    (relation,) = found.equation.relations
    assert relation.verdict.counterexample is not None
    assert set(relation.verdict.counterexample["values"]) <= {"w", "x", "dy"}


def test_each_statement_with_a_meaning_has_its_own_verdict():
    found = check_claim("dz = dy * y * (1 - y)\ndx = dz @ W", given=["y = sigmoid(z); z = x @ W", "dy = dL/dy"],
                        shapes={"x": "B x d", "W": "d x k"}, language="python")
    assert [(r.latex, r.verdict.word) for r in found.equation.relations] == [
        ("dz = dy * y * (1 - y)", "proved"), ("dx = dz @ W", "refuted")]


def test_a_language_that_is_not_known_is_an_error():
    with pytest.raises(CallError):
        check_claim("x", language="cobol")


PLAIN_STEP = ["a[t] = W @ h[t-1] + U @ x[t] + b; h[t] = np.tanh(a[t])"]
PLAIN_SHAPES = {"W": "n x n", "U": "n x d", "b, a, h": "n", "x": "d"}
SUMS = [*PLAIN_STEP, "da[t] = dL/da[t]", "dW is to become dL/dW and starts as zeros", "db is to become dL/db and starts as zeros"]


def of(claim: str, given: list[str], shapes: dict[str, str], language: str = "python", assume: tuple[str, ...] = ()) -> str | None:
    return check_claim(claim, given=given, shapes=shapes, language=language, assume=assume).verdict


@pytest.mark.parametrize("claim", ["h[t] = np.tanh(W @ h[t] + U @ x[t] + b)", "h_t = np.tanh(W @ h_t + U @ x_t + b)",
                                   "h[t] += np.tanh(W @ h[t-1] + U @ x[t] + b)"])
def test_a_quantity_of_this_step_is_not_that_of_the_step_before_where_its_own_statement_reads_it(claim: str):
    assert of(claim, PLAIN_STEP, PLAIN_SHAPES) == "undecided"


def test_what_the_turn_before_left_comes_from_the_step_before_in_a_loop_that_goes_forward_only():
    body = "h = np.tanh(W @ h + U @ x[t] + b)"
    found = [of(f"for t in {turns}: {body}", PLAIN_STEP, PLAIN_SHAPES) for turns in
             ("range(T)", "range(1, T+1)", "reversed(range(T))", "range(T-1, -1, -1)", "reversed(range(T, 0, -1))")]
    assert found == ["proved", "proved", "undecided", "undecided", "proved"]


@pytest.mark.parametrize(("turns", "verdict"), [
    ("range(T)", "proved"), ("range(1, T+1)", "proved"), ("reversed(range(T))", "proved"), ("range(T, 0, -1)", "proved"),
    ("range(len(xs))", "proved"), ("range(seq_len)", "proved"), ("range(1, T)", "undecided"), ("range(T-1)", "undecided"),
    ("range(2)", "undecided"), ("range(0, T, 2)", "undecided"), ("range(T-1, 0, -1)", "undecided"), ("range(k)", "undecided")])
def test_a_sum_over_the_steps_is_proved_only_if_the_loop_runs_over_all_of_them(turns: str, verdict: str):
    assert of(f"for t in {turns}: dW += np.outer(da[t], h[t-1])", SUMS, PLAIN_SHAPES) == verdict


@pytest.mark.parametrize("claim", ["if t > 0: db += da[t]", "for t in range(T):\n    dW += np.outer(da[t], h[t-1])\ndb += da[t]",
                                   "for i in range(T): db += da[t]", "for t in range(T):\n  if t > 1:\n    db += da[t]"])
def test_a_sum_under_a_condition_after_the_loop_or_at_another_letter_is_undecided(claim: str):
    assert of(claim, SUMS, PLAIN_SHAPES) == "undecided"
    assert of("for t in range(T):\n    dW += np.outer(da[t], h[t-1])\n    db += da[t]", SUMS, PLAIN_SHAPES) == "proved"


def test_a_value_under_a_condition_is_not_the_value_elsewhere():
    given, shapes = ["y = w * tanh(x)", "dy = dL/dy; dx is to be dL/dx"], {"all": "n"}
    right = "dx = dy * w * (1 - np.tanh(x)**2)"
    assert of(f"dx = dy; if n > 1: {right}", given, shapes) == "undecided"
    found = check_claim(f"if n > 1: {right}", given=given, shapes=shapes, language="python").equation.relations[0].verdict
    assert found.word == "proved" and "where the condition of the statement holds" in found.conditions


def test_a_state_that_is_read_before_it_is_assigned_is_not_that_of_this_step():
    assert of("h = o * np.tanh(m); m = q * m + r", ["m[t] = q*m[t-1] + r; h[t] = o*np.tanh(m[t])"], {"all": "k"}) == "undecided"
    assert of("m = q * m + r; h = o * np.tanh(m)", ["m[t] = q*m[t-1] + r; h[t] = o*np.tanh(m[t])"], {"all": "k"}) == "proved"


def test_a_gradient_that_is_given_at_the_next_step_and_asked_at_this_one_is_one_name():
    given = [*PLAIN_STEP, "o[t] = V @ h[t]", "do[t] = dL/do[t]", "dh[t] is to be dL/dh[t]", "dh[t+1]: dL/dh[t+1]"]
    shapes = {**PLAIN_SHAPES, "V": "k x n", "o": "k"}
    assert of("dh[t] = V.T @ do[t] + W.T @ ((1 - h[t+1]**2) * dh[t+1])", given, shapes) == "proved"
    assert of("dh[t] = V.T @ do[t] + W.T @ ((1 - h[t]**2) * dh[t+1])", given, shapes) == "refuted"


def test_the_share_of_a_gradient_from_later_steps_is_no_free_number():
    given = [*PLAIN_STEP, "o[t] = V @ h[t]", "do[t] = dL/do[t]; da = dL/da[t]", "more: the gradient at h[t] from the later steps only",
             "dh is to be dL/dh[t]"]
    shapes = {**PLAIN_SHAPES, "V": "k x n", "o": "k"}
    assert of("dh = V.T @ do[t] + more", given, shapes) != "refuted"
    assert of("more = W.T @ da", given, shapes) != "refuted"
    assert of("dh = V.T @ do[t] - more", given, shapes) == of("more = W @ da", given, shapes) == "refuted"


def test_a_share_that_nothing_takes_apart_refutes_nothing():
    given = ["y = w * x + v * u; u = tanh(x)", "dy = dL/dy", "part: the gradient at x from the product with w only", "dx is to be dL/dx"]
    for claim in ("part = dy * w", "dx = part + dy * v * (1 - u**2)"):
        assert of(claim, given, {"all": "n"}) != "refuted"


def test_a_name_for_the_next_turn_may_be_what_this_step_sends_back():
    given = [*CELL, "dm = dL/dm[t]"]
    assert of("dm_next = dm * q", given, {"all": "k x 1"}) == "undecided"
    assert of("dm_next = dm * r", given, {"all": "k x 1"}) == "refuted"


@pytest.mark.parametrize(("claim", "language"), [
    ("dx = dy * (1 - y ^ 2)", "python"), ("dx = dy * (1 - y ^ 2);", "c"), ("dx = dy * (3 / 2 - 1 / 2 - y * y);", "c"),
    ("dx = dy * (1 - y * y) * (1 * 1 / 2) * 2;", "java"), ("dx = dy * (1 - y * y) + 0 * nan", "python")])
def test_what_a_language_computes_otherwise_than_a_formula_is_not_proved(claim: str, language: str):
    assert of(claim, ["y = tanh(x)", "dy = dL/dy; dx is to be dL/dx"], {"x, y": "n"}, language) in ("undecided", "unreadable")


def test_a_star_is_the_matrix_product_in_matlab():
    assert of("dx = W' * dy", ["y = W * x", "dy = dL/dy"], {"W": "m x n", "x": "n x 1", "y": "m x 1"}, "matlab") == "proved"
    assert of("dx = w * dy", ["y = w .* x", "dy = dL/dy"], {"all": "n x 1"}, "matlab") == "undecided"


def test_the_diagonal_and_the_softmax_of_columns_are_those_of_the_program():
    given, shapes = ["p = softmax(z)", "dp = dL/dp; dz is to be dL/dz"], {"z, p": "n x 1"}
    assert of("dz = (np.diagflat(p) - p @ p.T) @ dp", given, shapes) == "proved"
    assert of("dz = (np.diag(p) - p @ p.T) @ dp", given, shapes) == "undecided"
    loss = ["p = softmax(z); loss = -sum(y * log(p))", "dz is to be dL/dz"]
    found = [of(f"dz = softmax(z, axis={k}) - y", loss, {"z, p, y": "n x 1"}, assume=("y is one-hot",)) for k in (0, 1, -1)]
    assert found == ["proved", "undecided", "undecided"]


def test_a_proof_says_which_names_differ_by_capitals():
    shapes = {"U": "n x d", "y": "n", "x": "d"}
    found = check_claim("dx = U.T @ (DY * 1)", given=["y = U @ x", "dy = dL/dy"], shapes=shapes, language="python")
    assert found.equation.relations[0].verdict.conditions == ("DY stands for dy",)


@pytest.mark.parametrize("claim", ["tanh = np.sin; h[t] = tanh(W @ h[t-1] + U @ x[t] + b)",
                                   "np.tanh = np.sin; h[t] = np.tanh(W @ h[t-1] + U @ x[t] + b)"])
def test_a_function_that_a_statement_assigns_is_not_the_usual_one(claim: str):
    assert of(claim, PLAIN_STEP, PLAIN_SHAPES) == "undecided"


@pytest.mark.parametrize("weight", ["W[t]", "W[t-1]", "W_t"])
def test_what_is_the_same_at_every_step_is_not_taken_at_one(weight: str):
    assert of(f"h[t] = np.tanh({weight} @ h[t-1] + U @ x[t] + b)", PLAIN_STEP, PLAIN_SHAPES) == "undecided"


def test_the_attributes_of_two_objects_are_not_one_quantity():
    assert of("dx = p.U.T @ (dy + 0 * U @ x)", ["y = U @ x", "dy = dL/dy"], {"U": "n x d", "y": "n", "x": "d"}) == "undecided"


def test_an_equation_in_plain_text_reads_no_value_of_the_step_before():
    given = ["h_t = tanh(W h_{t-1} + U x_t)"]
    shapes = {"W": "n x n", "U": "n x d", "h": "n x 1", "x": "d x 1"}
    assert of("h = tanh(W h + U x)", given, shapes, "ascii") == of("h_t = tanh(W h_t + U x_t)", given, shapes, "ascii") == "undecided"
    assert of("h = np.tanh(W @ h + U @ x)", given, shapes) == "proved"


def test_a_proof_says_what_it_takes_a_name_for():
    found = check_claim("h = np.tanh(W @ h + U @ x + b)", given=PLAIN_STEP, shapes=PLAIN_SHAPES, language="python")
    assert found.equation.relations[0].verdict.conditions == ("h before the statement is h[t-1]",)


@pytest.mark.parametrize("claim", ["dx = dy * 1e999999", f"dx = {'9' * 5000} * dy", "dx = dy * (0/0)", "dx = dy / 0.0",
                                   "dx = dy * 1e90 * 1e90 * 1e90 * 1e90", "dx = dy * 7 ** 2000"])
def test_numbers_that_no_machine_holds_decide_nothing(claim: str):
    found = check_claim(claim, given=["y = w * x", "dy = dL/dy; dx is to be dL/dx"], shapes={"all": "n"}, language="python", timeout=5)
    assert found.verdict in ("undecided", "unreadable") and len(str(found.equation.reason)) < 200


def test_a_formula_with_a_number_that_no_float_holds_is_judged():
    assert check_claim(f"y = {'9' * 400} w x", given=["y = w x"], shapes={"y, w, x": "scalar"}).verdict in ("undecided", "refuted")
