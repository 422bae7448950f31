r"""Inequalities between norms: what elementary rules prove, what a small network refutes, what may be a condition only."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from symrnn.api import audit
from symrnn.claims import check_claim
from symrnn.magnitudes.enclosed import matrix_norm, spectral_radius

SIZES = {"W": "n x n", "U": "n x m", "h_t": "n", "x_t": "m"}
PLAIN = {"A": "n x n", "B": "n x n", "x": "n", "y": "n"}
NETWORKS: Mapping[str, tuple[Sequence[str], Mapping[str, str]]] = {
    "tanh": ((r"a_t = W h_{t-1} + U x_t + b", r"h_t = \tanh(a_t)"), SIZES),
    "linear": ((r"h_t = W h_{t-1} + U x_t",), SIZES),
    "sigmoid": ((r"h_t = \sigma(W h_{t-1} + U x_t + b)",), {**SIZES, r"\sigma": "function sigmoid"}),
    "none": ((), PLAIN),
}
STEP, MANY, LAST = (rf"\frac{{\partial h_{a}}}{{\partial h_{b}}}" for a, b in (("t", "{t-1}"), ("t", "k"), ("T", "k")))


def verdict(network: str, claim: str) -> str | None:
    given, shapes = NETWORKS[network]
    return check_claim(claim, given=given, shapes=shapes).verdict


@pytest.mark.parametrize(("network", "claim"), [
    ("tanh", rf"\|{STEP}\| \le \|W\|"), ("tanh", rf"\|{STEP}\|_2 \le \|W\|_2"), ("tanh", rf"\|{STEP}\|_F \le \|W\|_F"),
    ("tanh", rf"\|{STEP}\| \le \|\mathrm{{diag}}(1 - h_t^2)\| \|W^\top\|"), ("tanh", rf"\|{MANY}\| \le \|W\|^{{t-k}}"),
    ("tanh", rf"\|{MANY}\| \le \prod_{{j=k+1}}^t \left\|\frac{{\partial h_j}}{{\partial h_{{j-1}}}}\right\|"),
    ("tanh", rf"\|{MANY}\| \le \prod_{{j=k+1}}^t \|\mathrm{{diag}}(1 - h_j^2)\| \|W\|"),
    ("tanh", r"\left\|\prod_{j=k+1}^t \frac{\partial h_j}{\partial h_{j-1}}\right\| \le \|W\|^{t-k}"),
    ("tanh", rf"\|W\| < 1 \Rightarrow {MANY} \to 0"), ("tanh", r"\|h_t\| \le \|W\| \|h_{t-1}\| + \|U\| \|x_t\| + \|b\|"),
    ("sigmoid", rf"\|{STEP}\| \le \frac14 \|W\|"), ("sigmoid", rf"\|{STEP}\| \le \frac{{\|W\|}}{{4}}"),
    ("sigmoid", rf"\|W\| < 4 \Rightarrow \|{LAST}\| \to 0"), ("linear", rf"\rho(W) < 1 \Rightarrow \|{LAST}\| \to 0"),
    ("linear", rf"\rho(W) > 1 \Rightarrow \|{LAST}\| \to \infty"), ("linear", rf"\|{MANY}\| = \|W^{{t-k}}\|"),
    ("none", r"\|A B\| \le \|A\| \|B\|"), ("none", r"\|A + B\| \le \|A\| + \|B\|"), ("none", r"\rho(A) \le \|A\|"),
    ("none", r"\|A\|_2 \le \|A\|_F"), ("none", r"\|A x\| \le \|A\| \|x\|"), ("none", r"\|A^\top\| = \|A\|"),
    ("none", r"\sigma_{\max}(A) \le \|A\|_F"), ("none", r"\|A\|_2 = \sigma_{\max}(A)"), ("none", r"\|A\| < 1 \Rightarrow \rho(A) < 1"),
    ("none", r"\rho(A) < 1 \Rightarrow \|A^k\| \to 0"), ("none", r"\|A x - A y\| \le \|A\| \|x - y\|")])
def test_what_elementary_rules_give_is_proved(network: str, claim: str) -> None:
    assert verdict(network, claim) == "proved"


@pytest.mark.parametrize(("network", "claim"), [
    ("tanh", rf"\|{STEP}\| \le \|\mathrm{{diag}}(1 - h_{{t-1}}^2)\| \|W\|"), ("tanh", rf"\|{STEP}\| \le \|U\|"),
    ("tanh", rf"\|{STEP}\| < \|W\|"), ("tanh", rf"\|{STEP}\| \ge \|W\|"), ("tanh", rf"\|{MANY}\| \le \|W\|^{{t-k-1}}"),
    ("tanh", rf"\rho(W) > 1 \Rightarrow \|{LAST}\| \to \infty"), ("tanh", rf"\|W\| > 1 \Rightarrow \|{LAST}\| \to \infty"),
    ("tanh", rf"\|W\| \le 1 \Rightarrow \|{LAST}\| \to 0"), ("tanh", r"\|h_t\| \le \|W\| \|h_{t-1}\| + \|U\| \|x_t\|"),
    ("sigmoid", rf"\|{STEP}\| \le \frac15 \|W\|"), ("linear", rf"\rho(W) < 1 \Rightarrow \|{STEP}\| < 1"),
    ("linear", rf"\|{MANY}\| \le \rho(W)^{{t-k}}"), ("linear", rf"\|W\| > 1 \Rightarrow \|{LAST}\| \to \infty"),
    ("none", r"\|A B\| = \|A\| \|B\|"), ("none", r"\|A + B\| = \|A\| + \|B\|"), ("none", r"\|A\| \le \rho(A)"),
    ("none", r"\|A\|_F \le \rho(A)"), ("none", r"\rho(A B) \le \rho(A) \rho(B)"), ("none", r"\rho(A) = \lambda_{\max}(A)"),
    ("none", r"\|A x\| \le \rho(A) \|x\|"), ("none", r"\rho(A) < 1 \Rightarrow \|A\| < 1"),
    ("none", r"\rho(A) < 1 \Rightarrow \|A\|^k \to 0")])
def test_what_a_small_network_shows_to_be_false_is_refuted(network: str, claim: str) -> None:
    assert verdict(network, claim) == "refuted"


@pytest.mark.parametrize(("network", "claim"), [
    ("none", r"\rho(A) < 1"), ("none", r"\|A\| \le C"), ("none", r"\|A\|_F \le \|A\|_2"),
    ("none", r"\|A\| \le \|B\|"), ("none", r"\|A x - A y\| < \|x - y\|"),
    ("tanh", rf"\|{STEP}\| \le \gamma"), ("tanh", r"\|W\| < 1"), ("linear", rf"\|{MANY}\| \ge \rho(W)^{{t-k}}"),
    ("tanh", rf"\rho(W) < 1 \Rightarrow \|{LAST}\| \to 0")])
def test_what_may_be_a_condition_or_has_no_rule_is_left_open(network: str, claim: str) -> None:
    assert verdict(network, claim) == "undecided"


def test_a_norm_without_a_name_is_named_in_the_proof() -> None:
    checked = check_claim(r"\|A B\| \le \|A\| \|B\|", shapes=PLAIN)
    assert any("Euclidean" in c for c in checked.equation.relations[0].verdict.conditions)


def test_a_sentence_that_only_supposes_a_bound_claims_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text(r"Let $h_t = \tanh(W h_{t-1} + U x_t)$. Assume that" "\n\n" rf"$$ \left\| {STEP} \right\| \le \|U\|. $$" "\n",
                    encoding="utf-8")
    (document,) = audit(path, timeout=60).to_json()["documents"]
    assert {e["verdict"] for e in document["equations"]} <= {None, "undecided"}


@pytest.mark.parametrize("entries", list(product((-2, 0, 1, 3), repeat=4))[::5])
def test_enclosed_norms_and_radii_are_those_of_numpy(entries: tuple[int, ...]) -> None:
    a = np.array(entries, dtype=float).reshape(2, 2)
    rows = [[(Fraction(x), Fraction(x)) for x in line] for line in np.array(entries).reshape(2, 2).tolist()]
    for kind, order in (("2", 2), ("F", "fro"), ("1", 1), ("infty", np.inf)):
        low, high = matrix_norm(rows, kind)
        assert float(low) == pytest.approx(np.linalg.norm(a, order)) and high - low < Fraction(1, 10**20)
    assert float(spectral_radius(rows)[0]) == pytest.approx(max(abs(np.linalg.eigvals(a))))
