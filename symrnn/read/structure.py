r"""Tokens to pieces: braces, brackets and environments paired, wrappers and fonts peeled, signs looked up.

Every token becomes part of a piece, is kept as an attribute of the reading (``\tag``, ``\label``, ``\boxed``), or is in
one of the tables of commands that change nothing; all else is refused with its place.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, replace
from typing import NoReturn

from symrnn.read import names, signs
from symrnn.read.commands import Commands
from symrnn.read.pieces import POWER, Piece, Pieces
from symrnn.read.tokens import Refused, Token

MAX_NESTING = 64
"""Brackets, braces, arguments and environments one inside the other; deeper formulas are refused. A braced argument
counts twice."""

COLUMNS = re.compile(r"[lcrLCR|*\d\s{}:]*")
"""How the columns of an array are listed, without what is set between them."""
_SET = re.compile(r"[@!<>pmb]\s*\{(?:[^{}]|\{[^{}]*\})*\}")


@dataclass
class Structure(Commands):
    """One pass over the tokens of a span: `pieces()` makes the pieces and fills `attributes` and `notes`."""

    def pieces(self) -> Pieces:
        """The pieces of the whole span. Errors: :class:`Refused`."""
        self.tokens = [t for t in self.tokens if not t.is_space]
        out = self._run(None)
        if self._i < len(self.tokens):
            self._fail("nothing was open that this could close")
        return out

    # -- tokens -----------------------------------------------------------------------------------------------------
    def _peek(self) -> str:
        return self.tokens[self._i].text if self._i < len(self.tokens) else ""

    def _next(self) -> Token:
        if self._i >= len(self.tokens):
            end = self.tokens[-1].end if self.tokens else 0
            raise Refused(end, "", "the formula ends where something must follow")
        self._i += 1
        return self.tokens[self._i - 1]

    def _fail(self, hint: str, back: int = 0) -> NoReturn:
        token = self.tokens[min(self._i - back, len(self.tokens) - 1)]
        raise Refused(token.start, token.text, hint)

    def _raw_group(self) -> tuple[str, int, int]:
        """A braced argument as text, such as the name of an environment; the offsets include the braces."""
        first = self._next()
        if first.text != "{":
            return first.text, first.start, first.end
        level = 1
        words: list[str] = []
        while True:
            token = self._next()
            level += (token.text == "{") - (token.text == "}")
            if level == 0:
                return "".join(words), first.start, token.end
            words.append(token.text)

    # -- runs -------------------------------------------------------------------------------------------------------
    def _run(self, opener: Token | None, closers: frozenset[str] = frozenset()) -> Pieces:
        """Pieces up to a token of `closers` (not consumed) or, without an opener, to the end."""
        self._level += 1
        self._check_level()
        out: list[Piece] = []
        while self._i < len(self.tokens):
            text = self._peek()
            if text in closers:
                break
            if text in ("}", "\\end", "\\right") or text in signs.CLOSERS:
                if opener is None:
                    self._fail("nothing is open that this could close")
                raise Refused(opener.start, opener.text, f"it is not closed before {text}")
            self._add(out, self._one())
        else:
            if opener is not None:
                raise Refused(opener.start, opener.text, "it is not closed")
        self._level -= 1
        return tuple(out)

    def _add(self, out: list[Piece], new: Pieces) -> None:
        """Append pieces, joining signs that are written as two."""
        for piece in new:
            last = out[-1] if out else None
            if last is not None and last.is_("script", "^") and last.font == POWER and piece.kind == "fence":
                piece = replace(piece, kind="group", text="")         # A**(t - 1) is a power, whatever stands in the bracket
            if len(out) > 1 and piece.is_("letter", "T") and out[-1].is_("point") and out[-2].end == out[-1].start and (
                    out[-1].end == piece.start) and out[-2].kind in _OPERANDS:
                out[-1:] = [Piece("script", "^", out[-1].start, out[-1].end), Piece("top", "top", piece.start, piece.end)]
                continue                                              # W.T
            joined = _JOINED.get((last.text, piece.text)) if last is not None and last.end == piece.start else None
            if last is not None and joined is None:
                joined = _JOINED_LOOSE.get((last.text, piece.text))
            if last is not None and joined and last.kind in ("op", "rel", "point", "bar"):
                out[-1] = Piece(*joined, last.start, piece.end, font=POWER if joined == ("script", "^") else "")
            else:
                out.append(piece)

    def _one(self) -> Pieces:
        """The pieces that begin at the next token (none for a command that changes nothing)."""
        token = self._next()
        text = token.text
        for table, method in _DISPATCH:
            if text in table:
                return getattr(self, method)(token)  # type: ignore[no-any-return]
        if text in signs.SHORTHANDS:
            return (Piece(*signs.SHORTHANDS[text], token.start, token.end),)
        if text in signs.SIGNS:
            return (Piece(*signs.SIGNS[text], token.start, token.end),)
        if token.is_number:
            return (Piece("number", text, token.start, token.end),)
        if text in signs.GREEK_LETTERS:
            return (Piece("letter", signs.GREEK_LETTERS[text], token.start, token.end),)
        if token.is_letter:
            return (Piece("letter", text, token.start, token.end),)
        if token.is_command:
            name = text[1:]
            if name in names.GREEK:
                return (Piece("letter", name, token.start, token.end),)
            if text in signs.FUNCTION_COMMANDS:
                return (Piece("word", name, token.start, token.end),)
            if text in signs.UNREAD:
                self._fail(f"{signs.UNREAD[text]} are not read", back=1)
            if self._peek() in ("{", "["):
                self._fail("no meaning is known for this command with an argument; define it as a macro", back=1)
            return (Piece("unknown", name, token.start, token.end),)
        self._fail("this character has no meaning in a formula", back=1)

    def _argument(self) -> Pieces:
        """One argument as TeX takes it: a braced group, or one token (of a numeral: one digit)."""
        self._level += 1
        self._check_level()
        out = self._taken()
        self._level -= 1
        return out

    def _check_level(self) -> None:
        if self._level > MAX_NESTING:
            self._fail(f"more than {MAX_NESTING} brackets and arguments one inside the other")

    def _taken(self) -> Pieces:
        token = self.tokens[self._i] if self._i < len(self.tokens) else self._next()
        if token.text == "{":
            return self._braces(self._next(), splice=True)
        if token.is_number and len(token.text) > 1:
            rest = Token(token.text[1:], token.start + 1, token.end)
            self.tokens = [*self.tokens[: self._i], rest, *self.tokens[self._i + 1 :]]
            return (Piece("number", token.text[0], token.start, token.start + 1),)
        if token.text in ("}", "&", "\\\\", "\\end", "\\right"):
            self._fail("an argument is missing before it")
        return self._one()

    # -- brackets ---------------------------------------------------------------------------------------------------
    def _braces(self, token: Token, splice: bool = False) -> Pieces:
        switch = self._peek() if self._peek() in names.SWITCHES else ""
        if switch:
            self._next()
        inner = self._run(token, frozenset("}"))
        end = self._next().end
        if switch:
            inner = self._styled(switch, inner)
        over = next((k for k, p in enumerate(inner) if p.is_("unknown", "over")), 0)
        if over:
            inner = (Piece("frac", "", token.start, end, (inner[:over], inner[over + 1 :])),)
        if splice or len(inner) == 1:
            return inner
        return (Piece("group", "", token.start, end, (inner,)),)

    def _bracket(self, token: Token) -> Pieces:
        opening = signs.OPENERS[token.text]
        closers = frozenset(t for t, c in signs.CLOSERS.items() if c in signs.PAIRS[opening])
        inner = self._run(token, closers)
        closing = self._next()
        return (self._fence(opening, inner, signs.CLOSERS[closing.text], token.start, closing.end),)

    def _left(self, token: Token) -> Pieces:
        opening = self._delimiter()
        inner = self._run(token, frozenset({"\\right"}))
        self._next()
        closing = self._delimiter()
        return (self._fence(opening, inner, closing, token.start, self.tokens[self._i - 1].end),)

    def _delimiter(self) -> str:
        token = self._next()
        if token.text not in signs.DELIMITERS:
            self._fail("a bracket must follow \\left and \\right", back=1)
        return signs.DELIMITERS[token.text]

    def _fence(self, opening: str, inner: Pieces, closing: str, start: int, end: int) -> Piece:
        """A bracket with its contents; line breaks inside a bracket are no rows."""
        inner = tuple(p for p in inner if not p.is_("sep", "&", "\\\\"))
        inner = tuple(replace(p, kind="op", text="Dot") if _is_product(inner, k) else p for k, p in enumerate(inner))
        if (opening, closing) == ("[", "]") and not any(p.kind in _JOINS for p in inner):
            inner = self._blocks(inner)
        return Piece("fence", f"{opening} {closing}", start, end, (inner,))

    def _blocks(self, inner: Pieces) -> Pieces:
        """Symbols in square brackets with a space between them, parted there: blocks side by side."""
        out = list(inner[:1])
        for last, piece in zip(inner, inner[1:], strict=False):
            gap = next((g for g in self.gaps if last.end <= g < piece.start), None)
            if gap is not None and piece.kind in _BLOCKS and last.kind not in ("script", "nabla", "partial"):
                out.append(Piece("sep", "quad", gap, gap))
            out.append(piece)
        return tuple(out)

    def _environment(self, token: Token) -> Pieces:
        name, _, _ = self._raw_group()
        bare = name.rstrip("*")
        if bare in ("array", "alignat", "alignedat", "subarray", "tabular", "IEEEeqnarray"):
            if self._peek() == "[":
                self._optional()
            columns, start, _ = self._raw_group() if self._peek() == "{" else ("", 0, 0)
            if not COLUMNS.fullmatch(_SET.sub("", columns)):
                raise Refused(start, columns, "it is no list of columns such as lcr")
        elif self._peek() == "[" and bare in signs.ROW_ENVIRONMENTS:
            self._optional()
        inner = self._run(token, frozenset({"\\end"}))
        self._next()
        closed, start, end = self._raw_group()
        if closed != name:
            raise Refused(start, closed, f"\\begin{{{name}}} is open here")
        return (Piece("env", bare, token.start, end, (inner,)),)

    def _optional(self) -> None:
        while self._next().text != "]":
            pass


def _is_product(inner: Pieces, k: int) -> bool:
    """Whether a point in a bracket stands between two operands: no sentence ends there."""
    around = inner[k - 1 : k] + inner[k + 1 : k + 2]
    return inner[k].is_("point") and k > 0 and len(around) == 2 and all(p.kind in _OPERANDS for p in around)


_OPERANDS = frozenset("letter word unknown group fence env number frac".split())
_BLOCKS = frozenset("letter word unknown group env const number".split())
_JOINS = frozenset("op rel sep big fence bar given link text".split())
_JOINED = {("<", "-"): ("rel", "<-"), ("-", ">"): ("rel", "->"), ("=", ">"): ("link", "Implies"), ("|", "|"): ("bar", "||"),
           ("<", "="): ("rel", "<="), (">", "="): ("rel", ">="), ("=", "="): ("rel", "=="), (".", "Star"): ("op", "Had"),
           ("Star", "Star"): ("script", "^")}
_JOINED_LOOSE = {(":", "="): ("rel", ":="), ("+", "="): ("rel", "+="), ("-", "="): ("rel", "-=")}
_NAMED_FONTS = names.FONTS | frozenset(r"\mathbb \mathbbm \mathds \mathrel".split())
_DISPATCH: tuple[tuple[Container[str], str], ...] = (
    (frozenset("{"), "_braces"), (signs.OPENERS.keys(), "_bracket"), (frozenset({"\\left"}), "_left"),
    (frozenset({"\\begin"}), "_environment"), (_NAMED_FONTS, "_font"), (names.TEXTS, "_text"), (names.ACCENTS, "_accent"),
    (signs.FRACTIONS, "_fraction"), (frozenset({"\\sqrt"}), "_root"), (names.WRAPPERS, "_wrapper"),
    (signs.ARROWS, "_arrow"), (signs.COLUMNS, "_column"), (frozenset({"\\substack"}), "_substack"),
    (frozenset(r"\underbrace \overbrace".split()), "_brace_note"),
    (frozenset(r"\underset \overset \stackrel".split()), "_stacked"), (signs.NOTED, "_noted"),
    (signs.SKIPPED.keys() | signs.IGNORED | signs.SIZES | names.SWITCHES | (names.SPACES - {"\\quad", "\\qquad"}), "_skip"),
    (frozenset({"\\\\", "\\newline", "\\cr"}), "_break"), (frozenset({"\\not"}), "_negated"), (frozenset("'’‘`"), "_quote"),
)
