"""Sums over steps and over components: which of both a letter counts, from where to where, and under which restriction."""
from __future__ import annotations

from collections.abc import Collection, Iterator

from symrnn.expr import FIRST, LAST, SCALAR, Expr, Index, delta, index_sum, lift, resize, smul, time_sum, unknown, walk
from symrnn.read import tuples
from symrnn.read.meaningless import Meaningless
from symrnn.read.occurrences import Names, names_in
from symrnn.read.tree import Node
from symrnn.read.tree import walk as nodes_of

BINDERS = ("Sum", "Prod")


class Sums(Names):
    """Big sums."""

    def big_sum(self, n: Node) -> Expr:
        """A sum over steps or over components."""
        var, low, high, body, restriction = n.nodes
        if var.op != "Sym" or len(var.args) != 1:
            raise Meaningless("SR303", "a sum over something that is no letter", n.span)
        letter = var.head
        declared = self.scope.table.get(letter)
        timed = letter == self.scope.table.time_letter or (declared is not None and declared.role == "time")
        counts = any(m.op == "Index" and letter in names_in(m) for m in nodes_of(body))
        steps = any(m.op == "Time" and names_in(m) == {letter} for m in nodes_of(body))      # h_k, not x_{t-p+k}
        steps = steps or not counts and any(m.op == "Pow" and letter in names_in(m.nodes[1]) for m in nodes_of(body))
        if (whole := self._backwards(letter, n)) is not None:
            return self.big_sum(whole)
        if counts and steps and not timed:
            raise Meaningless("SR303", f"{letter} is a step and a component in one sum (declare {letter}: index n)", n.span)
        sized = tuples.is_size(self, high.head)
        if steps and sized and not timed:
            raise Meaningless("SR303", f"the sum over the steps {letter} ends at the size {high.head}", n.span)
        return self._steps(letter, n) if timed or steps else self._components(letter, n)

    def _backwards(self, letter: str, n: Node) -> Node | None:
        """A sum in which steps are counted down, as x_{t-j}, with its letter counted from the other end; None for any other sum."""
        var, low, high, body, restriction = n.nodes
        down = any(_count(time.nodes[0], var) < 0 for time in nodes_of(body) if time.op == "Time")
        if not down or restriction.op != "Absent" or "Absent" in (low.op, high.op) or letter in names_in(low) | names_in(high):
            return None
        if any(m.op == "Index" and letter in names_in(m) or m.op in BINDERS and m.nodes[0] == var for m in nodes_of(body)):
            return None
        mirrored = Node("Add", (low, high, Node("Neg", (var,))))
        self.note("backwards", f"the sum over {letter} is taken from its end")
        return Node(n.op, (var, low, high, _put(body, var, mirrored), restriction), n.span)

    def _steps(self, letter: str, n: Node) -> Expr:
        _, low, high, body, restriction = n.nodes
        if restriction.op != "Absent":
            raise Meaningless("SR303", "a restricted sum over time", restriction.span)
        first = FIRST if low.op == "Absent" or self._vanishes(low, letter, body) else self.time(low)
        last = LAST if high.op == "Absent" else self.time(high)
        if "Absent" in (low.op, high.op):
            self.note("range-left-out", f"the sum over {letter} is read over all steps that are not excluded")
        if (whole := self._contributions(letter, n)) is not None:
            return whole
        if letter in names_in(low) | names_in(high):
            raise Meaningless("SR303", f"the sum over {letter} ends or begins at {letter}", n.span)
        if first.base in ("", "T") and last.base == "" and (first.base or first.offset > last.offset):
            raise Meaningless("SR303", f"the sum over {letter} ends before it begins", n.span)
        base = "t" if letter == self.scope.table.time_letter else letter
        outer = self.clocks.get(letter)
        if outer is not None:
            self.note("index-reused", f"{letter} is the letter of a sum inside another sum over {letter}")
        self.clocks[letter] = base
        try:
            inner = self(body)
        finally:
            if outer is None:
                del self.clocks[letter]
            else:
                self.clocks[letter] = outer
        if not any(x.op == "sym" and x.attr.time and x.attr.time.base == base or x.op == "tsum" for x in walk(inner)):
            self.note("constant-summand", f"what is summed over {letter} does not depend on {letter}")
        return time_sum(base, first, last, inner)

    def _vanishes(self, low: Node, letter: str, body: Node) -> bool:
        """Whether a sum begins at step 0 with a product that is zero there, as the text says."""
        parts = body.nodes if body.op in ("Mul", "Had", "Dot", "Star") else (body,)
        gone = any(n.op == "Gradient" and n.nodes[0].head in self.scope.absent and n.nodes[0].part("Time") == Node(
            "Time", (Node("Sym", (letter,)),)) for part in parts for n in (part.nodes if part.op == "Transpose" else (part,)))
        return low == Node("Num", ("0",)) and gone

    def _contributions(self, letter: str, n: Node) -> Expr | None:
        """The parts that all steps have in the gradient by a parameter, summed: the gradient."""
        _, low, high, body, _ = n.nodes
        whole = str(low) in ("Absent", "1") and (high.op == "Absent" or high.op == "Sym" and high.head in self.scope.steps)
        by = body.nodes[0] if body.op == "Gradient" else None
        d = self.scope.table.get(by.head) if by is not None else None
        if by is None or d is None or d.sequence or not whole or by.part("Time") != Node("Time", (Node("Sym", (letter,)),)):
            return None
        timeless = Node("Sym", (by.head, *(a for a in by.args[1:] if a != by.part("Time"))), by.span)
        return self(Node("Gradient", (body.head, timeless), body.span))

    def _components(self, letter: str, n: Node) -> Expr:
        _, low, high, body, restriction = n.nodes
        if high.op == "Abs" and high.nodes[0].op == "Sym":            # |V|, the number of the words in V
            high = high.nodes[0]
        if low.op != "Absent" and not (low.op == "Num" and low.head == "1"):
            raise Meaningless("SR303", "a sum over components that does not begin at 1", low.span)
        outer = self.indices.pop(letter, None)
        self.closed.discard(letter)
        try:
            inner = self(body)
            i = self.indices.get(letter)
            if i is None:
                i = self._bound_size(letter, high) if outer is None or high.op != "Absent" else outer
                self.note("constant-summand", f"what is summed over {letter} does not depend on {letter}")
                if inner.shape != SCALAR:
                    raise Meaningless("SR303", f"a sum over {letter} of a vector or matrix without the index {letter}", n.span)
            i, inner = self._check_bound(i, high, inner)
            if restriction.op != "Absent":
                inner = smul(self._restricted(restriction, i), inner)
        finally:
            self.indices.pop(letter, None)
            self.closed.add(letter)
            if outer is not None:
                self.note("index-reused", f"{letter} is bound by a sum and free outside it")
                self.indices[letter] = outer
        return index_sum(i, inner)

    def _bound_size(self, letter: str, high: Node) -> Index:
        declared = self.scope.table.get(letter)
        if declared is not None and declared.shape:
            return Index(letter, declared.shape[0])
        if high.op == "Sym" and len(high.args) == 1:
            return Index(letter, high.head)
        raise Meaningless("SR303", f"the index {letter} of the sum occurs in no component", high.span)

    def _check_bound(self, i: Index, high: Node, inner: Expr) -> tuple[Index, Expr]:
        """The index and the summand; where the sum ends is the size of what is summed, also where nothing else tells it."""
        if high.op == "Absent":
            return i, inner
        if high.op != "Sym" or len(high.args) != 1:
            raise Meaningless("SR303", "a sum over components that does not end at a size", high.span)
        if high.head != i.size:
            if self.is_clock(high):
                raise Meaningless("SR303", f"the sum over {i} ends at the step {high.head}", high.span)
            declared = self.scope.table.get(high.head)
            if declared is not None and declared.kind != "size":
                raise Meaningless("SR303", f"the sum over {i} ends at the {declared.kind} {high.head}", high.span)
            if unknown(i.size) and self.sizes.setdefault(str(i.size), high.head) == high.head:
                return Index(i.name, high.head), resize(inner, {str(i.size): high.head})
            if self._is_own_size(high.head) and self.lenient:
                code = "other-size" if self._is_own_size(str(i.size)) else "open-size"
                self.note(code, f"the sum over {i} to {high.head} is read as one over all {i.size} components")
                return i, inner
            if self._is_own_size(high.head):
                raise Meaningless("SR303", f"the sum over {i} ends at {high.head}, but {i} runs over {i.size}", high.span)
            self.note("bound", f"{high.head} is read as the number of components, {i.size}")
        return i, inner

    def _is_own_size(self, name: str) -> bool:
        """Whether a size is the size of some declared symbol (else it is a name for whatever is summed)."""
        return any(name in d.shape for d in self.scope.table if d.kind in ("vector", "matrix"))

    def _restricted(self, restriction: Node, i: Index) -> Expr:
        left, rel = restriction.nodes
        a, b = self.index(left, i.size), self.index(rel.nodes[0], i.size)
        if a == b:
            raise Meaningless("SR303", f"a condition of {left.head} on itself", restriction.span)
        if rel.head == "!=":
            return lift(1) - delta(a, b)
        if rel.head == "=":
            other = str(rel.nodes[0])
            self.note("single-term", f"the sum over {left.head} = {other} is read as the one term in which they are equal")
            return delta(a, b)
        raise Meaningless("SR303", f"a sum restricted by {rel.head}", restriction.span)


def _put(n: Node, letter: Node, value: Node) -> Node:
    """The tree with a letter replaced."""
    return value if n == letter else Node(n.op, tuple(_put(a, letter, value) if isinstance(a, Node) else a for a in n.args), n.span)


def _count(n: Node, letter: Node) -> int:
    """How often a letter stands in a sum, less how often it is taken away."""
    if n.op in ("Add", "Neg"):
        return (1 if n.op == "Add" else -1) * sum(_count(a, letter) for a in n.nodes)
    return int(n == letter)


def ends_of_sums(tree: Node) -> Iterator[tuple[str, str]]:
    r"""What the sums over components in a tree run over, each with the letter at which the sum ends.

    >>> from symrnn.read.reader import read
    >>> from symrnn.read.symbols import SymbolTable
    >>> list(ends_of_sums(read(r"\sum_{i=1}^n a_i \sum_{j=1}^m W_{ij} b_j", SymbolTable()).tree))
    [('a', 'n'), ('W', 'n'), ('W', 'm'), ('b', 'm')]
    """
    for n in nodes_of(tree):
        if n.op == "Sum" and n.nodes[2].op == "Sym":
            letter, _, end, body, _ = n.nodes
            yield from ((m.head, end.head) for m in nodes_of(body)
                        if m.op == "Sym" and (index := m.part("Index")) is not None and letter in index.nodes)


def scaled(n: Node, steps: Collection[str]) -> tuple[Node | None, Node]:
    """A number before a sum, which may be made from how many ``steps`` there are, and the sum."""
    if n.op == "Neg":
        inner, rest = scaled(n.nodes[0], steps)
        return Node("Neg", (inner or Node("Num", ("1",)),)), rest
    if n.op == "Mul" and len(n.nodes) == 2 and all(m.op in ("Num", "Div") or m.op == "Sym" and m.head in steps
                                                   for m in nodes_of(n.nodes[0])):
        return n.nodes[0], n.nodes[1]
    return None, n


def total_of(n: Node, letter: str, steps: Collection[str]) -> tuple[Node | None, Node, tuple[Node, ...]]:
    """A number before a sum over the steps, the sum, and what is added to it that has no step, as a penalty for large weights.

    >>> from symrnn.read.reader import read
    >>> from symrnn.read.symbols import SymbolTable
    >>> tree = read(r"\\frac{1}{T} \\sum_{t=1}^T l_t + \\lambda w^2", SymbolTable()).tree
    >>> scale, whole, rest = total_of(tree, "t", {"T"})
    >>> print(scale, whole, *rest)
    (Div 1 T) (Sum t 1 T l{t=t} Absent) (Mul lambda (Pow w 2))
    """
    terms = n.nodes if n.op == "Add" else (n,)
    found = [(k, *scaled(x, steps)) for k, x in enumerate(terms)]
    sums = [(k, scale, x) for k, scale, x in found if x.op == "Sum" and x.nodes[0].head == letter]
    rest = tuple(x for k, x in enumerate(terms) if k not in {k for k, _, _ in sums})
    if len(sums) != 1 or any(m.op == "Time" for x in rest for m in nodes_of(x)):
        return *scaled(n, steps), ()
    ((_, scale, whole),) = sums
    return scale, whole, rest


def open_sum(n: Node, letter: str) -> tuple[Node, bool] | None:
    """The call under a sum over all steps, and whether constants stand before the sum; None if ``n`` is no such sum."""
    scaled = False
    while n.op in ("Mul", "Neg"):
        *before, last = n.nodes
        if any(m.op == "Sym" and m.args[1:] or m.op in ("Call", "Sum", "Deriv", "Grad") for b in before for m in nodes_of(b)):
            return None
        n, scaled = last, True
    if n.op == "Sum" and not (str(n.nodes[1]) in ("Absent", "1") and n.nodes[2].op in ("Absent", "Sym") and n.nodes[4].op == "Absent"):
        return None
    if n.op != "Sum" or n.nodes[0].head != letter or n.nodes[3].op != "Call" or n.nodes[3].nodes[0].op != "Sym":
        return None
    return n.nodes[3], scaled


def summed(n: Node, letter: str) -> set[str] | None:
    """The symbols at the running step under a sum over all steps, whatever is done with them; None if ``n`` is no such sum."""
    while n.op == "Neg":
        n = n.nodes[0]
    if n.op != "Sum" or n.nodes[0].head != letter or n.nodes[1].op not in ("Absent", "Num") or n.nodes[4].op != "Absent":
        return None
    out = set()
    for m in nodes_of(n.nodes[3]):
        part = m.part("Time") if m.op == "Sym" else None
        if part is not None and (part.nodes[0].op != "Sym" or part.nodes[0].head != letter):
            return None
        if part is not None:
            out.add(m.head)
    return out
