r"""A claim in code that is refuted, as it would be right: its text with one or a few slips undone, proved by the same judge.

>>> from symrnn.coded.judge import judge_code
>>> given = ["y = w * tanh(u)", "dy = dL/dy; du is to be dL/du"]
>>> fix = corrected("du = dy * u * (1 - np.tanh(u)**2)", "python", given, {"all": "n"})
>>> fix.latex, fix.verdict, fix.edits
('du = dy * w * (1 - np.tanh(u)**2)', 'proved', ('write w for u',))
"""
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from symrnn.coded.judge import Understood, judge_code, settled, understood
from symrnn.coded.rewrites import TRANSPOSED, Rewrite, rewrites
from symrnn.coded.values import Doubt, log_softmax
from symrnn.coded.write import Style, Unprinted, code
from symrnn.errors import SymrnnError
from symrnn.expr import Expr, apply, fix_time, node, softmax, substitute, symbols, transform
from symrnn.expr import walk as walk_of
from symrnn.prove.claim import Claim, Unsupported
from symrnn.prove.roots import without_roots
from symrnn.prove.verdict import Fix, Verdict
from symrnn.read.codetext import CodeUnread, expression, statements
from symrnn.read.tree import Node, walk
from symrnn.repair import repair
from symrnn.repair.derived import ROUNDS, derivation, spelled_out
from symrnn.repair.target import Target

CANDIDATES = 300
"""Readings of texts that are judged for one claim."""
STEPS = 3000
"""The budget of the repair of a claim as an expression."""
STEPS_AWAY = ("[t]", "[t-1]", "[t+1]")
SLIPS = 3
"""Slips of one claim that are undone, one statement after the other."""


def corrected(claim: str, language: str, given: Sequence[str], shapes: Mapping[str, str], assume: Sequence[str] = ()) -> Fix | None:
    """The nearest text whose every statement is proved; None where none is found."""
    search = _Search(language, given, shapes, assume)
    return _slips(search, claim) or _derived(search, claim)


def _slips(search: _Search, claim: str) -> Fix | None:
    """One slip after the other undone."""
    words: list[str] = []
    text, proved = claim, search.proved(claim)
    for _ in range(SLIPS):
        found = next(((r, n) for r in search.near(text) if (n := search.proved(r.text)) > proved), None)
        if found is None:
            return None
        proved, text, words = found[1], found[0].text, [*words, found[0].words]
        if search.is_right(text):
            return Fix(text, "proved", tuple(words))
    return None


def _derived(search: _Search, claim: str) -> Fix | None:
    """What the value of the one statement should be, from the equations, in the names of the text."""
    parsed = statements(claim, search.language)
    if len(parsed) != 1:
        return None
    lo, hi = parsed[0].value.span
    for u in understood(claim, search.language, search.given, search.shapes, search.assume):
        found = repair(u.claim, STEPS) if u.meaning.value is None and not u.meaning.way else None
        if found is None:
            continue
        right = found.claim.right.args[0] if found.claim.right.op == "tsum" else found.claim.right
        names = search.quantities(claim, u)
        for e in dict.fromkeys(in_names(right, names, u.claim)):
            try:
                text = claim[:lo] + code(e, names, search.style(claim)) + claim[hi:]
            except Unprinted:
                continue
            if text != claim and search.is_right(text):
                return Fix(text, "proved", ("the derived value",))
    return None


def in_names(e: Expr, names: Mapping[Expr, str], claim: Claim) -> list[Expr]:
    """An expression, then with the adjoints and the variables that have no name replaced by what they equal."""
    out = spelled_out(derivation(claim), e, lambda s: node("sym", attr=s) in names)
    model = claim.model
    logs = {softmax(u): apply("exp", node("sym", attr=eq.left)) for eq in model.equations
            for u in [log_softmax_of(eq.right)] if u is not None}
    out.append(transform(out[-1], logs.get))
    for _ in range(ROUNDS):
        unnamed = {s: fix_time(model.definitions[s.name], "t", s.time) for s in symbols(out[-1]) if s.kind == "variable"
                   and s.time is not None and node("sym", attr=s) not in names and s.name in model.definitions}
        if not unnamed:
            break
        out.append(substitute(out[-1], unnamed))
    return out


def log_softmax_of(e: Expr) -> Expr | None:
    """``u`` where an expression is the logarithm of its softmax, ``u - log sum exp u``."""
    found = next((x.args[0] for x in walk_of(e) if x.op == "lse"), None)
    return found if found is not None and log_softmax(found) is e else None


@dataclass
class _Search:
    language: str
    given: Sequence[str]
    shapes: Mapping[str, str]
    assume: Sequence[str]
    left: int = CANDIDATES

    def near(self, text: str) -> Iterator[Rewrite]:
        """The texts one slip away, the nearest of all statements first, as long as the budget lasts."""
        found = [r for s in statements(text, self.language) for r in rewrites(text, s.value, self.names(text), self.language)]
        for r in sorted(found, key=lambda r: r.rank):
            if self.left <= 0:
                return
            self.left -= 1
            yield r

    def names(self, text: str) -> list[str]:
        """The names that the claim and the lines beside it use, those of functions left out."""
        found = [m.head.rpartition(".")[2] for s in statements(text, self.language)
                 for side in (s.target, s.value) if side is not None for m in values(side)]
        called = {name for line in (text, *self.given) for name in re.findall(r"([^\W\d]\w*)\s*\(", line)}
        written = [name for line in (*self.given, *self.shapes) for name in re.findall(r"(?<![\w\\])[^\W\d]\w*", line.replace("\\_", "_"))]
        counted = {name for name in written if "_" in name or len(name) < 3 or not name.islower() or name in self.shapes}
        return [name for name in dict.fromkeys([*found, *written]) if name not in called and (name in found or name in counted)]

    def quantities(self, text: str, u: Understood) -> dict[Expr, str]:
        """The quantities of a text by their expressions: as the claim writes them, as the lines beside it do, and a step away."""
        claimed = [(m, text[slice(*m.span)]) for s in statements(text, self.language) for m in values(s.value)]
        names = dict.fromkeys((*self.names(text), *(m for line in self.given for m in re.findall(r"(?<![\w\\])[^\W\d]\w*", line))))
        spelled = [n + step for step in ("", *STEPS_AWAY) for n in names]
        out: dict[Expr, str] = {}
        for n, words in [*claimed, *((expression(x, self.language), x) for x in spelled)]:
            try:
                e = u.elaborate(n).expr
            except (Doubt, SymrnnError):
                continue
            out.setdefault(e, words)
        return out

    def style(self, text: str) -> Style:
        """How the claim, or the lines beside it, write functions and products."""
        every = "\n".join((text, *self.given))
        prefix = next(iter(re.findall(r"\b(?:np|torch|nd|tf|jnp|math|Math)\.", every)), "")
        return Style(prefix, " * " if self.language in ("ascii", "text", "matlab") else " @ ", TRANSPOSED.get(self.language, ".T"),
                     "**" if self.language == "python" else "^")

    def verdicts(self, text: str, quick: bool) -> list[Verdict]:
        try:
            rows = judge_code(text, self.language, self.given, self.shapes, self.assume, self.at_a_point if quick else settled)
        except (CodeUnread, Doubt, RecursionError):
            return []
        return [j.verdict for j in rows]

    def proved(self, text: str) -> int:
        """How many statements are proved, less those that are not."""
        found = self.verdicts(text, quick=True)
        return sum(1 if v.word == "proved" else -1 for v in found) if found else -len(text)

    def at_a_point(self, claim: Claim) -> Verdict:
        """The verdict on a claim, where the two sides are equal at one point of a field; elsewhere it is not worth a proof."""
        self.left -= 1
        try:
            plain = without_roots(claim) or claim
            worth = Target(plain).met(plain.right)
        except Unsupported:
            worth = True
        return settled(claim) if worth else Verdict("refuted", "SR299", "the sides differ at a point", "exact evaluation")

    def is_right(self, text: str) -> bool:
        """Whether every statement is proved."""
        found = self.verdicts(text, quick=False)
        return bool(found) and all(v.word == "proved" for v in found)


def values(n: Node) -> Iterator[Node]:
    """The symbols of a tree that are no functions and no steps."""
    heads = {id(m.nodes[0]) for m in walk(n) if m.op in ("Call", "Chain")}
    inside = {id(k) for m in walk(n) if m.op == "Index" for a in m.nodes for k in walk(a)}
    return (m for m in walk(n) if m.op == "Sym" and id(m) not in heads | inside)
