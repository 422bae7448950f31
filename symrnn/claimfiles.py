r"""Files of claims: one JSON object a line, with the claim, its language, and what is given for it in free form.

>>> line = parsed('{"id": "a", "claim": "A B = B A", "shapes": {"A, B": "n x n"}}', 1)
>>> (line.id, line.claim, line.language, line.shapes) if isinstance(line, ClaimLine) else line
('a', 'A B = B A', 'latex', {'A, B': 'n x n'})
>>> parsed('{"id": "a"}', 7).reason
'the line is no JSON object with a claim'
"""
from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from symrnn.audit import Equation, Judged, Progress
from symrnn.claims import check_claim, prepared
from symrnn.coded.judge import LANGUAGES
from symrnn.errors import CallError, DeclarationError, DocumentError, Place
from symrnn.judge import Relation
from symrnn.prove.verdict import Verdict
from symrnn.read.document import Document, Span
from symrnn.read.reader import Unreadable
from symrnn.readings import Readings, Understood, readings

WRITTEN = 200
"""How many characters are shown of a line that is no claim."""


@dataclass(frozen=True)
class ClaimLine:
    """A claim with what stands beside it, and the number of its line."""

    id: str
    claim: str
    language: str
    given: Sequence[str]
    shapes: Mapping[str, str]
    assume: Sequence[str]
    span: Span


@dataclass(frozen=True)
class BadLine:
    """A line that is no claim, and why."""

    id: str
    reason: str
    span: Span


def parsed(line: str, number: int) -> ClaimLine | BadLine:
    """The claim in a line; nothing is raised for whatever the line holds."""
    def span(latex: str) -> Span:
        return Span(latex, number, 1, number, max(2, len(line) + 1), 0, "display")
    try:
        data = json.loads(line)
        claim = data["claim"]
    except (ValueError, KeyError, TypeError, RecursionError):
        data, claim = {}, None
    if not isinstance(claim, str):
        return BadLine(f"line-{number}", "the line is no JSON object with a claim", span(line[:WRITTEN]))
    identifier, language = str(data.get("id", f"line-{number}")), data.get("language", "latex")
    if language != "latex" and language not in LANGUAGES:
        return BadLine(identifier, f"the language {language} is not read", span(claim))
    asked: dict[str, Any] = {}
    for key, kind in (("given", list), ("shapes", dict), ("assume", list)):
        value = asked[key] = data.get(key) or kind()
        texts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        if not isinstance(value, kind) or not all(isinstance(text, str) for text in texts):
            return BadLine(identifier, f"{key} must be a {'mapping' if kind is dict else 'list'} of texts", span(claim))
    return ClaimLine(identifier, claim, language, span=span(claim), **asked)


def opened(path: Path) -> tuple[bytes, str]:
    """The bytes of a file of claims and its text. Raises DocumentError where it cannot be opened."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise DocumentError(f"the file {path}", must="be readable", came=error.strerror or str(error), where=Place(str(path)),
                            next_step="check the name and the permissions") from None
    return raw, raw.decode("utf-8", errors="replace")


def lines(text: str) -> Iterator[tuple[int, ClaimLine | BadLine]]:
    """The lines of a file that are not empty, with their numbers."""
    yield from ((n, parsed(line, n)) for n, line in enumerate(text.split("\n"), start=1) if line.strip())


# ------------------------------------------------------------------------------------------------------------------------- judging
def audit_claims(path: Path, *, timeout: float | None = None, progress: Progress | None = None) -> Judged:
    """Judge a file of claims; what was not understood of the facts beside them is a problem of the document."""
    raw, text = opened(path)
    equations, ignored = [], []
    claims = list(lines(text))
    for done, (n, line) in enumerate(claims):
        if progress:
            progress(done, len(claims), f"{path}:{n}")
        equation, facts = judged(line, timeout)
        equations.append(equation)
        ignored += [(n, 1, f"not understood: {fact}") for fact in facts]
    document = Document(str(path), text, problems=tuple(ignored))
    return Judged(str(path), sha256(raw).hexdigest(), document, tuple(equations), {})


def judged(line: ClaimLine | BadLine, timeout: float | None) -> tuple[Equation, Sequence[str]]:
    """The judgement of one line, and the facts that were not understood; whatever is wrong with the line is its own verdict."""
    def failed(word: str, code: str, reason: str) -> tuple[Equation, Sequence[str]]:
        return Equation(line.id, line.span, "claim", (Relation(line.span.latex, Verdict(word, code, reason)),), reason), ()
    if isinstance(line, BadLine):
        return failed("unreadable", "SR301", line.reason)
    try:
        found = check_claim(line.claim, timeout=timeout, language=line.language, given=line.given, shapes=line.shapes, assume=line.assume)
    except CallError as error:
        return failed("unreadable", "SR301", f"{error.subject} must {error.must}")
    except DeclarationError as error:
        return failed("undecided", "SR303", f"{error.subject}: must {error.must}, came {error.came}")
    return replace(found.equation, id=line.id, span=line.span), found.ignored


# ------------------------------------------------------------------------------------------------------------------------- reading
def read_claims(path: Path, timeout: float | None = None) -> Readings:
    """How the claims of a file and what is given for them are read."""
    _, text = opened(path)
    pieces, problems = [], []
    for n, line in lines(text):
        found, facts = understood(line, timeout)
        pieces += found
        problems += [(n, 1, f"not understood: {fact}") for fact in facts]
    return Readings(Document(str(path), text, problems=tuple(problems)), None, tuple(pieces))


def understood(line: ClaimLine | BadLine, timeout: float | None) -> tuple[list[Understood], Sequence[str]]:
    """How the formulas of a line are read, the claim last, and the facts that were not understood."""
    def stopped(reason: str) -> tuple[list[Understood], Sequence[str]]:
        at = Place("", line.span.line, 1)
        return [Understood(line.id, line.span, "unreadable", line.id, unread=Unreadable(0, "", reason), stopped=at)], ()
    if isinstance(line, BadLine):
        return stopped(line.reason)
    if line.language != "latex":
        return [Understood(line.id, line.span, "code", line.id, language=line.language)], ()
    try:
        document, formulas, unknown = prepared(line.claim, line.given, line.shapes, line.assume)
        found = readings(document, timeout, claims_from=len(formulas)).spans
    except CallError as error:
        return stopped(f"{error.subject} must {error.must}")
    except DeclarationError as error:
        reason = f"{error.subject}: must {error.must}, came {error.came}"
        return [Understood(line.id, line.span, "claim", line.id, meaningless=reason)], ()
    names = [*(f"{line.id}, given {k}" for k in range(1, len(formulas) + 1)), line.id]
    unknown += [piece.span.latex for piece in found[:-1] if piece.role == "mention"]          # words, and nothing that holds
    return [_moved(piece, name, line) for piece, name in zip(found, names, strict=True)], unknown


def _moved(piece: Understood, identifier: str, line: ClaimLine) -> Understood:
    """A piece at the place of its line in the file: a string of JSON has no columns of its own."""
    def here(place: Place) -> Place:
        return Place(place.path, line.span.line, 1)
    return replace(piece, id=identifier, span=replace(line.span, latex=piece.span.latex), scope=line.id,
                   warnings=tuple(dict.fromkeys(replace(w, place=here(w.place)) for w in piece.warnings)),
                   stopped=here(piece.stopped) if piece.stopped is not None else None)
