"""Are two networks one? Equal as they stand, with other names or parameters, one a special case of the other, or different.

>>> from symrnn.expr import apply
>>> from symrnn.model import param, sequence
>>> h, x = sequence("h", "n"), sequence("x", "m", kind="input")
>>> W, U, b = param("W", "n", "n"), param("U", "n", "m"), param("b", "n")
>>> first = Model.build("first", [(h, apply("tanh", W @ h[-1] + U @ x + b))])
>>> second = Model.build("second", [(h, apply("tanh", W @ h[-1] - U @ x))])
>>> print(compare(second, first).to_text())
second is a special case of first, for all sizes and every T
  second is first with (left: of first, right: of second), the others of the same names:
    U = -U, b = 0
  by: another sign or scale of a parameter; a parameter set to zero
  proved by induction over the steps, from equal states before the first:
    h[t] = tanh(W @ h[t-1] - U @ x[t])
  first as second: not found
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from symrnn.displayed import Displayed
from symrnn.equivalence.difference import counterexample
from symrnn.equivalence.match import Found, Matcher, TooMany
from symrnn.equivalence.proof import Embedding, proved
from symrnn.equivalence.ways import changes, rewritten
from symrnn.errors import CallError, LimitError
from symrnn.expr import NOW
from symrnn.model import Model
from symrnn.needs import leaving
from symrnn.prove.refute import Counterexample

SCHEMA = "symrnn-compare-1"
SAYS = {"equal": "{a} and {b} are equal{how}", "special": "{a} is a special case of {b}", "general": "{b} is a special case of {a}",
        "different": "{a} and {b} are different", "undecided": "whether {a} and {b} are equal is undecided"}
"""The verdicts on two networks, in words."""


@dataclass(frozen=True)
class Comparison(Displayed):
    """Two networks beside each other.

    ``verdict``: ``equal``, ``special`` (``a`` is ``b`` with some parameters), ``general`` (the other way round), ``different`` or
    ``undecided``. ``forth`` is ``a`` as ``b``, ``back`` is ``b`` as ``a``, both proved; ``root`` names what is compared in each; ``point``
    is where they differ, with what was set alike; ``alike`` are pairs of variables that are equal although the whole is not.
    """

    a: Model
    b: Model
    root: tuple[str, str]
    verdict: str
    forth: Embedding | None
    back: Embedding | None
    point: Counterexample | None = None
    set_alike: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()

    @property
    def how(self) -> str:
        """What has to be changed to see that they are equal."""
        if self.verdict != "equal" or self.forth is None:
            return ""
        return " as they stand" if self.forth.same_names else " after renaming" if self.forth.renames else " after re-parametrisation"

    @property
    def sentence(self) -> str:
        """The verdict in a sentence."""
        scope = ", for all sizes and every T" if self.forth or self.back else ""
        return SAYS[self.verdict].format(a=self.a.name, b=self.b.name, how=self.how) + scope

    def to_text(self) -> str:
        """Plain text."""
        return "\n".join([self.sentence, *(f"  {line}" for line in self._lines())])

    def _lines(self) -> Iterator[str]:
        for found, inner, outer in ((self.forth, self.a, self.b), (self.back, self.b, self.a)):
            if found is not None:
                yield from shown(found)
            elif self.verdict in ("special", "general"):
                yield f"{inner.name} as {outer.name}: not found"
        if self.point is not None:
            yield "no change of parameters that symrnn knows makes them equal; as they are named, they differ:"
            yield f"  {self.point.text}; left is {self.a.name}, right {self.b.name}"
            yield "  with the same " + ", ".join(self.set_alike)
            yield "  and " + ", ".join(f"{name} = {value}" for name, value in self.point.values.items())
        if self.alike:
            yield "equal in both: " + ", ".join(self.alike)

    def to_json(self) -> dict[str, Any]:
        """A value of the schema ``symrnn-compare-1``."""
        return {"schema": SCHEMA, "a": self.a.name, "b": self.b.name, "compared": list(self.root), "verdict": self.verdict,
                "sentence": self.sentence, "a_as_b": as_json(self.forth), "b_as_a": as_json(self.back),
                "counterexample": self.point.to_json() if self.point else None,
                "set_alike": list(self.set_alike), "alike": list(self.alike)}


def shown(e: Embedding) -> Iterator[str]:
    """An embedding in lines."""
    same = [n for n, m in e.maps.items() if m.renamed and m.renamed.name == n]
    if e.same_names:
        yield "every parameter, input and state is the one of the same name"
    elif len(same) == len(e.maps):
        yield f"{e.inner.name} is {e.outer.name} with the parameters of the same names"
    else:
        rest = ", the others of the same names" if same else ""
        yield f"{e.inner.name} is {e.outer.name} with (left: of {e.outer.name}, right: of {e.inner.name}){rest}:"
        yield "  " + ", ".join(f"{n} = {m}" for n, m in sorted(e.maps.items()) if n not in same)
    others = [f"{n} = {o}{'.T' * turned}" for n, (o, turned) in e.sequences.items() if n != o or turned]
    if others:
        yield "  " + ", ".join(sorted(others))
    sizes = [f"{n} = {size}" for n, size in e.sizes.items() if n != size]
    if sizes:
        yield "  sizes: " + ", ".join(sorted(sizes))
    by = (*changes(dict(e.maps)), *e.identities)
    if by:
        yield "by: " + "; ".join(by)
    yield "proved by induction over the steps, from equal states before the first:"
    yield from (f"  {step}" for step in e.steps)
    yield from (f"  where {domain}" for domain in e.domain)


def as_json(e: Embedding | None) -> dict[str, Any] | None:
    """An embedding as plain data."""
    if e is None:
        return None
    return {"parameters": {n: str(m) for n, m in sorted(e.maps.items())},
            "sequences": {n: o + ".T" * turned for n, (o, turned) in sorted(e.sequences.items())},
            "sizes": dict(sorted(e.sizes.items())), "changes": [*changes(dict(e.maps)), *e.identities],
            "scope": {"sizes": "all", "T": "all"}, "proof": list(e.steps), "domain": list(e.domain)}


def compare(a: Model, b: Model, of: str | None = None) -> Comparison:
    """Compare two networks by their losses, or by the variables that leave them if one has no loss; ``of`` names another variable, the same
    in both or ``first=second``.

    Equality is that of what they can compute: every network of the one kind is one of the other, with the parameters that are shown.
    Networks are different if they differ at a point, with the parameters that have one name as one, where each parameter of one of the
    networks has its like in the other; else a point shows nothing that another choice of parameters might not mend.

    Raises CallError for a name that is no variable, or where it is not clear what to compare.
    """
    root = roots(a, b, of)
    forth, back = embedded(a, b, root), embedded(b, a, root[::-1])
    if forth and back:
        return Comparison(a, b, root, "equal", forth, back)
    if forth or back:
        return Comparison(a, b, root, "special" if forth else "general", forth, back)
    point, alike = counterexample(a, b, root), tuple(equal_states(a, b)) if of is None else ()
    if point is None:
        return Comparison(a, b, root, "undecided", None, None, alike=alike)
    found, shared = point
    by_name = any({p.name for p in m.parameters} <= {*shared} for m in (a, b))
    return Comparison(a, b, root, "different" if by_name else "undecided", None, None, found, shared, alike)


def roots(a: Model, b: Model, of: str | None) -> tuple[str, str]:
    """The variables that are compared."""
    if of is not None:
        first, _, second = of.partition("=")
        names = (first.strip(), second.strip() or first.strip())
    elif a.loss is not None and b.loss is not None:
        names = (a.loss, b.loss)
    else:
        found = [leaving(m) for m in (a, b)]
        if any(len(names) != 1 for names in found):
            raise CallError("what is compared", must="be one variable of each network", came="; ".join(", ".join(names) for names in found),
                            next_step="name it with --of NAME, or --of NAME=NAME where the names differ")
        names = (found[0][0], found[1][0])
    for m, name in zip((a, b), names, strict=True):
        if name not in m.definitions:
            raise CallError(f"the variable {name} of {m.name}", must=f"be one of {', '.join(m.definitions)}", came=name,
                            next_step="name another one with --of")
    return names


def embedded(inner: Model, outer: Model, root: tuple[str, str]) -> Embedding | None:
    """The inner network as the outer one, if that is found and proved: without writing variables out, then down to the states."""
    whole = root == (inner.loss, outer.loss)
    if (whole and inner.at_end != outer.at_end) or (outer.initial == "zero" and inner.initial != "zero"):
        return None
    for level in (0, 1):
        for model, identities in rewritten(outer) if level else ((outer, ()),):
            for found in proposals(Matcher(inner, model, level), root, not identities):
                embedding = proved(inner, outer, root, found, identities)
                if embedding is not None:
                    return embedding
    return None


def proposals(matcher: Matcher, root: tuple[str, str], inside: bool) -> Iterator[Found]:
    """What is found of the outer network from what is compared, and if that is a loss, from what it is made of (``inside``)."""
    inner, outer = matcher.inner, matcher.outer
    try:
        found = matcher.search(*root)
        if found is not None:
            yield found
        elif inside and root == (inner.loss, outer.loss):
            every = {p.name for p in outer.parameters}
            for mine, other in product(reversed(inner.variables), reversed(outer.variables)):
                found = matcher.search(mine.name, other.name)
                if found is not None and every <= {p.symbol.name for p in found.pieces if p.symbol}:
                    yield found.with_targets(inner, outer)
    except (TooMany, LimitError):
        return


def equal_states(a: Model, b: Model) -> Iterator[str]:
    """States of one name that are equal in both networks, in every way of setting the parameters of the one."""
    for name in (s.name for s in a.states):
        if name in b.definitions and b.symbol(name, NOW) and embedded(a, b, (name, name)) and embedded(b, a, (name, name)):
            yield name
