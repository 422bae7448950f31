r"""Formulas that stand in a text without delimiters: lines with the signs of mathematics and without words.

>>> text = "The state is\n\nh_t = \\tanh(W h_{t-1} + U x_t)\n\nas before."
>>> [text[a:b] for a, b in displays(text, lambda line: False)]
['h_t = \\tanh(W h_{t-1} + U x_t)']
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from symrnn.read.codelines import language
from symrnn.read.names import GREEK, TEXTS, WRAPPERS
from symrnn.read.symbols import STANDARD

LONGEST = 200
"""Lines that one display may take."""

WORDS = frozenset(
    "an and any are as at be been but by can cf do does each eq etc fig for from get had has have he her his how if in into is it its "
    "let may no nor not now of off on one or our out over per see she so such than that the their then there these they this those "
    "thus to too two up upon us use was we were what when where which while who whose why will with you your".split())
"""Short English words: with one of them outside a text command a line is a sentence."""

CASE_WORDS = frozenset("if for otherwise else when and or where in".split())
"""English words that may stand in a definition by cases without a text command."""

PAGE = frozenset(
    "section subsection subsubsection chapter part paragraph item cite citep citet ref footnote caption includegraphics documentclass "
    "usepackage newcommand renewcommand providecommand def let DeclareMathOperator maketitle title author date input include "
    "bibliography bibliographystyle newpage clearpage pagebreak noindent emph href url LaTeX TeX LaTeXe begingroup endgroup "
    "newtheorem newenvironment hspace vspace par".split())
"""Commands of a page: a line that has one is no formula."""

_COMMAND = re.compile(r"\\([A-Za-z]{2,})")
_DELIMITED = re.compile(r"\$|(?<!\\)\\[()\[\]]|[\"“”]|</|://")
_PATH = re.compile(r"\s*[A-Za-z]:(?:\\[\w .-]+)+\s*")
_EDGES = re.compile(r"\\(begin|end)\s*\{([A-Za-z]+\*?)\}")
_BULLET = re.compile(r"[ \t]*(?:(?P<mark>[-*•–])[ \t]+|(?:\(?\d{1,2}[.)]|\([a-z]\))[ \t]+(?=\S))")
_NUMBER = re.compile(r"(?<=[ \t][ \t])\(\d+(?:\.\d+)*[a-z]?\)\Z")
_GOES_ON = re.compile(r"[ \t]*&?[ \t]*(?:=|\+|\\(?:leq?|geq?|approx|equiv|times|cdot|quad)\b)")
_OWN = re.compile(r"\\begin\{(?:align|alignat|gather|equation|eqnarray|multline|flalign|displaymath|math)\*?\}")
_ARGUMENTS = "|".join(re.escape(c) for c in (*sorted(TEXTS, key=len, reverse=True), *(
    r"\mathrm \mathit \mathsf \mathtt \tag* \tag \label \color \intertext \shortintertext \mathop \hspace".split())))
_WRAPPED = "|".join(re.escape(c) for c, n in sorted(WRAPPERS.items()) if n)
_NO_WORDS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?<!\\)%.*"), " "),
    (re.compile(r"\\begin\s*\{array\}\s*(?:\[[^\]]*\])?\s*\{[^{}]*\}|\\(?:begin|end)\s*\{[^{}]*\}"), " "),
    (re.compile(rf"(?:{_ARGUMENTS})\s*\{{[^{{}}]*\}}"), " "),
    (re.compile(rf"(?:{_WRAPPED})\s*\{{[^{{}}]*\}}"), " "),
    (re.compile(r"\{\s*\\(?:rm|bf|it|sf|tt)\b[^{}]*\}"), " "),
    (re.compile(r"[_^]\s*\{[\w\s,()'|.\-]*\}|[_^][^\W\d_]+"), " "),
    (re.compile(r"\\\\(?:\[[^\]]*\])?"), " ; "),
    (re.compile(r"\\(?:left|right|[bB]igg?[lrm]?)\b\s*"), ""),
    (re.compile(r"\\[A-Za-z]+\*?|\\."), " "),
)
"""What is taken away, in this order, before words are looked for."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_SCRIPT = re.compile(r"(?<=[\w)}\]])[_^]\{[^{}=]*\}")
_RELATION = re.compile(r"[<>:]|=(?!=)|==+")
_PLAIN = re.compile(r"^[^=]*\bd[A-Za-z]\w*/d[A-Za-z]\w*[^=<>]*\+?=(?!=)|^[^=(]*=[^=]*(?<![\w.])(?:sum|prod)_(?:\{|[a-z]\b)")
"""What only mathematics in plain letters has: a derivative with a slash before an equals sign, a sum with a letter below."""
_SIDE = r"(?=[^\n]*?[A-Za-z]_[\w{])[^=<>:;!?@#\"]*"
_EQUATION = re.compile(r"(?:d[A-Za-z]\w*/)?[A-Za-z]\w*(?:_\{[^{}]*\})?[ \t]*:?=(?!=)" + _SIDE)
"""An equation in plain letters with scripts ..."""
_INDENTED = re.compile(rf"(?P<space>[ \t]*){_EQUATION.pattern}")
"""... that is a formula where it stands in a row with one, indented like it."""


def is_display(text: str, beside: bool = False) -> bool:
    r"""Whether a line (or the lines of an environment) is a formula that stands there without delimiters.

    >>> [is_display(x) for x in (r"y = \sigma(V h)", r"the gate \sigma(V h)", r"W_hh, W_xh, and", r"L = \text{loss of } y", "y = V h")]
    [True, False, False, True, False]
    >>> is_display("o^{(t)} = V h^{(t)} + c")
    True

    One that is indented like a formula ``beside`` it is one without such signs, too.
    """
    commands = _COMMAND.findall(text)
    if not (commands or beside or _scripted(text) or _PLAIN.search(text)) or PAGE.intersection(commands) or _PATH.fullmatch(text):
        return False
    if len(commands) == 1 and re.fullmatch(r"\s*\\[A-Za-z]+\s*", text) and commands[0] not in GREEK:
        return False
    return not _has_words(text)


def _has_words(text: str) -> bool:
    """Whether some text has a delimiter, a quotation or an English word that no command sets as text."""
    bare = text
    for pattern, put in _NO_WORDS[:5]:
        bare = pattern.sub(put, bare)
    if _DELIMITED.search(bare) or re.match(r"\s*\|.*\|\s*\Z", bare) and bare.count("|") > 3:
        return True
    for pattern, put in _NO_WORDS[5:]:
        bare = pattern.sub(put, bare)
    cases = "{cases}" in text or "{dcases}" in text
    return any(not _mathematical(m, bare, cases) for m in _WORD.finditer(bare))


def _mathematical(word: re.Match[str], text: str, cases: bool) -> bool:
    """Whether a run of letters is a product of letters, a name in capitals, or the name of a function or of what is defined."""
    name, after = word[0], text[word.end() : word.end() + 1]
    if cases and name in CASE_WORDS:
        return True
    if name.lower() in WORDS:
        return False
    if name in STANDARD or len(name) <= 3 or name.isupper() or after in tuple("([{'"):
        return True
    return bool(re.match(r"[ \t]*&?:?=", text[word.end() :])) and not text[: word.start()].rpartition(";")[2].strip()


# --------------------------------------------------------------------------------------------------------------------- displays
def _scripted(text: str) -> bool:
    """Whether scripts in braces stand before an equals sign: a formula also without a command."""
    relation = None
    for script in _SCRIPT.finditer(text):
        if relation is None or relation.start() < script.end():
            relation = _RELATION.search(text, script.end())
        if relation is None:
            return False
        if relation[0] == "=":
            return True
    return False


def displays(text: str, closed: Callable[[int], bool]) -> list[tuple[int, int]]:
    """The offsets (from, to) of the displays that stand without delimiters."""
    lines, found, i, start = text.split("\n"), [], 0, 0
    while i < len(lines):
        count = 1
        here = (_marked(lines[i]) or _beside(lines, i)) and not closed(i)
        if here or i + 1 < len(lines) and "\\" in lines[i + 1] and _GOES_ON.match(lines[i + 1]):
            count, good = _unit(lines, i, closed)
            if good:
                body = "\n".join(lines[i : i + count]).rstrip()
                low = _bullet(lines, i)
                number = _NUMBER.search(body, max(0, len(body) - 12))
                high = len(body[: number.start()].rstrip()) if number else len(body)
                found.append((start + low + len(body[low:]) - len(body[low:].lstrip()), start + high))
        start += sum(len(line) + 1 for line in lines[i : i + count])
        i += count
    return found


def _marked(line: str) -> bool:
    """Whether a line has signs of mathematics that words do not have."""
    return bool("\\" in line or _scripted(line) or _PLAIN.search(line))


def _beside(lines: Sequence[str], i: int) -> bool:
    """Whether a line is an equation in plain letters, right before or after a formula that is indented like it."""
    found = _INDENTED.fullmatch(lines[i])
    near = (lines[k] for k in (i - 1, i + 1) if found and 0 <= k < len(lines))
    return found is not None and any(line.startswith(found["space"]) and line[len(found["space"]) :][:1].strip() and _marked(line)
                                     and is_display(line) for line in near)


def _unit(lines: Sequence[str], i: int, closed: Callable[[int], bool]) -> tuple[int, bool]:
    """How many lines from line ``i`` belong together, and whether they are a display without delimiters."""
    if closed(i):
        return 1, False
    count, environments = _balanced(lines, i, closed)
    body = "\n".join(lines[i : i + count])
    if count > 1 and _has_words(body):
        return (count, False) if environments else (1, is_display(lines[i][_bullet(lines, i) :], _beside(lines, i)))
    wordy = _has_words(body)
    while not wordy and count < LONGEST and i + count < len(lines) and not closed(i + count) and _GOES_ON.match(lines[i + count]):
        more, _ = _balanced(lines, i + count, closed)
        if _has_words("\n".join(lines[i + count : i + count + more])):
            break
        count += more
    body = "\n".join(lines[i : i + count])
    body = body[_bullet(lines, i) :]
    stripped = body.strip()
    own = _OWN.match(stripped)
    if own and stripped.find(own[0].replace("begin", "end")) + len(own[0]) - 2 == len(stripped):
        return count, False                                         # an environment that Markdown finds
    return count, is_display(body, count == 1 and _beside(lines, i))


def _balanced(lines: Sequence[str], i: int, closed: Callable[[int], bool]) -> tuple[int, bool]:
    """How many lines from line ``i`` close its environments and brackets (1 where nothing does), and whether there are environments."""
    depth = braces = 0
    environments = False
    for j in range(i, min(len(lines), i + LONGEST)):
        line = lines[j]
        if closed(j) or not line.strip() and not depth:
            break
        opened, more, edges = _opened(line)
        depth, braces, environments = depth + opened, braces + more, environments or edges
        if depth <= 0 and braces <= 0:
            return j - i + 1, environments
    return 1, False


@lru_cache(maxsize=4 * LONGEST)
def _opened(line: str) -> tuple[int, int, bool]:
    """How many environments and brackets a line leaves open, and whether it has the edge of an environment."""
    edges = _EDGES.findall(line)
    plain = re.sub(r"\\\\|\\[{}]", "  ", line)
    return sum(1 if word == "begin" else -1 for word, _ in edges), sum(map(plain.count, "{(")) - sum(map(plain.count, "})")), bool(edges)


def _bullet(lines: Sequence[str], i: int) -> int:
    """The length of the mark of a list at the head of a line; a dash is one only where the line before or after has it too."""
    found = _BULLET.match(lines[i])
    if found is None:
        return 0
    if found["mark"] in ("-", "–", "*"):
        near = [lines[k] for k in (i - 1, i + 1) if 0 <= k < len(lines)]
        if found["mark"] != "*" and not any((other := _BULLET.match(line)) and other["mark"] == found["mark"] for line in near):
            return 0
    return found.end()


def formulas(block: str) -> list[tuple[int, int]]:
    """The offsets (from, to) of the lines of a block that holds formulas in plain letters and nothing else; none for any other block.

    >>> block = "h_t = tanh(W h_{t-1} + U x_t)\\ndL/dW = sum_t d_t h_{t-1}^T\\n"
    >>> [block[a:b] for a, b in formulas(block)]
    ['h_t = tanh(W h_{t-1} + U x_t)', 'dL/dW = sum_t d_t h_{t-1}^T']
    >>> formulas("h = tanh(W @ h)"), formulas("h_t = the state")
    ([], [])
    """
    lines = [(m.start(), m.end()) for m in re.finditer(r"\S(?:[^\n]*\S)?", block)]
    plain = all(_EQUATION.fullmatch(line) and is_display(line, beside=True) for line in (block[a:b] for a, b in lines))
    return lines if plain and language(block) != "python" else []
