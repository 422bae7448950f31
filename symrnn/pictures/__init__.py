"""Pictures as SVG: pure functions, data in and text out; the same data gives the same bytes."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from symrnn.errors import CallError, closest_name
from symrnn.model import Model, one_way
from symrnn.pictures.cost import cost, measurements
from symrnn.pictures.gradients import STEPS as REACH
from symrnn.pictures.gradients import gradient_norm
from symrnn.pictures.network import MOST_STEPS, folded, unrolled
from symrnn.pictures.steps import STEPS as LENGTH
from symrnn.pictures.steps import step_size
from symrnn.write.notation import Notation
from symrnn.zoo import read_text

MEASURED = Path("bench/cost.json")
"""Where the measurements of the cost lie in a checkout."""


class Picture(str):
    """An SVG file as text, which a notebook shows as a picture."""

    def _repr_svg_(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Asked:
    """What is to be drawn: a model, over how many steps, in whose notation, and the file of what was measured."""

    model: Model
    steps: int
    notation: Notation
    data: Path


@dataclass(frozen=True)
class Kind:
    """A kind of picture: how it is drawn, what it shows, and its numbers of steps: usual, least, most (none: it has no such number)."""

    draw: Callable[[Asked], str]
    shows: str
    steps: tuple[int, int, int] | None = None


def _cost(asked: Asked) -> str:
    data = measurements(read_text(asked.data), str(asked.data))
    if data["model"] != asked.model.name:
        raise CallError(f"the picture of the cost of {asked.model.name}", must=f"be of the model measured in {asked.data}",
                        came=f"{data['model']} there", next_step=f"ask for {data['model']}, or name another file of measurements")
    return cost(data)


KINDS: dict[str, Kind] = {
    "unrolled": Kind(lambda a: unrolled(a.model, a.steps, a.notation), "the network over some steps", (3, 1, MOST_STEPS)),
    "folded": Kind(lambda a: folded(a.model, a.notation), "one step of the network, for any number of them"),
    "gradient-norm": Kind(lambda a: gradient_norm(a.model, a.steps, a.notation), "gradient norm by distance in time, with its bound",
                          (REACH, 2, 200)),
    "step-size": Kind(lambda a: step_size(a.model, a.steps, a.notation), "error of a gradient against the step size of a difference",
                      (LENGTH, 1, 50)),
    "cost": Kind(_cost, "seconds for all gradients against the number of steps, as measured"),
}


def picture(model: Model, kind: str = "unrolled", *, steps: int | None = None, notation: Notation | None = None,
            data: str | Path | None = None) -> Picture:
    """A picture of a model as SVG. CallError for a kind that there is not, or a number of steps that it cannot have.

    >>> from symrnn.model import Model, param, sequence
    >>> h, x = sequence("h"), sequence("x", kind="input")
    >>> picture(Model.build("sum", [(h, param("w") * h[-1] + x)]), "folded").splitlines()[1]
    '<title>sum: one step, for any T</title>'
    """
    if kind not in KINDS:
        near = closest_name(kind, KINDS)
        raise CallError("the kind of a picture", must=f"be one of {', '.join(KINDS)}", came=kind,
                        next_step=f"Did you mean {near}?" if near else "name one of these")
    usual, least, most = KINDS[kind].steps or (0, 0, 0)
    if steps is not None and not least <= steps <= most:
        raise CallError(f"the number of steps of the picture {kind}", came=str(steps),
                        must=f"be from {least} to {most}" if most else "not be given, as it is for any number",
                        next_step="draw the folded network, which stands for any number" if kind == "unrolled" else "leave it out")
    asked = Asked(one_way(model, "the picture"), usual if steps is None else steps, notation or Notation.of(model), Path(data or MEASURED))
    return Picture(KINDS[kind].draw(asked))
