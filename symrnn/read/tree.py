"""The syntax tree of a formula: one frozen node type, and the table of its operations.

A tree says what a formula *is as notation*: which symbol carries which time, where a sum ends, what a bracket means.
It says nothing of shapes: `W h` is ``Mul`` of two symbols whether that is a matrix product or a scaling.

>>> h = sym("h", time=Node("Add", (SYM_T, Node("Neg", (num(1),)))))
>>> print(Node("Mul", (sym("W_hh"), h)))
(Mul W_hh h{t=(Add t (Neg 1))})
>>> h.span, h == Node("Sym", h.args, (3, 9))        # a span is where a node was read; it is no part of what it is
((0, 0), True)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Op:
    """One operation: its name, the arguments it takes in words, and what it means.

    `least` and `most` bound the number of arguments; `most` is None when there may be any number.
    """

    name: str
    least: int
    most: int | None
    arguments: str
    meaning: str


_TABLE: tuple[Op, ...] = (
    # -- leaves and the parts of a symbol (text arguments are names and numerals, never LaTeX to be interpreted)
    Op("Sym", 1, 6, "name, then at most one each of Time, Layer, Index, Param", "a symbol with what its scripts say"),
    Op("Time", 1, 1, "expression", "part of Sym: the time it is taken at"),
    Op("Layer", 1, 1, "expression", "part of Sym: a layer or sequence number in brackets beside the time"),
    Op("Index", 1, None, "expressions", "part of Sym: components; on other nodes see At"),
    Op("Param", 1, None, "expressions", "part of Sym: parameters of a function or operator, as W in f_W or i in max_i"),
    Op("Num", 1, 1, "numeral", "a number as written, such as 2 or 0.5"),
    Op("Space", 1, 1, "letter", "a blackboard letter that is a set of numbers, such as R"),
    Op("Zeros", 0, None, "sizes", "a bold or arrowed zero: the array of zeros"),
    Op("Ones", 0, None, "sizes", "a bold one without a condition: the array of ones"),
    Op("Text", 1, 1, "text", "words set as text, or a quoted letter"),
    Op("Ellipsis", 0, 0, "", "dots of any kind"),
    Op("Slot", 0, 0, "", "a dot that stands for an argument, as in f(.)"),
    Op("Absent", 0, 0, "", "an optional argument that is not there"),
    # -- arithmetic
    Op("Add", 2, None, "terms", "a sum of terms; a subtracted term is Neg"),
    Op("Neg", 1, 1, "body", "the sign minus"),
    Op("PlusMinus", 1, 1, "body", "the sign plus-or-minus"),
    Op("Mul", 2, None, "factors in order", "juxtaposition"),
    Op("Dot", 2, 2, "left, right", r"\cdot"),
    Op("Times", 2, 2, "left, right", r"\times"),
    Op("Star", 2, 2, "left, right", "* (product or Hadamard, as the text uses it)"),
    Op("Had", 2, 2, "left, right", r"\odot, \circ or .* (Hadamard product)"),
    Op("Outer", 2, 2, "left, right", r"\otimes"),
    Op("Plus", 2, 2, "left, right", r"\oplus"),
    Op("Div", 2, 2, "numerator, denominator", "a fraction, a slash, or the division sign"),
    Op("Pow", 2, 2, "base, exponent", "a superscript that is a power"),
    Op("Root", 2, 2, "body, degree or Absent", "a root"),
    Op("Transpose", 1, 1, "body", "transposed"),
    Op("Prime", 1, 1, "body", "one prime mark"),
    Op("Inverse", 1, 1, "function", "an inverse function, as in f^{-1}(x)"),
    Op("Factorial", 1, 1, "body", "!"),
    # -- application and parts
    Op("Call", 1, None, "function, arguments, at most one Given at the end", "a function applied"),
    Op("Given", 1, None, "arguments", "part of Call and Tuple: what stands after ; or |"),
    Op("At", 2, None, "base, subscripts", "a subscript on something that is no plain symbol, as in [h]_i"),
    Op("Slice", 3, 3, "base, low or Absent, high or Absent", "h[2:p]"),
    Op("Eval", 2, 2, "body, subscript", "evaluated at: a bar with a subscript"),
    Op("Compose", 2, 2, "left, right", r"\circ between two functions"),
    # -- big operators; the restriction is a Chain such as i != j, or Absent
    Op("Sum", 5, 5, "variable, lower, upper, body, restriction; each but the body may be Absent", "a sum"),
    Op("Prod", 5, 5, "variable, lower, upper, body, restriction; each but the body may be Absent", "a product"),
    # -- derivatives
    Op("Deriv", 4, None, "kind, order, numerator, denominators", "a derivative; kind is partial, d, total or immediate;"
       " a denominator of second order stands twice; the numerator is Slot when the operator stands alone"),
    Op("Differential", 2, 2, "kind, body", "dx or a partial sign without a denominator"),
    Op("Grad", 2, 2, "with respect to (or Absent), body (or Slot)", "nabla"),
    Op("Gradient", 2, 2, "prefix, symbol", "a gradient by the name of what it is taken by: delta before h, d before W"),
    Op("Delta", 1, 1, "body", "the change of something, as in an update rule"),
    # -- collections
    Op("Tuple", 0, None, "items, at most one Given at the end", "round brackets with commas"),
    Op("List", 0, None, "items", "square brackets with commas (often a concatenation)"),
    Op("Stack", 2, None, "items", "brackets with semicolons: parts one below the other"),
    Op("Set", 0, None, "items, at most one Given at the end", "braces"),
    Op("Interval", 3, 3, "brackets, low, high", "an interval; brackets is [], (), [) or (]"),
    Op("Matrix", 1, None, "rows", "a matrix written out, or blocks"),
    Op("Row", 1, None, "entries", "part of Matrix"),
    Op("Norm", 1, 2, "body, kind", "double bars; kind is the subscript"),
    Op("Abs", 1, 1, "body", "single bars"),
    Op("Inner", 1, None, "items", "angle brackets"),
    Op("Floor", 1, 1, "body", "the whole number below"),
    Op("Ceil", 1, 1, "body", "the whole number above"),
    Op("Indicator", 1, None, "condition, or two things that are compared", "1 where the condition holds, else 0"),
    Op("Cases", 1, None, "If nodes", "a definition by cases"),
    Op("If", 2, 2, "value, condition or Otherwise", "part of Cases"),
    Op("Otherwise", 0, 0, "", "part of If: in all other cases"),
    Op("Enum", 2, None, "items", "a listed range such as 1, 2, ..., n at the right of a relation"),
    # -- statements
    Op("Chain", 2, None, "left side, Rel nodes", "relations in a row: a = b = c"),
    Op("Rel", 2, 2, "relation, right side", "part of Chain; the relation is one of RELATIONS"),
    Op("Implies", 2, None, "statements", "one statement, therefore the next"),
    Op("Iff", 2, None, "statements", "statements that hold together"),
    Op("Where", 2, None, "statement, conditions", "a statement with the conditions or ranges it is stated for"),
    Op("Seq", 2, None, "statements or items", "a list in one row, separated by commas or wide space"),
    Op("Rows", 2, None, "statements", "the rows of a display; a row that continues a chain is part of that chain"),
)

OPS: dict[str, Op] = {op.name: op for op in _TABLE}
"""Every operation by name."""

RELATIONS: dict[str, str] = {
    "=": "equal", ":=": "defined as", "+=": "increased by", "-=": "decreased by", "<-": "becomes", "==": "identical",
    "!=": "not equal", "<": "less", "<=": "at most", ">": "greater", ">=": "at least", "<<": "much less",
    ">>": "much greater", "in": "element of", "notin": "no element of", "subset": "subset of", ":": "has type",
    "->": "to", "|->": "maps to", "~": "distributed as, or of order", "~=": "approximately", "prop": "proportional to",
}
"""Every relation a Rel can hold, with its meaning."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node: operation, arguments (nodes, or text in the places the table names), and where it was read.

    `span` is the pair of offsets (first, past the last) in the LaTeX of the span; equality and hash ignore it.
    """

    op: str
    args: tuple[Node | str, ...] = ()
    span: tuple[int, int] = field(default=(0, 0), compare=False)

    def __str__(self) -> str:
        return compact(self)

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The arguments that are nodes, in order."""
        return tuple([a for a in self.args if isinstance(a, Node)])

    @property
    def head(self) -> str:
        """The text in first place: the name of a Sym, the numeral of a Num, the kind of a Deriv, ...; else ''."""
        return self.args[0] if self.args and isinstance(self.args[0], str) else ""

    def part(self, op: str) -> Node | None:
        """The first argument with this operation, such as the Time of a Sym or the Given of a Call."""
        return next((a for a in self.args if isinstance(a, Node) and a.op == op), None)

    def at(self, span: tuple[int, int]) -> Node:
        """The same node read at `span`."""
        return Node(self.op, self.args, span)


ABSENT = Node("Absent")
SLOT = Node("Slot")
ELLIPSIS = Node("Ellipsis")
OTHERWISE = Node("Otherwise")
SYM_T = Node("Sym", ("t",))
PARTS = ("Time", "Layer", "Index", "Param")
"""The parts of a Sym, in the order in which they stand."""


def num(value: int | str) -> Node:
    """A number."""
    return Node("Num", (str(value),))


def sym(name: str, *, time: Node | None = None, layer: Node | None = None, index: tuple[Node, ...] = (),
        param: tuple[Node, ...] = (), span: tuple[int, int] = (0, 0)) -> Node:
    """A symbol with its parts.

    >>> print(sym("o", time=SYM_T, index=(sym("i"),)))
    o{t=t; i=i}
    """
    one = {"Time": (time,) if time else (), "Layer": (layer,) if layer else ()}
    parts = (*one.items(), ("Index", index), ("Param", param))
    return Node("Sym", (name, *(Node(op, tuple(args)) for op, args in parts if args)), span)


def walk(node: Node) -> Iterator[Node]:
    """Every node of a tree, parents first, without recursion."""
    stack = [node]
    while stack:
        top = stack.pop()
        yield top
        stack += [a for a in reversed(top.args) if isinstance(a, Node)]


def depth(node: Node) -> int:
    """The number of levels of a tree, without recursion.

    >>> depth(SYM_T), depth(Node("Neg", (SYM_T,)))
    (1, 2)
    """
    deepest, stack = 0, [(node, 1)]
    while stack:
        top, level = stack.pop()
        deepest = max(deepest, level)
        stack.extend((child, level + 1) for child in top.nodes)
    return deepest


def problems(node: Node) -> list[str]:
    """What in a tree does not agree with the table; empty for every tree a reader makes.

    >>> problems(Node("Neg", ())), problems(Node("Neg", (num(1),)))
    (['Neg takes body, not 0 arguments'], [])
    """
    found = []
    for n in walk(node):
        op = OPS.get(n.op)
        if op is None:
            found.append(f"{n.op} is no operation")
        elif not op.least <= len(n.args) <= (len(n.args) if op.most is None else op.most):
            found.append(f"{n.op} takes {op.arguments or 'nothing'}, not {len(n.args)} arguments")
        elif n.op == "Rel" and n.head not in RELATIONS:
            found.append(f"{n.head!r} is no relation")
    return found


_MARKS = {"Time": "t", "Layer": "l", "Index": "i", "Param": "p"}


def _word(text: str) -> str:
    """A name or numeral as it stands, or quoted where it would be mistaken for structure."""
    return text if text and not set(text) & set(' "()=;') or text.endswith(")") and " " not in text else f'"{text}"'


def compact(node: Node) -> str:
    """The tree in one line: a symbol is ``name{t=..; l=..; i=.., ..; p=..}``, a number its numeral, else ``(Op args)``.

    >>> print(Node("Chain", (sym("a"), Node("Rel", ("=", Node("Text", ("a b",)))))))
    (Chain a (= (Text "a b")))
    """
    if node.op == "Sym":
        parts = [f"{_MARKS[p.op]}={', '.join(map(compact, p.nodes))}" for p in node.nodes]
        return _word(node.head) + (f"{{{'; '.join(parts)}}}" if parts else "")
    if node.op == "Num":
        return node.head
    if node.op == "Rel":
        return f"({node.head} {' '.join(map(compact, node.nodes))})"
    words = [a if isinstance(a, str) and node.op != "Text" else _word(a) if isinstance(a, str) else compact(a)
             for a in node.args]
    return f"({' '.join((node.op, *words))})" if words else node.op
