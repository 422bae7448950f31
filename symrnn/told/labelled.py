r"""Counts under a name, as tables print them: ``\text{LSTM: } 4 \times 136 = 544 \text{ parameters}``."""
from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from symrnn.document import Row
from symrnn.judge import Relation
from symrnn.prove.counts import unequal
from symrnn.told.counts import Claimed, joined, split, verdict_on
from symrnn.told.sizes import Unsized, polynomial, stated_values
from symrnn.told.world import World

LABEL = re.compile(r"\s*\\text(?:tt|rm|bf|it|sf|sc)?\s*\{\s*([^{}:=]*[A-Za-z][^{}:=]*?)\s*(?::\s*\}|\}\s*:)\s*(.+)", re.S)
WORDS = re.compile(r"\\(?:text(?:tt|rm|bf|it|sf|sc)?|mathrm|operatorname)\s*\{([^{}]*)\}")
CELL = re.compile(r"RNN|LSTM|GRU|param|layer|network|cell|gate", re.I)
COUNTED = re.compile(r"\s*(?:trainable |learnable )?(?:param(?:eter)?s?|weights)\.?\s*", re.I)


def labelled(latex: str) -> tuple[str, str] | None:
    r"""The name and the formula of ``\text{name: } formula``.

    >>> labelled(r"\texttt{LSTM(8)}: 4 \times 136 = 544"), labelled("a = b")
    (('LSTM(8)', '4 \\times 136 = 544'), None)
    """
    found = LABEL.fullmatch(latex)
    return None if found is None else (found[1], found[2])


def named_count(row: Row, world: World) -> Iterator[Relation]:
    """The relation of a named count: numbers against each other, and the last of them against the equations."""
    found = labelled(row.span.latex)
    if found is None:
        return
    name, formula = found
    bare = WORDS.sub(lambda m: "" if COUNTED.fullmatch(m[1]) else m[0], formula)
    sides = [side.strip() for side in split(bare)]
    numbers = [_number(joined(side), world, row.span.offset) for side in sides]
    if None in numbers or len(sides) < 2 or bare == formula and not CELL.search(name):
        return
    text = row.span.latex.strip()
    if len(set(numbers)) > 1:
        a, b = next((a, b) for a, b in pairwise(numbers) if a != b)
        yield Relation(text, unequal(a or 0, b or 0))
        return
    words, values = re.sub(r"\(.*?\)", "", name) + " layer", stated_values(world, "", row.span.offset)
    verdict = verdict_on(Claimed(str(numbers[-1]), words, values=values, left=sides[0]), world, row.span.offset)
    if verdict is not None:
        yield Relation(text, verdict)


def _number(side: str, world: World, offset: int) -> int | None:
    """The value of a side in numbers and in names of numbers."""
    known = named_numbers(world)
    text = WORDS.sub(lambda m: f"({known[_plain(m[1])]})" if _plain(m[1]) in known else m[0], side)
    tree = world.parse(text, offset)
    try:
        found = None if tree is None else polynomial(tree, {}, world.setting(offset).scope.table)
    except Unsized:
        return None
    return found.constant if found is not None and not found.terms else None


def named_numbers(world: World) -> dict[str, int]:
    """The numbers that a text gives names: ``\\text{SimpleRNN: } 8256``; none that it gives two."""
    found: dict[str, set[int]] = {}
    for row in world.compiled.rows:
        name, formula = labelled(row.span.latex) or ("", "")
        if (number := joined(formula).strip().rstrip(".")).isdigit():
            found.setdefault(_plain(name), set()).add(int(number))
    return {name: values.pop() for name, values in found.items() if len(values) == 1}


def _plain(name: str) -> str:
    """A name by its letters and digits."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
