r"""Sentences about values: where those of a function lie, what a map keeps, what softmax adds up to, what letters are coded as."""
from __future__ import annotations

import re
from fractions import Fraction

from symrnn.judge import Relation
from symrnn.prove.amounts import entry_of
from symrnn.prove.ranges import RANGES, Interval, components, elementwise, interval, keeps_size, single_component, sums_to_one
from symrnn.prove.verdict import EVERYWHERE, Verdict
from symrnn.read.sentences import Said
from symrnn.read.tree import Node
from symrnn.told.guards import LINKS, POSITIVE, PRONOUN, blocked, does, functions_named, own_name, ranges_named
from symrnn.told.right import with_fix
from symrnn.told.world import World, plain

Told = tuple[int | None, Relation] | None
"""What a sentence claims, and the formula that carries it (None: the sentence itself)."""

LISTING = 3000
"""How many characters after a listing a text may still speak of its entries."""
PARAGRAPH = 400
"""How many characters back a text may say that the arguments of a function are not negative."""
SOFTMAX = "softmax"
ONE = Node("Num", ("1",))


def role(said: Said, world: World) -> str:
    """The function that a sentence speaks of, as the table of functions calls it."""
    name = own_name(said.subjects[0]) if said.subjects else ""
    if name in RANGES or name == SOFTMAX:
        return name
    found = world.setting(said.offset).scope.table.lookup(said.names[0]) if said.subjects else None
    return own_name(str(found.role)) if found is not None and found.is_function and found.role else name


def _carrier(said: Said, world: World, latex: str) -> int | None:
    """The formula of a sentence that prints ``latex``, which is its value."""
    rows = (world.row(k) for k in said.spans)
    return next((row.span.offset for row in rows if row is not None and row.span.latex == latex), None)


def function_range(said: Said, world: World) -> Told:
    """``tanh squashes its argument to [0, 1]``: by the table of ranges, where the sentence speaks of one function and of it alone."""
    name, claimed = role(said, world), interval(said.value)
    if name == SOFTMAX:
        return component_range(said, world)
    before = said.clause.partition(said.words)[0]
    if name not in RANGES or claimed is None or ranges_named(said.clause) > 1 or functions_named(before + said.words) - {name}:
        return None
    if blocked(f"{said.link} {said.clause}", "function") or not does(said.link, said.words):
        return None
    verdict = elementwise(name, claimed)
    doubtful = not LINKS.fullmatch(said.link) or any(map(world.refuted, said.spans)) or _of_positive(said, world)
    if verdict is None or verdict.word != "proved" and doubtful:
        return None
    own, found = RANGES[name], Relation(rf"{_written(name)}(u) \in {said.value}", verdict)
    shown = str(own).replace("oo", r"\infty")
    return _carrier(said, world, said.value), with_fix(found, elementwise(name, own), rf"{_written(name)}(u) \in {shown}",
                                                       f"write the range of {name}")


def _of_positive(said: Said, world: World) -> bool:
    """Whether the text before speaks of arguments that are not negative, so that a function with a sign might have none."""
    text, at = world.document.text, said.offset
    return role(said, world) in ("tanh", "sigmoid") and POSITIVE.search(text, max(0, at - PARAGRAPH), at) is not None


def component_range(said: Said, world: World) -> Told:
    """``after softmax each component lies in (0, 1)``; for elementwise functions this is their range."""
    name, claimed = role(said, world), interval(said.value)
    if name in RANGES:
        return function_range(said, world)
    if name != SOFTMAX or claimed is None or not _of_softmax(said):
        return None
    return _carrier(said, world, said.value), Relation(rf"\mathrm{{softmax}}(u)_k \in {said.value}", components(claimed))


def _of_softmax(said: Said) -> bool:
    """Whether a sentence names softmax, and its clause speaks of no other function and denies nothing."""
    return SOFTMAX in functions_named(said.text) and not functions_named(said.clause) - {SOFTMAX} and not blocked(said.clause, "any")


def sums_to_one_of(said: Said, world: World) -> Told:
    """``the components of softmax add up to 1``."""
    if role(said, world) != SOFTMAX or not _of_softmax(said):
        return None
    return None, Relation(r"\sum_k \mathrm{softmax}(u)_k = 1", sums_to_one())


def _written(name: str) -> str:
    return rf"\{name}" if name == "tanh" else rf"\mathrm{{{name}}}"


# -------------------------------------------------------------------------------------------------------------------------- maps
def function_map(said: Said, world: World) -> Told:
    """``softmax maps R^n to R^n``: the ends of the map are spaces of equal size, or the values lie in an interval."""
    at = said.spans[0]
    tree, name = world.tree(at), role(said, world)
    row = world.row(at)
    if tree is None or row is None or tree.op != "Chain" or blocked(said.clause, "any") or functions_named(said.clause) - {name}:
        return None
    named = tree.nodes[0] if plain(tree.nodes[0]) and tree.nodes[1].head == ":" else None
    if named is not None and (d := row.setting.scope.table.get(named.head)) is not None and d.role not in (None, name):
        return None
    verdict = mapped(name, *_ends(tree), least=_least(said, world))
    linked = LINKS.fullmatch(said.link) or verdict is not None and verdict.word == "proved" and PRONOUN.search(said.link)
    return (at, Relation(row.span.latex, verdict)) if verdict is not None and linked else None


def _ends(tree: Node) -> tuple[Node, Node]:
    """Where a map comes from and where it goes."""
    sides = [tree.nodes[0], *(rel.nodes[0] for rel in tree.nodes[1:])]
    return sides[-2], sides[-1]


def power(n: Node) -> tuple[Node, Node]:
    """A space and how many times it is taken."""
    return (n.nodes[0], n.nodes[1]) if n.op == "Pow" else (n, ONE)


def mapped(name: str, start: Node, end: Node, least: int | None = None) -> Verdict | None:
    """The verdict on a map of a function from vectors of numbers; None where it is no function of the tables, or no such map."""
    (base, count), (into, other) = power(start), power(end)
    if base != Node("Space", ("R",)) or name not in RANGES and name != SOFTMAX:
        return None
    if count != other:
        return Verdict("undecided", "SR303", "the two sides of the map have as many components only if their sizes are equal")
    if into == base:
        return keeps_size(name)
    claimed = as_interval(into)
    if claimed is None:
        return Verdict("undecided", "SR303", "the set that the map goes into is not understood")
    return components(claimed, least) if name == SOFTMAX else elementwise(name, claimed)


def as_interval(n: Node) -> Interval | None:
    """An interval between two numbers."""
    if n.op != "Interval" or len(n.head) != 2:
        return None
    low, high = (f"-{m.nodes[0].head}" if m.op == "Neg" else m.head if m.op in ("Num", "Sym") else "" for m in n.nodes)
    return interval(f"{n.head[0]}{low}, {high}{n.head[1]}".replace("infty", r"\infty"))


def _bounded(said: Said, world: World) -> tuple[str, int] | None:
    """The letter of ``K >= 1`` and the least number that it lets K be."""
    tree = world.tree(said.spans[0])
    if tree is None or tree.op != "Chain" or len(tree.nodes) != 2:
        return None
    left, rel = tree.nodes
    right, sign = rel.nodes[0], rel.head
    if left.op == "Num":
        left, right, sign = right, left, {"<=": ">=", "<": ">"}.get(sign, "")
    if not plain(left) or right.op != "Num" or not right.head.isdigit() or sign not in (">=", ">"):
        return None
    return left.head, max(1, int(right.head) + (sign == ">"))


def _least(said: Said, world: World) -> int | None:
    """The least number of components that the sentence of a map states."""
    for bound in world.about("bound", said.spans[0]):
        if (found := _bounded(bound, world)) is not None:
            tree = world.tree(said.spans[0])
            if tree is not None and found[0] == getattr(power(_ends(tree)[0])[1], "head", ""):
                return found[1]
    return None


def bound_of_map(said: Said, world: World) -> Told:
    """``softmax: R^K -> (0, 1)^K, where K >= 1``: a bound that lets in the one case in which the map does not hold."""
    found = _bounded(said, world)
    if found is None or found[1] != 1 or blocked(said.clause, "any"):
        return None
    for other in (x for k in said.spans[1:] for x in world.about("map", k)):
        if role(other, world) != SOFTMAX:
            continue
        tree = world.tree(other.spans[0])
        if tree is None or function_map(other, world) is None:
            continue
        (_, count), (into, _) = map(power, _ends(tree))
        claimed = as_interval(into)
        if plain(count) and count.head == found[0] and claimed is not None and components(claimed, 1).word == "conditional":
            row = world.row(said.spans[0])
            if row is None:
                return None
            wrong = Relation(row.span.latex, single_component(found[0], claimed))
            return said.spans[0], with_fix(wrong, components(claimed, 2), rf"{found[0]} \ge 2", "leave out the case of one component")
    return None


def componentwise(tree: Node, name: str) -> Verdict | None:
    r"""``\sigma(o): (o_1, ..., o_n) -> (\sigma_1, ..., \sigma_n)``: as many components on both sides, named one by one."""
    if tree.op != "Chain" or len(tree.nodes) != 3 or tree.nodes[0].op != "Call" or len(tree.nodes[0].nodes) != 2:
        return None
    call, (colon, arrow) = tree.nodes[0], tree.nodes[1:]
    before, after = _column(colon.nodes[0]), _column(arrow.nodes[0])
    if colon.head != ":" or arrow.head not in ("->", "|->") or before is None or after is None:
        return None
    if before[0] != call.nodes[1].head or after[0] != call.nodes[0].head or before[1] != after[1]:
        return None
    return keeps_size(name) if name in RANGES or name == SOFTMAX else None


def _column(n: Node) -> tuple[str, tuple[Node, ...]] | None:
    """The name and the indices of a column of components of one symbol, dots among them."""
    if n.op != "Matrix" or any(len(row.nodes) != 1 for row in n.nodes):
        return None
    entries = [row.nodes[0] for row in n.nodes]
    named = [e for e in entries if e.op != "Ellipsis"]
    if not named or any(e.op != "Sym" or e.head != named[0].head for e in named):
        return None
    indices = [e if e.op == "Ellipsis" else e.part("Index") or e.part("Time") for e in entries]
    return None if None in indices else (named[0].head, tuple(i for i in indices if i is not None))


# ------------------------------------------------------------------------------------------------------------------------- codes
def codes(said: Said, world: World) -> Told:
    """One-hot codes of the letters that are to be predicted: those of the example after the first, in the order of the vocabulary."""
    at = said.spans[-1]
    row = world.row(at)
    vocabulary, word = (world.last_before(kind, said.offset) for kind in ("vocabulary", "word"))
    if row is None or not vocabulary or not word or blocked(said.clause, "any"):
        return None
    if len({s.value for s in world.kinds.get("vocabulary", ())}) > 1 or len(set(vocabulary)) < len(vocabulary):
        return None
    columns = [re.findall("[01]", body) for body in re.findall(r"\\begin\{[pbv]?matrix\}(.*?)\\end", row.span.latex, re.S)]
    wanted = [["1" if letter == other else "0" for other in vocabulary] for letter in word[1:]]
    order = ", ".join(vocabulary)
    if columns == wanted:
        verdict = Verdict("proved", method="the codes of the letters, one by one", scope=EVERYWHERE, error_bound="0",
                          reason=f"the codes of {', '.join(word[1:])} in the order {order}")
    else:
        verdict = Verdict("undecided", "SR303", f"not the codes of {', '.join(word[1:])} in the order {order}; "
                          "the text may mean another word or another order")
    return at, Relation(row.span.latex, verdict)


# ----------------------------------------------------------------------------------------------------------------------- listings
_LISTED = re.compile(r"(\w+)\s*=\s*(?:\w+\.\w+\()?\[\s*([-+\d.]+(?:\s*,\s*[-+\d.]+)*)\s*\]")


def entry(said: Said, world: World) -> Told:
    """``0.92 (Unit 2)``, of a vector that a listing prints before: judged where most entries that the text names are those listed."""
    found = [m for m in _LISTED.finditer(world.document.text, max(0, said.offset - LISTING), said.offset)]
    if not found or blocked(said.clause, "any"):
        return None
    name, listed = found[-1][1], [_decimal(x) for x in found[-1][2].split(",")]
    named = [_entry(s) for s in world.kinds["entry"] if found[-1].end() <= s.offset < found[-1].end() + LISTING]
    (stated, number), numbers = _entry(said), [x for x in listed if x is not None]
    if len(numbers) != len(listed) or any(not 1 <= n <= len(numbers) for _, n in named):
        return None
    right = sum(numbers[n - 1] == x for x, n in named)
    if 2 * right <= len(named) or right < 2:
        return None
    left, own = rf"\text{{{name}}}_{{{number}}}", numbers[number - 1]
    wrong = Relation(f"{left} = {said.value.split()[0]}", entry_of(numbers, number, stated))
    return None, with_fix(wrong, entry_of(numbers, number, own), f"{left} = {float(own):g}", "write the entry as it is listed")


def _entry(said: Said) -> tuple[Fraction, int]:
    """The value that a text gives an entry, and its number."""
    value, _, number = said.value.split()
    return Fraction(re.sub("[−–]", "-", value)), int(number)


def _decimal(text: str) -> Fraction | None:
    try:
        return Fraction(text.strip())
    except ValueError:
        return None
