r"""Proofs for stacked inputs: ``W [h; x]`` is ``W_1 h + W_2 x``, and an equation of stacks is one equation for each block.

Every parameter with an axis as long as a stack falls into blocks, which are parameters of their own; a derivative by the parameter
falls into the derivatives by its blocks. What is left has no stack in it and goes to the normal form.
"""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from symrnn.expr import SCALAR, Expr, Shape, Size, Symbol, add, derivative, filled, matmul, node, rebuild, shift, transform, transpose, walk
from symrnn.model import Equation, Model
from symrnn.prove.claim import Claim, Missing, Unsupported
from symrnn.prove.identity import Proof, Prover

ENTRYWISE = ("add", "had", "pow", "apply", "tsum")
"""Operations that act on each block by itself."""

Block = int | None
"""The number of a block along an axis; None for an axis that is no stack."""


def prove_blocks(claim: Claim) -> Proof | None:
    """The proof of a claim about stacks, for all sizes and every T, or None.

    >>> from symrnn.expr import apply, stack, symbol, derivative
    >>> from symrnn.model import param, sequence
    >>> h, x, W = sequence("h", "n"), sequence("x", "m", kind="input"), param("W", "n", "m+n")
    >>> model = Model.build("m", [(h, apply("tanh", W @ stack(h[-1], x)))], total="no total")
    >>> V = param("V", "n", "m+n")
    >>> prove_blocks(Claim(V @ stack(h[-1], x) + W @ stack(h[-1], x), (V + W) @ stack(h[-1], x), model)).obligations[0]
    'every parameter that multiplies a stack falls into its blocks'
    """
    found = stacks(claim)
    if found is None:
        return None
    try:
        model = inlined(claim.model)
        blocks = Blocks(*found, claim)
        claims = list(blocks.claims(replace(claim, model=model)))
        return together("every parameter that multiplies a stack falls into its blocks", [Prover(c).prove() for c in claims])
    except (Unsupported, Missing):
        return None


def prove_parts(claim: Claim) -> Proof | None:
    """The proof of an equation between two stacks, or two rows of them, whose parts are alike: one part after the other; or None.

    >>> from symrnn.expr import stack, symbol
    >>> u, v = symbol("u", ("n", 1)), symbol("v", ("m", 1))
    >>> claim = Claim(stack(u + u, v), stack(2 * u, v), Model("none", ()))
    >>> prove_parts(claim).obligations[0], prove_parts(replace(claim, left=stack(u, v)))
    ('two stacks are equal if their parts are', None)
    """
    left, right = claim.left, claim.right
    while left.op == right.op == "transpose":
        left, right = left.args[0], right.args[0]
    if left.op != "cat" or right.op != "cat" or [a.shape for a in left.args] != [a.shape for a in right.args]:
        return None
    try:
        proofs = [Prover(replace(claim, left=a, right=b)).prove() for a, b in zip(left.args, right.args, strict=True)]
    except (Unsupported, Missing):
        return None
    return together("two stacks are equal if their parts are", proofs)


def together(first: str, proofs: Sequence[Proof | None]) -> Proof | None:
    """Several proofs as one, after what it rests on; None where one is missing."""
    rows = [p for p in proofs if p is not None]
    if not rows or len(rows) < len(proofs):
        return None

    def joined(field: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(x for p in rows for x in getattr(p, field)))
    return Proof((first, *joined("obligations")), *(joined(f) for f in ("rules", "inlined", "facts", "outside")))


def stacks(claim: Claim) -> tuple[Size, tuple[Size, ...]] | None:
    """The size of the stacks of a claim and its model and the sizes of their parts; None unless all are stacked alike."""
    sides = (claim.left, claim.right, *claim.model.definitions.values())
    found = {(x.attr, tuple(a.shape[0] for a in x.args if a.shape is not None)) for e in sides for x in walk(e) if x.op == "cat"}
    return next(iter(found)) if len(found) == 1 else None


def inlined(model: Model) -> Model:
    """The model with every variable that is a stack put in where it is used."""
    values = {e.name: e.right for e in model.equations if e.right.op == "cat"}

    def change(x: Expr) -> Expr | None:
        if x.op == "sym" and x.attr.name in values and x.attr.kind == "variable" and x.attr.time is not None and x.attr.time.base == "t":
            return shift(values[x.attr.name], x.attr.time.offset)
        return None
    rows = tuple(Equation(e.left, transform(e.right, change)) for e in model.equations if e.name not in values)
    return replace(model, equations=rows)


@dataclass(frozen=True)
class Blocks:
    """Takes expressions apart along the axes that are as long as a stack."""

    size: Size
    parts: tuple[Size, ...]
    claim: Claim

    def claims(self, claim: Claim) -> Iterator[Claim]:
        """The claims for the blocks of both sides, about the model with blocks."""
        shape = claim.left.shape
        if shape is None or shape != claim.right.shape:
            raise Unsupported("sides without a shape")
        rows = tuple(Equation(e.left, self(e.right, *self.whole(e.left.shape))) for e in claim.model.equations)
        model = replace(claim.model, equations=rows)
        for r in self.along(shape[0]):
            for c in self.along(shape[1]):
                yield replace(claim, left=self(claim.left, r, c), right=self(claim.right, r, c), model=model)

    def along(self, size: Size) -> tuple[Block, ...]:
        return tuple(range(len(self.parts))) if size == self.size else (None,)

    def whole(self, shape: Shape) -> tuple[Block, Block]:
        """The one block of something that is no stack."""
        if self.size in shape:
            raise Unsupported("a stack where none is taken apart")
        return None, None

    def __call__(self, e: Expr, r: Block, c: Block) -> Expr:
        """The block of an expression in row block r and column block c."""
        if e.shape is None:
            raise Unsupported("an ill-shaped expression")
        if not any(x.op == "cat" or x.shape is not None and self.size in x.shape for x in walk(e)):
            return e
        match e.op:
            case "sym":
                return self.symbol(e.attr, r, c)
            case "cat" if r is not None:
                return self(e.args[r], None, c)
            case "transpose":
                return transpose(self(e.args[0], c, r))
            case "matmul":
                return self.product(e, r, c)
            case "smul":
                return rebuild(e, (self(e.args[0], None, None), self(e.args[1], r, c)))
            case "deriv":
                return self.derivative(e, r, c)
            case "ones" | "zeros":
                return filled(int(e.op == "ones"), self.shape(e.shape, r, c))
            case _ if e.op in ENTRYWISE:
                return rebuild(e, tuple(self(a, r, c) for a in e.args))
            case _ if self.size not in e.shape and not any(a.shape is None or self.size in a.shape for a in e.args):
                return rebuild(e, tuple(self(a, None, None) for a in e.args))
        raise Unsupported(f"the operation {e.op} on a stack")

    def symbol(self, s: Symbol, r: Block, c: Block) -> Expr:
        """The block of a parameter or an input, one of its own; two indices tell the blocks of a symbol with two such axes apart."""
        tied = {str(x) for k in self.claim.conditions for x in k.subject}
        if self.size not in s.shape:
            return node("sym", attr=s)
        if s.kind not in ("parameter", "constant", "input") or s.name in tied:
            raise Unsupported(f"the blocks of {s}")
        label = ",".join(str(k + 1) for k in (r, c) if k is not None)
        return node("sym", attr=Symbol(f"{s.name}|{label}", self.shape(s.shape, r, c), s.kind, s.time))

    def shape(self, whole: Shape, r: Block, c: Block) -> Shape:
        return (whole[0] if r is None else self.parts[r], whole[1] if c is None else self.parts[c])

    def product(self, e: Expr, r: Block, c: Block) -> Expr:
        a, b = e.args
        assert a.shape is not None
        return add(*(matmul(self(a, r, k), self(b, k, c)) for k in self.along(a.shape[1])))

    def derivative(self, e: Expr, r: Block, c: Block) -> Expr:
        """The derivative of a number by a block, or of something by a symbol that is no stack."""
        top, bottom = e.args
        if top.shape == SCALAR and bottom.op == "sym":
            return derivative(self(top, None, None), self(bottom, r, c), e.attr)
        if r is None and c is None and bottom.shape is not None and self.size not in bottom.shape:
            return derivative(self(top, None, None), bottom, e.attr)
        raise Unsupported("a derivative of a stack")
