r"""Two ways to say a formula inside a text: as LaTeX in a notation, or as plain text. The texts are written once, for both.

>>> from symrnn.expr import NOW, symbol
>>> h = symbol("h", ("n", 1), "adjoint", NOW)
>>> print(LatexVoice(Notation())(h), PlainVoice()(h).replace(GLUE, " "))
$\frac{\partial L}{\partial h_t}$ adj h[t]
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from symrnn.expr import Expr, Shape, Symbol, node, show_shape
from symrnn.expr.show import show
from symrnn.write.latex import Writer, latex
from symrnn.write.notation import Notation
from symrnn.write.page import GLUE, Display, aligned


class Voice(Protocol):
    """Says formulas."""

    def __call__(self, e: Expr | Symbol) -> str:
        """An expression inside a sentence."""
        ...

    def maths(self, latex: str, plain: str) -> str:
        """A formula that is no expression, inside a sentence."""
        ...

    def shape(self, shape: Shape) -> str:
        """A shape inside a sentence."""
        ...

    def steps(self) -> str:
        """The range of the steps inside a sentence."""
        ...

    def display(self, *rows: tuple[Expr | Symbol, Expr]) -> Display:
        """Equations that stand alone."""
        ...


def expression(e: Expr | Symbol) -> Expr:
    """A symbol as an expression."""
    return e if isinstance(e, Expr) else node("sym", attr=e)


@dataclass(frozen=True)
class LatexVoice:
    """Formulas in LaTeX."""

    notation: Notation = field(default_factory=Notation)

    def __call__(self, e: Expr | Symbol) -> str:
        return f"${latex(expression(e), self.notation)}$"

    def maths(self, latex: str, plain: str) -> str:
        return f"${latex}$"

    def shape(self, shape: Shape) -> str:
        rows, columns = map(Writer(self.notation).size, shape)
        return rf"${rows} \times {columns}$"

    def steps(self) -> str:
        return rf"${self.notation.letter} = 1, \dots, {self.notation.last}$"

    def display(self, *rows: tuple[Expr | Symbol, Expr]) -> Display:
        if len(rows) == 1:
            (left, right), = rows
            return Display(f"{latex(expression(left), self.notation)} = {latex(right, self.notation)}")
        return Display(aligned(f"{latex(expression(a), self.notation)} &= {latex(b, self.notation)}" for a, b in rows))


@dataclass(frozen=True)
class PlainVoice:
    """Formulas as plain text."""

    def __call__(self, e: Expr | Symbol) -> str:
        return show(expression(e)).replace(" ", GLUE)

    def maths(self, latex: str, plain: str) -> str:
        return plain.replace(" ", GLUE)

    def shape(self, shape: Shape) -> str:
        return show_shape(shape)

    def steps(self) -> str:
        return self.maths("", "t = 1, ..., T")

    def display(self, *rows: tuple[Expr | Symbol, Expr]) -> Display:
        return Display("\n".join(f"{show(expression(a))} = {show(b)}" for a, b in rows))
