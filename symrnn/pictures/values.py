"""Concrete numbers for a model, the same on every machine: parameters that follow from a text, exact until they are rounded.

A square matrix that meets an earlier state is a multiple of an orthogonal one (Cayley's form, exact in rationals), so that its
norm is known and nothing but the model shrinks or stretches what passes through it.
"""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from symrnn.expr import Expr, walk
from symrnn.lastloss import AT_END
from symrnn.model import Model
from symrnn.points import stream
from symrnn.prove.claim import Condition
from symrnn.prove.evaluate import Point
from symrnn.prove.numbers import Number
from symrnn.prove.reals import Decimals, instances

Rows = list[list[Fraction]]


class Rounded(Decimals):
    """Real and complex numbers of so many bits, rounded in software after each operation, so the same on every machine."""

    name = "rounded"

    def __init__(self, model: Model, bits: int) -> None:
        super().__init__(instances=instances(x.attr for e in model.equations for x in walk(e.right) if x.op == "apply"))
        self.library.prec = bits

    def number(self, q: Number | Any) -> Any:
        """A rational number rounded; what is a number of the library already, as it is."""
        return self.library.mpf(q.numerator) / q.denominator if isinstance(q, int | Fraction) else q

    def positive(self, x: Any) -> bool:
        """Of a complex number, whether its real part is."""
        return bool(x.real > 0)


@dataclass(frozen=True)
class Draws:
    """The values of a model's free symbols, drawn from a text.

    ``scale`` is the norm of the parameters that meet an earlier state, ``small`` bounds inputs, first states and biases; ``fixed``
    holds the rows of what is not drawn, by name and step; ``later`` is added to every step.
    """

    text: str
    recurrent: frozenset[str] = frozenset()
    scale: Fraction = Fraction(1)
    small: Fraction = Fraction(1)
    fixed: Mapping[tuple[str, int | None], list[list[Any]]] = field(default_factory=dict)
    later: int = 0

    def __call__(self, name: str, step: int | None, shape: tuple[int, int], simplex: bool) -> list[list[Number]]:
        """The rows of one symbol."""
        if (name, step) in self.fixed:
            return self.fixed[name, step]
        numbers = between(f"{self.text} {name} {step if step is None else step + self.later}")
        rows = [[next(numbers) for _ in range(shape[1])] for _ in range(shape[0])]
        if simplex:
            whole = sum(abs(x) for row in rows for x in row)
            return [[abs(x) / whole for x in row] for row in rows]
        if name in self.recurrent:
            return scaled(rows, self.scale)  # type: ignore[return-value]
        return [[self.small * x for x in row] for row in rows] if step is not None or shape[1] == 1 else rows  # type: ignore[return-value]


def between(text: str) -> Iterator[Fraction]:
    """Multiples of 1/64 from -1 to 1, none of them zero, that follow from a text.

    >>> numbers = between("an example")
    >>> [str(next(numbers)) for _ in range(3)]
    ['31/32', '31/64', '3/4']
    """
    numbers = stream(text)
    while True:
        k = 1 + next(numbers) % 63
        yield Fraction(k if next(numbers) % 2 else -k, 64)


def scaled(rows: Rows, scale: Fraction) -> Rows:
    """The matrix of this norm that rows of numbers lead to: orthogonal up to the scale where it is square.

    >>> scaled([[Fraction(3)]], Fraction(1, 2))
    [[Fraction(1, 2)]]
    """
    n, m = len(rows), len(rows[0])
    if n == m:
        return [[scale * x for x in row] for row in orthogonal(rows)]
    size = sum(x * x for row in rows for x in row)
    factor = scale / Fraction(round(float(size) ** 0.5 * 2**20 + 1), 2**20)        # of the Frobenius norm: no more than the scale
    return [[factor * x for x in row] for row in rows]


def orthogonal(rows: Rows) -> Rows:
    """(1 - A)(1 + A)^-1 for the skew part A of a square matrix: orthogonal, and exact.

    >>> q = orthogonal([[Fraction(0), Fraction(1)], [Fraction(-1), Fraction(0)]])
    >>> [[str(x) for x in row] for row in q]
    [['0', '-1'], ['1', '0']]
    """
    n = len(rows)
    skew = [[(rows[i][j] - rows[j][i]) / 2 for j in range(n)] for i in range(n)]
    one = [[Fraction(i == j) for j in range(n)] for i in range(n)]
    left = [[one[i][j] + skew[i][j] for j in range(n)] for i in range(n)]
    right = [[one[i][j] - skew[i][j] for j in range(n)] for i in range(n)]
    return solved(left, right)                                        # the two factors commute


def solved(a: Rows, b: Rows) -> Rows:
    """a^-1 b, by elimination; ``1 + A`` of a skew A has no zero pivot."""
    work = [[*x, *y] for x, y in zip(a, b, strict=True)]
    n = len(a)
    for k in range(n):
        work[k] = [x / work[k][k] for x in work[k]]
        for i in range(n):
            if i != k and work[i][k]:
                work[i] = [x - work[i][k] * y for x, y in zip(work[i], work[k], strict=True)]
    return [row[n:] for row in work]


def sizes(m: Model, state: int = 4) -> dict[str, int]:
    """Numbers for the sizes of a model: ``state`` for those of states, small distinct ones for others."""
    of_states = {d for s in m.states for d in s.shape if isinstance(d, str)}
    others = [d for d in m.sizes if d not in of_states]
    return {d: state if d in of_states else 2 + others.index(d) for d in m.sizes}


def recurrent(m: Model) -> frozenset[str]:
    """The parameters that multiply something of an earlier step."""
    return frozenset(x.args[0].attr.name for e in m.equations for x in walk(e.right) if x.op == "matmul"
                     and x.args[0].op == "sym" and x.args[0].attr.kind == "parameter" and earlier(x.args[1]))


def earlier(e: Expr) -> bool:
    """Whether an expression has a variable of an earlier step."""
    return any(x.op == "sym" and x.attr.kind == "variable" and x.attr.time is not None and x.attr.time.offset < 0 for x in walk(e))


def point(m: Model, T: int, draws: Draws, system: Decimals, state: int = 4) -> Point:  # noqa: N803
    """The model at these numbers, over T steps."""
    ends = tuple(Condition("at-end", (s.name,), "the loss is that of the last step") for s in m.inputs if s.name == AT_END)
    return Point(m, system, sizes(m, state), T, draws, ends)
