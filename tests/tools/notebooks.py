"""Notebooks run in plain Python: the cells in order, what they print and show compared with the outputs that are stored.

`python tests/tools/notebooks.py NOTEBOOK...` runs notebooks and stores their outputs anew.
"""
from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def load(path: Path) -> Json:
    return json.loads(path.read_text(encoding="utf-8"))


def source(cell: Json) -> str:
    return "".join(cell["source"])


def run(notebook: Json) -> Iterator[list[Json]]:
    """The outputs of each code cell, in order. The cells share one namespace and the working directory."""
    names: Json = {"__name__": "__main__"}
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            yield outputs(source(cell), names, count)


def outputs(text: str, names: Json, count: int) -> list[Json]:
    """What a cell prints, and the value of its last line if that is an expression."""
    body = ast.parse(text).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), f"cell {count}", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {count}", "eval"), names)
    found: list[Json] = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if value is not None:
        data = {kind: lines(text) for kind, text in sorted(forms(value).items())}
        found.append({"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"})
    return found


def forms(value: Any) -> dict[str, str]:
    """What a notebook asks a value for."""
    if hasattr(value, "_repr_mimebundle_"):
        return dict(value._repr_mimebundle_())
    if hasattr(value, "_repr_svg_"):
        return {"image/svg+xml": value._repr_svg_(), "text/plain": "<picture>"}
    return {"text/plain": repr(value)}


def lines(text: str) -> list[str]:
    """Text as notebooks store it."""
    return text.splitlines(keepends=True)


@contextlib.contextmanager
def elsewhere() -> Iterator[None]:
    """A working directory of its own, from which modules are imported too."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        sys.path.insert(0, os.getcwd())
        try:
            yield
        finally:
            sys.path.pop(0)


def refreshed(notebook: Json) -> Json:
    """The notebook with the outputs of a run."""
    with elsewhere():
        found = iter(list(run(notebook)))
    cells = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            shown = next(found)
            cell = {**cell, "outputs": shown, "execution_count": 1 + sum(c["cell_type"] == "code" for c in cells)}
        cells.append(cell)
    return {**notebook, "cells": cells}


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(json.dumps(refreshed(load(Path(name))), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
