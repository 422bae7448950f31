"""latex2sympy2 in its two jobs: the second grammar of the skeleton, and reading back scalar rows that symrnn printed."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest
import sympy
from fuzzing import fuzz
from hypothesis import given
from hypothesis import strategies as st

from symrnn.claims import check_claim
from symrnn.errors import LimitError, ReadError
from symrnn.read.l2s import read_back, second_opinion
from symrnn.read.reader import read
from symrnn.read.skeleton import Item, own_grammar
from symrnn.read.symbols import SymbolTable
from symrnn.read.tokens import Refused
from symrnn.read.tree import ABSENT, Node, num, sym

pytestmark = pytest.mark.slow

LETTERS = [Item("atom", (k, k + 1), nodes=(sym(name),)) for k, name in enumerate("abc")]
OPERATORS = [Item("op", (0, 1), text) for text in ("+", "-", "Dot", "Times", "Had", "Div", "PlusMinus", "Star")]
SCRIPTS = [Item("post", (0, 1), "Pow", (num(2),)), Item("post", (0, 1), "Transpose"), Item("post", (0, 1), "Prime")]
BIG = [Item("big", (0, 1), "Sum", (sym("i"), num(1), sym("n"), ABSENT)),
       Item("big", (0, 1), "Prod", (sym("i"), ABSENT, ABSENT, ABSENT))]
DERIVATION = [Item("atom", (0, 1), nodes=(Node("Deriv", ("partial", "1", Node("Slot"), sym("x"))),))]


@given(st.lists(st.sampled_from(LETTERS * 4 + OPERATORS + SCRIPTS + BIG + DERIVATION), min_size=1, max_size=9))
@fuzz(300)
@pytest.mark.slow
def test_the_two_grammars_agree_on_every_skeleton_without_loose_functions(items: list[Item]):
    try:
        own = own_grammar(items)
    except Refused:
        with pytest.raises(Refused):
            second_opinion(items)
        return
    assert second_opinion(items) == own


@pytest.mark.parametrize(("latex", "other"), [
    (r"\log a \cdot b", "(Call log (Dot a b))"), (r"\tanh a / b", "(Call tanh (Div a b))"),
])
def test_where_the_grammars_differ_both_trees_are_kept(latex: str, other: str):
    reading = read(latex, SymbolTable.from_mapping({"symbols": {"a": "scalar", "b": "scalar"}}))
    assert reading.ambiguous and [str(tree) for tree in reading.alternatives] == [other]
    assert "two-grammars" in {note.code for note in reading.warnings}
    assert read(latex, SymbolTable(), second=False).alternatives == ()


def test_nothing_of_the_second_grammar_evaluates():
    tree = read("9^{9^{9^{9}}} + (10^8)!", SymbolTable()).tree
    assert str(tree) == "(Add (Pow 9 (Pow 9 (Pow 9 9))) (Factorial (Pow 10 8)))"


@pytest.mark.parametrize("latex", [
    r"\frac{\exp\left(o_{1}\right)}{\exp\left(o_{1}\right) + \exp\left(o_{2}\right)}", r"1 - \tanh^{2}\left(a_{1}\right)",
    r"- p_{1} \ln\left(q_{1}\right)", r"W_{hh} h^{2} + \frac{x}{2}", r"i j + \alpha",
])
def test_scalar_rows_are_read_back_with_their_value(latex: str):
    expression = read_back(latex)
    names = sorted(expression.free_symbols, key=str)
    values = {s: sympy.Rational(k + 2, 3) for k, s in enumerate(names)}
    assert expression.subs(values).evalf(30).is_real
    assert names and "I" not in str(expression)


def test_a_row_that_is_read_back_is_the_printed_expression():
    o = sympy.symbols("o_1:4")
    softmax = sympy.exp(o[0]) / sum(map(sympy.exp, o))
    back = read_back(sympy.latex(softmax.diff(o[1])).replace(r"e^{o_{1}}", r"\exp\left(o_{1}\right)").replace(
        r"e^{o_{2}}", r"\exp\left(o_{2}\right)").replace(r"e^{o_{3}}", r"\exp\left(o_{3}\right)"))
    values = {s: sympy.Rational(k, 7) for k, s in enumerate(o)}
    by_name = {str(s): v for s, v in values.items()}
    value = back.subs({s: by_name[str(s)] for s in back.free_symbols})
    assert abs((value - softmax.diff(o[1]).subs(values)).evalf(30)) < 1e-25


@pytest.mark.parametrize("latex", [
    r"\text{__import__('os')}", r"\gcd(10, 3)", r"9^{9^{9}}", r"\int x", "e + d", "a; b", r"\log x",
    "1" * 40, r"\binom{8}{4}", "a = b ) c",
    r"\begin{bmatrix} 1 \end{bmatrix}", "x__import__", "a $ b", r"\variable{a}", "a + b )",
])
def test_what_symrnn_does_not_print_is_not_read_back(latex: str):
    with pytest.raises(ReadError):
        read_back(latex)


def test_reading_back_is_stopped_after_its_time():
    assert threading.current_thread() is threading.main_thread()
    with pytest.raises(LimitError):
        read_back(" + ".join(rf"\frac{{x_{{{k}}}}}{{\exp\left(y_{{{k}}}\right)}}" for k in range(150)), seconds=0.05)
    assert str(read_back("x")) == "x"


def test_the_reader_needs_neither_sympy_nor_the_grammar_to_be_imported():
    code = "import sys, symrnn.read.reader, symrnn.read.document; print({'sympy', 'antlr4', 'latex2sympy2'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "set()"


@pytest.mark.parametrize(("claim", "expected"), [
    (r"\log a \cdot b = \log a + \log b", "undecided"), (r"\log a \cdot b = b \log a", "conditional"),
    (r"\log a \cdot b = 2 b \log a", "refuted"), (r"(\log a) \cdot b = b \log a", "proved"), (r"\log(a) b = b \log a", "proved"),
])
def test_a_verdict_stands_under_the_readings_of_both_grammars_or_names_the_one(claim: str, expected: str):
    checked = check_claim(claim, shapes={"a, b": "scalar"})
    assert checked.verdict == expected
    named = {r.verdict.readings for r in checked.equation.relations} != {()}
    assert named is (expected in ("undecided", "conditional"))
