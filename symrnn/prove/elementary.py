"""Elementary functions of normal forms: functions with rules of their own, reciprocals, arithmetic of the function table.

The rules are rows of :data:`symrnn.prove.forms.REWRITES`. A reciprocal is taken where its argument is not zero; that of a form
that is zero by construction, or of Kronecker's delta, is refused.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import gcd
from typing import TYPE_CHECKING

from symrnn.expr import Size
from symrnn.prove.claim import Unsupported
from symrnn.prove.forms import Atom, Factor, Form, Label, Term

if TYPE_CHECKING:
    from symrnn.prove.algebra import Algebra

Terms = dict[Term, Fraction]


class Value:
    """Arithmetic of the function table on forms: every product is entrywise."""

    def __init__(self, algebra: Algebra, form: Form) -> None:
        self.algebra, self.form = algebra, form

    def _lift(self, other: Value | int) -> Form:
        return other.form if isinstance(other, Value) else self.algebra.number(other, self.form.labels)

    def __add__(self, other: Value | int) -> Value:
        return Value(self.algebra, self.algebra.add(self.form, self._lift(other)))

    __radd__ = __add__

    def __sub__(self, other: Value | int) -> Value:
        return Value(self.algebra, self.algebra.subtract(self.form, self._lift(other)))

    def __rsub__(self, other: int) -> Value:
        return Value(self.algebra, self.algebra.subtract(self._lift(other), self.form))

    def __neg__(self) -> Value:
        return Value(self.algebra, self.algebra.scale(-1, self.form))

    def __mul__(self, other: Value | int) -> Value:
        if isinstance(other, int):
            return Value(self.algebra, self.algebra.scale(other, self.form))
        return Value(self.algebra, self.algebra.times(self.form, other.form))

    __rmul__ = __mul__


# ------------------------------------------------------------------------------------------------------------- reciprocals
def recip(A: Algebra, f: Form) -> Form:
    """1/f where f is not zero."""
    f = A.counted(f)
    if f.is_zero:
        raise Unsupported("a division by zero")
    if len(f.terms) == 1:
        (t, c), = f.terms
        if t.over is not None:
            raise Unsupported("a division by a sum over time")
        out = A.number(1 / c, f.labels)
        for part in t.parts:
            out = A.times(out, _recip_part(A, part, f.labels))
        return out
    lead = f.terms[0][1]
    f = A.scale(1 / lead, f)
    found = _recip_pair(A, f)
    return A.scale(1 / lead, found if found is not None else A.lift("f", "recip", f))


def _recip_part(A: Algebra, part: Sequence[Factor], axes: Sequence[tuple[Label, Size]]) -> Form:
    if any(a.kind == "d" for a, _, _ in part):
        raise Unsupported("a division by Kronecker's delta, which is zero somewhere")
    if any(x[0] == "#" for _, ix, _ in part for x in ix):
        return A.lift("f", "recip", A.form(axes, A.normal(*Term((tuple(part),)).factors(A.fresh), None)))
    out = A.number(1, axes)
    for a, ix, e in part:
        if a.kind == "f" and a.name == "sigmoid":
            A.note("reciprocal of sigmoid")
            u = A.argument(a, ix, axes)
            inverse = A.add(A.number(1, axes), A.apply("exp", A.scale(-1, u)))
            out = A.times(out, A.power(inverse, e))
        elif a.kind == "f" and a.name == "recip":
            out = A.times(out, A.power(A.argument(a, ix, axes), e))
        else:
            out = A.times(out, A.form(axes, A.normal([(a, ix, -e)], {}, None)))
    return out


def _recip_pair(A: Algebra, f: Form) -> Form | None:
    """1/(1 + exp(u)) = sigmoid(-u) and 1/(1 - sigmoid(u)) = 1 + exp(u)."""
    found = one_plus(f)
    if found is None:
        return None
    c, a, ix, e = found
    u = A.argument(a, ix, f.labels)
    if a.name == "exp" and c == 1:
        A.note("reciprocal of sigmoid")
        return A.apply("sigmoid", A.scale(-e, u))
    if a.name == "sigmoid" and c == -1 and e == 1:
        A.note("reciprocal of sigmoid")
        return A.add(A.number(1, f.labels), A.apply("exp", u))
    return None


def one_plus(f: Form) -> tuple[Fraction, Atom, tuple[Label, ...], int] | None:
    """Whether the form is 1 + c a^e with one function atom a."""
    rest = [(t, c) for t, c in f.terms if t.parts]
    if len(f.terms) != 2 or len(rest) != 1 or dict(f.terms).get(Term(())) != 1:
        return None
    (t, c), = rest
    if len(t.parts) != 1 or len(t.parts[0]) != 1 or t.over is not None:
        return None
    a, ix, e = t.parts[0][0]
    return (c, a, ix, e) if a.kind == "f" and all(x[0] != "#" for x in ix) else None


# --------------------------------------------------------------------------------------------- functions with rules of their own
def _exp(A: Algebra, f: Form) -> Form:
    """exp(c P) = exp(P/d)^n for the content c = n/d; log-sum-exp and logarithms in the argument come out as factors."""
    if not f.terms:
        return A.number(1, f.labels)
    outside: list[tuple[Factor, int]] = []
    inside: Terms = {}
    for t, c in f.terms:
        single = t.parts[0][0] if len(t.parts) == 1 and len(t.parts[0]) == 1 and t.over is None else None
        if single is not None and c.denominator == 1 and single[2] == 1 and all(x[0] != "#" for x in single[1]) and (
                single[0].kind == "l" or (single[0].kind == "f" and single[0].name == "log")):
            outside.append((single, int(c)))
        else:
            inside[t] = c
    out = A.number(1, f.labels)
    for (a, ix, _), n in outside:
        A.note("log of exp")
        base = A.of(Atom("Z", args=a.args), ()) if a.kind == "l" else A.argument(a, ix, f.labels)
        out = A.times(out, A.power(base, n))
    g = A.form(f.labels, inside)
    if g.is_zero:
        return out
    top, bottom = 0, 1
    for _, c in g.terms:
        top, bottom = gcd(top, c.numerator), bottom * c.denominator // gcd(bottom, c.denominator)
    n = top if g.terms[0][1] > 0 else -top
    if n < 0:
        A.note("reciprocal")
    unit = A.scale(Fraction(1, n), g)
    (t, _), = A.lift("f", "exp", unit).terms
    (a, ix, _), = t.parts[0]
    return A.times(out, A.form(f.labels, A.normal([(a, ix, n)], {}, None)))


def _log(A: Algebra, f: Form) -> Form:
    """Logarithms of products of positive atoms, of sigmoids and their complements."""
    if f.is_zero:
        raise Unsupported("the logarithm of zero")
    pair = one_plus(f)
    if pair is not None:
        c, a, ix, e = pair
        u = A.argument(a, ix, f.labels)
        if a.name == "exp" and c == 1:
            A.note("softplus")
            return A.apply("softplus", A.scale(e, u))
        if a.name == "sigmoid" and c == -1 and e == 1:
            A.note("softplus")
            return A.scale(-1, A.apply("softplus", u))
    if len(f.terms) == 1:
        (t, c), = f.terms
        flat = [x for part in t.parts for x in part]
        positive = all(_is_positive(a) and all(x[0] != "#" for x in ix) for a, ix, _ in flat)
        if c > 0 and t.over is None and flat and positive:
            A.note("log of exp")
            out = A.form(f.labels, {}) if c == 1 else A.lift("f", "log", A.number(c, f.labels))
            for a, ix, e in flat:
                out = A.add(out, A.scale(e, _log_atom(A, a, ix, f)))
            return out
        if c == 1 and not flat:
            return A.form(f.labels, {})
    return A.lift("f", "log", f)


def _is_positive(a: Atom) -> bool:
    return a.kind in ("Z", "n") or (a.kind == "f" and a.name in ("exp", "sigmoid", "cosh"))


def _log_atom(A: Algebra, a: Atom, ix: Sequence[Label], f: Form) -> Form:
    if a.kind == "Z":
        A.note("log-sum-exp")
        return A.of(Atom("l", args=a.args), (), f.labels)
    if a.kind == "f" and a.name == "exp":
        return A.argument(a, ix, f.labels)
    if a.kind == "f" and a.name == "sigmoid":
        A.note("softplus")
        u = A.argument(a, ix, f.labels)
        return A.subtract(u, A.apply("softplus", u))
    return A.lift("f", "log", A.of(a, ix, f.labels))


def _softplus(A: Algebra, f: Form) -> Form:
    if f.terms and f.terms[0][1] < 0:
        A.note("softplus")
        return A.add(A.lift("f", "softplus", A.scale(-1, f)), f)
    return A.lift("f", "softplus", f)


def _step(A: Algebra, f: Form) -> Form:
    """step(c P) = step(P) for c > 0: the factor is the size of the first coefficient; and step(relu(P)) = step(P)."""
    size = abs(f.terms[0][1])
    if size != 1:
        A.note("positive factor")
    f = A.scale(1 / size, f)
    for a, ix, _ in f.terms[0][0].flat():
        if a.kind == "f" and a.name == "step" and all(x[0] != "#" for x in ix):
            inner = A.argument(a, ix, f.labels)
            if A.subtract(A.times(inner, A.lift("f", "step", inner)), f).is_zero:
                A.note("step of relu")
                return A.lift("f", "step", inner)
    return A.lift("f", "step", f)


def _relu(A: Algebra, f: Form) -> Form:
    A.note("relu")
    return A.times(f, A.apply("step", f))


SPECIAL: dict[str, Callable[[Algebra, Form], Form]] = {
    "id": lambda A, f: f, "recip": recip, "exp": _exp, "log": _log, "softplus": _softplus, "relu": _relu, "step": _step,
}
