"""What a picture of a network shows: which quantity uses which, along which way derivatives of the loss return, in which row each is.

Everything follows from the equations of the model; nothing knows a cell. A *place* is a name and a step; the step is a number, or
counts from t in the folded picture.
"""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from symrnn.bptt import Derivation, derive
from symrnn.errors import ModelError
from symrnn.expr import Expr, Symbol, symbols, walk
from symrnn.lastloss import AT_END
from symrnn.model import Model
from symrnn.pictures.layered import lowered

Place = tuple[str, int]
SHOWN = ("variable", "input", "target")
"""The kinds of symbols that have a value at every step and stand in a picture."""


@dataclass(frozen=True)
class Use:
    """The equation of ``head`` uses ``tail`` of ``lag`` steps before; ``label`` is the one parameter that multiplies it."""

    tail: str
    head: str
    lag: int
    label: str = ""
    back: bool = False


@dataclass(frozen=True)
class Wiring:
    """A model as a graph of its quantities at one step."""

    model: Model

    @cached_property
    def derivation(self) -> Derivation | None:
        """The gradients, where the model has a loss that can be differentiated."""
        try:
            return derive(self.model) if self.model.loss is not None else None
        except ModelError:
            return None

    @cached_property
    def felt(self) -> frozenset[str]:
        """The variables on which the loss of some step depends."""
        found = {self.model.loss} if self.derivation is not None else set()
        while more := {s.name for e in self.model.equations if e.name in found for s in symbols(e.right)} - found:
            found |= more
        return frozenset(e.name for e in self.model.equations if e.name in found)

    @cached_property
    def uses(self) -> tuple[Use, ...]:
        """Every use once, in the order of the equations; derivatives return along it to a variable that the loss feels."""
        found = (Use(s.name, e.name, -s.time.offset, parameter(e.right, s), s.kind == "variable" and e.name in self.felt)
                 for e in self.model.equations for s in symbols(e.right)
                 if s.time is not None and s.kind in SHOWN and s.name != AT_END)
        return tuple(dict.fromkeys(found))

    @cached_property
    def delayed(self) -> tuple[tuple[str, int], ...]:
        """What an equation uses from earlier steps: name and number of steps, each once."""
        return tuple(dict.fromkeys((u.tail, u.lag) for u in self.uses if u.lag))

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """The inputs and targets."""
        return tuple(s.name for s in (*self.model.inputs, *self.model.targets) if s.name != AT_END)

    @cached_property
    def last(self) -> frozenset[str]:
        """What exists at the last step only, where the loss is that of the last step: the loss, and what nothing else needs."""
        if not any(s.name == AT_END for s in self.model.inputs):
            return frozenset()
        found = {self.model.loss}
        for name in [*reversed([e.name for e in self.model.equations]), *self.sources]:
            users = [u for u in self.uses if u.tail == name]
            if users and all(u.head in found and not u.lag for u in users):
                found.add(name)
        return frozenset(name for name in found if name)

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of everything in a step, from the bottom: each variable above what it needs, each source just below its user.

        What comes from an earlier step is a source of its own, see :func:`arrival`.
        """
        incoming = [arrival(*late) for late in self.delayed]
        now = [(u.tail if not u.lag else arrival(u.tail, u.lag), u.head) for u in self.uses]
        rows = dict.fromkeys([*self.sources, *incoming], 0)
        for e in self.model.equations:
            rows[e.name] = max([rows[tail] + 1 for tail, head in now if head == e.name], default=0)
        return lowered(rows, now, [*self.sources, *incoming])

    def returns(self, name: str, lag: int) -> bool:
        """Whether derivatives go back along what comes from ``lag`` steps before."""
        return any(u.back for u in self.uses if (u.tail, u.lag) == (name, lag))


def arrival(name: str, lag: int) -> str:
    """The name of the point at which a value of an earlier step enters a step; no variable has such a name."""
    return f"{name} {lag} before"


def parameter(e: Expr, s: Symbol) -> str:
    """The parameter that ``e`` multiplies ``s`` by, if there is exactly one."""
    found = {x.args[0].attr.name for x in walk(e) if x.op == "matmul" and x.args[1].op == "sym" and x.args[1].attr == s
             and x.args[0].op == "sym" and x.args[0].attr.kind == "parameter"}
    return found.pop() if len(found) == 1 else ""


def leaving(wiring: Wiring) -> dict[str, tuple[int, ...]]:
    """Name of what later steps use -> the rows that its line goes through, the last being the one in which it leaves the step.

    Of those at the right end of a row only the last can leave it; the others go on to the row above.
    """
    rows: dict[str, list[int]] = {name: [] for name in dict.fromkeys(name for name, _ in wiring.delayed)}
    waiting: list[str] = []
    for row in range(max(wiring.rows.values(), default=0) + len(rows) + 1):
        waiting += [name for name in rows if wiring.rows[name] == row]
        for name in waiting:
            rows[name].append(row)
        waiting = waiting[:-1]
    return {name: tuple(found) for name, found in rows.items()}
