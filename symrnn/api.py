"""What symrnn does, as functions: each opens what it is given and calls the one layer that does the work.

The command line and ``symrnn.NAME`` stand on these functions and on nothing below them. Every layer is imported inside the
function that needs it, so that a command pays for what it uses.

A *progress* argument is called as ``progress(done, total, what)`` whenever a piece of work begins; see
:mod:`symrnn.cli.progress`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symrnn.errors import CallError, ModelError, Place
from symrnn.zoo import open_source

if TYPE_CHECKING:
    from symrnn.equivalence import Comparison
    from symrnn.model import Model
    from symrnn.pictures import Picture
    from symrnn.proposed import Proposal
    from symrnn.readings import Read
    from symrnn.write.derivation import DerivationText
    from symrnn.write.unrolled import UnrolledText

ProgressCall = Callable[[int, int, str], None]
PathLike = str | Path

EMIT_OUTPUTS = ("forward", "loss", "gradients")
"""The functions that an emitted module can have."""

EMIT_CHOICES = (*EMIT_OUTPUTS, "last")
"""What can be asked for: functions, or the outputs at the last step alone."""


def model(source: PathLike) -> Model:
    """Return the model of a document, or of the zoo if `source` is one of its names; ``A+B`` is A with B on top of it.

    Raises: UnknownModel, DocumentError, and what reading and compiling raise (ReadError, ShapeError, ModelError).
    """
    if layers := layers_of(source):
        return stack(*layers)
    opened = open_source(source)
    from symrnn.compiling import compile_model

    return compile_model(opened)


def stack(*sources: PathLike | Model, outputs: Sequence[str] | None = None, inputs: Sequence[str] | None = None) -> Model:
    """Return the model of a stack, the first layer at the bottom: what a layer puts out is the input of the next one.

    A source is a model, or whatever :func:`model` takes. `outputs` and `inputs` name the variables that meet where a layer has several;
    see :func:`symrnn.layers.stack`, also for what it raises.
    """
    from symrnn.layers import stack as stack_models
    from symrnn.model import Model

    models = [source if isinstance(source, Model) else model(source) for source in sources]
    return stack_models(*models, outputs=outputs, inputs=inputs)


def layers_of(source: PathLike) -> tuple[str, ...]:
    """The layers that a source with plus signs names; none where it is the name of a file.

    >>> layers_of("elman+elman-relu"), layers_of("elman")
    (('elman', 'elman-relu'), ())
    """
    parts = tuple(part.strip() for part in str(source).split("+"))
    return parts if len(parts) > 1 and all(parts) and not Path(source).exists() else ()


def audit(
    documents: PathLike | Iterable[PathLike], *, timeout: float | None = None, progress: ProgressCall | None = None
) -> Any:
    """Judge every equation of one or several documents, of any format (in a ``.jsonl`` file one claim a line); `timeout` is in seconds for
    each claim.

    The result's ``to_json()`` is a value of the schema ``symrnn-audit-1``.
    """
    from symrnn.audit import audit_files

    def audit_claims(path: Path, **options: Any) -> Any:
        from symrnn.claimfiles import audit_claims

        return audit_claims(path, **options)

    paths = [documents] if isinstance(documents, str | Path) else list(documents)
    return audit_files(paths, timeout=timeout, progress=progress, readers={".jsonl": audit_claims})


def certify(audited: Any, directory: PathLike) -> tuple[Any, str]:
    """Write a certificate for each verdict of an audit that has one; the audit with their names, and how many there are in a sentence.

    The format stands in docs/certificate.md; `symrnn/standalone/symrnn_check.py` checks it without symrnn.
    """
    from symrnn.certifying import certify_audit

    return certify_audit(audited, Path(directory))


def certify_check(checked: Any, given: Iterable[str], path: PathLike) -> str:
    """Write the certificate of a checked claim, and say what it establishes."""
    from symrnn.certifying import certify_check

    return certify_check(checked, tuple(given), Path(path))


def recheck(path: PathLike, source: str | None = None) -> tuple[bool, list[str]]:
    """Check a certificate with the stand-alone checker: whether it stands, and what to print.

    `source` is the text of the document, which must then hold the formula that the certificate quotes.
    """
    from symrnn.standalone import symrnn_check

    try:
        return True, symrnn_check.check_file(path, source).lines
    except symrnn_check.Refused as reason:
        return False, [f"REFUSED: {reason}"]


def read(documents: PathLike | Iterable[PathLike], *, timeout: float | None = None, progress: ProgressCall | None = None) -> Read:
    """Return how the formulas of one or several documents are read, without a judgement; `timeout` is in seconds for each formula.

    The result's ``to_json()`` is a value of the schema ``symrnn-read-1``. A document that cannot be read is one of its ``failures``.
    """
    from symrnn.readings import read_documents

    def read_claims(path: Path, timeout: float | None) -> Any:
        from symrnn.claimfiles import read_claims

        return read_claims(path, timeout)

    paths = [documents] if isinstance(documents, str | Path) else list(documents)
    return read_documents(paths, timeout=timeout, progress=progress, readers={".jsonl": read_claims})


def declare(source: PathLike, *, timeout: float | None = None) -> Proposal:
    """Return the declarations of a document as a table to edit: those that follow from use, or those that it makes itself.

    With its ``to_yaml()`` in front matter, or its ``to_toml()`` in a file beside it, a document has the verdicts that it has without.
    """
    from symrnn.proposed import proposal
    from symrnn.read.document import load_document

    return proposal(load_document(source, str(source)), timeout)


def page(judged: Any, form: str) -> str | bytes:
    """Return the report of an audit as one file in the format `form`: ``html`` or ``tex``."""
    from symrnn.report import audits, written

    return written(audits.report(judged), form)


def check(
    claim: str,
    *,
    given: Sequence[str] = (),
    shapes: Mapping[str, str] | None = None,
    assume: Sequence[str] = (),
    timeout: float | None = None,
    language: str = "latex",
) -> Any:
    """Judge one claim against the equations `given`, the `shapes` of its symbols and the conditions `assume`.

    `language` is ``latex``, or ``python``, ``ascii``, ``c``, ``c++``, ``cuda``, ``java``, ``javascript`` or ``matlab`` for
    statements. The result has ``verdict``, and ``to_json()`` is one equation of the schema ``symrnn-audit-1``.
    """
    from symrnn.claims import check_claim

    return check_claim(claim, given=tuple(given), shapes=dict(shapes or {}), assume=tuple(assume), timeout=timeout,
                       language=language)


def compare(a: PathLike | Model, b: PathLike | Model, *, of: str | None = None) -> Comparison:
    """Return whether two models are equal, and by which change of parameters, or different, and where.

    A source is a model, or whatever :func:`model` takes. `of` names the variable to compare instead of the losses, the same in both or
    ``first=second``; see :func:`symrnn.equivalence.compare`, also for what it raises.
    """
    from symrnn.equivalence import compare as compare_models
    from symrnn.model import Model

    first, second = (source if isinstance(source, Model) else model(source) for source in (a, b))
    return compare_models(first, second, of)


def derive(source: PathLike, *, level: str = "full", loss_at: str = "all", truncate: int | None = None,
           cost: bool = False) -> DerivationText:
    """Return the adjoint recurrences and the gradients of a model, with the steps that lead to them, ready to print.

    The `level` ``brief`` prints definitions, recurrences and gradients, ``full`` the steps and the code too. `loss_at` is ``all``, or
    ``last`` for the loss of the last step alone. With `truncate`, it also says what backpropagation through so many steps keeps of the
    gradients, and what it leaves out; with `cost`, how many parameters, multiplications and kept values there are. The derivation itself
    is the attribute ``derivation``.
    """
    compiled = model(source)
    compiled = replace(compiled, at_end=compiled.at_end or loss_at == "last")
    from symrnn.bptt import derive as derive_model
    from symrnn.correspondence import derivation_text

    try:
        found = derivation_text(derive_model(compiled), level=level)
        return replace(found, truncate=None if truncate is None else window(truncate), cost=cost)
    except ModelError as error:
        raise (error if layers_of(source) else error.at(Place(open_source(source).path))) from None


def window(steps: int) -> int:
    """A number of steps of a window; CallError unless it is one.

    >>> window(3)
    3
    """
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise CallError("the steps of a window", must="be a whole number, at least 1", came=repr(steps), next_step="for example 10")
    return steps


def unroll(source: PathLike, steps: int, sizes: Sequence[int] | Mapping[str, int] | None = None) -> UnrolledText:
    """Return a model written out over `steps` time steps, ready to print; with `sizes`, in scalars too.

    The unrolled network itself is the attribute ``unrolled``.
    """
    compiled = model(source)
    from symrnn.write.unrolled import UnrolledText

    return UnrolledText.of(compiled, steps, sizes)


def emit(
    source: PathLike,
    *,
    target: str = "numpy",
    style: str = "looped",
    steps: int | None = None,
    sizes: Sequence[int] | Mapping[str, int] | None = None,
    outputs: Sequence[str] = EMIT_OUTPUTS,
    loss_at: str = "all",
) -> str:
    """Return the source of a module that computes what `outputs` names: some of its functions, or the outputs at the ``last`` step.

    The style ``looped`` works for any number of steps; ``unrolled`` needs `steps` and `sizes`. `loss_at` is ``all``, or ``last`` for
    the loss of the last step alone.

    Raises: CallError where the loss needs more than the last step and only that one is asked for.
    """
    compiled = model(source)
    from symrnn.emit import Header
    from symrnn.emit.compare import emit_checked
    from symrnn.prove.selfproof import self_proof

    compiled = replace(compiled, at_end=True) if loss_at == "last" and compiled.loss else compiled
    header = Header(self_proof(compiled) if "gradients" in outputs else ())
    return emit_checked(compiled, header, target=target, style=style, steps=steps, sizes=sizes, outputs=tuple(outputs), loss_at=loss_at)


def picture(source: PathLike, kind: str = "unrolled", *, steps: int | None = None, data: PathLike | None = None) -> Picture:
    """Return a picture of a model as SVG, which a notebook shows; the kinds are the rows of :data:`symrnn.pictures.KINDS`.

    `steps` is the number of time steps, where the kind has one. `data` is the file of measurements of the kind ``cost``.

    Raises: CallError for a kind or a number of steps that there is not, or a model of which no such picture can be drawn.
    """
    from symrnn.lastloss import weighted
    from symrnn.pictures import picture as draw

    return draw(weighted(model(source)), kind, steps=steps, data=data)


def report(
    documents: Sequence[PathLike], output: PathLike, *, formats: Sequence[str] = ("md", "html"), level: str = "full",
    progress: ProgressCall | None = None,
) -> Any:
    """Write the reports of `documents` into the folder `output`, in each of the `formats`: ``md``, ``html``, ``tex``, ``pdf``.

    Derivations have the `level` ``brief`` or ``full`` unless a directive says which.

    The result has ``written`` (paths), ``unexpected`` (one line of text for each verdict that is not the expected one) and
    ``notes`` (a line for each code block or comment that is not closed).
    """
    from symrnn.report import regenerate

    return regenerate([Path(path) for path in documents], Path(output), formats=tuple(formats), level=level, progress=progress)
