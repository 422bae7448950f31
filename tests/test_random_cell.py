"""A cell nobody has seen, a document with letters of its own, goes through everything: reading, derivation, proof, code."""
from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from fuzzing import fuzz
from hypothesis import given, note
from hypothesis import strategies as st
from networks import derived

import symrnn
from symrnn.bptt import check_trail, derive
from symrnn.emit import emit
from symrnn.emit.load import load
from symrnn.expr import Symbol
from symrnn.model import Model
from symrnn.prove.decide import Witnesses, decide
from symrnn.prove.exact import compare, exact_only
from symrnn.prove.shapes import conflict
from symrnn.repair.mutants import mutants

VECTORS = ("h", "s", "g", "m", "q", "r", "u", "v", "w", "z", "x", "p", r"\xi", r"\zeta")
MATRICES = ("A", "B", "C", "D", "F", "G", "M", "Q", "R", "S", "U", "V", "W", r"\Gamma", "W_{in}", "W_{rec}", "U_{0}")
BIASES = ("b", "c", "d", r"\beta", r"\gamma", "b_{in}")
FUNCTIONS = (r"\phi", r"\psi", r"\sigma", "f")
KINDS = ("tanh", "sigmoid", "softplus", "sin")


@dataclass(frozen=True)
class Cell:
    """A document and what is to be known of it."""

    text: str
    states: int
    target: str


@st.composite
def cells(draw: st.DrawFn) -> Cell:
    """A document with one or two state equations, an output and a loss."""
    sup, count = draw(st.booleans()), draw(st.integers(1, 2))
    vectors = iter(draw(st.permutations(VECTORS)))
    weights, biases = iter(draw(st.permutations(MATRICES))), iter(draw(st.permutations(BIASES)))
    functions = iter(draw(st.permutations(FUNCTIONS)))
    declared: dict[str, str] = {"t": "time", "k": "index"}

    def at(name: str, lag: int = 0) -> str:
        when = f"t-{lag}" if lag else "t"
        return f"{name}^{{({when})}}" if sup else f"{name}_{{{when}}}"

    def of(name: str) -> str:
        """Component k at step t."""
        return f"{name}_k^{{(t)}}" if sup else f"{name}_{{t,k}}"

    def vector(size: str) -> str:
        name = next(vectors)
        declared[name] = f"vector {size}, sequence"
        return name

    def weight(rows: str, columns: str) -> str:
        name = next(weights)
        declared[name] = f"matrix {rows} {columns}"
        return name

    def bias(size: str) -> str:
        name = next(biases)
        declared[name] = f"vector {size}"
        return name

    def function() -> str:
        kind = draw(st.sampled_from(KINDS))
        if kind == "tanh" and draw(st.booleans()):
            return r"\tanh"
        name = next(functions)
        declared[name] = f"function {kind}"
        return name

    inside, source, classes = "n_1", "n_2", "n_3"
    sizes = [inside, draw(st.sampled_from([inside, "n_4"]))][:count]
    x, states = vector(source), [vector(n) for n in sizes]
    equations = []
    for number, (s, n) in enumerate(zip(states, sizes, strict=True)):
        lag = draw(st.integers(1, 2))
        terms = [f"{weight(n, n)} {at(s, lag)}"]
        if number == 0 or draw(st.booleans()):
            terms.append(f"{weight(n, source)} {at(x)}")
        if count == 2:
            now = number == 1 and draw(st.booleans())
            terms.append(f"{weight(n, sizes[1 - number])} {at(states[1 - number], 0 if now else 1)}")
        if draw(st.booleans()):
            terms.append(bias(n))
        inner = " + ".join(draw(st.permutations(terms)))
        if draw(st.booleans()):
            a = vector(n)
            equations.append(f"{at(a)} = {inner}")
            inner = at(a)
        value = rf"{function()}({inner})"
        gate = draw(st.sampled_from(["none", "none", "leak", "product"]))
        if gate == "leak":
            value = rf"{value} + {at(s, 1)}"
        if gate == "product":
            value = rf"{value} \odot {at(states[0] if number and sizes[0] == n else s, 1)}"
        equations.append(f"{at(s)} = {value}")
    out = " + ".join([f"{weight(classes, sizes[-1])} {at(states[-1])}", *([bias(classes)] if draw(st.booleans()) else [])])
    o, p, y = vector(classes), vector(classes), vector(classes)
    equations.append(f"{at(o)} = {out}")
    head = draw(st.sampled_from(["components", "product", "squared"]))
    if head == "squared":
        equations.append(rf"{at('E')} = \frac{{1}}{{2}} \sum_k ({of(o)} - {of(y)})^2")
    else:
        equations.append(rf"{at(p)} = \mathrm{{softmax}}({at(o)})")
        long = rf"-\sum_k {of(y)} \log {of(p)}"
        short = rf"-{{{at(y)}}}^\top \log {at(p)}"
        equations.append(f"{at('E')} = {long if head == 'components' else short}")
    equations.append(rf"L = \sum_{{t=1}}^{{T}} {at('E')}")
    symbols = "\n".join(f"    {name}: {words!r}" for name, words in declared.items())
    front = [f"  time: {'sup' if sup else 'sub'}", "  symbols:", symbols, f"  targets: ['{y}']",
             f"  loss: {at('E')}", "  total: L"]
    front += [] if head == "squared" else [f"  simplex: ['{y}']"]
    body = "\n\n".join(f"$$\n{e}\n$$" for e in equations)
    return Cell("---\nsymrnn:\n" + "\n".join(front) + f"\n---\n# A cell\n\n{body}\n", count, y)


def close(a: Any, b: Any, tolerance: float) -> bool:
    return bool(np.max(np.abs(np.asarray(a) - np.asarray(b))) <= tolerance * max(1.0, float(np.max(np.abs(b)))))


@fuzz(4)
@given(cell=cells(), data=st.data())
@pytest.mark.slow
def test_a_random_cell_goes_through_everything(cell, data, tmp_path_factory):
    note(cell.text)
    path = tmp_path_factory.mktemp("cells") / "cell.md"
    path.write_text(cell.text, encoding="utf-8")
    model = symrnn.model(path)
    assert model.loss is not None and len(model.states) == cell.states and len(model.inputs) == len(model.targets) == 1
    found = derive(model)
    assert check_trail(found) == []

    every = {name.rpartition(" ")[2]: claim for name, claim in derived(model)}
    assert set(every) == {s.name for s in (*model.variables, *model.inputs, *model.parameters)} - {model.loss}
    for name, claim in every.items():
        verdict = decide(claim, Witnesses(exact=False))
        assert (verdict.word, str(verdict.scope)) == ("proved", "for all sizes and every T"), name
        finite = exact_only(claim)
        assert (finite.finite, finite.all) == ("proved", "agrees"), (name, finite.outcome)

    name = data.draw(st.sampled_from(sorted(every)))
    wrong = [m for _, m in mutants(every[name]) if conflict(m) is None]
    start = data.draw(st.integers(0, len(wrong) - 1))
    different = next((m for m in wrong[start:] + wrong[:start] if compare(m).status == "different"), None)
    assert different is not None and decide(different).word == "refuted", different

    check_code(model, data.draw(st.integers(0, 99)), {n: data.draw(st.integers(1, 2), label=n) for n in model.sizes})


def check_code(model: Model, seed: int, sizes: dict[str, int]) -> None:
    """The emitted module against its own check, finite differences and the unrolled module."""
    looped, unrolled = load(emit(model)), load(emit(model, style="unrolled", steps=2, sizes=sizes))
    with contextlib.redirect_stdout(io.StringIO()):
        assert looped.self_check() < 1e-11
    r = np.random.default_rng(seed)

    def numbers(s: Symbol, *lead: int) -> Any:
        return r.normal(size=(*lead, *(sizes.get(n, n) for n in s.shape if n != 1))) * 0.7
    values = [numbers(s) for s in model.parameters]
    x, y = numbers(model.inputs[0], 2), np.exp(numbers(model.targets[0], 2))
    y /= y.sum(axis=-1, keepdims=True)
    mine = looped.gradients(looped.Params(*values), x, y)
    other = unrolled.gradients(unrolled.Params(*values), x, y)
    assert close(looped.loss(looped.Params(*values), x, y), unrolled.loss(unrolled.Params(*values), x, y), 1e-12)
    for number, value in enumerate(values):
        assert close(mine[number], other[number], 1e-12), model.parameters[number]
        for at in np.ndindex(value.shape):
            sides = []
            for step in (1e-5, -1e-5):
                moved = [v.copy() for v in values]
                moved[number][at] += step
                sides.append(looped.loss(looped.Params(*moved), x, y))
            assert close(mine[number][at], (sides[0] - sides[1]) / 2e-5, 1e-7), (model.parameters[number], at)


TWO_STATES = r"""---
symrnn:
  time: sub
  symbols:
    x: vector n_x, sequence
    m: vector n, sequence
    s: vector n, sequence
    g: vector n, sequence
    q: vector n_y, sequence
    r: vector n_y, sequence
    u: vector n_y, sequence
    A: matrix n n
    B: matrix n n_x
    C: matrix n n
    D: matrix n n
    F: matrix n n
    G: matrix n_y n
    k: index
    t: time
  targets: [u]
  simplex: [u]
  loss: E_t
  total: L
---
# Two states, each of which feeds the other

$$ m_t = B x_t + C g_{t-1} + A s_{t-1} $$

$$ s_t = \sin(m_t) $$

$$ g_t = \tanh(D g_{t-1} + F s_t) $$

$$ q_t = G g_t $$

$$ r_t = \mathrm{softmax}(q_t) $$

$$ E_t = -\sum_k u_{t,k} \log r_{t,k} $$

$$ L = \sum_{t=1}^{T} E_t $$
"""


def test_an_adjoint_of_a_state_that_feeds_another_of_the_same_step_is_proved_for_all_sizes(tmp_path):
    path = tmp_path / "two.md"
    path.write_text(TWO_STATES, encoding="utf-8")
    every = dict(derived(symrnn.model(path)))
    assert len(every) == 12
    assert {decide(claim, Witnesses(exact=False)).word for claim in every.values()} == {"proved"}
