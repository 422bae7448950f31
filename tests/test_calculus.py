"""Every rule of the reverse sweep is proved for all sizes against index-level differentiation, and checked in numbers."""
from __future__ import annotations

from dataclasses import replace

import pytest
from loops import World, evaluate, far, mp, mpf

from symrnn.calculus import PULLS, Rule, softmax_jacobian
from symrnn.expr import (
    SCALAR,
    Expr,
    Symbol,
    apply,
    derivative,
    diag,
    had,
    log_sum_exp,
    matmul,
    node,
    part,
    scale,
    smul,
    softmax,
    stack,
    symbol,
    total,
    transpose,
)
from symrnn.expr.functions import TABLE
from symrnn.model import Model, sequence
from symrnn.prove.algebra import Algebra
from symrnn.prove.claim import Claim
from symrnn.prove.identity import Prover
from symrnn.prove.lower import Lowering

VECTOR, ROW, TALL, SQUARE = ("n", 1), (1, "n"), ("n", "m"), ("n", "n")
SHAPES = (SCALAR, VECTOR, ROW, TALL, SQUARE)


def q(name: str, shape=VECTOR) -> Expr:
    return symbol(name, shape)


#: op -> expressions whose arguments are distinct symbols A, B; with the rule each argument gets its cotangent.
CASES: dict[str, list[Expr]] = {
    "add": [node("add", q("A", s), q("B", s), q("C", s)) for s in SHAPES],
    "smul": [node("smul", q("A", SCALAR), q("B", s)) for s in SHAPES],
    "matmul": [node("matmul", q("A", a), q("B", b)) for a, b in (
        (TALL, ("m", "k")), (TALL, ("m", 1)), (ROW, TALL), (ROW, VECTOR), (VECTOR, ROW), (SCALAR, ROW), (VECTOR, SCALAR),
        (SQUARE, SQUARE))],
    "had": [node("had", q("A", s), q("B", s)) for s in (VECTOR, ROW, TALL, SQUARE)],
    "transpose": [node("transpose", q("A", s)) for s in (VECTOR, ROW, TALL, SQUARE)],
    "pow": [node("pow", q("A", s), attr=n) for s in (SCALAR, VECTOR, TALL) for n in (-2, -1, 0, 1, 2, 3)],
    "apply": [node("apply", q("A", s), attr=f) for f in (*sorted(TABLE), "?f", "?f'") for s in (SCALAR, VECTOR, TALL)],
    "softmax": [softmax(q("A")), softmax(q("A", (2, 1)))],
    "lse": [log_sum_exp(q("A")), log_sum_exp(q("A", (2, 1)))],
    "sum": [node("sum", q("A", s)) for s in (VECTOR, ROW, TALL, SQUARE)],
    "diag": [diag(q("A")), diag(q("A", (2, 1)))],
    "cat": [stack(q("A"), q("B", ("m", 1))), stack(q("A", SCALAR), q("B"), q("C", ("m", 1))), stack(q("A", ("n+1", 1)), q("B", SCALAR))],
    "slice": [part(q("A"), 1, "n"), part(q("A", ("k+m+n", 1)), "m+1", "m+n"), part(q("A", ("2*n", 1)), "n+1", "2*n"),
              part(q("A", ("n+1", 1)), "n+1", "n+1")],
    "vcall": [node("vcall", q("A"), q("B", ("m", 1)), attr=("G", ("k", 1))), node("vcall", q("A"), q("B", SCALAR), attr=("G",
        VECTOR)),
              node("vcall", q("A"), attr=("G", SCALAR))],
}
EVERY = [pytest.param(e, k, id=f"{e}"[:40] + f" {e.args[0].shape} by {'ABC'[k]}") for cases in CASES.values() for e in cases
         for k in range(len(e.args))]


def cotangent(e: Expr) -> Expr:
    assert e.shape is not None
    return symbol("g", e.shape, "constant")


def by_indices(e: Expr, k: int, A: Algebra, L: Lowering):
    """The derivative of sum(g * e) by argument k, index by index, as a form with the axes of that argument."""
    s: Symbol = e.args[k].attr
    axes = [(x, n) for x, n in zip("rc", s.shape, strict=True) if n != 1]
    slope = A.derivative(L(total(had(cotangent(e), e))), s, ["@" + x for x, _ in axes])
    deltas = [(A.delta("0", "@" + x, n, [("0", n)]), [x]) for x, n in axes]
    return A.contract([(slope, ()), *deltas], axes, {"@" + x: n for x, n in axes})


def proves(rule: Rule, e: Expr, k: int) -> bool:
    A = Algebra()
    L = Lowering(A)
    want = by_indices(e, k, A, L)
    name = symbol("v", e.shape)
    plain = L(rule.pull(e, e, cotangent(e), k)) == want
    named = A.substitute(L(rule.pull(e, name, cotangent(e), k)), {name.attr: L(e)}) == want
    return plain and named


def agrees(rule: Rule, e: Expr, k: int, w: World) -> bool:
    """The rule against central differences."""
    s: Symbol = e.args[k].attr
    h = mpf(10) ** -14
    pulled = evaluate(w, rule.pull(e, e, cotangent(e), k))

    def objective(r: int, c: int, x) -> object:
        return evaluate(replace(w, moved={(s.name, s.kind, None): (r, c, x)}), total(had(cotangent(e), e)))[0][0]
    rows, columns = (w.size(n) for n in s.shape)
    slopes = [[(objective(r, c, h) - objective(r, c, -h)) / (2 * h) for c in range(columns)] for r in range(rows)]
    return bool(far(slopes, pulled) < mpf(10) ** -10)


def test_every_rule_has_a_case_and_every_case_a_rule():
    assert set(CASES) == set(PULLS)
    assert {e.attr for e in CASES["apply"]} >= set(TABLE)


@pytest.mark.parametrize("e, k", EVERY)
def test_every_rule_is_proved_for_all_sizes(e, k):
    assert proves(PULLS[e.op], e, k)


@pytest.mark.parametrize("sizes", [{"n": 2, "m": 3, "k": 2}, {"n": 1, "m": 1, "k": 1}, {"n": 2, "m": 2, "k": 2}], ids=str)
@pytest.mark.parametrize("e, k", EVERY)
def test_every_rule_agrees_with_central_differences(e, k, sizes):
    assert agrees(PULLS[e.op], e, k, World(sizes, positive=frozenset("A") if e.op in ("pow", "apply") else frozenset()))


WRONG = {
    "add": lambda e, v, g, k: 2 * g,
    "smul": lambda e, v, g, k: g if k else total(g),
    "matmul": lambda e, v, g, k: matmul(g, e.args[1]) if k == 0 else matmul(e.args[0], g),
    "had": lambda e, v, g, k: had(g, e.args[k]),
    "transpose": lambda e, v, g, k: g,
    "pow": lambda e, v, g, k: scale(e.attr, had(g, e.args[0] ** e.attr)),
    "apply": lambda e, v, g, k: had(apply(e.attr, e.args[0]), g),
    "softmax": lambda e, v, g, k: had(v, g),
    "lse": lambda e, v, g, k: smul(g, e.args[0]),
    "sum": lambda e, v, g, k: scale(2, PULLS["sum"].pull(e, v, g, k)),
    "diag": lambda e, v, g, k: matmul(g, e.args[0]),
    "cat": lambda e, v, g, k: scale(2, PULLS["cat"].pull(e, v, g, k)),
    "slice": lambda e, v, g, k: scale(2, PULLS["slice"].pull(e, v, g, k)),
    "vcall": lambda e, v, g, k: scale(-1, PULLS["vcall"].pull(e, v, g, k)),
}


@pytest.mark.parametrize("op", PULLS)
def test_a_wrong_rule_is_neither_proved_nor_confirmed_by_numbers(op):
    e = next(e for e in CASES[op] if op not in ("matmul", "transpose") or e.args[0].shape == SQUARE)
    if op == "apply":
        e = apply("tanh", q("A"))
    if op == "pow":
        e = q("A") ** 3
    rule = replace(PULLS[op], pull=WRONG[op])
    assert not proves(rule, e, 0)
    assert not agrees(rule, e, 0, World({"n": 2, "m": 3, "k": 2}))


def test_the_softmax_jacobian_is_diag_p_minus_p_p_transposed_for_any_number_of_classes():
    o, p = sequence("o", "k"), sequence("p", "k")
    model = Model.build("softmax", [(o, sequence("b", "k", kind="input") * 1), (p, softmax(o))])
    assert Prover(Claim(derivative(p, o), softmax_jacobian(p), model)).prove()
    assert not Prover(Claim(derivative(p, o), diag(p) + matmul(p, transpose(p)), model)).prove()
    w = World({"k": 3})
    jac = evaluate(w, softmax_jacobian(softmax(q("A", ("k", 1)))))
    h = mpf(10) ** -14
    for c in range(3):
        up, down = (evaluate(replace(w, moved={("A", "variable", None): (c, 0, x)}), softmax(q("A", ("k", 1)))) for x in (h, -h))
        assert all(mp.fabs((up[r][0] - down[r][0]) / (2 * h) - jac[r][c]) < mpf(10) ** -12 for r in range(3))
