"""Charts: what they show is so, the numbers are the same on every machine, and what cannot be drawn is said."""
from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import models
import numpy as np
import pytest

from symrnn import api
from symrnn.errors import CallError
from symrnn.expr import apply
from symrnn.model import Model, param, scalar, sequence
from symrnn.pictures import KINDS, picture
from symrnn.pictures.chart import Axis, Series, chart
from symrnn.pictures.cost import cost, measurements
from symrnn.pictures.gradients import BASES, factors, gradient_norm, reach
from symrnn.pictures.slopes import Slopes, step_slope
from symrnn.pictures.steps import FLOOR, errors
from symrnn.pictures.values import Draws, orthogonal, recurrent, scaled

ROOT = Path(__file__).resolve().parents[2]
SVG = "{http://www.w3.org/2000/svg}"
MODELS = {"elman": lambda: api.model("elman"), "relu": lambda: api.model("elman-relu"), "sigmoid": lambda: models.elman("sigmoid"),
          "lstm": models.lstm, "coupled": models.coupled}


def root(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


# -------------------------------------------------------------------------------------------------------------- gradient norms
@pytest.mark.parametrize("name", MODELS)
def test_the_norm_is_never_above_its_bound(name):
    m = MODELS[name]()
    for base in BASES:
        r = reach(m, base, 8)
        assert all(n <= p * (1 + 1e-9) for n, p in zip(r.norms, r.products, strict=True))
        assert r.base is None or all(p <= r.base ** k * (1 + 1e-9) for k, p in enumerate(r.products))


def test_the_two_examples_of_elman_vanish_and_explode():
    found = [reach(api.model("elman"), base) for base in BASES]
    assert [r.word for r in found] == ["vanishing", "exploding"] and [round(r.base, 9) for r in found] == [0.8, 1.25]


def test_a_factor_is_the_derivative_of_one_step_by_central_differences():
    m = models.plain("tanh")
    draws = Draws("a text", recurrent(m), Fraction(4, 5))
    (j,) = factors(m, draws, 1)
    W, V, b, x, h = (np.array([[float(q) for q in row] for row in draws(name, step, shape, False)])
                     for name, step, shape in (("W", None, (4, 4)), ("U", None, (4, 2)), ("b", None, (4, 1)),
                                               ("x", 1, (2, 1)), ("h", 0, (4, 1))))
    after = [np.tanh(W @ (h + s * 1e-6 * np.eye(4)[:, [k]]) + V @ x + b) for k in range(4) for s in (1, -1)]
    assert np.allclose(j, np.hstack([(after[2 * k] - after[2 * k + 1]) / 2e-6 for k in range(4)]), atol=1e-8)


@pytest.mark.parametrize(("act", "factor"), [("tanh", 1), ("sigmoid", Fraction(1, 4)), ("relu", 1)])
def test_one_step_stretches_at_most_by_the_greatest_slope_times_the_norm(act, factor):
    (term,) = step_slope(models.elman(act))
    assert (term.factor, term.norms) == (factor, ("W",))


@pytest.mark.parametrize("act", ["exp", "?f", "sinh"])
def test_there_is_no_bound_for_all_inputs_where_a_slope_has_no_end(act):
    assert step_slope(models.plain(act)) is None and "∏" in gradient_norm(models.plain("sinh"), 3)


def test_the_entries_of_a_gate_lie_between_zero_and_one_and_so_does_their_complement():
    z, x = sequence("z", "n"), sequence("x", "n", kind="input")
    slopes = Slopes(Model.build("m", [(z, apply("sigmoid", x))]))
    assert slopes.range(z) == slopes.range(1 - z) == (0, 1) and slopes.height(z * 3 - 1) == 2 and slopes.height(x) is None


def test_a_model_whose_state_is_used_two_steps_later_has_no_such_picture():
    with pytest.raises(CallError, match="used one step later"):
        gradient_norm(models.plain(lag2=True), 4)


def test_a_recurrent_matrix_is_a_multiple_of_an_orthogonal_one_exactly():
    q = orthogonal([[Fraction(i * j - 3 * j + 1, 7) for j in range(4)] for i in range(4)])
    assert [[sum(a * b for a, b in zip(r, s, strict=True)) for s in q] for r in q] == [[int(i == j) for j in range(4)] for i in range(4)]
    wide = np.array([[float(x) for x in row] for row in scaled([[Fraction(1), Fraction(2)]], Fraction(3, 2))])
    assert 1.4999 < np.linalg.norm(wide, 2) <= 1.5


# ----------------------------------------------------------------------------------------------------------------- step sizes
@pytest.mark.parametrize("name", ["elman", "lstm"])
def test_only_the_complex_step_stays_exact_for_small_steps(name):
    _, found = errors(MODELS[name](), 2)
    by_step = {method: dict(pairs) for method, pairs in found.items()}
    small = 2.0 ** -60
    assert by_step["complex step"][small] < 1e-14
    assert min(by_step["forward difference"][small], by_step["central difference"][small]) > 0.5
    best = {method: min(pairs.values()) for method, pairs in by_step.items()}
    assert FLOOR <= best["complex step"] < best["central difference"] < best["forward difference"]


def test_forward_errors_fall_with_the_step_and_central_ones_with_its_square():
    _, found = errors(api.model("elman"), 2)
    at = {method: dict(pairs) for method, pairs in found.items()}
    forward, central = at["forward difference"], at["central difference"]
    assert 7 < forward[2.0**-8] / forward[2.0**-11] < 9 and 55 < central[2.0**-8] / central[2.0**-11] < 73


def test_a_model_without_a_loss_has_no_gradient_to_be_wrong():
    h, x = sequence("h", "n"), sequence("x", "n", kind="input")
    with pytest.raises(CallError, match="with a loss"):
        picture(Model.build("m", [(h, param("W", "n", "n") @ h[-1] + x)]), "step-size")


# ----------------------------------------------------------------------------------------------------------------------- cost
def test_the_committed_measurements_are_drawn_and_said():
    text = (ROOT / "bench" / "cost.json").read_text(encoding="utf-8")
    data = measurements(text, "bench/cost.json")
    said = root(cost(data)).find(f"{SVG}desc").text
    assert f"{data['symrnn']:g} s" in said
    assert all(f"at T = {row['T']}" in said for row in json.loads(text)["sympy"])


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"model": "m", "units": 2, "limit": 5, "symrnn": -1, "sympy": [{"T": 1, "seconds": 1}]}',
                                  '{"model": "m", "units": 2, "limit": 5, "symrnn": 1, "sympy": [{"T": 1, "seconds": "<b>"}]}'])
def test_a_file_that_holds_no_measurements_is_refused(text):
    with pytest.raises(CallError, match="bench.cost"):
        measurements(text, "a.json")


def test_the_cost_of_a_model_that_was_not_measured_is_not_drawn():
    with pytest.raises(CallError, match="elman there"):
        picture(api.model("elman-relu"), "cost", data=ROOT / "bench" / "cost.json")


# ------------------------------------------------------------------------------------------------------------- what all share
@cache
def all_kinds() -> tuple[str, ...]:
    m = api.model("elman")
    return tuple(picture(m, kind, data=ROOT / "bench" / "cost.json") for kind in KINDS)


def test_every_picture_has_a_title_a_description_two_themes_and_nothing_from_outside():
    for text in all_kinds():
        drawn = root(text)
        assert drawn.get("role") == "img" and len(drawn.find(f"{SVG}title").text) > 10 and len(drawn.find(f"{SVG}desc").text) > 40
        assert "@media screen and (prefers-color-scheme: dark)" in text and drawn.get("viewBox").startswith("0 0 ")
        own = text.replace("http://www.w3.org/2000/svg", "")
        assert not any(word in own for word in ("http", "<script", "@import", "@font-face", " id=", "url("))


def test_every_class_that_is_drawn_has_a_rule():
    for text in all_kinds():
        used = {c for e in root(text).iter() for c in (e.get("class") or "").split()}
        style = root(text).find(f"{SVG}style").text
        assert len(used) > 5 and {c for c in used if f".{c} " not in style} == set()


def test_rules_hold_inside_of_pictures_only():
    style = root(all_kinds()[0]).find(f"{SVG}style").text
    rules = [line.strip() for line in style.splitlines() if "{" in line and not line.startswith("@")]
    assert len(rules) > 20 and all(part.strip().startswith(".symrnn-picture ") for rule in rules for part in rule.split("{")[0].split(","))


def test_a_name_that_looks_like_markup_stays_a_name():
    h = sequence("h", "n")
    m = Model.build("</svg><script>", [(h, param("<b>", "n", "n") @ h[-1]), (scalar("l"), h.T @ h)], loss="l", latex={"h": "<i>&h</i>"})
    for kind in ("unrolled", "folded", "gradient-norm", "step-size"):
        text = picture(m, kind, steps=3 if KINDS[kind].steps else None)
        assert "<script" not in text and "<b>" not in text and "<i>" not in text and root(text) is not None


def test_points_outside_of_the_axes_are_not_drawn():
    series = [Series("a", ((1.0, 1.0), (2.0, 50.0), (3.0, 2.0)), "blue", marked=True)]
    text = chart(series, Axis("x", 1, 4, log=False), Axis("y", 1, 10), "t", "d")
    assert len(list(root(text).iter(f"{SVG}circle"))) == 2 + 1, "one dot more stands in the legend"


@pytest.mark.parametrize(("kind", "steps", "says"), [
    ("gradient-norms", None, "Did you mean gradient-norm?"), ("folded", 3, "for any number"),
    ("gradient-norm", 0, "from 2 to 200"), ("step-size", 51, "from 1 to 50")])
def test_a_picture_that_cannot_be_drawn_is_refused(kind, steps, says):
    with pytest.raises(CallError, match=says):
        picture(api.model("elman"), kind, steps=steps)
