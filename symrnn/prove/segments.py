"""Vectors as lists of segments: runs of a sequence, pieces of other vectors, zeros; with bounds that are linear in the sizes.

A slice cuts the list and a stack joins lists; neighbours that continue each other become one. So two vectors with one list are
equal for all sizes: the list of ``(h[2:p], x_t)`` is that of a window of x once h is a window that ends one step earlier.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from symrnn.expr import SCALAR, Expr, Linear, Symbol, Time, is_zero, node, part, stack, window, zeros
from symrnn.prove.claim import Unsupported

ONE = Linear((), 1)


@dataclass(frozen=True)
class Run:
    """A scalar sequence at the steps ``first`` to ``last``, both added to the base of the time of ``of``."""

    of: Symbol
    first: Linear
    last: Linear

    @property
    def length(self) -> Linear:
        return self.last - self.first + 1

    def cut(self, first: Linear, last: Linear) -> Run:
        return Run(self.of, self.first + first - 1, self.first + last - 1)

    def join(self, other: object) -> Run | None:
        fits = isinstance(other, Run) and other.of == self.of and other.first == self.last + 1
        return Run(self.of, self.first, other.last) if fits else None  # type: ignore[attr-defined]

    def expr(self) -> Expr:
        if self.last.terms:
            raise Unsupported("a run of steps that ends at a size")
        assert self.of.time is not None
        end = node("sym", attr=replace(self.of, time=Time(self.of.time.base, self.last.constant)))
        return end if self.length == ONE else window(end, self.length.size)


@dataclass(frozen=True)
class Piece:
    """The components ``first`` to ``last`` of a vector that is not taken apart."""

    of: Expr
    first: Linear
    last: Linear

    @property
    def length(self) -> Linear:
        return self.last - self.first + 1

    def cut(self, first: Linear, last: Linear) -> Piece:
        return Piece(self.of, self.first + first - 1, self.first + last - 1)

    def join(self, other: object) -> Piece | None:
        fits = isinstance(other, Piece) and other.of is self.of and other.first == self.last + 1
        return Piece(self.of, self.first, other.last) if fits else None  # type: ignore[attr-defined]

    def expr(self) -> Expr:
        assert self.of.shape is not None
        whole = self.first == ONE and self.last == Linear.of(self.of.shape[0])
        return self.of if whole else part(self.of, self.first.size, self.last.size)


@dataclass(frozen=True)
class Zeros:
    """Zeros."""

    length: Linear

    def cut(self, first: Linear, last: Linear) -> Zeros:
        return Zeros(last - first + 1)

    def join(self, other: object) -> Zeros | None:
        return Zeros(self.length + other.length) if isinstance(other, Zeros) else None

    def expr(self) -> Expr:
        return zeros((self.length.size, 1))


Segment = Run | Piece | Zeros
Segments = tuple[Segment, ...]


@dataclass
class Segmenter:
    """Takes columns apart. ``zero`` says of a symbol at its step whether a fact makes it zero; ``outside`` collects what must
    not be negative and is, for small sizes: such sizes lie outside the claim.

    >>> from symrnn.expr import NOW, symbol
    >>> x, h = symbol("x", SCALAR, "input", NOW), window(symbol("x", SCALAR, "input", NOW), "p")
    >>> Segmenter(lambda s: False).normal(stack(part(h[-1], 2, "p"), x))
    window(x[t], p)
    """

    zero: Callable[[Symbol], bool]
    outside: dict[str, None] = field(default_factory=dict)

    def normal(self, e: Expr) -> Expr:
        """The column written from its list of segments: equal lists give one expression."""
        found = self.segments(e)
        if not found:
            raise Unsupported("a vector without components")
        return found[0].expr() if len(found) == 1 else stack(*(s.expr() for s in found))

    def segments(self, e: Expr) -> Segments:
        """The list of a column or scalar. Raises Unsupported where sizes cannot be compared."""
        if e.shape is None or e.shape[1] != 1:
            raise Unsupported(f"{e}, which is no column vector")
        size = Linear.of(e.shape[0])
        match e.op:
            case "cat":
                found = merged([s for a in e.args for s in self.segments(a)])
                if extent(found) != size:
                    raise Unsupported(f"a stack of {extent(found)} components that is said to have {size}")
                return found
            case "slice":
                first, last = Linear.of(e.attr[0]), Linear.of(e.attr[1])
                if last - first + 1 != size:
                    raise Unsupported(f"the components {first}..{last}, which are not {size}")
                inner = self.segments(e.args[0])
                for gap in (first - 1, last - first + 1, extent(inner) - last):
                    self.need(gap)
                return self.cut(inner, first, last)
            case "window":
                return self.run(e.args[0].attr, size)
            case "sym" if e.shape == SCALAR and e.attr.time is not None and e.attr.kind not in ("adjoint", "gradient"):
                return self.run(e.attr, ONE)
            case "sym" if self.zero(e.attr):
                return (Zeros(size),)
        return (Zeros(size),) if is_zero(e) else (Piece(e, ONE, size),)

    def run(self, s: Symbol, size: Linear) -> Segments:
        """The run of a window; zeros where a fact says so of its last step and so of all earlier ones."""
        assert s.time is not None
        if self.zero(s) and (size == ONE or self.before(s)):
            return (Zeros(size),)
        last = Linear((), s.time.offset)
        return (Run(replace(s, time=Time(s.time.base, 0)), last - size + 1, last),)

    def before(self, s: Symbol) -> bool:
        """Whether a symbol stands before the first step, so that what holds of it holds of all earlier steps."""
        return s.time is not None and not s.time.base and s.time.offset <= 0 and self.zero(replace(s, time=s.time - 1))

    def need(self, gap: Linear) -> None:
        """Record that ``gap`` is not negative."""
        if gap.least is not None and gap.least >= 0:
            return
        if not gap.somewhere:
            raise Unsupported(f"{gap}, which must not be negative")
        self.outside[f"sizes with {gap} < 0"] = None

    def cut(self, found: Segments, first: Linear, last: Linear) -> Segments:
        """The components ``first`` to ``last`` of a list."""
        if len(found) == 1:
            return merged([found[0].cut(first, last)])
        out: list[Segment] = []
        start = Linear()
        for s in found:
            low, high = greater(first, start + 1), lesser(last, start + s.length)
            if not at_most(high, low - 1):
                out.append(s.cut(low - start, high - start))
            start += s.length
        return merged(out)


def at_most(a: Linear, b: Linear) -> bool:
    """Whether a <= b for all sizes (false: b <= a for all sizes). Raises Unsupported when it depends on the sizes."""
    for x, y, answer in ((a, b, True), (b, a, False)):
        least = (y - x).least
        if least is not None and least >= 0:
            return answer
    raise Unsupported(f"whether {a} is at most {b}, which depends on the sizes")


def greater(a: Linear, b: Linear) -> Linear:
    return b if at_most(a, b) else a


def lesser(a: Linear, b: Linear) -> Linear:
    return a if at_most(a, b) else b


def extent(found: Segments) -> Linear:
    """The number of components."""
    out = Linear()
    for s in found:
        out += s.length
    return out


def merged(found: list[Segment]) -> Segments:
    """The list with neighbours that continue each other made one, and without empty segments."""
    out: list[Segment] = []
    for s in found:
        if s.length == Linear():
            continue
        joined = out[-1].join(s) if out else None
        if joined is not None:
            out[-1] = joined
        else:
            out.append(s)
    return tuple(out)
