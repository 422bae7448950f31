"""Code from models: one entry for all targets and styles.

A new target is one module with a function like those in ``TARGETS``, and a line there.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symrnn.emit.numpy_module import Header
from symrnn.errors import CallError, closest_name
from symrnn.model import Model

__all__ = ["FUNCTIONS", "Header", "Request", "TARGETS", "emit"]

FUNCTIONS = ("forward", "loss", "gradients")
"""The functions that an emitted module can have."""


@dataclass(frozen=True)
class Request:
    """What is to be emitted; ``steps`` and ``sizes`` are set for the style ``unrolled`` only."""

    model: Model
    outputs: tuple[str, ...]
    last: bool
    steps: int
    sizes: Mapping[str, int]
    header: Header


def _looped(request: Request) -> str:
    from symrnn.emit.numpy_module import write

    return write(request.model, request.outputs, request.last, request.header)


def _unrolled(request: Request) -> str:
    from symrnn.emit.unrolled import write

    return write(request.model, request.steps, request.sizes, request.last, request.header)


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
    size of the model, in order or by name). ``outputs`` are the functions wanted; ``loss_at`` is ``all``, or ``last`` for the
    loss of the last step alone. ``header`` says what was proved, and the versions. Raises CallError.
    """
    _choose("the target", target, [t for t, _ in TARGETS])
    _choose("the style", style, [s for t, s in TARGETS if t == target])
    _choose("loss_at", loss_at, ["all", "last"])
    for name in outputs:
        _choose("an output", name, list(FUNCTIONS))
    wanted = tuple(n for n in FUNCTIONS if n in outputs and (n == "forward" or model.loss is not None))
    numbers: Mapping[str, int] = {}
    if style == "unrolled":
        if steps is None or sizes is None:
            raise CallError("the style unrolled", must="have a number of steps and sizes", came="none",
                            next_step=f"give steps, and sizes for {', '.join(model.sizes)}")
        numbers = _sizes(model, sizes)
    return TARGETS[target, style](Request(model, wanted, loss_at == "last", steps or 1, numbers, header or Header()))


def _choose(what: str, value: Any, known: Sequence[str]) -> None:
    if value not in known:
        close = closest_name(str(value), known)
        raise CallError(what, must=f"be one of {', '.join(dict.fromkeys(known))}", came=str(value),
                        next_step=f"Did you mean {close}?" if close else "take one of these")


def _sizes(model: Model, sizes: Sequence[int] | Mapping[str, int]) -> dict[str, int]:
    """Sizes by name."""
    named = dict(sizes) if isinstance(sizes, Mapping) else dict(zip(model.sizes, sizes, strict=False))
    count = len(named) if isinstance(sizes, Mapping) else len(sizes)
    good = all(isinstance(n, int) and n >= 1 for n in named.values())
    if set(named) != set(model.sizes) or count != len(model.sizes) or not good:
        raise CallError("sizes", must=f"be positive numbers for {', '.join(model.sizes)}", came=str(sizes),
                        next_step="give one number for each, in this order or by name")
    return named
