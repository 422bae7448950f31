"""The table of edits: every row makes what it says, at the places where it makes sense."""

from __future__ import annotations

import pytest

from symrnn.codes import code
from symrnn.expr import Index, apply, derivative, diag, entry, had, index_sum, matmul, node, softmax, symbol, time_sum, total
from symrnn.model import FIRST, LAST
from symrnn.repair.edits import KIND, KINDS, single_edits
from symrnn.repair.palette import Palette
from symrnn.repair.places import alone, chain, part, replace, size, terms, without


def one_kind(claim, name):
    """The right sides that one kind of edit makes of a claim's."""
    return [str(new) for new, _ in single_edits(claim.right, Palette.of(claim), (KIND[name],))]


def test_every_row_has_a_known_code_and_its_own_name():
    assert all(code(row.code).id == row.code for row in KINDS)
    assert len({row.name for row in KINDS}) == len(KINDS)
    costs = [row.cost for row in KINDS]
    assert costs == sorted(costs) and costs[0] >= 1.0


def cases(net):
    """Kind -> left side, right side, and some of the right sides it makes."""
    W, U, V, h, x, o, p, y = (net[n] for n in ("W_hh", "W_xh", "W_yh", "h", "x", "o", "p", "y"))
    g, i, j = net.by("h"), Index("i", "n_y"), Index("j", "n_y")
    s = time_sum("t", FIRST, LAST, p)
    return {
        "transpose": (h, W @ h, ["W_hh.T @ h[t]"]),
        "order": (h, matmul(matmul(W.T, g), diag(h)), ["W_hh.T @ diag(h[t]) @ d(L)/d(h[t])"]),
        "bracket": (net.by("h"), had(matmul(W.T, g), h), ["W_hh.T @ (h[t] * d(L)/d(h[t]))"]),
        "sign": (net.by("o"), p + y, ["p[t] - y[t]", "-p[t] + y[t]", "-p[t] - y[t]"]),
        "scope": (net.by("b_o"), s - y, ["sum_t=1..T(p[t] - y[t])"]),
        "whole range": (net.by("b_o"), time_sum("t", FIRST + 1, LAST, p), ["sum_t=1..T(p[t])"]),
        "time": (h, W @ h, ["W_hh @ h[t-1]", "W_hh @ h[t+1]"]),
        "symbol": (h, U @ x, ["W_hh @ x[t]", "W_xh @ y[t]"]),
        "index": (entry(p, i), entry(p, j), ["p[t][i]", "p[t]"]),
        "range": (net.by("b_o"), s, ["sum_t=1..T-1(p[t])", "sum_t=2..T(p[t])"]),
        "drop number": (h, 3 * h, ["h[t]"]),
        "insert number": (h, h, ["2 * h[t]", "(1/2) * h[t]"]),
        "components": (p, index_sum(j, entry(p, j)), ["p[t]"]),
        "entries": (h, node("add", node("num", attr=1), h), ["ones + h[t]"]),
        "product": (h, had(W, W), ["W_hh @ W_hh"]),
        "diag": (h, diag(h) @ h, ["h[t] @ h[t]"]),
        "drop factor": (h, had(h, g), ["h[t]", "d(L)/d(h[t])"]),
        "power": (h, h**3, ["h[t]**2", "h[t]**4"]),
        "function": (h, apply("exp", h), ["tanh(h[t])", "softmax(h[t])"]),
        "insert factor": (net.by("W_yh"), p - y, ["(p[t] - y[t]) @ h[t].T"]),
        "derivative": (net.by("h"), V.T @ net.by("p"), ["W_yh.T @ d(L)/d(o[t])"]),
        "drop term": (o, V @ h + net["b_o"] + p, ["W_yh @ h[t] + b_o"]),
        "apply": (p, softmax(o), ["o[t]", "softmax(exp(o[t]))"]),
        "insert term": (o, V @ h, ["W_yh @ h[t] + b_o"]),
    }


@pytest.mark.parametrize("name", KIND)
def test_a_kind_of_edit_makes_the_changes_it_is_named_for(elman, name):
    left, right, some = cases(elman)[name]
    made = one_kind(elman.claim(left, right), name)
    assert [e for e in some if e not in made] == []


def test_a_slip_that_is_printed_twice_is_undone_in_both_places_at_once(elman):
    h, x = elman["h"], elman["x"]
    claim = elman.claim(h, had(apply("exp", x), apply("tanh", x)))
    assert "exp(x[t-1]) * tanh(x[t-1])" in one_kind(claim, "time")


def test_a_slip_beside_a_derivative_is_not_looked_for_in_it(elman):
    g, h = elman.by("h"), elman["h"]
    claim = elman.claim(elman.by("W_hh"), had(g, had(h, h)))
    assert any("-h[t] * -h[t]" in e or "(-h[t])" in e for e in one_kind(claim, "sign")) is False
    assert all("d(L)/d(h[t])" in e for e in one_kind(claim, "sign"))


def test_an_entrywise_factor_leaves_the_matrix_product_that_it_belongs_before(elman):
    W, g, h = elman["W_hh"], elman.by("h"), elman["h"]
    claim = elman.claim(elman.by("h"), matmul(W.T, had(g, h)))
    assert "(W_hh.T @ h[t]) * d(L)/d(h[t])" in one_kind(claim, "bracket")


def test_an_edit_is_told_in_words(elman):
    claim = elman.claim(elman["h"], elman["W_hh"] @ elman["h"])
    told = {str(edit) for _, edit in single_edits(claim.right, Palette.of(claim))}
    assert {"transpose W_hh", "write h[t-1] for h[t]", "move W_hh behind h[t]", "take out the factor W_hh"} <= told


def test_the_top_of_a_derivative_is_not_transposed_and_the_loss_is_not_exchanged(elman):
    claim = elman.claim(elman.by("h"), elman.by("o"))
    made = [new for new, edit in single_edits(claim.right, Palette.of(claim)) if new.op == "deriv"]
    assert made and all(new.args[0] is symbol("L") and new.args[1].op == "sym" for new in made)


def test_of_an_ill_shaped_formula_only_what_bears_on_the_fault_is_edited(elman):
    V, W, h, x = (elman[n] for n in ("W_yh", "W_hh", "h", "x"))
    claim = elman.claim(elman["o"], V @ h + W @ x)
    words = [str(edit) for _, edit in single_edits(claim.right, Palette.of(claim))]
    assert "transpose W_hh" in words and "transpose W_yh" not in words


def test_symbols_are_exchanged_only_for_those_of_their_kind(elman):
    palette = Palette.of(elman.claim(elman["h"], elman["h"]))
    parameters = {s.name for s in elman.model.parameters}
    assert {s.name for s in palette.like(elman["W_hh"].attr)} == parameters - {"W_hh"}
    assert {s.name for s in palette.like(elman["x"].attr)} == {"h", "o", "p", "y"}
    assert palette.like(symbol("L").attr) == []


def test_a_term_that_would_cancel_one_of_the_author_is_not_put_in(elman):
    claim = elman.claim(elman.by("o"), elman["y"] + elman["p"])
    assert one_kind(claim, "insert term") == []


def test_terms_are_found_through_signs_and_sums_and_their_contributions_add_up(elman):
    h, b = elman["h"], elman["b_h"]
    e = -2 * time_sum("t", FIRST, LAST, h + b) + b
    places = terms(e)
    assert [str(part(e, p)) for p in places] == ["h[t]", "b_h", "b_h"]
    assert [str(alone(e, p)(part(e, p))) for p in places] == ["(-2) * sum_t=1..T(h[t])", "(-2) * sum_t=1..T(b_h)", "b_h"]
    assert str(without(e, places[0])) == "(-2) * sum_t=1..T(b_h) + b_h"
    assert without(h, ()) is None


def test_the_factors_of_a_product_do_not_depend_on_the_brackets(elman):
    W, h = elman["W_hh"], elman["h"]
    assert chain(W @ (W @ h)) == chain((W @ W) @ h) == [W, W, h]
    assert replace(W @ h, {(0,): W.T, (1,): h[-1]}) is W.T @ h[-1]
    assert size(total(W @ h)) == 4


def test_the_derivative_of_an_output_by_a_state_can_be_exchanged(elman):
    claim = elman.claim(elman.by("h"), derivative(elman["p"], elman["h"]).T @ elman.by("o"))
    assert "d(o[t])/d(h[t]).T @ d(L)/d(o[t])" in one_kind(claim, "derivative")
