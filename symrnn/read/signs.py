r"""The signs of mathematics: what each command or character is, one row each.

A sign is a pair of a class and a normal form: ``SIGNS[r"\leq"]`` is ``("rel", "<=")``. Relations have the names of
:data:`symrnn.read.tree.RELATIONS`, operators the names of the operations they build.
"""

from __future__ import annotations

_ROWS: dict[tuple[str, str], str] = {
    ("rel", "="): "=",
    ("rel", ":="): r"\coloneqq \triangleq \doteq \coloneq \eqdef",
    ("rel", "=="): r"\equiv",
    ("rel", "!="): r"\ne \neq ≠",
    ("rel", "<"): r"< \lt",
    ("rel", "<="): r"\le \leq \leqslant ≤",
    ("rel", ">"): r"> \gt",
    ("rel", ">="): r"\ge \geq \geqslant ≥",
    ("rel", "<<"): r"\ll",
    ("rel", ">>"): r"\gg",
    ("rel", "in"): r"\in ∈",
    ("rel", "notin"): r"\notin",
    ("rel", "subset"): r"\subset \subseteq",
    ("rel", ":"): r": \colon",
    ("rel", "->"): r"\to \rightarrow \longrightarrow →",
    ("rel", "|->"): r"\mapsto \longmapsto",
    ("rel", "<-"): r"\leftarrow \gets \longleftarrow ←",
    ("rel", "~"): r"\sim",
    ("rel", "~="): r"\approx \simeq \cong ≈",
    ("rel", "prop"): r"\propto ∝",
    ("link", "Implies"): r"\Rightarrow \implies \Longrightarrow \therefore ⇒",
    ("link", "Iff"): r"\Leftrightarrow \iff \Longleftrightarrow ⇔",
    ("op", "+"): "+",
    ("op", "-"): "- − –",
    ("op", "PlusMinus"): r"\pm",
    ("op", "Dot"): r"\cdot \bullet · ⋅ • @",
    ("op", "Times"): r"\times ×",
    ("op", "Star"): r"* \ast \star ∗",
    ("op", "Had"): r"\odot ⊙",
    ("op", "Ring"): r"\circ ∘",
    ("op", "Outer"): r"\otimes ⊗",
    ("op", "Plus"): r"\oplus",
    ("op", "Div"): r"/ \div \oslash ⊘",
    ("sep", ","): ",",
    ("sep", ";"): ";",
    ("sep", "&"): "&",
    ("sep", "\\\\"): r"\\ \newline \cr",
    ("sep", "quad"): r"\quad \qquad",
    ("script", "_"): "_",
    ("script", "^"): "^",
    ("script", "'"): "' ’",
    ("bar", "|"): r"| \vert",
    ("given", "|"): r"\mid",
    ("bar", "||"): r"\| \Vert \parallel ‖ ∥",
    ("big", "Sum"): r"\sum ∑",
    ("big", "Prod"): r"\prod ∏",
    ("nabla", "nabla"): r"\nabla ∇",
    ("partial", "partial"): r"\partial ∂",
    ("dots", "..."): r"... .. … \dots \ldots \cdots \vdots \ddots \dotsc \dotsb \dotsm ⋯",
    ("top", "top"): r"\top \intercal ⊤ ᵀ",
    ("prime", "prime"): r"\prime",
    ("forall", "forall"): r"\forall ∀",
    ("factorial", "!"): "!",
    ("point", "."): ".",
}

SIGNS: dict[str, tuple[str, str]] = {text: sign for sign, texts in _ROWS.items() for text in texts.split()}
"""Class and normal form of every sign."""

OPENERS: dict[str, str] = {"(": "(", "[": "[", "\\{": "{", "\\lbrace": "{", "\\langle": "<", "\\lVert": "||", "\\lvert": "|",
                           "\\lbrack": "[", "⟨": "<", "\\lfloor": "floor", "\\lceil": "ceil"}
"""Opening brackets."""

CLOSERS: dict[str, str] = {")": ")", "]": "]", "\\}": "}", "\\rbrace": "}", "\\rangle": ">", "\\rVert": "||", "\\rvert": "|",
                           "\\rbrack": "]", "⟩": ">", "\\rfloor": "floor", "\\rceil": "ceil"}
"""Closing brackets."""

PAIRS: dict[str, frozenset[str]] = {"(": frozenset(")]"), "[": frozenset("])"), "{": frozenset("}"), "<": frozenset(">"),
                                    "||": frozenset({"||"}), "|": frozenset("|"), "floor": frozenset({"floor"}),
                                    "ceil": frozenset({"ceil"})}
"""Which closing brackets end which opening one; round and square mix in intervals."""

DELIMITERS: dict[str, str] = {"|": "|", "\\vert": "|", "\\|": "||", "\\Vert": "||", "\\parallel": "||", ".": ".", "<": "<", ">": ">",
                              "/": "/", "\\lvert": "|", "\\rvert": "|", "\\lVert": "||", "\\rVert": "||", **OPENERS, **CLOSERS}
"""What may follow ``\\left`` and ``\\right``."""

GREEK_LETTERS: dict[str, str] = dict(zip(
    "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩϵϕℓ∞",
    "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon varphi chi psi "
    "omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega epsilon phi ell infty".split(), strict=True))
"""Greek letters and a few signs written directly, with the name of their command."""

FUNCTION_COMMANDS = frozenset(
    r"\log \ln \exp \tanh \sinh \cosh \sin \cos \tan \coth \sec \max \min \sup \inf \lim \det \arctan \Pr \lg \dim \ker "
    r"\arg \deg \gcd \hom \limsup \liminf".split())
"""Commands that print the name of a function; without brackets they take what stands to their right."""

IGNORED = frozenset(
    r"\limits \nolimits \nonumber \notag \displaystyle \textstyle \scriptstyle \scriptscriptstyle \noindent \hline "
    r"\allowbreak \nobreak \medskip \centering \mathstrut \strut \relax \null".split())
"""Commands that change nothing that is read."""

SIZES = frozenset(r"\big \Big \bigg \Bigg \bigl \bigr \Bigl \Bigr \biggl \biggr \Biggl \Biggr \bigm \Bigm".split())
"""Commands that make the bracket after them larger."""

GAPS = frozenset({r"\;", r"\:", r"\>", r"\ ", "~"})
"""Spaces that may part the blocks of a row in square brackets; everywhere else they say nothing."""

SKIPPED = {"\\hspace": 1, "\\vspace": 1, "\\phantom": 1, "\\vphantom": 1, "\\hphantom": 1, "\\color": 1, "\\kern": 0}
"""Commands left out with their arguments."""

NOTED = frozenset(r"\tag \label".split())
"""Commands whose argument is kept as an attribute of the reading."""

BIG_WORDS: dict[str, str] = {"sum": "Sum", "prod": "Prod"}
"""Words that are a sum or a product where a lower script follows, as in plain text."""

ARROWS: dict[str, str] = {"\\xrightarrow": "->", "\\xleftarrow": "<-", "\\xlongrightarrow": "->"}
"""Arrows with a condition or a note on them, as the relations they are."""

COLUMNS = frozenset(r"\binom \dbinom \tbinom".split())
"""Commands that write one thing above another in brackets."""

FRACTIONS = frozenset(r"\frac \dfrac \tfrac \cfrac \nicefrac \sfrac".split())
"""Commands that make a fraction of two arguments."""

UNREAD = {"\\int": "integrals", "\\iint": "integrals", "\\oint": "integrals", "\\href": "links", "\\includegraphics": "pictures",
          "\\ref": "references", "\\eqref": "references", "\\cite": "citations",
          **dict.fromkeys(r"\def \gdef \edef \xdef \let \newcommand \renewcommand \providecommand".split(), "definitions of macros"),
          **dict.fromkeys(r"\input \include \openin \openout \read \write \immediate \special \csname \catcode \directlua".split(),
                          "instructions to TeX")}
"""Commands whose meaning is known and is not read, with what they are."""

SHORTHANDS: dict[str, tuple[str, str]] = {"\\reals": ("space", "R"), "\\R": ("space", "R"), "\\N": ("space", "N"),
                                          "\\Z": ("space", "Z"), "\\E": ("letter", "bb(E)"), "ℝ": ("space", "R"),
                                          "\\Reals": ("space", "R"), "ℒ": ("letter", "L")}
"""Macros so usual that texts leave out their definition; a definition of the text goes before."""

ROW_ENVIRONMENTS = frozenset(
    "align aligned alignat alignedat gather gathered split equation eqnarray multline multlined flalign displaymath math "
    "dmath dgroup subequations IEEEeqnarray".split())
"""Environments whose rows are statements."""

MATRIX_ENVIRONMENTS = frozenset("matrix pmatrix bmatrix Bmatrix smallmatrix psmallmatrix bsmallmatrix".split())
"""Environments that are a matrix."""

CASE_ENVIRONMENTS = frozenset("cases dcases rcases".split())
"""Environments that define by cases."""
