"""The lines of an emitted module: from the equations at a generic step to statements over whole arrays and two loops.

Everything is decided here but nothing is formatted: a plan holds the statements of each function, and what the template needs to
know about parameters, inputs, targets and states.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import sympy
from sympy.printing.codeprinter import CodePrinter

from symrnn.emit.arrays import Arrays, add, function_argument, kind, multiply, static
from symrnn.emit.layout import Array, Key, Layout
from symrnn.emit.printers import helpers, operation
from symrnn.emit.schedule import Block, key, schedule, temporary
from symrnn.emit.stable import expose, stable_derivation, stable_logarithms
from symrnn.errors import CallError
from symrnn.expr import NOW, Expr, Shape, Size, Symbol, is_zero, node, symbols, transform, walk
from symrnn.expr import add as plus
from symrnn.model import Equation, Model
from symrnn.naming import Names, identifier
from symrnn.needs import LAST, needed
from symrnn.unroll import lags

RESERVED = frozenset("""
    np T B t c run back kind Any Array Function Params Forward Last Adjoints Gradients NamedTuple NDArray Callable forward loss
    adjoints gradients self_check params single sizes float complex range reversed dict str int tuple list min len print
    annotations l I O
""".split())
"""Names that the emitted module uses itself, and those that are hard to tell from numbers."""

STAND_INS = ("np.tanh", "lambda u: 1 - np.tanh(u) ** 2", "lambda u: 2 * np.tanh(u) ** 3 - 2 * np.tanh(u)")
"""What an unspecified function and its derivatives are in the self-check of a module."""

WIDTH = 116


@dataclass(frozen=True)
class Function:
    """The statements of one function, the sizes they name and the helpers they call."""

    lines: tuple[str, ...]
    sizes: tuple[str, ...]
    helpers: frozenset[str]


@dataclass
class Body:
    """Statements being gathered."""

    printer: CodePrinter
    lines: list[str] = field(default_factory=list)
    sizes: dict[str, None] = field(default_factory=dict)
    helpers: set[str] = field(default_factory=set)

    def size(self, n: Size) -> sympy.Expr:
        """A size as it stands in the code."""
        if isinstance(n, int):
            return sympy.Integer(n)
        self.sizes[identifier(n)] = None
        return sympy.Symbol(identifier(n))

    def shape(self, shape: Shape) -> str:
        """The trailing part of the shape of an array over steps and sequences: ``, n_h``; a scalar has one entry."""
        dims = [n for n in shape if n != 1] or [1]
        return "".join(f", {self.size(n)}" for n in dims)

    def text(self, value: sympy.Expr) -> str:
        """The printed expression."""
        self.helpers |= helpers(value)
        return str(self.printer.doprint(value))

    def assign(self, target: str, value: sympy.Expr, indent: int = 0) -> None:
        """One statement; a long sum is broken before its signs."""
        pad = " " * indent
        line = f"{pad}{target} = {self.text(value)}"
        if len(line) > WIDTH and isinstance(value, sympy.Add):
            terms = [self.text(x) for x in value.args]
            signs = [f"- {x[1:]}" if x.startswith("-") else f"+ {x}" for x in terms[1:]]
            line = "\n".join([f"{pad}{target} = (", f"{pad}    {terms[0]}", *(f"{pad}    {x}" for x in signs), f"{pad})"])
        self.lines += line.split("\n")

    def done(self) -> Function:
        return Function(tuple(self.lines), tuple(self.sizes), frozenset(self.helpers))


class Plan:
    """What a looped module for ``model`` consists of; ``last`` takes the loss, and whatever only it needs, at the last step only.

    ``outputs`` are variables that are wanted at the last step and nothing else: no loss, and targets at every step.
    """

    def __init__(self, model: Model, printer: CodePrinter, last: bool = False, gradients: bool = True,
                 outputs: tuple[str, ...] = ()) -> None:
        self.original, self.printer, self.last, self.wanted = model, printer, last or bool(outputs), outputs
        self.model = stable_logarithms(expose(model))
        self.check()
        self.derivation = stable_derivation(model) if gradients else None
        self.lags = lags(self.model)
        self.names = Names(RESERVED | {identifier(n) for n in self.model.sizes} | set(self.functions))
        self.ahead: dict[Key, dict[int, Symbol]] = {}
        self.aimed = frozenset() if outputs else self.on_targets()
        self.heads = self.head_variables() if self.last else frozenset()
        self.adjoint_rows, self.late = self.adjoint_equations() if gradients else ([], {})
        self.layout = Layout(self.arrays())

    # ----------------------------------------------------------------------------------------------------------- what there is
    @property
    def parameters(self) -> tuple[Symbol, ...]:
        return self.original.parameters

    @property
    def inputs(self) -> tuple[Symbol, ...]:
        return self.original.inputs

    @property
    def targets(self) -> tuple[Symbol, ...]:
        return self.original.targets

    @property
    def constants(self) -> tuple[Symbol, ...]:
        return self.original.constants

    def check(self) -> None:
        """Refuse what a looped module cannot be made for."""
        model = self.model
        if not (self.inputs or self.targets):
            raise CallError(f"model {model.name}", must="have an input or a target, whose length is the number of steps",
                            came="neither", next_step="declare an input")
        if model.loss is not None:
            behind = [s for s in symbols(model.definitions[model.loss]) if s.time is not None and s.time.offset]
            if behind:
                raise CallError(f"the loss {model.loss}", must="use the current step only, so that it ends with the sequence",
                                came=f"a use of {behind[0]}", next_step="give the earlier value a variable of its own")
        for e in model.equations:
            odd = next((x for x in walk(e.right) if x.op == "vcall"), None)
            if odd is not None:
                raise CallError(f"the function {odd.attr[0]} in {e}", must="be given by equations",
                                came="an unspecified vector function",
                                next_step="define it, or use an unspecified elementwise function")

    @cached_property
    def orders(self) -> dict[str, tuple[str, int]]:
        """The arguments that stand for unspecified functions (order 0) and their derivatives (1): name -> (label, order)."""
        found: dict[str, tuple[str, int]] = {}
        for e in self.model.equations:
            for x in walk(e.right):
                if x.op == "apply" and x.attr.startswith("?"):
                    label = x.attr[1:].rstrip("'")
                    order = len(x.attr) - 1 - len(label)
                    if order >= len(STAND_INS) - 1:
                        raise CallError(f"the function {x.attr[1:]}", must="be a function or its first derivative",
                                        came=x.attr[1:], next_step="name the derivative as a function of its own")
                    for k in (order, order + 1):
                        name = function_argument("?" + label + "'" * k)
                        if found.setdefault(name, (label, k)) != (label, k):
                            raise CallError(f"the function {label}", must="have a derivative with a name of its own",
                                            came=f"two meanings of {name}", next_step="rename one of the functions")
        return found

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of these arguments."""
        return tuple(self.orders)

    @property
    def plain(self) -> tuple[str, ...]:
        """Those that the forward pass needs: the functions themselves."""
        used = {function_argument(x.attr) for e in self.model.equations for x in walk(e.right)
                if x.op == "apply" and x.attr.startswith("?")}
        return tuple(f for f in self.orders if f in used)

    @property
    def starts(self) -> tuple[Symbol, ...]:
        """The sequences that need values before the first step."""
        order = [*self.model.variables, *self.inputs, *self.targets]
        return tuple(s for s in order if s.name in self.lags)

    def start_name(self, s: Symbol) -> str:
        return self.names(("start", s.name), f"{identifier(s.name)}0")

    def on_targets(self) -> frozenset[str]:
        """The variables that depend on targets; those that a state needs are part of the forward pass all the same."""
        found: set[str] = set()
        for _ in self.model.equations:
            found |= {e.name for e in self.model.equations
                      if any(s.kind == "target" or (s.kind == "variable" and s.name in found) for s in symbols(e.right))}
        return frozenset(found - self.needed_by({s.name for s in self.model.states}))

    def needed_by(self, names: set[str]) -> set[str]:
        """These variables and all that they are made of."""
        found, stack = set(names), list(names)
        while stack:
            for s in symbols(self.model.definitions[stack.pop()]):
                if s.kind == "variable" and s.name not in found:
                    found.add(s.name)
                    stack.append(s.name)
        return found

    @property
    def forward_targets(self) -> tuple[Symbol, ...]:
        """The targets that the forward pass needs."""
        used = {s.name for e in self.model.equations if e.name not in self.aimed for s in symbols(e.right) if s.kind == "target"}
        return tuple(s for s in self.targets if s.name in used)

    def head_variables(self) -> frozenset[str]:
        """The variables that are needed at the last step only: with the loss at the last step, only their last value is computed."""
        if self.wanted:
            return frozenset(name for name, back in needed(self.model, self.wanted).late.items() if back == LAST)
        if self.forward_targets:
            raise CallError(f"model {self.model.name} with the loss at the last step", must="have targets at that step only",
                            came="states that depend on targets", next_step="take the loss at every step")
        kept = self.needed_by({s.name for s in self.model.states})
        return frozenset(e.name for e in self.model.equations if e.name not in kept)

    # -------------------------------------------------------------------------------------------------------------- adjoints
    def adjoint_equations(self) -> tuple[list[Equation], dict[str, Expr]]:
        """The recurrences that the gradients need, and the parts of them that belong to the last step alone."""
        assert self.derivation is not None
        found = self.derivation.adjoints
        wanted = [s.name for e in self.derivation.summands.values() for s in symbols(e) if s.kind == "adjoint"]
        wanted += [s.name for s in self.starts if s.kind == "variable"]
        needed: set[str] = set()
        while wanted:
            name = wanted.pop()
            if name not in needed:
                needed.add(name)
                wanted += [s.name for s in symbols(found[name]) if s.kind == "adjoint"]
        rows, late = [], {}
        for name, right in found.items():
            if name not in needed or name in {s.name for s in self.inputs}:
                continue
            left = Symbol(name, self.model.symbol(name).shape, "adjoint", NOW)
            right = transform(right, self.without_ahead)
            if self.last and name not in self.heads:
                ends, rest = self.split_late(right)
                if ends:
                    late[name] = plus(*ends)
                    rest.append(temporary(f"{name} at the end", late[name]))
                right = plus(*rest) if rest else right
            rows.append(Equation(left, right))
        return rows, late

    def split_late(self, e: Expr) -> tuple[list[Expr], list[Expr]]:
        """The terms that come from the last step alone (through heads, or from the loss directly), and the others."""
        terms = list(e.args) if e.op == "add" else [e]
        ends = [x for x in terms if self.is_late(x) and not is_zero(x)]
        return ends, [x for x in terms if x not in ends]

    def is_late(self, e: Expr) -> bool:
        if not self.last:
            return False
        cotangents = [s for s in symbols(e) if s.kind == "adjoint"]
        return not cotangents or any(s.name in self.heads for s in cotangents)

    def without_ahead(self, x: Expr) -> Expr | None:
        """A value of a later step in the backward pass is taken from an array that is shifted beforehand."""
        if x.op != "sym" or x.attr.kind in ("adjoint", "temporary") or x.attr.time is None or x.attr.time.offset <= 0:
            return None
        s, k = x.attr, x.attr.time.offset
        made = Symbol(f"{s.name} {k} ahead", s.shape, "temporary", NOW)
        return node("sym", attr=self.ahead.setdefault(key(s), {}).setdefault(k, made))

    def future(self, name: str) -> int:
        """How many steps ahead an adjoint is used at most."""
        rows = [e.right for e in self.adjoint_rows]
        used = [s.time for e in rows for s in symbols(e) if s.kind == "adjoint" and s.name == name]
        return max((time.offset for time in used if time is not None), default=0)

    # ---------------------------------------------------------------------------------------------------------------- arrays
    def arrays(self) -> dict[Key, Array]:
        """A name and rows for every symbol."""
        model, found = self.model, {}
        for s in (*self.parameters, *self.constants, *self.inputs, *self.targets, *model.variables):
            short = s.name in self.heads or (self.last and not self.wanted and s.kind == "target")
            found[key(s)] = Array(self.names(key(s), s.name), past=self.lags.get(s.name, 0), short=short)
        for e in self.adjoint_rows:
            name = self.names(key(e.left), f"d_{identifier(e.name)}")
            found[key(e.left)] = Array(name, future=self.future(e.name), short=e.name in self.heads)
        return found

    def add_temporary(self, s: Symbol, wish: str) -> str:
        """A name for a temporary; it is entered among the arrays."""
        name = self.names(key(s), wish)
        self.layout.arrays[key(s)] = Array(name)
        return name

    # ------------------------------------------------------------------------------------------------------------- functions
    def run(self) -> Function:
        """The forward pass."""
        body = Body(self.printer)
        rows = [e for e in self.model.equations if e.name not in self.aimed]
        for block in schedule(rows, Fresh(self, "")):
            self.block(body, block, backward=False)
        return body.done()

    def measure(self) -> Function:
        """The variables that depend on targets, with the loss if it is one of them; else the forward pass has it already."""
        body = Body(self.printer)
        for e in self.model.equations:
            if e.name in self.aimed:
                self.whole(body, e)
        return body.done()

    def backward(self) -> Function:
        """The adjoints, last step first."""
        body = Body(self.printer)
        needed = {s.name for e in self.adjoint_rows for s in symbols(e.right) if s.kind == "variable"}
        for e in self.model.equations:
            if e.name in self.aimed and e.name in self.needed_by(needed) and e.name != self.model.loss:
                self.whole(body, e)
        for (kind_, name), made in self.ahead.items():
            source = self.layout.arrays[kind_, name]
            for k, s in made.items():
                target = self.add_temporary(s, f"{source.name}_next{k if k > 1 else ''}")
                body.assign(target, operation("ahead")(sympy.Symbol(source.whole(0)), sympy.Integer(k)))
        heads = [e for e in self.adjoint_rows if e.name in self.heads]
        for e in heads:
            self.whole(body, e)
        for e in self.adjoint_rows:
            if e.name in self.late:
                s = temporary(f"{e.name} at the end", self.late[e.name]).attr
                s = Symbol(s.name, s.shape, s.kind, NOW) if s.time is None else s
                target = self.add_temporary(s, f"{self.layout.arrays[key(e.left)].name}_end")
                body.lines.append(f"{target} = np.zeros((T, B{body.shape(s.shape)}), kind)")
                body.assign(f"{target}[-1:]", Arrays(self.layout.refer("last"), body.size)(self.late[e.name]))
        rest = [e for e in self.adjoint_rows if e.name not in self.heads]
        for block in schedule(rest, Fresh(self, "d_")):
            self.block(body, block, backward=True)
        return body.done()

    def block(self, body: Body, block: Block, backward: bool) -> None:
        """A loop with what is taken out of it, or equations for all steps at once."""
        if not block.loop:
            for e in block.equations:
                self.whole(body, e)
            return
        for e in block.equations:
            array = self.layout.arrays[key(e.left)]
            rows = f"T + {array.past + array.future}" if array.past + array.future else "T"
            maker = "zeros" if array.future else "empty"
            body.lines.append(f"{array.name} = np.{maker}(({rows}, B{body.shape(e.left.shape)}), kind)")
            self.first_rows(body, e.left)
        for e in block.before:
            value = Arrays(self.layout.refer("whole"), body.size)(e.right)
            body.assign(self.layout.arrays[key(e.left)].name, value)
        body.lines.append("for t in reversed(range(T)):" if backward else "for t in range(T):")
        convert = Arrays(self.layout.refer("step"), body.size)
        for e in block.equations:
            body.assign(self.layout.arrays[key(e.left)].step(0), convert(e.right, loose=True), indent=4)

    def first_rows(self, body: Body, s: Symbol) -> None:
        """Fill the rows before the first step."""
        array = self.layout.arrays[key(s)]
        if array.past and s.kind == "variable":
            body.lines.append(f"{array.name}[{0 if array.past == 1 else f':{array.past}'}] = {self.start_name(s)}")

    def whole(self, body: Body, e: Equation) -> None:
        """One equation for all steps at once (for the last one, if that is all its array holds)."""
        array = self.layout.arrays[key(e.left)]
        convert = Arrays(self.layout.refer("last" if array.short else "whole"), body.size)
        steps = "1" if array.short else "T"
        if array.past or array.future:
            body.lines.append(f"{array.name} = np.zeros((T + {array.past + array.future}, B{body.shape(e.left.shape)}), kind)")
            self.first_rows(body, e.left)
            body.assign(array.whole(0), convert(e.right, loose=True))
        elif static(e.right):
            value = sympy.Symbol(f"np.broadcast_to({body.text(convert(e.right))}, ({steps}, B{body.shape(e.left.shape)}))")
            body.assign(array.name, value)
        else:
            body.assign(array.name, convert(e.right))

    # -------------------------------------------------------------------------------------------------------------- gradients
    def collect(self) -> tuple[Function, dict[str, str]]:
        """The sums over steps and sequences; returns the statements and the name of each gradient in them."""
        assert self.derivation is not None
        body, found = Body(self.printer), {}
        for s in self.parameters:
            found[s.name] = self.names(("sum", s.name), f"d_{identifier(s.name)}")
            summand = self.derivation.summands[s.name]
            if is_zero(summand):
                body.lines.append(f"{found[s.name]} = np.zeros_like({self.layout.arrays[key(s)].name}, kind)")
                continue
            terms = summand.args if summand.op == "add" else (summand,)
            body.assign(found[s.name], add(*(self.summed(body, x) for x in terms)))
        for s in self.starts:
            if s.kind == "variable":
                found[self.start_name(s)] = self.names(("sum", "start", s.name), f"d_{self.start_name(s)}")
                self.start_gradient(body, s, found[self.start_name(s)])
        return body.done(), found

    def summed(self, body: Body, e: Expr) -> sympy.Expr:
        """One term of a gradient, summed over steps and sequences; outer products become one matrix product."""
        convert = Arrays(self.layout.refer("last" if self.is_late(e) else "whole"), body.size)
        factors: list[sympy.Expr] = []
        while e.op == "smul":
            if static(e):
                break
            factors.append(convert(e.args[0]))
            e = e.args[1]
        count = [sympy.Symbol("B")] if self.is_late(e) else [sympy.Symbol("T"), sympy.Symbol("B")]
        if static(e) and all(x.is_Rational for x in factors):
            return multiply(*count, *factors, convert(e))
        if e.op == "matmul" and kind(e.args[0].shape) + kind(e.args[1].shape) == "cr" and not any(map(static, e.args)):
            numbers = [x for x in factors if x.is_Rational]
            others = [x for x in factors if not x.is_Rational]
            left = multiply(*others, convert(e.args[0]))
            return multiply(*numbers, operation("products")(left, convert(e.args[1])))
        lifted = [x if x.is_Rational or kind(e.shape) != "m" else operation("lifted")(x) for x in factors]
        return operation("over_all")(multiply(*lifted, convert(e)))

    def start_gradient(self, body: Body, s: Symbol, target: str) -> None:
        """What the first steps send back to the values before them."""
        assert self.derivation is not None
        past = self.lags[s.name]
        right = self.derivation.adjoints[s.name]
        rows = []
        for step in range(1 - past, 1):
            terms = [x for x in (right.args if right.op == "add" else (right,))
                     if any(c.kind == "adjoint" and c.time is not None and c.time.offset + step >= 1 for c in symbols(x))]
            convert = Arrays(self.layout.refer(f"at {step}"), body.size)
            rows.append(convert(plus(*terms)) if terms else sympy.Symbol(f"np.zeros((B{body.shape(s.shape)}), kind)"))
        if past == 1:
            body.assign(target, rows[0])
        else:
            body.lines.append(f"{target} = np.stack(({', '.join(body.text(x) for x in rows)}))")


class Fresh:
    """Names for the parts that are taken out of a loop: ``a_in`` is what reaches ``a`` from outside of it."""

    def __init__(self, plan: Plan, prefix: str) -> None:
        self.plan, self.prefix, self.count = plan, prefix, 0

    def __call__(self, name: str) -> str:
        self.count += 1
        made = f"{self.prefix}{name} part {self.count}"
        wish = f"{self.prefix}{identifier(name)}_in"
        self.plan.layout.arrays["temporary", made] = Array(self.plan.names(("temporary", made), wish))
        return made
