"""What some outputs need is found by following the equations, and nothing else has any influence on them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from symrnn.errors import CallError, ModelError
from symrnn.expr import apply, node, softmax, symbols, total
from symrnn.model import Equation, Model, param, scalar, sequence
from symrnn.needs import leaving, needed, reduced
from symrnn.unroll import unroll

W, U, V = param("W", "n", "n"), param("U", "n", "m"), param("V", "k", "n")
h, o, p, q = sequence("h", "n"), sequence("o", "k"), sequence("p", "k"), sequence("q", "k")
x, y, ell = sequence("x", "m", kind="input"), sequence("y", "k", kind="target"), scalar("l")
STATE = (h, apply("tanh", W @ h[-1] + U @ x))


def network(*rows, loss=True) -> Model:
    end = [(ell, total((p - y) ** 2))] if loss else []
    return Model.build("m", [STATE, (o, V @ h), *rows, (p, softmax(o)), *end], loss="l" if loss else None)


def by_search(model: Model, outputs: list[tuple[str, int]], T: int) -> set[tuple[str, int]]:
    """The same by going backwards through the unrolled equations, latest first."""
    found = set(outputs)
    for e in reversed(list(unroll(model, T))):
        if (e.name, e.left.time.offset) in found:
            found |= {(s.name, s.time.offset) for s in symbols(e.right) if s.kind == "variable" and s.time.offset >= 1}
    return found


def test_the_last_output_needs_every_state_and_no_earlier_output():
    found = needed(network(), ["p"])
    assert (found.every, found.late, found.left_out) == (("h",), {"o": (0,), "p": (0,)}, ("l",))
    assert found.at(3) == {("h", 1), ("h", 2), ("h", 3), ("o", 3), ("p", 3)}
    assert str(found) == "p at the last step: computed from o, p at the last step and h at every step, and from no other variable or step"


def test_a_value_of_some_steps_back_is_needed_at_these_steps_only():
    found = needed(network((q, o + o[-2])), ["q"])
    assert found.late == {"o": (0, 2), "q": (0,)}
    assert "o 0 and 2 steps before the last one" in str(found)
    assert {value for value in found.at(4) if value[0] == "o"} == {("o", 2), ("o", 4)}


def test_without_a_recurrence_only_the_last_steps_count():
    model = Model.build("m", [(h, apply("tanh", U @ x + U @ x[-1])), (o, V @ h[-1])])
    assert needed(model, ["o"]).late == {"h": (1,), "o": (0,)}


def test_the_loss_of_all_steps_needs_every_output():
    found = needed(network(), ["l"], back=None)
    assert (found.every, found.late) == (("h", "o", "p", "l"), {})
    assert len(found.at(5)) == 20


@pytest.mark.parametrize("T", [1, 2, 5])
@pytest.mark.parametrize("outputs", [["p"], ["q"], ["q", "h"], ["l"]])
def test_the_values_needed_are_those_of_a_search_through_the_unrolled_network(T, outputs):
    model = network((q, o + p[-1] + o[-2]))
    found = needed(model, outputs)
    assert found.at(T) == by_search(model, [(name, T) for name in outputs], T)
    for name, t in found.at(T):
        assert name in found.every or T - t in found.late[name]


def test_a_state_that_skips_steps_is_needed_at_every_second_one():
    model = Model.build("m", [(h, apply("tanh", W @ h[-2] + U @ x))])
    assert needed(model, ["h"]).every == ("h",)
    assert needed(model, ["h"]).at(5) == {("h", 1), ("h", 3), ("h", 5)}


def test_whatever_is_not_needed_may_be_replaced_without_any_change_of_the_output():
    model = network((q, o + p[-1]))
    found, kept = needed(model, ["q"]), {"h", "o", "p", "q"}
    other = replace(model, equations=tuple(e if e.name in kept else Equation(e.left, 0 * e.right) for e in model.equations))
    values = [forward(m, 4) for m in (model, other)]
    assert np.array_equal(values[0]["q", 4], values[1]["q", 4])
    for name, t in sorted(found.at(4)):
        assert not np.allclose(forward(model, 4, moved=(name, t))["q", 4], values[0]["q", 4]), (name, t)
    for name, t in {(e.name, t) for e in model.equations for t in range(1, 5)} - found.at(4):
        assert np.array_equal(forward(model, 4, moved=(name, t))["q", 4], values[0]["q", 4]), (name, t)


def forward(model: Model, T: int, moved: tuple[str, int] | None = None) -> dict[tuple[str, int], np.ndarray]:
    """Every value by hand, with one of them moved."""
    r = np.random.default_rng(3)
    n, m, k = 3, 2, 2
    w, u, v = r.normal(size=(n, n)), r.normal(size=(n, m)), r.normal(size=(k, n))
    xs, found = r.normal(size=(T + 1, m)), {}
    names = [e.name for e in model.equations]

    def put(name: str, t: int, value: np.ndarray) -> None:
        found[name, t] = value + (np.arange(1, value.size + 1) if moved == (name, t) else 0)
    found["h", 0], found["p", 0] = np.zeros(n), np.zeros(k)
    for t in range(1, T + 1):
        put("h", t, np.tanh(w @ found["h", t - 1] + u @ xs[t]))
        put("o", t, v @ found["h", t])
        put("p", t, np.exp(found["o", t]) / np.exp(found["o", t]).sum())
        if "q" in names:
            put("q", t, found["o", t] + found["p", t - 1])
    return found


def test_what_leaves_a_network_is_what_nothing_but_the_loss_uses():
    assert leaving(network()) == ("p",)
    assert leaving(network((q, 2 * o))) == ("q", "p")
    assert leaving(Model.build("m", [STATE])) == ("h",)
    error = sequence("e", "k")
    aimed = Model.build("m", [STATE, (p, V @ h), (error, p - y), (ell, total(error * error))], loss="l")
    assert leaving(aimed) == ("p",)
    with pytest.raises(ModelError, match="the loss alone"):
        leaving(Model.build("m", [(ell, total(x * x))], loss="l"))


def test_the_reduced_model_has_the_needed_equations_and_no_loss():
    small = reduced(needed(network((q, 2 * o)), ["q"]))
    assert [e.name for e in small.equations] == ["h", "o", "q"]
    assert small.loss is None and small.targets == ()
    assert reduced(needed(network(), ["l"], back=None)).loss == "l"


@pytest.mark.parametrize(("arguments", "words"), [
    ((["z"],), "be one of h, o, p, l"), (([],), "at least one variable"), ((["p"], [-1]), "counted back from 0"), ((["p"], []), "steps")])
def test_a_question_without_an_answer_is_refused(arguments, words):
    with pytest.raises(CallError, match=words):
        needed(network(), *arguments)


def test_a_number_of_steps_below_one_is_refused():
    with pytest.raises(CallError, match="at least 1"):
        needed(network(), ["p"]).at(0)


def test_symbols_of_one_name_and_other_kinds_do_not_count():
    model = Model.build("m", [STATE, (o, V @ h + node("sym", attr=y.attr))])
    assert needed(model, ["o"]).late == {"o": (0,)}
