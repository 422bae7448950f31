"""Where two networks differ, if they do with the parameters that have one name as one: a certified counterexample."""
from __future__ import annotations

from collections.abc import Mapping

from symrnn.equivalence.proof import primed
from symrnn.expr import FIRST, LAST, SCALAR, Expr, Shape, Size, Symbol, fix_time, node, resize, time_sum, transform
from symrnn.model import Equation, Model
from symrnn.prove.claim import Claim, Condition
from symrnn.prove.evaluate import known_symbols
from symrnn.prove.refute import Counterexample, search

GIVEN = ("parameter", "constant", "input", "target")


def counterexample(a: Model, b: Model, root: tuple[str, str]) -> tuple[Counterexample, tuple[str, ...]] | None:
    """The smallest point found at which the two networks give two values, and the names they were given alike; None if none was found.

    What has the same name and shape in both is one; of what has not, the parameters of the second network are zero if the two then differ,
    and any numbers if not. The states before the first step are zero in both. Variables of the second network have a prime.
    """
    sizes = common_sizes(a, b)
    second = tuple(e.resized(sizes) for e in b.equations)
    mine = known_symbols(a)
    shared = {s.name for e in second for s in known_symbols(Model("", (e,))).values()
              if s.kind in GIVEN and s.name in mine and mine[s.name].shape == s.shape and mine[s.name].kind in GIVEN
              and (mine[s.name].time is None) == (s.time is None)}
    taken = {*mine, *shared}

    def change(x: Expr) -> Expr | None:
        if x.op != "sym" or x.attr.name in shared:
            return None
        return node("sym", attr=Symbol(primed(x.attr.name, taken), x.attr.shape, x.attr.kind, x.attr.time))
    rows = tuple(Equation(transform(node("sym", attr=e.left), change).attr, transform(e.right, change)) for e in second)
    backward = a.backward | {primed(name, taken) for name in b.backward}
    both = Model("both", (*a.equations, *rows), total="", simplex=a.simplex | (b.simplex & shared), backward=backward)
    left, right = a[root[0]], transform(resize(b[root[1]], sizes), change)
    if left.shape != right.shape:
        return None
    if left.shape == SCALAR and a.loss == root[0]:
        left, right = (fix_time(e, "t", LAST) if m.at_end else time_sum("t", FIRST, LAST, e) for e, m in ((left, a), (right, b)))
    start = tuple(Condition("past-zero", (s.name,), f"{s.name}_0 = 0") for s in both.states)
    extra = [s.name for s in both.parameters if s.name not in mine]
    for more in ([Condition("zero", (name,), f"{name} = 0") for name in extra], []):
        found = search(Claim(left, right, both, conditions=(*start, *more))).found
        if found is not None:
            return found, (*sorted(shared), *(str(c) for c in more))
    return None


def common_sizes(a: Model, b: Model) -> Mapping[str, Size]:
    """The sizes of the second network as those of the first, by the inputs, targets and states that have one name."""
    out: dict[str, Size] = {}
    first = known_symbols(a)
    for s in known_symbols(b).values():
        if s.time is not None and s.name in first:
            fitted(s.shape, first[s.name].shape, out)
    return out


def fitted(mine: Shape, other: Shape, sizes: dict[str, Size]) -> None:
    for m, o in zip(mine, other, strict=True):
        if isinstance(m, str) and m.isidentifier():
            sizes.setdefault(m, o)
