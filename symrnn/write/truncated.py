"""The part of a derivation that says what truncated backpropagation keeps of it, and what it leaves out."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from symrnn.bptt import Derivation, gradient
from symrnn.expr import Expr, Symbol, is_zero
from symrnn.truncated import KEPT, LEFT, part, truncate
from symrnn.write.page import Block, Box, Heading, Paragraph
from symrnn.write.voice import Voice


def truncated_blocks(d: Derivation, steps: int, v: Voice) -> Iterator[Block]:
    """What a window of ``steps`` steps keeps of the gradients, with the recurrences of what is kept and of what is left out."""
    found = truncate(d)
    total, window = v(d.model.summed), v.maths(f"K = {steps}", f"K = {steps}")
    yield Heading(f"Truncated after {steps} step{'s' if steps > 1 else ''}")
    span, each = v.maths(r"t, \dots, t+K-1", "t, ..., t+K-1"), v.maths(r"k = 1, \dots, K", "k = 1, ..., K")
    yield Paragraph(f"The loss of a step is followed back through {window} steps, its own among them, and no further. So each derivative "
                    f"by a value of step {v.maths('t', 't')} keeps the part of {total} that the losses of the steps {span} make. Within "
                    f"{v.maths('k', 'k')} steps, {each}:")
    yield v.display(*rows(d, found.kept, KEPT))
    yield Paragraph("where what is kept within no step, and after the last step, is zero. The gradients that are kept:")
    yield Box((v.display(*((kept_gradient(d, name, KEPT), e) for name, e in found.gradients.items())),))
    yield Paragraph("What is left out has the same recurrences without the losses; beyond no step it is the whole derivative. Both "
                    "together are the whole derivative, as the recurrences are linear in the derivatives:")
    yield v.display(*rows(d, found.left, LEFT))
    lost = [(kept_gradient(d, name, LEFT), e) for name, e in found.missing.items() if not is_zero(e.args[0])]
    if lost:
        yield Paragraph("The gradients lack:")
        yield v.display(*lost)
    yield Paragraph(f"Where the sequence is cut into pieces of {window} steps instead, of which each is followed back to its own first "
                    "step, a derivative of a step keeps the steps up to the end of its piece.")


def rows(d: Derivation, table: Mapping[str, Expr], kind: str) -> list[tuple[Symbol, Expr]]:
    """Recurrences with their left sides; those that are zero are left out."""
    return [(part(kind, d.model.symbol(name), "k"), e) for name, e in table.items() if not is_zero(e)]


def kept_gradient(d: Derivation, name: str, kind: str) -> Symbol:
    """One part of a gradient."""
    return part("gradient" if kind == KEPT else kind, gradient(d.model.symbol(name)), "K")


def truncated_json(d: Derivation, steps: int) -> dict[str, Any]:
    """The same as plain data."""
    found = truncate(d)
    return {"steps": steps, **{key: {name: str(e) for name, e in table.items()} for key, table in (
        ("kept", found.kept), ("left_out", found.left), ("gradients", found.gradients), ("missing", found.missing))}}
