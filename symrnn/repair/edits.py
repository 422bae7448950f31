"""The table of edits, and every expression that is one edit away from a given one."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from symrnn.expr import Expr, rebuild
from symrnn.repair import rules
from symrnn.repair.palette import Palette
from symrnn.repair.rules import Rule, Site, Words


@dataclass(frozen=True)
class Kind:
    """A row: the name, the code of the finding, the cost, the rule, and whether it works inside a derivative too."""

    name: str
    code: str
    cost: float
    rule: Rule
    in_derivatives: bool = False


KINDS: tuple[Kind, ...] = (             # the cheapest first
    Kind("transpose", "SR201", 1.0, rules.transposes),
    Kind("order", "SR202", 1.0, rules.orders),
    Kind("bracket", "SR202", 1.0, rules.brackets),
    Kind("sign", "SR203", 1.0, rules.signs),
    Kind("scope", "SR208", 1.0, rules.scopes),
    Kind("whole range", "SR208", 1.05, rules.whole_ranges),
    Kind("time", "SR204", 1.1, rules.times, True),
    Kind("symbol", "SR205", 1.2, rules.other_symbols),
    Kind("index", "SR205", 1.2, rules.other_indices, True),
    Kind("range", "SR208", 1.2, rules.ranges),
    Kind("drop number", "SR207", 1.2, rules.dropped_numbers),
    Kind("insert number", "SR206", 1.3, rules.inserted_numbers),
    Kind("components", "SR208", 1.3, rules.components),
    Kind("entries", "SR101", 1.3, rules.ones_for_numbers),
    Kind("product", "SR210", 1.3, rules.product_kinds),
    Kind("diag", "SR210", 1.3, rules.diags),
    Kind("drop factor", "SR207", 1.4, rules.dropped_factors),
    Kind("power", "SR210", 1.4, rules.powers),
    Kind("function", "SR210", 1.4, rules.functions),
    Kind("insert factor", "SR206", 1.4, rules.inserted_factors),
    Kind("derivative", "SR205", 1.5, rules.other_derivatives, True),
    Kind("drop term", "SR207", 1.5, rules.dropped_terms),
    Kind("apply", "SR210", 1.6, rules.applications),
    Kind("insert term", "SR206", 1.7, rules.inserted_terms),
)
"""All kinds of edit."""

KIND = {row.name: row for row in KINDS}


@dataclass(frozen=True)
class Edit:
    """One edit: the name of its kind, the code of the finding, its words and its cost."""

    name: str
    code: str
    cost: float
    parts: Words

    @property
    def words(self) -> str:
        """The edit in words: ``transpose x[t]``."""
        return str(self.parts[0]).format(*self.parts[1:])

    def __str__(self) -> str:
        return self.words


def single_edits(e: Expr, palette: Palette, kinds: tuple[Kind, ...] = KINDS) -> Iterator[tuple[Expr, Edit]]:
    """Every expression one edit away, kind by kind; several edits may lead to the same one.

    Of an expression without a shape, only places that bear on the fault are edited.

    >>> from symrnn.expr import symbol, lift
    >>> from symrnn.model import Model
    >>> from symrnn.prove.claim import Claim
    >>> W, h = symbol("W", ("n", "n"), "parameter"), symbol("h", ("n", 1))
    >>> palette = Palette(Claim(h, W @ h, Model("none", ())), h)
    >>> [(str(new), str(edit)) for new, edit in single_edits(W @ h, palette, (KIND["transpose"],))]
    [('(W @ h).T', 'transpose W @ h'), ('W.T @ h', 'transpose W'), ('W @ h.T', 'transpose h')]
    """
    places = list(sites(e, palette))
    for kind in kinds:
        yield from edits_of_kind(places, kind)


Around = tuple[tuple[Expr, int], ...]
"""The operations around a place, the innermost last, each with the number of the argument that leads there."""


def sites(e: Expr, palette: Palette) -> Iterator[tuple[Around, Site]]:
    """Every place with its surroundings; if ``e`` has no shape, what lies beside the faults is left out."""
    stack: list[tuple[Around, Expr, str, bool]] = [((), e, "", False)]
    found: list[tuple[Around, Expr, str, bool]] = []
    while stack:
        found.append(place := stack.pop())
        around, x, _, inside = place
        inside = inside or x.op == "deriv"
        faulty = any(a.fault is not None for a in x.args)
        stack.extend(((*around, (x, k)), x.args[k], x.op, inside) for k in reversed(range(len(x.args)))
                     if not faulty or x.args[k].fault is not None)
    often = Counter(x for _, x, _, _ in found if x.op not in ("num", "ones"))
    for around, x, parent, inside in found:
        yield around, Site(x, parent, inside, palette, often[x] > 1)


def edits_of_kind(places: list[tuple[Around, Site]], kind: Kind, fitting: bool = False) -> Iterator[tuple[Expr, Edit]]:
    """The edits of one kind at every place of an expression.

    ``fitting`` says that only expressions with a shape are of use: of the others, a part without a shape is given.
    """
    for around, site in places:
        if kind.in_derivatives or not site.inside:
            for new, parts in kind.rule(site):
                if new is not site.node:
                    edit = Edit(kind.name, kind.code, kind.cost, parts)
                    yield rebuilt(around, new, fitting), edit
                    if site.repeated:
                        yield everywhere(around[0][0], site.node, new, kind.in_derivatives), edit


def everywhere(e: Expr, old: Expr, new: Expr, in_derivatives: bool = False) -> Expr:
    """The expression with a part exchanged at each of its occurrences: a slip that the author has printed more than once is one slip."""
    if e is old:
        return new
    if not e.args or e.op == "deriv" and not in_derivatives:
        return e
    return rebuild(e, tuple(everywhere(a, old, new, in_derivatives) for a in e.args))


def rebuilt(around: Around, new: Expr, fitting: bool) -> Expr:
    """The whole with another part at a place; with ``fitting``, the first part around the place that has no shape."""
    for above, k in reversed(around):
        if fitting and new.fault is not None:
            return new
        new = rebuild(above, above.args[:k] + (new,) + above.args[k + 1:])
    return new
