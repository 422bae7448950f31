"""The errors of symrnn: what must hold, what came instead, where, and what to do next.

Every error a caller or a document can cause is a :class:`SymrnnError`. Its text has four lines, always the same four:

>>> print(ShapeError("W_hh", must="be n_h x n_h", came="n_h x n_x", where=Place("cell.md", 4, 7),
...                  left=("n_h", "n_h"), right=("n_h", "n_x"), next_step="Is W_xh in its place?"))
cell.md:4:7: ShapeError: W_hh
  must: be n_h x n_h
  came: n_h x n_x
  next: Is W_xh in its place?

A wrong *equation* is a result and never an error; an error says that symrnn could not be asked, or could not answer.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

LINE_LIMIT = 400
"""The longest text of one field, in characters; what is longer is cut and ends in an ellipsis."""


@dataclass(frozen=True, order=True, slots=True)
class Place:
    """A position in a document, printed as ``file:line:column``; lines and columns count from 1.

    >>> print(Place("notes.md", 41, 7), Place("notes.md", 41), Place("notes.md"))
    notes.md:41:7 notes.md:41 notes.md
    """

    path: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        if self.line is None:
            return self.path
        if self.column is None:
            return f"{self.path}:{self.line}"
        return f"{self.path}:{self.line}:{self.column}"


def one_line(text: object, limit: int = LINE_LIMIT) -> str:
    """Return `text` on one line: control characters and runs of white space become one space, and a long text is cut.

    >>> one_line("a  b\\n\\tc"), one_line("abcdef", limit=4)
    ('a b c', 'abc…')
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


class SymrnnError(Exception):
    """The base of all errors; `subject` must do one thing, another came, and `next_step` is the remedy.

    Further keywords of a subclass (its `extra` names) are kept as attributes. An error can be pickled, so that a worker
    process can raise it.
    """

    extra: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self, subject: object, *, must: str, came: str, next_step: str, where: Place | None = None, **extra: Any
    ) -> None:
        if unknown := sorted(set(extra) - set(self.extra)):
            raise TypeError(f"{type(self).__name__} has no field {', '.join(unknown)}")
        super().__init__(subject)
        self.subject = str(subject)
        self.must = must
        self.came = came
        self.where = where
        self.next_step = next_step
        for name in self.extra:
            setattr(self, name, extra.get(name))

    def at(self, where: Place) -> SymrnnError:
        """Return the same error with a place, unless it already has one."""
        return self if self.where is not None else _rebuild(type(self), {**self._fields(), "where": where})

    def _fields(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("subject", "must", "came", "where", "next_step", *self.extra)}

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self._fields())

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where is not None else ""
        return "\n".join((
            f"{place}{type(self).__name__}: {one_line(self.subject)}",
            f"  must: {one_line(self.must)}",
            f"  came: {one_line(self.came)}",
            f"  next: {one_line(self.next_step)}",
        ))


def _rebuild(kind: type[SymrnnError], fields: dict[str, Any]) -> SymrnnError:
    """Make the error of class `kind` with exactly these fields, past the constructor of the subclass."""
    error = kind.__new__(kind)
    SymrnnError.__init__(error, **fields)
    return error


class CallError(SymrnnError):
    """A function or a command was called with an argument it cannot take."""


class DocumentError(SymrnnError):
    """A document could not be opened or decoded, or its front matter or a directive is malformed."""


class ReadError(SymrnnError):
    """A piece of mathematics was not read; `token` at character `offset` of the span is where reading stopped."""

    extra = ("offset", "token")
    offset: int | None
    token: str | None


class ShapeError(SymrnnError):
    """Two shapes that must agree do not; both are kept, as `left` and `right`."""

    extra = ("left", "right")
    left: tuple[Any, ...] | None
    right: tuple[Any, ...] | None


class ModelError(SymrnnError):
    """Equations do not make a recurrence; `reason` is one of :data:`MODEL_REASONS`."""

    extra = ("reason",)
    reason: str | None

    def __init__(self, subject: object, *, reason: str | None = None, **fields: Any) -> None:
        if reason is not None and reason not in MODEL_REASONS:
            raise TypeError(f"{reason!r} is not a reason of ModelError; the reasons are {', '.join(MODEL_REASONS)}")
        super().__init__(subject, reason=reason, **fields)


MODEL_REASONS = ("cyclic", "undefined", "non-causal", "redefined", "no-loss", "other")
"""Why equations make no model: a cycle within one step, a symbol without a meaning, a use of a later step, ..."""


class DeclarationError(SymrnnError):
    """A declaration (front matter, a comment, `--shape`) is malformed or contradicts another."""


class LimitError(SymrnnError):
    """A stated bound was reached before an answer; `limit` names it and `bound` is its value."""

    extra = ("limit", "bound")
    limit: str | None
    bound: float | None


class UnknownModel(SymrnnError):
    """A model name that is neither of the zoo nor a file; `known` are the names there are, `closest` the nearest one.

    >>> print(UnknownModel("elmann", known=["gru", "elman"]))
    UnknownModel: elmann
      must: be a document or one of elman, gru
      came: elmann
      next: Did you mean elman?
    """

    extra = ("known", "closest")
    known: tuple[str, ...]
    closest: str | None

    def __init__(self, subject: str, *, known: Iterable[str] = (), where: Place | None = None) -> None:
        names = tuple(sorted(known))
        close = closest_name(subject, names)
        super().__init__(
            subject,
            must=f"be a document or one of {', '.join(names)}" if names else "be a document (no model is installed)",
            came=subject,
            where=where,
            next_step=f"Did you mean {close}?" if close else "`symrnn models` lists the names; a path must exist.",
            known=names,
            closest=close,
        )


def closest_name(name: str, known: Iterable[str]) -> str | None:
    """Return the name of `known` that is most like `name`, whatever its case, or None if none is alike.

    >>> closest_name("SR21", ["SR201", "SR301"]), closest_name("zzz", ["SR201"])
    ('SR201', None)
    """
    folded = {candidate.casefold(): candidate for candidate in known}
    found = difflib.get_close_matches(name.casefold(), sorted(folded), n=1)
    return folded[found[0]] if found else None
