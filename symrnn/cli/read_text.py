"""How documents were read, for people: text made from the JSON value (schema ``symrnn-read-1``).

Every piece begins with a line that editors can jump to. A symbol is explained where a scope uses it for the first time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

Json = dict[str, Any]

COLOURS = {"definition": "blue", "claim": "green", "unreadable": "magenta"}
COUNTED = {"definition": "{} definition{}", "claim": "{} claim{}", "condition": "{} condition{}", "mention": "{} mention{}",
           "code": "{} listing{}", "unreadable": "{} unreadable"}
STEPS = {"sub": "h_{}", "sup": "h^{{({})}}", "call": "h({})", "angle": "h^{{\\langle {}\\rangle}}", "bare": "h^{}", "bracket": "h[{}]"}
"""How a state at a step is written in each style of times."""


def read_text(value: Json) -> str:
    """Return how each piece of each document was read, and a last line that counts them."""
    blocks = ["\n".join(_document(document)) for document in value["documents"]]
    return "\n".join([*blocks, counted(value)])


def counted(value: Json) -> str:
    """Return how many pieces there are of each role.

    >>> counted({"documents": [{}], "summary": {"definition": 1, "claim": 2, "mention": 0}})
    '1 document: 1 definition, 2 claims'
    """
    number, counts = len(value["documents"]), value["summary"]
    parts = [COUNTED[word].format(n, "" if n == 1 else "s") for word, n in counts.items() if n]
    return f"{number} document{'' if number == 1 else 's'}: {', '.join(parts) or 'no formula'}"


def _document(document: Json) -> Iterator[str]:
    path = document["path"]
    if document["time"] is not None:
        yield f"{path}: {_times(document['time'])}"
    explained: set[tuple[str, str, str]] = set()
    entries = [(s, _piece(path, s, explained)) for s in document["spans"]]
    entries += [(s, iter([f"{_place(path, s)}: sentence ({s['kind']}): {s['words']}"])) for s in document["sentences"]]
    entries += [(s, iter([f"{path}:{s['line']}:{s['column']}: {s['message']}"])) for s in document["problems"]]
    if not any(s["cell"] is not None or s["path"] is not None for s in document["spans"]):
        entries.sort(key=lambda entry: (entry[0]["line"], entry[0]["column"]))
    for _, lines in entries:
        yield from lines


def _place(path: str, entry: Json) -> str:
    """Where something stands, as editors jump to it; in a notebook with its cell, in an included file with the path of that."""
    inside = f"cell {entry['cell']}:" if entry["cell"] is not None else ""
    return f"{entry['path'] or path}:{inside}{entry['line']}:{entry['column']}"


def _times(time: Json) -> str:
    """How steps are written, and what the losses are called.

    >>> _times({"style": "sup", "letter": "t", "last": ["T"], "total": "L", "loss": None})
    'the state at a step is written like h^{(t)}, the last step is T, the loss is L'
    """
    letter, steps, last = time["letter"], "nothing has a step", ""
    if letter is not None:
        steps = f"the state at a step is written like {STEPS[time['style']].format(letter)}"
        last = f"the last step is {' or '.join(time['last'])}" if time["last"] else ""
    losses = [f"{what} is {time[key]}" for key, what in (("total", "the loss"), ("loss", "the loss of a step")) if time[key]]
    return ", ".join(filter(None, [steps, last, *losses]))


def _piece(path: str, span: Json, explained: set[tuple[str, str, str]]) -> Iterator[str]:
    role, label = span["role"], f" [{span['label']}]" if span["label"] else ""
    head = f"{_place(path, span)}: {click.style(role, fg=COLOURS.get(role))}"
    if role == "code":
        lines = span["latex"].count("\n") + 1
        yield f"{head}{' in ' + span['language'] if span['language'] else ''}, {lines} line{'' if lines == 1 else 's'}"
        return
    brief = role == "mention" and not span["warnings"] and not span["alternatives"]
    yield head + label + (f" of {span['defines']}" if span["defines"] else "") + (f": {span['reading']}" if brief else "")
    if not brief:
        yield f"  {span['reading'] if span['reading'] is not None else ' '.join(span['latex'].split())}"
    if span["unread"] is not None:
        u = span["unread"]
        yield f"    stopped at {u['line']}:{u['column']}{', ' + repr(u['token']) if u['token'] else ''}: {u['hint']}"
    for other in span["alternatives"]:
        yield f"    or: {other}"
    for symbol in span["symbols"]:
        key = (span["scope"], symbol["latex"], symbol["role"])
        if key not in explained:
            explained.add(key)
            yield f"    {symbol['latex']}: {symbol['role']}"
    if span["meaningless"] is not None:
        yield f"    says nothing here: {span['meaningless']}"
    for warning in span["warnings"]:
        yield f"    {warning['line']}:{warning['column']}: {warning['message']}"
