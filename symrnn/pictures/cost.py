"""The cost of a symbolic derivation against the number of steps, ours and SymPy's, from what was measured and written to a file.

The file is JSON as `python -m bench.cost` writes it: ``model``, ``units``, ``limit``, ``symrnn`` (seconds, for every T at once) and
``sympy``, a list of ``T`` and ``seconds``, null where SymPy was stopped at the limit.
"""
from __future__ import annotations

import json
from typing import Any

from symrnn.errors import CallError
from symrnn.pictures.canvas import BLUE, MUTED, ORANGE
from symrnn.pictures.chart import Axis, Note, Series, chart, decades

FARTHEST = 1000
"""How far the line of what does not depend on T is drawn."""


def measurements(text: str, where: str) -> dict[str, Any]:
    """The numbers of a file; CallError where they are not such numbers.

    >>> measurements('{"model": "m", "units": 2, "limit": 5, "symrnn": 0.1, "sympy": [{"T": 1, "seconds": 1}]}', "x")["units"]
    2
    """
    try:
        found = json.loads(text)
        rows = [(int(row["T"]), row["seconds"]) for row in found["sympy"]]
        numbers = [found["limit"], found["symrnn"], *(s for _, s in rows if s is not None)]
        good = bool(rows) and all(isinstance(x, int | float) and x > 0 for x in numbers) and all(1 <= t <= FARTHEST for t, _ in rows)
        kept = {key: found[key] for key in ("model", "units", "limit", "symrnn")}
    except (ValueError, KeyError, TypeError):
        good, rows, kept = False, [], {}
    if not good:
        raise CallError(f"the measurements {where}", must="be JSON with model, units, limit, symrnn and the rows of sympy",
                        came="another text", next_step="write them by `python -m bench.cost`")
    return {**kept, "sympy": rows}


def cost(data: dict[str, Any]) -> str:
    """The picture of measurements."""
    done = [(float(t), float(s)) for t, s in data["sympy"] if s is not None]
    stopped = [float(t) for t, s in data["sympy"] if s is None]
    limit, ours = float(data["limit"]), float(data["symrnn"])
    series = [Series(r"\text{symrnn: all gradients, for every}\ T", ((1.0, ours), (float(FARTHEST), ours)), BLUE),
              Series(rf"\text{{SymPy}}\ \mathtt{{diff}}\text{{, {data['units']} units}}", tuple(done), ORANGE, "curve dashed", marked=True)]
    notes: list[Note] = []
    if stopped:
        series.append(Series(rf"\text{{stopped after {limit:g} s}}", ((1.0, limit), (float(FARTHEST), limit)), MUTED, "thin dashed"))
        notes.append(Note(f"T = {stopped[0]:g}", (stopped[0], limit), ORANGE, ""))
    low, high = decades([ours, *(s for _, s in done), limit])
    times = [f"{s:g} s at T = {t:g}" for t, s in done] + [f"stopped after {limit:g} s at T = {t:g}" for t in stopped]
    return chart(series, Axis("T", 1, FARTHEST), Axis(r"\text{seconds}", low, high),
                 f"Seconds for the gradients of {data['model']} against T",
                 f"symrnn derives the gradients of {data['model']} once, for every number of steps T, in {ours:g} s. "
                 f"SymPy differentiates the network in components: {'; '.join(times)}.", notes)
