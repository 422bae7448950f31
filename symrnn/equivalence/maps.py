"""The parameters of one network as functions of those of another: blocks of matrices, and what such a matrix does to a vector.

A matrix made of blocks is no expression of the core; what it does to a vector is one. ``[W U] [h; x]`` is ``W h + U x``, and the first
columns of ``W`` times ``h`` are ``W [h; 0]``. That is all that a proof needs.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from symrnn.expr import (
    Expr,
    Linear,
    Shape,
    Size,
    Symbol,
    add,
    between,
    diag,
    extents,
    eye,
    matmul,
    node,
    ones,
    part,
    rebuild,
    scale,
    stack,
    transpose,
    zeros,
)

Span = tuple[Size, Size]
"""The first and the last row, or column, counted from 1."""
ENTRYWISE = ("add", "had", "apply", "pow")


class NoMap(Exception):
    """The parameters found so far are no matrix of blocks, or stand where a matrix of blocks cannot be put in."""


def whole(size: Size) -> Span:
    return (1, size)


def moved(inner: Span, outer: Span) -> Span:
    """A span counted inside another one, counted as that one is.

    >>> moved((1, "n"), ("m+1", "m+n"))
    ('m+1', 'm+n')
    """
    first = Linear.of(outer[0]) - 1
    return ((first + Linear.of(inner[0])).size, (first + Linear.of(inner[1])).size)


@dataclass(frozen=True)
class Piece:
    """A block of a parameter, or with ``flip`` its transpose; or what a parameter is replaced by where there is none.

    ``kind``: ``block``; ``diag`` (the diagonal matrix of the block), ``eye`` and ``ones`` (of no parameter).
    """

    symbol: Symbol | None
    rows: Span = (1, 1)
    columns: Span = (1, 1)
    flip: bool = False
    kind: str = "block"

    @classmethod
    def of(cls, s: Symbol) -> Piece:
        """The whole of a parameter."""
        return cls(s, whole(s.shape[0]), whole(s.shape[1]))

    @property
    def transposed(self) -> Piece:
        return replace(self, flip=not self.flip)

    def cut(self, rows: Span | None = None, columns: Span | None = None) -> Piece:
        """Some rows and columns, counted in the piece as it lies.

        >>> W = Symbol("W", ("n", "m+n"), "parameter")
        >>> print(Piece.of(W).cut(columns=(1, "n")), Piece.of(W).transposed.cut(rows=(1, "n")))
        W[:, 1..n] W[:, 1..n].T
        """
        if self.flip:
            rows, columns = columns, rows
        return replace(self, rows=moved(rows, self.rows) if rows else self.rows,
                       columns=moved(columns, self.columns) if columns else self.columns)

    @property
    def shape(self) -> Shape:
        own = (between(*self.rows), between(*self.columns))
        return own[::-1] if self.flip else own

    @property
    def is_whole(self) -> bool:
        """Whether nothing of the parameter is left out."""
        return self.symbol is not None and replace(self, flip=False, kind="block") == Piece.of(self.symbol)

    def times(self, e: Expr) -> Expr:
        """What the piece does to a column."""
        if self.kind == "eye":
            return e
        s = self.symbol
        assert s is not None
        if self.is_whole or self.kind == "diag":
            return matmul(self.value(e.shape or (1, 1)), e)
        rows, columns = (self.columns, self.rows) if self.flip else (self.rows, self.columns)
        matrix = transpose(node("sym", attr=s)) if self.flip else node("sym", attr=s)
        assert matrix.shape is not None
        return taken(matmul(matrix, padded(e, columns, matrix.shape[1])), rows)

    def value(self, shape: Shape) -> Expr:
        """The piece itself, of the given shape. NoMap for a block of a matrix that is not the whole."""
        if self.kind in ("eye", "ones"):
            return eye(shape[0]) if self.kind == "eye" else ones(shape)
        assert self.symbol is not None
        e = node("sym", attr=self.symbol)
        if self.is_whole:
            e = transpose(e) if self.flip else e
        elif e.shape is not None and e.shape[1] == 1:
            e = taken(e, self.rows)
            e = transpose(e) if self.flip else e
        elif between(*self.columns) == 1 and e.shape is not None:
            e = taken(matmul(e, padded(ones((1, 1)), self.columns, e.shape[1])), self.rows)
            e = transpose(e) if self.flip else e
        else:
            raise NoMap(f"the block {self}")
        return diag(e) if self.kind == "diag" else e

    def __str__(self) -> str:
        if self.symbol is None:
            return "I" if self.kind == "eye" else "1"
        full = Piece.of(self.symbol)
        cuts = [":" if mine == all_ else f"{mine[0]}..{mine[1]}" if mine[0] != mine[1] else str(mine[0])
                for mine, all_ in ((self.rows, full.rows), (self.columns, full.columns))]
        if full.columns == (1, 1):
            cuts = cuts[:1]
        text = self.symbol.name + (f"[{', '.join(cuts)}]" if any(c != ":" for c in cuts) else "") + ".T" * self.flip
        return f"diag({text})" if self.kind == "diag" else text


Sum = tuple[tuple[Fraction, Piece], ...]
"""A sum of multiples of pieces; the empty one is zero."""


def sum_text(found: Sum) -> str:
    """
    >>> print(sum_text(((Fraction(-1), Piece(Symbol("W", ("n", 1)), (1, "n"))), (Fraction(1, 2), Piece(None, kind="ones")))))
    -W + 1/2
    """
    out = ""
    for c, p in found:
        text = str(abs(c)) if p.kind == "ones" else str(p) if abs(c) == 1 else f"{abs(c)} {p}"
        out += (" - " if c < 0 else " + ") + text if out else "-" * (c < 0) + text
    return out or "0"


@dataclass(frozen=True)
class Map:
    """One parameter of shape ``shape``, by the blocks that are known of it: (rows, columns) -> a sum of pieces."""

    symbol: Symbol
    blocks: Mapping[tuple[Span, Span], Sum]

    @property
    def rows(self) -> tuple[Span, ...]:
        return ordered({r for r, _ in self.blocks}, self.symbol.shape[0])

    @property
    def columns(self) -> tuple[Span, ...]:
        return ordered({c for _, c in self.blocks}, self.symbol.shape[1])

    @property
    def joined(self) -> Map:
        """The same with one block, where every block is that block of one parameter."""
        found = {p.symbol for value in self.blocks.values() for _, p in value}
        s = next(iter(found), None)
        if s is None or len(found) > 1 or s.shape != self.symbol.shape:
            return self
        if any(value != ((Fraction(1), replace(Piece.of(s), rows=r, columns=c)),) for (r, c), value in self.blocks.items()):
            return self
        return Map(self.symbol, {(whole(s.shape[0]), whole(s.shape[1])): ((Fraction(1), Piece.of(s)),)})

    @property
    def single(self) -> Sum | None:
        """The value of a parameter of which all is one block, else None."""
        return next(iter(self.blocks.values())) if len(self.rows) == len(self.columns) == 1 else None

    @property
    def renamed(self) -> Symbol | None:
        """The one parameter that it is, if it is one as it stands."""
        if self.single is None or len(self.single) != 1:
            return None
        c, p = self.single[0]
        return p.symbol if c == 1 and p.is_whole and not p.flip and p.kind == "block" else None

    def value(self) -> Expr:
        """The parameter as an expression; NoMap for a matrix of more than one block."""
        if self.symbol.shape[1] == 1:
            return stacked([self.entry(r, whole(1)) for r in self.rows])
        if self.symbol.shape[0] == 1:
            return transpose(stacked([transpose(self.entry(whole(1), c)) for c in self.columns]))
        if self.single is None:
            raise NoMap(f"{self.symbol.name}, which falls into blocks")
        return self.entry(self.rows[0], self.columns[0])

    def entry(self, rows: Span, columns: Span) -> Expr:
        """One block as an expression."""
        shape = (between(*rows), between(*columns))
        terms = [scale(c, p.value(shape)) for c, p in self.blocks.get((rows, columns), ())]
        return add(*terms) if terms else zeros(shape)

    def times(self, e: Expr, flip: bool = False) -> Expr:
        """What the parameter, or its transpose, does to a column."""
        outer, inner = (self.columns, self.rows) if flip else (self.rows, self.columns)
        return stacked([self.row(e, r, inner, flip) for r in outer])

    def row(self, e: Expr, r: Span, inner: Sequence[Span], flip: bool) -> Expr:
        terms = []
        for c in inner:
            for k, p in self.blocks.get((c, r) if flip else (r, c), ()):
                terms.append(scale(k, (p.transposed if flip else p).times(taken(e, c))))
        return add(*terms) if terms else zeros((between(*r), 1))

    def __str__(self) -> str:
        rows = [" ".join(_bracketed(sum_text(self.blocks.get((r, c), ())), len(self.columns)) for c in self.columns) for r in self.rows]
        return rows[0] if len(rows) == len(self.columns) == 1 else f"[{'; '.join(rows)}]"


def _bracketed(text: str, beside: int) -> str:
    return f"({text})" if " " in text and beside > 1 else text


def ordered(spans: set[Span], size: Size) -> tuple[Span, ...]:
    """Spans one after the other, which must be all of 1..size; NoMap where they overlap or leave a gap.

    >>> ordered({("n+1", "m+n"), (1, "n")}, "m+n")
    ((1, 'n'), ('n+1', 'm+n'))
    """
    out: list[Span] = []
    start: Size = 1
    while len(out) < len(spans):
        found = [s for s in spans if s[0] == start]
        if len(found) != 1:
            break
        out.append(found[0])
        start = (Linear.of(found[0][1]) + 1).size
    if len(out) != len(spans) or start != (Linear.of(size) + 1).size:
        raise NoMap("blocks that overlap, or do not cover the whole")
    return tuple(out)


def stacked(parts: Sequence[Expr]) -> Expr:
    return parts[0] if len(parts) == 1 else stack(*parts)


def padded(e: Expr, at: Span, size: Size) -> Expr:
    """A column with zeros above and below it, of ``size`` rows.

    >>> from symrnn.expr import symbol
    >>> padded(symbol("h", ("n", 1)), (1, "n"), "m+n")
    cat(h, zeros)
    """
    above, below = (Linear.of(at[0]) - 1).size, (Linear.of(size) - Linear.of(at[1])).size
    parts = [zeros((above, 1))] if above != 0 else []
    parts.append(e)
    return stacked([*parts, *([zeros((below, 1))] if below != 0 else [])])


def taken(e: Expr, rows: Span) -> Expr:
    """Some rows of a column, taken from the parts of stacks and through entrywise operations.

    >>> from symrnn.expr import symbol
    >>> taken(stack(symbol("h", ("n", 1)), symbol("x", ("m", 1))) + symbol("b", ("m+n", 1)), ("n+1", "m+n"))
    x + b[n+1:m+n]
    """
    assert e.shape is not None
    if rows == whole(e.shape[0]):
        return e
    size = between(*rows)
    if e.op in ("zeros", "ones"):
        return zeros((size, 1)) if e.op == "zeros" else ones((size, 1))
    if e.op in ENTRYWISE:
        return rebuild(e, tuple(taken(a, rows) for a in e.args))
    if e.op == "smul":
        return rebuild(e, (e.args[0], taken(e.args[1], rows)))
    if e.op == "cat":
        ends = extents(e)
        inside = [k for k, (first, last) in enumerate(ends) if _within((first, last), rows)]
        if inside and ends[inside[0]][0] == rows[0] and ends[inside[-1]][1] == rows[1]:
            return stacked([e.args[k] for k in inside])
        for (first, last), a in zip(ends, e.args, strict=True):
            if _within(rows, (first, last)):
                before = Linear.of(first) - 1
                return taken(a, ((Linear.of(rows[0]) - before).size, (Linear.of(rows[1]) - before).size))
    return part(e, *rows)


def _within(a: Span, b: Span) -> bool:
    """Whether the span ``a`` lies in ``b`` for all sizes."""
    gaps = Linear.of(a[0]) - Linear.of(b[0]), Linear.of(b[1]) - Linear.of(a[1])
    return all(gap.least is not None and gap.least >= 0 for gap in gaps)


def put_in(e: Expr, maps: Mapping[str, Map], leaf: Callable[[Symbol], Expr]) -> Expr:
    """An expression with parameters replaced, and every other symbol by what ``leaf`` says.

    NoMap where a matrix of blocks multiplies no column.
    """
    def mapped(a: Expr) -> tuple[Map, bool] | None:
        inner = a.args[0] if a.op == "transpose" else a
        found = maps.get(inner.attr.name) if inner.op == "sym" and 1 not in inner.attr.shape else None
        return None if found is None else (found, a.op == "transpose")

    @cache
    def go(x: Expr) -> Expr:
        if x.op == "sym":
            return maps[x.attr.name].value() if x.attr.name in maps else leaf(x.attr)
        if x.op == "matmul":
            a, b = x.args
            left, right = mapped(a), mapped(b)
            if left is not None and b.shape is not None and b.shape[1] == 1:
                return left[0].times(go(b), left[1])
            if right is not None and a.shape is not None and a.shape[0] == 1:
                return transpose(right[0].times(transpose(go(a)), not right[1]))
        args = tuple(map(go, x.args))
        return taken(args[0], (x.attr[0], x.attr[1])) if x.op == "slice" else rebuild(x, args)
    return go(e)
