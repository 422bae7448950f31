"""An emitted module run on the numbers of a point, so that what it computes can be compared with other ways to the same values."""
from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
import sympy

from symrnn.component_rows import Grid
from symrnn.components import Components
from symrnn.emit import emit
from symrnn.emit.load import load
from symrnn.emit.plan import Plan
from symrnn.emit.printers import ArrayPrinter
from symrnn.emit.unrolled import Unrolled
from symrnn.expr import Symbol, Time
from symrnn.model import Model
from symrnn.naming import identifier
from symrnn.scalars import Evaluator, double_precision, opaque
from symrnn.unroll import lags

PADDING = 2
"""How many steps a padded sequence is filled up with."""


class CodeComponents(Components):
    """The component form in which adjoints and gradients that emitted code computes are symbols of their own."""

    computed: frozenset[tuple[str, str]] = frozenset()
    starts: Mapping[str, int] = {}

    def _loss_rate(self, s: Symbol) -> Grid:
        inside = s.time is None or 1 - self.starts.get(s.name, 0) <= s.time.offset <= self.T
        if (s.kind, s.name) not in self.computed or not inside:
            return super()._loss_rate(s)
        own = Symbol(f"{s.kind} of {s.name}", s.shape, s.kind, s.time)
        return self._mint(own)


class Code:
    """An emitted module of a model, run on the numbers of a point; ``values`` are those of the named symbols it computes."""

    def __init__(self, model: Model, source: str | None = None, outputs: tuple[str, ...] = ()) -> None:
        self.model = model
        self.module = load(source or emit(model))
        self.plan = Plan(model, ArrayPrinter(), gradients=hasattr(self.module, "gradients"), outputs=outputs)
        self.lags = lags(model)
        self._forms: dict[Any, tuple[Components, CodeComponents]] = {}

    def forms(self, sizes: Mapping[str, int], T: int, conditions: Mapping[str, Any]) -> tuple[Components, CodeComponents]:
        """The component form, without and with symbols for what the module computes; made once for all formulas."""
        key = (tuple(sorted(sizes.items())), T, tuple((k, str(v)) for k, v in sorted(conditions.items())))
        if key not in self._forms:
            coded = CodeComponents(self.model, sizes, T, **conditions)
            coded.computed, coded.starts = self.computed, self.starts
            self._forms[key] = (Components(self.model, sizes, T, **conditions), coded)
        return self._forms[key]

    @property
    def computed(self) -> frozenset[tuple[str, str]]:
        """(kind, name) of the adjoints and gradients it returns."""
        found = {("adjoint", e.name) for e in (*self.plan.adjoint_rows, *self.plan.by_inputs.equations)}
        return frozenset(found | {("gradient", s.name) for s in self.model.parameters} if self.plan.gradients else found)

    @property
    def starts(self) -> dict[str, int]:
        """The variables that have values before the first step, and how many; their adjoints there are among what it returns."""
        return {s.name: self.lags[s.name] for s in self.plan.starts if s.kind == "variable"}

    def name(self, s: Symbol) -> str:
        return self.plan.layout.arrays[s.kind, s.name].name

    def short(self, s: Symbol) -> bool:
        """Whether the module has a quantity at the last step alone."""
        return self.plan.layout.arrays[s.kind, s.name].short

    def values(self, c: Components, evaluate: Evaluator, padded: bool = False) -> dict[sympy.Symbol, float]:
        """The numbers of everything the module computes at a point, from a call for one sequence or from a ``padded`` batch."""
        array = partial(numbers, c, evaluate)
        m, plan, T = self.model, self.plan, c.T
        way = Padded(T, 1 if m.at_end else T) if padded else Alone(T)
        params = self.module.Params(*(array(s, 0, 0) for s in m.parameters))
        inputs = [way.sequence(array(s, 1, T)) for s in m.inputs]
        targets = {s.name: way.end(array(s, T, T)[0]) if self.short(s) else way.sequence(array(s, 1, T)) for s in m.targets}
        options: dict[str, Any] = {self.name(s): array(s, 0, 0) for s in m.constants}
        for s in plan.starts:
            rows = array(s, 1 - self.lags[s.name], 0)
            options[plan.start_name(s)] = way.start(rows, self.lags[s.name])
        shapes = {f: double_precision(opaque(label, (order,))) for f, (label, order) in plan.orders.items()}
        plain = {f: shapes[f] for f in plan.plain}
        out: dict[sympy.Symbol, float] = {}
        if not padded:
            run = self.module.forward(params, *inputs, *(targets[s.name] for s in plan.forward_targets), **options, **plain)
            for v in m.variables:
                if hasattr(run, self.name(v)):
                    found = getattr(run, self.name(v))
                    put(out, c, v, found[None] if self.short(v) else found, T, 1 if self.short(v) else T)
        if not hasattr(self.module, "loss"):
            return out
        arguments, options = (params, *inputs, *targets.values()), {**options, **way.options}
        out[c.entries(Symbol(m.total, (1, 1)))[0][0]] = way.scale * self.module.loss(*arguments, **options, **plain)
        if not plan.gradients:
            return out
        back = self.module.adjoints(*arguments, **options, **shapes)
        rates = [(e, getattr(back, self.name(e.left))) for e in plan.adjoint_rows]
        found = self.module.gradients(*arguments, **options, **shapes)
        if plan.inputs:
            _, found, by = self.module.loss_and_all_gradients(*arguments, **options, **shapes)
            rates += zip(plan.by_inputs.equations, by, strict=True)
        for e, rate in rates:
            rows = way.one(rate) if not self.short(e.left) else np.stack([*[0 * way.one_end(rate)] * (T - 1), way.one_end(rate)])
            put(out, c, derivative_of(e.left), rows, T)
        for s in m.parameters:
            put(out, c, derivative_of(Symbol(s.name, s.shape, "gradient")), way.scale * getattr(found, self.name(s)), T)
        for s in plan.starts:
            if s.name in self.starts:
                rows = way.one_start(getattr(found, plan.start_name(s)), self.lags[s.name])
                put(out, c, derivative_of(Symbol(s.name, s.shape, "adjoint", s.time)), rows, 0, self.lags[s.name])
        return out


def numbers(c: Components, evaluate: Evaluator, s: Symbol, first: int, last: int) -> Any:
    """The array of a symbol at a point, over some steps if it has steps."""
    steps = [Symbol(s.name, s.shape, s.kind, Time("", t) if s.time else None) for t in range(first, last + 1)]
    grids = np.array([[[float(evaluate(x)[0]) for x in row] for row in c.entries(step)] for step in steps])
    dims = [n for size, n in zip(s.shape, c.shape(s.shape), strict=True) if size != 1] or ([1] if s.time else [])
    return grids.reshape([*([len(steps)] if s.time else []), *dims])


def put(out: dict[sympy.Symbol, float], c: Components, s: Symbol, array: Any, last: int, count: int | None = None) -> None:
    """Enter an array, step by step if it has steps: ``count`` of them up to the ``last`` one, from the first if not given."""
    first = last - (count or last) + 1
    for t in range(first, last + 1) if s.time is not None else (0,):
        grid = c._mint(Symbol(s.name, s.shape, s.kind, Time("", t) if s.time is not None else None))
        flat = np.ravel(array[t - first] if s.time is not None else array)
        out.update(zip((x for row in grid for x in row), map(float, flat), strict=True))


class FlatCode(Code):
    """A module of the unrolled style: one sequence, at the steps and sizes that it was written for."""

    def __init__(self, network: Unrolled, source: str) -> None:
        self.network, self.model, self.module = network, network.original, load(source)
        self._forms = {}

    @property
    def computed(self) -> frozenset[tuple[str, str]]:
        """None: its derivatives are those of the components."""
        return frozenset()

    @property
    def starts(self) -> dict[str, int]:
        """None, as no adjoints are among what it returns."""
        return {}

    def values(self, c: Components, evaluate: Evaluator, padded: bool = False) -> dict[sympy.Symbol, float]:
        """The loss and the states, or the outputs at the last step, at a point."""
        u = self.network
        out: dict[sympy.Symbol, float] = {}
        first = {a.name: 1 - u.lags[a.symbol.name] for a in u.arguments if a.role == "start"}
        arrays = {a.name: numbers(c, evaluate, a.symbol, first.get(a.name, 1), 0 if a.name in first else c.T) if a.symbol.time
                  else numbers(c, evaluate, a.symbol, 0, 0) for a in u.arguments}
        arrays |= {name: arrays[name][0] for name, t in first.items() if t == 0}
        params = {a.name: arrays.pop(a.name) for a in u.arguments if a.role == "parameter"}
        shapes = {f.__name__: double_precision(f) for f in (opaque(*row) for row in u.opaque)}
        call = self.module.forward if u.wanted else self.module.evaluate
        asked = signature(call).parameters
        found = call(self.module.Params(**params), **arrays, **{f: shapes[f] for f in asked if f in shapes})
        if u.wanted:
            for s, value in zip(u.wanted, found, strict=True):
                put(out, c, s, value[None], c.T, 1)
            return out
        out[c.entries(self.model.summed)[0][0]] = found.loss
        for a in u.state_starts:
            put(out, c, a.symbol, getattr(found, identifier(a.symbol.name)), c.T)
        return out


def derivative_of(s: Symbol) -> Symbol:
    """The symbol for what code computes as an adjoint or a gradient."""
    return Symbol(f"{s.kind} of {s.name}", s.shape, s.kind, s.time)


class Alone:
    """A call for one sequence of T steps."""

    def __init__(self, T: int) -> None:  # noqa: N803 - T is the number of steps everywhere
        self.steps = T
        self.options: dict[str, Any] = {}
        self.scale = 1.0

    def sequence(self, array: Any) -> Any:
        return array

    def end(self, row: Any) -> Any:
        return row

    def start(self, rows: Any, lag: int) -> Any:
        return rows if lag > 1 else rows[0]

    def one_end(self, rate: Any) -> Any:
        return rate

    def one(self, rate: Any) -> Any:
        return rate

    def one_start(self, rate: Any, lag: int) -> Any:
        return rate if lag > 1 else [rate]


class Padded(Alone):
    """The mean over a batch of the sequence twice, filled up with steps that are no numbers; ``scale`` gives back the sum of one.

    ``counted`` is the number of steps of a sequence that the mean counts.
    """

    def __init__(self, T: int, counted: int) -> None:  # noqa: N803
        super().__init__(T)
        self.options = {"mask": np.arange(T + PADDING)[:, None] + np.zeros((1, 2)) < T, "reduction": "mean"}
        self.scale = float(counted)

    def sequence(self, array: Any) -> Any:
        whole = np.concatenate([array, np.full((PADDING, *array.shape[1:]), np.nan)])
        return np.stack([whole, whole], axis=1)

    def end(self, row: Any) -> Any:
        return np.stack([row, row])

    def start(self, rows: Any, lag: int) -> Any:
        twice = np.stack([rows, rows], axis=1)
        return twice if lag > 1 else twice[0]

    def one(self, rate: Any) -> Any:
        return 2 * self.scale * rate[: self.steps, 1]

    def one_end(self, rate: Any) -> Any:
        return 2 * self.scale * rate[1]

    def one_start(self, rate: Any, lag: int) -> Any:
        return 2 * self.scale * (rate[:, 1] if lag > 1 else rate[None, 1])
