r"""Facts that a text states in English beside its formulas: what a named gradient is taken at, which steps are meant.

A sentence is a fact only when a row of the table matches the whole of it; whatever is left over makes it none.

>>> fact(r"\delta_t: \text{ the gradients at the pre-activations}")
Fact(kind='argument', names='\\delta_t', where='the pre-activations')
>>> fact("t is before its last step").kind, fact("t is before its last step, on Sundays")
('before-end', None)
"""
from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from symrnn.read.letters import GREEK

GRADIENT = (r"(?:(?:the|a)\s+)?(?:(?:full|total|loss)\s+)*(?:gradients?|derivatives?|deltas?)"
            r"(?:\s+of\s+(?:the\s+)?(?:total\s+)?(?:loss|error|cost))?")
NAMES = r"(?P<names>[^:=]+?)\s*(?::|\bis\b|\bare\b|\bdenotes?\b|\bbe\b)?\s*"
AT = r"(?:at|by|with respect to|w\.?r\.?t\.?|of|in)"
ARGUMENT = r"(?:the\s+)?(?:arguments?|pre-?activations?|net\s+inputs?|linear\s+parts?)"
MATHS = r"(?P<where>[^A-Za-z]*(?:\\[A-Za-z]+|\\[,; ]|[A-Za-z](?![a-z]{2,})|[^A-Za-z\\])+)"

TABLE: tuple[tuple[str, str], ...] = (
    ("argument", rf"{NAMES}(?:{GRADIENT}\s+{AT}\s+|{GRADIENT}\s+)?(?P<where>{ARGUMENT}(?:\s+of\s+.*)?)"),
    ("argument", rf"{NAMES}used\s+in\s+(?P<where>d\s*W\S*\s*=.*)"),
    ("argument", rf"{NAMES}(?P<where>(?:the\s+)?pre-?activation\s+gradients?)"),
    ("cross-entropy", r"(?P<names>\S+?)\s*:?\s*(?:is\s+)?(?:the\s+)?cross-?entropy"
     r"(?:\s+loss)?(?:\s+of\s+step\s+\w)?\s+with\s+one-hot\s+(?P<where>\S+)"),
    ("direct", rf"{NAMES}(?:the\s+)?direct\s+gradients?\s+of\s+the\s+"
     rf"(?:step\s+loss|loss\s+of\s+(?:that|the|this)\s+step)\s+{AT}\s+{MATHS}"),
    ("direct", rf"{NAMES}(?:the\s+)?(?:deltas?|gradients?|errors?)\s+from\s+the\s+layer\s+above(?P<where>)"),
    ("arriving", rf"{NAMES}{GRADIENT}\s+arriving\s+at\s+{MATHS}\s*(?:from\s+later\s+steps)?"),
    ("flow", rf"{NAMES}the\s+part\s+(?:that\s+)?flow(?:s|ing)\s+back\s+from\s+step\s+(?P<where>\S+)"),
    ("value", rf"{NAMES}{GRADIENT}\s+{AT}\s+{MATHS}(?:,\s+including\s+.*)?"),
    ("gradients", rf"{NAMES}{GRADIENT}"
     rf"(?:\s+{AT}\s+(?P<where>them|these|the\s+(?:respective\s+)?(?:variables|quantities|symbols|parameters)))?"),
    ("absent", r"(?P<names>(?:\\?delta|d(?=[A-Z\\_]))[^=:]*(?:\^\{?0\}?|_\{?0\}?|\(0\)))\s*=\s*0(?P<where>)(?:\s*\(no\s+step\s+0\))?"),
    ("before-end", r"(?P<names>\w)\s+(?:is\s+)?before\s+(?:the|its)\s+last\s+step(?P<where>)"),
    ("same", r"(?P<names>\S+)\s+and\s+(?P<where>\S+)\s+(?:are|denote|mean)\s+the\s+same(?:\s+(?:thing|quantity|states?|variables?))?"),
    ("target", r"(?:for|with)\s+(?:a|the)\s+target\s+(?P<names>\S+)(?P<where>)"),
    ("inputs", r"(?P<names>\w+)_\{?1\}?\s*,\s*(?:\\[lc]?dots|\.\.\.)\s*,\s*(?P=names)_\{?(?P<where>\w+)\}?\s+(?:are\s+)?(?:the\s+)?inputs"),
    ("last-step", r"(?P<names>\\?\w+)\s+(?:is|denotes|being)\s+the\s+(?:last|final)\s+(?:time\s+)?step(?P<where>)"),
    ("copy", r"(?P<names>\S+)\s+is\s+(?:the|a)\s+copy\s+of\s+(?P<where>\S+)\s+(?:that\s+is\s+)?used\s+at\s+(?:time\s+)?step\s+\w"
     r"(?:\s+alone|\s+only)?(?:\s+\([^()]*(?:\([^()]*\)[^()]*)*\bheld\s+fixed\))?"),
    ("nothing", r"(?P<names>[^:]+?)\s*:\s*(?:each|every)\s+(?:row|column)\s+is\s+[a-z ]+(?P<where>)"),
    ("nothing", r"(?P<names>[^:]+?)\s*:\s*[a-z ]+\s+as\s+(?:rows|columns)(?P<where>)"),
    ("nothing", r"(?P<names>(?:the\s+)?loss\s+is\s+that\s+of\s+the\s+whole\s+sequence)(?P<where>)"),
    ("nothing", r"(?P<names>the\s+step\s+loss\s+at\s+\S+\s+is\s+added\s+separately)(?P<where>)"),
    ("nothing", r"(?P<names>(?:time\s+)?steps\s+1\s*(?:\.\.+|,\s*\\dots,|to)\s*\w)(?P<where>)"),
    ("nothing", r"(?P<names>\S+_?\^?\{?0\}?\s+(?:is\s+)?the\s+initial(?:\s+\w+)?\s+state)(?P<where>)"),
)
"""The kinds of facts, each with the sentence that states it."""

ROWS = tuple((kind, re.compile(pattern, re.S)) for kind, pattern in TABLE)


HEADED = re.compile(r"^\s*\\text\s*\{\s*(?:documented|definition|defined|model|forward(?: pass)?|given)\s*:\s*\}\s*")
"""A head before a formula that says no more than that the formula is given."""

WORDS = re.compile(rf"(?<![\\\w{{])(?!(?:{'|'.join(sorted(GREEK))})(?![a-z]))[A-Za-z]{{4,}}")
"""A word of English, which is no name."""


@dataclass(frozen=True)
class Fact:
    """One sentence: its kind, the names it speaks of (LaTeX, by commas), and what it says of them."""

    kind: str
    names: str
    where: str = ""


def plain(text: str) -> str:
    r"""A sentence without the commands of text.

    >>> plain(r"r_t \text{ the direct  gradient} at~h_t.")
    'r_t the direct gradient at h_t'
    """
    while (bare := re.sub(r"\\(?:text|textrm|textit|mbox|textnormal)\s*\{([^{}]*)\}", r" \1 ", text)) != text:
        text = bare
    return re.sub(r"(?:\\[ ,;]|[\s~])+", " ", text).strip(" .;")


def fact(text: str) -> Fact | None:
    """The fact that a sentence states; None when no row of the table matches it."""
    sentence = plain(text)
    for kind, pattern in ROWS:
        if (found := pattern.fullmatch(sentence)) and (kind in ("nothing", "cross-entropy") or not WORDS.search(found["names"])):
            return Fact(kind, found["names"].strip(" ,"), (found["where"] or "").strip(" ,"))
    return None


def facts(text: str) -> tuple[list[Fact], str]:
    r"""The facts at the end of a row of formulas, and the formulas before them.

    >>> facts(r"a = b,\ \delta_t: \text{ gradients at the arguments of } f,\ g")
    ([Fact(kind='argument', names='\\delta_t', where='the arguments of f, g')], 'a = b')
    >>> facts("a = b")
    ([], 'a = b')
    """
    out: list[Fact] = []
    text = HEADED.sub("", text)
    while re.search(r"\\(?:text|mbox)", text):
        for cut in (0, *commas(text), *words(text)):
            found = fact(text[cut:].lstrip(",; "))
            if found is not None:
                out.insert(0, found)
                text = text[:cut].rstrip("\\ ,;")
                break
        else:
            head = next((k for k in commas(text) if fact(text[:k]) is not None), None)
            if head is None or (found := fact(text[:head])) is None:
                break
            out.append(found)
            text = text[head:].lstrip(",; ")
    return out, text


def sentences(text: str) -> Iterable[str]:
    """The parts of an assumption: between semicolons, and at an "and" or a comma between two that are facts by themselves."""
    for part in re.split(r"\s*;\s*", text):
        for joint in (r"\s+and\s+", r",\s+"):
            parts = re.split(joint, part)
            if fact(part) is None and len(parts) > 1 and all(fact(p) is not None for p in parts):
                yield from parts
                break
        else:
            yield part


def commas(text: str) -> Iterable[int]:
    """Where the commas and semicolons outside of brackets stand."""
    level = 0
    for k, c in enumerate(text):
        level += (c in "{([") - (c in "})]")
        if c in ",;" and level == 0 and text[k - 1:k] != "\\":
            yield k


def words(text: str) -> Iterable[int]:
    """Where a formula ends and words begin that say what a letter in it is."""
    return (m.start() for m in re.finditer(r"\\text\s*\{\s*(?:for|with)\b", text))
