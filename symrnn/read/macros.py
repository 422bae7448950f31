r"""Expansion of macros, a text's own and those that everybody defines alike, by table and within bounds.

>>> table = macro_table({r"\Wh": "W_{hh}", r"\pd": [2, r"\frac{\partial #1}{\partial #2}"]})
>>> "".join(t.text for t in expand(tokenize(r"\pd{L}{\Wh}"), table))
'\\frac{\\partial L}{\\partial W_{hh}}'
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any

from symrnn.errors import DeclarationError
from symrnn.read.letters import GREEK
from symrnn.read.tokens import MAX_TOKENS, Refused, Token, tokenize

MAX_DEPTH = 32
"""Macros that call macros: a longer chain is refused, which also stops a macro that calls itself."""


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro: how many arguments it takes (0 to 9), its body, and the value of an optional first argument; or why it is not read."""

    arguments: int
    body: tuple[Token, ...]
    default: tuple[Token, ...] | None = None
    refused: str | None = None


Macros = Mapping[str, Macro]


def macro_table(data: Mapping[str, Any]) -> Macros:
    """Macros from a mapping of names to bodies, or to pairs of the number of arguments and the body.

    Errors: :class:`DeclarationError` for a malformed entry.
    """
    table = {}
    for name, value in data.items():
        if isinstance(value, Macro):
            table[name] = value
            continue
        count, body = value if isinstance(value, list | tuple) and len(value) == 2 else (0, value)
        if not isinstance(body, str) or not isinstance(count, int) or not 0 <= count <= 9:
            raise DeclarationError(name, must="be a body, or the number of arguments (0 to 9) and a body", came=repr(value)[:80],
                                   next_step=r'Write for example `"\\Wh": "W_{hh}"` or `"\\pd": [2, "..."]`.')
        table["\\" + str(name).lstrip("\\")] = Macro(count, tuple(tokenize(body)))
    return MappingProxyType(table)


def expand(tokens: Sequence[Token], macros: Macros) -> list[Token]:
    """Tokens without calls of `macros`; what comes out of a body stands where the call stood.

    Errors: :class:`Refused` for a missing argument, a chain longer than MAX_DEPTH, more than MAX_TOKENS tokens or calls, and a macro
    that is not read.
    """
    out: list[Token] = []
    calls = 0
    stack: list[tuple[Token, int]] = [(t, 0) for t in reversed(tokens)]
    while stack:
        token, level = stack.pop()
        macro = macros.get(token.text)
        if macro is None:
            out.append(token)
        else:
            calls += 1
            if macro.refused is not None:
                raise Refused(token.start, token.text, macro.refused)
            if calls > MAX_TOKENS:
                raise Refused(token.start, token.text, f"the formula has more than {MAX_TOKENS} calls of macros")
            if level >= MAX_DEPTH:
                raise Refused(token.start, token.text, f"macros call each other more than {MAX_DEPTH} deep")
            stack.extend((t, level + 1) for t in reversed(_called(token, macro, stack)))
        if len(out) + len(stack) > MAX_TOKENS:
            raise Refused(token.start, token.text, f"the formula has more than {MAX_TOKENS} tokens")
    return out


def expanded(latex: str, macros: Macros) -> str:
    r"""A formula without calls of `macros`; as it stands where it cannot be expanded.

    >>> expanded(r"h\prev \a x", macro_table({r"\prev": "_{t-1}", r"\a": r"\alpha"}))
    'h_{t-1} \\alpha x'
    """
    try:
        written = tokenize(latex)
        tokens = expand(written, macros)
    except Refused:
        return latex
    if tokens == list(written):
        return latex
    after = [*tokens[1:], Token(" ", 0, 0)]
    return "".join(t.text + " " * (t.is_command and n.text[0].isalpha()) for t, n in zip(tokens, after, strict=True))


def _called(token: Token, macro: Macro, stack: list[tuple[Token, int]]) -> list[Token]:
    """The body of a call with its arguments put in; takes the arguments from the stack. The body stands where the whole call stood."""
    arguments: list[list[Token]] = []
    if macro.default is not None:
        given = _bracketed(token, stack)
        arguments.append(list(macro.default) if given is None else given)
    while len(arguments) < macro.arguments:
        arguments.append(_argument(token, stack))
    end = max((t.end + 1 for a in arguments for t in a[-1:]), default=token.end)
    body: list[Token] = []
    i = 0
    while i < len(macro.body):
        piece = replace(macro.body[i], start=token.start, end=end)
        following = macro.body[i + 1].text if i + 1 < len(macro.body) else ""
        if piece.text == "#" and following[:1].isdigit() and 1 <= int(following[0]) <= len(arguments):
            body += arguments[int(following[0]) - 1]
            if following[1:]:
                body.append(Token(following[1:], token.start, token.end))
            i += 2
        else:
            body.append(piece)
            i += 1
        if len(body) > MAX_TOKENS:
            raise Refused(token.start, token.text, f"the formula has more than {MAX_TOKENS} tokens")
    return body


def _argument(token: Token, stack: list[tuple[Token, int]]) -> list[Token]:
    while stack and stack[-1][0].is_space:
        stack.pop()
    if not stack:
        raise Refused(token.start, token.text, "an argument of the macro is missing")
    first, _ = stack.pop()
    if first.text != "{":
        return [first]
    return _until(token, stack, "{", "}")


def _bracketed(token: Token, stack: list[tuple[Token, int]]) -> list[Token] | None:
    """An optional argument in square brackets, if one stands next."""
    if not stack or stack[-1][0].text != "[":
        return None
    stack.pop()
    return _until(token, stack, "[", "]")


def _until(token: Token, stack: list[tuple[Token, int]], opening: str, closing: str) -> list[Token]:
    level = 1
    out: list[Token] = []
    while stack:
        piece, _ = stack.pop()
        level += (piece.text == opening) - (piece.text == closing)
        if level == 0:
            return out
        out.append(piece)
    raise Refused(token.start, token.text, "an argument of the macro is not closed")


# -------------------------------------------------------------------------------------------------------------- usual macros
_BOLD_TAKEN = frozenset({"bf", "bm", "mp", "mu", *GREEK})
_BOLD_PREFIXES = ("b", "bf", "v", "V", "m", "M")
_USUAL: dict[str, Any] = {
    **{prefix + name: rf"\mathbf{{{name}}}" for prefix in _BOLD_PREFIXES for name in string.ascii_letters},
    **{prefix + name: rf"\boldsymbol{{\{name}}}" for prefix in _BOLD_PREFIXES for name in sorted(GREEK) if name.islower()},
    "bmf": r"\mathbf{f}",
    **dict.fromkeys(("pd", "pdv", "pder", "pderiv", "pfrac", "partialderiv"), [2, r"\frac{\partial #1}{\partial #2}"]),
    **dict.fromkeys(("dv", "deriv"), [2, r"\frac{d #1}{d #2}"]),
    "norm": [1, r"\left\|#1\right\|"],
    "ensuremath": [1, "#1"],
    "xspace": "",
    "abs": [1, r"\left|#1\right|"],
    **{name: rf"\operatorname{{{name}}}" for name in ("relu", "softmax", "softplus", "diag", "sech")},
    **{name: rf"\operatorname{{{word}}}" for name, word in (("ReLU", "relu"), ("smx", "softmax"), ("sigm", "sigmoid"))},
    **{letter + "hat": rf"\hat{{{letter}}}" for letter in "yxhzop"},
}


@cache
def usual() -> Macros:
    r"""The macros that texts use and leave out the definition of, because all define them alike; a text's own come before them.

    >>> "".join(t.text for t in expand(tokenize(r"\pd{J}{\bW}"), usual()))
    '\\frac{\\partial J}{\\partial \\mathbf{W}}'
    """
    return macro_table({name: body for name, body in _USUAL.items() if name not in _BOLD_TAKEN})


@cache
def shorthands() -> Macros:
    """The usual macros without arguments, which may stand in a name."""
    return MappingProxyType({name: m for name, m in usual().items() if not m.arguments})
