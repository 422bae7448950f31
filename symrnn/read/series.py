"""Sums with dots as sums over an index."""
from __future__ import annotations

from symrnn.read.meaningless import Meaningless
from symrnn.read.occurrences import names_in
from symrnn.read.scope import Scope
from symrnn.read.tree import Node
from symrnn.read.tree import walk as nodes_of


def series(terms: tuple[Node, ...], scope: Scope) -> Node:
    """A sum with dots as a sum over an index: the terms before the dots are those of 1, 2, ..., the last that of the size.

    Terms between the dots must be the same term at some index. Raises Meaningless when the terms do not agree.
    """
    stated = [t for t in terms if t.op != "Ellipsis"]
    first = stated[0]
    taken = {d.name for d in scope.table}.union(*map(names_in, terms))
    var = next(name for name in (*"mlqrs", *(f"m{k}" for k in range(len(taken) + 1))) if name not in taken)
    body = _swap(first, "1", Node("Sym", (var,)))
    head = terms.index(Node("Ellipsis"))
    for k, t in enumerate(terms[:head], start=1):
        if _fill(body, var, Node("Num", (str(k),))) != t:
            raise Meaningless("SR303", "the terms before the dots are not those of 1, 2, ...", t.span)
    if terms[-1].op == "Ellipsis":
        raise Meaningless("SR303", "a sum that ends in dots", terms[-1].span)
    last = _matched(body, var, terms[-1])
    if last is None or last.op != "Sym":
        raise Meaningless("SR303", "the last term of a sum with dots is not the term of a size", terms[-1].span)
    for t in stated[head:-1]:
        if _matched(body, var, t) is None:
            raise Meaningless("SR303", "a term between the dots is not a term of the sum", t.span)
    absent = Node("Absent")
    return Node("Sum", (Node("Sym", (var,)), Node("Num", ("1",)), last, body, absent), first.span)


def _swap(n: Node, number: str, var: Node) -> Node:
    """The tree with the component ``number`` replaced by a letter wherever it is a subscript."""
    if n.op == "Index":
        return Node(n.op, tuple(var if isinstance(b, Node) and b.op == "Num" and b.head == number else b for b in n.args), n.span)
    args = tuple(_swap(a, number, var) if isinstance(a, Node) else a for a in n.args)
    return Node(n.op, args, n.span)


def _fill(n: Node, var: str, value: Node) -> Node:
    if n.op == "Sym" and n.head == var and len(n.args) == 1:
        return value
    return Node(n.op, tuple(_fill(a, var, value) if isinstance(a, Node) else a for a in n.args), n.span)


def _matched(body: Node, var: str, n: Node) -> Node | None:
    """The value of the letter for which the body is the given tree."""
    for m in nodes_of(n):
        if (m.op == "Sym" and len(m.args) == 1 or m.op == "Num") and _fill(body, var, m) == n:
            return m
    return None
