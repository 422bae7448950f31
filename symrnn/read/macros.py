r"""Expansion of a text's own macros, by table and within bounds.

>>> table = macro_table({r"\Wh": "W_{hh}", r"\pd": [2, r"\frac{\partial #1}{\partial #2}"]})
>>> "".join(t.text for t in expand(tokenize(r"\pd{L}{\Wh}"), table))
'\\frac{\\partial L}{\\partial W_{hh}}'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from symrnn.errors import DeclarationError
from symrnn.read.tokens import MAX_TOKENS, Refused, Token, tokenize

MAX_DEPTH = 32
"""Macros that call macros: a longer chain is refused, which also stops a macro that calls itself."""


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro: how many arguments it takes (0 to 9), its body, and the value of an optional first argument."""

    arguments: int
    body: tuple[Token, ...]
    default: tuple[Token, ...] | None = None


Macros = Mapping[str, Macro]
NO_MACROS: Macros = MappingProxyType({})


def macro_table(data: Mapping[str, Any]) -> Macros:
    """Macros from a mapping of names to bodies, or to pairs of the number of arguments and the body.

    Errors: :class:`DeclarationError` for a malformed entry.
    """
    table = {}
    for name, value in data.items():
        count, body = value if isinstance(value, list | tuple) and len(value) == 2 else (0, value)
        if not isinstance(body, str) or not isinstance(count, int) or not 0 <= count <= 9:
            raise DeclarationError(name, must="be a body, or the number of arguments (0 to 9) and a body", came=repr(value)[:80],
                                   next_step=r'Write for example `"\\Wh": "W_{hh}"` or `"\\pd": [2, "..."]`.')
        table["\\" + str(name).lstrip("\\")] = Macro(count, tuple(tokenize(body)))
    return MappingProxyType(table)


def expand(tokens: Sequence[Token], macros: Macros) -> list[Token]:
    """Tokens without calls of `macros`; what comes out of a body stands where the call stood.

    Errors: :class:`Refused` for a missing argument, a chain longer than MAX_DEPTH, or more than MAX_TOKENS tokens.
    """
    out: list[Token] = []
    stack: list[tuple[Token, int]] = [(t, 0) for t in reversed(tokens)]
    while stack:
        token, level = stack.pop()
        macro = macros.get(token.text)
        if macro is None:
            out.append(token)
        else:
            if level >= MAX_DEPTH:
                raise Refused(token.start, token.text, f"macros call each other more than {MAX_DEPTH} deep")
            body = _called(token, macro, stack)
            stack.extend((replace(t, start=token.start, end=token.end), level + 1) for t in reversed(body))
        if len(out) + len(stack) > MAX_TOKENS:
            raise Refused(token.start, token.text, f"the formula has more than {MAX_TOKENS} tokens")
    return out


def _called(token: Token, macro: Macro, stack: list[tuple[Token, int]]) -> list[Token]:
    """The body of a call with its arguments put in; takes the arguments from the stack."""
    arguments: list[list[Token]] = []
    if macro.default is not None:
        given = _bracketed(token, stack)
        arguments.append(list(macro.default) if given is None else given)
    while len(arguments) < macro.arguments:
        arguments.append(_argument(token, stack))
    body: list[Token] = []
    i = 0
    while i < len(macro.body):
        piece = macro.body[i]
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
