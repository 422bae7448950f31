"""Times symrnn against SymPy on the same network, side by side in one run."""
