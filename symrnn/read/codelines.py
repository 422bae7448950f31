"""Where lines of program text stand in a plain text: listings without fences, also with the line numbers of a web page between.

>>> text = "We keep a state:\\n1\\ndef step(self, x):\\n2\\n    self.h = f(x)\\n\\nThe state is a vector.\\n"
>>> [text[a:b] for a, b in listings(text)]
['1\\ndef step(self, x):\\n2\\n    self.h = f(x)\\n']
"""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Callable

LONGEST = 40
"""Lines that one statement may take."""

_NUMBER = re.compile(r"[ \t]*\d{1,4}[ \t\r]*")
_COMMENT = re.compile(r"[ \t]*#(?!#)(?:[^$\n]*)")
_PROMPT = re.compile(r"^[ \t]*(?:>>>|\.\.\.)[ \t]")
_CLAUSE = re.compile(r"[ \t]*(?:else|try|finally|(?:elif|except)\b[^\n]*):[ \t\r]*(?:#.*)?")
_HEADER = re.compile(r"[ \t]*(?:def|class|for|while|if|with|async)\b.*:[ \t\r]*(?:#.*)?")
_START = re.compile(
    r"[ \t]*(?:(?:def|class|import|from|return|for|while|if|with|assert|raise|async|del|pass|yield)\b"
    r"|@[A-Za-z_]"
    r"|[A-Za-z_][\w.]*(?:\[[^\]\n]*\])*(?:[ \t]*,[ \t]*[A-Za-z_][\w.]*)*[ \t]*(?:\*\*|//|[-+*/@])?=(?!=)"
    r"|[A-Za-z_][\w.]*\()")
_MARK = re.compile(
    r"^[ \t]*(?:(?:def|class)\b.*:|import[ \t]|from[ \t]\S+[ \t]import\b|@[A-Za-z_]|#)|\bself\.|[A-Za-z_]\w*\.[A-Za-z_]\w*\(", re.M)
_STATEMENTS = (ast.Assign, ast.AugAssign, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Return,
               ast.For, ast.While, ast.If, ast.With, ast.Assert, ast.Raise, ast.Delete, ast.Pass)


def listings(text: str, closed: Callable[[int], bool] = lambda line: False) -> list[tuple[int, int]]:
    """The stretches (from, to: offsets) of whole lines that are program text.

    A stretch holds a statement, and something that only a program has: a definition, an import, ``self.``, a call of a method,
    a comment, or numbers alone on the lines between. ``closed`` says of a line (from 0) that it is something else already.
    """
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    found, i = [], 0
    while i < len(lines):
        end = _run(lines, i, closed) if lines[i] and not lines[i].isspace() else i
        if end > i:
            stretch = lines[i:end]
            numbered = any(_NUMBER.fullmatch(line) for line in stretch)
            if numbered or _MARK.search("\n".join(stretch)):
                found.append((starts[i], min(starts[end], len(text))))
        i = max(end, i + 1)
    return found


def without_numbers(text: str) -> str:
    """The program text with the numbers that stand alone on lines, and the prompts, as space: every offset stays what it was.

    >>> without_numbers("12\\n>>> x = 1")
    '  \\n    x = 1'
    """
    return "\n".join(re.sub(r"\d", " ", line) if _NUMBER.fullmatch(line) else _PROMPT.sub(lambda m: " " * len(m[0]), line)
                     for line in text.split("\n"))


def language(text: str) -> str:
    """``python`` where a parser takes the program text as a whole, else nothing."""
    return "python" if _tree(textwrap.dedent(without_numbers(text))) is not None else ""


def _run(lines: list[str], i: int, closed: Callable[[int], bool]) -> int:
    """The line after the program text that begins at line ``i``; ``i`` where none begins."""
    end = i
    while (after := _attached(lines, i, closed)) > i:
        end = i = after
        while i < len(lines) and not lines[i].strip() and i < end + 3:
            i += 1
    return end


def _attached(lines: list[str], i: int, closed: Callable[[int], bool]) -> int:
    """The line after the statement at line ``i``, which numbers and comments may precede; ``i`` where there is none."""
    j = i
    while j < min(len(lines), i + LONGEST) and not closed(j) and (_NUMBER.fullmatch(lines[j]) or _COMMENT.fullmatch(lines[j])
                                                or i < j < len(lines) - 1 and _empty(*lines[j - 1 : j + 2])):
        j += 1
    if j >= len(lines) or closed(j):
        return i
    length = _statement(lines, j, closed)
    return j + length if length else i


def _empty(before: str, line: str, after: str) -> bool:
    """Whether a line is an empty line of a listing with numbers."""
    return not line.strip() and bool(_NUMBER.fullmatch(before) and _NUMBER.fullmatch(after))


def _statement(lines: list[str], i: int, closed: Callable[[int], bool]) -> int:
    """How many lines the statement at line ``i`` takes; 0 where there is none."""
    first = _PROMPT.sub("", lines[i])
    if _CLAUSE.fullmatch(first):
        return 1
    if not _START.match(first) or "\\" in first or "$" in first:
        return 0
    if _HEADER.fullmatch(first):
        return int(_parses(first.split("#")[0].strip() + " pass"))
    taken, depth, quotes = [first], _depth(first), first.count('"""')
    for j in range(i + 1, min(len(lines), i + LONGEST)):
        if depth <= 0 and quotes % 2 == 0:
            break
        if closed(j) or not lines[j].strip():
            return 0
        taken.append("" if _NUMBER.fullmatch(lines[j]) else _PROMPT.sub("", lines[j]))
        depth, quotes = depth + _depth(taken[-1]), quotes + taken[-1].count('"""')
    return len(taken) * _parses(textwrap.dedent("\n".join(taken)))


def _depth(line: str) -> int:
    """How many more brackets a line opens than it closes."""
    return sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))


def _parses(source: str) -> bool:
    """Whether some text is one or more statements of the kinds that only programs have."""
    tree = _tree(source)
    return tree is not None and bool(tree.body) and all(
        isinstance(s, _STATEMENTS) or isinstance(s, ast.AnnAssign) and s.value is not None
        or isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) for s in tree.body)


def _tree(source: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
