"""Models of the tests: the Elman network, small recurrences, and random ones for hypothesis."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from expressions import Scope, expressions
from hypothesis import strategies as st

from symrnn.expr import SCALAR, Expr, Shape, apply, negative, softmax, total
from symrnn.model import Model, param, scalar, sequence


def elman(act: str = "tanh", output: str = "softmax", **options: Any) -> Model:
    """Pre-activation, state, logits, probabilities and the loss that belongs to them."""
    W, U, b = param("W", "n", "n"), param("U", "n", "m"), param("b", "n")
    V, c = param("V", "k", "n"), param("c", "k")
    a, h, o, p = (sequence(name, size) for name, size in (("a", "n"), ("h", "n"), ("o", "k"), ("p", "k")))
    x, y = sequence("x", "m", kind="input"), sequence("y", "k", kind="target")
    if output == "softmax":
        value, loss = softmax(o), negative(y.T @ apply("log", p))
        options = {"simplex": ["y"], **options}
    elif output == "sigmoid":
        value, loss = apply("sigmoid", o), negative(total(y * apply("log", p) + (1 - y) * apply("log", 1 - p)))
    else:
        value, loss = apply("id", o) * 1, total((p - y) ** 2)
    return Model.build("elman", [(a, W @ h[-1] + U @ x + b), (h, apply(act, a)), (o, V @ h + c), (p, value), (scalar("l"), loss)],
                       loss="l", **options)


def plain(act: str = "id", lag2: bool = False, **options: Any) -> Model:
    """One state h = f(W h[t-1] + U x + b), with V h[t-2] if ``lag2``; the loss is the sum of its entries."""
    W, V, U, b = param("W", "n", "n"), param("V", "n", "n"), param("U", "n", "m"), param("b", "n")
    h, x = sequence("h", "n"), sequence("x", "m", kind="input")
    body = W @ h[-1] + V @ h[-2] + U @ x + b if lag2 else W @ h[-1] + U @ x + b
    return Model.build("plain", [(h, apply(act, body)), (scalar("l"), total(h))], loss="l", **options)


def coupled(**options: Any) -> Model:
    """Two states that drive each other: r through h one step back, h through r of the same step."""
    A, B, C, D, U = param("A", "n", "n"), param("B", "n", "m"), param("C", "m", "n"), param("D", "m", "m"), param("U", "n", "k")
    h, r, x = sequence("h", "n"), sequence("r", "m"), sequence("x", "k", kind="input")
    return Model.build("coupled", [(r, apply("?f", C @ h[-1] + D @ r[-1])), (h, apply("tanh", A @ h[-1] + B @ r + U @ x)),
                                   (scalar("l"), total(h * h) + total(r))], loss="l", **options)


@st.composite
def random_models(draw: Callable[[st.SearchStrategy[Any]], Any]) -> Model:
    """Two states of random equations that may use each other, earlier steps and a call, and a loss of both."""
    u, v, x = sequence("u", "n"), sequence("v", "m"), sequence("x", "m", kind="input")
    known = (param("W", "n", "m"), param("A", "n", "n"), param("b", "n"), param("s"), x)
    scope = Scope(sums=False, components=False, divide=False, rough=False)

    def right(shape: Shape, pool: tuple[Expr, ...], depth: int) -> Expr:
        where = Scope(**{**vars(scope), "pool": pool})
        return draw(expressions(shape, depth, where)) + draw(expressions(shape, 1, where))
    first = right(("n", 1), (*known, u[-1], v[-1], v[-2], x[-1]), 3)
    second = right(("m", 1), (*known, u, u[-1], v[-1]), 3)
    error = right(SCALAR, (*known, u, v), 2) + draw(st.sampled_from([total(u), total(v * v), total(v)]))
    return Model.build("random", [(u, first), (v, second), (scalar("l"), error)], loss="l")


def lstm() -> Model:
    """Gates f, i, o and candidate g, each with a pre-activation of its own; the loss is the sum of the output."""
    x, h, c = sequence("x", "m", kind="input"), sequence("h", "n"), sequence("c", "n")
    rows: list[tuple[Expr, Expr]] = []
    gate = {}
    for name, act in (("f", "sigmoid"), ("i", "sigmoid"), ("o", "sigmoid"), ("g", "tanh")):
        a = sequence("a_" + name, "n")
        gate[name] = sequence(name, "n")
        rows += [(a, param("W_" + name, "n", "n") @ h[-1] + param("U_" + name, "n", "m") @ x + param("b_" + name, "n")),
                 (gate[name], apply(act, a))]
    rows += [(c, gate["f"] * c[-1] + gate["i"] * gate["g"]), (h, gate["o"] * apply("tanh", c)), (scalar("l"), total(h))]
    return Model.build("lstm", rows, loss="l")
