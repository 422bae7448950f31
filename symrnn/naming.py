"""Identifiers for generated code and for SymPy: made of ASCII letters, digits and underscores only, each used once.

A name of a document is data. It becomes an identifier only when it already has the form of one; what does not is renamed.
"""
from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}", re.ASCII)


def identifier(name: str, fallback: str = "v") -> str:
    """``name`` if it is a short plain identifier without leading underscore, else a plain one as near to it as possible.

    >>> identifier("W_hh"), identifier("b'"), identifier("lambda"), identifier("*")
    ('W_hh', 'b_prime', 'lambda_', 'v')
    """
    text = name.replace("'", "_prime")
    text = re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_")[:40].rstrip("_")
    if not PLAIN.fullmatch(text):
        text = f"{fallback}_{text}" if text else fallback
    return text + "_" if keyword.iskeyword(text) or keyword.issoftkeyword(text) else text


class Names:
    """Hands out identifiers; a key always gets the same one, and no two keys share one."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken = set(reserved)
        self._given: dict[object, str] = {}

    def __call__(self, key: object, wish: str) -> str:
        """The identifier of ``key``: ``wish``, or ``wish`` with a letter or number behind it where that is taken.

        >>> names = Names(reserved=["T"])
        >>> names(1, "W"), names(2, "W"), names(1, "other"), names(3, "T")
        ('W', 'W_2', 'W', 'T_')
        """
        if key not in self._given:
            base = identifier(wish)
            options = (base, *((base + "_",) if not base.endswith("_") and base in RESERVED_STYLE else ()))
            chosen = next((x for x in options if x not in self._taken), None)
            number = 2
            while chosen is None:
                chosen = f"{base}_{number}" if f"{base}_{number}" not in self._taken else None
                number += 1
            self._taken.add(chosen)
            self._given[key] = chosen
        return self._given[key]


#: Names that generated code uses itself or that are hard to tell apart: they get an underscore instead of a number.
RESERVED_STYLE = frozenset({"T", "B", "t", "np", "c", "l", "I", "O"})
