"""The value of any expression at a point: forward recurrence, every operation, derivatives by forward duals.

A point gives every free symbol a value of a number system and runs the equations for t = 1..T. Component indices become axes of
the arrays, so that all index assignments are computed at once. Derivatives, adjoints and gradients come from
:class:`symrnn.prove.duals.Sweep`; nothing of the reverse sweep is used.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from symrnn.expr import SCALAR, Expr, Index, Symbol, Time, apply, inverse_at, repeated, symbols
from symrnn.model import Equation, Model
from symrnn.prove.claim import Condition, Missing, Unsupported
from symrnn.prove.duals import Sweep, vector_name
from symrnn.prove.grid import Free, Sizes, size_value
from symrnn.prove.numbers import Array, Field, Number, System
from symrnn.prove.rows import CURVE, LEAF, LINEAR, PRODUCT, Val, add_up, over, pick, spread, union, window_parts

#: ``draw(name, step, (rows, columns), simplex)`` gives the rows of a free symbol; ``step`` is None for what does not change.
Draw = Callable[[str, int | None, tuple[int, int], bool], list[list[Number]]]
Env = Mapping[str, int]


EXPANDED = ("mpow", "inv")
"""Operations that are made of others, as many as the sizes and steps say."""


# ---------------------------------------------------------------------------------------------------------------------- a point
class Point:
    """A model with all its free symbols at values of one number system, for t = 1..T.

    ``conditions`` restrict what is drawn (simplex, zero, past-zero) and what a derivative means (immediate). A symbol that the
    model does not know is free and exists at every step; one that it knows exists where the recurrence needs it.
    """

    def __init__(self, model: Model, system: System, sizes: Sizes, T: int, draw: Draw,
                 conditions: tuple[Condition, ...] = (), free: Free | None = None) -> None:
        self.model, self.system, self.sizes, self.T, self.draw = model, system, sizes, T, draw
        self.free = free or Free()
        self.known = known_symbols(model)
        self.first, self.beyond_last = first_steps(model), last_steps(model)
        subjects = {kind: {c.subject[0] for c in conditions if c.kind == kind} for kind in ("simplex", "zero", "past-zero", "at-end")}
        self.at_end = subjects["at-end"]
        self.simplex = subjects["simplex"] | model.simplex
        self.zero, self.past = subjects["zero"], set(subjects["past-zero"])
        self.stated_past: set[object] = set(self.past)
        if model.initial == "zero":
            self.past |= {s.name for s in model.states}
        self.immediate = any(c.kind == "immediate" for c in conditions)
        self.extended = any(c.kind == "beyond-zero" for c in conditions)
        unknown = [c for c in conditions if c.kind not in CONDITIONS]
        if unknown:
            raise Unsupported(f"the condition {unknown[0]}")
        self.drawn: dict[tuple[str, int | None], Array] = {}
        self._values: dict[tuple[Any, ...], Val] = {}
        self._run = 0
        self._state: dict[tuple[str, int], Val] = {}
        self._missing: dict[tuple[str, int], Missing] = {}
        self._sweeps: dict[tuple[Any, ...], Sweep] = {}
        self._eyes: dict[int, Array] = {}

    # ------------------------------------------------------------------------------------------------------ what callers use
    def value(self, e: Expr, times: Env | None = None, indices: Env | None = None) -> Array:
        """The matrix ``e`` at the steps ``times`` of its letters and the values ``indices`` of its component indices.

        Raises Missing where a symbol does not exist, BadPoint outside a domain, Unsupported for what cannot be treated.
        """
        v = self.table(e, times)
        try:
            at = tuple((indices or {})[i.name] - 1 for i in v.axes)
        except KeyError as error:
            raise Unsupported(f"the component index {error.args[0]} has no value") from None
        out: Array = v.a[at]
        return out

    def table(self, e: Expr, times: Env | None = None) -> Val:
        """The values of ``e`` for every assignment of its free component indices."""
        if e.fault is not None:
            raise Unsupported(f"an expression without a shape ({e.fault})")
        with self.system.scope():
            return self.eval(e, times or {})

    # ------------------------------------------------------------------------------------------------------------- evaluation
    def eval(self, e: Expr, env: Env) -> Val:
        try:
            key = (e, *(env[x] for x in self.free.letters(e)))
        except KeyError as error:
            raise Unsupported(f"the time letter {error.args[0]} has no range") from None
        found = self._values.get(key)
        if found is None:
            found = self._values[key] = self._eval(e, env)
        return found

    def _eval(self, e: Expr, env: Env) -> Val:
        op = e.op
        if op == "sym":
            return self.symbol(e.attr, env)
        if op in LEAF:
            return LEAF[op](self, e)
        if op == "tsum":
            terms = [self.eval(e.args[0], inner) for inner in self.ranged(e, env)]
            return add_up(self, terms, 0) if terms else self.nothing(e.args[0])
        if op == "deriv":
            return self.derivative(e, env)
        if op in EXPANDED:
            return self.eval(self.expanded(e, env), env)
        if op == "mexp":
            return self.exponential(e, env)
        args = [self.eval(a, env) for a in (self.window(e, env) if op == "window" else e.args)]
        if op in LINEAR:
            return LINEAR[op](self, e, args, 0)
        if op in PRODUCT:
            return over(self, args, 0, lambda x: PRODUCT[op](x[0], x[1]))
        if op in CURVE:
            return Val(args[0].axes, CURVE[op].value(self, e, args[0].a))
        if op == "vcall":
            assert e.shape is not None
            return self.vector(vector_name(e), args, self.dims(e.shape))
        if op == "vjac":
            return self.jacobian(e, args)
        raise Unsupported(f"the operation {op}")

    def ranged(self, e: Expr, env: Env) -> list[dict[str, int]]:
        """The environments of the terms of a sum over time."""
        letter, low, high = e.attr
        return [{**env, letter: s} for s in range(self.step(low, env), self.step(high, env) + 1)]

    def window(self, e: Expr, env: Env) -> list[Expr]:
        """The values that a window stacks, oldest first."""
        s: Symbol = e.args[0].attr
        assert s.time is not None
        return window_parts(self, e, self.step(s.time, env), self.first.get(s.name, 1))

    def expanded(self, e: Expr, env: Env) -> Expr:
        """A power with a counted exponent as a product, an inverse by products and a reciprocal; Missing where an exponent is negative."""
        if e.op == "inv":
            return inverse_at(e.args[0], self.rows(e))
        last, first = (self.step(time, env) for time in e.attr)
        if last < first:
            raise Missing(f"{e} has the exponent {last - first}")
        return repeated(e.args[0], last - first)

    def exponential(self, e: Expr, env: Env) -> Val:
        """The exponential of a matrix: that of a number for one row, else some function of the matrix, of which nothing else is known.

        What is equal for every function is equal for this one. A difference shows nothing, and no real point is given.
        """
        if self.rows(e) == 1:
            return self.eval(apply("exp", e.args[0]), env)
        if not isinstance(self.system, Field):
            raise Unsupported("the exponential of a matrix at a real point")
        n = self.rows(e)
        return self.vector("exponential of a matrix", [self.eval(e.args[0], env)], (n, n))

    def rows(self, e: Expr) -> int:
        assert e.shape is not None
        return size_value(e.shape[0], self.sizes)

    def nothing(self, body: Expr) -> Val:
        """The empty sum."""
        assert body.shape is not None
        return Val((), self.system.full(self.dims(body.shape), 0))

    def step(self, time: Time, env: Env) -> int:
        base = 0 if not time.base else self.T if time.base == "T" else env.get(time.base)
        if base is None:
            raise Unsupported(f"the time letter {time.base} has no range")
        return base + time.offset

    def dims(self, shape: tuple[Any, Any]) -> tuple[int, int]:
        return size_value(shape[0], self.sizes), size_value(shape[1], self.sizes)

    def identity(self, n: int) -> Array:
        if n not in self._eyes:
            out = self.system.full((n, n), 0)
            for k in range(n):
                out[k, k] = self.system.number(1)
            self._eyes[n] = out
        return self._eyes[n]

    def vector(self, name: str, args: list[Val], shape: tuple[int, int]) -> Val:
        """An unspecified vector function, or its Jacobian, for every assignment of the indices of its arguments."""
        axes = union(args)
        arrays = [spread(v, axes) for v in args]
        outer = np.broadcast_shapes(*(x.shape[:-2] for x in arrays))
        arrays = [np.broadcast_to(x, outer + x.shape[-2:]) for x in arrays]
        out = np.empty(outer + shape, dtype=self.system.dtype)
        for k in np.ndindex(*outer):
            out[k] = self.system.vector_function(name, [x[k].tolist() for x in arrays], shape)
        return Val(axes, out)

    def jacobian(self, e: Expr, args: list[Val]) -> Val:
        """The Jacobian of an unspecified function; by a matrix: by the long vector of its entries, laid out as the matrix, transposed."""
        by = e.args[e.attr[2]].shape
        assert by is not None and e.shape is not None
        rows, columns = self.dims(by)
        found = self.vector(vector_name(e), args, (self.dims(e.attr[1])[0], rows * columns))
        if by[1] == 1:
            return found
        return Val(found.axes, found.a.reshape(*found.a.shape[:-2], rows, columns).swapaxes(-1, -2))

    # ---------------------------------------------------------------------------------------------------------------- symbols
    def is_total(self, s: Symbol) -> bool:
        return s.name == self.model.total and s.time is None and s.name not in self.known and self.model.loss is not None

    def symbol(self, s: Symbol, env: Env) -> Val:
        step = None if s.time is None else self.step(s.time, env)
        if s.kind in ("adjoint", "gradient"):
            return self.loss_derivative(s, step)
        if self.is_total(s):
            self.run(self.T)
            return add_up(self, [self.state(self.model.loss or "", k) for k in range(1, self.T + 1)], 0)
        if self.beyond(s, step):
            return Val((), self.system.full(self.dims(s.shape), 0))
        if not self.vanishes(s, step):
            self.check_symbol(s, step)
        if step is not None and 1 <= step <= self.T and s.name in self.model.definitions:
            if (s.name, step) not in self._state and (s.name, step) not in self._missing:
                self.run(step)
            return self.state(s.name, step)
        return Val((), self.free_symbol(s.name, step, self.dims(s.shape)))

    def vanishes(self, s: Symbol, step: int | None) -> bool:
        """Whether a stated condition makes the symbol zero because its step lies before the first that it has.

        A state that starts at zero has a value there, by which what follows is differentiated like by any other.
        """
        return step is not None and step < min(1, self.first.get(s.name, 1)) and s.name in self.stated_past

    def beyond(self, s: Symbol, step: int | None) -> bool:
        """Whether the symbol does not exist at its step and counts as zero there."""
        return self.extended and s.name in self.known and not self.exists(s.name, step)

    def check_symbol(self, s: Symbol, step: int | None) -> None:
        """Whether the model has this symbol in this shape at this step."""
        mine = self.known.get(s.name)
        if mine is None:
            return
        if mine.shape != s.shape and self.dims(mine.shape) != self.dims(s.shape):
            raise Unsupported(f"{s.name} has another shape in the model")
        if (mine.time is None) != (step is None):
            raise Unsupported(f"{s.name} {'changes' if mine.time else 'does not change'} over time in the model")
        if not self.exists(s.name, step):
            raise Missing(f"{s.name} does not exist at step {step} (it exists at {self.first[s.name]}..{self.last(s.name)})")

    def last(self, name: str) -> int:
        """The last step at which a quantity of the model exists: T, or a later one at which what runs backward is given."""
        return self.T + self.beyond_last.get(name, 0)

    def exists(self, name: str, step: int | None) -> bool:
        """Whether a quantity of the model exists at a step."""
        return step is None or self.first[name] <= step <= self.last(name)

    def free_symbol(self, name: str, step: int | None, shape: tuple[int, int]) -> Array:
        found = self.drawn.get((name, step))
        if found is None:
            if name in self.zero or (name in self.past and step is not None and not 1 <= step <= self.T):
                return self.system.full(shape, 0)
            if name in self.at_end:
                return self.system.full(shape, int(step == self.T))
            found = self.drawn[name, step] = self.system.array(self.draw(name, step, shape, name in self.simplex))
        return found

    def state(self, name: str, step: int) -> Val:
        """The value of a variable at a step that was computed."""
        if (name, step) in self._missing:
            raise self._missing[name, step]
        return self._state[name, step]

    def run(self, last: int) -> None:
        """The recurrence up to a step; all of it where something runs backward."""
        for eq, t in self.remaining(self._run, last):
            try:
                v = self.eval(eq.right, {"t": t})
            except Missing as reason:                                # it concerns only what needs this variable
                self._missing[eq.name, t] = reason
                continue
            if v.axes:
                raise Unsupported(f"the equation of {eq.name} has a free component index")
            self.check_conditions(eq.name, v.a)
            self._state[eq.name, t] = v
        self._run = max(self._run, self.T if self.model.backward else last)

    def remaining(self, done: int, last: int) -> Iterator[tuple[Equation, int]]:
        """The equations with their steps, in an order in which each uses only earlier ones: those after ``done`` up to ``last``."""
        if self.model.backward:
            runs = self.model.runs if not done else ()
            yield from ((eq, t) for way, rows in runs for t in range(1, self.T + 1)[::way] for eq in rows)
        else:
            yield from ((eq, t) for t in range(done + 1, last + 1) for eq in self.model.equations)

    def check_conditions(self, name: str, a: Array) -> None:
        """A condition on a computed quantity must hold by itself."""
        if name in self.zero and self.system.different(a, self.system.full(a.shape, 0)).any():
            raise Unsupported(f"the condition that {name} is zero, since {name} is computed")
        if name in self.simplex and self.system.different(self.system.reduce(a.sum(-2, keepdims=True)),
                                                          self.system.full((1, 1), 1)).any():
            raise Unsupported(f"the condition that the entries of {name} sum to one, since {name} is computed")

    # ------------------------------------------------------------------------------------------------------------ derivatives
    def loss_derivative(self, s: Symbol, step: int | None) -> Val:
        """dL/dv: the shape of v; zero at steps after the last."""
        mine = self.known.get(s.name)
        if mine is None or self.model.loss is None:
            raise Unsupported(f"{s}: the model has no {'loss' if mine else s.name}")
        if mine.time is not None and self.nothing_there(s.name, step):
            return Val((), self.system.full(self.dims(s.shape), 0))
        self.check_symbol(Symbol(s.name, s.shape, mine.kind, s.time), step)
        sweep = self.sweep(s, step, False)
        return Val((), self.layout(sweep.loss(), SCALAR, s.shape, sweep.slices[step]))

    def nothing_there(self, name: str, step: int | None) -> bool:
        """Whether the loss depends on no value of a sequence at a step: after the last one, or before the first if it runs backward."""
        return step is not None and (step > self.last(name) or step < 1 and name in self.model.backward)

    def sweep(self, s: Symbol, step: int | None, immediate: bool) -> Sweep:
        """The tangents along a symbol: at all its steps at once if the model knows it."""
        known = s.name in self.known
        key = (s.name, None if known else step, immediate)
        if key not in self._sweeps:
            steps = range(self.first[s.name], self.last(s.name) + 1) if known and step is not None else [step]
            self._sweeps[key] = Sweep(self, s.name, self.dims(s.shape), steps, immediate)
        return self._sweeps[key]

    def layout(self, d: Val, top: tuple[Any, Any], bottom: tuple[Any, Any], part: slice) -> Array:
        """The tangent along the directions ``part`` in the layout of the house."""
        a = d.a[part]
        if top == SCALAR:
            return np.moveaxis(a[..., 0, 0], 0, -1).reshape(*a.shape[1:-2], *self.dims(bottom))
        if bottom == SCALAR:
            return np.asarray(a[0])
        return np.moveaxis(a[..., 0], 0, -1)

    def target(self, e: Expr, env: Env) -> tuple[Symbol, int | None, bool, tuple[Index | int, Index | int] | None]:
        """What a ``deriv`` node differentiates by: symbol, step, whether through one step only, and the component that is meant.

        The loss is differentiated along every path, and so is anything by what is no parameter; by a parameter, ``partial`` and
        ``immediate`` mean one step only.
        """
        top, bottom = e.args
        component: tuple[Index | int, Index | int] | None = None
        if bottom.op == "entry":
            rows, columns = (1 if i is None else i for i in bottom.attr)
            component, bottom = (rows, columns), bottom.args[0]
        if bottom.op != "sym" or bottom.attr.kind in ("adjoint", "gradient") or self.is_total(bottom.attr):
            raise Unsupported(f"a derivative by {bottom}, which is not a symbol of the model")
        s: Symbol = bottom.attr
        step = None if s.time is None else self.step(s.time, env)
        if not self.beyond(s, step) and not self.after_the_end(top, s, step):
            self.check_symbol(s, step)
        once = self.known.get(s.name, s).kind in ("parameter", "constant") and (self.immediate or e.attr in ("immediate", "partial"))
        whole = top.op == "sym" and self.is_total(top.attr)
        summed = top.op == "tsum" and top.args[0].op == "sym" and top.args[0].attr.name == self.model.loss
        return s, step, once and not whole and not summed, component

    def derivative(self, e: Expr, env: Env) -> Val:
        top = e.args[0]
        assert top.shape is not None and e.shape is not None
        s, step, once, component = self.target(e, env)
        if self.beyond(s, step) or self.after_the_end(top, s, step):
            return Val((), self.system.full(self.dims(e.shape), 0))
        sweep = self.sweep(s, step, once)
        d = sweep.tangent(top, env, self.moment(top, env)) or sweep.zero(self.dims(top.shape))
        part = sweep.slices[step]
        if component is None:
            return Val(d.axes, self.layout(d, top.shape, s.shape, part))
        a = d.a[part]
        a = np.moveaxis(a.reshape(*self.dims(s.shape), *a.shape[1:]), (0, 1), (-2, -1))     # axes, top, bottom
        a = np.moveaxis(a, (-4, -3), (0, 1))                                                # top, axes, bottom
        out = pick(Val(d.axes, a), component, 2, self.sizes)
        return Val(out.axes, np.moveaxis(out.a[..., 0, 0], (0, 1), (-2, -1)))

    def after_the_end(self, top: Expr, s: Symbol, step: int | None) -> bool:
        """The loss does not depend on a step after the last: its derivative there is zero."""
        whole = top.op == "sym" and self.is_total(top.attr)
        return whole and s.name in self.known and self.nothing_there(s.name, step)

    def moment(self, top: Expr, env: Env) -> int:
        """The step that a derivative "through one step" belongs to: the latest of the symbols of the numerator."""
        times = {s.time for s in symbols(top) if s.time is not None and s.time.base in {*env, "", "T"}}
        return max((self.step(time, env) for time in times), default=self.T)


CONDITIONS = {"simplex", "zero", "past-zero", "at-end", "beyond-zero", "equal", "distinct", "before-end", "from-second", "immediate"}


def known_symbols(model: Model) -> dict[str, Symbol]:
    """Name -> symbol of everything that occurs in the equations."""
    found = {s.name: s for e in model.equations for s in symbols(e.right)}
    return {**found, **{e.name: e.left for e in model.equations}}


def last_steps(model: Model) -> dict[str, int]:
    """Name of each sequence that is used at a later step -> how many steps after the last one at most."""
    found: dict[str, int] = {}
    for s in (s for e in model.equations for s in symbols(e.right) if s.time is not None and s.time.offset > 0):
        found[s.name] = max(found.get(s.name, 0), s.time.offset if s.time else 0)
    return found


def first_steps(model: Model) -> dict[str, int]:
    """Name of each sequence -> the first step at which the recurrence needs it."""
    out = {e.name: 1 for e in model.equations}
    for e in model.equations:
        for s in symbols(e.right):
            if s.time is not None:
                out[s.name] = min(out.get(s.name, 1), 1 + s.time.offset)
    return out
