"""Which errors of a document follow from an earlier one: the same wrong formula, printed again or used inside another.

>>> from symrnn.expr import symbol
>>> from symrnn.judge import Relation
>>> from symrnn.model import Model
>>> from symrnn.prove.claim import Claim
>>> from symrnn.prove.verdict import Verdict
>>> W, x, y, r = symbol("W", ("n", "n")), symbol("x", ("n", 1)), symbol("y", ("n", 1)), symbol("r")
>>> wrong = Verdict("refuted", "SR299", "they differ")
>>> first = Relation("y = W x", wrong, Claim(y, W @ x, Model.build("m", [])))
>>> second = Relation("z = r W x", wrong, Claim(y, r * (W @ x), Model.build("m", [])))
>>> [[r.verdict.cause for r in rows] for rows in with_causes([("eq-1", (first,)), ("eq-2", (second,))])]
[[None], ['eq-1']]
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from symrnn.expr import Expr, symbols, walk
from symrnn.judge import Relation


def with_causes(equations: Iterable[tuple[str, tuple[Relation, ...]]]) -> list[tuple[Relation, ...]]:
    """The relations of each equation, a refuted one with the name of the first equation whose wrong right side it has in it."""
    wrong: dict[Expr, str] = {}
    out = []
    for name, relations in equations:
        rows = []
        for r in relations:
            if r.claim is None or r.verdict.word != "refuted":
                rows.append(r)
                continue
            inside = [x for side in (r.claim.left, r.claim.right) for x in walk(side)]
            cause = next((wrong[x] for x in reversed(inside) if x in wrong and wrong[x] != name), None)
            rows.append(replace(r, verdict=replace(r.verdict, cause=cause)) if cause else r)
            if len(set(symbols(r.claim.right))) > 1:                  # a single symbol is wrong in one place and right in another
                wrong.setdefault(r.claim.right, name)
        out.append(tuple(rows))
    return out
