"""Mathematics in plain letters: found in comments of Python and in plain text, and judged like formulas in LaTeX."""
from __future__ import annotations

from pathlib import Path

import pytest

from symrnn.audit import audit_files
from symrnn.read.document import parse_document
from symrnn.read.formats.displays import is_display

NETWORK = r"""
    h_t = \tanh(W h_{t-1} + U x_t + b)

    L = \sum_{t=1}^T \ell_t, \qquad \ell_t = \frac{1}{2} \|h_t - y_t\|^2
"""
CLAIMS = [
    ("dL/db = sum_t (1 - h_t**2) * dL/dh_t", "proved"), ("dL/db = sum_t (1 + h_t**2) * dL/dh_t", "refuted"),
    ("dL/dW = sum_t (1 - h_t^2) * dL/dh_t h_{t-1}^T", "proved"), ("dL/dW = sum_t (1 - h_t^2) * dL/dh_t h_t^T", "refuted"),
    ("dL/dU = sum_{t=1}^T ((1 - h_t**2) * dL/dh_t) @ x_t.T", "proved"), ("dL/dU = sum_t x_t @ ((1 - h_t**2) * dL/dh_t).T", "refuted"),
    ("dh_t/dh_{t-1} = diag(1 - h_t^2) W", "proved"), ("dh_t/dh_{t-1} = W diag(1 - h_t^2)", "refuted"),
    ("dl_t/dh_t = h_t - y_t", "undecided"),
]


def verdicts(path: Path) -> dict[str, str | None]:
    (judged,) = audit_files([path]).documents
    return {e.span.latex: e.verdict for e in judged.equations if e.role == "claim"}


@pytest.mark.parametrize(("claim", "word"), [c for c in CLAIMS if c[1] != "undecided"])
def test_a_comment_of_a_python_source_is_judged(claim: str, word: str, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    sizes = r"with :math:`h_t, b \in \mathbb{R}^n`, :math:`x_t \in \mathbb{R}^m`"
    path.write_text(f'r"""A network, {sizes}.\n{NETWORK}"""\n\n# {claim}\n', encoding="utf-8")
    assert verdicts(path)[claim] == word


@pytest.mark.parametrize("claim", [c for c, _ in CLAIMS])
def test_a_line_of_plain_text_is_found(claim: str) -> None:
    document = parse_document(f"The gradient is\n\n{claim}\n\nas was to be shown.\n", "notes.txt")
    assert [(s.latex, s.line, s.column) for s in document.spans] == [(claim, 3, 1)]


@pytest.mark.parametrize("line", [
    "x = a/b", "rate = df/dx", "total = sum_of(values)", "if dL/dW == 0 then stop", "see docs/data for the result", "y = V h",
    "loss = sum_squares + 1", "the slope dy/dx = 2 is constant here"])
def test_other_lines_are_no_mathematics(line: str) -> None:
    assert not is_display(line)


@pytest.mark.parametrize(("before", "indent", "after"), [
    ("```\n", "", "```\n"), ("~~~text\n", "", "~~~\n"), ("As in\n\n", "    ", "\nand so on.\n"), ("As in\n\n", "\t", ""),
])
def test_a_block_of_markdown_that_holds_nothing_but_formulas_is_no_code(before: str, indent: str, after: str) -> None:
    lines = ["h_t = tanh(W h_{t-1} + U x_t)", "dL/dW = sum_t (dL/dh_t * (1 - h_t^2)) h_{t-1}^T"]
    text = before + "".join(f"{indent}{line}\n" for line in lines) + after
    document = parse_document(text, "a.md")
    assert [s.latex for s in document.spans] == lines
    assert all(text.split("\n")[s.line - 1][s.column - 1 :] == s.latex for s in document.spans)
    assert not document.code


@pytest.mark.parametrize("block", [
    "h_t = np.tanh(W @ h_t)", "h_t = f(x_t)\ny_t = 2 * h_t", "x_t = the input\nh_t = the state", "$ pip install a_b=1", "a_b: c_d = e_f",
])
def test_a_block_of_markdown_with_code_or_words_is_code(block: str) -> None:
    document = parse_document(f"```\n{block}\n```\n", "a.md")
    assert not document.spans and [b.text.strip() for b in document.code] == [block]


def test_a_long_line_without_scripts_is_passed_over_at_once() -> None:
    assert not parse_document("```\nh = " + "a " * 200_000 + "=\n```\n", "a.md").spans
