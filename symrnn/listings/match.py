"""One statement of a listing against the equations of a model: equal, equal under a condition that is named, different, or not known.

The names of the listing are those of the text wherever they are spelled alike. Only a name that the text does not have may stand for
another symbol of the same kind, and that is a condition of the verdict. What is the same is proved by the same ladder as any claim.
"""
from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from itertools import islice, product

from symrnn.claimforms import fitted, made_single
from symrnn.errors import SymrnnError
from symrnn.expr import NOW, Expr, Symbol, node, shift, transpose, walk
from symrnn.listings.arrays import Program
from symrnn.listings.names import Meaning, Reference, biases, named, offset_of, ranks, reachable, references, replaced, stem
from symrnn.model import Model
from symrnn.prove.claim import Claim, Condition
from symrnn.prove.decide import decide
from symrnn.prove.exact import compare
from symrnn.prove.shapes import conflict
from symrnn.prove.verdict import Verdict
from symrnn.read.listing import Lifted
from symrnn.read.meaningless import Meaningless
from symrnn.read.scope import Scope
from symrnn.read.symbols import STANDARD
from symrnn.read.tree import Node, num, sym

CONSTANT = frozenset({"Num", "Zeros", "Ones", "List"})
"""The values that only set a start or a size."""

LIMIT = 240
"""How many ways to take unknown names for symbols of the text are tried for one statement."""

TURNED = "the matrices of the listing are the transposes of the text's"
"""The condition under which ``x @ W`` is the text's W x."""


@dataclass(frozen=True)
class Text:
    """What a listing is compared with: a model, the scope of the text in which functions have their names, and free names.

    ``guessed``: nothing is declared, so that a letter that stands for a function may have been read as a factor.
    """

    model: Model
    scope: Scope
    guessed: bool = False

    def variable(self, name: str) -> str | None:
        """The variable that a name of a program is, if it is spelled like one."""
        return named(name, [v.name for v in self.model.variables if v.name != self.model.loss])

    def knows(self, names: Iterable[str]) -> bool:
        """Whether some name of a program is spelled like a parameter."""
        every = [p.name for p in self.model.parameters]
        return any(named(name, every) for name in names)


@dataclass(frozen=True)
class Found:
    """What became of one statement: its verdict, the variable whose equation it was compared with, the claim, and the meanings.

    ``named``: the text has a variable of the name that is assigned.
    """

    verdict: Verdict
    variable: str | None = None
    claim: Claim | None = None
    meanings: Mapping[str, Meaning] = field(default_factory=dict)
    named: bool = False

    @property
    def matched(self) -> bool:
        return self.verdict.word in ("proved", "conditional")

    def shares(self, parameters: Collection[str]) -> bool:
        """Whether it matched with a parameter that has one name in the text and in the listing."""
        return self.matched and any(m.symbol in parameters and not m.said for m in self.meanings.values())


@dataclass(frozen=True)
class Attempt:
    """One way to read a statement as an equation of the text: the claim, and the conditions under which it is that claim."""

    claim: Claim
    words: tuple[str, ...]
    meanings: Mapping[str, Meaning]
    inner: bool = False                                              # compared with what a last function is applied to

    @property
    def cost(self) -> tuple[int, bool]:
        """How much has to be supposed."""
        return len(self.words), self.inner


class Matcher:
    """Compares the statements of one function with one model, in order; the names found for one statement hold for the next ones.

    ``renames``: a statement may be the equation of a variable that has another name.
    """

    def __init__(self, text: Text, assigned: Iterable[str], states: frozenset[str], parameters: frozenset[str],
                 meanings: Mapping[str, Meaning] | None = None, renames: bool = True) -> None:
        self.text, self.model = text, text.model
        self.assigned, self.states, self.parameters = frozenset(assigned), states, parameters
        self.meanings, self.renames = dict(meanings or {}), renames
        self.left = LIMIT

    def after(self, found: Found) -> Matcher:
        """The same with the names that a statement has shown."""
        return Matcher(self.text, self.assigned, self.states, self.parameters, self.meanings | dict(found.meanings), self.renames)

    def is_local(self, e: Lifted) -> bool:
        """Whether a statement only makes a name for what the ones after it use."""
        return e.relation == "=" and not e.returned and e.target.head not in self.states and e.target.part("Index") is None

    def match(self, e: Lifted) -> list[Found]:
        """The verdict on a statement; several where it may be the equation of several variables that have names of their own.

        The verdict has no word for a statement that only sets a start, or names a value anew.
        """
        if e.value.op in CONSTANT:
            return [Found(Verdict(None))]
        try:
            alias = self._alias(e) if e.value.op == "Sym" and not e.returned else None
            return self._match(e) if alias is None else [Found(Verdict(None), meanings={e.target.head: alias})]
        except Meaningless as reason:
            own = None if e.returned else self.text.variable(e.target.head)
            return [Found(Verdict("undecided", reason.code, reason.reason), own, named=own is not None)]

    def _match(self, e: Lifted) -> list[Found]:
        own = None if e.returned else self.text.variable(e.target.head)
        if e.relation != "=":
            words = "what is added up over steps is no equation of one step"
            return [Found(Verdict("undecided", "SR303", words), own, named=own is not None)]
        late = offset_of(e.target) or 0
        refs = list(dict.fromkeys(references(e.value)))
        if e.target.part("Index") is not None:
            raise Meaningless("SR303", f"a component of {e.target.head} is assigned", e.target.span)
        self.left = LIMIT
        found: dict[str, tuple[Attempt, Verdict]] = {}
        known = None if e.returned or own else self.meanings.get(e.target.head)
        names = [own] if own is not None else [known.symbol] if known is not None else self._others(e)
        for near, name in product((True, False), names):              # what the equations themselves hold before what is behind that
            if not near and found:
                break
            target = known or Meaning(name, -late, "" if own or e.returned else f"{e.target.head} is the text's {name}")
            if target.shift != -late or name not in self.model.definitions:
                continue
            within = reachable(self.model, name, self.model.definitions if near else ())
            for attempt in self._attempts(e, refs, within, target):
                if name in found and attempt.cost >= found[name][0].cost:
                    continue
                verdict = proved(attempt.claim)
                if verdict is not None:
                    found[name] = attempt, verdict
        if not found:
            return [self._different(e, refs, own, late)]
        least = min(attempt.cost for attempt, _ in found.values())
        return [Found(self._worded(verdict, attempt, name), name, attempt.claim, attempt.meanings, own is not None)
                for name, (attempt, verdict) in found.items() if attempt.cost == least]

    def _alias(self, e: Lifted) -> Meaning | None:
        """The meaning of a name that a statement only gives to a value of the text."""
        (ref,) = references(e.value)
        if self.text.variable(e.target.head) is not None or e.relation != "=" or e.target.part("Index") is not None:
            return None
        every = [s.name for s in (*self.model.variables, *self.model.inputs, *self.model.targets)]
        known = self.meanings.get(ref.name) or ((own := named(ref.name, every)) and Meaning(own))
        return Meaning(known.symbol, known.shift + (ref.offset or 0) - (offset_of(e.target) or 0)) if known else None

    def _others(self, e: Lifted) -> list[str]:
        """The variables that a name may be which the text does not have: those that nothing else in the listing is, last ones first."""
        taken = {m.symbol for m in self.meanings.values()}
        taken |= {v for name in self.assigned if name != e.target.head and (v := self.text.variable(name))}
        names = [v.name for v in reversed(self.model.variables) if v.name != self.model.loss] if self.renames else []
        return names if e.returned else [name for name in names if name not in taken]

    # ------------------------------------------------------------------------------------------------------------ the names
    def _attempts(self, e: Lifted, refs: list[Reference], within: Mapping[Symbol, None], target: Meaning) -> Iterator[Attempt]:
        """The readings of a statement as the equation of a variable, those without conditions first."""
        fixed = self.meanings | {e.target.head: target}
        names = list(dict.fromkeys(r.name for r in refs))
        rank = ranks(e.value)
        choices = [self._ranked(self._meanings(name, [r for r in refs if r.name == name], within, fixed), rank.get(name)) for name in names]
        extra = [name for name, found in zip(names, choices, strict=True) if not found]
        if any(name not in self.parameters for name in extra):
            return
        known = [(name, found) for name, found in zip(names, choices, strict=True) if found]
        for row in islice(product(*(found for _, found in known)), self.left):
            self.left -= 1
            if len({(m.symbol, m.shift) for m in row}) < len(row):
                continue
            meanings = {**dict(zip([name for name, _ in known], row, strict=True)), e.target.head: target}
            yield from self._readings(e, refs, target.symbol, meanings, extra)

    def _meanings(self, name: str, refs: list[Reference], within: Mapping[Symbol, None], fixed: Mapping[str, Meaning]) -> list[Meaning]:
        """What a name may be: what it was before, what is spelled like it, or else whatever of its kind the equation uses."""
        if name in fixed:
            return [fixed[name]] if all(self._exists(fixed[name], r) for r in refs) else []
        kinds = ("parameter", "constant") if name in self.parameters else ("variable",) if name in self.states | self.assigned else (
            "input", "target", "variable", "parameter", "constant")
        base, lag = stem(name)
        every = [s.name for s in (*self.model.variables, *self.model.parameters, *self.model.inputs, *self.model.targets,
                                  *self.model.constants) if s.kind in kinds]
        own = named(name, every) or (named(base, every) if lag else None)
        if own is not None:
            if any(r.offset is None for r in refs) and self.model.symbol(own).kind == "variable":     # the program does not say when
                lags = dict.fromkeys(s.time.offset for s in within if s.name == own and s.time is not None)
                return [Meaning(own, k, f"{name} is the text's {own}{_ago(k)}" if k else "") for k in lags] or [Meaning(own)]
            first = Meaning(own, lag if own != named(name, every) else 0, f"{name} is the text's {own}{_ago(lag)}" if lag else "")
            late = not lag and name not in self.assigned and all(r.offset == -1 for r in refs) and self.model.symbol(own).kind in (
                "input", "target")
            return [first, Meaning(own, 1, f"{name}[0] is the text's {own} of the first step")] if late else [first]
        found = []
        taken = {(m.symbol, m.shift) for m in fixed.values()}
        for s in within:
            k = s.time.offset if s.time is not None else 0
            moved = k - (next((r.offset for r in refs if r.offset is not None), 0) if s.time is not None else 0)
            if s.kind in kinds and (s.name, moved) not in taken and not self._is_named(s.name):
                found.append(Meaning(s.name, moved, f"{name} is the text's {s.name}{_ago(k if not refs[0].offset else 0)}"))
        return [m for m in dict.fromkeys(found) if all(self._exists(m, r) for r in refs)]

    def _ranked(self, found: list[Meaning], matrix: bool | None) -> list[Meaning]:
        """Of several meanings those that are a matrix where the program uses one, and none where it uses a vector."""
        fit = [m for m in found if matrix is None or matrix == (1 not in self.model.symbol(m.symbol).shape)]
        return fit or found

    def _is_named(self, symbol: str) -> bool:
        """Whether the listing uses a symbol of the text under its own name."""
        return any(named(name, [symbol]) for name in self.parameters | self.assigned | self.states)

    def _exists(self, m: Meaning, r: Reference) -> bool:
        """Whether a symbol has a value at the step where a name is used; a parameter is the same at every step."""
        constant = self.model.symbol(m.symbol).time is None
        return not constant or r.offset in (None, 0)

    def _same_at_every_turn(self, e: Lifted, refs: list[Reference], meanings: Mapping[str, Meaning]) -> str | None:
        """A name that a loop over steps leaves as it is, taken for something that has another value at every step."""
        return next((r.name for r in refs if e.looped and r.offset is None and r.name in meanings
                     and self.model.symbol(meanings[r.name].symbol).time is not None), None)

    # --------------------------------------------------------------------------------------------------------- the readings
    def _readings(self, e: Lifted, refs: list[Reference], variable: str, meanings: Mapping[str, Meaning], extra: list[str]
                  ) -> Iterator[Attempt]:
        """One choice of names: as it stands, without biases, without the last function, and with matrices transposed."""
        if self._same_at_every_turn(e, refs, meanings):
            return
        said = tuple(m.said for m in meanings.values() if m.said)
        used = {m.symbol for m in meanings.values()}
        near = reachable(self.model, variable, used)
        unused = [b for b in biases(self.model, near) if b not in used]
        if extra:
            said = (*said, *(f"{name} = 0, which the text leaves out" for name in extra))
        for (left, tree, word), zero in product(self._pairs(e, variable), (False, True) if unused else (False,)):
            words = [*said, *(f"{b} = 0" for b in unused if zero)]
            if word:
                words = [*(w for w in words if tree is not e.value or w != meanings[e.target.head].said), word]
            conditions = tuple(Condition("zero", (b,), f"{b} = 0") for b in unused if zero)
            for turn in (False, True):
                try:
                    claim = self._claim(left, self._value(tree, refs, meanings, frozenset(extra), turn), conditions)
                except (Meaningless, SymrnnError, ValueError):
                    continue
                if claim is not None and conflict(claim) is None:
                    yield Attempt(claim, (*words, *([TURNED] if turn else ())), meanings, bool(word))

    def _pairs(self, e: Lifted, variable: str) -> Iterator[tuple[Expr, Node, str]]:
        """What is compared: the variable with the value of the statement, or what their last functions are applied to, if that is said."""
        value, tree = self.model.definitions[variable], idioms(e.value)
        yield node("sym", attr=self.model.symbol(variable)), e.value, ""
        if value.op not in ("softmax", "apply"):
            return
        name = str(value.attr or value.op)
        standard = STANDARD.get(tree.nodes[0].head) if tree.op == "Call" and len(tree.nodes) == 2 else None
        if name.startswith("?") and standard is not None and standard.is_function:
            yield value.args[0], tree.nodes[1], f"{name[1:]} is {standard.name}"
        kept = {s.name for v in self.model.states for s in (v, *reachable(self.model, v.name))}
        if variable not in kept:                                      # what only leaves the network may do so without its last function
            yield value.args[0], e.value, f"{e.target.head} is what {name.removeprefix('?')} is applied to in the text's {variable}"

    def _value(self, n: Node, refs: list[Reference], meanings: Mapping[str, Meaning], left_out: frozenset[str], turn: bool) -> Expr:
        """The right side of a statement in the symbols of the model; ``turn``: every matrix is the transpose of the text's."""
        stand = {r: f"reference {k}" for k, r in enumerate(refs)}
        values = {stand[r]: self._symbol(meanings[r.name], r) for r in refs if r.name in meanings}
        if turn:
            values = {key: e if e.shape is None or 1 in e.shape else transpose(e) for key, e in values.items()}
        rest = _without(n, {r for r in refs if r.name in left_out}) if left_out else n
        return Program(self.text.scope, values=values).value(idioms(replaced(rest, stand)))

    def _symbol(self, m: Meaning, r: Reference) -> Expr:
        s = self.model.symbol(m.symbol)
        e = node("sym", attr=s)
        return e if s.time is None else shift(e, (r.offset or 0) + m.shift)

    def _claim(self, left: Expr, right: Expr, conditions: tuple[Condition, ...]) -> Claim | None:
        """The claim with its sizes settled; None where it fits only for arrays of one entry."""
        if made_single(left, right):
            return None
        left, right = fitted(left, right)
        return Claim(left, right, self.model, "=", conditions)

    # --------------------------------------------------------------------------------------------------------- the verdicts
    def _worded(self, v: Verdict, a: Attempt, variable: str) -> Verdict:
        """``proved`` where nothing had to be supposed; else ``conditional``, with what was supposed."""
        conditions = tuple(dict.fromkeys((*a.words, *v.conditions)))
        if not a.words:
            return replace(v, reason=f"the text's equation of {variable}")
        further = [e for e in self.model.equations if e.right.op in ("softmax", "apply") and e.right.args[0] == self.model[variable]
                   and self.text.variable(variable) and e.name not in self.assigned]
        note = "".join(f"; the text goes on to {e.name} by {e.right.attr or e.right.op}, the listing does not" for e in further)
        words = [f"{w}, which the listing leaves out" if w.endswith(" = 0") else w for w in a.words]
        return replace(v, word="conditional", conditions=conditions, reason=f"the text's equation of {variable}, when "
                       + ", and ".join(words) + note)

    def _different(self, e: Lifted, refs: list[Reference], own: str | None, late: int) -> Found:
        """A statement that is no equation of the text: refuted where every name is the text's, else not decided."""
        if own is None:
            tried = "any choice of names" if self.left > 0 else f"{LIMIT} choices of names"
            words = f"the text has no equation of {e.target.head}, and none of its equations has this value under {tried}"
            return Found(Verdict("undecided", "SR103", words))
        target = {e.target.head: Meaning(own, -late)}
        within = reachable(self.model, own)
        choices = {r.name: self._meanings(r.name, [r], within, self.meanings | target) for r in refs}
        unknown = [name for name, found in choices.items() if len(found) != 1 or found[0].said and name not in self.meanings]
        supposed = [found[0].said for name, found in choices.items() if name not in unknown and found[0].said]
        if unknown or supposed:
            words = f"{' and '.join(unknown)} {'is' if len(unknown) == 1 else 'are'} not in the text's equation of {own}"
            words = words if unknown else f"not the text's equation of {own}, if {' and '.join(supposed)}"
            return Found(Verdict("undecided", "SR103", words), own, named=True)
        meanings = {name: found[0] for name, found in choices.items()}
        if (same := self._same_at_every_turn(e, refs, meanings)) is not None:
            return Found(Verdict("undecided", "SR103", f"{same} is the same at every turn of the loop"), own, named=True)
        used = {m.symbol for m in meanings.values()}
        near = reachable(self.model, own, used)
        if (open_name := self._open(own, near, used)) is not None:
            words = f"the text does not say which function {open_name} in its equation of {own} is"
            return Found(Verdict("undecided", "SR103", words), own, named=True)
        left = node("sym", attr=self.model.symbol(own))
        claim = self._claim(left, self._value(e.value, refs, meanings, frozenset(), False), ())
        if claim is None:
            return Found(Verdict("undecided", "SR103", "the shapes of its symbols are not all known"), own, named=True)
        found = Found(decide(claim), own, claim, meanings | target, True)
        if found.verdict.word != "refuted":
            why = found.verdict.reason or "it is not decided"
            return Found(Verdict("undecided", "SR303", f"not known to be the text's equation of {own}: {why}"), own, named=True)
        return replace(found, verdict=replace(found.verdict, reason=f"not the text's equation of {own}: {found.verdict.reason}"))


    def _open(self, variable: str, near: Mapping[Symbol, None], used: Set[str]) -> str | None:
        """A function in the equation of a variable that the text does not define, or a letter that may be one read as a factor.

        A letter that the listing has too (``used``) is what it seems to be.
        """
        rows = [self.model.definitions[variable], *(self.model.definitions[s.name] for s in near if s.kind == "variable" and s.time == NOW)]
        for x in (x for row in rows for x in walk(row)):
            if x.op == "apply" and x.attr.startswith("?") or x.op == "vcall":
                return str(x.attr[0] if x.op == "vcall" else x.attr[1:].rstrip("'"))
            factor = x.args[0] if x.op == "smul" else None
            while factor is not None and factor.op == "entry":
                factor = factor.args[0]
            if self.text.guessed and factor is not None and factor.op == "sym" and factor.attr.kind in ("parameter", "constant") and (
                    factor.attr.name not in used):
                return str(factor.attr.name)
        return None


def proved(claim: Claim) -> Verdict | None:
    """The verdict if a claim is proved; a difference is found first, since that is quick."""
    if compare(claim).status == "different":
        return None
    verdict = decide(claim)
    return verdict if verdict.word == "proved" else None


def _ago(shift: int) -> str:
    return "" if not shift else " of the step before" if shift == -1 else f" of {-shift} steps before"


# ------------------------------------------------------------------------------------------------------------------- the trees
def _without(n: Node, names: set[Reference]) -> Node:
    """A sum without the terms that are one of some names. Raises Meaningless where such a name is no term of a sum."""
    def is_one(a: Node) -> bool:
        return a.op == "Sym" and any(r.name == a.head for r in names)
    if is_one(n):
        raise Meaningless("SR303", f"{n.head} is no term of a sum", n.span)
    args = [a for a in n.args if not (n.op == "Add" and isinstance(a, Node) and is_one(a))]
    if n.op == "Add" and len(args) == 1 and isinstance(args[0], Node):
        return _without(args[0], names)
    return Node(n.op, tuple(_without(a, names) if isinstance(a, Node) else a for a in args), n.span)


def idioms(n: Node) -> Node:
    """What programs write for functions that have a name: ``max(0, a)``, ``exp(a) / sum(exp(a))``.

    >>> print(idioms(Node("Call", (sym("max"), num(0), sym("a")))))
    (Call relu a)
    >>> power = Node("Call", (sym("exp"), sym("o")))
    >>> print(idioms(Node("Div", (power, Node("Call", (sym("sum"), power))))))
    (Call softmax o)
    """
    n = Node(n.op, tuple(idioms(a) if isinstance(a, Node) else a for a in n.args), n.span)
    if n.op == "Call" and n.nodes[0].head == "max" and num(0) in n.nodes[1:] and len(n.nodes) == 3:
        return Node("Call", (sym("relu"), next((a for a in n.nodes[1:] if a != num(0)), num(0))), n.span)
    if n.op == "Div" and n.nodes[0].op == "Call" and n.nodes[0].nodes[0] == sym("exp") and n.nodes[1] == Node(
            "Call", (sym("sum"), n.nodes[0])):
        return Node("Call", (sym("softmax"), n.nodes[0].nodes[1]), n.span)
    return n
