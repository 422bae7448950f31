"""What the functions and operators of NumPy (and of libraries alike) are as notation: one table for each form of call."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import MappingProxyType

from symrnn.read.tree import ABSENT, Node, num, sym


def total(a: Node, b: Node) -> Node:
    """A sum; a sum on the left goes on."""
    return Node("Add", ((*a.nodes, b) if a.op == "Add" else (a, b)))


MODULES = frozenset({"np", "numpy", "math", "torch", "jnp", "onp", "F", "special", "scipy"})
"""Names before a dot that say where a function comes from."""

FUNCTIONS: Mapping[str, str] = MappingProxyType({
    **{name: name for name in "tanh exp log sin cos tan sinh cosh softmax relu diag trace sign softplus max min argmax clip".split()},
    "sigmoid": "sigmoid", "expit": "sigmoid", "logsumexp": "logsumexp", "amax": "max", "amin": "min", "diagflat": "diag",
    "sum": "sum",
})
"""NumPy's functions of one argument (and those alike) by the name of the table of symbols."""

PRODUCTS: Mapping[str, Callable[[Node, Node], Node]] = MappingProxyType({
    **{name: lambda a, b: Node("Mul", (a, b)) for name in ("dot", "matmul", "mm", "mv")},
    "outer": lambda a, b: Node("Mul", (a, Node("Transpose", (b,)))),
    "inner": lambda a, b: Node("Mul", (Node("Transpose", (a,)), b)),
    "vdot": lambda a, b: Node("Mul", (Node("Transpose", (a,)), b)),
    "multiply": lambda a, b: Node("Had", (a, b)),
    "add": lambda a, b: total(a, b),
    "subtract": lambda a, b: total(a, Node("Neg", (b,))),
    "divide": lambda a, b: Node("Div", (a, b)),
    "power": lambda a, b: Node("Pow", (a, b)),
    "maximum": lambda a, b: Node("Call", (sym("max"), a, b)),
    "minimum": lambda a, b: Node("Call", (sym("min"), a, b)),
})
"""Functions of two arguments."""

SINGLE: Mapping[str, Callable[[Node], Node]] = MappingProxyType({
    "transpose": lambda a: Node("Transpose", (a,)),
    "square": lambda a: Node("Pow", (a, num(2))),
    "sqrt": lambda a: Node("Root", (a, ABSENT)),
    "negative": lambda a: Node("Neg", (a,)),
    "abs": lambda a: Node("Abs", (a,)),
    **{name: lambda a: a for name in ("array", "asarray", "copy", "clone", "detach")},
})
"""Functions of one argument that are notation in mathematics."""

FILLED: Mapping[str, str] = MappingProxyType({"zeros": "Zeros", "zeros_like": "Zeros", "ones": "Ones", "ones_like": "Ones"})
"""Arrays of one number."""

BINARY: Mapping[type, Callable[[Node, Node], Node]] = MappingProxyType({
    ast.Add: lambda a, b: total(a, b),
    ast.Sub: lambda a, b: total(a, Node("Neg", (b,))),
    ast.MatMult: lambda a, b: Node("Mul", (a, b)),
    ast.Mult: lambda a, b: Node("Mul" if "Num" in (a.op, b.op) else "Star", (a, b)),
    ast.Div: lambda a, b: Node("Div", (a, b)),
    ast.Pow: lambda a, b: Node("Pow", (a, b)),
})
"""Operators. The star stays a star: between arrays it is a Hadamard product, beside a number a scaling."""
