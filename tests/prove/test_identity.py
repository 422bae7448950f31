"""Nothing false is proved: each false claim stands beside its true neighbour, which is proved.

The false claims hold almost everywhere: at all steps but the first or the last, for all T but 1, for h0 = 0, for sizes that
coincide, for another range or shift of a sum, for the immediate derivative instead of the total one.
"""
from __future__ import annotations

import time

import pytest
from models import coupled, elman, lstm, plain

from symrnn.expr import (
    Expr,
    Index,
    Time,
    add,
    apply,
    delta,
    derivative,
    diag,
    entry,
    eye,
    fix_time,
    had,
    index_sum,
    lift,
    log_sum_exp,
    node,
    ones,
    quotient,
    shift,
    softmax,
    symbol,
    time_sum,
    total,
    zeros,
)
from symrnn.model import FIRST, LAST, Model, sequence
from symrnn.prove.claim import Claim, Condition, Unsupported
from symrnn.prove.identity import Proof, Prover

L = symbol("L")
E, P, Q, C = elman(), plain(), plain(lag2=True), coupled()
TANH, LSTM = plain("tanh"), lstm()
one = ones(("n", 1))
i, j, k = Index("i", "n"), Index("j", "n"), Index("c", "k")


def at(m: Model, name: str, t: Time | int = 0) -> Expr:
    """A quantity at t+k, or at a fixed step."""
    return fix_time(m[name], "t", t) if isinstance(t, Time) else shift(m[name], t)


def adj(m: Model, name: str, t: Time | int = 0) -> Expr:
    return derivative(L, at(m, name, t))


def summed(e: Expr, first: Time = FIRST, last: Time = LAST, letter: str = "t") -> Expr:
    return time_sum(letter, first, last, e)


def A(n: int) -> Time:
    return Time("", n)


def T(n: int = 0) -> Time:
    return Time("T", n)


def prove(m: Model, left: Expr, right: Expr, *conditions: Condition, relation: str = "=") -> Proof | None:
    """The proof; None also for what the prover says it cannot treat."""
    try:
        return Prover(Claim(left, right, m, relation, tuple(conditions))).prove()
    except Unsupported:
        return None


def cond(kind: str, *subject: object) -> Condition:
    return Condition(kind, subject)  # type: ignore[arg-type]


W, U, b = P["W"], P["U"], P["b"]
h, x, a, o, p, y = (E[n] for n in "hxaopy")
V, c = E["V"], E["c"]
D = diag(1 - h**2)
Dt = diag(1 - TANH["h"] ** 2)
Z = Model.build("free", [])
u, v, w = symbol("u"), symbol("v"), symbol("w")
q, r = symbol("q", ("n", 1)), symbol("r", ("n", 1))
SQ, TALL = symbol("S", ("n", "n")), symbol("R", ("n", "m"))
IM = cond("immediate")

#: kind of error -> (model, left, true right side, false right sides, conditions)
PAIRS: dict[str, tuple[Model, Expr, Expr | None, list[Expr], tuple[Condition, ...]]] = {
    # ------------------------------------------------------------------------------------------------ gradients and recurrences
    "gradient of W": (E, derivative(L, W), summed(D @ adj(E, "h") @ h[-1].T), [
        summed(D @ adj(E, "h") @ h.T), summed(adj(E, "h") @ h[-1].T), summed(h[-1] @ (D @ adj(E, "h")).T),
        summed(D @ adj(E, "h") @ h[-1].T, A(2)), summed(D @ adj(E, "h") @ h[-1].T, A(1), T(-1)), -summed(D @ adj(E,
        "h") @ h[-1].T),
        summed(adj(E, "a") @ h[-2].T), summed(adj(E, "a", 1) @ h[-1].T), summed(diag(1 - h[-1] ** 2) @ adj(E, "h") @ h[-1].T)],
        ()),
    "gradient of U": (E, derivative(L, U), summed(adj(E, "a") @ x.T), [
        summed(adj(E, "a") @ x[-1].T), summed(adj(E, "a", 1) @ x.T), summed(adj(E, "h") @ x.T), summed(adj(E, "a") @ x.T, A(0)),
        summed(adj(E, "a") @ x.T, A(2))], ()),
    "gradient of V": (E, derivative(L, V), summed((p - y) @ h.T), [
        summed((y - p) @ h.T), summed((p - y) @ h[-1].T), summed(p @ h.T), (at(E, "p", T()) - at(E, "y", T())) @ at(E, "h",
        T()).T,
        summed(had(p, p - y) @ h.T)], ()),
    "gradient of the biases": (E, derivative(L, c), summed(p - y), [summed(p), summed(y - p), summed(p - y, A(2))], ()),
    "state adjoint": (E, adj(E, "h"), V.T @ adj(E, "o") + (diag(1 - h[1] ** 2) @ W).T @ adj(E, "h", 1), [
        V.T @ adj(E, "o") + (D @ W).T @ adj(E, "h", 1), V.T @ adj(E, "o") + diag(1 - h[1] ** 2) @ W.T @ adj(E, "h", 1),
        V.T @ adj(E, "o") + W @ diag(1 - h[1] ** 2) @ adj(E, "h", 1), V.T @ adj(E, "o"), W.T @ adj(E, "a", 1),
        V.T @ adj(E, "o") + W.T @ adj(E, "a"), V.T @ adj(E, "o", 1) + W.T @ adj(E, "a", 1)], ()),
    "adjoint of the input": (E, adj(E, "x"), U.T @ adj(E, "a"), [
        U.T @ adj(E, "h"), U.T @ adj(E, "a", 1), U.T @ adj(E, "a") + U.T @ adj(E, "a", 1), zeros(("m", 1))], ()),
    "logits": (E, adj(E, "o"), p - y, [y - p, p, had(p, p - y), had(p, 1 - p) - y], ()),
    "the loss of one step": (E, derivative(L, E["l"]), lift(1), [lift(0), lift(2), E["l"]], ()),
    # ----------------------------------------------------------------------------------------------------- the last steps
    "last step, adjoint": (P, adj(P, "h", T()), one, [one + W.T @ one, zeros(("n", 1))], ()),
    "false at t = T": (P, adj(P, "h"), one + W.T @ adj(P, "h", 1), [
        one + W.T @ one, one + W.T @ (one + W.T @ adj(P, "h", 2)), one], ()),
    "true for t < T only": (P, adj(P, "h"), one + W.T @ (one + W.T @ adj(P, "h", 2)), [
        one + W.T @ (one + W.T @ one), one + W.T @ one], (cond("before-end"),)),
    "T-1, false for T = 1": (P, adj(P, "h", T(-1)), None, [one + W.T @ one], ()),
    "T-1 with outputs, undefined for T = 1": (E, adj(E, "h", T(-1)), V.T @ adj(E, "o", T(-1)) + W.T @ adj(E, "a", T()), [
        V.T @ adj(E, "o", T(-1)) + W @ adj(E, "a", T()), V.T @ adj(E, "o", T(-1))], ()),
    "step 1, false for T = 1": (P, adj(P, "h", A(1)), one + W.T @ adj(P, "h", A(2)), [
        one + W.T @ (one + W.T @ adj(P, "h", A(3))), one + W.T @ one], ()),
    "beyond T": (P, adj(P, "h", T(1)), zeros(("n", 1)), [one, adj(P, "h", T())], ()),
    # ---------------------------------------------------------------------------------------------------- the first steps
    "false at t = 1": (P, adj(P, "h", -1), None, [one + W.T @ adj(P, "h")], ()),
    "step 0 of an adjoint": (P, adj(P, "h", A(0)), None, [one + W.T @ adj(P, "h", A(1)), zeros(("n", 1))], ()),
    "immediate derivative of the step before": (TANH, derivative(TANH["h"], TANH["b"]), Dt, [
        diag(1 - TANH["h"][-1] ** 2), eye("n")], (IM,)),
    "a given state does not depend on b": (TANH, derivative(TANH["h"][-1], TANH["b"]), None, [
        diag(1 - TANH["h"][-1] ** 2), zeros(("n", "n"))], (IM,)),
    "range 0..T of derivatives": (TANH, summed(derivative(TANH["h"], TANH["b"])), summed(Dt), [
        summed(Dt, A(0)), summed(Dt, A(2))], (IM,)),
    "range 0..T on both sides": (TANH, summed(derivative(TANH["h"], TANH["b"]), A(0)), None, [summed(Dt, A(0))], (IM,)),
    "two steps of the state": (TANH, TANH["h"], apply("tanh", W @ apply("tanh", W @ TANH["h"][-2] + U @ x[-1] + b) + U @ x + b), [
        apply("tanh", W @ apply("tanh", W @ TANH["h"][-2] + U @ x + b) + U @ x + b),
        apply("tanh", W @ apply("tanh", W @ TANH["h"][-1] + U @ x[-1] + b) + U @ x + b),
        apply("tanh", W @ apply("tanh", U @ x[-1] + b) + U @ x + b)], ()),
    "first step from zero": (plain("tanh", initial="zero"), at(TANH, "h", A(1)), apply("tanh", U @ at(P, "x", A(1)) + b), [
        apply("tanh", U @ at(P, "x", A(1))), at(TANH, "h", A(2))], ()),
    "first step, state given": (TANH, at(TANH, "h", A(1)), apply("tanh", W @ at(TANH, "h", A(0)) + U @ at(P, "x", A(1)) + b), [
        apply("tanh", U @ at(P, "x", A(1)) + b)], ()),
    # ----------------------------------------------------------------------------------------------------- sums over time
    "re-indexed": (E, derivative(L, W), summed(adj(E, "a", 1) @ h.T, A(0), T(-1)), [
        summed(adj(E, "a", 1) @ h.T, A(1), T(-1)), summed(adj(E, "a", 1) @ h.T, A(1), T()), summed(adj(E, "a", 1) @ h.T, A(0),
        T(-2)),
        summed(adj(E, "a", 1) @ h.T, A(1), T(1)), summed(adj(E, "a") @ h.T, A(0), T(-1))], ()),
    "re-indexed past T": (E, derivative(L, W), summed(adj(E, "a", 1) @ h.T, A(0), T()), [summed(adj(E, "a", 1) @ h.T, A(1),
        T())], ()),
    "re-indexed, h0 = 0": (E, derivative(L, W), summed(adj(E, "a", 1) @ h.T, A(1), T(-1)), [
        summed(adj(E, "a", 1) @ h.T, A(2), T(-1)), summed(adj(E, "a", 1) @ h.T, A(1), T(-2))], (cond("past-zero", "h"),)),
    "from t = 2, h0 = 0": (E, derivative(L, W), summed(adj(E, "a") @ h[-1].T, A(2)), [
        summed(adj(E, "a") @ h[-1].T, A(3))], (cond("past-zero", "h"),)),
    "end terms": (P, summed(P["h"], A(2)), summed(P["h"]) - at(P, "h", A(1)), [
        summed(P["h"]) - at(P, "h", T()), summed(P["h"]), summed(P["h"]) - at(P, "h", A(0)), summed(P["h"][-1], A(2))], ()),
    "end terms of both ends": (P, summed(P["h"], A(0), T(-1)), summed(P["h"]) + at(P, "h", A(0)) - at(P, "h", T()), [
        summed(P["h"]) - at(P, "h", A(0)) - at(P, "h", T()), summed(P["h"]) - at(P, "h", T())], ()),
    "an empty range, T = 1": (P, summed(P["h"], A(2), T(-1)), summed(P["h"][1], A(1), T(-2)), [
        summed(P["h"]) - at(P, "h", A(1)) - at(P, "h", T())], ()),
    "an empty range of constants": (P, summed(b, A(2)), summed(b) - b, [summed(b), summed(b, A(2), T(1))], ()),
    "an empty range of constants, T = 1": (P, summed(b, A(3)), None, [summed(b) - 2 * b, summed(b)], ()),
    "a sum with a term that is not defined": (P, summed(P["h"]), summed(W @ P["h"][-1] + U @ x + b), [
        summed(W @ (W @ P["h"][-2] + U @ x[-1] + b) + U @ x + b)], ()),
    "the letter of a sum": (TANH, summed(derivative(TANH["h"][1], TANH["h"]), A(0), T(-1)),
                            summed(diag(1 - TANH["h"][1] ** 2) @ W, A(0), T(-1)), [
        summed(Dt @ W, A(0), T(-1)), summed(diag(1 - TANH["h"][1] ** 2) @ W)], ()),
    "another letter": (E, derivative(L, c), summed(fix_time(p - y, "t", Time("s")), letter="s"), [
        summed(p - y, letter="s"), summed(fix_time(p, "t", Time("s")) - y, letter="s")], ()),
    "sums from t on": (P, summed(P["h"], Time("t", 0)), P["h"] + summed(P["h"], Time("t", 1)), [
        summed(P["h"], Time("t", 1)), summed(P["h"], Time("t", -1)), P["h"][1] + summed(P["h"], Time("t", 1)), summed(P["h"])],
        ()),
    "sums up to t": (P, summed(P["h"], A(1), Time("t", 0)), P["h"] + summed(P["h"], A(1), Time("t", -1)), [
        P["h"] + summed(P["h"], A(2), Time("t", -1)), summed(P["h"], A(1), Time("t", -1)), P["h"] + summed(P["h"], A(1),
        T(-1))], ()),
    "constants in sums": (P, summed(P["h"] - b), summed(P["h"]) - summed(b), [summed(P["h"]) - b, summed(P["h"],
        A(2)) - summed(b)], ()),
    "sums whose product is no sum": (P, summed(total(P["h"])) * summed(total(x)), None, [summed(total(P["h"]) * total(x))], ()),
    "a sum inside a function": (P, apply("tanh", summed(total(P["h"]))), None, [summed(apply("tanh", total(P["h"])))], ()),
    "the total loss": (E, L, summed(-(y.T @ apply("log", softmax(V @ h + c)))), [
        summed(y.T @ apply("log", p)), -(y.T @ apply("log", p)), summed(-(y.T @ apply("log", p)), A(2)),
        -(at(E, "y", T()).T @ apply("log", at(E, "p", T())))], ()),
    # ----------------------------------------------------------------------------------------------------------------- LSTM
    "LSTM, cell": (LSTM, adj(LSTM, "c"), LSTM["o"] * (1 - apply("tanh", LSTM["c"]) ** 2) * adj(LSTM, "h")
                   + LSTM["f"][1] * adj(LSTM, "c", 1), [
        LSTM["o"] * (1 - apply("tanh", LSTM["c"]) ** 2) * adj(LSTM, "h") + LSTM["f"] * adj(LSTM, "c", 1),
        LSTM["o"] * (1 - apply("tanh", LSTM["c"]) ** 2) * adj(LSTM, "h"),
        LSTM["o"] * apply("tanh", LSTM["c"]) * adj(LSTM, "h") + LSTM["f"][1] * adj(LSTM, "c", 1)], ()),
    "LSTM, forget gate": (LSTM, derivative(L, LSTM["W_f"]), summed(
        (adj(LSTM, "c") * LSTM["c"][-1] * LSTM["f"] * (1 - LSTM["f"])) @ LSTM["h"][-1].T), [
        summed((adj(LSTM, "c") * LSTM["c"] * LSTM["f"] * (1 - LSTM["f"])) @ LSTM["h"][-1].T),
        summed((adj(LSTM, "c") * LSTM["c"][-1] * LSTM["f"]) @ LSTM["h"][-1].T),
        summed((adj(LSTM, "h") * LSTM["c"][-1] * LSTM["f"] * (1 - LSTM["f"])) @ LSTM["h"][-1].T)], ()),
    "LSTM, cell to cell, other at t = 1 where h0 is given": (LSTM, derivative(LSTM["c"], LSTM["c"][-1]), None, [
        diag(LSTM["f"]) + add(*(
            diag(weight * slope) @ LSTM["W_" + g] for g, weight, slope in (
                ("f", LSTM["c"][-1], LSTM["f"] * (1 - LSTM["f"])), ("i", LSTM["g"], LSTM["i"] * (1 - LSTM["i"])),
                ("g", LSTM["i"], 1 - LSTM["g"] ** 2)))) @ diag(LSTM["o"][-1] * (1 - apply("tanh", LSTM["c"][-1]) ** 2)),
        diag(LSTM["f"])], ()),
    "LSTM, hidden to hidden": (LSTM, adj(LSTM, "h"), 1 + add(*(LSTM["W_" + g].T @ adj(LSTM, "a_" + g, 1) for g in "fiog")), [
        1 + add(*(LSTM["W_" + g].T @ adj(LSTM, "a_" + g) for g in "fiog")), add(*(LSTM["W_" + g].T @ adj(LSTM, "a_" + g,
        1) for g in "fiog")),
        1 + add(*(LSTM["W_" + g].T @ adj(LSTM, "a_" + g, 1) for g in "fig"))], ()),
    # -------------------------------------------------------------------------------------------------------------- lag two
    "lag 2, adjoint": (Q, adj(Q, "h"), one + W.T @ adj(Q, "h", 1) + Q["V"].T @ adj(Q, "h", 2), [
        one + W.T @ adj(Q, "h", 1), one + W.T @ adj(Q, "h", 1) + Q["V"].T @ adj(Q, "h", 1),
        one + W.T @ adj(Q, "h", 1) + Q["V"] @ adj(Q, "h", 2), one + W.T @ adj(Q, "h", 2) + Q["V"].T @ adj(Q, "h", 1)], ()),
    "lag 2, gradient": (Q, derivative(L, Q["V"]), summed(adj(Q, "h") @ Q["h"][-2].T), [
        summed(adj(Q, "h") @ Q["h"][-1].T), summed(adj(Q, "h", 2) @ Q["h"].T), summed(adj(Q, "h", 2) @ Q["h"].T, A(0), T(-2))],
        ()),
    "lag 2, re-indexed": (Q, derivative(L, Q["V"]), summed(adj(Q, "h", 1) @ Q["h"][-1].T, A(0), T(-1)), [
        summed(adj(Q, "h", 1) @ Q["h"][-1].T, A(1), T(-1))], ()),
    "lag 2, one step": (Q, derivative(Q["h"], Q["h"][-1]), W, [W + Q["V"], Q["V"], W @ W], ()),
    "lag 2, two steps, false at t = 1": (Q, derivative(Q["h"], Q["h"][-2]), None, [Q["V"] + W @ W, Q["V"], W @ W], ()),
    "lag 2, the given states": (Q, derivative(Q["h"][-1], Q["h"][-2]), None, [W], ()),
    "lag 2, adjoint before the first step": (Q, adj(Q, "h", -1), None, [one + W.T @ adj(Q, "h") + Q["V"].T @ adj(Q, "h", 1)], ()),
    "lag 2 from zero": (plain(lag2=True, initial="zero"), at(Q, "h", A(1)), U @ at(P, "x", A(1)) + b, [
        W @ (U @ at(P, "x", A(1)) + b) + b], ()),
    "lag 2, second step from zero": (plain(lag2=True, initial="zero"), at(Q, "h", A(2)), None, [U @ at(P, "x", A(2)) + b], ()),
    "two steps back": (TANH, derivative(TANH["h"], TANH["h"][-2]), Dt @ W @ diag(1 - TANH["h"][-1] ** 2) @ W, [
        Dt @ W @ Dt @ W, Dt @ W @ W, diag(1 - TANH["h"][-1] ** 2) @ W @ Dt @ W, Dt @ W], ()),
    # ------------------------------------------------------------------------------------------------------- coupled states
    "coupled, adjoint of r": (C, adj(C, "r"), 1 + C["B"].T @ diag(1 - C["h"] ** 2) @ adj(C, "h")
                              + C["D"].T @ diag(apply("?f'", C["C"] @ C["h"] + C["D"] @ C["r"])) @ adj(C, "r", 1), [
        1 + C["B"].T @ diag(1 - C["h"] ** 2) @ adj(C, "h"),
        1 + C["B"].T @ diag(1 - C["h"] ** 2) @ adj(C, "h")
        + C["D"].T @ diag(apply("?f'", C["C"] @ C["h"][-1] + C["D"] @ C["r"][-1])) @ adj(C, "r", 1),
        1 + C["B"].T @ diag(1 - C["h"] ** 2) @ adj(C, "h")
        + C["D"].T @ diag(apply("?f", C["C"] @ C["h"] + C["D"] @ C["r"])) @ adj(C, "r", 1)], ()),
    "coupled, h by h of the step before": (C, derivative(C["h"], C["h"][-1]), diag(1 - C["h"] ** 2) @ (
        C["A"] + C["B"] @ diag(apply("?f'", C["C"] @ C["h"][-1] + C["D"] @ C["r"][-1])) @ C["C"]), [
        diag(1 - C["h"] ** 2) @ C["A"], diag(1 - C["h"] ** 2) @ (C["A"] + C["B"] @ C["C"])], ()),
    "coupled, h by r of the same step": (C, derivative(C["h"], C["r"]), diag(1 - C["h"] ** 2) @ C["B"], [
        C["B"], diag(1 - C["h"] ** 2) @ (C["B"] + C["A"] @ C["B"])], ()),
    "unspecified functions keep their derivatives apart": (Z, derivative(apply("?f", u) * apply("?g", u), u),
                                                          apply("?f'", u) * apply("?g", u) + apply("?f", u) * apply("?g'", u), [
        apply("?f'", u) * apply("?g'", u), apply("?f'", u) * apply("?g", u), apply("?f", u) + apply("?g", u)], ()),
    "an unspecified function is not odd": (Z, apply("?f", -u) ** 2, apply("?f", -u) * apply("?f", u - 2 * u), [
        apply("?f", u) ** 2, -apply("?f", u) * apply("?f", -u)], ()),
    # ------------------------------------------------------------------------------------ derivatives: total, immediate, refused
    "immediate by W": (TANH, derivative(entry(TANH["h"], i), entry(TANH["W"], i, j)), entry(1 - TANH["h"] ** 2,
        i) * entry(TANH["h"][-1], j), [
        entry(1 - TANH["h"] ** 2, j) * entry(TANH["h"][-1], i), entry(TANH["h"][-1], j),
        entry(1 - TANH["h"] ** 2, i) * entry(TANH["h"], j)], (IM,)),
    "total by W through earlier steps": (TANH, derivative(entry(TANH["h"], i), entry(TANH["W"], i, j)), None, [
        entry(1 - TANH["h"] ** 2, i) * entry(TANH["h"][-1], j)], ()),
    "immediate sum is the gradient": (E, derivative(L, W), summed(index_sum(i, derivative(L, entry(h, i)) * derivative(entry(h,
        i), W))), [
        summed(index_sum(i, derivative(L, entry(h, i)) * derivative(entry(h, i), W)), A(2)),
        index_sum(i, derivative(L, entry(h, i)) * derivative(entry(h, i), W))], (IM,)),
    "partials of several steps": (TANH, derivative(total(TANH["h"]) + total(TANH["h"][-1]), TANH["b"]), None, [
        Dt @ one, Dt @ one + diag(1 - TANH["h"][-1] ** 2) @ one], (IM,)),
    "the total loss inside an expression": (P, derivative(2 * L, W), None, [zeros(("n", "n")), summed(adj(P,
        "h") @ P["h"][-1].T)], ()),
    "a second derivative of the loss": (P, derivative(entry(adj(P, "h"), i), P["h"]), None, [zeros(("n", 1))], ()),
    "an undefined variable": (P, derivative(total(sequence("z", "n")) + total(P["h"]), P["h"][-1]), None, [W.T @ one], ()),
    "by a parameter set to zero": (TANH, derivative(total(TANH["h"]), TANH["b"]), None, [zeros(("n", 1)), Dt @ one], (
        IM, cond("zero", "b"))),
    "by a state set to zero": (TANH, derivative(TANH["h"], TANH["h"][-1]), None, [zeros(("n", "n")), W], (cond("zero", "h"),)),
    "by a target that sums to one": (E, derivative(total(y), y), None, [zeros(("k", 1)), ones(("k", 1))], ()),
    "loss by the target, which sums to one": (E, derivative(E["l"], y), None, [log_sum_exp(o) * ones(("k", 1)) - o, -o], ()),
    # ------------------------------------------------------------------------------------------------------- indices and sizes
    "softmax Jacobian": (E, derivative(entry(p, k), entry(o, Index("d", "k"))),
                         entry(p, k) * (delta(k, Index("d", "k")) - entry(p, Index("d", "k"))), [
        entry(p, k) * (1 - entry(p, Index("d", "k"))), -entry(p, k) * entry(p, Index("d", "k")), entry(p, k) * (1 - entry(p, k)),
        entry(p, k) * (delta(k, Index("d", "k")) - entry(p, k)), delta(k, Index("d", "k")) - entry(p, Index("d", "k"))], ()),
    "softmax Jacobian, i = k": (E, derivative(entry(p, k), entry(o, Index("d", "k"))), entry(p, k) * (1 - entry(p, k)), [
        -entry(p, k) * entry(p, Index("d", "k")), entry(p, k) * (1 + entry(p, k))], (cond("equal", k, Index("d", "k")),)),
    "softmax Jacobian, i not k": (E, derivative(entry(p, k), entry(o, Index("d", "k"))), -entry(p, k) * entry(p, Index("d",
        "k")), [
        entry(p, k) * (1 - entry(p, k)), entry(p, k) * entry(p, Index("d", "k")), lift(0)], (cond("distinct", k, Index("d",
        "k")),)),
    "a free index on one side": (E, entry(p, k), entry(softmax(o), k), [quotient(lift(1), node("size", attr="k")), entry(p, 1),
        total(p)], ()),
    "free index against bound": (Z, index_sum(i, entry(q, i)), total(q), [entry(q, i), node("size", attr="n") * entry(q, i)], ()),
    "capture of an index": (Z, index_sum(i, entry(q, i) * index_sum(i, entry(r, i))), total(q) * total(r), [
        index_sum(i, entry(q, i) * entry(r, i)), node("size", attr="n") * (q.T @ r)], ()),
    "capture by a square": (Z, index_sum(i, entry(q, i)) ** 2, index_sum(i, index_sum(j, entry(q, i) * entry(q, j))), [
        index_sum(i, entry(q, i) ** 2), index_sum(i, index_sum(i, entry(q, i) * entry(q, i)))], ()),
    "a bound index beside a free one of that name": (Z, entry(q, i) * index_sum(i, entry(r, i)), entry(q, i) * total(r), [
        index_sum(i, entry(q, i) * entry(r, i)), entry(q, i) * entry(r, i)], ()),
    "trace": (Z, index_sum(i, entry(SQ, i, i)), total(diag(one) * SQ), [total(SQ), index_sum(i, index_sum(j, entry(SQ, i, j)))],
        ()),
    "transpose": (Z, (SQ @ SQ).T, SQ.T @ SQ.T, [SQ @ SQ, SQ.T @ SQ, SQ @ SQ.T], ()),
    "true for size 1 only": (Z, SQ @ q, (q.T @ SQ.T).T, [SQ.T @ q, had(q, SQ @ one), q * total(SQ)], ()),
    "true for equal sizes only": (Z, total(TALL.T @ q), q.T @ (TALL @ ones(("m", 1))), [total(TALL) * total(q)], ()),
    "the size of a sum": (Z, total(one), node("size", attr="n"), [lift(1), node("size", attr="m"), node("size", attr="n") ** 2],
        ()),
    "a delta of two sizes": (Z, index_sum(i, delta(i, j)), lift(1), [node("size", attr="n")], ()),
    "a delta between sizes": (Z, index_sum(i, delta(i, Index("z", "m"))), None, [lift(1)], ()),
    "a delta with a number": (Z, index_sum(i, delta(i, 1)), lift(1), [lift(0)], ()),
    "a delta with a large number": (Z, index_sum(i, delta(i, 5)), None, [lift(1)], ()),
    "one index, two sizes": (Z, index_sum(i, entry(q, i)), total(q), [index_sum(i, entry(symbol("g", ("m", 1)), Index("i",
        "m")))], ()),
    "different components": (Z, entry(q, 1) + entry(q, 2), entry(q, 2) + entry(q, 1), [2 * entry(q, 1), total(q)], ()),
    # ----------------------------------------------------------------------------------------------------- conditions, domains
    "a simplex that is declared": (Z, total(sequence("y", "n", kind="target")), lift(1), [lift(0)], (cond("simplex", "y"),)),
    "a simplex that is not": (Z, total(sequence("y", "n", kind="target")), None, [lift(1)], (cond("simplex", "x"),)),
    "a simplex that is no target": (P, total(P["h"]), None, [lift(1)], (cond("simplex", "h"),)),
    "softmax sums to one": (E, total(p), lift(1), [node("size", attr="k")], ()),
    "zero": (P, P["h"], W @ P["h"][-1] + U @ x, [W @ P["h"][-1], U @ x], (cond("zero", "b"),)),
    "zero elsewhere": (P, P["h"], None, [W @ P["h"][-1] + U @ x], (cond("zero", "c"),)),
    "past zero of another": (E, derivative(L, W), None, [summed(adj(E, "a") @ h[-1].T, A(2))], (cond("past-zero", "x"),)),
    "contradiction": (Z, delta(i, j), None, [lift(0), lift(1)], (cond("equal", i, j), cond("distinct", i, j))),
    "x over x": (Z, quotient(q, q), one, [q, zeros(("n", 1))], ()),
    "division by zero": (Z, u * apply("recip", v), None, [lift(0), u], (cond("zero", "v"),)),
    "division by a difference": (Z, quotient(u - v, u - v), lift(1), [lift(0), quotient(u - v, v - u)], ()),
    "division by nothing": (Z, apply("recip", u - u), None, [lift(0), apply("recip", v - v)], ()),
    "division by a delta": (Z, index_sum(i, quotient(entry(q, i), delta(i, j))), None, [entry(q, j), total(q)], ()),
    "power zero": (Z, (u + v) ** 0, lift(1), [u + v, lift(0)], ()),
    "negative powers": (Z, u**-2 * (u * v), u**-1 * v, [u * v, v, u**-2 * v], ()),
    "cross-multiplied": (Z, quotient(u, u + v) + quotient(v, u + v), lift(1), [quotient(u, u + v), lift(2)], ()),
    "quotients add badly": (Z, quotient(u, w) + quotient(v, w), quotient(u + v, w), [quotient(u + v, 2 * w), quotient(u,
        v + w)], ()),
    "logarithm of a sum": (Z, apply("log", apply("exp", u)), u, [apply("log", apply("exp", u) + apply("exp", v)) - v], ()),
    "log of zero": (Z, apply("log", u - u), None, [apply("log", v - v), lift(0)], ()),
    "matrix product is not entrywise": (Z, SQ @ SQ, node("matmul", SQ, SQ), [had(SQ, SQ), SQ**2], ()),
    "exp of a product": (Z, apply("exp", u + v), None, [apply("exp", u * v), apply("exp", u) + apply("exp", v)], ()),
    "tanh and sigmoid of other arguments": (Z, apply("sigmoid", -u), 1 - apply("sigmoid", u), [-apply("sigmoid", u),
        apply("sigmoid", u)], ()),
    "relu squared": (Z, apply("relu", u) ** 2, u * apply("relu", u), [apply("relu", u), apply("relu", u**2), u**2], ()),
}


def wrongs():
    for name, (m, left, _, false, conditions) in PAIRS.items():
        for n, right in enumerate(false):
            yield pytest.param(m, left, right, conditions, id=f"{name} {n}")


@pytest.mark.parametrize("m, left, right, conditions", list(wrongs()))
@pytest.mark.slow
def test_nothing_false_is_proved(m, left, right, conditions):
    assert prove(m, left, right, *conditions) is None


@pytest.mark.parametrize("name", [n for n, pair in PAIRS.items() if pair[2] is not None])
def test_the_true_neighbour_is_proved(name):
    m, left, right, _, conditions = PAIRS[name]
    assert right is not None and prove(m, left, right, *conditions)
    assert prove(m, right, left, *conditions)
    assert not left.fault and not right.fault


# ------------------------------------------------------------------------------------------------------ what a proof rests on
@pytest.mark.parametrize("name, facts, outside", [
    ("gradient of W", (), ()),
    ("gradient of V", (), ()),
    ("state adjoint", ("the adjoints after step T are zero",), ()),
    ("re-indexed", (), ()),
    ("re-indexed past T", ("the adjoints after step T are zero",), ()),
    ("re-indexed, h0 = 0", ("h is zero before the first step",), ()),
    ("last step, adjoint", ("the adjoints after step T are zero",), ()),
    ("first step from zero", ("h starts at zero",), ()),
    ("softmax Jacobian", (), ()),
    ("zero", ("b = 0",), ()),
    ("two steps of the state", (), ("t = 1",)),
    ("T-1 with outputs, undefined for T = 1", (), ("T = 1",)),
    ("two steps back", (), ("t = 1",)),
    ("different components", (), ("n < 2",)),
])
def test_a_proof_names_the_facts_it_uses_and_the_steps_outside_the_claim(name, facts, outside):
    m, left, right, _, conditions = PAIRS[name]
    assert right is not None
    found = prove(m, left, right, *conditions)
    assert found is not None
    assert (found.facts, found.outside) == (facts, outside)


def test_a_way_that_failed_leaves_nothing_in_the_proof():
    m, left, right, false, _ = PAIRS["gradient of W"]
    assert right is not None
    prover = Prover(Claim(left, false[0], m))
    assert prover.prove() is None
    assert not prover.notes.obligations and not prover.notes.facts
    found = prove(m, left, right)
    assert found is not None and found.obligations == ("generic t, definitions put in at t+0..t+0",)
    assert set(found.inlined) == {"grad W", "adjoint of a"}


def test_small_t_are_treated_one_by_one_where_the_argument_needs_more_steps():
    m, left, right, _, _ = PAIRS["T-1 with outputs, undefined for T = 1"]
    assert right is not None
    found = prove(m, left, right)
    assert found is not None and "T = 1" in found.outside
    both = prove(P, adj(P, "h", -1) + P["h"], adj(P, "h", -1) + P["h"])
    assert both is not None and both.obligations == ("both sides have one normal form",)


@pytest.mark.parametrize("relation", ["<", "<=", ">", ">=", "!=", "in", "~"])
def test_no_relation_but_equality_is_proved(relation):
    with pytest.raises(Unsupported, match="relation"):
        Prover(Claim(u, u, Z, relation)).prove()


@pytest.mark.parametrize("wrong", [
    symbol("W", ("n", "m"), "parameter"), symbol("W", ("n", "n"), "constant"), symbol("W", ("n", "n"), "parameter", Time("t")),
    symbol("h", ("m", 1), "variable", Time("t")), symbol("h", ("n", 1), "input", Time("t")), symbol("h", ("n", 1)),
    symbol("h", ("m", 1), "adjoint", Time("t")), symbol("W", ("m", "n"), "gradient")], ids=str)
def test_a_symbol_that_only_shares_its_name_with_one_of_the_model_is_refused(wrong):
    with pytest.raises(Unsupported, match="of the model"):
        Prover(Claim(total(wrong), total(wrong), P)).prove()


@pytest.mark.parametrize("conditions", [
    (cond("equal", i, j), cond("distinct", i, j)), (cond("simplex", "y"), cond("past-zero", "y")),
    (cond("simplex", "y"), cond("zero", "y"))])
def test_conditions_that_contradict_each_other_prove_nothing(conditions):
    assert prove(E, lift(0), lift(1), *conditions) is None
    assert prove(E, total(y[-1]), lift(1), *conditions) is None


def test_proofs_take_milliseconds_and_failures_not_much_longer():
    m, left, right, false, _ = PAIRS["gradient of W"]
    start = time.process_time()
    assert right is not None and prove(m, left, right)
    middle = time.process_time()
    assert prove(m, left, false[0]) is None
    assert middle - start < 0.5 and time.process_time() - middle < 5
