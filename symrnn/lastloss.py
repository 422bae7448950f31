"""A loss that counts at the last step alone: a mark of a model, or a weight of the steps, under which it is summed like any other.

The weight is an input that is one at the last step and zero before it. What holds for every weight holds for this one, so that a proof
for the summed loss of :func:`weighted` is one for the marked model.
"""
from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from symrnn.expr import NOW, SCALAR, Expr, Symbol, lift, symbol, symbols, transform, walk
from symrnn.model import Equation, Model

AT_END = "[t=T]"
"""The name of the number that is one at the last step and zero before it; no text can write it."""


def weighted(m: Model) -> Model:
    """The model with a weight in its loss in the place of the mark.

    >>> from symrnn.model import param, scalar, sequence
    >>> h, l = sequence("h"), scalar("l")
    >>> m = Model.build("m", [(h, param("w") * h[-1]), (l, h**2)], loss="l", at_end=True)
    >>> print(weighted(m).definitions["l"], weighted(m).at_end)
    [t=T][t] * h[t]**2 False
    """
    if not m.at_end:
        return m
    weight = symbol(AT_END, SCALAR, "input", NOW)
    rows = (Equation(e.left, weight * e.right) if e.name == m.loss else e for e in m.equations)
    return replace(m, equations=tuple(rows), at_end=False)


def unweighted(m: Model) -> Model:
    """The model with a mark in the place of a weight in its loss."""
    if not any(s.name == AT_END for s in m.inputs):
        return m
    return replace(m, equations=changed(m, lambda s: lift(1) if s.name == AT_END else None), at_end=True)


def marked(m: Model) -> Model:
    """The model with a mark in the place of a weight in its loss, and with targets.

    What only the loss uses, beside a variable of its shape, is a target: a text with such a loss writes it without a step.
    """
    found = unweighted(m)
    aims = targets(found) if found.at_end else ()
    return replace(found, equations=changed(found, lambda s: symbol(s.name, s.shape, "target", NOW) if s.name in aims else None))


def aimed(m: Model, final: Collection[str], loss: str) -> Model:
    """The model, where it has no loss, with the one number as its loss that is computed at the end alone and that nothing uses.

    ``final`` are the variables that are computed at the end alone and may be a loss; ``loss`` is a name for the loss of a step, and the
    total keeps its own.
    """
    used = {s.name for e in m.equations for s in symbols(e.right)}
    ends = [e for e in m.equations if e.name in final and e.left.shape == SCALAR and e.name not in used]
    if m.loss is not None or len(ends) != 1:
        return m
    (end,) = ends
    rows = (Equation(replace(e.left, name=loss), e.right) if e is end else e for e in m.equations)
    return replace(m, equations=tuple(rows), loss=loss, total=end.name, at_end=True)


def changed(m: Model, change: Callable[[Symbol], Expr | None]) -> tuple[Equation, ...]:
    """The equations of a model with some symbols replaced."""
    return tuple(Equation(e.left, transform(e.right, lambda x: change(x.attr) if x.op == "sym" else None)) for e in m.equations)


def targets(m: Model) -> frozenset[str]:
    """The parameters that the loss alone uses, and compares with a variable: they have its shape and are no factor of anything."""
    assert m.loss is not None
    loss = m.definitions[m.loss]
    shapes = {s.shape for s in symbols(loss) if s.kind == "variable"}
    others = {s.name for e in m.equations if e.name != m.loss for s in symbols(e.right)}
    factors = {x.args[0].attr.name for x in walk(loss) if x.op == "smul" and x.args[0].op == "sym"}
    return frozenset(s.name for s in m.parameters if s.shape in shapes and s.name not in others | factors)


def counted_late(m: Model) -> frozenset[str]:
    """The variables that reach the loss through no later step: with the loss at the last step, only their last value counts.

    >>> from symrnn.model import param, scalar, sequence
    >>> h, o, l = sequence("h"), sequence("o"), scalar("l")
    >>> m = Model.build("m", [(h, param("w") * h[-1]), (o, param("v") * h), (l, o**2)], loss="l")
    >>> sorted(counted_late(m))
    ['l', 'o']
    """
    carried = {s.name for e in m.equations for s in symbols(e.right) if s.kind == "variable" and s.time != NOW}
    for e in reversed(m.equations):                                   # each uses only earlier ones of its step
        if e.name in carried:
            carried |= {s.name for s in symbols(e.right) if s.kind == "variable"}
    return frozenset(e.name for e in m.equations if e.name not in carried)
