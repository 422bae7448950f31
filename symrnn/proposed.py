r"""The declarations of a document as a table that its author can edit: those that follow from use, or those that it makes itself.

What is printed can stand in the document (YAML, in front matter or in a comment) or in a file beside it (TOML). Unchanged, it says what
was understood without it; a line that is changed holds, and a line that is left out is inferred again.

>>> from symrnn.read.document import parse_document
>>> print(proposal(parse_document(r"$$\mathbf{h}_t = \tanh(W \mathbf{h}_{t-1})$$", "a.md")).to_toml())
# What a.md says of its symbols. A line that is changed holds; one that is left out is inferred again.
infer = true
time = 'sub'
time_letter = 't'
steps = ['T']
<BLANKLINE>
[symbols]
't' = 'time'  # the letter of the steps
'\mathbf{h}' = 'vector, sequence'  # n_h, variable at every step
'W' = 'matrix'  # n_h x n_h, parameter
"""
from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from symrnn.displayed import Displayed
from symrnn.document import Compiled
from symrnn.errors import SymrnnError, one_line
from symrnn.read.beside import COMMENTS
from symrnn.read.document import Document
from symrnn.read.symbols import Declared
from symrnn.reconciled import reconciled
from symrnn.roles import role
from symrnn.setting import KEYS
from symrnn.understood import infers, understood

ORDER = ("infer", *(key for key in KEYS if key not in ("infer", "symbols")))
"""The keys in the order in which they are printed; the symbols come last."""


@dataclass(frozen=True)
class Proposal(Displayed):
    """The declarations of a document at `path`; `roles` says of each symbol what it is, `inferred` whether it follows from use."""

    path: str
    data: Mapping[str, Any]
    roles: Mapping[str, str] = field(default_factory=dict)
    inferred: bool = True

    @property
    def header(self) -> str:
        """What stands above the table."""
        rest = ("A line that is changed holds; one that is left out is inferred again." if self.inferred else
                "The document declares it; nothing was inferred.")
        return f"# What {one_line(self.path)} says of its symbols. {rest}"

    def to_json(self) -> dict[str, Any]:
        return {"path": self.path, "inferred": self.inferred, "declarations": dict(self.data), "roles": dict(self.roles)}

    def to_toml(self) -> str:
        """The table as a file that stands beside the document."""
        plain = [f"{key} = {toml(self.data[key])}" for key in ORDER if self.data.get(key) is not None]
        symbols = [f"{toml(name)} = {toml(spec)}{self._remark(name)}" for name, spec in self._symbols]
        return "\n".join([self.header, *plain, *(["", "[symbols]", *symbols] if symbols else [])])

    def to_yaml(self) -> str:
        """The table as front matter."""
        return "\n".join(["---", *self._lines, "---"])

    def to_comment(self) -> str:
        """The table as a comment of the document, in its format."""
        if COMMENTS.get(Path(self.path).suffix.lower()) is COMMENTS[".tex"]:
            return "\n".join(f"% {line}" for line in self._lines[1:])
        return "\n".join(["<!--", *(line.replace("--", "- -") for line in self._lines[1:]), "-->"])

    @property
    def _lines(self) -> list[str]:
        """The lines of YAML."""
        plain = [f"  {key}: {flow(self.data[key])}" for key in ORDER if key in self.data]
        symbols = [f"    {flow(name)}: {flow(spec)}{self._remark(name)}" for name, spec in self._symbols]
        return [self.header, "symrnn:", *plain, *(["  symbols:", *symbols] if symbols else [])]

    @property
    def _symbols(self) -> Iterator[tuple[str, Any]]:
        yield from (self.data.get("symbols") or {}).items()

    def _remark(self, name: str) -> str:
        return f"  # {self.roles[name]}"


def proposal(document: Document, timeout: float | None = None) -> Proposal:
    """The declarations that a document amounts to.

    Raises DeclarationError or DocumentError where those that it makes itself are malformed.
    """
    compiled = reconciled(document, timeout=timeout)
    inferred = infers(document)
    macros = {**document.macros, **(document.settings.get("macros") or {})}
    found = understood(document, macros, compiled.said) if inferred else {}
    data = {**found, **document.settings, "symbols": found.get("symbols", document.settings.get("symbols") or {})}
    letter = str(data.get("time_letter") or "t")
    main = compiled.settings["main"]
    sizes = _sizes(compiled)
    symbols, roles = {}, {}
    for name, spec in data["symbols"].items():
        d = Declared.parse(name, spec, letter)
        shown = _spelled(name, main.latex.get(d.name, name), d, letter)
        symbols[shown] = _words(spec)
        roles[shown] = role(d.name, main, sizes) + ("; a guess" if inferred and d.name in main.unsure else "")
    kept = {key: value for key, value in data.items() if key in KEYS and value not in ([], {})}
    return Proposal(document.path, {**({"infer": True} if inferred else {}), **kept, "symbols": symbols}, roles, inferred)


def _sizes(compiled: Compiled) -> Mapping[str, Any]:
    try:
        return compiled.settings["main"].sizes()
    except SymrnnError:                                               # its equations do not fit: each claim says so
        return {}


def _spelled(name: str, latex: str, d: Declared, letter: str) -> str:
    """A name as the text writes it, if it declares the same symbol so."""
    return latex if Declared.parse(latex, d, letter) == d else name


def _words(spec: Any) -> Any:
    """A declaration as plain data: words, or a mapping."""
    if not isinstance(spec, Declared):
        return spec
    whole = {"kind": spec.kind, "shape": " ".join(spec.shape), "sequence": spec.sequence, "role": spec.role}
    return {key: value for key, value in whole.items() if value not in ("", None)}


def flow(value: Any) -> str:
    r"""A plain value as YAML on one line.

    >>> print(flow({"\\sigma": [1, True, "a, b"]}))
    {\sigma: [1, true, 'a, b']}
    """
    return str(yaml.safe_dump([value], default_flow_style=True, allow_unicode=True, width=10**9, sort_keys=False)).strip()[1:-1]


def toml(value: Any) -> str:
    r"""A plain value as TOML on one line, with LaTeX between single quotes.

    >>> print(toml({"\\sigma": [1, True, "a'"]}))
    {'\sigma' = [1, true, "a'"]}
    """
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{toml(str(k))} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, str) and not re.search(r"['\x00-\x1f\x7f]", value):
        return f"'{value}'"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
