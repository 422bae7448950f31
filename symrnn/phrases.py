r"""How the author writes the expressions of a statement: its parts as they are printed, and gradients by the names that the text has.

>>> from symrnn.expr import show_shape
>>> from symrnn.read.elaborate import Elaborator
>>> from symrnn.read.reader import read
>>> from symrnn.setting import Setting
>>> data = {"symbols": {"W": "matrix n n", "h": "vector n, sequence", r"\delta": "vector n, sequence"}}
>>> text = r"h_t = W \left( h_{t-1} + h_t \right)"
>>> setting = Setting.of("main", data)
>>> found = printed(read(text, setting.scope.table).tree.nodes, text, Elaborator(setting.scope))
>>> for e, piece in found.items():
...     print(e, "|", piece.text)
h[t] | h_t
W @ (h[t-1] + h[t]) | W \left( h_{t-1} + h_t \right)
W | W
h[t-1] + h[t] | h_{t-1} + h_t
h[t-1] | h_{t-1}
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from symrnn.errors import SymrnnError
from symrnn.expr import Expr, Time
from symrnn.model import Model
from symrnn.read.meaningless import Meaningless
from symrnn.read.scope import Scope
from symrnn.read.spelling import source_of
from symrnn.read.tree import Node, num, sym
from symrnn.write.latex import ATOM, FACTOR, PRODUCT, SUM, TERM, Piece, bracket
from symrnn.write.notation import Notation, braced, scripts

Meaning = Callable[[Node], Expr]
"""What gives a tree its expression; it raises Meaningless where it has none."""

LEVELS = {"Had": TERM, "Star": TERM, "Times": TERM, "Outer": TERM, "Mul": PRODUCT, "Dot": PRODUCT, "Sum": PRODUCT, "Prod": PRODUCT,
          "Grad": PRODUCT, "Call": PRODUCT, "Div": FACTOR, "Deriv": FACTOR, "Gradient": FACTOR,
          **dict.fromkeys(("Sym", "At", "Transpose", "Pow"), ATOM)}
"""How tightly what is printed for an operation holds together; a sum where nothing is said."""
LISTS = ("List", "Tuple", "Matrix")
"""What has brackets of its own."""
OPEN = (r"\sum", r"\prod", r"\nabla", r"\log", r"\ln")
"""What reaches to the right, so that nothing may be set behind it without a bracket."""
PAIRS = {"(": ")", "[": "]", "{": "}"}
STEPS = (-1, 0, 1)


def phrases(sides: Iterable[Node], latex: str, meaning: Meaning, notation: Notation, scope: Scope, model: Model) -> dict[Expr, Piece]:
    """The expressions of a statement and the gradients that its text has names for, as the author writes them."""
    known = named(meaning, notation, scope, model) | printed(sides, latex, meaning)
    return turned(known, notation) | known


def turned(known: dict[Expr, Piece], notation: Notation) -> dict[Expr, Piece]:
    r"""A gradient that an author writes as a row, as the column that it is the transpose of.

    >>> from symrnn.expr import derivative, symbol
    >>> g = derivative(symbol("L"), symbol("z", ("n", 1)))
    >>> [(str(e), p.text) for e, p in turned({g.T: Piece(r"\delta_t", sub=True)}, Notation()).items()]
    [('d(L)/d(z)', '\\delta_t^\\top')]
    """
    return {e.args[0]: Piece((f"{{{p.text}}}" if p.sup else p.text) + f"^{braced(notation.transpose)}", sup=True)
            for e, p in known.items() if e.op == "transpose" and e.args[0].op == "deriv" and p.level >= FACTOR and p.closed is None}


# ----------------------------------------------------------------------------------------------------------------- what is printed
def printed(sides: Iterable[Node], latex: str, meaning: Meaning) -> dict[Expr, Piece]:
    """Every part of some sides that means something by itself, as it stands in the text; of several forms the first one."""
    out: dict[Expr, Piece] = {}
    for n in (m for side in sides for m in parts(side)):
        text = source_of(latex, n.span)
        e = value(n, meaning) if text and closed(text) else None
        if e is not None:
            out.setdefault(e, piece(n, text))
    return out


def parts(n: Node) -> Iterator[Node]:
    """A side and the trees in it that have a place of their own; the base of a power is printed with its exponent."""
    if n.op in ("Rel", "Chain"):
        yield from (m for a in n.nodes for m in parts(a))
        return
    if n.op not in ("Num", "Neg", "Absent", "Text", "Ellipsis") and n.span[0] < n.span[1]:
        yield n
    if n.op not in ("Sym", "Gradient", "Deriv", "Grad"):
        whole = n.nodes[1:] if n.op in ("At", "Call") and n.nodes[0].op == "Sym" else n.nodes
        yield from (m for a in whole if a.span != n.span for m in parts(a))


def piece(n: Node, text: str) -> Piece:
    """A printed tree, with how tightly it holds together."""
    if n.op in LISTS:
        return Piece(text)
    if enclosed(text):
        inner = piece(n, text.removeprefix(r"\left").strip()[1:-1].removesuffix(r"\right").strip())
        return inner if inner.level == ATOM else replace(inner, closed=text)
    level = LEVELS.get(n.op, SUM)
    if level == PRODUCT and n.op == "Call" and text[-1:] in ")]}":
        level = ATOM
    reaching = level in (TERM, PRODUCT) and any(mark in text for mark in OPEN)
    below, above = scripts(text) if level == ATOM else (False, False)
    return Piece(text, level, reaching, bracket(text) if reaching else None, below, above)


def enclosed(text: str) -> bool:
    r"""Whether one pair of brackets holds all of a text.

    >>> enclosed(r"\left( a + b \right)"), enclosed("(a) (b)"), enclosed("(a + (b))")
    (True, False, True)
    """
    plain = text.removeprefix(r"\left").strip()
    if plain[:1] not in ("(", "[") or plain[-1:] != PAIRS[plain[:1]]:
        return False
    depth = 0
    for k, c in enumerate(plain):
        depth += (c in PAIRS) - (c in PAIRS.values())
        if depth == 0:
            return k == len(plain) - 1
    return False


def closed(text: str) -> bool:
    """Whether every bracket of a text is closed in it, so that it can stand elsewhere."""
    return all(text.count(a) == text.count(b) for a, b in (*PAIRS.items(), (r"\left", r"\right"), (r"\begin", r"\end"))) and "&" not in text


def value(n: Node, meaning: Meaning) -> Expr | None:
    """The expression of a tree; None where it has none by itself, or no shape."""
    try:
        e = meaning(n)
    except (Meaningless, SymrnnError, ValueError):
        return None
    return e if e.shape is not None else None


# ------------------------------------------------------------------------------------------------------------------ named gradients
def named(meaning: Meaning, notation: Notation, scope: Scope, model: Model) -> dict[Expr, Piece]:
    """The gradients by the variables of a model for which the text has a name, at the step and beside it."""
    out: dict[Expr, Piece] = {}
    for n, text in spelled(notation, scope, model):
        e = value(n, meaning)
        if e is not None:
            out.setdefault(e, piece(n, text))
    return out


def spelled(notation: Notation, scope: Scope, model: Model) -> Iterator[tuple[Node, str]]:
    """The names of gradients at the steps near by, each as a tree and as the author would print it."""
    letter = scope.table.time_letter
    for k in STEPS:
        step = sym(letter) if k == 0 else Node("Add", (sym(letter), num(1) if k > 0 else Node("Neg", (num(1),))))
        for name in (*scope.gradients, *scope.direct):
            yield sym(name, time=step), notation.at(name, Time("t", k))
        for prefix in sorted(scope.table.prefixes):
            for s in model.variables:
                yield Node("Gradient", (prefix, sym(s.name, time=step))), _prefixed(prefix, notation.at(s.name, Time("t", k)))
    for name in scope.gradients:
        yield sym(name), notation.base(name)
    for prefix in sorted(scope.table.prefixes):
        for s in (*model.parameters, *model.variables):
            yield Node("Gradient", (prefix, sym(s.name))), _prefixed(prefix, notation.base(s.name))


def _prefixed(prefix: str, name: str) -> str:
    return rf"\{prefix}_{braced(name)}" if prefix == "delta" else f"{prefix} {name}"
