"""The keys of declarations, and what kind of value each takes: a wrong one is an error that says so, before anything is built of it.

>>> checked({"time": "sub", "targets": ["y"], "loss": None})
>>> checked({"targets": {"y": 1}})
Traceback (most recent call last):
    ...
symrnn.errors.DeclarationError: DeclarationError: targets
  must: be a name, or a list of names
  came: a mapping
  next: docs/documents.md lists the keys of front matter.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from symrnn.errors import DeclarationError
from symrnn.read.symbols import Declared


def _text(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float) and not isinstance(value, bool)


def _names(value: Any) -> bool:
    return value is None or isinstance(value, str) or isinstance(value, list | tuple) and all(_text(v) and v is not None for v in value)


def _list(value: Any) -> bool:
    return value is None or isinstance(value, list | tuple) and all(isinstance(v, str) for v in value)


def _texts(value: Any) -> bool:
    return isinstance(value, Mapping) and all(isinstance(k, str) and isinstance(v, str) for k, v in value.items())


def _macros(value: Any) -> bool:
    return value is None or isinstance(value, Mapping) and all(isinstance(k, str) for k in value)


def _symbols(value: Any) -> bool:
    return value is None or isinstance(value, Mapping) and all(isinstance(v, str | Mapping | Declared) for v in value.values())


def _letter(value: Any) -> bool:
    return isinstance(value, str)


def _truth(value: Any) -> bool:
    return isinstance(value, bool)


Kind = tuple[str, Callable[[Any], bool]]
TEXT: Kind = ("be a text", _text)
NAMES: Kind = ("be a name, or a list of names", _names)
TEXTS: Kind = ("map names to LaTeX", _texts)

KINDS: Mapping[str, Kind] = {
    "time": TEXT, "time_letter": ("be a letter", _letter), "symbols": ("map names to declarations", _symbols), "targets": NAMES,
    "simplex": NAMES, "backward": NAMES, "loss": TEXT, "total": TEXT, "steps": NAMES, "elided": TEXTS, "rate": TEXT, "initial": TEXT,
    "source": TEXT, "assume": ("be a condition, or a list of conditions", _names),
    "definitions": ("be there or not", lambda value: True), "layout": TEXT,
    "macros": ("map commands to LaTeX, or to the number of arguments and LaTeX", _macros), "gradients": ("be a list of names", _list),
    "arguments": TEXTS, "gradients_at": TEXT, "infer": ("be true or false", _truth),
}
"""Every key with what its value must be."""


def checked(data: Mapping[str, Any]) -> None:
    """Raise DeclarationError for the first value that is of another kind than its key takes."""
    for key, value in data.items():
        must, fits = KINDS.get(str(key), ("", lambda value: True))
        if not fits(value):
            raise DeclarationError(str(key), must=must, came=_named(value), next_step="docs/documents.md lists the keys of front matter.")


def _named(value: Any) -> str:
    """A value in words."""
    return "a mapping" if isinstance(value, Mapping) else "a list" if isinstance(value, list | tuple) else repr(value)
