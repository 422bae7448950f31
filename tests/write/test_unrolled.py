"""Unrolled networks as texts, and their scalar form: what is printed is read back by latex2sympy2 to the same value."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
import sympy

from symrnn import api
from symrnn.components import Components
from symrnn.errors import CallError
from symrnn.expr import Expr, apply, node, substitute, symbols
from symrnn.model import Model, param, scalar, sequence
from symrnn.read.l2s import read_back
from symrnn.scalars import Evaluator
from symrnn.write.scalar import ScalarForm, plain
from symrnn.write.unrolled import UnrolledText, at_step, gradients, numbered

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
CHECKER = jsonschema.Draft202012Validator(json.loads((files("symrnn") / "schema" / "unroll.json").read_text(encoding="utf-8")))
SIZES = {"n_h": 2, "n_y": 2, "n_x": 1}


def test_the_latex_of_three_steps_of_elman_is_the_committed_one():
    assert api.unroll("elman", 3).to_latex() == (GOLDEN / "unroll-elman-3.tex").read_text(encoding="utf-8")


def test_the_state_of_step_three_is_written_out():
    assert (r"h_3 = \tanh(W \tanh(W \tanh(W h_0 + U x_1 + b) + U x_2 + b) + U x_3 + b)" in api.unroll("elman", 3).to_md())


def test_a_state_that_is_too_long_is_left_out_and_that_is_said():
    text = api.unroll("elman", 26).to_text()
    assert "h[26] has more than 200 symbols when written out." in text and "h[26] = tanh(a[26])" in text


@pytest.mark.parametrize(("name", "T", "sizes"), [("elman", 3, SIZES), ("elman-linear-mse", 12, None), ("elman-relu", 1, None)])
def test_the_json_is_valid(name, T, sizes):  # noqa: N803
    CHECKER.validate(api.unroll(name, T, sizes).to_json())


def test_every_gradient_term_by_term_is_the_derivative_of_the_unrolled_network():
    """The printed adjoints and gradients against SymPy's derivative of the components, at small sizes."""
    found = api.unroll("elman", 2, SIZES)
    m, d = found.unrolled.model, found.derivation
    c = Components(m, SIZES, 2)

    def open_adjoints(e: Expr) -> Expr:
        for _ in range(12):
            known = {s: at_step(d.adjoints[s.name], s.time.offset, m, 2) for s in symbols(e) if s.kind == "adjoint"}
            if not known:
                return e
            e = substitute(e, known)
        raise AssertionError("the adjoints do not end")

    compare = [(open_adjoints(e), node("sym", attr=s)) for s, e in gradients(found.unrolled, d)]
    named = [(sympy.Matrix(c.named(a)), sympy.Matrix(c.named(b))) for a, b in compare]
    value = Evaluator({x: Fraction(k % 7 + 1, 16) for k, x in enumerate(c.leaves)}, c.values())
    for mine, theirs in named:
        assert mine.shape == theirs.shape
        assert all(abs(value(x)[0] - value(y)[0]) < 1e-40 for x, y in zip(mine, theirs, strict=True))
        assert any(abs(value(x)[0]) > 1e-3 for x in mine)


ROW_KINDS = [("elman", "forward", slice(0, 7, 6)), ("elman", "forward", slice(-1, None)), ("elman", "jacobians", slice(0, 1)),
             ("elman", "backward", slice(0, 8, 6)), ("elman", "backward", slice(-12, None, 6)),
             ("elman-sigmoid-bce", "forward", slice(6, 9, 2)), ("elman-sigmoid-bce", "backward", slice(0, 1)),
             ("elman-linear-mse", "forward", slice(6, 7))]


@pytest.mark.parametrize(("name", "section", "part"), ROW_KINDS, ids=str)
@pytest.mark.slow
def test_scalar_rows_are_read_back_by_latex2sympy_to_the_same_value(name, section, part):
    found = api.unroll(name, 2, SIZES)
    rows = {"forward": found.scalars.forward, "jacobians": found.scalars.jacobians,
            "backward": lambda: found.scalars.backward(found.derivation)}[section]()
    chosen = list(rows)[part]
    assert chosen
    for row in chosen:
        back = read_back(row.right).doit()
        back = back.xreplace({s: sympy.Symbol(s.name, real=True) for s in back.free_symbols})
        assert sympy.expand(back - row.expression) == 0, (row.right, back)


def test_a_wrong_scalar_row_does_not_read_back_equal():
    row = next(iter(api.unroll("elman", 1, SIZES).scalars.forward()))
    back = read_back(row.right.replace("+", "-", 1)).doit()
    back = back.xreplace({s: sympy.Symbol(s.name, real=True) for s in back.free_symbols})
    assert sympy.expand(back - row.expression) != 0


def test_scalar_rows_agree_with_the_component_witness():
    """The forward rows are those of the witness, letter for letter, after the legend."""
    found = api.unroll("elman", 2, SIZES)
    c = Components(found.unrolled.model, SIZES, 2)
    mine = [r.expression for r in found.scalars.forward()]
    assert [sympy.count_ops(e) for e in mine] == [sympy.count_ops(e) for _, e in c.equations]


def test_letters_of_a_model_are_all_different():
    names = ("W_hh", "W_xh", "hat(y)", "tilde(y)", "loss", "l", "e", "v_e", "alpha", "beta", "state", "states")
    h = [sequence(name, "n") for name in names]
    m = Model.build("odd", [(x, apply("tanh", h[k - 1][-1])) for k, x in enumerate(h)])
    letters = ScalarForm(m, {"n": 2}, 1).letters
    assert len(set(letters.values())) == len(letters) >= 2 * len(names)
    assert plain("i") == ("v", "i"), "latex2sympy2 reads i as the imaginary unit"


@pytest.mark.parametrize("sizes", [(2, 2), {"n_h": 2}, (2, 2, 0), {"n_h": 1, "n_y": 1, "n_x": 1, "n_z": 1}])
def test_sizes_that_are_not_those_of_the_model_are_refused(sizes):
    with pytest.raises(CallError, match="sizes"):
        numbered(api.model("elman"), sizes)


def test_a_model_without_a_loss_is_written_forward_only():
    h = sequence("h", "n")
    m = Model.build("free", [(h, apply("?f", param("W", "n", "n") @ h[-1]))])
    found = UnrolledText.of(m, 2)
    assert "Backward" not in found.to_text() and "h[2] = f(W @ h[1])" in found.to_text().replace("?", "")
    CHECKER.validate(found.to_json())


def test_a_zero_initial_state_is_put_in_on_the_way_back():
    h, w, f = scalar("h"), param("w"), scalar("loss")
    m = Model.build("counter", [(h, w * h[-1] + scalar("x", "input")), (f, h**2)], loss="loss", initial="zero")
    assert re.search(r"grad w = (adj h\[2\] \* h\[1\]|h\[1\] \* adj h\[2\])\n", UnrolledText.of(m, 2).to_text())
