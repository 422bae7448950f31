r"""Formats of documents: one chapter in each of them, formulas at random places found at exactly those, every form of each format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from fuzzing import fuzz
from hypothesis import given
from hypothesis import strategies as st

from symrnn.audit import audit_document
from symrnn.errors import DocumentError
from symrnn.read.document import Document, Span, load_document, parse_document
from symrnn.read.formats import FORMATS

CHAPTERS = sorted((Path(__file__).parents[1] / "corpus" / "formats").glob("unit.*"))
WORDS = ("the state of a unit", "it costs $5 and $6", "where, as before,", "see (3) below; then", "a gate, that is")
FORMULAS = (r"h_t", r"h_t = \tanh(W h_{t-1} + b)", r"\frac{\partial L}{\partial W}", r"y_t = V h_t + c, \quad t = 1, \dots, T",
            r"a < b", r"f \colon x \mapsto x & y", r"\text{if } x > 0", "p_t\n = q_t", r"\begin{pmatrix} a \\ b \end{pmatrix}")


def test_a_chapter_is_there_in_every_format():
    assert {path.suffix for path in CHAPTERS} == {row.suffixes[0] for row in FORMATS}


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.suffix[1:])
def test_the_same_chapter_has_the_same_verdicts_in_every_format(path: Path):
    judged = audit_document(path)
    assert [e.verdict for e in judged.equations] == [*[None] * 6, "proved", "refuted", "proved", "proved", "proved"]
    assert judged.document.problems == ()


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda p: p.suffix[1:])
def test_every_finding_stands_at_its_place_in_the_file(path: Path):
    text = path.read_text(encoding="utf-8")
    cells = ["".join(c["source"]) for c in json.loads(text)["cells"]] if path.suffix == ".ipynb" else [text]
    for e in audit_document(path).equations:
        there = at(cells[e.span.cell or 0], e.span)
        assert there.replace("\\\\f", "\\f").replace("\\\\p", "\\p").replace("\\\\m", "\\m") == e.span.latex


def at(text: str, span: Span) -> str:
    """What stands in a text from the beginning of a span to its end, by line and column."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return text[starts[span.line - 1] + span.column - 1 : starts[span.end_line - 1] + span.end_column - 1]


# -------------------------------------------------------------------------------------------------- formulas at random places
class Style(NamedTuple):
    """How a format writes a piece: what stands before and after words, inline formulas and displays, and round the whole."""

    words: tuple[str, str]
    inline: tuple[tuple[str, str], ...]
    display: tuple[tuple[str, str], ...]
    whole: tuple[str, str] = ("", "")
    escapes: tuple[tuple[str, str], ...] = ()


ENTITIES = (("&", "&amp;"), ("<", "&lt;"), (">", "&#62;"))
STYLES = {
    "x.md": Style((" ", " "), (("$", "$"), ("$`", "`$"), (r"\(", r"\)"), ("{math}`", "`")),
                  (("\n\n$$ ", " $$\n\n"), ("\n\n\\[\n", "\n\\]\n\n"), ("\n\n```math\n", "\n```\n\n"),
                   ("\n\n```{math}\n:label: x\n\n", "\n```\n\n"),
                   ("\n\n$$\n", "\n$$ {#eq-x}\n\n"), ("\n\n:::{math}\n", "\n:::\n\n"), ("\n\n$$", "$$\n:eqlabel:`x`\n\n"))),
    "x.tex": Style((" ", " "), (("$", "$"), (r"\(", r"\)")),
                   (("\n\\[ ", " \\]\n"), ("$$", "$$"), ("% $no$\n\\[", "\\]% \\]\n")), ("\\section{A}\n", "\\end{document}"),
                   (("$5", r"\$5"), ("$6", r"\$6"))),
    "x.html": Style(("<p>", " <code>$x$</code>"), ((r"\(", r"\)"), ("$", "$"), ('<img class="tex" src="a" alt="', '">')),
                    (("<p>\n$$ ", " $$</p>"),
                     ('<math display="block"><mi>q</mi><annotation encoding="application/x-tex">', "</annotation></math>"),
                     ("<dd><math alttext='{\\displaystyle ", "}'><mi>q</mi></math></dd>"), (r"<b>\[", r"\]</b>")), escapes=ENTITIES),
    "x.rst": Style(("", ""), (("so :math:`", "` "), ("so $", "$ ")),
                   (("\n\n.. math::\n\n   ", "\n\n"), ("\n\n.. math:: ", "\n\n"), ("\n\n.. math::\n   :label: a\n\n   ", "\n\n"))),
    "x.txt": Style((" ", " "), (("$", "$"), (r"\(", r"\)")), (("\n\n$$", "$$\n\n"), ("\n\n\\[ ", " \\]\n\n"))),
    "x.py": Style(("", ""), (("so :math:`", "` "), ("so $", "$ ")), (("\n\n    .. math:: ", "\n\n    "), ("\n\n    $$ ", " $$\n\n    ")),
                  ('def f(x="$no$"):\n    r"""', '\n    """\n    return x\n')),
}
"""The forms of each format that is a text."""

PIECES = st.lists(st.tuples(st.sampled_from(("words", "inline", "display")), st.integers(0, 7), st.integers(0, 8)), max_size=12)


def written(style: Style, pieces: list[tuple[str, int, int]]) -> tuple[str, list[tuple[str, str, int]]]:
    """The text of some pieces, and its formulas: each as it is meant, as it is written, and where."""
    text, formulas = style.whole[0], []
    for kind, form, which in pieces:
        if kind == "words":
            words = WORDS[which % len(WORDS)]
            for plain, escaped in style.escapes:
                words = words.replace(plain, escaped)
            text += style.words[0] + words + style.words[1]
            continue
        formula = FORMULAS[which]
        forms = style.inline if kind == "inline" else style.display
        left, right = forms[form % len(forms)]
        source = formula
        if style is STYLES["x.html"]:
            for plain, escaped in style.escapes:
                source = source.replace(plain, escaped)
        if "\n" in source and style in (STYLES["x.rst"], STYLES["x.py"]):
            source = formula = source.replace("\n", "\n        ")
        text += style.words[0] + left
        formulas.append((formula, source, len(text)))
        text += source + right + style.words[1]
    return text + style.whole[1], formulas


@pytest.mark.parametrize("path", STYLES)
@fuzz(60)
@given(pieces=PIECES)
def test_formulas_at_random_places_are_found_there_and_nothing_else(path: str, pieces: list[tuple[str, int, int]]):
    text, formulas = written(STYLES[path], pieces)
    document = parse_document(text, path)
    assert [s.latex for s in document.spans] == [formula for formula, _, _ in formulas]
    for span, (_, source, offset) in zip(document.spans, formulas, strict=True):
        assert at(text, span) == source
        assert (span.line, span.column) == (text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))
        assert document.text[span.offset : span.offset + len(span.latex)] == span.latex
    assert document.problems == ()


@fuzz(40)
@given(cells=st.lists(PIECES, max_size=5))
def test_formulas_of_a_notebook_are_found_in_their_cells(cells: list[list[tuple[str, int, int]]]):
    texts = [written(STYLES["x.md"], pieces) for pieces in cells]
    mixed = [cell for text, _ in texts for cell in ({"cell_type": "markdown", "source": text.splitlines(keepends=True)},
                                                   {"cell_type": "code", "source": "x = '$no$'"})]
    spans = parse_document(json.dumps({"cells": mixed}), "x.ipynb").spans
    wanted = [(2 * n, formula, source) for n, (_, formulas) in enumerate(texts) for formula, source, _ in formulas]
    assert [(s.cell, s.latex, at(texts[(s.cell or 0) // 2][0], s)) for s in spans] == wanted


# ------------------------------------------------------------------------------------------------------------ the formats one by one
def spans(text: str, path: str) -> list[str]:
    return [s.latex for s in parse_document(text, path).spans]


@pytest.mark.parametrize(("text", "label"), [
    ("$$ a = b $$ (eq:one)\n", "eq:one"), ("$$\na = b\n$$ {#eq-one}\n", "eq-one"), ("$$a = b$$\n:eqlabel:`eq_one`\n", "eq_one"),
    ("```{math}\n:label: one\n\na = b\n```\n", "one"), (":::{math}\n:label: one\na = b\n:::\n", "one"), ("$$ a = b $$ (see below)\n", None),
])
def test_a_label_beside_a_display_in_markdown_is_its_label(text: str, label: str | None):
    (span,) = parse_document(text, "x.md").spans
    assert (span.latex, span.label) == ("a = b", label)


@pytest.mark.parametrize(("fence", "language"), [
    ("```python", "python"), ("```{python}", "python"), ("```{.python .input}", "python"), ("```{code-cell} ipython3", "ipython3"),
    ("```{code-block} python", "python"), ("```{r setup, echo=FALSE}", "r"), ("```", ""), ("~~~ sh", "sh"),
])
def test_a_fence_of_code_in_markdown_is_code_in_every_dialect(fence: str, language: str):
    document = parse_document(f"{fence}\nx = '$a$'\n{fence[:3]}\n$b$\n", "x.md")
    assert [(b.name, b.text) for b in document.code] == [(language, "x = '$a$'\n")] and [s.latex for s in document.spans] == ["b"]


def test_a_box_in_markdown_holds_text_code_and_formulas():
    document = parse_document("````{prf:theorem} Growth\n:label: grow\nThe norm of $W$ counts.\n```python\nx = '$a$'\n```\n````\n", "x.md")
    assert [s.latex for s in document.spans] == ["W"] and [b.name for b in document.code] == ["python"]
    assert [(d.name, dict(d.options)) for d in document.directives] == [("prf:theorem", {"label": "grow"})]


@pytest.mark.parametrize(("text", "found"), [
    (r"\begin{align} a &= b \end{align}", [r"\begin{align} a &= b \end{align}"]),
    ("\\begin{align}\n a &= b \\\\\n &= c \\\\\n d &= e\n\\end{align}", ["a &= b \\\\\n &= c", "d &= e"]),
    ("\\begin{eqnarray}\na &=& ( b \\\\\n && + c ) \\\\\nd &=& e\n\\end{eqnarray}",
     ["\\begin{eqnarray}\na &=& ( b \\\\\n && + c ) \\\\\nd &=& e\n\\end{eqnarray}"]),
    ("\\begin{gather}\na = b \\\\\n+ c \\\\\nd = e \\nonumber\n\\end{gather}", ["a = b \\\\\n+ c", "d = e \\nonumber"]),
    ("\\begin{alignat}{2}\n a &= b \\\\\n c &= d\n\\end{alignat}", ["a &= b", "c &= d"]),
    ("\\begin{align*}\nf &= \\begin{cases} a \\\\ b \\end{cases} \\\\\ng &= h\n\\end{align*}",
     ["f &= \\begin{cases} a \\\\ b \\end{cases}", "g &= h"]),
    (r"\begin{subequations} \begin{gather} a = b \end{gather} \end{subequations}", [r"\begin{gather} a = b \end{gather}"]),
    (r"\begin{multline*} a \\ = b \end{multline*}", [r"\begin{multline*} a \\ = b \end{multline*}"]),
    (r"\newcommand{\be}{\begin{equation}}\newcommand{\ee}{\end{equation}} \be a = b \ee and \be c \ee",
     [r"\be a = b \ee", r"\be c \ee"]),
    (r"\def\[#1\]{} \def\bq{\[} \def\eq{\]} \bq a = b \eq", ["a = b"]),
    (r"\newenvironment{eq}[1]{\begin{equation}}{\end{equation}} \begin{eq}a = b\end{eq} \begin{myalign}c\end{myalign}", ["a = b", "c"]),
    ("$a$ % $b$\n\\% $c$", ["a", "c"]), (r"\$5 and $x$", ["x"]), (r"\verb|$a$| \lstinline{$b$} $c$", ["c"]),
    (r"\texttt{a_b} \texttt{a $b$}", ["b"]),
    ("\\begin{verbatim}\n$a$\n\\end{verbatim}\n\\begin{comment}$b$\\end{comment}$c$", ["c"]), (r"\iffalse $a$ \ifx $b$ \fi \fi $c$", ["c"]),
    (r"$x \text{ if $y$ holds}$", [r"x \text{ if $y$ holds}"]), (r"\begin{document}$a$\end{document} $b$", ["a"]),
    ("\\begin{tabular}{ll} $a$ & $b$ \\\\[2pt] $c$ \\end{tabular}", ["a", "b", "c"]), (r"\footnote{on $a$} \href{x_$y}{$b$}", ["a", "b"]),
    (r"\section{The $a$ of it} $b$", ["a", "b"]), ("$a\n\nb$ $c$", ["$a", "$ $c$"]),
    ("\\begin{equation} a\n\n$b$", ["\\begin{equation} a", "b"]),
])
def test_formulas_of_tex_are_found_in_every_form(text: str, found: list[str]):
    assert spans(text, "x.tex") == found


def test_rows_of_an_environment_in_tex_have_places_and_labels_of_their_own():
    text = "\\begin{align}\n  a &= b \\label{e:a} \\\\\n  c &= d \\tag{2*}\n\\end{align}\n"
    assert [(s.line, s.column, s.end_column) for s in parse_document(text, "x.tex").spans] == [(2, 3, 21), (3, 3, 18)]


def test_headings_and_listings_of_tex_are_kept():
    text = ("\\chapter{One}\n\\section*{Two}\n\\begin{lstlisting}[language=Python]\nx = 1\n\\end{lstlisting}\n"
            "\\begin{minted}{python}\ny = 2\n\\end{minted}\n")
    document = parse_document(text, "x.tex")
    assert [(h.name, h.text, h.line) for h in document.headings] == [("1", "One", 1), ("2", "Two", 2)]
    assert [(b.name, b.text, b.line) for b in document.code] == [("python", "x = 1\n", 4), ("python", "y = 2\n", 7)]


def test_a_file_that_tex_includes_is_read_in_its_place_with_places_of_its_own(tmp_path: Path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "macros.tex").write_text("\\newcommand{\\W}{W_{hh}}\n")
    (tmp_path / "parts" / "cell.tex").write_text("The cell:\n$$ h_t = \\tanh(\\W h_{t-1}) $$\n")
    main = tmp_path / "main.tex"
    main.write_text("\\input{parts/macros}\n\\begin{document}\n$x_t$\n\\include{parts/cell}\n$\\W$\n\\end{document}\n")
    judged = audit_document(main)
    assert [(Path(s.path).name if s.path else None, s.latex, s.line, s.column) for s in judged.document.spans] == [
        (None, "x_t", 3, 2), ("cell.tex", r"h_t = \tanh(\W h_{t-1})", 2, 4), (None, r"\W", 5, 2)]
    assert [(Path(part["path"]).name, [e["line"] for e in part["equations"]]) for part in judged.files] == [
        ("main.tex", [3, 5]), ("cell.tex", [2])]


@pytest.mark.parametrize(("name", "reason"), [
    ("../secret", "lies outside of the folder"), ("/etc/hosts", "lies outside of the folder"), ("none", "is not there"),
    ("main", "includes itself"),
    ("a\0b", "is no name of a file"), ("link", "lies outside of the folder"), ("a" * 5000, "is no name of a file"),
])
def test_a_file_is_included_only_from_the_folder_of_the_document(name: str, reason: str, tmp_path: Path):
    (tmp_path / "secret.tex").write_text("$secret$")
    folder = tmp_path / "book"
    folder.mkdir()
    (folder / "link.tex").symlink_to(tmp_path / "secret.tex")
    (folder / "main.tex").write_text(f"$a$\n \\input{{{name}}} $b$\n")
    document = load_document(folder / "main.tex")
    assert [s.latex for s in document.spans] == ["a", "b"]
    ((line, column, words),) = document.problems
    assert (line, column) == (2, 2) and reason in words


def test_files_that_include_each_other_end(tmp_path: Path):
    for n in range(60):
        (tmp_path / f"f{n}.tex").write_text(f"$a_{{{n}}}$ \\input{{f{n + 1}}} \\input{{f{n}}}")
    document = load_document(tmp_path / "f0.tex")
    assert 10 < len(document.spans) < 60 and any("comes after" in words for _, _, words in document.problems)


@pytest.mark.parametrize(("text", "found"), [
    ('<script type="math/tex">a < b && c</script>', ["a < b && c"]), ('<script type="text/javascript">"$a$"</script>', []),
    ('<math><mi>a</mi></math>', ["<math><mi>a</mi></math>"]), ('<math alttext="a &lt; b"></math>', ["a < b"]),
    ('<math alttext="a"><annotation encoding="application/x-tex">b</annotation><annotation encoding="x">c</annotation></math>', ["b"]),
    ('<span class="MathJax"><math><mi>a</mi></math></span><script type="math/tex">a</script>', ["a"]),
    ('<mjx-container><svg>$no$</svg></mjx-container> $b$', ["b"]), ('<img alt="$5" class="photo"><img class="tex" alt="a_t">', ["a_t"]),
    ('<img class="tex" alt="a"><img class="tex" alt="a">', ["a", "a"]), ('<math alttext="a"></math> <img class="tex" alt="a">', ["a"]),
    ('<tr class="ltx_eqn_row"><td><math alttext="\\displaystyle a"></math></td><td><math alttext="= b"></math></td></tr>',
     [r"\displaystyle a = b"]),
    ("<pre>$a$ &lt; $b$</pre> $c$", ["c"]), ("<code>$a$</code> <kbd>$b$</kbd> $c$", ["c"]), ("<!-- $a$ --> $b$ <!-- x -- > -->", ["b"]),
    ("<style>$a$</style><title>$b$</title><textarea>$c$</textarea>$d$", ["d"]), ("It costs $5 and <b>$6</b>.", []),
    (r"<p>\(a\)</p>\[b\] $$c$$ \begin{align} d &amp;= e \end{align}", ["a", "b", "c", r"\begin{align} d &= e \end{align}"]),
    ('<span class="katex-html">$x$</span>$a$', ["a"]), ("<a title='$x$' href=\"$y$\">$a$</a>", ["a"]), ("&#36;a_t&#36;", ["a_t"]),
])
def test_formulas_of_a_page_are_found_once_in_every_form(text: str, found: list[str]):
    assert spans(text, "x.html") == found


def test_listings_of_a_page_are_code_with_their_language():
    text = ('<pre><code class="language-python"><b>x</b> = a &lt; b\n</code></pre>\n<pre class="highlight r">y</pre>\n'
            "<pre>import numpy as np\n</pre>")
    assert [(b.name, b.text, b.line) for b in parse_document(text, "x.html").code] == [
        ("python", "x = a < b\n", 1), ("r", "y", 3), ("python", "import numpy as np\n", 4)]


@pytest.mark.parametrize(("text", "found"), [
    (".. math::\n\n   a = b\n\n   c = d\n\ntext", ["a = b", "c = d"]), (".. math:: a = b\n\n   c = d\n", ["a = b", "c = d"]),
    (".. math::\n   :nowrap:\n\n   \\begin{align} a &= b \\end{align}\n", [r"\begin{align} a &= b \end{align}"]),
    (".. note::\n\n   See :math:`a`.\n\n   .. math:: b\n\nand :math:`c`", ["a", "b", "c"]), ("``:math:`a` `` and :math:`b`", ["b"]),
    (".. code-block:: python\n\n   x = '$a$'\n\n:math:`b`", ["b"]), ("As::\n\n   $a$ x\n\n:math:`b`", ["b"]),
    (".. $a$\n   $b$\n\n$c_t$", ["c_t"]),
    (">>> f('$a$')\n'$b$'\n\n:math:`c`", ["c"]), (".. _target:\n\n:math:`c`\n=========\n", ["c"]), (".. math::", []),
])
def test_formulas_of_restructured_text_are_found_in_every_form(text: str, found: list[str]):
    assert spans(text, "x.rst") == found


def test_headings_of_restructured_text_have_levels_in_the_order_of_their_marks():
    text = "=====\nTitle\n=====\n\nOne\n---\n\nTwo\n~~~\n\nThree\n-----\n"
    assert [(h.name, h.text, h.line) for h in parse_document(text, "x.rst").headings] == [
        ("1", "Title", 2), ("2", "One", 5), ("3", "Two", 8), ("2", "Three", 11)]


@pytest.mark.parametrize(("text", "found"), [
    ('"""$a$"""', ["a"]), ("x = '$a$'", []), ("f('''$a$''')", []), ("def f():\n  '''$a$'''  # $b$\n", ["a", "b"]), ("f = '''$a$'''", []),
    ("# The gate\n#\n# $$ a =\n#  b $$\n", ["a =\n b"]), ("#: $a$\n#!x\n# type: $b$\n# %% [markdown]\n", ["a"]), ('f"""$a$"""', []),
    ("# h_t = \\tanh(W h_{t-1})\nx = 1", [r"h_t = \tanh(W h_{t-1})"]), ("x = '# $a$'", []), ('"""$\\\\alpha$"""', [r"\alpha"]),
    ("(\n'''$a$'''\n)", []), ('"""\n    a_t = \\tanh(b)\n"""', [r"a_t = \tanh(b)"]),
    ("class C:\n  '''A $x$\n\n  >>> f('$y$')\n  '''", ["x"]),
])
def test_docstrings_and_comments_of_python_are_read_and_other_strings_are_not(text: str, found: list[str]):
    assert spans(text, "x.py") == found


@pytest.mark.parametrize(("cells", "came"), [
    ("[1]", "int"), ('[{"source": 3}]', "int"), ('[{"source": ["a", 3]}]', "list"), ("3", "int"), ("null", "none"), ('["a"]', "str"),
])
def test_a_notebook_whose_cells_are_none_is_an_error(cells: str, came: str):
    with pytest.raises(DocumentError) as caught:
        parse_document(f'{{"cells": {cells}}}', "x.ipynb")
    assert caught.value.came == came


def test_older_notebooks_and_front_matter_in_the_first_cell_are_read():
    cells = [{"cell_type": "raw", "source": "---\nsymrnn: {time: sup}\n---\n$no$"}, {"cell_type": "heading", "source": "The $a$"},
             {"cell_type": "code", "input": "%time f()\n!ls\nx = 1"}]
    document = parse_document(json.dumps({"worksheets": [{"cells": cells}]}), "x.ipynb")
    assert document.settings == {"time": "sup"} and [(s.cell, s.latex) for s in document.spans] == [(1, "a")]
    assert document.code[0].text == "# %time f()\n# !ls\nx = 1"


def test_what_is_not_closed_in_one_cell_leaves_the_others_alone():
    cells = [{"cell_type": "markdown", "source": s} for s in ("$$ a = \n", "```\n$b$", "<!-- $c$", "$d$")]
    document = parse_document(json.dumps({"cells": cells}), "x.ipynb")
    assert [(s.cell, s.latex) for s in document.spans] == [(0, "$$ a ="), (3, "d")]
    assert [words.split(" is ")[0] for _, _, words in document.problems] == ["a fence in cell 1", "a comment in cell 2"]


@pytest.mark.parametrize(("path", "text", "kind"), [
    ("paper", "% x\n\\documentclass{article}$a$", "tex"), ("page", "<!DOCTYPE html><p>$a$", "html"),
    ("book.bak", '{"cells": []}', "notebook"), ("tool", "#!/usr/bin/env python3\n# $a$", "python"),
])
def test_a_text_whose_suffix_says_nothing_is_known_by_its_beginning(path: str, text: str, kind: str):
    document: Document = parse_document(text, path)
    assert [s.latex for s in document.spans] == ([] if kind == "notebook" else ["a"])
