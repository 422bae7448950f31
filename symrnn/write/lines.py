r"""Where a formula may be broken: rows, in them segments that stay on one line, and names for what would be too wide for a page.

A segment begins with its sign or relation. It has parts where it may itself be broken, should it be too long for a line of its own: at
signs first, then between factors and inside brackets. The writers only say how much fits.

>>> [(row.left, [s.latex for s in row.right]) for row in layout("y = a + b - c").rows]
[('y', ['= a', '+ b', '- c'])]
>>> print(broken("y = a + b - c", 6))
\begin{aligned}
y &= a + b \\
  &\quad - c
\end{aligned}
"""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from symrnn.write.pieces import BIG, FUNCTIONS, Piece, Unclosed, latex, pieces, width

WIDEST = 26.0
"""The widest part, in units of the size of the type, that stands unbroken; it fits on any page, in any row."""

ALIGNED = ("align", "align*", "aligned", "split", "eqnarray", "eqnarray*", "alignat", "alignat*", "alignedat", "flalign", "flalign*")
GATHERED = ("gather", "gather*", "gathered", "multline", "multline*", "equation", "equation*", "displaymath", "math")
TALL = frozenset({r"\frac", r"\dfrac", *BIG})
DROPPED = (r"\label", r"\nonumber", r"\notag", r"\displaystyle", r"\textstyle", r"\limits", r"\nolimits", r"\allowbreak", r"\color",
           r"\hline")


@dataclass(frozen=True)
class Segment:
    """What stays on one line, and its parts for a line too short for it."""

    found: tuple[Piece, ...]
    parts: tuple[Segment, ...] = ()

    @cached_property
    def latex(self) -> str:
        return latex(self.found)

    @cached_property
    def width(self) -> float:
        return width(self.found)

    @property
    def leads(self) -> bool:
        """Whether it begins with what has room before it: a relation, a sign, a function."""
        first = self.found[0] if self.found else Piece("")
        return first.kind in ("relation", "sign", "times") or first.head in BIG or _APPLIED.match(first.head) is not None


@dataclass(frozen=True)
class Row:
    """One row: the segments before its first relation, and those from there on."""

    lead: tuple[Segment, ...]
    right: tuple[Segment, ...]

    @property
    def segments(self) -> tuple[Segment, ...]:
        return (*self.lead, *self.right)

    @property
    def left(self) -> str:
        return " ".join(s.latex for s in self.lead)

    @property
    def left_width(self) -> float:
        return sum(s.width for s in self.lead)

    @property
    def latex(self) -> str:
        return " ".join(s.latex for s in self.segments)

    @property
    def width(self) -> float:
        return sum(s.width for s in self.segments)

@dataclass(frozen=True)
class Layout:
    """The rows of a formula, the tag that it bears, and what the names in it stand for."""

    rows: tuple[Row, ...]
    tag: str = ""
    names: tuple[tuple[str, Layout], ...] = ()


def layout(source: str | Sequence[Piece], widest: float = WIDEST) -> Layout:
    """A formula as rows of segments. Raises Unclosed where it has no tree."""
    found = list(pieces(source) if isinstance(source, str) else source)
    tag = next((p.head.partition("{")[2].rstrip("}") for p in _everywhere(found) if p.head.startswith(r"\tag")), "")
    names: list[tuple[str, tuple[Piece, ...]]] = []
    letter = _free(latex(found))
    rows = []
    for left, right in _rows(_kept(found)):
        left, right = (_named(side, widest, letter, names) for side in (left, right))
        if left or right:
            rows.append(Row(segments(left), segments(right)))
    return Layout(tuple(rows), tag, tuple((name, layout(of, widest)) for name, of in names))


def _everywhere(found: Iterable[Piece]) -> Iterator[Piece]:
    for p in found:
        yield p
        for group in p.groups:
            yield from _everywhere(group)


def _kept(found: Iterable[Piece]) -> tuple[Piece, ...]:
    """Pieces without what numbers, labels, colours or only styles a formula; environments of displays as parts of one."""
    return tuple(replace(p, head=_inner(p) if p.kind == "rows" else p.head, groups=tuple(map(_kept, p.groups)),
                         scripts=tuple((m, _kept(g)) for m, g in p.scripts))
                 for p in found if not p.head.startswith((*DROPPED, r"\tag")))


def _inner(p: Piece) -> str:
    """The environment that stands within a display for one that is a display."""
    name = p.head.partition("{")[0]
    return "aligned" if name in ALIGNED else "gathered" if name in GATHERED else p.head


def _rows(found: Sequence[Piece]) -> Iterator[tuple[tuple[Piece, ...], tuple[Piece, ...]]]:
    """(left, right) of each row."""
    core = [p for p in found if p.kind != "space"]
    if len(core) == 1 and core[0].head in ("", r"\boxed") and not core[0].scripts and width(core) > WIDEST:
        yield from _rows(core[0].groups[0])
        return
    if len(core) == 1 and core[0].kind == "rows" and not core[0].scripts:
        name = core[0].head.partition("{")[0]
        if name in ALIGNED or name in GATHERED:
            at = 0
            for n in core[0].rows:
                cells = core[0].groups[at : at + n]
                at += n
                if n == 1:
                    yield from _rows(cells[0]) if name in GATHERED else [((), cells[0])]
                    continue
                rest = tuple(p for k, cell in enumerate(cells[1:]) for p in ((*_GAP, *cell) if k % 2 else cell))
                goes_on = bool(cells[0]) and cells[0][0].kind == "relation"
                yield ((), (*cells[0], *rest)) if goes_on else (cells[0], rest)
            return
    line: list[Piece] = []
    for p in (*found, Piece("\\\\")):
        if p.head != "\\\\":
            line.append(p)
        elif line:
            yield _sides([x for x in line if x.head != "&"])
            line = []


_GAP = (Piece(r"\qquad", kind="space"),)


def _sides(line: list[Piece]) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """A line at its first relation outside of brackets; one that begins with a relation goes on with what stands above it."""
    depth = 0
    for k, p in enumerate(line):
        depth += {"open": 1, "close": -1}.get(p.kind, 0)
        if p.kind == "relation" and depth == 0:
            return tuple(line[:k]), tuple(line[k:])
    return (), tuple(line)


# ---------------------------------------------------------------------------------------------------------------------- segments
def segments(found: Sequence[Piece]) -> tuple[Segment, ...]:
    """The segments of a row: relations and terms."""
    return tuple(_segment(part) for part in _cut(found, _starts_term))


def _segment(found: tuple[Piece, ...]) -> Segment:
    """A term, which may be broken between its factors, or inside its brackets where it is one factor."""
    factors = _cut(found, _starts_factor)
    if len(factors) > 1:
        return Segment(found, tuple(_segment(f) for f in factors))
    start = next((k for k, p in enumerate(found) if p.kind == "open"), len(found))
    stop = next((k for k, out in enumerate(_outside(found)) if k > start and out), len(found))
    inner = found[start + 1 : stop - 1]
    parts = segments(inner)
    if not inner or found[stop - 1].kind != "close" or (len(parts) == 1 and not parts[0].parts):
        return Segment(found)
    size = "bigg" if any(p.head in TALL for p in inner) else "big"
    first, last = (*found[:start], _loose(found[start], size)), (_loose(found[stop - 1], size), *found[stop:])
    middle = [*parts[0].parts, *parts[1:]] if len(parts) == 1 else list(parts)
    middle[0] = Segment((*first, *middle[0].found), _ends(middle[0].parts, first, ()))
    middle[-1] = Segment((*middle[-1].found, *last), _ends(middle[-1].parts, (), last))
    return Segment(found, tuple(middle))


def _ends(parts: tuple[Segment, ...], first: tuple[Piece, ...], last: tuple[Piece, ...]) -> tuple[Segment, ...]:
    """Parts with what stands before the first and behind the last of them."""
    if not parts:
        return ()
    out = list(parts)
    if first:
        out[0] = Segment((*first, *out[0].found), _ends(out[0].parts, first, ()))
    if last:
        out[-1] = Segment((*out[-1].found, *last), _ends(out[-1].parts, (), last))
    return tuple(out)


def _loose(bracket: Piece, size: str) -> Piece:
    """A bracket that may stand on another line than its counterpart, and so has a size of its own."""
    return replace(bracket, head=bracket.head.replace(r"\left", rf"\{size}l").replace(r"\right", rf"\{size}r"))


def _outside(found: Sequence[Piece]) -> Iterator[bool]:
    """Whether each piece stands outside of brackets; an opening bracket stands where its whole content does."""
    depth = 0
    for p in found:
        yield depth == 0
        depth = max(depth + {"open": 1, "close": -1}.get(p.kind, 0), 0)


def _cut(found: Sequence[Piece], starts: Callable[[Piece, Piece], bool]) -> list[tuple[Piece, ...]]:
    """Pieces cut before those that start a part, outside of brackets."""
    out: list[list[Piece]] = []
    for k, (p, outside) in enumerate(zip(found, _outside(found), strict=True)):
        if not out or (outside and starts(found[k - 1], p)):
            out.append([])
        out[-1].append(p)
    return [tuple(part) for part in out]


def _starts_term(before: Piece, p: Piece) -> bool:
    """Whether a line may end between two pieces because a new term begins."""
    if p.kind == "relation":
        return True
    if p.kind == "sign":
        return before.kind not in ("relation", "sign", "times", "comma", "open", "space")
    return before.kind in ("comma", "space") and p.kind not in ("comma", "space")


def _starts_factor(before: Piece, p: Piece) -> bool:
    """Whether a line may end between two pieces because a new factor begins."""
    if before.kind in ("relation", "sign", "times", "open") or before.head in BIG or p.kind in ("close", "comma", "space"):
        return False
    if _LETTER.match(before.head) and _LETTER.match(p.head) and not before.scripts and not before.after:
        return False                                                  # a word: diag
    return p.kind == "times" or before.kind == "close" or (p.kind == "plain" and not _APPLIED.match(before.head))


_LETTER = re.compile(r"[A-Za-z]\Z")
_APPLIED = re.compile(rf"\\(?:mathrm|operatorname|mathop|partial|nabla|{'|'.join(sorted(FUNCTIONS))})\b")
"""What takes what follows it as its argument, or might."""


def boxed(source: str) -> str | None:
    r"""What stands in the one box that a formula is; None where it is anything else.

    >>> boxed(r"\boxed{ a = b }"), boxed(r"\boxed{a} = b")
    ('a = b', None)
    """
    try:
        found = _kept(p for p in pieces(source) if p.kind != "space")
    except Unclosed:
        return None
    alone = len(found) == 1 and found[0].head == r"\boxed" and not found[0].scripts
    return latex(found[0].groups[0]) if alone else None


# ------------------------------------------------------------------------------------------------------------------------- names
def _free(source: str) -> str:
    """A letter that the formula does not use in this shape."""
    return next(name for c in "PQRABCDEFGHIJKLMNOSTUVWXYZ" if (name := rf"\mathsf{{{c}}}") not in source or c == "Z")


def _named(found: Sequence[Piece], widest: float, letter: str, names: list[tuple[str, tuple[Piece, ...]]]) -> tuple[Piece, ...]:
    """Pieces with names in place of what is too wide and cannot be broken, which joins the list of names."""
    return tuple(_narrowed(p, widest, letter, names) if width([p]) > widest else p for p in found)


def _narrowed(p: Piece, widest: float, letter: str, names: list[tuple[str, tuple[Piece, ...]]]) -> Piece:
    """A piece with names for its widest groups, until it is narrow enough."""
    groups, scripts = list(p.groups), list(p.scripts)
    while True:
        now = replace(p, groups=tuple(groups), scripts=tuple(scripts))
        choices = [(width(g), k, groups) for k, g in enumerate(groups)] + [(width(s[1]), k, scripts) for k, s in enumerate(scripts)]
        most, k, where = max(choices, key=lambda c: c[0], default=(0.0, 0, groups))
        if width([now]) <= widest or most < 3.0:
            return now
        name = f"{letter}_{{{len(names) + 1}}}"
        held = groups[k] if where is groups else scripts[k][1]
        names.append((name, held))
        if where is groups:
            groups[k] = pieces(name)
        else:
            scripts[k] = (scripts[k][0], pieces(name))


# ------------------------------------------------------------------------------------------------------------------------- lines
def filled(row: Row, limit: float, hanging: float = 1.5) -> list[str]:
    """The right side of a row over lines that are no wider than `limit`, as far as its segments allow; later lines hang by `hanging`."""
    lines: list[list[str]] = [[]]
    room = limit - row.left_width
    fresh = max(limit - row.left_width - hanging, 4.0)

    def put(s: Segment) -> None:
        nonlocal room
        if s.width <= room or (not lines[-1] and not s.parts):
            lines[-1].append(s.latex)
            room -= s.width
        elif s.width <= fresh or not s.parts:
            lines.append([s.latex])
            room = fresh - s.width
        else:
            for part in s.parts:
                put(part)

    for s in row.right:
        put(s)
    return [" ".join(line) for line in lines]


def rows_of(found: Layout, limit: float) -> list[tuple[str, str]]:
    """The lines of all rows: what stands before the alignment, and what behind it; then what the names in them stand for."""
    out: list[tuple[str, str]] = []
    for row in found.rows:
        out += _lines(row.left, filled(row, limit))
    if found.tag and out:
        out[-1] = (out[-1][0], rf"{out[-1][1]} \qquad \text{{({found.tag})}}")
    for name, of in found.names:
        for k, row in enumerate(of.rows):
            lines = filled(Row((), row.segments), limit - 6.0)
            out += _lines("" if k else rf"\text{{where }} {name}", [("" if k else "= ") + lines[0], *lines[1:]])
    return out


def _lines(left: str, lines: list[str]) -> list[tuple[str, str]]:
    first, *rest = lines
    return [(left, first), *(("", rf"\quad {line}") for line in rest)]


def broken(source: str, limit: float) -> str:
    """A formula as LaTeX whose lines are no wider than `limit`; one that has no tree, or fits, as it is."""
    try:
        found = layout(source)
    except Unclosed:
        return source
    if not found.names and all(row.width <= limit for row in found.rows):
        return source
    return block(rows_of(found, limit))


def block(rows: Sequence[tuple[str, str]]) -> str:
    """Lines as one aligned block; a single one stands alone."""
    if len(rows) == 1:
        return " ".join(filter(None, rows[0]))
    wide = max(len(left) for left, _ in rows)
    return "\\begin{aligned}\n" + " \\\\\n".join(f"{left:<{wide}} &{right}" for left, right in rows) + "\n\\end{aligned}"
