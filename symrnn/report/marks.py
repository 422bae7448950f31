r"""Where two formulas differ: each with ``\changed{...}`` around what the other does not have in that place.

>>> compared(r"h_t = W h_t + b", r"h_t = W h_{t-1} + b")
('h_{t} = W h_{\\changed{t}} + b', 'h_{t} = W h_{\\changed{t-1}} + b')
>>> compared("a = b - c", "a = b + c")
('a = b \\mathbin{\\changed{-}} c', 'a = b \\mathbin{\\changed{+}} c')
"""
from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from symrnn.write.pieces import Piece, Unclosed, latex, pieces

MOST = 0.75
"""The part of a formula that may differ; if more does, nothing is marked, as it is another formula."""


def compared(printed: str, right: str) -> tuple[str, str]:
    """Both formulas with their differences marked; as they are where one has no tree, or they have little in common."""
    try:
        a, b = pieces(printed), pieces(right)
    except Unclosed:
        return printed, right
    left, other = _marked(a, b)
    if min(_share(left), _share(other)) > MOST:
        return printed, right
    return latex(left), latex(other)


def unmarked(source: str) -> str:
    r"""A formula without its marks.

    >>> unmarked(r"a \mathbin{\changed{-}} W^{\changed{\top}}")
    'a - W^{\\top}'
    """
    try:
        return latex(_plain(pieces(source))) if r"\changed" in source else source
    except Unclosed:
        return source


def _plain(found: Iterable[Piece]) -> tuple[Piece, ...]:
    return tuple(replace(p, marked=False, groups=tuple(map(_plain, p.groups)), scripts=tuple((m, _plain(g)) for m, g in p.scripts))
                 for p in found)


def _key(p: Piece) -> str:
    """What counts of a piece: not its spaces, nor the size of a bracket."""
    return re.sub(r"\\(?:left|right|[bB]igg?[lr]?)(?![a-z])|\s", "", p.text)


def _marked(a: Sequence[Piece], b: Sequence[Piece]) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Two sequences with what is only in one of them marked; of two like pieces in one place, the parts that differ."""
    a, b = ([p for p in side if p.kind != "space"] for side in (a, b))
    left: list[Piece] = []
    right: list[Piece] = []
    for change, i, j, k, m in SequenceMatcher(None, [*map(_key, a)], [*map(_key, b)], autojunk=False).get_opcodes():
        if change == "equal":
            left += a[i:j]
            right += b[k:m]
        elif change == "replace" and j - i == m - k:
            for x, y in zip(a[i:j], b[k:m], strict=True):
                p, q = _within(x, y)
                left.append(p)
                right.append(q)
        else:
            left += (replace(p, marked=True) for p in a[i:j])
            right += (replace(p, marked=True) for p in b[k:m])
    return tuple(left), tuple(right)


def _within(x: Piece, y: Piece) -> tuple[Piece, Piece]:
    """Two pieces that differ; only their parts are marked where their heads are the same."""
    if x.head != y.head or len(x.groups) != len(y.groups) or x.rows != y.rows:
        return replace(x, marked=True), replace(y, marked=True)
    groups = [_marked(a, b) for a, b in zip(x.groups, y.groups, strict=True)]
    return _with(x, (g[0] for g in groups), y), _with(y, (g[1] for g in groups), x)


def _with(p: Piece, groups: Iterable[tuple[Piece, ...]], other: Piece) -> Piece:
    """A piece with its groups, and each script marked that its counterpart has not."""
    others = {(mark, latex(group)) for mark, group in other.scripts}
    scripts = tuple((mark, group if not group or (mark, latex(group)) in others else (Piece("", (group,), marked=True),))
                    for mark, group in p.scripts)
    return replace(p, groups=tuple(groups), scripts=scripts)


def _share(found: Sequence[Piece]) -> float:
    """The part of the pieces that is marked."""
    return sum(p.marked for p in found) / len(found) if found else 0.0
