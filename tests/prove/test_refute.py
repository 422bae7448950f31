"""Every mutant of a true gradient is refuted by a small certified point; what has no such point is not refuted."""
from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from symrnn.expr import (
    SCALAR,
    Expr,
    Index,
    Symbol,
    Time,
    apply,
    diag,
    entry,
    had,
    lift,
    negative,
    node,
    ones,
    scale,
    softmax,
    time_sum,
    total,
    transpose,
)
from symrnn.model import FIRST, LAST, Model, param, scalar, sequence
from symrnn.prove.claim import Claim, Condition
from symrnn.prove.exact import compare
from symrnn.prove.refute import Counterexample, counterexample, search
from symrnn.prove.shapes import conflict

NONE = Model("none", ())
W, U, b = param("W", "n_h", "n_h"), param("U", "n_h", "n_x"), param("b", "n_h")
V, c = param("V", "n_y", "n_h"), param("c", "n_y")
h, a, o, p = sequence("h", "n_h"), sequence("a", "n_h"), sequence("o", "n_y"), sequence("p", "n_y")
x, y, loss = sequence("x", "n_x", kind="input"), sequence("y", "n_y", kind="target"), scalar("l")
ELMAN = Model.build("elman", [(a, W @ h[-1] + U @ x + b), (h, apply("tanh", a)), (o, V @ h + c), (p, softmax(o)),
                              (loss, negative(y.T @ apply("log", p)))], loss="l", simplex=["y"])


def adj(e: Expr) -> Expr:
    s: Symbol = e.attr
    return node("sym", attr=Symbol(s.name, s.shape, "gradient" if s.time is None else "adjoint", s.time))


def over_time(body: Expr) -> Expr:
    return time_sum("t", FIRST, LAST, body)


da, dh, do = adj(a), adj(h), adj(o)
slope = 1 - h**2

TRUE = {
    "o": (do, p - y), "h": (dh, V.T @ do + W.T @ da[1]), "a": (da, had(slope, dh)), "x": (adj(x), U.T @ da),
    "W": (adj(W), over_time(da @ h[-1].T)), "U": (adj(U), over_time(da @ x.T)), "b": (adj(b), over_time(da)),
    "V": (adj(V), over_time(do @ h.T)), "c": (adj(c), over_time(do)),
    "recursion": (dh, V.T @ do + W.T @ diag((1 - h**2)[1]) @ dh[1]),
}

MUTANTS: dict[str, tuple[str, Expr]] = {
    "sign of o": ("o", p + y), "sign of the past": ("h", V.T @ do - W.T @ da[1]), "sign of the slope": ("a", had(1 + h**2, dh)),
    "transpose of W": ("h", V.T @ do + W @ da[1]), "transpose of the outer product": ("W", over_time(h[-1] @ da.T)),
    "order of factors": ("recursion", V.T @ do + diag((1 - h**2)[1]) @ W.T @ dh[1]),
    "time of the state": ("W", over_time(da @ h.T)), "time of the adjoint": ("h", V.T @ do + W.T @ da),
    "time of the slope": ("recursion", V.T @ do + W.T @ diag(1 - h**2) @ dh[1]),
    "time of the output": ("V", over_time(do @ h[-1].T)), "another adjoint": ("W", over_time(dh @ h[-1].T)),
    "another bias": ("b", over_time(dh)), "other weight": ("h", V.T @ do + W.T @ W.T @ da[1]),
    "state for slope": ("a", had(h, dh)), "dropped slope": ("a", dh), "dropped square": ("a", had(1 - h, dh)),
    "dropped target": ("o", p), "dropped past": ("h", V.T @ do), "dropped output": ("h", W.T @ da[1]),
    "dropped slope in the recursion": ("recursion", V.T @ do + W.T @ dh[1]),
    "first step dropped": ("U", time_sum("t", Time("", 2), LAST, da @ x.T)),
    "last step dropped": ("c", time_sum("t", FIRST, Time("T", -1), do)),
    **{f"minus {n}": (n, negative(e)) for n, (_, e) in TRUE.items()},
    **{f"1.001 {n}": (n, scale(Fraction(1001, 1000), e)) for n, (_, e) in TRUE.items()},
}


@pytest.mark.parametrize("name", TRUE)
def test_a_true_gradient_has_no_counterexample(name):
    result = search(Claim(*TRUE[name], ELMAN))
    assert result.found is None and "equal" in result.reason


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_differs_over_the_field_and_at_a_certified_point(name):
    of, wrong = MUTANTS[name]
    claim = Claim(TRUE[of][0], wrong, ELMAN)
    assert compare(claim).status == "different"
    found = counterexample(claim)
    assert found is not None
    assert differs_by_hand(claim, found), "plain NumPy finds the same difference"
    assert all(row.status != "different" for row in found.tried)
    for key, text in found.values.items():
        if key.startswith("y["):
            assert text == "1" or text.count("1") == 1 and text.count("0") == text.count(",")


# ------------------------------------------------------------------------------------------- the counterexample, by plain NumPy
def number(text: str) -> tuple[float, float]:
    """A printed value and its radius."""
    middle, _, radius = text.partition(" +/- ")
    return float(Fraction(middle)), float(radius or 0) + 1e-12


def differs_by_hand(claim: Claim, found: Counterexample) -> bool:
    """Recompute both sides at the printed values: the loss by NumPy, its derivatives by complex steps."""
    values = {(n, step): np.array([[float(q) for q in row] for row in rows]) for n, step, rows in found.assignment}
    left = side(claim.left, values, found)
    right = side(claim.right, values, found)
    (first, off), (second, away) = number(found.left), number(found.right)
    return abs(left - first) <= off + 1e-9 and abs(right - second) <= away + 1e-9 and first != second


def forward(values: dict[Any, np.ndarray], T: int, bump: dict[Any, np.ndarray]) -> dict[Any, Any]:
    def get(n, t=None):
        return values.get((n, t), np.zeros(1)) + bump.get((n, t), 0)
    out: dict[Any, Any] = {("h", 0): get("h", 0), "L": 0}
    for t in range(1, T + 1):
        out["a", t] = get("W") @ out["h", t - 1] + get("U") @ get("x", t) + get("b") + bump.get(("a", t), 0)
        out["h", t] = np.tanh(out["a", t]) + bump.get(("h", t), 0)
        out["o", t] = get("V") @ out["h", t] + get("c") + bump.get(("o", t), 0)
        out["p", t] = np.exp(out["o", t]) / np.exp(out["o", t]).sum()
        out["L"] = out["L"] - (get("y", t).T @ np.log(out["p", t]))[0, 0]
    return out


def side(e: Expr, values: dict[Any, np.ndarray], found: Counterexample) -> float:
    plain = forward(values, found.T, {})

    def symbol(s: Symbol, env: dict[str, int]) -> np.ndarray:
        t = None if s.time is None else s.time.offset + {"": 0, "T": found.T, **env}[s.time.base]
        shape = tuple(found.sizes.get(n, n) for n in s.shape)
        if s.kind not in ("adjoint", "gradient"):
            return values.get((s.name, t), np.zeros(shape)) if (s.name, t) not in plain else plain[s.name, t]
        out = np.zeros(shape)
        for place in np.ndindex(*shape):
            bump = np.zeros(shape, dtype=complex)
            bump[place] = 1e-30j
            out[place] = forward(values, found.T, {(s.name, t): bump})["L"].imag / 1e-30 if t is None or t <= found.T else 0
        return out

    def value(e: Expr, env: dict[str, int]) -> np.ndarray:
        if e.op == "tsum":
            letter, low, high = e.attr
            ends = [q.offset + {"": 0, "T": found.T, **env}[q.base] for q in (low, high)]
            return sum((value(e.args[0], {**env, letter: t}) for t in range(ends[0], ends[1] + 1)), np.zeros(1))
        args = [value(q, env) for q in e.args]
        rules = {"sym": lambda: symbol(e.attr, env), "num": lambda: np.full((1, 1), float(e.attr)), "add": lambda: sum(args),
                 "ones": lambda: np.ones([found.sizes.get(n, n) for n in e.attr]), "smul": lambda: args[0] * args[1],
                 "had": lambda: args[0] * args[1], "matmul": lambda: args[0] @ args[1], "transpose": lambda: args[0].T,
                 "pow": lambda: args[0]**e.attr, "diag": lambda: np.diag(args[0][:, 0])}
        return rules[e.op]()
    out = np.broadcast_to(value(e, found.times), [found.sizes.get(n, n) for n in (e.shape or ())])
    return float(out[found.entry[0] - 1, found.entry[1] - 1])


# --------------------------------------------------------------------------------------------------------------- small and least
def test_the_least_number_of_steps_is_found_and_the_smaller_ones_are_shown_to_be_equal():
    claim = Claim(dh, V.T @ do, ELMAN)
    found = counterexample(claim, extra=2)
    assert found is not None and found.T == 2 and found.t == 1
    first = [row for row in found.tried if row.T == 1]
    assert len(first) == 10 and all(row.status == "equal" and row.exponent >= 30 for row in first)


def test_the_least_sizes_are_found():
    found = counterexample(Claim(dh, V.T @ do + W @ da[1], ELMAN))
    assert found is not None
    assert (found.T, found.sizes) == (2, {"n_h": 2, "n_y": 2, "n_x": 1})


def test_values_are_few_and_small():
    found = counterexample(Claim(do, p + y, ELMAN))
    assert found is not None and found.exact
    assert {text for key, text in found.values.items() if not key.startswith("y")} <= {"0", "[0, 0]"}
    assert (found.left, found.right) == ("0", "2")
    assert found.text == "the left side is 0 and the right side 2 at n_h = 1, n_y = 1, n_x = 1, T = 1, t = 1"
    assert found.to_json() == {"T": 1, "sizes": found.sizes, "values": found.values, "left": "0", "right": "2"}


def test_rational_sides_are_exact_and_others_are_enclosed():
    u = param("u", "n")
    exact = counterexample(Claim(had(u, u), u, NONE))
    assert exact is not None and exact.exact and (exact.left, exact.right) == ("1", "-1")
    other = counterexample(Claim(apply("exp", u) - ones(("n", 1)), u, NONE))
    assert other is not None and not other.exact
    assert other.left == "1.71828182846 +/- 1e-11" and other.right == "1"
    assert other.to_json()["T"] is None


def test_domains_are_respected():
    u = param("u", "n")
    found = counterexample(Claim(apply("log", u), u - ones(("n", 1)), NONE))
    assert found is not None and found.values["u"] in ("2", "1/2")


def test_an_unspecified_function_is_named_with_its_instance():
    u = param("u", "n")
    found = counterexample(Claim(apply("?f", u), apply("?f'", u), NONE))
    assert found is not None and found.instances == {"f": "u + u^2/2"}
    assert found.to_json()["values"]["f(u)"] == "u + u^2/2"


def test_a_kink_is_no_counterexample():
    u = param("u", "n")
    assert counterexample(Claim(apply("step", u) + apply("step", -u), ones(("n", 1)), NONE)) is None


def test_a_condition_holds_at_the_counterexample():
    u, w = param("u", "n"), param("w", "n")
    found = counterexample(Claim(had(u, u), u, NONE, conditions=(Condition("simplex", ("u",)),)))
    assert found is not None and found.sizes == {"n": 2} and found.values["u"] in ("[1/2, 1/2]",)
    zero = counterexample(Claim(u + w, w + w, NONE, conditions=(Condition("zero", ("u",)),)))
    assert zero is not None and "u" not in zero.values


def test_the_component_is_named():
    i, k = Index("i", "K"), Index("k", "K")
    q = param("q", "K")
    found = counterexample(Claim(entry(softmax(q), i), entry(softmax(q), k), NONE))
    assert found is not None and found.indices == {"i": 1, "k": 2} and found.sizes == {"K": 2}


# ----------------------------------------------------------------------------------------------------------- what is not refuted
def test_a_difference_over_the_field_without_a_real_point_is_no_refutation():
    u = param("u")
    claim = Claim(apply("sqrt", u)**2, u, NONE)
    assert compare(claim).status == "different"
    result = search(claim)
    assert result.found is None and "no real point" in result.reason
    assert any(row.status == "different" for row in result.tried)


def test_a_false_claim_about_an_unspecified_vector_function_names_the_instance_that_refutes_it():
    u = param("u", "n")
    found = search(Claim(node("vcall", u, attr=("f", ("n", 1))), u, NONE)).found
    assert found is not None and "f" in found.instances


def test_a_true_claim_and_an_undecided_one_give_the_reason():
    assert "equal at n_h=2" in search(Claim(h, apply("tanh", a), ELMAN)).reason
    assert "without a shape" in search(Claim(h @ h, h, ELMAN)).reason


# ------------------------------------------------------------------------------------------------------------------------- shapes
def test_a_missing_transpose_is_a_conflict_with_both_shapes_and_the_operands():
    found = conflict(Claim(adj(V), over_time(do @ h), ELMAN))
    assert found is not None
    assert (found.kind, found.code, found.left, found.right) == ("right", "SR101", ("n_y", 1), ("n_h", 1))
    assert found.operands == (do, h) and found.operation == "matmul"
    assert found.reason == "on the right side, cannot multiply: n_y x 1 and n_h x 1, in adj o[t] and h[t]"


def test_sides_of_different_shapes_conflict():
    found = conflict(Claim(adj(V), over_time(h @ do.T), ELMAN))
    assert found is not None and (found.kind, found.left, found.right) == ("sides", ("n_y", "n_h"), ("n_h", "n_y"))


def test_an_index_free_on_one_side_only_is_a_conflict_of_its_own_kind():
    i, k = Index("i", "n_h"), Index("k", "n_h")
    found = conflict(Claim(entry(h, i), total(h), ELMAN))
    assert found is not None and (found.kind, found.code, found.indices) == ("indices", "SR102", (i,))
    assert str(found) == "the index i is free on the left side only"
    assert conflict(Claim(entry(h, i), lift(0), ELMAN)) is None
    assert conflict(Claim(entry(h, i), entry(h, k), ELMAN, conditions=(Condition("equal", (i, k)),))) is None
    assert conflict(Claim(entry(h, i), entry(h, k), ELMAN)) is not None


def test_a_claim_that_fits_has_no_conflict():
    assert all(conflict(Claim(*sides, ELMAN)) is None for sides in TRUE.values())
    assert conflict(Claim(transpose(h) @ h, total(had(h, h)), ELMAN)) is None
    assert lift(0).shape == SCALAR
