r"""One symbol with its scripts and the bracket after it, to an atom; the symbol table decides.

The rules, in the order in which they are tried:

1. Name and script declared together are a label (`W_{hh}`, `W^{in}`); so is a script that is a word.
2. A lower script on a sequence that mentions the time variable is its time; in the style ``sub`` any first one is,
   unless it is an index letter that is declared with a size. What else stands in it are components.
3. An upper script in round brackets is the time in the style ``sup`` (or when it mentions the time variable), else a
   layer; in angle brackets it is always the time; in square brackets always a layer.
4. ``\top``, ``\intercal`` and ``T`` transpose; where T is declared, only what can be transposed, with a note.
5. Primes are primes; on a function ``-1`` is the inverse; every other upper script is a power.
6. A bracket after a function is a call; after a sequence in the style ``call`` its time; ``[a:b]`` is a slice; a bracket
   with several arguments after anything but a vector or matrix is a call; every other bracket is a factor.
   A function with a component is a number, and a bracket after it a factor; with a parameter (`f_W`) it is a function.

Whatever had to be chosen is noted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symrnn.read.context import ARRAYS, NUMBERS, Draft, Script
from symrnn.read.named import Named
from symrnn.read.names import join_name
from symrnn.read.pieces import POWER, Piece, Pieces, name_of, span_of, split_pieces
from symrnn.read.skeleton import Item, make
from symrnn.read.symbols import STANDARD
from symrnn.read.tokens import Refused
from symrnn.read.tree import num


class Atoms(Named):
    """Reads symbols."""

    def symbol(self, pieces: Sequence[Piece], i: int, twice: bool = False) -> tuple[list[Item], int]:
        """The items of the symbol at `i`, with its scripts and, where it is one, its call; and the index after them."""
        head = pieces[i]
        if head.text in self.table.prefixes and (named := self.named_gradient(pieces, i)) is not None:
            return [Item("atom", named[0].span, nodes=(named[0],)), *named[1]], named[2]
        scripts, j = self.scripts(pieces, i + 1, twice)
        end = pieces[j - 1].end
        draft, rest = self._labelled(head, scripts, end)
        for mark, inner in rest:
            {"_": self._lower, "^": self._upper, "'": self._prime}[mark](draft, inner)
        after = pieces[j] if j < len(pieces) and pieces[j].kind == "fence" else None
        derived = i > 2 and pieces[i - 3].kind == "nabla" and pieces[i - 2].is_("script", "_")
        called = self.bracket_after(draft, after, derived) if after is not None else None
        if called is not None:
            sliced = called.op != "Call" and j + 1 < len(pieces) and pieces[j + 1].kind == "fence" and any(
                p.is_("rel", ":") for p in pieces[j + 1].parts[0])
            if sliced and called.op == "Sym":
                j += 1
                called = self.slice(called, pieces[j])
            extra, k = self.posts(pieces, j + 1, "number" if called.op == "Call" and draft.name in NUMBERS else "")
            return [Item("atom", called.span, nodes=(called,)), *draft.posts, *extra], k
        if draft.entry is None:
            self.note(head.start, "undeclared", f"{draft.name} is not declared")
        node = draft.node()
        if head.text in STANDARD and draft.kind in ("function", "vfunction") and self._applies(draft, pieces, j):
            return [Item("fn", node.span, nodes=(node,), posts=tuple(draft.posts))], j
        return [Item("atom", node.span, nodes=(node,)), *draft.posts], j

    def _applies(self, draft: Draft, pieces: Sequence[Piece], j: int) -> bool:
        """Whether a standard function without a bracket stands before something it applies to."""
        if draft.index or j >= len(pieces):
            return False
        if pieces[j].kind == "bar":
            return any(p.is_("bar", pieces[j].text) for p in pieces[j + 1 :])
        return pieces[j].kind not in ("op", "rel", "sep", "bar", "point") or pieces[j].is_("op", "-")

    def _labelled(self, head: Piece, scripts: list[Script], end: int) -> tuple[Draft, list[Script]]:
        """The draft under its full name, and the scripts that are no part of the name."""
        base, rest = self.table.aliases.get(head.text, head.text), list(scripts)
        sub = next((k for k, (m, _) in enumerate(rest) if m == "_"), None)
        sup = next((k for k, (m, _) in enumerate(rest) if m == "^"), None)
        for use in ((sub, sup), (sub, None), (None, sup)):
            marked = {rest[k][0]: rest[k][1] for k in use if k is not None}
            if len(marked) < sum(k is not None for k in use) or not marked:
                continue
            for lower, after in _cuts("_", marked.get("_", ()), self.table.time_letter):
                for upper, above in _cuts("^", marked.get("^", ()), self.table.time_letter):
                    name = join_name(base, name_of(lower), name_of(upper))
                    if name in self.table and name != base:
                        kept = [s for k, s in enumerate(rest) if k not in use]
                        left = [(mark, more) for mark, more in (("_", after), ("^", above)) if more]
                        return Draft(name, self.table.get(name), head.start, end), left + kept
        labels = {"_": "", "^": ""}
        for mark, inner in list(rest):
            if mark in labels and not labels[mark] and self._is_word(mark, inner):
                labels[mark] = name_of(inner)
                rest.remove((mark, inner))
        name = join_name(base, labels["_"], labels["^"])
        entry = self.table.lookup(name) or self.table.lookup(base)
        if name != base and name not in self.table:
            self.note(head.start, "undeclared", f"{name} is not declared")
        return Draft(name, entry, head.start, end), rest

    def _is_word(self, mark: str, inner: Pieces) -> bool:
        """Whether a script is a label by its look: a word, or one upright letter that neither counts nor transposes."""
        if len(inner) != 1 or not inner[0].named or not inner[0].font:
            return False
        letter = inner[0]
        if letter.kind == "word":
            return not letter.parts
        upright = letter.font in ("\\mathrm", "\\mathsf", "\\mathtt")
        return upright and letter.text != self.table.time_letter and not (mark == "^" and letter.text == "T")

    def _relabel(self, draft: Draft, mark: str, inner: Pieces) -> None:
        """Take a script as a label after all."""
        label = name_of(inner)
        draft.name += join_name("", *((label, "") if mark == "_" else ("", label)))
        if draft.name not in self.table:
            self.note(draft.start, "undeclared", f"{draft.name} is not declared")
        draft.entry = self.table.lookup(draft.name) or draft.entry

    def _prime(self, draft: Draft, inner: Pieces) -> None:
        draft.primes += 1

    def _lower(self, draft: Draft, inner: Pieces) -> None:
        if len(inner) == 1 and inner[0].kind == "fence" and inner[0].brackets in (("(", ")"), ("[", "]")):
            inner = inner[0].parts[0]
        parts = [tuple(p) for p in split_pieces(inner, "sep", ",")]
        if not all(parts):
            raise Refused(inner[0].start, "", "a subscript between commas is missing")
        if any(p.is_("rel", "->") for p in inner) and all(p.named or p.is_("rel", "->") for p in inner):
            self._relabel(draft, "_", inner)                          # W_{x \to h}
            return
        if any(p.kind == "rel" for p in inner):
            open_start = inner[0].kind == "rel"                       # x_{<t}: all steps before t
            draft.param.append(self.side((Piece("op", "Dot", inner[0].start, inner[0].start), *inner) if open_start else inner))
            return
        if len(parts) == 1 and len(inner) > 1 and all(p.kind in ("letter", "number") for p in inner):
            times = draft.sequence and inner[0].kind == "number" and self.mentions_time(inner)      # h_{2t} is no component of h
            if len(inner) > 2 and all(p.kind == "letter" for p in inner) and not all(map(self.counts, inner)):
                self._relabel(draft, "_", inner)                      # h_{next} is no step
                return
            if all(map(self.counts, inner)) and not times:
                parts = [(p,) for p in inner]
            elif not (draft.sequence and self.mentions_time(inner)):
                self._relabel(draft, "_", inner)
                return
        if len(parts) == 1 and self._nested(draft, "_", parts[0]):
            return
        if len(parts) > 1 and all(len(p) == 1 and self._is_array(p[0]) for p in parts):
            self._relabel(draft, "_", inner)                          # W_{h,x}: from x to h
            return
        timed = self._time_part(draft, parts)
        if timed is not None:
            draft.time = self.expression(parts.pop(timed))
        if not parts:
            return
        if draft.name in STANDARD and draft.name not in self.table or self._is_parameter(draft, parts):
            draft.param.extend(map(self.expression, parts))
        elif len(parts) == 1 and len(parts[0]) == 1 and parts[0][0].named and not self._may_index(parts[0][0]):
            self._relabel(draft, "_", parts[0])
        else:
            draft.index.extend(map(self.expression, parts))

    def _nested(self, draft: Draft, mark: str, part: Pieces) -> bool:
        """Take a script that is a symbol with scripts of its own, as in delta_{z_t}, as a label with that time."""
        if len(part) < 3 or not part[0].named or part[1].kind != "script" or self._may_index(part[0]):
            return False
        entry = self.table.get(part[0].text)
        if draft.kind in ("function", "vfunction") or mark == "^" and (entry is None or entry.kind not in ARRAYS):
            return False
        inner = self.build(self.symbol(part, 0)[0]) if self.scripts(part, 1)[1] == len(part) else None
        if inner is None or inner.op != "Sym" or inner.part("Time") is not None and draft.time is not None:
            return False
        draft.name += mark + inner.head if inner.head.isalnum() else f"{mark}{{{inner.head}}}"
        draft.entry = self.table.lookup(draft.name) or draft.entry
        if draft.name not in self.table:
            self.note(draft.start, "undeclared", f"{draft.name} is not declared")
        time, layer, index = inner.part("Time"), inner.part("Layer"), inner.part("Index")
        draft.time = time.nodes[0] if time else draft.time
        draft.layer = layer.nodes[0] if layer else draft.layer
        draft.index.extend(index.nodes if index else ())
        return True

    def _is_array(self, piece: Piece) -> bool:
        """Whether a piece is a vector or a matrix of the text, which counts nothing."""
        entry = self.table.get(piece.text) if piece.named else None
        return entry is not None and (entry.kind in ARRAYS or entry.sequence)

    def _is_parameter(self, draft: Draft, parts: list[Pieces]) -> bool:
        """Whether lower scripts on a function are parameters of it: declared as anything that does not count."""
        declared = [self.table.get(p[0].text) for p in parts if p[0].named]
        return draft.kind in ("function", "vfunction") and any(
            d is not None and d.kind in ("scalar", *ARRAYS) for d in declared)

    def _may_index(self, piece: Piece) -> bool:
        entry = self.table.get(piece.text)
        if entry is None and any(piece.text in d.shape for d in self.table):     # a size that only declared shapes name
            return True
        return self.counts(piece) or entry is not None and entry.kind in ("index", "size", "scalar")

    def _time_part(self, draft: Draft, parts: list[Pieces]) -> int | None:
        """Which of the lower scripts is the time, if one is."""
        if draft.time is not None:
            return None
        known = draft.sequence or draft.entry is None or draft.entry.is_function
        mentioned = next((k for k, p in enumerate(parts) if self.mentions_time(p)), None)
        if known and mentioned is not None:
            return mentioned
        if draft.sequence and self.table.time == "sub":
            name = parts[0][0].text
            entry = self.table.get(name) if len(parts[0]) == 1 and name not in self.clocks else None
            component = entry is not None and entry.kind == "index" and (entry.shape or entry.role == "component")
            return None if component or entry is not None and (entry.is_function or entry.kind in ARRAYS) else 0
        if mentioned is not None and draft.kind in ("scalar", *ARRAYS):
            self.note(draft.start, "time-of-constant", f"{draft.name} carries a time but is not declared as a sequence")
            return mentioned
        return None

    def _upper(self, draft: Draft, inner: Pieces) -> None:
        first = inner[0]
        angle, rest = _angle(inner)
        if first.is_("group", POWER):
            draft.posts.append(Item("post", span_of(inner), "Pow", (self.expression(inner),)))
        elif angle:
            self._set_time(draft, angle, first)
            if rest:
                self._upper(draft, rest)
        elif first.kind == "fence" and first.brackets in (("(", ")"), ("[", "]")) and not first.parts[0]:
            raise Refused(first.start, "(", "the brackets are empty")
        elif first.kind == "fence" and first.brackets in (("(", ")"), ("[", "]")):
            rest = inner[2:] if inner[1:2] and inner[1].is_("sep", ",") else inner[1:]
            later = bool(rest) and (rest[0].text in ("<", "< >") or self.mentions_time(rest) and not self.mentions_time(first.parts[0]))
            self._bracketed(draft, first, timed=not later)
            if len(rest) < len(inner) - 1 and all(map(self.counts, rest)):
                draft.index.extend(self.expression([p]) for p in rest)        # h^{(t),i}
            elif rest:
                self._upper(draft, rest)
        elif self.transposes(inner, draft.kind):
            draft.posts.append(Item("post", span_of(inner), "Transpose"))
        elif first.is_("op", "-") and len(inner) == 2 and self.transposes(inner[1:], draft.kind):
            minus_one = make("Neg", num(1))
            draft.posts += [Item("post", span_of(inner), "Pow", (minus_one,)), Item("post", span_of(inner), "Transpose")]
        elif len(inner) > 1 and inner[-1].kind == "top":
            self._upper(draft, inner[:-1])
            self._upper(draft, inner[-1:])
        elif len(inner) == 1 and (first.is_("op", "Star", "+", "-") or first.is_("unknown", "dagger", "ddagger")):
            self._relabel(draft, "^", inner)
        elif self._bare_time(draft, inner):
            draft.time = self.expression(inner)
        elif draft.kind in ("function", "vfunction") and name_of(inner) == "-1":
            draft.inverse = True
        elif self._is_label(draft, inner):
            self._relabel(draft, "^", inner)
        elif draft.layer is None and draft.kind in ARRAYS and self._is_layer(inner):
            self.note(draft.start, "layer", f"the upper script on {draft.name} is read as a layer")
            draft.layer = self.expression(inner)
        elif self._nested(draft, "^", inner):
            pass
        else:
            draft.posts.append(Item("post", span_of(inner), "Pow", (self.expression(inner),)))

    def _set_time(self, draft: Draft, inner: Pieces, where: Piece) -> None:
        if draft.time is not None:
            raise Refused(where.start, where.text, f"{draft.name} has two times")
        draft.time = self.expression(inner)

    def _bracketed(self, draft: Draft, fence: Piece, timed: bool) -> None:
        """An upper script in round or square brackets: the time or a layer (a layer if the time is written elsewhere)."""
        inner = fence.parts[0]
        if len(inner) > 1 and all(p.kind == "letter" for p in inner) and not all(map(self.counts, inner)):
            self._relabel(draft, "^", (fence,))
            return
        parts = [tuple(p) for p in split_pieces(inner, "sep", ",")]
        if len(parts) == 2 and all(parts) and sum(map(self.mentions_time, parts)) == 1:
            for part in parts:                                        # h^{(l,t)}: a layer and a time
                self._bracketed(draft, replace(fence, text="( )" if self.mentions_time(part) else "[ ]", parts=(part,)), timed)
            return
        says_time = self.mentions_time(inner)
        in_style = self.table.time == "sup" and (draft.sequence or draft.entry is None or draft.entry.is_function)
        if fence.brackets[0] == "(" and timed and draft.time is None and (says_time or in_style):
            if not draft.sequence and draft.entry is not None:
                self.note(draft.start, "time-of-constant", f"{draft.name} carries a time but is not declared as a sequence")
            draft.time = self.expression(inner)
        elif draft.layer is None:
            draft.layer = self.expression(inner)
        else:
            raise Refused(fence.start, fence.brackets[0], f"{draft.name} has two layers")

    def _bare_time(self, draft: Draft, inner: Pieces) -> bool:
        """Whether a plain upper script is a time: only on sequences in the style ``bare``."""
        fresh = draft.entry is None and self.mentions_time(inner)
        if self.table.time != "bare" or not (draft.sequence or fresh) or draft.time is not None:
            return False
        if inner[0].kind == "number" and len(inner) == 1:
            self.note(draft.start, "time-or-power", f"the upper number on {draft.name} is read as a time")
        return True

    def _is_label(self, draft: Draft, inner: Pieces) -> bool:
        """Whether an undeclared upper script is a label: letters that do not count, on something that is no number."""
        if not all(p.kind == "letter" for p in inner) or all(map(self.counts, inner)):
            return False
        entry = self.table.get(inner[0].text)
        if len(inner) == 1 and self._is_array(inner[0]):              # no number is raised to an array: b_i^u, \delta_t^z
            return draft.kind not in ("function", "vfunction", "size", "index")
        if draft.kind not in ("", *ARRAYS):
            return False
        return len(inner) > 1 or draft.kind in ARRAYS and (entry is None or entry.kind in ARRAYS)


    def _is_layer(self, inner: Pieces) -> bool:
        """Whether an upper script on an array counts layers: the letter l, or one near it, which is no number of the text."""
        entry = self.table.get(inner[0].text)
        number = len(inner) == 3 and inner[1].is_("op", "+", "-") and inner[2].kind == "number"
        return inner[0].is_("letter", "l", "ell") and (len(inner) == 1 or number) and (
            entry is None or entry.kind in ("index", "size"))


def _cuts(mark: str, script: Pieces, letter: str) -> list[tuple[Pieces, Pieces]]:
    """A script as a label with nothing left, and as a label with the rest after its bracket, its first comma or before the step."""
    out: list[tuple[Pieces, Pieces]] = [(script, ())]
    if mark == "^" and len(script) > 1 and script[0].kind == "fence":
        out.append((script[:1], script[1:]))
    comma = next((k for k, p in enumerate(script) if p.is_("sep", ",")), 0)
    if mark == "_" and 0 < comma < len(script) - 1:
        out.append((script[:comma], script[comma + 1 :]))
    elif mark == "_" and not comma:                                  # W_{ft}: the label f, the step t
        out += [(script[:k], script[k:]) for k in range(1, len(script)) if script[k].is_("letter", letter)]
    return out


def _angle(inner: Pieces) -> tuple[Pieces, Pieces]:
    """The contents of angle brackets at the start of a script, and what follows them."""
    if inner[0].kind == "fence" and inner[0].brackets == ("<", ">"):
        return inner[0].parts[0], inner[1:]
    if inner[0].is_("rel", "<"):
        end = next((k for k, p in enumerate(inner) if p.is_("rel", ">")), None)
        if end is None or end < 2:
            raise Refused(inner[0].start, "<", "the angle bracket is not closed")
        return inner[1:end], inner[end + 1 :]
    return (), inner
