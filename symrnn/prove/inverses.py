"""Proofs with inverses and exponentials of matrices: brought to one form, they are unknown matrices for the normal form.

The rules hold where the inverses on their left exist: (c A)^(-1) = A^(-1)/c, (A^T)^(-1) = (A^(-1))^T, (A^(-1))^(-1) = A,
(A B)^(-1) = B^(-1) A^(-1) for square A and B, A A^(-1) = A^(-1) A = I, exp(A^T) = exp(A)^T and exp(0) = I. What is then equal for any
matrices in the place of the inverses and exponentials is equal for these.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from symrnn.expr import (
    SCALAR,
    Expr,
    Symbol,
    add,
    apply,
    eye,
    free_steps,
    is_zero,
    lift,
    matmul,
    negative,
    node,
    rebuild,
    smul,
    transpose,
    walk,
)
from symrnn.prove.claim import Claim, Missing, Unsupported
from symrnn.prove.forms import Term
from symrnn.prove.identity import Proof, Prover

WAY = "normal form with inverses and exponentials as unknown matrices"
"""How a claim is proved here, in words."""
NAMES = {"inv": "inverse", "mexp": "exponential"}


def simplified(e: Expr) -> Expr:
    """The expression with its inverses and exponentials in one form.

    >>> from symrnn.expr import symbol
    >>> A, B, d = symbol("A", ("n", "n"), "parameter"), symbol("B", ("n", "m"), "parameter"), symbol("d")
    >>> simplified(node("inv", smul(d, A)) @ smul(d, A @ B))
    recip(d) * (d * B)
    """
    done: dict[Expr, Expr] = {}
    for x in walk(e):
        done[x] = _rule(rebuild(x, tuple(done[a] for a in x.args)))
    return done[e]


def _rule(x: Expr) -> Expr:
    if x.op == "matmul":
        return _cancelled(x)
    if x.op not in NAMES or x.shape is None:
        return x
    (a,) = x.args
    if x.shape == SCALAR:
        return apply("recip" if x.op == "inv" else "exp", a)
    if a.op == "transpose":
        return transpose(_rule(node(x.op, a.args[0])))
    if x.op == "mexp":
        return eye(x.shape[0]) if is_zero(a) else x
    if a.op in ("inv", "eye"):
        return a.args[0] if a.op == "inv" else a
    if a.op == "smul":
        factor = a.args[0]
        return smul(lift(1 / factor.attr) if factor.op == "num" else apply("recip", factor), _rule(node("inv", a.args[1])))
    if a.op == "matmul" and all(f.shape == x.shape for f in a.args):
        return _cancelled(matmul(*(_rule(node("inv", f)) for f in reversed(a.args))))
    return x


def _cancelled(x: Expr) -> Expr:
    """A matrix product without neighbours that are inverse to each other; numbers stand in front."""
    out: list[Expr] = []
    numbers: list[Expr] = []
    for f in _chain(x):
        while f.op == "smul":
            numbers.append(f.args[0])
            f = f.args[1]
        if out and (_inverse(out[-1], f) or _inverse(f, out[-1])):
            f = eye(out.pop().shape[0])  # type: ignore[index]
        if f.op == "eye" and (out or f.shape != x.shape):
            continue
        if out and out[-1].op == "eye":
            out.pop()
        out.append(f)
    value = out[0] if out else eye(x.shape[0])  # type: ignore[index]
    for f in out[1:]:
        value = matmul(value, f)
    for number in reversed(numbers):
        value = smul(number, value)
    return value if value.shape == x.shape else x


def _inverse(a: Expr, b: Expr) -> bool:
    """Whether the first is the inverse of the second, by its form."""
    return a.op == "inv" and a.args[0] == b or a.op == b.op == "transpose" and _inverse(a.args[0], b.args[0])


def _chain(e: Expr) -> list[Expr]:
    """The factors of a matrix product, however it is bracketed, also behind numbers."""
    if e.op == "smul" and e.args[1].op == "matmul":
        first, *rest = _chain(e.args[1])
        return [smul(e.args[0], first), *rest]
    return [f for a in e.args for f in _chain(a)] if e.op == "matmul" else [e]


def opaque(e: Expr, unknown: dict[Symbol, Expr]) -> Expr:
    """Every inverse and exponential as an unknown matrix, kept in ``unknown``. Raises Unsupported for one that changes."""
    if any(x.op == "deriv" and any(y.op in NAMES for y in walk(x)) for x in walk(e)):
        raise Unsupported("the derivative of an inverse or an exponential of a matrix")
    done: dict[Expr, Expr] = {}
    for x in walk(e):
        if x.op not in NAMES:
            done[x] = rebuild(x, tuple(done[a] for a in x.args))
            continue
        if any(True for _ in free_steps(x)) or any(y.op in ("entry", "isum", "tsum") for y in walk(x)):
            raise Unsupported("the inverse or exponential of a matrix that changes")
        assert x.shape is not None
        s = Symbol(f"{NAMES[x.op]} of {x.args[0]}", x.shape, "parameter")
        if unknown.setdefault(s, x) != x:
            raise Unsupported("inverses of two matrices that are written alike")
        done[x] = node("sym", attr=s)
    return done[e]


def concerns(claim: Claim) -> bool:
    """Whether an inverse or an exponential of a matrix stands in a claim."""
    return any(x.op in NAMES for side in (claim.left, claim.right) for x in walk(side))


def prove_inverses(claim: Claim) -> Proof | None:
    """The proof of a claim with inverses or exponentials of matrices, wherever the inverses exist; None if there is none.

    That they exist somewhere is not shown here.

    >>> from symrnn.expr import symbol
    >>> from symrnn.model import Model
    >>> A, B, d = symbol("A", ("n", "n"), "parameter"), symbol("B", ("n", "n"), "parameter"), symbol("d")
    >>> E = node("mexp", smul(d, A))
    >>> both = node("inv", smul(d, A)) @ E @ smul(d, B), node("inv", A) @ E @ B
    >>> prove_inverses(Claim(*both, Model.build("none", []))).obligations
    ('both sides have one normal form',)
    >>> prove_inverses(Claim(E @ A, A @ E @ A, Model.build("none", []))) is None
    True
    """
    if claim.relation != "=" or not concerns(claim):
        return None
    unknown: dict[Symbol, Expr] = {}
    try:
        left, right = (opaque(simplified(side), unknown) for side in (claim.left, claim.right))
        inner = replace(claim, left=left, right=right)
        found = Prover(inner).prove() or _multiplied_out(inner, unknown, matmul)
        return found or _multiplied_out(inner, unknown, lambda P, R: matmul(R, P))
    except (Unsupported, Missing):
        return None


def _multiplied_out(claim: Claim, unknown: Mapping[Symbol, Expr], product: Callable[[Expr, Expr], Expr]) -> Proof | None:
    """The proof with P = (c I + R)^(-1) put in as (I - P R)/c wherever P is multiplied by the number c; None if that is not enough.

    ``product`` of P and R is P R, or R P.
    """
    prover = Prover(claim)
    A = prover.algebra
    gap = A.subtract(prover.lower(claim.left), prover.lower(claim.right))
    for s, x in unknown.items():
        for number, rest in _multiples(x) if x.op == "inv" else ():
            identity, P = eye(s.shape[0]), node("sym", attr=s)
            value = prover.lower(smul(apply("recip", node("sym", attr=number)), add(identity, negative(product(P, rest)))))
            chosen = {t: c for t, c in gap.terms if _powers(t, number) > 0 and _powers(t, s) == 1}
            others = {t: c for t, c in gap.terms if t not in chosen}
            gap = A.add(A.form(gap.labels, others), A.substitute(A.form(gap.labels, chosen), {s: value}))
    if not gap.is_zero:
        return None
    n = prover.notes
    return Proof(("with M M^(-1) = I multiplied out, both sides have one normal form",), *(
        tuple(x) for x in (n.rules, n.inlined, n.facts, n.outside)))


def _multiples(x: Expr) -> Iterator[tuple[Symbol, Expr]]:
    """A number whose multiple of the identity stands in what is inverted, and the rest."""
    terms = x.args[0].args if x.args[0].op == "add" else ()
    for k, term in enumerate(terms):
        if term.op == "smul" and term.args[0].op == "sym" and term.args[1].op == "eye":
            yield term.args[0].attr, add(*terms[:k], *terms[k + 1:])


def _powers(t: Term, s: Symbol) -> int:
    """The exponent of a symbol in a product."""
    return sum(e for a, _, e in t.flat() if a.symbol == s)
