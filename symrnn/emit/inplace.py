"""One equation as statements that work in place, so that no temporary is made which need not be.

``a_t = h_past @ W.T + a_in_t`` becomes ``h_past.dot(W_T, a_t)`` and ``a_t += a_in_t``. What no rule is for is written as
one expression, which is always right. A target is never read by its own equation.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable

import sympy

from symrnn.emit.printers import ArrayFunctionBase
from symrnn.emit.statements import Body

UNARY = (sympy.tanh, sympy.exp, sympy.log, sympy.sin, sympy.cos, sympy.sinh, sympy.cosh)
"""Functions of SymPy that are functions of NumPy of the same name."""

POWERS = {sympy.Integer(2): "square", sympy.Rational(1, 2): "sqrt", sympy.Integer(-1): "reciprocal"}
"""Powers that are functions of NumPy."""

COMBINED = {sympy.Add: ("add", "+="), sympy.Mul: ("multiply", "*=")}
"""Sums and products: the function of NumPy that makes one, and the statement that goes on with it."""

TAKEN_OFF = ("subtract", "-=")


def plain(e: sympy.Expr) -> bool:
    """Whether the expression is a name or a number.

    >>> plain(sympy.Symbol("x")), plain(-sympy.Symbol("x"))
    (True, False)
    """
    return isinstance(e, sympy.Symbol) or bool(e.is_Rational)


def negated(e: sympy.Expr) -> sympy.Expr | None:
    """``x`` if the expression is ``-x``.

    >>> x, y = sympy.symbols("x y")
    >>> negated(sympy.Mul(-1, x, y, evaluate=False)), negated(x)
    (x*y, None)
    """
    if not (isinstance(e, sympy.Mul) and e.args[0] == -1):
        return None
    return e.args[1] if len(e.args) == 2 else sympy.Mul(*e.args[1:], evaluate=False)


def ufunc(e: sympy.Expr) -> str | None:
    """The function of NumPy of one argument that the root of the expression is.

    >>> x = sympy.Symbol("x")
    >>> ufunc(sympy.tanh(x)), ufunc(x**2), ufunc(x**3)
    ('tanh', 'square', None)
    """
    if isinstance(e, sympy.Pow):
        return POWERS.get(e.exp)
    return type(e).__name__ if isinstance(e, UNARY) else None


def combined(e: sympy.Expr) -> bool:
    """Whether the expression is a sum or a product; a quotient is left to one division."""
    return isinstance(e, sympy.Add) or (isinstance(e, sympy.Mul) and not any(x.is_Pow and x.exp == -1 for x in e.args))


def parts_of(e: sympy.Expr) -> list[tuple[tuple[str, str], sympy.Expr]]:
    """The parts of a sum or a product, each with how it joins the others."""
    own = COMBINED[type(e)]
    inner = [negated(x) if isinstance(e, sympy.Add) else None for x in e.args]
    return [(own, x) if y is None else (TAKEN_OFF, y) for x, y in zip(e.args, inner, strict=True)]


class InPlace:
    """Writes equations into arrays that are there already, those of one step of a loop.

    ``hold`` names a matrix that is turned before the loop, ``work`` an array of the given shape for a part, by its depth.
    """

    indent = 4

    def __init__(self, body: Body, hold: Callable[[str], str], work: Callable[[str, int], str]) -> None:
        self.body, self.hold, self.work = body, hold, work
        self.shape, self.depth = "", 0

    def equation(self, value: sympy.Expr, target: str, shape: str) -> None:
        """Statements after which ``target``, an array of one step in this ``shape``, holds the value."""
        self.shape, self.depth = shape, 0
        self.write(value, target)

    def go_on(self, e: sympy.Expr, root: type[sympy.Expr], target: str, shape: str) -> None:
        """Statements that join a value to the ``target``, which holds the first part of a sum or a product (the ``root``)."""
        self.shape, self.depth = shape, 0
        for (_, statement), x in parts_of(e) if isinstance(e, root) else parts_of(root(0, e, evaluate=False))[1:]:
            self.join(statement, x, target)

    # ---------------------------------------------------------------------------------- what differs where arrays are made
    def fill(self, call: str, target: str) -> None:
        """The value of a function of NumPy, given without its closing bracket; an ``out=`` would cost a third of a short call."""
        self.body.add(f"{call}, {target})", self.indent)

    def set(self, text: str, target: str) -> None:
        """The value of an expression."""
        self.body.add(f"{target}[...] = {text}", self.indent)

    def whole(self, e: sympy.Expr, target: str) -> None:
        """The value of what no rule is for."""
        self.set(self.body.text(e), target)

    def product(self, e: sympy.Expr, target: str) -> None:
        """Vectors by a matrix that is the same at every step, turned before the loop if it is a transpose."""
        right = e.args[1]
        turned = isinstance(right, ArrayFunctionBase) and right.row.name == "transpose" and plain(right.args[0])
        matrix = self.hold(self.body.text(right.args[0])) if turned else self.body.text(right)
        left = self.body.text(e.args[0])
        self.fill(f"{left}.dot({matrix}" if plain(e.args[0]) else f"np.dot({left}, {matrix}", target)

    def part(self) -> str:
        """The name of an array for a part."""
        return self.work(self.shape, self.depth)

    def fits(self, e: sympy.Expr) -> bool:
        """Whether an array with this value can take the other parts."""
        return True

    # -------------------------------------------------------------------------------------------------------------- the rules
    def write(self, e: sympy.Expr, target: str) -> None:
        """Statements after which ``target`` holds the value."""
        function = ufunc(e)
        if function is not None:
            self.fill(f"np.{function}({self.argument(e.args[0], target)}", target)
        elif isinstance(e, ArrayFunctionBase) and e.row.name in ("dot", "times"):
            self.product(e, target)
        elif isinstance(e, ArrayFunctionBase) and e.row.entrywise:
            self.set(self.body.text(type(e)(sympy.Symbol(self.argument(e.args[0], target)))), target)
        elif negated(e) is not None:
            self.fill(f"np.negative({self.argument(negated(e), target)}", target)
        elif combined(e):
            self.gather(e, target)
        else:
            self.whole(e, target)

    def argument(self, e: sympy.Expr, target: str) -> str:
        """The text of an argument: itself if it is plain, else the target, where it is computed."""
        if plain(e):
            return self.body.text(e)
        self.write(e, target)
        return target

    def gather(self, e: sympy.Expr, target: str) -> None:
        """A sum or a product: one compound part in the target, if there is one, and the others one by one."""
        parts = sorted(parts_of(e), key=lambda part: (part[0] is TAKEN_OFF, not self.fits(part[1]), plain(part[1])))
        sign, first = parts.pop(0)
        if sign is TAKEN_OFF:
            first = sympy.Mul(-1, first, evaluate=False)
        pair = parts.pop(0) if plain(first) else None
        enough = self.fits(first) or (pair is not None and self.fits(pair[1])) or not parts
        if not enough or (pair is not None and not plain(pair[1]) and not self.fits(pair[1])):
            self.whole(e, target)
            return
        if pair is None:
            self.write(first, target)
        else:
            self.fill(f"np.{pair[0][0]}({self.body.text(first)}, {self.argument(pair[1], target)}", target)
        for (_, statement), x in parts:
            self.join(statement, x, target)

    def join(self, statement: str, e: sympy.Expr, target: str) -> None:
        """One more part; a compound one is computed in an array of its own."""
        if plain(e):
            self.body.add(f"{target} {statement} {self.body.text(e)}", self.indent)
            return
        self.depth += 1
        part = self.part()
        self.write(e, part)
        self.body.add(f"{target} {statement} {part}", self.indent)
        self.depth -= 1


class Making(InPlace):
    """Writes equations for all steps at once: the first statement of an equation makes the array, the others work in it.

    ``full`` says whether a name stands for an array over all steps in the shape of the equation, which can take the other parts;
    arrays that are ``there`` already are filled.
    """

    indent = 0

    def __init__(self, body: Body, full: Callable[[str], bool], there: Iterable[str] = ()) -> None:
        super().__init__(body, lambda matrix: matrix, lambda shape, depth: "")
        self.full = full
        self.there = set(there)

    def fill(self, call: str, target: str) -> None:
        self.body.add(f"{call}, out={target})" if target in self.there else f"{target} = {call})", self.indent)
        self.there.add(target)

    def set(self, text: str, target: str) -> None:
        self.body.add(f"{target}{'[...]' if target in self.there else ''} = {text}", self.indent)
        self.there.add(target)

    def whole(self, e: sympy.Expr, target: str) -> None:
        self.body.assign(f"{target}[...]" if target in self.there else target, e, self.indent)
        self.there.add(target)

    def product(self, e: sympy.Expr, target: str) -> None:
        self.whole(e, target)

    def fits(self, e: sympy.Expr) -> bool:
        if isinstance(e, sympy.Symbol):
            return self.full(str(e))
        if isinstance(e, ArrayFunctionBase):
            return e.row.name in ("times", "off", "take_off") or (e.row.entrywise and self.fits(e.args[0]))
        inner = ufunc(e) is not None or isinstance(e, sympy.Add | sympy.Mul)
        return inner and any(map(self.fits, e.args))

    def join(self, statement: str, e: sympy.Expr, target: str) -> None:
        self.body.add(f"{target} {statement} {self.body.text(e)}", self.indent)
