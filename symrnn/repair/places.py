"""Places in an expression: the occurrences of its parts, and rebuilding around a changed one."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce

from symrnn.expr import Expr, add, matmul, node, numeric, rebuild

Path = tuple[int, ...]


def part(e: Expr, path: Path) -> Expr:
    """The part at the end of a path of argument numbers."""
    for k in path:
        e = e.args[k]
    return e


def replace(e: Expr, changes: Mapping[Path, Expr]) -> Expr:
    """The expression with other parts at some places, none of them inside another.

    >>> from symrnn.expr import symbol
    >>> W, h = symbol("W", ("n", "n")), symbol("h", ("n", 1))
    >>> replace(W @ h, {(0,): W.T})
    W.T @ h
    """
    if () in changes:
        return changes[()]
    inner: dict[int, dict[Path, Expr]] = {}
    for path, value in changes.items():
        inner.setdefault(path[0], {})[path[1:]] = value
    return rebuild(e, tuple(replace(a, inner[k]) if k in inner else a for k, a in enumerate(e.args)))


def size(e: Expr) -> int:
    """The number of nodes, occurrences counted apart."""
    return 1 + sum(map(size, e.args))


# ------------------------------------------------------------------------------------------------------------ products and sums
def chain(e: Expr) -> list[Expr]:
    """The factors of a matrix product, however it is bracketed."""
    return [f for a in e.args for f in chain(a)] if e.op == "matmul" else [e]


def product(factors: list[Expr]) -> Expr:
    """The matrix product from the left; it may be ill-shaped."""
    return reduce(matmul, factors)


#: The argument along which an operation is linear, so that a sum can be split there.
LINEAR = {"tsum": 0, "isum": 0, "smul": 1, "transpose": 0, "sum": 0}


def terms(e: Expr) -> list[Path]:
    """The places of the terms of a sum, looking through signs, numbers and sums over time or components."""
    if e.op == "add":
        return [(k, *path) for k, a in enumerate(e.args) for path in terms(a)]
    if e.op in LINEAR:
        k = LINEAR[e.op]
        return [(k, *path) for path in terms(e.args[k])]
    return [()]


def alone(e: Expr, path: Path) -> Callable[[Expr], Expr]:
    """What a term at a place contributes to the whole, as a function of the term."""
    if not path:
        return lambda x: x
    k, inner = path[0], alone(e.args[path[0]], path[1:])
    if e.op == "add":
        return inner
    return lambda x: rebuild(e, tuple(inner(x) if j == k else a for j, a in enumerate(e.args)))


def without(e: Expr, path: Path) -> Expr | None:
    """The expression without the term at a place; None when nothing would be left or the place is gone."""
    for n in range(len(path) - 1, -1, -1):
        try:
            above = part(e, path[:n])
        except IndexError:
            return None
        if above.op == "add":
            rest = tuple(a for k, a in enumerate(above.args) if k != path[n])
            return replace(e, {path[:n]: add(*rest)})
    return None


def into_sum(e: Expr, term: Expr) -> Expr | None:
    """A term taken into the sum over time or components that ``e`` is (behind scalars); None if it is no sum."""
    if e.op in ("tsum", "isum"):
        return Expr(e.op, (add(e.args[0], term),), e.attr)
    if e.op == "smul":
        inner = into_sum(e.args[1], term)
        return None if inner is None else node("smul", e.args[0], inner)
    return None


def plain(e: Expr) -> Expr:
    """The expression without sign, number and transpose in front."""
    _, rest = numeric(e)
    return plain(rest.args[0]) if rest.op == "transpose" else rest
