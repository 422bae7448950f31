r"""The formulas of a report without the macros of the document, so that each can be set, copied and read on its own."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar, cast

from symrnn.report.model import Correction, Display, Maths

Node = TypeVar("Node")
FORMULAS: dict[type, tuple[str, ...]] = {Maths: ("latex",), Display: ("latex",), Correction: ("printed", "latex")}
"""The records of a report that hold formulas, and where."""


def rewritten(node: Node, change: Callable[[str], str]) -> Node:
    r"""A part of a report with every formula in it changed.

    >>> rewritten((Maths(r"\a"),), lambda latex: latex.replace(r"\a", r"\alpha"))
    (Maths(latex='\\alpha'),)
    """
    if isinstance(node, tuple):
        return cast(Node, tuple(rewritten(x, change) for x in node))
    if not is_dataclass(node) or isinstance(node, type):
        return node
    own = FORMULAS.get(type(node), ())
    found = {f.name: change(getattr(node, f.name)) if f.name in own else rewritten(getattr(node, f.name), change) for f in fields(node)}
    return replace(node, **found)
