"""Variables whose equation was not read or not understood: what may depend on them is not known.

A derivative that may pass through such a variable is neither proved nor refuted by the equations that were understood.
"""
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from symrnn.compiling import variables_named
from symrnn.document import Compiled, Row
from symrnn.expr import NOW, Expr, Symbol, lift, symbols, walk
from symrnn.prove.claim import Claim
from symrnn.read.columns import rows
from symrnn.read.scope import LOSS, TOTAL, Scope
from symrnn.read.symbols import SymbolTable
from symrnn.read.tree import Node
from symrnn.read.tree import walk as nodes_of
from symrnn.setting import canonical_base

ONE = Node("Num", ("1",))
BLOCKS = ("List", "Matrix", "Stack", "Plus")
"""What puts a weight together from others."""


def unclear(compiled: Compiled) -> dict[str, dict[str, int]]:
    """For each scope the variables that an equation would define that was not understood, with the line of that equation."""
    out: dict[str, dict[str, int]] = {name: {} for name in compiled.settings}
    for row in compiled.rows:
        n = row.span.directive
        if n is not None and compiled.document.directives[n].name == "audit":
            continue
        for name in meant(row):
            scope = row.setting.scope
            if name in scope.table and name not in scope.defined | scope.targets:
                out.setdefault(row.setting.name, {}).setdefault(name, row.span.line)
    return out


def meant(row: Row) -> Iterator[str]:
    """The variables that a row means to define, as far as can be told."""
    if row.reading.tree is None or not isinstance(row.found, list):
        for part in re.split(r"\\\\|\\begin\{[^{}]*\}|\$|\\[(\[]", row.latex):
            left, relation, _ = part.replace("&", "").partition("=")
            if relation:
                yield canonical_base(left.strip())
        if row.reading.tree is not None:
            sides = (n.nodes[0] for n in nodes_of(row.reading.tree) if n.op == "Chain")
            yield from (x.head for left in sides for x in (rows(left) or (left,)) if x.op == "Sym")
        return
    for s in row.found:
        if s.role != "claim" or s.sides[0].relation not in ("=", ":=", "<-"):
            continue
        left, right = s.sides[0].left, s.sides[0].right
        whole = left.op == "Sym" and len(left.args) == 1
        if left.op == "Sym" and left.part("Index") is not None and any(n.op == "Sym" and n.head == left.head for n in nodes_of(right)):
            yield left.head                                           # its components follow from each other, or these are steps
        yield from variables_named(left, row.setting)
        if whole and any(n.op in BLOCKS for n in nodes_of(right)):
            yield left.head


def blocked(claim: Claim, names: Iterable[str], refuted: bool) -> str | None:
    """A variable not understood through which a derivative of the claim may pass; None if there is none.

    What is refuted for any value of such a variable may be true for its values: there it is enough that the claim depends on one.
    """
    names = set(names)
    definitions = claim.model.definitions
    if refuted and (found := names & (_reached(claim.left, definitions) | _reached(claim.right, definitions))):
        return min(found)
    for side in (claim.left, claim.right):
        for d in walk(side):
            if d.op == "deriv":
                found = names & _passes(d.args[0], d.args[1], definitions)
                if found:
                    return min(found)
            elif d.op == "sym" and d.attr.kind in ("adjoint", "gradient") and names:
                return min(names)
    return None


def _reached(e: Expr, definitions: Mapping[str, Expr]) -> set[str]:
    """The names that an expression depends on."""
    return _passes(e, lift(0), definitions)


def _passes(top: Expr, bottom: Expr, definitions: Mapping[str, Expr]) -> set[str]:
    """The names that a value depends on, not counting what lies behind ``bottom`` at the same step."""
    ends = {s.name for s in symbols(bottom) if s.time in (None, NOW)}
    local = not any(x.op == "tsum" for x in walk(top)) and all(s.time in (None, NOW) for s in symbols(top))
    todo: list[tuple[Symbol, bool]] = [(s, local and s.name not in (TOTAL,)) for s in symbols(top)]
    seen: set[tuple[str, bool]] = set()
    while todo:
        s, same = todo.pop()
        if (s.name, same) in seen or (same and s.name in ends):
            continue
        seen.add((s.name, same))
        name = LOSS if s.name == TOTAL else s.name
        if name != s.name:
            todo += [(x, False) for x in symbols(definitions[name])] if name in definitions else []
        elif name in definitions:
            todo += [(x, same and x.time in (None, NOW)) for x in symbols(definitions[name])]
    return {name for name, _ in seen}


def counts_from_zero(trees: Iterable[Node], table: SymbolTable) -> bool:
    """Whether the steps of a text begin at 0: with a state at step -1, or sums over the steps from 0 to one less than their number.

    A sum that begins at 1 beside such a one says that the other has its steps moved by one.
    """
    nodes = [n for tree in trees for n in nodes_of(tree)]
    sums = [n.nodes for n in nodes if n.op == "Sum" and n.nodes[0].head == table.time_letter]
    if any(low == ONE for _, low, *_ in sums):
        return False
    before = any(n.op == "Time" and n.nodes[0] == Node("Neg", (ONE,)) for n in nodes)
    return before or any(low == Node("Num", ("0",)) and high.op == "Add" and Node("Neg", (ONE,)) in high.nodes for _, low, high, *_ in sums)


def speaks_of_ends(trees: Iterable[Node], scope: Scope) -> bool:
    """Whether some trees have a sum over steps, or a symbol at a numbered step or the last one."""
    nodes = [n for tree in trees for n in nodes_of(tree)]
    if any(n.op == "Sum" and n.nodes[0].head == scope.table.time_letter for n in nodes):
        return True
    return any(n.op == "Time" and (any(m.op == "Num" for m in n.nodes) or {m.head for m in nodes_of(n)} & scope.steps) for n in nodes)
