"""What the names of a program are in a text: spelled alike, spelled otherwise, or another name for something of the same kind.

>>> loose("W_hh") == loose("Whh"), loose("h_t") == loose("h"), loose("hs") == loose("h"), loose("W_hy") == loose("W_yh")
(True, True, True, False)
>>> [stem(name) for name in ("h_prev", "prev_h", "h")]
[('h', -1), ('h', -1), ('h', 0)]
"""
from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

from symrnn.expr import NOW, Symbol, symbols, walk
from symrnn.model import Model
from symrnn.read.meaningless import Meaningless
from symrnn.read.tree import Node
from symrnn.read.tree import walk as walk_tree

BEFORE_WORDS = ("prev", "previous", "old", "last")
"""Words in a name that say that it is the value of the step before."""


@dataclass(frozen=True)
class Reference:
    """A name of a program where it is used: how many steps from the present one, or None where the program does not say."""

    name: str
    offset: int | None


@dataclass(frozen=True)
class Meaning:
    """What a name of a program is in the text: a symbol, ``shift`` steps later; ``said`` is the condition if the names differ."""

    symbol: str
    shift: int = 0
    said: str = ""


def loose(name: str) -> str:
    """A name without what programs add and leave out: underscores, the letter of the step at its end, the s of a plural."""
    plain = name.removesuffix("_t").replace("_", "")
    return plain[:-1] if len(plain) > 1 and plain.endswith("s") else plain


def stem(name: str) -> tuple[str, int]:
    """A name without the word that makes it the value of the step before, and the steps that this word goes back."""
    for word in BEFORE_WORDS:
        for rest in (name.removesuffix(f"_{word}"), name.removeprefix(f"{word}_")):
            if rest != name and rest:
                return rest, -1
    return name, 0


def offset_of(n: Node) -> int | None:
    """The offset of the step at which a symbol of a listing is taken. Raises Meaningless for a step that is no such offset."""
    time = n.part("Time")
    if time is None:
        return None
    step = time.nodes[0]
    if step.op == "Sym":
        return 0
    if step.op == "Add" and len(step.nodes) == 2 and step.nodes[0].op == "Sym":
        sign, last = (-1, step.nodes[1].nodes[0]) if step.nodes[1].op == "Neg" else (1, step.nodes[1])
        if last.op == "Num" and last.head.isdigit():
            return sign * int(last.head)
    raise Meaningless("SR303", f"the step {step} is not a fixed number of steps from the present one", n.span)


def references(n: Node) -> Iterator[Reference]:
    """The names that an expression of a listing uses, in order. Raises Meaningless for a component."""
    if n.op == "Sym":
        if n.part("Index") is not None:
            raise Meaningless("SR303", f"a component of {n.head} is taken", n.span)
        yield Reference(n.head, offset_of(n))
        return
    for child in n.nodes[1:] if n.op == "Call" else n.nodes:
        yield from references(child)


def replaced(n: Node, names: dict[Reference, str]) -> Node:
    """The expression with every use of a name replaced by the name that stands for it."""
    if n.op == "Sym":
        return Node("Sym", (names[Reference(n.head, offset_of(n))],), n.span)
    keep = n.args[:1] if n.op == "Call" else ()
    return Node(n.op, (*keep, *(replaced(a, names) if isinstance(a, Node) else a for a in n.args[len(keep):])), n.span)


def ranks(n: Node) -> dict[str, bool]:
    """Of the names that an expression multiplies from the left or transposes: True (a matrix); of those that it adds: False.

    >>> from symrnn.read.tree import sym
    >>> ranks(Node("Add", (Node("Mul", (sym("A"), sym("s"))), sym("c"))))
    {'c': False, 'A': True}
    """
    found: dict[str, bool] = {}
    for x in walk_tree(n):
        if x.op == "Add":
            found.update((a.head, False) for a in x.nodes if a.op == "Sym")
        elif x.op in ("Mul", "Transpose") and x.nodes[0].op == "Sym":
            found[x.nodes[0].head] = True
    return found


def reachable(model: Model, name: str, stop: Container[str] = frozenset()) -> dict[Symbol, None]:
    """What the value of a variable at one step is made of: every symbol up to those of earlier steps, in order of appearance.

    What is behind a variable of ``stop`` is left out.
    """
    found: dict[Symbol, None] = {}
    stack = [model.definitions[name]]
    while stack:
        for s in symbols(stack.pop(0)):
            if s not in found:
                found[s] = None
                if s.kind == "variable" and s.time == NOW and s.name not in stop:
                    stack.append(model.definitions[s.name])
    return found


def biases(model: Model, within: Iterable[Symbol]) -> list[str]:
    """The vectors among some parameters that the equations of a model only add to something.

    >>> from symrnn.model import param, sequence
    >>> h, b, g = sequence("h", "n"), param("b", "n"), param("g", "n")
    >>> m = Model.build("m", [(h, g * (param("W", "n", "n") @ h[-1] + b))])
    >>> biases(m, m.parameters)
    ['b']
    """
    def added(s: Symbol) -> bool:
        mine = [(x, a) for e in model.equations for x in walk(e.right) for a in x.args if a.op == "sym" and a.attr == s]
        return bool(mine) and all(x.op == "add" for x, _ in mine)
    return [s.name for s in within if s.kind == "parameter" and s.shape[1] == 1 and added(s)]


def named(name: str, among: Iterable[str]) -> str | None:
    """The one of some names that is spelled like ``name``, or the only one that is spelled almost so."""
    every = list(dict.fromkeys(among))
    if name in every:
        return name
    near = [other for other in every if loose(other) == loose(name)]
    return near[0] if len(near) == 1 else None
