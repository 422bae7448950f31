"""The rewrites of one product: Kronecker deltas, powers, sums that have a value, products of sigmoid and exponential.

:meth:`Products.normal` takes a product of atoms with its dummies and gives the canonical terms it is the sum of. Each rewrite is
a row of :data:`symrnn.prove.forms.REWRITES`.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import count

from symrnn.expr import Size, Symbol
from symrnn.expr.functions import function
from symrnn.prove.claim import Unsupported
from symrnn.prove.forms import Atom, Factor, Form, Label, Range, Term, TooSymmetric, component, connected

Terms = dict[Term, Fraction]
ONE = Fraction(1)
LIMIT = 20_000
"""The most terms a form may have; beyond it the proof gives up (``undecided: limit``), it never waits."""


class Products:
    """Canonical products under given facts.

    ``simplex``: names of vectors whose entries sum to one. ``zero``: tells whether a symbol is zero. ``distinct``: pairs of free
    labels that are never equal. ``note`` is told the name of every rewrite that takes part; without it ``used`` collects them.
    """

    def __init__(self, simplex: Iterable[str] = (), zero: Callable[[Symbol], bool] = lambda s: False,
                 distinct: Iterable[frozenset[Label]] = (), note: Callable[[str], object] | None = None,
                 one: Callable[[Symbol], bool] = lambda s: False) -> None:
        self.simplex = frozenset(simplex)
        self.zero, self.one = zero, one
        self.distinct = frozenset(distinct)
        self.used: dict[str, None] = {}
        self.note = note or self.used.setdefault
        self.fresh: Iterator[Label] = (f"#{n}" for n in count(1000))

    # ----------------------------------------------------------------------------------------------------- small forms
    def form(self, labels: Iterable[tuple[Label, Size]], terms: Terms) -> Form:
        if len(terms) > LIMIT:
            raise Unsupported(f"the normal form has more than {LIMIT} terms")
        kept = sorted(((t, c) for t, c in terms.items() if c), key=lambda tc: tc[0].sort)
        return Form(tuple(labels), tuple(kept))

    def scale(self, c: Fraction | int, f: Form) -> Form:
        return self.form(f.labels, {t: c * x for t, x in f.terms})

    # ------------------------------------------------------------------------------------------------------------- terms
    def normal(self, factors: list[Factor], dummies: dict[Label, Size], over: Range | None) -> Terms:
        """The canonical terms of one product."""
        out: Terms = {}
        work = [(ONE, factors, dict(dummies))]
        while work:
            c, fs, ds = work.pop()
            state = self._settle(fs, ds)
            if state is None:
                continue
            k, fs, ds = state
            c *= k
            split = self._split(fs)
            if split is not None:
                work += [(c * k, more, dict(ds)) for k, more in split]
                continue
            try:
                parts = tuple(sorted((component(g) for g in connected(fs)), key=lambda p: [(a.sort, e, ix) for a, ix, e in p]))
            except TooSymmetric:
                raise Unsupported("a product too symmetric to put in order") from None
            term = Term(parts, over)
            out[term] = out.get(term, Fraction(0)) + c
        return {t: c for t, c in out.items() if c}

    def _settle(self, factors: list[Factor], dummies: dict[Label, Size]) -> tuple[int, list[Factor], dict[Label, Size]] | None:
        """Apply the rewrites that keep one product one product, until none applies; the number in front, or None for zero."""
        number = 1
        while True:
            merged: dict[tuple[Atom, tuple[Label, ...]], int] = {}
            for a, ix, e in factors:
                if a.symbol is not None and self.zero(a.symbol):
                    if e < 0:
                        raise Unsupported(f"a division by {a.symbol}, which is zero")
                    self.note("zero")
                    return None
                if a.symbol is not None and self.one(a.symbol):
                    self.note("one")
                    continue
                if a.kind == "d":
                    merged[a, tuple(sorted(ix))] = 1                # delta^n = delta for n > 0; a reciprocal of it is refused
                    continue
                had = merged.get((a, ix), 0)
                if had * e < 0:
                    self.note("power")
                merged[a, ix] = had + e
            factors = [(a, ix, self._exponent(a, e)) for (a, ix), e in merged.items() if e]
            moved = self._deltas(factors, dummies)
            if moved is None:
                return None
            changed, factors = moved
            if changed:
                continue
            count = self._counts(factors, dummies)
            if count is not None:
                number *= count
            elif not self._closed_sums(factors, dummies):
                return number, factors, dummies

    def _exponent(self, a: Atom, e: int) -> int:
        """The exponent of an atom: 1 for a power of a step."""
        if e > 1 and a.kind == "f" and function(a.name).idempotent:
            self.note("step")
            return 1
        return e

    def _deltas(self, factors: list[Factor], dummies: dict[Label, Size]) -> tuple[bool, list[Factor]] | None:
        """Contract one Kronecker delta; None when it is zero."""
        for n, (_, (i, j, *_), _) in ((n, f) for n, f in enumerate(factors) if f[0].kind == "d"):
            rest = factors[:n] + factors[n + 1:]
            if i == j:
                return True, rest
            if frozenset((i, j)) in self.distinct or (i[0] == j[0] == "="):
                self.note("delta")
                return None
            bound = [x for x in (i, j) if x in dummies]
            gone, kept = (bound[-1], j if bound[-1] == i else i) if bound else (max(i, j), min(i, j))
            swapped = [(b, tuple(kept if x == gone else x for x in ix), e) for b, ix, e in rest]
            if bound:
                self.note("delta")
                del dummies[gone]
                return True, swapped
            if swapped != rest:
                self.note("delta")
                return True, [*swapped, factors[n]]
        return False, factors

    def _counts(self, factors: list[Factor], dummies: dict[Label, Size]) -> int | None:
        """A sum over a dummy that does not occur is its size; the product of the numbers, None if there is no such dummy."""
        used = {x for _, ix, _ in factors for x in ix}
        idle = [d for d in dummies if d not in used]
        number = 1
        for d in idle:
            self.note("count")
            size = dummies.pop(d)
            if isinstance(size, int):
                number *= size
            else:
                factors.append((Atom("n", size), (), 1))
        return number if idle else None

    def _closed_sums(self, factors: list[Factor], dummies: dict[Label, Size]) -> bool:
        """A dummy in one factor only: entries of a simplex sum to one, exponentials to their partition sum."""
        places: dict[Label, list[int]] = {}
        for n, (_, ix, _) in enumerate(factors):
            for x in ix:
                if x in dummies:
                    places.setdefault(x, []).append(n)
        for d, at in places.items():
            if len(at) != 1:
                continue
            a, ix, e = factors[at[0]]
            if len(ix) != 1:
                continue
            if a.kind == "v" and a.symbol is not None and a.symbol.kind in ("target", "input") and e == 1 \
                    and a.symbol.name in self.simplex:
                self.note("simplex")
                del factors[at[0]], dummies[d]
                return True
            if a.kind == "f" and a.name == "exp":
                self.note("partition")
                del dummies[d]
                factors[at[0]] = (Atom("Z", args=(self.scale(e, a.args[0]),)), (), 1)
                return True
        return False

    def _split(self, factors: list[Factor]) -> list[tuple[int, list[Factor]]] | None:
        """sigmoid(u) exp(u) = exp(u) - sigmoid(u) and sigmoid(u) exp(-u) = 1 - sigmoid(u): no product of the two remains."""
        powers = {(a.args[0], ix): e for a, ix, e in factors if a.kind == "f" and a.name == "exp"}
        for n, (a, ix, e) in enumerate(factors):
            if a.kind != "f" or a.name != "sigmoid" or e < 1:
                continue
            b = powers.get((a.args[0], ix))
            if not b:
                continue
            self.note("sigmoid and exp")
            rest = [f for m, f in enumerate(factors) if m != n and not (f[0].kind == "f" and f[0].name == "exp"
                                                                        and (f[0].args[0], f[1]) == (a.args[0], ix))]
            exp = Atom("f", "exp", args=a.args, slots=a.slots)
            first, second = (b, b - 1) if b > 0 else (b + 1, b + 1)

            def product(s: int, x: int, rest: list[Factor] = rest, a: Atom = a, ix: tuple[Label, ...] = ix,
                        exp: Atom = exp) -> list[Factor]:
                return rest + [(q, ix, k) for q, k in ((a, s), (exp, x)) if k]
            return [(1, product(e - 1, first)), (-1, product(e, second))]
        return None
