"""Imports point down only, and each heavy or fragile library is imported where it belongs."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

import symrnn

ROOT = Path(symrnn.__file__).parent

LAYERS = (
    ("displayed", "errors", "limits", "naming", "spoken"),
    ("codes", "zoo", "expr", "scalars"),
    ("model", "read"),
    ("calculus", "labels", "unroll", "needs", "lastloss"),
    ("layers",),
    ("bptt", "component_rows"),
    ("components", "cost", "truncated"),
    ("points",),
    ("prove", "write", "emit"),
    ("repair",),
    ("direct", "magnitudes"),
    ("coded", "correspondence", "equivalence"),
    ("conditions", "factors", "givenshapes", "implied", "instances", "losses", "rankclaims", "rules", "shapeclaims", "stationary",
     "telescopes", "vectorised"),
    ("gates", "progressions"),
    ("setting", "laid"),
    ("considered", "conventions"),
    ("rivals",),
    ("understood",),
    ("document", "contributions"),
    ("compiling",),
    ("reconciled", "roles", "unclear", "claimforms", "doubts", "phrases"),
    ("corrections", "proposed", "readings", "recursions"),
    ("judge",),
    ("told", "listings", "causes", "alternatives"),
    ("audit",),
    ("claims",),
    ("claimfiles",),
    ("standalone",),
    ("certificates",),
    ("certifying",),
    ("pictures",),
    ("notebook", "report"),
    ("api",),
    ("cli",),
    ("__main__",),
)
"""The parts of the package from the bottom up. A part may import itself and parts of lower rows."""

FORBIDDEN = {
    "components": {"calculus", "bptt"},
    "points": {"calculus", "bptt"},
    "prove": {"read"},
    "repair": {"read"},
    "cli": {name for row in LAYERS[:-2] for name in row} - {"api", "codes", "errors", "zoo"},
}
"""Lower parts that a part must not import all the same."""

ONLY_IN = {
    "latex2sympy2": {"read/l2s.py"},
    "gen": {"read/l2s.py"},
    "antlr4": {"read/l2s.py"},
    "markdown_it": {"report/prose.py"},
    "math_core": {"report/mathml.py"},
    "typst": {"report/typst.py"},
}
"""Libraries that one file alone may import."""


def modules() -> list[Path]:
    return sorted(path.relative_to(ROOT) for path in ROOT.rglob("*.py"))


def part(path: Path) -> str:
    return path.parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """The absolute names of all modules that a file imports, anywhere in it and for whatever purpose."""
    return imports_in(ROOT, path)


@cache
def imports_in(root: Path, path: Path) -> set[str]:
    package = ["symrnn", *path.parts[:-1]]
    found: set[str] = set()
    for node in ast.walk(ast.parse((root / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            name = ".".join([*base, *([node.module] if node.module else [])])
            found.update(f"{name}.{alias.name}" for alias in node.names)
    return found


def own_parts(path: Path) -> set[str]:
    """The parts of symrnn that a file imports."""
    names = (name.split(".") for name in imports(path))
    return {name[1] for name in names if name[0] == "symrnn" and len(name) > 1} - {"__version__"}


def allowed(name: str) -> set[str]:
    row = next(n for n, names in enumerate(LAYERS) if name in names)
    return {name}.union(*LAYERS[:row]) - FORBIDDEN.get(name, set())


def test_every_part_of_the_package_has_its_layer():
    assert {part(path) for path in modules()} - {"__init__"} <= {name for row in LAYERS for name in row}


@pytest.mark.parametrize("path", modules(), ids=str)
def test_imports_point_down(path):
    if path == Path("__init__.py"):
        assert own_parts(path) == set(), "the package itself imports its parts on first use only"
    else:
        assert own_parts(path) - allowed(part(path)) == set()


def test_a_fragile_library_is_imported_in_one_file_only():
    found = {(name.split(".")[0], path.as_posix()) for path in modules() for name in imports(path)}
    assert {(name, path) for name, path in found if name in ONLY_IN and path not in ONLY_IN[name]} == set()


def test_the_reading_of_imports_sees_relative_and_local_ones(tmp_path, monkeypatch):
    (tmp_path / "read").mkdir()
    (tmp_path / "read" / "x.py").write_text("def f():\n    from ..prove import claim\n    import gen.PS as p\n")
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    assert own_parts(Path("read/x.py")) == {"prove"}
    assert "gen.PS" in imports(Path("read/x.py"))
