"""The statements of a claim one after the other: the value of each target in terms of what was there before.

>>> from symrnn.read.codetext import statements
>>> [f"{t.target} {t.relation} {t.value}" for t in tasks_of(statements("a = w * x; a += b; c = a"), "python")]
['a = (Add (Star w x) b)', 'c = (Add (Star w x) b)']
"""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from symrnn.coded.network import HOT, is_class, put
from symrnn.coded.values import Doubt
from symrnn.read.codetext import Statement
from symrnn.read.tree import Node, sym
from symrnn.read.tree import walk as nodes_of


@dataclass(frozen=True)
class Task:
    """A target with its value after all statements before it: ``target relation value``."""

    target: Node | None
    relation: str
    value: Node
    span: tuple[int, int]
    used: bool = False
    guarded: bool = False
    course: str = ""                                                 # how the loop round it goes over the steps
    loop: str = ""                                                   # the letter that it counts
    later: frozenset[Node] = frozenset()                             # what statements after it assign
    source: Node | None = None                                       # the value as the statement writes it


def tasks_of(parsed: Sequence[Statement], language: str) -> list[Task]:
    """The targets of some statements with their values."""
    return _Tasks(parsed, language).run()


@dataclass
class _Tasks:
    statements: Sequence[Statement]
    language: str

    def run(self) -> list[Task]:
        """The statements with the values of earlier ones put in; in plain text also those of later ones (``where``)."""
        done: dict[Node, Task] = {}
        targets = [{t for t, _ in _pairs(s) if t is not None} for s in self.statements]
        for k, s in enumerate(self.statements):
            pairs = list(_pairs(s))
            later = frozenset() if self.language == "ascii" else frozenset(t for ts in targets[k + 1 :] for t in ts)
            if any(t.guarded and not s.guarded or t.course != s.course for key, t in done.items()
                   for _, value in pairs if any(m == key for m in nodes_of(value))):
                raise Doubt("a value that is assigned under a condition or in a loop is used elsewhere")
            rows = [(target, self.put_in(done, value, [t for t, _ in pairs if t is not None]), value) for target, value in pairs]
            for target, value, source in rows:                       # all right sides before any left side
                if target is None:
                    done[Node("Text", (f"{s.span}",))] = Task(None, s.relation, value, s.span, guarded=s.guarded,
                                                                       course=s.course, loop=s.loop)
                else:
                    done |= {name: replace(t, source=source, later=later) for name, t in self.assigned(done, s, target, value).items()}
        if self.language == "ascii":
            for key in list(done):
                for other, t in list(done.items()):
                    if other != key and key.op == "Sym" and any(m == key for m in nodes_of(t.value)) and done[key].relation == "=":
                        done[other] = replace(t, value=put(t.value, key, done[key].value))
                        done[key] = replace(done[key], used=True)
        return list(done.values())

    def put_in(self, done: dict[Node, Task], value: Node, targets: Sequence[Node]) -> Node:
        """A value with those of earlier statements in it; what it reads of its own targets is marked as what was there before."""
        found = [(key, t) for key, t in done.items() if t.relation in ("=", "+=") and any(m == key for m in nodes_of(value))]
        for k, (key, t) in enumerate(found):
            value, done[key] = put(value, key, Node("Text", (f"{k}",))), replace(t, used=True)
        for target in targets:
            value = put(value, target, before(target))
        for k, (key, t) in enumerate(found):
            value = put(value, Node("Text", (f"{k}",)), t.value if t.relation == "=" else Node("Add", (before(key), t.value)))
        return value

    def assigned(self, done: Mapping[Node, Task], s: Statement, target: Node, value: Node) -> dict[Node, Task]:
        """What holds after one statement, given what was assigned before."""
        index = target.part("Index")
        whole = sym(target.head, index=index.nodes[:-1] if index is not None else ())
        at_class = index is not None and is_class(index.nodes[-1])
        if at_class and whole not in done and s.relation in ("+=", "-="):
            raise Doubt(f"what {target.head} is before the statement is not said")
        known = done.get(whole if at_class else target)
        if any(t.head == target.head and t != target and not (at_class and t == whole) for t in done):
            raise Doubt(f"{target.head} is assigned in parts")
        if at_class:
            target, value = whole, Node("Star", (value, sym(HOT)))
        if known is None:
            if at_class or s.relation not in ("=", "+=", "-="):
                raise Doubt(f"what {target.head} is before the statement is not said")
            relation, value = increased(target, s.relation, value)
            return {target: Task(target, relation, value, s.span, guarded=s.guarded, course=s.course, loop=s.loop)}
        if s.guarded != known.guarded or s.course != known.course:
            raise Doubt(f"{target.head} is assigned under a condition or in a loop, and elsewhere too")
        span = (known.span[0], s.span[1])
        if s.relation == "=" and not at_class:
            return {target: Task(target, "=", value, span, guarded=s.guarded, course=s.course, loop=s.loop)}
        if s.relation not in ("+=", "-=") or known.relation != "=":
            raise Doubt(f"{target.head} is changed more than once")
        return {target: Task(target, "=", Node("Add", (known.value, value if s.relation == "+=" else Node("Neg", (value,)))), span,
                             guarded=s.guarded, course=s.course, loop=s.loop)}


def before(n: Node) -> Node:
    """A name as what it holds before the statement that assigns it.

    >>> str(before(sym("h"))), is_before(before(sym("h")))
    ('h{p=before}', True)
    """
    return Node("Sym", (*n.args, Node("Param", (sym("before"),))), n.span) if n.op == "Sym" else n


def is_before(n: Node) -> bool:
    """Whether a name is marked as what it holds before the statement that assigns it."""
    return n.part("Param") is not None


def increased(target: Node, relation: str, value: Node) -> tuple[str, Node]:
    """``a = a + b`` is ``a += b``.

    >>> a, b = sym("a"), sym("b")
    >>> increased(a, "=", Node("Add", (b, before(a)))), increased(a, "=", b)[0]
    (('+=', Node(op='Sym', args=('b',), span=(0, 0))), '=')
    """
    old = before(target)
    if relation != "=" or value.op != "Add" or sum(n == old for n in nodes_of(value)) != 1 or old not in value.nodes:
        return relation, value
    rest = tuple(n for n in value.nodes if n != old)
    return "+=", rest[0] if len(rest) == 1 else Node("Add", rest)


def _pairs(s: Statement) -> Iterator[tuple[Node | None, Node]]:
    """Target and value of a statement, one pair for each name of a tuple."""
    if s.target is None or s.target.op not in ("Tuple", "List"):
        yield s.target, s.value
    elif s.value.op in ("Tuple", "List") and len(s.value.nodes) == len(s.target.nodes):
        yield from zip(s.target.nodes, s.value.nodes, strict=True)
    else:
        raise Doubt("a statement with several targets is not taken apart")
