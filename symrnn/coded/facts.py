"""What the lines beside a claim in code say, as records: equations, gradients, other names, what was not understood."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from symrnn.read.codetext import Statement
from symrnn.read.tree import Node


@dataclass(frozen=True)
class Defined:
    """An equation or a statement that gives a name its value."""

    statement: Statement

    def __repr__(self) -> str:
        return str(self.statement)


@dataclass(frozen=True)
class Gradient:
    """``name`` holds the derivative of the loss by ``of``, or by the argument of the function that gives ``argument_of``.

    ``role``: ``given`` (the whole derivative), ``share`` (a part of it, or the whole where nothing else comes), ``direct`` (the share
    that does not come through the equations), ``incoming`` (the same, and the statements add the rest), ``asked`` (what the
    statements are to compute), ``back`` (asked, through one step only), ``summed`` (asked, over all steps).
    """

    name: Node
    role: str
    of: Node | None = None
    argument_of: str = ""
    before_end: bool = False
    later: bool = False                                              # a share that comes from the steps after

    def __repr__(self) -> str:
        place = f"of {self.of}" if self.of is not None else f"at the argument of {self.argument_of or 'its function'}"
        return f"{self.name}: gradient {place} ({self.role})"


@dataclass(frozen=True)
class Named:
    """Another name for something; ``what`` None: a name that is spoken of and has no equation."""

    name: Node
    what: Node | None = None


@dataclass(frozen=True)
class Formula:
    """A function by a formula: ``f(x, key=True) = body``."""

    name: str
    formal: tuple[str, ...]
    body: Node
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class Star:
    """What ``*`` means between arrays: ``matrix`` or ``entrywise``."""

    means: str


@dataclass(frozen=True)
class Step:
    """A letter that counts the steps."""

    letter: str


@dataclass(frozen=True)
class Unclear:
    """A line that was not understood."""

    text: str

    def __repr__(self) -> str:
        return f"not understood: {self.text}"


@dataclass(frozen=True)
class Output:
    """What the last layer and the loss are, in words: ``softmax`` and ``cross-entropy``."""

    function: str
    loss: str


@dataclass(frozen=True)
class Later:
    """Terms of an equation that other statements add: by name, or all that use an earlier step."""

    names: tuple[str, ...]
    recurrent: bool


@dataclass(frozen=True)
class Pairs:
    """Weights and biases that belong together: ``(Wf, bf), (Wu, bu)``."""

    pairs: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Slope:
    """A value without a target is the derivative of one quantity by another; ``times``: only what it multiplies is said."""

    of: Node
    by: Node
    times: bool


@dataclass(frozen=True)
class Curvature:
    """A name holds the second derivative of the loss by every entry of a quantity."""

    name: Node
    by: Node


@dataclass(frozen=True)
class Length:
    """The norm that a value is to have."""

    size: Node


@dataclass(frozen=True)
class Stored:
    """Names of gradients that are called after what they belong to."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class After:
    """A name holds the value of a function (of any, if none is named), not its argument."""

    name: Node
    function: str


Fact = After | Later | Pairs | Slope | Curvature | Length | Stored | Defined | Gradient | Named | Formula | Star | Step | Unclear | Output


@dataclass
class Facts:
    """All that stands beside a claim, sorted."""

    defined: list[Statement] = field(default_factory=list)
    gradients: list[Gradient] = field(default_factory=list)
    named: list[Named] = field(default_factory=list)
    formulas: dict[str, list[Formula]] = field(default_factory=dict)
    letters: set[str] = field(default_factory=set)
    star: str = ""
    output: Output | None = None
    simplex: str = ""                                                # the target of a loss that is given in words
    later: list[Later] = field(default_factory=list)
    pairs: list[Pairs] = field(default_factory=list)
    slopes: list[Slope] = field(default_factory=list)
    curvatures: list[Curvature] = field(default_factory=list)
    lengths: list[Length] = field(default_factory=list)
    after: list[After] = field(default_factory=list)
    stored: list[Stored] = field(default_factory=list)
    unclear: list[str] = field(default_factory=list)

    def add(self, fact: Fact) -> None:
        """Take in one fact."""
        match fact:
            case Defined(s):
                self.defined.append(s)
            case Formula():
                self.formulas.setdefault(fact.name, []).append(fact)
            case Step(letter):
                self.letters.add(letter)
            case Star(means):
                self.star = means
            case Output():
                self.output = fact
            case Unclear(text):
                self.unclear.append(text)
            case _:
                self.kept(fact).append(fact)

    def kept(self, fact: Fact) -> list[Fact]:
        """The list of the facts of one kind."""
        lists: dict[type, Any] = {Gradient: self.gradients, Named: self.named, Later: self.later, Pairs: self.pairs, Slope: self.slopes,
                                  Curvature: self.curvatures, Length: self.lengths, Stored: self.stored, After: self.after}
        found: list[Fact] = lists[type(fact)]
        return found
