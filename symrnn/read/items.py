r"""Pieces to items: every kind of piece in a table, to a finished atom, an operator, a script or a sum."""

from __future__ import annotations

from collections.abc import Sequence

from symrnn.read import signs
from symrnn.read.arrays import Arrays
from symrnn.read.brackets import bracketed
from symrnn.read.context import ARRAYS
from symrnn.read.pieces import Piece, Pieces, group_contents, name_of, span_of, split_pieces
from symrnn.read.skeleton import NO_BOUNDS, Item, make
from symrnn.read.tokens import Refused
from symrnn.read.tree import ABSENT, ELLIPSIS, SLOT, Node

MAX_SIGNS = 20
"""Signs such as Delta or the partial sign directly after one another; longer chains are refused."""

_OUTSIDE = {
    "rel": "a relation cannot stand inside an expression", "link": "a conclusion cannot stand inside an expression",
    "sep": "a separator cannot stand here", "point": "a full stop can stand only at the end of a formula",
    "forall": "a quantifier can stand only before or after a statement", "given": "a condition bar can stand only in a bracket",
    "top": "nothing stands before it that it could transpose", "prime": "a prime must be an upper script",
    "script": "nothing stands before it that it could be written on", "factorial": "nothing stands before it",
}


class Items(Arrays):
    """Reads expressions: a run of pieces to items, and those through the grammar of the skeleton."""

    _signs = 0

    def expression(self, pieces: Sequence[Piece], default: tuple[int, int] = (0, 0)) -> Node:
        pieces = [p for p in pieces if not p.is_("sep", "quad")]
        if not pieces:
            raise Refused(default[0], "", "an expression is missing here")
        return self.build(self.items(pieces))

    def items(self, pieces: Sequence[Piece]) -> list[Item]:
        """The items of an expression."""
        pieces = self._spelled(pieces)
        out: list[Item] = []
        i = 0
        while i < len(pieces):
            new, i = self._item(pieces, i, out)
            out.extend(new)
        return [self._ring(out, k) for k in range(len(out))]

    def _spelled(self, pieces: Sequence[Piece]) -> list[Piece]:
        """The pieces with letters that spell a known word joined: t, a, n, h is tanh."""
        out = [q for p in pieces for q in self._letters(p)]
        text = "".join(p.text if p.kind == "letter" and len(p.text) == 1 and not p.font and not (
            k and out[k - 1].kind == "script") else "\0" for k, p in enumerate(out))
        for word in self.table.words if len(out) > 1 else ():
            k = text.find(word)
            while k >= 0:
                run = out[k : k + len(word)]
                if all(a.end == b.start for a, b in zip(run, run[1:], strict=False)):
                    out[k : k + len(word)] = [Piece("word", word, run[0].start, run[-1].end)]
                    text = text[:k] + "\0" + text[k + len(word) :]
                k = text.find(word, k + 1)
        return self._big_words(out) if any(p.text == "_" for p in out) else out

    def _big_words(self, pieces: list[Piece]) -> list[Piece]:
        """The pieces with sums and products in words, as sum_t, as signs."""
        out = list(pieces)
        for word, sign in signs.BIG_WORDS.items():
            for k in range(len(out) - len(word) - 1, -1, -1):
                run = out[k : k + len(word)]
                spelled = [p.text for p in run] == list(word) and all(p.kind == "letter" and not p.font for p in run)
                apart = any(a.end < b.start for a, b in zip(run, run[1:], strict=False)) or k and out[k - 1].kind == "script"
                if spelled and not apart and out[k + len(word)].is_("script", "_") and word not in self.table:
                    out[k : k + len(word)] = [Piece("big", sign, run[0].start, run[-1].end)]
        return out

    def _letters(self, piece: Piece) -> Pieces:
        """A slanted word that no table knows is a product of letters."""
        known = piece.kind != "word" or not piece.parts or self.table.lookup(piece.text) is not None
        return (piece,) if known else piece.parts[0]

    def _ring(self, items: list[Item], k: int) -> Item:
        """A ring between functions composes them; between anything else it is the Hadamard product."""
        item = items[k]
        if item.kind != "op" or item.text != "Ring":
            return item
        around = [items[n].nodes[0] for n in (k - 1, k + 1) if 0 <= n < len(items) and items[n].kind in ("atom", "fn")]
        entries = [self.table.lookup(n.head) for n in around if n.op == "Sym"]
        composed = len(entries) == 2 and all(e is not None and e.is_function for e in entries)
        return Item("op", item.span, "Compose" if composed else "Had")

    def _item(self, pieces: Sequence[Piece], i: int, before: list[Item]) -> tuple[list[Item], int]:
        """The items that begin at piece `i`, and the index of the piece after them."""
        piece = pieces[i]
        span = (piece.start, piece.end)
        kind = piece.kind
        if kind == "letter" and piece.text == "d" and (found := self.plain_derivative(pieces, i)):
            named = found[0].op == "Differential" and "d" in self.table.prefixes and self.named_gradient(pieces, i)
            return ([Item("atom", named[0].span, nodes=(named[0],)), *named[1]], named[2]) if named else self._with_posts(
                found[0], pieces, found[1])
        if kind == "letter" and piece.text == "e" and "e" not in self.table and pieces[i + 1 : i + 2] and pieces[
                i + 1].is_("script", "^"):
            scripts, j = self.scripts(pieces, i + 1)
            exponent = self.expression(scripts[0][1])
            if len(scripts) > 1:
                raise Refused(pieces[j - 1].start, pieces[j - 1].text, "an exponential has one exponent")
            return self._with_posts(make("Call", Node("Sym", ("exp",), span), exponent), pieces, j)
        if kind == "letter" and piece.text == "Delta" and "Delta" not in self.table and i + 1 < len(pieces) and (
                pieces[i + 1].named or pieces[i + 1].kind in ("group", "fence")):
            body, j = self.one(pieces, i + 1)
            return [Item("atom", span, nodes=(make("Delta", body, span=(piece.start, body.span[1])),))], j
        if piece.named:
            return self.symbol(pieces, i)
        if kind == "op":
            if piece.text == "Div":
                after = next((k for k in range(i + 1, len(pieces)) if pieces[k].kind == "op"), len(pieces))
                if sum(p.kind != "script" and not pieces[k - 1].kind == "script" and p.kind != "fence"
                       for k, p in enumerate(pieces[i + 1 : after], i + 1)) > 1:
                    self.note(piece.start, "slash-extent", "all factors up to the next operator are read as divided by")
            lonely = piece.text == "Dot" and len(pieces) == 1
            return [Item("atom", span, nodes=(SLOT,)) if lonely else Item("op", span, piece.text)], i + 1
        if kind == "group":
            return self._group(pieces, i)
        if kind == "bar":
            return self._bar(pieces, i, before)
        if kind == "factorial" and before and before[-1].kind in ("atom", "post"):
            return [Item("post", span, "Factorial")], i + 1
        simple = {"number": self._number, "const": self._const, "space": self._space, "text": self._text, "fence": self._fence,
                  "frac": self._frac, "column": self._column, "root": self._root, "env": self._env, "dots": self._dots, "big": self._big,
                  "nabla": self._nabla, "partial": self._partial}
        if kind in simple:
            return simple[kind](pieces, i)
        raise Refused(piece.start, piece.text, _OUTSIDE[kind])

    def _with_posts(self, node: Node, pieces: Sequence[Piece], j: int) -> tuple[list[Item], int]:
        posts, j = self.posts(pieces, j, "number" if node.op in ("Norm", "Abs") else "")
        return [Item("atom", node.span, nodes=(node,)), *posts], j

    def one(self, pieces: Sequence[Piece], i: int) -> tuple[Node, int]:
        """One factor: the node of the piece at `i` with its scripts and brackets."""
        if i >= len(pieces):
            raise Refused(pieces[-1].end, "", "something must follow here")
        if pieces[i].kind == "group":
            items, j = self._group(pieces, i)
            return self.build(items), j
        self._signs += 1
        if self._signs > MAX_SIGNS:
            raise Refused(pieces[i].start, pieces[i].text, f"more than {MAX_SIGNS} signs directly after one another")
        items, j = self._item(pieces, i, [])
        self._signs -= 1
        return self.build(items), j

    def _group(self, pieces: Sequence[Piece], i: int) -> tuple[list[Item], int]:
        """Braces show nothing: without a script their contents stand in the run itself."""
        piece = pieces[i]
        scripted = i + 1 < len(pieces) and pieces[i + 1].kind in ("script", "factorial")
        inner = piece.parts[0]
        if scripted and inner and inner[0].named and self.scripts(inner, 1, twice=True)[1] == len(inner):
            items, j = self.symbol([*inner, *pieces[i + 1 :]], 0, twice=True)
            return items, i + 1 + j - len(inner)
        if not piece.parts[0]:
            if scripted:
                raise Refused(piece.start, "{", "nothing stands in the braces that a script could be written on")
            return [], i + 1
        if not scripted:
            return self.items([p for p in piece.parts[0] if not p.is_("sep", "quad")]), i + 1
        return self._with_posts(self.expression(piece.parts[0]), pieces, i + 1)

    def _number(self, pieces: Sequence[Piece], i: int) -> tuple[list[Item], int]:
        piece = pieces[i]
        if piece.text == "1" and (found := self._indicator(pieces, i)):
            return self._with_posts(found[0], pieces, found[1])
        return self._with_posts(Node("Num", (piece.text,), (piece.start, piece.end)), pieces, i + 1)

    def _indicator(self, pieces: Sequence[Piece], i: int) -> tuple[Node, int] | None:
        """A one with a condition: as a lower script, or in the bracket after it."""
        after = pieces[i + 1] if i + 1 < len(pieces) else None
        inner: Pieces = ()
        j = i + 2
        if after is not None and after.is_("script", "_") and i + 2 < len(pieces):
            inner, j = group_contents(pieces[i + 2]), i + 3
        elif after is not None and after.kind == "fence":
            inner = (after,)
        while len(inner) == 1 and inner[0].kind == "fence":
            inner = inner[0].parts[0]
        bold = pieces[i].kind != "number"
        if not any(p.kind == "rel" for p in inner) and not (bold and after is not None and after.kind == "script" and any(
                p.is_("sep", ",") for p in inner)):
            return None
        span = (pieces[i].start, pieces[j - 1].end)
        return make("Indicator", *(self.side(p) for p in split_pieces(inner, "sep", ",")), span=span), j

    def _const(self, pieces: Sequence[Piece], i: int) -> tuple[list[Item], int]:
        """A bold zero or one: an array, or an indicator."""
        piece = pieces[i]
        if piece.text == "1" and (found := self._indicator(pieces, i)):
            return self._with_posts(found[0], pieces, found[1])
        sizes: list[Node] = []
        j = i + 1
        if j + 1 < len(pieces) and pieces[j].is_("script", "_"):
            sizes = [self.expression(p) for p in split_pieces(group_contents(pieces[j + 1]), "sep", ",")]
            j += 2
        op = "Zeros" if piece.text == "0" else "Ones"
        return self._with_posts(make(op, *sizes, span=(piece.start, pieces[j - 1].end)), pieces, j)

    def _space(self, pieces: Sequence[Piece], i: int) -> tuple[list[Item], int]:
        piece, name, j = pieces[i], pieces[i].text, i + 1
        if j + 1 < len(pieces) and pieces[j].is_("script", "_"):
            name += name_of(group_contents(pieces[j + 1]))
            j += 2
        return self._with_power(Node("Space", (name,), (piece.start, pieces[j - 1].end)), pieces, j)

    def _with_power(self, node: Node, pieces: Sequence[Piece], j: int) -> tuple[list[Item], int]:
        """A set with its exponent, in which a cross separates sizes."""
        scripts, j = self.scripts(pieces, j)
        posts = []
        for mark, inner in scripts:
            if mark != "^":
                raise Refused(inner[0].start, mark, "a set can have one lower and one upper script")
            posts.append(Item("post", span_of(inner), "Pow", (self.expression(inner),)))
        return [Item("atom", node.span, nodes=(node,)), *posts], j

    def _text(self, pieces: Sequence[Piece], i: int) -> tuple[list[Item], int]:
        piece = pieces[i]
        return self._with_posts(Node("Text", (piece.text.strip().strip("'‘’`\""),), (piece.start, piece.end)), pieces, i + 1)

    def _dots(self, pieces: Sequence[Piece], i: int) -> tuple[list[Item], int]:
        return [Item("atom", (pieces[i].start, pieces[i].end), nodes=(ELLIPSIS.at((pieces[i].start, pieces[i].end)),))], i + 1

    def _root(self, pieces: Sequence[Piece], i: int) -> tuple[list[Item], int]:
        piece = pieces[i]
        body, degree = piece.parts
        node = make("Root", self.expression(body, (piece.start, piece.end)), self.expression(degree) if degree else ABSENT,
                    span=(piece.start, piece.end))
        return self._with_posts(node, pieces, i + 1)

    def _frac(self, pieces: Sequence[Piece], i: int) -> tuple[list[Item], int]:
        piece = pieces[i]
        above, below = (contents_of(part) for part in piece.parts)
        if not below:
            raise Refused(piece.start, "", "the denominator is missing")
        node = self.derivative(piece, above, below)
        after = pieces[i + 1] if i + 1 < len(pieces) else None
        if node is not None and after is not None and after.kind == "fence" and after.brackets == ("(", ")"):
            value = self.table.values.get(node.nodes[0].head) if node.op == "Deriv" else None
            if value is not None and tuple(self.arguments(after.parts[0])) == value:      # the derivative at the argument
                return self._with_posts(node, pieces, i + 2)
        if node is None:
            node = make("Div", self.expression(above, (piece.start, piece.end)), self.expression(below),
                        span=(piece.start, piece.end))
        return self._with_posts(node, pieces, i + 1)

    def _column(self, pieces: Sequence[Piece], i: int) -> tuple[list[Item], int]:
        """Two blocks one above the other, if arrays stand there."""
        piece = pieces[i]
        if not any(self._is_array(p) for part in piece.parts for p in part):
            raise Refused(piece.start, piece.text, "binomial coefficients are not read")
        rows = (make("Row", self.expression(part, (piece.start, piece.end))) for part in piece.parts)
        return self._with_posts(make("Matrix", *rows, span=(piece.start, piece.end)), pieces, i + 1)

    def _is_array(self, piece: Piece) -> bool:
        entry = self.table.get(piece.text) if piece.named else None
        return entry is not None and entry.kind in ARRAYS

    def _partial(self, pieces: Sequence[Piece], i: int) -> tuple[list[Item], int]:
        node, j = self.by_subscript(pieces, i) or self.slanted(pieces, i, "partial") or (None, i)
        if node is None:
            body, j = self.one(pieces, i + 1)
            node = make("Differential", "partial", body, span=(pieces[i].start, body.span[1]))
        return [Item("atom", node.span, nodes=(node,))], j

    def _nabla(self, pieces: Sequence[Piece], i: int) -> tuple[list[Item], int]:
        scripts, j = self.scripts(pieces, i + 1)
        wrt = ABSENT
        for mark, inner in scripts:
            if mark != "_" or wrt != ABSENT:
                raise Refused(inner[0].start, mark, "nabla can have one lower script and no upper one")
            wrt = self.expression(inner)
        node = Node("Grad", (wrt, SLOT), (pieces[i].start, pieces[j - 1].end))
        return [Item("atom", node.span, nodes=(node,))], j

    def _big(self, pieces: Sequence[Piece], i: int) -> tuple[list[Item], int]:
        scripts, j = self.scripts(pieces, i + 1)
        found = dict(reversed(scripts))
        if len(found) < len(scripts) or "'" in found:
            raise Refused(pieces[i].start, pieces[i].text, "a sum can have one lower and one upper script")
        upper = self.expression(found["^"]) if "^" in found else ABSENT
        bounds = self.bounds(found["_"], upper) if "_" in found else (ABSENT, ABSENT, upper, ABSENT)
        if self.mentions_time(found.get("_", ())) or self.mentions_time(found.get("^", ())):
            self.clocks.update(bounds[k].head for k in range(0, len(bounds), 4) if bounds[k].op == "Sym")
        span = (pieces[i].start, pieces[j - 1].end)
        return [Item("big", span, pieces[i].text, bounds or NO_BOUNDS)], j

    def _fence(self, pieces: Sequence[Piece], i: int) -> tuple[list[Item], int]:
        piece, j = pieces[i], i + 1
        opening, closing = piece.brackets
        span = (piece.start, piece.end)
        inner = piece.parts[0]
        if closing == "|" and opening == ".":
            if j + 1 >= len(pieces) or not pieces[j].is_("script", "_"):
                raise Refused(piece.end, "|", "an evaluation bar must have a lower script")
            node = make("Eval", self.expression(inner), self.side(group_contents(pieces[j + 1])), span=span)
            j += 2
        elif closing == "||" and j + 1 < len(pieces) and pieces[j].is_("script", "_"):
            below = group_contents(pieces[j + 1])
            nuclear = len(below) == 1 and below[0].is_("op", "Star")
            kind = Node("Text", ("*",), (below[0].start, below[0].end)) if nuclear else self.expression(below)
            node = make("Norm", self.expression(inner, span), kind, span=span)
            j += 2
        else:
            node = bracketed(self, opening, closing, inner, span)
            if node.op == "Compose" and j < len(pieces) and pieces[j].kind == "fence" and pieces[j].brackets == ("(", ")"):
                node = make("Call", node, *self.arguments(pieces[j].parts[0]), span=(piece.start, pieces[j].end))
                j += 1
        return self._with_posts(node, pieces, j)

    def _bar(self, pieces: Sequence[Piece], i: int, before: list[Item]) -> tuple[list[Item], int]:
        """A bar without a partner of its own: an evaluation bar, or the first of a pair round a size or a norm."""
        piece = pieces[i]
        if piece.text == "|" and before and before[-1].kind in ("atom", "post") and i + 2 < len(pieces) and pieces[
                i + 1].is_("script", "_"):
            where = self.side(group_contents(pieces[i + 2]))
            return [Item("post", (piece.start, pieces[i + 2].end), "Eval", (where,))], i + 3
        end = next((k for k in range(i + 1, len(pieces)) if pieces[k].is_("bar", piece.text)), None)
        if end is None:
            raise Refused(piece.start, piece.text, "the bar has no partner")
        fence = Piece("fence", f"{piece.text} {piece.text}", piece.start, pieces[end].end, (tuple(pieces[i + 1 : end]),))
        items, j = self._fence([fence, *pieces[end + 1 :]], 0)
        return items, j + end

    def _env(self, pieces: Sequence[Piece], i: int) -> tuple[list[Item], int]:
        piece = pieces[i]
        if piece.text in signs.CASE_ENVIRONMENTS:
            node = self.cases(piece.parts[0], (piece.start, piece.end))
        elif piece.text in signs.MATRIX_ENVIRONMENTS or piece.text == "array":
            node = self.matrix(piece.parts[0], (piece.start, piece.end))
        else:
            raise Refused(piece.start, piece.text, "this environment cannot stand inside an expression")
        return self._with_posts(node, pieces, i + 1)


def contents_of(pieces: Pieces) -> Pieces:
    """The pieces without braces round all of them."""
    while len(pieces) == 1 and pieces[0].kind == "group":
        pieces = pieces[0].parts[0]
    return pieces
