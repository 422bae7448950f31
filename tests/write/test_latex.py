r"""LaTeX of expressions: what is printed, and that it reads back to the same meaning."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from fuzzing import fuzz
from hypothesis import given
from hypothesis import strategies as st

from symrnn.expr import (
    NOW,
    OPERATIONS,
    SCALAR,
    Expr,
    Index,
    Time,
    add,
    apply,
    delta,
    derivative,
    diag,
    entry,
    eye,
    had,
    index_sum,
    lift,
    log_sum_exp,
    matmul,
    matrix_power,
    node,
    ones,
    part,
    scale,
    smul,
    softmax,
    stack,
    symbol,
    time_sum,
    total,
    transform,
    transpose,
    walk,
    window,
    zeros,
)
from symrnn.model import FIRST, LAST
from symrnn.prove.algebra import Algebra
from symrnn.prove.lower import Lowering
from symrnn.read.elaborate import Elaborator
from symrnn.read.reader import read
from symrnn.read.scope import Scope
from symrnn.read.symbols import SymbolTable
from symrnn.write.latex import ROWS, latex, terms
from symrnn.write.notation import TIME_FORMS, Notation, declarations

V, W, A = symbol("V", ("m", "n"), "parameter"), symbol("W_hh", ("n", "n"), "parameter"), symbol("A", ("n", "n"), "parameter")
b, s, r = symbol("b_h", ("n", 1), "parameter"), symbol("s", SCALAR, "constant"), symbol("r", SCALAR, "constant")
h, g = symbol("h", ("n", 1), "variable", NOW), symbol("g", ("n", 1), "variable", NOW)
o, q = symbol("o", ("m", 1), "variable", NOW), symbol("hat(y)", ("m", 1), "variable", NOW)
x, z = symbol("x", ("m", 1), "input", NOW), symbol("z_c", ("n", 1), "input", NOW)
u = symbol("u", SCALAR, "input", NOW)
y, loss = symbol("y", ("m", 1), "target", NOW), symbol("loss", SCALAR, "variable", NOW)
i, j = Index("i", "n"), Index("j", "n")
L = symbol("L")
adj_h, grad_W = symbol("h", ("n", 1), "adjoint", NOW), symbol("W_hh", ("n", "n"), "gradient")
SYMBOLS = [e.attr for e in (V, W, A, b, s, r, h, g, o, q, x, u, z, y)]
NAMES = {"loss": r"\ell"}
UNREAD = {"ones", "zeros", "eye", "delta", "size", "vjac", "sqrt"}
"""Operations and functions that are printed and that the reader gives no meaning yet."""


def table(style: str) -> SymbolTable:
    functions = {"f": "function", "F": {"kind": "vfunction", "shape": "n"}}
    counters = {"i": "index", "j": "index", "T": "size", "p": "size", "t": "time", "L": "scalar", "loss": "scalar, sequence"}
    standard = {"step": "function step", "sigma": "function sigmoid"}
    return SymbolTable.from_mapping({"time": style, "symbols": {**declarations(SYMBOLS), **functions, **counters, **standard}})


def read_back(text: str, style: str) -> Expr:
    """The expression that the reader makes of a text that it must read in one way, without a doubt."""
    reading = read(text.replace(r"\ell", r"\mathrm{loss}"), table(style))
    assert reading.tree is not None, (text, reading.unread)
    assert reading.alternatives == (), (text, reading.tree, reading.alternatives)
    scope = Scope(table(style), defined=frozenset({"h", "g", "o", "hat(y)"}), targets=frozenset({"y"}), loss="loss", total="L")
    return Elaborator(scope)(reading.tree)


def canonical(e: Expr) -> Expr:
    """Derivatives of the loss as adjoints and gradients, and the other kinds of derivative that are the same as one."""
    def loss_by(bottom: Expr) -> Expr:
        if bottom.op == "entry":
            return entry(loss_by(bottom.args[0]), *bottom.attr)
        v = bottom.attr
        return symbol(v.name, v.shape, "gradient" if v.time is None else "adjoint", v.time)

    def change(n: Expr) -> Expr | None:
        if n.op != "deriv":
            return None
        if n.args[0] is L:
            return loss_by(n.args[1])
        by_parameter = n.args[1].op == "sym" and n.args[1].attr.kind == "parameter"
        return None if by_parameter else derivative(*n.args, "partial")
    return transform(e, change)


def opaque(e: Expr) -> Expr:
    """Derivatives as symbols, for the normal form."""
    return transform(e, lambda n: symbol(f"[{n!r} {n.attr}]", n.shape, "constant") if n.op == "deriv" and n.shape else None)


def same(left: Expr, right: Expr) -> bool:
    if left is right:
        return True
    if left.shape != right.shape or left.shape is None:
        return False
    algebra = Algebra()
    a, c = (Lowering(algebra)(opaque(canonical(e))) for e in (left, right))
    return a == c


EXAMPLES = [
    (W, r"W_{hh}"),
    (W.T @ h[-1], r"W_{hh}^\top h_{t-1}"),
    (V.T @ (x - y), r"V^\top (x_t - y_t)"),
    (matmul(A, W) @ h, r"A W_{hh} h_t"),
    (transpose(node("matmul", A, W)), r"(A W_{hh})^\top"),
    (1 - h**2, r"1 - h_t^2"),
    (h - h**2, r"h_t - h_t^2"),
    (-h + g, r"-h_t + g_t"),
    (-2 * h - g, r"-2 h_t - g_t"),
    (had(1 - h**2, adj_h), r"(1 - h_t^2) \odot \frac{\partial L}{\partial h_t}"),
    (had(W.T @ h, g), r"(W_{hh}^\top h_t) \odot g_t"),
    (diag(1 - h[1]**2) @ W, r"\mathrm{diag}(1 - h_{t+1}^2) W_{hh}"),
    (adj_h @ h[-1].T, r"\frac{\partial L}{\partial h_t} h_{t-1}^\top"),
    (adj_h.T @ W, r"\left( \frac{\partial L}{\partial h_t} \right)^\top W_{hh}"),
    (smul(matmul(q.T, x), q), r"(\hat{y}_t^\top x_t) \hat{y}_t"),
    (diag(q) - q @ q.T, r"\mathrm{diag}(\hat{y}_t) - \hat{y}_t \hat{y}_t^\top"),
    (-y.T @ apply("log", q), r"-y_t^\top \log \hat{y}_t"),
    (-total(had(y, apply("log", q))), r"-\sum_{i=1}^m y_{t,i} \log \hat{y}_{t,i}"),
    (scale(Fraction(1, 2), total((x - y)**2)), r"\frac{1}{2} \sum_{i=1}^m (x_{t,i} - y_{t,i})^2"),
    (total(A), r"\sum_{i=1}^n \sum_{j=1}^n A_{ij}"),
    (log_sum_exp(o), r"\log \sum_{i=1}^m \exp(o_{t,i})"),
    (log_sum_exp(o) * h, r"\log\left( \sum_{i=1}^m \exp(o_{t,i}) \right) h_t"),
    (softmax(o), r"\mathrm{softmax}(o_t)"),
    (entry(softmax(o), Index("i", "m")), r"\mathrm{softmax}(o_t)_i"),
    (entry(h, i), r"h_{t,i}"), (entry(h, 2), r"h_{t,2}"), (entry(A, i, j), r"A_{ij}"), (entry(W, i, j), r"(W_{hh})_{i,j}"),
    (entry(A, 1, 2), r"A_{1,2}"), (entry(W @ h, i), r"(W_{hh} h_t)_i"), (entry(z, i), r"(z_{c,t})_i"),
    (entry(adj_h, i), r"\frac{\partial L}{\partial h_{t,i}}"),
    (smul(entry(h, i), delta(i, j) - entry(h, j)), r"h_{t,i} (\delta_{ij} - h_{t,j})"),
    (s / r, r"\frac{s}{r}"), (h * (s / (2 * r)), r"\frac{s h_t}{2 r}"), (1 / (1 + s), r"\frac{1}{1 + s}"),
    (had(y, apply("recip", q)), r"y_t \odot \frac{1}{\hat{y}_t}"),
    (s * (h + g), r"s (h_t + g_t)"), (s * lift(3) * 2, r"6 s"), (lift(Fraction(-3, 2)), r"-\frac{3}{2}"),
    (apply("?f'", W @ h + b), r"f'(W_{hh} h_t + b_h)"),
    (apply("relu", h), r"\mathrm{ReLU}(h_t)"), (apply("sqrt", s), r"\sqrt{s}"), (apply("sigmoid", h)**2, r"\sigma(h_t)^2"),
    (index_sum(i, entry(A, i, j) * entry(h, i)), r"\sum_{i=1}^n A_{ij} h_{t,i}"),
    (time_sum("t", FIRST, LAST, loss), r"\sum_{t=1}^T \ell_t"),
    (time_sum("k", FIRST, Time("t"), symbol("h", ("n", 1), "variable", Time("k"))), r"\sum_{k=1}^t h_k"),
    (grad_W, r"\frac{\partial L}{\partial W_{hh}}"),
    (derivative(h, h[-1]), r"\frac{\partial h_t}{\partial h_{t-1}}"),
    (derivative(h, W, "immediate"), r"\frac{\partial^+ h_t}{\partial W_{hh}}"),
    (derivative(h, W, "total"), r"\frac{\mathrm{d} h_t}{\mathrm{d} W_{hh}}"),
    (derivative(h, W, "partial"), r"\frac{\partial h_t}{\partial W_{hh}}"),
    (matrix_power(W, Time("t"), Time("k", 1)), r"W_{hh}^{t-1-k}"),
    (node("inv", A + W), r"(A + W_{hh})^{-1}"), (node("mexp", s * A), r"\exp(s A)"),
    (node("had", A, W), r"A \odot W_{hh}"), (A**2, r"A \odot A"),
    (node("vcall", h[-1], x, attr=("F", ("n", 1))), r"F(h_{t-1}, x_t)"),
    (node("vjac", h[-1], x, attr=("F", ("n", 1), 0)), r"\frac{\partial F(h_{t-1}, x_t)}{\partial h_{t-1}}"),
    (node("vjac", W @ h, x, attr=("F", ("n", 1), 0)), r"\mathrm{D}_1 F(W_{hh} h_t, x_t)"),
    (stack(h, x), r"\begin{bmatrix} h_t \\ x_t \end{bmatrix}"),
    (part(x, 2, "m"), r"x_t[2:m]"),
    (part(x, 1, "m-1"), r"x_t[1:m-1]"),
    (window(u, "p"), r"(u_{t-p+1}, \ldots, u_{t-1}, u_t)"), (window(u[-1], "p"), r"(u_{t-p}, \ldots, u_{t-2}, u_{t-1})"),
    (entry(window(u, "m"), Index("i", "m")), r"u_{t-m+i}"), (entry(window(u[-1], "m"), Index("i", "m")), r"u_{t-m+i-1}"),
    (window(u, 3), r"(u_{t-2}, u_{t-1}, u_t)"), (window(u, 5), r"(u_{t-4}, \ldots, u_{t-1}, u_t)"),
    (window(u, "2*m+1"), r"(u_{t-2 m}, \ldots, u_{t-1}, u_t)"),
    (node("size", attr="n") * s, r"n s"), (node("steps") * s, "T s"), (eye("n") + A, r"I_n + A"), (ones(("n", 1)), r"\mathbf{1}_n"),
    (zeros(("n", "m")), r"\mathbf{0}_{n \times m}"),
    (ones(("n", 1)) * 2 - h, r"2 - h_t"), (node("add", ones(("n", 1)), ones(("n", 1))), r"\mathbf{1}_n + \mathbf{1}_n"),
]


def test_every_operation_of_the_core_has_a_row_and_an_example():
    assert set(ROWS) == set(OPERATIONS)
    assert {n.op for e, _ in EXAMPLES for n in walk(e)} == set(OPERATIONS)


@pytest.mark.parametrize(("e", "text"), EXAMPLES, ids=[text for _, text in EXAMPLES])
def test_an_expression_is_written_with_the_fewest_brackets(e, text):
    assert latex(e, Notation(names=NAMES)) == text


@pytest.mark.parametrize(("e", "style"), [
    pytest.param(e, style, id=f"{text} {style}") for k, (e, text) in enumerate(EXAMPLES) for style in sorted(TIME_FORMS)
    if style in ("sub", "sup") or k % 4 == 0 or "entry" in {n.op for n in walk(e)}])
def test_what_is_written_reads_back_to_the_same_meaning(e, style):
    notations = [Notation(time=style, names=NAMES), Notation(time=style, names=NAMES, gradient="nabla", transpose=r"\intercal",
                                                             diag=(r"\mathrm{diag}", "[", "]"))]
    for text in [latex(e, n) for n in notations]:
        if {unread(n) for n in walk(e)} & UNREAD and not plain_ones(e):
            assert read(text, table(style)).tree is not None or "×" in text or r"\times" in text
        else:
            assert same(read_back(text, style), e), (text, read_back(text, style), e)


def unread(n: Expr) -> str:
    return n.attr if n.op == "apply" else n.op


def plain_ones(e: Expr) -> bool:
    """Whether the only such operation is a one beside a vector, which is written as a number."""
    return {unread(n) for n in walk(e)} & UNREAD == {"ones"} and r"\mathbf" not in latex(e)


def at(name: str, *when: Time) -> list[Expr]:
    known = next(k for k in SYMBOLS if k.name == name)
    return [symbol(name, known.shape, known.kind, t) for t in when]


def vectors() -> st.SearchStrategy[Expr]:
    leaves = st.sampled_from([*at("h", NOW, NOW - 1, LAST), g, b, adj_h, *at("z_c", NOW, LAST)])

    def grow(u: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
        scalars = st.one_of(
            st.sampled_from([s, r, lift(2), lift(Fraction(-1, 3))]), st.builds(lambda a, b: a.T @ b, u, u),
            u.map(total), u.map(log_sum_exp), u.map(lambda a: 1 / (1 + total(a**2))))
        matrices = st.one_of(
            st.sampled_from([W, A, W.T, grad_W]), st.builds(lambda a, b: a @ b.T, u, u), u.map(diag),
            u.map(lambda a: transpose(node("matmul", diag(a), A))))
        functions = st.sampled_from(["tanh", "sigmoid", "log", "recip", "?f", "?f'"])
        return st.one_of(
            st.builds(lambda a, b: a + b, u, u), st.builds(lambda a, b: a - b, u, u), st.builds(had, u, u),
            st.builds(matmul, matrices, u), st.builds(smul, scalars, u), u.map(lambda a: 1 - a), u.map(lambda a: a**2),
            st.builds(apply, functions, u), u.map(softmax))
    return st.recursive(leaves, grow, max_leaves=6)


@fuzz(150)
@given(vectors(), st.booleans(), st.sampled_from(["sub", "sup"]), st.sampled_from(["fraction", "nabla"]))
@pytest.mark.slow
def test_random_expressions_read_back_to_the_same_meaning(e, summed, style, gradient):
    if summed:
        e = e + time_sum("k", FIRST, LAST, had(e, symbol("h", ("n", 1), "variable", Time("k", -1))))
    text = latex(e, Notation(time=style, gradient=gradient))
    assert same(read_back(text, style), e), (text, e)


def test_an_ill_shaped_expression_is_written_as_it_stands():
    assert latex(node("matmul", h, h)) == "h_t h_t"
    assert latex(node("add", node("matmul", h, h), x)) == "h_t h_t + x_t"


def test_signs_fold_into_terms():
    assert terms(add(-h, g, scale(-2, b))) == [("-", "h_t"), ("+", "g_t"), ("-", "2 b_h")]


def test_only_macros_that_github_renders_are_printed():
    text = "\n".join(text for _, text in EXAMPLES) + latex(diag(h), Notation(diag=(r"\mathrm{Diag}", "(", ")")))
    allowed = set(r"""\top \odot \frac \partial \mathrm \left \right \hat \log \sum \exp \delta \sqrt \sigma \ell \mathbf \times
                   \begin \end \tanh \ldots \\""".split())
    assert set(re.findall(r"\\(?:[A-Za-z]+|\\)", text)) <= allowed
    assert r"\operatorname" not in latex(softmax(o), Notation(names={"softmax": r"\operatorname{softmax}"}))
