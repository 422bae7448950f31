"""Padded batches, means, the precision of the parameters, and the derivatives by the inputs: for every kind of model."""

from __future__ import annotations

import numpy as np
import pytest

from symrnn.emit import emit
from symrnn.emit.load import load
from symrnn.expr import apply, had, negative, softmax, total
from symrnn.model import Model, param, scalar, sequence

LENGTHS = (5, 1, 3)
PAIRS = [("softmax", "cross-entropy"), ("sigmoid", "binary"), ("id", "squared")]


def lstm() -> Model:
    """A cell with four gates and two states."""
    h, c, x = sequence("h", "n_h"), sequence("c", "n_h"), sequence("x", "n_x", kind="input")
    i, f, o, g = (sequence(k, "n_h") for k in "ifog")
    z, p, y = sequence("z", "n_y"), sequence("p", "n_y"), sequence("y", "n_y", kind="target")

    def gate(name: str, function: str = "sigmoid"):
        return apply(function, param(f"W_{name}", "n_h", "n_h") @ h[-1] + param(f"U_{name}", "n_h", "n_x") @ x + param(f"b_{name}", "n_h"))
    rows = [(i, gate("i")), (f, gate("f")), (o, gate("o")), (g, gate("g", "tanh")), (c, had(f, c[-1]) + had(i, g)),
            (h, had(o, apply("tanh", c))), (z, param("V", "n_y", "n_h") @ h), (p, softmax(z)),
            (scalar("l"), negative(y.T @ apply("log", p)))]
    return Model.build("lstm", rows, loss="l", simplex=["y"])


def fed_back() -> Model:
    """A state that looks two steps back, an input of the step before, the target of the step before, and a penalty on a weight."""
    h, x, y = sequence("h", "n_h"), sequence("x", "n_x", kind="input"), sequence("y", "n_y", kind="target")
    W, F = param("W", "n_h", "n_h"), param("F", "n_h", "n_y")
    V, q = param("V", "n_y", "n_h"), param("q")
    p = sequence("p", "n_y")
    return Model.build("fed-back", [(h, apply("tanh", W @ h[-2] + param("U", "n_h", "n_x") @ x[-1] + F @ y[-1])), (p, V @ h),
                                    (scalar("l"), total((p - y) ** 2) + q * total(W**2) + total(h))], loss="l")


def made(model: Model, seed: int = 0, **options):
    """A module, and numbers for a batch of three sequences of up to five steps: (module, params, x, y, starts)."""
    module = load(emit(model, **options))
    r = np.random.default_rng(seed)
    sizes = {n: 2 + k for k, n in enumerate(model.sizes)}

    def array(shape, *lead):
        return r.normal(size=[*lead, *[sizes[n] for n in shape if n != 1]]) / 2
    params = module.Params(*(array(s.shape) for s in model.parameters))
    (x,), (y,) = model.inputs, model.targets
    targets = np.abs(array(y.shape, *((3,) if options.get("loss_at") == "last" else (5, 3)))) + 0.1
    targets /= targets.sum(axis=-1, keepdims=True)
    return module, params, array(x.shape, 5, 3), targets


def models(make_elman, make_cell):
    yield from (make_elman("tanh", *pair) for pair in PAIRS)
    cells = (cell for cell in map(make_cell, range(99)) if "?f" not in str(cell.equations))   # a function would be an argument
    yield from (lstm(), fed_back(), next(cells), next(cells))


KINDS = ["elman-softmax", "elman-sigmoid", "elman-squared", "lstm", "fed-back", "random-1", "random-2"]


@pytest.fixture(params=range(len(KINDS)), ids=KINDS)
def model(request, make_elman, make_cell):
    return list(models(make_elman, make_cell))[request.param]


MASK = np.arange(5)[:, None] < np.array(LENGTHS)


def nowhere(array, value=np.nan):
    """The array with ``value`` in padding."""
    return np.where(MASK.reshape(5, 3, *[1] * (array.ndim - 2)), array, value)


# --------------------------------------------------------------------------------------------------------------- padding
@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_a_padded_batch_is_its_sequences_one_by_one_whatever_stands_in_the_padding(model, reduction):
    module, params, x, y = made(model)
    loss, found, rates = module.loss_and_all_gradients(params, nowhere(x), nowhere(y), mask=MASK, reduction=reduction)
    share = 1 if reduction == "sum" else 1 / sum(LENGTHS)
    each = [module.loss_and_all_gradients(params, x[:n, b], y[:n, b]) for b, n in enumerate(LENGTHS)]
    assert loss == pytest.approx(share * sum(one[0] for one in each), rel=1e-13)
    for name in module.Params._fields:
        whole = share * sum(getattr(one[1], name) for one in each)
        assert np.allclose(getattr(found, name), whole, rtol=1e-12, atol=1e-14), name
    for b, n in enumerate(LENGTHS):
        assert np.allclose(rates[0][:n, b], share * each[b][2][0], rtol=1e-12, atol=1e-14)
        assert not rates[0][n:, b].any()
        for name in set(found._fields) - set(module.Params._fields):
            mine = getattr(found, name)
            mine = mine[b] if mine.ndim == 2 else mine[:, b]
            assert np.allclose(mine, share * getattr(each[b][1], name), rtol=1e-12, atol=1e-14)


def test_adjoints_are_zero_in_padding(model):
    module, params, x, y = made(model)
    back = module.adjoints(params, nowhere(x), nowhere(y), mask=MASK)
    assert all(not rate[~MASK].any() and np.isfinite(rate).all() for rate in back)


def test_class_numbers_in_padding_may_be_anything(make_elman):
    module, params, x, _ = made(make_elman())
    labels = np.arange(15).reshape(5, 3) % 3
    first = module.loss_and_gradients(params, nowhere(x), nowhere(labels, -100).astype(int), mask=MASK)
    second = module.loss_and_gradients(params, x, np.eye(3)[labels], mask=MASK)
    assert first[0] == pytest.approx(second[0], rel=1e-14)
    assert all(np.allclose(a, b, rtol=1e-13, atol=1e-15) for a, b in zip(first[1], second[1], strict=True))


def test_a_sequence_of_padding_alone_adds_nothing(make_elman):
    module, params, x, y = made(make_elman())
    mask = MASK.copy()
    mask[:, 1] = False
    whole = module.loss(params, x, y, mask=mask, reduction="mean")
    assert whole == pytest.approx(module.loss(params, x[:, ::2], y[:, ::2], mask=mask[:, ::2], reduction="mean"), rel=1e-14)


def test_one_sequence_may_be_padded_too(make_elman):
    module, params, x, y = made(make_elman())
    assert module.loss(params, x[:, 2], y[:, 2], mask=MASK[:, 2]) == pytest.approx(module.loss(params, x[:3, 2], y[:3, 2]), rel=1e-14)


@pytest.mark.parametrize("which", [0, 1, 2, 3])
def test_with_the_loss_at_the_last_step_that_of_each_sequence_is_its_own(make_elman, which):
    model = [make_elman(), make_elman("tanh", "sigmoid", "binary"), make_elman("tanh", "id", "squared"), lstm()][which]
    module, params, x, y = made(model, loss_at="last")
    loss, found, rates = module.loss_and_all_gradients(params, nowhere(x), y, mask=MASK, reduction="mean")
    each = [module.loss_and_all_gradients(params, x[:n, b], y[b]) for b, n in enumerate(LENGTHS)]
    assert loss == pytest.approx(sum(one[0] for one in each) / 3, rel=1e-13)
    for name in module.Params._fields:
        assert np.allclose(getattr(found, name), sum(getattr(one[1], name) for one in each) / 3, rtol=1e-12, atol=1e-14), name
    for b, n in enumerate(LENGTHS):
        assert np.allclose(rates.x[:n, b], each[b][2].x / 3, rtol=1e-12, atol=1e-14) and not rates.x[n:, b].any()


@pytest.mark.parametrize(("options", "error", "words"), [
    ({"mask": MASK.astype(int)}, TypeError, r"mask must hold booleans, in shape \(T, B\) = \(5, 3\); it came with dtype int64"),
    ({"mask": MASK[:, :2]}, ValueError, r"mask must have shape \(T, B\) = \(5, 3\); it came with shape \(5, 2\)"),
    ({"mask": MASK[::-1]}, ValueError, r"True and then False in every sequence, .*; sequence 2 came with True at step 2 after False"),
    ({"mask": MASK & False}, ValueError, r"mask must leave a step of some sequence, in shape \(T, B\) = \(5, 3\); all are False"),
    ({"reduction": "average"}, ValueError, "reduction must be \"sum\" or \"mean\"; it came as 'average'"),
])
def test_a_wrong_mask_or_reduction_is_named(make_elman, options, error, words):
    module, params, x, y = made(make_elman())
    with pytest.raises(error, match=words):
        module.loss(params, x, y, **options)


def test_with_the_loss_at_the_last_step_every_sequence_must_have_one(make_elman):
    module, params, x, y = made(make_elman(), loss_at="last")
    mask = MASK.copy()
    mask[:, 1] = False
    with pytest.raises(ValueError, match=r"mask must leave a step of every sequence, in shape \(T, B\) = \(5, 3\); one is all False"):
        module.loss(params, x, y, mask=mask)


# ------------------------------------------------------------------------------------------------------------- precision
def in_single(arrays):
    return type(arrays)(*(a.astype(np.float32) for a in arrays))


@pytest.mark.parametrize("loss_at", ["all", "last"])
def test_float32_parameters_give_float32_everywhere_near_float64(model, loss_at):
    options = {"loss_at": loss_at if model.name != "fed-back" else "all"}       # its states need targets at every step
    module, params, x, y = made(model, **options)
    loss, found, rates = module.loss_and_all_gradients(in_single(params), x, y, reduction="mean")
    wide = module.loss_and_all_gradients(params, x, y, reduction="mean")
    every = [*found, *rates, *module.adjoints(in_single(params), x, y), *module.forward(in_single(params), x, *late(model, y))]
    assert all(a.dtype == np.float32 for a in every)
    assert loss == pytest.approx(wide[0], rel=1e-5)
    for mine, other in zip([*found, *rates], [*wide[1], *wide[2]], strict=True):
        assert other.dtype == np.float64 and np.allclose(mine, other, rtol=1e-3, atol=1e-5)


def late(model, y):
    """The targets that a forward pass needs."""
    return (y,) if model.name == "fed-back" else ()


@pytest.mark.parametrize(("new", "words"), [
    (np.float32, r"params\.b_h must have dtype float64, as params\.W_hh has; it came with dtype float32"),
    (np.float16, r"params\.b_h must have dtype float64, as params\.W_hh has; it came with dtype float16"),
])
def test_parameters_of_two_precisions_are_refused(make_elman, new, words):
    module, params, x, y = made(make_elman())
    with pytest.raises(TypeError, match=words):
        module.loss(params._replace(b_h=params.b_h.astype(new)), x, y)


def test_a_precision_that_is_neither_single_nor_double_is_refused(make_elman):
    module, params, x, y = made(make_elman())
    half = type(params)(*(a.astype(np.float16) for a in params))
    with pytest.raises(TypeError, match=r"params\.W_hh must have dtype float32 or float64; it came with dtype float16"):
        module.loss(half, x, y)


def test_lists_and_integers_take_the_precision_of_the_others(make_elman):
    module, params, x, y = made(make_elman())
    mixed = in_single(params)._replace(b_h=[0, 1])
    assert module.gradients(mixed, x, y).b_h.dtype == np.float32
    assert module.gradients(type(params)(*(a.tolist() for a in params)), x, y).W_hh.dtype == np.float64


# ---------------------------------------------------------------------------------------------------------------- inputs
def test_the_derivatives_by_the_inputs_are_central_differences(model):
    module, params, x, y = made(model)
    loss, found, (rate,) = module.loss_and_all_gradients(params, x, y)
    assert loss == module.loss(params, x, y)
    assert all(np.array_equal(a, b) for a, b in zip(found, module.gradients(params, x, y), strict=True))
    for at in [(0, 0, 0), (2, 1, 1), (4, 2, 0)]:
        sides = []
        for step in (1e-5, -1e-5):
            moved = x.copy()
            moved[at] += step
            sides.append(module.loss(params, moved, y))
        assert rate[at] == pytest.approx((sides[0] - sides[1]) / 2e-5, rel=1e-6, abs=1e-8)


def test_of_one_sequence_the_derivatives_by_the_inputs_have_its_shape(make_elman):
    module, params, x, y = made(make_elman())
    assert module.loss_and_all_gradients(params, x[:, 0], y[:, 0])[2].x.shape == (5, 4)


def test_no_result_shares_memory_with_an_argument():
    h, x, y = sequence("h", "n"), sequence("x", "n", kind="input"), sequence("y", "n", kind="target")
    model = Model.build("m", [(h, 1 * x), (scalar("l"), total((param("w") * h - y) ** 2))], loss="l")
    module = load(emit(model))
    x_, y_ = np.ones((3, 2, 2)), np.zeros((3, 2, 2))
    assert not np.shares_memory(module.forward(module.Params(w=2.0), x_).h, x_)
    assert not np.shares_memory(module.loss_and_all_gradients(module.Params(w=2.0), x_, y_)[2].x, y_)
