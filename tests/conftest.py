"""What the tests share: the command line run in this process, and an audit in the contract's form."""

from __future__ import annotations

import copy
import signal
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest
from click.testing import CliRunner, Result

RELATION = {
    "latex": r"\delta_h = V \delta_o", "verdict": "refuted", "code": "SR201", "reason": "V is n_y x n_h",
    "method": "exact evaluation", "scope": {"sizes": "all", "T": "all"},
    "error_bound": "0", "conditions": [], "convention": None, "readings": [],
    "domain": None, "cause": None, "certificate": None,
    "counterexample": {"T": 1, "sizes": {"n_h": 2, "n_y": 3}, "values": {"V": "[[1, 0], [0, 1], [0, 0]]"},
                       "left": "1", "right": "2"},
    "fix": {"latex": r"\delta_h = V^\top \delta_o", "verdict": "proved"},
}
EQUATION = {
    "id": "eq-12", "label": "eq-back", "cell": None, "line": 41, "column": 3, "end_line": 43, "end_column": 5,
    "latex": RELATION["latex"], "role": "claim", "verdict": "refuted", "uses": ["eq-1", "eq-3"], "relations": [RELATION],
    "reason": RELATION["reason"], "fix": RELATION["fix"],
}
AUDIT = {
    "schema": "symrnn-audit-1", "tool": {"name": "symrnn", "version": "0.1.0"},
    "documents": [{"path": "chapter.md", "sha256": "0" * 64, "equations": [EQUATION]}],
    "summary": {"proved": 0, "proved_finite": 0, "conditional": 0, "refuted": 1, "agrees": 0, "undecided": 0, "unreadable": 0},
}


@pytest.fixture(autouse=True)
def every_fault_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test passes because an error inside symrnn became an undecided claim."""
    monkeypatch.setattr(import_module("symrnn.audit"), "FAULTS", ())


@pytest.fixture
def no_hang() -> Iterator[None]:
    """End the run after two minutes in the test that uses this, which is no measurement of speed."""
    if hasattr(signal, "alarm"):
        signal.alarm(120)
    yield
    if hasattr(signal, "alarm"):
        signal.alarm(0)


@pytest.fixture
def audit_json() -> dict[str, Any]:
    """A value of the schema symrnn-audit-1 with one document and one refuted claim, free to be changed."""
    return copy.deepcopy(AUDIT)


@pytest.fixture
def symrnn_command(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run `symrnn ARGUMENTS`, without progress however slow the machine is, and return its exit status, stdout and stderr."""
    from symrnn.cli import app

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("symrnn.cli.progress.DELAY", 600.0)

    def run(*arguments: str, **options: Any) -> Result:
        return CliRunner().invoke(app, list(arguments), prog_name="symrnn", **options)

    return run
