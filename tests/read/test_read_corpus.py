"""The corpus of freshly written equations: expected trees, notes and alternatives, round trip, agreement of the grammars."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from symrnn.read.reader import Reading, read
from symrnn.read.show import show
from symrnn.read.symbols import SymbolTable
from symrnn.read.tree import OPS, problems, walk

CORPUS = Path(__file__).parents[1] / "corpus"
FILES = sorted(CORPUS.glob("reading-*.jsonl"))


def load(path: Path) -> list[tuple[SymbolTable, dict]]:
    """The equations of a file, each with the table on the first line."""
    first, *rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    table = SymbolTable.from_mapping(first["table"])
    return [(table, row) for row in rows]


EQUATIONS = [pytest.param(table, row, id=f"{path.stem}-{k}") for path in FILES for k, (table, row) in enumerate(load(path), 1)]


def read_row(table: SymbolTable, row: dict) -> Reading:
    reading = read(row["latex"], table)
    assert reading.unread is None, reading.unread
    return reading


def test_the_corpus_is_large_and_has_every_time_style():
    assert len(EQUATIONS) >= 140
    assert {table.time for path in FILES for table, _ in load(path)} == {"sub", "sup", "call", "angle", "bare", "bracket"}


@pytest.mark.parametrize(("table", "row"), EQUATIONS)
def test_an_equation_of_the_corpus_is_read_as_expected(table: SymbolTable, row: dict):
    reading = read_row(table, row)
    assert str(reading.tree) == row["tree"]
    assert sorted({note.code for note in reading.warnings}) == row.get("notes", [])
    assert [str(tree) for tree in reading.alternatives] == row.get("alternatives", [])
    assert problems(reading.tree) == []


@pytest.mark.parametrize(("table", "row"), EQUATIONS)
def test_an_equation_of_the_corpus_survives_printing_and_reading(table: SymbolTable, row: dict):
    tree = read_row(table, row).tree
    assert read(show(tree, table), table, second=False).tree == tree


def test_every_node_of_the_corpus_stands_inside_its_span():
    for path in FILES:
        for table, row in load(path):
            for node in walk(read_row(table, row).tree):
                assert 0 <= node.span[0] <= node.span[1] <= len(row["latex"]), (row["latex"], node)


def test_the_grammars_disagree_only_where_notation_is_ambiguous():
    doubtful = [row["latex"] for path in FILES for _, row in load(path) if "two-grammars" in row.get("notes", ())]
    assert doubtful == [r"\lambda = -\log \alpha \cdot \theta"]


def test_the_corpus_uses_every_operation():
    used = {node.op for path in FILES for table, row in load(path) for node in walk(read_row(table, row).tree)}
    assert set(OPS) - used == set()


# -- the labelled equations of five published texts, where they are at hand ----------------------------------------------
CASES = os.environ.get("SYMRNN_CASES", "")


@pytest.fixture(scope="module")
def labelled() -> list[dict]:
    path = Path(CASES) / "seed-equations.json"
    if not CASES or not path.is_file():
        pytest.skip("SYMRNN_CASES does not name a folder with the labelled equations")
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def table_of(request: pytest.FixtureRequest):
    import importlib.util

    spec = importlib.util.spec_from_file_location("reading_tables", Path(__file__).with_name("tables.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return lambda row: module.table_for(row["seed"][2], row["line"])


def test_every_labelled_equation_is_read_and_survives_printing(labelled: list[dict], table_of):
    for row in labelled:
        table = table_of(row)
        reading = read(row["latex"], table)
        assert reading.unread is None, (row["id"], reading.unread)
        assert not [note for note in reading.warnings if note.code in ("undeclared", "two-grammars")], row["id"]
        assert read(show(reading.tree, table), table, second=False).tree == reading.tree, row["id"]


def test_the_labelled_displays_have_the_expected_relations(labelled: list[dict], table_of):
    displays = [row for row in labelled if row["kind"] != "inline"]
    assert len({row["latex"] for row in displays}) == 57
    for row in displays:
        tree = read(row["latex"], table_of(row), second=False).tree
        relations = sum(node.op == "Rel" for node in walk(tree))
        steps = [step for step in row.get("steps") or [] if step["step"] != "empty row"]
        assert not steps or relations == len(steps), (row["id"], relations, len(steps))


def test_the_doubtful_sums_of_the_labelled_equations_have_both_readings(labelled: list[dict], table_of):
    doubtful = {row["id"] for row in labelled if read(row["latex"], table_of(row)).alternatives}
    assert doubtful == {"s3-183", "s3-215", "s3-219"}
