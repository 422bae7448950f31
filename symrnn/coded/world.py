r"""The names of a claim in code: which quantity each of them is, at which step, and what its gradient would be called.

``h_prev`` is ``h`` one step earlier where the text counts steps, ``ht`` and ``h_t`` are ``h`` at the step at hand, ``self.`` says
nothing, and ``dh`` is a gradient of ``h`` where nothing else has that name.

>>> from symrnn.coded.sentences import facts_of
>>> from symrnn.read.codetext import expression
>>> names = Names(facts_of(["c[t] = f*c[t-1] + i*g", "f, i = sigmoid(...)"]), [])
>>> [str(names.find(expression(x))) for x in ("c[t-1]", "C_prev", "ft", "dc", "new")]
['c[t-1]', 'c[t-1]', 'f[t]', 'dc[t]?', 'new[t]?']
"""
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from symrnn.coded.facts import Facts, Gradient
from symrnn.coded.values import Doubt
from symrnn.expr import NOW, Time
from symrnn.read.codetext import Statement
from symrnn.read.tree import Node, sym, walk

LOSSES = ("L", "loss", "Loss", "E", "J", "cost", "total_loss")
TARGETS = frozenset("target targets label labels gold truth".split())
GATES = {"input": "i in ig", "forget": "f fg", "output": "o og out", "update": "z u", "reset": "r", "cell": "g c_tilde", "block": "g z",
         "candidate": "g c_tilde h_tilde candidate n hc"}
"""Words for gates and the names they usually have."""

_SHIFTS: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile(r"(?P<base>.+?)_?(?:list|arr|array|seq|states|values)"), 0),
    (re.compile(r"(?P<base>.+?)_?(?:t|k)"), 0), (re.compile(r"(?P<base>.+?)_?(?:prev|old|last|tm1)|(?:prev|old|last)_?(?P<other>.+)"), -1),
    (re.compile(r"(?P<base>.+?)_?(?:next|tp1)|next_?(?P<other>.+)"), 1),
)
"""What a name says of its step."""

_GRADIENTS = re.compile(
    r"(?:d|grad|delta|g|e|err|diff)_(?P<a>\w+?)|(?:d|D)(?P<b>\w+?)|(?P<c>\w+?)_(?:grad|d|gradient|delta|diff)|grad(?P<e>\w+?)")
PRIOR = "prior_"
"""Begins the name of a state as one step reads it, apart from what else it enters."""

_WRAPPING = re.compile(r"(?P<base>\w+?)_?(?:list|lists|arr|array|s|bar|raw|pre|error|errors)")


@dataclass(frozen=True)
class Ref:
    """A quantity at a step; ``known``: the text says what it is. ``gradient``: the derivative of the loss by it is meant."""

    name: str
    time: Time | None = None
    parts: tuple[Node, ...] = ()
    known: bool = True
    gradient: Gradient | None = None

    def __str__(self) -> str:
        if self.name.startswith(PRIOR):
            return f"{self.name.removeprefix(PRIOR)}[t-1] through one step"
        return f"{self.name}{f'[{self.time}]' if self.time is not None else ''}{'' if self.known else '?'}"


@dataclass
class Names:
    """Finds what a name means."""

    facts: Facts
    claim: Sequence[Statement]
    shaped: Iterable[str] = ()
    letters: set[str] = field(init=False)
    bases: dict[str, bool] = field(init=False)                       # name -> whether it changes over time
    gradients: dict[str, Gradient] = field(init=False)
    aliases: dict[str, Node] = field(init=False)
    defined: set[str] = field(init=False)

    def __post_init__(self) -> None:
        nodes = [n for s in self.facts.defined for side in (s.target, s.value) if side is not None for n in symbols_of(side)]
        spoken = [n.name for n in self.facts.named] + [n.what for n in self.facts.named if n.what is not None]
        spoken += [g.of for g in self.facts.gradients if g.of is not None] + [c.by for c in self.facts.curvatures]
        spoken += [f.size for f in self.facts.lengths]
        spoken += [n for f in self.facts.slopes for n in (f.of, f.by)]
        all_nodes = nodes + spoken + [n for s in self.claim for side in (s.target, s.value) if side is not None for n in symbols_of(side)]
        all_nodes += [g.name for g in self.facts.gradients]
        self.letters = {"t"} | self.facts.letters | {s.loop for s in self.claim if s.loop} | {x for n in all_nodes for x in stepping(n)}
        self.bases = {}
        self.aliases = {n.name.head: n.what for n in self.facts.named if n.what is not None}
        self.aliases |= {s.value.head: s.target for s in self.facts.defined if s.target is not None and s.target.op == s.value.op == "Sym"
                         and len(s.value.args) == 1 and (at := s.target.part("Index")) is not None and str(at.nodes[0]) == "0"}
        self.gradients = {}
        own = {self.split(g.name)[0] for g in self.facts.gradients}
        for n in [*nodes, *spoken]:
            base, time, _ = self.split(n)
            if base not in self.aliases and base not in self.letters and not (base in own and n in spoken and n not in nodes):
                self.bases[base] = self.bases.get(base, False) or time is not None
        for name in self.shaped:
            base, time, _ = self.split(name_node(name))
            if base not in own:
                self.bases.setdefault(base, time is not None)
        for g in self.facts.gradients:
            self.gradients[self.split(g.name)[0]] = g
        for base in self.gradients:
            self.bases.pop(base, None)
        printed = {self.split(n)[0] for n in nodes}
        for base in [b for b in self.bases if b not in printed]:     # a text that writes dL/dC for the c of its equations
            if sum(alike(d, base) for d in printed) == 1:
                del self.bases[base]
        spoken_of = [*(n for f in self.facts.pairs for pair in f.pairs for n in pair), *(n for f in self.facts.stored for n in f.names)]
        self.bases |= {name: False for name in spoken_of if name not in self.bases}
        self.defined = {self.split(n)[0] for s in self.facts.defined if s.target is not None for n in symbols_of(s.target)}
        self.timed = any(self.bases.values()) or any(self.split(n)[1] is not None for n in all_nodes)

    # ------------------------------------------------------------------------------------------------------------- notation
    def split(self, n: Node) -> tuple[str, Time | None, tuple[Node, ...]]:
        """The name, the step that is printed, and the other subscripts."""
        name, index = n.head, n.part("Index")
        parts = index.nodes if index is not None else ()
        if parts and (time := self.time(parts[0])) is not None:
            return name, time, parts[1:]
        m = re.fullmatch(r"(.+)_([A-Za-z])", name)
        if m is not None and m[2] in (*self.letters, "T"):
            return m[1], Time("T", 0) if m[2] == "T" else NOW, parts
        return name, None, parts

    def time(self, n: Node) -> Time | None:
        """A subscript as a step: ``t``, ``t-1``, ``T``."""
        head, *rest = n.nodes if n.op == "Add" else (n,)
        if head.op != "Sym" or len(head.args) != 1 or head.head not in {*self.letters, "T"} or len(rest) > 1:
            return None
        offset = 0
        if rest:
            number, sign = (rest[0].nodes[0], -1) if rest[0].op == "Neg" else (rest[0], 1)
            if number.op != "Num" or not number.head.isdigit():
                return None
            offset = sign * int(number.head)
        return Time("T" if head.head == "T" else "t", offset)

    # -------------------------------------------------------------------------------------------------------------- meaning
    def find(self, n: Node) -> Ref:
        """What a symbol of the text or of the code is."""
        name, time, parts = self.split(n)
        if time is None and parts and (number := whole(parts[0])) is not None and self.changes(name):
            time, parts = (Time("T", 1 + number) if number < 0 else Time("", number)), parts[1:]
        known, shift = self.spelled(name)
        if known is None:
            return Ref(name, time if time is not None else NOW, parts, False)
        if shift and time is not None:
            raise Doubt(f"the step of {n.head} is said twice")
        if known in self.aliases:
            ref = self.find(self.aliases[known])
            moved = ref.time + shift if ref.time is not None else None
            return replace(ref, parts=(*ref.parts, *parts), time=time if time is not None else moved)
        step = (time if time is not None else NOW) + shift
        if known in self.gradients:
            g = self.gradients[known]
            return self.of_gradient(g, step, parts, printed=time is not None or self.split(g.name)[1] is not None)
        return Ref(known, step, parts)

    def changes(self, name: str) -> bool:
        """Whether a name stands for something with a step."""
        base, _ = self.spelled(name)
        return base is not None and (self.bases.get(base, False) or base in self.gradients and self.timed)

    def of_gradient(self, g: Gradient, step: Time, parts: tuple[Node, ...], printed: bool) -> Ref:
        """The derivative of the loss that a name holds."""
        place = self.place(g)
        if place is None:
            raise Doubt(f"what {g.name.head} is the gradient of is not clear")
        time = place.time
        if time is None or time.base == "t" or (printed and self.split(g.name)[1] is None):
            own = self.split(g.name)[1]
            offset = time.offset if time is not None and time.base == "t" else 0
            offset -= own.offset if time is not None and own is not None and own.base == "t" else 0
            time = step + offset
        return Ref(place.name, time, parts, True, g)

    def place(self, g: Gradient) -> Ref | None:
        """What a gradient is taken by."""
        if g.of is not None:
            return self.find(g.of)
        if g.argument_of == "=":                                      # called after the quantity
            base = self.called_after(g.name)
            return Ref(base, NOW) if base is not None else None
        owner = self.owner(g.argument_of, g.name)
        return Ref(argument(owner), NOW) if owner is not None else None

    def owner(self, word: str, name: Node) -> str | None:
        """The variable whose argument a sentence speaks of: that of a gate, of a function, or of what the name is called after."""
        if word in GATES:
            found = [b for b in GATES[word].split() if b in self.bases]
            return found[0] if len(found) == 1 else None
        if word in ("softmax", "sigmoid", "tanh"):
            calls = [self.split(s.target)[0] for s in self.facts.defined if s.target is not None and s.target.op == "Sym"
                     and s.value.op == "Call" and s.value.nodes[0].head == word]
            return calls[0] if len(calls) == 1 else None
        if word:
            base, _ = self.spelled(word)
            return base if base in self.bases else None
        return self.called_after(name)

    def called_after(self, n: Node) -> str | None:
        """The base in the name of a gradient: ``delta_f_list`` is called after f."""
        start = name = self.split(n)[0].lstrip("_")
        while name == start or name not in self.bases:
            m, w = _GRADIENTS.fullmatch(name), _WRAPPING.fullmatch(name)
            inner = next((x for x in m.groups() if x), None) if m is not None else None
            if inner is not None and (found := self.exact(inner)) is not None and found != start:
                return found
            name = w["base"] if w is not None else inner or ""
            if not name:
                return None
        return name

    def spelled(self, name: str) -> tuple[str | None, int]:
        """The known name that a spelling stands for, and how many steps it is away."""
        for form in dict.fromkeys((name, name.lstrip("_"), name.rpartition(".")[2])):
            if (base := self.exact(form)) is not None:
                return base, 0
        for pattern, shift in _SHIFTS:
            m = pattern.fullmatch(name.lstrip("_"))
            base = next((x for x in m.groups() if x), None) if m is not None else None
            found = self.exact(base) if base is not None else None
            if found is not None and self.timed and self.moves(found):
                return found, shift
        return None, 0

    def moves(self, base: str) -> bool:
        """Whether a known name stands for something that may differ from step to step."""
        return self.bases.get(base, True) or base in self.defined

    def exact(self, name: str) -> str | None:
        """A known name in this spelling, or in one that differs by capitals or underscores only and is the only one."""
        known = {**dict.fromkeys(self.bases), **dict.fromkeys(self.gradients), **dict.fromkeys(self.aliases)}
        if name in known:
            return name
        like = [k for k in known if alike(k, name)]
        return like[0] if len(like) == 1 else None


def with_output(facts: Facts, shaped: Iterable[str]) -> Facts:
    """The facts with ``softmax output with cross-entropy loss`` as equations: what has no equation is the output, ``y`` the target."""
    if facts.output is None:
        return facts
    if facts.output.function != "softmax" or not facts.output.loss.startswith("cross"):
        raise Doubt("only the softmax with the cross-entropy is known in words")
    names = Names(facts, [], shaped)
    defined = {names.find(n).name for s in facts.defined if s.target is not None for n in symbols_of(s.target)}
    used = {names.find(n).name for s in facts.defined for n in symbols_of(s.value)} - defined
    targets = sorted(n for n in used if n in ("y", "t", *TARGETS, "y_true"))
    outputs = sorted(used - set(targets))
    if len(targets) != 1 or len(outputs) != 1:
        raise Doubt("which quantity is the output, and which the target, is not clear")
    y, out = sym(targets[0]), sym(outputs[0])
    loss = Node("Neg", (Node("Call", (sym("sum"), Node("Star", (y, Node("Call", (sym("log"), out)))))),))
    rows = [Statement(out, "=", Node("Call", (sym("softmax"), Node("Ellipsis")))), Statement(sym("L"), "=", loss)]
    return replace(facts, defined=[*facts.defined, *rows], simplex=targets[0])


def with_incoming(facts: Facts) -> Facts:
    """The facts with a name for what comes in where a derivative is spoken of and no gradient has a name."""
    named = {str(g.of) for g in facts.gradients}
    new = [Gradient(sym("incoming gradient"), "given", s.of) for s in facts.slopes if str(s.of) not in named]
    return replace(facts, gradients=[*facts.gradients, *new])


def alike(name: str, other: str) -> bool:
    """Whether another spelling differs by capitals, underscores or a plural only."""
    plain, own = (x.casefold().replace("_", "") for x in (other, name))
    return own == plain or len(other) > 2 and name.casefold() == other.casefold() + "s"


def argument(name: str) -> str:
    """The name of the argument of the function that gives a variable."""
    return f"arg_{name}"


def whole(n: Node) -> int | None:
    """A subscript that is a number."""
    sign, n = (-1, n.nodes[0]) if n.op == "Neg" else (1, n)
    return sign * int(n.head) if n.op == "Num" and n.head.isdigit() else None


def name_node(text: str) -> Node:
    """A key of the shapes, such as ``h[t]``, as a symbol."""
    from symrnn.read.codetext import CodeUnread, expression
    try:
        n = expression(text)
    except CodeUnread:
        return Node("Sym", (text,))
    return n if n.op == "Sym" else Node("Sym", (text,))


def symbols_of(n: Node) -> Iterator[Node]:
    """The symbols of a tree, without functions, subscripts and the names of arguments."""
    if n.op == "Sym":
        yield n
        return
    for m in n.nodes[1:] if n.op in ("Call", "Chain") else n.nodes:
        yield from symbols_of(m)


def stepping(n: Node) -> Iterator[str]:
    """The letters in a subscript that has a step of one with it, such as the k of ``h[k-1]``."""
    index = n.part("Index")
    first = index.nodes[0] if index is not None else None
    if first is not None and first.op == "Add" and all(m.op in ("Sym", "Num", "Neg", "Add") for m in walk(first)):
        head = first.nodes[0]
        if head.op == "Sym" and head.head != "T" and len(head.args) == 1 and len(first.nodes) == 2:
            yield head.head
