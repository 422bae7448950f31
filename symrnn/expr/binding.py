"""Substitution that respects what sums bind: an index or a step that is put in keeps its meaning."""
from __future__ import annotations

from collections.abc import Iterator

from symrnn.expr.sizes import Index, Time
from symrnn.expr.tree import Expr, Symbol, free_steps, rebuild, retime, transform, walk


def substitute(e: Expr, values: dict[Symbol, Expr]) -> Expr:
    """Replace symbols by expressions.

    A sum over an index that is free in what is put in gets another index first; so does a sum over time, unless it binds the
    step of the symbol that is replaced (``h[t]`` inside a sum over t means each of its steps).

    >>> from symrnn.expr.tree import entry, index_sum, symbol
    >>> i, u, w, h = Index("i", "n"), symbol("u"), symbol("w", ("n", 1)), symbol("h", ("n", 1))
    >>> substitute(index_sum(i, entry(w, i) * u), {u.attr: entry(h, i)})
    sum_i'(w[i'] * h[i])
    """
    indices = {i.name for v in values.values() for i in free_indices(v)}
    letters = {t.base for s, v in values.items() for t in free_steps(v) if s.time is None or s.time.base != t.base}
    if any(x.op == "isum" and x.attr.name in indices or x.op == "tsum" and x.attr[0] in letters for x in walk(e)):
        e = _apart(e, indices, letters)
    return transform(e, lambda x: values.get(x.attr) if x.op == "sym" else None)


def free_indices(e: Expr, bound: frozenset[str] = frozenset()) -> Iterator[Index]:
    """The component indices that no sum binds."""
    if e.op in ("entry", "delta"):
        yield from (i for i in e.attr if isinstance(i, Index) and i.name not in bound)
    inner = bound | {e.attr.name} if e.op == "isum" else bound
    for a in e.args:
        yield from free_indices(a, inner)


def _apart(e: Expr, indices: set[str], letters: set[str]) -> Expr:
    """The expression with sums over other indices and letters than the given ones."""
    if not e.args:
        return e
    args = tuple(_apart(a, indices, letters) for a in e.args)
    if e.op == "isum" and e.attr.name in indices:
        new = Index(_fresh(e.attr.name, indices | {i.name for i in free_indices(args[0])}), e.attr.size)
        return Expr("isum", (_reindexed(args[0], e.attr.name, new),), new)
    if e.op == "tsum" and e.attr[0] in letters:
        letter, *ends = e.attr
        name = _fresh(letter, letters | {t.base for t in free_steps(args[0])})
        body = retime(args[0], lambda t: Time(name, t.offset) if t.base == letter else t)
        return Expr("tsum", (body,), (name, *ends))
    return rebuild(e, args)


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "'"
    return name


def _reindexed(e: Expr, old: str, new: Index) -> Expr:
    """The expression with a free index renamed."""
    if e.op == "isum" and e.attr.name == old:
        return e
    args = tuple(_reindexed(a, old, new) for a in e.args)
    if e.op in ("entry", "delta"):
        return Expr(e.op, args, tuple(new if isinstance(i, Index) and i.name == old else i for i in e.attr))
    return rebuild(e, args)
