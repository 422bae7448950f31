"""What is proved of the gradients of a model, by both witnesses, in words: the head of an emitted file says it."""
from __future__ import annotations

from symrnn.bptt import Derivation, derive
from symrnn.expr import SCALAR, Expr, derivative, node, symbol
from symrnn.lastloss import weighted
from symrnn.model import Model
from symrnn.prove.claim import Claim, Unsupported
from symrnn.prove.exact import ENOUGH, compare
from symrnn.prove.lagrangian import unproved


def claims(derivation: Derivation) -> list[Claim]:
    """Every adjoint and every gradient as a claim about the total loss."""
    m = derivation.model
    loss = symbol(m.total, SCALAR)

    def claim(name: str, e: Expr) -> Claim:
        return Claim(derivative(loss, node("sym", attr=m.symbol(name))), e, m)
    return [claim(name, e) for table in (derivation.adjoints, derivation.gradients) for name, e in table.items()]


def self_proof(model: Model) -> tuple[str, ...]:
    """The lines of a proof record; empty when the model has no loss or something is not proved.

    >>> from symrnn.expr import apply
    >>> from symrnn.model import param, scalar, sequence
    >>> h, y, l = sequence("h"), sequence("y", kind="target"), scalar("l")
    >>> m = Model.build("m", [(h, apply("tanh", param("w") * h[-1])), (l, (h - y)**2)], loss="l")
    >>> print(self_proof(m)[0])
    every adjoint and gradient, for all sizes and every T: equal to the derivative of the Lagrangian, index by index (normal form)
    """
    if model.loss is None:
        return ()
    derivation = derive(weighted(model))
    try:
        if unproved(derivation):
            return ()
    except Unsupported:
        return ()
    of = " of a loss with any weight at every step, so also one at the last step and zero before it" if model.at_end else ""
    lines = [f"every adjoint and gradient{of}, for all sizes and every T: equal to the derivative of the Lagrangian, index by index "
             "(normal form)"]
    outcomes = [compare(c) for c in claims(derivation)]
    if all(o.status == "equal" and o.exponent >= ENOUGH for o in outcomes):
        least = min(outcomes, key=lambda o: o.exponent)
        lines.append(f"and equal to forward derivatives over prime fields for {least.scope}, up to 2^-{least.exponent}")
    return tuple(lines)
