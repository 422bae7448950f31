"""What operators mean between arrays of one axis, as in NumPy: a vector is no column and no row, and a star is never a matrix product.

``x @ W`` is the transposed matrix applied to x, ``u @ v`` is the inner product, ``W * x`` spreads x over the rows of W and has no
meaning here. What is true of such arrays is true of sequences of them in rows.
"""
from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from symrnn.expr import SCALAR, Expr, add, filled, had, matmul, ones, smul, transpose
from symrnn.read.elaborate import Elaborator
from symrnn.read.meaningless import Meaningless
from symrnn.read.tree import Node


class Program(Elaborator):
    """Turns the right sides of statements into expressions."""

    def __call__(self, n: Node) -> Expr:
        row = OWN.get(n.op)
        return row(self, n) if row is not None else super().__call__(n)

    def value(self, n: Node) -> Expr:
        """The value of a whole right side. Raises Meaningless for a row, which is what the transpose of a vector may be."""
        e = self(n)
        if is_row(e):
            raise Meaningless("SR303", "the transpose of a vector may be a row, or the vector itself", n.span)
        return e

    def matrix_product(self, n: Node) -> Expr:
        """``a @ b``, ``np.dot(a, b)``: from left to right."""
        def product(a: Expr, b: Expr) -> Expr:
            if SCALAR in (a.shape, b.shape):
                return smul(a, b) if a.shape == SCALAR else smul(b, a)
            if is_column(a) and is_column(b):
                return matmul(transpose(a), b)
            if is_column(a) and b.shape is not None and not is_row(b):
                return matmul(transpose(b), a)
            if is_row(a) and not is_column(b):
                raise Meaningless("SR303", "the transpose of a vector may be a row, or the vector itself", n.span)
            return matmul(a, b)
        return reduce(product, map(self, n.nodes))

    def entrywise(self, n: Node) -> Expr:
        """``a * b``: arrays of one shape entry by entry, or a number and an array."""
        a, b = map(self, n.nodes)
        if SCALAR in (a.shape, b.shape):
            return smul(a, b) if a.shape == SCALAR else smul(b, a)
        self._same(a, b, n)
        return had(a, b)

    def added(self, n: Node) -> Expr:
        """A sum; a number beside an array is added to every entry."""
        parts = list(map(self, n.nodes))
        shape = next((p.shape for p in parts if p.shape not in (SCALAR, None)), SCALAR)
        assert shape is not None
        spread = [p if p.shape != SCALAR or shape == SCALAR else filled(p.attr, shape) if p.op == "num" else smul(p, ones(shape))
                  for p in parts]
        for p in spread:
            self._same(spread[0], p, n)
        return add(*spread)

    def _same(self, a: Expr, b: Expr, n: Node) -> None:
        """Refuse what would be spread over rows; two vectors of different sizes are simply wrong."""
        if a.shape is not None and b.shape is not None and a.shape != b.shape and not (is_column(a) and is_column(b)):
            raise Meaningless("SR303", "an array would be spread over the rows of another", n.span)

    def divided_by(self, n: Node) -> Expr:
        a, b = map(self, n.nodes)
        if SCALAR not in (a.shape, b.shape):
            self._same(a, b, n)
        return self.divided(n)

    def called(self, n: Node) -> Expr:
        """A function that the text names, or a standard one; nothing else is called."""
        name = n.nodes[0].head
        d = self.scope.table.lookup(name)
        if name not in self.scope.functions and (d is None or not d.is_function):
            raise Meaningless("SR103", f"the function {name} is not known", n.span)
        return self.call(n)


def is_column(e: Expr) -> bool:
    """Whether an expression is a vector."""
    return e.shape is not None and e.shape[1] == 1 and e.shape != SCALAR


def is_row(e: Expr) -> bool:
    """Whether an expression is the transpose of a vector."""
    return e.shape is not None and e.shape[0] == 1 and e.shape != SCALAR


OWN: dict[str, Callable[[Program, Node], Expr]] = {
    "Mul": lambda P, n: P.matrix_product(n),
    "Star": lambda P, n: P.entrywise(n),
    "Had": lambda P, n: P.entrywise(n),
    "Add": lambda P, n: P.added(n),
    "Div": lambda P, n: P.divided_by(n),
    "Call": lambda P, n: P.called(n),
}
"""The operations that mean something else in a program than in a formula."""
