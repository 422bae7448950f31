r"""How inequalities between norms are read: ``\| A B \| \le \|A\| \|B\|``, ``\rho(W) < 1 \Rightarrow \|W^n\| \to 0``."""
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from symrnn.expr import SCALAR, Expr, Time, lift
from symrnn.magnitudes.tree import Count, Magnitude, Matrix, Product, Said, Tends, norm, number, radius
from symrnn.magnitudes.tree import walk as parts
from symrnn.read.elaborate import Elaborator, Meaningless
from symrnn.read.scope import Scope
from symrnn.read.tree import Node, walk

KINDS = {"": "", "2": "2", "F": "F", "1": "1", "infty": "infty", "op": "2"}
"""The norms that are told apart, by what is printed below them."""
RELATIONS = {"=", "<", "<=", ">", ">="}
RADIUS, LARGEST, SINGULAR = {"rho"}, {"lambda_max"}, {"sigma_max", "sigma_1", "s_max"}
"""Names of functions of a matrix: the largest modulus of an eigenvalue, the largest eigenvalue, the largest singular value."""
GRADIENT = re.compile(r"gradients?|grad", re.I)


class NotRead(Exception):
    """No magnitude."""


@dataclass
class Magnitudes:
    """Reads the trees of one scope; ``state`` is what the steps hand on, if that is one variable."""

    scope: Scope
    sizes: Mapping[str, Any]
    state: str | None = None
    primed: dict[str, str] = field(default_factory=dict)

    def statements(self, tree: Node) -> tuple[list[Said], list[tuple[Node, Said | Tends]]]:
        """What a formula supposes, and what it says then, each with its tree. Raises NotRead."""
        premises: list[Said] = []
        while tree.op in ("Implies", "Where"):
            if tree.op == "Implies":
                for n in tree.nodes[:-1]:
                    premises += self.premises(n)
                tree = tree.nodes[-1]
            else:
                premises += [p for n in tree.nodes[1:] for p in self.premises(n)]
                tree = tree.nodes[0]
        return premises, [(n, said) for n, said in self.chain(tree)]

    def premises(self, tree: Node) -> list[Said]:
        """What is supposed; that a count grows says nothing."""
        if tree.op == "Where" or tree.op == "Implies":
            raise NotRead
        if tree.op in ("Seq", "Rows", "And"):
            return [p for n in tree.nodes for p in self.premises(n)]
        if tree.op != "Chain":
            raise NotRead
        if len(tree.nodes) == 2 and tree.nodes[1].head in ("->", "!="):
            right = tree.nodes[1].nodes[0]
            if tree.nodes[1].head == "->" and _infinite(right):
                self.count(tree.nodes[0])
                return []
            if tree.nodes[1].head == "!=":
                apart = Node("Add", (tree.nodes[0], Node("Neg", (right,))))
                return [Said(norm(self.expression(apart)), ">", number(0))]
            raise NotRead
        found = [said for _, said in self.chain(tree)]
        if any(isinstance(s, Tends) for s in found):
            raise NotRead
        return [s for s in found if isinstance(s, Said)]

    def chain(self, tree: Node) -> Iterator[tuple[Node, Said | Tends]]:
        """The relations of a chain, each side with the one before it."""
        if tree.op != "Chain":
            raise NotRead
        left = tree.nodes[0]
        for rel in tree.nodes[1:]:
            right = rel.nodes[0]
            pair = Node("Chain", (left, rel))
            if rel.head == "->":
                yield pair, Tends(self.growing(left), "oo" if _infinite(right) else "0" if right == Node("Num", ("0",)) else self.stop())
            elif rel.head in RELATIONS:
                yield pair, Said(self.magnitude(left), rel.head, self.magnitude(right))
            else:
                raise NotRead
            left = right

    def growing(self, n: Node) -> Magnitude:
        """What tends to something; a matrix does so in its norm."""
        try:
            return self.magnitude(n)
        except NotRead:
            return norm(self.matrix(n))

    def stop(self) -> Any:
        raise NotRead

    # ------------------------------------------------------------------------------------------------------------- numbers
    def magnitude(self, n: Node) -> Magnitude:
        match n.op:
            case "Num":
                return number(Fraction(n.head))
            case "Norm":
                kind = KINDS.get(n.nodes[1].head if len(n.nodes) > 1 else "")
                if kind is None:
                    raise NotRead
                return norm(self.matrix(n.nodes[0]), kind)
            case "Abs":
                return Magnitude("abs", (self.magnitude(n.nodes[0]),))
            case "Add" | "Mul":
                return Magnitude(n.op.lower(), tuple(map(self.magnitude, n.nodes))) if self.has_norm(n) else self.value(n)
            case "Neg":
                return Magnitude("mul", (number(-1), self.magnitude(n.nodes[0])))
            case "Div" if all(m.op == "Num" for m in n.nodes) and Fraction(n.nodes[1].head):
                return number(Fraction(n.nodes[0].head) / Fraction(n.nodes[1].head))
            case "Div" if n.nodes[1].op == "Num" and Fraction(n.nodes[1].head):
                return Magnitude("mul", (number(1 / Fraction(n.nodes[1].head)), self.magnitude(n.nodes[0])))
            case "Pow":
                return Magnitude("power", (self.magnitude(n.nodes[0]),), self.count(n.nodes[1]))
            case "Prod":
                letter, first, last = self.bounds(n)
                return Magnitude("prod", (self.magnitude(n.nodes[3]),), (letter, first, last))
            case "Call" if len(n.nodes) == 2 and n.nodes[0].op == "Sym":
                name, inner = n.nodes[0].head, n.nodes[1]
                if name in RADIUS:
                    return radius(self.matrix(inner))
                if name in LARGEST:
                    return Magnitude("top", attr=self.matrix(inner))
                if name in SINGULAR:
                    return norm(self.matrix(inner), "2")
        if n.op == "Sym" and len(n.args) == 1 and GRADIENT.fullmatch(n.head) and self.state is not None:
            return norm(self.over_steps())
        return self.value(n)

    def has_norm(self, n: Node) -> bool:
        return any(m.op in ("Norm", "Abs", "Prod") or m.op == "Call" and m.nodes[0].head in RADIUS | LARGEST | SINGULAR or m.op == "Pow"
                   for m in walk(n))

    def value(self, n: Node) -> Magnitude:
        e = self.expression(n)
        if e.shape != SCALAR:
            raise NotRead
        return number(e.attr) if e.op == "num" else Magnitude("value", attr=e)

    # ------------------------------------------------------------------------------------------------------------ matrices
    def matrix(self, n: Node) -> Matrix:
        if n.op == "Prod":
            letter, first, last = self.bounds(n)
            return Product(letter, first, last, self.expression(n.nodes[3]))
        if n.op == "Pow" and n.nodes[1].op != "Num":
            return self.repeated(n)
        return self.expression(n)

    def repeated(self, n: Node) -> Product:
        """A power of a matrix with a letter in its exponent, as a product of as many factors."""
        c = self.count(n.nodes[1])
        up, down = ([x for x, k in c.letters if k == sign] for sign in (1, -1))
        if len(up) != 1 or len(down) > 1 or len(up) + len(down) != len(c.letters):
            raise NotRead
        first = Time(down[0], 1 - c.offset) if down else Time("", 1 - c.offset)
        return Product("i", first, Time(up[0]), self.expression(n.nodes[0]))

    def over_steps(self) -> Matrix:
        """The derivative of the state at the last step by the state at an early one."""
        last = Node("Sym", (str(self.state), Node("Time", (Node("Sym", ("T",)),))))
        early = Node("Sym", (str(self.state), Node("Time", (Node("Sym", ("k",)),))))
        return self.expression(Node("Deriv", ("partial", "1", last, early)))

    def bounds(self, n: Node) -> tuple[str, Time, Time]:
        variable, low, high, _, restriction = n.nodes
        if variable.op != "Sym" or len(variable.args) != 1 or restriction.op != "Absent":
            raise NotRead
        first, last = (self.step(b) for b in (low, high))
        return variable.head, first, last

    def step(self, n: Node) -> Time:
        c = self.count(n)
        if len(c.letters) > 1 or any(k != 1 for _, k in c.letters):
            raise NotRead
        return Time(c.letters[0][0] if c.letters else "", c.offset)

    def count(self, n: Node) -> Count:
        """A whole number made of letters for steps."""
        match n.op:
            case "Num" if Fraction(n.head).denominator == 1:
                return Count.of({}, int(n.head))
            case "Sym" if len(n.args) == 1:
                return Count.of({"T" if n.head in self.scope.steps else n.head: 1}, 0)
            case "Neg":
                c = self.count(n.nodes[0])
                return Count.of({x: -k for x, k in c.letters}, -c.offset)
            case "Add":
                letters: dict[str, int] = {}
                offset = 0
                for c in map(self.count, n.nodes):
                    offset += c.offset
                    for x, k in c.letters:
                        letters[x] = letters.get(x, 0) + k
                return Count.of(letters, offset)
        raise NotRead

    def expression(self, n: Node) -> Expr:
        """The typed expression of a tree; a primed variable is another one like it."""
        named = self.unprimed(n)
        known = {new: replace(d, name=new, shape=d.shape or self.shape_of(old)) for new, old in self.primed.items()
                 if (d := self.scope.table.get(old)) is not None}
        scope = replace(self.scope, table=self.scope.table.rebound(list(known.values()))) if known else self.scope
        try:
            e = Elaborator(scope, solved=self.sizes, lenient=True)(named)
        except Meaningless:
            raise NotRead from None
        if e.shape is None:
            raise NotRead
        return lift(0) if n == Node("Zeros") else e

    def shape_of(self, name: str) -> tuple[str, ...]:
        """The sizes that the equations give a symbol."""
        e = Elaborator(self.scope, solved=self.sizes, lenient=True)(Node("Sym", (name,)))
        return tuple(str(n) for n in e.shape or () if n != 1)

    def unprimed(self, n: Node) -> Node:
        if n.op == "Prime" and n.nodes[0].op == "Sym":
            inner = n.nodes[0]
            d = self.scope.table.get(inner.head)
            if d is not None and not d.is_function:
                self.primed[f"{inner.head}_other"] = inner.head
                return Node("Sym", (f"{inner.head}_other", *inner.args[1:]), n.span)
        return Node(n.op, tuple(self.unprimed(a) if isinstance(a, Node) else a for a in n.args), n.span)


def _infinite(n: Node) -> bool:
    """Infinity, perhaps with a word in parentheses after it."""
    return n == Node("Sym", ("infty",)) or n.op == "Call" and n.nodes[0] == Node("Sym", ("infty",))


def speaks_of_norms(tree: Node) -> bool:
    """Whether a formula compares norms, radii or eigenvalues of matrices, or says what they tend to."""
    return any(n.op == "Norm" or n.op == "Call" and n.nodes[0].head in RADIUS | LARGEST | SINGULAR or n.op == "Rel" and n.head == "->"
               for n in walk(tree))


def only_of_columns(said: list[Said | Tends]) -> bool:
    """Whether it says nothing but that norms of columns, or entrywise ones of matrices, are equal: numbers that the entries give."""
    return all(isinstance(s, Said) and s.relation == "=" and all(_by_entries(m) for side in (s.left, s.right) for m in parts(side))
               for s in said)


def _by_entries(m: Magnitude) -> bool:
    if m.op != "norm":
        return m.op not in ("radius", "top")
    kind, matrix = m.attr
    return kind == "F" or isinstance(matrix, Expr) and matrix.shape is not None and 1 in matrix.shape
