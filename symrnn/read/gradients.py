r"""Which letters of a text make gradients of the names after them, and which names are arguments of activations.

A letter is such a prefix when the text says so, in an equation (``\delta_{h_t} = \partial L/\partial h_t``) or in a sentence (the
gradients ``dz_t``); where nothing says so it is a guess, and nothing is refuted that rests on a guess.
"""
from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symrnn.read.facts import Fact, fact, facts, plain, sentences
from symrnn.read.names import join_name, split_name
from symrnn.read.reader import read
from symrnn.read.symbols import SymbolTable
from symrnn.read.tree import Node, walk

PREFIXES = {"delta": r"\\delta(?![A-Za-z])|\bdelta_", "d": r"(?<![A-Za-z\\])d(?!o\b)(?=[A-Z](?![a-z])|[a-z](?![a-z])|\\[a-zA-Z]|\s*_)"}
"""The letters that texts use, each with how a sentence mentions it."""

SPEAKS = re.compile(r"\b(?:gradients?|derivatives?|deltas?|sensitivit(?:y|ies)|backprop\w*)\b", re.I)
ARGUMENT = re.compile(r"\b(?:arguments?|pre-?activations?|net\s+inputs?)\b", re.I)
ALONE = re.compile(r"\b(?:letter|prefix|symbol|sign)\b\W{0,6}d\b|(?<![A-Za-z\\])d\W{0,4}\s+(?:in\s+front\s+of|before)\b")
"""How a sentence mentions the letter d with nothing after it."""
SCRIPTED = re.compile(r"(?<![A-Za-z\\_^{])([a-z])\s*[_^]")
"""A small letter with a script."""
OTHER_DELTAS = re.compile(r"\b(?:kronecker|dirac)(?:'s)?[\s-]+deltas?\b|\bdelta[\s-]+(?:functions?|rules?)\b", re.I)
NESTED = re.compile(r"(?:\\delta|(?<![A-Za-z\\])d)\s*_\s*\{\s*([a-z])\s*_")
"""A gradient by a symbol that carries the name of another one: delta_{z_{ft}}."""

OWN_NAME = "pre({})"
"""The name of the argument of an activation that the text itself gives no name."""


@dataclass
class NamedGradients:
    """The prefixes, the names for arguments of activations, and what of both is guessed."""

    table: SymbolTable
    arguments: Mapping[str, str]
    guessed: bool
    at: str

    def enter(self, data: dict[str, Any]) -> None:
        """Into the declarations of a text."""
        symbols = data["symbols"]
        for name in [p for p in self.table.prefixes if p in symbols and p not in self.table]:
            del symbols[name]                                         # it is a size too, which shapes name
        for name, of in self.arguments.items():
            if of in symbols:
                symbols[name] = symbols[of]
        data["gradients"] = sorted(self.table.prefixes)
        data["arguments"] = {name: of for name, of in self.arguments.items() if of in symbols}
        data["gradients_at"], data["gradients_guessed"] = self.at, self.guessed
        if not {"total", "loss"} & set(data):
            data["total"] = next(name for name in ("L", "J", "E", "loss") if name not in symbols)


def named_gradients(formulas: Sequence[str], trees: Sequence[Node], data: Mapping[str, Any], prose: str,
                    table: SymbolTable) -> NamedGradients | None:
    """The named gradients of a text; None when it has none."""
    if not any(re.search(r"\\delta|(?<![A-Za-z\\])d", f) for f in formulas):
        return None
    values = activations(trees)
    aliases = {join_name(letter, name): name for f in formulas for letter in NESTED.findall(f) for name in values}
    known = {name: words for name, words in data["symbols"].items() if split_name(name)[0] not in PREFIXES}
    given = {left.head for left, _ in equations(trees) if left.op == "Sym"}
    aliases = {alias: name for alias, name in aliases.items() if alias not in given and name in known}
    aliases |= {alias: name for alias, name in labelled_arguments(values, prose).items() if alias not in given
                and known.get(name) == known.get(alias, known.get(name)) is not None}
    known |= {alias: known[name] for alias, name in aliases.items()}
    trial = replace(table, entries={k: d for k, d in table.entries.items() if split_name(k)[0] not in PREFIXES})
    trial = replace(trial.rebound(known), prefixes=frozenset(PREFIXES))
    again = [r.tree for f in formulas if (r := read(f, trial, second=False)).tree is not None]
    alone = {n.head for tree in again for n in quantities(tree) if n.op == "Sym" and n.head in PREFIXES and n.head in data["symbols"]}
    alone |= {name for name in PREFIXES if name in table}
    if alone:                                # a letter that is a symbol of its own is no prefix of what stands beside it
        trial = trial.rebound({name: data["symbols"].get(name, "vector") for name in alone})
        again = [r.tree for f in formulas if (r := read(f, trial, second=False)).tree is not None]
    found = [n for tree in again for n in walk(tree) if n.op == "Gradient"]
    found = [n for n in found if not contradicted(n.head, again)]
    if not found:
        return None
    heads = {n.head for n in found}
    said = {p for p in heads if stated(p, again, prose)}
    guessed = not (said and all(p in said or _by_parameters(p, found, trial) for p in heads))
    by = frozenset(n.nodes[0].head for n in found)
    used = {alias: name for alias, name in aliases.items() if alias in by}
    guessed = guessed or bool(used) and not ARGUMENT.search(plain(prose))
    at = _at(by & values, again, prose, trial)
    own = {OWN_NAME.format(name): name for name in sorted(by & values)} if at != "value" else {}
    return NamedGradients(replace(trial, prefixes=frozenset(heads)), {**used, **own}, guessed, at)


def activations(trees: Iterable[Node]) -> frozenset[str]:
    """The variables that an equation gives as a function of one argument."""
    chains = [n for tree in trees for n in walk(tree) if n.op == "Chain" and n.nodes[0].op == "Sym" and n.nodes[1].head == "="]
    return frozenset(n.nodes[0].head for n in chains if n.nodes[1].nodes[0].op == "Call" and len(n.nodes[1].nodes[0].nodes) == 2)


def labelled_arguments(values: Iterable[str], prose: str) -> dict[str, str]:
    """The names that a letter makes of variables, such as z^f, where a sentence says that the letter stands for arguments.

    >>> labelled_arguments(["f"], "We write $z^k_t$ for the argument of gate $k$.")
    {'z_f': 'f', 'z^f': 'f', 'z^(f)': 'f'}
    """
    letters = {letter for s in spoken(prose) if ARGUMENT.search(plain(s)) for letter in SCRIPTED.findall(s)}
    return {name: of for letter in sorted(letters) for of in values if letter != of
            for name in (join_name(letter, of), join_name(letter, sup=of), join_name(letter, sup=f"({of})"))}


def spoken(prose: str) -> list[str]:
    """The sentences of a text, whether or not its lines are wrapped."""
    return re.split(r"(?<=[.;])\s+|\n\s*\n", prose)


def quantities(n: Node) -> Iterable[Node]:
    """The nodes of a tree without those of the exponents of spaces, which are sizes."""
    spaces = {id(m.nodes[1]) for m in walk(n) if m.op == "Pow" and m.nodes[0].op == "Space"}
    inside = {id(k) for m in walk(n) if id(m) in spaces for k in walk(m)}
    return (m for m in walk(n) if id(m) not in inside)


def equations(trees: Iterable[Node]) -> Iterable[tuple[Node, Node]]:
    """The left side of each chain with each side that it is set equal to."""
    for tree in trees:
        for n in walk(tree):
            if n.op == "Chain":
                yield from ((n.nodes[0], rel.nodes[0]) for rel in n.nodes[1:] if rel.head in ("=", ":=", "->"))


def _derivative_by(n: Node) -> Node | None:
    """What a derivative or gradient of a plain letter is taken by."""
    if n.op == "Deriv" and len(n.nodes) == 2 and n.nodes[0].op == "Sym":
        return n.nodes[1]
    return n.nodes[0] if n.op == "Grad" and n.nodes[1].op == "Sym" else None


def contradicted(prefix: str, trees: Sequence[Node]) -> bool:
    """Whether an equation takes a gradient with this prefix by something else than the name after it."""
    return any(left.op == "Gradient" and left.head == prefix and (by := _derivative_by(right)) is not None
               and by.op == "Sym" and by.head != left.nodes[0].head for left, right in equations(trees))


def stated(prefix: str, trees: Sequence[Node], prose: str) -> bool:
    """Whether an equation or a sentence says that a prefix makes gradients."""
    for left, right in equations(trees):
        for a, b in ((left, right), (right, left)):
            if (a.op == "Gradient" or a.op == "Sym") and a.head == prefix and _derivative_by(b) is not None:
                return True
    if prefix == "d" and any(SPEAKS.search(plain(s)) and ALONE.search(s) for s in spoken(prose)):
        return True
    lines = [OTHER_DELTAS.sub("", s) for s in re.split(r"(?<=[.;])\s+|\n", prose)]
    return any(SPEAKS.search(plain(s)) and (re.search(PREFIXES[prefix], s) or prefix == "delta" and re.search("deltas?", plain(s), re.I))
               for s in lines)


def _by_parameters(prefix: str, found: Sequence[Node], table: SymbolTable) -> bool:
    """Whether a prefix stands before parameters only: what has a d below which a parameter stands can be nothing else."""
    kinds = [table.get(n.nodes[0].head) for n in found if n.head == prefix]
    return all(d is not None and not d.sequence for d in kinds)


def _at(by: frozenset[str], trees: Sequence[Node], prose: str, table: SymbolTable) -> str:
    """Where the gradients by these variables are taken: at their ``value``, at the ``argument`` of their activation, or ``either``."""
    if not by:
        return "value"
    if any(left.op == "Gradient" and left.nodes[0].head in by and _derivative_by(right) is not None for left, right in equations(trees)):
        return "value"
    bases = by | {split_name(name)[0] for name in by}
    for f in (f for text in prose.split("\n") for f in said(text)):
        if f.kind == "argument":
            tree = read(f.names, table, second=False).tree
            if tree is not None and any(n.op == "Gradient" and n.nodes[0].head in bases for n in walk(tree)):
                return "argument"
    return "either"


def said(text: str) -> list[Fact]:
    """The facts in a line of text."""
    found = [*facts(text)[0], *(f for part in sentences(text) if (f := fact(part)) is not None)]
    return list(dict.fromkeys(found))
