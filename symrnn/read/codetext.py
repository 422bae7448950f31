r"""Mathematics as programs and plain text write it: ``dW += np.dot(dy, h.T)``, ``2.0f * p * (1.0f - p)``, ``h_{t-1} \circ r``.

One grammar for Python, C, Java, MATLAB and ASCII. Text is parsed and never run; every token is accounted for, or CodeUnread says
where it stands. A statement is ``target relation value``, with the letter of the loop round it and
whether it stands under a condition; what a name means is not decided here.

>>> [str(s) for s in statements("self.dc += np.dot(W.T, dy)  # both")]
['dc += (Call dot (Transpose W) dy)']
>>> [str(s) for s in statements("h_t = o_t \\circ tanh(c_{t-1}); return 1d - y;")]
['h_t = (Had o_t (Call tanh c{i=(Add t (Neg 1))}))', 'return (Add 1 (Neg y))']
"""
from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from types import MappingProxyType

from symrnn.read.numpy_table import FUNCTIONS, MODULES, PRODUCTS, SINGLE, total
from symrnn.read.tree import Node, num, sym, walk

LIBRARIES = MODULES | {"nd", "nn", "tf", "K", "jax", "Math", "std", "mx", "cp", "keras", "functional", "linalg", "autograd", "lax"}
"""Names before a dot that say where a function comes from."""

OWNERS = frozenset({"self", "this", "cls", "obj"})
"""Names of the object whose attributes are meant."""

CALLS = frozenset(FUNCTIONS) | frozenset(PRODUCTS) | frozenset(SINGLE) | frozenset(
    "log_softmax logsoftmax logsumexp where step mean zeros_like ones_like norm eye identity concatenate concat cat hstack vstack".split())
"""Functions known by name, so that ``log p`` is a call and ``V (x)`` a product."""

PLAIN = ("ascii", "text")
"""Languages in which factors may stand beside each other."""

WHOLE_DIVISION = ("c", "c++", "cuda", "java")
"""Languages in which 1/2 is 0."""

LONGEST_NUMBER = 100
"""Digits that a number may have."""

TYPES = frozenset("float double int auto const let var val real long size_t Dtype DType".split())
"""Words before a name that say its type."""

RELATIONS = ("=", "+=", "-=", "*=", "/=", ":=", "<-")

_TOKEN = re.compile(r"""
    (?P<space>[ \t\r]+|\\[,;!]|\#[^\n]*|//[^\n]*|\.\.\.\n)
  | (?P<line>\n)
  | (?P<number>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?)[fFdDlL]?(?![A-Za-z0-9_])
  | (?P<dots>\.\.\.|…)
  | (?P<transposed>\.T\b|\^\{?(?:T|\\top)\}?(?![A-Za-z0-9_])|ᵀ)
  | (?P<name>(?:[^\W\d]|\\_)(?:\w|\\_)*)
  | (?P<command>\\[A-Za-z]+)
  | (?P<sign><=|>=|\*\*|\.\*|\./|\.\^|\+=|-=|\*=|/=|:=|<-|==|[-+*/@^=<>()\[\]{},;:.'∘⊙·²])
""", re.X)

_JOINING = ("where", "and", "for", "if", "else", "in")
_WORD = re.compile(r"[a-z]{4,}")
_ENTRYWISE = frozenset({".*", "∘", "⊙", r"\circ", r"\odot"})
_SUMMED = re.compile(r"sum_([A-Za-z])\Z")


class CodeUnread(Exception):
    """Text that is not read: the offset, the token there, and what is missing."""

    def __init__(self, offset: int, token: str, hint: str) -> None:
        token = token if len(token) <= 40 else f"{token[:37]}..."
        super().__init__(f"at character {offset + 1} ({token!r}): {hint}")
        self.offset, self.token, self.hint = offset, token, hint


@dataclass(frozen=True, slots=True)
class Statement:
    """``target relation value``; a value alone has no target and the relation ``return``."""

    target: Node | None
    relation: str
    value: Node
    span: tuple[int, int] = (0, 0)
    loop: str = ""
    guarded: bool = False
    course: str = ""                                                 # of the loop: forward, backward, partly or after it

    def __str__(self) -> str:
        return f"{self.target} {self.relation} {self.value}" if self.target is not None else f"return {self.value}"


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    offset: int
    spaced: bool
    end: int


def statements(text: str, language: str = "python", *, ring: bool = False) -> list[Statement]:
    """The statements of a text. ``ring``: an ``o`` between two factors is the entrywise product.

    Raises CodeUnread.
    """
    parser = _Parser(text, language, ring)
    found: list[Statement] = []
    while parser.peek() is not None:
        if parser.take(";", "line", ",") or parser.header():
            continue
        found += [s for s in parser.statement() if not _is_kept(s)]
        if parser.peek() is not None and not parser.take(";", "line", ",", "where", "and"):
            parser.fail("an operator or the end of the statement is missing")
    return found


def _is_kept(s: Statement) -> bool:
    """A statement that only keeps something in a list."""
    return s.target is None and s.value.op == "Call" and s.value.nodes[0].head.endswith((".append", ".insert"))


def expression(text: str, language: str = "text") -> Node:
    """One expression. Raises CodeUnread.

    >>> str(expression("W_f^T * (a - b)**2"))
    '(Star (Transpose W_f) (Pow (Add a (Neg b)) 2))'
    """
    parser = _Parser(text, language, False)
    found = parser.sum()
    if parser.peek() is not None:
        parser.fail("an operator or the end is missing")
    return found


def names(n: Node) -> set[str]:
    """The names of a tree, those of functions apart.

    >>> sorted(names(expression("np.tanh(W @ h[t-1]) + f(b)")))
    ['W', 'b', 'h', 't']
    """
    heads = {id(m.nodes[0]) for m in walk(n) if m.op == "Call"}
    return {m.head for m in walk(n) if m.op == "Sym" and id(m) not in heads}


class _Parser:
    """A parser by precedence; sums, products, signs, powers, and what follows a primary."""

    def __init__(self, text: str, language: str, ring: bool) -> None:
        self.text, self.language, self.ring = text, language, ring
        self.tokens = self._tokens(text)
        self.place, self.depth, self.loop, self.guarded, self.course = 0, 0, "", False, ""
        self.column = -1                                              # where the line of the loop begins

    def _tokens(self, text: str) -> list[_Token]:
        found, at, spaced = [], 0, False
        while at < len(text):
            m = _TOKEN.match(text, at)
            if m is None or m.end() == at:
                raise CodeUnread(at, text[at], "this sign is not known")
            kind = str(m.lastgroup)
            if kind != "space":
                shown = m[kind].replace("\\_", "_") if kind in ("name", "number") else m[0]
                found.append(_Token(kind if kind != "sign" else shown, shown, at, spaced, m.end()))
            spaced = kind == "space"
            at = m.end()
        return found

    # --------------------------------------------------------------------------------------------------------------- tokens
    def peek(self, ahead: int = 0) -> _Token | None:
        """The next token; inside brackets the ends of lines are space."""
        while self.depth and self.place < len(self.tokens) and self.tokens[self.place].kind == "line":
            self.place += 1
        at = self.place + ahead
        return self.tokens[at] if at < len(self.tokens) else None

    def is_next(self, *kinds: str) -> bool:
        """Whether the next token is of one of some kinds, or one of some words."""
        t = self.peek()
        return t is not None and (t.kind in kinds or t.text in kinds)

    def take(self, *kinds: str) -> _Token | None:
        """The next token if it is one of those, else None."""
        if not self.is_next(*kinds):
            return None
        self.place += 1
        return self.tokens[self.place - 1]

    def need(self, kind: str) -> _Token:
        """The next token, which must be that."""
        found = self.take(kind)
        return found if found is not None else self.fail(f"{kind} is missing")

    def fail(self, hint: str) -> _Token:
        """Refuse the text at the next token."""
        t = self.peek()
        raise CodeUnread(t.offset if t else len(self.text), t.text if t else "the end", hint)

    def position(self) -> int:
        """Where the next token stands."""
        t = self.peek()
        return t.offset if t else len(self.text)

    def placed(self, n: Node, start: int) -> Node:
        """A tree that was read from ``start`` to the last token that was taken, brackets included."""
        return replace(n, span=(start, self.tokens[self.place - 1].end))

    # ----------------------------------------------------------------------------------------------------------- statements
    def header(self) -> bool:
        """The head of a loop over a range, whose letter counts the steps, or of a condition, beside which the statements hold."""
        if self.take("if"):
            self.sum()
            if self.take("<", ">", "<=", ">="):
                self.sum()
            self.need(":")
            self.guarded = True
            return True
        start = self.position()
        if not self.take("for"):
            return False
        letter = self.need("name").text
        if not self.take("in"):
            self.fail("in is missing")
        turns = self.sum()
        turned = turns.op == "Call" and turns.nodes[0].head == "reversed" and len(turns.nodes) == 2
        if turned:
            turns = turns.nodes[1]
        if turns.op != "Call" or turns.nodes[0].head != "range" or self.loop:
            self.fail("only one loop over a range is read")
        self.need(":")
        self.loop, self.column = letter, self.indent(start)
        self.course = _course(turns.nodes[1:], turned)
        return True

    def indent(self, at: int) -> int:
        """The column of what stands first on its line; of anything else one that is larger than all."""
        line = self.text[self.text.rfind("\n", 0, at) + 1 : at]
        return len(line.expandtabs(4)) if not line.strip() else len(self.text)

    def statement(self) -> list[Statement]:
        """One statement; ``a, b = f(x)`` has a tuple as target, ``a = b = c`` is two."""
        for word in ("while", "else", "elif", "def", "class", "with", "lambda", "switch", "import"):
            if self.is_next(word):
                self.fail(f"a statement that begins with {word} is not read")
        start = self.position()
        if self.loop and self.indent(start) <= self.column:
            self.course = "after"
        while self.is_next(*TYPES) and (after := self.peek(1)) is not None and after.kind == "name":
            self.place += 1
        if self.take("return"):
            return [Statement(None, "return", self.sum(), (start, self.position()))]
        count = self._several()
        sides = [self.listed(count)]
        relation = self.take(*RELATIONS)
        if relation is None:
            return [Statement(None, "return", sides[0], (start, self.position()))]
        sides.append(self.listed(count))
        while relation.text == "=" and self.take("="):
            sides.append(self.listed(count))
        span = (start, self.position())
        word = {":=": "=", "<-": "="}.get(relation.text, relation.text)
        return [Statement(side, word, sides[-1], span, self.loop, self.guarded, self.course) for side in sides[:-1]]

    def listed(self, count: int) -> Node:
        """An expression, or up to ``count`` with commas between."""
        items = [self.sum()]
        while len(items) < count and self.take(","):
            items.append(self.sum())
        return Node("Tuple", tuple(items)) if len(items) > 1 else items[0]

    def _several(self) -> int:
        """How many names with commas between stand before a relation: the targets of one statement."""
        self.peek()
        kinds = [t.kind for t in self.tokens[self.place :]]
        count = 1
        while kinds[2 * count - 2 : 2 * count] == ["name", ","]:
            count += 1
        return count if kinds[2 * count - 2 : 2 * count - 1] == ["name"] and kinds[2 * count - 1 : 2 * count] == ["="] else 1

    # ---------------------------------------------------------------------------------------------------------- expressions
    def sum(self) -> Node:
        """Terms with plus and minus."""
        start = self.position()
        out = self.product()
        while (t := self.take("+", "-")) is not None:
            term = self.product()
            out = self.placed(total(out, Node("Neg", (term,), term.span) if t.text == "-" else term), start)
        return out

    def product(self) -> Node:
        """Factors with a sign between them, or beside each other."""
        start = self.position()
        out = self.signed()
        while True:
            out = self.placed(out, start)
            t = self.peek()
            if t is None:
                return out
            if t.kind in _BINARY or t.text in _ENTRYWISE:
                self.place += 1
                right = self.signed()
                if t.text == "/" and right.op == "Num" and not right.head.strip("0."):
                    self.fail("nothing is divided by zero")
                if t.text == "/" and self.language in WHOLE_DIVISION and _drops(out, right):
                    self.fail("the quotient of two whole numbers is a whole number in this language")
                out = _BINARY.get(t.text, _had)(out, right)
            elif t.kind == "command" and t.text in (r"\cdot", r"\sdot", r"\times"):
                self.place += 1
                out = Node("Dot", (out, self.signed()))
            elif self.ring and t.text == "o" and t.spaced:
                self.place += 1
                out = _had(out, self.signed())
            elif self.language in PLAIN and t.spaced and t.kind in ("name", "(", "number") and t.text not in _JOINING:
                if out.op == "Sym" and _WORD.fullmatch(out.head) and _WORD.fullmatch(t.text):
                    self.fail("two words are no product")
                out = Node("Mul", (out, self.power()))
            else:
                return out

    def signed(self) -> Node:
        """A sign and a power."""
        start = self.position()
        if self.take("-"):
            return self.placed(Node("Neg", (self.signed(),)), start)
        return self.signed() if self.take("+") else self.power()

    def power(self) -> Node:
        """A primary with an exponent."""
        start = self.position()
        base = self.primary()
        if self.language not in (*PLAIN, "matlab") and self.is_next("^"):
            self.fail("^ is no power in this language")
        if self.take("**", "^", ".^"):
            base = Node("Pow", (base, self.signed()))
        return self.placed(Node("Pow", (base, num(2))) if self.take("²") else base, start)

    def primary(self) -> Node:
        """A number, a name or a bracket, with what follows it."""
        t = self.peek()
        if t is None:
            self.fail("an operand is missing")
        assert t is not None
        first = self.place
        if t.kind == "number":
            digits, _, exponent = t.text.lower().partition("e")
            if len(digits) > LONGEST_NUMBER or len(exponent.lstrip("+-0")) > 2:
                self.fail("the number is too long")
            self.place += 1
            return num(t.text.rstrip("."))
        if t.kind == "dots":
            self.place += 1
            return Node("Ellipsis")
        if t.kind == "name":
            return self.after(self.named(), first)
        if t.kind == "(":
            items = self.items("(", ")")
            return self.after(items[0] if len(items) == 1 else Node("Tuple", tuple(items)), first)
        if t.kind == "[":
            return self.after(self.bracket(), first)
        self.fail("an operand is missing")
        raise AssertionError

    def bracket(self) -> Node:
        """A list, or rows with semicolons between them."""
        self.need("[")
        self.depth += 1
        rows: list[list[Node]] = [[]]
        while not self.is_next("]"):
            rows[-1].append(self.sum() if self.is_next("-", "+", "(") else self.power())
            while self.peek() is not None and not self.is_next("]", ",", ";", "name", "[", "(", "number"):
                rows[-1][-1] = self._rest(rows[-1][-1])
            if self.take(";"):
                rows.append([])
            self.take(",")
        self.need("]")
        self.depth -= 1
        if len(rows) > 1:
            return Node("Matrix", tuple(Node("Row", tuple(r)) for r in rows))
        return Node("List", tuple(rows[0]))

    def _rest(self, left: Node) -> Node:
        """What goes on after the first operand inside a list."""
        t = self.take("+", "-", *_BINARY, *_ENTRYWISE)
        if t is None:
            self.fail("a comma or a bracket is missing")
        assert t is not None
        if t.text in "+-":
            right = self.power()
            return total(left, right if t.text == "+" else Node("Neg", (right,)))
        return _BINARY.get(t.text, _had)(left, self.power())

    def items(self, opening: str, closing: str) -> list[Node]:
        """What stands in brackets, by commas; ``key = value`` is a chain."""
        self.need(opening)
        self.depth += 1
        found: list[Node] = []
        while not self.is_next(closing):
            item = self.compared(self.sum())
            if self.take("=", "=="):
                item = Node("Chain", (item, Node("Rel", ("=", self.sum()))))
            found.append(item)
            if not self.take(","):
                break
        self.need(closing)
        self.depth -= 1
        return found

    def compared(self, n: Node) -> Node:
        """``x > 0`` as a number: 1 where it holds, else 0."""
        t = self.take(">", ">=", "<", "<=")
        if t is None:
            return n
        other = self.sum()
        difference = total(n, Node("Neg", (other,))) if other != num(0) else n
        return Node("Call", (sym("step"), difference if t.text[0] == ">" else Node("Neg", (difference,))))

    def named(self) -> Node:
        """A name without its owner; a library before a dot is dropped; ``sum_t body`` is a sum over steps."""
        start = self.need("name")
        parts = [start.text]
        while self.is_next(".") and (t := self.peek(1)) is not None and t.kind == "name" and (
                t.text not in METHODS or parts[-1] in LIBRARIES):
            self.place += 2
            parts.append(t.text)
        while len(parts) > 1 and parts[0] in OWNERS | LIBRARIES:
            parts = parts[1:]
        name = ".".join(parts)
        if (m := _SUMMED.match(name)) and not self.is_next("(", "["):
            return Node("Sum", (sym(m[1]), Node("Absent"), Node("Absent"), self.product(), Node("Absent")))
        t = self.peek()
        if self.language in PLAIN and name in CALLS and t is not None and t.kind == "name" and t.text not in ("o", "where", "and"):
            if _WORD.fullmatch(t.text):
                self.fail("a word is no argument without brackets")
            return Node("Call", (sym(name), self.power()))
        if not name.endswith("_") and (layer := re.match(r"\{(?:n|l|L)\}", self.text[self.position() :])):
            name += layer[0]                                          # the layer of a network is part of the name
            self.items("{", "}")
        return sym(name.rstrip("_") if self.is_next("{") else name, span=(start.offset, start.offset + len(start.text)))

    def after(self, base: Node, first: int) -> Node:
        """Calls, subscripts, transposes and methods behind a primary."""
        start = self.tokens[first].offset
        while (t := self.peek()) is not None:
            base = self.placed(base, start)
            if t.kind == "(" and base.op == "Sym" and len(base.args) == 1 and (
                    not t.spaced or base.head in CALLS or self.language not in PLAIN):
                base = Node("Call", (base, *self.items("(", ")")))
            elif t.kind in ("[", "{") and not t.spaced and base.op == "Sym":
                found = self.items(t.kind, "]" if t.kind == "[" else "}")
                if not found:
                    self.fail("a subscript is missing")
                old = base.part("Index")
                base = sym(base.head, index=((*old.nodes, *found) if old is not None else tuple(found)))
            elif t.kind == "transposed" or t.kind == "'" and self.language == "matlab":
                self.place += 1
                base = Node("Transpose", (base,))
            elif t.kind == "." and (m := self.peek(1)) is not None and m.text in METHODS:
                self.place += 2
                base = METHODS[m.text](base, self.items("(", ")"))
            else:
                break
        return base


def _drops(a: Node, b: Node) -> bool:
    """Whether a quotient of numbers is one of whole numbers and has a remainder."""
    x, y = _whole(a), _whole(b)
    return x is not None and y is not None and (y == 0 or x % y != 0)


def _whole(n: Node) -> int | None:
    """The value of a constant that is made of whole numbers."""
    if n.op == "Num":
        return int(n.head) if n.head.isdigit() else None
    parts = [_whole(m) for m in n.nodes] if n.op in ("Add", "Star", "Neg") else [None]
    numbers = [p for p in parts if p is not None]
    if len(numbers) < len(parts):
        return None
    return -numbers[0] if n.op == "Neg" else sum(numbers) if n.op == "Add" else prod(numbers)


def _course(turns: Sequence[Node], turned: bool) -> str:
    """How a loop over a range goes: ``forward`` or ``backward`` over all steps, or over a part of them.

    >>> [_course([expression(x) for x in turns.split(", ")], False) for turns in ("T", "1, T+1", "T-1, -1, -1", "1, T", "3")]
    ['forward', 'forward', 'backward', 'partly forward', 'partly forward']
    """
    shown = ", ".join(_LENGTHS.sub("T", str(n)) for n in turns)
    back = shown.endswith(", (Neg 1)")
    course = "backward" if back != turned else "forward"
    return course if shown in _ALL_STEPS else f"partly {course}"


_LENGTHS = re.compile(r"\b(?:(?:seq|sequence)_?len(?:gth)?|(?:(?:n|num|time)_?)?steps|timesteps)\b|\(Call len [^()]*\)")
_ALL_STEPS = ("T", "0, T", "1, (Add T 1)", "(Add T (Neg 1)), (Neg 1), (Neg 1)", "T, 0, (Neg 1)")


def _had(a: Node, b: Node) -> Node:
    return Node("Had", (a, b))


def _method(name: str) -> Callable[[Node, list[Node]], Node]:
    return lambda base, items: Node("Call", (sym(name), base, *items))


METHODS: Mapping[str, Callable[[Node, list[Node]], Node]] = MappingProxyType({
    **{name: _method(name) for name in (
        "dot matmul mm mv sum mean transpose copy clone detach astype float tanh sigmoid exp log square").split()},
    "t": lambda base, items: Node("Transpose", (base,)),
})
"""Methods of an array."""

_BINARY: Mapping[str, Callable[[Node, Node], Node]] = MappingProxyType({
    "*": lambda a, b: Node("Star", (a, b)), "@": lambda a, b: Node("Mul", (a, b)), "/": lambda a, b: Node("Div", (a, b)),
    "./": lambda a, b: Node("Div", (a, b)), "·": lambda a, b: Node("Dot", (a, b)), ".*": _had, "∘": _had, "⊙": _had,
})
"""Signs of products."""
