"""Judging one statement: its relations in order, each with its verdict, its other readings and its correction."""
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from symrnn.claimforms import (
    ahead,
    at_running_step,
    cross_entropy_targets,
    disputed,
    every_term_of_loss,
    fitted,
    is_chain_rule,
    is_size,
    made_single,
    named_by,
    only_if_single,
    resized,
    rule_letters,
    scaled,
    shifts,
    size_or_sequence,
    speaks_of_loss,
    unsolved,
    whole_of_blocks,
)
from symrnn.conditions import condition_of, counted, leaves_out
from symrnn.contributions import parameter_of, part_of_step
from symrnn.corrections import Corrections
from symrnn.direct import direct
from symrnn.document import Sides, Statement, chain
from symrnn.doubts import as_powers, capitals, family, loose, marked, timeless, turned_or_power, value_at
from symrnn.errors import ModelError, ShapeError
from symrnn.expr import (
    SCALAR,
    Expr,
    Index,
    Size,
    Symbol,
    lift,
    named,
    resize,
    symbols,
    transform,
    unify,
    walk,
)
from symrnn.factors import ORDER, Factor, one_factor
from symrnn.implied import contradicts, generic, implied, other_losses
from symrnn.instances import instances, unspecified
from symrnn.labels import bears_label
from symrnn.limits import TimeIsUp, limited
from symrnn.model import Equation, Model
from symrnn.progressions import with_sums
from symrnn.prove.accumulated import hands_on
from symrnn.prove.claim import Claim, Condition
from symrnn.prove.decide import NOT_SPOKEN, decide, domain
from symrnn.prove.shapes import conflict
from symrnn.prove.verdict import EVERYWHERE, Fix, Verdict
from symrnn.rankclaims import singular
from symrnn.read.document import Span
from symrnn.read.elaborate import Elaborator, Meaningless
from symrnn.read.held import CONDITION as HELD
from symrnn.read.picked import one_hot
from symrnn.read.products import OPEN
from symrnn.read.reader import Reading
from symrnn.read.scope import LOSS, TOTAL, Scope
from symrnn.read.spelling import source_of
from symrnn.read.sums import ends_of_sums
from symrnn.read.tree import Node
from symrnn.read.tree import walk as nodes_of
from symrnn.repair import Repair, repair
from symrnn.rules import function_rule, functions_in
from symrnn.setting import Setting
from symrnn.stationary import at_zero_gradient
from symrnn.telescopes import FIRST_LEFT, Inner, between, inner_products, lag_of, lagged, put, shifted, telescope, with_number
from symrnn.telescopes import instances as written_out
from symrnn.unclear import blocked
from symrnn.vectorised import LAYOUTS, OTHERS, READING, has_long, starts_with_gradient, turned, vectorised
from symrnn.write.latex import latex
from symrnn.write.notation import Notation, entrywise

STANDS = ("proved", "conditional")
"""The verdicts after which a side of a chain stands."""
ONE_UNIT = re.compile(r"\b(?:only|single|just) (?:1|one|a single)?\s*(?:perceptron|unit|neuron|hidden unit)\b", re.I)
"""How a text says that what follows is about a network in which everything is a number."""
RESCUES = {"single-term": "sum over i = j as one term", "other-size": "a sum to another size as one over all components",
           "open-size": "a sum to another size as one over all components"}
"""Readings of a sum, by their codes, under which a claim is true that is not so as printed: the convention of each."""
BEFORE_END = Condition("before-end", (), f"{NOT_SPOKEN} t = T: a printed symbol does not exist there")
"""What a formula with a symbol of the next step speaks of, where only the last step has a loss."""
STEPS = 3000
"""The budget of a repair, in candidates."""
FROM_START = 600
"""That of one against the first side of a chain: mostly the derived formula stands in there."""


class Context(Protocol):
    """What a statement is judged in: the document's notation and limits, whether it is a text at all, the models of its scopes."""

    notation: Notation
    timeout: float | None
    tells: bool
    opened: dict[str, str]
    unclear: dict[str, dict[str, int]]
    ends: Mapping[str, frozenset[str]]
    has_columns: bool
    labels: frozenset[str]

    def trees_before(self, offset: int) -> Iterator[Node]: ...

    def text_before(self, offset: int) -> str: ...

    def line_that_defines(self, sides: Sides, setting: Setting, offset: int) -> int | None: ...

    def model_of(self, setting: Setting) -> Model: ...

    def sizes_of(self, setting: Setting) -> Mapping[str, Size]: ...


@dataclass(frozen=True)
class Relation:
    """One relation of a chain: what is printed, its verdict, and the claim that was judged (None where nothing was)."""

    latex: str
    verdict: Verdict
    claim: Claim | None = None
    fixed: Claim | None = None


class Chain:
    """Judges the relations of one statement; a side that follows an error is compared with the last side that stands."""

    def __init__(self, auditor: Context, span: Span, reading: Reading, setting: Setting, stated: tuple[Condition, ...]) -> None:
        self.auditor, self.span, self.reading, self.setting, self.stated = auditor, span, reading, setting, stated
        self.uses: dict[str, None] = {}
        self.unused: list[str] = []
        self.has_layout = False

    def _restrict(self, conditions: tuple[Node, ...], statement: Node) -> None:
        """Take in what the text prints beside a statement; what leaves something out and is not understood is kept apart."""
        scope = counted([statement], self.setting.scope)
        for n in conditions:
            text = self._source(n)
            found = condition_of(n, scope, text)
            if found is not None:
                self.stated = (*self.stated, found)
            elif leaves_out(n, scope):
                self.unused.append(text)

    def run(self, s: Statement) -> list[Relation]:
        out: list[Relation] = []
        anchor: Node | None = None
        self.statement = s
        self._restrict(s.conditions, s.tree)
        for k, sides in enumerate(s.sides):
            text = self._text(sides)
            given = s.role == "definition" and k == 0 or "Ellipsis" in (sides.left.op, sides.right.op)
            silent = given or sides.relation != "="
            named = k == 0 and (self._names_something_new(sides.left, len(s.sides) > 1) or self._names_function(sides, len(s.sides) > 1))
            line = self.auditor.line_that_defines(sides, self.setting, self.span.offset) if k == 0 and len(s.sides) > 1 else None
            if silent or named or line is not None:
                why = None if line is None else f"defined in line {line}"
                out.append(Relation(text, Verdict(None, reason=why, scope=None if silent and not given else EVERYWHERE)))
                continue
            doubtful = anchor is not None and out[-1].verdict.word not in (None, *STANDS)
            if doubtful and anchor is not None:
                out.append(_one_reading(self._after_fault(anchor, sides, text, out[-1].verdict.word == "refuted"), out[-1]))
                continue
            over_steps = sides.left.op == "Prod" or telescope(sides.left, self.setting.scope.table.time_letter) is not None
            if anchor is not None and over_steps and out[-1].verdict.word == "proved":
                against = replace(sides, left=anchor)                 # equal to the product, and easier to compute with
                out.append(self._relation(against, text, sides))
                continue
            if anchor is None or out[-1].verdict.word in (None, "proved"):
                anchor = sides.left
            found = self._relation(sides, text, sides)
            out.append(_one_reading(found, out[-1]) if out else found)
        return out

    def _after_fault(self, anchor: Node, sides: Sides, text: str, broken: bool) -> Relation:
        """A relation whose left side does not stand (``broken``), or is in doubt.

        Its right side may still equal the last side that stands, and the relation may still hold as it is printed.
        """
        anchored = replace(sides, left=anchor)
        against = self._relation(anchored, self._text(anchored), sides, correct=False)
        if against.verdict.word in STANDS:
            why = "right against the last side that stands; the side before it is " + ("not" if broken else "in doubt")
            return replace(against, verdict=replace(against.verdict, reason=why))
        printed = self._relation(sides, text, sides, correct=False)
        if printed.verdict.word in STANDS:
            why = "follows from the side before it, which is " + ("itself not right" if broken else "in doubt")
            return replace(printed, verdict=replace(printed.verdict, reason=why))
        found = conflict(against.claim) if against.claim is not None else None
        counts = anchored if broken or (found is not None and found.kind == "right" and "rank 3" not in found.what) else sides
        return self._relation(counts, self._text(counts), sides)

    def _names_something_new(self, n: Node, goes_on: bool) -> bool:
        """A call of a letter that the text neither declares nor defines: the relation only gives it a name.

        So is the derivative of a function without a formula, at the head of a chain that goes on.
        """
        primes = n.op == "Prime"
        while n.op in ("Prime", "At"):
            n = n.nodes[0]
        if n.op != "Call":
            return False
        f = n.nodes[0]
        while f.op == "Prime":
            f, primes = f.nodes[0], True
        d = self.setting.scope.table.lookup(f.head)
        if primes and goes_on and f.op == "Sym" and d is not None and d.is_function and d.role is None:
            return f.head not in self.setting.scope.functions
        known = self.setting.scope.table.lookup(f.head) is not None or f.head in (self.setting.scope.total, self.setting.scope.loss)
        return f.op == "Sym" and not known

    def _names_function(self, sides: Sides, goes_on: bool) -> bool:
        """A function of one number by a formula in others, or the slope of one of these, under letters that the network uses too."""
        left = sides.left
        if not self.setting.guessed or left.op != "Mul" or len(left.nodes) != 2:
            return False
        f = left.nodes[0]
        if f.op == "Prime" and goes_on:
            return any(f.nodes[0].head in functions_in(n) for n in self.auditor.trees_before(self.span.offset))
        return bool(functions_in(Node("Chain", (left, Node("Rel", ("=", sides.right))))))

    def _text(self, sides: Sides) -> str:
        return f"{self._source(sides.left)} {sides.relation if sides.relation in '=<>:' else '='} {self._source(sides.right)}"

    def _relation(self, sides: Sides, text: str, printed: Sides, correct: bool = True) -> Relation:
        """Judge one relation, and with ``correct`` look for its correction; ``printed`` has the left side that stands in the text.

        A gradient named after a variable may be meant at the variable or at the argument of its activation: what is false under one
        reading is refuted only if it is false under the other, and what holds under the other only is conditional.
        """
        first, scope = self._as_read(sides, text, printed, correct), self.setting.scope
        if first.verdict.word == "refuted" and (letter := size_or_sequence(sides, scope.table)) is not None:
            reason = f"{letter} is a size and has a value at every step; without a step it may be either"
            return replace(first, verdict=Verdict("undecided", "SR303", reason))
        if first.verdict.word == "refuted" and (doubt := timeless(sides, scope.table) or family(sides)):
            return replace(first, verdict=Verdict("undecided", "SR303", doubt))
        named = {n.nodes[0].head for side in (sides.left, sides.right) for n in nodes_of(side) if n.op == "Gradient"}
        if scope.gradients_at == "either" and first.verdict.word != "proved" and named & set(scope.arguments.values()):
            setting = replace(self.setting, scope=replace(scope, gradients_at="argument"))
            again = Chain(self.auditor, self.span, self.reading, setting, self.stated)
            again.unused, again.statement = self.unused, self.statement
            first = meant_elsewhere(first, again._as_read(sides, text, printed, correct))
        if first.verdict.word != "proved" and (name := parameter_of(sides.left, self.setting)) is not None:
            first = self._part_of_step(name, first, sides)
        by_name = bool(named | {n.head for side in (sides.left, sides.right) for n in nodes_of(side)} & set(scope.gradients))
        first = self._for_any_loss(first, summed=not by_name and scope.loss is not None)
        if named and self.setting.gradients_guessed and first.verdict.word in ("refuted", "conditional"):
            reason = f"nothing says that {' and '.join(sorted(named))} stand in the names of gradients; if they do: {first.verdict.reason}"
            return replace(first, verdict=Verdict("undecided", "SR103", reason))
        if named and self.setting.gradients_guessed and first.verdict.word == "proved":
            read_as = tuple(f"{n.head} before {n.nodes[0].head} is read as the gradient of {scope.total or scope.loss}"
                            for side in (sides.left, sides.right) for n in nodes_of(side) if n.op == "Gradient")
            return replace(first, verdict=replace(first.verdict, conditions=(*first.verdict.conditions, *dict.fromkeys(read_as))))
        used = {n.head for side in (sides.left, sides.right) for n in nodes_of(side)}
        words = tuple(text for name, text in self.setting.supposed.items() if name in used)
        return replace(first, verdict=replace(first.verdict, conditions=(*first.verdict.conditions, *words))) if words else first

    def _for_any_loss(self, first: Relation, summed: bool) -> Relation:
        """Where the text leaves the loss open, what is false for a loss of all that a step ends in may be true for another one.

        Such is the loss of one of several last variables or, where nothing says that it is ``summed``, that of the last step alone.
        """
        claim, refuted = first.claim, first.verdict.word == "refuted" and first.verdict.method != "shapes"
        if claim is None or not refuted or self.setting.name not in self.auditor.opened or not any(
                map(speaks_of_loss, (claim.left, claim.right))):
            return first
        way = next((words for words, other in other_losses(claim, summed) if decide(other).word != "refuted"), None)
        if way is None:
            return first
        reason = f"false for a loss of every last variable at every step ({first.verdict.reason}); not known to be false when {way}"
        return replace(first, verdict=Verdict("undecided", "SR103", reason))

    def _part_of_step(self, name: str, first: Relation, sides: Sides) -> Relation:
        """What is false of a whole gradient may be said of the part that one step has in it."""
        try:
            with limited(self.auditor.timeout):
                elaborator = self._fresh()
                right = self._side(elaborator, sides.right)
                below = first.claim.left if first.claim is not None else right
                verdict = part_of_step(name, Claim(below, right, self.auditor.model_of(self.setting), "=", self.stated), self._decided)
        except (Meaningless, ModelError, ShapeError, TimeIsUp, RecursionError):
            return first
        if verdict is None:
            return first
        if verdict.word == "proved" and sides.left.nodes[0].part("Time") is None and not self.setting.scope.arriving:
            meant = f"the gradient by {name} is the part of one step"
            verdict = replace(verdict, word="conditional", convention=meant, reason=f"true when {meant}; as a whole it is a sum over the "
                              "steps", conditions=(*verdict.conditions, meant))
        return replace(first, verdict=verdict)

    def _as_read(self, sides: Sides, text: str, printed: Sides, correct: bool) -> Relation:
        """Judge one relation in the reading of its named gradients that the setting has."""
        if any(n.op == "Ellipsis" for side in (sides.left, sides.right) for n in nodes_of(side)):
            sides = replace(sides, left=with_sums(sides.left), right=with_sums(sides.right))
        scope = self.setting.scope.continuous(n.head for side in (sides.left, sides.right) for n in nodes_of(side))
        elaborator = self._fresh(scope)
        mixed = self._function_as_number(sides)
        if mixed is not None:
            return Relation(text, Verdict("refuted", "SR101", mixed, method="shapes"))
        try:
            with limited(self.auditor.timeout):
                if (lag := lag_of((sides.left, sides.right), scope.table.time_letter)) is not None and not is_size(lag[1], scope.table):
                    left, right = lagged((sides.left, sides.right), lag)
                    return self._lagged(replace(sides, left=left, right=right), lag[1], sides, text, printed)
                if (laid := self._telescoped(sides)) is not None:
                    return Relation(text, laid)
                factor = one_factor(sides.left, sides.right, self.setting.scope.table.time_letter)
                if factor is not None:
                    by_factor = Relation(text, self._by_factor(factor, elaborator))
                    return self._factor_corrected(by_factor, factor, sides) if correct else by_factor
                if (folded := self._folded(sides)) is not None:
                    again, ordered = folded
                    return self._in_order(self._as_read(again, text, printed, False), ordered)
                if (name := bears_label((sides.left, sides.right), self.auditor.labels)) is not None:
                    return Relation(text, Verdict("undecided", "SR303", f"the number above {name} may be an exponent or that of a layer"))
                if (doubt := value_at(sides, scope.table, self.span.latex)) is not None:
                    return Relation(text, Verdict("undecided", "SR303", doubt))
                model = self.auditor.model_of(self.setting)
                of_matrix = singular(sides.left, sides.right, partial(self._side, elaborator), model, self.stated)
                if of_matrix is not None:
                    return Relation(text, of_matrix)
                claim, single = self._claim(sides, elaborator)
                rule = rule_letters(sides, self.setting.scope.table.time_letter)
                verdict = only_if_single(self._slip(sides) or self._decided(claim, rule), single)
                if verdict.word == "undecided" and verdict.code == "SR103":
                    trees = self.auditor.trees_before(self.span.offset)
                    verdict = at_zero_gradient(claim, trees, partial(self._side, elaborator)) or verdict
                if verdict.word == "refuted" and verdict.method == "shapes" and single:
                    words = " and ".join(single)
                    return Relation(text, Verdict("undecided", "SR103", f"nothing says what size {words} has; {verdict.reason}"))
                if verdict.word == "refuted" and verdict.method == "shapes" and self.setting.guessed and is_chain_rule(claim.right):
                    loose = [c.message for c in elaborator.choices if c.code in ("time-left-out", "copy")]
                    if loose:
                        verdict = Verdict("undecided", "SR303", f"{loose[0]}, which the text may not mean; so read, {verdict.reason}")
                if verdict.word == "refuted" and verdict.method == "shapes":
                    loose = [c.message for c in elaborator.choices if c.code == OPEN]
                    if loose:
                        verdict = Verdict("undecided", "SR103", f"{loose[0]}, which nothing says; so read, {verdict.reason}")
                if verdict.word in ("refuted", *STANDS) and (doubt := turned_or_power(sides, scope.steps, self.span.latex)):
                    return Relation(text, Verdict("undecided", "SR303", doubt))
                if verdict.word == "refuted" and (raised := as_powers(sides, scope.steps, self.span.latex)) is not None:
                    meant = Relation(text, self._by_power(raised, verdict))
                    if meant.verdict.word != "refuted":
                        return meant
                if verdict.word in STANDS and len(letters := capitals(claim, self.setting.unsure)) > 1:
                    words = " and ".join(letters)
                    return Relation(text, Verdict("undecided", "SR103", f"nothing says whether {words} are numbers or matrices"))
                if verdict.word == "refuted" and verdict.method == "shapes" and (size := self._perhaps_one(sides, claim)) is not None:
                    reason = f"it fits if {size} is 1, which nothing excludes; otherwise {verdict.reason}"
                    return Relation(text, Verdict("undecided", "SR103", reason))
                if scope is not self.setting.scope and scope.held is not None:
                    verdict = replace(verdict, conditions=(*verdict.conditions, HELD))
                relation = self._finish(Relation(text, verdict, claim), sides, elaborator, printed)
                relation = self._corrected(relation, sides) if correct else relation
        except Meaningless as reason:
            claim_of_rule = function_rule(sides.left, sides.right, self.auditor.trees_before(self.span.offset))
            verdict = decide(claim_of_rule) if claim_of_rule is not None else Verdict("undecided", reason.code, reason.reason)
            return Relation(text, verdict if verdict.word in ("proved", "refuted") else Verdict("undecided", reason.code, reason.reason))
        except (ModelError, ShapeError) as error:                     # among the definitions it stands on, not in the claim
            return Relation(text, Verdict("undecided", "SR103", f"{error.subject} must {error.must}, came {error.came}"))
        except RecursionError:
            return Relation(text, Verdict("undecided", "SR304", "the formula or what it stands on is nested too deeply"))
        except OverflowError:
            return Relation(text, Verdict("undecided", "SR304", "a number in it is too large to be computed with"))
        except TimeIsUp:
            return Relation(text, Verdict("undecided", "SR304", f"not decided within {self.auditor.timeout:g} s"))
        except MemoryError:
            return Relation(text, Verdict("undecided", "SR304", "more memory would be needed than one claim may take"))
        for name in relation.verdict.uses:
            if name in self.setting.places:
                self.uses[self.setting.places[name]] = None
        return relation

    def _claim(self, sides: Sides, elaborator: Elaborator) -> tuple[Claim, tuple[str, ...]]:
        """What a relation claims, and the arrays that it makes single numbers; Meaningless where sizes are open."""
        left, right = self._side(elaborator, sides.left), self._side(elaborator, sides.right)
        left, right = resize(left, elaborator.sizes), resize(right, elaborator.sizes)
        if (name := whole_of_blocks(left, right, self.auditor.model_of(self.setting))) is not None:
            raise Meaningless("SR103", f"{name} stands before a column of blocks, and nothing says what its own blocks are")
        plain = {n.head for side in (sides.left, sides.right) for n in nodes_of(side) if n.op == "Sym" and n.part("Time") is None}
        summed = {m.head for side in (sides.left, sides.right) for n in nodes_of(side) if n.op == "Sum" for m in nodes_of(n)
                  if m.op == "Sym" and m.part("Time") is not None}
        if any(c.code == "time-left-out" for c in elaborator.choices) and (both := plain & summed - {str(self.setting.scope.total)}):
            raise Meaningless("SR103", f"{min(both)} is printed as a value of its own beside its values at the steps of a sum")
        single = made_single(left, right)
        if several := {n.head for side in (sides.left, sides.right) for n in nodes_of(side) if n.part("Index")} & set(single):
            raise Meaningless("SR103", f"{min(several)} is printed with a component, but fits only if it is a single number")
        arrays = {m.head for side in (sides.left, sides.right) for n in nodes_of(side) if n.op in ("Transpose", "Had") for m in n.nodes}
        if turned := arrays & set(single):
            raise Meaningless("SR103", f"{min(turned)} is printed like an array, but fits only if it is a single number")
        left, right = fitted(left, right)
        if any(x.op == "ones" and x.attr == SCALAR for side in (left, right) for x in walk(side)):
            raise Meaningless("SR303", "a bold 1 that fits only as a number")
        open_sizes = unsolved(left, right)
        if open_sizes is not None:
            raise Meaningless("SR103", open_sizes)
        names = named({}, [*symbols(left), *symbols(right)])
        left, right = resize(left, names), resize(right, names)
        return Claim(left, right, self._model(elaborator), "=", self.stated), single

    def _model(self, elaborator: Elaborator) -> Model:
        """The model of the scope, with the matrices that a relation with an exponential takes for what the text says they are."""
        model = self.auditor.model_of(self.setting)
        if elaborator.scope.gradients == self.setting.scope.gradients:
            return model
        sizes = self.auditor.sizes_of(self.setting)
        values = {name: resize(elaborator(n), sizes) for name, n in elaborator.scope.gradients.items()
                  if self.setting.scope.gradients.get(name) != n}

        def exact(x: Expr) -> Expr | None:
            value = values.get(x.attr.name) if x.op == "sym" and x.attr.time is None else None
            return resize(value, unify([(x, value)])) if value is not None else None
        return replace(model, equations=tuple(Equation(e.left, transform(e.right, exact)) for e in model.equations))

    def _lagged(self, again: Sides, lag: str, sides: Sides, text: str, printed: Sides) -> Relation:
        """A relation with a lag, by the step that it leads to; what fails for no lag but zero is not refuted."""
        found = self._as_read(again, text, printed, False)
        if found.verdict.word != "refuted" or found.verdict.method == "shapes":
            return found
        for one in (1, 2):
            left, right = (with_number(n, lag, one) for n in (sides.left, sides.right))
            there = self._as_read(replace(sides, left=left, right=right), text, printed, False).verdict
            if there.word == "refuted":
                return replace(found, verdict=replace(there, reason=f"with {lag} = {one}: {there.reason}"))
        return replace(found, verdict=Verdict("undecided", "SR303", f"it may speak of other steps: {found.verdict.reason}"))

    def _telescoped(self, sides: Sides) -> Verdict | None:
        """The verdict on an equation with a product with dots: from one factor, else from a few that are written out."""
        letter = self.setting.scope.table.time_letter
        found = [telescope(n, letter) for n in (sides.left, sides.right)]
        if not any(found):
            return None
        laid = replace(sides, left=found[0].product if found[0] else sides.left, right=found[1].product if found[1] else sides.right)
        factor = one_factor(laid.left, laid.right, letter)
        falls = all(f.falls for f in found if f is not None)
        verdict = self._by_factor(factor, self._fresh(), falls) if factor is not None else None
        if verdict is not None and (falls or verdict.word in ("proved", "undecided")):
            return verdict
        states = {n.nodes[0].head for n in (sides.left, sides.right) if n.op == "Deriv" and len(n.nodes) == 2}
        if not all(hands_on(self.auditor.model_of(self.setting), s) for s in states):
            return None
        one = next(f for f in found if f is not None)
        for few in (2, 3):
            for where, (left, right) in written_out((sides.left, sides.right), one, letter, few):
                try:
                    claim, _ = self._claim(Sides(left, "=", right), self._fresh())
                except Meaningless:
                    continue
                again = self._decided(claim)
                if again.word == "refuted":
                    return replace(again, reason=f"with {where}: {again.reason}")
                break
        return None

    def _folded(self, sides: Sides) -> tuple[Sides, tuple[str, ...]] | None:
        """A relation with its products of Jacobians over steps as derivatives across these steps, and how they are read then."""
        letter, before = self.setting.scope.table.time_letter, sides
        ordered: dict[str, None] = {}
        while True:
            found = next((p for n in (sides.left, sides.right) for p in inner_products(n, letter)), None)
            if found is None:
                return None if sides is before else (sides, tuple(ordered))
            value = self._across(found, letter)
            if value is None:
                return None
            derivative, how = value
            left, right = (put(n, found.node, found.within(derivative)) for n in (sides.left, sides.right))
            sides, ordered = replace(sides, left=left, right=right), ordered | dict.fromkeys(how)

    def _across(self, product: Inner, letter: str) -> tuple[Node, tuple[str, ...]] | None:
        """A product of Jacobians (or of transposed ones) as one derivative, and the order of its factors that this takes for granted."""
        model = self.auditor.model_of(self.setting)
        now = Node("Sym", (letter,))
        for state in (s.name for s in model.states if hands_on(model, s.name)) if product.speaks_of_own_step() else ():
            for later in (0, 1):
                one = between(state, shifted(now, later), shifted(now, later - 1))
                for flipped, node in ((False, one), (True, Node("Transpose", (one,)))):
                    claim, _ = self._claim(Sides(node, "=", product.step(letter)), self._fresh())
                    number = claim.left.shape == SCALAR
                    if decide(claim).word != "proved" or not number and product.falls is flipped:
                        continue
                    value = product.derivative(state, later)
                    how = () if number or product.falls is not None else ((FIRST_LEFT if flipped else ORDER),)
                    return (Node("Transpose", (value,)) if flipped and not number else value), how
        return None

    def _in_order(self, r: Relation, ordered: tuple[str, ...]) -> Relation:
        """A verdict that rests on the order of the factors of a product."""
        v, words = r.verdict, " and ".join(ordered)
        if not ordered or v.word not in ("proved", "conditional", "refuted", "agrees"):
            return r
        if v.word == "refuted":
            return Relation(r.latex, Verdict("undecided", "SR303", f"if {words}, it is refuted: {v.reason}"))
        reason = f"{v.reason}, and {words}" if v.word == "conditional" else f"true when {words}"
        word = v.word if v.word == "agrees" else "conditional"
        return replace(r, verdict=replace(v, word=word, convention=v.convention or "order of a product over steps", reason=reason,
                                          conditions=(*v.conditions, *ordered)))

    def _by_factor(self, factor: Factor, elaborator: Elaborator, ordered: bool = False) -> Verdict:
        """The verdict on an equation between products over steps, from that on one factor; ``ordered``: the latest stands first."""
        model = self.auditor.model_of(self.setting)
        if factor.state is not None and factor.state not in model.definitions:
            return Verdict("undecided", "SR103", f"nothing given defines {factor.state}")
        if factor.state is not None and not hands_on(model, factor.state):
            return Verdict("undecided", "SR303", f"a step hands on more than {factor.state}, so the product leaves paths out")
        sides = Sides(factor.left, "=", factor.right)
        claim, _ = self._claim(sides, elaborator)
        verdict = self._decided(claim)
        if verdict.word == "refuted" and verdict.method == "shapes" and (size := self._perhaps_one(sides, claim)) is not None:
            return Verdict("undecided", "SR103", f"it fits if {size} is 1, which nothing excludes; otherwise {verdict.reason}")
        if verdict.word == "refuted":
            return replace(verdict, reason=f"where the product has one factor: {verdict.reason}")
        if verdict.word not in STANDS:
            return verdict
        way = f"induction over the steps; each factor: {verdict.method}"
        if ordered or factor.state is None or claim.left.shape == SCALAR:
            return replace(verdict, method=way)
        return replace(verdict, word="conditional", method=way, convention="order of a product over steps", reason=f"true when {ORDER}",
                       conditions=(*verdict.conditions, ORDER))

    def _factor_corrected(self, r: Relation, factor: Factor, sides: Sides) -> Relation:
        """A refuted equation between products over steps, with the product as it would be right."""
        if r.verdict.word != "refuted" or sides.right.op != "Prod":
            return r
        letter, body = sides.right.nodes[0], sides.right.nodes[3]
        claim, _ = self._claim(Sides(factor.left, "=", factor.right), self._fresh())
        found = repair(claim, STEPS)
        if found is None:
            return r

        def again(printed: Sides) -> str | None:
            one = one_factor(printed.left, printed.right, self.setting.scope.table.time_letter)
            return self._by_factor(one, self._fresh()).word if one is not None else None
        notation = replace(self.notation(sides.right), letter=self._source(letter))
        fix = self._corrections(sides.right).within(sides, body, latex(found.claim.right, notation), found, again)
        return r if fix is None else replace(r, verdict=replace(r.verdict, fix=fix))

    def _or_direct(self, claim: Claim, verdict: Verdict) -> Verdict:
        """A verdict, unless it refutes what holds for the derivative of one equation alone: the signs do not say which is meant."""
        alone = direct(claim) if verdict.word == "refuted" and verdict.method != "shapes" else None
        if alone is None or decide(alone).word != "proved":
            return verdict
        return Verdict("undecided", "SR209", "it holds for the derivative of one equation alone, with everything else in it held fixed, "
                       f"and fails for the total one: {verdict.reason}")

    def _decided(self, claim: Claim, rule: frozenset[str] | None = None) -> Verdict:
        """The verdict, also where only the derivatives of the claim show what depends on what, or the loss is left open."""
        if (name := blocked(claim, self.setting.numbered, refuted=True)) is not None:
            return Verdict("undecided", "SR103", f"nothing says whether the numbers below {name} count its components or steps, or tell "
                           "letters apart")
        verdict = self._or_direct(claim, decide(claim))
        if verdict.word == "agrees" and (running := at_running_step(claim)) is not None:
            again = decide(running)
            verdict = again if again.word == "proved" else verdict
        if verdict.word == "refuted" and verdict.method != "shapes" and claim.states("at-end") and ahead(claim):
            before = decide(replace(claim, conditions=(*claim.conditions, BEFORE_END)))
            verdict = before if before.word != "refuted" else verdict
        if verdict.word == "undecided" and "rank 3" in (verdict.reason or ""):
            verdict = self._vectorised(claim, verdict)
        if (self.setting.guessed or not self.auditor.tells) and (verdict.word == "undecided" and "rank 3" in (verdict.reason or "")
                                     or verdict.word == "refuted" and verdict.method == "shapes"):
            verdict = self._turned(claim) or verdict
        if verdict.word in ("undecided", "refuted") and verdict.method in (None, "shapes") and is_chain_rule(claim.right) and (
                ONE_UNIT.search(self.auditor.text_before(self.span.offset))) and not contradicts(claim):
            one = frozenset(s.name for side in (claim.left, claim.right) for s in symbols(side))
            guess = implied(generic(claim, one))
            again = decide(guess[0]) if guess is not None else verdict
            if guess is not None and again.word == "proved":
                return replace(again, conditions=(*again.conditions, "one unit: every letter is a number", *guess[1]))
        if verdict.code == "SR103" and rule is not None and not speaks_of_loss(claim.left) and not contradicts(claim):
            guess = implied(generic(claim, rule))
            again = decide(guess[0]) if guess is not None else verdict
            if guess is not None and again.word == "proved":          # its derivatives exist only so
                return replace(again, conditions=(*again.conditions, *guess[1]))
        if verdict.code == "SR103" and (guess := implied(claim)) is not None:
            again = decide(guess[0])
            if again.word == "proved":
                own = self.setting.scope.total or TOTAL
                words = tuple(re.sub(rf"\b{TOTAL}\b", lambda _: own, w) for w in guess[1])
                verdict = replace(again, word="conditional", reason="true when " + " and ".join(words),
                                  conditions=(*again.conditions, *words))
        if verdict.word == "refuted" and verdict.method != "shapes" and (letters := unspecified(claim) & self.setting.unsure):
            if any(decide(c).word != "refuted" for c in instances(claim)):
                names = " and ".join(sorted(letters))
                return Verdict("undecided", "SR103", f"nothing says what {names} is; false for some function, but not for every usual one")
        if verdict.word == "refuted" and verdict.method != "shapes" and self.setting.guessed:
            verdict = self._if_distribution(claim) or verdict
        if verdict.word == "refuted" and any(key.partition("[")[0] in self.setting.one_hot and "/" in str(value) for key, value in (
                verdict.counterexample or {}).get("values", {}).items()):
            verdict = Verdict("undecided", "SR303", f"false for a distribution that is not one-hot: {verdict.reason}")
        if verdict.word == "refuted" and (name := self._class_or_vector(claim)) is not None:
            verdict = Verdict("undecided", "SR103", f"nothing says whether {name} is the class of a step or its one-hot vector")
        if verdict.word == "refuted" and verdict.method != "shapes" and self.setting.guessed:
            verdict = self._if_a_number(claim) or verdict
        alone = claim.left.args[0] if claim.left.op == "entry" else claim.left
        if verdict.word == "refuted" and verdict.method != "shapes" and alone.op == "sym" and self._is_open(alone.attr) and (
                alone is claim.left or self.setting.guessed and (alone.attr.time is not None or isinstance(claim.left.attr[0], Index))):
            reason = f"nothing given defines {alone.attr.name}; the equation would define it"
            verdict = Verdict("undecided", "SR103", reason)
        if verdict.word == "refuted" and (name := marked(claim)) is not None:
            verdict = Verdict("undecided", "SR103", f"nothing given says what {name} is, on which it depends")
        if verdict.word == "refuted" and (stray := self._stray(claim)) and (verdict.method != "shapes" or stray.shape == SCALAR):
            verdict = Verdict("undecided", "SR103", f"nothing given says what {stray.name} is, on which it depends")
        if verdict.word == "refuted" and verdict.method != "shapes" and self.unused:
            reason = f"false in general, but claimed only under the condition {self.unused[0]}, which is not taken into account"
            verdict = Verdict("undecided", "SR303", reason)
        if verdict.word == "refuted" and verdict.method != "shapes" and (name := named_by(claim)) is not None:
            verdict = Verdict("undecided", "SR103", f"nothing given says what {name} is; the equation would define it")
        if verdict.word == "refuted" and verdict.method == "shapes" and (name := self._unsure(claim)) is not None:
            return Verdict("undecided", "SR103", f"nothing says what {name} is; as a number, {verdict.reason}")
        if verdict.word == "refuted" and verdict.method == "shapes" and (name := loose(claim)) is not None:
            return Verdict("undecided", "SR103", f"nothing says what sizes {name} has")
        if verdict.word == "refuted" and verdict.method == "shapes" and (fits := self._where_it_fits(claim)) is not None:
            size, fitting = fits
            again = self._decided(fitting, rule)
            if again.word == "refuted":                               # false whatever the size is
                return replace(again, reason=f"{verdict.reason}; where they fit, {again.reason}")
            return Verdict("undecided", "SR103", f"nothing says what the size {size} is; as it stands, {verdict.reason}")
        if verdict.word not in (None, "undecided") and (lines := self.auditor.unclear.get(self.setting.name)):
            if verdict.method != "shapes":
                name = blocked(claim, lines, verdict.word == "refuted")
            else:                                                     # the shape of what is printed may not be what it seems either
                printed = {s.name for side in (claim.left, claim.right) for s in symbols(side)}
                name = min(printed & set(lines), default=None) if self.setting.guessed else None
            if name is not None:
                reason = f"it depends on {name}, whose equation in line {lines[name]} was not understood"
                return Verdict("undecided", "SR303", reason)
        if self.setting.name in self.auditor.opened and any(map(speaks_of_loss, (claim.left, claim.right))):
            opened = self.auditor.opened[self.setting.name]
            if verdict.word in STANDS:
                verdict = replace(verdict, conditions=(*verdict.conditions, opened))
            elif verdict.word == "refuted" and verdict.method != "shapes" and not all(map(every_term_of_loss, (claim.left, claim.right))):
                verdict = Verdict("undecided", "SR103", f"the text does not say what the loss is; if {opened}, {verdict.reason}")
        return verdict

    def _vectorised(self, claim: Claim, verdict: Verdict) -> Verdict:
        """The verdict on products with a derivative of a vector by a matrix, read as one by a long vector.

        Once a chain has such a product that is right for rows of the output and columns of the input, it has chosen that layout.
        """
        found = vectorised(claim, LAYOUTS[:1] if self.has_layout else LAYOUTS)
        known = {s.name for e in claim.model.equations for s in (e.left, *symbols(e.right))}
        if isinstance(found, str) and self.setting.guessed and any(s.name not in known and s.shape != SCALAR for e in (
                claim.left, claim.right) for s in symbols(e)):
            return verdict                                            # sizes that no equation settles may fit
        if found is None or isinstance(found, str) and is_chain_rule(claim.right):
            return verdict
        if isinstance(found, str):
            return Verdict("refuted", "SR101", f"also with {READING}: {found}", method="shapes")
        again = decide(found)
        if again.word not in STANDS:
            return again
        self.has_layout = True
        return self._conventional(again, READING)

    @staticmethod
    def _conventional(found: Verdict, convention: str) -> Verdict:
        """A proof that needs a convention that the text does not state."""
        why = f"true when {convention}" + (f"; {found.reason}" if found.reason else "")
        return replace(found, word="conditional", convention=convention, reason=why, conditions=(*found.conditions, convention))

    def _unsure(self, claim: Claim) -> str | None:
        """A name in a conflict of shapes of whose kind nothing is known."""
        found = conflict(claim)
        operands = found.operands if found is not None and found.operands else (claim.left, claim.right)
        return next((s.name for e in operands for s in symbols(e) if s.name in self.setting.unsure), None)

    def _turned(self, claim: Claim) -> Verdict | None:
        """The verdict in a layout of derivatives in which what does not fit fits, if there is one and the text has no other."""
        doubt, long = None, has_long(claim)
        if not long:
            rows = turned(claim, "rows") if self.setting.scope.layout == "denominator" and starts_with_gradient(claim) else None
            again = decide(rows) if rows is not None and not self.auditor.has_columns else None
            return self._conventional(again, OTHERS["rows"]) if again is not None and again.word in STANDS else None
        for layout, words in OTHERS.items():
            other = turned(claim, layout)
            found = vectorised(other, LAYOUTS[:1]) if other is not None else None
            again = decide(found) if isinstance(found, Claim) else None
            if again is not None and again.word in STANDS and layout == "rows" and not self.auditor.has_columns:
                return self._conventional(again, f"{words} and {READING}")
            if again is not None and again.word != "refuted":
                doubt = Verdict("undecided", "SR303", f"it fits where {words} and {READING}, which the text does not say")
        return doubt

    def _where_it_fits(self, claim: Claim) -> tuple[str, Claim] | None:
        """A size in a conflict of shapes that no declaration names and no equation determines, and the claim where it is the other one."""
        stated = {n for d in self.setting.scope.table for n in d.shape}
        invented = {n for n in self.auditor.sizes_of(self.setting).values() if n not in stated and isinstance(n, str)}
        first = pair = disputed(claim, invented)
        while pair is not None:
            claim = resized(claim, dict((pair,)))
            pair = disputed(claim, invented)
        return (first[0], claim) if first is not None and conflict(claim) is None else None

    def _ends_alike(self, sides: Sides) -> bool:
        """Whether the text ends every sum over the components of what is summed here at one letter: then there are that many."""
        ends = self.auditor.ends
        return all(len(ends.get(name, ())) == 1 for side in (sides.left, sides.right) for name, _ in ends_of_sums(side))

    def _if_distribution(self, claim: Claim) -> Verdict | None:
        """What holds if the target of a cross-entropy is a distribution, where a text that declares nothing does not say that it is one."""
        names = cross_entropy_targets(claim.model) - claim.model.simplex - claim.subjects("simplex")
        added = tuple(Condition("simplex", (name,), f"the entries of {name} sum to one") for name in sorted(names))
        if not added:
            return None
        found = decide(replace(claim, conditions=(*claim.conditions, *added)))
        named = " and ".join(map(str, added))
        if found.word == "agrees":
            return Verdict("undecided", "SR303", f"true at every size tried if {named}, which the text does not say")
        if found.word not in STANDS:
            return None
        why = f"true when {named}" + (f"; {found.reason}" if found.reason else "")
        return replace(found, word="conditional", convention=named, reason=why)

    def _class_or_vector(self, claim: Claim) -> str | None:
        """The letter of a class that picks components in the text, where the claim has it as a quantity of its own."""
        printed = (s.name for side in (claim.left, claim.right) for s in symbols(side))
        return next((name for name in printed if one_hot(name) in self.setting.one_hot), None)

    def _if_a_number(self, claim: Claim) -> Verdict | None:
        """A doubt where something added inside a softmax, of which nothing says what it is, may be a number added to every component."""
        for name, changed in shifts(claim):
            if decide(changed).word != "refuted":
                return Verdict("undecided", "SR103", f"nothing says whether {name} is a number added to every component; as a vector it "
                               "fails")
        return None

    def _by_power(self, raised: Sides, turned: Verdict) -> Verdict:
        """The verdict on a relation that is refuted if its upper letters are signs of transposition, where they may make powers."""
        try:
            found = self._decided(self._claim(raised, self._fresh())[0])
        except Meaningless:
            return turned
        if found.word not in STANDS:
            return found if found.word == "refuted" else replace(found, word="undecided", code="SR303", reason="an upper letter in it may "
                                                                 "be a sign of transposition or the number of factors")
        meant = "the upper letter is the number of factors"
        return replace(found, word="conditional", convention="power of a matrix", conditions=(*found.conditions, meant),
                       reason=f"true when {meant}, not a sign of transposition")

    def _perhaps_one(self, sides: Sides, claim: Claim) -> str | None:
        """The size of an output with which the shapes of a claim fit once it is 1, in a text that declares nothing.

        Where no letter is that of a matrix, all sizes.
        """
        if not self.setting.guessed:
            return None
        stated = {n for d in self.setting.scope.table for n in d.shape}
        states = {n for s in claim.model.states for n in s.shape}
        outputs = {v.shape[0] for v in claim.model.variables if isinstance(v.shape[0], str)} - states - stated
        ways = [{str(size)} for size in outputs | self.setting.rows_guessed]
        every = [n for e in claim.model.equations for s in (e.left, *symbols(e.right)) for n in s.shape if isinstance(n, str)]
        if not any(1 not in s.shape and s.name[:1].isupper() for e in claim.model.equations for s in symbols(e.right)):
            ways.append(set(every) - stated)                          # nothing looks like a matrix: perhaps a single unit
        for way in sorted(ways, key=sorted):
            sizes = {name: 1 if n in way else n for name, n in self.auditor.sizes_of(self.setting).items()}
            elaborator = Elaborator(self.setting.scope, solved=sizes, lenient=True)
            try:
                left, right = (resize(resize(elaborator(n), sizes), dict.fromkeys(way, 1)) for n in (sides.left, sides.right))
                left, right = (scaled(resize(e, elaborator.sizes)) for e in fitted(left, right))
            except Meaningless:
                continue
            if left.fault is None and right.fault is None and left.shape is not None and left.shape == right.shape:
                return " and ".join(sorted(way))
        return None

    def _is_open(self, s: Symbol) -> bool:
        """A symbol of the left side that no equation defines and no condition restricts."""
        named = {str(x) for c in self.stated for x in c.subject}
        early = s.time is not None and not s.time.base and s.time.offset <= 0
        if s == Symbol(TOTAL, SCALAR):
            return self.auditor.model_of(self.setting).loss is None
        return (early or s.name not in self.setting.scope.defined) and s.name not in named

    def _stray(self, claim: Claim) -> Symbol | None:
        """A sequence beside a derivative that no equation defines or uses, where nothing is declared: it may stand for anything."""
        sides = (claim.left, claim.right)
        if not self.setting.guessed or not claim.model.equations or not any(x.op == "deriv" for e in sides for x in walk(e)):
            return None
        known = {s.name for e in claim.model.equations for s in (e.left, *symbols(e.right))} | self.setting.scope.targets | {LOSS, TOTAL}
        return next((s for e in sides for s in symbols(e) if s.kind == "input" and s.time is not None and s.name not in known), None)

    def _side(self, elaborator: Elaborator, n: Node) -> Expr:
        """One side in the core, its open sizes as the equations of the scope determine them; a bold 0 has the shape of the other side."""
        return lift(0) if n == Node("Zeros") else resize(elaborator(n), self.auditor.sizes_of(self.setting))

    def _slip(self, sides: Sides) -> Verdict | None:
        """A derivative printed without the sign in its denominator is a quotient by a matrix, which has no meaning."""
        lo, hi = sides.left.span[0], sides.right.span[1]
        for note in self.reading.warnings:
            if note.code == "derivative-sign" and lo <= note.offset < hi:
                return Verdict("refuted", "SR101", "as printed this divides by an array; the sign of derivation is missing in the "
                               "denominator", method="shapes")
        return None

    def _function_as_number(self, sides: Sides) -> str | None:
        """A function without an argument on one side, a number on the other."""
        for f, other in ((sides.left, sides.right), (sides.right, sides.left)):
            d = self.setting.scope.table.get(f.head) if f.op == "Sym" and len(f.args) == 1 else None
            if d is not None and d.is_function and not d.shape and f.head not in self.setting.scope.elided and other.op == "Num":
                return f"{f.head} is a function, {other.head} is a number; the identity would be {f.head}(z) = z"
        return None

    def _finish(self, r: Relation, sides: Sides, elaborator: Elaborator, printed: Sides) -> Relation:
        """Readings that had to be chosen, and other readings."""
        v = r.verdict
        chosen = [c for c in elaborator.choices if c.code in RESCUES]
        if v.word == "proved" and chosen and self._ends_alike(sides):
            agreed = [c for c in chosen if c.code == "open-size"]
            v = replace(v, conditions=(*v.conditions, *(c.message for c in agreed)))
            chosen = [c for c in chosen if c not in agreed]
        if v.word == "proved" and chosen:
            v = replace(v, word="conditional", convention=RESCUES[chosen[0].code],
                        conditions=(*v.conditions, *(c.message for c in chosen)),
                        reason="true when " + " and ".join(c.message for c in chosen))
        if v.domain is not None and r.claim is not None:
            v = replace(v, domain=domain(r.claim, self._inline))
        found_shapes = conflict(r.claim) if v.word == "refuted" and v.method == "shapes" and r.claim is not None else None
        if found_shapes is not None and "rank 3" not in found_shapes.what:
            v = replace(v, reason=found_shapes.sentence(self._inline))
        v = self._of_both_grammars(v, printed)
        return replace(r, verdict=self._readings(v, printed, sides.left) if v.word == "refuted" else v)

    def _corrected(self, r: Relation, sides: Sides) -> Relation:
        """What is refuted, with the nearest formula that stands."""
        v, claim = r.verdict, r.claim
        if v.word != "refuted" or claim is None:
            return r
        if self._slip(sides) is not None:
            supplied = decide(claim).word == "proved"
            shown = f"{latex(claim.left, self.notation(sides.left))} = {latex(claim.right, self.notation(sides.right))}"
            return replace(r, verdict=replace(v, fix=Fix(shown, "proved", ("supply the sign of derivation",)))) if supplied else r
        found = repair(claim, STEPS) or self._repaired_from_start(sides)
        if found is None or found.claim.left == found.claim.right:    # that a side equals itself is no correction
            return r
        fix = self._corrections(sides.right).fix(self.statement, sides, found)
        if fix is None or self._repeats(fix, found, v.method == "shapes"):
            return r
        return replace(r, verdict=replace(v, code=v.code if found.code == "SR299" else found.code, fix=fix), fixed=found.claim)

    def _repeats(self, fix: Fix, found: Repair, unfitting: bool) -> bool:
        """Whether a correction only says what the text has said: the definition of its left side, or an earlier side of its chain.

        Where the shapes do not fit (``unfitting``), an entry of a definition says how the entries belong together.
        """
        entry = found.claim.left.op == "entry"
        left = found.claim.left.args[0] if entry else found.claim.left
        if found.is_derived and left.op == "sym" and left.attr.name in found.claim.model.definitions and not (entry and unfitting):
            return True
        start = self._source(self.statement.sides[0].left)
        return "".join(fix.latex.split()) in {"".join(f"{start} = {self._source(s.right)}".split()) for s in self.statement.sides}

    def _repaired_from_start(self, sides: Sides) -> Repair | None:
        """The repair of a side against the first one of its chain, where it has none against the side before it."""
        first = self.statement.sides[0].left
        if first is sides.left:
            return None
        try:
            claim, _ = self._claim(Sides(first, "=", sides.right), self._fresh())
        except Meaningless:
            return None
        return repair(claim, FROM_START)

    def _corrections(self, near: Node) -> Corrections:
        """What prints corrections of this formula."""
        def claim(sides: Sides) -> Claim:
            found, single = self._claim(sides, self._fresh())
            if single:
                raise Meaningless("SR103", f"{single[0]} fits only if it is a single number")
            return found

        def meaning(n: Node) -> Expr:
            elaborator = self._fresh()
            return resize(self._side(elaborator, n), elaborator.sizes)
        return Corrections(self.span.latex, self.setting.scope, self.notation(near), claim, meaning, not self.auditor.tells)

    def _fresh(self, scope: Scope | None = None) -> Elaborator:
        """What gives trees their meaning here, or in a scope that one relation has, with nothing noted yet."""
        return Elaborator(scope or self.setting.scope, solved=self.auditor.sizes_of(self.setting), lenient=self.setting.guessed)

    def _inline(self, e: Expr) -> str:
        """An expression in the author's notation, between dollar signs."""
        return f"${latex(e, self.auditor.notation)}$"

    def _source(self, n: Node) -> str:
        """What the text prints for a side, with the braces that belong to it."""
        return source_of(self.span.latex, n.span)

    def notation(self, near: Node) -> Notation:
        """How the author writes, with the gradients as in the side at hand and the product entry by entry as in the formula."""
        style = "nabla" if "\\nabla" in self.span.latex[slice(*near.span)] else "fraction"
        return replace(self.auditor.notation, gradient=style, entrywise=entrywise(self.span.latex) or self.auditor.notation.entrywise)

    def _of_both_grammars(self, v: Verdict, sides: Sides) -> Verdict:
        """A verdict that stands under the trees of both grammars; what is false under one of them only is not refuted."""
        if v.word not in ("proved", "refuted") or not any(note.code == "two-grammars" for note in self.reading.warnings):
            return v
        for again in (again for other in self.reading.alternatives for again in _same_place(other, sides)):
            try:
                E = Elaborator(self.setting.scope, solved=self.auditor.sizes_of(self.setting))
                left, right = (self._side(E, n) for n in (again.left, again.right))
                found = decide(Claim(left, right, self.auditor.model_of(self.setting), "=", self.stated))
            except Meaningless:
                continue
            meant = " = ".join(latex(side, self.notation(sides.right)) for side in (left, right))
            if v.word == "refuted" and found.word != "refuted":
                return Verdict("undecided", "SR303", f"it can be read in two ways, and as {meant} it is not refuted",
                               readings=((meant, found.word or "undecided"),))
            if v.word == "proved" and found.word == "refuted":
                reason = f"it can be read in two ways, and it is false as {meant}"
                return replace(v, word="conditional", reason=reason, conditions=(*v.conditions, f"it is not meant as {meant}"),
                               readings=((meant, "refuted"),))
        return v

    def _readings(self, v: Verdict, sides: Sides, left: Node) -> Verdict:
        """What another reading of the notation would give."""
        rows = []
        for other in self.reading.alternatives:
            for again in _same_place(other, sides):
                try:
                    E = Elaborator(self.setting.scope, solved=self.auditor.sizes_of(self.setting))
                    claim = Claim(self._side(E, left), self._side(E, again.right), self.auditor.model_of(self.setting), "=", self.stated)
                    rows.append((claim, decide(claim)))
                except Meaningless:
                    continue
        for claim, verdict in rows:
            if verdict.word == "proved":
                shown = latex(claim.right, self.notation(sides.right))
                return replace(v, readings=((shown, "proved"),), reason=f"{v.reason}; it would hold if the last term were meant inside "
                               "the sum")
        return v


def _one_reading(r: Relation, before: Relation) -> Relation:
    """A derivative means one thing in a chain: what holds for immediate ones only is refuted after what holds for total ones only."""
    v = r.verdict
    if v.convention != "immediate derivative" or before.claim is None or before.verdict.word not in ("proved", "agrees"):
        return r
    held = replace(before.claim, conditions=(*before.claim.conditions, Condition("immediate", (), "immediate derivatives")))
    if decide(held).word != "refuted":
        return r
    reason = f"the relation before it holds for total derivatives only, and this one fails for them: {v.reason}"
    return replace(r, verdict=Verdict("refuted", "SR209", reason, "exact evaluation; both sides enclosed at a real point", error_bound="0",
                                      counterexample=v.counterexample))


def meant_elsewhere(first: Relation, second: Relation) -> Relation:
    """A relation that does not hold for gradients at the variables, with what it is for those at the arguments of activations."""
    if second.verdict.word == "proved":
        meant = "the gradients are those at the arguments of the activations"
        return replace(second, verdict=replace(second.verdict, word="conditional", convention=meant,
                                               reason=f"true when {meant}; at the variables it is {first.verdict.word}",
                                               conditions=(*second.verdict.conditions, meant)))
    if first.verdict.word == "refuted" and second.verdict.word != "refuted":
        reason = "false for the gradients at the variables; not known to be false at the arguments of the activations"
        return replace(first, verdict=Verdict("undecided", "SR103", reason))
    return first


def _same_place(tree: Node, sides: Sides) -> Iterator[Sides]:
    """The relations of another tree that stand where ``sides`` stands and differ from it."""
    stack = [tree]
    while stack:
        n = stack.pop()
        if n.op == "Chain":
            for other in chain(n):
                if other.left.span == sides.left.span and other.right.span[0] == sides.right.span[0] and other != sides:
                    yield other
        else:
            stack.extend(n.nodes)


# --------------------------------------------------------------------------------------------------------------------- helpers
