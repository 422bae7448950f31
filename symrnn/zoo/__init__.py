"""The zoo: the models that come with symrnn, one Markdown document of equations each.

This module only finds and opens documents; it knows no cell and needs neither SymPy nor NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from symrnn.errors import DocumentError, Place, UnknownModel

SUFFIX = ".md"


@dataclass(frozen=True, slots=True)
class Source:
    """A document as text: the name it was asked for by, the path that messages print, and its text."""

    name: str
    path: str
    text: str

    @property
    def title(self) -> str:
        """The first heading of the document, or its name if it has none."""
        headings = (line.lstrip("#").strip() for line in self.text.splitlines() if line.startswith("#"))
        return next(headings, self.name)


def names() -> tuple[str, ...]:
    """Return the names of the zoo in alphabetical order."""
    entries = files(__package__).iterdir()
    return tuple(sorted(entry.name.removesuffix(SUFFIX) for entry in entries if entry.name.endswith(SUFFIX)))


def source(name: str) -> Source:
    """Return the document of one model of the zoo; UnknownModel if there is none of that name."""
    if name not in names():
        raise UnknownModel(name, known=names())
    return Source(name, f"zoo/{name}{SUFFIX}", (files(__package__) / f"{name}{SUFFIX}").read_text(encoding="utf-8"))


def open_source(name: str | Path) -> Source:
    """Return the document that `name` means: a model of the zoo, else a file.

    Raises: UnknownModel if it is neither; DocumentError if the file cannot be opened or is not UTF-8.
    """
    if str(name) in names():
        return source(str(name))
    path = Path(name)
    if not path.exists() and path.suffix == "" and path.name == str(name):
        raise UnknownModel(str(name), known=names())
    return Source(path.stem, str(name), read_text(path))


def read_text(path: str | Path) -> str:
    """Return the text of a UTF-8 file, with or without byte order mark; DocumentError says why it cannot be had."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentError(
            "the document",
            must="be a text in UTF-8",
            came=f"the byte 0x{error.object[error.start]:02x} at offset {error.start}",
            where=Place(str(path), error.object[: error.start].count(b"\n") + 1),
            next_step="Save the document in UTF-8.",
        ) from None
    except OSError as error:
        raise cannot_open(path, error) from None


def cannot_open(path: str | Path, error: OSError) -> DocumentError:
    """Return the error for a file that the system did not open."""
    return DocumentError(
        "the document",
        must="be a file that can be read",
        came=error.strerror or str(error),
        where=Place(str(path)),
        next_step="Check the path and its permissions.",
    )
