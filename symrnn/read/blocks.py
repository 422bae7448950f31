r"""Blocks side by side: a row of weights times a column of vectors, and rows one after another.

``[W, U] [h; x]`` is ``W h + U x``, also with several rows of weights; ``[h^\top, x^\top]`` is the row of the stacked vectors. A row of
matrices by itself has no meaning in the core.
"""
from __future__ import annotations

from typing import TYPE_CHECKING

from symrnn.expr import SCALAR, Expr, add, matmul, stack, transform, transpose
from symrnn.read.tree import Node

if TYPE_CHECKING:
    from symrnn.read.occurrences import Names

ROWS = ("List", "Tuple")
COLUMNS = ("List", "Tuple", "Stack")
OPEN = ("Num", "Zeros", "Ones", "Ellipsis", "Absent")
"""What stands among blocks and has the size of those beside it."""


def applied(E: Names, left: Node, right: Node) -> Expr | None:
    """The product of a matrix of blocks with a column of as many blocks; None for any other two factors."""
    if left.op == "Sym" and len(left.args) == 1:
        left = E.scope.blocks.get(left.head, left)
    rows = [row.nodes for row in left.nodes] if left.op == "Matrix" else [left.nodes] if left.op in ROWS else []
    column = [row.nodes[0] for row in right.nodes if len(row.nodes) == 1] if right.op == "Matrix" else (
        list(right.nodes) if right.op in COLUMNS else [])
    cells = [cell for row in rows for cell in row]
    if not cells or len(column) < max(2, len(right.nodes)) or any(len(row) != len(column) for row in rows) or any(
            n.op in OPEN for n in (*cells, *column)):
        return None
    blocks, items = [[E(cell) for cell in row] for row in rows], [E(cell) for cell in column]
    if any(not is_block(b) or b.shape is not None and b.shape[1] == 1 for row in blocks for b in row) or not all(map(is_block, items)):
        return None
    sums = [add(*map(matmul, row, items)) for row in blocks]
    return sums[0] if len(sums) == 1 else stack(*sums)


def put_in(e: Expr, name: str, rows: list[list[Expr]]) -> Expr:
    """The expression with the blocks of a matrix where it stands before a column of as many parts.

    >>> from symrnn.expr import symbol
    >>> W, A, B = symbol("W", ("n", "n+m")), symbol("A", ("n", "n")), symbol("B", ("n", "m"))
    >>> put_in(matmul(W, stack(symbol("h", ("n", 1)), symbol("x", ("m", 1)))), "W", [[A, B]])
    A @ h + B @ x
    """
    def change(x: Expr) -> Expr | None:
        if x.op != "matmul" or x.args[0].op != "sym" or x.args[0].attr.name != name or x.args[1].op != "cat":
            return None
        parts = x.args[1].args
        sums = [add(*map(matmul, row, parts)) for row in rows if len(row) == len(parts)]
        return None if len(sums) < len(rows) else sums[0] if len(sums) == 1 else stack(*sums)
    return transform(e, change)


def is_block(e: Expr) -> bool:
    """Whether the size of a block is its own: a number and the identity are as large as the blocks beside them."""
    return e.shape != SCALAR and e.op != "eye"


def row(parts: list[Expr]) -> Expr | None:
    """Rows one after another as one row; None if one of them is none."""
    rows = parts and all(e.shape is not None and e.shape[0] == 1 for e in parts) and any(e.shape != SCALAR for e in parts)
    return transpose(stack(*map(transpose, parts))) if rows else None


def rows_of(n: Node) -> list[tuple[Node, ...]]:
    """The rows of a matrix that is written out, or the items of a list as one row."""
    return [row.nodes for row in n.nodes] if n.op == "Matrix" else [n.nodes] if n.op == "List" else []


def given(left: Node, right: Node) -> str | None:
    """The name of a matrix that an equation gives as blocks: at least two symbols side by side, or rows of as many."""
    rows = rows_of(right)
    cells = [cell for row in rows for cell in row]
    plain = left.op == "Sym" and len(left.args) == 1 and left.head[:1].isupper() and all(
        cell.op == "Sym" and len(cell.args) == 1 and cell.head[:1].isupper() for cell in cells)
    return left.head if plain and rows and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1 else None
