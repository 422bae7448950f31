r"""Shapes in the free words that stand beside a claim: ``h x d``, ``n (column)``, ``scalars``; names may be lists or patterns.

>>> shapes_in_words({"h_t, c_t": "n (column)", "W_*": "n x d", "all": "scalars"}, ["W_f h_t"])
{'h_t': 'vector n', 'c_t': 'vector n', 'W_f': 'matrix n d'}
>>> list(unread({"h_t": "columns", "q": "different from h", "A": "symmetric n x n"})), list(narrowing({"A, B": "symmetric n x n"}))
(['q: different from h', 'A: symmetric n x n'], ['A', 'B'])
"""
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from symrnn.read.symbols import KINDS, Declared

NARROW = re.compile(
    r"\b(?<!or )(?:(?:skew-?)?symmetric|diagonal|orthogonal|orthonormal|unitary|positive(?:[- ](?:semi-?)?definite)?|negative|"
    r"non-?negative|non-?zero|invertible|non-?singular|singular|(?:upper|lower)?[- ]?triangular|identity|normali[sz]ed|stochastic|"
    r"binary|constant|sparse|integers?|small|large|bounded)\b,?\s*", re.I)
"""Words that say more of an array than its shape."""
PLAIN = re.compile(r"(?:column|row)s?(?: vectors?)?|vectors?|matri(?:x|ces)|any|numbers?", re.I)
"""Words that say nothing of sizes and no more than what is inferred."""
NAMES = re.compile(r",\s*(?![^{(\[]*[})\]])")
"""What stands between the names of a list."""


def shapes_in_words(shapes: Mapping[str, str], formulas: Sequence[str]) -> dict[str, str]:
    """The shapes that are given, as declarations of each name that stands in some formulas."""
    words: dict[str, str] = {}
    for names, spec in shapes.items():
        for name in NAMES.split(names):
            found = shape_words(spec)
            if found is not None and name.strip() != "all":
                words |= dict.fromkeys(matching(name.strip(), formulas), found)
    return words


def stated_shapes(shapes: Mapping[str, str], formulas: Sequence[str]) -> dict[str, Declared]:
    """The same as declarations."""
    found = [Declared.parse(name, words) for name, words in shapes_in_words(shapes, formulas).items()]
    return {d.name: d for d in found}


def matching(pattern: str, formulas: Sequence[str]) -> list[str]:
    """The names that a key of shapes speaks of: itself, or with a star for the label what the formulas hold.

    >>> matching("W_*", ["W_f x + W_{hh} h + V"]), matching("V", ["W"])
    (['W_f', 'W_{hh}'], ['V'])
    """
    if "*" not in pattern:
        return [pattern]
    base = re.escape(pattern.split("_")[0].split("*")[0])
    found = (m for f in formulas for m in re.findall(rf"(?<![A-Za-z\\]){base}_(?:\{{[^{{}}]*\}}|\\?\w)", f))
    return list(dict.fromkeys(re.sub(r"\s*,\s*t\s*\}$", "}", m) for m in found))


def shape_words(words: str) -> str | None:
    """``n x m``, ``n`` and the like as declarations; None when they say nothing about sizes.

    >>> shape_words("n_h x n_x"), shape_words("n_h"), shape_words("vector n_h, sequence"), shape_words("positive scalar")
    ('matrix n_h n_x', 'vector n_h', 'vector n_h, sequence', 'scalar')
    >>> shape_words("h (column)"), shape_words("1 x h"), shape_words("one-hot, |V|"), shape_words("columns")
    ('vector h', 'matrix 1 h', 'vector V', None)
    """
    words = NARROW.sub("", re.sub(r"\([^()]*(?:column|row|diagonal|single|symmetric)[^()]*\)", "", words)).strip(" ,")
    words = re.sub(r"^one-hot,?\s*", "", words)
    if words.split(",")[0].split(" ")[0] in {*KINDS, "matrix", "time"}:
        return words
    if re.search(r"\bscalars?\b", words):
        return "scalar"
    words = words.split(",")[0].replace("|", "").strip()
    if len(re.split(r"\s+x\s+|×|\\times", words)) > 2:
        return None
    size = r"(?:\([^()]*\)|[\w{}\\^+ -]+?)"
    if pair := re.fullmatch(rf"({size})\s*(?:x|×|\\times)\s*({size})", words):
        left, right = (s.strip("() ").replace(" ", "") for s in pair.groups())
        return f"vector {left}" if right == "1" else f"matrix {left} {right}"
    return f"vector {words}" if re.fullmatch(r"[A-Za-z_{}0-9]+", words) and words not in ("columns", "any", "units") else None


def unread(shapes: Mapping[str, str]) -> Iterator[str]:
    """What is said of shapes and not understood, or of which more is said than a shape."""
    for names, words in shapes.items():
        if NARROW.search(words) or shape_words(words) is None and not PLAIN.fullmatch(words.strip()):
            yield f"{names}: {words}"


def narrowing(shapes: Mapping[str, str]) -> Iterator[str]:
    """The names of which more is said than a shape, so that what fails in general may hold for them."""
    yield from (name.strip() for names, words in shapes.items() if NARROW.search(words) for name in NAMES.split(names))
