"""What the left side of a claim should equal, derived from the model, in terms of the quantities its author used."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from symrnn.bptt import Derivation, derive
from symrnn.calculus import PULLS
from symrnn.errors import SymrnnError
from symrnn.expr import (
    SCALAR,
    Expr,
    Symbol,
    add,
    derivative,
    entry,
    fix_time,
    had,
    negative,
    node,
    rebuild,
    substitute,
    symbols,
    transform,
    transpose,
    walk,
)
from symrnn.model import Equation, Model
from symrnn.prove.claim import Claim
from symrnn.repair.jacobian import jacobian

SUBJECT = {"smul": 1, "entry": 0, "transpose": 0, "tsum": 0}
"""Where the subject of a left side is looked for: the argument of each of these operations."""
SEVERAL = ("add", "cat")
"""Operations of which every argument is a subject of its own."""
CLOSED = "?"
"""Begins the names of functions that stand for what has no rule."""
ROUNDS = 4
"""How often adjoints that the author does not use are replaced by what they equal."""


def derivation(claim: Claim) -> Derivation | None:
    """The derivation of the model, what has no rule left closed; None when it has none (no loss)."""
    for model in (claim.model, with_closed(claim.model)):
        try:
            return derive(model)
        except SymrnnError:
            continue
    return None


def with_closed(model: Model) -> Model:
    """The model with a function of nothing but its variables for each part that has no rule of differentiation.

    Adjoints that do not pass through such a part are those of the model.

    >>> from symrnn.model import param, sequence
    >>> A, x = param("A", "n", "n"), sequence("x", "n", kind="input")
    >>> print(with_closed(Model.build("m", [(sequence("z", "n"), node("inv", A) @ x)])).definitions["z"])
    ?z(A) @ x[t]
    """
    return replace(model, equations=tuple(Equation(eq.left, _closed(eq.right, f"{CLOSED}{eq.name}")) for eq in model.equations))


def _closed(e: Expr, name: str) -> Expr:
    """An expression with its outermost parts that have no rule as functions of this name."""
    if not e.args:
        return e
    if e.op in PULLS or e.shape is None:
        return rebuild(e, tuple(_closed(a, name) for a in e.args))
    return node("vcall", *(node("sym", attr=s) for s in dict.fromkeys(symbols(e))), attr=(name, e.shape))


def is_open(e: Expr) -> bool:
    """Whether nothing in an expression was left closed."""
    return not any(x.op in ("vcall", "vjac") and str(x.attr[0]).startswith(CLOSED) for x in walk(e))


def adjoints_as_symbols(claim: Claim, e: Expr) -> Expr:
    """Derivatives of the total loss as adjoint and gradient symbols; the form in which the derivation writes them."""
    def change(x: Expr) -> Expr | None:
        by = x.args[1] if x.op == "deriv" and x.args[0].op == "sym" and x.args[0].attr == claim.total_loss else x
        below = by.args[0] if by.op == "entry" else by
        if by is x or below.op != "sym":
            return None
        s: Symbol = below.attr
        e = node("sym", attr=Symbol(s.name, s.shape, "gradient" if s.kind == "parameter" else "adjoint", s.time))
        return e if by is below else entry(e, *by.attr)
    return transform(e, change)


def adjoints_as_derivatives(claim: Claim, e: Expr) -> Expr:
    """The other way round: ``dL/dh[t]`` for the adjoint of h[t], as the claim takes its derivatives of the loss."""
    mode = next((x.attr for side in (claim.left, claim.right) for x in walk(side) if x.op == "deriv" and x.args[0].op == "sym"
                 and x.args[0].attr == claim.total_loss), "partial")
    kinds = {s.name: s.kind for s in (*claim.model.variables, *claim.model.parameters, *claim.model.inputs)}

    def change(x: Expr) -> Expr | None:
        if x.op == "sym" and x.attr.kind in ("adjoint", "gradient") and x.attr.name in kinds:
            s: Symbol = x.attr
            return derivative(node("sym", attr=claim.total_loss),
                              node("sym", attr=Symbol(s.name, s.shape, kinds[s.name], s.time)), mode)
        return None
    return transform(e, change)


@dataclass(frozen=True)
class Derived:
    """The derived formula in the author's terms, and the ways to write it on the way there (as the derivation has it first)."""

    formula: Expr
    stages: tuple[Expr, ...]


def derived(claim: Claim) -> Derived | None:
    """The derived formula for a left side that is a gradient, an adjoint, the loss, a defined variable or the derivative of one.

    So for multiples, sums and stacks of these; None for any other left side.
    """
    found = derivation(claim)
    e = _define(claim, found, adjoints_as_symbols(claim, claim.left))
    if e is None:
        return None
    stages = [x for x in in_terms_of(claim, found, e) if is_open(x)]
    if not stages:
        return None
    mine = _adjoints(adjoints_as_symbols(claim, claim.right))
    last = stages[-1] if _adjoints(stages[-1]) <= mine else stages[0]
    if any(x.op == "deriv" for side in (claim.left, claim.right) for x in walk(side)):
        return Derived(in_parts(claim, adjoints_as_derivatives(claim, last)), tuple(adjoints_as_derivatives(claim, x) for x in stages))
    return Derived(last, tuple(stages))


def in_parts(claim: Claim, e: Expr) -> Expr:
    """A formula with a gradient of which the author only has a part written as that part and the rest.

    The part is what is left of the gradient by one variable without what comes through another one; the rest is that.
    """
    total = node("sym", attr=claim.total_loss)
    parts = {x.args[0]: x for x in walk(claim.right) if x.op == "add" and x.args[0].op == "deriv" and x.args[0].args[0] is total}
    values = {whole: add(x, *(negative(_multiplied_out(claim, a)) for a in x.args[1:])) for whole, x in parts.items()}
    return transform(e, values.get)


def _multiplied_out(claim: Claim, e: Expr) -> Expr:
    """A product with the derivatives of variables written out, an entrywise one where they are diagonal."""
    def change(x: Expr) -> Expr | None:
        if x.op == "deriv" and x.args[0].shape != SCALAR:
            return jacobian(x.args[0], x.args[1], claim.model)
        if x.op == "transpose" and x.args[0].op == "diag":
            return x.args[0]
        diagonal = x.args[0] if x.op == "matmul" else x
        return had(diagonal.args[0], x.args[1]) if diagonal.op == "diag" and x.op == "matmul" and x.args[1].shape == x.shape else None
    return transform(e, change)


def _adjoints(e: Expr) -> set[str]:
    return {s.name for s in symbols(e) if s.kind == "adjoint"}


def subject(e: Expr) -> Expr:
    """What a left side is about: ``dL/dW`` in ``-eta * dL/dW``."""
    while e.op in SUBJECT:
        e = e.args[SUBJECT[e.op]]
    return e


def _define(claim: Claim, found: Derivation | None, e: Expr) -> Expr | None:
    """The definition of ``e``, through scalar factors, components and sums over time."""
    if e.op in SUBJECT:
        k = SUBJECT[e.op]
        inner = _define(claim, found, e.args[k])
        return None if inner is None else rebuild(e, tuple(inner if j == k else a for j, a in enumerate(e.args)))
    if e.op in SEVERAL:
        parts = [_define(claim, found, a) for a in e.args]
        return rebuild(e, tuple(a if p is None else p for a, p in zip(e.args, parts, strict=True))) if any(parts) else None
    if e.op == "deriv":
        matrix = jacobian(e.args[0], e.args[1], claim.model)
        return matrix if matrix is None or e.args[0].shape != SCALAR else transpose(matrix)
    if e.op != "sym":
        return None
    s: Symbol = e.attr
    model = claim.model
    if s == claim.total_loss and model.loss is not None:
        return transform(model.total_loss, lambda x: model.definitions[x.attr.name] if x == model[model.loss or ""] else None)
    return _at(s, model.definitions.get(s.name) if s.kind == "variable" else _formula(found, s))


def _formula(found: Derivation | None, s: Symbol) -> Expr | None:
    if found is None or s.kind not in ("adjoint", "gradient"):
        return None
    return (found.gradients if s.kind == "gradient" else found.adjoints).get(s.name)


def _at(s: Symbol, e: Expr | None) -> Expr | None:
    """A formula at step t moved to the step of a symbol."""
    return e if e is None or s.time is None else fix_time(e, "t", s.time)


def in_terms_of(claim: Claim, found: Derivation | None, e: Expr) -> list[Expr]:
    """The formula, then step by step with the adjoints that the author does not use replaced by what they equal."""
    mine = _adjoints(adjoints_as_symbols(claim, claim.right))
    return spelled_out(found, e, lambda s: s.name in mine)


def spelled_out(found: Derivation | None, e: Expr, known: Callable[[Symbol], bool]) -> list[Expr]:
    """An expression, then step by step with the adjoints that are not known replaced by what they equal."""
    stages = [e]
    for _ in range(ROUNDS):
        foreign = [s for s in symbols(stages[-1]) if s.kind == "adjoint" and not known(s)]
        values = {s: value for s in foreign if (value := _at(s, _formula(found, s))) is not None}
        if not values:
            break
        stages.append(substitute(stages[-1], values))
    return stages
