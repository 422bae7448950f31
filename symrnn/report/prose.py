r"""The text of a document as blocks; what stands in the place of its formulas and directives is put in by the caller.

Markdown is read, and nothing else: whatever looks like HTML is text, an image is a link to it.

>>> blocks("A **bold** step.", [])
(Paragraph(parts=(Text(text='A '), Strong(parts=(Text(text='bold'),)), Text(text=' step.'))),)
"""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from symrnn.report.model import (
    Block,
    Break,
    Code,
    CodeText,
    Emphasis,
    Heading,
    Inline,
    Inlines,
    Items,
    Link,
    Paragraph,
    Quote,
    Rule,
    Strong,
    Table,
    Text,
)

OPEN, CLOSE = "\ue000", "\ue001"
"""What stands around the number of a hole while the text is read; a text that has these characters loses them."""
_HOLE = re.compile(f"{OPEN}(\\d+){CLOSE}")


@dataclass(frozen=True)
class Hole:
    """A stretch of the text and what stands in its place: pieces of a line, or blocks; and blocks after the paragraph around it.

    What is `standing` is no part of a paragraph where it begins a line, or where there is nothing that it takes the place of.
    """

    begin: int
    end: int
    inline: Inlines = ()
    blocks: tuple[Block, ...] = ()
    after: tuple[Block, ...] = ()
    standing: bool = False


def blocks(text: str, holes: Sequence[Hole], start: int = 0) -> tuple[Block, ...]:
    """The blocks of a Markdown text from `start` on, with its holes filled; a hole within another one is left out."""
    filled: list[Hole] = []
    out, at = [], start
    for hole in sorted(holes, key=lambda h: (h.begin, -h.end)):
        if hole.begin < at:
            continue
        out.append(_without_marks(text[at : hole.begin]))
        mark = f"{OPEN}{len(filled)}{CLOSE}"
        alone = hole.standing and (hole.begin == hole.end or text[text.rfind("\n", 0, hole.begin) + 1 : hole.begin] == "")
        out.append(f"\n\n{mark}\n\n" if alone else mark)
        filled.append(hole)
        at = hole.end
    out.append(_without_marks(text[at:]))
    tree = SyntaxTreeNode(MarkdownIt("commonmark", {"html": False}).enable("table").parse("".join(out)))
    return tuple(_Reader(text, filled).blocks(tree.children))


def _without_marks(text: str) -> str:
    return re.sub(f"[{OPEN}{CLOSE}]", "\ufffd", text)


class _Reader:
    """Turns nodes into blocks."""

    def __init__(self, text: str, holes: Sequence[Hole]) -> None:
        self.text, self.holes = text, holes
        self.pending: list[Block] = []
        self.depth = 0

    def blocks(self, nodes: Iterable[SyntaxTreeNode]) -> Iterator[Block]:
        for node in nodes:
            yield from BLOCKS.get(node.type, _Reader.unknown)(self, node)
            yield from self.pending
            self.pending = []

    def source(self, text: str) -> str:
        """A text with its holes as they were written."""
        return _HOLE.sub(lambda m: self.text[self.holes[int(m[1])].begin : self.holes[int(m[1])].end], text)

    # ------------------------------------------------------------------------------------------------------------------ blocks
    def paragraph(self, node: SyntaxTreeNode) -> Iterator[Block]:
        line: list[Inline] = []
        for part in self.inlines(node):
            if isinstance(part, Hole):
                if line := _trimmed(line):
                    yield Paragraph(tuple(line))
                yield from part.blocks
                line = []
            else:
                line.append(part)
        if line := _trimmed(line):
            yield Paragraph(tuple(line))

    def heading(self, node: SyntaxTreeNode) -> Iterator[Block]:
        line = self.flat(node)
        yield Paragraph((Strong(line),)) if self.depth else Heading(line, int(node.tag[1:]))   # no section begins within a list

    def items(self, node: SyntaxTreeNode) -> Iterator[Block]:
        start = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else None
        yield Items(tuple(self.inside(item) for item in node.children), start)

    def quote(self, node: SyntaxTreeNode) -> Iterator[Block]:
        yield Quote(self.inside(node))

    def inside(self, node: SyntaxTreeNode) -> tuple[Block, ...]:
        """The blocks of an item or a quote."""
        self.depth += 1
        out = tuple(self.blocks(node.children))
        self.depth -= 1
        return out

    def code(self, node: SyntaxTreeNode) -> Iterator[Block]:
        yield Code(self.source(node.content).rstrip("\n"), node.info.split(" ")[0] if node.type == "fence" else "")

    def rule(self, node: SyntaxTreeNode) -> Iterator[Block]:
        yield Rule()

    def table(self, node: SyntaxTreeNode) -> Iterator[Block]:
        rows = [row for part in node.children for row in part.children]
        cells = [tuple(self.flat(cell) for cell in row.children) for row in rows]
        align = "".join({"center": "c", "right": "r"}.get(str(cell.attrs.get("style", "")).rpartition(":")[2], "l")
                        for cell in rows[0].children)
        yield Table(cells[0], tuple(cells[1:]), align)

    def unknown(self, node: SyntaxTreeNode) -> Iterator[Block]:
        yield Code(self.source(getattr(node, "content", "")))

    # ------------------------------------------------------------------------------------------------------------------- lines
    def flat(self, node: SyntaxTreeNode) -> Inlines:
        """The text of a node that holds no block: what would be one follows later."""
        out: list[Inline] = []
        for part in self.inlines(node):
            if isinstance(part, Hole):
                self.pending += part.blocks
            else:
                out.append(part)
        return tuple(_trimmed(out))

    def inlines(self, node: SyntaxTreeNode) -> Iterator[Inline | Hole]:
        """The pieces of a node, and the holes with blocks among them."""
        for child in node.children:
            yield from self.inlines(child) if child.type == "inline" else INLINES.get(child.type, _Reader.plain)(self, child)

    def plain(self, node: SyntaxTreeNode) -> Iterator[Inline | Hole]:
        at = 0
        for found in _HOLE.finditer(node.content):
            if found.start() > at:
                yield Text(node.content[at : found.start()])
            hole = self.holes[int(found[1])]
            yield from hole.inline
            if hole.blocks:
                yield hole
            self.pending += hole.after
            at = found.end()
        if at < len(node.content):
            yield Text(node.content[at:])

    def strong(self, node: SyntaxTreeNode) -> Iterator[Inline | Hole]:
        yield Strong(self.flat(node))

    def emphasis(self, node: SyntaxTreeNode) -> Iterator[Inline | Hole]:
        yield Emphasis(self.flat(node))

    def link(self, node: SyntaxTreeNode) -> Iterator[Inline | Hole]:
        target = str(node.attrs.get("href", node.attrs.get("src", "")))
        parts = self.flat(node) if node.type == "link" else (Text(self.source(node.content) or "picture"),)
        yield Link(parts or (Text(target),), self.source(target))

    def code_text(self, node: SyntaxTreeNode) -> Iterator[Inline | Hole]:
        yield CodeText(self.source(node.content))

    def soft(self, node: SyntaxTreeNode) -> Iterator[Inline | Hole]:
        yield Text("\n")

    def hard(self, node: SyntaxTreeNode) -> Iterator[Inline | Hole]:
        yield Break()


def _trimmed(line: list[Inline]) -> list[Inline]:
    """A line without white space at its ends, neighbouring words as one piece."""
    out: list[Inline] = []
    for part in line:
        if isinstance(part, Text) and out and isinstance(out[-1], Text):
            part = Text(out.pop().text + part.text)      # type: ignore[union-attr]
        out.append(part)
    if out and isinstance(out[0], Text):
        out[0] = Text(out[0].text.lstrip())
    if out and isinstance(out[-1], Text):
        out[-1] = Text(out[-1].text.rstrip())
    return [p for p in out if p != Text("")]


BLOCKS: dict[str, Callable[[_Reader, Any], Iterator[Block]]] = {
    "paragraph": _Reader.paragraph, "heading": _Reader.heading, "bullet_list": _Reader.items, "ordered_list": _Reader.items,
    "blockquote": _Reader.quote, "fence": _Reader.code, "code_block": _Reader.code, "hr": _Reader.rule, "table": _Reader.table,
}
INLINES: dict[str, Callable[[_Reader, Any], Iterator[Inline | Hole]]] = {
    "text": _Reader.plain, "strong": _Reader.strong, "em": _Reader.emphasis, "link": _Reader.link, "image": _Reader.link,
    "code_inline": _Reader.code_text, "softbreak": _Reader.soft, "hardbreak": _Reader.hard,
}
