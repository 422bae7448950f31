"""An error inside symrnn ends the judgement of one formula, and is no verdict on it."""

from __future__ import annotations

import json
from importlib import import_module

import pytest

from symrnn import judge

TEXT = "$$h_t = \\tanh(W h_{t-1})$$\n\n$$\\frac{\\partial h_t}{\\partial h_{t-1}} = W$$\n\n" \
       "$$\\frac{\\partial h_t}{\\partial h_{t-1}} = \\mathrm{diag}(1 - h_t^2) W$$\n"


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A symrnn that fails on claims that hold a diagonal matrix."""
    whole = judge.decide

    def decide(claim, *more):
        return {}["no row"] if "diag" in str(claim.right) else whole(claim, *more)
    monkeypatch.setattr(judge, "decide", decide)


def test_the_other_formulas_are_judged_and_the_command_ends_in_status_3(broken, monkeypatch, tmp_path, symrnn_command):
    monkeypatch.setattr(import_module("symrnn.audit"), "FAULTS", (Exception,))
    path = tmp_path / "a.md"
    path.write_text(TEXT)
    done = symrnn_command("audit", str(path), "--format", "json")
    first, second = json.loads(done.stdout)["documents"][0]["equations"][1:]
    assert (done.exit_code, first["verdict"], second["verdict"]) == (3, "refuted", "undecided")
    assert second["relations"][0]["code"] == "SR305"
    assert second["reason"] == "a fault of symrnn, not of the document: KeyError: 'no row'"


def test_a_test_sees_every_fault(broken, tmp_path, symrnn_command):
    path = tmp_path / "a.md"
    path.write_text(TEXT)
    assert "internal error: KeyError" in symrnn_command("audit", str(path)).stderr
