"""Equations with a value by hand: texts that declare and define, drawn arrays, and derivatives by complex steps.

A text is front matter, defining equations and a forward pass in plain NumPy. Its cases are right sides, each with the function a
person would write from the formula: of the drawn arrays ``d`` and the step ``t``; vectors have one axis, a row has shape (1, n), and
a formula with free component indices gives the array over them in the order of their names.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from random import Random
from typing import Any

import numpy as np

from symrnn.document import compile_document
from symrnn.expr import Expr, resize
from symrnn.model import Model
from symrnn.prove.evaluate import Point
from symrnn.prove.reals import Floats, Instance
from symrnn.read.document import parse_document
from symrnn.read.elaborate import Elaborator
from symrnn.read.reader import read
from symrnn.read.tree import Node, walk
from symrnn.setting import Setting

STEPS = 4
#: What unspecified functions are in the tests: a polynomial, as coefficients for the evaluator and as a function for the hand.
OPEN = {"phi": (0, Fraction(1), Fraction(1, 2)), "psi": (Fraction(1, 2), 0, Fraction(1), Fraction(1, 4))}


def phi(u: Any) -> Any:
    return u + u**2 / 2


def phi_slope(u: Any) -> Any:
    return 1 + u


def psi(u: Any) -> Any:
    return 1 / 2 + u**2 + u**3 / 4


def sigmoid(u: Any) -> Any:
    return 1 / (1 + np.exp(-u))


def softmax(u: Any) -> Any:
    return np.exp(u) / np.exp(u).sum()


@cache
def numbers(name: str, step: int | None, shape: tuple[int, ...], simplex: bool) -> list[Fraction]:
    """The entries of a drawn array, row by row: sixteenths between -1 and 1, or positive ones that sum to one."""
    dice = Random(f"{name} {step} {shape}")
    count = int(np.prod(shape))
    if simplex:
        weights = [dice.randint(1, 9) for _ in range(count)]
        return [Fraction(w, sum(weights)) for w in weights]
    return [Fraction(dice.choice([k for k in range(-16, 17) if k]), 16) for _ in range(count)]


@dataclass
class Drawn:
    """The arrays of one point by name; ``bumps`` are added to a parameter (name, None) or to what stands at a step (name, step)."""

    text: Text
    sizes: Mapping[str, int]
    bumps: Mapping[tuple[str, int | None], Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.T, self.slopes = STEPS, {}
        if self.text.forward is not None:
            self.text.forward(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        words, sequence = self.text.shape(name)
        return Steps(self, name) if sequence else self.start(name, None)

    def start(self, name: str, step: int | None) -> Any:
        """The drawn value of a name at a step, such as a state before the first."""
        canonical = self.text.names.get(name, name)
        shape = tuple(self.sizes[s] if s in self.sizes else int(s) for s in self.text.shape(name)[0])
        drawn = numbers(canonical, step, shape, name in self.text.simplex)
        return np.array([float(q) for q in drawn]).reshape(shape) + self.bump(name, step)

    def bump(self, name: str, step: int | None) -> Any:
        """What is added to a value; the forward pass adds it to every variable at every step."""
        return self.bumps.get((name, step), 0.0)


class Steps:
    """A drawn sequence: one array for every step."""

    def __init__(self, d: Drawn, name: str) -> None:
        self.d, self.name = d, name

    def __getitem__(self, step: int) -> Any:
        return self.d.start(self.name, step)


def slope(of: Callable[[Drawn], Any], d: Drawn, name: str, step: int | None = None) -> Any:
    """The derivative of ``of(d)`` by an array, by complex steps: the shape of the array, with the axes of the value in front."""
    key = (of, name, step)
    if key not in d.slopes:
        d.slopes[key] = _slope(of, d, name, step)
    return d.slopes[key]


def _slope(of: Callable[[Drawn], Any], d: Drawn, name: str, step: int | None) -> Any:
    shape = np.shape(getattr(d, name) if step is None else getattr(d, name)[step])
    columns = []
    for k in range(int(np.prod(shape))):
        bump = np.zeros(int(np.prod(shape)), dtype=complex)
        bump[k] = 1e-30j
        columns.append(np.imag(of(replace(d, bumps={(name, step): bump.reshape(shape)}))) / 1e-30)
    value = np.array(columns)
    return np.moveaxis(value, 0, -1).reshape(*value.shape[1:], *shape)


@dataclass(frozen=True)
class Case:
    """A right side (or a whole equation, of which the last side counts), its value by hand, and where it exists."""

    text: Text
    latex: str
    hand: Callable[..., Any]
    steps: tuple[int, ...] = (1, 2, 3, 4)
    letters: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.text.name}: {self.latex}"

    @cached_property
    def tree(self) -> Node:
        reading = read(self.latex, self.text.setting.scope.table, second=False)
        assert reading.tree is not None, reading.unread
        return reading.tree

    @cached_property
    def expression(self) -> Expr:
        """What the elaborator makes of the last side; the sides before it are elaborated first, as in a document."""
        E = Elaborator(self.text.setting.scope)
        sides = [self.tree] if self.tree.op != "Chain" else [self.tree.nodes[0], *(r.nodes[0] for r in self.tree.nodes[1:])]
        return [resize(E(side), self.text.setting.sizes()) for side in sides][-1]

    def values(self, sizes: Mapping[str, int]) -> list[tuple[str, Any, Any]]:
        """Where, the value of the expression, the value by hand."""
        e = self.expression
        assert e.fault is None, e.fault
        point, d = self.text.point(tuple(sizes.items()))
        rows = []
        for times in product(self.steps, *[self.steps] * len(self.letters)):
            env = dict(zip((self.text.letter, *self.letters), times, strict=True))
            found = point.table(e, env).a
            assert e.shape is not None
            axes = (0, 0) if e.shape == (1, 1) else (slice(None), 0) if e.shape[1] == 1 else (slice(None), slice(None))
            rows.append((f"{dict(sizes)} {env}", found[(..., *axes)], np.asarray(self.hand(d, *times))))
        return rows


@dataclass(frozen=True, eq=False)
class Text:
    """Front matter, defining equations, the forward pass by hand, and the cases that were written for it.

    ``names`` maps the names of the hand to canonical names, where they differ; ``sizes`` are the two sets of sizes.
    """

    name: str
    data: Mapping[str, Any]
    equations: tuple[str, ...] = ()
    forward: Callable[[Drawn], None] | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    sizes: tuple[Mapping[str, int], ...] = ({"m": 2, "d": 3, "q": 4}, {"m": 3, "d": 2, "q": 5})
    cases: list[Case] = field(default_factory=list)

    @property
    def letter(self) -> str:
        return "t"

    @property
    def simplex(self) -> frozenset[str]:
        return frozenset(self.data.get("simplex", ()))

    def source(self, claims: tuple[str, ...] = ()) -> Any:
        """The text as a document, with claims after its definitions."""
        body = "".join(f"$$\n{e}\n$$\n\n" for e in (*self.equations, *claims))
        return replace(parse_document(body, f"{self.name}.md"), settings=dict(self.data))

    @property
    def setting(self) -> Setting:
        return _setting(self)

    @property
    def model(self) -> Model:
        return _model(self)

    def shape(self, name: str) -> tuple[list[str], bool]:
        """The sizes of a symbol and whether it is a sequence, from its declaration."""
        try:
            words = _declared(self)[self.names.get(name, name)].split(",")
        except KeyError:
            raise AttributeError(name) from None
        return words[0].split()[1:], len(words) > 1

    def canonical(self, latex: str) -> str:
        from symrnn.read.names import canonical_name
        return canonical_name(latex)

    def point(self, sizes: tuple[tuple[str, int], ...]) -> tuple[Point, Drawn]:
        return _point(self, sizes)

    def case(self, latex: str, steps: tuple[int, ...] = (1, 2, 3, 4), letters: tuple[str, ...] = ()) -> Callable[[Any], Any]:
        """Register the decorated function as the value of a formula."""
        def keep(hand: Callable[..., Any]) -> Callable[..., Any]:
            self.cases.append(Case(self, latex, hand, steps, letters))
            return hand
        return keep

    def __call__(self, latex: str, hand: Callable[..., Any], **more: Any) -> None:
        self.cases.append(Case(self, latex, hand, **more))


@cache
def _declared(text: Text) -> dict[str, str]:
    """The declarations of a text by canonical names."""
    return {text.canonical(name): words for name, words in text.data["symbols"].items()}


@cache
def _setting(text: Text) -> Setting:
    compiled = compile_document(text.source())
    for row in compiled.rows:
        assert row.reading.tree is not None and isinstance(row.found, list), row.span.latex
        assert all(s.role == "definition" for s in row.found), row.span.latex
    return compiled.settings["main"]


@cache
def _model(text: Text) -> Model:
    return text.setting.model(text.name) if text.equations else Model("none", ())


@cache
def _point(text: Text, sizes: tuple[tuple[str, int], ...]) -> tuple[Point, Drawn]:
    simplex = {text.names.get(n, n) for n in text.simplex}

    def draw(name: str, step: int | None, shape: tuple[int, int], _: bool) -> list[list[Fraction]]:
        flat = tuple(n for n, s in zip(shape, ("r", "c"), strict=True) if not (s == "c" and n == 1)) if shape != (1, 1) else ()
        entries = numbers(name, step, flat, name in simplex)
        return [entries[k * shape[1]:(k + 1) * shape[1]] for k in range(shape[0])]
    functions = {f"?{name}": Instance(tuple(map(Fraction, row))) for name, row in OPEN.items()}
    system = Floats(instances=functions)
    return Point(text.model, system, dict(sizes), STEPS, draw), Drawn(text, dict(sizes))


def operations(case: Case) -> set[str]:
    """The operations of the tree of a case."""
    return {n.op for n in walk(case.tree)}
