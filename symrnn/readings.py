r"""What was understood of a document: every formula with its reading printed back, its role, its symbols, and what is in doubt.

Nothing is judged here.

>>> from symrnn.read.document import parse_document
>>> (understood,) = readings(parse_document(r"$$h_t = \tanh(W_{\mathrm{h}} h_{t-1})$$", "a.md")).spans
>>> print(understood.role, understood.defines, understood.canonical)
definition h h_{t} = \tanh\left(W_{h} h_{t - 1}\right)
>>> [(s.latex, s.role) for s in understood.symbols]
[('h', 'n_h, variable at every step'), ('t', 'the letter of the steps'), ('W_{\\mathrm{h}}', 'n_h x n_h, parameter')]
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symrnn import __version__
from symrnn.displayed import Displayed
from symrnn.document import Compiled, Row, role_of
from symrnn.errors import Place, SymrnnError
from symrnn.expr import Size
from symrnn.limits import SECONDS
from symrnn.read.document import Document, Span, load_document
from symrnn.read.elaborate import Elaborator, Meaningless
from symrnn.read.names import name_latex
from symrnn.read.reader import Unreadable, read
from symrnn.read.sentences import Said
from symrnn.read.show import show
from symrnn.read.symbols import STANDARD
from symrnn.read.tree import Node, walk
from symrnn.reconciled import reconciled
from symrnn.roles import role

Progress = Callable[[int, int, str], None]

ROLES = ("definition", "claim", "condition", "mention", "code", "unreadable")
"""What a piece of a document may be, in the order in which they are counted."""

@dataclass(frozen=True)
class Meant:
    """A symbol as the text writes it, and what it is."""

    latex: str
    role: str

    def to_json(self) -> dict[str, str]:
        return {"latex": self.latex, "role": self.role}


@dataclass(frozen=True)
class Doubt:
    """A choice that was made, or a place where reading stopped: where, a short code, and a sentence."""

    place: Place
    code: str
    message: str

    def to_json(self) -> dict[str, Any]:
        return {"line": self.place.line, "column": self.place.column, "code": self.code, "message": self.message}


@dataclass(frozen=True)
class Understood:
    """One formula or listing and how it was read.

    `canonical` is the reading printed back, None where there is none; `defines` the name that it gives a meaning; `alternatives` the
    other readings that the notation allows; `unread` where and why reading stopped; `meaningless` why what was read says nothing here.
    """

    id: str
    span: Span
    role: str
    scope: str
    canonical: str | None = None
    defines: str | None = None
    symbols: tuple[Meant, ...] = ()
    warnings: tuple[Doubt, ...] = ()
    alternatives: tuple[str, ...] = ()
    unread: Unreadable | None = None
    stopped: Place | None = None
    meaningless: str | None = None
    language: str | None = None

    def to_json(self) -> dict[str, Any]:
        s, u, at = self.span, self.unread, self.stopped
        unread = None if u is None or at is None else {
            "line": at.line, "column": at.column, "offset": u.offset, "token": u.token, "hint": u.hint}
        return {"id": self.id, "label": s.label, "path": s.path, "cell": s.cell, "line": s.line, "column": s.column, "end_line": s.end_line,
                "end_column": s.end_column, "kind": s.kind, "latex": s.latex, "role": self.role, "scope": self.scope,
                "reading": self.canonical, "defines": self.defines, "symbols": [m.to_json() for m in self.symbols],
                "warnings": [w.to_json() for w in self.warnings], "alternatives": list(self.alternatives), "unread": unread,
                "meaningless": self.meaningless, "language": self.language}


@dataclass(frozen=True)
class Readings(Displayed):
    """What was understood of one document.

    `time` says how steps are written and what the losses are called, if that is one for all formulas; `sentences` are those that a
    pattern recognises.
    """

    document: Document
    time: Mapping[str, Any] | None
    spans: tuple[Understood, ...]
    sentences: tuple[Said, ...] = ()

    @property
    def summary(self) -> dict[str, int]:
        """How many pieces there are of each role."""
        return {word: sum(s.role == word for s in self.spans) for word in ROLES}

    def to_json(self) -> dict[str, Any]:
        places = [(s, self.document.span(s.offset, s.offset, "sentence")) for s in self.sentences]
        said = [{"path": at.path, "cell": at.cell, "line": at.line, "column": at.column, "kind": s.kind, "words": " ".join(s.words.split())}
                for s, at in places]
        problems = [{"line": line, "column": column, "message": words} for line, column, words in self.document.problems]
        return {"path": self.document.path, "time": self.time and dict(self.time), "spans": [s.to_json() for s in self.spans],
                "sentences": said, "problems": problems}


@dataclass(frozen=True)
class Read(Displayed):
    """What was understood of several documents; ``to_json`` is a value of the schema symrnn-read-1."""

    documents: tuple[Readings, ...]
    failures: tuple[SymrnnError, ...] = ()

    def to_json(self) -> dict[str, Any]:
        counts = [d.summary for d in self.documents]
        return {"schema": "symrnn-read-1", "tool": {"name": "symrnn", "version": __version__},
                "documents": [d.to_json() for d in self.documents], "summary": {word: sum(c[word] for c in counts) for word in ROLES}}


Reader = Callable[[Path, float | None], Readings]


def read_documents(paths: Sequence[str | Path], *, timeout: float | None = None, progress: Progress | None = None,
                   readers: Mapping[str, Reader] | None = None) -> Read:
    """What is understood of documents; one that cannot be opened or is malformed is a failure of its own.

    ``readers`` maps the suffix of a file that is no document to what reads it.
    """
    done: list[Readings] = []
    failures: list[SymrnnError] = []
    for n, path in enumerate(paths):
        if progress:
            progress(n, len(paths), str(path))
        try:
            reader = (readers or {}).get(Path(path).suffix.lower(), read_document)
            done.append(reader(Path(path), timeout))
        except SymrnnError as error:
            failures.append(error)
    return Read(tuple(done), tuple(failures))


def read_document(path: Path, timeout: float | None = None) -> Readings:
    """What is understood of the document in a file."""
    return readings(load_document(path, str(path)), timeout)


def readings(document: Document, timeout: float | None = None, claims_from: int | None = None) -> Readings:
    """What is understood of a document (the spans numbered ``claims_from`` on define nothing).

    Raises DeclarationError or DocumentError where what it declares is malformed.
    """
    compiled = reconciled(document, claims_from, SECONDS if timeout is None else timeout)
    main = compiled.settings["main"]
    table = main.scope.table
    steps = any(n.op == "Time" for row in compiled.rows if row.reading.tree is not None for n in walk(row.reading.tree))
    names = {key: name and main.latex.get(name, name_latex(name)) for key, name in (("loss", main.scope.loss), ("total", main.scope.total))}
    time = {"style": table.time, "letter": table.time_letter if steps else None, "last": sorted(main.scope.steps), **names}
    reader = _Reader(compiled)
    formulas = [reader.row(row) for row in compiled.rows]
    pieces = sorted([*formulas, *_listings(document)], key=lambda u: u.span.offset)
    return Readings(document, time, tuple(pieces), compiled.said)


class _Reader:
    """Says of each row of a compiled document how it was read."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self._sizes: dict[str, Mapping[str, Size]] = {}

    def row(self, row: Row) -> Understood:
        """How a row was read."""
        place = self.compiled.document.place
        start, scope, reading = row.span.offset, row.setting.name, row.reading
        if reading.tree is None:
            assert reading.unread is not None
            return Understood(row.id, row.span, "unreadable", scope, unread=reading.unread, stopped=place(start + reading.unread.offset))
        table, found = row.setting.scope.table, row.found
        known = row.setting.scope.steps
        warnings = [Doubt(place(start + note.offset), note.code, note.message) for note in reading.warnings
                    if note.code != "undeclared" or note.message.split()[0] not in known]
        statements = found if isinstance(found, list) else []
        for side in (side for s in statements if s.part in ("definition", "claim") for x in s.sides for side in (x.left, x.right)):
            warnings += [Doubt(place(start + side.span[0]), code, message) for code, message in _choices(side, row)]
        canonical = show(reading.tree, table)
        if read(canonical, table, second=False).tree != reading.tree:
            warnings.append(Doubt(place(start), "printed-back", "what is printed here is read as another formula"))
        defined = [s.defines for s in statements if s.defines is not None]
        return Understood(row.id, row.span, role_of(statements) if statements else "claim", scope, canonical,
                          ", ".join(defined) or None, tuple(self._symbols(reading.tree, row)), tuple(dict.fromkeys(warnings)),
                          tuple(show(other, table) for other in reading.alternatives),
                          meaningless=found.reason if isinstance(found, Meaningless) else None)

    def _symbols(self, tree: Node, row: Row) -> Iterator[Meant]:
        """The symbols of a formula in order, with what they are in its scope."""
        setting = row.setting
        for name in dict.fromkeys(n.head for n in walk(tree) if n.op == "Sym"):
            if name not in STANDARD:
                yield Meant(setting.latex.get(name, name_latex(name)), role(name, setting, self._sizes_of(row)))

    def _sizes_of(self, row: Row) -> Mapping[str, Size]:
        name = row.setting.name
        if name not in self._sizes:
            try:
                self._sizes[name] = row.setting.sizes()
            except SymrnnError:                                       # its equations do not fit: an audit says so
                self._sizes[name] = {}
        return self._sizes[name]


def _choices(side: Node, row: Row) -> Iterator[tuple[str, str]]:
    """What is chosen where a side gets its meaning, and why it has none."""
    elaborator = Elaborator(row.setting.scope)
    try:
        elaborator(side)
    except Meaningless as reason:
        yield "no-meaning", reason.reason
    yield from ((choice.code, choice.message) for choice in elaborator.choices)


def _listings(document: Document) -> Iterator[Understood]:
    """The listings of a document: code is no mathematics, and is shown as what it is."""
    for n, block in enumerate(document.code, start=1):
        text = block.text.rstrip()
        if text:
            low = block.offset + len(block.text) - len(block.text.lstrip("\n"))
            yield Understood(f"code-{n}", document.span(low, block.offset + len(text), "code"), "code", "main",
                             language=block.name or None)
