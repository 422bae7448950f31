r"""Products with dots, one factor for each step, and steps that are counted back from another one.

``\frac{\partial h_t}{\partial h_{t-1}} \cdots \frac{\partial h_{k+1}}{\partial h_k}`` is the product over the steps from t down to k + 1:
the factors that are printed say what changes from one to the next, and where it ends. A lag k as in ``h_{t-k}`` stands for the step
s = t - k; then k is t - s wherever it counts.

>>> from symrnn.read.reader import read
>>> from symrnn.read.symbols import SymbolTable
>>> table = SymbolTable.from_mapping({"symbols": {"h": "vector n, sequence", "W": "matrix n n"}})
>>> factors = tuple(rf"\frac{{\partial h_{a}}}{{\partial h_{b}}}" for a, b in (("t", "{t-1}"), ("{t-1}", "{t-2}"), ("{k+1}", "k")))
>>> found = telescope(read(r"%s %s \cdots %s" % factors, table).tree, "t")
>>> print(found.product, found.falls)
(Prod i (Add k 1) t (Deriv partial 1 h{t=i} h{t=(Add i (Neg 1))}) Absent) True
>>> tree = read(r"\frac{\partial h_t}{\partial h_{t-k}} = W^k", table).tree
>>> sides = tree.nodes[0], tree.nodes[1].nodes[0]
>>> print(*lagged(sides, lag_of(sides, "t")))
(Deriv partial 1 h{t=t} h{t=i}) (Pow W (Add t (Neg i)))
"""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from symrnn.read.counting import Count, count, minus, plus, times, tree
from symrnn.read.tree import Node, walk

LETTERS = "ijsrmpq"
"""Letters for a step, of which the first is taken that a formula does not use."""
ABSENT = Node("Absent")


@dataclass(frozen=True)
class Telescope:
    """A product over the steps from ``last`` to ``first``; ``falls`` if the factor of the latest step stands first, as printed."""

    product: Node
    falls: bool

    def factors(self, first: Node, count: int) -> Node:
        """The product of ``count`` factors in the printed order, of which ``first`` is the step of the first one."""
        letter, _, _, body, _ = self.product.nodes
        steps = [shifted(first, -k if self.falls else k) for k in range(count)]
        parts = [replaced(body, letter.head, s) for s in steps]
        return parts[0] if count == 1 else Node("Mul", tuple(parts))


def telescope(n: Node, letter: str) -> Telescope | None:
    """A product with dots, or over a lag, as one over steps; None where the printed factors do not tell it."""
    if n.op == "Prod":
        return _counted_back(n)
    parts = _flat(n)
    dots = [k for k, p in enumerate(parts) if p.op == "Ellipsis"]
    if len(dots) != 1 or not 0 < dots[0] < len(parts) - 1:
        return None
    before, after = parts[: dots[0]], parts[dots[0] + 1 :]
    size = next((k for k in range(1, len(before) + 1) if len(before) % k == 0 and len(after) % k == 0
                 and _alike([*before, *after], k) is not None), None)
    shifts = _alike([*before, *after], size) if size else None
    if size is None or shifts is None:
        return None
    first, *rest = shifts
    ahead = [s for s in rest[: len(before) // size - 1]]
    direction = _direction(first, rest, ahead, len(after) // size, letter)
    if direction is None:
        return None
    name = fresh([n])
    block = parts[:size]
    body = block[0] if size == 1 else Node("Mul", tuple(block))
    body = _restepped(body, first, name)
    end = rest[-1]
    late, early = (first, end) if direction < 0 else (end, first)
    return Telescope(Node("Prod", (Node("Sym", (name,)), tree(early), tree(late), body, ABSENT)), direction < 0)


def _counted_back(n: Node) -> Telescope | None:
    """A product over j of what is at the step t - j: over the steps, the latest first."""
    variable, low, high, body, restriction = n.nodes
    steps = [count(m.nodes[0]) for m in walk(body) if m.op == "Time"]
    bases = {tuple(x for x, k in c[0] if x != variable.head) for c in steps if c is not None and dict(c[0]).get(variable.head) == -1}
    if restriction.op != "Absent" or len(bases) != 1 or any(c is None or dict(c[0]).get(variable.head) != -1 for c in steps):
        return None
    ends = count(low), count(high)
    (base,), name = bases, fresh([n])
    if len(base) != 1 or ends[0] is None or ends[1] is None:
        return None
    whole: Count = ((base[0], 1),), 0
    first, last = minus(whole, ends[1]), minus(whole, ends[0])
    there = _counted(body, {variable.head: minus(whole, (((name, 1),), 0))})
    return Telescope(Node("Prod", (Node("Sym", (name,)), tree(first), tree(last), there, ABSENT)), True)


def _flat(n: Node) -> list[Node]:
    """The factors of a product, through products in it."""
    return [p for a in n.nodes for p in _flat(a)] if n.op in ("Mul", "Star", "Dot") else [n]


def _alike(parts: Sequence[Node], size: int) -> list[Count] | None:
    """The step of each group of factors, where all groups are the same up to their step."""
    groups = [Node("Mul", tuple(parts[k : k + size])) for k in range(0, len(parts), size)]
    model = groups[0]
    own = _steps(model)
    if not own:
        return None
    out = [own[0]]
    for g in groups[1:]:
        others = _steps(g)
        if len(others) != len(own) or _blank(g) != _blank(model):
            return None
        apart = {minus(b, a) for a, b in zip(own, others, strict=True)}
        if len(apart) != 1:
            return None
        out.append(others[0])
    return out


def _direction(first: Count, rest: list[Count], ahead: list[Count], behind: int, letter: str) -> int | None:
    """-1 where the steps fall from factor to factor, 1 where they rise; None where the factors do not say it."""
    printed = [first, *ahead]
    tail = rest[len(ahead):]
    pairs = [minus(b, a) for row in (printed, tail) for a, b in zip(row, row[1:], strict=False)]
    if any(letters or step not in (1, -1) for letters, step in pairs) or len(set(pairs)) > 1:
        return None
    if pairs:
        return pairs[0][1]
    letters = dict(minus(rest[-1], first)[0])
    ranks = {"T": 3, letter: 2}
    late, early = (max((ranks.get(x, 1) for x, _ in c[0]), default=0) for c in (first, rest[-1]))
    return None if late == early or not letters else -1 if late > early else 1


def _steps(n: Node) -> list[Count]:
    """The steps that are printed in a tree, in order; an empty list where one is no sum of letters and numbers."""
    found = [count(m.nodes[0]) for m in walk(n) if m.op == "Time"]
    return [c for c in found if c is not None] if all(c is not None for c in found) else []


def _blank(n: Node) -> Node:
    """A tree without its steps."""
    if n.op == "Time":
        return Node("Time", (ABSENT,))
    return Node(n.op, tuple(_blank(a) if isinstance(a, Node) else a for a in n.args))


def _restepped(n: Node, first: Count, name: str) -> Node:
    """A factor with a letter for its step."""
    if n.op == "Time":
        c = count(n.nodes[0])
        assert c is not None
        return Node("Time", (tree(plus(minus(c, first), ((((name, 1),)), 0))),))
    return Node(n.op, tuple(_restepped(a, first, name) if isinstance(a, Node) else a for a in n.args), n.span)


# ------------------------------------------------------------------------------------------------- products of Jacobians in a formula
FIRST_LEFT = "the factors of earlier steps stand on the left"
"""How a product of transposed Jacobians is read."""


@dataclass(frozen=True)
class Inner:
    """A product over steps that stands in a formula; ``falls`` is None where its sign does not say which factor stands first.

    ``before`` and ``after`` are further factors of ``node``.
    """

    node: Node
    product: Node
    falls: bool | None
    before: tuple[Node, ...] = ()
    after: tuple[Node, ...] = ()

    def speaks_of_own_step(self) -> bool:
        """Whether a factor has no step but its own."""
        letter, _, _, body, _ = self.product.nodes
        counts = [count(m.nodes[0]) for m in walk(body) if m.op == "Time"]
        return all(c is not None and {x for x, _ in c[0]} == {letter.head} for c in counts)

    def within(self, value: Node) -> Node:
        """The node with a value for the product."""
        return Node("Mul", (*self.before, value, *self.after), self.node.span) if self.before or self.after else value

    def step(self, letter: str) -> Node:
        """One factor, at the step that ``letter`` stands for."""
        return replaced(self.product.nodes[3], self.product.nodes[0].head, Node("Sym", (letter,)))

    def derivative(self, state: str, ahead: int) -> Node:
        """The derivative of the state at the last step by the one before the first, if one factor is that at ``ahead`` steps later."""
        _, low, high, _, _ = self.product.nodes
        return between(state, shifted(high, ahead), shifted(low, ahead - 1))


def between(state: str, late: Node, early: Node) -> Node:
    """The derivative of a state at a step by the same at another."""
    top, bottom = (Node("Sym", (state, Node("Time", (step,)))) for step in (late, early))
    return Node("Deriv", ("partial", "1", top, bottom))


def inner_products(n: Node, letter: str) -> Iterator[Inner]:
    """The products over steps in a formula, outermost first."""
    found = telescope(n, letter) if n.op in ("Prod", "Mul", "Star", "Dot") else None
    if found is not None:
        yield Inner(n, found.product, found.falls)
    elif n.op == "Prod" and n.nodes[4].op == "Absent" and all(count(m) is not None for m in n.nodes[1:3]) and len(n.nodes[0].args) == 1:
        yield Inner(n, n, None)
    elif n.op in ("Mul", "Star", "Dot") and (run := _run(n, letter)) is not None:
        yield run
    else:
        for a in n.nodes:
            yield from inner_products(a, letter)


def _run(n: Node, letter: str) -> Inner | None:
    """The factors round the dots of a product, as far as they are alike; the others are left as they are."""
    parts = _flat(n)
    dots = [k for k, p in enumerate(parts) if p.op == "Ellipsis"]
    if len(dots) != 1:
        return None
    for width in range(len(parts) - 1, 2, -1):
        for start in range(len(parts) - width + 1):
            if not start < dots[0] < start + width - 1:
                continue
            some = Node("Mul", tuple(parts[start : start + width]))
            found = telescope(some, letter)
            if found is not None:
                return Inner(n, found.product, found.falls, tuple(parts[:start]), tuple(parts[start + width :]))
    return None


def put(n: Node, old: Node, new: Node) -> Node:
    """A tree with one part in the place of another."""
    if n == old:
        return new
    return Node(n.op, tuple(put(a, old, new) if isinstance(a, Node) else a for a in n.args), n.span)


# ------------------------------------------------------------------------------------------------------------------------ lags
def lagged(sides: tuple[Node, Node], lag: tuple[str, str, int]) -> tuple[Node, Node]:
    """Both sides with a letter for the step that is counted back (or on) from another one: what :func:`lag_of` found."""
    base, letter, sign = lag
    name = fresh(sides)
    value: Count = tuple(sorted(((base, -sign), (name, sign)))), 0     # the lag: base - name, or name - base
    left, right = (_counted(side, {letter: value}) for side in sides)
    return left, right


def lag_of(sides: tuple[Node, Node], letter: str) -> tuple[str, str, int] | None:
    """The step that a lag is counted from, the letter of the lag, and its sign."""
    times = [c for side in sides for n in walk(side) if n.op == "Time" and (c := count(n.nodes[0])) is not None]
    bound = {n.nodes[0].head for side in sides for n in walk(side) if n.op in ("Sum", "Prod")}
    lags = {(base, x, k) for letters, _ in times if len(letters) == 2 for base, one in letters for x, k in letters
            if x != base and x not in bound and one == 1 and abs(k) == 1 and base in (letter, "T")}
    if len(lags) != 1:
        return None
    (base, lag, sign), = lags
    alone = any(dict(letters).get(lag) and len(letters) != 2 for letters, _ in times)
    return None if alone else (base, lag, sign)


def with_number(n: Node, letter: str, value: int) -> Node:
    """A tree with a number for a letter that counts; a power with it in its exponent is written out."""
    if n.op == "Pow" and any(m == Node("Sym", (letter,)) for m in walk(n.nodes[1])):
        base, c = with_number(n.nodes[0], letter, value), count(with_number(n.nodes[1], letter, value))
        if c is not None and not c[0] and 0 < c[1] < 9:
            return base if c[1] == 1 else Node("Mul", (base,) * c[1], n.span)
    if count(n) is not None:
        return _counted(n, {letter: ((), value)})
    return Node(n.op, tuple(with_number(a, letter, value) if isinstance(a, Node) else a for a in n.args), n.span)


def _counted(n: Node, values: Mapping[str, Count]) -> Node:
    """A tree with letters in counts (steps, bounds, exponents) replaced by what they are."""
    c = count(n) if n.op in ("Add", "Neg", "Sym") and not n.part("Time") else None
    if c is not None and any(x in values for x, _ in c[0]):
        out: Count = ((), c[1])
        for x, k in c[0]:
            out = plus(out, times(values.get(x, (((x, 1),), 0)), k))
        return tree(out)
    return Node(n.op, tuple(_counted(a, values) if isinstance(a, Node) else a for a in n.args), n.span)


# --------------------------------------------------------------------------------------------------------------------- instances
def shifted(n: Node, k: int) -> Node:
    """A step some steps later."""
    c = count(n)
    assert c is not None
    return tree(plus(c, ((), k)))


def replaced(n: Node, letter: str, step: Node) -> Node:
    """A tree with a step for a letter, in sums too."""
    c = count(step)
    assert c is not None
    return _counted(n, {letter: c})


def fresh(trees: Sequence[Node]) -> str:
    """A letter that some trees do not use."""
    used = {m.head for n in trees for m in walk(n) if m.op == "Sym"}
    return next(x for x in LETTERS if x not in used)


def instances(sides: tuple[Node, Node], found: Telescope, letter: str, least: int) -> Iterator[tuple[str, tuple[Node, Node]]]:
    """An equation with so few steps that each factor can be written, with what was put for a letter."""
    _, low, high, _, _ = found.product.nodes
    early, late = count(low), count(high)
    assert early is not None and late is not None
    up, down = (dict(c[0]) for c in (late, early))
    for more in range(3):
        factors = least + more
        if len(down) == 1 and next(iter(down.values())) == 1 and len(up) == 1:
            (x,), (base,) = down, up
            value: Count = (((base, 1),), late[1] - early[1] + 1 - factors)        # early + x = late + base - (factors - 1)
        elif not down and len(up) == 1:
            (x,) = up
            value = ((), early[1] + factors - 1 - late[1])
        else:
            return
        whole = found.factors(high if found.falls else low, factors)
        out = tuple(_counted(whole if telescope(side, letter) == found else side, {x: value}) for side in sides)
        yield f"{x} = {_words(value)}", out                            # type: ignore[misc]


def _words(c: Count) -> str:
    letters = "".join(x for x, _ in c[0])
    return letters + (f" - {-c[1]}" if c[1] < 0 and letters else f" + {c[1]}" if c[1] and letters else "" if letters else str(c[1]))
