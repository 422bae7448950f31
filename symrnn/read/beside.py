r"""Declarations outside of front matter, with the same keys: in a comment of the document, or in a file of their own beside it.

A file stands beside a document of any format (`chapter.symrnn.toml` beside `chapter.tex`). Nothing is declared in two places.

>>> found = in_comment("% symrnn:\n%   time: sup\n%   symbols: {h: vector n}\n% Other words.\n", "a.tex")
>>> dict(found[0]), str(found[1])
({'time': 'sup', 'symbols': {'h': 'vector n'}}, 'a.tex:1:1')
"""
from __future__ import annotations

import re
import textwrap
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from symrnn.errors import DocumentError, Place
from symrnn.read.frontmatter import read_yaml

SUFFIX = ".symrnn.toml"
MOST = 1_000_000
"""How many bytes such a file may have."""

_LINES = r"symrnn:[ \t]*(?=[{\r\n])[^\n]*(?:\n%[ \t]{2,}[^\n]*)*"
_TEX = re.compile(rf"^%[ \t]*(?P<body>{_LINES})", re.M)
_MARKUP = re.compile(r"<!--[ \t\r\n]*(?P<body>symrnn:[ \t]*(?=[{\r\n]).*?)-->", re.S)
COMMENTS = {**dict.fromkeys((".tex", ".latex", ".ltx"), _TEX),
            **dict.fromkeys((".html", ".htm", ".xhtml", ".md", ".markdown", ".qmd", ".rmd"), _MARKUP)}
"""The comment that declares, by the suffix of the document: a brace or the end of the line follows the word and its colon."""

_AT = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)\Z")
Declared = tuple[Mapping[str, Any], Place]


def beside(path: str | Path) -> Path:
    """The file in which the declarations of a document may stand.

    >>> beside("notes/chapter.tex").as_posix()
    'notes/chapter.symrnn.toml'
    """
    return Path(path).with_suffix(SUFFIX)


def declared_outside(text: str, path: str, folder: Path | None) -> list[Declared]:
    """What a comment of a document and the file beside it declare, each with its place.

    Errors: :class:`DocumentError` where it is no YAML or TOML, and where the file cannot be read.
    """
    file = folder / beside(path).name if folder is not None else None
    found = [in_comment(text, path)]
    if file is not None and file.is_file():
        shown = beside(path).as_posix()
        found.append((_parsed(file, shown), Place(shown)))
    return [one for one in found if one is not None]


def in_comment(text: str, path: str) -> Declared | None:
    """What the first comment that begins with `symrnn:` declares; None where there is none."""
    mark = COMMENTS.get(Path(path).suffix.lower())
    found = mark.search(text) if mark is not None and "symrnn:" in text else None
    if found is None:
        return None
    start = found.start("body")
    first, _, rest = found["body"].partition("\n")
    body = f"{first}\n{textwrap.indent(textwrap.dedent(re.sub(r'^%', '', rest, flags=re.M)), ' ')}"
    place = Place(path, text.count("\n", 0, start) + 1, 1)
    data = read_yaml(body, "the comment", place, key="symrnn")
    if not isinstance(data, Mapping):
        raise DocumentError("the comment", must="have a mapping after symrnn:", came=type(data).__name__, where=place,
                            next_step="Write for example `symrnn: {time: sub}`.")
    return {str(k): v for k, v in data.items()}, place


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
