"""The table of elementwise functions: one row each, with derivative, symmetry, value at zero and domain.

It is the one thing that the derivation and its witnesses share; so every row is proved apart, against SymPy and 50-digit
numerics (``tests/test_functions.py``). A function outside the table is *unspecified*: it is written ``?f`` and has the
derivatives ``?f'``, ``?f''`` and so on, of which nothing is assumed.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

#: ``derivative(u, v, fn)`` gives f'(u) by arithmetic on the argument ``u``, the value ``v = f(u)`` and functions ``fn(name, u)``.
Derivative = Callable[[Any, Any, Callable[[str, Any], Any]], Any]


@dataclass(frozen=True)
class Function:
    """One elementwise function of a real variable.

    ``parity`` is what ``f(-u)`` is: ``odd`` -f(u), ``even`` f(u), ``complement`` 1 - f(u), ``reciprocal`` 1/f(u), or ``None``.
    ``zero`` is ``f(0)`` where that is rational. ``domain`` is ``reals``, ``positive`` or ``nonzero``. ``smooth`` is false when
    the derivative holds almost everywhere only; ``kind`` is ``smooth`` or ``step`` (values 0 and 1: idempotent).
    """

    name: str
    latex: str
    derivative: Derivative
    parity: str | None = None
    zero: str | None = None
    domain: str = "reals"
    smooth: bool = True
    idempotent: bool = False


ROWS = (
    Function("id", r"\mathrm{id}", lambda u, v, fn: u * 0 + 1, "odd", "0"),
    Function("tanh", r"\tanh", lambda u, v, fn: 1 - v * v, "odd", "0"),
    Function("sigmoid", r"\sigma", lambda u, v, fn: v - v * v, "complement", "1/2"),
    Function("relu", r"\mathrm{ReLU}", lambda u, v, fn: fn("step", u), None, "0", smooth=False),
    Function("step", r"\mathrm{step}", lambda u, v, fn: u * 0, None, "0", smooth=False, idempotent=True),
    Function("softplus", r"\mathrm{softplus}", lambda u, v, fn: fn("sigmoid", u)),
    Function("exp", r"\exp", lambda u, v, fn: v, "reciprocal", "1"),
    Function("log", r"\log", lambda u, v, fn: fn("recip", u), None, None, "positive"),
    Function("recip", r"\mathrm{recip}", lambda u, v, fn: -(v * v), "odd", None, "nonzero"),
    Function("sin", r"\sin", lambda u, v, fn: fn("cos", u), "odd", "0"),
    Function("cos", r"\cos", lambda u, v, fn: -fn("sin", u), "even", "1"),
    Function("sinh", r"\sinh", lambda u, v, fn: fn("cosh", u), "odd", "0"),
    Function("cosh", r"\cosh", lambda u, v, fn: fn("sinh", u), "even", "1"),
    Function("sqrt", r"\mathrm{sqrt}", lambda u, v, fn: fn("recip", v + v), None, None, "positive"),
)

TABLE: dict[str, Function] = {row.name: row for row in ROWS}


def is_unspecified(name: str) -> bool:
    """Whether ``name`` stands for an unspecified function (``?f``) or one of its derivatives (``?f'``)."""
    return name.startswith("?")


def function(name: str) -> Function:
    """The row of ``name``; for ``?f`` a row whose derivative is ``?f'``.

    >>> function("tanh").parity
    'odd'
    >>> function("?g").derivative(None, None, lambda name, u: name)
    "?g'"
    """
    if is_unspecified(name):
        return Function(name, name[1:], lambda u, v, fn: fn(name + "'", u))
    try:
        return TABLE[name]
    except KeyError:
        raise KeyError(f"no row for the function {name!r} in the table of elementwise functions") from None
