"""Inverses and exponentials of matrices: values, proofs where the inverses exist, and what must not be proved."""
from __future__ import annotations

import numpy as np
import pytest

import symrnn
from symrnn.expr import inverse_at
from symrnn.model import Model, param
from symrnn.prove.claim import Claim
from symrnn.prove.evaluate import Point
from symrnn.prove.reals import Rationals

CONTEXT = {"shapes": {"A": "n x n", "D": "n x n", "B": "n x m", "W": "n x m", "v": "n", r"\Delta": "scalar", r"\beta": "scalar",
                      "H": "T x N", "Y": "q x T", "C": "q x N"}}
EXACT = r"A^{-1} (\exp(\Delta A) - I) B"


def verdict(claim: str) -> str:
    return symrnn.check(claim, **CONTEXT).verdict


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_inverse_by_products_is_the_inverse(n):
    rows = [[(3 * i + 5 * j * j + i * j) % 7 + (4 if i == j else 0) for j in range(n)] for i in range(n)]
    A = param("A", "n", "n")
    point = Point(Model.build("none", []), Rationals({}), {"n": n}, 1, lambda *_: rows)
    product = np.array(point.value(inverse_at(A, n)), dtype=float) @ np.array(rows, dtype=float)
    assert np.allclose(product, np.eye(n))


@pytest.mark.parametrize("claim", [
    r"A^{-1} A = I", r"A A^{-1} B = B", r"(A D)^{-1} = D^{-1} A^{-1}", r"(A^\top)^{-1} = (A^{-1})^\top", r"(A^{-1})^{-1} = A",
    r"(2 A)^{-1} = \frac{1}{2} A^{-1}", rf"(\Delta A)^{{-1}} (\exp(\Delta A) - I) \Delta B = {EXACT}",
])
def test_identities_of_inverses_are_proved_where_these_exist(claim):
    found = symrnn.check(claim, **CONTEXT).equation.relations[0].verdict
    assert (found.word, found.scope.sizes) == ("proved", "all")
    assert "is invertible" in (found.domain or "")


@pytest.mark.parametrize("claim", [
    r"A^{-1} B = B", r"A^{-1} A = A", r"(A D)^{-1} = A^{-1} D^{-1}", r"(2 A)^{-1} = 2 A^{-1}", r"(A + D)^{-1} = A^{-1} + D^{-1}",
    r"A^{-1} A^{-1} = A^{-1}", r"W^{-1} W = I", rf"(\Delta A)^{{-1}} (\exp(\Delta A) - I) B = {EXACT}", r"\exp(A) = A",
    r"C = (H^\top H + \beta I)^{-1} H^\top Y^\top", r"C = Y H^\top (H H^\top + \beta I)^{-1}",
])
def test_false_and_ill_shaped_formulas_with_inverses_are_refuted(claim):
    assert verdict(claim) == "refuted"


@pytest.mark.parametrize("claim", [r"\exp(A) \exp(D) = \exp(D) \exp(A)", r"\exp(A) \exp(-A) = I", r"(v v^\top)^{-1} (v v^\top) = I"])
def test_what_the_rules_do_not_reach_or_what_exists_nowhere_is_left_open(claim):
    assert verdict(claim) == "undecided"


def test_the_exponential_of_a_product_of_data_may_be_meant_entry_by_entry():
    assert "may be the function of the matrix or of its entries" in (symrnn.check(r"\exp(A D) = A", **CONTEXT).equation.reason or "")


def test_a_claim_record_keeps_its_inverse_as_it_is_printed():
    A = param("A", "n", "n")
    assert str(Claim(A, symrnn.expr.node("inv", A), Model.build("none", [])).right) == "A^(-1)"
