"""The functions of a looped module: the statements of its forward pass, loss, backward pass and gradients, after a plan."""
from __future__ import annotations

from collections.abc import Iterable

import sympy

from symrnn.bptt import adjoint, gradient
from symrnn.emit.adjoints import Rows, from_loss, is_late, terms_of
from symrnn.emit.arrays import Arrays, add, kind, multiply, static
from symrnn.emit.layout import Key, before_first
from symrnn.emit.loops import Loop, make
from symrnn.emit.plan import Fresh, Plan
from symrnn.emit.printers import operation
from symrnn.emit.schedule import Block, key, schedule
from symrnn.emit.statements import Body, Function
from symrnn.expr import NOW, Expr, Shape, Symbol, is_zero, symbols
from symrnn.expr import add as plus
from symrnn.model import Equation
from symrnn.naming import identifier


class Functions:
    """Writes the statements of each function."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.forward = self.blocks([e for e in plan.model.equations if e.name not in plan.aimed], "")
        self.backward = self.blocks([e for e in plan.adjoint_rows if e.name not in plan.heads], "d_")

    def blocks(self, equations: list[Equation], prefix: str) -> tuple[Block, ...]:
        return schedule(equations, Fresh(self.plan, prefix))

    # --------------------------------------------------------------------------------------------------- what must be kept
    def used_outside(self, blocks: tuple[Block, ...], own: Block) -> frozenset[Key]:
        """The quantities that another block or function needs, or that this block needs at another step."""
        plan = self.plan
        others = [e.right for b in blocks if b is not own for e in (*b.equations, *b.before)]
        others += [e.right for b in (self.backward if blocks is self.forward else ()) for e in (*b.equations, *b.before)]
        others += [e.right for e in plan.model.equations if e.name in plan.aimed]
        for found in (plan.back, plan.by_inputs):
            others += [*found.ends.values(), *found.seeds.values()]
        others += [e.right for e in plan.by_inputs.equations]
        if plan.derivation is not None:
            others += [*plan.derivation.summands.values(), *(plan.derivation.adjoints[s.name] for s in self.state_starts)]
            others += [e.right for e in plan.adjoint_rows if e.name in plan.heads]
        shifted = {key(s) for e in own.equations for s in symbols(e.right) if s.time is not None and s.time.offset}
        named = {(s.kind, s.name) for s in (plan.model.symbol(n) for n in (*plan.wanted, *filter(None, [plan.model.loss])))}
        return frozenset({key(s) for e in others for s in symbols(e)} | shifted | named | set(plan.back.ahead) | set(plan.by_inputs.ahead))

    @property
    def state_starts(self) -> list[Symbol]:
        return [s for s in self.plan.starts if s.kind == "variable"]

    # ------------------------------------------------------------------------------------------------------------ functions
    def every(self, measured: bool) -> tuple[dict[str, Function], dict[str, str]]:
        """The functions by their names in the template, and the name of each gradient; the loss if it is ``measured``."""
        plan, names = self.plan, dict[str, str]()
        parts = {"run": self.run()}
        if measured:
            parts["loss"] = self.measure()
        if plan.gradients:
            parts["back"] = self.backpropagate()
            parts["gradients"], names = self.collect()
            if plan.inputs:
                parts["inputs"] = self.inputs()
        return parts, names

    def run(self) -> Function:
        """The forward pass."""
        body = Body(self.plan.printer)
        for block in self.forward:
            self.block(body, block, backward=False)
        return body.done()

    def measure(self) -> Function:
        """The variables that depend on targets, with the loss if it is one of them; else the forward pass has it already."""
        plan, body = self.plan, Body(self.plan.printer)
        for e in plan.model.equations:
            if e.name in plan.aimed:
                self.whole(body, e)
        loss = plan.layout.arrays["variable", str(plan.model.loss)]
        text = sympy.Symbol(loss.name if plan.model.loss in plan.aimed else f"run.{loss.whole(0)}")
        with body.computing(plan.model.summed):
            body.add(f"return {body.text(self.weight(text))}.sum()")
        return body.done()

    def backpropagate(self) -> Function:
        """The adjoints, last step first."""
        plan, body = self.plan, Body(self.plan.printer)
        self.on_targets(body, [*(e.right for e in plan.adjoint_rows), *plan.back.seeds.values(), *plan.back.ends.values()])
        for e in plan.adjoint_rows:
            if e.name in plan.heads:
                self.whole(body, e)
        self.apart(body, plan.back)
        for block in self.backward:
            self.block(body, block, backward=True)
        return body.done()

    def on_targets(self, body: Body, uses: Iterable[Expr]) -> None:
        """The variables that depend on targets, and so are no part of the forward pass, as far as they are used."""
        plan = self.plan
        needed = plan.needed_by({s.name for e in uses for s in symbols(e) if s.kind == "variable"})
        for e in plan.model.equations:
            if e.name in plan.aimed & needed and e.name != plan.model.loss:
                self.whole(body, e)

    def collect(self) -> tuple[Function, dict[str, str]]:
        """The sums over steps and sequences; returns the statements and the name of each gradient in them."""
        plan = self.plan
        assert plan.derivation is not None
        body, found = Body(plan.printer), {}
        self.on_targets(body, plan.derivation.summands.values())
        for s in plan.parameters:
            found[s.name] = plan.names(("sum", s.name), f"d_{identifier(s.name)}")
            summand = plan.derivation.summands[s.name]
            with body.computing(gradient(s)):
                if is_zero(summand):
                    body.add(f"{found[s.name]} = np.zeros_like({plan.layout.arrays[key(s)].name}, kind)")
                else:
                    body.assign(found[s.name], add(*(self.summed(body, x) for x in terms_of(summand))))
        for s in self.state_starts:
            found[plan.start_name(s)] = plan.names(("sum", "start", s.name), f"d_{plan.start_name(s)}")
            with body.computing(adjoint(before_first(s, plan.lags[s.name]))):
                self.start_gradient(body, s, found[plan.start_name(s)])
        return body.done(), found

    def inputs(self) -> Function:
        """The adjoints of the inputs at every step."""
        plan, body = self.plan, Body(self.plan.printer)
        rates = plan.by_inputs
        self.on_targets(body, [*(e.right for e in rates.equations), *rates.seeds.values(), *rates.ends.values()])
        self.apart(body, plan.by_inputs)
        for e in plan.by_inputs.equations:
            self.whole(body, e)
        return body.done()

    # ------------------------------------------------------------------------------------------------------------ statements
    def apart(self, body: Body, rows: Rows) -> None:
        """The parts of adjoints that stand apart: shifted values, what comes straight from the loss, what from the last step."""
        plan = self.plan
        for (kind_, name), made in rows.ahead.items():
            source = plan.layout.arrays[kind_, name]
            for k, s in made.items():
                target = plan.add_temporary(s, f"{source.name}_next{k if k > 1 else ''}")
                with body.computing(Symbol(name, s.shape, kind_, NOW + k)):
                    body.assign(target, operation("ahead")(sympy.Symbol(source.whole(0)), sympy.Integer(k)))
        for words, part, parts in (("from the loss", "loss", rows.seeds), ("at the end", "end", rows.ends)):
            for name, value in parts.items():
                own = Symbol(name, value.shape or (1, 1), "adjoint", NOW)
                s = Symbol(f"{name} {words}", own.shape, "temporary", NOW)
                target = plan.add_temporary(s, f"{plan.layout.arrays[key(own)].name}_{part}")
                with body.computing(own, value):
                    if parts is rows.seeds:
                        body.assign(target, self.valued(body, value, "whole"))
                    else:
                        body.add(f"{target} = np.zeros((T, B{body.shape(own.shape)}), kind)")
                        body.assign(f"{target}[end]", self.valued(body, value, "last"))

    def block(self, body: Body, block: Block, backward: bool) -> None:
        """A loop with what is taken out of it, or equations for all steps at once."""
        if block.loop:
            kept = self.used_outside(self.backward if backward else self.forward, block)
            Loop(self.plan, body, block, backward, kept).write()
            return
        sums = {e.right.args[0]: e for e in block.equations if e.right.op == "lse"}
        done: set[str] = set()
        for e in block.equations:
            partner = sums.get(e.right.args[0]) if e.right.op == "softmax" else None
            if partner is not None and partner.name not in done:
                self.with_sum(body, e, partner)
                done.add(partner.name)
            elif e.name not in done:
                self.whole(body, e)

    def with_sum(self, body: Body, e: Equation, partner: Equation) -> None:
        """A softmax and the logarithm of its sum, which share their powers."""
        arrays = [self.plan.layout.arrays[key(x.left)] for x in (e, partner)]
        convert = self.plan.arrays_for("last" if arrays[0].short else "whole", body)
        argument = body.text(convert(e.right.args[0]))
        with body.computing(e.left):
            body.add(f"{arrays[0].name}, {arrays[1].name} = {body.calls('_softmax_and_log')}({argument})")

    def weight(self, value: sympy.Expr) -> sympy.Expr:
        """A value of every step, times the weight of the step in the loss."""
        return operation("shared" if self.plan.last else "weighed")(value)

    def valued(self, body: Body, e: Expr, way: str) -> sympy.Expr:
        """The value of an adjoint or of a part of it; what comes straight from the loss gets the weight of its step."""
        convert = self.plan.arrays_for(way, body)
        terms = terms_of(e)
        direct, rest = [x for x in terms if from_loss(x)], [x for x in terms if not from_loss(x)]
        if not direct:
            return convert(e)
        value = plus(*direct)
        whole = self.spread(body, value, convert, e.shape or (1, 1), way) if static(value) else convert(value)
        return add(self.weight(whole), *map(convert, rest))

    def spread(self, body: Body, e: Expr, convert: Arrays, shape: Shape, way: str) -> sympy.Expr:
        """A value that is the same at every step of every sequence, for each of them."""
        steps = "1" if way == "last" else "T"
        return sympy.Symbol(f"np.broadcast_to({body.text(convert(e))}, ({steps}, B{body.shape(shape)}))")

    def whole(self, body: Body, e: Equation) -> None:
        """One equation for all steps at once (for the last one, if that is all its array holds)."""
        with body.computing(e.left):
            self.value(body, e)

    def value(self, body: Body, e: Equation) -> None:
        """The statements of one equation for all steps at once."""
        plan = self.plan
        array = plan.layout.arrays[key(e.left)]
        way = "last" if array.short else "whole"
        convert = plan.arrays_for(way, body)
        straight = e.left.kind == "adjoint" and any(map(from_loss, terms_of(e.right)))
        if straight:
            value = self.valued(body, e.right, way)
        elif static(e.right) and not (array.past or array.future):
            value = self.spread(body, e.right, convert, e.left.shape, way)
        else:
            value = convert(e.right, loose=bool(array.past or array.future))
        if array.past or array.future:
            body.add(f"{array.name} = np.zeros((T + {array.past + array.future}, B{body.shape(e.left.shape)}), kind)")
            plan.first_rows(body, e.left)
            body.assign(array.whole(0), value)
        elif e.right.op == "sym" and not static(e.right):
            body.add(f"{array.name} = {body.text(value)}.copy()")          # so that no result is an argument
        elif straight or static(e.right):
            body.assign(array.name, value)
        else:
            make(plan, body, e, way)

    # -------------------------------------------------------------------------------------------------------------- gradients
    def summed(self, body: Body, e: Expr) -> sympy.Expr:
        """One term of a gradient, summed over steps and sequences; outer products become one matrix product."""
        plan = self.plan
        late = plan.last and is_late(e, plan.heads)
        convert = plan.arrays_for("last" if late else "whole", body)
        direct = from_loss(e)
        factors: list[sympy.Expr] = []
        while e.op == "smul" and not static(e):
            factors.append(convert(e.args[0]))
            e = e.args[1]
        if static(e) and all(x.is_Rational for x in factors):
            return multiply(*factors, sympy.Symbol("c.total"), convert(e))
        if e.op == "matmul" and kind(e.args[0].shape) + kind(e.args[1].shape) == "cr" and not any(map(static, e.args)):
            numbers, others = rational(factors)
            left = multiply(*others, convert(e.args[0]))
            return multiply(*numbers, operation("products")(self.weight(left) if direct else left, convert(e.args[1])))
        lifted = [x if x.is_Rational or kind(e.shape) != "m" else operation("lifted")(x) for x in factors]
        value = multiply(*lifted, convert(e))
        return operation("over_all")(self.weight(value) if direct else value)

    def start_gradient(self, body: Body, s: Symbol, target: str) -> None:
        """What the first steps send back to the values before them."""
        plan = self.plan
        assert plan.derivation is not None
        past = plan.lags[s.name]
        terms = terms_of(plan.derivation.adjoints[s.name])
        found = []
        for step in range(1 - past, 1):
            own = [x for x in terms
                   if any(c.kind == "adjoint" and c.time is not None and c.time.offset + step >= 1 for c in symbols(x))]
            convert = plan.arrays_for(f"at {step}", body)
            found.append(convert(plus(*own)) if own else sympy.Symbol(f"np.zeros((B{body.shape(s.shape)}), kind)"))
        if past == 1:
            body.assign(target, found[0])
        else:
            body.add(f"{target} = np.stack(({', '.join(map(body.text, found))}))")


def rational(factors: Iterable[sympy.Expr]) -> tuple[list[sympy.Expr], list[sympy.Expr]]:
    """Numbers, and the other factors.

    >>> rational([sympy.Integer(2), sympy.Symbol("x")])
    ([2], [x])
    """
    everything = list(factors)
    return [x for x in everything if x.is_Rational], [x for x in everything if not x.is_Rational]
