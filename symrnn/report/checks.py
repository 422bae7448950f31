"""The cross-check table: every printed formula in component form, in numbers, against 50 digits and the emitted code.

The figures are differences of 50-digit values to three digits, the same on every machine; what this machine measured in double
precision goes to a file of its own that is not committed.
"""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from symrnn.audit import Judged
from symrnn.emit.compare import Code, Deviation, NotComparable, deviation
from symrnn.errors import SymrnnError
from symrnn.judge import Relation
from symrnn.lastloss import unweighted
from symrnn.model import Model
from symrnn.prove.claim import Claim
from symrnn.prove.grid import default_sizes
from symrnn.prove.shapes import conflict
from symrnn.prove.witness import allowed
from symrnn.report.findings import words
from symrnn.report.model import Badge, Block, Emphasis, Heading, Inlines, Paragraph, Strong, Table, Text

STEPS = (2, 4)
"""The T that are tried, in order: the second for formulas that look further back."""
HEAD = ("line", "formula", "verdict", "largest difference, 50 digits", "within rounding")


@dataclass(frozen=True)
class Check:
    """One row: what was compared, or why nothing could be."""

    line: int
    what: str
    verdict: str
    found: Deviation | None
    why: str = ""

    def row(self) -> tuple[Inlines, ...]:
        """The cells of the row."""
        found, within = (self.why, ()) if self.found is None else (self.found.exact, YES if self.found.within else NO)
        return (Text(str(self.line)),), (Text(self.what),), (Badge(self.verdict),), (Text(found),), within


YES: Inlines = (Text("yes"),)
NO: Inlines = (Strong((Text("no"),)),)


def checks(judged: Judged) -> list[Check]:
    """Every judged relation that has a claim, and the correction of those that are wrong."""
    codes: dict[str, Code | None] = {}
    out: list[Check] = []
    for e in judged.equations:
        rows = [r for r in e.relations if r.claim is not None and r.verdict.word is not None]
        for n, r in enumerate(rows, start=1):
            name = e.id.removeprefix("eq-") + (f".{n}" if len(rows) > 1 else "")
            slip = r.verdict.method == "shapes" and conflict(r.claim) is None     # type: ignore[arg-type]
            what = f"{name} with the sign of derivation supplied" if slip else name
            out.append(check(e.span.line, what, "proved" if slip and r.verdict.fix else r.verdict.word or "", r.claim, codes, r))
            if r.fixed is not None:
                out.append(check(e.span.line, f"{name} corrected", "proved", r.fixed, codes, r))
    return out


def check(line: int, what: str, verdict: str, claim: Claim | None, codes: dict[str, Code | None], r: Relation) -> Check:
    """Compare one claim in numbers."""
    assert claim is not None
    found = conflict(claim)
    if found is not None:
        return Check(line, what, verdict, None, f"no value: {'rank 3' if 'rank 3' in found.what else 'the shapes do not fit'}")
    model = unweighted(claim.model)
    names = {kind: [str(n) for n in claim.subjects(kind)] for kind in ("simplex", "zero", "past-zero")}
    immediate = claim.states("immediate") or r.verdict.convention == "immediate derivative"
    why = "no step at which every symbol exists"
    for T in STEPS:
        try:
            result = deviation(claim.left, claim.right, model, default_sizes(claim), T, code=code_of(model, codes),
                               last_step=int(claim.states("before-end")), allowed=lambda i: allowed(claim, i),
                               simplex=names["simplex"], zero=names["zero"], past_zero=names["past-zero"], immediate=immediate)
            return Check(line, what, verdict, result)
        except NotComparable as reason:
            why = str(reason)
    return Check(line, what, verdict, None, why)


def code_of(model: Model, codes: dict[str, Code | None]) -> Code | None:
    """The emitted module of a model, made once."""
    if model.hash not in codes:
        try:
            codes[model.hash] = Code(model)
        except SymrnnError:
            codes[model.hash] = None
    return codes[model.hash]


def cross_check(rows: list[Check]) -> Iterator[Block]:
    """The section of the report, or nothing when the document judges nothing."""
    if not rows:
        return
    yield Heading((Text("Cross-check in numbers"),))
    yield Paragraph((
        Text("Every judged formula, written out in components, compiled and compared with its left side: as a 50-digit value, and as "
             "the emitted code computes it where the model has a loss. The points follow from the formula by a hash. "),
        Emphasis((Text("Within rounding"),)),
        Text(" says that every deviation in double precision, from both, lies within the bound that rounding allows.")))
    sizes = {f"{k} = {v}": None for r in rows if r.found for k, v in r.found.sizes.items()}
    steps = {f"T = {r.found.T}": None for r in rows if r.found}
    if sizes or steps:
        yield Paragraph(words(f"Sizes: {', '.join(sizes)}; {', '.join(steps)}."))
    yield Table(tuple((Text(name),) for name in HEAD), tuple(r.row() for r in rows), "rllll")


def raw(rows: list[Check]) -> list[Mapping[str, Any]]:
    """What was measured here, for the file that is not committed."""
    return [{"line": r.line, "formula": r.what, "verdict": r.verdict, "why": r.why, **(asdict(r.found) if r.found else {})}
            for r in rows]
