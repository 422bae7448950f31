r"""The shapes that a text states: of a derivative, or of a symbol against the equations.

A derivative: ``\frac{\partial h_t}{\partial h_{t-1}} \in \mathbb{R}^{n \times n}``; a symbol: ``W \in \mathbb{R}^{n \times m}``.
"""
from __future__ import annotations

from collections.abc import Iterator

from symrnn.document import Row
from symrnn.judge import Relation
from symrnn.prove.shapes import derivative_shape
from symrnn.prove.verdict import Fix, Verdict
from symrnn.read.declarations import declarations, size_text
from symrnn.read.infer import SPACES
from symrnn.read.names import name_latex
from symrnn.read.tree import Node
from symrnn.shapeclaims import show
from symrnn.told.world import World

REALS = Node("Space", ("R",))
PRODUCTS = ("Times", "Tuple")


def stated(row: Row, world: World) -> Iterator[Relation]:
    """What a formula says of the shape of a derivative of something by something, whose shapes are declared."""
    tree = row.reading.tree
    if tree is None or tree.op != "Chain" or len(tree.nodes) != 2 or tree.nodes[1].head != "in":
        return
    value, into = tree.nodes[0], tree.nodes[1].nodes[0]
    if value.op != "Deriv" or len(value.nodes) != 2 or value.args[1] != "1" or into.op != "Pow" or into.nodes[0] != REALS:
        return
    shapes = [_shape(n, world, row.span.offset) for n in value.nodes]
    groups = _groups(into.nodes[1], world, row.span.offset)
    known = {n for shape in shapes if shape is not None for n in shape} | set(world.model(row.span.offset).sizes)
    if None in shapes or row.setting.scope.layout != "denominator" or not all(n.isdigit() or n in known for g in groups for n in g):
        return
    top, bottom = (shape or () for shape in shapes)
    verdict = derivative_shape(top, bottom, groups)
    if verdict is not None:
        yield Relation(row.span.latex, verdict)


def disputed(row: Row, world: World) -> Iterator[Relation]:
    """What a formula says of sizes that do not fit the equations: wrong if nothing else can be, else undecided."""
    tree, compiled = row.reading.tree, world.compiled
    for part in () if tree is None or not compiled.disputed else tree.nodes if tree.op in ("Seq", "Rows") else (tree,):
        for d in declarations(part, row.setting.scope.table):
            if (said := compiled.disputed.get(d.name)) is None or said.shape != d.shape:
                continue
            text = row.span.latex[part.span[0] : part.span[1]]
            text += "}" * (text.count("{") - text.count("}"))
            own = world.symbol(row.span.offset, d.name)
            sizes = () if own is None else tuple(map(str, own.shape))[: len(d.shape)]
            apart = any(a != b and a in world.sizes_declared for a, b in zip(sizes, d.shape, strict=False))
            if not compiled.sole or not apart:
                others = ", ".join(name for name in compiled.disputed if name != d.name) or "its equations"
                reason = f"the equations do not fit all shapes that are stated; which of {d.name} and {others} is wrong is not known"
                yield Relation(text, Verdict("undecided", "SR103", reason))
                continue
            reason = f"the equations make {d.name} {show(sizes)}, and it is said to be {show(d.shape)}"
            fix = _right(text, sizes) if set(sizes) <= world.sizes_declared else None
            yield Relation(text, Verdict("refuted", "SR101", reason, method="shapes", fix=fix))


def _right(text: str, sizes: tuple[str, ...]) -> Fix | None:
    """A statement with the sizes that the equations determine in the place of its own."""
    power = SPACES.search(text)
    if power is None or power.end() < len(text.rstrip(" .,;")) or "," in text[: power.start()]:
        return None
    right = power[0].partition("^")[0] + "^{" + r" \times ".join(map(name_latex, sizes)) + "}"
    return Fix(text[: power.start()] + right, "proved")


def _shape(n: Node, world: World, offset: int) -> tuple[str, ...] | None:
    """The declared sizes of a symbol, none for a number; None where one is not declared."""
    if n.op != "Sym" or n.part("Index") is not None:
        return None
    scope = world.setting(offset).scope
    if n.head in (scope.total, scope.loss):
        return ()
    d = scope.table.get(n.head)
    if d is not None and d.kind == "scalar":
        return ()
    if d is not None and d.kind in ("vector", "matrix") and len(d.shape) == (1 if d.kind == "vector" else 2):
        return None if "?" in "".join(d.shape) else tuple(x for x in d.shape if x != "1")
    found = world.symbol(offset, n.head)
    own = () if found is None else tuple(str(x) for x in found.shape if x != 1)
    return own if found is not None and set(own) <= world.sizes_declared else None


def _groups(n: Node, world: World, offset: int) -> tuple[tuple[str, ...], ...]:
    """The sizes of a power of the reals, in groups where brackets make such."""
    table = world.setting(offset).scope.table
    sides = n.nodes if n.op in PRODUCTS else (n,)
    if any(side.op in PRODUCTS for side in sides):
        return tuple(tuple(size_text(m, table) for m in (side.nodes if side.op in PRODUCTS else (side,))) for side in sides)
    return (tuple(size_text(side, table) for side in sides),)
