"""The letters of a text as sizes of its network: what spaces, declarations and sentences make them, and the numbers they are given."""
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from symrnn.expr import Size, Symbol
from symrnn.expr.linear import Linear
from symrnn.model import Model
from symrnn.prove.parts import given, outputs
from symrnn.read.declarations import size_text
from symrnn.read.names import name_latex
from symrnn.read.sentences import Said
from symrnn.read.symbols import SymbolTable
from symrnn.read.tree import Node, walk
from symrnn.told.world import World, plain

ONE = Linear((), 1)
HIGHEST = 3
"""The highest power of a size in a count."""


class Unsized(Exception):
    """A letter of a count of which nothing says what size it is."""


def polynomial(n: Node, letters: Mapping[str, Linear], table: SymbolTable) -> Linear | None:
    """A sum of products of sizes and numbers; None for anything else. Raises Unsized for a letter that is no known size."""
    if n.op == "Num":
        return Linear((), int(n.head)) if n.head.isdigit() else None
    if n.op == "Sym":
        name = size_text(n, table)
        if name not in letters:
            raise Unsized(name)
        return letters[name]
    if n.op == "Pow":
        base, k = polynomial(n.nodes[0], letters, table), n.nodes[1].head
        return reduce(Linear.__mul__, [base] * int(k), ONE) if base is not None and k.isdigit() and int(k) <= HIGHEST else None
    parts = [p for m in n.nodes if (p := polynomial(m, letters, table)) is not None]
    if len(parts) < len(n.nodes):
        return None
    match n.op:
        case "Add":
            return reduce(Linear.__add__, parts)
        case "Neg":
            return -parts[0]
        case "Mul" | "Dot" | "Times" | "Star" | "Call":               # n(n + d): a letter that is a size is no function
            return reduce(Linear.__mul__, parts)
    return None


@dataclass(frozen=True)
class Sizes:
    """What the letters of a text say of the sizes of a model: ``letters`` as sizes of the model, ``written`` the other way round."""

    letters: Mapping[str, Linear]
    written: Mapping[str, str]

    @classmethod
    def of(cls, world: World, model: Model, offset: int) -> Sizes:
        """The letters that spaces and declarations use, and those that sentences give to vectors, units, inputs and outputs."""
        own = {f for n in model.sizes for f in letters_of(n)}
        pairs = [(n, n) for n in own & world.sizes_declared]
        for said in (*world.kinds.get("size", ()), *world.kinds.get("count", ())):
            pairs += [(letter, name) for letter, name in _given_by(said, world, model) if name in own - world.sizes_declared]
        meant: dict[str, set[str]] = {}
        for letter, name in pairs:
            meant.setdefault(letter, set()).add(name)
        sure = {letter: names.pop() for letter, names in meant.items() if len(names) == 1}
        return cls({letter: Linear.of(name) for letter, name in sure.items()}, {name: letter for letter, name in reversed(sure.items())})

    def latex(self, size: Size) -> str:
        """A size in the letters of the text."""
        form = Linear.of(size)
        names = [("" if k == 1 else str(k), (self.written.get(f, f) for f in name.split("*"))) for name, k in form.terms]
        parts = [k + "".join(map(name_latex, factors)) for k, factors in names]
        return " + ".join([*parts, *([str(form.constant)] if form.constant or not parts else [])])

    def unwritten(self, counted: Sequence[Symbol]) -> str | None:
        """A parameter with a size for which the text has no letter."""
        return next((p.name for p in counted for n in p.shape for f in letters_of(n) if f not in self.written), None)

    def numbers(self, form: Linear, values: Mapping[str, int]) -> dict[str, int]:
        """The numbers that the text gives to the sizes of a count.

        If all numbers are the same, and there are as many as sizes, it does not matter which letter is which size.
        """
        sizes = letters_of(form.size)
        if len(set(values.values())) == 1 and len(set(sizes)) <= len(values):
            return dict.fromkeys(sizes, *set(values.values()))
        return {name: values[letter] for name, letter in self.written.items() if letter in values}


def valued(form: Linear, known: Mapping[str, int]) -> Linear:
    """A sum of products of sizes with numbers for some of them.

    >>> print(valued(Linear.of("2*n*m+n"), {"n": 3}))
    6*m+3
    """
    out = Linear((), form.constant)
    for name, k in form.terms:
        out += reduce(Linear.__mul__, (Linear((), known[f]) if f in known else Linear(((f, 1),)) for f in name.split("*")), Linear((), k))
    return out


def at(p: Symbol, known: Mapping[str, int]) -> Symbol:
    """A parameter with numbers for some of its sizes."""
    rows, columns = (valued(Linear.of(n), known).size for n in p.shape)
    return replace(p, shape=(rows, columns))


def letters_of(size: Size) -> list[str]:
    """The letters of a size.

    >>> letters_of("d+h"), letters_of("2*n"), letters_of(3)
    (['d', 'h'], ['n'], [])
    """
    return [f for name, _ in Linear.of(size).terms for f in name.split("*")]


def _given_by(said: Said, world: World, model: Model) -> Iterator[tuple[str, str]]:
    """The letters that a sentence gives to sizes of the model."""
    if said.kind == "size":
        tree = world.parse(said.value, said.offset)
        sizes = () if tree is None else tree.nodes if tree.op in ("Times", "Tuple") else (tree,)
        for latex in said.subjects:
            named = world.parse(latex, said.offset)
            s = _symbol(model, named.head) if named is not None and named.op == "Sym" else None
            if s is not None and len(sizes) == (1 if s.shape[1] == 1 else 2):
                yield from ((n.head, str(own)) for n, own in zip(sizes, s.shape, strict=False) if plain(n))
        return
    last = [model.symbol(name) for name in outputs(model)[-1:]]
    counted = {"units": model.states, "inputs": given(model), "outputs": last, "classes": last}
    found = {s.shape[0] for s in counted.get(said.value, ())}
    if len(found) == 1 and said.subjects:
        yield said.names[0], str(found.pop())


def _symbol(model: Model, name: str) -> Symbol | None:
    return next((s for s in (*model.variables, *model.parameters, *model.inputs) if s.name == name), None)


# -------------------------------------------------------------------------------------------------------------------- numbers
def stated_values(world: World, text: str, offset: int) -> dict[str, int]:
    """The numbers that a sentence gives to letters, and those that the text gives to a letter once and for all.

    A letter that no formula uses, and that is declared with a number of entries, is the name of that number.
    """
    found: dict[str, set[int]] = {}
    used: set[str] = set()
    for row in world.compiled.rows:
        used |= {n.head for n in walk(row.reading.tree) if n.op == "Sym"} if row.reading.tree is not None else set()
        for name, value in _value_of(row.reading.tree):
            found.setdefault(name, set()).add(value)
    for d in world.setting(offset).scope.table:
        if d.name not in used and d.kind == "vector" and len(d.shape) == 1 and d.shape[0].isdigit():
            found.setdefault(d.name, set()).add(int(d.shape[0]))
    here: dict[str, set[int]] = {}
    for latex in re.findall(r"\$([^$]+)\$", text):
        for name, value in _value_of(world.parse(latex, offset)):
            here.setdefault(name, set()).add(value)
    return {name: values.pop() for name, values in {**found, **here}.items() if len(values) == 1}


def _value_of(n: Node | None) -> Iterator[tuple[str, int]]:
    """The letters to which equations give a whole number."""
    for m in n.nodes if n is not None and n.op in ("Seq", "Rows") else (n,):
        if m is not None and m.op == "Chain" and len(m.nodes) == 2 and plain(m.nodes[0]) and m.nodes[1].head == "=":
            right = m.nodes[1].nodes[0]
            if right.op == "Num" and right.head.isdigit():
                yield m.nodes[0].head, int(right.head)
