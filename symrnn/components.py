"""The component form: a model at concrete small sizes and T, every entry of every equation a SymPy scalar.

Derivatives are SymPy's ``diff`` of each small equation by the symbols that stand in it, chained forward along the unrolled
graph; each partial and each total derivative is a named small equation again, so nothing swells. This is a witness: it shares
no rule of differentiation with the reverse sweep.

Symbols are made here, of letters, digits and underscores, and never go through a parser.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import sympy

from symrnn.component_rows import LOWER, Grid, NoSuchStep, NotComponents, Where, as_sympy, each, flat, put
from symrnn.errors import CallError
from symrnn.expr import SCALAR, Expr, Index, Shape, Size, Symbol, Time
from symrnn.expr.linear import value as size_value
from symrnn.model import Model
from symrnn.naming import Names
from symrnn.unroll import after_last, lags, unroll


@dataclass(frozen=True)
class Entry:
    """What a minted symbol stands for: the entry (row, column), counted from 1, of ``symbol`` (at its absolute time)."""

    symbol: Symbol
    row: int
    column: int

    @property
    def step(self) -> int | None:
        """The step it belongs to; None for parameters."""
        return self.symbol.time.offset if self.symbol.time is not None else None


class Components:
    """The component form of ``model`` at ``sizes`` (name -> number) over the steps 1..``T``.

    ``simplex`` names vectors whose entries sum to one and ``zero`` symbols that vanish (``past_zero``: before the first step),
    besides what the model says itself. With ``immediate``, every derivative by a parameter goes through one step only.

    >>> from symrnn.model import Model, param, scalar
    >>> w, x, h = param("w"), scalar("x", "input"), scalar("h")
    >>> c = Components(Model.build("sum", [(h, w * h[-1] + x)]), {}, 2)
    >>> from symrnn.expr import derivative, fix_time
    >>> c.expression(h, {"t": 2})
    w_1*(h_0_1*w_1 + x_1_1) + x_2_1
    >>> c.expression(derivative(h, w), {"t": 2})
    2*h_0_1*w_1 + x_1_1
    """

    def __init__(self, model: Model, sizes: Mapping[str, int], T: int, *, simplex: Iterable[str] = (),
                 zero: Iterable[str] = (), past_zero: Iterable[str] = (), immediate: bool = False) -> None:
        missing = [s for s in model.sizes if s not in sizes]
        if missing or any(n < 1 for n in sizes.values()):
            raise CallError("sizes", must=f"give a positive number for each of {', '.join(model.sizes)}",
                            came=", ".join(f"{k}={v}" for k, v in sizes.items()) or "nothing",
                            next_step=f"add {', '.join(missing)}" if missing else "use sizes of at least 1")
        self.model, self.sizes, self.T, self.immediate = model, dict(sizes), T, immediate
        self.simplex = frozenset(simplex) | model.simplex
        self.zero, self.past_zero = frozenset(zero), frozenset(past_zero)
        self.meaning: dict[sympy.Symbol, Entry] = {}
        self.definitions: dict[sympy.Symbol, sympy.Expr] = {}
        self.fixed: dict[sympy.Symbol, sympy.Expr] = {}
        self._names = Names()
        self._symbols: dict[tuple[str, Time | None], Grid] = {}
        self._partials: dict[sympy.Symbol, dict[sympy.Symbol, sympy.Expr]] = {}
        self._below: dict[sympy.Symbol, frozenset[sympy.Symbol]] = {}
        self._rates: dict[tuple[sympy.Symbol, sympy.Symbol, int | None], sympy.Expr] = {}
        self._expanded: dict[sympy.Symbol, sympy.Expr] = {}
        self._memo: dict[tuple[Expr, Where], Grid] = {}
        self._position: dict[sympy.Symbol, int] = {}
        self._known = {s.name: s for s in (*model.variables, *model.parameters, *model.inputs, *model.targets, *model.constants)}
        self._lags = lags(model)
        self._write_out()

    # -------------------------------------------------------------------------------------------------- the unrolled network
    def _write_out(self) -> None:
        """Mint the leaves, then every equation entry by entry."""
        for s in self.model.parameters:
            self.entries(s)
        for s in (*self.model.inputs, *self.model.targets, *self.model.constants):
            for t in range(1 - self._lags.get(s.name, 0), self.T + 1):
                self.entries(Symbol(s.name, s.shape, s.kind, Time("", t) if s.time is not None else None))
        unrolled = unroll(self.model, self.T)
        for s in unrolled.boundary:
            if s.kind == "variable":
                self._mint(s)
        for e in unrolled:
            grid = self.lower(e.right, Where())
            for minted, value in zip(flat(self._mint(e.left)), flat(grid), strict=True):
                self._define(minted, value)
        if self.model.loss is not None:
            top = sympy.Symbol(self._names(("total", None), self.model.total), real=True)
            counted = range(self.T if self.model.at_end else 1, self.T + 1)
            total = [self._symbols[self.model.loss, Time("", t)][0][0] for t in counted]
            self.meaning[top] = Entry(Symbol(self.model.total, SCALAR), 1, 1)
            self._symbols[self.model.total, None] = ((top,),)
            self._define(top, sympy.Add(*total))

    def _define(self, minted: sympy.Symbol, value: sympy.Expr) -> None:
        self.definitions[minted] = value
        self._position[minted] = len(self._position)

    def _mint(self, s: Symbol) -> Grid:
        """Symbols for the entries of ``s``: its name, its step, and the place of the entry where there is more than one axis."""
        key = (s.name, s.time)
        if key not in self._symbols:
            rows, columns = self.shape(s.shape)
            step = "" if s.time is None else f"_{s.time.offset}".replace("-", "m")
            grid = []
            for i in range(1, rows + 1):
                line = []
                for j in range(1, columns + 1):
                    place = f"_{i}" if columns == 1 else f"_{i}_{j}"
                    minted = sympy.Symbol(self._names((key, i, j), f"{s.name}{step}{place}"), real=True)
                    self.meaning[minted] = Entry(s, i, j)
                    line.append(minted)
                grid.append(tuple(line))
            self._symbols[key] = tuple(grid)
            self._fix(s, self._symbols[key])
        return self._symbols[key]

    def _fix(self, s: Symbol, grid: Grid) -> None:
        """Values that the model or a stated condition gives to leaves; differentiation does not pass through them."""
        past = s.time is not None and s.time.offset < 1
        if s.name in self.zero or past and (s.name in self.past_zero or s.kind == "variable" and self.model.initial == "zero"):
            self.fixed.update((x, sympy.S.Zero) for x in flat(grid))
        elif s.name in self.simplex and s.kind != "variable":
            *others, last = flat(grid)
            self.fixed[last] = 1 - sympy.Add(*others)

    # ------------------------------------------------------------------------------------------------------------- questions
    @property
    def leaves(self) -> tuple[sympy.Symbol, ...]:
        """The symbols without a definition or a fixed value, in the order in which they were minted."""
        return tuple(s for s in self.meaning if s not in self.definitions and s not in self.fixed)

    @property
    def equations(self) -> tuple[tuple[sympy.Symbol, sympy.Expr], ...]:
        """Every named equation so far, derivatives included, each after the ones it uses."""
        return tuple(self.definitions.items())

    def values(self) -> dict[sympy.Symbol, sympy.Expr]:
        """Definitions and fixed values together, for an evaluator."""
        return {**self.definitions, **self.fixed}

    def shape(self, shape: Shape) -> tuple[int, int]:
        """The shape in numbers."""
        return self.size(shape[0]), self.size(shape[1])

    def entries(self, s: Symbol) -> Grid:
        """The minted symbols of ``s`` (at an absolute time); NoSuchStep where it does not exist."""
        known = self._known.get(s.name)
        if known is not None and s.time is not None:
            t = s.time.offset
            if t > self.last(s.name) or t < 1 - self._lags.get(s.name, 0) and s.name not in self.past_zero:
                raise NoSuchStep(f"{s.name} at step {t} of 1..{self.T}")
        return self._mint(s)

    def last(self, name: str) -> int:
        """The last step at which a sequence exists: T, or a later one at which what runs backward is given."""
        return self.T + max((s.time.offset for s in after_last(self.model) if s.name == name and s.time is not None), default=0)

    def named(self, e: Expr, times: Mapping[str, int] | None = None, indices: Mapping[str, int] | None = None) -> Any:
        """``e`` over the named symbols: small. A SymPy matrix, or a scalar for the shape (1, 1).

        ``times`` and ``indices`` give the numbers of the free time letters and component indices. Raises NotComponents and
        NoSuchStep.
        """
        where = Where(tuple(sorted((times or {}).items())), tuple(sorted((indices or {}).items())))
        return as_sympy(self.lower(e, where))

    def expression(self, e: Expr, times: Mapping[str, int] | None = None, indices: Mapping[str, int] | None = None) -> Any:
        """``e`` over the leaves, everything substituted (equal parts are shared in memory). Otherwise as :meth:`named`."""
        value = self.named(e, times, indices)
        return value.applyfunc(self.expand) if isinstance(value, sympy.MatrixBase) else self.expand(value)

    def expand(self, e: sympy.Expr) -> sympy.Expr:
        """A small expression over the named symbols, written over the leaves."""
        values = self.values()
        wanted: set[sympy.Symbol] = set()
        stack = list(e.free_symbols)
        while stack:
            s = stack.pop()
            if s in values and s not in wanted and s not in self._expanded:
                wanted.add(s)
                stack.extend(values[s].free_symbols)
        for s in sorted(wanted, key=lambda x: self._position.get(x, -1)):
            self._expanded[s] = put(values[s], self._expanded)
        return put(e, self._expanded)

    # ----------------------------------------------------------------------------------------------------------- derivatives
    def rate(self, e: sympy.Expr, by: sympy.Symbol, held_before: int | None = None) -> sympy.Expr:
        """The derivative of ``e`` (over named symbols) by ``by`` along every path; over named symbols again.

        Variables of steps before ``held_before`` are held fixed.
        """
        out = [sympy.diff(e, s) * self._rate(s, by, held_before) for s in self._ordered(e.free_symbols)]
        return sympy.Add(*out)

    def _rate(self, top: sympy.Symbol, by: sympy.Symbol, held: int | None) -> sympy.Expr:
        needed = [s for s in self._ordered(self._upstream(top)) if (s, by, held) not in self._rates]
        for s in needed:
            self._rates[s, by, held] = self._one_rate(s, by, held)
        return self._rates[top, by, held]

    def _one_rate(self, s: sympy.Symbol, by: sympy.Symbol, held: int | None) -> sympy.Expr:
        if s == by:
            return sympy.S.One
        entry = self.meaning.get(s)
        if s not in self.definitions or (held is not None and entry is not None and entry.step is not None and entry.step < held):
            return sympy.S.Zero
        terms = [p * self._rates[d, by, held] for d, p in self._partial(s).items()]
        value = sympy.Add(*(x for x in terms if x != 0))
        if value.is_Atom or (value.is_Mul and value.args[0] == -1 and value.args[-1].is_Symbol and len(value.args) == 2):
            return value
        minted = sympy.Symbol(self._names(("rate", s, by, held), f"d_{s.name}_d_{by.name}"), real=True)
        self._define(minted, value)
        return minted

    def _partial(self, s: sympy.Symbol) -> dict[sympy.Symbol, sympy.Expr]:
        """The derivatives of one small equation by the symbols that stand in it: SymPy's."""
        if s not in self._partials:
            e = self.definitions[s]
            self._partials[s] = {d: sympy.diff(e, d) for d in self._ordered(e.free_symbols)}
        return self._partials[s]

    def _upstream(self, s: sympy.Symbol) -> frozenset[sympy.Symbol]:
        """The symbol and everything that it is made of."""
        if s not in self._below:
            seen: set[sympy.Symbol] = set()
            stack = [s]
            while stack:
                x = stack.pop()
                if x not in seen:
                    seen.add(x)
                    stack.extend(self.definitions[x].free_symbols if x in self.definitions else ())
            self._below[s] = frozenset(seen)
        return self._below[s]

    def _ordered(self, found: Iterable[sympy.Symbol]) -> list[sympy.Symbol]:
        """Leaves first, then named symbols in order of definition; the same under any hash seed."""
        return sorted(found, key=lambda x: (self._position.get(x, -1), x.name))

    # -------------------------------------------------------------------------------------------------------------- lowering
    def size(self, n: Size) -> int:
        if isinstance(n, int):
            return n
        try:
            return size_value(n, self.sizes)
        except KeyError:
            raise NotComponents(f"the size {n}, which has no number") from None

    def step(self, time: Time, where: Where) -> int:
        letters = {"": 0, "T": self.T, **dict(where.times)}
        if time.base not in letters:
            raise NotComponents(f"the time letter {time.base}, which has no number")
        return letters[time.base] + time.offset

    def place(self, i: Index | int | None, where: Where) -> int:
        if i is None or isinstance(i, int):
            return 1 if i is None else i
        found = dict(where.indices).get(i.name)
        if found is None:
            raise NotComponents(f"the index {i.name}, which has no number")
        return found

    def lower(self, e: Expr, where: Where) -> Grid:
        """The entries of ``e`` over the named symbols."""
        if e.fault is not None:
            raise NotComponents(f"an ill-shaped expression ({e.fault})")
        key = (e, where)
        if key not in self._memo:
            row = LOWER.get(e.op)
            if row is None:
                raise NotComponents(f"the operation {e.op}")
            self._memo[key] = row(self, e, where)
        return self._memo[key]

    def symbol(self, s: Symbol, where: Where) -> Grid:
        time = Time("", self.step(s.time, where)) if s.time is not None else None
        if s.kind in ("adjoint", "gradient"):
            return self._loss_rate(Symbol(s.name, s.shape, s.kind, time))
        if s.name == self.model.total and s.time is None and self.model.loss is not None:
            return self._symbols[self.model.total, None]
        known = self._known.get(s.name)
        return self.entries(Symbol(s.name, s.shape, known.kind if known else s.kind, time))

    def _loss_rate(self, s: Symbol) -> Grid:
        """The derivative of the summed loss by a symbol; zero after the last step, and before the first of what runs backward."""
        if self.model.loss is None:
            raise NotComponents("an adjoint or a gradient of a model without a loss")
        known = self._known.get(s.name)
        if known is None or (known.time is None) != (s.time is None):
            raise NotComponents(f"the derivative of the loss by {s.name}, which the model does not have")
        if s.time is not None and (s.time.offset > self.last(s.name) or s.time.offset < 1 and s.name in self.model.backward):
            return self.filled(s.shape, sympy.S.Zero)
        top = self._symbols[self.model.total, None][0][0]
        by = self.entries(Symbol(s.name, s.shape, known.kind, s.time))
        return each(by, lambda x: self._rate(top, x, None))

    def filled(self, shape: Shape, value: sympy.Expr) -> Grid:
        rows, columns = self.shape(shape)
        return ((value,) * columns,) * rows

    def derivative(self, e: Expr, where: Where) -> Grid:
        """A derivative node: of the total loss, or of any expression along the paths that its mode allows."""
        top, bottom = e.args
        base = bottom.args[0] if bottom.op == "entry" else bottom
        if base.op != "sym" or base.attr.kind in ("adjoint", "gradient"):
            raise NotComponents("a derivative by something that is neither a symbol nor an entry of one")
        below = self.lower(bottom, where)
        above = self.lower(top, where)
        held = None
        once = self.immediate or e.attr in ("immediate", "partial")
        if base.attr.kind in ("parameter", "constant") and once and not self._is_total(top):
            steps = [self.meaning[s].step for x in flat(above) for s in self._upstream_of(x) if s in self.meaning]
            held = max((t for t in steps if t is not None), default=None)
        if any(x not in self.meaning for x in flat(below)):
            raise NotComponents("a derivative by something that is not a symbol")
        assert e.shape is not None
        rows, columns = self.shape(e.shape)
        flat_above, flat_below = flat(above), flat(below)
        cells = [[self.rate(x, y, held) for y in flat_below] for x in flat_above]
        if len(flat_above) == 1 or len(flat_below) == 1:
            line = [x for cell in cells for x in cell]
            return tuple(tuple(line[i * columns:(i + 1) * columns]) for i in range(rows))
        return tuple(map(tuple, cells))

    def _upstream_of(self, e: sympy.Expr) -> Iterator[sympy.Symbol]:
        """The symbols of ``e``; where one is itself a derivative, those of its equation."""
        for s in e.free_symbols:
            yield from (s,) if s in self.meaning else self._upstream_of(self.definitions[s])

    def _is_total(self, top: Expr) -> bool:
        if top.op == "sym":
            return bool(top.attr.name == self.model.total and top.attr.time is None)
        return top.op == "tsum" and top.args[0].op == "sym" and top.args[0].attr.name == self.model.loss
