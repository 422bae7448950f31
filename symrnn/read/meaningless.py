"""What a reading raises when a tree has no meaning in its scope."""
from __future__ import annotations


class Meaningless(Exception):
    """The tree has no meaning in this scope: a reason code (as in the finding codes), words, and the place in the span."""

    def __init__(self, code: str, reason: str, span: tuple[int, int] = (0, 0)) -> None:
        super().__init__(reason)
        self.code, self.reason, self.span = code, reason, span
