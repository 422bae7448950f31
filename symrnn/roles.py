r"""What the symbols of a scope are, in words: their shape, and the part that they have in the network.

>>> setting = Setting.of("main", {"symbols": {"W": "matrix n m", "x": "vector m, sequence", "\\sigma": "function sigmoid", "k": "index n"}})
>>> for name in ("W", "k", "sigma", "t", "x", "T", "n", "q"):
...     print(name, "is", role(name, setting, {}))
W is n x m, parameter
k is a letter that counts to n
sigma is the function sigmoid
t is the letter of the steps
x is m, input
T is the last step
n is a size
q is what nothing declares
"""
from __future__ import annotations

from collections.abc import Mapping

from symrnn.expr import Size, Symbol, node, resize, show_shape, unknown
from symrnn.read.elaborate import Elaborator
from symrnn.read.occurrences import is_distribution, shape_of
from symrnn.read.symbols import Declared
from symrnn.setting import Setting

ARRAYS = ("scalar", "vector", "matrix")
CONVENTIONAL = {"I": "the identity matrix", "delta": "one where two indices are equal", "e": "Euler's number", "pi": "the number pi"}
"""What names mean that no text declares."""
COUNTING = {"index": "a letter that counts", "size": "a size", "space": "a set"}


def role(name: str, setting: Setting, sizes: Mapping[str, Size]) -> str:
    """What the symbol of a canonical name is, with the sizes that the equations settle."""
    scope, d = setting.scope, setting.scope.table.get(name)
    if name in (scope.loss, scope.total):
        return "number, the loss of a step" if name == scope.loss != scope.total else "number, the loss"
    if name in scope.gradients or name in scope.direct:
        return "a name for a gradient"
    if name in scope.steps:
        return "the last step"
    if d is None:
        return "a size" if any(name in other.shape for other in scope.table) else CONVENTIONAL.get(name, "what nothing declares")
    return _declared(d, setting, sizes)


def _declared(d: Declared, setting: Setting, sizes: Mapping[str, Size]) -> str:
    """What a declared symbol is."""
    if d.role == "time":
        return "the letter of the steps"
    if is_distribution(d):
        return "vector, written as a function of its component"
    if d.is_function:
        of = " of a vector" if d.kind == "vfunction" else ""
        return f"the function {d.role}{of}" if d.role is not None else f"a function{of} that nothing names"
    if d.kind not in ARRAYS:
        return COUNTING[d.kind] + (f" to {d.shape[0]}" if d.kind == "index" and d.shape else "")
    kind = Elaborator(setting.scope).kind(d)
    return f"{shape(d, sizes)}, {kind}" + (" at every step" if d.sequence and kind == "variable" else "")


def shape(d: Declared, sizes: Mapping[str, Size]) -> str:
    """The shape of an array as texts write it: a column by its one size, a size that nothing settles as a question mark."""
    found = resize(node("sym", attr=Symbol(d.name, shape_of(d), "parameter", None)), sizes).shape
    if found is None or d.kind == "scalar":
        return "number"
    rows, columns = ("?" if isinstance(n, str) and unknown(n) else n for n in found)
    return str(rows) if columns == 1 else show_shape((rows, columns))
