r"""Markdown: mathematics in dollars, brackets, fences and environments; fenced directives; front matter."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass, field
from types import MappingProxyType

from symrnn.errors import DocumentError, Place
from symrnn.read.document import Block, Directive, Document, Lines, Span
from symrnn.read.frontmatter import front_matter

PROSE_LIMIT = 400
"""Characters of the prose before a span that are kept."""

_FENCE = re.compile(r"[ \t]*+(?P<mark>`{3,}+|~{3,}+)(?P<info>[^\n`]*+)")
_DIRECTIVE = re.compile(r"\{(?P<name>[A-Za-z][\w-]*)\}[ \t]*(?P<argument>.*)")
_OPTION = re.compile(r"[ \t]*:(?P<key>[A-Za-z][\w-]*):[ \t]*(?P<value>.*)")
_MARKED = re.compile(r"^(?:[ \t]*+(?:`{3}|~{3})| {0,3}#).*", re.M)
"""A line that may be a fence or a heading."""
_HEADING = re.compile(r" {0,3}(#{1,6}+)[ \t]++(.*)")
_CLOSING_MARKS = re.compile(r"(?:^|(?<=[ \t]))#++\Z")
_BLANK = re.compile(r"\n[ \t\r]*+\n")
_DOLLAR = re.compile(r"\n[ \t\r]*+\n|\\.|`++[^`\n]++`++|\$", re.S)
_MATHEMATICAL = re.compile(r"\\[A-Za-z]{2,}|[_^=]")
_NO_FORMULA = re.compile(r"\d[\d.,]*+(?!\w)|[A-Z]{2,}[A-Z\d_]*+\b")
"""An amount of money, or a variable of a shell."""
_OPEN = re.compile(r"<!--|(?P<ticks>`+)|\$\$|\$|\\\(|\\\[|\\begin\{(?P<env>[A-Za-z]+\*?)\}|\\.", re.S)
_ENVIRONMENTS = frozenset(n + star for n in "align alignat gather equation eqnarray multline flalign displaymath math".split()
                          for star in ("", "*"))
_MATH_FENCES = ("math", "{math}", "latex-math")


@dataclass
class _Scan:
    """What has been found so far in one document."""

    text: str
    path: str
    lines: Lines
    spans: list[Span] = field(default_factory=list)
    directives: list[Directive] = field(default_factory=list)
    code: list[Block] = field(default_factory=list)
    comments: list[Block] = field(default_factory=list)
    headings: list[Block] = field(default_factory=list)
    problems: list[tuple[int, int, str]] = field(default_factory=list)
    prose_from: int = 0
    paragraph: tuple[int, list[int]] = (0, [])

    def dollars(self, i: int, stop: int) -> tuple[int, int, int]:
        """Where the paragraph at an offset ends, the next single dollar in it (-1 if none), and how many there are from `i` on."""
        if i >= self.paragraph[0]:
            blank = _BLANK.search(self.text, i, stop)
            end = blank.start() if blank else stop
            self.paragraph = (end, [m.start() for m in _DOLLAR.finditer(self.text, i, end) if m.group() == "$"])
        end, offsets = self.paragraph
        at = bisect.bisect_left(offsets, i)
        return end, offsets[at] if at < len(offsets) else -1, len(offsets) - at

    def problem(self, offset: int, words: str) -> None:
        """Note something that is not closed."""
        self.problems.append((*self.lines.at(offset), words))

    def span(self, start: int, end: int, kind: str, outer: tuple[int, int], directive: int | None = None) -> None:
        """Keep the mathematics between two offsets, without the white space at its ends; `outer` includes delimiters."""
        raw = self.text[start:end]
        start += len(raw) - len(raw.lstrip())
        latex = raw.strip()
        if not latex:
            return
        end = start + len(latex)
        prose = " ".join(self.text[max(self.prose_from, outer[0] - 2 * PROSE_LIMIT) : outer[0]].split())
        self.spans.append(Span(latex, *self.lines.at(start), *self.lines.at(end), start, kind, prose[-PROSE_LIMIT:], directive))
        self.prose_from = outer[1]


def scan_markdown(text: str, path: str) -> Document:
    """The document that a Markdown text is.

    Errors: :class:`DocumentError` for malformed front matter, for a directive that is not closed, and for an option that
    stands twice.
    """
    scan = _Scan(text, path, Lines(text))
    settings, i = front_matter(text, path)
    scan.prose_from = plain = i
    while (found := _MARKED.search(text, i)) is not None:
        line, i, end = found.group(), found.start(), min(found.end() + 1, len(text))
        fence = _FENCE.fullmatch(line)
        if fence:
            _region(scan, plain, i)
            i = plain = _fenced(scan, fence, i, end)
            continue
        if heading := _HEADING.fullmatch(line):
            title = _CLOSING_MARKS.sub("", heading[2].rstrip()).rstrip()
            scan.headings.append(Block(str(len(heading[1])), title, scan.lines.at(i)[0], i))
        i = end
    _region(scan, plain, len(text))
    return Document(path, text, settings, tuple(sorted(scan.spans, key=lambda s: s.offset)), tuple(scan.directives),
                    tuple(scan.code), tuple(scan.comments), tuple(scan.headings), tuple(sorted(scan.problems)))


def _fenced(scan: _Scan, fence: re.Match[str], start: int, body: int) -> int:
    """Take a fence whose first line begins at `start` and whose body begins at `body`; the offset after it."""
    text = scan.text
    closing = re.compile(rf"^[ \t]*{re.escape(fence['mark'][0])}{{{len(fence['mark'])},}}[ \t\r]*$", re.M)
    close = closing.search(text, body)
    stop, after = (close.start(), min(len(text), close.end() + 1)) if close else (len(text), len(text))
    info = fence["info"].strip()
    directive = _DIRECTIVE.fullmatch(info)
    line = scan.lines.at(start)[0]
    if close is None:
        if directive and info.split()[0] not in _MATH_FENCES:
            raise DocumentError(f"the directive {directive['name']}", must="be closed by a line of the same marks",
                                came="the end of the document", where=Place(scan.path, line, 1),
                                next_step=f"Add a line {fence['mark']} after its body.")
        scan.problem(start, "a fence is not closed")
    first = info.split()[0] if info else ""
    if first in _MATH_FENCES:
        options, inner = _options(scan, body, stop)
        scan.span(inner, stop, "block", (start, after))
    elif directive:
        options, inner = _options(scan, body, stop)
        argument_offset = text.index(directive["argument"], start + len(directive["name"])) if directive["argument"] else body - 1
        scan.directives.append(Directive(directive["name"], directive["argument"], MappingProxyType(options), text[inner:stop],
                                         line, scan.lines.at(max(start, after - 1))[0], start, after, inner, argument_offset))
        _directive_body(scan, inner, stop, len(scan.directives) - 1)
        scan.prose_from = after
    else:
        scan.code.append(Block(first, text[body:stop], line, body))
        scan.prose_from = after
    return after


def _options(scan: _Scan, start: int, stop: int) -> tuple[dict[str, str], int]:
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
                                where=Place(scan.path, scan.lines.at(start)[0]), next_step="Remove one of the two.")
        options[found["key"]] = found["value"].strip()
        start = end
    return options, start


def _directive_body(scan: _Scan, start: int, stop: int, directive: int) -> None:
    """The spans of the body of a directive: those in delimiters, or where there are none, its paragraphs."""
    before = len(scan.spans)
    _region(scan, start, stop, directive)
    if len(scan.spans) > before:
        return
    for paragraph in re.finditer(r"(?:[^\n]*\S[^\n]*(?:\n|\Z))+", scan.text[start:stop]):
        scan.prose_from = start + paragraph.start()
        scan.span(start + paragraph.start(), start + paragraph.end(), "block",
                  (start + paragraph.start(), start + paragraph.end()), directive)


def _region(scan: _Scan, i: int, stop: int, directive: int | None = None) -> None:
    """The spans of a run of text outside fences."""
    text = scan.text
    open_ended: set[str] = set()                    # closing marks of which none is left: each is looked for once
    while (found := _OPEN.search(text, i, stop)) is not None:
        mark, at = found.group(), found.start()
        i = found.end()
        if mark == "<!--":
            end = text.find("-->", i, stop)
            if end < 0:
                scan.problem(at, "a comment is not closed")
                return
            scan.comments.append(Block("", text[i:end].strip(), scan.lines.at(at)[0], i))
            i = end + 3
        elif found["ticks"]:
            close = None if mark in open_ended else re.compile(rf"(?<!`){mark}(?!`)").search(text, i, stop)
            if close is None:
                open_ended.add(mark)
            i = close.end() if close and "\n\n" not in text[i : close.start()] else i
        elif mark in ("\\(", "\\[", "$$"):
            closing = {"\\(": "\\)", "\\[": "\\]", "$$": "$$"}[mark]
            end = -1 if closing in open_ended else _closing(text, closing, i, stop)
            if end < 0:
                open_ended.add(closing)
            if end < 0 or mark == "$$" and _parted(text, i, end):
                i = _unclosed(scan, at, stop, directive)
                continue
            scan.span(i, end, "inline" if mark == "\\(" else "display", (at, end + 2), directive)
            i = end + 2
        elif mark == "$":
            end, width = _dollar(text, i, stop)
            if end >= 0:
                start = i + 1 if width == 2 else i
                scan.span(start, end, "inline", (at, end + width), directive)
                i = end + width
            else:
                i = _loose(scan, at, stop, directive)
        elif found["env"] in _ENVIRONMENTS:
            closing = f"\\end{{{found['env']}}}"
            end = -1 if closing in open_ended else text.find(closing, i, stop)
            if end < 0:
                open_ended.add(closing)
                i = _unclosed(scan, at, stop, directive)
                continue
            i = end + len(closing)
            scan.span(at, i, "block", (at, i), directive)


def _loose(scan: _Scan, at: int, stop: int, directive: int | None) -> int:
    """What a dollar begins that no dollar closes in the usual way; the offset after it.

    Money, and whatever has no mark of mathematics, is text. Two dollars of which white space stands within the first or the second
    are a pair where the others of the paragraph make pairs too; else nobody can say which dollar is missing, and the rest of the
    paragraph, with what stands since the last formula where the dollar closes something, is kept as it is.
    """
    text, i = scan.text, at + 1
    end, closing, count = scan.dollars(i, stop)
    mark = _MATHEMATICAL.search(text, i, closing if closing >= 0 else end)
    if mark and not (mark.group() in "_=" and _NO_FORMULA.match(text, i)):
        if count % 2 == 0:
            return _unclosed(scan, at, stop, directive)
        scan.span(i, closing, "inline", (at, closing + 1), directive)
        return closing + 1
    if count == 0 and not text[i : i + 1].isalnum() and scan.spans:
        since = max(scan.prose_from, text.rfind("\n\n", 0, at) + 1)
        if _MATHEMATICAL.search(text, since, at):
            return _unclosed(scan, since, stop, directive)
    return i


def _parted(text: str, i: int, end: int) -> bool:
    """Whether two marks belong to two displays: a blank line parts what is between them, or them from text."""
    inside = text[i:end]
    if _BLANK.search(inside.strip()):
        return True
    return bool(_BLANK.search(inside, len(inside.rstrip())) and text[end + 2 : end + 402].partition("\n")[0].strip())


def _unclosed(scan: _Scan, at: int, stop: int, directive: int | None) -> int:
    """Keep the rest of a paragraph from a mark on that is not closed, mark and all: it is not passed over, and cannot be read."""
    blank = _BLANK.search(scan.text, at, stop)
    end = blank.start() if blank else stop
    scan.span(at, end, "display", (at, end), directive)
    return end


def _closing(text: str, closing: str, i: int, stop: int) -> int:
    """The offset of a closing delimiter in front of which no odd number of backslashes stands; -1 if there is none."""
    while (end := text.find(closing, i, stop)) >= 0:
        backslashes = len(text[i:end]) - len(text[i:end].rstrip("\\"))
        if backslashes % 2 == 0:
            return end
        i = end + 1
    return -1


def _dollar(text: str, i: int, stop: int) -> tuple[int, int]:
    """Where a single dollar closes, and the width of its closing mark; -1 where it is money or only a dollar."""
    if text[i : i + 1] == "`":
        end = text.find("`$", i + 1, stop)
        return (end, 2) if end >= 0 and "\n\n" not in text[i:end] else (-1, 1)
    if i >= stop or text[i].isspace():
        return -1, 1
    for found in _DOLLAR.finditer(text, i, stop):
        if found.group()[0] == "\n":
            break
        end = found.start()
        if found.group() == "$" and not text[end - 1].isspace() and not text[end + 1 : end + 2].isdigit():
            return end, 1
        if found.group() == "$" and text[end + 1 : end + 2] != "$" and text[end - 1].isspace():
            break
    return -1, 1
