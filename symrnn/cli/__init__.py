"""The command line: each command turns its options into one call of :mod:`symrnn.api` and prints what comes back."""

from symrnn.cli.app import app, main

__all__ = ["app", "main"]
