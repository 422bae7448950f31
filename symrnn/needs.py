"""Which values a network must compute for some outputs: the dependencies of its equations, followed to their end.

``y[T]`` alone needs the states of every step but no ``y[1], ..., y[T-1]``. The proof is the closure itself: the equations of the values
found use no other value, so that every other equation may be left out or changed without changing the outputs.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from symrnn.errors import CallError, ModelError
from symrnn.expr import NOW, symbols
from symrnn.model import Model

LAST = (0,)
"""The last step alone, as steps back from it."""

Edges = dict[str, tuple[tuple[str, int], ...]]


@dataclass(frozen=True)
class Needed:
    """What ``outputs`` need ``back`` steps before the last one (None: at every step).

    ``every``: the variables of which each step may be needed, because they reach themselves or are reached at every step.
    ``late``: the other ones that are needed, each with the steps back from the last one at which it is. Both in the order of the model.
    """

    model: Model
    outputs: tuple[str, ...]
    back: tuple[int, ...] | None
    every: tuple[str, ...]
    late: Mapping[str, tuple[int, ...]]

    @property
    def left_out(self) -> tuple[str, ...]:
        """The variables that are not needed at any step."""
        return tuple(e.name for e in self.model.equations if e.name not in self.late and e.name not in self.every)

    def at(self, T: int) -> frozenset[tuple[str, int]]:  # noqa: N803 - T is the number of steps everywhere
        """The values (variable, step) that are needed in a network of ``T`` steps, exactly; without those before the first step."""
        if T < 1:
            raise CallError("the number of steps", must="be at least 1", came=str(T), next_step="take T = 1 or more")
        back = range(T) if self.back is None else self.back
        return frozenset((name, t) for name, t in _closure(_edges(self.model), ((o, T - k) for o in self.outputs for k in back))
                         if 1 <= t <= T)

    @cached_property
    def words(self) -> str:
        """The proof in one sentence."""
        found: dict[str, list[str]] = {}
        for name, steps in self.late.items():
            found.setdefault(_when(steps), []).append(name)
        parts = [f"{', '.join(names)} {when}" for when, names in found.items()]
        parts += [f"{', '.join(self.every)} at every step"] if self.every else []
        where = "at every step" if self.back is None else _when(self.back)
        return f"{', '.join(self.outputs)} {where}: computed from {' and '.join(parts)}, and from no other variable or step"

    def __str__(self) -> str:
        return self.words


def needed(model: Model, outputs: Sequence[str] | None = None, back: Sequence[int] | None = LAST) -> Needed:
    """What some variables need, those that leave the network if none are named, ``back`` steps before the last one.

    Raises CallError for a variable that has no equation, or for steps that are no numbers from 0.

    >>> from symrnn.expr import apply, softmax
    >>> from symrnn.model import param, sequence
    >>> h, y, x = sequence("h", "n"), sequence("y", "k"), sequence("x", "m", kind="input")
    >>> m = Model.build("m", [(h, apply("tanh", param("W", "n", "n") @ h[-1] + param("U", "n", "m") @ x)),
    ...                       (y, softmax(param("V", "k", "n") @ h))])
    >>> print(needed(m, ["y"]))
    y at the last step: computed from y at the last step and h at every step, and from no other variable or step
    >>> sorted(needed(m, ["y"]).at(3))
    [('h', 1), ('h', 2), ('h', 3), ('y', 3)]
    """
    names = tuple(leaving(model) if outputs is None else dict.fromkeys(outputs))
    steps = None if back is None else tuple(sorted(dict.fromkeys(back)))
    known = [e.name for e in model.equations]
    for name in names:
        if name not in known:
            raise CallError(f"the output {name}", must=f"be one of {', '.join(known)}", came=name, next_step="name a variable of the model")
    if not names or steps is not None and (not steps or any(k < 0 for k in steps)):
        raise CallError("what is asked for", must="be at least one variable, at steps counted back from 0", came=f"{names} at {steps}",
                        next_step="name an output, and 0 for the last step")
    edges = _edges(model)
    circular = {name for name in known if name in {u for u, _ in _closure(edges, edges[name], timeless=True)}}
    every: set[str] = set(names) if steps is None else set()
    late: dict[str, set[int]] = {}
    todo = [(name, k) for name in names for k in steps or ()]
    while todo:
        name, k = todo.pop()
        if name in circular:
            every.add(name)
        elif k not in late.setdefault(name, set()):
            late[name].add(k)
            todo += [(u, k + lag) for u, lag in edges[name]]
    every |= {u for u, _ in _closure(edges, ((name, 0) for name in every), timeless=True)}
    return Needed(model, names, steps, tuple(n for n in known if n in every),
                  {n: tuple(sorted(late[n])) for n in known if n in late and n not in every})


def leaving(model: Model) -> tuple[str, ...]:
    """The variables that leave the network: no other equation uses them, apart from the loss and what only it needs.

    Of variables that need each other over time, and nothing else needs, the last one leaves. ModelError where nothing is left.
    """
    aims = _of_targets(model)
    rows = [e.name for e in model.equations if e.name not in aims]
    if not rows:
        raise ModelError(f"model {model.name}", must="compute something besides its loss", came="the loss alone",
                         next_step="give what the loss compares with the targets a variable of its own")
    edges = _edges(model)
    reach = {name: {u for u, _ in _closure(edges, edges[name], timeless=True)} for name in rows}
    ends = [name for name in rows if all(name not in reach[other] or other in reach[name] for other in rows if other != name)]
    return tuple(name for k, name in enumerate(ends) if not any(name in reach[o] and o in reach[name] for o in ends[k + 1 :]))


def reduced(found: Needed) -> Model:
    """The model with the equations that are needed and no others; without its loss, unless that is an output."""
    m = found.model
    kept = {*found.every, *found.late}
    small = replace(m, equations=tuple(e for e in m.equations if e.name in kept), loss=m.loss if m.loss in kept else None)
    return replace(small, simplex=m.simplex & {s.name for s in small.targets})


def _edges(model: Model) -> Edges:
    """What the equation of each variable uses: variable and steps back."""
    return {e.name: tuple((s.name, -(s.time or NOW).offset) for s in symbols(e.right) if s.kind == "variable") for e in model.equations}


def _closure(edges: Edges, start: Iterable[tuple[str, int]], timeless: bool = False) -> set[tuple[str, int]]:
    """Everything that some values (variable, step) are made of, at steps from the first on; ``timeless``: whatever the step."""
    seen: set[tuple[str, int]] = set()
    todo = [(name, 1 if timeless else t) for name, t in start]
    while todo:
        name, t = todo.pop()
        if (name, t) not in seen and t >= 1:
            seen.add((name, t))
            todo += [(u, t if timeless else t - lag) for u, lag in edges[name]]
    return seen


def _of_targets(model: Model) -> set[str]:
    """The loss, and the variables that nothing but the loss needs and that targets reach other than through states."""
    edges = _edges(model)
    kept = {u for u, _ in _closure(edges, ((s.name, 0) for s in model.states), timeless=True)}
    outside = {name: tuple(x for x in used if x[0] not in kept) for name, used in edges.items()}
    direct = {e.name for e in model.equations if e.name not in kept and any(s.kind == "target" for s in symbols(e.right))}
    aims = {model.loss} if model.loss is not None else set()
    for name in reversed(edges):
        users = {other for other, used in edges.items() if any(u == name for u, _ in used)}
        if users and users <= aims and direct & {u for u, _ in _closure(outside, [(name, 0)], timeless=True)}:
            aims.add(name)
    return {str(name) for name in aims}


def _when(steps: Sequence[int]) -> str:
    """Steps back from the last one in words.

    >>> _when((0,)), _when((0, 2))
    ('at the last step', '0 and 2 steps before the last one')
    """
    return "at the last step" if tuple(steps) == LAST else f"{' and '.join(map(str, steps))} steps before the last one"
