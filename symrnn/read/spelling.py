r"""How a text spells its symbols: the LaTeX of each name without time and components, as it is written most often.

>>> from symrnn.read.reader import read
>>> from symrnn.read.symbols import SymbolTable
>>> table = SymbolTable.from_mapping({"time": "sup", "symbols": {"h": "vector n, sequence", "W_{hh}": "matrix n n"}})
>>> spelling([read(r"\boldsymbol{h}^{(t)} = \boldsymbol{W_{hh}} \boldsymbol{h}^{(t-1)}", table)])
{'h': '\\boldsymbol{h}', 'W_hh': '\\boldsymbol{W_{hh}}'}
"""
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from symrnn.read.names import ACCENTS, FONTS, WRAPPERS, canonical_name
from symrnn.read.reader import Reading
from symrnn.read.tree import walk

NESTED = 4
"""How deep marks for a page stand in one another."""
_GROUP = r"\s*\{[^{}]*\}"
_LOOKS = "|".join(sorted(c[1:] for c in (*FONTS, *ACCENTS)))
_PAGE = "|".join(f"{c[1:]}{_GROUP * n}" for c, n in WRAPPERS.items() if n)
FONT = re.compile(rf"\\(?:{_LOOKS})(?![A-Za-z])\s*\{{\Z")
DRESS = re.compile(rf"\\(?:(?:{_LOOKS})(?![A-Za-z])|{_PAGE})\s*\{{\Z")
"""What opens round a symbol: a font or an accent, and beside these a mark for a page."""
_MARKUP = tuple(re.compile(rf"\\{c[1:]}{_GROUP * n}\s*\{{((?:[^{{}}]|\{{[^{{}}]*\}})*)\}}") for c, n in WRAPPERS.items() if n)
"""Commands that mark a piece of a formula for a page: they say nothing about it."""


def spelling(readings: Iterable[Reading]) -> dict[str, str]:
    """Canonical name -> its most frequent spelling, in order of first appearance."""
    seen: dict[str, Counter[str]] = {}
    for r in readings:
        if r.tree is None:
            continue
        for n in walk(r.tree):
            if n.op == "Sym" and n.span[0] < n.span[1]:
                found = head(r.latex[before(r.latex, n.span[0]):n.span[1] + 2], n.head)
                if found is not None and (found != n.head or len(found) == 1):
                    seen.setdefault(n.head, Counter())[found] += 1
    return {name: max(forms, key=lambda f: (forms[f], -len(f), f)) for name, forms in seen.items()}


def before(latex: str, start: int, opening: re.Pattern[str] = FONT) -> int:
    """Where a symbol begins with the font commands around it: its tree begins inside them."""
    while opened := opening.search(latex, max(0, start - 120), start):
        start = opened.start()
    return start


def bare(latex: str) -> str:
    r"""LaTeX without the commands that only mark a piece of it for a page.

    >>> print(bare(r"\htmlClass{a1}{\mathbf{W}} \htmlClass{a2}{x}(n)"))
    \mathbf{W} x(n)
    """
    for _ in range(NESTED):
        plain = latex
        for markup in _MARKUP:
            plain = markup.sub(r"\1", plain)
        if plain == latex:
            break
        latex = plain
    return latex


def head(latex: str, name: str) -> str | None:
    """The shortest beginning of ``latex`` that names ``name`` and closes its braces."""
    depth = 0
    for k, c in enumerate(latex, start=1):
        depth += (c == "{") - (c == "}")
        if depth < 0:
            return None
        if depth == 0 and (k == len(latex) or latex[k] in "_^([{ \\'" or not latex[k - 1].isalpha()):
            part = latex[:k].strip()
            if part and not part.endswith(("_", "^", "\\")) and canonical_name(part) == name:
                return part
    return None


def unaligned(latex: str) -> str:
    r"""LaTeX without its marks of alignment; those of an environment inside, such as cases, belong to it.

    >>> print(unaligned(r"a &= \begin{cases} 1 & i = k \end{cases}"))
    a = \begin{cases} 1 & i = k \end{cases}
    """
    out, depth = [], 0
    for part in re.split(r"(\\&|\\begin|\\end|&)", latex):
        depth += {"\\begin": 1, "\\end": -1}.get(part, 0)
        out.append("" if part == "&" and depth <= 0 else part)
    return "".join(out)


def source_of(text: str, span: tuple[int, int]) -> str:
    r"""What a text prints for the part of a tree that was read from a span, with the braces that belong to it.

    >>> source_of(r"a = \mathbf{W_h} x", (12, 18)), source_of(r"a &= b", (0, 6))
    ('\\mathbf{W_h} x', 'a = b')
    """
    lo, hi = extent(text, span)
    return bare(unaligned(text[lo:hi])).strip()


def extent(text: str, span: tuple[int, int]) -> tuple[int, int]:
    r"""A span with the fonts and the braces that belong to it.

    >>> extent(r"a = \mathbf{W_h} x", (12, 15))
    (4, 16)
    """
    lo, hi = before(text, span[0], DRESS), span[1]
    while hi < len(text) and text.count("{", lo, hi) > text.count("}", lo, hi):
        hi += 1
    return lo, hi
