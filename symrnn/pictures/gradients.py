"""How far a gradient reaches: the norm of the derivative of the last state by one k steps before, and the bound that is proved for it.

The states and derivatives are computed with more digits than doubles have; a picture rounds them to a tenth of a pixel.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from symrnn.errors import CallError
from symrnn.expr import Expr, Symbol, Time, derivative, node
from symrnn.model import Model
from symrnn.pictures.canvas import BLUE, ORANGE
from symrnn.pictures.chart import Axis, Series, chart, decades
from symrnn.pictures.slopes import Sum, step_slope
from symrnn.pictures.values import Draws, Rounded, point, recurrent
from symrnn.prove.claim import Missing, Unsupported
from symrnn.prove.numbers import Array, BadPoint
from symrnn.unroll import lags
from symrnn.write.notation import Notation
from symrnn.write.words import listed

STEPS = 24
BASES = (Fraction(4, 5), Fraction(5, 4))
"""How much a step shrinks or stretches at most, in the two examples, where a bound says so."""
SMALL = Fraction(1, 512)
"""The size of inputs and first states: near zero the functions are steepest, and what the parameters do is seen."""
BITS = 80
FLOOR = 1e-12
INSTEAD = "ask for a picture of the network itself"


@dataclass(frozen=True)
class Reach:
    """One example: the norm of the recurrent parameters, those of the derivative over 0, 1, ... steps, the products of the norms of its
    factors, and a bound on each factor."""

    scale: float
    norms: tuple[float, ...]
    products: tuple[float, ...]
    base: float | None

    @property
    def word(self) -> str:
        """What the norm does.

        >>> Reach(0.5, (1.0, 0.3, 0.01), (), None).word
        'vanishing'
        """
        return "vanishing" if self.norms[-1] < 0.1 else "exploding" if self.norms[-1] > 10 else "neither vanishing nor exploding"


def reach(m: Model, base: Fraction, steps: int = STEPS) -> Reach:
    """One example. CallError where a state of more than one step before is used, or a value does not exist."""
    late = [n for n, lag in lags(m).items() if lag > 1 and n in {s.name for s in m.states}]
    if late or not m.states:
        raise CallError(f"the picture of the gradients of {m.name}", must="be of a model whose states are used one step later",
                        came=f"{late[0]} of {lags(m)[late[0]]} steps before" if late else "no state", next_step=INSTEAD)
    slope = step_slope(m)
    draws = Draws(m.hash, recurrent(m), base / (slope[0].factor if slope is not None and len(slope) == 1 else 1), SMALL)
    try:
        jacobians = list(factors(replace(m, initial="given"), draws, steps))
    except (BadPoint, Missing, Unsupported) as reason:
        raise CallError(f"the picture of the gradients of {m.name}", must="have a derivative at every point", came=str(reason),
                        next_step=INSTEAD) from None
    whole, norms, products = np.eye(len(jacobians[0])), [1.0], [1.0]
    for j in reversed(jacobians):
        whole = whole @ j
        norms.append(norm(whole))
        products.append(products[-1] * norm(j))
    return Reach(float(draws.scale), tuple(norms), tuple(products), None if slope is None else bound(slope, m, draws))


def factors(m: Model, draws: Draws, steps: int) -> Iterator[Array]:
    """The derivative of all states by those of the step before, step by step: each step starts where the one before ended."""
    system = Rounded(m, BITS)

    def at(s: Symbol, t: int) -> Expr:
        return node("sym", attr=Symbol(s.name, s.shape, s.kind, Time("", t)))
    for t in range(steps):
        p = point(m, 1, replace(draws, later=t), system)
        blocks = [[p.value(derivative(at(a, 1), at(b, 0)), {}).astype(float) for b in m.states] for a in m.states]
        yield np.block([[x.reshape(p.dims(a.shape)[0], p.dims(b.shape)[0]) for x, b in zip(row, m.states, strict=True)]
                        for row, a in zip(blocks, m.states, strict=True)])
        ends: dict[tuple[str, int | None], Any] = {(s.name, 0): p.value(at(s, 1), {}).tolist() for s in m.states}
        draws = replace(draws, fixed=ends)


def norm(a: Array) -> float:
    """The greatest factor by which a matrix stretches."""
    return float(np.linalg.norm(a, 2))


def bound(slope: Sum, m: Model, draws: Draws) -> float:
    """The value of a bound on one step at these parameters."""
    p = point(m, 1, draws, Rounded(m, BITS))
    names = {n for term in slope for n in term.norms}
    norms = {n: norm(p.value(m[n], {}).astype(float)) for n in names}
    return sum(term.value(norms) for term in slope)


def slope_latex(slope: Sum, notation: Notation) -> str:
    r"""A bound on one step as LaTeX; of more than two terms a letter.

    >>> from symrnn.pictures.slopes import Term
    >>> slope_latex((Term(Fraction(1, 4), ("W",)),), Notation()), slope_latex((), Notation())
    ('\\frac{1}{4}\\|W\\|', '0')
    """
    if len(slope) > 2:
        return r"\beta"
    texts = []
    for term in slope:
        front = "" if term.factor == 1 and term.norms else \
            str(term.factor) if term.factor.denominator == 1 else rf"\frac{{{term.factor.numerator}}}{{{term.factor.denominator}}}"
        texts.append(front + "".join(rf"\|{notation.name(n)}\|" for n in term.norms))
    return " + ".join(texts) or "0"


def gradient_norm(m: Model, steps: int = STEPS, notation: Notation | None = None) -> str:
    """The picture: two examples, each with the norm and its bound."""
    notation = notation or Notation.of(m)
    slope = step_slope(m)
    found = [reach(m, base, steps) for base in BASES]
    letter = notation.base(m.states[0].name) if len(m.states) == 1 else "s"
    k, last = "k", notation.last
    series = [s for r, hue in zip(found, (BLUE, ORANGE), strict=True) for s in curves(r, hue, slope, letter, notation)]
    low, high = decades([max(y, FLOOR) for s in series for _, y in s.points])
    upright = rf"\|\frac{{\partial {letter}_{last}}}{{\partial {letter}_{k}}}\|"
    return chart(series, Axis(rf"{last} - {k}", 0, steps, log=False), Axis(upright, low, high),
                 f"Gradient norm by distance in time: {m.name}", words(m, found, slope))


def curves(r: Reach, hue: str, slope: Sum | None, letter: str, notation: Notation) -> list[Series]:
    """The norm of one example, and its bound: the power of a bound on one step where there is one, else the product of the factors."""
    if r.base is None or slope is None:
        t = notation.letter
        name, limits = rf"\text{{bound}}\ \prod\|\frac{{\partial {letter}_{t}}}{{\partial {letter}_{{{t}-1}}}}\|", r.products
    else:
        text = slope_latex(slope, notation)
        base = f"({text})" if " + " in text or "frac" in text else text
        value = rf",\ \beta = {r.base:.3g}" if text == r"\beta" else ""
        name, limits = rf"\text{{bound}}\ {base}^{{{notation.last}-k}}{value}", tuple(r.base ** n for n in range(len(r.norms)))
    return [Series(name, tuple(enumerate(limits)), hue, "band"),
            Series(rf"\text{{{r.word}: weights of norm {r.scale:.3g}}}", tuple(enumerate(r.norms)), hue, "curve", marked=True)]


def words(m: Model, found: list[Reach], slope: Sum | None) -> str:
    """What the picture says."""
    several = f" ({listed([s.name for s in m.states])} together)" if len(m.states) > 1 else ""
    ends = "; ".join(f"of norm {r.scale:.3g}, {r.word}, {r.norms[-1]:.1e} after {len(r.norms) - 1} steps" for r in found)
    which = "the product of the norms of its factors" if slope is None else "a power of what one step stretches at most, for all inputs"
    return (f"The norm of the derivative of the last state{several} by an earlier one, on a logarithmic scale, and its bound, {which}. "
            f"With recurrent weights {ends}.")
