r"""Limits: what is too large or takes too long is undecided or unreadable, and everything beside it is judged all the same."""
from __future__ import annotations

import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

import symrnn.document as documents
import symrnn.judge as judging
from symrnn.api import audit
from symrnn.audit import Auditor
from symrnn.limits import TimeIsUp, limited
from symrnn.read.document import parse_document
from symrnn.read.reader import read
from symrnn.read.symbols import SymbolTable

pytestmark = pytest.mark.slow

NETWORK = r"$$h_t = \tanh(W h_{t-1} + U x_t + b)$$"
RIGHT = r"$$\frac{\partial h_t}{\partial h_{t-1}} = \mathrm{diag}(1 - h_t^2) W$$"
WRONG = r"$$\frac{\partial h_t}{\partial h_{t-1}} = 2 \, \mathrm{diag}(1 - h_t^2) W$$"
ODD = {
    "binomial": rb"$$u = \binom{10^8}{5\cdot10^7}$$",
    "tower": b"$$9^{9^{9^9}} = 1$$",
    "powers of powers": b"$$" + b"(" * 30 + b"9" + b"^{12})" * 30 + b" = 1$$",
    "summands": ("$$u = " + " + ".join(f"a_{{{k}}}" for k in range(1, 801)) + "$$").encode(),
    "braces": b"$$u = " + b"{" * 10_000 + b"v" + b"}" * 10_000 + b"$$",
    "open braces": b"$$u = " + b"{" * 10_000 + b"v$$",
    "brackets": b"$$u = " + b"(" * 10_000 + b"v" + b")" * 10_000 + b"$$",
    "null byte": b"$$u = \x00 v$$",
    "Latin-1": b"Gr\xf6\xdfe: $$u = \xe4 v$$",
}


@pytest.mark.parametrize("suffix", ["txt", pytest.param("md", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ODD)
def test_the_equations_beside_an_odd_one_are_judged(tmp_path: Path, name: str, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(b"\n\n".join((NETWORK.encode(), ODD[name], RIGHT.encode(), WRONG.encode(), b"")))
    (document,) = audit(path).to_json()["documents"]
    _, odd, right, wrong = (e["verdict"] for e in document["equations"])
    assert odd in ("undecided", "unreadable", "refuted", None) and (right, wrong) == ("proved", "refuted")


def test_a_claim_that_takes_too_long_is_undecided_and_the_next_one_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    decide, seen = judging.decide, []

    def endless(claim):                                               # type: ignore[no-untyped-def]
        seen.append(claim)
        while len(seen) == 1:
            try:
                time.sleep(0.01)
            except Exception:                                         # the end of the time is no ordinary error
                continue
        return decide(claim)
    monkeypatch.setattr(judging, "decide", endless)
    auditor = Auditor(parse_document(f"{NETWORK}\n\n{WRONG}\n\n{RIGHT}\n", "a.md"), 0.3)
    assert [e.verdict for e in auditor.run()] == [None, "undecided", "proved"]


def test_a_formula_that_takes_too_long_to_read_is_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(latex, table):                                           # type: ignore[no-untyped-def]
        while "2" in latex and "," in latex:
            time.sleep(0.01)
        return read(latex, table)
    monkeypatch.setattr(documents, "read", slow)
    monkeypatch.setattr(documents, "READING", 0.1)
    auditor = Auditor(parse_document(f"{NETWORK}\n\n{WRONG}\n\n{RIGHT}\n", "a.md"), 0.3)
    assert [e.verdict for e in auditor.run()] == [None, "unreadable", "proved"]


def test_memory_is_limited_and_given_back() -> None:
    with pytest.raises(MemoryError), limited(None, 200 * 2**20):
        bytearray(2**30)
    assert len(bytearray(2**28)) == 2**28


def test_limits_inside_each_other_end_with_the_inner_one() -> None:
    with pytest.raises(TimeIsUp), limited(0.05):
        while True:
            pass
    time.sleep(0.1)


def test_a_formula_is_read_once_with_one_table() -> None:
    table = SymbolTable.from_mapping({"symbols": {"h": "vector, sequence"}})
    assert read("h_t = h_t", table) is read("h_t = h_t", table)
    assert read("h_t = h_t", table) is not read("h_t = h_t", table.rebound({"h": "scalar"}))


def test_the_same_claim_in_another_scope_is_judged_anew(tmp_path: Path) -> None:
    again = "# Another network\n\n" r"$$h_t = W h_{t-1} + U x_t$$"
    auditor = Auditor(parse_document("\n\n".join((NETWORK, RIGHT, RIGHT, again, RIGHT, "")), "a.md"))
    assert [e.verdict for e in auditor.run()] == [None, "proved", "proved", None, "refuted"]


MANY = pytest.mark.parametrize("piece", ["the $h_t$ is ", f"{WRONG}\n\n", f"```{{audit}}\n:expect: proved\n{RIGHT}\n```\n\n"],
                               ids=["inline", "refuted", "directives"])


def judged(piece: str, count: int) -> int:
    """The number of formulas that are found beside the network."""
    return len(Auditor(parse_document(f"{NETWORK}\n\n{piece * count}\n", "a.md")).run()) - 1


def calls_of(run: Callable[[], object]) -> int:
    """How many functions are called, whatever the machine."""
    seen = count()
    sys.setprofile(lambda *_: next(seen))
    try:
        run()
    finally:
        sys.setprofile(None)
    return next(seen)


@MANY
def test_the_work_for_many_formulas_grows_with_their_number_and_not_faster(piece: str) -> None:
    judged(piece, 50)                                                     # what is done once only
    few, more, most = (calls_of(lambda n=n: judged(piece, n)) for n in (50, 100, 200))
    assert most - more <= 2.05 * (more - few)


@MANY
def test_thousands_of_formulas_are_judged(piece: str, no_hang: None) -> None:
    assert judged(piece, 3_000) == 3_000
