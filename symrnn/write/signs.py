"""The signs, functions and rules that a derivation uses, each in a table with an example and in words.

The examples are expressions: they are printed in the notation of the derivation, and what a rule does to one is asked of the rule.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symrnn.bptt import Derivation
from symrnn.calculus import PULLS, slope
from symrnn.expr import (
    NOW,
    Expr,
    Index,
    apply,
    delta,
    had,
    log_sum_exp,
    node,
    numeric,
    ones,
    part,
    quotient,
    softmax,
    stack,
    symbol,
    total,
    walk,
    zeros,
)
from symrnn.write.cases import reaches_later
from symrnn.write.local import diagonals, jacobian, softmax_equations
from symrnn.write.page import Table
from symrnn.write.voice import Voice

A, B, U, V = symbol("A", ("m", "n")), symbol("B", ("n", "k")), symbol("u", ("n", 1)), symbol("v", ("n", 1))
W, S = symbol("w", ("m", 1)), symbol("s")


@dataclass(frozen=True)
class Sign:
    """What one operation looks like, and what it means."""

    example: Expr
    words: str


SIGNS: dict[str, Sign] = {
    "adjoint": Sign(symbol("v", ("n", 1), "adjoint", NOW), "the adjoint of a symbol: how the loss of the "
                    "sequence changes with it at this step, along every path that leads from there to the loss"),
    "matmul": Sign(A @ B, "matrix product"),
    "transpose": Sign(A.T, "transpose"),
    "had": Sign(had(U, V), "product entry by entry"),
    "pow": Sign(U**2, "every entry squared; other powers likewise"),
    "diag": Sign(node("diag", U), "matrix with these entries on the diagonal and zeros elsewhere"),
    "zeros": Sign(zeros(("n", 1)), "vector of zeros"),
    "ones": Sign(ones(("n", 1)), "vector of ones"),
    "number": Sign(1 - U, "one minus every entry; other numbers beside a vector likewise"),
    "recip": Sign(quotient(ones(("n", 1)), U), "one over every entry"),
    "delta": Sign(delta(Index("i", "n"), Index("j", "n")), "1 where both indices are the same, else 0"),
    "sum": Sign(total(U), "sum of the entries"),
    "cat": Sign(stack(U, W), "one vector, with the entries of these one below the other"),
    "slice": Sign(part(U, 2, "n"), "vector of the entries with these numbers, counted from 1"),
    "softmax": Sign(softmax(U), "exp of every entry, divided by the sum of these, so that the entries are positive and sum to one"),
    "lse": Sign(log_sum_exp(U), "logarithm of the sum of exp of the entries"),
    "vjac": Sign(node("vjac", U, attr=("F", ("m", 1), 0)), "Jacobian by an argument, here the first; nothing is assumed of the function"),
    "step": Sign(apply("step", U), "1 where an entry is positive, 0 elsewhere"),
}
"""Operation -> its sign; an entrywise function has the name of the function."""

EXAMPLES: dict[str, Expr] = {
    "add": U + V, "smul": node("smul", S, U), "matmul": A @ B, "had": had(U, V), "transpose": A.T, "pow": node("pow", U, attr=3),
    "apply": apply("?f", U), "softmax": softmax(U), "lse": log_sum_exp(U), "sum": total(U), "diag": node("diag", U),
    "cat": stack(U, W), "slice": part(U, 2, "n"), "vcall": node("vcall", U, attr=("F", ("m", 1))),
}
"""Operation -> an expression on which its rule is shown."""


def operations(d: Derivation) -> set[str]:
    """The operations that occur in a derivation, entrywise functions by their names."""
    every = [*(e.right for e in d.model.equations), *(s.after for s in d.trail), *d.adjoints.values(), *d.summands.values()]
    every += [e for _, e in diagonals(d.model)] + [e for pair in softmax_equations(d.model) for _, e in jacobian(*pair)]
    late = {"zeros"} if any(reaches_later(e) for e in d.adjoints.values()) else set()
    beside = {"number"} if any(x.op == "add" and any(numeric(a)[1].op == "ones" for a in x.args) for e in every for x in walk(e)) else set()
    return {"adjoint"} | late | beside | {x.attr if x.op == "apply" else x.op for e in every for x in walk(e)}


def signs(d: Derivation, v: Voice) -> Table:
    """The signs that occur in a derivation."""
    found = operations(d)
    return Table(("sign", "meaning"), tuple((v(row.example), row.words) for op, row in SIGNS.items() if op in found))


def functions(d: Derivation, v: Voice) -> Iterator[Table]:
    """The functions that the equations take of every entry, each with its slope; nothing if there are none."""
    found = dict.fromkeys(x.attr for e in d.model.equations for x in walk(e.right) if x.op == "apply")
    rows = tuple((v(apply(f, U)), v(slope(f, U, apply(f, U)))) for f in found)
    if rows:
        yield Table(("function, taken of every entry", "its slope, entry by entry"), rows)


def rules(d: Derivation, v: Voice) -> Table:
    """The rules that the steps of a derivation name: what the cotangent g of a value does to those of its parts."""
    named = {s.rule for s in d.trail}
    return Table(("rule", "for", "the parts get", "in words"),
                 tuple((r.name, v(EXAMPLES[op]), "; ".join(passed(op, v)), r.sentence) for op, r in PULLS.items() if r.name in named))


def passed(op: str, v: Voice) -> Iterator[str]:
    """What each part of the example of an operation gets, in the words of a voice.

    >>> from symrnn.write.voice import PlainVoice
    >>> from symrnn.write.page import GLUE
    >>> [s.replace(GLUE, " ") for s in passed("matmul", PlainVoice())]
    ['A: g @ B.T', 'B: A.T @ g']
    """
    e = EXAMPLES[op]
    assert e.shape is not None
    g = symbol("g", e.shape)
    for k, a in enumerate(e.args):
        yield f"{v(a)}: {v(PULLS[op].pull(e, e, g, k))}"
