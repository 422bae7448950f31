"""From the core to array expressions: columns (n, 1) become arrays (..., n) over steps and sequences, one row per operation.

A column and its transpose are the same array (..., n), a scalar is (..., 1), a matrix of one step is (..., n, m); what does not
change over time has no leading axes. So ``W @ h`` is ``h @ W.T``, and ``g @ h.T`` an outer product for each step and sequence.
The result is a SymPy expression, which the printer of :mod:`symrnn.emit.printers` writes.
"""
from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import sympy

from symrnn.emit.printers import caller, operation
from symrnn.errors import CallError
from symrnn.expr import SCALAR, Expr, Shape, Size, Symbol, numeric, scale, symbols
from symrnn.expr import add as plus
from symrnn.naming import identifier

Refer = Callable[[Symbol], sympy.Symbol]
SizeOf = Callable[[Size], sympy.Expr]


def kind(shape: Shape | None) -> str:
    """``s`` scalar, ``c`` column, ``r`` row or ``m`` matrix."""
    assert shape is not None
    return {(True, True): "s", (False, True): "c", (True, False): "r"}.get((shape[0] == 1, shape[1] == 1), "m")


def static(e: Expr) -> bool:
    """Whether the value is the same at every step of every sequence."""
    return all(s.time is None for s in symbols(e))


def constant(e: Expr) -> Fraction | None:
    """The number that stands in every entry, if that is plain from the form."""
    number, rest = numeric(e)
    if rest.op == "zeros":
        return Fraction(0)
    return number if rest.op == "ones" or (rest.op == "num" and rest.attr == 1) else None


def thin(e: Expr) -> bool:
    """Whether the array may come out narrower than its shape, and fill it only by broadcasting."""
    if e.shape == SCALAR:
        return False
    entrywise = ("add", "had", "apply", "pow", "transpose") + (("matmul",) if any(a.shape == SCALAR for a in e.args) else ())
    whole = [a for a in e.args if a.shape != SCALAR]
    return constant(e) is not None or (e.op in (*entrywise, "smul") and bool(whole) and all(map(thin, whole)))


def add(*terms: sympy.Expr) -> sympy.Expr:
    """A sum, in this order."""
    flat = [x for t in terms for x in (t.args if isinstance(t, sympy.Add) else (t,))]
    return flat[0] if len(flat) == 1 else sympy.Add(*flat, evaluate=False)


def multiply(*factors: sympy.Expr) -> sympy.Expr:
    """A product, in this order; a number goes to the front."""
    flat = [x for f in factors for x in (f.args if isinstance(f, sympy.Mul) else (f,))]
    number = sympy.Mul(*(x for x in flat if x.is_Rational))
    rest = [x for x in flat if not x.is_Rational]
    whole = [number, *rest] if number != 1 or not rest else rest
    return whole[0] if len(whole) == 1 else sympy.Mul(*whole, evaluate=False)


class Arrays:
    """Converts expressions; ``refer`` gives the text that stands for a symbol, ``size_of`` that for a size.

    ``product`` is the operation for vectors of many steps and sequences by one matrix; ``classes`` are the targets that may come as
    class numbers, and ``spent`` the variables whose array may be overwritten, for nothing else needs it.
    """

    def __init__(self, refer: Refer, size_of: SizeOf, product: str = "times", classes: frozenset[str] = frozenset(),
                 spent: frozenset[str] = frozenset()) -> None:
        self.refer, self.size_of, self.product, self.classes, self.spent = refer, size_of, product, classes, spent

    def __call__(self, e: Expr, loose: bool = False) -> sympy.Expr:
        """The array expression; with ``loose`` it may be narrower than the shape, to be filled by broadcasting."""
        number = constant(e)
        if number is not None and (loose or e.shape == SCALAR):
            return sympy.Rational(number.numerator, number.denominator)
        row = ROWS.get(e.op)
        if row is None:
            raise CallError(f"the operation {e.op} in {e}", must="have a row for arrays", came=e.op,
                            next_step="write the equation with matrix and entrywise operations")
        return row(self, e, loose)

    def entrywise(self, e: Expr, loose: bool) -> list[sympy.Expr]:
        """The arguments of an entrywise operation; at least one has the full shape unless ``loose``."""
        full = loose or e.shape == SCALAR or not all(map(thin, e.args))
        return [self(a, full or k > 0) for k, a in enumerate(e.args)]

    def transposed(self, e: Expr) -> sympy.Expr:
        """The array of ``e.T`` for a matrix ``e``."""
        if e.op == "transpose":
            return self(e.args[0])
        return operation("transpose" if static(e) else "swap")(self(e))

    def by_matrix(self, u: Expr, v: Expr, matrix: sympy.Expr) -> sympy.Expr:
        """The product of the vectors ``u`` with a matrix ``v``, whose array is given."""
        return operation(self.product if static(v) and not static(u) else "matmul")(self(u), matrix)

    def is_class(self, e: Expr) -> bool:
        """Whether the expression is a target, perhaps turned, that may come as class numbers."""
        e = e.args[0] if e.op == "transpose" else e
        return e.op == "sym" and e.attr.kind == "target" and e.attr.name in self.classes

    def expected(self, y: Expr, e: Expr) -> sympy.Expr:
        """The sum of ``y * e`` for such a target; what is the same for all classes is taken off after the choice of one."""
        terms = [numeric(x) for x in (e.args if e.op == "add" else (e,))]
        common = [(n, x) for n, x in terms if x.op == "smul" and x.args[1].op == "ones"]
        rest = [scale(n, x) for n, x in terms if (n, x) not in common]
        if not common or not rest:
            return operation("expected")(self.refer(symbol_of(y)), self(e), sympy.Integer(0))
        shift = add(*(multiply(sympy.Rational(-n.numerator, n.denominator), self(x.args[0])) for n, x in common))
        return operation("expected")(self.refer(symbol_of(y)), add(*map(self, rest)), shift)

    def numpy_shape(self, shape: Shape) -> sympy.Expr:
        """The shape of a static array."""
        dims = [self.size_of(n) for n in shape if n != 1]
        return dims[0] if len(dims) == 1 else sympy.Tuple(*dims)


def _filled(A: Arrays, e: Expr, loose: bool) -> sympy.Expr:
    number = constant(e)
    assert number is not None and e.shape is not None
    return operation("filled")(A.numpy_shape(e.shape), sympy.Float(float(number)))


def _scaled(A: Arrays, e: Expr, loose: bool) -> sympy.Expr:
    factor, rest = e.args
    if constant(e) is not None:
        return _filled(A, e, loose)
    front = A(factor)
    if kind(rest.shape) == "m" and factor.op != "num":
        front = operation("lifted")(front)
    return multiply(front, A(rest, loose))


def _matmul(A: Arrays, e: Expr, loose: bool) -> sympy.Expr:
    a, b = e.args
    pair = kind(a.shape) + kind(b.shape)
    return multiply(A(a, loose), A(b, loose)) if "s" in pair else PRODUCTS[pair](A, a, b)


def _matrix_column(A: Arrays, a: Expr, b: Expr) -> sympy.Expr:
    if a.op == "diag":
        return multiply(A(a.args[0]), A(b))
    return A.by_matrix(b, a, A.transposed(a)) if static(a) else operation("matvec")(A(a), A(b))


def _row_matrix(A: Arrays, a: Expr, b: Expr) -> sympy.Expr:
    if b.op == "diag":
        return multiply(A(a), A(b.args[0]))
    return A.by_matrix(a, b, A(b)) if static(b) else operation("matvec")(A.transposed(b), A(a))


def _inner(A: Arrays, a: Expr, b: Expr) -> sympy.Expr:
    for y, u in ((a, b), (b, a)):
        if A.is_class(y) and not (A.is_class(u) or static(u) or thin(u)):
            return A.expected(y, u.args[0] if u.op == "transpose" else u)
    if thin(a) and thin(b):
        return operation("total")(multiply(A(a), A(b, True)))
    return operation("total")(multiply(A(a, True), A(b, True)))


PRODUCTS: dict[str, Callable[[Arrays, Expr, Expr], sympy.Expr]] = {
    "mc": _matrix_column,
    "rm": _row_matrix,
    "rc": _inner,
    "cr": lambda A, a, b: operation("outer")(A(a), A(b)),
    "mm": lambda A, a, b: A.by_matrix(a, b, A(b)),
}


def _transpose(A: Arrays, e: Expr, loose: bool) -> sympy.Expr:
    a = e.args[0]
    return A.transposed(a) if kind(a.shape) == "m" else A(a, loose)


def _sum(A: Arrays, e: Expr, loose: bool) -> sympy.Expr:
    if e.args[0].op == "had" and len(e.args[0].args) == 2 and any(map(A.is_class, e.args[0].args)):
        return _inner(A, *e.args[0].args)
    return operation("total_matrix" if kind(e.args[0].shape) == "m" else "total")(A(e.args[0]))


def _symbol(A: Arrays, e: Expr, loose: bool) -> sympy.Expr:
    text = A.refer(e.attr)
    return operation("one_hot")(text, A.size_of(e.attr.shape[0])) if A.is_class(e) else text


def symbol_of(e: Expr) -> Symbol:
    """The symbol that an expression is, perhaps turned."""
    found: Symbol = (e.args[0] if e.op == "transpose" else e).attr
    return found


def _add(A: Arrays, e: Expr, loose: bool) -> sympy.Expr:
    """A sum; a target of classes is taken off the rest."""
    targets = [x for x in e.args if x.op == "smul" and constant(x.args[0]) == -1 and A.is_class(x.args[1])]
    if len(targets) != 1 or len(e.args) < 2:
        return add(*A.entrywise(e, loose))
    rest = plus(*(x for x in e.args if x is not targets[0]))
    if static(rest) or thin(rest):
        return add(*A.entrywise(e, loose))
    own = rest.op != "sym" or (rest.attr.kind == "variable" and rest.attr.name in A.spent)
    return operation("take_off" if own else "off")(A(rest), A.refer(symbol_of(targets[0].args[1])))


def _apply(A: Arrays, e: Expr, loose: bool) -> sympy.Expr:
    u = A(e.args[0], loose)
    if e.attr.startswith("?"):
        return caller(function_argument(e.attr))(u)
    return FUNCTIONS[e.attr](u)


def function_argument(name: str) -> str:
    """The argument of the emitted module that stands for an unspecified function or its derivative.

    >>> function_argument("?f"), function_argument("?f'")
    ('f', 'df')
    """
    label = name[1:].rstrip("'")
    order = len(name) - 1 - len(label)
    return ("" if order == 0 else "d" if order == 1 else f"d{order}") + identifier(label, "f")


FUNCTIONS: dict[str, Callable[[sympy.Expr], sympy.Expr]] = {
    **{name: partial(getattr(sympy, name), evaluate=False) for name in ("tanh", "exp", "log", "sin", "cos", "sinh", "cosh")},
    **{name: operation(name) for name in ("sigmoid", "softplus", "relu", "step")},
    "id": lambda u: u,
    "recip": lambda u: sympy.Pow(u, -1, evaluate=False),
    "sqrt": lambda u: sympy.Pow(u, sympy.Rational(1, 2), evaluate=False),
}


def _stack(A: Arrays, e: Expr, loose: bool) -> sympy.Expr:
    return caller("_stack", len(e.args))(*(A(a) for a in e.args))


def _part(A: Arrays, e: Expr, loose: bool) -> sympy.Expr:
    first, last = (A.size_of(n) for n in e.attr[:2])
    text = f"{first - 1 if first != 1 else ''}:{last}"
    return operation("part")(A(e.args[0]), sympy.Symbol(text))


def _steps(A: Arrays, e: Expr, loose: bool) -> sympy.Expr:
    raise CallError("the number of steps T in an equation", must="not stand in looped code, where every padded sequence has its own",
                    came="T", next_step="write the loss as a plain sum over the steps and call the code with reduction=\"mean\"; "
                    "or emit --style unrolled, for one T")


ROWS: dict[str, Callable[[Arrays, Expr, bool], sympy.Expr]] = {
    "steps": _steps,
    "sym": _symbol,
    "size": lambda A, e, loose: A.size_of(e.attr),
    "ones": _filled,
    "zeros": _filled,
    "eye": lambda A, e, loose: operation("eye")(A.size_of(e.attr)),
    "add": _add,
    "had": lambda A, e, loose: multiply(*A.entrywise(e, loose)),
    "smul": _scaled,
    "matmul": _matmul,
    "transpose": _transpose,
    "pow": lambda A, e, loose: sympy.Pow(A(e.args[0], loose), e.attr, evaluate=False),
    "apply": _apply,
    "softmax": lambda A, e, loose: operation("softmax")(A(e.args[0])),
    "lse": lambda A, e, loose: operation("lse")(A(e.args[0])),
    "sum": _sum,
    "diag": lambda A, e, loose: operation("diagonal")(A(e.args[0])),
    "cat": _stack,
    "slice": _part,
}
