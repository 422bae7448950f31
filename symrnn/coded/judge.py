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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from symrnn.bptt import derive
from symrnn.coded.facts import After, Facts
from symrnn.coded.meanings import Meaning, Meanings
from symrnn.coded.network import SPEC, SPLIT, Network
from symrnn.coded.sentences import facts_of
from symrnn.coded.shapes import Known
from symrnn.coded.tasks import Task, before, is_before, tasks_of
from symrnn.coded.values import Doubt, Elaborate, Misfit, Value
from symrnn.coded.world import PRIOR, Names, Ref, name_node, symbols_of, with_incoming, with_output
from symrnn.expr import FIRST, LAST, NOW, SCALAR, Expr, Index, derivative, entry, resize, shift, symbols, time_sum, unify, zeros
from symrnn.prove.claim import Claim, Condition
from symrnn.prove.decide import decide
from symrnn.prove.verdict import Verdict
from symrnn.read.codetext import Statement, statements
from symrnn.read.tree import Node, sym
from symrnn.read.tree import walk as nodes_of

LANGUAGES = ("python", "ascii", "c", "c++", "cuda", "java", "javascript", "matlab")
"""The languages of claims that are code."""

DECISIVE = ("proved", "refuted", "conditional", "agrees")


@dataclass(frozen=True)
class JudgedStatement:
    """One statement of a claim, and its verdict."""

    text: str
    verdict: Verdict


def judge_code(claim: str, language: str, given: Sequence[str], shapes: Mapping[str, str], assume: Sequence[str] = (),
               settle: Callable[[Claim], Verdict] | None = None) -> list[JudgedStatement]:
    """The verdict on each statement of a claim whose target has a meaning; ``settle`` decides what it claims. Raises CodeUnread."""
    parsed = statements(claim, language)
    facts = facts_of(given)
    try:
        conditions = [condition(text) for text in assume]
        judge = Judge(facts, parsed, shapes, language, tuple(c for c in conditions if c is not None), settle or settled)
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


@dataclass(frozen=True)
class Understood:
    """What a statement claims in one reading, and what gives its names their values there."""

    meaning: Meaning
    claim: Claim
    elaborate: Elaborate


def understood(claim: str, language: str, given: Sequence[str], shapes: Mapping[str, str], assume: Sequence[str] = ()) -> list[Understood]:
    """What the statements of a claim claim, in every reading. Raises CodeUnread and Doubt.

    >>> found = understood("du = dy * w", "python", ["y = w * u", "dy = dL/dy; du is to be dL/du"], {"all": "n"})
    >>> [(str(u.meaning), str(u.claim.left), str(u.claim.right)) for u in found]
    [('the gradient by u[t]', 'adj u[t]', 'dy[t] * w[t]')]
    """
    conditions = tuple(c for text in assume if (c := condition(text)) is not None)
    judge = Judge(facts_of(given), statements(claim, language), shapes, language, conditions, lambda _: Verdict("undecided"))
    list(judge.run(claim))
    return judge.understood


# --------------------------------------------------------------------------------------------------------------------- a claim
@dataclass
class Judge:
    """Judges the statements of one claim."""

    facts: Facts
    parsed: Sequence[Statement]
    shapes: Mapping[str, str]
    language: str
    conditions: tuple[Condition, ...] = ()
    settle: Callable[[Claim], Verdict] = field(default=lambda claim: settled(claim))
    understood: list[Understood] = field(default_factory=list)

    def __post_init__(self) -> None:
        named = [n.strip() for key in self.shapes for n in re.split(r",\s*(?![^\[{(]*[\])}])", key) if n.strip() != "all"]
        self.facts = with_incoming(with_output(self.facts, named))
        self.names = Names(self.facts, self.parsed, named)
        if self.facts.simplex and not any(c.subject == (self.facts.simplex,) for c in self.conditions):
            words = f"the entries of {self.facts.simplex} sum to one"
            self.conditions = (*self.conditions, Condition("simplex", (self.facts.simplex,), words))
        known = Known.of(self.shapes)
        self.known = Known({self.names.split(name_node(k))[0]: v for k, v in known.stated.items()}, known.rest)
        doubtful = [f for f in self.facts.after if not self.holds(f)]
        self.facts.unclear += [f"{f.name.head} is stored after {f.function or 'its function'}" for f in doubtful]
        self.meanings = Meanings(self.facts, self.names, self.known, frozenset(s.target for s in self.parsed if s.target is not None),
                                 self.language == "ascii")

    def run(self, claim: str) -> Iterator[JudgedStatement]:
        """The verdicts on all targets that have a meaning, and on one that has none and is used by no other."""
        tasks = tasks_of(self.parsed, self.language)
        rows = [(t, self.meanings.of(t)) for t in tasks]
        rows = [(t, m) for t, m in rows if not (t.used and not m or any(x.way == "carry" for x in m))]
        found = []
        for task, meanings in rows:
            text = claim[slice(*task.span)].strip().rstrip(";") if len(rows) > 1 or len(tasks) == 1 else claim
            try:
                verdict = self.judge(task, meanings)
            except Doubt as doubt:
                verdict = _undecided(str(doubt))
            found.append((task.used and all(m.by_name for m in meanings), JudgedStatement(text, verdict)))
        last = [j for between, j in found if not between]
        for between, j in found:                                      # a value in between that only its name explains decides nothing alone
            if not (between and last) or j.verdict.word == "proved" or j.verdict.word == "refuted" and any(
                    x.verdict.word != "proved" for x in last):
                yield j

    def holds(self, f: After) -> bool:
        """Whether a name that holds the value of a function is that by its equation, so that nothing new is said."""
        name = self.names.find(f.name).name
        return any(s.target is not None and any(self.names.find(n).name == name for n in symbols_of(s.target)) and s.value.op == "Call"
                   and s.value.nodes[0].head in ((f.function,) if f.function else SPLIT) for s in self.facts.defined)

    # ------------------------------------------------------------------------------------------------------------- judging
    def judge(self, task: Task, meanings: Sequence[Meaning]) -> Verdict:
        """The verdict on which all readings agree."""
        if not meanings:
            what = task.target.head if task.target is not None and task.target.op == "Sym" else "the value"
            raise Doubt(f"nothing says what {what} is to be")
        found: list[tuple[str, Verdict]] = []
        taken: list[str] = []                                         # what the first reading takes names for
        for meaning in meanings:
            for reading in self.meanings.readings(task):
                verdict = self.with_stars(task, meaning, reading)
                if verdict is not None and verdict.word == "refuted" and (part := self.unnamed_share(task)) is not None:
                    verdict = _undecided(f"which part of its gradient {part} holds is not taken apart")
                if verdict is not None and self.goes_on(task, meaning, reading) and verdict.word == "proved":
                    words = f"{shown(task, Meaning(), reading)} before the statement, and {meaning} after it"
                    return replace(verdict, conditions=(*verdict.conditions, words))
                if verdict is not None and verdict.word != "refuted" and meaning.ref is not None and meaning.ref.gradient is not None \
                        and task.target is not None and str(before(task.target)) in reading:
                    raise Doubt(f"what {task.target} is before the statement is not said")
                if verdict is not None and not found:
                    taken = [f"{key.partition('{')[0]}{' before the statement' if '{p=before}' in key else ''} is {Meaning(ref)}"
                             for key, ref in reading.items()]
                found += [(shown(task, meaning, reading), verdict)] if verdict is not None else []
        kinds = {v.word for _, v in found}
        if len(kinds) == 1:
            first = found[0][1]
            if first.word == "proved" and len(found) == 1:
                first = replace(first, conditions=(*first.conditions, *taken))
            return first if len(found) == 1 or first.word != "refuted" else replace(
                first, reason=f"{first.reason}; it fails for every usual meaning of the names")
        rows = [f"{v.word} if {text}" for text, v in found]
        raise Doubt("the names may mean several things: " + "; ".join(dict.fromkeys(rows)))

    def with_stars(self, task: Task, meaning: Meaning, reading: Mapping[str, Ref]) -> Verdict | None:
        """The verdict with what ``*`` may mean between arrays, where the shapes leave one meaning or all agree."""
        fits: list[Verdict | None] = []
        misfits: list[Verdict | Doubt] = []
        for star in self.stars():
            try:
                verdict = self.decide(task, meaning, reading, star)
            except Doubt as doubt:
                misfits.append(doubt)
                continue
            if verdict is not None and verdict.method == "shapes":
                misfits.append(verdict)
            else:
                fits.append(verdict)
        if not fits:
            doubts = [m for m in misfits if isinstance(m, Doubt)]
            verdicts = [m for m in misfits if isinstance(m, Verdict)]
            if verdicts and all(isinstance(d, Misfit) for d in doubts):
                return verdicts[0]
            raise doubts[0]
        if len({v and v.word for v in fits}) > 1:
            raise Doubt("* may be the product entry by entry or the matrix product here")
        return fits[0]

    def unnamed_share(self, task: Task) -> str | None:
        """A part of a gradient in a value that no equation computes: no refutation rests on it."""
        used = [*symbols_of(task.value), *([task.target] if task.target is not None and task.target.op == "Sym" else [])]
        return next((n.head for n in used if not is_before(n) and (g := self.names.find(n).gradient) is not None
                     and g.role == "share" and not g.later), None)

    def collected(self, net: Network, meaning: Meaning) -> str | None:
        """A quantity with a gradient of several parts, where only a name says that its gradient is meant."""
        direct = {place.name for g in self.facts.gradients if g.role == "direct" and (place := self.names.place(g)) is not None}
        told = {r.name for k, r in net.reading.items() if r.gradient is not None and not k.startswith(SPEC)
                and self.names.split(r.gradient.name)[0] not in self.names.gradients}
        named = [*([meaning.ref.name] if meaning.by_name and meaning.ref is not None else []), *sorted(told)]
        return next((n for n in named if net.ways(n) > 1 and n not in direct), None)

    def goes_on(self, task: Task, meaning: Meaning, reading: Mapping[str, Ref]) -> bool:
        """Whether a statement takes a gradient on from the value of a function to its argument, which is how such statements are meant."""
        old = reading.get(str(before(task.target))) if task.target is not None else None
        return old is not None and old.gradient is not None and meaning.ref is not None and meaning.ref.name == f"arg_{old.name}"

    def stars(self) -> list[str]:
        """What ``*`` may mean between arrays."""
        if self.language == "matlab":
            return ["matrix"]
        if self.language != "ascii":
            return ["entrywise"]
        return [self.facts.star or "matrix"] if self.two_signs() else ["entrywise", "matrix"]

    def two_signs(self) -> bool:
        """Whether the text says what ``*`` is, or has another sign for the product entry by entry."""
        return bool(self.facts.star) or any(n.op == "Had" for s in (*self.parsed, *self.facts.defined) for n in nodes_of(s.value))

    def decide(self, task: Task, meaning: Meaning, reading: Mapping[str, Ref], star: str) -> Verdict | None:
        """The verdict on one reading; None where the value is not of its kind."""
        self.check_names(task)
        self.check_loop(task)
        net, left = self.network(meaning, reading, star)
        value = net.probed(meaning.value or self.final(net, task, meaning))
        self.check_steps(net, task)
        net.solve([(left, value)])
        elaborate = Elaborate(net)
        self.check_calls(elaborate, task)
        if meaning.way in ("array", "matrix") and (meaning.way == "matrix") != is_matrix(elaborate(task.value)):
            return None
        wanted, right = self.sides(net, elaborate, meaning, left, net.written_out(value))
        if meaning.way == "summed" or self.is_summed(net, task, meaning):
            if task.guarded or task.course not in ("", "forward", "backward"):
                raise Doubt("nothing says that the statement runs at every step")
            right = time_sum("t", FIRST, LAST, right)
            wanted = time_sum("t", FIRST, LAST, wanted) if meaning.way == "summed" else wanted
        wanted, right = _fitted(wanted, right)
        model = net.model(elaborate)
        claim = Claim(wanted, right, model, "=")
        claim = replace(claim, conditions=self.stated(net, meaning, claim))
        self.understood.append(Understood(meaning, claim, elaborate))
        verdict = self.settle(claim)
        doubt = self.doubt(net, task, meaning, verdict, claim)
        return _undecided(doubt) if doubt is not None else self.noted(net, task, meaning, verdict, elaborate, claim)

    def check_names(self, task: Task) -> None:
        """Refuse functions that a statement assigns, and one name of the text for the attributes of two objects."""
        targets = {s.target.head for s in self.parsed if s.target is not None and s.target.op == "Sym"}
        called = {n.nodes[0].head for s in self.parsed for n in nodes_of(s.value) if n.op == "Call"}
        if targets & called:
            raise Doubt(f"{sorted(targets & called)[0]} is assigned, and called")
        owned: dict[str, set[str]] = {}
        for name in (self.names.split(n)[0] for n in symbols_of(task.value) if not is_before(n)):
            known, shift = self.names.spelled(name)
            if known is not None and not shift:
                owned.setdefault(known, set()).add(name)
        for known, spellings in owned.items():
            if len(spellings) > 1 and any("." in name for name in spellings):
                raise Doubt(f"{' and '.join(sorted(spellings))} may be two quantities, and the text has {known} alone")

    def check_steps(self, net: Network, task: Task) -> None:
        """Refuse a step at what is the same at every step: in a program it is a component."""
        for n in symbols_of(task.value):
            ref = self.names.find(n) if self.names.split(n)[1] is not None else None
            if ref is not None and ref.gradient is None and str(n) not in net.reading and net.constant(ref.name):
                raise Doubt(f"{ref.name} is the same at every step, and the statement takes it at one")

    def check_loop(self, task: Task) -> None:
        """Refuse steps in a loop that counts another letter."""
        for n in symbols_of(task.value) if task.loop else ():
            index = n.part("Index")
            if index is not None and self.names.split(n)[1] is not None:
                letters = {m.head for m in nodes_of(index.nodes[0]) if m.op == "Sym"}
            else:
                letters = {n.head.rpartition("_")[2]} if self.names.split(n)[1] is not None else set()
            if letters - {task.loop, "T"}:
                raise Doubt(f"the loop counts {task.loop}, and {sorted(letters)[0]} is something else")

    def check_calls(self, elaborate: Elaborate, task: Task) -> None:
        """Refuse what means something else in programs than in formulas: ``diag`` of a column takes its first entry."""
        own = Elaborate(elaborate.names)
        own(task.value)
        if self.language == "matlab" and "entrywise" in own.stars:
            raise Doubt("* is the matrix product in this language, and does not fit here")
        for n in nodes_of(task.value):
            if n.op == "Sym" and n.head.casefold() in ("nan", "inf", "infinity", "none", "null"):
                raise Doubt(f"{n.head} is no number")
            if n.op == "Call" and n.nodes[0].head == "diag" and self.language not in ("ascii", "matlab") and len(n.nodes) == 2 \
                    and elaborate(n.nodes[1]).axes == 2:
                raise Doubt("diag of an array with two axes takes its diagonal")

    def network(self, meaning: Meaning, reading: Mapping[str, Ref], star: str) -> tuple[Network, Node]:
        """The equations for one reading, and what the target is to be as a tree over them."""
        ref = meaning.ref
        probes = {r.name.removeprefix(PRIOR) for r in (ref, *reading.values()) if r is not None and r.name.startswith(PRIOR)}
        if len(probes) > 1:
            raise Doubt(f"what one step sends back to {' and to '.join(sorted(probes))} is not taken apart")
        probe = next(iter(probes), "")
        net = Network(self.facts, self.names, self.known, star, self.parsed, probe)
        if ref is None:
            net.reading = dict(reading)
            return net, meaning.tree or meaning.by or sym(SPEC)
        own = sym(SPEC, index=ref.parts)
        net.reading = {**reading, str(own): ref}
        if ref.gradient is not None:
            self.check_gradient(net, ref)
        return net, meaning.tree or own

    def sides(self, net: Network, elaborate: Elaborate, meaning: Meaning, left: Node, value: Node) -> tuple[Expr, Expr]:
        """What the target is to be and the value, as expressions."""
        wanted, found = self.left(net, elaborate, meaning, left), elaborate(value)
        if meaning.way in ("entry", "second"):
            found = at_entry(found)
        if wanted.axes != found.axes and found.axes and not wanted.axes:
            raise Doubt("the target is one component, and the value an array")
        return wanted.expr, found.expr

    def stated(self, net: Network, meaning: Meaning, claim: Claim) -> tuple[Condition, ...]:
        """The conditions that are stated of what a claim speaks of."""
        stated = [*self.conditions, *sorted(net.conditions, key=str)]
        if meaning.ref is not None and meaning.ref.gradient is not None and meaning.ref.gradient.before_end:
            stated.append(Condition("before-end", (), "at a step before the last"))
        used = {s.name for side in (claim.left, claim.right, *(e.right for e in claim.model.equations)) for s in symbols(side)}
        return tuple(dict.fromkeys(c for c in stated if c.kind != "simplex" or c.subject[0] in used))

    def left(self, net: Network, elaborate: Elaborate, meaning: Meaning, left: Node) -> Value:
        """What the target is to be, as an expression."""
        if meaning.way == "entry":
            assert meaning.tree is not None and meaning.by is not None
            return diagonal(elaborate(meaning.tree), elaborate(meaning.by))
        if meaning.way == "second":
            assert meaning.by is not None
            return diagonal(net.slope(elaborate, meaning.by), elaborate(meaning.by))
        return elaborate(left)

    def check_gradient(self, net: Network, meaning: Ref) -> None:
        """Refuse a gradient that the equations do not determine."""
        after = net.after(meaning.name)
        if net.is_unsure(meaning.name):
            raise Doubt(f"nothing says whether {meaning.name} is the same at every step")
        if after & net.hidden:
            raise Doubt(f"how {sorted(after & net.hidden)[0]} enters the next quantity is not taken apart")
        ends = set(net.terms) if net.loss is None else {net.ref(n).name for n in symbols_of(net.loss)}
        if not after & ends:
            raise Doubt(f"nothing given connects {meaning.name} with the loss")

    def final(self, net: Network, task: Task, meaning: Meaning) -> Node:
        """The value that the target has after the statement."""
        if task.relation in ("=", "return") or meaning.ref is None or meaning.way == "summed":
            return task.value
        assert task.target is not None
        g = self.names.find(task.target).gradient
        if task.relation == "+=" and meaning.ref.gradient is None:
            if self.names.split(task.target)[1] is not None:
                raise Doubt(f"what {task.target.head} of this step is before the statement is not said")
            net.reading = {**net.reading, str(task.target): self.meanings.step_before(meaning.ref, task)}
            return Node("Add", (task.target, task.value))
        if task.relation != "+=" or g is None:
            raise Doubt(f"what {task.target.head} is before the statement is not said")
        if g.role == "incoming":
            return Node("Add", (task.target, task.value))
        if self.is_summed(net, task, meaning):
            return Node("Star", (Node("Num", ("0",)), sym(SPEC))) if task.value == before(task.target) else task.value
        raise Doubt(f"what {task.target.head} is before the statement is not said")

    def is_summed(self, net: Network, task: Task, meaning: Meaning) -> bool:
        """Whether a statement collects the gradient of a weight over the steps."""
        if task.relation != "+=" or meaning.ref is None or meaning.ref.gradient is None or task.target is None:
            return False
        found = self.names.find(task.target).gradient
        return net.constant(meaning.ref.name) and found is not None and found.role in ("summed", "asked")

    def doubt(self, net: Network, task: Task, meaning: Meaning, v: Verdict, claim: Claim) -> str | None:
        """Why a verdict does not stand: something that matters to it was guessed."""
        ref, gradient = meaning.ref, meaning.ref is not None and meaning.ref.gradient is not None
        if v.word in DECISIVE and gradient and ref is not None and ref.name not in net.sure_axes and net.has_matrices():
            return f"nothing says what shape {ref.name} has"
        if v.word == "proved" and net.slips:
            return f"the argument {sorted(net.slips)[0]} is not the one that the text names"
        if v.word != "refuted":
            return None
        if (name := self.collected(net, meaning)) is not None:
            return f"the gradient by {name} has several parts, and nothing says that this is all of it; so read, {v.reason}"
        if ref is not None and claim.left.op == "sym" and claim.left.attr.kind == "gradient" and claim.right.op != "tsum" and any(
                s.time is not None and s.time.base == "t" for s in symbols(claim.right)):
            return f"nothing says whether the gradient by {ref.name} is that of one step or of all; of all, {v.reason}"
        free = net.free - ({n.head for n in symbols_of(meaning.tree)} if meaning.tree is not None else set())
        if free:
            return f"nothing says what {sorted(free)[0]} is"
        if v.method == "shapes":
            weights = {base: name for name, base in net.terms.items()}
            used = {weights.get(s.name, s.name) for side in (claim.left, claim.right) for s in symbols(side)}
            guessed = sorted(n for n in used if n not in net.sure)
            return f"nothing says what shape {guessed[0]} has; {v.reason}" if guessed else None
        return None

    def other_spellings(self, task: Task) -> list[str]:
        """The names of a value that are spelled otherwise than in the text."""
        pairs = {(name := self.names.split(n)[0], self.names.spelled(name)[0] or name) for n in symbols_of(task.value)}
        return [f"{name} stands for {known}" for name, known in sorted(pairs) if name != known and self.names.spelled(name)[1] == 0
                and not re.fullmatch(rf"{re.escape(known)}_?(?:t|k)", name)]

    def noted(self, net: Network, task: Task, meaning: Meaning, v: Verdict, elaborate: Elaborate, claim: Claim) -> Verdict:
        """A verdict that stands, with what it takes for granted."""
        if v.word in ("proved", "conditional") and task.guarded:
            v = replace(v, conditions=(*v.conditions, "where the condition of the statement holds"))
        if v.word == "refuted" and task.guarded:
            v = replace(v, reason=f"{v.reason}; both sides are analytic, so that they differ where the condition holds, too")
        if v.word == "proved" and "entrywise" in elaborate.stars and self.two_signs():
            return replace(v, word="conditional", convention="* is the entrywise product here",
                           reason="true when * is the entrywise product here, and the matrix product elsewhere",
                           conditions=(*v.conditions, "* is the entrywise product where no matrix product fits"))
        if v.word == "proved" and net.dotted and any(s.kind == "adjoint" for side in (claim.left, claim.right) for s in symbols(side)):
            v = replace(v, conditions=(*v.conditions, "what the dots stand for brings no further dependence"))
        if v.word == "proved" and (other := self.other_spellings(task)):
            v = replace(v, conditions=(*v.conditions, *other))
        if v.word == "proved" and meaning.note:
            v = replace(v, conditions=(*v.conditions, meaning.note))
        return v if self.names.timed else _timeless(v)


def settled(claim: Claim) -> Verdict:
    """The verdict on a claim; where it only agrees, after one more step that the engine leaves to whoever knows the model."""
    verdict, model = decide(claim), claim.model
    if verdict.word != "agrees" or claim.left.op != "sym":
        return verdict
    s, again = claim.left.attr, None
    if s.kind == "variable" and s.time == NOW and s.name in model.definitions:
        again = replace(claim, left=model.definitions[s.name])
    elif s.kind == "adjoint" and s.time == NOW + -1:                  # the state before the first step has no step of its own
        again = replace(claim, left=shift(claim.left, 1), right=shift(claim.right, 1))
    elif s.kind == "gradient" and claim.right.op == "tsum":           # what every step adds is what the gradient sums
        again = replace(claim, left=derive(model).summands[s.name], right=claim.right.args[0])
    step = decide(again) if again is not None else verdict
    if step.word != "proved":
        return verdict
    return replace(step, conditions=(*step.conditions, "t > 1")) if s.kind == "adjoint" else step


def diagonal(of: Value, by: Value) -> Value:
    """The derivative of every entry of a vector by the same entry of another."""
    shape = by.expr.shape
    if shape == of.expr.shape == SCALAR:
        return Value(derivative(of.expr, by.expr), 0)
    if of.expr.shape != shape or shape is None or shape[1] != 1:
        raise Doubt("a derivative entry by entry of what is no vector")
    i = Index("i", shape[0])
    return Value(entry(derivative(of.expr, by.expr), i, i), 0)


def is_matrix(v: Value) -> bool:
    """Whether a value has two axes and is no column."""
    return v.axes == 2 and (v.expr.shape is None or 1 not in v.expr.shape)


def at_entry(v: Value) -> Value:
    """The entry of a vector with the letter of the diagonal."""
    if v.axes == 0:
        return v
    if v.expr.shape is None or v.expr.shape[1] != 1:
        raise Doubt("a derivative entry by entry that is no vector")
    return Value(entry(v.expr, Index("i", v.expr.shape[0])), 0)


def shown(task: Task, meaning: Meaning, reading: Mapping[str, Ref]) -> str:
    """A reading in words."""
    rows = {task.target.head if task.target is not None else "the value": meaning, **{k: Meaning(r) for k, r in reading.items()}}
    return " and ".join(f"{name} is {m}" for name, m in rows.items())


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
