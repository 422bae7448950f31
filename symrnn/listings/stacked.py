"""Networks one above the other in a listing: ``y1 = lower.step(x)``, ``y = upper.step(y1)``, or one call inside the other.

Each object is a network of its own, with the states that it keeps. The same object twice is no stack: it takes two steps.
"""
from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from symrnn.bptt import Derivation, derive
from symrnn.errors import SymrnnError
from symrnn.expr import show_shape
from symrnn.layers import stack
from symrnn.model import Model
from symrnn.prove.claim import Unsupported
from symrnn.prove.lagrangian import unproved
from symrnn.prove.verdict import Verdict
from symrnn.read.listing import Lifted, Listing
from symrnn.read.tree import Node
from symrnn.unroll import unroll

STEPS = 3
"""The steps over which a composed network is unrolled."""

_MADE = re.compile(r"(?:self\.)?([A-Za-z_]\w*)\s*=\s*([A-Za-z_]\w*)\(")


@dataclass(frozen=True)
class Network:
    """A class of a listing whose method computes one step of a model of the text; ``output``: the variable that it returns."""

    kind: str
    method: str
    model: Model
    output: str
    uses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chain:
    """Calls one after the other: the objects from the bottom up, their methods, and the statement that ends them."""

    objects: tuple[str, ...]
    methods: tuple[str, ...]
    last: Lifted


def chains(equations: Iterable[Lifted]) -> Iterator[Chain]:
    """The stacks that some statements make: each object takes what the one before gave, and no object occurs twice.

    >>> from symrnn.read.document import Block
    >>> from symrnn.read.listing import lift
    >>> code = "u = a.step(x)\\nv = b.step(u)\\nw = c.step(c.step(x))\\n"
    >>> [c.objects for c in chains(lift(Block("python", code, 1, 0)).equations)]
    [('a', 'b')]
    """
    open_chains: list[Chain] = []
    for e in equations:
        calls, argument = called(e.value)
        if not calls:
            continue
        below = next((c for c in open_chains if argument == c.last.target), None)
        objects, methods = tuple(name for name, _ in calls), tuple(method for _, method in calls)
        if below is not None:
            open_chains.remove(below)
            objects, methods = below.objects + objects, below.methods + methods
        open_chains.append(Chain(objects, methods, e))
    yield from (c for c in open_chains if len(c.objects) > 1 and len(set(c.objects)) == len(c.objects))


def called(n: Node) -> tuple[list[tuple[str, str]], Node]:
    """The calls ``object.method(...)`` inside one another, innermost first, and the argument of the innermost."""
    if n.op != "Call" or len(n.nodes) != 2 or "." not in n.nodes[0].head:
        return [], n
    inner, argument = called(n.nodes[1])
    name, _, method = n.nodes[0].head.rpartition(".")
    return [*inner, (name, method)], argument


def makers(listings: Iterable[Listing]) -> dict[str, str]:
    """Which class an object of some listings is made of: ``lower = Unit(...)``."""
    return {m[1]: m[2] for listing in listings for s in listing.skipped if (m := _MADE.match(s.text))}


def networks_of(chain: Chain, networks: Sequence[Network], made: Mapping[str, str]) -> list[Network] | None:
    """The network that each object of a chain is; None where that is not known of all of them."""
    found: list[Network] = []
    for name, method in zip(chain.objects, chain.methods, strict=True):
        fit = [n for n in networks if n.method == method and made.get(name, n.kind) == n.kind]
        if len(fit) != 1:
            return None
        found.append(fit[0])
    return found


def composed(chain: Chain, layers: Sequence[Network]) -> tuple[Model | None, Verdict]:
    """The model of a stack, and what is to be said of it; where it cannot be made, why."""
    outputs = [n.output for n in layers[:-1]]
    try:
        model = stack(*(n.model for n in layers), outputs=outputs, name=" + ".join(chain.objects))
        words = [f"a stack of {len(layers)} layers, {', '.join(chain.objects)} from the bottom up, each the network of the equations",
                 *(f"what {a} puts out as {out} is the input of {b}"
                   for a, b, out in zip(chain.objects, chain.objects[1:], outputs, strict=False)),
                 "the sizes fit: " + ", ".join(f"{s.name} is {show_shape(s.shape)}" for s in (*model.inputs, *model.states)),
                 f"{len(model.equations)} equations a step, {len(list(unroll(model, STEPS)))} over {STEPS} steps"]
        if model.loss is None:
            return model, Verdict(None, reason="; ".join([*words, "without a loss it has no gradients"]))
        derivation = derive(model)
        how = "derived" if _unproved(derivation) else "derived and proved for all sizes and every T"
        words.append(f"the gradients of its {len(derivation.gradients)} parameters are {how}")
        return model, Verdict(None, reason="; ".join(words))
    except SymrnnError as error:
        reason = f"the layers do not make one network: {error.subject} must {error.must}, came {error.came}"
        return None, Verdict("undecided", "SR303", reason)


def _unproved(derivation: Derivation) -> bool:
    try:
        return bool(unproved(derivation))
    except Unsupported:
        return True
