"""The part of a derivation that says what the network costs."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symrnn.bptt import Derivation
from symrnn.cost import Cost, cost
from symrnn.write.page import Block, Heading, Paragraph, Table
from symrnn.write.voice import Voice
from symrnn.write.words import are, listed


def cost_blocks(d: Derivation, v: Voice) -> Iterator[Block]:
    """Parameters, work of a step and values that are kept, in the sizes of the network."""
    found = cost(d)
    yield Heading("What it costs")
    yield Paragraph(f"The parameters have {v.size(found.parameters.size)} entries. One step takes as many multiplications and values of "
                    "functions as the formulas name, each part of them once:")
    yield Table(("in one step", "multiplications", "values of functions"), tuple(
        (name, v.size(work.products.size), v.size(work.functions.size)) for name, work in works(found)))
    if found.kept:
        yield Paragraph(f"The way back needs {listed(map(v, found.kept))} of every step, which {are(found.kept)} "
                        f"{v.size(found.entries.size)} numbers a step.")


def works(found: Cost) -> tuple[tuple[str, Any], ...]:
    return (("forward", found.forward), ("backward, with the gradients", found.backward))


def cost_json(d: Derivation) -> dict[str, Any]:
    """The same as plain data."""
    found = cost(d)
    return {"parameters": str(found.parameters), "kept": [s.name for s in found.kept], "entries": str(found.entries),
            **{name: {"multiplications": str(work.products), "functions": str(work.functions)}
               for name, work in (("forward", found.forward), ("backward", found.backward))}}
