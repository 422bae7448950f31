"""Error against step size: one entry of a gradient by forward, central and complex differences, against its value to 50 digits.

Numbers of 53 bits are rounded in software, one operation at a time, so that the errors are those of double precision and yet the
same on every machine.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from symrnn.bptt import gradient
from symrnn.errors import CallError
from symrnn.expr import SCALAR, Symbol, node
from symrnn.model import Model
from symrnn.pictures.canvas import BLUE, GREEN, ORANGE
from symrnn.pictures.chart import Axis, Series, chart
from symrnn.pictures.gradients import INSTEAD
from symrnn.pictures.values import Draws, Rounded, point, recurrent
from symrnn.prove.claim import Missing, Unsupported
from symrnn.prove.numbers import BadPoint
from symrnn.write.notation import Notation
from symrnn.write.words import listed

STEPS, UNITS = 4, 3
BITS, EXACT = 53, 180
SMALLEST = 64
"""The step sizes are 2^-1, ..., 2^-SMALLEST."""
FLOOR = 1e-17
"""Where an error of zero, or one below the last bit, is drawn."""


Loss = Callable[[Any], Any]


def forward(loss: Loss, h: Fraction, at: Any, system: Rounded) -> Any:
    """(L(w + h) - L(w)) / h"""
    step = system.number(h)
    return (loss(at + step) - loss(at)) / step


def central(loss: Loss, h: Fraction, at: Any, system: Rounded) -> Any:
    """(L(w + h) - L(w - h)) / 2h"""
    step = system.number(h)
    return (loss(at + step) - loss(at - step)) / (2 * step)


def by_complex_step(loss: Loss, h: Fraction, at: Any, system: Rounded) -> Any:
    """Im L(w + ih) / h"""
    step = system.number(h)
    return loss(system.library.mpc(at, step)).imag / step


METHODS: Mapping[str, tuple[Callable[[Loss, Fraction, Any, Rounded], Any], str, str]] = {
    "complex step": (by_complex_step, BLUE, "curve"),
    "central difference": (central, GREEN, "curve dotted"),
    "forward difference": (forward, ORANGE, "curve dashed"),
}
"""What each is called, how it is computed, and how it is drawn."""


def errors(m: Model, steps: int = STEPS) -> tuple[str, dict[str, tuple[tuple[float, float], ...]]]:
    """The parameter, and for each method the pairs (step size, relative error). CallError for a model without a loss."""
    if m.loss is None:
        raise CallError(f"the picture of step sizes of {m.name}", must="be of a model with a loss", came="none",
                        next_step="name the scalar equation that is the loss of one step")
    names = recurrent(m)
    target = next((p for p in m.parameters if p.name in names), m.parameters[0] if m.parameters else None)
    if target is None:
        raise CallError(f"the picture of step sizes of {m.name}", must="be of a model with a parameter", came="none",
                        next_step=INSTEAD)
    draws = Draws(m.hash, names)
    try:
        return target.name, _errors(m, target, draws, steps)
    except (BadPoint, Missing, Unsupported) as reason:
        raise CallError(f"the picture of step sizes of {m.name}", must="have a value at every point", came=str(reason),
                        next_step=INSTEAD) from None


def _errors(m: Model, target: Symbol, draws: Draws, steps: int) -> dict[str, tuple[tuple[float, float], ...]]:
    exact, system = Rounded(m, EXACT), Rounded(m, BITS)
    true = point(m, steps, draws, exact, UNITS).value(node("sym", attr=gradient(target)), {})[0, 0]
    rows = point(m, steps, draws, system, UNITS).value(m[target.name], {}).tolist()
    total = node("sym", attr=Symbol(m.total, SCALAR))

    def loss(w: Any) -> Any:
        changed = [[w, *rows[0][1:]], *rows[1:]]
        return point(m, steps, replace(draws, fixed={(target.name, None): changed}), system, UNITS).value(total, {})[0, 0]
    return {name: tuple((2.0 ** -k, relative(method(loss, Fraction(1, 2**k), rows[0][0], system), true, exact))
                        for k in range(1, SMALLEST + 1))
            for name, (method, _, _) in METHODS.items()}


def relative(value: Any, true: Any, system: Rounded) -> float:
    """The relative error, no less than what is drawn."""
    return max(float(abs(system.library.mpf(value) - true) / abs(true)), FLOOR) if true else FLOOR


def step_size(m: Model, steps: int = STEPS, notation: Notation | None = None) -> str:
    """The picture, for the first entry of the gradient by a parameter that meets an earlier state."""
    notation = notation or Notation.of(m)
    name, found = errors(m, steps)
    series = [Series(rf"\text{{{n}}}", found[n], hue, kind) for n, (_, hue, kind) in METHODS.items()]
    best = listed(f"{min(e for _, e in pairs):.0e} of the {n}" for n, pairs in found.items())
    entry = notation.name(name, ("1", "1"))
    return chart(series, Axis(rf"\text{{step size}}\ h\ \text{{in}}\ {entry}", 2.0 ** -SMALLEST, 1.0),
                 Axis(rf"\text{{relative error of}}\ \frac{{\partial {notation.base(notation.total)}}}{{\partial {entry}}}", FLOOR, 10.0),
                 f"Error of a gradient against step size: {m.name}",
                 f"The relative error of the derivative of the loss by the first entry of {name}, over {steps} steps, on log scales. "
                 "Forward and central differences have a best step size, below which rounding takes over; the complex step has none. "
                 f"Least errors: {best}.")
