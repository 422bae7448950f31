r"""Where the values of a variable are said to lie: ``h_t \in (-1, 1)^n``, ``0 < f_t < 1``, ``every entry of h_t lies between -1 and 1``."""
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from symrnn.document import Row
from symrnn.expr import Symbol, symbols
from symrnn.judge import Relation
from symrnn.model import Model
from symrnn.prove.bounds import within
from symrnn.prove.parts import given, made_of
from symrnn.prove.ranges import RANGES, Interval, interval, slope
from symrnn.prove.verdict import Verdict
from symrnn.read.declarations import size_text
from symrnn.read.sentences import Said
from symrnn.read.tree import Node
from symrnn.told.counts import gap
from symrnn.told.guards import blocked, own_name
from symrnn.told.values import Told, as_interval, power, role
from symrnn.told.world import World, place

SUPPOSED = re.compile(r"\b(?:if|when|suppose|assum\w+|let|require\w*|constrain\w*|clip\w*|such that|provided|unless|not|initial\w*|choose|"
                      r"restrict\w*|would|should)\b|\\forall|\\text", re.I)
"""Words before a formula by which it states a condition."""
RESTRICTED = re.compile(r"\b(?:where|for|with|case|region|points?|units?|once|until|while|as long as|because|since|whose|that)\b", re.I)
"""Words before a formula that may make it a condition."""
EACH = re.compile(r"(?:[\s,~]|\\(?:[ ,;:]|q?quad\b))*\\(?:text\w*|mbox|mathrm)\s*\{[\s,(]*"
                  r"(?:element|entry|component|coordinate|unit)[- ]?wise[\s)]*\}\s*[.,;]?\s*\Z", re.I)
"""Words at the end of a formula by which it holds entry by entry."""
BY_ENTRY = re.compile(r"\b(?:element|entry|component|coordinate|unit)[- ]?(?:wise\b|by\b)|\beach (?:entry|element|component|unit)\b", re.I)
"""Words by which something holds entry by entry."""
OPENING = re.compile(r"(?:\$\$|\\\[|`{3}\s*\{?math\}?|\$`?|\\\()\s*\Z")
"""What opens a formula."""
SENTENCE = 160
"""How many characters before a formula its sentence may begin."""
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def stated(row: Row, world: World) -> Iterator[Relation]:
    """What a formula says of where a variable lies, as far as that is decided; a condition says nothing.

    In running text a bound on one side, or one after ``where``, is as likely a condition, so that it is not refuted.
    """
    tree = claimed_tree(row, world)
    if tree is None:
        return
    inline = row.span.kind == "inline"
    for value, claimed, count in confined(tree):
        verdict = bounded(value, claimed, count, world, row.span.offset)
        perhaps = inline and None in (claimed.low, claimed.high) or perhaps_condition(row, world)
        if verdict is not None and not (perhaps and verdict.word == "refuted"):
            yield Relation(row.span.latex, verdict)


def claimed_tree(row: Row, world: World) -> Node | None:
    """A formula without the words that it holds entry by entry; None where it, or the sentence before it, states a condition."""
    latex = EACH.sub("", row.span.latex)
    if row.reading.tree is None or SUPPOSED.search(sentence(world.document.text, row.span.offset)) or SUPPOSED.search(latex):
        return None
    return row.reading.tree if latex == row.span.latex else world.parse(latex, row.span.offset)


def perhaps_condition(row: Row, world: World) -> bool:
    """Whether a formula in running text stands after words that may make it a condition."""
    return row.span.kind == "inline" and RESTRICTED.search(sentence(world.document.text, row.span.offset)) is not None


def says_each(row: Row, world: World) -> bool:
    """Whether a formula or the sentence before it says that it holds entry by entry."""
    return BY_ENTRY.search(sentence(world.document.text, row.span.offset) + row.span.latex) is not None


def confined(tree: Node) -> Iterator[tuple[Node, Interval, Node | None]]:
    """What a formula confines, where to, and the power of the set; the symbols of ``f_t, i_t \\in (0, 1)^n`` one by one."""
    listed: list[Node] = []
    for part in tree.nodes if tree.op in ("Seq", "Rows") else (tree,):
        if part.op == "Sym":
            listed.append(part)
            continue
        for value, claimed, count in limits(part):
            yield from ((other, claimed, count) for other in (*listed, value))
        listed.clear()


def sentence(text: str, at: int) -> str:
    """The words of a sentence up to the formula at a place."""
    before = OPENING.sub("", text[max(0, at - SENTENCE) : at]).rstrip()
    return "" if before[-1:] in ".!?" else str(re.split(r"[.!?]\s|\n\s*\n|\$\$|\\\]", before)[-1])


def of_variable(said: Said, world: World) -> Told:
    """``the entries of $h_t$ lie between -1 and 1``, of a variable that an equation defines."""
    claimed = interval(said.value)
    if claimed is None or not said.subjects or blocked(said.clause, "function"):
        return None
    for latex in said.subjects[:1]:
        value = world.parse(latex, said.offset)
        verdict = None if value is None else bounded(value, claimed, None, world, said.offset)
        if verdict is not None:
            carrier = next((k for k in said.spans if (row := world.row(k)) is not None and row.span.latex == said.value), None)
            return carrier, Relation(rf"{latex} \in {said.value}", verdict)
    return None


OTHER_SLOPES = re.compile(r"\b(?:second|third|higher|squared?|product|log\w*|times|powers?|divided|respect)\b", re.I)
"""Words that make it the slope of something else."""


def slope_of(said: Said, world: World) -> Told:
    """``the derivative of the sigmoid is at most 1/4``."""
    name, most = role(said, world), fraction(said.value)
    if OTHER_SLOPES.search(said.clause) or re.search(re.escape(said.words) + r"\$?\s*(?:of|times)\b", said.clause):
        return None
    if most is None or blocked(re.sub(r"(?i)\b(?:derivative|slope|never)\b", "", said.clause), "function"):
        return None
    verdict = slope(name, Interval(None, most, False, True))
    return None if verdict is None else (None, Relation(rf"\text{{derivative of {name}}} \le {said.value}", verdict))


def fraction(text: str) -> Fraction | None:
    r"""A number as a text prints it.

    >>> fraction(r"\frac{1}{4}"), fraction("0.25"), fraction("1/4"), fraction("a")
    (Fraction(1, 4), Fraction(1, 4), Fraction(1, 4), None)
    """
    plain = re.sub(r"\\[dt]?frac\{(\d+)\}\{(\d+)\}", r"\1/\2", text.strip())
    return Fraction(plain) if re.fullmatch(r"\d+(?:\.\d+|/[1-9]\d*)?", plain) else None


def limits(tree: Node) -> Iterator[tuple[Node, Interval, Node | None]]:
    """The values that a formula confines, where to, and the power of the set."""
    if tree.op != "Chain":
        return
    sides = [tree.nodes[0], *(rel.nodes[0] for rel in tree.nodes[1:])]
    signs = [rel.head for rel in tree.nodes[1:]]
    if signs == ["in"]:
        into, count = power(sides[1])
        found = as_interval(into)
        if found is not None:
            yield sides[0], found, count if sides[1].op == "Pow" else None
        return
    if not set(signs) <= set(TURNED) or len(signs) > 2:
        return
    k = next((k for k, side in enumerate(sides) if number(side) is None), 0)
    ends = [(number(side), sign if j > k else TURNED[sign]) for j, side, sign in
            zip((*range(k), *range(k + 1, len(sides))), (*sides[:k], *sides[k + 1:]), signs, strict=True)]
    if any(n is None for n, _ in ends):
        return
    value = sides[k]
    lows, highs = ([(n, sign) for n, sign in ends if sign[0] == turn] for turn in "><")
    if len(lows) > 1 or len(highs) > 1:
        return
    (low, left), (high, right) = (found[0] if found else (None, "") for found in (lows, highs))
    norm = value.op == "Abs" or value.op == "Norm" and len(value.nodes) == 2 and value.nodes[1].head == "infty"
    if norm and high is not None and low is None:
        yield value.nodes[0], Interval(-high, high, right == "<=", right == "<="), None
    elif not norm:
        yield value, Interval(low, high, left == ">=", right == "<="), None


def number(n: Node) -> Fraction | None:
    """A number as it is printed."""
    if n.op == "Neg":
        inner = number(n.nodes[0])
        return None if inner is None else -inner
    if n.op == "Div":
        a, b = map(number, n.nodes)
        return a / b if a is not None and b else None
    return Fraction(n.head) if n.op == "Num" else None


def bounded(value: Node, claimed: Interval, count: Node | None, world: World, offset: int) -> Verdict | None:
    """The verdict on where a variable of the present step lies; None for anything else, or where nothing decides it."""
    setting, model = world.setting(offset), world.model(offset)
    if value.op == "Call" and value.nodes[0].op == "Prime" and value.nodes[0].nodes[0].op == "Sym":
        return slope(function_at(value.nodes[0].nodes[0].head, world, offset), claimed)
    bare = Node("Sym", tuple(a for a in value.args if isinstance(a, str) or a.op != "Index")) if value.op == "Sym" else value
    at = place(bare, setting.scope.table.time_letter)
    if at is None or at[1] or at[0] not in model.definitions or count is not None and not _fits(count, model.symbol(at[0]), world, offset):
        return None
    known = ranges(world, offset, model)
    zero = any(c.kind == "past-zero" and at[0] in c.subject for c in setting.conditions)
    if any(c.kind != "past-zero" for c in setting.conditions):
        return None
    verdict = within(model, at[0], claimed, {name: found for name, (found, _) in known.items()}, zero)
    used = {s.name for name in made_of(model, [at[0]]) for s in symbols(model.definitions[name])}
    free = {s.name for s in given(model)} & used - set(known)
    if verdict is not None and verdict.word == "refuted" and (len(free) > 1 or gap(world, offset, set(known))):
        return None                                                   # something that the text does not define may keep it inside
    stated_too = tuple(words for name, (_, words) in known.items() if name in used and words)
    return verdict and replace(verdict, conditions=(*verdict.conditions, *stated_too))


def ranges(world: World, offset: int, model: Model) -> dict[str, tuple[Interval, str]]:
    """Where what has no equation lies, and the words that say so: a function of something left out, or an interval for an input."""
    out: dict[str, tuple[Interval, str]] = {}
    setting = world.setting(offset)
    for row in world.compiled.rows:
        tree = row.reading.tree
        if row.setting is not setting or tree is None:
            continue
        for n in tree.nodes if tree.op in ("Seq", "Rows") else (tree,):
            name = n.nodes[0].head if n.op == "Chain" and n.nodes[0].op == "Sym" else ""
            if not name or name in model.definitions or len(n.nodes) != 2:
                continue
            right = n.nodes[1].nodes[0]
            if n.nodes[1].head == "=" and right.op == "Call" and any(a.op == "Slot" for a in right.nodes[1:]):
                if (function := function_at(right.nodes[0].head, world, offset)) in RANGES:
                    out[name] = RANGES[function], ""
            elif row.span.offset != offset:
                out |= {v.head: (found, row.span.latex) for v, found, _ in limits(n) if v.op == "Sym" and v.head == name}
    return out


def function_at(name: str, world: World, offset: int) -> str:
    """What function a name is at a place, as the table of functions calls it."""
    d = world.setting(offset).scope.table.lookup(name)
    return own_name(str(d.role)) if d is not None and d.is_function and d.role else own_name(name)


def _fits(count: Node, s: Symbol, world: World, offset: int) -> bool:
    """Whether a set is taken as many times as a variable has entries; a size that is stated nowhere may be any."""
    table = world.setting(offset).scope.table
    sizes = [size_text(n, table) for n in (count.nodes if count.op in ("Times", "Mul") else (count,))]
    own = [str(n) for n in s.shape if n != 1]
    return len(sizes) == len(own) and all(a == b or b not in world.sizes_declared for a, b in zip(sizes, own, strict=True))
