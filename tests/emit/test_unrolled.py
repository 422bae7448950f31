"""The unrolled module is what lambdify makes of the component form, and agrees with the looped one."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from symrnn.emit import emit
from symrnn.emit.load import load
from symrnn.errors import CallError
from symrnn.model import Model, param, scalar, sequence

pytestmark = pytest.mark.slow

SIZES = {"n_h": 2, "n_x": 2, "n_y": 3}


@pytest.fixture(scope="module")
def pair(make_elman):
    """Both modules of one network, and numbers for them."""
    model = make_elman()
    looped, unrolled = load(emit(model)), load(emit(model, style="unrolled", steps=3, sizes=SIZES))
    r = np.random.default_rng(1)
    values = {"W_hh": (2, 2), "W_xh": (2, 2), "b_h": (2,), "W_hy": (3, 2), "b_y": (3,)}
    params = {k: r.normal(size=s) for k, s in values.items()}
    y = r.random((3, 3))
    return looped, unrolled, params, (r.normal(size=(3, 2)), y / y.sum(axis=1, keepdims=True), r.normal(size=2))


def close(a, b) -> bool:
    return bool(np.max(np.abs(np.asarray(a) - np.asarray(b))) <= 1e-12 * max(1.0, float(np.max(np.abs(b)))))


def test_loss_states_and_gradients_agree_with_the_looped_module(pair):
    looped, unrolled, params, arguments = pair
    a, b = looped.Params(**params), unrolled.Params(**params)
    x, y, h0 = arguments
    assert close(unrolled.loss(b, *arguments), looped.loss(a, *arguments))
    assert close(unrolled.evaluate(b, *arguments).h, looped.forward(a, x, h0).h)
    for name, value in looped.gradients(a, *arguments)._asdict().items():
        assert close(getattr(unrolled.gradients(b, *arguments), name), value), name


def test_the_jacobian_is_the_product_of_those_of_the_steps(pair):
    looped, unrolled, params, arguments = pair
    x, y, h0 = arguments
    states = looped.forward(looped.Params(**params), x, h0).h
    product = np.eye(2)
    for h in states:
        product = np.diag(1 - h**2) @ params["W_hh"] @ product
    assert close(unrolled.evaluate(unrolled.Params(**params), *arguments).jacobian, product)


def test_a_start_left_out_is_zero_and_wrong_arguments_are_named(pair):
    _, unrolled, params, (x, y, h0) = pair
    mine = unrolled.Params(**params)
    assert unrolled.loss(mine, x, y) == unrolled.loss(mine, x, y, 0 * h0)
    with pytest.raises(ValueError, match=r"x must have shape \(3, n_x\) = \(3, 2\); it came with shape \(2, 2\)"):
        unrolled.loss(mine, x[:2], y)


def test_it_is_the_source_of_lambdify_and_checks_itself_as_a_program(make_elman, tmp_path):
    source = emit(make_elman(), style="unrolled", steps=1, sizes=SIZES)
    assert "x0 = " in source and "    return [" in source and "from numpy import exp, log, tanh" in source
    path = tmp_path / "unrolled.py"
    path.write_text(source, encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", str(path)], capture_output=True, text=True, env=dict(os.environ), cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.endswith("passed\n")
    assert load(source.replace("W_hh=parts[3]", "W_hh=-parts[3]")).self_check() < 1e-10
    assert load(source.replace("exp(", "1.01*exp(", 1)).self_check() > 1e-6


def test_an_unspecified_function_is_an_argument(make_elman, capsys):
    module = load(emit(make_elman("?f", "id", "squared"), style="unrolled", steps=2, sizes=SIZES))
    assert module.self_check() < 1e-12


def test_a_random_cell_agrees_with_its_looped_module(make_cell):
    model = next(m for m in map(make_cell, range(99)) if len(m.parameters) <= 9 and "?f" not in str(m.equations))
    sizes = dict.fromkeys(model.sizes, 2)
    looped, unrolled = load(emit(model)), load(emit(model, style="unrolled", steps=2, sizes=sizes))
    r = np.random.default_rng(3)
    params = {s.name: r.normal(size=[2 for n in s.shape if n != 1]) for s in model.parameters}
    x, y = r.normal(size=(2, 2)), r.dirichlet([1, 1], size=2)
    a, b = looped.Params(**params), unrolled.Params(**params)
    assert close(unrolled.loss(b, x, y), looped.loss(a, x, y))
    for name, value in looped.gradients(a, x, y)._asdict().items():
        assert close(getattr(unrolled.gradients(b, x, y), name), value), name


@pytest.mark.parametrize(("options", "words"), [
    ({"steps": 3}, "sizes"), ({"sizes": (2, 2, 3)}, "steps"), ({"steps": 3, "sizes": (2, 2)}, "n_x"),
    ({"steps": 3, "sizes": (2, 2, 3, 4)}, "n_x"), ({"steps": 3, "sizes": {"n_h": 2}}, "n_x"),
    ({"steps": 3, "sizes": (2, 0, 3)}, "positive"),
])
def test_steps_and_sizes_are_asked_for(make_elman, options, words):
    with pytest.raises(CallError, match=words):
        emit(make_elman(), style="unrolled", **options)


def test_a_model_without_a_loss_is_refused():
    h = sequence("h", "n")
    with pytest.raises(CallError, match="loss"):
        emit(Model.build("m", [(h, param("W", "n", "n") @ h[-1])]), style="unrolled", steps=1, sizes=(2,))


@pytest.mark.parametrize(("arguments", "words"), [
    ({"target": "numpyy"}, "Did you mean numpy"), ({"style": "rolled"}, "Did you mean unrolled"), ({"loss_at": "first"}, "last"),
    ({"outputs": ("grads",)}, "gradients"),
])
def test_an_unknown_target_style_or_output_is_answered_with_the_nearest(arguments, words):
    w, h, x = param("w"), scalar("h"), scalar("x", "input")
    with pytest.raises(CallError, match=words):
        emit(Model.build("m", [(h, w * h[-1] + x)]), **arguments)
