r"""Pages in HTML: formulas as MathJax, KaTeX and Wikipedia write them, or in delimiters; listings; words. Nothing of a page is run.

>>> page = r'''<h1>State</h1><p>With \(|h_t| &lt; 1\) and
... <math><semantics><mi>x</mi><annotation encoding="application/x-tex">x_t</annotation></semantics></math>,
... <script type="math/tex; mode=display">h_t = x_t</script></p>'''
>>> [(s.latex, s.kind, s.line, s.column, s.end_column) for s in scan_html(page, "page.html").spans]
[('|h_t| < 1', 'inline', 1, 25, 37), ('x_t', 'inline', 2, 69, 72), ('h_t = x_t', 'display', 3, 39, 48)]
"""

from __future__ import annotations

import html
import re
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

from symrnn.read.codelines import language
from symrnn.read.definitions import own
from symrnn.read.document import Document
from symrnn.read.formats.tags import REFERENCE, Token, tokens
from symrnn.read.places import Source
from symrnn.read.weaving import Loom

SKIPPED = frozenset("script style title head template noscript svg textarea select iframe object canvas".split())
"""Elements whose content is no text of the page."""

SHOWN = frozenset("katex-html MathJax MathJax_Preview MathJax_Display MathJax_SVG MathJax_CHTML mjx-container mjx-chtml tex2jax_ignore "
                  "mathjax_ignore".split())
"""Classes (and names of elements) that show a formula which stands beside them in TeX, or that are none."""

BREAKS = frozenset("address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form header hr "
                   "html li main nav ol p section summary table tbody td tfoot th thead tr ul".split())
"""Elements that begin and end a paragraph."""

TYPEWRITER = frozenset("code kbd samp tt".split())
"""Elements that show program text within a line."""

HEADINGS = {f"h{n}": n for n in range(1, 7)}
TEX = frozenset({"application/x-tex", "tex", "latex"})
"""The encodings of annotations in TeX."""

_STYLED = re.compile(r"\s*\{\s*\\(?:display|text)style\b\s*(?P<inside>.*)\}\s*", re.S)
_LANGUAGE = re.compile(r"\b(?:language|lang|highlight|brush:?|sourceCode)[- ]\s*([A-Za-z]\w*)")
_CODE = re.compile(r"\s*<code\b[^>]*>")
_IMAGE = re.compile(r"\b(?:mwe-math-\S*|tex|latex|math|ee_img|mathtex)\b")


def scan_html(text: str, path: str, folder: Path | None = None) -> Document:
    """The document that a page is."""
    page = _Page(text)
    for token in tokens(text):
        page.take(token)
    page.finish()
    return page.loom.document(path, macros=own(text))


class _Page:
    """One pass over a page. What stands in an element of interest is gathered until the element ends."""

    def __init__(self, text: str) -> None:
        self.whole = Source(text)
        self.loom = Loom()
        self.open: dict[str, int] = {}                               # the elements that are open, with how often
        self.skip: tuple[str, int, Token] | None = None              # the element that is passed over: its name, depth and tag
        self.taken: list[tuple[int, int, str]] | None = None         # what was gathered: from where to where, and for which text
        self.begun: Token | None = None                              # the tag of the formula that is open ...
        self.row: list[tuple[int, int, str]] | None = None           # the formulas of a row of cells that are one equation
        self.found = False                                           # ... and whether its TeX was found
        self.last = ""                                               # the formula in MathML just before, without white space
        self.alone = False                                           # whether only white space stands in a description so far
        self.within: list[tuple[str, ExitStack]] = []                # headings and listings that are open
        self.words = ExitStack()
        self._resume()

    @property
    def listing(self) -> bool:
        """Whether a listing is open."""
        return bool(self.within) and self.within[-1][0] == "pre"

    def take(self, token: Token) -> None:
        """Go on with a token."""
        if token.kind == "open":
            if not token.empty:
                self.open[token.name] = self.open.get(token.name, 0) + 1
            if self.skip is None and not self.listing:
                self._opened(token)
        elif token.kind == "close":
            depth = self.open.get(token.name, 0)
            self.open[token.name] = max(0, depth - 1)
            if self.skip is None:
                self._closed(token)
            elif self.skip[:2] == (token.name, depth):
                self.skip = None
        elif token.kind == "unclosed":
            self.loom.unclosed(self.whole, token.start, "a tag or comment")
        elif self.skip is None:
            self._text(token)

    # -- tags -------------------------------------------------------------------------------------------------------
    def _opened(self, token: Token) -> None:
        """A tag that opens an element."""
        tag, at, given = token.name, token.start, token.values(self.whole.text)
        classes = set(given.get("class", "").split())
        if self.begun is not None:
            if tag == "annotation" and given.get("encoding", "").lower() in TEX:
                self.taken = []
        elif tag == "math" and not token.empty:
            self.begun, self.found = token, False
        elif tag == "script" and given.get("type", "").startswith("math/tex"):
            self.begun, self.taken = token, []
        elif tag == "img":
            self._image(token, given)
        elif classes & SHOWN or tag in SHOWN or tag in SKIPPED:
            self.skip = None if token.empty else (tag, self.open[tag], token)
        elif tag == "pre":
            self._begin(tag, self.loom.code(self._language(token, given), self.whole, at))
        elif tag in HEADINGS:
            while self.within:                                       # a heading that was not closed
                self.within.pop()[1].close()
            self._begin(tag, self.loom.heading(HEADINGS[tag], self.whole, at))
        else:
            self._edge(token)
            self.alone = self.alone or tag == "dd"
            if tag == "tr" and any(name.startswith("ltx_eqn") for name in classes):
                self.row = []

    def _closed(self, token: Token) -> None:
        """A tag that closes an element."""
        if self.begun is not None:
            self._end_of_formula(token)
        elif self.within and self.within[-1][0] == token.name:
            self.within.pop()[1].close()
            self._resume()
        elif not self.listing:
            if token.name == "tr":
                self._end_of_row()
            self._edge(token)

    def _edge(self, token: Token) -> None:
        """An element that only sets its text apart begins or ends."""
        put = "`" if token.name in TYPEWRITER else "\n" if token.name == "br" else "\n\n" if token.name in BREAKS else ""
        self.loom.put(put, self.whole, token.start, token.start)

    def _text(self, token: Token) -> None:
        """Text of the page: to where it belongs."""
        stretch = self.whole.text[token.start : token.end]
        put = html.unescape(stretch) if token.kind == "reference" else stretch
        if self.taken is not None:
            self.taken.append((token.start, token.end, put))
        elif self.begun is None:
            if not put.isspace():
                self.alone, self.last = False, ""
            self._weave(token.start, token.end, put)

    def _weave(self, low: int, high: int, put: str) -> None:
        """A stretch of the page as it stands, or what stands for it."""
        if put == self.whole.text[low:high]:
            self.loom.copy(self.whole, low, high)
        else:
            self.loom.put(put, self.whole, low, high)

    # -- formulas ---------------------------------------------------------------------------------------------------
    def _end_of_formula(self, token: Token) -> None:
        """The end of an element within a formula, or of the formula itself."""
        assert self.begun is not None
        given = self.begun.values(self.whole.text)
        display = given.get("display") == "block" or "mode=display" in given.get("type", "").replace(" ", "") or self.alone
        kind = "display" if display else "inline"
        if token.name == "annotation" and self.taken is not None:
            self.found = self._formula(kind) or self.found
        elif token.name == self.begun.name == "script":
            self._formula(kind)
            self.begun = None
        elif token.name == self.begun.name:
            if not self.found and not self._attribute(self.begun, "alttext", kind):
                low, high = self.begun.start, token.end              # MathML alone: it is kept, and cannot be read
                self.taken = [(low, high, self.whole.text[low:high])]
                self._formula(kind)
            self.begun = None

    def _end_of_row(self) -> None:
        """The end of a row of cells: the formulas in it are one."""
        if self.row is not None:
            self.taken, self.row = self.row, None
            self._formula("display")

    def _image(self, token: Token, given: dict[str, str]) -> None:
        """The picture of a formula, unless the formula stands just before it."""
        named = given.get("class", "")
        if _IMAGE.search(named) and "".join(given.get("alt", "").split()) != self.last:
            self._attribute(token, "alt", "display" if "display" in named or self.alone else "inline")
        self.last = ""

    def _attribute(self, token: Token, name: str, kind: str) -> bool:
        """The formula that an attribute of a tag holds; whether there is one."""
        low, high = next(((low, high) for key, low, high in token.attributes if key == name), (0, 0))
        self.taken = []
        for found in REFERENCE.finditer(self.whole.text, low, high):
            self.taken += [(low, found.start(), self.whole.text[low : found.start()]), (*found.span(), html.unescape(found.group()))]
            low = found.end()
        self.taken.append((low, high, self.whole.text[low:high]))
        return self._formula(kind)

    def _formula(self, kind: str) -> bool:
        """Weave the formula that was gathered, without a style round it; whether there was one."""
        pieces, self.taken = self.taken or [], None
        if self.row is not None and pieces:
            self.row += [*pieces, (pieces[-1][1], pieces[-1][1], " ")]
            return True
        whole = "".join(put for _, _, put in pieces)
        if not whole.strip():
            return False
        self.last, self.alone = "".join(whole.split()), False
        styled = _STYLED.fullmatch(whole)
        first, last = styled.span("inside") if styled else (0, len(whole))
        self.words.close()
        with self.loom.formula(kind, self.whole, pieces[0][0]):
            size = 0
            for low, high, put in pieces:
                start, stop = max(first - size, 0), min(last - size, len(put))
                size += len(put)
                if start < stop and len(put) == high - low:
                    self._weave(low + start, low + stop, put[start:stop])
                elif start < stop:
                    self.loom.put(put[start:stop], self.whole, low, high)
        self._resume()
        return True

    # -- parts of the page ------------------------------------------------------------------------------------------
    def _resume(self) -> None:
        """Go on with words that may hold formulas in delimiters, unless a listing is open."""
        self.words = ExitStack()
        if not self.listing:
            self.words.enter_context(self.loom.words())

    def _begin(self, tag: str, part: AbstractContextManager[None]) -> None:
        """Begin a heading or a listing."""
        self.words.close()
        stack = ExitStack()
        stack.enter_context(part)
        stack.callback(lambda: self.words.close())
        self.within.append((tag, stack))
        self._resume()

    def _language(self, token: Token, given: dict[str, str]) -> str:
        """The language of a listing: a class or attribute says it, or a parser takes it."""
        body = self.whole.text[token.end : token.end + LONGEST].partition("</pre")[0]
        inner = _CODE.match(body)
        if given.get("data-lang"):
            return given["data-lang"].lower()
        named = _LANGUAGE.search(given.get("class", "") + " " + (inner[0] if inner else ""))
        return named[1].lower() if named else language(html.unescape(re.sub(r"<[^>]*>", "", body)).strip("\n"))

    def finish(self) -> None:
        """The end of the page: what is open ends here."""
        self._end_of_row()
        for open_ in (self.begun, self.skip and self.skip[2]):
            if open_ is not None:
                self.loom.unclosed(self.whole, open_.start, f"the element {open_.name}")
        while self.within:
            self.within.pop()[1].close()
        self.words.close()


LONGEST = 20_000
"""Characters of a listing that are looked at to tell its language."""
