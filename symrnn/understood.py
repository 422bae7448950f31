r"""What a document says of its symbols by its formulas and sentences, and what its author has put right in that.

A document that declares no symbol is understood from use. One that declares some and says `infer: true` too is understood in the same
way, and what it declares otherwise than it was understood holds: so a table that was proposed can stand in the document, changed or not.
"""
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from symrnn.conventions import denied, enter_sizes, layout, sizes
from symrnn.read.declarations import declarations
from symrnn.read.document import Document
from symrnn.read.infer import infer
from symrnn.read.macros import expanded, macro_table
from symrnn.read.names import canonical_name
from symrnn.read.reader import read
from symrnn.read.sentences import Said
from symrnn.read.symbols import Declared, SymbolTable
from symrnn.setting import canonical_base


def infers(document: Document) -> bool:
    """Whether a document is understood from use: it declares no symbol anywhere, or says that what it declares is not all."""
    return bool(document.settings.get("infer")) or "symbols" not in document.settings and not any(
        "symbols" in d.options for d in document.directives if d.name == "scope")


def understood(document: Document, macros: Mapping[str, Any], said: Sequence[Said] = (),
               opened: frozenset[str] = frozenset()) -> dict[str, Any]:
    """The declarations that a document amounts to, with those of its author; none where it declares all itself.

    Nothing counts of what the text says of the sizes of those ``opened``.
    """
    if not infers(document):
        return {}
    stated = document.settings.get("symbols") or {}
    if not stated:
        return _inferred(document, macros, said, opened, {})
    plain = _inferred(document, macros, said, frozenset(), {})
    changed = corrected(stated, plain)
    if not changed and not opened:
        return plain
    data = _inferred(document, macros, said, opened, changed)
    data["symbols"] = {**{k: v for k, v in data["symbols"].items() if canonical_name(k) not in changed}, **changed}
    return data


def corrected(stated: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Declared]:
    """The declarations of an author that are not those which were inferred, by canonical names.

    >>> inferred = {"time_letter": "t", "symbols": {"h": "vector, sequence", "W_hh": "matrix"}}
    >>> corrected({"h": "vector, sequence", "W_{hh}": "matrix n n"}, inferred)
    {'W_hh': Declared(name='W_hh', kind='matrix', shape=('n', 'n'), sequence=False, role=None)}
    """
    letter = str(data["time_letter"])
    known = {d.name: d for d in (Declared.parse(name, spec, letter) for name, spec in data["symbols"].items())}
    own = (Declared.parse(str(name), spec, letter) for name, spec in stated.items())
    return {d.name: d for d in own if known.get(d.name) != d}


def _inferred(document: Document, macros: Mapping[str, Any], said: Sequence[Said], opened: frozenset[str],
              stated: Mapping[str, Declared]) -> dict[str, Any]:
    """What the formulas and sentences of a document say, where some symbols are known."""
    table = macro_table(macros)
    style, letter = (document.settings.get(key) for key in ("time", "time_letter"))
    data = infer([expanded(s.latex, table) for s in document.spans], stated, document.prose, macros, time=(style, letter))
    symbols, size = data["symbols"], size_of_others(said)
    sums = {(canonical_base(x.subjects[0]), canonical_base(x.value)) for x in said if x.kind == "total" and not denied(x)}
    if len(sums) == 1:
        ((data["total"], data["loss"]),) = sums
        symbols.pop(data["total"], None), symbols.pop(data["loss"], None)
    enter_sizes(sizes(document, said, data["time_letter"], data["steps"]), data)
    for name, words in symbols.items():
        if size and words in ("vector", "vector, sequence"):
            symbols[name] = words.replace("vector", f"vector {size}")
        if name in opened and isinstance(words, str):
            symbols[name] = re.sub(r"(vector|matrix)[^,]*", r"\1", words)
    if (lies := layout(said)) is not None and document.settings.get("layout") in (None, lies) and not (
            lies == "denominator" and "layout" in document.settings):
        data |= {"stated_layout": lies, **({} if lies == "denominator" else {"layout": lies})}
    return data


def size_of_others(said: Sequence[Said]) -> str | None:
    r"""The size of all vectors of which a text says nothing else, if a sentence gives it.

    >>> from symrnn.read.document import parse_document
    >>> from symrnn.read.sentences import sentences
    >>> text = r"$x_t \in \mathbb{R}^d$, all others in $\mathbb{R}^h$."
    >>> size_of_others(sentences(parse_document(text, "a.md")))
    'h'
    """
    values = {x.value for x in said if x.kind == "others" and not denied(x)}
    tree = read(rf"x \in {min(values)}", SymbolTable(), second=False).tree if len(values) == 1 else None
    found = declarations(tree, SymbolTable()) if tree is not None else ()
    return found[0].shape[0] if len(found) == 1 and found[0].kind == "vector" else None
