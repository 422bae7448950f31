"""One scope of a document: what is declared there, and the definitions gathered so far.

The first equation of a symbol defines it. A scope is what the front matter (or a ``scope`` directive) declares, with the definitions
that follow.
"""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import NoneType
from typing import Any

from symrnn import gates
from symrnn.conditions import condition_of, counted, restricts_definition
from symrnn.errors import DeclarationError, Place, SymrnnError
from symrnn.expr import (
    NOW,
    SCALAR,
    Expr,
    Index,
    Size,
    Symbol,
    add,
    along,
    apply,
    has_powers,
    is_zero,
    node,
    own_shape,
    repeated_rows,
    resize,
    shift,
    symbols,
    transform,
    unify,
    vectorise,
    walk,
    zeros,
)
from symrnn.losses import Losses, cross_entropy, foresees
from symrnn.model import Equation, Model, sizes_of
from symrnn.prove.claim import Claim, Condition
from symrnn.prove.closed import solvable
from symrnn.prove.decide import decide
from symrnn.read import blocks
from symrnn.read.columns import one_by_one, rows
from symrnn.read.document import Span
from symrnn.read.elaborate import Elaborator, Meaningless
from symrnn.read.held import Held
from symrnn.read.keys import KINDS, checked
from symrnn.read.names import canonical_name
from symrnn.read.occurrences import shape_of
from symrnn.read.reader import Reading, read
from symrnn.read.scope import LAYOUTS, LOSS, PLACES, TOTAL, Scope
from symrnn.read.symbols import SymbolTable
from symrnn.read.tree import Node
from symrnn.read.tree import walk as nodes_of
from symrnn.read.usual import usual_function

KEYS = tuple(KINDS)
"""What front matter declares."""

INFERRED: Mapping[str, type] = {"gradients_guessed": bool, "flowing": list, "direct": dict, "cross_entropy": str, "absent": list,
                                "arriving": dict, "values": dict, "primes": dict, "aliases": dict, "unsure": list,
                                "numbered": list, "one_hot": list, "held": Held, "stated_layout": str, "rows_guessed": list}
"""What is inferred from the sentences and formulas of a text, with the type of its value; a scope that says it itself is wrong."""

DEEPEST = 8
"""How many steps back a definition is put into itself to see whether a text says it again."""

INITIAL = ("given", "zero")
"""What the states before the first step may be."""


@dataclass(frozen=True)
class Rival:
    """Another definition that the text gives of a variable in the same passage: its line, and where it begins to count."""

    name: str
    equations: tuple[Equation, ...]
    line: int
    offset: int = 0


@dataclass
class Setting(Losses):
    """One scope of a document while it is read: its declarations, and the equations gathered so far."""

    name: str
    scope: Scope
    simplex: frozenset[str] = frozenset()
    initial: str = "given"
    source: str = ""
    conditions: tuple[Condition, ...] = ()
    equations: list[Equation] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)             # variable -> id of the equation that defines it
    latex: dict[str, str] = field(default_factory=dict)              # canonical name -> how the text writes it
    has_total: bool = False
    has_update: bool = False
    summed: set[str] = field(default_factory=set)                     # what the text defines by a sum over steps
    solved: Mapping[str, Size] = field(default_factory=dict)          # sizes that a definition settles by itself
    unsure: frozenset[str] = frozenset()                              # names of whose kind nothing is known
    numbered: frozenset[str] = frozenset()                            # names with equations of their own for several numbers below
    guessed: bool = False                                             # nothing is declared: kinds and sizes follow from use
    cross_entropy: str | None = None                                  # the target of the cross-entropy that a sentence says the loss is
    one_hot: frozenset[str] = frozenset()                             # distributions with one entry that is not zero
    stated_layout: str | None = None                                  # how a sentence says that derivatives lie
    opened: frozenset[str] = frozenset()                              # names defined anew, for which the scope was opened
    supposed: Mapping[str, str] = field(default_factory=dict)         # names given by a recurrence alone, with what makes them gradients
    rows_guessed: frozenset[str] = frozenset()                        # numbers of rows of capital letters, which may be one
    gradients_guessed: bool = False                                   # nothing says what the letters of named gradients mean
    rivals: tuple[Rival, ...] = ()                                    # definitions that contradict those that stand here
    backward: frozenset[str] = frozenset()                            # variables that run from the last step to the first
    layouts: tuple[str, ...] = ()                                     # in which ones derivatives may lie, if the text says so in words

    @classmethod
    def of(cls, name: str, data: Mapping[str, Any], parent: Setting | None = None, where: Place | None = None) -> Setting:
        """The scope that a mapping declares, on top of ``parent`` (symbols are inherited, definitions are not)."""
        keys = KEYS if parent is None else tuple(k for k in KEYS if k != "infer")
        odd = sorted(k for k in map(str, data) if k not in keys and not isinstance(data.get(k), INFERRED.get(k, NoneType)))
        if odd:
            raise DeclarationError(f"the declaration {odd[0]}", must="be one of " + ", ".join(keys), came=odd[0], where=where,
                                   next_step="Remove or rename it.")
        checked(data)
        if str(data.get("initial", "given")) not in INITIAL:
            raise DeclarationError("initial", must="be one of " + ", ".join(INITIAL), came=str(data["initial"]), where=where,
                                   next_step="given is the default: the states before the first step are inputs")
        if parent is None:
            table = SymbolTable.from_mapping(data)
            base = Scope(table)
        else:
            table = parent.scope.table.rebound(data.get("symbols") or {}, time=data.get("time"))
            if "time_letter" in data:
                table = replace(table, time_letter=str(data["time_letter"]))
            base = replace(parent.scope, table=table, defined=frozenset(), functions={})
        makers: dict[str, Callable[[Any], Any]] = {"targets": _names, "steps": _names, "loss": _name, "total": _name, "rate": _name,
                                                   "layout": str, "gradients_at": str}
        scope = replace(base, **{key: make(data[key]) for key, make in makers.items() if key in data})
        losses = {name: "scalar, sequence" if name == scope.loss else "scalar" for name in (scope.total, scope.loss)
                  if name and name not in scope.table}
        if losses:                                                    # so that a bracket after the loss is a factor, not a call
            scope = replace(scope, table=scope.table.rebound(losses))
        if "arguments" in data:
            scope = replace(scope, arguments={canonical_name(k): canonical_name(v) for k, v in dict(data["arguments"]).items()})
        if "arriving" in data:
            scope = replace(scope, arriving={canonical_name(k): canonical_name(v) for k, v in dict(data["arriving"]).items()})
        if "direct" in data:
            scope = replace(scope, direct={canonical_name(k): canonical_name(v) for k, v in dict(data["direct"]).items()})
        if scope.gradients_at not in PLACES:
            raise DeclarationError("gradients_at", must="be one of " + ", ".join(PLACES), came=scope.gradients_at, where=where,
                                   next_step="value is the default: a gradient named after a variable is taken at it")
        flowing = tuple(_tree(text, scope.table, where) for text in _list(data.get("flowing")))
        scope = replace(scope, absent=_names(data.get("absent")), flowing=flowing)
        if "elided" in data:
            if not isinstance(data["elided"], Mapping):
                raise DeclarationError("elided", must="map functions to LaTeX", came=type(data["elided"]).__name__, where=where,
                                       next_step="Write for example `elided: {\\sigma: \\sigma(o)}`.")
            scope = replace(scope, elided={canonical_name(k): _tree(v, table) for k, v in dict(data["elided"]).items()})
        if isinstance(data.get("held"), Held):
            scope = replace(scope, held=data["held"])
        given = parent is not None
        unsure = frozenset(map(str, data.get("unsure") or ())) | (parent.unsure if parent else frozenset())
        if scope.layout not in LAYOUTS:
            raise DeclarationError("the layout", must="be one of " + ", ".join(LAYOUTS), came=scope.layout, where=where,
                                   next_step="denominator is the default: a gradient lies like its variable")
        made = cls(name, scope, _names(data.get("simplex")) or (parent.simplex if given and parent else frozenset()),
                   str(data.get("initial", parent.initial if parent else "given")),
                   str(data.get("source", parent.source if parent else "")), unsure=unsure)
        made.layouts = parent.layouts if parent is not None and "layout" not in data else ()
        made.gradients_guessed = bool(data.get("gradients_guessed", parent is not None and parent.gradients_guessed))
        made.backward = _names(data.get("backward")) or (parent.backward if parent is not None else frozenset())
        made.numbered = _names(data.get("numbered")) or (parent.numbered if parent is not None else frozenset())
        made.rows_guessed = frozenset(data.get("rows_guessed") or ()) or (parent.rows_guessed if parent is not None else frozenset())
        made.stated_layout = data.get("stated_layout", parent.stated_layout if parent is not None else None)
        made.one_hot = _names(data.get("one_hot")) or (parent.one_hot if parent is not None else frozenset())
        if data.get("cross_entropy"):
            made.cross_entropy = canonical_name(str(data["cross_entropy"]))
        if "definitions" in data and parent is not None:
            made.adopt(parent)
        made.conditions = tuple(c for text in _list(data.get("assume")) for c in made.condition(text, where))
        return made

    def adopt(self, other: Setting) -> None:
        """Take over the definitions of another scope."""
        self.equations, self.places, self.latex = list(other.equations), dict(other.places), dict(other.latex)
        self.has_total = other.has_total
        self.scope = replace(self.scope, defined=other.scope.defined, functions=other.scope.functions)

    def suppose(self, names: Iterable[str]) -> None:
        """Take some vectors for distributions, where nothing defines them."""
        given = frozenset(name for name in names if self.scope.table.get(name) is not None)
        self.simplex |= given
        self.scope = replace(self.scope, targets=self.scope.targets | given)

    # -------------------------------------------------------------------------------------------------------- definitions
    def definition(self, n: Node, identifier: str) -> str | None:
        """Take ``n`` as a definition if it is one; the name that it defines, or None."""
        if n.op == "Where":
            if any(restricts_definition(w, self.scope) for w in n.nodes[1:]):
                return None
            for w in n.nodes[1:]:
                self._initial(w)
            return self.definition(n.nodes[0], identifier)
        if n.op != "Chain" or len(n.nodes) < 2 or n.nodes[1].head not in ("=", ":=", "==", "<-"):
            return None
        left, right = n.nodes[0], n.nodes[1].nodes[0]
        found = self._initial(n) or self._total(left, right) or self._update(left, right) or self._several(n, identifier)
        found = found or self._blocks(left, right) or self._gradient(left, right) or self._of_gradients(left, right)
        found = found or self._says_layout(left, right)
        found = found or self._alias(left, right) or self._exponential(left, right)
        found = found or self._formula(left, right) or self._at_the_end(left, right) or self._open_step(left, right)
        found = found or self._variable(left, right)
        found = found or self._differentiated(left, right)
        if found is not None:
            self.places.setdefault(found, identifier)
        return found

    def _initial(self, n: Node) -> str | None:
        """What a text prints of the state before the first step: ``h_0 = 0`` holds in the whole scope."""
        left = n.nodes[0] if n.op == "Chain" and len(n.nodes) == 2 else n
        time = left.part("Time") if left.op == "Sym" else None
        d = self.scope.table.get(left.head) if time is not None else None
        if time is None or time.nodes[0] != Node("Num", ("0",)) or (d is not None and not d.sequence):
            return None
        text = f"{left.head}_0 = 0"
        found = condition_of(n, self.scope, text)
        if found is None or found.kind != "past-zero":
            return None
        if found not in self.conditions:
            self.conditions = (*self.conditions, found)
        return f"{left.head}_0"

    def _update(self, left: Node, right: Node) -> str | None:
        """The rule of gradient descent: the change of a parameter is minus a rate times the gradient."""
        if left.op != "Delta" or self.has_update or right.op != "Neg" or right.nodes[0].op != "Mul":
            return None
        rate, *rest = right.nodes[0].nodes
        if len(rest) != 1 or rest[0].op != "Deriv" or rate.op != "Sym" or rest[0].nodes[0].op != "Sym":
            return None
        error = rest[0].nodes[0].head
        if error != self.scope.total and not (self.guessed and self._is_any_error(error, left.nodes[0], rest[0])):
            return None
        self.has_update, self.scope = True, replace(self.scope, rate=rate.head)
        if self.guessed:                                              # a number, whatever its place before an array looked like
            self.scope = replace(self.scope, table=self.scope.table.rebound({rate.head: "scalar"}))
        return "update rule"

    def _is_any_error(self, error: str, changed: Node, gradient: Node) -> bool:
        """A rule in letters that the network does not have, E and w, is meant of its loss and of each of its parameters."""
        used = {s.name for e in self.equations for s in (e.left, *symbols(e.right))}
        return changed.op == "Sym" and gradient.nodes[1:] == (changed,) and not {error, changed.head} & (used | self.scope.defined)

    def _several(self, n: Node, identifier: str) -> str | None:
        """Several variables at once; as an unspecified function it names them and says no more."""
        left, right = n.nodes[0], n.nodes[1].nodes[0]
        if left.op == "Tuple" and right.op == "Call" and all(a.op == "Sym" for a in left.nodes):
            return ", ".join(a.head for a in left.nodes)
        names = rows(left)
        if not names or any(not self.undefined(n) for n in names):
            return None
        if by_rows := one_by_one(n):
            defined = [self.definition(row, identifier) for row in by_rows]
            return ", ".join(map(str, defined)) if all(defined) else None
        found = gates.several(left, right, self.scope)
        if found is None:
            return None
        for e in found.equations:
            self.equations.append(e)
            self.scope = self.scope.define(e.name)
            self.places.setdefault(e.name, identifier)
        self.solved = {**found.sizes, **{k: found.sizes.get(str(v), v) for k, v in self.solved.items()}}
        return ", ".join(found.names)

    def undefined(self, n: Node) -> bool:
        """Whether a side is a symbol at the current step, without an index, that has no definition."""
        time = n.part("Time") if n.op == "Sym" else None
        known = {*self.scope.defined, *self.scope.targets, self.scope.total, self.scope.loss}
        now = time is not None and str(time.nodes[0]) == self.scope.table.time_letter
        return now and n.part("Index") is None and n.head not in known

    def _blocks(self, left: Node, right: Node) -> str | None:
        """A matrix as blocks side by side, which has a meaning where it meets a column of as many, also before the text gives them."""
        name = blocks.given(left, right)
        if name is None or name in self.scope.blocks or name in self.scope.defined:
            return None
        E = Elaborator(self.scope)
        rows = [[E(cell) for cell in row] for row in blocks.rows_of(right)]
        equations = [Equation(e.left, blocks.put_in(e.right, name, rows)) for e in self.equations]
        if any(s.name == name for e in equations for s in symbols(e.right)):
            return None                                               # an equation has it as a whole
        self.equations, self.scope = equations, replace(self.scope, blocks={**self.scope.blocks, name: right})
        return name

    def _gradient(self, left: Node, right: Node) -> str | None:
        """A name for the gradient of the loss by a symbol at the same step, or what everybody means by such a name."""
        by = right.nodes[1] if right.op == "Deriv" and len(right.nodes) == 2 and right.args[1] == "1" else None
        by = right.nodes[0] if right.op == "Grad" else by
        top = right.nodes[1] if right.op == "Grad" else right.nodes[0] if by is not None else left
        losses = {self.scope.total, self.scope.loss} - {None}
        d = self.scope.table.get(top.head)
        value = d is not None and d.kind == "scalar" and not d.sequence and len(top.args) == 1
        if by is None or by.op != "Sym" or top.op != "Sym" or by.part("Index") is not None or not (top.head in losses or value):
            return None
        if left.op == "Gradient":
            same = top.head == self.scope.total and top.part("Time") is None and left.nodes[0] == by
            return f"{left.head}({by.head})" if same else None
        name, time = left.head, left.part("Time")
        known = name in self.scope.defined or name in self.scope.gradients or name in losses
        if left.op != "Sym" or known or left.part("Index") is not None or time != by.part("Time"):
            return None
        if time is not None and str(time.nodes[0]) != self.scope.table.time_letter:
            return None
        self.scope = replace(self.scope, gradients={**self.scope.gradients, name: right})
        return name

    def _of_gradients(self, left: Node, right: Node) -> str | None:
        """A name for an expression with gradients of the loss, as delta for those by the argument of an activation: no variable."""
        nodes = list(nodes_of(right))
        of_loss = {(n.nodes[1] if n.op == "Grad" else n.nodes[0]).head for n in nodes if n.op in ("Deriv", "Grad")}
        named = {n.head for n in nodes if n.op == "Sym"} & {*self.scope.gradients, *self.scope.direct}
        used = {s.name for e in self.equations for s in symbols(e.right)}
        if not (named or of_loss & ({self.scope.total, self.scope.loss} - {None})) or left.head in used:
            return None
        return left.head if self.introduce(left, right) else None

    def name_gradient(self, left: Node, right: Node) -> None:
        """Take a name for the gradient of the loss by a symbol at the same step, where it is nothing else yet."""
        self._gradient(left, right)

    def _exponential(self, left: Node, right: Node) -> str | None:
        """A matrix that is given by the exponential of another one: any matrix where a relation prints no exponential."""
        name = left.head
        if left.op != "Sym" or len(left.args) != 1 or name in self.scope.exact or name in self.scope.defined or self.scope.held is not None:
            return None
        try:
            value = Elaborator(self.scope)(right)
        except Meaningless:
            return None
        if not any(x.op == "mexp" for x in walk(value)):
            return None
        self.scope = replace(self.scope, exact={**self.scope.exact, name: right})
        return name

    def _says_layout(self, left: Node, right: Node) -> str | None:
        """A Jacobian has the outputs as rows, as it is read anyway: (df/dx)_ij = df_i/dx_j; or the inputs, if the text says so."""
        if left.op != "At" or left.nodes[0].op != "Deriv" or right.op != "Deriv" or len(left.nodes) != 3 or len(right.nodes) != 2:
            return None
        whole, i, j = left.nodes
        plain = len(whole.nodes) == 2 and all(n.op == "Sym" and len(n.args) == 1 for n in whole.nodes)
        ways = [tuple(Node("Sym", (n.head, Node("Index", (k,)))) for n, k in zip(whole.nodes, pair, strict=False))
                for pair in ((i, j), (j, i))]
        if not plain or i == j or right.nodes not in ways:
            return None
        swapped = right.nodes == ways[1]
        if swapped and "Jacobian" not in self.places:
            self.lay("transposed")
        return "Jacobian" if swapped == (self.scope.layout == "transposed") else None

    def lay(self, *layouts: str) -> None:
        """Say in which layouts the derivatives may lie, the likeliest first."""
        self.scope, self.layouts = replace(self.scope, layout=layouts[0]), layouts

    def introduce(self, left: Node, right: Node) -> bool:
        """Let a new name, at the running step or at none, stand for an expression; whether it is new and no part of it."""
        scope, time = self.scope, left.part("Time")
        known = {*scope.defined, *scope.targets, *scope.gradients, *scope.direct, *scope.functions, scope.total, scope.loss}
        plain = left.op == "Sym" and len(left.args) == 1 + (time is not None)
        if not plain or left.head in known or time is not None and str(time.nodes[0]) != scope.table.time_letter:
            return False
        if any(n.head == left.head for n in nodes_of(right)):
            return False
        self.scope = replace(scope, gradients={**scope.gradients, left.head: right})
        return True

    def _alias(self, left: Node, right: Node) -> str | None:
        """A function that the text names after a standard one: f = tanh."""
        if left.op != "Sym" or right.op != "Sym" or len(left.args) != 1 or len(right.args) != 1:
            return None
        mine, other = self.scope.table.get(left.head), self.scope.table.lookup(right.head)
        if other is None or not other.is_function or other.role is None or (mine is not None and (not mine.is_function or mine.role)):
            return None
        return self._names_usual(left.head, other.kind, str(other.role))

    def _names_usual(self, name: str, kind: str, role: str) -> str:
        """Take a name for that of a usual function, also where the text used it before it said so."""
        self.unsure -= {name}
        self.scope = replace(self.scope, table=self.scope.table.rebound({name: f"{kind} {role}"}))

        def change(x: Expr) -> Expr | None:
            return apply(role, x.args[0]) if x.op == "apply" and x.attr == f"?{name}" else None
        self.equations = [Equation(e.left, transform(e.right, change)) for e in self.equations]
        return name

    def _formula(self, left: Node, right: Node) -> str | None:
        """A scalar function given by a formula: h(x) = f(x) / g(x)."""
        if left.op != "Call" or len(left.nodes) != 2 or left.nodes[0].op != "Sym" or left.nodes[1].op != "Sym":
            return None
        name, formal = left.nodes[0].head, left.nodes[1]
        d = self.scope.table.get(name)
        if d is None or d.kind != "function" or d.role is not None or name in self.scope.functions or len(formal.args) != 1:
            return None
        if d.shape or any(m.op == "Sym" and m.head == name for m in nodes_of(right)):
            return None
        if (usual := usual_function(formal.head, right)) is not None:
            return self._names_usual(name, "function", usual)
        self.scope = replace(self.scope, functions={**self.scope.functions, name: (formal.head, right)})
        return name

    def _variable(self, left: Node, right: Node) -> str | None:
        """A variable at the current step (or one without a time) by an equation."""
        name = left.head
        d = self.scope.table.get(name)
        is_loss = name == self.scope.loss and (name != self.scope.total or left.part("Time") is not None)
        if left.op != "Sym" or (left.part("Index") is not None and (d is None or is_loss)):
            return None
        if d is None and not is_loss:
            return self._inferred(left, right)
        if d is not None and d.kind not in ("scalar", "vector", "matrix") and not is_loss:
            return None
        core = LOSS if is_loss else name
        if core in self.scope.defined or name in self.scope.targets or (name == self.scope.total and not is_loss):
            return None
        if self.scope.held is not None and name in self.scope.held.discrete:         # what it is follows from the differential equation
            return None
        time = left.part("Time")
        ahead = 0
        if time is not None and str(time.nodes[0]) != self.scope.table.time_letter:
            ahead = steps_ahead(time.nodes[0], self.scope.table.time_letter)
            if not ahead:
                return None
        inner = self.scope if is_loss else self.scope.define(core)
        E = Elaborator(inner)
        try:
            target, value = E(left), E(right)
        except Meaningless:
            if d is None or time is not None or not d.sequence:        # it has a definition, if not one that is understood
                self.summed.add(core)
            return None
        target, value = (shift(resize(x, {**self.solved, **E.sizes}), -ahead) for x in (target, value))
        printed = target, value
        if target.op == "entry":
            target, value = _whole(target, value)
        value = self._with_rows(target, value)
        fits = self._fit(target, value)
        if target.op != "sym" or target.attr.time is None or not fits or self.needs(value, core) or core in self.summed:
            return None
        if self._is_solution(core, value):
            return None
        if foresees(value, self.backward if core in self.backward else ()):  # it has a definition, if not one of this kind
            self.summed.add(core)
            return None
        self.equations.append(Equation(target.attr, value))
        self.scope = inner.define(core)
        self._solve(*printed, E.sizes)
        self._name_arguments(core)
        return core

    def _with_rows(self, target: Expr, value: Expr) -> Expr:
        """A value in which a row is added to every row of a matrix, as it is meant; any other value as it is."""
        if value.fault is None:
            return value
        found = repeated_rows(resize(value, unify([(target, value)])))
        return value if found.fault is not None else found

    def _is_solution(self, name: str, value: Expr) -> bool:
        """Whether a formula with an inverse says what a parameter of the equations so far should be, as a regression does."""
        used = any(s.name == name and s.time is None for e in self.equations for s in symbols(e.right))
        return used and any(x.op == "inv" for x in walk(value))

    def _fit(self, target: Expr, value: Expr) -> bool:
        """Whether two sides have one shape, or can have one; an array whose kind is only guessed is not made a single number for it."""
        values = unify([(target, value)])
        if self.guessed and 1 in values.values():
            own = unify([(value, value)])                             # a number by its own operations
            return 1 not in own.values() and resize(value, own).shape == SCALAR
        return value.shape == target.shape or bool(values)

    def _name_arguments(self, core: str) -> None:
        """Give the argument of the activation in the last equation the name that the text has for it, if it has one."""
        e = self.equations[-1]
        outer = e.right
        if outer.op != "apply":
            return
        for name, of in self.scope.arguments.items():
            if of == core and name not in self.scope.defined:
                d = self.scope.table.get(name)
                inner, own = outer.args[0], Symbol(name, e.left.shape if d is None else shape_of(d), "variable", NOW)
                by_name = node("sym", attr=own)
                self.equations[-1:] = [Equation(own, inner), Equation(e.left, apply(outer.attr, by_name))]
                self.scope = self.scope.define(name)
                return

    def _solve(self, left: Expr, right: Expr, told: Mapping[str, Size]) -> None:
        """Keep the sizes that an equation settles, which no longer stand in it."""
        new = {**told, **unify([(left, right)])}
        self.solved = {**new, **{name: new.get(str(value), value) for name, value in self.solved.items()}}

    def would_define(self, left: Node) -> bool:
        """Whether an equation with this left side would be the first one of a variable at the running step, or of one without steps."""
        time = left.part("Time") if left.op == "Sym" else None
        running = time is None or str(time.nodes[0]) == self.scope.table.time_letter
        return left.op == "Sym" and running and left.head not in self.scope.defined | self.scope.targets

    def defined_anew(self, n: Node) -> frozenset[str]:
        """The variables that a formula defines otherwise than before, as a text does that passes on to another network."""
        if n.op in ("Rows", "Seq", "Implies", "Iff", "Where"):
            return frozenset(name for part in n.nodes for name in self.defined_anew(part))
        if n.op != "Chain" or n.nodes[1].head != "=" or n.nodes[0].op != "Sym" or n.nodes[0].part("Index") is not None:
            return frozenset()
        name = n.nodes[0].head
        old = next((e for e in self.equations if e.name == name), None)
        E = Elaborator(self.scope)
        try:
            target, value = E(n.nodes[0]), E(n.nodes[1].nodes[0])
        except Meaningless:
            return frozenset()
        if old is None or target.op != "sym" or target.attr.time != NOW or value.op == "sym":
            return frozenset()
        if has_powers(value) and self._has_closed_form(name):
            return frozenset()
        if any(x.op == "deriv" for e in (old.right, value) for x in walk(e)) or name in {
                s.name for s in symbols(value) if s.time == NOW} or self._restates(value, old):
            return frozenset()
        if _latest(value, name) < _latest(old.right, name) or self._lies_otherwise(target, value) or self._follows(target, value):
            return frozenset()
        return frozenset({name})

    def _has_closed_form(self, name: str) -> bool:
        """Whether a variable follows from a recurrence that can be solved: its closed form defines nothing."""
        try:
            return solvable(self.model(self.name), name)
        except SymrnnError:                                           # the equations do not fit: each claim says so
            return False

    def _lies_otherwise(self, target: Expr, value: Expr) -> bool:
        """Whether what stays the same over time would get the transposed shape: a slip, and no other network."""
        d = self.scope.table.get(target.attr.name)
        sizes = self.sizes()
        left, right = (own_shape(resize(x, sizes)) for x in (target, value))
        return d is not None and not d.sequence and left is not None and left != right and left[::-1] == right

    def follows(self, left: Node, right: Node) -> bool:
        """Whether an equation follows from the definitions so far and what the text supposes."""
        E = Elaborator(self.scope)
        try:
            return self._follows(E(left), E(right))
        except Meaningless:
            return False

    def _follows(self, target: Expr, value: Expr) -> bool:
        """Whether an equation follows from the definitions so far, as it stands or for a zero past: then it defines nothing anew."""
        try:
            sizes = self.sizes()
            left, right = resize(target, sizes), resize(value, sizes)
            sizes = unify([(left, right)])
            return decide(Claim(resize(left, sizes), resize(right, sizes), self.model(self.name), "=",
                                self.conditions)).word in ("proved", "conditional")
        except (SymrnnError, RecursionError):
            return False

    def _restates(self, value: Expr, old: Equation) -> bool:
        """Whether a value is that of a definition as it stands, or with the definition put in for earlier steps again and again."""
        zero = {c.subject[0] for c in self.conditions if c.kind == "zero"}

        def vanish(x: Expr) -> Expr | None:
            if x.op == "add" and any(map(is_zero, x.args)):           # whatever the sizes, which may not be settled yet
                return add(*(kept for kept in x.args if not is_zero(kept))) if not all(map(is_zero, x.args)) else x.args[0]
            return zeros(x.shape) if x.op == "sym" and x.attr.name in zero and x.shape is not None else None

        value, right = (resize(x, self.solved) for x in (value, old.right))
        once, step = transform(right, vanish), 0
        unrolled, value = once, transform(value, vanish)
        while unrolled != value and step < DEEPEST:
            step += 1
            shape = resize(node("sym", attr=old.left), self.solved).shape or old.left.shape
            at, known = Symbol(old.name, shape, old.left.kind, NOW + -step), shift(once, -step)
            before, unrolled = unrolled, transform(unrolled, lambda x: known if x.op == "sym" and x.attr == at else None)  # noqa: B023
            if unrolled == before:
                break
        return unrolled == value

    def under(self, conditions: Iterable[Condition], name: str) -> Setting:
        """A new scope with further conditions, which has the definitions so far."""
        return replace(self, name=name, latex=dict(self.latex), equations=list(self.equations), places=dict(self.places),
                       conditions=(*self.conditions, *conditions), summed=set(self.summed))

    def biases(self) -> tuple[str, ...]:
        """The parameters that are added to something in a definition, by themselves."""
        terms = [a for e in self.equations for x in walk(e.right) if x.op == "add" for a in x.args]
        return tuple(dict.fromkeys(a.attr.name for a in terms if a.op == "sym" and a.attr.kind in ("parameter", "constant")
                                   and a.attr.time is None))

    def without(self, names: frozenset[str], name: str) -> Setting:
        """A new scope in which some variables are free to be defined again."""
        out = replace(self, name=name, latex=dict(self.latex), equations=list(self.equations), places=dict(self.places), opened=names)
        out.forget(names)
        return out

    def rival(self, name: str, span: Span) -> Rival:
        """The definition of a variable, which stands in a span, as one that another contradicts."""
        return Rival(name, tuple(e for e in self.equations if e.name == name), span.line, span.offset)

    def with_rival(self, rival: Rival) -> Setting:
        """The scope with the other definition of a variable."""
        out = self.without(frozenset({rival.name}), f"{self.name}, {rival.name} of line {rival.line}")
        out.equations += rival.equations
        out.scope = out.scope.define(rival.name)
        return out

    def forget(self, names: frozenset[str]) -> None:
        """Take back the definitions of some variables."""
        self.scope = replace(self.scope, defined=self.scope.defined - names)
        self.equations = [e for e in self.equations if e.name not in names]
        self.places = {k: v for k, v in self.places.items() if k not in names}

    def needs(self, value: Expr, name: str) -> bool:
        """Whether a value needs the variable ``name`` of the same step, by itself or through the definitions so far."""
        known = {e.name: e.right for e in self.equations}
        todo, seen = [value], {""}
        while todo:
            used = {s.name for s in symbols(todo.pop()) if s.time is None or s.time == NOW}
            if name in used:
                return True
            todo += [known[other] for other in used - seen if other in known]
            seen |= used
        return False

    def _inferred(self, left: Node, right: Node) -> str | None:
        """A symbol that is declared nowhere, defined by an equation whose right side has a shape: it takes that shape."""
        name = left.head
        if self.scope.table.lookup(name) is not None or left.part("Layer") or left.part("Param"):
            return None
        try:
            value = Elaborator(self.scope)(right)
            shape = resize(value, unify([(value, value)])).shape
        except Meaningless:
            return None
        if shape is None or (shape[1] != 1 and shape[0] == 1):
            return None
        words = "scalar" if shape == SCALAR else f"vector {shape[0]}" if shape[1] == 1 else f"matrix {shape[0]} {shape[1]}"
        sequence = left.part("Time") is not None
        before = self.scope
        self.scope = replace(before, table=before.table.rebound({name: words + (", sequence" if sequence else "")}))
        found = self._variable(left, right)
        if found is None:
            self.scope = before
        return found

    def sizes(self) -> dict[str, Size]:
        """The values of the sizes that the declarations left open."""
        found = sizes_of([*self.settled(), *self._discrete()])
        return {**{name: found.get(str(value), value) for name, value in self.solved.items()}, **found}

    def _discrete(self) -> list[Equation]:
        """Equations that give the matrices of a recurrence the shapes of those of its differential equation."""
        E, held = Elaborator(self.scope), self.scope.held
        pairs = [] if held is None else [(Node("Sym", (name,)), Node("Sym", (other,)))
                                         for name, other in zip(held.discrete, held.continuous, strict=True)]
        pairs += [(Node("Sym", (name,)), value) for name, value in self.scope.exact.items()]
        rows = [[resize(E(n), self.solved) for n in pair] for pair in pairs]
        return [Equation(left.attr, right) for left, right in rows if left.op == "sym"]

    def model(self, name: str) -> Model:
        """The model of the definitions so far."""
        rows = self.settled()
        if self.cross_entropy is not None and not any(e.name == LOSS for e in rows):
            rows.append(cross_entropy(rows, self.cross_entropy))
        loss = LOSS if any(e.name == LOSS for e in rows) else None
        values = self.sizes()                                         # a sum over components becomes one of entries once sizes are known
        rows = [Equation(resize(node("sym", attr=e.left), values).attr, vectorise(resize(e.right, values))) for e in rows]
        rows = by_name(rows)
        total = TOTAL if self.scope.total is not None or TOTAL not in self.scope.table else "no total"
        return Model.build(name, rows, loss=loss, total=total, simplex=self.simplex, initial=self.initial,
                           source=self.source, latex=self.latex, backward=self.backward & {e.name for e in rows})

    def settled(self) -> list[Equation]:
        """The equations, with every symbol as what it turned out to be: a text may use it before it defines it or calls it a target."""
        names = {e.name for e in self.equations}

        def change(x: Expr) -> Expr | None:
            s = x.attr if x.op == "sym" else None
            if s is not None and s.kind == "input" and s.name in self.scope.targets:
                return node("sym", attr=replace(s, kind="target"))
            if s is None or s.name not in names or s.kind not in ("input", "parameter", "constant"):
                return None
            return node("sym", attr=Symbol(s.name, s.shape, "variable", s.time or NOW))
        return [Equation(resize(node("sym", attr=e.left), self.solved).attr, resize(transform(e.right, change), self.solved))
                for e in self.equations]

    # ---------------------------------------------------------------------------------------------------------- conditions
    def condition(self, text: str, where: Place | None = None, of: Iterable[Node] = ()) -> list[Condition]:
        """A stated condition in LaTeX or in the words of the table of conditions, on the formulas ``of``.

        DeclarationError if it is none of the kinds that are known.
        """
        if re.search(r"\bimmediate\b", text) and not re.search(r"\b(?:not|no|total)\b", text):
            return [Condition("immediate", (), text)]
        tree = _tree(text, self.scope.table, where)
        found = condition_of(tree, counted(of, self.scope), text)
        if found is None:
            raise DeclarationError(f"the condition {text}", must="be one of the known kinds", came=str(tree), where=where,
                                   next_step="Write for example i = k, b = 0, h_0 = 0, x_s = 0, t < T or \\sum_k y_k = 1.")
        return [found]

    def is_counter(self, n: Node) -> bool:
        """A letter that counts (an index, the time, a size) or a number: a relation between such is a condition."""
        if n.op == "Num":
            return True
        d = self.scope.table.get(n.head) if n.op == "Sym" and len(n.args) == 1 else None
        sized = n.op == "Sym" and len(n.args) == 1 and any(n.head in other.shape for other in self.scope.table)
        return sized or d is not None and d.kind in ("index", "size")


def by_name(rows: list[Equation]) -> list[Equation]:
    """The equations, in which what a variable is given as stands by its name: a text may name the argument of an activation afterwards.

    >>> from symrnn.model import param, sequence
    >>> h, a, W = sequence("h", "n"), sequence("a", "n"), param("W", "n", "n")
    >>> for e in by_name([Equation(h.attr, apply("tanh", W @ h[-1])), Equation(a.attr, W @ h[-1])]):
    ...     print(e)
    h[t] = tanh(a[t])
    a[t] = W @ h[t-1]
    """
    names = {e.right: node("sym", attr=e.left) for e in reversed(rows) if e.right.args and symbols(e.right)}
    return [Equation(e.left, transform(e.right, lambda x: names.get(x) if x is not e.right else None)) for e in rows]  # noqa: B023


def steps_ahead(n: Node, letter: str) -> int:
    """How many steps after the running one a time is, if it is that step plus a number; else 0."""
    if n.op == "Add" and len(n.nodes) == 2 and n.nodes[0] == Node("Sym", (letter,)) and n.nodes[1].op == "Num":
        return int(n.nodes[1].head) if n.nodes[1].head.isdigit() else 0
    return 0


def _whole(target: Expr, value: Expr) -> tuple[Expr, Expr]:
    """An equation of one component, with a letter that counts, as an equation of the whole vector; unchanged if it is none."""
    values = unify([(target, value)])
    target, value = resize(target, values), resize(value, values)
    row, column = target.attr
    whole = along(value, row) if isinstance(row, Index) and column is None else None
    return (target, value) if whole is None else (target.args[0], whole)


# --------------------------------------------------------------------------------------------------------------------- helpers
def _latest(e: Expr, name: str) -> float:
    """The last step of ``name`` that a value uses, counted from the present one; an equation that is unrolled goes further back."""
    return max((s.time.offset for s in symbols(e) if s.name == name and s.time is not None and s.time.base == "t"), default=0)


def _list(value: Any) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else [str(v) for v in value]


def _names(value: Any) -> frozenset[str]:
    return frozenset(canonical_name(v) for v in _list(value))


def _name(value: Any) -> str | None:
    """The name of a symbol that may be written with its time."""
    if value is None:
        return None
    table = SymbolTable()
    reading = read(str(value), table, second=False)
    found = reading.tree
    return found.head if found is not None and found.op == "Sym" and found.part("Time") is None else canonical_base(str(value))


def canonical_base(latex: str) -> str:
    """The name without a time script: ``\\ell_t`` is ``ell``, ``\\mathcal{L}^{(t)}`` is ``L``.

    >>> canonical_base(r"\\mathcal{L}^{(t)}"), canonical_base(r"\\ell_t"), canonical_base("L")
    ('L', 'ell', 'L')
    """
    name = canonical_name(latex)
    for mark in ("^(", "^<", "_", "("):
        if mark in name:
            name = name.split(mark, 1)[0]
    return name


def _tree(text: Any, table: SymbolTable, where: Place | None = None) -> Node:
    reading: Reading = read(str(text), table, second=False)
    if reading.tree is None:
        assert reading.unread is not None
        raise reading.unread.error(str(text), where)
    return reading.tree
