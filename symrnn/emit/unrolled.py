"""The style ``unrolled``: the source that SymPy's ``lambdify`` makes from the component form of the network over T steps.

Loss, states, Jacobian and gradients are SymPy expressions over the entries of all arguments, differentiated by SymPy; nothing
comes from the reverse sweep, so that the looped module can be compared with this one.
"""
from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy

import symrnn
from symrnn.components import Components
from symrnn.emit.numpy_module import Header, comment, environment, safe
from symrnn.emit.plan import STAND_INS
from symrnn.errors import CallError
from symrnn.expr import Shape, Symbol, Time, size_value, walk
from symrnn.model import Model
from symrnn.naming import Names, identifier
from symrnn.needs import Needed, reduced
from symrnn.scalars import Opaque
from symrnn.unroll import lags

NETWORK = "_network"
Outputs = list[tuple[str, list[sympy.Expr]]]


@dataclass(frozen=True)
class Argument:
    """One argument of the module: its name, its shape in words and numbers, and its entries in order."""

    name: str
    symbol: Symbol
    dims: tuple[str, ...]
    entries: tuple[sympy.Symbol, ...]
    role: str                       # parameter, input, target, start or constant


class Unrolled:
    """The component form of a model and what is asked of it."""

    def __init__(self, model: Model, steps: int, sizes: Mapping[str, int], wanted: tuple[str, ...] = ()) -> None:
        if model.loss is None and not wanted:
            raise CallError(f"model {model.name}", must="have a loss to be written out with its gradients", came="none",
                            next_step="name the scalar equation that is the loss of one step")
        self.original, self.steps, self.sizes = model, steps, dict(sizes)
        self.model = replace(model, simplex=frozenset(), initial="given")
        self.components = Components(self.model, sizes, steps)
        self.names = Names({"np", "params", "given", "found", "parts", "loss", "evaluate", "gradients", "sizes", "arrays",
                            "jacobian", "l", "I", "O", NETWORK})
        self.lags = lags(model)
        self.arguments = tuple(self._arguments())
        self.wanted = tuple(model.symbol(name) for name in wanted)
        counted = () if wanted else range(steps if model.at_end else 1, steps + 1)
        self.loss: sympy.Expr = sympy.Add(*(self.at(model.symbol(str(model.loss)), t)[0] for t in counted))

    def at(self, s: Symbol, t: int) -> tuple[sympy.Symbol, ...]:
        """The entries of a symbol at step t, row by row."""
        time = Time("", t) if s.time is not None else None
        return tuple(x for row in self.components.entries(Symbol(s.name, s.shape, s.kind, time)) for x in row)

    def number(self, dim: str) -> int:
        """The number of an axis."""
        return int(dim) if dim.isdigit() else self.lengths[dim]

    @property
    def lengths(self) -> dict[str, int]:
        """The sizes, and the lengths of axes that are sums of sizes, by their names in the code."""
        sums = {n: size_value(n, self.sizes) for n in self.original.sums_of_sizes}
        return {identifier(n): k for n, k in (self.sizes | sums).items()}

    def words(self, shape: Shape) -> tuple[str, ...]:
        return tuple(identifier(n) if isinstance(n, str) else str(n) for n in shape if n != 1)

    def _arguments(self) -> Iterable[Argument]:
        m = self.model
        for s in m.parameters:
            yield Argument(self.names(s, s.name), s, self.words(s.shape), self.at(s, 0), "parameter")
        for s in (*m.inputs, *m.targets):
            entries = tuple(x for t in range(1, self.steps + 1) for x in self.at(s, t))
            yield Argument(self.names(s, s.name), s, (str(self.steps), *(self.words(s.shape) or ("1",))), entries, s.kind)
        for s in self.starts:
            past = self.lags[s.name]
            entries = tuple(x for t in range(1 - past, 1) for x in self.at(s, t))
            rows = () if past == 1 else (str(past),)
            name = self.names(("start", s), f"{identifier(s.name)}0")
            yield Argument(name, s, (*rows, *(self.words(s.shape) or ("1",))), entries, "start")
        for s in m.constants:
            if s.time is None:
                yield Argument(self.names(s, s.name), s, self.words(s.shape), self.at(s, 0), "constant")

    @property
    def opaque(self) -> list[tuple[str, tuple[int, ...]]]:
        """The unspecified functions and their first derivatives, by label and order."""
        used = {x.attr for e in self.model.equations for x in walk(e.right) if x.op == "apply" and x.attr.startswith("?")}
        orders = sorted((f[1:].rstrip("'"), len(f) - len(f.rstrip("'"))) for f in used)
        return [(label, (k + more,)) for label, k in orders for more in (0, 1)]

    @property
    def starts(self) -> list[Symbol]:
        m = self.model
        return [s for s in (*m.variables, *m.inputs, *m.targets) if s.name in self.lags]

    @property
    def state_starts(self) -> list[Argument]:
        return [a for a in self.arguments if a.role == "start" and a.symbol.kind == "variable"]

    def outputs(self) -> Outputs:
        """(name, entries) of everything the network returns, over the entries of the arguments."""
        c = self.components
        if self.wanted:
            return [(s.name, [c.expand(x) for x in self.at(s, self.steps)]) for s in self.wanted]
        first = [x for a in self.state_starts for x in a.entries]
        final = [x for a in self.state_starts for x in self.at(a.symbol, self.steps)]
        out: Outputs = [("loss", [self.loss])]
        for a in self.state_starts:
            out.append((a.symbol.name, [x for t in range(1, self.steps + 1) for x in self.at(a.symbol, t)]))
        out.append(("jacobian", [c.rate(x, y) for x in final for y in first]))
        for a in self.differentiated:
            out.append((a.name, [c.rate(self.loss, x) for x in a.entries]))
        return [(name, [c.expand(x) for x in entries]) for name, entries in out]

    @property
    def differentiated(self) -> list[Argument]:
        return [*(a for a in self.arguments if a.role == "parameter"), *self.state_starts]


def lambdified(arguments: list[sympy.Symbol], outputs: list[sympy.Expr]) -> tuple[str, list[str]]:
    """The source that ``lambdify`` generates, as a function called ``_network``, and the NumPy names it uses."""
    function = sympy.lambdify(arguments, outputs, modules="numpy", cse=True)
    source = inspect.getsource(function).replace(f"def {function.__name__}(", f"def {NETWORK}(", 1).rstrip()
    tree = ast.parse(source)
    stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    given = {str(a) for a in arguments}
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return source, sorted(n for n in used - stored - given if hasattr(np, n))


def write(model: Model, steps: int, sizes: Mapping[str, int], header: Header) -> str:
    """The source of the module."""
    u = Unrolled(model, steps, sizes)
    outputs = u.outputs()
    entries = [x for a in u.arguments for x in a.entries]
    flat = [x for _, part in outputs for x in part]
    orders = {type(f).__name__: sum(f.orders) for e in flat for f in e.atoms(Opaque)}
    if max(orders.values(), default=0) >= len(STAND_INS):
        raise CallError(f"model {model.name}", must="use unspecified functions and their first derivatives only",
                        came="a higher derivative", next_step="name the derivative as a function of its own")
    functions = dict(sorted(orders.items()))
    source, numpy_names = lambdified([*entries, *(sympy.Symbol(f) for f in functions)], flat)
    head, _, rest = source.partition("):\n")
    typed = head.replace(", ", ": Any, ") + ": Any) -> list[Any]:\n"
    doc = '    """Loss, states, Jacobian and gradients from the entries of the arguments: the text of `lambdify`."""\n'
    versions = ", ".join(f"{k} {v}" for k, v in header.versions.items()) if header.versions else ""
    filled = context(u, outputs, functions, numpy_names)

    def render(checked: str) -> str:
        return environment().get_template("unrolled.py.jinja").render(
            version=symrnn.__version__, proved=[comment(x) for x in header.proved], checked=comment(checked), versions=safe(versions),
            network=typed + doc + rest, **filled).rstrip() + "\n"
    return header.on(render)


def write_last(found: Needed, steps: int, sizes: Mapping[str, int], header: Header) -> str:
    """The source of a module that computes some outputs at the last step and what they need, entry by entry."""
    model = reduced(found)
    u = Unrolled(model, steps, sizes, found.outputs)
    outputs = u.outputs()
    flat = [x for _, part in outputs for x in part]
    functions = {type(f).__name__: 0 for e in flat for f in e.atoms(Opaque)}
    source, numpy_names = lambdified([*(x for a in u.arguments for x in a.entries), *(sympy.Symbol(f) for f in sorted(functions))], flat)
    filled = context(u, outputs, dict(sorted(functions.items())), numpy_names)
    names = Names(frozenset({"params", "given", "found"}))
    ids = [names(s, s.name) for s in u.wanted]
    spans = positions((name, len(part)) for name, part in outputs)
    filled["m"] |= {"hash": found.model.hash, "outputs": ", ".join(found.outputs)}
    filled["fields"]["last"] = [f"{name}: Array  # ({', '.join(u.words(s.shape)) or 1},)" for name, s in zip(ids, u.wanted, strict=True)]
    filled["lines"]["last"] = [f"{name}=np.array(found[{spans[s.name][0]}:{spans[s.name][1]}], dtype=float),"
                               for name, s in zip(ids, u.wanted, strict=True)]
    head, _, rest = source.partition("):\n")
    typed = head.replace(", ", ": Any, ") + ": Any) -> list[Any]:\n"
    doc = '    """The outputs at the last step from the entries of the arguments: the text of `lambdify`."""\n'
    versions = ", ".join(f"{k} {v}" for k, v in header.versions.items()) if header.versions else ""

    def render(checked: str) -> str:
        return environment().get_template("unrolled_last.py.jinja").render(
            version=symrnn.__version__, proved=[comment(found.words)], checked=comment(checked), versions=safe(versions),
            network=typed + doc + rest, **filled).rstrip() + "\n"
    return header.on(render)


def text_of(parts: Iterable[str]) -> str:
    """A tuple as source: names in quotes, numbers as they are.

    >>> text_of(["3", "n_x"]), text_of(["n_h"]), text_of([])
    ('(3, "n_x")', '("n_h",)', '()')
    """
    quoted = [p if p.isdigit() else f'"{p}"' for p in parts]
    return f"({', '.join(quoted)}{',' if len(quoted) == 1 else ''})"


def positions(lengths: Iterable[tuple[str, int]]) -> dict[str, tuple[int, int]]:
    """(first, last) of each part of a list, the last one excluded."""
    out, at = {}, 0
    for name, length in lengths:
        out[name] = (at, at + length)
        at += length
    return out


def context(u: Unrolled, outputs: Outputs, functions: dict[str, int], numpy_names: list[str]) -> dict[str, Any]:
    """What the template is filled with."""
    model = u.original
    spans = positions((name, len(part)) for name, part in outputs)
    begin = positions((a.name, len(a.entries)) for a in u.arguments)
    by_role = {role: [a for a in u.arguments if a.role == role] for role in ("parameter", "input", "target", "start", "constant")}
    params, starts, constants = by_role["parameter"], by_role["start"], by_role["constant"]
    others = by_role["input"] + by_role["target"]
    words = {a.name: text_of(a.dims).replace('"', "") for a in u.arguments}
    states = [a.symbol for a in u.state_starts]
    sizes = {identifier(k): v for k, v in u.sizes.items()}
    slopes = [f", {STAND_INS[order]}" for order in functions.values()]
    return {
        "m": {"name": safe(model.name), "hash": model.hash, "steps": u.steps, "source": safe(model.source),
              "sizes_option": ",".join(map(str, u.sizes.values())) + " --loss-at last" * model.at_end,
              "sizes": ", ".join(f"{k}={v}" for k, v in sizes.items()),
              "equations": [safe(str(e)) for e in model.equations], "numpy_names": ", ".join(numpy_names) or "array",
              "parts": repr(tuple(spans.values())), "count": sum(len(a.entries) for a in u.arguments),
              "parameter_ids": ", ".join(a.name for a in params), "sizes_dict": repr(u.lengths),
              "check_rows": repr([(a.name, spans[a.name], begin[a.name][0]) for a in u.differentiated if a.name in spans])},
        "fields": {"params": [f"{a.name}: Any  # {words[a.name]}" for a in params] or ["pass"],
                   "gradients": [f"{a.name}: Array  # {words[a.name]}" for a in u.differentiated] or ["pass"],
                   "states": [f"{identifier(s.name)}: Array  # ({u.steps}, {', '.join(u.words(s.shape)) or 1})" for s in states]},
        "call": calls(others, starts, constants, list(functions)) | {"more": "".join(f", {f}" for f in functions),
                                                               "check_more": "".join(slopes)},
        "doc": [f"{a.name}: {words[a.name]}" + ("; zero if left out" if a.role == "start" else "")
                for a in (*others, *starts, *constants)] + [f"{f}: an elementwise function of numbers" for f in functions],
        "lines": {
            "evaluate": evaluation(u),
            "arrays": [array_line(u, a) for a in u.arguments],
            "check_targets": [f"given[{begin[a.name][0]}:{begin[a.name][1]}] = "
                              f"[complex(0.1 + 0.7 * k / {len(a.entries)}) for k in range({len(a.entries)})]"
                              for a in by_role["target"]],
        },
    }


def calls(others: list[Argument], starts: list[Argument], constants: list[Argument], functions: list[str]) -> dict[str, str]:
    """The signature of the public functions, and how they hand their arguments on."""
    plain = [a.name for a in (*others, *starts)]
    named = [*(a.name for a in constants), *functions]
    signature = ["params: Params", *(f"{a.name}: Any" for a in others), *(f"{a.name}: Any = None" for a in starts)]
    inner = [*plain, *(a.name for a in constants)]
    return {
        "signature": ", ".join([*signature, *(["*", *(f"{n}: Any" for n in named)] if named else [])]),
        "arguments": ", ".join(["params", *inner]),
        "arguments_signature": ", ".join(["params: Params", *(f"{n}: Any" for n in inner)]),
        "pass_on": ", ".join(["params", *plain, *(f"{n}={n}" for n in named)]),
    }


def array_line(u: Unrolled, a: Argument) -> str:
    """The line that checks one argument."""
    name = f"params.{a.name}" if a.role == "parameter" else a.name
    checked = f'_array("{name}", {name}, {text_of(a.dims)}, sizes)'
    zero = f"np.zeros({text_of(str(u.number(d)) for d in a.dims)}) if {a.name} is None else "
    return f"{zero if a.role == 'start' else ''}{checked},"


def evaluation(u: Unrolled) -> list[str]:
    """The statements that give the parts of the network's list their shapes."""
    states = u.state_starts
    width = sum(len(a.entries) for a in states)
    jacobian = f"parts[{1 + len(states)}]" + (f".reshape(-1, {width})" if width else "")
    parts = [*(f"parts[{k}].reshape({u.steps}, -1)" for k in range(1, 1 + len(states))), jacobian]
    grads = [f"    {a.name}=parts[{k}].reshape({text_of(str(u.number(d)) for d in a.dims)}),"
             for k, a in enumerate(u.differentiated, 2 + len(states))]
    return ["gradient = Gradients(", *grads, ")", f"return Values({', '.join(['float(parts[0][0])', *parts, 'gradient'])})"]
