r"""Listings of NumPy statements as equations: parsed, never run. The beginning of the reader of Python.

In a function whose object keeps something (``self.h`` is read and assigned, or an argument is assigned and returned) a name before
its assignment is the value of the step before, and everything but the constant attributes belongs to the step ``t``. In a loop over
``range`` the letter of the loop is the time, and what is read before it is assigned comes from the turn before. Anything that is not
in the tables is listed as skipped with its line; nothing is guessed.

>>> from symrnn.read.document import Block
>>> code = "def step(self, x):\n    self.h = np.tanh(np.dot(self.W, self.h) + x)\n    return self.V @ self.h\n"
>>> found = lift(Block("python", code, 1, 0))
>>> [f"{e.line}: {e.target} {e.relation} {e.value}" for e in found.equations]
['2: h{t=t} = (Call tanh (Add (Mul W h{t=(Add t (Neg 1))}) x{t=t}))', '3: step = (Mul V h{t=t})']
"""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from symrnn.read import pynames as py
from symrnn.read.codelines import without_numbers
from symrnn.read.document import Block
from symrnn.read.names import canonical_name
from symrnn.read.numpy_table import BINARY, FILLED, FUNCTIONS, MODULES, PRODUCTS, SINGLE, total
from symrnn.read.tree import ABSENT, SYM_T, Node, num, sym

_ASSIGNMENT = re.compile(r"^[ \t]*(?:self\.)?([A-Za-z_]\w*)(?:\[[^\]\n]*\])?[ \t]*=(?!=)", re.M)
INCREASED: Mapping[type, str] = MappingProxyType({ast.Add: "+=", ast.Sub: "-="})
BEFORE = Node("Add", (SYM_T, Node("Neg", (num(1),))))
"""The step before."""


@dataclass(frozen=True, slots=True)
class Lifted:
    """One statement as an equation: target, relation (``=``, ``+=``, ``-=``), value, the line of the document, the function round it.

    The spans of the nodes are offsets in the text of the block, and so is ``span``, that of the statement. What a function returns has
    the name of the function as its target, and is ``returned``.
    """

    target: Node
    relation: str
    value: Node
    line: int
    within: str = ""
    span: tuple[int, int] = (0, 0)
    returned: bool = False
    looped: bool = False                                             # stands in a loop over steps

    @property
    def equation(self) -> Node:
        """The equation as a chain of one relation."""
        return Node("Chain", (self.target, Node("Rel", (self.relation, self.value))), self.value.span)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A statement that was not lifted: its text, its line, the construct that is not known, its span, and the names that it assigns."""

    text: str
    line: int
    reason: str
    within: str = ""
    span: tuple[int, int] = (0, 0)
    assigns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Listing:
    """What a block of code says: its equations in order, what was skipped, and which names are what.

    ``states`` are kept from step to step, ``inputs`` are arguments, ``parameters`` are attributes that nothing assigns.
    """

    equations: tuple[Lifted, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    states: frozenset[str] = frozenset()
    inputs: frozenset[str] = frozenset()
    parameters: frozenset[str] = frozenset()
    foreign: frozenset[str] = frozenset()                            # usual names of modules and functions that mean something else

    def __iter__(self) -> Iterator[tuple[Node, Node, int]]:
        """Target, value and line of every equation."""
        return ((e.target, e.value, e.line) for e in self.equations)


class Unknown(Exception):
    """A construct that is not in the tables."""

    def __init__(self, where: ast.AST, reason: str) -> None:
        super().__init__(reason)
        self.where, self.reason = where, reason


def lift(code: Block, foreign: frozenset[str] = frozenset()) -> Listing:
    """The equations of a block of Python. Never raises: what cannot be parsed is one skipped statement.

    ``foreign``: usual names of functions and modules that mean something else in another block of the same document.
    """
    text = without_numbers(code.text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(textwrap.dedent(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        lines = text.split("\n")
        wrong = lines[min(line, len(lines)) - 1]
        start = sum(len(x) + 1 for x in lines[: min(line, len(lines)) - 1]) + len(wrong) - len(wrong.lstrip())
        names = tuple(dict.fromkeys(m[1] for m in _ASSIGNMENT.finditer(text)))
        return Listing(skipped=(Skipped(text.strip()[:80], code.line + line - 1, "no Python that can be parsed", "",
                                        (start, start + len(wrong.strip())), names),))
    reader = _Reader(code, text)
    try:
        reader.foreign = foreign = foreign | py.foreign(tree)
        reader.block(tree.body, _Frame())
    except RecursionError:
        reader.skipped.append(Skipped(text.strip()[:80], code.line, "nested too deeply"))
    return Listing(tuple(reader.equations), tuple(reader.skipped), frozenset(reader.states), frozenset(reader.inputs),
                   frozenset(reader.parameters), foreign)


@dataclass
class _Frame:
    """The names of one function while it is read (or of the top level)."""

    within: str = ""
    owner: str = ""                                                  # the name of the object, usually self
    now: Node | None = None                                          # the step that what is assigned belongs to, if any
    before: Node = BEFORE                                            # the step that a state comes from
    states: frozenset[str] = frozenset()
    arguments: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()                               # attributes of the object that something assigns
    letters: tuple[str, ...] = ()                                    # the variables of the loops round a statement
    timed: frozenset[str] = frozenset()                              # names that belong to a step because a loop assigns them
    assigned: dict[str, int] = field(default_factory=dict)           # name -> index of its equation, -1 while there is none
    free: set[str] = field(default_factory=set)                      # names read before anything assigned them
    meant: dict[str, str] = field(default_factory=dict)              # name of a symbol -> the name in the program


@dataclass
class _Reader:
    """Reads statements in order."""

    code: Block
    text: str
    equations: list[Lifted] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    states: set[str] = field(default_factory=set)
    inputs: set[str] = field(default_factory=set)
    parameters: set[str] = field(default_factory=set)
    foreign: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        lines = self.text.split("\n")
        self.starts = [0]
        for line in lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.lines = lines
        self.indent = min((len(x) - len(x.lstrip()) for x in lines if x.strip()), default=0)

    # ---------------------------------------------------------------------------------------------------------- statements
    def block(self, body: Sequence[ast.stmt], frame: _Frame) -> None:
        """Statements one after the other."""
        for statement in body:
            try:
                self.statement(statement, frame)
            except Unknown as unknown:
                self.skip(statement, unknown.reason, frame)

    def skip(self, statement: ast.stmt, reason: str, frame: _Frame) -> None:
        """List a statement; what it assigns has no known value from here on."""
        low, high = self.span(statement)
        text = " ".join(self.text[low:high].split())
        names = tuple(dict.fromkeys(py.assigned([statement], frame.owner)))
        self.skipped.append(Skipped(text if len(text) <= 80 else text[:79] + "…", self.line(statement), reason, frame.within, (low, high),
                                    tuple(py.last_part(name) for name in names)))
        for name in names:
            frame.assigned[name] = -1

    def statement(self, s: ast.stmt, frame: _Frame) -> None:
        """One statement; Unknown where it is none of the known ones."""
        if isinstance(s, ast.ClassDef):
            kept = frozenset(name for f in s.body if isinstance(f, ast.FunctionDef) and f.name != "__init__"
                             for name in py.assigned(f.body, f.args.args[0].arg if f.args.args else "") if "." in name)
            for inner in s.body:
                self.block([inner], _Frame(f"{frame.within}.{s.name}".strip("."), kept=kept))
        elif isinstance(s, ast.FunctionDef):
            self.function(s, frame)
        elif isinstance(s, ast.Assign):
            self.assign(s, s.targets, s.value, frame)
        elif isinstance(s, ast.AnnAssign) and s.value is not None:
            self.assign(s, [s.target], s.value, frame)
        elif isinstance(s, ast.AugAssign):
            self.increase(s, frame)
        elif isinstance(s, ast.Return):
            self.give(s, frame)
        elif isinstance(s, ast.For):
            self.loop(s, frame)
        elif not py.idle(s):
            raise Unknown(s, f"the statement {type(s).__name__.lower()} is not known")

    def function(self, s: ast.FunctionDef, frame: _Frame) -> None:
        """A function: which of its names are kept from step to step, then its statements."""
        names = [a.arg for a in s.args.args]
        owner = names[0] if names and frame.within and not any(py.called_name(d) == "staticmethod" for d in s.decorator_list) else ""
        owner = owner or ("self" if names[:1] == ["self"] else "")
        arguments = frozenset(names) - {owner}
        own = frozenset(n for n in py.assigned(s.body, owner) if "." in n) if owner else frozenset()
        early = py.read_first(s.body, owner)
        returned = {n for r in ast.walk(s) if isinstance(r, ast.Return) and r.value is not None for n in py.reads(r.value, owner)}
        states = early & (own | (arguments & frozenset(py.assigned(s.body, owner)) & returned if len(arguments) > 1 else frozenset()))
        if s.name == "__init__":
            states = frozenset()
        inner = _Frame(f"{frame.within}.{s.name}".strip("."), owner, SYM_T if states else None, BEFORE, states, arguments, frame.kept | own)
        self.states |= {py.last_part(n) for n in states}
        self.inputs |= arguments - states
        self.block(s.body, inner)

    def loop(self, s: ast.For, frame: _Frame) -> None:
        """``for t in range(...)``, also backwards: its letter is the time inside; other loops are not known."""
        back = isinstance(s.iter, ast.Call) and py.called_name(s.iter) == "reversed"
        turns = s.iter.args[0] if isinstance(s.iter, ast.Call) and back and s.iter.args else s.iter
        if not (isinstance(s.target, ast.Name) and isinstance(turns, ast.Call) and py.called_name(turns) == "range" and not s.orelse):
            raise Unknown(s, "only loops over range(...) are known")
        stride = ast.unparse(turns.args[2]) if len(turns.args) == 3 else "1"
        if stride not in ("1", "-1") or frame.letters:
            raise Unknown(s, "only one loop with steps of one is known")
        letter, own = sym(s.target.id), frozenset(py.assigned(s.body, frame.owner))
        read = py.read_first(s.body, frame.owner, increased=False)
        timed = frozenset(n for n in own if n in read or n not in py.increased(s.body, frame.owner))
        before = total(letter, num(1) if back != (stride == "-1") else Node("Neg", (num(1),)))
        inner = replace(frame, now=letter, before=before, letters=(s.target.id,), states=frame.states - own | timed & read, timed=timed,
                        assigned={k: v for k, v in frame.assigned.items() if k not in own})
        self.states |= {py.last_part(n) for n in timed & read}
        self.block(s.body, inner)
        for name in own:
            frame.assigned[name] = -1

    def assign(self, s: ast.stmt, targets: Sequence[ast.expr], value: ast.expr, frame: _Frame) -> None:
        """``target = value``, also several targets and tuples on both sides."""
        if py.empty_container(value):
            return
        pairs: list[tuple[ast.expr, ast.expr]] = []
        for target in targets:
            both = isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List))
            if both and len(target.elts) == len(value.elts):         # type: ignore[attr-defined]
                pairs += list(zip(target.elts, value.elts, strict=True))  # type: ignore[attr-defined]
            else:
                pairs.append((target, value))
        pairs = [(target, v) for target, v in pairs if not py.empty_container(v)]
        values = [self.expression(v, frame) for _, v in pairs]       # all right sides before any left side
        for k, (target, _) in enumerate(pairs):
            old = self.enter(s, target, "=", values[k], frame)
            if old is not None:
                values[k + 1 :] = [put(v, old.target, old.value) for v in values[k + 1 :]]

    def increase(self, s: ast.AugAssign, frame: _Frame) -> None:
        """``target += value``; after an assignment of the same target, one equation with the sum."""
        value = self.expression(s.value, frame)
        name, span = py.variable(s.target, frame.owner), self.span(s)
        make = BINARY.get(type(s.op))
        if make is None:
            raise Unknown(s, f"the operator {type(s.op).__name__.lower()} is not known")
        k = frame.assigned.get(name, -1) if name is not None else -1
        if k >= 0 and self.equations[k].relation == "=":
            self.enter(s, s.target, "=", replace(make(self.expression(s.target, frame), value), span=span), frame)
        elif type(s.op) in INCREASED:
            self.enter(s, s.target, INCREASED[type(s.op)], value, frame)
        else:
            self.enter(s, s.target, "=", replace(make(self.expression(s.target, frame), value), span=span), frame)

    def give(self, s: ast.Return, frame: _Frame) -> None:
        """``return value``: nothing new where it is only names."""
        if s.value is None or all(isinstance(v, (ast.Name, ast.Attribute, ast.Constant)) for v in
                                  (s.value.elts if isinstance(s.value, ast.Tuple) else (s.value,))):
            return
        name = frame.within.rpartition(".")[2]
        self.equations.append(Lifted(sym(name), "=", self.expression(s.value, frame), self.line(s), frame.within, self.span(s), True))

    def enter(self, s: ast.stmt, target: ast.expr, relation: str, value: Node, frame: _Frame) -> Lifted | None:
        """Keep an equation. An earlier one of the same name (returned) is put into its uses, so that a name has one meaning."""
        name = py.variable(target, frame.owner)
        if name is None:
            if not isinstance(target, ast.Subscript) or py.has_slice(target):
                raise Unknown(target, "only names, attributes and components can be assigned")
            left = self.expression(target, replace(frame, assigned={**frame.assigned, py.variable(py.whole(target), frame.owner) or "": 0}))
            self.equations.append(Lifted(left, relation, value, self.line(s), frame.within, self.span(s), looped=bool(frame.letters)))
            return None
        if name in frame.arguments and name not in frame.states:
            raise Unknown(s, f"the argument {name} is overwritten")
        k = frame.assigned.get(name, -1)
        if relation == "=" and k >= 0 and self.equations[k].relation != "=":
            raise Unknown(s, f"{name} is increased and assigned")
        frame.assigned[name] = len(self.equations)
        left = self.symbol(name, target, frame)
        if relation == "=" and name in frame.free and left.part("Time") is None:
            raise Unknown(s, f"{name} is read before it is assigned")
        old = None
        if k >= 0 and relation == "=":
            old = self.equations[k]
            value = put(value, old.target, old.value)
            later = [replace(e, value=put(e.value, old.target, old.value)) for e in self.equations[k + 1 :]]
            self.equations[k:] = later
            for other, n in frame.assigned.items():
                frame.assigned[other] = n - (n > k)
        self.equations.append(Lifted(left, relation, value, self.line(s), frame.within, self.span(s), looped=bool(frame.letters)))
        return old

    # --------------------------------------------------------------------------------------------------------- expressions
    def expression(self, e: ast.expr, frame: _Frame) -> Node:
        """An expression as a tree; Unknown where a construct is in no table."""
        return replace(self._expression(e, frame), span=self.span(e))

    def _expression(self, e: ast.expr, frame: _Frame) -> Node:
        name = py.variable(e, frame.owner)
        if name is not None:
            return self.symbol(name, e, frame)
        if isinstance(e, ast.Attribute) and e.attr == "T":
            return Node("Transpose", (self.expression(e.value, frame),))
        if isinstance(e, ast.Attribute) and isinstance(e.value, ast.Name) and e.value.id in MODULES and e.attr in ("pi", "e"):
            return sym(e.attr)
        if isinstance(e, ast.Constant) and isinstance(e.value, (int, float)) and not isinstance(e.value, bool):
            return num(str(e.value))
        if isinstance(e, ast.BinOp) and type(e.op) in BINARY:
            return BINARY[type(e.op)](self.expression(e.left, frame), self.expression(e.right, frame))
        if isinstance(e, ast.UnaryOp) and isinstance(e.op, (ast.USub, ast.UAdd)):
            body = self.expression(e.operand, frame)
            return Node("Neg", (body,)) if isinstance(e.op, ast.USub) else body
        if isinstance(e, (ast.List, ast.Tuple)):
            return Node("List" if isinstance(e, ast.List) else "Tuple", tuple(self.expression(x, frame) for x in e.elts))
        if isinstance(e, ast.Subscript):
            return self.component(e, frame)
        if isinstance(e, ast.Call):
            return self.call(e, frame)
        raise Unknown(e, f"the expression {type(e).__name__.lower()} is not known")

    def symbol(self, name: str, e: ast.expr, frame: _Frame) -> Node:
        """A name with its step."""
        bare, span = canonical_name(py.last_part(name)), self.span(e)
        if frame.meant.setdefault(bare, name) != name:
            if "." in name:
                raise Unknown(e, f"{name} and {frame.meant[bare]} would have one name")
            bare = f"{bare}'"                                        # a name of the function beside an attribute of the object
        if frame.assigned.get(name) == -1 and name not in frame.timed:
            raise Unknown(e, f"the value of {name} is not known here")
        constant = "." in name and name not in frame.states and name not in frame.kept
        if constant:
            self.parameters.add(bare)
        stepped = name in frame.timed or not frame.letters and not constant and (
            name in frame.assigned or name in frame.arguments or name in frame.kept)
        if frame.now is None or not stepped or name in frame.letters:
            if name not in frame.assigned:
                frame.free.add(name)
            return sym(bare, span=span)
        return sym(bare, time=frame.before if name in frame.states and name not in frame.assigned else frame.now, span=span)

    def component(self, e: ast.Subscript, frame: _Frame) -> Node:
        """``h[t - 1]`` with the letter of a loop is a time, ``h[0]`` the first component, ``h[1:]`` a slice (counted from 1)."""
        base = self.expression(e.value, frame)
        if isinstance(e.slice, ast.Slice):
            if e.slice.step is not None:
                raise Unknown(e, "a slice with a step is not known")
            low = _plus_one(self.expression(e.slice.lower, frame)) if e.slice.lower is not None else ABSENT
            high = self.expression(e.slice.upper, frame) if e.slice.upper is not None else ABSENT
            if any(n.op == "Neg" for n in (low, high)):
                raise Unknown(e, "a slice counted from the end is not known")
            return Node("Slice", (base, low, high))
        parts = e.slice.elts if isinstance(e.slice, ast.Tuple) else [e.slice]
        if any(isinstance(p, ast.Slice) for p in parts):
            raise Unknown(e, "a slice of several axes is not known")
        letters = [{n.id for n in ast.walk(p) if isinstance(n, ast.Name)} & set(frame.letters) for p in parts]
        places = [self.expression(p, frame) for p in parts]
        if base.op != "Sym" or base.nodes and letters[0] and base.part("Time") is None:
            raise Unknown(e, "a component of an expression is not known")
        if letters[0]:
            rest = tuple(_plus_one(p) for p in places[1:])
            return sym(base.head, time=places[0], index=rest)
        if any(p.op == "Neg" for p in places):
            raise Unknown(e, "a component counted from the end is not known")
        return Node("Sym", (*base.args, Node("Index", tuple(_plus_one(p) for p in places))))

    def call(self, e: ast.Call, frame: _Frame) -> Node:
        """A call: a function of the tables, a method of an array, or a function that the text names."""
        if e.keywords or any(isinstance(a, ast.Starred) for a in e.args):
            raise Unknown(e, "arguments with names are not known")
        f = e.func
        if (other := py.another(f, self.foreign)) is not None:
            raise Unknown(e, f"{other} means something else here")
        if isinstance(f, ast.Name):
            return self.applied(e, f.id, list(e.args), frame, named=True)
        if isinstance(f, ast.Attribute) and py.dotted(f.value).split(".")[0] in MODULES:
            return self.applied(e, f.attr, list(e.args), frame)
        if isinstance(f, ast.Attribute) and f.attr in ("dot", "transpose", "sum", "copy", "detach", "clone"):
            return self.applied(e, f.attr, [f.value, *e.args], frame)
        if isinstance(f, ast.Attribute) and py.dotted(f):
            name = py.dotted(f).removeprefix(f"{frame.owner}.") if frame.owner else py.dotted(f)
            return Node("Call", (sym(name), *(self.expression(a, frame) for a in e.args)))
        raise Unknown(e, "the function called is not known")

    def applied(self, e: ast.Call, name: str, arguments: list[ast.expr], frame: _Frame, named: bool = False) -> Node:
        """A function by name; ``named``: the text's own, whatever it means."""
        if name in FILLED and not named:
            if name.endswith("_like"):
                return Node(FILLED[name])
            sizes = arguments[0].elts if len(arguments) == 1 and isinstance(arguments[0], (ast.Tuple, ast.List)) else arguments
            return Node(FILLED[name], tuple(self.expression(a, frame) for a in sizes))
        nodes = [self.expression(a, frame) for a in arguments]
        if not named and len(nodes) == 2 and name in PRODUCTS:
            return PRODUCTS[name](*nodes)
        if not named and len(nodes) == 1 and name in SINGLE:
            return SINGLE[name](*nodes)
        if len(nodes) == 1 and name in FUNCTIONS or named and nodes:
            return Node("Call", (sym(FUNCTIONS.get(name, canonical_name(name))), *nodes))
        raise Unknown(e, f"the call {name} with {len(nodes)} arguments is not known")

    # -------------------------------------------------------------------------------------------------------------- places
    def line(self, s: ast.AST) -> int:
        """The line of the document."""
        return int(self.code.line + getattr(s, "lineno", 1) - 1)

    def span(self, e: ast.AST) -> tuple[int, int]:
        """Where something stands in the text of the block, in characters."""
        return self._offset(e.lineno, e.col_offset), self._offset(e.end_lineno, e.end_col_offset)  # type: ignore[attr-defined]

    def _offset(self, line: int, column: int) -> int:
        text = self.lines[line - 1][self.indent :]
        return self.starts[line - 1] + self.indent + len(text.encode()[:column].decode(errors="ignore"))


# --------------------------------------------------------------------------------------------------------------------- helpers
def _plus_one(n: Node) -> Node:
    """A place counted from 0 as one counted from 1."""
    return num(int(n.head) + 1) if n.op == "Num" and n.head.isdigit() else n if n.op == "Neg" else total(n, num(1))


def put(n: Node, old: Node, new: Node) -> Node:
    """A tree with one symbol replaced by its value.

    >>> print(put(Node("Add", (sym("a"), sym("b"))), sym("a"), num(1)))
    (Add 1 b)
    """
    if n == old:
        return new
    return replace(n, args=tuple(put(a, old, new) if isinstance(a, Node) else a for a in n.args))
