r"""Where the values of a function lie: the elementwise functions by a table of ranges, the components of softmax by their number.

A range that is claimed stands if it holds the range of the table (tests prove each row: the derivative has one sign, and the limits
are the ends). It falls by a point whose value, exact or enclosed, lies outside.

>>> interval(r"\left[0, \infty\right)"), str(elementwise("tanh", interval("[0, 1]")).counterexample["left"])[:8]
(Interval(low=Fraction(0, 1), high=None, left=True, right=False), '-0.76159')
"""
from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from symrnn.prove.reals import balls
from symrnn.prove.verdict import EVERYWHERE, Verdict

POINTS = tuple(Fraction(n, d) for n, d in ((0, 1), (1, 1), (-1, 1), (2, 1), (-2, 1), (1, 2), (-1, 2), (4, 1), (-4, 1), (16, 1), (-16, 1)))
"""The arguments at which a range that is claimed is tried, in this order."""

_NUMBER = r"\s*([-+−–]?\s*(?:\d+(?:\.\d+)?|\\infty|∞))\s*"
_INTERVAL = re.compile(rf"([\[\](]){_NUMBER},{_NUMBER}([\[\])])")


@dataclass(frozen=True)
class Interval:
    """The numbers from ``low`` to ``high`` (None: without bound); ``left`` and ``right`` say whether the ends belong to it."""

    low: Fraction | None
    high: Fraction | None
    left: bool
    right: bool

    def holds(self, other: Interval) -> bool:
        """Whether every number of another interval lies in this one."""
        below = self.low is None or other.low is not None and (other.low > self.low or other.low == self.low and self.left >= other.left)
        above = self.high is None or other.high is not None and (
            other.high < self.high or other.high == self.high and self.right >= other.right)
        return below and above

    def misses(self, low: Fraction, high: Fraction) -> bool:
        """Whether nothing between two numbers lies in this interval."""
        under = self.low is not None and (high < self.low or high == self.low and not self.left)
        over = self.high is not None and (low > self.high or low == self.high and not self.right)
        return under or over

    def __str__(self) -> str:
        """The interval in signs, such as [0, oo)."""
        low, high = ("-oo" if self.low is None else self.low), ("oo" if self.high is None else self.high)
        return f"{'[' if self.left else '('}{low}, {high}{']' if self.right else ')'}"


def interval(latex: str) -> Interval | None:
    r"""The interval that a text prints, also with brackets turned outwards; None where it is none.

    >>> str(interval("]-1, 1[")), str(interval(r"(0.5, \infty)")), interval("[a, b]"), interval("[2, 1]")
    ('(-1, 1)', '(1/2, oo)', None, None)
    """
    found = _INTERVAL.fullmatch(re.sub(r"\\(?:left|right|[bB]igg?[lr]?)(?![a-zA-Z])|\\[,;! ]|[{}]", "", latex).strip())
    if found is None:
        return None
    low, high = (None if "infty" in x or "∞" in x else Fraction(re.sub("[−–]", "-", x).replace(" ", "")) for x in (found[2], found[3]))
    if low is not None and high is not None and low > high:
        return None
    return Interval(low, high, found[1] == "[" and low is not None, found[4] == "]" and high is not None)


def _row(low: int | None, high: int | None, left: bool = False, right: bool = False) -> Interval:
    return Interval(None if low is None else Fraction(low), None if high is None else Fraction(high), left, right)


RANGES: Mapping[str, Interval] = MappingProxyType({
    "tanh": _row(-1, 1),
    "sigmoid": _row(0, 1),
    "relu": _row(0, None, left=True),
    "softplus": _row(0, None),
    "step": _row(0, 1, True, True),
})
"""The least interval that holds every value, for the activation functions that texts speak of."""


def elementwise(name: str, claimed: Interval) -> Verdict | None:
    """Whether a function of the table takes its values in an interval, for every real argument; None for a function without a row.

    >>> elementwise("sigmoid", interval("[0, 1]")).word, elementwise("relu", interval("[0, 1]")).counterexample["values"]
    ('proved', {'u': '2'})
    """
    own = RANGES.get(name)
    if own is None:
        return None
    if claimed.holds(own):
        wider = None if claimed == own else f"the values lie in {own}, which the range that is stated holds"
        return Verdict("proved", reason=wider, method=f"the range {own} of {name}", scope=EVERYWHERE,
                       error_bound="0")
    system = balls()
    with system.scope():
        for u in POINTS:
            value = system.element(name, system.number(u))
            if claimed.misses(*system.ends(value)):
                shown = system.text(value)
                return Verdict("refuted", "SR403", f"{name}({u}) is {shown}, outside {claimed}; the values lie in {own}", method="range",
                               counterexample={"T": None, "sizes": {}, "values": {"u": str(u)}, "left": shown, "right": str(claimed)})
    return Verdict("undecided", "SR304", f"the values lie in {own}, and no point that was tried gives one outside {claimed}")


SLOPES: Mapping[str, tuple[Interval, Callable[[Any, Any], Any]]] = MappingProxyType({
    "tanh": (Interval(Fraction(0), Fraction(1), False, True), lambda y, one: one - y * y),
    "sigmoid": (Interval(Fraction(0), Fraction(1, 4), False, True), lambda y, one: y * (one - y)),
})
"""The range of the derivative, and the derivative from the value of the function (tests prove both)."""


def slope(name: str, claimed: Interval) -> Verdict | None:
    """Whether the derivative of a function lies in an interval, for every real argument; None for a function without a row.

    >>> slope("sigmoid", interval("[0, 0.25]")).word, slope("sigmoid", interval("[0, 0.2]")).counterexample["left"]
    ('proved', '1/4')
    """
    if name not in SLOPES:
        return None
    own, formula = SLOPES[name]
    if claimed.holds(own):
        return Verdict("proved", reason=f"the values of the derivative lie in {own}", method=f"the range {own} of {name}'",
                       scope=EVERYWHERE, error_bound="0")
    system = balls()
    with system.scope():
        for u in POINTS:
            value = formula(system.element(name, system.number(u)), system.number(Fraction(1)))
            if claimed.misses(*system.ends(value)):
                shown = system.text(value)
                return Verdict("refuted", "SR403", f"{name}'({u}) is {shown}, outside {claimed}; the values lie in {own}", method="range",
                               counterexample={"T": None, "sizes": {}, "values": {"u": str(u)}, "left": shown, "right": str(claimed)})
    return Verdict("undecided", "SR304", f"the values lie in {own}, and no point that was tried gives one outside {claimed}")


def components(claimed: Interval, least: int | None = None) -> Verdict:
    """Whether each component of softmax lies in an interval; ``least`` is the number of components from which on that is stated.

    A single component is 1, two or more are smaller.

    >>> components(interval("(0, 1)")).conditions, components(interval("[0, 1]")).conditions
    (('at least two components',), ())
    >>> components(interval("(0, 1)"), 1).word, components(interval("(0, 1)"), 2).word, components(interval("[0, 0.5]")).word
    ('conditional', 'proved', 'undecided')
    """
    method = "each component is positive, and they add up to 1"
    if claimed.holds(_row(0, 1, right=True)):
        return Verdict("proved", method=method, scope=EVERYWHERE, error_bound="0")
    if not claimed.holds(_row(0, 1)):
        return Verdict("undecided", "SR303", f"the components lie in (0, 1); whether they lie in {claimed} depends on the argument")
    if least == 1:
        return Verdict("conditional", reason="true for at least two components; a single one is 1", method=method, scope=EVERYWHERE,
                       error_bound="0", conditions=("at least two components",))
    stated = f"at least {least} components" if least is not None else "at least two components"
    return Verdict("proved", reason="a single component would be 1", method=method, scope=EVERYWHERE, error_bound="0",
                   conditions=(stated,))


def single_component(letter: str, claimed: Interval) -> Verdict:
    """The verdict on a bound that lets the number of components be 1, where they are said to lie in an interval that ends before 1."""
    return Verdict("refuted", "SR405", f"at {letter} = 1 the only component of softmax is 1, which is not in {claimed}", method="range",
                   counterexample={"T": None, "sizes": {letter: 1}, "values": {"u": "0"}, "left": "1", "right": str(claimed)})


def sums_to_one() -> Verdict:
    """The components of softmax are exponentials over their sum: they add up to 1, however many there are."""
    return Verdict("proved", method="exponentials divided by their sum", scope=EVERYWHERE, error_bound="0")


def keeps_size(what: str) -> Verdict:
    """A function that takes n numbers to n numbers, whatever n is."""
    return Verdict("proved", method=f"{what} has as many components as its argument", scope=EVERYWHERE, error_bound="0")
