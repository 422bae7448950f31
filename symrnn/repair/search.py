"""The search for the nearest formula that is proved: best first by cost, term by term before the whole, counted in steps.

A claim keeps its left side. A candidate must fit (shapes), then agree with the left side at one point of a prime field, and only
then is it put to the ladder of decision; nothing but ``proved`` is accepted.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from itertools import combinations
from typing import Generic, TypeVar

from symrnn.expr import Expr, matmul, transform, transpose, walk
from symrnn.prove.claim import Claim, Unsupported
from symrnn.prove.decide import decide
from symrnn.prove.verdict import Verdict
from symrnn.repair.derived import subject
from symrnn.repair.edits import KIND, KINDS, Around, Edit, edits_of_kind, sites
from symrnn.repair.palette import Palette
from symrnn.repair.places import Path, alone, part, size, terms, without
from symrnn.repair.places import replace as put
from symrnn.repair.rules import Site
from symrnn.repair.target import Target

BUDGET = 30_000         # steps: one for a candidate, EVALUATION more if its value is computed
EVALUATION = 4
DECISIONS = 24          # candidates of one claim that are put to the ladder
MOST_EDITS, MOST_COST = 3, 3.7
IN_A_TERM = 2           # edits in one term
DERIVED = Edit("derived formula", "SR299", 9.0, ("the derived formula",))

T = TypeVar("T")
Edits = tuple[Edit, ...]
Places = list[tuple[Around, Site]]
_Node = tuple[float, int, float, Expr, Edits, Places, int]


@dataclass(frozen=True)
class Repair:
    """A claim that is proved, and the edits that lead to it (or the derived formula, as one edit of that name)."""

    claim: Claim
    edits: Edits
    verdict: Verdict

    @property
    def cost(self) -> float:
        """The sum of the costs of the edits."""
        return sum(e.cost for e in self.edits)

    @property
    def words(self) -> tuple[str, ...]:
        """The edits in words."""
        return tuple(e.words for e in self.edits)

    @property
    def code(self) -> str:
        """The code of the dearest edit; SR299 when edits of more than one kind are needed."""
        codes = {e.code for e in self.edits}
        return max(self.edits, key=lambda e: e.cost).code if len(codes) == 1 else "SR299"

    @property
    def is_derived(self) -> bool:
        """Whether no edit was found and the derived formula stands in."""
        return self.edits == (DERIVED,)


@dataclass
class Steps:
    """What is left of a budget."""

    left: int

    def spend(self, n: int) -> bool:
        """Whether there was that much left."""
        self.left -= n
        return self.left >= 0


def repair(claim: Claim, budget: int = BUDGET) -> Repair | None:
    """The nearest right side with which the claim is proved, or None.

    Single edits of the whole come first, then each wrong term against the terms that are missing, then several edits of the
    whole; if the bound is reached, the derived formula. ``budget`` counts steps, so the answer is the same on every machine.
    """
    return _Repairer(claim, budget).run()


# ------------------------------------------------------------------------------------------------------------- best first
@dataclass(frozen=True)
class Best(Generic[T]):
    """Best-first search: ``accept`` is the filter, ``finish`` the decision on what passed it, cheapest and smallest first."""

    palette: Palette
    steps: Steps
    accept: Callable[[Expr], bool]
    finish: Callable[[Expr, Edits], T | None]
    most_edits: int = MOST_EDITS
    most_cost: float = MOST_COST

    def run(self, start: Expr) -> T | None:
        """What ``finish`` makes of the cheapest candidate that it does not turn down; None if there is none in the bounds.

        A node of the frontier is an expression with the kind of edit that is its turn; its place is the cost of what that makes.
        """
        frontier: list[_Node] = []
        hits: list[tuple[float, int, int, Expr, Edits]] = []
        best: dict[Expr, float] = {start: 0.0}
        count = 0

        def put_back(cost: float, e: Expr, edits: Edits, places: Places, k: int) -> None:
            nonlocal count
            if k < len(KINDS) and cost + KINDS[k].cost <= self.most_cost:
                count += 1
                heappush(frontier, (round(cost + KINDS[k].cost, 3), count, cost, e, edits, places, k))

        put_back(0.0, start, (), [], 0)
        while frontier or hits:
            if hits and (not frontier or _settled(hits[0], frontier[0])):
                _, _, _, e, edits = heappop(hits)
                found = self.finish(e, edits)
                if found is not None:
                    return found
                continue
            whole, _, cost, e, edits, places, k = heappop(frontier)
            if cost > best[e]:
                continue
            places = places or list(sites(e, self.palette))
            last = len(edits) + 1 == self.most_edits
            for new, edit in edits_of_kind(places, KINDS[k], fitting=last):
                if not self.steps.spend(1):
                    frontier.clear()
                    break
                if (last and new.fault is not None) or whole >= best.get(new, MOST_COST + 1):
                    continue
                first = new not in best
                best[new] = whole
                if new.fault is None and (not first or self.steps.spend(EVALUATION)) and self.accept(new):
                    count += 1
                    heappush(hits, (whole, size(new), count, new, (*edits, edit)))
                elif not last:
                    put_back(whole, new, (*edits, edit), [], 0)
            else:
                put_back(cost, e, edits, places, k + 1)
        return None


def _settled(hit: tuple[float, int, int, Expr, Edits], node: _Node) -> bool:
    """Whether nothing better than a hit is to come; single edits of one cost are all seen, so that the smallest wins."""
    return hit[0] < node[0] or (hit[0] == node[0] and len(hit[4]) > 1)


# -------------------------------------------------------------------------------------------------------------- one claim
@dataclass
class _Repairer:
    claim: Claim
    budget: int
    seen: set[Expr] = field(default_factory=set)

    def run(self) -> Repair | None:
        if self.claim.left.fault is not None:
            return None
        self.palette = Palette.of(self.claim)
        try:
            self.target = Target(self.claim)
        except Unsupported:
            return None
        if self.target.is_zero(self.claim.left):            # any zero would do
            return None
        self.palette = replace(self.palette, formula=self.settled(self.palette.formula))
        return self.whole(1) or self.by_terms() or self.whole(MOST_EDITS) or self.fallback()

    def whole(self, most: int) -> Repair | None:
        """Edits anywhere in the right side."""
        return Best(self.palette, Steps(self.budget), self.target.met, self.finish, most).run(self.claim.right)

    def finish(self, right: Expr, edits: Edits) -> Repair | None:
        """The repair with this right side, if it is proved and says something."""
        if right in self.seen or len(self.seen) == DECISIONS or self.says_nothing(right):
            return None
        self.seen.add(right)
        claim = replace(self.claim, right=turned(right))
        verdict = decide(claim)
        return Repair(claim, edits, verdict) if verdict.word == "proved" else None

    def says_nothing(self, right: Expr) -> bool:
        """Whether the subject of the claim came in on the right, or a term that is zero."""
        about = subject(self.claim.left)
        if about in set(walk(right)) - set(walk(self.claim.right)):
            return True
        places = terms(right)
        return len(places) > 1 and any(self.target.is_zero(alone(right, p)(part(right, p))) for p in places)

    def fallback(self) -> Repair | None:
        """The derived formula."""
        if self.palette.formula is self.claim.left:
            return None
        claim = replace(self.claim, right=self.palette.formula)
        verdict = decide(claim)
        return Repair(claim, (DERIVED,), verdict) if verdict.word == "proved" else None

    def settled(self, formula: Expr) -> Expr:
        """The formula without the terms that are zero and those that cancel each other."""
        rest: Expr | None = formula
        places = terms(formula) if formula is not self.claim.left else []
        values = {p: alone(formula, p)(part(formula, p)) for p in places if len(places) > 1}
        gone = [p for p in values if self.target.is_zero(values[p])]
        for p, q in combinations([p for p in values if p not in gone], 2):
            if not {p, q} & set(gone) and values[p].shape == values[q].shape and self.target.is_zero(values[p] + values[q]):
                gone += [p, q]
        for p in sorted(gone, reverse=True):
            rest = without(rest, p) if rest is not None else None
        return formula if rest is None else rest

    # ------------------------------------------------------------------------------------------------------- term by term
    def by_terms(self) -> Repair | None:
        """Terms equal to one of the derived terms stay; each other one is repaired against a derived term that is missing."""
        right, formula = self.claim.right, self.palette.formula
        mine, wanted = terms(right), terms(formula)
        if len(mine) < 2:
            return None
        missing = [alone(formula, p)(part(formula, p)) for p in wanted]
        wrong: list[Path] = []
        for p in mine:
            value = alone(right, p)(part(right, p))
            found = next((m for m in missing if self.target.met(value, m)), None)
            if found is None:
                wrong.append(p)
            else:
                missing.remove(found)
        changes: dict[Path, Expr] = {}
        edits: Edits = ()
        steps = Steps(self.budget // 3)
        for p in wrong:
            done = self.one_term(p, missing, steps)
            if done is not None:
                changes[p], more, found = done
                missing.remove(found)
                edits += more
        extra = [p for p in wrong if p not in changes]
        if len(edits) + len(extra) + len(missing) > MOST_EDITS:
            return None
        return self.assemble(changes, edits, extra, missing)

    def one_term(self, path: Path, missing: list[Expr], steps: Steps) -> tuple[Expr, Edits, Expr] | None:
        """The nearest change of one term that makes its contribution one of those that are missing."""
        whole = alone(self.claim.right, path)

        def goal(e: Expr) -> Expr | None:
            value = whole(e)
            return next((m for m in missing if self.target.met(value, m)), None)

        def finish(e: Expr, edits: Edits) -> tuple[Expr, Edits, Expr] | None:
            found = goal(e)
            return None if found is None else (e, edits, found)
        search = Best(self.palette, steps, lambda e: goal(e) is not None, finish, IN_A_TERM)
        return search.run(part(self.claim.right, path))

    def assemble(self, changes: dict[Path, Expr], edits: Edits, extra: list[Path], missing: list[Expr]) -> Repair | None:
        """The right side with the terms changed, those too many taken out and those that are missing put in at the end."""
        right = put(self.claim.right, changes)
        for p in reversed(extra):
            edits += (_edit("drop term", "take out the term {}", part(self.claim.right, p)),)
            rest = without(right, p)
            if rest is None:
                return None
            right = rest
        for m in missing:
            edits += (_edit("insert term", "put in the term {}", m),)
            right = right + m
        return self.finish(right, edits) if edits else None


def turned(e: Expr) -> Expr:
    """The transpose of a product that has a transposed factor, as the product of the transposes: nobody writes (W^T D)^T for D W.

    >>> from symrnn.expr import diag, symbol
    >>> W, v = symbol("W", ("n", "n")), symbol("v", ("n", 1))
    >>> print(turned(transpose(transpose(W) @ diag(v))), turned(transpose(W @ v)))
    diag(v) @ W (W @ v).T
    """
    def change(x: Expr) -> Expr | None:
        product = x.args[0] if x.op == "transpose" else None
        if product is None or product.op != "matmul" or not any(a.op == "transpose" for a in product.args):
            return None
        return matmul(*(a if a.op == "diag" else transpose(a) for a in reversed(product.args)))
    return transform(e, change)


def _edit(name: str, words: str, e: Expr) -> Edit:
    """An edit of a kind of the table."""
    return Edit(name, KIND[name].code, KIND[name].cost, (words, e))
