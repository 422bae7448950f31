"""Every rewrite of the normal form is proved on its own, and a corrupted one is caught.

Each row has cases: two expressions that the rewrite makes one normal form, equal in 50 digits at many points by loops that know
no rewrite. Rows about functions of one variable are proved by SymPy as well: written with exponentials, the difference cancels.
"""
from __future__ import annotations
import __future__

import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import pytest
import sympy
from loops import Table, World, evaluate, far, form_table, mpf

from symrnn.expr import (
    Expr,
    Index,
    Symbol,
    Time,
    apply,
    delta,
    diag,
    entry,
    eye,
    had,
    index_sum,
    lift,
    log_sum_exp,
    node,
    ones,
    scale,
    smul,
    softmax,
    symbol,
    total,
)
from symrnn.model import Model
from symrnn.prove import elementary
from symrnn.prove.algebra import Algebra
from symrnn.prove.claim import Claim, Condition, Unsupported
from symrnn.prove.forms import REWRITES
from symrnn.prove.identity import Prover
from symrnn.prove.lower import Lowering
from symrnn.prove.product import Products

EXACT = mpf(10) ** -30
u, v = symbol("u"), symbol("v")
o, a, y = symbol("o", ("n", 1)), symbol("a", ("n", 1)), symbol("y", ("n", 1), "target")
W = symbol("W", ("n", "m"))
i, j, k = Index("i", "n"), Index("j", "n"), Index("k", "m")
last = symbol("last", time=Time("T"))
EMPTY = Model.build("none", [])


def f(name: str, e: Expr) -> Expr:
    return apply(name, e)


def s(e: Expr) -> Expr:
    return f("sigmoid", e)


def e_(e: Expr) -> Expr:
    return f("exp", e)


@dataclass(frozen=True)
class Case:
    """Two expressions that are equal by a rewrite, and what must be known of their symbols."""

    left: Expr
    right: Expr
    simplex: frozenset[str] = frozenset()
    zero: frozenset[str] = frozenset()
    one: frozenset[str] = frozenset()
    positive: frozenset[str] = frozenset()

    def algebra(self) -> Algebra:
        return Algebra(self.simplex, lambda x: x.name in self.zero, one=lambda x: x.name in self.one)


def known(left: Expr, right: Expr, **facts: str) -> Case:
    return Case(left, right, **{name: frozenset(words.split()) for name, words in facts.items()})


CASES: dict[str, list[Case]] = {
    "delta": [
        known(index_sum(j, delta(i, j) * entry(a, j)), entry(a, i)), known(index_sum(j, delta(i, j)), lift(1)),
        known(delta(i, j) * entry(a, j), delta(i, j) * entry(a, i)), known(node("matmul", eye("n"), W), W),
        known(index_sum(j, index_sum(k, delta(i, j) * entry(W, j, k))), index_sum(k, entry(W, i, k))),
        known(delta(i, j) * f("tanh", entry(W, i, k)), delta(i, j) * f("tanh", entry(W, j, k))),
        known(delta(i, j) ** 3, delta(i, j)), known(diag(a) @ o, a * o)
    ],
    "power": [
        known(had(a ** 2, a ** 3), a ** 5), known(had(a ** 3, f("recip", a)), a ** 2), known(u ** (-2) * u ** 3, u),
        known(u * u ** (-1), lift(1))
    ],
    "step": [
        known(f("step", a) ** 3, f("step", a)), known(had(f("step", u), f("step", u)), f("step", u))
    ],
    "positive factor": [
        known(f("step", 3 * a), f("step", a)), known(f("step", u / 2 - v), f("step", u - 2 * v)), known(f("step", -2 * u), f("step", -u)),
        known(f("relu", 2 * u), 2 * f("relu", u)),
    ],
    "step of relu": [
        known(f("step", f("relu", a)), f("step", a)), known(f("step", f("relu", u - 2 * v)), f("step", u - 2 * v)),
        known(f("relu", f("relu", 3 * u)), 3 * f("relu", u)),
    ],
    "simplex": [
        known(total(y), lift(1), simplex="y"), known(index_sum(i, entry(y, i) * u), u, simplex="y"),
        known(y.T @ ones(("n", 1)), lift(1), simplex="y"), known(total(y) ** 2, total(y), simplex="y")
    ],
    "count": [
        known(total(ones(("n", 1))), node("size", attr="n")), known(index_sum(k, u), node("size", attr="m") * u),
        known(total(ones(("n", "m"))), node("size", attr="n") * node("size", attr="m")),
        known(index_sum(Index("b", 2), u), 2 * u)
    ],
    "partition": [
        known(total(e_(o)), e_(log_sum_exp(o))), known(total(e_(-2 * o)), e_(log_sum_exp(-2 * o))),
        known(index_sum(j, f("recip", e_(entry(o, j)))), e_(log_sum_exp(-o))),
        known(total(e_(o) ** 3), e_(log_sum_exp(3 * o)))
    ],
    "softmax": [
        known(softmax(o), e_(o) * f("recip", total(e_(o)))), known(total(softmax(o)), lift(1)),
        known(softmax(-o), e_(-o) * f("recip", total(e_(-o))))
    ],
    "log-sum-exp": [
        known(f("log", total(e_(o))), log_sum_exp(o)), known(f("log", softmax(o)), o - log_sum_exp(o) * ones(("n", 1))),
        known(f("log", total(e_(-o)) ** 2), 2 * log_sum_exp(-o))
    ],
    "log of exp": [
        known(f("log", e_(u)), u), known(f("log", e_(u) * s(v)), u + f("log", s(v))), known(e_(f("log", u)), u, positive="u"),
        known(e_(2 * log_sum_exp(o) - u), total(e_(o)) ** 2 * e_(-u)),
        known(f("log", f("cosh", u) ** 2 * 3), 2 * f("log", f("cosh", u)) + f("log", lift(3)))
    ],
    "relu": [
        known(f("relu", a), a * f("step", a)), known(f("relu", -u), -u * f("step", -u))
    ],
    "odd": [known(f(name, -a), -f(name, a)) for name in ("tanh", "sin", "sinh")] + [known(f("tanh", v - u), -f("tanh", u - v))],
    "even": [known(f(name, -a), f(name, a)) for name in ("cos", "cosh")],
    "complement": [
        known(s(-a), 1 - s(a)), known(s(v - u), 1 - s(u - v))
    ],
    "reciprocal": [
        known(e_(-u), f("recip", e_(u))), known(e_(-2 * u), e_(u) ** (-2)), known(e_(v - u) * e_(u - v), lift(1)),
        known(e_(2 * u - 4 * v), e_(u - 2 * v) ** 2)
    ],
    "softplus": [
        known(f("softplus", -u), f("softplus", u) - u), known(f("log", s(u)), u - f("softplus", u)),
        known(f("log", 1 - s(u)), -f("softplus", u)), known(f("log", 1 + e_(u)), f("softplus", u)),
        known(f("log", 1 + e_(-u)), f("softplus", -u)), known(f("log", 1 + e_(u) ** 2), f("softplus", 2 * u))
    ],
    "sigmoid and exp": [
        known(s(u) * e_(u), e_(u) - s(u)), known(s(u) * e_(-u), 1 - s(u)), known(s(u) ** 2 * e_(u), e_(u) - s(u) - s(u) ** 2),
        known(s(u) * e_(3 * u), e_(3 * u) - e_(2 * u) + e_(u) - s(u)), known(s(u) ** 2 * e_(-2 * u), (1 - s(u)) ** 2)
    ],
    "reciprocal of sigmoid": [
        known(f("recip", s(u)), 1 + e_(-u)), known(f("recip", 1 - s(u)), 1 + e_(u)), known(f("recip", 1 + e_(-u)), s(u)),
        known(f("recip", 1 + e_(u) ** 2), s(-2 * u)), known(f("recip", 2 + 2 * e_(u)), scale(1, s(-u)) * lift(1) / lift(2)),
        known(s(u) ** (-2), (1 + e_(-u)) ** 2)
    ],
    "value at zero": [
        *(known(f(name, 0 * u), lift(0)) for name in ("tanh", "sin", "sinh", "relu", "step", "id")),
        *(known(f(name, 0 * u), lift(1)) for name in ("cos", "cosh", "exp")), known(s(u - u), 1 / lift(2)),
    ],
    "clearing denominators": [
        known((1 + u) * f("recip", u + v) - u * f("recip", u + v), f("recip", u + v)),
        known(u * f("recip", u + v) + v * f("recip", u + v), lift(1)), known(f("recip", u + v) * (u ** 2 - v ** 2), u - v)
    ],
    "zero": [
        known(W.T @ a + total(o) * ones(("m", 1)), total(o) * ones(("m", 1)), zero="a"),
        known(f("tanh", u + v), f("tanh", u), zero="v"), known(smul(u, softmax(a + o)), smul(u, softmax(o)), zero="a")
    ],
    "one": [
        known(last * u, u, one="last"), known(smul(last ** 2, o), o, one="last"), known(f("tanh", last * u), f("tanh", u), one="last"),
    ],
}

#: Where a rewrite looks as if it applied and does not.
TRAPS = [
    known(x, x, simplex="y")
    for x in (total(y**2), y.T @ o, total(y) * total(o), total(f("recip", y)), index_sum(i, entry(y, i) * u**2))
] + [
    known(x, x) for x in (
        total(y), f("recip", 3 * u), f("recip", 2 + e_(u)), f("log", 2 + e_(u)), f("log", 1 + 2 * e_(u)), f("recip", 1 + s(u)),
        f("recip", 1 - s(u) ** 2), f("log", 1 - s(u) ** 2), e_(o).T @ a, total(e_(o) ** 2), had(s(a), e_(o)), s(2 * u) * e_(u),
        f("tanh", a) ** 2, total(f("relu", o)), f("step", -f("relu", u)), f("step", u + f("relu", u)), f("step", v * f("step", u)),
        f("step", 1 + f("step", u)), f("log", 3 * e_(u)), f("tanh", f("cos", -u)), delta(i, j) * entry(a, i),
        index_sum(j, (1 - delta(i, j)) * entry(a, j)), delta(1, i) * entry(a, i), e_(o) * e_(-2 * log_sum_exp(o)))
]

WORLDS = [World(sizes, seed=n, indices={"i": p, "j": q, "k": 0}) for n, (sizes, p, q) in enumerate([
    ({"n": 2, "m": 3}, 0, 1), ({"n": 2, "m": 2}, 1, 1), ({"n": 1, "m": 1}, 0, 0)])]
H = mpf(10) ** -18


def points(case: Case) -> list[World]:
    return [replace(w, simplex=case.simplex, zero=case.zero, one=case.one, positive=case.positive) for w in WORLDS]


@cache
def truth(case: Case) -> tuple[list[Table], list[Table]]:
    """The values of both sides at every point, by loops."""
    left, right = ([evaluate(w, e) for w in points(case)] for e in (case.left, case.right))
    return left, right


@cache
def slope(case: Case, e: Expr, x: Symbol) -> list[Table]:
    """The derivative of a side by the last entry of a symbol, by central differences."""
    out = []
    for w in points(case):
        r, c = (w.size(n) - 1 for n in x.shape)
        up, down = (evaluate(replace(w, moved={(x.name, x.kind, None): (r, c, y)}), e) for y in (H, -H))
        out.append([[(p - q) / (2 * H) for p, q in zip(m, n, strict=True)] for m, n in zip(up, down, strict=True)])
    return out


def holds(case: Case) -> bool:
    """The identity itself, in numbers."""
    return all(far(a, b) < EXACT for a, b in zip(*truth(case), strict=True))


def faithful(case: Case) -> bool:
    """Both normal forms have the values of their expressions."""
    lower = Lowering(case.algebra())
    return all(far(value, form_table(w, lower(e), e.shape)) < EXACT
               for e, values in zip((case.left, case.right), truth(case), strict=True)
               for w, value in zip(points(case), values, strict=True))


def slopes(case: Case) -> bool:
    """The derivatives of the normal form are those of central differences."""
    lower = Lowering(case.algebra())
    for e in dict.fromkeys((case.left, case.right)):
        form = lower(e)
        for x in sorted({x for x in form.symbols() if x.name not in case.simplex | case.zero | case.one}):
            labels = [label for label, n in zip(("@dr", "@dc"), x.shape, strict=True) if n != 1]
            d = lower.algebra.derivative(form, x, labels)
            for w, want in zip(points(case), slope(case, e, x), strict=True):
                r, c = (w.size(n) - 1 for n in x.shape)
                if not far(want, form_table(replace(w, indices={**w.indices, "dr": r, "dc": c}), d, e.shape)) < mpf(10) ** -20:
                    return False
    return True


EVERY = [pytest.param(name, case, id=f"{name}: {case.left} = {case.right}"[:80])
         for name, cases in CASES.items() for case in cases]


def test_every_rewrite_has_a_case_and_every_case_a_rewrite():
    assert set(CASES) == set(REWRITES)
    assert all(CASES.values())


@pytest.mark.parametrize("name, case", EVERY)
def test_every_rewrite_holds_in_50_digits(name, case):
    assert holds(case)
    assert faithful(case)


@pytest.mark.parametrize("name, case", EVERY)
def test_every_rewrite_has_the_derivatives_of_central_differences(name, case):
    assert slopes(case)


@pytest.mark.parametrize("name, case", EVERY)
def test_every_rewrite_makes_its_two_sides_one(name, case):
    assert proof_of(case) is not None


@pytest.mark.parametrize("name", CASES)
def test_a_proof_names_the_rewrites_that_take_part_in_it(name):
    assert any(name in proof_of(case).rules for case in CASES[name])
    assert name not in proof_of(known(u + v, v + u)).rules


def proof_of(case: Case):
    facts = [Condition("simplex", (x,)) for x in case.simplex] + [Condition("zero", (x,)) for x in case.zero]
    facts += [Condition("at-end", (x,)) for x in case.one]
    return Prover(Claim(case.left, case.right, EMPTY, conditions=tuple(facts))).prove()


def test_every_rewrite_that_is_named_anywhere_is_a_row():
    from symrnn.prove import algebra, identity, lower, product
    texts = [inspect.getsource(m) for m in (algebra, elementary, identity, lower, product)]
    noted = {part.split('"')[0] for text in texts for part in text.split('note("')[1:]}
    assert noted == set(REWRITES) - {"odd", "even", "complement"}   # those three are noted by the name of the parity


# ------------------------------------------------------------------------------------------------------- SymPy: one variable
x = sympy.Symbol("x", real=True)
E = sympy.Symbol("E", positive=True)                               # exp(x)
SIGMOID = 1 / (1 + sympy.exp(-x))
IDENTITIES = {
    "complement": [(SIGMOID.subs(x, -x), 1 - SIGMOID)],
    "reciprocal": [(sympy.exp(-x), 1 / sympy.exp(x))],
    "sigmoid and exp": [(SIGMOID * sympy.exp(x), sympy.exp(x) - SIGMOID), (SIGMOID * sympy.exp(-x), 1 - SIGMOID)],
    "reciprocal of sigmoid": [(1 / SIGMOID, 1 + sympy.exp(-x)), (1 / (1 - SIGMOID), 1 + sympy.exp(x)),
                              (1 / (1 + sympy.exp(-x)), SIGMOID)],
    "odd": [(g(-x), -g(x)) for g in (sympy.tanh, sympy.sin, sympy.sinh)],
    "even": [(g(-x), g(x)) for g in (sympy.cos, sympy.cosh)],
    "softplus": [(sympy.exp(sympy.log(1 + sympy.exp(-x))), sympy.exp(sympy.log(1 + sympy.exp(x)) - x)),
                 (sympy.exp(sympy.log(SIGMOID)), sympy.exp(x - sympy.log(1 + sympy.exp(x)))),
                 (sympy.exp(sympy.log(1 - SIGMOID)), sympy.exp(-sympy.log(1 + sympy.exp(x))))],
}


@pytest.mark.parametrize("name", IDENTITIES)
def test_rewrites_of_one_variable_cancel_when_written_with_exponentials(name):
    for left, right in IDENTITIES[name]:
        difference = (left - right).rewrite(sympy.exp).subs(sympy.exp(-x), 1 / E).subs(sympy.exp(x), E)
        assert sympy.cancel(sympy.together(difference)) == 0


# ----------------------------------------------------------------------------------------------------------- corrupted rewrites
def corrupt(monkeypatch: pytest.MonkeyPatch, owner: object, name: str, old: str, new: str) -> None:
    """Replace one text in a function of the package."""
    function = getattr(owner, name)
    source = textwrap.dedent(inspect.getsource(function))
    assert source.count(old) == 1, f"{name} has no longer exactly one {old!r}"
    scope = dict(function.__globals__)
    exec(compile(source.replace(old, new), name, "exec", __future__.annotations.compiler_flag), scope)
    monkeypatch.setattr(owner, name, scope[name])
    for key, value in elementary.SPECIAL.items():
        if value is function:
            monkeypatch.setitem(elementary.SPECIAL, key, scope[name])


CORRUPT = [
    (Products, "_split", "(-1, product(e, second))", "(1, product(e, second))"),
    (Products, "_split", "(b, b - 1) if b > 0", "(b - 1, b - 1) if b > 0"),
    (Products, "_split", "else (b + 1, b + 1)", "else (b + 2, b + 1)"),
    (Products, "_closed_sums", "self.scale(e, a.args[0])", "a.args[0]"),
    (Products, "_closed_sums", "self.scale(e, a.args[0])", "self.scale(-e, a.args[0])"),
    (Products, "_closed_sums", "and e == 1", ""),
    (Products, "_closed_sums", "and a.symbol.name in self.simplex", ""),
    (Products, "_closed_sums", "if len(at) != 1:", "if False:"),
    (Products, "_deltas", "return True, [*swapped, factors[n]]", "return True, swapped"),
    (Products, "_deltas", "return True, swapped\n", "return True, rest\n"),
    (Products, "_deltas", "(i[0] == j[0] == \"=\")", "(i[0] == j[0] == \"@\")"),
    (Products, "_counts", "number *= size", "number += size"),
    (Products, "_counts", "factors.append((Atom(\"n\", size), (), 1))", "pass"),
    (Products, "_exponent", "e > 1 and a.kind == \"f\" and function(a.name).idempotent", "e > 1 and a.kind == \"f\""),
    (Products, "_settle", "merged[a, ix] = had + e", "merged[a, ix] = max(had, e)"),
    (elementary, "_recip_pair", "A.scale(-e, u)", "A.scale(e, u)"),
    (elementary, "_recip_pair", "A.apply(\"exp\", u)", "A.apply(\"exp\", A.scale(-1, u))"),
    (elementary, "_recip_part", "A.apply(\"exp\", A.scale(-1, u))", "A.apply(\"exp\", u)"),
    (elementary, "_recip_part", "A.power(inverse, e)", "inverse"),
    (elementary, "_recip_part", "(a, ix, -e)", "(a, ix, e)"),
    (elementary, "recip", "A.number(1 / c, f.labels)", "A.number(c, f.labels)"),
    (elementary, "recip", "f = A.scale(1 / lead, f)", "pass"),
    (elementary, "one_plus", "!= 1:\n        return None\n    (t, c), = rest",
     "is None:\n        return None\n    (t, c), = rest"),
    (elementary, "_exp", "A.power(base, n)", "base"),
    (elementary, "_exp", "[(a, ix, n)]", "[(a, ix, abs(n))]"),
    (elementary, "_log", "A.scale(e, _log_atom(A, a, ix, f))", "_log_atom(A, a, ix, f)"),
    (elementary, "_log", "A.form(f.labels, {}) if c == 1 else A.lift(\"f\", \"log\", A.number(c, f.labels))",
     "A.form(f.labels, {})"),
    (elementary, "_log", "A.scale(e, u)", "u"),
    (elementary, "_log", "A.scale(-1, A.apply(\"softplus\", u))", "A.apply(\"softplus\", u)"),
    (elementary, "_log_atom", "A.subtract(u, A.apply(\"softplus\", u))", "A.subtract(A.apply(\"softplus\", u), u)"),
    (elementary, "_softplus", "A.add(A.lift(\"f\", \"softplus\", A.scale(-1, f)), f)",
     "A.lift(\"f\", \"softplus\", A.scale(-1, f))"),
    (elementary, "_relu", "A.times(f, A.apply(\"step\", f))", "f"),
    (elementary, "_step", "abs(f.terms[0][1])", "f.terms[0][1]"),
    (Algebra, "apply", "if row.parity == \"odd\" else self.add(self.number(1, f.labels), negated)", ""),
    (Algebra, "apply", "if row.parity == \"even\":\n", "if row.parity:\n"),
    (Algebra, "apply", "Fraction(row.zero)", "Fraction(0)"),
    (Algebra, "_derivative_term", "e * c * k", "c * k"),
    (Algebra, "_derivative_term", "[(a, ix, e - 1)] if e != 1 else []", "[(a, ix, e)]"),
    (Algebra, "_derivative_term", "factors[n + 1:]", "[]"),
    (Algebra, "_derivative_atom", "if a.kind == \"Z\" else", "if a.kind else"),
    (Algebra, "_derivative_atom", "self.times(slope.form, self.derivative(u, s, labels))", "slope.form"),
]


ALL = [*(c for group in CASES.values() for c in group), *TRAPS]


@pytest.mark.parametrize("case", TRAPS, ids=lambda c: str(c.left)[:60])
def test_what_only_looks_like_a_rewrite_is_left_alone(case):
    assert faithful(case) and slopes(case)


@pytest.mark.parametrize("owner, name, old, new", CORRUPT, ids=[f"{c[1]}: {c[3]}"[:60] for c in CORRUPT])
@pytest.mark.slow
def test_a_corrupted_rewrite_is_caught(monkeypatch, owner, name, old, new):
    corrupt(monkeypatch, owner, name, old, new)

    def stands(check: Callable[[Case], bool], case: Case) -> bool:
        try:
            return check(case)
        except (Unsupported, ZeroDivisionError, ValueError, StopIteration, RecursionError, TypeError, AssertionError, KeyError):
            return False
    assert not all(stands(faithful, c) for c in ALL) or not all(stands(slopes, c) for c in ALL)


def test_the_sum_of_a_vector_that_is_no_simplex_is_not_one():
    assert Prover(Claim(total(y), lift(1), EMPTY)).prove() is None
    assert Prover(Claim(total(y), lift(1), EMPTY, conditions=(Condition("simplex", ("o",)),))).prove() is None
    wrong = Case(total(y), lift(1))
    assert not holds(wrong)
    lower = Lowering(Algebra({"y"}))
    assert not all(far(evaluate(w, total(y)), form_table(w, lower(total(y)), (1, 1))) < EXACT for w in points(wrong))


def test_a_symbol_that_is_not_zero_is_not_dropped():
    lower = Lowering(Algebra(zero=lambda t: t.name == "v"))
    assert not all(far(evaluate(w, u + v), form_table(w, lower(u + v), (1, 1))) < EXACT for w in WORLDS)
    assert isinstance(u.attr, Symbol)
