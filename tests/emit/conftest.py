"""Models for the tests of emitted code: Elman with every activation, output and loss, and cells made at random."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from symrnn.emit import emit
from symrnn.emit.load import load
from symrnn.expr import Expr, apply, had, negative, scale, softmax, total
from symrnn.model import Model, param, scalar, sequence

SIZES = {"n_h": 3, "n_x": 2, "n_y": 4}


def loss_of(kind: str, p: Expr, y: Expr) -> Expr:
    """The loss of one step."""
    return {
        "cross-entropy": lambda: negative(y.T @ apply("log", p)),
        "binary": lambda: negative(total(had(y, apply("log", p)) + had(1 - y, apply("log", 1 - p)))),
        "squared": lambda: scale(Fraction(1, 2), total((p - y) ** 2)),
    }[kind]()


def output_of(kind: str, o: Expr) -> Expr:
    return {"softmax": softmax(o), "sigmoid": apply("sigmoid", o), "id": o}[kind] if kind != "id" else 1 * o


def elman(activation: str = "tanh", output: str = "softmax", loss: str = "cross-entropy") -> Model:
    W, U, b = param("W_hh", "n_h", "n_h"), param("W_xh", "n_h", "n_x"), param("b_h", "n_h")
    V, c = param("W_hy", "n_y", "n_h"), param("b_y", "n_y")
    a, h, o, p = (sequence(n, d) for n, d in (("a", "n_h"), ("h", "n_h"), ("o", "n_y"), ("p", "n_y")))
    x, y, ell = sequence("x", "n_x", kind="input"), sequence("y", "n_y", kind="target"), scalar("l")
    rows = [(a, W @ h[-1] + U @ x + b), (h, apply(activation, a)), (o, V @ h + c), (p, output_of(output, o)),
            (ell, loss_of(loss, p, y))]
    return Model.build("elman", rows, loss="l", simplex=["y"] if loss == "cross-entropy" else [],
                       source="Elman, Finding structure in time, Cognitive Science 14 (1990), equations 1-2")


def random_cell(seed: int) -> Model:
    """A cell with two state equations, wired at random: gates, the other state now or before, lags of one and two."""
    r = random.Random(seed)
    names = {"h": "n_h", "g": "n_g"}
    count = iter(range(1, 99))

    def weight(rows: str, columns: str) -> Expr:
        return param(f"W{next(count)}", rows, columns)

    x = sequence("x", "n_x", kind="input")
    state = {n: sequence(n, d) for n, d in names.items()}

    def terms(own: str, other: str, now: bool) -> Expr:
        e = weight(names[own], names[own]) @ state[own][-1] + param(f"b{next(count)}", names[own])
        if r.random() < 0.8:
            e = e + weight(names[own], "n_x") @ x
        if r.random() < 0.8:
            e = e + weight(names[own], names[other]) @ state[other][0 if now else -1]
        return e

    def equation(own: str, other: str, now: bool) -> Expr:
        e = apply(r.choice(["tanh", "sigmoid", "softplus", "sin", "?f"]), terms(own, other, now))
        style = r.randrange(4)
        if style == 0:
            gate = apply("sigmoid", terms(own, other, now))
            return had(gate, state[own][-1]) + had(1 - gate, e)
        if style == 1:
            return had(e, apply("sigmoid", terms(own, other, now)))
        if style == 2:
            return e + scale(r.choice([-1, 2]), param(f"s{next(count)}") * state[own][-r.choice([1, 2])])
        return e

    o, p, y, ell = sequence("o", "n_y"), sequence("p", "n_y"), sequence("y", "n_y", kind="target"), scalar("l")
    output, loss = r.choice([("softmax", "cross-entropy"), ("sigmoid", "binary"), ("id", "squared"), ("softmax", "squared")])
    rows = [(state["h"], equation("h", "g", False)), (state["g"], equation("g", "h", r.random() < 0.5)),
            (o, weight("n_y", "n_h") @ state["h"] + weight("n_y", "n_g") @ state["g"]), (p, output_of(output, o)),
            (ell, loss_of(loss, p, y))]
    return Model.build(f"random{seed}", rows, loss="l", simplex=["y"] if loss == "cross-entropy" else [])


@pytest.fixture(scope="session")
def make_elman() -> Callable[..., Model]:
    return elman


@pytest.fixture(scope="session")
def make_cell() -> Callable[[int], Model]:
    return random_cell


@pytest.fixture(scope="session")
def module_of() -> Callable[..., ModuleType]:
    """The module emitted for a model, run in this process; one for each request."""
    made: dict[Any, ModuleType] = {}

    def get(model: Model, **options: Any) -> ModuleType:
        key = (model.hash, tuple(sorted(options.items())))
        if key not in made:
            made[key] = load(emit(model, **options))
        return made[key]
    return get


@pytest.fixture(scope="session")
def numbers() -> Callable[..., tuple[Any, ...]]:
    """(params, x, y, h0) for an Elman network: batch first dropped if B is None."""
    def make(module: ModuleType, T: int = 5, B: int | None = 2, seed: int = 0) -> tuple[Any, ...]:
        r = np.random.default_rng(seed)
        n_h, n_x, n_y = SIZES.values()
        shapes = {"W_hh": (n_h, n_h), "W_xh": (n_h, n_x), "b_h": (n_h,), "W_hy": (n_y, n_h), "b_y": (n_y,)}
        params = module.Params(**{k: r.normal(size=s) * 0.6 for k, s in shapes.items()})
        lead = () if B is None else (B,)
        y = r.random((T, *lead, n_y)) + 0.1
        y /= y.sum(axis=-1, keepdims=True)
        return params, r.normal(size=(T, *lead, n_x)), y, r.normal(size=(*lead, n_h)) * 0.5
    return make
