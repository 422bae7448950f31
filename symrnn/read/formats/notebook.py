r"""Notebooks: cells of Markdown and of code; places are the line and column within the cell.

>>> cells = [{"cell_type": "markdown", "source": ["The state is\n", "$$ h_t = x_t $$"]}, {"cell_type": "code", "source": "h = x"}]
>>> found = scan_notebook(json.dumps({"cells": cells, "nbformat": 4}), "notes.ipynb")
>>> [(s.latex, s.cell, s.line, s.column) for s in found.spans], [(b.name, b.text) for b in found.code]
([('h_t = x_t', 0, 2, 4)], [('python', 'h = x')])
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from symrnn.errors import DocumentError, Place
from symrnn.read.definitions import Definition, definitions, gathered
from symrnn.read.document import Document
from symrnn.read.formats.markdown import blocks
from symrnn.read.frontmatter import front_matter
from symrnn.read.places import Source
from symrnn.read.weaving import Loom

_MAGIC = re.compile(r"^(?=[ \t]*[%!])[^\n]*", re.M)
"""A line that the notebook itself carries out."""


def scan_notebook(text: str, path: str, folder: Path | None = None) -> Document:
    """The document that a notebook is.

    Errors: :class:`DocumentError` where the file is no notebook, and as :func:`symrnn.read.formats.markdown.scan_markdown`.
    """
    notebook = _parsed(text, path)
    language = _language(notebook)
    loom = Loom()
    settings: Mapping[str, Any] = MappingProxyType({})
    found: list[Definition] = []
    for number, kind, body in _cells(notebook, path):
        source = Source(body, None, number)
        if kind == "code":
            with loom.code(language, source, 0):
                _woven_code(loom, source)
            continue
        start = 0
        if number == 0:
            settings, start = front_matter(body, f"{path}:cell 0")
        if kind == "markdown":
            found += definitions(body)
            with loom.words(blocks):
                loom.copy(source, start, len(body))
        loom.put("\n\n", source, len(body), len(body))
    return loom.document(path, settings, gathered(found))


def _parsed(text: str, path: str) -> Mapping[str, Any]:
    """The value that the file holds."""
    try:
        notebook = json.loads(text)
    except ValueError as error:
        line, column = (error.lineno, error.colno) if isinstance(error, json.JSONDecodeError) else (1, 1)
        raise _error("the notebook", "be JSON", getattr(error, "msg", str(error)), Place(path, line, column)) from None
    except RecursionError:
        raise _error("the notebook", "be JSON", "nesting without end", Place(path, 1)) from None
    if not isinstance(notebook, dict):
        raise _error("the notebook", "be an object with cells", type(notebook).__name__, Place(path, 1))
    return notebook


def _cells(notebook: Mapping[str, Any], path: str) -> Iterator[tuple[int, str, str]]:
    """Number, kind and text of each cell; older notebooks keep them in worksheets, and headings in cells of their own."""
    cells = notebook.get("cells")
    if cells is None and isinstance(notebook.get("worksheets"), list):
        cells = [cell for sheet in notebook["worksheets"] if isinstance(sheet, dict) for cell in sheet.get("cells") or ()]
    if not isinstance(cells, list):
        raise _error("the notebook", "have a list of cells", "none" if cells is None else type(cells).__name__, Place(path, 1))
    for number, cell in enumerate(cells):
        body = cell.get("source", cell.get("input", "")) if isinstance(cell, dict) else cell
        if isinstance(cell, dict) and isinstance(body, list) and all(isinstance(line, str) for line in body):
            body = "".join(body)
        if not isinstance(cell, dict) or not isinstance(body, str):
            raise _error(f"cell {number} of the notebook", "be an object whose source is text", type(body).__name__, Place(path))
        kind = cell.get("cell_type")
        yield number, "markdown" if kind == "heading" else str(kind), body


def _language(notebook: Mapping[str, Any]) -> str:
    """The language of the code; Python where the notebook does not say."""
    metadata = notebook.get("metadata")
    for key, field in (("language_info", "name"), ("kernelspec", "language")):
        about = metadata.get(key) if isinstance(metadata, dict) else None
        if isinstance(about, dict) and isinstance(about.get(field), str):
            return str(about[field]).split("\n")[0]
    return "python"


def _woven_code(loom: Loom, source: Source) -> None:
    """The code of a cell; lines for the notebook itself become comments."""
    at = 0
    for magic in _MAGIC.finditer(source.text):
        loom.copy(source, at, magic.start())
        loom.put("# " + magic.group().lstrip(), source, magic.start(), magic.end())
        at = magic.end()
    loom.copy(source, at, len(source.text))


def _error(subject: str, must: str, came: str, where: Place) -> DocumentError:
    return DocumentError(subject, must=must, came=came, where=where, next_step="Save the notebook again in Jupyter.")
