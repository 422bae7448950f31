"""Total derivatives by a parameter, carried forward from step to step, are proved for every step; wrong recurrences are not."""
from __future__ import annotations

import pytest

from symrnn.expr import FIRST, LAST, Expr, Index, delta, derivative, diag, entry, eye, index_sum, symbol, time_sum, total
from symrnn.model import Model, param, scalar, sequence
from symrnn.prove.claim import Claim
from symrnn.prove.decide import Witnesses, decide

W, U, V, b = param("W", "n", "n"), param("U", "n", "m"), param("V", "k", "n"), param("b", "n")
h, x, o, y = sequence("h", "n"), sequence("x", "m", kind="input"), sequence("o", "k"), sequence("y", "k", kind="target")
h2 = 1 - h ** 2


def model(lag: int = 1) -> Model:
    """A tanh network with a squared error."""
    from symrnn.expr import apply
    rows = [(h, apply("tanh", W @ h[-lag] + U @ x + b)), (o, V @ h), (scalar("l"), total((o - y) ** 2))]
    return Model.build("m", rows, loss="l")


def d(top: Expr, bottom: Expr) -> Expr:
    return derivative(top, bottom, "total")


def by_components(slope: Expr, other: Expr) -> tuple[Expr, Expr]:
    """The k-th component of the state by the weight from j to i, with the given slope and what multiplies it."""
    i, j, k, r = (Index(name, "n") for name in "ijkr")
    weight = entry(W, i, j)
    inner = delta(k, i) * entry(other, j) + index_sum(r, entry(W, k, r) * d(entry(h[-1], r), weight))
    return d(entry(h, k), weight), entry(slope, k) * inner


RIGHT = {
    "a bias": (d(h, b), diag(h2) @ (eye("n") + W @ d(h[-1], b))),
    "a weight in components": by_components(h2, h[-1]),
    "the loss": (d(symbol("L"), b), time_sum("t", FIRST, LAST, 2 * (d(h, b).T @ (V.T @ (o - y))))),
    "two steps at once": (d(h, b), diag(h2) @ (eye("n") + W @ diag(1 - h[-1] ** 2) @ (eye("n") + W @ d(h[-2], b)))),
}
WRONG = {
    "transposed": (d(h, b), diag(h2) @ (eye("n") + W.T @ d(h[-1], b))),
    "without what it adds": (d(h, b), diag(h2) @ W @ d(h[-1], b)),
    "of the same step": (d(h, b), diag(h2) @ (eye("n") + W @ d(h, b))),
    "of two steps before": (d(h, b), diag(h2) @ (eye("n") + W @ d(h[-2], b))),
    "a weight and the new state": by_components(h2, h),
    "a weight and another slope": by_components(h, h[-1]),
    "the loss of one factor more": (d(symbol("L"), b), time_sum("t", FIRST, LAST, d(h, b).T @ (V.T @ (o - y)))),
    "the loss of the step before": (d(symbol("L"), b), time_sum("t", FIRST, LAST, 2 * (d(h[-1], b).T @ (V.T @ (o - y))))),
}


@pytest.mark.parametrize("name", [n for n in RIGHT if n != "two steps at once"])
def test_a_recurrence_of_total_derivatives_is_proved_for_every_step_by_each_witness(name):
    claim = Claim(*RIGHT[name], model())
    verdict = decide(claim)
    assert (verdict.word, str(verdict.scope)) == ("proved", "for all sizes and every T")
    assert decide(claim, Witnesses(exact=False)).word == "proved"


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_one_is_proved_by_no_witness(name):
    claim = Claim(*WRONG[name], model())
    assert decide(claim).word == "refuted"
    assert decide(claim, Witnesses(exact=False)).word != "proved"


def test_what_skips_steps_or_has_another_lag_is_not_proved_wrongly():
    assert decide(Claim(*RIGHT["two steps at once"], model())).word in ("proved", "agrees", "undecided")
    assert decide(Claim(*RIGHT["a bias"], model(lag=2))).word == "refuted"
    two = (d(h, b), diag(h2) @ (eye("n") + W @ d(h[-2], b)))
    assert decide(Claim(*two, model(lag=2))).word == "proved"
