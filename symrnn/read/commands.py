r"""Commands with arguments: fonts, texts, accents, fractions, wrappers, notes and line breaks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from symrnn.read import names, signs
from symrnn.read.pieces import Piece, Pieces
from symrnn.read.tokens import Refused, Token

_LENGTH = re.compile(r"-?[\d.]*(pt|em|ex|mm|cm|in|bp|mu|\\baselineskip|\\jot)?")
_UPRIGHT = frozenset(r"\mathrm \mathsf \mathtt \rm \sf \tt \mathop".split())
_CONST_FONTS = frozenset(r"\mathbf \boldsymbol \bm \vec \mathbb \pmb \bf \bold \symbf \mathbbm \mathds \mathbb".split())
_SETS = frozenset("RNZQC")
_PLAIN = re.compile(r"\\(?:math(?:rm|sf|it|tt|bf)|text(?:rm|sf|it|tt|bf)?)\s*\{(\w+)\}|\\[,;:! ]|~|\{\}|(?<=\w) (?=\w)")
"""What changes only how the name of an operator looks."""


@dataclass
class Commands:
    """Reads commands; the tokens themselves are read by the subclass."""

    tokens: Sequence[Token]
    attributes: list[tuple[str, str, int]] = field(default_factory=list)
    notes: list[tuple[str, str, int]] = field(default_factory=list)
    gaps: list[int] = field(default_factory=list)
    _i: int = 0
    _level: int = 0

    def _peek(self) -> str:
        raise NotImplementedError

    def _next(self) -> Token:
        raise NotImplementedError

    def _run(self, opener: Token | None, closers: frozenset[str] = frozenset()) -> Pieces:
        raise NotImplementedError

    def _argument(self) -> Pieces:
        raise NotImplementedError

    def _raw_group(self) -> tuple[str, int, int]:
        raise NotImplementedError

    def _font(self, token: Token) -> Pieces:
        return self._styled(token.text, self._argument())

    def _styled(self, font: str, inner: Pieces) -> Pieces:
        """Contents in a font: a run of letters becomes a word; sets of numbers and bold constants get their kinds."""
        if len(inner) == 1:
            piece = inner[0]
            if piece.kind == "number" and piece.text in ("0", "1") and font in _CONST_FONTS:
                return (replace(piece, kind="const", font=font),)
            if font == "\\mathbb" and piece.kind == "letter":
                kind, text = ("space", piece.text) if piece.text in _SETS else ("letter", f"bb({piece.text})")
                return (replace(piece, kind=kind, text=text, font=font),)
            return (piece if piece.font else piece.with_font(font),)
        if len(inner) > 1 and inner[0].kind == "letter" and all(p.kind in ("letter", "number") for p in inner):
            parts = () if font in _UPRIGHT else (inner,)
            return (Piece("word", "".join(p.text for p in inner), inner[0].start, inner[-1].end, parts, font),)
        return inner

    def _text(self, token: Token) -> Pieces:
        start = self._i
        raw, first, end = self._raw_group()
        if start < len(self.tokens) and "$" in raw:
            raise Refused(first, raw, "mathematics inside a text cannot be read; write it beside the text")
        words = self._source(start)
        word = words.strip().strip("~")
        if token.text.startswith("\\operatorname"):
            word = _PLAIN.sub(lambda m: m[1] or "", word)
            if word[:1] == "\\" and word[1:] in names.GREEK:
                return (Piece("letter", word[1:], token.start, end),)
        if re.fullmatch(r"[^\W_]+(-[^\W_]+)*", word) and not word.isdigit():
            return (Piece("letter" if len(word) == 1 else "word", word, token.start, end, (), "\\mathrm"),)
        return (Piece("text", words, token.start, end),) if word else ()

    def _source(self, first: int) -> str:
        """The argument that began at token `first`, with a space wherever the source had one."""
        out, last = "", None
        tokens = self.tokens[first : self._i]
        inner = tokens[1:-1] if len(tokens) > 1 else tokens
        for token in inner:
            gap = last is not None and token.start > last
            out += (" " if gap or token.text in names.SPACES else "") + ("" if token.text in names.SPACES else token.text)
            last = token.end
        return out.replace("\\'", "'")

    def _accent(self, token: Token) -> Pieces:
        inner, mark = self._argument(), names.ACCENTS[token.text]
        while len(inner) == 1 and inner[0].kind == "group":
            inner = inner[0].parts[0]
        simple = inner and (inner[0].named or inner[0].kind == "const") and all(
            p.kind == "script" or i and inner[i - 1].kind == "script" for i, p in enumerate(inner[1:], 1))
        if not simple:
            raise Refused(token.start, token.text, "an accent over more than one symbol has no meaning that is known")
        base = inner[0]
        if base.kind == "const":
            return inner
        named = Piece("letter", f"{mark}({base.text})", token.start, base.end, (), base.font)
        return (named, *inner[1:])

    def _fraction(self, token: Token) -> Pieces:
        parts = (self._argument(), self._argument())
        return (Piece("frac", "", token.start, self.tokens[self._i - 1].end, parts),)

    def _column(self, token: Token) -> Pieces:
        """One thing above another: a binomial coefficient, or a column of blocks."""
        parts = (self._argument(), self._argument())
        return (Piece("column", token.text, token.start, self.tokens[self._i - 1].end, parts),)

    def _substack(self, token: Token) -> Pieces:
        """Conditions in several lines, as those of a sum."""
        return self._argument()

    def _arrow(self, token: Token) -> Pieces:
        """An arrow; what stands on it is a condition if it holds a relation, else a note."""
        parts: list[Pieces] = []
        if self._peek() == "[":
            opener = self._next()
            parts.append(self._run(opener, frozenset("]")))
            self._next()
        first = self._i
        parts.append(self._argument())
        note = "".join(t.text for t in self.tokens[first : self._i]).strip("{}")
        conditions = tuple(part for part in parts if any(p.kind == "rel" for p in part))
        if note and parts[-1] not in conditions:
            self.attributes.append(("note", note, token.start))
        return (Piece("rel", signs.ARROWS[token.text], token.start, self.tokens[self._i - 1].end, conditions),)

    def _root(self, token: Token) -> Pieces:
        degree: Pieces = ()
        if self._peek() == "[":
            opener = self._next()
            degree = self._run(opener, frozenset("]"))
            self._next()
        body = self._argument()
        return (Piece("root", "", token.start, self.tokens[self._i - 1].end, (body, degree)),)

    def _wrapper(self, token: Token) -> Pieces:
        for _ in range(names.WRAPPERS[token.text]):
            self._raw_group()
        if token.text in ("\\boxed", "\\fbox"):
            self.attributes.append(("boxed", "", token.start))
        inner = self._argument()
        return inner if len(inner) <= 1 or _has_rows(inner) or any(p.kind in ("rel", "link") for p in inner) else (
            Piece("group", "", token.start, self.tokens[self._i - 1].end, (inner,)),)

    def _brace_note(self, token: Token) -> Pieces:
        """An expression with a brace above or below it and a note on the brace."""
        inner = self._argument()
        if self._peek() in ("_", "^"):
            self._next()
            note, start, _ = self._raw_group()
            self.attributes.append(("note", note, start))
        return (Piece("group", "", token.start, self.tokens[self._i - 1].end, (inner,)),) if inner else ()

    def _stacked(self, token: Token) -> Pieces:
        """``\\underset`` (a subscript) and ``\\overset``, ``\\stackrel`` (a note on a relation)."""
        note_start = self.tokens[self._i].start if self._i < len(self.tokens) else token.start
        first = self._i
        above = self._argument()
        note = "".join(t.text for t in self.tokens[first : self._i])
        inner = self._argument()
        if token.text == "\\underset":
            low = Piece("group", "", note_start, note_start, (above,))
            return (*inner, Piece("script", "_", note_start, note_start), low)
        if len(inner) == 1 and inner[0].kind == "rel":
            self.attributes.append(("note", note.strip("{}"), note_start))
            defined = inner[0].text == "=" and re.search(r"def|\\triangle|\\Delta", note)
            return (replace(inner[0], text=":="),) if defined else inner
        raise Refused(token.start, token.text, "only a relation can carry a note above it")

    def _noted(self, token: Token) -> Pieces:
        note, start, _ = self._raw_group()
        self.attributes.append((token.text[1:], note, start))
        return ()

    def _skip(self, token: Token) -> Pieces:
        if token.text in signs.GAPS:
            self.gaps.append(token.start)
        if self._peek() == "*":
            self._next()
        for _ in range(signs.SKIPPED.get(token.text, 0)):
            self._raw_group()
        return ()

    def _break(self, token: Token) -> Pieces:
        """A line break with its optional star and length."""
        if self._peek() == "*":
            self._next()
        if self._peek() == "[":
            j = next((k for k in range(self._i, len(self.tokens)) if self.tokens[k].text == "]"), 0)
            if j and _LENGTH.fullmatch("".join(t.text for t in self.tokens[self._i + 1 : j])):
                self._i = j + 1
        return (Piece("sep", "\\\\", token.start, token.end),)

    def _negated(self, token: Token) -> Pieces:
        inner = self._argument()
        opposite = {"=": "!=", "in": "notin", "==": "!="}.get(inner[0].text) if len(inner) == 1 else None
        if opposite is None:
            raise Refused(token.start, token.text, "only = and \\in can be negated by \\not")
        return (replace(inner[0], text=opposite, start=token.start),)

    def _quote(self, token: Token) -> Pieces:
        """A prime, or a letter in quotes where a prime cannot stand."""
        before = self.tokens[self._i - 2].text if self._i > 1 else "("
        upper = before == "{" and self._i > 2 and self.tokens[self._i - 3].text == "^"
        opens = token.text in ("‘", "`") or not upper and before in ("(", ",", "=", "{", "[", "&", "\\in", "+", "-")
        if not opens:
            return (Piece("script", "'", token.start, token.end),)
        words: list[str] = []
        for _ in range(40):
            inner = self._next()
            if inner.text in ("'", "’"):
                return (Piece("text", "".join(words), token.start, inner.end),)
            words.append(inner.text)
        raise Refused(token.start, token.text, "the quotation is not closed")


def _has_rows(pieces: Pieces) -> bool:
    return any(p.is_("sep", "\\\\") or p.kind == "env" and p.text in signs.ROW_ENVIRONMENTS for p in pieces)
