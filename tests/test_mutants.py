"""Every true identity of the Elman networks is proved by either witness alone, and every mutant of one is refuted.

The usual run takes a fixed sample; ``make mutants`` (SYMRNN_MUTANTS=all) takes all of them.
"""
from __future__ import annotations

import os
from functools import cache

import pytest
from networks import ACTIVATIONS, HEADS, elman, identities

from symrnn.expr import walk
from symrnn.prove.claim import Claim
from symrnn.prove.decide import Witnesses, decide
from symrnn.prove.exact import compare, exact_only
from symrnn.prove.refute import counterexample
from symrnn.prove.shapes import conflict
from symrnn.repair.mutants import CLASSES, mutants

ALL = os.environ.get("SYMRNN_MUTANTS") == "all"
EXACT_EVERY, MUTANT_EVERY = (1, 1) if ALL else (11, 41)
"""One in how many claims is taken."""
BEYOND = "the adjoints after step T are zero"
"""What a sum that runs to T + 1 is proved with."""
STEP = "step("
"""Step functions of different arguments of one sign are one: exact evaluation takes their values for independent."""


@cache
def truths(activation: str) -> tuple[tuple[str, Claim], ...]:
    """The true identities of the networks with one activation, with their names."""
    return tuple((f"{model.name}: {name}", claim) for head in HEADS for model in [elman(activation, *head)]
                 for name, claim in identities(model))


@cache
def sample(activation: str) -> tuple[tuple[str, str, Claim], ...]:
    """Name of the identity, class of the error, and the mutant."""
    every = [(name, kind, mutant) for name, claim in truths(activation) for kind, mutant in mutants(claim)]
    return tuple(every[ACTIVATIONS.index(activation)::MUTANT_EVERY])


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_normal_form_alone_proves_every_identity_for_all_sizes_and_every_t(activation):
    assert len(truths(activation)) >= 50
    for name, claim in truths(activation):
        verdict = decide(claim, Witnesses(exact=False))
        assert (verdict.word, str(verdict.scope)) == ("proved", "for all sizes and every T"), name
        assert verdict.error_bound == "0" and "exact" not in (verdict.method or ""), name


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_exact_evaluation_alone_proves_finite_sizes_and_agrees_for_all(activation):
    for name, claim in truths(activation)[ACTIVATIONS.index(activation) % EXACT_EVERY::EXACT_EVERY]:
        verdict, finite = decide(claim, Witnesses(normal=False)), exact_only(claim)
        scope = verdict.scope
        assert verdict.word == "agrees" and scope is not None and "all" not in (scope.sizes, scope.T), name
        assert (finite.finite, finite.all) == ("proved", "agrees") and finite.outcome.exponent >= 60, name
        assert min(finite.outcome.sizes.values()) >= 2 and finite.outcome.T >= 4, name


def has_no_value(claim: Claim, kind: str) -> bool:
    """Whether a sum speaks of a step at which a symbol does not exist, or the logarithm of what is never positive is taken."""
    if any(x.op == "apply" and x.attr == "log" and str(x.args[0]).startswith("-") for x in walk(claim.right)):
        return True
    return kind == "sum range" and compare(claim).status == "bad"


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.slow
def test_a_mutant_is_refuted_unless_it_has_the_same_value_or_none(activation):
    seen: dict[str, int] = {}
    for name, kind, mutant in sample(activation):
        verdict = decide(mutant)
        seen[verdict.word or ""] = seen.get(verdict.word or "", 0) + 1
        if verdict.word == "refuted":
            assert verdict.counterexample or conflict(mutant), (name, mutant.right)
        elif verdict.word == "proved":
            beyond = kind == "sum range" and BEYOND in verdict.conditions
            assert compare(mutant).status == "equal" or beyond or STEP in str(mutant.right), (name, mutant.right)
            assert counterexample(mutant) is None, (name, mutant.right)
        else:
            assert verdict.word == "undecided", (name, mutant.right)
            assert has_no_value(mutant, kind), (name, mutant.right, verdict.reason)
    assert seen["refuted"] >= 0.85 * sum(seen.values())


@pytest.mark.slow
def test_a_mutant_with_a_value_of_its_own_is_never_proved_by_the_normal_form_alone():
    wrong = 0
    for name, _, mutant in sample("tanh"):
        if conflict(mutant) is None and compare(mutant).status == "different":
            wrong += 1
            assert decide(mutant, Witnesses(exact=False)).word != "proved", (name, mutant.right)
    assert wrong >= 10


def test_the_sample_has_every_class_of_error():
    assert {kind for activation in ACTIVATIONS for _, kind, _ in sample(activation)} == {row.name for row in CLASSES}
