r"""Derivatives of a vector by a matrix, as products of arrays: the reading in which the matrix is one long vector.

:math:`\partial h / \partial W` has three axes. Texts multiply it all the same, as if W were vec(W); then
:math:`(\partial h / \partial W)^\top v` is :math:`\sum_i v_i \, \partial h_i / \partial W`, in whatever order vec takes the entries.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from symrnn.expr import (
    SCALAR,
    Expr,
    Index,
    Size,
    add,
    derivative,
    entry,
    index_sum,
    matmul,
    node,
    smul,
    transform,
    transpose,
    walk,
)
from symrnn.prove.claim import Claim

READING = "a derivative by a matrix is one by its entries in a row, vec(W)"
OTHERS = {"rows": "gradients by vectors are rows", "denominator": "derivatives of vectors have a row for each input"}
"""Layouts that a text may have without saying so, in words; the first is the usual one."""
LETTER = "vec"
"""The component index of the sum that such a product is."""
LAYOUTS = ("numerator", "denominator", "rows")
"""Where the axes of a derivative lie: output by input, input by output; ``rows``: the first, and gradients are rows."""


@dataclass(frozen=True)
class Long:
    """The length of vec(W)."""

    rows: Size
    columns: Size

    def __str__(self) -> str:
        return f"{self.rows}*{self.columns}"


Axes = tuple[Size | Long, Size | Long]


class Misfit(Exception):
    """Two factors, terms or sides that do not fit, also when matrices are long vectors."""


class Unread(Exception):
    """An operation that has no such reading."""


def vectorised(claim: Claim, layouts: tuple[str, ...] = LAYOUTS) -> Claim | str | None:
    """The claim with its products written as sums; or why it fits in none of the layouts; None when it is not read so.

    >>> from symrnn.expr import NOW, symbol
    >>> from symrnn.model import Model
    >>> h, L, W = symbol("h", ("n", 1), time=NOW), symbol("L"), symbol("W", ("n", "m"), "parameter")
    >>> J, v = derivative(h, W), derivative(L, h)
    >>> m = Model.build("m", [])
    >>> print(vectorised(Claim(derivative(L, W), node("matmul", node("transpose", J), v), m)).right)
    sum_vec(d(L)/d(h[t])[vec] * d(h[t][vec])/d(W))
    >>> vectorised(Claim(derivative(L, W), node("matmul", J, v), m), layouts=("numerator",))
    'cannot multiply: n x n*m and n x 1'
    """
    try:
        left, right = (axes(side, LAYOUTS[0]) for side in (claim.left, claim.right))
        sides = [_long(left), _long(right)]
        if not any(sides):
            return f"the sides differ: {_show(left)} and {_show(right)}" if left != right else None
        if not _same_array(left, right):
            raise Misfit(f"the sides differ: {_show(left)} and {_show(right)}")
        made = [short(side) if long else side for side, long in zip((claim.left, claim.right), sides, strict=True)]
        return replace(claim, left=made[0], right=made[1])
    except Unread:
        return None
    except Misfit as reason:
        return str(reason) if all(_misfits(claim, layout) for layout in layouts) else None


def turned(claim: Claim, layout: str) -> Claim | None:
    """The claim with derivatives as they lie in another layout; None where it has none that lies otherwise there.

    >>> from symrnn.expr import NOW, symbol
    >>> from symrnn.model import Model
    >>> h, L, W = symbol("h", ("n", 1), time=NOW), symbol("L"), symbol("W", ("n", "m"), "parameter")
    >>> product = node("matmul", derivative(L, h), derivative(h, W))
    >>> found = turned(Claim(derivative(L, W), product, Model.build("m", [])), "rows")
    >>> print(found.right, "or", vectorised(found).right)
    d(L)/d(h[t]).T @ d(h[t])/d(W) or sum_vec(d(L)/d(h[t])[vec] * d(h[t][vec])/d(W))
    """
    def change(x: Expr) -> Expr | None:
        if x.op != "deriv":
            return None
        top, bottom = (a.shape for a in x.args)
        by_vector = top == SCALAR and bottom is not None and bottom != SCALAR and bottom[1] == 1
        return node("transpose", x) if (by_vector if layout == "rows" else top != SCALAR) else None
    left, right = (transform(side, change) for side in (claim.left, claim.right))
    return None if (left, right) == (claim.left, claim.right) else replace(claim, left=left, right=right)


def has_long(claim: Claim) -> bool:
    """Whether a claim has a derivative of a vector by a matrix."""
    return any(_by_matrix(x) for side in (claim.left, claim.right) for x in walk(side))


def starts_with_gradient(claim: Claim) -> bool:
    """Whether a derivative of a number by a vector stands before another factor, as where it is a row."""
    return any(x.op == "matmul" and x.args[0].op == "deriv" and x.args[0].args[0].shape == SCALAR and x.args[0].args[1].shape != SCALAR
               for side in (claim.left, claim.right) for x in walk(side))


def _misfits(claim: Claim, layout: str) -> bool:
    try:
        return not _same_array(axes(claim.left, layout), axes(claim.right, layout))
    except Misfit:
        return True
    except Unread:
        return False


def _same_array(left: Axes, right: Axes) -> bool:
    """Whether two arrays have the same entries, one of them perhaps in a row."""
    if left == right:
        return True
    a, b = map(_in_a_row, (left, right))
    return a is not None and a == b and any(map(_long, (left, right)))


def _in_a_row(shape: Axes) -> Long | None:
    """The length of the entries in a row."""
    rows, columns = shape
    return _long(shape) if isinstance(rows, Long) or isinstance(columns, Long) else Long(rows, columns)


def _long(shape: Axes) -> Long | None:
    first, second = shape
    if isinstance(first, Long) and second == 1:
        return first
    return second if isinstance(second, Long) and first == 1 else None


def _show(shape: Axes) -> str:
    return f"{shape[0]} x {shape[1]}"


# ------------------------------------------------------------------------------------------------------------------------ shapes
def axes(e: Expr, layout: str) -> Axes:
    """The shape of an expression in which derivatives by a matrix have the length of vec(W) as one of their sizes."""
    if e.op == "deriv":
        return _of_derivative(e, layout)
    if e.shape is not None and not any(x.op == "deriv" for x in walk(e)):
        return e.shape
    rule = RULES.get(e.op)
    if rule is None:
        if e.shape is None:
            raise Unread(e.op)
        return e.shape
    return rule(e, [axes(a, layout) for a in e.args])


def _of_derivative(e: Expr, layout: str) -> Axes:
    top, bottom = (a.shape for a in e.args)
    if top is None or bottom is None:
        raise Unread("deriv")
    if top == SCALAR or bottom == SCALAR:
        found = bottom if top == SCALAR else top
        return found[::-1] if layout == "rows" and top == SCALAR and found[1] == 1 else found
    if top[1] != 1:
        raise Unread("deriv")
    lower: Size | Long = bottom[0] if bottom[1] == 1 else Long(*bottom)
    return (lower, top[0]) if layout == "denominator" else (top[0], lower)


def _product(e: Expr, parts: list[Axes]) -> Axes:
    a, b = parts
    if a[1] != b[0]:
        raise Misfit(f"cannot multiply: {_show(a)} and {_show(b)}")
    return (a[0], b[1])


def _alike(e: Expr, parts: list[Axes]) -> Axes:
    for other in parts[1:]:
        if other != parts[0]:
            raise Misfit(f"cannot add: {_show(parts[0])} and {_show(other)}")
    return parts[0]


RULES: dict[str, Callable[[Expr, list[Axes]], Axes]] = {
    "matmul": _product, "add": _alike, "transpose": lambda e, parts: parts[0][::-1], "smul": lambda e, parts: parts[-1],
    "tsum": lambda e, parts: parts[0], "isum": lambda e, parts: parts[0],
}


# -------------------------------------------------------------------------------------------------------------------- conversion
def short(e: Expr) -> Expr:
    """An expression that is vec of an array, as that array."""
    match e.op:
        case "add":
            return add(*map(short, e.args))
        case "tsum" | "isum":
            return node(e.op, short(e.args[0]), attr=e.attr)
        case "smul":
            return smul(e.args[0], short(e.args[1]))
        case "transpose" if e.args[0].op != "matmul":
            return short(e.args[0])
        case "matmul" | "transpose":
            return _contracted(factors(e))
    raise Unread(e.op)


def factors(e: Expr) -> list[Expr]:
    """The factors of a product, its transposes taken inside."""
    if e.op == "matmul":
        return [f for a in e.args for f in factors(a)]
    if e.op == "transpose" and e.args[0].op == "matmul":
        return [transpose(f) if f.op != "transpose" else f.args[0] for f in reversed(factors(e.args[0]))]
    return [e]


def _contracted(parts: list[Expr]) -> Expr:
    """The derivative by a matrix at one end of a product, summed with what it is multiplied by."""
    if parts[0].op == "transpose" and _by_matrix(parts[0].args[0]):
        d, weight = parts[0].args[0], _joined(parts[1:])
    elif _by_matrix(parts[-1]):
        d, weight = parts[-1], transpose(_joined(parts[:-1]))
    else:
        raise Unread("matmul")
    top, bottom = d.args
    if weight.shape is None or top.shape is None or weight.shape != top.shape:
        raise Unread("matmul")
    i = Index(LETTER, top.shape[0])
    return index_sum(i, smul(entry(weight, i), derivative(entry(top, i), bottom, d.attr)))


def _by_matrix(e: Expr) -> bool:
    return e.op == "deriv" and e.shape is None


def _joined(parts: list[Expr]) -> Expr:
    if not parts:
        raise Unread("matmul")
    out = parts[0]
    for f in parts[1:]:
        out = matmul(out, f)
    return out
