r"""Scalars, columns, rows and matrices, told apart by how the equations of a text use them.

What is known of some symbols is carried through sums, products and functions to the others until nothing changes. Nothing is
taken from the letters themselves.

>>> from symrnn.read.reader import read
>>> from symrnn.read.symbols import SymbolTable
>>> tree = read(r"a_t = b + W h_{t-1} + U x_t", SymbolTable()).tree
>>> ranks([tree], {"W": "matrix", "h": "vector"})["b"], ranks([tree], {"W": "matrix", "h": "vector"})["a"]
('vector', 'vector')
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set

from symrnn.read.symbols import STANDARD
from symrnn.read.tree import Node, walk

SAME = ("Add", "Neg", "PlusMinus", "Had", "Delta")
"""Operations whose result and arguments have one rank (numbers apart)."""
BODY = {"Sum": 3, "Gradient": 0}
"""Operations whose rank is that of one argument, with its place."""
STACKS = ("List", "Stack")
ORDER = ("<", "<=", ">", ">=")
PRODUCT = ("Mul", "Dot", "Star")
ROW_OF_ONES = Node("Transpose", (Node("Ones"),))
COMPUTED = ("Add", "Had", *PRODUCT)
"""What stands in a bracket after something with a step that is a factor."""
TURNED = {"vector": "row", "row": "vector", "matrix": "matrix", "scalar": "scalar"}
PAIRS = {("matrix", "vector"): "vector", ("matrix", "matrix"): "matrix", ("row", "matrix"): "row", ("row", "vector"): "scalar",
         ("vector", "row"): "matrix"}
"""The rank of a product of two."""


def ranks(trees: Iterable[Node], known: Mapping[str, str]) -> dict[str, str]:
    """The ranks of the symbols of some trees, among them those that were known."""
    matrices = {name for name, rank in known.items() if rank == "matrix"}
    return Ranks(dict(known)).run([_applied(tree, matrices) for tree in trees])


def _applied(n: Node, matrices: Set[str]) -> Node:
    """The tree with a matrix, or what has a step, before a bracket as a factor.

    A sign of transposition at the call belongs to the matrix; beside what has a step it may be that of either, which tells nothing.
    """
    call = n.nodes[0] if n.op == "Transpose" and n.nodes else n
    if call.op == "Call" and len(call.nodes) == 2 and call.nodes[0].op == "Sym" and call.nodes[0].head in matrices:
        matrix, other = call.nodes
        return Node("Mul", (matrix if n is call else Node("Transpose", (matrix,)), _applied(other, matrices)), n.span)
    if call.op == "Call" and len(call.nodes) == 2 and call.nodes[0].part("Time") is not None and call.nodes[1].op in COMPUTED:
        factor, other = call.nodes[0], _applied(call.nodes[1], matrices)
        return Node("Mul" if n is call else "Open", (factor, other), n.span)
    return Node(n.op, tuple(_applied(a, matrices) if isinstance(a, Node) else a for a in n.args), n.span)


def _compared_with_norms(chain: Node) -> Iterator[Node]:
    """The symbols that are factors of a side which is compared with a norm."""
    sides = [chain.nodes[0], *(r.nodes[0] for r in chain.nodes[1:] if r.head in ORDER)]
    if len(sides) > 1 and any(n.op == "Norm" for side in sides for n in walk(side)):
        stack = sides
        while stack:
            n = stack.pop()
            if n.op in ("Mul", "Dot", "Div", "Add", "Neg") or n.op == "Pow":
                stack.extend(n.nodes[:1] if n.op == "Pow" else n.nodes)
            elif n.op == "Sym" and n.part("Index") is None and n.part("Time") is None:
                yield n


class Ranks:
    """What is known so far; ``pull`` is the rank of a tree by its parts, ``push`` carries a rank into its parts."""

    def __init__(self, known: dict[str, str]) -> None:
        self.known = known
        self.timed: set[str] = set()                                  # a number below these may be a step

    def run(self, trees: list[Node]) -> dict[str, str]:
        chains = [n for tree in trees for n in walk(tree) if n.op == "Chain"]
        self.timed = {n.head for tree in trees for n in walk(tree) if n.op == "Sym" and n.part("Time") is not None}
        limits = (n.nodes[2] for tree in trees for n in walk(tree) if n.op == "Sum")
        measures = (n for chain in chains for n in _compared_with_norms(chain))
        self.known = {**{n.head: "scalar" for n in (*limits, *measures) if n.op == "Sym"}, **self.known}
        before = -1
        while before < len(self.known):
            before = len(self.known)
            for chain in chains:
                sides = [chain.nodes[0], *(r.nodes[0] for r in chain.nodes[1:] if r.head in ("=", ":=", "==", "<-"))]
                self.agree(sides)
        return self.known

    def agree(self, parts: Iterable[Node]) -> str | None:
        """Parts that must have one rank take it from the one whose rank is known."""
        parts = [p for p in parts if p.op != "Num"]
        found = next((r for p in parts if (r := self.pull(p)) is not None and (r != "scalar" or len(parts) == 1)), None)
        found = found or next((r for p in parts if (r := self.pull(p)) is not None), None)
        for p in parts:
            if found is not None:
                self.push(p, found)
        return found

    def pull(self, n: Node) -> str | None:
        if n.op == "Sym":
            return "scalar" if self._is_component(n) else self.known.get(n.head)
        if n.op in SAME:
            return self.agree(n.nodes)
        if n.op == "Transpose":
            inner = self.pull(n.nodes[0])
            return TURNED[inner] if inner else None
        if n.op == "Call":
            return self._value(n)
        if n.op in PRODUCT:
            return self._product(n)
        if n.op in ("Pow", "Root", "Abs"):
            return self.pull(n.nodes[0])
        if n.op == "Div":
            top, bottom = ("scalar" if p.op == "Num" else self.pull(p) for p in n.nodes)
            return top if bottom == "scalar" else None
        if (place := self._gradient(n)) is not None:
            return self.pull(place)
        if n.op in BODY:
            return self.pull(n.nodes[BODY[n.op]])
        if n.op == "Norm":
            self.pull(n.nodes[0])
        return "vector" if n.op in STACKS and len(n.nodes) > 1 else "scalar" if n.op == "Norm" else None

    def push(self, n: Node, rank: str) -> None:
        if n.op == "Sym" and n.head in self.timed and len(n.args) == 1:
            return                                                    # the argument of a formula about a function may have this letter
        if n.op == "Sym" and not self._is_component(n):
            self.known.setdefault(n.head, rank)
        elif n.op in SAME:
            for p in n.nodes:
                if p.op != "Num":
                    self.push(p, rank)
        elif n.op == "Transpose":
            self.push(n.nodes[0], TURNED[rank])
        elif n.op == "Call" and self._entrywise(n):
            self.push(n.nodes[1], rank)
        elif n.op in BODY:
            self.push(n.nodes[BODY[n.op]], rank)
        elif n.op in PRODUCT:
            self._factors(n, rank)
        elif (place := self._gradient(n)) is not None:
            self.push(place, rank)

    def _is_component(self, n: Node) -> bool:
        index = n.part("Index")
        return index is not None and not (n.head in self.timed and [m.op for m in index.nodes] == ["Num"])

    def _gradient(self, n: Node) -> Node | None:
        """What a scalar is differentiated by: the gradient has its rank."""
        if n.op == "Deriv" and len(n.nodes) == 2 and self.pull(n.nodes[0]) == "scalar":
            return n.nodes[1]
        return n.nodes[0] if n.op == "Grad" and len(n.nodes) == 2 and self.pull(n.nodes[1]) == "scalar" else None

    def _entrywise(self, n: Node) -> bool:
        """A function of one argument that is no function of a whole vector."""
        f = n.nodes[0]
        while f.op == "Prime":
            f = f.nodes[0]
        d = STANDARD.get(f.head)
        return len(n.nodes) == 2 and f.op == "Sym" and (d is None or d.kind == "function" or f.head == "softmax")

    def _value(self, n: Node) -> str | None:
        if n.nodes[0].head in ("diag", "Diag"):
            for a in n.nodes[1:]:
                if self.pull(a) is None:
                    self.push(a, "vector")
            return "matrix"
        return self.pull(n.nodes[1]) if self._entrywise(n) else None

    def _product(self, n: Node) -> str | None:
        if n.nodes[-1] == ROW_OF_ONES:                                # a column beside itself, as a bias in every column of a batch
            if len(n.nodes) == 2 and self.pull(n.nodes[0]) is None:
                self.push(n.nodes[0], "vector")
            return "matrix" if len(n.nodes) == 2 else None
        found: str | None = "scalar"
        for p in n.nodes:
            rank = "scalar" if p.op == "Num" else self.pull(p)
            if rank is None or found is None or rank == "scalar" and found == "matrix" and p.op == "Sym":
                found = None                                          # the one column of what stands before a single input
            elif rank != "scalar":
                found = rank if found == "scalar" else PAIRS.get((found, rank))
        return found

    def _factors(self, n: Node, rank: str) -> None:
        """The one factor whose rank is unknown, where the others leave one possibility; a star may be an entrywise product."""
        if n.op == "Star":
            return
        parts = [(p, "scalar" if p.op == "Num" else self.pull(p)) for p in n.nodes]
        unknown = [p for p, r in parts if r is None]
        arrays = [(p, r) for p, r in parts if r != "scalar"]
        if len(unknown) != 1:
            return
        if rank == "scalar" and not arrays[1:]:
            self.push(unknown[0], rank)
            return
        p = unknown[0]
        rest = [r for q, r in arrays if q is not p]
        if rank in ("vector", "row") and all(r == "matrix" for r in rest):
            last = arrays[-1][0] is p if rank == "vector" else arrays[0][0] is p
            self.push(p, rank if last else "matrix")
        elif rank == "vector" and rest and rest[-1] == "vector" and all(r == "matrix" for r in rest[:-1]) and arrays[-1][0] is not p:
            self.push(p, "matrix")
        elif rank == "matrix" and rest and all(r == "matrix" for r in rest) and arrays[0][0] is not p:
            self.push(p, "matrix")                                    # a number would stand in front
        elif rank == "row" and rest and rest[0] == "row" and all(r == "matrix" for r in rest[1:]) and arrays[0][0] is not p:
            self.push(p, "matrix")
