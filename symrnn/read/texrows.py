r"""Environments whose rows are equations of their own: where each of them begins and ends.

>>> text = "a &= b \\\\\n &= c \\\\\n d &= e \\label{e:d}"
>>> [text[low:high] for low, high in rows(text, "align", 0, len(text))]
['a &= b \\\\\n &= c', 'd &= e \\label{e:d}']
"""

from __future__ import annotations

import re

ROWED = frozenset(n + star for n in "align eqnarray gather alignat flalign IEEEeqnarray".split() for star in ("", "*"))
"""The environments that number their rows one by one."""

ARGUMENT = frozenset({"alignat", "alignat*", "IEEEeqnarray", "IEEEeqnarray*"})
"""Those that have an argument."""

_MARK = re.compile(
    r"\\begin(?![A-Za-z])|\\end(?![A-Za-z])|\\\\(?:\*|\[[^\]\n]*\])?|\\(?:left|right)(?![A-Za-z])|\\.|%[^\n]*|[{}()\[\]]", re.S)
_RELATIONS = ("leq?|geq?|neq?|ll|gg|approx|equiv|sim|propto|in|coloneqq|triangleq|doteq|leftarrow|gets|to|subset(?:eq)?|implies|iff|"
              "Rightarrow|Longrightarrow")
_GOES_ON = re.compile(
    r"\s*(?:\{\}\s*|\\[,;:! ]\s*)*(?:&|[=<>+*/.,;-]|\\(?:times|cdot|odot|circ|otimes|pm|mp|text|mbox|intertext|shortintertext|q?quad|"
    rf"hspace|right|nonumber|notag|{_RELATIONS})\b)")
_RELATION = re.compile(rf"[=<>]|\\(?:{_RELATIONS})\b")
_NUMBER = re.compile(r"(?:\s|\\(?:nonumber|notag)\b|\\(?:label|tag\*?)\s*\{[^{}]*\}|&|%[^\n]*(?:\n|\Z))*")


def rows(text: str, environment: str, low: int, high: int) -> list[tuple[int, int]]:
    """Where the equations of an environment stand whose body is between two offsets; nothing where it is one equation.

    A row that begins with a relation, with an operation or in a later column goes on with the one before it. Equations are told apart
    where they begin on lines of their own and each has its brackets closed.
    """
    if environment not in ROWED:
        return []
    if environment in ARGUMENT and (argument := re.compile(r"\s*\{[^{}]*\}").match(text, low, high)):
        low = argument.end()
    parts = _parts(text, low, high)
    if parts is None:
        return []
    found: list[tuple[int, int]] = []
    for start, end in parts:
        row = text[start:end]
        begins = start + len(row) - len(row.lstrip())
        if _NUMBER.fullmatch(row):
            if found:
                found[-1] = (found[-1][0], end)
        elif found and (_GOES_ON.match(row) or not _RELATION.search(row) or "\n" not in text[found[-1][0] : begins]):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return [_stripped(text, *f) for f in found] if len(found) > 1 else []


def _parts(text: str, low: int, high: int) -> list[tuple[int, int]] | None:
    """The rows; None where a bracket is open at the end of one."""
    parts, start, nested, braces, brackets, sized = [], low, 0, 0, 0, 0
    for found in _MARK.finditer(text, low, high):
        mark = found.group()
        if mark.startswith("\\begin") or mark.startswith("\\end"):
            nested += 1 if mark.startswith("\\b") else -1
        elif mark in ("\\left", "\\right"):
            sized += 1 if mark == "\\left" else -1
        elif mark in "{}":
            braces += 1 if mark == "{" else -1
        elif mark in "()[]":
            brackets += 1 if mark in "([" else -1
        elif mark.startswith("\\\\") and not nested and not braces:
            if brackets or sized:
                return None
            parts.append((start, found.start()))
            start = found.end()
    return None if nested or braces or sized else [*parts, (start, high)]


def _stripped(text: str, low: int, high: int) -> tuple[int, int]:
    """A stretch without the white space at its ends."""
    row = text[low:high]
    return low + len(row) - len(row.lstrip()), low + len(row.rstrip())
