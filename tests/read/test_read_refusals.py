"""Total or refused: what cannot be read is refused with its place, quickly, and never in part."""

from __future__ import annotations

import pytest
from fuzzing import fuzz
from hypothesis import given
from hypothesis import strategies as st

from symrnn.errors import DeclarationError, Place, ReadError
from symrnn.read.macros import expand, macro_table
from symrnn.read.reader import Unreadable, read
from symrnn.read.symbols import SymbolTable
from symrnn.read.tokens import MAX_TOKENS, Refused, tokenize
from symrnn.read.tree import Node, walk

pytestmark = pytest.mark.slow

TABLE = SymbolTable.from_mapping({"symbols": {
    "h": "vector n, sequence", "W": "matrix n n", "a": "scalar", "b": "scalar", "f": "function"}})


@pytest.mark.parametrize(("latex", "offset", "token"), [
    (r"a + b ) junk", 6, ")"), (r"f(a", 1, "("), (r"{a", 0, "{"), (r"\frac{a}{b", 8, "{"), (r"\left( a \right", 15, ""),
    (r"a +", 3, ""), (r"a = ", 3, ""), (r"= a", 0, "="), (r"a = = b", 4, "="),
    (r"\unknown{a}", 0, r"\unknown"), (r"a $ b", 2, "$"),
    (r"#1", 0, "#"), (r"\begin{align} a", 0, r"\begin"), (r"\begin{align} a \end{gather}", 20, "gather"), (r"a^", 1, "^"),
    (r"a^2^3", 3, "^"), (r"x_{}", 1, "_"), (r"\sum_i^j^k a", 8, "^"), (r"|a", 0, "|"),
    (r"f()()", 3, "("), (r"\hat{a + b}", 0, r"\hat"),
    (r"\int a", 0, r"\int"), (r"a . b", 2, "."), (r"\frac{\partial^n a}{\partial b}", 15, "n"),
    (r"\nabla^2 a", 7, "^"), ("", 0, ""),
    ("% only a comment", 0, ""), (r"\text{if $a$}", 5, "if$a$"), (r"\begin{tikzpicture} a \end{tikzpicture}", 0, "tikzpicture"),
    (r"h^{(t)(t)(t)}", 9, "("), (r"(a, )", 3, ","), (r"a \rangle", 2, r"\rangle"), (r"\not a", 0, r"\not"),
])
def test_what_is_no_formula_is_refused_where_it_goes_wrong(latex: str, offset: int, token: str):
    reading = read(latex, TABLE)
    assert reading.tree is None and reading.alternatives == ()
    assert (reading.unread.offset, reading.unread.token) == (offset, token), reading.unread
    assert reading.unread.hint


HOSTILE = {
    "ten thousand nested braces": "{" * 10_000 + "a" + "}" * 10_000,
    "ten thousand nested brackets": "(" * 10_000 + "a" + ")" * 10_000,
    "fractions in fractions": r"\frac{a}{" * 3_000 + "a" + "}" * 3_000,
    "accents on accents": r"\hat" * 20_000 + "a",
    "a hundred thousand tokens": "a+" * 50_000 + "a",
    "only signs": "-" * 30_000 + "a",
    "sums of sums": r"\sum " * 5_000 + "a",
    "signs of derivation": r"\partial " * 5_000 + "a",
    "primes": "h" + "'" * 15_000,
    "a tower of scripts": "a" + "_{a" * 3_000 + "}" * 3_000,
    "quotients": "a/" * 9_000 + "a",
    "open environments": r"\begin{align}" * 4_000,
    "open angles": r"\langle" * 15_000,
    "bars": "|a" * 9_001,
    "letters d": "d" * 19_000,
    "a null byte": "a\0b",
    "a replacement character": "a\ufffdb",
    "a bell": "a\x07",
    "pictures": "a + \U0001f600",
}


@pytest.mark.usefixtures("no_hang")
@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_input_is_answered(name: str):
    reading = read(HOSTILE[name], TABLE)
    assert (reading.tree is None) == (reading.unread is not None)
    if name != "letters d":
        assert 0 <= reading.unread.offset <= len(HOSTILE[name])


def test_the_nesting_that_is_allowed_is_read_on_a_small_stack():
    latex = r"\left(" * 60 + "a" + r"\right)" * 60
    assert read(latex, TABLE).tree == Node("Sym", ("a",))


@pytest.mark.parametrize("latex", [r"\text{__import__('os').system('x')}", r"\operatorname{exec}(a)", r"\mathrm{eval}(a)",
                                   "9^{9^{9^{9}}}", "(10^8)!"])
def test_nothing_of_a_text_is_evaluated(latex: str):
    reading = read(latex, TABLE)
    assert reading.unread is None
    assert all(isinstance(a, (str, Node)) for node in walk(reading.tree) for a in node.args)


def test_an_undeclared_symbol_is_noted_once_with_its_place():
    reading = read(r"a = q + q", TABLE)
    assert [(n.offset, n.code, n.message) for n in reading.warnings] == [(4, "undeclared", "q is not declared")]


def test_a_refusal_becomes_an_error_with_place_and_hint():
    unread = read("f(a", TABLE).unread
    error = unread.error("f(a", Place("x.md", 3, 4))
    assert isinstance(error, ReadError) and (error.offset, error.token) == (1, "(")
    assert str(error).startswith("x.md:3:4: ReadError")


@given(st.text(alphabet=r"\{}()[]|^_&=+-*/.,;:'!<>$%#~ abhWdt0129" + "\n", max_size=40))
@fuzz(300)
def test_any_text_is_read_or_refused(latex: str):
    reading = read(latex, TABLE, second=False)
    assert (reading.tree is None) == (reading.unread is not None)
    assert reading.unread is None or 0 <= reading.unread.offset <= len(latex)


PIECES = st.sampled_from([
    r"\frac", r"\sum", "_", "^", "{", "}", "h", "t", "a", "(", ")", r"\left(", r"\right)", "=", "&", r"\\", "+",
    r"\partial", r"\nabla", r"\begin{cases}", r"\end{cases}", r"\text{if}", ",", r"\quad", "1", r"\tanh", r"\hat",
    r"\mathbf", "'", r"\top", "d", "[", "]", r"\dots", r"\in", r"\Rightarrow", "W", ";", "!", "-", "|",
])


@given(st.lists(PIECES, max_size=14).map(" ".join))
@fuzz(500)
def test_any_row_of_commands_is_read_or_refused(latex: str):
    reading = read(latex, TABLE, second=False)
    assert (reading.tree is None) == (reading.unread is not None)


# -- macros -------------------------------------------------------------------------------------------------------------
def test_macros_of_the_text_are_expanded_and_errors_point_at_the_call():
    macros = macro_table({r"\Wh": "W h_{t-1}", "pd": [2, r"\frac{\partial #1}{\partial #2}"], r"\bad": "( a"})
    tree = read(r"\pd{a}{W} = \Wh", TABLE, macros=macros).tree
    assert str(tree) == "(Chain (Deriv partial 1 a W) (= (Mul W h{t=(Add t (Neg 1))})))"
    assert read(r"a + \bad", TABLE, macros=macros).unread.offset == 4


@pytest.mark.parametrize("bodies", [{r"\a": r"\a"}, {r"\a": r"\b", r"\b": r"\a"}, {r"\a": r"\b\b\b\b\b\b", **{
    f"\\{x}": f"\\{y}" * 6 for x, y in zip("bcdefghij", "cdefghijk", strict=True)}}])
def test_macros_that_do_not_end_are_refused(bodies: dict[str, str]):
    assert read(r"\a", TABLE, macros=macro_table(bodies)).unread is not None


def test_a_macro_with_a_missing_argument_is_refused():
    with pytest.raises(Refused):
        expand(tokenize(r"\pd{a}"), macro_table({"pd": [2, "#1#2"]}))
    assert len(tokenize("a" * (MAX_TOKENS + 1))) > MAX_TOKENS


def test_a_malformed_macro_is_an_error_of_its_declaration():
    with pytest.raises(DeclarationError):
        macro_table({"x": [10, "a"]})


@pytest.mark.parametrize(("latex", "tree"), [
    (r"\begin{array}{c}{x} \\ {y} \end{array}", "(Matrix (Row x) (Row y))"), (r"\begin{array}{c@{\quad}|r} x & y \end{array}",
    "(Matrix (Row x y))"),
    (r"\begin{array}[t]{*{2}{c}} x & y \end{array}", "(Matrix (Row x y))"),
])
def test_only_the_list_of_columns_of_an_array_is_no_part_of_it(latex: str, tree: str):
    assert str(read(latex, SymbolTable()).tree) == tree


def test_a_list_of_columns_that_is_none_is_refused_with_its_place():
    assert read(r"\begin{array}{x} y \end{array}", SymbolTable()).unread == Unreadable(13, "x", "it is no list of columns such as lcr")


@pytest.mark.parametrize("latex", [r"\parallel W \parallel", r"\left\parallel W \right\parallel", r"\| W \|", r"\lVert W \rVert"])
def test_double_bars_are_a_norm_however_they_are_written(latex: str):
    assert str(read(latex, SymbolTable()).tree) == "(Norm W)"
