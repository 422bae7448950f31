"""Rewrites for code that does not overflow: the same functions, written so that logits of any size keep their accuracy.

``log(softmax(o))`` is ``o - log_sum_exp(o)``, ``log(sigmoid(o))`` is ``-softplus(-o)`` and ``log(1 - sigmoid(o))`` is
``-softplus(o)``; ``tests/emit/test_stable.py`` checks the three against 50 digits.
"""
from __future__ import annotations

from dataclasses import replace

from symrnn.bptt import Derivation, derive, fusions
from symrnn.emit.arrays import static
from symrnn.expr import NOW, Expr, Symbol, apply, log_sum_exp, negative, node, ones, shift, smul, symbols, transform, walk
from symrnn.model import Equation, Model, in_order
from symrnn.naming import identifier

OUTPUTS = ("softmax", "sigmoid")


def output_kind(e: Expr) -> str | None:
    """``softmax`` or ``sigmoid`` if the root of the expression is one."""
    name = e.attr if e.op == "apply" else e.op
    return name if name in OUTPUTS else None


BY_VALUE = frozenset({"tanh", "sigmoid", "exp"})
"""Functions that cost much, and whose derivative is written with their value alone."""


def expose(model: Model) -> Model:
    """The model with names for what its backward pass needs again, so that nothing costly is computed twice.

    Named are the argument of a softmax or a function (``p_pre``: what goes into ``p``), as the adjoint of the argument is what every
    weight in it needs, and the value of a softmax or a function inside an equation (``h_tanh``).
    """
    for _ in range(2):                                  # a function that got a name may have its argument named in turn
        model = _expose_once(model)
    return model


def _expose_once(model: Model) -> Model:
    logged = logarithms(model)
    taken = {s.name for s in (*model.variables, *model.parameters, *model.inputs, *model.targets, *model.constants)}
    rows: list[Equation] = []

    def named(value: Expr, wish: str) -> Expr:
        name = next(n for n in (wish, *(f"{wish}_{k}" for k in range(2, 999))) if n not in taken)
        taken.add(name)
        assert value.shape is not None
        made = Symbol(name, value.shape, "variable", NOW)
        rows.append(Equation(made, value))
        return node("sym", attr=made)

    for e in model.equations:
        known: dict[Expr, Expr] = {}

        def inner(x: Expr, e: Equation = e, known: dict[Expr, Expr] = known) -> Expr | None:
            if x.op != "softmax" and not (x.op == "apply" and (costly(x.args[0]) or again(x))):
                return None
            if x not in known:
                known[x] = named(x, f"{e.name}_{identifier(x.attr or x.op, 'f')}")
            return known[x]
        if e.right.op not in ("softmax", "apply"):
            rows.append(Equation(e.left, transform(e.right, inner)))
            continue
        u = transform(e.right.args[0], inner)
        output = e.right.op == "softmax" or (e.right.attr == "sigmoid" and e.name in logged)
        if (output and u.op != "sym") or costly(u):
            u = named(u, f"{e.name}_pre")
        rows.append(Equation(e.left, node(e.right.op, u, attr=e.right.attr)))
    return replace(model, equations=in_order(rows))


def costly(e: Expr) -> bool:
    """Whether computing the expression twice would be a waste: it has a product of matrices or a function in it."""
    return any(x.op in ("matmul", "softmax", "lse", "apply") for x in walk(e))


def again(e: Expr) -> bool:
    """Whether the backward pass needs the value of a function of other values at every step."""
    return e.attr in BY_VALUE and not static(e)


def logarithms(model: Model) -> set[str]:
    """The variables of which some equation takes the logarithm, directly or of one minus it."""
    found: set[str] = set()
    for e in model.equations:
        for x in walk(e.right):
            if x.op == "apply" and x.attr == "log":
                found |= {s.name for s in symbols(x.args[0]) if s.kind == "variable"}
    return found


def stable_logarithms(model: Model) -> Model:
    """The model with the logarithms of softmax and sigmoid outputs written by their arguments."""
    definitions = {e.name: e.right for e in model.equations if output_kind(e.right)}

    def rewrite(x: Expr) -> Expr | None:
        if x.op != "apply" or x.attr != "log":
            return None
        u, complement = x.args[0], False
        if u.op == "add" and len(u.args) == 2 and u.args[0] is ones(u.shape or (1, 1)):
            u, complement = negative(u.args[1]), True
        definition = definitions.get(u.attr.name) if u.op == "sym" and u.attr.kind == "variable" else None
        if definition is None:
            return None
        o = shift(definition.args[0], u.attr.time.offset)
        if output_kind(definition) == "sigmoid":
            return negative(apply("softplus", o if complement else negative(o)))
        assert o.shape is not None
        return None if complement else o - smul(log_sum_exp(o), ones(o.shape))
    rows = tuple(Equation(e.left, transform(e.right, rewrite)) for e in model.equations)
    return replace(model, equations=rows)


def stable_derivation(model: Model) -> Derivation:
    """The derivation from the form that has no quotient by a probability.

    Where output and loss are a fused pair the model itself is derived, else the one with rewritten logarithms; values that the
    forward pass has anyway are taken by name.
    """
    exposed = expose(model)
    pairs = {e.name: e.right.args[0].attr.name for e in exposed.equations if output_kind(e.right) and e.right.args[0].op == "sym"}
    needed = {pairs[p] for p in logarithms(exposed) if p in pairs}
    source = exposed if needed <= set(fusions(exposed)) else stable_logarithms(exposed)
    found = derive(source)
    outputs = [e for e in source.equations if output_kind(e.right)]

    def known(x: Expr) -> Expr | None:
        if output_kind(x) is None:
            return None
        offsets = sorted({s.time.offset for s in symbols(x) if s.time is not None})
        for e in outputs:
            for k in offsets:
                if shift(e.right, k) is x:
                    return shift(node("sym", attr=e.left), k)
        return None
    return replace(found, adjoints={k: transform(e, known) for k, e in found.adjoints.items()},
                   summands={k: transform(e, known) for k, e in found.summands.items()})


def named_sums(model: Model) -> Model:
    """The model with a name for the log-sum-exp of what a softmax takes, ``o_lse`` for ``o``: the two share their powers."""
    taken = {s.name for s in (*model.variables, *model.parameters, *model.inputs, *model.targets, *model.constants)}
    made: dict[Expr, Symbol] = {}
    rows: list[Equation] = []
    used = {x for e in model.equations for x in walk(e.right) if x.op == "lse"}
    for e in model.equations:
        rows.append(Equation(e.left, transform(e.right, lambda x: node("sym", attr=made[x]) if x in made else None)))
        sums = log_sum_exp(e.right.args[0]) if e.right.op == "softmax" else None
        if sums in used:
            wish = f"{identifier(str(e.right.args[0].attr.name if e.right.args[0].op == 'sym' else e.name))}_lse"
            name = next(n for n in (wish, *(f"{wish}_{k}" for k in range(2, 999))) if n not in taken)
            taken.add(name)
            made[sums] = Symbol(name, (1, 1), "variable", NOW)
            rows.append(Equation(made[sums], sums))
    return replace(model, equations=tuple(rows))
