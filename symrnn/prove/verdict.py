"""A verdict: the word, the scope, and what a reader needs to trust it."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from symrnn.displayed import Displayed

ORDER = ("refuted", "unreadable", "undecided", "agrees", "conditional", "proved")
"""The words, worst first."""


def worst(words: list[str | None]) -> str | None:
    """The worst of some verdicts; None when nothing is claimed.

    >>> worst(["proved", None, "undecided"]), worst([None])
    ('undecided', None)
    """
    found = [w for w in words if w is not None]
    return min(found, key=ORDER.index) if found else None


@dataclass(frozen=True)
class Scope:
    """For which sizes and steps: ``all``, or the finite ones that were evaluated."""

    sizes: Any = "all"
    T: Any = "all"

    def to_json(self) -> dict[str, Any]:
        return {"sizes": self.sizes, "T": self.T}

    def __str__(self) -> str:
        """The scope in words, the same in every output.

        >>> str(Scope()), str(Scope([{"n_h": 3}], [4]))
        ('for all sizes and every T', 'for n_h=3, T=4')
        """
        if self.sizes == "all" and self.T == "all":
            return "for all sizes and every T"
        rows = [", ".join(f"{k}={v}" for k, v in row.items()) for row in self.sizes] if self.sizes != "all" else ["all sizes"]
        steps = "every T" if self.T == "all" else "T=" + ", ".join(map(str, self.T))
        return f"for {'; '.join(r for r in rows if r) or 'all sizes'}, {steps}"


EVERYWHERE = Scope()


@dataclass(frozen=True)
class Fix:
    """A corrected formula in the author's notation, its own verdict, and the edits in words."""

    latex: str
    verdict: str
    edits: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {"latex": self.latex, "verdict": self.verdict}


@dataclass(frozen=True)
class Verdict(Displayed):
    """The judgement of one relation; see the table of verdicts in docs/verdicts.md.

    ``proof`` lists the obligations of a proof for all sizes; ``counterexample`` is a record with T, sizes, values and both sides;
    ``cause`` names an earlier error that this one follows from, ``certificate`` the file of its certificate.
    """

    word: str | None
    code: str | None = None
    reason: str | None = None
    method: str | None = None
    scope: Scope | None = None
    error_bound: str | None = None
    conditions: tuple[str, ...] = ()
    convention: str | None = None
    readings: tuple[tuple[str, str], ...] = ()
    domain: str | None = None
    counterexample: dict[str, Any] | None = None
    fix: Fix | None = None
    cause: str | None = None
    proof: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    uses: tuple[str, ...] = field(default=())
    certificate: str | None = None

    def to_json(self, latex: str) -> dict[str, Any]:
        """One relation of the audit schema."""
        return {"latex": latex, "verdict": self.word, "code": self.code, "reason": self.reason, "method": self.method,
                "scope": self.scope.to_json() if self.scope else None, "error_bound": self.error_bound,
                "conditions": list(self.conditions), "convention": self.convention,
                "readings": [{"latex": a, "verdict": b} for a, b in self.readings], "domain": self.domain,
                "counterexample": self.counterexample, "fix": self.fix.to_json() if self.fix else None, "cause": self.cause,
                "certificate": self.certificate}
