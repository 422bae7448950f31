r"""How an author writes things: names, times, transposes, diagonals, gradients. The writers ask this record and decide nothing.

>>> house = Notation()
>>> house.name("hat(y)"), house.name("W_hh"), house.at("h", Time("t", -1)), house.name("b_h", sub=("i",))
('\\hat{y}', 'W_{hh}', 'h_{t-1}', '(b_h)_i')
>>> Notation(time="sup", names={"h": r"\boldsymbol{h}"}).at("h", Time("T", 1), ("i",))
'\\boldsymbol{h}_i^{(T+1)}'
"""
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from symrnn.expr import Symbol, Time
from symrnn.expr.functions import TABLE as FUNCTIONS
from symrnn.model import Model
from symrnn.read.names import name_latex
from symrnn.read.scope import LOSS
from symrnn.read.symbols import SymbolTable

Style = tuple[str, str, str]
TIME_FORMS: Mapping[str, Style] = MappingProxyType({
    "sub": ("{}", "", ""), "sup": ("", "({})", ""), "angle": ("", r"\langle {} \rangle", ""), "bare": ("", "{}", ""),
    "call": ("", "", "({})"), "bracket": ("", "", "[{}]"),
})
"""Time style -> what the time adds below, above, and behind a name."""

VECTOR_FUNCTIONS = frozenset({"softmax"})


@dataclass(frozen=True)
class Written:
    """A name with its scripts as LaTeX, and whether a further upper or lower script needs braces or brackets first."""

    text: str
    sub: bool = False
    sup: bool = False


@dataclass(frozen=True)
class Notation:
    r"""The choices of one author; the default is the notation of this project.

    ``names`` maps canonical names (of symbols, sizes, functions) to LaTeX; ``time`` is a style of ``TIME_FORMS``, ``letter`` and
    ``last`` the time letter and the last step; ``diag`` is what stands before, and the pair of brackets round, the vector;
    ``gradient`` is ``fraction`` or ``nabla``; ``total`` names the summed loss; ``indices`` are free letters for components;
    ``entrywise`` is the sign of the product entry by entry; ``untimed`` are names written without a step, as the last one alone counts.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    time: str = "sub"
    letter: str = "t"
    last: str = "T"
    transpose: str = r"\top"
    diag: tuple[str, str, str] = (r"\mathrm{diag}", "(", ")")
    gradient: str = "fraction"
    total: str = "L"
    indices: tuple[str, ...] = ("i", "j", "k", "l", "m")
    kronecker: str = r"\delta"
    identity: str = "I"
    entrywise: str = r"\odot"
    untimed: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", MappingProxyType({k: acceptable(v) for k, v in sorted(self.names.items())}))

    def __hash__(self) -> int:
        return hash((tuple(self.names.items()), self.time, self.letter, self.last, self.transpose, self.diag, self.gradient,
                     self.total, self.indices, self.kronecker, self.identity, self.entrywise, self.untimed))

    @classmethod
    def of(cls, model: Model) -> Notation:
        """The house notation with the names as the source of the model writes them."""
        own = r"\bar{\ell}" if "ell" in model.definitions else r"\ell"  # what the source calls by that letter keeps it
        return cls(names={**({LOSS: own} if model.loss == LOSS else {}), **model.latex}, total=model.total)

    @classmethod
    def observed(cls, table: SymbolTable, latex_names: Mapping[str, str] = MappingProxyType({}),
                 samples: Iterable[str] = (), steps: Iterable[str] = ()) -> Notation:
        r"""The choices of a document: names as it writes them, and of each mark the form it uses most; ``steps`` name its last step.

        >>> table = SymbolTable.from_mapping({"time": "sup", "symbols": {"h": "vector n, sequence", "s": "vfunction softmax"}})
        >>> n = Notation.observed(table, samples=[r"\sum_{t=1}^\tau \mathrm{diag}[h^{(t)}] (\nabla_h L)^\intercal"])
        >>> n.time, n.last, n.transpose, n.diag, n.gradient, n.function("softmax")
        ('sup', '\\tau', '\\intercal', ('\\mathrm{diag}', '[', ']'), 'nabla', 's')
        """
        text = "\n".join(samples)
        functions = {d.role: latex_names.get(d.name, short(name_latex(d.name))) for d in reversed(list(table))
                     if d.is_function and d.role in {*FUNCTIONS, *VECTOR_FUNCTIONS}}
        letter = latex_names.get(table.time_letter, short(name_latex(table.time_letter)))
        total = _most(_NUMERATORS.findall(text) + _NABLAS.findall(text))
        plain = total.removeprefix("\\") if total else ""
        ends = [latex_names.get(n, short(name_latex(n))) for n in steps]
        name = re.sub(r"^mathcal\{(\w)\}$", r"\1", plain) or cls.total
        return cls(names={**functions, **({name: total} if total else {}), **latex_names}, time=table.time, letter=letter,
                   last=(ends[0] if len(ends) == 1 else None) or _most(a or b for a, b in _LAST.findall(text)) or cls.last,
                   transpose=_most(t.strip("{}") for t in _TRANSPOSES.findall(_BOUNDS.sub("", text))) or cls.transpose,
                   diag=_diagonal(text) or cls.diag, total=name,
                   entrywise=_most(s for s in _ENTRYWISE.findall(text) if s != "*") or cls.entrywise,
                   gradient="nabla" if len(_NABLA.findall(text)) > len(_NUMERATORS.findall(text)) else "fraction")

    # ----------------------------------------------------------------------------------------------------------------- names
    def base(self, name: str) -> str:
        """The LaTeX of a canonical name."""
        return self.names.get(name) or short(name_latex(name))

    def name(self, name: str, sub: tuple[str, ...] = ()) -> str:
        """A name with component indices."""
        return self.written(name, None, sub).text

    def at(self, name: str, time: Time | None, sub: tuple[str, ...] = ()) -> str:
        """A name at a time, with component indices."""
        return self.written(name, time, sub).text

    def step(self, time: Time | str) -> str:
        """A time as LaTeX: ``t-1``, ``T``, ``0``; a text stands for itself (``t-p+1``)."""
        if isinstance(time, str):
            return time
        base = {"t": self.letter, "T": self.last}.get(time.base) or (short(name_latex(time.base)) if time.base else "")
        return str(time.offset) if not time.base else base + (f"{time.offset:+d}" if time.offset else "")

    def written(self, name: str, time: Time | str | None, sub: tuple[str, ...] = ()) -> Written:
        """A name with its time and its component indices."""
        if name in self.untimed:
            time = None
        text = self.base(name)
        own_sub, own_sup = scripts(text)
        below, above, behind = (form.format(self.step(time)) if form and time else "" for form in TIME_FORMS[self.time])
        parts = [below] * bool(below) + list(sub)
        joined = joined_indices(parts, plain=not below)
        if own_sub and below and (found := re.fullmatch(r"(.*)_(\w|\{(?:[^{}]|\{[^{}]*\})*\})", text)):
            label, text, own_sub = re.sub(r"^\{(.*)\}$", r"\1", found[2]), found[1], False      # z_c at t is z_{c,t}
            timed = f"{text}_{{{label},{below}}}"
            return Written(f"({timed})_{braced(','.join(sub))}" if sub else timed, True, False)
        if behind:
            return Written(text + behind + (f"_{braced(joined)}" if joined else ""), bool(joined), False)
        if own_sup and above:
            text, own_sup = f"{{{text}}}", False
        if own_sub and joined:
            inner = f"{text}^{braced(above)}" if above else text
            return Written(f"({inner})_{braced(','.join(sub))}", True, False)
        text += f"_{braced(joined)}" if joined else ""
        text += f"^{braced(above)}" if above else ""
        return Written(text, bool(joined) or own_sub, bool(above) or own_sup)

    def function(self, name: str) -> str:
        """The LaTeX of an elementwise or vector function; ``?f'`` is the derivative of the unspecified f."""
        if name.startswith("?"):
            plain = name[1:].rstrip("'")
            return self.base(plain) + name[1 + len(plain):]
        row = FUNCTIONS.get(name)
        return self.names.get(name) or (row.latex if row else rf"\mathrm{{{name}}}")


def acceptable(latex: str) -> str:
    r"""LaTeX with the macros that GitHub renders: ``\operatorname`` is none of them.

    >>> acceptable(r"\operatorname{diag}"), acceptable(r"\textrm{qh}")
    ('\\mathrm{diag}', '\\textrm{qh}')
    """
    return re.sub(r"\\operatorname\*?\s*(?=\{)", r"\\mathrm", latex)


def short(latex: str) -> str:
    """Scripts of one character without braces.

    >>> short("h_{t}^{2}"), short("W_{hh}")
    ('h_t^2', 'W_{hh}')
    """
    return re.sub(r"([_^])\{([A-Za-z0-9])\}", r"\1\2", latex)


def braced(script: str) -> str:
    r"""A script, in braces unless it is one character.

    >>> braced("t"), braced("t-1"), braced(r"\top")
    ('t', '{t-1}', '\\top')
    """
    return script if len(script) == 1 or re.fullmatch(r"\\[A-Za-z]+", script) else f"{{{script}}}"


def joined_indices(parts: list[str], plain: bool = True) -> str:
    """Component indices, with commas unless they are single letters that count and no time stands before them.

    >>> joined_indices(["i", "j"]), joined_indices(["1", "2"]), joined_indices(["t", "i"], plain=False)
    ('ij', '1,2', 't,i')
    """
    letters = plain and all(len(p) == 1 and p in "ijklmn" for p in parts)
    return ("" if letters else ",").join(parts)


def scripts(latex: str) -> tuple[bool, bool]:
    r"""Whether a lower and an upper script (or a prime) stand at the top level of a name.

    >>> scripts("W_{hh}"), scripts(r"\boldsymbol{W_{hh}}"), scripts("h'")
    ((True, False), (False, False), (False, True))
    """
    level, found = 0, set()
    for c in latex:
        level += (c == "{") - (c == "}")
        if level == 0:
            found.add(c)
    return "_" in found, bool({"^", "'"} & found)


def declarations(symbols: Iterable[Symbol]) -> dict[str, str]:
    """The declarations, as in front matter, under which a reader gives these symbols their shapes.

    >>> declarations([Symbol("h", ("n", 1), "variable", Time("t")), Symbol("W", ("n", "m"), "parameter")])
    {'h': 'vector n, sequence', 'W': 'matrix n m'}
    """
    out = {}
    for s in symbols:
        sizes = [str(d) for d in s.shape]
        kind = "scalar" if s.shape == (1, 1) else f"vector {sizes[0]}" if s.shape[1] == 1 else f"matrix {sizes[0]} {sizes[1]}"
        out[s.name] = kind + (", sequence" if s.time is not None else "")
    return out


_LETTER = r"\\mathcal\{\w\}|\\?[A-Za-z]+"
_NUMERATORS = re.compile(rf"\\frac\s*\{{\s*\\partial\s*({_LETTER})\s*\}}")
_NABLA = re.compile(r"\\nabla\s*_")
_NABLAS = re.compile(rf"\\nabla\s*_\s*(?:\{{(?:[^{{}}]|\{{(?:[^{{}}]|\{{[^{{}}]*\}})*\}})*\}}|\w)\s*({_LETTER})")
_FIRST = r"_\s*\{\s*\w+\s*=\s*1\s*\}"
_LAST = re.compile(rf"\\sum\s*(?:{_FIRST}\s*\^\s*\{{?\s*(\\tau|T|N)\b|\^\s*\{{?\s*(\\tau|T|N)\s*\}}?\s*{_FIRST})")
_BOUNDS = re.compile(r"\\(?:sum|prod)(?:\\limits)?\s*(?:_(?:\{[^{}]*\}|\w))?\s*\^\s*(?:\{[^{}]*\}|\\?\w+)")
_TRANSPOSES = re.compile(r"\^\s*\{?\s*(?:\([^()]*\)|\\langle.*?\\rangle)?\s*(\\top|\\intercal|T(?![A-Za-z])|\\mathsf\s*\{?T\}?)")
_ENTRYWISE = re.compile(r"\\(?:odot|circ)(?![A-Za-z])|(?<![\^_{*])\*(?!\*)")
_DIAG = re.compile(
    r"(\\(?:mathrm|operatorname|text|mathbf|textrm)\s*\{\s*[dD]iag\s*\}|\b[dD]iag)\s*(?:\\left|\\[Bb]igg?l?)?\s*(\(|\[|\\\{)")


def entrywise(latex: str) -> str | None:
    r"""The sign of the product entry by entry that a formula has: a star too, if there is no other.

    >>> entrywise(r"a * b"), entrywise(r"a \circ b * c^*"), entrywise("a b")
    ('*', '\\circ', None)
    """
    found = _ENTRYWISE.findall(latex)
    return _most(s for s in found if s != "*") or _most(found) or None


def _most(found: Iterable[str]) -> str:
    """What occurs most often, the first of equals; '' of nothing."""
    counts = Counter(found)
    return counts.most_common(1)[0][0] if counts else ""


def _diagonal(text: str) -> tuple[str, str, str] | None:
    counts = Counter(_DIAG.findall(text))
    if not counts:
        return None
    head, opening = counts.most_common(1)[0][0]
    word = "Diag" if "Diag" in head else "diag"
    return rf"\mathrm{{{word}}}", opening, {"(": ")", "[": "]", r"\{": r"\}"}[opening]
