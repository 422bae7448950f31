"""The report of an audit: of each document what is wrong, root causes first, then every finding in the order of the text."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symrnn import __version__
from symrnn.audit import Audit, Equation, Judged
from symrnn.report import findings
from symrnn.report.build import shown_path
from symrnn.report.expansion import without
from symrnn.report.model import (
    Block,
    CodeText,
    Display,
    Emphasis,
    Heading,
    Paragraph,
    Report,
    Small,
    Text,
    anchored,
    counts,
    said,
)


def report(audit: Audit) -> Report:
    """The report of an audit of one or several documents."""
    documents = [_apart(d, f"d{n}-" if len(audit.documents) > 1 else "") for n, d in enumerate(audit.documents, start=1)]
    every = [e for d in documents for e in d.equations]
    body = [b for d in documents for b in _document(d, len(documents) > 1)]
    what = CodeText(shown_path(documents[0].path)) if len(documents) == 1 else Text(f"{len(documents)} documents")
    return Report("audit", (Text("Audit of "), what), "", counts(e.verdict for e in every), findings.errors(every), anchored(body),
                  (Text(f"Made by symrnn {__version__}; the same input gives the same bytes."),))


def _document(judged: Judged, several: bool) -> Iterator[Block]:
    """The findings of one document."""
    yield Heading((CodeText(shown_path(judged.path)),) if several else (Text("Findings"),), 2)
    found = [without(b, judged.macros) for e in judged.equations for b in _equation(e, judged)]
    yield from found or [Paragraph((Text("Nothing is claimed."),))]


def _equation(e: Equation, judged: Judged) -> Iterator[Block]:
    """The finding for an equation, after the line where it stands."""
    shown: Display | Paragraph
    if e.role == "code" or e.span.kind == "code":
        shown = Paragraph((CodeText(e.span.latex),))
    elif e.span.kind == "sentence":
        shown = Paragraph((Emphasis(findings.quoted(e.span.latex)),))
    else:
        shown = Display(findings.display(e.span), findings.anchor(e), findings.short(e.id))
    place = findings.place(e.span) + (f", {e.label}" if e.label else "")
    found = findings.finding(e, shown, judged.notation, place)
    if found is not None:
        yield found
    elif again := tuple(findings.repeated(e)):
        yield from (Paragraph((Small((Text(place),)),)), shown, *again)
    elif e.role == "code" and e.reason is not None:
        yield Paragraph((Small((Text(f"{place}: "),)), CodeText(e.span.latex), Text(": "), *said(e.reason)))


def _apart(judged: Judged, prefix: str) -> Judged:
    """A document whose equations have names that no other document has."""
    if not prefix:
        return judged
    return replace(judged, equations=tuple(
        replace(e, id=prefix + e.id, relations=tuple(
            replace(r, verdict=replace(r.verdict, cause=prefix + r.verdict.cause)) if r.verdict.cause else r for r in e.relations))
        for e in judged.equations))
