r"""Primes for the next step: in ``h' = \tanh(W h + U x)`` the new state is h', the old one h; nothing else has a time.

>>> from symrnn.read.reader import read
>>> from symrnn.read.symbols import SymbolTable
>>> trees = [read(s, SymbolTable(), second=False).tree for s in (r"z = \sigma(U x + W h)", r"h' = (1 - z) \odot h + z \odot \tanh(V x)")]
>>> steps = steps_of_primes(trees, "")
>>> steps
{'h': -1, 'x': 0, 'z': 0}
>>> print(at_steps(trees[1].nodes[0], steps, "t"), at_steps(trees[0].nodes[0], steps, "t"))
h{t=t} z{t=t}
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from symrnn.read.symbols import STANDARD
from symrnn.read.tree import Node, num, sym, walk

ACTIVATIONS = frozenset("tanh sigmoid relu ReLU sigma phi softmax sigm".split())
"""Functions of networks: with one of them a prime is the next step, and no derivative by time."""
CONTINUOUS = re.compile(r"differential|continuous|derivative|\\dot\b|\\int\b|\bODE\b|\bdt\b")
"""What speaks of time that does not go in steps."""
NO_STATE = frozenset("b e i j k l m p q t".split())
"""Letters that stand for no quantity of a step, unless an equation gives them."""


def steps_of_primes(trees: Sequence[Node], prose: str) -> dict[str, int]:
    """The quantities of a step in a text that marks the next step by a prime, with the step of each without one; else nothing."""
    nodes = [n for tree in trees for n in walk(tree)]
    chains = [n for n in nodes if n.op == "Chain" and n.nodes[1].head in ("=", ":=")]
    states = {n.nodes[0].nodes[0].head for n in chains if n.nodes[0].op == "Prime" and _lone(n.nodes[0].nodes[0])}
    plain = {n.nodes[0].head for n in chains if _lone(n.nodes[0])}
    timed = any(n.op in ("Time", "Differential", "Grad") for n in nodes)
    called = {f.head for n in nodes if n.op == "Call" for f in walk(n.nodes[0]) if f.op == "Sym"}
    falling = {n.nodes[0].nodes[0].head for n in chains if n.nodes[0].op == "Prime" and Node("Neg", n.nodes[0].nodes) in (
        *n.nodes[1].nodes[0].nodes, n.nodes[1].nodes[0])}                 # h' = -h + f(h) changes all the time
    bare = [m for tree in trees for m in _bare(tree)]
    primed = {n.nodes[0].head for n in nodes if n.op == "Prime"}
    steps = states and primed == states <= {n.head for n in bare} and not states & (called | falling | plain)
    if not steps or timed or not called & ACTIVATIONS or CONTINUOUS.search(prose):
        return {}
    letters = {n.head for n in nodes if _lone(n) and re.fullmatch(r"[a-z]|(?:hat|tilde|bar)\([a-z]\)", n.head)}
    others = (letters - NO_STATE | plain) - called - set(STANDARD) - states
    return {**dict.fromkeys(sorted(states), -1), **dict.fromkeys(sorted(others), 0)}


def at_steps(n: Node, steps: Mapping[str, int], letter: str) -> Node:
    """The tree with the steps that primes mean: a primed state is that of the running step, one without a prime that of the step before."""
    if not steps:
        return n
    if n.op == "Prime" and n.nodes[0].op == "Sym" and steps.get(n.nodes[0].head) == -1:
        return _timed(n.nodes[0], 0, letter, n.span)
    if n.op == "Sym" and n.head in steps and n.part("Time") is None:
        return _timed(n, steps[n.head], letter, n.span)
    return Node(n.op, tuple(at_steps(a, steps, letter) if isinstance(a, Node) else a for a in n.args), n.span)


def _timed(n: Node, offset: int, letter: str, span: tuple[int, int]) -> Node:
    step = sym(letter) if offset == 0 else Node("Add", (sym(letter), Node("Neg", (num(-offset),))))
    return Node("Sym", (n.head, Node("Time", (step,)), *n.args[1:]), span)


def _bare(n: Node) -> Iterator[Node]:
    """The symbols of a tree that stand without a prime."""
    if n.op == "Sym":
        yield n
    elif n.op != "Prime":
        for m in n.nodes:
            yield from _bare(m)


def _lone(n: Node) -> bool:
    return n.op == "Sym" and len(n.args) == 1
