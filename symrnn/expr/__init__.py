"""The typed core: expressions with symbolic sizes and a time index."""
# ruff: noqa: F401 - what is imported here is the package's interface
from symrnn.expr.binding import substitute
from symrnn.expr.linear import Linear, between, canonical, total_size
from symrnn.expr.linear import value as size_value
from symrnn.expr.powers import has_powers, inverse_at, matrix_power, repeated
from symrnn.expr.sizes import FIRST, LAST, NOW, SCALAR, Index, Shape, Size, Time
from symrnn.expr.tree import (
    OPERATIONS,
    Expr,
    Fault,
    Symbol,
    add,
    apply,
    collect,
    delta,
    derivative,
    diag,
    entry,
    extents,
    eye,
    filled,
    fix_time,
    free_steps,
    had,
    index_sum,
    is_one,
    is_zero,
    lift,
    log_sum_exp,
    matmul,
    negative,
    node,
    numeric,
    ones,
    own_steps,
    part,
    power,
    quotient,
    rebuild,
    retime,
    scale,
    shift,
    show_shape,
    smul,
    softmax,
    stack,
    symbol,
    symbols,
    time_sum,
    times,
    total,
    transform,
    transpose,
    walk,
    window,
    zeros,
)
from symrnn.expr.unify import may_be_matrix, named, own_shape, resize, unify, unknown
from symrnn.expr.vectorise import along, repeated_rows, vectorise

__all__ = [name for name in dir() if not name.startswith("_")]
