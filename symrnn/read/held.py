r"""A linear differential equation whose input is held over each step: what the matrices of its recurrence are.

Where x is constant over a step of length d, ``h' = A h + B x`` takes h to exp(d A) h + A^(-1) (exp(d A) - I) B x, for an invertible A:
the derivative of s -> exp(s A) is A exp(s A), so that the integral of exp(s A) over the step is A^(-1) (exp(d A) - I). A text that says
so and writes ``h_k = P h_{k-1} + Q x_k`` says by it what P and Q are.

>>> from symrnn.read.reader import read
>>> from symrnn.read.symbols import SymbolTable
>>> trees = [read(f, SymbolTable.from_mapping({"symbols": {"k": "time"}, "time_letter": "k"})).tree
...          for f in (r"h'(t) = A h(t) + B x(t)", r"h_k = P h_{k-1} + Q x_k")]
>>> print(held(trees, "The input is held over a step of length $d$."))
Held(state='h', source='x', continuous=('A', 'B'), discrete=('P', 'Q'), step='d')
>>> held(trees, "The input changes all the time.") is None
True
"""
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from symrnn.read.tree import Node, walk

HOLD = re.compile(r"zero[- ]?order[- ]hold|\b(?:held|holds?)\b|\bpiecewise constant\b|\bconstant (?:over|during|within|between)\b", re.I)
STEP = re.compile(r"\bsteps?\s+(?:of\s+)?(?:length|size|width|duration)\s*(?:of|is)?\W*?([A-Za-z]+)", re.I)
ONE = Node("Num", ("1",))
CONDITION = "the input is held over each step, as the text says"


@dataclass(frozen=True)
class Held:
    """The state and the input of the equation, its two matrices, those of the recurrence, and the length of a step."""

    state: str
    source: str
    continuous: tuple[str, str]
    discrete: tuple[str, str]
    step: str

    @property
    def values(self) -> Mapping[str, Node]:
        """What the matrices of the recurrence are."""
        A, B, d, I = (Node("Sym", (name,), (-1, -1)) for name in (*self.continuous, self.step, "I"))  # noqa: E741
        flow = Node("Call", (Node("Sym", ("exp",)), Node("Mul", (d, A))))
        rise = Node("Mul", (Node("Pow", (A, Node("Neg", (ONE,)))), Node("Add", (flow, Node("Neg", (I,)))), B))
        return {self.discrete[0]: flow, self.discrete[1]: rise}


def held(trees: Iterable[Node], prose: str) -> Held | None:
    """The equation of some trees with what the prose says of its input; None where one of both is missing."""
    step = STEP.search(prose) if HOLD.search(prose) else None
    if step is None:
        return None
    chains = [n for tree in trees for n in walk(tree) if n.op == "Chain" and len(n.nodes) == 2 and n.nodes[1].head == "="]
    for state, (first, h), (second, x) in (row for n in chains for row in _flow(n)):
        for n in chains:
            left, terms = n.nodes[0], _terms(n.nodes[1].nodes[0])
            if left.op == "Sym" and left.head == state == h and left.part("Time") is not None and [t[1] for t in terms] == [h, x] and (
                    not {terms[0][0], terms[1][0]} & {first, second}):
                return Held(state, x, (first, second), (terms[0][0], terms[1][0]), step[1])
    return None


def is_flow(tree: Node) -> bool:
    """Whether a tree holds such a differential equation."""
    return any(True for n in walk(tree) if n.op == "Chain" and len(n.nodes) == 2 for _ in _flow(n))


def _flow(n: Node) -> Iterator[tuple[str, tuple[str, str], tuple[str, str]]]:
    """The state of a differential equation and the two terms of its right side."""
    left, terms = n.nodes[0], _terms(n.nodes[1].nodes[0])
    left = left.nodes[0] if left.op in ("Mul", "Call") else left.nodes[0] if left.op == "Prime" else left
    state = ""
    if left.op == "Prime" or n.nodes[0].op == "Prime":
        state = (left.nodes[0] if left.op == "Prime" else left).head
    elif left.op == "Deriv" and len(left.nodes) == 2 and left.nodes[1].op == "Sym":
        top = left.nodes[0]
        state = (top.nodes[0] if top.op == "Mul" else top).head
    elif left.head.startswith("dot("):
        state = left.head[len("dot("):-1]
    if state and len(terms) == 2 and terms[0][1] == state:
        yield state, terms[0], terms[1]


def _terms(n: Node) -> list[tuple[str, str]]:
    """The factor and the symbol of each term of a sum, of what moves with time; none if it is another sum."""
    rows = [[f.nodes[0] if f.op == "Call" else f for f in m.nodes] for m in n.nodes if m.op == "Mul"] if n.op == "Add" else []
    if len(rows) != len(n.nodes) or any(len(row) not in (2, 3) or any(f.op != "Sym" for f in row) for row in rows):
        return []
    return [(row[0].head, row[1].head) for row in rows]
