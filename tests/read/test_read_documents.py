"""Markdown documents: which text is mathematics, where it stands exactly, and what is a directive."""

from __future__ import annotations

from pathlib import Path

import pytest

from symrnn.errors import DocumentError
from symrnn.read.document import Document, load_document, parse_document

TEXT = r"""---
title: A note
symrnn: {time: sup, symbols: {h: "vector n, sequence"}}
---
# The model

The state \(h_t\) costs $5 and $6, not `$x$`; $`c`$ and $d_t$
hold. An escaped \$a\$ is text.

\[ h_t =
   x_t \]

$$
y_t = h_t
$$

```{audit} first
:expect: refuted
:label: eq

$$ h_t = h_{t-1} $$
```

~~~{derive} \partial L/\partial W
~~~

```{audit}
a_t = b_t

c_t
= d_t
```

```python
x = "$not mathematics$"
```

```math
E = m
```

<!-- symrnn: time: sub -->
<!-- $not this either$ -->

\begin{align} a &= b \\ c &= d \end{align}
"""


@pytest.fixture
def document() -> Document:
    return parse_document(TEXT, "note.md")


def test_every_delimiter_is_found_and_nothing_else(document: Document):
    assert [(s.kind, s.latex) for s in document.spans] == [
        ("inline", "h_t"), ("inline", "c"), ("inline", "d_t"), ("display", "h_t =\n   x_t"), ("display", "y_t = h_t"),
        ("display", "h_t = h_{t-1}"), ("block", "a_t = b_t"), ("block", "c_t\n= d_t"), ("block", "E = m"),
        ("block", r"\begin{align} a &= b \\ c &= d \end{align}")]


def test_positions_are_exact(document: Document):
    lines = TEXT.split("\n")
    for span in document.spans:
        assert TEXT[span.offset : span.offset + len(span.latex)] == span.latex
        assert lines[span.line - 1][span.column - 1 :].startswith(span.latex.split("\n")[0])
        assert lines[span.end_line - 1][: span.end_column - 1].endswith(span.latex.split("\n")[-1])
        place = document.place(span.offset)
        assert (place.path, place.line, place.column) == ("note.md", span.line, span.column)


def test_directives_have_arguments_options_and_the_spans_of_their_bodies(document: Document):
    first, derive, second = document.directives
    assert (first.name, first.argument, dict(first.options)) == ("audit", "first", {"expect": "refuted", "label": "eq"})
    assert (derive.name, derive.argument, derive.body) == ("derive", r"\partial L/\partial W", "")
    assert TEXT[derive.argument_offset :].startswith(derive.argument)
    assert TEXT[first.body_offset :].startswith(first.body) and TEXT[first.offset :].startswith("```{audit}")
    assert [s.directive for s in document.spans] == [None] * 5 + [0, 2, 2] + [None] * 2


def test_settings_code_comments_and_headings_are_kept(document: Document):
    assert document.settings["time"] == "sup"
    assert [(b.name, b.text) for b in document.code] == [("python", 'x = "$not mathematics$"\n')]
    assert [c.text for c in document.comments] == ["symrnn: time: sub", "$not this either$"]
    assert [(h.name, h.text, h.line) for h in document.headings] == [("1", "The model", 5)]
    assert document.problems == ()


def test_the_prose_before_a_span_stands_beside_it(document: Document):
    assert document.spans[0].prose_before == "# The model The state"
    assert document.spans[3].prose_before.startswith("hold. An escaped")


@pytest.mark.parametrize(("text", "spans"), [
    ("it costs $5 and $6", []), ("$a$ and $b$", ["a", "b"]), ("a $ b $ c", []), ("$20,000 to $30,000 a year", []),
    ("from $x$5 on", []), ("$$a$$", ["a"]), ("$a\n\nb$", []), (r"$a \$ b$", [r"a \$ b"]), ("$a\nb$", ["a\nb"]), ("``$a$``", []),
    (r"\\(a\\)", []), ("", []), (r"\(a \\ b\)", [r"a \\ b"]),
])
def test_money_is_no_mathematics(text: str, spans: list[str]):
    assert [s.latex for s in parse_document(text, "x.md").spans] == spans


@pytest.mark.parametrize(("text", "spans"), [
    (r"$ h_t = \tanh(x_t$", [r"h_t = \tanh(x_t"]), ("$h_t = x_t $ and $ y_t = h_t$", ["h_t = x_t", "y_t = h_t"]),
    ("$h_t = x_t and $y_t = h_t$\n\n$z$", ["$h_t = x_t and $y_t = h_t$", "z"]), ("costs $5 while $ h_t = x_t$", ["h_t = x_t"]),
    ("$h_t = f(x_t, where ($y_t = h_t$) holds", ["h_t = f(x_t, where (", "y_t = h_t$) holds"]), ("$h_t = 2", ["$h_t = 2"]),
    ("costs $5 (x = 3)\n\n$y$", ["y"]), ("with $CUDA_VERSION = 12", []), (r"a \$ b_t $x$", ["x"]),
])
def test_a_formula_with_one_dollar_too_few_is_not_passed_over(text: str, spans: list[str]):
    assert [s.latex for s in parse_document(text, "x.md").spans] == spans


def test_what_is_not_closed_is_a_problem_with_its_place():
    document = parse_document("a\n<!-- $$ b $$\n", "x.md")
    assert document.spans == () and document.problems == ((2, 1, "a comment is not closed, and what follows it is not read"),)


def test_line_ends_of_other_systems_and_marks_of_order_keep_positions(tmp_path: Path):
    path = tmp_path / "x.md"
    path.write_bytes(b"\xef\xbb\xbfa\r\n$h_t$\r\n\xff $y$\r\n")
    document = load_document(path, "x.md")
    assert [(s.latex, s.line, s.column) for s in document.spans] == [("h_t", 2, 2), ("y", 3, 4)]


@pytest.mark.parametrize(("text", "line"), [
    ("---\nsymrnn: {a: [}\n---\n", 2), ("---\nsymrnn: 3\n---\n", 1), ("a\n\n```{audit}\n$$ a $$\n", 3),
])
def test_a_malformed_document_is_an_error_with_its_line(text: str, line: int):
    with pytest.raises(DocumentError) as caught:
        parse_document(text, "x.md")
    assert caught.value.where.line == line and caught.value.next_step


def test_a_missing_file_and_an_unknown_format_are_errors(tmp_path: Path):
    with pytest.raises(DocumentError):
        load_document(tmp_path / "none.md")
    with pytest.raises(DocumentError):
        parse_document("", "x.docx")
