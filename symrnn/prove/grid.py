"""Where a claim is tried: its sizes, time letters and component indices, and the finite values these are given."""
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product

from symrnn.expr import Expr, Index, Size, Symbol, Time, own_steps, walk
from symrnn.prove.claim import Claim, Unsupported

Sizes = Mapping[str, int]


# ----------------------------------------------------------------------------------------------------------------------- sizes
def size_value(size: Size, sizes: Sizes) -> int:
    """A size as a number: a name, a number, or a sum of products of these.

    >>> size_value("2*n_h + n_x - 1", {"n_h": 2, "n_x": 3})
    6
    """
    if isinstance(size, int):
        return size
    if size in sizes:
        return sizes[size]
    total = 0
    pieces = re.findall(r"([+-]?)\s*([^\s+-][^+-]*)", size)
    if "".join(s + p for s, p in pieces).replace(" ", "") != size.replace(" ", ""):
        raise Unsupported(f"the size {size} is not a sum of sizes")
    for sign, piece in pieces:
        value = -1 if sign == "-" else 1
        for factor in piece.split("*"):
            name = factor.strip()
            if name not in sizes and not name.isdigit():
                raise Unsupported(f"the size {name} has no value")
            value *= sizes[name] if name in sizes else int(name)
        total += value
    return total


def names_in(size: object) -> list[str]:
    """The names in a size."""
    return re.findall(r"[^\W\d][\w{}\\']*", size) if isinstance(size, str) else []


def expressions(claim: Claim) -> list[Expr]:
    return [claim.left, claim.right, *(e.right for e in claim.model.equations)]


def _mentioned(e: Expr) -> Iterator[Size]:
    """The sizes that a node mentions itself."""
    if e.op == "sym":
        yield from e.attr.shape
    elif e.op in ("ones", "zeros"):
        yield from e.attr
    elif e.op in ("eye", "size", "cat", "window"):
        yield e.attr
    elif e.op == "slice":
        yield from e.attr
    elif e.op in ("entry", "delta"):
        yield from (i.size for i in e.attr if isinstance(i, Index))
    elif e.op == "isum":
        yield e.attr.size
    elif e.op in ("vcall", "vjac"):
        yield from e.attr[1]


def free_sizes(claim: Claim) -> tuple[str, ...]:
    """The names of the sizes that can be chosen, in order of appearance (the model first).

    A size that stacking or slicing defines (``n_z`` = n_h + n_x) is not free.
    """
    roots = [*(e.right for e in claim.model.equations), claim.left, claim.right]
    found: dict[str, None] = dict.fromkeys(n for e in claim.model.equations for s in e.left.shape for n in names_in(s))
    for root in roots:
        for e in walk(root):
            found.update(dict.fromkeys(n for s in _mentioned(e) for n in names_in(s)))
    bound = set(_defined(claim))
    return tuple(n for n in found if n not in bound)


def _defined(claim: Claim) -> dict[str, tuple[Expr, ...]]:
    """Plain size name -> the parts of the stack that has this size, unless a symbol of the parts has it."""
    out: dict[str, tuple[Expr, ...]] = {}
    for root in expressions(claim):
        for e in walk(root):
            if e.op == "cat" and isinstance(e.attr, str) and [e.attr] == names_in(e.attr) and e.attr.strip() == e.attr:
                if all(e.attr not in names_in(s) for a in e.args if a.shape for s in a.shape):
                    out.setdefault(e.attr, e.args)
    return out


def complete_sizes(claim: Claim, sizes: Sizes) -> dict[str, int]:
    """The sizes with those that stacking defines."""
    out = dict(sizes)
    left = {name: parts for name, parts in _defined(claim).items() if name not in out}
    while left:
        for name, parts in list(left.items()):
            try:
                out[name] = sum(size_value(a.shape[0], out) for a in parts if a.shape)
            except Unsupported:
                continue
            del left[name]
            break
        else:
            raise Unsupported("the sizes " + ", ".join(left) + " are defined by each other")
    return out


def default_sizes(claim: Claim) -> dict[str, int]:
    """Pairwise distinct sizes >= 2, those of a softmax >= 3."""
    names = list(free_sizes(claim))
    classes = {n for root in expressions(claim) for e in walk(root) if e.op in ("softmax", "lse") and e.args[0].shape
               for n in names_in(e.args[0].shape[0])}
    if names and names[0] in classes:
        names.insert(0, next((n for n in names if n not in classes), ""))
        names = list(dict.fromkeys(names))
    sizes, taken = {}, {1}
    printed = printed_components(claim)
    for k, name in enumerate(names, 2):                               # more entries than are printed one by one
        sizes[name] = next(n for n in range(max(k, printed.get(name, 0) + 1), k + len(names) + 99 + printed.get(name, 0)) if n not in taken)
        taken.add(sizes[name])
    return complete_sizes(claim, {name: k for name, k in sizes.items() if name})


def printed_components(claim: Claim) -> dict[str, int]:
    """The largest component that the claim prints as a number, for each size."""
    out: dict[str, int] = {}
    for e in (e for side in (claim.left, claim.right) for e in walk(side) if e.op == "entry" and e.args[0].shape):
        for i, size in zip(e.attr, e.args[0].shape or (), strict=True):
            if isinstance(i, int) and isinstance(size, str):
                out[size] = max(out.get(size, 0), i)
    return out


def small_sizes(names: tuple[str, ...], extra: int) -> Iterator[dict[str, int]]:
    """Every choice of sizes >= 1, by their sum, up to ``extra`` more than one each.

    >>> [tuple(s.values()) for s in small_sizes(("n", "m"), 1)]
    [(1, 1), (1, 2), (2, 1)]
    """
    rows = product(range(1, extra + 2), repeat=len(names))
    for row in sorted((r for r in rows if sum(r) <= len(names) + extra), key=lambda r: (sum(r), r)):
        yield dict(zip(names, row, strict=True))


def enough_steps(claim: Claim) -> int:
    """A last step T, 4 or more, beyond every step that the claim prints as a number, and apart from those counted from the end."""
    times: list[Time] = []
    for e in (e for side in (claim.left, claim.right) for e in walk(side)):
        times += e.attr[1:] if e.op == "tsum" else own_steps(e)
    latest = max((time.offset for time in times if not time.base), default=0)
    back = max((-time.offset for time in times if time.base), default=0)
    return max(4, min(latest + back + 2, 12))


# ------------------------------------------------------------------------------------------------------------ letters, indices
class Free:
    """The free time letters and component indices of expressions, remembered node by node."""

    def __init__(self) -> None:
        self._letters: dict[Expr, tuple[str, ...]] = {}
        self._indices: dict[Expr, tuple[Index, ...]] = {}

    def letters(self, e: Expr) -> tuple[str, ...]:
        """The time letters (``t``, ``k``) that a value depends on, sorted."""
        found = self._letters.get(e)
        if found is None:
            names = {n for a in e.args for n in self.letters(a)}
            names |= _bases(*own_steps(e))
            if e.op == "tsum":
                names = (names - {e.attr[0]}) | _bases(*e.attr[1:])
            found = self._letters[e] = tuple(sorted(names))
        return found

    def indices(self, e: Expr) -> tuple[Index, ...]:
        """The component indices that no sum binds, sorted by name."""
        found = self._indices.get(e)
        if found is None:
            names = {i for a in e.args for i in self.indices(a)}
            if e.op in ("entry", "delta"):
                names |= {i for i in e.attr if isinstance(i, Index)}
            elif e.op == "isum":
                names -= {e.attr}
            found = self._indices[e] = tuple(sorted(names, key=index_order))
        return found


def _bases(*times: Time) -> set[str]:
    return {time.base for time in times} - {"", "T"}


def index_order(i: Index) -> tuple[str, str]:
    """The order of index axes."""
    return i.name, str(i.size)


def steps(claim: Claim, T: int) -> list[dict[str, int]]:
    """Every assignment of 1..T to the free time letters, as the conditions allow."""
    free = Free()
    letters = sorted({*free.letters(claim.left), *free.letters(claim.right)})
    last = {"t": T - 1} if claim.states("before-end") else {}
    first = {"t": 2} if claim.states("from-second") else {}
    return [dict(zip(letters, row, strict=True)) for row in product(*(range(first.get(x, 1), last.get(x, T) + 1) for x in letters))]


def function_names(claim: Claim) -> list[str]:
    """The elementwise functions that occur."""
    return sorted({e.attr for root in expressions(claim) for e in walk(root) if e.op == "apply"})


def depends_on_time(claim: Claim) -> bool:
    """Whether a claim speaks of any step, or of a quantity summed over the steps: whether T matters to it."""
    def timed(s: Symbol) -> bool:
        return s.time is not None or s.kind == "gradient" or (s.name == claim.model.total and claim.model.loss is not None)
    nodes = (e for side in (claim.left, claim.right) for e in walk(side))
    return any(e.op in ("tsum", "mpow", "steps") or (e.op == "sym" and timed(e.attr)) for e in nodes)
