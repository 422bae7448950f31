"""The sizes at which emitted code is timed: steps, sequences, inputs, units, classes."""

from __future__ import annotations

from typing import Any, NamedTuple


class Shape(NamedTuple):
    """One size of an Elman network and of its batch."""

    T: int
    B: int
    n_x: int
    n_h: int
    n_y: int

    def numbers(self, kind: Any) -> tuple[list[Any], Any, Any]:
        """The parameters in the order of the model, inputs, and class numbers: the same in every run."""
        import numpy as np

        r = np.random.default_rng(0)
        shapes = [(self.n_h, self.n_h), (self.n_h, self.n_x), (self.n_h,), (self.n_y, self.n_h), (self.n_y,)]
        weights = [(r.standard_normal(s) / np.sqrt(s[-1])).astype(kind) for s in shapes]
        return weights, r.standard_normal((self.T, self.B, self.n_x)).astype(kind), r.integers(self.n_y, size=(self.T, self.B))


SHAPES = (Shape(25, 1, 65, 100, 65), Shape(50, 16, 64, 64, 64), Shape(100, 32, 128, 256, 128), Shape(200, 64, 256, 512, 256),
          Shape(1000, 1, 32, 32, 32))
SMALL = (Shape(3, 2, 2, 3, 4),)
