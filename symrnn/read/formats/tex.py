r"""TeX: environments, dollars and brackets with their labels, macros, files that are included, program text; comments left out.

>>> text = r'''\newcommand{\W}{W_{hh}}
... \section{State} % h_0 = 0
... It is $h_t$, by \begin{equation} h_t = \W h_{t-1} \label{e:h} \end{equation}'''
>>> document = scan_tex(text, "paper.tex")
>>> [(s.latex, s.line, s.column) for s in document.spans]
[('h_t', 3, 8), ('\\begin{equation} h_t = \\W h_{t-1} \\label{e:h} \\end{equation}', 3, 17)]
>>> document.headings[0].text, [*document.macros]
('State', ['\\W'])
"""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from pathlib import Path

from symrnn.read.decoding import decoded
from symrnn.read.definitions import Definition, definition_at, delimiters, gathered, group
from symrnn.read.document import Document
from symrnn.read.places import Source
from symrnn.read.running import BRACKETS, ENVIRONMENTS
from symrnn.read.texrows import rows
from symrnn.read.weaving import Loom

MOST_FILES = 200
"""How many files may be included, each time counted."""

MATHEMATICS = ENVIRONMENTS | {"IEEEeqnarray", "IEEEeqnarray*", "dgroup", "dgroup*", "darray", "darray*", "empheq"}
"""The environments that are formulas."""

HOLDS_SEVERAL = frozenset({"subequations"})
"""Environments with such a name that hold formulas and are none."""

CODE = {"verbatim": "", "verbatim*": "", "Verbatim": "", "lstlisting": "", "minted": "python", "alltt": "", "python": "python",
        "pycode": "python", "code": "", "pythoncode": "python"}
"""The environments that hold program text, with its language where that is known."""

SKIPPED = frozenset("comment thebibliography filecontents filecontents* tikzpicture pgfpicture algorithmic picture asy".split())
"""The environments that hold nothing to be read as words or formulas."""

HEADINGS = {"part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5, "subparagraph": 6}

REFERENCES = frozenset("ref eqref cref Cref autoref pageref nameref vref subref".split())
"""Commands that stand for the number of something."""

SILENT = {
    **dict.fromkeys(REFERENCES, 1),
    **dict.fromkeys(
        "usepackage documentclass RequirePackage includegraphics bibliography bibliographystyle vspace hspace vskip hskip pagestyle label "
        "thispagestyle graphicspath nocite url index hypersetup theoremstyle color pagenumbering bibitem cite citep citet citealp "
        "citeauthor citeyear citeyearpar parencite textcite autocite footcite phantom hphantom vphantom pagecolor allowdisplaybreaks "
        "usetikzlibrary numberwithin geometry lstset definecolor pdfinfo date href textcolor colorbox parbox".split(), 1),
    **dict.fromkeys("setlength addtolength setcounter addtocounter newtheorem rule lstdefinestyle".split(), 2),
    **dict.fromkeys("newenvironment renewenvironment".split(), 3),
}
"""Commands of a page with as many arguments that are no words; what follows is read."""

DEEPEST = 20
"""How many files may include each other in a row, and headings stand in each other."""

LETTERS = {
    **{sign: sign for sign in "%&#_{}"}, **dict.fromkeys(" ,;:", " "), "$": r"\$", "\\": "\n", "newline": "\n", "linebreak": "\n",
    "par": "\n\n", "item": "\n- ", "and": ", ", "quad": " ", "qquad": " ", "textbackslash": " ", "ldots": "...", "dots": "...",
    "textendash": "–", "textemdash": "—", "S": "§", "P": "¶", "copyright": "©", "pounds": "£", "ss": "ß", "ae": "æ", "o": "ø", "aa": "å",
    "LaTeX": "LaTeX", "TeX": "TeX",
}
"""Commands that stand for characters."""

_TOKEN = re.compile(
    r"(?:(?<=\n)|\A)[ \t]*%[^\n]*\n?|%[^\n]*|\\(?P<name>[A-Za-z@]+)\*?|\\(?P<sign>.)|(?P<dollars>\$\$?)"
    r"|(?P<put>~|``|''|---?|[{}])", re.S)
_PUT = {"~": " ", "``": "“", "''": "”", "--": "–", "---": "—", "{": "", "}": ""}
_WITHIN = re.compile(r"\\.|%[^\n]*|\$\$?|[{}]|\n[ \t\r]*\n", re.S)
_BLANK = re.compile(r"\n[ \t\r]*+\n")
_NAME = re.compile(r"\s*\{\s*([A-Za-z]+\*?)\s*\}")
_OPTIONAL = re.compile(r"[ \t]*\[[^\[\]\n]*\]")
_VERB = re.compile(r"(?P<mark>[^\w\s*])(?P<text>(?:(?!(?P=mark))[^\n])*)(?P=mark)")
_LANGUAGE = re.compile(r"language\s*=\s*\{?\s*(?:\[[^\]]*\]\s*)?(\w+)")
_BODY = re.compile(r"(?<!%)\\begin\s*\{document\}")
_LIKE = re.compile(r"eqn|equation|align|gather|multline")
"""What is in the names of environments that are formulas, whoever has defined them."""
_COUNTS = re.compile(r"\s*(?:\[[^\]]*\]\s*){0,2}")
_CONDITION = re.compile(r"\\(?:if(?!f\b)[a-z]*|fi)(?![A-Za-z@])")


def scan_tex(text: str, path: str, folder: Path | None = None) -> Document:
    """The document that a TeX file and what it includes are.

    A file that cannot be included, as it does not lie in the folder or below it, is a problem with its place.
    """
    walk = _Walk(folder, path)
    walk.file(Source(text), silent=False)
    return walk.loom.document(path, macros=gathered(walk.found))


class _Walk:
    """One walk through a TeX file and the files that it includes."""

    def __init__(self, folder: Path | None, path: str) -> None:
        self.folder, self.path = folder, path
        self.loom = Loom()
        self.found: list[Definition] = []
        self.files = self.level = 0
        self.opened: list[Path] = [] if folder is None else [(folder / Path(path).name).resolve()]
        self.unended: set[tuple[Source, str]] = set()                # what has no end in which source: it is looked for once
        self.like: set[str] = set()                                  # environments of the author's own that are formulas
        self.short: dict[str, str] = {}                              # macros that stand for the edge of a formula, without backslash

    def file(self, source: Source, silent: bool) -> None:
        """Weave a file: of one that has a body, the definitions before it and then the body."""
        text = source.text
        body = _BODY.search(text)
        start = 0
        if body is not None:
            self._run(source, 0, body.start(), silent=True)
            start = body.end()
        self._run(source, start, len(text), silent)

    # -- the walk ---------------------------------------------------------------------------------------------------
    def _run(self, source: Source, i: int, stop: int, silent: bool = False) -> None:
        """Weave a stretch; of a silent one, only the definitions and the files are of interest."""
        text, loom = source.text, self.loom
        plain = i
        while (found := _TOKEN.search(text, i, stop)) is not None:
            at, i = found.start(), found.end()
            if not silent:
                loom.copy(source, plain, at)
            if name := found["name"]:
                i = self._command(source, name, at, i, stop, silent)
            elif not silent:
                i = self._sign(source, found, at, i, stop)
            if i < 0:
                return
            plain = i
        if not silent:
            loom.copy(source, plain, stop)

    def _sign(self, source: Source, found: re.Match[str], at: int, i: int, stop: int) -> int:
        """What is no command: a delimiter, a character in another form, a comment. The offset after it."""
        text, loom = source.text, self.loom
        if found["dollars"] or found.group() in BRACKETS:
            return self._delimited(source, found.group(), at, i, stop)
        if found["put"]:
            loom.put(_PUT[found["put"]], source, at, i)
        elif found["sign"]:
            loom.put(LETTERS.get(found["sign"], ""), source, at, i)
        else:
            return i
        if found["sign"] == "\\":                                    # a line ends; how much room is left is no word
            return m.end() if (m := _OPTIONAL.match(text, i, stop)) else i
        return i

    def _delimited(self, source: Source, mark: str, at: int, i: int, stop: int) -> int:
        """A formula in dollars or brackets."""
        end = self._close(source.text, mark, i, stop)
        if end < 0 or mark == "$" and source.text[i:end].isspace():  # nothing between: a dollar before is missing
            return self._unclosed(source, at, stop)
        with self.loom.formula("display" if mark in ("$$", "\\[") else "inline", source, i):
            self.loom.copy(source, i, end)
        return end + len(mark)

    def _close(self, text: str, mark: str, i: int, stop: int) -> int:
        """Where a formula in dollars or brackets ends; -1 where a paragraph ends before, or a brace of it is not closed."""
        closing, level = BRACKETS.get(mark, mark), 0
        for found in _WITHIN.finditer(text, i, stop):
            token = found.group()
            if token == closing and level <= 0:
                return found.start()
            if token == "$$" and closing == "$" and level <= 0:
                return found.start()
            if token[0] == "\n":
                return -1
            level += (token == "{") - (token == "}")
        return -1

    def _unclosed(self, source: Source, at: int, stop: int) -> int:
        """The rest of a paragraph from a mark on that is not closed: it is kept, mark and all, and cannot be read."""
        blank = _BLANK.search(source.text, at, stop)
        end = blank.start() if blank else stop
        with self.loom.formula("block", source, at):
            self.loom.copy(source, at, end)
        return end

    # -- commands ---------------------------------------------------------------------------------------------------
    def _command(self, source: Source, name: str, at: int, i: int, stop: int, silent: bool) -> int:
        """A command that begins at ``at`` and whose name ends at ``i``: the offset after what it takes, -1 at the end of the document."""
        text = source.text
        definition = definition_at(text, at)
        if definition is not None and definition.end <= stop:
            self.found.append(definition)
            self.short |= {name[1:]: body for name, body in delimiters({definition.name: definition.macro}).items()}
            return definition.end
        if name in ("input", "include", "subfile"):
            return self._include(source, at, i, stop, silent)
        if name == "iffalse":
            return _skipped_condition(text, i, stop)
        if name in ("newenvironment", "renewenvironment"):
            self._new_environment(source, i)
        if name in SILENT or silent:
            return self._passed(source, name, at, i, stop, silent)
        if name in ("begin", "end") or name in self.short:
            return self._edge(source, name, at, i, stop)
        if name in HEADINGS:
            return self._heading(source, name, at, i, stop)
        if name in ("verb", "lstinline", "mintinline", "texttt"):
            return self._code_inline(source, name, i, stop)
        self.loom.put(LETTERS.get(name, ""), source, at, i)
        while name not in LETTERS and i < stop and (m := _OPTIONAL.match(text, i, stop)):
            i = m.end()
        return i

    def _passed(self, source: Source, name: str, at: int, i: int, stop: int, silent: bool) -> int:
        """Pass over a command with its arguments."""
        if name in REFERENCES and not silent:
            self.loom.put("(ref)", source, at, i)
        count = SILENT.get(name, 0)
        while count >= 0 and i < stop:
            if m := _OPTIONAL.match(source.text, i, stop):
                i = m.end()
                continue
            found = group(source.text, i) if count else None
            if found is None:
                break
            i, count = found[1] + 1, count - 1
        return min(i, stop)

    def _heading(self, source: Source, name: str, at: int, i: int, stop: int) -> int:
        """A heading, with the formulas in it."""
        m = _OPTIONAL.match(source.text, i, stop)
        title = group(source.text, m.end() if m else i)
        if title is None or title[1] > stop or self.level >= DEEPEST:
            return i
        self.level += 1
        with self.loom.heading(HEADINGS[name], source, at):
            self._run(source, *title)
        self.level -= 1
        return title[1] + 1

    def _code_inline(self, source: Source, name: str, i: int, stop: int) -> int:
        """Program text within a line."""
        if name == "mintinline" and (language := group(source.text, i)):
            i = language[1] + 1
        m = _OPTIONAL.match(source.text, i, stop)
        i = m.end() if m else i
        braces = group(source.text, i)
        verb = None if braces or name == "texttt" else _VERB.match(source.text, i, stop)
        low, high = braces or ((verb.start("text"), verb.end("text")) if verb else (i, i))
        if high <= low or name == "texttt" and "$" in source.text[low:high]:
            return i
        self.loom.put("`", source, low, low)
        self.loom.copy(source, low, high)
        self.loom.put("`", source, high, high)
        return high + 1

    # -- environments -----------------------------------------------------------------------------------------------
    def _edge(self, source: Source, name: str, at: int, i: int, stop: int) -> int:
        r"""``\begin`` or ``\end`` of an environment, or a macro that stands for one or for a delimiter."""
        text = source.text
        short = self.short.get(name)
        if short is not None and not short.startswith(("\\begin", "\\end")):
            return self._short_delimiter(source, name, short, at, i, stop)
        named = _NAME.match(short or text, len("\\begin" if short.startswith("\\b") else "\\end") if short else i)
        if named is None:
            return i
        environment, i = named[1], i if short else named.end()
        if name == "end" or short and short.startswith("\\end"):
            self.loom.put("\n\n", source, at, i)
            return -1 if environment == "document" else i
        if environment in MATHEMATICS:
            return self._mathematics(source, environment, at, i, stop)
        if environment in self.like or environment not in HOLDS_SEVERAL and _LIKE.search(environment):
            return self._like(source, environment, at, i, stop)
        if environment in CODE or environment in SKIPPED:
            return self._verbatim(source, environment, at, i, stop)
        self.loom.put("\n\n", source, at, i)
        while i < stop and (m := _OPTIONAL.match(text, i, stop)):
            i = m.end()
        if environment in ("tabular", "tabular*", "array", "minipage", "multicols") and (columns := group(text, i)):
            i = columns[1] + 1
        return min(i, stop)

    def _mathematics(self, source: Source, environment: str, at: int, i: int, stop: int) -> int:
        """An environment that is a formula, or several whose rows have numbers of their own."""
        text = source.text
        closing = self._ends(environment)
        end = None if (source, environment) in self.unended else next((m for m in closing.finditer(text, i, stop) if m["end"]), None)
        if end is None:
            self.unended.add((source, environment))
            return self._unclosed(source, at, stop)
        equations = rows(text, environment, i, end.start())
        for low, high in equations or ((at, end.end()),):
            with self.loom.formula("row" if equations else "block", source, low):
                self.loom.copy(source, low, high)
        return end.end()

    def _new_environment(self, source: Source, i: int) -> None:
        """The definition of an environment: one that begins mathematics is like the one that it begins."""
        name = group(source.text, i)
        count = _COUNTS.match(source.text, name[1] + 1 if name else i)
        begins = group(source.text, count.end()) if name and count else None
        found = re.search(r"\\begin\s*\{([A-Za-z]+\*?)\}", source.text[slice(*begins)]) if begins else None
        if name and found and found[1] in MATHEMATICS:
            self.like.add(source.text[slice(*name)].strip())

    def _like(self, source: Source, environment: str, at: int, i: int, stop: int) -> int:
        """An environment of the author's own that is a formula: what it holds."""
        end = None if (source, environment) in self.unended else next(
            (m for m in _ending(environment, ()).finditer(source.text, i, stop) if m["end"]), None)
        if end is None:
            self.unended.add((source, environment))
            return self._unclosed(source, at, stop)
        with self.loom.formula("display", source, i):
            self.loom.copy(source, i, end.start())
        return end.end()

    def _ends(self, environment: str) -> re.Pattern[str]:
        """What ends an environment, beside what may hide it; macros that end it count."""
        short = tuple(sorted(name for name, body in self.short.items() if body.replace(" ", "") == f"\\end{{{environment}}}"))
        return _ending(environment, short)

    def _short_delimiter(self, source: Source, name: str, mark: str, at: int, i: int, stop: int) -> int:
        """A macro that stands for a delimiter."""
        closing = [n for n, body in self.short.items() if body == BRACKETS.get(mark)]
        found = re.compile(rf"\\(?:{'|'.join(map(re.escape, closing))})(?![A-Za-z@])").search(source.text, i, stop) if closing else None
        if found is None:
            return i if mark in BRACKETS.values() and mark != "$$" else self._unclosed(source, at, stop)
        with self.loom.formula("inline" if mark == "\\(" else "display", source, i):
            self.loom.copy(source, i, found.start())
        return found.end()

    def _verbatim(self, source: Source, environment: str, at: int, i: int, stop: int) -> int:
        """An environment whose text is as it stands: program text, or nothing to read."""
        text = source.text
        closing = f"\\end{{{environment}}}"
        end = text.find(closing, i, stop)
        if end < 0:
            self.loom.unclosed(source, at, f"the environment {environment}")
            return stop
        if environment in CODE:
            first = text.find("\n", i, end)
            head = text[i : first if first >= 0 else end]
            named = _LANGUAGE.search(head)
            language = CODE[environment]
            if environment == "minted" and (argument := re.search(r"\{(\w+)\}\s*\Z", head)):
                language = argument[1]
            with self.loom.code((named[1] if named else language).lower(), source, at):
                self.loom.copy(source, min(end, i + len(head) + 1), end)
        return end + len(closing)

    # -- files ------------------------------------------------------------------------------------------------------
    def _include(self, source: Source, at: int, i: int, stop: int, silent: bool) -> int:
        """The file that a command includes, in the place of the command."""
        braces = group(source.text, i)
        bare = None if braces else re.compile(r"\s*([^\s{}\\%]+)").match(source.text, i, stop)
        if braces is None and bare is None:
            return i
        low, high = braces or bare.span(1)  # type: ignore[union-attr]
        after = high + 1 if braces else high
        name = source.text[low:high].strip()
        reason = self._included(name, silent)
        if reason:
            self.loom.problem(source, at, f"{name} is not included, as it {reason}")
        return after

    def _included(self, name: str, silent: bool) -> str | None:
        """Weave a file by its name; the reason why that cannot be done, or None."""
        if self.folder is None:
            return "is given without its folder"
        root = self.folder.resolve()
        candidates = [root / name, root / f"{name}.tex"] if Path(name).suffix else [root / f"{name}.tex", root / name]
        try:
            path = next((p.resolve() for p in candidates if p.is_file()), None)
            inside = all(p.resolve().is_relative_to(root) for p in candidates)
        except (OSError, ValueError, RuntimeError):
            return "is no name of a file"
        if not inside:
            return "lies outside of the folder of the document"
        if path is None:
            return "is not there"
        if path in self.opened:
            return "includes itself"
        if self.files >= MOST_FILES or len(self.opened) > DEEPEST:
            return f"comes after {self.files} others"
        try:
            data = path.read_bytes()
        except OSError as error:
            return f"cannot be opened: {error.strerror}"
        self.files += 1
        self.opened.append(path)
        shown = (Path(self.path).parent / path.relative_to(root)).as_posix()
        self.file(Source(decoded(data, shown), shown, None, sha256(data).hexdigest()), silent)
        self.opened.pop()
        return None


@cache
def _ending(environment: str, short: tuple[str, ...]) -> re.Pattern[str]:
    macros = "".join(rf"|\\{re.escape(name)}(?![A-Za-z@])" for name in short)
    return re.compile(rf"(?P<end>\\end\s*\{{\s*{re.escape(environment)}\s*\}}{macros})|\\.|%[^\n]*", re.S)


def _skipped_condition(text: str, i: int, stop: int) -> int:
    r"""The offset after the ``\fi`` that ends a condition that never holds."""
    level = 1
    for found in _CONDITION.finditer(text, i, stop):
        level += -1 if found.group() == "\\fi" else 1
        if level == 0:
            return found.end()
    return stop
