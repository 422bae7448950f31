r"""The one module that touches latex2sympy2 (with `gen` and `antlr4`, which it installs): its two jobs, and its guards.

*Second opinion*: the grammar of latex2sympy2 parses the skeleton of an expression, in which every finished atom is a
placeholder ``\variable{a7}``. Only its parse tree is used; nothing of it is evaluated and no state of it is touched.

*Reading back*: :func:`read_back` gives the SymPy expression of scalar LaTeX that symrnn printed itself. What is not in
the vocabulary of those prints is refused before latex2sympy2 sees it.

Known about latex2sympy2 1.9.1 and met here: antlr4 4.7.2 imports ``typing.io``, which is gone in Python 3.13; the start
rule does not ask for the end of the input; a differential poisons a module global until ``set_variances({})``; the
names i and j are imaginary from import on until the same call; e, E, I and d are never plain symbols.
"""

from __future__ import annotations

import re
import signal
import sys
import threading
import types
import typing
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from symrnn.errors import LimitError, ReadError
from symrnn.read.skeleton import Item, add, big, binary, call, factors, postfix, signed
from symrnn.read.tokens import Refused
from symrnn.read.tree import SLOT, Node

MAX_ITEMS = 300
"""Items of one skeleton; above this the second grammar is not asked."""
MAX_ROW = 4_000
"""Tokens of a text to read back."""

Shape = tuple[Any, ...]


@lru_cache(maxsize=1)
def _grammar() -> Any:
    """The lexer, parser and runtime classes, imported with the shim that Python 3.13 and newer need."""
    sys.modules["typing.io"] = types.SimpleNamespace(TextIO=typing.TextIO)  # type: ignore[assignment]
    import antlr4
    from antlr4.atn.PredictionMode import PredictionMode
    from antlr4.error.ErrorListener import ErrorListener
    from gen.PSLexer import PSLexer
    from gen.PSParser import PSParser

    class Strict(ErrorListener):  # type: ignore[misc]
        """Raises at the first thing that does not fit; the default would repair it silently."""

        def syntaxError(self, recognizer: Any, offendingSymbol: Any, line: int, column: int, msg: str, e: Any) -> None:  # noqa: N802
            raise Refused(column, "", "the grammar of latex2sympy2 does not accept it")

    return types.SimpleNamespace(antlr4=antlr4, lexer=PSLexer, parser=PSParser, strict=Strict, modes=PredictionMode)


# -- second opinion -----------------------------------------------------------------------------------------------------


def second_opinion(items: Sequence[Item]) -> Node:
    """The tree that the grammar of latex2sympy2 gives to items, built by the same functions as our own.

    Errors: :class:`Refused` where that grammar does not accept the skeleton or the skeleton is too long for it.
    """
    if not items:
        raise Refused(0, "", "an expression is missing here")
    if len(items) == 1 and items[0].kind == "atom":
        return items[0].nodes[0]
    if len(items) > MAX_ITEMS:
        raise Refused(items[0].span[0], "", f"more than {MAX_ITEMS} items are not given to the second grammar")
    text, at = _emit(items)
    try:
        shape = _parsed(text)
        return _build(shape, items, at)
    except Refused as refused:
        raise Refused(items[0].span[0], "", refused.hint) from None
    except RecursionError:
        raise Refused(items[0].span[0], "", "the skeleton is too deep for the second grammar") from None


def _emit(items: Sequence[Item]) -> tuple[str, dict[int, int]]:
    """The skeleton in the language of the grammar, and the item that each offset of it stands for (-1: nothing)."""
    text, at = "", {}
    power_open = True                                     # after another script the grammar accepts no power any more
    for k, item in enumerate(items):
        at[len(text)] = k
        if item.kind == "atom":
            text += f"\\variable{{a{k}}}"
        elif item.kind == "op":
            text += {"+": "+", "-": "-", "PlusMinus": "+"}.get(item.text, "\\cdot ")
        elif item.kind == "post":
            power = item.text == "Pow" and power_open
            text += f"^{{\\variable{{p{k}}}}}" if power else "^{T}"
            power_open = power
            continue
        elif item.kind == "fn":
            text += "\\sin "
        else:
            text += "\\sum_{\\variable{v}=\\variable{l}}^{\\variable{u}}"
        power_open = True
    if items[-1].kind == "big":
        at[len(text)] = -1
        text += "\\variable{s}"
    return text, at


@lru_cache(maxsize=8192)
def _parsed(text: str) -> Shape:
    """The parse tree of a skeleton as plain tuples; skeletons repeat, so the answers are kept.

    The quick prediction of antlr4 (SLL) gives the tree of the full one (LL) or fails; where it fails the full one is asked.
    """
    try:
        return _parse(text, quick=True)
    except Refused:
        return _parse(text, quick=False)


def _parse(text: str, quick: bool) -> Shape:
    g = _grammar()
    lexer = g.lexer(g.antlr4.InputStream(text))
    tokens = g.antlr4.CommonTokenStream(lexer)
    parser = g.parser(tokens)
    if quick:
        parser._interp.predictionMode = g.modes.SLL
    for recognizer in (lexer, parser):
        recognizer.removeErrorListeners()
        recognizer.addErrorListener(g.strict())
    relation = parser.relation()                                      # a skeleton is no list: the rule `math` would look ahead for one
    if tokens.LA(1) != g.antlr4.Token.EOF or relation is None or relation.expr() is None:
        raise Refused(0, "", "the grammar of latex2sympy2 stops before the end")
    return _shape(relation.expr())


def _rule(context: Any) -> str:
    return type(context).__name__.removesuffix("Context").replace("_nofunc", "").lower()


def _children(context: Any, *rules: str) -> list[Any]:
    return [c for c in context.getChildren() if _rule(c) in rules]


def _shape(context: Any) -> Shape:
    """Tuples of a parse tree: ("atom", offset), ("sign", offset, body), ("add", [terms]), ("op", offset, left, right), ..."""
    make = _SHAPES.get(_rule(context))
    return make(context) if make else _shape(context.getChild(0))


def _additive(context: Any) -> Shape:
    sides = _children(context, "additive")
    if len(sides) < 2:
        return _shape(context.getChild(0))
    left, right = map(_shape, sides)
    sign = context.getChild(1).symbol
    whole = left[1] if left[0] == "add" else [left]
    return ("add", [*whole, ("sign", sign.start, right)])


def _product(context: Any) -> Shape:
    sides = _children(context, "mp")
    if len(sides) < 2:
        return _shape(context.getChild(0))
    return ("op", context.getChild(1).symbol.start, *map(_shape, sides))


def _unary(context: Any) -> Shape:
    inner = _children(context, "unary")
    if inner:
        return ("sign", context.getChild(0).symbol.start, _shape(inner[0]))
    return ("factors", [_shape(c) for c in _children(context, "postfix")])


def _postfix(context: Any) -> Shape:
    shape = _shape(context.getChild(0))
    for op in _children(context, "postfix_op"):
        shape = ("post", op.start.start, shape)
    return shape


def _power(context: Any) -> Shape:
    base = _children(context, "exp")
    if not base:
        return _shape(context.getChild(0))
    caret = next(c for c in context.getChildren() if c.getText() == "^")
    return ("post", caret.symbol.start, _shape(base[0]))


def _function(context: Any) -> Shape:
    start = context.start.start
    if context.FUNC_SUM():
        return ("big", start, _shape(context.mp()))
    argument = context.func_single_arg() or context.func_single_arg_noparens()
    return ("fn", start, _shape(argument))


def _atom(context: Any) -> Shape:
    return ("atom", context.start.start)


_SHAPES: dict[str, Callable[[Any], Shape]] = {"additive": _additive, "mp": _product, "unary": _unary, "postfix": _postfix,
                                              "exp": _power, "func": _function, "atom": _atom}


def _build(shape: Shape, items: Sequence[Item], at: dict[int, int]) -> Node:
    """Tuples to nodes, with the items that the offsets stand for."""
    kind = shape[0]
    if kind == "add":
        return add([_build(s, items, at) for s in shape[1]])
    if kind == "factors":
        return factors([_build(s, items, at) for s in shape[1]])
    item = items[at[shape[1]]] if at[shape[1]] >= 0 else None
    if item is None:
        return SLOT
    parts = [_build(s, items, at) for s in shape[2:]]
    if kind == "atom":
        return item.nodes[0]
    if kind == "sign":
        return signed(item.text, parts[0], item.span[0])
    if kind == "op":
        return binary(item.text, parts[0], parts[1])
    if kind == "post":
        return postfix(parts[0], item)
    return call(item, parts[0]) if kind == "fn" else big(item, parts[0])


# -- reading back ---------------------------------------------------------------------------------------------------------

_WORD = re.compile(r"\\[A-Za-z]+|\\.|[A-Za-z]+|\d+(?:\.\d+)?|\s+|.", re.S)
_COMMANDS = frozenset(
    r"\frac \left \right \cdot \exp \ln \tanh \sinh \cosh \sin \cos \sqrt \alpha \beta \gamma \delta \epsilon \eta \theta "
    r"\kappa \lambda \mu \nu \xi \rho \sigma \tau \phi \chi \psi \omega \, \ ".split()) | {"\\ "}
_LETTERS = frozenset("abcfghijklmnopqrstuvwxyzABCDFGHJKLMNOPQRSTUVWXYZ")
_SIGNS = frozenset("+-*/=()[]{}^_, ")
_POWER = re.compile(r"\d\s*\}?\s*\^")


def read_back(latex: str, *, seconds: float = 60.0) -> Any:
    r"""The SymPy expression of scalar LaTeX in the vocabulary that symrnn prints: fractions, powers, brackets, ``\exp``,
    ``\ln`` and the hyperbolic functions, single letters with subscripts of letters and digits.

    Errors: :class:`ReadError` for anything outside that vocabulary or left over; :class:`LimitError` after `seconds`.

    >>> print(read_back(r"\frac{h_{1}}{2} - \tanh\left(a\right)"))
    h_1/2 - tanh(a)
    """
    _check_vocabulary(latex)
    _grammar()
    import latex2sympy2

    latex2sympy2.set_variances({})
    try:
        with _time_cap(seconds, latex):
            _check_end(latex)
            return latex2sympy2.latex2sympy(latex)
    except (Refused, RecursionError) as error:
        raise ReadError(latex[:80], must="be read back by latex2sympy2", came=str(error) or "a formula nested too deeply",
                        next_step="Print a smaller row.", offset=0, token="") from None
    finally:
        latex2sympy2.set_variances({})


def _check_vocabulary(latex: str) -> None:
    """Refuse what symrnn does not print. Powers of numbers are among it: latex2sympy2 would evaluate them."""
    words = [(m.group(), m.start()) for m in _WORD.finditer(latex)]
    label = 0
    for k, (word, offset) in enumerate(words):
        label = 2 if word == "_" else max(0, label - (not word.isspace() and word != "{"))
        known = (word in _COMMANDS or word in _SIGNS or word.isspace() or word in _LETTERS
                 or word.isalnum() and label == 1 and len(word) <= 8
                 or word.replace(".", "").isdigit() and word.isascii() and len(word) <= 18)
        numeric = word == "^" and _POWER.search("".join(w for w, _ in words[max(0, k - 2) : k + 1]))
        if not known or len(words) > MAX_ROW or numeric:
            hint = f"a text of at most {MAX_ROW} tokens in the vocabulary of symrnn's own scalar rows"
            raise ReadError(latex[:80], must=f"be {hint}", came=word[:40] if len(words) <= MAX_ROW else f"{len(words)} tokens",
                            next_step="Only rows that symrnn printed itself are read back.", offset=offset, token=word[:40])


def _check_end(latex: str) -> None:
    """Refuse a text of which latex2sympy2 would read only the beginning."""
    g = _grammar()
    lexer = g.lexer(g.antlr4.InputStream(latex))
    tokens = g.antlr4.CommonTokenStream(lexer)
    parser = g.parser(tokens)
    for recognizer in (lexer, parser):
        recognizer.removeErrorListeners()
        recognizer.addErrorListener(g.strict())
    parser.math()
    if tokens.LA(1) != g.antlr4.Token.EOF:
        raise Refused(tokens.LT(1).start, tokens.LT(1).text, "latex2sympy2 stops before the end")


@contextmanager
def _time_cap(seconds: float, latex: str) -> Iterator[None]:
    """Interrupt the block after `seconds`, where the platform can (main thread, with interval timers)."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(signum: int, frame: Any) -> None:
        raise LimitError(latex[:80], must=f"be read back within {seconds:g} s", came="no answer in that time",
                         next_step="Print a smaller row.", limit="seconds", bound=seconds)

    before = signal.signal(signal.SIGALRM, stop)
    remaining, every = signal.setitimer(signal.ITIMER_REAL, seconds, seconds)   # again, should a handler have lost the first
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, remaining, every)
        signal.signal(signal.SIGALRM, before)
