"""From a syntax tree to the typed core: shapes decide the product, the scope decides what a symbol is.

Nothing is guessed quietly: a choice is a note, and what has no meaning here raises :class:`Meaningless` with a reason code.
"""
from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from symrnn.expr import SCALAR, Expr, add, delta, derivative, lift, negative, smul, symbol, transpose
from symrnn.read import tuples
from symrnn.read.applied import Applied
from symrnn.read.meaningless import Meaningless
from symrnn.read.products import Products
from symrnn.read.scope import TOTAL
from symrnn.read.sums import Sums
from symrnn.read.tree import Node


class Elaborator(Products, Applied, Sums):
    """Turns the trees of one relation into expressions."""

    def __call__(self, n: Node) -> Expr:
        row = ROWS.get(n.op)
        if row is None:
            raise Meaningless("SR303", f"{n.op} has no meaning in the core", n.span)
        return row(self, n)

    def derive(self, n: Node) -> Expr:
        kind, order, top, *bottoms = n.args
        assert isinstance(top, Node)
        if order != "1" or len(bottoms) != 1 or top.op == "Slot":
            raise Meaningless("SR303", "a derivative of higher order or without a body", n.span)
        bottom = bottoms[0]
        assert isinstance(bottom, Node)
        return self._by(top, bottom, {"partial": "partial", "d": "total", "total": "total", "immediate": "immediate"}[str(kind)])

    def _by(self, top: Node, bottom: Node, mode: str) -> Expr:
        if bottom.op == "Sym" and bottom.part("Time") is not None:
            d = self.scope.table.get(bottom.head)
            if d is not None and not d.sequence:                      # by the copy of a parameter that one step uses
                mode, copy = "immediate", bottom.part("Time")
                if top.op != "Sym" or top.part("Time") != copy or top.head == self.scope.loss:
                    raise Meaningless("SR303", f"a derivative by {d.name} at a step, of something not at that step", bottom.span)
        below = self(bottom)
        if below.op not in ("sym", "entry"):
            raise Meaningless("SR303", "a derivative by something that is no symbol", bottom.span)
        out = derivative(self(top), below, mode)
        lies = {"denominator": False, "numerator": True, "rows": below.shape is None or below.shape[1] == 1}[self.scope.layout]
        return transpose(out) if lies and out.args[0].shape == SCALAR and below.shape != SCALAR else out

    def gradient(self, n: Node) -> Expr:
        bottom, top = n.nodes
        if "Absent" in (bottom.op, top.op) or top.op == "Slot":
            raise Meaningless("SR303", "a gradient that does not say of what, by what", n.span)
        if top.op == "Transpose":
            self.note("grouping", "the transpose after a gradient is read as that of the gradient")
            return transpose(self.gradient(Node("Grad", (bottom, top.nodes[0]), n.span)))
        out = self._by(top, bottom, "partial")
        if out.args[0].shape not in (None, SCALAR):
            self.note("layout", "the gradient of a vector is read as its Jacobian, rows of the output")
        return out

    def change(self, n: Node) -> Expr:
        """The change of a parameter by gradient descent: minus the learning rate times the gradient."""
        if self.scope.rate is None:
            raise Meaningless("SR103", "no update rule defines this change", n.span)
        below = self(n.nodes[0])
        if below.op not in ("sym", "entry"):
            raise Meaningless("SR303", "the change of something that is no symbol", n.span)
        rate = symbol(self.scope.rate, SCALAR, "constant")
        return negative(smul(rate, derivative(symbol(TOTAL, SCALAR), below, "partial")))

    def cases(self, n: Node) -> Expr:
        """Two cases told apart by the equality of two component indices."""
        rows = n.nodes
        if len(rows) != 2 or rows[1].nodes[1].op != "Otherwise" or rows[0].nodes[1].op != "Chain":
            raise Meaningless("SR303", "cases other than i = k and otherwise", n.span)
        condition = rows[0].nodes[1]
        left, rel = condition.nodes[0], condition.nodes[1]
        if rel.head not in ("=", "!="):
            raise Meaningless("SR303", f"a case with the condition {rel.head}", n.span)
        first, second = self(rows[0].nodes[0]), self(rows[1].nodes[0])
        known = [self.indices[m.head] for m in (left, rel.nodes[0]) if m.op == "Sym" and m.head in self.indices]
        if not known:
            raise Meaningless("SR303", "a condition on indices of unknown size", condition.span)
        same = delta(self.index(left, known[0].size), self.index(rel.nodes[0], known[0].size))
        if rel.head == "!=":
            same = lift(1) - same
        return add(smul(same, first), smul(lift(1) - same, second))


Row = Callable[[Elaborator, Node], Expr]
ROWS: dict[str, Row] = {
    "Sym": lambda E, n: E.symbol(n),
    "Num": lambda E, n: lift(Fraction(n.head)),
    "Add": lambda E, n: E.sum(n.nodes),
    "Neg": lambda E, n: negative(E(n.nodes[0])),
    "Mul": lambda E, n: E.product(n.nodes),
    "Dot": lambda E, n: E.dot(n),
    "Times": lambda E, n: E.star(n),
    "Star": lambda E, n: E.star(n),
    "Had": lambda E, n: E.hadamard(n.nodes[0], n.nodes[1]),
    "Outer": lambda E, n: E.outer(n),
    "Div": lambda E, n: E.divided(n),
    "Pow": lambda E, n: E.power(n),
    "Transpose": lambda E, n: E.transposed(n),
    "Call": lambda E, n: E.call(n),
    "At": lambda E, n: E.entry(E(n.nodes[0]), n.nodes[1:], n),
    "Sum": lambda E, n: E.big_sum(n),
    "Deriv": lambda E, n: E.derive(n),
    "Grad": lambda E, n: E.gradient(n),
    "Delta": lambda E, n: E.change(n),
    "Cases": lambda E, n: E.cases(n),
    "Ones": lambda E, n: E.constant(n),
    "Zeros": lambda E, n: E.constant(n),
    **tuples.ROWS,
}
