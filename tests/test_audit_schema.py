"""The JSON Schema of audits: it takes the example and refuses what the contract forbids."""

from __future__ import annotations

import json
from importlib.resources import files

import jsonschema
import pytest

from symrnn.codes import CODES

SCHEMA = json.loads((files("symrnn") / "schema" / "audit.json").read_text(encoding="utf-8"))
CHECKER = jsonschema.Draft202012Validator(SCHEMA)


def relation(audit):
    return audit["documents"][0]["equations"][0]["relations"][0]


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_example_is_valid(audit_json):
    CHECKER.validate(audit_json)


def test_a_definition_has_no_verdict(audit_json):
    equation = audit_json["documents"][0]["equations"][0]
    equation.update(role="definition", verdict=None, reason=None, fix=None, relations=[])
    CHECKER.validate(audit_json)


def test_a_proof_for_finite_sizes_says_which(audit_json):
    relation(audit_json).update(verdict="proved", scope={"sizes": [{"n_h": 3}], "T": [4]}, error_bound="2^-60", code=None)
    CHECKER.validate(audit_json)


def every_object(value, path=()):
    """The path of every object in a JSON value whose fields are fixed (the names of sizes and values are free)."""
    if isinstance(value, dict):
        if path[-1:] not in (("values",), ("sizes",)):
            yield path
        for key, item in value.items():
            yield from every_object(item, (*path, key))
    elif isinstance(value, list):
        for n, item in enumerate(value):
            yield from every_object(item, (*path, n))


def test_no_field_may_be_missing_or_be_new(audit_json):
    text = json.dumps(audit_json)
    tried = 0
    for path in every_object(audit_json):
        for key in [*_at(audit_json, path), "news"]:
            changed = json.loads(text)
            if key == "news":
                _at(changed, path)["news"] = 1
            else:
                del _at(changed, path)[key]
            assert not CHECKER.is_valid(changed), (path, key)
            tried += 1
    assert tried > 60


def _at(value, path):
    for key in path:
        value = value[key]
    return value


@pytest.mark.parametrize("change", [
    {"verdict": "correct"},
    {"verdict": "Refuted"},
    {"verdict": "proved", "scope": None},
    {"verdict": "proved", "method": None},
    {"verdict": "proved", "error_bound": None},
    {"verdict": "proved", "error_bound": "2^-59"},
    {"verdict": "proved", "scope": {"sizes": [], "T": "all"}},
    {"verdict": "refuted", "counterexample": None},
    {"verdict": "refuted", "reason": None},
    {"verdict": "conditional", "conditions": [], "convention": None},
    {"verdict": "undecided", "reason": ""},
    {"code": "201"},
    {"scope": {"sizes": "some", "T": "all"}},
    {"readings": [{"latex": "a", "verdict": "maybe"}]},
    {"fix": {"latex": "a", "verdict": None}},
], ids=str)
def test_a_verdict_without_what_it_must_carry_is_refused(audit_json, change):
    relation(audit_json).update(change)
    assert not CHECKER.is_valid(audit_json)


@pytest.mark.parametrize("change", [{"role": "theorem"}, {"verdict": "wrong"}, {"line": 0}, {"uses": ["a", "a"]}], ids=str)
def test_an_equation_outside_the_contract_is_refused(audit_json, change):
    audit_json["documents"][0]["equations"][0].update(change)
    assert not CHECKER.is_valid(audit_json)


def test_a_shape_conflict_needs_no_counterexample(audit_json):
    relation(audit_json).update(code="SR101", counterexample=None)
    CHECKER.validate(audit_json)


@pytest.mark.parametrize("row", CODES, ids=lambda row: row.id)
def test_every_finding_code_is_valid_in_an_audit(audit_json, row):
    relation(audit_json)["code"] = row.id
    CHECKER.validate(audit_json)
