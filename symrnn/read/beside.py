"""Declarations in a file of their own: `chapter.symrnn.toml` beside `chapter.tex`, with the keys of front matter.

Any format of documents can have one. Nothing is declared in two places.
"""
from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from symrnn.errors import DocumentError, Place

SUFFIX = ".symrnn.toml"
MOST = 1_000_000
"""How many bytes such a file may have."""

_AT = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)\Z")


def beside(path: str | Path) -> Path:
    """The file in which the declarations of a document may stand.

    >>> beside("notes/chapter.tex").as_posix()
    'notes/chapter.symrnn.toml'
    """
    return Path(path).with_suffix(SUFFIX)


def with_those_beside(settings: Mapping[str, Any], path: str, folder: Path) -> Mapping[str, Any]:
    """The declarations of a document with those of the file beside it, if there is one in `folder`.

    Errors: :class:`DocumentError` where that file is no TOML, and for a key that stands in the document too.
    """
    file = folder / beside(path).name
    if not file.is_file():
        return settings
    shown = beside(path).as_posix()
    own = _parsed(file, shown)
    if twice := sorted(set(settings) & set(own)):
        raise DocumentError(f"the declaration {twice[0]}", must="stand in one place", came=f"it in {path} too", where=Place(shown),
                            next_step="Remove one of the two.")
    return MappingProxyType({**settings, **own})


def _parsed(file: Path, shown: str) -> Mapping[str, Any]:
    """The tables that the file holds."""
    try:
        data = file.read_bytes()
        if len(data) > MOST:
            raise DocumentError(shown, must=f"have at most {MOST} bytes", came=f"{len(data)} bytes", where=Place(shown),
                                next_step="Declare only what the document does not say itself.")
        return tomllib.loads(data.decode())
    except OSError as error:
        raise DocumentError(shown, must="be a file that can be read", came=error.strerror or type(error).__name__, where=Place(shown),
                            next_step="Check its permissions.") from None
    except (ValueError, RecursionError) as error:
        place = _AT.search(str(error))
        line, column = (int(place[1]), int(place[2])) if place and place[1] else (None, None)
        came = "nesting without end" if isinstance(error, RecursionError) else _AT.sub("", str(error))
        raise DocumentError(shown, must="be TOML in UTF-8", came=came, where=Place(shown, line, column),
                            next_step=r"Write LaTeX between single quotes, such as '\sigma' = 'function sigmoid'.") from None
