"""How the property tests draw their examples: the same on every run, or many times as many, and new ones, with SYMRNN_FUZZ set."""
from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

MORE = int(os.environ.get("SYMRNN_FUZZ", "1"))
"""How many times the usual number of examples to try; above 1 they are other ones on every run."""


def fuzz(examples: int) -> settings:
    """The settings of a property test."""
    return settings(max_examples=examples * MORE, deadline=None, derandomize=MORE == 1, database=None,
                    suppress_health_check=list(HealthCheck))
