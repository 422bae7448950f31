"""Make docs/report.png: part of the report of the example in documents.md, as a browser shows it.

    python docs/picture.py CHROMIUM

needs the program CHROMIUM, and keeps nothing but the picture.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from symrnn.audit import audit_document
from symrnn.report.build import Builder
from symrnn.report.html import blocks, style
from symrnn.report.model import Finding, Heading, Picture, Text

HERE = Path(__file__).resolve().parent
SIZE = "1160,850"
LAYOUT = """
:root { color-scheme: light; } body { max-width: none; padding: 1rem 1.6rem; display: grid; grid-template-columns: 25rem 1fr; gap: 2rem; }
h2 { margin-top: 0.4em; } details.source, a.anchor { display: none; } img { width: 24rem; }
"""


def main(browser: str) -> None:
    """Judge the example, lay out its picture and two of its findings, take the picture."""
    example = re.search(r"````markdown file=(\S+)\n(.*?)^````$", (HERE / "documents.md").read_text(encoding="utf-8"), re.M | re.S)
    assert example is not None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / example[1]).write_text(example[2], encoding="utf-8")
        report = Builder(audit_document(folder / example[1]), "rnn").report()
        right, wrong = [b for b in report.body if isinstance(b, Finding)][:2]
        graph = next(b for b in report.body if isinstance(b, Picture))
        left = blocks((Heading((Text("A small network"),)), graph, right))
        body = f"<div>{left}</div><div>{blocks((Heading((Text('What a text might print'),)), wrong))}</div>"
        page = f'<!doctype html><meta charset="utf-8"><style>{style()}{LAYOUT}</style>{body}'
        (folder / "page.html").write_text(page, encoding="utf-8")
        subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}",
                        f"--window-size={SIZE}", "--hide-scrollbars", f"--screenshot={HERE / 'report.png'}",
                        str(folder / "page.html")], check=True, capture_output=True)


if __name__ == "__main__":
    main(sys.argv[1])
