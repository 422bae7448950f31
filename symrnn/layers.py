"""Stacks of networks: the output of one is the input of the next, and the whole is one model again.

Everything that belongs to a layer gets the number of the layer at its name (``h`` becomes ``h_1``, ``n_h`` becomes ``n_h_1``). What
comes in from outside and the targets keep their names, and so does the loss, which is that of the last layer.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from symrnn.errors import CallError, ModelError, ShapeError
from symrnn.expr import Expr, Shape, Size, Symbol, node, resize, show_shape, transform
from symrnn.expr.linear import replaced
from symrnn.model import Equation, Model
from symrnn.needs import leaving, needed, reduced
from symrnn.read.names import name_latex

Rows = list[Equation]


def stack(*models: Model, outputs: Sequence[str] | None = None, inputs: Sequence[str] | None = None, name: str | None = None) -> Model:
    """The model of layers one above the other.

    ``outputs`` names what each layer but the last one hands on (else the one variable that leaves it, without its loss), ``inputs``
    what each layer but the first one takes it for (else its one input, not counting what only the loss uses). Sizes that meet become
    one size. A layer below keeps only what its output needs; the loss is that of the last layer.

    Raises CallError for fewer than two models or a name that is none; ModelError where it is not clear which variable to hand on or
    take, or the layers disagree on their states before the first step; ShapeError where the shapes do not fit.

    >>> from symrnn.expr import apply
    >>> from symrnn.model import param, sequence
    >>> h, x = sequence("h", "n"), sequence("x", "m", kind="input")
    >>> layer = Model.build("layer", [(h, apply("tanh", param("W", "n", "n") @ h[-1] + param("U", "n", "m") @ x))])
    >>> for e in stack(layer, layer).equations:
    ...     print(e, show_shape(e.left.shape))
    h_1[t] = tanh(W_1 @ h_1[t-1] + U_1 @ x[t]) n_1 x 1
    h_2[t] = tanh(W_2 @ h_2[t-1] + U_2 @ h_1[t]) n_2 x 1
    """
    if len(models) < 2:
        raise CallError("a stack", must="have at least two layers", came=str(len(models)), next_step="give two models or more")
    given = _names("outputs", outputs, len(models)), _names("inputs", inputs, len(models))
    starts = {m.initial for m in models}
    if len(starts) > 1:
        raise ModelError("the layers of a stack", must="agree on the states before the first step",
                         came=" and ".join(f"{m.name}: {m.initial}" for m in models), next_step="make them all given, or all zero")
    handed = [_output(m, wanted) for m, wanted in zip(models[:-1], given[0], strict=True)]
    taken = [_input(m, wanted) for m, wanted in zip(models[1:], given[1], strict=True)]
    parts = [reduced(needed(m, [s.name], back=None)) for m, s in zip(models[:-1], handed, strict=True)] + [models[-1]]
    layers = _numbered(parts, [None, *(s.name for s in taken)])
    rows: Rows = []
    signal: Symbol | None = None
    for k, layer in enumerate(layers):
        if signal is not None:
            rows, layer, signal = _joined(rows, layer, signal, taken[k - 1])
        rows += layer.rows(signal, taken[k - 1].name if k else None)
        if k < len(handed):
            signal = next(e.left for e in rows if e.name == layer.names[handed[k].name])
    last = models[-1]
    latex = {new: text for layer in layers for new, text in layer.latex().items()}
    backward = {new for layer in layers for old, new in ((n, layer.names.get(n, n)) for n in layer.model.backward)}
    return Model.build(name or "+".join(m.name for m in models), rows, loss=last.loss, total=last.total, simplex=last.simplex,
                       initial=last.initial, source="; ".join(dict.fromkeys(m.source for m in models if m.source)), latex=latex,
                       backward=backward & {e.name for e in rows})


@dataclass(frozen=True)
class Layer:
    """One layer: its model, its number, the new names of its symbols, and its sizes by their old names."""

    model: Model
    number: int
    names: Mapping[str, str]
    sizes: Mapping[str, Size]

    def shape(self, shape: Shape) -> Shape:
        """A shape of the layer in the sizes of the stack."""
        return replaced(shape[0], self.sizes), replaced(shape[1], self.sizes)

    def rows(self, signal: Symbol | None, taken: str | None) -> Rows:
        """The equations in the names of the stack, with ``signal`` for the input called ``taken``."""
        def change(x: Expr) -> Expr | None:
            if x.op == "sym":
                s: Symbol = x.attr
                if signal is not None and s.name == taken and s.kind == "input":
                    return node("sym", attr=Symbol(signal.name, signal.shape, "variable", s.time))
                return node("sym", attr=Symbol(self.names.get(s.name, s.name), s.shape, s.kind, s.time))
            if x.op == "vcall":
                return node("vcall", *x.args, attr=(x.attr[0], self.shape(x.attr[1])))
            return None

        def moved(e: Expr) -> Expr:
            return transform(resize(e, self.sizes), change)
        return [Equation(moved(node("sym", attr=e.left)).attr, moved(e.right)) for e in self.model.equations]

    def latex(self) -> dict[str, str]:
        """How the names of the layer are written: with its number as the last lower script."""
        written = {old: self.model.latex.get(old, name_latex(old)) for old in self.names}
        kept = {old: text for old, text in self.model.latex.items() if old not in self.names}
        return {**{self.names[old]: numbered(text, self.number) for old, text in written.items()}, **kept}


def numbered(latex: str, number: int) -> str:
    r"""A name with the number of a layer.

    >>> numbered("h", 1), numbered("W_{hh}", 2), numbered(r"\hat{y}", 1), numbered("W_x", 1)
    ('h_1', 'W_{hh,2}', '\\hat{y}_1', 'W_{x,1}')
    """
    base, under, script = latex.rpartition("_")
    if under and (script.startswith("{") and script.endswith("}") and script.count("{") == 1 or len(script) == 1):
        return f"{base}_{{{script.strip('{}')},{number}}}"
    return f"{latex}_{number}"


def _names(what: str, given: Sequence[str] | None, count: int) -> Sequence[str | None]:
    if given is not None and len(given) != count - 1:
        raise CallError(what, must=f"be {count - 1} for {count} layers", came=", ".join(given) or "none",
                        next_step="give one for each place where two layers meet")
    return given if given is not None else [None] * (count - 1)


def _chosen(m: Model, found: Sequence[Symbol], known: Iterable[Symbol], wanted: str | None, what: str, option: str) -> Symbol:
    """The one symbol that is meant."""
    every = list(known)
    if wanted is not None:
        for s in every:
            if s.name == wanted:
                return s
        raise CallError(f"the {what} {wanted} of {m.name}", must=f"be one of {', '.join(s.name for s in every) or 'none'}", came=wanted,
                        next_step=f"name another {what}")
    if len(found) != 1:
        raise ModelError(f"model {m.name}", must=f"have one {what} to meet the next layer", came=", ".join(s.name for s in found) or "none",
                         next_step=f"say which with {option}")
    return found[0]


def _output(m: Model, wanted: str | None) -> Symbol:
    found = [m.symbol(name) for name in leaving(m)] if wanted is None else []
    return _chosen(m, found, m.variables, wanted, "output", "outputs=[...]")


def _input(m: Model, wanted: str | None) -> Symbol:
    inner = [s for s in m.inputs if s.name not in _compared(m)]
    return _chosen(m, inner, m.inputs, wanted, "input", "inputs=[...]")


def _compared(m: Model) -> set[str]:
    """The inputs that only the loss uses, as targets are used."""
    inside = {s.name for s in reduced(needed(m, leaving(m), back=None)).inputs} if m.loss is not None else {s.name for s in m.inputs}
    return {s.name for s in m.inputs} - inside


def _numbered(models: Sequence[Model], taken: Sequence[str | None]) -> list[Layer]:
    """The layers with names that no two of them share."""
    out: list[Layer] = []
    last = models[-1]
    used = {s.name for s in (*models[0].inputs, *last.targets)} | _compared(last) | ({last.loss} if last.loss else set())
    sizes_used: set[str] = set()
    for k, m in enumerate(models, start=1):
        fresh = _fresh(used, k)
        kept = {*(s.name for s in m.targets), *_compared(m), m.loss} if k == len(models) else set()
        kept |= {s.name for s in m.inputs} if k == 1 else {taken[k - 1]}
        own = dict.fromkeys(s.name for s in (*m.variables, *m.parameters, *m.constants, *m.inputs, *m.targets))
        names = {name: fresh(name) for name in own if name not in kept}
        sizes = {n: _fresh(sizes_used, k)(n) for n in m.sizes}
        out.append(Layer(m, k, names, sizes))
    return out


def _fresh(used: set[str], number: int) -> Callable[[str], str]:
    def make(name: str) -> str:
        new = f"{name}_{number}"
        while new in used:
            new += "_"
        used.add(new)
        return new
    return make


def _joined(rows: Rows, layer: Layer, signal: Symbol, taken: Symbol) -> tuple[Rows, Layer, Symbol]:
    """The layers below and the next one with the sizes that meet made one; ShapeError where two numbers meet that differ."""
    below: dict[str, Size] = {}
    sizes = dict(layer.sizes)
    for given, wanted in zip(signal.shape, taken.shape, strict=True):
        given = replaced(given, below)
        new = replaced(wanted, sizes)
        if new == given:
            continue
        if isinstance(wanted, str) and wanted in sizes and sizes[wanted] == layer.sizes[wanted]:
            sizes[wanted] = given
        elif isinstance(given, str) and given.isidentifier():
            below[given] = new
        else:
            below_it = f"be {show_shape(signal.shape)}, as what the layer below hands on"
            raise ShapeError(f"the input {taken.name} of layer {layer.number}", must=below_it, came=show_shape(layer.shape(taken.shape)),
                             left=signal.shape, right=taken.shape, next_step="give the two layers sizes that fit")
    if below:
        rows = [Equation(resize(node("sym", attr=e.left), below).attr, _resized(e.right, below)) for e in rows]
        signal = resize(node("sym", attr=signal), below).attr
    return rows, Layer(layer.model, layer.number, layer.names, sizes), signal


def _resized(e: Expr, values: Mapping[str, Size]) -> Expr:
    """An expression with other sizes, also those of the values of unspecified functions."""
    def change(x: Expr) -> Expr | None:
        if x.op != "vcall":
            return None
        rows, columns = x.attr[1]
        return node("vcall", *x.args, attr=(x.attr[0], (replaced(rows, values), replaced(columns, values))))
    return transform(resize(e, values), change)
