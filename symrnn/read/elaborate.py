"""From a syntax tree to the typed core: shapes decide the product, the scope decides what a symbol is.

Nothing is guessed quietly: a choice is a note, and what has no meaning here raises :class:`Meaningless` with a reason code.
"""
from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from symrnn.expr import NOW, SCALAR, Expr, add, apply, delta, derivative, lift, matmul, negative, shift, smul, symbol, transpose, walk
from symrnn.read import tuples
from symrnn.read.applied import Applied
from symrnn.read.meaningless import Meaningless
from symrnn.read.products import Products
from symrnn.read.scope import LOSS, TOTAL
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
        if bottom.op == "Transpose" and self(top).shape == SCALAR:
            return transpose(self._by(top, bottom.nodes[0], mode))
        below = self(bottom)
        if below.op not in ("sym", "entry"):
            raise Meaningless("SR303", "a derivative by something that is no symbol", bottom.span)
        if self._unit(self(top), below):
            return lift(1)
        return self._laid(self(top), below, mode)

    def _unit(self, top: Expr, below: Expr) -> bool:
        """The total loss by the loss of one step, of which it is the sum."""
        return top == symbol(TOTAL, SCALAR) and below.op == "sym" and below.attr.name == LOSS and self.scope.total is not None

    def _laid(self, top: Expr, below: Expr, mode: str) -> Expr:
        """A derivative as the layout of the text wants it."""
        out = derivative(top, below, mode)
        above, column = out.args[0].shape, below.shape is None or below.shape[1] == 1
        number = above == SCALAR and below.shape != SCALAR
        lies = {"denominator": False, "numerator": number, "rows": number and column,
                "transposed": column and below.shape != SCALAR and above not in (None, SCALAR)}[self.scope.layout]
        return transpose(out) if lies else out

    def named(self, n: Node) -> Expr:
        """The gradient of the total loss by the symbol whose name it carries, or the part of it that comes from later steps."""
        by = n.nodes[0]
        if by.head in self.scope.arriving:
            return self._arriving(n, self.scope.arriving[by.head])
        if by.head.endswith("_prev") and by.head not in self.scope.defined:
            return shift(self._arriving(n, by.head.removesuffix("_prev"), loss=False), -1)
        d = self.declared(by.head, by)
        if by.part("Time") is not None and not d.sequence and d.name not in self.scope.defined:
            raise Meaningless("SR303", f"the part that one step has in the gradient by {d.name}", n.span)
        own = next((name for name, of in self.scope.arguments.items() if of == d.name), None)
        if d.name in self.scope.arguments and d.name not in self.scope.defined:
            raise Meaningless("SR103", f"no equation of {self.scope.arguments[d.name]} shows the argument {d.name}", n.span)
        if self.scope.gradients_at == "argument" and own is not None:
            return self.named(Node("Gradient", (n.head, Node("Sym", (own, *by.args[1:]), by.span)), n.span))
        below = self(by)
        if below.op not in ("sym", "entry"):
            raise Meaningless("SR303", "a gradient by something that is no symbol", n.span)
        alone = self.scope.total is None and self.scope.loss is not None
        out = self._laid(symbol(LOSS, SCALAR, "variable", NOW) if alone else symbol(TOTAL, SCALAR), below, "partial")
        if n in self.scope.flowing:
            s = below.attr if below.op == "sym" else below.args[0].attr
            out = add(out, negative(self._laid(symbol(LOSS, SCALAR, "variable", s.time), below, "partial")))
        return out

    def _arriving(self, n: Node, name: str, loss: bool = True) -> Expr:
        """The gradient that arrives at a variable of the running step from later steps: not through the output of this step.

        What arrives at the output itself is all of its gradient, with or without that of the loss of the step.
        """
        letter = Node("Time", (Node("Sym", (self.scope.table.time_letter,)),))
        if not self.scope.arriving or self.scope.output is None or len(n.nodes[0].args) != 1:
            raise Meaningless("SR303", "a gradient from later steps where the text does not say what arrives", n.span)
        by, out = (self(Node("Sym", (head, letter), n.span)) for head in (name, self.scope.output))
        if by.op != "sym" or out.op != "sym":
            raise Meaningless("SR303", "a gradient from later steps by something that is no symbol", n.span)
        whole = self._laid(symbol(TOTAL, SCALAR), by, "partial")
        if by == out:
            own = self._laid(symbol(LOSS, SCALAR, "variable", by.attr.time), by, "partial")
            return whole if loss else add(whole, negative(own))
        above = self._laid(symbol(TOTAL, SCALAR), out, "partial")
        return add(whole, negative(matmul(transpose(derivative(out, by, "total")), above)))

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

    def indicator(self, n: Node) -> Expr:
        """1 where two component indices are equal, or are not, or where a number is larger than another, else 0."""
        first = n.nodes[0]
        last = n.nodes[-1]
        if len(n.nodes) == 2 and last.op == "Sym" and last.head in self.scope.targets and last.part("Index") is None:
            return self.entry(self(last), (first,), n)                # where a one-hot vector of a class has its one
        if first.op == "Chain" and len(first.nodes) == 2 and first.nodes[1].head in ("<", "<=", ">", ">="):
            return self._step(first.nodes[0], first.nodes[1])
        chain = first.op == "Chain" and len(first.nodes) == 2 and first.nodes[1].head in ("=", "==", "!=")
        pair = (first.nodes[0], first.nodes[1].nodes[0]) if chain else n.nodes
        if len(pair) != 2 or any(m.op != "Sym" or len(m.args) != 1 for m in pair) or any(map(self.is_clock, pair)):
            raise Meaningless("SR303", "an indicator of anything but two component indices", n.span)
        known = [self.indices[m.head].size for m in pair if m.head in self.indices] or [f"?I{n.span[0]}"]
        same = delta(*(self.index(m, known[0]) for m in pair))
        return lift(1) - same if chain and first.nodes[1].head == "!=" else same

    def _step(self, left: Node, rel: Node) -> Expr:
        """1 where one side is larger than the other, entry by entry; what holds on the border is left open almost everywhere."""
        larger, smaller = (left, rel.nodes[0]) if rel.head[0] == ">" else (rel.nodes[0], left)
        difference = self.sum((larger, Node("Neg", (smaller,))))
        if any(x.op == "size" for x in walk(difference)):
            raise Meaningless("SR303", "an indicator of a condition on sizes", rel.span)
        return apply("step", difference)

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
    "Root": lambda E, n: E.root(n),
    "Transpose": lambda E, n: E.transposed(n),
    "Call": lambda E, n: E.call(n),
    "At": lambda E, n: E.entry(E(n.nodes[0]), n.nodes[1:], n),
    "Sum": lambda E, n: E.big_sum(n),
    "Deriv": lambda E, n: E.derive(n),
    "Grad": lambda E, n: E.gradient(n),
    "Delta": lambda E, n: E.change(n),
    "Indicator": lambda E, n: E.indicator(n),
    "Norm": lambda E, n: E.norm(n),
    "Inner": lambda E, n: E.inner(n),
    "Gradient": lambda E, n: E.named(n),
    "Cases": lambda E, n: E.cases(n),
    "Ones": lambda E, n: E.constant(n),
    "Zeros": lambda E, n: E.constant(n),
    **tuples.ROWS,
}
