r"""The macros that a text defines: ``\newcommand`` and its kin, ``\def``, ``\let``, operators and paired delimiters.

What cannot be read, or is defined in two ways, stays a macro that is refused where it is called, so that no formula is misread.

>>> table = own(r"\newcommand{\pd}[2][L]{\frac{\partial #1}{\partial #2}} \def\bW{\mathbf{W}} \def\at#1|{#1}")
>>> table[r"\pd"].arguments, "".join(t.text for t in table[r"\pd"].default), table[r"\at"].refused
(2, 'L', 'its definition has more than plain arguments')
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from symrnn.read.macros import Macro, Macros
from symrnn.read.tokens import Token, tokenize

LONGEST = 20_000
"""Characters of one argument of a definition."""

_DEFINED = re.compile(
    r"\\(?P<kind>(?:re)?newcommand|providecommand|DeclareRobustCommand|[gex]?def|let|DeclareMathOperator|DeclarePairedDelimiter"
    r"|(?:New|Renew|Provide|Declare)DocumentCommand)(?![A-Za-z])\*?\s*(?:\{\s*(?P<braced>\\(?:[A-Za-z@]+|[^A-Za-z]))\s*\}"
    r"|(?P<bare>\\(?:[A-Za-z@]+|[^A-Za-z\s])))")
_COUNT = re.compile(r"\s*\[\s*(\d)\s*\]")
_PARAMETERS = re.compile(r"(?:\s*#\d)*\s*(?=\{)")
_ALIAS = re.compile(r"\s*=?\s*(\\(?:[A-Za-z@]+|[^A-Za-z\s])|[^\s{}\\])")
_SPACE = re.compile(r"\s*")
_BRACES = re.compile(r"\\.|%[^\n]*|[{}]", re.S)
_OPTIONAL = re.compile(r"\s*\[((?:[^\[\]{}]|\{[^{}]*\}){0,200})\]")

TWICE = "it is defined in two ways"
UNKNOWN = "its definition has more than plain arguments"


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition: the name of the macro with its backslash, the macro, and where the definition stands."""

    name: str
    macro: Macro
    start: int
    end: int
    weak: bool = False
    again: bool = False


def own(text: str) -> Macros:
    r"""The macros that a text defines (others hide the usual macro of their name).

    >>> own(r"\newcommand{\pd}[1]{\nabla #1} \def\bW{W_b}").keys()
    dict_keys(['\\pd', '\\bW'])
    """
    return gathered(definitions(text))


def gathered(found: Iterator[Definition] | list[Definition]) -> Macros:
    """The table of some definitions in order; one that differs from one before it leaves a macro that is refused."""
    out: dict[str, Macro] = {}
    for d in found:
        before = out.get(d.name)
        if before is None:
            out[d.name] = d.macro
        elif not d.weak and _meaning(before) != _meaning(d.macro):
            out[d.name] = _refused(TWICE)
    return MappingProxyType(out)


def definitions(text: str) -> Iterator[Definition]:
    """The definitions of a text, in order; one within another is no definition of its own."""
    at = 0
    while (found := _DEFINED.search(text, at)) is not None:
        definition = read_definition(text, found)
        at = found.end() if definition is None else definition.end
        if definition is not None:
            yield definition


def definition_at(text: str, at: int) -> Definition | None:
    """The definition that begins at an offset."""
    found = _DEFINED.match(text, at)
    return None if found is None else read_definition(text, found)


def read_definition(text: str, found: re.Match[str]) -> Definition | None:
    """The definition that a match begins; None where it has no body."""
    name, kind = found["braced"] or found["bare"], found["kind"]
    result = next(read for ending, read in _KINDS if kind.endswith(ending))(text, found.end())
    if result is None:
        return None
    macro, end = result
    return Definition(name, macro, found.start(), end, weak=kind.lower().startswith("provide"))


def group(text: str, i: int) -> tuple[int, int] | None:
    """Where the inside of a group begins and ends that stands at an offset, white space before it left out; None if none is there.

    >>> group("  {a{b}}c", 0), group("{a", 0)
    ((3, 7), None)
    """
    i = _SPACE.match(text, i).end()  # type: ignore[union-attr]
    if text[i : i + 1] != "{":
        return None
    end = _pairs(text).get(i)
    return (i + 1, end) if end is not None and end - i <= LONGEST else None


def optional(text: str, i: int) -> tuple[int, int] | None:
    """The same of a group in square brackets, which is short.

    >>> optional("[L]", 0), optional("[L", 0)
    ((1, 2), None)
    """
    found = _OPTIONAL.match(text, i)
    return None if found is None else found.span(1)


@lru_cache(maxsize=2)
def _pairs(text: str) -> Mapping[int, int]:
    """The braces of a text: where each one is that opens a group, and where the one that closes it."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for m in _BRACES.finditer(text):
        if m.group() == "{":
            opened.append(m.start())
        elif m.group() == "}" and opened:
            found[opened.pop()] = m.start()
    return found


Read = tuple[Macro, int]


def _command(text: str, i: int) -> Read | None:
    r"""What follows the name in ``\newcommand``: a number of arguments, the value of an optional one, and the body."""
    count = _COUNT.match(text, i)
    default = None
    if count is not None:
        i = count.end()
        default = optional(text, i)
        i = i if default is None else default[1] + 1
    body = group(text, i)
    if body is None:
        return None
    given = None if default is None else tuple(tokenize(text[slice(*default)]))
    return _macro(int(count[1]) if count else 0, text[slice(*body)], given), body[1] + 1


def _def(text: str, i: int) -> Read | None:
    r"""What follows the name in ``\def``: parameters, and the body."""
    plain = _PARAMETERS.match(text, i)
    if plain is not None:
        body = group(text, plain.end())
        return None if body is None else (_macro(plain.group().count("#"), text[slice(*body)]), body[1] + 1)
    brace = text.find("{", i, i + 200)
    body = group(text, brace) if brace >= 0 else None
    return None if body is None else (_refused(UNKNOWN), body[1] + 1)


def _let(text: str, i: int) -> Read | None:
    found = _ALIAS.match(text, i)
    return None if found is None else (_macro(0, found[1]), found.end())


def _operator(text: str, i: int) -> Read | None:
    body = group(text, i)
    return None if body is None else (_macro(0, rf"\operatorname{{{text[slice(*body)]}}}"), body[1] + 1)


def _delimiters(text: str, i: int) -> Read | None:
    left = group(text, i)
    right = group(text, left[1] + 1) if left is not None else None
    if left is None or right is None:
        return None
    return _macro(1, rf"\left{text[slice(*left)]} #1 \right{text[slice(*right)]}"), right[1] + 1


def _document_command(text: str, i: int) -> Read | None:
    r"""What follows the name in ``\NewDocumentCommand``: the kinds of the arguments, and the body."""
    kinds = group(text, i)
    body = group(text, kinds[1] + 1) if kinds is not None else None
    if kinds is None or body is None:
        return None
    plain = text[slice(*kinds)].replace(" ", "")
    optional = re.match(r"O\{([^{}]*)\}", plain)
    rest = plain[optional.end() :] if optional else plain
    if set(rest) - {"m"} or len(plain) > LONGEST:
        return _refused(UNKNOWN), body[1] + 1
    default = tuple(tokenize(optional[1])) if optional else None
    return _macro(len(rest) + (optional is not None), text[slice(*body)], default), body[1] + 1


_KINDS = (("def", _def), ("let", _let), ("Operator", _operator), ("Delimiter", _delimiters), ("DocumentCommand", _document_command),
          ("ommand", _command))
"""How a definition goes on after the name, by the end of the word that begins it."""


def _macro(arguments: int, body: str, default: tuple[Token, ...] | None = None) -> Macro:
    return Macro(arguments, tuple(tokenize(body)), default)


def _refused(reason: str) -> Macro:
    return Macro(0, (), None, reason)


def _meaning(macro: Macro) -> tuple[object, ...]:
    """What a macro says, wherever it was written."""
    def words(tokens: tuple[Token, ...] | None) -> str | None:
        return None if tokens is None else "".join(t.text for t in tokens if not t.is_space)
    return macro.arguments, words(macro.body), words(macro.default), macro.refused


def delimiters(macros: Mapping[str, Macro]) -> dict[str, str]:
    r"""The macros that only begin or end an environment, or stand for a delimiter of a display.

    >>> delimiters(own(r"\newcommand{\be}{\begin{equation}} \def\ee{\end{equation}} \def\x{x}"))
    {'\\be': '\\begin{equation}', '\\ee': '\\end{equation}'}
    """
    found = {name: "".join(t.text for t in m.body).strip() for name, m in macros.items() if not m.arguments and m.refused is None}
    return {name: body for name, body in found.items() if re.fullmatch(r"\\(?:begin|end)\s*\{[A-Za-z]+\*?\}|\\[\[\]()]|\$\$", body)}
