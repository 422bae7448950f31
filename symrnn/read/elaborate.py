"""From a syntax tree to the typed core: shapes decide the product, the scope decides what a symbol is.

Nothing is guessed quietly: a choice is a note, and what has no meaning here raises :class:`Meaningless` with a reason code.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from symrnn.expr import (
    FIRST,
    LAST,
    SCALAR,
    Expr,
    Index,
    Shape,
    Time,
    add,
    apply,
    delta,
    derivative,
    diag,
    entry,
    filled,
    had,
    index_sum,
    lift,
    log_sum_exp,
    matmul,
    negative,
    node,
    power,
    quotient,
    smul,
    softmax,
    substitute,
    symbol,
    time_sum,
    transpose,
    walk,
)
from symrnn.expr.functions import TABLE as FUNCTIONS
from symrnn.read import tuples
from symrnn.read.meaningless import Meaningless
from symrnn.read.scope import LOSS, TOTAL, Scope
from symrnn.read.symbols import Declared
from symrnn.read.tree import Node

ALIASES = {"ln": "log", "ReLU": "relu", "sigm": "sigmoid", "logistic": "sigmoid"}
"""Other names of functions of the table."""


@dataclass(frozen=True, order=True)
class Choice:
    """A reading that the notation left open: its code, and what was taken."""

    code: str
    message: str


@dataclass
class Elaborator:
    """Turns the trees of one relation into expressions; component indices keep their sizes across its sides."""

    scope: Scope
    choices: dict[Choice, None] = field(default_factory=dict)
    indices: dict[str, Index] = field(default_factory=dict)
    clocks: dict[str, str] = field(default_factory=dict)             # letters of sums over time -> their base in the core
    values: dict[str, Expr] = field(default_factory=dict)            # names that stand for an expression
    closed: set[str] = field(default_factory=set)                    # letters of sums over components that have ended

    def __call__(self, n: Node) -> Expr:
        row = ROWS.get(n.op)
        if row is None:
            raise Meaningless("SR303", f"{n.op} has no meaning in the core", n.span)
        return row(self, n)

    def note(self, code: str, message: str) -> None:
        self.choices[Choice(code, message)] = None

    # ------------------------------------------------------------------------------------------------------- time, indices
    def time(self, n: Node) -> Time:
        """A time index: a letter or a number plus a whole number."""
        match n.op:
            case "Num":
                return Time("", int(n.head)) if n.head.isdigit() else self._no_time(n)
            case "Neg" if n.nodes[0].op == "Num":
                return Time("", -int(n.nodes[0].head))
            case "Sym" if len(n.args) == 1:
                return Time(self.base(self._letter(n)))
            case "Add":
                parts = [self.time(a) for a in n.nodes]
                named = [p for p in parts if p.base]
                if len(named) == 1:
                    return Time(named[0].base, sum(p.offset for p in parts))
        return self._no_time(n)

    def _no_time(self, n: Node) -> Time:
        raise Meaningless("SR303", "a time index must be a letter plus a whole number", n.span)

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
        names = {m.head for m in _walk(n) if m.op == "Sym"}
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
                if step or (declared is not None and declared.kind not in ("index", "scalar")):
                    raise Meaningless("SR303", f"{n.head} is used as a component index", n.span)
                if declared is not None and declared.kind == "scalar":
                    self.note("index", f"the number {n.head} is read as a component index")
                if n.head in self.closed:
                    self.note("index-reused", f"{n.head} is bound by a sum and free outside it")
                found = self.indices[n.head] = Index(n.head, declared.shape[0] if declared and declared.shape else size)
            return found
        raise Meaningless("SR303", "a component index must be a letter or a number", n.span)

    # ------------------------------------------------------------------------------------------------------------- symbols
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
        if name in self.scope.elided and not _parts(n, "Param"):
            return self._elided(n)
        if self.scope.table.lookup(name) is None and len(n.args) == 1 and tuples.is_size(self, name):
            return node("size", attr=name)                            # a size that only shapes name
        d = self.declared(name, n)
        if d.kind in ("size", "index"):
            if d.kind == "index" or name in self.scope.steps or d.role == "time":
                raise Meaningless("SR303", f"the {'time' if d.role == 'time' else 'letter'} {name} is used as a number", n.span)
            return node("size", attr=name)
        if d.kind not in ("scalar", "vector", "matrix") and not _is_distribution(d):
            raise Meaningless("SR303", f"the {d.kind} {name} stands without an argument", n.span)
        if _parts(n, "Layer") or _parts(n, "Param"):
            raise Meaningless("SR303", f"a layer or parameter on {name}", n.span)
        base = tuples.lagged(self, n, d)
        self._step_or_component(n, d)
        return self.component(self._plain(n, d) if base is None else base, n, d)

    def _plain(self, n: Node, d: Declared) -> Expr:
        """The symbol at its time, without components."""
        shape = _shape(d)
        time = self.symbol_time(n, d)
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
        if any(_parts(n, op) for op in ("Index", "Layer", "Param")):
            raise Meaningless("SR303", f"a component or layer of the loss {n.head}", n.span)
        if n.head == self.scope.total and not (timed and n.head == self.scope.loss):
            if timed:
                raise Meaningless("SR303", f"the total loss {n.head} with a time", n.span)
            return symbol(TOTAL, SCALAR)
        if not timed:
            self.note("time-left-out", f"{n.head} without a time is read at {self.scope.table.time_letter}")
        time = self.time(n.part("Time").nodes[0]) if timed else Time(self.base(self.scope.table.time_letter))  # type: ignore[union-attr]
        return symbol(LOSS, SCALAR, "variable", time)

    def _elided(self, n: Node) -> Expr:
        """A bare function name that stands for its value, such as sigma for sigma(o)."""
        self.note("argument-left-out", f"{n.head} stands for its value at {_text(self.scope.elided[n.head])}")
        value = self(self.scope.elided[n.head])
        return self.component(value, n)

    # ---------------------------------------------------------------------------------------------------------- operations
    def product(self, factors: tuple[Node, ...]) -> Expr:
        """Juxtaposed factors, left to right: scaling where one side is a scalar, else the matrix product."""
        out = self(factors[0])
        for before, f in pairwise(factors):
            if f.op == "Num" and before.op != "Num":
                raise Meaningless("SR303", "a number right after a symbol is no factor that a reader expects", f.span)
            if before.op == "Grad" and f == before.nodes[0]:
                raise Meaningless("SR303", f"{_text(f)} after the gradient may be a factor or an argument", f.span)
            out = multiply(out, self(f))
        return out

    def dot(self, n: Node) -> Expr:
        """A dot: the product of juxtaposition; two columns would be an inner or an entrywise product."""
        a, b = map(self, n.nodes)
        if a.shape is not None and a.shape == b.shape != SCALAR and a.shape[1] == 1:
            raise Meaningless("SR303", "a dot between two vectors may be the inner or the entrywise product", n.span)
        return multiply(a, b)

    def star(self, n: Node) -> Expr:
        """An asterisk or a cross: entrywise for two vectors, else the product of juxtaposition; square matrices leave it open."""
        a, b = map(self, n.nodes)
        if a.shape is None or a.shape != b.shape or a.shape == SCALAR:
            return multiply(a, b)
        if a.shape[0] == a.shape[1]:
            raise Meaningless("SR303", "this sign between square matrices may be the matrix product or the entrywise one", n.span)
        self.note("product", "the sign between two arrays of one shape is read as the entrywise product")
        return had(a, b)

    def outer(self, n: Node) -> Expr:
        a, b = map(self, n.nodes)
        if any(e.shape is not None and (e.shape[1] != 1 or e.shape == SCALAR) for e in (a, b)):
            raise Meaningless("SR303", "an outer product of something that is no column vector", n.span)
        self.note("product", "the circled cross is read as the outer product")
        return matmul(a, transpose(b))

    def transposed(self, n: Node) -> Expr:
        inner = n.nodes[0]
        if inner.op == "Num":
            raise Meaningless("SR303", "a transposed number (the array of ones is written bold and with its size)", n.span)
        if inner.op == "Sym" and inner.part("Index") is not None or inner.op == "At":
            raise Meaningless("SR303", "the transpose of a component may be meant of the matrix", n.span)
        e = self(inner)
        if e.shape == SCALAR:
            self.note("transposed-number", "the transpose of a number is that number")
        return transpose(e)

    def divided(self, n: Node) -> Expr:
        """A quotient: entrywise where the denominator is an array."""
        a, b = map(self, n.nodes)
        if b.shape is not None and 1 not in b.shape and (a.shape == SCALAR or b.op != "sym"):
            raise Meaningless("SR303", "a division by a matrix", n.span)
        if b.shape not in (None, SCALAR):
            self.note("entrywise", "a division by an array is read entrywise")
        return quotient(a, b)

    def hadamard(self, a: Node, b: Node) -> Expr:
        """The entrywise product; beside a matrix product it takes the neighbouring factor where only that fits."""
        whole = had(self(a), self(b))
        if whole.fault is None:
            return whole
        for product, first in ((b, True), (a, False)):
            if product.op not in ("Mul", "Dot") or len(product.nodes) < 2:
                continue
            near, rest = (product.nodes[0], product.nodes[1:]) if first else (product.nodes[-1], product.nodes[:-1])
            inner = had(self(a), self(near)) if first else had(self(near), self(b))
            others = [self(x) for x in rest]
            parts = [inner, *others] if first else [*others, inner]
            out = parts[0]
            for x in parts[1:]:
                out = multiply(out, x)
            if out.fault is None:
                self.note("grouping", "the entrywise product is taken before the matrix product")
                return out
        return whole

    def sum(self, terms: tuple[Node, ...]) -> Expr:
        """A sum; a number beside a vector stands for that number in every entry; dots are filled in."""
        if any(t.op == "Ellipsis" for t in terms):
            return self(series(terms, self.scope))
        parts = [self(CONSTANT.get(str(t), t)) for t in terms]
        shape = next((p.shape for p in parts if p.shape not in (SCALAR, None)), None)
        if shape is not None:
            if 1 not in shape and any(p.op == "num" and p.attr for p in parts):
                self.note("entrywise", "a number beside a matrix is read as that number in every entry")
            parts = [_spread(p, shape) for p in parts]
        elif any(str(t) in CONSTANT for t in terms):
            raise Meaningless("SR303", "an array of ones or zeros whose size nothing tells", terms[0].span)
        return add(*parts)

    def constant(self, n: Node) -> Expr:
        """A bold number with its size: a column of ones or zeros."""
        if len(n.nodes) != 1:
            raise Meaningless("SR303", "an array of ones or zeros whose size nothing tells", n.span)
        return filled(1 if n.op == "Ones" else 0, (tuples.size_of(self, n.nodes[0]), 1))

    def power(self, n: Node) -> Expr:
        base, exponent = n.nodes
        sign = -1 if exponent.op == "Neg" else 1
        digits = exponent.nodes[0] if exponent.op == "Neg" else exponent
        if digits.op != "Num" or not digits.head.isdigit() or int(digits.head) > 12:
            raise Meaningless("SR303", "a power must be a whole number of at most 12", exponent.span)
        k = sign * int(digits.head)
        if base.op == "Norm" and k == 2:
            return self._squared_norm(base)
        e = self(base)
        if e.shape is not None and e.shape[0] == e.shape[1] != 1:
            raise Meaningless("SR303", "the power of a matrix", n.span)
        if e.shape not in (None, SCALAR):
            self.note("entrywise", "the power of an array is read entrywise")
        if k == 0 and e.shape is not None:
            return filled(1, e.shape)
        return power(e, k) if k > 0 else power(apply("recip", e), -k)

    def _squared_norm(self, n: Node) -> Expr:
        """The sum of the squares of a column; other norms and norms of matrices are not read."""
        kind = n.nodes[1] if len(n.nodes) > 1 else None
        e = self(n.nodes[0])
        if kind is not None and kind != Node("Num", ("2",)) or e.shape is not None and e.shape[1] != 1:
            raise Meaningless("SR303", "a norm other than the Euclidean one of a column vector", n.span)
        return matmul(transpose(e), e)

    def call(self, n: Node) -> Expr:
        """A function applied."""
        f, *args = n.nodes
        primes = 0
        while f.op == "Prime":
            f, primes = f.nodes[0], primes + 1
        if f.op != "Sym" or any(a.op == "Given" for a in args):
            raise Meaningless("SR303", "a call of something that is no plain function", n.span)
        name = f.head
        if _parts(f, "Layer"):
            raise Meaningless("SR303", f"a layer on the function {name}", f.span)
        if name == self.scope.total and not primes and all(a.op in ("Set", "Text", "Tuple") for a in args):
            return symbol(TOTAL, SCALAR)                              # the loss as a function of the data: L({x}, {y})
        if name in self.scope.functions and len(args) == 1:
            return self._formula(name, args[0], primes)
        d = self.declared(name, f)
        component = f.part("Index") or f.part("Param")
        if (d.kind in ("vector", "matrix") or _is_distribution(d)) and not primes:
            return self.entry(self._plain(f, d), tuple(args), n)
        role = ALIASES.get(d.role or "", d.role)
        if role in VECTOR_FUNCTIONS and len(args) == 1 and not primes:
            inner = self(args[0])
            if role != "diag" and inner.shape == SCALAR:
                raise Meaningless("SR303", f"the {role} of a number", n.span)
            value = VECTOR_FUNCTIONS[role](inner)
            return self.entry(value, component.nodes, n) if component is not None else value
        if d.kind == "vfunction" and role is None:
            return self._vector_call(d, args, n)
        if d.kind != "function" or len(args) != 1:
            raise Meaningless("SR303", f"the function {name} with {len(args)} arguments", n.span)
        if component is not None and any(m.op == "Num" or self._counts(m) for m in component.nodes):
            raise Meaningless("SR303", f"a component of the function {name}", f.span)
        if component is not None or _parts(f, "Time") and not d.sequence:
            self.note("label-left-out", f"what is written on the function {name} is read as part of its name")
        inner = self(args[0])
        if inner.shape is not None and 1 not in inner.shape and role in ("exp", "log", "recip", "sqrt"):
            self.note("entrywise", f"{name} of a matrix is read entrywise")
        if role is not None and role not in FUNCTIONS:
            raise Meaningless("SR303", f"the function {role} is not in the table", n.span)
        if role is None:
            return apply("?" + name + "'" * primes, inner)
        if primes:
            return self._slope(role, inner, primes, n)
        return apply(role, inner)

    def _counts(self, n: Node) -> bool:
        """Whether a tree is a letter that counts components."""
        d = self.scope.table.get(n.head) if n.op == "Sym" else None
        return n.head in self.indices or d is not None and d.kind == "index" and d.role != "time"

    def _slope(self, role: str, u: Expr, primes: int, n: Node) -> Expr:
        """The derivative of a function of the table at an argument."""
        if primes > 1 or u.shape is None:
            raise Meaningless("SR303", "a second derivative", n.span)
        row = FUNCTIONS[role]
        ones = filled(1, u.shape)
        return _Entrywise.slope(row, u, apply(role, u), ones)

    def _formula(self, name: str, arg: Node, primes: int) -> Expr:
        """A scalar function that the text gave by a formula, at an argument; primes differentiate it."""
        formal, body = self.scope.functions[name]
        x = symbol(f"argument of {name}", SCALAR, "constant")
        value = Elaborator(self.scope, self.choices, values={formal: x})(body)
        for _ in range(primes):
            value = derivative(value, x, "total")
        actual = self(arg)
        if primes and actual.op != "sym":
            raise Meaningless("SR303", f"the derivative of {name} at something that is no symbol", arg.span)
        return substitute(value, {x.attr: actual})

    def _vector_call(self, d: Declared, args: list[Node], n: Node) -> Expr:
        if not d.shape:
            raise Meaningless("SR303", f"the size of the value of {d.name} is not declared", n.span)
        return node("vcall", *(self(a) for a in args), attr=(d.name, _shape(d)))

    def big_sum(self, n: Node) -> Expr:
        """A sum over steps or over components."""
        var, low, high, body, restriction = n.nodes
        if var.op != "Sym" or len(var.args) != 1:
            raise Meaningless("SR303", "a sum over something that is no letter", n.span)
        letter = var.head
        declared = self.scope.table.get(letter)
        timed = letter == self.scope.table.time_letter or (declared is not None and declared.role == "time")
        counts = any(m.op == "Index" and letter in _names(m) for m in _walk(body))
        steps = any(m.op == "Time" and _names(m) == {letter} for m in _walk(body))      # h_k, not x_{t-p+k}
        if counts and steps and not timed:
            raise Meaningless("SR303", f"{letter} is a step and a component in one sum (declare {letter}: index n)", n.span)
        sized = tuples.is_size(self, high.head)
        if steps and sized and not timed:
            raise Meaningless("SR303", f"the sum over the steps {letter} ends at the size {high.head}", n.span)
        return self._steps(letter, n) if timed or steps else self._components(letter, n)

    def _steps(self, letter: str, n: Node) -> Expr:
        _, low, high, body, restriction = n.nodes
        if restriction.op != "Absent":
            raise Meaningless("SR303", "a restricted sum over time", restriction.span)
        first = FIRST if low.op == "Absent" else self.time(low)
        last = LAST if high.op == "Absent" else self.time(high)
        if "Absent" in (low.op, high.op):
            self.note("range-left-out", f"the sum over {letter} is read over all steps that are not excluded")
        if letter in _names(low) | _names(high):
            raise Meaningless("SR303", f"the sum over {letter} ends or begins at {letter}", n.span)
        if first.base in ("", "T") and last.base == "" and (first.base or first.offset > last.offset):
            raise Meaningless("SR303", f"the sum over {letter} ends before it begins", n.span)
        base = "t" if letter == self.scope.table.time_letter else letter
        outer = self.clocks.get(letter)
        if outer is not None:
            self.note("index-reused", f"{letter} is the letter of a sum inside another sum over {letter}")
        self.clocks[letter] = base
        try:
            inner = self(body)
        finally:
            if outer is None:
                del self.clocks[letter]
            else:
                self.clocks[letter] = outer
        if not any(x.op == "sym" and x.attr.time and x.attr.time.base == base or x.op == "tsum" for x in walk(inner)):
            self.note("constant-summand", f"what is summed over {letter} does not depend on {letter}")
        return time_sum(base, first, last, inner)

    def _components(self, letter: str, n: Node) -> Expr:
        _, low, high, body, restriction = n.nodes
        if low.op != "Absent" and not (low.op == "Num" and low.head == "1"):
            raise Meaningless("SR303", "a sum over components that does not begin at 1", low.span)
        outer = self.indices.pop(letter, None)
        self.closed.discard(letter)
        try:
            inner = self(body)
            i = self.indices.get(letter)
            if i is None:
                i = self._bound_size(letter, high)
                self.note("constant-summand", f"what is summed over {letter} does not depend on {letter}")
                if inner.shape != SCALAR:
                    raise Meaningless("SR303", f"a sum over {letter} of a vector or matrix without the index {letter}", n.span)
            self._check_bound(i, high)
            if restriction.op != "Absent":
                inner = smul(self._restricted(restriction, i), inner)
        finally:
            self.indices.pop(letter, None)
            self.closed.add(letter)
            if outer is not None:
                self.note("index-reused", f"{letter} is bound by a sum and free outside it")
                self.indices[letter] = outer
        return index_sum(i, inner)

    def _bound_size(self, letter: str, high: Node) -> Index:
        declared = self.scope.table.get(letter)
        if declared is not None and declared.shape:
            return Index(letter, declared.shape[0])
        if high.op == "Sym" and len(high.args) == 1:
            return Index(letter, high.head)
        raise Meaningless("SR303", f"the index {letter} of the sum occurs in no component", high.span)

    def _check_bound(self, i: Index, high: Node) -> None:
        if high.op == "Absent":
            return
        if high.op != "Sym" or len(high.args) != 1:
            raise Meaningless("SR303", "a sum over components that does not end at a size", high.span)
        if high.head != i.size:
            if self.is_clock(high):
                raise Meaningless("SR303", f"the sum over {i} ends at the step {high.head}", high.span)
            declared = self.scope.table.get(high.head)
            if declared is not None and declared.kind != "size":
                raise Meaningless("SR303", f"the sum over {i} ends at the {declared.kind} {high.head}", high.span)
            if self._is_own_size(high.head):
                raise Meaningless("SR303", f"the sum over {i} ends at {high.head}, but {i} runs over {i.size}", high.span)
            self.note("bound", f"{high.head} is read as the number of components, {i.size}")

    def _is_own_size(self, name: str) -> bool:
        """Whether a size is the size of some declared symbol (else it is a name for whatever is summed)."""
        return any(name in d.shape for d in self.scope.table if d.kind in ("vector", "matrix"))

    def _restricted(self, restriction: Node, i: Index) -> Expr:
        left, rel = restriction.nodes
        a, b = self.index(left, i.size), self.index(rel.nodes[0], i.size)
        if a == b:
            raise Meaningless("SR303", f"a condition of {left.head} on itself", restriction.span)
        if rel.head == "!=":
            return lift(1) - delta(a, b)
        if rel.head == "=":
            other = _text(rel.nodes[0])
            self.note("single-term", f"the sum over {left.head} = {other} is read as the one term in which they are equal")
            return delta(a, b)
        raise Meaningless("SR303", f"a sum restricted by {rel.head}", restriction.span)

    # --------------------------------------------------------------------------------------------------------- derivatives
    def derive(self, n: Node) -> Expr:
        kind, order, top, *bottoms = n.args
        assert isinstance(top, Node)
        if order != "1" or len(bottoms) != 1 or top.op == "Slot":
            raise Meaningless("SR303", "a derivative of higher order or without a body", n.span)
        bottom = bottoms[0]
        assert isinstance(bottom, Node)
        return self._by(top, bottom, {"partial": "partial", "d": "total", "total": "total", "immediate": "immediate"}[str(kind)])

    def _by(self, top: Node, bottom: Node, mode: str) -> Expr:
        if bottom.op == "Sym" and bottom.part("Time") is not None:
            d = self.scope.table.get(bottom.head)
            if d is not None and not d.sequence:                      # by the copy of a parameter that one step uses
                mode, copy = "immediate", bottom.part("Time")
                if top.op != "Sym" or top.part("Time") != copy or top.head == self.scope.loss:
                    raise Meaningless("SR303", f"a derivative by {d.name} at a step, of something not at that step", bottom.span)
        below = self(bottom)
        if below.op not in ("sym", "entry"):
            raise Meaningless("SR303", "a derivative by something that is no symbol", bottom.span)
        return derivative(self(top), below, mode)

    def gradient(self, n: Node) -> Expr:
        bottom, top = n.nodes
        if "Absent" in (bottom.op, top.op) or top.op == "Slot":
            raise Meaningless("SR303", "a gradient that does not say of what, by what", n.span)
        if top.op == "Transpose":
            self.note("grouping", "the transpose after a gradient is read as that of the gradient")
            return transpose(self.gradient(Node("Grad", (bottom, top.nodes[0]), n.span)))
        out = self._by(top, bottom, "partial")
        if out.args[0].shape not in (None, SCALAR):
            self.note("layout", "the gradient of a vector is read as its Jacobian, rows of the output")
        return out

    def change(self, n: Node) -> Expr:
        """The change of a parameter by gradient descent: minus the learning rate times the gradient."""
        if self.scope.rate is None:
            raise Meaningless("SR103", "no update rule defines this change", n.span)
        below = self(n.nodes[0])
        if below.op not in ("sym", "entry"):
            raise Meaningless("SR303", "the change of something that is no symbol", n.span)
        rate = symbol(self.scope.rate, SCALAR, "constant")
        return negative(smul(rate, derivative(symbol(TOTAL, SCALAR), below, "partial")))

    def cases(self, n: Node) -> Expr:
        """Two cases told apart by the equality of two component indices."""
        rows = n.nodes
        if len(rows) != 2 or rows[1].nodes[1].op != "Otherwise" or rows[0].nodes[1].op != "Chain":
            raise Meaningless("SR303", "cases other than i = k and otherwise", n.span)
        condition = rows[0].nodes[1]
        left, rel = condition.nodes[0], condition.nodes[1]
        if rel.head not in ("=", "!="):
            raise Meaningless("SR303", f"a case with the condition {rel.head}", n.span)
        first, second = self(rows[0].nodes[0]), self(rows[1].nodes[0])
        known = [self.indices[m.head] for m in (left, rel.nodes[0]) if m.op == "Sym" and m.head in self.indices]
        if not known:
            raise Meaningless("SR303", "a condition on indices of unknown size", condition.span)
        same = delta(self.index(left, known[0].size), self.index(rel.nodes[0], known[0].size))
        if rel.head == "!=":
            same = lift(1) - same
        return add(smul(same, first), smul(lift(1) - same, second))


# ------------------------------------------------------------------------------------------------------------------- helpers
class _Entrywise:
    """Arithmetic of the function table on expressions whose products are entrywise."""

    def __init__(self, e: Expr, ones: Expr) -> None:
        self.e, self.ones = e, ones

    @classmethod
    def slope(cls, row: object, u: Expr, v: Expr, ones: Expr) -> Expr:
        return row.derivative(cls(u, ones), cls(v, ones), lambda f, x: cls(apply(f, x.e), ones)).e  # type: ignore[attr-defined,no-any-return]

    def _other(self, o: object) -> Expr:
        return o.e if isinstance(o, _Entrywise) else smul(lift(Fraction(o)), self.ones)  # type: ignore[arg-type]

    def __add__(self, o: object) -> _Entrywise:
        return _Entrywise(add(self.e, self._other(o)), self.ones)

    __radd__ = __add__

    def __sub__(self, o: object) -> _Entrywise:
        return _Entrywise(add(self.e, negative(self._other(o))), self.ones)

    def __rsub__(self, o: object) -> _Entrywise:
        return _Entrywise(add(self._other(o), negative(self.e)), self.ones)

    def __neg__(self) -> _Entrywise:
        return _Entrywise(negative(self.e), self.ones)

    def __mul__(self, o: object) -> _Entrywise:
        return _Entrywise(had(self.e, self._other(o)), self.ones)

    __rmul__ = __mul__


def multiply(a: Expr, b: Expr) -> Expr:
    """Juxtaposition: scaling where one side is a scalar, else the matrix product (ill-shaped where a claim is wrong)."""
    if a.shape == SCALAR:
        return smul(a, b)
    if b.shape == SCALAR:
        return smul(b, a)
    return matmul(a, b)


def _spread(e: Expr, shape: Shape) -> Expr:
    """A plain number beside a vector or matrix: that number in every entry."""
    return filled(e.attr, shape) if e.op == "num" else e


def _shape(d: Declared) -> Shape:
    sizes: list[str | int] = [int(s) if s.isdigit() else s for s in d.shape]
    if d.kind == "scalar":
        return SCALAR
    if not sizes:                                                     # to be solved from the equations
        return (f"?{d.name}", 1) if d.kind == "vector" else (f"?{d.name}.1", f"?{d.name}.2")
    return (sizes[0], 1) if len(sizes) == 1 else (sizes[0], sizes[1])


def _is_distribution(d: Declared) -> bool:
    """A vector that the text writes as a function of its component, such as p(i)."""
    return d.kind == "function" and len(d.shape) == 1 and d.role is None


def _parts(n: Node, op: str) -> bool:
    return n.part(op) is not None


def _walk(n: Node) -> Iterator[Node]:
    yield n
    for a in n.nodes:
        yield from _walk(a)


def _names(n: Node) -> set[str]:
    return {m.head for m in _walk(n) if m.op == "Sym"}


def _text(n: Node) -> str:
    return str(n)


def series(terms: tuple[Node, ...], scope: Scope) -> Node:
    """A sum with dots as a sum over an index: the terms before the dots are those of 1, 2, ..., the last that of the size.

    Terms between the dots must be the same term at some index. Raises Meaningless when the terms do not agree.
    """
    stated = [t for t in terms if t.op != "Ellipsis"]
    first = stated[0]
    taken = {d.name for d in scope.table}.union(*map(_names, terms))
    var = next(name for name in (*"mlqrs", *(f"m{k}" for k in range(len(taken) + 1))) if name not in taken)
    body = _swap(first, "1", Node("Sym", (var,)))
    head = terms.index(Node("Ellipsis"))
    for k, t in enumerate(terms[:head], start=1):
        if _fill(body, var, Node("Num", (str(k),))) != t:
            raise Meaningless("SR303", "the terms before the dots are not those of 1, 2, ...", t.span)
    if terms[-1].op == "Ellipsis":
        raise Meaningless("SR303", "a sum that ends in dots", terms[-1].span)
    last = _matched(body, var, terms[-1])
    if last is None or last.op != "Sym":
        raise Meaningless("SR303", "the last term of a sum with dots is not the term of a size", terms[-1].span)
    for t in stated[head:-1]:
        if _matched(body, var, t) is None:
            raise Meaningless("SR303", "a term between the dots is not a term of the sum", t.span)
    absent = Node("Absent")
    return Node("Sum", (Node("Sym", (var,)), Node("Num", ("1",)), last, body, absent), first.span)


def _swap(n: Node, number: str, var: Node) -> Node:
    """The tree with the component ``number`` replaced by a letter wherever it is a subscript."""
    if n.op == "Index":
        return Node(n.op, tuple(var if isinstance(b, Node) and b.op == "Num" and b.head == number else b for b in n.args), n.span)
    args = tuple(_swap(a, number, var) if isinstance(a, Node) else a for a in n.args)
    return Node(n.op, args, n.span)


def _fill(n: Node, var: str, value: Node) -> Node:
    if n.op == "Sym" and n.head == var and len(n.args) == 1:
        return value
    return Node(n.op, tuple(_fill(a, var, value) if isinstance(a, Node) else a for a in n.args), n.span)


def _matched(body: Node, var: str, n: Node) -> Node | None:
    """The value of the letter for which the body is the given tree."""
    for m in _walk(n):
        if (m.op == "Sym" and len(m.args) == 1 or m.op == "Num") and _fill(body, var, m) == n:
            return m
    return None


CONSTANT = {"Ones": Node("Num", ("1",)), "Zeros": Node("Num", ("0",))}
"""A bold number in a sum is that number in every entry."""

VECTOR_FUNCTIONS: dict[str | None, Callable[[Expr], Expr]] = {
    "softmax": softmax, "diag": diag, "Diag": diag, "logsumexp": log_sum_exp,
}

Row = Callable[[Elaborator, Node], Expr]
ROWS: dict[str, Row] = {
    "Sym": lambda E, n: E.symbol(n),
    "Num": lambda E, n: lift(Fraction(n.head)),
    "Add": lambda E, n: E.sum(n.nodes),
    "Neg": lambda E, n: negative(E(n.nodes[0])),
    "Mul": lambda E, n: E.product(n.nodes),
    "Dot": lambda E, n: E.dot(n),
    "Times": lambda E, n: E.star(n),
    "Star": lambda E, n: E.star(n),
    "Had": lambda E, n: E.hadamard(n.nodes[0], n.nodes[1]),
    "Outer": lambda E, n: E.outer(n),
    "Div": lambda E, n: E.divided(n),
    "Pow": lambda E, n: E.power(n),
    "Transpose": lambda E, n: E.transposed(n),
    "Call": lambda E, n: E.call(n),
    "At": lambda E, n: E.entry(E(n.nodes[0]), n.nodes[1:], n),
    "Sum": lambda E, n: E.big_sum(n),
    "Deriv": lambda E, n: E.derive(n),
    "Grad": lambda E, n: E.gradient(n),
    "Delta": lambda E, n: E.change(n),
    "Cases": lambda E, n: E.cases(n),
    "Ones": lambda E, n: E.constant(n),
    "Zeros": lambda E, n: E.constant(n),
    **tuples.ROWS,
}
