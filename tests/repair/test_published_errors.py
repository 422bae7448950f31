"""The errors that published texts make, and the nearest right formula for each."""

from __future__ import annotations

import time

from symrnn.expr import Index, apply, diag, entry, index_sum, quotient, softmax, symbol
from symrnn.prove.decide import decide
from symrnn.repair import repair


def check(claim, right, words, code):
    """The claim is refuted, and its repair is the given formula, proved, in well under a second."""
    assert decide(claim).word == "refuted"
    start = time.process_time()
    found = repair(claim)
    assert time.process_time() - start < 1.0
    assert found is not None
    assert found.verdict.word == "proved"
    assert str(found.claim.right) == str(right)
    assert found.claim.left is claim.left
    assert (found.words, found.code) == (words, code)


def test_a_missing_transpose_in_the_gradient_by_the_input_weights(elman, over_time):
    front = diag(elman.slope()) @ elman.by("h")
    check(elman.claim(elman.by("W_xh"), over_time(front @ elman["x"])), over_time(front @ elman["x"].T),
          ("transpose x[t]",), "SR201")


def test_a_missing_transpose_in_the_gradient_by_the_output_weights(elman, over_time):
    front = softmax(elman["o"]) - elman["y"]
    check(elman.claim(elman.by("W_yh"), over_time(front @ elman["h"])), over_time(front @ elman["h"].T),
          ("transpose h[t]",), "SR201")


def test_a_diagonal_matrix_behind_the_vector_it_multiplies(elman):
    first, W, later, D = elman["W_yh"].T @ elman.by("o"), elman["W_hh"].T, elman.by("h", 1), diag(elman.slope(1))
    check(elman.claim(elman.by("h"), first + W @ later @ D), first + W @ D @ later,
          ("move d(L)/d(h[t+1]) behind diag(ones - h[t+1]**2)",), "SR202")


def test_the_wrong_weights_together_with_a_misplaced_diagonal_matrix(elman):
    first, later, D = elman["W_yh"].T @ elman.by("o"), elman.by("h", 1), diag(elman.slope(1))
    check(elman.claim(elman.by("h"), first + elman["W_xh"].T @ later @ D), first + elman["W_hh"].T @ D @ later,
          ("move d(L)/d(h[t+1]) behind diag(ones - h[t+1]**2)", "write W_hh for W_xh"), "SR299")


def test_a_stray_minus_on_the_softmax(elman):
    i, j = Index("i", "n_y"), Index("j", "n_y")
    right = quotient(apply("exp", entry(elman["o"], i)), index_sum(j, apply("exp", entry(elman["o"], j))))
    check(elman.claim(entry(softmax(elman["o"]), i), -right), right, (f"change the sign of {right}",), "SR203")


def test_a_term_that_stands_outside_the_sum(elman, over_time):
    s, y = softmax(elman["o"]), elman["y"]
    check(elman.claim(elman.by("b_o"), over_time(s) - y), over_time(s - y), ("take -y[t] into the sum",), "SR208")


def test_the_same_errors_in_update_rules(elman, over_time):
    eta, s, y = symbol("eta", kind="constant"), softmax(elman["o"]), elman["y"]
    front = diag(elman.slope()) @ elman.by("h")
    rows = (
        ("W_xh", -eta * over_time(front @ elman["x"]), -eta * over_time(front @ elman["x"].T), "transpose x[t]", "SR201"),
        ("W_yh", -eta * over_time((s - y) @ elman["h"]), -eta * over_time((s - y) @ elman["h"].T), "transpose h[t]", "SR201"),
        ("b_o", -eta * over_time(s) - y, -eta * over_time(s - y), "take -y[t] into the sum", "SR208"),
    )
    for name, wrong, right, words, code in rows:
        check(elman.claim(-eta * elman.by(name), wrong), right, (words,), code)


def test_the_state_after_the_step_for_the_state_before_it(elman, over_time):
    front = diag(elman.slope()) @ elman.by("h")
    check(elman.claim(elman.by("W_hh"), over_time(front @ elman["h"].T)), over_time(front @ elman["h"][-1].T),
          ("write h[t-1] for h[t]",), "SR204")


def test_the_derivative_of_the_activation_left_out(elman, split_elman, over_time):
    for net in (elman, split_elman):
        g, old = net.by("h"), net["h"][-1].T
        check(net.claim(net.by("W_hh"), over_time(g @ old)), over_time((net.slope() * g) @ old),
              ("put in the factor ones - h[t]**2",), "SR206")


def test_targets_left_out_of_the_cross_entropy(elman, over_time):
    logs = apply("log", elman["p"])
    check(elman.claim(symbol("L"), -over_time(logs)), -over_time(elman["y"].T @ logs), ("put in the factor y[t]",), "SR206")


def test_a_sum_over_components_that_is_too_many(elman, over_time):
    i, s, y = Index("i", "n_y"), softmax(elman["o"]), elman["y"]
    check(elman.claim(elman.by("b_o"), over_time(index_sum(i, entry(s, i) - entry(y, i)))), over_time(s - y),
          ("take off the sum over i",), "SR208")


def test_a_wrong_forward_equation(elman):
    W, U, b, h, x = (elman[n] for n in ("W_hh", "W_xh", "b_h", "h", "x"))
    right = apply("tanh", W @ h[-1] + U @ x + b)
    check(elman.claim(h, apply("sigmoid", W @ h[-1] + U @ x + b)), right, ("write tanh for sigmoid",), "SR210")
    check(elman.claim(h, apply("tanh", W @ h[-1] + U @ x)), right, ("put in the term b_h",), "SR206")
