r"""Listings in a text are judged against its equations, statement by statement; nothing of them is run."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import numpy as np
import pytest

from symrnn.audit import Equation, audit_document
from symrnn.cli.audit_text import audit_markdown, audit_text
from symrnn.report import regenerate

NETWORK = r"""
The memory is

$$ s_t = \tanh(R s_{t-1} + P x_t + b) $$

and what leaves the network is

$$ q_t = Q s_t + c, \qquad p_t = \mathrm{softmax}(q_t) $$
"""

LEAN = """class Unit:
    def step(self, x):
        # the memory first
        self.s = np.tanh(np.dot(self.R, self.s) + np.dot(self.P, x))
        v = np.dot(self.M, self.s)
        return v
"""


def found(folder: Path, code: str, text: str = NETWORK, fence: str = "python") -> list[Equation]:
    path = folder / "notes.md"
    path.write_text(f"{text}\n```{fence}\n{code}```\n", encoding="utf-8")
    return [e for e in audit_document(path).equations if e.role == "code"]


def only(folder: Path, code: str, text: str = NETWORK) -> Equation:
    (one,) = found(folder, code, text)
    return one


def step(*lines: str) -> str:
    return "\n".join(["class Unit:", "    def step(self, x):", *(f"        {line}" for line in lines), ""])


# ----------------------------------------------------------------------------------------------------------------- what agrees
def test_a_statement_that_is_the_equation_is_proved_for_all_sizes_and_says_which_equation_it_is(tmp_path):
    code = step("self.s = np.tanh(self.R @ self.s + self.P @ x + self.b)", "q = self.Q @ self.s + self.c",
                "p = np.exp(q) / np.sum(np.exp(q))", "return p")
    rows = found(tmp_path, code)
    assert [e.verdict for e in rows] == ["proved"] * 3
    assert [e.uses for e in rows] == [("eq-1",), ("eq-2",), ("eq-2",)]
    assert {str(e.relations[0].verdict.scope) for e in rows} == {"for all sizes and every T"}


def test_a_listing_without_biases_agrees_only_where_the_biases_of_the_text_are_zero(tmp_path):
    state, output = found(tmp_path, LEAN)
    assert (state.verdict, state.relations[0].verdict.conditions) == ("conditional", ("b = 0",))
    assert "b = 0, which the listing leaves out" in str(state.reason)
    assert "c = 0" in output.relations[0].verdict.conditions and "b = 0" not in output.relations[0].verdict.conditions


def test_another_name_and_a_function_that_is_not_applied_are_said(tmp_path):
    _, output = found(tmp_path, LEAN)
    assert output.verdict == "conditional"
    assert {"M is the text's Q", "v is the text's q"} <= set(output.relations[0].verdict.conditions)
    assert "the text goes on to p by softmax, the listing does not" in str(output.reason)


def test_a_function_that_the_text_leaves_open_may_be_the_one_of_the_listing(tmp_path):
    text = "$$ s_t = \\phi(R s_{t-1} + P x_t) $$\n"
    one = only(tmp_path, step("self.s = np.tanh(self.R @ self.s + self.P @ x)"), text)
    assert (one.verdict, one.relations[0].verdict.conditions) == ("conditional", ("phi is tanh",))
    assert only(tmp_path, step("self.s = np.tanh(self.R @ self.s - self.P @ x)"), text).verdict == "undecided"


def test_names_of_a_program_may_leave_out_underscores(tmp_path):
    text = "$$ h_t = \\tanh(W_{hh} h_{t-1} + W_{xh} x_t + b_h) $$\n"
    assert only(tmp_path, step("self.h = np.tanh(self.Whh @ self.h + self.Wxh @ x + self.bh)"), text).verdict == "proved"


@pytest.mark.parametrize("value", ["self.s @ self.R.T + x @ self.P.T", "self.R.dot(self.s) + x @ self.P.T"])
def test_vectors_of_one_axis_are_neither_rows_nor_columns(tmp_path, value):
    assert only(tmp_path, step(f"self.s = np.tanh({value} + self.b)")).verdict == "proved"


def test_matrices_stored_the_other_way_round_are_a_condition(tmp_path):
    one = only(tmp_path, step("self.s = np.tanh(self.s @ self.R + x @ self.P + self.b)"))
    assert (one.verdict, one.relations[0].verdict.conditions) == (
        "conditional", ("the matrices of the listing are the transposes of the text's",))


def test_names_that_the_text_does_not_have_hold_for_the_statements_after(tmp_path):
    first, second = found(tmp_path, step("self.k = np.tanh(self.A @ self.k + self.B @ x + self.d)", "return self.E @ self.k + self.f"))
    assert "A is the text's R" in first.relations[0].verdict.conditions
    assert "k is the text's s" in second.relations[0].verdict.conditions
    assert {e.verdict for e in (first, second)} == {"conditional"}


GATES = r"""
$$ f_t = \sigma(W_f x_t + U_f h_{t-1}), \quad i_t = \sigma(W_i x_t + U_i h_{t-1}), \quad o_t = \sigma(W_o x_t + U_o h_{t-1}) $$

$$ c_t = f_t \odot c_{t-1} + i_t \odot o_t, \qquad h_t = o_t \odot \tanh(c_t) $$
"""


def test_which_gate_is_which_follows_from_the_statements_after(tmp_path):
    rows = found(tmp_path, step("put = sigmoid(self.A @ x + self.B @ self.s)", "keep = sigmoid(self.C @ x + self.D @ self.s)",
                                "out = sigmoid(self.E @ x + self.F @ self.s)", "self.m = keep * self.m + put * out",
                                "self.s = out * np.tanh(self.m)"), GATES)
    assert [e.verdict for e in rows] == ["conditional"] * 5
    assert {"keep is the text's f", "put is the text's i", "out is the text's o", "m is the text's c"} <= {
        c for e in rows for c in e.relations[0].verdict.conditions}


def test_a_function_without_a_kept_state_gets_the_state_as_an_argument(tmp_path):
    one = only(tmp_path, "def forward(x, s_prev, R, P, b):\n    s = np.tanh(R @ s_prev + P @ x + b)\n    return s\n")
    assert one.relations[0].verdict.conditions == ("s_prev is the text's s of the step before",)
    same = only(tmp_path, "def forward(x, s):\n    return np.tanh(R @ s + P @ x + b)\n")
    assert same.relations[0].verdict.conditions == ("s is the text's s of the step before",)


@pytest.mark.parametrize(("turns", "now", "before"), [("range(1, T + 1)", "t", "t - 1"), ("range(T)", "t + 1", "t")])
def test_a_loop_over_steps_may_count_its_states_from_zero_or_from_one(tmp_path, turns, now, before):
    code = f"for t in {turns}:\n    s[{now}] = np.tanh(R @ s[{before}] + P @ x[t] + b)\n    q[t] = Q @ s[{now}] + c\n"
    assert [e.verdict for e in found(tmp_path, code)] == ["proved", "proved"]


# ---------------------------------------------------------------------------------------------------------------- what differs
@pytest.mark.parametrize("value", [
    "np.tanh(self.R @ self.s - self.P @ x + self.b)", "np.maximum(0, self.R @ self.s + self.P @ x + self.b)",
    "self.R @ self.s + self.P @ x + self.b", "np.tanh(self.P @ self.s + self.R @ x + self.b)",
    "np.tanh(self.R @ self.s + 2 * (self.P @ x) + self.b)"])
def test_a_statement_in_the_names_of_the_text_that_is_another_function_is_refuted(tmp_path, value):
    one = only(tmp_path, step(f"self.s = {value}"))
    assert one.verdict == "refuted"
    assert str(one.reason).startswith("not the text's equation of s: ")


def test_the_state_on_the_right_is_the_one_before_and_after_the_assignment_the_new_one(tmp_path):
    late = "q = self.Q @ self.s + self.c"
    update = "self.s = np.tanh(self.R @ self.s + self.P @ x + self.b)"
    assert [e.verdict for e in found(tmp_path, step(update, late))] == ["proved", "proved"]
    assert [e.verdict for e in found(tmp_path, step(late, update))] == ["refuted", "proved"]


def test_a_star_between_a_matrix_and_a_vector_is_no_matrix_product(tmp_path):
    one = only(tmp_path, step("self.s = np.tanh(self.R * self.s + self.P @ x + self.b)"))
    assert (one.verdict, one.reason) == ("undecided", "an array would be spread over the rows of another")


def test_two_gates_that_change_places_are_not_taken_for_other_names(tmp_path):
    text = "$$ u_t = \\tanh(A x_t), \\quad v_t = \\tanh(B x_t) $$\n"
    code = "def gates(self, x):\n    u = np.tanh(self.B @ x)\n    v = np.tanh(self.A @ x)\n"
    assert [e.verdict for e in found(tmp_path, code, text)] == ["refuted", "refuted"]


def test_an_output_may_leave_the_network_without_its_last_function_and_a_state_may_not(tmp_path):
    text = "$$ s_t = \\tanh(R s_{t-1} + P x_t), \\quad y_t = \\mathrm{softmax}(Q s_t) $$\n"
    state, output = found(tmp_path, step("self.s = self.R @ self.s + self.P @ x", "y = self.Q @ self.s"), text)
    assert (state.verdict, output.verdict) == ("refuted", "conditional")
    assert output.relations[0].verdict.conditions == ("y is what softmax is applied to in the text's y",)


# ------------------------------------------------------------------------------------------------------------ what is not known
@pytest.mark.parametrize(("line", "why"), [
    ("self.s = np.tanh(self.cell(x, bias=True))", "arguments with names are not known"),
    ("self.s = [v for v in x]", "the expression listcomp is not known"),
    ("self.s = np.tanh(self.R @ self.s + self.Z @ x + self.b)", None)])
def test_what_cannot_be_compared_is_undecided_with_its_reason(tmp_path, line, why):
    one = only(tmp_path, step(line))
    assert one.verdict in ("undecided", "conditional")
    assert one.reason == why or why is None and "Z is the text's P" in str(one.reason)


def test_a_function_that_the_text_does_not_define_refutes_nothing(tmp_path):
    text = "$$ s_t = \\tanh(R s_{t-1} + P x_t) $$\n\n$$ y_t = \\phi(Q s_t) $$\n"
    one = found(tmp_path, step("self.s = np.tanh(self.R @ self.s + self.P @ x)", "y = 2 * np.exp(self.Q @ self.s)"), text)[1]
    assert one.verdict == "undecided" and "which function phi" in str(one.reason)


def test_a_listing_that_is_no_python_is_undecided_at_the_line_that_is_wrong(tmp_path):
    one = only(tmp_path, "class Unit:\n    def step(self, x)\n        self.s = np.tanh(self.R @ self.s)\n")
    assert (one.verdict, one.reason, one.span.line) == ("undecided", "no Python that can be parsed", 12)


@pytest.mark.parametrize("code", [
    "import numpy as np\nrate = 0.1\nfor epoch in range(9):\n    train(epoch)\n", "print(model)\n",
    "class Unit:\n    def __init__(self):\n        self.s = np.zeros(3)\n        self.R = make(3, 3)\n"])
def test_a_program_that_computes_nothing_of_the_text_has_no_finding(tmp_path, code):
    assert found(tmp_path, code) == []


def test_other_languages_and_texts_without_equations_have_no_finding(tmp_path):
    assert found(tmp_path, LEAN, fence="text") == []
    assert found(tmp_path, LEAN, text="A unit with a memory.\n") == []


def test_nothing_of_a_listing_is_run(tmp_path):
    mark = tmp_path / "mark"
    code = step(f"self.s = open({str(mark)!r}, 'w')", "self.s = np.tanh(self.R @ self.s + self.P @ x + self.b)")
    found(tmp_path, code)
    assert not mark.exists()


@pytest.mark.parametrize("code", ["s = np.zeros(3)\n", "s = 0\n", "s = np.zeros((3, 1))\n", "s = []\n", "s = np.ones(n)\n"])
def test_a_start_is_no_claim(tmp_path, code):
    assert found(tmp_path, code) == []


def test_another_name_for_a_value_of_the_text_is_no_claim_and_holds_from_there_on(tmp_path):
    update, output = found(tmp_path, step("before = self.s", "self.s = np.tanh(self.R @ before + self.P @ x + self.b)", "now = self.s",
                                          "return self.Q @ now + self.c"))
    assert (update.verdict, output.verdict) == ("proved", "proved")


@pytest.mark.parametrize("lines", [
    ("a = self.R @ self.s + self.P @ x + self.b", "self.s = np.tanh(a)"),
    ("s = np.tanh(self.R @ self.s + self.P @ x + self.b)", "self.s = s"),
    ("u = self.R @ self.s", "v = u + self.P @ x", "self.s = np.tanh(v + self.b)")])
def test_a_step_on_the_way_that_the_text_takes_in_one_is_put_into_the_next(tmp_path, lines):
    rows = found(tmp_path, step(*lines))
    assert [e.verdict for e in rows] == [None] * (len(lines) - 1) + ["proved"]
    assert "put into the statements that use it" in str(rows[0].reason)


def test_a_step_on_the_way_to_something_else_stays_undecided(tmp_path):
    rows = found(tmp_path, step("a = self.R @ self.s + self.Z @ self.Y @ x", "self.s = np.tanh(a)"))
    assert [e.verdict for e in rows] == ["undecided", "undecided"]


def test_nothing_is_refuted_by_a_name_that_was_only_supposed_before(tmp_path):
    first, second = found(tmp_path, step("self.k = np.tanh(self.R @ self.k + self.P @ x + self.b)", "q = self.Q @ np.tanh(self.k)"))
    assert (first.verdict, second.verdict) == ("conditional", "undecided")
    assert "if k is the text's s" in str(second.reason)


def test_a_backward_pass_is_not_matched_by_taking_its_names_for_others(tmp_path):
    code = """def both(inputs, targets):
    xs, ss, qs, ps = {}, {}, {}, {}
    for t in range(len(inputs)):
        xs[t] = np.zeros((size, 1))
        xs[t][inputs[t]] = 1
        ss[t] = np.tanh(R @ ss[t - 1] + P @ xs[t] + b)
        qs[t] = Q @ ss[t] + c
    dnext = np.zeros_like(ss[0])
    for t in reversed(range(len(inputs))):
        dq = ps[t] - targets[t]
        dQ += dq @ ss[t].T
        draw = (1 - ss[t] ** 2) * (Q.T @ dq + dnext)
        dnext = R.T @ draw
"""
    rows = found(tmp_path, code)
    assert [e.verdict for e in rows] == ["proved", "proved", *["undecided"] * 4]


@pytest.mark.parametrize("code", ["score = A @ features\n", "def score(f):\n    return A @ f\n", "v = np.tanh(M @ u + N @ w + k)\n"])
def test_a_program_that_shares_no_name_with_the_text_is_not_matched_by_taking_its_names_for_others(tmp_path, code):
    assert found(tmp_path, code) == []


def test_at_the_top_level_only_what_the_text_defines_is_judged(tmp_path):
    code = "rate = 0.1\ndata = load(path)\nm = n + k\ns = np.tanh(R @ s_prev + P @ x + b)\nq = predict(s)\n"
    assert [(e.verdict, e.span.latex[:1]) for e in found(tmp_path, code)] == [("conditional", "s"), ("undecided", "q")]


# ------------------------------------------------------------------------------------------------------------------ where it is
def test_in_plain_text_with_numbers_between_the_lines_a_finding_has_its_exact_place(tmp_path):
    numbered = "".join(f"{n}\n{line}\n" for n, line in enumerate(LEAN.splitlines(), 1))
    path = tmp_path / "page.txt"
    path.write_text(f"The unit in a program:\n\n{numbered}\nIn formulas it is\n\ns_t = \\tanh(R s_{{t-1}} + P x_t + b)\n\nand\n\n"
                    "q_t = \\mathrm{id}(Q s_t)\n", encoding="utf-8")
    judged = audit_document(path)
    first = next(e for e in judged.equations if e.role == "code")
    lines = judged.document.text.splitlines()
    assert first.span.latex == "self.s = np.tanh(np.dot(self.R, self.s) + np.dot(self.P, x))"
    assert lines[first.span.line - 1][first.span.column - 1 : first.span.end_column - 1] == first.span.latex
    assert first.verdict == "conditional"


def test_findings_stand_in_the_order_of_the_document_and_in_every_output(tmp_path):
    path = tmp_path / "notes.md"
    path.write_text(f"{NETWORK}\n```python\n{LEAN}```\n\n$$ p_t = q_t $$\n", encoding="utf-8")
    from symrnn.audit import audit_files
    value = audit_files([path]).to_json()
    rows = value["documents"][0]["equations"]
    assert [e["id"] for e in rows if e["role"] == "code"] == ["code-1", "code-2"]
    assert [e["line"] for e in rows] == sorted(e["line"] for e in rows)
    assert value["summary"]["conditional"] == 2
    assert "self.s = np.tanh(" in audit_text(value)
    assert "`` v = np.dot(self.M, self.s) ``" in audit_markdown(value)
    json.dumps(value)


def test_a_report_says_under_a_listing_what_was_found(tmp_path):
    path = tmp_path / "notes.md"
    path.write_text(f"# A unit\n{NETWORK}\n```python\n{LEAN}```\n\nThat is all.\n", encoding="utf-8")
    regenerate([path], tmp_path / "out")
    page = (tmp_path / "out" / "notes.md").read_text(encoding="utf-8")
    listing, after = page.index("```python"), page.index("That is all.")
    assert listing < page.index("- line 15, `self.s = ") < page.index("- line 16, `v = ") < after


# ------------------------------------------------------------------------------------------------------------------ stacks
WHOLE = step("self.s = np.tanh(self.R @ self.s + self.P @ x + self.b)", "q = self.Q @ self.s + self.c", "return q")
LOSS = "\n$$ \\ell_t = -\\sum_i y_{t,i} \\log p_{t,i}, \\qquad L = \\sum_{t=1}^{T} \\ell_t $$\n"


def judged_stack(folder: Path, code: str, unit: str = WHOLE, text: str = NETWORK + LOSS):
    path = folder / "notes.md"
    path.write_text(f"{text}\n```python\n{unit}```\n\nOne above the other:\n\n```python\n{code}```\n", encoding="utf-8")
    judged = audit_document(path)
    return judged, [e for e in judged.equations if e.role == "code" and "stack" in str(e.reason)]


@pytest.mark.parametrize(("code", "layers"), [
    ("v = lower.step(x)\nw = upper.step(v)\n", 2), ("w = upper.step(lower.step(x))\n", 2),
    ("a = Unit()\nb = Unit()\nc = Unit()\nu = a.step(x)\nv = b.step(u)\nw = c.step(v)\n", 3),
    ("for t in range(T):\n    v = lower.step(x[t])\n    w = upper.step(v)\n", 2)])
def test_units_one_above_the_other_are_a_network_with_proved_gradients(tmp_path, code, layers):
    judged, (found,) = judged_stack(tmp_path, code)
    assert found.verdict is None
    assert f"a stack of {layers} layers" in str(found.reason)
    assert f"gradients of its {5 * layers} parameters are derived and proved for all sizes and every T" in str(found.reason)
    model = judged.models[f"stack at line {found.span.line}"]
    assert [s.name for s in model.states] == [f"s_{k}" for k in range(1, layers + 1)]
    assert "q_1[t]" in str(model.definitions["s_2"])


@pytest.mark.parametrize("code", [
    "v = lower.step(x)\nw = lower.step(v)\n", "v = lower.step(x)\nw = upper.step(x)\n", "w = unit.step(x)\n",
    "a = Other()\nb = Unit()\nv = a.step(x)\nw = b.step(v)\n", "v = lower.move(x)\nw = upper.move(v)\n"])
def test_what_is_no_stack_of_networks_of_the_text_is_not_taken_for_one(tmp_path, code):
    judged, found = judged_stack(tmp_path, code)
    assert found == [] and not any("stack" in name for name in judged.models)


def test_a_unit_that_is_not_wholly_understood_makes_no_stack(tmp_path):
    _, found = judged_stack(tmp_path, "v = lower.step(x)\nw = upper.step(v)\n", unit=WHOLE.replace("self.c", "self.c + noise(3)"))
    assert found == []


def test_a_stack_without_a_loss_has_no_gradients_and_says_so(tmp_path):
    _, (found,) = judged_stack(tmp_path, "w = upper.step(lower.step(x))\n", text=NETWORK)
    assert "without a loss it has no gradients" in str(found.reason)


def test_a_call_of_a_unit_is_no_claim_about_a_variable_of_its_name(tmp_path):
    judged, _ = judged_stack(tmp_path, "q = unit.step(x)\n")
    assert [e.verdict for e in judged.equations if e.role == "code"] == ["proved", "proved"]


def test_a_stack_stands_in_every_output_without_a_verdict(tmp_path):
    from symrnn.audit import audit_files
    judged, (found,) = judged_stack(tmp_path, "w = upper.step(lower.step(x))\n")
    value = audit_files([judged.path]).to_json()
    (row,) = [e for e in value["documents"][0]["equations"] if "stack" in str(e["reason"])]
    assert (row["verdict"], row["role"]) == (None, "code")
    jsonschema.validate(value, json.loads((files("symrnn") / "schema" / "audit.json").read_text(encoding="utf-8")))
    assert f":{found.span.line}:1: listing\n  w = upper.step(lower.step(x))\n    found: a stack of 2 layers" in audit_text(value)
    assert "| listing |" in audit_markdown(value)
    regenerate([judged.path], tmp_path / "out")
    assert "a stack of 2 layers" in (tmp_path / "out" / "notes.md").read_text(encoding="utf-8")


# ------------------------------------------------------------------------------------------------- against what programs compute
PIECES = {
    "outer": ["np.tanh({})", "{}", "np.tanh(np.tanh({}))", "np.maximum(0, {})", "1 - 2 / (1 + np.exp(2 * ({})))"],
    "state": ["self.R @ self.s", "np.dot(self.R, self.s)", "self.s @ self.R.T", "self.s @ self.R", "self.R.T @ self.s",
              "self.R * self.s", "np.matmul(self.R, self.s)", "self.R.dot(self.s)", "self.s * 2"],
    "input": ["self.P @ x", "x @ self.P.T", "self.P.dot(x)", "2 * (self.P @ x)", "-(self.P @ x)", "self.R @ (self.P @ x)"],
    "bias": [" + self.b", "", " - self.b", " + 2 * self.b", " + 1"],
}
FORMS = [outer.format(f"{state} + {put}{bias}") for k, (outer, state, put, bias) in enumerate(
    (o, s, i, b) for o in PIECES["outer"] for s in PIECES["state"] for i in PIECES["input"] for b in PIECES["bias"]) if k % 37 == 0]


def computed(form: str, turned: bool = False, **zero: float) -> bool | None:
    """Whether the statement computes the equation in numbers, at two choices of sizes; None where NumPy refuses it."""
    for n, m in ((3, 2), (2, 3)):
        r = np.random.default_rng(n)
        unit = SimpleNamespace(R=r.normal(size=(n, n)), s=r.normal(size=n), P=r.normal(size=(n, m)), b=r.normal(size=n) * zero.get("b", 1))
        x = r.normal(size=m)
        right = np.tanh(unit.R @ unit.s + unit.P @ x + unit.b)
        if turned:
            unit.R, unit.P = unit.R.T, unit.P.T
        try:
            value = eval(form, {"np": np, "self": unit, "x": x})  # noqa: S307 - a statement of this file
        except ValueError:
            return None
        if np.shape(value) != np.shape(right) or not np.allclose(value, right, rtol=1e-12):
            return False
    return True


@pytest.mark.parametrize("form", FORMS)
def test_a_verdict_agrees_with_what_the_statement_computes(tmp_path, form):
    one = only(tmp_path, step(f"self.s = {form}"))
    conditions = one.relations[0].verdict.conditions
    turned = any("transposes" in c for c in conditions)
    same = computed(form, turned, **({"b": 0} if "b = 0" in conditions else {}))
    assert (one.verdict in ("proved", "conditional")) <= (same is True), one.reason
    assert (one.verdict == "refuted") <= (computed(form) is not True), one.reason
    assert (one.verdict == "proved") <= (conditions == ())
    assert one.verdict != "undecided" or "*" in form or computed(form) is not True, one.reason


# ---------------------------------------------------------------------------------------------- names that mean something else
MEMORY = "self.s = np.tanh(self.R @ self.s + self.P @ x + self.b)"


@pytest.mark.parametrize(("before", "call"), [
    ("import foo as np\n", "np.tanh"), ("np = foo\n", "np.tanh"), ("from numpy import sin as tanh\n", "tanh"),
    ("def tanh(z):\n    return z\n", "tanh"), ("tanh = np.sin\n", "tanh")])
def test_a_usual_name_that_a_listing_gives_another_meaning_proves_nothing(tmp_path, before, call):
    code = before + step(MEMORY.replace("np.tanh", call), "return self.s")
    assert "proved" not in [e.verdict for e in found(tmp_path, code)]


@pytest.mark.parametrize(("body", "verdict"), [
    ("return 1.0 / (1.0 + np.exp(-z))", "proved"), ("return np.exp(z) / (1 + np.exp(z))", "proved"),
    ("return 1 / (1 + np.exp(z))", "undecided"), ("return z", "undecided")])
@pytest.mark.parametrize("method", [False, True])
def test_a_function_that_a_listing_defines_itself_is_the_usual_one_only_if_it_is_written_like_it(tmp_path, body, verdict, method):
    text = NETWORK.replace("\\tanh(R", "\\sigma(R")
    if method:
        code = (f"class Unit:\n    def sigmoid(self, z):\n        {body}\n\n    def step(self, x):\n        "
                "self.s = self.sigmoid(self.R @ self.s + self.P @ x + self.b)\n")
    else:
        code = f"def sigmoid(z):\n    {body}\n\n" + step("self.s = sigmoid(self.R @ self.s + self.P @ x + self.b)")
    assert [e.verdict for e in found(tmp_path, code, text) if "self.s" in e.span.latex] == [verdict]


def test_an_input_that_a_loop_leaves_as_it_is_is_no_sequence(tmp_path):
    loop = "s = np.zeros(n)\nfor t in range(T):\n    s = np.tanh(R @ s + P @ {} + b)\n"
    assert [only(tmp_path, loop.format(x)).verdict for x in ("x[t]", "x")] == ["proved", "undecided"]
    assert only(tmp_path, step("for k in range(3):", f"    {MEMORY}", "return self.s")).verdict == "undecided"
