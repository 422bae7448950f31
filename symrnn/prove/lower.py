"""Lowering: an expression of the core to its normal form, one row for each operation."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from symrnn.expr import SCALAR, Expr, Index, Size, Symbol, Time
from symrnn.prove.algebra import Algebra
from symrnn.prove.claim import Unsupported
from symrnn.prove.forms import BOUND, Atom, Form, Label, Range, Term

Axes = tuple[tuple[Label, Size], ...]


def axes_of(e: Expr) -> Axes:
    """The axes of an expression that are not 1, with their sizes."""
    assert e.shape is not None
    return tuple((x, n) for x, n in zip("rc", e.shape, strict=True) if n != 1)


class Lowering:
    """Lower expressions in one algebra.

    ``names`` renames component indices (for a condition i = k); ``local`` gives the form of a derivative node.
    """

    def __init__(self, algebra: Algebra, names: dict[str, str] | None = None,
                 local: Callable[[Lowering, Expr], Form] | None = None) -> None:
        self.algebra = algebra
        self.names = dict(names or {})
        self.local = local
        self._memo: dict[tuple[Expr, tuple[tuple[str, str], ...], str, Range | None], Form] = {}
        self._fresh = count()
        self._sizes: dict[str, Size] = {}
        self.letter = ""                                            # the time letter bound by the sum over time around, its range
        self.over: Range | None = None

    def __call__(self, e: Expr) -> Form:
        if e.fault is not None:
            raise Unsupported(f"an ill-shaped expression ({e.fault})")
        key = (e, tuple(sorted(self.names.items())), self.letter, self.over)
        if key not in self._memo:
            row = ROWS.get(e.op)
            if row is None:
                raise Unsupported(f"the operation {e.op} in the normal form")
            self._memo[key] = row(self, e)
        return self._memo[key]

    def label(self, i: Index | int) -> Label:
        """The label of a component index."""
        if isinstance(i, int):
            return f"={i}"
        name = self.names.get(i.name, i.name)
        if self._sizes.setdefault(name, i.size) != i.size:
            raise Unsupported(f"one index {i} over two sizes, {self._sizes[name]} and {i.size}")
        return "@" + name

    def time(self, t: Time) -> Time:
        return Time(BOUND, t.offset) if self.letter and t.base == self.letter else t

    def symbol(self, s: Symbol) -> Symbol:
        return Symbol(s.name, s.shape, s.kind, self.time(s.time) if s.time is not None else None)


def _symbol(L: Lowering, e: Expr) -> Form:
    return L.algebra.symbol(L.symbol(e.attr), axes_of(e))


def _ones(L: Lowering, e: Expr) -> Form:
    return L.algebra.number(1, axes_of(e))


def _eye(L: Lowering, e: Expr) -> Form:
    return L.algebra.delta("r", "c", e.attr, axes_of(e)) if e.shape != SCALAR else L.algebra.number(1)


def _delta(L: Lowering, e: Expr) -> Form:
    i, j = e.attr
    sizes = [k.size for k in (i, j) if isinstance(k, Index)]
    if len(set(sizes)) > 1:
        raise Unsupported(f"{e} between indices of different sizes")
    if L.label(i) == L.label(j) or set(sizes) == {1}:
        return L.algebra.number(1)
    return L.algebra.delta(L.label(i), L.label(j), sizes[0] if sizes else 1)


def _add(L: Lowering, e: Expr) -> Form:
    return L.algebra.add(*(L(a) for a in e.args))


def _smul(L: Lowering, e: Expr) -> Form:
    factor, body = L(e.args[0]), L(e.args[1])
    return L.algebra.contract([(factor, ()), (body, [x for x, _ in body.labels])], axes_of(e))


def _matmul(L: Lowering, e: Expr) -> Form:
    def labels(a: Expr, names: str) -> list[Label]:
        assert a.shape is not None
        return [x for x, n in zip(names, a.shape, strict=True) if n != 1]
    a, b = e.args
    return L.algebra.contract([(L(a), labels(a, "rk")), (L(b), labels(b, "kc"))], axes_of(e))


def _had(L: Lowering, e: Expr) -> Form:
    return L.algebra.times(*(L(a) for a in e.args))


def _transpose(L: Lowering, e: Expr) -> Form:
    body = L(e.args[0])
    swap = {"r": "c", "c": "r"}
    return L.algebra.rename(body, [swap[x] for x, _ in body.labels], axes_of(e))


def _softmax(L: Lowering, e: Expr) -> Form:
    body = L(e.args[0])
    if not body.labels:
        return L.algebra.number(1)
    A = L.algebra
    A.note("softmax")
    top, bottom = A.apply("exp", body), A.exp_sum(body, *body.labels[0])
    return A.contract([(top, [x for x, _ in body.labels]), (A.recip(bottom), ())], axes_of(e))


def _lse(L: Lowering, e: Expr) -> Form:
    body = L(e.args[0])
    return L.algebra.apply("log", L.algebra.exp_sum(body, *body.labels[0])) if body.labels else body


def _sum(L: Lowering, e: Expr) -> Form:
    body = L(e.args[0])
    return L.algebra.contract([(body, [x for x, _ in body.labels])], ())


def _diag(L: Lowering, e: Expr) -> Form:
    body = L(e.args[0])
    assert e.shape is not None
    if e.shape == SCALAR:
        return body
    return L.algebra.contract([(body, "r"), (L.algebra.delta("r", "c", e.shape[0], axes_of(e)), "rc")], axes_of(e))


def _entry(L: Lowering, e: Expr) -> Form:
    body = L(e.args[0])
    shape = e.args[0].shape
    assert shape is not None
    at = [L.label(i) for i, n in zip(e.attr, shape, strict=True) if n != 1]
    places = [(f"%e{next(L._fresh)}", n) for _, n in body.labels]
    moved = L.algebra.rename(body, [x for x, _ in places], places)
    return relabel(L.algebra, moved, dict(zip([x for x, _ in places], at, strict=True)))


def relabel(A: Algebra, f: Form, names: dict[Label, Label], axes: Sequence[tuple[Label, Size]] = ()) -> Form:
    """Rename free labels of the terms; two labels may become one (a diagonal)."""
    total = A.form(axes, {})
    for t, c in f.terms:
        factors, dummies = t.factors(A.fresh)
        moved = [(a, tuple(names.get(x, x) for x in ix), e) for a, ix, e in factors]
        total = A.add(total, A.scale(c, A.form(axes, A.normal(moved, dummies, t.over))))
    return total


def _index_sum(L: Lowering, e: Expr) -> Form:
    i: Index = e.attr
    outer = L.names.get(i.name)
    bound = f"{i.name}~{next(L._fresh)}"
    L.names[i.name] = bound
    try:
        label = L.label(i)
        body = L(e.args[0])
    finally:
        if outer is None:
            del L.names[i.name]
        else:
            L.names[i.name] = outer
    return L.algebra.sum_over(body, label, i.size)


def _time_sum(L: Lowering, e: Expr) -> Form:
    letter, lo, hi = e.attr
    if L.letter:
        raise Unsupported("a sum over time inside a sum over time")
    L.letter, L.over = letter, (lo, hi)
    try:
        body = L(e.args[0])
    finally:
        L.letter, L.over = "", None
    if any(t.over is not None for t, _ in body.terms):
        raise Unsupported("a sum over time inside a sum over time")
    return L.algebra.form(body.labels, {Term(t.parts, (lo, hi)): c for t, c in body.terms})


def _call(L: Lowering, e: Expr) -> Form:
    args = []
    for a in e.args:
        body = L(a)
        place = [(str(n), size) for n, (_, size) in enumerate(body.labels)]
        args.append(L.algebra.rename(body, [x for x, _ in place], place))
    if any(t.over is not None for f in args for t, _ in f.terms):
        raise Unsupported("a function of a sum over time")
    if any(x[0] in "@=" for f in args for x in L.algebra.sizes_in(f)):
        raise Unsupported("an unspecified vector function of components")
    axes = axes_of(e)
    if e.op == "vcall":
        return L.algebra.of(Atom("F", e.attr[0], args=tuple(args), slots=tuple(n for _, n in axes)), [x for x, _ in axes], axes)
    name, _, k = e.attr
    by = e.args[k].shape
    if by is not None and by[1] != 1:                       # by a matrix: rows and columns of the matrix, as they are
        axes = axes[::-1]
    return L.algebra.of(Atom("J", f"{name}|{k}", args=tuple(args), slots=tuple(n for _, n in axes)), [x for x, _ in axes], axes)


def _derivative(L: Lowering, e: Expr) -> Form:
    if L.local is None:
        raise Unsupported("a derivative without a model")
    return L.local(L, e)


ROWS: dict[str, Callable[[Lowering, Expr], Form]] = {
    "sym": _symbol, "num": lambda L, e: L.algebra.number(e.attr), "size": lambda L, e: L.algebra.count(e.attr), "ones": _ones,
    "steps": lambda L, e: L.algebra.position(Time("T")),
    "zeros": lambda L, e: L.algebra.number(0, axes_of(e)), "eye": _eye, "delta": _delta, "add": _add, "smul": _smul,
    "matmul": _matmul, "had": _had, "transpose": _transpose, "pow": lambda L, e: L.algebra.power(L(e.args[0]), e.attr),
    "apply": lambda L, e: L.algebra.apply(e.attr, L(e.args[0])), "softmax": _softmax, "lse": _lse, "sum": _sum, "diag": _diag,
    "entry": _entry, "isum": _index_sum, "tsum": _time_sum, "vcall": _call, "vjac": _call, "deriv": _derivative,
}
