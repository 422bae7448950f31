"""Products of stacked inputs with weights in blocks: ``[r, u] = sigmoid(x_h * w + b)`` as one equation for each gate.

Inputs are stacked by a list (``xh = [x, h]``) or by a name made of theirs (``x_h``). The blocks of a weight are written out
(``w = [w_r_x w_u_x; w_r_h w_u_h]``), or the weight of one gate has a block for each input, named ``w_x`` and ``w_h`` after it.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symrnn.coded.facts import Facts
from symrnn.coded.world import Names, symbols_of
from symrnn.read.codetext import Statement
from symrnn.read.tree import Node, sym


@dataclass
class Blocks:
    """Takes equations with blocks apart."""

    facts: Facts
    names: Names

    def rows(self, s: Statement) -> list[Statement] | None:
        """An equation as one for each target; an empty list for what only names blocks; None for any other equation."""
        if s.target is None or s.relation != "=":
            return None
        if s.target.op == "Sym" and s.value.op in ("Matrix", "List"):
            return []
        targets = list(s.target.nodes) if s.target.op in ("List", "Tuple") else [s.target]
        function, inner = (s.value.nodes[0], s.value.nodes[1]) if s.value.op == "Call" and len(s.value.nodes) == 2 else (None, s.value)
        terms = inner.nodes if inner.op == "Add" else (inner,)
        products = [t for t in terms if self.stacked(t) is not None]
        if len(products) != 1 or any(t not in products and t.op != "Sym" for t in terms):
            return None
        parts = self.stacked(products[0])
        blocks = self.columns(products[0].nodes[1], parts or [], targets)
        if parts is None or blocks is None:
            return None
        out = []
        for target, column in zip(targets, blocks, strict=True):
            bias = [sym(f"{t.head}_{target.head}") if len(targets) > 1 else t for t in terms if t not in products]
            for n in (*column, *bias):
                self.names.bases.setdefault(n.head, False)
            value = Node("Add", (*(Node("Mul", (p, w)) for p, w in zip(parts, column, strict=True)), *bias))
            out.append(Statement(target, "=", Node("Call", (function, value)) if function is not None else value))
        return out

    def stacked(self, n: Node) -> list[Node] | None:
        """The inputs that are stacked on the left of a product."""
        if n.op not in ("Star", "Mul") or len(n.nodes) != 2 or any(m.op != "Sym" or len(m.args) > 1 for m in n.nodes):
            return None
        name = n.nodes[0].head
        written = [s.value for s in self.facts.defined if s.target == n.nodes[0] and s.value.op == "List"]
        if len(written) == 1:
            return list(written[0].nodes)
        found = self.joined(name)
        return [sym(p) for p in found[0]] if len(found) == 1 else None

    def joined(self, name: str) -> list[tuple[str, str]]:
        """The pairs of known names that a name without an equation may be made of."""
        words = name.split("_")
        pairs = [("_".join(words[:k]), "_".join(words[k:])) for k in range(1, len(words))]
        return [] if self.is_defined(name) else [pair for pair in pairs if all(p in self.names.bases for p in pair)]

    def inside(self, name: str) -> set[str]:
        """What may be stacked in a quantity: by the list that it is, or by its name."""
        lists = [s.value for s in self.facts.defined if s.target == sym(name) and s.value.op in ("List", "Matrix")]
        return {self.names.find(n).name for v in lists for n in symbols_of(v)} | {p for pair in self.joined(name) for p in pair}

    def is_defined(self, name: str) -> bool:
        return any(s.target is not None and any(n.head == name for n in symbols_of(s.target)) for s in self.facts.defined)

    def columns(self, weight: Node, parts: Sequence[Node], targets: Sequence[Node]) -> list[list[Node]] | None:
        """The blocks of a weight, a list for each target."""
        written = [s.value for s in self.facts.defined if s.target == weight and s.value.op == "Matrix"]
        if len(written) == 1:
            rows = [list(r.nodes) for r in written[0].nodes]
            if len(rows) != len(parts) or any(len(r) != len(targets) for r in rows):
                return None
            return [[r[k] for r in rows] for k in range(len(targets))]
        return [[sym(f"{weight.head}_{p.head}") for p in parts]] if len(targets) == 1 else None
