r"""The lines beside a claim in code as facts: equations in code, and the sentences of a table.

A line is equations in code, or one of the sentences of :data:`SENTENCES`. Any other line is Unclear, and leaves every claim in doubt.

>>> read_facts("y = f * x; gy = dL/dy; g is to be dL/dx")
[y = (Star f x), gy: gradient of y (given), g: gradient of x (asked)]
>>> read_facts("delta_f is to be dL at the argument of the forget gate")
[delta_f: gradient at the argument of forget (asked)]
>>> read_facts("the moon is full")
[not understood: the moon is full]
"""
from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from symrnn.coded.facts import (
    After,
    Curvature,
    Defined,
    Fact,
    Facts,
    Formula,
    Gradient,
    Later,
    Length,
    Named,
    Output,
    Pairs,
    Slope,
    Star,
    Step,
    Stored,
    Unclear,
)
from symrnn.read.codetext import CodeUnread, Statement, expression, statements
from symrnn.read.formats.displays import WORDS
from symrnn.read.tree import Node, sym, walk


def facts_of(lines: Sequence[str]) -> Facts:
    """The facts of several lines."""
    out = Facts()
    for line in lines:
        for fact in read_facts(line):
            out.add(fact)
    return out


_NAME = r"[^\W\d][\w.]*(?:\[[^\[\]]*\]|\{[^{}]*\})*"
_NAMES = rf"{_NAME}(?:\s*(?:,|\band\b|,\s*and)\s*{_NAME})*"
_LOSS = r"(?-i:[d∂]\s*(?:L|loss|E|J|Loss)\b)"
_BY = rf"{_LOSS}\s*/\s*[d∂]\s*(?P<of>{_NAME})"
_GATE = r"(?:cell )?(?P<gate>input|forget|output|update|reset|candidate|cell|block)"
_OWNER = rf"(?:{_GATE}(?:\s+gates?)?|(?P<by>softmax|sigmoid|tanh|{_NAME})(?:\s+gate)?)"
_ENTRY = r"(?:the )?(?P<entry>score|logit|output|input)s?(?: [a-z])?"
_ARGUMENT = (r"(?:(?:the\s+)?(?:pre-?activations?|arguments?|inputs? of the (?:function|activation))"
             rf"(?:\s+of(?:\s+the)?\s+{_OWNER})?)")
_PLACE = rf"(?:{_ENTRY}|{_ARGUMENT}|(?P<of>{_NAMES}))"
_KIND = r"(?:gradients?|errors?|derivatives?|deltas?|dL|sensitivit(?:y|ies))"
_GRADIENT = (rf"(?:the )?(?:upstream |incoming )?(?:{_KIND}(?: of the loss)?\s+(?:at|with respect to|w\.?r\.?t\.?|by|in)"
             r"|(?:gradients?|errors?|deltas?)\s+(?:of|for))\s+")
_STEP = r"(?:at|of) (?:every|each|any|the same|this|one) step(?: [a-zA-Z])?|at step [a-zA-Z](?:[+-]1)?|for (?:every|each|all) \w+"
_WHEN = (rf"(?:\s*\(?(?:total|including .*|with everything .*|as it (?:comes|arrives) .*|{_STEP}|incoming"
         r"|the (?:total|whole) (?:gradient|derivative))\)?)?")
_AT = r"(?:\s+at step [a-z](?:[+-]1)?)?"
_IS = r"\s*(?::|=|is|are)\s*"
_IN = r"(?:in|by|with respect to|w\.?r\.?t\.?|at)"


def read_facts(line: str) -> list[Fact]:
    """What one line says; a line with a part that is not understood is Unclear as a whole."""
    try:
        found = _facts(_plain(line))
    except CodeUnread:
        found = None
    return [Unclear(line)] if found is None else found


def _facts(text: str) -> list[Fact] | None:
    """What a line says as a whole, or each of its parts."""
    found = _clause(text) if text else []
    for pattern in (r";\s*", rf";\s*|,\s+(?={_NAME}\s*(?:=|:|\b(?:is|are)\b))|\.\s+(?=[A-Za-z])"):
        if found is None:
            each = [_clause(p) for p in re.split(pattern, text) if p]
            found = None if None in each else [f for e in each for f in e or []]
    return found


def _clause(text: str) -> list[Fact] | None:
    """What a part of a line says; None when it is not understood."""
    found = _sentence(text)
    return _equations(text) if found is None else found


def _plain(line: str) -> str:
    text = re.sub(r"\\text\s*\{([^{}]*)\}", r"\1", line.replace("\\_", "_").replace("$", ""))
    text = re.sub(r"^(?:text|formula|code|paper|comment|where|with)\s*:?\s+(?=\S+.*=)", "", " ".join(text.split()))
    return re.sub(r"(?<!\.)\.$", "", text.strip())


# ------------------------------------------------------------------------------------------------------------------- equations
def _equations(text: str) -> list[Fact] | None:
    """The line as equations in code; None when it is none."""
    ring = bool(re.search(r"\(\s*element-?wise\s*\)", text))
    body = re.sub(r"\(\s*(?:element-?wise|entry-?wise|scalars?|vectors?)\s*\)", "", text)
    body = re.sub(r",?\s*(?:component by component|element-?wise|entry by entry|for (?:every|each|all) \w+)$", "", body)
    try:
        found = statements(body, "text", ring=ring)
    except CodeUnread:
        return None
    if not found or any(s.target is None or s.relation == "return" or _is_prose(s) for s in found):
        return None
    return [_defined(s) for s in found]


def _is_prose(s: Statement) -> bool:
    """Words beside each other are no product of matrices, and a derivative of the loss is no quotient."""
    if any(n.op == "Div" and n.nodes[0].op == "Sym" and re.fullmatch(_LOSS, n.nodes[0].head) for n in walk(s.value)):
        return True
    return any(n.op == "Mul" and any(m.op == "Sym" and m.head.lower() in WORDS for m in n.nodes) for n in walk(s.value))


def _defined(s: Statement) -> Fact:
    assert s.target is not None
    if s.target.op == "Call" and all(a.op == "Sym" and len(a.args) == 1 for a in s.target.nodes[1:]):
        return Formula(s.target.head or s.target.nodes[0].head, tuple(a.head for a in s.target.nodes[1:]), s.value)
    return Defined(s)


# ------------------------------------------------------------------------------------------------------------------- sentences
Make = Callable[[re.Match[str]], Sequence[Fact] | None]


def _sentence(text: str) -> list[Fact] | None:
    for pattern, make in SENTENCES:
        m = pattern.fullmatch(text)
        found = make(m) if m is not None else None
        if found is not None:
            return list(found)
    return None


def _nodes(names: str) -> list[Node]:
    return [expression(n) for n in re.split(r"\s*(?:,\s*and\b|,|\band\b)\s*", names.strip()) if n]


_LATER = re.compile(r"\b(?:later|next|following|subsequent|future)\b|step [a-z] ?\+ ?1", re.I)


def _gradients(role: str, before_end: bool = False) -> Make:
    """Names, each the derivative by one place, by the place of the same number, or by what it is called after."""
    def make(m: re.Match[str]) -> list[Fact] | None:
        names, found = _nodes(m["names"]), m.groupdict()
        later = role == "share" and _LATER.search(m[0]) is not None
        if found.get("of") or found.get("entry"):
            places = _nodes(m["of"]) if found.get("of") else [sym(m["entry"])]
            if len(places) not in (1, len(names)):
                return None
            return [Gradient(n, role, places[k % len(places)], before_end=before_end, later=later) for k, n in enumerate(names)]
        word = found.get("gate") or found.get("by") or ""
        return [Gradient(n, role, None, word, later=later) for n in names]
    return make


def _incoming(m: re.Match[str]) -> list[Fact]:
    """Names called after the quantity: ``dnext_c`` comes in for ``next_c``."""
    return [Gradient(n, "incoming", None, "=") for n in _nodes(m["names"])]


def _aliases(m: re.Match[str]) -> list[Fact] | None:
    """``og, c_prev: o at step k, c at step k-1`` and ``og, fg, c_prev: o, f at step k, c at step k-1``."""
    names, found, waiting = _nodes(m["names"]), [], 0
    things: list[Node] = []
    for piece in m["things"].split(","):
        p = re.fullmatch(rf"\s*({_NAME})(?:\s+at\s+step\s+([a-z](?:\s*[+-]\s*1)?))?\s*", piece)
        if p is None:
            return None
        things.append(sym(p[1]))
        if p[2]:
            step = expression(p[2])
            things[waiting:] = [sym(x.head, index=(step,)) for x in things[waiting:]]
            found.append(Step(p[2][0]))
            waiting = len(things)
    if waiting != len(things) or len(things) != len(names):
        return None
    return [*found[:1], *(Named(n, x) for n, x in zip(names, things, strict=True))]


def _returns(m: re.Match[str]) -> list[Fact] | None:
    """``sigmoid(x, derivative=True) returns sigmoid(x)*(1 - sigmoid(x))``."""
    try:
        call, body = expression(m["call"]), expression(m["body"])
    except CodeUnread:
        return None
    formal = [a for a in call.nodes[1:] if a.op == "Sym" and len(a.args) == 1]
    keys = [a.nodes[0].head for a in call.nodes[1:] if a.op == "Chain"]
    if call.op != "Call" or len(formal) + len(keys) != len(call.nodes) - 1:
        return None
    return [Formula(call.nodes[0].head, tuple(a.head for a in formal), body, tuple(keys))]


def _spoken(m: re.Match[str]) -> list[Fact]:
    return [Named(n) for n in _nodes(m["names"])]


def _later(m: re.Match[str]) -> list[Fact]:
    found = m.groupdict()
    names = [n.head for key in ("bias", "names") if found.get(key) for n in _nodes(m[key])]
    return [Later(tuple(names), bool(found.get("recurrent")))]


def _owned(m: re.Match[str]) -> list[Fact]:
    return [Pairs(tuple(tuple(p.strip() for p in group.split(",")) for group in re.findall(r"\(([^()]*)\)", m["pairs"])))]


def _multiplies(m: re.Match[str]) -> list[Fact]:
    """``f_prime(x) multiplies the gradient g at the f output``."""
    out, x = sym(f"{m['function']} output"), sym(m["x"])
    value = Node("Call", (sym(m["function"].lower()), x))
    return [Defined(Statement(out, "=", value)), Gradient(sym(m["g"]), "given", out), Slope(out, x, True)]


def _slope(m: re.Match[str]) -> list[Fact]:
    return [Slope(expression(m["of"]), expression(m["by"]), False)]


def _nothing(m: re.Match[str]) -> list[Fact]:
    return []


def _row(pattern: str, make: Make) -> tuple[re.Pattern[str], Make]:
    return re.compile(pattern, re.I), make


_START = r"(?:,? and (?:it )?(?:starts?|begins?) (?:as|at|from|with) (?:zeros?(?:_like)?(?:\(.*\))?|0))?"
_TO_BE = r"\s*(?:(?:is|are)(?: meant)? to (?:be|hold|give|equal)|should (?:be|hold|equal))\s*"

SENTENCES: tuple[tuple[re.Pattern[str], Make], ...] = (
    _row(rf"(?P<names>{_NAMES}){_IS}{_BY}{_WHEN}", _gradients("given")),
    _row(rf"(?P<names>{_NAMES}){_IS}{_BY},?\s*\(?(?:at|for) (?:a|every|each|any) step (?:before|but) the last\)?",
         _gradients("given", True)),
    _row(rf"(?P<names>{_NAMES}){_IS}{_BY},?\s*\(?(?:direct|directly|the direct (?:share|part|one))\)?", _gradients("direct")),
    _row(rf"the loss (?:may |can )?(?:also )?depends? on {_NAME}(?: as well)? ?(?:directly)?:\s*(?P<names>{_NAMES})\s*=\s*"
         rf"{_BY}(?:,?\s*\(?(?:direct|directly)\)?)?", _gradients("direct")),
    _row(rf"(?P<names>{_NAMES})\s*(?:is|are)(?: meant)? to (?:become|accumulate|collect|sum up to)\s*{_BY}{_START}", _gradients("summed")),
    _row(rf"(?P<names>{_NAMES}){_TO_BE}{_BY}{_WHEN}{_START}", _gradients("asked")),
    _row(rf"(?P<names>{_NAMES}){_TO_BE}{_GRADIENT}{_PLACE}{_WHEN}", _gradients("asked")),
    _row(rf"(?P<names>{_NAMES}){_TO_BE}{_BY},?\s*\(?(?:through|by way of|via) "
         rf"(?:(?:the )?step [a-z]|{_NAME})(?: only| alone)?\)?", _gradients("back")),
    _row(rf"(?P<names>{_NAMES})\s*(?::|=|(?:is|are)(?: meant)? to be|is|are)\s*(?:what|the (?:share|part|gradient|error)(?: that)?) "
         rf"(?:(?:the |this )?step(?: [a-z])?|it|the cell) (?:sends|passes|gives|hands|carries) back to (?P<of>{_NAME})",
         _gradients("back")),
    _row(rf"(?P<names>{_NAMES}){_IS}(?:the )?(?:incoming|upstream|backpropagated) {_KIND}"
         r"(?: (?:from|of) (?:the )?(?:later|next|following|subsequent|above).*)?", _incoming),
    _row(rf"(?P<names>{_NAMES}){_IS}{_GRADIENT}{_PLACE}{_WHEN}",
         _gradients("given")),
    _row(rf"(?P<names>{_NAMES}){_IS}{_GRADIENT}{_PLACE},?\s+"
         r"(?:(?:from|through|by|via) .* only|only (?:from|through|by|via) .*)", _gradients("share")),
    _row(rf"(?P<names>{_NAMES})\s*:\s*(?P<things>{_NAME}{_AT}(?:\s*,\s*{_NAME}{_AT})*)", _aliases),
    _row(r"(?P<call>[^\W\d][\w.]*\([^()]*\))\s+(?:returns|gives|is)\s+(?P<body>.+)", _returns),
    _row(rf"(?P<names>{_NAMES})\s+(?:is|are) (?:stored|kept|saved|taken) after the "
         r"(?P<function>sigmoid|tanh|softmax|relu|activation|nonlinearity)",
         lambda m: [After(n, "" if m["function"][0] in "an" else m["function"].lower()) for n in _nodes(m["names"])]),
    _row(rf"(?P<names>{_NAMES})\s+(?:is|are) (?:an? |the )?"
         r"(?:inputs?|parameters?|weights?|bias(?:es)?|constants?|gates?|states?|free|given)(?: \w+)?", _spoken),
    _row(r"(?P<function>softmax|sigmoid|linear) (?:output|layer|outputs) (?:with|and)(?: an?| the)? "
         r"(?P<loss>cross[- ]entropy|squared[- ]error)(?: loss)?", lambda m: [Output(m["function"].lower(), m["loss"].lower())]),
    _row(r"\*\s*(?:is|means|stands for)?\s*(?:the |a )?(?:matrix|dot)[- ]?(?:product|multiplication)(?:,.*)?", lambda m: [Star("matrix")]),
    _row(r"\*\s*(?:is|means|stands for)?\s*(?:the )?(?:element-?wise|entry-?wise|hadamard)(?: product| multiplication)?(?:,.*)?",
         lambda m: [Star("entrywise")]),
    _row(rf"(?:the )?(?:(?P<recurrent>recurrent (?:terms?|parts?|products?))(?: and (?:its|the) bias (?P<bias>{_NAME}))?"
         rf"|(?P<names>{_NAMES})) (?:is|are) added "
         r"(?:(?:on|in|by) the (?:following|next) (?:lines?|statements?|rows?)|later|afterwards|below|next)", _later),
    _row(r"(?:each|every) gate has its own weights?(?: matrix)? and bias(?:es)?\s*:\s*"
         r"(?P<pairs>\(\w+, *\w+\)(?:, *\(\w+, *\w+\))*)", _owned),
    _row(rf"\w+\((?P<x>{_NAME})\) (?:multiplies|is multiplied (?:by|with)) the (?:incoming |upstream )?gradient (?P<g>{_NAME}) at the "
         r"(?P<function>softmax|sigmoid|tanh|log_softmax) output", _multiplies),
    _row(r"(?:the|this) (?:method|function|line|code) (?:returns|gives|computes|is) the (?:derivative|gradient|slope) of "
         rf"(?P<of>{_NAME}) {_IN} (?P<by>{_NAME})", _slope),
    _row(rf"(?P<name>{_NAME})\s*(?:=|is|:|holds|is to be)\s*(?:the )?"
         r"(?:second derivative|diagonal of the hessian|hessian diagonal) of the loss "
         rf"{_IN}(?: the)?(?: entr(?:y|ies)(?: of)?)? (?P<by>{_NAME})(?: [a-z])?",
         lambda m: [Curvature(expression(m["name"]), expression(m["by"]))]),
    _row(r"(?:(?:re)?scale|clip|shrink|limit)\b.*\bso that (?:the|its) (?:new |resulting )?norm (?:becomes|is|equals) "
         rf"(?P<size>{_NAME})", lambda m: [Length(expression(m["size"]))]),
    _row(rf"(?:the )?gradients are (?:stored|kept|saved) (?:as|in) (?P<names>{_NAMES})(?:,? *(?:\.\.\.|…|etc\.?))?",
         lambda m: [Stored(tuple(n.head for n in _nodes(m["names"])))]),
    _row(r"(?:reported|observed|measured)\s*:.*", _nothing),
    _row(r"(?:all )?(?:vectors are )?columns?(?: vectors)?", _nothing),
)
"""The sentences that are understood: a pattern for the whole of a line, and what it says."""
