r"""Which variable a sum runs over, and how far it reaches: what only the whole statement can tell.

``\sum_{i \ne j}`` and ``\sum_{i = j}^n`` name two indices. The one that the rest of the statement uses too is given from
outside; the sum runs over the other, under the restriction. ``\sum_t a - p`` ends before the minus; where what follows
is a sequence without its time, or uses the variable of the sum, the longer sum is kept as an alternative.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from symrnn.read.skeleton import make
from symrnn.read.symbols import SymbolTable
from symrnn.read.tokens import Note
from symrnn.read.tree import ABSENT, Node, walk

_BIG = ("Sum", "Prod")


@dataclass
class Bound:
    """A tree with its sums bound, with the notes and alternatives of that."""

    tree: Node
    notes: list[Note] = field(default_factory=list)
    alternatives: list[Node] = field(default_factory=list)


def bind(tree: Node, table: SymbolTable) -> Bound:
    """Bind the sums of a tree."""
    bound = Bound(tree)
    if any(node.op in _BIG for node in walk(tree)):
        statements = tree.nodes if tree.op == "Rows" else (tree,)
        done = [_swap(s, _outer(s), bound) for s in statements]
        bound.tree = done[0] if tree.op != "Rows" else Node("Rows", tuple(done), tree.span)
        longer = _longer(bound.tree, table, bound)
        bound.alternatives += [longer] if longer != bound.tree else []
    return bound


def free_names(node: Node) -> frozenset[str]:
    """Names of plain symbols that no sum binds.

    >>> from symrnn.read.tree import ABSENT, Node, sym
    >>> body = Node("Sym", ("a", Node("Index", (sym("i"),))))
    >>> sorted(free_names(Node("Sum", (sym("i"), ABSENT, sym("n"), body, ABSENT))))
    ['a', 'n']
    """
    if node.op in _BIG:
        variable, lower, upper, body, restriction = node.nodes
        inside = (free_names(body) | free_names(restriction)) - ({variable.head} if variable.op == "Sym" else set())
        return inside | free_names(lower) | free_names(upper)
    own = frozenset({node.head}) if node.op == "Sym" else frozenset()
    return own.union(*map(free_names, node.nodes)) if node.nodes else own


def _pair(node: Node) -> tuple[Node, Node] | None:
    """The two indices that the condition under a sum names, if it names two."""
    if node.op not in _BIG:
        return None
    variable, lower, _, _, restriction = node.nodes
    if restriction.op == "Chain" and len(restriction.args) == 2:
        other = restriction.nodes[1].nodes[0]
        return (variable, other) if _plain(variable) and _plain(other) and variable == restriction.nodes[0] else None
    return (variable, lower) if restriction == ABSENT and _plain(variable) and _plain(lower) else None


def _plain(node: Node) -> bool:
    return node.op == "Sym" and len(node.args) == 1


def _outer(node: Node) -> frozenset[str]:
    """Names that a statement uses outside sums over two indices (and not bound by other sums)."""
    if _pair(node) is not None:
        return frozenset()
    if node.op in _BIG:
        variable = {node.nodes[0].head} if node.nodes[0].op == "Sym" else set()
        return frozenset().union(*map(_outer, node.nodes[1:3])) | (_outer(node.nodes[3]) | _outer(node.nodes[4])) - variable
    own = frozenset({node.head}) if node.op == "Sym" else frozenset()
    return own.union(*map(_outer, node.nodes)) if node.nodes else own


def _swap(node: Node, outer: frozenset[str], bound: Bound) -> Node:
    """The tree with every sum over two indices bound to the one that is not given from outside."""
    args = tuple(_swap(a, outer, bound) if isinstance(a, Node) else a for a in node.args)
    node = Node(node.op, args, node.span)
    pair = _pair(node)
    if pair is None:
        return node
    (first, second), (_, _, upper, body, restriction) = pair, node.nodes
    ranged = restriction == ABSENT
    given = [n.head in outer for n in (first, second)]
    if ranged:
        swapped = given[0] and not given[1] and second.head in free_names(body)
        endless = upper == ABSENT and given[1] and not given[0]
        if not (swapped or endless):
            return node
        over, fixed = (second, first) if swapped else (first, second)
        restriction = make("Chain", first, make("Rel", "=", second))
        bound.notes.append(Note(node.span[0], "restriction", f"the sum is read as running over {over.head} where it equals "
                                f"{fixed.head}, since {fixed.head} is used outside the sum"))
        return make(node.op, over, ABSENT, upper, body, restriction, span=node.span)
    if given[0] == given[1]:
        if given[0]:
            bound.notes.append(Note(node.span[0], "sum-variable", f"both {first.head} and {second.head} are used outside the "
                                    f"sum; it is read as running over {first.head}"))
        return node
    variable = second if given[0] else first
    return make(node.op, variable, ABSENT, upper, body, restriction, span=node.span)


def _longer(node: Node, table: SymbolTable, bound: Bound) -> Node:
    """The tree in which doubtful sums reach over the terms after them."""
    args = tuple(_longer(a, table, bound) if isinstance(a, Node) else a for a in node.args)
    if node.op != "Add":
        return Node(node.op, args, node.span)
    terms = [a for a in args if isinstance(a, Node)]
    for k, term in enumerate(terms[:-1]):
        longer = _extended(term, terms[k + 1 :], table)
        if longer is not None:
            bound.notes.append(Note(term.span[0], "sum-extent", "the sum ends before the next term as it is printed, but that "
                                    "term may be meant inside it; the longer sum is kept as an alternative"))
            return longer if k == 0 else make("Add", *terms[:k], longer)
    return Node(node.op, args, node.span)


def _extended(term: Node, rest: list[Node], table: SymbolTable) -> Node | None:
    """A term whose last factor is a doubtful sum, with `rest` inside that sum; None for any other term."""
    if term.op == "Sum":
        variable, lower, upper, body, restriction = term.nodes
        if not _reaches(term, rest[0], table):
            return None
        whole = make("Add", *(body.nodes if body.op == "Add" else (body,)), *rest)
        return make("Sum", variable, lower, upper, whole, restriction, span=(term.span[0], rest[-1].span[1]))
    if term.op not in ("Neg", "Mul", "Dot"):
        return None
    last = _extended(term.nodes[-1], rest, table)
    return None if last is None else make(term.op, *term.args[:-1], last)


def _reaches(big: Node, term: Node, table: SymbolTable) -> bool:
    """Whether the term after a sum looks as if it belonged to it."""
    variable = big.nodes[0]
    if variable.op != "Sym":
        return False
    if variable.head in free_names(term):
        return True
    timed = variable.head == table.time_letter
    return timed and any(
        n.op == "Sym" and n.part("Time") is None and (entry := table.get(n.head)) is not None and entry.sequence
        for n in walk(term))
