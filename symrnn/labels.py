r"""Numbers above a symbol that may be those of layers and no exponents.

A vector to the power of a letter is none, and nobody prints an exponent of one: there such a number says which of several it is.

>>> from symrnn.read.reader import read
>>> from symrnn.read.symbols import SymbolTable
>>> table = SymbolTable.from_mapping({"symbols": {"h": "vector n, sequence", "W": "matrix n n", "V": "matrix n n"}})
>>> for text in (r"h^l_t = W^l h^{l-1}_t + V^2 x_t", "h_t^1 = x_t", "V^2 h_t"):
...     print(sorted(labelled([read(text, table).tree], table)))
['W', 'h']
['h']
[]
"""
from __future__ import annotations

from collections.abc import Iterable

from symrnn.read.symbols import SymbolTable
from symrnn.read.tree import Node, walk


def labelled(trees: Iterable[Node], table: SymbolTable) -> frozenset[str]:
    """The symbols whose upper numbers may be labels."""
    trees = list(trees)
    powers = [n for tree in trees for n in walk(tree) if n.op == "Pow" and n.nodes[0].op == "Sym"]
    letters = {m.head for n in powers if _is_vector(n.nodes[0], table) for m in walk(n.nodes[1]) if m.op == "Sym"}
    layers = frozenset(n.head for tree in trees for n in walk(tree) if n.op == "Sym" and n.part("Layer") is not None)
    return layers | frozenset(n.nodes[0].head for n in powers
                              if n.nodes[1] == Node("Num", ("1",)) or any(m.head in letters for m in walk(n.nodes[1])))


def bears_label(trees: Iterable[Node], names: frozenset[str]) -> str | None:
    """A symbol in some trees with a number above it that may be a label."""
    return next((n.nodes[0].head for tree in trees for n in walk(tree) if n.op == "Pow" and n.nodes[0].head in names
                 and n.nodes[1].op == "Num"), None)


def _is_vector(n: Node, table: SymbolTable) -> bool:
    d = table.get(n.head)
    return d is not None and d.kind == "vector" and d.sequence
