r"""Claims about shapes, such as :math:`U \in \mathbb{R}^{h \times h}`, against the shapes that are given.

>>> verdict = shape_claim(r"W \in \mathbb{R}^{n \times m}, V \in \mathbb{R}^{n \times n}", {"W": ("n", "m"), "V": ("m", "n")})
>>> verdict.word, verdict.reason
('refuted', 'V is given as m x n, and said to be n x n')
>>> shape_claim(r"W \in \mathbb{R}^{n \times m}", {"W": ("n", "m")}).word, shape_claim(r"W \in \mathbb{R}^{n \times m}", {})
('proved', None)
"""
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from symrnn.prove.verdict import EVERYWHERE, Fix, Verdict
from symrnn.read.declarations import declarations
from symrnn.read.reader import read
from symrnn.read.symbols import Declared, SymbolTable
from symrnn.read.tree import Node

AND = re.compile(r"\\(?:text|textrm|mathrm|mbox)\s*\{\s*,?\s*and(?:\s+also)?\s*\}")
"""A word between two memberships."""


def shape_claim(claim: str, given: Mapping[str, Sequence[str]], table: SymbolTable | None = None) -> Verdict | None:
    """The verdict on a formula that only says of what shapes its symbols are; None for another one, or where nothing decides it.

    Different letters are different sizes. ``given`` has one size for a vector and two for a matrix.
    """
    table = table or SymbolTable()
    tree = read(AND.sub(",", claim), table).tree
    parts = () if tree is None else tree.nodes if tree.op in ("Seq", "Rows") else (tree,)
    said = [d for part in parts for d in declarations(part, table) if d.kind in ("vector", "matrix")]
    if not said or len(said) < len(parts) or not all(map(_is_membership, parts)):
        return None
    first: dict[str, tuple[str, ...]] = {}
    if all(d.name in given for d in said) and any(tuple(given[d.name]) != d.shape for d in said):
        wrong = next(d for d in said if tuple(given[d.name]) != d.shape)
        found = _refuted(f"{wrong.name} is given as {show(given[wrong.name])}, and said to be {show(wrong.shape)}")
        fix = _as_given(claim, parts, given, [d.name for d in said])
        again = shape_claim(fix, given, table) if fix is not None and fix != claim else None
        stands = fix is not None and again is not None and again.word == "proved"
        return replace(found, fix=Fix(str(fix), "proved", ("write the shapes that are given",))) if stands else found
    for d in said:
        if first.setdefault(d.name, d.shape) != d.shape:
            return _refuted(f"{d.name} cannot be {show(first[d.name])} and {show(d.shape)}")
        own = given.get(d.name)
        if own is not None and tuple(own) != d.shape:
            return _refuted(f"{d.name} is given as {show(own)}, and said to be {show(d.shape)}")
    if any(d.name not in given for d in said):
        return None
    return Verdict("proved", method="the shapes that are given", scope=EVERYWHERE, error_bound="0")


def _as_given(claim: str, parts: Sequence[Node], given: Mapping[str, Sequence[str]], names: Sequence[str]) -> str | None:
    """The claim with the shapes that are given, where each part speaks of one symbol."""
    if len(parts) != len(names):
        return None
    for part, name in reversed(list(zip(parts, names, strict=True))):
        lo, hi = part.nodes[1].nodes[0].nodes[1].span
        shape = r" \times ".join(given[name])
        claim = claim[:lo] + (shape if claim[lo - 1] == "{" else f"{{{shape}}}") + claim[hi:]
    return claim


def given_shapes(declared: Mapping[str, Declared]) -> dict[str, tuple[str, ...]]:
    """The shapes of the vectors and matrices that are declared with sizes."""
    return {name: d.shape for name, d in declared.items() if d.kind in ("vector", "matrix") and d.shape and "?" not in "".join(d.shape)}


def _is_membership(n: Node) -> bool:
    if n.op != "Chain" or len(n.nodes) != 2 or n.nodes[1].head != "in":
        return False
    space = n.nodes[1].nodes[0]
    return space.op == "Pow" and space.nodes[0] == Node("Space", ("R",))


def _refuted(reason: str) -> Verdict:
    return Verdict("refuted", "SR101", reason, method="shapes")


def show(shape: Sequence[str]) -> str:
    """A shape in words: a x b, or a x 1 of a vector."""
    return " x ".join(shape) if len(shape) > 1 else f"{shape[0]} x 1"
