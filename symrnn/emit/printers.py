"""SymPy's NumPy printer for expressions over whole arrays: the printer behind ``lambdify``, with rows for array operations.

An array operation that SymPy does not have is an opaque SymPy function with a row in ``OPERATIONS``: how it is printed, and how
tightly it binds. Sums, products, powers and elementary functions are printed by SymPy itself.
"""
from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import sympy
from sympy.printing.numpy import NumPyPrinter
from sympy.printing.precedence import PRECEDENCE

ATOM, PRODUCT, LOOSE = PRECEDENCE["Atom"], PRECEDENCE["Mul"], 0


@dataclass(frozen=True)
class Printed:
    """A row: the text, with ``{0}`` and ``{1}`` for the arguments, how tightly the text binds, and how tightly each must.

    ``helper`` is the function of the emitted module that the text calls, if it calls one; ``entrywise`` says that the value has the
    shape of its only argument.
    """

    name: str
    text: str
    binds: int = ATOM
    arguments: int = LOOSE
    helper: str | None = None
    entrywise: bool = False


OPERATIONS: dict[str, Printed] = {row.name: row for row in (
    Printed("matmul", "{0} @ {1}", PRODUCT, PRODUCT),                      # (..., n) @ (n, m), or stacks of matrices
    Printed("dot", "{0} @ {1}", PRODUCT, PRODUCT),                         # the same inside a loop, by a matrix of all steps
    Printed("times", "_times({0}, {1})", helper="_times"),                 # the same for all steps, as one matrix product
    Printed("transpose", "{0}.T", ATOM, ATOM),                             # a matrix that is the same at every step
    Printed("swap", "np.swapaxes({0}, -1, -2)"),                           # a stack of matrices
    Printed("matvec", "({0} @ {1}[..., None])[..., 0]", ATOM, ATOM),       # (..., n, m) by (..., m)
    Printed("outer", "{0}[..., :, None] * {1}[..., None, :]", PRODUCT, ATOM),
    Printed("total", "np.sum({0}, axis=-1, keepdims=True)"),               # (..., n) -> (..., 1)
    Printed("total_matrix", "np.sum({0}, axis=(-2, -1))[..., None]"),      # (..., n, m) -> (..., 1)
    Printed("lifted", "{0}[..., None]", ATOM, ATOM),                       # a scalar (..., 1) beside a matrix
    Printed("part", "{0}[..., {1}]", ATOM, ATOM),
    Printed("eye", "np.eye({0}, dtype=kind)"),
    Printed("filled", "np.full({0}, {1}, kind)"),
    Printed("over_all", "{0}.sum(axis=(0, 1))", ATOM, ATOM),               # over steps and sequences
    Printed("products", "_sum_of_products({0}, {1})", helper="_sum_of_products"),
    Printed("diagonal", "_diagonal({0})", helper="_diagonal"),
    Printed("softmax", "_softmax({0})", helper="_softmax", entrywise=True),
    Printed("lse", "_log_sum_exp({0})", helper="_log_sum_exp"),
    Printed("sigmoid", "_sigmoid({0})", helper="_sigmoid", entrywise=True),
    Printed("softplus", "_softplus({0})", helper="_softplus", entrywise=True),
    Printed("relu", "_relu({0})", helper="_relu", entrywise=True),
    Printed("step", "_step({0})", helper="_step", entrywise=True),
    Printed("ahead", "_ahead({0}, {1})", helper="_ahead"),
    Printed("expected", "_expected({0}, {1}, {2})", helper="_expected"),   # by a target of classes: sum of y * (u - v)
    Printed("off", "_off({0}, {1})", helper="_off"),                       # u - y for a target y of classes
    Printed("take_off", "_take_off({0}, {1})", helper="_take_off"),        # the same in place
    Printed("one_hot", "_one_hot({0}, {1}, kind)", helper="_one_hot"),     # a target of classes as probabilities
    Printed("weighed", "_weighed({0}, c)", helper="_weighed"),             # by the weight of each step in the loss
    Printed("shared", "_shared({0}, c)", helper="_shared"),                # by that of each sequence, with the loss at its last step
)}


class ArrayFunctionBase(sympy.Function):  # type: ignore[misc]
    """An array operation that SymPy does not have; nothing about it is assumed, not even that factors commute.

    (SymPy's printers look for the base class of a function only if its name ends in ``Base``.)
    """

    row: Printed

    @property
    def precedence(self) -> int:
        return self.row.binds


@cache
def operation(name: str) -> type[ArrayFunctionBase]:
    """The opaque function of a row of ``OPERATIONS``."""
    return type(f"array_{name}", (ArrayFunctionBase,), {"row": OPERATIONS[name]})


@cache
def caller(name: str, arity: int = 1) -> type[ArrayFunctionBase]:
    """A call of the function ``name`` (an identifier), such as one that the caller of the emitted module passes."""
    text = f"{name}({', '.join(f'{{{k}}}' for k in range(arity))})"
    own = name.startswith("_")
    row = Printed(name, text, helper=name if own else None, entrywise=not own and arity == 1)
    return type(f"array_{name}", (ArrayFunctionBase,), {"row": row})


class ArrayPrinter(NumPyPrinter):  # type: ignore[misc]
    """Print expressions over arrays as NumPy source; terms and factors stay in their order.

    >>> u, W = sympy.symbols("u W")
    >>> ArrayPrinter().doprint(sympy.tanh(operation("matmul")(u, operation("transpose")(W))))
    'np.tanh(u @ W.T)'
    """

    def __init__(self, settings: dict[str, Any] | None = None) -> None:
        super().__init__({"order": "none", **(settings or {})})

    def _module_format(self, fqn: str, register: bool = True) -> str:
        return "np." + fqn.removeprefix("numpy.") if fqn.startswith("numpy.") else fqn

    def _print_ArrayFunctionBase(self, e: ArrayFunctionBase) -> str:  # SymPy looks for this name
        row = e.row
        if row.arguments == LOOSE:
            return row.text.format(*(self._print(a) for a in e.args))
        strict = row.arguments == ATOM
        return row.text.format(*(self.parenthesize(a, row.arguments, strict) for a in e.args))

    def _print_Pow(self, e: sympy.Pow, rational: bool = False) -> str:
        if e.exp == -1:
            return f"1 / {self.parenthesize(e.base, PRECEDENCE['Pow'], False)}"
        return str(super()._print_Pow(e, rational=rational))


def helpers(e: sympy.Expr) -> set[str]:
    """The functions of the emitted module that an expression calls."""
    return {x.row.helper for x in sympy.preorder_traversal(e) if isinstance(x, ArrayFunctionBase) and x.row.helper}
