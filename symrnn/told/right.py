r"""What a refuted sentence should say: its formula with the right value, which the same rule proves.

>>> from symrnn.prove.ranges import RANGES, elementwise, interval
>>> wrong = Relation(r"\tanh(u) \in [0, 1]", elementwise("tanh", interval("[0, 1]")))
>>> with_fix(wrong, elementwise("tanh", RANGES["tanh"]), r"\tanh(u) \in (-1, 1)", "write the range of tanh").verdict.fix.latex
'\\tanh(u) \\in (-1, 1)'
"""
from __future__ import annotations

from dataclasses import replace

from symrnn.judge import Relation
from symrnn.prove.verdict import Fix, Verdict


def with_fix(r: Relation, right: Verdict | None, latex: str, words: str) -> Relation:
    """A refuted relation with its correction, where that is proved."""
    if r.verdict.word != "refuted" or right is None or right.word != "proved":
        return r
    return replace(r, verdict=replace(r.verdict, fix=Fix(latex, right.word, (words,))))
