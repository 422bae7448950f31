"""Reports: the same bytes on every run, the committed ones are current, and what a document does wrong is said with its place."""
from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from symrnn.report import regenerate
from symrnn.report.build import DIRECTIVES

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted((ROOT / "derivations").glob("*.md"))
QUICK = [p for p in DOCUMENTS if p.stem in ("softmax", "shared-weights")]
FRONT = '---\nsymrnn: {symbols: {h: "vector n, sequence", W: matrix n n, b: vector n}}\n---\n# A state\n\n$$ h_t = W h_{t-1} $$\n\n'


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a report, raw measurements apart."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*"))
            if p.is_file() and ".raw" not in p.parts}


def in_process(documents: list[Path], folder: Path, seed: str) -> dict[str, bytes]:
    """The reports that a process of its own writes, under one hash seed."""
    names = [p.relative_to(ROOT).as_posix() for p in documents]
    done = subprocess.run([sys.executable, "-m", "symrnn", "report", *names, "-o", str(folder)], cwd=ROOT, capture_output=True,
                          text=True, env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    return contents(folder)


def differing(a: dict[str, bytes], b: dict[str, bytes]) -> list[str]:
    return sorted(name for name in {*a, *b} if a.get(name) != b.get(name))


@pytest.mark.slow
def test_short_reports_are_the_same_under_two_hash_seeds_and_in_this_process(tmp_path, monkeypatch):
    one, two = in_process(QUICK, tmp_path / "1", "1"), in_process(QUICK, tmp_path / "2", "4711")
    assert len(one) >= 2 * len(QUICK) - 1 and differing(one, two) == []
    monkeypatch.chdir(ROOT)
    regenerate([p.relative_to(ROOT) for p in QUICK], tmp_path / "3")
    assert differing(one, contents(tmp_path / "3")) == []


@pytest.mark.slow
def test_the_committed_reports_are_those_of_the_documents(tmp_path):
    committed = contents(ROOT / "reports")
    if not committed:
        pytest.skip("no report is in this checkout")
    again = in_process(DOCUMENTS, tmp_path / "1", "99")
    assert differing(committed, again) == [], "run `make report` and commit reports/"


@pytest.mark.slow
def test_a_report_holds_no_path_of_a_machine_and_no_date(tmp_path):
    regenerate(QUICK, tmp_path)
    pages = [*contents(tmp_path).items(), *contents(ROOT / "reports").items()]
    assert len(pages) >= 3
    for name, data in pages:
        text = data.decode("utf-8", errors="replace")
        found = re.findall(r"/(?:home|root|tmp|usr|work|Users)/\S*|[A-Z]:\\\\\S*|\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d", text)
        assert found == [], name
        assert str(ROOT) not in text and str(tmp_path) not in text, name


def test_pictures_and_modules_of_a_page_are_beside_it(tmp_path):
    regenerate(QUICK, tmp_path)
    for page in tmp_path.glob("*.md"):
        for target in re.findall(r"\]\(([\w/.-]+)\)", page.read_text(encoding="utf-8")):
            assert (tmp_path / target).is_file(), (page.name, target)


def test_every_judged_formula_stands_in_the_cross_check(tmp_path):
    regenerate([ROOT / "derivations" / "softmax.md"], tmp_path)
    text = (tmp_path / "softmax.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:-1] for line in text.split("## Cross-check in numbers")[1].splitlines() if re.match(r"\| \d", line)]
    words = {cells[2].strip(): {row[4].strip() for row in rows if row[2] == cells[2]} for cells in rows}
    assert words["**✅ proved**"] == {"yes"} and words["**❌ refuted**"] <= {"**no**", ""}
    assert len(rows) >= 11


# ------------------------------------------------------------------------------------------------------------------- directives
def test_every_directive_is_documented_and_every_documented_one_exists():
    text = (ROOT / "docs" / "documents.md").read_text(encoding="utf-8")
    table = text.split("| directive | argument |")[1].split("\n\n")[0]
    assert set(re.findall(r"^\| `([\w-]+)`", table, re.M)) == set(DIRECTIVES)


def test_directives_are_carried_out_in_place(tmp_path):
    path = tmp_path / "a.md"
    path.write_text(FRONT + "Before.\n\n```{unroll} T=2\n```\n\nAfter.\n\n```{audit}\n:expect: refuted\n\n$$ h_t = W h_t $$\n```\n")
    done = regenerate([path], tmp_path / "out")
    text = (tmp_path / "out" / "a.md").read_text(encoding="utf-8")
    assert done.unexpected == () and "pictures/a-unrolled.svg" in text
    places = [text.index(part) for part in ("What is wrong", "Before.", "pictures/", "After.", "refuted** (`SR204`): ", "Corrected")]
    assert places == sorted(places)
    assert "```{" not in text


def test_a_verdict_that_is_not_expected_is_reported_and_the_page_is_written(symrnn_command, tmp_path):
    path = tmp_path / "a.md"
    path.write_text(FRONT + "```{audit}\n$$ h_t = W h_t $$\n```\n")
    done = symrnn_command("report", str(path), "-o", str(tmp_path / "out"))
    assert done.exit_code == 1 and done.stdout.split() == [(tmp_path / "out" / f"a.{form}").as_posix() for form in ("md", "html")]
    assert done.stderr.startswith(f"unexpected: {path}:9:4: refuted, expected proved: h_t = W h_t")


# ---------------------------------------------------------------------------------------------------------------------- errors
ERRORS = {
    "an unknown directive": ("report", "# A\n\n```{derve}\n```\n", "3: DocumentError: the directive derve", "Did you mean derive?"),
    "an unknown option": ("report", FRONT + "```{audit}\n:expet: refuted\n\n$$ h_t = h_t $$\n```\n", "8: DocumentError", "expect?"),
    "a directive that is not closed": ("audit", "# A\n\n```{audit}\n$$ a = b $$\n", "3:1: DocumentError", "Add a line ```"),
    "steps that are no number": ("report", FRONT + "```{unroll} many\n```\n", "8: DocumentError: the directive unroll", "T=3"),
    "a derivation without a model": ("report", "# A\n\n```{derive}\n```\n", "3: DocumentError: the directive derive", "after the eq"),
    "front matter that is no YAML": ("audit", "---\nsymrnn:\n  symbols: [1, 2\n---\n# A\n", "3:17: DocumentError", "Quote values"),
    "front matter of another kind": ("audit", "---\nsymrnn: sub\n---\n# A\n", "1:1: DocumentError: front matter", "time: sub"),
    "an unknown key": ("audit", "---\nsymrnn: {time: sub, symbls: {}}\n---\n# A\n", "2:21: DeclarationError", "rename"),
    "an unknown time style": ("audit", "---\nsymrnn: {time: sideways}\n---\n# A\n", "2:16: DeclarationError: time", "sub: h_t"),
    "a malformed declaration": ("audit", '---\nsymrnn: {symbols: {h: "vector n, odd"}}\n---\n# A\n', "2:34: DeclarationError: h",
                                "vector n_h, sequence"),
    "a malformed scope": ("audit", "# A\n\n```{scope} s\n:symbls: {}\n```\n\n$$ a = b $$\n", "4:2: DeclarationError", "rename"),
    "an undeclared symbol": ("derive", FRONT.replace("W h", "Q h"), "6:10: DeclarationError: h_t = Q h_{t-1}", "symbols: {"),
    "contradictory shapes": ("derive", FRONT.replace("n n", "m n"), "6:4: ShapeError: h_t = W h_{t-1}", "declared shapes"),
    "shapes that do not fit": ("unroll", FRONT.replace("h_{t-1}", "h_{t-1} + b^\\top"), "6:4: ShapeError", "declared shapes"),
    "an equation that is not read": ("emit", FRONT.replace("W h", "\\frac{W h"), "6:15: ReadError", ""),
    "no loss": ("derive", FRONT, " ModelError", "name the scalar equation"),
    "no equation": ("derive", "# A\n", " ModelError", "declare its symbols"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_of_a_document_names_place_text_and_next_step(symrnn_command, tmp_path, name):
    command, text, place, remedy = ERRORS[name]
    path = tmp_path / "wrong.md"
    path.write_text(text)
    more = ("-o", str(tmp_path / "out")) if command == "report" else ()
    done = symrnn_command(command, str(path), *more)
    assert done.exit_code == 2, done.output
    assert f"{path}:{place}" in done.stderr and "Traceback" not in done.stderr
    lines = done.stderr.splitlines()
    assert [line.split(":")[0].strip() for line in lines[1:4]] == ["must", "came", "next"]
    assert remedy in lines[3]


@pytest.mark.parametrize(("command", "says"), [("audit", "can be"), ("report", "can be opened"), ("derive", "can be"), ("emit", "can be")])
def test_a_missing_file_is_named(symrnn_command, tmp_path, command, says):
    path = tmp_path / "missing.md"
    done = symrnn_command(command, str(path), *(("-o", str(tmp_path / "out")) if command == "report" else ()))
    assert done.exit_code == 2 and f"{path}: DocumentError" in done.stderr and says in done.stderr


def test_an_unknown_model_has_a_near_one(symrnn_command):
    done = symrnn_command("derive", "elmann")
    assert done.exit_code == 2 and "next: Did you mean elman" in done.stderr


def test_an_undeclared_symbol_and_contradictory_shapes_are_verdicts_of_an_audit(symrnn_command, tmp_path):
    path = tmp_path / "a.md"
    path.write_text(FRONT + "$$ h_t = Q h_{t-1} $$\n\n$$ h_t = W^\\top b h_{t-1} $$\n")
    done = symrnn_command("audit", str(path))
    assert done.exit_code == 1
    assert f"{path}:8:4: undecided" in done.stdout and "Q is not declared" in done.stdout
    assert f"{path}:10:4: refuted" in done.stdout and "cannot multiply: n x 1 and n x 1" in done.stdout


# ----------------------------------------------------------------------------------------------------------------------- files
LOSS = ('---\nsymrnn:\n  symbols: {x: "vector n, sequence", h: "vector n, sequence", y: "vector n, sequence", W: matrix n n, i: index}\n'
        '  targets: [y]\n  loss: \\ell_t\n  total: L\n---\n# A state\n\n$$ h_t = \\tanh(W h_{t-1} + x_t) $$\n\n'
        '$$ \\ell_t = \\sum_i (h_{t,i} - y_{t,i})^2, \\qquad L = \\sum_{t=1}^T \\ell_t $$\n\n')


def test_a_report_never_takes_the_place_of_its_document(symrnn_command, tmp_path):
    path = tmp_path / "a.md"
    path.write_text(FRONT)
    done = symrnn_command("report", str(path), "-o", str(tmp_path))
    assert done.exit_code == 2 and "another file than a document" in done.stderr and path.read_text() == FRONT
    assert [p.name for p in tmp_path.iterdir()] == ["a.md"]


def test_two_documents_of_one_name_do_not_become_one_report(symrnn_command, tmp_path):
    paths = [tmp_path / folder / "a.md" for folder in "pq"]
    for path in paths:
        path.parent.mkdir()
        path.write_text(FRONT)
    done = symrnn_command("report", *map(str, paths), "-o", str(tmp_path / "out"))
    assert done.exit_code == 2 and "a name of its own" in done.stderr and not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_made_is_wrong_usage(symrnn_command, tmp_path):
    path, taken = tmp_path / "a.md", tmp_path / "file"
    path.write_text(FRONT)
    taken.write_text("")
    done = symrnn_command("report", str(path), "-o", str(taken / "out"))
    assert done.exit_code == 2 and "be a file that can be written" in done.stderr


def test_two_pictures_of_one_page_are_two_files(tmp_path):
    path = tmp_path / "my page.md"
    path.write_text(LOSS + "```{unroll} T=2\n```\n\n```{unroll} T=3\n```\n\n```{emit}\n```\n\n```{emit}\n```\n")
    done = regenerate([path], tmp_path / "out")
    names = sorted(Path(name).name for name in done.written)
    assert names == ["my page-unrolled-2.svg", "my page-unrolled.svg", "my page.html", "my page.md",
                     "my page_numpy-2.py", "my page_numpy.py"]
    page = (tmp_path / "out" / "my page.md").read_text(encoding="utf-8")
    assert "![The network over 3 steps](pictures/my%20page-unrolled-2.svg)" in page and "](code/my%20page_numpy.py)" in page


@pytest.mark.parametrize("directive", ("derive", "emit", "unroll"))
def test_a_model_of_which_an_equation_is_not_read_is_not_carried_on_without_it(symrnn_command, tmp_path, directive):
    path = tmp_path / "a.md"
    path.write_text(LOSS.replace("x_t)", "x_t") + f"```{{{directive}}}\n```\n")
    done = symrnn_command("report", str(path), "-o", str(tmp_path / "out"))
    assert done.exit_code == 2 and f"{path}:10:15: ReadError" in done.stderr and "it is not closed" in done.stderr


def test_an_error_of_a_directive_has_the_place_of_the_directive(symrnn_command, tmp_path):
    path = tmp_path / "a.md"
    for directive in ("unroll} T=300", "emit} cobol", "unroll} T=" + "9" * 5000):
        path.write_text(LOSS + f"```{{{directive}\n```\n")
        done = symrnn_command("report", str(path), "-o", str(tmp_path / "out"))
        assert done.exit_code == 2 and done.stderr.startswith(f"{path}:14: "), done.stderr


def test_a_page_that_begins_with_a_formula_has_its_head_before_it(tmp_path):
    path = tmp_path / "a.md"
    path.write_text(FRONT.replace("# A state\n\n", "").replace("{symbols", "{source: 'a <b> *c*', symbols"))
    regenerate([path], tmp_path / "out")
    page = (tmp_path / "out" / "a.md").read_text(encoding="utf-8")
    assert page.startswith("# a\n\n*Source: a \\<b\\> \\*c\\*.*\n\n**Verdicts.** nothing is claimed\n\n```math\nh_t =")


def test_an_expected_verdict_on_what_is_no_claim_is_unexpected(tmp_path):
    path = tmp_path / "a.md"
    path.write_text("# A\n\n```{audit}\n:expect: refuted\n\n$$ x = 1 $$\n```\n")
    assert regenerate([path], tmp_path / "out").unexpected == (f"{path}:3: no verdict, expected refuted",)


DERIVED = """---
symrnn: {symbols: {h: "vector n, sequence", x: "vector n, sequence", W: matrix n n}, loss: \\ell_t}
---
# A state

$$ h_t = \\tanh(W h_{t-1} + x_t) $$

$$ \\ell_t = \\sum_i h_{t,i}^2 $$

$$ L = \\sum_{t=1}^T \\ell_t $$

```{derive}
LEVEL```
"""


@pytest.mark.parametrize(("option", "level", "has"), [("", "full", True), ("", "brief", False), (":level: brief\n", "full", False),
                                                      (":level: full\n", "brief", True)])
def test_a_derivation_has_the_level_of_its_directive_and_else_that_of_the_command(symrnn_command, tmp_path, option, level, has):
    path = tmp_path / "state.md"
    path.write_text(DERIVED.replace("LEVEL", option))
    done = symrnn_command("report", str(path), "--format", "md", "--level", level, "-o", str(tmp_path / "out"))
    assert done.exit_code == 0, done.output
    page = (tmp_path / "out" / "state.md").read_text(encoding="utf-8")
    assert ("product rule" in page) == has == ("`d_W = _sum_of_products(" in page)
    assert "> \\frac{\\partial L}{\\partial W}" in page


def test_a_level_that_there_is_not_is_named_with_those_that_there_are(symrnn_command, tmp_path):
    path = tmp_path / "state.md"
    path.write_text(DERIVED.replace("LEVEL", ":level: long\n"))
    done = symrnn_command("report", str(path), "-o", str(tmp_path / "out"))
    assert done.exit_code == 2
    assert all(part in done.stderr for part in ("state.md:12", "must: be one of brief, full", "came: long"))


@pytest.mark.parametrize(("form", "box"), [("md", "> ```math"), ("html", '<div class="box">'), ("tex", "\\rule{\\linewidth}")])
def test_the_gradients_stand_in_a_box_in_every_format(symrnn_command, tmp_path, form, box):
    path = tmp_path / "state.md"
    path.write_text(DERIVED.replace("LEVEL", ""))
    assert symrnn_command("report", str(path), "--format", form, "-o", str(tmp_path / "out")).exit_code == 0
    assert box in (tmp_path / "out" / f"state.{form}").read_text(encoding="utf-8")


@pytest.mark.parametrize("form", ["md", "html", "tex"])
def test_what_a_document_says_of_itself_stands_before_what_is_wrong(tmp_path, form):
    document = tmp_path / "a.md"
    opened = FRONT.replace("\n\n$$", "\n\nAbout states.\n\n$$", 1)
    document.write_text(opened + "```{audit}\n\\frac{\\partial h_t}{\\partial h_{t-1}} = 2 W\n```\n", encoding="utf-8")
    regenerate([document], tmp_path / "out", formats=[form])
    text = (tmp_path / "out" / f"a.{form}").read_text(encoding="utf-8")
    text = text.partition("</nav>")[2] or text
    assert text.index("About states.") < text.rindex("What is wrong")
