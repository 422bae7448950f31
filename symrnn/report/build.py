"""The report of one judged document: its text, with directives carried out and verdicts beside the equations, as data."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import count
from pathlib import Path

from symrnn import __version__
from symrnn.audit import Equation, Judged
from symrnn.bptt import derive
from symrnn.compiling import equations, faults
from symrnn.correspondence import derivation_text
from symrnn.document import Compiled, compile_document
from symrnn.errors import DocumentError, Place, SymrnnError, closest_name, one_line
from symrnn.lastloss import aimed, marked, weighted
from symrnn.model import Model
from symrnn.read.document import Directive, Span
from symrnn.read.frontmatter import front_matter
from symrnn.read.infer import LOSSES
from symrnn.read.scope import LOSS
from symrnn.report import findings
from symrnn.report.checks import Check, checks, cross_check
from symrnn.report.expansion import without
from symrnn.report.model import (
    Block,
    Code,
    CodeText,
    Display,
    Emphasis,
    Fold,
    Heading,
    Inlines,
    Items,
    Link,
    Maths,
    Paragraph,
    Picture,
    Report,
    Text,
    anchored,
    counts,
    of_page,
    said,
)
from symrnn.report.pictures import picture
from symrnn.report.prose import Hole, blocks
from symrnn.write import page, unrolled
from symrnn.write.derivation import LEVELS
from symrnn.write.notation import Notation
from symrnn.write.voice import LatexVoice

INLINE = ("inline", "sentence", "code")
"""The kinds of spans that stand within the text."""


class Builder:
    """Builds the report of one judged document; `files` collects the pictures and modules that stand beside it.

    `level` is how much a derivation says unless its directive says otherwise.
    """

    def __init__(self, judged: Judged, name: str, level: str = "full") -> None:
        self.judged, self.document, self.name, self.level = judged, judged.document, name, level
        self.notation = judged.notation
        self.files: dict[str, str] = {}

    def report(self) -> Report:
        """The whole report."""
        text = self.document.text
        start = front_matter(text, self.document.path)[1]
        body = list(blocks(text, list(self.holes(start)), start))
        title: Inlines = (Text(self.name),)
        if body and isinstance(body[0], Heading) and body[0].level == 1:
            title = body.pop(0).parts                                         # type: ignore[union-attr]
        found = Report(self.name, title, " ".join(str(self.document.settings.get("source") or "").split()),
                       counts(e.verdict for e in self.judged.equations), findings.errors(self.judged.equations),
                       anchored([*body, *cross_check(self.checks)]), foot(self.judged.path), self.files)
        return without(found, self.judged.macros)

    @cached_property
    def checks(self) -> list[Check]:
        """The rows of the cross-check."""
        return checks(self.judged)

    @cached_property
    def compiled(self) -> Compiled:
        """The document with its definitions."""
        return compile_document(self.document)

    # ------------------------------------------------------------------------------------------------------------------- holes
    def holes(self, start: int) -> Iterator[Hole]:
        """What stands in the place of what: directives, formulas, sentences with a verdict, comments."""
        text = self.document.text
        for d in self.document.directives:
            yield Hole(d.offset, d.end, blocks=self.directive(d), standing=True)
        for e in self.judged.equations:
            s = e.span
            if s.directive is not None or s.offset < start or s.kind == "code":
                continue
            if s.kind == "sentence":
                yield Hole(s.offset + len(s.latex), s.offset + len(s.latex), after=self.said(e))
            elif s.kind == "inline":
                yield Hole(*outer(text, s), inline=(Maths(s.latex),), after=self.said(e))
            else:
                yield Hole(*outer(text, s), blocks=(self.equation(e),), standing=True)
        for block in self.document.code:
            end = (text + "\n").find("\n", block.offset + len(block.text))
            if found := self.listing(block.offset, block.offset + len(block.text)):
                yield Hole(end, end, blocks=(Items(found),), standing=True)
        for comment in self.document.comments:
            begin, stop = text.rfind("<!--", 0, comment.offset + 4), text.find("-->", comment.offset)
            if begin >= start and stop >= 0:
                yield Hole(begin, stop + 3)

    def said(self, e: Equation) -> tuple[Block, ...]:
        """What was found for a formula or a sentence within the text, unless it is proved."""
        if e.verdict in (None, "proved"):
            return ()
        shown: Inlines = (Maths(e.span.latex),) if e.span.kind == "inline" else (Emphasis(findings.quoted(e.span.latex)),)
        found = findings.finding(e, Paragraph(shown), self.notation)
        return (found,) if found is not None else ()

    def listing(self, low: int, high: int) -> tuple[tuple[Block, ...], ...]:
        """What was found for the statements of a listing."""
        out: list[tuple[Block, ...]] = []
        for e in self.judged.equations:
            if e.span.kind != "code" or not low <= e.span.offset < high:
                continue
            for r in e.relations:
                where: Inlines = (Text(f"line {e.span.line}, "), CodeText(r.latex), Text(": "))
                found = findings.sentence(r.verdict, self.notation) if r.verdict.word else said(r.verdict.reason or "")
                out.append((Paragraph((*where, *found)),))
        return tuple(out)

    def equation(self, e: Equation) -> Block:
        """The formula, with what was found."""
        shown = Display(findings.display(e.span), findings.anchor(e), findings.short(e.id))
        return findings.finding(e, shown, self.notation) or shown

    # -------------------------------------------------------------------------------------------------------------- directives
    def directive(self, d: Directive) -> tuple[Block, ...]:
        """One directive, by its row in the table."""
        row, where = DIRECTIVES.get(d.name), Place(self.document.path, d.line)
        if row is None:
            near = closest_name(d.name, DIRECTIVES)
            raise DocumentError(f"the directive {d.name}", must="be one of " + ", ".join(DIRECTIVES), came=d.name, where=where,
                                next_step=f"Did you mean {near}?" if near else "Remove it.")
        if d.argument and d.name not in ARGUMENTS:
            raise DocumentError(f"the directive {d.name}", must="have no argument", came=d.argument, where=where,
                                next_step="Remove it.")
        known = OPTIONS.get(d.name, ())
        if odd := [] if d.name == "scope" else sorted(set(d.options) - set(known)):  # a scope was checked as front matter
            near = closest_name(odd[0], known)
            raise DocumentError(f"the option {odd[0]} of the directive {d.name}", came=odd[0], where=where,
                                must=f"be one of {', '.join(known)}" if known else "not be there, as it has none",
                                next_step=f"Did you mean {near}?" if near else "Remove it.")
        try:
            return tuple(row(self, d))
        except SymrnnError as error:
            raise error.at(where) from None

    def audit(self, d: Directive) -> Iterator[Block]:
        """The equations of a directive, each with its verdict."""
        number = self.document.directives.index(d)
        return (self.equation(e) for e in self.judged.equations if e.span.directive == number)

    def define(self, d: Directive) -> Iterator[Block]:
        """Definitions that the source does not print."""
        yield from self.audit(d)
        yield Paragraph((Emphasis((Text("(defined here, not printed in the source)"),)),))

    def unroll(self, d: Directive) -> Iterator[Block]:
        """Shapes, the equations step by step, and the picture."""
        from symrnn.pictures.network import unrolled as drawn
        model = replace(self.model_at(d), source="")                 # the page names the source
        steps = self.whole(d, 3)
        name = self.fresh(f"pictures/{self.name}-unrolled.svg")
        notation = self.notation_of(model)
        self.files[name] = drawn(weighted(replace(model, name=self.name)), steps, notation)
        yield Picture(self.files[name], f"The network over {steps} steps", name)
        text = unrolled.UnrolledText.of(model, steps, notation=notation)
        yield from demoted(unrolled.blocks(text, LatexVoice(notation)))

    def whole(self, d: Directive, default: int) -> int:
        """The number of steps that a directive asks for, such as ``3`` or ``T=3``."""
        found = re.fullmatch(r"(?:T\s*=\s*)?([0-9]{1,9})", d.argument.strip()) if d.argument.strip() else None
        if d.argument.strip() and found is None:
            raise DocumentError(f"the directive {d.name}", must="name a number of steps", came=d.argument,
                                where=Place(self.document.path, d.line), next_step="Write for example T=3.")
        return int(found[1]) if found else default

    def derivation(self, d: Directive) -> Iterator[Block]:
        """The adjoint recurrences and gradients; with every step, and beside the code, unless the level is brief."""
        level = d.options.get("level", self.level)
        if level not in LEVELS:
            raise DocumentError("the option level of the directive derive", must=f"be one of {', '.join(LEVELS)}", came=level,
                                where=Place(self.document.path, d.line), next_step=f"Write :level: {LEVELS[0]}.")
        model = self.model_at(d)
        notation = replace(self.notation_of(model), untimed=self.untimed(d))
        found = derivation_text(derive(replace(model, source="")), notation, level)
        yield from demoted(found.blocks(LatexVoice(notation)))

    def emit(self, d: Directive) -> Iterator[Block]:
        """The emitted module, folded."""
        from symrnn.emit import Header
        from symrnn.emit.compare import emit_checked
        from symrnn.prove.selfproof import self_proof
        target = d.argument.strip() or "numpy"
        model, header = replace(self.model_at(d), name=self.name), Header(self_proof(self.model_at(d)))
        code = emit_checked(model, header, target=target)
        name = self.fresh(f"code/{self.name.replace('-', '_')}_{target}.py")
        self.files[name] = code
        shown = one_line(name)
        yield Paragraph((Link((Text(shown),), name), Text(": "), CodeText("forward"), Text(", "), CodeText("loss"), Text(" and "),
                         CodeText("gradients"), Text(" for any number of steps, batched; "), CodeText(f"python {shown}"),
                         Text(" checks every gradient again.")))
        yield Fold((Text("The module"),), (Code(code.rstrip(), "python"),))

    def scope(self, d: Directive) -> Iterator[Block]:
        """Nothing: a scope says what the equations after it mean."""
        return iter(())

    def fresh(self, name: str) -> str:
        """A name for a file beside the page that none has yet: the second picture of a page is ``pictures/...-2.svg``."""
        stem, dot, suffix = name.rpartition(".")
        return next(n for k in count(1) if (n := name if k == 1 else f"{stem}-{k}{dot}{suffix}") not in self.files)

    def notation_of(self, model: Model) -> Notation:
        """The notation of the document; derivatives are those of the total loss of the model, also where the document has none."""
        return replace(self.notation, total=model.total)

    def scope_at(self, d: Directive) -> str:
        """The name of the scope in which a directive stands."""
        scopes = [x.argument or "main" for x in self.document.directives if x.name == "scope" and x.offset < d.offset]
        return scopes[-1] if scopes else "main"

    def untimed(self, d: Directive) -> frozenset[str]:
        """The names that the document writes without a step, as only their last value counts: that of an output, and its target."""
        name = self.scope_at(d)
        setting, model = self.compiled.settings[name], self.model_at(d)
        early = {s.name for s in self.judged.models[name].targets}
        return setting.scope.final | {s.name for s in model.targets if s.name not in early} if model.at_end else frozenset()

    def model_at(self, d: Directive) -> Model:
        """The model of the scope in which a directive stands."""
        name = self.scope_at(d)
        model = self.judged.models.get(name)
        for row in equations(self.compiled, self.compiled.settings[name]):
            for error in faults(self.compiled, row):        # a model without this equation would be another one
                raise error
        if model is None:
            raise DocumentError(f"the directive {d.name}", must="stand where equations define a model",
                                came=f"none in the scope {name}", where=Place(self.document.path, d.line),
                                next_step="move it after the equations")
        where = d.options.get("loss-at", "all")
        if where not in ("all", "last"):
            raise DocumentError(f"the option loss-at of the directive {d.name}", must="be one of all, last", came=where,
                                where=Place(self.document.path, d.line), next_step="Write :loss-at: last.")
        model = marked(aimed(model, self.compiled.settings[name].scope.final & LOSSES, LOSS))
        return replace(model, at_end=model.at_end or where == "last")


DIRECTIVES: dict[str, Callable[[Builder, Directive], Iterator[Block]]] = {
    "audit": Builder.audit, "define": Builder.define, "derive": Builder.derivation, "emit": Builder.emit, "picture": picture,
    "scope": Builder.scope, "unroll": Builder.unroll,
}
ARGUMENTS = ("emit", "picture", "scope", "unroll")
"""The directives that take an argument."""
OPTIONS = {"audit": ("assume", "equals", "expect"), "define": ("assume",), "derive": ("level", "loss-at"), "emit": ("loss-at",),
           "picture": ("steps",), "unroll": ("loss-at",)}
"""The options of a directive; those of a scope are the keys of front matter."""


def demoted(found: Iterable[page.Block]) -> Iterator[Block]:
    """A text as part of a report: without its title, its headings one level down."""
    return (of_page(b, 1) for b in found if not (isinstance(b, page.Heading) and b.level == 1))


def foot(path: str) -> Inlines:
    """What made a report of what."""
    return (Text(f"Made by symrnn {__version__} from "), CodeText(shown_path(path)), Text("; the same input gives the same bytes."))


def shown_path(path: str) -> str:
    """The path of a document as a report names it; an absolute one is the matter of one machine."""
    return Path(path).name if Path(path).is_absolute() else Path(path).as_posix()


DELIMITERS = (("$$", "$$"), (":math:`", "`"), ("\\[", "\\]"), ("$`", "`$"), ("$", "$"), ("\\(", "\\)"))


ROW = 200
"""Characters round a row of an environment in which its ends are looked for."""
_ROW_BEGINS = re.compile(r"(?:\\begin\{(?!equation|math|displaymath)[A-Za-z]+\*?\}(?:\{[^{}]*\})?|(?<=\\\\)(?:\[[^\]\n]*\])?)\s*\Z")
_ROW_ENDS = re.compile(r"\s*(?:\\\\|\\end\{[A-Za-z]+\*?\})")


def outer(text: str, span: Span) -> tuple[int, int]:
    """The extent of a formula with its delimiters; of a row of an environment with the edge that it stands at."""
    begin, end = span.offset, span.offset + len(span.latex)
    before, after = text[:begin].rstrip(), text[end:]
    for opening, closing in DELIMITERS:
        if before.endswith(opening) and after.lstrip().startswith(closing):
            return len(before) - len(opening), end + len(after) - len(after.lstrip()) + len(closing)
    row = _ROW_BEGINS.search(text[max(0, begin - ROW) : begin]), _ROW_ENDS.match(text[end : end + ROW])
    if row[0] and row[1]:
        return begin - len(row[0][0]), end + len(row[1][0])
    fence = re.search(r"```+\s*(?:math|\{math\}|latex-math)[^\n]*\n(?::[^\n]*\n)*\Z", text[:begin])
    if fence:
        close = re.compile(r"[ \t]*\n?```+[ \t]*").match(text, end)
        return fence.start(), close.end() if close else end
    return begin, end
