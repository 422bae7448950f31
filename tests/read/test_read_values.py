"""What is elaborated has the value that a person computes from the formula: plain NumPy, several sizes, every step."""
from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import hand_network
import hand_notation
import hand_styles
import numpy as np
import pytest
from hand import Case, Text, operations
from hand_verdicts import VERDICTS

from symrnn.audit import Auditor
from symrnn.expr import Expr, add, filled, lift, smul
from symrnn.read.elaborate import ROWS, Elaborator, Meaningless
from symrnn.read.reader import read
from symrnn.read.scope import Scope
from symrnn.read.symbols import TIME_STYLES
from symrnn.read.tree import Node

TEXTS = [x for module in (hand_network, hand_styles, hand_notation)
         for x in vars(module).values() if isinstance(x, Text)]
CASES = [case for text in TEXTS for case in text.cases]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_right_side_has_the_value_that_is_computed_by_hand(case: Case):
    for sizes in case.text.sizes:
        for where, found, expected in case.values(sizes):
            assert found.shape == expected.shape, where
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12, err_msg=where)


def test_every_operation_of_the_elaborator_has_a_value():
    assert set(ROWS) - set().union(*map(operations, CASES)) == set()


@pytest.mark.parametrize("op", sorted(ROWS))
def test_a_wrong_row_of_the_elaborator_is_noticed(op: str, monkeypatch):
    right = ROWS[op]
    monkeypatch.setitem(ROWS, op, lambda E, n: wrong(right(E, n)))
    assert any(differs(replace(case)) for case in CASES if op in operations(case))


def wrong(e: Expr) -> Expr:
    """Twice the expression and one more."""
    return e if e.shape is None else add(smul(lift(2), e), filled(1, e.shape))


def differs(case: Case) -> bool:
    """Whether the value is no longer that of the hand, or there is none."""
    try:
        return not all(found.shape == expected.shape and np.allclose(found, expected, rtol=1e-9)
                       for _, found, expected in case.values(case.text.sizes[0]))
    except Meaningless:
        return True


def test_the_texts_are_many_and_in_every_time_style():
    assert len(CASES) >= 140
    assert {text.data["time"] for text in TEXTS} == set(TIME_STYLES)
    assert sum(len(claims) for claims in VERDICTS.values()) >= 40
    assert {word for claims in VERDICTS.values() for _, word in claims} == {"proved", "refuted", "conditional"}


@pytest.mark.parametrize("text", VERDICTS, ids=lambda text: text.name)
@pytest.mark.slow
def test_an_equation_of_a_document_has_the_verdict_that_was_decided_by_hand(text: Text, monkeypatch):
    monkeypatch.setattr("symrnn.judge.repair", lambda *_: None)             # what would be right is judged elsewhere
    latex, words = zip(*VERDICTS[text], strict=True)
    found = Auditor(text.source(latex)).run()[len(text.equations):]
    assert {e.span.latex: e.verdict for e in found} == dict(zip(latex, words, strict=True))


# -- the labelled equations of five published texts, where they are at hand ----------------------------------------------
def sides(n: Node) -> Iterator[Node]:
    """The sides of the relations of a display; a sum or a product is looked at as a whole."""
    if n.op in ("Rows", "Seq", "Implies", "Iff", "Where", "Chain", "Rel"):
        for part in n.nodes:
            yield from sides(part)
    else:
        yield n


def test_the_labelled_displays_are_elaborated_or_refused_with_a_reason():
    path = Path(os.environ.get("SYMRNN_CASES", "")) / "seed-equations.json"
    if not path.is_file():
        pytest.skip("SYMRNN_CASES does not name a folder with the labelled equations")
    spec = importlib.util.spec_from_file_location("reading_tables", Path(__file__).with_name("tables.py"))
    assert spec is not None and spec.loader is not None
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    meant, refused = 0, []
    for row in json.loads(path.read_text(encoding="utf-8")):
        if row["kind"] == "inline":
            continue
        table = tables.table_for(row["seed"][2], row["line"])
        tree = read(row["latex"], table, second=False).tree
        E = Elaborator(Scope(table, steps=frozenset({"T", "tau"})))
        for side in sides(tree):
            try:
                e = E(side)
                assert (e.shape is None) == (e.fault is not None)
                meant += 1
            except Meaningless as reason:
                assert reason.reason and reason.code.startswith("SR"), row["id"]
                refused.append((row["id"], reason.reason))
    assert meant > 100 and len(refused) < meant, refused
