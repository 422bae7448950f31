r"""Letters that a passage declares for a rule of its own, ahead of it: what it says of their sizes is said of nothing else.

>>> from symrnn.read.reader import read
>>> from symrnn.read.symbols import SymbolTable
>>> texts = [r"x \in \mathbb{R}^m", r"u \in \mathbb{R}^n", r"\frac{\partial z}{\partial x_i} = \sum_j \frac{\partial z}{\partial u_j}"
...          r"\frac{\partial u_j}{\partial x_i}", r"x_t = \tanh(x_{t-1})"]
>>> local_letters([read(text, SymbolTable()).tree for text in texts], SymbolTable())
{'x'}
"""
from __future__ import annotations

from collections.abc import Sequence

from symrnn.read.declarations import declarations
from symrnn.read.symbols import SymbolTable
from symrnn.read.tree import Node, walk


def local_letters(trees: Sequence[Node], table: SymbolTable) -> set[str]:
    """The letters of sequences that also stand in a rule of other letters, and are declared just before it, all without a step.

    A rule is of other letters if one that is declared with them never has a step.
    """
    timed = {n.head for tree in trees for n in walk(tree) if n.op == "Sym" and n.part("Time") is not None}
    out: set[str] = set()
    declared: set[str] = set()                                        # since the last formula with a step in it
    for tree in trees:
        if any(n.op == "Time" for n in walk(tree)):
            declared = set()
        elif (letters := _of_chain_rule(tree) & declared) - timed:
            out |= letters & timed
        else:
            declared |= {d.name for d in declarations(tree, table) if d.shape and d.kind in ("vector", "matrix") and not d.sequence}
    return out


def _of_chain_rule(tree: Node) -> set[str]:
    """The letters of a chain rule: a derivative on the left, a sum of products of two on the right; none for another formula."""
    if tree.op != "Chain" or tree.nodes[0].op != "Deriv":
        return set()
    last = tree.nodes[-1].nodes[0]
    terms = [last.nodes[3]] if last.op == "Sum" else last.nodes if last.op == "Add" else (last,)
    if not all(x.op in ("Mul", "Dot") and len(x.nodes) == 2 and all(f.op == "Deriv" for f in x.nodes) for x in terms):
        return set()
    return {n.head for x in terms for n in walk(x) if n.op == "Sym"}
