"""The pages of the findings."""

from __future__ import annotations

import re

import pytest

from symrnn import codes
from symrnn.codes import CODES
from symrnn.errors import CallError

PERMANENT = {
    "SR101": "shape-conflict", "SR102": "free-index", "SR103": "undeclared-symbol",
    "SR201": "missing-transpose", "SR202": "wrong-order", "SR203": "wrong-sign", "SR204": "wrong-time-index",
    "SR205": "wrong-symbol", "SR206": "missing-factor", "SR207": "extra-factor", "SR208": "wrong-sum-range",
    "SR209": "wrong-derivative-kind", "SR210": "wrong-function", "SR299": "wrong-value",
    "SR301": "unreadable", "SR302": "ambiguous-reading", "SR303": "unsupported-construct", "SR304": "limit",
    "SR305": "internal-fault",
    "SR401": "size-from-steps", "SR402": "wrong-count", "SR403": "wrong-range", "SR404": "wrong-step", "SR405": "bound-too-wide",
    "SR406": "wrong-parameter-count", "SR407": "wrong-arrangement",
}


def test_no_code_is_renamed_or_removed():
    assert {row.id: row.slug for row in CODES}.items() >= PERMANENT.items()


def test_codes_are_in_order_and_unique():
    ids = [row.id for row in CODES]
    assert ids == sorted(set(ids))
    assert len({row.slug for row in CODES}) == len(ids)
    assert all(re.fullmatch(r"SR[1-9]\d\d", id) for id in ids)


@pytest.mark.parametrize("row", CODES, ids=lambda row: row.id)
def test_a_page_says_everything_there_is_to_say(row):
    flat = " ".join(codes.page(row).split())
    for text in (row.id, row.slug, row.title, row.what, row.why, row.example, row.fix, row.limits):
        assert text and " ".join(text.split()) in flat
    assert row.example != row.fix


@pytest.mark.parametrize("name", ["SR201", "sr201", " missing-transpose "])
def test_a_finding_is_found_by_its_code_or_its_name(name):
    assert codes.code(name).id == "SR201"


def test_an_unknown_code_names_the_closest_one():
    with pytest.raises(CallError, match="Did you mean missing-transpose?"):
        codes.code("missing-transposes")


def test_the_overview_has_a_line_for_each_finding():
    assert [line.split()[0] for line in codes.overview().splitlines()] == [row.id for row in CODES]
