"""Tests over many models of which a few run every time, and the others with the slow ones."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

KINDS = frozenset({"elman", "elman-huber", "gru", "lstm-peephole", "ssm"})
"""One model of each kind: classes and numbers, gates, two states, a diagonal."""


def mostly_slow(names: Iterable[str]) -> list[Any]:
    """The names of models as parameters of a test; all but ``KINDS`` are marked slow."""
    return [name if name in KINDS else pytest.param(name, marks=pytest.mark.slow) for name in names]
