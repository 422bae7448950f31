"""Derivations as texts: what they say, that the formats agree, and the schema."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from fuzzing import fuzz
from hypothesis import given
from loops import World, backward, evaluate, far, mpf, run
from models import coupled, lstm, plain, random_models
from models import elman as elman_of
from sweeps import mostly_slow

from symrnn import api
from symrnn.bptt import adjoint, check_trail, derive, gradient
from symrnn.correspondence import code_of, derivation_text
from symrnn.emit import emit
from symrnn.expr import NOW, apply, node, show_shape, softmax, symbols, total
from symrnn.expr.show import show
from symrnn.model import Model, param, scalar, sequence
from symrnn.write.definitions import facts, known_symbols, role, simplex_steps
from symrnn.write.derivation import DerivationText, boundary, order
from symrnn.write.local import fused
from symrnn.write.signs import SIGNS, operations
from symrnn.write.steps import words
from symrnn.write.voice import PlainVoice
from symrnn.zoo import names

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
CHECKER = jsonschema.Draft202012Validator(json.loads((files("symrnn") / "schema" / "derive.json").read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def elman() -> DerivationText:
    return api.derive("elman")


def two_states(initial: str = "zero") -> Model:
    """Two states, one of them used two steps later; no softmax."""
    h, g, x, y = sequence("h", "n"), sequence("g", "n"), sequence("x", "n", kind="input"), sequence("y", "n", kind="target")
    A, B, f = param("A", "n", "n"), param("B", "n", "n"), scalar("loss")
    return Model.build("two", [(h, apply("relu", A @ g[-2] + x)), (g, B @ h + h[-1]), (f, total((g - y)**2))], loss="loss",
                       initial=initial)


def test_the_text_of_elman_is_the_committed_one(elman):
    assert elman.to_text() == (GOLDEN / "derive-elman.txt").read_text(encoding="utf-8")


def test_the_markdown_of_elman_is_the_committed_one(elman):
    assert elman.to_md() == (GOLDEN / "derive-elman.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", mostly_slow(names()))
def test_every_step_is_printed_once_and_names_its_rule(name):
    found = api.derive(name)
    assert check_trail(found.derivation) == []
    for text in (found.to_text(), found.to_md()):
        printed = dict(re.findall(r"^ *(\d+)\. ([a-z -]+):", text, re.M))
        assert printed == {str(k): s.rule for k, s in enumerate(found.derivation.trail, 1)}


@pytest.mark.parametrize("name", mostly_slow(names()))
def test_the_json_is_valid_and_the_same_every_time(name):
    payload = api.derive(name).to_json()
    CHECKER.validate(payload)
    assert json.dumps(payload) == json.dumps(api.derive(name).to_json())


def test_the_schema_takes_a_model_without_softmax_and_refuses_a_missing_field():
    payload = DerivationText.of(derive(two_states())).to_json()
    CHECKER.validate(payload)
    del payload["steps"][0]["rule"]
    with pytest.raises(jsonschema.ValidationError):
        CHECKER.validate(payload)


def test_no_text_speaks_of_a_number_of_steps(elman):
    """The only times are t, its neighbours, the ends 0, 1 and T."""
    for text in (elman.to_text(), json.dumps(elman.to_json()["adjoints"])):
        assert set(re.findall(r"\[(?:t|T|\d+)(?:[+-]\d+)?\]", text)) <= {"[t]", "[t-1]", "[t+1]", "[0]", "[1]", "[T]", "[T+1]"}


def test_the_use_of_targets_that_sum_to_one_is_told_with_its_step(elman):
    (step,) = simplex_steps(elman.derivation)
    assert elman.derivation.trail[step - 1].rule == "fuse"
    assert f"sum to one; used in step {step}." in elman.to_text()


def test_without_that_assumption_the_sum_of_the_target_stays():
    free = DerivationText.of(derive(replace(api.derive("elman").derivation.model, simplex=frozenset())))
    assert "sum to one;" not in free.to_text()
    assert "adj o[t] = sum(y[t]) * hat(y)[t] - y[t]" in free.to_text()


def test_an_assumption_that_no_step_uses_is_said_to_be_unused():
    p, o, y, f = sequence("p", "n"), sequence("o", "n"), sequence("y", "n", kind="target"), scalar("loss")
    x = sequence("x", "n", kind="input")
    m = Model.build("m", [(o, param("W", "n", "n") @ x), (p, softmax(o)), (f, total((p - y)**2))], loss="loss", simplex=["y"])
    assert ("simplex", "The entries of y[t] sum to one; no step uses it.") in facts(derive(m), PlainVoice())


def test_at_the_last_step_nothing_comes_from_later_ones_and_the_initial_state_is_reached():
    m = two_states("given")
    found = {(place, str(s)): str(e) for place, s, e, _ in boundary(derive(m))}
    assert found[("T", "adj h[T]")] == "B.T @ (adj g[T])"
    assert found[("T", "adj g[T]")] == "2 * (g[T] - y[T])"
    assert found[("1", "adj g[0]")] == "A.T @ (step(A @ g[0] + x[2]) * adj h[2])"
    assert found[("1", "adj h[0]")] == "adj g[1]"


def test_a_zero_initial_state_and_a_kink_are_told():
    sentences = dict(facts(derive(two_states()), PlainVoice()))
    assert "are zero" in sentences["initial"] and "g[-1]" in sentences["initial"]
    assert "relu" in sentences["almost everywhere"]


# ------------------------------------------------------------------------------------------------------------- to read it
MODELS = {"lstm": lstm(), "lag-2": plain("sigmoid", lag2=True), "coupled": coupled(), "binary": elman_of(output="sigmoid"),
          "softmax": elman_of(), "two": two_states()}
each = pytest.mark.parametrize("name", MODELS)


def plain_text(text: DerivationText) -> str:
    """The text with no line broken."""
    return " ".join(text.to_text().split())


@each
def test_every_symbol_of_a_model_is_defined_with_its_shape_before_it_is_used(name):
    m = MODELS[name]
    text = derivation_text(derive(m)).to_text()
    table = text[:text.index("Signs")]
    for s in known_symbols(m):
        assert re.search(rf"^  {re.escape(str(s))}  +{role(m, s)}  +{show_shape(s.shape)} ", table, re.M), s


@each
def test_every_sign_of_a_derivation_is_explained_before_the_steps(name):
    d = derive(MODELS[name])
    explained = {op for op, sign in SIGNS.items() if show(sign.example) in DerivationText.of(d).to_text().partition("Conventions")[0]}
    assert operations(d) & SIGNS.keys() == explained


def test_the_jacobian_of_a_function_without_a_definition_is_explained_where_it_occurs():
    h, x = sequence("h", "n"), sequence("x", "m", kind="input")
    rows = [(h, node("vcall", param("W", "n", "n") @ h[-1], x, attr=("F", ("n", 1)))), (scalar("l"), total(h))]
    said = [plain_text(DerivationText.of(derive(m))) for m in (Model.build("m", rows, loss="l"), lstm())]
    assert ["D1 F(u) Jacobian by an argument, here the first" in text for text in said] == [True, False]


@each
def test_the_order_of_a_step_has_every_adjoint_after_those_it_needs(name):
    d = derive(MODELS[name])
    done: set[str] = set()
    for adjoint_of, e in d.adjoints.items():
        assert {s.name for s in symbols(e) if s.kind == "adjoint" and s.time == NOW} <= done
        done.add(adjoint_of)
    later = any(s.time.offset > 0 for e in d.adjoints.values() for s in symbols(e) if s.kind == "adjoint")
    assert ("from the last one to the first" in order(d, PlainVoice())) == later


def test_without_a_later_step_there_is_no_order_of_steps():
    x, y, f = sequence("x", "n", kind="input"), sequence("y", "n", kind="target"), scalar("loss")
    d = derive(Model.build("flat", [(f, total((param("W", "n", "n") @ x - y)**2))], loss="loss"))
    assert "the steps may be taken in any order" in order(d, PlainVoice())


def test_roles_follow_from_the_equations_and_not_from_the_letters():
    m = lstm()
    assert {role(m, m.symbol(n)) for n in "fio"} == {"gate"} and role(m, m.symbol("a_g")) == "pre-activation"
    assert [role(m, m.symbol(n)) for n in ("h", "c", "l", "W_f", "b_f", "x")] == [
        "state", "state", "loss of one step", "weights", "bias", "input"]


@pytest.mark.parametrize("output", ["softmax", "sigmoid"])
def test_the_forms_of_a_fused_pair_have_the_same_value(output):
    m = elman_of(output=output)
    d = derive(m)
    w = backward(run(World({"n": 2, "m": 3, "k": 3}, T=2, positive=frozenset("y"), simplex=m.simplex), m), m, d.adjoints)
    forms = fused(d, "o")
    assert len(forms) == (4 if output == "softmax" else 3) and forms[-1] is d.adjoints["o"]
    for t in (1, 2):
        first, *others = (evaluate(replace(w, t=t), e) for e in forms)
        assert all(far(first, x) < mpf(10) ** -10 for x in others)


def test_the_last_form_of_a_pair_is_said_to_use_the_sum_only_where_that_is_assumed():
    said = [plain_text(DerivationText.of(derive(elman_of(simplex=s)))) for s in (["y"], [])]
    assert ["The last form uses that the entries of y[t] sum to one." in text for text in said] == [True, False]


@each
def test_the_box_has_every_gradient(name):
    d = derive(MODELS[name])
    text = DerivationText.of(d).to_text()
    box = text[text.index("  +---"):text.rindex("  +---")]
    wanted = [*(f"grad {s.name} = " for s in d.model.parameters), *(f"adj {s} = " for s in d.model.inputs),
              *(f"adj {s}[0] = " for s in d.initial)]
    assert [x for x in wanted if f"|     {x}" not in box] == []


@each
def test_the_brief_text_is_part_of_the_full_one_and_has_no_step(name):
    d = derive(MODELS[name])
    brief, full = (derivation_text(d, level=level).to_text() for level in ("brief", "full"))
    assert [b for b in brief.split("\n\n") if b not in full] == []
    assert "1. seed" in full and "seed" not in brief and "In code" in full and "In code" not in brief


# --------------------------------------------------------------------------------------------------------------- beside the code
@each
def test_every_line_beside_a_formula_stands_in_the_emitted_module_in_that_order(name):
    model = replace(MODELS[name], initial="given")
    written = emit(model).splitlines()
    code = code_of(derive(model))
    for f in code.functions:
        at = next(k for k, line in enumerate(written) if line.startswith(f"def {f.name}("))
        for line in f.lines:
            at = written.index(f"    {line.text}" if line.text else "", at + 1)


@each
def test_every_quantity_that_the_code_computes_has_its_formula(name):
    d = derive(replace(MODELS[name], initial="given"))
    code = code_of(d)
    found = {line.of for f in code.functions for line in f.lines if line.of is not None}
    assert {gradient(s) for s in d.model.parameters} | {adjoint(s) for s in d.model.inputs} | {d.model.summed} <= found
    assert {s for s in d.model.variables if s.name != d.model.loss} <= found
    text = derivation_text(d).to_text()
    for s in d.model.parameters:
        assert f"grad {s.name} = {code.derivation.gradients[s.name]}" in text.partition("In code")[2]


NO_FORMULA = re.compile(r"""\w+\ =\ (np\.empty|_rows)\(.*   # room for results
                          |del\ .*|\#.*
                          |for\ .*|\ *[\w\[\]:+-]+,|\ *strict=True,|\)\ in\ \w+\(|\):                        # the head of a loop
                          """, re.VERBOSE)


@each
def test_every_line_of_code_that_computes_stands_beside_a_formula(name):
    lines = [x for f in code_of(derive(MODELS[name])).functions for x in f.lines]
    assert [x.text for x in lines if x.of is None and not NO_FORMULA.fullmatch(x.text)] == []


def test_a_matrix_that_is_turned_before_a_loop_is_said_to_be():
    (line,) = [x for f in code_of(derive(elman_of())).functions for x in f.lines if x.text.startswith("W_T = ")]
    assert (str(line.of), str(line.part)) == ("W", "W.T")
    assert re.search(r"W_T = np.ascontiguousarray\(W.T\) +W.T, for the loop", derivation_text(derive(elman_of())).to_text())


def test_a_line_is_beside_the_part_that_it_computes_and_not_beside_the_whole():
    lines = [x for f in code_of(derive(elman_of())).functions for x in f.lines if x.text.startswith("a_in = ")]
    assert [(str(x.of), str(x.part)) for x in lines] == [("a[t]", "U @ x[t] + b")]


def test_a_loop_from_the_last_step_to_the_first_is_said_to_be_one():
    text = derivation_text(derive(lstm())).to_text()
    assert re.findall(r"for .* in (zip|_backwards)\(.*\):  +for t = (\S+),", text) == [("zip", "1"), ("_backwards", "T")]


def test_adjoints_that_the_code_takes_another_way_are_named_and_shown_as_the_code_has_them():
    """Where the target counts as an input the pair is not fused, while the code takes the loss from the logits."""
    p, o, x, y = sequence("p", "k"), sequence("o", "k"), sequence("x", "n", kind="input"), sequence("y", "k", kind="input")
    rows = [(o, param("W", "k", "n") @ x), (p, softmax(o)), (scalar("l"), -total(y * apply("log", p)))]
    text = derivation_text(derive(Model.build("m", rows, loss="l"))).to_text()
    assert "adj p[t], adj o[t] and adj y[t] are not written as above" in " ".join(text.split())
    assert "adj p[t] = zeros" in text.partition("In code")[2]
    assert "not written as above" not in derivation_text(derive(elman_of())).to_text()


@fuzz(10)
@given(random_models())
def test_any_model_is_written_in_every_format(model):
    d = derive(model)
    found = derivation_text(d)
    for text in (found.to_text(), found.to_md(), found.to_latex()):
        assert len(text) > 1000
    printed = re.findall(r"^ *(\d+)\. [a-z -]+:", found.to_text(), re.M)
    assert printed == [str(k) for k in range(1, len(d.trail) + 1)]


def test_words_follow_the_step(elman):
    """A step that was altered is told differently: the words are made from the step, not from the model."""
    step = next(s for s in elman.derivation.trail if s.rule == "product rule")
    altered = replace(step, after=step.after * 2)
    assert words(elman.derivation, altered, PlainVoice()) != words(elman.derivation, step, PlainVoice())


def test_a_derivation_takes_the_notation_that_it_is_given(elman):
    notation = replace(elman.notation, time="sup", gradient="nabla", transpose=r"\intercal", last=r"\tau")
    text = DerivationText.of(elman.derivation, notation).to_md()
    assert r"\nabla_{h^{(t)}} L" in text and r"\sum_{t=1}^\tau (\nabla_{a^{(t)}} L) {h^{(t-1)}}^\intercal" in text
    assert r"\top" not in text and "_t" not in text.replace("_t=", "")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("make", [lambda: api.derive("elman"), lambda: api.unroll("elman-sigmoid-bce", 2, (2, 2, 3))],
                         ids=["derive", "unroll"])
def test_the_latex_compiles(make, tmp_path):
    (tmp_path / "text.tex").write_text(make().to_latex(), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-draftmode", "text.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Missing" not in done.stdout and "Undefined" not in done.stdout


def test_where_no_module_can_be_written_the_section_on_code_says_what_is_missing():
    h, f = sequence("h", "n"), scalar("loss")
    model = Model.build("free", [(h, apply("tanh", param("W", "n", "n") @ h[-1])), (f, total(h**2))], loss="loss")
    text = derivation_text(derive(model)).to_text()
    assert "No NumPy module can be written for this model. Model free would have to have an input or a target" in text
