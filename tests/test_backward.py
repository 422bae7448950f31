"""Networks of which a part runs from the last step to the first: computed, derived and proved like any other."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from networks import derived

from symrnn import api
from symrnn.bptt import check_trail, derive
from symrnn.claims import check_claim
from symrnn.errors import CallError, ModelError
from symrnn.expr import FIRST, LAST, Expr, Symbol, Time, apply, derivative, node, symbol, time_sum, total, zeros
from symrnn.layers import stack
from symrnn.model import Model, param, scalar, sequence
from symrnn.prove.claim import Claim
from symrnn.prove.decide import Witnesses, decide
from symrnn.prove.evaluate import Point
from symrnn.prove.exact import compare
from symrnn.prove.lagrangian import unproved
from symrnn.prove.reals import Floats
from symrnn.prove.selfproof import self_proof
from symrnn.prove.witness import component_witness
from symrnn.unroll import unroll

h, g, x, o = sequence("h", "n"), sequence("g", "m"), sequence("x", "d", kind="input"), sequence("o", "k")
y = sequence("y", "k", kind="target")
W, U, b = param("W", "n", "n"), param("U", "n", "d"), param("b", "n")
R, Q, e = param("R", "m", "m"), param("Q", "m", "d"), param("e", "m")
V, S = param("V", "k", "n"), param("S", "k", "m")
FORTH = (h, apply("tanh", W @ h[-1] + U @ x + b))
BACK = (g, apply("tanh", R @ g[1] + Q @ x + e))
END = [(o, V @ h + S @ g), (scalar("l"), total((o - y) ** 2))]
L = symbol("L")


def model(*rows, backward=("g",), **options) -> Model:
    return Model.build("both", [*(rows or (FORTH, BACK)), *END], loss="l", backward=backward, **options)


def at(name: str, size: str, time: Time) -> Expr:
    return node("sym", attr=Symbol(name, (size, 1), "variable", time))


def test_a_network_is_computed_run_by_run_each_in_its_direction():
    assert [(way, [row.name for row in rows]) for way, rows in model().runs] == [(1, ["h"]), (-1, ["g"]), (1, ["o", "l"])]
    assert [str(row.left) for row in unroll(model(), 2)] == ["h[1]", "h[2]", "g[2]", "g[1]", "o[1]", "l[1]", "o[2]", "l[2]"]
    assert [str(s) for s in unroll(model(), 3).boundary if s.kind == "variable"] == ["h[0]", "g[4]"]


def by_hand(values: dict[str, np.ndarray], xs: np.ndarray, ys: np.ndarray, before: np.ndarray, after: np.ndarray) -> float:
    """The loss in plain loops."""
    p, steps = values, len(xs)
    forth, back = [before], [after]
    for t in range(steps):
        forth.append(np.tanh(p["W"] @ forth[-1] + p["U"] @ xs[t] + p["b"]))
        back.append(np.tanh(p["R"] @ back[-1] + p["Q"] @ xs[steps - 1 - t] + p["e"]))
    outputs = [p["V"] @ forth[t + 1] + p["S"] @ back[steps - t] for t in range(steps)]
    return sum(((out - aim) ** 2).sum() for out, aim in zip(outputs, ys, strict=True))


def test_the_loss_and_every_gradient_are_those_of_plain_loops():
    random, sizes, steps = np.random.default_rng(4), {"n": 2, "m": 3, "d": 2, "k": 2}, 4
    m = model()
    drawn: dict[tuple[str, int | None], np.ndarray] = {}

    def draw(name, step, shape, simplex):
        drawn[name, step] = random.normal(size=shape)
        return [[Fraction(entry) for entry in row] for row in drawn[name, step]]
    point = Point(m, Floats(), sizes, steps, draw)
    loss = float(point.value(L)[0, 0])
    found = {p.name: point.value(derivative(L, m[p.name])) for p in m.parameters}
    after = point.value(derivative(L, at("g", "m", LAST + 1)))
    values = {p.name: drawn[p.name, None] for p in m.parameters}
    values |= {name: values[name][:, 0] for name in ("b", "e")}
    xs, ys = (np.stack([drawn[name, t][:, 0] for t in range(1, steps + 1)]) for name in "xy")
    ends = drawn["h", 0][:, 0], drawn["g", steps + 1][:, 0]
    assert loss == pytest.approx(by_hand(values, xs, ys, *ends), rel=1e-13)

    def slope(change) -> float:
        return (change(1e-6) - change(-1e-6)) / 2e-6
    for name, value in values.items():
        for place in np.ndindex(*value.shape):
            def moved(step, name=name, value=value, place=place):
                other = value.copy()
                other[place] += step
                return by_hand({**values, name: other}, xs, ys, *ends)
            assert found[name][(*place, 0)[:2]] == pytest.approx(slope(moved), rel=1e-6, abs=1e-7), name
    for k in range(sizes["m"]):
        unit = np.eye(sizes["m"])[k]
        assert after[k, 0] == pytest.approx(slope(lambda d, unit=unit: by_hand(values, xs, ys, ends[0], ends[1] + d * unit)), rel=1e-6)


@pytest.mark.parametrize("m", [model(), model(initial="zero"), stack(model(), model()),
                               model((h, apply("tanh", W @ h[-1] + U @ x + param("F", "n", "m") @ g)), BACK)],
                         ids=["two directions", "from zero", "two layers", "the one reads the other"])
def test_every_derivative_is_proved_by_each_witness(m):
    found = derive(m)
    assert check_trail(found) == [] and unproved(found) == []
    for what, claim in derived(m):
        assert decide(claim, Witnesses(exact=False)).word == "proved", what
        assert compare(claim).status == "equal", what
    assert len(self_proof(m)) == 2


adj = derivative(L, g)
RIGHT = {
    "the adjoint from the step before": (adj, S.T @ (2 * (o - y)) + R.T @ ((1 - g[-1] ** 2) * derivative(L, g[-1]))),
    "the gradient with the state of the step after": (derivative(L, R), time_sum("t", FIRST, LAST, ((1 - g ** 2) * adj) @ g[1].T)),
    "the first step": (derivative(L, at("g", "m", FIRST)), S.T @ (2 * (at("o", "k", FIRST) - node("sym", attr=Symbol(
        "y", ("k", 1), "target", FIRST))))),
}
WRONG = {
    "the adjoint from the step after": (adj, S.T @ (2 * (o - y)) + R.T @ ((1 - g[1] ** 2) * derivative(L, g[1]))),
    "the gradient with the state of the step": (derivative(L, R), time_sum("t", FIRST, LAST, ((1 - g ** 2) * adj) @ g.T)),
    "the gradient with the state of the step before": (derivative(L, R), time_sum("t", FIRST, LAST, ((1 - g ** 2) * adj) @ g[-1].T)),
    "nothing comes from after the last step": (derivative(L, at("g", "m", LAST + 1)), zeros(("m", 1))),
    "nothing comes to the last step but its loss": (derivative(L, at("g", "m", LAST)), zeros(("m", 1))),
    "a state that begins at the last step with its input alone": (at("g", "m", LAST), apply("tanh", Q @ node("sym", attr=Symbol(
        "x", ("d", 1), "input", LAST)) + e)),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_holds_is_proved_for_every_step(name):
    verdict = decide(Claim(*RIGHT[name], model()))
    assert (verdict.word, str(verdict.scope)) == ("proved", "for all sizes and every T")


@pytest.mark.parametrize("name", WRONG)
def test_what_holds_in_the_other_direction_only_is_refuted_and_proved_by_no_witness(name):
    claim = Claim(*WRONG[name], model())
    assert decide(claim).word == "refuted"
    assert decide(claim, Witnesses(exact=False)).word != "proved"


def test_a_derivative_between_states_is_not_proved_by_an_argument_for_one_direction():
    claim = Claim(derivative(g, g[1]), apply("tanh", R @ g[1]) @ g.T, model((h, h[-1]), (g, apply("tanh", R @ g[1]))))
    assert decide(claim).word != "proved"
    assert decide(Claim(derivative(g, g[-1]), zeros(("m", "m")), model()), Witnesses(exact=False)).word != "proved"


@pytest.mark.parametrize(("rows", "backward", "words"), [
    ((FORTH, BACK), (), "use steps up to t only"),
    (((h, apply("tanh", W @ h[-1] + U @ x)), (g, apply("tanh", R @ g[-1]))), ("g",), "use step t and later ones only"),
    (((h, apply("tanh", W @ h[-1] + param("F", "n", "m") @ g[1])), BACK), ("g",), "use steps up to t only"),
    (((h, apply("tanh", W @ h[-1] + param("F", "n", "m") @ g[-1])), BACK), ("g",), "use g, which runs backward, at step t only"),
    (((h, apply("tanh", W @ h[-1] + param("F", "n", "m") @ sequence("c", "m")[-1])),
      (g, apply("tanh", R @ g[1] + param("D", "m", "n") @ h)),
      (sequence("c", "m"), 1 * g)), ("g",), "need nothing that needs it"),
])
def test_directions_that_do_not_fit_are_an_error_that_says_so(rows, backward, words):
    with pytest.raises(ModelError, match=words):
        model(*rows, backward=backward)


DOCUMENT = r"""---
symrnn: {targets: [y], backward: [%s]}
---
$x_t \in \mathbb{R}^{d}$, $f_t, g_t \in \mathbb{R}^{n}$, $y_t \in \mathbb{R}^{p}$.

$$ f_t = \tanh(A f_{t-1} + B x_t) $$
$$ g_t = \tanh(C g_{t+1} + D x_t) $$
$$ \ell_t = \frac{1}{2} \lVert E f_t + F g_t - y_t \rVert^2 $$
$$ L = \sum_{t=1}^{T} \ell_t $$
"""


def test_a_document_declares_what_runs_backward(tmp_path):
    path = tmp_path / "both.md"
    path.write_text(DOCUMENT % "g")
    assert api.model(path).backward == {"g"}
    path.write_text(DOCUMENT % "")
    with pytest.raises(ModelError, match=r"backward: \[g\]"):
        api.model(path)


def test_what_runs_backward_must_not_need_an_earlier_step(tmp_path):
    path = tmp_path / "both.md"
    path.write_text((DOCUMENT % "g").replace("D x_t", "D f_{t-1}"))
    with pytest.raises(ModelError, match=r"which runs backward[^$]*came: f\[t-1\]"):
        api.model(path)


def test_claims_of_such_a_document_are_judged(tmp_path):
    path = tmp_path / "both.md"
    right = r"\frac{\partial L}{\partial g_t} = F^\top (E f_t + F g_t - y_t)"
    right += r" + C^\top \mathrm{diag}(1 - g_{t-1}^2) \frac{\partial L}{\partial g_{t-1}}"
    path.write_text(DOCUMENT % "g" + f"\n$$ {right} $$\n\n$$ {right.replace('t-1', 't+1')} $$\n")
    words = [row.verdict for row in api.audit(path).documents[0].equations if row.verdict is not None]
    assert words == ["proved", "refuted"]


def test_the_text_of_a_derivation_says_which_way_each_part_goes():
    text = " ".join(api.derive("bidirectional", level="brief").to_text().split())
    for words in ("g[t] runs backward: computed from the last step to the first.", "adj g[1] = S.T @ (adj z[1])",
                  "adj h[T] = V.T @ (adj z[T])",
                  "adj g[T+1] = R.T @ ((ones - g[T]**2) * adj g[T])", "those of what runs backward from the first step to the last",
                  "The last terms of the sums use g[T+1], which is given."):
        assert words in text
    assert "g[0]" not in text
    network = " ".join(api.unroll("bidirectional", 2).to_text().split())
    assert "g[1] = tanh(R @ g[2] + Q @ x[1] + e)" in network and "g[0]" not in network and "adj g[1] = S.T @ (adj z[1])" in network


@pytest.mark.parametrize("call", [lambda: api.emit("bidirectional"), lambda: api.picture("bidirectional")])
def test_code_and_pictures_of_them_are_refused_in_words(call):
    with pytest.raises(CallError, match="g, which runs backward"):
        call()


def test_a_claim_without_a_declaration_keeps_its_meaning():
    given = [r"h_t = \tanh(W h_{t+1} + U x_t)"]
    found = check_claim(r"\frac{\partial h_t}{\partial h_{t+1}} = \mathrm{diag}(1 - h_t^2) W", given=tuple(given),
                        shapes={"h_t": "n", "x_t": "d"})
    assert found.verdict in ("undecided", "proved")




def test_the_network_written_out_in_components_confirms_every_derivative():
    for what, claim in derived(model()):
        seen = component_witness(claim, {"n": 1, "m": 2, "d": 1, "k": 1}, 2)
        assert seen.holds and seen.comparisons > 0, what
    for name in WRONG.keys() - {"the gradient with the state of the step before"}:    # that speaks of a step that does not exist
        assert not component_witness(Claim(*WRONG[name], model()), {"n": 1, "m": 2, "d": 1, "k": 1}, 2).holds, name
