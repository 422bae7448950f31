r"""Usual functions by their formulas: what a text defines by ``\sigma(u) = 1/(1 + e^{-u})`` is the logistic function.

>>> from symrnn.read.reader import read
>>> from symrnn.read.symbols import SymbolTable
>>> chain = read(r"s(v) = (1 + \exp(-v))^{-1}", SymbolTable()).tree
>>> usual_function("v", chain.nodes[1].nodes[0]), usual_function("v", read("1 - v", SymbolTable()).tree)
('sigmoid', None)
"""

from __future__ import annotations

from functools import cache

from symrnn.read.reader import read
from symrnn.read.symbols import SymbolTable
from symrnn.read.tree import Node, walk

FORMULAS = (
    ("sigmoid", r"\frac{1}{1 + e^{-x}}", r"(1 + e^{-x})^{-1}", r"\frac{1}{e^{-x} + 1}", r"\frac{e^x}{1 + e^x}", r"\frac{e^x}{e^x + 1}"),
    ("tanh", r"\frac{e^x - e^{-x}}{e^x + e^{-x}}", r"\frac{e^{2x} - 1}{e^{2x} + 1}", r"\frac{1 - e^{-2x}}{1 + e^{-2x}}"),
)
"""Each function with the formulas that texts give for it."""


@cache
def _trees() -> dict[Node, str]:
    table = SymbolTable.from_mapping({"symbols": {"x": "scalar"}})
    found = {read(text, table, second=False).tree: name for name, *texts in FORMULAS for text in texts}
    return {tree: name for tree, name in found.items() if tree is not None}


def usual_function(formal: str, formula: Node) -> str | None:
    """The usual function that a formula of one letter gives; None for another one."""
    return None if any(n.head == "x" for n in walk(formula) if formal != "x") else _trees().get(_renamed(formula, formal))


def _renamed(n: Node, formal: str) -> Node:
    """The formula with x for its letter, and with the exponential function for powers of e, also where the text has another e."""
    if n.op == "Pow" and n.nodes[0] == Node("Sym", ("e",)):
        return Node("Call", (Node("Sym", ("exp",)), _renamed(n.nodes[1], formal)), n.span)
    if n.op == "Sym" and n.head == formal and len(n.args) == 1:
        return Node("Sym", ("x",), n.span)
    return Node(n.op, tuple(_renamed(a, formal) if isinstance(a, Node) else a for a in n.args), n.span)
