r"""Declarations that a text makes in its mathematics: ``x_t \in \mathbb{R}^{n_x}`` declares x as a sequence of vectors.

>>> from symrnn.read.reader import read
>>> from symrnn.read.symbols import SymbolTable
>>> reading = read(r"x_t \in \mathbb{R}^{n_x}, \quad W_{hh}, W_{xh} \in \mathbb{R}^{n_h \times 4}", SymbolTable())
>>> for declared in declarations(reading.tree, SymbolTable()):
...     print(declared.name, declared.kind, declared.shape, declared.sequence)
x vector ('n_x',) True
W_hh matrix ('n_h', '4') False
W_xh matrix ('n_h', '4') False
"""

from __future__ import annotations

from symrnn.read.names import join_name
from symrnn.read.show import show
from symrnn.read.symbols import Declared, SymbolTable
from symrnn.read.tree import Node

REALS = Node("Sym", ("R",))
_WHOLE = ("N", "Z", "N+", "N_+", "N0", "Z+")
_KINDS = {0: "scalar", 1: "vector", 2: "matrix"}


def declarations(tree: Node, table: SymbolTable) -> tuple[Declared, ...]:
    """What a tree declares, in order; later declarations of a name are kept too. Nothing else of the tree is judged."""
    if tree.op in ("Seq", "Rows", "Where"):
        return tuple(d for node in tree.nodes for d in declarations(node, table))
    if tree.op != "Chain":
        return ()
    left, rels = tree.nodes[0], tree.nodes[1:]
    for k, rel in enumerate(rels):
        found: Declared | None = None
        if rel.head == "in":
            found = _element(left, rel.nodes[0], table)
        elif rel.head == ":" and k + 1 < len(rels) and rels[k + 1].head in ("->", "|->"):
            found = _function(left, rel.nodes[0], rels[k + 1].nodes[0])
        elif rel.head == "=" and rel.nodes[0].op == "Enum":
            found = _counter(left, rel.nodes[0], table)
        if found is not None:
            return (found,)
    return ()


def size_text(node: Node, table: SymbolTable) -> str:
    """A size as a table holds it: a canonical name or numeral, a sum of such, or LaTeX without spaces."""
    if node.op == "Num":
        return node.head
    if node.op == "Sym":
        index = node.part("Index")
        if len(node.args) == 1:
            return node.head
        if len(node.args) == 2 and index is not None and len(index.nodes) == 1 and index.nodes[0].head:
            return join_name(node.head, index.nodes[0].head)
    return _sum_text(node) or "".join(show(node, table).split())


def _sum_text(node: Node) -> str | None:
    """A sum of multiples of sizes without spaces, such as 2*h+1; None for anything else."""
    if node.op == "Num" or node.op == "Sym" and len(node.args) == 1:
        return node.head
    if node.op in ("Mul", "Dot", "Star"):
        factors = [_sum_text(n) for n in node.nodes]
        return "*".join(f for f in factors if f) if all(f and f[:1] != "-" and "+" not in f for f in factors) else None
    if node.op == "Neg":
        inner = _sum_text(node.nodes[0])
        return f"-{inner}" if inner and "+" not in inner and "-" not in inner else None
    if node.op == "Add":
        terms = [_sum_text(n) for n in node.nodes]
        return "+".join(t for t in terms if t).replace("+-", "-") if all(terms) else None
    return None


def _target(left: Node, table: SymbolTable) -> tuple[str, bool] | None:
    """The name that is declared and whether it is a sequence; None for a component and for anything but a symbol."""
    if left.op == "Call" and len(left.nodes) == 2 and table.time in ("call", "bracket"):
        function, argument = left.nodes
        timed = function.op == "Sym" and len(function.args) == 1 and argument == Node("Sym", (table.time_letter,))
        return (function.head, True) if timed else None
    if left.op != "Sym" or left.part("Index") is not None:
        return None
    known = table.get(left.head)
    return left.head, left.part("Time") is not None or known is not None and known.sequence


def _element(left: Node, right: Node, table: SymbolTable) -> Declared | None:
    target = _target(left, table)
    base, exponent = right.nodes if right.op == "Pow" else (right, None)
    if target is None:
        return None
    name, sequence = target
    if base.op == "Set" and exponent is None:
        return _counter(left, base, table)
    named = table.get(REALS.head)
    plain = base == REALS and exponent is not None and (named is None or named.kind == "space")          # R in another font
    numbers = plain or base.op == "Space" and base.head[:1] in "RC" or base.op in ("Interval", "Set") and exponent is not None
    if base.op == "Space" and base.head in _WHOLE and exponent is None:
        return Declared(name, "size")
    if not numbers:
        return None
    sizes: list[str] = []
    while exponent is not None and exponent.op == "Times":
        sizes.insert(0, size_text(exponent.nodes[1], table))
        exponent = exponent.nodes[0]
    if exponent is not None:
        sizes.insert(0, size_text(exponent, table))
    return Declared(name, _KINDS[len(sizes)], tuple(sizes), sequence) if len(sizes) in _KINDS else None


def _counter(left: Node, listed: Node, table: SymbolTable) -> Declared | None:
    """A letter that runs from one to a size."""
    target = _target(left, table)
    ends = listed.nodes
    if target is None or len(left.args) > 1 or len(ends) < 3 or ends[-2].op != "Ellipsis":
        return None
    if target[0] == table.time_letter:
        return Declared(target[0], "index", role="time")
    return Declared(target[0], "index", (size_text(ends[-1], table),))


def _function(left: Node, source: Node, target: Node) -> Declared | None:
    if left.op != "Sym" or len(left.args) > 1:
        return None
    scalar = source.op == target.op == "Space"
    return Declared(left.head, "function" if scalar else "vfunction")
