"""Code from models: one entry for all targets and styles.

A new target is one module with a function like those in ``TARGETS``, and a line there.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symrnn.emit.numpy_module import Header
from symrnn.errors import CallError, closest_name
from symrnn.model import Model, one_way
from symrnn.needs import Needed, leaving, needed, reduced

__all__ = ["FUNCTIONS", "Header", "Request", "TARGETS", "emit"]

FUNCTIONS = ("forward", "loss", "gradients")
"""The functions that an emitted module can have."""

LAST = "last"
"""What asks for the outputs at the last step alone, and for no function that needs more."""


@dataclass(frozen=True)
class Request:
    """What is to be emitted; ``steps`` and ``sizes`` are set for the style ``unrolled`` only."""

    model: Model
    outputs: tuple[str, ...]
    steps: int
    sizes: Mapping[str, int]
    header: Header
    found: Needed | None = None


def _looped(request: Request) -> str:
    from symrnn.emit.numpy_module import write

    return write(request.model, request.outputs, request.header, found=request.found)


def _unrolled(request: Request) -> str:
    from symrnn.emit.unrolled import write, write_last

    if request.found is not None:
        return write_last(request.found, request.steps, request.sizes, request.header)
    return write(request.model, request.steps, request.sizes, request.header)


TARGETS: dict[tuple[str, str], Callable[[Request], str]] = {
    ("numpy", "looped"): _looped,
    ("numpy", "unrolled"): _unrolled,
}
"""(target, style) -> what writes the module."""


def emit(model: Model, target: str = "numpy", *, style: str = "looped", steps: int | None = None,
         sizes: Sequence[int] | Mapping[str, int] | None = None, outputs: Sequence[str] = FUNCTIONS, loss_at: str = "all",
         header: Header | None = None) -> str:
    """The source of a module that computes ``model``.

    ``looped`` works for any number of steps and any sizes, ``unrolled`` for the given ``steps`` and ``sizes`` (a number for each
    size of the model, in order or by name). ``outputs`` are the functions wanted, or ``last``: the outputs of the last step and what
    they need, see :func:`symrnn.needs.needed`. ``loss_at`` is ``all``, or ``last`` for the loss of the last step alone. ``header``
    says what was proved, and the versions. Raises CallError.
    """
    _choose("the target", target, [t for t, _ in TARGETS])
    _choose("the style", style, [s for t, s in TARGETS if t == target])
    _choose("loss_at", loss_at, ["all", "last"])
    for name in outputs:
        _choose("an output", name, [*FUNCTIONS, LAST])
    chosen = chosen_outputs(one_way(model, "the code"), outputs, loss_at)
    model, found = chosen.model, chosen.found
    numbers: Mapping[str, int] = {}
    if style == "unrolled":
        if steps is None or sizes is None:
            raise CallError("the style unrolled", must="have a number of steps and sizes", came="none",
                            next_step=f"give steps, and sizes for {', '.join(model.sizes)}")
        numbers = numbered(reduced(found) if found else model, sizes)
    return TARGETS[target, style](Request(model, chosen.functions, steps or 1, numbers, header or Header(), found))


@dataclass(frozen=True)
class Chosen:
    """What a module is made of: the model with its loss where it counts, the functions, and what the last outputs need if they are all."""

    model: Model
    functions: tuple[str, ...]
    found: Needed | None


def chosen_outputs(model: Model, outputs: Sequence[str], loss_at: str = "all") -> Chosen:
    """What is made for the ``outputs`` and ``loss_at`` that :func:`emit` takes. Raises CallError where they do not go together."""
    model = replace(model, at_end=True) if loss_at == "last" and model.loss is not None else model
    found = last_outputs(model, outputs) if LAST in outputs else None
    names = {"forward", *outputs} if LAST in outputs else {*outputs}
    return Chosen(model, tuple(n for n in FUNCTIONS if n in names and (n == "forward" or model.loss is not None)), found)


def last_outputs(model: Model, outputs: Sequence[str]) -> Needed | None:
    """What the outputs of the last step need; None where the loss of the last step is asked for too, which needs no more.

    Raises CallError where another function that is asked for needs every step.
    """
    more = [n for n in FUNCTIONS if n in outputs]
    if "forward" in more:
        raise CallError("the outputs", must="be forward, which gives every variable, or last", came=", ".join(outputs),
                        next_step="leave one of the two out")
    if not more:
        return needed(model)
    if model.at_end:
        return None
    ends = ", ".join(leaving(model))
    raise CallError(f"{' and '.join(more)} beside the outputs at the last step", must=f"need {ends} at the last step only",
                    came=f"a loss that sums over every step ({model.loss}), and so needs {ends} at every step",
                    next_step="take the loss at the last step too (--loss-at last; in Python loss_at='last'), or ask for last alone")


def _choose(what: str, value: Any, known: Sequence[str]) -> None:
    if value not in known:
        close = closest_name(str(value), known)
        raise CallError(what, must=f"be one of {', '.join(dict.fromkeys(known))}", came=str(value),
                        next_step=f"Did you mean {close}?" if close else "take one of these")


def numbered(model: Model, sizes: Sequence[int] | Mapping[str, int]) -> dict[str, int]:
    """Sizes by name."""
    named = dict(sizes) if isinstance(sizes, Mapping) else dict(zip(model.sizes, sizes, strict=False))
    count = len(named) if isinstance(sizes, Mapping) else len(sizes)
    good = all(isinstance(n, int) and n >= 1 for n in named.values())
    if set(named) != set(model.sizes) or count != len(model.sizes) or not good:
        raise CallError("sizes", must=f"be positive numbers for {', '.join(model.sizes)}", came=str(sizes),
                        next_step="give one number for each, in this order or by name")
    return named
