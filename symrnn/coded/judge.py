r"""Claims in code, judged: does a statement compute what the lines beside it say that its target is?

What a target is to be is an equation of the text (the value must be that of the equation), a gradient that a sentence names, or a
gradient by the name alone; then every usual reading of the name is tried, and a verdict stands only if all of them agree on it.

>>> given = ["y = w * tanh(u)", "dy = dL/dy; du is to be dL/du"]
>>> for claim in ("du = dy * w * (1 - np.tanh(u)**2)", "du = dy * w * (1 - np.tanh(u))", "dv = dy * w"):
...     print(*(f"{j.verdict.word}: {j.text}" for j in judge_code(claim, "python", given, {"all": "n"})))
proved: du = dy * w * (1 - np.tanh(u)**2)
refuted: du = dy * w * (1 - np.tanh(u))
undecided: dv = dy * w
"""
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from symrnn.coded.facts import Facts, Gradient
from symrnn.coded.network import HOT, SPEC, SPLIT, Network, is_class, put
from symrnn.coded.shapes import Known
from symrnn.coded.values import Doubt, Elaborate
from symrnn.coded.world import Names, Ref, argument, symbols_of, with_output
from symrnn.expr import FIRST, LAST, NOW, Expr, resize, symbols, time_sum, unify, zeros
from symrnn.prove.claim import Claim, Condition
from symrnn.prove.decide import decide
from symrnn.prove.verdict import Verdict
from symrnn.read.codetext import Statement, statements
from symrnn.read.tree import Node, sym
from symrnn.read.tree import walk as nodes_of

LANGUAGES = ("python", "ascii", "c", "c++", "java", "matlab")
"""The languages of claims that are code."""

MOST_READINGS = 16
DECISIVE = ("proved", "refuted", "conditional", "agrees")


@dataclass(frozen=True)
class JudgedStatement:
    """One statement of a claim, and its verdict."""

    text: str
    verdict: Verdict


@dataclass(frozen=True)
class Task:
    """A target with its value after all statements before it: ``target relation value``."""

    target: Node | None
    relation: str
    value: Node
    span: tuple[int, int]
    used: bool = False


def judge_code(claim: str, language: str, given: Sequence[str], shapes: Mapping[str, str],
               assume: Sequence[str] = ()) -> list[JudgedStatement]:
    """The verdict on each statement of a claim whose target has a meaning. Raises CodeUnread."""
    parsed = statements(claim, language)
    facts = Facts.of(given)
    try:
        conditions = [condition(text) for text in assume]
        judge = Judge(facts, parsed, shapes, language, tuple(c for c in conditions if c is not None))
        found = list(judge.run(claim))
    except Doubt as doubt:
        return [JudgedStatement(claim, _undecided(str(doubt)))]
    unclear = [*facts.unclear, *(text for text, c in zip(assume, conditions, strict=True) if c is None)]
    if unclear:
        doubt_of_it = _undecided(f"a given fact was not understood: {unclear[0]}")
        return [replace(j, verdict=doubt_of_it) if j.verdict.word in DECISIVE else j for j in found]
    return found


def condition(text: str) -> Condition | None:
    """A condition in words; None when it is not understood.

    >>> condition("y is one-hot").kind, condition("t < T").kind, condition("the moon is full")
    ('simplex', 'before-end', None)
    """
    if m := re.fullmatch(r"\s*(\w+) is (?:an? )?(?:one-?hot(?: vector)?|distribution|(?:vector of )?probabilit(?:y|ies))\s*", text):
        return Condition("simplex", (m[1],), text)
    return Condition("before-end", (), text) if re.fullmatch(r"\s*t\s*<\s*T\s*", text) else None


def _undecided(reason: str) -> Verdict:
    return Verdict("undecided", "SR303", reason)


# --------------------------------------------------------------------------------------------------------------------- a claim
@dataclass
class Judge:
    """Judges the statements of one claim."""

    facts: Facts
    parsed: Sequence[Statement]
    shapes: Mapping[str, str]
    language: str
    conditions: tuple[Condition, ...] = ()

    def __post_init__(self) -> None:
        named = [n.strip() for key in self.shapes for n in re.split(r",\s*(?![^\[{(]*[\])}])", key) if n.strip() != "all"]
        self.facts = with_output(self.facts, named)
        self.names = Names(self.facts, self.parsed, named)
        if self.facts.simplex and not any(c.subject == (self.facts.simplex,) for c in self.conditions):
            words = f"the entries of {self.facts.simplex} sum to one"
            self.conditions = (*self.conditions, Condition("simplex", (self.facts.simplex,), words))
        known = Known.of(self.shapes)
        self.known = Known({self.names.split(_symbol(k))[0]: v for k, v in known.stated.items()}, known.rest)

    def run(self, claim: str) -> Iterator[JudgedStatement]:
        """The verdicts on all targets that have a meaning, and on one that has none and is used by no other."""
        tasks = self.tasks()
        rows = [(t, self.meanings(t)) for t in tasks]
        rows = [(t, m) for t, m in rows if m or not t.used]
        for task, meanings in rows:
            text = claim[slice(*task.span)].strip().rstrip(";") if len(rows) > 1 or len(tasks) == 1 else claim
            try:
                verdict = self.judge(task, meanings)
            except Doubt as doubt:
                verdict = _undecided(str(doubt))
            yield JudgedStatement(text, verdict)

    def tasks(self) -> list[Task]:
        """The statements with the values of earlier ones put in; in plain text also those of later ones (``where``)."""
        done: dict[Node, Task] = {}
        rest = [s for s in self.parsed]
        for s in rest:
            for target, value in _pairs(s):
                for key, t in list(done.items()):
                    if any(m == key for m in nodes_of(value)) and t.relation == "=":
                        value, done[key] = put(value, key, t.value), replace(t, used=True)
                if target is None:
                    done[Node("Text", (f"{s.span}",))] = Task(None, s.relation, value, s.span)
                    continue
                done.update(self.assigned(done, s, target, value))
        if self.language == "ascii":
            for key in list(done):
                for other, t in list(done.items()):
                    if other != key and key.op == "Sym" and any(m == key for m in nodes_of(t.value)) and done[key].relation == "=":
                        done[other] = replace(t, value=put(t.value, key, done[key].value))
                        done[key] = replace(done[key], used=True)
        return list(done.values())

    def assigned(self, done: Mapping[Node, Task], s: Statement, target: Node, value: Node) -> dict[Node, Task]:
        """What holds after one statement, given what was assigned before."""
        index = target.part("Index")
        whole = sym(target.head, index=index.nodes[:-1] if index is not None else ())
        at_class = index is not None and is_class(index.nodes[-1])
        if at_class and whole not in done and s.relation in ("+=", "-="):
            raise Doubt(f"what {target.head} is before the statement is not said")
        before = done.get(whole if at_class else target)
        if any(t.head == target.head and t != target and not (at_class and t == whole) for t in done):
            raise Doubt(f"{target.head} is assigned in parts")
        if at_class:
            target, value = whole, Node("Star", (value, sym(HOT)))
        if before is None:
            if at_class or s.relation not in ("=", "+=", "-="):
                raise Doubt(f"what {target.head} is before the statement is not said")
            return {target: Task(target, s.relation, value, s.span)}
        span = (before.span[0], s.span[1])
        if s.relation == "=" and not at_class:
            return {target: Task(target, "=", value, span)}
        if s.relation not in ("+=", "-=") or before.relation != "=":
            raise Doubt(f"{target.head} is changed more than once")
        return {target: Task(target, "=", Node("Add", (before.value, value if s.relation == "+=" else Node("Neg", (value,)))), span)}

    # ------------------------------------------------------------------------------------------------------------- readings
    def meanings(self, task: Task) -> list[Ref]:
        """What the target of a statement may be meant to be."""
        if task.target is None or task.target.op != "Sym":
            return []
        ref = self.names.find(task.target)
        if ref.gradient is not None:
            return [replace(ref, gradient=replace(ref.gradient, role="asked"))] if ref.gradient.role != "direct" else []
        return [ref] if self.defines(ref.name) else self.by_name(task.target)

    def before(self, task: Task, n: Node) -> list[Ref]:
        """What a gradient may hold before a statement that multiplies it; of one that adds to it nothing is known."""
        terms = task.value.nodes if task.value.op == "Add" else (task.value,)
        found = self.by_name(n)
        if len(terms) > 1 and any(m == n for t in terms for m in symbols_of(t)) or not found:
            raise Doubt(f"what {n.head} is before the statement is not said")
        return found

    def is_open(self, n: Node) -> bool:
        """Whether nothing says what a name is: it has no equation, no sentence and no shape."""
        ref = self.names.find(n)
        return ref.gradient is None and not (ref.known and (self.defines(ref.name) or ref.name in self.known.stated))

    def defines(self, name: str) -> bool:
        """Whether an equation of the text gives a quantity its value."""
        return any(s.target is not None and any(self.names.find(n).name == name for n in symbols_of(s.target)) for s in self.facts.defined
                   if s.relation == "=")

    def by_name(self, n: Node) -> list[Ref]:
        """The gradients that a name alone may stand for: by what it is called after, or by the argument of its function."""
        base = self.names.called_after(n)
        if base is None:
            return []
        _, time, parts = self.names.split(n)
        g = Gradient(n, "asked", sym(base))
        found = [Ref(base, time or NOW, parts, True, g)]
        gate = any(s.target is not None and any(self.names.find(m).name == base for m in symbols_of(s.target)) and s.value.op == "Call"
                   and s.value.nodes[0].head in SPLIT for s in self.facts.defined)
        return [*found, Ref(argument(base), time or NOW, parts, True, g)] if gate else found

    def readings(self, task: Task) -> Iterator[dict[str, Ref]]:
        """Every way to read the names of a value that are gradients by their name alone."""
        options: dict[str, list[Ref]] = {}
        for n in symbols_of(task.value):
            own = task.target is not None and n.head == task.target.head and n.part("Index") == task.target.part("Index")
            if own and (g := self.names.find(n).gradient) is not None:
                if g.role not in ("incoming", "direct"):
                    options[n.head] = self.before(task, n)
            elif self.is_open(n) and (found := self.by_name(n)):
                options[n.head] = found
        rows = list(product(*options.values()))
        if len(rows) > MOST_READINGS:
            raise Doubt("too many names whose meaning nothing says")
        for row in rows:
            yield dict(zip(options, row, strict=True))

    # ------------------------------------------------------------------------------------------------------------- judging
    def judge(self, task: Task, meanings: Sequence[Ref]) -> Verdict:
        """The verdict on which all readings agree."""
        if not meanings:
            what = task.target.head if task.target is not None and task.target.op == "Sym" else "the value"
            raise Doubt(f"nothing says what {what} is to be")
        found: list[tuple[str, Verdict]] = []
        for meaning in meanings:
            for reading in self.readings(task):
                for star in self.stars():
                    found.append((self.shown(task, meaning, reading), self.decide(task, meaning, reading, star)))
        words = {v.word for _, v in found}
        if len(words) == 1:
            first = found[0][1]
            return first if len(found) == 1 or first.word != "refuted" else replace(
                first, reason=f"{first.reason}; it fails for every usual meaning of the names")
        kinds = [f"{v.word} if {text}" for text, v in found]
        raise Doubt("the names may mean several things: " + "; ".join(dict.fromkeys(kinds)))

    def shown(self, task: Task, meaning: Ref, reading: Mapping[str, Ref]) -> str:
        """A reading in words."""
        rows = {task.target.head if task.target is not None else "the value": meaning, **reading}
        return " and ".join(f"{name} is {'the gradient by ' if ref.gradient else ''}{ref}" for name, ref in rows.items())

    def stars(self) -> list[str]:
        """What ``*`` may mean between arrays."""
        if self.language != "ascii":
            return ["entrywise"]
        if self.facts.star:
            return [self.facts.star]
        trees = [t for s in (*self.parsed, *self.facts.defined) for t in (s.value,)]
        ops = {n.op for t in trees for n in nodes_of(t)}
        return ["matrix"] if "Had" in ops else ["entrywise"]

    def decide(self, task: Task, meaning: Ref, reading: Mapping[str, Ref], star: str) -> Verdict:
        """The verdict on one reading."""
        net = Network(self.facts, self.names, self.known, star, self.parsed)
        left = sym(SPEC, index=meaning.parts)
        net.reading = {**reading, SPEC: replace(meaning, parts=())}
        if meaning.gradient is not None:
            self.check_gradient(net, meaning)
        value = self.final(net, task, meaning)
        net.solve([(left, value)])
        elaborate = Elaborate(net)
        a, b = elaborate(left), elaborate(value)
        if a.axes != b.axes and b.axes and not a.axes:
            raise Doubt("the target is one component, and the value an array")
        right = time_sum("t", FIRST, LAST, b.expr) if self.is_summed(net, task, meaning) else b.expr
        lhs, right = _fitted(a.expr, right)
        model = net.model(elaborate)
        stated = [*self.conditions, *sorted(net.conditions, key=str)]
        if meaning.gradient is not None and meaning.gradient.before_end:
            stated.append(Condition("before-end", (), "at a step before the last"))
        used = {s.name for side in (lhs, right, *(e.right for e in model.equations)) for s in symbols(side)}
        stated = [c for c in stated if c.kind != "simplex" or c.subject[0] in used]
        verdict = decide(Claim(lhs, right, model, "=", tuple(dict.fromkeys(stated))))
        return self.sound(net, verdict, elaborate, (lhs, right))

    def check_gradient(self, net: Network, meaning: Ref) -> None:
        """Refuse a gradient that the equations do not determine."""
        after = net.after(meaning.name)
        if meaning.name in net.dotted or meaning.name.startswith("arg_"):
            pass
        elif after & net.hidden:
            raise Doubt(f"how {sorted(after & net.hidden)[0]} enters the next quantity is not taken apart")
        ends = set(net.terms) if net.loss is None else {net.ref(n).name for n in symbols_of(net.loss)}
        if not after & ends:
            raise Doubt(f"nothing given connects {meaning.name} with the loss")

    def final(self, net: Network, task: Task, meaning: Ref) -> Node:
        """The value that the target has after the statement."""
        assert task.target is not None
        if task.relation == "=":
            return task.value
        g = self.names.find(task.target).gradient
        if task.relation != "+=" or g is None:
            raise Doubt(f"what {task.target.head} is before the statement is not said")
        if g.role == "incoming":
            return Node("Add", (task.target, task.value))
        if self.is_summed(net, task, meaning):
            if task.value == task.target:
                return Node("Star", (Node("Num", ("0",)), sym(SPEC)))
            if any(n == task.target for n in symbols_of(task.value)):
                raise Doubt(f"{task.target.head} is increased by itself")
            return task.value
        raise Doubt(f"what {task.target.head} is before the statement is not said")

    def is_summed(self, net: Network, task: Task, meaning: Ref) -> bool:
        """Whether a statement collects the gradient of a weight over the steps."""
        if task.relation != "+=" or meaning.gradient is None or task.target is None:
            return False
        found = self.names.find(task.target).gradient
        return net.constant(meaning.name) and found is not None and found.role in ("summed", "asked")

    def sound(self, net: Network, v: Verdict, elaborate: Elaborate, sides: tuple[Expr, Expr]) -> Verdict:
        """A verdict only where nothing that matters was guessed."""
        if v.word == "refuted" and net.free:
            return _undecided(f"nothing says what {sorted(net.free)[0]} is")
        if v.word == "proved" and net.slips:
            return _undecided(f"the argument {sorted(net.slips)[0]} is not the one that the text names")
        if v.word == "refuted" and v.method == "shapes":
            weights = {base: name for name, base in net.terms.items()}
            used = {weights.get(s.name, s.name) for side in sides for s in symbols(side)}
            guessed = sorted(n for n in used if n not in net.sure)
            if guessed:
                return _undecided(f"nothing says what shape {guessed[0]} has; {v.reason}")
        if v.word == "proved" and "entrywise" in elaborate.stars:
            return replace(v, word="conditional", convention="* is the entrywise product here",
                           reason="true when * is the entrywise product here, and the matrix product elsewhere",
                           conditions=(*v.conditions, "* is the entrywise product where no matrix product fits"))
        if v.word == "proved" and net.dotted and any(s.kind == "adjoint" for side in sides for s in symbols(side)):
            v = replace(v, conditions=(*v.conditions, "what the dots stand for brings no further dependence"))
        return v if self.names.timed else _timeless(v)


def _pairs(s: Statement) -> Iterator[tuple[Node | None, Node]]:
    """Target and value of a statement, one pair for each name of a tuple."""
    if s.target is None or s.target.op not in ("Tuple", "List"):
        yield s.target, s.value
    elif s.value.op in ("Tuple", "List") and len(s.value.nodes) == len(s.target.nodes):
        yield from zip(s.target.nodes, s.value.nodes, strict=True)
    else:
        raise Doubt("a statement with several targets is not taken apart")


def _symbol(text: str) -> Node:
    from symrnn.coded.world import name_node
    return name_node(text)


def _fitted(left: Expr, right: Expr) -> tuple[Expr, Expr]:
    """A plain number 0 beside an array is the array of zeros; open sizes as the two sides need them."""
    if right.op == "num" and right.attr == 0 and left.shape is not None:
        right = zeros(left.shape)
    values = unify([(left, right)])
    return resize(left, values), resize(right, values)


def _timeless(v: Verdict) -> Verdict:
    """A counterexample without the one step that stands for a text without steps."""
    found = v.counterexample
    if found is None:
        return v
    values = {re.sub(r"\[1\]$", "", k): x for k, x in (found.get("values") or {}).items()}
    reason = re.sub(r", T = \d+, t = \d+|, T = \d+", "", v.reason or "")
    return replace(v, counterexample={**found, "values": values}, reason=reason)


