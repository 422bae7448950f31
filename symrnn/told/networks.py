"""Sentences about a network: sizes and the number of steps, what a sum counts, terms and sources of a gradient, what is shared."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import prod
from types import MappingProxyType

from symrnn.document import Row, claimed
from symrnn.errors import SymrnnError
from symrnn.expr import resize, symbols
from symrnn.expr import walk as parts
from symrnn.judge import Chain, Relation
from symrnn.prove.amounts import Amount, count_of_steps, last_for_any, size_as_given, size_by_steps
from symrnn.prove.arrangement import arranged, keeping_the_last
from symrnn.prove.dependence import Place, after_the_last, dependent, independent, not_needed, shared, sources
from symrnn.prove.verdict import Verdict
from symrnn.read.elaborate import Elaborator, Meaningless
from symrnn.read.names import canonical_name
from symrnn.read.reader import read
from symrnn.read.sentences import Said
from symrnn.read.spelling import source_of
from symrnn.read.tree import Node, walk
from symrnn.setting import canonical_base
from symrnn.told.counts import gap
from symrnn.told.guards import attends, blocked
from symrnn.told.right import with_fix
from symrnn.told.values import Told
from symrnn.told.world import NEAR, World, place, plain

ARITHMETIC: Mapping[str, Callable[[list[int]], int]] = MappingProxyType({
    "Neg": lambda v: -v[0], "Add": sum, "Mul": prod, "Dot": prod})
"""What stands in a size, beside numbers and letters."""
AIM = re.compile(r"\bto (?:compute|obtain|predict|get|evaluate|calculate|find)\b")
"""What a text says that something is needed for, or not."""
PARAMETER = re.compile(r"\b(?:bias(?:es)?|weights?|parameters?|learn(?:ed|able|t)|train(?:ed|able))\b", re.I)
"""Words for what a network learns."""
OWN = re.compile(r"\b(?:RNNs?|recurrent|networks?|models?|equations?|it|this|LSTMs?|GRUs?)\b", re.I)
"""Words for the network of a text."""
EXAMPLE = re.compile(r"\b(?:examples?|e\.g\.|tasks?|translation|classif\w+|captioning|sentiment|tagging|generation|such as|"
                     r"applications?)\b", re.I)
"""Words for something else that a network is for."""
DEFINED = re.compile(r"\b(?:as defined|defined (?:above|here|by|in)|(?:this|our|the above) (?:network|model|RNN)|these equations|"
                     r"(?:one|an) output (?:for|at) (?:every|each)|(?:only )?(?:at|after) the last step)\b", re.I)
"""Words that say that it is the network of the equations."""
LAST_OUTPUT = re.compile(r"\b(?:last|final) (?:output|state|one|step)", re.I)
ORDINALS = {"1st": 0, "first": 0, "2nd": 1, "second": 1, "3rd": 2, "third": 2, "last": -1}


# ------------------------------------------------------------------------------------------------------------- sizes and numbers
def size(said: Said, world: World) -> Told:
    """``the bias has size T``, where T is the number of steps: refuted. Every other size is a declaration, and no claim.

    A size that is a single letter could declare it, so the letter must end the range of the time in two places.
    """
    tree = world.parse(said.value, said.offset)
    if tree is None or not world.steps or blocked(said.clause, "size"):
        return None
    letters = {n.head for n in walk(tree) if n.op == "Sym"}
    if attends(world.document.text, said.offset):
        return None
    steps = sorted(letters & set(world.steps))
    if not steps or plain(tree) and world.steps[steps[0]] < 2 or any(n.op == "Sym" and not plain(n) for n in walk(tree)):
        return None
    sizes = tree.nodes if tree.op in ("Times", "Tuple") else (tree,)
    model = world.model(said.offset)
    for latex in said.subjects:
        named = world.parse(latex, said.offset)
        symbol = world.symbol(said.offset, named.head) if named is not None and named.op == "Sym" else None
        if named is None or symbol is None or symbol.kind == "variable" and named.part("Time") is None:
            continue
        verdict = size_by_steps(model, symbol, [amount(n) for n in sizes], steps[0], PARAMETER.search(said.clause) is not None)
        row = world.row(said.spans[-1])
        if verdict is not None and row is not None:
            left, given = rf"\operatorname{{size}}({latex})", symbol.shape[: len(sizes)]
            right = r" \times ".join(world.context.notation.base(str(n)) for n in given)
            wrong = Relation(f"{left} = {said.value}", verdict)
            words = "write the size that the equations give"
            return row.span.offset, with_fix(wrong, size_as_given(model, symbol), f"{left} = {right}", words)
    return None


def amount(n: Node) -> Amount:
    """A number that a tree prints, as a function of the values of its letters."""
    return lambda known: _value(n, known)


def _value(n: Node, known: Mapping[str, int]) -> int | None:
    if n.op == "Num":
        return int(n.head) if n.head.isdigit() else None
    if n.op == "Sym":
        return known.get(n.head, 1)
    inner = [_value(m, known) for m in n.nodes]
    if any(v is None for v in inner):
        return None
    rule = ARITHMETIC.get(n.op)
    return None if rule is None else rule([v for v in inner if v is not None])


def count(said: Said, world: World) -> Told:
    """``where n is the length of the sequence``, of a sum over the n components of a vector just before: refuted."""
    tree, row = world.tree(said.spans[0]), world.display_before(said.offset, NEAR)
    explains = row is not None and len(said.spans) > 1 and row.span.offset == said.spans[1]
    if said.value != "steps" or tree is None or not plain(tree) or row is None or not explains or blocked(said.clause, "count"):
        return None
    for name in () if attends(world.document.text, said.offset) else _summed(row, tree.head):
        symbol = world.symbol(said.offset, name)
        verdict = None if symbol is None or symbol.kind != "variable" else count_of_steps(world.model(said.offset), symbol, tree.head)
        if verdict is not None:
            wrong = Relation(rf"{tree.head} = \text{{number of steps}}", verdict)
            fix = rf"{tree.head} = \operatorname{{size}}({world.context.notation.base(name)})"
            counted = size_as_given(world.model(said.offset), symbol) if symbol is not None and symbol.shape[0] == tree.head else None
            return said.spans[0], with_fix(wrong, counted, fix, "say what the sum counts")
    return None


def _summed(row: Row, bound: str) -> Iterator[str]:
    """The symbols whose components a formula adds up to ``bound``; nothing where the letter may count steps.

    A symbol with one letter below may be a component or a step. It is a component if it has a time beside it, or if the text writes
    times elsewhere and gives the symbol ``bound`` components.
    """
    scope = row.setting.scope
    for total in walk(row.reading.tree) if row.reading.tree is not None else ():
        if total.op != "Sum" or not plain(total.nodes[0]) or not plain(total.nodes[2]) or total.nodes[2].head != bound:
            continue
        letter, low, restricted = total.nodes[0], total.nodes[1], total.nodes[4].op != "Absent"
        used = [n for n in walk(total.nodes[3]) if n.op == "Sym"]
        timed = any(letter in walk(part) for n in used for op in ("Time", "Layer") if (part := n.part(op)) is not None)
        if letter.head == scope.table.time_letter or restricted or timed or low.op != "Absent" and low != Node("Num", ("1",)):
            continue
        for n in used:
            index = n.part("Index")
            if index is None or index.nodes != (letter,):
                continue
            elided = scope.elided.get(n.head)
            name = elided.nodes[1].head if elided is not None and elided.op == "Call" and elided.nodes[1].op == "Sym" else n.head
            d = scope.table.get(name)
            if n.part("Time") is not None or scope.table.time != "sub" and d is not None and d.shape == (bound,):
                yield name


def at(said: Said, world: World) -> Told:
    """``the probability of o_t at T = t``, where T is the last step, of what is defined at every step: refuted."""
    row = next((r for k in said.spans if (r := world.row(k)) is not None and r.span.latex == said.value), None)
    tree = row.reading.tree if row is not None else None
    if row is None or tree is None or tree.op != "Chain" or len(tree.nodes) != 2 or blocked(said.clause, "at"):
        return None
    last, now = tree.nodes[0], tree.nodes[1].nodes[0]
    letter = row.setting.scope.table.time_letter
    if not plain(last) or not plain(now) or last.head not in world.steps or now.head != letter or not said.subjects:
        return None
    subject = world.parse(said.subjects[0], said.offset)
    time = subject.part("Time") if subject is not None and subject.op == "Sym" else None
    symbol = world.symbol(said.offset, subject.head) if subject is not None and time is not None and time.nodes == (now,) else None
    verdict = None if symbol is None else last_for_any(world.model(said.offset), symbol, last.head, now.head)
    return None if verdict is None else (row.span.offset, Relation(row.span.latex, verdict))


# ------------------------------------------------------------------------------------------------------------- terms and sources
def term(said: Said, world: World) -> Told:
    """``the second term, ...``: what is printed must be that term of the display before; one wrong parameter in it is refuted."""
    row, display = world.row(said.spans[0]), world.display_before(said.offset)
    if row is None or display is None or row.reading.tree is None or display.reading.tree is None or blocked(said.clause, "named"):
        return None
    printed, sides = row.reading.tree, _last_sides(display.reading.tree)
    if not sides or sides[-1].op != "Add" or any(printed == t for side in sides for t in walk(side)):
        return None
    terms, n = sides[-1].nodes, ORDINALS[said.value.lower()]
    if n >= len(terms):
        return None
    own = {p.name for p in world.model(said.offset).parameters}
    slip = one_slip(printed, terms[n])
    if slip is None or not set(slip) <= own:
        return None
    text = f"{row.span.latex} = {source_of(display.latex, terms[n].span)}"
    reading = read(text, row.setting.scope.table)
    if reading.tree is None or len(stated := claimed(reading.tree)) != 1:
        return None
    judge = Chain(world.context, replace(row.span, latex=text), reading, row.setting, row.setting.conditions)
    found = judge.run(stated[0])[0]
    why = f"the display has {slip[1]} where this has {slip[0]}" + (f"; {found.verdict.reason}" if found.verdict.reason else "")
    word = found.verdict.word if found.verdict.word == "refuted" else "undecided"
    return row.span.offset, replace(found, verdict=replace(found.verdict, word=word, code=found.verdict.code or "SR303", reason=why))


def _last_sides(n: Node) -> list[Node]:
    """The right sides of the last statement of a display."""
    while n.op in ("Rows", "Seq"):
        n = n.nodes[-1]
    return [rel.nodes[0] for rel in n.nodes[1:]] if n.op == "Chain" else []


def one_slip(printed: Node, meant: Node) -> tuple[str, str] | None:
    """The two names by which two trees differ, if they differ in the name of one symbol and in nothing else.

    >>> from symrnn.read.tree import sym
    >>> one_slip(Node("Mul", (sym("U"), sym("h"))), Node("Mul", (sym("W"), sym("h"))))
    ('U', 'W')
    """
    found: set[tuple[str, str]] = set()

    def same(a: Node, b: Node) -> bool:
        if a.op != b.op or len(a.args) != len(b.args):
            return False
        if a.op == "Sym" and a.args[0] != b.args[0]:
            found.add((a.head, b.head))
            return a.args[1:] == b.args[1:]
        return all(same(x, y) if isinstance(x, Node) and isinstance(y, Node) else x == y for x, y in zip(a.args, b.args, strict=True))
    return found.pop() if same(printed, meant) and len(found) == 1 else None


def vanishes(said: Said, world: World) -> Told:
    """``the term is zero at the last step``: a product with a gradient by a variable of the step after it."""
    row = world.row(said.spans[0])
    if said.value != "last step" or row is None or row.reading.tree is None or blocked(said.clause, "named"):
        return None
    try:
        value = resize(Elaborator(row.setting.scope)(row.reading.tree), world.context.sizes_of(row.setting))
    except (Meaningless, SymrnnError):
        return None
    factors, todo = [], [value]
    while todo:
        e = todo.pop()
        factors.append(e)
        todo += e.args if e.op in ("matmul", "had", "transpose", "smul") else ()
    later = any(e.op == "deriv" and any(s.time is not None and s.time.offset == 1 for s in symbols(e.args[1])) for e in factors)
    later = later and value.fault is None and all(e.op != "tsum" for e in parts(value))
    name = row.setting.scope.table.time_letter
    return (row.span.offset, Relation(f"{row.span.latex} = 0", after_the_last(f"{name} is the last step"))) if later else None


def _place(latex: str, world: World, offset: int) -> Place | None:
    """A variable and how far from the present step it is taken."""
    n = world.parse(latex, offset)
    return None if n is None else place(n, world.setting(offset).scope.table.time_letter)


def sources_of(said: Said, world: World) -> Told:
    """``h_t has contributions from o_t and h_{t+1}``: each must depend on it."""
    places = [_place(latex, world, said.offset) for latex in said.subjects]
    if len(places) < 3 or None in places or blocked(said.clause, "named"):
        return None
    (name, now), *others = (p for p in places if p is not None)
    if now:
        return None
    return None, Relation(rf"{said.subjects[0]} \to {', '.join(said.subjects[1:])}", sources(world.model(said.offset), name, others))


def depends_on(said: Said, world: World) -> Told:
    """``h_t depends on h_{t-1} and W``, or does not: by what the equations compute from what."""
    model, clause = world.outline(said.offset), said.clause.replace(said.words, " ")
    subject, *others = (_place(latex, world, said.offset) or (canonical_name(latex), None) for latex in said.subjects)
    own = {*model.definitions, *(s.name for s in (*model.inputs, *model.parameters))}
    if subject[1] is None or subject[0] not in model.definitions or blocked(clause, "named") or any(name not in own for name, _ in others):
        return None
    timed = [(name, step - subject[1]) for name, step in others if step is not None]
    lasting = [name for name, step in others if step is None]
    if any(step > 0 for _, step in timed) or set(lasting) - {p.name for p in model.parameters}:
        return None
    sign = r"\to" if said.value == "on" else r"\not\to"
    verdict = dependent(model, subject[0], timed, lasting) if said.value == "on" else independent(model, subject[0], timed, lasting)
    if verdict.word == "proved" and said.value != "on" and (why := gap(world, said.offset)):
        verdict = Verdict("undecided", "SR103", why)
    return None, Relation(rf"{', '.join(said.subjects[1:])} {sign} {said.subjects[0]}", verdict)


def not_needed_of(said: Said, world: World) -> Told:
    """``y_1, ..., y_{n-1} need not be computed``: nothing of a later step depends on y."""
    names = {canonical_base(part.strip()) for latex in said.subjects for part in latex.split(",") if "dots" not in part}
    names -= {""}
    model = world.model(said.offset)
    if len(names) != 1 or not names <= set(model.definitions) or not AIM.search(said.text):
        return None
    return None, Relation(said.subjects[0], not_needed(model, names.pop()))


def shared_of(said: Said, world: World) -> Told:
    """``the weights are the same at every step``: the equations print them without a time."""
    if blocked(said.clause, "any"):
        return None
    names = [canonical_name(s) for s in said.subjects]
    return None, Relation(", ".join(said.subjects) or r"\text{the parameters}", shared(world.outline(said.offset), names))


def arrangement(said: Said, world: World) -> Told:
    """``so it is a many-to-many model``, of the network of the equations; the bare name in a list of kinds claims nothing.

    What is said of any network, or of one for some task, is no error of the equations: it is refuted only where the sentence speaks of
    the network that is defined.
    """
    name = said.value.replace("-", "[- ]")
    model, once = world.outline(said.offset), world.setting(said.offset).scope.final
    if blocked(said.clause.replace("discarding all but", ""), "any"):
        return None
    if re.search(rf"\bis\b(?: \w+,?){{0,3}} {name}\b(?: \w+)? (?:model|network|mapping|RNN|architecture)", said.clause):
        if not OWN.search(said.clause) or EXAMPLE.search(said.clause):
            return None, Relation(rf"\text{{{said.value}}}", _task())
        verdict = arranged(model, said.value, once)
        doubted = verdict.word == "refuted" and not DEFINED.search(said.clause)
        return None, Relation(rf"\text{{{said.value}}}", _task() if doubted else verdict)
    made = re.search(rf"\b(?:can be|becomes|is) (?:made|turned|converted|changed)? ?(?:into )?(?:an? )?{name}\b", said.clause)
    if made is None or said.value != "many-to-one" or not LAST_OUTPUT.search(said.clause) or once:
        return None
    return None, Relation(rf"\text{{{said.value}}}", keeping_the_last(model))


def _task() -> Verdict:
    return Verdict("undecided", "SR303", "how many inputs and outputs are used is a matter of the task; no formula says it")
