"""Claims outside a document: one formula, or a file of them, with given equations, shapes and conditions in free form.

What is not declared is inferred from use (:mod:`symrnn.read.infer`); a given fact that was not understood is listed, and leaves
a claim undecided that shares a symbol with it.
"""
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symrnn.audit import Auditor, Equation
from symrnn.claimforms import SINGLE
from symrnn.coded.judge import LANGUAGES, JudgedStatement, judge_code
from symrnn.coded.repair import corrected
from symrnn.coded.values import Doubt
from symrnn.displayed import Displayed
from symrnn.errors import CallError, DeclarationError, DocumentError, SymrnnError
from symrnn.expr import symbols
from symrnn.givenshapes import narrowing, shapes_in_words, stated_shapes, unread
from symrnn.judge import Relation
from symrnn.limits import TimeIsUp, limited
from symrnn.prove.verdict import Verdict
from symrnn.read.codetext import CodeUnread
from symrnn.read.context import ARRAYS
from symrnn.read.declarations import declarations
from symrnn.read.document import Document, Span, parse_document
from symrnn.read.enter import enter
from symrnn.read.facts import Fact, fact, sentences
from symrnn.read.facts import facts as stated_facts
from symrnn.read.held import HOLD, is_flow
from symrnn.read.infer import infer
from symrnn.read.names import canonical_name
from symrnn.read.reader import read
from symrnn.read.scope import LOSS
from symrnn.read.symbols import Declared, SymbolTable
from symrnn.read.tree import walk
from symrnn.setting import Setting, canonical_base
from symrnn.shapeclaims import given_shapes, shape_claim
from symrnn.told import of_formula
from symrnn.write.notation import Notation

LEFT_OUT = re.compile(r"\(\s*\\cdot\s*\)")
"""An argument that a given fact leaves out: where values lie may be decided all the same."""


@dataclass(frozen=True)
class Checked(Displayed):
    """The judgement of one claim."""

    equation: Equation
    notation: Notation
    ignored: tuple[str, ...] = ()

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
        out += [f"  not understood: {fact}" for fact in self.ignored]
        return "\n".join(out)

    def to_latex(self) -> str:
        """The claim, or its correction where it is refuted, as LaTeX."""
        return self.equation.fix.latex if self.equation.fix else self.equation.span.latex


def check_claim(claim: str, *, given: Sequence[str] = (), shapes: Mapping[str, str] | None = None, assume: Sequence[str] = (),
                timeout: float | None = None, language: str = "latex") -> Checked:
    """Judge one claim against given equations, shapes of symbols and stated conditions.

    ``language`` is ``latex``, or one of those of :mod:`symrnn.coded`: ``python``, ``ascii``, ``c``, ``c++``, ``cuda``, ``java``,
    ``javascript``, ``matlab``.

    ``shapes`` maps a symbol (or several, by commas) to ``n x m``, ``n``, ``scalar`` or a declaration such as ``vector n, sequence``
    or ``function tanh``. ``assume`` takes conditions such as ``i = k``, ``t < T`` or ``\\sum_k y_k = 1``.

    Raises: CallError for a formula that is empty or more than one.

    >>> check_claim(r"\\sigma(-u) = 1 - \\sigma(u)", shapes={"u": "scalar", r"\\sigma": "function sigmoid"}).verdict
    'proved'
    """
    if language != "latex":
        return check_code(claim, language, given, shapes or {}, assume, timeout)
    document, formulas, unknown = prepared(claim, given, shapes or {}, assume)
    data = document.settings
    auditor = Auditor(document, timeout, claims_from=len(formulas))
    *equations, equation = auditor.run()
    stated = shape_claim(claim, given_shapes(stated_shapes(shapes or {}, [*formulas, claim])), auditor.settings["main"].scope.table)
    if stated is not None:
        return Checked(replace(equation, relations=(Relation(claim, stated),), reason=stated.reason), auditor.notation, ())
    told = tuple(of_formula(auditor.compiled, auditor))
    if told:
        equation = replace(equation, relations=told, reason=next((r.verdict.reason for r in told if r.verdict.reason), None))
    if not equation.relations:
        reason = "the formula states no relation"
        equation = replace(equation, relations=(Relation(claim, Verdict("undecided", "SR303", reason)),), reason=reason)
    if numbers := guessed_numbers(equation, claim, shapes or {}):
        return check_claim(claim, given=given, shapes={**(shapes or {}), **numbers}, assume=assume, timeout=timeout)
    if equation.verdict == "refuted" and data["symbols"].get("sigma") == "function" and not stated_in("sigma", shapes or {}):
        usual = check_claim(claim, given=given, shapes={**(shapes or {}), r"\sigma": "function sigmoid"}, assume=assume, timeout=timeout)
        if usual.verdict != "refuted":
            reason = "sigma is declared nowhere: false for some function, but not for the sigmoid"
            doubt = Verdict("undecided", "SR103", reason)
            equation = replace(equation, relations=tuple(replace(r, verdict=doubt) if r.verdict.word == "refuted" else r
                                                         for r in equation.relations), reason=reason)
    facts = tuple(unknown) + tuple(f for f in not_understood(auditor, formulas, equations) if not (told and LEFT_OUT.search(f)))
    refuted = any(r.verdict.word == "refuted" and r.verdict.method != "shapes" for r in equation.relations)
    blocked = [f for f in facts if shares(f, claim, auditor.settings["main"])] or (unknown if refuted else [])
    if blocked and equation.verdict in ("proved", "refuted", "conditional", "agrees"):
        reason = f"a given fact was not understood: {blocked[0]}"
        doubt = Verdict("undecided", "SR303", reason)
        equation = replace(equation, relations=tuple(replace(r, verdict=doubt) for r in equation.relations), reason=reason)
    narrow = [name for name in narrowing(shapes or {}) if shares(name, claim, auditor.settings["main"])]
    if narrow and equation.verdict == "refuted":
        doubt = Verdict("undecided", "SR303", f"false in general; of {narrow[0]} more is given than its shape, which was not understood")
        equation = replace(equation, relations=tuple(replace(r, verdict=doubt) if r.verdict.word == "refuted" else r
                                                     for r in equation.relations), reason=doubt.reason)
    return Checked(equation, auditor.notation, (*facts, *unread(shapes or {})))


def prepared(claim: str, given: Sequence[str], shapes: Mapping[str, str], assume: Sequence[str]) -> tuple[Document, list[str], list[str]]:
    """The document that a claim makes with what is given, the given formulas, and the facts and conditions that were not understood.

    Raises: CallError for a formula that is empty or more than one.
    """
    for formula in (*given, claim):
        if not formula.strip() or "$$" in formula:
            raise CallError("a formula", must="be one piece of LaTeX, without the dollars around it", came=formula or "nothing",
                            next_step=r"Write for example h_t = \tanh(W h_{t-1}).")
    said = [stated_facts(g) for g in given]
    formulas = [rest for _, rest in said if rest]
    text = "".join(f"$$\n{g}\n$$\n\n" for g in (*formulas, claim))
    data, unknown = declared(formulas, claim, shapes, assume, [*given], [f for found, _ in said for f in found])
    return replace(parse_document(text, "claim.md"), settings=data), formulas, unknown


def check_code(claim: str, language: str, given: Sequence[str], shapes: Mapping[str, str], assume: Sequence[str],
               timeout: float | None) -> Checked:
    """The judgement of a claim in a language of programs or in plain text."""
    if language not in LANGUAGES:
        raise CallError("the language", must="be latex, " + ", ".join(LANGUAGES), came=language,
                        next_step="Write the claim in one of them.")
    if not claim.strip():
        raise CallError("a claim", must="not be empty", came="nothing",
                        next_step="Write a statement such as dW += np.outer(dy, h).")
    try:
        with limited(timeout):
            found = judge_code(claim, language, given, shapes, assume)
    except CodeUnread as unread:
        found = [JudgedStatement(claim, Verdict("unreadable", "SR301", str(unread)))]
    except RecursionError:
        found = [JudgedStatement(claim, Verdict("unreadable", "SR301", "it is nested too deeply"))]
    except TimeIsUp:
        found = [JudgedStatement(claim, Verdict("undecided", "SR303", f"the time limit of {timeout} s is over"))]
    if any(j.verdict.word == "refuted" for j in found):
        found = with_fix(found, claim, language, given, shapes, assume, timeout)
    relations = tuple(Relation(j.text, j.verdict) for j in found)
    span = Span(claim, 1, 1, 1 + claim.count("\n"), len(claim.rpartition("\n")[2]) + 1, 0, "display")
    reason = next((r.verdict.reason for r in relations if r.verdict.reason), None)
    return Checked(Equation("claim", span, "claim", relations, reason), Notation())


def with_fix(found: list[JudgedStatement], claim: str, language: str, given: Sequence[str], shapes: Mapping[str, str],
             assume: Sequence[str], timeout: float | None) -> list[JudgedStatement]:
    """The statements of a claim in code, the refuted ones with the whole text as it would be right, if it is found in time."""
    try:
        with limited(timeout):
            fix = corrected(claim, language, given, shapes, assume)
    except (TimeIsUp, MemoryError, RecursionError, SymrnnError, Doubt):
        return found
    return [replace(j, verdict=replace(j.verdict, fix=fix)) if j.verdict.word == "refuted" else j for j in found]


def stated_in(name: str, shapes: Mapping[str, str]) -> bool:
    """Whether somebody declares a symbol."""
    return name in {canonical_name(n.strip()) for names in shapes for n in names.split(",")}


def guessed_numbers(equation: Equation, claim: str, shapes: Mapping[str, str]) -> dict[str, str]:
    """Letters that nobody declares and that fit as single numbers only: they are numbers, unless the claim treats them as arrays."""
    found = {c.removesuffix(SINGLE) for r in equation.relations for c in r.verdict.conditions if c.endswith(SINGLE)}
    signs = re.search(r"\\top|\^\{?T\b|diag|\\odot|\\intercal", claim)
    arrays = signs or any(stated_in(name, shapes) or name[:1].isupper() for name in found)
    return {} if arrays else dict.fromkeys(sorted(found), "scalar")


def declared(given: Sequence[str], claim: str, shapes: Mapping[str, str], assume: Sequence[str], texts: Sequence[str] = (),
             said: Sequence[Fact] = ()) -> tuple[dict[str, Any], list[str]]:
    """The front matter that the arguments of a check amount to, and the conditions that were not understood.

    ``texts`` are the given rows as they stand, with the sentences; ``said`` are the facts that these state.
    """
    words = shapes_in_words(shapes, [*given, claim])
    prose = "\n".join([*(texts or given), *assume])
    names = aliases(said, given)
    data = infer([*given, claim], words, prose, claims=1, aliases=names)
    if memberships := {name: w for g in given for name, w in declared_in(g, data).items() if not stated_in(name, shapes)}:
        words |= memberships
        data = infer([*given, claim], words, prose, claims=1, aliases=names)
    if any(re.search(r"nabla|gradient|partial", names) and re.search(r"\brows?\b", spec) for names, spec in shapes.items()):
        data["layout"] = "rows"
    if any("scalar" in spec for names, spec in shapes.items() if names.strip() == "all"):
        data["symbols"] = {k: re.sub(r"^(?:vector|matrix)[^,]*", "scalar", v) if isinstance(v, str) else v
                           for k, v in data["symbols"].items()}
    hot = [canonical_base(n.strip()) for names, spec in shapes.items() if re.search(r"\bone[- ]hot\b", spec) for n in names.split(",")]
    for kind in ("targets", "simplex", "one_hot") if hot else ():
        data[kind] = list(dict.fromkeys([*data.get(kind, ()), *hot]))
    unknown: list[str] = []
    stated: list[str] = []
    unknown += [f"{f.names}: {f.where}" for f in said if not enter(f, data)]
    conditions = [part for text in assume for part in sentences(text) if not ((f := fact(part)) is not None and enter(f, data))]
    stated += data.pop("assume", [])
    setting = Setting.of("main", data)
    if "layout" not in data and lies_in_rows(given, words, setting.scope.table):
        data["layout"] = "rows"
        setting = Setting.of("main", data)
    for condition in conditions:
        try:
            found_conditions = setting.condition(condition)
        except Exception as reason:                                   # a condition in free form: listed, never silently dropped
            if not isinstance(reason, DeclarationError | DocumentError) and type(reason).__name__ != "ReadError":
                raise
            unknown.append(condition)
            continue
        stated.append(condition)
        data.setdefault("simplex", [])
        data["simplex"] += [str(c.subject[0]) for c in found_conditions if c.kind == "simplex"]
    if data.get("simplex"):
        data["targets"] = sorted({*data.get("targets", ()), *data["simplex"]})
    return {**data, "assume": stated}, unknown


def aliases(said: Sequence[Fact], given: Sequence[str]) -> dict[str, str]:
    """The further names of quantities that sentences say are the same: each for the name by which an equation gives the quantity.

    >>> aliases([Fact("same", "S_k", "s_k")], ["s_k = s_{k-1} + x_k"]), aliases([Fact("same", "S_k", "s_k")], ["y = S_n"])
    ({'S': 's'}, {})
    """
    given_by = {canonical_name(g.partition("=")[0].strip()) for g in given}
    pairs = [tuple(map(canonical_name, (f.names, f.where))) for f in said if f.kind == "same"]
    ordered = [(a, b) if b in given_by else (b, a) for a, b in pairs if (a in given_by) != (b in given_by)]
    return {canonical_base(a): canonical_base(b) for a, b in ordered}


def declared_in(text: str, data: Mapping[str, Any]) -> dict[str, str]:
    r"""The shapes that a given row declares, if it says nothing else.

    >>> declared_in(r"W \in \mathbb{R}^{n \times m}, \ h_t \in \mathbb{R}^n", {}), declared_in(r"W = 0, \ b \in \mathbb{R}^n", {})
    ({'W': 'matrix n m', 'h': 'vector n, sequence'}, {})
    """
    table = SymbolTable.from_mapping({k: v for k, v in data.items() if k in ("time", "time_letter", "symbols")})
    tree = read(text, table, second=False).tree
    parts = () if tree is None else tree.nodes if tree.op in ("Seq", "Rows") else (tree,)
    found = [declarations(part, table) for part in parts]
    if not all(found):
        return {}
    return {d.name: " ".join((d.kind, *d.shape)) + (", sequence" if d.sequence else "") for one in found for d in one if d.kind in ARRAYS}


def lies_in_rows(given: Sequence[str], words: Mapping[str, str], table: SymbolTable) -> bool:
    r"""Whether a row is given as the derivative by a column.

    >>> table = SymbolTable.from_mapping({"symbols": {"z": "vector n", "J": "scalar", "g": "matrix 1 n"}})
    >>> lies_in_rows([r"g = \frac{\partial J}{\partial z}"], {"g": "matrix 1 n"}, table)
    True
    """
    rows = {canonical_name(name) for name, spec in words.items() if re.match(r"matrix 1 (?!1$)", spec)}
    trees = [read(g, table, second=False).tree for g in given] if rows else []
    pairs = [(n.nodes[0], rel.nodes[0]) for n in trees if n is not None and n.op == "Chain" for rel in n.nodes[1:]]
    return any(left.op == "Sym" and left.head in rows and right.op == "Deriv" and (d := table.get(right.nodes[-1].head)) is not None
               and d.kind == "vector" for left, right in pairs)


def not_understood(auditor: Auditor, given: Sequence[str], judged: Sequence[Equation]) -> list[str]:
    """The given facts that define nothing, and are not proved by what is known."""
    out = []
    for row, text, equation in zip(auditor.compiled.rows, given, judged, strict=False):
        if equation.verdict == "proved" or row.setting.scope.held is not None and (HOLD.search(text) or row.reading.tree is not None and (
                is_flow(row.reading.tree))):
            continue
        table = row.setting.scope.table
        sizes = {name: Declared.parse(name, words).shape for name, words in declared_in(text, table.to_mapping()).items()}
        if sizes and all((d := table.get(name)) is not None and d.shape == shape for name, shape in sizes.items()):
            continue
        found = row.found if isinstance(row.found, list) else []
        if row.reading.tree is None or not found or any(s.role not in ("definition", "condition", "mention") for s in found) \
                or any(n.op == "Text" for n in walk(row.reading.tree)):
            out.append(text)
    return out


def shares(fact: str, claim: str, setting: Setting) -> bool:
    """Whether a fact mentions a symbol of the claim (counting letters apart)."""
    table = setting.scope.table
    quiet = {d.name for d in table if d.kind in ("index", "size")} | {setting.scope.total or ""}
    used = {s.name for e in setting.equations for s in (e.left, *symbols(e.right))} | set(setting.scope.functions)
    if LOSS in used and setting.scope.loss is not None:
        used.add(setting.scope.loss)

    def names(text: str) -> set[str]:
        tree = read(text, table, second=False).tree
        if tree is None:
            return {canonical_name(w) for w in re.findall(r"\\?[A-Za-z]+", text)} - quiet
        return {n.head for n in walk(tree) if n.op == "Sym"} - quiet
    return bool(names(fact) & (names(claim) | used))
