"""LaTeX text to tokens with offsets; nothing is dropped here, not even white space and comments.

>>> [t.text for t in tokenize(r"\\sigma(W_{hh}) % note")]
['\\\\sigma', '(', 'W', '_', '{', 'h', 'h', '}', ')', ' ', '% note']
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

MAX_TOKENS = 20_000
"""A span with more tokens is refused before anything else is done with it."""

_TOKEN = re.compile(
    r"\\(?:operatorname|DeclareMathOperator)\*?|\\[A-Za-z]+|\\[^A-Za-z]|\\\Z|\d+(?:\.\d+)?|\.\.\.?|%[^\n]*|\s+|.", re.S
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of text and where it stands: `text` is ``latex[start:end]``, except for tokens out of a macro's body,
    which stand where the macro was called."""

    text: str
    start: int
    end: int

    @property
    def is_space(self) -> bool:
        """White space or a comment."""
        return self.text[0].isspace() or self.text[0] == "%"

    @property
    def is_command(self) -> bool:
        r"""A control word such as ``\sigma``."""
        return len(self.text) > 1 and self.text[0] == "\\" and self.text[1].isalpha()

    @property
    def is_letter(self) -> bool:
        """A single letter of any script."""
        return len(self.text) == 1 and self.text.isalpha()

    @property
    def is_number(self) -> bool:
        """A numeral written in ASCII digits."""
        return self.text[0] in "0123456789"


def tokenize(latex: str) -> list[Token]:
    """All tokens of a span; joined they are the span again."""
    return [Token(m.group(), m.start(), m.end()) for m in _TOKEN.finditer(latex)]


class Refused(Exception):
    """Reading stopped: at `offset` of the span, on `token`; `hint` says what is missing or could be written instead."""

    def __init__(self, offset: int, token: str, hint: str) -> None:
        super().__init__(f"{hint} (at offset {offset}: {token!r})")
        self.offset = offset
        self.token = token
        self.hint = hint


@dataclass(frozen=True, slots=True, order=True)
class Note:
    """A choice that reading made or a doubt it has: an offset, a short code, and a sentence for the author."""

    offset: int
    code: str
    message: str


TURNS = ("\\top", "\\intercal")


def unnested(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with the transposition of ``h^{(t)^\top}`` beside its time: ``h^{(t)\top}``.

    >>> "".join(t.text for t in unnested(tokenize(r"h^{(t-1)^{\top}} + {(a)^\top}")))
    'h^{(t-1)\\top} + {(a)^\\top}'
    """
    kept = list(tokens)
    solid = [k for k, t in enumerate(kept) if not t.is_space]
    texts = [kept[k].text for k in solid]
    drop: set[int] = set()
    opened: list[int] = []                                           # where in ``texts`` a bracket of an upper script opens
    for n, text in enumerate(texts):
        if text == "(":
            opened.append(n)
        elif text == ")" and opened:
            start = opened.pop()
            whole = start > 1 and texts[start - 2 : start] == ["^", "{"]
            rest = texts[n + 1 : n + 6]
            if whole and rest[:1] == ["^"] and rest[1:2] and rest[1] in TURNS and rest[2:3] == ["}"]:
                drop.add(solid[n + 1])
            elif whole and rest[:2] == ["^", "{"] and rest[2:3] and rest[2] in TURNS and rest[3:5] == ["}", "}"]:
                drop |= {solid[n + 1], solid[n + 2], solid[n + 4]}
    return [t for k, t in enumerate(kept) if k not in drop]
