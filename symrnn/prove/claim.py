"""What is to be judged: one relation between two expressions, the model it speaks of, and the conditions it states."""
from __future__ import annotations

from dataclasses import dataclass

from symrnn.expr import SCALAR, Expr, Index, Symbol
from symrnn.model import Model


@dataclass(frozen=True)
class Condition:
    """One side condition, in the words of the table below.

    ========== ======================================= ==========================================
    kind       subject                                 meaning
    ========== ======================================= ==========================================
    simplex    name of a vector                        its entries sum to one
    zero       name of a symbol                        it is zero (a bias that is dropped)
    past-zero  name of a sequence                      it is zero at every step before the first
    equal      two indices                             i = k
    distinct   two indices                             i is not k
    before-end --                                      t < T
    from-second --                                     t > 1 (never stated: a check of what fails at the first step only)
    at-end     name of a number with a time            it is one at the last step and zero at every other
    beyond-zero --                                     what does not exist at a step counts as zero there
    immediate  --                                      derivatives by a parameter go through one step only
    ========== ======================================= ==========================================
    """

    kind: str
    subject: tuple[str | Index | int, ...] = ()
    text: str = ""

    def __str__(self) -> str:
        return self.text or " ".join([self.kind, *map(str, self.subject)])


@dataclass(frozen=True)
class Claim:
    """``left relation right`` for every value of the free component indices and every step t = 1..T.

    ``model`` holds the definitions; a symbol it does not define is free. ``relation`` is ``=`` (other relations come with the
    ladder of inequalities).
    """

    left: Expr
    right: Expr
    model: Model
    relation: str = "="
    conditions: tuple[Condition, ...] = ()

    def subjects(self, kind: str) -> frozenset[object]:
        """The single subjects of the conditions of one kind."""
        return frozenset(c.subject[0] for c in self.conditions if c.kind == kind)

    def states(self, kind: str) -> bool:
        """Whether a condition of this kind is stated."""
        return any(c.kind == kind for c in self.conditions)

    @property
    def total_loss(self) -> Symbol:
        """The symbol of the loss summed over all steps."""
        return Symbol(self.model.total, SCALAR)


class Unsupported(Exception):
    """A witness cannot treat a construct; the message says which. It is a reason for ``undecided``, never an error."""


class Missing(Exception):
    """A claim speaks of a symbol at a step where it does not exist; the message says which."""
