r"""Stated shapes against the equations: what is said of sizes is doubted before the definitions that it does not fit.

A text that declares ``W`` with its sides exchanged is wrong about ``W``, not about the network. Its definitions are those that it
has when no stated shape counts. One stated shape without which they all fit is wrong; where there are several such, one of them is.

>>> from symrnn.read.document import parse_document
>>> text = r"$x_t \in \mathbb{R}^d$, all others in $\mathbb{R}^h$, $W \in \mathbb{R}^{d \times h}$. $$h_t = W x_t + U h_{t-1}$$"
>>> compiled = reconciled(parse_document(text, "a.md"))
>>> dict(compiled.disputed), compiled.sole, compiled.settings["main"].places
({'W': Declared(name='W', kind='matrix', shape=('d', 'h'), sequence=False, role=None)}, True, {'h': 'eq-4'})
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symrnn.document import Compiled, compile_document
from symrnn.errors import SymrnnError
from symrnn.expr import node, resize, unify
from symrnn.expr.unify import demands
from symrnn.read.declarations import declarations
from symrnn.read.document import Document
from symrnn.read.tree import walk
from symrnn.setting import Setting

DEFINES = ("=", ":=", "<-")
MOST = 12
"""How many stated shapes are doubted one by one."""


def reconciled(document: Document, claims_from: int | None = None, timeout: float | None = None) -> Compiled:
    """A document compiled; where its equations and its stated shapes do not fit, without the shapes that may be wrong."""
    compiled = compile_document(document, claims_from, timeout)
    said = statements(compiled)
    if not said or not compiled.settings["main"].guessed:
        return compiled
    everything = frozenset().union(*said)
    unsettled = replace(compiled, unsettled=frozenset(would_define(compiled, everything)))
    if not unsettled.unsettled and fits(compiled, set()):
        return compiled
    loose = compile_document(document, claims_from, timeout, everything)
    needed = definitions(loose) | definitions(compiled)
    if fits(compiled, needed) or not fits(loose, needed):             # the equations do not fit among themselves either
        return unsettled
    without = [compile_document(document, claims_from, timeout, names) for names in said[:MOST]]
    culprits = [k for k, other in enumerate(without) if fits(other, needed)]
    table = compiled.settings["main"].scope.table
    doubted = {d.name: d for k in culprits or range(len(said)) for d in table if d.name in said[k]}
    plain = not any("1" in d.shape for d in doubted.values())         # a row that is added to every row of a batch fits no rule here
    if not plain or not is_settled(compiled, frozenset(doubted)):
        return unsettled
    if len(culprits) == 1 and len(said) <= MOST:
        return replace(without[culprits[0]], disputed=doubted, sole=True)
    return replace(loose, disputed=doubted)


def is_settled(compiled: Compiled, names: frozenset[str]) -> bool:
    """Whether a text speaks of one network, says one thing of the sizes of some names, and sets no two sizes equal."""
    table = compiled.settings["main"].scope.table
    trees = [row.reading.tree for row in compiled.rows if row.reading.tree is not None]
    shapes = {(d.name, d.shape) for tree in trees for d in declarations(tree, table) if d.name in names}
    sizes = {size for d in table for size in d.shape}
    equal = any(n.op == "Chain" and all(m.op == "Sym" and m.head in sizes for m in (n.nodes[0], n.nodes[1].nodes[0]))
                for tree in trees for n in walk(tree))
    return len(compiled.settings) == 1 and len(shapes) <= len(names) and not equal


def statements(compiled: Compiled) -> list[frozenset[str]]:
    """The names of which the text says what sizes they have, each by itself; those of which it says it together are one."""
    table = compiled.settings["main"].scope.table
    sized = {d.name for d in table if d.kind in ("vector", "matrix") and d.shape and not any("?" in size for size in d.shape)}
    trees = (row.reading.tree for row in compiled.rows)
    alone = sized & {d.name for tree in trees if tree is not None for d in declarations(tree, table)}
    return [*(frozenset({name}) for name in sorted(alone)), *([frozenset(sized - alone)] if sized - alone else [])]


def fits(compiled: Compiled, needed: set[tuple[str, str]]) -> bool:
    """Whether all that some shapes or others let the text define is defined here, with shapes that fit together."""
    try:
        return needed <= definitions(compiled) and all(map(consistent, compiled.settings.values()))
    except SymrnnError:
        return False


def would_define(compiled: Compiled, names: frozenset[str]) -> Iterator[str]:
    """The formulas that would define a variable and use something of which the text says what sizes it has."""
    for row in compiled.rows:
        for s in row.found if isinstance(row.found, list) else ():
            means = s.role == "claim" and s.sides[0].relation in DEFINES and row.setting.undefined(s.sides[0].left)
            if means and any(n.head in names for n in walk(s.tree)):
                yield row.id


def definitions(compiled: Compiled) -> set[tuple[str, str]]:
    """What each formula of a document defines."""
    return {(row.id, s.defines) for row in compiled.rows if isinstance(row.found, list) for s in row.found if s.defines is not None}


def consistent(setting: Setting) -> bool:
    """Whether the equations of a scope fit together, and no array is a single number by that alone."""
    rows = [(node("sym", attr=e.left), e.right) for e in setting.settled()]
    values = unify(rows)
    left = (pair for a, b in rows for pair in demands(resize(a, values), resize(b, values)))
    return 1 not in values.values() and not any(left)
