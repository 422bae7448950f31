"""Arithmetic of normal forms: sums, contractions, functions, derivatives, substitution; every result is again a normal form."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations

from symrnn.expr import Size, Symbol, Time
from symrnn.expr.functions import function, is_unspecified
from symrnn.prove import elementary
from symrnn.prove.claim import Unsupported
from symrnn.prove.elementary import Value
from symrnn.prove.forms import BOUND, Atom, Factor, Form, Label, Range, Term, never_negative
from symrnn.prove.product import LIMIT, ONE, Products, Terms

Change = Callable[[Atom], Form | Atom | None]
FREE = "@=~%"
"""What a free label begins with that is no axis: a component index, a fixed component, two kinds of marks."""
STEP = "step "
"""What the name of the atom for a step as a number begins with."""


class Algebra(Products):
    """Normal forms under given facts."""

    # ----------------------------------------------------------------------------------------------------- small forms
    def number(self, c: Fraction | int, labels: Iterable[tuple[Label, Size]] = ()) -> Form:
        return self.form(labels, {Term(()): Fraction(c)})

    def of(self, atom: Atom, labels: Sequence[Label], axes: Iterable[tuple[Label, Size]] = ()) -> Form:
        """One atom with its labels; ``axes`` are those labels that are axes of the form."""
        return self.form(axes, self.normal([(atom, tuple(labels), 1)], {}, None))

    def symbol(self, s: Symbol, axes: Sequence[tuple[Label, Size]]) -> Form:
        """A symbol with one slot for each axis."""
        return self.of(Atom("v", symbol=s, slots=tuple(n for _, n in axes)), [x for x, _ in axes], axes)

    def delta(self, i: Label, j: Label, size: Size, axes: Iterable[tuple[Label, Size]] = ()) -> Form:
        return self.of(Atom("d", slots=(size, size)), (i, j), axes)

    def count(self, size: Size) -> Form:
        """A size as a number."""
        return self.number(size) if isinstance(size, int) else self.of(Atom("n", size), ())

    def position(self, t: Time) -> Form:
        """A step as a number, counted from 1."""
        base = self.of(Atom("n", STEP + t.base), ()) if t.base else self.number(0)
        return self.add(base, self.number(t.offset))

    def counted(self, f: Form) -> Form:
        """What does not change with t, taken out of the sums over t: it is summed as many times as there are steps."""
        kept: Terms = {}
        pieces: list[Form] = []
        for t, c in f.terms:
            moves = any(x.base == BOUND for a, _, _ in t.flat() for x in a.times())
            if moves or t.over is None or not never_negative(t.over):
                kept[t] = c
                continue
            lo, hi = t.over
            steps = self.add(self.subtract(self.position(hi), self.position(lo)), self.number(1))
            pieces.append(self.times(self.form(f.labels, {Term(t.parts): c}), steps))
        return self.add(self.form(f.labels, kept), *pieces) if pieces else f

    # ------------------------------------------------------------------------------------------------------ linear part
    def add(self, *forms: Form) -> Form:
        out: Terms = {}
        for f in forms:
            for t, c in f.terms:
                out[t] = out.get(t, Fraction(0)) + c
        return self.form(forms[0].labels, out)

    def subtract(self, a: Form, b: Form) -> Form:
        return self.add(a, self.scale(-1, b))

    # ------------------------------------------------------------------------------------------------------ contraction
    def contract(self, parts: Sequence[tuple[Form, Sequence[Label]]], out: Sequence[tuple[Label, Size]],
                 summed: Mapping[Label, Size] | None = None) -> Form:
        """The product of forms, their axes renamed to the given labels; an axis that is not in ``out`` is summed.

        Component indices (``@i``, ``=2`` and the marks ``~``, ``%``) stay free unless ``summed`` names them.
        """
        kept = {x for x, _ in out}
        dummies: dict[Label, tuple[Label, Size]] = {x: (next(self.fresh), n) for x, n in (summed or {}).items()}
        for f, labels in parts:
            for x, (_, size) in zip(labels, f.labels, strict=True):
                if x not in kept and x not in dummies and x[0] not in FREE:
                    dummies[x] = (next(self.fresh), size)
        names = {x: d for x, (d, _) in dummies.items()}
        sizes = {d: n for d, n in dummies.values()}
        result: Terms = {}

        def walk(k: int, c: Fraction, factors: list[Factor], bound: dict[Label, Size], over: Range | None) -> None:
            if k == len(parts):
                for t, x in self.normal(factors, bound, over).items():
                    result[t] = result.get(t, Fraction(0)) + c * x
                if len(result) > LIMIT:
                    raise Unsupported(f"the normal form has more than {LIMIT} terms")
                return
            f, labels = parts[k]
            rename = {axis: names.get(x, x) for x, (axis, _) in zip(labels, f.labels, strict=True)}
            for t, x in f.terms:
                if t.over is not None and over is not None:
                    raise Unsupported("a product of two sums over time")
                mine, inner = t.factors(self.fresh)
                moved = [(a, tuple(rename.get(y, names.get(y, y)) for y in ix), e) for a, ix, e in mine]
                walk(k + 1, c * x, factors + moved, {**bound, **inner}, t.over or over)

        walk(0, ONE, [], sizes, None)
        return self.form(out, result)

    def times(self, *forms: Form) -> Form:
        """The entrywise product of forms with the same axes (or none)."""
        axes = next((f.labels for f in forms if f.labels), ())
        return self.contract([(f, [x for x, _ in f.labels]) for f in forms], axes)

    def with_axes(self, f: Form, axes: Sequence[tuple[Label, Size]]) -> Form:
        """The same terms with more axes (constant along the new ones)."""
        return Form(tuple(axes), f.terms)

    def rename(self, f: Form, labels: Sequence[Label], out: Sequence[tuple[Label, Size]]) -> Form:
        return self.contract([(f, labels)], out)

    def sum_over(self, f: Form, label: Label, size: Size) -> Form:
        """The sum over a component index."""
        return self.contract([(f, [x for x, _ in f.labels])], f.labels, {label: size})

    # --------------------------------------------------------------------------------------------------------- functions
    def sizes_in(self, f: Form) -> dict[Label, Size]:
        """The free labels that occur in the terms, with their sizes (axes that do not occur are not needed)."""
        out: dict[Label, Size] = {}
        for t, _ in f.terms:
            for part in t.parts:
                for a, ix, _ in part:
                    for slot, x in enumerate(ix):
                        if x[0] != "#":
                            out[x] = a.slots[slot]
        return out

    def lift(self, kind: str, name: str, f: Form) -> Form:
        """A function of a form as one atom, with the slots in the order that gives the least argument."""
        f = self.counted(f)
        if any(t.over is not None for t, _ in f.terms):
            raise Unsupported("a function of a sum over time")
        labels = list(self.sizes_in(f).items())
        if len(labels) > 4:
            raise Unsupported("a function of more than four indices")
        choices = [(self._positional(f, order), order) for order in permutations(labels)]
        arg, order = min(choices, key=lambda c: (c[0].digest, c[1]))
        atom = Atom(kind, name, args=(arg,), slots=tuple(n for _, n in order))
        return self.of(atom, [x for x, _ in order], f.labels)

    def _positional(self, f: Form, order: Sequence[tuple[Label, Size]]) -> Form:
        place = {x: str(n) for n, (x, _) in enumerate(order)}
        out: Terms = {}
        for t, c in f.terms:
            factors, dummies = t.factors(self.fresh)
            moved = [(a, tuple(place.get(x, x) for x in ix), e) for a, ix, e in factors]
            for u, k in self.normal(moved, dummies, None).items():
                out[u] = out.get(u, Fraction(0)) + c * k
        return self.form([(place[x], n) for x, n in order], out)

    def argument(self, a: Atom, ix: Sequence[Label], axes: Sequence[tuple[Label, Size]] = (), which: int = 0) -> Form:
        """The argument of a function atom with its slots named again."""
        f = a.args[which]
        place = {str(n): x for n, x in enumerate(ix)}
        out: Terms = {}
        for t, c in f.terms:
            factors, dummies = t.factors(self.fresh)
            moved = [(b, tuple(place.get(x, x) for x in jx), e) for b, jx, e in factors]
            for u, k in self.normal(moved, dummies, None).items():
                out[u] = out.get(u, Fraction(0)) + c * k
        return self.form(axes, out)

    def apply(self, name: str, f: Form) -> Form:
        """An elementwise function of a form, in the basis."""
        if not is_unspecified(name):
            row = function(name)
            if f.is_zero and row.zero is not None:
                self.note("value at zero")
                return self.number(Fraction(row.zero), f.labels)
            special = elementary.SPECIAL.get(name)
            if special is not None:
                return special(self, f)
            if f.terms and f.terms[0][1] < 0 and row.parity in ("odd", "even", "complement"):
                self.note(row.parity)
                inner = self.apply(name, self.scale(-1, f))
                if row.parity == "even":
                    return inner
                negated = self.scale(-1, inner)
                return negated if row.parity == "odd" else self.add(self.number(1, f.labels), negated)
        return self.lift("f", name, f)

    def power(self, f: Form, n: int) -> Form:
        if n < 0:
            return self.recip(self.power(f, -n))
        out = self.number(1, f.labels)
        for _ in range(n):
            out = self.times(out, f)
        return out

    def recip(self, f: Form) -> Form:
        """1/f where f is not zero."""
        return elementary.recip(self, f)

    def exp_sum(self, f: Form, label: Label, size: Size) -> Form:
        """The sum of exp over one axis: Z(f), or a count when f does not vary."""
        rest = [(x, n) for x, n in f.labels if x != label]
        return self.contract([(self.apply("exp", f), [x for x, _ in f.labels])], rest)

    # ------------------------------------------------------------------------------------------- derivative, substitution
    def derivative(self, f: Form, s: Symbol, labels: Sequence[Label]) -> Form:
        """The derivative of f by the entries of ``s``, whose labels are ``labels`` (free); definitions are not looked into."""
        parts = [self._derivative_term(t, s, labels, f.labels) for t, _ in f.terms]
        out = [self.scale(c, d) for (_, c), d in zip(f.terms, parts, strict=True) if d is not None]
        return self.add(*out) if out else self.form(f.labels, {})

    def _derivative_term(self, t: Term, s: Symbol, labels: Sequence[Label], axes: Sequence[tuple[Label, Size]]) -> Form | None:
        if t.over is not None and s.time is not None:
            if all((u.name, u.kind) != (s.name, s.kind) for a, _, _ in t.flat() for u in a.symbols()):
                return None
            raise Unsupported("the derivative of a sum over time by a quantity of one step")
        factors, dummies = t.factors(self.fresh)
        free = {d: "~" + d[1:] for d in dummies}                    # dummies of the product count as free while one factor varies
        bound = {x: d for d, x in free.items()}
        factors = [(a, tuple(free.get(x, x) for x in ix), e) for a, ix, e in factors]
        total: Terms = {}
        for n, (a, ix, e) in enumerate(factors):
            inner = self._derivative_atom(a, ix, s, labels)
            if inner is None or inner.is_zero:
                continue
            rest = factors[:n] + ([(a, ix, e - 1)] if e != 1 else []) + factors[n + 1:]
            for u, c in inner.terms:
                more, own = u.factors(self.fresh)
                product = [(b, tuple(bound.get(x, x) for x in jx), k) for b, jx, k in rest + more]
                for v, k in self.normal(product, {**dummies, **own}, t.over).items():
                    total[v] = total.get(v, Fraction(0)) + e * c * k
        return self.form(axes, total) if total else None

    def _derivative_atom(self, a: Atom, ix: Sequence[Label], s: Symbol, labels: Sequence[Label]) -> Form | None:
        """d a[ix] / d s[labels] with every label free; None when a does not depend on s."""
        if a.kind == "v":
            if a.symbol != s:
                return None
            deltas: list[Factor] = [(Atom("d", slots=(n, n)), (x, y), 1) for x, y, n in zip(ix, labels, a.slots, strict=True)]
            return self.form((), self.normal(deltas, {}, None))
        if not any(s in f.symbols() for f in a.args):
            return None
        if a.kind == "f":
            u = self.argument(a, ix)
            argument, value = Value(self, u), Value(self, self.apply(a.name, u))
            slope = function(a.name).derivative(argument, value, lambda g, x: Value(self, self.apply(g, x.form)))
            return self.times(slope.form, self.derivative(u, s, labels))
        if a.kind in ("Z", "l"):
            along = f"%{next(self.fresh)[1:]}"
            u = self.argument(a, [along])
            inner = self.times(self.apply("exp", u), self.derivative(u, s, labels))
            out = self.sum_over(inner, along, a.args[0].labels[0][1])
            return out if a.kind == "Z" else self.times(out, self.power(self.of(Atom("Z", args=a.args), ()), -1))
        if a.kind == "F":
            return self._derivative_call(a, ix, s, labels)
        raise Unsupported("a second derivative of an unspecified vector function")

    def _derivative_call(self, a: Atom, ix: Sequence[Label], s: Symbol, labels: Sequence[Label]) -> Form:
        """The chain rule for an unspecified vector function: its Jacobian by each argument times the derivative of that."""
        parts = []
        for k, arg in enumerate(a.args):
            inputs = [(f"%{next(self.fresh)[1:]}", n) for _, n in arg.labels]
            jac = Atom("J", f"{a.name}|{k}", args=a.args, slots=(*a.slots, *(n for _, n in inputs)))
            inner = self.derivative(self.argument(a, [x for x, _ in inputs], which=k), s, labels)
            product = self.times(self.of(jac, [*ix, *(x for x, _ in inputs)]), inner)
            for axis in inputs:
                product = self.sum_over(product, *axis)
            parts.append(product)
        return self.add(*parts)

    def substitute(self, f: Form, values: Mapping[Symbol, Form]) -> Form:
        """Replace symbols by forms whose axes are the slots of the symbol."""
        if not any(s in values for s in f.symbols()):
            return f

        def change(a: Atom) -> Form | None:
            value = values.get(a.symbol) if a.symbol is not None else None
            return None if value is None else self._on_slots(value, a)
        return self.rebuild(f, change, {})

    def retime(self, f: Form, move: Callable[[Time], Time]) -> Form:
        """Move every time index (that of a sum over time is written ``#``); also where a step stands as a number."""
        def change(a: Atom) -> Form | Atom | None:
            s = a.symbol
            if s is not None and s.time is not None:
                to = move(s.time)
                if to == s.time:
                    return a if self.zero(s) or self.one(s) else None              # a fact may hold now that did not when the form was made
                return Atom(a.kind, a.name, Symbol(s.name, s.shape, s.kind, to), a.args, a.slots)
            if a.kind == "n" and a.name.startswith(STEP):
                t = Time(a.name[len(STEP):])
                to = move(t)
                return None if to == t else self.position(to)
            return None
        return self.rebuild(f, change, {}, lambda over: (move(over[0]), move(over[1])))

    def shift(self, f: Form, k: int, base: str = "t") -> Form:
        """The form k steps later."""
        return self.retime(f, lambda x: x + k if x.base == base else x) if k else f

    def place(self, f: Form, base: str, at: Time) -> Form:
        """The form with ``at`` in the place of the step ``base``."""
        return self.retime(f, lambda x: at + x.offset if x.base == base else x)

    def rebuild(self, f: Form, change: Change, memo: dict[Atom, Form | Atom | None],
                range_: Callable[[Range], Range] = lambda over: over) -> Form:
        """Replace atoms by others or by forms on their slots (None: unchanged); functions are applied afresh to what changed."""
        kept: Terms = {}
        pieces: list[Form] = []
        axes = [*f.labels, *((x, n) for x, n in self.sizes_in(f).items() if (x, n) not in f.labels)]
        for t, c in f.terms:
            over = range_(t.over) if t.over else None
            new = {a: self._rebuilt(a, change, memo) for part in t.parts for a, _, _ in part}
            if not any(new.values()):
                moved = Term(t.parts, over)
                kept[moved] = kept.get(moved, Fraction(0)) + c
                continue
            factors, dummies = t.factors(self.fresh)
            if not any(isinstance(b, Form) for b in new.values()):
                for u, k in self.normal([(new[a] or a, ix, e) for a, ix, e in factors], dummies, over).items():  # type: ignore[misc]
                    kept[u] = kept.get(u, Fraction(0)) + c * k
                continue
            parts: list[tuple[Form, Sequence[Label]]] = [(self.form((), {Term((), over): c}), ())]
            for a, ix, e in factors:
                b = new[a]
                parts.append((self.power(b, e) if isinstance(b, Form) else self._alone(b or a, e), ix))
            pieces.append(self.contract(parts, axes, dummies))
        return self.add(self.form(f.labels, kept), *pieces)

    def _rebuilt(self, a: Atom, change: Change, memo: dict[Atom, Form | Atom | None]) -> Form | Atom | None:
        if a not in memo:
            memo[a] = None
            if a.args:
                args = [self.rebuild(g, change, memo) for g in a.args]
                if any(x is not y and x != y for x, y in zip(args, a.args, strict=True)):
                    memo[a] = self._again(a, args)
            else:
                memo[a] = change(a)
        return memo[a]

    def _again(self, a: Atom, args: Sequence[Form]) -> Form:
        """The function of an atom, applied to new arguments; its axes are the slots of the atom."""
        if a.kind in ("Z", "l"):
            total = self.exp_sum(args[0], *args[0].labels[0])
            return total if a.kind == "Z" else self.apply("log", total)
        if a.kind == "f":
            return self._on_slots(self.apply(a.name, args[0]), a)
        return self._alone(Atom(a.kind, a.name, args=tuple(args), slots=a.slots), 1)

    def _slots(self, a: Atom) -> list[tuple[Label, Size]]:
        return [(f"%{n}", size) for n, size in enumerate(a.slots)]

    def _on_slots(self, f: Form, a: Atom) -> Form:
        """A form whose axes are renamed to the slots of an atom."""
        slots = self._slots(a)
        return self.rename(f, [x for x, _ in slots], slots)

    def _alone(self, a: Atom, e: int) -> Form:
        slots = self._slots(a)
        return self.form(slots, self.normal([(a, tuple(x for x, _ in slots), e)], {}, None))
