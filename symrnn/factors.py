r"""Products over steps, factor by factor: what an equation between them says of one step, from which induction gives it for all.

:math:`\partial h_t / \partial h_k = \prod_{i=k+1}^{t} A_i` holds for every k < t exactly if
:math:`\partial h_t / \partial h_{t-1} = A_t` for every t, where one step hands on nothing but h: with t = k + 1 the product is its one
factor, and each further step multiplies from the left.

>>> from symrnn.read.reader import read
>>> from symrnn.read.symbols import SymbolTable
>>> table = SymbolTable.from_mapping({"symbols": {"h": "vector n, sequence", "W": "matrix n n"}})
>>> tree = read(r"\frac{\partial h_t}{\partial h_k} = \prod_{i=k+1}^{t} W^\top", table).tree
>>> found = one_factor(tree.nodes[0], tree.nodes[1].nodes[0], "t")
>>> print(found.left, "|", found.right, "|", found.state)
(Deriv partial 1 h{t=t} h{t=(Add t (Neg 1))}) | (Transpose W) | h
"""
from __future__ import annotations

from dataclasses import dataclass

from symrnn.read.counting import count
from symrnn.read.tree import Node
from symrnn.read.tree import walk as nodes_of

ORDER = "the factors of later steps stand on the left"
"""How a product of arrays over steps is read."""
ONE = Node("Num", ("1",))


@dataclass(frozen=True)
class Factor:
    """The two sides of an equation between products, at one step; ``state`` is what the steps hand on, if a derivative is one side."""

    left: Node
    right: Node
    state: str | None


def one_factor(left: Node, right: Node, letter: str) -> Factor | None:
    """What an equation of products over steps says of one factor, with ``letter`` for its step; None if it is no such equation."""
    if left.op == right.op == "Prod":
        same = left.nodes[1:3] == right.nodes[1:3] and left.nodes[4] == right.nodes[4]
        first, second = (_at(p.nodes[3], p.nodes[0].head, Node("Sym", (letter,))) for p in (left, right))
        return Factor(first, second, None) if same and _only_letter(left) and _only_letter(right) else None
    for whole, product in ((left, right), (right, left)):
        step = _step(whole, letter) if whole.op == "Deriv" and product.op == "Prod" else None
        body = _factor(whole, product, letter) if step is not None else None
        if step is not None and body is not None:
            sides = (step, body) if whole is left else (body, step)
            return Factor(*sides, whole.nodes[0].head)
    return None


def _step(whole: Node, letter: str) -> Node | None:
    """The derivative of a state by the state before it, for a derivative of a state by an earlier one."""
    if len(whole.nodes) != 2 or whole.args[1] != "1" and str(whole.args[1]) != "1":
        return None
    top, bottom = whole.nodes[-2:]
    times = [n.part("Time") if n.op == "Sym" and len(n.args) == 2 else None for n in (top, bottom)]
    if top.head != bottom.head or any(t is None or not (_is_letter(t.nodes[0]) or t.nodes[0].op == "Num") for t in times):
        return None
    if times[0] == times[1] or not any(t is not None and _is_letter(t.nodes[0]) for t in times):
        return None
    now = Node("Sym", (letter,))
    return Node("Deriv", (*whole.args[:-2], _timed(top.head, now), _timed(top.head, Node("Add", (now, Node("Neg", (ONE,)))))))


def _factor(whole: Node, product: Node, letter: str) -> Node | None:
    """The body of a product that has one factor for each step from the earlier state to the later one."""
    late, early = (n.part("Time").nodes[0] for n in whole.nodes[-2:])  # type: ignore[union-attr]
    variable, low, high, body, restriction = product.nodes
    if restriction.op != "Absent" or not _only_letter(product) or variable in (late, early):
        return None
    now = Node("Sym", (letter,))
    before = Node("Add", (now, Node("Neg", (ONE,))))
    for last, first, step in ((late, Node("Add", (early, ONE)), now), (Node("Add", (late, Node("Neg", (ONE,)))), early, before)):
        if [count(high), count(low)] == [count(last), count(first)]:
            return _at(body, variable.head, step)
    return None


def _only_letter(product: Node) -> bool:
    """Whether the body of a product speaks of no step but its own and of nothing that its bounds count."""
    variable, low, high, body, _ = product.nodes
    others = {m.head for bound in (low, high) for m in nodes_of(bound) if m.op == "Sym"}
    times = {m.head for n in nodes_of(body) if n.op == "Time" for m in nodes_of(n) if m.op == "Sym"}
    return variable.op == "Sym" and times <= {variable.head} and not others & {m.head for m in nodes_of(body) if m.op == "Sym"}


def _is_letter(n: Node) -> bool:
    return n.op == "Sym" and len(n.args) == 1


def _timed(name: str, time: Node) -> Node:
    return Node("Sym", (name, Node("Time", (time,))))


def _at(n: Node, letter: str, step: Node) -> Node:
    """The tree with a letter replaced."""
    if n.op == "Sym" and n.args == (letter,):
        return step
    return Node(n.op, tuple(_at(a, letter, step) if isinstance(a, Node) else a for a in n.args), n.span)
