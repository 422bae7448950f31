r"""One span of LaTeX to a reading: a tree, or the place where reading stopped; never a part of a formula.

>>> from symrnn.read.symbols import SymbolTable
>>> table = SymbolTable.from_mapping({"symbols": {"h": "vector n, sequence", "W": "matrix n n", "x": "vector n, sequence"}})
>>> reading = read(r"h_t = \tanh(W h_{t-1} + x_t)", table)
>>> print(reading.tree)
(Chain h{t=t} (= (Call tanh (Add (Mul W h{t=(Add t (Neg 1))}) x{t=t}))))
>>> reading.warnings, reading.alternatives, reading.unread
((), (), None)
>>> read(r"h_t = \tanh(W h_{t-1}", table).unread
Unreadable(offset=11, token='(', hint='it is not closed')
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symrnn.errors import Place, ReadError
from symrnn.read.binding import bind
from symrnn.read.macros import Macros, expand
from symrnn.read.picked import picked
from symrnn.read.primed import at_steps
from symrnn.read.skeleton import Item, own_grammar
from symrnn.read.statements import Statements
from symrnn.read.structure import Structure
from symrnn.read.symbols import SymbolTable
from symrnn.read.tokens import MAX_TOKENS, Note, Refused, tokenize, unnested
from symrnn.read.tree import Node, depth
from symrnn.read.values import called

MAX_DIGITS = 1000
"""Digits of a number."""

MAX_LENGTH = 200_000
"""Characters of a span; longer ones are refused unread."""

MAX_TREE = 200
"""Levels of a tree; deeper ones are refused, so that everything after reading may recurse."""

Grammar = Callable[[Sequence[Item]], Node]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Where and why reading stopped: character offset in the span, the token there ('' at its end), and a hint."""

    offset: int
    token: str
    hint: str

    def error(self, latex: str, where: Place | None = None) -> ReadError:
        """The same as an error, for callers that cannot go on without a tree."""
        return ReadError(latex[max(0, self.offset - 30) : self.offset + 30] or "empty formula", must="be read to the last token",
                         came=self.token or "the end of the formula", where=where, next_step=self.hint,
                         offset=self.offset, token=self.token)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a span was read as.

    `tree` is None exactly when `unread` says why. `warnings` are the choices that were made; `alternatives` other trees
    that the notation also allows; `attributes` are triples of kind (tag, label, boxed, note), text and offset.
    """

    latex: str
    tree: Node | None
    warnings: tuple[Note, ...] = ()
    alternatives: tuple[Node, ...] = ()
    unread: Unreadable | None = None
    attributes: tuple[tuple[str, str, int], ...] = ()

    @property
    def ambiguous(self) -> bool:
        """Whether the notation allows more than one tree."""
        return bool(self.alternatives)


def read(latex: str, table: SymbolTable, *, macros: Macros | None = None, second: bool = True) -> Reading:
    """The reading of a span with the symbols of `table`.

    `macros` are those of the table if left out.
    With `second`, the grammar of latex2sympy2 reads the skeletons too, and where it disagrees its tree is an alternative.
    Nothing is raised for anything a span can hold. A span that was read with the same table before is not read again.
    """
    if macros is not None:
        return _whole(latex, table, macros, second)
    known: dict[tuple[str, bool], Reading] = table.readings
    if (latex, second) not in known:
        known[latex, second] = _whole(latex, table, table.macros, second)
    return known[latex, second]


def _whole(latex: str, table: SymbolTable, macros: Macros, second: bool) -> Reading:
    """The reading, also where it is refused."""
    try:
        return _read(latex, table, macros, second)
    except Refused as refused:
        return Reading(latex, None, unread=Unreadable(min(refused.offset, len(latex)), refused.token, refused.hint))
    except RecursionError:
        return Reading(latex, None, unread=Unreadable(0, latex[:1], "the formula is nested too deeply"))


def _read(latex: str, table: SymbolTable, macros: Macros, second: bool) -> Reading:
    if len(latex) > MAX_LENGTH:
        raise Refused(MAX_LENGTH, "", f"the formula is longer than {MAX_LENGTH} characters")
    odd = next((k for k, c in enumerate(latex) if ord(c) < 32 and c not in "\t\n\r\f\v" or ord(c) in (127, 0xFFFD)), None)
    if odd is not None:
        raise Refused(odd, latex[odd], "this character is no text")
    tokens = tokenize(latex)
    if len(tokens) > MAX_TOKENS:
        raise Refused(tokens[MAX_TOKENS].start, tokens[MAX_TOKENS].text, f"the formula has more than {MAX_TOKENS} tokens")
    if long := next((t for t in tokens if len(t.text) > MAX_DIGITS and t.text[0].isdigit()), None):
        raise Refused(long.start, long.text[:8] + "...", f"the number has more than {MAX_DIGITS} digits")
    structure = Structure(unnested(expand(tokens, macros)))
    pieces = structure.pieces()
    tree, notes, others = _tree_of_both(pieces, table) if second else _tree(pieces, table, own_grammar)
    distinct = [o for k, o in enumerate(others) if o != tree and o not in others[:k]]
    return Reading(latex, tree, tuple(sorted(notes)), tuple(distinct), None, tuple(structure.attributes))


@dataclass
class Both:
    """The trees of one grammar, and whether another gives other trees or none."""

    first: Grammar
    second: Grammar
    differ: bool = False

    def __call__(self, items: Sequence[Item]) -> Node:
        tree = self.first(items)
        try:
            self.differ = self.differ or self.second(items) != tree
        except Refused:
            self.differ = True
        return tree


def _tree_of_both(pieces: tuple, table: SymbolTable) -> tuple[Node, list[Note], list[Node]]:  # type: ignore[type-arg]
    """Tree, notes and alternatives under our own grammar; the tree under the other one is an alternative where it differs."""
    from symrnn.read.l2s import second_opinion

    both = Both(own_grammar, second_opinion)
    tree, notes, others = _tree(pieces, table, both)
    if both.differ:
        try:
            other = _tree(pieces, table, second_opinion)[0]
        except Refused as refused:
            notes.append(Note(refused.offset, "one-grammar", f"only one of two grammars reads this: {refused.hint}"))
        else:
            if other != tree:
                notes.append(Note(tree.span[0], "two-grammars", "two grammars read this differently; both trees are kept"))
                others = [other, *others]
    return tree, notes, others


def _tree(pieces: tuple, table: SymbolTable, grammar: Grammar) -> tuple[Node, list[Note], list[Node]]:  # type: ignore[type-arg]
    """Tree, notes and alternatives under one grammar."""
    reader = Statements(table, grammar)
    tree = at_steps(reader.span(pieces), table.primes, table.time_letter)
    tree = picked(called(tree, table.values))
    if depth(tree) > MAX_TREE:
        raise Refused(tree.span[0], "", f"the formula is nested more than {MAX_TREE} deep")
    bound = bind(tree, table)
    return bound.tree, [*reader.notes, *bound.notes], list(bound.alternatives)
