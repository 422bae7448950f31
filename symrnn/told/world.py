"""What a sentence is judged in: the formulas round it, the scope it stands in, and the letters that count steps."""
from __future__ import annotations

import bisect
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property

from symrnn.document import Compiled, Row
from symrnn.errors import SymrnnError
from symrnn.expr import NOW, SCALAR, Symbol, node, symbol
from symrnn.judge import Context, Relation
from symrnn.model import Equation, Model
from symrnn.read.names import canonical_name
from symrnn.read.reader import read
from symrnn.read.sentences import Said
from symrnn.read.tree import Node, walk
from symrnn.setting import Setting

NEAR = 800
"""How many characters may stand between a display and a sentence that explains its letters."""
EMPTY = Model("nothing", ())
COUNTED_FROM = ("0", "1")
_GATE = re.compile(r"=\s*\\?(?:sigma|sigm|sigmoid|(?:mathrm|text|operatorname)\s*\{sigm(?:oid)?\})\s*(?:\\left)?\s*[(\[][^=]*[+,]")


class World:
    """A compiled document with what was found of its formulas; everything is computed when it is first asked for."""

    def __init__(self, compiled: Compiled, context: Context, judged: Callable[[int], Sequence[Relation]]) -> None:
        self.compiled, self.context, self._judged, self.said = compiled, context, judged, compiled.said
        self.document = compiled.document
        self.lines = self.document.lines
        self.kinds: dict[str, list[Said]] = {}
        for said in self.said:
            self.kinds.setdefault(said.kind, []).append(said)
        self._offsets = [row.span.offset for row in compiled.rows]
        self._displays = [n for n, row in enumerate(compiled.rows) if row.span.kind != "inline"]
        self._starts = [self._offsets[n] for n in self._displays]

    def row(self, offset: int) -> Row | None:
        """The formula that begins at an offset."""
        n = bisect.bisect_left(self._offsets, offset)
        return self.compiled.rows[n] if n < len(self._offsets) and self._offsets[n] == offset else None

    def tree(self, offset: int) -> Node | None:
        row = self.row(offset)
        return None if row is None else row.reading.tree

    def setting(self, offset: int) -> Setting:
        """The scope in which a place of the text stands."""
        n = bisect.bisect_right(self._offsets, offset) - 1
        return self.compiled.rows[n].setting if n >= 0 else self.compiled.settings["main"]

    def model(self, offset: int) -> Model:
        """The model of the scope of a place; one without equations where they do not fit."""
        try:
            return self.context.model_of(self.setting(offset))
        except SymrnnError:
            return EMPTY

    def outline(self, offset: int) -> Model:
        """What depends on what at a place: by the display before it if that is one function for all variables of a step, else the model."""
        row = self.display_before(offset, NEAR)
        tree = None if row is None else row.reading.tree
        found = None if row is None or tree is None else several(tree, row.setting.scope.table.time_letter)
        return found or self.model(offset)

    def symbol(self, offset: int, name: str) -> Symbol | None:
        """A parameter or a variable of the model."""
        model = self.model(offset)
        return next((s for s in (*model.variables, *model.parameters) if s.name == name), None)

    def parse(self, latex: str, offset: int) -> Node | None:
        """A piece of LaTeX as the scope of a place reads it."""
        return read(latex, self.setting(offset).scope.table, second=False).tree

    def refuted(self, offset: int) -> bool:
        """Whether the formula at an offset is refuted for itself."""
        return any(r.verdict.word == "refuted" for r in self._judged(offset))

    def last_before(self, kind: str, offset: int) -> str:
        """The value of the sentence of a kind that stands last before a place; empty where there is none."""
        return next((s.value for s in reversed(self.kinds.get(kind, ())) if s.offset < offset), "")

    def about(self, kind: str, offset: int) -> list[Said]:
        """The sentences of a kind that use the formula at an offset."""
        return self._about.get((kind, offset), [])

    @cached_property
    def _about(self) -> dict[tuple[str, int], list[Said]]:
        out: dict[tuple[str, int], list[Said]] = {}
        for said in self.said:
            for k in said.spans:
                out.setdefault((said.kind, k), []).append(said)
        return out

    def displays_after(self, offset: int, near: int) -> list[Row]:
        """The displays that begin after a place, within a number of characters."""
        low, high = bisect.bisect_right(self._starts, offset), bisect.bisect_left(self._starts, offset + near)
        return [self.compiled.rows[n] for n in self._displays[low:high]]

    def display_before(self, offset: int, near: int | None = None) -> Row | None:
        """The display before a place, with no heading between (and not farther than ``near`` characters)."""
        n = bisect.bisect_left(self._starts, offset) - 1
        if n < 0:
            return None
        row = self.compiled.rows[self._displays[n]]
        end = row.span.offset + len(row.span.latex)
        if near is not None and offset - end > near or any(end <= h.offset < offset for h in self.document.headings):
            return None
        return row

    @cached_property
    def gated(self) -> bool:
        """Whether some equation is that of a gate: a sigmoid of a sum, or of several arguments."""
        return any(_GATE.search(row.span.latex) for row in self.compiled.rows)

    @cached_property
    def sizes_declared(self) -> frozenset[str]:
        """The letters that declarations and spaces use as sizes."""
        out = {str(n) for s in self.compiled.settings.values() for d in s.scope.table for n in d.shape}
        for row in self.compiled.rows:
            if row.reading.tree is None or "mathbb" not in row.span.latex and "reals" not in row.span.latex:
                continue
            powers = (n for n in walk(row.reading.tree) if n.op == "Pow" and n.nodes[0].op == "Space")
            out |= {m.head for n in powers for m in walk(n.nodes[1]) if m.op == "Sym"}
        return frozenset(out)

    @cached_property
    def ends(self) -> dict[str, list[int]]:
        """The letters up to which the time runs, in a sum or in the range of the time, each with where."""
        found: dict[str, list[int]] = {}
        for row in self.compiled.rows:
            tree = row.reading.tree
            if tree is not None and any(mark in row.span.latex for mark in ("\\sum", "\\prod", "dots", "...", "\\le")):
                for name in {m.head for n in walk(tree) if (m := _last(n, row.setting.scope.table.time_letter)) is not None}:
                    found.setdefault(name, []).append(row.span.offset)
        return found

    @cached_property
    def steps(self) -> Counter[str]:
        """Those letters, each with how often; no sizes among them.

        A letter that a declaration uses as a size is left out, and one that a sentence calls a size before, or the number of something
        else.
        """
        counted = {name for s in self.kinds.get("count", ()) if s.value != "steps" for name in s.names}
        for s in self.kinds.get("size", ()):
            name = canonical_name(s.value)
            if name in self.ends and s.offset < self.ends[name][0]:
                counted.add(name)
        return Counter({name: len(places) for name, places in self.ends.items() if name not in self.sizes_declared | counted})


def _last(n: Node, letter: str) -> Node | None:
    """The letter up to which the time runs, if a node says so."""
    if n.op in ("Sum", "Prod") and n.nodes[0].op == "Sym":
        whole = n.nodes[1].op == "Absent" or n.nodes[1].op == "Num" and n.nodes[1].head in COUNTED_FROM
        return n.nodes[2] if n.nodes[0].head == letter and whole and plain(n.nodes[2]) else None
    if n.op != "Chain":
        return None
    sides = [n.nodes[0], *(rel.nodes[0] for rel in n.nodes[1:])]
    signs = [rel.head for rel in n.nodes[1:]]
    if len(signs) == 1 and plain(sides[0]) and sides[0].head == letter and sides[1].op in ("Set", "Enum") and signs[0] in ("in", "="):
        listed = sides[1].nodes
        counted = len(listed) > 2 and listed[0].op == "Num" and listed[0].head in COUNTED_FROM and listed[-2].op == "Ellipsis"
        return listed[-1] if counted and plain(listed[-1]) else None
    if signs == ["<=", "<="] and sides[0].op == "Num" and plain(sides[1]) and sides[1].head == letter and plain(sides[2]):
        return sides[2]
    return None


def several(tree: Node, letter: str) -> Model | None:
    r"""The model of ``(y_t, h_t) = f(x_t, h_{t-1}; \theta)``, in which every variable is some function of all that is in the bracket."""
    if tree.op != "Chain" or len(tree.nodes) != 2 or tree.nodes[0].op != "Tuple" or tree.nodes[1].nodes[0].op != "Call":
        return None
    call = tree.nodes[1].nodes[0]
    lefts = [place(n, letter) for n in tree.nodes[0].nodes]
    names = {at[0] for at in lefts if at is not None and at[1] == 0}
    if len(names) < len(lefts):
        return None
    used = []
    for n in (m for a in call.nodes[1:] for m in (a.nodes if a.op == "Given" else (a,))):
        at = place(n, letter)
        if at is not None:
            used.append(symbol(at[0], SCALAR, "variable" if at[0] in names else "input", NOW + at[1]))
        elif plain(n):
            used.append(symbol(n.head, SCALAR, "parameter"))
        else:
            return None
    value = node("vcall", *used, attr=(call.nodes[0].head, SCALAR))
    return Model("outline", tuple(Equation(Symbol(at[0], SCALAR, "variable", NOW), value) for at in lefts if at is not None))


def place(n: Node, letter: str) -> tuple[str, int] | None:
    """A variable and how far from the present step it is taken."""
    time = n.part("Time") if n.op == "Sym" else None
    if time is None:
        return None
    t, step = time.nodes[0], 0
    if t.op == "Add" and len(t.nodes) == 2:
        sign, number = (-1, t.nodes[1].nodes[0]) if t.nodes[1].op == "Neg" else (1, t.nodes[1])
        if number.op == "Num" and number.head.isdigit():
            t, step = t.nodes[0], sign * int(number.head)
    return (n.head, step) if plain(t) and t.head == letter else None


def plain(n: Node) -> bool:
    """A letter without scripts."""
    return n.op == "Sym" and len(n.args) == 1
