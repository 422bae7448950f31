r"""Conditions that stand in words only: what is claimed under one is not refuted by what happens without it.

>>> text = "If $W$ is symmetric, then $$ a = b. $$ For a diagonal $W$ they commute: $$ c = d. $$ The gradient is $$ e = f. $$"
>>> [restricted(text, text.index(formula)) for formula in ("a = b", "c = d", "e = f")]
['If', 'diagonal', None]
>>> text = "Suppose that $W$ is orthogonal. Then $$ a = b. $$ The slope is $$ c = d. $$"
>>> [restricted(text, text.index(formula)) for formula in ("a = b", "c = d")]
['Suppose', 'orthogonal']
"""
from __future__ import annotations

import re

_SIGNED = r"(?:ones?|pre-?activations?|inputs?|values?|weights?|numbers?|arguments?|eigenvalues?|entries|states?)"
_STRUCTURE = (
    r"symmetric|antisymmetric|skew|diagonal(?! (?:entr|elem|matrix (?:with|of)))|orthogonal|orthonormal|unitary|singular|commut\w+|"
    r"normal matri\w+|idempotent|projections?|projectors?|nilpotent|triangular|circulant|(?:positive|negative) (?:semi)?definite|"
    r"identity matrix|(?:is|be|at|to|equals?|becomes?|with) the identity(?! (?:that|of))|one-dimensional|"
    r"scalar (?:network|RNN|weights?|states?|case|recurrence|units?|inputs?)|scalars|single[- ](?:unit|neuron)|one[- ]unit|"
    r"frozen|freez\w+|froze|clamp\w+|saturat\w+|zero input|no input|lineari[sz]\w+|linear (?:regime|region|range)")
_LOOSE = (
    rf"(?:positive|negative|small|large|tiny|huge|zero|equal|identical|constant) {_SIGNED}|(?:gates? (?:is|are)|(?:fully|completely)) "
    r"(?:closed|open)|idealiz\w+|idealis\w+|degenerate|trivial|warm-up|(?:special|extreme|worst|best) case|regime|equilibrium|stationary|"
    r"steady|fixed points?|optimum|converged|approximat\w+|roughly|nearly|almost|essentially|effectively|expectation|on average|"
    r"in the mean|limit|(?:to|in) (?:first|lowest|leading|second|linear) order|up to (?:terms|a|an|higher|constants?)|ignor\w+|neglect\w+|"
    r"disregard\w+|dropping|omitting|pretend\w*|imagin\w+|truncat\w+|hypothetical\w*|contributions?|(?:only|solely) from|(?:part|portion) "
    r"(?:of|that|from|coming)|(?:different|distinct|equal) indices|online learning|"
    r"(?:hold|keep|treat|regard|consider|tak)\w*\b[^.]{0,60}\b(?:fixed|constant|independent)|"
    r"(?:only|just) (?:the )?(?:last|final|first|direct|local|immediate)")
_CHANGES = (r"label smoothing|weight decay|regulari[sz]\w+|penalt\w+|dropout|averaging|(?:batch |layer )?normali[sz]\w+|clipping|"
            r"momentum|teacher forcing|peephole\w*|noise|mask\w*|residual|skip connections?|attention|minibatch\w*|mini-batch\w*")
_BY = r"(?:with|using|under|without|after|for|given|applying|adding|instead of|including)"
_ROUTINE = (r"(?:we|you|one) (?:now )?(?:differentiate|take|apply|use|expand|write|compute|look|unroll|sum|plug|substitute|insert|go|"
            r"want|derive|calculate|do|put|combine|collect|multiply|let|denote|define|call|introduce|abbreviate|recall)\b")
CONDITION = re.compile(
    rf"\b(?:if (?!{_ROUTINE})|whenever|unless|suppos(?:e|es|ed|ing)|provided|(?:as|so) long as|assuming|in (?:the )?case|would|"
    rf"when (?!\w+ing\b|{_ROUTINE})|{_STRUCTURE}|{_LOOSE}|"
    rf"(?:without (?:the|a|any)|{_BY} (?:\w+ ){{0,2}}(?:{_CHANGES}))(?!.*\x02))", re.I | re.S)
"""Words by which a sentence speaks of less than everything; what a display changes in the network it says of that display only."""
SUPPOSITION = re.compile(rf"\b(?:suppos\w+|assum\w+|restrict\w*|take|let|consider|throughout|from (?:now|here) on)\b[^.]*?\b"
                         rf"(?P<what>{_STRUCTURE})", re.I)
"""A supposition that holds for the rest of its section."""
SHOWN = re.compile(r"\b(?:activations?|transfer|nonlinearit(?:y|ies)|output functions?)\b[^.]*\bthe identity\Z", re.I)
"""A supposition of the functions of a network, which its equations show where they apply none ..."""
APPLIED = re.compile(r"\\(?:tanh|sigma|phi|varphi|psi|rho|max|operatorname|text|mathrm)\b|(?i:relu)|\b[fg]_?\w?\s*(?:\\left)?\(")
"""... and this is how they apply one."""
OTHER = tuple((re.compile(rf"\b{_BY} (?:\w+ ){{0,3}}(?:{words})\b", re.I), re.compile(mark)) for words, mark in (
    (r"cross-?entropy|log[- ]?loss|(?:log-?)?likelihood", r"\\log|\\ln|\blog\b"),
    (r"squared? (?:error|loss)|mean squared|quadratic loss", r"\^\{?2|\\top|\^T|\\\|"),
    (r"ReLU|rectifie\w+", r"(?i)relu|\\max|\bmax\b|rect"), (r"tanh|hyperbolic tangent", r"\btanh"),
    (r"logistic(?: function| sigmoid)?|sigmoid", r"\\sigma|(?i:sigm)|\\exp|e\^"), (r"softmax", r"(?i)softmax|\\exp|e\^"),
    (r"temperature", r"\\tau|\\beta|/ ?T")))
"""Functions that a sentence may put in the place of those of a text, each with what a formula has that uses it."""
AFTER = re.compile(r"(?!\W*(?:\.|\n\s*\n)\W*(?-i:[A-Z]))\W{0,6}(?:\w+ ){0,2}"
                   r"(?:(?=(?:if|when|whenever|provided|unless|as long as|assuming|up to)\b)(?P<what>\w+)|"
                   rf"(?:for|under|in|with|at)\b[^.]*?\b(?P<case>{_STRUCTURE}|{_LOOSE}))", re.I)
"""How the sentence of a formula goes on with a condition; a sentence after it speaks of what comes then."""
SAID_OF_IT = re.compile(r"[\s$.]*(?:this|that|it|the (?:\w+ )?(?:first|second|third|last|latter|former|above)|here|both|these|which)\b"
                        r"[^.]*?\b"
                        r"(?P<what>holds?|valid|true|applies|correct|exact)\b[^.]*?\b(?:only|for|if|when|under|in|provided|unless)\b", re.I)
"""How the next sentence restricts what stands before it."""
COMPARED = re.compile(r"[\s.,;$)\]\\`]{0,8}(?P<what>for|when|whenever|if|where|with|at)\s+(?:all |any |every |each )?(?:\$|\\\(|:math:`)"
                      r"(?P<formula>[^$`]*?)(?:\$|\\\)|`)", re.I)
"""How it goes on with a comparison ..."""
STRICT = re.compile(r"[<>](?!=)|\\(?:neq?|lt|gt|ll|gg)\b|≠")
LIMITED = re.compile(r"[^\w\\]*(?!(?:[0-9tijklmnTNK]|\\(?:tau|ell))\b)\\?\w+[^=<>]*?(?:[<>]=?|\\(?:leq?|geq?)\b|[≤≥])")
"""... that leaves something out: one that excludes its ends, or is about a quantity and no letter that counts."""
LOOSELY = re.compile(r"\b(?:factors?|constants?)\b[^.]{0,40}?\b(?:absorb|drop|ignor|omit|suppress|neglect)\w*|"
                     r"\b(?:absorb|drop|ignor|omit|suppress|neglect)\w*[^.]{0,20}?\b(?:factors?|constants?)\b|"
                     r"\b(?:suppress|drop|omit)\w*[^.]{0,20}?\b(?:ind(?:ex|ices|exes)|subscripts?|superscripts?|arguments?)\b", re.I)
"""What a text says somewhere of its way to write, by which its formulas are not meant to the letter."""
BASE = re.compile(r"\b(?:to )?base[- ]?(?:\$?(?:2|10|b|K)\b|two|ten)\b|\bbinary logarithm\w*", re.I)
"""A logarithm that is not the natural one."""
BY_OUTPUT = re.compile(r"\b(?:derivative|slope|primes?|f'|written|expressed|evaluated)\b[^.]{0,60}?\b(?:function|terms|at) (?:of )?"
                       r"(?:the|its) (?:outputs?|values?|activations?)\b", re.I)
"""The same of the slopes of functions, which may be those at the value and not at the argument."""
FOLLOWS = re.compile(r"\s*(?:then|thus|so|hence|therefore|and|but|now|in (?:this|that|such|these) cases?|here|"
                     r"under (?:this|these)|with this|"
                     r"it follows|consequently|accordingly|this|these|that|also|moreover|furthermore|again|both)\b", re.I)
"""How a sentence begins that speaks under what the one before it says."""
_END = re.compile(r"(?<![A-Z])(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)[.!?](?=\s|\$|\\[\])])|^#.*$", re.M)
_FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$]*\$|\\\[.*?\\\]|\\\(.*?\\\)|\\begin\{(\w+\*?)\}.*?\\end\{\1\}", re.S)
DISPLAYED = ("$$", "\\[", "\\begin")
_OPENING = re.compile(r"(?:\$\$?|\\\[|\\\(|\\begin\{\w+\*?\})?\s*(?:\\begin\{\w+\*?\}\s*)?\Z")
NUMBERS = re.compile(r"scalar|one-dim|single|one[- ]unit", re.I)
"""Which of these words make arrays numbers, so that shapes say nothing."""
FARTHEST = 900
"""Characters before a formula in which the sentences stand that it is said in."""
SECTION = 4000
"""Characters before and after it in which a supposition and the functions that the text uses are looked for."""


def leading(text: str, offset: int) -> str:
    """The sentence that leads to a formula, as far as it stands before it, without its other formulas.

    >>> leading("We saw it. We repeat that\\n\\n$$ a = b $$", 28)
    'We repeat that'
    """
    return _sentences(_before(text, max(0, offset - FARTHEST), offset))[-1].strip()


def restricted(text: str, offset: int, end: int | None = None) -> str | None:
    """The words beside a formula under which it may be meant: in its sentence, in those that it goes on from, or just after its ``end``."""
    section = text[max(0, offset - SECTION) : offset]
    start = offset - len(section) + max((m.end() for m in re.finditer(r"^#.*$", section, re.M)), default=0)
    parts = _sentences(_before(text, max(start, offset - FARTHEST), offset))
    while parts:
        words = parts.pop()
        if found := CONDITION.search(words) or _another_function(words, text[max(0, offset - SECTION) : offset + SECTION]):
            return found[0].strip()
        if words.strip() and not FOLLOWS.match(words):
            break
    compared = COMPARED.match(text, end) if end is not None else None
    if compared and (STRICT.search(compared["formula"]) or LIMITED.match(compared["formula"])):
        return compared["what"]
    after = _FORMULA.sub(" ", re.sub(r"\A[\s.,;]*(?:\$\$?|\\[\])])", " ", text[end : end + FARTHEST])) if end is not None else ""
    supposed = AFTER.match(after) or SAID_OF_IT.match(after) or _supposed(text[start:offset])
    return supposed[supposed.lastgroup or 0] if supposed else None


def loosely(text: str, slopes: bool = False) -> str | None:
    """What a text says of its way to write, by which its formulas (those with ``slopes`` of functions) are not meant to the letter."""
    found = LOOSELY.search(text) or slopes and BY_OUTPUT.search(text)
    return found[0] if found else None


def _supposed(section: str) -> re.Match[str] | None:
    """What a section supposes before a formula and its own formulas do not show."""
    words, formulas = _FORMULA.sub(" ", section), _formulas(section)
    return next((m for m in SUPPOSITION.finditer(words) if not (SHOWN.search(m[0]) and not APPLIED.search(formulas))), None)


def _formulas(text: str) -> str:
    """The formulas of a text, one after the other."""
    return " ".join(m[0] for m in _FORMULA.finditer(text))


def _another_function(words: str, text: str) -> re.Match[str] | None:
    """Words for a function that no formula of the text has."""
    formulas = _formulas(text)
    return next((found for pattern, mark in OTHER if (found := pattern.search(words)) and not mark.search(formulas or text)), None)


def _before(text: str, start: int, offset: int) -> str:
    """A piece of a text up to a formula, without the signs that open it."""
    return _OPENING.sub("", text[start:offset].rstrip()).rstrip()


def _sentences(section: str) -> list[str]:
    """The sentences of a text in order, with a sign for each display and nothing for other formulas."""
    ends = [0, *(m.end() for m in _END.finditer(section)), len(section)]
    return [_FORMULA.sub(lambda m: " \x02 " if m[0].startswith(DISPLAYED) else " ", section[a:b]).lstrip("$ \n")
            for a, b in zip(ends, ends[1:], strict=False)]
