"""Names of test cases that are the same in every process."""
from __future__ import annotations

from typing import Any


def stable(x: Any) -> str:
    """The text of a parameter; a function has none of its own."""
    return "f" if callable(x) and "0x" in repr(x) else str(x)
