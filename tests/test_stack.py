"""Networks one above the other are one network: names and sizes are kept apart or made one, and its gradients are right."""

from __future__ import annotations

import numpy as np
import pytest

import symrnn
from symrnn.api import derive, emit, unroll
from symrnn.bptt import derive as derive_model
from symrnn.emit import emit as emit_model
from symrnn.emit.load import load
from symrnn.errors import CallError, ModelError, ShapeError
from symrnn.expr import apply, node, total
from symrnn.layers import stack
from symrnn.model import Model, param, scalar, sequence
from symrnn.prove.selfproof import self_proof

h, z, x = sequence("h", "n"), sequence("z", "k"), sequence("x", "m", kind="input")
y, ell = sequence("y", "k", kind="target"), scalar("l")
W, U, V, b = param("W", "n", "n"), param("U", "n", "m"), param("V", "k", "n"), param("b", "n")
ROWS = [(h, apply("tanh", W @ h[-1] + U @ x + b)), (z, V @ h)]


def layer(*rows, loss: bool = True, **options) -> Model:
    end = [(ell, total((z - y) ** 2))] if loss else []
    return Model.build("layer", [*(rows or ROWS), *end], loss="l" if loss else None, **options)


def test_every_layer_has_names_and_sizes_of_its_own_and_the_loss_is_that_of_the_top():
    model = stack(layer(), layer())
    assert list(map(str, model.equations)) == [
        "h_1[t] = tanh(W_1 @ h_1[t-1] + U_1 @ x[t] + b_1)", "z_1[t] = V_1 @ h_1[t]",
        "h_2[t] = tanh(W_2 @ h_2[t-1] + U_2 @ z_1[t] + b_2)", "z_2[t] = V_2 @ h_2[t]", "l[t] = sum((z_2[t] - y[t])**2)"]
    assert [s.name for s in (*model.inputs, *model.targets)] == ["x", "y"]
    assert (model.loss, [s.name for s in model.states]) == ("l", ["h_1", "h_2"])


def test_the_sizes_that_meet_become_one():
    model = stack(layer(), layer(), layer())
    assert model.symbol("U_2").shape == ("n_2", "k_1") and model.symbol("U_3").shape == ("n_3", "k_2")
    assert model.symbol("x").shape == ("m_1", 1) and model.symbol("y").shape == ("k_3", 1)


@pytest.mark.parametrize(("first", "second"), [(4, "m"), ("k", 4), (4, 4)])
def test_a_number_and_a_name_that_meet_become_the_number(first, second):
    out, into = sequence("z", first), sequence("x", second, kind="input")
    below = Model.build("below", [(h, apply("tanh", W @ h[-1] + U @ x)), (out, param("V", first, "n") @ h)])
    above = Model.build("above", [(h, apply("tanh", W @ h[-1] + param("U", "n", second) @ into))])
    model = stack(below, above)
    assert model.symbol("z_1").shape == (4, 1) and model.symbol("V_1").shape == (4, "n_1") and model.symbol("U_2").shape == ("n_2", 4)


def test_two_numbers_that_differ_do_not_meet():
    below = Model.build("below", [(sequence("z", 3), param("V", 3, "m") @ x)])
    above = Model.build("above", [(h, param("U", "n", 4) @ sequence("x", 4, kind="input"))])
    with pytest.raises(ShapeError, match="the input x of layer 2"):
        stack(below, above)


def by_hand(p, xs, ys, starts) -> float:
    """The loss of two layers in plain loops."""
    one, two, loss = *starts, 0.0
    for x_t, y_t in zip(xs, ys, strict=True):
        one = np.tanh(p.W_1 @ one + p.U_1 @ x_t + p.b_1)
        two = np.tanh(p.W_2 @ two + p.U_2 @ (p.V_1 @ one) + p.b_2)
        loss += np.sum((p.V_2 @ two - y_t) ** 2)
    return loss


def gradients_by_hand(p, xs, ys, starts) -> dict[str, np.ndarray]:
    """Backpropagation through both layers and all steps, written for this network."""
    ones, twos = [starts[0]], [starts[1]]
    for x_t in xs:
        ones.append(np.tanh(p.W_1 @ ones[-1] + p.U_1 @ x_t + p.b_1))
        twos.append(np.tanh(p.W_2 @ twos[-1] + p.U_2 @ p.V_1 @ ones[-1] + p.b_2))
    found = {name: np.zeros_like(value) for name, value in p._asdict().items()}
    late_one, late_two = np.zeros_like(starts[0]), np.zeros_like(starts[1])
    for t in range(len(xs), 0, -1):
        error = 2 * (p.V_2 @ twos[t] - ys[t - 1])
        top = (p.V_2.T @ error + late_two) * (1 - twos[t] ** 2)
        signal = p.U_2.T @ top
        low = (p.V_1.T @ signal + late_one) * (1 - ones[t] ** 2)
        for name, left, right in (("V_2", error, twos[t]), ("W_2", top, twos[t - 1]), ("U_2", top, p.V_1 @ ones[t]),
                                  ("V_1", signal, ones[t]), ("W_1", low, ones[t - 1]), ("U_1", low, xs[t - 1])):
            found[name] += np.outer(left, right)
        found["b_1"] += low
        found["b_2"] += top
        late_one, late_two = p.W_1.T @ low, p.W_2.T @ top
    return found


def test_the_gradients_of_two_layers_are_those_written_by_hand_and_those_of_finite_differences():
    module = load(emit_model(stack(layer(), layer())))
    r = np.random.default_rng(5)
    n, m, k, n2, k2, steps = 3, 2, 4, 5, 2, 6
    shapes = {"W_1": (n, n), "U_1": (n, m), "b_1": (n,), "V_1": (k, n), "W_2": (n2, n2), "U_2": (n2, k), "b_2": (n2,), "V_2": (k2, n2)}
    p = module.Params(**{name: r.normal(size=s) / 2 for name, s in shapes.items()})
    xs, ys, starts = r.normal(size=(steps, m)), r.normal(size=(steps, k2)), (r.normal(size=n), r.normal(size=n2))
    found = module.gradients(p, xs, ys, *starts)
    assert module.loss(p, xs, ys, *starts) == pytest.approx(by_hand(p, xs, ys, starts), rel=1e-13)
    for name, mine in gradients_by_hand(p, xs, ys, starts).items():
        assert np.allclose(getattr(found, name), mine, rtol=1e-11, atol=1e-12), name
        value = getattr(p, name)
        at = tuple(r.integers(s) for s in value.shape)
        ends = []
        for step in (1e-6, -1e-6):
            moved = value.copy()
            moved[at] += step
            ends.append(by_hand(p._replace(**{name: moved}), xs, ys, starts))
        assert getattr(found, name)[at] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6, abs=1e-7), name


def test_the_gradients_of_a_stack_are_proved_for_all_sizes():
    assert "for all sizes and every T" in self_proof(stack(layer(), layer()))[0]


def test_a_layer_that_looks_at_earlier_inputs_gets_earlier_outputs():
    above = Model.build("above", [(h, apply("tanh", U @ x[-1] + U @ x))])
    model = stack(layer(loss=False), above)
    assert str(model.definitions["h_2"]) == "tanh(U_2 @ z_1[t-1] + U_2 @ z_1[t])"
    assert {s.name for s in model.states} == {"h_1", "z_1"}


def test_what_a_lower_layer_computes_for_its_loss_alone_is_left_out():
    error = sequence("e", "k")
    below = Model.build("below", [*ROWS, (error, z - y), (ell, total(error * error))], loss="l")
    assert "e_1" not in stack(below, layer()).definitions


def test_an_input_that_only_the_loss_uses_is_none_that_layers_meet_at():
    given = sequence("y", "k", kind="input")
    compared = Model.build("compared", [*ROWS, (ell, total((z - given) ** 2))], loss="l")
    model = stack(compared, compared)
    assert [s.name for s in model.inputs] == ["x", "y"]
    assert str(model.definitions["l"]) == "sum((z_2[t] - y[t])**2)"


def test_targets_that_a_lower_state_needs_get_the_number_of_the_layer():
    fed = Model.build("fed", [(h, apply("tanh", W @ h[-1] + param("F", "n", "k") @ y[-1] + U @ x)), (z, V @ h)])
    assert {s.name for s in stack(fed, layer()).targets} == {"y_1", "y"}


def test_names_that_have_a_number_already_stay_apart():
    one, two = sequence("h_1", "n"), sequence("h_1_1", "n")
    odd = Model.build("odd", [(h, apply("tanh", W @ h[-1] + U @ x)), (one, W @ h), (two, W @ one)])
    model = stack(odd, odd)
    assert len({e.name for e in model.equations}) == 6
    again = stack(model, model)
    assert len({e.name for e in again.equations}) == 12 and derive_model(stack(again, layer())).gradients


def test_values_of_unspecified_functions_take_the_sizes_of_their_layer():
    open_layer = Model.build("open", [(h, node("vcall", h[-1], x, attr=("F", ("n", 1))))])
    assert stack(open_layer, open_layer).definitions["h_2"].shape == ("n_2", 1)


def test_which_variables_meet_is_said_where_there_are_several():
    other = sequence("q", "k")
    two = Model.build("two", [*ROWS, (other, 2 * (V @ h))])
    with pytest.raises(ModelError, match="one output to meet the next layer"):
        stack(two, layer())
    assert str(stack(two, layer(), outputs=["q"]).definitions["h_2"]).count("q_1[t]") == 1
    wide = Model.build("wide", [(h, apply("tanh", W @ h[-1] + U @ x + U @ sequence("u", "m", kind="input")))])
    with pytest.raises(ModelError, match="one input to meet the next layer"):
        stack(layer(), wide)
    model = stack(layer(), wide, inputs=["u"])
    assert str(model.definitions["h_2"]) == "tanh(W_2 @ h_2[t-1] + U_2 @ x_2[t] + U_2 @ z_1[t])"


@pytest.mark.parametrize(("call", "words"), [
    (lambda: stack(layer()), "at least two layers"), (lambda: stack(layer(), layer(), outputs=["v"]), "be one of h, z, l"),
    (lambda: stack(layer(), layer(), outputs=["z", "z"]), "be 1 for 2 layers"),
    (lambda: stack(layer(), layer(), inputs=["u"]), "be one of x")])
def test_a_stack_that_cannot_be_made_is_refused(call, words):
    with pytest.raises(CallError, match=words):
        call()


def test_layers_agree_on_the_states_before_the_first_step():
    with pytest.raises(ModelError, match="agree on the states"):
        stack(layer(), layer(initial="zero"))


# ------------------------------------------------------------------------------------------------------------ for everyone
def test_a_plus_sign_in_the_name_of_a_model_is_a_stack():
    model = symrnn.model("elman+elman-linear-mse")
    assert (model.name, len(model.equations)) == ("elman+elman-linear-mse", 8)
    assert model == symrnn.stack("elman", symrnn.model("elman-linear-mse"))
    assert len(unroll("elman+elman-linear-mse", 3).unrolled) == 24
    assert "W_2" in derive("elman+elman-linear-mse").derivation.gradients
    assert "symrnn emit elman+elman-linear-mse" in emit("elman+elman-linear-mse", outputs=("forward",))


def test_a_file_whose_name_has_a_plus_sign_is_a_file(tmp_path):
    path = tmp_path / "a+b.md"
    path.write_text("$$ h_t = \\tanh(W h_{t-1} + U x_t) $$\n", encoding="utf-8")
    assert [e.name for e in symrnn.model(path).equations] == ["h"]


def test_in_formulas_a_name_carries_the_number_of_its_layer_below():
    text = derive("elman+elman").to_latex()
    assert r"h_{1,t} &= \tanh(a_{1,t})" in text and r"\hat{y}_{2,t} &= \mathrm{softmax}(o_{2,t})" in text
