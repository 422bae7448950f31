r"""Expressions as LaTeX: one row for each operation, brackets only where precedence needs them, signs folded.

What is printed reads back through :mod:`symrnn.read` to the same meaning, in every time style; the rows that the reader does not
take yet are listed in ``tests/write/test_latex.py``.

>>> from symrnn.expr import NOW, apply, symbol
>>> W, h, x = symbol("W", ("n", "n")), symbol("h", ("n", 1), time=NOW), symbol("x", ("n", 1), "input", NOW)
>>> print(latex(apply("tanh", W.T @ h[-1] - x) * (1 - h**2)))
\tanh(W^\top h_{t-1} - x_t) \odot (1 - h_t^2)
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType

from symrnn.expr import (
    SCALAR,
    Expr,
    Index,
    Linear,
    Size,
    Symbol,
    Time,
    add,
    apply,
    entry,
    index_sum,
    lift,
    numeric,
    power,
    scale,
    smul,
    walk,
)
from symrnn.write.notation import Notation, Written, braced, joined_indices

SUM, TERM, PRODUCT, FACTOR, ATOM = range(5)
"""How tightly a piece holds together: a sum, an entrywise product, a juxtaposition, one factor, one that can take a script."""

TALL = ("\\frac", "\\sum", "\\begin")


@dataclass(frozen=True)
class Piece:
    """LaTeX with its level. ``open``: a big operator or a bare function at its end reaches to the right; ``closed`` is then
    the form without that. ``sub`` and ``sup``: such a script stands already."""

    text: str
    level: int = ATOM
    open: bool = False
    closed: str | None = None
    sub: bool = False
    sup: bool = False


Phrases = Mapping[Expr, Piece]
"""How an author has written some expressions; they are written so wherever they occur."""
NONE: Phrases = MappingProxyType({})


def latex(e: Expr, notation: Notation | None = None, phrases: Phrases = NONE) -> str:
    r"""The expression as LaTeX in the given notation (default: the house notation).

    >>> from symrnn.expr import symbol
    >>> a, b, c = map(symbol, "abc")
    >>> print(latex((a + b) * c), latex((a + b) * c, phrases={a + b: Piece(r"\bigl( a+b \bigr)")}))
    (a + b) c \bigl( a+b \bigr) c
    """
    return Writer(notation or Notation(), e, phrases=phrases).text(e)


def terms(e: Expr, notation: Notation | None = None) -> list[tuple[str, str]]:
    """The top-level terms of a sum, each as sign and LaTeX; one pair for what is no sum.

    >>> from symrnn.expr import symbol
    >>> terms(symbol("a") - symbol("b"))
    [('', 'a'), ('-', 'b')]
    """
    return Writer(notation or Notation(), e).terms(e)


def bracket(text: str, pair: tuple[str, str] = ("(", ")")) -> str:
    r"""The text in brackets, growing ones where it is tall."""
    tall = any(mark in text for mark in TALL)
    left, right = pair
    return rf"\left{left} {text} \right{right}" if tall else f"{left}{text}{right}"


class Writer:
    """Writes one expression; knows which index letters are taken in it."""

    def __init__(self, notation: Notation, *whole: Expr, phrases: Phrases = NONE) -> None:
        self.notation, self.phrases = notation, phrases
        self.taken = {name for e in whole for name in _letters(e)}

    # ------------------------------------------------------------------------------------------------------------ the pieces
    def piece(self, e: Expr) -> Piece:
        """The piece of an expression: as the author has it, or by the row of its operation."""
        if e in self.phrases:
            return self.phrases[e]
        sign, body = signed(e)
        if sign < 0:
            return Piece("-" + self.text(body, TERM), SUM)
        return ROWS[e.op](self, body)

    def text(self, e: Expr, level: int = SUM) -> str:
        """LaTeX that holds together at least as tightly as ``level``; nothing in it reaches to the right above TERM."""
        return self.held(self.piece(e), level)

    def held(self, p: Piece, level: int) -> str:
        if p.level >= level and not (p.open and level > TERM):
            return p.text
        return p.closed or bracket(p.text)

    def scripted(self, e: Expr, script: str) -> Piece:
        """An upper script on an expression."""
        p = self.piece(e)
        base = p.text if p.level == ATOM else self.held(p, ATOM)
        if p.level == ATOM and p.sup:
            base = f"{{{base}}}"
        return Piece(f"{base}^{braced(script)}", sup=True)

    def terms(self, e: Expr) -> list[tuple[str, str]]:
        """The terms of a sum with their signs; the first has no sign if it is positive."""
        parts = self.grouped(e.args) if e.op == "add" else (e,)
        vector = any(_entry_value(t) is None for t in parts)
        out: list[tuple[str, str]] = []
        for t in parts:
            value = _entry_value(t) if vector else None
            sign, body = signed(lift(value) if value is not None and e.op == "add" else t) if t not in self.phrases else (1, t)
            out.append(("-" if sign < 0 else "+" if out else "", self.text(body, TERM)))
        return out

    def grouped(self, parts: tuple[Expr, ...]) -> tuple[Expr, ...]:
        """The terms of a sum; those that the author has one name for are one."""
        for known, piece in self.phrases.items():
            if known.op == "add" and piece.level > SUM and set(known.args) < set(parts):
                parts = (known, *(p for p in parts if p not in known.args))
        return parts

    def product(self, factors: list[Expr]) -> Piece:
        """A juxtaposition: only the last factor may reach to the right."""
        texts: list[str] = []
        for f in factors[:-1]:
            texts.append(self.text(f, FACTOR))
        last = self.piece(factors[-1])
        open_end = last.open and last.level == PRODUCT
        closed = [last.closed or bracket(last.text)] if open_end else []
        texts.append(last.text if open_end else self.held(last, FACTOR))
        whole = juxtaposed(texts)
        return Piece(whole, PRODUCT, open_end, bracket(juxtaposed([*texts[:-1], *closed])) if open_end else None)

    def fresh(self) -> str:
        """An index letter that nothing in the expression uses; it is taken from now on."""
        letters = (*self.notation.indices, *(f"i_{n}" for n in range(1, 1000)))
        found = next(x for x in letters if x not in self.taken and x not in (self.notation.letter, self.notation.last))
        self.taken.add(found)
        return found

    # ------------------------------------------------------------------------------------------------------- parts of the rows
    def size(self, size: Size) -> str:
        return self.linear(Linear.of(size))

    def linear(self, form: Linear, before: str = "") -> str:
        """A sum of sizes, after what stands before it."""
        out = before
        for name, k in form.terms:
            factors = " ".join([*([str(abs(k))] if abs(k) != 1 else []), *(self.notation.base(f) for f in name.split("*"))])
            out += ("-" if k < 0 else "+" if out else "") + factors
        return out + (f"{form.constant:+d}" if out and form.constant else "" if out else str(form.constant))

    def index(self, i: Index | int | None) -> str:
        return i.name if isinstance(i, Index) else str(i)

    def symbol(self, s: Symbol, sub: tuple[str, ...] = ()) -> Piece:
        """A symbol with component indices; an adjoint or gradient is the derivative of the total loss."""
        w: Written = self.notation.written(s.name, s.time, sub)
        if not s.is_derivative:
            return Piece(w.text, sub=w.sub, sup=w.sup)
        word, _, steps = s.kind.partition(" ")
        window = f"^{{({'>' * (word == 'beyond')}{steps})}}" if steps else ""
        return self.slope(self.notation.base(self.notation.total), w.text, window)

    def slope(self, top: str, bottom: str, window: str = "") -> Piece:
        """The derivative of the loss, as a fraction or with a nabla; a window of steps stands above the sign."""
        if self.notation.gradient == "nabla":
            return Piece(rf"\nabla{window}_{braced(bottom)} {top}", PRODUCT, open=True)
        return Piece(rf"\frac{{\partial{window} {top}}}{{\partial {bottom}}}", FACTOR)

    def call(self, head: str, e: Expr, pair: tuple[str, str] = ("(", ")")) -> Piece:
        return Piece(head + bracket(self.text(e), pair))

    def over(self, sign: str, body: Expr) -> Piece:
        """A big operator; it reaches over the term to its right."""
        return Piece(f"{sign} {self.text(body, TERM)}", PRODUCT, open=True)


def juxtaposed(texts: list[str]) -> str:
    """Factors side by side, with a dot where two numbers would run together."""
    out = texts[0]
    for before, t in zip(texts, texts[1:], strict=False):
        out += (r" \cdot " if t[0].isdigit() and before[-1].isdigit() else " ") + t
    return out


def signed(e: Expr) -> tuple[int, Expr]:
    """A minus in front of an expression, and the rest; a sum over an index hands the minus of its body on."""
    c, rest = numeric(e)
    if c < 0:
        return -1, lift(-c) if e.op == "num" else scale(-c, rest) if c != -1 else rest
    if e.op in ("isum", "tsum"):
        sign, body = signed(e.args[0])
        if sign < 0:
            return -1, Expr(e.op, (body,), e.attr)
    return 1, e


def component(e: Expr, row: Index | int | None, column: Index | int | None = None) -> Expr:
    """One component of an expression, taken through the entrywise operations."""
    if e.shape == SCALAR:
        return e
    def parts() -> list[Expr]:
        return [component(a, row, column) for a in e.args]
    match e.op:
        case "ones":
            return lift(1)
        case "zeros":
            return lift(0)
        case "add":
            return add(*parts())
        case "had":
            return smul(*parts())
        case "smul":
            return smul(e.args[0], parts()[1])
        case "pow":
            return power(parts()[0], e.attr)
        case "apply":
            return apply(e.attr, parts()[0])
        case "transpose":
            return component(e.args[0], column, row)
    return entry(e, row, column)


def _entry_value(e: Expr) -> Fraction | None:
    """The number in every entry of an expression that is a filled array or a number; None for anything else."""
    c, rest = numeric(e)
    if e.op == "num":
        return c
    return c if rest.op == "ones" else None


def _letters(e: Expr) -> Iterator[str]:
    """Names in an expression that an index letter must not repeat."""
    for x in walk(e):
        if x.op == "sym":
            yield x.attr.name
        elif x.op in ("entry", "delta"):
            yield from (i.name for i in x.attr if isinstance(i, Index))
        elif x.op == "isum":
            yield x.attr.name
        elif x.op == "tsum":
            yield x.attr[0]
        yield from (d for d in x.shape or () if isinstance(d, str))


# ------------------------------------------------------------------------------------------------------------------ the rows
def _number(w: Writer, e: Expr) -> Piece:
    value: Fraction = e.attr
    if value.denominator == 1:
        return Piece(str(value.numerator))
    return Piece(rf"\frac{{{value.numerator}}}{{{value.denominator}}}", FACTOR)


def _filled(digit: str) -> Callable[[Writer, Expr], Piece]:
    def row(w: Writer, e: Expr) -> Piece:
        sizes = r" \times ".join(w.size(d) for d in (e.attr if e.attr[1] != 1 else e.attr[:1]))
        return Piece(rf"\mathbf{{{digit}}}_{braced(sizes)}", sub=True)
    return row


def _add(w: Writer, e: Expr) -> Piece:
    return Piece(" ".join(f"{sign} {text}" if sign and k else sign + text for k, (sign, text) in enumerate(w.terms(e))), SUM)


def _scaled(w: Writer, e: Expr) -> Piece:
    """Scalar factors, numbers in front, reciprocals under one fraction line."""
    above: list[Expr] = []
    below: list[Expr] = []
    number = Fraction(1)
    stack = [e]
    while stack:
        x = stack.pop()
        if x.op == "smul" and (x is e or x not in w.phrases):
            stack += (x.args[1], x.args[0])
        elif x.op == "num":
            number *= x.attr
        elif x.op == "apply" and x.attr == "recip" and x.shape == SCALAR:
            below.append(x.args[0])
        else:
            above.append(x)
    if number < 0:
        return Piece("-" + w.text(scale(-1, e), TERM), SUM)
    if not below:
        front = [lift(number)] if number != 1 or not above else []
        return w.product([*front, *above])
    top = ([lift(number.numerator)] if number.numerator != 1 or not above else []) + above
    bottom = ([lift(number.denominator)] if number.denominator != 1 else []) + below
    return Piece(rf"\frac{{{_alone(w, top)}}}{{{_alone(w, bottom)}}}", FACTOR)


def _alone(w: Writer, factors: list[Expr]) -> str:
    """Factors that stand alone between braces."""
    return w.text(factors[0]) if len(factors) == 1 else w.product(factors).text


def _flat(w: Writer, e: Expr, op: str) -> list[Expr]:
    """The operands of an associative operation; what the author has put in brackets stays so."""
    kept = {a for a in e.args if a in w.phrases and (w.phrases[a].level >= FACTOR or w.phrases[a].closed is not None)}
    return [x for a in e.args for x in (_flat(w, a, op) if a.op == op and a not in kept else [a])]


def _hadamard(w: Writer, e: Expr) -> Piece:
    return Piece(f" {w.notation.entrywise} ".join(w.text(a, FACTOR) for a in _flat(w, e, "had")), TERM)


def _power(w: Writer, e: Expr) -> Piece:
    base, n = e.args[0], int(e.attr)
    if base.shape is not None and base.shape[0] == base.shape[1] != 1 and n > 1:
        return Piece(f" {w.notation.entrywise} ".join([w.text(base, FACTOR)] * n), TERM)
    p = w.piece(base)
    if p.level == ATOM and p.sup:                                     # a time stands where the power goes
        return Piece(f"{bracket(p.text)}^{braced(str(n))}", sup=True)
    return w.scripted(base, str(n))


def _matrix_power(w: Writer, e: Expr) -> Piece:
    last, first = e.attr
    return w.scripted(e.args[0], w.notation.step(last) + (f"-{w.notation.step(first)}" if first.base else ""))


def _apply(w: Writer, e: Expr) -> Piece:
    u, name = e.args[0], e.attr
    if name == "recip":
        return Piece(rf"\frac{{1}}{{{w.text(u)}}}", FACTOR)
    if name == "sqrt":
        return Piece(rf"\sqrt{{{w.text(u)}}}", FACTOR)
    head = w.notation.function(name)
    closed = w.call(head, u)
    plain = u.op == "sym" or u.op == "entry" and u.args[0].op == "sym"
    if name == "log" and plain:
        inner = w.piece(u)
        if inner.level == ATOM and not inner.text.startswith("("):
            return Piece(f"{head} {inner.text}", PRODUCT, True, closed.text)
    return closed


def _log_sum_exp(w: Writer, e: Expr) -> Piece:
    u = e.args[0]
    i = Index(w.fresh(), u.shape[0] if u.shape else "n")
    inner = w.text(index_sum(i, apply("exp", component(u, i))))
    head = w.notation.function("log")
    return Piece(f"{head} {inner}", PRODUCT, True, head + bracket(inner))


def _sum(w: Writer, e: Expr) -> Piece:
    """The sum of all entries, written over the components."""
    u = e.args[0]
    assert u.shape is not None
    found = [Index(w.fresh(), size) if size != 1 else None for size in u.shape]
    out = component(u, *found)
    for i in reversed(found):
        out = index_sum(i, out) if i is not None else out
    return w.piece(out)


def _entry(w: Writer, e: Expr) -> Piece:
    base, at = e.args[0], tuple(w.index(i) for i in e.attr if i is not None)
    if not at:
        return w.piece(base)
    if base.op == "sym":
        return w.symbol(base.attr, at)
    if base.op == "window" and isinstance(e.attr[0], Index) and isinstance(base.attr, str) and base.args[0].attr.time.base:
        s: Symbol = base.args[0].attr
        assert s.time is not None
        step = w.linear(-Linear.of(base.attr), w.notation.step(replace(s.time, offset=0))) + f"+{at[0]}"
        found = w.notation.written(s.name, step + (f"{s.time.offset:+d}" if s.time.offset else ""))
        return Piece(found.text, sub=found.sub, sup=found.sup)
    if base.op == "transpose":
        return w.piece(entry(base.args[0], *reversed(e.attr)))
    p = w.piece(base)
    plain = p.level == ATOM and not p.sub and not p.sup
    return Piece((p.text if plain else bracket(p.text)) + f"_{braced(','.join(at))}", sub=True)


def _delta(w: Writer, e: Expr) -> Piece:
    return Piece(f"{w.notation.kronecker}_{braced(joined_indices([w.index(i) for i in e.attr]))}", sub=True)


def _index_sum(w: Writer, e: Expr) -> Piece:
    i = e.attr
    return w.over(rf"\sum_{{{i.name}=1}}^{braced(w.size(i.size))}", e.args[0])


def _time_sum(w: Writer, e: Expr) -> Piece:
    letter, first, last = e.attr
    step = w.notation.step
    return w.over(rf"\sum_{{{step(Time(letter))}={step(first)}}}^{braced(step(last))}", e.args[0])


def _stack(w: Writer, e: Expr, between: str = r" \\ ") -> Piece:
    return Piece(rf"\begin{{bmatrix}} {between.join(w.text(a) for a in e.args)} \end{{bmatrix}}")


def _transpose(w: Writer, e: Expr) -> Piece:
    """A transpose; that of a stack of numbers is a row of them."""
    if e.args[0].op == "cat" and all(a.shape == SCALAR for a in e.args[0].args) and e.args[0] not in w.phrases:
        return _stack(w, e.args[0], " & ")
    return w.scripted(e.args[0], w.notation.transpose)


def _window(w: Writer, e: Expr) -> Piece:
    """The first value, dots, and the last two; all of them where they are few."""
    s: Symbol = e.args[0].attr
    assert s.time is not None
    back = Linear.of(e.attr) - 1
    steps: list[Time | str] = [s.time - k for k in range(min(2, back.constant if not back.terms else 1), -1, -1)]
    if back.terms or back.constant > 2:
        first = w.linear(-back + s.time.offset, w.notation.step(replace(s.time, offset=0)) if s.time.base else "")
        steps = [first, r"\ldots", *steps[-2:]]
    texts = [t if t == r"\ldots" else w.notation.written(s.name, t).text for t in steps]
    return Piece(f"({', '.join(map(str, texts))})")


def _slice(w: Writer, e: Expr) -> Piece:
    first, last = (w.size(n) for n in e.attr[:2])
    return Piece(f"{w.text(e.args[0], ATOM)}[{first}:{last}]", FACTOR)


_SIGNS = {"immediate": (r"\partial^+", r"\partial"), "total": (r"\mathrm{d}", r"\mathrm{d}"),
          "partial": (r"\partial", r"\partial")}


def _derivative(w: Writer, e: Expr) -> Piece:
    """A derivative; by what is no parameter, and of the total loss, every kind is the same one and is written with a curl."""
    top, bottom = e.args
    base = bottom.args[0] if bottom.op == "entry" else bottom
    total = top.op == "sym" and top.attr.time is None and top.attr.name == w.notation.total
    if total:
        return w.slope(w.text(top), w.text(bottom))
    plain = base.op == "sym" and base.attr.kind != "parameter"
    upper, lower = _SIGNS["partial" if plain else e.attr]
    return Piece(rf"\frac{{{upper} {w.text(top, FACTOR)}}}{{{lower} {w.text(bottom)}}}", FACTOR)


def _vector_call(w: Writer, e: Expr) -> Piece:
    return Piece(w.notation.base(e.attr[0]) + bracket(", ".join(w.text(a) for a in e.args)))


def _vector_jacobian(w: Writer, e: Expr) -> Piece:
    name, _, k = e.attr
    inside = bracket(", ".join(w.text(a) for a in e.args))
    if e.args[k].op == "sym" and e.args.count(e.args[k]) == 1:
        return Piece(rf"\frac{{\partial {w.notation.base(name)}{inside}}}{{\partial {w.text(e.args[k])}}}", FACTOR)
    return Piece(rf"\mathrm{{D}}_{k + 1} {w.notation.base(name)}{inside}", FACTOR)


ROWS: dict[str, Callable[[Writer, Expr], Piece]] = {
    "sym": lambda w, e: w.symbol(e.attr),
    "num": _number,
    "size": lambda w, e: Piece(w.size(e.attr), sub=isinstance(e.attr, str)),
    "steps": lambda w, e: Piece(w.notation.last),
    "ones": _filled("1"),
    "zeros": _filled("0"),
    "eye": lambda w, e: Piece(f"{w.notation.identity}_{braced(w.size(e.attr))}", sub=True),
    "delta": _delta,
    "add": _add,
    "smul": _scaled,
    "matmul": lambda w, e: w.product(_flat(w, e, "matmul")),
    "had": _hadamard,
    "transpose": _transpose,
    "pow": _power,
    "mpow": _matrix_power,
    "inv": lambda w, e: w.scripted(e.args[0], "-1"),
    "mexp": lambda w, e: w.call(r"\exp", e.args[0]),
    "apply": _apply,
    "softmax": lambda w, e: w.call(w.notation.function("softmax"), e.args[0]),
    "lse": _log_sum_exp,
    "sum": _sum,
    "diag": lambda w, e: w.call(w.notation.diag[0], e.args[0], w.notation.diag[1:]),
    "entry": _entry,
    "isum": _index_sum,
    "tsum": _time_sum,
    "cat": _stack,
    "slice": _slice,
    "window": _window,
    "deriv": _derivative,
    "vcall": _vector_call,
    "vjac": _vector_jacobian,
}
