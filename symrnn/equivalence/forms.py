"""What a network computes in a step, as sums of products in which every parameter stands apart: the form that is matched.

Variables are written out down to states; a matrix on a stack falls into its blocks, a part of a stack into its own rows, and a row
vector is the column it is the transpose of. Nothing is proved by a form: it only finds which parameters to compare.
"""
from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

from symrnn.equivalence.maps import Piece, Span, moved, whole
from symrnn.errors import LimitError
from symrnn.expr import NOW, SCALAR, Expr, Linear, Symbol, extents, numeric, transform
from symrnn.model import Model

MANY = 400
"""More terms than a network has that people write down."""
EXPANDED = 3
"""Powers up to here are multiplied out."""


@dataclass(frozen=True)
class Factor:
    """One factor of a product taken entry by entry.

    ``op``: ``sym`` (what has a step), ``par`` (entries of a parameter), ``lin`` (a matrix of parameters times the product ``args``), or an
    operation with what its row in the table of operations says as ``attr``. ``flip``: the transpose is meant.
    """

    op: str
    attr: Any
    args: tuple[Form, ...] = ()
    flip: bool = False
    scalar: bool = False


@dataclass(frozen=True)
class Term:
    """A number times factors; without factors, that number in every entry."""

    number: Fraction
    factors: tuple[Factor, ...] = ()

    def __mul__(self, other: Term) -> Term:
        return Term(self.number * other.number, self.factors + other.factors)

    @property
    def weights(self) -> tuple[int, ...]:
        """The places of the factors that are linear in a parameter."""
        return tuple(k for k, f in enumerate(self.factors) if f.op in ("par", "lin"))


Form = tuple[Term, ...]


def kept(model: Model) -> tuple[frozenset[str], ...]:
    """The variables that are not put in: first all of them, so that equations are compared one by one; then the states alone."""
    return (frozenset(model.definitions), frozenset(s.name for s in model.states))


def written_out(model: Model, name: str, keep: Collection[str]) -> Expr:
    """The right side of a variable with every variable of the step put in that is not to be kept."""
    @cache
    def value(name: str) -> Expr:
        return transform(model.definitions[name], change)

    def change(x: Expr) -> Expr | None:
        if x.op == "sym" and x.attr.kind == "variable" and x.attr.time == NOW and x.attr.name not in keep:
            return value(x.attr.name)
        return None
    return value(name)


def form(e: Expr, flip: bool = False, rows: Span | None = None) -> Form:
    """The form of an expression, of its transpose, or of some rows of it.

    >>> from symrnn.expr import stack
    >>> from symrnn.model import param, sequence
    >>> h, x = sequence("h", "n"), sequence("x", "m", kind="input")
    >>> [str(t.factors[0].attr) for t in form(param("W", "n", "m+n") @ stack(h[-1], x) + param("b", "n"))]
    ['W[:, 1..n]', 'W[:, n+1..m+n]', 'b']
    """
    found = collected(_form(e, flip, rows))
    if len(found) > MANY:
        raise LimitError("a step of the network, written out", must=f"have at most {MANY} terms", came=f"{len(found)} terms",
                         limit="terms", bound=float(MANY), next_step="compare its parts, each as a network of its own")
    return found


def collected(terms: Form) -> Form:
    """The form with like terms added; the factors of a product in one order."""
    out: dict[tuple[Factor, ...], Fraction] = {}
    for t in terms:
        key = tuple(sorted(t.factors, key=_order))
        out[key] = out.get(key, Fraction(0)) + t.number
    return tuple(Term(n, key) for key, n in out.items() if n)


@cache
def _order(f: Factor) -> str:
    return repr(f)


def times(*forms: Form) -> Form:
    """The product, entry by entry."""
    out: Form = (Term(Fraction(1)),)
    for f in forms:
        out = collected(tuple(a * b for a, b in product(out, f)))
    return out


def _scaled(number: Fraction, f: Form) -> Form:
    return tuple(replace(t, number=number * t.number) for t in f)


def _one(factor: Factor) -> Form:
    return (Term(Fraction(1), (factor,)),)


def _form(e: Expr, flip: bool, rows: Span | None) -> Form:
    if e.shape is not None and rows == whole(e.shape[1 if flip else 0]):
        rows = None
    match e.op:
        case "num":
            return (Term(e.attr),) if e.attr else ()
        case "ones":
            return (Term(Fraction(1)),)
        case "zeros":
            return ()
        case "add":
            return tuple(t for a in e.args for t in form(a, flip, rows))
        case "smul" | "had":
            number, rest = numeric(e)
            if rest is not e:
                return _scaled(number, form(rest, flip, rows))
            scalars = e.op == "smul"
            return times(*(form(a, flip and a.shape != SCALAR, None if scalars and k == 0 else rows) for k, a in enumerate(e.args)))
        case "pow" if 1 < e.attr <= EXPANDED:
            return times(*([form(e.args[0], flip, rows)] * e.attr))
        case "transpose":
            return form(e.args[0], not flip, rows)
        case "slice" if not flip:
            inner: Span = (e.attr[0], e.attr[1])
            return form(e.args[0], False, moved(rows, inner) if rows else inner)
        case "cat" if not flip and rows is not None:
            for ends, a in zip(extents(e), e.args, strict=True):
                before = Linear.of(ends[0]) - 1
                own = ((Linear.of(rows[0]) - before).size, (Linear.of(rows[1]) - before).size)
                if a.shape is not None and own == whole(a.shape[0]):
                    return form(a)
        case "sym" if e.attr.kind == "parameter":
            return _one(parameter(e.attr, flip, rows))
        case "matmul":
            return _product(e, flip, rows)
        case "sum":
            return tuple(t for x in form(e.args[0]) for t in _summed(x))
    return _operation(e, flip, rows)


def parameter(s: Symbol, flip: bool, rows: Span | None) -> Factor:
    """Entries of a parameter as a factor."""
    piece = Piece.of(s).transposed if flip else Piece.of(s)
    return Factor("par", piece.cut(rows) if rows else piece, scalar=s.shape == SCALAR)


def _operation(e: Expr, flip: bool, rows: Span | None) -> Form:
    """What is not taken apart: a symbol with a step, or an operation on forms; its rows where it acts entry by entry."""
    inside = rows if e.op in ("apply", "pow") else None
    if e.op == "sym":
        f = Factor("sym", e.attr, (), flip and e.attr.shape != SCALAR, e.attr.shape == SCALAR)
    else:
        through = flip and e.op in ("apply", "pow")
        args = tuple(form(a, through and a.shape != SCALAR, inside) for a in e.args)
        f = Factor(e.op, e.attr, args, flip and not through, e.shape == SCALAR)
    if rows is not None and inside is None:
        return _one(Factor("slice", rows, (_one(f),)))
    return _one(f)


def _summed(t: Term) -> Form:
    """The sum of the entries of a term, with numbers and scalars taken out of it."""
    outside = tuple(f for f in t.factors if f.scalar)
    inside = tuple(f for f in t.factors if not f.scalar)
    if not inside:
        return (Term(t.number, (Factor("sum", None, ((Term(Fraction(1), t.factors),),), scalar=True),)),)
    return (Term(t.number, (*outside, Factor("sum", None, ((Term(Fraction(1), inside),),), scalar=True))),)


def _product(e: Expr, flip: bool, rows: Span | None) -> Form:
    """A matrix product: of a row and a column a sum, of parameters and a column term by term, else as it stands."""
    a, b = e.args
    assert a.shape is not None and b.shape is not None
    if e.shape == SCALAR:
        return tuple(t for x in times(form(a, True), form(b)) for t in _summed(x)) if a.shape != SCALAR else times(form(a), form(b))
    if flip and a.shape[0] == 1:
        return applied(form(b, True, rows), a, True)
    if not flip and b.shape[1] == 1:
        return applied(form(a, False, rows), b, False)
    return _operation(e, flip, rows)


def applied(matrices: Form, e: Expr, flip: bool) -> Form:
    """Every matrix of a sum times a column (the transpose of a row, with ``flip``)."""
    out: list[Term] = []
    for m in matrices:
        if len(m.factors) == 1 and m.factors[0].op == "par":
            out += [replace(t, number=m.number * t.number) for t in multiplied(m.factors[0].attr, e, flip)]
        else:
            out += _one(Factor("matmul", None, ((m,), form(e, flip))))
    return tuple(out)


def multiplied(matrix: Piece, e: Expr, flip: bool) -> Form:
    """A block of parameters times a column; times a stack block by block."""
    if e.op == "cat" and not flip:
        return tuple(t for ends, a in zip(extents(e), e.args, strict=True) for t in multiplied(matrix.cut(columns=ends), a, False))
    out: list[Term] = []
    for t in form(e, flip):
        if t.factors and not (matrix.shape[1] == 1 and all(f.scalar for f in t.factors)):
            out.append(Term(t.number, (Factor("lin", matrix, ((Term(Fraction(1), t.factors),),)),)))
        elif matrix.shape[1] == 1:
            out.append(Term(t.number, (Factor("par", matrix), *t.factors)))
        else:
            out.append(Term(t.number, (Factor("lin", matrix, ((Term(Fraction(1)),),)),)))
    return tuple(out)
