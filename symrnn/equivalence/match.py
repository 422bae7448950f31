"""The search for one network in another: which of its parameters must be what, so that both compute the same.

The parameters of the outer network are unknowns, those of the inner one are given. Forms are matched term by term, from the loss down to
the states; a term with one unknown takes the terms of the inner network that it can be. What is found is a proposal: it is proved after.
"""
from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache

from symrnn.equivalence.forms import Factor, Form, Term, form, kept, written_out
from symrnn.equivalence.maps import Map, Piece, Sum
from symrnn.expr import SCALAR, Linear, Shape, Size, Symbol
from symrnn.expr.linear import replaced
from symrnn.model import Model

PATIENCE = 40_000
"""Pairs of factors that are compared before a search is given up; those of the tests need less than 2000."""


class TooMany(Exception):
    """The search was given up."""


@dataclass(frozen=True)
class Found:
    """What is known of the outer network: blocks of its parameters, its sequences (with a mark if transposed), and its sizes."""

    pieces: Mapping[Piece, Sum] = field(default_factory=dict)
    sequences: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    sizes: Mapping[str, Size] = field(default_factory=dict)

    def sized(self, outer: Shape, inner: Shape) -> Found | None:
        """With the sizes of ``outer`` that make it ``inner``; None if none do."""
        sizes = dict(self.sizes)
        for mine, other in zip(outer, inner, strict=True):
            if isinstance(mine, str) and mine.isidentifier() and mine not in sizes:
                sizes[mine] = other
            if Linear.of(replaced(mine, sizes)) != Linear.of(other) and _known(mine, sizes):
                return None
        return self if sizes == self.sizes else replace(self, sizes=sizes)

    def with_targets(self, inner: Model, outer: Model) -> Found:
        """With what only the loss uses, in the outer network, as what has the same name or the same shape in the inner one."""
        out = self
        for s in (*outer.targets, *outer.inputs):
            left = [o for o in (*inner.targets, *inner.inputs) if (o.name, False) not in out.sequences.values()]
            for o in sorted(left, key=lambda o: o.name != s.name):
                sized = out.sized(s.shape, o.shape) if s.name not in out.sequences else None
                if sized is not None:
                    out = replace(sized, sequences={**sized.sequences, s.name: (o.name, False)})
        return out

    def maps(self) -> dict[str, Map]:
        """The parameters of the outer network in sizes of the inner one."""
        out: dict[str, dict[object, Sum]] = {}
        symbols: dict[str, Symbol] = {}
        for p, value in self.pieces.items():
            assert p.symbol is not None
            s = Symbol(p.symbol.name, self.shape(p.symbol.shape), p.symbol.kind)
            symbols[s.name] = s
            out.setdefault(s.name, {})[self.shape(p.rows), self.shape(p.columns)] = value
        return {name: Map(symbols[name], blocks).joined for name, blocks in out.items()}  # type: ignore[arg-type]

    def shape(self, pair: tuple[Size, Size]) -> tuple[Size, Size]:
        return (replaced(pair[0], self.sizes), replaced(pair[1], self.sizes))


def _known(size: Size, sizes: Mapping[str, Size]) -> bool:
    return all(name in sizes for name in Linear.of(size).names)


class Matcher:
    """Looks for the ``inner`` network in the ``outer`` one, with the variables of one ``level`` of :func:`kept` not written out."""

    def __init__(self, inner: Model, outer: Model, level: int) -> None:
        self.inner, self.outer = inner, outer
        self.steps = 0
        self._inner = cache(lambda name: column_form(inner, name, kept(inner)[level]))
        self._outer = cache(lambda name: column_form(outer, name, kept(outer)[level]))

    def search(self, root: str, outer_root: str) -> Found | None:
        """The first way to have ``outer_root`` of the outer network compute ``root`` of the inner one; TooMany may be raised."""
        for found in self.forms(self._inner(root), self._outer(outer_root), Found()):
            for whole in self.states(found, frozenset()):
                return whole
        return None

    def states(self, found: Found, done: frozenset[str]) -> Iterator[Found]:
        """The matches of the states that were met, and of those that these need."""
        variables = self.outer.definitions
        name = next((n for n in found.sequences if n in variables and n not in done), None)
        if name is None:
            yield found
            return
        other, _ = found.sequences[name]
        for more in self.forms(self._inner(other), self._outer(name), found):
            yield from self.states(more, done | {name})

    # ------------------------------------------------------------------------------------------------------------------ forms
    def forms(self, a: Form, b: Form, found: Found) -> Iterator[Found]:
        """Ways to make two forms equal: first what has no unknown of its own, last what takes all numbers and biases that are left."""
        free = any(_is_bias(t) for t in b)
        fixed = tuple(t for t in b if not (free and not t.factors))
        given = (*a, *(Term(-t.number) for t in b if free and not t.factors))
        if len({t.factors for t in given}) < len(given):             # a number on both sides
            numbers = sum(t.number for t in given if not t.factors)
            given = (*(t for t in given if t.factors), *((Term(Fraction(numbers)),) if numbers else ()))
        yield from self.cover(given, tuple(sorted(fixed, key=lambda t: (len(t.weights) == 1, _is_bias(t)))), found)

    def cover(self, a: Form, b: Form, found: Found) -> Iterator[Found]:
        """Ways to have the terms of ``b`` take all terms of ``a``."""
        if not b:
            if not a:
                yield found
            return
        term, rest = b[0], b[1:]
        if len(term.weights) == 1:
            for left, more in self.taken(a, term, found):
                yield from self.cover(left, rest, more)
            return
        for k, s in enumerate(a):
            if s.number == term.number:
                for more in self.factors(s.factors, term.factors, found):
                    yield from self.cover(a[:k] + a[k + 1:], rest, more)
        for k in term.weights:
            yield from (y for x in self.bound(found, term.factors[k].attr, ()) for y in self.cover(a, rest, x))

    def taken(self, a: Form, term: Term, found: Found) -> Iterator[tuple[Form, Found]]:
        """Ways for a term with one unknown to take terms of ``a``, and what is left of them; at last none, with the unknown zero."""
        at = term.weights[0]
        weight, others = term.factors[at], term.factors[:at] + term.factors[at + 1:]
        for k, s in enumerate(a):
            for piece, more in self.weighed(s, weight, others, found):
                items, left = [(s.number / term.number, piece)], a[:k]
                for other in a[k + 1:]:
                    same = next((p for p, again in self.weighed(other, weight, others, more) if again is more), None)
                    if same is None:
                        left += (other,)
                    else:
                        items.append((other.number / term.number, same))
                for bound in self.bound(more, weight.attr, tuple(items)):
                    yield left, bound
        for bound in self.bound(found, weight.attr, ()):
            yield a, bound

    def weighed(self, s: Term, weight: Factor, others: tuple[Factor, ...], found: Found) -> Iterator[tuple[Piece, Found]]:
        """What the unknown can be so that with ``others`` it is the term ``s``, but for its number."""
        inside = weight.args[0][0].factors if weight.op == "lin" else ()
        for k in s.weights:
            v, rest = s.factors[k], s.factors[:k] + s.factors[k + 1:]
            if v.op == weight.op:
                for more in self.factors(rest, others, found):
                    for most in self.factors(v.args[0][0].factors, inside, more) if inside or v.args else (more,):
                        yield v.attr, most
            if weight.op == "lin" and v.op == "par" and inside:
                for more in self.factors(rest, (*others, *inside), found):
                    yield replace(v.attr, kind="diag"), more
        if weight.op == "par" or inside:
            for more in self.factors(s.factors, (*others, *inside), found):
                yield Piece(None, kind="ones" if weight.op == "par" else "eye"), more

    def bound(self, found: Found, piece: Piece, value: Sum) -> Iterator[Found]:
        """With a block of the outer network set to a sum of blocks of the inner one, where nothing else is known of it."""
        if piece.flip:
            value = tuple((c, p.transposed if p.kind == "block" else p) for c, p in value)
            piece = piece.transposed
        value = tuple(sorted(value, key=str))
        if piece in found.pieces:
            if found.pieces[piece] == value:
                yield found
            return
        sized: Found | None = found
        for _, p in value:
            if sized is not None and p.symbol is not None:
                shape = p.shape if p.kind == "block" else (p.shape[0], p.shape[0])
                sized = sized.sized(piece.shape, shape)
        if sized is not None:
            yield replace(sized, pieces={**sized.pieces, piece: value})

    # ---------------------------------------------------------------------------------------------------------------- factors
    def factors(self, a: tuple[Factor, ...], b: tuple[Factor, ...], found: Found) -> Iterator[Found]:
        """Ways to make two products equal, factor by factor."""
        if len(a) != len(b):
            return
        if not b:
            yield found
            return
        for k, f in enumerate(a):
            for more in self.factor(f, b[0], found):
                yield from self.factors(a[:k] + a[k + 1:], b[1:], more)

    def factor(self, a: Factor, b: Factor, found: Found) -> Iterator[Found]:
        """Ways to make two factors equal."""
        self.steps += 1
        if self.steps > PATIENCE:
            raise TooMany
        if a.op != b.op or len(a.args) != len(b.args):
            return
        if a.op == "sym":
            more = self.sequence(a, b, found)
            if more is not None:
                yield more
            return
        if a.op in ("par", "lin"):
            starts = self.bound(found, b.attr, ((Fraction(1), a.attr),))
        else:
            starts = iter((found,) if a.flip == b.flip and self.same(a, b, found) else ())
        for start in starts:
            yield from self.every(a.args, b.args, start)

    def same(self, a: Factor, b: Factor, found: Found) -> bool:
        """Whether two operations have the same name, or sizes that are or may be the same."""
        if a.op == "size":
            return bool(replaced(b.attr, found.sizes) == a.attr)
        return bool(a.attr == b.attr) or a.op in ("cat", "slice", "vcall")

    def every(self, a: tuple[Form, ...], b: tuple[Form, ...], found: Found) -> Iterator[Found]:
        if not a:
            yield found
            return
        for more in self.forms(a[0], b[0], found):
            yield from self.every(a[1:], b[1:], more)

    def sequence(self, a: Factor, b: Factor, found: Found) -> Found | None:
        """With a sequence of the outer network as one of the inner one, of the same kind and at the same step."""
        s, o = a.attr, b.attr
        if (s.kind == "variable", s.time) != (o.kind == "variable", o.time):
            return None
        turned = a.flip != b.flip
        known = found.sequences.get(o.name)
        if known is not None:
            return found if known == (s.name, turned) else None
        if s.kind != "variable" and any(s.name == name for name, _ in found.sequences.values()):
            return None
        sized = found.sized(o.shape, s.shape[::-1] if turned else s.shape)
        return None if sized is None else replace(sized, sequences={**sized.sequences, o.name: (s.name, turned)})


def column_form(model: Model, name: str, keep: Collection[str]) -> Form:
    """The form of what a variable is, as a column if it is a row."""
    shape = model.symbol(name).shape
    return form(written_out(model, name, keep), shape[0] == 1 and shape != SCALAR)


def _is_bias(t: Term) -> bool:
    return len(t.factors) == 1 and t.factors[0].op == "par"
