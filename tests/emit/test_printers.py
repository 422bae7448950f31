"""Array expressions: each operation of the core becomes the NumPy expression that computes it for steps and sequences at once."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import sympy
from ids import stable

from symrnn.emit.arrays import Arrays, kind
from symrnn.emit.kernels import KERNELS, sources
from symrnn.emit.load import load
from symrnn.emit.printers import OPERATIONS, ArrayPrinter, operation
from symrnn.emit.schedule import schedule
from symrnn.errors import CallError
from symrnn.expr import (
    Time,
    apply,
    diag,
    entry,
    eye,
    had,
    log_sum_exp,
    negative,
    node,
    ones,
    scale,
    shift,
    softmax,
    symbol,
    symbols,
    total,
    zeros,
)
from symrnn.model import Equation, param, scalar, sequence

SIZE = {"n": 3, "m": 2}
T, B = 4, 2
W, U, b, s = param("W", "n", "n"), param("U", "n", "m"), param("b", "n"), param("s")
h, x, q = sequence("h", "n"), sequence("x", "m"), scalar("q")
p, q_, y = sequence("p", "n"), sequence("q", "n"), sequence("y", "n", kind="target")
HEAD = "from __future__ import annotations\nimport numpy as np\nArray = object\n"
KERNEL = vars(load(HEAD + "\n\n".join(sources(set(KERNELS)))))


def array_of(e):
    """Fixed numbers for a symbol, and the text of the printed expression evaluated on them."""
    r = np.random.default_rng(5)
    values, columns = {}, {}
    for sym in sorted(symbols(e), key=str):
        shape = tuple(SIZE.get(d, d) for d in sym.shape)
        lead = (T, B) if sym.time else ()
        full = r.normal(size=(*lead, *shape))
        columns[sym] = full
        values[sym.name] = full.reshape(*lead, *([d for d in shape if d != 1] or [1]))
    return values, columns


def by_hand(e, columns, t, k):
    """The value of the expression for one step and sequence, with plain matrices."""
    def value(x):
        a = [value(y) for y in x.args]
        shape = tuple(SIZE.get(d, d) for d in x.shape)
        return {
            "sym": lambda: columns[x.attr][t, k] if x.attr.time else columns[x.attr], "num": lambda: np.array([[float(x.attr)]]),
            "ones": lambda: np.ones(shape), "zeros": lambda: np.zeros(shape), "eye": lambda: np.eye(shape[0]),
            "add": lambda: sum(a),
            "smul": lambda: a[0][0, 0] * a[1], "matmul": lambda: a[0] @ a[1], "had": lambda: a[0] * a[1],
            "transpose": lambda: a[0].T, "pow": lambda: a[0] ** x.attr, "sum": lambda: a[0].sum().reshape(1, 1),
            "diag": lambda: np.diagflat(a[0]), "cat": lambda: np.vstack(a), "slice": lambda: a[0][x.attr[0] - 1:x.attr[1]],
            "softmax": lambda: np.exp(a[0]) / np.exp(a[0]).sum(), "lse": lambda: np.log(np.exp(a[0]).sum()).reshape(1, 1),
            "size": lambda: np.array([[float(SIZE[x.attr])]]),
            "apply": lambda: {"tanh": np.tanh, "exp": np.exp, "recip": lambda u: 1 / u, "relu": lambda u: np.maximum(u, 0),
                              "sigmoid": lambda u: 1 / (1 + np.exp(-u)), "softplus": lambda u: np.log(1 + np.exp(u)),
                              "sqrt": lambda u: np.sqrt(u), "step": lambda u: 1.0 * (u > 0)}[x.attr](a[0]),
        }[x.op]()
    return value(e)


EXPRESSIONS = [
    W @ h + U @ x + b, W.T @ h, h.T @ W, h.T @ h, h @ x.T, W @ W.T, (W @ h) @ (x.T @ U.T), diag(h) @ W @ h, h.T @ diag(b),
    diag(h), eye("n") @ h, W @ (h @ h.T), (h @ h.T) @ h, (h @ x.T).T @ h, (h @ x.T) @ x, h.T @ (h @ x.T), had(h, 1 - h**2),
    negative(had(h, h) - b),
    1 - apply("tanh", h) ** 2, softmax(W @ h), log_sum_exp(h) * h, log_sum_exp(h) * ones(("n", 1)) + h, total(h @ x.T), total(W),
    s * h,
    s * W, q * W, q * (h @ x.T), q * s, q * q - s, scale(-2, h) - scale(3, b), apply("recip", 2 + h**2), apply("sqrt", 1 + h**2),
    apply("relu", h), apply("step", h), apply("sigmoid", W @ h), apply("softplus", h), ones((1, "n")) @ h, h.T @ ones(("n", 1)),
    ones(("n", 1)) @ x.T, (q * ones(("n", 1))).T @ (2 * ones(("n", 1))), q * ones(("n", 1)) + s * ones(("n", 1)),
    zeros(("n", 1)) + h,
    node("add", zeros(("n", 1)), h), node("cat", h, x, attr=5), node("cat", h, b, attr=6), node("slice", h, attr=(2, 3, 2)),
    node("size", attr="n") * h, W + h @ h.T, eye("n") - h @ h.T, diag(h) - h @ h.T, diag(1 - h**2) @ W.T @ h, (h - b).T @ (h - b),
    apply("tanh", q * ones(("n", 1))).T @ ones(("n", 1)), h.T @ (ones(("n", 1)) @ q), (q * ones(("n", 1))) ** 2 @ x.T,
    had(h @ x.T, ones(("n", "m")) - U), total(had(W, W)) * h, apply("exp", negative(h)) * b,
]


@pytest.mark.parametrize("e", EXPRESSIONS, ids=stable)
def test_the_printed_expression_computes_the_expression(e):
    assert e.shape is not None, e.fault
    values, columns = array_of(e)
    converted = Arrays(lambda sym: sympy.Symbol(sym.name), lambda n: sympy.Integer(SIZE.get(n, n)))(e)
    text = ArrayPrinter().doprint(converted)
    found = eval(text, {**KERNEL, "np": np, "kind": float, **values})
    dims = tuple(SIZE.get(d, d) for d in e.shape)
    for t, k in itertools.product(range(T), range(B)):
        mine = np.asarray(found)[t, k] if any(sym.time for sym in symbols(e)) else np.asarray(found)
        assert np.allclose(mine.reshape(-1), by_hand(e, columns, t, k).reshape(-1), rtol=1e-12), text
        assert mine.size == dims[0] * dims[1]


@pytest.mark.parametrize(("e", "text"), [
    (W @ h[-1] + U @ x + b, "_times(h, W.T) + _times(x, U.T) + b"),
    (W.T @ h, "_times(h, W)"),
    (had(1 - h**2, W.T @ h), "(1 - h**2)*_times(h, W)"),
    (apply("recip", h), "1 / h"),
    (negative(had(h, b)), "-h*b"),
    (h - b, "h - b"),
], ids=stable)
def test_the_text_is_what_one_would_write(e, text):
    assert ArrayPrinter().doprint(Arrays(lambda sym: sympy.Symbol(sym.name), sympy.Symbol)(e)) == text


def test_every_printed_operation_is_used_by_some_expression_or_by_the_gradients():
    used = set()
    for e in EXPRESSIONS:
        converted = Arrays(lambda sym: sympy.Symbol(sym.name), lambda n: sympy.Integer(SIZE.get(n, n)))(e)
        used |= {type(f).__name__.removeprefix("array_") for f in sympy.preorder_traversal(converted)}
    with_classes = Arrays(lambda sym: sympy.Symbol(sym.name), sympy.Symbol, "dot", frozenset({"y"}), frozenset({"p"}))
    for e in (W @ h, p - y, q_ - y, y.T @ h, y):
        used |= {type(f).__name__.removeprefix("array_") for f in sympy.preorder_traversal(with_classes(e))}
    assert set(OPERATIONS) - used == {"over_all", "products", "ahead", "weighed", "shared"}


CLASSES = frozenset({"y"})


@pytest.mark.parametrize(("e", "text"), [
    (p - y, "_take_off(p, y)"),                                      # nothing else needs p
    (q_ - y, "_off(q, y)"),
    (negative(y.T @ (h - log_sum_exp(h) * ones(("n", 1)))), "-_expected(y, h, _log_sum_exp(h))"),
    (total(had(y, apply("log", h))), "_expected(y, np.log(h), 0)"),
    (W @ y, "_times(_one_hot(y, n, kind), W.T)"),
], ids=stable)
def test_a_target_of_classes_is_never_spread_out_where_one_entry_will_do(e, text):
    convert = Arrays(lambda sym: sympy.Symbol(sym.name), sympy.Symbol, "times", CLASSES, frozenset({"p"}))
    assert ArrayPrinter().doprint(convert(e)) == text


def test_class_numbers_and_their_probabilities_give_the_same_values():
    labels, u = np.array([[2, 0], [1, 1]]), np.random.default_rng(3).normal(size=(2, 2, 3))
    dense = np.eye(3)[labels]
    calls = {"_off": lambda y: (u, y), "_take_off": lambda y: (u.copy(), y), "_expected": lambda y: (y, u, u[..., :1])}
    for name, arguments in calls.items():
        assert np.array_equal(KERNEL[name](*arguments(labels)), KERNEL[name](*arguments(dense))), name
    assert np.array_equal(KERNEL["_one_hot"](labels, 3, float), dense) and KERNEL["_one_hot"](dense, 3, float) is dense


def test_factors_keep_their_order_although_sympy_would_sort_them():
    z, a = sympy.symbols("z a")
    assert ArrayPrinter().doprint(operation("matmul")(z, a)) == "z @ a"


def test_an_operation_without_a_row_is_refused_by_name():
    with pytest.raises(CallError, match="entry"):
        Arrays(lambda sym: sympy.Symbol(sym.name), sympy.Symbol)(entry(h, 1))


@pytest.mark.parametrize(("shape", "letter"), [((1, 1), "s"), (("n", 1), "c"), ((1, "n"), "r"), (("n", "m"), "m")])
def test_the_kind_of_a_shape(shape, letter):
    assert kind(shape) == letter


# -------------------------------------------------------------------------------------------------------------- schedules
def blocks(*rows):
    count = iter(range(9))
    return schedule([Equation(left.attr, right) for left, right in rows], lambda name: f"{name}_{next(count)}")


def test_only_what_depends_on_its_own_past_is_looped_over():
    g, o = sequence("g", "n"), sequence("o", "n")
    found = blocks((g, U @ x), (h, apply("tanh", W @ h[-1] + g)), (o, W @ h))
    assert [(blk.loop, [e.name for e in blk.equations]) for blk in found] == [(False, ["g"]), (True, ["h"]), (False, ["o"])]


def test_parts_that_do_not_depend_on_the_loop_are_taken_out_of_it():
    (loop,) = blocks((h, apply("tanh", W @ h[-1] + U @ x + b)))
    assert [str(e) for e in loop.before] == ["h_0[t] = U @ x[t] + b"]
    assert str(loop.equations[0]) == "h[t] = tanh(W @ h[t-1] + h_0[t])"


def test_two_states_that_need_each_other_share_a_loop_and_two_layers_do_not():
    g = sequence("g", "n")
    assert [len(blk.equations) for blk in blocks((h, W @ g[-1]), (g, W.T @ h))] == [2]
    layers = blocks((h, W @ h[-1] + U @ x), (g, W @ g[-1] + h))
    assert [(blk.loop, len(blk.equations)) for blk in layers] == [(True, 1), (True, 1)]


def test_an_adjoint_system_runs_on_steps_ahead():
    lam = symbol("h", ("n", 1), "adjoint", Time("t", 0))
    (loop,) = blocks((lam, W.T @ shift(lam, 1) + h))
    assert loop.loop and not loop.before
