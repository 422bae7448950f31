"""The typed expression: an immutable, hash-consed tree of operations over symbols with shapes and a time index.

Ill-shaped trees can be built, because claims may be wrong: they have ``shape None`` and a ``fault`` that says what met what.
A component index (``i``) stays free until a relation quantifies it; ``sum over i`` and ``sum over t`` bind.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any
from weakref import WeakValueDictionary

from symrnn.expr.linear import Linear, between, total_size
from symrnn.expr.sizes import SCALAR, Index, Shape, Size, Time

Number = int | Fraction


DERIVATIVES = {"adjoint": "adj", "gradient": "grad", "within": "adj", "beyond": "rest"}
"""The kinds of symbols that are derivatives of the loss, and how they are written as plain text."""


@dataclass(frozen=True, order=True)
class Symbol:
    """A named quantity. ``kind``: parameter, input, target, variable (has an equation), constant, adjoint or gradient.

    ``adjoint`` h is the total derivative of the loss by h_t, ``gradient`` W that by the parameter W; ``time`` is None for
    what does not change over time. ``within k`` and ``beyond k`` are the parts of an adjoint that a window of k steps keeps and leaves
    out.
    """

    name: str
    shape: Shape
    kind: str = "variable"
    time: Time | None = None

    def __str__(self) -> str:
        word, _, window = self.kind.partition(" ")
        steps = f"_{window}" if window.isalnum() else f"_({window})" if window else ""
        prefix = f"{DERIVATIVES[word]}{steps} " if word in DERIVATIVES else ""
        return prefix + self.name + (f"[{self.time}]" if self.time else "")

    @property
    def is_derivative(self) -> bool:
        """Whether it is a derivative of the loss by the quantity of that name, or a part of one."""
        return self.kind.partition(" ")[0] in DERIVATIVES


@dataclass(frozen=True)
class Fault:
    """Why a tree has no shape: the operation, the two shapes that met, and the operands."""

    what: str
    left: Shape | None
    right: Shape | None
    node: tuple[Any, ...] = ()

    def __str__(self) -> str:
        sizes = " and ".join(show_shape(s) for s in (self.left, self.right) if s is not None)
        return f"{self.what}: {sizes}" if sizes else self.what


def show_shape(shape: Shape | None) -> str:
    """``(n_h, 1)`` as text.

    >>> show_shape(("n_h", 1))
    'n_h x 1'
    """
    return "no shape" if shape is None else f"{shape[0]} x {shape[1]}"


class Expr:
    """One node: ``op`` (a row of the operation table), ``args``, ``attr`` (what the row says), ``shape`` or ``fault``."""

    __slots__ = ("op", "args", "attr", "shape", "fault", "_hash", "__weakref__")
    _nodes: WeakValueDictionary[tuple[Any, ...], Expr] = WeakValueDictionary()

    op: str
    args: tuple[Expr, ...]
    attr: Any
    shape: Shape | None
    fault: Fault | None

    def __new__(cls, op: str, args: tuple[Expr, ...] = (), attr: Any = None) -> Expr:
        key = (op, args, attr)
        found = cls._nodes.get(key)
        if found is not None:
            return found
        self = object.__new__(cls)
        object.__setattr__(self, "op", op)
        object.__setattr__(self, "args", args)
        object.__setattr__(self, "attr", attr)
        object.__setattr__(self, "_hash", hash(key))
        fault = next((a.fault for a in args if a.fault is not None), None)
        found_shape: Shape | Fault | None = None if fault else OPERATIONS[op].shape(args, attr)
        shape = None if isinstance(found_shape, Fault) else found_shape
        if isinstance(found_shape, Fault):
            fault = Fault(found_shape.what, found_shape.left, found_shape.right, (op, args))
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "fault", fault)
        cls._nodes[key] = self
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("expressions are immutable")

    def __hash__(self) -> int:
        return self._hash  # type: ignore[attr-defined,no-any-return]

    def __eq__(self, other: object) -> bool:
        return self is other

    def __reduce__(self) -> Any:
        return Expr, (self.op, self.args, self.attr)

    # -- arithmetic as engineers write it -------------------------------------------------------------------------------
    def __add__(self, other: Expr | Number) -> Expr:
        return add(self, like(other, self))

    def __radd__(self, other: Number) -> Expr:
        return add(like(other, self), self)

    def __sub__(self, other: Expr | Number) -> Expr:
        return add(self, negative(like(other, self)))

    def __rsub__(self, other: Number) -> Expr:
        return add(like(other, self), negative(self))

    def __neg__(self) -> Expr:
        return negative(self)

    def __matmul__(self, other: Expr) -> Expr:
        return matmul(self, other)

    def __mul__(self, other: Expr | Number) -> Expr:
        return times(self, lift(other))

    def __rmul__(self, other: Number) -> Expr:
        return times(lift(other), self)

    def __truediv__(self, other: Expr | Number) -> Expr:
        return quotient(self, lift(other))

    def __rtruediv__(self, other: Number) -> Expr:
        return quotient(lift(other), self)

    def __pow__(self, exponent: int) -> Expr:
        return power(self, exponent)

    @property
    def T(self) -> Expr:  # noqa: N802 - the name NumPy users expect
        """The transpose."""
        return transpose(self)

    def __getitem__(self, k: int) -> Expr:
        """``h[-1]``: the symbol one step earlier."""
        return shift(self, k)

    def __repr__(self) -> str:
        from symrnn.expr.show import show
        return show(self)


def node(op: str, *args: Expr, attr: Any = None) -> Expr:
    """The node itself, without any simplification (claims are kept as printed)."""
    return Expr(op, args, attr)


# ---------------------------------------------------------------------------------------------------- the operation table
@dataclass(frozen=True)
class Operation:
    """A row: the name, what it means in words, and the shape rule (a shape or a Fault)."""

    name: str
    meaning: str
    shape: Callable[[tuple[Expr, ...], Any], Shape | Fault]


def _same(what: str) -> Callable[[tuple[Expr, ...], Any], Shape | Fault]:
    def rule(args: tuple[Expr, ...], attr: Any) -> Shape | Fault:
        first = args[0].shape
        for other in args[1:]:
            if other.shape != first:
                return Fault(what, first, other.shape)
        assert first is not None
        return first
    return rule


def _matmul(args: tuple[Expr, ...], attr: Any) -> Shape | Fault:
    left, right = args[0].shape, args[1].shape
    assert left is not None and right is not None
    return (left[0], right[1]) if left[1] == right[0] else Fault("cannot multiply", left, right)


def _smul(args: tuple[Expr, ...], attr: Any) -> Shape | Fault:
    left, right = args[0].shape, args[1].shape
    assert right is not None
    return right if left == SCALAR else Fault("needs a scalar factor", left, right)


def _first(args: tuple[Expr, ...], attr: Any) -> Shape | Fault:
    assert args[0].shape is not None
    return args[0].shape


def _vector(args: tuple[Expr, ...], attr: Any) -> Shape | Fault:
    shape = args[0].shape
    assert shape is not None
    return shape if shape[1] == 1 else Fault("needs a column vector", shape, None)


def _diag(args: tuple[Expr, ...], attr: Any) -> Shape | Fault:
    shape = args[0].shape
    assert shape is not None
    return (shape[0], shape[0]) if shape[1] == 1 else Fault("diag needs a column vector", shape, None)


def _scalar_body(args: tuple[Expr, ...], attr: Any) -> Shape | Fault:
    return _first(args, attr)


def _entry(args: tuple[Expr, ...], attr: Any) -> Shape | Fault:
    shape = args[0].shape
    assert shape is not None
    for size, at in zip(shape, attr, strict=True):
        if at is None and size != 1:
            return Fault("a component needs one index for each axis", shape, None)
        if isinstance(at, Index) and at.size != size:
            return Fault(f"the index {at} runs over another size", (at.size, 1), (size, 1))
        if isinstance(at, int) and isinstance(size, int) and not 1 <= at <= size:
            return Fault(f"the component {at} does not exist", shape, None)
    return SCALAR


def _cat(args: tuple[Expr, ...], attr: Any) -> Shape | Fault:
    shapes = [a.shape for a in args]
    if any(s is None or s[1] != 1 for s in shapes):
        return Fault("only column vectors are stacked", shapes[0], shapes[-1])
    return (attr, 1)


def _jacobian(args: tuple[Expr, ...], attr: Any) -> Shape | Fault:
    """The shape of a Jacobian: row = output, column = input; of a number by a matrix it is that of the matrix, transposed."""
    name, value, k = attr
    shape = args[k].shape
    if shape is None:
        return Fault(f"{name} of something without a shape", None, None)
    if shape[1] == 1:
        return (value[0], shape[0])
    return (shape[1], shape[0]) if value == SCALAR else Fault(f"the Jacobian of {name} by a matrix", value, shape)


def _slice(args: tuple[Expr, ...], attr: Any) -> Shape | Fault:
    shape = args[0].shape
    assert shape is not None
    if shape[1] != 1:
        return Fault("only a column vector is sliced", shape, None)
    first, last = Linear.of(attr[0]), Linear.of(attr[1])
    beyond = Linear.of(shape[0]) - last
    if any(not gap.terms and gap.constant < 0 for gap in (first - 1, beyond)):
        return Fault(f"the components {attr[0]}..{attr[1]} do not all exist", shape, None)
    return (attr[2], 1)


def _square(args: tuple[Expr, ...], attr: Any) -> Shape | Fault:
    shape = args[0].shape
    assert shape is not None
    return shape if shape[0] == shape[1] else Fault("only a square matrix has powers, an inverse and an exponential", shape, None)


def _window(args: tuple[Expr, ...], attr: Any) -> Shape | Fault:
    e = args[0]
    if e.op != "sym" or e.shape != SCALAR or e.attr.time is None:
        return Fault("a window is taken of a scalar sequence", e.shape, None)
    return (attr, 1)


def _deriv(args: tuple[Expr, ...], attr: Any) -> Shape | Fault:
    top, bottom = args[0].shape, args[1].shape
    assert top is not None and bottom is not None
    if top == SCALAR:
        return bottom
    if bottom == SCALAR:
        return top
    if top[1] == 1 and bottom[1] == 1:
        return (top[0], bottom[0])
    return Fault("a derivative of rank 3 or more needs a declared vectorisation", top, bottom)


OPERATIONS: dict[str, Operation] = {row.name: row for row in (
    Operation("sym", "a symbol; attr: Symbol", lambda args, attr: attr.shape),
    Operation("num", "a rational number; attr: Fraction", lambda args, attr: SCALAR),
    Operation("size", "a size as a number; attr: Size", lambda args, attr: SCALAR),
    Operation("steps", "how many steps there are, as a number", lambda args, attr: SCALAR),
    Operation("ones", "all entries 1; attr: Shape", lambda args, attr: attr),
    Operation("zeros", "all entries 0; attr: Shape", lambda args, attr: attr),
    Operation("eye", "the identity matrix; attr: Size", lambda args, attr: (attr, attr)),
    Operation("delta", "Kronecker delta; attr: (Index or number, Index or number)", lambda args, attr: SCALAR),
    Operation("add", "sum of terms of one shape", _same("cannot add")),
    Operation("smul", "scalar times anything", _smul),
    Operation("matmul", "matrix product", _matmul),
    Operation("had", "entrywise product", _same("cannot multiply entrywise")),
    Operation("transpose", "transpose", lambda args, attr: (args[0].shape[1], args[0].shape[0])),  # type: ignore[index]
    Operation("pow", "entrywise integer power; attr: exponent", _first),
    Operation("mpow", "a power of a square matrix; attr: (Time, Time), whose difference is the exponent", _square),
    Operation("inv", "the inverse of a square matrix", _square),
    Operation("mexp", "the exponential of a square matrix, the sum of its powers over k!", _square),
    Operation("apply", "an elementwise function; attr: its name", _first),
    Operation("softmax", "softmax of a column vector", _vector),
    Operation("lse", "log of the sum of exponentials of a column vector",
              lambda args, attr: SCALAR if isinstance(_vector(args, attr), tuple) else _vector(args, attr)),
    Operation("sum", "sum of all entries", lambda args, attr: SCALAR),
    Operation("diag", "the diagonal matrix of a column vector", _diag),
    Operation("entry", "one component; attr: (row, column), each an Index, a number or None", _entry),
    Operation("isum", "sum over a component index; attr: Index", _scalar_body),
    Operation("tsum", "sum over time; attr: (letter, first Time, last Time)", _scalar_body),
    Operation("cat", "column vectors one under the other; attr: the size of the result", _cat),
    Operation("slice", "components first..last of a column vector; attr: (first, last, size of the result)", _slice),
    Operation("window", "the last values of a scalar sequence up to the step of the symbol, oldest first; attr: how many",
              _window),
    Operation("deriv", "derivative of the first by the second; attr: total, partial or immediate", _deriv),
    Operation("vcall", "an unspecified vector function; attr: (name, shape of the value)", lambda args, attr: attr[1]),
    Operation("vjac", "its Jacobian by one argument (a matrix: transposed); attr: (name, shape of the value, number of the argument)",
              _jacobian),
)}


# ------------------------------------------------------------------------------------------------------------ constructors
def lift(value: Expr | Number) -> Expr:
    """A number as an expression."""
    return value if isinstance(value, Expr) else node("num", attr=Fraction(value))


def like(value: Expr | Number, other: Expr) -> Expr:
    """A number beside a vector or matrix means that number in every entry (``1 - h**2``)."""
    if isinstance(value, Expr):
        return value
    if other.shape in (SCALAR, None):
        return lift(value)
    return filled(Fraction(value), other.shape)


def filled(value: Number, shape: Shape) -> Expr:
    """The shape with ``value`` in every entry."""
    if value == 0:
        return zeros(shape)
    return scale(value, ones(shape))


def symbol(name: str, shape: Shape = SCALAR, kind: str = "variable", time: Time | None = None) -> Expr:
    """A symbol as an expression."""
    return node("sym", attr=Symbol(name, shape, kind, time))


def ones(shape: Shape) -> Expr:
    return lift(1) if shape == SCALAR else node("ones", attr=shape)


def zeros(shape: Shape) -> Expr:
    return lift(0) if shape == SCALAR else node("zeros", attr=shape)


def eye(size: Size) -> Expr:
    return node("eye", attr=size)


def is_zero(e: Expr) -> bool:
    """Whether the node is a zero by construction."""
    return e.op == "zeros" or (e.op == "num" and e.attr == 0)


def is_one(e: Expr) -> bool:
    return e.op == "ones" or (e.op == "num" and e.attr == 1)


def add(*terms: Expr) -> Expr:
    """Sum; nested sums are flattened and zeros of the right shape dropped."""
    flat = [x for t in terms for x in (t.args if t.op == "add" else (t,))]
    kept = [t for t in flat if not is_zero(t) or t.shape != flat[0].shape]
    if not kept:
        return flat[0]
    return kept[0] if len(kept) == 1 else node("add", *kept)


def scale(factor: Number, e: Expr) -> Expr:
    """A number times an expression, numbers gathered in front."""
    factor = Fraction(factor)
    if e.op == "num":
        return lift(factor * e.attr)
    if e.op == "smul" and e.args[0].op == "num":
        return scale(factor * e.args[0].attr, e.args[1])
    if factor == 1 or is_zero(e):
        return e
    if factor == 0 and e.shape is not None:
        return zeros(e.shape)
    return node("smul", lift(factor), e)


def negative(e: Expr) -> Expr:
    if e.op == "add":
        return node("add", *(negative(t) for t in e.args))
    return scale(-1, e)


def numeric(e: Expr) -> tuple[Fraction, Expr]:
    """Split off the number in front: ``-2 W`` is ``(-2, W)``."""
    if e.op == "num":
        return e.attr, lift(1)
    if e.op == "smul" and e.args[0].op == "num":
        return e.args[0].attr, e.args[1]
    return Fraction(1), e


def collect(*terms: Expr) -> Expr:
    """Sum in which terms that differ by a number alone are one.

    >>> u, v = symbol("u", ("n", 1)), symbol("v", ("n", 1))
    >>> collect(scale(Fraction(1, 2), u), v, scale(Fraction(1, 2), u))
    u + v
    """
    whole = add(*terms)
    if whole.op != "add":
        return whole
    counts: dict[Expr, Fraction] = {}
    for term in whole.args:
        number, rest = numeric(term)
        counts[rest] = counts.get(rest, Fraction(0)) + number
    return whole if len(counts) == len(whole.args) else add(*(scale(number, rest) for rest, number in counts.items()))


def smul(factor: Expr, e: Expr) -> Expr:
    """Scalar times anything."""
    if factor.op == "num":
        return scale(factor.attr, e)
    if e.op == "num" and factor.shape == SCALAR:
        return scale(e.attr, factor)
    if e.op == "zeros" and factor.shape == SCALAR:
        return e
    c, rest = numeric(e)
    d, front = numeric(factor)
    if c * d != 1:
        return scale(c * d, smul(front, rest))
    if is_one(rest) and rest.shape == SCALAR:
        return factor
    return node("smul", factor, e)


def times(a: Expr, b: Expr) -> Expr:
    """``*``: entrywise for equal shapes, scaling when one side is a scalar."""
    if a.shape == SCALAR:
        return smul(a, b)
    return smul(b, a) if b.shape == SCALAR else had(a, b)


def matmul(a: Expr, b: Expr) -> Expr:
    """Matrix product; numbers move to the front, identities and zeros go."""
    if a.shape is None or b.shape is None or a.shape[1] != b.shape[0]:
        return node("matmul", a, b)
    if is_zero(a) or is_zero(b):
        return zeros((a.shape[0], b.shape[1]))
    if a.op == "num" or b.op == "num":
        return scale(a.attr, b) if a.op == "num" else scale(b.attr, a)
    c, x = numeric(a) if a.shape != SCALAR else (Fraction(1), a)
    d, y = numeric(b) if b.shape != SCALAR else (Fraction(1), b)
    if c * d != 1:
        return scale(c * d, matmul(x, y))
    if a.op == "eye":
        return b
    return a if b.op == "eye" else node("matmul", a, b)


def had(a: Expr, b: Expr) -> Expr:
    """Entrywise product."""
    if a.shape != b.shape or a.shape is None:
        return node("had", a, b)
    if a.shape == SCALAR:
        return smul(a, b)
    if is_zero(a) or is_one(b):
        return a
    if is_zero(b) or is_one(a):
        return b
    (c, x), (d, y) = numeric(a), numeric(b)
    return scale(c * d, had(x, y)) if c * d != 1 else node("had", a, b)


def transpose(e: Expr) -> Expr:
    if e.op == "transpose":
        return e.args[0]
    if e.shape == SCALAR or e.op in ("eye", "diag"):
        return e
    if e.op in ("zeros", "ones"):
        return node(e.op, attr=e.attr[::-1])
    c, rest = numeric(e)
    return scale(c, transpose(rest)) if c != 1 else node("transpose", e)


def power(e: Expr, exponent: int) -> Expr:
    """Entrywise power."""
    return e if exponent == 1 else node("pow", e, attr=int(exponent))


def apply(name: str, e: Expr) -> Expr:
    """An elementwise function of the table, or an unspecified one (``?f``)."""
    return e if name == "id" else node("apply", e, attr=name)


def quotient(a: Expr, b: Expr) -> Expr:
    """``a / b``: entrywise, or by a scalar."""
    if b.op == "num" and b.attr != 0:
        return scale(1 / b.attr, a)
    return times(a, apply("recip", b)) if not is_one(a) or a.shape != SCALAR else apply("recip", b)


def softmax(e: Expr) -> Expr:
    return node("softmax", e)


def log_sum_exp(e: Expr) -> Expr:
    return node("lse", e)


def total(e: Expr) -> Expr:
    """The sum of all entries."""
    return e if e.shape == SCALAR else node("sum", e)


def diag(e: Expr) -> Expr:
    return node("diag", e)


def entry(e: Expr, row: Index | int | None = None, column: Index | int | None = None) -> Expr:
    """The component with the given indices (counted from 1)."""
    return node("entry", e, attr=(row, column))


def delta(i: Index | int, j: Index | int) -> Expr:
    """Kronecker's delta."""
    return lift(1) if i == j else node("delta", attr=tuple(sorted((i, j), key=str)))


def window(last: Expr, size: Size) -> Expr:
    """The last ``size`` values of a scalar sequence, oldest first: for ``x[t]`` the column (x[t-size+1], ..., x[t]).

    >>> from symrnn.expr.sizes import NOW
    >>> window(symbol("x", SCALAR, "input", NOW), "p"), window(symbol("x", SCALAR, "input", NOW), "p").shape
    (window(x[t], p), ('p', 1))
    """
    return node("window", last, attr=size)


def stack(*parts: Expr) -> Expr:
    """Column vectors and scalars one under the other.

    >>> stack(symbol("h", ("n-1", 1)), symbol("x")).shape
    ('n', 1)
    """
    return node("cat", *parts, attr=total_size(*(p.shape[0] for p in parts if p.shape is not None)))


def extents(e: Expr) -> tuple[tuple[Size, Size], ...]:
    """The first and the last component of each part of a stack, counted from 1.

    >>> extents(stack(symbol("h", ("n", 1)), symbol("x"), symbol("y", ("m", 1))))
    ((1, 'n'), ('n+1', 'n+1'), ('n+2', 'm+n+1'))
    """
    ends = [Linear()]
    for a in e.args:
        assert a.shape is not None
        ends.append(ends[-1] + Linear.of(a.shape[0]))
    return tuple(((start + 1).size, end.size) for start, end in pairwise(ends))


def part(e: Expr, first: Size, last: Size) -> Expr:
    """The components ``first`` to ``last`` of a column vector, counted from 1.

    >>> part(symbol("h", ("p", 1)), 2, "p").shape
    ('p-1', 1)
    """
    size = between(first, last)
    return zeros((size, 1)) if is_zero(e) else node("slice", e, attr=(first, last, size))


def index_sum(index: Index, body: Expr) -> Expr:
    return node("isum", body, attr=index)


def time_sum(letter: str, first: Time, last: Time, body: Expr) -> Expr:
    return node("tsum", body, attr=(letter, first, last))


def derivative(top: Expr, bottom: Expr, mode: str = "total") -> Expr:
    """The derivative of ``top`` by ``bottom`` in the layout of the house: rows of the output, columns of the input."""
    return node("deriv", top, bottom, attr=mode)


#: op -> constructor from (args, attr): rebuilding a tree after its parts changed simplifies only what the constructors say.
BUILD: dict[str, Callable[[tuple[Expr, ...], Any], Expr]] = {
    "add": lambda a, _: add(*a), "smul": lambda a, _: smul(*a), "matmul": lambda a, _: matmul(*a), "had": lambda a, _: had(*a),
    "transpose": lambda a, _: transpose(*a), "pow": lambda a, n: power(a[0], n), "apply": lambda a, f: apply(f, a[0]),
    "sum": lambda a, _: total(*a), "slice": lambda a, n: zeros((n[2], 1)) if is_zero(a[0]) else Expr("slice", a, n),
}


def rebuild(e: Expr, args: tuple[Expr, ...]) -> Expr:
    """The node with other arguments."""
    if args == e.args:
        return e
    maker = BUILD.get(e.op)
    return maker(args, e.attr) if maker else Expr(e.op, args, e.attr)


# --------------------------------------------------------------------------------------------------------------- traversal
def walk(e: Expr) -> Iterator[Expr]:
    """Every distinct node, arguments before the nodes that use them."""
    seen: set[Expr] = set()
    stack: list[tuple[Expr, bool]] = [(e, False)]
    while stack:
        x, ready = stack.pop()
        if ready:
            yield x
        elif x not in seen:
            seen.add(x)
            stack.append((x, True))
            stack.extend((a, False) for a in reversed(x.args))


def transform(e: Expr, change: Callable[[Expr], Expr | None]) -> Expr:
    """Rebuild bottom-up; ``change`` returns the replacement of a node (its arguments already changed) or None to keep it."""
    done: dict[Expr, Expr] = {}
    for x in walk(e):
        y = rebuild(x, tuple(done[a] for a in x.args))
        z = change(y)
        done[x] = y if z is None else z
    return done[e]


def symbols(e: Expr) -> tuple[Symbol, ...]:
    """The symbols that occur, in order of first appearance."""
    return tuple(dict.fromkeys(x.attr for x in walk(e) if x.op == "sym"))


def retime(e: Expr, move: Callable[[Time], Time]) -> Expr:
    """Move every free time index (letters bound by a time sum are left alone)."""
    return _retime(e, move, frozenset(), {})


def _retime(e: Expr, move: Callable[[Time], Time], bound: frozenset[str],
            memo: dict[tuple[Expr, frozenset[str]], Expr]) -> Expr:
    key = (e, bound)
    if key in memo:
        return memo[key]
    if e.op == "sym":
        s: Symbol = e.attr
        free = s.time is not None and s.time.base not in bound
        out = node("sym", attr=Symbol(s.name, s.shape, s.kind, move(s.time))) if free and s.time else e
    elif e.op == "mpow":
        ends = tuple(x if x.base in bound else move(x) for x in e.attr)
        out = Expr("mpow", (_retime(e.args[0], move, bound, memo),), ends)
    elif e.op == "tsum":
        letter, lo, hi = e.attr
        body = e.args[0]
        while any(move(t).base == letter for t in free_steps(body, bound | {letter})):
            old, letter = letter, letter + "'"                      # what moves here must not be caught by the letter of the sum
            body = _retime(body, partial(_relettered, old, letter), bound, {})
        body = _retime(body, move, bound | {letter}, memo)
        ends = tuple(x if x.base in bound else move(x) for x in (lo, hi))
        out = Expr("tsum", (body,), (letter, *ends))
    else:
        out = rebuild(e, tuple(_retime(a, move, bound, memo) for a in e.args))
    memo[key] = out
    return out


def _relettered(old: str, new: str, time: Time) -> Time:
    return Time(new, time.offset) if time.base == old else time


def own_steps(e: Expr) -> tuple[Time, ...]:
    """The steps that a node itself names: that of a symbol, the two of an exponent, the last one where they are counted."""
    if e.op == "mpow":
        return e.attr  # type: ignore[no-any-return]
    if e.op == "steps":
        return (Time("T"),)
    return (e.attr.time,) if e.op == "sym" and e.attr.time is not None else ()


def free_steps(e: Expr, bound: frozenset[str] = frozenset()) -> Iterator[Time]:
    """The steps of symbols and exponents whose letters no sum binds."""
    yield from (time for time in own_steps(e) if time.base not in bound)
    inner = bound | {e.attr[0]} if e.op == "tsum" else bound
    for a in e.args:
        yield from free_steps(a, inner)


def shift(e: Expr, k: int, base: str = "t") -> Expr:
    """The expression ``k`` steps later.

    >>> from symrnn.expr.sizes import NOW
    >>> shift(symbol("h", ("n", 1), time=NOW), -1)
    h[t-1]
    """
    return retime(e, lambda time: time + k if time.base == base else time) if k else e


def fix_time(e: Expr, letter: str, time: Time) -> Expr:
    """The expression with ``letter`` replaced by ``time``."""
    return retime(e, lambda x: time + x.offset if x.base == letter else x)
