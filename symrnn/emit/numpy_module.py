"""The target ``numpy``: a readable module of NumPy alone with forward pass, loss, adjoints and gradients for any T and any batch.

The statements come from :mod:`symrnn.emit.plan`; here they get their surroundings: arguments that are checked, documentation with
shapes and equations, and a check of the module by itself.
"""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from textwrap import wrap
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from sympy.printing.codeprinter import CodePrinter

import symrnn
from symrnn.emit.arguments import Arguments
from symrnn.emit.arrays import function_argument
from symrnn.emit.functions import Functions
from symrnn.emit.kernels import sources
from symrnn.emit.plan import Plan
from symrnn.emit.printers import ArrayPrinter
from symrnn.emit.statements import WIDTH, Function
from symrnn.errors import one_line
from symrnn.expr import Symbol, time_sum
from symrnn.model import FIRST, LAST, Model
from symrnn.needs import Needed, reduced


@dataclass(frozen=True)
class Header:
    """What the head of an emitted file says besides the model: what was proved and how, one line each, what ``check`` found when it ran
    the text, and the versions used."""

    proved: tuple[str, ...] = ()
    check: Callable[[str], str] | None = None
    versions: Mapping[str, str] | None = None

    def on(self, render: Callable[[str], str]) -> str:
        """A text that says of itself what was found when it was run; ``render`` makes it of that."""
        text = render("")
        return render(self.check(text)) if self.check else text


@cache
def environment() -> Environment:
    found = Environment(loader=PackageLoader("symrnn.emit", "templates"), undefined=StrictUndefined, trim_blocks=True,
                       lstrip_blocks=True, keep_trailing_newline=True, autoescape=False)
    found.filters["block"] = lambda lines, indent=4: "\n".join(" " * indent + line if line else "" for line in lines)
    return found


def write(model: Model, outputs: Sequence[str], header: Header, printer: CodePrinter | None = None,
          found: Needed | None = None) -> str:
    """The source of the module; ``outputs`` are functions of it.

    With ``found`` it computes the outputs at the last step and what they need, and nothing else.
    """
    gradients = "gradients" in outputs
    plan = Plan(reduced(found) if found else model, printer or ArrayPrinter(), gradients, found.outputs if found else ())
    module = Module(plan, set(outputs), model.hash, found)
    proved = (found.words,) if found else header.proved
    versions = ", ".join(f"{k} {v}" for k, v in header.versions.items()) if header.versions else ""
    context = module.context()

    def render(checked: str) -> str:
        text = environment().get_template("numpy_module.py.jinja").render(
            version=symrnn.__version__, proved=[comment(line) for line in proved],
            checked=comment(checked), versions=safe(versions), **context)
        return re.sub(r"\n{3,}", "\n\n\n", text).rstrip() + "\n"
    return header.on(render)


def safe(text: str) -> str:
    """Text of a document for a comment or a docstring: one printable line that cannot end the string it stands in.

    >>> safe('a \"\"\" b')
    "a ''' b"
    """
    return one_line(text, 4000).replace("\\", "/").replace('"', "'")


def comment(text: str) -> str:
    """Text for a comment that begins with a word and a colon, the rest over several lines."""
    return "\n#     ".join(wrap(safe(text), WIDTH - 10, break_long_words=False, break_on_hyphens=False))


def folded(texts: Iterable[str], hang: int = 4) -> list[str]:
    """Texts for a docstring, the long ones over several lines."""
    return [line for text in texts for line in wrap(safe(text), 116, subsequent_indent=" " * hang, break_long_words=False,
                                                    break_on_hyphens=False)]


class Module(Arguments):
    """What the template is filled with; ``sha`` is the hash of the whole model."""

    def __init__(self, plan: Plan, outputs: set[str], sha: str, found: Needed | None = None) -> None:
        super().__init__(plan, outputs)
        self.sha, self.found = sha, found

    # ---------------------------------------------------------------------------------------------------------------- context
    def context(self) -> dict[str, Any]:
        model, plan = self.model, self.plan
        parts, names = Functions(plan).every(self.measured)
        lines = {k: self.body(f) for k, f in parts.items()}
        lines["run"] += wrapped(f"return Forward({', '.join(self.name(v) for v in self.forward_variables)})")
        if self.gradients:
            lines["back"] += wrapped(f"return Adjoints({', '.join(self.name(e.left) for e in plan.adjoint_rows)})")
            lines["gradients"] += wrapped(f"return Gradients({', '.join(names.values())})")
            lines |= {"adjoint_result": self.adjoint_result(), "returned": self.returned(),
                      "self_check": self.self_check()}
            if plan.inputs:
                lines["inputs"] += wrapped(f"return InputGradients({', '.join(self.name(e.left) for e in plan.by_inputs.equations)})")
        lines |= {"forward_result": self.forward_result(), "check": self.check()}
        used = set().union(*(f.helpers for f in parts.values()))
        return {
            "m": self.model_words(), "lines": lines, "kernels": sources(used), "call": self.signatures(), "doc": self.documentation(),
            "fields": self.fields(names),
            "has": {"loss": "loss" in self.outputs and model.loss is not None, "private_loss": self.measured,
                    "gradients": self.gradients, "last": self.found is not None,
                    "inputs": bool(plan.inputs), "at_end": plan.last and self.measured, "weights": self.measured,
                    "iterator": "_backwards" in used, "class_target": "classes" in self.values.values(),
                    "any_target": bool(set(self.values.values()) & {"any", "unit"})},
        }

    @property
    def forward_variables(self) -> list[Symbol]:
        return [v for v in self.model.variables if v.name not in self.plan.aimed and v.name != self.model.loss or
                (v.name == self.model.loss and v.name not in self.plan.aimed)]

    def body(self, f: Function) -> list[str]:
        """The statements with the names they need taken out of the arguments first."""
        words = set(re.findall(r"(?<![\w.])[A-Za-z_]\w*", "\n".join(f.lines)))
        params = [self.name(s) for s in self.plan.parameters]
        out = taken("c.params", [p for p in params if p in words], len(params))
        made = {name for line in f.lines if " = " in line for name in line.split(" = ")[0].split("[")[0].split(", ")}
        for source, names in (("run", [self.name(v) for v in self.forward_variables]),
                              ("back", [self.name(e.left) for e in self.plan.adjoint_rows])):
            if not set(names) & made:
                out += taken(source, [n for n in names if n in words], len(names))
        out += taken("c", [n for n in self.fields_of_checked if n in words], 0)
        sizes = [n for n in ("T", "B", *f.sizes) if n in words]
        if sizes:
            out.append(f"{', '.join(sizes)} = " + ", ".join(f'c.sizes["{n}"]' for n in sizes))
        if "end" in words:
            out.append("end = c.end")
        if "kind" in words:
            out.append(f"kind = c.{self.fields_of_checked[0]}.dtype" if self.plan.inputs else "kind = np.result_type(*c.params)")
        return out + list(f.lines)

    def signatures(self) -> dict[str, Any]:
        """The calls, and the first lines of the public functions."""
        calls = self.calls()
        heads = {"forward": "Last" if self.found else "Forward", "loss": "float", "adjoints": "Adjoints", "gradients": "Gradients",
                 "loss_and_gradients": "tuple[float, Gradients]", "loss_and_all_gradients": "tuple[float, Gradients, InputGradients]"}
        defs = {name: wrapped(f"def {name}({calls['gradients' if 'gradients' in name else name]}) -> {result}:")
                for name, result in heads.items()}
        check = wrapped(f"def _check({calls['check']}) -> _Checked:")
        asked = {k: wrapped(f"c = _check({calls[f'check_{k}']})") for k in ("forward", "loss", "gradients")}
        passed = wrapped(f"return loss_and_gradients({calls['pass_on']})[1]")
        return {"defs": defs, "check": check, "asked": asked, "pass_on": passed}

    # --------------------------------------------------------------------------------------------------------------- results
    def trimmed(self, s: Symbol, owner: str) -> tuple[str, str]:
        """The public form of an array: (for a batch, for a single sequence)."""
        a = self.plan.layout.arrays[s.kind, s.name]
        text = f"{owner}.{a.name}"
        if a.short:
            return f"{text}[0]", f"{text}[0, 0]"
        rows = f"{a.past or ''}:{-a.future or ''}"
        return (text if rows == ":" else f"{text}[{rows}]"), f"{text}[{rows}, 0]"

    def result(self, kind: str, symbols: Sequence[Symbol], owner: str) -> list[str]:
        pairs = [self.trimmed(s, owner) for s in symbols]
        many, single = (", ".join(p[k] for p in pairs) for k in (0, 1))
        return [*wrapped(f"if c.single:\n    return {kind}({single})"), *wrapped(f"return {kind}({many})")]

    def forward_result(self) -> list[str]:
        if self.found is None:
            return self.result("Forward", self.forward_variables, "run")
        arrays = [self.plan.layout.arrays[s.kind, s.name] for s in self.last_variables]
        many, single = (", ".join(f"run.{a.name}[-1{cut}]" for a in arrays) for cut in ("", ", 0"))
        return [*wrapped(f"if c.single:\n    return Last({single})"), *wrapped(f"return Last({many})")]

    @property
    def last_variables(self) -> list[Symbol]:
        """The outputs that are wanted at the last step."""
        return [self.model.symbol(name) for name in self.plan.wanted]

    def adjoint_result(self) -> list[str]:
        return self.result("Adjoints", [e.left for e in self.plan.adjoint_rows], "back")

    def returned(self) -> list[str]:
        """From the gradients as computed to their public form."""
        scalars = [self.name(s) for s in self.plan.parameters if not self.dims(s.shape)]
        out = [f"found = found._replace({', '.join(f'{n}=found.{n}.reshape(())' for n in scalars)})"] if scalars else []
        ends = [(self.plan.start_name(s), "[0]" if self.lags[s.name] == 1 else "[:, 0]") for s in self.state_starts]
        if ends:
            out += ["if c.single:", *wrapped(f"    found = found._replace({', '.join(f'{n}=found.{n}{cut}' for n, cut in ends)})")]
        return [*out, "return found"]

    # ----------------------------------------------------------------------------------------------------------------- words
    def shape_words(self, s: Symbol) -> str:
        short = self.plan.layout.arrays[s.kind, s.name].short
        return self.words([*self.lead(s), *self.sequence_dims(s.shape)]) + (", last step" if short else "")

    def fields(self, names: dict[str, str]) -> dict[str, list[str]]:
        plan = self.plan
        typed = {f: "Function" for f in self.functions}
        params = [f"{self.name(s)}: Any  # {self.words(self.dims(s.shape))}" for s in plan.parameters]
        starts = [f"{plan.start_name(s)}: Array  # {self.words(self.start_dims(s))}" for s in self.state_starts]
        return {
            "params": params or ["pass"],
            "last": [f"{self.name(s)}: Array  # {self.words(['B', *self.sequence_dims(s.shape)])}" for s in self.last_variables],
            "forward": [f"{self.name(s)}: Array  # {self.shape_words(s)}" for s in self.forward_variables],
            "adjoints": [f"{self.name(e.left)}: Array  # {self.shape_words(e.left)}" for e in plan.adjoint_rows],
            "gradients": [*(line.replace(": Any", ": Array") for line in params), *starts],
            "inputs": [f"{self.name(s)}: Array  # {self.shape_words(s)}" for s in plan.inputs],
            "checked": ["params: Params", *(f"{n}: {typed.get(n, 'Array')}" for n in self.fields_of_checked),
                        *(["mask: Array | None", "share: float", "total: float"] if self.measured else []),
                        *(["end: tuple[Array, Array]"] if plan.last else []), "sizes: dict[str, int]", "single: bool"],
        }

    def documentation(self) -> dict[str, list[str]]:
        plan = self.plan
        def rows(targets: Sequence[Symbol], functions: Sequence[str]) -> list[str]:
            out = [f"{self.name(s)}: {self.words([*self.lead(s), *self.sequence_dims(s.shape)])}" for s in plan.inputs]
            for s in targets:
                shape = self.words([*self.lead(s), *self.sequence_dims(s.shape)])
                out.append(f"{self.name(s)}: {shape}{TARGET_WORDS[self.values[s.name]].format(lead=self.words(self.lead(s)))}")
            for s in plan.starts:
                past = self.lags[s.name]
                when = "step before the first" if past == 1 else f"{past} steps before the first"
                shape = self.words(self.start_dims(s))
                out.append(f"{plan.start_name(s)}: {shape}, {self.name(s)} at the {when}; zero if left out")
            out += [f"{self.name(s)}: {self.words(self.dims(s.shape))}, a constant" for s in plan.constants]
            for f in functions:
                label, order = plan.orders[f]
                slope = f", the derivative of {function_argument('?' + label + chr(39) * (order - 1))}" if order else ""
                out.append(f"{f}: an elementwise function of arrays{slope}")
            return out
        plain = plan.plain
        weights = [MASK, *([MASK_AT_END] if plan.last else []), REDUCTION_AT_END if plan.last else REDUCTION]
        found = {"forward": [*rows(plan.forward_targets, plain), CLOSING],
                 "loss": [*rows(plan.targets, plain), *weights, CLOSING],
                 "both": [*rows(plan.targets, self.functions), *weights, CLOSING]}
        if self.gradients:
            assert plan.derivation is not None
            summed = {k: (e if plan.last else time_sum("t", FIRST, LAST, e)) for k, e in plan.derivation.summands.items()}
            found["adjoints"] = folded(f"adj {e.name}[t] = {plan.derivation.adjoints[e.name]}" for e in plan.adjoint_rows)
            found["gradients"] = folded(f"grad {k} = {e}" for k, e in summed.items())
            if plan.last:
                note = "where terms that come from the loss belong to t = T alone"
                found["adjoints"].append(note)
                found["gradients"] = [*folded(f"grad {k} = sum_t=1..T({e})" for k, e in plan.derivation.summands.items()), note]
        return found

    def differentiated_by(self) -> str:
        """What the gradients are derivatives by, in words."""
        states = ["states before the first step"] if self.state_starts else []
        return f" by the {' and the '.join(['parameters', *states])}"

    def options(self) -> str:
        """The options of the command that writes this module."""
        whole = self.outputs >= {"forward", "loss", "gradients"} or self.plan.original.loss is None
        chosen = "last" if self.found else ",".join(n for n in ("forward", "loss", "gradients") if n in self.outputs)
        return ("" if whole and not self.found else f" --outputs {chosen}") + " --loss-at last" * self.model.at_end

    def model_words(self) -> dict[str, Any]:
        model, plan = self.plan.original, self.plan
        summed = f"{model.loss}[T]" if plan.last else f"sum_t=1..T({model.loss}[t])"
        total = [f"{model.total} = {summed}"] if model.loss else []
        shapes = [f"{self.name(s)} {self.words(self.dims(s.shape))}" for s in plan.parameters]
        notes = ["Parameters: " + ", ".join(shapes) + "."] if shapes else []
        notes.append("B sequences of T steps are arrays of shape (T, B, n); one sequence may come as (T, n), and so its results.")
        if self.measured:
            when = " at their last steps" if plan.last else ""
            notes.append(f"The loss of B sequences is the sum or the mean of their losses{when}; a mask says which steps are padding.")
        notes.append("Arithmetic is in the precision of the parameters, float32 or float64, which must be the same for all of them; "
                     "whatever else is given is taken in it. Lists and integers count as float64, unless a parameter says otherwise.")
        if self.gradients:
            notes.append("Run as a program, the module compares every gradient with a derivative by complex step.")
        if self.found is not None:
            notes.append(f"Only the last step of {', '.join(self.found.outputs)} is computed: {self.found.words}.")
        more = ("adjoints", "loss_and_gradients", *(["loss_and_all_gradients"] if plan.inputs else []), "self_check")
        shown = [n for n in ("forward", "loss", "gradients", *more) if n in self.outputs or (self.gradients and n in more)]
        public = sorted(["Params", "Last" if self.found else "Forward", *(["Adjoints", "Gradients"] if self.gradients else []),
                         *(["InputGradients"] if self.gradients and plan.inputs else []), *shown])
        past = more_rows({self.name(s): self.lags[s.name] for s in self.state_starts}, "at the front")
        future = more_rows({a.name: a.future for (k, _), a in plan.layout.arrays.items() if k == "adjoint" and a.future},
                           "at the end, zero")
        sizes = self.check_sizes()
        return {
            "name": safe(model.name), "hash": self.sha, "source": folded([f"Source: {model.source}"], 0) if model.source else [],
            "options": self.options(),
            "functions": self.functions, "by": self.differentiated_by(),
            "equations": folded([*map(str, model.equations), *total]), "notes": folded(notes, 0),
            "exported": wrapped(f"__all__ = [{', '.join(f'{chr(34)}{n}{chr(34)}' for n in public)}]"),
            "short_note": ' ("last step": at that one only)' if plan.last else "",
            "loss_words": " at the last step, over all sequences" if plan.last else ", over all steps and sequences",
            "run_note": note(past, "the backward pass" if self.gradients else ""),
            "back_note": note(future, "the gradients"),
            "given": wrapped(f"given = dict({', '.join(f'{n}=c.{n}.astype(complex)' for n in self.arrays_of_checked)})"),
            "announced": printed(f"{safe(model.name)}: every gradient against the derivative by complex step, at "
                                 + ", ".join(f"{k}={v}" for k, v in sizes.items())),
        }


CLOSING = "A single sequence may come without the axis B. TypeError or ValueError names an argument that is wrong."

MASK = "mask: (T, B), False in padding, which is at the end and may hold anything; no step is padding if left out"
MASK_AT_END = "the last step of a sequence is its last one that is not padding"
REDUCTION = 'reduction: "sum", or "mean": over all steps of all sequences that are not padding'
REDUCTION_AT_END = 'reduction: "sum", or "mean" over the sequences'

TARGET_WORDS = {
    "any": "",
    "unit": ", numbers from 0 to 1",
    "classes": ", probabilities that sum to 1; or class numbers from 0, as integers of shape {lead}",
}


def printed(text: str) -> list[str]:
    """The statement that prints a text; over several lines where it is long.

    >>> printed("one two")
    ['print("one two")']
    """
    if len(text) + 12 <= WIDTH:
        return [f'print("{text}")']
    parts = wrap(text, WIDTH - 12, break_long_words=False, break_on_hyphens=False)
    return ["print(", *(f'    "{part} "' for part in parts[:-1]), f'    "{parts[-1]}"', ")"]


def more_rows(rows: Mapping[str, int], where: str) -> str:
    """Which arrays have how many steps besides 1..T, in a sentence; nothing if none has.

    >>> more_rows({"h": 1, "c": 1, "g": 2}, "at the front")
    'Besides the steps 1..T, h, c have 1 more, g has 2 more at the front.'
    """
    groups: dict[int, list[str]] = {}
    for name, count in rows.items():
        groups.setdefault(count, []).append(name)
    parts = [f"{', '.join(names)} {'have' if len(names) > 1 else 'has'} {count} more" for count, names in groups.items()]
    return f"Besides the steps 1..T, {', '.join(parts)} {where}." if parts else ""


def note(more: str, reader: str) -> list[str]:
    """The rest of a docstring: rows that arrays have besides those of the steps, and what is not kept."""
    kept = f"What {reader} can do without is kept only for `everything`." if reader else ""
    parts = folded([" ".join(x for x in (more, kept) if x)], 0)
    return [".", "", *(f"    {x}" for x in parts), "    "] if parts else ["."]


def taken(source: str, names: list[str], whole: int) -> list[str]:
    """A line that takes names out of a tuple with ``whole`` fields (0: out of an object, each by its name)."""
    if not names:
        return []
    if len(names) == whole:
        return [f"{names[0]}, = {source}" if whole == 1 else f"{', '.join(names)} = {source}"]
    line = f"{', '.join(names)} = {', '.join(f'{source}.{n}' for n in names)}"
    return [line] if len(line) <= WIDTH else [f"{n} = {source}.{n}" for n in names]


def wrapped(text: str) -> list[str]:
    """Lines of code; a call that is too long gets its arguments on lines of their own."""
    out: list[str] = []
    for line in text.split("\n"):
        cut = next((k for k, c in enumerate(line) if c in "(["), None)
        if len(line) <= WIDTH or cut is None:
            out.append(line)
            continue
        pad = " " * (len(line) - len(line.lstrip()))
        end = line.rindex({"(": ")", "[": "]"}[line[cut]])
        inner = line[cut + 1 : end]
        parts = [inner] if len(pad) + 4 + len(inner) <= WIDTH else [f"{part}," for part in split_arguments(inner)]
        out += [line[: cut + 1], *(f"{pad}    {part}" for part in parts), f"{pad}{line[end:]}"]
    return out


def split_arguments(text: str) -> list[str]:
    """The arguments of a call, split at the commas outside of brackets.

    >>> split_arguments("a, b[1:, 0], c")
    ['a', 'b[1:, 0]', 'c']
    """
    parts, depth = [""], 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [p.strip() for p in parts]
