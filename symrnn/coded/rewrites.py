r"""A statement in code with one thing in it written otherwise, as text: all that is one slip away from what stands there.

>>> from symrnn.read.codetext import statements
>>> text = "dh = W @ da"
>>> for new in rewrites(text, statements(text)[0].value, ["U", "W"], "python"):
...     if new.kind.name in ("symbol", "transpose", "sign"):
...         print(new.text, "|", new.words)
dh = -W @ da | change the sign of W @ da
dh = (W @ da).T | transpose W @ da
dh = W @ da.T | transpose da
dh = W.T @ da | transpose W
dh = W @ U | write U for da
dh = W @ W | write W for da
dh = U @ da | write U for W
"""
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from symrnn.read.tree import Node
from symrnn.repair.edits import KIND, Kind

PRODUCTS = ("Star", "Mul", "Had", "Dot", "Div")
SUMS = ("Add", "Neg")
FUNCTIONS = ("tanh", "sigmoid", "exp", "log", "sqrt", "softmax", "sum")
"""The functions that are tried."""
UNLIKE = 0.4
"""What a name costs more that has nothing of the one that stands there."""
SLOPES = {"sigmoid": ("{0} * (1 - {0})",), "tanh": ("1 - {0}**2",)}
"""The derivatives of functions by their values, for names that hold the value."""
TRANSPOSED = {"ascii": "^T", "text": "^T", "matlab": "'"}
"""How languages write a transpose; .T where nothing is said."""


@dataclass(frozen=True)
class Rewrite:
    """A text with one piece in it written otherwise: the kind of edit, the place, what stands there now, and the edit in words."""

    kind: Kind
    text: str
    words: str
    likeness: float = 1.0

    @property
    def rank(self) -> float:
        """Cheaper edits first; a name that looks like the one that stands there, or that is new, is nearer than another."""
        return self.kind.cost + UNLIKE * (1 - self.likeness)


def rewrites(text: str, value: Node, names: Sequence[str], language: str) -> list[Rewrite]:
    """Every text that is one slip away inside a value, the nearest first."""
    found: dict[str, Rewrite] = {}
    for r in sorted(_Rewriter(text, value, names, language).all(), key=lambda r: r.rank):
        found.setdefault(r.text, r)
    return [r for r in found.values() if r.text != text]


@dataclass(frozen=True)
class _Rewriter:
    whole: str
    value: Node
    names: Sequence[str]
    language: str

    def all(self) -> Iterator[Rewrite]:
        stack: list[tuple[Node, str]] = [(self.value, "")]
        while stack:
            n, above = stack.pop()
            if n.span[0] < n.span[1]:
                for rule in (self.symbols, self.steps, self.signs, self.factors, self.calls, self.transposes, self.applied, self.added):
                    yield from rule(n, above)
            stack += [(a, n.op) for a in self.inner(n)]

    def inner(self, n: Node) -> list[Node]:
        if n.op in ("Sym", "Index"):
            return []
        return [a for k, a in enumerate(n.nodes) if not (n.op in ("Call", "Chain") and k == 0)]

    def source(self, n: Node) -> str:
        return self.whole[slice(*n.span)]

    def put(self, kind: str, n: Node, new: str, words: str, likeness: float = 1.0) -> Rewrite:
        lo, hi = n.span
        return Rewrite(KIND[kind], self.whole[:lo] + new + self.whole[hi:], words, likeness)

    def factor(self, n: Node) -> str:
        """A piece that can stand in a product."""
        text = self.source(n)
        return f"({text})" if n.op in (*SUMS, *PRODUCTS) and not text.startswith("(") else text

    # --------------------------------------------------------------------------------------------------------------- the rules
    def symbols(self, n: Node, above: str) -> Iterator[Rewrite]:
        """Another name; its owner and its subscripts stay."""
        m = re.match(r"((?:\w+\.)*)([^\W\d]\w*)", self.source(n)) if n.op == "Sym" else None
        for name in self.names if m is not None else ():
            if m is not None and name != m[2]:
                new = m[1] + name + self.source(n)[m.end():]
                yield self.put("symbol", n, new, f"write {name} for {m[2]}", SequenceMatcher(None, name, m[2]).ratio())

    def steps(self, n: Node, above: str) -> Iterator[Rewrite]:
        """A step earlier or later."""
        index = n.part("Index") if n.op == "Sym" else None
        step = index.nodes[0] if index is not None else None
        head = step.nodes[0] if step is not None and step.op == "Add" else step
        if step is not None and head is not None and head.op == "Sym" and step.span[0] < step.span[1]:
            now = self.source(step)
            for new in (head.head, f"{head.head}-1", f"{head.head}+1"):
                if new.replace(" ", "") != now.replace(" ", ""):
                    yield self.put("time", step, new, f"write {new} for {now}")

    def signs(self, n: Node, above: str) -> Iterator[Rewrite]:
        """The sign of a term, or a term taken out."""
        if n is self.value and n.op not in ("Add", "Neg"):
            yield self.put("sign", n, f"-{self.source(n)}", f"change the sign of {self.source(n)}")
        if n.op != "Add":
            return
        terms = [t.nodes[0] if t.op == "Neg" and t.span == t.nodes[0].span else t for t in n.nodes]
        for k, (t, printed) in enumerate(zip(n.nodes, terms, strict=True)):
            before = self.whole[terms[k - 1].span[1]:printed.span[0]] if k else ""
            if k and before.strip(" (") in ("+", "-"):
                other = before.replace(*("+-" if "+" in before else "-+"))
                lo, hi = terms[k - 1].span[1], printed.span[0]
                yield Rewrite(KIND["sign"], self.whole[:lo] + other + self.whole[hi:], f"change the sign of {self.source(printed)}")
                gone = self.whole[:lo] + self.whole[printed.span[1]:]
                yield Rewrite(KIND["drop term"], gone, f"take out the term {self.source(printed)}")
            elif not k and t.op != "Neg":
                lo, hi = printed.span[0], terms[1].span[0]
                sign = "" if "+" in self.whole[printed.span[1]:hi] else "-"
                yield Rewrite(KIND["drop term"], self.whole[:lo] + sign + self.whole[hi:], f"take out the term {self.source(printed)}")
                yield Rewrite(KIND["sign"], f"{self.whole[:lo]}-{self.whole[lo:]}", f"change the sign of {self.source(printed)}")

    def factors(self, n: Node, above: str) -> Iterator[Rewrite]:
        """A factor taken out, or what is divided by."""
        if n.op in PRODUCTS and len(n.nodes) == 2:
            for rest, x in (n.nodes, n.nodes[::-1]) if n.op != "Div" else (n.nodes,):
                kind = "drop number" if x.op == "Num" else "drop factor"
                yield self.put(kind, n, self.source(rest), f"take out the factor {self.source(x)}")

    def calls(self, n: Node, above: str) -> Iterator[Rewrite]:
        """Another function, none, one around a factor of its argument only; the derivative in terms of the value."""
        if n.op != "Call" or len(n.nodes) < 2 or n.nodes[1].op == "Chain":
            return
        f, u = n.nodes[:2]
        name, argument = self.source(f), self.source(u)
        inside = argument if u.op == "Sym" else f"({argument})"
        own = f.head
        if len([a for a in n.nodes[1:] if a.op != "Chain"]) == 1:
            yield self.put("apply", n, inside, f"take {own} off {argument}")
            for row in SLOPES.get(own, ()):
                for x in (inside, self.source(n)):
                    yield self.put("function", n, f"({row.format(x)})", f"write the derivative by the value for {self.source(n)}")
            prefix = name[: -len(own)] if name.endswith(own) else ""
            for other in FUNCTIONS:
                if other != own and own in FUNCTIONS:
                    yield self.put("function", n, f"{prefix}{other}({argument})", f"write {other} for {own}")
        if u.op in PRODUCTS and len(u.nodes) == 2 and len(n.nodes) == 2:
            a, b = u.nodes
            between = self.whole[a.span[1]:b.span[0]]
            yield self.put("bracket", n, f"{name}({self.source(a)}){between}{self.source(b)}", f"apply {own} to {self.source(a)} alone")
            yield self.put("bracket", n, f"{self.source(a)}{between}{name}({self.source(b)})", f"apply {own} to {self.source(b)} alone")

    def transposes(self, n: Node, above: str) -> Iterator[Rewrite]:
        """A transpose put in or taken away."""
        mark = TRANSPOSED.get(self.language, ".T")
        if n.op == "Transpose" and n.nodes[0].span[0] < n.nodes[0].span[1]:
            yield self.put("transpose", n, self.source(n.nodes[0]), f"take the transpose off {self.source(n.nodes[0])}")
        elif n.op not in ("Num", "Chain", "Transpose") and (above in (*PRODUCTS, "Call") or n is self.value and n.op in PRODUCTS):
            yield self.put("transpose", n, f"{self.factor(n)}{mark}", f"transpose {self.source(n)}")

    def applied(self, n: Node, above: str) -> Iterator[Rewrite]:
        """A function applied to the whole or to the value of a function."""
        prefix = next(iter(re.findall(r"\b(?:np|torch|nd|tf|jnp)\.", self.whole)), "")
        if n is self.value or n.op == "Call":
            for name in FUNCTIONS:
                yield self.put("apply", n, f"{prefix}{name}({self.source(n)})", f"apply {name} to {self.source(n)}")

    def added(self, n: Node, above: str) -> Iterator[Rewrite]:
        """A term or a factor put in."""
        if n is not self.value and above not in ("Add", "Call"):
            return
        for name in self.names:
            new = float(re.search(rf"\b{re.escape(name)}\b", self.whole) is None)          # what is missing stands nowhere yet
            if above != "Add":
                yield self.put("insert term", n, f"{self.source(n)} + {name}", f"put in the term {name}", new)
                yield self.put("insert term", n, f"{self.source(n)} - {name}", f"put in the term -{name}", new)
            if n.op not in ("Add", "Neg"):
                yield self.put("insert factor", n, f"{self.source(n)} * {name}", f"put in the factor {name}", new)
