"""The stand-alone checker: what it establishes, what it refuses, and that it has nothing in common with symrnn."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from networks import elman, identities

import symrnn
from bench.alterations import alterations, claim_of, rehashed
from bench.certificates import true_all_the_same
from symrnn.certificates import Place, Source, certify, plain
from symrnn.expr import (
    SCALAR,
    Expr,
    Index,
    Symbol,
    Time,
    apply,
    delta,
    entry,
    index_sum,
    lift,
    node,
    quotient,
    softmax,
    symbol,
    time_sum,
    total,
)
from symrnn.model import FIRST, LAST, Model, param, scalar, sequence
from symrnn.prove.claim import Claim, Condition
from symrnn.prove.decide import decide
from symrnn.repair.mutants import mutants
from symrnn.standalone import symrnn_check as checker

ROOT = Path(symrnn.__file__).parent
CHECKER = Path(checker.__file__)
NONE = Model("none", ())
HERE = Source(Place(1, 1, "the formula"))


def everything(claim: Claim) -> bool:
    """Whether the checker establishes a claim for all sizes and every T; None where it is outside."""
    try:
        return checker.Prover(checker.Statement(plain(claim)), b"test").everything()
    except checker.Outside:
        return False


def certificate(claim: Claim) -> dict[str, Any]:
    """The certificate of the verdict on a claim, as it is read from its file."""
    made = certify(claim, decide(claim), HERE)
    assert made is not None
    value: dict[str, Any] = json.loads(made.text)
    return value


def refusal(value: Any) -> str:
    """Why a certificate is refused."""
    with pytest.raises(checker.Refused) as caught:
        checker.check(value if isinstance(value, str) else json.dumps(value))
    return str(caught.value)


# ------------------------------------------------------------------------------------------------------------ nothing in common
def test_it_runs_alone_where_symrnn_cannot_be_imported(tmp_path):
    alone = tmp_path / "symrnn_check.py"
    alone.write_bytes(CHECKER.read_bytes())
    A, v = param("A", "n", "m"), param("v", "n")
    file = tmp_path / "a.json"
    file.write_text(json.dumps(certificate(Claim((v.T @ A).T, A.T @ v, NONE))), encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", "-S", str(alone), str(file)], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert "holds for all sizes and every T" in done.stdout and f"not checked: {checker.NOT_CHECKED}" in done.stdout


def test_it_imports_the_standard_library_alone():
    tree = ast.parse(CHECKER.read_text(encoding="utf-8"))
    names = {a.name for x in ast.walk(tree) if isinstance(x, ast.Import) for a in x.names}
    names |= {str(x.module) for x in ast.walk(tree) if isinstance(x, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= sys.stdlib_module_names


def functions(path: Path) -> set[str]:
    """The functions of more than one statement, without their names and texts."""
    found = set()
    for x in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(x, ast.FunctionDef):
            body = [s for s in x.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
            if len(body) > 1:
                found.add("\n".join(ast.dump(s) for s in body))
    return found


def test_it_shares_no_function_with_symrnn():
    own = functions(CHECKER)
    others = [p for p in ROOT.rglob("*.py") if p != CHECKER]
    assert len(own) > 50 and others and not any(own & functions(p) for p in others)


# --------------------------------------------------------------------------------------------------------- planted counterexamples
n, m = node("size", attr="n"), node("size", attr="m")
x, y, z = (symbol(name, ("n", 1), "parameter") for name in "xyz")
A = symbol("A", ("n", "n"), "parameter")
i, j, k = (Index(name, "n") for name in "ijk")
X = sequence("x", kind="input")
ONE = lift(1)

FALSE_AT_LARGER_SIZES = {
    "one size less is not enough": (total(x) * total(y), x.T @ y),
    "two sizes less are not enough": (total(x) * total(y) * total(z) + 2 * total(x * y * z),
                                      total(x * y) * total(z) + total(x * z) * total(y) + total(y * z) * total(x)),
    "a size that occurs as a number": (n, ONE),
    "a size whose polynomial has two roots": ((n - 1) * (n - 2), lift(0)),
    "free indices count": (entry(A, i, j), entry(A, j, i)),
    "every size alone, with the other at 1": (n * m, n + m - 1),
    "the argument of a function is a sum": (apply("?f", index_sum(k, entry(x, k))), apply("?f", entry(x, i))),
    "two sums that are equal at size 1": (apply("tanh", A @ x), apply("tanh", total(A) * x)),
    "a denominator that is a sum": (quotient(total(x), total(x)) + (n - 1) * (n - 2) * total(y), ONE),
    "the norm of a softmax times its size": (softmax(x).T @ softmax(x) * n, ONE),
    "a sum of equal terms": (index_sum(i, delta(i, j)) * n, ONE),
}


@pytest.mark.parametrize("name", FALSE_AT_LARGER_SIZES)
def test_what_holds_at_small_sizes_alone_is_not_established(name):
    left, right = FALSE_AT_LARGER_SIZES[name]
    claim = Claim(left, right, NONE)
    assert not everything(claim)
    assert decide(claim).word != "proved"


def over(low: Time, high: Time, body: Expr) -> Expr:
    return time_sum("t", low, high, body)


first, last = (node("sym", attr=Symbol("x", SCALAR, "input", step)) for step in (FIRST, LAST))
FALSE_FOR_LARGER_T = {
    "two terms of the sum": (over(FIRST, LAST, X), node("sym", attr=Symbol("x", SCALAR, "input", FIRST))),
    "the number of steps as a number": ((node("steps") - 1) * (node("steps") - 2), lift(0)),
    "a term that sees both ends": (over(FIRST, LAST, X * (last - first)), (last - first) * (first + last)),
    "a sum times a sum": (over(FIRST, LAST, X) * over(FIRST, LAST, X), over(FIRST, LAST, X * X)),
}


@pytest.mark.parametrize("name", FALSE_FOR_LARGER_T)
def test_what_holds_for_small_t_alone_is_not_established(name):
    assert not everything(Claim(*FALSE_FOR_LARGER_T[name], NONE))


def test_what_a_linear_state_satisfies_at_the_first_steps_alone_is_not_established():
    g = scalar("g")
    doubled = Model.build("doubled", [(g, 2 * g[-1])])
    start, end = (node("sym", attr=Symbol("g", SCALAR, "variable", step)) for step in (Time("", 0), LAST))
    product = lift(1)
    for n in range(1, 9):
        product = product * (end - 2 ** n * start)
    assert not everything(Claim(product, lift(0), doubled))


def test_a_softmax_of_the_opposite_is_not_taken_for_the_opposite():
    o = param("o", "n")
    m = param("M", "n", "n")
    assert not everything(Claim(softmax(m @ o) + softmax(-1 * (m @ o)), 0 * o, NONE))
    assert everything(Claim(apply("tanh", m @ o) + apply("tanh", -1 * (m @ o)), 0 * o, NONE))


def test_a_claim_that_fails_only_far_from_the_ends_is_not_established():
    h = scalar("h")
    model = Model.build("sum", [(h, h[-1] + X)], initial="zero")
    assert not everything(Claim(h, X + X[-1] + X[-2], Model.build("s", [(h, h[-1] + X), (scalar("g"), X[-2])], initial="zero")))
    assert everything(Claim(h - h[-2], X + X[-1], model))


def test_a_claim_that_fails_at_the_first_step_only_is_not_established():
    h = scalar("h")
    model = Model.build("start", [(h, h[-1] + X)])
    first = node("sym", attr=Symbol("h", SCALAR, "variable", Time("", 1)))
    start = node("sym", attr=Symbol("h", SCALAR, "variable", Time("", 0)))
    x1 = node("sym", attr=Symbol("x", SCALAR, "input", Time("", 1)))
    assert everything(Claim(first, start + x1, model)) and not everything(Claim(first, x1, model))


# ------------------------------------------------------------------------------------------------------------ what is established
MODELS = [elman("tanh", "softmax", "cross-entropy"), elman("sigmoid", "id", "squared")]
TRUTHS = [pytest.param(claim, id=f"{model.name}: {name}") for model in MODELS for name, claim in identities(model) if "log of" not in name]


@pytest.mark.parametrize("claim", TRUTHS)
def test_what_is_derived_of_a_network_is_established_for_all_sizes_and_every_t(claim):
    assert everything(claim)


@pytest.mark.parametrize("claim", TRUTHS)
def test_no_mutant_of_it_is_established_unless_it_is_true(claim):
    for _, mutant in list(mutants(claim))[::31]:
        statement = plain(mutant)
        try:
            established = checker.Prover(checker.Statement(statement), b"test").everything()
        except (checker.Outside, checker.Refused):
            established = False
        assert not established or decide(mutant).word == "proved", repr(mutant)


def test_a_condition_is_needed_where_it_is_needed():
    o, t = param("o", "n"), param("y", "n")
    left = total(apply("exp", o)) * total(t)
    one = Condition("simplex", ("y",))
    assert everything(Claim(left, total(apply("exp", o)), NONE, conditions=(one,)))
    assert not everything(Claim(left, total(apply("exp", o)), NONE))


def test_the_statement_is_read_back_as_the_claim_it_was():
    for claim in (p.values[0] for p in TRUTHS):
        again = claim_of(plain(claim))
        assert (again.left, again.right, again.model.equations) == (claim.left, claim.right, claim.model.equations)


# --------------------------------------------------------------------------------------------------------------- altered certificates
def samples() -> list[dict[str, Any]]:
    truths = dict(identities(MODELS[0]))
    false = [mutant for kind, mutant in mutants(truths["gradient of W"]) if decide(mutant).counterexample][:2]
    return [certificate(c) for c in (truths["state Jacobian"], truths["adjoint of a"], *false, Claim(A @ x, (x.T @ A).T, NONE))]


@pytest.mark.parametrize("value", samples(), ids=["state Jacobian", "adjoint", "false gradient", "another", "false product"])
def test_an_altered_certificate_is_refused_unless_what_it_states_is_true(value):
    assert checker.check(json.dumps(value)).full
    kinds = set()
    for kind, altered in alterations(value):
        kinds.add(kind)
        assert "the hash of the certificate" in refusal({**altered, "hash": "0" * 64})
        try:
            checker.check(json.dumps(altered))
        except checker.Refused:
            continue
        assert true_all_the_same(altered), (kind, altered)
    assert len(kinds) >= 4


# --------------------------------------------------------------------------------------------------------------------------- refused
def base() -> dict[str, Any]:
    return certificate(Claim(A @ x, (x.T @ A).T, NONE))


def with_node(number: int, row: Any) -> dict[str, Any]:
    value = base()
    value["statement"]["nodes"][number] = row
    return rehashed(value)


HOSTILE = {
    "no JSON": "{",
    "nested too deeply": "[" * 100_000,
    "a floating-point number": '{"a": 1.5}',
    "not a number": '{"a": NaN}',
    "a key twice": '{"a": 1, "a": 2}',
    "a list": "[]",
    "another format": {**base(), "format": "x"},
    "a key too many": {**base(), "more": 1},
    "a size of 0": with_node(0, ["sym", [], {"name": "A", "shape": [0, "n"], "kind": "parameter", "time": None}]),
    "a shape of a wrong type": with_node(0, ["sym", [], {"name": "A", "shape": [1.0, None], "kind": "parameter", "time": None}]),
    "an unknown operation": with_node(0, ["system", [], None]),
    "a node that uses itself": with_node(0, ["transpose", [0], None]),
    "a size that is huge": rehashed({**base(), "evidence": {**base()["evidence"], "sizes": {"n": 10**9}}}),
    "nothing about the reading": {**base(), "not_established": []},
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_certificate_is_refused_with_a_reason(name):
    assert len(refusal(HOSTILE[name])) > 10


def test_a_deep_tree_is_refused():
    value = base()
    nodes = value["statement"]["nodes"]
    for _ in range(3000):
        nodes.append(["transpose", [len(nodes) - 1], None])
    assert "nested too deeply" in refusal(rehashed(value))


def test_a_computation_that_takes_too_long_is_given_up():
    letters = [Index(f"i{depth}", "n") for depth in range(12)]
    body = lift(1)
    for letter in letters:
        body = body * entry(x, letter)
    for letter in letters:
        body = index_sum(letter, body)
    claim = Claim(body, body + 1, NONE)
    value = {**certificate(Claim(n * n, lift(1), NONE)), "statement": plain(claim)}
    long = [{"name": "x", "step": None, "rows": [["1"]] * 9}]
    assert "too long" in refusal(rehashed({**value, "evidence": {**value["evidence"], "sizes": {"n": 9}, "values": long}}))


def test_with_the_document_the_claim_must_stand_where_it_says(tmp_path):
    document = "First line.\n\nLet $A x = x^T A$ be.\n"
    claim = Claim(A @ x, (x.T @ A).T, NONE)
    made = certify(claim, decide(claim), Source(Place(3, 6, "A x = x^T A"), "a.md"))
    assert made is not None
    assert any("line 3" in line for line in checker.check(made.text, document).lines)
    with pytest.raises(checker.Refused, match="line 3, column 6"):
        checker.check(made.text, document.replace("Let", "Then"))


# ------------------------------------------------------------------------------------------------------------------------ arithmetic
@pytest.mark.parametrize("name", ["exp", "log", "tanh", "sigmoid", "softplus", "sin", "cos", "sinh", "cosh", "sqrt", "recip"])
@pytest.mark.parametrize("q", ["1/3", "7/2", "1/1000", "20"])
def test_an_enclosure_holds_the_value_to_60_digits(name, q):
    import mpmath

    with mpmath.workdps(80):
        u = mpmath.mpf(Fraction(q).numerator) / Fraction(q).denominator
        exact = {"sigmoid": lambda u: 1 / (1 + mpmath.exp(-u)), "softplus": lambda u: mpmath.log(1 + mpmath.exp(u)),
                 "recip": lambda u: 1 / u}.get(name, getattr(mpmath, name, None))(u)
        checker.Interval.bits = 256
        found = checker.Reals({}).function(name, checker.Interval.of(Fraction(q)))
        low, high = (mpmath.mpf(v) / mpmath.mpf(2) ** 256 for v in (found.low, found.high))
        assert low <= exact <= high and high - low < mpmath.mpf(10) ** -60 * (1 + abs(exact))
