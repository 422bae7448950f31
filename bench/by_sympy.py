"""What SymPy is asked: the network in components at one T and n, in a process of its own that is stopped at a time limit."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from functools import cache
from typing import Any

MODEL = "elman"
CALLS = ("diff", "simplify", "equals")
"""`diff`: the loss by every entry of every parameter. The others: is the derivative by one weight what backpropagation gives?"""
PREPARE = 10.0
"""Seconds to start a process and to write out what the call works on."""


def context() -> Any:
    """How child processes start: with SymPy loaded where the platform allows it."""
    ways = multiprocessing.get_all_start_methods()
    found = multiprocessing.get_context("forkserver" if "forkserver" in ways else "spawn")
    if "forkserver" in ways:
        found.set_forkserver_preload([__name__, "sympy", "symrnn.components", "symrnn.document"])
    return found


@cache
def network(T: int, n: int) -> Any:  # noqa: N803
    """The component form of the network with n inputs, n units and n + 1 classes."""
    from symrnn import api
    from symrnn.components import Components

    model = api.model(MODEL)
    return Components(model, {"n_x": n, "n_h": n, "n_y": n + 1}, T)


def prepared(call: str, T: int, n: int) -> Callable[[], Any]:  # noqa: N803
    """One call, and what it works on."""
    import sympy

    from symrnn.bptt import derive
    from symrnn.expr import SCALAR, Symbol, node

    c = network(T, n)
    model = c.model
    loss = c.expression(node("sym", attr=Symbol(model.total, SCALAR)))
    if call == "diff":
        entries = [x for p in model.parameters for row in c.entries(p) for x in row]
        return lambda: [sympy.diff(loss, x) for x in entries]
    weight = model.parameters[0]
    gradient = c.expression(derive(model).gradients[weight.name])
    entry = gradient[0, 0] if isinstance(gradient, sympy.MatrixBase) else gradient
    by_diff = sympy.diff(loss, c.entries(weight)[0][0])
    return (lambda: sympy.simplify(by_diff - entry)) if call == "simplify" else (lambda: by_diff.equals(entry))


def child(call: str, T: int, n: int, end: Any) -> None:  # noqa: N803
    """Say when all is prepared, make the call, send the time that it took of a processor."""
    run = prepared(call, T, n)
    end.send(0.0)
    start = time.process_time()                                       # what else the machine does does not count
    run()
    end.send(time.process_time() - start)


def timed(ways: Any, call: str, T: int, n: int, limit: float) -> float | None:  # noqa: N803
    """The time of one call in seconds; None when it has not ended within the limit, or was not even prepared."""
    here, there = ways.Pipe()
    process = ways.Process(target=child, args=(call, T, n, there), daemon=True)
    process.start()
    there.close()
    try:
        found = here.recv() if here.poll(PREPARE) else None
        found = here.recv() if found is not None and here.poll(limit) else None
    except EOFError:
        raise RuntimeError(f"the child process of {call} at T={T}, n={n} failed") from None
    finally:
        process.kill()
        process.join()
    return found
