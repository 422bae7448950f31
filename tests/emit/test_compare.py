"""Printed formulas against emitted code and 50 digits: right ones within rounding, wrong ones not."""

from __future__ import annotations

from fractions import Fraction

import pytest
from ids import stable

from symrnn.emit.compare import Code, NotComparable, deviation
from symrnn.expr import SCALAR, Index, Time, apply, delta, derivative, diag, entry, index_sum, negative, scale, symbol, time_sum
from symrnn.model import FIRST, LAST, Model, param, sequence

pytestmark = pytest.mark.slow

NEAR_ONE = Fraction(1001, 1000)
SIZES = {"n_h": 2, "n_x": 3, "n_y": 3}


@pytest.fixture(scope="module")
def model(make_elman):
    return make_elman()


@pytest.fixture(scope="module")
def code(model):
    return Code(model)


def of(model, name, kind):
    s = model.symbol(name)
    return symbol(name, s.shape, kind, s.time)


def formulas(model):
    """(left, right) by name: right ones, then wrong ones."""
    h, o, p, y, x = (model[n] for n in ("h", "o", "p", "y", "x"))
    W, V = model["W_hh"], model["W_hy"]
    da, do, dh = (of(model, n, "adjoint") for n in ("a", "o", "h"))
    gW, gV = of(model, "W_hh", "gradient"), of(model, "W_hy", "gradient")
    i, j, k = Index("i", "n_y"), Index("j", "n_y"), Index("k", "n_h")
    total = symbol("L", SCALAR)

    def summed(e):
        return time_sum("t", FIRST, LAST, e)
    right = {
        "state": (h, apply("tanh", W @ h[-1] + model["W_xh"] @ x + model["b_h"])),
        "loss": (total, negative(summed(y.T @ apply("log", p)))),
        "output": (do, p - y), "unused": (of(model, "p", "adjoint"), negative(y * apply("recip", p))),
        "recurrence": (dh, V.T @ do + W.T @ da[1]), "weight": (gW, summed(da @ h[-1].T)), "head": (gV, summed(do @ h.T)),
        "jacobian": (derivative(h, h[-1]), diag(1 - h**2) @ W), "softmax": (derivative(p, o), diag(p) - p @ p.T),
        "entries": (derivative(entry(p, i), entry(o, j)), entry(p, i) * (delta(i, j) - entry(p, j))),
        "as loss": (derivative(total, h), dh),
        "index": (entry(gV, i, 1), summed(entry(do, i) * entry(h, 1))),
        "sum": (entry(o, i), index_sum(k, entry(V, i, k) * entry(h, k)) + entry(model["b_y"], i)),
    }
    wrong = {
        "sign": (do, y - p), "time": (gW, summed(da @ h.T)), "transposed": (gW, summed(h[-1] @ da.T)),
        "order": (derivative(h, h[-1]), W @ diag(1 - h**2)),
        "term": (dh, V.T @ do), "scaled": (gV, scale(NEAR_ONE, summed(do @ h.T))), "kept": (derivative(p, o), diag(p)),
        "range": (gW, time_sum("t", Time("", 2), LAST, da @ h[-1].T)), "loss": (total, negative(y.T @ apply("log", p))),
    }
    return right, wrong


RIGHT = ("state", "loss", "output", "unused", "recurrence", "weight", "head", "jacobian", "softmax", "entries", "as loss",
         "index", "sum")
WRONG = ("sign", "time", "transposed", "order", "term", "scaled", "kept", "range", "loss")


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_formula_lies_within_rounding(model, code, name):
    found = deviation(*formulas(model)[0][name], model, SIZES, code=code)
    assert found.within and found.exact == "0" and found.left == found.right
    assert found.from_code is not None and max(found.from_exact, found.from_code) <= found.bound < 1e-9


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_formula_does_not(model, code, name):
    found = deviation(*formulas(model)[1][name], model, SIZES, code=code)
    assert not found.within and float(found.exact) > 1e-5 and found.from_exact > 1e3 * found.bound


def test_every_formula_of_the_tables_is_tried(model):
    right, wrong = formulas(model)
    assert tuple(right) == RIGHT and tuple(wrong) == WRONG


def test_the_figures_for_reports_are_short_and_repeatable(model, code):
    first, second = (deviation(*formulas(model)[1]["sign"], model, SIZES, code=code) for _ in range(2))
    assert first == second and all(len(x.lstrip("-")) <= 9 for x in (first.exact, first.left, first.right))


def test_conditions_and_left_out_steps_count(make_elman):
    free = Model.build("free", make_elman().equations, loss="l")
    lam = of(free, "o", "adjoint")
    assert not deviation(lam, free["p"] - free["y"], free, SIZES).within
    assert deviation(lam, free["p"] - free["y"], free, SIZES, simplex=["y"]).within
    inner = (of(free, "h", "adjoint"), free["W_hy"].T @ lam + free["W_hh"].T @ of(free, "a", "adjoint")[1])
    assert deviation(*inner, free, SIZES, last_step=1).entries == 2
    assert deviation(*inner, free, SIZES).entries == 4


def test_a_model_that_has_no_code_is_compared_with_digits_alone():
    h = sequence("h", "n")
    model = Model.build("m", [(h, apply("tanh", param("W", "n", "n") @ h[-1]))])
    found = deviation(h, apply("tanh", model["W"] @ h[-1]), model, {"n": 2})
    assert found.within and found.from_code is None


@pytest.mark.parametrize(("left", "right"), [
    (symbol("z", ("q", 1)), symbol("z", ("q", 1))),
    (sequence("h", "n_h"), sequence("h", "n_h").T),
    (symbol("h", ("n_h", 1), time=Time("T", 1)), sequence("h", "n_h")),
    (apply("log", negative(sequence("h", "n_h") ** 2)), sequence("h", "n_h")),
], ids=stable)
def test_what_cannot_be_compared_is_said(model, code, left, right):
    with pytest.raises(NotComparable):
        deviation(left, right, model, SIZES, code=code)


def test_a_random_cell_is_compared_as_well(make_cell):
    from symrnn.bptt import derive

    model = make_cell(5)
    code, sizes = Code(model), dict.fromkeys(model.sizes, 2)
    derived = derive(model)
    for name in ("h", "g"):
        assert deviation(of(model, name, "adjoint"), derived.adjoints[name], model, sizes, code=code).within
        wrong = scale(NEAR_ONE, derived.adjoints[name])
        assert not deviation(of(model, name, "adjoint"), wrong, model, sizes, code=code).within
