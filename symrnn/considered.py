r"""Equations that a text only considers: in a condition, of another network, as what others write.

Nothing is defined by them. What follows may be meant under them, though, so that nothing that they concern is refuted nearby.

>>> [bool(ASIDE.search(words)) for words in ("In the limit", "If we dropped the bias,", "A bias", "Some authors set")]
[True, True, False, True]
"""
from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from symrnn.expr import symbols
from symrnn.read.document import Document, Span
from symrnn.read.tree import Node
from symrnn.read.tree import walk as nodes_of
from symrnn.setting import Setting

ASIDE = re.compile(
    r"\b(?:if|whenever|were|unless)\b|\bin the (?:\w+ )?limit\b|"
    r"\b(?:some|many|most|other) (?:authors|texts|books|papers|people|implementations|libraries)\b|\bothers\b|"
    r"\b(?:by|in) contrast\b|\bmistake\b|\bwrong(?:ly)?\b|\bincorrect(?:ly)?\b|\btempting\b|\bnot true\b|\bfalse\b", re.I)
"""What makes an equation later in its clause one that is only considered."""
AT_A_VALUE = re.compile(
    r"\b(?:at|for|when|with|say)\s*\Z|\btypical(?:ly)?\b|\busual value\b|\be\.\s?g\.|\bfor (?:example|instance)\b|\bwe used\b|"
    r"\bexperiments?\b|\bin practice\b", re.I)
"""The same for a quantity at a number: one of the values that it may have."""
RESTRICTING = ("!=", "<", ">", "<=", ">=")
RESTRICTED = re.compile(r"\b(?:for|if|when|whenever|where|with|case)\s*\Z", re.I)
"""How a condition is introduced that holds for the rest of its sentence."""
PART = re.compile(r"\b(?:off-?diagonal|diagonal) (?:entr(?:y|ies)|elements?|terms?|parts?|components?)\b", re.I)
"""Words for some of the entries of a matrix."""
DEFINING = re.compile(r"\b(?:writ(?:e|es|ing|ten)|denot(?:e|es|ed|ing)|defin(?:e|es|ed|ing)|lets?|call(?:s|ed)?|put)\b", re.I)
"""What makes it a definition all the same."""
_CLAUSE = re.compile(r"[.;:!?](?=\s)|\n[ \t]*\n|^#.*$", re.M)
BEFORE, NEAR = 300, 1500
"""Characters before an equation in which its clause may begin, and after it in which it may be meant."""


@dataclass(frozen=True)
class Aside:
    """An equation that is only considered: where, what it is of, and where it can no longer be meant."""

    offset: int
    end: int
    line: int
    latex: str
    name: str


def clause(text: str, offset: int) -> str:
    """The words of the clause before an offset.

    >>> clause("It is odd. If $W$ is small, then ", 33)
    'If $W$ is small, then '
    """
    before = text[max(0, offset - BEFORE) : offset]
    cuts = [m.end() for m in _CLAUSE.finditer(before)]
    return before[cuts[-1] if cuts else 0 :].strip("\n").lstrip()


def aside(document: Document, span: Span, tree: Node, setting: Setting) -> Aside | None:
    """The equation of a span if its clause only considers it."""
    if span.kind != "inline" or span.directive is not None or tree.op != "Chain" or len(tree.nodes) != 2 or tree.nodes[1].head != "=":
        return None
    left, right = tree.nodes[0], tree.nodes[1].nodes[0]
    d = setting.scope.table.get(left.head) if left.op == "Sym" else None
    time = left.part("Time") if left.op == "Sym" else None
    letter = setting.scope.table.time_letter
    if left.op != "Sym" or left.head == letter or (d is not None and d.kind in ("index", "size")):
        return None
    if time is not None and any(n.op == "Num" for n in time.nodes):                       # an initial value
        return None
    words = re.sub(r"[$(\\\s]+\Z", "", clause(document.text, span.offset))
    value = right.op in ("Num", "Zeros", "Ones") or right.op == "Neg" and right.nodes[0].op == "Num" or right.op in ("Frac", "Div")
    considered = ASIDE.search(words) or value and AT_A_VALUE.search(words)
    if not considered or DEFINING.search(words):
        return None
    headings = [h.offset for h in document.headings if h.offset > span.offset]
    return Aside(span.offset, min([*headings, span.offset + NEAR]), span.line, span.latex, left.head)


def restriction(document: Document, span: Span, tree: Node) -> Aside | None:
    """A condition printed in front of what it restricts, until the end of its sentence: ``For $j \\ne i$ we get``."""
    if span.kind != "inline" or tree.op != "Chain" or not any(n.head in RESTRICTING for n in tree.nodes[1:]):
        return None
    if not RESTRICTED.search(re.sub(r"[$(\\\s]+\Z", "", clause(document.text, span.offset))):
        return None
    stop = _CLAUSE.search(document.text, span.offset + len(span.latex))
    return Aside(span.offset, document.text.find("\n\n", span.offset) if stop is None else stop.start(), span.line, span.latex, "")


def concerned(asides: Iterable[Aside], offset: int, trees: Sequence[Node], setting: Setting) -> Aside | None:
    """The equation considered before an offset that what stands there may be meant under."""
    near = [a for a in asides if a.offset < offset < (a.end if a.end > a.offset else offset + 1)]
    if not near:
        return None
    reached = {n.head for tree in trees for n in nodes_of(tree) if n.op == "Sym"}
    needed = {e.left.name: {s.name for s in symbols(e.right)} for e in setting.equations}
    before = -1
    while before < len(reached):
        before = len(reached)
        reached |= {name for head in tuple(reached) for name in needed.get(head, ())}
    return next((a for a in reversed(near) if not a.name or a.name in reached), None)
