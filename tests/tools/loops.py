"""Values by plain loops over indices, in 50 digits: one evaluator for expressions, one for normal forms.

Neither uses any rule of the package; they are what the tests hold the normal form against. A quantity has a value at every step,
made from its name and step, so that expressions may speak of any step.
"""
from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from mpmath import mp, mpf

from symrnn.expr import Expr, Index, Size, Symbol, Time
from symrnn.expr.linear import value as value_of_size
from symrnn.model import Model
from symrnn.prove.forms import Atom, Form, Label

mp.dps = 50
TINY = mpf(10) ** -25
"""Below this a value is a rounding error of zero."""
Table = list[list[Any]]

FUNCTIONS: dict[str, Any] = {
    "id": lambda u: u, "tanh": mp.tanh, "sigmoid": lambda u: 1 / (1 + mp.exp(-u)), "relu": lambda u: u * (u > TINY),
    "step": lambda u: mpf(u > TINY), "softplus": lambda u: mp.log(1 + mp.exp(u)), "exp": mp.exp, "log": mp.log,
    "recip": lambda u: 1 / u, "sin": mp.sin, "cos": mp.cos, "sinh": mp.sinh, "cosh": mp.cosh, "sqrt": mp.sqrt,
    "?f": lambda u: mp.sin(2 * u) + u * u, "?f'": lambda u: 2 * mp.cos(2 * u) + 2 * u, "?f''": lambda u: 2 - 4 * mp.sin(2 * u),
}


def number(*key: Any, low: float = -1, high: float = 1) -> Any:
    """A number in a range, made from a key."""
    digest = blake2b(repr(key).encode(), digest_size=12).digest()
    return low + (high - low) * mpf(int.from_bytes(digest, "big")) / mpf(2) ** 96


@dataclass(frozen=True)
class World:
    """Sizes, the step t, the last step T, values of component indices and of time letters, and a seed for all quantities.

    ``positive``: names of quantities that are positive; ``simplex``: of vectors that sum to one; ``zero``: of quantities that are
    zero; ``moved``: a change added to one entry of one quantity, (name, kind, step) -> (row, column, amount); ``defined``:
    symbols that have the value of an expression; ``known``: values by (name, kind, step); ``carried``: the value of the total
    derivative of a variable by a parameter, which the symbol "v by p" at a step stands for.
    """

    sizes: dict[str, int]
    t: int = 2
    T: int = 3
    seed: int = 0
    indices: dict[str, int] = field(default_factory=dict)
    letters: dict[str, int] = field(default_factory=dict)
    positive: frozenset[str] = frozenset()
    simplex: frozenset[str] = frozenset()
    zero: frozenset[str] = frozenset()
    one: frozenset[str] = frozenset()
    moved: dict[tuple[str, str, int | None], tuple[int, int, Any]] = field(default_factory=dict)
    defined: dict[Symbol, Expr] = field(default_factory=dict)
    known: dict[tuple[str, str, int | None], Table] = field(default_factory=dict)
    carried: Callable[[World, Symbol, list[int]], Any] | None = None

    def size(self, n: Size) -> int:
        return value_of_size(n, self.sizes)

    def step(self, t: Time) -> int:
        base = {"": 0, "t": self.t, "T": self.T, **self.letters}[t.base]
        return base + t.offset

    def at(self, i: Index | int) -> int:
        return i - 1 if isinstance(i, int) else self.indices[i.name]

    def value(self, s: Symbol) -> Table:
        """The entries of a symbol."""
        if s in self.defined and (s.time is None or s.time.base not in self.letters):
            return evaluate(replace(self, defined={}, letters={}), self.defined[s])
        step = None if s.time is None else self.step(s.time)
        rows, columns = (self.size(n) for n in s.shape)
        low = mpf("0.2") if s.name in self.positive else -1
        if (s.name, s.kind, step) in self.known:
            return self.known[s.name, s.kind, step]
        made = [[mpf(0) if s.name in self.zero else mpf(1) if s.name in self.one else number(self.seed, s.name, s.kind, step, r, c, low=low)
                 for c in range(columns)] for r in range(rows)]
        if s.name in self.simplex:
            whole = sum(abs(row[0]) for row in made)
            made = [[abs(row[0]) / whole] for row in made]
        if (s.name, s.kind, step) in self.moved:
            r, c, amount = self.moved[s.name, s.kind, step]
            made[r][c] += amount
        return made


def shape(w: World, e: Expr) -> tuple[int, int]:
    assert e.shape is not None
    return w.size(e.shape[0]), w.size(e.shape[1])


def table(w: World, e: Expr, entry: Any) -> Table:
    rows, columns = shape(w, e)
    return [[entry(r, c) for c in range(columns)] for r in range(rows)]


def vector_function(name: str, args: list[list[Any]], out: int) -> Any:
    """An unspecified vector function: tanh of one affine combination of all arguments for each component."""
    return mp.tanh(sum(number(name, out, k, n) * v for k, a in enumerate(args) for n, v in enumerate(a)))


def evaluate(w: World, e: Expr) -> Table:
    """The value of an expression as rows of entries."""
    a = e.args
    flat = [v for x in a[:1] for row in evaluate(w, x) for v in row] if e.op in ("softmax", "lse", "sum", "diag") else []
    match e.op:
        case "sym":
            return w.value(e.attr)
        case "num":
            return [[mpf(e.attr.numerator) / e.attr.denominator]]
        case "size":
            return [[mpf(w.size(e.attr))]]
        case "ones" | "zeros":
            return table(w, e, lambda r, c: mpf(e.op == "ones"))
        case "eye":
            return table(w, e, lambda r, c: mpf(r == c))
        case "delta":
            return [[mpf(w.at(e.attr[0]) == w.at(e.attr[1]))]]
        case "add":
            parts = [evaluate(w, x) for x in a]
            return table(w, e, lambda r, c: sum(p[r][c] for p in parts))
        case "smul":
            (k,), = evaluate(w, a[0])
            body = evaluate(w, a[1])
            return table(w, e, lambda r, c: k * body[r][c])
        case "had":
            left, right = evaluate(w, a[0]), evaluate(w, a[1])
            return table(w, e, lambda r, c: left[r][c] * right[r][c])
        case "matmul":
            left, right = evaluate(w, a[0]), evaluate(w, a[1])
            return table(w, e, lambda r, c: sum(left[r][k] * right[k][c] for k in range(len(right))))
        case "transpose":
            body = evaluate(w, a[0])
            return table(w, e, lambda r, c: body[c][r])
        case "pow":
            body = evaluate(w, a[0])
            return table(w, e, lambda r, c: body[r][c] ** e.attr)
        case "apply":
            body = evaluate(w, a[0])
            return table(w, e, lambda r, c: FUNCTIONS[e.attr](body[r][c]))
        case "softmax":
            whole = sum(map(mp.exp, flat))
            return table(w, e, lambda r, c: mp.exp(flat[r]) / whole)
        case "lse":
            return [[mp.log(sum(map(mp.exp, flat)))]]
        case "sum":
            return [[sum(flat)]]
        case "diag":
            return table(w, e, lambda r, c: flat[r] if r == c else mpf(0))
        case "entry":
            r, c = (0 if i is None else w.at(i) for i in e.attr)
            return [[evaluate(w, a[0])[r][c]]]
        case "isum":
            parts = [evaluate(replace(w, indices={**w.indices, e.attr.name: k}), a[0]) for k in range(w.size(e.attr.size))]
            return table(w, e, lambda r, c: sum(p[r][c] for p in parts))
        case "tsum":
            letter, lo, hi = e.attr
            parts = [evaluate(replace(w, letters={**w.letters, letter: k}), a[0]) for k in range(w.step(lo), w.step(hi) + 1)]
            return table(w, e, lambda r, c: sum((p[r][c] for p in parts), mpf(0)))
        case "cat":
            return [row for x in a for row in evaluate(w, x)]
        case "slice":
            return evaluate(w, a[0])[w.size(e.attr[0]) - 1:w.size(e.attr[1])]
        case "vcall":
            values = [[v for row in evaluate(w, x) for v in row] for x in a]
            return table(w, e, lambda r, c: vector_function(e.attr[0], values, r))
        case "vjac":
            name, _, k = e.attr
            values = [[v for row in evaluate(w, x) for v in row] for x in a]
            return table(w, e, lambda r, c: jacobian(name, values, k, r, c))
    raise NotImplementedError(e.op)


def jacobian(name: str, args: list[list[Any]], k: int, out: int, n: int) -> Any:
    return number(name, out, k, n) * (1 - vector_function(name, args, out) ** 2)


# ------------------------------------------------------------------------------------------------------------------ normal forms
def form_value(w: World, f: Form, labels: dict[Label, int]) -> Any:
    """The value of a form where its free labels have the given values (counted from 0)."""
    out = mpf(0)
    for t, c in f.terms:
        steps = [None] if t.over is None else range(w.step(t.over[0]), w.step(t.over[1]) + 1)
        for k in steps:
            here = w if k is None else replace(w, letters={**w.letters, "#": k})
            product = mpf(c.numerator) / c.denominator
            for part in t.parts:
                product *= part_value(here, part, labels)
            out += product
    return out


def part_value(w: World, part: Any, labels: dict[Label, int]) -> Any:
    """A product summed over its dummies."""
    sizes: dict[Label, int] = {}
    for a, ix, _ in part:
        sizes.update({x: w.size(n) for x, n in zip(ix, a.slots, strict=True) if x[0] == "#"})
    out = mpf(0)
    for values in itertools.product(*map(range, sizes.values())):
        here = {**labels, **dict(zip(sizes, values, strict=True))}
        product = mpf(1)
        for a, ix, e in part:
            product *= atom_value(w, a, [place(w, x, here) for x in ix]) ** e
        out += product
    return out


def place(w: World, x: Label, labels: dict[Label, int]) -> int:
    if x in labels:
        return labels[x]
    return int(x[1:]) - 1 if x[0] == "=" else w.indices[x[1:]]


def atom_value(w: World, a: Atom, at: list[int]) -> Any:
    inner = {str(n): k for n, k in enumerate(at)}
    match a.kind:
        case "v":
            assert a.symbol is not None
            if a.symbol.kind == "sensitivity":
                assert w.carried is not None
                return w.carried(w, a.symbol, at)
            places = iter(at)
            r, c = (0 if n == 1 else next(places) for n in a.symbol.shape)
            return w.value(a.symbol)[r][c]
        case "f":
            return FUNCTIONS[a.name](form_value(w, a.args[0], inner))
        case "Z" | "l":
            whole = sum(mp.exp(form_value(w, a.args[0], {"0": k})) for k in range(w.size(a.args[0].labels[0][1])))
            return whole if a.kind == "Z" else mp.log(whole)
        case "d":
            return mpf(at[0] == at[1])
        case "n":
            return mpf(w.step(Time(a.name[5:]))) if a.name.startswith("step ") else mpf(w.sizes[a.name])
        case "F" | "J":
            name, _, k = a.name.partition("|")
            values = []
            for g in a.args:
                spans = [range(w.size(n)) for _, n in g.labels]
                values.append([form_value(w, g, {x: v for (x, _), v in zip(g.labels, vs, strict=True)})
                               for vs in itertools.product(*spans)])
            out = at[:1] if a.kind == "F" or len(at) == 2 else []
            if a.kind == "F":
                return vector_function(name, values, out[0] if out else 0)
            return jacobian(name, values, int(k), *jacobian_place(a, at))
    raise NotImplementedError(a.kind)


def jacobian_place(a: Atom, at: list[int]) -> tuple[int, int]:
    """Output and input component of a Jacobian atom; one that has no slot is the first."""
    _, _, k = a.name.partition("|")
    inputs = len(a.args[int(k)].labels)
    return (at[0] if len(at) > inputs else 0), (at[-1] if inputs else 0)


def form_table(w: World, f: Form, e_shape: tuple[Size, Size]) -> Table:
    """A form with the axes of an expression, as rows of entries."""
    rows, columns = (w.size(n) for n in e_shape)
    axes = [x for x, _ in f.labels]
    return [[form_value(w, f, {x: {"r": r, "c": c}[x] for x in axes}) for c in range(columns)] for r in range(rows)]


def far(a: Table, b: Table) -> Any:
    """The largest difference of two tables, relative to their size where that is above 1."""
    pairs = [(x, y) for r, s in zip(a, b, strict=True) for x, y in zip(r, s, strict=True)]
    return max(abs(x - y) / max(1, abs(x), abs(y)) for x, y in pairs)


# ----------------------------------------------------------------------------------------------------------------------- models
Bump = tuple[str, int, int, int, Any]
"""A change added to one entry of a variable once it is computed: name, step, row, column, amount."""


def run(w: World, model: Model, bump: Bump | None = None) -> World:
    """The world with every variable of a model computed at t = 1..T; what stands before step 1 is made up."""
    known = dict(w.known)
    for t in range(1, w.T + 1):
        for eq in model.equations:
            here = evaluate(replace(w, t=t, known=known), eq.right)
            if bump is not None and bump[:2] == (eq.name, t):
                here = [list(row) for row in here]
                here[bump[2]][bump[3]] += bump[4]
            known[eq.name, "variable", t] = here
    return replace(w, known=known)


def loss(w: World, model: Model) -> Any:
    """The loss summed over t = 1..T, of a world that was run."""
    assert model.loss is not None
    return sum(w.known[model.loss, "variable", t][0][0] for t in range(1, w.T + 1))


def backward(w: World, model: Model, adjoints: dict[str, Expr]) -> World:
    """The world with every adjoint computed from its recurrence at t = T..1; beyond T it is zero."""
    known = dict(w.known)
    for s in (*model.variables, *model.inputs):
        for t in range(w.T + 1, w.T + 4):
            known[s.name, "adjoint", t] = [[mpf(0)] * w.size(s.shape[1]) for _ in range(w.size(s.shape[0]))]
    names = [e.name for e in reversed(model.equations) if e.name in adjoints] + [s.name for s in model.inputs]
    for t in range(w.T, 0, -1):
        for name in names:
            known[name, "adjoint", t] = evaluate(replace(w, t=t, known=known), adjoints[name])
    return replace(w, known=known)
