"""Documents to models: definitions are gathered scope by scope, everything else becomes a statement to judge.

An equation of something already defined, or of a standard name, is a claim.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from symrnn.conditions import COUNTERS, condition_of
from symrnn.considered import Aside, aside, beginning, restriction
from symrnn.conventions import denied, name_gradients
from symrnn.errors import Place, SymrnnError
from symrnn.limits import TimeIsUp, limited
from symrnn.prove.claim import Condition
from symrnn.read.conventions import HOUSE, layouts
from symrnn.read.document import Directive, Document, Span
from symrnn.read.elaborate import Meaningless
from symrnn.read.frontmatter import read_yaml
from symrnn.read.keys import checked
from symrnn.read.reader import Reading, Unreadable, read
from symrnn.read.scope import LOSS, TOTAL
from symrnn.read.sentences import Said, sentences
from symrnn.read.spelling import spelling
from symrnn.read.steps import settled
from symrnn.read.symbols import Declared, SymbolTable
from symrnn.read.tree import Node
from symrnn.read.tree import walk as nodes_of
from symrnn.rivals import recalled, rivals
from symrnn.setting import Setting, canonical_base
from symrnn.understood import understood

SUPPOSED = ("distribution", "one-hot", "dropped", "defining")
"""The kinds of sentences that say what holds of a symbol from there on."""

READING = 2.0
"""Seconds that a span may take to be read, however short the time for a claim is."""


@dataclass(frozen=True)
class Row:
    """One span: its reading, the scope it stands in, and its statements (or why they mean nothing).

    ``latex`` is what was read: the span, or a left side that a directive gives and the span.
    """

    id: str
    span: Span
    reading: Reading
    setting: Setting
    found: list[Statement] | Meaningless
    options: Mapping[str, str]
    latex: str


@dataclass(frozen=True)
class Compiled:
    """A document with every span read, every definition entered into its scope, and what its sentences say."""

    document: Document
    settings: dict[str, Setting]
    rows: tuple[Row, ...]
    said: tuple[Said, ...] = ()
    disputed: Mapping[str, Declared] = field(default_factory=dict)    # what is said of sizes against the equations or against the rest
    unsettled: frozenset[str] = frozenset()                           # rows that would define something if no stated shape counted
    asides: tuple[Aside, ...] = ()                                    # what the text only considers
    sole: bool = False                                                # whether nothing else can be what is wrong


def compile_document(document: Document, claims_from: int | None = None, timeout: float | None = None,
                     opened: frozenset[str] = frozenset()) -> Compiled:
    """Read every span of a document, scope by scope, and gather the definitions (not from the spans numbered ``claims_from`` on).

    A span that takes longer than ``timeout`` (and longer than :data:`READING`) is unreadable, or means nothing. What a text that
    declares nothing says of the sizes of the symbols ``opened`` does not count.

    Raises DeclarationError or DocumentError when a declaration is malformed; a formula never raises anything.
    """
    timeout = None if timeout is None else max(timeout, READING)
    with placed(document, document.declared_in):
        checked(document.settings)
    macros = {**document.macros, **(document.settings.get("macros") or {})}
    said = sentences(document) if claims_from is None else []
    with placed(document, document.declared_in):
        inferred = understood(document, macros, said, opened) if claims_from is None else {}
    data = {**inferred, **document.settings, **({"symbols": inferred["symbols"]} if inferred else {})}
    main = declared(document, "main", {**data, **({"macros": macros} if macros else {})}, None)
    main.guessed = bool(inferred)
    if claims_from is None and "layout" not in document.settings and (lies := layouts(document.text)) != HOUSE:
        if lies == ("transposed",) or main.stated_layout is None and "transposed" in lies:
            main.lay(*lies)
    heeded = [x for x in said if x.kind not in SUPPOSED or not denied(x)] if main.guessed else []
    main.suppose(distributions(document, heeded, main, timeout))
    name_gradients(heeded, main)
    cases = {display: x.value for x in heeded if x.kind == "case" for display in x.spans[1:]}
    drops = [x for x in heeded if x.kind == "dropped"]
    defining = {offset for x in heeded if x.kind == "defining" for offset in x.spans}
    rejected = {offset for x in heeded if x.kind == "rejected" for offset in x.spans}
    rows: list[Row] = []
    asides: list[Aside] = []
    seen: set[str] = set()                                            # what the facts before a claim speak of
    settings, current = {"main": main}, main
    scopes = [d for d in document.directives if d.name == "scope"]
    for span in document.spans:
        while scopes and scopes[0].offset < span.offset:
            current = open_scope(document, scopes.pop(0), settings)
        while drops and drops[0].offset < span.offset:
            drop = drops.pop(0)
            if zero := dropped(drop, current):
                current = current.under(zero, f"from line {drop.line}")
                settings[current.name] = current
        directive = document.directives[span.directive] if span.directive is not None else None
        identifier = f"eq-{len(rows) + 1}"
        latex = span.latex
        if directive is not None and "equals" in directive.options:   # a term that the text prints without a relation
            latex = f"{directive.options['equals']} = {latex}"
        reading = _read_within(latex, current.scope.table, timeout)
        found: list[Statement] | Meaningless = []
        if reading.tree is not None:
            try:
                with limited(timeout, None):
                    tree = settled(under_conditions(reading.tree, current), current.scope)
                    reading = replace(reading, tree=tree)
                    said_aside = aside(document, span, tree, current) if claims_from is None else None
                    if claims_from is None:
                        before = (row.reading.tree for row in rows if row.reading.tree is not None)
                        others = restriction(document, span, tree, current), beginning(document, span, tree, current, before)
                        asides += [x for x in (said_aside, *others) if x is not None]
                    late = claims_from is not None and len(rows) >= claims_from or span.offset in rejected
                    if main.guessed and said_aside is None and (again := current.defined_anew(tree)):
                        other = anew(again, tree, current, span, document, rows, span.offset in defining)
                        current, late = other or current, late or other is None
                        settings[current.name] = current
                    found = ([Statement("mention", tree)] if said_aside is not None else claimed(tree) if late else
                             statements(tree, current, identifier))
                    if late and claims_from is not None:
                        found = introduced(found, seen, current)
                if main.guessed and isinstance(found, list):
                    found = [supposed(s, current) for s in found]
            except Meaningless as reason:
                found = reason
            except (TimeIsUp, MemoryError):
                found = Meaningless("SR304", "it takes too long to understand", (0, 0))
        options = directive.options if directive is not None else {}
        if span.offset in cases:
            options, found = restricted(options, found, cases[span.offset], current)
        rows.append(Row(identifier, span, reading, current, found, options, latex))
        if claims_from is not None and reading.tree is not None:
            seen.update(n.head for n in nodes_of(reading.tree))
    rows = announced(rows, defining, timeout)
    names = spelling(row.reading for row in rows)
    for setting in settings.values():
        setting.settle_direct()
        own = {LOSS: setting.scope.loss, TOTAL: setting.scope.total}
        setting.latex = {**names, **{core: names[name] for core, name in own.items() if name in names}}
    return Compiled(document, settings, tuple(rows), tuple(said), asides=tuple(asides))


def anew(names: frozenset[str], tree: Node, setting: Setting, span: Span, document: Document, rows: Sequence[Row],
         defining: bool) -> Setting | None:
    """The scope after a formula that defines some variables otherwise than before; None where the text says that it only recalls them.

    ``defining``: the sentence before it says that this is the definition.
    """
    other = setting.without(names, f"from line {span.line}")
    contradicted = rivals(names, setting, {row.id: row.span for row in rows}, document, span)
    if contradicted and recalled(document, span) and not defining:
        statements(tree, other, "")
        setting.rivals += tuple(other.rival(name, span) for name in sorted(names))
        return None
    other.rivals = (*(r for r in setting.rivals if r.name not in names), *contradicted)
    return other


def announced(rows: Sequence[Row], defining: set[int], timeout: float | None) -> list[Row]:
    """The rows with an equation up front as a claim, where the next display defines its variable and the equation follows from that.

    A text that prints first what it will derive defines nothing by it: the definition is the one that a sentence introduces (at one
    of the offsets ``defining``). The claim is judged where the text comes to it again, under what it supposes there.
    """
    out = list(rows)
    speaking = [(k, row) for k, row in enumerate(rows) if any(s.role != "mention" for s in _found(row))]
    for n, ((k, row), (_, display)) in enumerate(pairwise(speaking)):
        if len(_found(row)) != 1 or display.span.offset not in defining or row.span.offset in defining:
            continue
        (first,) = _found(row)
        if first.defines is None or first.defines not in {s.defines for s in _found(display)}:
            continue
        again = (other for _, other in speaking[n + 2 :] for s in _found(other) if s.sides and same_equation(first.sides[0], s.sides[0]))
        setting = next(again, display).setting
        if setting is not row.setting and _follows(first.sides[0], setting, timeout):
            row.setting.forget(frozenset({first.defines}))
            setting.rivals = tuple(r for r in setting.rivals if r.name != first.defines)
            out[k] = replace(row, setting=setting, found=claimed(first.tree))
    return out


def _found(row: Row) -> list[Statement]:
    return row.found if isinstance(row.found, list) else []


def _follows(sides: Sides, setting: Setting, timeout: float | None) -> bool:
    """Whether an equation follows from the definitions of a scope, if that can be seen in time."""
    try:
        with limited(timeout, None):
            return setting.follows(sides.left, sides.right)
    except (TimeIsUp, MemoryError):
        return False


def distributions(document: Document, heeded: Sequence[Said], setting: Setting, timeout: float | None) -> list[str]:
    """What sentences call a distribution, or one-hot where a logarithm of something else stands beside it, and no equation computes."""
    names = {canonical_base(s): x.kind for x in heeded if x.kind in ("distribution", "one-hot") for s in x.subjects}
    if not names:
        return []
    trees = [r.tree for s in document.spans if (r := _read_within(s.latex, setting.scope.table, timeout)).tree is not None]
    computed = {n.nodes[0].head for tree in trees for n in nodes_of(tree) if n.op == "Chain" and n.nodes[0].op == "Sym"
                and n.nodes[1].head in ("=", ":=")}
    beside = {n.head for tree in trees for m in nodes_of(tree) if m.op in ("Mul", "Dot") for n in nodes_of(m)
              if n.op == "Sym" and any(a.op == "Call" and a.nodes[0].head in ("log", "ln") for a in nodes_of(m))}
    return [name for name, kind in names.items() if name not in computed and (kind == "distribution" or name in beside)]


def dropped(said: Said, setting: Setting) -> list[Condition]:
    """What a sentence takes to be zero from there on: the parameters that it names, or all biases."""
    names = [name for name in said.names if (d := setting.scope.table.get(name)) is not None and not d.sequence]
    if not said.subjects and said.value.startswith("bias"):
        names = list(setting.biases())
    return [Condition("zero", (name,), f"{setting.latex.get(name, name)} = 0") for name in names if name not in setting.scope.defined]


def _read_within(latex: str, table: SymbolTable, timeout: float | None) -> Reading:
    """The reading of a span, if it takes no more than some seconds."""
    if (known := table.readings.get((latex, True))) is not None:
        return known                                                  # type: ignore[no-any-return]
    try:
        with limited(timeout, None):
            return read(latex, table)
    except (TimeIsUp, MemoryError):
        return Reading(latex, None, unread=Unreadable(0, latex[:1], "it takes too long to read"))


def restricted(options: Mapping[str, Any], found: list[Statement] | Meaningless, case: str,
               setting: Setting) -> tuple[Mapping[str, Any], list[Statement] | Meaningless]:
    """A display with the case that the sentence before it states; a case that is not understood leaves it undecided."""
    try:
        setting.condition(case, None, () if isinstance(found, Meaningless) else [s.tree for s in found])
    except SymrnnError:
        return options, Meaningless("SR303", f"stated for {case}, which is not understood", (0, 0))
    stated = options.get("assume") or []
    return {**options, "assume": [*([stated] if isinstance(stated, str) else stated), case]}, found


def open_scope(document: Document, directive: Directive, settings: dict[str, Setting]) -> Setting:
    """The scope that a directive opens or returns to; its options are YAML."""
    name = directive.argument or "main"
    if name not in settings:
        where = Place(document.path, directive.line)
        data = {k: read_yaml(v, f"the option {k} of the scope {name}", where) for k, v in directive.options.items()}
        settings[name] = declared(document, name, data, settings["main"], directive.offset)
    return settings[name]


def declared(document: Document, name: str, data: Mapping[str, Any], parent: Setting | None, start: int = 0) -> Setting:
    """The scope that declarations from ``start`` on make; an error of theirs is placed at the word that is wrong."""
    with placed(document, document.declared_in if parent is None else None, start):
        return Setting.of(name, data, parent)


@contextmanager
def placed(document: Document, outside: Place | None, start: int = 0) -> Iterator[None]:
    """Place an error of declarations: where they stand outside of front matter, or from ``start`` on at the word that is wrong."""
    try:
        yield
    except SymrnnError as error:
        words = (error.came.strip("'\""), error.subject.split()[-1] if error.subject else "")
        at = next((k for w in words if w and (k := document.text.find(w, start)) >= 0), start)
        raise error.at(document.place(at) if outside is None else outside) from None


# ------------------------------------------------------------------------------------------------------------------ statements
@dataclass(frozen=True)
class Sides:
    """One relation of a chain as trees."""

    left: Node
    relation: str
    right: Node


@dataclass(frozen=True)
class Statement:
    """One statement of a span: a definition (of ``defines``), a claim, or a mention."""

    role: str
    tree: Node
    sides: tuple[Sides, ...] = ()
    defines: str | None = None
    conditions: tuple[Node, ...] = ()

    @property
    def part(self) -> str:
        """What it is to the text: a claim without an equation is a condition."""
        return self.role if self.role != "claim" or any(x.relation == "=" for x in self.sides) else "condition"


def role_of(found: Iterable[Statement]) -> str:
    """The role of a span with these statements: that which asks for most."""
    parts = {s.part for s in found}
    return next((word for word in ("claim", "definition", "condition", "mention") if word in parts), "mention")


def statements(n: Node, setting: Setting, identifier: str) -> list[Statement]:
    """The statements of one span, in order; definitions are entered into the setting."""
    if n.op in ("Rows", "Seq", "Implies", "Iff"):
        return [s for part in n.nodes for s in (claimed(part) if _supposed(n, part) else statements(part, setting, identifier))]
    whole, where = (n.nodes[0], n.nodes[1:]) if n.op == "Where" else (n, ())
    if whole.op in ("Rows", "Seq"):
        return [replace(s, conditions=(*s.conditions, *where)) for part in whole.nodes for s in statements(part, setting, identifier)]
    if whole.op != "Chain":
        return [Statement("mention", n)]
    sides = tuple(chain(whole))
    if all(setting.is_counter(side) for x in sides for side in (x.left, x.right)):
        return [Statement("condition", n, sides)]
    name = setting.definition(n, identifier)
    if name is not None:
        return [Statement("definition", n, sides, name, where)]
    return [Statement("claim", n, sides, None, where)]


def under_conditions(n: Node, setting: Setting) -> Node:
    """The tree with ``i = j : claim`` as the claim under that condition, wherever a relation between letters that count stands first."""
    if n.op in ("Rows", "Seq", "Where"):
        return Node(n.op, tuple(under_conditions(a, setting) if isinstance(a, Node) else a for a in n.args), n.span)
    k = next((k for k, rel in enumerate(n.nodes[1:], start=1) if rel.head == ":"), 0) if n.op == "Chain" else 0
    before = n.nodes[: k] if k > 1 else ()
    if not before or not all(setting.is_counter(m) or _counts(m) for m in (before[0], *(rel.nodes[0] for rel in before[1:]))):
        return n
    claim = Node("Chain", (n.nodes[k].nodes[0], *n.nodes[k + 1:]), n.span)
    condition = Node("Chain", before, (before[0].span[0], before[-1].nodes[0].span[1]))
    return Node("Where", (claim, condition), n.span) if len(claim.args) > 1 else n


def _counts(n: Node) -> bool:
    return n.op == "Sym" and len(n.args) == 1 and n.head in COUNTERS


def supposed(s: Statement, setting: Setting) -> Statement:
    """A sum of the entries of something that no equation defines, set to one, is no claim but says that it is a distribution."""
    said = condition_of(s.tree, setting.scope, "") if s.role == "claim" and len(s.sides) == 1 else None
    if said is None or said.kind != "simplex" or {*said.subject} & (setting.scope.defined | setting.simplex):
        return s
    d = setting.scope.table.lookup(str(said.subject[0]))
    if d is None or d.role is not None:
        return s
    setting.suppose(map(str, said.subject))
    return replace(s, role="condition")


def claimed(n: Node) -> list[Statement]:
    """The statements of a span in which every relation is a claim."""
    if n.op in ("Rows", "Seq", "Implies", "Iff"):
        return [s for part in n.nodes for s in claimed(part)]
    whole, where = (n.nodes[0], n.nodes[1:]) if n.op == "Where" else (n, ())
    if whole.op in ("Rows", "Seq"):
        return [replace(s, conditions=(*s.conditions, *where)) for part in whole.nodes for s in claimed(part)]
    return [Statement("claim", n, tuple(chain(whole)), None, where)] if whole.op == "Chain" else [Statement("mention", n)]


def introduced(found: list[Statement], seen: set[str], setting: Setting) -> list[Statement]:
    """Statements that are judged together: one that sets a new name equal to something only introduces it for the others."""
    out = []
    for s in found:
        left = s.sides[0].left if s.role == "claim" and s.sides[0].relation in ("=", ":=") else None
        others = [o for o in found if o is not s and o.role == "claim"]
        if left is not None and left.head not in seen and others and setting.introduce(left, s.sides[0].right):
            s = replace(s, role="definition", defines=left.head)
        out.append(s)
    return out if any(s.role == "claim" for s in out) else found


def chain(n: Node) -> Iterable[Sides]:
    """The relations of a chain, each with the side before it."""
    left = n.nodes[0]
    for rel in n.nodes[1:]:
        yield Sides(left, "=" if rel.head == "==" else rel.head, rel.nodes[0])
        left = rel.nodes[0]


def same_equation(a: Sides, b: Sides) -> bool:
    """Whether two equations are one, also if only one of them says what the letter on the left is a function of.

    >>> L, l, y = (Node("Sym", (name,)) for name in "Lly")
    >>> same_equation(Sides(L, "=", l), Sides(Node("Call", (L, y)), "=", l)), same_equation(Sides(L, "=", l), Sides(L, "=", y))
    (True, False)
    """
    same = a.left == b.left or any(x.op == "Call" and x.nodes[0] == y for x, y in ((a.left, b.left), (b.left, a.left)))
    return same and a.right == b.right and {a.relation, b.relation} <= {"=", ":="}


def _supposed(n: Node, part: Node) -> bool:
    """A symbol that the premise of an implication sets to a number: for the sake of argument, not for good."""
    return n.op in ("Implies", "Iff") and part.op == "Chain" and part.nodes[0].op == "Sym" and part.nodes[1].nodes[0].op == "Num"
