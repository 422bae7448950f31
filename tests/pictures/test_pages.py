"""The page on pictures, the command and the directive: what they draw is what the page shows."""
from __future__ import annotations

import re
from pathlib import Path

import pytest

from symrnn import api
from symrnn.cli.picture import KINDS as CHOICES
from symrnn.pictures import KINDS
from symrnn.report import regenerate

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "pictures"
TEXT = "# A state\n\n$$ h_t = \\tanh(W h_{t-1} + x_t) $$\n\n"


def shows(folder: Path, page: str) -> list[str]:
    return re.findall(r"!\[[^]]*\]\(pictures/([^)]*)\)", (folder / page).read_text(encoding="utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_pictures_of_the_page_are_those_drawn(kind):
    text = api.picture("elman", kind, data=ROOT / "bench" / "cost.json")
    assert (FOLDER / f"elman-{kind}.svg").read_text(encoding="utf-8") == text, \
        f"symrnn picture elman --kind {kind} --output docs/pictures/elman-{kind}.svg"


def test_the_page_shows_every_picture_and_lists_every_kind_with_its_steps():
    assert sorted(shows(ROOT / "docs", "pictures.md")) == sorted(p.name for p in FOLDER.iterdir())
    table = re.findall(r"^\| `([\w-]+)` \| (.*?) \| (.*?) \|$", (ROOT / "docs" / "pictures.md").read_text(encoding="utf-8"), re.M)
    said = {name: (f"{k.steps[1]} to {k.steps[2]}, {k.steps[0]} if left out" if k.steps else "none", k.shows) for name, k in KINDS.items()}
    assert {name: (steps, what) for name, steps, what in table} == said and tuple(KINDS) == CHOICES


def test_the_command_writes_what_the_function_returns(symrnn_command, tmp_path):
    target = tmp_path / "a.svg"
    done = symrnn_command("picture", "elman", "--kind", "folded", "-o", str(target))
    assert done.exit_code == 0 and target.read_text(encoding="utf-8") == api.picture("elman", "folded")
    assert symrnn_command("picture", "elman", "--kind", "folded").stdout == api.picture("elman", "folded")


def test_a_picture_that_cannot_be_drawn_is_wrong_usage(symrnn_command):
    done = symrnn_command("picture", "elman", "--steps", "9")
    assert done.exit_code == 2 and "from 1 to 8" in done.stderr and done.stdout == ""


def test_a_file_without_measurements_is_named(symrnn_command, tmp_path):
    missing = symrnn_command("picture", "elman", "--kind", "cost", "--data", str(tmp_path / "none.json"))
    assert missing.exit_code == 2 and "none.json" in missing.stderr


def test_a_notebook_shows_what_the_function_returns():
    drawn = api.picture("elman", "folded")
    assert drawn._repr_svg_() == str(drawn) and drawn.startswith("<svg")


def test_the_directive_draws_the_model_of_its_scope_beside_the_page(tmp_path):
    path = tmp_path / "a.md"
    path.write_text(TEXT + "```{picture} gradient-norm\n:steps: 5\n```\n\n```{picture}\n```\n\n```{picture} folded\n```\n")
    regenerate([path], tmp_path / "out")
    names = shows(tmp_path / "out", "a.md")
    assert names == ["a-gradient-norm.svg", "a-unrolled.svg", "a-folded.svg"]
    assert all((tmp_path / "out" / "pictures" / name).read_text(encoding="utf-8").startswith("<svg") for name in names)


@pytest.mark.parametrize(("directive", "says"), [("gradient-nrm", "Did you mean gradient-norm?"), ("folded\n:steps: 3", "for any number"),
                                                 ("unrolled\n:steps: many", "be a number of steps"), ("step-size", "with a loss")])
def test_a_directive_that_cannot_be_carried_out_is_named_with_its_place(symrnn_command, tmp_path, directive, says):
    path = tmp_path / "a.md"
    path.write_text(TEXT + f"```{{picture}} {directive}\n```\n")
    done = symrnn_command("report", str(path), "-o", str(tmp_path / "out"))
    assert done.exit_code == 2 and done.stderr.startswith(f"{path}:5: ") and says in done.stderr
