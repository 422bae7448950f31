"""Elman networks with any activation, output and loss, and what holds in them: the true identities that tests make wrong."""
from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from symrnn.bptt import derive
from symrnn.expr import (
    Expr,
    Index,
    Symbol,
    apply,
    derivative,
    diag,
    entry,
    had,
    index_sum,
    negative,
    node,
    scale,
    softmax,
    symbol,
    time_sum,
    total,
)
from symrnn.model import FIRST, LAST, Model, param, scalar, sequence
from symrnn.prove.claim import Claim
from symrnn.repair.derived import adjoints_as_derivatives

ACTIVATIONS = ("tanh", "sigmoid", "relu", "softplus", "id", "?f")
HEADS = (("softmax", "cross-entropy"), ("sigmoid", "binary"), ("id", "squared"), ("sigmoid", "squared"), ("softmax", "squared"))


def loss_of(kind: str, p: Expr, y: Expr) -> Expr:
    """The loss of one step."""
    if kind == "cross-entropy":
        return negative(y.T @ apply("log", p))
    if kind == "binary":
        return negative(total(had(y, apply("log", p)) + had(1 - y, apply("log", 1 - p))))
    return scale(Fraction(1, 2), total((p - y) ** 2))


def output_of(kind: str, o: Expr) -> Expr:
    """The output function of the logits."""
    return softmax(o) if kind == "softmax" else 1 * o if kind == "id" else apply(kind, o)


def elman(activation: str = "tanh", output: str = "softmax", loss: str = "cross-entropy") -> Model:
    """One network; its loss is called ``l``."""
    W, U, b = param("W", "n_h", "n_h"), param("U", "n_h", "n_x"), param("b", "n_h")
    V, c = param("V", "n_y", "n_h"), param("c", "n_y")
    a, h, o, p = (sequence(n, d) for n, d in (("a", "n_h"), ("h", "n_h"), ("o", "n_y"), ("p", "n_y")))
    x, y = sequence("x", "n_x", kind="input"), sequence("y", "n_y", kind="target")
    rows = [(a, W @ h[-1] + U @ x + b), (h, apply(activation, a)), (o, V @ h + c), (p, output_of(output, o)),
            (scalar("l"), loss_of(loss, p, y))]
    name = f"elman {activation} {output} {loss}"
    return Model.build(name, rows, loss="l", simplex=["y"] if loss == "cross-entropy" else [])


def derived(model: Model) -> Iterator[tuple[str, Claim]]:
    """Every adjoint and gradient of a model as it is derived, as claims about derivatives of the whole loss; all are true."""
    found = derive(model)
    blank = Claim(symbol("L"), symbol("L"), model)
    whole = node("sym", attr=blank.total_loss)
    rows = [("adjoint", s, found.adjoints[s.name]) for s in (*reversed(model.variables), *model.inputs) if s.name in found.adjoints]
    rows += [("gradient", s, found.gradients[s.name]) for s in model.parameters]
    for kind, s, value in rows:
        yield f"{kind} of {s.name}", Claim(derivative(whole, node("sym", attr=s)), adjoints_as_derivatives(blank, value), model)


def identities(model: Model) -> Iterator[tuple[str, Claim]]:
    """What is derived of one of these networks, and the Jacobians of the activation and of the softmax; all are true."""
    yield from derived(model)

    def by(s: Symbol) -> Expr:
        return derivative(symbol("L"), node("sym", attr=s))
    h, a, o, p, W = (model[n] for n in "haopW")
    if model.definitions["p"].op == "softmax":
        i, k = Index("i", "n_y"), Index("k", "n_y")
        yield "softmax Jacobian", Claim(derivative(p, o), diag(p) - p @ p.T, model)
        logs = index_sum(k, apply("exp", entry(o, k)))
        yield "softmax in components", Claim(entry(p, i), apply("exp", entry(o, i)) * apply("recip", logs), model)
        yield "log of the softmax", Claim(apply("log", entry(p, i)), entry(o, i) - apply("log", logs), model)
    if model.definitions["h"].attr == "tanh":
        yield "state Jacobian", Claim(derivative(h, h[-1]), diag(1 - h ** 2) @ W, model)
        front = diag(1 - h ** 2) @ by(h.attr)
        yield "gradient as printed", Claim(by(W.attr), time_sum("t", FIRST, LAST, front @ h[-1].T), model)


def networks() -> list[Model]:
    """Every combination."""
    return [elman(f, *head) for f in ACTIVATIONS for head in HEADS]
