r"""LaTeX as MathML for pages that need no script: a checked tree, of which the elements and attributes are known.

What stands in ``\changed{...}`` becomes an element of the class ``changed``. A formula that cannot be converted has no tree, and is
shown as its LaTeX.

>>> print(text(tree("x^2")))
<msup><mi>x</mi><mn>2</mn></msup>
>>> tree(r"\href{javascript:x}{y} \unknown") is None
True
"""
from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from xml.etree.ElementTree import Element, ParseError, fromstring

from math_core import LatexError, LatexToMathML

MARK = "Thistle"
"""The colour that stands for a marked part on the way through the converter; other colours are dropped."""
_MARKED = "color:#DE84BF;"

KEPT: dict[str, tuple[str, ...]] = {
    "mi": ("mathvariant",), "mn": (), "mo": ("stretchy", "symmetric", "lspace", "rspace", "minsize", "maxsize", "form", "movablelimits"),
    "mtext": (), "mspace": ("width",), "mrow": (), "mfrac": ("linethickness",), "msqrt": (), "mroot": (), "msub": (), "msup": (),
    "msubsup": (), "munder": ("accentunder",), "mover": ("accent",), "munderover": ("accent", "accentunder"),
    "mmultiscripts": (), "mprescripts": (), "mtable": ("displaystyle",), "mtr": (), "mtd": ("style",), "mphantom": (), "mpadded": (),
    "mstyle": ("displaystyle", "scriptlevel"),
}
"""The elements of MathML Core that may come out, each with the attributes that may."""
STYLES = {
    "text-align: right;justify-items: end;padding-right: 0;": "r",
    "text-align: left;justify-items: start;padding-left: 0;": "l",
    "text-align: left;justify-items: start;padding-right: 0;": "c",
    "text-align: left;justify-items: start;padding-right: 0;padding-left:1em;": "k",
}
"""The styles of cells, as classes."""
APPLIES = "\u2061"
INVISIBLE = f"{APPLIES}\u2062\u2063\ufe00\ufe01"
"""What draws nothing, and variants of letters that fonts seldom have."""
_FORBIDDEN = re.compile(r"\\(?:newcommand|renewcommand|providecommand|def|let|gdef|edef|DeclareMathOperator|color|ref|eqref)(?![A-Za-z])")
_CONVERTER = LatexToMathML(macros={"changed": rf"{{\color{{{MARK}}}#1}}"}, fancy_error=False, allow_unreliable_rendering=True)


@lru_cache(maxsize=4096)
def tree(latex: str, display: bool = True) -> Element | None:
    """The MathML of a formula, as one element; None where it cannot be converted or would have something unknown in it."""
    source = re.sub(r"\\color\{[^{}]*\}|\\(?:label|tag\*?)\{[^{}]*\}|\\(?:nonumber|notag)(?![A-Za-z])", "", latex)
    if _FORBIDDEN.search(source):
        return None
    source = re.sub(r"\\text\w*\{[^{}$]*\}", lambda m: m[0].replace("'", "\u2019"), source)
    try:
        found = fromstring(_CONVERTER.convert_with_local_state(source, displaystyle=display)
                           .replace("&ApplyFunction;", "\u2061").replace("&nbsp;", "\u00a0"))
    except (LatexError, ParseError, ValueError):
        return None
    row = Element("mrow")
    row.extend(found)
    try:
        return _simple(_checked(row))
    except _UnknownPart:
        return None


class _UnknownPart(Exception):
    """An element that is not known."""


def _checked(e: Element) -> Element:
    """An element with what is known of it, and nothing else."""
    if e.tag == "mtext" and len(e) == 1:                                # words in another font
        out = Element("mtext", {"class": e[0].tag} if e[0].tag in ("b", "i") else {})
        e = e[0]
    elif e.tag == "mo" and e.text == APPLIES and e.get("lspace"):
        out = Element("mspace", {"width": e.get("lspace", "")})
        e = Element("mspace")
    elif e.tag == "menclose":
        out = Element("mrow", {"class": "boxed"} if e.get("notation") == "box" else {})
    elif e.tag in KEPT:
        out = Element(e.tag, {k: v for k in KEPT[e.tag] if (v := e.get(k)) is not None})
        if e.tag == "mtd":
            style = STYLES.get(out.attrib.pop("style", ""))
            out.attrib.update({"class": style} if style else {})
        if e.get("style") == _MARKED:
            out.set("class", "changed")
    else:
        raise _UnknownPart(e.tag)
    out.text = "".join(c for c in e.text or "" if c not in INVISIBLE) or None
    for child in e:
        inner = _checked(child)
        if not (inner.tag == "mspace" and not inner.attrib) and not (inner.tag == "mo" and not inner.text):
            out.append(_simple(inner))
    return out


def _simple(e: Element) -> Element:
    """A row of one element as that element, with the class of the row."""
    kind = e.get("class")
    if e.tag not in ("mrow", "mpadded") or len(e) != 1 or (kind and (kind != "changed" or e[0].get("class"))):
        return e
    only = e[0]
    if kind:
        only.set("class", kind)
    if kind or e.tag == "mpadded":
        for space in ("lspace", "rspace"):
            only.attrib.pop(space, None)
    return only


def text(e: Element) -> str:
    """An element as HTML, everything in it escaped.

    >>> text(Element("mo", {"stretchy": "false", "class": "a b"}))
    '<mo stretchy=false class="a b"></mo>'
    """
    marks = "".join(f" {k}={v}" if re.fullmatch(r"[\w.]+", v) else f' {k}="{escape(v)}"' for k, v in e.attrib.items())
    return f"<{e.tag}{marks}>{inner(e)}</{e.tag}>"


def inner(e: Element) -> str:
    """What stands in an element, as HTML."""
    return escape(e.text or "", quote=False) + "".join(map(text, e))
