r"""The corpus of equations in the styles of books, manuals and course notes: the canonical print of each, and its value by NumPy.

The first row of a file declares the symbols, every other row holds an equation, its canonical print and the value of its last side as a
Python expression of the arrays and the step t; a name is the canonical one with `_` for every sign, such as `hat_y`. Free component
indices make an array over them in the order of their names.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hand import Case, Drawn, Text, phi, phi_slope, sigmoid, softmax

from symrnn.read.names import canonical_name
from symrnn.read.reader import read
from symrnn.read.show import show
from symrnn.read.symbols import TIME_STYLES

FILES = sorted((Path(__file__).parents[1] / "corpus").glob("value-*.jsonl"))
FUNCTIONS = {"np": np, "phi": phi, "phi_slope": phi_slope, "sigmoid": sigmoid, "softmax": softmax, "sum": sum, "len": len, "range": range}
SIZES = ({"m": 2, "d": 3, "q": 4, "N": 5}, {"m": 3, "d": 2, "q": 5, "N": 4})


def python(name: str) -> str:
    """The name of an array in the rows."""
    return re.sub(r"[\W_]+", "_", name).strip("_")


def load(path: Path) -> list[tuple[Case, str]]:
    """The equations of a file, each with its canonical print."""
    first, *rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    declared = {canonical_name(name): words for name, words in first["text"]["symbols"].items()}
    arrays = {python(name): name for name, words in declared.items() if words.split()[0] in ("vector", "matrix", "scalar")}
    text = Text(path.stem, first["text"], names=arrays, sizes=SIZES)

    def hand(value: str) -> Any:
        code = compile(value, path.name, "eval")
        return lambda d, t: eval(code, {"__builtins__": {}, **FUNCTIONS, **{n: drawn(d, n) for n in arrays}, "t": t})

    return [(Case(text, row["latex"], hand(row["value"]), tuple(row.get("steps", (1, 2, 3, 4)))), row["print"]) for row in rows]


def drawn(d: Drawn, name: str) -> Any:
    return getattr(d, name)


ROWS = [pytest.param(case, printed, id=str(case)) for path in FILES for case, printed in load(path)]


def test_the_corpus_is_large_and_has_every_time_style():
    assert len(ROWS) >= 120
    assert {row.values[0].text.data["time"] for row in ROWS} == set(TIME_STYLES)


@pytest.mark.parametrize(("case", "printed"), ROWS)
def test_an_equation_is_printed_as_it_is_meant(case: Case, printed: str):
    table = case.text.setting.scope.table
    reading = read(case.latex, table)
    assert reading.tree is not None, reading.unread
    assert show(reading.tree, table) == printed
    assert read(printed, table, second=False).tree == reading.tree


@pytest.mark.parametrize(("case", "printed"), ROWS)
def test_an_equation_has_the_value_that_numpy_gives(case: Case, printed: str):
    for sizes in case.text.sizes:
        for where, found, expected in case.values(sizes):
            assert found.shape == expected.shape, where
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12, err_msg=where)
