"""The commands that print one letter or sign."""

from __future__ import annotations

GREEK = frozenset(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho varrho "
    "sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega "
    "ell hbar imath jmath aleph Re Im infty emptyset".split()
)
"""Commands that stand for one letter or sign."""
