"""The derivatives of the functions that the equations of a model use: diagonal ones, that of softmax, and fused pairs."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symrnn.bptt import Derivation, adjoint, fusion, fusions
from symrnn.calculus import slope, softmax_jacobian
from symrnn.expr import Expr, Index, Symbol, delta, derivative, diag, entry, fix_time, node, smul, symbols, transform
from symrnn.model import LAST, Model
from symrnn.write.cases import placed
from symrnn.write.page import Block, Heading, Paragraph
from symrnn.write.voice import Voice
from symrnn.write.words import listed


def softmax_equations(m: Model) -> list[tuple[Symbol, Symbol]]:
    """(p, o) for every equation p = softmax(o)."""
    return [(e.left, e.right.args[0].attr) for e in m.equations if e.right.op == "softmax" and e.right.args[0].op == "sym"]


def jacobian(p: Symbol, o: Symbol) -> list[tuple[Expr, Expr]]:
    """The Jacobian of p = softmax(o), as a matrix and entry by entry, for any number of classes."""
    pe, oe = node("sym", attr=p), node("sym", attr=o)
    i, j = Index("i", p.shape[0]), Index("j", p.shape[0])
    by_entry = smul(entry(pe, i), delta(i, j) - entry(pe, j))
    return [(derivative(pe, oe, "partial"), softmax_jacobian(pe)),
            (derivative(entry(pe, i), entry(oe, j), "partial"), by_entry)]


def diagonals(m: Model) -> list[tuple[Expr, Expr]]:
    """The Jacobians of the vectors that are a function of another one, entry by entry."""
    out = []
    for e in m.equations:
        if e.right.op == "apply" and e.right.args[0].op == "sym" and e.left.shape[1] == 1 != e.left.shape[0]:
            value, u = node("sym", attr=e.left), e.right.args[0]
            out.append((derivative(value, u, "partial"), diag(slope(e.right.attr, u, value))))
    return out


def fused(d: Derivation, name: str) -> list[Expr]:
    """The forms of the adjoint of a variable whose function belongs to the loss: by the rules alone, with the derivative of the loss
    put in, with what cancels, and with what is assumed of the targets."""
    step = next(s for s in d.trail if s.rule == "fuse" and s.target == adjoint(d.model.symbol(name)))
    (sent,) = step.before
    inserted = transform(sent, lambda x: d.adjoints.get(x.attr.name) if x.op == "sym" and x.attr.kind == "adjoint" else None)
    free = fusions(replace(d.model, simplex=frozenset()))[name][1]
    return list(dict.fromkeys((sent, inserted, free, step.after)))


def summing(m: Model, e: Expr) -> list[Symbol]:
    """The targets in the adjoint of a softmax of which is used that their entries sum to one."""
    return [s for s in symbols(e) if s.name in m.simplex]


def local_blocks(d: Derivation, v: Voice) -> Iterator[Block]:
    """The derivatives of the functions that the equations use."""
    found = diagonals(d.model)
    if found:
        yield Heading("Functions of every entry")
        yield Paragraph("An entry of the value depends on the same entry of the argument and on no other, so the Jacobian is diagonal; "
                        "multiplying by it is multiplying entry by entry:")
        yield v.display(*found)
    for p, o in softmax_equations(d.model):
        yield Heading("The Jacobian of softmax")
        yield Paragraph(f"Every entry of softmax depends on every entry of its argument, through the sum in the denominator; the quotient "
                        f"rule gives, for any number of classes, with {v(p)} as the value of softmax at {v(o)}:")
        for row in jacobian(p, o):
            yield v.display(row)
    for name, (sentence, value) in d.fused.items():
        o, pair = placed(d, d.model.symbol(name)), fusion(sentence)
        targets = [placed(d, y) for y in summing(d.model, value)] if pair.output == "softmax" else []
        last = f" The last form uses that the entries of {listed(map(v, targets))} sum to one." if targets else ""
        yield Heading(pair.name[:1].upper() + pair.name[1:])
        yield Paragraph(f"{v(o)} reaches the loss through one function alone, whose value goes into the loss and nowhere else. By the "
                        "chain rule its adjoint is the first form. The second has the derivative of the loss put in, and there "
                        f"{pair.why}, which gives the third.{last}")
        forms = fused(d, name)
        yield v.chain(adjoint(o), *((fix_time(e, "t", LAST) for e in forms) if name in d.late else forms))
