"""Bad input in every format: broken files, other encodings, bombs of macros, deep nesting and noise: an error or a row, nothing lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fuzzing import fuzz
from hypothesis import example, given
from hypothesis import strategies as st

from symrnn.audit import audit_document
from symrnn.errors import DocumentError
from symrnn.read.definitions import own
from symrnn.read.document import load_document, parse_document
from symrnn.read.formats import FORMATS
from symrnn.read.macros import expand
from symrnn.read.tokens import Refused, tokenize

SUFFIXES = [suffix for row in FORMATS for suffix in row.suffixes[:1]]
FORMULA = {".tex": "$h_t$", ".html": r"\(h_t\)", ".py": "# $h_t$"}


def text_of(suffix: str, words: str = "") -> str:
    """A text in a format that says some words and has one formula."""
    inner = f"{words} " + FORMULA.get(suffix, "$h_t$")
    if suffix == ".py":
        inner = f"# {words}\n# $h_t$\n"
    return json.dumps({"cells": [{"cell_type": "markdown", "source": inner}]}, ensure_ascii=False) if suffix == ".ipynb" else inner + "\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_text_in_any_unicode_encoding_is_read(suffix: str, encoding: str, tmp_path: Path):
    path = tmp_path / f"x{suffix}"
    path.write_bytes(text_of(suffix, "The state é of a unit").encode(encoding))
    (span,) = load_document(path).spans
    assert span.latex == "h_t" and "é" in span.prose_before


@pytest.mark.parametrize(("suffix", "head"), [
    (".tex", "\\usepackage[latin1]{inputenc}\n"), (".html", '<meta charset="iso-8859-1">'), (".py", "# -*- coding: latin-1 -*-\n"),
])
def test_an_encoding_that_a_text_declares_is_used(suffix: str, head: str, tmp_path: Path):
    path = tmp_path / f"x{suffix}"
    path.write_bytes((head + text_of(suffix, "L'état")).encode("latin-1"))
    assert "L'état" in load_document(path).text


def test_an_encoding_that_nobody_knows_is_an_error_with_its_line(tmp_path: Path):
    path = tmp_path / "x.py"
    path.write_bytes(b"#!x\n# coding: klingon\n\xe9")
    with pytest.raises(DocumentError) as caught:
        load_document(path)
    assert caught.value.came == "klingon" and caught.value.where.line == 2


@pytest.mark.parametrize("suffix", [s for s in SUFFIXES if s != ".ipynb"])
def test_bytes_that_are_no_text_spoil_only_the_formula_that_they_stand_in(suffix: str, tmp_path: Path):
    path = tmp_path / f"x{suffix}"
    good, bad = text_of(suffix).encode(), text_of(suffix).encode().replace(b"h_t", b"h_\xff")
    null = text_of(suffix).encode().replace(b"h_t", b"h_\0")
    path.write_bytes(good + b"\n" + bad + b"\n" + null + b"\n" + good)
    judged = audit_document(path)
    assert [e.verdict for e in judged.equations] == [None, "unreadable", "unreadable", None]


@pytest.mark.parametrize(("text", "line"), [
    ("", 1), ("{", 1), ('{"cells":\n[}', 2), ("[" * 100_000, 1), ('{"cells": [' + '{"a":' * 100_000, 1), ("null", 1), ("{}", 1), ("\0", 1),
])
def test_a_file_that_is_no_notebook_is_an_error_with_its_line(text: str, line: int):
    with pytest.raises(DocumentError) as caught:
        parse_document(text, "x.ipynb")
    assert caught.value.where.line == line and caught.value.next_step


@pytest.mark.parametrize(("path", "text", "kept"), [
    ("x.tex", "\\begin{align} h_t = x_t\n\nThen $y$.", ["\\begin{align} h_t = x_t", "y"]), ("x.tex", "$$ h_t\n\n$y$", ["$$ h_t", "y"]),
    ("x.tex", "\\end{align} $y$ \\) \\] } {", ["y"]), ("x.tex", "\\[ h_t = {x \\]\n\n$y$", ["\\[ h_t = {x \\]", "y"]),
    ("x.html", "<math><mi>h</mi> $y$", []), ("x.html", "\\( h_t <b>x</b>\n\n</p></p>$y$", ["\\( h_t x", "y"]), ("x.html", "$y$ <p", ["y"]),
    ("x.rst", ":math:`h_t\n\n:math:`y`", ["y"]), ("x.rst", ".. math::\n   h_t = (\n\n$y$", ["h_t = (", "y"]),
    ("x.py", "'''$h_t$\n", ["h_t"]),
    ("x.md", "```math\nh_t\n\n$y$", ["h_t\n\n$y$"]), ("x.md", "\\begin{align} h_t = x_t\n\n$y$", ["\\begin{align} h_t = x_t", "y"]),
])
def test_what_is_not_closed_is_kept_and_what_follows_is_read(path: str, text: str, kept: list[str]):
    assert [s.latex for s in parse_document(text, path).spans] == kept


@pytest.mark.parametrize(("path", "text", "what"), [
    ("x.tex", "$y$\n\\begin{verbatim}\n$z$", "the environment verbatim"), ("x.html", "$y$\n<script>x", "the element script"),
    ("x.html", "$y$\n<p", "a tag or comment"), ("x.html", "$y$\n<!-- x", "a tag or comment"), ("x.py", "# $y$\n'''x", "a string"),
    ("x.html", "$y$\n<math>", "the element math"),
])
def test_what_hides_the_rest_of_a_text_is_named_with_its_place(path: str, text: str, what: str):
    document = parse_document(text, path)
    assert [s.latex for s in document.spans][0] == "y"
    assert document.problems == ((2, 1, f"{what} is not closed, and what follows it is not read"),)


NESTED = {
    ".md": ["`````{note}\n" * 300 + "`````\n" * 300, "\n".join("`" * k + "{note}" for k in range(500, 3, -1)), "> " * 5000 + "$h_t$",
            "[" * 9000, "```" * 3000, "$" * 9001],
    ".tex": ["{" * 9000 + "$h_t$" + "}" * 9000, "\\section{" * 2000 + "$h_t$" + "}" * 2000, "\\begin{a}" * 3000, "\\footnote{" * 3000,
             "\\[" * 5000, "\\iffalse " * 3000 + "\\fi " * 3000, "\\def\\a{" * 3000 + "}" * 3000],
    ".html": ["<div>" * 9000 + "$h_t$", "<h1>" * 5000, "<pre>" * 5000, "<math>" * 5000, "<p<p" * 5000, "<a b='" * 5000, "&" * 9000,
              "<" * 9000],
    ".ipynb": [json.dumps({"cells": [{"cell_type": "markdown", "source": "$" * 5000}] * 20})],
    ".rst": ["\n".join(" " * k + ".. note::" for k in range(400)), "\n".join(" " * k + "x::" for k in range(400)), ":math:`" * 3000,
             "=\n" * 4000],
    ".py": ["(" * 9000 + "'''$h_t$'''", "'''" * 3001, "\"'" * 4000, "# " * 5000, "#\n" * 4000, "r'''\\" * 3000],
    ".txt": ["h_t = \\tanh(" * 2000, "\\begin{cases}\n" * 300, "{" * 9000],
}


@pytest.mark.parametrize(("suffix", "text"), [(suffix, text) for suffix, texts in NESTED.items() for text in texts],
                         ids=lambda x: x if x in NESTED else None)
def test_deep_nesting_is_gone_through_without_recursion(suffix: str, text: str):
    for span in parse_document(text, f"x{suffix}").spans:
        assert span.line >= 1 and span.column >= 1 and (span.end_line, span.end_column) > (span.line, span.column)


PARTS = st.sampled_from([
    "$", "$$", "\\(", "\\)", "\\[", "\\]", "`", "```", "```math\n", "{", "}", "\\begin{align}", "\\end{align}", "\\\\", "&", "%", "\n",
    "\n\n", " ", "<p>", "</p>", "<math>", "</math>", "<script type='math/tex'>", "</script>", "<!--", "-->", "&lt;", "<pre>", "</pre>",
    "<img class=tex alt='", "'", '"', "'''", '"""', "#", ".. math::", "   ", ":math:`", "::", "---\n", "h_t", "= x", "\\x",
    "\\def\\x#1{", "\\newcommand{\\x}[1]{",
    "\\input{x}", "\\section{", "\\verb|", "\0", "\ufffd", "é", "\u2028", "\r", "\x0c", "(", ")", "[", "]", ":label: a\n", "(eq)",
    "{#eq-a}"])


@pytest.mark.parametrize("suffix", SUFFIXES)
@fuzz(120)
@given(parts=st.lists(PARTS, max_size=40))
@example(parts=["```math\n", "\\begin{align}"])
def test_noise_is_an_error_or_spans_with_places_in_the_text(suffix: str, parts: list[str]):
    text = "".join(parts)
    source = json.dumps({"cells": [{"cell_type": "markdown", "source": text}]}) if suffix == ".ipynb" else text
    try:
        document = parse_document(source, f"x{suffix}")
    except DocumentError:
        return
    lines = text.split("\n")
    for span in document.spans:
        assert document.text[span.offset : span.offset + len(span.latex)] == span.latex
        assert (span.end_line, span.end_column) > (span.line, span.column)
        assert span.column <= len(lines[span.line - 1]) + 1 and span.end_column <= len(lines[span.end_line - 1]) + 1


# --------------------------------------------------------------------------------------------------------------------------- macros
@pytest.mark.parametrize(("definitions", "call", "expected"), [
    (r"\newcommand{\pd}[2][L]{\frac{\partial #1}{\partial #2}}", r"\pd{W}", r"\frac{\partial L}{\partial W}"),
    (r"\newcommand{\pd}[2][L]{\frac{\partial #1}{\partial #2}}", r"\pd[h_t]{W}", r"\frac{\partial h_t}{\partial W}"),
    (r"\newcommand*\W{W_{hh}}", r"\W", "W_{hh}"), (r"\def\g#1#2{#2_#1}", r"\g ab", "b_a"),
    (r"\renewcommand{\vec}[1]{\mathbf{#1}}", r"\vec x", r"\mathbf{x}"),
    (r"\DeclareMathOperator*{\am}{arg\,max}", r"\am", r"\operatorname{arg\,max}"), (r"\let\w\omega", r"\w", r"\omega"),
    (r"\DeclarePairedDelimiter{\n}{\lVert}{\rVert}", r"\n{x}", r"\left\lVert x \right\rVert"),
    (r"\NewDocumentCommand{\d}{O{L} m}{\nabla_{#2} #1}", r"\d{W}", r"\nabla_{W} L"),
    (r"\newcommand{\a}{1} \providecommand{\a}{2}", r"\a", "1"),
    (r"\newcommand{\R}{\ensuremath{\mathbb{R}}}", r"\R", r"\ensuremath{\mathbb{R}}"),
])
def test_a_definition_of_a_text_is_expanded_with_its_arguments(definitions: str, call: str, expected: str):
    assert "".join(t.text for t in expand(tokenize(call), own(definitions))) == expected


@pytest.mark.parametrize(("definitions", "hint"), [
    (r"\def\a{\a}", "more than 32 deep"), (r"\def\a{\b}\def\b{x\a}", "more than 32 deep"),
    (r"\def\a{" + "x" * 15_000 + r"}\def\b{\a\a}", "\\b"),
    ("".join(rf"\def\{chr(97 + k)}{{\{chr(98 + k)}\{chr(98 + k)}}}" for k in range(25)) + r"\def\z{}", "calls of macros"),
    ("".join(rf"\def\{chr(97 + k)}{{\{chr(98 + k)}\{chr(98 + k)}}}" for k in range(25)) + r"\def\z{xyz}", "tokens"),
    (r"\def\a[#1]{x}", "more than plain arguments"), (r"\def\a{1}\def\a{2}", "in two ways"), (r"\newcommand{\a}[2]{#1}", "argument"),
    (r"\NewDocumentCommand{\a}{s t+ m}{x}", "more than plain arguments"),
])
def test_macros_without_end_and_those_that_are_not_read_are_refused_at_the_call(definitions: str, hint: str):
    call = r"y + \b" if hint == "\\b" else r"y + \a"
    with pytest.raises(Refused) as caught:
        expand(tokenize(call), own(definitions))
    assert caught.value.offset == 4 and (hint == "\\b" or hint in caught.value.hint)


def test_a_macro_bomb_leaves_the_rest_of_a_document_alone(tmp_path: Path):
    path = tmp_path / "x.tex"
    path.write_text(r"\def\a{\b\b}\def\b{\a\a} $h_t = \a$ and $x_t$")
    assert [(e.verdict, e.span.column) for e in audit_document(path).equations] == [("unreadable", 27), (None, 42)]


def test_nothing_of_a_text_is_carried_out(tmp_path: Path):
    mark = tmp_path / "mark"
    code = f"open({str(mark)!r}, 'w')"
    system = rf"__import__('os').system('touch {mark}')"
    for name, text in {"a.tex": rf"\write18{{touch {mark}}} $\text{{{system}}}$ \immediate\input{{|touch {mark}}}",
                       "a.html": f"<script>{code}</script><math alttext=\"{code}\"></math>", "a.py": f"{code}\nr'''${code}$'''\n",
                       "a.ipynb": json.dumps({"cells": [{"cell_type": "code", "source": code}]}), "a.rst": f">>> {code}\n"}.items():
        (tmp_path / name).write_text(text)
        audit_document(tmp_path / name)
    assert not mark.exists()
