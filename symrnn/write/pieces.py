r"""LaTeX as a tree of pieces: what stands beside what, with its scripts and arguments, and about how wide it is when it is set.

No meaning is read into a formula; it is only known which parts of it belong together. What does not close has no tree.

>>> [p.text for p in pieces(r"\frac{a}{b} + x_t^\top")]
['\\frac{a}{b}', '+', 'x_{t}^{\\top}']
>>> latex(pieces(r"h_{t} = \tanh (a_t)"))
'h_{t} = \\tanh (a_{t})'
"""
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from symrnn.read.tokens import MAX_TOKENS, tokenize

DEPTH = 60
"""How deeply groups may be nested."""

RELATIONS = frozenset(r"= < > := \le \leq \ge \geq \ne \neq \in \notin \approx \equiv \sim \simeq \propto \to \rightarrow \mapsto "
                      r"\Rightarrow \implies \iff \coloneqq \triangleq \ll \gg \subset \subseteq \leftarrow \gets".split())
SIGNS = frozenset(r"+ - \pm \mp".split())
TIMES = frozenset(r"\cdot \odot \times \circ \otimes \oplus \ast * \star \wedge \vee \cup \cap \setminus / \oslash \div".split())
OPENING = frozenset(r"( [ \{ \langle \lfloor \lceil \lbrace \lbrack".split())
CLOSING = frozenset(r") ] \} \rangle \rfloor \rceil \rbrace \rbrack".split())
SPACES = frozenset(r"\quad \qquad \, \; \: \! \  \thinspace ~".split())
BIG = frozenset(r"\sum \prod \int \bigoplus \bigcup \bigcap".split())
FUNCTIONS = frozenset("tanh sin cos exp log ln max min det tr sup inf lim arg argmax argmin sinh cosh".split())
NAMED = {r"\quad": 1.0, r"\qquad": 2.0, r"\,": 0.17, r"\;": 0.28, r"\:": 0.22, r"\!": -0.17, "~": 0.3, "\\ ": 0.3}
ARGUMENTS = {r"\frac": 2, r"\dfrac": 2, r"\tfrac": 2, r"\binom": 2, r"\overset": 2, r"\underset": 2, r"\stackrel": 2, r"\color": 1,
             r"\sqrt": 1}
ROLES = {r"\mathbin": "sign", r"\mathrel": "relation"}
STYLED = frozenset(r"\htmlClass \htmlId \htmlStyle \htmlData \class \cssId \style \href".split())
"""What dresses a formula for a page: the first argument says how and is passed over."""
_SIZES = re.compile(r"\\(?:left|right|middle|[bB]igg?[lrm]?)\Z")
_WORDS = re.compile(r"\\(?:text\w*|math\w+|operatorname\*?|mbox|hat|bar|tilde|vec|dot|ddot|wide\w+|over\w+|under\w+|boldsymbol|bm|pmb|boxed"
                    r"|phantom|mathop|limits)\Z")
_TEXT = re.compile(r"\\(?:text\w*|mbox|operatorname\*?|label|tag\*?|color)\Z")


class Unclosed(ValueError):
    """A formula that has no tree, as a group in it is not closed."""


@dataclass(frozen=True)
class Piece:
    """A part of a formula: its head, the groups that belong to it, and its scripts.

    `kind` is ``relation``, ``sign``, ``times``, ``comma``, ``space``, ``open``, ``close``, ``rows`` (an environment, a group for each cell)
    or ``plain``. `rows` says how many cells each line of an environment has; `after` whether a space follows in the source. A `marked`
    piece differs from its counterpart in another formula.
    """

    head: str
    groups: tuple[tuple[Piece, ...], ...] = ()
    scripts: tuple[tuple[str, tuple[Piece, ...]], ...] = ()
    kind: str = "plain"
    rows: tuple[int, ...] = ()
    after: bool = field(default=False, compare=False)
    marked: bool = False

    @cached_property
    def text(self) -> str:
        """The piece as LaTeX; what is marked stands in ``\\changed{...}``."""
        if self.marked and self.head == "" and not self.scripts:
            return rf"\changed{{{''.join(map(latex, self.groups))}}}"
        inner = self._body() + "".join(f"{mark}{{{latex(group)}}}" if mark in "_^" else mark for mark, group in self.scripts)
        if not self.marked or self.kind in ("open", "close", "space"):
            return inner
        return WRAPPED.get(self.kind, "{}").format(rf"\changed{{{inner}}}")

    def _body(self) -> str:
        if self.kind == "rows":
            cells, lines = iter(latex(g) for g in self.groups), []
            for n in self.rows:
                lines.append(" & ".join(next(cells) for _ in range(n)))
            name = self.head.partition("{")[0]
            return f"\\begin{{{name}}}{self.head[len(name):]}" + r" \\ ".join(lines) + f"\\end{{{name}}}"
        if self.head == "":
            return "".join(f"{{{latex(g)}}}" for g in self.groups)
        return self.head + "".join(f"{{{latex(g)}}}" for g in self.groups)


WRAPPED = {"relation": r"\mathrel{{{}}}", "sign": r"\mathbin{{{}}}", "times": r"\mathbin{{{}}}"}


def latex(found: Iterable[Piece]) -> str:
    """Pieces as LaTeX again.

    >>> latex(pieces(r"\\left( \\alpha x \\right)"))
    '\\\\left( \\\\alpha x \\\\right)'
    """
    out = ""
    for text, after in _texts(list(found)):
        glued = re.search(r"\\[A-Za-z]+\Z", out) is not None and text[:1].isalpha()
        out += (" " if glued else "") + text + (" " if after else "")
    return out.rstrip()


def _texts(found: Sequence[Piece]) -> Iterator[tuple[str, bool]]:
    """The LaTeX of each piece, neighbours that are marked together as one, and whether a space follows."""
    k = 0
    while k < len(found):
        stop = _run(found, k) if found[k].marked else k + 1
        run = found[k:stop]
        text = run[0].text if len(run) == 1 else rf"\changed{{{latex(replace(p, marked=False) for p in run)}}}"
        yield text, run[-1].after
        k = stop


def _run(found: Sequence[Piece], start: int) -> int:
    """The end of the longest run of marked pieces from `start` on that begins and ends with no operator and closes its brackets."""
    depth, stop = 0, start + 1
    if found[start].kind in WRAPPED:
        return stop
    for k in range(start, len(found)):
        p = found[k]
        depth += {"open": 1, "close": -1}.get(p.kind, 0)
        if not p.marked or depth < 0:
            break
        if depth == 0 and p.kind not in WRAPPED:
            stop = k + 1
    return stop


def pieces(source: str) -> tuple[Piece, ...]:
    """The pieces of a formula. Raises Unclosed where a group or an environment is not closed, or there is too much of it."""
    tokens = [t.text for t in tokenize(source) if not t.text.startswith("%")]
    if len(tokens) > MAX_TOKENS:
        raise Unclosed("too long")
    reader = _Reader(tokens)
    out = reader.run(None, 0)
    if reader.at < len(tokens):
        raise Unclosed(reader.tokens[reader.at])
    return out


class _Reader:
    """Goes through the tokens once."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens, self.at = list(tokens), 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def blanks(self) -> bool:
        """Pass over white space; whether there was some."""
        start = self.at
        while self.peek()[:1].isspace():
            self.at += 1
        return self.at > start

    def run(self, closing: str | None, depth: int) -> tuple[Piece, ...]:
        """Pieces up to a closing token, which stays; up to the end where that is None."""
        if depth > DEPTH:
            raise Unclosed("nested too deeply")
        out: list[Piece] = []
        self.blanks()
        while self.at < len(self.tokens):
            token = self.peek()
            if token in ("}", "&", "\\\\", "\\end") and closing is not None:
                return tuple(out)
            if token in ("}", "\\end"):
                raise Unclosed(token)
            if token in ("_", "^", "'"):
                self.script(out, depth)
            elif token == r"\changed":
                self.take()
                out += (replace(p, marked=True) for p in self.argument(depth))
            else:
                out.append(self.piece(depth))
            if self.blanks() and out:
                out[-1] = replace(out[-1], after=True)
        if closing is not None:
            raise Unclosed(closing)
        return tuple(out)

    def script(self, out: list[Piece], depth: int) -> None:
        """A subscript, superscript or prime, to the piece before it."""
        mark = self.take()
        base = out.pop() if out else Piece("", ((),))
        group: tuple[Piece, ...] = ()
        if mark != "'":
            self.blanks()
            group = self.argument(depth)
        out.append(replace(base, scripts=(*base.scripts, (mark, group)), after=False))

    def argument(self, depth: int) -> tuple[Piece, ...]:
        """A group in braces, or the one piece that stands for it."""
        self.blanks()
        if self.at >= len(self.tokens) or self.peek() in ("}", "&", "\\\\", "\\end"):
            raise Unclosed("an argument")
        if self.peek().isdigit():                                     # without braces it is one digit
            self.tokens[self.at : self.at + 1] = self.peek()
        return self.group(depth) if self.peek() == "{" else (self.piece(depth),)

    def group(self, depth: int) -> tuple[Piece, ...]:
        """What stands between braces."""
        self.take()
        out = self.run("}", depth + 1)
        if self.peek() != "}":
            raise Unclosed("{")
        self.take()
        return out

    def verbatim(self) -> str:
        """What stands between braces, as it is written; the tokens of a text are no pieces."""
        level, start = 0, self.at
        while self.at < len(self.tokens):
            level += {"{": 1, "}": -1}.get(self.take(), 0)
            if level == 0:
                return "".join(self.tokens[start : self.at])
        raise Unclosed("{")

    def piece(self, depth: int) -> Piece:
        """One piece without its scripts."""
        token = self.take()
        if token == "{":
            self.at -= 1
            return Piece("", (self.group(depth),))
        if token == "\\begin":
            return self.environment(depth)
        if _SIZES.match(token):
            self.blanks()
            if self.at >= len(self.tokens):
                raise Unclosed(token)
            kind = "open" if token.endswith(("left", "l")) else "close" if token.endswith(("right", "r")) else "plain"
            return Piece(token + self.take(), kind=kind)
        if token in STYLED:
            self.blanks()
            self.verbatim()
            return Piece("", (self.argument(depth),))
        if _TEXT.match(token):
            self.blanks()
            return Piece(token + (self.verbatim() if self.peek() == "{" else ""))
        if token == "\\sqrt" and self.peek() == "[":
            while self.peek() and token[-1] != "]":
                token += self.take()
            return Piece(token, (self.argument(depth),))
        if token in ROLES:
            group = self.argument(depth)
            return group[0] if len(group) == 1 and group[0].kind in WRAPPED else Piece(token, (group,), kind=ROLES[token])
        if token in ARGUMENTS:
            return Piece(token, tuple(self.argument(depth) for _ in range(ARGUMENTS[token])))
        if token.startswith("\\") and token[1:].isalpha() and _WORDS.match(token):
            return Piece(token, (self.argument(depth),)) if self._follows() else Piece(token)
        return Piece(token, kind=_kind(token))

    def _follows(self) -> bool:
        start = self.at
        self.blanks()
        found = self.at < len(self.tokens) and self.peek() not in ("}", "&", "\\\\", "\\end", "_", "^")
        self.at = start
        return found

    def environment(self, depth: int) -> Piece:
        """An environment with its cells."""
        name = self.verbatim()[1:-1]
        head = name + (self.verbatim() if name.startswith(("array", "alignat")) and self.peek() == "{" else "")
        cells: list[tuple[Piece, ...]] = []
        rows = [0]
        while True:
            cells.append(self.run("\\end", depth + 1))
            rows[-1] += 1
            stop = self.take()
            if stop == "\\end":
                if self.verbatim() != f"{{{name}}}":
                    raise Unclosed(f"\\begin{{{name}}}")
                break
            if stop == "}":
                raise Unclosed(stop)
            if stop == "\\\\":
                rows.append(0)
        if rows[-1] == 1 and not cells[-1] and len(rows) > 1:           # a line break before the end makes no line
            cells.pop()
            rows.pop()
        return Piece(head, tuple(cells), kind="rows", rows=tuple(rows))


def _kind(token: str) -> str:
    for kind, tokens in (("relation", RELATIONS), ("sign", SIGNS), ("times", TIMES), ("open", OPENING), ("close", CLOSING),
                         ("space", SPACES)):
        if token in tokens:
            return kind
    return "comma" if token in (",", ";") else "plain"


# ----------------------------------------------------------------------------------------------------------------------- widths
NARROW = dict.fromkeys("ijlt.,;:'|!()[]", 0.36) | dict.fromkeys("mwMW", 0.85)


def width(found: Iterable[Piece]) -> float:
    r"""About how wide pieces are, in units of the size of the type.

    >>> width(pieces("x")) < width(pieces("x_t")) < width(pieces(r"\frac{x + y}{2}"))
    True
    """
    return sum(map(_width, found))


def _width(p: Piece) -> float:
    above = {mark: width(group) for mark, group in p.scripts if mark != "'"}
    primes = 0.3 * sum(mark == "'" for mark, _ in p.scripts)
    small = 0.72 * max(above.values(), default=0.0)
    if p.head in BIG:
        return max(1.1, small) + 0.2
    return _base(p) + small + primes


def _base(p: Piece) -> float:
    if p.kind in ("relation", "sign", "times"):
        return 1.35 if p.kind == "relation" else 1.25
    if p.kind == "rows":
        per_line, at = [], 0
        for n in p.rows:
            per_line.append(sum(width(g) for g in p.groups[at : at + n]) + 1.0 * n)
            at += n
        return max(per_line, default=0.0) + 0.8
    if p.head in NAMED:
        return NAMED[p.head]
    if _SIZES.match(p.head[:-1]) or p.kind in ("open", "close"):
        return 0.5
    inner = [width(g) for g in p.groups]
    if p.head.endswith(("frac", "binom")):
        return max(inner, default=0.0) * (0.72 if p.head == r"\tfrac" else 1.0) + 0.35
    if p.head.startswith(r"\sqrt"):
        return sum(inner) + 0.9
    if found := _TEXT.match(p.head.partition("{")[0]):
        return 0.0 if found[0] in (r"\label", r"\color") else 0.5 * len(p.head[found.end():].strip("{}")) + 0.2
    if p.head == "" or _WORDS.match(p.head):
        return sum(inner)
    if p.head.startswith("\\") and p.head[1:].isalpha():
        return 0.5 * len(p.head[1:]) + 0.2 if p.head[1:] in FUNCTIONS else 0.65
    return NARROW.get(p.head, 0.56) if len(p.head) == 1 else 0.52 * len(p.head)
