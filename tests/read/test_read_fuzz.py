"""Any text in any format is read or refused, in bounded time, with places that exist; and no token of a formula is passed over.

The inputs are documents and formulas of the project, mutated. `make fuzz` tries fifty times as many, and other ones on every run.
"""
from __future__ import annotations

import faulthandler
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fuzzing import fuzz
from hypothesis import given
from hypothesis import strategies as st

from symrnn.errors import SymrnnError
from symrnn.read.document import parse_document
from symrnn.read.names import WRAPPERS
from symrnn.read.reader import read
from symrnn.read.show import show
from symrnn.read.symbols import SymbolTable
from symrnn.read.tokens import tokenize
from symrnn.readings import readings

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
LONGEST = 1500
"""Characters of a piece of a document."""
HANGS = 120
"""Seconds after which an input ends the run, with the place where it hangs."""


@contextmanager
def bounded() -> Iterator[None]:
    """End the process where an input takes far longer than any reading may."""
    faulthandler.dump_traceback_later(HANGS, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def corpus() -> list[tuple[str, str]]:
    """The documents of the project, each with its suffix."""
    paths = [*sorted((ROOT / "tests" / "corpus" / "formats").iterdir()), *sorted((ROOT / "derivations").glob("*.md")),
             *sorted((ROOT / "symrnn" / "zoo").glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
    return [(path.suffix, path.read_text(encoding="utf-8")) for path in paths]


def equations() -> list[tuple[SymbolTable, str]]:
    """The formulas of the corpus of readings, each with its table."""
    found = []
    for path in sorted((ROOT / "tests" / "corpus").glob("reading-*.jsonl")):
        first, *rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        table = SymbolTable.from_mapping(first["table"])
        found += [(table, row["latex"]) for row in rows]
    return found


DOCUMENTS, EQUATIONS = corpus(), equations()
PIECES = st.sampled_from([
    "$", "$$", "\\(", "\\)", "\\[", "\\]", "`", "```", "```math\n", "{", "}", "(", ")", "[", "]", "|", "\\|", "\\left", "\\right",
    "\\left.",
    "\\begin{align}", "\\end{align}", "\\begin{cases}", "\\end{bmatrix}", "\\\\", "&", "%", "#", "\n", "\n\n", "\r", " ", "_", "^", "'",
    "\\frac",
    "\\sqrt[", "\\sum_", "\\partial", "\\nabla", "\\top", "\\odot", "\\circ", "\\text{", "\\text{__import__('os')}", "\\input{../secret}",
    "\\def\\a{\\a\\a}", "\\newcommand{\\b}[9]{#9#9}", "\\a", "\\b", "\\dots", ":", "::", "=", "\\le", "\\in", "\\mathbb{R}^{", "\\hat",
    "\\mathbf{",
    "h_t", "h^{(t)}", "h(t-1)", "W^\\top", "\\delta_{h_t}", "\\ell", "T", "0", "1e9", "9" * 40, "\0", "\ufffd", "é", "é", "\u202e",
    "\u2028",
    "<p>", "</p>", "&lt;", "<!--", "-->", "---\n", "---\nsymrnn: {infer: true}\n---\n", "| symbol | shape |\n|---|---|\n", "```{scope} b\n",
    ".. math::\n\n   ", "'''", '"', "#", "We write $\\delta_t$ for $", " is of size $", "numerator layout", "\\end{document}"])


@st.composite
def mutated(draw: st.DrawFn, text: str) -> str:
    """A text with some pieces cut out, doubled, moved or put in."""
    for _ in range(draw(st.integers(0, 5))):
        low = draw(st.integers(0, len(text)))
        high = draw(st.integers(low, min(len(text), low + 60)))
        text = draw(st.sampled_from([
            text[:low] + text[high:], text[:high] + text[low:], text[:low] + draw(PIECES) + text[low:],
            text[:low] + draw(PIECES) + text[high:], text[high:] + text[low:high] + text[:low]]))
    return text


@st.composite
def pieces(draw: st.DrawFn) -> tuple[str, str]:
    """A suffix and a mutated piece of a document, perhaps of another format."""
    suffix, text = DOCUMENTS[draw(st.integers(0, len(DOCUMENTS) - 1))]
    start = draw(st.integers(0, max(0, len(text) - LONGEST)))
    other = draw(st.sampled_from([suffix] * 4 + [".txt", ".tex", ".md"]))
    return other, draw(mutated(text[start : start + LONGEST]))


@fuzz(300)
@given(piece=pieces())
def test_a_mutated_document_is_read_or_refused_and_every_place_exists(piece: tuple[str, str]):
    suffix, text = piece
    with bounded():
        try:
            found = readings(parse_document(text, f"x{suffix}"), timeout=5)
        except SymrnnError as error:
            assert error.must and error.came and error.next_step
            return
        for u in found.spans:
            assert (u.span.end_line, u.span.end_column) > (u.span.line, u.span.column) >= (1, 1)
            assert found.document.text[u.span.offset : u.span.offset + len(u.span.latex)] == u.span.latex
            assert (u.unread is None) is (u.role != "unreadable") and (u.canonical is None) is (u.role in ("unreadable", "code"))
            if u.unread is not None:
                assert 0 <= u.unread.offset <= len(u.span.latex) and u.unread.hint
        json.dumps(found.to_json(), allow_nan=False)


@st.composite
def formulas(draw: st.DrawFn) -> tuple[int, str]:
    """A mutated formula with the number of the one that it was."""
    number = draw(st.integers(0, len(EQUATIONS) - 1))
    return number, draw(mutated(EQUATIONS[number][1]))


@fuzz(1200)
@given(formula=formulas())
def test_a_mutated_formula_has_a_tree_that_can_be_printed_or_a_place_where_reading_stopped(formula: tuple[int, str]):
    latex, (table, _) = formula[1], EQUATIONS[formula[0]]
    with bounded():
        reading = read(latex, table)
        if reading.tree is None:
            assert reading.unread is not None and 0 <= reading.unread.offset <= len(latex) and reading.unread.hint
        else:
            assert reading.unread is None and show(reading.tree, table) is not None


MARK = "Xi"
"""A letter that no formula of the corpus has."""
UNMARKED = [(table, latex) for table, latex in EQUATIONS if not any(command in latex for command in WRAPPERS) and "\\color" not in latex]
"""The formulas without names of colours and the like, which say nothing of what is written."""


@fuzz(500)
@given(number=st.integers(0, len(UNMARKED) - 1), share=st.floats(0, 1))
def test_no_token_of_a_formula_is_passed_over(number: int, share: float):
    """A letter that is put between any two tokens stands in the tree or in a label, or the formula is refused."""
    table, latex = UNMARKED[number]
    cuts = [t.start for t in tokenize(latex)] + [len(latex)]
    at = cuts[round(share * (len(cuts) - 1))]
    reading = read(f"{latex[:at]} \\{MARK} {latex[at:]}", table, second=False)
    assert reading.tree is None or MARK in f"{reading.tree} {reading.attributes}", (latex, at, str(reading.tree))
