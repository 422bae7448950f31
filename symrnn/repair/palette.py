"""What an edit may put in: the model's symbols by kind, factors and terms of the derived formula, functions."""
from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from symrnn.expr import Expr, Index, Symbol, node, numeric, power, shift, symbols, transform, walk
from symrnn.expr.functions import function
from symrnn.prove.claim import Claim
from symrnn.prove.grid import Free
from symrnn.repair.derived import derived
from symrnn.repair.places import alone, part, plain, terms

SEQUENCES = ("variable", "input", "target")
FUNCTIONS = ("tanh", "sigmoid", "relu", "softplus", "exp", "log", "recip", "softmax")
"""The functions that an edit tries; one that the model uses comes on top."""


@dataclass(frozen=True)
class Palette:
    """The material for the edits of one claim.

    ``formula`` is the derived formula in the author's terms (or the left side itself), ``stages`` are other ways to write it.
    """

    claim: Claim
    formula: Expr
    stages: tuple[Expr, ...] = ()
    free: Free = field(default_factory=Free)

    @classmethod
    def of(cls, claim: Claim) -> Palette:
        """The palette of a claim."""
        found = derived(claim)
        return cls(claim, claim.left) if found is None else cls(claim, found.formula, found.stages[:3])

    @cached_property
    def groups(self) -> dict[str, tuple[Symbol, ...]]:
        """Symbols of like kind: parameters, sequences, constants, and the adjoints of sequences."""
        m = self.claim.model
        rows: dict[str, dict[Symbol, None]] = {"parameter": {}, "sequence": {}, "constant": {}, "adjoint": {}}
        for s in (*m.parameters, *m.variables, *m.inputs, *m.targets, *m.constants, *self.own):
            if s.name not in (m.loss, m.total) or s.kind == "parameter":
                rows.get(group_of(s), {})[s] = None
        adjoints = [Symbol(s.name, s.shape, "adjoint", s.time) for s in (*m.variables, *m.inputs) if s.name != m.loss]
        rows["adjoint"] |= dict.fromkeys(adjoints)
        return {kind: tuple(found) for kind, found in rows.items()}

    @cached_property
    def own(self) -> tuple[Symbol, ...]:
        """Symbols of the claim that the model does not have, at step t."""
        known = {s.name for e in self.claim.model.equations for s in (e.left, *symbols(e.right))}
        found = [s for side in (self.claim.left, self.claim.right) for s in symbols(side) if s.name not in known]
        return tuple(dict.fromkeys(found))

    def like(self, s: Symbol) -> list[Symbol]:
        """The other symbols of the same kind, at the same step."""
        if s.name in (self.claim.model.loss, self.claim.model.total):
            return []
        found = [o for o in self.groups.get(group_of(s), ()) if o.name != s.name and (o.time is None) == (s.time is None)]
        return list(dict.fromkeys(Symbol(o.name, o.shape, o.kind, s.time) for o in found))

    @cached_property
    def slopes(self) -> tuple[Expr, ...]:
        """The derivatives of the activations, by the value where that is a variable: 1 - h[t]^2."""
        out: dict[Expr, None] = {}
        for eq in self.claim.model.equations:
            for x in walk(eq.right):
                if x.op != "apply" or x.attr in ("log", "recip"):
                    continue
                value = node("sym", attr=eq.left) if x is eq.right else x
                e = function(x.attr).derivative(x.args[0], value, lambda name, u: node("apply", u, attr=name))
                e = transform(e, lambda y: power(y.args[0], 2) if y.op == "had" and y.args[0] is y.args[1] else None)
                if symbols(e):
                    out |= {shift(e, k): None for k in (0, 1, -1)}
        return tuple(out)

    @cached_property
    def factors(self) -> tuple[Expr, ...]:
        """What may be a missing factor: slopes, and the factors and symbols of the formula."""
        out: dict[Expr, None] = dict.fromkeys(self.slopes)
        for x in [x for e in (self.formula, *self.stages) for x in walk(e)]:
            if x.op in ("matmul", "had", "smul"):
                out |= {plain(a): None for a in x.args if a.op not in ("matmul", "add", "tsum")}
            elif x.op == "deriv" or (x.op == "sym" and x.attr not in (self.claim.total_loss,)):
                out[x] = None
        return tuple(f for f in out if f.shape is not None and numeric(f)[1].op not in ("num", "ones"))

    @cached_property
    def terms(self) -> tuple[Expr, ...]:
        """What may be a missing term: the terms of every sum of the formula, and what each contributes to the whole."""
        out: dict[Expr, None] = {}
        for path in terms(self.formula):
            if path:
                out |= {part(self.formula, path): None, alone(self.formula, path)(part(self.formula, path)): None}
        for x in walk(self.formula):
            if x.op == "add":
                out |= dict.fromkeys(x.args)
        return tuple(out)

    @cached_property
    def functions(self) -> tuple[str, ...]:
        """The names of the functions to try."""
        roots = [self.formula, *(e.right for e in self.claim.model.equations)]
        mine = [x.attr if x.op == "apply" else x.op for root in roots for x in walk(root) if x.op in ("apply", "softmax")]
        return tuple(dict.fromkeys([*mine, *FUNCTIONS]))

    @cached_property
    def letters(self) -> frozenset[str]:
        """The time letters of the left side."""
        return frozenset(self.free.letters(self.claim.left))

    @cached_property
    def indices(self) -> tuple[Index, ...]:
        """The component indices of the left side."""
        return self.free.indices(self.claim.left)

    @cached_property
    def uses_diag(self) -> bool:
        """Whether the author writes diagonal matrices."""
        return any(x.op == "diag" for x in walk(self.claim.right))


def group_of(s: Symbol) -> str:
    """The kind of a symbol, with variables, inputs and targets in one."""
    return "sequence" if s.kind in SEQUENCES and s.time is not None else s.kind
