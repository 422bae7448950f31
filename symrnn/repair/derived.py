"""What the left side of a claim should equal, derived from the model, in terms of the quantities its author used."""
from __future__ import annotations

from dataclasses import dataclass

from symrnn.bptt import Derivation, derive
from symrnn.errors import SymrnnError
from symrnn.expr import Expr, Symbol, derivative, fix_time, node, rebuild, substitute, symbols, transform, walk
from symrnn.prove.claim import Claim

SUBJECT = {"smul": 1, "entry": 0, "transpose": 0, "tsum": 0}
"""Where the subject of a left side is looked for: the argument of each of these operations."""
ROUNDS = 4
"""How often adjoints that the author does not use are replaced by what they equal."""


def derivation(claim: Claim) -> Derivation | None:
    """The derivation of the model, or None when it has none (no loss, an operation without a rule)."""
    try:
        return derive(claim.model)
    except SymrnnError:
        return None


def adjoints_as_symbols(claim: Claim, e: Expr) -> Expr:
    """Derivatives of the total loss as adjoint and gradient symbols; the form in which the derivation writes them."""
    def change(x: Expr) -> Expr | None:
        if x.op == "deriv" and x.args[0].op == "sym" and x.args[0].attr == claim.total_loss and x.args[1].op == "sym":
            s: Symbol = x.args[1].attr
            return node("sym", attr=Symbol(s.name, s.shape, "gradient" if s.kind == "parameter" else "adjoint", s.time))
        return None
    return transform(e, change)


def adjoints_as_derivatives(claim: Claim, e: Expr) -> Expr:
    """The other way round: ``dL/dh[t]`` for the adjoint of h[t]."""
    kinds = {s.name: s.kind for s in (*claim.model.variables, *claim.model.parameters, *claim.model.inputs)}

    def change(x: Expr) -> Expr | None:
        if x.op == "sym" and x.attr.kind in ("adjoint", "gradient") and x.attr.name in kinds:
            s: Symbol = x.attr
            return derivative(node("sym", attr=claim.total_loss),
                              node("sym", attr=Symbol(s.name, s.shape, kinds[s.name], s.time)))
        return None
    return transform(e, change)


@dataclass(frozen=True)
class Derived:
    """The derived formula in the author's terms, and the ways to write it on the way there (as the derivation has it first)."""

    formula: Expr
    stages: tuple[Expr, ...]


def derived(claim: Claim) -> Derived | None:
    """The derived formula for a left side that is a gradient, an adjoint, the loss or a defined variable, or a multiple of one.

    None for any other left side.
    """
    found = derivation(claim)
    e = _define(claim, found, adjoints_as_symbols(claim, claim.left))
    if e is None:
        return None
    stages = in_terms_of(claim, found, e)
    mine = _adjoints(adjoints_as_symbols(claim, claim.right))
    last = stages[-1] if _adjoints(stages[-1]) <= mine else stages[0]
    if any(x.op == "deriv" for side in (claim.left, claim.right) for x in walk(side)):
        return Derived(adjoints_as_derivatives(claim, last), tuple(adjoints_as_derivatives(claim, x) for x in stages))
    return Derived(last, tuple(stages))


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
    stages = [e]
    for _ in range(ROUNDS):
        foreign = [s for s in symbols(stages[-1]) if s.kind == "adjoint" and s.name not in mine]
        values = {s: value for s in foreign if (value := _at(s, _formula(found, s))) is not None}
        if not values:
            break
        stages.append(substitute(stages[-1], values))
    return stages
