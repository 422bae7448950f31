"""What depends on what in a model, step by step: claims about sources, shared parameters and what need not be computed."""
from __future__ import annotations

from collections.abc import Iterable, Sequence

from symrnn.expr import symbols
from symrnn.model import Model
from symrnn.prove.verdict import EVERYWHERE, Verdict

Place = tuple[str, int]
"""A variable and how many steps after the present one it is taken."""


def reached(model: Model, start: str, last: int) -> set[Place]:
    """The variables that depend on ``start`` of the present step, up to ``last`` steps later.

    >>> from symrnn.expr import apply
    >>> from symrnn.model import param, sequence
    >>> h, o = sequence("h", "n"), sequence("o", "m")
    >>> m = Model.build("m", [(h, apply("tanh", param("W", "n", "n") @ h[-1])), (o, param("V", "m", "n") @ h)])
    >>> sorted(reached(m, "h", 1)), sorted(reached(m, "o", 1))
    ([('h', 1), ('o', 0), ('o', 1)], [])
    """
    users: dict[str, list[Place]] = {}
    for e in model.equations:
        for s in symbols(e.right):
            if s.time is not None and s.time.base == "t":
                users.setdefault(s.name, []).append((e.name, -s.time.offset))
    found: set[Place] = set()
    todo: list[Place] = [(start, 0)]
    while todo:
        name, at = todo.pop()
        new = {(user, at + later) for user, later in users.get(name, ()) if at + later <= last} - found
        found |= new
        todo += new
    return found


def sources(model: Model, of: str, others: Iterable[Place]) -> Verdict:
    """Whether each of the others depends on a variable of the present step, so that its gradient has a part from there."""
    wanted = list(others)
    found = reached(model, of, max((k for _, k in wanted), default=0))
    missing = [name for name, k in wanted if (name, k) not in found]
    if missing:
        return Verdict("undecided", "SR103", f"no equation that was understood makes {missing[0]} depend on {of}")
    return Verdict("proved", method="dependence in the equations", scope=EVERYWHERE, error_bound="0",
                   reason="; ".join(f"{name} {'' if not k else f'{k} later '}depends on {of}" for name, k in wanted))


def used(model: Model, name: str, steps: Iterable[Place], parameters: Iterable[str]) -> list[str]:
    """Which of some values (a variable or an input, so many steps after the present one) and parameters a variable is computed from."""
    found = [f"{other}{f'[t{step}]' if step else ''}" for other, step in steps if (name, -step) in reached(model, other, -step)]
    inside, todo = {name}, [name]
    while todo:
        new = {s.name for s in symbols(model.definitions[todo.pop()]) if s.name in model.definitions} - inside
        inside |= new
        todo += new
    own = {s.name for other in inside for s in symbols(model.definitions[other]) if s.kind == "parameter"}
    return [*found, *(p for p in parameters if p in own)]


def dependent(model: Model, name: str, steps: Sequence[Place], parameters: Sequence[str]) -> Verdict:
    """Whether a variable is computed from all of some values and parameters."""
    found = used(model, name, steps, parameters)
    if len(found) < len(steps) + len(parameters):
        return Verdict("undecided", "SR103", f"no equation that was understood makes {name} depend on all of them")
    return Verdict("proved", reason=f"the equation of {name} uses {', '.join(found)}, perhaps through other equations",
                   method="dependence in the equations", scope=EVERYWHERE, error_bound="0")


def independent(model: Model, name: str, steps: Sequence[Place], parameters: Sequence[str]) -> Verdict:
    """Whether a variable is computed from none of some values and parameters."""
    found = used(model, name, steps, parameters)
    if found:
        return Verdict("undecided", "SR303", f"the equation of {name} uses {', '.join(found)}, perhaps through other equations")
    return Verdict("proved", reason=f"no equation from which {name} is computed uses it", method="dependence in the equations",
                   scope=EVERYWHERE, error_bound="0")


def not_needed(model: Model, name: str) -> Verdict:
    """Whether nothing that comes later depends on a variable: then its earlier values are not needed for a later one."""
    later = sorted({user for user, k in reached(model, name, 1) if k > 0})
    if later:
        return Verdict("undecided", "SR303", f"{later[0]} of the next step depends on {name}")
    return Verdict("proved", method="dependence in the equations", scope=EVERYWHERE, error_bound="0",
                   reason=f"nothing of a later step depends on {name}")


def shared(model: Model, names: Iterable[str]) -> Verdict:
    """Whether parameters are the same at every step: the equations use each without a time."""
    own = [p.name for p in model.parameters]
    asked = list(names) or own
    unknown = [name for name in asked if name not in own]
    if unknown or not asked or not model.equations:
        why = f"no equation that was understood uses {unknown[0]}" if unknown else "no equation that was understood has parameters"
        return Verdict("undecided", "SR103", why)
    return Verdict("proved", method="one symbol in the equation of every step", scope=EVERYWHERE, error_bound="0",
                   reason=f"the equations at every step use the same {', '.join(asked)}")


def after_the_last(last: str) -> Verdict:
    """A product with a gradient by a variable of the next step, at the last step: there is no next one, and the gradient is zero."""
    return Verdict("proved", method="the gradient by a variable of a step after the last is zero", scope=EVERYWHERE, error_bound="0",
                   conditions=(last,))
