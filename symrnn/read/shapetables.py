r"""Tables of shapes: rows with a symbol and its size, below a head that says which column is which.

>>> text = "| symbol | meaning | shape |\n|---|---|---|\n| $W_{hh}$ | weights | $n \\times n$ |\n| `x_t` | the input | (d,) |\n"
>>> list(shape_tables(text))
[('W_{hh}', 'n \\times n'), ('x_t', 'd')]
"""
from __future__ import annotations

import re
from collections.abc import Iterator

SYMBOL = re.compile(r"symbols?|variables?|names?|parameters?|quantit(?:y|ies)|tensors?|notation|weights?", re.I)
SHAPE = re.compile(r"shapes?|sizes?|dim(?:ension)?s?|dimensionality", re.I)
_ROW = re.compile(r"^[ \t]*\|?(?P<cells>[^\n|]*(?:\|[^\n|]*)+?)\|?[ \t]*$", re.M)
_RULE = re.compile(r"[ \t|:-]*-[ \t|:-]*")
_SPACE = re.compile(r"(?:\\(?:mathbb|mathbf|bm)\s*\{?\s*R\s*\}?|\\R)\s*\^\s*(?:\{(?P<braced>.*)\}|(?P<plain>\w))\Z", re.S)
_SHORT = 60
"""The longest cell that is a symbol or a size."""


def shape_tables(text: str) -> Iterator[tuple[str, str]]:
    """The symbols of the tables of a text with what stands in the column of sizes, as LaTeX without delimiters."""
    columns: tuple[int, int] | None = None
    end = -1
    for row in _ROW.finditer(text):
        if row.start() != end + 1:                                    # a table ends at the first line that is no row
            columns = None
        end = row.end()
        cells = [cell.strip() for cell in row["cells"].split("|")]
        if _RULE.fullmatch(row[0]):
            continue
        if columns is None:
            columns = head(cells)
        elif len(cells) > max(columns):
            latex, size = (bare(cells[k]) for k in columns)
            if latex and size and max(len(latex), len(size)) <= _SHORT:
                yield latex, size


def head(cells: list[str]) -> tuple[int, int] | None:
    """The columns of the symbols and of the sizes, where the head of a table names both.

    >>> head(["Symbol", "Size"]), head(["shape", "of", "name"]), head(["a", "b"])
    ((0, 1), (2, 0), None)
    """
    found = [next((k for k, cell in enumerate(cells) if kind.fullmatch(cell.strip("*_ "))), None) for kind in (SYMBOL, SHAPE)]
    return None if found[0] is None or found[1] is None else (found[0], found[1])


def bare(cell: str) -> str:
    r"""What stands in a cell, without delimiters; a size as a product.

    >>> bare("$n \\times n$"), bare("`(n, m)`"), bare("n x m"), bare(r"$\mathbb{R}^{n}$"), bare("(d,)")
    ('n \\times n', '(n, m)', 'n \\times m', 'n', 'd')
    """
    cell = cell.strip()
    for mark in ("$$", "$", "`"):
        if len(cell) > 2 * len(mark) and cell.startswith(mark) and cell.endswith(mark):
            cell = cell[len(mark) : -len(mark)].strip()
    if space := _SPACE.match(cell):
        cell = (space["braced"] or space["plain"]).strip()
    if one := re.fullmatch(r"[(\[]\s*(\w+)\s*,?\s*[)\]]", cell):
        cell = one[1]
    return re.sub(r"(?<=\w)\s+x\s+(?=\w)|\s*×\s*", r" \\times ", cell)
