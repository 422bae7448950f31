r"""Tuples, stacks and slices: parts of a vector one under the other, and windows of a sequence written with dots.

``(h_{t-1}[2:p], x_t)`` stacks its items; ``(x_{t-p+1}, \ldots, x_{t-1}, x_t)`` is a window of the scalar sequence x. A time index
with a size in it has a meaning there, and beside a component index: ``x_{t-p+i}`` is the component i of a window.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symrnn.expr import SCALAR, Expr, Linear, Size, Time, between, entry, part, shift, stack, symbol, transpose, window
from symrnn.read import blocks
from symrnn.read.meaningless import Meaningless
from symrnn.read.symbols import Declared
from symrnn.read.tree import Node

if TYPE_CHECKING:
    from symrnn.read.occurrences import Names


def refuse(n: Node, reason: str) -> Meaningless:
    return Meaningless("SR303", reason, n.span)


# ------------------------------------------------------------------------------------------------------------- linear arithmetic
def linear(n: Node) -> Linear:
    """A sum of names and whole numbers. Raises Meaningless for anything else."""
    match n.op:
        case "Num" if n.head.isdigit():
            return Linear((), int(n.head))
        case "Sym" if len(n.args) == 1:
            return Linear(((n.head, 1),))
        case "Sym" if len(n.args) == 2 and (found := n.part("Index")) and len(found.nodes) == 1:
            return Linear(((f"{n.head}_{found.nodes[0].head}", 1),))
        case "Neg":
            return -linear(n.nodes[0])
        case "Add":
            out = Linear()
            for a in n.nodes:
                out += linear(a)
            return out
        case "Mul" if len(n.nodes) == 2 and n.nodes[0].op == "Num" and n.nodes[0].head.isdigit():
            inner, c = linear(n.nodes[1]), int(n.nodes[0].head)
            return Linear.made({"": c * inner.constant, **{name: c * k for name, k in inner.terms}})
    raise refuse(n, "this is no sum of sizes and whole numbers")


def is_size(E: Names, name: str) -> bool:
    """Whether a name is a size: declared as one, or used in a declared shape (the name of the last step is a time)."""
    d = E.scope.table.get(name)
    if name in E.scope.steps or name == E.scope.table.time_letter or name in E.clocks:
        return False
    if d is not None:
        return d.kind == "size"
    return any(part == name for other in E.scope.table for s in other.shape for part, _ in Linear.of(s).terms)


def size_of(E: Names, n: Node) -> Size:
    """A sum of sizes as a size."""
    form = linear(n)
    for name, _ in form.terms:
        if not is_size(E, name):
            raise refuse(n, f"{name} is no size")
    return form.size


@dataclass(frozen=True)
class Moment:
    """A time index: the base of a :class:`Time`, a sum of sizes and a number added to it, and a component index added to it."""

    base: str
    shift: Linear
    index: str | None = None


def moment(E: Names, n: Node) -> Moment:
    """A time index that may hold sizes and one component index."""
    form = linear(n)
    sizes = {name: k for name, k in form.terms if is_size(E, name)}
    letters = [name for name, k in form.terms if name not in sizes]
    odd = next((name for name, k in form.terms if name in letters and k != 1), None)
    if odd is not None:
        raise refuse(n, f"{odd} in a time index is no size (declare it, as in {odd}: size)")
    clocks = [name for name in letters if name == E.scope.table.time_letter or name in E.clocks or name in E.scope.steps]
    if not clocks and len(letters) == 1:
        clocks = letters
    others = [name for name in letters if name not in clocks]
    if len(clocks) > 1 or len(others) > 1:
        raise refuse(n, "a time index with several letters")
    return Moment(E.base(clocks[0]) if clocks else "", Linear.made({**sizes, "": form.constant}), others[0] if others else None)


# ------------------------------------------------------------------------------------------------------------------ the rows
def stacked(E: Names, n: Node) -> Expr:
    """A tuple, a list or a stack: its items one under the other, or a window where it has dots; a matrix of one row of numbers."""
    if n.op == "Matrix" and len(n.nodes) == 1 and len(n.nodes[0].nodes) > 1 and "Ellipsis" not in {m.op for m in n.nodes[0].nodes}:
        entries = [E(m) for m in n.nodes[0].nodes]
        if (whole := blocks.row(entries)) is not None:
            return whole
        if any(e.shape != SCALAR for e in entries):
            raise refuse(n, "blocks side by side")
        return transpose(stack(*entries))
    items = _cells(n)
    if any(item.op == "Ellipsis" for item in items):
        return dotted(E, n, items)
    if not items:
        raise refuse(n, "an empty tuple")
    parts = [E(item) for item in items]
    if n.op in blocks.ROWS and (whole := blocks.row(parts)) is not None:
        return whole
    for item, e in zip(items, parts, strict=True):
        if e.shape is not None and e.shape[1] != 1:
            raise refuse(item, "a tuple of things that are no column vectors and no scalars")
    return consecutive(parts) or stack(*parts)


def consecutive(parts: list[Expr]) -> Expr | None:
    """Values of one scalar sequence at steps that go up by one are a window."""
    last = parts[-1]
    if len(parts) > 1 and last.op == "sym" and last.shape == SCALAR and last.attr.time is not None:
        if all(p is shift(last, 1 + k - len(parts), last.attr.time.base) for k, p in enumerate(parts)):
            return window(last, len(parts))
    return None


def _cells(n: Node) -> tuple[Node, ...]:
    """The items; a matrix of one column is a stack of its entries."""
    if n.part("Given") is not None:
        raise refuse(n, "a tuple with a condition")
    if n.op != "Matrix":
        return n.nodes
    if any(len(row.nodes) != 1 for row in n.nodes):
        raise refuse(n, "a matrix written out")
    return tuple(row.nodes[0] for row in n.nodes)


def dotted(E: Names, n: Node, items: tuple[Node, ...]) -> Expr:
    """A scalar sequence at consecutive steps, oldest first, with dots between: a window."""
    if sum(item.op == "Ellipsis" for item in items) > 1 or "Ellipsis" in (items[0].op, items[-1].op):
        raise refuse(n, "dots that do not stand between the first item and the last")
    stated = [item for item in items if item.op != "Ellipsis"]
    found = [_step(E, item, stated[0]) for item in stated]
    first, last = found[0], found[-1]
    dots = next(k for k, item in enumerate(items) if item.op == "Ellipsis")
    for k, (item, m) in enumerate(zip(stated, found, strict=True)):
        expected = first.shift + k if k < dots else last.shift - (len(stated) - 1 - k)
        if m.base != first.base:
            raise refuse(item, "steps counted from different letters")
        if m.shift != expected:
            raise refuse(item, "the steps of the items do not go up by one, as those of a window do (oldest first)")
    length = last.shift - first.shift + 1
    if last.shift.terms:
        raise refuse(stated[-1], "the last step of a window must be a letter plus a whole number")
    if not length.somewhere or (not length.terms and length.constant < len(stated)):
        raise refuse(n, "the steps of the items do not go up by one, as those of a window do (oldest first)")
    d = E.declared(stated[0].head, stated[0])
    return window(symbol(d.name, SCALAR, E.kind(d), Time(last.base, last.shift.constant)), length.size)


def _step(E: Names, item: Node, first: Node) -> Moment:
    """The step of one item of a window."""
    time = item.part("Time") if item.op == "Sym" else None
    if time is None or item.head != first.head or len(item.args) != 2:
        raise refuse(item, "dots between items that are not one sequence at several steps")
    d = E.declared(item.head, item)
    if d.kind != "scalar" or not d.sequence:
        raise refuse(item, f"{d.name} is no scalar sequence, so its steps make no vector")
    m = moment(E, time.nodes[0])
    if m.index is not None:
        raise refuse(item, "a component index in a step of a window")
    return m


def sliced(E: Names, n: Node) -> Expr:
    """``h[2:p]``: the components from the first to the last, both counted from 1 and both included."""
    base, low, high = n.nodes
    e = E(base)
    if e.shape is None:
        return e
    if e.shape[1] != 1:
        raise refuse(n, "a slice of something that is no column vector")
    first = 1 if low.op == "Absent" else size_of(E, low)
    last = e.shape[0] if high.op == "Absent" else size_of(E, high)
    length = Linear.of(between(first, last))
    if not length.somewhere or length == Linear():
        raise refuse(n, "a slice that ends before it begins")
    return part(e, first, last)


def lagged(E: Names, n: Node, d: Declared) -> Expr | None:
    """``x_{t-p+i}``: the component i of the window of size p; None for a time index without a size."""
    time = n.part("Time")
    if time is None or not d.sequence or not any(m.op == "Sym" and is_size(E, m.head) for m in _walk(time)):
        return None
    m = moment(E, time.nodes[0])
    size = -Linear(m.shift.terms)
    if m.index is None or d.kind != "scalar" or not size.somewhere or not size.terms:
        raise refuse(n, "a time index with a size has a meaning in a window and as in x_{t-p+i} only")
    i = E.index(Node("Sym", (m.index,)), size.size)
    if isinstance(i, int) or i.size != size.size:
        raise refuse(n, f"the index {m.index} does not run over {size}")
    return entry(window(symbol(d.name, SCALAR, E.kind(d), Time(m.base, m.shift.constant)), size.size), i)


def _walk(n: Node) -> list[Node]:
    return [n, *(m for a in n.nodes for m in _walk(a))]


ROWS: dict[str, Callable[[Names, Node], Expr]] = {
    "Tuple": stacked, "List": stacked, "Stack": stacked, "Matrix": stacked, "Slice": sliced,
}
