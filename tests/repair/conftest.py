"""An Elman network with softmax and cross-entropy, and short names for its parts, as the claims of these tests are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from symrnn.expr import Expr, apply, derivative, negative, shift, softmax, symbol, time_sum
from symrnn.model import FIRST, LAST, Model, param, scalar, sequence
from symrnn.prove.claim import Claim


@dataclass(frozen=True)
class Network:
    """The model, its symbols by name, and the derivative of the loss by each."""

    model: Model

    def __getitem__(self, name: str) -> Expr:
        return self.model[name]

    def by(self, name: str, k: int = 0) -> Expr:
        """dL/dv at step t + k, or dL/dW."""
        return derivative(symbol("L"), shift(self.model[name], k))

    def slope(self, k: int = 0) -> Expr:
        """1 - h^2 at step t + k."""
        return 1 - shift(self.model["h"], k) ** 2

    def claim(self, left: Expr, right: Expr, **more: Any) -> Claim:
        return Claim(left, right, self.model, **more)


def build(split: bool) -> Network:
    """With ``split``, the argument of tanh is a variable of its own."""
    W, U, b = param("W_hh", "n_h", "n_h"), param("W_xh", "n_h", "n_x"), param("b_h", "n_h")
    V, c = param("W_yh", "n_y", "n_h"), param("b_o", "n_y")
    h, x, a = sequence("h", "n_h"), sequence("x", "n_x", kind="input"), sequence("a", "n_h")
    o, p, y, loss = sequence("o", "n_y"), sequence("p", "n_y"), sequence("y", "n_y", kind="target"), scalar("loss")
    inner = W @ h[-1] + U @ x + b
    first = [(a, inner), (h, apply("tanh", a))] if split else [(h, apply("tanh", inner))]
    rest = [(o, V @ h + c), (p, softmax(o)), (loss, negative(y.T @ apply("log", p)))]
    return Network(Model.build("elman", [*first, *rest], loss="loss", simplex=["y"]))


@pytest.fixture(scope="session")
def elman() -> Network:
    """The network as the published texts print it: one equation for the state."""
    return build(split=False)


@pytest.fixture(scope="session")
def split_elman() -> Network:
    """The network with the argument of tanh as a variable."""
    return build(split=True)


@pytest.fixture(scope="session")
def over_time() -> Callable[[Expr], Expr]:
    """The sum over t = 1..T."""
    return lambda e: time_sum("t", FIRST, LAST, e)
