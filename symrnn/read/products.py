"""Products, sums, quotients and powers: the shapes decide what a sign means."""
from __future__ import annotations

from functools import reduce
from itertools import pairwise

from symrnn.expr import (
    SCALAR,
    Expr,
    Shape,
    Time,
    add,
    apply,
    filled,
    had,
    matmul,
    matrix_power,
    may_be_matrix,
    node,
    own_shape,
    power,
    quotient,
    repeated,
    smul,
    total,
    transpose,
)
from symrnn.read import blocks, tuples
from symrnn.read.meaningless import Meaningless
from symrnn.read.occurrences import Names
from symrnn.read.series import series
from symrnn.read.tree import Node

OPEN = "open-column"
"""The choice of a reader who takes a bold number without a size for a column."""
TWO = Node("Num", ("2",))
FROBENIUS = Node("Sym", ("F",))
"""The subscript of the norm whose square is the sum of the squares of all entries."""
HIGHEST = 1000
"""The most that powers of powers may come to."""


def raised(n: Node) -> int:
    """The product of the powers that stand one inside the other."""
    if n.op != "Pow":
        return 1
    digits = n.nodes[1].nodes[0] if n.nodes[1].op == "Neg" else n.nodes[1]
    return raised(n.nodes[0]) * (max(1, int(digits.head)) if digits.op == "Num" and digits.head.isdigit() and len(digits.head) < 3 else 1)


class Products(Names):
    """Arithmetic."""

    def product(self, factors: tuple[Node, ...]) -> Expr:
        """Juxtaposed factors, left to right: scaling where one side is a scalar, else the matrix product."""
        for before, f in pairwise(factors):
            if f.op == "Num" and before.op != "Num":
                raise Meaningless("SR303", "a number right after a symbol is no factor that a reader expects", f.span)
            if before.op == "Grad" and f == before.nodes[0]:
                raise Meaningless("SR303", f"{str(f)} after the gradient may be a factor or an argument", f.span)
        values: list[Expr] = []
        rest = list(factors)
        while rest:
            both = blocks.applied(self, *rest[:2]) if len(rest) > 1 else None
            values.append(self._factor(rest[0]) if both is None else both)
            del rest[: 1 if both is None else 2]
        alone = len(values) == len(factors) and sum(e.shape != SCALAR for e in values) == 1
        return reduce(multiply, map(self, factors) if alone else values)

    def _factor(self, n: Node) -> Expr:
        """A factor among others: there, the power of a weight is a product of equal factors."""
        digits = n.nodes[1] if n.op == "Pow" else n
        if n.op == "Pow" and n.nodes[0].op == "Sym" and digits.op == "Num" and digits.head.isdigit() and 1 < int(digits.head) <= 12:
            e = self(n.nodes[0])
            if e.op == "sym" and e.attr.kind == "parameter" and may_be_matrix(e):
                return repeated(e, int(digits.head))
        return self(n)

    def dot(self, n: Node) -> Expr:
        """A dot: the product of juxtaposition; two columns would be an inner or an entrywise product."""
        if (both := blocks.applied(self, *n.nodes)) is not None:
            return both
        a, b = map(self._factor, n.nodes)
        if SCALAR in (a.shape, b.shape):
            a, b = map(self, n.nodes)
        if a.shape is not None and a.shape == b.shape != SCALAR and a.shape[1] == 1:
            raise Meaningless("SR303", "a dot between two vectors may be the inner or the entrywise product", n.span)
        return multiply(a, b)

    def star(self, n: Node) -> Expr:
        """An asterisk or a cross: entrywise for two vectors, else the product of juxtaposition; square matrices leave it open."""
        a, b = map(self, n.nodes)
        if a.shape is None or b.shape is None or SCALAR in (a.shape, b.shape):
            return multiply(a, b)
        if a.shape != b.shape and not any(a.shape[k] == b.shape[k] == 1 for k in (0, 1)):
            out = multiply(a, b)
            grouped = self.hadamard(*n.nodes) if out.fault is not None and n.op == "Star" else out
            return grouped if grouped.fault is None else out
        if a.shape == b.shape and a.shape[0] == a.shape[1]:
            raise Meaningless("SR303", "this sign between square matrices may be the matrix product or the entrywise one", n.span)
        self.note("product", "the sign between two arrays of one shape is read as the entrywise product")
        return had(a, b)

    def outer(self, n: Node) -> Expr:
        a, b = map(self, n.nodes)
        if any(e.shape is not None and (e.shape[1] != 1 or e.shape == SCALAR) for e in (a, b)):
            raise Meaningless("SR303", "an outer product of something that is no column vector", n.span)
        self.note("product", "the circled cross is read as the outer product")
        return matmul(a, transpose(b))

    def transposed(self, n: Node) -> Expr:
        inner = n.nodes[0]
        if inner.op == "Num":
            raise Meaningless("SR303", "a transposed number (the array of ones is written bold and with its size)", n.span)
        if inner.op == "Sym" and inner.part("Index") is not None or inner.op == "At":
            raise Meaningless("SR303", "the transpose of a component may be meant of the matrix", n.span)
        e = self(inner)
        if e.shape == SCALAR:
            self.note("transposed-number", "the transpose of a number is that number")
        return transpose(e)

    def divided(self, n: Node) -> Expr:
        """A quotient: entrywise where the denominator is an array."""
        a, b = map(self, n.nodes)
        if b.op == "num" and b.attr == 0 or b.op == "zeros":
            raise Meaningless("SR303", "a division by zero", n.span)
        if b.shape is not None and 1 not in b.shape and (a.shape == SCALAR or b.op != "sym"):
            raise Meaningless("SR303", "a division by a matrix", n.span)
        if b.shape not in (None, SCALAR):
            self.note("entrywise", "a division by an array is read entrywise")
        return quotient(a, b)

    def hadamard(self, a: Node, b: Node) -> Expr:
        """The entrywise product; beside a matrix product it takes the neighbouring factor where only that fits."""
        whole = had(self(a), self(b))
        if whole.fault is None:
            return whole
        for product, first in ((b, True), (a, False)):
            if product.op not in ("Mul", "Dot") or len(product.nodes) < 2:
                continue
            near, rest = (product.nodes[0], product.nodes[1:]) if first else (product.nodes[-1], product.nodes[:-1])
            inner = had(self(a), self(near)) if first else had(self(near), self(b))
            others = [self(x) for x in rest]
            parts = [inner, *others] if first else [*others, inner]
            out = parts[0]
            for x in parts[1:]:
                out = multiply(out, x)
            if out.fault is None:
                self.note("grouping", "the entrywise product is taken before the matrix product")
                return out
        return whole

    def sum(self, terms: tuple[Node, ...]) -> Expr:
        """A sum; a number beside a vector stands for that number in every entry; dots are filled in."""
        if any(t.op == "Ellipsis" for t in terms):
            return self(series(terms, self.scope))
        parts = [self(CONSTANT.get(str(t), t)) for t in terms]
        shape = next((p.shape for p in parts if p.shape not in (SCALAR, None)), None)
        if shape is not None:
            if 1 not in shape and any(p.op == "num" and p.attr for p in parts):
                self.note("entrywise", "a number beside a matrix is read as that number in every entry")
            parts = [_spread(p, shape) for p in parts]
        elif any(str(t) in CONSTANT for t in terms):
            raise Meaningless("SR303", "an array of ones or zeros whose size nothing tells", terms[0].span)
        return add(*parts)

    def constant(self, n: Node) -> Expr:
        """A bold number: a column of ones or zeros, as long as it says or as what stands beside it needs."""
        value = 1 if n.op == "Ones" else 0
        if not n.nodes:
            self.note(OPEN, f"the bold {value} is read as a column")
            return filled(value, (f"?N{n.span[0]}", 1))
        if len(n.nodes) != 1:
            raise Meaningless("SR303", "an array of ones or zeros whose size nothing tells", n.span)
        return filled(value, (tuples.size_of(self, n.nodes[0]), 1))

    def power(self, n: Node) -> Expr:
        base, exponent = n.nodes
        if (counted := self.between(exponent)) is not None:
            return self._counted_power(self(base), counted, n)
        sign = -1 if exponent.op == "Neg" else 1
        digits = exponent.nodes[0] if exponent.op == "Neg" else exponent
        if digits.op != "Num" or not digits.head.isdigit() or int(digits.head) > 12:
            raise Meaningless("SR303", "a power must be a whole number of at most 12", exponent.span)
        k = sign * int(digits.head)
        if raised(n) > HIGHEST:
            raise Meaningless("SR303", f"powers of powers are at most {HIGHEST} together", exponent.span)
        if base.op == "Norm" and k > 0 and k % 2 == 0:
            return power(self._squared_norm(base), k // 2)
        e = self(base)
        if k == -1 and may_be_matrix(e):
            return node("inv", e)
        if k != 1 and may_be_matrix(e):
            raise Meaningless("SR303", "the power of a matrix", n.span)
        if e.shape not in (None, SCALAR):
            self.note("entrywise", "the power of an array is read entrywise")
        if k == 0 and e.shape is not None:
            return filled(1, e.shape)
        return power(e, k) if k > 0 else power(apply("recip", e), -k)

    def _counted_power(self, e: Expr, counted: tuple[Time, Time], n: Node) -> Expr:
        """A number or a square matrix to the power of a number of steps."""
        if own_shape(e) != SCALAR and not may_be_matrix(e):
            raise Meaningless("SR303", "the power of something that is neither a number nor a square matrix", n.span)
        if e.shape is None:
            raise Meaningless("SR303", "the power of something whose shape is not known", n.span)
        self.note("counted-power", f"{str(n)} is a product of equal factors where its exponent is not negative")
        return matrix_power(e, *counted)

    def _squared_norm(self, n: Node) -> Expr:
        """The sum of the squares of all entries: the Frobenius norm, or the Euclidean one of a vector; other norms are not read."""
        kind = n.nodes[1] if len(n.nodes) > 1 else None
        e = self(n.nodes[0])
        if kind == FROBENIUS:
            return total(had(e, e))
        shape = own_shape(e)
        if kind is not None and kind != TWO or shape is not None and 1 not in shape:
            raise Meaningless("SR303", "a norm other than that of Frobenius or the Euclidean one of a vector", n.span)
        return matmul(transpose(e), e) if shape is None or shape[1] == 1 else matmul(e, transpose(e))

    def root(self, n: Node) -> Expr:
        """A square root, of a number or of every entry of a vector."""
        inner, degree = n.nodes
        if degree.op != "Absent" and degree != TWO:
            raise Meaningless("SR303", "a root other than the square root", n.span)
        e = self(inner)
        if may_be_matrix(e):
            raise Meaningless("SR303", "the root of something that may be a matrix", n.span)
        if e.shape not in (None, SCALAR):
            self.note("entrywise", "the root of an array is read entrywise")
        return apply("sqrt", e)

    def norm(self, n: Node) -> Expr:
        """The root of the sum of the squares of all entries, where that is the norm."""
        if self(n.nodes[0]).shape == SCALAR:
            raise Meaningless("SR303", "the norm of a number", n.span)
        return apply("sqrt", self._squared_norm(n))

    def inner(self, n: Node) -> Expr:
        """The inner product of two vectors, or of all entries of two matrices."""
        if len(n.nodes) != 2:
            raise Meaningless("SR303", "angle brackets round anything but two arrays", n.span)
        a, b = map(self, n.nodes)
        if SCALAR in (a.shape, b.shape) or a.shape is not None and a.shape[1] != 1 and a.shape[0] == 1:
            raise Meaningless("SR303", "an inner product of numbers or of rows", n.span)
        return matmul(transpose(a), b) if a.shape is None or a.shape[1] == 1 else total(had(a, b))


def multiply(a: Expr, b: Expr) -> Expr:
    """Juxtaposition: scaling where one side is a scalar, else the matrix product (ill-shaped where a claim is wrong)."""
    if a.shape == SCALAR:
        return smul(a, b)
    if b.shape == SCALAR:
        return smul(b, a)
    return matmul(a, b)


def _spread(e: Expr, shape: Shape) -> Expr:
    """A plain number beside a vector or matrix: that number in every entry."""
    return filled(e.attr, shape) if e.op == "num" else e


CONSTANT = {"Ones": Node("Num", ("1",)), "Zeros": Node("Num", ("0",))}
"""A bold number in a sum is that number in every entry."""
