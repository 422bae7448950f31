"""The rules of the edits: each makes the single changes of one kind at one place of an expression, with words for them."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from symrnn.expr import (
    SCALAR,
    Expr,
    Symbol,
    add,
    apply,
    diag,
    entry,
    filled,
    had,
    index_sum,
    is_one,
    lift,
    matmul,
    matrix_power,
    negative,
    node,
    numeric,
    power,
    scale,
    smul,
    softmax,
    time_sum,
    total,
    transpose,
)
from symrnn.expr.vectorise import along
from symrnn.model import FIRST, LAST
from symrnn.repair.palette import Palette
from symrnn.repair.places import chain, into_sum, product

Words = tuple[object, ...]
"""A sentence with gaps and what stands in them; it is put together only for the edits that are shown."""
Change = tuple[Expr, Words]
"""A replacement and the edit in words."""

LINEAR_ABOVE = {"smul", "matmul", "had", "transpose", "sum", "isum", "tsum", "diag"}
"""A sign or number below one of these is the same as one above it."""


@dataclass(frozen=True)
class Site:
    """One occurrence of a part: the part, the operation above it, whether it is inside a derivative, and what may be put in.

    ``repeated``: the part occurs more than once.
    """

    node: Expr
    parent: str
    inside: bool
    palette: Palette
    repeated: bool = False

    @property
    def inner_factor(self) -> bool:
        """Whether this is a matrix product inside a longer one."""
        return self.node.op == "matmul" and self.parent == "matmul"

    @property
    def top_of_term(self) -> bool:
        """Whether nothing linear stands above."""
        return self.parent not in LINEAR_ABOVE


Rule = Callable[[Site], Iterator[Change]]


def transposes(site: Site) -> Iterator[Change]:
    """A factor or term transposed, or a transpose taken away."""
    e = site.node
    if e.op == "transpose":
        yield e.args[0], ("take the transpose off {}", e.args[0])
    elif (e.shape not in (None, SCALAR) and not site.inner_factor and e.op not in ("diag", "eye", "ones", "zeros")
          and site.parent in ("", "matmul", "had", "smul", "add", "tsum", "sum")):
        yield transpose(e), ("transpose {}", e)


def orders(site: Site) -> Iterator[Change]:
    """One factor of a matrix product moved to another place in it."""
    factors = chain(site.node)
    if len(factors) < 2 or site.parent == "matmul":
        return
    for i, x in enumerate(factors):
        rest = factors[:i] + factors[i + 1:]
        for j in range(len(factors)):
            if j == i or j == i - 1:                        # moving back by one is the neighbour moving forward by one
                continue
            moved = rest[:j] + [x] + rest[j:]
            yield product(moved), ("move {} behind {}", x, moved[j - 1]) if j else ("move {} to the front", x)


def brackets(site: Site) -> Iterator[Change]:
    """An entrywise factor of a matrix product moved to the factor that it belongs to, or the other way round."""
    e = site.node
    if e.op == "had":
        for x, other in (e.args, e.args[::-1]):
            factors = chain(other)
            for k, f in enumerate(factors if len(factors) > 1 else ()):
                if f.shape == x.shape:
                    yield product([*factors[:k], had(x, f), *factors[k + 1:]]), ("multiply {} by {} before the matrix product", f, x)
    factors = chain(e)
    if len(factors) > 1 and site.parent != "matmul":
        for k, f in enumerate(factors):
            for x, other in (f.args, f.args[::-1]) if f.op == "had" else ():
                if x.shape == e.shape:
                    yield had(product([*factors[:k], other, *factors[k + 1:]]), x), ("multiply by {} after the matrix product", x)


def signs(site: Site) -> Iterator[Change]:
    """The sign of a term."""
    e = site.node
    if site.top_of_term and e.op not in ("ones", "deriv") and (e.op != "num" or site.parent == "add"):
        yield opposite(e), ("change the sign of {}", numeric(e)[1])


def opposite(e: Expr) -> Expr:
    """The negative, a sum with a positive term in front where it has one: p - y for -(y - p)."""
    new = negative(e)
    if new.op != "add":
        return new
    first = next((k for k, a in enumerate(new.args) if numeric(a)[0] > 0), 0)
    return add(new.args[first], *new.args[:first], *new.args[first + 1:])


def times(site: Site) -> Iterator[Change]:
    """A symbol one step earlier or later, a power that counts one step less or more."""
    s = site.node.attr
    if site.node.op == "mpow":
        last, first = s
        for k in (-1, 1):
            raised = matrix_power(site.node.args[0], last + k, first)
            yield raised, ("write {} for {}", raised, site.node)
    elif site.node.op == "sym" and s.time is not None:
        for k in (-1, 1):
            new = node("sym", attr=Symbol(s.name, s.shape, s.kind, s.time + k))
            yield new, ("write {} for {}", new, site.node)


def other_symbols(site: Site) -> Iterator[Change]:
    """Another symbol of like kind."""
    if not is_derivative(site):
        yield from exchanged(site)


def other_derivatives(site: Site) -> Iterator[Change]:
    """The derivative of or by another symbol of like kind."""
    if is_derivative(site):
        yield from exchanged(site)


def is_derivative(site: Site) -> bool:
    """Whether a symbol is an adjoint or stands in a derivative."""
    return site.inside or (site.node.op == "sym" and site.node.attr.kind in ("adjoint", "gradient"))


def exchanged(site: Site) -> Iterator[Change]:
    """A symbol exchanged for each other one of its kind."""
    if site.node.op == "sym":
        for s in site.palette.like(site.node.attr):
            new = node("sym", attr=s)
            yield new, ("write {} for {}", new, site.node)


def other_indices(site: Site) -> Iterator[Change]:
    """Another component index of the same size, or none."""
    e = site.node
    if e.op != "entry":
        return
    yield e.args[0], ("write {} for {}", e.args[0], e)
    for axis, i in enumerate(e.attr):
        for new in site.palette.indices:
            if i is not None and new != i and getattr(i, "size", new.size) == new.size:
                row, column = (new if k == axis else old for k, old in enumerate(e.attr))
                changed = entry(e.args[0], row, column)
                yield changed, ("write {} for {}", changed, e)


def product_kinds(site: Site) -> Iterator[Change]:
    """A matrix product for an entrywise one, or the reverse."""
    e = site.node
    if e.op == "had":
        a, b = e.args
        yield matmul(a, b), ("multiply {} and {} as matrices", a, b)
        yield a @ transpose(b), ("write {} times the transpose of {} for the entrywise product", a, b)
    factors = chain(e)
    if len(factors) < 2 or site.parent == "matmul":
        return
    for k in range(1, len(factors)):
        a, b = product(factors[:k]), product(factors[k:])
        yield had(a, b), ("multiply {} and {} entrywise", a, b)
        if len(factors) > 2:
            x, y = factors[k - 1], factors[k]
            yield product([*factors[:k - 1], had(x, y), *factors[k + 1:]]), ("multiply {} and {} entrywise", x, y)


def diags(site: Site) -> Iterator[Change]:
    """diag put around a vector, or taken away."""
    e = site.node
    if e.op == "diag":
        yield e.args[0], ("take diag off {}", e.args[0])
    elif e.shape is not None and e.shape[1] == 1 and e.shape != SCALAR and site.parent in ("matmul", "had", "transpose"):
        yield diag(e), ("put diag around {}", e)


def dropped_factors(site: Site) -> Iterator[Change]:
    """A factor taken out of a product."""
    e = site.node
    factors = chain(e)
    if len(factors) > 1 and site.parent != "matmul":
        for k, x in enumerate(factors):
            yield product(factors[:k] + factors[k + 1:]), ("take out the factor {}", x)
    elif e.op in ("had", "smul") and e.args[0].op != "num":
        for k in (0, 1):
            yield e.args[1 - k], ("take out the factor {}", e.args[k])
        inner = [a for k in (0, 1) if e.args[k].op == e.op for a in e.args[k].args]
        if inner and site.parent != e.op:                            # one of several factors alone
            for x in inner:
                yield x, ("keep of the factors {} alone", x)


def inserted_factors(site: Site) -> Iterator[Change]:
    """A factor of the derived formula put in where it fits."""
    e = site.node
    if e.shape is None or e.op in ("num", "ones") or site.inner_factor or site.parent == "diag" or is_one(e):
        return
    for f in site.palette.factors:
        for new in joined(f, e, site.palette.uses_diag):
            if new.fault is None:
                yield new, ("put in the factor {}", f)


def joined(f: Expr, e: Expr, with_diag: bool) -> Iterator[Expr]:
    """The ways to multiply ``e`` by ``f``."""
    (a, b), (r, c) = f.shape or SCALAR, e.shape or SCALAR
    if f.shape == SCALAR:
        yield smul(f, e)
        return
    if b == 1 and a == r:
        if with_diag or c != 1:
            yield product([diag(f), *chain(e)])
        if with_diag and a == c:
            yield product([*chain(e), diag(f)])
    if f.shape == e.shape and not (with_diag and b == 1):
        yield had(f, e)
    if e.shape == SCALAR:
        yield smul(e, f)
        return
    for g in (f, transpose(f)):
        if g.shape is not None and g.shape[1] == r:
            yield product([g, *chain(e)])
        if g.shape is not None and g.shape[0] == c:
            yield product([*chain(e), g])


def dropped_terms(site: Site) -> Iterator[Change]:
    """A term taken out of a sum."""
    e = site.node
    if e.op == "add":
        for k, x in enumerate(e.args):
            yield add(*e.args[:k], *e.args[k + 1:]), ("take out the term {}", x)


def inserted_terms(site: Site) -> Iterator[Change]:
    """A term of the derived formula put in; never one that cancels a term of the author's."""
    e = site.node
    if site.parent == "add" or e.shape is None or e.op in ("num", "ones"):
        return
    mine = e.args if e.op == "add" else (e,)
    for x in site.palette.terms:
        if x.shape == e.shape and negative(x) not in mine and x not in mine:
            yield add(e, x), ("put in the term {}", x)


def powers(site: Site) -> Iterator[Change]:
    """A power one higher or lower, or a square put in."""
    e = site.node
    if e.op == "pow":
        for n in (e.attr - 1, e.attr + 1):
            if n >= 1:
                new = power(e.args[0], n)
                yield new, ("write {} for {}", new, e)
    elif e.op in ("sym", "apply", "entry", "isum", "softmax") and site.parent in ("add", "smul", "had", "apply", "diag", "isum"):
        yield power(e, 2), ("square {}", e)


def functions(site: Site) -> Iterator[Change]:
    """Another function."""
    e = site.node
    if e.op in ("apply", "softmax"):
        mine = e.attr if e.op == "apply" else e.op
        for name in site.palette.functions:
            if name != mine:
                yield call(name, e.args[0]), ("write {} for {}", name, mine)


def applications(site: Site) -> Iterator[Change]:
    """A function applied, or taken away."""
    e = site.node
    if e.op in ("apply", "softmax"):
        yield e.args[0], ("take {} off {}", e.attr if e.op == 'apply' else e.op, e.args[0])
    elif e.shape is not None and e.op not in ("num", "ones", "smul") and not site.inner_factor and site.parent != "transpose":
        for name in site.palette.functions:
            yield call(name, e), ("apply {} to {}", name, e)


def call(name: str, e: Expr) -> Expr:
    """A function by its name, softmax among them."""
    return softmax(e) if name == "softmax" else apply(name, e)


def dropped_numbers(site: Site) -> Iterator[Change]:
    """A number taken out of a product, or replaced by 1."""
    e = site.node
    if e.op == "smul" and e.args[0].op == "num" and abs(e.args[0].attr) != 1:
        c = e.args[0].attr
        yield scale(-1 if c < 0 else 1, e.args[1]), ("take out the number {}", abs(c))
    elif e.op == "num" and e.attr not in (0, 1, -1) and site.parent != "smul":
        yield lift(1), ("write 1 for {}", e)


def inserted_numbers(site: Site) -> Iterator[Change]:
    """A factor 2 or 1/2 put in."""
    e = site.node
    if site.top_of_term and e.op not in ("num", "ones"):
        for c in (Fraction(2), Fraction(1, 2)):
            yield scale(c, e), ("put in the number {}", c)


def whole_ranges(site: Site) -> Iterator[Change]:
    """A sum over time brought to 1..T at one end or both."""
    e = site.node
    if e.op == "tsum":
        letter, first, last = e.attr
        yield time_sum(letter, FIRST, last, e.args[0]), ("let the sum over {} start at 1", letter)
        yield time_sum(letter, first, LAST, e.args[0]), ("let the sum over {} end at T", letter)
        yield time_sum(letter, FIRST, LAST, e.args[0]), ("let the sum over {} run from 1 to T", letter)


def ranges(site: Site) -> Iterator[Change]:
    """A sum over time that starts or ends one step earlier or later."""
    e = site.node
    if e.op == "tsum":
        letter, first, last = e.attr
        for k in (-1, 1):
            yield time_sum(letter, first + k, last, e.args[0]), ("let the sum over {} start at {}", letter, first + k)
            yield time_sum(letter, first, last + k, e.args[0]), ("let the sum over {} end at {}", letter, last + k)


def scopes(site: Site) -> Iterator[Change]:
    """A term outside a sum over time or components taken into it, or a whole sum over time put around or taken away."""
    e = site.node
    if e.op == "add":
        for k, x in enumerate(e.args):
            others = [m for m in range(len(e.args)) if m != k]
            for moved in dict.fromkeys([tuple(m for m in others if m > k), *((m,) for m in others)]):
                inner = into_sum(x, add(*(e.args[m] for m in moved))) if moved else None
                if inner is not None:
                    rest = [inner if m == k else e.args[m] for m in range(len(e.args)) if m not in moved]
                    yield add(*rest), ("take {} into the sum", add(*(e.args[m] for m in moved)))
    elif e.op == "tsum":
        yield e.args[0], ("take off the sum over {}", e.attr[0])
    if site.parent in ("", "add", "smul"):
        for letter in site.palette.free.letters(e):
            if letter not in site.palette.letters:
                yield time_sum(letter, FIRST, LAST, e), ("sum over {} = 1..T", letter)


def components(site: Site) -> Iterator[Change]:
    """A sum over components taken away, or put around."""
    e = site.node
    if e.op == "sum":
        yield e.args[0], ("take off the sum over the components of {}", e.args[0])
    elif e.op == "isum":
        vector = along(e.args[0], e.attr)
        yield e.args[0] if vector is None else vector, ("take off the sum over {}", e.attr)
    elif site.parent in ("", "add", "smul", "tsum", "apply"):
        if e.shape not in (None, SCALAR):
            yield total(e), ("sum over the components of {}", e)
        else:
            for i in site.palette.free.indices(e):
                if i not in site.palette.indices:
                    yield index_sum(i, e), ("sum over {}", i)


def ones_for_numbers(site: Site) -> Iterator[Change]:
    """A number added to a vector means that number in every entry."""
    e = site.node
    if e.op == "add" and e.fault is not None:
        shape = next((a.shape for a in e.args if a.shape not in (None, SCALAR)), None)
        if shape is not None and any(a.op == "num" for a in e.args):
            yield add(*(filled(a.attr, shape) if a.op == "num" else a for a in e.args)), ("write the number in every entry",)
