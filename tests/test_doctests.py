"""The examples in the docstrings of the package hold."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import symrnn

MODULES = sorted(m.name for m in pkgutil.walk_packages(symrnn.__path__, "symrnn.") if not m.name.endswith("__main__"))
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_hold(name):
    failed, tried = doctest.testmod(import_module(name), optionflags=FLAGS)
    assert failed == 0, f"{failed} of {tried} examples failed"
