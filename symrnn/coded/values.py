r"""Trees of code as typed expressions: what ``*``, ``@``, a call and a subscript mean between arrays of one and two axes.

A flat array (one axis) is a column; it meets a matrix as a row, as NumPy broadcasts it. ``*`` is entrywise, or in plain text a matrix
product where the text says so. What is in no table raises Doubt, and nothing is guessed.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Protocol

from symrnn.expr import (
    SCALAR,
    Expr,
    add,
    apply,
    diag,
    filled,
    had,
    lift,
    log_sum_exp,
    matmul,
    negative,
    ones,
    power,
    quotient,
    smul,
    softmax,
    total,
    transpose,
    zeros,
)
from symrnn.read.tree import Node


class Doubt(Exception):
    """Why a claim in code is not judged: a construct without a meaning here, or something that nothing says."""


class Misfit(Doubt):
    """What is given has no shapes that fit, as it is read."""


@dataclass(frozen=True)
class Value:
    """An expression and its number of axes: 0 a number, 1 a flat array (a column in the core), 2 a matrix."""

    expr: Expr
    axes: int

    @property
    def rows(self) -> object:
        return self.expr.shape[0] if self.expr.shape is not None else None


class Names(Protocol):
    """What gives the names of a tree their values."""

    star: str

    def value(self, n: Node, elaborate: Elaborate) -> Value:
        """The value of a symbol."""
        ...

    def call(self, n: Node, elaborate: Elaborate) -> Value | None:
        """The value of a call of a function that the text defines; None if it defines none."""
        ...


class Elaborate:
    """Makes values of trees. ``stars`` collects what ``*`` was taken for between arrays, where the text leaves that open."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.stars: set[str] = set()

    def __call__(self, n: Node) -> Value:
        if n.op in _LEAVES:
            return _LEAVES[n.op](n)
        if n.op == "Sym":
            return self.names.value(n, self)
        if n.op == "Call":
            return self.call(n)
        if n.op == "Star":
            return self.star(*map(self, n.nodes))
        if n.op in _OPERATORS:
            return _OPERATORS[n.op](*map(self, n.nodes))
        if n.op == "Add":
            out, *rest = map(self, n.nodes)
            for v in rest:
                out = plus(out, v)
            return out
        if n.op == "Pow":
            return raised(self(n.nodes[0]), n.nodes[1], self)
        raise Doubt(f"the construct {n.op.lower()} is not known in code")

    def star(self, a: Value, b: Value) -> Value:
        """``*``: entrywise in programs; in plain text a matrix product where that is what it means there and where it fits."""
        if self.names.star == "matrix" and min(a.axes, b.axes) > 0:
            if _fits(a, b):
                self.stars.add("matrix")
                return product(a, b)
            self.stars.add("entrywise")
        return entrywise(a, b)

    def call(self, n: Node) -> Value:
        """A function of the table or of the text."""
        found = self.names.call(n, self)
        if found is not None:
            return found
        name = n.nodes[0].head
        keys = {a.nodes[0].head: a.nodes[1].nodes[0] for a in n.nodes[1:] if a.op == "Chain"}
        plain = [a for a in n.nodes[1:] if a.op != "Chain"]
        if name in _REDUCED and len(plain) in (1, 2):
            axis = keys.pop("axis", keys.pop("dim", plain[1] if len(plain) == 2 else None))
            kept = str(keys.pop("keepdims", keys.pop("keepdim", Node("Sym", ("False",)))).head) == "True"
            if not keys:
                return _REDUCED[name](self(plain[0]), _axis(axis), kept)
        if name in ("transpose", "swapaxes") and len(plain) == 3:
            plain = plain[:1]
        if keys and not (name in ("softmax", "log_softmax") and set(keys) <= {"axis", "dim"}):
            raise Doubt(f"the argument {next(iter(keys))} of {name} is not known")
        if keys:
            self.check_axis(self(plain[0]), _axis(keys.get("axis", keys.get("dim"))))
        if name in _ONE and len(plain) == 1:
            return _ONE[name](self(plain[0]))
        if name in _TWO and len(plain) == 2:
            return _TWO[name](*map(self, plain))
        if name == "where" and len(plain) == 3:
            c, a, b = map(self, plain)
            return plus(entrywise(c, a), entrywise(plus(Value(lift(1), 0), Value(negative(c.expr), c.axes)), b))
        if name in ("astype", "float") and plain:
            return self(plain[0])
        raise Doubt(f"the function {name} with {len(plain)} arguments is not known")


    def check_axis(self, a: Value, axis: int | None) -> None:
        """Refuse a function of a vector along an axis that is not the one of its entries."""
        shape = a.expr.shape
        if a.axes < 2:
            along = {0, -1}
        elif shape is not None and 1 in shape:
            along = {0} if shape[1] == 1 else {1, -1}
        else:
            along = {0, 1, -1}
        if axis not in along:
            raise Doubt("a function of a vector along an axis that has one entry")


# ------------------------------------------------------------------------------------------------------------------ arithmetic
def alike(a: Value, b: Value) -> tuple[Expr, Expr, int]:
    """Two values brought to one shape, as NumPy broadcasts them; numbers are left for whoever combines them."""
    if a.axes == b.axes == 2:
        x, y = a.expr, b.expr
        if x.shape is not None and y.shape is not None:
            return _repeat(x, y), _repeat(y, x), 2
        return x, y, 2
    if {a.axes, b.axes} == {1, 2}:
        column = (a if a.axes == 2 else b).expr.shape
        if column is not None and column[1] == 1:
            raise Doubt("a flat array beside a column")
        x, y = (transpose(a.expr), b.expr) if a.axes == 1 else (a.expr, transpose(b.expr))
        return _repeat(x, y), _repeat(y, x), 2
    return a.expr, b.expr, max(a.axes, b.axes)


def _repeat(x: Expr, y: Expr) -> Expr:
    """A row or column repeated along the axis in which the other has more."""
    if x.shape is None or y.shape is None:
        return x
    if x.shape[0] == 1 and y.shape[0] != 1:
        x = matmul(ones((y.shape[0], 1)), x)
    if x.shape is not None and x.shape[1] == 1 and y.shape[1] != 1:
        x = matmul(x, ones((1, y.shape[1])))
    return x


def _full(number: Expr, like: Expr) -> Expr:
    """A number in every entry."""
    if like.shape is None or like.shape == SCALAR:
        return number
    return filled(number.attr, like.shape) if number.op == "num" else smul(number, ones(like.shape))


def plus(a: Value, b: Value) -> Value:
    """A sum."""
    x, y, axes = alike(a, b)
    if a.axes == 0 < b.axes:
        x = _full(x, y)
    if b.axes == 0 < a.axes:
        y = _full(y, x)
    return Value(add(x, y), axes)


def entrywise(a: Value, b: Value) -> Value:
    """A product entry by entry, or by a number."""
    if 0 in (a.axes, b.axes):
        return Value(smul(a.expr, b.expr) if a.axes == 0 else smul(b.expr, a.expr), max(a.axes, b.axes))
    x, y, axes = alike(a, b)
    return Value(had(x, y), axes)


def divided(a: Value, b: Value) -> Value:
    """A quotient entry by entry."""
    if b.axes == 0:
        return Value(quotient(a.expr, b.expr), a.axes)
    return entrywise(a, Value(apply("recip", b.expr), b.axes))


def product(a: Value, b: Value) -> Value:
    """A matrix product; a flat array is a row on the left and a column on the right."""
    if 0 in (a.axes, b.axes):
        return entrywise(a, b)
    if a.axes == 1:
        return Value(matmul(transpose(a.expr), b.expr), 0) if b.axes == 1 else Value(matmul(transpose(b.expr), a.expr), 1)
    return Value(matmul(a.expr, b.expr), b.axes)


def _fits(a: Value, b: Value) -> bool:
    """Whether two arrays have a matrix product."""
    inner = a.expr.shape[-1 if a.axes == 2 else 0] if a.expr.shape else None
    outer = b.expr.shape[0] if b.expr.shape else None
    return a.axes == 2 and inner is not None and (inner == outer or any(isinstance(n, str) and n.startswith("?") for n in (inner, outer)))


def inner(a: Value, b: Value) -> Value:
    """The sum of the products of the entries: the dot of two flat arrays."""
    if a.axes == b.axes == 1:
        return Value(matmul(transpose(a.expr), b.expr), 0)
    return product(a, b)


def outer(a: Value, b: Value) -> Value:
    """Every entry of the one times every entry of the other."""
    return Value(matmul(_column(a), transpose(_column(b))), 2)


def _column(a: Value) -> Expr:
    shape = a.expr.shape
    if shape is not None and shape[1] != 1:
        if shape[0] != 1:
            raise Doubt("an outer product of matrices is not known")
        return transpose(a.expr)
    return a.expr


def raised(a: Value, exponent: Node, elaborate: Elaborate) -> Value:
    """A power with a whole exponent; one half is a root."""
    text = exponent.head if exponent.op == "Num" else ""
    try:
        n = Fraction(text)
    except ValueError:
        raise Doubt("only powers with a number as exponent are known") from None
    if n == Fraction(1, 2):
        return Value(apply("sqrt", a.expr), a.axes)
    if n.denominator != 1:
        raise Doubt("only powers with a whole number as exponent are known")
    return Value(power(a.expr, int(n)) if n else ones(a.expr.shape or SCALAR), a.axes)


# ------------------------------------------------------------------------------------------------------------------- functions
def _map(name: str) -> Callable[[Value], Value]:
    return lambda a: Value(apply(name, a.expr), a.axes)


def _vector(make: Callable[[Expr], Expr]) -> Callable[[Value], Value]:
    """A function of a vector: flat, or a column; a row is turned."""
    def call(a: Value) -> Value:
        shape = a.expr.shape
        if a.axes == 0:
            raise Doubt("softmax of a number")
        if a.axes == 2 and shape is not None and shape[1] != 1:
            if str(shape[1]).startswith("?"):                         # not known yet
                return a
            if shape[0] != 1:
                raise Doubt("softmax of a matrix is not known")
            return Value(transpose(make(transpose(a.expr))), 2)
        return Value(make(a.expr), a.axes)
    return call


def log_softmax(e: Expr) -> Expr:
    """``u - log sum exp u``."""
    return add(e, negative(smul(log_sum_exp(e), ones(e.shape or SCALAR))))


def _axis(n: Node | None) -> int | None:
    if n is None:
        return None
    text = f"-{n.nodes[0].head}" if n.op == "Neg" else n.head
    if text not in ("0", "1", "-1"):
        raise Doubt("only the axes 0, 1 and -1 are known")
    return int(text)


def _summed(a: Value, axis: int | None, kept: bool) -> Value:
    """A sum of all entries, or along one axis."""
    if a.axes < 2 and (axis in (None, 0, -1)) and not kept:
        return Value(total(a.expr), 0)
    if a.axes != 2 or a.expr.shape is None or (axis is None and kept):
        raise Doubt("this axis of a sum is not known")
    if axis is None:
        return Value(total(a.expr), 0)
    rows, columns = a.expr.shape
    if axis == 0:
        row = matmul(ones((1, rows)), a.expr)
        return Value(row, 2) if kept else Value(transpose(row), 1)
    column = matmul(a.expr, ones((columns, 1)))
    return Value(column, 2 if kept else 1)


def _norm(a: Value) -> Value:
    return Value(apply("sqrt", total(power(a.expr, 2))), 0)


def _maximum(a: Value, b: Value) -> Value:
    """The larger of 0 and something."""
    for x, y in ((a, b), (b, a)):
        if x.expr.op == "num" and x.expr.attr == 0:
            return Value(apply("relu", y.expr), y.axes)
    raise Doubt("only the maximum with 0 is known")


def _turned(a: Value) -> Value:
    return a if a.axes < 2 else Value(transpose(a.expr), 2)


_ONE: Mapping[str, Callable[[Value], Value]] = MappingProxyType({
    **{name: _map(name) for name in "tanh exp log sin cos sinh cosh relu step softplus sqrt".split()},
    **dict.fromkeys(("sigmoid", "expit", "sigm", "logistic", "sig"), _map("sigmoid")),
    "ReLU": _map("relu"), "softmax": _vector(softmax),
    **dict.fromkeys(("log_softmax", "logsoftmax"), _vector(log_softmax)),
    "logsumexp": lambda a: Value(log_sum_exp(a.expr), 0),
    "square": lambda a: Value(power(a.expr, 2), a.axes), "negative": lambda a: Value(negative(a.expr), a.axes),
    **dict.fromkeys(("diag", "diagflat"), lambda a: Value(diag(_column(a)), 2)),
    "transpose": _turned, "norm": _norm,
    **dict.fromkeys("array asarray copy clone detach".split(), lambda a: a),
    "zeros_like": lambda a: Value(zeros(a.expr.shape or SCALAR), a.axes),
    "ones_like": lambda a: Value(ones(a.expr.shape or SCALAR), a.axes),
})
"""Functions of one argument."""

_TWO: Mapping[str, Callable[[Value, Value], Value]] = MappingProxyType({
    **dict.fromkeys(("dot", "matmul", "mm", "mv"), product), "outer": outer, "inner": inner, "vdot": inner,
    **dict.fromkeys(("multiply", "mul"), entrywise), "add": plus, "divide": divided, "maximum": _maximum, "max": _maximum,
    "subtract": lambda a, b: plus(a, Value(negative(b.expr), b.axes)),
})
"""Functions of two arguments."""

_REDUCED: Mapping[str, Callable[[Value, int | None, bool], Value]] = MappingProxyType({"sum": _summed})
"""Functions with an axis."""

_OPERATORS: Mapping[str, Callable[..., Value]] = MappingProxyType({
    "Neg": lambda a: Value(negative(a.expr), a.axes), "Mul": product, "Had": entrywise, "Div": divided, "Dot": inner,
    "Transpose": _turned, "Outer": outer,
})
"""Operators with a fixed number of operands."""

_LEAVES: Mapping[str, Callable[[Node], Value]] = MappingProxyType({"Num": lambda n: Value(lift(Fraction(n.head)), 0)})
