"""Loops over time: the arrays they fill, what is made before them, and their statements, which write in place."""
from __future__ import annotations

import sympy

from symrnn.emit.arrays import Arrays, static
from symrnn.emit.inplace import InPlace, Making, combined, ufunc
from symrnn.emit.layout import Array, Key, after_last, before_first
from symrnn.emit.plan import Plan, every
from symrnn.emit.schedule import Block, key
from symrnn.emit.statements import WIDTH, Body
from symrnn.expr import NOW, Shape, Symbol, node, symbols, walk
from symrnn.model import Equation

ROOTS = {"add": sympy.Add, "had": sympy.Mul}
"""Operations on equal shapes whose first part can be made before the loop, in the array that the loop completes."""

ENTRYWISE = frozenset({"sym", "num", "ones", "add", "had", "pow", "apply", "smul"})


def make(plan: Plan, body: Body, e: Equation, way: str, there: str = "") -> None:
    """The array of a quantity for all steps at once (for the last ones, if ``way`` says so), made by as few passes as it takes.

    With ``there`` the array is there already, under this name.
    """
    target = there or plan.layout.arrays[key(e.left)].name
    known: dict[str, Symbol] = {}

    def refer(s: Symbol) -> sympy.Symbol:
        text = plan.layout.refer(way)(s)
        known[str(text)] = s
        return text

    def full(text: str) -> bool:
        return bool(there) or (text in known and known[text].time is not None and same(known[text].shape, e.left.shape))

    value = Arrays(refer, body.size, "times", plan.classes)(e.right)
    if there or not static(e.right) and (combined(value) or ufunc(value)):
        Making(body, full, [there]).write(value, target)
    else:
        body.assign(target, value)


def same(a: Shape, b: Shape) -> bool:
    """Whether two shapes are the same but for axes of length one.

    >>> same(("n", 1), (1, "n")), same(("n", 1), (1, 1))
    (True, False)
    """
    return [n for n in a if n != 1] == [n for n in b if n != 1]


class Loop:
    """One loop of a module, forward or ``backward``; ``kept`` are the quantities that something outside of it needs."""

    def __init__(self, plan: Plan, body: Body, block: Block, backward: bool, kept: frozenset[Key]) -> None:
        self.plan, self.body, self.block, self.backward, self.kept = plan, body, block, backward, kept
        self.views: dict[str, str] = {}
        self.seen: dict[str, Symbol] = {}
        self.given: dict[str, Symbol] = {}
        self.made: dict[str, tuple[str, Symbol | None]] = {}

    def write(self) -> None:
        """The statements."""
        for e in self.block.equations:
            self.rows(e.left)
        begun = {e.left: first for e in self.block.equations if (first := self.begins(e)) is not None}
        for e in self.block.before:
            own = next((left for left, first in begun.items() if first is e), None)
            with self.body.computing(self.user(e), e.right):
                if own is None:
                    make(self.plan, self.body, e, "whole")
                else:
                    self.begin(e, self.plan.layout.arrays[key(own)])
        inner = Body(self.body.printer)
        write = InPlace(inner, self.turned, self.part)
        convert = Arrays(self.view, inner.size, "dot", self.plan.classes)
        for e in self.block.equations:
            first = begun.get(e.left)
            target, shape = str(self.view(e.left)), f"(B{inner.shape(e.left.shape)})"
            with inner.computing(e.left):
                if first is None:
                    write.equation(convert(e.right, loose=True), target, shape)
                else:
                    rest = [x for x in e.right.args if not (x.op == "sym" and x.attr == first.left)]
                    value = convert(node(e.right.op, *rest) if len(rest) > 1 else rest[0], loose=True)
                    write.go_on(value, ROOTS[e.right.op], target, shape)
        for name, (value, matrix) in self.made.items():
            with self.body.computing(matrix, None if matrix is None else node("sym", attr=matrix).T):
                self.body.add(f"{name} = {value}")
        for name, now in self.handed_on().items():
            s = self.seen[name]
            with self.body.computing(after_last(s) if self.backward else before_first(s, 1)):
                self.body.add(f"{name} = {self.plan.layout.arrays[key(s)].name}[{'T' if self.backward else 0}]")
            with inner.computing(s):
                inner.add(f"{name} = {now}", 4)
            del self.views[name]
        self.body.add("# the last argument of each call is where its result goes")
        self.head()
        self.body.lines += inner.lines
        self.body.sizes |= inner.sizes
        self.body.helpers |= inner.helpers
        done = [self.plan.layout.arrays[key(e.left)].name for e in self.block.before if e.left.time is not None and e not in begun.values()]
        if done:
            self.body.add(f"del {', '.join(done)}")

    def user(self, part: Equation) -> Symbol:
        """The quantity of the loop for which a part is made before it."""
        return next(e.left for e in self.block.equations if part.left in symbols(e.right))

    def begins(self, e: Equation) -> Equation | None:
        """The part made before the loop with which the array of ``e`` can begin: a part of its sum or product, needed by nothing else."""
        if e.right.op not in ROOTS or self.is_short_lived(e.left):
            return None
        for first in self.block.before:
            part = any(x.op == "sym" and x.attr == first.left for x in e.right.args)
            uses = sum(x.op == "sym" and x.attr == first.left for other in self.block.equations for x in every(other.right))
            simple = all(x.op in ENTRYWISE for x in walk(first.right)) and not static(first.right)
            if part and uses == 1 and simple and first.left.shape == e.left.shape:
                return first
        return None

    def begin(self, e: Equation, array: Array) -> None:
        """Fill an array with the part of its values that is made before the loop."""
        name = self.plan.layout.arrays[key(e.left)].name
        self.body.add(f"{name} = {array.whole(0)}")
        make(self.plan, self.body, e, "whole", name)

    def is_short_lived(self, s: Symbol) -> bool:
        """Whether nothing outside of the loop needs a quantity, so that one step of memory will do."""
        array = self.plan.layout.arrays[key(s)]
        return self.plan.gradients and not (array.past or array.future or key(s) in self.kept)

    def rows(self, s: Symbol) -> None:
        """The array of a quantity that the loop computes."""
        array, shape = self.plan.layout.arrays[key(s)], self.body.shape(s.shape)
        if self.is_short_lived(s):
            self.body.add(f"{array.name} = {self.body.calls('_rows')}(T, (B{shape}), kind, everything)")
            return
        more = array.past + array.future
        self.body.add(f"{array.name} = np.empty((T{f' + {more}' if more else ''}, B{shape}), kind)")
        if array.future:
            with self.body.computing(after_last(s)):
                self.body.add(f"{array.name}[{'T' if array.future == 1 else 'T:'}] = 0")
        self.plan.first_rows(self.body, s)

    def view(self, s: Symbol) -> sympy.Symbol:
        """The name of a value inside the loop."""
        array = self.plan.layout.arrays[key(s)]
        if s.time is None:
            self.given[array.name] = s
            return sympy.Symbol(array.name)
        k = s.time.offset
        name = self.plan.names(("view", key(s), k), array.step(k))
        self.views[name], self.seen[name] = array.whole(k), s
        return sympy.Symbol(name)

    def handed_on(self) -> dict[str, str]:
        """The values of the step computed before that one step hands to the next: name -> the name of the value at the step itself."""
        made = {e.left.name: str(self.view(e.left)) for e in self.block.equations}
        one = 1 if self.backward else -1
        kind = self.block.equations[0].left.kind
        arrays = {name: self.plan.layout.arrays[key(s)] for name, s in self.seen.items()}
        return {name: made[s.name] for name, s in self.seen.items() if s.kind == kind and s.name in made
                and s.time == NOW + one and (arrays[name].future if self.backward else arrays[name].past) == 1}

    def turned(self, matrix: str) -> str:
        """A matrix turned before the loop, in an order of memory that suits the product."""
        name = self.plan.names(("turned", matrix), f"{matrix}_T")
        self.made[name] = f"np.ascontiguousarray({matrix}.T)", self.given.get(matrix)
        return name

    def part(self, shape: str, depth: int) -> str:
        """An array for a part of a value, made before the loop."""
        name = self.plan.names(("part", shape, depth), "part")
        self.made[name] = f"np.empty({shape}, kind)", None
        return name

    def head(self) -> None:
        """The line that walks through the arrays; over several lines where it is long."""
        call = self.body.calls("_backwards") if self.backward else "zip"
        names, sources = list(self.views), [*self.views.values(), *([] if self.backward else ["strict=True"])]
        left = f"{', '.join(names)}{',' if len(names) == 1 else ''}"
        line = f"for {left} in {call}({', '.join(sources)}):"
        if len(line) <= WIDTH:
            return self.body.add(line)
        short = len(left) + len(call) + 10 <= WIDTH
        head = [f"for {left} in {call}("] if short else ["for (", *(f"    {n}," for n in names), f") in {call}("]
        for text in (*head, *(f"    {x}," for x in sources), "):"):
            self.body.add(text)
