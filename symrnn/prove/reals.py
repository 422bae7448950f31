"""Systems of real numbers: exact rationals, decimals of 50 digits, rigorous balls, floats.

An unspecified function has no value in the reals; it is represented by a fixed polynomial, its :class:`Instance`.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import Any

import numpy as np

from symrnn.expr.functions import TABLE, is_unspecified
from symrnn.prove.claim import Unsupported
from symrnn.prove.numbers import Array, BadPoint, Number, System, enclosure


@dataclass(frozen=True)
class Instance:
    """A polynomial that stands for an unspecified function in a system of real numbers.

    >>> print(INSTANCES[0], "at 1:", INSTANCES[0](Fraction(1), Fraction), "slope:", INSTANCES[0](Fraction(1), Fraction, 1))
    u + u^2/2 at 1: 3/2 slope: 2
    """

    coefficients: tuple[Fraction, ...]

    def __call__(self, u: Any, number: Callable[[Fraction], Any], order: int = 0) -> Any:
        """The derivative of the given order at ``u``; ``number`` makes an element of a rational number."""
        out = u * 0
        for k in range(len(self.coefficients) - 1, order - 1, -1):
            out = out * u + number(self.coefficients[k] * (factorial(k) // factorial(k - order)))
        return out

    def __str__(self) -> str:
        def term(k: int, c: Fraction) -> str:
            power = "" if k == 0 else "u" if k == 1 else f"u^{k}"
            top = power if c.numerator == 1 and power else f"{c.numerator}{power}"
            return top + (f"/{c.denominator}" if c.denominator > 1 else "")
        return " + ".join(term(k, c) for k, c in enumerate(self.coefficients) if c)


INSTANCES = tuple(Instance(tuple(map(Fraction, row.split()))) for row in (
    "0 1 1/2", "1 1/2 0 1/3", "1/2 0 1 1/4", "0 2 1/3 1/2", "1/3 1 1 0 1/4", "1 2 0 1/2 1/5"))


def split(name: str) -> tuple[str, int]:
    """An unspecified function as (its name, the order of the derivative).

    >>> split("?f''")
    ('?f', 2)
    """
    base = name.rstrip("'")
    return base, len(name) - len(base)


def instances(names: Iterable[str]) -> dict[str, Instance]:
    """A different polynomial for every unspecified function among ``names``."""
    bases = sorted({split(name)[0] for name in names if is_unspecified(name)})
    return {base: INSTANCES[k % len(INSTANCES)] for k, base in enumerate(bases)}


class Reals(System):
    """What the systems of real numbers share: domains by the table, unspecified functions by instances."""

    #: whether a value at a kink (step at 0) is refused; the table gives 0 where it is not
    strict = False

    def __init__(self, instances: Mapping[str, Instance] | None = None) -> None:
        self.instances = dict(instances or {})

    def positive(self, x: Any) -> bool:
        """Whether x > 0 for certain."""
        return bool(x > 0)

    def element(self, name: str, x: Any) -> Any:
        if is_unspecified(name):
            base, order = split(name)
            if base not in self.instances:
                raise Unsupported(f"the unspecified function {base[1:]} has no instance")
            return self.instances[base](x, self.number, order)
        row = TABLE.get(name)
        if row is None:
            raise Unsupported(f"no numerical rule for the function {name}")
        above, below = self.positive(x), self.positive(-x)
        if (row.domain == "positive" and not above) or (row.domain == "nonzero" and not (above or below)):
            raise BadPoint(f"{name} outside its domain")
        if name in ("step", "relu"):
            if not (above or below) and (self.strict and name == "step" or x != 0):
                raise BadPoint(f"{name} at its kink")
            return (x if name == "relu" else x * 0 + 1) if above else x * 0
        return self.smooth(name, x)

    def smooth(self, name: str, x: Any) -> Any:
        """A smooth function at a point of its domain."""
        raise NotImplementedError


class Irrational:
    """A value that is no known rational number: whatever is computed from it is none either, and it equals nothing."""

    def _self(self, *other: Any) -> Irrational:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __neg__ = _self

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return "irrational"


IRRATIONAL = Irrational()


class Rationals(Reals):
    """Exact rational numbers; a function has a value only where that is rational by the table (tanh at 0)."""

    name = "the rationals"
    strict = True

    def number(self, q: Number) -> Fraction:
        return Fraction(q)

    def element(self, name: str, x: Any) -> Any:
        return x if isinstance(x, Irrational) else super().element(name, x)

    def smooth(self, name: str, x: Fraction) -> Any:
        row = TABLE[name]
        if name in ("id", "recip"):
            return x if name == "id" else 1 / x
        return Fraction(row.zero) if x == 0 and row.zero is not None else IRRATIONAL

    def log_sum_exp(self, u: Array) -> Array:
        return u if u.shape[-2] == 1 else np.full((*u.shape[:-2], 1, 1), IRRATIONAL, dtype=object)

    def softmax(self, u: Array) -> Array:
        first = np.broadcast_to(u[..., :1, :], u.shape).reshape(-1)
        same = all(x == y for x, y in zip(u.reshape(-1), first, strict=True))
        return self.full(u.shape, Fraction(1, u.shape[-2])) if same else np.full(u.shape, IRRATIONAL, dtype=object)

    def different(self, a: Array, b: Array) -> Array:
        """Where both are rational and differ."""
        a, b = np.broadcast_arrays(a, b)
        out = np.zeros(a.shape, dtype=bool)
        for k in np.ndindex(*a.shape):
            out[k] = not isinstance(a[k], Irrational) and not isinstance(b[k], Irrational) and a[k] != b[k]
        return out


#: every smooth function of the table from five primitives of a library; each is written so that intervals stay narrow
FORMULAS: dict[str, Callable[[Any, Any], Any]] = {
    "id": lambda f, x: x,
    "tanh": lambda f, x: 1 - 2 / (f.exp(2 * x) + 1),
    "sigmoid": lambda f, x: 1 / (1 + f.exp(-x)),
    "softplus": lambda f, x: f.log(1 + f.exp(x)),
    "exp": lambda f, x: f.exp(x),
    "log": lambda f, x: f.log(x),
    "recip": lambda f, x: 1 / x,
    "sin": lambda f, x: f.sin(x),
    "cos": lambda f, x: f.cos(x),
    "sinh": lambda f, x: (f.exp(x) - f.exp(-x)) / 2,
    "cosh": lambda f, x: (f.exp(x) + f.exp(-x)) / 2,
    "sqrt": lambda f, x: f.sqrt(x),
}


class Formulas(Reals):
    """A system whose functions come from FORMULAS and a library of primitives ``self.library``."""

    library: Any

    def smooth(self, name: str, x: Any) -> Any:
        rule = FORMULAS.get(name)
        if rule is None:
            raise Unsupported(f"no formula for the function {name}")
        return rule(self.library, x)


class Decimals(Formulas):
    """mpmath numbers of ``digits`` significant digits, in a context of their own."""

    name = "decimals"

    def __init__(self, digits: int = 50, instances: Mapping[str, Instance] | None = None) -> None:
        super().__init__(instances)
        import mpmath
        self.library = mpmath.ctx_mp.MPContext()
        self.library.dps = digits
        self.tolerance = self.library.mpf(10) ** (-digits * 3 // 5)

    def number(self, q: Number) -> Any:
        return self.library.mpf(q.numerator) / q.denominator

    def different(self, a: Array, b: Array) -> Array:
        return np.asarray(abs(a - b) > self.tolerance * (1 + abs(a) + abs(b)), dtype=bool)

    def text(self, x: Any) -> str:
        return str(self.library.nstr(x, 30))


class Balls(Formulas):
    """Enclosures: every value is a set of reals that holds the true one. See :func:`balls` for the choice of a library."""

    name = "balls"
    strict = True
    bits = 256

    def ends(self, x: Any) -> tuple[Fraction, Fraction]:
        """The lower and the upper end of an enclosure, exactly."""
        raise NotImplementedError

    def positive(self, x: Any) -> bool:
        return self.ends(x)[0] > 0

    def different(self, a: Array, b: Array) -> Array:
        a, b = np.broadcast_arrays(a, b)
        out = np.zeros(a.shape, dtype=bool)
        for k in np.ndindex(*a.shape):
            low, high = self.ends(a[k] - b[k])
            out[k] = low > 0 or high < 0
        return out

    def text(self, x: Any, digits: int = 12) -> str:
        """An enclosure with ``digits`` significant digits that holds the ball; the same for every library."""
        return enclosure(*self.ends(x), digits, 2**20)


class Intervals(Balls):
    """mpmath intervals in a context of their own."""

    def __init__(self, instances: Mapping[str, Instance] | None = None) -> None:
        super().__init__(instances)
        import mpmath
        self.library = mpmath.ctx_iv.MPIntervalContext()
        self.library.prec = self.bits

    def number(self, q: Number) -> Any:
        return self.library.mpf(q.numerator) / self.library.mpf(q.denominator)

    def ends(self, x: Any) -> tuple[Fraction, Fraction]:
        return _end(x._mpi_[0]), _end(x._mpi_[1])


def _end(raw: tuple[int, Any, int, int]) -> Fraction:
    sign, man, exponent, bits = raw
    if not man and exponent:
        raise BadPoint("a value without bound")
    return Fraction((-1) ** sign * int(man)) * Fraction(2) ** exponent


class _Arb:
    """The primitives of python-flint's arb as functions."""

    @staticmethod
    def exp(x: Any) -> Any:
        return x.exp()

    @staticmethod
    def log(x: Any) -> Any:
        return x.log()

    @staticmethod
    def sin(x: Any) -> Any:
        return x.sin()

    @staticmethod
    def cos(x: Any) -> Any:
        return x.cos()

    @staticmethod
    def sqrt(x: Any) -> Any:
        return x.sqrt()


class ArbBalls(Balls):
    """python-flint's arb: the optional extra ``rigor``; inside :meth:`scope` its precision is set, afterwards put back."""

    library = _Arb

    def __init__(self, instances: Mapping[str, Instance] | None = None) -> None:
        super().__init__(instances)
        import flint
        self.flint = flint

    @contextmanager
    def scope(self) -> Iterator[None]:
        before = self.flint.ctx.prec
        self.flint.ctx.prec = self.bits
        try:
            yield
        finally:
            self.flint.ctx.prec = before

    def number(self, q: Number) -> Any:
        return self.flint.arb(q.numerator) / q.denominator

    def ends(self, x: Any) -> tuple[Fraction, Fraction]:
        if not x.is_finite():
            raise BadPoint("a value without bound")
        (m, e), (r, f) = x.mid().man_exp(), x.rad().man_exp()
        middle, radius = (Fraction(int(a)) * Fraction(2) ** int(b) for a, b in ((m, e), (r, f)))
        return middle - radius, middle + radius


def balls(instances: Mapping[str, Instance] | None = None) -> Balls:
    """The fastest system of enclosures that is installed."""
    try:
        return ArbBalls(instances)
    except ImportError:
        return Intervals(instances)


class Floats(Reals):
    """NumPy floats: float64, or complex128 for complex steps."""

    name = "floats"
    SMOOTH: dict[str, Callable[[Any], Any]] = {
        "id": lambda x: x, "tanh": np.tanh, "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
        "softplus": lambda x: np.log(1 + np.exp(x)),
        "exp": np.exp, "log": np.log, "recip": lambda x: 1 / x, "sin": np.sin, "cos": np.cos, "sinh": np.sinh, "cosh": np.cosh,
        "sqrt": np.sqrt, "step": lambda x: (x.real > 0) * 1.0, "relu": lambda x: x * (x.real > 0),
    }
    OUTSIDE: dict[str, Callable[[Any], Any]] = {"positive": lambda x: x.real <= 0, "nonzero": lambda x: x == 0}

    def __init__(self, dtype: Any = np.float64, instances: Mapping[str, Instance] | None = None, strict: bool = False) -> None:
        super().__init__(instances)
        self.dtype, self.strict = dtype, strict

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Products that overflow do so without a warning: what is not finite is different from nothing."""
        with np.errstate(all="ignore"):
            yield

    def number(self, q: Number) -> float:
        try:
            return q.numerator / q.denominator
        except OverflowError:
            raise BadPoint("a number that is too large") from None

    def apply(self, name: str, u: Array) -> Array:
        if is_unspecified(name):
            return super().apply(name, u)
        rule, row = self.SMOOTH.get(name), TABLE.get(name)
        if rule is None or row is None:
            raise Unsupported(f"no numerical rule for the function {name}")
        if self.strict and name == "step" and (u == 0).any():
            raise BadPoint("step at its kink")
        outside = self.OUTSIDE.get(row.domain)
        if outside is not None and outside(u).any():
            raise BadPoint(f"{name} outside its domain")
        with self.scope():
            out = np.asarray(rule(u), dtype=self.dtype)
        if not np.isfinite(out).all():
            raise BadPoint(f"{name} overflows")
        return out

    def different(self, a: Array, b: Array) -> Array:
        return np.asarray(abs(a - b) > 1e-8 * (1 + abs(a) + abs(b)), dtype=bool)
