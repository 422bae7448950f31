"""Printing a tree and reading it again gives the same tree, over generated trees in every time style."""

from __future__ import annotations

import pytest
from fuzzing import fuzz
from hypothesis import given
from hypothesis import strategies as st

from symrnn.read.reader import read
from symrnn.read.show import show
from symrnn.read.symbols import TIME_STYLES, SymbolTable
from symrnn.read.tree import ABSENT, Node, num, problems, sym

pytestmark = pytest.mark.slow

SYMBOLS = {
    "h": "vector n, sequence", r"\hat{y}": "vector q, sequence", "u": "vector n", "A": "matrix n n", "W_{hh}": "matrix n n",
    "W^{in}": "matrix n d", r"\alpha": "scalar", r"\lambda": "scalar", "L": "scalar", "f": "function", r"\varphi": "function",
    "F": "vfunction", "t": "time", "i": "index", "j": "index", "k": "index", "n": "size", "q": "size", "d": "size"}
TABLES = {style: SymbolTable.from_mapping({"time": style, "symbols": SYMBOLS}) for style in TIME_STYLES}
T = sym("t")
COUNTS = st.sampled_from([sym("i"), sym("j"), num(1), num(2), Node("Add", (sym("i"), num(1)))])
TIMES = st.sampled_from([T, Node("Add", (T, Node("Neg", (num(1),)))), Node("Add", (T, num(1))), num(0)])
EXPONENTS = st.sampled_from([num(2), sym("i"), Node("Neg", (num(1),)), Node("Add", (sym("n"), Node("Neg", (sym("j"),))))])


@st.composite
def sequences(draw: st.DrawFn) -> Node:
    """A symbol at a time, with components and a layer or without."""
    index = tuple(draw(st.lists(COUNTS, max_size=2)))
    layer = draw(st.sampled_from([None, num(2), sym("j")]))
    return sym(draw(st.sampled_from(["h", "hat(y)"])), time=draw(TIMES), layer=layer, index=index)


LEAVES = st.one_of(
    sequences(),
    st.sampled_from([sym(n) for n in ("u", "A", "W_hh", "W^in", "alpha", "lambda", "L", "n", "h", "t")]),
    st.builds(lambda k: sym("u", index=(k,)), COUNTS),
    st.builds(lambda a, b: sym("W_hh", index=(a, b)), COUNTS, COUNTS),
    st.just(Node("Pow", (Node("Space", ("R",)), sym("n")))),
    st.sampled_from([num(1), num(2), num("0.5"), Node("Zeros"), Node("Ellipsis")]),
)
FUNCTIONS = st.sampled_from([sym("f"), sym("varphi"), sym("tanh"), sym("softmax"), Node("Prime", (sym("f"),)),
                             sym("f", param=(sym("A"),)), sym("log", param=(num(2),)), Node("Inverse", (sym("varphi"),))])
KINDS = ["partial", "d", "total", "immediate"]
RELATIONS = st.sampled_from(["=", ":=", "<=", "!=", "in", "~=", "->", "<-", "+=", "prop"])


def not_numbers(nodes: tuple[Node, ...]) -> bool:
    """Whether a bracket with these items is no interval."""
    return any(n.op not in ("Num", "Neg") for n in nodes)


def compound(x: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    """Every operation of expressions, over smaller expressions."""
    def node(op: str, *parts: st.SearchStrategy) -> st.SearchStrategy[Node]:
        return st.tuples(*parts).map(lambda args: Node(op, args))

    def many(op: str, least: int = 2) -> st.SearchStrategy[Node]:
        return st.lists(x, min_size=least, max_size=3).map(lambda args: Node(op, tuple(args)))

    absent = st.just(ABSENT)
    chain = st.builds(lambda a, r, b: Node("Chain", (a, Node("Rel", (r, b)))), x, RELATIONS, x)
    distinct = st.just(Node("Chain", (sym("k"), Node("Rel", ("!=", sym("i"))))))
    plain = x.filter(lambda n: n.op in ("Sym", "Mul", "Call", "Pow"))
    binary = st.sampled_from(["Dot", "Times", "Star", "Had", "Outer", "Plus", "Div"])
    return st.one_of(
        many("Add"), many("Mul"), node("Neg", x), st.builds(lambda op, a, b: Node(op, (a, b)), binary, x, x),
        node("Pow", x, EXPONENTS), node("Transpose", x), node("Factorial", x), node("Prime", x),
        st.builds(lambda f, args: Node("Call", (f, *args)), FUNCTIONS, st.lists(x, min_size=1, max_size=2)),
        st.builds(lambda a, b: Node("Call", (sym("F"), a, Node("Given", (b,)))), x, x),
        node("Sum", st.just(sym("k")), st.one_of(absent, st.just(num(1))), st.one_of(absent, st.just(sym("n"))), x, absent),
        node("Prod", st.just(sym("k")), absent, st.one_of(absent, st.just(sym("n"))), x, distinct),
        st.builds(lambda k, a, b: Node("Deriv", (k, "1", a, b)), st.sampled_from(KINDS), x, plain),
        st.builds(lambda a, b: Node("Deriv", ("partial", "2", a, b, b)), x, plain),
        node("Grad", st.one_of(absent, plain), x), node("Delta", x), node("Root", x, st.one_of(absent, st.just(num(3)))),
        node("At", x, COUNTS), node("At", x, COUNTS, COUNTS), node("Norm", x), node("Norm", x, st.just(num(2))), node("Abs", x),
        many("Tuple").filter(lambda n: not_numbers(n.nodes)), many("List").filter(lambda n: not_numbers(n.nodes)),
        many("Stack"), many("Set", 1), many("Inner"), node("Differential", st.just("partial"), x),
        st.builds(lambda a, b: Node("Matrix", (Node("Row", (a, b)), Node("Row", (b, a)))), x, x),
        st.builds(lambda a, b, c: Node("Cases", (Node("If", (a, c)), Node("If", (b, Node("Otherwise"))))), x, x, chain),
        node("Indicator", chain), node("Eval", x, chain), node("Slice", sequences().filter(lambda n: len(n.args) == 2),
                                                               st.just(num(2)), st.sampled_from([ABSENT, sym("n")])),
    )


EXPRESSIONS = st.recursive(LEAVES, compound, max_leaves=8)
CHAINS = st.builds(lambda a, rels: Node("Chain", (a, *rels)), EXPRESSIONS,
                   st.lists(st.builds(lambda r, b: Node("Rel", (r, b)), RELATIONS, EXPRESSIONS), min_size=1, max_size=3))
RANGE = Node("Chain", (T, Node("Rel", ("=", Node("Enum", (num(1), Node("Ellipsis"), sym("n")))))))
STATEMENTS = st.one_of(
    EXPRESSIONS, CHAINS,
    CHAINS.map(lambda c: Node("Where", (c, RANGE))),
    st.builds(lambda a, b: Node("Implies", (a, b)), CHAINS, CHAINS),
    st.lists(CHAINS, min_size=2, max_size=3).map(lambda rows: Node("Rows", tuple(rows))),
)


@pytest.mark.parametrize("style", sorted(TIME_STYLES))
@fuzz(50)
@given(tree=STATEMENTS)
def test_what_is_printed_reads_back_as_the_same_tree(style: str, tree: Node):
    printed = show(tree, TABLES[style])
    reading = read(printed, TABLES[style], second=False)
    assert reading.unread is None, (printed, reading.unread)
    assert reading.tree == tree, f"{printed}\n{tree}\n{reading.tree}"


@fuzz(50)
@given(tree=STATEMENTS)
def test_generated_trees_agree_with_the_table_of_operations(tree: Node):
    assert problems(tree) == []
    assert problems(read(show(tree, TABLES["sub"]), TABLES["sub"], second=False).tree) == []
