r"""Words after which a sentence does not claim what its pattern says: it denies it, supposes it, or speaks of something else.

>>> blocked("tanh does not squash its input to $[0, 1]$", "function"), blocked("tanh squashes its input to $[0, 1]$", "function")
(True, False)
"""
from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from symrnn.read.sentences import WORDS

_DENIED = (r"\b(?:not|never|no|neither|nor|cannot|without|unlike|instead|rather|if|suppose[sd]?|assum\w+|would|could|might|should|were|"
           r"wrong\w*|incorrect\w*|false\w*|mistak\w+|mislead\w*|myth|erroneous\w*|claims?|claimed|unless|contrary|\w+n[’']t)\b")
_ALTERED = (r"\b(?:re-?)?(?:scal|shift|modif|normali[sz]|clipp|squar|doubl|halv|translat|adjust|transform)\w*|\b(?:hard|leaky|absolute|"
            r"magnitudes?|positive|non-?negative|negative|derivatives?|gradients?|slopes?|jacobians?|inverses?|variants?|versions?|"
            r"followed|twice|half|parametri[sz]ed|temperature|plus|minus|times|first|approximat\w*|bipolar|symmetric|generali[sz]ed|cent(?:er|re)d|"
            r"mostly|usually|roughly|about|effectively|often|practice|near|around|when|restricted|on the (?:interval|range)|"
            r"for (?:\w+ ){0,3}(?:inputs?|arguments?|values?)|(?:inputs?|arguments?) (?:in|between|from))\b|"
            r"['’]\(|\\prime|\\partial|\\frac\s*\{d")
_KEPT = (r"\b(?:stor(?:e[sd]?|ing)|keep(?:s|ing)?|kept|sav(?:e[sd]?|ing)|stack\w*|concat\w*|collect\w*|history|histories|buffers?|caches?|"
         r"memory|list(?:s|ed)?|unroll\w*|tapes?|over (?:the )?time|(?:all|each|every|per) (?:of the )?(?:time[- ]?)?steps?|attention|"
         r"align\w*|window\w*|pad(?:s|ded|ding)|sequences?|convol\w*|filters?|kernels?|mask\w*|position\w*)\b")
_ENTRIES = (r"\b(?:logits?|scores?|class(?:es)?|categor(?:y|ies)|probabilit\w+|components?|entr(?:y|ies)|units?|neurons?|attention|"
            r"padd?\w*)\b")
_COMPARED = (r"\b(?:more|fewer|less|additional|extra|further|rest|remaining|other|saves?d?|about|approximately|roughly|nearly|almost|"
             r"order|at (?:least|most)|up to|hundreds|thousands|millions?|billions?|bidirectional|bi-?RNN|stacked|deep|embeddings?|"
             r"feed-?forward|MLP|fully[- ]connected|dense|convol\w+|unrolled|untied|each step|every step|per step|peepholes?|"
             r"layers (?:has|have)|\w+ layers|encoders?|decoders?|attention|normali[sz]ation|hyper-?parameters?|plus|addition|besides|"
             r"alone|only|solely|merely|matri(?:x|ces)|due to|connections?|kernels?|(?:each|every) (?!gate|of)\w+|per (?!gate)\w+)\b")
_QUALIFIED = (r"\b(?:twice|doubl\w+|halv\w+|half|tying|tied|diagonal|low[- ]?rank|rank|independent\w*|IndRNN|larger|smaller|bigger|wider|"
              r"another|different|both|including|when|after|prun\w+|replac\w+|hardly|barely|scarcely|nobody|original|initial states?|"
              r"with (?:\w+ )*(?:units|neurons)|(?:bias\w*|vectors?|weights?) per gate)\b|\$\s*[A-Za-z]\w*\s*=\s*[A-Za-z][\w{}]*\s*\$")
_ENDING = r"\b(?:last|final|finally|end|ends|only|truncat\w*|stop\w*|when|where)\b"

_CORRECTED = r"\b(?:not|wrong\w*|incorrect\w*|false\w*|misprint\w*|typos?|instead|should|mistak\w+|\w+n[’']t)\b"

GUARDS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "any": (_DENIED,),
    "named": (_CORRECTED,),
    "function": (_DENIED, _ALTERED),
    "size": (_DENIED, _KEPT),
    "count": (_DENIED, _ENTRIES),
    "at": (_DENIED, _ENDING),
    "parameters": (_DENIED, _COMPARED, _QUALIFIED),
})
"""For each kind of claim, what must not stand in the clause."""

POSITIVE = re.compile(r"\b(?:relu|rectif\w+|non-?negative|positive|absolute|square[sd]?|softplus|abs)\b", re.I)
"""Words that say, some way before, that arguments are not negative."""

LINKS = re.compile(r"\s*(?:(?:functions?|activations?|non-?linearit(?:y|ies)|layers?|units?|implements?|is|are|a|an|the|used|to|that|"
                   r"which|it|this|they|always|also|simply|just|only|then|and|typical|smooth|elementwise|[:,(.]|\$[^$]*\$)\s*){0,12}", re.I)
"""What may stand between a function and the verb that says where its values lie."""

SAME = MappingProxyType({"logistic": "sigmoid", "hyperbolic tangent": "tanh", "rectifier": "relu", "relu": "relu", "sigm": "sigmoid"})
"""Other names of the functions of the table."""

PRONOUN = re.compile(r"(?:^|[.;]) ?(?:It|This|This function|it)$")
"""How a sentence begins that goes on about the function named last."""

_FUNCTION = "|".join(WORDS)
DEEDS = re.compile(r"(?:(?P<verb>[a-z]+) )?(?:(?:the|its|their|any|all|every|each|an?|only|real|real-valued|of|input|output|arguments?|"
                   r"values?|activations?|pre-?activations?|inputs?|outputs?|numbers?|results?|everything|anything|signals?|vectors?|components?|"
                   r"entries|elements?|that|is|are|be|it|lies?|to|into|onto|in|within|between|from|and|range|interval|zero|one|minus|"
                   r"open|closed|strictly|whose|with|has|always|takes|function|[-+\d.,()\[\]−–]+|\$[^$]*\$|"
                   rf"(?:\w+\.)?(?:{_FUNCTION}))(?:,? |$))*", re.I)
"""The words of a pattern that say where the values of a function lie: what it does, to what, and where to."""

ATTENTION = re.compile(r"(?<![\\{])\b(?:attention|attend(?:s|ed|ing)?|align(?:s|ing|ments?)|aligned (?!\})|encoders?|annotations?|keys|"
                       r"quer(?:y|ies)|convol\w+)\b", re.I)
ROUND = 2000
"""How many characters round a sentence a text may speak of attention, where vectors have one entry for each step."""

_RULES = {kind: re.compile("|".join(rules), re.I) for kind, rules in GUARDS.items()}
_FUNCTIONS = re.compile(rf"(?<![A-Za-z])(?:{_FUNCTION})(?![A-Za-z])", re.I)
_RANGES = re.compile(r"[\[(\]]\s*[-+−–]?\s*(?:\d[\d.]*|\\infty)\s*,\s*[-+−–]?\s*(?:\d[\d.]*|\\infty)\s*[\])\[]")


def blocked(clause: str, kind: str) -> bool:
    """Whether a clause denies, supposes or alters what a sentence of this kind would claim."""
    return _RULES[kind].search(clause) is not None


def does(link: str, words: str) -> bool:
    """Whether it is the function that does what the words say, to its argument: ``squashes the values``, not ``we clip the weights``.

    >>> does("which", "squashes the values to [0, 1]"), does(", and", "restrict the weights to [0, 1]"), does("to", "squash it to [0, 1]")
    (True, False, True)
    """
    found = DEEDS.fullmatch(words)
    if found is None or not (LINKS.fullmatch(link) or PRONOUN.search(link)):
        return False
    verb = (found["verb"] or "").lower()
    return not link or verb.endswith(("s", "ing")) or re.search(r"\bto$", link) is not None


def attends(text: str, at: int) -> bool:
    """Whether a text speaks of attention round a place: there vectors may well have one entry for each step."""
    return ATTENTION.search(text, max(0, at - ROUND), at + ROUND) is not None


def own_name(name: str) -> str:
    r"""A function as the table of functions calls it.

    >>> own_name(r"\tanh"), own_name("Sigmoid"), own_name("ReLU"), own_name(r"\phi")
    ('tanh', 'sigmoid', 'relu', 'phi')
    """
    plain = re.sub(r"\\(?:mathrm|text\w*|operatorname)\s*|[\\{}]", "", name).strip().lower()
    return SAME.get(plain, plain)


def functions_named(clause: str) -> set[str]:
    """The functions that a clause names, in words or in its formulas."""
    return {own_name(m[0]) for m in _FUNCTIONS.finditer(clause)}


def ranges_named(clause: str) -> int:
    """How many intervals a clause prints."""
    return len(_RANGES.findall(clause))
