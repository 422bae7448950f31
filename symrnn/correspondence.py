"""A derivation beside the code that is emitted for it: the formulas of the one at the lines of the other."""
from __future__ import annotations

from symrnn.bptt import Derivation
from symrnn.emit.traced import traced
from symrnn.errors import CallError
from symrnn.write.derivation import DerivationText
from symrnn.write.incode import Code, CodeFunction, CodeLine, NoCode, inlined
from symrnn.write.notation import Notation


def code_of(d: Derivation) -> Code | NoCode:
    """The lines of the NumPy module for a derived model, or why no module can be made for it.

    >>> from symrnn.bptt import derive
    >>> from symrnn.model import Model, param, scalar, sequence
    >>> h, l = sequence("h"), scalar("l")
    >>> code_of(derive(Model.build("m", [(h, param("w") * h[-1]), (l, h**2)], loss="l"))).must
    'have an input or a target, whose length is the number of steps'
    """
    try:
        found = traced(d.model)
    except CallError as error:
        return NoCode(error.subject, error.must, error.came)
    named = {name: e for name, e in found.definitions.items() if name not in d.model.definitions}
    evaluated = {name: inlined(e, named) for name, e in found.definitions.items()}
    functions = (CodeFunction(f.name, f.what, tuple(CodeLine(str(line), line.of, line.part) for line in f.lines)) for f in found.functions)
    return Code(tuple(functions), found.derivation, found.helpers, evaluated)


def derivation_text(d: Derivation, notation: Notation | None = None, level: str = "full") -> DerivationText:
    """A derivation that can be printed, with its code where the level has it.

    >>> from symrnn.api import model
    >>> from symrnn.bptt import derive
    >>> "_sum_of_products(d_o, h[1:])" in derivation_text(derive(model("elman"))).to_text()
    True
    """
    return DerivationText.of(d, notation, level, code_of(d) if level == "full" else None)
