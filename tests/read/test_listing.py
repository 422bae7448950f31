"""Listings: NumPy statements become the equations that they compute, with their steps, and what is not known is listed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from symrnn.read.document import Block, parse_document
from symrnn.read.listing import Listing, lift
from symrnn.read.tree import Node, problems, walk


def lifted(code: str, line: int = 1) -> Listing:
    return lift(Block("python", code, line, 0))


def shown(code: str) -> list[str]:
    found = lifted(code)
    assert found.skipped == (), found.skipped
    return [f"{e.target} {e.relation} {e.value}" for e in found.equations]


UNIT = """class Unit:
    def step(self, u):
        # a comment
        self.s = np.tanh(np.dot(self.R, self.s) + self.P @ u + self.c)
        v = self.Q.dot(self.s)
        return v
"""


def test_a_step_with_a_kept_state_is_a_recurrence():
    assert shown(UNIT) == ["s{t=t} = (Call tanh (Add (Mul R s{t=(Add t (Neg 1))}) (Mul P u{t=t}) c))", "v{t=t} = (Mul Q s{t=t})"]
    found = lifted(UNIT)
    assert (found.states, found.inputs, found.parameters) == ({"s"}, {"u"}, {"R", "P", "Q", "c"})


def test_lines_are_those_of_the_document_and_spans_those_of_the_block():
    numbered = "".join(f"{n}\n{line}\n" for n, line in enumerate(UNIT.splitlines(), 1))
    document = parse_document(f"The unit:\n\n{numbered}\nThat is it.\n", "a.txt")
    (block,) = document.code
    found = lift(block)
    assert [(e.line, block.text[slice(*e.value.span)]) for e in found.equations] == [
        (10, "np.tanh(np.dot(self.R, self.s) + self.P @ u + self.c)"), (12, "self.Q.dot(self.s)")]
    assert [str(e.value) for e in found.equations] == [str(e.value) for e in lifted(UNIT).equations]
    assert list(found) == [(e.target, e.value, e.line) for e in found.equations]


def test_the_spans_count_characters_also_after_other_letters():
    code = "    é = α + W @ h\n"
    (equation,) = lifted(code).equations
    assert [code[slice(*n.span)] for n in equation.value.nodes] == ["α", "W @ h"]


def test_an_argument_that_is_updated_and_returned_is_a_state():
    assert shown("def cell(s, u):\n    s = np.tanh(A @ s + B @ u)\n    return s, C @ s\n") == [
        "s{t=t} = (Call tanh (Add (Mul A s{t=(Add t (Neg 1))}) (Mul B u{t=t})))", "cell = (Tuple s{t=t} (Mul C s{t=t}))"]


def test_a_name_of_a_function_beside_an_attribute_of_that_name_gets_a_mark():
    assert shown("def f(self, u):\n    s = self.A @ self.s + u\n    self.s = s\n") == [
        "s'{t=t} = (Add (Mul A s{t=(Add t (Neg 1))}) u{t=t})", "s{t=t} = s'{t=t}"]


def test_empty_containers_side_by_side_say_nothing():
    assert shown("def f(u):\n    xs, ys = {}, []\n    for t in range(9):\n        xs[t] = A @ u[t]\n") == ["xs{t=t} = (Mul A u{t=t})"]


def test_the_letter_of_a_loop_is_the_time():
    assert shown("for k in range(1, N):\n    z = A @ s[k-1] + B @ u[k]\n    s[k] = np.tanh(z)\n") == [
        "z{t=k} = (Add (Mul A s{t=(Add k (Neg 1))}) (Mul B u{t=k}))", "s{t=k} = (Call tanh z{t=k})"]


@pytest.mark.parametrize(("turns", "before"), [
    ("range(N)", "(Add t (Neg 1))"), ("reversed(range(N))", "(Add t 1)"), ("range(N - 1, -1, -1)", "(Add t 1)"),
    ("reversed(range(N, 0, -1))", "(Add t (Neg 1))")])
def test_what_a_loop_carries_comes_from_the_turn_before(turns: str, before: str):
    assert shown(f"for t in {turns}:\n    d = A.T @ d + e[t]\n    dA += np.outer(d, s[t])\n") == [
        f"d{{t=t}} = (Add (Mul (Transpose A) d{{t={before}}}) e{{t=t}})", "dA += (Mul d{t=t} (Transpose s{t=t}))"]


@pytest.mark.parametrize(("code", "expected"), [
    ("np.multiply(a, b)", "(Had a b)"), ("a * b", "(Star a b)"), ("2 * b", "(Mul 2 b)"), ("a - b", "(Add a (Neg b))"),
    ("np.exp(o) / np.sum(np.exp(o))", "(Div (Call exp o) (Call sum (Call exp o)))"), ("-np.log(p)", "(Neg (Call log p))"),
    ("np.zeros((n, m))", "(Zeros n m)"), ("np.zeros_like(a)", "Zeros"), ("a ** 2", "(Pow a 2)"), ("np.square(a)", "(Pow a 2)"),
    ("a[0]", "a{i=1}"), ("A[i, 2]", "A{i=(Add i 1), 3}"), ("a[2:p]", "(Slice a 3 p)"), ("a[1:]", "(Slice a 2 Absent)"),
    ("np.sqrt(a)", "(Root a Absent)"), ("np.transpose(A) @ b", "(Mul (Transpose A) b)"), ("expit(a)", "(Call sigmoid a)"),
    ("g(a, b)", "(Call g a b)"), ("net.step(a)", "(Call net.step a)"), ("[0.5, -1.25]", "(List 0.5 (Neg 1.25))"),
    ("torch.sigmoid(a)", "(Call sigmoid a)"), ("np.maximum(0, a)", "(Call max 0 a)"), ("np.linalg.matmul(A, B)", "(Mul A B)"),
    ("np.inner(a, b)", "(Mul (Transpose a) b)"),
])
def test_each_construct_has_its_notation(code: str, expected: str):
    assert shown(f"q = {code}") == [f"q = {expected}"]


@pytest.mark.parametrize(("code", "reason"), [
    ("q = [f(x) for x in xs]", "listcomp"), ("q = np.einsum('ij,j', A, b)", "constant"), ("q = np.sum(a, axis=0)", "names"),
    ("q = a[::2]", "step"), ("q = a[-1]", "end"), ("q = a[:-1]", "end"), ("q = A[:, 0]", "axes"), ("if a:\n    q = 1", "if"),
    ("q = a if b else c", "ifexp"), ("for x in xs:\n    q = x", "range"), ("q = np.fft(a)", "fft"), ("q = a // b", "binop"),
    ("q = q + 1", "before it is assigned"), ("p = q\nq = 2", "before it is assigned"), ("q = W x", "parsed"),
    ("def f(x):\n    x = x / 255\n    return A @ x", "overwritten"), ("q += a\nq = q * 2", "increased and assigned"),
    ("for t in range(N):\n    q = a[t]\nr = q", "not known here"), ("def f(self, c):\n    return c + self.c", "one name"),
    ("q = lambda x: x", "lambda"), ("q = True", "constant"),
])
def test_what_is_not_known_is_listed_and_not_guessed(code: str, reason: str):
    found = lifted(code, 7)
    assert reason in found.skipped[0].reason
    assert 7 <= found.skipped[0].line <= 9
    names = {n.head for e in found.equations for n in walk(e.target) if n.op == "Sym"}
    assert names <= {"p", "f"} or found.equations[0].relation == "+=" or "range(N)" in code


def test_what_depends_on_something_unknown_is_listed_too():
    found = lifted("a = B @ c\nd = [x for x in a]\ne = d + a\nf = a + a\n")
    assert [str(e.target) for e in found.equations] == ["a", "f"]
    assert [s.line for s in found.skipped] == [2, 3]


def test_imports_texts_and_empty_containers_are_no_statements_about_anything():
    assert shown('import numpy as np\n"""A text."""\nhs = {}\nys = []\n') == []


PROGRAMS = [
    "a = W @ x\nb = np.tanh(a)\na = b + a\nc = a * b\n",
    "a = W @ x\na += x\na += 2 * x\n",
    "a = x\nb = a\na = W @ b\nb = a - b\na, b = b, a\nc = a - 2 * b\n",
    "a = x ** 2\na /= 2\nb = -a / (1 + a)\n",
    "a = np.outer(x, x) @ x\nb = W.T.dot(a) - np.multiply(x, a)\nb *= x\n",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_equations_have_the_values_that_the_program_computes(program: str):
    """Names that are assigned several times have one equation, which holds for their last value."""
    values = {"W": np.array([[0.5, -1.0], [0.25, 2.0]]), "x": np.array([0.3, -0.7])}
    run = {**values, "np": np}
    exec(program, run)
    found = lifted(program)
    assert found.skipped == ()
    targets = [e.target.head for e in found.equations]
    assert sorted(targets) == sorted(set(targets)) == sorted(set(run) - {"W", "x", "np", "__builtins__"})
    for equation in found.equations:
        left, right = (np.asarray(value(n, run), dtype=float).squeeze() for n in (equation.target, equation.value))
        assert np.allclose(left, right, rtol=1e-12), (equation, left, right)


def value(n: Node, names: dict) -> np.ndarray:
    """The value of a tree with vectors as columns."""
    if n.op == "Sym":
        found = names[n.head]
        return found.reshape(-1, 1) if found.ndim == 1 else found
    if n.op == "Num":
        return np.array([[float(n.head)]])
    parts = [value(a, names) for a in n.nodes if a.op not in ("Absent",) and not (n.op == "Call" and a is n.nodes[0])]
    product = lambda a, b: a * b if 1 in (a.size, b.size) else a @ b                                                  # noqa: E731
    table = {"Add": lambda: sum(parts[1:], parts[0]), "Neg": lambda: -parts[0], "Star": lambda: math.prod(parts[1:], start=parts[0]),
             "Mul": lambda: product(*parts), "Had": lambda: parts[0] * parts[1], "Div": lambda: parts[0] / parts[1],
             "Pow": lambda: parts[0] ** parts[1], "Transpose": lambda: parts[0].T, "Call": lambda: np.tanh(parts[0])}
    return table[n.op]()


@pytest.mark.parametrize("program", [UNIT, *PROGRAMS])
def test_every_tree_agrees_with_the_table_of_operations(program: str):
    assert [problems(e.equation) for e in lifted(program).equations if problems(e.equation)] == []


@pytest.mark.parametrize("code", ["", "\x00", "(" * 500, "x = " + "(" * 300 + "1" + ")" * 300, "1\n2\n3\n", "def f(:\n"])
def test_no_text_makes_it_fail(code: str):
    assert lifted(code).equations in ((),) or lifted(code).skipped == ()
