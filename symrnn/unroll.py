"""The unrolled network: the equations of a model with absolute times, one small named equation each, written out lazily.

``h[1] = tanh(a[1])``, ``o[1] = V @ h[1] + c``, ``a[2] = W @ h[1] + ...``: a graph without cycles. Nothing is substituted, so the
size is the number of equations times T; a fully expanded entry of an LSTM has 10^12 nodes at T = 8.
"""
from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

from symrnn.displayed import Displayed
from symrnn.errors import CallError, LimitError
from symrnn.expr import NOW, Expr, Symbol, Time, fix_time, symbols, transform
from symrnn.expr.tree import walk
from symrnn.model import Equation, Model
from symrnn.naming import identifier

INLINE_LIMIT = 20_000
"""The largest expression, in nodes counted as a tree, that :meth:`Unrolled.inlined` makes."""


@dataclass(frozen=True)
class Unrolled(Displayed):
    """``model`` over the steps 1..``T``; iterating gives its equations in an order in which each uses only earlier ones."""

    model: Model
    T: int

    def __len__(self) -> int:
        return self.T * len(self.model.equations)

    def __iter__(self) -> Iterator[Equation]:
        if not self.model.backward:
            yield from (_fixed(e, t) for t in range(1, self.T + 1) for e in self.model.equations)
        else:
            yield from (_fixed(e, t) for way, rows in self.model.runs for t in range(1, self.T + 1)[::way] for e in rows)

    def equation(self, name: str, t: int) -> Equation:
        """The equation of the variable ``name`` at step ``t``; CallError where there is none."""
        for e in self.model.equations:
            if e.name == name and 1 <= t <= self.T:
                return _fixed(e, t)
        names = ", ".join(e.name for e in self.model.equations)
        raise CallError(f"{name}[{t}]", must=f"be one of {names} at a step 1..{self.T}", came=f"{name}[{t}]",
                        next_step="ask for a variable that has an equation, at a step of the unrolled network")

    @property
    def boundary(self) -> tuple[Symbol, ...]:
        """The symbols before the first step that the equations use, latest first: ``h[0]``; then those after the last one.

        What they are is the model's ``initial``: given, or zero.
        """
        found: dict[Symbol, None] = {}
        for name, lag in sorted(lags(self.model).items()):
            s = self.model.symbol(name)
            found.update(dict.fromkeys(Symbol(s.name, s.shape, s.kind, Time("", -k)) for k in range(lag)))
        for s in after_last(self.model):
            assert s.time is not None
            found[Symbol(s.name, s.shape, s.kind, Time("", self.T + s.time.offset))] = None
        return tuple(found)

    @property
    def total(self) -> Equation | None:
        """``L = sum over t = 1..T of the loss``, or the last one; None if the model has no loss."""
        if self.model.loss is None:
            return None
        return Equation(self.model.summed, fix_time(self.model.total_loss, "T", Time("", self.T)))

    def edges(self) -> Iterator[tuple[Symbol, Symbol]]:
        """(used, user) for every symbol with a time that an equation uses: the arrows of the graph."""
        for e in self:
            for s in symbols(e.right):
                if s.time is not None:
                    yield s, e.left

    def inlined(self, name: str, t: int, keep: Collection[str] = (), limit: int = INLINE_LIMIT) -> Expr:
        """The right side of ``name`` at step ``t`` with all earlier variables substituted, down to parameters, inputs and
        the boundary; variables named in ``keep`` stay. LimitError if the result as a tree has more than ``limit`` nodes.

        >>> from symrnn.model import Model, param, sequence
        >>> w, x, h = param("w"), sequence("x", kind="input"), sequence("h")
        >>> unroll(Model.build("sum", [(h, w * h[-1] + x)]), 2).inlined("h", 2)
        w * (w * h[0] + x[1]) + x[2]
        """
        done: dict[Symbol, Expr] = {}
        size: dict[Expr, int] = {}
        target = self.equation(name, t).left
        for e in self:
            def value(x: Expr) -> Expr | None:
                return done.get(x.attr) if x.op == "sym" and x.attr.name not in keep else None
            done[e.left] = transform(e.right, value)
            for x in walk(done[e.left]):
                size[x] = 1 + sum(size[a] for a in x.args)
            if e.left == target:
                if size[done[target]] > limit:
                    raise LimitError(f"{target} written out", must=f"have at most {limit} nodes",
                                     came=f"{size[done[target]]} nodes", limit="nodes", bound=float(limit),
                                     next_step="read the unrolled equations instead, or take fewer steps")
                return done[target]
        raise AssertionError("equation() has checked that the target exists")

    def render(self, write: Callable[[Equation], str] = str) -> Iterator[str]:
        """Every equation as text, one after the other, by ``write``; the default is plain text.

        >>> from symrnn.model import Model, param, sequence
        >>> w, x, h = param("w"), sequence("x", kind="input"), sequence("h")
        >>> list(unroll(Model.build("sum", [(h, w * h[-1] + x)]), 2).render())
        ['h[1] = w * h[0] + x[1]', 'h[2] = w * h[1] + x[2]']
        """
        return map(write, self)

    def to_text(self) -> str:
        """All equations, one a line."""
        return "\n".join(self.render())

    def to_json(self) -> dict[str, Any]:
        """The equations as plain data, in order; ``uses`` are the names of the symbols with a time on the right side."""
        rows = [{"left": str(e.left), "right": str(e.right), "uses": [str(s) for s in symbols(e.right) if s.time is not None]}
                for e in self]
        return {"model": self.model.name, "T": self.T, "boundary": [str(s) for s in self.boundary],
                "total": str(self.total) if self.total else None, "equations": rows}


def unroll(model: Model, T: int) -> Unrolled:
    """``model`` over ``T`` steps; takes no time and no memory until it is iterated. CallError unless T >= 1."""
    if isinstance(T, bool) or not isinstance(T, int) or T < 1:
        raise CallError("T", must="be a whole number of steps, at least 1", came=repr(T), next_step="for example T=3")
    return Unrolled(model, T)


def lags(model: Model) -> dict[str, int]:
    """Name of each sequence that is used at an earlier step -> how many steps back at most."""
    out: dict[str, int] = {}
    for e in model.equations:
        for s in symbols(e.right):
            if s.time is not None and s.time.offset < 0:
                out[s.name] = max(out.get(s.name, 0), -s.time.offset)
    return out


def after_last(model: Model) -> tuple[Symbol, ...]:
    """What runs backward, at the steps after the last one that the equations use, earliest first: ``g[T+1]``."""
    found: dict[str, int] = {}
    for s in (s for e in model.equations for s in symbols(e.right) if s.time is not None and s.time.offset > 0):
        assert s.time is not None
        found[s.name] = max(found.get(s.name, 0), s.time.offset)
    return tuple(model.symbol(name, Time("T", k)) for name, most in sorted(found.items()) for k in range(1, most + 1))


def key(s: Symbol) -> str:
    """A plain identifier for a symbol at an absolute time, for the nodes of a drawing; different symbols may share one
    only if their names differ in punctuation alone.

    >>> key(Symbol("h", ("n", 1), "variable", Time("", 2)))
    'h_2'
    """
    return identifier(s.name) + (f"_{s.time}".replace("-", "m") if s.time is not None else "")


def _fixed(e: Equation, t: int) -> Equation:
    now = Time("", t)
    left = e.left if e.left.time != NOW else Symbol(e.left.name, e.left.shape, e.left.kind, now)
    return Equation(left, fix_time(e.right, "t", now))
