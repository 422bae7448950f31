r"""Markdown, as GitHub, MyST, Quarto and d2l write it: fences, directives, headings and front matter round running text.

>>> text = "```{math}\n:label: state\nh_t = x_t\n```\n\n$$ y_t = h_t $$ {#eq-out}\n"
>>> [(s.latex, s.label, s.line, s.column) for s in scan_markdown(text, "notes.md").spans]
[('h_t = x_t', 'state', 3, 1), ('y_t = h_t', 'eq-out', 6, 4)]
"""

from __future__ import annotations

import re
from pathlib import Path
from types import MappingProxyType

from symrnn.errors import DocumentError, closest_name
from symrnn.read.definitions import own
from symrnn.read.document import Block, Directive, Document
from symrnn.read.formats.displays import formulas
from symrnn.read.frontmatter import front_matter
from symrnn.read.running import Scan

DIRECTIVES = ("audit", "define", "derive", "emit", "scope", "unroll")
"""The directives of symrnn; others are boxes of text."""

EQUATIONS = ("audit", "define")
"""Those whose bodies are equations, also without delimiters."""

DEEPEST = 20
"""How many directives may stand in each other; what stands further in is text."""

CODE = frozenset("code code-block code-cell sourcecode ipython ipython3 python python3 py r julia bash sh sql ojs js javascript mermaid "
                 "dot eval-rst raw literalinclude graphviz".split())
"""Directives of other programs that hold code, or something else that is no text."""

LANGUAGE_FOLLOWS = frozenset({"code", "code-block", "code-cell", "sourcecode"})
"""Those whose argument is the language."""

MATH = frozenset({"math", "{math}", "latex-math"})
"""What a fence of mathematics begins with."""

_FENCE = re.compile(r"[ \t]*+(?:(?P<mark>`{3,}+|~{3,}+)(?P<info>[^\n`]*+)|(?P<colons>:{3,}+)[ \t]*(?P<math>\{math\}[^\n]*+))")
_DIRECTIVE = re.compile(r"\{(?P<name>[A-Za-z][\w:.+-]*)(?P<more>[ \t,][^}\n]*)?\}[ \t]*(?P<argument>.*)")
_OPTION = re.compile(r"[ \t]*:(?P<key>[A-Za-z][\w-]*):[ \t]*+(?P<value>(?!`).*)")
FORMULAS = frozenset({"", "text", "txt", "plain", "plaintext", "none", "ascii", "asciimath"})
"""Languages of fences that may hold formulas in plain letters."""

_MARKED = re.compile(r"^(?:[ \t]*+(?:`{3}|~{3}|:{3})| {0,3}#).*", re.M)
"""A line that may be a fence or a heading."""
_SET_IN = re.compile(r"^[ \t]*\r?\n(?P<block>(?:(?: {4}|\t)[^\n]*(?:\n|\Z))+)", re.M)
"""Lines after an empty one that are set in."""
_HEADING = re.compile(r" {0,3}(#{1,6}+)[ \t]++(.*)")
_CLOSING_MARKS = re.compile(r"(?:^|(?<=[ \t]))#++\Z")
_CLASS = re.compile(r"\{[^}]*?\.(?P<language>[\w+-]+)")


def scan_markdown(text: str, path: str, folder: Path | None = None) -> Document:
    """The document that a Markdown text is.

    Errors: :class:`DocumentError` for malformed front matter, for a directive that is not closed, and for an option that
    stands twice.
    """
    return scanned(Scan(text, path))


def scanned(scan: Scan) -> Document:
    """The document that the text of a scan is, in which nothing has been looked for."""
    text, path = scan.text, scan.path
    settings, i = front_matter(text, path)
    scan.prose_from = i
    blocks(scan, i, len(text))
    return scan.document(settings, own(text))


def blocks(scan: Scan, i: int, stop: int, directive: int | None = None, depth: int = 0) -> None:
    """Keep what a stretch of Markdown holds: its fences, its headings, and what stands in the text between them."""
    text, plain = scan.text, i
    while (found := _MARKED.search(text, i, stop)) is not None:
        line, i, end = found.group(), found.start(), min(found.end() + 1, stop)
        fence = _FENCE.fullmatch(line) if depth <= DEEPEST else None
        if fence:
            _text(scan, plain, i, directive)
            i = plain = _fenced(scan, fence, i, end, stop, directive, depth)
            continue
        if heading := _HEADING.fullmatch(line):
            title = _CLOSING_MARKS.sub("", heading[2].rstrip()).rstrip()
            scan.headings.append(Block(str(len(heading[1])), title, scan.lines.at(i)[0], i))
        i = end
    _text(scan, plain, stop, directive)


def _text(scan: Scan, i: int, stop: int, directive: int | None) -> None:
    """Keep the mathematics of a run of text, and the formulas in plain letters of its blocks that are set in."""
    for block in _SET_IN.finditer(scan.text, i, stop) if scan.by_rows else ():
        if lines := formulas(block["block"]):
            scan.region(i, block.start("block"), directive)
            for low, high in ((low + block.start("block"), high + block.start("block")) for low, high in lines):
                scan.span(low, high, "display", (low, high), directive)
            i = block.end()
    scan.region(i, stop, directive)


def _fenced(scan: Scan, fence: re.Match[str], start: int, body: int, limit: int, outside: int | None, depth: int) -> int:
    """Take a fence whose first line begins at `start` and whose body begins at `body`; the offset after it."""
    text = scan.text
    mark = fence["mark"] or fence["colons"]
    closing = re.compile(rf"^[ \t]*{re.escape(mark[0])}{{{len(mark)},}}[ \t\r]*$", re.M)
    close = closing.search(text, body, limit)
    stop, after = (close.start(), min(limit, close.end() + 1)) if close else (limit, limit)
    info = (fence["math"] or fence["info"]).strip()
    first = info.split()[0] if info else ""
    named = _DIRECTIVE.fullmatch(info)
    language = _language(info, named)
    if close is None:
        if named and language is None and first not in MATH and closest_name(named["name"], DIRECTIVES):
            raise DocumentError(f"the directive {named['name']}", must="be closed by a line of the same marks",
                                came="the end of the document", where=scan.lines.place(scan.path, start),
                                next_step=f"Add a line {mark} after its body.")
        scan.unclosed(start, "a fence")
    if first in MATH:
        options, inner = _options(scan, body, stop)
        label = options.get("label") or (named["argument"].strip() if named else "") or None
        scan.span(inner, stop, "block", (start, after), outside, label)
    elif named and language is None:
        _directive(scan, named, start, (body, stop, after), depth)
    elif language in FORMULAS and (lines := formulas(text[body:stop])):
        for low, high in lines:
            scan.span(body + low, body + high, "display", (body + low, body + high), outside)
    else:
        scan.code.append(scan.block(language or "", body, stop, start))
        scan.prose_from = after
    return after


def _language(info: str, named: re.Match[str] | None) -> str | None:
    """The language of a fence of code (empty where none is said); None for a directive whose body is text."""
    if named is None:
        classed = _CLASS.match(info)
        return classed["language"] if classed else info.split()[0] if info else ""
    if named["name"] not in CODE:
        return None
    if named["name"] in LANGUAGE_FOLLOWS:
        return (named["argument"].split() or ["python" if named["name"] == "code-cell" else ""])[0]
    return named["name"]


def _directive(scan: Scan, named: re.Match[str], start: int, extent: tuple[int, int, int], depth: int) -> None:
    """Keep a directive that begins at `start`, and what its body holds."""
    text = scan.text
    body, stop, after = extent
    options, inner = _options(scan, body, stop)
    name, argument = named["name"], named["argument"]
    argument_offset = text.index(argument, start + len(name)) if argument else body - 1
    scan.directives.append(Directive(name, argument, MappingProxyType(options), text[inner:stop], scan.lines.at(start)[0],
                                     scan.lines.at(max(start, after - 1))[0], start, after, inner, argument_offset))
    number, before = len(scan.directives) - 1, len(scan.spans)
    blocks(scan, inner, stop, number, depth + 1)
    if len(scan.spans) == before and closest_name(name, EQUATIONS):
        scan.paragraphs(inner, stop, number)
    scan.prose_from = after


def _options(scan: Scan, start: int, stop: int) -> tuple[dict[str, str], int]:
    """The options at the head of a body, and the offset after them; one that stands twice is a DocumentError."""
    text, options = scan.text, dict[str, str]()
    while start < stop:
        end = text.find("\n", start, stop)
        end = stop if end < 0 else end + 1
        found = _OPTION.fullmatch(text[start:end].rstrip("\r\n"))
        if found is None:
            break
        if found["key"] in options:
            raise DocumentError(f"the option {found['key']}", must="stand once", came="a second one",
                                where=scan.lines.place(scan.path, start), next_step="Remove one of the two.")
        options[found["key"]] = found["value"].strip()
        start = end
    return options, start
