"""A module for the outputs at the last step computes them there and nowhere else, and is the whole network in its last step."""

from __future__ import annotations

import ast
from types import ModuleType

import numpy as np
import pytest

from symrnn.emit import emit
from symrnn.emit.load import load
from symrnn.errors import CallError
from symrnn.expr import apply, softmax, total
from symrnn.model import Model, param, scalar, sequence

W, U, V = param("W", "n", "n"), param("U", "n", "m"), param("V", "k", "n")
h, o, p = sequence("h", "n"), sequence("o", "k"), sequence("p", "k")
x, y, ell = sequence("x", "m", kind="input"), sequence("y", "k", kind="target"), scalar("l")
STATE = (h, apply("tanh", W @ h[-1] + U @ x))
T, B = 6, 5


class Counted:
    """NumPy, with a count of the rows that each function is applied to."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}

    def __getattr__(self, name: str):
        value = getattr(np, name)
        if name not in ("exp", "tanh"):
            return value

        def counting(u, *target, **options):
            self.rows[name] = self.rows.get(name, 0) + u.size // u.shape[-1]
            return value(u, *target, **options)
        return counting


def numbers(module: ModuleType, sizes: dict[str, int], seed: int = 0):
    r = np.random.default_rng(seed)
    lines = {f: tuple(s.strip() for s in text.split("(")[1].split(")")[0].split(",") if s.strip())
             for f, text in ((line.split(":")[0].strip(), line.split("#")[1]) for line in source_lines(module))}
    return module.Params(**{f: r.normal(size=[sizes[s] for s in shape]) for f, shape in lines.items()})


def source_lines(module: ModuleType) -> list[str]:
    tree = ast.parse(module.source)
    (params,) = (n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Params")
    return [module.source.split("\n")[s.lineno - 1] for s in params.body if isinstance(s, ast.AnnAssign)]


def loaded(model: Model, **options) -> ModuleType:
    source = emit(model, **options)
    module = load(source)
    module.source = source
    return module


def test_the_forward_pass_of_the_last_outputs_applies_the_output_function_once_per_sequence(make_elman):
    whole, last = loaded(make_elman()), loaded(make_elman(), outputs=("last",))
    sizes = {"n_h": 3, "n_x": 2, "n_y": 4}
    params = numbers(whole, sizes)
    xs = np.random.default_rng(1).normal(size=(T, B, 2))
    counts = {}
    for module in (whole, last):
        module.np = counts[module] = Counted()
        module.forward(module.Params(*params), xs)
    assert counts[whole].rows == {"exp": T * B, "tanh": T * B}
    assert counts[last].rows == {"exp": B, "tanh": T * B}


@pytest.mark.parametrize("single", [False, True])
def test_the_last_outputs_are_those_of_the_whole_network(make_elman, single):
    whole, last = loaded(make_elman()), loaded(make_elman(), outputs=("last",))
    params = numbers(whole, {"n_h": 3, "n_x": 2, "n_y": 4})
    xs = np.random.default_rng(1).normal(size=(T, 2) if single else (T, B, 2))
    found = last.forward(last.Params(*params), xs)
    assert found._fields == ("p",)
    assert np.allclose(found.p, whole.forward(params, xs).p[-1], rtol=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_random_cells_agree_in_their_last_step(make_cell, seed):
    model = make_cell(seed)
    whole, last = loaded(model, outputs=("forward",)), loaded(model, outputs=("last",))
    params = numbers(whole, {"n_h": 3, "n_g": 4, "n_x": 2, "n_y": 2})
    xs = np.random.default_rng(seed).normal(size=(T, B, 2))
    functions = {"f": np.tanh} if "f: Function" in whole.source else {}
    every = whole.forward(params, xs, **functions)
    mine = last.forward(last.Params(**{f: getattr(params, f) for f in last.Params._fields}), xs, **functions)
    for name, value in mine._asdict().items():
        assert np.allclose(value, getattr(every, name)[-1], rtol=1e-13), name


def test_what_is_needed_some_steps_back_is_there_and_the_output_still_comes_once():
    model = Model.build("m", [STATE, (o, V @ h), (p, softmax(o + o[-1]))])
    whole, last = loaded(model, outputs=("forward",)), loaded(model, outputs=("last",))
    params = numbers(whole, {"n": 3, "m": 2, "k": 4})
    xs = np.random.default_rng(2).normal(size=(T, B, 2))
    last.np = Counted()
    found = last.forward(last.Params(*params), xs)
    assert np.allclose(found.p, whole.forward(params, xs).p[-1], rtol=1e-14) and last.np.rows["exp"] == B


def test_a_state_that_leaves_the_network_comes_at_its_last_step():
    model = Model.build("m", [STATE])
    whole, last = loaded(model, outputs=("forward",)), loaded(model, outputs=("last",))
    params = numbers(whole, {"n": 3, "m": 2})
    xs = np.random.default_rng(2).normal(size=(T, B, 2))
    assert np.allclose(last.forward(last.Params(*params), xs).h, whole.forward(params, xs).h[-1], rtol=1e-14)


def test_a_network_that_is_fed_its_targets_needs_them_at_every_step():
    model = Model.build("m", [(h, apply("tanh", W @ h[-1] + param("F", "n", "k") @ y[-1] + U @ x)), (p, V @ h),
                              (ell, total((p - y) ** 2))], loss="l")
    last = loaded(model, outputs=("last",))
    params = numbers(last, {"n": 3, "m": 2, "k": 4})
    r = np.random.default_rng(2)
    xs, ys, state = r.normal(size=(T, 2)), r.normal(size=(T, 4)), np.zeros(3)
    for t in range(T):
        state = np.tanh(params.W @ state + params.F @ (ys[t - 1] if t else np.zeros(4)) + params.U @ xs[t])
    assert np.allclose(last.forward(params, xs, ys).p, params.V @ state, rtol=1e-14)


def test_the_head_of_the_module_says_what_was_proved_and_how_to_write_it_again(make_elman):
    source = emit(make_elman(), outputs=("last",))
    assert "symrnn emit elman --target numpy --outputs last\n" in source
    assert "# proved: p at the last step: computed from o, p at the last step and a, h at every step, and from no other" in source
    assert f"# model: sha256 {make_elman().hash}\n" in source


@pytest.mark.parametrize("more", ["loss", "gradients"])
def test_a_loss_over_all_steps_beside_the_last_outputs_is_refused_with_what_to_do(make_elman, more):
    with pytest.raises(CallError, match="sums over every step") as caught:
        emit(make_elman(), outputs=("last", more))
    assert "--loss-at last" in str(caught.value.next_step)
    module = load(emit(make_elman(), outputs=("last", more), loss_at="last"))
    assert hasattr(module, more)


def test_everything_and_only_the_last_step_exclude_each_other(make_elman):
    with pytest.raises(CallError, match="every variable, or last"):
        emit(make_elman(), outputs=("last", "forward"))


@pytest.mark.slow
def test_written_out_the_output_function_stands_there_once_for_each_entry(make_elman):
    sizes = {"n_h": 2, "n_x": 2, "n_y": 3}
    source = emit(make_elman(), outputs=("last",), style="unrolled", steps=3, sizes=sizes)
    (network,) = (n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef) and n.name == "_network")
    calls = [n.func.id for n in ast.walk(network) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    assert (calls.count("exp"), calls.count("tanh")) == (3, 6)
    flat, whole = load(source), loaded(make_elman(), outputs=("forward",))
    params = numbers(whole, sizes)
    xs = np.random.default_rng(4).normal(size=(3, 2))
    assert np.allclose(flat.forward(flat.Params(*params), xs).p, whole.forward(params, xs).p[-1], rtol=1e-12)
