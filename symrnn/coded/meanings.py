"""What the target of a statement is to be, and what the names of its value may mean, as far as the text says.

>>> from symrnn.coded.sentences import facts_of
>>> from symrnn.coded.shapes import Known
>>> from symrnn.coded.tasks import tasks_of
>>> from symrnn.read.codetext import statements
>>> parsed = statements("dc = dy * w")
>>> facts = facts_of(["y = w * tanh(c)", "dy = dL/dy"])
>>> found = Meanings(facts, Names(facts, parsed), Known({})).of(tasks_of(parsed, "python")[0])
>>> [(str(m.ref), m.ref.gradient.role) for m in found]
[('c[t]', 'asked')]
"""
from __future__ import annotations

import os.path
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from symrnn.coded.facts import Facts, Gradient, Slope
from symrnn.coded.network import SPEC, SPLIT
from symrnn.coded.shapes import Known
from symrnn.coded.tasks import Task, is_before
from symrnn.coded.values import Doubt
from symrnn.coded.world import LOSSES, PRIOR, Names, Ref, argument, symbols_of
from symrnn.expr import NOW
from symrnn.read.tree import Node, num, sym
from symrnn.read.tree import walk as nodes_of

MOST_READINGS = 16


@dataclass(frozen=True)
class Meaning:
    """One thing that a target may be meant to be: a quantity or gradient, or an expression.

    ``value`` stands in for the value of the statement where the text speaks of something made of it. ``way``: ``entry`` for the
    diagonal of a Jacobian, ``second`` for the diagonal of the second derivatives of the loss, ``summed`` for a gradient that the
    statement collects over the steps.
    """

    ref: Ref | None = None
    tree: Node | None = None
    value: Node | None = None
    way: str = ""
    by: Node | None = None
    by_name: bool = False                                            # only the name of the target says so
    note: str = ""                                                   # what the meaning takes for granted

    def __str__(self) -> str:
        if self.ref is None:
            return f"{self.way or 'the value'} {self.tree or self.by}"
        return f"the gradient by {self.ref}" if self.ref.gradient else str(self.ref)


@dataclass
class Meanings:
    """Finds what targets are to be."""

    facts: Facts
    names: Names
    known: Known
    assigned: frozenset[Node] = frozenset()                          # what the statements assign
    plain: bool = False                                              # the claim is an equation in plain text and no statement

    def of(self, task: Task) -> list[Meaning]:
        """What a target may be meant to be; nothing where the text does not say."""
        if task.target is None:
            return self.slopes(task)
        if task.target.op != "Sym":
            return []
        self.check_order(task)
        for special in (self.paired, self.curved, self.descended, self.bounded):
            if found := special(task):
                return found
        ref = self.names.find(task.target)
        if ref.gradient is not None:
            if ref.gradient.role == "direct":
                return []
            back = [Meaning(r) for r in self.through_step(asked(ref))]
            if ref.gradient.role == "share" and ref.gradient.later:
                sent = replace(asked(ref), name=PRIOR + ref.name)
                return [Meaning(replace(sent, time=NOW)), Meaning(replace(sent, time=NOW + 1))]
            if ref.time == NOW + 1 and self.names.split(task.target)[1] is None:       # what the turn after this one will read
                state = replace(asked(ref), time=NOW + -1)
                back = [Meaning(r) for r in (state, *self.through_step(state))]
            return back if ref.gradient.role == "back" else [Meaning(asked(ref)), *back]
        if not self.defines(ref.name):
            return self.weights(task) or [Meaning(r, by_name=True) for r in self.by_name(task.target)]
        if ref.time == NOW + -1 and task.source is not None and task.source.op == "Sym":
            now = self.names.find(task.source)                        # the state that the next step will read
            return [Meaning(way="carry")] if (now.name, now.time) == (ref.name, NOW) else []
        left_out = self.left_out(ref)
        return [Meaning(ref, tree=left_out)] if left_out is not None else [Meaning(ref)]

    # ------------------------------------------------------------------------------------------------------ kinds of sentences
    def slopes(self, task: Task) -> list[Meaning]:
        """A value without a target that is a derivative: what it multiplies, or the diagonal of a Jacobian."""
        out: list[Meaning] = []
        for s in self.facts.slopes:
            incoming = self.incoming(s)
            g = Gradient(sym("="), "asked", s.by)
            by = replace(self.names.find(s.by), gradient=g)
            out.append(Meaning(by, value=Node("Star", (task.value, incoming)), way="array"))
            out += [Meaning(by, value=Node("Mul", (m, incoming)), way="matrix") for m in (task.value, Node("Transpose", (task.value,)))]
            if not s.times:
                out.append(Meaning(None, way="entry", by=s.by, tree=s.of))
        return out if len(self.facts.slopes) == 1 else []

    def incoming(self, s: Slope) -> Node:
        """The name of the gradient that comes in where a derivative is taken."""
        place = self.names.find(s.of).name
        for g in self.facts.gradients:
            found = self.names.place(g)
            if found is not None and found.name == place:
                return g.name
        raise Doubt(f"the gradient at {place} has no name")

    def paired(self, task: Task) -> list[Meaning]:
        """Weights and biases that belong together, and to the gate with their letter."""
        if not self.facts.pairs or task.relation != "=" or task.target is None:
            return []
        pairs = self.facts.pairs[0].pairs
        weights, biases = ({p[k] for p in pairs if len(p) == 2} for k in (0, 1))
        used = [n.head for n in symbols_of(task.value)]
        w, b = [n for n in used if n in weights], [n for n in used if n in biases]
        if len(w) != 1 or len(b) != 1 or task.value.op != "Add":
            return []
        letters = {p: os.path.commonprefix([x[::-1] for x in p])[::-1].lstrip("_") for p in pairs}
        own = [p for p in pairs if letters[p] and task.target.head.endswith(letters[p])]
        chosen = own if own else [p for p in pairs if p[0] == w[0]]
        if len(chosen) != 1:
            return []
        if (w[0], b[0]) == chosen[0] and not (own and self.is_affine(task.value)):
            raise Doubt(f"nothing says more of {task.target.head} than which weight and bias it has")
        tree = replaced(task.value, {w[0]: chosen[0][0], b[0]: chosen[0][1]})
        return [Meaning(None, tree=tree)]

    def is_affine(self, n: Node) -> bool:
        """Whether a value is an input times a weight and a bias, in this order."""
        product, *rest = n.nodes
        factors = product.nodes[1:] if product.op == "Call" and product.nodes[0].head in ("dot", "matmul") else product.nodes
        return len(rest) == 1 and rest[0].op == "Sym" and product.op in ("Mul", "Call") and len(factors) == 2 \
            and all(m.op == "Sym" for m in factors) and self.names.find(factors[0]).name in self.known.stated

    def curved(self, task: Task) -> list[Meaning]:
        """The second derivative of the loss."""
        assert task.target is not None
        found = [c for c in self.facts.curvatures if c.name.head == task.target.head]
        return [Meaning(None, way="second", by=found[0].by)] if len(found) == 1 and task.relation == "=" else []

    def descended(self, task: Task) -> list[Meaning]:
        """A step of gradient descent: a weight less a rate times the gradient that is called after it."""
        stored = [n for s in self.facts.stored for n in s.names]
        assert task.target is not None
        weight = re.escape(task.target.head)
        own = [n for n in stored if re.fullmatch(rf"{weight}_?(?:grad|gradient|d)|d_?{weight}", n)]
        if task.relation != "-=" or len(own) != 1 or task.value.op not in ("Star", "Mul"):
            return []
        rate, gradient = task.value.nodes
        if gradient.op != "Sym" or rate.op != "Sym" or gradient.head not in stored:
            return []
        return [Meaning(None, tree=Node(task.value.op, (rate, sym(own[0]))))]

    def bounded(self, task: Task) -> list[Meaning]:
        """A value with a norm that is said."""
        if len(self.facts.lengths) != 1 or task.relation != "=" or not any(map(is_before, symbols_of(task.value))):
            return []
        if any(n.op == "Call" and n.nodes[0].head in ("relu", "ReLU", "maximum", "max", "abs", "sign") for n in nodes_of(task.value)):
            raise Doubt("a norm of something that is not smooth")
        square = Node("Call", (sym("sum"), Node("Pow", (task.value, num(2)))))
        return [Meaning(None, tree=Node("Pow", (self.facts.lengths[0].size, num(2))), value=square)]

    def left_out(self, ref: Ref) -> Node | None:
        """What the equation of a quantity leaves for a statement when other statements add some of its terms."""
        if not self.facts.later:
            return None
        value = next(s.value for s in self.facts.defined if s.target is not None and s.target.op == "Sym"
                     and self.names.find(s.target).name == ref.name)
        inner = value.nodes[1] if value.op == "Call" and value.nodes[0].head in SPLIT and len(value.nodes) == 2 else value
        names = {self.names.find(sym(n)).name for later in self.facts.later for n in later.names}
        recurrent = any(later.recurrent for later in self.facts.later)
        if inner.op != "Add":
            raise Doubt("what is added later is no term of the equation")

        def later(term: Node) -> bool:
            refs = [self.names.find(n) for n in symbols_of(term)]
            return any(r.name in names for r in refs) or recurrent and any(r.time == NOW + -1 for r in refs)
        kept = [term for term in inner.nodes if not later(term)]
        if not kept or len(kept) == len(inner.nodes):
            raise Doubt("what is added later is no term of the equation")
        return Node("Add", tuple(kept)) if len(kept) > 1 else kept[0]

    def weights(self, task: Task) -> list[Meaning]:
        """The gradient of a bias or weight of a gate whose argument is left out, by its name: at a step, or over all steps.

        ``bf_grad`` is that of the argument of f, ``Wfh_grad`` the same times the state before, ``Wfx_grad`` times the input.
        """
        assert task.target is not None
        name = self.names.split(task.target)[0].lstrip("_")
        m = re.fullmatch(r"(?P<start>d_?)?(?P<kind>[bWU])_?(?P<gate>\w)_?(?P<input>[a-z])?(?P<mark>_?(?:grad|gradient|d))?", name)
        gate = self.names.exact(m["gate"]) if m is not None and (m["mark"] or m["start"]) else None
        if m is None or gate is None or not any(self.dotted(gate)) or (m["kind"] == "b") != (m["input"] is None):
            return []
        steps = {self.names.split(n)[1] for n in symbols_of(task.value)}
        if task.relation != "+=" and NOW not in steps:
            return []
        way, weight = "summed" if task.relation == "+=" else "", name.removesuffix(m["mark"] or "")[len(m["start"] or "") :]
        ref = Ref(argument(gate), NOW, (), True, Gradient(task.target, "asked", None, gate))
        if m["kind"] == "b":
            return [Meaning(ref, way=way, note=f"{weight} is added to the argument of {gate}")]
        state = self.defines(m["input"])
        if not state and m["input"] != "x":
            return []
        note = f"{weight} times {m['input']}{' of the step before' if state else ''} is added to the argument of {gate}"
        step = Node("Add", (sym("t"), Node("Neg", (num(1),)))) if state else sym("t")
        return [Meaning(ref, tree=Node("Mul", (sym(SPEC), Node("Transpose", (sym(m["input"], index=(step,)),)))), way=way, note=note)]

    def dotted(self, name: str) -> Iterator[bool]:
        """Whether an equation leaves out the argument of the function that gives a quantity."""
        for s in self.facts.defined:
            if s.target is not None and any(self.names.find(n).name == name for n in symbols_of(s.target)):
                yield s.value.op == "Call" and any(n.op == "Ellipsis" for n in s.value.nodes)

    # ---------------------------------------------------------------------------------------------------------------- names
    def defines(self, name: str) -> bool:
        """Whether an equation of the text gives a quantity its value."""
        return name in LOSSES or any(s.target is not None and any(self.names.find(n).name == name for n in symbols_of(s.target))
                                     for s in self.facts.defined if s.relation == "=")

    def through_step(self, ref: Ref) -> list[Ref]:
        """The gradient by the state before as one step sends it back, apart from what else that state enters."""
        return [replace(ref, name=PRIOR + ref.name, time=NOW)] if ref.time == NOW + -1 and self.defines(ref.name) else []

    def by_name(self, n: Node) -> list[Ref]:
        """The gradients that a name alone may stand for: by what it is called after, or by the argument of its function."""
        base = self.names.called_after(n)
        if base is None:
            return self.before_by_name(n)
        _, time, parts = self.names.split(n)
        g = Gradient(n, "asked", sym(base))
        found = [Ref(base, time or NOW, parts, True, g)]
        if self.multiplies(n.head):
            found = []
        gate = any(s.target is not None and any(self.names.find(m).name == base for m in symbols_of(s.target)) and s.value.op == "Call"
                   and s.value.nodes[0].head in SPLIT for s in self.facts.defined)
        return [*found, Ref(argument(base), time or NOW, parts, True, g)] if gate else found

    def before_by_name(self, n: Node) -> list[Ref]:
        """``dc_prev``: the gradient by the state before, the whole one or what one step sends back."""
        m = re.fullmatch(r"d_?(?P<a>\w+)|(?P<b>\w+)_(?:grad|gradient)", self.names.split(n)[0].lstrip("_"))
        base, shift = self.names.spelled(m["a"] or m["b"]) if m is not None else (None, 0)
        if base is None or shift != -1 or not self.defines(base):
            return []
        whole = Ref(base, NOW + -1, (), True, Gradient(n, "asked", sym(base)))
        return [whole, *self.through_step(whole)]

    def multiplies(self, name: str) -> bool:
        """Whether the text collects products of a name as the gradient of a weight: then it belongs to the argument of a function."""
        products = [n for s in self.facts.defined if s.relation == "+=" for n in nodes_of(s.value)
                    if n.op in ("Mul", "Outer") or n.op == "Call" and n.nodes[0].head in ("dot", "matmul", "outer", "mm")]
        return any(m.op == "Sym" and m.head == name for n in products for m in n.nodes)

    def readings(self, task: Task) -> Iterator[dict[str, Ref]]:
        """Every way to read the names of a value that the text leaves open."""
        options: dict[str, list[Ref]] = {}
        for n in symbols_of(task.value):
            found = self.before(task, n) if is_before(n) else self.by_name(n) if self.is_open(n) else self.updated(n)
            if found:
                options[str(n)] = found
        rows = list(product(*options.values()))
        if len(rows) > MOST_READINGS:
            raise Doubt("too many names whose meaning nothing says")
        for row in rows:
            yield dict(zip(options, row, strict=True))

    def updated(self, n: Node) -> list[Ref]:
        """An incoming gradient that another statement may have completed before, as it came or as it is then; and what may be a share."""
        ref = self.names.find(n)
        if ref.gradient is not None and ref.gradient.role == "share":
            sent = [replace(asked(ref), name=PRIOR + ref.name, time=(ref.time or NOW) + 1)] if ref.gradient.later else []
            return [asked(ref), Ref(self.names.split(n)[0], ref.time), *sent]
        if ref.gradient is None or ref.gradient.role != "incoming" or n in self.assigned:
            return []
        return [ref, asked(ref)]

    def is_open(self, n: Node) -> bool:
        """Whether nothing says what a name is: it has no equation, no sentence and no shape."""
        ref = self.names.find(n)
        stored = any(ref.name in f.names for f in self.facts.stored)
        return ref.gradient is None and not stored and not (ref.known and (self.defines(ref.name) or ref.name in self.known.stated))

    def before(self, task: Task, n: Node) -> list[Ref]:
        """What the target of a statement holds before it; nothing for what the text says itself."""
        ref = self.names.find(n)
        if ref.gradient is None and self.names.split(n)[1] is not None:
            raise Doubt(f"what {n.head} of this step is before the statement is not said")
        if self.facts.lengths or ref.gradient is not None and ref.gradient.role in ("incoming", "direct"):
            return []
        if ref.gradient is None and self.defines(ref.name):
            return [self.step_before(ref, task)]
        if ref.gradient is not None and ref.gradient.role == "summed":
            if task.relation == "+=" and task.value == n:
                return []
            raise Doubt(f"what {n.head} is before the statement is not said")
        terms = task.value.nodes if task.value.op == "Add" else ()
        found = self.by_name(n)
        if any(m == n for t in terms for m in symbols_of(t)) or not found:
            raise Doubt(f"what {n.head} is before the statement is not said")
        return [replace(r, gradient=replace(r.gradient, role="asked")) if r.gradient else r for r in found]

    def check_order(self, task: Task) -> None:
        """Refuse a value that reads a quantity of this step which a later statement assigns."""
        for n in symbols_of(task.value):
            ref = self.names.find(n)
            if not is_before(n) and n in task.later and ref.gradient is None and ref.time == NOW and self.defines(ref.name):
                raise Doubt(f"{n.head} is read before it is assigned")

    def step_before(self, ref: Ref, task: Task) -> Ref:
        """A quantity that a statement reads before it assigns it comes from the step before."""
        if self.plain:
            raise Doubt(f"{ref.name} stands on both sides of an equation")
        if task.course not in ("", "forward", "partly forward"):
            raise Doubt(f"{ref.name} comes from the turn before, and the loop does not go forward")
        lagged = any((r := self.names.find(n)).name == ref.name and r.time == NOW + -1
                     for s in self.facts.defined for n in symbols_of(s.value))
        if ref.time != NOW or not lagged:
            raise Doubt(f"what {ref.name} is before the statement is not said")
        return replace(ref, time=NOW + -1)


def asked(ref: Ref) -> Ref:
    """A gradient as what is asked for."""
    assert ref.gradient is not None
    return replace(ref, gradient=replace(ref.gradient, role="asked"))


def replaced(n: Node, names: dict[str, str]) -> Node:
    """A tree with some names for others."""
    if n.op == "Sym" and n.head in names:
        return replace(n, args=(names[n.head], *n.args[1:]))
    return replace(n, args=tuple(replaced(a, names) if isinstance(a, Node) else a for a in n.args))
