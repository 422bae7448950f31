"""Small words that every text needs."""
from __future__ import annotations

from collections.abc import Iterable, Sequence


def listed(items: Iterable[str]) -> str:
    """Items in a sentence.

    >>> listed(["W"]), listed(["W", "U"]), listed(["W", "U", "b"])
    ('W', 'W and U', 'W, U and b')
    """
    *front, last = items
    return f"{', '.join(front)} and {last}" if front else last


def are(items: Sequence[object]) -> str:
    """The verb for so many items.

    >>> are(["W"]), are(["W", "U"])
    ('is', 'are')
    """
    return "are" if len(items) > 1 else "is"


def several(items: Sequence[object], word: str, more: str = "") -> str:
    """A noun for so many items.

    >>> several([1], "step"), several([1, 2], "step"), several([1, 2], "bias", "biases")
    ('step', 'steps', 'biases')
    """
    return (more or f"{word}s") if len(items) > 1 else word
