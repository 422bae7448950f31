r"""What a relation may mean beside what it was read as: a letter that is an exponent or a sign, a name that may be another thing.

Each function says what is open, or gives None where nothing is.

>>> from symrnn.read.reader import read
>>> from symrnn.read.symbols import SymbolTable
>>> table = SymbolTable.from_mapping({"symbols": {"h": "vector n, sequence", "A": "matrix n n", "t": "scalar"}, "time_letter": "k"})
>>> def sides(text):
...     chain = read(text, table).tree
...     return Sides(chain.nodes[0], "=", chain.nodes[1].nodes[0])
>>> timeless(sides("h = A h"), table)
'h stands on both sides without a step, and may be meant at two of them'
>>> value_at(sides("h(t) = A h(t)"), table, "h(t) = A h(t)")
'h(t) may be a product or a value at that time'
>>> print(as_powers(sides("h_T = A^T h_0"), frozenset({"T"}), "h_T = A^T h_0").right)
(Mul (Pow A T) h{t=0})
"""
from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import pairwise

from symrnn.document import Sides
from symrnn.expr import SCALAR, symbols, unknown, walk
from symrnn.prove.claim import Claim
from symrnn.prove.shapes import conflict
from symrnn.read.infer import FUNCTIONS
from symrnn.read.scope import LOSS, TOTAL
from symrnn.read.spelling import source_of
from symrnn.read.symbols import STANDARD, SymbolTable
from symrnn.read.tree import Node
from symrnn.read.tree import walk as nodes_of


def timeless(sides: Sides, table: SymbolTable) -> str | None:
    """A variable without its step on both sides of an equation: one step may be meant, or two of them."""
    left, right = ({n.head for n in nodes_of(side) if n.op == "Sym" and len(n.args) == 1} for side in (sides.left, sides.right))
    alone = str(sides.left.head) if sides.left.op == "Sym" else ""
    d = table.get(alone)
    if d is None or not d.sequence or alone not in left & right:
        return None
    return f"{alone} stands on both sides without a step, and may be meant at two of them"


def family(sides: Sides) -> str | None:
    """A letter that usually names one function, with a formula in which another letter stands beside its argument."""
    call = sides.left
    if call.op != "Call" or len(call.nodes) != 2 or call.nodes[0].op != "Sym" or call.nodes[0].head not in FUNCTIONS:
        return None
    known = {n.head for n in nodes_of(call) if n.op == "Sym"} | {*STANDARD, "e", "pi"}
    more = {n.head for n in nodes_of(sides.right) if n.op == "Sym"} - known
    return f"{call.nodes[0].head} may be one of several functions here, by a letter in its formula" if more else None


def value_at(sides: Sides, table: SymbolTable, latex: str) -> str | None:
    """A sequence without its step before a single letter in brackets, which may be the time."""
    for n in (n for side in (sides.left, sides.right) for n in nodes_of(side) if n.op == "Mul"):
        for f, letter in pairwise(n.nodes):
            d = table.get(f.head) if f.op == letter.op == "Sym" and len(f.args) == len(letter.args) == 1 else None
            if d is not None and d.sequence and latex[letter.span[0]] == "(":
                return f"{latex[f.span[0] : letter.span[1]]} may be a product or a value at that time"
    return None


def turned_or_power(sides: Sides, steps: Collection[str], latex: str) -> str | None:
    """What carries the letter of the last step as an upper script, where that letter stands in the exponent of another power."""
    nodes = [n for side in (sides.left, sides.right) for n in nodes_of(side)]
    counted = {m.head for n in nodes if n.op == "Pow" for m in nodes_of(n.nodes[1]) if m.op == "Sym"} & {*steps}
    marked = (source_of(latex, n.span) for n in nodes if n.op == "Transpose")
    found = next((text for text in marked if _above(text, counted)), None)
    return None if found is None else f"{found} may be transposed or a power"


def as_powers(sides: Sides, steps: Collection[str], latex: str) -> Sides | None:
    """A relation that speaks of the last step, with what carries the letter of that step as an upper script as a power."""
    nodes = [n for side in (sides.left, sides.right) for n in nodes_of(side)]
    last = {m.head for n in nodes if n.op == "Time" for m in n.nodes if m.op == "Sym"} & {*steps}

    def raised(n: Node) -> Node:
        letter = _above(source_of(latex, n.span), last) if n.op == "Transpose" else None
        parts = tuple(raised(a) if isinstance(a, Node) else a for a in n.args)
        return Node(n.op, parts, n.span) if letter is None else Node("Pow", (parts[0], Node("Sym", (letter,))), n.span)
    other = replace(sides, left=raised(sides.left), right=raised(sides.right))
    return other if other != sides else None


def _above(text: str, letters: Collection[str]) -> str | None:
    """The one of some letters that stands above a printed symbol."""
    plain = text.replace(" ", "")
    return next((x for x in sorted(letters) if plain.endswith((f"^{x}", f"^{{{x}}}"))), None)


def marked(claim: Claim) -> str | None:
    """A symbol that no equation has, with a mark above that of one that some equation has: W^* may be any function of W."""
    known = {s.name for e in claim.model.equations for s in (e.left, *symbols(e.right))}
    names = {s.name for e in (claim.left, claim.right) for s in symbols(e)} - known
    return next((name for name in sorted(names) if "^" in name and name.partition("^")[0] in known), None)


def loose(claim: Claim) -> str | None:
    """A symbol in a conflict of shapes of which no equation settles a size."""
    found = conflict(claim)
    return next((s.name for e in (found.operands if found is not None else ()) for s in symbols(e) if any(map(unknown, s.shape))), None)


def capitals(claim: Claim, unsure: Collection[str]) -> list[str]:
    """The capital letters of a claim that are taken for numbers because nothing tells what they are; matrices may not commute."""
    known = {s.name for e in claim.model.equations for s in (e.left, *symbols(e.right))} | {TOTAL, LOSS}
    letters = {s.name for e in (claim.left, claim.right) if e.op != "deriv" for s in symbols(e) if s.shape == SCALAR}
    derived = {s.name for e in (claim.left, claim.right) for x in walk(e) if x.op == "deriv" for s in symbols(x)}
    return sorted(name for name in letters & {*unsure} - known - derived if name[:1].isupper())
