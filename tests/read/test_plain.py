"""Plain text: displays without delimiters, listings without fences, and nothing taken for mathematics that is none."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from symrnn.read.document import Document, parse_document

TEXT = r"""A gated unit#

The gate of step $t$ is a number between 0 and 1 for each unit:

z_t = \sigma( W_z x_t + U_z s_{t - 1} )

with \(W_z\) and $U_z$. Its mirror image is

\bar{z}_t = 1 - z_t    (3.2)

so that

s_t = \begin{cases}
  \tilde{s}_t, & if z_t = 1 \\
  s_{t-1}, & \text{otherwise, as the gate is closed}
\end{cases}

\begin{align}
u_t &= \mathrm{softmax}(V s_t) \\

\ell_t &= -\log \langle d_t, u_t \rangle
\end{align}

The loss

loss = \sum_{t=1}^N \ell_t
     = \ell_1 + \dots + \ell_N

is what \emph{training} makes small; see \cite{someone} for \alpha and \beta.
- \eta is the rate
Weights: V_zz, V_zs, and
V_zr

\boxed{ \frac{\partial \ell_t}{\partial V} = ( u_t - d_t )
        s_t^\top }

$$
\delta_t = V^\top ( u_t - d_t )
$$

The program is

1
import numpy as np
2

3
class Unit:
4
    def forward(self, x):
5
        # z = \sigma(W x)
6
        self.s = np.tanh(
7
            self.U @ self.s + self.W @ x)
8
        return self.s

Let $d_t$ be the target.

2024

y = f(x)

Phase two¶
"""


@pytest.fixture(scope="module")
def document() -> Document:
    return parse_document(TEXT, "unit.txt")


def spans(text: str) -> list[str]:
    return [s.latex for s in parse_document(text, "a.txt").spans]


def test_displays_are_found_with_and_without_delimiters(document: Document):
    assert [(s.line, s.latex.split("\n")[0]) for s in document.spans if s.kind != "inline"] == [
        (5, r"z_t = \sigma( W_z x_t + U_z s_{t - 1} )"),
        (9, r"\bar{z}_t = 1 - z_t"),
        (13, r"s_t = \begin{cases}"),
        (18, r"\begin{align}"),
        (26, r"loss = \sum_{t=1}^N \ell_t"),
        (34, r"\boxed{ \frac{\partial \ell_t}{\partial V} = ( u_t - d_t )"),
        (38, r"\delta_t = V^\top ( u_t - d_t )"),
    ]


def test_every_span_is_where_it_says(document: Document):
    lines = TEXT.split("\n")
    for span in document.spans:
        assert TEXT[span.offset : span.offset + len(span.latex)] == span.latex
        assert lines[span.line - 1][span.column - 1 :].startswith(span.latex.split("\n")[0])
        assert lines[span.end_line - 1][: span.end_column - 1].endswith(span.latex.split("\n")[-1])


def test_lines_of_one_environment_bracket_or_chain_are_one_display(document: Document):
    assert [s.end_line - s.line for s in document.spans if s.kind != "inline"] == [0, 0, 3, 4, 1, 1, 0]


def test_formulas_in_sentences_are_found_as_in_markdown(document: Document):
    assert [s.latex for s in document.spans if s.kind == "inline"] == ["t", "W_z", "U_z", "d_t"]


def test_a_listing_is_code_with_the_numbers_between_its_lines(document: Document):
    (block,) = document.code
    assert (block.name, block.line, block.text) == ("python", 43, TEXT[block.offset : block.offset + len(block.text)])
    assert block.text.startswith("1\nimport numpy") and block.text.endswith("return self.s\n")


def test_prose_before_a_display_ends_where_the_formula_before_it_ended(document: Document):
    before = {s.latex.split("\n")[0]: s.prose_before for s in document.spans}
    assert before[r"z_t = \sigma( W_z x_t + U_z s_{t - 1} )"] == "is a number between 0 and 1 for each unit:"
    assert before[r"\bar{z}_t = 1 - z_t"] == ". Its mirror image is"
    assert before[r"s_t = \begin{cases}"] == "so that"
    assert before["d_t"] == "Let"


def test_a_title_with_the_mark_of_a_link_is_a_heading(document: Document):
    assert [(h.text, h.line) for h in document.headings] == [("A gated unit", 1), ("Phase two", 66)]


@pytest.mark.parametrize("line", [
    r"c_t = f_t \odot c_{t-1} + i_t \odot \tilde{c}_t",
    r"\nabla_a \ell = \mathrm{diag}\left( 1 - \tanh^2 a \right) \nabla_h \ell",
    r"softmax\left( o \right)_k = \frac{e^{o_k}}{\sum_j e^{o_j}}",
    r"\text{the loss of a step} = -\log p_t",
    r"Loss_t = \frac{1}{2} \lVert y_t - d_t \rVert^2",
    r"\frac{dz}{dt} = \frac{dz}{dw} \frac{dw}{dt}",
    r"LayerNorm(x) = \gamma \odot \hat{x} + \beta",
    r"KL(p, q) = \sum_k p_k \log \frac{p_k}{q_k}",
    r"-\sum_k^m d_k \log u_k = 0",
    r"\color{red} \boxed{ \begin{gather*} a = b \\ c = \operatorname{relu}(d) \end{gather*} }",
    r"g: \mathbb{R}^n \rightarrow \mathbb{R}^m",
    r"\alpha",
])
def test_a_line_of_mathematics_is_one_display(line: str):
    assert spans(f"We have\n\n{line}\n\nfor all steps.") == [line]


@pytest.mark.parametrize("line", [
    r"where \alpha is the rate of decay",
    r"So \alpha \to 0.",
    r"\section{Gates}",
    r"\item \alpha",
    r"C:\work\alpha",
    r"\newcommand{\state}{\mathbf{h}}",
    r"\LaTeX",
    r"h_t = f(h_{t-1}, x_t)",
    r"U_zz, U_zs, and",
    r'pattern = "\alpha"',
    r"| \alpha | \beta | 0.5 |",
    r"https://example.org/\alpha",
    r"Gradienten verschwinden \to 0",
])
def test_a_line_that_is_no_formula_is_no_display(line: str):
    assert spans(f"We have\n\n{line}\n\nfor all steps.") == []


def test_a_formula_in_delimiters_over_several_lines_is_one_span():
    text = "\\[\na = \\alpha \\\\\nb = \\beta\n\\]\n"
    assert spans(text) == ["a = \\alpha \\\\\nb = \\beta"]


def test_the_marks_of_a_list_are_no_signs():
    assert spans("- a = \\beta\n- b = \\gamma\n") == ["a = \\beta", "b = \\gamma"]
    assert spans("We find\n\n- a = \\beta\n") == ["- a = \\beta"]
    assert spans("1. a = \\beta\n(b) c = \\gamma\n") == ["a = \\beta", "c = \\gamma"]


def test_an_environment_that_is_not_closed_is_a_problem_and_the_rest_is_read():
    document = parse_document("\\begin{align} a = \\beta\n\nb = \\gamma\n", "a.txt")
    assert "b = \\gamma" in [s.latex for s in document.spans]
    assert [line for line, _, _ in document.problems] == [1] or "\\begin{align} a = \\beta" in [s.latex for s in document.spans]


def test_fences_and_comments_are_left_to_markdown():
    text = "```\na = \\beta\n```\n\n<!--\nb = \\gamma\n-->\n\n```math\nc = \\delta\n```\n"
    assert spans(text) == ["c = \\delta"]


@pytest.mark.parametrize("code", [
    "h = np.zeros(4)\nfor x in xs:\n    h = np.tanh(W @ h + U @ x)\n",
    "def step(h, x):\n    return f(h, x)\n",
    ">>> import numpy as np\n>>> y = np.dot(V, h)\n",
    "1\ns = [0.1, -0.2]\n2\nt = 3\n",
])
def test_program_text_is_a_block_of_code(code: str):
    document = parse_document(f"The program:\n\n{code}\nThat is all.\n", "a.txt")
    assert [b.text for b in document.code] == [code]


@pytest.mark.parametrize("text", [
    "Description\n\nThus, it holds.\n", "6287 words\n\n31\n\nminutes\n", "0.85 (Unit 1): plural.\n", "y = f(x)\n",
    "for example: this\n", "# A title\n\nWords.\n", "W_hh,\nW_xh, and\nW_hy\n",
])
def test_sentences_numbers_and_names_are_no_program(text: str):
    assert parse_document(text, "a.txt").code == ()


@pytest.mark.parametrize("text", [
    "\\alpha {\n" * 2000, "x = f(\n" * 2000, "\\begin{cases}\n" * 2000, "\\alpha" + " " * 20000 + "x", "= \\alpha\n" * 2000, "1\n" * 2000,
    "# a\n" * 2000, "\\alpha" + "{" * 10000 + "}" * 10000, "a\x00 = \\alpha\x00", 'x = """\n' * 2000,
], ids=range(10))
@pytest.mark.usefixtures("no_hang")
def test_no_text_takes_for_ever(text: str):
    assert parse_document(text, "a.txt").text == text


@pytest.mark.usefixtures("no_hang")
def test_every_display_of_a_large_text_is_found():
    text = (TEXT + "\nWords and more words, \\alpha among them, in a line of prose that goes on and on.\n") * 300
    assert len(parse_document(text, "a.txt").spans) == 300 * 11


# -- five published texts, where they are at hand ------------------------------------------------------------------------
def test_every_labelled_span_of_the_texts_is_found_and_nothing_else():
    cases = Path(os.environ.get("SYMRNN_CASES", "") or "nowhere")
    labels, sources = cases / "seed-equations.json", cases.parent / "sources"
    if not labels.is_file() or not sources.is_dir():
        pytest.skip("SYMRNN_CASES does not name a folder with the labelled equations, beside a folder sources")
    rows = json.loads(labels.read_text(encoding="utf-8"))
    expected = Counter((row["seed"], row["line"], row["latex"].strip()) for row in rows)
    found: Counter[tuple[str, int, str]] = Counter()
    for name in sorted({row["seed"] for row in rows}):
        text = (sources / name).read_text(encoding="utf-8")
        document = parse_document(text, name)
        assert document.problems == ()
        assert all(text[s.offset : s.offset + len(s.latex)] == s.latex for s in document.spans)
        found.update((name, s.line, s.latex) for s in document.spans)
    assert expected.total() == 291
    assert found == expected
