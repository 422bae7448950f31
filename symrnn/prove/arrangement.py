"""How many inputs and outputs a network has, by the dependencies of its equations: many-to-many, many-to-one and the like.

>>> from symrnn.expr import apply
>>> from symrnn.model import param, sequence
>>> h, o, x = sequence("h", "n"), sequence("o", "m"), sequence("x", "d", kind="input")
>>> m = Model.build("m", [(h, apply("tanh", param("W", "n", "n") @ h[-1] + param("U", "n", "d") @ x)), (o, param("V", "m", "n") @ h)])
>>> arranged(m, "many-to-many").word, arranged(m, "many-to-one", once=["o"]).word, arranged(m, "many-to-many", once=["o"]).word
('proved', 'proved', 'refuted')
>>> print(keeping_the_last(m).reason)
o of the last step is computed from x of every step, and is one output
"""
from __future__ import annotations

from collections.abc import Collection, Iterable

from symrnn.errors import ModelError
from symrnn.expr import SCALAR
from symrnn.model import Model
from symrnn.needs import leaving
from symrnn.prove.dependence import reached
from symrnn.prove.parts import given
from symrnn.prove.verdict import EVERYWHERE, Verdict

METHOD = "dependence in the equations"


def _ends(model: Model) -> tuple[list[str], list[str]]:
    """The inputs that the equations use and the variables that leave the network."""
    try:
        return [s.name for s in given(model)], list(leaving(model))
    except ModelError:
        return [], []


def _lasting(model: Model, inputs: Iterable[str], output: str) -> bool:
    """Whether an output depends on each input of its own step and of the step before; then, through the states, on all earlier ones."""
    return all({(output, 0), (output, 1)} <= reached(model, x, 1) for x in inputs) and all(
        any((s.name, 1) in reached(model, s.name, 1) for s in model.states if (s.name, 0) in reached(model, x, 0)) for x in inputs)


def arranged(model: Model, claimed: str, once: Collection[str] = ()) -> Verdict:
    """Whether a network is ``many-to-many`` or ``many-to-one``; ``once`` are the variables that are computed at the last step only."""
    inputs, outputs = _ends(model)
    if not inputs or not outputs or not all(_lasting(model, inputs, y) for y in outputs):
        return Verdict("undecided", "SR103", "no equation that was understood makes an output depend on the inputs of all steps")
    single = set(outputs) <= set(once)
    names = ", ".join([y for y in once if y in model.definitions and model.symbol(y).shape != SCALAR] if single else outputs)
    given_names = ", ".join(inputs)
    if set(outputs) & set(once) and not single:
        return Verdict("undecided", "SR303", "one output is computed at every step, and another one at the last step only")
    found = "many-to-one" if single else "many-to-many"
    why = (f"{names} is computed once, from {given_names} of every step" if single
           else f"the equations give {names} at every step, from {given_names} of that step and of the steps before")
    if claimed == found:
        return Verdict("proved", reason=why, method=METHOD, scope=EVERYWHERE, error_bound="0")
    left, right = ("1 output", "2 outputs") if single else ("2 inputs and 2 outputs", claimed)
    return Verdict("refuted", "SR407", why, METHOD,
                   counterexample={"T": 2, "sizes": {}, "values": {}, "left": left, "right": right})


def keeping_the_last(model: Model) -> Verdict:
    """Whether a network with an output at every step becomes many-to-one when all outputs but the last one are left out."""
    inputs, outputs = _ends(model)
    if not inputs or len(outputs) != 1 or not _lasting(model, inputs, outputs[0]):
        return Verdict("undecided", "SR103", "no equation that was understood makes an output depend on the inputs of all steps")
    why = f"{outputs[0]} of the last step is computed from {', '.join(inputs)} of every step, and is one output"
    return Verdict("proved", reason=why, method=METHOD, scope=EVERYWHERE, error_bound="0")
