"""`python -m bench.cost [FILE]`: time the derivation of all gradients for growing T, ours and SymPy's, and write what is drawn of it.

FILE is bench/cost.json if left out. The picture is `symrnn picture elman --kind cost`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.__main__ import best
from bench.by_sympy import MODEL, context, timed

FILE = Path(__file__).with_name("cost.json")
STEPS = (1, 2, 3, 4, 5, 6, 7, 8)
UNITS = 2
LIMIT = 60.0
"""Seconds after which SymPy is stopped; larger T are then not tried."""


def digits(seconds: float) -> float:
    """Two significant digits, which is more than another run repeats.

    >>> digits(0.0123456)
    0.012
    """
    return float(f"{seconds:.2g}")


def measured(steps: Sequence[int] = STEPS, limit: float = LIMIT) -> dict[str, Any]:
    """The times of a processor in seconds. Ours is for every T at once; null stands where SymPy was stopped by the clock."""
    from symrnn import api
    from symrnn.bptt import derive

    model, ways = api.model(MODEL), context()
    rows: list[dict[str, Any]] = []
    for T in steps:  # noqa: N806
        found = timed(ways, "diff", T, UNITS, limit)
        rows.append({"T": T, "seconds": None if found is None else digits(found)})
        if found is None:
            break
    return {"model": MODEL, "units": UNITS, "limit": limit, "symrnn": digits(best(lambda: derive(model))), "sympy": rows}


def main(arguments: Sequence[str], steps: Sequence[int] = STEPS, limit: float = LIMIT) -> None:
    """Measure and write."""
    if len(arguments) > 1 or any(a.startswith("-") for a in arguments):
        raise SystemExit("usage: python -m bench.cost [FILE]")
    target = Path(arguments[0]) if arguments else FILE
    target.write_text(json.dumps(measured(steps, limit), indent=1) + "\n", encoding="utf-8")
    print(target)


if __name__ == "__main__":
    main(sys.argv[1:])
