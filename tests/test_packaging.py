"""What the wheel carries and asks for, read from the build backend without building."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
if not (ROOT / "pyproject.toml").exists():
    pytest.skip("not a checkout", allow_module_level=True)

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def wheel_files() -> set[str]:
    """The paths inside the wheel, apart from its metadata."""
    from hatchling.builders.wheel import WheelBuilder

    return {Path(file.distribution_path).as_posix() for file in WheelBuilder(str(ROOT)).recurse_included_files()}


def test_the_wheel_carries_the_package_and_nothing_else(wheel_files):
    assert {path.split("/")[0] for path in wheel_files} == {"symrnn"}


def test_the_wheel_carries_every_module_and_all_data(wheel_files):
    source = {p.relative_to(ROOT).as_posix() for p in (ROOT / "symrnn").rglob("*") if p.suffix in {".py", ".json", ".md", ".j2"}}
    assert source <= wheel_files
    assert {"symrnn/py.typed", "symrnn/schema/audit.json", "symrnn/zoo/__init__.py"} <= wheel_files


def test_the_wheel_carries_no_caches(wheel_files):
    assert [path for path in wheel_files if "__pycache__" in path or path.endswith(".pyc")] == []


def test_the_version_of_the_metadata_is_the_version_of_the_package():
    from hatchling.metadata.core import ProjectMetadata
    from hatchling.plugin.manager import PluginManager

    import symrnn

    metadata = ProjectMetadata(str(ROOT), PluginManager())
    assert metadata.version == symrnn.__version__


def test_the_command_is_the_main_function():
    from symrnn.cli import main

    assert PROJECT["scripts"] == {"symrnn": f"{main.__module__.rpartition('.')[0]}:{main.__name__}"}


def test_the_dependencies_are_declared():
    names = {text.split("=")[0].split(">")[0].strip() for text in PROJECT["dependencies"]}
    assert {"sympy", "numpy", "pytest", "latex2sympy2"} <= names
    assert PROJECT["requires-python"] == ">=3.11"


def test_the_readme_shows_the_two_commands_and_their_forms_without_make():
    screen = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:24]
    starts = ("make report", "make test", "python3 -m venv")
    commands = [line for line in screen if line.startswith(starts)]
    assert [line.split(" #")[0].rstrip() for line in commands[:2]] == ["make report", "make test"]
    assert [line.rpartition("&&")[2].strip() for line in commands[2:]] == [
        ".venv/bin/python -m symrnn report", ".venv/bin/python -m pytest -q",
    ]
