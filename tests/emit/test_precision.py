"""Emitted code lies within 4 (T + n) units in the last place of a 50-digit evaluation, n the longest inner product.

The unit is that of the sum of the absolute values of the terms: each scale below follows its value, with every term by its size.
"""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from ledger import Ledger, Num, entries

from symrnn import api
from symrnn.emit.plan import Plan
from symrnn.emit.printers import ArrayPrinter
from symrnn.expr.linear import value as value_of_size

SIZES = {"W_hh": (4, 4), "W_xh": (4, 3), "b_h": (4,), "W_hy": (5, 4), "b_y": (5,)}
LONGEST = 5
tanh, exp, log, exactly = (np.frompyfunc(f, 1, 1) for f in (mpmath.tanh, mpmath.exp, mpmath.log, lambda v: mpmath.mpf(float(v))))


def arguments(kind: str, dtype: type, T: int):
    r = np.random.default_rng(T)
    params = {k: r.normal(size=s) / np.sqrt(s[-1]) for k, s in SIZES.items()}
    if kind == "saturated":
        params["W_hh"], params["W_xh"] = 10 * params["W_hh"], 30 * params["W_xh"]
    if kind == "wide":
        params["b_y"] = np.array([1e4, -1e4, 1e4, 0.0, -1e4])
    numbers = {k: v.astype(dtype) for k, v in params.items()}
    return numbers, r.normal(size=(T, 3)).astype(dtype), r.integers(0, 5, T), r.normal(size=4).astype(dtype) / 2


def by_hand(numbers, x, labels, h0):
    """Values and scales of the loss, the states and all derivatives, by name, to 50 digits."""
    W, U, b, V, c = (exactly(v) for v in numbers.values())
    X, T = exactly(x), len(x)
    Y = exactly(np.eye(len(c))[labels])
    h, size = [exactly(h0)], [abs(exactly(h0))]
    o, p, p_size, value, loss_size = [], [], [], mpmath.mpf(0), mpmath.mpf(0)
    for t in range(T):
        h.append(tanh(W @ h[t] + U @ X[t] + b))
        size.append((1 - h[-1] ** 2) * (abs(W) @ size[t] + abs(U) @ abs(X[t]) + abs(b)) + abs(h[-1]))
        o.append(V @ h[-1] + c)
        wide = abs(V) @ size[-1] + abs(c)
        powers = exp(o[-1] - max(o[-1]))
        p.append(powers / sum(powers))
        p_size.append(p[-1] * (1 + wide + p[-1] @ wide))
        value -= Y[t] @ log(p[-1])
        loss_size += Y[t] @ wide + p[-1] @ wide + abs(max(o[-1])) + 1
    found = {"h": (np.array(h[1:]), np.array(size[1:])), "loss": (value, loss_size)}
    sums = {k: [0 * W[0, 0] + 0 * exactly(v), 0 * exactly(v)] for k, v in numbers.items()}
    dx, dx_size = [], []
    da, da_size = 0 * h0, 0 * h0
    for t in reversed(range(T)):
        do, do_size = p[t] - Y[t], p_size[t] + Y[t]
        dh, dh_size = V.T @ do + W.T @ da, abs(V.T) @ do_size + abs(W.T) @ da_size
        da, slope = (1 - h[t + 1] ** 2) * dh, 1 + h[t + 1] ** 2 + 2 * abs(h[t + 1]) * size[t + 1]
        da_size = (1 - h[t + 1] ** 2) * dh_size + slope * abs(dh)
        parts = {"W_hh": (da, da_size, h[t], size[t]), "W_xh": (da, da_size, X[t], abs(X[t])), "b_h": (da, da_size),
                 "W_hy": (do, do_size, h[t + 1], size[t + 1]), "b_y": (do, do_size)}
        for name, (u, wide, *more) in parts.items():
            sums[name][0] = sums[name][0] + (np.outer(u, more[0]) if more else u)
            sums[name][1] = sums[name][1] + (np.outer(wide, abs(more[0])) + np.outer(abs(u), more[1]) if more else wide)
        dx.insert(0, U.T @ da)
        dx_size.insert(0, abs(U.T) @ da_size)
    return found | {k: tuple(v) for k, v in sums.items()} | {"h0": (W.T @ da, abs(W.T) @ da_size), "x": (np.array(dx), np.array(dx_size))}


@pytest.mark.parametrize("kind", ["ordinary", "saturated", "wide"])
@pytest.mark.parametrize("T", [5, 50])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_everything_is_within_four_times_t_plus_n_units_in_the_last_place(make_elman, module_of, dtype, T, kind):
    module = module_of(make_elman())
    numbers, x, labels, h0 = arguments(kind, dtype, T)
    params = module.Params(**numbers)
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        loss, found, rates = module.loss_and_all_gradients(params, x, labels, h0)
        states = module.forward(params, x, h0).h
    computed = found._asdict() | {"x": rates.x, "h": states, "loss": np.array(loss)}
    with mpmath.workdps(50):
        wanted = by_hand(numbers, x, labels, h0)
        assert set(wanted) == set(computed)
        for name, (value, scale) in wanted.items():
            off = np.abs(exactly(computed[name]) - value) / (scale + mpmath.mpf(10) ** -300)
            assert np.max(off) <= 4 * (T + LONGEST) * float(np.finfo(dtype).eps) / 2, (name, float(np.max(off)))


def test_saturated_units_and_wide_logits_are_what_they_say():
    """Else the test above would say less than it claims."""
    numbers, x, labels, h0 = arguments("saturated", np.float64, 50)
    with mpmath.workdps(50):
        states = by_hand(numbers, x, labels, h0)["h"][0]
    assert np.mean(np.abs(states.astype(float)) > 1 - 1e-9) > 0.5
    assert np.ptp(arguments("wide", np.float64, 5)[0]["b_y"]) == 2e4


# --------------------------------------------------------------------------------------------- the models that come with symrnn
MODELS = ("elman", "elman-class-weights", "elman-huber", "elman-layernorm", "elman-linear-mse", "elman-temperature", "gru",
          "gru-reset-after", "indrnn", "jordan", "leaky", "lstm", "lstm-coupled", "lstm-peephole", "lstm-projection", "mgu",
          "multiplicative", "residual", "ssm")


class Given:
    """Numbers for all that a model is given, as arrays by name: sequences of T steps, states before the first, one target of classes."""

    def __init__(self, model, kind: str, dtype: type, T: int) -> None:
        self.model, self.T, self.plan = model, T, Plan(model, ArrayPrinter())
        self.sizes = {n: 3 + k for k, n in enumerate(model.sizes)}
        r = np.random.default_rng(T)
        self.arrays = {s.name: (r.normal(size=self.shape(s)) * (5 if kind == "saturated" else 0.5)).astype(dtype) for s in model.parameters}
        self.arrays |= {s.name: (1 + r.random(self.shape(s))).astype(dtype) for s in model.constants}
        for s in (*model.inputs, *model.targets):
            self.arrays[s.name] = r.normal(size=(T, *self.shape(s))).astype(dtype)
        (self.target,) = model.targets
        if model.simplex:
            self.arrays[self.target.name] = r.integers(0, self.shape(self.target)[0], T)
        self.starts = {s.name: (r.normal(size=self.shape(s)) / 2).astype(dtype) for s in self.plan.starts}
        if kind == "wide":
            for s in model.parameters:
                if s.shape == self.target.shape:
                    self.arrays[s.name] += np.resize([1e4, -1e4, 1e4, 0, -1e4], self.shape(s)).astype(dtype)

    def shape(self, s):
        return tuple(value_of_size(n, self.sizes) for n in s.shape if n != 1)

    def name(self, s) -> str:
        return self.plan.layout.arrays[s.kind, s.name].name

    def run(self, module):
        """What emitted code computes, by name: loss, variables, and derivatives by parameters, inputs and states before the first step."""
        m, values = self.model, self.arrays
        params = module.Params(**{self.name(s): values[s.name] for s in m.parameters})
        options = {self.name(s): values[s.name] for s in m.constants}
        options |= {self.plan.start_name(s): self.starts[s.name] for s in self.plan.starts}
        sequences = [values[s.name] for s in (*m.inputs, *m.targets)]
        loss, found, rates = module.loss_and_all_gradients(params, *sequences, **options)
        states = module.forward(params, *sequences[:len(m.inputs)], **options)
        return {m.total: loss, **{v.name: getattr(states, self.name(v)) for v in m.variables if hasattr(states, self.name(v))},
                **{f"d {s.name}": getattr(found, self.name(s)) for s in m.parameters},
                **{f"d {s.name}": getattr(rates, self.name(s)) for s in m.inputs},
                **{f"d {s.name} before": getattr(found, self.plan.start_name(s)) for s in self.plan.starts}}

    def exactly(self):
        """The same as numbers of a ledger: (value, size) by name."""
        m, known = self.model, {}

        def enter(s, array, step):
            dims = [value_of_size(n, self.sizes) for n in s.shape]
            known[s.name, step] = np.vectorize(lambda v: Num(mpmath.mpf(float(v))), otypes=[object])(np.asarray(array)).reshape(dims)
        for s in (*m.parameters, *m.constants):
            enter(s, self.arrays[s.name], None)
        for s in (*m.inputs, *m.targets):
            rows = self.arrays[s.name]
            rows = np.eye(self.shape(s)[0])[rows] if rows.dtype.kind == "i" else rows
            for t in range(self.T):
                enter(s, rows[t], t + 1)
        for s in self.plan.starts:
            enter(s, self.starts[s.name], 0)
        ledger = Ledger(m, self.sizes, self.T, known)

        def over(s, value, size):
            steps = [None] if s.time is None else range(1, self.T + 1)
            grids = [known[s.name, t].ravel() for t in steps]
            return entries(value, grids if s.time else grids[0]), entries(size, grids if s.time else grids[0])
        return {m.total: (ledger.loss.value, ledger.loss.size), **{v.name: over(v, "value", "size") for v in m.variables},
                **{f"d {s.name}": over(s, "rate", "rate_size") for s in (*m.parameters, *m.inputs)},
                **{f"d {s.name} before": tuple(entries(field, known[s.name, 0]) for field in ("rate", "rate_size"))
                   for s in self.plan.starts}}

    def longest(self) -> int:
        """The longest inner product: a state stacked on an input."""
        return max(self.sizes.values()) * 2


@pytest.mark.parametrize("kind", ["ordinary", "saturated", "wide"])
@pytest.mark.parametrize("T", [5, pytest.param(50, marks=pytest.mark.slow)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", [name if name == "gru" else pytest.param(name, marks=pytest.mark.slow) for name in MODELS])
def test_every_model_is_within_four_times_t_plus_n_units_in_the_last_place(module_of, name, dtype, T, kind):
    given = Given(api.model(name), kind, dtype, T)
    computed = given.run(module_of(given.model))
    with mpmath.workdps(50):
        wanted = given.exactly()
        assert set(computed) <= set(wanted) and {k for k in wanted if k.startswith("d ")} <= set(computed)
        for what, array in computed.items():
            assert np.asarray(array).dtype == dtype or what == given.model.total
            value, size = (np.ravel(v) for v in wanted[what])
            off = np.abs(exactly(np.ravel(array)) - value) / (size + mpmath.mpf(float(np.finfo(dtype).tiny)))
            assert np.max(off) <= 4 * (T + given.longest()) * float(np.finfo(dtype).eps) / 2, (what, float(np.max(off)))


@pytest.mark.parametrize("kind", ["ordinary", "saturated", "wide"])
def test_the_ledger_has_the_values_and_nearly_the_sizes_of_the_formulas_by_hand(make_elman, kind):
    """Sizes that are too large would let everything pass."""
    given = Given(make_elman(), kind, np.float64, 5)
    numbers = {s.name: given.arrays[s.name] for s in given.model.parameters}
    with mpmath.workdps(50):
        by_ledger = given.exactly()
        wanted = by_hand({k: numbers[k] for k in SIZES}, given.arrays["x"], given.arrays["y"], given.starts["h"])
        names = {"loss": given.model.total, "h": "h", "h0": "d h before"}
        for name, (value, size) in wanted.items():
            found, found_size = by_ledger[names.get(name, f"d {name}")]
            assert np.max(np.abs(np.ravel(found) - np.ravel(value)) / np.ravel(size)) < 1e-40, name
            assert np.max(np.ravel(found_size) / np.ravel(size)) < 2, name
