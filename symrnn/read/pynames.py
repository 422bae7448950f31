"""Which names the statements of a Python program read and assign, in order. Nothing is run.

>>> import ast
>>> body = ast.parse("a = W @ h\\nh = f(a)\\ns += h").body
>>> sorted(read_first(body, "")), assigned(body, ""), increased(body, "")
(['W', 'f', 'h', 's'], ['a', 'h', 's'], {'s'})
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Sequence

from symrnn.read.numpy_table import FILLED, FUNCTIONS, MODULES, PRODUCTS, SINGLE

_LIBRARIES = frozenset("numpy math torch jax autograd cupy scipy mxnet tensorflow theano mlx numba".split())
"""The packages that the names of modules stand for."""

_USUAL = {
    "sigmoid": ("1/(1+exp(-x))", "exp(x)/(1+exp(x))", "exp(x)/(exp(x)+1)", "1/(exp(-x)+1)", "expit(x)", "(1+tanh(x/2))/2", "sigmoid(x)"),
    "tanh": ("tanh(x)", "(exp(x)-exp(-x))/(exp(x)+exp(-x))", "(exp(2*x)-1)/(exp(2*x)+1)"),
    "relu": ("maximum(0,x)", "maximum(x,0)", "x*(x>0)", "relu(x)"),
    "softmax": tuple(f"{a}/sum({a})" for a in ("exp(x)", "exp(x-max(x))")) + ("softmax(x)",),
}
"""What a program may write for functions that it defines itself, brought to one form."""


def foreign(tree: ast.Module) -> frozenset[str]:
    """The names of modules and functions that a program gives another meaning than the usual one.

    >>> code = "import foo as np\\nfrom numpy import sin as tanh\\ndef relu(x):\\n    return x\\n"
    >>> code += "def sigmoid(z):\\n    return 1.0 / (1 + np.exp(-z))"
    >>> sorted(foreign(ast.parse(code)))
    ['np', 'relu', 'tanh']
    """
    table = {*FUNCTIONS, *PRODUCTS, *SINGLE, *FILLED}
    methods = {f for c in ast.walk(tree) if isinstance(c, ast.ClassDef) for f in c.body}
    found: set[str] = set()
    for s in ast.walk(tree):
        if isinstance(s, ast.Import):
            found |= {a.asname or a.name for a in s.names if (a.asname or a.name) in MODULES and a.name.split(".")[0] not in _LIBRARIES}
        elif isinstance(s, ast.ImportFrom):
            renamed = [(a.name, a.asname) for a in s.names if a.asname in table]
            found |= {new for name, new in renamed if new is not None and FUNCTIONS.get(name, name) != FUNCTIONS.get(new, new)}
        elif isinstance(s, ast.FunctionDef):
            if s.name in table and _form(s, s in methods) not in _USUAL.get(FUNCTIONS.get(s.name, s.name), ()):
                found.add(f".{s.name}" if s in methods else s.name)
            found |= {a.arg for a in s.args.args} & (table | MODULES)
        elif isinstance(s, ast.Name) and isinstance(s.ctx, ast.Store) and s.id in table | MODULES:
            found.add(s.id)
    return frozenset(found)


def _form(s: ast.FunctionDef, method: bool) -> str:
    """What a function of one argument returns, with its argument called x and without the names of modules."""
    decorators = [called_name(d) for d in s.decorator_list]
    arguments = s.args.args[1:] if method and "staticmethod" not in decorators else s.args.args
    body = [b for b in s.body if not idle(b)]
    plain = not (s.args.vararg or s.args.kwarg or set(decorators) - {"staticmethod"})
    if len(arguments) != 1 or not plain or not body or not isinstance(body[-1], ast.Return):
        return ""
    values = {arguments[0].arg: "x"}
    for b in body[:-1]:
        if not (isinstance(b, ast.Assign) and len(b.targets) == 1 and isinstance(b.targets[0], ast.Name)):
            return ""
        values[b.targets[0].id] = _shown(b.value, values)
    return _shown(body[-1].value, values) if body[-1].value is not None else ""


def _shown(e: ast.expr, values: dict[str, str]) -> str:
    text = re.sub(r"\b(?:np|numpy|math|torch|jnp)\.", "", ast.unparse(e)).replace(" ", "")
    text = re.sub(r"\b(\d+)\.0\b", r"\1", text)
    text = re.sub(r"\b(\w+)\.(sum|max)\(\)", r"\2(\1)", text)
    return re.sub(r"[A-Za-z_]\w*", lambda m: values.get(m[0], m[0]), text)


def another(e: ast.expr, names: Collection[str]) -> str | None:
    """The name with another meaning that a called function is, or stands in."""
    first, *rest = dotted(e).split(".")
    return first if first in names else rest[0] if len(rest) == 1 and f".{rest[0]}" in names and first not in MODULES else None


def idle(s: ast.stmt) -> bool:
    """A statement without mathematics: an import, a text, pass."""
    return isinstance(s, (ast.Import, ast.ImportFrom, ast.Pass)) or isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)


def dotted(e: ast.expr) -> str:
    """``a.b.c`` as text, or nothing."""
    if isinstance(e, ast.Name):
        return e.id
    inner = dotted(e.value) if isinstance(e, ast.Attribute) else ""
    return f"{inner}.{e.attr}" if inner and isinstance(e, ast.Attribute) else ""


def called_name(e: ast.expr) -> str:
    """The name of a called function, or of a decorator."""
    return dotted(e.func if isinstance(e, ast.Call) else e)


def variable(e: ast.expr, owner: str) -> str | None:
    """The name of a variable: ``x``, or ``self.x`` where ``self`` is the object."""
    if isinstance(e, ast.Name):
        return e.id
    if isinstance(e, ast.Attribute) and isinstance(e.value, ast.Name) and owner and e.value.id == owner and e.attr != "T":
        return f"{owner}.{e.attr}"
    return None


def last_part(name: str) -> str:
    """``x`` of ``self.x``."""
    return name.rpartition(".")[2]


def whole(e: ast.expr) -> ast.expr:
    """The array that a component is taken of."""
    while isinstance(e, ast.Subscript):
        e = e.value
    return e


def has_slice(e: ast.Subscript) -> bool:
    """Whether a subscript takes a stretch of an axis."""
    return any(isinstance(n, ast.Slice) for n in ast.walk(e))


def reads(e: ast.AST, owner: str) -> set[str]:
    """The variables that an expression reads."""
    return {v for n in ast.walk(e) if isinstance(n, ast.expr) and (v := variable(n, owner)) is not None}


def targets(s: ast.stmt, owner: str) -> list[str]:
    """The variables that one statement assigns, in order."""
    found = s.targets if isinstance(s, ast.Assign) else [s.target] if isinstance(s, (ast.AugAssign, ast.AnnAssign)) else []
    parts = [x for t in found for x in (t.elts if isinstance(t, (ast.Tuple, ast.List)) else [t])]
    return [v for x in parts if (v := variable(x, owner)) is not None]


def assigned(body: Sequence[ast.stmt], owner: str) -> list[str]:
    """The variables that some statements assign."""
    return [name for s in body for n in ast.walk(s) if isinstance(n, ast.stmt) for name in targets(n, owner)]


def increased(body: Sequence[ast.stmt], owner: str) -> set[str]:
    """The variables that some statements only increase (``+=``), as sums over a loop."""
    plain = {n for s in body for m in ast.walk(s) if isinstance(m, (ast.Assign, ast.AnnAssign)) for n in targets(m, owner)}
    return set(assigned(body, owner)) - plain


def read_first(body: Sequence[ast.stmt], owner: str, increased: bool = True, done: set[str] | None = None) -> frozenset[str]:
    """The variables that are read before anything assigns them; ``increased``: ``+=`` reads its target."""
    done = set() if done is None else done
    first: set[str] = set()
    for s in body:
        parts = [getattr(s, name) for name in ("body", "orelse") if getattr(s, name, None)]
        if parts:
            heads = [getattr(s, name) for name in ("test", "iter") if hasattr(s, name)]
            first |= {n for h in heads for n in reads(h, owner)} - done
            for part in parts:
                first |= read_first(part, owner, increased, done)
            continue
        own = set(targets(s, owner))
        value = s.value if isinstance(s, (ast.Assign, ast.AugAssign, ast.AnnAssign)) else s
        found = reads(value, owner) if value is not None else set()
        first |= (found | (own if increased and isinstance(s, ast.AugAssign) else set())) - done
        done |= own
    return frozenset(first)


def empty_container(e: ast.expr) -> bool:
    """An empty list or dictionary, in which something is kept later."""
    return isinstance(e, ast.List) and not e.elts or isinstance(e, ast.Dict) and not e.keys or (
        isinstance(e, ast.Call) and called_name(e) in ("dict", "list") and not e.args)
