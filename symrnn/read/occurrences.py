"""What a symbol with its scripts is where it occurs: time, component, kind; and what was chosen on the way."""
from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from symrnn.expr import SCALAR, Expr, Index, Shape, Size, Time, delta, derivative, entry, eye, fix_time, node, symbol, transpose
from symrnn.expr.linear import canonical, replaced
from symrnn.read import tuples
from symrnn.read.meaningless import Meaningless
from symrnn.read.scope import LOSS, TOTAL, Scope
from symrnn.read.symbols import Declared
from symrnn.read.tree import Node
from symrnn.read.tree import walk as nodes_of

IDENTITY = ("I", "delta")
SIGNS = str.maketrans("+-*", ":.'")
"""What stands for signs of arithmetic in the names of open sizes, as for the state of the layer l - 1."""
NO_TIME = "a time index must be a letter plus a whole number"


@dataclass(frozen=True, order=True)
class Choice:
    """A reading that the notation left open: its code, and what was taken."""

    code: str
    message: str


@dataclass
class Names:
    """What is known while the trees of one relation are elaborated; component indices keep their sizes across its sides."""

    scope: Scope
    choices: dict[Choice, None] = field(default_factory=dict)
    indices: dict[str, Index] = field(default_factory=dict)
    clocks: dict[str, str] = field(default_factory=dict)             # letters of sums over time -> their base in the core
    values: dict[str, Expr] = field(default_factory=dict)            # names that stand for an expression
    sizes: dict[str, str] = field(default_factory=dict)              # sizes left open that a sum to a size tells
    solved: Mapping[str, Size] = field(default_factory=dict)          # sizes left open that the equations determine
    closed: set[str] = field(default_factory=set)                    # letters of sums over components that have ended
    lenient: bool = False                                            # a sum that ends at another size is one over all components

    def __call__(self, n: Node) -> Expr:
        """The expression that a tree means."""
        raise NotImplementedError

    def note(self, code: str, message: str) -> None:
        self.choices[Choice(code, message)] = None

    def time(self, n: Node) -> Time:
        """A time index: a letter or a number plus a whole number."""
        found = self.steps_in(n)
        later = [base for base, k in found.items() if base and k]
        if len(later) > 1 or any(found[base] != 1 for base in later):
            raise Meaningless("SR303", NO_TIME, n.span)
        return Time(later[0] if later else "", found[""])

    def between(self, n: Node) -> tuple[Time, Time] | None:
        """The two steps whose difference a tree is, as in ``k - j - 1``; None where it is no such difference, or no clock stands in it."""
        if not self.is_clock(n):
            return None
        try:
            found = self.steps_in(n)
        except Meaningless:
            return None
        ends = {sign: [base for base, k in found.items() if base and k == sign] for sign in (1, -1)}
        if len(ends[1]) != 1 or len(ends[-1]) > 1 or any(base and k not in (1, 0, -1) for base, k in found.items()):
            return None
        return Time(ends[1][0], found[""]), Time(ends[-1][0] if ends[-1] else "")

    def steps_in(self, n: Node) -> Counter[str]:
        """How often each letter of a step stands in a sum of such letters and whole numbers; the name '' stands for the number."""
        match n.op:
            case "Num" if n.head.isdigit():
                return Counter({"": int(n.head)})
            case "Neg":
                inner = self.steps_in(n.nodes[0])
                return Counter({base: -k for base, k in inner.items()})
            case "Sym" if len(n.args) == 1:
                return Counter({self.base(self._letter(n)): 1})
            case "Add":
                out: Counter[str] = Counter()
                for a in n.nodes:
                    out.update(self.steps_in(a))
                return out
        raise Meaningless("SR303", NO_TIME, n.span)

    def _letter(self, n: Node) -> str:
        """A letter that may stand for a step: no size, no array, no infinity."""
        letter, d = n.head, self.scope.table.get(n.head)
        known = letter in self.clocks or letter in self.scope.steps or letter == self.scope.table.time_letter
        odd = letter == "infty" or letter.isupper() or "_" in letter or "^" in letter or tuples.is_size(self, letter)
        if not known and (odd or d is not None and d.kind != "index"):
            raise Meaningless("SR303", f"{letter} is no step (declare the last one, as in steps: {letter})", n.span)
        return letter

    def base(self, letter: str) -> str:
        """The base of a time letter in the core."""
        if letter in self.clocks:
            return self.clocks[letter]
        if letter == self.scope.table.time_letter:
            return "t"
        return "T" if letter in self.scope.steps else letter

    def is_clock(self, n: Node) -> bool:
        """Whether a tree is a time index rather than a component."""
        names = {m.head for m in nodes_of(n) if m.op == "Sym"}
        return bool(names & ({self.scope.table.time_letter, *self.clocks} | self.scope.steps))

    def index(self, n: Node, size: str | int) -> Index | int:
        """A component index of an axis of the given size."""
        if n.op == "Num" and n.head.isdigit():
            if int(n.head) == 0:
                raise Meaningless("SR303", "components are counted from 1", n.span)
            return int(n.head)
        if n.op == "Sym" and len(n.args) == 1:
            found = self.indices.get(n.head)
            if found is None:
                declared = self.scope.table.get(n.head)
                step = self.is_clock(n) or (declared is not None and declared.role == "time")
                other = declared is not None and declared.kind == "size" and size != n.head and not self._is_met_as_size(n.head)
                if step or (declared is not None and declared.kind not in ("index", "scalar") and not other):
                    raise Meaningless("SR303", f"{n.head} is used as a component index", n.span)
                if declared is not None and declared.kind == "scalar":
                    self.note("index", f"the number {n.head} is read as a component index")
                if n.head in self.closed:
                    self.note("index-reused", f"{n.head} is bound by a sum and free outside it")
                found = self.indices[n.head] = Index(n.head, declared.shape[0] if declared and declared.shape else size)
            return found
        raise Meaningless("SR303", "a component index must be a letter or a number", n.span)

    def _is_met_as_size(self, name: str) -> bool:
        """Whether a letter that names a size is met as one before it is met as the letter of a component."""
        return name in self.sizes.values() or any(i.size == name for i in self.indices.values())

    def declared(self, name: str, n: Node) -> Declared:
        found = self.scope.table.lookup(name)
        if found is None:
            raise Meaningless("SR103", f"{name} is not declared", n.span)
        return found

    def symbol(self, n: Node) -> Expr:
        name = n.head
        if name in self.values and len(n.args) == 1:
            return self.values[name]
        if name in (self.scope.loss, self.scope.total):
            return self._loss(n)
        if name in self.scope.gradients:
            return self._gradient(n)
        if name in self.scope.direct:
            return self._direct(n)
        if (near := self._near(n)) is not None:
            return self.symbol(near)
        if name in self.scope.elided and not has_part(n, "Param"):
            return self._elided(n)
        if self.scope.table.lookup(name) is None and len(n.args) == 1 and tuples.is_size(self, name):
            return node("size", attr=name)                            # a size that only shapes name
        if self.scope.table.lookup(name) is None and name in IDENTITY:
            return self._identity(n)
        d = self.declared(name, n)
        if name in self.scope.steps and d.kind == "size" and len(n.args) == 1 and name not in self.clocks:
            return node("steps")
        if d.kind in ("size", "index"):
            if d.kind == "index" or name in self.scope.steps or d.role == "time":
                raise Meaningless("SR303", f"the {'time' if d.role == 'time' else 'letter'} {name} is used as a number", n.span)
            if has_part(n, "Time"):
                raise Meaningless("SR303", f"{name} is a size and has a step", n.span)
            return node("size", attr=name)
        if d.kind not in ("scalar", "vector", "matrix") and not is_distribution(d):
            raise Meaningless("SR303", f"the {d.kind} {name} stands without an argument", n.span)
        if has_part(n, "Layer") or has_part(n, "Param"):
            raise Meaningless("SR303", f"a layer or parameter on {name}", n.span)
        base = tuples.lagged(self, n, d)
        self._step_or_component(n, d)
        return self.component(self._plain(n, d) if base is None else base, n, d)

    def _identity(self, n: Node) -> Expr:
        """What a text need not declare: the identity matrix I, and its entries, as I or as a Kronecker delta with two subscripts."""
        part = n.part("Index")
        if len(n.args) == 1 and n.head == "I":
            self.note("identity", "I is read as the identity matrix")
            return eye(f"?I{n.span[0]}")
        if part is None or len(n.args) != 2 or len(part.nodes) != 2:
            raise Meaningless("SR103", f"{n.head} is not declared", n.span)
        known = [self.indices[m.head].size for m in part.nodes if m.head in self.indices]
        row, column = (self.index(m, (known or [f"?I{n.span[0]}"])[0]) for m in part.nodes)
        return delta(row, column)

    def _plain(self, n: Node, d: Declared) -> Expr:
        """The symbol at its time, without components."""
        for core, own in ((TOTAL, self.scope.total), (LOSS, self.scope.loss)):
            if d.name == core and own is not None:                    # the text gives the loss another letter
                raise Meaningless("SR303", f"the name {core} is kept for the loss {own}", n.span)
        rows, columns = shape_of(d)
        time = self.symbol_time(n, d)
        shape = (replaced(rows, self.solved), replaced(columns, self.solved))
        if shape[0] == 1 != shape[1] and d.name in self.scope.targets:     # a distribution is a column, however it is laid
            return transpose(symbol(d.name, (shape[1], 1), self.kind(d), time))
        return symbol(d.name, shape, self.kind(d), time)

    def _step_or_component(self, n: Node, d: Declared) -> None:
        """A sequence with one letter that runs over another size than its components: the letter may be meant as a step."""
        part = n.part("Index")
        if part is None or not d.sequence or n.part("Time") is not None or len(d.shape) != 1 or len(part.nodes) != 1:
            return
        letter = self.scope.table.get(part.nodes[0].head)
        if letter is not None and letter.shape and letter.shape[0] != d.shape[0]:
            raise Meaningless("SR303", f"{letter.name} on {d.name} runs over {letter.shape[0]}, not {d.shape[0]}: a step?",
                              n.span)

    def symbol_time(self, n: Node, d: Declared) -> Time | None:
        part = n.part("Time")
        if part is not None and d.sequence:
            step = part.nodes[0]
            if step.op == "Sym" and not self.is_clock(step) and self.scope.table.get(step.head) is not None:
                self.note("step", f"{step.head} on {d.name} is read as a step, not as a component")
            return self.time(step)
        if part is not None:
            self.note("copy", f"{d.name} at one step is the use that step makes of it")
        elif d.name in self.scope.final:
            return Time("T")
        elif d.sequence or d.name in self.scope.defined:
            letter = self.scope.table.time_letter
            if d.sequence:
                self.note("time-left-out", f"{d.name} without a time is read at {letter}")
            return Time(self.base(letter))
        return None

    def kind(self, d: Declared) -> str:
        """What a symbol is in the model."""
        if d.name in self.scope.defined:
            return "variable"
        if d.name in self.scope.targets:
            return "target"
        if d.sequence:
            return "input"
        return "constant" if d.kind == "scalar" else "parameter"

    def component(self, e: Expr, n: Node, d: Declared | None = None) -> Expr:
        """The entry that the Index part of a symbol names."""
        part = n.part("Index")
        return e if part is None else self.entry(e, part.nodes, n)

    def entry(self, e: Expr, subscripts: tuple[Node, ...], n: Node) -> Expr:
        if e.shape is None:
            return e
        axes = [k for k in (0, 1) if e.shape[k] != 1]
        if len(axes) == 2 and len(subscripts) == 1 and subscripts[0].op == "Num" and len(subscripts[0].head) == 2:
            self.note("two-digits", f"the subscript {subscripts[0].head} is read as row and column")
            subscripts = tuple(Node("Num", (digit,), subscripts[0].span) for digit in subscripts[0].head)
        if len(subscripts) != len(axes):
            raise Meaningless("SR303", f"{len(subscripts)} subscripts on something with {len(axes)} axes", n.span)
        at: list[Index | int | None] = [None, None]
        for k, s in zip(axes, subscripts, strict=True):
            at[k] = self.index(s, e.shape[k])
        return entry(e, *at)

    def _loss(self, n: Node) -> Expr:
        """The loss of a step or the total: a text may write both with one letter, told apart by the time."""
        timed = n.part("Time") is not None
        if any(has_part(n, op) for op in ("Index", "Layer", "Param")):
            raise Meaningless("SR303", f"a component or layer of the loss {n.head}", n.span)
        if n.head == self.scope.total and not (timed and n.head == self.scope.loss):
            if timed:
                raise Meaningless("SR303", f"the total loss {n.head} with a time", n.span)
            return symbol(TOTAL, SCALAR)
        if not timed:
            self.note("time-left-out", f"{n.head} without a time is read at {self.scope.table.time_letter}")
        time = self.time(n.part("Time").nodes[0]) if timed else Time(self.base(self.scope.table.time_letter))  # type: ignore[union-attr]
        return symbol(LOSS, SCALAR, "variable", time)

    def _near(self, n: Node) -> Node | None:
        """``c_prev`` is c one step before the running one; ``c_next`` is what the text says it is."""
        if not self.scope.arriving:
            return None
        letter = Node("Sym", (self.scope.table.time_letter,))
        base = n.head.removesuffix("_prev")
        d = self.scope.table.get(base)
        if n.head in self.scope.arriving and len(n.args) == 1:
            return Node("Sym", (self.scope.arriving[n.head], Node("Time", (letter,))), n.span)
        if base == n.head or d is None or not d.sequence or n.head in self.scope.defined or len(n.args) != 1:
            return None
        before = Node("Add", (letter, Node("Neg", (Node("Num", ("1",)),))))
        return Node("Sym", (base, Node("Time", (before,))), n.span)

    def _direct(self, n: Node) -> Expr:
        """The gradient of the loss of one step by a variable of that step; by the last variable where the text names none."""
        name, part = self.scope.direct[n.head], n.part("Time")
        if part is None or not name or any(has_part(n, op) for op in ("Layer", "Param")):
            raise Meaningless("SR303", f"{n.head} is the gradient that comes from above, by a variable that nothing names", n.span)
        by = self(Node("Sym", (name, part)))
        if by.op != "sym":
            raise Meaningless("SR303", f"{n.head} is the gradient by something that is no symbol", n.span)
        return self.component(derivative(symbol(LOSS, SCALAR, "variable", by.attr.time), by, "partial"), n)

    def _gradient(self, n: Node) -> Expr:
        """A name that the text gives a derivative, at its step."""
        value, part = self(self.scope.gradients[n.head]), n.part("Time")
        if has_part(n, "Layer") or has_part(n, "Param"):
            raise Meaningless("SR303", f"a layer or parameter on {n.head}", n.span)
        timed = any(m.op == "Time" for m in nodes_of(self.scope.gradients[n.head]))
        if part is not None and not timed:
            raise Meaningless("SR303", f"{n.head} has a step, but not where it is defined", n.span)
        value = fix_time(value, "t", self.time(part.nodes[0])) if part is not None else value
        return self.component(value, n)

    def _elided(self, n: Node) -> Expr:
        """A bare function name that stands for its value, such as sigma for sigma(o)."""
        self.note("argument-left-out", f"{n.head} stands for its value at {str(self.scope.elided[n.head])}")
        if any(m == n for m in nodes_of(self.scope.elided[n.head])) and n.args[1:]:
            raise Meaningless("SR303", f"{n.head} stands for something in which it stands itself", n.span)
        value = self(self.scope.elided[n.head])
        return self.component(value, n)


def shape_of(d: Declared) -> Shape:
    sizes: list[str | int] = [int(s) if s.isdigit() else canonical(s) if "+" in s else s for s in d.shape]
    if d.kind == "scalar":
        return SCALAR
    if not sizes:                                                     # to be solved from the equations
        name = d.name.translate(SIGNS)
        return (f"?{name}", 1) if d.kind == "vector" else (f"?{name}.1", f"?{name}.2")
    return (sizes[0], 1) if len(sizes) == 1 else (sizes[0], sizes[1])


def is_distribution(d: Declared) -> bool:
    """A vector that the text writes as a function of its component, such as p(i)."""
    return d.kind == "function" and len(d.shape) == 1 and d.role is None


def has_part(n: Node, op: str) -> bool:
    return n.part(op) is not None


def names_in(n: Node) -> set[str]:
    return {m.head for m in nodes_of(n) if m.op == "Sym"}
