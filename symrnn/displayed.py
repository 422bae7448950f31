"""What a notebook shows of a result: the record asks, :mod:`symrnn.notebook` answers.

The records lie below what writes them, so that the writer is found by its name, when something is shown for the first time.
"""
from __future__ import annotations

from collections.abc import Collection
from importlib import import_module


class Displayed:
    """A record that a notebook shows as text, as LaTeX where it is a formula, and as HTML."""

    def _repr_mimebundle_(self, include: Collection[str] | None = None, exclude: Collection[str] | None = None) -> dict[str, str]:
        bundle: dict[str, str] = import_module("symrnn.notebook").bundle(self)
        return {kind: text for kind, text in bundle.items() if (not include or kind in include) and kind not in (exclude or ())}
