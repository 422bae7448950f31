"""What the left side of a claim should equal, derived from the model, in terms of the quantities its author used."""
from __future__ import annotations

from symrnn.bptt import Derivation, derive
from symrnn.errors import SymrnnError
from symrnn.expr import Expr, Symbol, derivative, fix_time, node, rebuild, substitute, symbols, transform, walk
from symrnn.prove.claim import Claim

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


def derived(claim: Claim) -> Expr | None:
    """The derived formula for a left side that is a gradient, an adjoint, the loss or a defined variable, or a multiple of one.

    None for any other left side.
    """
    found = derivation(claim)
    left = adjoints_as_symbols(claim, claim.left)
    e = _define(claim, found, left)
    if e is None:
        return None
    e = in_terms_of(claim, found, e)
    uses_derivatives = any(x.op == "deriv" for side in (claim.left, claim.right) for x in walk(side))
    return adjoints_as_derivatives(claim, e) if uses_derivatives else e


def _define(claim: Claim, found: Derivation | None, e: Expr) -> Expr | None:
    """The definition of ``e``, through scalar factors and components."""
    if e.op in ("smul", "entry", "transpose"):
        k = 1 if e.op == "smul" else 0
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


def in_terms_of(claim: Claim, found: Derivation | None, e: Expr) -> Expr:
    """The formula with adjoints that the author does not use replaced by what they equal, as far as that leads to his."""
    mine = {s.name for s in symbols(adjoints_as_symbols(claim, claim.right)) if s.kind == "adjoint"}
    out = e
    for _ in range(ROUNDS):
        foreign = [s for s in symbols(out) if s.kind == "adjoint" and s.name not in mine]
        if not foreign:
            return out
        values = {s: value for s in foreign if (value := _at(s, _formula(found, s))) is not None}
        if not values:
            break
        out = substitute(out, values)
    return e
