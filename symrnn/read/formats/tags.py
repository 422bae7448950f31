r"""Tokens of HTML with their offsets: tags, text and references, in linear time whatever stands there.

As in a browser, a tag that has begun goes on to its end; what it holds is never gone through twice.

>>> [(t.kind, t.name or page[t.start:t.end]) for page in ["a &lt; <b x='>'>c</b>"] for t in tokens(page)]
[('text', 'a '), ('reference', '&lt;'), ('text', ' '), ('open', 'b'), ('text', 'c'), ('close', 'b')]
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

RAW = frozenset("script style title textarea xmp iframe noembed noframes".split())
"""Elements whose content is no markup."""

VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
"""Elements without content."""

REFERENCE = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});?")
"""A character by its name or number."""

_TOKEN = re.compile(
    r"<!--(?P<comment>)|<(?P<slash>/?)(?P<name>[A-Za-z][^\s/>]*+)(?P<attributes>(?:[^>\"'=]++|=\s*+\"[^\"]*+\"|=\s*+'[^']*+'|[=\"'])*+)(?P<end>>?)"
    rf"|<[!?/][^>]*+(?P<other>>?)|(?P<reference>{REFERENCE.pattern})")
_ATTRIBUTE = re.compile(r"(?P<name>[^\s=\"'/>]+)(?:\s*=\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>[^\s\"'>]+)))?")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a page: text, reference, open, close, or unclosed (a tag or comment that has no end). `attributes` of an open tag are
    the offsets between which their values stand."""

    kind: str
    start: int
    end: int
    name: str = ""
    attributes: tuple[tuple[str, int, int], ...] = ()
    empty: bool = False

    def values(self, page: str) -> dict[str, str]:
        """The attributes with their values; the first of two counts."""
        return {name: html.unescape(page[low:high]) for name, low, high in reversed(self.attributes)}


def tokens(page: str) -> Iterator[Token]:
    """The tokens of a page, in order; comments, declarations and instructions are none."""
    i = 0
    while (found := _TOKEN.search(page, i)) is not None:
        at = found.start()
        if at > i:
            yield Token("text", i, at)
        i = found.end()
        if found["reference"]:
            yield Token("reference", at, i)
        elif found["comment"] is not None:
            i = page.find("-->", at + 2) + 3
        elif found["name"]:
            yield from _tag(page, found)
            name = found["name"].lower()
            if name in RAW and not found["slash"] and found["end"]:
                end = re.compile(rf"</{name}(?![\w-])", re.I).search(page, i)
                stop = end.start() if end else len(page)
                if stop > i:
                    yield Token("text", i, stop)
                i = stop
        if found["comment"] is not None and i < 3 or "" in (found["end"], found["other"]):
            yield Token("unclosed", at, len(page))
            return
    if i < len(page):
        yield Token("text", i, len(page))


def _tag(page: str, found: re.Match[str]) -> Iterator[Token]:
    name = found["name"].lower()
    if not found["end"]:
        return
    if found["slash"]:
        yield Token("close", found.start(), found.end(), name)
        return
    attributes = []
    for a in _ATTRIBUTE.finditer(page, found.start("attributes"), found.end("attributes")):
        group = next((g for g in ("double", "single", "bare") if a[g] is not None), None)
        attributes.append((a["name"].lower(), *(a.span(group) if group else (a.end(), a.end()))))
    yield Token("open", found.start(), found.end(), name, tuple(attributes), found["attributes"].endswith("/") or name in VOID)
