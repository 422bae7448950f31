"""Judging documents: every span read, every statement given its role, every relation its verdict."""
from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from symrnn import __version__
from symrnn.document import Row, Setting, Sides, Statement, chain, compile_document
from symrnn.errors import Place, SymrnnError
from symrnn.expr import Expr, Size, resize
from symrnn.model import Model
from symrnn.prove.claim import Claim, Condition
from symrnn.prove.decide import decide, domain
from symrnn.prove.shapes import conflict
from symrnn.prove.verdict import ORDER, Fix, Verdict, worst
from symrnn.read.document import Document, Span, load_document, parse_document
from symrnn.read.elaborate import Elaborator, Meaningless
from symrnn.read.reader import Reading, read
from symrnn.read.scope import LOSS, TOTAL
from symrnn.read.spelling import before, spelling
from symrnn.read.symbols import KINDS
from symrnn.read.tree import Node
from symrnn.repair import Repair, repair
from symrnn.write.latex import latex
from symrnn.write.notation import Notation

Progress = Callable[[int, int, str], None]
STANDS = ("proved", "conditional")
"""The verdicts after which a side of a chain stands."""
STEPS = 3000
"""The budget of a repair, in candidates."""


@dataclass(frozen=True)
class Relation:
    """One relation of a chain: what is printed, its verdict, and the claim that was judged (None where nothing was)."""

    latex: str
    verdict: Verdict
    claim: Claim | None = None
    fixed: Claim | None = None


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
        return {"id": self.id, "label": self.label, "cell": None, "line": s.line, "column": s.column, "end_line": s.end_line,
                "end_column": s.end_column, "latex": s.latex, "role": self.role, "verdict": self.verdict, "uses": list(self.uses),
                "relations": [r.verdict.to_json(r.latex) for r in self.relations], "reason": self.reason,
                "fix": self.fix.to_json() if self.fix else None}


@dataclass(frozen=True)
class Judged:
    """A document and its equations."""

    path: str
    sha256: str
    document: Document
    equations: tuple[Equation, ...]
    models: Mapping[str, Model]
    notation: Notation = Notation()

    def to_json(self) -> dict[str, Any]:
        return {"path": self.path, "sha256": self.sha256, "equations": [e.to_json() for e in self.equations]}


@dataclass(frozen=True)
class Audit:
    """The verdicts on several documents; ``to_json`` is a value of the schema symrnn-audit-1."""

    documents: tuple[Judged, ...]
    failures: tuple[SymrnnError, ...] = ()

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
                "documents": [d.to_json() for d in self.documents], "summary": self.summary}


# ------------------------------------------------------------------------------------------------------------------- documents
def audit_files(paths: Sequence[str | Path], *, timeout: float | None = None, progress: Progress | None = None) -> Audit:
    """Judge documents; one that cannot be opened or decoded is a failure of its own, the others are judged all the same."""
    done: list[Judged] = []
    failures: list[SymrnnError] = []
    for n, path in enumerate(paths):
        if progress:
            progress(n, len(paths), str(path))
        try:
            done.append(audit_document(Path(path), timeout=timeout, progress=progress))
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

    def __init__(self, document: Document, timeout: float | None = None) -> None:
        self.document, self.timeout = document, timeout
        self.compiled = compile_document(document)
        self.settings = self.compiled.settings
        self.notation = self._observed([row.reading for row in self.compiled.rows])
        self._models: dict[str, Model] = {}
        self._sizes: dict[str, Mapping[str, Size]] = {}

    def models(self) -> dict[str, Model]:
        """The model of every scope that has definitions."""
        return {name: self.model_of(s) for name, s in self.settings.items() if s.equations}

    def run(self, progress: Progress | None = None) -> tuple[Equation, ...]:
        """The equations of the document, in order."""
        out = []
        for n, row in enumerate(self.compiled.rows):
            if progress:
                progress(n, len(self.compiled.rows), f"{self.document.path}:{row.span.line}")
            out.append(self._judge(row))
        return tuple(out)

    def _observed(self, readings: Sequence[Reading]) -> Notation:
        """How the author writes: names, times, transposes, diagonals, gradients."""
        scope = self.settings["main"].scope
        names = spelling(readings)
        names |= {core: names[own] for core, own in ((LOSS, scope.loss), (TOTAL, scope.total)) if own in names}
        seen = Notation.observed(scope.table, names, [r.latex for r in readings])
        return replace(seen, names={**seen.names, **({TOTAL: names[scope.total]} if scope.total in names else {})}, total=TOTAL)

    # ------------------------------------------------------------------------------------------------------------- judging
    def _judge(self, row: Row) -> Equation:
        identifier, span, reading, setting, found = row.id, row.span, row.reading, row.setting, row.found
        label = next((text for kind, text, _ in reading.attributes if kind in ("label", "tag")), None)
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
        stated = (*setting.conditions, *(c for text in _list(options.get("assume")) for c in setting.condition(text, where)))
        relations: list[Relation] = []
        uses: dict[str, None] = {}
        roles: list[str] = []
        for s in found:
            roles.append(s.role if s.role != "claim" or any(x.relation == "=" for x in s.sides) else "condition")
            if roles[-1] in ("mention", "condition"):
                continue
            judge = Chain(self, span, reading, setting, stated)
            relations += judge.run(s)
            uses.update(dict.fromkeys(judge.uses))
        role = next((r for r in ("claim", "definition", "condition", "mention") if r in roles), "mention")
        if role == "claim" and all(r.verdict.word is None for r in relations):
            role = "definition"
        return Equation(identifier, span, role, tuple(relations), next((r.verdict.reason for r in relations if r.verdict.reason), None),
                        label, tuple(uses), expected)

    def sizes_of(self, setting: Setting) -> Mapping[str, Size]:
        if setting.name not in self._sizes:
            self._sizes[setting.name] = setting.sizes()
        return self._sizes[setting.name]

    def model_of(self, setting: Setting) -> Model:
        if setting.name not in self._models:
            self._models[setting.name] = setting.model(setting.name)
        return self._models[setting.name]


class Chain:
    """Judges the relations of one statement; a side that follows an error is compared with the last side that stands."""

    def __init__(self, auditor: Auditor, span: Span, reading: Reading, setting: Setting, stated: tuple[Condition, ...]) -> None:
        self.auditor, self.span, self.reading, self.setting, self.stated = auditor, span, reading, setting, stated
        self.uses: dict[str, None] = {}

    def run(self, s: Statement) -> list[Relation]:
        out: list[Relation] = []
        anchor: Node | None = None
        for k, sides in enumerate(s.sides):
            text = self._text(sides)
            silent = (s.role == "definition" and k == 0) or sides.relation != "=" or "Ellipsis" in (sides.left.op, sides.right.op)
            if silent or (k == 0 and self._names_something_new(sides.left)):
                out.append(Relation(text, Verdict(None)))
                continue
            doubtful = anchor is not None and out[-1].verdict.word not in (None, *STANDS)
            if doubtful and anchor is not None:
                out.append(self._after_fault(anchor, sides, text, out[-1].verdict.word == "refuted"))
                continue
            if anchor is None or out[-1].verdict.word in (None, "proved"):
                anchor = sides.left
            out.append(self._relation(sides, text, sides))
        return out

    def _after_fault(self, anchor: Node, sides: Sides, text: str, broken: bool) -> Relation:
        """A relation whose left side does not stand (``broken``), or is in doubt.

        Its right side may still equal the last side that stands, and the relation may still hold as it is printed.
        """
        against = self._relation(replace(sides, left=anchor), text, sides)
        if against.verdict.word in STANDS:
            why = "right against the last side that stands; the side before it is " + ("not" if broken else "in doubt")
            return replace(against, verdict=replace(against.verdict, reason=why))
        printed = self._relation(sides, text, sides)
        if printed.verdict.word in STANDS:
            why = "follows from the side before it, which is " + ("itself not right" if broken else "in doubt")
            return replace(printed, verdict=replace(printed.verdict, reason=why))
        found = conflict(against.claim) if against.claim is not None else None
        return against if broken or (found is not None and found.kind == "right" and "rank 3" not in found.what) else printed

    def _names_something_new(self, n: Node) -> bool:
        """A call of a letter that the text neither declares nor defines: the relation only gives it a name."""
        while n.op in ("Prime", "At"):
            n = n.nodes[0]
        if n.op != "Call":
            return False
        f = n.nodes[0]
        while f.op == "Prime":
            f = f.nodes[0]
        known = self.setting.scope.table.lookup(f.head) is not None or f.head in (self.setting.scope.total, self.setting.scope.loss)
        return f.op == "Sym" and not known

    def _text(self, sides: Sides) -> str:
        return f"{self._source(sides.left)} {sides.relation if sides.relation in '=<>:' else '='} {self._source(sides.right)}"

    def _relation(self, sides: Sides, text: str, printed: Sides) -> Relation:
        """Judge one relation; ``printed`` is the same with the left side that stands in the text."""
        elaborator = Elaborator(self.setting.scope)
        mixed = self._function_as_number(sides)
        if mixed is not None:
            return Relation(text, Verdict("refuted", "SR101", mixed, method="shapes"))
        try:
            with limited(self.auditor.timeout):
                left, right = self._side(elaborator, sides.left), self._side(elaborator, sides.right)
                model = self.auditor.model_of(self.setting)
                claim = Claim(left, right, model, "=", self.stated)
                verdict = self._slip(sides) or decide(claim)
                relation = self._finish(Relation(text, verdict, claim), sides, elaborator, printed)
        except Meaningless as reason:
            return Relation(text, Verdict("undecided", reason.code, reason.reason))
        except TimeIsUp:
            return Relation(text, Verdict("undecided", "SR304", f"not decided within {self.auditor.timeout:g} s"))
        for name in relation.verdict.uses:
            if name in self.setting.places:
                self.uses[self.setting.places[name]] = None
        return relation

    def _side(self, elaborator: Elaborator, n: Node) -> Expr:
        """One side in the core, its open sizes as the equations of the scope determine them."""
        return resize(elaborator(n), self.auditor.sizes_of(self.setting))

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
        """Readings that had to be chosen, other readings, and the correction."""
        v = r.verdict
        chosen = [c for c in elaborator.choices if c.code == "single-term"]
        if v.word == "proved" and chosen:
            v = replace(v, word="conditional", convention="sum over i = j as one term", conditions=(*v.conditions, chosen[0].message),
                        reason=f"true when {chosen[0].message}")
        if v.domain is not None and r.claim is not None:
            v = replace(v, domain=domain(r.claim, self._inline))
        found_shapes = conflict(r.claim) if v.word == "refuted" and v.method == "shapes" and r.claim is not None else None
        if found_shapes is not None:
            v = replace(v, reason=found_shapes.sentence(self._inline))
        if v.word == "refuted":
            v = self._readings(v, printed, sides.left)
            assert r.claim is not None
            if self._slip(sides) is not None:
                supplied = decide(r.claim).word == "proved"
                shown = f"{latex(r.claim.left, self.notation(sides.left))} = {latex(r.claim.right, self.notation(sides.right))}"
                return replace(r, verdict=replace(v, fix=Fix(shown, "proved", ("supply the sign of derivation",))) if supplied else v)
            found = repair(r.claim, STEPS)
            if found is not None:
                v = replace(v, code=v.code if found.code == "SR299" else found.code, fix=self._fix(sides, found))
                return replace(r, verdict=v, fixed=found.claim)
        return replace(r, verdict=v)

    def _fix(self, sides: Sides, found: Repair) -> Fix:
        """The correction beside the printed left side; it must stand when it is read afresh."""
        text = f"{self._source(sides.left)} = {latex(found.claim.right, self.notation(sides.right))}"
        words = tuple(str(e.parts[0]).format(*(self._inline(x) if isinstance(x, Expr) else x for x in e.parts[1:])) for e in found.edits)
        return Fix(text, self._again(text), words)

    def _inline(self, e: Expr) -> str:
        """An expression in the author's notation, between dollar signs."""
        return f"${latex(e, self.auditor.notation)}$"

    def _again(self, text: str) -> str:
        """The verdict on a correction that is read and judged like any other equation."""
        reading = read(text, self.setting.scope.table)
        if reading.tree is None or reading.tree.op != "Chain":
            return "unreadable"
        E = Elaborator(self.setting.scope)
        try:
            (sides,) = chain(reading.tree)
            claim = Claim(self._side(E, sides.left), self._side(E, sides.right), self.auditor.model_of(self.setting), "=", self.stated)
        except (Meaningless, ValueError):
            return "unreadable"
        return decide(claim).word or "undecided"

    def _source(self, n: Node) -> str:
        """What the text prints for a side, with the braces that belong to it."""
        text, (lo, hi) = self.span.latex, n.span
        lo = before(text, lo)
        while hi < len(text) and text.count("{", lo, hi) > text.count("}", lo, hi):
            hi += 1
        return text[lo:hi].replace("&", "").strip()

    def notation(self, near: Node) -> Notation:
        """How the author writes, with the gradients as in the side at hand."""
        style = "nabla" if "\\nabla" in self.span.latex[slice(*near.span)] else "fraction"
        return replace(self.auditor.notation, gradient=style)

    def _readings(self, v: Verdict, sides: Sides, left: Node) -> Verdict:
        """What another reading of the notation would give."""
        rows = []
        for other in self.reading.alternatives:
            for again in _same_place(other, sides):
                try:
                    E = Elaborator(self.setting.scope)
                    claim = Claim(self._side(E, left), self._side(E, again.right), self.auditor.model_of(self.setting), "=", self.stated)
                    rows.append((claim, decide(claim)))
                except Meaningless:
                    continue
        for claim, other in rows:
            if other.word == "proved":
                shown = latex(claim.right, self.notation(sides.right))
                return replace(v, readings=((shown, "proved"),), reason=f"{v.reason}; it would hold if the last term were meant inside "
                               "the sum")
        return v


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


# ------------------------------------------------------------------------------------------------------------------ one claim
@dataclass(frozen=True)
class Checked:
    """The judgement of one claim."""

    equation: Equation
    notation: Notation

    @property
    def verdict(self) -> str | None:
        return self.equation.verdict

    def to_json(self) -> dict[str, Any]:
        return self.equation.to_json()

    def to_text(self) -> str:
        """The verdict of each relation, why, and what would be right."""
        out = []
        for r in self.equation.relations:
            v = r.verdict
            where = f" {v.scope}" if v.scope is not None else ""
            out.append(f"{v.word or 'definition'}{where}{f' [{v.code}]' if v.code else ''}: {' '.join(r.latex.split())}")
            out += [f"  {line}" for line in (v.reason, v.method and f"method: {v.method}", v.domain and f"where defined: {v.domain}")
                    if line]
            out += [f"  uses: {c}" for c in v.conditions]
            if v.fix is not None:
                out.append(f"  right would be ({v.fix.verdict}): {v.fix.latex}")
        return "\n".join(out)

    def to_latex(self) -> str:
        """The claim, or its correction where it is refuted, as LaTeX."""
        return self.equation.fix.latex if self.equation.fix else self.equation.span.latex


def check_claim(claim: str, *, given: Sequence[str] = (), shapes: Mapping[str, str] | None = None, assume: Sequence[str] = (),
                timeout: float | None = None) -> Checked:
    """Judge one claim in LaTeX against given equations, shapes of symbols and stated conditions.

    ``shapes`` maps a symbol to ``n x m``, ``n``, ``scalar`` or a declaration such as ``vector n, sequence`` or ``function tanh``;
    a symbol written with its time (``h_t``) is a sequence. ``assume`` takes conditions such as ``i = k`` or ``\\sum_k y_k = 1``.

    >>> check_claim(r"\\sigma(-u) = 1 - \\sigma(u)", shapes={"u": "scalar", r"\\sigma": "function sigmoid"}).verdict
    'proved'
    """
    text = "".join(f"$$\n{g}\n$$\n\n" for g in (*given, claim))
    document = replace(parse_document(text, "claim.md"), settings=declared([*given, claim], dict(shapes or {}), assume))
    auditor = Auditor(document, timeout)
    return Checked(auditor.run()[-1], auditor.notation)


def declared(formulas: Sequence[str], shapes: Mapping[str, str], assume: Sequence[str]) -> dict[str, Any]:
    """The front matter that the arguments of a check amount to."""
    text = " ".join([*formulas, *shapes])
    style = "sup" if re.search(r"\^\{?\s*\(\s*t", text) else "sub"
    symbols = {name: shape_words(words) for name, words in shapes.items()}
    sums = [m for c in assume if (m := re.match(r"\s*\\sum_?\{?\w*\}?\s*([\\A-Za-z]+?)[_({^].*=\s*1\s*$", c))]
    data: dict[str, Any] = {"time": style, "symbols": {"t": "time", **symbols}, "assume": list(assume)}
    targets = [m[1] for m in sums]
    return {**data, **({"targets": targets} if targets else {})}


def shape_words(words: str) -> str:
    """``n x m`` and ``n`` as declarations.

    >>> shape_words("n_h x n_x"), shape_words("n_h"), shape_words("vector n_h, sequence"), shape_words("scalar")
    ('matrix n_h n_x', 'vector n_h', 'vector n_h, sequence', 'scalar')
    """
    if pair := re.fullmatch(r"\s*(\S+)\s*(?:x|×|\\times)\s*(\S+)\s*", words):
        return f"matrix {pair[1]} {pair[2]}"
    return f"vector {words.strip()}" if re.fullmatch(r"\s*[A-Za-z_{}0-9]+\s*", words) and words.strip() not in KINDS else words


# --------------------------------------------------------------------------------------------------------------------- helpers
class TimeIsUp(Exception):
    """The time for one claim is over."""


@contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """Stop the body after some seconds (where the platform has alarms); None: no limit."""
    if not seconds or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(*_: object) -> None:
        raise TimeIsUp
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _list(value: Any) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else [str(v) for v in value]
