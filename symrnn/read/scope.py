"""What the symbols of a text mean at one place: the symbol table, and what the definitions before that place made of them."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from symrnn.read.held import Held
from symrnn.read.symbols import SymbolTable
from symrnn.read.tree import Node

EMPTY: Mapping[str, Node] = {}
EXPONENTIALS = frozenset({"exp", "e"})


@dataclass(frozen=True)
class Scope:
    """``table`` says how symbols are read; the rest says what they are.

    ``defined``: names with an equation. ``targets``: sequences that are given beside the inputs. ``loss`` and ``total``: the
    names of the loss of one step and of their sum (they may be written with one letter). ``steps``: names of the last step.
    ``elided``: what a bare function name stands for (a text that writes sigma for sigma(o)). ``rate``: the learning rate of
    update rules. ``functions``: scalar functions given by a formula, as (name of the argument, formula). ``final``: names of
    what is computed once, from the last step. ``layout``: how derivatives lie, one of :data:`LAYOUTS`.
    ``gradients``: names that stand for a derivative or another expression.
    ``arguments``: names for the arguments of activations, with the variable whose equation the activation is in. ``gradients_at``: where
    a gradient named after such a variable is taken, one of :data:`PLACES`. ``flowing``: named gradients, as printed, of which the part
    is meant that comes from later steps. ``direct``: names for the gradient of the loss of a step, with the variable that it is taken by.
    ``absent``: variables whose gradient at step 0 counts as zero. ``arriving``: names such as c_next, with the variable that they
    are at the running step; a gradient named after one is what arrives at it not through the ``output``, the last variable of a step.
    ``blocks``: matrices that are given as blocks side by side.
    ``held``: the differential equation that the recurrence comes from, if its input is held over each step. ``exact``: matrices that the
    text gives by the exponential of a matrix.
    """

    table: SymbolTable
    defined: frozenset[str] = frozenset()
    targets: frozenset[str] = frozenset()
    loss: str | None = None
    total: str | None = None
    steps: frozenset[str] = frozenset({"T"})
    elided: Mapping[str, Node] = field(default_factory=dict)
    rate: str | None = None
    functions: Mapping[str, tuple[str, Node]] = field(default_factory=dict)
    final: frozenset[str] = frozenset()
    layout: str = "denominator"
    gradients: Mapping[str, Node] = field(default_factory=dict)
    arguments: Mapping[str, str] = field(default_factory=dict)
    gradients_at: str = "value"
    flowing: tuple[Node, ...] = ()
    direct: Mapping[str, str] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()
    arriving: Mapping[str, str] = field(default_factory=dict)
    output: str | None = None
    blocks: Mapping[str, Node] = field(default_factory=dict)
    held: Held | None = None
    exact: Mapping[str, Node] = field(default_factory=dict)

    def continuous(self, names: Iterable[str]) -> Scope:
        """The scope for a relation between some names: one with an exponential speaks of the exact solution of a differential equation.

        One without may be about another way to make steps, such as that of Euler, and the matrices of the recurrence may be any in it.
        """
        printed = {*names}
        if not printed & EXPONENTIALS:
            return self
        held = self.held.values if self.held is not None and printed & {*self.held.continuous, self.held.step} else EMPTY
        return replace(self, gradients={**self.gradients, **self.exact, **held}) if self.exact or held else self

    def define(self, name: str) -> Scope:
        """The scope after an equation for ``name``."""
        return replace(self, defined=self.defined | {name})


#: How derivatives lie. That of a scalar: like its variable; transposed; a row by a vector, like its variable by a matrix. In the last
#: layout that of a vector by a vector has the inputs as rows, and that of a scalar lies like its variable.
LAYOUTS = ("denominator", "numerator", "rows", "transposed")

#: Where a gradient named after a variable is taken: at the variable, at the argument of its activation, or nobody says which.
PLACES = ("value", "argument", "either")

#: The name of the loss of one step in the core, whatever letter the text shares with the total.
LOSS = "loss"
TOTAL = "L"
