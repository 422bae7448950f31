"""A recurrent model: an ordered set of named equations at a generic step t, with initial states and a loss.

``W = param("W", "n_h", "n_h")``, ``h = var("h", "n_h")`` and ``Model.build("elman", h << tanh(W @ h[-1] + ...), ...)`` make one
in Python; documents compile to the same record. No proof rests on the reader alone.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256

from symrnn.displayed import Displayed
from symrnn.errors import CallError, ModelError, ShapeError
from symrnn.expr import (
    FIRST,
    LAST,
    NOW,
    SCALAR,
    Expr,
    Linear,
    Size,
    Symbol,
    Time,
    fix_time,
    named,
    node,
    resize,
    show_shape,
    symbols,
    time_sum,
    unify,
    unknown,
)


@dataclass(frozen=True)
class Equation:
    """``left[t] = right``: the definition of one variable at a generic step."""

    left: Symbol
    right: Expr

    @property
    def name(self) -> str:
        return self.left.name

    def resized(self, values: Mapping[str, Size]) -> Equation:
        """The equation with other sizes."""
        return Equation(resize(node("sym", attr=self.left), values).attr, resize(self.right, values))

    def __str__(self) -> str:
        return f"{self.left} = {self.right}"


@dataclass(frozen=True)
class Model(Displayed):
    """A recurrence with shapes.

    ``equations`` stand in an order in which each uses only earlier ones of the same step; ``loss`` names the scalar equation
    that is summed over t = 1..T into ``total``, or with ``at_end`` counts at t = T alone; ``simplex`` names the targets whose
    entries sum to one; ``initial`` says whether the state before the first step is ``given`` or ``zero``. ``latex`` maps names to
    how the source writes them. ``backward`` names the variables that run from step T to step 1, whose equations may use what runs
    backward at steps after t, and nothing of other steps.
    """

    name: str
    equations: tuple[Equation, ...]
    loss: str | None = None
    total: str = "L"
    simplex: frozenset[str] = frozenset()
    initial: str = "given"
    source: str = ""
    latex: Mapping[str, str] = field(default_factory=dict, hash=False, compare=False)
    at_end: bool = False
    backward: frozenset[str] = frozenset()

    # ------------------------------------------------------------------------------------------------------ making one
    @classmethod
    def build(cls, name: str, equations: Iterable[tuple[Expr, Expr] | Equation], *, loss: str | None = None, total: str = "L",
              simplex: Iterable[str] = (), initial: str = "given", source: str = "", latex: Mapping[str, str] | None = None,
              at_end: bool = False, backward: Iterable[str] = ()) -> Model:
        """Solve the unknown sizes, check the equations (defined once, shapes, causal, not cyclic) and put them in order.

        Raises ModelError or ShapeError, each naming the equation.
        """
        rows = [e if isinstance(e, Equation) else Equation(e[0].attr, e[1]) for e in equations]
        rows, back = solved(rows), frozenset(backward)
        check_equations(rows, back)
        ordered = in_order(rows)
        in_runs(ordered, back)
        return cls(name, ordered, loss, total, frozenset(simplex), initial, source, dict(latex or {}), at_end, back)

    # ------------------------------------------------------------------------------------------------------- looking at it
    @cached_property
    def definitions(self) -> dict[str, Expr]:
        """Name of each variable -> its right side at step t."""
        return {e.name: e.right for e in self.equations}

    @cached_property
    def _used(self) -> tuple[Symbol, ...]:
        found: dict[Symbol, None] = {}
        for e in self.equations:
            found.update(dict.fromkeys(symbols(e.right)))
        return tuple(found)

    def _of_kind(self, *kinds: str) -> tuple[Symbol, ...]:
        rows = {s.name: Symbol(s.name, s.shape, s.kind, NOW if s.time else None) for s in self._used if s.kind in kinds}
        return tuple(rows.values())

    @property
    def parameters(self) -> tuple[Symbol, ...]:
        """The parameters, in order of appearance."""
        return self._of_kind("parameter")

    @property
    def inputs(self) -> tuple[Symbol, ...]:
        return self._of_kind("input")

    @property
    def targets(self) -> tuple[Symbol, ...]:
        return self._of_kind("target")

    @property
    def constants(self) -> tuple[Symbol, ...]:
        return self._of_kind("constant")

    @cached_property
    def variables(self) -> tuple[Symbol, ...]:
        """The variables with an equation, each at step t."""
        return tuple(e.left for e in self.equations)

    @cached_property
    def states(self) -> tuple[Symbol, ...]:
        """The variables that some equation uses at another step: an earlier one, or a later one where they run backward."""
        late = {s.name for s in self._used if s.kind == "variable" and s.time is not None and s.time.offset}
        return tuple(v for v in self.variables if v.name in late)

    @cached_property
    def runs(self) -> tuple[tuple[int, tuple[Equation, ...]], ...]:
        """The order in which everything can be computed: direction (1, or -1 for steps T to 1) and equations, one run after the other."""
        return in_runs(self.equations, self.backward)

    @cached_property
    def sizes(self) -> tuple[str, ...]:
        """The names of the sizes, in order of appearance; a sum of sizes is given by its terms."""
        return tuple(dict.fromkeys(name for d in self._lengths for name in Linear.of(d).names))

    @cached_property
    def sums_of_sizes(self) -> tuple[str, ...]:
        """The lengths of axes that are no name, such as ``n_h+n_x``."""
        return tuple(d for d in self._lengths if d not in self.sizes)

    @cached_property
    def _lengths(self) -> tuple[str, ...]:
        shapes = [s.shape for s in (*self.variables, *self._used)]
        return tuple(dict.fromkeys(d for shape in shapes for d in shape if isinstance(d, str)))

    def symbol(self, name: str, time: Time | None = NOW) -> Symbol:
        """The symbol called ``name`` (at ``time`` if it is a sequence); KeyError if the model has none."""
        for s in (*self.variables, *self.parameters, *self.inputs, *self.targets, *self.constants):
            if s.name == name:
                return Symbol(s.name, s.shape, s.kind, time if s.time else None)
        raise KeyError(name)

    def __getitem__(self, name: str) -> Expr:
        return node("sym", attr=self.symbol(name))

    @property
    def summed(self) -> Symbol:
        """The loss of a sequence."""
        return Symbol(self.total, SCALAR)

    @property
    def total_loss(self) -> Expr:
        """The sum of the loss over t = 1..T, or the loss at the last step."""
        if self.loss is None:
            raise ModelError(f"model {self.name}", must="have a loss for gradients", came="none",
                             next_step="name the scalar equation that is the loss of one step")
        return fix_time(self[self.loss], "t", LAST) if self.at_end else time_sum("t", FIRST, LAST, self[self.loss])

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the equations and assumptions in plain form."""
        text = "\n".join([*map(str, self.equations), *(f"{s} {show_shape(s.shape)} {s.kind}" for s in (*self.variables, *self._used)),
                          f"loss {self.loss}{' at the last step' * self.at_end}", f"simplex {sorted(self.simplex)}",
                          f"initial {self.initial}", *(f"backward {name}" for name in sorted(self.backward))])
        return sha256(text.encode()).hexdigest()


# ------------------------------------------------------------------------------------------------------------------ checks
def sizes_of(rows: list[Equation]) -> dict[str, Size]:
    """The values of the unknown sizes (``?name``) that the equations determine; the rest get names."""
    every = [s for e in rows for s in (e.left, *symbols(e.right))]
    if not any(unknown(n) for s in every for n in s.shape):
        return {}
    return named(unify((node("sym", attr=e.left), e.right) for e in rows), sorted(every, key=lambda s: (s.shape[1] != 1, "(" in s.name)))


def solved(rows: list[Equation]) -> list[Equation]:
    """The equations with their unknown sizes solved."""
    values = sizes_of(rows)
    if not values:
        return rows
    return [e.resized(values) for e in rows]


def check_equations(rows: list[Equation], backward: frozenset[str] = frozenset()) -> None:
    """Each variable once, shapes that fit, every variable defined, and nothing from the future but what runs backward."""
    defined: dict[str, Equation] = {}
    for e in rows:
        if e.name in defined:
            raise ModelError(f"the variable {e.name}", must="have one equation", came=f"{defined[e.name]} and {e}",
                             next_step="rename one of them")
        defined[e.name] = e
    for e in rows:
        if e.right.fault is not None:
            raise ShapeError(f"the equation {e}", must="have shapes that fit", came=str(e.right.fault),
                             left=e.right.fault.left, right=e.right.fault.right, next_step="check the shapes of its symbols")
        if e.right.shape != e.left.shape:
            raise ShapeError(f"the equation of {e.name}", must=f"give a {show_shape(e.left.shape)}",
                             came=f"a {show_shape(e.right.shape)}", left=e.left.shape, right=e.right.shape,
                             next_step="check the shapes of its symbols")
        for s in symbols(e.right):
            if s.kind == "variable" and s.name not in defined:
                raise ModelError(f"the symbol {s.name} in {e}", must="have an equation or a declared kind", came="neither",
                                 next_step=f"define {s.name} or declare it as parameter, input or target")
            if s.time is not None and (s.time.base != "t" or s.time.offset > 0 and not {e.name, s.name} <= backward):
                raise ModelError(f"the equation {e}", must="use steps up to t only", came=f"{s}",
                                 next_step="write the recurrence so that it is causal, or declare that its variables run backward")
            if e.name in backward and s.time is not None and s.time.offset < 0:
                raise ModelError(f"the equation {e}, which runs backward,", must="use step t and later ones only", came=f"{s}",
                                 next_step="give the quantity of the earlier step a name of its own, by an equation that runs forward")
            if s.name in backward and e.name not in backward and s.time != NOW:
                raise ModelError(f"the equation {e}", must=f"use {s.name}, which runs backward, at step t only", came=f"{s}",
                                 next_step="declare that its left side runs backward too, or use step t")


def in_order(rows: list[Equation]) -> tuple[Equation, ...]:
    """The equations so that each uses only earlier ones of the same step."""
    left, out = list(rows), []
    done: set[str] = set()
    while left:
        ready = [e for e in left if all(s.name in done for s in symbols(e.right) if s.kind == "variable" and s.time == NOW)]
        if not ready:
            raise ModelError("the equations of " + ", ".join(e.name for e in left), must="not need each other in one step",
                             came="a cycle", next_step="use the value of the step before (t-1) where it is meant")
        out += ready
        done |= {e.name for e in ready}
        left = [e for e in left if e not in ready]
    return tuple(out)


def one_way(m: Model, what: str) -> Model:
    """The model, if nothing in it runs backward; CallError saying that ``what`` is for such models only."""
    if m.backward:
        raise CallError(f"{what} of {m.name}", must="be that of a network that runs from the first step to the last",
                        came=f"{', '.join(sorted(m.backward))}, which runs backward",
                        next_step="take each direction as a model of its own, and reverse the sequence for the one that runs backward")
    return m


def in_runs(rows: tuple[Equation, ...], backward: frozenset[str]) -> tuple[tuple[int, tuple[Equation, ...]], ...]:
    """The equations by the run in which they are computed, each with its direction: what runs backward only needs runs before it."""
    turn = {e.name: int(e.name in backward) for e in rows}
    for _ in range(len(rows) + 1):
        needed = {e.name: [turn[s.name] for s in symbols(e.right) if s.name in turn] for e in rows}
        found = {name: max([turn[name], *(k + (k - turn[name]) % 2 for k in before)]) for name, before in needed.items()}
        if found == turn:
            return tuple((-1 if k % 2 else 1, tuple(e for e in rows if turn[e.name] == k)) for k in sorted({*turn.values()}))
        turn = found
    raise ModelError(f"what runs backward, {', '.join(sorted(backward))},", must="need nothing that needs it at another step",
                     came="a cycle through both directions", next_step="compute one direction before the other")


# --------------------------------------------------------------------------------------------------- symbols as engineers write
def param(name: str, rows: Size = 1, columns: Size = 1) -> Expr:
    """A parameter: the same at every step."""
    return node("sym", attr=Symbol(name, (rows, columns), "parameter", None))


def sequence(name: str, rows: Size = 1, columns: Size = 1, kind: str = "variable") -> Expr:
    """A quantity with a time index, at step t; ``kind`` is variable, input or target."""
    return node("sym", attr=Symbol(name, (rows, columns), kind, NOW))


def scalar(name: str, kind: str = "variable") -> Expr:
    return node("sym", attr=Symbol(name, SCALAR, kind, NOW))
