"""Writing certificates: a file for each verdict of an audit, or for one claim."""
from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from symrnn.audit import Audit, Equation, Judged
from symrnn.certificates import CERTIFIED, Certificate, Place, Source, certify, summary
from symrnn.claims import Checked
from symrnn.judge import Relation


def certify_audit(audited: Audit, directory: Path) -> tuple[Audit, str]:
    """Write ``directory/DOCUMENT-EQUATION-RELATION.json`` for each verdict that the checker establishes; the audit with their names."""
    directory.mkdir(parents=True, exist_ok=True)
    found: list[Certificate | None] = []
    documents = []
    for number, judged in enumerate(audited.documents, 1):
        stem = re.sub(r"[^\w.-]+", "-", Path(judged.path).name)
        spans = {e.id: Place(e.span.line, e.span.column, e.span.latex) for e in judged.equations}
        rows = [with_certificates(e, judged, spans, directory / f"{number}-{stem}-{e.id}", found) for e in judged.equations]
        documents.append(replace(judged, equations=tuple(rows)))
    return replace(audited, documents=tuple(documents)), summary(found)


def with_certificates(equation: Equation, judged: Judged, spans: Mapping[str, Place], stem: Path,
                      found: list[Certificate | None]) -> Equation:
    """The equation, its relations with the names of their certificates."""
    source = Source(spans[equation.id], equation.span.path or judged.path, equation.span.cell,
                    tuple(spans[name] for name in equation.uses if name in spans))
    rows: list[Relation] = []
    for k, r in enumerate(equation.relations, 1):
        if r.verdict.word not in CERTIFIED:
            rows.append(r)
            continue
        made = None if r.claim is None else certify(r.claim, r.verdict, source)
        found.append(made)
        name = None
        if made is not None:
            name = f"{stem.name}-{k}.json"
            (stem.parent / name).write_text(made.text, encoding="utf-8")
        rows.append(replace(r, verdict=replace(r.verdict, certificate=name)))
    return replace(equation, relations=tuple(rows))


def certify_check(checked: Checked, given: tuple[str, ...], path: Path) -> str:
    """Write the certificate of the last relation of a checked claim."""
    relations: list[Any] = [r for r in checked.equation.relations if r.verdict.word in CERTIFIED]
    made = None
    if relations and relations[-1].claim is not None:
        source = Source(Place(1, 1, checked.equation.span.latex), definitions=tuple(Place(n, 1, text) for n, text in enumerate(given, 2)))
        made = certify(relations[-1].claim, relations[-1].verdict, source)
    if made is not None:
        path.write_text(made.text, encoding="utf-8")
        return f"{path}: the certificate establishes {'the whole verdict' if made.full else 'a smaller scope than the verdict'}"
    return f"no certificate: the checker establishes nothing of this verdict ({checked.verdict})"
