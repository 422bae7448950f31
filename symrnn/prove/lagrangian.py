"""The self-proof of a derivation: every adjoint and gradient of a model against the Lagrangian, by normal forms, for all sizes.

With the equations ``u_t = f_u`` as constraints and the adjoints as multipliers, the sum over t of ``<adj u_t, f_u - u_t>`` is
stationary in every variable: ``adj v_t`` is the derivative by ``v_t`` of the sum of ``<adj u_s, f_u at s>`` over all equations
and steps (the multiplier of the loss is 1). Here the derivative is taken index by index in the normal form; it shares no rule
with the reverse sweep but the table of elementwise functions.
"""
from __future__ import annotations

from dataclasses import dataclass

from symrnn.bptt import Derivation, adjoint
from symrnn.expr import NOW, Symbol, Time, symbols
from symrnn.model import Equation, Model
from symrnn.prove.algebra import Algebra
from symrnn.prove.forms import Form
from symrnn.prove.lower import Lowering

AXES = {"r": "@r", "c": "@c"}


@dataclass(frozen=True)
class Stationarity:
    """One quantity: what the reverse sweep gives and what the Lagrangian gives, both with the same definitions put in."""

    symbol: Symbol
    sweep: Form
    lagrangian: Form

    @property
    def holds(self) -> bool:
        return self.sweep == self.lagrangian


class Lagrangian:
    """Derivatives of the Lagrangian of one model at a generic step."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.algebra = Algebra(model.simplex)
        self.lower = Lowering(self.algebra)

    def by(self, s: Symbol) -> Form:
        """The derivative by ``s`` (a variable or input at step t, or a parameter: then the summand of step t)."""
        A = self.algebra
        axes = [(x, n) for x, n in zip("rc", s.shape, strict=True) if n != 1]
        parts = [A.form(axes, {})]
        for eq, lag in self.uses(s):
            used = Symbol(s.name, s.shape, s.kind, NOW - lag if s.time else None)
            right = self.lower(eq.right)
            slope = A.derivative(right, used, [AXES[x] for x, _ in axes])       # axes: those of the equation; @r, @c: those of s
            weight = A.number(1) if eq.name == self.model.loss else A.symbol(adjoint(eq.left), right.labels)
            product = A.contract([(slope, [x for x, _ in right.labels]), (weight, [x for x, _ in weight.labels])], ())
            parts.append(A.shift(self.on_axes(product, axes), lag))
        return A.add(*parts)

    def on_axes(self, f: Form, axes: list[tuple[str, int | str]]) -> Form:
        """A form in the labels @r, @c as one with the axes r, c."""
        deltas = [(self.algebra.delta("0", AXES[x], n, [("0", n)]), [x]) for x, n in axes]
        return self.algebra.contract([(f, ()), *deltas], axes, {AXES[x]: n for x, n in axes})

    def uses(self, s: Symbol) -> list[tuple[Equation, int]]:
        """The equations that use a quantity, with how many steps later."""
        return [(eq, -u.time.offset if u.time else 0) for eq in self.model.equations for u in symbols(eq.right)
                if (u.name, u.kind) == (s.name, s.kind)]

    def settle(self, f: Form, s: Symbol, fused: frozenset[str]) -> Form:
        """The definitions of what uses ``s`` put in, latest first; of a fused pair also the adjoint between the two."""
        A = self.algebra
        users = dict.fromkeys(self.uses(s))
        if s.name in fused:
            f = A.substitute(f, {adjoint(eq.left): self.by(eq.left) for eq, _ in users})
        order = {eq.name: n for n, eq in enumerate(self.model.equations)}
        for eq, lag in sorted(users, key=lambda use: (-use[1], -order[use[0].name])):
            later = Symbol(eq.name, eq.left.shape, "variable", Time("t", lag))
            f = A.substitute(f, {later: A.shift(self.lower(eq.right), lag)})
        return f


def stationary(derivation: Derivation) -> list[Stationarity]:
    """Every adjoint and every gradient of a derivation beside what the Lagrangian gives for it."""
    model = derivation.model
    own = Lagrangian(model)
    fused = frozenset(derivation.fused)
    out = []
    for s in (*model.variables, *model.inputs, *model.parameters):
        if s.name == model.loss:
            continue
        table = derivation.summands if s.kind == "parameter" else derivation.adjoints
        sides = [own.settle(f, s, fused) for f in (own.lower(table[s.name]), own.by(s))]
        out.append(Stationarity(s, *sides))
    return out


def unproved(derivation: Derivation) -> list[str]:
    """The names of the quantities whose adjoint or gradient the Lagrangian does not confirm (none: the derivation stands)."""
    return [str(x.symbol) for x in stationary(derivation) if not x.holds]
