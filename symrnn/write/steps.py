"""The steps of a derivation in words: what each rule does, and why contributions add up."""
from __future__ import annotations

from collections.abc import Iterator

from symrnn.bptt import Derivation, Step, at, fusion
from symrnn.calculus import PULLS
from symrnn.expr import Symbol, fix_time, symbols
from symrnn.model import LAST, Equation, Model
from symrnn.write.cases import at_end, at_last, placed, step_placed
from symrnn.write.definitions import uses
from symrnn.write.local import summing
from symrnn.write.page import Block, Listing, Paragraph
from symrnn.write.signs import rules
from symrnn.write.voice import Voice
from symrnn.write.words import listed

SUMS = ("collect", "gradient", "fuse")
"""The rules of the steps that gather what a symbol receives."""


# ---------------------------------------------------------------------------------------------------------------- one step
def words(d: Derivation, s: Step, v: Voice) -> str:
    """One step of the trail as a sentence."""
    m = d.model
    if s.rule in SUMS and d.late:
        return _gathered_late(d, s, v)
    if s.rule in SUMS:
        return _gathered(m, s, v)
    s = step_placed(d, s)
    if s.rule == "seed":
        assert s.target is not None
        loss = "the loss of the last step" if m.at_end else "the sum of the losses of the steps"
        why = f", as {v(m.summed)} is {loss}" if s.equation == m.loss else ", by what this name means"
        return f"seed: the cotangent of {v(s.target)} is {v(s.after)}{why}."
    rule = next(r for r in PULLS.values() if r.name == s.rule)
    part = at(equation(m, s.equation).right, s.path)
    part = fix_time(part, "t", LAST) if s.equation in d.late else part
    return f"{s.rule}: the cotangent of {v(part)} is {v(s.after)} ({rule.sentence})."


def _gathered(m: Model, s: Step, v: Voice) -> str:
    assert s.target is not None
    symbol = m.symbol(s.target.name)
    users = uses(m, symbol)
    left, total = v(s.target), v(m.summed)
    if not users:
        return f"{s.rule}: nothing uses {v(symbol)}, so {left} is zero."
    used = listed(map(v, users))
    if s.rule == "gradient":
        return (f"gradient: {v(symbol)} is the same at every step and reaches {total} through {used} at each; a step contributes "
                f"{v(s.after)}, and {left} is the sum of this over {v.steps()}.")
    if s.rule == "fuse":
        row = fusion(s.sentence)
        targets = summing(m, s.after) if row.output == "softmax" else []
        one = f" and the entries of {listed(map(v, targets))} sum to one" if targets else ""
        sent = listed(map(v, s.before))
        return (f"fuse: {v(symbol)} reaches {total} through {used} only, so {left} is what comes back from there, {sent}; with the "
                f"derivative of the loss put in, {row.why}{one}, and this is {v(s.after)}.")
    if len(s.before) > 1:
        sent = listed(map(v, s.before))
        places = f", at {len(s.before)} places" if len(users) < len(s.before) else ""
        return (f"collect: {v(symbol)} reaches {total} through {used}{places}, and by no other way; the chain rule adds up what comes back "
                f"along these paths, {sent}: {v.equal(s.target, s.after)}.")
    return f"collect: {v(symbol)} reaches {total} through {used} only, so {left} is what comes back from there: {v(s.after)}."


def _gathered_late(d: Derivation, s: Step, v: Voice) -> str:
    """What a symbol receives where the loss is that of the last step: by way of the states at every step, from the loss at that one."""
    m = d.model
    assert s.target is not None
    symbol, total = m.symbol(s.target.name), v(m.summed)
    found = uses(m, symbol)
    late, others = [at_end(u) for u in found if u.name in d.late], [u for u in found if u.name not in d.late]
    if not late:
        return _gathered(m, s, v)
    here, left = v(symbol if s.rule == "gradient" else at_end(symbol)), s.target if s.rule == "gradient" else at_end(s.target)
    used = listed(map(v, late))
    if s.rule == "fuse":
        row = fusion(s.sentence)
        targets = [placed(d, y) for y in summing(m, s.after)] if row.output == "softmax" else []
        one = f" and the entries of {listed(map(v, targets))} sum to one" if targets else ""
        sent = listed(v(fix_time(e, "t", LAST)) for e in s.before)
        return (f"fuse: {here} reaches {total} through {used} only, so {v(left)} is what comes back from there, {sent}; with the "
                f"derivative of the loss put in, {row.why}{one}, and this is {v(fix_time(s.after, 't', LAST))}.")
    straight, through = d.parted(s.target)
    assert straight is not None
    back = v(fix_time(straight, "t", LAST))
    if through is None:
        return f"{s.rule}: {here} reaches {total} through {used} only, so {v(left)} is what comes back from there: {back}."
    if s.rule == "gradient":
        return (f"gradient: {here} reaches {total} through {listed(map(v, others))} at each step, which contributes {v(through)}, and "
                f"through {used}, which contributes {back}: {v.equal(left, d.gradients[symbol.name])}.")
    return (f"collect: before the last step, {v(symbol)} reaches {total} through {listed(map(v, others))} only, so {v(s.target)} is what "
            f"comes back from there: {v(through)}. At the last step, {used} {'gives' if len(late) == 1 else 'give'}: "
            f"{v.equal(left, at_last(s.after))}.")


def equation(m: Model, name: str) -> Equation:
    """The equation of a variable."""
    return next(e for e in m.equations if e.name == name)


def moved(m: Model, v: Voice) -> str:
    """That what a value of an earlier step receives is counted at its own step, by the first that there is; else nothing."""
    for e in m.equations:
        for s in symbols(e.right):
            if s.kind != "parameter" and s.time is not None and s.time.offset < 0:
                own, user = (Symbol(x.name, x.shape, x.kind, x.time - s.time.offset) for x in (s, e.left) if x.time is not None)
                steps = "one step" if s.time.offset == -1 else f"{-s.time.offset} steps"
                return f", where what {v(s)} gets from {v(e.left)} is, {steps} further on, what {v(own)} gets from {v(user)}"
    return ""


# ---------------------------------------------------------------------------------------------------------------- all steps
def trail_blocks(d: Derivation, v: Voice) -> Iterator[Block]:
    """The rules, the steps, those of one equation together, then the sums."""
    g = v(Symbol("g", (1, 1)))
    yield Paragraph(
        "Every equation is taken apart once, the last one first, from its value to its parts. The cotangent of a part is the "
        f"derivative of {v(d.model.summed)} by it along the paths that leave through this place; it has the shape of the part. These rules "
        f"say how the cotangent {g} of a value passes to its parts:")
    yield rules(d, v)
    start = 1
    for e in reversed(d.model.equations):
        steps = [s for s in d.trail if s.equation == e.name and s.rule not in SUMS]
        left, right = (at_end(e.left), fix_time(e.right, "t", LAST)) if e.name in d.late else (e.left, e.right)
        yield Paragraph(f"Backwards through {v.equal(left, right)}:")
        yield Listing(tuple(words(d, s, v) for s in steps), start)
        start += len(steps)
    yield Paragraph(f"What each symbol receives{moved(d.model, v)}:")
    yield Listing(tuple(words(d, s, v) for s in d.trail[start - 1:]), start)
