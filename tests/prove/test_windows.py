"""Windows: exact values, proofs by induction over t for every size and T, and what must not be proved."""
from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from symrnn.expr import NOW, SCALAR, Expr, Index, Symbol, Time, derivative, entry, index_sum, matmul, part, stack, symbol, window
from symrnn.model import Model, param, scalar, sequence
from symrnn.prove.claim import Claim, Condition, Missing
from symrnn.prove.decide import decide
from symrnn.prove.evaluate import Point
from symrnn.prove.exact import compare
from symrnn.prove.reals import Decimals
from symrnn.prove.segments import Segmenter
from symrnn.prove.windows import prove_windows
from symrnn.prove.witness import component_witness

x, y, h, a = scalar("x", "input"), scalar("y"), sequence("h", "p"), param("a", "p")
REGISTER = stack(part(h[-1], 2, "p"), x)
MODEL = Model.build("convolution", [(h, REGISTER), (y, a.T @ h)])
X0, H0 = Condition("past-zero", ("x",), "x_s = 0"), Condition("past-zero", ("h",), "h_0 = 0")
i = Index("i", "p")


def claim(left: Expr, right: Expr, *given: Condition, model: Model = MODEL) -> Claim:
    return Claim(left, right, model, "=", given)


TRUE = {
    "the state is the window": (h, window(x, "p")),
    "the printed step is the window": (REGISTER, window(x, "p")),
    "one step earlier": (h[-1], window(x[-1], "p")),
    "the output is a correlation": (y, index_sum(i, entry(a, i) * entry(window(x, "p"), i))),
    "the product is a correlation": (matmul(a.T, h), index_sum(i, entry(a, i) * entry(window(x, "p"), i))),
    "the newest entries": (part(h, 2, "p"), window(x, "p-1")),
    "at the last step": (symbol("h", ("p", 1), "variable", Time("T")), window(symbol("x", SCALAR, "input", Time("T")), "p")),
    "a difference of windows": (h - h[-1], window(x, "p") - window(x[-1], "p")),
}
FALSE = {
    "the window starts a step too early": (h, window(x[-1], "p")),
    "the slice keeps the oldest entries": (stack(part(h[-1], 1, "p-1"), x), window(x, "p")),
    "the newest comes first": (stack(x, part(h[-1], 2, "p")), window(x, "p")),
    "the output is another one": (y, index_sum(i, entry(a, i) * entry(window(x[-1], "p"), i))),
    "the sign is wrong": (h, -window(x, "p")),
}


@pytest.mark.parametrize("name", TRUE)
def test_the_shift_register_is_a_window_for_every_size_and_step(name):
    verdict = decide(claim(*TRUE[name], X0, H0))
    assert verdict.word == "proved", verdict
    assert verdict.scope is not None and verdict.scope.to_json() == {"sizes": "all", "T": "all"}
    assert verdict.method.startswith("induction over t") and verdict.error_bound == "0"
    assert {"x_s = 0", "h_0 = 0"} <= set(verdict.conditions)
    assert any("so h[t] = window(x[t], p)" in line for line in verdict.proof)


@pytest.mark.parametrize("p", [1, 2, 3, 4])
@pytest.mark.parametrize("name", TRUE)
def test_exact_evaluation_agrees_with_the_proof(name, p):
    outcome = compare(claim(*TRUE[name], X0, H0), {"p": p}, T=4)
    assert (outcome.status, outcome.skipped) == ("equal", ()), outcome


@pytest.mark.parametrize("p", [2, 3])
@pytest.mark.parametrize("name", TRUE)
def test_the_component_form_agrees_with_the_proof(name, p):
    seen = component_witness(claim(*TRUE[name], X0, H0), {"p": p}, 3)
    assert seen.holds and not seen.skipped


@pytest.mark.parametrize("name", FALSE)
def test_a_wrong_window_is_refuted_with_a_counterexample(name):
    verdict = decide(claim(*FALSE[name], X0, H0))
    assert verdict.word == "refuted" and verdict.counterexample is not None


def test_a_window_of_another_length_is_a_shape_conflict():
    verdict = decide(claim(h, window(x, "p+1"), X0, H0))
    assert (verdict.word, verdict.code) == ("refuted", "SR101")


@pytest.mark.parametrize("name", FALSE)
@pytest.mark.parametrize("given", [(), (X0,), (H0,), (X0, H0)])
def test_a_wrong_window_has_no_proof(name, given):
    assert prove_windows(claim(*FALSE[name], *given)) is None


def test_inputs_that_begin_with_zeros_make_the_window_depend_on_the_state_before_the_first_step():
    verdict = decide(claim(h, window(x, "p"), X0))
    assert (verdict.word, verdict.convention) == ("conditional", "h_0 = 0")
    assert "it fails" in verdict.reason and verdict.counterexample is not None
    assert prove_windows(claim(h, window(x, "p"), X0)) is None


FULL = {name: TRUE[name] for name in TRUE if name not in ("the newest entries", "a difference of windows")}


@pytest.mark.parametrize(("given", "named"), [((), "x_s = 0 for s <= 0 and h_0 = 0"), ((H0,), "x_s = 0 for s <= 0")])
@pytest.mark.parametrize("name", FULL)
def test_whatever_the_state_was_it_is_a_window_once_it_is_full(name, given, named):
    verdict = decide(claim(*FULL[name], *given))
    assert (verdict.word, verdict.error_bound) == ("proved", "0") and verdict.method.startswith("induction over t")
    assert any("so h[t] = window(x[t], p) for every t >= p" in line for line in verdict.proof)
    assert any("< p" in c for c in verdict.conditions)
    assert verdict.reason == f"with {named} it holds at every step"


@pytest.mark.parametrize("p", [1, 2, 3, 4])
@pytest.mark.parametrize("name", FULL)
def test_exact_evaluation_agrees_once_the_window_is_full(name, p):
    assert compare(claim(*FULL[name]), {"p": p}, T=6).status == "equal"


@pytest.mark.parametrize("name", FALSE)
def test_a_wrong_window_has_no_proof_when_it_is_full(name):
    assert decide(claim(*FALSE[name])).word == "refuted"


def test_a_window_of_a_number_of_entries_is_full_after_so_many_steps():
    z = sequence("z", 3)
    model = Model.build("three", [(z, stack(part(z[-1], 2, 3), x))])
    assert prove_windows(Claim(z, window(x, 3), model)).outside == ("t < 3",)
    assert prove_windows(Claim(z, window(x[-1], 3), model)) is None


def test_what_is_claimed_of_steps_at_which_the_window_is_not_full_is_not_proved_by_it():
    shorter = decide(claim(part(h, 2, "p"), window(x, "p-1")))       # it speaks of t = p-1 too
    assert (shorter.word, shorter.convention) == ("conditional", "x_s = 0 for s <= 0 and h_0 = 0")


@pytest.mark.parametrize("definition", [
    stack(part(h[-1], 1, "p-1"), x), stack(x, part(h[-1], 2, "p")), stack(part(h[-1], 2, "p"), x[-1]), stack(part(h[-2], 2, "p"), x),
    stack(-part(h[-1], 2, "p"), x)])
def test_a_register_of_another_kind_never_fills_with_the_window(definition):
    model = Model.build("another", [(h, definition)])
    assert prove_windows(claim(h, window(x, "p"), model=model)) is None


@pytest.mark.parametrize("name", FALSE)
def test_no_condition_rescues_a_wrong_window(name):
    assert decide(claim(*FALSE[name])).word != "conditional"


def test_before_the_first_step_both_are_zero():
    before = (symbol("h", ("p", 1), "variable", Time("", 0)), window(symbol("x", SCALAR, "input", Time("", 0)), "p"))
    verdict = decide(claim(*before, X0, H0))
    assert verdict.word == "proved" and verdict.method.startswith("vectors as lists of segments")


def test_a_model_whose_states_start_at_zero_needs_no_condition_on_them():
    verdict = decide(claim(h, window(x, "p"), X0, model=replace(MODEL, initial="zero")))
    assert verdict.word == "proved" and "h starts at zero" in verdict.conditions


def test_what_needs_no_window_is_proved_without_any_condition():
    verdict = decide(claim(part(h, 1, "p-1"), part(h[-1], 2, "p")))
    assert verdict.word == "proved" and verdict.uses == ("h",)
    assert decide(claim(part(part(h, 2, "p"), 1, 1), part(h, 2, 2))).word == "proved"


def test_steps_before_the_window_is_full_lie_outside_the_claim():
    verdict = decide(claim(part(window(x, "p"), 2, "p"), window(x, "p-1")))
    assert verdict.word == "proved"
    assert any("t < p" in c for c in verdict.conditions)


def test_sizes_at_which_a_slice_does_not_exist_lie_outside_the_claim():
    verdict = decide(claim(part(part(h, 2, "p"), 2, "p-1"), part(h, 3, "p")))
    assert verdict.word == "proved"
    assert any("p-2 < 0" in c for c in verdict.conditions)


def test_a_register_of_blocks_is_taken_apart_and_put_together():
    z, u = sequence("z", "q"), sequence("u", "n")
    model = Model.build("blocks", [(z, stack(part(z[-1], "n+1", "q"), symbol("u", ("n", 1), "input", NOW)))])
    u = symbol("u", ("n", 1), "input", NOW)
    assert decide(Claim(part(stack(h, u), "p+1", "p+n"), u, model)).word == "proved"
    assert prove_windows(Claim(part(stack(h, u), 2, "p+1"), stack(part(h, 2, "p"), part(u, 1, 1)), model)) is not None
    assert prove_windows(Claim(part(stack(h, u), 1, "n"), part(h, 1, "n"), model)) is None      # n <= p is not known


def test_a_variable_between_the_state_and_its_register_is_put_in():
    g = sequence("g", "p")
    model = Model.build("two steps", [(g, REGISTER), (h, g)])
    assert decide(claim(h, window(x, "p"), X0, H0, model=model)).word == "proved"


def test_the_step_before_the_first_is_not_left_out_when_registers_are_put_in():
    g = sequence("g", "p")
    model = Model.build("two states", [(h, REGISTER), (g, h)])
    given = Condition("past-zero", ("g",), "g_0 = 0")                # h_0 is given, so h_0 = g_0 need not hold
    verdict = decide(claim(h[-1], g[-1], given, model=model))
    assert (verdict.word, verdict.convention) == ("conditional", "h_0 = 0") and verdict.counterexample is not None
    assert prove_windows(claim(h[-1], g[-1], given, model=model)) is None


def test_a_state_that_takes_in_another_sequence_is_no_window_of_it():
    w = scalar("w", "input")
    model = Model.build("other", [(h, stack(part(h[-1], 2, "p"), x + w))])
    assert prove_windows(claim(h, window(x, "p"), X0, H0, model=model)) is None


def test_a_window_has_no_value_before_the_first_step_unless_that_is_stated():
    def draw(name, step, shape, simplex):
        return [[10 * step + k] for k in range(shape[0])]
    def at(t: int, *given: Condition) -> np.ndarray:
        return Point(MODEL, Decimals(), {"p": 3}, 4, draw, given).value(window(x, "p"), {"t": t})
    assert [float(v) for v in at(3)[:, 0]] == [10, 20, 30]
    assert [float(v) for v in at(2, X0)[:, 0]] == [0, 10, 20]
    with pytest.raises(Missing, match="step 0"):
        at(2)


def test_the_derivative_of_a_window_picks_the_step():
    def draw(name, step, shape, simplex):
        return [[1]] * shape[0]
    point = Point(MODEL, Decimals(), {"p": 3}, 4, draw, (X0, H0))
    assert [[float(v) for v in row] for row in point.value(derivative(window(x, "p"), x[-1]), {"t": 2})] == [[0], [1], [0]]
    assert [[float(v) for v in row] for row in point.value(derivative(h, x[-2]), {"t": 3})] == [[1], [0], [0]]
    with pytest.raises(Missing):
        point.value(derivative(window(x, "p"), x[-1]), {"t": 1})


def test_segments_of_zeros_runs_and_pieces_merge():
    zero = Segmenter(lambda s: s.time is not None and not s.time.base and s.time.offset <= 0)
    def at(n: int) -> Expr:
        return symbol("x", SCALAR, "input", Time("", n))
    assert zero.segments(window(at(0), "p")) == zero.segments(stack(at(-1), window(at(0), "p-1")))
    assert zero.normal(stack(window(x[-1], "p-1"), x)) is window(x, "p")
    assert zero.normal(stack(part(h, 1, 2), part(h, 3, "p"))) is h
    assert zero.normal(part(stack(h, x), 1, "p")) is h


def test_symbols_of_the_proof_are_those_of_the_claim():
    proof = prove_windows(claim(y, index_sum(i, entry(a, i) * entry(window(x, "p"), i)), X0, H0))
    assert proof is not None and set(proof.inlined) == {"h", "y"}
    assert isinstance(h.attr, Symbol)
