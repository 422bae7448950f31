r"""Labels of pictures: a little LaTeX as pieces of text that are italic, bold, lowered or raised, and how wide they are.

>>> [(p.text, p.script, p.bold) for p in pieces(r"\mathbf{\hat{y}}_t^{(k)}")]
[('ŷ', 0, True), ('t', -1, False), ('(', 1, False), ('k', 1, False), (')', 1, False)]
>>> spoken(r"W^\top \frac{\partial L}{\partial h_{t-1}} \odot f_t")
'W^⊤ ∂L/∂h_t−1 ⊙ f_t'
"""
from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby

from symrnn.read.letters import GREEK
from symrnn.read.tokens import tokenize

SIZE = 15.0
"""The size of a label in pixels; scripts are smaller by SCRIPT."""
SCRIPT = 0.72
RAISED, LOWERED = -5.0, 4.0

ACCENTS = {"hat": "\u0302", "widehat": "\u0302", "tilde": "\u0303", "widetilde": "\u0303", "bar": "\u0304", "overline": "\u0304",
           "dot": "\u0307", "ddot": "\u0308", "check": "\u030c", "breve": "\u0306", "mathring": "\u030a", "acute": "\u0301",
           "vec": "\u20d7", "overrightarrow": "\u20d7", "overleftarrow": "\u20d6"}
UPRIGHT = frozenset("mathrm text textrm operatorname mathsf texttt textnormal mathtt".split())
BOLD = frozenset("mathbf boldsymbol bm textbf pmb".split())
SIGNS = {"top": "⊤", "intercal": "⊺", "partial": "∂", "odot": " ⊙ ", "cdot": " · ", "times": "×", "langle": "⟨", "rangle": "⟩", "ell": "ℓ",
         "prime": "′", "nabla": "∇", "infty": "∞", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "neq": "≠", "to": "→", "circ": "∘",
         "varepsilon": "ε", "prod": "∏", "sum": "∑", "dots": "…", "ldots": "…", "star": "⋆", "ast": "∗", "|": "‖", "Vert": "‖",
         "lVert": "‖", "rVert": "‖", "quad": "  ", ",": " ", ";": " ", " ": " ", "{": "{", "}": "}", "colon": ": "}
OPENING = ("(", "[", "\\|", "{", "/")
"""What a fraction follows without a space."""
NARROW, WIDE = set("ijlt.,:;|'′!()[]{}/ft\u2009I "), set("mwMW⊙∂∑∏‖→⟨⟩≤≥≠×∞…")


@dataclass(frozen=True)
class Piece:
    """A run of characters in one style; ``script`` is 1 above the line, -1 below it and 0 on it."""

    text: str
    script: int = 0
    bold: bool = False
    italic: bool = True


def pieces(latex: str) -> tuple[Piece, ...]:
    """The pieces that a label is set in; commands that are not known stand as their names."""
    whole = re.sub(r"\\text\{[^{}]*\}", lambda m: m[0].replace(" ", "~"), latex)
    tokens = [t.text for t in tokenize(whole.replace("'", r"{\prime}"))]
    found = [p for p in _Setter(tokens).run(Piece("")) if p.text]
    styles = groupby(found, key=lambda p: replace(p, text=""))
    joined = [replace(style, text=unicodedata.normalize("NFC", "".join(p.text for p in run))) for style, run in styles]
    return tuple(replace(p, text=re.sub(" +", " ", p.text)) for p in joined)


class _Setter:
    """Reads tokens one by one; a style goes in, pieces come out."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.at = tokens, 0

    def run(self, style: Piece, end: str | None = None) -> Iterator[Piece]:
        while self.at < len(self.tokens):
            if self.tokens[self.at] == end:
                self.at += 1
                return
            yield from self.one(style)

    def one(self, style: Piece) -> Iterator[Piece]:
        """The pieces of the next token, with its arguments."""
        token = self.tokens[self.at]
        self.at += 1
        name = token.removeprefix("\\")
        if token == "{":
            yield from self.run(style, "}")
        elif token in ("_", "^"):
            script = style.script or (1 if token == "^" else -1)
            yield from self.argument(replace(style, script=script))
        elif token.isspace():
            return
        elif not token.startswith("\\"):
            sign = {"-": "−", "*": "∗", "~": " "}.get(token, token)
            yield replace(style, text=f" {sign} " if sign in "+−=" and not style.script else sign, italic=style.italic and token.isalpha())
        elif name == "frac":
            yield replace(style, text=" " if self.tokens[:self.at - 1] and self.tokens[self.at - 2] not in OPENING else "")
            yield from self.argument(style)
            yield replace(style, text="/", italic=False)
            yield from self.argument(style)
        elif name in ACCENTS:
            *before, last = [p for p in self.argument(style) if p.text] or [replace(style, text="·")]
            yield from before
            yield replace(last, text=last.text + ACCENTS[name])
        elif name in BOLD:
            yield from self.argument(replace(style, bold=True, italic=False))
        elif name in UPRIGHT:
            yield from self.argument(replace(style, italic=False))
        elif name in SIGNS:
            yield replace(style, text=SIGNS[name], italic=False)
        elif name in GREEK:
            yield replace(style, text=greek(name))
        elif name not in ("mathcal", "mathfrak", "mathscr", "mathbb", "left", "right", "limits"):
            yield replace(style, text=name, italic=False)

    def argument(self, style: Piece) -> Iterator[Piece]:
        while self.at < len(self.tokens) and self.tokens[self.at].isspace():
            self.at += 1
        if self.at < len(self.tokens):
            yield from self.one(style)


def greek(name: str) -> str:
    """The letter of a name.

    >>> greek("sigma"), greek("Sigma"), greek("varphi")
    ('σ', 'Σ', 'φ')
    """
    plain = name.removeprefix("var")
    size = "CAPITAL" if plain[:1].isupper() else "SMALL"
    word = plain.upper().replace("LAMBDA", "LAMDA")
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {word}")
    except KeyError:
        return name


def width(latex: str, size: float = SIZE) -> float:
    """How wide a label is at most, in the wider ones of the usual fonts."""
    return sum(_advance(c) * size * (SCRIPT if p.script else 1) * (1.08 if p.bold else 1) for p in pieces(latex) for c in p.text)


def _advance(c: str) -> float:
    if unicodedata.combining(c):
        return 0.0
    if c in NARROW:
        return 0.42
    return 0.95 if c in WIDE else 0.74 if c.isupper() else 0.62


def text(latex: str, x: float, y: float, kind: str = "", anchor: str = "middle") -> str:
    """A label as an SVG text whose line stands at ``y``."""
    level, spans = 0.0, ""
    for p in pieces(latex):
        want = {0: 0.0, 1: RAISED, -1: LOWERED}[p.script]
        kinds = " ".join(k for k, on in (("small", p.script), ("bold", p.bold), ("upright", not p.italic)) if on)
        attributes = (f' class="{kinds}"' if kinds else "") + (f' dy="{want - level:g}"' if want != level else "")
        spans += f"<tspan{attributes}>{escape(p.text)}</tspan>" if attributes else escape(p.text)
        level = want
    names = " ".join(k for k in ("maths", kind, anchor if anchor != "middle" else "") if k)
    return f'<text class="{names}" x="{x:.1f}" y="{y:.1f}">{spans}</text>'


def spoken(latex: str) -> str:
    """A label as a line of plain text, for descriptions.

    >>> spoken("W_{hh}")
    'W_hh'
    """
    runs = groupby(pieces(latex), key=lambda p: p.script)
    return "".join({0: "", 1: "^", -1: "_"}[script] + "".join(p.text for p in run) for script, run in runs)
