"""How far a printed formula lies from the emitted code and from a 50-digit value, at points that follow from the formula.

Both sides of the formula are written in component form and compiled with ``lambdify``; the emitted module runs on the same
numbers. What a right formula may deviate by is the rounding bound: a first-order bound carried through the 50-digit evaluation.
"""
from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import mpmath
import numpy as np
import sympy

from symrnn.component_rows import NoSuchStep, NotComponents
from symrnn.components import Components
from symrnn.emit import FUNCTIONS, Header, chosen_outputs, emit, numbered
from symrnn.emit.running import Code, FlatCode
from symrnn.emit.unrolled import Unrolled
from symrnn.errors import SymrnnError
from symrnn.expr import Expr, Symbol, Time, node
from symrnn.model import Model
from symrnn.needs import reduced
from symrnn.points import free_letters, point
from symrnn.scalars import Evaluator, Opaque, OutsideDomain, double_precision

POINTS, TRIES = 2, 24
CLOSE = 1e-10
"""How near derivatives must lie to those by complex step."""
SAFETY = 8
"""How many times the first-order bound a deviation may be: the three computations round in different orders."""


@dataclass(frozen=True)
class Deviation:
    """How far the right side, compiled, lies from the left side.

    ``from_exact``: the largest deviation from the left side to 50 digits; ``from_code``: from the left side as the emitted module
    computes it (None if there is no module). ``bound`` is the largest rounding bound of an entry and ``within`` whether every
    deviation lies within the bound of its entry. ``exact`` is the largest difference of the two sides to 50 digits, with ``left``
    and ``right`` where it occurs, all to three digits: the same on every machine. ``entries`` counts what was compared.
    """

    sizes: Mapping[str, int]
    T: int
    points: int
    entries: int
    from_exact: float
    from_code: float | None
    bound: float
    within: bool
    exact: str
    left: str
    right: str


class NotComparable(Exception):
    """There is nothing to compare; the message says why."""


Numbers = Mapping[sympy.Symbol, float]


def compiled(c: Components, expressions: list[sympy.Expr], known: Iterable[sympy.Symbol]) -> Callable[[Numbers], Any]:
    """``lambdify`` of expressions over named symbols; what is not ``known`` is computed from its equation."""
    stop, order = set(known), []
    values = c.values()
    seen: set[sympy.Symbol] = set()

    def visit(s: sympy.Symbol) -> None:
        stack = [(s, False)]
        while stack:
            x, done = stack.pop()
            if done:
                order.append((x, values[x]))
            elif x not in seen and x not in stop:
                seen.add(x)
                if x in values:
                    stack.append((x, True))
                    stack.extend((y, False) for y in sorted(values[x].free_symbols, key=str))
    for e in expressions:
        for s in sorted(e.free_symbols, key=str):
            visit(s)
    named = {s for s, _ in order}
    everything = [*expressions, *(v for _, v in order)]
    arguments = sorted({y for e in everything for y in e.free_symbols} - named, key=str)
    opaque_ones = {type(f).__name__: double_precision(type(f)) for e in everything for f in e.atoms(Opaque)}
    function = sympy.lambdify(arguments, expressions, modules=[opaque_ones, "numpy"], cse=lambda e: (order, list(e)))
    return lambda numbers: np.array(function(*(numbers[s] for s in arguments)), dtype=float)


def deviation(left: Expr, right: Expr, model: Model, sizes: Mapping[str, int], T: int = 2, *,
              code: Code | None = None, last_step: int = 0, allowed: Callable[[Mapping[str, int]], bool] | None = None,
              **conditions: Any) -> Deviation:
    """Compare ``left = right`` at every step and index of ``model`` at ``sizes`` and ``T``.

    ``code`` is a module to reuse for many formulas (one is emitted if the model allows it). ``last_step`` leaves out as many
    steps at the end, ``allowed`` says which choices of indices count, and ``conditions`` are those of :class:`Components`
    (``simplex``, ``zero``, ``past_zero``, ``immediate``). Raises NotComparable.
    """
    if code is None:
        try:
            code = Code(model)
        except SymrnnError:
            code = None
    c, d = code.forms(sizes, T, conditions) if code is not None else (Components(model, sizes, T, **conditions), None)
    rows = _entries(c, left, right, T - last_step, allowed or (lambda _: True))
    exact_left, exact_right = [a for a, _ in rows], [b for _, b in rows]
    formula = compiled(c, exact_right, ())
    coded = [a for a, _ in _entries(d, left, right, T - last_step, allowed or (lambda _: True))] if d is not None else []
    worst = _Worst()
    count = 0
    for n in range(TRIES):
        values = point(c, f"{left} = {right} {model.hash} {n}")
        evaluate = Evaluator(values, c.values())
        try:
            pairs = [(evaluate(a), evaluate(b)) for a, b in zip(exact_left, exact_right, strict=True)]
        except OutsideDomain:
            continue
        except NotImplementedError as unknown:
            raise NotComparable(f"the function {unknown}") from None
        floats = {s: float(Fraction(v)) for s, v in values.items()}
        printed = formula(floats)
        by_code = None
        if code is not None and d is not None:
            found = code.values(d, Evaluator(values, d.values()))
            by_code = compiled(d, coded, found)({**floats, **found})
        worst.add(pairs, printed, by_code)
        count += 1
        if count == POINTS:
            break
    if not count:
        raise NotComparable(f"no point in the domain among {TRIES}")
    return worst.result(dict(sizes), T, count, len(rows))


def agreement(code: Code, sizes: Mapping[str, int], T: int = 2, rates: bool = True) -> Deviation:
    """How far an emitted module lies from 50-digit values of the model.

    Compared are the loss, every variable, and with ``rates`` the derivative of the loss by every variable, parameter and input, at
    points that follow from the model; for one sequence, and for a padded batch with the mean as its loss.
    """
    m, worst = code.model, _Worst()
    wanted = [*m.variables, *([Symbol(m.total, (1, 1))] if m.loss else [])]
    if rates:
        wanted += [Symbol(s.name, s.shape, kind, s.time) for s in (*m.variables, *m.parameters, *m.inputs)
                   for kind in ("adjoint", "gradient") if (kind, s.name) in code.computed]
        wanted += [Symbol(name, m.symbol(name).shape, "adjoint", Time("", t))
                   for name, lag in code.starts.items() for t in range(1 - lag, 1)]
    formulas = [node("sym", attr=s) for s in wanted]
    c, d = code.forms(sizes, T, {"simplex": sorted(m.simplex)})
    exact = [a for e in formulas for a, _ in _entries(c, e, e, T, lambda _: True)]
    coded = [a for e in formulas for a, _ in _entries(d, e, e, T, lambda _: True)]
    count = 0
    for n in range(TRIES):
        values = point(c, f"{m.hash} {n}")
        evaluate = Evaluator(values, c.values())
        try:
            pairs = [(evaluate(a), evaluate(a)) for a in exact]
        except OutsideDomain:
            continue
        floats = {s: float(Fraction(v)) for s, v in values.items()}
        for padded in (False, True):
            found = code.values(d, Evaluator(values, d.values()), padded)
            found = code.values(d, Evaluator(values, d.values())) | found
            worst.add(pairs, compiled(d, coded, found)({**floats, **found}), None)
        count += 1
        if count == POINTS:
            break
    if not count:
        raise NotComparable(f"no point in the domain among {TRIES}")
    return worst.result(dict(sizes), T, count, len(exact))


def emit_checked(model: Model, header: Header, **options: Any) -> str:
    """A module that was run; its head says with what result. The options are those of :func:`symrnn.emit.emit`."""
    return emit(model, header=replace(header, check=partial(checked, model, **options)), **options)


def checked(model: Model, source: str, *, style: str = "looped", steps: int | None = None, sizes: Any = None,
            outputs: Sequence[str] = FUNCTIONS, loss_at: str = "all", **_: Any) -> str:
    """What holds of the text of a module, in words: its values are those of the equations, its derivatives those of its loss.

    Empty where its values cannot be compared. Raises RuntimeError where they differ, which must not happen.
    """
    chosen = chosen_outputs(model, outputs, loss_at)
    small = reduced(chosen.found) if chosen.found else chosen.model
    wanted = chosen.found.outputs if chosen.found else ()
    code: Code
    if style == "looped":
        numbers, T = {n: 2 + k % 2 for k, n in enumerate(small.sizes)}, 2
        code = Code(small, source, wanted)
    else:
        numbers, T = numbered(small, sizes), steps or 1
        code = FlatCode(Unrolled(small, T, numbers, wanted), source)
    try:
        found = agreement(code, numbers, T, rates=False)
    except NotComparable:
        return ""
    said, largest = io.StringIO(), 0.0
    if has_rates := hasattr(code.module, "self_check"):
        with contextlib.redirect_stdout(said):
            largest = code.module.self_check()
    if not (found.within and largest < CLOSE):
        raise RuntimeError(f"the code for {model.name} deviates from its equations by {max(found.from_exact, largest):.1e}")
    where = ", ".join([*(f"{n}={k}" for n, k in numbers.items()), f"T={T}"])
    batch = ", alone and in a padded batch" if style == "looped" and hasattr(code.module, "loss") else ""
    every = "every output at the last step lies" if wanted else f"every {'variable' if style == 'looped' else 'state'} lies"
    values = every if not hasattr(code.module, "loss") else every.replace(" lies", " and the loss lie")
    rates = "; every derivative is that by complex step" if has_rates else ""
    return f"this text was run: at {where}{batch}, {values} within rounding of 50-digit values of the equations{rates}"


def _entries(c: Components, left: Expr, right: Expr, last: int, allowed: Callable[[Mapping[str, int]], bool]
             ) -> list[tuple[sympy.Expr, sympy.Expr]]:
    """Both sides over named symbols, entry by entry, at every choice of steps and indices at which they exist."""
    out: list[tuple[sympy.Expr, sympy.Expr]] = []
    for times, indices in free_letters(left, right).choices(c, last):
        if not allowed(indices):
            continue
        try:
            a, b = (sympy.Matrix([c.named(e, times, indices)]) for e in (left, right))
        except NoSuchStep:
            continue
        except NotComponents as problem:
            raise NotComparable(str(problem)) from None
        if a.shape != b.shape:
            raise NotComparable(f"sides of shapes {a.shape} and {b.shape}")
        out += zip(a, b, strict=True)
    if not out:
        raise NotComparable("no step at which both sides exist")
    return out


@dataclass
class _Worst:
    """The largest deviations so far."""

    from_exact: float = 0.0
    from_code: float | None = None
    bound: float = 0.0
    within: bool = True
    exact: Any = mpmath.mpf(-1)
    sides: tuple[str, str] = ("", "")

    def add(self, pairs: list[Any], printed: Any, by_code: Any) -> None:
        """One point: 50-digit values with their bounds, the compiled formula, and the emitted code."""
        for k, ((a, a_bound), (b, b_bound)) in enumerate(pairs):
            bound = float(SAFETY * (a_bound + b_bound)) + 5e-324
            off = float(abs(a - mpmath.mpf(float(printed[k]))))
            self.from_exact, self.bound = max(self.from_exact, off), max(self.bound, bound)
            self.within = self.within and off <= bound                     # what is no number is not
            if by_code is not None:
                gap = abs(float(printed[k]) - float(by_code[k]))
                self.from_code = max(self.from_code or 0.0, gap)
                self.within = self.within and gap <= bound
            if abs(a - b) > self.exact:
                self.exact = abs(a - b)
                self.sides = (three_digits(a), three_digits(b))

    def result(self, sizes: Mapping[str, int], T: int, points: int, entries: int) -> Deviation:
        return Deviation(sizes, T, points, entries, self.from_exact, self.from_code, self.bound, self.within,
                         three_digits(self.exact), *self.sides)


def three_digits(x: Any) -> str:
    """A 50-digit number to three digits; what is zero to 40 digits is ``0``.

    >>> three_digits(mpmath.mpf("0.123456")), three_digits(mpmath.mpf(10) ** -45), three_digits(mpmath.mpf(0.5))
    ('0.123', '0', '0.5')
    """
    return "0" if abs(x) < mpmath.mpf(10) ** -40 else str(mpmath.nstr(x, 3))
