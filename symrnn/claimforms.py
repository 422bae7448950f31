"""What can be said of one claim by its form: its shapes, its letters, whether it is a chain rule or speaks of the loss."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from symrnn.document import Sides
from symrnn.expr import (
    NOW,
    SCALAR,
    Expr,
    Index,
    Size,
    fix_time,
    node,
    ones,
    own_shape,
    resize,
    smul,
    symbol,
    symbols,
    transform,
    unify,
    unknown,
    walk,
    zeros,
)
from symrnn.model import Model
from symrnn.prove.claim import Claim
from symrnn.prove.verdict import Verdict
from symrnn.read.scope import LOSS, TOTAL
from symrnn.read.symbols import SymbolTable
from symrnn.read.tree import Node
from symrnn.read.tree import walk as nodes_of

SINGLE = " has one entry"
"""How a condition ends by which an array is a single number."""


def fitted(left: Expr, right: Expr) -> tuple[Expr, Expr]:
    """The two sides with open sizes as the claim itself needs them, and a plain 0 beside an array as the array of zeros."""
    for a, b in ((left, right), (right, left)):
        shape = own_shape(b) if a.op == "num" and a.attr == 0 else SCALAR
        if shape not in (None, SCALAR):
            zero = zeros(shape)
            left, right = (zero, right) if a is left else (left, zero)
    values = unify([(left, right)])
    return resize(left, values), resize(right, values)


def named_by(claim: Claim) -> str | None:
    """The unspecified function that a claim would define: it stands alone on the left, with symbols, and nowhere else."""
    f = claim.left.args[0] if claim.left.op == "entry" else claim.left
    if f.op != "apply" or not f.attr.startswith("?") or f.attr.endswith("'") or f.args[0].op != "sym":
        return None
    sides = (claim.right, *(e.right for e in claim.model.equations))
    used = any(x.op == "apply" and x.attr.rstrip("'") == f.attr for side in sides for x in walk(side))
    return None if used else f.attr[1:]


def at_running_step(claim: Claim) -> Claim | None:
    """A claim that stands at a step by another letter alone, as at the j of a product before it, at the running step; None for others.

    >>> from symrnn.expr import Time, fix_time
    >>> from symrnn.model import Model, param, sequence
    >>> h, W = sequence("h", "n"), param("W", "n", "n")
    >>> model = Model.build("m", [(h, W @ h[-1])])
    >>> print(at_running_step(Claim(fix_time(h, "t", Time("j")), fix_time(W @ h[-1], "t", Time("j")), model)).right)
    W @ h[t-1]
    """
    sides = (claim.left, claim.right)
    letters = {s.time.base for side in sides for s in symbols(side) if s.time is not None} - {""}
    summed = any(x.op in ("tsum", "mpow") for side in sides for x in walk(side))
    if len(letters) != 1 or summed or letters & {"t", "T", *(str(x) for c in claim.conditions for x in c.subject)}:
        return None
    (letter,) = letters
    return replace(claim, left=fix_time(claim.left, letter, NOW), right=fix_time(claim.right, letter, NOW))


def ahead(claim: Claim) -> bool:
    """Whether a claim prints something at a step after the running one."""
    return any(s.time is not None and s.time.base == "t" and s.time.offset > 0 for e in (claim.left, claim.right) for s in symbols(e))


def made_single(left: Expr, right: Expr) -> tuple[str, ...]:
    """The arrays of unknown size that the claim itself makes single numbers: what fits in no other way was hardly meant so."""
    values = unify([(left, right)])
    found = {s.name: s.shape for s in (*symbols(left), *symbols(right)) if any(map(unknown, s.shape))}
    return tuple(name for name, shape in found.items() if all(values.get(n, n) == 1 if isinstance(n, str) else n == 1 for n in shape))


def scaled(e: Expr) -> Expr:
    """The expression with what is multiplied by a number as scaled by it, where the number was no such when the product was written."""
    def change(x: Expr) -> Expr | None:
        if x.op not in ("matmul", "had") or x.shape is not None or len(x.args) != 2 or SCALAR not in (x.args[0].shape, x.args[1].shape):
            return None
        a, b = x.args
        return smul(a, b) if a.shape == SCALAR else smul(b, a)
    return transform(e, change)


def only_if_single(v: Verdict, single: tuple[str, ...]) -> Verdict:
    """What is true for arrays of one entry only is conditional."""
    if v.word != "proved" or not single:
        return v
    words = tuple(f"{name}{SINGLE}" for name in single)
    if any(name[:1].isupper() for name in single):                    # a matrix, as likely as not
        return Verdict("undecided", "SR103", "true when " + " and ".join(words) + "; nothing says what sizes they have")
    return replace(v, word="conditional", reason="true when " + " and ".join(words) + "; the shapes fit in no other way",
                   conditions=(*v.conditions, *words))


def unsolved(left: Expr, right: Expr) -> str | None:
    """Why shapes decide nothing: a conflict that rests on a size nobody stated."""
    for fault in (left.fault, right.fault):
        if fault is not None and any(unknown(n) for s in (fault.left, fault.right) if s for n in s):
            return "the shapes of its symbols are not all known"
    if left.fault is not None or right.fault is not None:             # a conflict of known sizes, whatever the others are
        return None
    named_sizes = {n for side in (left, right) for s in symbols(side) for n in s.shape}
    for x in (x for side in (left, right) for x in walk(side)):
        loose = [i.size for i in x.attr if isinstance(i, Index)] if x.op in ("delta", "entry") else [x.attr] if x.op == "eye" else []
        if any(unknown(n) and n not in named_sizes for n in loose):
            return "the size of the identity matrix in it is not known"
    if left.shape and right.shape and left.shape != right.shape and any(map(unknown, (*left.shape, *right.shape))):
        return "the shapes of its two sides are not all known"
    return None


def disputed(claim: Claim, open_sizes: set[str]) -> tuple[str, Size] | None:
    """The first open size at which a claim does not fit, and the size that it would have to be."""
    fault = claim.left.fault or claim.right.fault
    first, second = (fault.left, fault.right) if fault is not None else (claim.left.shape, claim.right.shape)
    if first is None or second is None:
        return None
    pairs = [(first[1], second[0])] if fault is not None and "multiply" in fault.what else list(zip(first, second, strict=True))
    apart = [pair for pair in pairs if pair[0] != pair[1] and 1 not in pair]
    return next(((a, b) for pair in apart for a, b in (pair, pair[::-1]) if a in open_sizes and isinstance(a, str)), None)


def resized(claim: Claim, values: Mapping[str, Size]) -> Claim:
    """The claim, and the network it is about, with other sizes."""
    model = replace(claim.model, equations=tuple(e.resized(values) for e in claim.model.equations))
    return replace(claim, left=resize(claim.left, values), right=resize(claim.right, values), model=model)


def rule_letters(sides: Sides, letter: str) -> frozenset[str] | None:
    """For a relation in which no symbol has the running time, which may be a rule for any quantities: what it takes gradients of."""
    nodes = [n for side in (sides.left, sides.right) for n in nodes_of(side)]
    times = {(n.head, time.nodes[0]) for n in nodes if n.op == "Sym" and (time := n.part("Time")) is not None}
    plain = all(step.op == "Sym" and len(step.args) == 1 and step.head != letter for _, step in times)
    signs = {n.head for n in nodes if n.op == "Deriv"}                # beside a d, a round d hints at other paths
    if not plain or len(signs) > 1 or len({name for name, _ in times}) < len(times):
        return None
    return frozenset(n.nodes[1].head for n in nodes if n.op == "Grad" and n.nodes[1].op == "Sym")


def with_columns(tree: Node | None) -> bool:
    """Whether a formula for a gradient has it as a column: behind something transposed, or before a transposed column."""
    chains = (n for n in nodes_of(tree) if n.op == "Chain") if tree is not None else ()
    speaking = (c for c in chains if any(n.op in GRADIENTS or n.op == "Sym" and n.head.startswith("delta") for n in nodes_of(c)))
    products = (n.nodes for c in speaking for n in nodes_of(c) if n.op in ("Mul", "Dot"))
    return any(a.op == "Transpose" and (b.op in (*GRADIENTS, "Had") or _is_parameter(a.nodes[0]) and b.op != "Transpose")
               or b.op == "Transpose" and a.op != "Transpose" and b.nodes[0].op == "Sym" and not _is_parameter(b.nodes[0])
               for factors in products for a, b in pairwise(factors))


GRADIENTS = ("Deriv", "Grad", "Gradient")


def _is_parameter(n: Node) -> bool:
    """A symbol without a step in a capital letter, as a matrix has."""
    return n.op == "Sym" and n.part("Time") is None and n.head[:1].isupper()


def is_size(name: str, table: SymbolTable) -> bool:
    """Whether a letter is declared as a size, or is the size of something."""
    d = table.get(name)
    return d is not None and d.kind == "size" or any(name == n for d in table for n in d.shape)


def size_or_sequence(sides: Sides, table: SymbolTable) -> str | None:
    """A letter of a side made of sizes and numbers alone that also has a value at every step: it is printed as the size."""
    sizes = {n for d in table for n in d.shape} | {d.name for d in table if d.kind == "size"}
    for side in (sides.left, sides.right):
        letters = [n for n in nodes_of(side) if n.op == "Sym"]
        if side.op != "Sym" and letters and all(len(n.args) == 1 and n.head in sizes for n in letters):
            twice = (n.head for n in letters if (d := table.get(n.head)) is not None and d.sequence)
            return next(twice, None)
    return None


def is_chain_rule(e: Expr) -> bool:
    """A product of derivatives and nothing else, as it is printed for scalars and arrays alike."""
    return e.op == "deriv" or e.op in ("matmul", "smul", "had") and all(map(is_chain_rule, e.args))


def every_term_of_loss(e: Expr) -> bool:
    """Whether each term of a sum has the loss in it, so that no term may be what the text's own loss gives."""
    if e.op == "add":
        return all(map(every_term_of_loss, e.args))
    if e.op in ("matmul", "had", "smul", "mul", "dot"):               # a sum in brackets has terms too
        return any(map(every_term_of_loss, e.args))
    return every_term_of_loss(e.args[0]) if e.op in ("tsum", "isum", "transpose", "diag") else speaks_of_loss(e)


def cross_entropy_targets(model: Model) -> set[str]:
    """The given vectors whose components stand before logarithms in the loss of a step, and nowhere else.

    >>> from symrnn.expr import NOW, apply, symbol, transpose
    >>> from symrnn.model import sequence
    >>> o, y = sequence("o", "n", kind="input"), sequence("y", "n", kind="input")
    >>> cross_entropy_targets(Model.build("m", [(symbol(LOSS, SCALAR, "variable", NOW), -(transpose(y) @ apply("log", o)))], loss=LOSS))
    {'y'}
    """
    loss = model.definitions.get(model.loss or "")
    found: set[str] = set()
    for x in walk(loss) if loss is not None else ():
        if x.op in ("mul", "matmul", "smul", "had", "dot") and len(x.args) > 1:
            for a, b in zip(x.args, x.args[1:], strict=False):
                if any(z.op == "apply" and z.attr == "log" for z in walk(b)) and not any(z.op == "apply" for z in walk(a)):
                    found |= {s.name for s in symbols(a) if s.kind != "variable" and s.shape[1] == 1 and s.shape != SCALAR}
    return found - {s.name for e in model.equations if e.name != model.loss for s in symbols(e.right)}


def speaks_of_loss(e: Expr) -> bool:
    """Whether the total loss or the loss of a step stands in an expression."""
    return any(s.name in (TOTAL, LOSS) for s in symbols(e))


def shifts(claim: Claim) -> Iterator[tuple[str, Claim]]:
    """For each free column without a time that is added inside a softmax its name, and the claim with one number at all its components."""
    used = {s for e in claim.model.equations for s in (e.left, *symbols(e.right))}
    sums = [x.args[0] for side in (claim.left, claim.right) for x in walk(side) if x.op == "softmax" and x.args[0].op == "add"]
    added = {s for total in sums for term in total.args if len(found := list(symbols(term))) == 1 for s in found}
    for s in sorted(added - used, key=lambda s: s.name):
        if s.time is None and s.shape != SCALAR and s.shape[1] == 1:
            number = {node("sym", attr=s): smul(symbol(s.name), ones(s.shape))}
            yield s.name, replace(claim, left=transform(claim.left, number.get), right=transform(claim.right, number.get))


def whole_of_blocks(left: Expr, right: Expr, model: Model) -> str | None:
    """A matrix before stacked vectors on one side only, which no equation holds: the claim may say what its blocks are.

    >>> from symrnn.expr import NOW, matmul, stack, symbol
    >>> h, x, W = symbol("h", ("n", 1), "input", NOW), symbol("x", ("m", 1), "input", NOW), symbol("W", ("n", "m+n"), "parameter")
    >>> whole_of_blocks(h, matmul(W, stack(h, x)), Model.build("m", []))
    'W'
    """
    known = {s.name for e in model.equations for s in symbols(e.right)}
    for side, other in ((left, right), (right, left)):
        rest = {s.name for s in symbols(other)} | known
        for x in walk(side):
            if x.op == "matmul" and x.args[0].op == "sym" and x.args[1].op == "cat" and x.args[0].attr.name not in rest:
                return str(x.args[0].attr.name)
    return None
