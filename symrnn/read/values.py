r"""Functions that a text gives by an equation and never applies to anything else: names for a value.

``l(\mathbf{y}, \hat{\mathbf{y}}) = -\sum_j y_j \log \hat y_j`` says what the number l is; ``l(\mathbf{y}, \hat{\mathbf{y}})`` is that
number, and so is ``l`` alone. A prime on such a function of one argument is the derivative by it.

>>> from symrnn.read.reader import read
>>> from symrnn.read.symbols import SymbolTable
>>> trees = [read(s, SymbolTable()).tree for s in (r"g(u, v) = \sum_i u_i v_i", r"q = g(u, v)", r"k(a) = a + 1")]
>>> {name: [str(a) for a in args] for name, args in value_functions(trees, SymbolTable()).items()}
{'g': ['u', 'v']}
>>> print(called(trees[1], value_functions(trees, SymbolTable())))
(Chain q (= g))
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from symrnn.read.symbols import STANDARD, SymbolTable
from symrnn.read.tree import Node, walk

PARAMETERS = frozenset("theta Theta vartheta phi w".split())
"""Letters that stand for all parameters of a network together."""

SPECTRAL = re.compile(r"(?:rho|kappa|lambda)(?:_\S+)?|(?:sigma|s|mu)_(?:max|min)")
"""Names that stand for an eigenvalue, a singular value or a condition number before a matrix in brackets."""

Values = Mapping[str, tuple[Node, ...]]


def called(n: Node, values: Values) -> Node:
    """The tree with every call of a value function, at the arguments it is given for, as its value."""
    if not values:
        return n
    args = tuple(called(a, values) if isinstance(a, Node) else a for a in n.args)
    out = Node(n.op, args, n.span)
    if out.op != "Call":
        return out
    f, *given = out.nodes
    primes = 0
    while f.op == "Prime":
        f, primes = f.nodes[0], primes + 1
    if f.op != "Sym" or values.get(f.head) != tuple(given) or primes > 1 or primes and len(given) != 1:
        return out
    value = f.at(n.span)
    return Node("Deriv", ("partial", "1", value, given[0]), n.span) if primes else value


def value_functions(trees: Sequence[Node], table: SymbolTable) -> dict[str, tuple[Node, ...]]:
    """The functions that are names for a value, each with its arguments."""
    calls = [(f, tuple(args)) for n in (n for tree in trees for n in walk(tree) if n.op == "Call") for f, *args in [_unprimed(n)]]
    out: dict[str, tuple[Node, ...]] = {}
    for f, args, body in _given(trees):
        d = table.get(f.head)
        other = any(g.head == f.head and given != args for g, given in calls)
        own = any(m.op == "Sym" and m.head == f.head for m in walk(body))
        known = f.head in STANDARD or SPECTRAL.fullmatch(f.head) or d is not None and d.is_function
        if not (other or own or known) and _is_value(args, body, table):
            out[f.head] = args
    return out | {name: args for name, args in _of_everything(trees, calls).items() if table.lookup(name) is None}


def _of_everything(trees: Sequence[Node], calls: Iterable[tuple[Node, tuple[Node, ...]]]) -> dict[str, tuple[Node, ...]]:
    r"""Values written as functions of a letter that stands nowhere else, as ``J_t(\theta)`` of all parameters."""
    seen: dict[str, set[tuple[Node, ...]]] = {}
    for f, args in calls:
        seen.setdefault(f.head, set()).add(args)
    often = Counter(m.head for tree in trees for m in walk(tree) if m.op == "Sym")
    alone = {name: next(iter(found)) for name, found in seen.items() if len(found) == 1}
    used = Counter(args[0].head for f, args in calls if len(args) == 1 and args[0].op == "Sym" and len(args[0].args) == 1)
    return {name: args for name, args in alone.items() if len(args) == 1 and args[0].head in PARAMETERS
            and often[args[0].head] == used[args[0].head]}


def _unprimed(n: Node) -> tuple[Node, ...]:
    f, *args = n.nodes
    while f.op == "Prime":
        f = f.nodes[0]
    return (f, *args)


def _given(trees: Iterable[Node]) -> Iterable[tuple[Node, tuple[Node, ...], Node]]:
    """Function, arguments and formula of each equation that gives a function of plain symbols."""
    for n in (n for tree in trees for n in walk(tree) if n.op == "Chain" and n.nodes[0].op == "Call"):
        f, *args = n.nodes[0].nodes
        if f.op == "Sym" and len(f.args) == 1 and n.nodes[1].head in ("=", ":=") and args and all(a.op == "Sym" for a in args):
            yield f, tuple(args), n.nodes[1].nodes[0]


def _is_value(args: tuple[Node, ...], body: Node, table: SymbolTable) -> bool:
    """Whether a formula is one number for whole arrays, and no rule that is meant for every argument."""
    if any(m.op == "Time" for a in (*args, body) for m in walk(a)):
        return False
    if len(args) > 1:
        return all(len(a.args) == 1 for a in args)
    (x,) = args
    d = table.get(x.head)
    components = any(m.op == "Sym" and m.head == x.head and m.part("Index") is not None for m in walk(body))
    if x.part("Index") is not None:
        return components and not any(m == x for m in walk(body))
    return components or d is not None and d.kind in ("vector", "matrix")
