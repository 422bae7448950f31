"""Certificates: what a verdict states, in plain form, for a checker that shares nothing with symrnn.

The format stands in docs/certificate.md. A certificate says what the stand-alone checker establishes: it is tried with every one
before it is written, first for all sizes and every T, then for finite ones. What is not established there is not stated.
"""
from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from typing import Any

from symrnn.expr import Expr, Index, Symbol, Time, symbols, walk
from symrnn.prove.claim import Claim, Condition, Unsupported
from symrnn.prove.decide import IMMEDIATE, total_reading
from symrnn.prove.grid import enough_steps, size_value
from symrnn.prove.numbers import System
from symrnn.prove.reals import instances
from symrnn.prove.refute import Counterexample, counterexample
from symrnn.prove.verdict import Verdict
from symrnn.standalone import symrnn_check as checker

READING = checker.NOT_CHECKED
CERTIFIED = ("proved", "conditional", "refuted")
STEPS = (1, 2, 4)
"""The numbers of steps at which a statement is established where it is not for every T."""


@dataclass(frozen=True)
class Place:
    """A piece of a text: where it begins, from 1, and what it is."""

    line: int
    column: int
    text: str

    def to_json(self) -> dict[str, Any]:
        return {"line": self.line, "column": self.column, "text": self.text, "sha256": sha256(self.text.encode()).hexdigest()}


@dataclass(frozen=True)
class Source:
    """Where a claim stands, and the definitions that its verdict uses."""

    claim: Place
    file: str = ""
    cell: int | None = None
    definitions: tuple[Place, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {"file": self.file, "cell": self.cell, "claim": self.claim.to_json(), "definitions": [d.to_json() for d in self.definitions]}


@dataclass(frozen=True)
class Certificate:
    """A certificate that the stand-alone checker accepts: ``full`` if it establishes the whole scope of the verdict."""

    value: Mapping[str, Any]
    full: bool

    @property
    def text(self) -> str:
        """The file."""
        return json.dumps(self.value, indent=1, sort_keys=True) + "\n"


def certify(claim: Claim, verdict: Verdict, source: Source) -> Certificate | None:
    """The certificate of a verdict on a claim, or None where the checker establishes nothing of it.

    >>> from symrnn.expr import symbol
    >>> from symrnn.model import Model
    >>> from symrnn.prove.decide import decide
    >>> A, v = symbol("A", ("n", "m"), "parameter"), symbol("v", ("n", 1))
    >>> claim = Claim((v.T @ A).T, A.T @ v, Model("none", ()))
    >>> found = certify(claim, decide(claim), Source(Place(1, 1, "(v^T A)^T = A^T v")))
    >>> found.full, found.value["establishes"]
    (True, {'sizes': 'all', 'T': 'all'})
    """
    if verdict.word not in CERTIFIED:
        return None
    for statement, evidence, establishes in attempts(claim, verdict):
        found = issued(str(verdict.word), statement, source, evidence, establishes)
        if found is not None:
            return found
    return None


def issued(word: str, statement: Mapping[str, Any], source: Source, evidence: Mapping[str, Any],
           establishes: Mapping[str, Any]) -> Certificate | None:
    """The certificate with its hash, if the checker accepts it."""
    value: dict[str, Any] = {"format": checker.FORMAT, "version": checker.VERSION, "word": word, "statement": statement,
                             "source": source.to_json(), "evidence": evidence, "establishes": establishes, "not_established": [READING]}
    value["hash"] = checker.hash_of(value)
    try:
        report = checker.check(json.dumps(value))
    except checker.Refused:
        return None
    return Certificate(value, report.full)


def attempts(claim: Claim, verdict: Verdict) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
    """Statement, evidence and what is established, strongest first."""
    if verdict.word == "refuted":
        for reading in refuted_readings(claim, verdict):
            if verdict.method == "shapes":
                yield plain(reading), {"kind": "shapes"}, {"shapes": True}
                continue
            try:
                found = counterexample(reading, enough_steps(reading))
            except Unsupported:
                continue
            if found is not None:
                yield plain(reading), point(reading, found), {"point": True}
        return
    statement = plain(proved_reading(claim, verdict))
    names = checker.Statement(statement).sizes
    yield statement, {}, {"sizes": "all", "T": "all"}
    yield statement, {}, {"sizes": {name: k for k, name in enumerate(names, 2)}, "T": list(STEPS)}


def refuted_readings(claim: Claim, verdict: Verdict) -> Iterator[Claim]:
    """The claims that a refutation may speak of."""
    yield total_reading(claim)
    if any(c.endswith("counts as zero") for c in verdict.conditions):
        yield replace(claim, conditions=(*claim.conditions, Condition("beyond-zero", (), "what does not exist counts as zero")))
    yield replace(claim, conditions=(*claim.conditions, Condition("immediate", (), IMMEDIATE)))


def proved_reading(claim: Claim, verdict: Verdict) -> Claim:
    """The claim with the condition under which it was proved."""
    if verdict.convention == "immediate derivative":
        return replace(claim, conditions=(*claim.conditions, Condition("immediate", (), IMMEDIATE)))
    if verdict.word == "conditional":
        past = {s.name for e in (claim.left, claim.right, *(q.right for q in claim.model.equations)) for s in symbols(e)
                if s.time is not None and f"{s.name} is zero" in str(verdict.convention)}
        return replace(claim, conditions=(*claim.conditions, *(Condition("past-zero", (name,)) for name in sorted(past))))
    return total_reading(claim)


# ------------------------------------------------------------------------------------------------------------------------ plain form
def plain(claim: Claim) -> dict[str, Any]:
    """The claim, its network and its conditions as JSON values.

    >>> from symrnn.expr import symbol
    >>> from symrnn.model import Model
    >>> u = symbol("u")
    >>> plain(Claim(u + u, 2 * u, Model("none", ())))["nodes"][:2]
    [['sym', [], {'name': 'u', 'shape': [1, 1], 'kind': 'variable', 'time': None}], ['add', [0, 0], None]]
    """
    m = claim.model
    table: dict[Expr, int] = {}
    nodes: list[list[Any]] = []

    def number(root: Expr) -> int:
        for e in walk(root):
            if e not in table:
                table[e] = len(nodes)
                nodes.append([e.op, [table[a] for a in e.args], attribute(e)])
        return table[root]
    left, right = number(claim.left), number(claim.right)
    equations = [{"left": number(Expr("sym", (), q.left)), "right": number(q.right)} for q in m.equations]
    return {"relation": claim.relation, "nodes": nodes, "left": left, "right": right,
            "model": {"equations": equations, "loss": m.loss, "total": m.total, "initial": m.initial, "simplex": sorted(m.simplex),
                      "at_end": m.at_end},
            "conditions": [{"kind": c.kind, "subject": [part(s) for s in c.subject]} for c in claim.conditions]}


def attribute(e: Expr) -> Any:
    """What a node says beside its arguments."""
    a = e.attr
    if isinstance(a, Symbol):
        return {"name": a.name, "shape": list(a.shape), "kind": a.kind, "time": part(a.time)}
    if e.op == "num":
        return str(Fraction(a))
    return part(a)


def part(value: Any) -> Any:
    """A step, an index, or a tuple of such as JSON."""
    if isinstance(value, Time):
        return [value.base, value.offset]
    if isinstance(value, Index):
        return {"name": value.name, "size": value.size}
    return [part(v) for v in value] if isinstance(value, tuple) else value


def point(claim: Claim, found: Counterexample) -> dict[str, Any]:
    """A counterexample as evidence."""
    names = [e.attr for side in (claim.left, claim.right, *(q.right for q in claim.model.equations)) for e in walk(side) if e.op == "apply"]
    rows = [{"name": name, "step": step, "rows": [[str(q) for q in row] for row in values]} for name, step, values in found.assignment]
    return {"kind": "point", "T": found.T, "sizes": dict(found.sizes), "times": dict(found.times), "indices": dict(found.indices),
            "entry": list(found.entry), "values": rows,
            "functions": {**{name: [str(c) for c in row.coefficients] for name, row in instances(names).items()},
                          **vector_functions(claim, found.sizes)}}


def vector_functions(claim: Claim, sizes: Mapping[str, int]) -> dict[str, Any]:
    """The quadratic functions that stand for the unspecified vector functions: for each entry the coefficients of each argument."""
    out: dict[str, Any] = {}
    for e in (e for side in (claim.left, claim.right, *(q.right for q in claim.model.equations)) for e in walk(side)):
        if e.op in ("vcall", "vjac"):
            name, shift = str(e.attr[0]), sum(map(ord, str(e.attr[0]))) % 5
            rows = size_value(e.attr[1][0], sizes)
            count = sum(size_value(a.shape[0], sizes) for a in e.args if a.shape is not None)
            weights = [System.weight(name, i, shift) for i in range(rows)]
            out[name] = [[[str(c) for c in weight(k)] for k in range(count)] for weight in weights]
    return out


def summary(found: Iterable[Certificate | None]) -> str:
    """How many certificates there are, in a sentence.

    >>> summary([None])
    '0 certificates: 0 establish the whole verdict, 0 a smaller scope; 1 verdict without a certificate'
    """
    rows = list(found)
    made = [c for c in rows if c is not None]
    full, none = sum(c.full for c in made), len(rows) - len(made)
    return (f"{len(made)} certificate{'s' * (len(made) != 1)}: {full} establish the whole verdict, {len(made) - full} a smaller scope; "
            f"{none} verdict{'s' * (none != 1)} without a certificate")
