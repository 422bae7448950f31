"""Expressions as plain text, for messages and debugging: NumPy-like, with the time index in brackets."""
from __future__ import annotations

from symrnn.expr.tree import Expr, numeric

ADD, PRODUCT, MATMUL, PREFIX, ATOM = range(5)
"""How strongly the parts of a text hold together. Products of one kind are taken from left to right, others are put in brackets."""


def show(e: Expr, level: int = 0) -> str:
    """The expression as text.

    >>> from symrnn.expr.tree import symbol, apply
    >>> W, h = symbol("W", ("n", "n")), symbol("h", ("n", 1))
    >>> show(apply("tanh", W.T @ h) * (1 - h**2))
    'tanh(W.T @ h) * (ones - h**2)'
    >>> show((W @ h) * h), show(h * (W @ h))
    ('(W @ h) * h', 'h * (W @ h)')
    """
    text, own = _show(e)
    return f"({text})" if own < level else text


def _left(e: Expr, kind: int) -> str:
    """The left factor of a product."""
    text, own = _show(e)
    return text if own in (kind, PREFIX, ATOM) else f"({text})"


def _show(e: Expr) -> tuple[str, int]:
    a = e.args
    match e.op:
        case "sym":
            return str(e.attr), PREFIX if e.attr.is_derivative else ATOM
        case "num":
            return str(e.attr), ATOM if e.attr >= 0 and e.attr.denominator == 1 else PRODUCT
        case "size":
            return str(e.attr), ATOM
        case "steps":
            return "T", ATOM
        case "ones" | "zeros":
            return e.op, ATOM
        case "eye":
            return "I", ATOM
        case "delta":
            return f"delta({e.attr[0]}, {e.attr[1]})", ATOM
        case "add":
            out = show(a[0], ADD)
            for term in a[1:]:
                c, _ = numeric(term)
                out += f" - {show(-term, PRODUCT)}" if c < 0 else f" + {show(term, ADD)}"
            return out, ADD
        case "smul":
            if a[0].op == "num" and a[0].attr == -1:
                return "-" + show(a[1], PRODUCT), PRODUCT
            return f"{show(a[0], PREFIX)} * {show(a[1], PREFIX)}", PRODUCT
        case "had":
            return f"{_left(a[0], PRODUCT)} * {show(a[1], PREFIX)}", PRODUCT
        case "matmul":
            return f"{_left(a[0], MATMUL)} @ {show(a[1], ATOM)}", MATMUL
        case "transpose":
            return f"{show(a[0], ATOM)}.T", ATOM
        case "pow":
            return f"{show(a[0], ATOM)}**{e.attr}", ATOM
        case "inv":
            return f"{show(a[0], ATOM)}^(-1)", ATOM
        case "mpow":
            last, first = e.attr
            return f"{show(a[0], ATOM)}^({last}{f' - {first}' if first.base else ''})", ATOM
        case "apply":
            return f"{e.attr}({show(a[0])})", ATOM
        case "entry":
            return f"{show(a[0], ATOM)}[{', '.join(str(i) for i in e.attr if i is not None)}]", ATOM
        case "isum":
            return f"sum_{e.attr}({show(a[0])})", ATOM
        case "tsum":
            letter, lo, hi = e.attr
            return f"sum_{letter}={lo}..{hi}({show(a[0])})", ATOM
        case "deriv":
            return f"d({show(a[0])})/d({show(a[1])})", ATOM
        case "slice":
            return f"{show(a[0], ATOM)}[{e.attr[0]}:{e.attr[1]}]", ATOM
        case "window":
            return f"window({show(a[0])}, {e.attr})", ATOM
        case "vcall":
            return f"{e.attr[0]}({', '.join(map(show, a))})", ATOM
        case "vjac":
            return f"D{e.attr[2] + 1} {e.attr[0]}({', '.join(map(show, a))})", ATOM
        case _:
            return f"{e.op}({', '.join(show(x) for x in a)})", ATOM
