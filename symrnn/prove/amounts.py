"""Sizes against the number of steps: what the equations of a recurrent model leave free, a sentence must not tie together.

The parameters of a recurrence are the same at every step and for every number of steps, so their sizes are no function of it.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from symrnn.expr import Size, Symbol
from symrnn.model import Model
from symrnn.prove.verdict import EVERYWHERE, Verdict

Amount = Callable[[Mapping[str, int]], int | None]
"""A number that a text prints, from the values of its letters; None where it is none."""
LAST_T = 4
"""The number of steps up to which a stated size is compared with the one that the equations give."""


def settled(model: Model, without: str = "") -> frozenset[Size]:
    """The sizes that no number of steps determines: of a state that a square parameter multiplies, and of parameters that are vectors.

    A parameter that is a matrix says too little, since a matrix without a time may be what some text calls the whole sequence of inputs
    that is attended to. The parameter ``without`` does not count.

    >>> from symrnn.expr import apply
    >>> from symrnn.model import param, sequence
    >>> h, o = sequence("h", "n"), sequence("o", "m")
    >>> m = Model.build("m", [(h, apply("tanh", param("W", "n", "n") @ h[-1])), (o, param("V", "m", "n") @ h + param("c", "m"))])
    >>> sorted(settled(m)), sorted(settled(m, "c"))
    (['m', 'n'], ['n'])
    """
    own = [p for p in model.parameters if p.name != without]
    square = {p.shape[0] for p in own if p.shape[0] == p.shape[1]} & {s.shape[0] for s in model.states}
    return frozenset(square | {p.shape[0] for p in own if p.shape[1] == 1}) - {1} if model.states else frozenset()


def size_by_steps(model: Model, symbol: Symbol, stated: Sequence[Amount], steps: str, named: bool = False) -> Verdict | None:
    """The verdict on a size that depends on the number of steps; None where nothing settles the size, or the stated one is no other.

    ``stated`` has one entry for a vector and two for a matrix, each a function of the letters, the number of steps (``steps``) among
    them. ``named`` says that the text calls the symbol a parameter: then its own sizes are settled.
    """
    shape = symbol.shape[: len(stated)]
    fixed = settled(model, symbol.name) | ({n for n in shape if n != 1} if named and model.states else set())
    if len(stated) != (1 if symbol.shape[1] == 1 else 2) or not all(isinstance(n, str) or n == 1 for n in shape):
        return None
    ones = dict.fromkeys(model.sizes, 1)
    for T in range(1, LAST_T + 1):
        values = [amount({**ones, steps: T}) for amount in stated]
        if any(v is None or v < 1 for v in values):
            continue
        if any(v != 1 and n in fixed for v, n in zip(values, shape, strict=True)):
            sizes = {str(n): 1 for n in shape if n != 1}
            left, right = " x ".join("1" for _ in shape), " x ".join(map(str, values))
            given = " x ".join(map(str, shape))
            at = ", ".join([*(f"{n} = 1" for n in sizes), f"{steps} = {T}"])
            return Verdict("refuted", "SR401", f"the equations give {symbol.name} the size {given} for every number of steps {steps}; "
                           f"at {at} it has the size {left}, and the text says {right}", method="sizes",
                           counterexample={"T": T, "sizes": sizes, "values": {}, "left": left, "right": right})
    return None


def size_as_given(model: Model, symbol: Symbol) -> Verdict:
    """The verdict on the size of a symbol being the one that the equations give it.

    >>> from symrnn.model import param, sequence
    >>> h = sequence("h", "n")
    >>> m = Model.build("m", [(h, param("W", "n", "n") @ h[-1])])
    >>> size_as_given(m, h.attr).word, size_as_given(m, Symbol("h", ("m", 1))).word
    ('proved', 'undecided')
    """
    own = {s.name: s.shape for s in (*model.variables, *model.parameters, *model.inputs, *model.targets, *model.constants)}
    if own.get(symbol.name) != symbol.shape:
        return Verdict("undecided", "SR303", "the equations do not give this size")
    return Verdict("proved", method="the sizes that the equations give", scope=EVERYWHERE, error_bound="0")


def count_of_steps(model: Model, symbol: Symbol, letter: str) -> Verdict | None:
    """The verdict on a letter that is said to be the number of steps and counts the components of ``symbol`` in a sum."""
    if symbol.shape[1] != 1 or symbol.shape[0] not in settled(model):
        return None
    return Verdict("refuted", "SR402", f"the sum runs over the components of {symbol.name}, of which there are {symbol.shape[0]} "
                   f"however many steps there are; with one component and two steps {letter} would be both 1 and 2", method="sizes",
                   counterexample={"T": 2, "sizes": {str(symbol.shape[0]): 1}, "values": {}, "left": "1", "right": "2"})


def last_for_any(model: Model, symbol: Symbol, steps: str, now: str) -> Verdict | None:
    """The verdict on the last step being the present one, said of a variable that an equation defines at every step."""
    if symbol.name not in model.definitions or not model.states:
        return None
    return Verdict("refuted", "SR404", f"{symbol.name} is defined at every step up to {steps}; at {steps} = 2 and {now} = 1 they differ",
                   method="steps", counterexample={"T": 2, "sizes": {}, "values": {now: "1"}, "left": "2", "right": "1"})


def entry_of(listed: Sequence[Fraction], number: int, stated: Fraction) -> Verdict:
    """The verdict on the value of an entry, counted from one, of a vector whose entries are listed.

    Only a wrong sign is certain: a text may round, or speak of another vector.

    >>> entry_of([Fraction(1, 2), Fraction(-3, 4)], 2, Fraction(3, 4)).code
    'SR203'
    """
    own = listed[number - 1]
    if own == stated:
        return Verdict("proved", method="the entry as it is listed", scope=EVERYWHERE, error_bound="0")
    if own == -stated:
        left, right = f"{float(own):g}", f"{float(stated):g}"
        return Verdict("refuted", "SR203", f"entry {number} is listed as {left}", method="the entry as it is listed",
                       counterexample={"T": None, "sizes": {}, "values": {}, "left": left, "right": right})
    return Verdict("undecided", "SR303", f"entry {number} is listed as {float(own):g}; the text may round, or mean another vector")
