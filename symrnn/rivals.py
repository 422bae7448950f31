r"""Definitions that contradict each other in one passage: the text passes on to no other network, so that either may be meant.

What depends on them is judged under each. A definition that the text only recalls defines nothing, but is judged by the first.

>>> [bool(RECALLED.search(words)) for words in ("We recall that", "As before, we have", "Now let", "The layer repeats the definition")]
[True, True, False, True]
"""
from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from symrnn.read.document import Document, Span
from symrnn.setting import Rival, Setting
from symrnn.spoken import leading

RECALLED = re.compile(r"\b(?:recall(?:s|ed|ing)?|remember|repeats?|repeated|reminder|as (?:before|above|earlier)|again|"
                      r"(?:saw|seen|know|known|defined) (?:before|above|earlier|that))\b", re.I)
"""What makes an equation one that the text has given already."""
PASSING = re.compile(r"\b(?:now|next|turn(?:ing)? to|pass(?:ing)? on|another (?:network|cell|model)|"
                     r"as an? (?:[\w-]+ ){0,4}(?:networks?|rnn|recurrence)|"
                     r"(?:a|an|the) (?:linear|leaky|residual|gated|deeper?) (?:network|cell|model|version|variant|one))\b", re.I)
"""Words with which a text passes on to another network."""


def recalled(document: Document, span: Span) -> bool:
    """Whether the words before an equation say that it was given before."""
    return RECALLED.search(leading(document.text, span.offset)) is not None


def rivals(names: Iterable[str], old: Setting, spans: Mapping[str, Span], document: Document, new: Span) -> tuple[Rival, ...]:
    """The definitions of some names that a new equation contradicts, if the text does not pass on between them or only recalls it."""
    places = {name: spans[old.places[name]] for name in sorted(names) if old.places.get(name) in spans}
    return tuple(old.rival(name, span) for name, span in places.items()
                 if recalled(document, new) or not PASSING.search(leading(document.text, new.offset)) and not any(
                     span.offset < h.offset < new.offset for h in document.headings))
