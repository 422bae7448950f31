"""Reverse-mode rules: one row for each operation, telling how a cotangent moves from a value to one of its arguments.

A cotangent g of an expression e has the shape of e; it is the derivative of the loss by e. Layout: a gradient has the shape of
its variable. Each rule is a row of ``PULLS``, with the sentence a textbook would print; ``tests/test_calculus.py`` proves every
row against index-level differentiation and forward duals.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symrnn.expr import (
    SCALAR,
    Expr,
    Linear,
    Shape,
    Size,
    apply,
    collect,
    diag,
    extents,
    eye,
    filled,
    had,
    is_zero,
    matmul,
    node,
    ones,
    part,
    scale,
    smul,
    softmax,
    stack,
    times,
    total,
    transpose,
    zeros,
)
from symrnn.expr.functions import function

#: ``pull(e, value, g, k)``: the cotangent of argument k of e, where ``value`` is a name for e (or e itself) and g its cotangent.
Pull = Callable[[Expr, Expr, Expr, int], Expr]


@dataclass(frozen=True)
class Rule:
    """How a cotangent passes one operation."""

    name: str
    op: str
    sentence: str
    pull: Pull


def slope(name: str, u: Expr, value: Expr) -> Expr:
    """f'(u) entrywise, written with the value where the table allows (tanh' = 1 - tanh^2)."""
    assert u.shape is not None
    found: Entrywise = function(name).derivative(Entrywise(u), Entrywise(value), lambda f, x: Entrywise(apply(f, x.e)))
    return found.e


class Entrywise:
    """Arithmetic of the function table on expressions: every product is entrywise."""

    __slots__ = ("e",)

    def __init__(self, e: Expr) -> None:
        self.e = e

    def _lift(self, other: Entrywise | int) -> Expr:
        assert self.e.shape is not None
        return other.e if isinstance(other, Entrywise) else filled(other, self.e.shape)

    def __add__(self, other: Entrywise | int) -> Entrywise:
        return Entrywise(self.e + self._lift(other))

    def __radd__(self, other: int) -> Entrywise:
        return Entrywise(self._lift(other) + self.e)

    def __sub__(self, other: Entrywise | int) -> Entrywise:
        return Entrywise(self.e - self._lift(other))

    def __rsub__(self, other: int) -> Entrywise:
        return Entrywise(self._lift(other) - self.e)

    def __neg__(self) -> Entrywise:
        return Entrywise(-self.e)

    def __mul__(self, other: Entrywise | int) -> Entrywise:
        if isinstance(other, int):
            return Entrywise(scale(other, self.e))
        return Entrywise(self.e**2 if other.e is self.e else had(self.e, other.e))

    __rmul__ = __mul__


def _pull_softmax(e: Expr, value: Expr, g: Expr, k: int) -> Expr:
    return had(value, g) - smul(matmul(transpose(value), g), value)


def _pull_smul(e: Expr, value: Expr, g: Expr, k: int) -> Expr:
    return total(had(g, e.args[1])) if k == 0 else smul(e.args[0], g)


def _pull_power(e: Expr, value: Expr, g: Expr, k: int) -> Expr:
    n, (u,) = e.attr, e.args
    return scale(n, had(g, u ** (n - 1))) if n != 1 else g


def _pull_call(e: Expr, value: Expr, g: Expr, k: int) -> Expr:
    jacobian = transpose(node("vjac", *e.args, attr=(*e.attr, k)))
    return smul(g, jacobian) if e.shape == SCALAR else matmul(jacobian, g)


def _pull_slice(e: Expr, value: Expr, g: Expr, k: int) -> Expr:
    (whole,), (first, last, _) = e.args, e.attr
    assert whole.shape is not None
    above, below = (Linear.of(first) - 1).size, (Linear.of(whole.shape[0]) - Linear.of(last)).size
    return stack(*(x for x in (zeros((above, 1)), g, zeros((below, 1))) if x.shape != (0, 1)))


PULLS: dict[str, Rule] = {r.op: r for r in (
    Rule("sum rule", "add", "a sum passes its cotangent to every term", lambda e, v, g, k: g),
    Rule("scaling rule", "smul", "the scalar multiplies the cotangent, and gets its inner product with the other factor",
         _pull_smul),
    Rule("product rule", "matmul", "a factor gets the cotangent times the other factor, transposed, which stays on its side",
         lambda e, v, g, k: matmul(g, transpose(e.args[1])) if k == 0 else matmul(transpose(e.args[0]), g)),
    Rule("entrywise product rule", "had", "each factor gets the cotangent times the other factor, entry by entry",
         lambda e, v, g, k: had(g, e.args[1 - k])),
    Rule("transpose rule", "transpose", "the cotangent is transposed", lambda e, v, g, k: transpose(g)),
    Rule("power rule", "pow", "the Jacobian of an entrywise power is diagonal, so its slope multiplies the cotangent entry by entry",
         _pull_power),
    Rule("chain rule", "apply", "the Jacobian of an entrywise function is diagonal, so its slope multiplies the cotangent entry by entry",
         lambda e, v, g, k: had(slope(e.attr, e.args[0], v), g)),
    Rule("softmax rule", "softmax", "the Jacobian of softmax, which is symmetric, multiplies the cotangent", _pull_softmax),
    Rule("log-sum-exp rule", "lse", "the gradient of log-sum-exp is the softmax, which the cotangent multiplies",
         lambda e, v, g, k: smul(g, softmax(e.args[0]))),
    Rule("sum of entries", "sum", "every entry gets the cotangent of the sum",
         lambda e, v, g, k: times(g, ones(e.args[0].shape))),  # type: ignore[arg-type]
    Rule("diagonal rule", "diag", "the vector gets the diagonal of the cotangent",
         lambda e, v, g, k: matmul(had(g, eye(e.shape[0])), ones((e.shape[0], 1)))),  # type: ignore[index]
    Rule("stack rule", "cat", "each part gets its entries of the cotangent",
         lambda e, v, g, k: part(g, *extents(e)[k])),
    Rule("slice rule", "slice", "the entries that are taken get the cotangent, the others zero", _pull_slice),
    Rule("chain rule for a vector function", "vcall", "the Jacobian, transposed, times the cotangent",
         _pull_call),
)}


def together(pieces: Sequence[Expr], shape: Shape) -> Expr:
    """The sum of some contributions; those that fill a vector one below the other, with zeros around each, make one stack.

    >>> from symrnn.expr import symbol
    >>> u, v = symbol("u", ("n", 1)), symbol("v", ("m", 1))
    >>> together([stack(zeros(("n", 1)), v), stack(u, zeros(("m", 1)))], ("m+n", 1))
    cat(u, v)
    """
    starts: dict[Size, tuple[Size, Expr]] = {}
    for e in pieces:
        found = [(first, last, a) for a, (first, last) in zip(e.args, extents(e), strict=True) if not is_zero(a)] if e.op == "cat" else []
        if len(found) != 1 or found[0][0] in starts:
            return collect(*pieces) if pieces else zeros(shape)
        ((first, last, a),) = found
        starts[first] = last, a
    at, parts = Linear((), 1), []
    while at.size in starts:
        last, a = starts[at.size]
        parts.append(a)
        at = Linear.of(last) + 1
    filled_up = parts and len(parts) == len(pieces) and at == Linear.of(shape[0]) + 1
    return stack(*parts) if filled_up else collect(*pieces) if pieces else zeros(shape)


def softmax_jacobian(p: Expr) -> Expr:
    """diag(p) - p p^T: the derivative of softmax, row = output, column = input; for any number of classes.

    Source: Bishop, Pattern Recognition and Machine Learning (2006), equation 4.106.

    >>> from symrnn.expr import symbol
    >>> softmax_jacobian(symbol("p", ("K", 1)))
    diag(p) - p @ p.T
    """
    return diag(p) - matmul(p, transpose(p))
