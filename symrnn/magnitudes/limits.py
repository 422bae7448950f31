"""What the norm of a product of many factors tends to: a power, a product of one matrix, a product of Jacobians.

>>> from symrnn.expr import Time, apply, derivative
>>> from symrnn.magnitudes.tree import Said, Tends, norm, number
>>> from symrnn.model import Model, param, sequence
>>> h, x, W = sequence("h", "n"), sequence("x", "n", kind="input"), param("W", "n", "n")
>>> model = Model.build("m", [(h, apply("tanh", W @ h[-1] + x))])
>>> def tends(relation, to):
...     many = Tends(norm(derivative(at(h, Time("T")), at(h, Time("k")))), to)
...     found = Limits(model, (Said(norm(W), relation, number(1)),), (), "h").verdict(many)
...     return found and found.word
>>> tends("<", "0"), tends(">", "oo"), tends("<=", "0")
('proved', 'refuted', 'refuted')
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from symrnn.expr import Expr, Time, fix_time, symbol, symbols, walk
from symrnn.magnitudes.bound import UNNAMED, Bounds, NoBound
from symrnn.magnitudes.enclosed import KINDS, Enclosed, Ends, certainly, spectral_radius
from symrnn.magnitudes.falsify import Values, candidates, rests, text_of
from symrnn.magnitudes.tree import Magnitude, Product, Said, Tends
from symrnn.model import Model
from symrnn.prove.claim import Condition, Missing, Unsupported
from symrnn.prove.norms import limit, one_step
from symrnn.prove.numbers import BadPoint
from symrnn.prove.verdict import EVERYWHERE, Verdict

METHOD = "the factors of the product, one like the other"
AT_ZERO = {"tanh": Fraction(1), "sin": Fraction(1), "id": Fraction(1)}
"""Functions that keep zero, with their slope there."""


def at(e: Expr, time: Time) -> Expr:
    """A variable at a step."""
    return symbol(e.attr.name, e.attr.shape, e.attr.kind, time)


class Limits:
    """Judges what tends to what, under what is supposed of the matrices."""

    def __init__(self, model: Model, premises: Sequence[Said], conditions: tuple[Condition, ...], state: str | None) -> None:
        self.model, self.premises, self.state = model, [p.upward() for p in premises], state
        self.bounds = Bounds(model, (), conditions, state)

    def verdict(self, said: Tends) -> Verdict | None:
        """The verdict; None where nothing here decides it."""
        body = self.factor(said.value)
        if body is None:
            return None
        if isinstance(body, Expr) and (found := self.bounds.explicit(body)) is not None and not _timed(found):
            body = found
        constant = isinstance(body, Magnitude) or not _timed(body)
        if said.to == "0" and self.shrinks(body, constant):
            why = "each factor is at most one number below 1"
            return Verdict("proved", reason=why, method=METHOD, scope=EVERYWHERE, error_bound="0", conditions=(UNNAMED,))
        if said.to == "oo" and constant and self.stretches(body):
            why = "it is at least a power of a number that is greater than 1"
            return Verdict("proved", reason=why, method=METHOD, scope=EVERYWHERE, error_bound="0")
        other = self.constant(said, body) if constant else self.of_states(said, body) if isinstance(body, Expr) else None
        return other or (self.saturated(said) if not constant else None)

    def factor(self, m: Magnitude) -> Expr | Magnitude | None:
        """What is multiplied again and again: a number, or a matrix."""
        if m.op == "power" and [k for _, k in m.attr.letters if k > 0]:
            return m.args[0]
        if m.op != "norm":
            return None
        over = m.attr[1]
        if isinstance(over, Expr):
            over = self.bounds.steps(over)
        return fix_time(over.body, over.letter, Time("t")) if isinstance(over, Product) else None

    # ------------------------------------------------------------------------------------------------------------ proofs
    def shrinks(self, body: Expr | Magnitude, constant: bool) -> bool:
        """Whether what is supposed keeps every factor below one number that is less than 1."""
        measures = [body] if isinstance(body, Magnitude) else [Magnitude("norm", attr=(kind, body)) for kind in ("", "2")]
        if isinstance(body, Expr) and constant:
            measures.append(Magnitude("radius", attr=body))
        for m in measures:
            self.bounds.kept = ()
            try:
                terms = self.bounds.sum(m, True)
            except NoBound:
                continue
            for p in self.premises:
                if p.relation not in ("<", "<=") or p.right.op != "number":
                    continue
                atom = self.bounds.atom(p.left)
                (atoms, c), *rest = terms.items() or [((), Fraction(0))]
                most = c * Fraction(p.right.attr)
                if not rest and self.same(atoms, atom) and (most < 1 or most == 1 and p.relation == "<"):
                    return True
        return False

    def same(self, atoms: tuple[Magnitude, ...], atom: Magnitude) -> bool:
        """Whether a product is one atom, or a radius of which the norm is known."""
        return atoms == (atom,) or len(atoms) == 1 and atoms[0].op == "radius" and atom.op == "norm" and atom.attr[1] == atoms[0].attr

    def stretches(self, body: Expr | Magnitude) -> bool:
        """Whether what is supposed makes the number that is multiplied, or the spectral radius of the matrix, greater than 1."""
        own = self.bounds.atom(body if isinstance(body, Magnitude) else Magnitude("radius", attr=body))
        return any(p.relation == "<" and p.left.op == "number" and Fraction(p.left.attr) >= 1
                   and self.bounds.atom(p.right) == own for p in self.premises)

    # -------------------------------------------------------------------------------------------------- counterexamples
    def constant(self, said: Tends, body: Expr | Magnitude) -> Verdict | None:
        """One matrix at every step: its powers grow or shrink with its spectral radius."""
        for sizes, point in candidates([said.value, *(side for p in self.premises for side in (p.left, p.right))], self.model):
            found = self.growth(point, lambda v: spectral_radius(v.matrix(body, {})) if isinstance(body, Expr) else v(body, {}))
            if found is not None and (found[0] >= 1 if said.to == "0" else found[1] <= 1):
                which = "the spectral radius of each factor" if isinstance(body, Expr) else "each factor"
                return self.refuted(said, f"{which} is {text_of(found)}", sizes, point.shown())
        return None

    def growth(self, point: Values, measure: Callable[[Enclosed], Ends]) -> tuple[Fraction, Fraction] | None:
        """The least and the largest value at a point at which the premises hold, whatever an unnamed norm is."""
        try:
            own = [Enclosed(point.balls, 1, kind) for kind in KINDS]
            if not all(certainly(v(p.left, {}), p.relation, v(p.right, {})) for v in own for p in self.premises):
                return None
            ends = [measure(v) for v in own]
        except (BadPoint, Missing, Unsupported, KeyError):
            return None
        return min(a for a, _ in ends), max(b for _, b in ends)

    def of_states(self, said: Tends, body: Expr) -> Verdict | None:
        """Jacobians D W with one weight and diagonal D: a nilpotent weight makes two of them zero, states that stay zero make D one."""
        found = self.weight(body)
        if found is None:
            return None
        weight, slope = found
        sides = [Magnitude("radius", attr=weight), *(side for p in self.premises for side in (p.left, p.right))]
        for sizes, point in candidates(sides, self.model):
            reach = self.growth(point, lambda v: spectral_radius(v.matrix(weight, {})))
            if reach is None:
                continue
            rows, shown = point.drawn[weight.attr.name, None], point.shown()
            if said.to == "oo" and not any(x for i, row in enumerate(rows) for x in row[: i + 1]):
                return self.refuted(said, f"the product of any {len(rows)} factors is zero", sizes, shown)
            if said.to == "0" and slope == 1 and reach[0] >= 1:
                why = f"and all else zero each factor is {weight}, of spectral radius {text_of(reach)}"
                return self.refuted(said, why, sizes, shown)
        return None

    def weight(self, body: Expr) -> tuple[Expr, Fraction | None] | None:
        """The one square weight that a Jacobian has beside diagonal matrices, and the slope of the function where all is zero."""
        found = self.bounds.explicit(body)
        if found is None or self.state is None:
            return None
        factors = list(_factors(found))
        weights = [f for f in factors if f.op == "sym" and f.attr.kind == "parameter"]
        if len(weights) != 1 or any(f.op != "diag" for f in factors if f is not weights[0]):
            return None
        step = one_step(self.model, self.state, self.state)
        at_rest = step is not None and step.function is not None and rests(self.model, self.state)
        return weights[0], AT_ZERO.get(step.function or "") if step is not None and at_rest else None

    def saturated(self, said: Tends) -> Verdict | None:
        """Units of which the slope is small, whatever the weight."""
        step = one_step(self.model, self.state, self.state) if self.state is not None else None
        if step is None or said.to != "oo" or len(self.premises) != 1 or not _over_states(said.value):
            return None
        p = self.premises[0]
        side, relation, most = (p.left, "<", p.right) if p.right.op == "number" else (p.right, ">", p.left)
        if most.op != "number" or side.op not in ("norm", "radius") or any(x.op == "sym" and x.attr.name not in step.weights
                                                                          for x in walk(_inner(side))):
            return None
        return limit(step, relation, Fraction(most.attr), "infty") if rests(self.model, str(self.state)) else None

    def refuted(self, said: Tends, why: str, sizes: Mapping[str, int], values: Mapping[str, str]) -> Verdict:
        wanted = {"0": "does not go to 0", "oo": "does not grow without bound"}[said.to]
        shown = ", ".join(f"{k} = {v}" for k, v in values.items())
        return Verdict("refuted", "SR299", f"with {shown} {why}, so that the product {wanted}", METHOD, counterexample={
            "T": None, "sizes": dict(sizes), "values": dict(values), "left": f"not {said.to}", "right": said.to})


def _timed(e: Expr) -> bool:
    return any(s.time is not None for s in symbols(e))


def _over_states(m: Magnitude) -> bool:
    """Whether it is the norm of a derivative of states or of a product of such."""
    over = m.attr[1] if m.op == "norm" else None
    body = over.body if isinstance(over, Product) else over
    return isinstance(body, Expr) and body.op == "deriv"


def _inner(m: Magnitude) -> Expr:
    inner = m.attr[1] if m.op == "norm" else m.attr
    assert isinstance(inner, Expr)
    return inner


def _factors(e: Expr) -> Iterator[Expr]:
    """The factors of a product of matrices, without transpositions."""
    if e.op in ("matmul", "transpose"):
        for a in e.args:
            yield from _factors(a)
    else:
        yield e
