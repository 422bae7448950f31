r"""What a document says in sentences beside its formulas, where a pattern recognises it: sizes, ranges, counts, conditions, cases.

>>> from symrnn.read.document import parse_document
>>> text = "The size of $A$ is $m \\times n$. The logistic function squashes its argument to the range $[0, 1]$.\n"
>>> [(s.kind, s.subjects, s.value) for s in sentences(parse_document(text, "a.md"))]
[('size', ('A',), 'm \\times n'), ('range', ('logistic',), '[0, 1]')]
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType

from symrnn.read.document import Document, Span
from symrnn.read.names import ACCENTS, FONTS, GREEK, WRAPPERS, canonical_name
from symrnn.read.sentence_rows import KINDS, ROWS, Kind, Row
from symrnn.read.symbols import STANDARD

NEAR = 400
"""How many characters back the function or symbol may stand that a sentence speaks of without naming it."""
BEYOND = 3
"""How many sentences after its first one a pattern may go on."""
FAR = 2000
"""How many characters away a sum may stand whose bound a sentence explains."""

ORDINALS: Mapping[str, str] = MappingProxyType({"two": "2", "three": "3", "four": "4"})
LONG = 160
"""A text with a line longer than this is not wrapped: there the end of a line is the end of a sentence."""

WORDS = tuple(sorted({*(n for n in STANDARD if n.isalpha() and len(n) > 2), "logistic", "hyperbolic tangent", "sigmoid", "rectifier"}
                     - set("max min vec rank det sup inf lim Var Cov concat clip trace sign cos sin tan log exp onehot diag Diag".split()),
                     key=lambda n: (-len(n), n)))
"""Functions that sentences name."""

_FLAGS = "SPRECNFDZMV"
_SMALL = {ord(c): c.lower() for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_CONTROL = dict.fromkeys(map(ord, "\x02\x03\x04"), " ")
_NUMERAL = r"(?:[-−–+]?\d+(?:\.\d+)?|zero|(?:minus )?one)"
_FUNCTION = rf"(?:\b(?:np\.|torch\.|math\.)?(?:{'|'.join(WORDS)})\b)"
_SPACE = r"(?:[^\S\n]|\n(?!\s*\n))+"
_PLAIN = r"(?:[^\x02\x03\x04.;:!?\n]|\n(?!\s*\n)|\.(?=\w))"


def _piece(flags: str) -> str:
    """A pattern for a span that has all of these flags."""
    return "\x02" + "".join(f if f in flags else "." for f in _FLAGS) + r":\d+\x03"


_LITERAL = rf"[\[(]\s*{_NUMERAL}\s*,\s*{_NUMERAL}\s*[\])]"
_ONE_SIZE = rf"(?:{_piece('N')}|\d+)"
_ENDS = rf"(?:between\s+|from\s+)?(?:{_piece('N')}|{_NUMERAL})\s+(?:and|to)\s+(?:{_piece('N')}|{_NUMERAL})"
_AND = r"(?:\s*,\s*(?:and\s+)?|\s+and\s+)"
_SYMBOLS = rf"{_piece('S')}(?:{_AND}{_piece('S')}){{0,20}}"
TYPES: Mapping[str, str] = MappingProxyType({
    "symbol": _piece("S"),                                          # one symbol with its scripts, perhaps applied to something
    "symbols": _SYMBOLS,                                            # one or more of them in a list
    "name": rf"(?:{_piece('S')}|\bself\.\w+)",                      # a symbol, or a name of a program
    "item": _piece(""),                                             # any formula
    "items": rf"{_piece('')}(?:{_AND}{_piece('')}){{0,20}}",
    "size": _ONE_SIZE,                                              # letters and numbers
    "dims": rf"(?:{_piece('P')}|{_ONE_SIZE}(?:\s*(?:by|x|×)\s*{_ONE_SIZE})?)",
    "pair": rf"(?:{_piece('P')}|{_ONE_SIZE}\s*(?:by|x|×)\s*{_ONE_SIZE})",
    "range": rf"(?:{_piece('R')}|{_LITERAL}|{_ENDS})",              # an interval, also in words
    "equation": _piece("E"),
    "comparison": _piece("C"),                                      # an inequality or an element of a finite set
    "condition": rf"(?:{_piece('E')}|{_piece('C')})",
    "number": rf"(?:{_piece('N')}|{_NUMERAL})",
    "function": rf"(?:{_piece('F')}|{_FUNCTION})",
    "display": _piece("D"),
    "map": _piece("M"),                                             # what goes where, with an arrow
    "columns": _piece("V"),                                         # columns of zeros and ones
    "count": r"\d[\d,]*\d",                                         # a whole number of two digits or more
    "bound": rf"(?:{_piece('')}|\d+/\d+|{_NUMERAL})",              # a number, perhaps a fraction
    "zero": _piece("Z"),
    "zeros": _piece("EZ"),                                          # an equation whose right side is zero
    "one": _piece("N"),
    "digit": r"\d\b|\d(?=[- ]?[dD])",
    "ordinal": "(?:two|three|four)",
})
"""The types of a pattern and what they match."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a sentence says: its kind (a key of ``KINDS``), the subjects as the text writes them, the value, and where.

    ``spans`` are the offsets (:attr:`Span.offset`) of the formulas of the sentence that the pattern used, subjects first, and after
    them those that it is about: the display of a case or of a rejected form, what a bound restricts, the sums up to a count.
    ``text`` is the sentence, ``offset`` and ``line`` are where the pattern begins, ``words`` what it takes. ``clause`` is the part of
    the sentence between semicolons and colons in which it stands, ``link`` what stands between a subject that is named before the
    pattern and the pattern (empty where the pattern names it); in both, formulas stand between dollar signs.
    """

    kind: str
    subjects: tuple[str, ...]
    value: str
    spans: tuple[int, ...]
    text: str
    line: int
    offset: int
    words: str = ""
    clause: str = ""
    link: str = ""

    @property
    def about(self) -> Kind:
        """The kind with its role, its reach and its meaning."""
        return KINDS[self.kind]

    @property
    def names(self) -> tuple[str, ...]:
        """The subjects without fonts and braces, as :func:`symrnn.read.names.canonical_name` writes them."""
        return tuple(canonical_name(s) for s in self.subjects)


def sentences(document: Document) -> list[Said]:
    """Everything that a pattern of ``ROWS`` recognises, in the order of the text; no words are taken twice for one kind."""
    flow = _Flow(document)
    found: list[Said] = []
    places = flow.places()
    taken: dict[str, list[tuple[int, int]]] = {}
    for row in ROWS:
        spots, end = taken.setdefault(row.kind, []), 0
        for low, high, far in places[row.kind]:
            for m in _compiled(row.pattern).finditer(flow.text, max(low, end), far):
                if m.start() >= high:
                    break
                end = m.end()
                said = _said(flow, row, m)
                k = bisect.bisect_left(spots, m.span())
                if said is not None and not any(a < m.end() and m.start() < b for a, b in spots[max(0, k - 1) : k + 1]):
                    spots.insert(k, m.span())
                    found.append(said)
    cases = {s.spans[0] for s in found if s.kind == "case"}
    kept = (s for s in found if s.kind not in ("bound", "at") or s.spans[0] not in cases)
    return sorted(kept, key=lambda s: (s.offset, s.kind, s.value))


def sums_to(latex: str, bound: str) -> tuple[str, ...]:
    r"""The letters of the sums and products of a formula that run up to ``bound``.

    >>> sums_to(r"\sum_{j = 1}^n e^{o_j} + \sum_{t=1}^T x_t + \sum_k^{n} p_k", "n")
    ('j', 'k')
    """
    want, out = canonical_name(bound), []
    for m in re.finditer(r"\\(?:sum|prod)(?:\s*\\(?:no)?limits)?", latex):
        scripts, i = {"_": "", "^": ""}, m.end()
        while (mark := re.compile(r"\s*([_^])\s*").match(latex, i)) is not None:
            scripts[mark[1]], i = _argument(latex, mark.end())
        letter = re.match(r"\s*(\\?[A-Za-z]+)", scripts["_"])
        if letter and canonical_name(scripts["^"]) == want:
            out.append(canonical_name(letter[1]))
    return tuple(out)


# ----------------------------------------------------------------------------------------------------------------- recognition
def _said(flow: _Flow, row: Row, m: re.Match[str]) -> Said | None:
    """What a match says; None where what it speaks of is not there."""
    groups = {k: v for k, v in m.groupdict().items() if v}
    used = [i for name in ("s", "s2", "s3", "v", "w", "d") if name in groups for i in flow.spans(groups[name])]
    subjects = tuple(x for name in ("s", "s2", "s3") if name in groups for x in flow.parts(groups[name], row.kind != "range"))
    if row.kind == "initial-zero" and "=" in "".join(subjects):
        subjects = tuple(s.split("=")[0].strip() for s in subjects)
    if "role" in groups:
        subjects = (groups["role"].lower().rstrip("s"),)
    value = " \\times ".join(x for name in ("v", "v2", "w") if name in groups for x in flow.parts(groups[name])) or row.value
    value, link = ORDINALS.get(value, value), ""
    if row.kind in ("range", "component-range"):
        value = flow.interval(groups["v"])
    if "condition" in row.pattern and row.kind == "case" and not _simple(value):
        return None
    if row.subject and not subjects:
        back = flow.before(m.start(), row.subject)
        if back is None:
            return None
        name, span, end = back
        link = flow.shown(flow.text[end : m.start()])
        if row.subject == "spans":
            subjects = (re.split(r"\\(?:ne|ge|le|in|geq|leq|neq|geqslant|leqslant)\b|[<>=]", value)[0].strip(),)
        elif row.subject != "display":
            subjects = (name,)
        used += [span] if span is not None else []
    if row.kind == "count":
        used += flow.sums(subjects[0], m.start())
    offset = flow.offset(m.start())
    return Said(row.kind, subjects, value, tuple(dict.fromkeys(flow.document.spans[i].offset for i in used)), flow.sentence(*m.span()),
                flow.lines.at(offset)[0], offset, flow.shown(m[0]), flow.clause(*m.span()), link)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """The regular expression of a pattern of a row."""
    out, seen = [], set()
    for part in re.split(r"(<\w+:\w+>)", pattern):
        if m := re.fullmatch(r"<(\w+):(\w+)>", part):
            name = m[1] if m[1] not in seen else m[1] + "2"
            seen.add(name)
            out.append(f"(?P<{name}>{TYPES[m[2]]})")
        else:
            out.append(re.sub(r" (?![?*{\]])", lambda _: _SPACE, part).replace("~?", "~").replace("~", _PLAIN + "{0,90}?"))
    text = "".join(out)
    return re.compile(("" if text[0] == "(" and "\x02" in text[:20] else r"(?<![\w\\-])(?:(?=\W)|\b)") + text
                      + (r"(?!\w)" if pattern[-1].isalnum() or pattern[-1] == ")" else ""), re.I)


def _simple(condition: str) -> bool:
    """Whether a condition compares letters or numbers, as i = k does."""
    sides = re.split(r"\\(?:ne|neq|ge|geq|le|leq|in)\b|[<>=]", condition)
    return len(sides) == 2 and all(re.fullmatch(r"\s*(?:\\?[A-Za-z]+|\d+|[A-Za-z]\s*[-+]\s*\d+)\s*", s) for s in sides)


@dataclass
class _Flow:
    """The words of a document with a mark in the place of each formula; a mark says of what types the formula is."""

    document: Document
    text: str = ""
    marks: list[int] = field(default_factory=list)                   # where the mark of each span begins
    outs: list[int] = field(default_factory=list)                    # offsets in the words ...
    ins: list[int] = field(default_factory=list)                     # ... and the offsets in the document that they stand for

    def __post_init__(self) -> None:
        self.lines = self.document.lines
        source = self.document.text.translate(_CONTROL)
        pieces = [(*_outer(source, s), i, "") for i, s in enumerate(self.document.spans)]
        pieces += [(b.offset, b.offset + len(b.text), -1, "\n\x04\n") for b in (*self.document.code, *self.document.comments)]
        out, last, size = [], len(source) - len(self.document.prose), 0
        for low, high, i, put in sorted(pieces):
            if low < last:
                low = last
            for text, at in ((source[last:low], last), (put or f"\x02{_flags(self.document.spans[i])}:{i}\x03", low)):
                self.outs.append(size)
                self.ins.append(at)
                out.append(text)
                size += len(text)
            last = max(high, last)
        self.outs.append(size)
        self.ins.append(last)
        self.text = "".join((*out, source[last:]))
        unwrapped = max(map(len, self.document.text.split("\n"))) > LONG
        self._ends = re.compile(r"[.!?]\s+|\x04|\n" + ("" if unwrapped else r"(?=\s*\n|\s*[-*•]\s|\s*\d+[.)]\s)"))
        self.marks = [m.start() for m in re.finditer("\x02", self.text)]

    def places(self) -> dict[str, list[tuple[int, int, int]]]:
        """For each kind the sentences that hold words of it: where they begin and end, and how far what begins there may go on.

        A pattern that goes on from words to a display, or back, may find its words a sentence or two further on.
        """
        starts = [0, *(m.end() for m in re.finditer(r"[.!?]\s+|\n\s*\n", self.text))]
        ends = [*starts[1:], *[len(self.text)] * (BEYOND + 1)]
        lower = self.text.lower()
        if len(lower) != len(self.text):                              # a letter whose small form is two: then only plain letters
            lower = self.text.translate(_SMALL)
        spots: dict[str, set[int]] = {}
        out = {}
        for kind in KINDS.values():
            numbers: set[int] = set()
            across = range(BEYOND + 1) if any("\\W{" in row.pattern for row in ROWS if row.kind == kind.name) else range(1)

            def holding(group: Sequence[str], across: range = across) -> set[int]:
                found = set().union(*(spots.get(w) or spots.setdefault(w, _pieces(lower, w, starts, ends)) for w in group))
                return {n - k for n in found for k in across if n >= k}
            for one in kind.needles:
                numbers |= set.intersection(*map(holding, one))
            numbers = numbers & holding(["\x02"]) if kind.formula else numbers
            out[kind.name] = [(starts[n], ends[n], ends[n + BEYOND]) for n in sorted(numbers)]
        return out

    def offset(self, at: int) -> int:
        """The offset in the document of a place in the words."""
        k = bisect.bisect_right(self.outs, at) - 1
        return self.ins[k] + (0 if self.text[self.outs[k]] == "\x02" else at - self.outs[k]) if at < len(self.text) else self.ins[k]

    def spans(self, text: str) -> list[int]:
        """The numbers of the formulas in some words."""
        return [int(n) for n in re.findall(r"\x02[^:]*:(\d+)\x03", text)]

    def parts(self, text: str, literal: bool = True) -> list[str]:
        """The LaTeX of the formulas in some words, or the words."""
        found = []
        for m in re.finditer(r"\x02[^:]*:(\d+)\x03|\d{1,3}(?:,\d{3})+|[^\x02\x03\s,]+", text):
            if m[1]:
                found.append(_head(self.document.spans[int(m[1])].latex, "F" in m[0].split(":")[0]) if not literal
                             else self.document.spans[int(m[1])].latex)
            elif m[0] not in ("and", "by", "x", "×"):
                found.append(re.sub(r"^(?:np|torch|math)\.", "", m[0]))
        return found

    def interval(self, text: str) -> str:
        """An interval as LaTeX, also one in words (with closed ends)."""
        found = self.spans(text)
        if len(found) == 1 and _flags(self.document.spans[found[0]])[_FLAGS.index("R")] == "R":
            return self.document.spans[found[0]].latex
        numbers = {"zero": "0", "one": "1", "minus one": "-1"}
        if literal := re.fullmatch(rf"\s*{_LITERAL}\s*", text, re.I):
            return re.sub("[−–]", "-", literal[0].strip())
        ends = re.sub(r"^\s*(?:between|from)\s+", "", text, flags=re.I)
        low, high = re.split(r"\s+(?:and|to)\s+", ends, maxsplit=1)
        parts = [self.document.spans[n[0]].latex if (n := self.spans(x)) else numbers.get(x.lower(), re.sub("[−–]", "-", x))
                 for x in (low, high)]
        return f"[{parts[0]}, {parts[1]}]"

    def before(self, at: int, what: str) -> tuple[str, int | None, int] | None:
        """The function, the symbol or the display that was named last before a place, with the number of its span, and its end."""
        if what == "function":
            low = max(0, at - NEAR)
            named: tuple[str, int | None, int] | None = None
            for m in re.finditer(rf"{TYPES['function']}", self.text[low:at], re.I):
                inside = self.spans(m[0])
                if inside and (name := _function(self.document.spans[inside[0]].latex)):
                    named = (name, inside[0], low + m.end())
                elif not inside:
                    named = (m[0].rpartition(".")[2], None, low + m.end())
            return named
        best: tuple[str, int | None, int] = ("", None, at)
        for i in range(bisect.bisect_left(self.marks, at) - 1, -1, -1):
            number = self.spans(self.text[self.marks[i] : self.marks[i] + len(_FLAGS) + 12])[0]
            if at - self.marks[i] > 3 * NEAR:
                break
            span = self.document.spans[number]
            if what != "display" and self.marks[i] < self.start(at):
                break
            if what == "display" and span.kind == "inline" or what == "symbol" and "S" not in _flags(span):
                continue
            if what != "symbol":
                return span.latex, number, at
            best = span.latex, number, at                            # the first one of the sentence
        return best if what != "display" else None

    def sums(self, letter: str, at: int) -> list[int]:
        """The display with a sum up to a letter that is nearest before a place, or else nearest after it."""
        k = bisect.bisect_left(self.marks, at)
        for order in (range(k - 1, -1, -1), range(k, len(self.marks))):
            for i in order:
                if abs(self.marks[i] - at) > FAR:
                    break
                if self.document.spans[i].kind != "inline" and sums_to(self.document.spans[i].latex, letter):
                    return [i]
        return []

    def start(self, at: int) -> int:
        """Where the sentence (or the item of a list) of a place begins."""
        low = max(0, at - 3 * NEAR)
        return max((m.end() for m in self._ends.finditer(self.text, low, at + 1) if m.end() <= at), default=low)

    def end(self, at: int) -> int:
        """Where the sentence of a place ends; a sentence that goes on for very long is cut."""
        high = min(len(self.text), at + FAR)
        found = self._ends.search(self.text, at, high)
        return found.start() + 1 if found else high

    def sentence(self, low: int, high: int) -> str:
        """The sentence round some words, as the document prints it, on one line."""
        return self.shown(self.text[self.start(low) : self.end(high)])

    def clause(self, low: int, high: int) -> str:
        """The part of the sentence round some words that no semicolon and no colon divides."""
        before = re.split(r"[;:](?=\s)", self.text[self.start(low) : low])[-1]
        after = re.split(r"[;:](?=\s)", self.text[high : self.end(high)], maxsplit=1)[0]
        return self.shown(before + self.text[low:high] + after)

    def shown(self, words: str) -> str:
        """Some words as the document prints them, on one line."""
        words = re.sub(r"\x02[^:]*:(\d+)\x03", lambda m: f"${self.document.spans[int(m[1])].latex}$", words)
        return " ".join(words.replace("\x04", " ").split())


def _pieces(text: str, word: str, starts: Sequence[int], ends: Sequence[int]) -> set[int]:
    """The numbers of the pieces of a text that hold a word."""
    out, at = set(), text.find(word)
    while at >= 0:
        n = bisect.bisect_right(starts, at) - 1
        out.add(n)
        at = text.find(word, max(ends[n], at + 1))
    return out


# ------------------------------------------------------------------------------------------------------------ kinds of formulas
_SCRIPTS = re.compile(r"[_^]\s*(?:\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|\\[A-Za-z]+|.)")
_RELATION = re.compile(r"\\(?:ne|neq|ge|geq|geqslant|le|leq|leqslant|in|to|mapsto|rightarrow|sim|approx|colon)\b|[=<>:]")
_DRESS = sorted({*FONTS, *ACCENTS, "\\displaystyle", "\\left", "\\right", *(w for w, n in WRAPPERS.items() if not n)},
                key=lambda w: (-len(w), w))
_BARE = re.compile("|".join(rf"{re.escape(c)}(?![A-Za-z])" for c in _DRESS) + r"|[{}\s]|\\[,;:! ]")
_INTERVAL = re.compile(r"[\[(\]]\s*[-+−]?(?:\\infty|\d+(?:\.\d+)?)\s*,\s*[-+−]?(?:\\infty|\d+(?:\.\d+)?)\s*[\])\[]")
_COLUMN = r"\\begin\{[pbv]?matrix\}\s*[01](?:\s*\\\\\s*[01])*\s*\\end\{[pbv]?matrix\}"
_COLUMNS = re.compile(rf"\s*{_COLUMN}(?:\s*,?\s*{_COLUMN})*\s*")
_ZERO = re.compile(r"(?:\(?\s*0\s*(?:,\s*(?:0|\\[lcd]?dots|\.\.\.)\s*)*\)?)(?:_[^=]*|\^[^=]*)?")


@cache
def _shape(latex: str) -> str:
    """The types of a formula as letters: symbol, pair of sizes, range, equation, comparison, number or size, function, zero, map."""
    for wrapper, count in WRAPPERS.items():
        if count:
            latex = re.sub(re.escape(wrapper) + r"\s*\{[^{}]*\}", "", latex)
    flat = _SCRIPTS.sub("", latex.strip().rstrip(",.;"))
    bare = _BARE.sub("", re.sub(r"\\(?:text\w*|operatorname\*?)", "", flat))
    out = set()
    relation = _RELATION.search(flat)
    called = re.match(r"(\\?[A-Za-z]+)(?:_\w|_\{\w+\})?(\([^()=]*\))(.*)", bare)
    name = called[1] if called else bare
    letter = len(name) == 1 and name.isalpha() or name[1:] in GREEK or name in STANDARD or name[1:] in STANDARD and name[:1] == "\\"
    letter = letter or bool(re.fullmatch(r"\\(?:mathrm|text\w*|operatorname)\s*\{\w+\}", flat.strip()))
    if not relation:
        if letter and (called is None or not called[3]):
            out.add("S")
            out.add("F")
        product = re.fullmatch(r"[^=]*[\w)}\s]\\times\s*[\w({\\][^=]*", bare) and "\\frac" not in bare
        if product or re.fullmatch(r"\([\w+\-]*[a-z]\w*,[\w+\-]+\)", bare):
            out.add("P")
        if _INTERVAL.fullmatch(re.sub(r"\\(?:left|right)\s*", "", latex.strip())):
            out.add("R")
        letters = re.fullmatch(r"(?:[A-Za-z0-9+\-()|]|\\[a-zA-Z]+(?![a-zA-Z]))*", bare)
        if letters and not re.search(r"\\(?:frac|sum|times|nabla|partial)", bare):
            out.add("N")
    elif relation[0] == "=":
        out.add("E")
        if called and letter and called[3].startswith("="):
            out.add("F")
    elif relation[0] in (":", "\\colon") or re.search(r"\\(?:to|mapsto|rightarrow)\b", flat):
        out |= {"M", "F"} if letter or re.match(r"\s*\\?[A-Za-z]+\s*(?::|\\colon)", bare) else {"M"}
    elif not re.search(r"\\in\s*\\mathbb", flat):
        out.add("C")
    if _COLUMNS.fullmatch(latex):
        out.add("V")
    if _ZERO.fullmatch(re.sub(r"\\(?:mathbf|boldsymbol|vec|bm)\b|[{}]", "", flat.rpartition("=")[2].split("\\in")[0]).strip()):
        out.add("Z")
    return "".join(out)


def _flags(span: Span) -> str:
    """The types of a span, each in its place."""
    types = _shape(span.latex) + ("D" if span.kind != "inline" else "")
    return "".join(f if f in types else "-" for f in _FLAGS)


def _function(latex: str) -> str | None:
    """The name of the function that a formula defines, maps or names; None for a symbol that nothing says is a function."""
    bare = re.match(r"\s*(\\?[A-Za-z]+(?:_\{?\w+\}?)?)\s*(?:\\left)?\s*(\(|:|\\colon)?", latex)
    if bare is None:
        return None
    named = bare[1].lstrip("\\")
    return bare[1] if named in STANDARD or bare[2] and (":" in bare[2] or "\\colon" in bare[2] or "=" in latex) else None


def _head(latex: str, function: bool) -> str:
    """The name of a function by its defining equation; else the formula."""
    return _function(latex) or latex if function and re.search("=|:|\\\\colon", latex) else latex


def _outer(text: str, span: Span) -> tuple[int, int]:
    """A span with its delimiters."""
    low, high = span.offset, span.offset + len(span.latex)
    before, after = text[max(0, low - 40) : low], text[high : high + 40]
    for left, right in (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"), ("$`", "`$")):
        if before.rstrip().endswith(left) and after.lstrip().startswith(right):
            return (low - len(before) + len(before.rstrip()) - len(left), high + len(after) - len(after.lstrip()) + len(right))
    return low, high


def _argument(latex: str, i: int) -> tuple[str, int]:
    """The argument of a script at ``i`` without its braces, and the place after it."""
    if latex[i : i + 1] != "{":
        m = re.compile(r"\\[A-Za-z]+|.", re.S).match(latex, i)
        return (m[0], m.end()) if m else ("", i + 1)
    depth = 0
    for j in range(i, len(latex)):
        depth += (latex[j] == "{") - (latex[j] == "}")
        if depth == 0:
            return latex[i + 1 : j], j + 1
    return latex[i + 1 :], len(latex)


def explain(said: Sequence[Said]) -> Iterator[str]:
    """One line for each: place, kind, and the meaning with subjects and value put in."""
    for s in said:
        yield f"{s.line}: {s.kind}: " + s.about.meaning.format(s=", ".join(s.subjects) or "it", v=s.value or "it")
