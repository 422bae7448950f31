"""Documents to models: every equation of the main scope that means to define a variable must do so, or an error says where and why.

Judging leaves such an equation undecided or refuted; a model without it would be another one.
"""
from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from symrnn.document import Compiled, Row, Statement, compile_document
from symrnn.errors import DeclarationError, DocumentError, ModelError, Place, ReadError, ShapeError, SymrnnError
from symrnn.expr import Expr, node, resize, show_shape, symbols, unify, vectorise
from symrnn.expr.functions import TABLE
from symrnn.lastloss import aimed, marked
from symrnn.losses import foresees
from symrnn.model import Model
from symrnn.read.document import parse_document
from symrnn.read.elaborate import Elaborator, Meaningless
from symrnn.read.infer import LOSSES
from symrnn.read.scope import LOSS
from symrnn.read.tree import Node, walk
from symrnn.setting import Setting
from symrnn.zoo import Source

SEVERAL = ("Matrix", "Stack", "Tuple", "List")
"""What puts several variables together on the left of an equation."""


def compile_model(source: Source) -> Model:
    """The model that the equations of a document define (those of its main scope).

    Raises DocumentError, DeclarationError, ReadError, ShapeError or ModelError, each with the place of the equation.
    """
    document = parse_document(source.text, str(source.path or f"{source.name}.md"), Path(source.path).parent if source.path else None)
    for line, column, words in document.problems:
        raise DocumentError(f"the document {document.path}", must="be read as a whole", came=words,
                            where=Place(document.path, line, column), next_step="Close or correct what stands there.")
    compiled = compile_document(document)
    main = compiled.settings["main"]
    for row in equations(compiled, main):
        for error in faults(compiled, row):
            raise error
    if not main.equations:
        raise ModelError(f"the document {document.path}", must="define a variable by an equation", came="no definition",
                         where=Place(document.path),
                         next_step="write for example $$ h_t = \\tanh(W h_{t-1} + U x_t) $$ and declare its symbols")
    later = [x for x in compiled.settings.values() if x is not main and x.opened and LOSS in x.scope.defined]
    if later and LOSS not in main.scope.defined:
        raise ModelError(f"the document {document.path}", must="define every variable once", came="a second definition of "
                         + ", ".join(sorted(later[0].opened)), where=Place(document.path),
                         next_step="rename one of them, or write one document for each model")
    try:
        return marked(aimed(main.model(source.name), main.scope.final & LOSSES, LOSS))
    except SymrnnError as error:
        raise error.at(Place(document.path)) from None


def equations(compiled: Compiled, setting: Setting) -> Iterator[Row]:
    """The equations of a scope, apart from those that a directive judges."""
    for row in compiled.rows:
        n = row.span.directive
        judged = n is not None and compiled.document.directives[n].name == "audit"
        if row.setting is setting and not judged:
            yield row


def faults(compiled: Compiled, row: Row) -> Iterator[SymrnnError]:
    """Why a row that was not read, has no meaning or does not fit defines nothing."""
    document, start = compiled.document, row.span.offset
    if row.reading.unread is not None:
        u = row.reading.unread
        yield u.error(row.span.latex, document.place(start + u.offset))
    elif isinstance(row.found, Meaningless):
        yield meaningless(row.found, row, document.place(start + offset_of(row.found, row)))
    else:
        for s in row.found:
            error = undefined(s, row, compiled) if s.role == "claim" else None
            if error is not None:
                yield error


def meaningless(reason: Meaningless, row: Row, where: Place) -> SymrnnError:
    """The error for an equation that has no meaning in its scope."""
    if reason.code == "SR103":
        return DeclarationError(row.span.latex, must="have declared or defined symbols only", came=reason.reason, where=where,
                                next_step='Declare the symbol in the front matter, such as `symbols: {W: matrix n_h n_h}`.')
    next_step = "Write it in the notation of docs/documents.md."
    if reason.reason.endswith("is not in the table"):
        next_step = (f"Write it with one of {', '.join(sorted(TABLE))}, or give the function a row in symrnn/expr/functions.py, "
                     "which the tests then prove.")
    return ReadError(row.span.latex, must="have a meaning in its scope", came=reason.reason, where=where, next_step=next_step)


def offset_of(reason: Meaningless, row: Row) -> int:
    """Where in the span the symbol stands that has no meaning; the start of the span if that is not known."""
    tree = row.reading.tree
    named = (n.span[0] for n in (walk(tree) if tree is not None else ()) if n.op == "Sym" and n.head == reason.reason.split()[0])
    return reason.span[0] or next(named, 0)


def undefined(s: Statement, row: Row, compiled: Compiled) -> SymrnnError | None:
    """The error for a statement whose left side is a variable that nothing defines; None for a claim about something defined."""
    left, right = s.sides[0].left, s.sides[0].right
    setting, place = row.setting, compiled.document.place(row.span.offset + s.tree.span[0])
    if s.sides[0].relation not in ("=", ":=", "<-"):
        return None
    if left.op in SEVERAL and (names := variables_named(left, setting)):
        return ModelError(row.span.latex, must="define its variables", came=f"a form that defines none of {', '.join(names)}",
                          where=place, next_step="Write one equation for each variable.")
    total = is_loss(left, setting, timed=False)
    if not (setting.undefined(left) or total or is_loss(left, setting, timed=True)):
        return None
    try:
        target, value = Elaborator(setting.scope)(left), vectorise(Elaborator(setting.scope)(right))
    except Meaningless as reason:
        return meaningless(reason, row, compiled.document.place(row.span.offset + offset_of(reason, row)))
    if total:
        return ModelError(row.span.latex, must="be the sum over the steps of the loss of one step", came=str(value), where=place,
                          next_step=r"Write for example L = \sum_{t=1}^{T} \ell_t, and \ell_t by an equation of its own.")
    if setting.needs(value, left.head):
        return ModelError(row.span.latex, must=f"not need {left.head} of the same step", came="a cycle", where=place,
                          next_step="Use the value of the step before (t-1) where it is meant.")
    if left.head in setting.backward and foresees(value, setting.backward):
        return ModelError(row.span.latex, must="define its left side, which runs backward, by the present step and by what runs backward "
                          "at later ones", came=ahead(value, setting.backward), where=place,
                          next_step="Give the quantity of the other step a name of its own, by an equation at step t.")
    if left.head not in setting.backward and foresees(value):
        return ModelError(row.span.latex, must="define its left side by the present step and a fixed number of steps before it",
                          came=ahead(value), where=place, next_step="Write a recurrence that is causal, or declare in the front "
                          "matter what runs from the last step to the first: `backward: [g]`.")
    return misfit(target, value, row, place) or ModelError(
        row.span.latex, must=f"define {left.head}", came=f"an equation that does not: {target} = {value}", where=place,
        next_step="Declare its symbols, and write it as a variable at step t that is equal to something.")


def is_loss(n: Node, setting: Setting, timed: bool) -> bool:
    """Whether a side is the letter of the loss, of a step or of all, and no loss is understood."""
    named = setting.scope.loss if timed else setting.scope.total
    plain = n.op == "Sym" and len(n.args) == 1 + timed and (n.part("Time") is not None) is timed
    return plain and LOSS not in setting.scope.defined and (n.head == named or named is None and n.head in LOSSES)


def ahead(value: Expr, backward: Collection[str] = ()) -> str:
    """What a value needs of steps that it must not need, or that it sums over steps."""
    late = [s for s in symbols(value) if s.time is not None and foresees(node("sym", attr=s), backward)]
    return f"{late[0]}, of another step" if late else "a sum over steps"


def variables_named(n: Node, setting: Setting) -> tuple[str, ...]:
    """The variables without a definition that a side names: itself, or the parts of a column or list."""
    parts = [x for row in n.nodes for x in (row.nodes if row.op == "Row" else (row,))] if n.op in SEVERAL else [n]
    return tuple(x.head for x in parts if setting.undefined(x))


def misfit(target: Expr, value: Expr, row: Row, where: Place) -> SymrnnError | None:
    """The error for two sides of different shapes, or a right side that has none."""
    value = resize(value, unify([(target, value)]))
    fault = value.fault
    if fault is not None:
        return ShapeError(row.span.latex, must="have shapes that fit", came=str(fault), left=fault.left, right=fault.right, where=where,
                          next_step="Check the declared shapes of its symbols.")
    if target.shape is not None and value.shape is not None and target.shape != value.shape:
        return ShapeError(row.span.latex, must=f"have a right side that is {show_shape(target.shape)}, as its left side",
                          came=show_shape(value.shape), left=target.shape, right=value.shape, where=where,
                          next_step="Check the declared shapes of its symbols.")
    return None
