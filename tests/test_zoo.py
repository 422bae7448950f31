"""The documents of the zoo: what each means, and that everything derived from it is proved."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from networks import derived
from sweeps import mostly_slow

from symrnn import api
from symrnn.bptt import check_trail, derive
from symrnn.expr import show_shape
from symrnn.model import Model
from symrnn.prove.decide import Witnesses, decide
from symrnn.prove.exact import exact_only
from symrnn.prove.lagrangian import unproved
from symrnn.zoo import names, source

GOLDEN = Path(__file__).resolve().parent / "golden" / "zoo.txt"


def meaning(m: Model) -> str:
    """The equations of a model, and the shapes of what is given."""
    given = (*m.inputs, *m.targets, *m.parameters, *m.constants)
    shapes = ", ".join(f"{s.name} {show_shape(s.shape)}" for s in given)
    return "\n".join([m.name, *(f"    {e}" for e in m.equations), f"    {shapes}", ""])


def test_each_document_means_what_the_committed_canonical_form_says():
    found = "\n".join(meaning(api.model(name)) for name in names())
    if os.environ.get("SYMRNN_UPDATE_GOLDEN"):
        GOLDEN.write_text(found, encoding="utf-8")
    assert found == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", names())
def test_a_document_has_a_title_a_source_and_a_given_initial_state(name):
    m = api.model(name)
    assert source(name).title != name
    assert m.source and m.initial == "given" and m.loss is not None
    assert {s.kind for s in m.states} == {"variable"}


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_every_derivative_of_a_model_is_proved_for_all_sizes_and_every_number_of_steps_by_each_witness(name):
    m = api.model(name)
    found = derive(m)
    assert check_trail(found) == [] and unproved(found) == []
    for what, claim in derived(m):
        verdict = decide(claim, Witnesses(exact=False))
        assert (verdict.word, str(verdict.scope)) == ("proved", "for all sizes and every T"), what
        finite = exact_only(claim)
        assert (finite.finite, finite.all) == ("proved", "agrees"), (what, finite.outcome)


BACKWARD = {"bidirectional"}
"""Models of which a part runs backward: no code is written of them, and says so (tests/test_backward.py)."""


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*names()} - BACKWARD))
def test_the_code_of_a_model_was_run_against_its_equations(name):
    text = api.emit(name)
    assert "every adjoint and gradient, for all sizes and every T" in text and "this text was run" in text


OTHER_LOSSES = {f"elman-{x}" for x in ("temperature", "label-smoothing", "class-weights", "masked", "gaussian", "huber", "rows", "batch")}
"""Models whose loss is no plain cross-entropy or sum of squared errors of what they predict."""


@pytest.mark.parametrize("name", mostly_slow(sorted({*names()} - OTHER_LOSSES - {"jordan"})))
def test_what_the_prediction_is_made_of_receives_prediction_minus_target(name):
    found = derive(api.model(name))
    seen = [str(e) for e in found.adjoints.values()]
    assert "hat(y)[t] - y[t]" in seen


def test_the_output_of_a_jordan_network_receives_more_than_the_loss():
    found = derive(api.model("jordan")).adjoints
    assert "adj h[t+1]" in str(found["hat(y)"]) and "hat(y)[t] - y[t]" not in [str(e) for e in found.values()]
