"""Where the values of a symbol stand in the emitted arrays, and the text that refers to them at one step or at all steps.

An array holds the steps 1..T along its first axis, after ``past`` rows for the steps before the first one, and before ``future``
rows of zeros for adjoints after the last; a ``short`` array holds the last step alone.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sympy

from symrnn.errors import CallError
from symrnn.expr import LAST, Symbol, Time

Key = tuple[str, str]


@dataclass(frozen=True)
class Array:
    """The array of one symbol: its name in the code, and the rows it has besides those of the steps 1..T."""

    name: str
    past: int = 0
    future: int = 0
    short: bool = False

    def whole(self, offset: int) -> str:
        """All steps t + offset, t = 1..T."""
        start, stop = self.past + offset, self.future - offset
        return self.name + _slice(start or None, -stop or None)

    def last(self, offset: int) -> str:
        """The step ``offset`` from the last one of every sequence, as an array of length one."""
        return self.name if self.short else f"{self.whole(offset)}[end]"

    def step(self, offset: int) -> str:
        """A wish for the name of step t + offset inside a loop over all steps."""
        ahead = "next" if offset > 0 else "past"
        return f"{self.name}_t" if not offset else f"{self.name}_{ahead}{abs(offset) if abs(offset) > 1 else ''}"

    def at(self, step: int) -> str:
        """One absolute step; beyond the last one an adjoint is zero and anything else is held at its last value."""
        k = self.past + step - 1
        return f"{self.name}[{k}]" if self.future or step <= 1 else f"{self.name}[min({k}, {self.past} + T - 1)]"


def before_first(s: Symbol, back: int) -> Symbol:
    """The value of a sequence ``back`` steps before the first one."""
    return Symbol(s.name, s.shape, s.kind, Time("", 1 - back))


def after_last(s: Symbol) -> Symbol:
    """The value of a sequence at the step after the last one."""
    return Symbol(s.name, s.shape, s.kind, LAST + 1)


def _slice(start: int | None, stop: int | None) -> str:
    if start is None and stop is None:
        return ""
    return f"[{'' if start is None else start}:{'' if stop is None else stop}]"


class Layout:
    """The arrays of a module, and how each of its parts refers to them."""

    def __init__(self, arrays: dict[Key, Array]) -> None:
        self.arrays = arrays

    def refer(self, way: str) -> Callable[[Symbol], sympy.Symbol]:
        """References in the given ``way``: ``whole``, ``last``, or ``at N`` for step N."""
        def text(s: Symbol) -> sympy.Symbol:
            array = self.arrays[s.kind, s.name]
            if s.time is None:
                return sympy.Symbol(array.name)
            offset = s.time.offset
            if array.short and (offset != 0 or way != "last"):
                raise CallError(str(s), must="be used at the last step alone, as the loss is", came="a use at other steps",
                                next_step="take the loss at every step")
            if way.startswith("at "):
                return sympy.Symbol(array.at(int(way[3:]) + offset))
            return sympy.Symbol(getattr(array, way)(offset))
        return text
