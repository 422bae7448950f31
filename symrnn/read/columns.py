r"""Columns of variables and of functions: ``[f; i; g] = [\sigma; \sigma; \tanh](W [h; x] + b)``."""
from __future__ import annotations

from symrnn.read.symbols import STANDARD
from symrnn.read.tree import Node

COLUMNS = ("Matrix", "Stack")
FUNCTIONS = frozenset({"f", "g", "phi", "psi", "sigma"})
"""Letters that stand for a function before a bracket with a sum, also with a number below them."""


def rows(n: Node) -> tuple[Node, ...]:
    """The rows of a column; nothing for anything else.

    >>> a, b = Node("Sym", ("a",)), Node("Sym", ("b",))
    >>> rows(Node("Stack", (a, b))) == rows(Node("Matrix", (Node("Row", (a,)), Node("Row", (b,))))) == (a, b)
    True
    """
    parts = tuple(x.nodes[0] if x.op == "Row" and len(x.nodes) == 1 else x for x in n.nodes) if n.op in COLUMNS else ()
    return () if any(x.op == "Row" for x in parts) else parts


def one_by_one(n: Node) -> tuple[Node, ...]:
    """An equation of two columns with as many rows, as equations of the rows; nothing for anything else."""
    if n.op != "Chain" or len(n.nodes) != 2:
        return ()
    left, (sign, right) = rows(n.nodes[0]), n.nodes[1].args
    assert isinstance(right, Node)
    pairs = zip(left, rows(right), strict=True) if len(left) == len(rows(right)) else ()
    return tuple(Node("Chain", (a, Node("Rel", (sign, b), b.span)), (a.span[0], b.span[1])) for a, b in pairs)


def in_columns(n: Node) -> tuple[tuple[Node, Node], ...]:
    """The variables that an equation of columns computes, each with the function that it is computed by; nothing for anything else."""
    if n.op != "Chain" or not (names := rows(n.nodes[0])):
        return ()
    right = n.nodes[1].nodes[0]
    first = right.nodes[0] if right.op in ("Mul", "Call") and right.nodes else right
    found = (first,) * len(names) if right.op == "Call" else rows(first) if right.op == "Mul" else ()
    good = len(found) == len(names) and all(f.op == "Sym" and len(f.args) == 1 and names_function(f.head) for f in found)
    return tuple(zip(names, found, strict=True)) if good else ()


def names_function(name: str) -> bool:
    """Whether a name by itself is that of a function, or usually is."""
    d = STANDARD.get(name)
    return name in FUNCTIONS or d is not None and d.kind == "function"
