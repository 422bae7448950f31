"""A corrupted rule, rewrite, step, row or printer is refused by a check that does not use it, and every check runs."""
from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import sympy
from networks import elman, identities

import symrnn.prove.decide as decide_module
from symrnn import zoo
from symrnn.api import model as open_model
from symrnn.bptt import check_trail, derive
from symrnn.calculus import PULLS, Rule
from symrnn.emit import emit, inplace
from symrnn.emit.load import load
from symrnn.emit.printers import ArrayPrinter
from symrnn.expr import Expr, apply, functions, scale, symbol, transpose
from symrnn.model import Model
from symrnn.prove import elementary, lower
from symrnn.prove.claim import Claim
from symrnn.prove.decide import Witnesses, decide
from symrnn.prove.lagrangian import stationary, unproved
from symrnn.prove.witness import component_witness

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _no_verdict_is_kept(monkeypatch):
    """A verdict from before a corruption would hide it."""
    monkeypatch.setitem(globals(), "decide", decide.__wrapped__)

SIZES = {"n_h": 2, "n_x": 1, "n_y": 2}
BOTH, NORMAL, EXACT = Witnesses(), Witnesses(exact=False), Witnesses(normal=False)
MODELS = tuple(zoo.names())


def verdicts(model: Model, use: Witnesses = BOTH) -> dict[str, str | None]:
    return {name: decide(claim, use).word for name, claim in identities(model)}


def check_itself(model: Model) -> float:
    """The largest deviation of the gradients of the emitted module from the derivative of its loss by complex step."""
    with contextlib.redirect_stdout(io.StringIO()):
        return float(load(emit(model)).self_check())


# ------------------------------------------------------------------------------------------------------------------- every check runs
def test_each_witness_looks_at_every_claim(monkeypatch):
    seen: dict[str, int] = {"exact": 0, "normal": 0}

    def counted(name: str, f: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            seen[name] += 1
            return f(*args, **more)
        return call
    monkeypatch.setattr(decide_module, "compare", counted("exact", decide_module.compare))
    monkeypatch.setattr(decide_module, "prove", counted("normal", decide_module.prove))
    claims = dict(identities(elman()))
    for claim in claims.values():
        assert decide(claim).word == "proved"
    assert seen["exact"] >= len(claims) and seen["normal"] >= len(claims)
    before = dict(seen)
    decide(claims["adjoint of h"], NORMAL)
    assert seen["exact"] == before["exact"] and seen["normal"] > before["normal"]
    before = dict(seen)
    decide(claims["adjoint of h"], EXACT)
    assert seen["exact"] > before["exact"] and seen["normal"] == before["normal"]


def test_the_component_witness_compares_every_entry_of_every_step():
    for name, claim in identities(elman("tanh", "id", "squared")):
        seen = component_witness(claim, SIZES, 2)
        assert claim.left.shape is not None
        entries = 1
        for n in claim.left.shape:
            entries *= SIZES.get(n, n)
        steps = 1 if name.startswith("gradient") else 2
        last = int("t+1" in str(claim.right))                         # the last step speaks of one that does not exist
        assert seen.holds and seen.comparisons == entries * (steps - last) and seen.skipped == last, name


@pytest.mark.parametrize("name", MODELS)
def test_the_lagrangian_looks_at_every_quantity(name):
    model = open_model(name)
    found = stationary(derive(model))
    every = (*model.variables, *model.inputs, *model.parameters)
    assert [x.symbol.name for x in found] == [s.name for s in every if s.name != model.loss]
    assert all(x.holds and not x.sweep.is_zero for x in found)


# ---------------------------------------------------------------------------------------------------------------- a corrupted rule
def product(e: Expr, value: Expr, g: Expr, k: int) -> Expr:
    """The product rule with a transpose left out where the shapes let it pass."""
    if k == 0:
        return g @ transpose(e.args[1])
    a = e.args[0]
    return (a if a.shape is not None and a.shape[0] == a.shape[1] else transpose(a)) @ g


RULES: dict[str, Callable[[Expr, Expr, Expr, int], Expr]] = {
    "matmul": product,
    "apply": lambda e, v, g, k: scale(2, PULLS_BEFORE["apply"].pull(e, v, g, k)),
    "sum": lambda e, v, g, k: scale(-1, PULLS_BEFORE["sum"].pull(e, v, g, k)),
}
PULLS_BEFORE = dict(PULLS)


@pytest.mark.parametrize("op", RULES)
def test_a_corrupted_rule_is_refused_by_the_proofs_and_by_the_code(monkeypatch, op):
    model = elman("tanh", "id", "squared")
    assert set(verdicts(model).values()) == {"proved"} and check_itself(model) < 1e-12
    old = PULLS[op]
    monkeypatch.setitem(PULLS, op, Rule(old.name, old.op, old.sentence, RULES[op]))
    assert check_trail(derive(model)) == [], "the trail is replayed by the same rules"
    assert unproved(derive(model)) != []
    assert "refuted" in verdicts(model).values() and "refuted" in verdicts(model, EXACT).values()
    assert any(not component_witness(c, SIZES, 2).holds for _, c in identities(model))
    assert check_itself(model) > 1e-3


# ------------------------------------------------------------------------------------------------------------- a corrupted rewrite
def test_a_corrupted_rewrite_is_outvoted_by_exact_evaluation(monkeypatch):
    u = symbol("u")
    wrong = Claim(apply("softplus", -u), apply("softplus", u), Model("none", ()))
    assert decide(wrong).word == "refuted" and decide(wrong, NORMAL).word == "undecided"
    monkeypatch.setitem(elementary.SPECIAL, "softplus",
                        lambda A, f: A.lift("f", "softplus", A.scale(-1, f) if f.terms and f.terms[0][1] < 0 else f))
    assert decide(wrong, NORMAL).word == "proved", "the corruption has an effect"
    verdict = decide(wrong)
    assert verdict.word == "refuted" and verdict.counterexample is not None


def test_a_corrupted_row_of_the_normal_form_is_outvoted_too(monkeypatch):
    model = elman("tanh", "id", "squared")
    V, o = model["V"], model["o"]
    x, W = model["x"], model["U"]
    wrong = Claim(W @ x, scale(2, W @ x), model)
    assert decide(wrong).word == "refuted"
    old = lower.ROWS["matmul"]
    monkeypatch.setitem(lower.ROWS, "smul", lambda L, e: old(L, V @ model["h"]) if e.args[1].shape == o.shape else L(e.args[1]))
    assert decide(wrong, NORMAL).word == "proved", "the corruption has an effect"
    assert decide(wrong).word == "refuted"


# ---------------------------------------------------------------------------------------------------------------- a corrupted step
@pytest.mark.parametrize("name", MODELS)
def test_every_step_of_a_trail_that_is_altered_deleted_or_swapped_is_caught(name):
    found = derive(open_model(name))
    trail, caught = found.trail, 0
    assert check_trail(found) == [] and len(trail) > 20
    for n, step in enumerate(trail):
        altered = replace(step, after=scale(2, step.after))
        renamed = replace(step, rule="sum rule" if step.rule != "sum rule" else "product rule")
        for wrong in ((*trail[:n], altered, *trail[n + 1:]), (*trail[:n], renamed, *trail[n + 1:]), (*trail[:n], *trail[n + 1:]),
                      (*trail[:n], step, *trail[n:])):
            assert check_trail(replace(found, trail=wrong)) != [], (n, step.rule)
            caught += 1
        if n and trail[n - 1] != step:
            assert check_trail(replace(found, trail=(*trail[:n - 1], step, trail[n - 1], *trail[n + 1:]))) != [], n
    assert caught == 4 * len(trail)


def test_a_result_that_is_not_that_of_its_trail_is_caught():
    found = derive(open_model("elman"))
    for table in ("adjoints", "summands"):
        for name, e in getattr(found, table).items():
            assert check_trail(replace(found, **{table: {**getattr(found, table), name: scale(2, e)}})) != [], name


# ----------------------------------------------------------------------------------------------------------------- a corrupted row
@pytest.mark.parametrize(("name", "slope"), [("tanh", lambda u, v, fn: 1 + v * v), ("sigmoid", lambda u, v, fn: v * v)])
def test_a_corrupted_derivative_in_the_function_table_is_refused_by_what_does_not_use_the_table(monkeypatch, name, slope):
    model = elman(name, "id", "squared")
    assert check_itself(model) < 1e-12
    monkeypatch.setitem(functions.TABLE, name, replace(functions.TABLE[name], derivative=slope))
    derived = {word for key, word in verdicts(model).items() if key.startswith(("adjoint of", "gradient of"))}
    assert derived == {"proved"}, "the provers share the table, which is why its rows are proved one by one"
    assert any(not component_witness(c, SIZES, 2).holds for _, c in identities(model)), "SymPy differentiates on its own"
    assert check_itself(model) > 1e-3, "so does the complex step"


# ------------------------------------------------------------------------------------------------------------- a corrupted printer
def test_a_corrupted_printer_is_refused_by_the_code_itself(monkeypatch):
    model = elman("tanh", "id", "squared")
    power = ArrayPrinter._print_Pow
    monkeypatch.setattr(ArrayPrinter, "_print_Pow",
                        lambda self, e, rational=False: power(self, e.base ** (e.exp + 1), rational) if e.exp == 2 else power(self, e))
    assert check_itself(model) > 1e-3


def test_products_written_as_sums_are_refused_too(monkeypatch):
    monkeypatch.setitem(inplace.COMBINED, sympy.Mul, inplace.COMBINED[sympy.Add])
    assert check_itself(elman()) > 1e-3


def test_what_is_not_corrupted_passes_every_check():
    for model in (elman("sigmoid", "sigmoid", "binary"), elman("softplus")):
        assert set(verdicts(model).values()) == {"proved"} and unproved(derive(model)) == [] and check_itself(model) < 1e-12
