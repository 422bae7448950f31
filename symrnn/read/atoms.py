r"""One symbol with its scripts and the bracket after it, to an atom; the symbol table decides.

The rules, in the order in which they are tried:

1. Name and script declared together are a label (`W_{hh}`, `W^{in}`); so is a script that is a word.
2. A lower script on a sequence that mentions the time variable is its time; in the style ``sub`` any first one is,
   unless it is an index letter that is declared with a size. What else stands in it are components.
3. An upper script in round brackets is the time in the style ``sup`` (or when it mentions the time variable), else a
   layer; in angle brackets it is always the time; in square brackets always a layer.
4. ``\top``, ``\intercal`` and ``T`` transpose; where T is declared, only what can be transposed, with a note.
5. Primes are primes; on a function ``-1`` is the inverse; every other upper script is a power.
6. A bracket after a function is a call; after a sequence in the style ``call`` its time; ``[a:b]`` is a slice; a bracket
   with several arguments after anything but a vector or matrix is a call; every other bracket is a factor.
   A function with a component is a number, and a bracket after it a factor; with a parameter (`f_W`) it is a function.

Whatever had to be chosen is noted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from symrnn.read.names import join_name
from symrnn.read.pieces import Piece, Pieces, group_contents, name_of, span_of, split_pieces
from symrnn.read.skeleton import Item, make
from symrnn.read.symbols import STANDARD, Declared, SymbolTable
from symrnn.read.tokens import Note, Refused
from symrnn.read.tree import Node, num, sym

INDEX_LETTERS = frozenset("ijklmn")
"""Letters that count when nothing is declared of them."""

_ARRAYS = ("vector", "matrix")
Script = tuple[str, Pieces]


@dataclass
class Draft:
    """A symbol while its scripts are being read."""

    name: str
    entry: Declared | None
    start: int
    end: int
    time: Node | None = None
    layer: Node | None = None
    index: list[Node] = field(default_factory=list)
    param: list[Node] = field(default_factory=list)
    primes: int = 0
    inverse: bool = False
    posts: list[Item] = field(default_factory=list)

    def node(self) -> Node:
        """The symbol, with its primes."""
        out = sym(self.name, time=self.time, layer=self.layer, index=tuple(self.index), param=tuple(self.param),
                  span=(self.start, self.end))
        if self.inverse:
            out = make("Inverse", out)
        for _ in range(self.primes):
            out = make("Prime", out)
        return out

    @property
    def kind(self) -> str:
        """The declared kind, or ''."""
        return self.entry.kind if self.entry else ""

    @property
    def sequence(self) -> bool:
        """Declared as a sequence over time."""
        return self.entry is not None and self.entry.sequence


class Atoms:
    """Reads symbols; `build` is the grammar of the skeleton. Statements and items are read by the subclasses."""

    def __init__(self, table: SymbolTable, build: Callable[[Sequence[Item]], Node]) -> None:
        self.table = table
        self.build = build
        self.notes: list[Note] = []
        self.clocks: set[str] = set()                 # letters that run over times in the statement that is being read

    def expression(self, pieces: Sequence[Piece], default: tuple[int, int] = (0, 0)) -> Node:
        """The tree of an expression without relations."""
        raise NotImplementedError

    def side(self, pieces: Sequence[Piece]) -> Node:
        """The tree of an argument: an expression, or a statement where it holds a relation."""
        raise NotImplementedError

    def note(self, offset: int, code: str, message: str) -> None:
        """Keep a note, once."""
        if not any((note.code, note.message) == (code, message) for note in self.notes):
            self.notes.append(Note(offset, code, message))

    # -- what pieces are --------------------------------------------------------------------------------------------
    def mentions_time(self, pieces: Sequence[Piece]) -> bool:
        """Whether the time variable occurs in the pieces."""
        return any(p.named and p.text == self.table.time_letter or any(self.mentions_time(part) for part in p.parts)
                   for p in pieces)

    def counts(self, piece: Piece) -> bool:
        """Whether a piece is something that counts: a number, an index letter, the time variable."""
        entry = self.table.get(piece.text)
        if piece.kind == "number":
            return True
        if piece.kind != "letter":
            return False
        return entry.kind == "index" if entry else piece.text in INDEX_LETTERS or piece.text == self.table.time_letter

    def is_function(self, piece: Piece) -> bool:
        """Whether a piece names a function: declared as one, or standard and declared as nothing else."""
        entry = self.table.lookup(piece.text) if piece.named else None
        return entry is not None and entry.is_function

    def transposes(self, pieces: Pieces, kind: str) -> bool:
        """Whether an upper script says "transposed", on something of this kind ('' if that is unknown)."""
        if len(pieces) != 1 or not (pieces[0].kind == "top" or pieces[0].text == "T" and pieces[0].named):
            return False
        if pieces[0].kind == "top" or "T" not in self.table or pieces[0].font in ("\\mathsf", "\\mathrm", "\\mathtt"):
            return True
        plain = kind in ("scalar", "index", "size")
        self.note(pieces[0].start, "transpose-or-power", "T is declared and stands as an upper script: read as "
                  + ("a power" if plain else "transposed"))
        return not plain

    def scripts(self, pieces: Sequence[Piece], i: int, twice: bool = False) -> tuple[list[Script], int]:
        """The scripts that begin at `i`, and the index after them; two alike only where braces kept them apart."""
        out: list[Script] = []
        while i < len(pieces) and pieces[i].kind == "script":
            mark = pieces[i]
            if mark.text == "'":
                out.append(("'", (mark,)))
                i += 1
                continue
            if i + 1 >= len(pieces) or pieces[i + 1].kind == "script":
                raise Refused(mark.start, mark.text, "a script must follow")
            inner = group_contents(pieces[i + 1])
            if not inner:
                raise Refused(mark.start, mark.text, "the script is empty")
            if not twice and any(m == mark.text for m, _ in out):
                raise Refused(mark.start, mark.text, "a second script of this kind; use braces")
            if mark.text == "^" and all(p.kind == "prime" or p.is_("script", "'") for p in inner):
                out.extend([("'", (p,)) for p in inner])
            else:
                out.append((mark.text, inner))
            i += 2
        return out, i

    # -- symbols ----------------------------------------------------------------------------------------------------
    def symbol(self, pieces: Sequence[Piece], i: int, twice: bool = False) -> tuple[list[Item], int]:
        """The items of the symbol at `i`, with its scripts and, where it is one, its call; and the index after them."""
        head = pieces[i]
        scripts, j = self.scripts(pieces, i + 1, twice)
        end = pieces[j - 1].end
        draft, rest = self._labelled(head, scripts, end)
        for mark, inner in rest:
            {"_": self._lower, "^": self._upper, "'": self._prime}[mark](draft, inner)
        after = pieces[j] if j < len(pieces) and pieces[j].kind == "fence" else None
        derived = i > 0 and pieces[i - 1 if pieces[i - 1].kind == "nabla" else max(0, i - 3)].kind == "nabla"
        called = self._bracket(draft, after, derived) if after is not None else None
        if called is not None:
            extra, k = self.posts(pieces, j + 1)
            return [Item("atom", called.span, nodes=(called,)), *draft.posts, *extra], k
        if draft.entry is None:
            self.note(head.start, "undeclared", f"{draft.name} is not declared")
        node = draft.node()
        if head.text in STANDARD and draft.kind in ("function", "vfunction") and self._applies(draft, pieces, j):
            return [Item("fn", node.span, nodes=(node,), posts=tuple(draft.posts))], j
        return [Item("atom", node.span, nodes=(node,)), *draft.posts], j

    def _applies(self, draft: Draft, pieces: Sequence[Piece], j: int) -> bool:
        """Whether a standard function without a bracket stands before something it applies to."""
        if draft.index or j >= len(pieces):
            return False
        if pieces[j].kind == "bar":
            return any(p.is_("bar", pieces[j].text) for p in pieces[j + 1 :])
        return pieces[j].kind not in ("op", "rel", "sep", "bar", "point") or pieces[j].is_("op", "-")

    def _labelled(self, head: Piece, scripts: list[Script], end: int) -> tuple[Draft, list[Script]]:
        """The draft under its full name, and the scripts that are no part of the name."""
        base, rest = head.text, list(scripts)
        sub = next((k for k, (m, _) in enumerate(rest) if m == "_"), None)
        sup = next((k for k, (m, _) in enumerate(rest) if m == "^"), None)
        for use in ((sub, sup), (sub, None), (None, sup)):
            marked = {rest[k][0]: rest[k][1] for k in use if k is not None}
            if len(marked) < sum(k is not None for k in use) or not marked:
                continue
            for lower, after in _cuts("_", marked.get("_", ())):
                for upper, above in _cuts("^", marked.get("^", ())):
                    name = join_name(base, name_of(lower), name_of(upper))
                    if name in self.table and name != base:
                        kept = [s for k, s in enumerate(rest) if k not in use]
                        left = [(mark, more) for mark, more in (("_", after), ("^", above)) if more]
                        return Draft(name, self.table.get(name), head.start, end), left + kept
        labels = {"_": "", "^": ""}
        for mark, inner in list(rest):
            if mark in labels and not labels[mark] and self._is_word(mark, inner):
                labels[mark] = name_of(inner)
                rest.remove((mark, inner))
        name = join_name(base, labels["_"], labels["^"])
        entry = self.table.lookup(name) or self.table.lookup(base)
        if name != base and name not in self.table:
            self.note(head.start, "undeclared", f"{name} is not declared")
        return Draft(name, entry, head.start, end), rest

    def _is_word(self, mark: str, inner: Pieces) -> bool:
        """Whether a script is a label by its look: a word, or one upright letter that neither counts nor transposes."""
        if len(inner) != 1 or not inner[0].named or not inner[0].font:
            return False
        letter = inner[0]
        if letter.kind == "word":
            return not letter.parts
        upright = letter.font in ("\\mathrm", "\\mathsf", "\\mathtt")
        return upright and letter.text != self.table.time_letter and not (mark == "^" and letter.text == "T")

    def _relabel(self, draft: Draft, mark: str, inner: Pieces) -> None:
        """Take a script as a label after all."""
        label = name_of(inner)
        draft.name += join_name("", *((label, "") if mark == "_" else ("", label)))
        if draft.name not in self.table:
            self.note(draft.start, "undeclared", f"{draft.name} is not declared")
        draft.entry = self.table.lookup(draft.name) or draft.entry

    def _prime(self, draft: Draft, inner: Pieces) -> None:
        draft.primes += 1

    def _lower(self, draft: Draft, inner: Pieces) -> None:
        if len(inner) == 1 and inner[0].kind == "fence" and inner[0].brackets in (("(", ")"), ("[", "]")):
            inner = inner[0].parts[0]
        parts = [tuple(p) for p in split_pieces(inner, "sep", ",")]
        if not all(parts):
            raise Refused(inner[0].start, "", "a subscript between commas is missing")
        if any(p.kind == "rel" for p in inner):
            draft.param.append(self.side(inner))
            return
        if len(parts) == 1 and len(inner) > 1 and all(p.kind in ("letter", "number") for p in inner):
            if all(map(self.counts, inner)):
                parts = [(p,) for p in inner]
            elif not (draft.sequence and self.mentions_time(inner)):
                self._relabel(draft, "_", inner)
                return
        if len(parts) == 1 and self._nested(draft, "_", parts[0]):
            return
        timed = self._time_part(draft, parts)
        if timed is not None:
            draft.time = self.expression(parts.pop(timed))
        if not parts:
            return
        if draft.name in STANDARD and draft.name not in self.table or self._is_parameter(draft, parts):
            draft.param.extend(map(self.expression, parts))
        elif len(parts) == 1 and len(parts[0]) == 1 and parts[0][0].named and not self._may_index(parts[0][0]):
            self._relabel(draft, "_", parts[0])
        else:
            draft.index.extend(map(self.expression, parts))

    def _nested(self, draft: Draft, mark: str, part: Pieces) -> bool:
        """Take a script that is a symbol with scripts of its own, as in delta_{z_t}, as a label with that time."""
        if len(part) < 3 or not part[0].named or part[1].kind != "script" or self._may_index(part[0]):
            return False
        entry = self.table.get(part[0].text)
        if draft.kind in ("function", "vfunction") or mark == "^" and (entry is None or entry.kind not in _ARRAYS):
            return False
        inner = self.build(self.symbol(part, 0)[0]) if self.scripts(part, 1)[1] == len(part) else None
        if inner is None or inner.op != "Sym" or inner.part("Time") is not None and draft.time is not None:
            return False
        draft.name += mark + inner.head if inner.head.isalnum() else f"{mark}{{{inner.head}}}"
        draft.entry = self.table.lookup(draft.name) or draft.entry
        if draft.name not in self.table:
            self.note(draft.start, "undeclared", f"{draft.name} is not declared")
        time, layer, index = inner.part("Time"), inner.part("Layer"), inner.part("Index")
        draft.time = time.nodes[0] if time else draft.time
        draft.layer = layer.nodes[0] if layer else draft.layer
        draft.index.extend(index.nodes if index else ())
        return True

    def _is_parameter(self, draft: Draft, parts: list[Pieces]) -> bool:
        """Whether lower scripts on a function are parameters of it: declared as anything that does not count."""
        declared = [self.table.get(p[0].text) for p in parts if p[0].named]
        return draft.kind in ("function", "vfunction") and any(
            d is not None and d.kind in ("scalar", *_ARRAYS) for d in declared)

    def _may_index(self, piece: Piece) -> bool:
        entry = self.table.get(piece.text)
        return self.counts(piece) or entry is not None and entry.kind in ("index", "size", "scalar")

    def _time_part(self, draft: Draft, parts: list[Pieces]) -> int | None:
        """Which of the lower scripts is the time, if one is."""
        if draft.time is not None:
            return None
        known = draft.sequence or draft.entry is None or draft.entry.is_function
        mentioned = next((k for k, p in enumerate(parts) if self.mentions_time(p)), None)
        if known and mentioned is not None:
            return mentioned
        if draft.sequence and self.table.time == "sub":
            name = parts[0][0].text
            entry = self.table.get(name) if len(parts[0]) == 1 and name not in self.clocks else None
            component = entry is not None and entry.kind == "index" and entry.shape
            return None if component or entry is not None and (entry.is_function or entry.kind in _ARRAYS) else 0
        if mentioned is not None and draft.kind in ("scalar", *_ARRAYS):
            self.note(draft.start, "time-of-constant", f"{draft.name} carries a time but is not declared as a sequence")
            return mentioned
        return None

    def _upper(self, draft: Draft, inner: Pieces) -> None:
        first = inner[0]
        angle, rest = _angle(inner)
        if angle:
            self._set_time(draft, angle, first)
            if rest:
                self._upper(draft, rest)
        elif first.kind == "fence" and first.brackets in (("(", ")"), ("[", "]")) and not first.parts[0]:
            raise Refused(first.start, "(", "the brackets are empty")
        elif first.kind == "fence" and first.brackets in (("(", ")"), ("[", "]")):
            later = len(inner) > 1 and inner[1].text in ("<", "< >")
            self._bracketed(draft, first, timed=not later)
            if len(inner) > 1:
                self._upper(draft, inner[1:])
        elif self.transposes(inner, draft.kind):
            draft.posts.append(Item("post", span_of(inner), "Transpose"))
        elif first.is_("op", "-") and len(inner) == 2 and self.transposes(inner[1:], draft.kind):
            minus_one = make("Neg", num(1))
            draft.posts += [Item("post", span_of(inner), "Pow", (minus_one,)), Item("post", span_of(inner), "Transpose")]
        elif len(inner) == 1 and first.is_("op", "Star", "+", "-"):
            self._relabel(draft, "^", inner)
        elif self._bare_time(draft, inner):
            draft.time = self.expression(inner)
        elif draft.kind in ("function", "vfunction") and name_of(inner) == "-1":
            draft.inverse = True
        elif self._is_label(draft, inner):
            self._relabel(draft, "^", inner)
        elif self._nested(draft, "^", inner):
            pass
        else:
            draft.posts.append(Item("post", span_of(inner), "Pow", (self.expression(inner),)))

    def _set_time(self, draft: Draft, inner: Pieces, where: Piece) -> None:
        if draft.time is not None:
            raise Refused(where.start, where.text, f"{draft.name} has two times")
        draft.time = self.expression(inner)

    def _bracketed(self, draft: Draft, fence: Piece, timed: bool) -> None:
        """An upper script in round or square brackets: the time or a layer (a layer if the time is written elsewhere)."""
        inner = fence.parts[0]
        if len(inner) > 1 and all(p.kind == "letter" for p in inner) and not all(map(self.counts, inner)):
            self._relabel(draft, "^", (fence,))
            return
        says_time = self.mentions_time(inner)
        in_style = self.table.time == "sup" and (draft.sequence or draft.entry is None or draft.entry.is_function)
        if fence.brackets[0] == "(" and timed and draft.time is None and (says_time or in_style):
            if not draft.sequence and draft.entry is not None:
                self.note(draft.start, "time-of-constant", f"{draft.name} carries a time but is not declared as a sequence")
            draft.time = self.expression(inner)
        elif draft.layer is None:
            draft.layer = self.expression(inner)
        else:
            raise Refused(fence.start, fence.brackets[0], f"{draft.name} has two layers")

    def _bare_time(self, draft: Draft, inner: Pieces) -> bool:
        """Whether a plain upper script is a time: only on sequences in the style ``bare``."""
        if self.table.time != "bare" or not draft.sequence or draft.time is not None:
            return False
        if inner[0].kind == "number" and len(inner) == 1:
            self.note(draft.start, "time-or-power", f"the upper number on {draft.name} is read as a time")
        return True

    def _is_label(self, draft: Draft, inner: Pieces) -> bool:
        """Whether an undeclared upper script is a label: letters that do not count, on something that is no number."""
        if not all(p.kind == "letter" for p in inner) or draft.kind not in ("", *_ARRAYS) or all(map(self.counts, inner)):
            return False
        entry = self.table.get(inner[0].text)
        return len(inner) > 1 or draft.kind in _ARRAYS and (entry is None or entry.kind in _ARRAYS)

    # -- the bracket after a symbol -----------------------------------------------------------------------------------
    def _bracket(self, draft: Draft, fence: Piece, derived: bool) -> Node | None:
        """The call, time, slice or component that the bracket after a symbol makes of it; None if it is a factor."""
        opening, closing = fence.brackets
        inner = fence.parts[0]
        head = draft.node()
        span = (draft.start, fence.end)
        if opening == "{" and draft.entry is not None and draft.entry.is_function and draft.name in STANDARD:
            return make("Call", head, make("Set", *self.arguments(inner)), span=span)
        if (opening, closing) not in (("(", ")"), ("[", "]")):
            return None
        parts = split_pieces(inner, "sep", ",", ";")
        several = len(parts) > 1 or any(p.is_("given") for p in inner)
        if opening == "[" and any(p.is_("rel", ":") for p in inner) and len(parts) == 1:
            ends = split_pieces(inner, "rel", ":")
            if len(ends) > 2:
                raise Refused(fence.start, "[", "a slice has one colon")
            return make("Slice", head, *(self.expression(e) if e else Node("Absent") for e in ends), span=span)
        clock = {"call": "(", "bracket": "["}.get(self.table.time) == opening
        timeless = draft.time is None and not several and bool(inner) and (clock or not draft.index)
        if timeless and draft.sequence and (clock or self._only_time(inner)):
            if not clock:
                self.note(fence.start, "time-style", f"the bracket after {draft.name} is read as its time")
            draft.time, draft.end = self.expression(inner), fence.end
            return draft.node()
        if draft.entry is not None and draft.entry.is_function:
            return None if draft.index else make("Call", head, *self.arguments(inner), span=span)
        if opening == "[" and draft.kind in _ARRAYS and all(len(p) == 1 and self.counts(p[0]) for p in parts):
            draft.index.extend(self.expression(p) for p in parts)
            draft.end = fence.end
            return draft.node()
        lone = len(inner) > 0 and inner[0].named and self.scripts(inner, 1)[1] == len(inner)
        argument = lone and draft.kind == "scalar" and draft.name[0].isupper() and not derived   # L(theta), not nabla L (x)
        if draft.kind in _ARRAYS or not inner or not several and draft.entry is not None and not argument:
            return None
        if draft.entry is None:
            self.note(draft.start, "undeclared", f"{draft.name} is not declared; the bracket after it is read as a call")
        else:
            self.note(draft.start, "call", f"{draft.name} is no function; the bracket after it is read as a call")
        return make("Call", head, *self.arguments(inner), span=span)

    def _only_time(self, inner: Pieces) -> bool:
        """A time variable alone, or with a whole number added."""
        return inner[0].named and inner[0].text == self.table.time_letter and (
            len(inner) == 1 or len(inner) == 3 and inner[1].is_("op", "+", "-") and inner[2].kind == "number")

    def arguments(self, inner: Pieces) -> list[Node]:
        """The arguments of a bracket; those after a semicolon or a bar are in one Given at the end."""
        bars = [p for p in inner if p.is_("bar", "|")]
        if len(bars) == 1:
            inner = tuple(Piece("given", "|", p.start, p.end) if p is bars[0] else p for p in inner)
        runs: list[list[Piece]] = [[]]
        for piece in inner:
            if piece.is_("given") or piece.is_("sep", ";"):
                runs.append([])
            else:
                runs[-1].append(piece)
        groups = [self._listed(run) if run else [] for run in runs]
        given = [node for group in groups[1:] for node in group]
        return groups[0] + ([make("Given", *given)] if given else [])

    def _listed(self, run: list[Piece]) -> list[Node]:
        out = []
        for part in split_pieces(run, "sep", ","):
            part = [p for p in part if not p.is_("sep", "quad")]
            if not part:
                raise Refused(span_of(run)[1], ",", "an argument between commas is missing")
            if len(part) == 1 and part[0].is_("op", "Dot"):
                out.append(Node("Slot", (), (part[0].start, part[0].end)))
            else:
                out.append(self.side(part))
        return out

    # -- scripts on other things --------------------------------------------------------------------------------------
    def posts(self, pieces: Sequence[Piece], i: int) -> tuple[list[Item], int]:
        """The scripts at `i` on something that is no plain symbol, as items; and the index after them."""
        scripts, j = self.scripts(pieces, i)
        out = []
        for mark, inner in scripts:
            span = span_of(inner)
            if mark == "_":
                juxtaposed = len(inner) > 1 and all(map(self.counts, inner))
                nodes = tuple(self.side(p) for p in ([[q] for q in inner] if juxtaposed else split_pieces(inner, "sep", ",")))
                out.append(Item("post", span, "At", nodes))
            elif mark == "'":
                out.append(Item("post", span, "Prime"))
            elif self.transposes(inner, ""):
                out.append(Item("post", span, "Transpose"))
            elif inner[0].is_("op", "-") and len(inner) == 2 and self.transposes(inner[1:], ""):
                out += [Item("post", span, "Pow", (make("Neg", num(1)),)), Item("post", span, "Transpose")]
            elif inner[0].kind == "fence" and len(inner) == 1 and self.mentions_time(inner):
                raise Refused(inner[0].start, "(", "a time can only be written on a symbol")
            else:
                out.append(Item("post", span, "Pow", (self.expression(inner),)))
        return out, j


def _cuts(mark: str, script: Pieces) -> list[tuple[Pieces, Pieces]]:
    """A script as a label with nothing left, and as a label with the rest after its bracket or its first comma."""
    out: list[tuple[Pieces, Pieces]] = [(script, ())]
    if mark == "^" and len(script) > 1 and script[0].kind == "fence":
        out.append((script[:1], script[1:]))
    comma = next((k for k, p in enumerate(script) if p.is_("sep", ",")), 0)
    if mark == "_" and 0 < comma < len(script) - 1:
        out.append((script[:comma], script[comma + 1 :]))
    return out


def _angle(inner: Pieces) -> tuple[Pieces, Pieces]:
    """The contents of angle brackets at the start of a script, and what follows them."""
    if inner[0].kind == "fence" and inner[0].brackets == ("<", ">"):
        return inner[0].parts[0], inner[1:]
    if inner[0].is_("rel", "<"):
        end = next((k for k, p in enumerate(inner) if p.is_("rel", ">")), None)
        if end is None or end < 2:
            raise Refused(inner[0].start, "<", "the angle bracket is not closed")
        return inner[1:end], inner[end + 1 :]
    return (), inner
