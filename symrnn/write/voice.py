r"""Two ways to say a formula inside a text: as LaTeX in a notation, or as plain text. The texts are written once, for both.

>>> from symrnn.expr import NOW, symbol
>>> h = symbol("h", ("n", 1), "adjoint", NOW)
>>> print(LatexVoice(Notation())(h), PlainVoice()(h).replace(GLUE, " "))
$\frac{\partial L}{\partial h_t}$ adj h[t]
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from symrnn.expr import Expr, Shape, Size, Symbol, node, show_shape
from symrnn.expr.show import show
from symrnn.write.latex import Writer, latex
from symrnn.write.notation import Notation
from symrnn.write.page import GLUE, Display, aligned


class Voice(Protocol):
    """Says formulas."""

    def __call__(self, e: Expr | Symbol) -> str:
        """An expression inside a sentence."""
        ...

    def equal(self, *parts: Expr | Symbol) -> str:
        """Expressions that are equal, inside a sentence."""
        ...

    def maths(self, latex: str, plain: str) -> str:
        """A formula that is no expression, inside a sentence."""
        ...

    def shape(self, shape: Shape) -> str:
        """A shape inside a sentence."""
        ...

    def size(self, size: Size) -> str:
        """A size inside a sentence."""
        ...

    def last(self) -> str:
        """The number of steps inside a sentence."""
        ...

    def steps(self, backward: bool = False, before: bool = False) -> str:
        """The range of the steps inside a sentence, from the first to the last one or ``backward``; or to the one ``before`` the last."""
        ...

    def at_end(self) -> str:
        """The last step inside a sentence."""
        ...

    def code(self, text: str) -> str:
        """Program text inside a sentence."""
        ...

    def display(self, *rows: tuple[Expr | Symbol, Expr]) -> Display:
        """Equations that stand alone."""
        ...

    def chain(self, left: Expr | Symbol, *rights: Expr) -> Display:
        """One equation after the other with the same left side, which is printed once."""
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

    def equal(self, *parts: Expr | Symbol) -> str:
        return f"${' = '.join(latex(expression(e), self.notation) for e in parts)}$"

    def maths(self, latex: str, plain: str) -> str:
        return f"${latex}$"

    def shape(self, shape: Shape) -> str:
        rows, columns = map(Writer(self.notation).size, shape)
        return rf"${rows} \times {columns}$"

    def size(self, size: Size) -> str:
        return f"${Writer(self.notation).size(size)}$"

    def last(self) -> str:
        return f"${self.notation.last}$"

    def steps(self, backward: bool = False, before: bool = False) -> str:
        ends = ("1", self.notation.last + "-1" * before)[:: -1 if backward else 1]
        return rf"${self.notation.letter} = {ends[0]}, \dots, {ends[1]}$"

    def at_end(self) -> str:
        return f"${self.notation.letter} = {self.notation.last}$"

    def code(self, text: str) -> str:
        bare = text.lstrip(" ")
        return f"`{GLUE * (len(text) - len(bare))}{bare}`"

    def display(self, *rows: tuple[Expr | Symbol, Expr]) -> Display:
        if len(rows) == 1:
            (left, right), = rows
            return Display(f"{latex(expression(left), self.notation)} = {latex(right, self.notation)}")
        return Display(aligned(f"{latex(expression(a), self.notation)} &= {latex(b, self.notation)}" for a, b in rows))

    def chain(self, left: Expr | Symbol, *rights: Expr) -> Display:
        heads = [latex(expression(left), self.notation), *[""] * (len(rights) - 1)]
        return Display(aligned(f"{head} &= {latex(e, self.notation)}".lstrip() for head, e in zip(heads, rights, strict=True)))


@dataclass(frozen=True)
class PlainVoice:
    """Formulas as plain text."""

    def __call__(self, e: Expr | Symbol) -> str:
        return show(expression(e)).replace(" ", GLUE)

    def equal(self, *parts: Expr | Symbol) -> str:
        return f"{GLUE}={GLUE}".join(map(self, parts))

    def maths(self, latex: str, plain: str) -> str:
        return plain.replace(" ", GLUE)

    def shape(self, shape: Shape) -> str:
        return show_shape(shape)

    def size(self, size: Size) -> str:
        return str(size)

    def last(self) -> str:
        return "T"

    def steps(self, backward: bool = False, before: bool = False) -> str:
        last = "T-1" if before else "T"
        return self.maths("", f"t = {last}, ..., 1" if backward else f"t = 1, ..., {last}")

    def at_end(self) -> str:
        return self.maths("", "t = T")

    def code(self, text: str) -> str:
        return text.replace(" ", GLUE)

    def display(self, *rows: tuple[Expr | Symbol, Expr]) -> Display:
        return Display("\n".join(f"{show(expression(a))} = {show(b)}" for a, b in rows))

    def chain(self, left: Expr | Symbol, *rights: Expr) -> Display:
        head = show(expression(left))
        heads = [head, *[" " * len(head)] * (len(rights) - 1)]
        return Display("\n".join(f"{h} = {show(e)}" for h, e in zip(heads, rights, strict=True)))
