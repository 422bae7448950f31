"""Statements of one emitted function, gathered line by line."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import sympy
from sympy.printing.codeprinter import CodePrinter

from symrnn.emit.printers import helpers
from symrnn.expr import Expr, Linear, Shape, Size, Symbol
from symrnn.naming import identifier

WIDTH = 116


class Statement(str):
    """A line of code; ``of`` is the quantity that it computes, or of which it computes a ``part``."""

    of: Symbol | None
    part: Expr | None

    def __new__(cls, text: str, of: Symbol | None = None, part: Expr | None = None) -> Statement:
        made = super().__new__(cls, text)
        made.of, made.part = of, part
        return made


@dataclass(frozen=True)
class Function:
    """The statements of one function, the sizes they name and the helpers they call."""

    lines: tuple[Statement, ...]
    sizes: tuple[str, ...]
    helpers: frozenset[str]


def axis(n: Size) -> str:
    """What the code calls the length of an axis; B and T are those of the sequences and steps.

    >>> axis("n_h"), axis("B"), axis("n_h+n_x")
    ('n_h', 'B_', 'n_h_n_x')
    """
    name = identifier(str(n))
    return f"{name}_" if name in ("B", "T") else name


def in_names(n: Size) -> sympy.Expr:
    """A size in the names that the code has for sizes.

    >>> in_names("2*n_h+n_x-1")
    2*n_h + n_x - 1
    """
    form = Linear.of(n)
    terms = (sympy.Mul(k, *(sympy.Symbol(axis(name)) for name in product.split("*"))) for product, k in form.terms)
    return sympy.Add(*terms, form.constant)


@dataclass
class Body:
    """Statements being gathered."""

    printer: CodePrinter
    lines: list[Statement] = field(default_factory=list)
    sizes: dict[str, None] = field(default_factory=dict)
    helpers: set[str] = field(default_factory=set)
    of: tuple[Symbol | None, Expr | None] = (None, None)

    @contextmanager
    def computing(self, s: Symbol | None, part: Expr | None = None) -> Iterator[None]:
        """The lines that are added meanwhile compute this quantity, or a ``part`` of it."""
        outer, self.of = self.of, (s, part)
        yield
        self.of = outer

    def size(self, n: Size) -> sympy.Expr:
        """A size as it stands in the code."""
        if isinstance(n, int):
            return sympy.Integer(n)
        self.sizes |= dict.fromkeys(map(axis, Linear.of(n).names))
        return in_names(n)

    def shape(self, shape: Shape) -> str:
        """The trailing part of the shape of an array over steps and sequences: ``, n_h``; a scalar has one entry."""
        dims = [n for n in shape if n != 1] or [1]
        return "".join(f", {self.size(n)}" for n in dims)

    def text(self, value: sympy.Expr) -> str:
        """The printed expression."""
        self.helpers |= helpers(value)
        return str(self.printer.doprint(value))

    def calls(self, helper: str) -> str:
        """The name of a helper, which is then among those that the function calls."""
        self.helpers.add(helper)
        return helper

    def add(self, line: str, indent: int = 0) -> None:
        """One line."""
        self.lines.append(Statement(" " * indent + line, *self.of))

    def assign(self, target: str, value: sympy.Expr, indent: int = 0) -> None:
        """One assignment; a long sum is broken before its signs."""
        line = f"{target} = {self.text(value)}"
        if len(line) + indent <= WIDTH or not isinstance(value, sympy.Add):
            return self.add(line, indent)
        terms = [self.text(x) for x in value.args]
        signs = [f"- {x[1:]}" if x.startswith("-") else f"+ {x}" for x in terms[1:]]
        for part in (f"{target} = (", f"    {terms[0]}", *(f"    {x}" for x in signs), ")"):
            self.add(part, indent)

    def done(self) -> Function:
        return Function(tuple(self.lines), tuple(self.sizes), frozenset(self.helpers))
