"""Scalar identities are decided exactly, true ones and false ones."""

from __future__ import annotations

import pytest
import sympy
from ids import stable
from sympy import Rational, cos, cosh, coth, exp, log, sech, sin, sinh, sqrt, tanh

from symrnn.prove.lemmas import scalar_lemma

x = sympy.Symbol("x", real=True)


def sigma(u):
    return 1 / (1 + exp(-u))


TRUE = [
    (tanh(x), (exp(x) - exp(-x)) / (exp(x) + exp(-x))),
    (tanh(x), (1 - exp(-2 * x)) / (1 + exp(-2 * x))),
    (tanh(x), (exp(2 * x) - 1) / (exp(2 * x) + 1)),
    (tanh(x), 2 * sigma(2 * x) - 1),
    (sigma(x), (tanh(x / 2) + 1) / 2),
    (4 * sigma(x) - 2, 2 * tanh(x / 2)),
    (sigma(x), exp(x) / (1 + exp(x))),
    (sigma(-x), 1 - sigma(x)),
    (1 - tanh(x) ** 2, sech(x) ** 2),
    (1 - tanh(x) ** 2, 4 / (exp(x) + exp(-x)) ** 2),
    (sigma(x).diff(x), sigma(x) * (1 - sigma(x))),
    (tanh(x).diff(x), 1 - tanh(x) ** 2),
    (log(1 + exp(x)).diff(x), sigma(x)),
    ((x * sigma(x)).diff(x), sigma(x) + x * sigma(x) * (1 - sigma(x))),
    (cosh(x) ** 2 - sinh(x) ** 2, 1),
    (sin(x) ** 2 + cos(x) ** 2, 1),
    (sin(2 * x), 2 * sin(x) * cos(x)),
    (log(1 + exp(x)) - log(1 + exp(-x)), x),
    (log(1 + exp(x)) - log(2), log((1 + exp(x)) / 2)),
    ((x**2 - 1) / (x - 1), x + 1),
    (tanh(x + x), 2 * tanh(x) / (1 + tanh(x) ** 2)),
]

FALSE = [
    (tanh(x), sigma(x)),
    (tanh(x), sigma(2 * x)),
    (tanh(x), (exp(x) + exp(-x)) / (exp(x) - exp(-x))),
    (1 - tanh(x) ** 2, sech(x)),
    (sigma(x).diff(x), sigma(x) * (1 + sigma(x))),
    (sigma(-x), sigma(x) - 1),
    (log(1 + exp(x)), log(1 + exp(-x))),
    (tanh(x), Rational(1001, 1000) * tanh(x)),
    (sin(x) ** 2 - cos(x) ** 2, 1),
    (coth(x), tanh(x)),
    (exp(sqrt(2) * x), exp(x)),
]


@pytest.mark.parametrize(("left", "right"), TRUE, ids=stable)
def test_a_true_identity_is_proved(left, right):
    assert scalar_lemma(left, right) is True and scalar_lemma(right, left) is True


@pytest.mark.parametrize(("left", "right"), FALSE, ids=stable)
def test_a_false_identity_is_refuted(left, right):
    assert scalar_lemma(left, right) is False


@pytest.mark.parametrize(("left", "right"), [
    (sympy.asin(x) + sympy.acos(x), sympy.pi / 2),
    (x + sympy.Symbol("z"), sympy.Symbol("z") + x),
], ids=stable)
def test_what_lies_outside_is_left_open(left, right):
    assert scalar_lemma(left, right) is None


def test_a_constant_that_differs_between_two_branches_is_not_proved_by_the_derivative():
    assert scalar_lemma(log(x**2), 2 * log(x)) is not True
    assert scalar_lemma(log(1 / (x + 2)) + log(x + 2), 0) is not True


def test_all_identities_are_proved_one_after_the_other():
    assert all(scalar_lemma(a, b) for a, b in TRUE)
