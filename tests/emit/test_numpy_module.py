"""Emitted looped modules: right values and gradients, stable, readable, with checked arguments; they catch corruption."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import symrnn.emit.compare as compare
import symrnn.emit.numpy_module as numpy_module
from symrnn.emit import Header, emit
from symrnn.emit.compare import Code, agreement, deviation, emit_checked
from symrnn.emit.load import load
from symrnn.emit.printers import ArrayPrinter
from symrnn.errors import CallError
from symrnn.expr import apply, negative, node, softmax, symbol, total
from symrnn.model import Model, param, scalar, sequence

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "elman_numpy.txt"
ACTIVATIONS = ["tanh", "sigmoid", "relu", "softplus", "id"]
PAIRS = [("softmax", "cross-entropy"), ("sigmoid", "binary"), ("id", "squared"), ("sigmoid", "squared"), ("softmax", "squared")]


def by_hand(module, params, x, y, h0, f=np.tanh):
    """The loss of one sequence by a plain loop."""
    loss, h = 0.0, h0
    for t in range(len(x)):
        h = f(params.W_hh @ h + params.W_xh @ x[t] + params.b_h)
        o = params.W_hy @ h + params.b_y
        loss -= y[t] @ (o - np.log(np.exp(o).sum()))
    return loss


# ------------------------------------------------------------------------------------------------------------------ values
def test_the_loss_is_that_of_a_plain_loop(make_elman, module_of, numbers):
    module = module_of(make_elman())
    params, x, y, h0 = numbers(module, T=6, B=None)
    assert module.loss(params, x, y, h0) == pytest.approx(by_hand(module, params, x, y, h0), rel=1e-14)


@pytest.mark.parametrize("T", [1, 2, 7])
def test_gradients_are_central_differences_at_any_length(make_elman, module_of, numbers, T):
    module = module_of(make_elman())
    params, x, y, h0 = numbers(module, T=T, B=3)
    found = module.gradients(params, x, y, h0)
    for name, value in params._asdict().items():
        for at in np.ndindex(value.shape):
            sides = []
            for step in (1e-5, -1e-5):
                moved = value.copy()
                moved[at] += step
                sides.append(module.loss(params._replace(**{name: moved}), x, y, h0))
            assert getattr(found, name)[at] == pytest.approx((sides[0] - sides[1]) / 2e-5, rel=1e-6, abs=1e-8)


def test_a_single_sequence_and_a_batch_of_one_agree(make_elman, module_of, numbers):
    module = module_of(make_elman())
    params, x, y, h0 = numbers(module, B=None)
    one, batch = module.gradients(params, x, y, h0), module.gradients(params, x[:, None], y[:, None], h0[None])
    for name in one._fields:
        assert np.array_equal(getattr(one, name), getattr(batch, name)[0] if name == "h0" else getattr(batch, name))
    assert module.forward(params, x, h0).h.shape == (5, 3) and module.forward(params, x[:, None], h0[None]).h.shape == (5, 1, 3)
    assert module.adjoints(params, x, y, h0).d_a.shape == (5, 3)


def test_the_loss_of_a_batch_is_the_sum_and_so_are_its_gradients(make_elman, module_of, numbers):
    module = module_of(make_elman())
    params, x, y, h0 = numbers(module, B=4)
    each = [module.gradients(params, x[:, b], y[:, b], h0[b]) for b in range(4)]
    assert np.allclose(module.gradients(params, x, y, h0).W_hh, sum(g.W_hh for g in each), rtol=1e-12, atol=1e-14)


def test_a_start_that_is_left_out_is_zero(make_elman, module_of, numbers):
    module = module_of(make_elman())
    params, x, y, h0 = numbers(module)
    assert module.loss(params, x, y) == module.loss(params, x, y, 0 * h0)


def test_class_numbers_are_one_hot_targets(make_elman, module_of, numbers):
    module = module_of(make_elman())
    params, x, _, h0 = numbers(module)
    labels = np.arange(10).reshape(5, 2) % 4
    assert module.loss(params, x, labels, h0) == module.loss(params, x, np.eye(4)[labels], h0)


@pytest.mark.parametrize("size", [1e4, 1e300])
@pytest.mark.parametrize(("output", "loss"), PAIRS[:2])
def test_logits_of_any_size_give_finite_losses_and_gradients(make_elman, module_of, numbers, output, loss, size):
    module = module_of(make_elman("tanh", output, loss))
    params, x, _, h0 = numbers(module)
    y = np.eye(4)[np.zeros((5, 2), int)]
    with np.errstate(all="raise", under="ignore"):
        wide = params._replace(b_y=np.array([-1.0, 1.0, 0.5, 0.0]) * size)
        assert module.loss(wide, x, y, h0) == pytest.approx(10 * size * {"softmax": 2, "sigmoid": 2.5}[output], rel=1e-3)
        assert all(np.isfinite(g).all() for g in module.gradients(wide, x, y, h0))


def test_a_million_step_loop_needs_no_recursion_and_long_sequences_run(make_elman, module_of, numbers):
    module = module_of(make_elman())
    params, x, y, h0 = numbers(module, T=20_000, B=None)
    assert np.isfinite(module.gradients(params, x, y, h0).W_hh).all()


# ---------------------------------------------------------------------------------------------------------- every network
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(("output", "loss"), PAIRS)
def test_every_activation_output_and_loss_passes_its_self_check(make_elman, module_of, activation, output, loss, capsys):
    assert module_of(make_elman(activation, output, loss)).self_check() < 1e-12


@pytest.mark.parametrize("activation", ["tanh", "?f"])
@pytest.mark.slow
def test_the_code_agrees_with_fifty_digits_on_variables_adjoints_and_gradients(make_elman, activation):
    model = make_elman(activation)
    code = Code(model)
    sizes = {"n_h": 2, "n_x": 3, "n_y": 3}
    for v in ("h", "o", "p"):
        assert deviation(model[v], model[v], model, sizes, code=code).within
        s = model.symbol(v)
        lam = symbol(v, s.shape, "adjoint", s.time)
        assert deviation(lam, lam, model, sizes, code=code).within
    for s in model.parameters:
        grad = symbol(s.name, s.shape, "gradient")
        found = deviation(grad, grad, model, sizes, code=code)
        assert found.within and found.from_code is not None


def test_an_unspecified_function_and_its_derivative_are_arguments(make_elman, module_of, numbers):
    general, special = module_of(make_elman("?f")), module_of(make_elman("tanh"))
    params, x, y, h0 = numbers(special)
    f, df = np.tanh, lambda u: 1 - np.tanh(u) ** 2
    mine = general.Params(*params)
    assert general.loss(mine, x, y, h0, f=f) == special.loss(params, x, y, h0)
    a, b = general.gradients(mine, x, y, h0, f=f, df=df), special.gradients(params, x, y, h0)
    assert np.allclose(a.W_hh, b.W_hh, rtol=1e-13)
    with pytest.raises(TypeError, match="df"):
        general.gradients(mine, x, y, h0, f=f)


def test_functions_whose_names_begin_like_derivatives_are_told_apart(capsys):
    rows = [(h, apply("?d", W @ h[-1]) + apply("?delta'", U @ x)), (ell, squared(h))]
    assert checked(*rows) < 1e-12
    with pytest.raises(CallError, match="two meanings of df"):
        checked((h, apply("?f", W @ h[-1]) + apply("?df", U @ x)), (ell, squared(h)))


@pytest.mark.parametrize("seed", range(24))
def test_a_cell_made_at_random_passes_its_self_check(make_cell, seed, capsys):
    assert load(emit(make_cell(seed))).self_check() < 1e-11


@pytest.mark.parametrize("seed", [1, 2, 8, 12])
@pytest.mark.slow
def test_a_cell_made_at_random_agrees_with_fifty_digits(make_cell, seed):
    model = make_cell(seed)
    code, sizes = Code(model), dict.fromkeys(model.sizes, 2)
    grad = model.parameters[0]
    for e in (model["h"], model["g"], symbol(grad.name, grad.shape, "gradient")):
        assert deviation(e, e, model, sizes, code=code).within


def last_by_hand(module, params, x, y, h0):
    h = h0
    for t in range(len(x)):
        h = np.tanh(params.W_hh @ h + params.W_xh @ x[t] + params.b_h)
    o = params.W_hy @ h + params.b_y
    return -y @ (o - np.log(np.exp(o).sum()))


def test_the_loss_of_the_last_step_alone(make_elman, module_of, numbers, capsys):
    module = module_of(make_elman(), loss_at="last")
    params, x, y, h0 = numbers(module, B=None)
    assert module.loss(params, x, y[-1], h0) == pytest.approx(last_by_hand(module, params, x, y[-1], h0), rel=1e-14)
    assert module.forward(params, x, h0).p.shape == (4,) and module.forward(params, x, h0).h.shape == (5, 3)
    assert module.self_check() < 1e-12


@pytest.mark.parametrize("seed", range(0, 16, 2))
def test_random_cells_with_the_loss_at_the_last_step_pass_their_self_check(make_cell, seed, capsys):
    assert load(emit(make_cell(seed), loss_at="last")).self_check() < 1e-11


def checked(*rows, **options) -> float:
    return load(emit(Model.build("m", list(rows), loss="l", **options))).self_check()


W, U, b = param("W", "n", "n"), param("U", "n", "m"), param("b", "n")
M, P = sequence("M", "n", "n"), sequence("p", "n")
h, x, y, ell = sequence("h", "n"), sequence("x", "m", kind="input"), sequence("y", "n", kind="target"), scalar("l")


def squared(e):
    return total((e - y) ** 2)


@pytest.mark.parametrize("rows", [
    [(h, apply("tanh", W @ h[-2] + U @ x[-1])), (ell, squared(h))],
    [(h, apply("tanh", W @ h[-1] + U @ x[-2] + y[-1])), (ell, squared(h))],
    [(h, param("r") * h[-1] + U @ x), (ell, squared(h) + param("q") * total(W**2) + total(W @ W.T))],
    [(h, apply("tanh", U @ x)), (sequence("s", "n"), W @ h[-1]), (ell, squared(sequence("s", "n")))],
    [(h, b), (ell, squared(h) * total(x))],
    [(sequence("e", "n"), h - y), (h, apply("tanh", W @ h[-1])), (ell, sequence("e", "n").T @ sequence("e", "n"))],
    [(h, apply("tanh", W @ h[-1] + U @ x)), (M, h @ h[-1].T), (ell, squared(M @ b))],
    [(M, param("r") * M[-1] + b @ (U @ x).T), (ell, squared(M @ b))],
    [(h, softmax(W @ softmax(U @ x) + h[-1])), (ell, negative(y.T @ apply("log", h)))],
    [(P, softmax(W @ P[-1] + U @ x)), (ell, negative(y.T @ apply("log", P)))],
    [(h, symbol("K", ("n", "n"), "constant") @ h[-1] + U @ x), (ell, squared(h))],
], ids=lambda rows: "; ".join(f"{a} = {b}" for a, b in rows)[:100])
def test_unusual_models_pass_their_self_check(rows, capsys):
    """Lags of two, delayed inputs, fed-back targets and outputs, penalties, matrix states, constants."""
    assert checked(*rows) < 1e-11


def test_stacked_and_cut_vectors_have_a_forward_pass():
    k, u, v, z = sequence("k", 3), sequence("u", 2), scalar("v"), sequence("z", 2, kind="input")
    rows = [(k, node("cat", u, v, attr=3)), (u, node("slice", k[-1], attr=(2, 3, 2)) + z), (v, total(u))]
    module = load(emit(Model.build("m", rows)))
    assert np.array_equal(module.forward(module.Params(), np.array([[1.0, 2], [3, 4]])).k, [[1, 2, 3], [5, 7, 12]])


def test_an_output_that_is_fed_back_stays_finite_at_extreme_logits():
    """The softmax feeds the next step and the loss: no quotient by a probability may be formed."""
    p, o, t = sequence("p", "k"), sequence("o", "k"), sequence("t", "k", kind="target")
    model = Model.build("jordan", [(o, param("W", "k", "k") @ p[-1] + param("U", "k", "m") @ x), (p, softmax(o)),
                                   (ell, negative(t.T @ apply("log", p)))], loss="l", simplex=["t"])
    module = load(emit(model))
    params = module.Params(W=np.eye(3) * 1e4, U=np.array([[1e4], [-1e4], [0.0]]))
    with np.errstate(all="raise", under="ignore"):
        found = module.gradients(params, np.array([[1.0], [-1.0]]), np.array([1, 0]))
    assert all(np.isfinite(g).all() for g in found)


@pytest.mark.parametrize(("rows", "words"), [
    ([(h, W @ h[-1]), (ell, squared(h[-1]))], "current step"),
    ([(h, W @ h[-1]), (ell, total(h))], "an input or a target"),
    ([(h, node("vcall", h[-1], x, attr=("F", ("n", 1)))), (ell, squared(h))], "unspecified vector function"),
])
def test_a_model_that_cannot_be_emitted_is_refused_with_the_reason(rows, words):
    with pytest.raises(CallError, match=words):
        emit(Model.build("m", rows, loss="l"))


@pytest.mark.parametrize("options", [{}, {"loss_at": "last"}], ids=str)
def test_a_loss_that_compares_with_an_input_is_a_value_of_the_forward_pass(options):
    given = sequence("y", "n", kind="input")
    rows = [(h, apply("tanh", W @ h[-1] + U @ x)), (P, softmax(h)), (ell, negative(given.T @ apply("log", P)))]
    assert load(emit(Model.build("m", rows, loss="l"), **options)).self_check() < 1e-12


def test_with_the_loss_at_the_last_step_a_state_that_needs_targets_is_refused():
    model = Model.build("m", [(h, W @ h[-1] + y[-1]), (ell, squared(h))], loss="l")
    with pytest.raises(CallError, match="targets at that step only"):
        emit(model, loss_at="last")


# --------------------------------------------------------------------------------------------------------------- arguments
def changed(arguments, **new):
    params, x, y, h0 = arguments
    for name, value in new.items():
        if name in params._fields:
            params = params._replace(**{name: value})
    return params, new.get("x", x), new.get("y", y), new.get("h0", h0)


@pytest.mark.parametrize(("new", "error", "words"), [
    ({"W_hh": np.ones((3, 2))}, ValueError, r"params\.W_hh must have shape \(n_h, n_h\) = \(.*\); it came with shape \(3, 2\)"),
    ({"b_h": np.ones(2)}, ValueError, r"params\.b_h must have shape \(n_h,\) = \(3,\); it came with shape \(2,\)"),
    ({"W_xh": np.ones(3)}, ValueError, r"params\.W_xh must have shape \(n_h, n_x\) = \(3, \?\)"),
    ({"x": np.ones((5, 2, 3))}, ValueError, r"x must have shape \(T, B, n_x\) = \(\?, \?, 2\); it came with shape \(5, 2, 3\)"),
    ({"x": np.ones((5, 0, 2))}, ValueError, r"x must have shape .*, nowhere empty; it came with shape \(5, 0, 2\)"),
    ({"x": np.ones((0, 2, 2))}, ValueError, "x must have shape .* nowhere empty; it came with shape"),
    ({"x": np.ones((5, 0, 2))}, ValueError, "x must have shape .* nowhere empty"),
    ({"x": np.ones(5)}, ValueError, "x must have shape"),
    ({"x": [[1.0, 2.0], [3.0]]}, ValueError, "x must have shape .* unequal lengths"),
    ({"x": np.full((5, 2, 2), "a")}, TypeError, "x must hold real numbers, in shape .* dtype <U1"),
    ({"x": np.ones((5, 2, 2), complex)}, TypeError, "x must hold real numbers"),
    ({"x": np.ones((5, 2, 2), bool)}, TypeError, "x must hold real numbers"),
    ({"x": None}, TypeError, "x must hold real numbers"),
    ({"y": None}, TypeError, "y must hold real numbers"),
    ({"y": np.ones((4, 2, 4)) / 4}, ValueError, r"y must have shape \(T, B, n_y\) = \(5, 2, 4\); it came with shape \(4, 2, 4\)"),
    ({"y": np.full((5, 2), 4)}, ValueError, "y must hold class numbers from 0 to n_y - 1 = 3; it came with 4 to 4"),
    ({"y": np.full((5, 2), -1)}, ValueError, "y must hold class numbers"),
    ({"y": np.full((5, 2, 4), 0.3)}, ValueError, "y must sum to 1 over its last axis n_y"),
    ({"y": np.tile([1.5, -0.5, 0, 0], (5, 2, 1))}, ValueError, "y must hold numbers from 0 to 1"),
    ({"y": np.full((5, 2, 4), np.nan)}, ValueError, "y must hold numbers from 0 to 1"),
    ({"h0": np.ones((3, 3))}, ValueError, r"h0 must have shape \(B, n_h\) = \(2, 3\); it came with shape \(3, 3\)"),
    ({"h0": np.ones(3)}, ValueError, "h0 must have shape"),
])
def test_a_wrong_argument_is_named_with_the_shape_it_needs_and_what_came(make_elman, module_of, numbers, new, error, words):
    module = module_of(make_elman())
    with pytest.raises(error, match=words):
        module.gradients(*changed(numbers(module), **new))


def test_parameters_of_another_kind_are_named(make_elman, module_of, numbers):
    module = module_of(make_elman())
    _, x, y, h0 = numbers(module)
    with pytest.raises(TypeError, match=r"params must be Params\(W_hh, W_xh, b_h, W_hy, b_y\); it came as dict"):
        module.loss({}, x, y, h0)


def test_arguments_are_never_changed(make_elman, module_of, numbers):
    module = module_of(make_elman())
    arguments = numbers(module)
    before = [np.copy(a) for a in (*arguments[0], *arguments[1:])]
    module.gradients(*arguments)
    assert all(np.array_equal(a, b) for a, b in zip((*arguments[0], *arguments[1:]), before, strict=True))


def test_binary_targets_must_lie_between_zero_and_one(make_elman, module_of, numbers):
    module = module_of(make_elman("tanh", "sigmoid", "binary"))
    params, x, y, h0 = numbers(module)
    with pytest.raises(ValueError, match="from 0 to 1"):
        module.loss(params, x, 2 + y, h0)


# -------------------------------------------------------------------------------------------------------------------- text
def test_the_emitted_elman_module_is_the_committed_one(make_elman):
    """SYMRNN_UPDATE_GOLDEN=1 writes it again."""
    model = make_elman()
    source = emit(model, header=Header(proved=("(what was proved stands here)",))).replace(model.hash, "(hash)")
    if os.environ.get("SYMRNN_UPDATE_GOLDEN"):
        GOLDEN.write_text(source, encoding="utf-8", newline="\n")
    assert source == GOLDEN.read_text(encoding="utf-8")


TOOLS = {
    "ruff": ["check", "--isolated", "--line-length", "120", "--select", "E,F,I,UP,B,SIM", "--target-version", "py311"],
    "mypy": ["--strict", "--cache-dir", "cache", "--python-version", "3.11"],
}


@pytest.mark.parametrize("options", [pytest.param({}, marks=pytest.mark.slow), {"loss_at": "last"}, {"outputs": ("forward",)},
                                     {"outputs": ("forward", "loss")}, {"outputs": ("last",)}], ids=str)
def test_emitted_modules_are_clean_for_ruff_and_strictly_typed(make_elman, make_cell, options, tmp_path):
    for k, model in enumerate([make_elman(), make_elman("?f"), make_cell(3)]):
        (tmp_path / f"m{k}.py").write_text(emit(model, **options), encoding="utf-8")
    ran = False
    files = sorted(map(str, tmp_path.glob("*.py")))
    for tool, arguments in TOOLS.items():
        found = Path(sys.executable).parent / tool
        command = str(found) if found.exists() else shutil.which(tool)
        if command is None or (tool == "mypy" and options):
            continue
        done = subprocess.run([command, *arguments, *files], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        ran = True
    if not ran:
        pytest.skip("neither ruff nor mypy is installed")


def test_only_the_functions_asked_for_are_written(make_elman):
    forward = emit(make_elman(), outputs=("forward",))
    assert "def forward(" in forward and "def loss(" not in forward and "def gradients(" not in forward and "_loss" not in forward
    assert "def loss(" in emit(make_elman(), outputs=("forward", "loss"))
    assert "def loss(" not in emit(make_elman(), outputs=("forward", "gradients"))


def test_a_model_without_a_loss_has_a_forward_pass():
    module = load(emit(Model.build("m", [(h, apply("tanh", W @ h[-1] + U @ x))])))
    assert module.__all__ == ["Forward", "Params", "forward"]
    assert module.forward(module.Params(W=np.eye(2), U=np.ones((2, 1))), np.ones((3, 1))).h.shape == (3, 2)


def test_the_head_names_the_model_what_was_proved_the_versions_and_the_licence(make_elman):
    model = make_elman()
    text = emit(model, header=Header(proved=("gradients: normal form",), versions={"SymPy": "1.14.0"}))
    head = text.split('"""')[0]
    for words in (model.hash, "proved: gradients: normal form", "SymPy 1.14.0", "SPDX-License-Identifier: 0BSD"):
        assert words in head
    assert "Elman, Finding structure in time" in text and "h[t] = tanh(a[t])" in text and str(Path.home()) not in text


def test_text_of_a_document_cannot_leave_its_string_or_become_a_name():
    evil = 'x"""\nimport os\n"""'
    p = param('W"""; import os; """', "n", "n")
    model = Model.build(evil, [(h, p @ h[-1] + U @ x), (ell, squared(h))], loss="l", source=evil + "\\")
    module = load(emit(model))
    assert "os" not in vars(module) and not re.search(r"^import os", emit(model), re.M)
    assert all(n.isidentifier() for n in module.Params._fields)


def test_names_that_the_module_uses_itself_are_renamed():
    t, big, c, np_ = param("T", "n", "n"), param("B", "n", "m"), param("c", "n"), param("np", "n")
    model = Model.build("m", [(h, t @ h[-1] + big @ x + c + np_), (ell, squared(h))], loss="l")
    module = load(emit(model))
    assert module.Params._fields == ("T_", "B_", "c_", "np_") and module.self_check() < 1e-12


@pytest.mark.slow
def test_the_source_is_the_same_under_any_hash_seed(tmp_path):
    script = ("from symrnn.emit import emit\nfrom symrnn.expr import apply, total\n"
              "from symrnn.model import Model, param, scalar, sequence\n"
              "h,x,y=sequence('h','n'),sequence('x','m',kind='input'),sequence('y','n',kind='target')\n"
              "m=Model.build('m',[(h,apply('tanh',param('W','n','n')@h[-1]+param('U','n','m')@x)),"
              "(scalar('l'),total((h-y)**2))],loss='l')\n"
              "print(emit(m)); print(emit(m,style='unrolled',steps=2,sizes=(2,1)))\n")
    root = str(Path(symrnn_root()))
    texts = {subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path,
                            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": root}).stdout for seed in ("1", "2")}
    assert len(texts) == 1


def symrnn_root() -> Path:
    return Path(numpy_module.__file__).parents[2]


# ---------------------------------------------------------------------------------------------------------------- mutation
def run(source: str, path: Path) -> subprocess.CompletedProcess[str]:
    path.write_text(source, encoding="utf-8")
    return subprocess.run([sys.executable, "-I", str(path)], capture_output=True, text=True, cwd=path.parent)


def test_the_module_checks_itself_without_symrnn(make_elman, tmp_path):
    done = run(emit(make_elman()), tmp_path / "elman.py")
    assert done.returncode == 0 and "symrnn" not in done.stdout
    assert "W_hh: " in done.stdout and "h0: " in done.stdout and done.stdout.endswith("passed\n")


def test_a_module_with_a_wrong_gradient_fails_as_a_program(make_elman, tmp_path):
    source = emit(make_elman())
    assert source.count("d_a_t *= d_h_t") == 1
    done = run(source.replace("d_a_t *= d_h_t", "d_a_t -= d_h_t"), tmp_path / "wrong.py")
    assert done.returncode == 1 and "FAILED" in done.stdout


WRONG_GRADIENTS = [
    ("d_a_next.dot(W_hh, d_h_t)", "d_a_next.dot(W_hh.T, d_h_t)"),
    ("d_h_in = _times(d_o, W_hy)", "d_h_in = 1.001*_times(d_o, W_hy)"),
    ("np.square(h[1:], out=d_a_in)", "np.square(h[:-1], out=d_a_in)"),
    ("_sum_of_products(d_a[:-1], h[:-1])", "_sum_of_products(d_a[:-1], h[1:])"),
    ("_sum_of_products(d_a[:-1], h[:-1])", "_sum_of_products(h[:-1], d_a[:-1])"),
    ("d_b_h = d_a[:-1].sum", "d_b_h = -d_a[:-1].sum"),
    ("d_h0 = d_a[0] @ W_hh", "d_h0 = d_a[1] @ W_hh"),
    ("in _backwards(d_h,", "in zip(d_h,"),
    ("o = _times(h[1:], W_hy.T)", "o = _times(h[:-1], W_hy.T)"),
    ("d_a_t *= d_h_t", "d_a_t[...] = d_h_t"),
    ("d_o = _weighed(_take_off(p, y), c)", "d_o = _take_off(p, y)"),
    ("d_o = _weighed(_take_off(p, y), c)", "d_o = c.share*_take_off(p, y)"),
    ("return _weighed(l_, c).sum()", "return l_.sum()"),
    ("d_x = _times(d_a[:-1], W_xh)", "d_x = _times(d_a[1:], W_xh)"),
    ("d_a[T] = 0", "d_a[T] = 1"),
]
WRONG_NETWORKS = [
    ("W_hh_T = np.ascontiguousarray(W_hh.T)", "W_hh_T = np.ascontiguousarray(W_hh)"),
    ("a_in += b_h", "a_in -= b_h"),
    ("return Forward(a, h, o, p, o_lse)", "return Forward(a, h, o, p**2, o_lse)"),
    ("if c.mask is None:", "if c.share:"),
    ("x = _unpadded(x, real)", "pass"),
]


@pytest.mark.parametrize(("old", "new"), WRONG_GRADIENTS)
def test_a_mutated_gradient_fails_the_self_check_of_its_module(make_elman, old, new, capsys):
    source = emit(make_elman())
    assert source.count(old) == 1
    assert not load(source.replace(old, new)).self_check() <= 1e-8


@pytest.mark.slow
@pytest.mark.parametrize(("old", "new"), [*WRONG_GRADIENTS, *WRONG_NETWORKS])
def test_mutated_code_does_not_agree_with_the_proved_derivation(make_elman, old, new):
    """Also where the module is consistent in itself, and only its padding, its mean or its network is wrong."""
    model = make_elman()
    source = emit(model)
    assert source.count(old) == 1
    assert not agreement(Code(model, source.replace(old, new)), {"n_h": 2, "n_x": 3, "n_y": 3}, 2).within


def test_the_head_says_what_was_found_when_the_text_was_run(make_elman, make_cell):
    for model in (make_elman("?f"), make_cell(0)):
        head = emit_checked(model, Header()).split('"""')[0].replace("\n#    ", "")
        assert "# checked: this text was run: at n_h=2, " in head and "within rounding of 50-digit values of the equations" in head


@pytest.mark.parametrize(("old", "new"), [WRONG_GRADIENTS[0], *WRONG_NETWORKS])
def test_mutated_code_is_not_given_out_as_checked(make_elman, old, new):
    model = make_elman()
    with pytest.raises(RuntimeError, match="the code for elman deviates from its equations"):
        compare.checked(model, emit(model).replace(old, new))


STYLES = {
    "last outputs": {"outputs": ("last",)}, "last loss": {"loss_at": "last"}, "forward": {"outputs": ("forward",)},
    "unrolled": {"style": "unrolled", "steps": 2, "sizes": (2, 2, 3)},
    "unrolled last loss": {"style": "unrolled", "steps": 2, "sizes": (2, 2, 3), "loss_at": "last"},
    "unrolled last outputs": {"style": "unrolled", "steps": 2, "sizes": (2, 2, 3), "outputs": ("last",)}}


@pytest.mark.parametrize("style", STYLES)
def test_a_module_of_any_style_says_what_was_found_when_it_was_run_and_a_corrupted_one_is_not_given_out(make_elman, style):
    model, options = make_elman(), STYLES[style]
    source = emit_checked(model, Header(), **options)
    assert "within rounding of 50-digit values" in source.split('"""')[0].replace("\n#     ", " ")
    wrong = re.sub(r"(?<=[^.\w])(?:np\.)?tanh\(", "np.sin(", source)
    assert wrong != source
    with pytest.raises(RuntimeError, match="the code for elman deviates from its equations"):
        compare.checked(model, wrong, **options)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 3, 5])
def test_emitted_code_agrees_with_fifty_digits_alone_and_padded(make_cell, seed):
    model = make_cell(seed)
    assert agreement(Code(model), {n: 2 + k % 2 for k, n in enumerate(model.sizes)}, 2).within


class Corrupted(ArrayPrinter):
    """Prints another name."""

    def _print_Symbol(self, e):
        return super()._print_Symbol(e).replace("b_h", "0.9*b_h")


class CorruptedProduct(ArrayPrinter):
    """Forgets transposes."""

    def _print_ArrayFunctionBase(self, e):
        return super()._print_ArrayFunctionBase(e).replace(".T", "")


@pytest.mark.parametrize("printer", [Corrupted(), CorruptedProduct()], ids=["names", "transposes"])
def test_a_corrupted_printer_is_caught(make_elman, printer):
    """By the comparison with fifty digits, of which the forward pass alone is enough."""
    model = make_elman()
    names = ("forward", "loss", "gradients")
    source = numpy_module.write(model, names, Header(), printer)
    sizes = {"n_h": 2, "n_x": 2, "n_y": 2}
    assert deviation(model["a"], model["a"], model, sizes, code=Code(model)).within
    assert not deviation(model["a"], model["a"], model, sizes, code=Code(model, source)).within


def test_a_printer_that_forgets_transposes_is_caught_by_the_self_check_too(make_elman, capsys):
    names = ("forward", "loss", "gradients")
    source = numpy_module.write(make_elman(), names, Header(), CorruptedProduct())
    with pytest.raises(ValueError, match="matmul|shapes"):
        load(source).self_check()
