"""The lines of an emitted module: from the equations at a generic step to statements over whole arrays and two loops.

Everything is decided here but nothing is formatted: a plan holds the statements of each function, and what the template needs to
know about parameters, inputs, targets and states.
"""
from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from sympy.printing.codeprinter import CodePrinter

from symrnn.emit.adjoints import Rows, closure, rows
from symrnn.emit.arrays import Arrays, function_argument
from symrnn.emit.layout import Array, Key, Layout, before_first
from symrnn.emit.schedule import key
from symrnn.emit.stable import expose, named_sums, stable_derivation, stable_logarithms
from symrnn.emit.statements import Body, axis
from symrnn.errors import CallError
from symrnn.expr import Expr, Symbol, symbols, walk
from symrnn.model import Model
from symrnn.naming import Names, identifier
from symrnn.needs import LAST, needed
from symrnn.unroll import lags

RESERVED = frozenset("""
    np T B t c run back kind Any Array Function Params Forward Last Adjoints Gradients NamedTuple NDArray Callable Iterator
    forward loss adjoints gradients loss_and_gradients loss_and_all_gradients InputGradients self_check params Shape real single
    sizes float complex range reversed dict str int tuple list min len print zip bool isinstance annotations l I O mask
    reduction end everything many checked found count steps
""".split())
"""Names that the emitted module uses itself, and those that are hard to tell from numbers."""

STAND_INS = ("np.tanh", "lambda u: 1 - np.tanh(u) ** 2", "lambda u: 2 * np.tanh(u) ** 3 - 2 * np.tanh(u)")
"""What an unspecified function and its derivatives are in the self-check of a module."""


class Plan:
    """What a looped module for ``model`` consists of; where the loss counts at the last step, it and whatever only it needs is
    computed there alone.

    ``outputs`` are variables that are wanted at the last step and nothing else: no loss, and targets at every step.
    """

    def __init__(self, model: Model, printer: CodePrinter, gradients: bool = True,
                 outputs: tuple[str, ...] = ()) -> None:
        self.original, self.printer, self.last, self.wanted = model, printer, model.at_end or bool(outputs), outputs
        self.model = named_sums(stable_logarithms(expose(model)))
        self.check()
        self.gradients = gradients
        self.derivation = stable_derivation(model) if gradients else None
        self.lags = lags(self.model)
        self.names = Names(RESERVED | {axis(n) for n in self.model.sizes} | set(self.functions))
        self.aimed = frozenset() if outputs else self.on_targets()
        self.heads = self.head_variables() if self.last else frozenset()
        self.back, self.by_inputs = self.adjoint_equations() if gradients else (Rows(), Rows())
        self.adjoint_rows = self.back.equations
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

    @cached_property
    def classes(self) -> frozenset[str]:
        """The targets that may come as class numbers and stay so: probabilities that no state needs."""
        early = {s.name for s in self.forward_targets} | set(self.lags)
        return frozenset(s.name for s in self.targets if self.of_classes(s) and s.name not in early)

    @cached_property
    def spent(self) -> frozenset[str]:
        """The variables that the backward pass and the loss use once, with the targets taken off: their arrays may be overwritten."""
        if self.derivation is None:
            return frozenset()
        uses = [*self.derivation.summands.values(), *(e.right for e in self.model.equations if e.name in self.aimed)]
        for rows_ in (self.back, self.by_inputs):
            uses += [*(e.right for e in rows_.equations), *rows_.ends.values(), *rows_.seeds.values()]
        found = [x.attr.name for e in uses for x in every(e) if x.op == "sym" and x.attr.kind == "variable"]
        ahead = {name for _, name in (*self.back.ahead, *self.by_inputs.ahead)}
        return frozenset(name for name in found if found.count(name) == 1 and name not in {*self.lags, *ahead})

    def of_classes(self, s: Symbol) -> bool:
        """Whether the entries of a target are the probabilities of classes."""
        return s.name in self.original.simplex and s.shape[1] == 1 and s.shape[0] != 1

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
    def adjoint_equations(self) -> tuple[Rows, Rows]:
        """The recurrences that the gradients need, and those for the inputs."""
        assert self.derivation is not None
        found = self.derivation.adjoints
        wanted = [*self.derivation.summands.values(), *(found[s.name] for s in self.inputs)]
        start = [s.name for e in wanted for s in symbols(e) if s.kind == "adjoint"]
        needed = closure([*start, *(s.name for s in self.starts if s.kind == "variable")], found)
        inputs = {s.name for s in self.inputs}
        own = [self.model.symbol(name) for name in found if name in needed - inputs]
        return rows(own, found, self.heads, self.last), rows(self.inputs, found, self.heads, self.last)

    def future(self, name: str) -> int:
        """How many steps ahead an adjoint is used at most."""
        every = [e.right for e in (*self.adjoint_rows, *self.by_inputs.equations)]
        used = [s.time for e in every for s in symbols(e) if s.kind == "adjoint" and s.name == name]
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
        for e in self.by_inputs.equations:
            found[key(e.left)] = Array(self.names(key(e.left), f"d_{identifier(e.name)}"))
        return found

    def arrays_for(self, way: str, body: Body) -> Arrays:
        """Converts expressions for one way to refer to arrays."""
        return Arrays(self.layout.refer(way), body.size, "matmul" if way.startswith("at ") else "times", self.classes, self.spent)

    def add_temporary(self, s: Symbol, wish: str) -> str:
        """A name for a temporary; it is entered among the arrays."""
        name = self.names(key(s), wish)
        self.layout.arrays[key(s)] = Array(name)
        return name

    def first_rows(self, body: Body, s: Symbol) -> None:
        """Fill the rows before the first step."""
        array = self.layout.arrays[key(s)]
        if array.past and s.kind == "variable":
            with body.computing(before_first(s, array.past)):
                body.add(f"{array.name}[{0 if array.past == 1 else f':{array.past}'}] = {self.start_name(s)}")


def every(e: Expr) -> Iterator[Expr]:
    """Every place of an expression; what occurs twice is met twice."""
    yield e
    for a in e.args:
        yield from every(a)


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
