"""Listings of a document against its equations: a finding for each statement that computes something of the text. Nothing is run.

A function is judged when it keeps a state from step to step, or assigns a variable that an equation of the text defines. What its
``__init__`` sets up is not.
"""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from symrnn.errors import SymrnnError
from symrnn.judge import Context, Relation
from symrnn.limits import TimeIsUp, limited
from symrnn.listings.match import CONSTANT, Found, Matcher, Text
from symrnn.listings.names import offset_of
from symrnn.listings.stacked import Chain, Network, called, chains, composed, makers, networks_of
from symrnn.model import Model
from symrnn.prove.verdict import Verdict
from symrnn.read.codelines import without_numbers
from symrnn.read.document import Block, Document, Span
from symrnn.read.listing import Lifted, Listing, Skipped, lift, put
from symrnn.read.meaningless import Meaningless
from symrnn.read.tree import Node, walk
from symrnn.setting import Setting

LANGUAGES = frozenset({"python", "py", "python3", "py3", "numpy", "ipython", "pycon"})
"""The names of fences that hold Python."""

COST: Mapping[str, int] = {"proved": 0, "conditional": 1, "refuted": 3, "undecided": 3}
"""How badly a scope of the text fits a statement; the scope that fits a function best is the one that it is judged in."""


TRIES = 40
"""How many ways to take the names of one function are followed to its end."""


RENAMED = 400
"""How many statements of a document are compared under other names, each scope counted; the ones after that only under their own."""


@dataclass(frozen=True)
class Finding:
    """One statement of a listing: where it is, its verdict, and the equations of the text that it was compared with.

    ``model`` is the network that it makes of several, if it is the last statement of a stack.
    """

    span: Span
    relation: Relation
    uses: tuple[str, ...] = ()
    model: Model | None = None


@dataclass(frozen=True)
class Function:
    """The statements of one function of a listing (or of its top level), in order."""

    within: str
    equations: tuple[Lifted, ...]
    skipped: tuple[Skipped, ...]

    @property
    def assigned(self) -> tuple[str, ...]:
        """The names that it gives a value."""
        found = (e.target.head for e in self.equations if not e.returned and e.value.op not in CONSTANT)
        return tuple(dict.fromkeys((*found, *(name for s in self.skipped for name in s.assigns))))

    @property
    def used(self) -> frozenset[str]:
        """The names that its values are made of."""
        return frozenset(n.head for e in self.equations for n in walk(e.value) if n.op == "Sym")

    @property
    def method(self) -> str:
        """Its own name, without that of the class."""
        return self.within.rpartition(".")[2]

    def keeps(self, listing: Listing) -> bool:
        """Whether it computes a state that is kept from step to step."""
        return any(e.target.head in listing.states for e in self.equations)

    @property
    def backward(self) -> bool:
        """Whether it uses values of later steps, as a backward pass does."""
        return any(later(n) for e in self.equations for n in walk(e.value) if n.op == "Sym")

    def without_calls(self, steps: Set[str]) -> Function:
        """The same without the statements that only let another object take its step."""
        def is_step(e: Lifted) -> bool:
            calls, _ = called(e.value)
            return bool(calls) and all(method in steps for _, method in calls)
        return replace(self, equations=tuple(e for e in self.equations if not is_step(e)))


def later(n: Node) -> bool:
    """Whether a symbol of a listing is taken at a later step."""
    try:
        return (offset_of(n) or 0) > 0
    except Meaningless:
        return False


class Place:
    """Where a block of code stands in its document."""

    def __init__(self, block: Block, document: Document) -> None:
        self.block, self.document = block, document

    def span(self, span: tuple[int, int]) -> Span:
        """A statement of the block as a span of the document."""
        low, high = self.block.offset + span[0], self.block.offset + span[1]
        return self.document.span(low, high, "code")

    def text(self, span: tuple[int, int]) -> str:
        """A statement in one line, without the numbers of lines that stand between its own."""
        return " ".join(without_numbers(self.block.text)[slice(*span)].split())


def functions(listing: Listing) -> Iterator[Function]:
    """The functions of a listing, apart from those that only set up an object."""
    names = dict.fromkeys((*(e.within for e in listing.equations), *(s.within for s in listing.skipped)))
    for name in names:
        if name.rpartition(".")[2] != "__init__":
            yield Function(name, tuple(e for whole in listing.equations if whole.within == name for e in parts(whole)),
                           tuple(s for s in listing.skipped if s.within == name))


def parts(e: Lifted) -> Iterator[Lifted]:
    """A statement; of several values that are returned each one that is computed there."""
    if not e.returned or e.value.op != "Tuple":
        yield e
        return
    for value in e.value.nodes:
        if value.op != "Sym":
            yield replace(e, value=value, span=value.span)


def findings(auditor: Context, document: Document, settings: Mapping[str, Setting]) -> Iterator[Finding]:
    """A finding for every statement of the listings of a document that compute what its equations define.

    Nothing is raised; a document without equations has none.
    """
    texts = dict(_texts(auditor, settings))
    code = [block for block in document.code if block.name.lower() in LANGUAGES] if texts else []
    foreign = frozenset(name for block in code for name in lift(block).foreign)
    blocks = [(Place(block, document), lift(block, foreign)) for block in code]
    made = makers(listing for _, listing in blocks)
    steps = {function.method for _, listing in blocks for function in functions(listing) if function.keeps(listing)}
    networks: list[Network] = []
    budget = Budget(RENAMED)
    for place, listing in blocks:
        for whole in functions(listing):
            function = whole.without_calls(steps)
            found = judged(function, listing, place, texts, settings, auditor.timeout, budget)
            networks += [n for n in found.networks if n not in networks]
            yield from found.findings
    for place, listing in blocks:
        for function in functions(listing):
            for chain in chains(function.equations):
                layers = networks_of(chain, networks, made)
                if layers is not None:
                    yield stacked(chain, layers, place)


def stacked(chain: Chain, layers: list[Network], place: Place) -> Finding:
    """The finding of a stack: it stands at the last of its statements."""
    model, verdict = composed(chain, layers)
    uses = tuple(dict.fromkeys(use for n in layers for use in n.uses))
    return Finding(place.span(chain.last.span), Relation(place.text(chain.last.span), verdict), uses, model)


def _texts(auditor: Context, settings: Mapping[str, Setting]) -> Iterator[tuple[str, Text]]:
    """The models of the scopes, those of later ones last."""
    for name, setting in settings.items():
        try:
            if setting.equations:
                yield name, Text(auditor.model_of(setting), setting.scope, setting.guessed)
        except SymrnnError:                                           # its equations do not fit: each claim of the text says so
            continue


@dataclass(frozen=True)
class Judged:
    """What was found in one function: its statements, and the network that it is a step of."""

    findings: tuple[Finding, ...] = ()
    networks: tuple[Network, ...] = ()


def judged(function: Function, listing: Listing, place: Place, texts: Mapping[str, Text], settings: Mapping[str, Setting],
           timeout: float | None, budget: Budget) -> Judged:
    """The findings of one function, in the scope of the text that fits it best; none if it computes nothing of the text."""
    keeps = function.keeps(listing)
    named = any(text.variable(name) for text in texts.values() for name in function.assigned)
    if not (keeps or named or any(text.knows(function.used) for text in texts.values())):
        return Judged()
    rows: dict[str, list[Found]] = {}
    for name, text in texts.items():
        matcher = Matcher(text, function.assigned, listing.states, listing.parameters, renames=not function.backward and budget.left > 0)
        budget.left -= len(function.equations)
        rows[name] = fitting(matcher, function.equations, timeout, Budget(TRIES))[1]
    best = min(texts, key=lambda name: sum(map(cost, rows[name])))
    parameters = {p.name for p in texts[best].model.parameters}
    if not (named or keeps or any(found.shares(parameters) for found in rows[best])):
        return Judged()
    inside = bool(function.within)                                    # at the top level a program does much else
    out: list[Finding] = []
    for e, found in zip(function.equations, rows[best], strict=True):
        said = inside or found.matched or found.named or e.target.head in listing.states
        if said and (found.verdict.word is not None or found.verdict.reason is not None):
            uses = settings[best].places.get(found.variable or "")
            out.append(Finding(place.span(e.span), Relation(place.text(e.span), found.verdict, found.claim), (uses,) if uses else ()))
    for s in function.skipped:
        if inside and (s.assigns or s.text.startswith("return")) or any(texts[best].variable(name) for name in s.assigns):
            out.append(Finding(place.span(s.span), Relation(place.text(s.span), Verdict("undecided", "SR303", s.reason))))
    claimed = [found for found in rows[best] if found.verdict.word is not None]
    whole, kind = not function.skipped and all(found.matched for found in claimed), function.within.rpartition(".")[0]
    if not (whole and keeps and kind and claimed):
        return Judged(tuple(out))
    every = tuple(dict.fromkeys(use for f in out for use in f.uses))
    return Judged(tuple(out), (Network(kind.rpartition(".")[2], function.method, texts[best].model, str(claimed[-1].variable), every),))


PUT_IN = "the text has no name for it; it is put into the statements that use it"
"""What is said of a step on the way that the text takes in one."""
SPLIT = "the text splits this otherwise; it is put into the statements that use it"
"""What is said of a step that is not the one of this name in the text, where what is made of it is the text's."""


@dataclass
class Budget:
    """How many statements may still be compared."""

    left: int


def fitting(matcher: Matcher, equations: Sequence[Lifted], timeout: float | None, budget: Budget) -> tuple[float, list[Found]]:
    """What is found for some statements in order, with the names chosen so that as many as possible are equations of the text."""
    if not equations:
        return 0, []
    first, rest = equations[0], equations[1:]
    best: tuple[float, list[Found]] | None = None
    for found in matched(matcher, first, timeout):
        odd = found.verdict.word not in (None, "proved") if found.named else not found.matched and found.verdict.word is not None
        if odd and matcher.is_local(first):
            inside = [replace(e, value=put(e.value, first.target, first.value)) for e in rest]
            users = [k for k, (e, old) in enumerate(zip(inside, rest, strict=True)) if e != old]
            price, others = fitting(matcher, inside, timeout, budget) if users else (0, [])
            right = ("proved",) if found.named else ("proved", "conditional")
            if users and all(others[k].verdict.word in right or others[k].verdict.reason in (PUT_IN, SPLIT) for k in users):
                return price, [Found(Verdict(None, reason=SPLIT if found.named else PUT_IN)), *others]
        price, others = fitting(matcher.after(found), rest, timeout, budget)
        if best is None or cost(found) + price < best[0]:
            best = cost(found) + price, [found, *others]
        budget.left -= 1
        if budget.left <= 0 or all(f.matched or f.verdict.word is None for f in others):
            break
    assert best is not None
    return best


def matched(matcher: Matcher, e: Lifted, timeout: float | None) -> list[Found]:
    """What one statement may be, within the time for one claim."""
    try:
        with limited(timeout):
            return matcher.match(e)
    except RecursionError:
        return [Found(Verdict("undecided", "SR304", "the statement is nested too deeply"))]
    except TimeIsUp:
        return [Found(Verdict("undecided", "SR304", f"not decided within {timeout:g} s"))]


def cost(found: Found) -> float:
    """How badly an equation fits; a text that does not have the name says less than one that has another equation for it.

    >>> cost(Found(Verdict("refuted"), named=True)) < cost(Found(Verdict("undecided")))
    True
    """
    if found.verdict.word is None:
        return 0
    word = found.verdict.word
    return COST[word] + len(found.verdict.conditions) / 100 + (not found.named and not found.matched)
