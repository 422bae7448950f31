r"""Models and derivations in scalars: at small sizes and T, one equation for every component, in LaTeX that latex2sympy2 reads.

Letters are plain and single (``h_{2,1}`` is component 1 of h at step 2, ``W_{1,2}`` an entry of W); the legend says which letter
stands for which symbol. The derivative of the total loss by a variable has a letter of its own.

>>> from symrnn.model import Model, param, sequence
>>> from symrnn.expr import apply
>>> h = sequence("h", "n_h")
>>> form = ScalarForm(Model.build("cell", [(h, apply("tanh", param("W", "n_h", "n_h") @ h[-1]))]), {"n_h": 2}, 1)
>>> for row in form.forward():
...     print(row)
h_{1,1} = \tanh\left(W_{1,1} h_{0,1} + W_{1,2} h_{0,2}\right)
h_{1,2} = \tanh\left(W_{2,1} h_{0,1} + W_{2,2} h_{0,2}\right)
"""
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy
from sympy.printing.latex import LatexPrinter

from symrnn.bptt import Derivation
from symrnn.calculus import softmax_jacobian
from symrnn.component_rows import LOWER, Grid, NotComponents, Where
from symrnn.errors import CallError
from symrnn.expr import Expr, Index, Shape, Size, Symbol, Time, node
from symrnn.expr.linear import value as size_value
from symrnn.model import Model
from symrnn.unroll import unroll

LETTERS = frozenset("abcfghjklmnopqrstuvwxyzABCDFGHJKLMNOPQRSTUVWXYZ")
"""Letters that latex2sympy2 reads as plain symbols."""
GREEK = frozenset("alpha beta gamma delta epsilon eta theta kappa lambda mu nu xi rho sigma tau phi chi psi omega".split())
LABEL = 7


@dataclass(frozen=True)
class ScalarRow:
    """``left = right`` for one component: the left side as LaTeX and as text, the right side as SymPy and as LaTeX."""

    left: str
    name: str
    expression: sympy.Expr

    @property
    def right(self) -> str:
        return str(ScalarPrinter().doprint(self.expression))

    def __str__(self) -> str:
        return f"{self.left} = {self.right}"


class ScalarPrinter(LatexPrinter):  # type: ignore[misc]
    r"""SymPy's LaTeX printer in the vocabulary of the reader: ``\exp``, ``\ln``, functions with plain brackets."""

    def _print_Symbol(self, expr: sympy.Symbol, style: str = "plain") -> str:  # noqa: N802 - SymPy's naming
        head, mark, index = expr.name.partition("_")
        head = f"\\{head}" if head in GREEK else head
        return f"{head}_{{{index.strip('{}')}}}" if mark else head

    def _print_Function(self, expr: sympy.Function, exp: Any = None) -> str:  # noqa: N802
        name = {"log": "ln"}.get(expr.func.__name__, expr.func.__name__)
        head = f"\\{name}" if name in ("ln", "tanh", "exp", "sin", "cos", "sinh", "cosh") else name
        inside = ", ".join(self._print(a) for a in expr.args)
        return rf"{head}\left({inside}\right)" + (f"^{{{exp}}}" if exp is not None else "")

    def _print_Pow(self, expr: sympy.Pow) -> str:  # noqa: N802
        if expr.base.is_Symbol and expr.exp.is_Integer and expr.exp > 1:
            return f"{{{self._print(expr.base)}}}^{{{expr.exp}}}"
        return str(super()._print_Pow(expr))

    def _print_ExpBase(self, expr: sympy.exp, exp: Any = None) -> str:  # noqa: N802
        return self._print_Function(expr, exp)

    _print_log = _print_exp = _print_Function


class ScalarForm:
    """A model over the steps 1..``T`` at ``sizes`` (name -> number), component by component.

    Raises CallError when a size is missing. It is a source for the rows of the component form: derivatives have none here.
    """

    def __init__(self, model: Model, sizes: Mapping[str, int], T: int) -> None:  # noqa: N803 - T is what everyone calls it
        missing = [s for s in model.sizes if s not in sizes]
        if missing:
            raise CallError("sizes", must=f"give a number for each of {', '.join(model.sizes)}", came=f"no {missing[0]}",
                            next_step=f"add for example {missing[0]}=2")
        self.model, self.sizes, self.T = model, dict(sizes), T

    # --------------------------------------------------------------------------------------------------------------- letters
    @cached_property
    def letters(self) -> dict[tuple[str, str], tuple[str, str]]:
        """(kind of use, name of the symbol) -> (letter, label): every one different. Uses are ``value`` and ``adjoint``."""
        m = self.model
        out: dict[tuple[str, str], tuple[str, str]] = {}
        known = [s.name for s in (*m.variables, *m.parameters, *m.inputs, *m.targets, *m.constants)]
        for name in known:
            _allocate(out, ("value", name), *((("l", "")) if name == m.loss else plain(name)))
        _allocate(out, ("value", m.total), *plain(m.total))
        for name in (s.name for s in (*m.variables, *m.parameters, *m.inputs) if s.name != m.loss):
            letter, label = out["value", name]
            _allocate(out, ("adjoint", name), "g", (letter + label)[:LABEL])
        return out

    def legend(self) -> list[tuple[str, Symbol]]:
        """(letter with label, symbol) for every letter whose look is not that of the symbol's own name."""
        m = self.model
        named = {s.name: s for s in (*m.variables, *m.parameters, *m.inputs, *m.targets, *m.constants)}
        out = []
        for (use, name), (letter, label) in self.letters.items():
            if name in named and (use == "adjoint" or name != letter):
                s = named[name]
                kind = s.kind if use == "value" else "gradient" if s.time is None else "adjoint"
                written = f"{_command(letter)}_{{{label}}}" if label else _command(letter)
                out.append((written, Symbol(s.name, s.shape, kind, s.time)))
        return out

    def minted(self, s: Symbol, row: int, column: int) -> sympy.Symbol:
        """The SymPy symbol of one component, named as latex2sympy2 names what it reads."""
        use = "adjoint" if s.kind in ("adjoint", "gradient") else "value"
        letter, label = self.letters.get((use, s.name)) or plain(s.name)
        place = [str(n) for n, size in zip((row, column), s.shape, strict=True) if size != 1]
        step = [] if s.time is None else [str(s.time.offset).replace("-", "m")]
        index = ",".join([*([label] if label else []), *step, *place])
        mark = "" if not index else f"_{index}" if len(index) == 1 else f"_{{{index}}}"
        return sympy.Symbol(letter + mark, real=True)

    # ------------------------------------------------------------------------------------------------ a source of components
    def lower(self, e: Expr, where: Where) -> Grid:
        return LOWER[e.op](self, e, where)

    def size(self, n: Size) -> int:
        return size_value(n, self.sizes)

    def shape(self, shape: Shape) -> tuple[int, int]:
        return self.size(shape[0]), self.size(shape[1])

    def step(self, time: Time, where: Where) -> int:
        return {"": 0, "T": self.T, **dict(where.times)}[time.base] + time.offset

    def place(self, i: Index | int | None, where: Where) -> int:
        return 1 if i is None else i if isinstance(i, int) else dict(where.indices)[i.name]

    def filled(self, shape: Shape, value: sympy.Expr) -> Grid:
        rows, columns = self.shape(shape)
        return ((value,) * columns,) * rows

    def symbol(self, s: Symbol, where: Where) -> Grid:
        """The components of a symbol; zero where a boundary fact says so."""
        time = Time("", self.step(s.time, where)) if s.time is not None else None
        after = s.kind == "adjoint" and time is not None and time.offset > self.T
        before = s.kind == "variable" and time is not None and time.offset < 1 and self.model.initial == "zero"
        if after or before:
            return self.filled(s.shape, sympy.S.Zero)
        rows, columns = self.shape(s.shape)
        at = Symbol(s.name, s.shape, s.kind, time)
        return tuple(tuple(self.minted(at, i, j) for j in range(1, columns + 1)) for i in range(1, rows + 1))

    def derivative(self, e: Expr, where: Where) -> Grid:
        raise NotComponents("a derivative")

    # ---------------------------------------------------------------------------------------------------------------- rows
    def rows(self, left: Symbol, right: Expr, times: Mapping[str, int] | None = None) -> Iterator[ScalarRow]:
        """``left = right``, one row for each component."""
        where = Where(tuple(sorted((times or {}).items())))
        for names, values in zip(self.symbol(left, where), self.lower(right, where), strict=True):
            for name, value in zip(names, values, strict=True):
                yield ScalarRow(ScalarPrinter().doprint(name), str(name), value)

    def forward(self) -> Iterator[ScalarRow]:
        """Every equation of the unrolled network, then the total loss."""
        network = unroll(self.model, self.T)
        for e in network:
            yield from self.rows(e.left, e.right)
        if network.total is not None:
            yield from self.rows(network.total.left, network.total.right)

    def jacobians(self) -> Iterator[ScalarRow]:
        """The Jacobian of every softmax of a step 1, entry by entry."""
        for e in self.model.equations:
            if e.right.op == "softmax" and e.right.args[0].op == "sym":
                inner = e.right.args[0].attr
                grid = self.lower(softmax_jacobian(node("sym", attr=e.left)), Where((("t", 1),)))
                for i, line in enumerate(grid, 1):
                    for j, value in enumerate(line, 1):
                        top, bottom = (self.minted(Symbol(s.name, s.shape, s.kind, Time("", 1)), n, 1)
                                       for s, n in ((e.left, i), (inner, j)))
                        above, below = map(ScalarPrinter().doprint, (top, bottom))
                        yield ScalarRow(rf"\frac{{\partial {above}}}{{\partial {below}}}", f"d({top})/d({bottom})", value)

    def backward(self, d: Derivation) -> Iterator[ScalarRow]:
        """The adjoints from the last step to the first, then every gradient, each over the letters of the adjoints."""
        for t in range(self.T, 0, -1):
            for name, value in d.adjoints.items():
                v = self.model.symbol(name, Time("", t))
                yield from self.rows(Symbol(v.name, v.shape, "adjoint", v.time), value, {"t": t})
        for s in self.model.parameters:
            yield from self.rows(Symbol(s.name, s.shape, "gradient", None), d.gradients[s.name])


def plain(name: str) -> tuple[str, str]:
    """A letter and a label for a canonical name.

    >>> plain("W"), plain("W_hh"), plain("hat(y)"), plain("alpha"), plain("e")
    (('W', ''), ('W', 'hh'), ('y', 'hat'), ('alpha', ''), ('v', 'e'))
    """
    accent = re.fullmatch(r"([a-z]+)\((\w+)\)(.*)", name)
    base, label = (accent[2], accent[1] + accent[3]) if accent else re.fullmatch(r"([^_^]*)(.*)", name, re.S).groups()  # type: ignore[union-attr]
    label = re.sub(r"[^A-Za-z]", "", label)
    if base in LETTERS or base in GREEK:
        return base, label[:LABEL]
    head = base[:1] if base[:1] in LETTERS else "v"
    rest = base[1:] if base[:1] in LETTERS else base
    return head, (re.sub(r"[^A-Za-z]", "", rest) + label)[:LABEL]


def _allocate(out: dict[tuple[str, str], tuple[str, str]], key: tuple[str, str], letter: str, label: str) -> None:
    """Give ``key`` the letter and label, the label longer by letters where they are taken."""
    taken, tries = set(out.values()), iter("xyzuvwpqrstabcfghjklmno")
    wish = label
    while (letter, wish) in taken:
        wish = label[:LABEL - 1] + next(tries)
    out[key] = (letter, wish)


def _command(letter: str) -> str:
    return f"\\{letter}" if letter in GREEK else letter
