r"""The arithmetic skeleton: precedence, juxtaposition, and how far sums and functions reach, over finished atoms.

The grammar, weakest first (an item is an atom unless said otherwise)::

    sum     = [sign] term { ("+" | "-" | "+-") term }
    term    = unary { operator unary }             operator: . x * / and the Hadamard, outer and direct ones, left to right
    unary   = { sign } factors
    factors = postfix { postfix }                  juxtaposition
    postfix = primary { power, transpose, prime, subscript, ... }
    primary = atom | function arguments | big term       the arguments of a function end at the next function or operator

The functions that build nodes (`add`, `binary`, `factors`, ...) are shared with the second grammar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from symrnn.read.tokens import Refused
from symrnn.read.tree import ABSENT, SLOT, Node

MAX_CHAINED = 100
"""Signs, functions and sums one directly after another; longer chains are refused."""


@dataclass(frozen=True, slots=True)
class Item:
    """One item of the skeleton.

    ====== ================================== ==========================================================
    kind   text                               nodes
    ====== ================================== ==========================================================
    atom   empty                              the finished node
    op     name of the operation              none
    post   name of the operation              its further arguments (the exponent of a Pow)
    fn     empty                              the function; `posts` are written on it and apply to the call
    big    Sum or Prod                        variable, lower, upper, restriction; four for each variable
    ====== ================================== ==========================================================
    """

    kind: str
    span: tuple[int, int]
    text: str = ""
    nodes: tuple[Node, ...] = ()
    posts: tuple[Item, ...] = ()


def make(op: str, *args: Node | str, span: tuple[int, int] | None = None) -> Node:
    """A node whose span covers its arguments."""
    spans = [a.span for a in args if isinstance(a, Node) and a.span != (0, 0)]
    cover = (min(s[0] for s in spans), max(s[1] for s in spans)) if spans else (0, 0)
    return Node(op, args, span or cover)


def add(terms: Sequence[Node]) -> Node:
    """A sum; one term is itself."""
    return terms[0] if len(terms) == 1 else make("Add", *terms)


def signed(sign: str, body: Node, start: int) -> Node:
    """A term with its sign."""
    return body if sign == "+" else make({"-": "Neg"}.get(sign, sign), body, span=(start, max(start, body.span[1])))


def binary(op: str, left: Node, right: Node) -> Node:
    """Two operands of an operator."""
    return make(op, left, right)


def postfix(base: Node, item: Item) -> Node:
    """A power, transpose, prime, subscript, evaluation bar, ... on its base."""
    return make(item.text, base, *item.nodes, span=(base.span[0], max(base.span[1], item.span[1])))


def call(function: Item, argument: Node) -> Node:
    """A function applied to what stands to its right without brackets."""
    node = make("Call", function.nodes[0], argument)
    for item in function.posts:
        node = postfix(node, item)
    return node


def big(item: Item, body: Node) -> Node:
    """A sum or product over one or several variables, the last innermost."""
    quads = [item.nodes[k : k + 4] for k in range(0, len(item.nodes), 4)]
    for variable, lower, upper, restriction in reversed(quads):
        body = make(item.text, variable, lower, upper, body, restriction, span=(item.span[0], max(item.span[1], body.span[1])))
    return body


def factors(nodes: Sequence[Node]) -> Node:
    """A juxtaposition; nabla takes one factor, a derivative operator all that stand to its right."""
    out = list(nodes)
    for k in range(len(out) - 2, -1, -1):
        if out[k].op == "Grad" and out[k].args[1] == SLOT:
            out[k : k + 2] = [make("Grad", out[k].args[0], out[k + 1], span=(out[k].span[0], out[k + 1].span[1]))]
    for k in range(len(out) - 2, -1, -1):
        if out[k].op == "Deriv" and out[k].args[2] == SLOT:
            kind, order, _, *denominators = out[k].args
            body = factors(out[k + 1 :])
            out[k:] = [make("Deriv", kind, order, body, *denominators, span=(out[k].span[0], body.span[1]))]
    return out[0] if len(out) == 1 else make("Mul", *out)


class Pratt:
    """Our own grammar over items. Errors: :class:`Refused` at the item that does not fit."""

    def __init__(self, items: Sequence[Item]) -> None:
        self._items = items
        self._i = 0
        self._deep = 0

    def parse(self) -> Node:
        """The tree of all items."""
        node = self._sum()
        if self._i < len(self._items):
            self._fail("nothing can stand here")
        return node

    def _at(self, kind: str) -> bool:
        return self._i < len(self._items) and self._items[self._i].kind == kind

    def _sign(self) -> Item | None:
        return self._take() if self._at("op") and self._items[self._i].text in ("+", "-", "PlusMinus") else None

    def _take(self) -> Item:
        self._i += 1
        return self._items[self._i - 1]

    def _fail(self, hint: str) -> NoReturn:
        item = self._items[min(self._i, len(self._items) - 1)] if self._items else Item("op", (0, 0))
        start = item.span[0] if self._i < len(self._items) else item.span[1]
        raise Refused(start, item.text if self._i < len(self._items) else "", hint)

    def _deeper(self) -> None:
        self._deep += 1
        if self._deep > MAX_CHAINED:
            self._fail(f"more than {MAX_CHAINED} functions or sums directly after one another")

    def _sum(self) -> Node:
        terms = [self._term()]
        while sign := self._sign():
            terms.append(signed(sign.text, self._term(), sign.span[0]))
        return add(terms)

    def _term(self) -> Node:
        node = self._unary()
        while self._at("op") and self._items[self._i].text not in ("+", "-", "PlusMinus"):
            op = self._take().text
            node = binary(op, node, self._unary())
        return node

    def _unary(self, in_function: bool = False) -> Node:
        signs = []
        while sign := self._sign():
            signs.append(sign)
            if len(signs) > MAX_CHAINED:
                self._fail(f"more than {MAX_CHAINED} signs directly after one another")
        node = self._factors(in_function)
        for sign in reversed(signs):
            node = signed(sign.text, node, sign.span[0])
        return node

    def _factors(self, in_function: bool) -> Node:
        nodes: list[Node] = []
        while self._i < len(self._items) and not self._at("op"):
            if in_function and nodes and (self._at("fn") or self._at("big")):
                break
            nodes.append(self._postfix())
        if not nodes:
            self._fail("an operand is missing here")
        return factors(nodes)

    def _postfix(self) -> Node:
        node = self._primary()
        while self._at("post"):
            node = postfix(node, self._take())
        return node

    def _primary(self) -> Node:
        item = self._take()
        if item.kind == "atom":
            return item.nodes[0]
        if item.kind == "post":
            self._i -= 1
            self._fail("nothing stands before it that it could apply to")
        self._deeper()
        if item.kind == "fn":
            node = call(item, self._unary(in_function=True))
        else:
            body = self._term() if self._i < len(self._items) else SLOT
            node = big(item, body)
        self._deep -= 1
        return node


def own_grammar(items: Sequence[Item]) -> Node:
    """The tree that our own grammar gives to items.

    >>> a, b = (Item("atom", (k, k + 1), nodes=(Node("Sym", (n,)),)) for k, n in ((0, "a"), (4, "b")))
    >>> print(own_grammar([a, Item("op", (2, 3), "-"), b, a]))
    (Add a (Neg (Mul b a)))
    """
    if not items:
        raise Refused(0, "", "an expression is missing here")
    return Pratt(items).parse()


NO_BOUNDS = (ABSENT, ABSENT, ABSENT, ABSENT)
"""The bounds of a sum that has none."""
