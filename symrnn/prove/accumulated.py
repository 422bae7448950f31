r"""Total derivatives as the sum of what each step adds: :math:`\sum_{k=1}^t \partial h_t/\partial h_k \; \partial^+ h_k/\partial w`.

Where a step hands on nothing but h, both :math:`D_t = \partial h_t / \partial w` and this sum S follow
:math:`D_t = \partial^+ h_t/\partial w + (\partial h_t/\partial h_{t-1}) D_{t-1}` from zero, so that they are equal by induction over t.

>>> from symrnn.expr import Time, apply, derivative, symbol, time_sum
>>> from symrnn.model import Model, param, scalar
>>> h, w = scalar("h"), param("w")
>>> model = Model.build("m", [(h, apply("tanh", w * h[-1]))])
>>> early = symbol("h", h.shape, "variable", Time("k"))
>>> body = derivative(h, early) * derivative(early, w, "immediate")
>>> claim = Claim(derivative(h, w), time_sum("k", Time("", 1), Time("t"), body), model)
>>> print(accumulated(claim, lambda a, b: False).right)
d(h[t])/d(w)
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from symrnn.expr import (
    NOW,
    SCALAR,
    Expr,
    Symbol,
    Time,
    derivative,
    entry,
    fix_time,
    index_sum,
    matmul,
    smul,
    symbol,
    symbols,
    transform,
    transpose,
    walk,
)
from symrnn.model import Model
from symrnn.prove.claim import Claim

WAY = "the parts of the steps add up to the total derivative, by induction over the steps"
THROUGH = "chain rule: the variable sees earlier states through the state of its step only"
ONE = Time("", 1)


def hands_on(model: Model, state: str) -> bool:
    """Whether a step hands on to the next one nothing but ``state``, and nothing comes back from later steps.

    >>> from symrnn.model import sequence
    >>> h, c, x = sequence("h", "n"), sequence("c", "n"), sequence("x", "n", kind="input")
    >>> hands_on(Model.build("one", [(h, h[-1] + x)]), "h"), hands_on(Model.build("two", [(c, c[-1] + h[-1]), (h, c)]), "h")
    (True, False)
    """
    lagged = {(s.name, s.time.offset) for e in model.equations for s in symbols(e.right)
              if s.name in model.definitions and s.time is not None and (s.time.base != "t" or s.time.offset != 0)}
    return lagged == {(state, -1)}


def accumulated(claim: Claim, same: Callable[[Expr, Expr], bool]) -> Claim | None:
    """The claim with such sums as total derivatives; None where it has none.

    ``same`` decides whether two expressions are equal: what a step adds may be printed as a formula.
    """
    parameters = [x.args[1] for x in walk(claim.left) if x.op == "deriv" and _is_parameter(x.args[1])]

    def change(e: Expr) -> Expr | None:
        return _whole(e, claim.model, parameters[:1], same) if e.op == "tsum" else None
    left, right = (transform(side, change) for side in (claim.left, claim.right))
    return None if (left, right) == (claim.left, claim.right) else replace(claim, left=left, right=right)


def _whole(e: Expr, model: Model, parameters: list[Expr], same: Callable[[Expr, Expr], bool]) -> Expr | None:
    """A sum over the steps up to that of a state as its total derivative, times what does not change."""
    letter, first, last = e.attr
    if e.args[0].op == "isum":
        return _by_components(e, model)
    factors = _factors(e.args[0])
    own = [any(s.time is not None and s.time.base == letter for s in symbols(f)) for f in factors]
    k = own.index(True) if any(own) else len(own)
    added = factors[k + 1 :]
    if not added or not all(own[k:]) or any(own[:k]):                 # what changes stands behind what does not
        return None
    a = factors[k]
    if a.op != "deriv" or any(x.op != "sym" or x.attr.time is None for x in a.args):
        return None
    late, early = (x.attr for x in a.args)
    if late.time not in (last, last + 1) or early.time != Time(letter) or late.name != early.name or not hands_on(model, late.name):
        return None
    if len(added) == 1 and added[0].op == "deriv" and added[0].args[0] is a.args[1] and added[0].attr == "immediate":
        by = added[0].args[1]
        known = _is_parameter(by) and first in (ONE, Time("", 0))     # the state before the first step does not depend on it
    else:
        now = [fix_time(x, letter, NOW) for x in (a.args[1], _product(added))]
        by = next((p for p in parameters if same(derivative(now[0], p, "immediate"), now[1])), now[0])
        known = by is not now[0] and first == ONE
    if not known:
        return None
    whole = derivative(a.args[0], by, "total")
    if late.time != last:                                             # all but what the last step adds
        whole = whole - derivative(a.args[0], by, "immediate")
    return _product([*factors[:k], whole])


def _by_components(e: Expr, model: Model) -> Expr | None:
    """The same where each component of the state is differentiated by itself, as for a matrix of parameters."""
    (letter, first, last), i = e.attr, e.args[0].attr
    body = e.args[0].args[0]
    row, d = body.args if body.op == "smul" and len(body.args) == 2 else (body, body)
    if row.op != "entry" or row.attr != (i, None) or row.args[0].op != "transpose" or d.op != "deriv":
        return None
    of, by = d.args
    factors = _factors(row.args[0].args[0])
    a = factors[-1]
    if d.attr != "immediate" or not _is_parameter(by) or of.op != "entry" or of.attr != (i, None) or a.op != "deriv" or len(factors) < 2:
        return None
    if any(x.op != "sym" or x.attr.time is None for x in a.args) or a.args[1] is not of.args[0] or first not in (ONE, Time("", 0)):
        return None
    late, early = (x.attr for x in a.args)
    if late.time != last or early.time != Time(letter) or late.name != early.name or not hands_on(model, late.name):
        return None
    if any(s.time is not None and s.time.base == letter for f in factors[:-1] for s in symbols(f)):
        return None
    return index_sum(i, entry(transpose(_product(factors[:-1])), i) * derivative(entry(a.args[0], i), by, "total"))


def through_state(claim: Claim, same: Callable[[Expr, Expr], bool]) -> bool:
    """Whether a claim says of a variable of a step that it sees earlier states through the state of its step only.

    That is the product of the derivative by the state of the step and that of this state by an earlier one, where nothing else leads
    from one to the other; the factor of the step may be printed as a formula.
    """
    left = claim.left
    if left.op == "transpose":
        factors = [f.args[0] if f.op == "transpose" else transpose(f) for f in reversed(_factors(claim.right))]
        return through_state(replace(claim, left=left.args[0], right=_product(factors)), same)
    if left.op != "deriv" or any(x.op != "sym" or x.attr.time is None for x in left.args):
        return False
    top, bottom = left.args
    state, late, early = bottom.attr.name, top.attr.time, bottom.attr.time
    if late.base == early.base or not hands_on(claim.model, state) or not _only_through(top.attr, state, claim.model):
        return False
    now = symbol(state, bottom.shape or SCALAR, bottom.attr.kind, late)
    factors = _factors(claim.right)
    number = all(f.shape == SCALAR for f in factors)
    turned = top.shape == SCALAR and not number
    places = range(len(factors)) if number else (0,) if turned else (len(factors) - 1,)
    for k in places:
        step = factors[k].args[0] if turned and factors[k].op == "transpose" else factors[k]
        if step.op == "deriv" and step.args == (now, bottom) and turned == (factors[k].op == "transpose") and len(factors) > 1:
            return same(derivative(top, now), _product([*factors[:k], *factors[k + 1 :]]))
    return False


def _only_through(u: Symbol, state: str, model: Model) -> bool:
    """Whether the variables of a step that lead to ``u``, other than the state, use nothing of earlier steps that an equation gives."""
    todo, seen = [u.name], {state}
    while todo:
        name = todo.pop()
        if name in seen or name not in model.definitions:
            continue
        seen.add(name)
        for s in symbols(model.definitions[name]):
            if s.name in model.definitions and s.time is not None and (s.time.base != "t" or s.time.offset != 0):
                return False
            todo.append(s.name)
    return u.name != state


def _is_parameter(by: Expr) -> bool:
    """Whether something is differentiated by a parameter, or a component of one."""
    inner = by.args[0] if by.op == "entry" else by
    return inner.op == "sym" and inner.attr.kind in ("parameter", "constant") and inner.attr.time is None


def _factors(e: Expr) -> list[Expr]:
    """The factors of a product of matrices or of numbers, in order."""
    if e.op == "matmul" or e.op in ("smul", "had") and all(a.shape == e.args[0].shape for a in e.args):
        return [f for a in e.args for f in _factors(a)]
    return [e]


def _product(factors: list[Expr]) -> Expr:
    out = factors[0]
    for f in factors[1:]:
        out = smul(out, f) if out.shape == f.shape == (1, 1) else matmul(out, f)
    return out
