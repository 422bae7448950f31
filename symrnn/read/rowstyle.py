r"""Texts that write the weights behind what they act on, as in ``x_t W + b``: their vectors are rows, and their capitals batches of rows.

>>> from symrnn.read.reader import read
>>> from symrnn.read.symbols import SymbolTable
>>> def style(*texts):
...     found = row_style([read(text, SymbolTable()).tree for text in texts], {})
...     return sorted(found.ranks), found.batches
>>> style(r"h_t = \tanh(x_t W + h_{t-1} U + b)"), style(r"h_t = \tanh(W x_t + U h_{t-1} + b)")
((['U', 'W', 'b', 'h', 'x'], {}), ([], {}))
>>> style(r"H_t = \tanh(X_t W + H_{t-1} U + b)")
(['H', 'U', 'W', 'X', 'b'], {'H': 'batch', 'X': 'batch'})
"""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from symrnn.read.letters import GREEK
from symrnn.read.symbols import STANDARD, Declared
from symrnn.read.tree import Node, walk

CARRYING = ("Had", "Add", "Neg", "List", "Tuple", "Call")
"""Operations that hand on whether what they hold lies along a row."""
PRODUCTS = ("Mul", "Dot")
EMPTY: Mapping[str, Declared] = {}


@dataclass(frozen=True)
class RowStyle:
    """The ranks of what stands in such products, the size that the rows of a batch share, and the weight behind each, by name."""

    ranks: dict[str, str] = field(default_factory=dict)
    batches: dict[str, str] = field(default_factory=dict)
    behind: dict[str, Node] = field(default_factory=dict)

    def of_space(self, stated: Mapping[str, Declared]) -> set[str]:
        """The vectors that a text declares by a space and that may be rows: all of them, unless its weights lie otherwise."""
        def size(name: str, axis: int) -> str | None:
            d = stated.get(name)
            return d.shape[axis] if d is not None and len(d.shape) > axis else None
        ends = ((size(name, 0), size(str(_weight(w)), 1 if w.op == "Transpose" else 0)) for name, w in self.behind.items())
        if not self.ranks or any(a is not None and b is not None and a != b for a, b in ends):
            return set()
        return {name for name, d in stated.items() if d.kind == "vector"}


def row_style(trees: Sequence[Node], known: Mapping[str, str], stated: Mapping[str, Declared] = EMPTY) -> RowStyle:
    """What the definitions of a text show to be rows, batches and the weights behind them; nothing if something stands behind a weight.

    ``known`` are ranks that are not to be found, and what is ``stated`` of one batch holds for those beside it. What is added to such a
    product by itself is a row too: a batch adds it to each of its rows.
    """
    sides = [side for tree in trees for side in computed(tree)]
    timed = {n.head for tree in trees for n in walk(tree) if n.op == "Sym" and n.part("Time") is not None}
    weights = {n.head for side in sides for n in walk(side) if n.op == "Sym" and is_weight(n.head) and n.head not in timed}
    weights |= {name for name, rank in known.items() if rank == "matrix" and name not in timed}
    found: dict[str, str] = {}
    behind: dict[str, Node] = {}
    groups: list[set[str]] = []
    for side in sides:
        nodes = list(walk(side))
        if any(n.op == "Call" and n.nodes[0].head in weights and any(map(_at_steps, n.nodes[1:])) for n in nodes):
            return RowStyle()
        pairs = [pair for n in nodes if n.op in PRODUCTS for pair in pairwise(n.nodes)]
        if any(_weight(a) in weights and _at_steps(b) or a.op == "Transpose" and _at_steps(a) and _weight(b) in weights for a, b in pairs):
            return RowStyle()
        acted = {name: b for a, b in pairs if _weight(b) in weights for name in _carried(a)}
        capitals = {name for name in acted if name[:1].isupper()}
        found |= {name: "matrix" if name in capitals else "row" for name in acted} | {str(_weight(b)): "matrix" for b in acted.values()}
        behind |= {name: b for a, b in pairs if _weight(b) in weights and len(names := _carried(a)) == 1 for name in names}
        joined = [group for group in groups if group & capitals]
        groups = [group for group in groups if not group & capitals] + [capitals.union(*joined)] * bool(capitals)
        terms = [n.nodes for n in nodes if n.op == "Add" and any(m.op in PRODUCTS and _weight(m.nodes[-1]) in weights for m in n.nodes)]
        found |= {m.head: "row" for ms in terms for m in ms if m.op == "Sym" and len(m.args) == 1 and m.head[:1].islower()}
    sizes: dict[str, str] = {}
    for k, group in enumerate(groups, start=1):
        said = [d.shape[0] for name in sorted(group) if (d := stated.get(name)) is not None and len(d.shape) == 2]
        sizes |= dict.fromkeys(sorted(group), said[0] if said else f"batch_{k}" if k > 1 else "batch")
    return RowStyle(found, sizes, behind) if any(name in timed for name in found) else RowStyle()


def is_weight(name: str) -> bool:
    """Whether a name without a step looks like that of a weight: a capital letter, with labels or without.

    >>> [name for name in ("W", "W_xh", "Sigma", "w", "Loss") if is_weight(name)]
    ['W', 'W_xh', 'Sigma']
    """
    base = name.split("_")[0].split("^")[0]
    return base[:1].isupper() and (len(base) <= 2 or base in GREEK)


def computed(tree: Node) -> Iterator[Node]:
    """The sides of the equations by which a text computes its variables from step to step, without those about derivatives."""
    for n in walk(tree):
        if n.op == "Chain" and n.nodes[0].op == "Sym" and n.nodes[0].part("Time") is not None:
            sides = [rel.nodes[0] for rel in n.nodes[1:] if rel.head in ("=", ":=", "==", "<-")]
            yield from (side for side in sides if not any(m.op in ("Deriv", "Grad", "Gradient") for m in walk(side)))


def _weight(n: Node) -> str | None:
    """The name of a symbol without a step, which may be transposed."""
    inner = n.nodes[0] if n.op == "Transpose" else n
    return inner.head if inner.op == "Sym" and len(inner.args) == 1 else None


def _at_steps(n: Node) -> bool:
    return any(m.op == "Sym" and m.part("Time") is not None for m in walk(n))


def _carried(n: Node) -> set[str]:
    """The names of what lies along the rows of a factor that has a step."""
    if n.op == "Sym":
        return {n.head} if n.part("Time") is not None and n.part("Index") is None and n.head not in STANDARD else set()
    parts = n.nodes[1:] if n.op == "Call" else n.nodes if n.op in CARRYING else ()
    return set().union(*map(_carried, parts)) if parts else set()
