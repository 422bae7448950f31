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
from collections.abc import Callable
from contextlib import ExitStack
from html.parser import HTMLParser
from pathlib import Path

from symrnn.read.codelines import language
from symrnn.read.definitions import own
from symrnn.read.document import Document
from symrnn.read.places import Source
from symrnn.read.weaving import Loom

VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
"""Elements without content."""

SKIPPED = frozenset("script style title head template noscript svg textarea select iframe object canvas".split())
"""Elements whose content is no text of the page. What stands in the head is one with the head."""

SHOWN = frozenset("katex-html MathJax MathJax_Preview MathJax_Display MathJax_SVG MathJax_CHTML mjx-container mjx-chtml tex2jax_ignore "
                  "mathjax_ignore".split())
"""Classes (and names of elements) that show a formula which stands beside them in TeX, or that are none."""

BREAKS = frozenset("address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form header hr html "
                   "li main nav ol p section summary table tbody td tfoot th thead tr ul".split())
"""Elements that begin and end a paragraph."""

TYPEWRITER = frozenset("code kbd samp tt".split())
"""Elements that show program text within a line."""

HEADINGS = {f"h{n}": n for n in range(1, 7)}

_VALUE = r"\s*=\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>[^\s\"'>]+))"
_ATTRIBUTE = {name: re.compile(rf"(?<=[\s\"']){name}{_VALUE}", re.I) for name in ("alttext", "alt", "data-latex", "data-tex")}
_REFERENCE = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});?")
_STYLED = re.compile(r"\s*\{\s*\\(?:display|text)style\b\s*(?P<inside>.*)\}\s*", re.S)
_LANGUAGE = re.compile(r"(?:language|lang|highlight|brush:?)[- ]?\s*:?\s*([A-Za-z]\w*)")
_IMAGE = re.compile(r"\b(?:mwe-math-\S*|tex|latex|math|ee_img|tr_noresize|mathtex)\b")


def scan_html(text: str, path: str, folder: Path | None = None) -> Document:
    """The document that a page is."""
    page = _Page(text)
    page.feed(text)
    page.close()
    page.finish()
    return page.loom.document(path, macros=own(text))


class _Page(HTMLParser):
    """One pass over a page. What stands in an element of interest is gathered until the element ends."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self.whole = Source(text)
        self.loom = Loom()
        self.open: dict[str, int] = {}                               # elements that are open, with how often
        self.skip: tuple[str, int] | None = None                     # the element whose content is passed over, with its depth
        self.taken: list[tuple[int, int, str]] | None = None         # what was gathered: from where to where, and for which text
        self.math: dict[str, str] | None = None                      # the attributes of the open math element ...
        self.found = False                                           # ... and whether its TeX was found
        self.begun = 0                                               # where the element begins whose content is gathered
        self.last = ""                                               # the formula before, without white space
        self.alone = False                                           # whether only white space stands in a description so far
        self.words = ExitStack()
        self.words.enter_context(self.loom.words())
        self.within: list[tuple[str, ExitStack]] = []                # headings and listings that are open

    # -- what the parser calls --------------------------------------------------------------------------------------
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        at, given = self._at(), {name: value or "" for name, value in attrs}
        if tag not in VOID:
            self.open[tag] = self.open.get(tag, 0) + 1
        if self.skip is not None:
            return
        classes = set(given.get("class", "").split())
        kind = given.get("type", "").replace(" ", "")
        if self.math is not None:
            if tag == "annotation" and given.get("encoding", "").lower() in ("application/x-tex", "tex", "latex"):
                self.taken = []
        elif tag == "script" and kind.startswith("math/tex"):
            self.begun, self.taken = at, []
        elif tag == "math":
            self.math, self.begun, self.found = given, at, False
        elif tag == "img":
            self._image(given, classes, at)
        elif classes & SHOWN or tag in SHOWN or tag in SKIPPED:
            if tag not in VOID:
                self.skip = tag, self.open[tag]
        elif tag == "pre":
            self._listing(given, at)
        elif any(name == "pre" for name, _ in self.within):
            return
        elif tag in HEADINGS:
            self._begin(tag, lambda: self.loom.heading(HEADINGS[tag], self.whole, at))
        elif tag in TYPEWRITER:
            self.loom.put("`", self.whole, at, at)
        elif tag in BREAKS or tag == "br":
            self.loom.put("\n" if tag == "br" else "\n\n", self.whole, at, at)
            if tag == "dd":
                self.alone = True

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        at = self._at()
        depth = self.open.get(tag, 0)
        if depth:
            self.open[tag] = depth - 1
        if self.skip is not None:
            if self.skip == (tag, depth):
                self.skip = None
            return
        if self.math is not None:
            self._end_of_math(tag, at)
        elif tag == "script" and self.taken is not None:
            self._formula("display" if "mode=display" in self._tag(self.begun).replace(" ", "") else "inline", self.begun)
        elif self.within and self.within[-1][0] == tag:
            self.within.pop()[1].close()
            self._resume()
        elif any(name == "pre" for name, _ in self.within):
            return
        elif tag in TYPEWRITER:
            self.loom.put("`", self.whole, at, at)
        elif tag in BREAKS:
            self.loom.put("\n\n", self.whole, at, at)

    def handle_data(self, data: str) -> None:
        at = self._at()
        self._text(at, at + len(data), None)

    def handle_entityref(self, name: str) -> None:
        self._reference()

    def handle_charref(self, name: str) -> None:
        self._reference()

    # -- text -------------------------------------------------------------------------------------------------------
    def _at(self) -> int:
        line, column = self.getpos()
        return self.whole.lines.start(line) + column

    def _tag(self, at: int) -> str:
        """The source of the tag that begins at an offset."""
        return self.whole.text[at : self.whole.text.find(">", at) + 1 or len(self.whole.text)]

    def _reference(self) -> None:
        """A character that is written by its name or number."""
        at = self._at()
        found = _REFERENCE.match(self.whole.text, at)
        if found is None:
            self._text(at, at + 1, None)
        else:
            self._text(at, found.end(), html.unescape(found.group()))

    def _text(self, low: int, high: int, put: str | None) -> None:
        """Text of the page, or what stands for it: to where it belongs."""
        if self.skip is not None:
            return
        if self.taken is not None:
            self.taken.append((low, high, self.whole.text[low:high] if put is None else put))
        elif self.math is None:
            self._weave(low, high, put)

    def _weave(self, low: int, high: int, put: str | None) -> None:
        self.alone = self.alone and self.whole.text[low:high].isspace()
        if put is None:
            self.loom.copy(self.whole, low, high)
        else:
            self.loom.put(put, self.whole, low, high)

    # -- formulas ---------------------------------------------------------------------------------------------------
    def _end_of_math(self, tag: str, at: int) -> None:
        """The end of an element within a formula in MathML, or of the formula itself."""
        assert self.math is not None
        display = self.math.get("display") == "block" or self.alone
        kind = "display" if display else "inline"
        if tag == "annotation" and self.taken is not None:
            self.found = self._formula(kind, self.begun) or self.found
        elif tag == "math":
            self.taken = None
            if not self.found and not self._attribute(self.begun, "alttext", kind):
                self.taken = [(self.begun, at, self.whole.text[self.begun : at])]   # MathML alone: kept, and cannot be read
                self._formula(kind, self.begun)
            self.math = None

    def _image(self, given: dict[str, str], classes: set[str], at: int) -> None:
        """The picture of a formula, unless the formula stands just before it."""
        if not _IMAGE.search(" ".join(classes)) or "".join(given.get("alt", "").split()) in ("", self.last):
            return
        self._attribute(at, "alt", "display" if "display" in given.get("class", "") or self.alone else "inline")

    def _attribute(self, at: int, name: str, kind: str) -> bool:
        """The formula that an attribute of a tag holds; whether there is one."""
        value = _ATTRIBUTE[name].search(self._tag(at))
        if value is None:
            return False
        group = next(g for g in ("double", "single", "bare") if value[g] is not None)
        low, high = at + value.start(group), at + value.end(group)
        self.taken = []
        for reference in _REFERENCE.finditer(self.whole.text, low, high):
            self.taken.append((low, reference.start(), self.whole.text[low : reference.start()]))
            self.taken.append((*reference.span(), html.unescape(reference.group())))
            low = reference.end()
        self.taken.append((low, high, self.whole.text[low:high]))
        return self._formula(kind, at)

    def _formula(self, kind: str, at: int) -> bool:
        """Weave the formula that was gathered, without a style round it; whether there was one."""
        pieces, self.taken = self.taken or [], None
        whole = "".join(put for _, _, put in pieces)
        if not whole.strip():
            return False
        self.last = "".join(whole.split())
        styled = _STYLED.fullmatch(whole)
        first, last = styled.span("inside") if styled else (0, len(whole))
        self._pause()
        self.alone = False
        with self.loom.formula(kind, self.whole, at):
            size = 0
            for low, high, put in pieces:
                start, stop = max(first - size, 0), min(last - size, len(put))
                size += len(put)
                if start >= stop:
                    continue
                if put == self.whole.text[low:high]:
                    self.loom.copy(self.whole, low + start, low + stop)
                else:
                    self.loom.put(put[start:stop], self.whole, low, high)
        self._resume()
        return True

    # -- parts of the page ------------------------------------------------------------------------------------------
    def _pause(self) -> None:
        """End the words that may hold formulas in delimiters."""
        self.words.close()

    def _resume(self) -> None:
        """Go on with such words, unless a listing is open."""
        self.words = ExitStack()
        if not any(name == "pre" for name, _ in self.within):
            self.words.enter_context(self.loom.words())

    def _begin(self, tag: str, part: Callable[[], object]) -> None:
        """Begin a heading or a listing."""
        self._pause()
        stack = ExitStack()
        self.within.append((tag, stack))
        stack.enter_context(part())  # type: ignore[arg-type]
        self._resume()
        stack.callback(self._pause)

    def _listing(self, given: dict[str, str], at: int) -> None:
        """A block of program text; its language is said by a class, or by a parser that takes it."""
        end = re.compile(r"</pre\s*>", re.I).search(self.whole.text, at)
        body = self.whole.text[at : end.start() if end else len(self.whole.text)]
        named = _LANGUAGE.search(" ".join((given.get("class", ""), given.get("data-lang", ""), body[:200].partition(">")[0])))
        code = html.unescape(re.sub(r"<[^>]*>", "", body))
        self._begin("pre", lambda: self.loom.code(named[1].lower() if named else language(code.strip("\n")), self.whole, at))

    def finish(self) -> None:
        """The end of the page: what is open ends here."""
        if self.skip is not None:
            self.loom.problems.append((max(self.loom.size - 1, 0), f"the element {self.skip[0]} is not closed"))
        self._formula("inline", self.begun)
        while self.within:
            self.within.pop()[1].close()
        self.words.close()
