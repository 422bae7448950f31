"""Claims that stand in sentences beside formulas, each judged by the rule of its kind; a kind without a rule claims nothing here.

A rule is a row of ``JUDGES``. It gives the formula that carries the claim (or the sentence itself) and its verdict, or nothing where
the sentence only declares something, denies it, or speaks of what is not known.
"""
from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from symrnn.document import Compiled, Row
from symrnn.judge import Context, Relation
from symrnn.prove.verdict import EVERYWHERE, Verdict
from symrnn.read.document import Span
from symrnn.read.sentences import Said
from symrnn.told import counts, growth, labelled, networks, norms, order, ranges, shapes, values
from symrnn.told.guards import blocked, own_name
from symrnn.told.values import Told
from symrnn.told.world import World

FORWARD = 3000
"""How many characters after a sentence about the unit of a logarithm its formula may stand."""


@dataclass(frozen=True)
class Ruling:
    """A claim of a sentence: its kind, its role, what carries it (the offset of a formula, or a span of its own), and the verdict.

    A note has no relation; ``reason`` says why it is not judged.
    """

    kind: str
    role: str
    at: int | None
    span: Span
    relation: Relation | None
    reason: str | None


def rulings(compiled: Compiled, context: Context, judged: Callable[[int], Sequence[Relation]]) -> Iterator[Ruling]:
    """What the sentences of a document claim, in the order of the text; ``judged`` gives the relations of the formula at an offset."""
    if any(setting.backward for setting in compiled.settings.values()):
        return                                                        # the rules speak of networks that run from the first step on
    world = World(compiled, context, judged)
    for said in compiled.said:
        if said.about.role == "note":
            yield Ruling(said.kind, "mention", None, _span(said, world), None, f"not mathematical: {said.value}")
        elif (judge := JUDGES.get(said.kind)) is not None and (found := judge(said, world)) is not None:
            at, relation = found
            yield Ruling(said.kind, "claim", at, _span(said, world), relation, relation.verdict.reason)
    for row in compiled.rows:
        for kind, relation in _of_formula(row, world):
            yield Ruling(kind, "claim", row.span.offset, row.span, relation, relation.verdict.reason)


def of_formula(compiled: Compiled, context: Context) -> list[Relation]:
    """What the last formula of a document says that is no equation of expressions: a number of parameters, a range."""
    return [relation for _, relation in _of_formula(compiled.rows[-1], World(compiled, context, lambda offset: ()))]


def _of_formula(row: Row, world: World) -> Iterator[tuple[str, Relation]]:
    """The relations of a formula by rules for sentences, each with its kind."""
    for kind, rule in FORMULAS:
        yield from ((kind, relation) for relation in rule(row, world))


def named_by_component(row: Row, world: World) -> Iterator[Relation]:
    """A display that maps a column of components to the column of the components of a function."""
    tree = row.reading.tree
    if tree is None or tree.op != "Chain" or tree.nodes[0].op != "Call":
        return
    d = row.setting.scope.table.lookup(tree.nodes[0].nodes[0].head)
    verdict = values.componentwise(tree, own_name(str(d.role))) if d is not None and d.is_function and d.role else None
    if verdict is not None:
        yield Relation(row.span.latex, verdict)


def _span(said: Said, world: World) -> Span:
    """The words of a sentence as a span."""
    line, column = world.lines.at(said.offset)
    found = world.document.span(said.offset, said.offset, "sentence")
    return replace(found, latex=said.words, end_line=line, end_column=column + len(said.words))


# ------------------------------------------------------------------------------------------------------ recognised, rarely decided
def _open(reason: str) -> Callable[[Said, World], Told]:
    """A claim that is recognised and that nothing here decides."""
    def judge(said: Said, world: World) -> Told:
        if blocked(said.clause, "any"):
            return None
        return None, Relation(rf"\text{{{said.value or said.words}}}", Verdict("undecided", "SR303", reason))
    return judge


def unit(said: Said, world: World) -> Told:
    """``the average number of bits``, of an entropy: the base of the logarithm in the formula after it decides."""
    logs = [[b.strip("_{}") for b in _LOG.findall(row.span.latex)]
            for row in world.displays_after(said.offset, FORWARD) if "\\log" in row.span.latex]
    if not re.search(r"entrop|information|surpris", said.text, re.I) or not logs or blocked(said.clause, "named"):
        return None
    base = {"bits": "2", "nats": "e"}[said.value]
    if all(found == base for found in logs[0]):
        verdict = Verdict("proved", method="the base of the logarithm is printed", scope=EVERYWHERE, error_bound="0")
    elif any(logs[0]):
        verdict = Verdict("undecided", "SR303", "the formula prints another base")
    else:
        convention = f"logarithm to the base {base}"
        other = "the natural logarithm counts nats" if base == "2" else "a logarithm to the base 2 counts bits"
        verdict = Verdict("conditional", reason=f"true for the {convention}; {other}", convention=convention, conditions=(convention,))
    return None, Relation(rf"\log = \log_{base}", verdict)


_LOG = re.compile(r"\\log\s*(_\{?\w+\}?)?")


def cell(said: Said, world: World) -> Told:
    """An LSTM or a GRU told in words, in a text whose equations have no gates."""
    return None if world.gated else _open("no equations given")(said, world)


def either(*rules: Callable[[Said, World], Told]) -> Callable[[Said, World], Told]:
    """The first of some rules that has an answer."""
    return lambda said, world: next((found for rule in rules if (found := rule(said, world)) is not None), None)


FORMULAS: tuple[tuple[str, Callable[[Row, World], Iterator[Relation]]], ...] = (
    ("map", named_by_component),
    ("parameters", counts.stated),
    ("parameters", labelled.named_count),
    ("shape", shapes.stated),
    ("shape", shapes.disputed),
    ("range", ranges.stated),
    ("order", order.stated),
    ("norm", norms.stated),
)
"""The rules for formulas that claim something as sentences do, each with its kind."""

JUDGES: Mapping[str, Callable[[Said, World], Told]] = MappingProxyType({
    "size": networks.size,
    "count": networks.count,
    "at": networks.at,
    "range": either(values.function_range, ranges.of_variable),
    "component-range": either(values.component_range, ranges.of_variable),
    "sums-to-one": values.sums_to_one_of,
    "map": values.function_map,
    "bound": values.bound_of_map,
    "codes": values.codes,
    "entry": values.entry,
    "term": networks.term,
    "vanishes": networks.vanishes,
    "sources": networks.sources_of,
    "depends": networks.depends_on,
    "slope": ranges.slope_of,
    "not-needed": networks.not_needed_of,
    "shared": networks.shared_of,
    "parameters": counts.parameters_of,
    "parameter-growth": growth.growth_of,
    "parameter-ratio": growth.ratio_of,
    "unit": unit,
    "arrangement": networks.arrangement,
    "rank": _open("the equations make it a vector or a matrix at each step; how many further axes an array has is not said by them"),
    "delay": _open("how many steps an output is late is not said by an equation that was understood"),
    "cell": cell,
})
"""The rule for each kind of sentence that may claim something."""
