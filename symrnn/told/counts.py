"""Sentences and formulas that say how many parameters a network has: against the shapes of the parameters in its equations."""
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import reduce
from types import MappingProxyType

from symrnn.cost import total
from symrnn.document import Row
from symrnn.expr import Symbol, walk
from symrnn.expr.linear import Linear
from symrnn.judge import Relation
from symrnn.model import Model
from symrnn.prove.counts import Convention, factored, judged
from symrnn.prove.parts import alike, biases, cell, given, kind, outputs, parameters, sums
from symrnn.prove.verdict import Fix, Verdict
from symrnn.read.sentences import Said
from symrnn.read.tree import walk as walk_tree
from symrnn.told.guards import blocked
from symrnn.told.sizes import Sizes, Unsized, at, polynomial, stated_values, valued
from symrnn.told.values import Told
from symrnn.told.world import World, plain

NUMBER = r"\text{number of parameters}"
BIAS_FREE = re.compile(r"\b(?:without|excluding|ignoring|not counting|leaving out|apart from|except(?: for)?|omitting|neglecting)"
                       r" (?:the |any |all |its )?bias(?:es)?(?: terms?| vectors?)?\b", re.I)
"""How a sentence says that it does not count biases."""
TWICE = re.compile(r"pytorch|cudnn|keras|tensorflow|reset.after|(?:two|separate) (?:\w+ )*bias", re.I)
"""What a text speaks of where a gate may have two bias vectors."""
NAMED = re.compile(r"\b(?:(?P<LSTM>LSTM|long short[- ]term memory)|(?P<GRU>GRU|gated recurrent unit)|"
                   r"(?P<RNN>(?:simple|vanilla|plain|basic|Elman)[- ]?RNN))", re.I)
PARTS: Mapping[str, re.Pattern[str]] = MappingProxyType({name: re.compile(rf"\b(?:{words})\b", re.I) for name, words in {
    "gate": r"(?:each|every|per|one|any|an?|a single|(?:the|an?) \w+) gate",
    "cell": r"cells?|(?:recurrent|hidden|RNN|LSTM|GRU|simpleRNN|Elman|the|this|our|such a) (?:layer|cell|unit|block|part)|recurrence",
    "output": r"read-?outs?|(?:output|softmax|linear|final|last) (?:layer|map|part|projection)|classifier",
    "gated": r"LSTMs?|GRUs?|long short[- ]term memory|gated recurrent units?",
    "whole": r"networks?|models?|altogether|in total|everything",
    "either": r"RNNs?|there are|(?:number|amount) of (?:(?:trainable|learnable|free|model|network) )*(?:parameters|weights) "
              r"(?:is|are|equals|comes|amounts|becomes)",
}.items()})
"""The words for what is counted; of several that stand in a sentence, the first of these."""
GENERAL = frozenset("n p params param parameters number of total theta weights all trainable learnable the count num".split())
"""Words of a left side that say no part."""
PRONOUN = re.compile(r"\b(?:which|that|it|they|this|these|those|one|ones|each) *$", re.I)
"""A subject that stands for something before."""
BESIDES = re.compile(r"\s*(?:,? ?(?:and|plus|as well as|in addition to) )?\$[^$]*\$ bias", re.I)
"""What is counted apart."""
ENDING = re.compile(r"\s*(?:\Z|[.,;:)]|and\b|together\b|altogether\b|in total\b|overall\b|(?:in|for|of|from) \$)", re.I)
"""How a sentence goes on that does not say which parameters it counts."""
TOGETHER = re.compile(r"\s*(?:together|altogether|in total|overall)\b", re.I)
"""What makes it all that is counted."""
LISTED = re.compile(r"((?:\$[^$]+\$(?:,? and |, | )?)+)(?:together |in total |altogether )?$")
"""Symbols in a list, just before what is said of them."""
INSIDE = re.compile(r"\s*(?:in|for|from|of) ((?:\$[^$]+\$(?:,? and |, | )?)+)")
"""The same just after it."""
LEFT = re.compile(r"(?:\\#|number of|\\(?:text\w*|mathrm|operatorname)\s*\{[^{}]*)[^{}]*\b(?:param(?:eter)?s?|weights)|"
                  r"\A\s*(?:\\l?vert|\|)\s*(?:\\boldsymbol|\\bm|\\mathbf)?\s*\{?\s*\\[tT]heta", re.I)
"""The left side of an equation that counts parameters."""
THETA = re.compile(r"\\[tT]heta\b")
LEARNED = re.compile(r"param|weights", re.I)
DERIVED = re.compile(r"\\(?:partial|nabla|[dt]?frac|delta|Delta|prod|sum|l?Vert|\||d(?:v|iff)\b)")
"""What stands on the left side of an equation that defines no variable."""


# ---------------------------------------------------------------------------------------------------------- what is counted
@dataclass(frozen=True)
class Counted:
    """Parameters that a sentence may mean, the variables in whose equations they stand, and what has to be added to mean them."""

    parameters: tuple[Symbol, ...]
    variables: tuple[str, ...]
    condition: str | None = None


def meant(words: str, model: Model) -> list[Counted]:
    """What a sentence may count, the likeliest first; empty where it speaks of a part that is not known."""
    inside, outside = cell(model), outputs(model)
    every = (*inside, *outside)
    part = next((name for name, pattern in PARTS.items() if pattern.search(words)), "")
    if part == "cell" and PARTS["output"].search(words):
        part = "whole"
    whole, only = Counted(parameters(model, every), every), Counted(parameters(model, inside), inside)
    without, too = (f"the parameters of the output are {so}" for so in ("not counted", "counted too"))
    return {"gate": [Counted(own[0], inside[:1]) for own in [alike(model)] if own],
            "cell": [only], "output": [Counted(parameters(model, outside), outside)], "whole": [whole],
            "gated": [only, replace(whole, condition=too)], "either": [whole, replace(only, condition=without)]}.get(part, [])


@dataclass(frozen=True)
class Claimed:
    """A number of parameters as a text states it: the formula, the words beside it, and what they say of how it is counted.

    ``names``: the parameters that are listed; ``free``: without biases; ``weights``: the text says weights; ``values``: numbers that it
    gives to letters; ``left``: what a correction has on its left side.
    """

    value: str
    words: str
    names: tuple[str, ...] = ()
    free: bool = False
    weights: bool = False
    values: Mapping[str, int] = field(default_factory=dict)
    left: str = NUMBER


def conventions(counted: Counted, model: Model, weights: bool, text: str) -> list[Convention]:
    """Other ways to count the same parameters."""
    own, added = total(counted.parameters), biases(model, counted.variables)
    rows = reduce(Linear.__add__, (Linear.of(x.shape[x.shape[1] != 1]) for x in sums(model, counted.variables) if x.shape), Linear())
    learned = [c.name for c in model.constants]
    second = total(biases(model, cell(model))) if added else rows + rows
    found = [(weights and bool(added), -total(added), "biases are not counted"),
             (not added, rows, "each sum has a bias, which the equations leave out"),
             (TWICE.search(text) is not None, second, "each gate has two bias vectors"),
             (bool(learned), Linear((), len(learned)), f"{', '.join(learned)} {'is' if len(learned) == 1 else 'are'} learned")]
    first = [Convention(own, counted.condition)] if counted.condition is not None else []
    before = "" if counted.condition is None else f"{counted.condition}, and "
    return first + [Convention(own + further, before + words) for so, further, words in found if so]


def doubt(counted: Counted, model: Model, world: World, offset: int) -> str | None:
    """Why the equations that were understood may not have all the parameters."""
    if not counted.parameters:
        return "no equation that was understood has parameters"
    if any(x.op in ("vcall", "vjac") for name in counted.variables for x in walk(model.definitions[name])):
        return "a function in the equations may have parameters of its own"
    weights = (x.attr[1:] for name in counted.variables for x in walk(model.definitions[name]) if x.op == "apply" and x.attr[:1] == "?")
    if (unclear := next((name for name in weights if name[:1].isupper()), None)) is not None:
        return f"{unclear} before a bracket may be a function or a weight"
    used = sorted(s.name for s in given(model))
    if len(used) > 1:
        return f"no equation that was understood gives {' or '.join(used)}; one of them is the input"
    unsure = world.setting(offset).unsure & {p.name for p in counted.parameters}
    return f"nothing says what {min(unsure)} is" if unsure else gap(world, offset)


def gap(world: World, offset: int, known: Set[str] = frozenset()) -> str | None:
    """Why the model of the scope of a place may lack an equation: a display for a variable at a step that defines nothing.

    Of the variables that are ``known`` enough, none is needed.
    """
    setting = world.setting(offset)
    known = known | setting.scope.defined
    for row in world.compiled.rows:
        if row.setting is not setting or "=" not in row.span.latex or counts(row, world):
            continue
        if not lefts(row) <= known:
            return f"the formula in line {row.span.line} was not understood"
    return None


def lefts(row: Row) -> set[str]:
    """The variables that the equations of a formula would define; one without a name where a display was not read.

    What has no step is one if it has a weight times something that has.
    """
    tree = row.reading.tree
    if tree is None:
        return set() if row.span.kind == "inline" or DERIVED.search(row.span.latex.partition("=")[0]) else {""}
    todo, out = [tree], set()
    while todo:
        n = todo.pop()
        if n.op in ("Rows", "Seq", "Where", "Implies", "Iff"):
            todo += n.nodes
        elif n.op == "Chain" and n.nodes[1].head in ("=", ":=", "<-") and n.nodes[0].op == "Sym":
            right = n.nodes[1].nodes[0]
            weighted = any(m.op == "Mul" and any(map(plain, m.nodes)) and any(a.part("Time") for a in m.nodes) for m in walk_tree(right))
            if n.nodes[0].part("Time") is not None or weighted and not any(m.op in ("Deriv", "Grad") for m in walk_tree(right)):
                out.add(n.nodes[0].head)
    return out


# ---------------------------------------------------------------------------------------------------------------- judging
def parameters_of(said: Said, world: World) -> Told:
    """``the layer has $n(n + d + 1)$ parameters``: the entries of the parameters in its equations."""
    clause = BIAS_FREE.sub("", said.clause)
    if blocked(clause, "parameters"):
        return None
    carrier = next((k for k in said.spans if (row := world.row(k)) is not None and row.span.latex == said.value), None)
    before, _, after = clause.partition(said.words)
    before = re.split(r"\b(?:parameters|weights)\b", before)[-1]       # a sentence may count one part after the other
    if PRONOUN.search(before) or BESIDES.match(after) or not ENDING.match(after):
        return None
    listed, together = LISTED.search(before) or INSIDE.match(after), TOGETHER.match(after)
    names = tuple(re.findall(r"\$([^$]+)\$", listed[1])) if listed else ()
    claimed = Claimed(said.value, before + said.words + (together[0] if together else ""), names, clause != said.clause,
                      "weights" in said.words, stated_values(world, said.text, said.offset))
    verdict = verdict_on(claimed, world, said.offset)
    return None if verdict is None else (carrier, Relation(f"{NUMBER} = {said.value}", verdict))


def verdict_on(claimed: Claimed, world: World, offset: int) -> Verdict | None:
    """The verdict on a number of parameters; None for what is no such number."""
    tree = world.parse(joined(claimed.value), offset)
    if tree is None or tree.op in ("Chain", "Seq", "Rows", "Where", "Tuple") or plain(tree):
        return None
    model = world.model(offset)
    asked, sizes = meant(claimed.words, model), Sizes.of(world, model, offset)
    listed = {getattr(world.parse(x, offset), "head", "") for x in claimed.names}
    if listed and listed <= {p.name for p in model.parameters}:
        asked = [Counted(tuple(p for p in model.parameters if p.name in listed), cell(model))]
    elif not listed <= set(sizes.letters):                            # of something that no equation has
        return None
    named, own = NAMED.search(claimed.words), kind(model)
    try:
        number = polynomial(tree, sizes.letters, world.setting(offset).scope.table)
    except Unsized as letter:
        return undecided(f"nothing says what {letter} is the size of")
    if number is None or not asked:
        return None
    if named is not None and own and named.lastgroup != own:
        return undecided(f"the equations are those of {own}, not of {named[0]}")
    if why := doubt(asked[0], model, world, offset):
        return undecided(why)
    return _counted(number, claimed, asked, model, sizes, world, offset)


def _counted(number: Linear, claimed: Claimed, asked: Sequence[Counted], model: Model, sizes: Sizes, world: World,
             offset: int) -> Verdict | None:
    """The verdict on a count of some parameters, under each convention; None for a number where the sizes have no values."""
    own = asked[0].parameters
    few = claimed.weights or bool(world.kinds.get("dropped"))
    others = [c for a in asked if a.parameters for c in conventions(a, model, few, world.document.text)]
    if claimed.free:
        without = {b.name for b in biases(model, asked[0].variables)}
        own, others = tuple(p for p in own if p.name not in without), []
    if not number.terms:
        known = sizes.numbers(total(own), claimed.values)
        own, others = tuple(at(p, known) for p in own), [replace(c, count=valued(c.count, known)) for c in others]
        if total(own).terms:
            return None
    elif (missing := sizes.unwritten(own)) is not None:
        return undecided(f"the text has no letter for a size of {missing}")
    verdict = judged(own, number, others)
    if verdict.word == "proved" and claimed.free:
        return replace(verdict, conditions=("biases are not counted",))
    return _corrected(verdict, own, claimed.left, sizes, world, offset) if verdict.word == "refuted" else verdict


def _corrected(verdict: Verdict, own: Sequence[Symbol], left: str, sizes: Sizes, world: World, offset: int) -> Verdict:
    """A refuted count with the right one, if that is read again as what it is."""
    right = factored(own, sizes.latex)
    tree = world.parse(right, offset)
    try:
        again = None if tree is None else polynomial(tree, sizes.letters, world.setting(offset).scope.table)
    except Unsized:
        return verdict
    return verdict if again != total(own) else replace(verdict, fix=Fix(f"{left} = {right}", "proved", ("count every entry",)))


def joined(latex: str) -> str:
    r"""A number with marks between thousands as one number.

    >>> joined(r"24{,}704"), joined("1,000,000"), joined("(1, 234)")
    ('24704', '1000000', '(1, 234)')
    """
    return re.sub(r"(?<=\d)(?:\{,\}|,|\\,|\\;|\\ )(?=\d{3}(?!\d))", "", latex)


def undecided(reason: str) -> Verdict:
    return Verdict("undecided", "SR103", reason)


# ------------------------------------------------------------------------------------------------------------- formulas
def counts(row: Row, world: World) -> bool:
    """Whether the left side of a formula is a number of parameters."""
    left, *sides = split(row.span.latex)
    said = {s.subjects[0].strip() for s in world.kinds.get("count", ()) if s.value == "parameters"}
    return bool(sides) and (LEFT.search(left) is not None or left.strip() in said)


def stated(row: Row, world: World) -> Iterator[Relation]:
    r"""The relations of a formula whose left side is a number of parameters: ``|\theta| = n(n + d + 1)``."""
    if not counts(row, world):
        return
    left, *sides = (side.strip() for side in split(row.span.latex.strip().rstrip(",. ")))
    if THETA.search(left) and not LEARNED.search(world.document.text):
        return
    words = " ".join(re.findall("[A-Za-z]+", re.sub(r"\\(?!theta|Theta)[A-Za-z]+", " ", left)))
    if {word.lower() for word in words.split()} <= GENERAL:
        words = "number of parameters is"
    for side in sides:
        verdict = verdict_on(Claimed(side, words, weights="weights" in words, left=left), world, row.span.offset)
        if verdict is not None:
            yield Relation(f"{left} = {side}", verdict)


def split(latex: str) -> list[str]:
    """The sides of a chain of equations, brackets and braces kept whole.

    >>> split(r"N_{a=b} = (c = d) = e")
    ['N_{a=b} ', ' (c = d) ', ' e']
    """
    depth, out = 0, [""]
    for k, c in enumerate(latex):
        depth += (c in "{([") - (c in "})]")
        if c == "=" and depth == 0 and latex[k - 1 : k] not in ("<", ">", ":", "!"):
            out.append("")
        else:
            out[-1] += c
    return out
