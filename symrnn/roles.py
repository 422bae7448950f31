r"""What the symbols of a scope are, in words: their shape, and the part that they have in the network.

>>> setting = Setting.of("main", {"symbols": {"W": "matrix n m", "x": "vector m, sequence", "\\sigma": "function sigmoid", "k": "index n"}})
>>> [role(d, setting, {}) for d in setting.scope.table]
['n x m, parameter', 'a letter that counts to n', 'the function sigmoid', 'the letter of the steps', 'm, input']
"""
from __future__ import annotations

from collections.abc import Mapping

from symrnn.expr import Size, Symbol, node, resize, show_shape, unknown
from symrnn.read.elaborate import Elaborator
from symrnn.read.occurrences import is_distribution, shape_of
from symrnn.read.symbols import Declared
from symrnn.setting import Setting

ARRAYS = ("scalar", "vector", "matrix")
COUNTING = {"index": "a letter that counts", "size": "a size", "space": "a set"}


def role(d: Declared, setting: Setting, sizes: Mapping[str, Size]) -> str:
    """What a declared symbol is, with the sizes that the equations settle."""
    if d.role == "time":
        return "the letter of the steps"
    if d.name in (setting.scope.loss, setting.scope.total):
        return "number, the loss of a step" if d.name == setting.scope.loss != setting.scope.total else "number, the loss"
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
