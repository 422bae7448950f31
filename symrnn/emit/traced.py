"""The lines of a looped module, each with the quantity that it computes, as the emitter wrote them.

>>> from symrnn.api import model
>>> found = traced(model("elman"))
>>> next((f.name, str(line), str(line.of)) for f in found.functions for line in f.lines if str(line).startswith("o ="))
('_run', 'o = _times(h[1:], V.T)', 'o[t]')
"""
from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from symrnn.bptt import Derivation
from symrnn.emit.functions import Functions
from symrnn.emit.kernels import KERNELS
from symrnn.emit.plan import Plan
from symrnn.emit.printers import ArrayPrinter
from symrnn.emit.statements import Statement
from symrnn.expr import NOW, Expr, Symbol, node, transform
from symrnn.model import Model

NAMES = {"run": ("_run", "the forward pass."), "loss": ("_loss", "the loss."), "back": ("_back", "the adjoints, the last step first."),
         "gradients": ("_gradients", "the sums over steps and sequences."), "inputs": ("_by_inputs", "the derivatives by the inputs.")}
"""Part of the template -> the name of its function in the module, and what it does."""


@dataclass(frozen=True)
class Traced:
    """A function of the module, with its lines."""

    name: str
    what: str
    lines: tuple[Statement, ...]


@dataclass(frozen=True)
class Trace:
    """The functions, what the helpers do that they call, the equations as the code evaluates them, and what follows from these."""

    functions: tuple[Traced, ...]
    derivation: Derivation
    helpers: Mapping[str, str]
    definitions: Mapping[str, Expr]


def traced(model: Model) -> Trace:
    """The lines of the module for a model with a loss. Raises CallError where there is no looped module for it."""
    plan = Plan(model, ArrayPrinter())
    parts, _ = Functions(plan).every(measured=True)
    called = set().union(*(f.helpers for f in parts.values()))
    assert plan.derivation is not None
    ahead = {made: node("sym", attr=Symbol(name, made.shape, kind, NOW + k)) for rows in (plan.back, plan.by_inputs)
             for (kind, name), steps in rows.ahead.items() for k, made in steps.items()}

    def named(line: Statement) -> Statement:
        part = line.part and transform(line.part, lambda x: ahead.get(x.attr) if x.op == "sym" else None)
        return Statement(line, line.of, part)
    return Trace(tuple(Traced(*NAMES[k], tuple(map(named, f.lines))) for k, f in parts.items()), plan.derivation,
                 {name: summary(source) for name, source in KERNELS.items() if name in called}, plan.model.definitions)


def summary(source: str) -> str:
    """The first line of the documentation of a function."""
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    return (ast.get_docstring(function) or "").partition("\n")[0]
