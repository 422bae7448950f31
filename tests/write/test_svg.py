"""Graphs: every equation is there, nothing lies on anything else, and the bytes are the same every time."""

from __future__ import annotations

import subprocess
import sys
from itertools import combinations
from math import hypot
from pathlib import Path
from xml.etree import ElementTree

import pytest

from symrnn import api
from symrnn.errors import CallError
from symrnn.expr import apply, had, symbols, total
from symrnn.model import Model, param, scalar, sequence
from symrnn.write.svg import MOST_STEPS, RADIUS, edges, folded_svg, label, levels, places, unrolled_svg

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
SVG = "{http://www.w3.org/2000/svg}"


def gated() -> Model:
    """Four gates, two states, no common path with Elman."""
    i, f, o, g, c, h = (sequence(n, "n_h") for n in "ifogch")
    x, y = sequence("x", "n_x", kind="input"), sequence("y", "n_h", kind="target")
    gates = [(v, apply(fn, param(f"W_{n}", "n_h", "n_h") @ h[-1] + param(f"U_{n}", "n_h", "n_x") @ x))
             for v, n, fn in ((i, "i", "sigmoid"), (f, "f", "sigmoid"), (o, "o", "sigmoid"), (g, "g", "tanh"))]
    rest = [(c, had(f, c[-1]) + had(i, g)), (h, had(o, apply("tanh", c))), (scalar("loss"), total((h - y)**2))]
    return Model.build("gated", [*gates, *rest], loss="loss")


def delayed() -> Model:
    """A state that is used one and three steps later."""
    h, x = sequence("h", "n"), sequence("x", "n", kind="input")
    return Model.build("delayed", [(h, apply("tanh", param("A", "n", "n") @ h[-3] + h[-1] + x[-1]))])


MODELS = {"elman": lambda: api.model("elman"), "gated": gated, "delayed": delayed}


def drawn(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("T", [1, 3, 8])
def test_there_is_an_arrow_for_every_use_and_one_back_for_every_variable(name, T):  # noqa: N803
    m = MODELS[name]()
    uses = {((s.name, t + s.time.offset), (e.name, t), s.kind) for t in range(1, T + 1) for e in m.equations
            for s in symbols(e.right) if s.time is not None}
    assert {(e.tail, e.head) for e in edges(m, T)} == {(a, b) for a, b, _ in uses}
    paths = [p.get("class") for p in drawn(unrolled_svg(m, T)).iter(f"{SVG}path")]
    assert paths.count("value") == len(uses) + 1, "one arrow more stands in the key"
    assert paths.count("derivative") == sum(kind == "variable" for _, _, kind in uses) + 1


@pytest.mark.parametrize("name", MODELS)
def test_no_two_nodes_touch_and_all_lie_inside(name):
    root = drawn(unrolled_svg(MODELS[name](), 4))
    nodes = [(float(c.get("cx")), float(c.get("cy"))) for c in root.iter(f"{SVG}circle")]
    assert min(hypot(a[0] - b[0], a[1] - b[1]) for a, b in combinations(nodes, 2)) > 2 * RADIUS
    width, height = float(root.get("width")), float(root.get("height"))
    assert all(RADIUS < x < width - RADIUS and RADIUS < y < height - RADIUS for x, y in nodes)


def test_rows_follow_the_equations():
    rows = levels(gated())
    assert [rows[n] for n in "xigchy"] == [0, 1, 1, 2, 3, 4] and rows["loss"] == 4
    at = places(gated(), list(edges(gated(), 2)), 2)
    assert at["h", 2][1] < at["c", 2][1] < at["i", 2][1] < at["x", 2][1] and at["c", 0][0] < at["c", 1][0] < at["c", 2][0]


def test_another_wiring_is_another_drawing():
    h, g, x = sequence("h", "n"), sequence("g", "n"), sequence("x", "n", kind="input")
    W = param("W", "n", "n")
    one = Model.build("m", [(g, W @ h[-1] + x), (h, apply("tanh", g))])
    two = Model.build("m", [(g, W @ g[-1] + x), (h, apply("tanh", g))])
    assert unrolled_svg(one, 2) != unrolled_svg(two, 2)


@pytest.mark.parametrize("name", MODELS)
def test_the_folded_graph_sends_every_state_to_the_next_step(name):
    m = MODELS[name]()
    text = folded_svg(m)
    assert text.count(">t+1<") == len(m.states)
    assert "t−1" in text and "t = 1, …, T" in text


def test_the_drawing_follows_the_theme_and_needs_nothing_from_outside():
    text = unrolled_svg(api.model("elman"), 3)
    assert "@media (prefers-color-scheme: dark)" in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "") and "<script" not in text and "@import" not in text
    assert drawn(text).get("role") == "img" and drawn(text).find(f"{SVG}title").text == "elman over 3 steps"


def test_the_drawing_of_elman_is_the_committed_one():
    assert unrolled_svg(api.model("elman"), 3) == (GOLDEN / "elman-3.svg").read_text(encoding="utf-8")


def test_the_bytes_do_not_depend_on_the_hash_seed():
    program = ("from symrnn import api\nfrom symrnn.write.svg import *\nm = api.model('elman')\n"
               "print(unrolled_svg(m, 2), folded_svg(m))")
    outputs = {subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                              env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(GOLDEN.parents[1])}).stdout for seed in ("1", "2")}
    assert len(outputs) == 1


@pytest.mark.parametrize("T", [0, MOST_STEPS + 1])
def test_a_number_of_steps_that_cannot_be_drawn_is_refused(T):  # noqa: N803
    with pytest.raises(CallError, match="from 1 to 8"):
        unrolled_svg(api.model("elman"), T)


def test_names_that_look_like_markup_are_escaped():
    assert label("<g>", None) == "&lt;g&gt;" and label("hat(y)", None) == "y\u0302"
