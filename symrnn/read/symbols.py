r"""What a text declares of its symbols: the table that decides how scripts and brackets are read.

>>> table = SymbolTable.from_mapping({"time": "sup", "symbols": {
...     "h": "vector n_h, sequence", "W_{hh}": "matrix n_h n_h",
...     "sigma": "function softmax", "t": "time", "i": "index n_o"}})
>>> table.get("W_hh")
Declared(name='W_hh', kind='matrix', shape=('n_h', 'n_h'), sequence=False, role=None)
>>> table.time, table.get("h").sequence, table.get("sigma").role, table.get("i").shape, table.get("q")
('sup', True, 'softmax', ('n_o',), None)
>>> inner = table.rebound({"h": "function"})            # a scope in which the text means something else by h
>>> inner.get("h").kind, table.get("h").kind
('function', 'vector')
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from symrnn.errors import DeclarationError, closest_name
from symrnn.read.macros import Macros, macro_table, usual
from symrnn.read.names import canonical_name
from symrnn.read.tree import Node

KINDS: dict[str, str] = {
    "scalar": "a number; no sizes",
    "vector": "one size, or none where the equations say it",
    "matrix": "two sizes, or none where the equations say them",
    "function": "a function of one thing, elementwise; the role names a standard one (function tanh)",
    "vfunction": "a function of a whole vector, such as softmax, or of several arguments",
    "index": "a letter that counts; the shape is the size it runs to, if that is declared",
    "size": "a whole number that is a size or a number of steps",
    "space": "a set",
}
"""The kinds of symbols, with the sizes each takes."""

TIME_STYLES: dict[str, str] = {
    "sub": "h_t", "sup": "h^{(t)}", "call": "h(t)", "angle": r"h^{\langle t\rangle}", "bare": "h^t", "bracket": "h[t]",
}
"""The ways to write a time, each with an example."""

_ALIASES = {"number": "scalar", "vec": "vector", "mat": "matrix", "fn": "function", "set": "space", "integer": "size"}
_SIZES = {"scalar": (0, 0), "vector": (0, 1), "matrix": (0, 2), "index": (0, 1), "size": (0, 0), "space": (0, 0)}
_TIMED = re.compile(r"(?P<base>.+?)(?:_(\w)|\^\((\w)\)|\^<(\w)>|\^(\w)|\((\w)\)|\[(\w)\])")


@dataclass(frozen=True, slots=True)
class Declared:
    """One symbol: canonical name, kind, shape in names of sizes, whether it is a sequence over time, and its role.

    The role of a function is the standard function it stands for; the role of the time variable is ``time``.
    """

    name: str
    kind: str
    shape: tuple[str, ...] = ()
    sequence: bool = False
    role: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            near = closest_name(self.kind, KINDS)
            raise DeclarationError(self.name, must=f"have one of the kinds {', '.join(KINDS)}", came=repr(self.kind),
                                   next_step=f"Did you mean {near}?" if near else "Write for example `vector n_h`.")
        least, most = _SIZES.get(self.kind, (0, 2))
        if not least <= len(self.shape) <= most:
            raise DeclarationError(self.name, must=f"have {KINDS[self.kind]} as {self.kind}",
                                   came=f"{len(self.shape)} sizes ({' '.join(self.shape) or 'none'})",
                                   next_step="Write for example `vector n_h` or `matrix n_h n_x`.")

    @property
    def is_function(self) -> bool:
        """A function of either kind."""
        return self.kind in ("function", "vfunction")

    @classmethod
    def parse(cls, name: str, spec: str | Mapping[str, Any] | Declared, time_letter: str = "t") -> Declared:
        """The declaration of `name` from its text, such as ``vector n_h, sequence``, or from a mapping of the fields.

        The name is LaTeX or, without braces and commands, a canonical name. One that carries the time, such as ``h_t``,
        declares a sequence.

        >>> Declared.parse("h_t", "vector n_h")
        Declared(name='h', kind='vector', shape=('n_h',), sequence=True, role=None)
        >>> Declared.parse("p", "matrix n_h x n_x").shape
        ('n_h', 'n_x')
        """
        name = canonical_name(str(name).strip())
        timed = _TIMED.fullmatch(name)
        sequence = bool(timed and time_letter in timed.groups()[1:] and timed["base"])
        name = timed["base"] if sequence and timed else name
        if isinstance(spec, Declared):
            return replace(spec, name=name, sequence=spec.sequence or sequence)
        if isinstance(spec, Mapping):
            fields = {str(k): v for k, v in spec.items()}
            if odd := sorted(set(fields) - {"kind", "shape", "sequence", "role"}):
                raise DeclarationError(name, must="have the fields kind, shape, sequence and role", came=odd[0],
                                       next_step="Remove the field.")
            shape = fields.get("shape", ())
            sizes = str(shape).split() if isinstance(shape, str | int) else [str(s) for s in shape]
            role = fields.get("role")
            return cls._make(name, str(fields.get("kind", "")), sizes, bool(fields.get("sequence", sequence)),
                             None if role is None else str(role))
        words, *flags = (part.split() for part in str(spec).split(","))
        flagged = {word for part in flags for word in part} | ({"sequence"} & set(words))
        if odd := sorted(flagged - {"sequence"}):
            raise DeclarationError(name, must="have nothing after the comma but `sequence`", came=odd[0],
                                   next_step="Write for example `vector n_h, sequence`.")
        kind, *rest = [w for w in words if w != "sequence"] or [""]
        if kind == "time":
            return cls(name, "index", role="time")
        if _ALIASES.get(kind, kind) in ("function", "vfunction"):
            if len(rest) > 1:
                raise DeclarationError(name, must="name at most one standard function", came=" ".join(rest),
                                       next_step="Write for example `function tanh`.")
            return cls._make(name, kind, (), sequence or bool(flagged), rest[0] if rest else None)
        return cls._make(name, kind, [w for w in rest if w not in ("x", "×", "by")], sequence or bool(flagged), None)

    @classmethod
    def _make(cls, name: str, kind: str, sizes: Iterable[str], sequence: bool, role: str | None) -> Declared:
        shape = tuple(map(canonical_name, sizes))
        return cls(name, _ALIASES.get(kind, kind), shape, sequence, role)


_STANDARD_FUNCTIONS = (
    "tanh sigmoid exp log ln sin cos tan sinh cosh sech coth arctan relu ReLU softplus sign sgn sqrt sigm gelu "
    "arctanh artanh atanh hardtanh leakyrelu swish silu erf"
)
_STANDARD_VFUNCTIONS = (
    "softmax logsumexp diag Diag tr Tr trace det rank vec max min argmax argmin sup inf lim Var Cov onehot concat "
    "concatenate clip CE"
)
STANDARD: Mapping[str, Declared] = MappingProxyType({
    **{n: Declared(n, "function", role=n) for n in _STANDARD_FUNCTIONS.split()},
    **{n: Declared(n, "vfunction", role=n) for n in _STANDARD_VFUNCTIONS.split()},
    "bb(E)": Declared("bb(E)", "vfunction", role="expectation"),
})
"""Functions that need no declaration when they are written as words."""


@dataclass(frozen=True)
class SymbolTable:
    """The declared symbols of a scope, the style of its times, the letter of the time variable, and the macros of the text.

    ``prefixes`` are the letters that make the gradient of the loss of the name after them, such as delta. ``values`` are functions
    that are names for one value, with the arguments of it. ``primes`` are what has a step where a prime marks the next one,
    ``aliases`` further names of symbols.
    """

    entries: Mapping[str, Declared] = field(default_factory=dict)
    time: str = "sub"
    time_letter: str = "t"
    macros: Macros = field(default_factory=usual)
    prefixes: frozenset[str] = frozenset()
    values: Mapping[str, tuple[Node, ...]] = field(default_factory=dict)
    primes: Mapping[str, int] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.time not in TIME_STYLES:
            raise DeclarationError("time", must=f"be one of {', '.join(TIME_STYLES)}", came=repr(self.time),
                                   next_step="The styles are " + ", ".join(f"{k}: {v}" for k, v in TIME_STYLES.items()))
        object.__setattr__(self, "entries", MappingProxyType(dict(sorted(self.entries.items()))))

    @classmethod
    def of(cls, declared: Iterable[Declared], time: str = "sub", time_letter: str = "t", macros: Macros | None = None,
           prefixes: Iterable[str] = (), values: Mapping[str, tuple[Node, ...]] | None = None,
           primes: Mapping[str, int] | None = None, aliases: Mapping[str, str] | None = None) -> SymbolTable:
        """A table of these declarations; the last of a name holds."""
        return cls({d.name: d for d in declared}, time, time_letter, {**usual(), **(macros or {})}, frozenset(prefixes), values or {},
                   primes or {}, aliases or {})

    @classmethod
    def from_mapping(cls, data: Mapping[str, Any]) -> SymbolTable:
        """A table from front matter; keys other than `time`, `time_letter`, `symbols`, `macros`, `gradients`, `values` are left to others.

        Errors: :class:`DeclarationError` for an unknown kind, a wrong number of sizes, an unknown time style.
        """
        symbols = data.get("symbols") or {}
        if not isinstance(symbols, Mapping):
            raise DeclarationError("symbols", must="map names to declarations", came=type(symbols).__name__,
                                   next_step='Write for example `symbols: {h: "vector n_h, sequence"}`.')
        plain = {str(k): v for k, v in symbols.items()}
        clocks = [canonical_name(k) for k, v in plain.items() if str(v).split(",")[0].strip() == "time"]
        letter = str(data.get("time_letter") or (clocks[0] if clocks else "t"))
        found = [Declared.parse(name, spec, letter) for name, spec in plain.items()]
        if letter not in {d.name for d in found}:
            found.append(Declared(letter, "index", role="time"))
        return cls.of(found, str(data.get("time", "sub")), letter, macro_table(data.get("macros") or {}),
                      map(canonical_name, data.get("gradients") or ()), data.get("values"), data.get("primes"),
                      data.get("aliases"))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The names of several letters that letters side by side may spell, the longest first."""
        return tuple(sorted((w for w in {*STANDARD, *self.entries} if len(w) > 1 and w.isalpha()), key=lambda w: (-len(w), w)))

    @cached_property
    def readings(self) -> dict[tuple[str, bool], Any]:
        """What was read with this table so far; :func:`symrnn.read.reader.read` keeps its answers here."""
        return {}

    def get(self, name: str) -> Declared | None:
        """The declaration of a canonical name, or None."""
        return self.entries.get(name)

    def lookup(self, name: str) -> Declared | None:
        """The declaration of a canonical name, or the standard function of that name, or None."""
        return self.entries.get(name) or STANDARD.get(name)

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def __iter__(self) -> Iterator[Declared]:
        return iter(self.entries.values())

    def __len__(self) -> int:
        return len(self.entries)

    def rebound(self, symbols: Mapping[str, str | Mapping[str, Any] | Declared] | Iterable[Declared], *,
                time: str | None = None) -> SymbolTable:
        """This table with some symbols declared anew: the table of an inner scope."""
        new = symbols if not isinstance(symbols, Mapping) else [
            Declared.parse(k, v, self.time_letter) for k, v in symbols.items()
        ]
        return replace(self, entries={**self.entries, **{d.name: d for d in new}}, time=time or self.time)

    def to_mapping(self) -> dict[str, Any]:
        """The front matter that makes this table (see :meth:`from_mapping`)."""
        def spec(d: Declared) -> str:
            if d.role == "time":
                return "time"
            words = " ".join((d.kind, *d.shape, *((d.role,) if d.role else ())))
            return words + (", sequence" if d.sequence else "")

        return {"time": self.time, "time_letter": self.time_letter, "symbols": {d.name: spec(d) for d in self}}
