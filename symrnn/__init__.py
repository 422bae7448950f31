"""symrnn derives, proves, judges and compiles the mathematics of recurrent networks.

The public names are found on first use, so that ``import symrnn`` loads nothing but this file: SymPy, NumPy and pytest
come with the first name that needs them.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

__version__ = "0.1.0"

_PUBLIC = {
    "Model": "symrnn.model",
    "Place": "symrnn.errors",
    "SymrnnError": "symrnn.errors",
    "audit": "symrnn.api",
    "check": "symrnn.api",
    "compare": "symrnn.api",
    "model": "symrnn.api",
    "stack": "symrnn.api",
}
"""Public name -> the module that has it. A function may be called as its module is; `symrnn.NAME` is the function."""

__all__ = ["Model", "Place", "SymrnnError", "__version__", "audit", "check", "compare", "model", "stack"]  # noqa: F822 (found on first use)


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'symrnn' has no attribute {name!r}; its public names are {', '.join(__all__)}")
    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Package(ModuleType):
    """This package; importing the module `symrnn.model` must not hide the function of that name."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _PUBLIC and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
