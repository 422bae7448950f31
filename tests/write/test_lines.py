"""Formulas as pieces: what is printed from them sets like the formula, lines are as narrow as they can be, nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzzing import fuzz
from hypothesis import given
from hypothesis import strategies as st
from math_core import LatexError, LatexToMathML

from symrnn.read.document import load_document
from symrnn.report.mathml import tree
from symrnn.write.lines import WIDEST, Layout, Segment, broken, filled, layout, rows_of
from symrnn.write.pieces import Unclosed, latex, pieces, width

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*(ROOT / "derivations").glob("*.md"), *(ROOT / "symrnn" / "zoo").glob("*.md")])
SET = LatexToMathML(fancy_error=False, allow_unreliable_rendering=True)
LONG = " + ".join(rf"W_{{{k}}} \tanh(a_{{{k}}})" for k in range(400))


def mathml(source: str) -> str | None:
    """What a formula sets as, rows within rows taken together; None if it is no LaTeX."""
    try:
        return SET.convert_with_local_state(source, displaystyle=True).replace("<mrow>", "").replace("</mrow>", "")
    except LatexError:
        return None


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.stem)
def test_a_formula_printed_from_its_pieces_sets_like_the_formula(path):
    for span in load_document(path).spans:
        if mathml(span.latex) is not None:
            assert mathml(latex(pieces(span.latex))) == mathml(span.latex), span.latex


@pytest.mark.parametrize("source", [r"\frac{a}{", "a}", r"\begin{aligned} a", "x^", r"\begin{a} x \end{b}", "{" * 99 + "}" * 99])
def test_what_does_not_close_has_no_tree_and_stays_as_it_is(source):
    with pytest.raises(Unclosed):
        pieces(source)
    assert broken(source, 1.0) == source


ATOMS = st.sampled_from(["x", "h_t", r"W^\top", r"\alpha", r"\hat{y}_{t,i}", r"\frac{a}{b}", "12"])
FORMULAS = st.recursive(ATOMS, lambda inner: st.one_of(
    st.lists(inner, min_size=2, max_size=4).map(" + ".join), st.lists(inner, min_size=2, max_size=3).map(" ".join),
    inner.map(lambda x: rf"\tanh({x})"), inner.map(lambda x: rf"\left( {x} \right)^2"), inner.map(lambda x: rf"[{x}] \odot {x}")),
    max_leaves=25)


def leaves(found: tuple[Segment, ...]) -> list[Segment]:
    """The segments that have no parts."""
    return [leaf for s in found for leaf in (leaves(s.parts) if s.parts else [s])]


@fuzz(200)
@given(FORMULAS)
def test_the_parts_of_a_segment_are_the_segment(source):
    row = layout(f"y = {source}", widest=10_000).rows[0]
    loose = [(r"\biggl", r"\left"), (r"\biggr", r"\right"), (r"\bigl", r"\left"), (r"\bigr", r"\right")]
    text = "".join(s.latex for s in leaves(row.segments))
    for size, own in loose:
        text = text.replace(size, own)
    assert text.replace(" ", "") == latex(pieces(f"y = {source}")).replace(" ", "")


@fuzz(200)
@given(FORMULAS, st.sampled_from([8.0, 15.0, 30.0]))
def test_no_line_is_wider_than_the_limit_unless_it_is_one_piece(source, limit):
    row = layout(f"y = {source}").rows[0]
    least = max(s.width for s in leaves(row.segments))
    for line in filled(row, limit):
        assert width(pieces(line)) <= max(limit - row.left_width, least) + 0.01


def test_a_formula_of_ten_thousand_characters_is_broken_into_lines_of_the_page():
    source = rf"\frac{{\partial L}}{{\partial W}} = {LONG}"
    assert len(source) > 8_000
    lines = broken(source, 38.0).splitlines()[1:-1]
    assert len(lines) > 50
    assert all(width(pieces(line.replace("&", "").removesuffix(r" \\").strip())) <= 40 for line in lines)


def test_brackets_within_brackets_are_broken_from_the_outside():
    deep = "x"
    for k in range(200):
        deep = rf"\tanh(W_{{{k % 10}}} {deep} + b)" if k < 40 else deep
    lines = rows_of(layout(f"h = {deep}"), 20.0)
    assert len(lines) > 10 and all(width(pieces(right)) <= 22 for _, right in lines)


def test_what_cannot_be_broken_and_is_too_wide_has_a_name():
    found = layout(rf"y = \frac{{{LONG}}}{{2}} + \sqrt{{{LONG}}}")
    assert [name for name, _ in found.names] == [r"\mathsf{P}_{1}", r"\mathsf{P}_{2}"]
    assert found.rows[0].latex == r"y = \frac{\mathsf{P}_{1}}{2} + \sqrt{\mathsf{P}_{2}}"
    assert all(s.width <= WIDEST for s in parts(found))
    assert r"\text{where } \mathsf{P}_{1}" in broken(rf"y = \frac{{{LONG}}}{{2}}", 40.0)


def parts(found: Layout) -> list[Segment]:
    """The pieces of all rows that are not broken."""
    own = [leaf for row in found.rows for leaf in leaves(row.segments)]
    return own + [leaf for _, of in found.names for leaf in parts(of)]


def test_a_name_is_none_that_the_formula_has():
    assert layout(rf"\mathsf{{P}} = \frac{{{LONG}}}{{2}}").names[0][0] == r"\mathsf{Q}_{1}"


@pytest.mark.parametrize(("source", "rows"), [
    (r"\begin{align*} a &= b \\ &= c \end{align*}", [("a", "= b"), ("", "= c")]),
    (r"\begin{align} a & = b \\ = c & = d \end{align}", [("a", "= b"), ("", "= c = d")]),
    (r"\begin{gather} a = b \\ c = d \end{gather}", [("a", "= b"), ("c", "= d")]),
    (r"\begin{aligned} a &= b, & c &= d \end{aligned}", [("a", "= b, \\qquad c = d")]),
    (r"a = b \\ c = d", [("a", "= b"), ("c", "= d")]),
    (r"f(x = 1) = 2", [("f(x = 1)", "= 2")]),
    (r"- x + y", [("", "- x + y")]),
    (r"a = b \label{eq:x} \nonumber", [("a", "= b")]),
])
def test_the_rows_of_a_display_are_aligned_at_their_relations(source, rows):
    assert [(row.left, " ".join(s.latex for s in row.right)) for row in layout(source).rows] == rows


def test_a_tag_is_read_and_what_only_dresses_a_formula_is_passed_over():
    found = layout(r"\htmlClass{a}{x} = \color{red} y \tag{3.1}")
    assert (found.tag, found.rows[0].latex) == ("3.1", "{x} = y")
    assert rows_of(found, 40.0) == [("{x}", r"= y \qquad \text{(3.1)}")]


@pytest.mark.parametrize("source", ["W x", r"\tanh(\sigma(x))", r"\log y", r"\sum_{t=1}^T x_t", r"\partial L"])
def test_a_function_a_sum_and_a_bracket_stay_with_what_they_apply_to(source):
    narrow = [s.latex for s in leaves(layout(source).rows[0].segments)]
    assert all(not s.endswith(("\\tanh", "\\log", "\\partial", "(", "T}")) for s in narrow)


def test_every_line_of_a_broken_formula_can_be_set():
    source = rf"y = \left( {LONG} \right)^2 + \exp\left[ \frac{{a}}{{b}} + {LONG} \right]"
    for left, right in rows_of(layout(source), 30.0):
        assert tree(left) is not None and tree(right) is not None
