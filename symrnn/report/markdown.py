"""The report of one document as Markdown for GitHub: its text, with directives carried out and verdicts beside the equations."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import count
from pathlib import Path
from urllib.parse import quote

from symrnn import __version__
from symrnn.audit import Equation, Judged
from symrnn.bptt import derive
from symrnn.compiling import equations, faults
from symrnn.document import Compiled, compile_document
from symrnn.errors import DocumentError, Place, SymrnnError, closest_name, one_line
from symrnn.judge import Relation
from symrnn.model import Model
from symrnn.prove.verdict import Verdict
from symrnn.read.document import Directive
from symrnn.read.frontmatter import front_matter
from symrnn.report.checks import Check, checks, cross_check
from symrnn.report.pictures import picture

SIGNS = {"proved": "✅ proved", "conditional": "◐ true under a condition", "refuted": "❌ refuted", "agrees": "≈ agrees",
         "undecided": "❔ undecided", "unreadable": "⚠️ unreadable"}


class Page:
    """The report of one judged document; :meth:`files` gives every file it consists of."""

    def __init__(self, judged: Judged, name: str) -> None:
        self.judged, self.document, self.name = judged, judged.document, name
        self.notation = judged.notation
        self.extra: dict[str, str] = {}
        self.by_offset = {e.span.offset: e for e in judged.equations}

    def files(self) -> dict[str, str]:
        """File name -> content: the page, and the pictures and modules it links to."""
        page = self.page()
        return {f"{self.name}.md": page, **self.extra}

    @cached_property
    def checks(self) -> list[Check]:
        """The rows of the cross-check."""
        return checks(self.judged)

    @cached_property
    def compiled(self) -> Compiled:
        """The document with its definitions."""
        return compile_document(self.document)

    def fresh(self, name: str) -> str:
        """A name for a file beside the page that none has yet: the second picture of a page is ``pictures/...-2.svg``."""
        stem, dot, suffix = name.rpartition(".")
        return next(n for k in count(1) if (n := name if k == 1 else f"{stem}-{k}{dot}{suffix}") not in self.extra)

    def model_at(self, d: Directive) -> Model:
        """The model of the scope in which a directive stands."""
        name = "main"
        for other in self.document.directives:
            if other.name == "scope" and other.offset < d.offset:
                name = other.argument or "main"
        model = self.judged.models.get(name)
        for row in equations(self.compiled, self.compiled.settings[name]):
            for error in faults(self.compiled, row):        # a model without this equation would be another one
                raise error
        if model is None:
            raise DocumentError(f"the directive {d.name}", must="stand where equations define a model",
                                came=f"none in the scope {name}", where=Place(self.document.path, d.line),
                                next_step="move it after the equations")
        return model

    # -------------------------------------------------------------------------------------------------------------- the page
    def page(self) -> str:
        text = self.document.text
        start = front_matter(text, self.document.path)[1]
        out: list[str] = []
        at = start
        for begin, end, piece in self.pieces(start):
            out += [text[at:begin], piece]
            at = end
        out.append(text[at:])
        body = re.sub(r"\n{3,}", "\n\n", "".join(out)).strip()
        title, _, rest = body.partition("\n") if body.startswith("# ") else ("", "", body)
        parts = [title, self.head(), rest.strip(), cross_check(self.checks), self.foot()]
        return github("\n\n".join(p for p in parts if p)) + "\n"

    def head(self) -> str:
        """Source and the count of verdicts."""
        source = re.sub(r"([*<>|`])", r"\\\1", " ".join(str(self.document.settings.get("source") or "").split()))
        counts = [(w, sum(e.verdict == w for e in self.judged.equations)) for w in SIGNS]
        line = " · ".join(f"{SIGNS[w]}: {n}" for w, n in counts if n) or "nothing is claimed"
        return "\n".join(([f"*Source: {source}.*", ""] if source else []) + [f"**Verdicts.** {line}"])

    def foot(self) -> str:
        path = Path(self.judged.path)
        shown = path.name if path.is_absolute() else path.as_posix()
        return f"*Made by symrnn {__version__} from `{shown}`; the same input gives the same bytes.*"

    def pieces(self, start: int) -> list[tuple[int, int, str]]:
        """What replaces what: directives by their result, displayed equations by themselves and their verdict."""
        out: list[tuple[int, int, str]] = []
        for d in self.document.directives:
            out.append((d.offset, d.end, self.directive(d) + "\n"))
        for e in self.judged.equations:
            if e.span.directive is None and e.span.kind not in ("inline", "code", "sentence") and e.span.offset >= start:
                follows = "\n\n" if e.span.kind == "row" else ""
                out.append((*outer(self.document.text, e.span.offset, e.span.latex), self.equation(e) + follows))
        return sorted([*out, *self.listings()])

    def listings(self) -> Iterator[tuple[int, int, str]]:
        """Under each listing what was found for its statements."""
        for block in self.document.code:
            low, high = block.offset, block.offset + len(block.text)
            mine = [e for e in self.judged.equations if e.span.kind == "code" and low <= e.span.offset < high]
            if mine:
                rows = [f"- line {e.span.line}, `` {r.latex} ``: "
                        + (self.verdict(r.verdict, r, short=True) if r.verdict.word else words(r.verdict.reason or "")) for e in mine
                        for r in e.relations]
                end = (self.document.text + "\n").find("\n", high)
                yield end, end, "\n\n" + "\n".join(rows) + "\n"

    def directive(self, d: Directive) -> str:
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
            return row(self, d)
        except SymrnnError as error:
            raise error.at(where) from None

    # ------------------------------------------------------------------------------------------------------------ equations
    def audit(self, d: Directive) -> str:
        number = self.document.directives.index(d)
        mine = [e for e in self.judged.equations if e.span.directive == number]
        return "\n\n".join(self.equation(e) for e in mine)

    def define(self, d: Directive) -> str:
        number = self.document.directives.index(d)
        mine = [e for e in self.judged.equations if e.span.directive == number]
        return "\n\n".join([*(self.equation(e) for e in mine), "*(defined here, not printed in the source)*"])

    def equation(self, e: Equation) -> str:
        """The formula, and under it what was found."""
        shown = e.span.latex.strip()
        if e.span.kind == "row":
            shown = f"\\begin{{aligned}}\n{shown}\n\\end{{aligned}}"
        parts = [f"```math\n{shown}\n```"]
        judged = [(k, r) for k, r in enumerate(e.relations, start=1) if r.verdict.word is not None]
        if not judged:
            return parts[0]
        if len(judged) == 1:
            parts.append(self.verdict(judged[0][1].verdict, judged[0][1]))
        else:
            parts.append("\n".join(f"{n}. {self.verdict(r.verdict, r, short=True)}" for n, (_, r) in enumerate(judged, start=1)))
            parts += [more for _, r in judged if (more := self.details(r.verdict))]
        return "\n\n".join(parts)

    def verdict(self, v: Verdict, r: Relation, short: bool = False) -> str:
        """One verdict in a line, and what belongs to it."""
        line = f"**{SIGNS[v.word or 'undecided']}**"
        if v.scope is not None and v.word in ("proved", "conditional", "agrees"):
            line += f" {v.scope}"
        if v.code:
            line += f" (`{v.code}`)"
        if v.reason and v.word != "agrees":
            line += f": {words(v.reason)}"
        if v.word == "agrees":
            line += f": {words(v.reason or '')}"
        if v.conditions and v.word == "proved":
            line += conditions(v.conditions)
        if short:
            return line
        more = self.details(v)
        return line + ("\n\n" + more if more else "")

    def details(self, v: Verdict) -> str:
        """Domain, counterexample, readings and correction."""
        parts = []
        if v.word == "proved" and v.method:
            parts.append(f"<sub>{words(v.method)}</sub>")
        if v.domain:
            parts.append(f"Where defined: {words(v.domain)}.")
        if v.counterexample and v.word == "refuted":
            parts.append(counterexample_table(v.counterexample))
        for latex, word in v.readings:
            parts.append(f"Read otherwise, as $`{latex}`$, it is {word}.")
        if v.fix is not None:
            edits = f" ({', '.join(v.fix.edits)})" if v.fix.edits else ""
            parts.append(f"**Corrected**{words(edits)}, {SIGNS[v.fix.verdict]}:\n\n```math\n{v.fix.latex}\n```")
        return "\n\n".join(parts)

    # ----------------------------------------------------------------------------------------------------------- directives
    def unroll(self, d: Directive) -> str:
        """Shapes, the equations step by step, and the picture."""
        from symrnn.pictures.network import unrolled
        from symrnn.write.unrolled import UnrolledText
        model = replace(self.model_at(d), source="")                 # the page names the source
        steps = self.whole(d, 3)
        picture = self.fresh(f"pictures/{self.name}-unrolled.svg")
        self.extra[picture] = unrolled(replace(model, name=self.name), steps, self.notation)
        return "\n\n".join([f"![The network over {steps} steps]({quote(picture)})",
                            demoted(UnrolledText.of(model, steps, notation=self.notation).to_md())])

    def whole(self, d: Directive, default: int) -> int:
        """The number of steps that a directive asks for, such as ``3`` or ``T=3``."""
        found = re.fullmatch(r"(?:T\s*=\s*)?([0-9]{1,9})", d.argument.strip()) if d.argument.strip() else None
        if d.argument.strip() and found is None:
            raise DocumentError(f"the directive {d.name}", must="name a number of steps", came=d.argument,
                                where=Place(self.document.path, d.line), next_step="Write for example T=3.")
        return int(found[1]) if found else default

    def derivation(self, d: Directive) -> str:
        """The adjoint recurrences and gradients, with every step."""
        from symrnn.write.derivation import DerivationText
        return demoted(DerivationText.of(derive(replace(self.model_at(d), source="")), self.notation).to_md())

    def emit(self, d: Directive) -> str:
        """The emitted module, folded."""
        from symrnn.emit import Header, emit
        from symrnn.emit.compare import emit_checked
        from symrnn.prove.selfproof import self_proof
        target = d.argument.strip() or "numpy"
        model, header = replace(self.model_at(d), name=self.name), Header(self_proof(self.model_at(d)))
        code = emit_checked(model, header) if target == "numpy" else emit(model, target=target, header=header)
        name = self.fresh(f"code/{self.name.replace('-', '_')}_{target}.py")
        self.extra[name] = code
        shown = one_line(name).replace("`", "'").replace("[", "(").replace("]", ")")
        return (f"[{shown}]({quote(name)}): `forward`, `loss` and `gradients` for any number of steps, batched; "
                f"`python {shown}` checks every gradient again.\n\n<details><summary>The module</summary>\n\n"
                f"```python\n{code.rstrip()}\n```\n\n</details>")


DIRECTIVES: dict[str, Callable[[Page, Directive], str]] = {
    "audit": Page.audit, "define": Page.define, "derive": Page.derivation, "emit": Page.emit, "picture": picture,
    "scope": lambda page, d: "", "unroll": Page.unroll,
}
ARGUMENTS = ("emit", "picture", "scope", "unroll")
"""The directives that take an argument."""
OPTIONS = {"audit": ("assume", "equals", "expect"), "define": ("assume",), "picture": ("steps",)}
"""The options of a directive; those of a scope are the keys of front matter."""


def demoted(text: str) -> str:
    """Markdown as part of a page: without its title, its headings one level down."""
    lines = text.strip().splitlines()
    if lines and lines[0].startswith("# "):
        lines = lines[1:]
    return "\n".join(f"#{line}" if line.startswith("#") else line for line in lines).strip()


ROW = 200
"""Characters round a row of an environment in which its ends are looked for."""
_ROW_BEGINS = re.compile(r"(?:\\begin\{(?!equation|math|displaymath)[A-Za-z]+\*?\}(?:\{[^{}]*\})?|(?<=\\\\)(?:\[[^\]\n]*\])?)\s*\Z")
_ROW_ENDS = re.compile(r"\s*(?:\\\\|\\end\{[A-Za-z]+\*?\})")


def outer(text: str, offset: int, latex: str) -> tuple[int, int]:
    """The extent of a display with its delimiters; of a row of an environment with the edge that it stands at."""
    begin, end = offset, offset + len(latex)
    for opening, closing in (("$$", "$$"), ("\\[", "\\]")):
        before = text[:begin].rstrip()
        after = text[end:]
        if before.endswith(opening) and after.lstrip().startswith(closing):
            return len(before) - len(opening), end + len(after) - len(after.lstrip()) + len(closing)
    row = _ROW_BEGINS.search(text[max(0, begin - ROW) : begin]), _ROW_ENDS.match(text[end : end + ROW])
    if row[0] and row[1]:
        return begin - len(row[0][0]), end + len(row[1][0])
    fence = re.search(r"```+\s*(?:math|\{math\})[^\n]*\n(?::[^\n]*\n)*\Z", text[:begin])
    if fence:
        close = re.compile(r"[ \t]*\n?```+[ \t]*").match(text, end)
        return fence.start(), close.end() if close else end
    return begin, end


def counterexample_table(c: dict[str, object]) -> str:
    """A counterexample as a small table."""
    sizes = ", ".join(f"{k} = {v}" for k, v in dict(c.get("sizes") or {}).items())  # type: ignore[call-overload]
    rows = [("sizes", sizes), ("T", c.get("T")), *dict(c.get("values") or {}).items(),  # type: ignore[call-overload]
            ("left side", c.get("left")), ("right side", c.get("right"))]
    body = "\n".join(f"| {words(str(k))} | {words(str(v))} |" for k, v in rows if v not in (None, ""))
    return f"| counterexample | |\n|:--|:--|\n{body}"


def words(text: str) -> str:
    """Plain text for a Markdown line: marks that would be read as formatting are escaped, formulas are kept."""
    parts = re.split(r"(\$[^$]+\$)", text)
    return "".join(f"$`{p[1:-1]}`$" if k % 2 else re.sub(r"([*_|<>])", r"\\\1", p) for k, p in enumerate(parts))


OUTSIDE = re.compile(r"the claim does not speak of (.*?): a printed symbol does not exist there")


def conditions(found: tuple[str, ...]) -> str:
    """What a verdict rests on, each once, and the steps that lie outside of the claim.

    >>> print(conditions(("b = 0", "b = 0", "the claim does not speak of t = 1: a printed symbol does not exist there")))
    , where $`b = 0`$; a printed symbol does not exist at t = 1, which is not claimed
    """
    outside = [m[1] for c in found if (m := OUTSIDE.fullmatch(c))]
    rest = dict.fromkeys(stated(c) for c in found if not OUTSIDE.fullmatch(c))
    line = ", where " + "; ".join(rest) if rest else ""
    return line + (f"; a printed symbol does not exist at {', '.join(outside)}, which is not claimed" if outside else "")


def stated(condition: str) -> str:
    """A condition as text, or as a formula where it is one."""
    is_formula = "\\" in condition or re.fullmatch(r"[\w{}^_(), ]+[=<>][\w{}^_(), +-]+", condition)
    return f"$`{condition}`$" if is_formula else words(condition)


_SWAPS = ((r"\\htmlClass\{[^{}]*\}", ""), (r"\\color\{[^{}]*\}\s*", ""), (r"\\tag\{([^{}]*)\}", r"\\qquad (\1)"),
          (r"\\(begin|end)\{align\*?\}", r"\\\1{aligned}"),
          (r"\\(begin|end)\{gather\*?\}", r"\\\1{gathered}"), (r"\\operatorname\{", r"\\mathrm{"))


def github(text: str) -> str:
    """Formulas with the macros and environments that GitHub renders."""
    def change(found: re.Match[str]) -> str:
        body = found[0]
        for pattern, new in _SWAPS:
            body = re.sub(pattern, new, body)
        return body
    return re.sub(r"```math\n.*?\n```|\$`[^`]*`\$|\$[^$\n]+\$", change, text, flags=re.S)
