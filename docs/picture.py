"""Make docs/report.png: part of the report of the example in documents.md, as a page looks on GitHub.

    python docs/picture.py CHROMIUM

needs the package math-core (formulas as MathML) and the program CHROMIUM, and keeps nothing but the picture.
"""

from __future__ import annotations

import html
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from math_core import LatexToMathML

from symrnn.audit import audit_document
from symrnn.report.markdown import Page

HERE = Path(__file__).resolve().parent
SIZE = "1060,630"
STYLE = """
body { margin: 0; padding: 18px 26px; background: white; color: #1f2328;
       display: grid; grid-template-columns: 470px 1fr; gap: 34px;
       font: 15.5px/1.45 -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", Helvetica, Arial, sans-serif; }
h2 { font-size: 20px; border-bottom: 1px solid #d1d9e0; padding-bottom: 5px; margin: 4px 0 10px; }
p { margin: 9px 0; } math { font-family: "Latin Modern Math", math; font-size: 1.15em; } math[display=block] { margin: 12px 0; }
table { border-collapse: collapse; margin: 10px 0; font-size: 14px; } td { border: 1px solid #d1d9e0; padding: 1px 12px; }
code { background: #eff1f3; border-radius: 5px; padding: 2px 5px; font-size: 0.88em; } sub { color: #59636e; font-size: 12px; }
svg { max-height: 345px; } .yes { color: #1a7f37; } .no { color: #cf222e; }
"""
SIGNS = {"✅": "<b class=yes>✔</b>", "❌": "<b class=no>✘</b>"}
TEX = LatexToMathML()


def inline(text: str) -> str:
    """A line of a report as HTML."""
    out = []
    for k, part in enumerate(re.split(r"\$`(.*?)`\$", text)):
        if k % 2:
            out.append(TEX.convert_with_local_state(part, displaystyle=False))
            continue
        part = html.escape(re.sub(r"\\([*_|<>])", r"\1", part), quote=False)
        part = re.sub("&lt;(/?sub)&gt;", r"<\1>", re.sub("|".join(SIGNS), lambda sign: SIGNS[sign[0]], part))
        out.append(re.sub(r"`(.*?)`", r"<code>\1</code>", re.sub(r"\*\*(.*?)\*\*", r"<b>\1</b>", part)))
    return "".join(out)


def block(text: str) -> str:
    """A paragraph, formula or table of a report as HTML."""
    if formula := re.fullmatch(r"```math\n(.*)\n```", text, re.S):
        return TEX.convert_with_local_state(formula[1], displaystyle=True)
    if text.startswith("|"):
        rows = [[f"<td>{inline(cell.strip())}</td>" for cell in line.strip("|").split(" | ")] for line in text.splitlines()[2:]]
        return "<table>" + "".join("<tr>" + "".join(row) + "</tr>" for row in rows) + "</table>"
    return f"<p>{inline(text)}</p>"


def main(browser: str) -> None:
    """Judge the example, lay out the equations of its audits, take the picture."""
    example = re.search(r"````markdown file=(\S+)\n(.*?)^````$", (HERE / "documents.md").read_text(encoding="utf-8"), re.M | re.S)
    assert example is not None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / example[1]).write_text(example[2], encoding="utf-8")
        judged = audit_document(folder / example[1])
        page = Page(judged, "rnn")
        page.page()
        right, wrong = ("".join(block(part) for part in page.equation(e).split("\n\n"))
                        for e in [e for e in judged.equations if e.role == "claim"][:2])
        graph = re.sub(r"@media .*?\n\}\n", "", page.extra["pictures/rnn-unrolled.svg"], flags=re.S)          # light, always
        body = f"<div><h2>A small network</h2>{graph}<h2>What a text might print</h2>{right}</div><div>{wrong}</div>"
        (folder / "page.html").write_text(f"<!doctype html><meta charset=utf-8><style>{STYLE}</style>{body}", encoding="utf-8")
        subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}",
                        f"--window-size={SIZE}", "--hide-scrollbars", f"--screenshot={HERE / 'report.png'}",
                        str(folder / "page.html")], check=True, capture_output=True)


if __name__ == "__main__":
    main(sys.argv[1])
