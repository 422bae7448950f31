"""The findings of an audit for people: text and Markdown made from the JSON value (schema ``symrnn-audit-1``).

One finding is one line that editors can jump to, then indented lines that say why and what would be right.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from symrnn.cli.app import INTERNAL
from symrnn.codes import code

Json = dict[str, Any]

FAULT = "SR305"
"""The code of what a fault of symrnn left undecided."""

COLOURS = {
    "proved": "green",
    "conditional": "cyan",
    "refuted": "red",
    "agrees": "yellow",
    "undecided": "yellow",
    "unreadable": "magenta",
}


def audit_text(audit: Json) -> str:
    """Return the findings, one block each in the order of the documents, and a last line that counts the verdicts."""
    blocks = [
        "\n".join(_block(document["path"], equation))
        for document in audit["documents"]
        for equation in document["equations"]
        if equation["verdict"] is not None or _said(equation)
    ]
    return "\n".join([*blocks, summary_line(audit)])


def summary_line(audit: Json) -> str:
    """Return how many equations have which verdict, those that occur, and how many documents there were.

    >>> summary_line({"documents": [{}], "summary": {"proved": 2, "proved_finite": 1, "refuted": 0}})
    '1 document: 2 proved (1 of them for finite sizes or steps only)'
    """
    counts = audit["summary"]
    parts = [f"{counts[word]} {word}" for word in COLOURS if counts.get(word)]
    if parts and counts.get("proved") and counts.get("proved_finite"):
        parts[0] += f" ({counts['proved_finite']} of them for finite sizes or steps only)"
    number = len(audit["documents"])
    return f"{number} document{'' if number == 1 else 's'}: {', '.join(parts) or 'no claim'}"


def exit_status(audit: Json, require_checked: bool) -> int:
    """Return 3 after a fault of symrnn, 1 if something is refuted, or not decided although that was required; else 0."""
    if any(r["code"] == FAULT for d in audit["documents"] for e in d["equations"] for r in e["relations"]):
        return INTERNAL
    words = ("refuted", "undecided", "unreadable") if require_checked else ("refuted",)
    return int(any(audit["summary"][word] for word in words))


def _said(equation: Json) -> bool:
    """Whether something is said of program text that claims nothing."""
    return equation["role"] == "code" and equation["reason"] is not None


def _block(path: str, equation: Json) -> Iterator[str]:
    verdict = equation["verdict"]
    place = f"{path}:cell {equation['cell']}" if equation["cell"] is not None else path
    label = f" [{equation['label']}]" if equation["label"] else ""
    word = click.style(verdict, fg=COLOURS[verdict]) if verdict is not None else "listing"
    yield f"{place}:{equation['line']}:{equation['column']}: {word}{label}"
    if verdict is None:
        yield from (f"  {relation['latex']}" for relation in equation["relations"])
        yield f"    found: {equation['reason']}"
    for relation in equation["relations"]:
        yield from _relation(relation, alone=len(equation["relations"]) == 1)


def _relation(relation: Json, alone: bool) -> Iterator[str]:
    verdict = relation["verdict"]
    if verdict is None:
        return
    yield f"  {relation['latex']}" + ("" if alone else f"    {verdict}")
    if relation["code"]:
        yield f"    {relation['code']} {code(relation['code']).slug}"
    for label, text in (
        ("because", relation["reason"]),
        ("for", _scope(relation["scope"])),
        ("by", relation["method"] if verdict != "refuted" else None),
        ("where", relation["domain"]),
        ("if", "; ".join(dict.fromkeys(relation["conditions"]))),
        ("in the convention", relation["convention"]),
        ("for instance", _counterexample(relation["counterexample"])),
        ("right is", relation["fix"] and f"{relation['fix']['latex']}    {relation['fix']['verdict']}"),
        ("cause", relation["cause"]),
    ):
        if text:
            yield f"    {label}: {text}"


def _scope(scope: Json | None) -> str:
    if scope is None:
        return ""
    if scope["sizes"] == "all":
        sizes = "all sizes"
    else:
        sizes = " or ".join(", ".join(f"{name}={n}" for name, n in one.items()) for one in scope["sizes"])
    steps = "all T" if scope["T"] == "all" else "T=" + ",".join(map(str, scope["T"]))
    return f"{sizes}, {steps}"


def _counterexample(example: Json | None) -> str:
    if example is None:
        return ""
    where = [f"{name}={n}" for name, n in example["sizes"].items()]
    if example["T"] is not None:
        where.insert(0, f"T={example['T']}")
    values = [f"{name} = {value}" for name, value in example["values"].items()]
    at = ", ".join(where + values)
    return f"{at + ': ' if at else ''}left {example['left']}, right {example['right']}"


def audit_markdown(audit: Json) -> str:
    """Return the findings as a Markdown document with one table for each document."""
    lines = ["# Audit", "", summary_line(audit)]
    for document in audit["documents"]:
        lines += ["", f"## {document['path']}", "", "| line | verdict | equation | finding |", "|---|---|---|---|"]
        for equation in document["equations"]:
            for relation in equation["relations"]:
                if relation["verdict"] is not None or _said(equation):
                    place = str(equation["line"]) if equation["cell"] is None else f"cell {equation['cell']}, {equation['line']}"
                    cells = (place, relation["verdict"] or "listing", _shown(equation, relation), _finding(relation))
                    lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _shown(equation: Json, relation: Json) -> str:
    """Return what stands in the document, mathematics or program text, for a Markdown table."""
    if equation["role"] != "code":
        return _inline(relation["latex"])
    return f"`` {relation['latex'].replace('|', chr(92) + '|')} ``"


def _inline(latex: str) -> str:
    """Return LaTeX as inline mathematics that survives in a Markdown table."""
    return "$`" + " ".join(latex.replace("|", r"\vert ").split()) + "`$"


def _finding(relation: Json) -> str:
    parts = [f"{relation['code']} {code(relation['code']).slug}"] if relation["code"] else []
    parts += [text.replace("|", r"\|") for text in (relation["reason"], _scope(relation["scope"])) if text]
    if relation["fix"]:
        parts.append(f"right is {_inline(relation['fix']['latex'])} ({relation['fix']['verdict']})")
    return "; ".join(parts)
