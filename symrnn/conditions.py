"""Side conditions: which of them restrict a claim and how, which leave nothing out, and which are not understood.

A condition that is read must mean what it prints: one about a single entry or a single step is none about the whole.
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from symrnn.prove.claim import Condition
from symrnn.read.scope import Scope
from symrnn.read.tree import Node, walk

ZERO, ONE = Node("Num", ("0",)), Node("Num", ("1",))
SAME = ("=", ":=", "==")
COUNTERS = frozenset("ijklmnpqrs")


def counted(trees: Iterable[Node], scope: Scope) -> Scope:
    """The scope for the conditions of some formulas: a letter that counts components there is no size."""
    used = {i.head for tree in trees for n in walk(tree) for part in [n.part("Index") if n.op == "Sym" else None] if part is not None
            for i in part.nodes if _letter(i) and (d := scope.table.get(i.head)) is not None and d.kind == "size"}
    return replace(scope, table=scope.table.rebound(dict.fromkeys(sorted(used), "index"))) if used else scope


def condition_of(n: Node, scope: Scope, text: str) -> Condition | None:
    """The condition that a tree states, one of the kinds of the table of conditions; None when it is none of them."""
    if n.op in ("Where", "Seq") and len(n.nodes) == 2:
        return _before_the_first(*n.nodes, text)
    if n.op != "Chain":
        return None
    if _all_but_the_last(n, scope):
        return Condition("before-end", (), text)
    if len(n.nodes) != 2:
        return None
    left, rel = n.nodes
    right = rel.nodes[0]
    if rel.head == "=" and right == ONE and left.op == "Sum":
        return _simplex(left, scope, text)
    if rel.head == "=" and left.op == "Sym" and (right == ZERO or right.op == "Zeros" and left.part("Time") is not None):
        return _vanishing(left, scope, text)
    if rel.head in ("=", "!=") and _counts_components(left, scope) and _counts_components(right, scope) and left != right:
        return Condition("equal" if rel.head == "=" else "distinct", (left.head, right.head), text)
    return None


def _letter(n: Node) -> bool:
    return n.op == "Sym" and len(n.args) == 1


def _is_time(n: Node, scope: Scope) -> bool:
    return _letter(n) and n.head == scope.table.time_letter


def _is_last(n: Node, scope: Scope) -> bool:
    return _letter(n) and n.head in scope.steps


def _counts_components(n: Node, scope: Scope) -> bool:
    """A letter that is declared an index, or an undeclared one of those that usually count."""
    if not _letter(n) or _is_time(n, scope) or _is_last(n, scope):
        return False
    d = scope.table.get(n.head)
    return n.head in COUNTERS if d is None else d.kind == "index" and d.role != "time"


def _whole(n: Node, scope: Scope) -> bool:
    """A symbol with all its entries: no subscript, or different letters."""
    part = n.part("Index")
    if part is None:
        return True
    return all(_counts_components(i, scope) for i in part.nodes) and len(set(part.nodes)) == len(part.nodes)


def _simplex(total: Node, scope: Scope, text: str) -> Condition | None:
    """The sum of all entries of a vector, at every step, is one."""
    letter, low, high, body, restriction = total.nodes
    full = low in (Node("Absent"), ONE) and (high.op == "Absent" or _letter(high)) and restriction.op == "Absent"
    if not full or not _counts_components(letter, scope):
        return None
    if body.op == "Call":
        return Condition("simplex", (body.nodes[0].head,), text) if body.nodes[1:] == (letter,) else None
    if body.op != "Sym":
        return None
    index, time = body.part("Index"), body.part("Time")
    runs = time is None or _is_time(time.nodes[0], scope)
    entries = index.nodes == (letter,) and runs if index is not None else time is not None and time.nodes == (letter,)
    d = scope.table.get(body.head)
    return Condition("simplex", (body.head,), text) if entries and (d is None or d.kind != "matrix") else None


def _vanishing(left: Node, scope: Scope, text: str) -> Condition | None:
    """``b = 0``; ``h_0 = 0`` and ``x_s = 0``, with a letter that is not the running one, speak of the steps before the first."""
    if not _whole(left, scope):
        return None
    part = left.part("Time")
    if part is None or _is_time(part.nodes[0], scope):
        return Condition("zero", (left.head,), text)
    time = part.nodes[0]
    return Condition("past-zero", (left.head,), text) if time == ZERO or _letter(time) and not _is_last(time, scope) else None


def _before_the_first(statement: Node, bound: Node, text: str) -> Condition | None:
    """``x_s = 0`` for ``s <= 0``, or for ``s < 1``."""
    if any(n.op != "Chain" or len(n.nodes) != 2 for n in (statement, bound)):
        return None
    (left, equal), (letter, rel) = statement.nodes, bound.nodes
    time = left.part("Time") if left.op == "Sym" and left.part("Index") is None else None
    last = (rel.head, rel.nodes[0].head)
    holds = time is not None and time.nodes == (letter,) and letter.op == "Sym" and equal.args == ("=", ZERO)
    return Condition("past-zero", (left.head,), text) if holds and last in (("<=", "0"), ("<", "1")) else None


def _all_but_the_last(n: Node, scope: Scope) -> bool:
    """``t < T``, ``t \\le T - 1``, ``t = 1, ..., T - 1``."""
    pairs = list(_pairs(n))
    for left, head, right in pairs:
        below = head == "<" and _is_last(right, scope) or head == "<=" and _one_less(right, scope)
        if _is_time(left, scope) and below:
            return all(p == (left, head, right) or _lower(*p, scope) for p in pairs)
    if len(pairs) == 1 and _is_time(pairs[0][0], scope) and (listed := _listed(pairs[0][2])):
        return _number(listed[0], 1) and _one_less(listed[-1], scope)
    return False


def _one_less(n: Node, scope: Scope) -> bool:
    return n.op == "Add" and len(n.nodes) == 2 and _is_last(n.nodes[0], scope) and n.nodes[1] == Node("Neg", (ONE,))


def _number(n: Node, most: int) -> bool:
    return n.op == "Num" and n.head.isdigit() and int(n.head) <= most


def _listed(n: Node) -> tuple[Node, ...]:
    return n.nodes if n.op in ("Enum", "Set") and any(x.op == "Ellipsis" for x in n.nodes) and len(n.nodes) > 1 else ()


def _pairs(n: Node) -> list[tuple[Node, str, Node]]:
    sides = [n.nodes[0], *(rel.nodes[0] for rel in n.nodes[1:])]
    return [(a, rel.head, b) for (a, b), rel in zip(pairwise(sides), n.nodes[1:], strict=True)]


def _counts(n: Node, scope: Scope) -> bool:
    """A letter that takes whole numbers: a step, a component, a size."""
    d = scope.table.get(n.head) if _letter(n) else None
    return _is_time(n, scope) or _is_last(n, scope) or _counts_components(n, scope) or d is not None and d.kind in ("index", "size")


def _lower(left: Node, head: str, right: Node, scope: Scope) -> bool:
    """A lower bound that leaves nothing out: a count begins at 1."""
    low = left, head, right
    for (number, sign, letter), within, strictly in ((low, "<=", "<"), ((right, head, left), ">=", ">")):
        if _counts(letter, scope) and (sign == within and _number(number, 1) or sign == strictly and _number(number, 0)):
            return True
    return False


def _upper(left: Node, head: str, right: Node, scope: Scope) -> bool:
    """An upper bound by a letter, the last value there is."""
    return _counts(left, scope) and _letter(right) and head == "<=" or _letter(left) and _counts(right, scope) and head == ">="


def leaves_out(n: Node, scope: Scope) -> bool:
    """Whether a side condition may leave out something of what a statement speaks of.

    ``t = 1, ..., T``, ``1 <= i <= n``, ``for all t`` and ``W in R^n`` leave out nothing.
    """
    if n.op != "Chain":
        return any(not _letter(x) for x in (n.nodes if n.op in ("Tuple", "Enum") else (n,)))
    pairs = _pairs(n)
    left, head, right = pairs[0]
    if head == "in" and not _listed(right) and right.op != "Set":
        return False                                                  # what something is, or a range by its name
    if head in ("in", *SAME) and (listed := _listed(right)) and len(pairs) == 1 and _counts(left, scope):
        first, last = listed[0], listed[-1]
        if _number(last, 1):
            first, last = last, first
        return not (_number(first, 1) and (last.op == "Ellipsis" or _letter(last)))
    if len(pairs) == 2 and head in SAME and pairs[1][1] == ":":      # t = 1:T
        return not (_number(right, 1) and _letter(pairs[1][2]))
    return not all(_lower(*p, scope) or _upper(*p, scope) for p in pairs)


def restricts_definition(n: Node, scope: Scope) -> bool:
    """Whether a side condition keeps an equation from being the definition at every step.

    An initial value does not, nor a further definition (``where a_t = W h_{t-1}``).
    """
    if not leaves_out(n, scope):
        return False
    if n.op != "Chain" or len(n.nodes) != 2 or n.nodes[0].op != "Sym" or n.nodes[1].head not in SAME:
        return True
    left, right = n.nodes[0], n.nodes[1].nodes[0]
    d, time = scope.table.get(left.head), left.part("Time")
    if d is not None and d.kind in ("index", "size") or left.head == scope.table.time_letter:
        return True
    first = time is not None and _number(time.nodes[0], 0)
    return not first and right.op == "Num"
