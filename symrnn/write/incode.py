"""The formulas of a derivation beside the lines of code that compute them."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile

from symrnn.bptt import Derivation, adjoint
from symrnn.expr import FIRST, LAST, NOW, Expr, Symbol, fix_time, symbols, transform, zeros
from symrnn.write.cases import at_end, cases
from symrnn.write.page import Block, Heading, Listing, Paragraph, Table
from symrnn.write.voice import Voice
from symrnn.write.words import are, listed

BACKWARDS = "_backwards("
"""What a loop from the last step to the first calls."""


@dataclass(frozen=True)
class CodeLine:
    """A line of a function; ``of`` is the quantity that it computes, or of which it computes a ``part``."""

    text: str
    of: Symbol | None = None
    part: Expr | None = None


@dataclass(frozen=True)
class CodeFunction:
    """A function of a module: its name, what it does, and its lines."""

    name: str
    what: str
    lines: tuple[CodeLine, ...]


@dataclass(frozen=True)
class Code:
    """The functions of a module, what the helpers do that they call, and what the code evaluates.

    ``evaluated`` are the right sides of the equations, ``derivation`` what follows from them: they may differ from those of the model
    where that would lose digits, such as in the logarithm of a softmax.
    """

    functions: tuple[CodeFunction, ...]
    derivation: Derivation
    helpers: Mapping[str, str] = field(default_factory=dict)
    evaluated: Mapping[str, Expr] = field(default_factory=dict)


@dataclass(frozen=True)
class NoCode:
    """Why there is no module for a model: what would have to be otherwise."""

    subject: str
    must: str
    came: str


def formulas(d: Derivation, code: Code, s: Symbol) -> list[Expr]:
    """The right sides of the formula of a quantity: that of the model first, then the one that is evaluated if it is another.

    A derivative is shown as the code has it. Nothing for what is given.
    """
    m = d.model
    if s == m.summed:
        return [m.total_loss]
    if s.kind == "gradient":
        return [code.derivation.gradients[s.name]]
    if s.kind == "adjoint" and s.time is not None and s.time.base == "T":
        return [zeros(s.shape)]
    if s.kind == "adjoint" and s.time != NOW:
        return [fix_time(code.derivation.initial[s.name], "t", FIRST)]
    if s.time != NOW:
        return [zeros(s.shape)] if m.initial == "zero" else []
    if s.kind == "adjoint":
        return [code.derivation.adjoints[s.name]]
    both = m.definitions.get(s.name), code.evaluated.get(s.name)
    return list(dict.fromkeys(e for e in both if e is not None))


def changed(d: Derivation, code: Code) -> list[Symbol]:
    """The variables whose adjoints in the code are others than in the derivation, as the code goes to the loss another way."""
    return [adjoint(d.model.symbol(name)) for name, e in d.adjoints.items() if code.derivation.adjoints.get(name, e) is not e]


def code_blocks(d: Derivation, code: Code | NoCode, v: Voice) -> Iterator[Block]:
    """The section that puts formula and code side by side, or says why there is no code."""
    yield Heading("In code")
    if isinstance(code, NoCode):
        yield Paragraph(f"No NumPy module can be written for this model. {code.subject[:1].upper() + code.subject[1:]} would have to "
                        f"{code.must}; it has {code.came}.")
        return
    yield Paragraph(f"The NumPy module for this model holds all steps of a sequence in one array: the {v.last()} steps along its first "
                    f"axis, {v.code('B')} sequences along the second, and a vector along the last. What is a column above is a row there, "
                    f"and {v.maths('W h', 'W @ h')} is {v.code('h @ W.T')}. Lines that only make room for a result are left out.")
    if others := changed(d, code):
        yield Paragraph("The code names parts of the equations, or takes the loss from another variable so that no digits are lost. The "
                        f"loss and the gradients are the same, but {listed(map(v, others))} {are(others)} not written as above.")
    shown = ""
    for f in code.functions:
        rows = tuple(_rows(d, code, f, v))
        if rows:
            yield Paragraph(f"{v.code(f.name)}: {f.what}")
            yield Table(("line", "computes"), rows)
            shown += "".join(line for line, _ in rows)
    helpers = tuple(f"{v.code(name)}: {what}" for name, what in code.helpers.items() if f"{name}(" in shown)
    if helpers:
        yield Paragraph("What the helpers do:")
        yield Listing(helpers)


def _rows(d: Derivation, code: Code, f: CodeFunction, v: Voice) -> Iterator[tuple[str, str]]:
    """The lines of a function, each formula at the first of its lines."""
    before: tuple[Symbol | None, Expr | None] = None, None
    for k, line in enumerate(f.lines):
        if line.of is not None:
            handed = line.text.startswith(" ") and line.of.time is not None and line.of.time in (NOW - 1, NOW + 1)
            words = f"{v(line.of)}, for the next step" if handed else said(d, code, line.of, line.part, v)
            yield v.code(line.text), "" if (line.of, line.part) == before else words
        elif line.text.startswith("for "):
            head = list(takewhile(lambda x: x.of is None, f.lines[k:]))
            backward = any(BACKWARDS in x.text for x in head)
            text = line.text if len(head) == 1 else f"for ... in {BACKWARDS if backward else 'zip('}...):"
            yield v.code(text), f"for {v.steps(backward)}"
        before = line.of, line.part


def said(d: Derivation, code: Code, s: Symbol, part: Expr | None, v: Voice) -> str:
    """The formula of a quantity, or of a part of it, in a cell."""
    late = d.late | code.derivation.late
    if s.name in late or part is not None and any(x.name in late for x in symbols(part)):
        s, part = at_end(s), None if part is None else fix_time(part, "t", LAST)
    if part is not None and s.time is None:
        return f"{v(part)}, for the loop"
    if part is not None:
        shown = all(x.kind != "temporary" for x in symbols(part))
        return f"a part of {v(s)}" + (f": {v(part)}" if shown else "")
    if s.time is not None and s.time.base == "t" and s.time.offset:
        return v(s)
    if s.time is not None and s.time.base == "" and s.time.offset < 0:
        origin = "zero" if d.model.initial == "zero" else "given"
        ends = f"{v(s)} to {v(Symbol(s.name, s.shape, s.kind, FIRST - 1))}"
        return f"{ends}, {'what the first steps send back' if s.kind == 'adjoint' else origin}"
    if s.time is not None and s.time == LAST and s.name in late:
        return v.equal(s, *(fix_time(e, "t", LAST) for e in formulas(d, code, Symbol(s.name, s.shape, s.kind, NOW))))
    if d.model.at_end and s.kind == "adjoint" and s.time == NOW and s.name in d.adjoints:
        return "; ".join(v.equal(case.left, case.right) for case in cases(d, s.name))
    found = formulas(d, code, s)
    return v.equal(s, *found) if found else f"{v(s)}, given"


def inlined(e: Expr, named: Mapping[str, Expr]) -> Expr:
    """An expression with the variables in ``named`` replaced by what they are.

    >>> from symrnn.expr import symbol
    >>> inlined(symbol("a", kind="variable", time=NOW) + 1, {"a": symbol("b")})
    b + 1
    """
    return transform(e, lambda x: named.get(x.attr.name) if x.op == "sym" and x.attr.kind == "variable" and x.attr.time == NOW else None)
