"""What else the equations of a text may mean: definitions that contradict each other, and layouts that its words leave open.

A claim is judged under each. Where the verdicts agree they stand; where they do not, nothing is decided.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from symrnn.judge import Relation
from symrnn.prove.verdict import Verdict
from symrnn.setting import Setting

DECISIVE = ("proved", "conditional", "refuted", "agrees")
WORDS = {"denominator": "with a row for each output", "transposed": "with a row for each input",
         "rows": "with gradients by vectors as rows", "numerator": "with gradients as rows"}
"""How derivatives lie in each layout."""


@dataclass(frozen=True)
class Alternative:
    """A scope in which an equation may be meant: why, and what is meant in it and otherwise."""

    setting: Setting
    why: str
    here: str
    otherwise: str


def alternatives(setting: Setting, offset: int) -> Iterator[Alternative]:
    """The other meanings of what stands in a scope at an offset."""
    for layout in setting.layouts[1:]:
        other = replace(setting, scope=replace(setting.scope, layout=layout))
        yield Alternative(other, "the text does not say how derivatives lie", WORDS[layout], WORDS[setting.scope.layout])
    for rival in setting.rivals:
        if rival.offset < offset:
            name = setting.latex.get(rival.name, rival.name)
            yield Alternative(setting.with_rival(rival), f"line {rival.line} defines {name} otherwise", "by that definition", "without it")


def settled(found: Iterable[Relation], again: Iterable[Relation], other: Alternative) -> tuple[Relation, ...]:
    """The verdicts on which two ways to read a statement agree; the others are in doubt."""
    return tuple(_agreed(a, b, other) for a, b in zip(found, again, strict=True))


def _agreed(a: Relation, b: Relation, other: Alternative) -> Relation:
    v, w = a.verdict, b.verdict
    if v.word not in DECISIVE:
        return a
    if v.word == w.word:
        same = v.fix is None or w.fix is not None and v.fix.latex == w.fix.latex
        return a if same else replace(a, verdict=replace(v, fix=None), fixed=None)
    reason = f"{other.why}: {other.otherwise} it is {v.word}, {other.here} {w.word}"
    return replace(a, verdict=Verdict("undecided", "SR303", reason))
