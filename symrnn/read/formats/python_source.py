r"""Sources in Python: docstrings and comments are read as text, the statements are one listing. Nothing is run.

>>> text = "def step(h):\n    '\'\'The state :math:`h_t`.'\'\'\n    # $x_t$ is its input\n    return h\n"
>>> found = scan_python(text, "model.py")
>>> [(s.latex, s.line, s.column) for s in found.spans], found.code[0].text == text
([('h_t', 2, 25), ('x_t', 3, 8)], True)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from symrnn.read.codelines import listings
from symrnn.read.definitions import own
from symrnn.read.document import Document
from symrnn.read.formats.displays import displays
from symrnn.read.formats.restructured import weave
from symrnn.read.places import Source, Weaver
from symrnn.read.weaving import Loom

_TOKEN = re.compile(
    r"(?P<comment>#[^\n]*)|(?P<prefix>\b[A-Za-z]{1,2})?(?P<mark>\"{3}|'{3})|(?:\b[A-Za-z]{1,2})?(?:\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?)"
    r"|[()\[\]{}]", re.S)
_ENDS = {mark: re.compile(rf"\\.|{mark}", re.S) for mark in ('"""', "'''")}
_REST = re.compile(r"[ \t\r]*(?:[\n;#]|\Z)")
_HEAD = re.compile(r"#+[:|!]?[ \t]?")
_ESCAPED = re.compile(r"\\(?:(?P<kept>[\\\"'])|\n)")
_SETTINGS = re.compile(r"#(?:!|[ \t]*(?:%%|type:|noqa|pragma|pylint|mypy|fmt:|-\*-|isort|ruff))")
"""Comments that speak to programs."""


def scan_python(text: str, path: str, folder: Path | None = None) -> Document:
    """The document that a Python source is."""
    whole, loom = Source(text), Loom()
    for pieces in _texts(text, loom, whole):
        weaver = Weaver()
        for put, low, high in pieces:
            if put is None:
                weaver.copy(whole, low, high)
            else:
                weaver.put(put, whole, low, high)
        loom.put("\n\n", whole, pieces[0][1], pieces[0][1])
        weave(loom, Source(weaver.text, woven=weaver.lines), _displays)
    with loom.code("python", whole, 0):
        loom.copy(whole, 0, len(text))
    return loom.document(path, macros=own(text))


Pieces = Sequence[tuple[str | None, int, int]]
"""Stretches of the file, each as it stands (None) or with what stands for it."""


def _texts(text: str, loom: Loom, whole: Source) -> Iterator[Pieces]:
    """Docstrings, each without its quotes, and comments, those on lines one below the other together."""
    comment: list[tuple[str | None, int, int]] = []
    i = depth = 0
    while (found := _TOKEN.search(text, i)) is not None:
        between = text[i : found.start()]
        starts = not between.rpartition("\n")[2].strip() and ("\n" in between or i == 0)
        at, i = found.start(), found.end()
        if comment and not (found["comment"] and starts and text.count("\n", comment[-1][2], at) <= 1):
            yield comment
            comment = []
        if found["comment"]:
            if not _SETTINGS.match(found.group()):
                head = _HEAD.match(found.group())
                assert head is not None
                comment += [("\n" if comment else "", at, at), (None, at + head.end(), i)]
        elif mark := found["mark"]:
            low = i
            end = next((m for m in _ENDS[mark].finditer(text, low) if m.group() == mark), None)
            i = len(text) if end is None else end.end()
            prefix = (found["prefix"] or "").lower()
            if starts and not depth and not set(prefix) - {"r", "u"} and _REST.match(text, i):
                yield _unescaped(text, low, i if end is None else end.start(), "r" in prefix)
            if end is None:
                loom.unclosed(whole, at, "a string")
        elif found.group() in "()[]{}":
            depth = max(0, depth + (1 if found.group() in "([{" else -1))
    if comment:
        yield comment


def _unescaped(text: str, low: int, high: int, raw: bool) -> Pieces:
    """The text of a string. A backslash before anything but a backslash, a quote or the end of the line is meant as one."""
    pieces: list[tuple[str | None, int, int]] = []
    for found in () if raw else _ESCAPED.finditer(text, low, high):
        pieces += [(None, low, found.start()), (found["kept"] or "", *found.span())]
        low = found.end()
    return [*pieces, (None, low, high)]


def _displays(text: str) -> list[tuple[int, int]]:
    """The displays without delimiters in some text, apart from lines that are program text."""
    taken = [(text.count("\n", 0, a), text.count("\n", 0, b)) for a, b in listings(text)]
    return displays(text, lambda line: any(a <= line < b for a, b in taken))
