"""Run an emitted module inside this process, to compare it with other ways to the same values."""
from __future__ import annotations

from types import ModuleType


def load(source: str, name: str = "emitted") -> ModuleType:
    """The module made from ``source``, which must come from :func:`symrnn.emit.emit` (it is executed)."""
    module = ModuleType(name)
    module.__dict__["__file__"] = f"<{name}>"
    exec(compile(source, f"<{name}>", "exec"), module.__dict__)
    return module
