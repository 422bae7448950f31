"""Truncated backpropagation through time: a window keeps the derivative of its losses; with what it leaves out that is the whole."""

from __future__ import annotations

import json
from fractions import Fraction
from importlib.resources import files

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

from symrnn import api
from symrnn.bptt import derive
from symrnn.cli.app import app
from symrnn.errors import CallError, ModelError
from symrnn.expr import Expr, add, derivative, node, shift, symbol, symbols, transform
from symrnn.model import Model
from symrnn.prove.claim import Claim
from symrnn.prove.decide import decide
from symrnn.prove.evaluate import Point
from symrnn.prove.exact import compare
from symrnn.prove.reals import Floats
from symrnn.truncated import KEPT, LEFT, beyond, part, truncate, within

MODELS = ("elman", "lstm", "gru-reset-after", "leaky", "jordan", "elman-concatenated")


def claim(m: Model, state, steps: int) -> Claim:
    """That the adjoint within some steps is the derivative of the losses of these steps."""
    losses = add(*(shift(m[m.loss], j) for j in range(steps)))
    return Claim(derivative(losses, node("sym", attr=state)), within(derive(m), state.name, steps), m)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_what_is_kept_is_the_derivative_of_the_losses_of_the_window(name, steps):
    m = api.model(name)
    for state in m.states:
        assert compare(claim(m, state, steps)).status == "equal"
        assert compare(Claim(claim(m, state, steps).left, within(derive(m), state.name, steps + 1), m)).status == "different"


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_that_is_proved_for_all_sizes_and_every_number_of_steps(steps):
    m = api.model("elman")
    assert decide(claim(m, m.symbol("h"), steps)).word == "proved"


@pytest.mark.parametrize("name", MODELS)
def test_what_is_kept_and_what_is_left_out_are_the_whole_in_every_window(name):
    """Each recurrence, with the sum of both parts in the place of every adjoint, gives the sum of both parts."""
    d = derive(api.model(name))
    found = truncate(d)

    def free(e: Expr) -> Expr:
        """The parts as symbols of which nothing is known; a part that is zero as zero."""
        def change(x: Expr) -> Expr | None:
            if x.op != "sym" or not x.attr.is_derivative:
                return None
            word = x.attr.kind.partition(" ")[0]
            return symbol(f"{word} {x.attr.name} {x.attr.time}", x.attr.shape) if word == KEPT or x.attr.name in left else 0 * x
        return transform(e, change)

    left = {n for n, e in found.left.items() if any(s.is_derivative for s in symbols(e))}

    def both(x: Expr) -> Expr | None:
        if x.op != "sym" or x.attr.kind != "adjoint":
            return None
        later = x.attr.time.offset
        steps = f"k-{later}" if later else "k"
        return node("sym", attr=part(KEPT, x.attr, steps)) + node("sym", attr=part(LEFT, x.attr, steps))
    for n, e in d.adjoints.items():
        whole, parts = free(transform(e, both)), free(found.kept[n]) + free(found.left[n])
        assert decide(Claim(whole, parts, Model("none", ()))).word == "proved", n


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_both_parts_add_up_to_the_adjoint(steps):
    for name in ("elman", "gru"):
        m = api.model(name)
        d = derive(m)
        whole = derivative(symbol("L"), m["h"])
        assert compare(Claim(whole, within(d, "h", steps) + beyond(d, "h", steps), m), T=5).status == "equal"
        assert compare(Claim(whole, within(d, "h", steps), m), T=5).status == "different"


def by_hand(p, xs, ys, start, window: int) -> np.ndarray:
    """The truncated gradient by the recurrent matrix, in plain loops: each loss goes back so many steps."""
    hs = [start]
    for x in xs:
        hs.append(np.tanh(p["W"] @ hs[-1] + p["U"] @ x + p["b"]))
    found = np.zeros_like(p["W"])
    for s in range(1, len(xs) + 1):
        o = p["V"] @ hs[s] + p["c"]
        q = np.exp(o - o.max())
        back = p["V"].T @ (q / q.sum() - ys[s - 1])
        for t in range(s, max(0, s - window), -1):
            back = back * (1 - hs[t] ** 2)
            found += np.outer(back, hs[t - 1])
            back = p["W"].T @ back
    return found


@pytest.mark.parametrize("window", [1, 2, 3, 5])
def test_the_truncated_gradient_is_that_of_plain_loops(window):
    random, m, steps = np.random.default_rng(2), api.model("elman"), 5
    sizes, drawn = {"n_h": 3, "n_x": 2, "n_y": 3}, {}

    def draw(name, step, shape, simplex):
        value = random.normal(size=shape)
        drawn[name, step] = np.eye(shape[0])[:, :1] if simplex else value
        return [[Fraction(x) for x in row] for row in drawn[name, step]]
    point, d = Point(m, Floats(), sizes, steps, draw), derive(m)
    ours = sum(point.value(within(d, "a", min(window, steps - t + 1)) @ m["h"][-1].T, {"t": t}) for t in range(1, steps + 1))
    p = {s.name: drawn[s.name, None] for s in m.parameters}
    p |= {name: p[name][:, 0] for name in ("b", "c")}
    xs, ys = ([drawn[name, t][:, 0] for t in range(1, steps + 1)] for name in "xy")
    assert np.allclose(ours, by_hand(p, xs, ys, drawn["h", 0][:, 0], window), rtol=1e-11, atol=1e-13)


def test_the_command_says_what_is_kept_and_what_is_left_out():
    run = CliRunner().invoke(app, ["derive", "elman", "--level", "brief", "--truncate", "3"])
    for line in ("adj_k h[t] = V.T @ (adj_k o[t]) + W.T @ (adj_(k-1) a[t+1])", "grad_K W = sum_t=1..T(adj_K a[t] @ h[t-1].T)",
                 "rest_k h[t] = W.T @ (rest_(k-1) a[t+1])", "rest_K W = sum_t=1..T(rest_K a[t] @ h[t-1].T)"):
        assert line in run.stdout
    assert "rest_K V" not in run.stdout, "the output layer loses nothing"
    found = json.loads(CliRunner().invoke(app, ["derive", "elman", "--truncate", "3", "--cost", "--format", "json"]).stdout)
    schema = json.loads((files("symrnn") / "schema" / "derive.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(found)
    assert found["truncated"]["steps"] == 3 and found["truncated"]["left_out"]["h"] == "W.T @ (rest_(k-1) a[t+1])"
    latex = CliRunner().invoke(app, ["derive", "elman", "--level", "brief", "--truncate", "3", "--format", "latex"]).stdout
    assert r"\frac{\partial^{(k-1)} L}{\partial a_{t+1}}" in latex and r"\frac{\partial^{(>K)} L}{\partial W}" in latex


def test_what_cannot_be_truncated_is_an_error_that_says_why():
    with pytest.raises(CallError, match="at least 1"):
        api.derive("elman", truncate=0)
    with pytest.raises(CallError, match="which runs backward"):
        api.derive("bidirectional", truncate=2).to_text()
    with pytest.raises(ModelError, match="sum over the steps"):
        api.derive("elman", loss_at="last", truncate=2).to_text()
