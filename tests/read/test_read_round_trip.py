"""Printing a tree and reading it again gives the same tree, over generated trees in every time style."""

from __future__ import annotations

import pytest
from fuzzing import fuzz
from hypothesis import given
from hypothesis import strategies as st

from symrnn.read.reader import read
from symrnn.read.show import show
from symrnn.read.symbols import TIME_STYLES, SymbolTable
from symrnn.read.tree import ABSENT, OPS, Node, num, problems, sym

pytestmark = pytest.mark.slow

SYMBOLS = {
    "h": "vector n, sequence", r"\hat{y}": "vector q, sequence", "u": "vector n", "A": "matrix n n", "W_{hh}": "matrix n n",
    "W^{in}": "matrix n d", r"\alpha": "scalar", r"\lambda": "scalar", "L": "scalar", "f": "function", r"\varphi": "function",
    "F": "vfunction", "t": "time", "i": "index", "j": "index", "k": "index", "n": "size", "q": "size", "d": "size"}
TABLES = {style: SymbolTable.from_mapping({"time": style, "symbols": SYMBOLS, "gradients": [r"\delta"]}) for style in TIME_STYLES}
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
    st.sampled_from([num(1), num(2), num("0.5"), Node("Zeros"), Node("Ones"), Node("Ellipsis"), Node("Text", ("some words",))]),
)
FUNCTIONS = st.sampled_from([sym("f"), sym("varphi"), sym("tanh"), sym("softmax"), Node("Prime", (sym("f"),)),
                             sym("f", param=(sym("A"),)), sym("log", param=(num(2),)), Node("Inverse", (sym("varphi"),))])
KINDS = ["partial", "d", "total", "immediate"]
RELATIONS = st.sampled_from(["=", ":=", "<=", "!=", "in", "~=", "->", "<-", "+=", "prop"])


def not_numbers(nodes: tuple[Node, ...]) -> bool:
    """Whether a bracket with these items is no interval."""
    return any(n.op not in ("Num", "Neg") for n in nodes)


def compounds(x: st.SearchStrategy[Node]) -> dict[str, list[st.SearchStrategy[Node]]]:
    """Every operation of expressions, over smaller expressions."""
    def node(op: str, *parts: st.SearchStrategy) -> st.SearchStrategy[Node]:
        return st.tuples(*parts).map(lambda args: Node(op, args))

    def many(op: str, least: int = 2) -> st.SearchStrategy[Node]:
        return st.lists(x, min_size=least, max_size=3).map(lambda args: Node(op, tuple(args)))

    absent, one = st.just(ABSENT), st.just(num(1))
    chain = st.builds(lambda a, r, b: Node("Chain", (a, Node("Rel", (r, b)))), x, RELATIONS, x)
    distinct = st.just(Node("Chain", (sym("k"), Node("Rel", ("!=", sym("i"))))))
    equal = st.just(Node("Chain", (sym("i"), Node("Rel", ("=", sym("k"))))))
    plain = x.filter(lambda n: n.op in ("Sym", "Mul", "Call", "Pow"))
    functions = st.sampled_from([sym("f"), sym("varphi")])
    k, n = st.just(sym("k")), st.just(sym("n"))
    return {
        "Add": [many("Add"), st.builds(lambda a, b: Node("Add", (a, Node("PlusMinus", (b,)))), x, x)], "Mul": [many("Mul")],
        "Neg": [node("Neg", x)], **{op: [node(op, x, x)] for op in ("Dot", "Times", "Star", "Had", "Outer", "Plus", "Div")},
        "Compose": [st.builds(lambda f, a: Node("Call", (f, a)), node("Compose", functions, functions), x)],
        "Pow": [node("Pow", x, EXPONENTS)],
        **{op: [node(op, x)] for op in ("Transpose", "Factorial", "Prime", "Abs", "Floor", "Ceil")},
        "Delta": [node("Delta", x)], "Root": [node("Root", x, st.one_of(absent, st.just(num(3))))],
        "Call": [st.builds(lambda f, args: Node("Call", (f, *args)), FUNCTIONS, st.lists(x, min_size=1, max_size=2)),
                 st.builds(lambda a, b: Node("Call", (sym("F"), a, Node("Given", (b,)))), x, x),
                 st.just(Node("Call", (sym("f"), Node("Slot"))))],
        "Sum": [node("Sum", k, st.one_of(absent, one), st.one_of(absent, n), x, absent)],
        "Prod": [node("Prod", k, absent, st.one_of(absent, n), x, distinct)],
        "Deriv": [st.builds(lambda kind, a, b: Node("Deriv", (kind, "1", a, b)), st.sampled_from(KINDS), x, plain),
                  st.builds(lambda a, b: Node("Deriv", ("partial", "2", a, b, b)), x, plain)],
        "Grad": [node("Grad", st.one_of(absent, plain), x)], "Differential": [node("Differential", st.just("partial"), x)],
        "Gradient": [st.builds(lambda by: Node("Gradient", ("delta", by)), st.sampled_from([sym("h", time=T), sym("u"), sym("A")]))],
        "At": [node("At", x, COUNTS), node("At", x, COUNTS, COUNTS)], "Norm": [node("Norm", x), node("Norm", x, st.just(num(2)))],
        **{op: [many(op).filter(lambda n: not_numbers(n.nodes))] for op in ("Tuple", "List")},
        "Interval": [st.sampled_from([Node("Interval", (marks, num(0), num(1))) for marks in ("[]", "()", "[)", "(]")])],
        "Stack": [many("Stack")], "Set": [many("Set", 1)], "Inner": [many("Inner")],
        "Matrix": [st.builds(lambda a, b: Node("Matrix", (Node("Row", (a, b)), Node("Row", (b, a)))), x, x)],
        "Cases": [st.builds(lambda a, b, c: Node("Cases", (Node("If", (a, c)), Node("If", (b, Node("Otherwise"))))), x, x, chain)],
        "Indicator": [node("Indicator", chain), node("Indicator", equal)], "Eval": [node("Eval", x, chain)],
        "Slice": [node("Slice", sequences().filter(lambda n: len(n.args) == 2), st.just(num(2)), st.sampled_from([ABSENT, sym("n")]))],
    }


def compound(x: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    """Some operation over smaller expressions."""
    return st.one_of(*(one for forms in compounds(x).values() for one in forms))


EXPRESSIONS = st.recursive(LEAVES, compound, max_leaves=8)
CHAINS = st.builds(lambda a, rels: Node("Chain", (a, *rels)), EXPRESSIONS,
                   st.lists(st.builds(lambda r, b: Node("Rel", (r, b)), RELATIONS, EXPRESSIONS), min_size=1, max_size=3))
RANGE = Node("Chain", (T, Node("Rel", ("=", Node("Enum", (num(1), Node("Ellipsis"), sym("n")))))))
STATEMENTS = st.one_of(
    EXPRESSIONS, CHAINS,
    CHAINS.map(lambda c: Node("Where", (c, RANGE))),
    st.builds(lambda op, a, b: Node(op, (a, b)), st.sampled_from(["Implies", "Iff", "Seq"]), CHAINS, CHAINS),
    st.lists(CHAINS, min_size=2, max_size=3).map(lambda rows: Node("Rows", tuple(rows))),
)


def test_trees_of_every_operation_are_generated():
    parts = {"Sym", "Time", "Layer", "Index", "Param", "Num", "Space", "Zeros", "Ones", "Text", "Ellipsis", "Slot", "Absent", "Inverse",
             "Given", "PlusMinus", "Row", "If", "Otherwise", "Enum", "Chain", "Rel", "Implies", "Iff", "Where", "Seq", "Rows"}
    assert set(OPS) == parts | set(compounds(LEAVES))


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
