"""What a network costs, as polynomials in its sizes: parameters, multiplications and values of functions in a step, values that are kept.

>>> from symrnn.api import model
>>> from symrnn.bptt import derive
>>> found = cost(derive(model("elman-linear-mse")))
>>> print(found.parameters, "|", found.forward.products, "|", found.forward.functions)
n_h+n_h*n_h+n_h*n_x+n_h*n_y+n_y | n_h*n_h+n_h*n_x+n_h*n_y+n_y | n_h
>>> print(found.backward.products)
2*n_h+2*n_h*n_h+2*n_h*n_x+2*n_h*n_y
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce

from symrnn.bptt import Derivation
from symrnn.expr import Expr, Shape, Symbol, symbols, walk
from symrnn.expr.linear import Linear

CALLS = ("apply", "softmax", "lse")
"""Operations that take functions of the entries of their argument."""


@dataclass(frozen=True)
class Work:
    """Multiplications, and values of functions such as tanh, as many as the formulas name; what stands in two of them is counted once."""

    products: Linear
    functions: Linear


@dataclass(frozen=True)
class Cost:
    """What a network costs: the entries of its ``parameters``; the work of one step ``forward``, and ``backward`` with what the step adds
    to every gradient; the variables of which the way back needs the values of every step, ``kept``, with their ``entries`` in a step.
    """

    parameters: Linear
    forward: Work
    backward: Work
    kept: tuple[Symbol, ...]
    entries: Linear


def cost(d: Derivation) -> Cost:
    """What the network of a derivation costs."""
    m = d.model
    back = [*d.adjoints.values(), *d.summands.values()]
    used = {s.name for e in back for s in symbols(e) if s.kind == "variable"}
    kept = tuple(s for s in m.variables if s.name in used)
    return Cost(total(m.parameters), work(e.right for e in m.equations), work(back), kept, total(kept))


def work(formulas: Iterable[Expr]) -> Work:
    """What it takes to compute some formulas."""
    nodes = list(dict.fromkeys(x for e in formulas for x in walk(e)))
    return Work(added(products(x) for x in nodes), added(size(x.args[0].shape) for x in nodes if x.op in CALLS))


def products(e: Expr) -> Linear:
    """The multiplications of one operation; those by a number that is printed are free.

    >>> from symrnn.expr import symbol
    >>> W, h = symbol("W", ("n", "m")), symbol("h", ("m", 1))
    >>> print(products(W @ h), products(h * h), products(2 * h), products(h ** 3))
    m*n m 0 2*m
    """
    if e.op == "matmul":
        a, b = e.args
        assert a.shape is not None and b.shape is not None
        return size(a.shape) * Linear.of(b.shape[1])
    if e.op == "had" or e.op == "smul" and e.args[0].op != "num":
        return size(e.shape)
    return size(e.shape) * Linear((), max(0, e.attr - 1)) if e.op == "pow" else Linear()


def size(shape: Shape | None) -> Linear:
    """The number of entries of an array."""
    return Linear() if shape is None else Linear.of(shape[0]) * Linear.of(shape[1])


def total(found: Iterable[Symbol]) -> Linear:
    """The number of entries of some symbols together."""
    return added(size(s.shape) for s in found)


def added(counts: Iterable[Linear] | Iterator[Linear]) -> Linear:
    """The sum of some counts."""
    return reduce(Linear.__add__, counts, Linear())
