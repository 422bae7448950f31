r"""Shapes of the quantities of a claim in code: those that are stated, and for the others the number of axes that their use needs.

>>> known = Known.of({"x, y": "batch x h", "b": "h", "all": "n x 1"})
>>> known.stated["x"], known.stated["b"], known.rest
(('batch', 'h'), ('h',), ('n', 1))
"""
from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from symrnn.expr import SCALAR, Size
from symrnn.read.tree import Node

Stated = tuple[Size, ...]
"""The sizes of the axes: none for a number."""

_MATRIX = re.compile(r"(?:[WUVRMAK]|w_?)(?:_?\w*)")
"""Names that weights have."""

WHOLE = 9
"""More subscripts than any array has axes: what is left is a number, however many axes there are."""

_NUMBERS = frozenset("wt lr eta alpha beta gamma lam lambda eps epsilon learning_rate threshold scale weight forget_bias T tau rho".split())
"""Names that single numbers have."""


@dataclass(frozen=True)
class Known:
    """The stated shapes by name, and the shape of everything else if one is stated."""

    stated: Mapping[str, Stated]
    rest: Stated | None = None

    @classmethod
    def of(cls, shapes: Mapping[str, str]) -> Known:
        """What a mapping of names (by commas) to words states; what is no shape is left out."""
        stated: dict[str, Stated] = {}
        for names, words in shapes.items():
            found = sizes_of(words)
            if found is not None:
                stated |= {name.strip(): found for name in re.split(r",\s*(?![^\[{(]*[\])}])", names)}
        rest = stated.pop("all", None)
        return cls(stated, rest)


def sizes_of(words: str) -> Stated | None:
    """Words such as ``batch x h``, ``n``, ``(i + h) x 2h`` or ``scalar`` as sizes of axes; None when they say nothing.

    >>> sizes_of("(i + h) x 2h"), sizes_of("n x 1"), sizes_of("h (diagonal)"), sizes_of("scalars"), sizes_of("any size")
    (('i+h', '2*h'), ('n', 1), ('h',), (), None)
    """
    text = re.sub(r"\s*\((?![^()]*[+*])[^()]*\)", "", words).strip()
    if re.search(r"\bscalars?\b|\bnumbers?\b", text):
        return ()
    text = text.split(",")[0].replace("|", "").strip()
    parts = re.split(r"\s*(?:×|\bx\b|\\times|\bby\b)\s*", text)
    found = tuple(_size(p) for p in parts if not re.search(r"\w\s+[A-Za-z]", p)) or (None,)
    return None if any(s is None for s in found) or len(found) > 2 else found  # type: ignore[return-value]


def _size(text: str) -> Size | None:
    text = re.sub(r"(\d)\s*([A-Za-z])", r"\1*\2", text.strip("() ").replace(" ", ""))
    if text.isdigit():
        return int(text)
    return text if re.fullmatch(r"[A-Za-z_]\w*|[\w+*-]+", text) and text not in ("any", "same") else None


def is_weight(name: str) -> bool:
    """Whether a name is one that weights have."""
    return bool(_MATRIX.fullmatch(name))


def is_constant(name: str) -> bool:
    """Whether a name is one that weights, biases and rates have, which are the same at every step.

    >>> is_constant("W_hh"), is_constant("bias_f"), is_constant("bh"), is_constant("f")
    (True, True, True, False)
    """
    return is_weight(name) or name in _NUMBERS or bool(re.fullmatch(r"b|b_?\w{1,3}|bias\w*", name))


class Owner(Protocol):
    """What tells the quantity whose shape a symbol has."""

    star: str
    opaque: dict[str, str]
    matrices: set[str]

    def owner(self, n: Node) -> tuple[str, int]:
        """The name of the quantity, and how many subscripts are left."""
        ...


Pairs = Sequence[tuple[Node, Node]]


def axes_of_all(owner: Owner, given: Pairs, claimed: Pairs, known: Known) -> tuple[dict[str, int], dict[str, tuple[Size, Size]], set[str]]:
    """The number of axes and the shape (open sizes as ``?name``) of every quantity, and which of them the given equations determine."""
    return _Axes(owner, given, claimed, known).solve()


@dataclass
class _Axes:
    """Numbers of axes, found from equation to equation; what nothing determines is guessed from use, one quantity at a time."""

    owner: Owner
    given: Pairs
    claimed: Pairs
    known: Known

    def __post_init__(self) -> None:
        self.found: dict[str, int] = {}
        self.sizes: dict[str, Stated] = {}
        for name, sizes in self.known.stated.items():
            self.found[name], self.sizes[name] = len(sizes), sizes
        self.names: dict[str, None] = {}
        self.multiplied: dict[str, str] = {}                         # what stands in a matrix product: left, right or turned
        self.beside: list[tuple[str, Node]] = []
        self.pairs = list(self.given)
        for left, right in (*self.given, *self.claimed):
            self.look(left)
            self.look(right)

    def look(self, n: Node) -> None:
        """Note the names of a tree, and where they stand."""
        if n.op == "Sym":
            self.names.setdefault(self.owner.owner(n)[0])
            return
        body = [m for m in (n.nodes[1:] if n.op == "Call" else n.nodes) if m.op != "Chain"]
        matrix = n.op == "Mul" or n.op == "Star" and self.owner.star == "matrix" or n.op == "Call" and n.nodes[0].head in (
            "dot", "matmul", "mm", "mv")
        for k, m in enumerate(body):
            if m.op == "Sym" and n.op == "Star" and matrix and not (m.head[0].isupper() or "_" in m.head):
                pass                                                  # a plain small letter beside a star may be anything
            elif m.op == "Sym" and (matrix or n.op == "Transpose" or n.op == "Call" and n.nodes[0].head == "transpose"):
                self.multiplied.setdefault(self.owner.owner(m)[0], ("left", "right")[k % 2] if matrix else "turned")
            elif m.op == "Sym":
                others = [other for other in body if other is not m and n.op in ("Add", "Star", "Had", "Div")]
                self.beside += [(self.owner.owner(m)[0], other) for other in others]
            self.look(m)

    # -------------------------------------------------------------------------------------------------------------- solving
    def solve(self) -> tuple[dict[str, int], dict[str, tuple[Size, Size]], set[str]]:
        """Deduce as far as possible, then guess one, and so on."""
        for name in self.names:
            if self.known.rest is not None and name not in self.found and not self.is_weight(name) and name not in _NUMBERS:
                self.set(name, len(self.known.rest), self.known.rest)
        for name in self.owner.matrices:
            if name in self.names:
                self.found.setdefault(name, 2)
        while self.deduce():
            pass
        sure = set(self.found)
        self.pairs += self.claimed
        while True:
            while self.deduce():
                pass
            open_names = [name for name in self.names if name not in self.found]
            if not open_names:
                break
            self.guess(open_names)
        return self.found, {name: self.shape(name) for name in self.names}, sure

    def is_weight(self, name: str) -> bool:
        """Whether a quantity is a factor of matrix products, by its name and by where it stands."""
        return name in self.multiplied and (is_weight(name) or name[0].isupper())

    def set(self, name: str, axes: int, sizes: Stated | None = None) -> None:
        self.found[name] = axes
        if sizes is not None:
            self.sizes[name] = sizes

    def deduce(self) -> bool:
        """One round over the equations; whether something was found."""
        before = len(self.found)
        for left, right in self.pairs:
            a, b = self.axes(left), self.axes(right)
            for n, axes in ((left, b), (right, a)):
                if axes is not None:
                    self.expect(n, axes)
        return len(self.found) > before

    def expect(self, n: Node, axes: int) -> None:
        """What a value with so many axes says of its parts."""
        if n.op == "Sym":
            name, parts = self.owner.owner(n)
            if name not in self.found and parts < WHOLE:
                self.set(name, axes + parts)
        elif n.op in ("Neg", "Pow"):
            self.expect(n.nodes[0], axes)
        elif axes == 0 and n.op in ("Add", "Star", "Had", "Div"):
            for m in n.nodes:
                self.expect(m, 0)
        elif n.op == "Call" and n.nodes[0].head in ELEMENTWISE and len(n.nodes) == 2:
            self.expect(n.nodes[1], axes)

    def axes(self, n: Node) -> int | None:
        """The number of axes of a tree, as far as it is known."""
        if n.op == "Num":
            return 0
        if n.op == "Sym":
            name, parts = self.owner.owner(n)
            return max(0, self.found[name] - parts) if name in self.found else None
        if n.op in ("Neg", "Pow", "Transpose"):
            return self.axes(n.nodes[0])
        if n.op in ("Add", "Star", "Had", "Div"):
            found = [self.axes(m) for m in n.nodes]
            if 2 in found and (n.op != "Star" or self.owner.star != "matrix"):
                return 2
            return None if None in found else max(x for x in found if x is not None)
        if n.op == "Call":
            return self.called(n)
        return self.multiplied_axes(n.nodes) if n.op == "Mul" else 0 if n.op == "Dot" else None

    def called(self, n: Node) -> int | None:
        name, *arguments = n.nodes
        plain = [a for a in arguments if a.op != "Chain"]
        if name.head == "sum" and len(plain) == len(arguments) == 1 or name.head in ("norm", "logsumexp", "inner"):
            return 0
        if name.head in ("dot", "matmul", "mm", "mv"):
            return self.multiplied_axes(plain)
        if name.head in ELEMENTWISE and plain:
            found = [self.axes(m) for m in plain]
            return None if None in found else max(x for x in found if x is not None)
        if name.head == "outer":
            return 2
        if name.head in self.owner.opaque:
            return self.found.get(self.owner.opaque[name.head])
        if name.head == "sum" and plain and (inner := self.axes(plain[0])) is not None:
            keys = {a.nodes[0].head: a.nodes[1].nodes[0].head for a in arguments if a.op == "Chain"}
            kept = "True" in (keys.get("keepdims"), keys.get("keepdim"))
            return inner if kept else max(0, inner - 1)
        return None

    def multiplied_axes(self, factors: Sequence[Node]) -> int | None:
        if len(factors) != 2:
            return None
        a, b = map(self.axes, factors)
        if a is None or b is None:
            return None
        return max(a, b) if 0 in (a, b) else {(1, 1): 0, (1, 2): 1, (2, 1): 1, (2, 2): 2}[a, b]

    def guess(self, open_names: Iterable[str]) -> None:
        """One quantity from how it is used: weights have two axes, what is added to a quantity is like it, the rest is flat."""
        names = list(open_names)
        for name in names:
            if self.is_weight(name):
                return self.set(name, 2)
        for name in names:
            if name in _NUMBERS:
                return self.set(name, 0, ())
        for name, other in self.beside:
            if name in names and (axes := self.axes(other)):
                like = self.sizes.get(self.owner.owner(other)[0]) if other.op == "Sym" and self.owner.owner(other)[1] == 0 else None
                return self.set(name, axes, like if self.known.rest is None else None)
        stated = [sizes for sizes in self.known.stated.values() if sizes]
        if stated and all(len(sizes) == 2 for sizes in stated) and any(sizes[1] == 1 for sizes in stated):
            return self.set(names[0], 2, (f"?{names[0]}", 1))          # vectors are columns here
        two = any(axes == 2 and name in self.multiplied and not self.is_weight(name) for name, axes in self.found.items())
        for name in names:
            if self.multiplied.get(name) == "turned":
                return self.set(name, 2)
        for name in names:
            if name in self.multiplied:
                return self.set(name, 2 if two or self.known.rest is not None and len(self.known.rest) == 2 else 1)
        return self.set(names[0], 1 if self.known.rest is None else len(self.known.rest))

    def shape(self, name: str) -> tuple[Size, Size]:
        """The shape in the core: a flat array is a column."""
        axes = self.found[name]
        sizes = self.sizes.get(name)
        if axes == 0:
            return SCALAR
        if sizes is not None and len(sizes) == axes:
            return (sizes[0], sizes[1]) if axes == 2 else (sizes[0], 1)
        return (f"?{name}_1", f"?{name}_2") if axes == 2 else (f"?{name}", 1)


ELEMENTWISE = frozenset(
    "where step astype float tanh exp log sin cos sinh cosh relu ReLU softplus sqrt sigmoid expit sigm logistic sig softmax "
    "log_softmax logsoftmax square negative array asarray copy clone detach zeros_like "
    "ones_like multiply add subtract divide maximum max mul transpose".split())
"""Functions whose value has the axes of their arguments."""
