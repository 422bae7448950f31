"""What runs inside a loop over time and what outside of it: blocks of equations in an order in which they can be computed.

Equations that need each other across steps are loop-carried and share one loop; every other equation is computed for all steps
at once. Inside a loop, the parts that no loop-carried quantity reaches are taken out of it and computed before.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from symrnn.emit.arrays import static
from symrnn.expr import NOW, Expr, Symbol, add, node, rebuild, symbols
from symrnn.model import Equation


@dataclass(frozen=True)
class Block:
    """Equations computed together; ``before`` are the parts taken out of their loop, each a symbol of kind ``temporary``."""

    loop: bool
    equations: tuple[Equation, ...]
    before: tuple[Equation, ...] = field(default=())


def key(s: Symbol) -> tuple[str, str]:
    """What tells quantities apart whatever their step."""
    return s.kind, s.name


def schedule(equations: Iterable[Equation], fresh: Callable[[str], str]) -> tuple[Block, ...]:
    """The blocks of a system whose equations stand in an order that is right within one step.

    ``fresh`` makes the name of a temporary for the equation of a name.
    """
    rows = list(equations)
    own = {key(e.left): e for e in rows}
    uses = {k: {key(s) for s in symbols(e.right)} & own.keys() for k, e in own.items()}
    reach = _closure(uses)
    groups: list[tuple[bool, list[Equation]]] = []
    placed: set[tuple[str, str]] = set()
    waiting = list(own)
    while waiting:
        k = next(k for k in waiting if all(u in placed or k in reach[u] for u in reach[k]))
        group = [u for u in waiting if u == k or (u in reach[k] and k in reach[u])]
        groups.append((k in reach[k], [own[u] for u in group]))
        placed |= set(group)
        waiting = [u for u in waiting if u not in placed]
    return tuple(_block(loop, group, fresh) for loop, group in _merged(groups))


def _closure(uses: dict[tuple[str, str], set[tuple[str, str]]]) -> dict[tuple[str, str], set[tuple[str, str]]]:
    """What each quantity needs, directly or not, at whatever step."""
    reach = {k: set(v) for k, v in uses.items()}
    changed = True
    while changed:
        changed = False
        for found in reach.values():
            more = set().union(*(reach[u] for u in found)) - found
            found |= more
            changed = changed or bool(more)
    return reach


def _merged(groups: list[tuple[bool, list[Equation]]]) -> list[tuple[bool, list[Equation]]]:
    """Neighbours that are computed for all steps at once, together."""
    out: list[tuple[bool, list[Equation]]] = []
    for loop, group in groups:
        if not loop and out and not out[-1][0]:
            out[-1] = (False, out[-1][1] + group)
        else:
            out.append((loop, list(group)))
    return out


def _block(loop: bool, group: list[Equation], fresh: Callable[[str], str]) -> Block:
    if not loop:
        return Block(False, tuple(group))
    carried = frozenset(key(e.left) for e in group)
    before: list[Equation] = []
    kept = [Equation(e.left, _split(e.right, carried, e.name, before, fresh)) for e in group]
    return Block(True, tuple(kept), tuple(before))


def reached(e: Expr, carried: frozenset[tuple[str, str]]) -> bool:
    """Whether a loop-carried quantity occurs in the expression."""
    return any(key(s) in carried for s in symbols(e))


def temporary(name: str, value: Expr) -> Expr:
    """A symbol for a part that is computed beforehand."""
    assert value.shape is not None
    return node("sym", attr=Symbol(name, value.shape, "temporary", None if static(value) else NOW))


def _split(e: Expr, carried: frozenset[tuple[str, str]], name: str, before: list[Equation], fresh: Callable[[str], str]) -> Expr:
    """``e`` with every part that nothing loop-carried reaches replaced by a temporary."""
    def out(value: Expr) -> Expr:
        known = next((t.left for t in before if t.right is value), None)
        if known is not None:
            return node("sym", attr=known)
        made = temporary(fresh(name), value)
        before.append(Equation(made.attr, value))
        return made

    if not reached(e, carried):
        return e if _plain(e) else out(e)
    if e.op == "add":
        free = [a for a in e.args if not reached(a, carried)]
        bound = [_split(a, carried, name, before, fresh) for a in e.args if reached(a, carried)]
        if free:
            rest = add(*free)
            bound.append(rest if _plain(rest) else out(rest))
        return bound[0] if len(bound) == 1 else node("add", *bound)
    return rebuild(e, tuple(_split(a, carried, name, before, fresh) for a in e.args))


def _plain(e: Expr) -> bool:
    """Whether computing the part beforehand would save nothing: names, numbers, and turned or scaled ones."""
    if e.op in ("sym", "num", "size", "steps", "ones", "zeros", "eye"):
        return True
    if e.op == "transpose" or (e.op == "smul" and e.args[0].op == "num"):
        return _plain(e.args[-1])
    return e.op == "diag" and _plain(e.args[0])
