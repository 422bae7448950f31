"""Functions applied: those of the table, vector functions, formulas of the text, and their slopes."""
from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from symrnn.expr import (
    SCALAR,
    Expr,
    Index,
    Shape,
    Symbol,
    add,
    apply,
    derivative,
    diag,
    entry,
    eye,
    filled,
    had,
    index_sum,
    lift,
    log_sum_exp,
    matmul,
    may_be_matrix,
    negative,
    node,
    ones,
    own_shape,
    power,
    smul,
    softmax,
    substitute,
    symbol,
    symbols,
    total,
    transpose,
)
from symrnn.expr.functions import TABLE as FUNCTIONS
from symrnn.read.meaningless import Meaningless
from symrnn.read.occurrences import Names, has_part, is_distribution, shape_of
from symrnn.read.scope import TOTAL
from symrnn.read.symbols import Declared
from symrnn.read.tree import Node

ZERO = Node("Num", ("0",))
MATRIX_FUNCTIONS = ("exp", "log", "recip", "sqrt")
"""Functions that texts apply to whole matrices too, where they are not taken entry by entry."""

CHAINED = "prod"
"""The operator that multiplies derivatives as the chain rule wants it, whatever the shapes."""

ALIASES = {"ln": "log", "ReLU": "relu", "sigm": "sigmoid", "logistic": "sigmoid"}
"""Other names of functions of the table."""


class Applied(Names):
    """Calls."""

    def call(self, n: Node) -> Expr:
        """A function applied."""
        f, *args = n.nodes
        primes = 0
        while f.op == "Prime":
            f, primes = f.nodes[0], primes + 1
        if f.op != "Sym" or any(a.op == "Given" for a in args):
            raise Meaningless("SR303", "a call of something that is no plain function", n.span)
        name = f.head
        if name == CHAINED and len(args) == 2 and self.scope.table.lookup(name) is None:
            return self._chained(*args)
        if has_part(f, "Layer"):
            raise Meaningless("SR303", f"a layer on the function {name}", f.span)
        if name == self.scope.total and not primes and all(a.op in ("Set", "Text", "Tuple") for a in args):
            return symbol(TOTAL, SCALAR)                              # the loss as a function of the data: L({x}, {y})
        if name in self.scope.functions and len(args) == 1:
            return self._formula(name, args[0], primes)
        d = self.declared(name, f)
        component = f.part("Index") or f.part("Param")
        if (d.kind in ("vector", "matrix") or is_distribution(d)) and not primes:
            return self.entry(self._plain(f, d), tuple(args), n)
        role = ALIASES.get(d.role or "", d.role)
        if role in NOTATION and not primes and component is None:
            return NOTATION[role](self, args, n)
        if role == "log" and component is not None and not primes and len(args) == 1 and [m.op for m in component.nodes] == ["Num"]:
            return self._logarithm(component.nodes[0], args[0], n)
        if role in VECTOR_FUNCTIONS and len(args) == 1 and not primes:
            inner = self(args[0])
            if role != "diag" and inner.shape == SCALAR:
                raise Meaningless("SR303", f"the {role} of a number", n.span)
            value = VECTOR_FUNCTIONS[role](inner)
            return self.entry(value, component.nodes, n) if component is not None else value
        if d.kind == "vfunction" and role is None:
            return self._vector_call(d, args, n)
        if role == "max" and not primes and (rest := [a for a in args if a != ZERO]) != args and len(rest) == 1:
            return apply("relu", self(rest[0]))                       # the larger of zero and something, entry by entry
        if d.kind != "function" or len(args) != 1:
            raise Meaningless("SR303", f"the function {name} with {len(args)} arguments", n.span)
        if component is not None and any(m.op == "Num" or self._counts(m) for m in component.nodes):
            raise Meaningless("SR303", f"a component of the function {name}", f.span)
        if component is not None or has_part(f, "Time") and not d.sequence:
            self.note("label-left-out", f"what is written on the function {name} is read as part of its name")
        inner = self(args[0])
        if role == "exp" and not primes and may_be_matrix(inner) and _is_multiple(inner):
            self.note("matrix-function", f"{name} of a matrix that stands by itself is read as the function of the matrix")
            return node("mexp", inner)
        if role in MATRIX_FUNCTIONS and may_be_matrix(inner):
            raise Meaningless("SR303", f"{name} of a matrix may be the function of the matrix or of its entries", n.span)
        if inner.shape is not None and 1 not in inner.shape and role in MATRIX_FUNCTIONS:
            self.note("entrywise", f"{name} of a matrix is read entrywise")
        if role is not None and role not in FUNCTIONS:
            raise Meaningless("SR303", f"the function {role} is not in the table", n.span)
        if role is None:
            return apply("?" + name + "'" * primes, inner)
        if primes:
            return self._slope(role, inner, primes, n)
        return apply(role, inner)

    def _chained(self, outer: Node, inner: Node) -> Expr:
        """``prod(dL/dY, dY/dX)``: the chain rule for arrays of any shape, the sum over the entries of Y."""
        if outer.op != "Deriv" or inner.op != "Deriv" or len(outer.nodes) != 2 or len(inner.nodes) != 2 or outer.nodes[1] != inner.nodes[0]:
            raise Meaningless("SR303", "a product operator on anything but two derivatives that meet", outer.span)
        slope, middle, below = self(outer), self(outer.nodes[1]), self(inner.nodes[1])
        if slope.shape != middle.shape or middle.shape is None or below.op not in ("sym", "entry"):
            raise Meaningless("SR303", "a product operator whose factors do not meet", outer.span)
        axes = [None if n == 1 else Index(f"{CHAINED}{k}", n) for k, n in enumerate(middle.shape)]
        parts = (slope, middle) if axes == [None, None] else (entry(slope, *axes), entry(middle, *axes))
        out = smul(parts[0], derivative(parts[1], below, "partial"))
        for axis in axes:
            out = out if axis is None else index_sum(axis, out)
        self.note("chain-rule", "the product operator is read as the chain rule, summed over the entries between")
        return out

    def _logarithm(self, base: Node, arg: Node, n: Node) -> Expr:
        """A logarithm to a base that is a number."""
        natural = self.call(Node("Call", (Node("Sym", ("log",)), arg), n.span))
        if Fraction(base.head) in (0, 1):
            raise Meaningless("SR303", f"a logarithm to the base {base.head}", n.span)
        return smul(apply("recip", apply("log", lift(Fraction(base.head)))), natural)

    def trace(self, args: list[Node], n: Node) -> Expr:
        """The sum of the entries on the diagonal."""
        e = self(args[0])
        if len(args) != 1 or e.shape is None or e.shape[0] != e.shape[1] or e.shape == SCALAR:
            raise Meaningless("SR303", "the trace of something that is no square matrix", n.span)
        return total(had(e, eye(e.shape[0])))

    def largest(self, args: list[Node], n: Node) -> Expr:
        """The larger of zero and something else."""
        listed = args[0].nodes if len(args) == 1 and args[0].op == "Set" else tuple(args)
        rest = [a for a in listed if a != Node("Num", ("0",))]
        if len(listed) != 2 or len(rest) != 1:
            raise Meaningless("SR303", f"the function max with {len(listed)} arguments", n.span)
        return apply("relu", self(rest[0]))

    def together(self, args: list[Node], n: Node) -> Expr:
        """Its arguments as one array, as brackets with commas have them."""
        return self(Node("List", tuple(args), n.span)) if len(args) > 1 else self(args[0])

    def entropy(self, args: list[Node], n: Node) -> Expr:
        """The cross-entropy of a distribution that is given with one that is computed, in whatever order they stand."""
        computed = [a for a in args if a.op == "Sym" and (a.head in self.scope.defined or a.head.startswith("hat("))]
        given = [a for a in args if a not in computed]
        if len(args) != 2 or len(computed) != 1 or given[0].op != "Sym":
            raise Meaningless("SR303", "a cross-entropy that does not say which of two distributions is the target", n.span)
        target, value = column(self(given[0])), column(self(computed[0]))
        return negative(matmul(transpose(target), apply("log", value)))

    def secant(self, args: list[Node], n: Node) -> Expr:
        """The hyperbolic secant, one over the hyperbolic cosine."""
        if len(args) != 1 or may_be_matrix(e := self(args[0])):
            raise Meaningless("SR303", "the function sech of anything but numbers and vectors", n.span)
        return apply("recip", apply("cosh", e))

    def _counts(self, n: Node) -> bool:
        """Whether a tree is a letter that counts components."""
        d = self.scope.table.get(n.head) if n.op == "Sym" else None
        return n.head in self.indices or d is not None and d.kind == "index" and d.role != "time"

    def _slope(self, role: str, u: Expr, primes: int, n: Node) -> Expr:
        """The derivative of a function of the table at an argument."""
        if primes > 1 or u.shape is None:
            raise Meaningless("SR303", "a second derivative", n.span)
        row = FUNCTIONS[role]
        ones = filled(1, u.shape)
        return _Entrywise.slope(row, u, apply(role, u), ones)

    def _formula(self, name: str, arg: Node, primes: int) -> Expr:
        """A scalar function that the text gave by a formula, at an argument; primes differentiate it."""
        formal, body = self.scope.functions[name]
        x = symbol(f"argument of {name}", SCALAR, "constant")
        value = type(self)(self.scope, self.choices, values={formal: x}, lenient=self.lenient)(body)
        actual = self(arg)
        if primes and (actual.op != "sym" or any(s.kind == "variable" or s == actual.attr for s in symbols(value))):
            raise Meaningless("SR303", f"the derivative of {name} at something that is no symbol, or that its formula holds", arg.span)
        shape = own_shape(actual)
        if shape != SCALAR:
            if primes or shape is None or may_be_matrix(actual):
                raise Meaningless("SR303", f"what the formula of {name} means at an array", arg.span)
            return self._each(value, x.attr, actual, shape, arg)
        for _ in range(primes):
            value = derivative(value, x, "total")
        return substitute(value, {x.attr: actual})

    def _each(self, e: Expr, x: Symbol, actual: Expr, shape: Shape, arg: Node) -> Expr:
        """A formula for a number at every entry of an array."""
        if x not in symbols(e):
            return e
        parts = [self._each(a, x, actual, shape, arg) for a in e.args]
        inside = [x in symbols(a) for a in e.args]
        match e.op:
            case "sym":
                return actual
            case "add":
                return add(*(p if here else smul(p, ones(shape)) for p, here in zip(parts, inside, strict=True)))
            case "smul" | "matmul" | "had" if len(parts) == 2:
                a, b = parts if inside[1] else parts[::-1]
                return had(a, b) if all(inside) else smul(a, b)
            case "apply":
                return apply(e.attr, parts[0])
            case "pow":
                return power(parts[0], e.attr)
        raise Meaningless("SR303", "what a formula for a number means at an array", arg.span)

    def _vector_call(self, d: Declared, args: list[Node], n: Node) -> Expr:
        if not d.shape:
            raise Meaningless("SR303", f"the size of the value of {d.name} is not declared", n.span)
        return node("vcall", *(self(a) for a in args), attr=(d.name, shape_of(d)))


def _is_multiple(e: Expr) -> bool:
    """Whether an expression is a matrix of the text, or a number times one: no product of data, of which entries may be meant."""
    while e.op == "smul":
        e = e.args[1]
    return e.op == "sym" and e.attr.kind in ("parameter", "constant") and e.shape is not None and 1 not in e.shape


class _Entrywise:
    """Arithmetic of the function table on expressions whose products are entrywise."""

    def __init__(self, e: Expr, ones: Expr) -> None:
        self.e, self.ones = e, ones

    @classmethod
    def slope(cls, row: object, u: Expr, v: Expr, ones: Expr) -> Expr:
        return row.derivative(cls(u, ones), cls(v, ones), lambda f, x: cls(apply(f, x.e), ones)).e  # type: ignore[attr-defined,no-any-return]

    def _other(self, o: object) -> Expr:
        return o.e if isinstance(o, _Entrywise) else smul(lift(Fraction(o)), self.ones)  # type: ignore[call-overload]

    def __add__(self, o: object) -> _Entrywise:
        return _Entrywise(add(self.e, self._other(o)), self.ones)

    __radd__ = __add__

    def __sub__(self, o: object) -> _Entrywise:
        return _Entrywise(add(self.e, negative(self._other(o))), self.ones)

    def __rsub__(self, o: object) -> _Entrywise:
        return _Entrywise(add(self._other(o), negative(self.e)), self.ones)

    def __neg__(self) -> _Entrywise:
        return _Entrywise(negative(self.e), self.ones)

    def __mul__(self, o: object) -> _Entrywise:
        return _Entrywise(had(self.e, self._other(o)), self.ones)

    __rmul__ = __mul__


def is_row(e: Expr) -> bool:
    """Whether an expression is a row of several entries, also where its sizes are yet to be found."""
    shape = own_shape(e)
    return shape is not None and shape[0] == 1 and shape != SCALAR


def column(e: Expr) -> Expr:
    """A row as the column of its entries, where only these matter."""
    return transpose(e) if is_row(e) else e


NOTATION: dict[str | None, Callable[[Applied, list[Node], Node], Expr]] = {
    "tr": Applied.trace, "Tr": Applied.trace, "trace": Applied.trace, "max": Applied.largest, "sech": Applied.secant,
    "CE": Applied.entropy, "concat": Applied.together, "concatenate": Applied.together,
}
"""Functions that only stand for an expression in others."""

VECTOR_FUNCTIONS: dict[str | None, Callable[[Expr], Expr]] = {
    "softmax": lambda e: transpose(softmax(transpose(e))) if is_row(e) else softmax(e), "diag": lambda e: diag(column(e)),
    "Diag": lambda e: diag(column(e)), "logsumexp": lambda e: log_sum_exp(column(e)),
}
