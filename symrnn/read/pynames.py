"""Which names the statements of a Python program read and assign, in order. Nothing is run.

>>> import ast
>>> body = ast.parse("a = W @ h\\nh = f(a)\\ns += h").body
>>> sorted(read_first(body, "")), assigned(body, ""), increased(body, "")
(['W', 'f', 'h', 's'], ['a', 'h', 's'], {'s'})
"""

from __future__ import annotations

import ast
from collections.abc import Sequence


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
