"""A repaired relation as a text: in the author's words, put in the place of what is printed, and judged once more as it is read.

Of several ways to print it the first one that is proved when it is read afresh stands: with the author's own spelling of all that
did not change, else in the author's notation.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from symrnn.document import Sides, Statement, chain
from symrnn.errors import SymrnnError
from symrnn.expr import Expr, fix_time, transform
from symrnn.model import Model
from symrnn.phrases import Meaning, phrases
from symrnn.prove.claim import Claim
from symrnn.prove.decide import decide
from symrnn.prove.verdict import Fix
from symrnn.read.gradients import OWN_NAME
from symrnn.read.meaningless import Meaningless
from symrnn.read.reader import read
from symrnn.read.scope import Scope
from symrnn.read.spelling import extent, source_of
from symrnn.read.tree import Node
from symrnn.read.tree import walk as nodes_of
from symrnn.repair import Repair
from symrnn.write.latex import NONE, latex
from symrnn.write.notation import Notation


@dataclass(frozen=True)
class Corrections:
    """Prints corrections of the relations of one formula.

    ``claim`` is what a relation claims where the formula stands, ``meaning`` what a part of it means there; ``whole``: a correction is
    the whole formula, with what stands round the relation.
    """

    text: str
    scope: Scope
    notation: Notation
    claim: Callable[[Sides], Claim]
    meaning: Meaning
    whole: bool = False

    def fix(self, statement: Statement, sides: Sides, found: Repair) -> Fix | None:
        """The correction of a relation, proved as it is printed; None if no way to print it reads back to something that is proved."""
        for right in dict.fromkeys(self.forms(statement, found.claim)):
            for left in dict.fromkeys((statement.sides[0].left, sides.left)):
                plain = f"{source_of(self.text, left.span)} = {right}"
                word = self.again(plain)
                if word == "proved":
                    whole = self.in_place(statement, plain, right) if left is statement.sides[0].left else None
                    return Fix(whole or plain, word, self.words(found))
        return None

    def within(self, sides: Sides, old: Node, new: str, found: Repair, again: Callable[[Sides], str | None]) -> Fix | None:
        """The relation with one part of its right side printed anew, if ``again`` finds it proved."""
        (lo, hi), (start, end) = extent(self.text, old.span), extent(self.text, sides.right.span)
        text = f"{source_of(self.text, sides.left.span)} = {self.text[start:lo]}{new}{self.text[hi:end]}"
        tree = read(text, self.scope.table).tree
        printed = list(chain(tree)) if tree is not None and tree.op == "Chain" else []
        proved = len(printed) == 1 and again(printed[0]) == "proved"
        return Fix(text, "proved", self.words(found)) if proved else None

    def forms(self, statement: Statement, claim: Claim) -> Iterator[str]:
        """The right side in the author's spelling of its parts, then in the notation of the text alone, last with the usual sign."""
        known = phrases([statement.tree], self.text, self.meaning, self.notation, self.scope, claim.model)
        right = self.in_names(claim.right, claim.model)
        for notation in (self.notation, replace(self.notation, entrywise=Notation.entrywise)):
            for spelled in (known, NONE):
                yield latex(right, notation, spelled)

    def in_names(self, e: Expr, model: Model) -> Expr:
        """An expression with what the text has no name for, the arguments of activations, as they are computed."""
        invented = {OWN_NAME.format(of) for of in self.scope.arguments.values()}

        def change(x: Expr) -> Expr | None:
            if x.op != "sym" or x.attr.name not in invented or x.attr.kind != "variable" or x.attr.time is None:
                return None
            return fix_time(model.definitions[x.attr.name], "t", x.attr.time)
        return transform(e, change)

    def words(self, found: Repair) -> tuple[str, ...]:
        """The edits in words."""
        return tuple(str(e.parts[0]).format(*(self.inline(x) if isinstance(x, Expr) else x for x in e.parts[1:])) for e in found.edits)

    def inline(self, e: Expr) -> str:
        """An expression in the author's notation, between dollar signs."""
        return f"${latex(e, self.notation)}$"

    def again(self, text: str) -> str:
        """The verdict on a correction that is read and judged like any other equation."""
        reading = read(text, self.scope.table)
        if reading.tree is None or reading.tree.op != "Chain":
            return "unreadable"
        try:
            (sides,) = chain(reading.tree)
            claim = self.claim(sides)
        except (Meaningless, SymrnnError, ValueError):
            return "unreadable"
        return decide(claim).word or "undecided" if claim.left != claim.right else "trivial"

    def in_place(self, statement: Statement, plain: str, right: str) -> str | None:
        """The whole formula with the correction in the place of what is printed, if it is one line and reads so."""
        if not self.whole or r"\\" in self.text or "&" in self.text:
            return None
        start, end = extent(self.text, statement.sides[0].right.span)[0], extent(self.text, statement.sides[-1].right.span)[1]
        text = f"{self.text[:start]}{right}{self.text[end:]}"
        trees = [read(t, self.scope.table).tree for t in (self.text, plain, text)]
        if any(tree is None for tree in trees):
            return None
        printed, corrected, whole = (tree for tree in trees if tree is not None)
        old = next((n for n in nodes_of(printed) if n.op == "Chain" and n.span == statement.tree.span), None)
        return text if old is not None and put(printed, old, corrected) == whole else None


def put(n: Node, old: Node, new: Node) -> Node:
    """A tree with one part exchanged."""
    if n == old and n.span == old.span:
        return new
    return Node(n.op, tuple(put(a, old, new) if isinstance(a, Node) else a for a in n.args), n.span)
