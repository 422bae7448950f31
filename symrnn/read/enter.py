"""Facts stated in English, entered into the declarations of a text: what each kind of fact declares."""
from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from symrnn.read.facts import Fact
from symrnn.read.reader import read
from symrnn.read.symbols import SymbolTable
from symrnn.read.tree import Node

COMMA = re.compile(r",\s*(?![^{(]*[})])")


@dataclass(frozen=True)
class Stated:
    """A fact with its names read by the table of the text."""

    fact: Fact
    data: dict[str, Any]
    table: SymbolTable
    names: tuple[Node | None, ...]

    @classmethod
    def of(cls, f: Fact, data: dict[str, Any]) -> Stated:
        table = SymbolTable.from_mapping(data)
        losses = {name: "scalar" for name in (data.get("total"), data.get("loss")) if name and name not in table}
        table = table.rebound(losses)
        return cls(f, data, table, tuple(read(name, table, second=False).tree for name in COMMA.split(f.names)))

    @property
    def only(self) -> Node:
        """The one name of the fact; a node that is no symbol if there are more, or it was not read."""
        found = self.names[0] if len(self.names) == 1 else None
        return found if found is not None else Node("Absent")

    @property
    def places(self) -> tuple[Node, ...]:
        """What stands after at or by, by commas."""
        found = [read(w, self.table, second=False).tree for w in COMMA.split(self.fact.where)]
        return tuple(n if n is not None else Node("Absent") for n in found)

    @property
    def all_gradients(self) -> bool:
        return all(n is not None and n.op == "Gradient" for n in self.names)


def enter(f: Fact, data: dict[str, Any]) -> bool:
    """A fact into the declarations of a text; whether it says something that is understood there.

    >>> data = {"symbols": {"t": "time", "h": "vector, sequence"}, "time_letter": "t", "steps": ["T"], "gradients": ["delta"]}
    >>> enter(Fact("before-end", "t"), data), data["assume"]
    (True, ['t < T'])
    >>> enter(Fact("value", r"\\delta_{h_t}", "h_t"), data), enter(Fact("value", r"\\delta_{h_t}", "h_{t-1}"), data)
    (True, False)
    """
    return ENTER[f.kind](Stated.of(f, data))


def _before_end(s: Stated) -> bool:
    s.data.setdefault("assume", []).append(f"{s.fact.names} < {s.data['steps'][0]}")
    return bool(s.fact.names == s.data["time_letter"])


def _last_step(s: Stated) -> bool:
    if s.only.op != "Sym" or len(s.only.args) != 1:
        return False
    s.data["steps"] = [s.only.head]
    s.data["symbols"][s.only.head] = "size"
    return True


def _same(s: Stated) -> bool:
    """Two names of one quantity, which the table of the text reads as one."""
    return s.only.op == "Sym" and s.places == (s.only,)


def _target(s: Stated) -> bool:
    if s.only.op != "Sym" or len(s.only.args) != 1:
        return False
    s.data["targets"] = [*s.data.get("targets", ()), s.only.head]
    return True


def _inputs(s: Stated) -> bool:
    d = s.table.get(s.fact.names)
    if d is None or not d.sequence:
        return False
    s.data["steps"] = [s.fact.where]
    s.data["symbols"][s.fact.where] = "size"
    return True


def _copy(s: Stated) -> bool:
    """What everybody means by a parameter at a step: the use that this step makes of it."""
    return s.only.op == "Sym" and s.only.part("Time") is not None and s.places == (Node("Sym", (s.only.head,)),)


def _flow(s: Stated) -> bool:
    s.data.setdefault("flowing", []).append(s.fact.names)
    return s.all_gradients and len(s.names) == 1


def _value(s: Stated) -> bool:
    """What everybody means by a named gradient, or by the derivative of the loss."""
    n, at = s.only, s.places[0]
    named = n.op == "Gradient" and n.nodes[0] == at
    return named or n.op == "Deriv" and n.nodes[0].head == s.data.get("total") and n.nodes[1] == at


def _cross_entropy(s: Stated) -> bool:
    target = s.places[0]
    if target.op != "Sym" or s.only.head not in (s.data.get("total"), s.data.get("loss")) or not s.only.head:
        return False
    s.data["cross_entropy"] = target.head
    s.data["targets"] = s.data["simplex"] = [*s.data.get("simplex", ()), target.head]
    return True


def _direct(s: Stated) -> bool:
    at = s.places[0] if s.fact.where else Node("Sym", ("",))
    if s.only.op != "Sym" or at.op != "Sym":
        return False
    s.data.setdefault("direct", {})[s.only.head] = at.head
    return True


def _arriving(s: Stated) -> bool:
    """``dc_next`` arrives at c of the running step: so that c_next is c there."""
    step = Node("Time", (Node("Sym", (s.data["time_letter"],)),))
    if len(s.names) != len(s.places) or any(w.op != "Sym" or w.part("Time") != step for w in s.places):
        return False
    found = s.data.setdefault("arriving", {})
    for n, w in zip(s.names, s.places, strict=True):
        found[n.nodes[0].head if n is not None and n.op == "Gradient" else f"{w.head}_next"] = w.head
        found[f"{w.head}_next"] = w.head
    return all(n is not None for n in s.names)


def _absent(s: Stated) -> bool:
    by = s.only.nodes[0] if s.only.op == "Gradient" else Node("Absent")
    if by.part("Time") != Node("Time", (Node("Num", ("0",)),)):
        return False
    s.data.setdefault("absent", []).append(by.head)
    return True


ENTER: dict[str, Callable[[Stated], bool]] = {
    "argument": lambda s: "gradients" in s.data, "gradients": lambda s: s.all_gradients, "value": _value, "direct": _direct,
    "arriving": _arriving, "flow": _flow, "absent": _absent, "cross-entropy": _cross_entropy, "before-end": _before_end,
    "last-step": _last_step, "copy": _copy, "same": _same,
    "target": _target, "inputs": _inputs,
    "nothing": lambda s: True,
}
"""What each kind of fact does to the declarations; whether it was understood."""
