r"""Expressions as code in the names of a text: what stands between them is the same in Python, C, Java and plain text.

>>> from symrnn.expr import apply, symbol
>>> g, y = symbol("g", ("n", 1)), symbol("y", ("n", 1))
>>> print(code(g * (1 - apply("tanh", y) ** 2), {g: "dy", y: "self.y[t]"}, Style("np.")))
dy * (1 - np.tanh(self.y[t])**2)
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from symrnn.expr import SCALAR, Expr, Index, negative, numeric, total, transform
from symrnn.write.latex import component

SUM, PRODUCT, POWER, ATOM = range(4)
"""How tightly a piece of code holds together."""


@dataclass(frozen=True)
class Style:
    """How a text writes functions (what stands before their names), matrix products, transposes and powers."""

    prefix: str = ""
    matrix: str = " @ "
    transposed: str = ".T"
    power: str = "**"


class Unprinted(Exception):
    """An operation, or a quantity without a name, that code does not write."""


def code(e: Expr, names: Mapping[Expr, str], style: Style) -> str:
    """An expression in code. Raises Unprinted."""
    return _Printer(names, style).at(transform(e, _plain), SUM)


def _plain(e: Expr) -> Expr | None:
    """A minus in front of a sum of components, and components of what the entries are made of."""
    if e.op == "sum" and numeric(e.args[0])[0] < 0:
        return negative(total(negative(e.args[0])))
    return component(e.args[0], *e.attr) if e.op == "entry" and e.args[0].op in ("add", "had", "smul", "pow", "apply") else None


@dataclass(frozen=True)
class _Printer:
    names: Mapping[Expr, str]
    style: Style

    def at(self, e: Expr, level: int) -> str:
        text, own = self.piece(e)
        return text if own >= level else f"({text})"

    def piece(self, e: Expr) -> tuple[str, int]:
        """The text and how tightly it holds together."""
        if e in self.names:
            return self.names[e], ATOM
        c, rest = numeric(e)
        if c < 0 and e.op != "num":
            return f"-{self.at(negative(e), PRODUCT)}", SUM
        row = ROWS.get(e.op)
        if row is None:
            raise Unprinted(e.op)
        return row(self, e)

    def call(self, name: str, *arguments: Expr) -> tuple[str, int]:
        return f"{self.style.prefix}{name}({', '.join(self.at(a, SUM) for a in arguments)})", ATOM

    def joined(self, sign: str, factors: tuple[Expr, ...]) -> tuple[str, int]:
        kept = [f for f in factors if not (f.op == "ones" or f.op == "num" and f.attr == 1)] or [factors[0]]
        if len(kept) == 1:
            return self.piece(kept[0])
        return sign.join(self.at(f, PRODUCT if k == 0 else POWER) for k, f in enumerate(kept)), PRODUCT


def _number(p: _Printer, e: Expr) -> tuple[str, int]:
    value = e.attr
    if value.denominator == 1:
        return str(value.numerator), ATOM if value >= 0 else SUM
    return f"{value.numerator} / {value.denominator}", PRODUCT


def _add(p: _Printer, e: Expr) -> tuple[str, int]:
    positive = sorted(e.args, key=lambda t: numeric(t)[0] < 0)
    out = p.at(positive[0], SUM)
    for t in positive[1:]:
        minus = numeric(t)[0] < 0
        out += f" {'-' if minus else '+'} {p.at(negative(t) if minus else t, PRODUCT)}"
    return out, SUM


def _product(p: _Printer, e: Expr) -> tuple[str, int]:
    a, b = e.args
    if a.op == "transpose" and e.shape == SCALAR and a.args[0].shape == b.shape:
        product, _ = p.joined(" * ", (a.args[0], b))
        return f"{p.style.prefix}sum({product})", ATOM
    return p.joined(p.style.matrix, e.args)


def _apply(p: _Printer, e: Expr) -> tuple[str, int]:
    if e.attr == "recip":
        return f"1 / {p.at(e.args[0], POWER)}", PRODUCT
    return p.call(e.attr, *e.args)


def _entry(p: _Printer, e: Expr) -> tuple[str, int]:
    """A component of what has a name."""
    u, at = e.args[0], e.attr
    if u not in p.names or not isinstance(at[0], Index) or at[1] is not None:
        raise Unprinted(e.op)
    return f"{p.names[u]}[{at[0].name}]", ATOM


def _transpose(p: _Printer, e: Expr) -> tuple[str, int]:
    return p.at(e.args[0], ATOM) + p.style.transposed, ATOM


ROWS: dict[str, Callable[[_Printer, Expr], tuple[str, int]]] = {
    "num": _number,
    "ones": lambda p, e: ("1", ATOM),
    "add": _add,
    "smul": lambda p, e: p.joined(" * ", e.args),
    "had": lambda p, e: p.joined(" * ", e.args),
    "matmul": _product,
    "transpose": _transpose,
    "pow": lambda p, e: (f"{p.at(e.args[0], ATOM)}{p.style.power}{e.attr}", POWER),
    "apply": _apply,
    "softmax": lambda p, e: p.call("softmax", *e.args),
    "sum": lambda p, e: p.call("sum", *e.args),
    "entry": _entry,
}
"""How each operation is written."""
