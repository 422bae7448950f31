"""Pictures of networks: every use is there with its way back, nothing lies on anything else, and the bytes are the same every time."""
from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import models
import pytest
from fuzzing import fuzz
from hypothesis import given

from symrnn import api
from symrnn.errors import CallError
from symrnn.expr import apply, symbols, total
from symrnn.model import Model, param, scalar, sequence
from symrnn.pictures.curves import curve
from symrnn.pictures.network import MOST_STEPS, Network, Steps, folded, overlap, unrolled
from symrnn.pictures.wiring import Wiring
from symrnn.write.notation import Notation

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
ROOT = GOLDEN.parents[1]
SVG = "{http://www.w3.org/2000/svg}"
FOLDED = Steps((0,), "t")


def delayed() -> Model:
    """A state that is used one and three steps later, and an input that is used one step later."""
    h, x = sequence("h", "n"), sequence("x", "n", kind="input")
    return Model.build("delayed", [(h, apply("tanh", param("A", "n", "n") @ h[-3] + h[-1] + x[-1]))])


def still() -> Model:
    """No state at all."""
    o, x = sequence("o", "n"), sequence("x", "n", kind="input")
    return Model.build("still", [(o, apply("sigmoid", param("V", "n", "n") @ x))])


def crowd() -> Model:
    """Four values of earlier steps enter between two rows, one for a card that stands behind another."""
    u, v, x = sequence("u", "n"), sequence("v", "m"), sequence("x", "m", kind="input")
    late = param("W", "n", "m") @ (param("s") * (v[-2] + x[-1])) + u[-1]
    return Model.build("crowd", [(u, late), (v, x + v[-1]), (scalar("l"), total(u))], loss="l")


MODELS = {"elman": lambda: api.model("elman"), "lstm": models.lstm, "coupled": models.coupled, "delayed": delayed, "still": still,
          "crowd": crowd, "stack": lambda: api.model("elman+elman-relu"), "two lags": lambda: models.plain(lag2=True)}
STEPS = {"1": Steps((1,)), "3": Steps((1, 2, 3)), "8": Steps(tuple(range(1, 9))), "folded": FOLDED}


def network(m: Model, steps: Steps) -> Network:
    return Network(Wiring(m), Notation.of(m), steps)


def drawn(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


def collisions(n: Network) -> list[str]:
    """What lies on something else: cards and labels pairwise, wires on cards that they do not join."""
    n.picture()                                                       # places the labels
    cards = [n.extent(place) for place in n.cards()]
    found = [f"{a} and {b}" for a, b in combinations(n.taken, 2) if overlap(a, b)]
    for use, _, ways in n.roads():
        for side in (curve(ways), curve([w.turned() for w in reversed(ways)])):
            inside = [(round(x), round(y)) for x, y in side.points() for x0, y0, x1, y1 in cards
                      if x0 + 1 < x < x1 - 1 and y0 + 1 < y < y1 - 1]
            found += [f"{use} at {inside[0]}"] if inside else []
    return found


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("name", MODELS)
def test_nothing_lies_on_anything_else(name, steps):
    assert collisions(network(MODELS[name](), STEPS[steps])) == []


@fuzz(15)
@given(models.random_models())
def test_nothing_lies_on_anything_else_in_the_picture_of_any_model(m):
    assert collisions(network(m, STEPS["3"])) == [] and collisions(network(m, FOLDED)) == []


@pytest.mark.parametrize("T", [1, 3])
@pytest.mark.parametrize("name", MODELS)
def test_there_is_a_wire_for_every_use_and_one_back_to_every_variable_that_the_loss_feels(name, T):  # noqa: N803
    m = MODELS[name]()
    n = network(m, Steps(tuple(range(1, T + 1))))
    uses = {(s.name, e.name, -s.time.offset) for e in m.equations for s in symbols(e.right)
            if s.time is not None and s.kind in ("variable", "input", "target")}
    assert {(u.tail, u.head, u.lag) for u in n.wiring.uses} == uses
    late = {(tail, lag) for tail, _, lag in uses if lag}
    kinds = [p.get("class") for p in drawn(unrolled(m, T)).iter(f"{SVG}path")]
    assert kinds.count("blue wire") == T * (len(uses) + len(late)) + 1, "one arrow more stands in the key"
    felt = m.loss is not None
    back = [u for u in n.wiring.uses if u.back]
    assert kinds.count("orange wire back") == (T * (len(back) + sum(n.wiring.returns(*x) for x in late)) + 1 if felt else 0)


def test_the_derivative_of_the_loss_stands_in_every_card_that_one_leaves():
    texts = ["".join(t.itertext()) for t in drawn(unrolled(api.model("elman"), 2)).iter(f"{SVG}text")]
    assert {"∂L/∂a1", "∂L/∂a2", "∂L/∂h0", "∂L/∂h1", "∂L/∂o2"} <= set(texts) and "∂L/∂x1" not in texts
    assert texts.count("1") == 2, "the derivative of the loss by that of each step"
    assert "W⊤ ∂L/∂a2" in texts, "what a step sends back to the state before it"


def test_a_model_without_a_loss_has_no_way_back():
    text = unrolled(delayed(), 3)
    assert "∂" not in text and "derivatives of the loss" not in text


def test_the_folded_network_names_what_comes_back_one_step_later():
    texts = ["".join(t.itertext()) for t in drawn(folded(models.lstm())).iter(f"{SVG}text")]
    assert "ht−1" in texts and "ct−1" in texts and "xt" in texts


def test_the_labels_are_those_of_the_author(tmp_path):
    path = tmp_path / "a.md"
    path.write_text(r"$$ \mathbf{s}^{(t)} = \tanh(\boldsymbol{\Gamma} \mathbf{s}^{(t-1)} + \hat{\mathbf{x}}^{(t)}) $$" + "\n")
    from symrnn.audit import audit_document
    judged = audit_document(path)
    root = drawn(unrolled(judged.models["main"], 2, judged.notation))
    spans = {"".join(t.itertext()): [s.get("class") for s in t] for t in root.iter(f"{SVG}text")}
    assert spans["s(1)"] == ["bold upright", "small upright"] and "x̂(2)" in spans and "Γ" in spans


def last_step(tmp_path: Path) -> Path:
    path = tmp_path / "a.md"
    path.write_text("$$q_t = \\tanh(A q_{t-1} + B u_t)$$\n\n$$z = D q_T$$\n\n$$E = \\tfrac12 \\lVert z - y \\rVert^2$$\n\n"
                    "$$\\frac{\\partial E}{\\partial D} = (z - y) q_T^\\top$$\n")
    return path


def test_a_loss_of_the_last_step_stands_at_that_step_only(tmp_path):
    path = last_step(tmp_path)
    whole, one = (["".join(t.itertext()) for t in drawn(api.picture(path, kind)).iter(f"{SVG}text")] for kind in ("unrolled", "folded"))
    assert {"q1", "q2", "q3", "z3", "∂E/∂z3"} <= set(whole) and not {"z1", "z2", "ℓ1", "ℓ2"} & set(whole)
    assert {"qt", "zT", "∂E/∂zT", "ℓT"} <= set(one) and "[t=T]" not in "".join(whole)
    assert "norm of the derivative" in api.picture(path, "gradient-norm") and "Least errors" in api.picture(path, "step-size", steps=2)


def test_another_wiring_is_another_picture():
    h, g, x = sequence("h", "n"), sequence("g", "n"), sequence("x", "n", kind="input")
    W = param("W", "n", "n")
    one = Model.build("m", [(g, W @ h[-1] + x), (h, apply("tanh", g))])
    two = Model.build("m", [(g, W @ g[-1] + x), (h, apply("tanh", g))])
    assert unrolled(one, 2) != unrolled(two, 2)


@pytest.mark.parametrize("name", MODELS)
def test_everything_lies_inside(name):
    for text in (unrolled(MODELS[name](), 4), folded(MODELS[name]())):
        root = drawn(text)
        width, height = (float(root.get(k)) for k in ("width", "height"))
        points = [tuple(map(float, p)) for e in root.iter(f"{SVG}path") for p in re.findall(r"([-\d.]+),([-\d.]+)", e.get("d"))]
        corners = [(float(r.get("x")) + k * float(r.get("width")), float(r.get("y")) + k * float(r.get("height")))
                   for r in root.iter(f"{SVG}rect") for k in (0, 1)]
        assert all(5 < x < width - 5 and 5 < y < height - 5 for x, y in [*points, *corners])


def test_the_picture_of_elman_is_the_committed_one():
    for name, text in (("elman-3.svg", unrolled(api.model("elman"), 3)), ("elman-folded.svg", folded(api.model("elman")))):
        if os.environ.get("SYMRNN_UPDATE_GOLDEN"):
            (GOLDEN / name).write_text(text, encoding="utf-8")
        assert text == (GOLDEN / name).read_text(encoding="utf-8")


def test_the_bytes_do_not_depend_on_the_hash_seed():
    program = "from symrnn import api\nfor k in ('unrolled', 'folded'): print(api.picture('elman+elman-relu', k))"
    outputs = {subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                              env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}).stdout for seed in ("1", "2")}
    assert len(outputs) == 1


@pytest.mark.parametrize("T", [0, MOST_STEPS + 1, True])
def test_a_number_of_steps_that_cannot_be_drawn_is_refused(T):  # noqa: N803
    with pytest.raises(CallError, match="from 1 to 8"):
        unrolled(api.model("elman"), T)
