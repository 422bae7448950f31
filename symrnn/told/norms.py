r"""What a formula says of norms: of the Jacobian of a step, of products over many steps, and what they tend to.

``\| \frac{\partial h_t}{\partial h_{t-1}} \| \le \|W\|``, ``\|W\| < 1 \Rightarrow \| \frac{\partial h_T}{\partial h_1} \| \to 0``.
"""
from __future__ import annotations

from collections.abc import Iterator, Sequence

from symrnn.document import Row
from symrnn.errors import ModelError, ShapeError
from symrnn.expr import symbols
from symrnn.judge import Relation
from symrnn.limits import TimeIsUp, limited
from symrnn.magnitudes.bound import Bounds
from symrnn.magnitudes.falsify import counterexample
from symrnn.magnitudes.limits import Limits
from symrnn.magnitudes.tree import Magnitude, Said, Tends, expressions
from symrnn.magnitudes.tree import walk as parts
from symrnn.model import Model
from symrnn.prove.accumulated import hands_on
from symrnn.prove.claim import Condition
from symrnn.prove.parts import made_of
from symrnn.prove.verdict import EVERYWHERE, Verdict
from symrnn.read.spelling import source_of
from symrnn.read.tree import Node
from symrnn.read.tree import walk as nodes_of
from symrnn.spoken import restricted
from symrnn.told.magnitudes import Magnitudes, NotRead, only_of_columns, speaks_of_norms
from symrnn.told.ranges import SUPPOSED, TURNED, perhaps_condition, sentence
from symrnn.told.world import World

METHOD = "elementary rules for norms"


def stated(row: Row, world: World) -> Iterator[Relation]:
    """The relations between norms in a formula, where each of them is decided, or one of them is refuted."""
    tree = row.reading.tree
    if tree is None or not speaks_of_norms(tree) or SUPPOSED.search(sentence(world.document.text, row.span.offset)):
        return
    offset, latex = row.span.offset, row.span.latex
    model = world.model(offset)
    state = next((s.name for s in model.states if hands_on(model, s.name)), None)
    reader = Magnitudes(row.setting.scope, world.context.sizes_of(row.setting), state)
    try:
        premises, said = reader.statements(tree)
    except NotRead:
        return
    if only_of_columns([s for _, s in said]):
        return
    facts = tuple(_facts(row, world, reader))
    supposed = tuple(s for s, certain in facts if certain)
    judge = Judge(model, (*premises, *supposed), tuple(s for s, _ in facts), row.setting.conditions, state, bool(premises),
                  world.context.tells)
    try:
        with limited(world.context.timeout):
            found = [(n, judge(s)) for n, s in said]
    except (TimeIsUp, MemoryError, RecursionError, OverflowError, ModelError, ShapeError):
        return
    doubted = perhaps_condition(row, world) or restricted(world.document.text, offset, offset + len(latex)) is not None
    if any(v is not None and v.word == "refuted" for _, v in found):
        found = [] if doubted else [(n, v or _open()) for n, v in found]
    elif any(v is None for _, v in found):
        return
    for n, verdict in found:
        assert verdict is not None
        text = latex if len(found) == 1 else f"{source_of(latex, n.nodes[0].span)} {_sign(n)} {source_of(latex, n.nodes[1].nodes[0].span)}"
        yield Relation(text, verdict)


def _sign(n: Node) -> str:
    return {"<=": r"\le", ">=": r"\ge", "->": r"\to"}.get(n.nodes[1].head, n.nodes[1].head)


def _open() -> Verdict:
    return Verdict("undecided", "SR303", "no rule for norms decides it")


def _facts(row: Row, world: World, reader: Magnitudes) -> Iterator[tuple[Said, bool]]:
    """What other formulas of the scope say of norms and numbers, each with whether it is supposed there.

    Supposed is all that is given beside a claim, where a number lies, and what a sentence of a text supposes.
    """
    for other in world.compiled.rows:
        if other is row or other.setting is not row.setting or other.reading.tree is None:
            continue
        supposed = not world.context.tells or SUPPOSED.search(sentence(world.document.text, other.span.offset)) is not None
        for chain in (n for n in nodes_of(other.reading.tree) if n.op == "Chain" and all(r.head in TURNED for r in n.nodes[1:])):
            try:
                found = reader.premises(chain)
            except NotRead:
                continue
            yield from ((s, supposed or not any(m.op in ("norm", "radius", "top") for side in (s.left, s.right) for m in parts(side)))
                        for s in found)


class Judge:
    """Judges statements of one scope under what is supposed; what is ``said`` beside it limits where they may fail.

    ``implied`` says that the formula itself supposes something, ``tells`` that it stands in a text.
    """

    def __init__(self, model: Model, premises: Sequence[Said], said: Sequence[Said], conditions: tuple[Condition, ...], state: str | None,
                 implied: bool = False, tells: bool = False) -> None:
        self.model, self.premises, self.said, self.conditions = model, premises, said, conditions
        self.state, self.implied, self.tells = state, implied, tells

    def __call__(self, said: Said | Tends) -> Verdict | None:
        if isinstance(said, Tends):
            return Limits(self.model, self.premises, self.conditions, self.state).verdict(said)
        uses = Bounds(self.model, self.premises, self.conditions, self.state).proves(said)
        if uses is not None:
            return Verdict("proved", method=METHOD, scope=EVERYWHERE, error_bound="0", conditions=uses)
        if not self.is_claim(said) or self.tells and not self.implied and not (set(_names(said.left)) and set(_names(said.right))):
            return None                                               # a bound by a number is as likely a condition
        found = counterexample(said, (*self.premises, *self.said), self.model, self.conditions)
        if found is None:
            return None
        why = f"the left side is {found.left} and the right side {found.right}"
        return Verdict("refuted", "SR299", why, METHOD, counterexample=found.to_json())

    def is_claim(self, said: Said) -> bool:
        """Whether both sides speak of one thing, or of what the equations define; else it may be a condition."""
        sides = [set(_names(m)) for m in (said.left, said.right)]
        defined = {s.name for s in self.model.variables}
        known = {s.name for s in (*self.model.variables, *self.model.parameters, *self.model.inputs)}
        premised = {n for p in (*self.premises, *self.said) for m in (p.left, p.right) for n in _names(m)}
        shared = sides[0] & sides[1]
        free = (sides[0] | sides[1]) - known - premised - shared
        used = {s.name for n in made_of(self.model, sorted((sides[0] | sides[1]) & defined)) for s in symbols(self.model.definitions[n])}
        constants = {s.name for s in self.model.constants} & used
        if constants - premised - sides[0] - sides[1]:                # a constant may be meant to lie where it holds
            return False
        about = shared or (sides[0] | sides[1]) & defined or self.implied and (sides[0] | sides[1]) & premised
        return not free and bool(about)


def _names(m: Magnitude) -> Iterator[str]:
    for e in expressions(m):
        yield from (s.name for s in symbols(e))
