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

from symrnn import api
from symrnn.bptt import check_trail, derive
from symrnn.expr import apply, softmax, total
from symrnn.model import Model, param, scalar, sequence
from symrnn.write.derivation import DerivationText, boundary, facts, simplex_steps, words
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


@pytest.mark.parametrize("name", names())
def test_every_step_is_printed_once_and_names_its_rule(name):
    found = api.derive(name)
    assert check_trail(found.derivation) == []
    for text in (found.to_text(), found.to_md()):
        printed = dict(re.findall(r"^ *(\d+)\. ([a-z -]+):", text, re.M))
        assert printed == {str(k): s.rule for k, s in enumerate(found.derivation.trail, 1)}


@pytest.mark.parametrize("name", names())
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
