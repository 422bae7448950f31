"""Proofs of inequalities between norms, by elementary rules: products, sums, transposes, slopes, definitions, what is stated.

A side is brought to a sum of products of *atoms*: norms, moduli and radii that are left as they are. The left side is bounded from
above on the way; it is at most the right side if each of its products is one of the right side, with a factor that is no larger.

>>> from symrnn.expr import apply
>>> from symrnn.magnitudes.tree import Said, norm, number, product
>>> from symrnn.model import Model, param, sequence
>>> h, x, W = sequence("h", "n"), sequence("x", "n", kind="input"), param("W", "n", "n")
>>> model = Model.build("m", [(h, apply("sigmoid", W @ h[-1] + x))])
>>> from symrnn.expr import derivative
>>> step = norm(derivative(h, h[-1]))
>>> [Bounds(model).proves(Said(step, "<=", product(number(c), norm(W)))) is not None for c in (Fraction(1, 4), Fraction(1, 5))]
[True, False]
"""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations, product

from symrnn.expr import NOW, SCALAR, Expr, Time, derivative, fix_time, matmul, symbol, symbols, transpose, walk
from symrnn.magnitudes.tree import Count, Magnitude, Matrix, Product, Said, between, moved, norm
from symrnn.magnitudes.tree import walk as parts_of
from symrnn.model import Model
from symrnn.prove.bounds import bounds
from symrnn.prove.claim import Claim, Condition
from symrnn.prove.decide import decide
from symrnn.prove.ranges import SLOPES
from symrnn.repair.jacobian import jacobian

Atom = Magnitude
Sum = dict[tuple[Atom, ...], Fraction]
"""A sum of products of atoms, each with its number; the atoms of a product are in order."""
TURNED = ("", "2", "F")
"""The norms that a transposition does not change."""
UNNAMED = "a norm without a name is the Euclidean one, for a matrix the largest factor by which it stretches a vector"
NAMES = {"": UNNAMED, "2": "a norm with a 2 is the Euclidean one, for a matrix its largest singular value"}
"""What is said of the norms that a proof speaks of."""
MOST = 3
"""The most factors whose order is tried."""
LIPSCHITZ = {"tanh": Fraction(1), "relu": Fraction(1), "sin": Fraction(1), "id": Fraction(1)}
"""Functions that are zero at zero, with their largest slope."""


class NoBound(Exception):
    """Something for which there is no rule here."""


@dataclass
class Bounds:
    """What the equations of a model and stated bounds (``facts``) give; ``uses`` collects what a proof rests on."""

    model: Model
    facts: Sequence[Said] = ()
    conditions: tuple[Condition, ...] = ()
    state: str | None = None
    uses: dict[str, None] = field(default_factory=dict)
    kept: tuple[Atom, ...] = ()

    def proves(self, said: Said) -> tuple[str, ...] | None:
        """What a proof rests on, or None where there is none."""
        self.uses = {}
        said = said.upward()
        try:
            found = self._equal(said) if said.relation == "=" else self._below(said.left, said.right, said.relation == "<")
        except NoBound:
            return None
        if found:
            for m in (m for side in (said.left, said.right) for m in parts_of(side) if m.op == "norm"):
                if words := NAMES.get(m.attr[0]):
                    self.uses[words] = None
        return tuple(self.uses) if found else None

    # ------------------------------------------------------------------------------------------------------------- equality
    def _equal(self, said: Said) -> bool:
        left, right = said.left, said.right
        if left.op == right.op == "norm" and left.attr[0] == right.attr[0]:
            a, b = left.attr[1], right.attr[1]
            return self.same(a, b) or left.attr[0] in TURNED and isinstance(b, Expr) and self.same(a, transpose(b))
        values = [m.attr for m in (left, right) if m.op == "value"]
        return len(values) == 2 and self.same(*values)

    def same(self, a: Matrix, b: Matrix) -> bool:
        """Whether two matrices are equal, by the decision ladder; products over steps by one factor."""
        if a == b:
            return True
        if isinstance(a, Product) or isinstance(b, Product):
            one, other = (x if isinstance(x, Product) else self.steps(x) for x in (a, b))
            return one is not None and other is not None and (one.first, one.last) == (other.first, other.last) and self.same(
                *(fix_time(x.body, x.letter, NOW) for x in (one, other)))
        if a.shape is None or a.shape != b.shape:
            return False
        found = decide(Claim(a, b, self.model, "=", self.conditions))
        if found.word == "proved":
            self.uses |= dict.fromkeys(found.conditions)
        return found.word == "proved"

    def steps(self, e: Expr) -> Product | None:
        """The derivative of a state by the same at an earlier step, as the product of those of one step."""
        if e.op != "deriv" or self.state is None or any(a.op != "sym" or a.attr.name != self.state for a in e.args):
            return None
        late, early = (a.attr.time for a in e.args)
        if late is None or early is None or late.base == early.base:
            return None
        own = _free_letter((late.base, early.base))
        top, bottom = (symbol(a.attr.name, a.attr.shape, a.attr.kind, Time(own, -k)) for k, a in enumerate(e.args))
        return Product(own, early + 1, late, derivative(top, bottom, e.attr))

    # ------------------------------------------------------------------------------------------------------------ inequality
    def _below(self, left: Magnitude, right: Magnitude, strictly: bool) -> bool:
        if self._in_powers(left, right, strictly) or not strictly and self._arranged(left, right):
            return True
        return self._compared(left, right, strictly)

    def _in_powers(self, left: Magnitude, right: Magnitude, strictly: bool) -> bool:
        """Products with as many factors on both sides, each at most the one on the right; by induction over the steps."""
        over = left.attr[1] if left.op == "norm" else None
        if isinstance(over, Expr):
            over = self.steps(over)
        if not isinstance(over, Product) or strictly:
            return False
        one = norm(fix_time(over.body, over.letter, NOW), left.attr[0])
        if right.op == "power" and right.attr == between(over.first, over.last):
            held = self._below(one, right.args[0], False)
        elif right.op == "prod" and right.attr[1:] == (over.first, over.last):
            factor = moved(right.args[0], right.attr[0], NOW)
            held = one == factor or self._below(one, factor, False)
        else:
            return False
        if held:
            self.uses["the norm of a product is at most the product of the norms"] = None
        return held

    def _arranged(self, left: Magnitude, right: Magnitude) -> bool:
        """``|E| <= c |A| |B|`` where E is the product of A and B in some order, turned round or not."""
        if left.op != "norm" or not isinstance(left.attr[1], Expr):
            return False
        kind, whole = left.attr
        factors = right.args if right.op == "mul" else (right,)
        plain = [f for f in factors if f.op != "number"]
        if not all(f.op == "norm" and f.attr[0] == kind and isinstance(f.attr[1], Expr) for f in plain):
            return False
        scale = _product(f.attr for f in factors if f.op == "number")
        own = [f.attr[1] for f in plain]
        if scale < 1 or not 1 <= len(own) <= MOST:
            return False
        for order in permutations(own):
            for turn in product((False, True), repeat=len(own) if kind in TURNED else 0):
                found = [transpose(a) if t else a for a, t in zip(order, turn or (False,) * len(own), strict=True)]
                e = found[0]
                for a in found[1:]:
                    e = matmul(e, a)
                if e.fault is None and e.shape == whole.shape and self.same(whole, e):
                    return True
        return False

    def _compared(self, left: Magnitude, right: Magnitude, strictly: bool) -> bool:
        """Both sides as sums of products, the left one from above."""
        above = self.sum(right, False)
        self.kept = tuple(dict.fromkeys(a for atoms in above for a in atoms))
        below = self.sum(left, True)
        if self._dominated(below, above, strictly):
            return True
        for fact, atom, bound in sorted(self._facts(), key=lambda row: row[0].relation == "<"):
            if not any(self._matches(atom, a) for atoms in below for a in atoms) or any(self._matches(atom, a) for a in self.kept):
                continue
            changed = self._replaced(below, atom, bound)
            if changed is None:
                continue
            self.uses[str(fact)] = None
            hit = [[a for a in atoms if not self._matches(atom, a)] for atoms in below if any(self._matches(atom, a) for a in atoms)]
            if fact.relation == "<" and any(all(map(self._above_zero, rest)) for rest in hit):
                strictly = False                                      # one product has become greater
            below = changed
        return self._dominated(below, above, strictly)

    def _facts(self) -> Iterator[tuple[Said, Atom, Magnitude]]:
        for fact in self.facts:
            up = fact.upward()
            if up.relation in ("<", "<=") and up.left.op in ("norm", "value", "radius"):
                yield up, up.left, up.right

    def _matches(self, pattern: Atom, a: Atom) -> bool:
        """Whether a stated norm (or radius) bounds an atom."""
        own = self.atom(pattern)
        return own == a or a.op == "radius" and own.op == "norm" and own.attr[1] == a.attr

    def _replaced(self, below: Sum, atom: Atom, bound: Magnitude) -> Sum | None:
        """A sum with an atom replaced by what it is at most."""
        out: Sum = {}
        for atoms, c in below.items():
            rest = tuple(a for a in atoms if not self._matches(atom, a))
            if len(rest) < len(atoms) and (c < 0 or not all(map(self._never_negative, atoms))):
                return None
            made: Sum = {rest: c}
            for _ in range(len(atoms) - len(rest)):
                made = _times(made, self.sum(bound, False))
            out = _plus(out, made)
        return out

    def _dominated(self, below: Sum, above: Sum, strictly: bool) -> bool:
        """Whether what is left of the difference is not negative: each product below is at most one above, and no other is negative."""
        left = _plus(above, {atoms: -c for atoms, c in below.items()})
        if not all(self._never_negative(a) for atoms in left for a in atoms):
            return False
        over = {atoms: c for atoms, c in left.items() if c > 0}
        for atoms, c in left.items():
            if c < 0:
                wider = next((other for other, d in over.items() if -c <= d and self._wider(atoms, other)), None)
                if wider is None:
                    return False
                del over[wider]
        return not strictly or () in over

    def _wider(self, atoms: tuple[Atom, ...], other: tuple[Atom, ...]) -> bool:
        """Whether a product is at most another one, atom by atom: a radius at most a norm, the Euclidean norm at most that of Frobenius."""
        return len(atoms) == len(other) and any(all(self._at_most(a, b) for a, b in zip(atoms, order, strict=True))
                                                for order in permutations(other))

    def _at_most(self, a: Atom, b: Atom) -> bool:
        if a == b:
            return True
        if b.op != "norm":
            return False
        inner = a.attr[1] if a.op == "norm" else a.attr
        known = a.op == "radius" or a.op == "norm" and (a.attr[0], b.attr[0]) in (("2", "F"),)
        return known and inner in (b.attr[1], _turned(b.attr[1]))

    def _never_negative(self, a: Atom) -> bool:
        if a.op in ("norm", "radius", "abs"):
            return True
        stated = any(f.relation in ("<", "<=") and f.right == a and self._positive(f.left) for f in (x.upward() for x in self.facts))
        return stated or a.op == "power" and self._never_negative(a.args[0])

    def _positive(self, m: Magnitude) -> bool:
        if m.op == "number":
            return Fraction(m.attr) >= 0
        return all(map(self._positive, m.args)) if m.op in ("mul", "add") else m.op in ("norm", "radius", "abs")

    # ----------------------------------------------------------------------------------------------------- sums of products
    def sum(self, m: Magnitude, above: bool) -> Sum:
        """A magnitude as a sum of products of atoms; with ``above`` one that it does not exceed."""
        match m.op:
            case "number":
                return {(): Fraction(m.attr)} if m.attr else {}
            case "add":
                out: Sum = {}
                for a in m.args:
                    out = _plus(out, self.sum(a, above))
                return out
            case "mul":
                out = {(): Fraction(1)}
                for a in m.args:
                    factor = self.sum(a, above)
                    if above and any(c < 0 for c in factor.values()):
                        raise NoBound
                    out = _times(out, factor)
                return out
            case "power" if isinstance(m.attr, Count) and not m.attr.letters and 0 <= m.attr.offset <= 4:
                out = {(): Fraction(1)}
                for _ in range(m.attr.offset):
                    out = _times(out, self.sum(m.args[0], above))
                return out
            case "norm" if above:
                kind, matrix = m.attr
                if isinstance(matrix, Product):
                    raise NoBound
                return self._norm(matrix, kind)
        return {(self.atom(m),): Fraction(1)}

    def atom(self, m: Magnitude) -> Atom:
        """An atom in one form: norms that a transposition does not change without it."""
        if m.op in ("norm", "radius", "top"):
            kind, matrix = m.attr if m.op == "norm" else ("2", m.attr)
            if isinstance(matrix, Expr) and kind in TURNED:
                plain = _turned(matrix) if matrix.op == "transpose" else matrix
                return Magnitude(m.op, attr=(kind, plain) if m.op == "norm" else plain)
        return m

    def _norm(self, e: Expr, kind: str) -> Sum:
        """What the norm of an expression does not exceed."""
        own = self.atom(norm(e, kind))
        if own in self.kept:
            return {(own,): Fraction(1)}
        for atom in self.kept:                                        # the same matrix in other words
            if atom.op == "norm" and atom.attr[0] == kind and isinstance(atom.attr[1], Expr) and _alike(e, atom.attr[1]) and (
                    self.same(e, atom.attr[1])):
                return {(atom,): Fraction(1)}
        match e.op:
            case "zeros":
                return {}
            case "transpose" if kind in TURNED:
                return self._norm(e.args[0], kind)
            case "add":
                out: Sum = {}
                for a in e.args:
                    out = _plus(out, self._norm(a, kind))
                return out
            case "smul":
                return _times(self._modulus(e.args[0]), self._norm(e.args[1], kind))
            case "matmul":
                out = {(): Fraction(1)}
                for a in e.args:                                      # |A B|_F <= |A|_2 |B|_F
                    out = _times(out, self._norm(a, "2" if kind == "F" and a.op == "diag" and len(e.args) > 1 else kind))
                return out
            case "eye" if kind in ("", "2"):
                return {(): Fraction(1)}
            case "diag" if kind in ("", "2") and (most := self._peak(e.args[0])) is not None:
                return {(): most} if most else {}
            case "apply" if kind in ("", "2", "F") and e.attr in LIPSCHITZ and e.shape is not None and 1 in e.shape:
                return _times({(): LIPSCHITZ[e.attr]}, self._norm(e.args[0], kind))
            case "deriv":
                found = self.explicit(e)
                if found is not None:
                    return self._norm(found, kind)
            case "sym" if e.attr.time == NOW and e.attr.name in self.model.definitions:
                return self._norm(self.model.definitions[e.attr.name], kind)
        return {(own,): Fraction(1)}

    def _modulus(self, c: Expr) -> Sum:
        """The absolute value of a number: itself where it is known not to be negative."""
        if c.op == "num":
            return {(): abs(c.attr)} if c.attr else {}
        own = _polynomial(c)
        (known, k), *rest = sorted(own.items(), key=lambda row: len(row[0]), reverse=True)
        if len(known) != 1:
            one = False
        elif not rest:
            one = k > 0 and self._never_negative(known[0])
        else:                                                         # 1 - a with a at most 1
            one = k == -1 and [*rest] == [((), Fraction(1))] and any(
                p.left == known[0] and p.right.op == "number" and p.right.attr <= 1 for p in self._stated())
        return own if one else {(Magnitude("abs", (Magnitude("value", attr=c),)),): Fraction(1)}

    def _stated(self) -> Iterator[Said]:
        return (p for p in (x.upward() for x in self.facts) if p.relation in ("<", "<="))

    def _above_zero(self, a: Atom) -> bool:
        """Whether a number is stated to be greater than zero."""
        return any(p.relation == "<" and p.right == a and p.left.op == "number" and p.left.attr >= 0 for p in self._stated())

    def _peak(self, v: Expr) -> Fraction | None:
        """The largest modulus of an entry of a column, where its equation bounds it."""
        bases = {s.time.base for s in symbols(v) if s.time is not None}
        v = fix_time(v, bases.pop(), NOW) if len(bases) == 1 and bases != {"T"} else v
        found = _slope(v, self.model)
        if found is not None:
            return found
        lies = bounds(v, self.model, {}, {})
        return None if lies.low is None or lies.high is None else max(abs(lies.low), abs(lies.high))

    def explicit(self, e: Expr) -> Expr | None:
        """A derivative as a matrix, proved to be it; what has no derivative in it is one already."""
        if e.op != "deriv":
            return None if any(x.op == "deriv" for x in walk(e)) else e
        top, bottom = e.args
        found = jacobian(top, bottom, self.model) if top.op == bottom.op == "sym" else None
        return found if found is not None and found.shape == e.shape and self.same(e, found) else None


def _turned(m: Matrix) -> Matrix | None:
    if isinstance(m, Product):
        return None
    return m.args[0] if m.op == "transpose" else transpose(m)


def _polynomial(c: Expr) -> Sum:
    """A number as a sum of products of symbols."""
    match c.op:
        case "num":
            return {(): c.attr} if c.attr else {}
        case "add":
            out: Sum = {}
            for a in c.args:
                out = _plus(out, _polynomial(a))
            return out
        case "smul" | "had" if all(a.shape == SCALAR for a in c.args):
            out = {(): Fraction(1)}
            for a in c.args:
                out = _times(out, _polynomial(a))
            return out
    return {(Magnitude("value", attr=c),): Fraction(1)}


def _alike(a: Expr, b: Expr) -> bool:
    """Whether two expressions have one shape and are not both plain symbols."""
    return a.shape == b.shape and not (a.op == b.op == "sym") and a.shape != SCALAR


def _slope(v: Expr, model: Model) -> Fraction | None:
    """The largest slope of a function, for its derivative printed in any of its forms.

    >>> from symrnn.expr import apply, symbol
    >>> u = apply("tanh", symbol("u", ("n", 1)))
    >>> _slope(1 - u * u, Model("m", ()))
    Fraction(1, 1)
    """
    for value in dict.fromkeys(x for x in walk(v) if x.shape == v.shape):
        name = _function(value, model)
        if name is None:
            continue
        interval, rule = SLOPES[name]
        if interval.high is not None and rule_matches(v, value, name):
            return interval.high
    return None


def _function(value: Expr, model: Model) -> str | None:
    """The activation whose value an expression is, by its equation if it is a variable."""
    if value.op == "sym" and value.attr.name in model.definitions:
        value = model.definitions[value.attr.name]
    return value.attr if value.op == "apply" and value.attr in SLOPES else None


def rule_matches(v: Expr, value: Expr, name: str) -> bool:
    """Whether a column is the slope of a function, written with its value."""
    own = 1 - value * value if name == "tanh" else value - value * value
    others = [own, 1 - value**2 if name == "tanh" else value * (1 - value)]
    free = Model("none", ())
    return v in others or set(symbols(v)) <= set(symbols(value)) and decide(Claim(v, own, free)).word == "proved"


def _free_letter(taken: Sequence[str]) -> str:
    return next(x for x in ("j", "i", "s", "r") if x not in taken)


def _product(values: Iterator[Fraction]) -> Fraction:
    out = Fraction(1)
    for v in values:
        out *= v
    return out


def _plus(a: Sum, b: Sum) -> Sum:
    out = dict(a)
    for atoms, c in b.items():
        out[atoms] = out.get(atoms, Fraction(0)) + c
        if not out[atoms]:
            del out[atoms]
    return out


def _times(a: Sum, b: Sum) -> Sum:
    out: Sum = {}
    for (x, c), (y, d) in product(a.items(), b.items()):
        out = _plus(out, {tuple(sorted((*x, *y), key=str)): c * d})
    return out
