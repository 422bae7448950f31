"""The directive ``picture``: a picture of the model of a scope, in the page and in a file beside it."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from symrnn.errors import CallError
from symrnn.pictures import KINDS
from symrnn.pictures import picture as drawn
from symrnn.read.document import Directive
from symrnn.report.model import Block, Picture

if TYPE_CHECKING:
    from symrnn.report.build import Builder


def picture(page: Builder, d: Directive) -> Iterator[Block]:
    """The kind that the argument names (``unrolled`` if left out), over ``:steps:`` steps."""
    kind, steps = d.argument.strip() or "unrolled", d.options.get("steps")
    if steps is not None and not steps.strip().isdecimal():
        raise CallError("the option steps of the directive picture", must="be a number of steps", came=steps,
                        next_step="Write for example :steps: 3.")
    text = drawn(replace(page.model_at(d), name=page.name), kind, steps=None if steps is None else int(steps), notation=page.notation)
    name = page.fresh(f"pictures/{page.name}-{kind}.svg")
    page.files[name] = text
    yield Picture(text, KINDS[kind].shows.capitalize(), name)
