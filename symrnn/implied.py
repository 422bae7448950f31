"""What a text leaves open and its formulas imply: a loss that is never written down, dependencies that only derivatives show.

Both become unspecified differentiable functions, so that what is proved holds for every one of them; the assumption is a condition
of the verdict.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace

from symrnn.expr import NOW, SCALAR, Expr, Symbol, node, symbol, symbols, transform, transpose, walk
from symrnn.lastloss import AT_END
from symrnn.model import Equation, Model
from symrnn.prove.claim import Claim, Condition
from symrnn.read.scope import LOSS


def open_loss(model: Model, of: Set[str] = frozenset()) -> Model:
    """The model with a loss of one step that is an unspecified function of the variables ``of``, or else of its last ones.

    The last variables are those that no equation uses at the same step.

    >>> from symrnn.expr import apply
    >>> from symrnn.model import param, sequence
    >>> h, o = sequence("h", "n"), sequence("o", "m")
    >>> m = Model.build("m", [(h, apply("tanh", param("W", "n", "n") @ h[-1])), (o, param("V", "m", "n") @ h)])
    >>> print(open_loss(m).equations[-1])
    loss[t] = loss(o[t])
    """
    last = [v for v in model.variables if v.name in of] if of else last_variables(model)
    return replace(model, equations=(*model.equations, Equation(Symbol(LOSS, SCALAR, "variable", NOW), _of(last))), loss=LOSS)


def last_variables(model: Model) -> list[Symbol]:
    """The variables of a model that no equation uses at the same step, apart from the loss."""
    used = {s.name for e in model.equations if e.name != LOSS for s in symbols(e.right) if s.time == NOW}
    return [v for v in model.variables if v.name not in {*used, LOSS}]


def _of(variables: Iterable[Symbol]) -> Expr:
    """An unspecified number that depends on some variables."""
    parts = ((v, node("sym", attr=v)) for v in variables)
    return node("vcall", *(transpose(e) if v.shape[0] == 1 else e for v, e in parts), attr=(LOSS, SCALAR))


def other_losses(claim: Claim, summed: bool) -> Iterator[tuple[str, Claim]]:
    """The claim for other losses than an open one of all last variables, each with the supposition in words.

    Where the text does not say that the loss is ``summed`` over the steps, it may be that of the last step alone.

    >>> from symrnn.model import param, sequence
    >>> h, o, m = sequence("h", "n"), sequence("o", "m"), sequence("m", "n")
    >>> model = open_loss(Model.build("m", [(h, param("W", "n", "n") @ h[-1]), (o, param("V", "m", "n") @ h), (m, h * h)]))
    >>> [words for words, _ in other_losses(Claim(h, h, model), summed=True)]
    ['only o counts for the loss', 'only m counts for the loss']
    """
    loss, last = claim.model.definitions[LOSS], last_variables(claim.model)
    own = [v for v in last if len(loss.args) > 1 and v in set(symbols(loss))]
    ways = [("", loss), *((f"only {v.name} counts for the loss", _of([v])) for v in own)]
    ways += [("all last variables count for the loss", _of(last))] if len(loss.args) < len(last) else []
    weight = symbol(AT_END, SCALAR, "input", NOW)
    also = (Condition("at-end", (AT_END,), "the loss is that of the last step"), Condition("before-end", (), "t < T"))

    def under(value: Expr, conditions: tuple[Condition, ...]) -> Claim:
        rows = tuple(Equation(e.left, value) if e.name == LOSS else e for e in claim.model.equations)
        return replace(claim, model=replace(claim.model, equations=rows), conditions=(*claim.conditions, *conditions))
    yield from ((words, under(value, ())) for words, value in ways[1:])
    if not summed:
        yield from ((" and ".join(filter(None, (words, "only the last step has a loss"))), under(weight * value, also))
                    for words, value in ways)


def generic(claim: Claim, scalars: Set[str] = frozenset()) -> Claim:
    """The claim with its letters for any quantities: what the network has under the same letters is not meant.

    ``scalars`` are letters of numbers, as what a gradient is taken of.
    """
    def change(x: Expr) -> Expr | None:
        if x.op != "sym":
            return None
        return node("sym", attr=Symbol(x.attr.name, SCALAR if x.attr.name in scalars else x.attr.shape, "constant"))
    return replace(claim, left=transform(claim.left, change), right=transform(claim.right, change),
                   model=Model.build("generic", [], total="no total"))


def contradicts(claim: Claim) -> bool:
    """Whether the network has the letters of a rule but depends on them otherwise: the other way round, or along a path left out."""
    uses: dict[str, set[str]] = {e.name: {s.name for s in symbols(e.right)} for e in claim.model.equations}

    def reaches(top: str, bottom: str, without: Set[str] = frozenset()) -> bool:
        todo, seen = [top], {top} | without
        while todo:
            below = uses.get(todo.pop(), set())
            if bottom in below:
                return True
            new = below - seen
            seen |= new
            todo += new
        return False
    pairs = {(a.name, b.name) for side in (claim.left, claim.right) for d in walk(side) if d.op == "deriv"
             for a, b in [[_symbol(x) for x in d.args]] if a is not None and b is not None}
    if any(reaches(b, a) and not reaches(a, b) for a, b in pairs):
        return True
    ends = [_symbol(x) for x in claim.left.args] if claim.left.op == "deriv" else []
    if len(ends) != 2 or None in ends:
        return False
    top, bottom = (s.name for s in ends if s is not None)
    middle = {name for pair in pairs for name in pair} - {top, bottom}
    direct = any(d.op == "deriv" and [_symbol(x) for x in d.args] == ends for d in walk(claim.right))
    return middle <= set(uses) and not direct and reaches(top, bottom, middle)


def implied(claim: Claim) -> tuple[Claim, tuple[str, ...]] | None:
    """The claim with the dependencies that its own derivatives show, when no definition gives them; and these in words.

    ``dz/dx = dz/dy dy/dx`` makes z a function of y and y a function of x. None when a definition already connects the symbols.
    """
    edges: dict[str, dict[str, None]] = {}
    found: dict[str, Symbol] = {}
    for side in (claim.left, claim.right):
        for d in walk(side):
            if d.op == "deriv":
                top, bottom = (_symbol(a) for a in d.args)
                if top is None or bottom is None:
                    return None
                edges.setdefault(top.name, {})[bottom.name] = None
                found[top.name], found[bottom.name] = top, bottom
    defined = set(claim.model.definitions)
    if not edges or any(name in defined for name in found) or any(len({s.time for s in symbols(side) if s.name in found}) > 1
                                                                 for side in (claim.left, claim.right)):
        return None
    order = _direct(edges)
    if order is None:
        return None
    new = {name: Symbol(name, s.shape, "variable" if name in order else "constant", NOW if name in order else None)
           for name, s in found.items()}

    def change(x: Expr) -> Expr | None:
        return node("sym", attr=new[x.attr.name]) if x.op == "sym" and x.attr.name in new else None
    rows = [(node("sym", attr=new[name]), node("vcall", *(node("sym", attr=new[b]) for b in below), attr=(name, new[name].shape)))
            for name, below in order.items()]
    if any(s.shape[1] != 1 for s in new.values()):
        return None
    model = Model.build("implied", rows, total="no total")
    words = tuple(f"{name} is a function of {' and '.join(below)}" for name, below in order.items())
    return replace(claim, left=transform(claim.left, change), right=transform(claim.right, change), model=model), words


def _symbol(e: Expr) -> Symbol | None:
    while e.op in ("entry", "transpose"):
        e = e.args[0]
    return e.attr if e.op == "sym" else None


def _direct(edges: Mapping[str, Mapping[str, None]]) -> dict[str, tuple[str, ...]] | None:
    """Each quantity with those it depends on directly: what lies behind another one is left out; None for a circle."""
    def behind(name: str, seen: frozenset[str]) -> set[str] | None:
        out: set[str] = set()
        for b in edges.get(name, ()):
            if b in seen:
                return None
            more = behind(b, seen | {b})
            if more is None:
                return None
            out |= {b} | more
        return out
    order: dict[str, tuple[str, ...]] = {}
    for name, below in edges.items():
        far: set[str] = set()
        for b in below:
            more = behind(b, frozenset({name, b}))
            if more is None:
                return None
            far |= more
        order[name] = tuple(b for b in below if b not in far)
    return order
