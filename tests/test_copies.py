r"""Copies of texts that declare nothing: other letters, fonts, notations, lines and orders change no verdict, and no mutant is proved.

The texts are of the kinds that are met in the wild: displays without delimiters, a softmax by components, a shift register, a
gradient chain, a network that is unrolled.
"""
from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from bench.texts import Change, letters, lines, verdicts, written
from symrnn.audit import Auditor
from symrnn.read.document import parse_document

ELMAN = r"""
An Elman layer keeps a vector from one step to the next. Its three equations are

\boldsymbol{s}^{(t)} = \tanh\left( \boldsymbol{R} \boldsymbol{s}^{(t - 1)} + \boldsymbol{P} \boldsymbol{x}^{(t)} + \boldsymbol{b} \right)

\boldsymbol{o}^{(t)} = \boldsymbol{Q} \boldsymbol{s}^{(t)} + \boldsymbol{c}

\boldsymbol{\hat{y}}^{(t)} = softmax(\boldsymbol{o}^{(t)})

where $\boldsymbol{s}^{(t)}$ is what it remembers. The whole loss is added up over the steps:

\mathcal{L} = \sum_{t = 1}^{\tau} \mathcal{L}^{(t)}

What one step takes from the one before it is

\frac{\partial \boldsymbol{s}^{(t)}}{\partial \boldsymbol{s}^{(t - 1)}} = diag\left[ 1 - (\boldsymbol{s}^{(t)})^2 \right] \boldsymbol{R}

and so the weights of the output learn by

\frac{\partial \mathcal{L}}{\partial \boldsymbol{Q}}
= \sum_{t = 1}^{\tau} \left( \nabla_{\boldsymbol{o}^{(t)}}\mathcal{L} \right) {\boldsymbol{s}^{(t)}}^\intercal

The bias inside the layer learns by

\frac{\partial \mathcal{L}}{\partial \boldsymbol{b}}
= \sum_{t = 1}^{\tau} diag\left[ 1 - (\boldsymbol{s}^{(t)})^2 \right] \nabla_{\boldsymbol{s}^{(t)}}\mathcal{L}

This one has its factors in the wrong order:

\frac{\partial \boldsymbol{s}^{(t)}}{\partial \boldsymbol{s}^{(t - 1)}} = \boldsymbol{R} diag\left[ 1 - (\boldsymbol{s}^{(t)})^2 \right]
"""
SOFTMAX = r"""
A vector of scores becomes a vector of shares:

\sigma(\boldsymbol{o})_i = \frac{e^{o_i}}{\sum_{j = 1}^n e^{o_j}}

Its derivative has two cases:

\frac{\partial \sigma_i}{\partial o_k}
= \begin{cases} \sigma_i (1 - \sigma_i), & \text{if}\ i = k \\ -\sigma_i \sigma_k, & \text{otherwise} \end{cases}

which come from the quotient

\frac{\partial \sigma_i}{\partial o_k} = \frac{\partial}{\partial o_k} \frac{e^{o_i}}{\sum_{j = 1}^n e^{o_j}}

With targets that add up to one,

\sum_{j}^n p(j) = 1

the surprise changes by

-\sum_j^n p(j) \frac{\partial \log\sigma_j}{\partial o_i}
= -\sum_j^n p(j) \frac{1}{\sigma_j} \frac{\partial \sigma_j}{\partial o_i}
= \sigma_i - p(i)

and not by

-\sum_j^n p(j) \frac{\partial \log\sigma_j}{\partial o_i} = p(i) - \sigma_i
"""
SHIFT = r"""
A register of the last $q$ values holds $x_t \in \mathbb{R}$ beside those before it, and a filter $a \in \mathbb{R}^q$ weighs them:

$$h_t = (h_{t-1}[2:q], x_t) = (x_{t-q+1}, \ldots, x_{t-1}, x_t)$$

$$y_t = a^\top h_t$$

so that

$$y_t = \sum_{i=1}^{q} a_i x_{t-q+i}$$

$$\frac{\partial y_t}{\partial a} = h_t$$

$$\frac{\partial y_t}{\partial h_t} = a^\top h_t$$
"""
CHAIN = r"""
The network is

$$h_t = f(W h_{t-1} + U x_t + b), \qquad o_t = V h_t + c$$

$$f = \tanh$$

with the loss

$$L = \sum_{t=1}^T l(o_t, y_t)$$

Then

$$\frac{\partial L}{\partial h_t}
= W^\top \mathrm{diag}(1 - h_{t+1}^2) \frac{\partial L}{\partial h_{t+1}} + V^\top \frac{\partial L}{\partial o_t}$$

$$\frac{\partial L}{\partial W} = \sum_{t=1}^T \mathrm{diag}(1 - h_t^2) \frac{\partial L}{\partial h_t} h_{t-1}^\top$$

$$\frac{\partial L}{\partial U} = \sum_{t=1}^T \mathrm{diag}(1 - h_t^2) \frac{\partial L}{\partial h_t} x_t^\top$$

$$\frac{\partial L}{\partial U} = \sum_{t=1}^T \mathrm{diag}(1 - h_t^2) \frac{\partial L}{\partial h_t} h_t^\top$$
"""
UNROLLED = r"""
A reservoir follows

\[ x(n) = \sigma(W x(n-1) + W^{in} u(n)) \]

and two steps at once are

\[ x(n) = \sigma(W \sigma(W x(n-2) + W^{in} u(n-1)) + W^{in} u(n)) \]

\[ x(n) = \sigma(W \sigma(W x(n-2) + W^{in} u(n)) + W^{in} u(n)) \]
"""

VERDICTS = {
    "elman": (ELMAN, [[None], [None], [None], [None], ["proved"], ["proved"], ["proved"], ["refuted"]]),
    "softmax": (SOFTMAX, [["proved"], ["proved"], ["proved"], [], ["proved", "proved"], ["refuted"]]),
    "shift register": (SHIFT, [[], [], [None, "proved"], [None], ["proved"], ["proved"], ["refuted"]]),
    "gradient chain": (CHAIN, [[None, None], [None], [None], ["proved"], ["proved"], ["proved"], ["refuted"]]),
    "unrolled": (UNROLLED, [[None], ["proved"], ["refuted"]]),
}
"""The verdicts on the relations of every equation of the texts."""

def delimited(text: str) -> str:
    return re.sub(r"(?m)^((?:\\[a-z]|-\\).*(?:\n= .*)*)$", r"$$\1$$", text)


UNBOLD = written(r"\\boldsymbol\{((?:[^{}]|\{[^{}]*\})*)\}", r"{\1}")
SUB = written(r"\^\{\(([^(){}]*)\)\}", r"_{\1}")
TO_SUP = written(r"([A-Za-z])_(?:(t)|\{(t[+-]1)\})(?![a-z])", r"{\1^{(\2\3)}}")
ANGLE = written(r"\^\{\(([^(){}]*)\)\}", r"^{\\langle \1 \\rangle}")
FAST: list[tuple[str, str, Change]] = [
    ("elman", "letters", letters({"s": "h", "R": "W_{hh}", "P": "W_{xh}", "Q": "W_{yh}", "b": "b_h", "c": "b_o", r"\tau": "N"})),
    ("softmax", "indices", letters({"i": "a", "j": "b", "k": "c", "o": "z", "n": "d", r"\sigma": "s"})),
    ("shift register", "letters", letters({"h": "s", "x": "u", "a": "w", "q": "m"})),
    ("gradient chain", "weights", letters({"W": "C", "U": "E", "V": "F", "h": "s", "c": "d", "L": r"\mathcal{J}", "T": "S"})),
    ("unrolled", "brackets", written(r"\((n(?:-\d)?)\)", r"[\1]")),
]
SLOW: list[tuple[str, str, Change]] = [
    ("elman", "lines", lines), ("elman", "delimiters", delimited), ("elman", "no bold", UNBOLD), ("elman", "sub", SUB),
    ("elman", "angle", ANGLE), ("elman", "loss", letters({r"\mathcal{L}": "Z", r"\tau": "M"})),
    ("elman", "o", letters({"o": "u", "x": "o"})),
    ("elman", "time", letters({"t": "n", r"\tau": "K"})), ("elman", "capitals", letters({"R": "E", "P": "C", "Q": "F"})),
    ("elman", "another last step", letters({r"\tau": "S"})), ("elman", "mathbf", written(r"\\boldsymbol", r"\\mathbf")),
    ("softmax", "lines", lines), ("softmax", "delimiters", delimited), ("softmax", "no bold", UNBOLD),
    ("softmax", "greek indices", letters({"i": r"\alpha", "j": r"\beta", "k": r"\gamma"})),
    ("softmax", "other counters", letters({"i": "l", "j": "r", "k": "s"})), ("softmax", "pi", letters({r"\sigma": r"\pi", "p": "q"})),
    ("softmax", "capital", letters({r"\sigma": "S", "n": "K", "o": "v"})), ("softmax", "share", letters({r"\sigma": "p", "p": "d"})),
    ("shift register", "bold", letters({"h": r"\mathbf{h}", "a": r"\mathbf{a}"})), ("shift register", "lines", lines),
    ("shift register", "time", letters({"t": "k", "q": "p"})), ("shift register", "time i", letters({"i": "j", "y": "z"})),
    ("gradient chain", "lines", lines), ("gradient chain", "permuted", letters({"U": "V", "V": "W", "W": "U"})),
    ("gradient chain", "bold", letters({x: rf"\mathbf{{{x}}}" for x in "hxobcyWUV"})), ("gradient chain", "f", letters({"f": r"\phi"})),
    ("gradient chain", "sup", TO_SUP),
    ("gradient chain", "tau", letters({"T": r"\tau"})), ("gradient chain", "l", letters({"l": r"\ell", "y": "d"})),
    ("unrolled", "letters", letters({"x": "s", "u": "v", "n": "k", "W": "A"})), ("unrolled", "label", written(r"\^\{in\}", "^{r}")),
    ("unrolled", "fonts", letters({"x": r"\mathcal{x}", "W": r"\mathbf{W}"})), ("unrolled", "tanh", letters({r"\sigma": r"\tanh"})),
    ("unrolled", "sub", written(r"\((n(?:-\d)?)\)", r"_{\1}")), ("unrolled", "two weights", letters({"W^{in}": "U"})),
]


@pytest.mark.parametrize("name", VERDICTS)
def test_a_text_that_declares_nothing_is_judged(name: str) -> None:
    text, expected = VERDICTS[name]
    assert verdicts(text) == expected


@pytest.mark.parametrize(("name", "how", "change"), [pytest.param(*row, id=" ".join(row[:2])) for row in FAST] + [
    pytest.param(*row, id=" ".join(row[:2]), marks=pytest.mark.slow) for row in SLOW])
def test_a_copy_has_the_same_verdicts(name: str, how: str, change: Change) -> None:
    text, expected = VERDICTS[name]
    copy = change(text)
    assert copy != text and verdicts(copy) == expected


def test_the_order_of_what_does_not_depend_on_each_other_changes_nothing() -> None:
    start = ELMAN.index("What one step takes")
    middle = ELMAN.index("and so the weights")
    first = ELMAN.index("An Elman layer")
    moved = ELMAN[:first] + ELMAN[start:middle] + ELMAN[first:start] + ELMAN[middle:]
    found, expected = verdicts(moved), VERDICTS["elman"][1]
    assert found == [expected[4], *expected[:4], *expected[5:]]


def test_a_letter_that_counts_components_beside_one_that_counts_steps_is_no_step() -> None:
    network = "$$h_t = \\tanh(W h_{t-1} + x_t)$$\n\n$$o_t = V h_t, \\qquad o_t \\in \\mathbb{R}^n$$\n"
    assert verdicts(network + SOFTMAX) == [[None], [None], *VERDICTS["softmax"][1]]


# --------------------------------------------------------------------------------------------------------------------- mutants
MUTATIONS: list[tuple[str, str]] = [
    (r"= (?=[^=]*$)", "= -"), (r"= (?=[^=]*$)", "= 2 "), (r" \+ ", " - "), (r"(?<=[^=({\[ ]) - ", " + "), (r"1 - ", "1 + "), (r"\^2", "^3"),
    (r"\^(?:\\intercal|\\top)", ""), (r"\(t\)", "(t - 1)"), (r"\(t - 1\)", "(t)"), (r"\(t\)", "(t + 1)"), (r"h_t\b", "h_{t-1}"),
    (r"h_\{t[-+]1\}", "h_t"), (r"\\boldsymbol\{R\}", r"\\boldsymbol{Q}"), ("W", "V"), ("V", "W"), (r"(?<=_)i", "k"), (r"(?<=_)k", "i"),
    (r"p\(j\)", "p(i)"), (r"= 1", "= 2"), (r"(?:diag|\\mathrm\{diag\})(?:\\left)?[\[(].*?\^2 ?(?:\\right)?[\])]", ""), (r"a_i", "a"),
    (r"t-q\+i", "t-q"), (r"n-2", "n-1"), (r"u\(n-1\)", "u(n)"), (r"(?<=W)\^\{in\}", ""), (r"h_\{t-1\}\^\\top", "x_t^\\\\top"),
    (r"\\frac\{1\}\{\\sigma_j\}", ""), (r"e\^\{o_i\}", "e^{o_k}"),
]
"""What a mutant has in another way; each stands for every place where it fits."""
EQUAL: dict[str, list[str]] = {"softmax": [
    r"\frac{\partial \sigma_i}{\partial o_k}" + "\n" + r"= \begin{cases} " + first
    + r", & \text{if}\ i = k \\ -\sigma_i \sigma_k, & \text{otherwise} \end{cases}"
    for first in (r"\sigma_k (1 - \sigma_i)", r"\sigma_i (1 - \sigma_k)")]}
"""The mutants that say the same as their original."""


def mutants(name: str) -> list[tuple[int, str, str]]:
    """The mutants of the equations that are judged: the number of the equation, the mutant, and the text with it."""
    text, expected = VERDICTS[name]
    rows = [s for s, e in zip(parse_document(text, "a.txt").spans, Auditor(parse_document(text, "a.txt")).run(), strict=True)
            if e.role != "mention"]
    out: dict[str, tuple[int, str, str]] = {}
    for n, (s, words) in enumerate(zip(rows, expected, strict=True)):
        if not {"proved", "conditional"} & set(words):
            continue
        for old, new in MUTATIONS:
            for m in re.finditer(old, s.latex):
                y = s.latex[: m.start()] + m.expand(new) + s.latex[m.end() :]
                out.setdefault(y, (n, y, text[: s.offset] + y + text[s.offset + len(s.latex) :]))
    return list(out.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", VERDICTS)
def test_no_mutant_is_proved(name: str) -> None:
    wrong = []
    _, expected = VERDICTS[name]
    for n, formula, text in mutants(name):
        found = verdicts(text)
        if len(found) == len(expected) and set(found[n]) <= {"proved", "conditional"}:
            wrong.append(formula)
    assert wrong == EQUAL.get(name, [])


# ---------------------------------------------------------------------------------------------------------------------- sources
def sources() -> list[Path]:
    """The texts beside the labelled set, where there is one."""
    cases = os.environ.get("SYMRNN_CASES")
    folder = Path(cases).resolve() if cases else None
    folder = folder.parent if folder is not None and folder.is_file() else folder
    places = [] if folder is None else [folder / "sources", folder.parent / "sources"]
    return sorted(path for place in places for path in place.glob("*.txt"))


@pytest.mark.slow
@pytest.mark.parametrize("path", sources(), ids=lambda p: p.name)
@pytest.mark.parametrize("change", [
    lines, written(r"\\boldsymbol", r"\\mathbf"), letters({"h": "s", r"\tau": "T"}), letters({"W": r"\Theta"})],
                         ids=["lines", "fonts", "letters", "weights"])
def test_a_copy_of_a_source_has_the_same_verdicts(path: Path, change: Change) -> None:
    text = path.read_text(encoding="utf-8", errors="replace")
    assert verdicts(change(text)) == verdicts(text)
