"""Number systems behind one protocol over NumPy arrays, and the first of them: a prime field with function oracles.

The systems of real numbers are in :mod:`symrnn.prove.reals`. A system tells how a rational number, an elementwise function,
softmax and log-sum-exp are represented; sums and products are NumPy's own, followed by :meth:`System.reduce`. A value outside a
domain raises :class:`BadPoint`: another point must be taken.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from typing import Any

import numpy as np

from symrnn.expr.functions import function

Array = np.ndarray[Any, Any]
Number = int | Fraction


class BadPoint(Exception):
    """A function left its domain at this point (log of a negative number, 1/0, a kink); the message says which."""


class System:
    """The protocol, with what most systems share."""

    name = ""
    dtype: Any = object

    def number(self, q: Number) -> Any:
        """A rational number as an element."""
        raise NotImplementedError

    def element(self, name: str, x: Any) -> Any:
        """An elementwise function at one element."""
        raise NotImplementedError

    def different(self, a: Array, b: Array) -> Array:
        """Where two arrays differ for certain (in floats: by more than rounding)."""
        raise NotImplementedError

    def text(self, x: Any) -> str:
        """An element as text."""
        return enclosure(Fraction(x), Fraction(x)) if isinstance(x, int | Fraction) else str(x)

    def reduce(self, a: Array) -> Array:
        """The canonical form after sums and products."""
        return a

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Work inside this, so that the precision of a library is set and put back."""
        yield

    def full(self, shape: tuple[int, ...], value: Number) -> Array:
        out = np.empty(shape, dtype=self.dtype)
        out.fill(self.number(value))
        return out

    def array(self, rows: list[list[Number]]) -> Array:
        """Rows of rational numbers as a matrix."""
        out = np.empty((len(rows), len(rows[0])), dtype=self.dtype)
        for i, row in enumerate(rows):
            for j, q in enumerate(row):
                out[i, j] = self.number(q)
        return out

    def apply(self, name: str, u: Array) -> Array:
        """An elementwise function, entry by entry. Raises BadPoint outside the domain, Unsupported for an unknown function."""
        out = np.empty(u.shape, dtype=self.dtype)
        flat = out.reshape(-1)
        for k, x in enumerate(u.reshape(-1).tolist()):
            flat[k] = self.element(name, x)
        return out

    def softmax(self, u: Array) -> Array:
        e = self.apply("exp", u)
        return self.reduce(e * self.apply("recip", self.reduce(e.sum(-2, keepdims=True))))

    def log_sum_exp(self, u: Array) -> Array:
        return self.apply("log", self.reduce(self.apply("exp", u).sum(-2, keepdims=True)))

    def vector_function(self, name: str, args: list[list[Any]], shape: tuple[int, int]) -> Array:
        """An unspecified vector function (or its Jacobian, ``F by k``) at one tuple of arguments.

        In the reals it is one fixed function: each entry a sum of small multiples of the arguments and of their squares. What
        fails for it fails for unspecified functions; a field uses oracles instead.
        """
        base, _, by = name.partition(" by ")
        shift = sum(map(ord, base)) % 5                               # another function for another name
        flat = [(n, x) for n, arg in enumerate(args) for row in arg for x in row]
        out = np.empty(shape, dtype=self.dtype)
        chosen = [x for n, x in flat if by and n == int(by)]
        for i, j in np.ndindex(*shape):
            weight = self.weight(base, i, shift)
            if by:
                first = next(k for k, (n, _) in enumerate(flat) if n == int(by))
                a, b = weight(first + j)
                out[i, j] = self.number(a) + self.number(2 * b) * chosen[j]
            else:
                terms = [self.number(a) * x + self.number(b) * x * x for k, (_, x) in enumerate(flat) for a, b in [weight(k)]]
                out[i, j] = sum(terms[1:], terms[0])
        return out

    @staticmethod
    def instance_text(name: str) -> str:
        """The instance of an unspecified vector function in words."""
        shift = sum(map(ord, name)) % 5
        return (f"entry i is the sum over k of a u_k + b u_k^2 with a = (2i + 3k + {shift}) mod 5 - 1 and b = (i + k + {shift}) mod 3 + 1, "
                "i and k from 0")

    @staticmethod
    def weight(name: str, row: int, shift: int) -> Callable[[int], tuple[int, int]]:
        """The multiples of an argument and of its square in one entry of the instance of an unspecified vector function."""
        return lambda k: ((2 * row + 3 * k + shift) % 5 - 1, (row + k + shift) % 3 + 1)


# ------------------------------------------------------------------------------------------------------------ the prime field
@dataclass(frozen=True)
class Closed:
    """A function that is a rational function of oracles: its rule and the degrees (top, bottom) in them."""

    rule: Callable[[Field, int], int]
    top: int
    bottom: int


class Field(System):
    """Integers modulo a prime; elementwise functions are consistent random oracles, fixed by ``key``.

    An oracle keeps the parity and the value at zero of the table. Functions of the exponential family are the rational
    functions of one oracle that they are over the reals, and a table of the point keeps log and exp inverse to each other; so
    what is equal here is equal over the reals, up to the error bound of :mod:`symrnn.prove.degrees`. ``pattern`` None makes
    ``step`` an oracle like any other; a number makes its values the bits of that number, in order of appearance.
    """

    name = "the prime field"

    def __init__(self, prime: int, key: bytes, pattern: int | None = None) -> None:
        self.prime, self.key, self.pattern = prime, key, pattern
        self.half = prime // 2
        self.steps: dict[int, int] = {}
        self._known: dict[tuple[str, int], int] = {}
        self._exp, self._log = {0: 1}, {1: 0}

    def number(self, q: Number) -> int:
        if isinstance(q, int):
            return q % self.prime
        return q.numerator * self.inverse(q.denominator % self.prime) % self.prime

    def reduce(self, a: Array) -> Array:
        return a % self.prime

    def different(self, a: Array, b: Array) -> Array:
        return np.asarray((a - b) % self.prime != 0, dtype=bool)

    def inverse(self, x: int) -> int:
        if x == 0:
            raise BadPoint("1/0")
        return pow(x, -1, self.prime)

    def hash(self, *parts: Any) -> int:
        """A field element fixed by the key and the parts."""
        text = "\0".join(map(str, parts)).encode()
        return int.from_bytes(blake2b(text, key=self.key[:64], digest_size=16).digest(), "big") % self.prime

    def element(self, name: str, x: int) -> int:
        x %= self.prime
        known = self._known.get((name, x))
        if known is None:
            closed = CLOSED.get(name)
            known = self._known[name, x] = closed.rule(self, x) if closed else self.oracle(name, x)
        return known

    def oracle(self, name: str, x: int) -> int:
        """A value that depends on nothing but the argument, with the parity and the value at zero of the table."""
        row = function(name)
        if x == 0 and row.zero is not None:
            return self.number(Fraction(row.zero))
        if x == 0 and row.domain != "reals":
            raise BadPoint(f"{name}(0)")
        if row.parity is None or x <= self.half:
            return self.hash(name, x)
        return PARITY[row.parity](self, self.oracle(name, self.prime - x))

    def exp(self, x: int) -> int:
        value = self._exp.get(x)
        if value is None:
            mirror = self._exp.get((-x) % self.prime)
            value = self.oracle("exp", x) if mirror is None else self.inverse(mirror)
            self.relate(x, value)
        return value

    def log(self, x: int) -> int:
        value = self._log.get(x)
        if value is None:
            mirror = self._log.get(self.inverse(x))
            value = self.hash("log", x) if mirror is None else -mirror % self.prime
            self.relate(value, x)
        return value

    def relate(self, x: int, value: int) -> None:
        """Remember exp(x) = value, unless either is known."""
        if x not in self._exp and value not in self._log:
            self._exp[x], self._log[value] = value, x

    def step(self, x: int) -> int:
        if x not in self.steps:
            k = len(self.steps)
            self.steps[x] = self.hash("step", x) if self.pattern is None else self.pattern >> k & 1
        return self.steps[x] if x else 0

    def sigmoid(self, x: int) -> int:
        e = self.exp(x)
        value = e * self.inverse((1 + e) % self.prime) % self.prime
        self.relate((x - self.log(1 + e)) % self.prime, value)
        return value

    def ratio(self, top: int, bottom: int) -> int:
        return top * self.inverse(bottom % self.prime) % self.prime

    def half_tangent(self, x: int) -> int:
        """tan(x/2) as an odd oracle, so that sin^2 + cos^2 = 1."""
        if x == 0:
            return 0
        return self.hash("tan-half", x) if x <= self.half else -self.hash("tan-half", self.prime - x)

    def softmax(self, u: Array) -> Array:
        p = super().softmax(u)
        logs = self.reduce(u - self.log_sum_exp(u))
        for x, value in zip(logs.reshape(-1).tolist(), p.reshape(-1).tolist(), strict=True):
            self.relate(x, value)
        return p

    def vector_function(self, name: str, args: list[list[Any]], shape: tuple[int, int]) -> Array:
        out = np.empty(shape, dtype=object)
        for i, j in np.ndindex(*shape):
            out[i, j] = self.hash("vector", name, i, j, args)
        return out


PARITY: dict[str, Callable[[Field, int], int]] = {
    "odd": lambda f, v: -v % f.prime, "even": lambda f, v: v, "complement": lambda f, v: (1 - v) % f.prime,
    "reciprocal": lambda f, v: f.inverse(v),
}

CLOSED: dict[str, Closed] = {
    "id": Closed(lambda f, x: x, 1, 0),
    "recip": Closed(lambda f, x: f.inverse(x), 0, 1),
    "exp": Closed(lambda f, x: f.exp(x), 1, 0),
    "log": Closed(lambda f, x: f.log(x), 1, 0),
    "step": Closed(lambda f, x: f.step(x), 1, 0),
    "relu": Closed(lambda f, x: x * f.step(x) % f.prime, 1, 0),
    "tanh": Closed(lambda f, x: f.ratio(f.exp(x) ** 2 - 1, f.exp(x) ** 2 + 1), 2, 2),
    "sigmoid": Closed(lambda f, x: f.sigmoid(x), 1, 1),
    "softplus": Closed(lambda f, x: f.log((1 + f.exp(x)) % f.prime), 1, 0),
    "sinh": Closed(lambda f, x: f.ratio(f.exp(x) ** 2 - 1, 2 * f.exp(x)), 2, 1),
    "cosh": Closed(lambda f, x: f.ratio(f.exp(x) ** 2 + 1, 2 * f.exp(x)), 2, 1),
    "sin": Closed(lambda f, x: f.ratio(2 * f.half_tangent(x), 1 + f.half_tangent(x) ** 2), 2, 2),
    "cos": Closed(lambda f, x: f.ratio(1 - f.half_tangent(x) ** 2, 1 + f.half_tangent(x) ** 2), 2, 2),
}


PRINTED = 2**200
"""An exact number with a greater numerator or denominator is shown as an enclosure."""


def enclosure(low: Fraction, high: Fraction, digits: int = 12, longest: int = PRINTED) -> str:
    """An interval as text: exact where it is one number whose denominator is at most ``longest``, else with ``digits`` digits that hold it.

    >>> enclosure(Fraction(1, 3), Fraction(1, 3)), enclosure(Fraction(1, 3), Fraction(2, 5), 3)
    ('1/3', '0.367 +/- 100e-3')
    >>> enclosure(Fraction(3)**9999, Fraction(3)**9999)
    '5.43783395114e4770 +/- 1e4759'
    """
    if low == high and low.denominator <= longest and abs(low.numerator) <= PRINTED:
        return str(low)
    size = _magnitude(max(abs(low), abs(high)))
    unit = Fraction(10) ** (size - digits + 1)
    middle = round((low + high) / 2 / unit)
    radius = 1
    while not (middle - radius) * unit <= low <= high <= (middle + radius) * unit:
        radius *= 10
    if -6 <= size < digits:
        return f"{_decimal(middle, digits - 1 - size)} +/- {radius}e{size - digits + 1}"
    return f"{_decimal(middle, digits - 1)}e{size} +/- {radius}e{size - digits + 1}"


def _magnitude(x: Fraction) -> int:
    """The power of ten of the first digit of x > 0.

    >>> _magnitude(Fraction(123)), _magnitude(Fraction(1, 50))
    (2, -2)
    """
    k = (x.numerator.bit_length() - x.denominator.bit_length()) * 30103 // 100000
    while Fraction(10) ** k > x:
        k -= 1
    while Fraction(10) ** (k + 1) <= x:
        k += 1
    return k


def _decimal(n: int, places: int) -> str:
    """n / 10^places in positional notation, for places >= 0."""
    digits = str(abs(n)).rjust(places + 1, "0")
    whole, part = digits[:len(digits) - places], digits[len(digits) - places:]
    return ("-" if n < 0 else "") + whole + ("." + part if part else "")
