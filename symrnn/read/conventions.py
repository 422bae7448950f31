r"""How derivatives lie by the words of a text: in which of the layouts its equations may be meant.

>>> layouts("We use the denominator layout."), layouts(r"Here $\frac{\partial a}{\partial b}$ is the transpose of the Jacobian.")
(('denominator', 'transposed'), ('transposed',))
>>> layouts(r"The $(i, j)$ entry of $\partial y / \partial x$ is $\partial y_j / \partial x_i$.")
('transposed',)
>>> layouts("Gradients are row vectors."), layouts("We do not use the numerator layout."), layouts("A row of weights.")
(('rows', 'numerator'), ('denominator',), ('denominator',))
"""
from __future__ import annotations

import re
from collections.abc import Iterator

HOUSE = ("denominator",)
_ROW, _COLUMN = r"\brows?\b[^.;]{0,40}?\b", r"\bcolumns?\b[^.;]{0,40}?\b"
_IN, _OUT = r"(?:inputs?|denominators?)\b", r"(?:outputs?|numerators?)\b"
_ON = r"[^.;]{0,40}?"
_MEANT = r"(?:is|are|be|lies?|as|means?|denotes?|stands? for|written|treated?|taken|understood|arranged|stored)"
_DERIVATIVE = r"(?:gradients?|derivatives?|differentials?|\\nabla|\\partial)"

TABLE: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"\bnumerator[- ](?:layout|convention)", ("numerator", "rows")),
    (r"\bJacobian (?:layout|formulation|convention)", ("numerator", "rows")),
    (rf"{_DERIVATIVE}[^.;]{{0,80}}?\b{_MEANT}\b[^.;]{{0,40}}?\brow(?:s| vectors?|-vectors?)\b(?! of)", ("rows", "numerator")),
    (rf"\brow(?:s| vectors?|-vectors?) (?:for|as|are|hold) [^.;]{{0,30}}?\b{_DERIVATIVE}", ("rows", "numerator")),
    (rf"\bcolumns?(?: vectors?|-vectors?)? (?:for|as|are|hold) [^.;]{{0,30}}?\b{_DERIVATIVE}", ("denominator", "numerator")),
    (r"\bdenominator[- ](?:layout|convention)", ("denominator", "transposed")),
    (r"\b(?:gradient|Hessian) (?:layout|formulation|convention)", ("transposed",)),
    (rf"{_DERIVATIVE}[^.;]{{0,80}}?\b{_MEANT} (?:\w+ ){{0,3}}?transposed?(?: of)?(?: \w+){{0,2}} Jacobians?\b", ("transposed",)),
    (r"\bJacobians?\b[^.;]{0,60}?\b(?:is|are|stands?|written|stored|printed|taken) (?:\w+ )?(?:transposed|as (?:its|the|their) transpose)",
     ("transposed",)),
    (_ROW + _OUT + _ON + _COLUMN + _IN, HOUSE),
    (_COLUMN + _IN + _ON + _ROW + _OUT, HOUSE),
    (_ROW + _IN + _ON + _COLUMN + _OUT, ("transposed",)),
    (_COLUMN + _OUT + _ON + _ROW + _IN, ("transposed",)),
    (rf"\A(?=.*(?:{_DERIVATIVE}|Jacobian))(?=.*\brows?\b)(?=.*\bcolumns?\b)", ("denominator", "transposed")),
)
"""What a text says of its derivatives, each with the layouts that it may mean; the first of them is the likeliest."""

ROWS = tuple((re.compile(pattern.replace(" ", r"\s+"), re.I | re.S), meant) for pattern, meant in TABLE)
DENIED = re.compile(r"\b(?:not|never|no|neither|nor|unlike|instead|rather|other|others|another|some|sometimes|many|most|\w+n[’']t)\b", re.I)
"""Words by which a sentence may say that it is not so here."""
ENTRY = re.compile(r"\(\s*(\w)\s*,\s*(\w)\s*\)[^A-Za-z]*(?:-?th )?(?:entry|element|component|coefficient)s?\b")
QUOTIENT = re.compile(r"\\partial\s*\\?\w+_\{?(\w)\b\}?[\s}{/]*\\partial\s*\\?\w+_\{?(\w)\b")
"""An entry by its row and column, and the quotient that it is."""
_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n\s*\n")


def layouts(text: str) -> tuple[str, ...]:
    """The layouts in which the derivatives of a text may lie, the likeliest first; that of the house where it says nothing."""
    said = [meant for sentence in _SENTENCE.split(text) if not DENIED.search(sentence) for meant in _meant(sentence)]
    if not said:
        return HOUSE
    agreed = tuple(x for x in said[0] if all(x in meant for meant in said))
    return agreed or tuple(dict.fromkeys(x for meant in said for x in meant))


def _meant(sentence: str) -> Iterator[tuple[str, ...]]:
    """What a sentence says of derivatives: by the rows of the table, or by an entry of one."""
    yield from (meant for mark, meant in ROWS if mark.search(sentence))
    for entry in ENTRY.finditer(sentence):
        for quotient in QUOTIENT.finditer(sentence):
            if set(entry.groups()) == set(quotient.groups()):
                yield HOUSE if entry.groups() == quotient.groups() else ("transposed",)
