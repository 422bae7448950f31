"""What a text says of its loss: that of a step, that of all steps, one of the last step only, or one that it leaves open."""
from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from symrnn.errors import ModelError
from symrnn.expr import (
    NOW,
    SCALAR,
    Expr,
    Size,
    Symbol,
    Time,
    apply,
    matmul,
    negative,
    node,
    resize,
    retime,
    symbol,
    symbols,
    transpose,
    unify,
    walk,
)
from symrnn.lastloss import AT_END
from symrnn.model import Equation
from symrnn.prove.claim import Condition
from symrnn.read.applied import column
from symrnn.read.elaborate import Elaborator, Meaningless
from symrnn.read.scope import LOSS, TOTAL, Scope
from symrnn.read.sums import open_sum, total_of
from symrnn.read.tree import Node


class Losses:
    """The equations of a loss, gathered into a scope; a part of :class:`symrnn.setting.Setting`."""

    scope: Scope
    equations: list[Equation]
    conditions: tuple[Condition, ...]
    solved: Mapping[str, Size]
    has_total: bool
    guessed: bool

    def _fit(self, target: Expr, value: Expr) -> bool:
        raise NotImplementedError

    def _solve(self, left: Expr, right: Expr, told: Mapping[str, Size]) -> None:
        raise NotImplementedError

    def needs(self, value: Expr, name: str) -> bool:
        raise NotImplementedError

    def _total(self, left: Node, right: Node) -> str | None:
        """The total loss as the sum of the losses of the steps."""
        named = left.nodes[0] if left.op == "Call" else left
        if named.op != "Sym" or len(named.args) != 1 or self.has_total:
            return None
        if (found := open_sum(right, self.scope.table.time_letter)) is not None:
            return self._open_total(named.head, *found)
        scale, right, rest = total_of(right, self.scope.table.time_letter, self.scope.steps)
        if right.op != "Sum":
            return None
        letter, low, high, body, restriction = right.nodes[0].head, *right.nodes[1:]
        whole = low in (Node("Absent"), Node("Num", ("1",))) and (high.op == "Absent" or high.op == "Sym" and len(high.args) == 1)
        if not whole or restriction.op != "Absent":
            return None
        if letter == self.scope.table.time_letter and named.head in (self.scope.total, None) and (
                body.op != "Sym" or scale is not None or rest):
            share = Node("Div", (Node("Num", ("1",)), high))          # what is added once is added in equal shares at every step
            added = [Node("Mul", (share, x)) for x in rest]
            term = body if scale is None else Node("Mul", (scale, body))
            return self._explicit_total(named.head, Node("Add", (term, *added)) if added else term)
        if scale is not None or rest:
            return None
        if self.scope.total is None and letter == self.scope.table.time_letter and body.op == "Sym" and body.part("Time") is not None:
            d = self.scope.table.get(named.head)
            if d is None or d.kind == "scalar":
                self.name_losses(named.head, body.head)
        if named.head == self.scope.total and body.op == "Sym" and body.head == self.scope.loss:
            self.has_total = True
            return TOTAL
        return None

    def _explicit_total(self, total: str, body: Node) -> str | None:
        """The total loss as a sum over all steps of something that is written out."""
        E = Elaborator(self.scope)
        try:
            printed = resize(E(body), {**self.solved, **E.sizes})
        except Meaningless:
            return None
        loss = resize(printed, unify([(printed, printed)]))
        if LOSS in self.scope.defined or loss.shape != SCALAR or not self._fit(printed, printed) or foresees(loss) or any(
                x.op == "deriv" or x.op == "sym" and x.attr.name in (LOSS, TOTAL) for x in walk(loss)):
            return None
        self.equations.append(Equation(Symbol(LOSS, SCALAR, "variable", NOW), loss))
        self.scope, self.has_total = self.scope.define(LOSS), True
        self._solve(printed, printed, E.sizes)
        return TOTAL

    def _open_total(self, total: str, call: Node, scaled: bool) -> str | None:
        """The total loss as a sum of values of a function that is never given; a factor before the sum is part of that function."""
        name, timed = call.nodes[0].head, call.nodes[0].part("Time") is not None
        d = self.scope.table.lookup(name)
        known = d is not None and (d.role is not None or d.kind not in ("function", "scalar"))
        if known or name in self.scope.functions or (scaled and timed) or self.scope.total not in (None, total):
            return None
        try:
            value = unknown_loss(name, map(Elaborator(self.scope), call.nodes[1:]))
        except Meaningless:
            return None
        if scaled:                                                    # then no letter of the text is the loss of one step
            self.scope = replace(self.scope, total=total, table=self.scope.table.rebound({total: "scalar"}))
        else:
            self.name_losses(total, name)
        self.equations.append(Equation(Symbol(LOSS, SCALAR, "variable", NOW), value))
        self.scope, self.has_total = self.scope.define(LOSS), True
        return TOTAL

    def _open_step(self, left: Node, right: Node) -> str | None:
        r"""The loss of one step as the value of a function that is never given, as in ``\ell_t = L(o_t, y_t)``."""
        time = left.part("Time") if left.op == "Sym" and left.part("Index") is None else None
        if right.op != "Call" or right.nodes[0].op != "Sym" or len(right.nodes) < 3 or right.part("Given") is not None or (
                time is None or str(time.nodes[0]) != self.scope.table.time_letter):
            return None
        name, core = right.nodes[0].head, LOSS if left.head == self.scope.loss else left.head
        d, own = self.scope.table.lookup(name), self.scope.table.get(left.head)
        known = d is not None and (d.role is not None or d.kind not in ("function", "scalar")) or name in self.scope.functions
        number = core == LOSS or own is not None and own.kind == "scalar" and own.sequence
        kept = left.head in (LOSS, TOTAL) and left.head != self.scope.loss      # the name of the loss in the core, and not of that loss
        if known or kept or not number or core in self.scope.defined or name in self.scope.defined:
            return None
        try:
            value = unknown_loss(name, map(Elaborator(self.scope), right.nodes[1:]))
        except Meaningless:
            return None
        if foresees(value) or any(s.name in (LOSS, TOTAL) for s in symbols(value)):
            return None
        self.equations.append(Equation(Symbol(core, SCALAR, "variable", NOW), value))
        self.scope = self.scope.define(core)
        return core

    def _at_the_end(self, left: Node, right: Node) -> str | None:
        """What is computed once, from the last step: an output, or the total loss.

        In the model it has a value at every step, and the loss counts at the last one only.
        """
        name = left.head
        is_total = name == self.scope.total and not self.has_total and LOSS not in self.scope.defined
        d = self.scope.table.get(name)
        if left.op != "Sym" or len(left.args) != 1 or name in self.scope.defined or not (is_total or d is not None and not d.sequence):
            return None
        value = self._value_at_the_end(right, is_total)
        if value is None or is_total and (value.shape not in (None, SCALAR) or not self._fit(value, value)):
            return None
        if not is_total:
            return self._final(name, value)
        self.equations.append(Equation(Symbol(LOSS, SCALAR, "variable", NOW), symbol(AT_END, SCALAR, "input", NOW) * value))
        self.scope, self.has_total = self.scope.define(LOSS), True
        self.conditions = (*self.conditions, Condition("at-end", (AT_END,), f"{name} is the loss of the last step"))
        return TOTAL

    def _final(self, name: str, value: Expr) -> str | None:
        target = Elaborator(self.scope)(Node("Sym", (name,)))
        target, value = (resize(x, self.solved) for x in (target, value))
        if target.op != "sym" or self.needs(value, name) or not self._fit(target, value):
            return None
        self.equations.append(Equation(Symbol(name, target.attr.shape, "variable", NOW), value))
        self.scope = replace(self.scope.define(name), final=self.scope.final | {name})
        self._solve(target, value, {})
        return name

    def _value_at_the_end(self, n: Node, is_total: bool) -> Expr | None:
        """A value that needs the last step only, as one of every step; None if it needs others, or none."""
        E = Elaborator(self.scope)
        try:
            if is_total and n.op == "Mul" and len(n.nodes) == 2 and n.nodes[0] == Node("Sym", (str(self.scope.total),)):
                n = Node("Call", n.nodes, n.span)                     # L = L(h_T): the total is named like its function
            d = self.scope.table.lookup(n.nodes[0].head) if n.op == "Call" and n.nodes[0].op == "Sym" else None
            known = n.op != "Call" or d is not None and (d.role is not None or d.kind not in ("function", "scalar"))
            value = E(n) if known or not is_total else unknown_loss(n.nodes[0].head, map(E, n.nodes[1:]))
        except Meaningless:
            return None
        times = {s.time for s in symbols(value) if s.time is not None}
        if times != {Time("T")} or any(x.op in ("deriv", "tsum") for x in walk(value)):
            return None
        return retime(resize(value, {**self.solved, **E.sizes}), lambda x: NOW)

    def _differentiated(self, left: Node, right: Node) -> str | None:
        """The loss of one step, which no equation gives, by a derivative: dL/do = -d/do of a sum says what L is at one step."""
        negative = right.op == "Neg"
        value = right.nodes[0] if negative else right
        body = _differentiates(value, left)
        if not self.guessed or body is None or LOSS in self.scope.defined or body.op == "Sym":
            return None
        if left.op != "Deriv" or left.nodes[0] != Node("Sym", (str(self.scope.total),)):
            return None
        try:
            E = Elaborator(self.scope)
            loss = E(Node("Neg", (body,)) if negative else body)
        except Meaningless:
            return None
        loss = resize(loss, {**self.solved, **E.sizes})
        printed, loss = loss, resize(loss, unify([(loss, loss)]))
        if loss.shape != SCALAR or not self._fit(printed, printed) or foresees(loss) or any(x.op == "deriv" for x in walk(loss)):
            return None
        self.equations.append(Equation(Symbol(LOSS, SCALAR, "variable", NOW), loss))
        self.scope = self.scope.define(LOSS)
        self._solve(printed, printed, E.sizes)
        return LOSS

    def name_losses(self, total: str, loss: str) -> None:
        """The text says which letter is the total loss and which the loss of one step."""
        new = {name: "scalar, sequence" if name == loss else "scalar" for name in (total, loss) if name not in self.scope.table}
        self.scope = replace(self.scope, total=total, loss=loss, table=self.scope.table.rebound(new))
        names = {loss: LOSS}
        self.equations = [Equation(Symbol(names.get(e.name, e.name), e.left.shape, e.left.kind, e.left.time), e.right)
                          for e in self.equations]
        if loss in self.scope.defined:
            self.scope = replace(self.scope, defined=self.scope.defined - {loss} | {LOSS})

    def settle_direct(self) -> None:
        """What comes from above without the name of a variable comes to the last variable, if there is one."""
        used = {s.name for e in self.equations for s in symbols(e.right) if s.time == NOW}
        last = [e.name for e in self.equations if e.name not in used and e.name != LOSS]
        if len(last) == 1:
            self.scope = replace(self.scope, output=last[0], direct={name: by or last[0] for name, by in self.scope.direct.items()})


def unknown_loss(name: str, args: Iterable[Expr]) -> Expr:
    """The value of a loss that is never given, at its arguments; how these lie does not matter to it."""
    return node("vcall", *map(column, args), attr=(name, SCALAR))


def cross_entropy(rows: Iterable[Equation], target: str) -> Equation:
    """The loss of one step as the cross-entropy of the one softmax of a model with a target. ModelError without exactly one."""
    outputs = [e.left for e in rows if any(x.op == "softmax" for x in (e.right, *e.right.args))]
    if len(outputs) != 1:
        raise ModelError("the cross-entropy", must="have one softmax to compare with the target", came=str(len(outputs)),
                         next_step="write the loss as an equation")
    p = node("sym", attr=outputs[0])
    p = transpose(p) if outputs[0].shape[0] == 1 else p
    assert p.shape is not None
    y = node("sym", attr=Symbol(target, p.shape, "target", NOW))
    return Equation(Symbol(LOSS, SCALAR, "variable", NOW), negative(matmul(transpose(y), apply("log", p))))


def foresees(e: Expr, backward: Collection[str] = ()) -> bool:
    """Whether a value needs more than the present step and a fixed number of steps before it, or sums over steps.

    The value of what runs backward needs more than the present step and such variables at later ones: these are ``backward``.
    """
    def outside(name: str, t: Time) -> bool:
        return t.base != "t" or (t.offset < 0 if backward else t.offset > 0) or t.offset > 0 and name not in backward
    return any(x.op == "tsum" for x in walk(e)) or any(s.time is not None and outside(s.name, s.time) for s in symbols(e))


def _differentiates(right: Node, left: Node) -> Node | None:
    """What the right side differentiates in the same way as the left side does; None if it is no such derivative."""
    if left.op != right.op or left.op != "Deriv" or len(left.nodes) != len(right.nodes):
        return None
    same = left.args[:2] == right.args[:2] and left.nodes[1:] == right.nodes[1:]
    return right.nodes[0] if same else None
