r"""The formulas of a report without the macros of the document, so that each can be set, copied and read on its own."""
from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar, cast

from symrnn.read.macros import Macros, expanded
from symrnn.report.model import Correction, Display, Maths

Node = TypeVar("Node")
FORMULAS: dict[type, tuple[str, ...]] = {Maths: ("latex",), Display: ("latex",), Correction: ("printed", "latex")}
"""The records of a report that hold formulas, and where."""


def without(node: Node, macros: Macros) -> Node:
    r"""A part of a report with no macro of the document in its formulas, apart from those that define one.

    >>> from symrnn.read.macros import macro_table
    >>> without((Maths(r"\a"), Maths(r"\def\a{b} \a")), macro_table({r"\a": r"\alpha"}))
    (Maths(latex='\\alpha'), Maths(latex='\\def\\a{b} \\a'))
    """
    return rewritten(node, lambda latex: latex if _DEFINES.search(latex) else expanded(latex, macros))


_DEFINES = re.compile(r"\\(?:(?:new|renew|provide)command|[egx]?def|let|DeclareMathOperator)(?![A-Za-z])")


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
