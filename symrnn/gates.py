r"""Several variables in one equation: ``[f; i; g] = [\sigma; \sigma; \tanh](W [h; x] + b)`` defines each of them.

What the functions are taken of is one vector, of which each variable has its own entries, in the order of the left side.
"""
from __future__ import annotations

from dataclasses import dataclass

from symrnn.expr import NOW, Size, Symbol, apply, extents, node, part, resize, stack, symbols, unify
from symrnn.expr.functions import TABLE
from symrnn.losses import foresees
from symrnn.model import Equation
from symrnn.read.columns import rows
from symrnn.read.elaborate import Elaborator, Meaningless
from symrnn.read.scope import Scope
from symrnn.read.tree import Node

LETTERS: tuple[str, ...] = (*"auqsprvwzmnke", *(f"a_{k}" for k in range(1, 99)))
"""Letters for the vector that the functions are taken of, where the text has no name for it; the first that is free."""


@dataclass(frozen=True)
class Several:
    """Variables with their equations, before these that of the vector they are taken from if it had none; and sizes that follow."""

    names: tuple[str, ...]
    equations: tuple[Equation, ...]
    sizes: dict[str, Size]


def several(left: Node, right: Node, scope: Scope) -> Several | None:
    """The equations of the variables of a column, or None if the right side is not functions of one vector."""
    targets, names = rows(left), tuple(n.head for n in rows(left))
    functions, inner = functions_of(right, scope)
    if len(targets) < 2 or len(set(names)) < len(names) or len(functions) not in (1, len(targets)):
        return None
    for name in names:
        scope = scope.define(name)
    E = Elaborator(scope)
    try:
        columns, value = [E(n) for n in targets], E(inner)
    except Meaningless:
        return None
    if any(c.op != "sym" for c in columns) or foresees(value) or any(s.name in names and s.time == NOW for s in symbols(value)):
        return None
    sizes = unify([(stack(*columns), resize(value, E.sizes))])
    columns, value = [resize(c, sizes) for c in columns], resize(value, {**E.sizes, **sizes})
    whole = stack(*columns)
    if whole.fault is not None or value.shape is None or whole.shape != value.shape:
        return None
    own = () if value.op == "sym" else (Equation(Symbol(free(scope), value.shape, "variable", NOW), value),)
    source = node("sym", attr=own[0].left) if own else value
    pieces = (part(source, *ends) for ends in extents(whole))
    every = functions * len(targets) if len(functions) == 1 else functions
    gates = (Equation(c.attr, apply(f, piece)) for c, f, piece in zip(columns, every, pieces, strict=True))
    return Several(names, (*own, *gates), {**E.sizes, **sizes})


def functions_of(n: Node, scope: Scope) -> tuple[tuple[str, ...], Node]:
    """The functions that a side takes, one for all rows or one for each, and what it takes them of."""
    first = n.nodes[0] if n.op in ("Mul", "Call") else None
    if first is None or len(n.nodes) < 2:
        return ("id",), n
    found = [function_of(x, scope) for x in ((first,) if n.op == "Call" else rows(first))]
    if not found or None in found:
        return ("id",), n
    rest = n.nodes[1] if len(n.nodes) == 2 else Node("Mul", n.nodes[1:], (n.nodes[1].span[0], n.span[1]))
    return tuple(map(str, found)), rest


def function_of(n: Node, scope: Scope) -> str | None:
    """The entrywise function that a symbol names, as the core has it."""
    d = scope.table.lookup(n.head) if n.op == "Sym" and len(n.args) == 1 else None
    if d is None or d.kind != "function" or n.head in scope.functions:
        return None
    return f"?{n.head}" if d.role is None else str(d.role) if d.role in TABLE else None


def free(scope: Scope) -> str:
    """A letter that the text does not use."""
    return next(c for c in LETTERS if c not in scope.table and c not in scope.defined)
