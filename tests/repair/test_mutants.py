"""Every true gradient and adjoint of the network, made wrong in every class: refuted, and repaired."""

from __future__ import annotations

import pytest

from symrnn.bptt import adjoint, derive, gradient
from symrnn.expr import diag, node, time_sum
from symrnn.model import FIRST, LAST
from symrnn.prove.claim import Claim
from symrnn.prove.decide import decide
from symrnn.prove.exact import compare
from symrnn.prove.shapes import conflict
from symrnn.repair import repair
from symrnn.repair.mutants import CLASSES, mutants

GRADIENTS, ADJOINTS = ("W_hh", "W_xh", "b_h", "W_yh", "b_o"), ("p", "o", "h", "a", "x")


def truths(net) -> dict[str, Claim]:
    """The derived gradients and adjoints, and two as texts write them out."""
    found = derive(net.model)
    out = {f"grad {n}": net.claim(node("sym", attr=gradient(net[n].attr)), found.gradients[n]) for n in GRADIENTS}
    out |= {f"adj {n}": net.claim(node("sym", attr=adjoint(net[n].attr)), found.adjoints[n]) for n in ADJOINTS}
    V, W, g = net["W_yh"], net["W_hh"], net.by("h")
    out["text W_hh"] = net.claim(net.by("W_hh"), time_sum("t", FIRST, LAST, diag(net.slope()) @ g @ net["h"][-1].T))
    out["text h"] = net.claim(g, V.T @ net.by("o") + W.T @ diag(net.slope(1)) @ net.by("h", 1))
    return out


NAMES = (*(f"grad {n}" for n in GRADIENTS), *(f"adj {n}" for n in ADJOINTS), "text W_hh", "text h")


def status(claim: Claim) -> str:
    """``different``, ``equal``, ``shape`` or ``bad`` (it speaks of a step at which a symbol does not exist)."""
    return "shape" if conflict(claim) else compare(claim).status


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.slow
def test_every_mutant_is_refuted_or_equal_and_nearly_all_are_repaired(split_elman, name):
    true = truths(split_elman)[name]
    assert decide(true).word == "proved"
    wrong = repaired = 0
    for kind, mutant in mutants(true):
        how = status(mutant)
        assert how != "bad" or kind in ("time shift", "wrong symbol", "sum range"), (kind, mutant.right)
        if how == "equal":
            assert decide(mutant).word == "proved", mutant.right
            continue
        wrong += 1
        found = repair(mutant)
        repaired += found is not None and not found.is_derived and found.verdict.word == "proved"
    assert wrong >= 3 and repaired >= 0.9 * wrong


def test_the_verdict_on_one_mutant_of_each_class_is_refuted_with_a_reason(split_elman):
    seen: dict[str, Claim] = {}
    for name in ("text W_hh", "text h"):
        for kind, mutant in mutants(truths(split_elman)[name]):
            if kind not in seen and status(mutant) in ("different", "shape"):
                seen[kind] = mutant
    assert set(seen) == {row.name for row in CLASSES}
    for kind, mutant in seen.items():
        verdict = decide(mutant)
        assert verdict.word == "refuted" and verdict.reason, kind


def test_a_mutant_about_a_step_that_does_not_exist_is_not_proved_unless_the_adjoint_there_is_zero(split_elman):
    true = truths(split_elman)["grad W_xh"]
    rows = [m for _, m in mutants(true) if status(m) == "bad"]
    assert len(rows) >= 4
    for mutant in rows:
        verdict = decide(mutant)
        if verdict.word == "proved":
            assert mutant.right.attr[2] == LAST + 1
            assert "the adjoints after step T are zero" in verdict.conditions
        else:
            assert verdict.word in ("refuted", "undecided") and "does not exist" in verdict.reason


def test_a_thousandth_too_much_on_any_part_is_refuted(split_elman):
    rows = [m for kind, m in mutants(truths(split_elman)["text W_hh"]) if kind == "scaled by 1.001"]
    assert len(rows) >= 6
    assert {status(m) for m in rows} == {"different"}


def test_no_mutant_comes_twice_and_none_is_the_original(split_elman):
    true = truths(split_elman)["text h"]
    rights = [m.right for _, m in mutants(true)]
    assert len(set(rights)) == len(rights) and true.right not in rights
    assert all(m.left is true.left for _, m in mutants(true))


def test_mutants_of_the_class_wrong_symbol_keep_the_shape(split_elman):
    true = truths(split_elman)["text W_hh"]
    shapes = {m.right.shape for kind, m in mutants(true) if kind == "wrong symbol"}
    assert shapes == {true.right.shape}
