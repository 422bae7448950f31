r"""Hostile formulas and documents: each ends with a row or an error that says why, and what stands beside it is judged all the same."""
from __future__ import annotations

from pathlib import Path

import pytest

from symrnn.api import audit

NETWORK = r"$$h_t = \tanh(W h_{t-1} + U x_t + b)$$"
RIGHT = r"$$\frac{\partial h_t}{\partial h_{t-1}} = \mathrm{diag}(1 - h_t^2) W$$"
WRONG = r"$$\frac{\partial h_t}{\partial h_{t-1}} = 2 \, \mathrm{diag}(1 - h_t^2) W$$"
TERMS = [f"a_{{{k}}}" for k in range(800)]


def nested(opening: str, count: int, closing: str) -> str:
    return "u = " + opening * count + "v" + closing * count


UNREAD = {
    "a binomial": r"u = \binom{10^8}{5\cdot10^7}",
    "braces": nested("{", 10_000, "}"), "brackets": nested("(", 10_000, ")"), "square brackets": nested("[", 10_000, "]"),
    "large brackets": nested(r"\left(", 3000, r"\right)"), "open braces": "u = " + "{" * 10_000 + "v",
    "fractions": nested(r"\frac{1}{", 1000, "}"), "roots": nested(r"\sqrt{", 1000, "}"), "accents": nested(r"\hat{", 500, "}"),
    "upper scripts": nested("a^{", 1000, "}"), "lower scripts": nested("a_{", 1000, "}"), "functions": nested(r"\tanh(", 150, ")"),
    "primes": "f" + "'" * 5000 + "(u) = v", "transposes": "W" + r"^\top" * 2000 + " = W", "bars": "|" * 5000 + "u" + "|" * 5000 + " = v",
    "a null byte": "u = \x00 v", "a sign that turns the text": "u = \u202e v", "accents without a letter": "u" + "\u0301" * 5000 + " = v",
    "digits": "u = " + "9" * 200_000, "a long name": r"\mathrm{" + "a" * 30_000 + "} = u", "commands": r"\a" * 20_000 + " = u",
    "rows": r"\begin{align}" + r"u &= v \\ " * 3000 + r"\end{align}", "comparisons": "u " + "< " * 5000 + "v",
    "commas": "u = (" + "," * 5000 + ")", "columns": "&" * 5000, "marks of scripts": "_" * 5000,
    "the order of a derivative": r"\frac{\partial^{50} h_t}{\partial W^{50}} = 0",
}
"""What is refused with the place where reading stops."""
UNDECIDED = {
    "a tower": "9^{9^{9^9}} = 1", "powers of powers": "(" * 30 + "9" + "^{12})" * 30 + " = 1", "a factorial": "((99!)!)! = 1",
    "a power of a sum": "(a+b+c+d)^{100} = u", "a small power": "(a+b)^{0.000000001} = a", "a power of a matrix": "W^{100000} = W",
    "summands": "u = " + " + ".join(TERMS), "summands in another order": " + ".join(TERMS) + " = " + " + ".join(reversed(TERMS)),
    "factors": " ".join(f"(a_{{{k}}} + b_{{{k}}})" for k in range(24)) + " = u",
    "exponentials": r"\exp(\exp(\exp(\exp(1000)))) = u", "a large exponential": r"\exp(10^{300}) = 1",
    "functions of functions": nested(r"\mathrm{softmax}(", 60, ")"),
    "sums": "u = " + "".join(rf"\sum_{{i_{{{k}}}=1}}^{{n}}" for k in range(60)) + " v",
    "products": "u = " + r"\prod_{k=1}^{T}" * 60 + " h_k",
    "a long range": r"\sum_{k=1}^{10^{12}} k = u", "a far step": r"h_{10^{12}} = h_{99999999999}",
    "derivatives": r"\frac{\partial}{\partial W} " * 100 + "h_t = 0", "words": nested(r"\text{", 2000, "}"),
    "a matrix": r"A = \begin{pmatrix}" + r" \\ ".join([" & ".join("1" * 60)] * 60) + r"\end{pmatrix}",
    "cases": r"u = \begin{cases}" + r" \\ ".join(f"{k} & v = {k}" for k in range(500)) + r"\end{cases}",
}
"""What is read, and has a reason why nothing is decided."""
FORMULAS = UNREAD | UNDECIDED

BYTES = {
    "Latin-1": b"Gr\xf6\xdfe: $$u = \xe4 v$$", "half a pair": b"$$u = \xed\xa0\x80 v$$", "UTF-16": "$$u = v$$".encode("utf-16"),
    "control characters": bytes(range(1, 32)), "dollars": b"$" * 50_000, "environments": b"\\begin{align}" * 5000, "tags": b"<a " * 50_000,
    "square brackets": b"[" * 50_000, "an open front matter": b"---\n" + b"[" * 5000,
    "a macro of itself": b"\\newcommand{\\a}{\\a\\a}\n\n$$\\a = u$$",
    "macros that double": b"".join(b"\\newcommand{\\m%c}{%s}\n" % (98 + k, (b"\\m%c" % (97 + k)) * 10) for k in range(20))
    + b"\n$$\\mt = u$$",
    "blank lines": b"\n" * 50_000, "a line of scripts": b"a_{k} " * 20_000, "an unknown directive": b"```{nosuch}\n$$u = v$$\n```",
}
"""What stands in a document and is no formula, or not text."""


def judged(path: Path, *pieces: bytes) -> list[dict]:                  # type: ignore[type-arg]
    """The equations of a document: the network, the pieces, a true formula and a false one, which must be judged."""
    path.write_bytes(b"\n\n".join((NETWORK.encode(), *pieces, RIGHT.encode(), WRONG.encode(), b"")))
    (document,) = audit(path).to_json()["documents"]
    first, *middle, right, wrong = document["equations"]
    assert (first["verdict"], right["verdict"], wrong["verdict"]) == (None, "proved", "refuted")
    return middle


@pytest.mark.slow
def test_what_cannot_be_read_is_a_row_with_its_place_and_the_others_are_judged(tmp_path: Path) -> None:
    found = judged(tmp_path / "a.md", *(f"$${latex}$$".encode() for latex in UNREAD.values()))
    assert {name: e["verdict"] for name, e in zip(UNREAD, found, strict=True)} == dict.fromkeys(UNREAD, "unreadable")
    assert [name for name, e in zip(UNREAD, found, strict=True) if not e["reason"].startswith("at character")] == []


SHORT = ("a binomial", "a null byte", "braces", "a tower", "exponentials", "a long range")
"""What the usual run judges, in a text document."""


@pytest.mark.parametrize(("name", "suffix"), [pytest.param(name, suffix, marks=[pytest.mark.slow] * (name not in SHORT or suffix != "txt"))
                                              for name in FORMULAS for suffix in ("txt", "md")])
def test_a_hostile_formula_is_a_row_with_a_reason_and_the_others_are_judged(tmp_path: Path, name: str, suffix: str) -> None:
    (odd,) = judged(tmp_path / f"a.{suffix}", f"$${FORMULAS[name]}$$".encode())
    assert odd["verdict"] == ("unreadable" if name in UNREAD else "undecided") and odd["reason"]


@pytest.mark.parametrize("name", BYTES)
def test_hostile_bytes_spoil_no_formula_beside_them(tmp_path: Path, name: str) -> None:
    assert {e["verdict"] for e in judged(tmp_path / "a.txt", BYTES[name])} <= {None, "unreadable", "undecided"}
