"""The proof that one network with parameters put in computes what another one does: by induction over the steps.

If at every step each state of the one is the state of the other that it corresponds to, given that those before are, and the loss is the
loss, then all of them are equal for every number of steps. Each of these is one claim about the inner network, decided like any other.
"""
from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from symrnn.equivalence.forms import written_out
from symrnn.equivalence.maps import Map, NoMap, put_in
from symrnn.equivalence.match import Found
from symrnn.expr import Expr, Symbol, node, resize, transpose
from symrnn.model import Model
from symrnn.prove.claim import Claim
from symrnn.prove.decide import NOT_SPOKEN, decide
from symrnn.prove.evaluate import known_symbols
from symrnn.prove.exact import compare
from symrnn.prove.verdict import EVERYWHERE


@dataclass(frozen=True)
class Embedding:
    """The inner network as the outer one with its parameters set: proved.

    ``maps`` are the parameters of the outer network, ``sequences`` its inputs, targets and states as those of the inner one (with a mark if
    transposed), ``identities`` those of functions that were used, ``steps`` what was proved, and ``domain`` where that holds.
    """

    inner: Model
    outer: Model
    root: tuple[str, str]
    maps: Mapping[str, Map]
    sequences: Mapping[str, tuple[str, bool]]
    sizes: Mapping[str, int | str]
    identities: tuple[str, ...]
    steps: tuple[str, ...]
    domain: tuple[str, ...]

    @property
    def renames(self) -> bool:
        """Whether nothing but names is changed, and no two are made one."""
        names = [m.renamed for m in self.maps.values()]
        return (not self.identities and all(s is not None for s in names) and len({s.name for s in names if s}) == len(names)
                and len(names) == len(self.inner.parameters) == len(self.outer.parameters)
                and not any(turned for _, turned in self.sequences.values()))

    @property
    def same_names(self) -> bool:
        """Whether no name of a parameter, input, target or state is changed."""
        return (self.renames and all(m.renamed and m.renamed.name == n for n, m in self.maps.items())
                and all(n == other for n, (other, _) in self.sequences.items()))


def proved(inner: Model, outer: Model, root: tuple[str, str], found: Found, identities: tuple[str, ...]) -> Embedding | None:
    """The embedding if every one of its claims is proved; None otherwise."""
    try:
        maps = found.maps()
        rows = list(claims(inner, outer, root, found, maps))
    except NoMap:
        return None
    steps: list[str] = []
    domain: dict[str, None] = {}
    for name, claim in rows:
        if compare(claim, points=1).status == "different":
            return None
        verdict = decide(claim)
        if verdict.word != "proved" or verdict.scope != EVERYWHERE or any(c.startswith(NOT_SPOKEN) for c in verdict.conditions):
            return None
        domain.update(dict.fromkeys([verdict.domain] if verdict.domain else []))
        steps.append(f"{name}[t] = {claim.left}")
    domain.update({f"the entries of {name} sum to one": None for name in sorted(simplex(inner, outer, found) - inner.simplex)})
    return Embedding(inner, outer, root, maps, dict(found.sequences), dict(found.sizes), identities, tuple(steps), tuple(domain))


def claims(inner: Model, outer: Model, root: tuple[str, str], found: Found, maps: Mapping[str, Map]) -> Iterator[tuple[str, Claim]]:
    """For each state that corresponds to one, and for the root: its equation, in the terms of the inner network, gives the other one."""
    model = replace(inner, simplex=simplex(inner, outer, found))
    pairs = [(n, *found.sequences[n]) for n in outer.definitions if n in found.sequences and n != root[1]]
    mine = frozenset(other for _, other, _ in pairs)
    for name, other, turned in (*pairs, (root[1], root[0], False)):
        left = translated(resize(written_out(outer, name, found.sequences), found.sizes), inner, found, maps)
        right = written_out(inner, other, mine)
        right = transpose(right) if turned else right
        if left.shape is None or left.shape != right.shape:
            raise NoMap(f"{name}, whose shape is another")
        yield f"{other}.T" if turned else other, Claim(left, right, model)


def simplex(inner: Model, outer: Model, found: Found) -> frozenset[str]:
    """The targets of the inner network whose entries sum to one in either of the two."""
    return inner.simplex | {found.sequences[n][0] for n in outer.simplex if n in found.sequences}


def translated(e: Expr, inner: Model, found: Found, maps: Mapping[str, Map]) -> Expr:
    """An expression of the outer network in the symbols of the inner one; what corresponds to nothing gets a prime."""
    taken = {s.name for s in known_symbols(inner).values()}

    def leaf(s: Symbol) -> Expr:
        if s.name not in found.sequences:
            return node("sym", attr=replace(s, name=primed(s.name, taken)))
        other, turned = found.sequences[s.name]
        y = node("sym", attr=replace(inner.symbol(other), time=s.time))
        return transpose(y) if turned else y
    return put_in(e, maps, leaf)


def primed(name: str, taken: Collection[str]) -> str:
    """A name with as many primes, at least one, as tell it apart from others.

    >>> primed("h", {"h", "h'"})
    "h''"
    """
    name += "'"
    while name in taken:
        name += "'"
    return name
