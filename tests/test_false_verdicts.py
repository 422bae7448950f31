"""Verdicts that were once false: each test is a claim whose truth was decided by hand."""
from __future__ import annotations

from pathlib import Path

import pytest

import symrnn
from symrnn.audit import audit_document

SCALARS = {"u": "scalar", "v": "scalar"}
VECTORS = {"b": "vector n", "i": "index", "k": "index"}
RECURRENT = r"$$ h_t = w h_{t-1} + x_t, \qquad \ell_t = (h_t - y_t)^2, \qquad L = \sum_{t=1}^{T} \ell_t $$"
HEAD = """---
symrnn:
  symbols: {h: "scalar, sequence", x: "scalar, sequence", g: "scalar, sequence", y: "scalar, sequence", w: scalar, v: scalar}
  targets: [y]
  loss: \\ell_t
  total: L
---
"""


def verdict(claim: str, **more: object) -> str | None:
    return symrnn.check(claim, **more).verdict                       # type: ignore[no-any-return]


def words(folder: Path, *formulas: str, head: str = HEAD) -> list[str | None]:
    """The verdicts of the equations of a document, one span each."""
    path = folder / "text.md"
    path.write_text(head + "\n" + "\n\n".join(f if f.startswith(("$$", "```")) else f"$$ {f} $$" for f in formulas))
    return [e.verdict for e in audit_document(path).equations]


# ------------------------------------------------------------------------------------------------------------------ derivatives
def test_what_one_reading_of_a_derivative_leaves_open_is_not_refuted_by_the_other(tmp_path: Path) -> None:
    assert words(tmp_path, RECURRENT, r"\frac{\partial L}{\partial w} = \sum_t \frac{\partial \ell_t}{\partial w}")[-1] == "agrees"


def test_a_number_that_is_a_parameter_has_an_immediate_derivative_too(tmp_path: Path) -> None:
    found = words(tmp_path, RECURRENT, r"\frac{\partial h_t}{\partial w} = h_{t-1}", r"\frac{\partial h_t}{\partial w} = h_t")
    assert found[-2:] == ["conditional", "refuted"]


def test_beside_a_partial_derivative_the_other_sign_means_the_total_one(tmp_path: Path) -> None:
    found = words(tmp_path, RECURRENT, r"\frac{\partial L}{\partial w} = \sum_t \frac{\partial L}{\partial h_t} \frac{d h_t}{d w}")
    assert found[-1] == "refuted"


# ------------------------------------------------------------------------------------------------------------- nothing is claimed
@pytest.mark.parametrize(("claim", "assume"), [
    (r"b_i = 7", ["b = 0", r"\sum_i b_i = 1"]), (r"b_i = b_k", ["i = k", r"i \ne k"])])
def test_conditions_that_contradict_each_other_prove_nothing(claim: str, assume: list[str]) -> None:
    assert verdict(claim, shapes=VECTORS, assume=assume) == "undecided"


@pytest.mark.parametrize("claim", [
    r"\frac{0}{0} = 1", r"\frac{u}{0} = \frac{u}{0}", r"\frac{u-u}{u-u} = 1", r"\log(u-u) = 1", r"\log(-1) = \log(-1)",
    r"\log(0) = 1", r"\frac{1}{0} = \frac{1}{0}"])
def test_what_is_defined_nowhere_is_undecided(claim: str) -> None:
    assert verdict(claim, shapes=SCALARS) == "undecided"


def test_a_correction_that_loses_its_place_is_given_up() -> None:
    assert verdict(r"f'(u) = f(u)(1 - f(u))", shapes={"u": "scalar", "f": "function"}) == "refuted"
