r"""What a text does not declare: kinds of symbols, the style of its times and the names of its losses, from how it uses them.

The result is a mapping like the front matter of a document, so that what was inferred can be shown, edited and given back.
Sizes are left open; the equations determine them.

>>> data = infer([r"h_t = \tanh(W h_{t-1} + U x_t + b)", r"\frac{\partial L}{\partial W} = \sum_t \delta_t h_{t-1}^\top"])
>>> data["time"], {k: v for k, v in data["symbols"].items() if k in ("h", "W", "b", "t")}
('sub', {'t': 'time', 'h': 'vector, sequence', 'W': 'matrix', 'b': 'vector'})
"""
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from symrnn.read.columns import FUNCTIONS, in_columns, one_by_one
from symrnn.read.context import INDEX_LETTERS
from symrnn.read.declarations import REALS, declarations
from symrnn.read.gradients import named_gradients
from symrnn.read.held import Held, held
from symrnn.read.local import local_letters
from symrnn.read.names import GREEK, join_name
from symrnn.read.picked import one_hot_vectors
from symrnn.read.primed import steps_of_primes
from symrnn.read.ranks import ranks
from symrnn.read.reader import read
from symrnn.read.rowstyle import row_style
from symrnn.read.show import show
from symrnn.read.sums import open_sum, total_of
from symrnn.read.symbols import STANDARD, Declared, SymbolTable
from symrnn.read.tree import Node, walk
from symrnn.read.values import SPECTRAL, value_functions

STYLES = (
    ("angle", re.compile(r"\^\s*\{?\s*(?:<|\\langle)\s*(\w|\\tau)\b")),
    ("sup", re.compile(r"\^\s*\{?\s*\(\s*(\w|\\tau)\s*(?:[-+]\s*1\s*)?\)")),
    ("call", re.compile(r"[A-Za-z}]\s*\(\s*(\w|\\tau)\s*[-+]\s*1\s*\)")),
    ("bracket", re.compile(r"[A-Za-z}]\s*\[\s*(\w|\\tau)\s*[-+]\s*1\s*\]")),
    ("sub", re.compile(r"_\s*\{?\s*(\w|\\tau)\s*(?:[-+]\s*1\s*\}|\b)(?!\s*=)")),
    ("bare", re.compile(r"(?:\A|;|,|\\ )\s*(?:\\\w+\s*)*\{?\w\}?\s*\^\s*\{?\s*(\w|\\tau)\s*\}?\s*=")),
)
"""How a time is written, in the order in which the styles are told apart."""

LAGGED = re.compile(r"(?:[_^]\s*\{|[\[<{]|(?<=[A-Za-z}])(?<!\\times)\()\s*[(\[<]?\s*(?:\\langle)?\s*(\w|\\tau)\s*[-+]\s*1\b")
"""A letter plus or minus one, as a script or after a symbol: the mark of a time letter. In ``(n - 1) \\times n`` it is none."""

SPACES = re.compile(r"\\(?:mathbb\s*\{?\s*R\s*\}?|reals|R)\s*\^\s*(?:\{([^{}]*)\}|(\\?\w))")
"""The exponent of a space: what stands there is a size."""
BOUND = re.compile(r"\\(?:sum|prod)\s*(?:\\limits)?\s*_\s*\{?\s*(\w|\\tau)\s*=")
"""The letter of a sum or a product, which runs over steps but is not the running one."""

BOLD = re.compile(r"\\(?:mathbf|boldsymbol|bm|vec|pmb)\s*\{?\s*([a-z])(?![A-Za-z])")
"""A small letter in bold, or under an arrow: a vector."""

LABELS = frozenset({"in"})
"""Words of letters that usually count components."""
COUNTERS = frozenset("ijklmrs")
LOSSES = frozenset({"L", "E", "J", "C", "ell", "l", "Loss", "loss", "e", "F"})
STEPS = frozenset({"T", "tau", "N"})
ONE_DIMENSION = re.compile(r"\bscalar (?:(?:linear|recurrent|neural) )*(?:r?nns?|networks?|recurrences?|cells?|models?|states?|case)\b"
                           r"|\ball (?:quantities|variables|symbols|weights|letters) (?:here )?(?:are|being) (?:scalars?|numbers)\b"
                           r"|\bone[- ]dimensional (?:r?nns?|networks?|states?|recurrences?)\b", re.I)
"""How a text whose letters are all small says that each of them is a number."""
SCALARS = frozenset("eta alpha lambda gamma epsilon mu rho zeta kappa omega nu".split())
CONVENTIONAL = frozenset({"I", "e", "pi"})
"""Names that keep the meaning they have everywhere, unless a text declares or defines them."""

BATCH = re.compile(r"\b(?:mini-?)?batch(?:es|ed)?\b|\bexamples\b|\bsamples\b", re.I)
"""How a text says that there are several rows."""

DEFAULT = "scalar?"
"""What a name is taken for of whose kind nothing is known."""
RANKED = {"scalar": "scalar", "vector": "vector", "matrix": "matrix", "row": "matrix 1 ?{}"}
"""How each rank is declared with its sizes left open."""
GATES = re.compile(r"^(?:f|i|o|z|r|u|g|Gamma)(?:_.*)?$")
SURE_GATES = frozenset({"i", "r"})
"""Names that only gates have."""


NO_TIME = "time"
"""The time letter of a text in which nothing has a time."""
QUANTITIES = frozenset("Add Neg Mul Dot Div Had Pow Transpose Norm".split())
"""Operations on numbers and arrays; the step stands in none of them."""


@dataclass
class Use:
    """How often a name occurs in which way."""

    timed: int = 0
    plain: int = 0
    indices: Counter[int] = field(default_factory=Counter)
    numbered: int = 0                                               # with one number below, which may be a step
    called: Counter[int] = field(default_factory=Counter)
    spectral: int = 0                                               # called with a matrix that is no product with a vector
    primed: int = 0
    top: int = 0
    bottom: int = 0
    left: int = 0                                                   # before another factor
    right: int = 0                                                  # after another factor
    turned: int = 0                                                 # transposed
    counted: int = 0                                                # as an index, a bound or a time
    named: int = 0                                                  # as a side of an equation with a standard function
    argument: int = 0                                               # under an elementwise function
    lagged: int = 0                                                 # at the step before

    def components(self) -> int:
        """How often it has one index that is that of a component: what has a step elsewhere has one where a number stands, too."""
        return self.indices[1] - (self.numbered if self.timed else 0)

    def add(self, other: Use, times: int) -> None:
        """Count what is counted in another record some times more."""
        for way, more in vars(other).items():
            mine = getattr(self, way)
            if isinstance(more, Counter):
                mine.update({k: n * times for k, n in more.items()})
            else:
                setattr(self, way, mine + more * times)


def time_style(formulas: Iterable[str]) -> tuple[str, str]:
    """The style of times and the time letter.

    >>> time_style([r"\boldsymbol{h}^{(t)} = f(W h^{(t-1)})"]), time_style(["x(n) = W x(n - 1)"]), time_style(["a = b"])
    (('sup', 't'), ('call', 'n'), ('sub', 't'))
    """
    text = " ; ".join(formulas)
    sizes = {letter for found in SPACES.findall(text) for part in found for letter in re.findall(r"\\?[A-Za-z]+", part)}
    letters = Counter(x for x in LAGGED.findall(text) if x not in sizes and not x.isupper())    # not p in p(p + 1) parameters, L + 1 layers
    letter = max(letters, key=lambda x: (letters[x], x == "t")) if letters else "t"
    free = {x: n for x, n in letters.items() if x not in set(BOUND.findall(text))}
    if "t" in letters:
        letter = "t"
    elif free:
        letter = max(free, key=lambda x: free[x])
    for style, mark in STYLES:
        if any(found == letter for found in mark.findall(text)):
            return style, letter.lstrip("\\")
    return "sub", letter.lstrip("\\")


def uses(trees: Iterable[Node]) -> dict[str, Use]:
    """How every name is used in some trees; one that stands several times is looked at once."""
    out: dict[str, Use] = {}
    trees = list(trees)
    often = Counter(map(id, trees))
    for tree in distinct(trees):
        if often[id(tree)] == 1:
            _count_uses(tree, out)
            continue
        own: dict[str, Use] = {}
        _count_uses(tree, own)
        for name, u in own.items():
            out.setdefault(name, Use()).add(u, often[id(tree)])
    return out


def distinct(trees: Iterable[Node]) -> list[Node]:
    """The trees of which none is one before it: a formula that stands twice has been read once."""
    return list({id(tree): tree for tree in trees}.values())


def _count_uses(tree: Node, out: dict[str, Use]) -> None:
    """Count in ``out`` how the names of a tree are used."""
    def of(n: Node) -> Use:
        return out.setdefault(n.head, Use())

    if _lone(tree):                                                  # a name in the text: no use of it
        of(tree)
        return
    named = {id(n.nodes[0]) for n in walk(tree) if n.op == "Gradient"}           # a name in a name: no use of its own
    for n in walk(tree):
        if id(n) in named:
            of(n).bottom += 1
            _count(Node("Index", n.nodes), of)
        elif n.op == "Sym":
            u = of(n)
            u.timed += n.part("Time") is not None
            u.plain += n.part("Time") is None
            index = n.part("Index")
            if index is not None:
                u.indices[len(index.nodes)] += 1
                u.numbered += [m.op for m in index.nodes] == ["Num"]
                _count(index, of)
            if (time := n.part("Time")) is not None:
                u.lagged += any(m.op == "Neg" for m in walk(time))
                _count(time, of)
        elif n.op == "Chain" and n.nodes[0].op == "Sym" and n.nodes[1].nodes[0].op == "Sym" and n.nodes[1].nodes[0].head in STANDARD:
            of(n.nodes[0]).named += 1
        elif n.op == "Chain" and all(_plain_letter(m) for m in _before_colon(n)):
            _count(n, of)                                        # i = k, K >= 1: a relation between letters that count
        elif n.op == "Chain":
            for _, f in in_columns(n):
                of(f).called[1] += 1
                of(f).plain -= 1
        elif n.op == "Call":
            _called(n, of)
        elif n.op == "Prime" and n.nodes[0].op == "Sym":
            of(n.nodes[0]).primed += 1
        elif n.op == "Transpose" and n.nodes[0].op == "Sym":
            of(n.nodes[0]).turned += 1
        elif n.op in ("Mul", "Dot", "Star"):
            _factors(n, of)
        elif n.op == "Pow" and n.nodes[1].op == "Add":
            _count(n.nodes[1], of)                               # k - j factors
        elif n.op == "Deriv":
            _ends(n.nodes[0], n.nodes[1:], of)
        elif n.op == "Grad":
            _ends(n.nodes[1], n.nodes[:1], of)
        elif n.op == "At":
            for subscript in n.nodes[1:]:
                _count(subscript, of)
        elif n.op in ("Sum", "Prod"):
            for bound in n.nodes[:3]:
                _count(bound, of)


def _before_colon(n: Node) -> list[Node]:
    """The sides of a chain, or those before a colon."""
    sides = [n.nodes[0], *(rel.nodes[0] for rel in n.nodes[1:])]
    return sides[: next((k for k, rel in enumerate(n.nodes[1:], start=1) if rel.head == ":" and k > 1), len(sides))]


def _plain_letter(n: Node) -> bool:
    return n.op == "Num" or n.op == "Sym" and len(n.args) == 1 and len(n.head) == 1


def _count(n: Node, of: Any) -> None:
    for m in walk(n):
        if m.op == "Sym":
            of(m).counted += 1


def _called(n: Node, of: Any) -> None:
    f = n.nodes[0]
    while f.op in ("Prime", "Pow") and f.nodes:
        f = f.nodes[0]
    if f.op == "Sym":
        of(f).called[len([a for a in n.nodes[1:] if a.op != "Given"])] += 1
        of(f).spectral += all(m.op != "Time" and not re.match(r"[a-z](?:_|\Z)", m.head) for a in n.nodes[1:] for m in walk(a)
                              if m.op in ("Sym", "Time")) and any(m.head[:1].isupper() for a in n.nodes[1:] for m in walk(a))
        of(f).plain -= 1
        for a in n.nodes[1:]:
            if a.op == "Sym":
                of(a).argument += 1


def _factors(n: Node, of: Any) -> None:
    factors = [m for m in n.nodes if m.op != "Text"]
    last = len(factors) - 1
    for k, m in enumerate(factors):
        while m.op in ("Transpose", "Neg") and m.nodes:
            m = m.nodes[0]
        if m.op == "Sym":
            of(m).left += k < last
            of(m).right += k > 0


def _ends(top: Node, bottoms: Sequence[Node], of: Any) -> None:
    if top.op == "Sym":
        of(top).top += 1
    for m in bottoms:
        if m.op == "Sym":
            of(m).bottom += 1


def infer(formulas: Sequence[str], shapes: Mapping[str, Any] | None = None, prose: str = "",
          macros: Mapping[str, Any] | None = None, claims: int = 0, time: tuple[str | None, str | None] = (None, None),
          aliases: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The declarations that a text leaves out, as a mapping for :meth:`symrnn.setting.Setting.of`.

    ``shapes`` are declarations that win over what is inferred (names as the text writes them); ``macros`` are the text's own; the last
    ``claims`` formulas are to be judged, so that they say nothing of what a function is; ``time`` is the style of times and the time
    letter where they are known; ``aliases`` are further names.
    """
    style, letter = (stated or seen for stated, seen in zip(time, time_style(formulas), strict=True))
    table = replace(_blank(formulas, style, letter, macros), aliases=aliases or {})
    stated: dict[str, Declared] = {}
    for name, words in (shapes or {}).items():
        d = Declared.parse(name, words, letter)
        stated[d.name] = d
    if style == "bare":
        stated |= bare_sequences(formulas, table, stated)
    table = table.rebound(stated.values())
    trees = _trees(formulas, table)
    if letter == "t" and not any(LAGGED.findall(f) for f in formulas) and is_quantity(letter, stated, distinct(trees)):
        letter = NO_TIME                     # nothing has a time: t is a letter like others
        table = _blank(formulas, style, letter, macros).rebound(stated.values())
        trees = _trees(formulas, table)
    primes = steps_of_primes(distinct(trees), prose)
    if primes:                               # a prime is the next step, and what has none is at a step too
        letter = letter if letter != NO_TIME else "t"
        table = replace(SymbolTable.from_mapping({"time": "sub", "symbols": {letter: "time"}, "macros": macros or {}}), primes=primes)
        stated |= {name: replace(d, sequence=True) for name, d in stated.items() if name in primes}
        table = table.rebound(dict.fromkeys(primes, "vector, sequence")).rebound(stated.values())
        trees = _trees(formulas, table)
    marks = _labels(distinct(trees), table)
    if marks:                                # they change how the formulas are read
        table = table.rebound(marks)
        trees = _trees(formulas, table)
    values = value_functions(distinct(trees), table)
    if values:
        table = replace(table.rebound(dict.fromkeys(values, "scalar")), values=values)
        stated |= {name: Declared(name, "scalar") for name in values}
        trees = _trees(formulas, table)
    bold = set(BOLD.findall(" ".join(formulas)))
    data = _declared(trees, table, stated, marks, prose, bold)
    named = named_gradients(list(dict.fromkeys(formulas)), distinct(trees), data, prose, table)
    if named is not None:                    # so do gradients that carry the name of what they are taken by
        table = named.table
        data = _declared(_trees(formulas, table), table, stated, marks, prose, bold)
        named.enter(data)
    for name, hot in one_hot_vectors(formulas, distinct(trees), prose).items():
        if not hot:
            data["symbols"].pop(name, None)
            continue
        data["symbols"][name] = "vector, sequence"
        for kind in ("targets", "simplex", "one_hot"):
            data.setdefault(kind, []).append(name)
    if data["symbols"].get("sigma") == "function" and is_logistic("sigma", _trees(formulas[:len(formulas) - claims], table)):
        data["symbols"]["sigma"] = "function sigmoid"
    return data


def _blank(formulas: Sequence[str], style: str, letter: str, macros: Mapping[str, Any] | None) -> SymbolTable:
    """A table with nothing but the time and the losses that are words."""
    table = SymbolTable.from_mapping({"time": style, "symbols": {letter: "time"}, "macros": macros or {}})
    return table.rebound(dict.fromkeys(loss_words(formulas), "scalar"))


def bare_sequences(formulas: Sequence[str], table: SymbolTable, stated: Mapping[str, Declared]) -> dict[str, Declared]:
    """Of what is declared, the sequences of a text with steps as bare upper scripts: nothing stands without one, a number has equations."""
    every = {name: replace(d, sequence=True) for name, d in stated.items() if d.kind in RANKED}
    trees = _trees(formulas, table.rebound(every.values()))
    nodes = [n for tree in trees for n in walk(tree) if n.op == "Sym" and n.head in every]
    defined = {n.nodes[0].head for tree in trees for n in walk(tree) if n.op == "Chain" and n.nodes[0].op == "Sym"}
    timed = {n.head for n in nodes if n.part("Time") is not None} - {n.head for n in nodes if n.part("Time") is None}
    return {name: d for name, d in every.items() if name in timed and (d.kind != "scalar" or name in defined)}


def is_quantity(letter: str, stated: Mapping[str, Declared], trees: Iterable[Node]) -> bool:
    """Whether a letter is a number or an array: declared as one, or a term or factor of a formula."""
    d = stated.get(letter)
    if d is not None and d.kind in RANKED:
        return True
    here = Node("Sym", (letter,))
    return any(n.op in QUANTITIES and here in n.nodes for tree in trees for n in walk(tree))


def loss_words(formulas: Iterable[str]) -> list[str]:
    """The losses that a text writes as a word.

    >>> loss_words([r"\\partial loss / \\partial h_t", r"\\mathrm{Loss}_t", r"\\lossy"])
    ['loss', 'Loss']
    """
    return list(dict.fromkeys(w for f in formulas for w in re.findall(r"(?<![A-Za-z\\])[Ll]oss(?![A-Za-z])", f)))


def _declared(trees: Sequence[Node], table: SymbolTable, stated: dict[str, Declared], marks: Mapping[str, Any],
              prose: str, bold: set[str]) -> dict[str, Any]:
    """The declarations that some trees amount to, with those that are stated; ``bold`` letters are vectors if nothing else is known."""
    style, letter = table.time, table.time_letter
    found, softmax, trees = uses(trees), _softmaxes(trees), distinct(trees)
    stated = dict(stated)
    local = local_letters(trees, table)
    for d in (d for tree in trees for d in declarations(tree, table)):
        stated.setdefault(d.name, replace(d, shape=()) if d.name in local else d)   # what stands first declares, what follows may be wrong
    data: dict[str, Any] = {"time": style, "time_letter": letter, "symbols": {letter: "time"}}
    symbols: dict[str, Any] = data["symbols"]
    marked = {name: words for name, words in marks.items() if words in ("index", "size", "function") or isinstance(words, dict)}
    before = {m.head for tree in trees for n in walk(tree) if n.op == "Mul" for m, k in pairwise(n.nodes)
              if m.op == "Sym" and k.op == "Sym" and k.part("Time") is not None}     # what a column could not stand before
    flow = held(trees, prose)
    if flow is not None:
        data["held"] = flow
        stated |= _of_flow(flow, stated)
    constant, formal, numbered = _constants(trees), _formal(trees), _numbered(trees)
    matrices = {name for name, u in found.items() if marks.get(name) == "matrix" or marks.get(name) != "scalar" and _is_matrix(name, u)}
    known = {**dict.fromkeys(matrices, "matrix"), **{name: _rank(d) for name, d in stated.items() if d.kind in RANKED}}
    known |= {name: "vector" if u.indices.get(1) else "matrix" for name, u in found.items()
              if name not in known and name not in (letter, *STANDARD) and (u.components() or u.indices.get(2))}
    known |= {name: known.get(name.rpartition("_")[0], "vector") for name in found if name not in known and _at_a_step(name, found)}
    rows = row_style(trees, known, stated)
    spaces = rows.of_space(stated)
    lying = {name for name, u in found.items() if u.timed and rows.ranks and name not in stated} | spaces
    known = {name: rank for name, rank in known.items() if name not in lying or rank != "vector"}
    known |= {name: rank for name, rank in rows.ranks.items() if name not in stated or name in spaces}
    scales = _scales(trees, letter) - set(stated)
    numbers = scales | _multiples_of_identity(trees) | (SCALARS | {"beta", "tau"}) & _complements(trees) | _arguments(trees) - set(stated)
    numbers |= {"Delta"} & set(marks)
    known |= dict.fromkeys(numbers - set(known), "scalar")
    raised = {n.nodes[0].head for tree in trees for n in walk(tree) if n.op == "Pow"}
    known |= dict.fromkeys(_values_of_losses(trees) - set(stated), "scalar")
    derived = {name for name in LOSSES & set(found) - set(known) if _differentiated(found[name])}
    carried = ranks(trees, {**known, **dict.fromkeys(derived, "scalar")})
    losses = derived | {name for name in LOSSES - set(carried) if name not in found or not _computes(found[name])}
    scaling = _leading_factors(trees) & SCALARS - set(carried)
    carried = ranks(trees, {**carried, **dict.fromkeys(losses | scaling, "scalar")})
    usual = "row" if "row" in rows.ranks.values() and not rows.batches else "vector"
    sequences = {name: usual for name, u in found.items() if name not in carried and u.timed}
    added = ranks(trees, {**carried, **sequences, **{name: "scalar" for name in SCALARS & set(found) if name not in carried}})
    carried |= dict.fromkeys(_computed_vectors(trees, found, carried, sequences), "vector")
    stated |= {name: replace(stated[name], kind="matrix", shape=("1", *(stated[name].shape or (f"?{name}",))))
               for name in spaces if carried.get(name) == "row"}
    columns = {name for name, u in found.items() if u.turned and name[:1].islower() and not u.timed and name not in carried}
    inner = ranks(trees, {**carried, **sequences, **dict.fromkeys(columns, "vector")}) if columns else {}
    carried |= {name: rank for name, rank in inner.items() if rank == "scalar" and name in found and name not in sequences}
    for name, u in found.items():
        if name not in stated and (name in (letter, *STANDARD) or _at_a_step(name, found)):
            continue
        declared = _said(stated[name]) if name in stated else _words(name, u, matrices, prose)
        if declared == DEFAULT:
            declared = "vector" if added.get(name) == "vector" or name in bold else "scalar"       # what is added to vectors
            if name not in carried and declared == "scalar":
                data.setdefault("unsure", []).append(name)
        if name in formal and name not in stated or name in scales:
            declared = "scalar"
        if name == "e" and declared is None and carried.get(name) == "vector" and name not in raised:
            declared = "vector"                                       # a vector beside others, and nowhere the base of a power
        if name not in stated and usual == "row" and declared == "vector, sequence":
            carried.setdefault(name, usual)
        if name not in stated and name in carried and name not in losses and str(declared).split(",")[0] in RANKED:
            kind = f"matrix {rows.batches[name]} ?{name}" if name in rows.batches else RANKED[carried[name]].format(name)
            declared = kind + (", sequence" if u.timed else "")
        if name in marked and (name not in stated or declared == "index"):
            declared = marked[name]
        if name in softmax and (name not in stated or stated[name].role is None):
            declared = "vfunction softmax"
            call = softmax[name]
            if call is not None and any(n.op == "Sym" and n.head == name and n.part("Index") for t in trees for n in walk(t)):
                data.setdefault("elided", {})[name] = show(call, table)
        if name in constant and name not in stated and isinstance(declared, str):
            declared = declared.removesuffix(", sequence")            # with a time it is the use that one step makes of it
        if declared is not None:
            symbols[name] = declared
        if name not in stated and (declared == "function" or name in numbered or u.turned and name in before - matrices - set(carried)):
            data.setdefault("unsure", []).append(name)
    if ONE_DIMENSION.search(prose) and not any(name[:1].isupper() for name, u in found.items() if name not in LOSSES | STEPS):
        symbols |= {name: "scalar" + ", sequence" * words.endswith("sequence") for name, words in symbols.items()
                    if name not in stated and isinstance(words, str) and words.split(",")[0].split()[0] in ("vector", "matrix")}
    for name, d in stated.items():
        symbols.setdefault(name, _spec(d))
        if found.get(name, Use()).timed and "sequence" not in str(symbols[name]) and d.kind in ("scalar", "vector", "matrix"):
            symbols[name] = f"{symbols[name]}, sequence"
    if only_a_space(trees):
        symbols[REALS.head] = "space"
    counted = {part for spec in symbols.values() for word in str(spec).split(",")[0].split()[1:] for part in re.split(r"[-+*]", word)}
    computed = {n.nodes[0].head for tree in trees for n in walk(tree) if n.op == "Chain" and _lone(n.nodes[0]) and n.nodes[1].head == "="
                and n.nodes[1].nodes[0].op not in ("Num", "Sym")}
    for name in counted & set(symbols):                               # what something has that many of is a size
        own = name in computed and (found[name].bottom or found[name].argument)
        if symbols[name] in ("scalar", "vector") and name not in stated and not own:
            symbols[name] = "size"
    steps = _last_steps(trees, letter, {name: u for name, u in found.items() if name not in scales})
    guessed = sorted({size for size in rows.batches.values() if size.startswith("batch")})
    if guessed and not BATCH.search(prose):
        data["rows_guessed"] = guessed
    data["steps"] = [step for step in steps if step not in scales]
    data["numbered"] = sorted((_numbered(trees) & _equated(trees)) - set(stated) - set(STANDARD))
    symbols |= {step: "size" for step in data["steps"] if step in symbols and step not in stated}
    symbols |= {name: {"kind": "vfunction", "shape": "1"} for name in _terms_of_losses(trees) - set(symbols)}
    for name, value, shape in _maps(trees, stated, found):
        symbols |= {name: {"kind": "vfunction", "shape": shape}} | ({value: "scalar"} if shape == "1" else {})
    if table.values:
        data["values"] = dict(table.values)
    if table.primes:
        data["primes"] = dict(table.primes)
    if table.aliases:
        data["aliases"] = dict(table.aliases)
    _losses(data, found, trees, table)
    _likelihood(data, trees)
    for target in _entropy_targets(trees):
        for kind in ("targets", "simplex"):
            data[kind] = [*data.get(kind, ()), target]
    return data


def only_a_space(trees: Sequence[Node]) -> bool:
    """Whether R is the set of the real numbers in another font, and nothing else: it stands only behind an element sign."""
    chains = [n for tree in trees for n in walk(tree) if n.op == "Chain"]
    sets = [rel.nodes[0] for n in chains for rel in n.nodes[1:] if rel.head == "in" and rel.nodes[0].op == "Pow"]
    return 0 < sum(n.nodes[0] == REALS for n in sets) == sum(n == REALS for tree in trees for n in walk(tree))


def _terms_of_losses(trees: Sequence[Node]) -> set[str]:
    """Losses of several arguments that are one term of a sum, as l in ``J = l(o, y) + \\lambda s``: functions that are never given."""
    given = (n.nodes[1].nodes[0] for tree in trees for n in walk(tree) if n.op == "Chain" and _lone(n.nodes[0]))
    calls = (term for whole in given if whole.op == "Add" for term in whole.nodes if term.op == "Call" and len(term.nodes) > 2)
    return {term.nodes[0].head for term in calls if _lone(term.nodes[0]) and term.nodes[0].head in LOSSES}


def _maps(trees: Sequence[Node], stated: Mapping[str, Declared], found: Mapping[str, Use]) -> Iterator[tuple[str, str, str]]:
    r"""Functions of a whole vector, each with the name and the shape of its value, as g in ``y = g(x)`` where y has another size than x.

    So is f in ``z = f(y)`` where z, of which nothing is stated, is only differentiated.
    """
    calls = Counter(n.nodes[0].head for tree in trees for n in walk(tree) if n.op == "Call")
    for n in (n for tree in trees for n in walk(tree) if n.op == "Chain" and _lone(n.nodes[0]) and n.nodes[1].head in ("=", ":=")):
        value, call = n.nodes[0].head, n.nodes[1].nodes[0]
        if call.op != "Call" or len(call.nodes) != 2 or not (_lone(call.nodes[0]) and _lone(call.nodes[1])):
            continue
        name, argument = (m.head for m in call.nodes)
        whole = stated.get(argument)
        if name in stated or name in STANDARD or calls[name] > 1 or whole is None or whole.kind != "vector" or whole.sequence:
            continue
        own, u = stated.get(value), found.get(value, Use())
        if own is not None and own.kind == "vector" and own.shape and whole.shape and own.shape != whole.shape:
            yield name, value, " ".join(own.shape)
        elif own is None and u.top and not (u.bottom or u.indices or u.argument):
            yield name, value, "1"


def _values_of_losses(trees: Sequence[Node]) -> set[str]:
    r"""What is given at a step as a loss of several arguments, as ``\ell_t = L(o_t, y_t)``."""
    pairs = ((n.nodes[0], n.nodes[1].nodes[0]) for tree in trees for n in walk(tree) if n.op == "Chain" and n.nodes[1].head in ("=", ":="))
    return {left.head for left, right in pairs if left.op == "Sym" and left.part("Time") is not None and right.op == "Call"
            and len(right.nodes) > 2 and (right.nodes[0].head in LOSSES or right.nodes[0].head.lower().endswith("loss"))}


def _complements(trees: Sequence[Node]) -> set[str]:
    """The letters that are taken from one, as in ``(1 - \\alpha) h``."""
    terms = (n.nodes for tree in trees for n in walk(tree) if n.op == "Add" and Node("Num", ("1",)) in n.nodes)
    return {m.nodes[0].head for sides in terms for m in sides if m.op == "Neg" and _lone(m.nodes[0])}


def _leading_factors(trees: Sequence[Node]) -> set[str]:
    """Letters that stand in front of products, and nowhere where an array would stand."""
    nodes = [n for tree in trees for n in walk(tree)]
    first = {n.nodes[0].head for n in nodes if n.op in ("Mul", "Dot") and _lone(n.nodes[0])}
    arrays = {m.head for n in nodes if n.op in ("Had", "Star", "Transpose", "Call", "Outer") for m in n.nodes if _lone(m)}
    parts = {n.head for n in nodes if n.op == "Sym" and len(n.args) > 1}
    return first - arrays - parts


def _arguments(trees: Sequence[Node]) -> set[str]:
    """The letters of which texts give functions of one number: no formula has anything else beside them, and none a whole vector."""
    alone: set[str] = set()
    others: set[str] = set()
    for n in (n for tree in trees for n in walk(tree) if n.op == "Chain"):
        called = {m.nodes[0] for m in walk(n) if m.op == "Call"}
        heads = {f.head for c in called for f in walk(c) if f.op == "Sym"}
        letters = {m.head for m in walk(n) if m.op == "Sym"} - heads - CONVENTIONAL
        whole = heads & {name for name, d in STANDARD.items() if d.kind == "vfunction"} or any(m.op in ("Sum", "Norm") for m in walk(n))
        fits = heads and len(letters) == 1 and not whole and all(len(m.args) == 1 for m in walk(n) if m.op == "Sym" and m.head in letters)
        (alone if fits and n.nodes[0].op != "Sym" else others).update(letters)
    return alone - others


def _scales(trees: Sequence[Node], letter: str) -> set[str]:
    """Letters by which the argument of a function is divided, as the temperature in ``exp(z_i / \\tau)``, and that count nothing."""
    nodes = [n for tree in trees for n in walk(tree)]
    inside = (m for n in nodes if n.op == "Call" for a in n.nodes[1:] for m in walk(a))
    divided = (m.nodes[1].head for m in inside if m.op == "Div" and _lone(m.nodes[1]))
    counting = {m.head for n in nodes for part in _counted_in(n) for m in walk(part) if m.op == "Sym"}
    return set(divided) - counting - {letter}


def _counted_in(n: Node) -> Sequence[Node]:
    """What counts in a node: the step and the components of a symbol, the letter and the bounds of a sum."""
    return [p for p in n.nodes if p.op in ("Time", "Index")] if n.op == "Sym" else n.nodes[:3] if n.op in ("Sum", "Prod") else ()


def _multiples_of_identity(trees: Sequence[Node]) -> set[str]:
    """The letters right before the identity matrix of a text that uses I for nothing else, as in ``X X^\\top + \\beta I``."""
    if any(n.op == "Sym" and n.head == "I" and n.args[1:] or n.op == "Chain" and n.nodes[0].head == "I" for t in trees for n in walk(t)):
        return set()
    products = (n.nodes for tree in trees for n in walk(tree) if n.op in ("Mul", "Dot") and len(n.nodes) == 2)
    return {left.head for left, right in products if _lone(left) and right == Node("Sym", ("I",))}


def _of_flow(flow: Held, stated: Mapping[str, Declared]) -> dict[str, Declared]:
    """What a differential equation whose input is held says of kinds: the length of a step is a number, one channel has a number."""
    out = {flow.step: Declared(flow.step, "scalar")}
    kinds = [stated[name].kind if name in stated else "matrix" if name[:1].isupper() else "" for name in flow.continuous]
    if kinds[1] == "vector":
        out[flow.source] = Declared(flow.source, "scalar", sequence=True)
    out |= {name: Declared(name, kind) for name, kind in zip(flow.discrete, kinds, strict=True) if kind}
    return {name: d for name, d in out.items() if name not in stated}


def _computed_vectors(trees: Sequence[Node], found: Mapping[str, Use], carried: Mapping[str, str],
                      sequences: Mapping[str, str]) -> set[str]:
    """What is only differentiated, like a loss, but computed from vectors by products with matrices and sums."""
    tops = {name for name in sequences if found[name].top and name.split("_")[0] not in LOSSES}
    linear = {n.nodes[0].head for tree in trees for n in walk(tree) if n.op == "Chain" and n.nodes[0].op == "Sym" and n.nodes[1].head == "="
              and not any(m.op in ("Pow", "Norm", "Sum", "Deriv", "Grad", "Transpose", "Dot") for m in walk(n.nodes[1].nodes[0]))}
    if not tops & linear:
        return set()
    rest = ranks(trees, {**carried, **{name: rank for name, rank in sequences.items() if name not in tops}})
    return {name for name in tops & linear if rest.get(name) == "vector"}


def is_logistic(name: str, trees: Sequence[Node]) -> bool:
    """Whether a function is the logistic one: the text gives its slope as s(1 - s), or computes gates by it.

    A gate is one by its letter, if there are several, or because a variable of a step is its product with something, entry by entry.
    So is a function whose value p stands beside log p and log (1 - p).
    """
    logs = {n.nodes[1] for tree in trees for n in walk(tree) if n.op == "Call" and n.nodes[0].head in ("log", "ln") and len(n.nodes) == 2}
    gates: set[str] = set()
    values: set[str] = set()
    factors: set[str] = set()
    for n in (n for tree in trees for n in walk(tree) if n.op == "Chain" and n.nodes[1].head == "="):
        left, right = n.nodes[0], n.nodes[1].nodes[0]
        own = Node("Call", (Node("Sym", (name,)), *left.nodes[1:]))
        slope = Node("Mul", (own, Node("Add", (Node("Num", ("1",)), Node("Neg", (own,))))))
        if left.op == "Call" and left.nodes[0] == Node("Prime", (Node("Sym", (name,)),)) and right == slope:
            return True
        if left.op == "Sym" and left.part("Time") is not None and not left.head.startswith(("delta", "d_")):
            factors |= {m.head for x in walk(right) if x.op == "Had" for m in x.nodes if m.op == "Sym"} - {left.head}
        one = left.op == "Sym" and right.op == "Call"
        for value, f in (((left, right.nodes[0]),) if one else in_columns(n)):
            if f.head == name:
                if {value, Node("Add", (Node("Num", ("1",)), Node("Neg", (value,))))} <= logs:
                    return True
                values.add(value.head)
                gates |= {value.head} if GATES.match(value.head) else set()
    return len(gates) > 1 or bool(gates & SURE_GATES) or bool(values & factors)


def _formal(trees: Sequence[Node]) -> set[str]:
    """Letters that stand only as the argument of a function in equations that say something of that function: f(x) = ..."""
    inside: Counter[str] = Counter()
    for n in (n for tree in trees for n in walk(tree) if n.op == "Chain" and n.nodes[0].op == "Call" and len(n.nodes[0].nodes) == 2):
        x = n.nodes[0].nodes[1]
        calls = [m for m in walk(n) if m.op == "Call" and x in m.nodes[1:]]
        alone = [m for m in walk(n) if m == x]
        if x.op == "Sym" and len(x.args) == 1 and len(calls) == len(alone):
            inside[x.head] += len(alone)
    every = Counter(m.head for tree in trees for m in walk(tree) if m.op == "Sym")
    return {name for name, k in inside.items() if every[name] == k}


def _numbered(trees: Sequence[Node]) -> set[str]:
    """Letters that stand only with numbers below, which may count components, steps or the letters themselves."""
    named = [n for tree in trees for n in walk(tree) if n.op == "Sym"]
    below = [(n.head, n.part("Index")) for n in named]
    other = {head for head, index in below if index is None or any(m.op != "Num" for m in index.nodes)}
    return {head for head, _ in below} - other


def _last_steps(trees: Sequence[Node], letter: str, found: Mapping[str, Use]) -> list[str]:
    """The letter of the last step: one that usually names it, else the only letter at which sums over the steps end."""
    sums = [n for tree in trees for n in walk(tree) if n.op == "Sum" and _lone(n.nodes[0]) and _lone(n.nodes[2])]
    ends = {n.nodes[2].head for n in sums if n.nodes[0].head == letter}
    counted = {n.nodes[2].head for n in sums if n.nodes[0].head != letter}
    ends = {end for end in ends if end in STEPS or end not in counted and not _computes(found[end]) and not found[end].timed}
    if "T" in found or not ends:
        below = {name.rpartition("_")[2] for name in found if _at_a_step(name, found)}          # h_N beside h_t
        usual = {step for step in STEPS & set(found) if not _computes(found[step])}               # but not a weight N
        return ["T"] if "T" in found or "T" in below else sorted(usual | below) or ["T"]
    return sorted(STEPS & ends) or (sorted(ends) if len(ends) == 1 else ["T"])


def _constants(trees: Sequence[Node]) -> set[str]:
    """What stands without a time in the equation of a variable at a step: parameters."""
    out: set[str] = set()
    for chain in (n for tree in trees for n in walk(tree) if n.op == "Chain" and n.nodes[0].op == "Sym"):
        right = chain.nodes[1].nodes[0]
        inside = list(walk(right))
        if chain.nodes[0].part("Time") is not None and not any(m.op in ("Deriv", "Grad") for m in inside):
            out |= {m.head for m in inside if m.op == "Sym" and len(m.args) == 1}
    return out


def _softmaxes(trees: Sequence[Node]) -> dict[str, Node | None]:
    """Functions whose components a text gives as exponentials over their sum, with the call that the text writes most.

    Where it writes none but the one that it defines, that one.
    """
    nodes = [n for tree in trees for n in walk(tree)]
    written = Counter(n for n in nodes if n.op == "Call" and len(n.nodes) == 2)
    out: dict[str, Node | None] = {}
    chains = ([n.nodes[0], *(rel.nodes[0] for rel in n.nodes[1:])] for n in nodes if n.op == "Chain")
    for named, value in (pair for sides in chains for pair in pairwise(sides)):
        if named.op != "At" or named.nodes[0].op != "Call":
            continue
        f, argument = named.nodes[0].nodes[:2]
        if value.op != "Div" or f.op != "Sym" or argument.op != "Sym":
            continue
        top, bottom = value.nodes
        exponentials = [m for m in (top, bottom.nodes[3] if bottom.op == "Sum" else top) if m.op == "Call" and m.nodes[0].head == "exp"]
        parts = [m.nodes[1].head for m in exponentials]
        if parts == [argument.head] * 2 and bottom.op == "Sum":
            calls = [m for m in written if m.nodes[0].head == f.head and m.nodes[1].op == "Sym" and not m.nodes[1].part("Index")
                     and m.nodes[1].head != argument.head]
            own = named.nodes[0] if len(named.nodes[0].nodes) == 2 else None
            out[f.head] = max(calls, key=lambda m: (written[m], m.nodes[1].part("Time") is None), default=own)
    return out


def _labels(trees: Sequence[Node], table: SymbolTable) -> dict[str, Any]:
    """What a first reading mistakes: ``b_h`` with a state h is no component of b, and ``f = \\tanh`` makes f a function."""
    nodes = [n for tree in trees for n in walk(tree)]
    timed = {n.head for n in nodes if n.op == "Sym" and n.part("Time") is not None}
    summed = {name for name in _counting(nodes, table) if table.get(name) is None}
    out: dict[str, Any] = {**dict.fromkeys(_limits(nodes, summed) - set(table), "size"), **dict.fromkeys(summed, "index")}
    if table.time == "sub":                                           # sigma_i says what i is in o_i, beside o_t
        lasting = [n for n in nodes if n.op == "At" or n.op == "Sym" and n.head not in timed and n.part("Index") is not None]
        below = {m.head for n in lasting for m in (n.nodes[1:] if n.op == "At" else n.part("Index").nodes)}      # type: ignore[union-attr]
        out |= {name: {"kind": "index", "role": "component"} for name in summed & below}
    last = {n.nodes[2].head for n in nodes if n.op == "Sum" and n.nodes[0].head == table.time_letter and _lone(n.nodes[2])} - summed
    out |= dict.fromkeys((n.head for n in nodes if n.op == "Sym" and n.head in timed and (index := n.part("Index")) is not None
                          and [m.head for m in index.nodes] in [[end] for end in last]), "vector, sequence")     # h_n beside h_t
    out |= dict.fromkeys(_weights(nodes, table), "matrix")
    out |= dict.fromkeys(_raised(nodes, summed | set(out) | {table.time_letter}), "matrix")
    out |= {name: "matrix" if name[:1].isupper() else "vector" for name in _told_apart(trees, table)}
    out |= _layered(nodes)
    if "Delta" not in table and (scaled := _times_length(nodes)):
        out |= {"Delta": "scalar", **dict.fromkeys(scaled - set(table), "matrix")}
    for n in nodes:
        if n.op == "Sym" and (layer := n.part("Layer")) is not None and layer.nodes[0].op == "Num":       # h_t^{(1)}: of the first layer
            kind = "matrix" if n.head[:1].isupper() else "vector"
            for mark in (f"({layer.nodes[0].head})", f"[{layer.nodes[0].head}]"):
                out[join_name(n.head, sup=mark)] = f"{kind}, sequence" if n.part("Time") is not None else kind
        if n.op == "Call" and len(n.nodes) == 2 and n.nodes[0].op == n.nodes[1].op == "Sym" and n.nodes[1].head in summed \
                and len(n.nodes[1].args) == 1 and table.lookup(n.nodes[0].head) is None:
            name = n.nodes[0].head                                    # p(i): a distribution over what i counts
            out[name] = {"kind": "function", "shape": f"?{name}", "sequence": True}
        index = n.part("Index") if n.op == "Sym" else None
        if n.op == "Pow" and n.nodes[0].op == "Sym" and len(n.nodes[0].args) == 1 and (word := _word(n.nodes[1])) is not None:
            out[join_name(n.nodes[0].head, sup=word)] = "matrix"
        if n.op == "Call" and table.time in ("call", "bracket") and _is_clocked(n, table.time_letter):
            out[n.nodes[0].head] = "vector, sequence"
        if index is not None and len(index.nodes) == 1 and index.nodes[0].head in timed and len(index.nodes[0].args) == 1:
            out[join_name(n.head, index.nodes[0].head)] = "vector"
        if index is not None and len(index.nodes) == 2 and all(map(_lone, index.nodes)):
            letters = [m.head for m in index.nodes]                  # W_{ii} beside i_t, and W_{in}: what a weight goes from and to
            if set(letters) <= timed or "".join(letters) in LABELS:
                out[join_name(n.head, "".join(letters))] = "matrix" if n.head[:1].isupper() else "vector"
        if n.op == "Mul" or n.op == "Call" and len(n.nodes) == 2:
            for f, argument in pairwise(n.nodes):
                part = f.part("Index") if f.op == "Sym" and f.part("Time") is None else None
                sums = ("Add",) if n.op == "Mul" else ("Add", "Mul")
                if part is not None and [p.op for p in part.nodes] == ["Num"] and argument.op in sums and f.head in FUNCTIONS:
                    out[join_name(f.head, part.nodes[0].head)] = "function"
        if n.op == "Chain" and n.nodes[0].op == n.nodes[1].nodes[0].op == "Sym" and n.nodes[1].head in ("=", ":="):
            role = STANDARD.get(n.nodes[1].nodes[0].head)
            if role is not None and len(n.nodes[0].args) == 1 and table.get(n.nodes[0].head) is None:
                out[n.nodes[0].head] = role.kind
    return out


def _times_length(nodes: Sequence[Node]) -> set[str]:
    r"""The capital letters after a capital delta that is the length of a step and no sign of a change.

    It is one in an exponent and in something that is inverted, as in ``e^{\Delta A}`` and ``(\Delta A)^{-1}``.
    """
    places = [m for n in nodes for m in (n.nodes[1:] if n.op == "Call" and n.nodes[0].head == "exp" else n.nodes if n.op == "Pow" else ())]
    changed = any(n.op == "Chain" and n.nodes[0].op == "Delta" for n in nodes)
    if changed or not any(m.op == "Delta" for place in places for m in walk(place)):
        return set()
    return {m.head for n in nodes if n.op == "Delta" for m in n.nodes if _lone(m) and m.head[:1].isupper()}


def _layered(nodes: Sequence[Node]) -> dict[str, str]:
    """Symbols of a layer beside its step, as names of their own: every layer has other values, and a text has equations of one of them."""
    bound = {m.head for n in nodes if n.op in ("Sum", "Prod") for m in walk(n.nodes[0]) if m.op == "Sym"}
    out: dict[str, str] = {}
    for n in nodes:
        layer = n.part("Layer") if n.op == "Sym" else None
        text = None if layer is None or "^" in n.head else _layer_text(layer.nodes[0], bound)
        if text is not None:
            kind = "vector, sequence" if n.part("Time") is not None else "matrix" if n.head[:1].isupper() else "vector"
            out |= {join_name(n.head, sup=pair[0] + text + pair[1]): kind for pair in ("()", "[]")}
    return out


def _layer_text(n: Node, bound: set[str]) -> str | None:
    """What stands for a layer, as in a name: a number, or the letter of layers plus or minus one; None for a letter that runs."""
    letters = {m.head for m in walk(n) if m.op == "Sym"}
    if not letters <= {"l", "ell", "L"} or letters & bound:
        return None
    if n.op in ("Num", "Sym"):
        return n.head
    if n.op == "Add" and len(n.nodes) == 2 and n.nodes[0].op == "Sym":
        step = n.nodes[1].nodes[0] if n.nodes[1].op == "Neg" else n.nodes[1]
        return f"{n.nodes[0].head}{'-' if n.nodes[1].op == 'Neg' else '+'}{step.head}" if step.op == "Num" else None
    return None


def _counting(nodes: Sequence[Node], table: SymbolTable) -> set[str]:
    """The letters that count components, whatever they are: a sum binds them, they stand below, or they are compared with such.

    A letter that has a value of its own, ends a sum or counts steps is none of them, unless it usually counts and stands below.
    """
    valued, stepped, pairs = set(), {table.time_letter, *STANDARD}, set()
    timed = {n.head for n in nodes if n.op == "Sym" and n.part("Time") is not None}
    for n in nodes:
        if n.op == "Sym":
            base, _, label = n.head.rpartition("_")
            time = n.part("Time")
            if base in timed and time is None and table.time == "sub":   # h_k beside h_t
                stepped.add(label)
            if time is not None or n.part("Index") is not None:
                valued.add(n.head)
            stepped |= {m.head for m in walk(time) if m.op == "Sym"} if time is not None else set()
        elif n.op in ("Sum", "Prod"):
            stepped |= {m.head for m in walk(n.nodes[2]) if m.op == "Sym"}
        elif n.op in ("Mul", "Dot", "Add", "Neg", "Transpose", "Had"):
            valued |= {m.head for m in n.nodes if _lone(m)}
        elif n.op == "Chain":
            sides = [n.nodes[0], *(r.nodes[0] for r in n.nodes[1:])]
            colon = next((k for k, r in enumerate(n.nodes[1:], start=1) if r.head == ":"), 0)
            if colon == 2 and n.nodes[1].head in ("=", "!=") and all(map(_lone, sides[:2])):          # i = j : a claim
                pairs.add((sides[0].head, sides[1].head))
            elif len(sides) == 2 and n.nodes[1].head in ("=", "!=") and all(map(_lone, sides)):
                pairs.add((sides[0].head, sides[1].head))
            elif any(m.op not in ("Sym", "Num", "Enum", "Set", "Space") for m in sides):
                valued |= {m.head for m in sides if _lone(m)}
    bound = {n.nodes[0].head for n in nodes if n.op == "Sum" and _lone(n.nodes[0])} - {table.time_letter} - set(STANDARD)
    below = {m.head for n in nodes if n.op in ("Index", "At") for m in n.nodes[n.op == "At":] if _lone(m)}
    usual = COUNTERS & (below | bound - valued)                      # but not x in sum_x p(x), beside a vector x
    found = bound & usual | (bound | below) - valued - stepped
    before = -1
    while before < len(found):
        before = len(found)
        found |= {b for pair in pairs for a, b in (pair, pair[::-1]) if a in found and b not in valued | stepped}
    return found


def _limits(nodes: Sequence[Node], counting: set[str]) -> set[str]:
    """The letters at which sums over components end and that have no value of their own."""
    ends = {n.nodes[2].head for n in nodes if n.op == "Sum" and n.nodes[0].head in counting and _lone(n.nodes[2])}
    valued = {n.head for n in nodes if n.op == "Sym" and len(n.args) > 1}
    return ends - valued - counting - set(STANDARD)


def _lone(n: Node) -> bool:
    """A letter by itself."""
    return n.op == "Sym" and len(n.args) == 1


def _weights(nodes: Sequence[Node], table: SymbolTable) -> set[str]:
    """Capital letters before a bracket that are no functions: weights by their letter, or what is transposed or differentiated by.

    So is ``B_g`` before a bracket where ``B_z`` stands before something at a step.
    """
    calls: dict[str, list[Node]] = {}
    for n in nodes:
        if n.op == "Call" and _lone(n.nodes[0]) and re.fullmatch(r"[A-Z](?:_\w+)?", n.nodes[0].head) and n.nodes[0].head not in STANDARD:
            calls.setdefault(n.nodes[0].head, []).append(n)
    other = {m.head for n in nodes if n.op == "Prime" for m in n.nodes if m.op == "Sym"}
    other |= {n.nodes[0].nodes[0].head for n in nodes if n.op == "Chain" and n.nodes[0].op == "Call"}
    turned = {m.head for n in nodes if n.op == "Transpose" for m in (n.nodes[0], *n.nodes[0].nodes[:1]) if m.op == "Sym"}
    by = {m.head for n in nodes if n.op == "Deriv" for m in n.nodes[1:] if m.op == "Sym"}
    by |= {n.nodes[0].head for n in nodes if n.op == "Grad" and n.nodes[0].op == "Sym"}
    alike = {n.nodes[0].head.partition("_")[0] for n in nodes if n.op == "Mul" and n.nodes[0].op == "Sym" and "_" in n.nodes[0].head
             and n.nodes[1].part("Time") is not None}

    def of_array(call: Node) -> bool:
        return len(call.nodes) == 2 and call.nodes[1].op in ("Add", "Had", "Mul", "Dot", "Star") and any(
            m.op == "Sym" and m.part("Time") is not None for m in walk(call.nodes[1]))
    return {name for name, found in calls.items() if name not in other and table.get(name) is None and all(map(of_array, found))
            and (name[0] in "WUV" or name in turned | by or "_" in name and name[0] in alike)}


def _raised(nodes: Sequence[Node], counting: set[str]) -> set[str]:
    """Weights whose label is one upper letter, as in W^x and W^r: no power, for that letter counts nothing."""
    powers: dict[str, set[str]] = {}
    sets = {id(rel.nodes[0]) for n in nodes if n.op == "Chain" for rel in n.nodes[1:] if rel.head == "in"}
    for n in nodes:
        if id(n) not in sets and n.op == "Pow" and _lone(n.nodes[0]) and _lone(n.nodes[1]) and n.nodes[0].head[:1].isupper():
            powers.setdefault(n.nodes[0].head, set()).add(n.nodes[1].head)
    powers_of = (m.head for n in nodes if n.op == "Pow" and not _lone(n.nodes[1]) for m in walk(n.nodes[1]) if m.op == "Sym")
    counting = counting | INDEX_LETTERS | STEPS | set(powers_of)     # W^{r-1} makes r a number
    return {join_name(base, sup=label) for base, labels in powers.items() if labels - counting for label in labels}


def _told_apart(trees: Sequence[Node], table: SymbolTable) -> set[str]:
    """Weights that only a number tells apart, as W_1 and W_2 in a text that has no W, and the biases that belong to them.

    What has several equations may have a step below it, and W_12 could be a row and a column.
    """
    equated = _equated(trees) - _gradients_by_number(trees)
    below: dict[str, set[str]] = {base: set() for base in _numbered(trees) - equated - set(STANDARD) - set(table)}
    for n in (n for tree in trees for n in walk(tree) if n.op == "Sym" and n.head in below):
        below[n.head] |= {m.head for m in n.part("Index").nodes} if n.part("Time") is None else {""}     # type: ignore[union-attr]
    short = {base: numbers for base, numbers in below.items() if all(len(x) == 1 for x in numbers)}
    weights = [numbers for base, numbers in short.items() if base[:1].isupper()]
    biases = _added_to_products(trees) | _gradients_by_number(trees)
    return {join_name(base, number) for base, numbers in short.items()
            if any(numbers <= w for w in weights) or base in biases for number in numbers}


def _gradients_by_number(trees: Sequence[Node]) -> set[str]:
    r"""Letters that name several gradients by numbers: ``\delta_1 = \partial J/\partial z`` gives no component of an array."""
    chains = [n for tree in trees for n in walk(tree) if n.op == "Chain" and n.nodes[0].op == "Sym" and n.nodes[0].part("Index")]
    given = {n.nodes[0] for n in chains for right in [n.nodes[1].nodes[0]]
             if right.op == "Deriv" and len(right.nodes) == 2 and len(right.nodes[1].args) == 1}
    return {n.head for n in given} - {n.nodes[0].head for n in chains if n.nodes[0] not in given}


def _added_to_products(trees: Sequence[Node]) -> set[str]:
    """The letters of biases that only ever stand as the last term beside a product with a weight, as b_1 in ``x W + b_1``."""
    nodes = [n for tree in trees for n in walk(tree)]
    sums = [n.nodes for n in nodes if n.op == "Add" and n.nodes[-1].op == "Sym"
            and any(m.op in ("Mul", "Dot") and any(k.op == "Sym" and k.head[:1].isupper() for k in m.nodes) for m in n.nodes[:-1])]
    last = Counter(terms[-1].head for terms in sums)
    by = Counter(m.head for n in nodes if n.op in ("Deriv", "Grad") for m in (n.nodes[1:] if n.op == "Deriv" else n.nodes[:1])
                 if m.op == "Sym")
    often = Counter(n.head for n in nodes if n.op == "Sym") - by
    return {base for base in ("b", "c", "beta") if 0 < often[base] == last[base]}


def _equated(trees: Sequence[Node]) -> set[str]:
    """What stands at the left of an equation with something that is no number."""
    chains = (n for tree in trees for n in walk(tree) if n.op == "Chain" and n.nodes[1].head in ("=", ":="))
    return {n.nodes[0].head for n in chains if n.nodes[0].op == "Sym" and n.nodes[1].nodes[0].op != "Num"}


def _word(n: Node) -> str | None:
    """Letters set side by side, as in W^{in}, which is no power."""
    letters = n.nodes if n.op == "Mul" else ()
    plain = all(m.op == "Sym" and len(m.args) == 1 and len(m.head) == 1 for m in letters)
    together = all(a.span[1] == b.span[0] for a, b in zip(letters, letters[1:], strict=False))
    return "".join(m.head for m in letters) if letters and plain and together else None


def _is_clocked(n: Node, letter: str) -> bool:
    """A symbol with the running step, or one near it, in round or square brackets."""
    if len(n.nodes) != 2 or n.nodes[0].op != "Sym" or n.nodes[0].head in STANDARD:
        return False
    step = n.nodes[1]
    parts = step.nodes if step.op == "Add" else (step,)
    return sum(p.op == "Sym" and p.head == letter for p in parts) == 1 and all(
        p.op in ("Num", "Sym") or p.op == "Neg" and p.nodes[0].op == "Num" for p in parts)


def _trees(formulas: Iterable[str], table: SymbolTable) -> list[Node]:
    trees = [r.tree for f in formulas if (r := read(f, table, second=False)).tree is not None]
    return [Node("Rows", parts, tree.span) if (parts := one_by_one(tree)) else tree for tree in trees]


def _at_a_step(name: str, found: Mapping[str, Use]) -> bool:
    """``h_T`` beside ``h_t`` is the value at a step, no symbol of its own."""
    base, _, step = name.rpartition("_")
    return step in STEPS and base in found and found[base].timed > 0


def _undressed(name: str) -> str:
    """The letter of a name, without its labels and without what stands above it."""
    return re.sub(r"^(?:hat|tilde|bar|fwd|bwd)\((.*)\)$", r"\1", name).split("_")[0].split("^")[0]


def _is_matrix(name: str, u: Use) -> bool:
    base = _undressed(name)
    loss = base in LOSSES and (_differentiated(u) or not _computes(u))
    capital = base[:1].isupper() and (len(base) <= 2 or base in GREEK)
    return capital and not u.timed and not loss and (u.left > 0 or u.turned > 0 or "_" in name)


def _differentiated(u: Use) -> bool:
    """A letter that is differentiated and does nothing that a loss does not."""
    return u.top > 0 and not (u.bottom or u.turned or u.argument or u.lagged or u.indices)


def _computes(u: Use) -> bool:
    """A letter with which something is computed: a weight, a state."""
    return bool(u.bottom or u.turned or u.argument or u.lagged or u.indices or not u.top and (u.left or u.right))


def _words(name: str, u: Use, matrices: set[str], prose: str) -> str | None:
    """The declaration of a name by its use; None when nothing should be said."""
    base = _undressed(name)
    if re.fullmatch(r"[A-Za-z]{4,}", base) and base not in GREEK and base not in LOSSES and not (u.timed or u.indices or u.called):
        return None                                                   # a word: it may well be prose
    kronecker = name == "delta" and u.indices.get(2, 0) and not u.plain - u.indices[2] and not u.timed
    if kronecker or (name in CONVENTIONAL and not u.timed and not u.called):
        return None                                                   # it keeps the meaning it has everywhere
    sequence = ", sequence" if u.timed else ""
    alone = name in FUNCTIONS and not (u.left or u.right or u.turned or u.indices or u.top or u.bottom)      # f = \sigma
    if u.called and not u.timed and (u.plain <= u.named or alone):
        return _function_words(name, u, prose)
    if u.counted and not (u.left or u.right or u.called) and u.counted >= u.plain and not u.timed:
        return "index" if base.rstrip("'") in COUNTERS else "size"
    if (name in LOSSES or base in LOSSES) and u.top and not u.indices:
        return "scalar" + sequence
    if u.top and not u.bottom and not u.indices and not (u.left or u.right):
        return "scalar" + sequence
    if name in matrices or u.indices.get(2, 0) > u.indices.get(1, 0):
        return "matrix" + sequence
    if base in SCALARS and not u.indices:
        return "scalar" + sequence
    if u.timed or u.indices.get(1) or u.turned or u.right or u.argument or base in ("b", "c", "beta"):
        return "vector" + sequence
    return DEFAULT


def _function_words(name: str, u: Use, prose: str) -> str | None:
    if max(u.called) > 1:
        return None
    if u.spectral and SPECTRAL.fullmatch(name):
        return "vfunction"
    if name == "sigma":
        softmax = "softmax" in prose and u.indices
        return "vfunction softmax" if softmax else "function sigmoid" if re.search(r"sigmoid|logistic", prose) else "function"
    return "function"


def _spec(d: Declared) -> Any:
    """A declaration as words, or as a mapping where words cannot hold it."""
    if d.kind in ("function", "vfunction") and d.shape:
        return {"kind": d.kind, "shape": " ".join(d.shape), "sequence": d.sequence}
    if d.role == "time":
        return "time"
    words = " ".join((d.kind, *d.shape, *((d.role,) if d.role else ())))
    return words + (", sequence" if d.sequence else "")


def _rank(d: Declared) -> str:
    return "row" if d.kind == "matrix" and d.shape[:1] == ("1",) else d.kind


def _said(d: Declared) -> Any:
    """What a text declares; a letter that counts may run over another size elsewhere."""
    return "index" if d.kind == "index" and d.role != "time" else _spec(d)


def _likelihood(data: dict[str, Any], trees: Sequence[Node]) -> None:
    r"""A loss that sums ``-\log p(y_t | ...)``, where a softmax gives the probabilities: the cross-entropy with the class y_t."""
    nodes = [n for tree in trees for n in walk(tree)]
    if not any(n.op == "Call" and n.nodes[0].head == "softmax" for n in nodes):
        return
    logs = (n.nodes[1] for n in nodes if n.op == "Call" and n.nodes[0].head in ("log", "ln") and len(n.nodes) == 2)
    classes = {call.nodes[1].head for call in logs if call.op == "Call" and re.match(r"[pP](?:_|\Z)", call.nodes[0].head)
               and len(call.nodes) == 3 and call.nodes[2].op == "Given" and call.nodes[1].part("Time") is not None}
    given = {n.nodes[0].head for n in nodes if n.op == "Chain"}
    if len(classes) == 1 and not classes & given and data.get("total") and data.get("loss"):
        (target,) = classes
        data["cross_entropy"] = target
        for kind in ("targets", "simplex", "one_hot"):
            data[kind] = [*data.get(kind, ()), target]


def _entropy_targets(trees: Sequence[Node]) -> set[str]:
    """The distributions with which cross-entropies compare what is computed."""
    nodes = [n for tree in trees for n in walk(tree)]
    given = {n.nodes[0].head for n in nodes if n.op == "Chain"}
    calls = (n.nodes[1:] for n in nodes if n.op == "Call" and n.nodes[0].head == "CE" and len(n.nodes) == 3)
    return {a.head for args in calls for a in args if a.op == "Sym" and a.head not in given and not a.head.startswith("hat(")}


def _losses(data: dict[str, Any], found: Mapping[str, Use], trees: Iterable[Node], table: SymbolTable) -> None:
    """Which letters are the total loss and the loss of one step: by ``L = sum_t L_t``, else by what is differentiated."""
    for tree in trees:
        for n in walk(tree):
            if n.op != "Chain":
                continue
            left, rel = n.nodes[0], n.nodes[1]
            left = left.nodes[0] if left.op == "Call" else left
            body = rel.nodes[0]
            opened = open_sum(body, data["time_letter"])
            if left.op == "Sym" and len(left.args) == 1 and opened is not None and opened[0].nodes[0].head not in STANDARD:
                data["total"] = left.head
                data["symbols"].pop(left.head, None), data["symbols"].pop(opened[0].nodes[0].head, None)
                return
            if left.op == "Sym" and len(left.args) == 1 and body.op == "Call" and body.nodes[1:] and found[left.head].top and all(
                    a.op == "Sym" and _at_a_step(a.head, found) for a in body.nodes[1:]):           # L = l(h_T)
                data["total"] = left.head
                data["symbols"].pop(left.head, None)
                return
            scale, body, rest = total_of(body, data["time_letter"], data["steps"])
            if left.op == "Sym" and len(left.args) == 1 and body.op == "Sum" and body.nodes[0].head == data["time_letter"] \
                    and body.nodes[3].op == "Sym" and body.nodes[3].part("Time") is not None and not body.nodes[3].part("Index") \
                    and str(body.nodes[1]) in ("Absent", "1") and body.nodes[2].op in ("Absent", "Sym") and body.nodes[4].op == "Absent":
                data["total"] = left.head
                data["symbols"].pop(left.head, None)
                if scale is None and not rest:                                     # else the loss of a step has no letter
                    data["loss"] = body.nodes[3].head
                    data["symbols"].pop(body.nodes[3].head, None)
                return
    timeless = not any(n.op == "Time" for tree in trees for n in walk(tree))
    plain = {n.nodes[0].head for tree in trees for n in walk(tree) if timeless and n.op == "Chain" and n.nodes[0].op == "Sym"}
    tops = [name for name, u in found.items() if name not in {*table.values, *plain} and u.top > u.bottom and u.top
            and not (u.timed or u.called) and data["symbols"].get(name) == "scalar"]
    if tops:                                                          # what has no steps has no sum over them
        name = data["loss" if plain else "total"] = max(tops, key=lambda n: (found[n].top, n in LOSSES))
        data["symbols"].pop(name, None)
