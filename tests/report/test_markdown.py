"""Markdown reports and the text of documents: what is written is read again as the same, and nothing in it is markup."""

from __future__ import annotations

import pytest
from hostile import HOSTILE, report_of
from markdown_it import MarkdownIt

from symrnn.report.markdown import line, macros, write, write_blocks
from symrnn.report.model import (
    Code,
    CodeText,
    Heading,
    Items,
    Link,
    Maths,
    Paragraph,
    Quote,
    Rule,
    Strong,
    Table,
    Text,
    anchored,
    headings,
)
from symrnn.report.prose import Hole, blocks

TEXTS = ["Plain words.", "A **bold** and *slanted* `code` text.", "- one\n- two\n  - three", "3. one\n4. two", "> quoted\n> more",
         "| a | b |\n| :-- | --: |\n| 1 | 2 |", "```python\nx = 1\n```", "## A heading", "---", "[a](https://example.org) and <https://b.org>",
         "line one\nline two", "1. a\n\n   b\n2. c", r"1\. no list, \# no heading, \* no star, 2 < 3 & \[x](y)"]


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_that_is_written_is_read_again_as_the_same(text):
    once = blocks(text, [])
    assert blocks(write_blocks(once), []) == once


@pytest.mark.parametrize("words", ["<script>alert(1)</script>", "[x](javascript:alert(1))", "# no title", "1. no list", "- no item",
                                   "a_b_c *d*", "2) no list", "`tick`", "&lt;", "![x](y)", "> no quote",
                                   "+ no item", "$x$ costs $5", "~~gone~~", "[a]: b",
                                   "==="])
def test_words_are_no_markup(words):
    shown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(write_blocks((Paragraph((Text(words),)),)))
    escaped = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert shown == f"<p>{escaped}</p>\n"


def test_no_html_of_a_document_reaches_the_page():
    shown = MarkdownIt("commonmark", {"html": True}).enable("table").render(write(report_of(HOSTILE)))
    assert "<script" not in shown and "<img" not in shown and "<style" not in shown and 'href="javascript' not in shown


def test_the_cell_of_a_table_holds_what_would_end_it():
    table = Table(((Text("a|b"),), (Maths("x"),)), (((CodeText("c|d"),), (Text("e"),)),))
    rows = write_blocks((table,)).splitlines()
    assert rows == [r"| a\|b | $`x`$ |", "| :-- | :-- |", r"| `c\|d` | e |"]


@pytest.mark.parametrize(("source", "shown"), [
    (r"\operatorname{diag}(x)", r"\mathrm{diag}(x)"), (r"\begin{align*} a &= b \end{align*}", r"\begin{aligned} a &= b \end{aligned}"),
    (r"\bm{x} \coloneqq \argmax_i y", r"\boldsymbol{x} := \mathop{\mathrm{arg\,max}}_i y"),
    (r"x \label{a} \nonumber \tag{2}", r"x   \qquad (2)"),
    (r"\htmlClass{a}{x}", "{x}"), (r"W^{\changed{\top}}", r"W^{\underline{\top}}"), (r"\bmod", r"\bmod"),
])
def test_macros_that_github_does_not_set_are_written_otherwise(source, shown):
    assert macros(source) == shown


def test_program_text_has_as_many_backticks_as_it_needs():
    assert line((CodeText("a `b` c"),)) == "`` a `b` c ``"
    assert write_blocks((Code("```\nx\n```", "md"),)) == "````md\n```\nx\n```\n````"


# -------------------------------------------------------------------------------------------------------------------- the text
def test_holes_are_filled_where_they_stand():
    text = "Before $x$ after.\n\n$$ y $$\n\nEnd."
    holes = [Hole(text.index("$x$"), text.index("$x$") + 3, inline=(Maths("x"),), after=(Paragraph((Text("said of x"),)),)),
             Hole(text.index("$$ y"), text.index("$$ y") + 7, blocks=(Rule(),), standing=True)]
    assert blocks(text, holes) == (Paragraph((Text("Before "), Maths("x"), Text(" after."))), Paragraph((Text("said of x"),)), Rule(),
                                   Paragraph((Text("End."),)))


def test_a_hole_within_another_is_left_out_and_one_in_program_text_is_as_it_was_written():
    text = "`a $x$ b`\n\n$$ y $z$ $$"
    outer = text.index("$$ y")
    holes = [Hole(3, 6, inline=(Maths("x"),)), Hole(outer, len(text), blocks=(Rule(),), standing=True), Hole(outer + 5, outer + 8)]
    assert blocks(text, holes) == (Paragraph((CodeText("a $x$ b"),)), Rule())


def test_a_display_in_a_list_stays_in_its_item():
    text = "- one $$ y $$ more\n- two"
    (found,) = blocks(text, [Hole(6, 13, blocks=(Rule(),), standing=True)])
    assert isinstance(found, Items) and found.items[0] == (Paragraph((Text("one"),)), Rule(), Paragraph((Text("more"),)))


def test_an_image_is_a_link_and_html_is_text():
    assert blocks("![a](b.png) <b>x</b>", []) == (Paragraph((Link((Text("a"),), "b.png"), Text(" <b>x</b>"))),)


def test_a_heading_within_a_quote_begins_no_section():
    assert blocks("> # A", []) == (Quote((Paragraph((Strong((Text("A"),)),)),)),)


def test_headings_have_anchors_of_their_own_and_skip_no_level():
    given = [Heading((Text(words),), level) for words, level in (("A", 4), ("A", 6), ("eq-1", 2), ("数", 2))]
    found = list(headings(anchored(given)))
    assert [(h.level, h.anchor) for h in found] == [(2, "a"), (3, "a-2"), (2, "section-eq-1"), (2, "section")]


def test_characters_that_stand_for_holes_are_taken_out_of_a_text():
    assert blocks("a \ue0000\ue001 b", []) == (Paragraph((Text("a \ufffd0\ufffd b"),)),)
