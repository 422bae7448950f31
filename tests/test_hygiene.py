"""What must not stand in any file of the project: paths of one machine, registry hosts, and text that is not UTF-8."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BINARY = {".png", ".woff2", ".pdf", ".npz"}

MACHINE_PATH = re.compile(r"(?<![\w.~:/-])/(?:home|root|Users|work|tmp|var|opt|mnt|usr/local)/[\w.-]+")
REGISTRY = re.compile(r"\b(?:pypi\.org|pypi\.python\.org|pythonhosted\.org|registry\.npmjs\.org|deb\.debian\.org|index-url)\b")


def tracked() -> list[Path]:
    """Every file of the checkout that git knows, as paths that exist."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    command = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def lines() -> list[tuple[str, str]]:
    """Every line of every tracked text file, with its place."""
    found = []
    for path in tracked():
        if path.suffix not in BINARY and path != Path(__file__).resolve():
            text = path.read_text(encoding="utf-8")
            place = path.relative_to(ROOT).as_posix()
            found += [(f"{place}:{n}", line) for n, line in enumerate(text.splitlines(), 1)]
    return found


def test_no_file_names_a_path_of_one_machine():
    assert [(place, line) for place, line in lines() if MACHINE_PATH.search(line)] == []


def test_no_file_names_the_host_of_a_registry():
    assert [(place, line) for place, line in lines() if REGISTRY.search(line)] == []


@pytest.mark.parametrize(("text", "found"), [
    ("cd /home/me/symrnn", True), ("open('/tmp/x')", True), (r"\partial L/\partial W", False), ("tests/tmp/x", False),
    ("/usr/bin/env python3", False), ("https://x.org/home/page", False),
])
def test_the_pattern_of_machine_paths_finds_them_and_no_formula(text, found):
    assert bool(MACHINE_PATH.search(text)) is found


def test_tests_are_no_package():
    """latex2sympy2 installs a package called `tests`; with an __init__.py here one of the two would hide the other."""
    assert not (ROOT / "tests" / "__init__.py").exists()


def test_every_text_file_ends_in_one_newline():
    texts = {path: path.read_bytes() for path in tracked() if path.suffix in {".py", ".md", ".toml", ".json"}}
    assert len(texts) > 20
    bad = [path.name for path, text in texts.items() if text and (not text.endswith(b"\n") or text.endswith(b"\n\n"))]
    assert bad == []


def test_every_module_says_its_purpose_in_its_first_line():
    sources = {path: path.read_text(encoding="utf-8") for path in tracked() if path.suffix == ".py"}
    assert len(sources) > 20
    assert [path.name for path, text in sources.items() if text and not re.match(r'(#.*\n)*r?"""\S', text)] == []


def test_every_property_test_draws_the_same_examples_on_every_run_unless_told_otherwise():
    settings = re.compile(r"@settings\(|import .*\bsettings$")
    own = [place for place, line in lines() if place.startswith("tests/") and settings.search(line)]
    assert {place.partition(":")[0] for place in own} == {"tests/tools/fuzzing.py"}, "use fuzz(examples)"
