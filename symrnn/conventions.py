r"""What a text says in words of its notation: how derivatives lie, which names stand for gradients, which sizes its arrays have.

>>> from symrnn.read.document import parse_document
>>> from symrnn.read.sentences import sentences
>>> text = r"Derivatives are row vectors. $W$ is of size $(n, m)$, $x_t$ has dimension $m$."
>>> document = parse_document(text, "a.md")
>>> layout(sentences(document)), sizes(document, sentences(document), "t", {"t"})
('rows', {'W': ('n', 'm'), 'x': ('m',)})
"""
from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from symrnn.errors import SymrnnError
from symrnn.read.declarations import size_text
from symrnn.read.document import Document
from symrnn.read.names import name_latex
from symrnn.read.reader import read
from symrnn.read.sentences import Said
from symrnn.read.shapetables import shape_tables
from symrnn.read.symbols import Declared, SymbolTable
from symrnn.read.tree import Node
from symrnn.setting import Setting

HYPOTHETICAL = re.compile(r"\b(?:if|were)\b", re.I)
"""What makes a sentence that drops something speak of another network."""
DENIED = re.compile(r"\b(?:not|never|no|neither|nor|cannot|unlike|instead|rather|unless|rarely|seldom|hardly|might|could|would|should|"
                    r"other|others|another|\w+n[’']t)\b", re.I)
"""Words by which a clause denies what its pattern says, or says it of something else."""
OWN_WORDS = ("dropped", "others", "abbreviation")
"""The kinds whose own words may be among those."""
PLAIN = re.compile(r"\w+|\d+")
TIMES = r" \times "
"""What stands between the pieces of a value."""
ARRAYS = {1: "vector", 2: "matrix"}


def denied(said: Said) -> bool:
    """Whether its clause denies what a sentence says; to drop something, or to speak of all others, may be said in the same words."""
    clause = said.clause or said.text
    if said.kind == "dropped" and HYPOTHETICAL.search(clause):
        return True
    return DENIED.search(clause.replace(said.words, " ", 1) if said.kind in OWN_WORDS else clause) is not None


def stated(said: Sequence[Said], *kinds: str) -> list[Said]:
    """The sentences of some kinds that neither deny nor suppose what they say."""
    return [x for x in said if x.kind in kinds and not denied(x) and not HYPOTHETICAL.search(x.clause or x.text)]


def layout(said: Sequence[Said]) -> str | None:
    """How a text says that derivatives lie; None where it says nothing, or two things."""
    values = {x.value for x in stated(said, "layout")}
    if values == {"numerator", "rows"}:                               # the same of vectors, and the first is the name of it
        return "numerator"
    return min(values) if len(values) == 1 else None


def name_gradients(said: Sequence[Said], setting: Setting) -> None:
    """Enter the names that sentences give to derivatives into a scope."""
    loss = setting.scope.total or setting.scope.loss
    for x in stated(said, "abbreviation", "loss-gradient"):
        value = x.value
        if x.kind == "loss-gradient":
            if loss is None:
                continue
            by, *named = x.value.split(TIMES)
            value = rf"\frac{{\partial {named[0] if named else name_latex(loss)}}}{{\partial {by}}}"
        left, right = (read(text, setting.scope.table, second=False).tree for text in (x.subjects[0], value))
        if left is not None and right is not None:
            setting.name_gradient(left, right)


# --------------------------------------------------------------------------------------------------------------------------- sizes
def sizes(document: Document, said: Sequence[Said], letter: str, steps: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The sizes that sentences and tables state of symbols, each in letters and numbers; nothing of what is stated in two ways.

    What has to do with the number of steps is no size.
    """
    found: dict[str, set[tuple[str, ...]]] = {}
    pairs = [(subject, x.value) for x in stated(said, "size") for subject in x.subjects]
    for latex, value in (*pairs, *shape_tables(document.prose)):
        own = size_names(value)
        if own is not None and not {*own} & {letter, *steps}:
            found.setdefault(_name(latex, letter), set()).add(own)
    return {name: min(values) for name, values in found.items() if len(values) == 1 and name}


def size_names(value: str) -> tuple[str, ...] | None:
    r"""The sizes that a text writes as a product or as a pair, if each is a letter, a named letter or a number.

    >>> size_names(r"n_h \times 4"), size_names("(n, m)"), size_names("n"), size_names(r"n \times (T - 1)")
    (('n_h', '4'), ('n', 'm'), ('n',), None)
    """
    table = SymbolTable()
    tree = read(value, table, second=False).tree
    if tree is None:
        return None
    parts: tuple[Node, ...] = tree.nodes if tree.op in ("Times", "Tuple") else (tree,)
    names = tuple(size_text(n, table) for n in parts if n.op in ("Sym", "Num"))
    return names if len(names) == len(parts) <= 2 and all(map(PLAIN.fullmatch, names)) else None


def enter_sizes(known: Mapping[str, tuple[str, ...]], data: dict[str, Any]) -> None:
    """Give inferred declarations the sizes that are known; a symbol of whose kind nothing is known gets that too.

    A vector that is the same at every step may as well be the argument of a formula that stands by itself: it stays as it is.
    """
    symbols, unsure = data["symbols"], data.get("unsure") or []
    entered: set[str] = set()
    for name, own in known.items():
        words = symbols.get(name)
        if not isinstance(words, str):
            continue
        kind, comma, flag = words.partition(",")
        column = own[:-1] if len(own) == 2 and own[1] == "1" else own
        if kind == "vector" and not flag:
            continue
        if kind == "scalar" and name in unsure or kind == ARRAYS[len(column)]:
            symbols[name] = f"{ARRAYS[len(column)]} {' '.join(column)}{comma}{flag}"
            entered |= {name, *column}
    for size in entered - set(known):
        if symbols.get(size) in ("scalar", "vector"):
            symbols[size] = "size"
    if unsure:
        data["unsure"] = [name for name in unsure if name not in entered]


def _name(latex: str, letter: str) -> str:
    """The canonical name of a symbol that may be written with its time; empty where it is no symbol."""
    try:
        return Declared.parse(latex.strip(), "scalar", letter).name
    except SymrnnError:
        return ""
