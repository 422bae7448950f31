"""What was written the last time: a report is not made again while nothing that it is made of has changed.

The record of a report lies beside its raw measurements. It names, by their contents, the document and every file that it includes, the
program itself with the libraries that it prints with, the formats, and the files that were written; all must be as they were.
"""
from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import symrnn
from symrnn.pictures import MEASURED

LIBRARIES = ("sympy", "mpmath", "numpy", "python-flint", "latex2sympy2", "math-core", "markdown-it-py", "MarkupSafe", "Jinja2", "PyYAML",
             "typst")
"""What has a part in the bytes of a report besides the program."""


@dataclass(frozen=True)
class Record:
    """What a report was made of and what came of it: file names with the hash of their contents, None for one that did not exist."""

    program: str
    asked: tuple[str, ...]
    sources: Mapping[str, str | None]
    files: Mapping[str, str | None]
    unexpected: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def digest(path: str | Path) -> str | None:
    """The hash of a file; None where there is none that can be read."""
    try:
        return sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return None


@cache
def program() -> str:
    """The hash of the program: its own files, Python, and the versions of the libraries."""
    folder = Path(symrnn.__file__).parent
    found = sha256(repr((sys.version_info[:3], [_version(name) for name in LIBRARIES])).encode())
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts):
        found.update(path.relative_to(folder).as_posix().encode() + b"\0" + sha256(path.read_bytes()).digest())
    return found.hexdigest()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def keep(target: Path, document: Path, included: Iterable[str], asked: Sequence[str], files: Iterable[Path],
         unexpected: Sequence[str], notes: Sequence[str]) -> Record:
    """Write the record of a report whose files were just written, and return it."""
    sources = {str(path): digest(path) for path in (str(document), *included, str(MEASURED))}
    record = Record(program(), tuple(asked), sources, {path.as_posix(): digest(path) for path in files}, tuple(unexpected), tuple(notes))
    target.write_text(json.dumps(asdict(record), indent=1) + "\n", encoding="utf-8")
    return record


def unchanged(target: Path, document: Path, asked: Sequence[str]) -> Record | None:
    """The record of a report that need not be made again; None where anything changed, or where there is no record."""
    try:
        read: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
        record = Record(read["program"], tuple(read["asked"]), dict(read["sources"]), dict(read["files"]),
                        tuple(read["unexpected"]), tuple(read["notes"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    same = record.program == program() and record.asked == tuple(asked) and str(document) in record.sources
    return record if same and all(digest(path) == found for path, found in {**record.sources, **record.files}.items()) else None
