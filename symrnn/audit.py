"""Judging documents: every span read, every statement given its role, every relation its verdict."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from symrnn import __version__
from symrnn.alternatives import DECISIVE, alternatives, settled
from symrnn.causes import with_causes
from symrnn.claimforms import with_columns
from symrnn.considered import PART, clause, concerned
from symrnn.displayed import Displayed
from symrnn.document import Row, Sides, role_of, same_equation
from symrnn.errors import Place, SymrnnError
from symrnn.expr import SCALAR, Size, symbols, walk
from symrnn.implied import last_variables, open_loss
from symrnn.judge import Chain, Relation
from symrnn.labels import labelled
from symrnn.laid import with_layout
from symrnn.limits import SECONDS, TimeIsUp, limited
from symrnn.listings import findings
from symrnn.model import Model
from symrnn.prove.claim import Claim
from symrnn.prove.decide import NOT_SPOKEN
from symrnn.prove.verdict import ORDER, Fix, Verdict, worst
from symrnn.read.document import Document, Span, load_document
from symrnn.read.elaborate import Meaningless
from symrnn.read.macros import Macros, macro_table, usual
from symrnn.read.reader import Reading
from symrnn.read.scope import LOSS, TOTAL
from symrnn.read.spelling import spelling
from symrnn.read.sums import ends_of_sums, summed
from symrnn.read.tree import Node
from symrnn.read.tree import walk as nodes_of
from symrnn.reconciled import reconciled
from symrnn.recursions import as_gradient, backwards
from symrnn.setting import Setting
from symrnn.spoken import BASE, NUMBERS, loosely, restricted
from symrnn.told import rulings
from symrnn.unclear import counts_from_zero, speaks_of_ends, unclear
from symrnn.write.notation import Notation

Progress = Callable[[int, int, str], None]

BEFORE = 300
"""Characters of the text before a formula in which a sentence may restrict it."""

FAULTS: tuple[type[Exception], ...] = (Exception,)
"""The errors inside symrnn that end the judgement of one formula only; none where every error has to be seen."""


@dataclass(frozen=True)
class Equation:
    """One span and what became of it."""

    id: str
    span: Span
    role: str
    relations: tuple[Relation, ...]
    reason: str | None = None
    label: str | None = None
    uses: tuple[str, ...] = ()
    expected: str | None = None

    @property
    def verdict(self) -> str | None:
        """The worst of the relations; ``unreadable`` when the span was not read."""
        return worst([r.verdict.word for r in self.relations])

    @property
    def fix(self) -> Fix | None:
        return next((r.verdict.fix for r in self.relations if r.verdict.fix), None)

    def to_json(self) -> dict[str, Any]:
        s = self.span
        return {"id": self.id, "label": self.label, "cell": s.cell, "line": s.line, "column": s.column, "end_line": s.end_line,
                "end_column": s.end_column, "latex": s.latex, "role": self.role, "verdict": self.verdict, "uses": list(self.uses),
                "relations": [r.verdict.to_json(r.latex) for r in self.relations], "reason": self.reason,
                "fix": self.fix.to_json() if self.fix else None}


@dataclass(frozen=True)
class Judged(Displayed):
    """A document and its equations."""

    path: str
    sha256: str
    document: Document
    equations: tuple[Equation, ...]
    models: Mapping[str, Model]
    notation: Notation = Notation()

    @cached_property
    def macros(self) -> Macros:
        """The macros of its formulas: its own, and those that everybody defines alike."""
        return {**usual(), **macro_table({**self.document.macros, **(self.document.settings.get("macros") or {})})}

    def to_json(self) -> dict[str, Any]:
        return self._part(None, self.sha256)

    @property
    def files(self) -> list[dict[str, Any]]:
        """A JSON value for the document, and one for each file that it includes and that has equations."""
        included = {s.path: s.sha256 or "" for s in self.document.lines.sources if s.path is not None}
        used = dict.fromkeys(e.span.path for e in self.equations if e.span.path is not None)
        return [self._part(None, self.sha256), *(self._part(path, included[path]) for path in used)]

    def _part(self, path: str | None, digest: str) -> dict[str, Any]:
        return {"path": path or self.path, "sha256": digest, "equations": [e.to_json() for e in self.equations if e.span.path == path]}


@dataclass(frozen=True)
class Audit(Displayed):
    """The verdicts on several documents; ``to_json`` is a value of the schema symrnn-audit-1."""

    documents: tuple[Judged, ...]
    failures: tuple[SymrnnError, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Why parts of the documents are not read: a line for each."""
        return tuple(f"{Place(d.path, line, column)}: {words}"
                     for d in self.documents for line, column, words in d.document.problems)

    @property
    def summary(self) -> dict[str, int]:
        words = [(e.verdict, e) for d in self.documents for e in d.equations]
        out = {w: sum(v == w for v, _ in words) for w in reversed(ORDER)}
        finite = sum(v == "proved" and any(r.verdict.scope and (r.verdict.scope.sizes != "all" or r.verdict.scope.T != "all")
                                           for r in e.relations) for v, e in words)
        return {"proved": out["proved"], "proved_finite": finite, **{w: out[w] for w in
                ("conditional", "refuted", "agrees", "undecided", "unreadable")}}

    def to_json(self) -> dict[str, Any]:
        return {"schema": "symrnn-audit-1", "tool": {"name": "symrnn", "version": __version__},
                "documents": [part for d in self.documents for part in d.files], "summary": self.summary}


# ------------------------------------------------------------------------------------------------------------------- documents
def audit_files(paths: Sequence[str | Path], *, timeout: float | None = None, progress: Progress | None = None,
                readers: Mapping[str, Callable[..., Judged]] | None = None) -> Audit:
    """Judge documents; one that cannot be opened or decoded is a failure of its own, the others are judged all the same.

    ``readers`` maps the suffix of a file that is no document to what judges it.
    """
    done: list[Judged] = []
    failures: list[SymrnnError] = []
    for n, path in enumerate(paths):
        if progress:
            progress(n, len(paths), str(path))
        try:
            judge = (readers or {}).get(Path(path).suffix.lower(), audit_document)
            done.append(judge(Path(path), timeout=timeout, progress=progress))
        except SymrnnError as error:
            failures.append(error)
    return Audit(tuple(done), tuple(failures))


def audit_document(path: Path, *, timeout: float | None = None, progress: Progress | None = None) -> Judged:
    """Judge one document. Raises DocumentError when it cannot be opened or its declarations are malformed."""
    document = load_document(path)
    auditor = Auditor(document, timeout)
    equations = auditor.run(progress)
    return Judged(str(path), sha256(path.read_bytes()).hexdigest(), document, equations, auditor.models(),
                  auditor.notation)


class Auditor:
    """Judges a compiled document: the definitions of each scope are known before anything is judged."""

    def __init__(self, document: Document, timeout: float | None = None, claims_from: int | None = None) -> None:
        self.document = document
        self.timeout: float | None = SECONDS if timeout is None else timeout
        self.compiled = reconciled(document, claims_from, self.timeout)
        self.settings = self.compiled.settings
        self.notation = self._observed([row.reading for row in self.compiled.rows])
        self._models: dict[str, Model] = {}
        self.stacks: dict[str, Model] = {}
        self.opened: dict[str, str] = {}
        self.unclear = unclear(self.compiled)
        self.ends = self._ends_of_sums()
        self.has_columns = any(map(with_columns, (row.reading.tree for row in self.compiled.rows)))
        trees = [row.reading.tree for row in self.compiled.rows if row.reading.tree is not None and claims_from is None]
        self.labels = labelled(trees, self.settings["main"].scope.table)
        self.base = BASE.search(document.text) if claims_from is None else None
        self.loosely = [loosely(document.text, slopes) if claims_from is None else None for slopes in (False, True)]
        self.from_zero = counts_from_zero(trees, self.settings["main"].scope.table)
        self._sizes: dict[str, Mapping[str, Size]] = {}
        self.tells = claims_from is None
        self._late: set[str] = set()                                  # scopes whose model takes more than the time for a claim
        self._judged: dict[tuple[Any, ...], Equation] = {}            # what was judged already, by all that it depends on
        self._other_of: dict[str, str] = {}                           # scopes with other definitions, each with that of the text
        self._looked_back = False                                     # whether a verdict asked for what stands before its formula
        self._name_recursions()

    def _name_recursions(self) -> None:
        """Take names that the text gives by a recurrence backwards in time for the gradients that they are."""
        for setting, sides in list(backwards(self.compiled.rows)):
            try:
                with limited(self.timeout):
                    found = as_gradient(sides, setting, self.model_of(setting))
            except (SymrnnError, TimeIsUp, MemoryError):              # each claim says so
                continue
            if found is not None:
                scope, words = found
                setting.scope, setting.supposed = scope, {**setting.supposed, sides.left.head: words}

    def models(self) -> dict[str, Model]:
        """The model of every scope that has definitions, and of every stack in a listing that was judged."""
        out: dict[str, Model] = dict(self.stacks)
        for name, setting in self.settings.items():
            try:
                out |= {name: self.model_of(setting)} if setting.equations else {}
            except SymrnnError:                                       # its equations do not fit: each claim says so
                continue
        return out

    def run(self, progress: Progress | None = None) -> tuple[Equation, ...]:
        """The equations of the document, in order."""
        out = []
        for n, row in enumerate(self.compiled.rows):
            if progress:
                progress(n, len(self.compiled.rows), f"{self.document.path}:{row.span.line}")
            out.append(self._known(row))
        out = [replace(e, relations=rows) for e, rows in zip(out, with_causes((e.id, e.relations) for e in out), strict=True)]
        told = self._told(out) if self.tells else out
        return tuple(sorted((*told, *self._listings()), key=lambda e: e.span.offset))

    def _told(self, equations: list[Equation]) -> list[Equation]:
        """The equations with what sentences claim: of a formula that nothing else decides, or as an entry for the sentence."""
        places = {e.span.offset: n for n, e in enumerate(equations)}
        out, own = list(equations), {n for n, e in enumerate(equations) if e.verdict in (None, "undecided", "unreadable")}
        extra: list[Equation] = []
        told: set[int] = set()
        for r in rulings(self.compiled, self, lambda offset: out[places[offset]].relations if offset in places else ()):
            label = f"sentence: {r.kind}"
            found = () if r.relation is None else (r.relation,)
            n = places.get(r.at) if r.at is not None else None
            if n is None:
                extra.append(Equation(f"said-{len(extra) + 1}", r.span, r.role, found, r.reason, label))
            elif n in own:
                e = out[n]
                kept = e.relations if n in told else ()
                told.add(n)
                out[n] = replace(e, role=r.role, relations=(*kept, *found), reason=r.reason, label=e.label or label)
        return [*out, *extra]

    def _listings(self) -> Iterator[Equation]:
        """The statements of listings that compute what the equations define."""
        for n, f in enumerate(findings(self, self.document, self.settings), start=1):
            if f.model is not None:
                self.stacks[f"stack at line {f.span.line}"] = f.model
            yield Equation(f"code-{n}", f.span, "code", (f.relation,), f.relation.verdict.reason, uses=f.uses)

    def _known(self, row: Row) -> Equation:
        """The verdict on a row; one that says the same in the same scope as a row before it is not judged again."""
        roles = tuple((s.role, s.defines) for s in row.found) if isinstance(row.found, list) else str(row.found)
        rivals = sum(r.offset < row.span.offset for r in row.setting.rivals)
        key = (id(row.setting), row.latex, row.reading.tree, roles, str(row.options.get("assume")), rivals)
        found = self._judged.get(key)
        if found is None:
            self._looked_back = False
            try:
                found = self._judge(row)
            except FAULTS as fault:
                reason = f"a fault of symrnn, not of the document: {type(fault).__name__}: {' '.join(str(fault).split())}"
                failed = Verdict("undecided", "SR305", reason)
                found = Equation(row.id, row.span, "claim", (Relation(row.span.latex, failed),), reason, row.span.label)
            if not self._looked_back:                                 # what stands before it counts, and is another thing elsewhere
                self._judged[key] = found
        laid = found if row.setting.layouts else as_laid(found, row.setting)
        return replace(self._meant_aside(laid, row), id=row.id, span=row.span, expected=row.options.get("expect"))

    def _meant_aside(self, found: Equation, row: Row) -> Equation:
        """The verdict on a row, unless it is refuted where it may be meant under an equation that the text only considers.

        What is proved for the steps at which all symbols exist is not said of those to which a condition before it restricts it.
        """
        if self.base is not None and found.verdict in DECISIVE and any(map(has_logarithm, found.relations)):
            doubt = Verdict("undecided", "SR303", f"its logarithms are natural ones, and the text speaks of “{self.base[0]}”")
            return replace(found, relations=tuple(replace(r, verdict=doubt) for r in found.relations), reason=doubt.reason)
        if found.verdict not in ("refuted", "proved") or not isinstance(row.found, list):
            return found
        considered = concerned(self.compiled.asides, row.span.offset, [s.tree for s in row.found], row.setting)
        if considered is not None and considered.early and any(c.startswith(NOT_SPOKEN) for r in found.relations
                                                               for c in r.verdict.conditions):
            doubt = Verdict("undecided", "SR303", f"it is said for {considered.latex}, where a printed symbol may not exist")
            return replace(found, relations=tuple(replace(r, verdict=doubt) for r in found.relations), reason=doubt.reason)
        if found.verdict != "refuted" or row.options.get("assume"):
            return found
        words = self._spoken(row) if row.span.directive is None else None
        if words is not None and NUMBERS.search(words) and all(of_numbers(r.claim) for r in found.relations if r.verdict.word == "refuted"):
            words = None                                              # as everything is read
        early = self.from_zero and speaks_of_ends((s.tree for s in row.found), row.setting.scope)
        if considered is None and words is None and not early:
            return found
        what = "the steps of the text begin at 0" if early else f"it is said under “{words}”"
        what = what if considered is None else f"line {considered.line} considers {considered.latex}"
        doubt = Verdict("undecided", "SR303", f"it fails in general, but {what}, and it may be meant under that")
        numbers = considered.sizes if considered is not None else words is not None and NUMBERS.search(words) is not None
        kept = tuple(replace(r, verdict=doubt) if r.verdict.word == "refuted" and (numbers or r.verdict.method != "shapes") else r
                     for r in found.relations)
        return replace(found, relations=kept, reason=reason_of(kept))

    def _spoken(self, row: Row) -> str | None:
        """The words before a formula by which it is said of less than everything."""
        part = PART.search(clause(self.document.text, row.span.offset))
        if part is not None or not isinstance(row.found, list):
            return part[0] if part is not None else None
        slopes = any(n.op == "Prime" for s in row.found for n in nodes_of(s.tree))
        return self.loosely[slopes] or restricted(self.document.text, row.span.offset, row.span.offset + len(row.span.latex))

    def _ends_of_sums(self) -> Mapping[str, frozenset[str]]:
        """For everything that the text sums over its components, the letters at which these sums end."""
        pairs = {pair for row in self.compiled.rows if row.reading.tree is not None for pair in ends_of_sums(row.reading.tree)}
        return {name: frozenset(end for other, end in pairs if other == name) for name, _ in pairs}

    def _observed(self, readings: Sequence[Reading]) -> Notation:
        """How the author writes: names, times, transposes, diagonals, gradients."""
        scope = self.settings["main"].scope
        names = spelling(readings)
        names |= {core: names[own] for core, own in ((LOSS, scope.loss), (TOTAL, scope.total)) if own in names}
        seen = Notation.observed(scope.table, names, [r.latex for r in readings], scope.steps)
        if LOSS not in names and r"\ell" not in names.values():
            names[LOSS] = r"\ell"
            seen = replace(seen, names={**seen.names, LOSS: names[LOSS]})
        return replace(seen, names={**seen.names, **({TOTAL: names[scope.total]} if scope.total in names else {})}, total=TOTAL)

    # ------------------------------------------------------------------------------------------------------------- judging
    def _judge(self, row: Row) -> Equation:
        """The verdict on a row; where the text leaves open what something is, one that is the same whatever it is."""
        found = self._judged_in(row)
        for other in alternatives(row.setting, row.span.offset):
            if found.verdict in DECISIVE:
                name = self._other_of.setdefault(other.setting.name, row.setting.name)
                self.unclear.setdefault(other.setting.name, self.unclear.get(name, {}))
                again = self._judged_in(replace(row, setting=other.setting))
                kept = settled(found.relations, again.relations, other)
                found = replace(found, relations=kept, reason=reason_of(kept))
        return found

    def _judged_in(self, row: Row) -> Equation:
        identifier, span, reading, setting, found = row.id, row.span, row.reading, row.setting, row.found
        label = next((text for kind, text, _ in reading.attributes if kind in ("label", "tag")), span.label)
        options = row.options
        expected = options.get("expect")
        if reading.tree is None:
            assert reading.unread is not None
            u = reading.unread
            reason = f"at character {u.offset + 1} ({u.token!r}): {u.hint}"
            return Equation(identifier, span, "claim", (Relation(span.latex, Verdict("unreadable", "SR301", reason)),), reason, label,
                            expected=expected)
        if isinstance(found, Meaningless):
            v = Verdict("undecided", found.code, found.reason)
            return Equation(identifier, span, "claim", (Relation(span.latex, v),), found.reason, label, expected=expected)
        where = Place(self.document.path, span.line)
        trees = [s.tree for s in found]
        stated = (*setting.conditions, *(c for text in _list(options.get("assume")) for c in setting.condition(text, where, trees)))
        relations: list[Relation] = []
        uses: dict[str, None] = {}
        for s in found:
            if s.part in ("mention", "condition"):
                continue
            judge = Chain(self, replace(span, latex=row.latex), reading, setting, stated)
            relations += judge.run(s)
            uses.update(dict.fromkeys(judge.uses))
        implications = [n for n in nodes_of(reading.tree) if n.op in ("Implies", "Iff")]
        if implications:
            alone = implications == [reading.tree] and reading.tree.nodes[0].op != "Ellipsis"
            relations = implied_only(relations, alone)
        if identifier in self.compiled.unsettled:
            relations = [in_doubt(r) if r.verdict.word == "refuted" and r.verdict.method == "shapes" else r for r in relations]
        role = role_of(found)
        if role == "claim" and all(r.verdict.word is None for r in relations):
            role = "definition"
        return Equation(identifier, span, role, tuple(relations), reason_of(relations), label, tuple(uses), expected)

    def text_before(self, offset: int) -> str:
        """The text just before a formula, with the formulas in it."""
        self._looked_back = True
        return self.document.text[max(0, offset - BEFORE) : offset]

    def trees_before(self, offset: int) -> Iterator[Node]:
        """What stands in the document before an offset, as far as it was read."""
        self._looked_back = True
        return (row.reading.tree for row in self.compiled.rows if row.span.offset < offset and row.reading.tree is not None)

    def line_that_defines(self, sides: Sides, setting: Setting, offset: int) -> int | None:
        """Where the text before an offset gives the same equation as a definition that stands."""
        self._looked_back = True
        for row in self.compiled.rows:
            for s in row.found if isinstance(row.found, list) and row.span.offset < offset else ():
                if s.defines is not None and setting.places.get(s.defines) == row.id and same_equation(s.sides[0], sides):
                    return row.span.line
        return None

    def sizes_of(self, setting: Setting) -> Mapping[str, Size]:
        if setting.name not in self._sizes:
            self._sizes[setting.name] = setting.sizes()
        return self._sizes[setting.name]

    def model_of(self, setting: Setting) -> Model:
        if setting.name in self._late:
            raise TimeIsUp
        if setting.name not in self._models:
            try:
                model = setting.model(setting.name)
            except (TimeIsUp, MemoryError):
                self._late.add(setting.name)
                raise
            stated = self._loss_stated_of(setting)
            total, loss = setting.scope.total, setting.scope.loss
            if model.loss is None and model.equations and (total or loss) is not None and stated is not None:
                named = self._derived_by(setting) & {v.name for v in last_variables(model)}
                model = open_loss(model, stated & {v.name for v in model.variables} or named)
                last = ", ".join(str(s.name) for s in symbols(model.definitions[LOSS]))
                self.opened[setting.name] = (f"{total} is a sum over the steps of a function of {last}" if total is not None else
                                             f"{loss} is a function of {last}")
            self._models[setting.name] = model
        return self._models[setting.name]

    def _loss_stated_of(self, setting: Setting) -> set[str] | None:
        """What the equations of the text that were not taken as a definition of the loss make it a function of, step by step.

        Empty where the text says nothing; None where what it says is no sum over the steps.
        """
        own, name = {setting.scope.total, setting.scope.loss}, self._other_of.get(setting.name, setting.name)
        out: set[str] = set()
        for row in self.compiled.rows:
            for s in row.found if row.setting.name == name and isinstance(row.found, list) else ():
                left = s.sides[0].left if s.role == "claim" and s.sides else None
                left = left.nodes[0] if left is not None and left.op == "Call" else left
                if left is None or left.op != "Sym" or left.head not in own or left.part("Index") is not None:
                    continue
                for sides in s.sides:
                    found = summed(sides.right, setting.scope.table.time_letter)
                    if found is None:
                        return None
                    out |= found - {str(name) for name in own}
        return out

    def _derived_by(self, setting: Setting) -> set[str]:
        """By what the formulas of the text differentiate the loss."""
        own, name = {setting.scope.total, setting.scope.loss}, self._other_of.get(setting.name, setting.name)
        trees = (row.reading.tree for row in self.compiled.rows if row.setting.name == name and row.reading.tree is not None)
        found = (n for tree in trees for n in nodes_of(tree) if n.op == "Deriv" and n.nodes[0].head in own)
        return {by.head for n in found for by in n.nodes[1:] if by.op == "Sym"}


def as_laid(found: Equation, setting: Setting) -> Equation:
    """The verdict on a row in a text that says how derivatives lie, where its words leave open what that is of those in the row."""
    kept = tuple(replace(r, verdict=with_layout(r.verdict, r.claim, setting.stated_layout)) for r in found.relations)
    return replace(found, relations=kept, reason=reason_of(kept)) if kept != found.relations else found


def reason_of(relations: Iterable[Relation]) -> str | None:
    """The first reason that is given for a verdict."""
    return next((r.verdict.reason for r in relations if r.verdict.word and r.verdict.reason), None)


def has_logarithm(r: Relation) -> bool:
    """Whether a claim, or a definition of its model, has a logarithm."""
    sides = () if r.claim is None else (r.claim.left, r.claim.right, *(e.right for e in r.claim.model.equations))
    return any(x.op == "apply" and x.attr == "log" for side in sides for x in walk(side))


def of_numbers(claim: Claim | None) -> bool:
    """Whether everything that a claim prints is a number."""
    return claim is not None and all(s.shape == SCALAR for side in (claim.left, claim.right) for s in symbols(side))


def in_doubt(r: Relation) -> Relation:
    """A definition that does not fit the shapes that are stated: one of both is wrong."""
    reason = f"it is a definition that does not fit the shapes that are stated: {r.verdict.reason}"
    return replace(r, verdict=Verdict("undecided", "SR103", reason))


def implied_only(relations: Sequence[Relation], alone: bool = True) -> list[Relation]:
    """The relations of an implication: a premise is not claimed, and what follows is claimed only where the premise holds.

    ``alone`` is false for an implication among other statements, and for one whose premise stands elsewhere in the text.
    """
    if not relations:
        return []
    *premises, last = relations
    open_premise = not alone or any(r.verdict.word not in (None, "proved", "conditional") for r in premises)
    doubted = [*premises, last] if open_premise else premises
    doubt = Verdict("undecided", "SR303", "false in general, but it stands in an implication whose premise is not established")
    return [replace(r, verdict=doubt) if r in doubted and r.verdict.word == "refuted" and r.verdict.method != "shapes" else r
            for r in relations]


def _list(value: Any) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else [str(v) for v in value]
