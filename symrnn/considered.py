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
from symrnn.read.scope import LOSS
from symrnn.read.tree import Node
from symrnn.read.tree import walk as nodes_of
from symrnn.rules import functions_in
from symrnn.setting import Setting
from symrnn.spoken import leading

OTHERS = (r"\b(?:some|many|most|other|several|older|earlier) "
          r"(?:authors|texts|books|textbooks|papers|people|implementations|libraries|sources)\b|\bothers\b")
"""Words for who writes something otherwise."""
ASIDE = re.compile(
    r"\b(?:if|whenever|were|unless)\b|\bin the (?:\w+ )?limit\b|"
    rf"{OTHERS}|"
    r"\b(?:by|in) contrast\b|\bmistake\b|\bwrong(?:ly)?\b|\bincorrect(?:ly)?\b|\btempting\b|\bnot true\b|\bfalse\b", re.I)
"""What makes an equation later in its clause one that is only considered."""
AT_A_VALUE = re.compile(
    r"\b(?:at|for|when|with|say)\s*\Z|\btypical(?:ly)?\b|\busual value\b|\be\.\s?g\.|\bfor (?:example|instance)\b|\bwe used\b|"
    r"\bexperiments?\b|\bin practice\b", re.I)
"""The same for a quantity at a number: one of the values that it may have."""
OPEN = re.compile(r"\b(?:if|when|whenever|unless|provided|suppos(?:e|ing)|assum(?:e|ing))\b(?:(?!\bthen\b|,).)*\Z", re.I | re.S)
"""A condition that goes on until an equation."""
BEFORE_DISPLAY = re.compile(r"\b(?:if|when|whenever|unless|provided|suppose|supposing|assume|assuming)(?: that)?\s*\Z", re.I)
SPECIAL = re.compile(
    r"\b(?:for|at|when|whenever|once|under|until|while|by (?:imposing|requiring|enforcing))\s*\Z|"
    r"\b(?:would|could|might|want|wants|wish|seek|hope|requir\w+|demand\w*|impos\w+|enforc\w+|suppos\w+|assum\w+|provided|"
    r"hypothe\w+|optimum|optimal(?:ity)?|minim(?:um|al|i[sz]\w+)|stationary|fixed[- ]points?|equilibrium|steady|converged|"
    r"ideal(?:ly)?|perfect(?:ly)?)\b",
    re.I)
"""What makes an equation one that holds in a special case, if it neither defines something nor follows."""
TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
FOR = re.compile(r"\b(?:for|if|when|whenever|at)\s*\Z", re.I)
RESTRICTING = ("!=", *TURNED)
RESTRICTED = re.compile(r"\b(?:for|if|when|whenever|where|with|case|set|setting|take|taking|choosing)\s*\Z", re.I)
"""How a condition is introduced that holds for the rest of its sentence."""
PART = re.compile(r"\b(?:off-?diagonal|diagonal) (?:entr(?:y|ies)|elements?|terms?|parts?|components?)\b", re.I)
"""Words for some of the entries of a matrix."""
DEFINING = re.compile(r"\b(?:writ(?:e|es|ing|ten)|denot(?:e|es|ed|ing)|defin(?:e|es|ed|ing)|lets?|call(?:s|ed)?|put)\b", re.I)
"""What makes it a definition all the same."""
_CLAUSE = re.compile(r"[.;:!?](?=\s|\$|\\[\])])|\n[ \t]*\n|^#.*$", re.M)
BEFORE, NEAR = 300, 1500
"""Characters before an equation in which its clause may begin, and after it in which it may be meant."""


@dataclass(frozen=True)
class Aside:
    """An equation that is only considered: where, what it is of (anything, if nothing is named), and where it can no longer be meant."""

    offset: int
    end: int
    line: int
    latex: str
    names: frozenset[str] = frozenset()
    early: bool = False                                               # a condition that leaves out late steps
    sizes: bool = False                                               # sizes set to a number, so that shapes say nothing
    start: bool = False                                               # how a sequence may begin, otherwise than it goes on


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
    if span.directive is not None or tree.op != "Chain" or len(tree.nodes) != 2 or tree.nodes[1].head != "=":
        return None
    left, right = tree.nodes[0], tree.nodes[1].nodes[0]
    if _numbered(left) or left.head == setting.scope.table.time_letter or setting.is_counter(left):
        return None
    words = re.sub(r"[$(\\\s]+\Z", "", clause(document.text, span.offset)) if span.kind == "inline" else leading(document.text, span.offset)
    if DEFINING.search(words) and not re.search(OTHERS, words, re.I) or not _only_considered(words, span, left, right, setting):
        return None
    headings = [h.offset for h in document.headings if h.offset > span.offset]
    d = setting.scope.table.lookup(left.head) if left.op == "Sym" else None
    names = frozenset([left.head] if left.op == "Sym" else (n.head for n in nodes_of(left) if n.op == "Sym"))
    names = frozenset() if d is not None and d.is_function else names    # what it is applied to is anything
    return Aside(span.offset, min([*headings, span.offset + NEAR]), span.line, span.latex, names)


def _only_considered(words: str, span: Span, left: Node, right: Node, setting: Setting) -> bool:
    """Whether the words of its clause make an equation one that is only considered."""
    number = right.op in ("Num", "Zeros", "Ones") or right.op == "Neg" and right.nodes[0].op == "Num"
    value = number or right.op in ("Frac", "Div")
    inline = span.kind == "inline"
    if inline and left.op == "Sym" and (ASIDE.search(words) or value and AT_A_VALUE.search(words)):
        return True
    named = setting.scope.table.lookup(left.head) if left.op == "Sym" else None
    if inline and named is not None and named.is_function and left.part("Time") is None and FOR.search(words):
        return True                                                   # for f = tanh: one of the functions that it may be
    if left.op in ("Deriv", "Grad", "At", "Call") and not number or not (OPEN if inline else BEFORE_DISPLAY).search(words) and not (
            inline and SPECIAL.search(words)):
        return False
    function = left.op == "Mul" and functions_in(Node("Chain", (left, Node("Rel", ("=", right)))))       # h(x) where h is a state, too
    return not function and not setting.would_define(left) and not setting.follows(left, right)


def restriction(document: Document, span: Span, tree: Node, setting: Setting) -> Aside | None:
    """A condition printed in front of what it restricts, until the end of its sentence: ``For $j \\ne i$ we get``."""
    sizes = _sets_sizes(tree, setting)
    if span.kind != "inline" or tree.op != "Chain" or not (sizes or any(n.head in RESTRICTING for n in tree.nodes[1:])):
        return None
    if not RESTRICTED.search(re.sub(r"[$(\\\s]+\Z", "", clause(document.text, span.offset))):
        return None
    stop = _CLAUSE.search(document.text, span.offset + len(span.latex))
    sides = [tree.nodes[0], *(n.nodes[0] for n in tree.nodes[1:])]
    rows = [(a, n.head, b) for a, n, b in zip(sides, tree.nodes[1:], sides[1:], strict=False)]
    rows += [(b, TURNED.get(sign, ""), a) for a, sign, b in rows]
    letter = Node("Sym", (setting.scope.table.time_letter,))
    below = [b for a, sign, b in rows if a == letter and sign in ("<", "<=")]
    early = any(not setting.scope.steps & {n.head for n in nodes_of(bound)} for bound in below)
    end = document.text.find("\n\n", span.offset) if stop is None else stop.start()
    return Aside(span.offset, end, span.line, span.latex, early=early, sizes=sizes)


def _sets_sizes(tree: Node, setting: Setting) -> bool:
    """Whether sizes are set to a number."""
    sides = [tree.nodes[0], *(n.nodes[0] for n in tree.nodes[1:] if n.head == "=")] if tree.op == "Chain" else []
    letters = {n.head for n in sides if n.op == "Sym"} & (setting.scope.steps | {setting.scope.table.time_letter})
    return len(sides) == len(tree.nodes) > 1 and not letters and all(map(setting.is_counter, sides)) and any(n.op == "Num" for n in sides)


def beginning(document: Document, span: Span, tree: Node, setting: Setting, before: Iterable[Node]) -> Aside | None:
    """An equation of the first step that is not the one of all steps: a sequence may begin so, ``h_1 = \\tanh(U x_1)``.

    Not where one of the formulas ``before`` is an equation of its step 0.
    """
    if tree.op != "Chain" or len(tree.nodes) != 2 or tree.nodes[1].head != "=":
        return None
    left, right = tree.nodes[0], tree.nodes[1].nodes[0]
    first = left.part("Time") == Node("Time", (Node("Num", ("1",)),)) and left.part("Index") is None
    alone = not any(n.op == "Sym" and n.head == left.head for n in nodes_of(right))
    if not (first and alone and left.head in setting.scope.defined) or setting.follows(left, right):
        return None
    given = Node("Sym", (left.head, Node("Time", (Node("Num", ("0",)),))))
    if any(n.op == "Chain" and n.nodes[0] == given for other in before for n in nodes_of(other)):
        return None
    end = min([h.offset for h in document.headings if h.offset > span.offset], default=len(document.text))
    return Aside(span.offset, end, span.line, span.latex, frozenset({left.head}), start=True)


def _numbered(n: Node) -> bool:
    """A symbol at a step that is a number."""
    time = n.part("Time") if n.op == "Sym" else None
    return time is not None and time.nodes[0].op == "Num"


def concerned(asides: Iterable[Aside], offset: int, trees: Sequence[Node], setting: Setting) -> Aside | None:
    """The equation considered before an offset that what stands there may be meant under."""
    at_numbers = {n.head for tree in trees for n in nodes_of(tree) if _numbered(n)}
    near = [a for a in asides if a.offset < offset + a.start and offset < (a.end if a.end > a.offset else offset + 1)
            and (not a.start or a.names & at_numbers)]
    if not near:
        return None
    reached = {n.head for tree in trees for n in nodes_of(tree) if n.op == "Sym"}
    reached |= {LOSS} if reached & {setting.scope.total, setting.scope.loss} else set()
    needed = {e.left.name: {s.name for s in symbols(e.right)} for e in setting.equations}
    before = -1
    while before < len(reached):
        before = len(reached)
        reached |= {name for head in tuple(reached) for name in needed.get(head, ())}
    return next((a for a in reversed(near) if not a.names or a.names & reached), None)
