"""The emitted code computes what the modules of PyTorch compute, forward and backward, in double precision.

PyTorch is not a dependency: where it is not installed, nothing is tested here.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from symrnn import api
from symrnn.emit.load import load

torch = pytest.importorskip("torch")

T, B, N_X, N_H, N_P, N_Y = 7, 3, 4, 5, 2, 6
CLOSE = 1e-12
Arrays = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """A module of PyTorch, and the letters that a model has for the gates whose rows stand below each other in its weights."""

    module: str
    gates: tuple[str, ...] = ("",)
    options: tuple[tuple[str, int], ...] = ()
    inner: tuple[str, ...] = ()             # gates in which the bias beside the state is a parameter of its own, called e


CELLS = {
    "elman": Cell("RNN"),
    "elman-concatenated": Cell("RNN"),
    "lstm": Cell("LSTM", ("i", "f", "g", "o")),
    "lstm-concatenated": Cell("LSTM", ("i", "f", "g", "o")),
    "lstm-one-matrix": Cell("LSTM", ("i", "f", "g", "o")),
    "lstm-projection": Cell("LSTM", ("i", "f", "g", "o"), (("proj_size", N_P),)),
    "gru-reset-after": Cell("GRU", ("r", "u", "g"), inner=("g",)),
}


def weights(cell: Cell, ours: Mapping[str, Any], read: Mapping[str, Any]) -> Arrays:
    """What PyTorch holds (weights, or their gradients) under the names of a model; ``ours`` are those of the output layer."""
    out: Arrays = dict(ours)
    rows = {k: np.split(read[f"{k}_l0"], len(cell.gates)) for k in ("weight_hh", "weight_ih", "bias_ih", "bias_hh")}
    for n, gate in enumerate(cell.gates):
        end = f"_{gate}" if gate else ""
        out |= {f"W{end}": rows["weight_hh"][n], f"U{end}": rows["weight_ih"][n], f"b{end}": rows["bias_ih"][n]}
        out |= {f"e{end}": rows["bias_hh"][n]} if gate in cell.inner else {}
    if "weight_hr_l0" in read:
        out["P"] = read["weight_hr_l0"]
    return out


def joined(name: str, found: Arrays) -> Arrays:
    """The weights of a model that has one matrix for state and input, or for all gates, from those of one that has not."""
    ends = [k.removeprefix("U") for k in found if k.startswith("U")]
    if name.endswith("-concatenated"):
        return {k: v for k, v in found.items() if k[0] != "U"} | {f"W{e}": np.hstack([found[f"W{e}"], found[f"U{e}"]]) for e in ends}
    if name == "lstm-one-matrix":
        order = ("_i", "_f", "_o", "_g")
        whole = np.vstack([np.hstack([found[f"U{e}"], found[f"W{e}"]]) for e in order])
        kept = {k: v for k, v in found.items() if k in ("V", bias_of_output(found))}
        return {**kept, "W": whole, "b": np.concatenate([found[f"b{e}"] for e in order])}
    return found


def bias_of_output(names: Iterable[str]) -> str:
    return next(k for k in names if k.rstrip("_") in ("c", "d"))


def close(ours: Any, theirs: Any) -> bool:
    theirs = np.asarray(theirs)
    return ours.shape == theirs.shape and float(np.abs(ours - theirs).max()) <= CLOSE * max(1.0, float(np.abs(theirs).max()))


@dataclass(frozen=True)
class Run:
    """A module with values for all that it is given, and what PyTorch makes of them."""

    network: Any
    output: Any
    x: Any
    y: Any
    starts: dict[str, Any]
    states: Any
    loss: Any


def run(cell: Cell) -> Run:
    torch.manual_seed(0)
    options = dict(cell.options)
    network = getattr(torch.nn, cell.module)(N_X, N_H, dtype=torch.float64, **options)
    if not cell.inner:
        with torch.no_grad():
            network.bias_hh_l0.zero_()                                # one bias does the work of two
    shown = options.get("proj_size", N_H)
    output = torch.nn.Linear(shown, N_Y, dtype=torch.float64)
    if cell.inner:                                                    # gates without an inner bias have one bias as well
        with torch.no_grad():
            network.bias_hh_l0[:-N_H * len(cell.inner)] = 0
    x = torch.randn(T, B, N_X, dtype=torch.float64, requires_grad=True)
    y = torch.randint(N_Y, (T, B))
    starts = {"h0": torch.randn(B, shown, dtype=torch.float64, requires_grad=True)}
    if cell.module == "LSTM":
        starts["c0"] = torch.randn(B, N_H, dtype=torch.float64, requires_grad=True)
    first = tuple(s[None] for s in starts.values())
    states, _ = network(x, first if len(first) > 1 else first[0])
    loss = torch.nn.functional.cross_entropy(output(states).reshape(-1, N_Y), y.reshape(-1), reduction="sum")
    loss.backward()
    return Run(network, output, x, y, starts, states, loss)


def array(tensor: Any) -> Any:
    return tensor.detach().numpy()


def module_of(name: str) -> ModuleType:
    return load(api.emit(name))


@pytest.mark.parametrize("name", CELLS)
def test_states_losses_and_all_gradients_are_those_of_pytorch(name):
    cell, module = CELLS[name], module_of(name)
    theirs = run(cell)
    layer = {"V": theirs.output.weight, bias_of_output(module.Params._fields): theirs.output.bias}
    values, slopes = (joined(name, weights(cell, {k: read(v) for k, v in layer.items()},
                                           {k: read(v) for k, v in theirs.network.named_parameters()}))
                      for read in (array, lambda p: p.grad.numpy()))
    params = module.Params(**values)
    starts = {k: array(v) for k, v in theirs.starts.items()}
    found = module.forward(params, array(theirs.x), **starts)
    assert close(found.h, array(theirs.states))
    loss, gradients, rates = module.loss_and_all_gradients(params, array(theirs.x), array(theirs.y), **starts)
    assert abs(loss - theirs.loss.item()) <= CLOSE * abs(loss)
    assert close(rates.x, theirs.x.grad)
    for k, v in (slopes | {k: v.grad.numpy() for k, v in theirs.starts.items()}).items():
        assert close(getattr(gradients, k), v), k
