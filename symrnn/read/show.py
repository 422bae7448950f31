r"""Trees to canonical LaTeX in the time style of a table; reading what is printed gives the same tree.

>>> from symrnn.read.symbols import SymbolTable
>>> from symrnn.read.tree import SYM_T, Node, num, sym
>>> h = sym("h", time=Node("Add", (SYM_T, Node("Neg", (num(1),)))))
>>> tree = Node("Mul", (Node("Transpose", (sym("W_hh"),)), h))
>>> for style in ("sub", "sup", "call", "angle"):
...     print(show(tree, SymbolTable.from_mapping({"time": style, "symbols": {"h": "vector n, sequence"}})))
{W_{hh}}^{\top} h_{t - 1}
{W_{hh}}^{\top} h^{(t - 1)}
{W_{hh}}^{\top} h(t - 1)
{W_{hh}}^{\top} h^{\langle t - 1\rangle}
"""

from __future__ import annotations

from collections.abc import Callable

from symrnn.read.names import name_latex, split_name
from symrnn.read.signs import FUNCTION_COMMANDS
from symrnn.read.symbols import SymbolTable
from symrnn.read.tree import ABSENT, SLOT, Node

SUM, TERM, SIGN, FACTORS, POSTFIX, ATOM = range(6)
"""How tightly a printed form holds together, weakest first."""

_COMMANDS = frozenset(c[1:] for c in FUNCTION_COMMANDS)
_INFIX = {"Dot": r"\cdot", "Times": r"\times", "Star": "*", "Had": r"\odot", "Outer": r"\otimes", "Plus": r"\oplus",
          "Compose": r"\circ"}
_LEVELS = {"Add": SUM, **dict.fromkeys(_INFIX, TERM), "Neg": SIGN, "PlusMinus": SIGN, "Mul": FACTORS, "Sum": FACTORS,
           "Prod": FACTORS, "Grad": FACTORS, "Delta": FACTORS, "Differential": FACTORS, "Pow": POSTFIX, "Transpose": POSTFIX,
           "Prime": POSTFIX, "Factorial": POSTFIX, "At": POSTFIX, "Chain": -1, "Where": -1, "Seq": -1, "Implies": -1,
           "Iff": -1, "Enum": -1, "Rows": -1}
_BRACKETS = {"Abs": (r"\left|", r"\right|"), "Inner": (r"\left\langle ", r"\right\rangle"), "Set": (r"\left\{", r"\right\}"),
             "Tuple": (r"\left(", r"\right)"), "List": (r"\left[", r"\right]"), "Floor": (r"\left\lfloor ", r"\right\rfloor"),
             "Ceil": (r"\left\lceil ", r"\right\rceil")}
_RELATIONS = {":=": r"\coloneqq", "<-": r"\leftarrow", "==": r"\equiv", "!=": r"\ne", "<=": r"\le", ">=": r"\ge", "<<": r"\ll",
              ">>": r"\gg", "in": r"\in", "notin": r"\notin", "subset": r"\subset", "->": r"\to", "|->": r"\mapsto",
              "~": r"\sim", "~=": r"\approx", "prop": r"\propto", ":": r"\colon"}
_MARKS = {"partial": r"\partial", "immediate": r"\partial", "d": r"\mathrm{d}", "total": r"\mathrm{D}"}
_SCRIPTED = ("Pow", "Transpose", "Prime", "Inverse", "At", "Factorial")
_SELF_CONTAINED = ("Call", "Num", "Space", "Norm", "Matrix", "Div", "Root", "Deriv", *_BRACKETS)
_FIXED = {"Ellipsis": r"\dots", "Slot": r"\cdot", "Zeros": r"\mathbf{0}", "Ones": r"\mathbf{1}", "Otherwise": r"\text{otherwise}",
          "Absent": ""}


def show(node: Node, table: SymbolTable) -> str:
    """Canonical LaTeX of a tree.

    Errors: `KeyError` for an operation that the table of operations does not have.
    """
    return Shower(table).show(node)


class Shower:
    """Prints trees for one table."""

    def __init__(self, table: SymbolTable) -> None:
        self.table = table
        self._methods: dict[str, Callable[[Node], str]] = {
            "Sym": self._sym, "Num": lambda n: n.head, "Space": self._space, "Text": self._text, "Add": self._add,
            "Neg": lambda n: "-" + self.at(n.nodes[0], FACTORS), "PlusMinus": lambda n: r"\pm " + self.at(n.nodes[0], FACTORS),
            "Mul": self._mul, "Div": self._div, "Pow": lambda n: self._post(n, "^{" + self.show(n.nodes[1]) + "}"),
            "Transpose": lambda n: self._post(n, r"^{\top}"), "Prime": self._prime, "Inverse": self._sym,
            "Factorial": lambda n: self._post(n, "!"), "Root": self._root, "Call": self._call, "Given": self._items,
            "At": lambda n: self._post(n, "_{" + self._items(Node("List", n.nodes[1:])) + "}"),
            "Slice": self._slice, "Eval": self._eval, "Sum": self._big, "Prod": self._big, "Deriv": self._deriv,
            "Differential": self._differential, "Grad": self._grad,
            "Gradient": lambda n: f"{self._name(n.head)}_{{{self.show(n.nodes[0])}}}", "Delta": self._delta, "Stack": self._stack,
            "Interval": self._interval, "Matrix": self._matrix, "Row": self._row, "Norm": self._norm,
            "Indicator": self._indicator, "Cases": self._cases, "If": self._if, "Chain": self._chain, "Rel": self._rel,
            "Enum": self._items, "Implies": self._linked, "Iff": self._linked, "Where": self._where, "Seq": self._seq,
            "Rows": self._rows,
        }

    def show(self, node: Node) -> str:
        """LaTeX of a node, without brackets round it."""
        if node.op in _INFIX:
            left, right = node.nodes
            return f"{self.at(left, TERM, closed=True)} {_INFIX[node.op]} {self.at(right, SIGN)}"
        if node.op in _FIXED:
            sizes = self._items(Node("List", node.nodes)) if node.nodes else ""
            return _FIXED[node.op] + (f"_{{{sizes}}}" if sizes else "")
        if node.op in _BRACKETS:
            opening, closing = _BRACKETS[node.op]
            return opening + self._items(node, r" \mid " if node.op == "Set" else "; ") + closing
        return self._methods[node.op](node)

    def at(self, node: Node, level: int, closed: bool = False) -> str:
        """LaTeX of a node, in brackets unless it holds together at `level` (and, if `closed`, reaches no further right)."""
        text = self.show(node)
        loose = _LEVELS.get(node.op, ATOM) < level or closed and _open(node)
        return rf"\left({text}\right)" if loose else text

    # -- symbols and what is written on them --------------------------------------------------------------------------
    def _name(self, name: str) -> str:
        return name_latex(name, _COMMANDS)

    def _sym(self, node: Node, primes: str = "") -> str:
        """A symbol with its scripts: label, primes, components, time, layer."""
        inverse = "^{-1}" if node.op == "Inverse" else ""
        node = node.nodes[0] if inverse else node
        parts = {p.op: p for p in node.nodes}
        time = self.show(parts["Time"].nodes[0]) if "Time" in parts else ""
        lower = [self.show(x) for op in ("Param", "Index") if op in parts for x in parts[op].nodes]
        upper, after = "", ""
        if time:
            style = self.table.time
            if style == "sub":
                lower = [time, *lower]
            elif style in ("call", "bracket"):
                after = f"({time})" if style == "call" else f"[{time}]"
            else:
                upper = {"sup": f"({time})", "angle": rf"\langle {time}\rangle", "bare": time}[style]
        _, sub, sup = split_name(node.head)
        head = self._name(node.head)
        if sub and lower or sup and (upper or "Layer" in parts):
            head = "{" + head + "}"
        if "Layer" in parts:
            layer = self.show(parts["Layer"].nodes[0])
            bracketed = f"[{layer}]"
            if upper and self.table.time != "bare":
                upper = upper + bracketed if self.table.time != "angle" else bracketed + upper
            else:
                head += primes + f"^{{{bracketed}}}"
                primes = ""
                head = "{" + head + "}" if upper else head
        scripts = (f"_{{{', '.join(lower)}}}" if lower else "") + (f"^{{{upper}}}" if upper else "")
        return head + primes + scripts + inverse + after

    def _prime(self, node: Node) -> str:
        inner, primes = node, ""
        while inner.op == "Prime":
            inner, primes = inner.nodes[0], primes + "'"
        if inner.op in ("Sym", "Inverse"):
            return self._sym(inner, primes)
        return self._base(inner, "'") + primes

    def _post(self, node: Node, script: str) -> str:
        """A node with a script after it."""
        return self._base(node.nodes[0], script[0]) + script

    def _base(self, node: Node, mark: str) -> str:
        """The base of a script: braces keep the scripts of a symbol apart from it, brackets do so for everything else."""
        text = self.show(node)
        core = node
        while core.op in _SCRIPTED:
            core = core.nodes[0]
        if core.op == "Sym":
            timeless = self.table.time == "bare" and node.op == "Sym" and self._sequence(node) and node.part("Time") is None
            if mark in "_'" or timeless and mark == "^":
                return rf"\left({text}\right)"
            return "{" + text + "}" if set(text) & set("^_'!") else text
        if node.op in _SCRIPTED:
            return "{" + text + "}" if mark == "^" else rf"\left({text}\right)"
        return text if node.op in _SELF_CONTAINED and not (node.op == "Norm" and mark == "_") else rf"\left({text}\right)"

    def _sequence(self, node: Node) -> bool:
        entry = self.table.get(node.head)
        return entry is not None and entry.sequence

    def _space(self, node: Node) -> str:
        letter, sign = node.head[:1], node.head[1:]
        return rf"\mathbb{{{letter}}}" + (f"_{{{sign}}}" if sign else "")

    def _text(self, node: Node) -> str:
        return rf"\text{{{node.head}}}" if " " in node.head else rf"\text{{'{node.head}'}}"

    # -- arithmetic -------------------------------------------------------------------------------------------------------
    def _add(self, node: Node) -> str:
        first, *rest = node.nodes
        out = self.at(first, TERM)
        for term in rest:
            sign = {"Neg": " - ", "PlusMinus": r" \pm "}.get(term.op, "")
            out += (sign or " + ") + self.at(term.nodes[0] if sign else term, TERM)
        return out

    def _mul(self, node: Node) -> str:
        factors = node.nodes
        out = []
        for k, factor in enumerate(factors):
            last = k == len(factors) - 1
            text = self.at(factor, POSTFIX if factor.op not in ("Sum", "Prod", "Grad", "Delta", "Differential") else FACTORS,
                           closed=not last)
            if not last and self._would_take(factor, self._opening(factors[k + 1])):
                text = rf"\left({text}\right)"
            out.append(text)
        return " ".join(out)

    def _opening(self, node: Node) -> str:
        """The bracket that the printed form of a factor begins with, or ''."""
        text = self.at(node, POSTFIX if node.op not in ("Sum", "Prod", "Grad", "Delta", "Differential") else FACTORS)
        return next((b for b in (r"\left(", r"\left[", r"\left\{") if text.startswith(b)), "")

    def _would_take(self, node: Node, opening: str) -> bool:
        """Whether a factor would take the bracket after it as its own."""
        core = node
        while core.op in ("Prime", "Pow", "Transpose", "Inverse", "Grad", "Delta", "Differential", "Mul"):
            core = core.nodes[-1] if core.op in ("Grad", "Delta", "Differential", "Mul") else core.nodes[0]
        if not opening or core.op not in ("Sym", "Ones", "Num"):
            return False
        entry = self.table.lookup(core.head)
        plain = entry is not None and opening == r"\left(" and (
            entry.kind in ("vector", "matrix") or entry.kind == "scalar" and not core.head[0].isupper())
        return not plain or self._sequence(core) and core.part("Time") is None

    def _div(self, node: Node) -> str:
        above, below = (rf"\left({text}\right)" if _begins_with_mark(side) else text
                        for side, text in ((n, self.show(n)) for n in node.nodes))
        return rf"\frac{{{above}}}{{{below}}}"

    def _root(self, node: Node) -> str:
        body, degree = node.nodes
        return r"\sqrt" + (f"[{self.show(degree)}]" if degree != ABSENT else "") + f"{{{self.show(body)}}}"

    # -- application ------------------------------------------------------------------------------------------------------
    def _items(self, node: Node, bar: str = "; ") -> str:
        """The arguments of a bracket."""
        plain = [self.show(n) for n in node.nodes if n.op != "Given"]
        given = node.part("Given")
        return ", ".join(plain) + (bar + ", ".join(map(self.show, given.nodes)) if given else "")

    def _call(self, node: Node) -> str:
        function, *arguments = node.nodes
        return rf"{self.at(function, FACTORS)}\left({self._items(Node('Tuple', tuple(arguments)))}\right)"

    def _slice(self, node: Node) -> str:
        base, low, high = node.nodes
        return rf"{self.show(base)}\left[{self.show(low)} : {self.show(high)}\right]"

    def _eval(self, node: Node) -> str:
        body, where = node.nodes
        return rf"\left. {self.show(body)} \right|_{{{self.show(where)}}}"

    # -- sums and derivatives -----------------------------------------------------------------------------------------------
    def _big(self, node: Node) -> str:
        variable, lower, upper, body, restriction = node.nodes
        below = self.show(variable) + (f" = {self.show(lower)}" if lower != ABSENT else "")
        if restriction != ABSENT:
            below += ", " + self.show(restriction)
        sign = {"Sum": r"\sum", "Prod": r"\prod"}[node.op]
        text = sign + (f"_{{{below}}}" if below else "") + (f"^{{{self.show(upper)}}}" if upper != ABSENT else "")
        return text if body == SLOT else f"{text} {self.at(body, TERM)}"

    def _deriv(self, node: Node) -> str:
        kind, order, body, *denominators = node.args
        assert isinstance(kind, str) and isinstance(order, str) and isinstance(body, Node)
        mark = _MARKS[kind]
        above = mark + ("^{+}" if kind == "immediate" else f"^{{{order}}}" if order != "1" else "")
        level = POSTFIX if order == "1" else ATOM
        below = r" \, ".join(f"{mark} {self.at(d, level)}" for d in denominators if isinstance(d, Node))
        return rf"\frac{{{above}{'' if body == SLOT else ' ' + self.at(body, FACTORS)}}}{{{below}}}"

    def _differential(self, node: Node) -> str:
        return f"{_MARKS[node.head]} {self._operand(node.nodes[0])}"

    def _delta(self, node: Node) -> str:
        return rf"\Delta {self._operand(node.nodes[0])}"

    def _operand(self, node: Node) -> str:
        """What a sign such as Delta applies to."""
        return self.show(node) if node.op == "Sym" else rf"\left({self.show(node)}\right)"

    def _grad(self, node: Node) -> str:
        variable, body = node.nodes
        text = r"\nabla" + (f"_{{{self.show(variable)}}}" if variable != ABSENT else "")
        return text if body == SLOT else f"{text} {self.at(body, POSTFIX)}"

    # -- collections --------------------------------------------------------------------------------------------------------
    def _stack(self, node: Node) -> str:
        return r"\left[" + "; ".join(map(self.show, node.nodes)) + r"\right]"

    def _interval(self, node: Node) -> str:
        return rf"\left{node.head[0]}{', '.join(map(self.show, node.nodes))}\right{node.head[1]}"

    def _matrix(self, node: Node) -> str:
        return r"\begin{bmatrix} " + r" \\ ".join(map(self.show, node.nodes)) + r" \end{bmatrix}"

    def _row(self, node: Node) -> str:
        return " & ".join(map(self.show, node.nodes))

    def _norm(self, node: Node) -> str:
        body, *kind = node.nodes
        return rf"\left\|{self.show(body)}\right\|" + (f"_{{{self.show(kind[0])}}}" if kind else "")

    def _indicator(self, node: Node) -> str:
        if len(node.nodes) == 1:
            return rf"\mathbb{{1}}\left[{self.show(node.nodes[0])}\right]"
        return rf"\mathbf{{1}}_{{{self._items(node)}}}"

    def _cases(self, node: Node) -> str:
        return r"\begin{cases} " + r" \\ ".join(map(self.show, node.nodes)) + r" \end{cases}"

    def _if(self, node: Node) -> str:
        value, condition = node.nodes
        words = self.show(condition) if condition.op == "Otherwise" else r"\text{if } " + self.show(condition)
        return f"{self.show(value)} & {words}"

    # -- statements -----------------------------------------------------------------------------------------------------------
    def _chain(self, node: Node) -> str:
        return " ".join(self.show(n) if n.op == "Rel" else self._statement(n) for n in node.nodes)

    def _rel(self, node: Node) -> str:
        right = node.nodes[0]
        return f"{_RELATIONS.get(node.head, node.head)} {self.show(right) if right.op == 'Enum' else self._statement(right)}"

    def _statement(self, node: Node) -> str:
        """A side of a chain: a statement among them is in brackets."""
        return self.at(node, SUM)

    def _linked(self, node: Node) -> str:
        return {"Implies": r" \Rightarrow ", "Iff": r" \Leftrightarrow "}[node.op].join(map(self.show, node.nodes))

    def _where(self, node: Node) -> str:
        return r" \quad \text{where } ".join(map(self.show, node.nodes))

    def _seq(self, node: Node) -> str:
        return r", \quad ".join(map(self.show, node.nodes))

    def _rows(self, node: Node) -> str:
        return r"\begin{aligned} " + r" \\ ".join(map(self.show, node.nodes)) + r" \end{aligned}"


def _open(node: Node) -> bool:
    """Whether the printed form ends with a sum, which would take in what follows it."""
    while True:
        if node.op in ("Sum", "Prod"):
            return True
        if node.op in ("Mul", "Neg", "PlusMinus", *_INFIX):
            node = node.nodes[-1]
            continue
        return node.op in ("Grad", "Deriv") and SLOT in node.nodes


def _begins_with_mark(node: Node) -> bool:
    """Whether the printed form begins with a sign of derivation, so that a fraction of it would be a derivative."""
    while node.op in ("Mul", "Add", *_INFIX):
        node = node.nodes[0]
    return node.op == "Differential"
