r"""A letter below a sequence that may count its components: ``o_i`` beside ``o_t``, where only one of the two readings fits.

>>> from symrnn.read.reader import read
>>> from symrnn.read.scope import Scope
>>> from symrnn.read.symbols import SymbolTable
>>> table = SymbolTable.from_mapping({"symbols": {"o": "vector n, sequence", "q": "vector n", "i": "index", "j": "index"}})
>>> tree = read(r"q_i = \frac{e^{o_i}}{\sum_j e^{o_j}}", table).tree
>>> print(settled(tree, Scope(table)))
(Chain q{i=i} (= (Div (Call exp o{i=i}) (Sum j Absent Absent (Call exp o{i=j}) Absent))))
"""
from __future__ import annotations

from collections.abc import Iterator

from symrnn.expr import Expr, resize, unify
from symrnn.read.elaborate import Elaborator, Meaningless
from symrnn.read.scope import Scope
from symrnn.read.tree import Node, walk


def settled(n: Node, scope: Scope) -> Node:
    """The tree with its letters below sequences as components, if it has no meaning, or shapes that do not fit, with them as steps."""
    other = _as_components(n, scope)
    return other if other != n and not _fits(n, scope) and _fits(other, scope) else n


def _as_components(n: Node, scope: Scope) -> Node:
    args = tuple(_as_components(a, scope) if isinstance(a, Node) else a for a in n.args)
    time = n.part("Time") if n.op == "Sym" else None
    d = scope.table.get(n.head) if time is not None else None
    if time is None or d is None or d.kind != "vector" or n.part("Index") is not None or not _may_count(time.nodes[0], scope):
        return Node(n.op, args, n.span)
    return Node(n.op, tuple(Node("Index", a.args, a.span) if isinstance(a, Node) and a.op == "Time" else a for a in args), n.span)


def _may_count(step: Node, scope: Scope) -> bool:
    """A single letter that is neither the running step nor the last one."""
    d = scope.table.get(step.head)
    return (step.op == "Sym" and len(step.args) == 1 and step.head not in {scope.table.time_letter, *scope.steps}
            and (d is None or d.kind == "index" and d.role != "time"))


def _chains(n: Node) -> Iterator[Node]:
    return (m for m in walk(n) if m.op == "Chain")


def _fits(n: Node, scope: Scope) -> bool:
    """Whether every relation has a meaning and sides of one shape."""
    try:
        return all(_sides_fit(chain, scope) for chain in _chains(n))
    except Meaningless:
        return False


def _sides_fit(chain: Node, scope: Scope) -> bool:
    E = Elaborator(scope)
    first, *others = [_of_some_shape(E(side)) for side in (chain.nodes[0], *(rel.nodes[0] for rel in chain.nodes[1:]))]
    return all(first.shape is not None and x.shape is not None and _alike(first, x) for x in others)


def _of_some_shape(e: Expr) -> Expr:
    """With the sizes that its own operations determine."""
    return resize(e, unify([(e, e)])) if e.shape is None else e


def _alike(a: Expr, b: Expr) -> bool:
    """Whether two arrays have one shape, or can have one without an array of unknown size being a single number."""
    values = unify([(a, b)])
    return a.shape == b.shape or bool(values) and 1 not in values.values() and resize(a, values).shape == resize(b, values).shape
