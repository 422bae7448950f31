"""The parts of a network: its cell, its outputs, the parameters of each, and the gates, by what is computed from what.

>>> from symrnn.expr import apply
>>> from symrnn.model import param, sequence
>>> h, o = sequence("h", "n"), sequence("o", "m")
>>> m = Model.build("m", [(h, apply("tanh", param("W", "n", "n") @ h[-1])), (o, param("V", "m", "n") @ h + param("c", "m"))])
>>> cell(m), outputs(m), [p.name for p in parameters(m, outputs(m))], [b.name for b in biases(m, outputs(m))], kind(m)
(('h',), ('o',), ['V', 'c'], ['c'], 'RNN')
"""
from __future__ import annotations

from collections.abc import Iterable

from symrnn.cost import total
from symrnn.expr import Expr, Symbol, symbols, walk
from symrnn.model import Model

KINDS = {(3, 2): "LSTM", (2, 1): "GRU", (0, 1): "RNN"}
"""What a cell is called, by the numbers of its gates and its states."""


def made_of(model: Model, names: Iterable[str]) -> set[str]:
    """The variables that some variables are computed from, at this step or before, and these themselves."""
    seen: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in seen and name in model.definitions:
            seen.add(name)
            todo += [s.name for s in symbols(model.definitions[name])]
    return seen


def cell(model: Model) -> tuple[str, ...]:
    """The variables that the states are computed from, the states among them, in the order of the model."""
    own = made_of(model, [s.name for s in model.states])
    return tuple(e.name for e in model.equations if e.name in own)


def outputs(model: Model) -> tuple[str, ...]:
    """The other variables that are computed from states or inputs, without the loss."""
    inside, given = {*cell(model), model.loss}, {s.name for s in model.inputs}
    sources = {e.name: {s.name for name in made_of(model, [e.name]) for s in symbols(model.definitions[name])} for e in model.equations}
    return tuple(e.name for e in model.equations if e.name not in inside and sources[e.name] & (inside | given))


def parameters(model: Model, names: Iterable[str]) -> tuple[Symbol, ...]:
    """The parameters in the equations of some variables, each once."""
    found = (s for name in names for s in symbols(model.definitions[name]) if s.kind == "parameter")
    return tuple({s.name: s for s in found}.values())


def biases(model: Model, names: Iterable[str]) -> tuple[Symbol, ...]:
    """The parameters that are rows or columns and are added to something by themselves in the equations of some variables."""
    terms = (a.attr for name in names for x in walk(model.definitions[name]) if x.op == "add" for a in x.args if a.op == "sym")
    return tuple({s.name: s for s in terms if s.kind == "parameter" and 1 in s.shape}.values())


def sums(model: Model, names: Iterable[str]) -> tuple[Expr, ...]:
    """The sums with a product of a parameter in the equations of some variables: where a bias is added, if there is one."""
    found: list[Expr] = []
    for name in names:
        todo = [model.definitions[name]]
        while todo:
            x = todo.pop()
            if x.op == "add" and any(_weighted(a) for a in x.args) or _weighted(x):
                found.append(x)
            else:
                todo += x.args
    return tuple(found)


def _weighted(x: Expr) -> bool:
    """Whether it is a product with a parameter that is a matrix."""
    return x.op == "matmul" and any(a.op == "sym" and a.attr.kind == "parameter" and 1 not in a.attr.shape for a in x.args)


def alike(model: Model) -> list[tuple[Symbol, ...]]:
    """The parameters of each equation of the cell that has some, if each has one sum with as many of them; else nothing."""
    found = [(p, len(sums(model, [name]))) for name in cell(model) if (p := parameters(model, [name]))]
    same = len({total(p) for p, _ in found}) == 1 and all(n == 1 for _, n in found)
    return [p for p, _ in found] if same else []


def given(model: Model) -> tuple[Symbol, ...]:
    """The inputs, without the marks of a step."""
    return tuple(s for s in model.inputs if not s.name.startswith("["))


def gates(model: Model) -> tuple[str, ...]:
    """The variables of the cell that a sigmoid gives and that multiply another variable entry by entry."""
    inside = cell(model)
    factors = {a.attr.name for name in inside for x in walk(model.definitions[name]) if x.op == "had"
               for f in x.args for a in walk(f) if a.op == "sym" and a.attr.kind == "variable"}
    return tuple(name for name in inside if name in factors and model.definitions[name].op == "apply"
                 and model.definitions[name].attr == "sigmoid")


def kind(model: Model) -> str:
    """What a recurrent cell is called by its gates and states: LSTM, GRU, RNN; empty where it is none of them."""
    own = {s.name for s in model.states} & set(cell(model))
    return KINDS.get((len(gates(model)), len(own)), "")
