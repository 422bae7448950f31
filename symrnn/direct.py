r"""The derivative of one equation alone: by what stands in it, while everything else in it is held fixed.

``\partial c_t / \partial c_{t-1} = \mathrm{diag}(f_t)`` is that of the equation of c in an LSTM. The total derivative has further
terms, by way of the gates; which one a text means, its signs do not say.
"""
from __future__ import annotations

from dataclasses import replace

from symrnn.expr import NOW, Expr, symbols, transform
from symrnn.model import Model
from symrnn.prove.claim import Claim
from symrnn.repair.jacobian import jacobian


def direct(claim: Claim) -> Claim | None:
    """The claim with the derivatives of one equation alone in the place of total ones; None where no derivative is another one."""
    found = replace(claim, left=_direct(claim.left, claim.model), right=_direct(claim.right, claim.model))
    return None if found == claim else found


def _direct(e: Expr, model: Model) -> Expr:
    def change(x: Expr) -> Expr | None:
        if x.op != "deriv" or x.args[0].op != "sym" or x.args[1].op != "sym":
            return None
        top, bottom = x.args[0].attr, x.args[1].attr
        body = model.definitions.get(top.name)
        if body is None or top.time != NOW or bottom.time is None or bottom not in symbols(body):
            return None
        return jacobian(body, x.args[1], Model("one equation", ()))

    return transform(e, change)
