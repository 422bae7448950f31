"""The derivative of a defined variable by another one within the equations, as a matrix: rows of the output, columns of the input.

>>> from symrnn.expr import apply, softmax
>>> from symrnn.model import Model, param, sequence
>>> h, x, W, p = sequence("h", "n"), sequence("x", "m", kind="input"), param("W", "n", "m"), sequence("p", "n")
>>> model = Model.build("m", [(h, apply("tanh", W @ x)), (p, softmax(h))])
>>> print(jacobian(h, x, model))
diag(ones - h[t]**2) @ W
>>> print(jacobian(p, h, model))
diag(p[t]) - p[t] @ p[t].T
"""
from __future__ import annotations

from collections.abc import Callable

from symrnn.calculus import slope
from symrnn.expr import (
    SCALAR,
    Expr,
    Index,
    add,
    delta,
    diag,
    eye,
    fix_time,
    had,
    lift,
    matmul,
    negative,
    ones,
    power,
    scale,
    smul,
    softmax,
    transform,
    transpose,
    walk,
)
from symrnn.model import Model
from symrnn.write.latex import component

Jacobian = Expr | None
"""None for a derivative that is zero."""


class NoRule(Exception):
    """An operation whose derivative is not taken here."""


def jacobian(of: Expr, by: Expr, model: Model) -> Expr | None:
    """The derivative of a number or column by a symbol or one of its components; None where it is zero or has no rule."""
    try:
        if of.op == by.op == "entry" and of.args[0].shape != SCALAR and _is_component(by):
            whole = _Differential(by.args[0], model)(of.args[0])
            return None if whole is None else at(whole, of.attr[0], by.attr[0])
        return _Differential(by, model)(of)
    except NoRule:
        return None


def _is_component(by: Expr) -> bool:
    """One component of a column, by a letter."""
    return isinstance(by.attr[0], Index) and by.attr[1] is None


def at(e: Expr, i: Index | int, j: Index | int) -> Expr:
    """One entry of a matrix, through sums, products and diagonals.

    >>> from symrnn.expr import symbol
    >>> u, i, j = symbol("u", ("n", 1)), Index("i", "n"), Index("j", "n")
    >>> print(at(diag(u) - matmul(u, transpose(u)), i, j))
    delta(i, j) * u[i] - u[i] * u[j]
    """
    if e.op == "add":
        return add(*(at(a, i, j) for a in e.args))
    if e.op == "smul":
        return smul(e.args[0], at(e.args[1], i, j))
    if e.op == "diag":
        return smul(delta(i, j), component(e.args[0], i))
    if e.op == "matmul" and e.args[0].op == "diag":
        return smul(component(e.args[0].args[0], i), at(e.args[1], i, j))
    if e.op == "matmul" and e.args[0].shape is not None and e.args[0].shape[1] == 1:
        return smul(component(e.args[0], i), component(e.args[1], None, j))
    return component(e, i, j)


class _Differential:
    def __init__(self, by: Expr, model: Model) -> None:
        self.by, self.model = by, model
        self.root = by.args[0] if by.op == "entry" else by
        self.inside: set[str] = set()

    def __call__(self, e: Expr, value: Expr | None = None) -> Jacobian:
        """The derivative of an expression, of which ``value`` is a name."""
        if e is self.by:
            return lift(1) if e.shape == SCALAR else eye(_rows(e))
        if e.op == "sym" and e is not self.root:
            body = self.definition(e)
            if body is None:
                return None
            if e.attr.name in self.inside:                            # through earlier steps: no end of paths
                raise NoRule(e.attr.name)
            self.inside.add(e.attr.name)
            try:
                return self(body, e)
            finally:
                self.inside.discard(e.attr.name)
        if e.op == "entry" and e.args[0] is self.root and all(k is None or isinstance(k, int) for k in (*e.attr, *_at(self.by))):
            return None                                              # another component
        if not self.depends(e):
            return None
        rule = RULES.get(e.op)
        if rule is None or e.shape is None or e.shape[1] != 1:
            raise NoRule(e.op)
        return rule(self, e, value if value is not None else e)

    def definition(self, e: Expr) -> Expr | None:
        """The equation of a variable at its step, where what the derivative is taken by can have a part in it."""
        if e.op != "sym" or e.attr.name not in self.model.definitions or self.is_before(e):
            return None
        body = as_softmax(self.model.definitions[e.attr.name])
        return body if e.attr.time is None else fix_time(body, "t", e.attr.time)


    def depends(self, e: Expr) -> bool:
        """Whether an expression may depend on what the derivative is taken by."""
        return any(x is self.root or self.definition(x) is not None for x in walk(e))

    def is_before(self, e: Expr) -> bool:
        """Whether a variable is one of a step before."""
        now, then = self.root.attr.time, e.attr.time
        return now is not None and then is not None and now.base == then.base and then.offset < now.offset


def as_softmax(e: Expr) -> Expr:
    """Exponentials over their sum are a softmax.

    >>> from symrnn.expr import apply, symbol, total
    >>> u = apply("exp", symbol("z", ("n", 1)))
    >>> print(as_softmax(smul(apply("recip", total(u)), u)))
    softmax(z)
    """
    for u in e.args if e.op in ("had", "smul") else ():
        others = [x for x in walk(e) if x.op == "apply" and x.attr == "recip" and x.args[0].op == "sum" and x.args[0].args[0] is u]
        if u.op == "apply" and u.attr == "exp" and u.shape == e.shape and others and set(leaves(e)) == {u, others[0]}:
            return softmax(u.args[0])
    return e


def leaves(e: Expr) -> list[Expr]:
    """The factors of an entrywise product, arrays of ones left out."""
    if e.op in ("had", "smul"):
        return [x for a in e.args for x in leaves(a)]
    return [] if e.op == "ones" else [e]


def _at(by: Expr) -> tuple[object, ...]:
    return by.attr if by.op == "entry" else ("all",)


def _rows(e: Expr) -> int | str:
    assert e.shape is not None
    return e.shape[0]


def times(a: Expr, b: Jacobian) -> Jacobian:
    """A matrix (or a number) times a derivative.

    >>> from symrnn.expr import symbol
    >>> print(times(symbol("a"), eye("n")))
    a * I
    """
    if b is None or b.op == "eye" and (a.shape != SCALAR or b.shape == SCALAR):
        return None if b is None else a
    if a.op == b.op == "diag":
        return diag(had(a.args[0], b.args[0]))
    return smul(b, a) if b.shape == SCALAR else smul(a, b) if a.shape == SCALAR else matmul(a, b)


def entrywise(u: Expr, b: Jacobian) -> Jacobian:
    """Every row of a derivative times the entry of a column."""
    return times(u if u.shape == SCALAR else diag(u), b)


def together(*parts: Jacobian) -> Jacobian:
    """The sum of derivatives."""
    kept = [p for p in parts if p is not None]
    return add(*kept) if kept else None


def _scaled(d: _Differential, e: Expr, value: Expr) -> Jacobian:
    c, u = e.args
    row = d(c)
    return together(times(c, d(u)) if c.op != "num" else _numbered(c, d(u)), times(u, row))


def _numbered(c: Expr, b: Jacobian) -> Jacobian:
    return None if b is None else scale(c.attr, b)


def _product(d: _Differential, e: Expr, value: Expr) -> Jacobian:
    a, b = e.args
    if b.shape is None or b.shape[1] != 1:
        raise NoRule("matmul")
    depends = a.shape is not None and a.shape[0] == 1 and a.op == "transpose"
    first = times(transpose(b), d(a.args[0])) if depends else None
    if not depends and d.depends(a):
        raise NoRule("matmul")
    return together(times(a, d(b)), first)


def _had(d: _Differential, e: Expr, value: Expr) -> Jacobian:
    a, b = e.args
    return together(entrywise(a, d(b)), entrywise(b, d(a)))


def _applied(d: _Differential, e: Expr, value: Expr) -> Jacobian:
    u = e.args[0]
    return entrywise(squares(slope(e.attr, u, value)), d(u))


def squares(e: Expr) -> Expr:
    """u * u as a power."""
    return transform(e, lambda y: power(y.args[0], 2) if y.op == "had" and y.args[0] is y.args[1] else None)


def _power(d: _Differential, e: Expr, value: Expr) -> Jacobian:
    u, n = e.args[0], e.attr
    return entrywise(scale(n, power(u, n - 1)) if n != 2 else scale(2, u), d(u))


def _softmax(d: _Differential, e: Expr, value: Expr) -> Jacobian:
    return times(diag(value) + negative(matmul(value, transpose(value))), d(e.args[0]))


RULES: dict[str, Callable[[_Differential, Expr, Expr], Jacobian]] = {
    "add": lambda d, e, value: together(*map(d, e.args)),
    "smul": _scaled,
    "matmul": _product,
    "had": _had,
    "apply": _applied,
    "pow": _power,
    "softmax": _softmax,
    "lse": lambda d, e, value: times(transpose(softmax(e.args[0])), d(e.args[0])),
    "sum": lambda d, e, value: times(ones((1, _rows(e.args[0]))), d(e.args[0])),
}
"""One rule for each operation: the derivative of its value by that of its arguments."""
