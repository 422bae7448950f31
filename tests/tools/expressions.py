"""Random well-typed expressions over every operation, for hypothesis.

Logarithms and roots are taken of expressions that are positive by their form.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from symrnn.expr import (
    SCALAR,
    Expr,
    Index,
    Shape,
    Size,
    Time,
    add,
    apply,
    delta,
    diag,
    entry,
    eye,
    had,
    index_sum,
    lift,
    log_sum_exp,
    matmul,
    node,
    ones,
    smul,
    softmax,
    symbol,
    time_sum,
    total,
    transpose,
    zeros,
)

SIZES: tuple[Size, ...] = ("n", "m", "k", 2)
SMOOTH = ("tanh", "sigmoid", "softplus", "exp", "sin", "cos", "sinh", "cosh", "?f")
ROUGH = ("relu", "step")
POSITIVE = ("exp", "sigmoid", "cosh", "softplus")
FREE = (Index("i", "n"), Index("j", "n"), Index("o", "m"))
Draw = Callable[[st.SearchStrategy[Any]], Any]


@dataclass(frozen=True)
class Scope:
    """What an expression may use: component indices, the time letter bound around it, sums over time, rough functions, calls.

    ``pool``: the symbols to use, instead of any; ``components``: whether entries, deltas and sums over an index occur.
    """

    indices: tuple[Index, ...] = FREE
    letter: str = "t"
    sums: bool = True
    rough: bool = True
    divide: bool = True
    calls: bool = True
    components: bool = True
    pool: tuple[Expr, ...] = ()
    used: int = 0


PLAIN = Scope(sums=False)


def name_of(shape: Shape, which: str) -> str:
    return f"{which}_{shape[0]}{shape[1]}"


@st.composite
def leaf(draw: Draw, shape: Shape, scope: Scope) -> Expr:
    """A symbol, a constant, or one of the special tables."""
    kind = draw(st.integers(0, 9))
    alike = [e for e in scope.pool if e.shape == shape]
    if scope.pool and (kind < 7 or not scope.components):
        return draw(st.sampled_from(alike if alike and kind < 9 else [ones(shape), zeros(shape)]))
    if kind < 3:
        return symbol(name_of(shape, draw(st.sampled_from("AB"))), shape, "parameter")
    if kind < 7:
        base = draw(st.sampled_from(["t", scope.letter, "T"] if scope.letter == "t" else ["t", *[scope.letter] * 3]))
        return symbol(name_of(shape, draw(st.sampled_from("xh"))), shape, "input", Time(base, draw(st.integers(-1, 1))))
    if kind == 7:
        return draw(st.sampled_from([ones(shape), zeros(shape)]))
    if shape == SCALAR:
        i = draw(st.sampled_from(scope.indices))
        alike = [x for x in scope.indices if x.size == i.size]
        fraction, size = draw(st.fractions(-2, 2, max_denominator=3)), draw(st.sampled_from("nm"))
        j = draw(st.sampled_from(alike))
        return draw(st.sampled_from([lift(fraction), node("size", attr=size), delta(i, j), delta(i, 1)]))
    return eye(shape[0]) if shape[0] == shape[1] else symbol(name_of(shape, "A"), shape, "parameter")


@st.composite
def positive(draw: Draw, shape: Shape, depth: int, scope: Scope) -> Expr:
    """An expression that is positive."""
    kind = draw(st.integers(0, 3 if depth > 1 else 1))
    inner = expressions(shape, depth - 1, scope)
    if kind == 2:
        return had(draw(positive(shape, depth - 1, scope)), draw(positive(shape, depth - 1, scope)))
    if kind == 3 and shape[1] == 1:
        return softmax(draw(inner))
    if kind == 1:
        return add(ones(shape), draw(positive(shape, depth - 1, scope)) if depth > 1 else ones(shape))
    return apply(draw(st.sampled_from(POSITIVE)), draw(inner))


@st.composite
def expressions(draw: Draw, shape: Shape, depth: int, scope: Scope = Scope()) -> Expr:
    """An expression of a shape, at most ``depth`` operations deep."""
    if depth <= 0:
        return draw(leaf(shape, scope))

    def sub(s: Shape, where: Scope = scope) -> Expr:
        return draw(expressions(s, depth - 1, where))

    size = draw(st.sampled_from(SIZES))
    makers: list[Callable[[], Expr]] = [
        lambda: draw(leaf(shape, scope)),
        lambda: add(sub(shape), sub(shape)),
        lambda: sub(shape) - sub(shape),
        lambda: smul(sub(SCALAR), sub(shape)),
        lambda: had(sub(shape), sub(shape)),
        lambda: matmul(sub((shape[0], size)), sub((size, shape[1]))),
        lambda: transpose(sub((shape[1], shape[0]))),
        lambda: apply(draw(st.sampled_from(SMOOTH + (ROUGH if scope.rough else ()))), sub(shape, replace(scope, sums=False))),
        lambda: sub(shape) ** draw(st.integers(0, 3)),
        lambda: apply(draw(st.sampled_from(["log", "sqrt"])), draw(positive(shape, depth - 1, replace(scope, sums=False)))),
    ]
    plain = replace(scope, sums=False)
    if scope.divide:
        makers.append(lambda: had(sub(shape), apply("recip", sub(shape, plain))))
        makers.append(lambda: draw(positive(shape, depth - 1, plain)) ** draw(st.integers(-2, -1)))
    if shape == SCALAR and not scope.components:
        makers += [lambda: total(sub((size, 1))), lambda: log_sum_exp(sub((size, 1), plain)),
                   lambda: matmul(sub((1, size)), sub((size, 1)))]
    elif shape == SCALAR:
        index = Index(f"b{scope.used}", size)
        inside = replace(scope, indices=(*scope.indices, index), used=scope.used + 1)
        pool = inside.indices
        row, column = draw(st.sampled_from(pool)), draw(st.sampled_from(pool))
        makers += [
            lambda: total(sub((size, 1))),
            lambda: log_sum_exp(sub((size, 1), plain)),
            lambda: index_sum(index, sub(SCALAR, inside)),
            lambda: index_sum(index, smul(entry(sub((size, 1), inside), index), sub(SCALAR, inside))),
            lambda: index_sum(row, sub(SCALAR, scope)),              # shadows an index that is free around it
            lambda: entry(sub((row.size, column.size)), *(x if x in scope.indices else 1 for x in (row, column))),
            lambda: entry(sub((row.size, 1)), row if row in scope.indices else 1),
        ]
        if scope.sums:
            letter = draw(st.sampled_from(["t", "s"]))
            ends = draw(st.sampled_from([(Time("", 1), Time("T", 0)), (Time("", 0), Time("T", -1)), (Time("", 2), Time("T", 0)),
                                         (Time("", 1), Time("T", 1)), (Time("t", 1), Time("T", 0)), (Time("", 1), Time("t", 0))]))
            makers += 2 * [lambda: time_sum(letter, *ends, sub(SCALAR, replace(scope, letter=letter, sums=False)))]
    elif shape[1] == 1:
        makers += [lambda: softmax(sub(shape, plain)), lambda: matmul(sub((shape[0], size)), sub((size, 1)))]
        if scope.calls:
            bare = replace(plain, indices=(Index("z", 1),))         # a call takes no expression with free component indices
            makers.append(lambda: node("vcall", sub((size, 1), bare), sub(SCALAR, bare), attr=("G", shape)))
    elif shape[0] == shape[1]:
        makers.append(lambda: diag(sub((shape[0], 1))))
    return draw(st.sampled_from(makers))()


def shapes() -> st.SearchStrategy[Shape]:
    return st.sampled_from([SCALAR, ("n", 1), ("m", 1), ("n", "m"), ("n", "n"), (1, "n"), (2, 1)])
