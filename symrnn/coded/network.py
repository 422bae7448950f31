"""The network that the lines beside a claim describe: its equations as a model, with a loss that gives the gradients their values.

Where the text says what the loss is, that is the loss. Where it says only what the derivative of the loss by some quantities is, the loss
is the sum of these quantities, each weighted by that derivative: it has the same gradients, whatever the real loss is.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from symrnn.bptt import derive
from symrnn.coded.blocks import Blocks
from symrnn.coded.facts import Facts, Formula
from symrnn.coded.shapes import WHOLE, Known, axes_of_all, is_constant, is_weight
from symrnn.coded.values import Doubt, Elaborate, Misfit, Value
from symrnn.coded.world import LOSSES, PRIOR, TARGETS, Names, Ref, argument, symbols_of
from symrnn.errors import SymrnnError
from symrnn.expr import (
    NOW,
    SCALAR,
    Expr,
    Index,
    Shape,
    Size,
    Symbol,
    Time,
    add,
    apply,
    entry,
    had,
    lift,
    matmul,
    named,
    node,
    symbols,
    total,
    transform,
    transpose,
    unify,
)
from symrnn.model import Equation, Model
from symrnn.prove.claim import Condition
from symrnn.read.codetext import CALLS, Statement, names
from symrnn.read.tree import Node, sym, walk

LOSS = "loss of a step"
TOTAL = "total loss"
SLOPE = "gradient of the loss"
HOT = "target"
SPEC = "@target"
"""The name under which a reading holds what a statement is to compute."""
ROUNDS = 6
STEPWISE = frozenset("i f o g z r u n".split())
"""Names of gates, which have a value at each step."""
SPLIT = ("sigmoid", "tanh", "softmax", "relu", "log_softmax", "softplus", "exp")
"""Functions whose argument is a quantity of its own."""


@dataclass
class Network:
    """The equations of a text, ready to give values to trees."""

    facts: Facts
    names: Names
    known: Known
    star: str
    claim: Sequence[Statement]
    probe: str = ""                                                  # a state whose gradient through one step is asked for
    equations: dict[str, Node] = field(default_factory=dict)         # variable -> its right side
    dotted: set[str] = field(default_factory=set)                    # variables whose argument is left out
    hidden: set[str] = field(default_factory=set)                    # names in a right side that is not taken apart
    loss: Node | None = None
    shapes: dict[str, Shape] = field(default_factory=dict)
    axes: dict[str, int] = field(default_factory=dict)
    terms: dict[str, str] = field(default_factory=dict)              # variable -> the input that weighs it in the loss
    adjoints: dict[str, str] = field(default_factory=dict)           # variable -> the name of its gradient
    reading: Mapping[str, Ref] = field(default_factory=dict)
    free: set[str] = field(default_factory=set)                      # names of the code that nothing speaks of
    conditions: set[Condition] = field(default_factory=set)
    matrices: set[str] = field(default_factory=set)                  # blocks of weights
    opaque: dict[str, str] = field(default_factory=dict)             # function that no formula gives -> a variable that is its value
    more: list[Equation] = field(default_factory=list)               # variables that a claim needs beside the equations
    sure: set[str] = field(default_factory=set)                      # quantities whose shape is stated, or follows from what is
    sure_axes: set[str] = field(default_factory=set)                 # quantities whose number of axes is
    slips: set[str] = field(default_factory=set)                     # arguments that are spelled nearly as the text spells them

    def __post_init__(self) -> None:
        self.blocks = Blocks(self.facts, self.names)
        for s in self.facts.defined:
            self.define(s)
        stacked = {n.nodes[0].head for tree in self.equations.values() for n in walk(tree) if n.op in ("Star", "Mul")} - self.matrices
        self.hidden |= {part for name in stacked for part in self.blocks.inside(name)}
        if self.probe:
            step = sym(self.probe, index=(Node("Add", (sym("t"), Node("Neg", (Node("Num", ("1",)),)))),))
            self.equations = {PRIOR + self.probe: step, **{name: self.probed(tree) for name, tree in self.equations.items()}}
        self.weigh()

    def probed(self, tree: Node) -> Node:
        """A tree with the state that is looked at as the step reads it."""
        for n in list(symbols_of(tree)) if self.probe else ():
            ref = self.ref(n)
            if ref.name == self.probe and ref.time == NOW + -1 and ref.gradient is None and not ref.parts:
                tree = put(tree, n, sym(PRIOR + self.probe))
        return tree

    # ---------------------------------------------------------------------------------------------------------- definitions
    def define(self, s: Statement) -> None:
        """Take in one equation of the text."""
        assert s.target is not None
        if (rows := self.blocks.rows(s)) is not None:
            self.matrices |= {n.nodes[1].head for row in rows for n in walk(row.value) if n.op == "Mul"}
            for row in rows:
                self.define(row)
            return
        if s.target.op in ("Tuple", "List"):
            self.define_several(s)
            return
        if s.target.op != "Sym":
            raise Doubt("an equation whose left side is no name")
        s = entry_free(s)
        assert s.target is not None
        ref = self.names.find(s.target)
        if ref.gradient is not None and s.relation == "+=":
            return
        if s.relation == "-=" and ref.parts and ref.name in self.equations and is_class(ref.parts[-1]):
            self.equations[ref.name] = Node("Add", (self.equations[ref.name], Node("Neg", (Node("Star", (s.value, sym(HOT))),))))
            return
        if s.relation != "=":
            if ref.name in self.equations:
                raise Doubt(f"{ref.name} is changed by {s.relation}")
            return                                                    # what is collected elsewhere is no quantity of the network
        if ref.name in LOSSES:
            self.loss = s.value.nodes[3] if s.value.op == "Sum" else _inner_sum(s.value)
            return
        if ref.time is not None and not ref.time.base:
            return                                                    # the state before the first step
        if ref.time != NOW or ref.parts or ref.gradient is not None:
            raise Doubt(f"the equation of {s.target.head} defines no quantity of one step")
        if ref.name in self.equations or ref.name in names(s.value) and not self.earlier(ref.name, s.value):
            raise Doubt(f"{ref.name} has more than one value in what is given")
        self.enter(ref.name, s.value)

    def earlier(self, name: str, value: Node) -> bool:
        """Whether a right side uses a quantity at earlier steps only."""
        refs = [self.names.find(n) for n in symbols_of(value)]
        return all(r.time is not None and r.time.base == "t" and r.time.offset < 0 for r in refs if r.name == name)

    def enter(self, name: str, value: Node) -> None:
        """A variable by its right side; the argument of an outer function becomes a variable of its own."""
        if value.op == "Call" and value.nodes[0].head in SPLIT and len(value.nodes) == 2 and not self.formulas(value):
            inner = value.nodes[1]
            if inner.op == "Ellipsis":
                self.dotted.add(name)
            else:
                self.equations[argument(name)] = inner
            value = Node("Call", (value.nodes[0], sym(argument(name))))
        if value.op == "Call" and value.nodes[0].head not in CALLS and not self.formulas(value):
            self.opaque.setdefault(value.nodes[0].head, name)
        self.equations[name] = value

    def define_several(self, s: Statement) -> None:
        """``i, f, o = sigmoid(...)``: one function, each name with an argument of its own."""
        assert s.target is not None
        if s.value.op in ("Tuple", "List") and len(s.value.nodes) == len(s.target.nodes):
            for target, value in zip(s.target.nodes, s.value.nodes, strict=True):
                self.define(Statement(target, "=", value))
            return
        if s.relation != "=" or s.value.op != "Call" or s.value.nodes[0].head not in SPLIT or len(s.value.nodes) != 2:
            raise Doubt("an equation of several names is not taken apart")
        inner = s.value.nodes[1]
        for n in s.target.nodes:
            ref = self.names.find(n)
            if ref.name in self.equations:
                raise Doubt(f"{ref.name} has more than one value in what is given")
            self.enter(ref.name, Node("Call", (s.value.nodes[0], Node("Ellipsis"))))
        if inner.op != "Ellipsis":
            inside = {self.names.find(n).name for n in symbols_of(inner)}
            self.hidden |= inside | {part for name in inside for part in self.blocks.inside(name)}

    # ---------------------------------------------------------------------------------------------------------------- loss
    def weigh(self) -> None:
        """The gradients that are given weigh what they are taken by in the loss."""
        for base, g in self.names.gradients.items():
            place = self.names.place(g)
            if place is None:
                continue
            if g.role in ("direct", "incoming"):
                self.terms[place.name] = base
            elif g.role == "given" and not self.computed(base):
                self.adjoints.setdefault(place.name, base)
        if self.loss is not None:
            self.terms = {}
            return
        for name, base in self.adjoints.items():
            if name not in self.terms and not self.through_given(name):
                self.terms[name] = base

    def computed(self, base: str) -> bool:
        """Whether the claim assigns a gradient that the text names: then it is what is asked."""
        targets = [s.target for s in self.claim if s.target is not None and s.target.op == "Sym" and s.relation == "="]
        return any(self.names.spelled(self.names.split(n)[0])[0] == base for n in targets)

    def uses(self, name: str) -> set[str]:
        """The variables whose equations use a quantity at the same or an earlier step."""
        return {v for v, tree in self.equations.items() if any(self.ref(n).name == name for n in symbols_of(tree))}

    def written_out(self, value: Node) -> Node:
        """A value with the equations of names in it that stand in no other equation: they are short for what they are."""
        used = {self.ref(n).name for tree in self.equations.values() for n in symbols_of(tree)}
        used |= {self.ref(n).name for n in symbols_of(self.loss)} if self.loss is not None else set(self.terms)
        for n in list(symbols_of(value)):
            ref = self.ref(n)
            if ref.gradient is None and ref.time == NOW and not ref.parts and ref.name in self.equations and ref.name not in used:
                value = put(value, n, self.equations[ref.name])
        return value

    def after(self, name: str) -> set[str]:
        """A quantity and all variables that depend on it."""
        reached, todo = {name}, [name]
        while todo:
            new = self.uses(todo.pop()) - reached
            reached |= new
            todo += new
        return reached

    def ways(self, name: str) -> int:
        """In how many ways a quantity enters the loss: a statement may collect them one after the other."""
        return len(self.uses(name)) + (name in self.terms) + (self.loss is not None and any(self.ref(n).name == name
                                                                                             for n in symbols_of(self.loss)))

    def through_given(self, name: str) -> bool:
        """Whether the derivative by a quantity comes through the equations from one that is given: then it is no free number."""
        return bool(self.after(name) & {*self.adjoints, *self.terms} - {name})

    # -------------------------------------------------------------------------------------------------------------- symbols
    def value(self, n: Node, elaborate: Elaborate) -> Value:
        """The value of a name."""
        return self.quantity(self.ref(n))

    def ref(self, n: Node) -> Ref:
        """What a name is: as the reading at hand has it, a quantity of the equations, or what the text says."""
        if str(n) in self.reading:
            return self.reading[str(n)]
        return Ref(n.head, NOW) if n.head.startswith(("arg_", PRIOR)) or n.head == HOT else self.names.find(n)

    def owner(self, n: Node) -> tuple[str, int]:
        """The quantity whose shape a name has, and how many subscripts are left; WHOLE for the entry of the right class."""
        ref = self.ref(n)
        return ref.name, WHOLE if ref.parts and is_class(ref.parts[-1]) else len(ref.parts)

    def quantity(self, ref: Ref) -> Value:
        """A quantity as a symbol of the model, or its adjoint."""
        if not ref.known:
            self.free.add(ref.name)
        parts = ref.parts
        own = self.weight(ref) or self.symbol(ref.name, ref.time, ref.gradient is not None)
        e = node("sym", attr=own)
        axes = self.axes.get(ref.name, 0)
        if len(parts) == 1 and is_class(parts[0]):
            return Value(matmul(transpose(self.hot(ref)), e), 0)
        return self.component(Value(e, axes), parts) if parts else Value(e, axes)

    def hot(self, ref: Ref) -> Expr:
        """The vector that is one at the right class and zero elsewhere, in the shape of a quantity."""
        self.conditions.add(Condition("simplex", (HOT,), f"{HOT} is one-hot"))
        self.shapes[HOT] = self.shapes.get(ref.name, SCALAR)
        return node("sym", attr=self.symbol(HOT, ref.time, False))

    def weight(self, ref: Ref) -> Symbol | None:
        """A given derivative that is a free number of its own: the input that weighs the quantity in the loss."""
        g = ref.gradient
        if g is None or self.loss is not None or g.role in ("asked", "summed", "share", "back"):
            return None
        base = self.names.split(g.name)[0]
        if g.role in ("direct", "incoming") or self.terms.get(ref.name) == base and not self.uses(ref.name):
            return self.symbol(base, ref.time, False, like=ref.name)
        return None

    def symbol(self, name: str, time: Time | None, adjoint: bool, like: str | None = None) -> Symbol:
        """The symbol of the model with this name."""
        shape = self.shapes.get(like or name, SCALAR)
        if adjoint:
            constant = self.constant(name)
            return Symbol(name, shape, "gradient" if constant else "adjoint", None if constant else time)
        if self.constant(name):
            return Symbol(name, shape, "parameter", None)
        kind = "variable" if name in self.equations else "input"
        return Symbol(name, shape, kind, time if time is not None else NOW)

    def constant(self, name: str) -> bool:
        """Whether a quantity is the same at every step: a weight, in a text that counts steps."""
        if not self.names.timed or name in self.equations or name == HOT or name.startswith("arg_") or self.names.bases.get(name, True):
            return False
        summed = any(g.role == "summed" and g.of is not None and self.names.find(g.of).name == name for g in self.facts.gradients)
        return summed or is_constant(name)

    def is_unsure(self, name: str) -> bool:
        """Whether it is open if a quantity is one for all steps: it has no equation, no step, and no name that says so."""
        return (self.names.timed and name not in self.equations and not name.startswith("arg_") and not self.names.bases.get(name, True)
                and not self.constant(name) and name not in STEPWISE)

    def component(self, v: Value, parts: Sequence[Node]) -> Value:
        """``x[i]``: one component at a letter."""
        letters = [p.head for p in parts if p.op == "Sym" and len(p.args) == 1]
        if len(letters) != len(parts) or len(parts) != v.axes or v.expr.shape is None:
            raise Doubt("a subscript that is no step and no letter")
        at = [Index(x, size) for x, size in zip(letters, v.expr.shape, strict=False)]
        return Value(entry(v.expr, *at), 0)

    def call(self, n: Node, elaborate: Elaborate) -> Value | None:
        """A function that the text defines by a formula; a function of the entry of the right class."""
        name = n.nodes[0].head
        if name == "log" and len(n.nodes) == 2 and n.nodes[1].op == "Sym" and (parts := self.ref(n.nodes[1]).parts) and is_class(parts[-1]):
            whole = self.quantity(replace(self.ref(n.nodes[1]), parts=parts[:-1]))
            return Value(matmul(transpose(self.hot(self.ref(n.nodes[1]))), apply("log", whole.expr)), 0)
        rows = self.formulas(n)
        if name in self.opaque and not rows:
            owner, arguments = self.opaque[name], [elaborate(a) for a in n.nodes[1:]]
            shape = self.shapes.get(owner, SCALAR)
            return Value(node("vcall", *(a.expr for a in arguments), attr=(name, shape)), self.axes.get(owner, 0))
        if len(rows) != 1:
            return None
        body = rows[0].body
        for formal, actual in zip(rows[0].formal, (a for a in n.nodes[1:] if a.op != "Chain"), strict=True):
            body = put(body, sym(formal), actual)
        self.facts.formulas[name].remove(rows[0])                     # a formula that mentions its own function means the usual one
        try:
            return elaborate(body)
        finally:
            self.facts.formulas[name].append(rows[0])

    def formulas(self, n: Node) -> list[Formula]:
        """The formulas of the text that fit a call: its function, its number of arguments and their keys."""
        keys = tuple(a.nodes[0].head for a in n.nodes[1:] if a.op == "Chain")
        count = sum(a.op != "Chain" for a in n.nodes[1:])
        rows = [f for f in self.facts.formulas.get(n.nodes[0].head, []) if len(f.formal) == count and len(f.keys) == len(keys)]
        exact = [f for f in rows if f.keys == keys]
        if exact or not keys:
            return exact
        self.slips.update(keys if rows else ())
        return [f for f in rows if all(a[:6] == b[:6] for a, b in zip(f.keys, keys, strict=True))]

    # ---------------------------------------------------------------------------------------------------------------- model
    def model(self, elaborate: Elaborate) -> Model:
        """The equations and the loss as a model."""
        rows = [Equation(self.symbol(name, NOW, False), elaborate(tree).expr) for name, tree in self.equations.items()]
        loss = self.loss_value(elaborate)
        if loss is not None:
            rows.append(Equation(Symbol(LOSS, SCALAR, "variable", NOW), loss))
        rows += self.more
        try:
            return Model.build("code", rows, loss=LOSS if loss is not None else None, total=TOTAL)
        except SymrnnError as error:
            raise Misfit(f"what is given makes no network: {error.subject} must {error.must}, came {error.came}") from None

    def slope(self, elaborate: Elaborate, by: Node) -> Value:
        """The gradient of the loss by a quantity as a variable of the model, written out."""
        model, quantity = self.model(elaborate), elaborate(by)
        ref = self.ref(by)
        if model.loss is None or any(s.time is not None and s.time != NOW for e in model.equations for s in symbols(e.right)):
            raise Doubt("a second derivative in a text that counts steps, or without a loss")
        found = derive(model).adjoints
        if ref.name not in found:
            raise Doubt(f"nothing given connects {ref.name} with the loss")
        e = found[ref.name]
        while any(s.kind == "adjoint" for s in symbols(e)):
            e = transform(e, lambda x: (lift(1) if x.attr.name == LOSS else found[x.attr.name])
                          if x.op == "sym" and x.attr.kind == "adjoint" else None)
        own = Symbol(SLOPE, quantity.expr.shape or SCALAR, "variable", NOW)
        self.more = [Equation(own, e)]
        return Value(node("sym", attr=own), quantity.axes)

    def has_matrices(self) -> bool:
        """Whether a quantity that is no weight has two axes, so that what is added to it may be repeated."""
        return any(self.axes[k] == 2 and 1 not in s and not is_weight(k) for k, s in self.shapes.items() if k in self.axes)

    def loss_value(self, elaborate: Elaborate) -> Expr | None:
        """The loss of one step."""
        if self.loss is not None:
            found = elaborate(self.loss)
            if found.axes:
                raise Doubt("the loss is no single number")
            return found.expr
        terms = []
        for name, base in self.terms.items():
            q = node("sym", attr=self.symbol(name, NOW, False))
            w = node("sym", attr=self.symbol(base, NOW, False, like=name))
            terms.append(total(had(w, q)))
        return add(*terms) if terms else None

    def solve(self, pairs: Sequence[tuple[Node, Node]]) -> None:
        """The axes and sizes of all quantities, as the equations determine them."""
        trees = [(sym(name), tree) for name, tree in self.equations.items()]
        if self.loss is not None:
            trees.append((Node("Num", ("0",)), self.loss))
        self.axes, self.shapes, sure = axes_of_all(self, trees, pairs, self.known)
        self.sure_axes = set(sure)
        self.fit(trees)
        self.sure = {name for name in sure if not any(str(n).startswith("?") for n in self.shapes.get(name, ("?",)))}
        self.fit([*trees, *pairs])
        names = named({}, [Symbol(k, s, "input", NOW) for k, s in self.shapes.items()])
        self.shapes = {k: _sized(s, names) for k, s in self.shapes.items()}

    def fit(self, pairs: Sequence[tuple[Node, Node]]) -> None:
        """The sizes that make the two sides of some equations fit."""
        for _ in range(ROUNDS):
            elaborate = Elaborate(self)
            values = unify([(elaborate(left).expr, elaborate(right).expr) for left, right in pairs])
            if not values:
                break
            self.shapes = {k: _sized(s, values) for k, s in self.shapes.items()}


def _sized(shape: Shape, values: Mapping[str, Size]) -> Shape:
    """A shape with its open sizes as they were found."""
    rows, columns = (values.get(n, n) if isinstance(n, str) else n for n in shape)
    return rows, columns


def put(n: Node, old: Node, new: Node) -> Node:
    """A tree with a symbol replaced by a tree; the name of a function stays."""
    if n == old:
        return new
    first = n.args[:1] if n.op in ("Call", "Chain") else ()
    return replace(n, args=(*first, *(put(a, old, new) if isinstance(a, Node) else a for a in n.args[len(first) :])))


def entry_free(s: Statement) -> Statement:
    """``y[i] = w[i] * x[i]`` as an equation of arrays: every name has the one subscript of the target.

    >>> from symrnn.read.codetext import statements
    >>> str(entry_free(statements("y[i] = w[i] * tanh(x[i])")[0])), str(entry_free(statements("y[i] = w[i] * x[j]")[0]))
    ('y = (Star w (Call tanh x))', 'y{i=i} = (Star w{i=i} x{i=j})')
    """
    assert s.target is not None
    index = s.target.part("Index")
    if index is None or len(index.nodes) != 1 or str(index.nodes[0]) not in ("i", "j", "k"):
        return s
    found = list(symbols_of(s.value))
    if any(n.part("Index") != index for n in found) or any(n.op in ("Mul", "Dot", "Sum") for n in walk(s.value)):
        return s
    value = s.value
    for n in found:
        value = put(value, n, sym(n.head))
    return replace(s, target=sym(s.target.head), value=value)


def is_class(n: Node) -> bool:
    """Whether a subscript is the number of the class that is right."""
    return n.op == "Sym" and n.head in TARGETS


def _inner_sum(n: Node) -> Node:
    """A loss as a sum over steps is given by the loss of a step; a sign before the sum belongs to it."""
    if n.op == "Neg" and n.nodes[0].op == "Sum":
        return Node("Neg", (n.nodes[0].nodes[3],))
    return n
