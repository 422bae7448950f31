"""The recurrences of the backward pass, taken apart: what comes straight from the loss, what from the last step alone, and the rest.

A term without an adjoint in it comes straight from the loss, whose derivative by itself is the weight of its step: one in a sum, a
share in a mean, zero in padding. Every other term is linear in adjoints and has the weight already.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from symrnn.emit.layout import Key
from symrnn.emit.schedule import key
from symrnn.expr import NOW, Expr, Symbol, add, is_zero, node, symbols, transform
from symrnn.model import Equation


@dataclass
class Rows:
    """Equations for adjoints; ``ends`` are the parts of the last step alone, ``seeds`` those that come straight from the loss.

    ``ahead`` are the values of later steps that the equations use, each a temporary.
    """

    equations: list[Equation] = field(default_factory=list)
    ends: dict[str, Expr] = field(default_factory=dict)
    seeds: dict[str, Expr] = field(default_factory=dict)
    ahead: dict[Key, dict[int, Symbol]] = field(default_factory=dict)

    def without_ahead(self, x: Expr) -> Expr | None:
        """A value of a later step is taken from an array that is shifted beforehand."""
        if x.op != "sym" or x.attr.kind in ("adjoint", "temporary") or x.attr.time is None or x.attr.time.offset <= 0:
            return None
        s, k = x.attr, x.attr.time.offset
        made = Symbol(f"{s.name} {k} ahead", s.shape, "temporary", NOW)
        return node("sym", attr=self.ahead.setdefault(key(s), {}).setdefault(k, made))

    def set_apart(self, where: dict[str, Expr], name: str, words: str, apart: list[Expr], rest: list[Expr]) -> Expr:
        """The sum with the terms ``apart`` under a name of their own."""
        value = where[name] = add(*apart)
        assert value.shape is not None
        return add(node("sym", attr=Symbol(f"{name} {words}", value.shape, "temporary", NOW)), *rest)


def terms_of(e: Expr) -> tuple[Expr, ...]:
    """The terms of a sum that are not zero."""
    return tuple(x for x in (e.args if e.op == "add" else (e,)) if not is_zero(x))


def from_loss(e: Expr) -> bool:
    """Whether a term comes straight from the loss, and not through an adjoint."""
    made = e.op == "sym" and e.attr.kind == "temporary"
    return not made and not any(s.kind == "adjoint" for s in symbols(e))


def closure(start: Iterable[str], adjoints: Mapping[str, Expr]) -> set[str]:
    """The adjoints that are needed for some."""
    waiting, found = list(start), set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [s.name for s in symbols(adjoints[name]) if s.kind == "adjoint"]
    return found


def rows(names: Iterable[Symbol], adjoints: Mapping[str, Expr], heads: frozenset[str], last: bool) -> Rows:
    """The equations for the adjoints of some symbols; ``heads`` exist at the last step only, as the loss does if ``last``."""
    out = Rows()
    for s in names:
        left = Symbol(s.name, s.shape, "adjoint", NOW)
        right = transform(adjoints[s.name], out.without_ahead)
        terms = terms_of(right)
        if last and s.name not in heads:
            apart = [x for x in terms if is_late(x, heads)]
            if apart:
                right = out.set_apart(out.ends, s.name, "at the end", apart, [x for x in terms if x not in apart])
        elif not last:
            apart = [x for x in terms if from_loss(x)]
            if apart and len(apart) < len(terms):
                right = out.set_apart(out.seeds, s.name, "from the loss", apart, [x for x in terms if x not in apart])
        out.equations.append(Equation(left, right))
    return out


def is_late(e: Expr, heads: frozenset[str]) -> bool:
    """Whether a term belongs to the last step alone, with the loss there: it comes from the loss, or through a head."""
    return from_loss(e) or any(s.kind == "adjoint" and s.name in heads for s in symbols(e))
