"""LaTeX and PDF reports: nothing of a document is carried out, no line is too wide, the same bytes on every run."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from hostile import HOSTILE, report_of

from symrnn import api
from symrnn.report import tex, typst
from symrnn.report.model import Code, CodeText, Display, Maths, Paragraph, Picture, Report, Table, Text

WIDE = "word" * 60
LONG = r"y = \left( " + " + ".join(rf"W_{{{k}}} \tanh(a_{{{k}}})" for k in range(400)) + r" \right)^2"
BLOCKS = (
    Paragraph((Text(f"{WIDE} {WIDE}"), CodeText(WIDE), Text(" β → 中 é"))), Paragraph((Text("In a line: "), Maths(LONG))),
    Display(LONG, "eq-1", "1"),
    Display(r"\frac{" + " + ".join(f"a_{{{k}}}" for k in range(90)) + r"}{\sqrt{2}} = \begin{cases} 1 & \text{if } x \\ 2 \end{cases}"),
    Table(((Text("a"),), (Text("b" * 30),), (Text("c"),)), (((Text("short"),), (Text("long " * 40),), (Maths(r"\frac{a}{b}"),)),) * 40),
    Code("def f(x):\n        return " + "x + " * 60 + "{x}\\%_^~#$&<>|\"'`" + "\n" + "y" * 300, "python"),
)
REPORT = Report("wide", (Text("Wide"),), "a source & more", (), (), BLOCKS, (Text("the end"),))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex here")
@pytest.mark.parametrize("text", ["wide", "hostile"])
def test_pdflatex_sets_a_report_without_an_error_or_a_line_too_wide(text, tmp_path):
    (tmp_path / "a.tex").write_text(tex.write(REPORT if text == "wide" else report_of(HOSTILE)), encoding="utf-8")
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", "a.tex"], cwd=tmp_path, capture_output=True)
    log = (tmp_path / "a.log").read_text(encoding="latin-1")
    assert done.returncode == 0, log[-2000:]
    assert not re.findall(r"^!.*|^Overfull.*|^LaTeX Error.*|secret", log, re.M)


def test_no_command_of_a_document_reaches_tex():
    shown = tex.write(report_of(HOSTILE)).partition(r"\begin{document}")[2]
    assert shown.count(r"\end{document}") == 1 and r"\input" not in shown and r"\write" not in shown and r"\newcommand{\x}" not in shown


@pytest.mark.parametrize(("source", "kept"), [
    (r"\theta = \alpha", r"\theta = \alpha"), ("θ ≤ α", r"{\theta} {\le} {\alpha}"),
    (r"\input{x}", None), (r"\def\x{} \x", None), ("中", None),
])
def test_a_formula_is_set_if_all_of_it_is_known(source, kept):
    assert tex.settable(source) == kept


def test_words_reach_typst_as_strings_and_formulas_as_what_was_converted():
    source = typst.source(report_of(HOSTILE)).removeprefix(typst.PREAMBLE)
    outside = re.sub(r'"(?:[^"\\]|\\.)*"', '""', source)
    assert all(word not in outside for word in ("panic", "eval", "input", "script", "alert"))


def test_the_pdf_is_the_same_on_every_run():
    pytest.importorskip("typst")
    report = report_of(HOSTILE)
    first, second = typst.write(report), typst.write(report)
    assert first.startswith(b"%PDF") and first == second
    assert typst.write(REPORT).startswith(b"%PDF")


def test_without_typst_the_error_says_what_to_install(monkeypatch):
    import sys

    from symrnn.errors import CallError

    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(CallError, match=r"symrnn\[pdf\]"):
        typst.write(REPORT)


def test_no_label_of_a_picture_needs_a_second_font_which_would_set_all_of_it_upright():
    picture = Picture(api.picture("elman", "unrolled"), "the network", "a.svg")
    assert "⊤" in picture.svg and "⊤" not in typst.write_blocks([picture])
