r"""The component that a class of the step picks: ``\log p_{t,c_t}`` is the product of the one-hot vector ``e_{c_t}`` with ``\log p_t``.

>>> from symrnn.read.reader import read
>>> from symrnn.read.symbols import SymbolTable
>>> table = SymbolTable.from_mapping({"symbols": {"p": "vector n, sequence"}})
>>> print(read(r"-\log p_{t, k_t}", table).tree)
(Neg (Mul (Transpose e_k{t=t}) (Call log p{t=t})))

An indicator of the class is a component of that vector:

>>> print(read(r"p_{t,i} - \mathbb{1}_{i = k_t}", table).tree)
(Add p{t=t; i=i} (Neg e_k{t=t; i=i}))
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import permutations

from symrnn.read.names import join_name
from symrnn.read.tree import Node, walk

LOGARITHMS = ("log", "ln")
UNIT = re.compile(r"\b(?:unit|basis|indicator|one[- ]hot)(?:[- ]encod\w+)?[- ]+vectors?\b|\bone[- ]hot\b", re.I)
"""How a text says that e_k has one entry 1 and zeros elsewhere."""


def picked(n: Node) -> Node:
    """The tree with what a class picks as a product with a one-hot vector, and what asks for the class as a component of that."""
    args = tuple(picked(a) if isinstance(a, Node) else a for a in n.args)
    if n.op == "Indicator" and (asked := _asked(n)) is not None:
        return asked
    if n.op == "Call" and len(n.nodes) == 2 and n.nodes[0].head in LOGARITHMS and (found := _class(n.nodes[1])) is not None:
        value = n.nodes[1]
        whole = Node("Sym", tuple(a for a in value.args if isinstance(a, str) or a.op != "Index"), value.span)
        hot = Node("Sym", (one_hot(found.head), *found.args[1:]), found.span)
        return Node("Mul", (Node("Transpose", (hot,), n.span), Node("Call", (n.nodes[0], whole), n.span)), n.span)
    return n if args == n.args else Node(n.op, args, n.span)


def _asked(n: Node) -> Node | None:
    """What an indicator that compares a letter with a symbol at a step is: a component of the one-hot vector of the class."""
    chain = n.nodes[0]
    if chain.op != "Chain" or len(chain.nodes) != 2 or chain.nodes[1].head not in ("=", "=="):
        return None
    for letter, value in permutations((chain.nodes[0], chain.nodes[1].nodes[0])):
        if letter.op == value.op == "Sym" and len(letter.args) == 1 and len(value.args) == 2 and value.part("Time") is not None:
            return Node("Sym", (one_hot(value.head), value.args[1], Node("Index", (letter,), letter.span)), n.span)
    return None


def _class(n: Node) -> Node | None:
    """The symbol at a step that stands as the one component of a symbol at a step."""
    index = n.part("Index") if n.op == "Sym" and n.part("Time") is not None else None
    alone = index is not None and len(index.nodes) == 1 and index.nodes[0].op == "Sym" and len(index.nodes[0].args) == 2
    return index.nodes[0] if index is not None and alone and index.nodes[0].part("Time") is not None else None


def one_hot(name: str) -> str:
    """The name of the one-hot vector of a class.

    >>> one_hot("c")
    'e_c'
    """
    return join_name("e", name)


def one_hot_vectors(formulas: Iterable[str], trees: Iterable[Node], prose: str) -> dict[str, bool]:
    """The vectors of classes that pick components of logarithms, and whether each is one-hot: a text that prints one must say it."""
    nodes = [n for tree in trees for n in walk(tree)]
    pairs = (n.nodes for n in nodes if n.op == "Mul" and len(n.nodes) == 2 and n.nodes[0].op == "Transpose")
    found = dict.fromkeys(turned.nodes[0].head for turned, log in pairs if log.op == "Call" and log.nodes[0].head in LOGARITHMS
                          and turned.nodes[0].head.startswith("e_") and turned.nodes[0].part("Time") is not None)
    names = {n.head for n in nodes if n.op == "Sym"}
    found |= dict.fromkeys(n.head for n in nodes if n.op == "Sym" and n.head.startswith("e_") and n.part("Time") is not None
                           and n.part("Index") is not None and n.head[2:] not in names)
    given = {n.nodes[0].head for n in nodes if n.op == "Chain" and n.nodes[0].op == "Sym"}
    said = UNIT.search(prose) is not None or not any(re.search(r"e\}?\s*_", f) for f in formulas)
    return {name: said and name not in given for name in found}
