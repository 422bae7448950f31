r"""One normal form for the names of symbols, whatever fonts and braces a text writes them with.

>>> canonical_name(r"\mathbf{W}_{hh}") == canonical_name(r"\boldsymbol{W_{hh}}") == canonical_name("W_{hh}") == "W_hh"
True
>>> [canonical_name(x) for x in (r"\hat{\mathbf y}", r"\mathcal{L}", r"W^{\mathrm{in}}", r"W^{(hh)}", r"\delta_{z_t}")]
['hat(y)', 'L', 'W^in', 'W^(hh)', 'delta_{z_t}']
>>> canonical_name(r"\bW"), canonical_name(r"\yhat")
('W', 'hat(y)')
>>> [name_latex(x) for x in ("hat(y)", "W_hh", "sigma", "softmax", "W^in", "delta_{z_t}")]
['\\hat{y}', 'W_{hh}', '\\sigma', '\\mathrm{softmax}', 'W^{\\mathrm{in}}', '\\delta_{z_{t}}']
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from symrnn.read.letters import GREEK
from symrnn.read.macros import expand, shorthands
from symrnn.read.tokens import Refused, tokenize

FONTS = frozenset(
    r"\boldsymbol \mathbf \mathcal \mathfrak \bm \mathrm \mathit \mathsf \mathtt \mathscr \pmb \vec \underline \mathop "
    r"\mathnormal \mathbin \mathord \bold \boldmath \symbf \mathbfit \underbar".split()
)
"""Commands that change how their argument looks and not what it names."""

SWITCHES = frozenset(r"\rm \bf \it \sf \tt \cal \displaystyle \textstyle \scriptstyle \scriptscriptstyle".split())
"""Font commands without an argument."""

TEXTS = frozenset(
    r"\text \textbf \textrm \textit \textsf \texttt \textnormal \mbox \hbox \operatorname \operatorname*".split()
)
"""Commands whose argument is text."""

ACCENTS = {
    "\\hat": "hat", "\\widehat": "hat", "\\tilde": "tilde", "\\widetilde": "tilde", "\\bar": "bar", "\\overline": "bar",
    "\\overrightarrow": "fwd", "\\overleftarrow": "bwd", "\\dot": "dot", "\\ddot": "ddot", "\\check": "check",
    "\\breve": "breve", "\\mathring": "ring", "\\acute": "acute",
}
"""Accents by command; in a canonical name the accent stands before its argument in brackets."""

WRAPPERS = {"\\htmlClass": 1, "\\htmlId": 1, "\\htmlData": 1, "\\textcolor": 1, "\\colorbox": 1, "\\class": 1,
            "\\cssId": 1, "\\boxed": 0, "\\fbox": 0, "\\bbox": 0, "\\cancel": 0, "\\smash": 0, "\\ensuremath": 0}
"""Commands round an expression, with the number of arguments that come before the expression."""

SPACES = frozenset(r"\, \; \! \: \> ~ \quad \qquad \thinspace \medspace \negthinspace \hfill".split()) | {"\\ "}
"""Commands that make space. The wide ones, `\\quad` and `\\qquad`, also separate."""

_PLAIN_LABEL = re.compile(r"[^\W_]+|\([^\W_]+\)|<[^\W_]+>|\[[^\W_]+\]|\*")
_SIGNS = {"\\langle": "<", "\\rangle": ">", "\\prime": "'", "\\ast": "*", "\\star": "*",
          "\\to": "->", "\\rightarrow": "->", "→": "->"}


def canonical_name(latex: str) -> str:
    """The normal form of the name that `latex` writes: fonts, colours and space dropped, accents as ``hat(y)``, labels
    after ``_`` and ``^`` in this order. Total: any text has a normal form, and a normal form is its own.

    >>> canonical_name("W_hh"), canonical_name("hat(y)")
    ('W_hh', 'hat(y)')
    """
    if not set(latex) & set("\\{}$%~\" \t\n"):
        return latex
    tokens = tokenize(latex)
    try:
        tokens = expand(tokens, shorthands())
    except Refused:                                                   # too long for any name that a shorthand could stand in
        pass
    return canonical_tokens([t.text for t in tokens if not t.is_space])


def canonical_tokens(texts: Sequence[str]) -> str:
    """The normal form of the name that these tokens write (see :func:`canonical_name`)."""
    base, scripts, i = "", {"_": "", "^": ""}, 0
    while i < len(texts):
        text = texts[i]
        if text in scripts:
            command = texts[i + 1] if i + 1 < len(texts) else ""
            if (command in TEXTS or command in FONTS or command in ACCENTS) and texts[i + 2 : i + 3] == ["{"]:
                argument, i = _argument(texts, i + 2)                 # a label whose only token is a command with its argument
                argument = [command, "{", *argument, "}"]
            else:
                argument, i = _argument(texts, i + 1)
            scripts[text] += canonical_tokens(argument)
            continue
        skip = WRAPPERS.get(text, 1 if text == "\\color" else 0)
        if text in ACCENTS or text == "\\mathbb" or text in TEXTS:
            argument, i = _argument(texts, i + 1)
            inner = "".join(argument).strip() if text in TEXTS else canonical_tokens(argument)
            wrap = ACCENTS.get(text, "bb" if text == "\\mathbb" else "")
            base += f"{wrap}({inner})" if wrap else inner
        elif skip:
            for _ in range(skip):
                _, i = _argument(texts, i + 1)
                i -= 1
            i += 1
        elif text == "{":
            argument, i = _argument(texts, i)
            inner = canonical_tokens(argument)
            if not base and not any(scripts.values()) and ("_" in inner or "^" in inner):
                base, scripts["_"], scripts["^"] = split_name(inner)
            else:
                base += inner
        else:
            if not (text in FONTS or text in SWITCHES or text in SPACES or text in WRAPPERS or text == "}"):
                base += _SIGNS.get(text, text.lstrip("\\"))
            i += 1
    return join_name(base, scripts["_"], scripts["^"])


def _argument(texts: Sequence[str], i: int) -> tuple[Sequence[str], int]:
    """The TeX argument that begins at `i`, without its braces, and the index after it."""
    if i >= len(texts) or texts[i] != "{":
        return texts[i : i + 1], i + 1
    level = 0
    for j in range(i, len(texts)):
        level += (texts[j] == "{") - (texts[j] == "}")
        if level == 0:
            return texts[i + 1 : j], j + 1
    return texts[i + 1 :], len(texts)


def join_name(base: str, sub: str = "", sup: str = "") -> str:
    """A canonical name from its base and labels.

    >>> join_name("W", "hh"), join_name("b", "h,1"), join_name("W", sup="(hh)")
    ('W_hh', 'b_{h,1}', 'W^(hh)')
    """
    def label(mark: str, text: str) -> str:
        return mark + (text if _PLAIN_LABEL.fullmatch(text) else "{" + text + "}") if text else ""

    return base + label("_", sub) + label("^", sup)


def split_name(name: str) -> tuple[str, str, str]:
    """Base, lower label and upper label of a canonical name.

    >>> split_name("delta_{z_t}^l"), split_name("hat(y_1)")
    (('delta', 'z_t', 'l'), ('hat(y_1)', '', ''))
    """
    parts, mark, level = {"": "", "_": "", "^": ""}, "", 0
    for c in name:
        if level == 0 and c in "_^" and not parts[c]:
            mark = c
            continue
        level += (c in "({") - (c in ")}")
        parts[mark] += c
    return parts[""], *(_unbrace(parts[m]) for m in "_^")  # type: ignore[return-value]


def _unbrace(text: str) -> str:
    return text[1:-1] if text[:1] == "{" and text[-1:] == "}" else text


_ACCENT_LATEX = {
    "hat": "\\hat", "tilde": "\\tilde", "bar": "\\bar", "fwd": "\\overrightarrow", "bwd": "\\overleftarrow",
    "dot": "\\dot", "ddot": "\\ddot", "check": "\\check", "breve": "\\breve", "ring": "\\mathring",
    "acute": "\\acute", "bb": "\\mathbb",
}
_ACCENTED = re.compile(r"(\w+)\((.*)\)", re.S)


def name_latex(name: str, command: frozenset[str] = frozenset()) -> str:
    r"""LaTeX that writes a canonical name; `command` are words that LaTeX has a command for, such as ``tanh``."""
    base, sub, sup = split_name(name)
    accented = _ACCENTED.fullmatch(base)
    if accented and accented[1] in _ACCENT_LATEX:
        head = f"{_ACCENT_LATEX[accented[1]]}{{{name_latex(accented[2], command)}}}"
    elif base in GREEK or base in command:
        head = "\\" + base
    else:
        head = base if len(base) <= 1 else f"\\mathrm{{{base}}}"
    return head + "".join(f"{mark}{{{_label_latex(text)}}}" for mark, text in (("_", sub), ("^", sup)) if text)


def _label_latex(text: str) -> str:
    """LaTeX of a label: a word upright unless it is a run of like letters, such as hh, that texts write as letters."""
    if text in GREEK:
        return "\\" + text
    if "_" in text or "^" in text or _ACCENTED.fullmatch(text):
        return name_latex(text)
    if text[:1] in "(<[" and text[-1:] in ")>]":
        opening = {"<": "\\langle ", "(": "(", "[": "["}[text[0]]
        closing = {">": "\\rangle", ")": ")", "]": "]"}[text[-1]]
        return opening + _label_latex(text[1:-1]) + closing
    return text if len(text) <= 1 or not text.isalpha() or len(set(text)) == 1 else f"\\mathrm{{{text}}}"
