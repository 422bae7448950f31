"""The formats of documents: a row for each, which says what files are called and how their text begins.

A scanner takes the text of a file, the path that messages print, and the folder in which the file lies, and makes the document. A
further format is a module with a scanner, and a row here.

>>> scanner("notes.qmd", "").__name__, scanner("paper", r"\\documentclass{article}").__name__
('scan_markdown', 'scan_tex')
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from symrnn.errors import DocumentError, Place
from symrnn.read.document import Document
from symrnn.read.formats.html import scan_html
from symrnn.read.formats.markdown import scan_markdown
from symrnn.read.formats.notebook import scan_notebook
from symrnn.read.formats.plain import scan_plain
from symrnn.read.formats.python_source import scan_python
from symrnn.read.formats.restructured import scan_restructured
from symrnn.read.formats.tex import scan_tex

Scanner = Callable[[str, str, Path | None], Document]


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its name, its suffixes, its scanner, and what a text of it begins with where no suffix says so."""

    name: str
    suffixes: tuple[str, ...]
    scan: Scanner
    begins: str = r"(?!)"


FORMATS = (
    Format("Markdown", (".md", ".markdown", ".qmd", ".rmd"), scan_markdown),
    Format("TeX", (".tex", ".latex", ".ltx"), scan_tex, r"(?:\s|%[^\n]*\n)*\\documentclass\b"),
    Format("HTML", (".html", ".htm", ".xhtml"), scan_html, r"\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)\b"),
    Format("notebook", (".ipynb",), scan_notebook, r'\s*\{\s*"(?:cells|metadata|nbformat)"\s*:'),
    Format("reStructuredText", (".rst", ".rest"), scan_restructured),
    Format("Python", (".py", ".pyi"), scan_python, r"#![^\n]*\bpython"),
    Format("plain text", (".txt", ".text"), scan_plain),
)


def scanner(path: str, text: str) -> Scanner:
    """The scanner for a path, by its suffix; where that says nothing, by how the text begins.

    Errors: :class:`DocumentError` for a format that is not known.
    """
    suffix = Path(path).suffix.lower()
    for row in FORMATS:
        if suffix in row.suffixes:
            return row.scan
    for row in FORMATS:
        if re.match(row.begins, text, re.I):
            return row.scan
    known = ", ".join(s for row in FORMATS for s in row.suffixes)
    raise DocumentError(path, must=f"have one of the suffixes {known}", came=suffix or "no suffix", where=Place(path),
                        next_step="Convert the document, or rename it if it is Markdown.")
