r"""A leaky unit.

The state :math:`s_t` has size :math:`n`, the input :math:`u_t` has size :math:`m`.

.. math:: s_t = \tanh(A s_{t-1} + B u_t)

.. math::

    p_t = C s_t
"""
import numpy as np


class Unit:
    """Slopes: by the chain rule

    .. math:: \\frac{\\partial s_t}{\\partial s_{t-1}} = \\mathrm{diag}(1 - s_t^2) A

    It costs $5 to print and $6 to bind.
    """

    # One might write, with the matrix first,
    #
    # $$ \frac{\partial s_t}{\partial s_{t-1}} = A \, \mathrm{diag}(1 - s_t^2) $$
    def step(self, u):
        r"""The output gives :math:`\frac{\partial p_t}{\partial s_t} = C`."""
        self.s = np.tanh(self.A @ self.s + self.B @ u)
        return self.C @ self.s
