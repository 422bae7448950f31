"""The unrolled network: named equations with absolute times, made lazily, and nothing substituted unless asked."""

from __future__ import annotations

from itertools import islice

import pytest

from symrnn.errors import CallError, LimitError
from symrnn.expr import Symbol, Time, apply, negative, softmax, symbols
from symrnn.model import Model, param, scalar, sequence
from symrnn.unroll import key, unroll


def elman() -> Model:
    W, U, b = param("W", "n_h", "n_h"), param("U", "n_h", "n_x"), param("b", "n_h")
    V, c = param("V", "n_y", "n_h"), param("c", "n_y")
    h, a, o, p = (sequence(n, d) for n, d in (("h", "n_h"), ("a", "n_h"), ("o", "n_y"), ("p", "n_y")))
    x, y, ell = sequence("x", "n_x", kind="input"), sequence("y", "n_y", kind="target"), scalar("l")
    return Model.build("elman", [(a, W @ h[-1] + U @ x + b), (h, apply("tanh", a)), (o, V @ h + c), (p, softmax(o)),
                                 (ell, negative(y.T @ apply("log", p)))], loss="l", simplex=["y"])


def test_the_unrolled_network_has_every_equation_at_every_step_in_a_usable_order():
    unrolled = unroll(elman(), 3)
    known = set(unrolled.boundary)
    for e in unrolled:
        assert {s for s in symbols(e.right) if s.kind == "variable"} <= known
        known.add(e.left)
    assert len(unrolled) == len(list(unrolled)) == 15
    assert [str(e.left) for e in unrolled][:6] == ["a[1]", "h[1]", "o[1]", "p[1]", "l[1]", "a[2]"]


def test_the_text_of_an_equation_has_absolute_times():
    assert list(unroll(elman(), 2).render())[5] == "a[2] = W @ h[1] + U @ x[2] + b"
    assert unroll(elman(), 2).to_text().splitlines()[0] == "a[1] = W @ h[0] + U @ x[1] + b"


def test_the_boundary_lists_every_value_before_the_first_step():
    w, v, h, x = param("w"), param("v"), scalar("h"), scalar("x", "input")
    model = Model.build("two lags", [(h, w * h[-1] + v * h[-2] + x[-1])])
    assert [str(s) for s in unroll(model, 4).boundary] == ["h[0]", "h[-1]", "x[0]"]


@pytest.mark.usefixtures("no_hang")
def test_a_million_steps_are_not_written_out_until_they_are_read():
    unrolled = unroll(elman(), 10**6)
    assert len(unrolled) == 5 * 10**6
    assert [str(e.left) for e in islice(unrolled, 2)] == ["a[1]", "h[1]"]
    assert str(unrolled.equation("h", 10**6)) == "h[1000000] = tanh(a[1000000])"
    assert str(unrolled.total) == "L = sum_t=1..1000000(l[t])"


def test_a_state_can_be_written_out_down_to_the_first_one():
    text = str(unroll(elman(), 3).inlined("h", 3))
    assert text == "tanh(W @ tanh(W @ tanh(W @ h[0] + U @ x[1] + b) + U @ x[2] + b) + U @ x[3] + b)"


def test_variables_that_are_kept_stay_names():
    assert str(unroll(elman(), 3).inlined("o", 3, keep=["h"])) == "V @ h[3] + c"


def test_writing_out_is_refused_before_it_swells():
    w, h = param("w", "n", "n"), sequence("h", "n")
    doubling = Model.build("doubling", [(h, apply("tanh", h[-1]) * (w @ h[-1]))])
    with pytest.raises(LimitError) as error:
        unroll(doubling, 40).inlined("h", 40)
    assert error.value.limit == "nodes"


def test_the_edges_go_from_what_is_used_to_its_user():
    edges = {(str(a), str(b)) for a, b in unroll(elman(), 2).edges()}
    assert {("h[0]", "a[1]"), ("h[1]", "a[2]"), ("x[2]", "a[2]"), ("y[1]", "l[1]")} <= edges
    assert not any(a == "W" for a, _ in edges)


def test_the_data_form_has_the_same_equations():
    data = unroll(elman(), 2).to_json()
    assert data["T"] == 2 and data["boundary"] == ["h[0]"] and len(data["equations"]) == 10
    assert data["equations"][5] == {"left": "a[2]", "right": "W @ h[1] + U @ x[2] + b", "uses": ["h[1]", "x[2]"]}


@pytest.mark.parametrize("steps", [0, -1, 2.5, "3", True])
def test_a_number_of_steps_that_is_none_is_refused(steps):
    with pytest.raises(CallError, match="at least 1"):
        unroll(elman(), steps)


@pytest.mark.parametrize(("name", "t"), [("h", 0), ("h", 4), ("z", 1)])
def test_an_equation_that_does_not_exist_is_refused(name, t):
    with pytest.raises(CallError):
        unroll(elman(), 3).equation(name, t)


def test_the_key_of_a_symbol_is_an_identifier():
    assert key(Symbol("h^{(1)}", ("n", 1), "variable", Time("", -1))).isidentifier()
