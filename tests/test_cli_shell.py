"""The command line as a shell sees it: exit statuses, streams, help without heavy imports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from symrnn import api
from symrnn.cli.app import COMMANDS
from symrnn.errors import ReadError


def shell(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "symrnn", *arguments], capture_output=True, text=True, env={**os.environ, **environment}
    )


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], *([name, "--help"] for name in sorted(COMMANDS))], ids=" ".join)
def test_help_imports_nothing_heavy(arguments):
    program = (
        "import sys\nfrom symrnn.cli import app\n"
        f"app({arguments!r}, standalone_mode=False)\n"
        "heavy = {'sympy', 'numpy', 'mpmath', 'pytest', 'rich', 'jinja2', 'yaml', 'latex2sympy2', 'antlr4'}\n"
        "print('loaded:', sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("loaded: []\n")


def test_help_lists_every_command_with_one_whole_sentence(symrnn_command):
    listing = symrnn_command("--help").stdout.split("Commands:\n")[1].splitlines()
    assert [line.split()[0] for line in listing] == sorted(COMMANDS)
    assert all(line.endswith(".") and "..." not in line for line in listing)


def test_a_finding_is_explained_on_stdout():
    done = shell("explain", "SR201")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("SR201 missing-transpose\n")


@pytest.mark.parametrize(("arguments", "says"), [
    (["adit", "x.md"], "Did you mean audit?"),
    (["audit"], "Missing argument"),
    (["audit", "x.md", "--format", "yaml"], "'yaml' is not one of"),
    (["explain", "SR21"], "Did you mean SR210?"),
    (["derive", "no-such-model"], "UnknownModel: no-such-model"),
    (["emit", "elman", "--style", "unrolled"], "needs -T and --sizes"),
    (["emit", "elman", "-T", "3"], "belong to --style unrolled"),
    (["emit", "elman", "--outputs", "hessian"], "came: hessian"),
    (["emit", "elman", "--style", "unrolled", "-T", "3", "--sizes", "2,0"], "must: be positive numbers"),
    (["check", "a = b", "--shape", "n x n"], "must: be SYMBOL=SHAPE"),
    (["check", "a = b", "--shape", "a = n", "--shape", "a = m"], "came: n and m"),
    (["report", "a.md", "--format", "odt"], "came: odt"),
    (["audit", "missing.md"], "missing.md: DocumentError"),
    (["derive", "missing.md"], "missing.md: DocumentError"),
    (["audit", "."], "DocumentError"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_wrong_usage_ends_in_status_2_with_the_remedy_on_stderr(symrnn_command, arguments, says):
    done = symrnn_command(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_document_that_is_not_utf8_is_named_with_its_line(symrnn_command, tmp_path):
    path = tmp_path / "latin.md"
    path.write_bytes(b"# A\n\ncaf\xe9\n")
    done = symrnn_command("derive", str(path))
    assert done.exit_code == 2
    assert f"{path}:3: DocumentError" in done.stderr and "0xe9" in done.stderr


def test_report_outside_a_checkout_asks_for_documents(symrnn_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = symrnn_command("report")
    assert done.exit_code == 2 and "Name the documents" in done.stderr


class Result(SimpleNamespace):
    """A result as the layers below give it: it can be printed in every format."""

    failures = ()
    notes = ()

    def to_json(self):
        return self.json

    def to_text(self):
        return f"as text: {self.verdict}"

    def to_latex(self):
        return f"as latex: {self.verdict}"


@pytest.fixture
def chapter(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chapter.md").write_text("# A chapter\n")
    return "chapter.md"


@pytest.fixture
def judged(monkeypatch, audit_json):
    """Make every audit come out as `audit_json`, and keep what it was asked."""
    asked = []

    def audit(paths, **options):
        asked.append((list(paths), options["timeout"]))
        return Result(json=audit_json)

    monkeypatch.setattr(api, "audit", audit)
    return asked


def counts(audit, **numbers):
    audit["summary"].update({"refuted": 0, **numbers})


def test_an_audit_with_a_refuted_claim_ends_in_status_1(symrnn_command, judged, chapter):
    done = symrnn_command("audit", chapter, "--timeout", "2.5")
    assert (done.exit_code, done.stderr) == (1, "")
    assert judged == [(["chapter.md"], 2.5)]
    assert "chapter.md:41:3: refuted [eq-back]" in done.stdout
    assert "SR201 missing-transpose" in done.stdout
    assert r"right is: \delta_h = V^\top \delta_o    proved" in done.stdout
    assert done.stdout.endswith("1 document: 1 refuted\n")


def test_an_audit_with_nothing_refuted_ends_in_status_0_unless_all_must_be_checked(
    symrnn_command, judged, chapter, audit_json
):
    for word, strict in (("proved", 0), ("conditional", 0), ("agrees", 0), ("undecided", 1), ("unreadable", 1)):
        counts(audit_json, **{"undecided": 0, "unreadable": 0, word: 1})
        assert symrnn_command("audit", chapter).exit_code == 0
        assert symrnn_command("audit", chapter, "--require-checked").exit_code == strict


def test_the_json_of_an_audit_is_the_contract_and_nothing_else(symrnn_command, judged, chapter, audit_json):
    assert json.loads(symrnn_command("audit", chapter, "--format", "json").stdout) == audit_json


def test_an_audit_in_markdown_is_a_table(symrnn_command, judged, chapter):
    done = symrnn_command("audit", chapter, "--format", "md")
    assert r"| 41 | refuted | $`\delta_h = V \delta_o`$ | SR201 missing-transpose; V is n_y x n_h;" in done.stdout


def test_a_payload_can_go_to_a_file(symrnn_command, judged, chapter, audit_json, tmp_path):
    done = symrnn_command("audit", chapter, "--format", "json", "--output", "out.json")
    assert (done.exit_code, done.stdout) == (1, "")
    assert json.loads((tmp_path / "out.json").read_text()) == audit_json


def test_a_file_that_cannot_be_written_is_wrong_usage(symrnn_command, judged, chapter):
    done = symrnn_command("audit", chapter, "--output", "no/such/folder.json")
    assert done.exit_code == 2 and "must: name a file that can be written" in done.stderr


def test_a_missing_document_ends_in_status_2_and_the_others_are_judged(symrnn_command, judged, chapter):
    done = symrnn_command("audit", "missing.md", chapter)
    assert done.exit_code == 2
    assert judged[0][0] == [chapter]
    assert "refuted" in done.stdout and "missing.md: DocumentError" in done.stderr


def test_colour_is_for_terminals_that_want_it(symrnn_command, judged, chapter, monkeypatch):
    assert "\x1b[31mrefuted" in symrnn_command("audit", chapter, color=True).stdout
    assert "\x1b" not in symrnn_command("audit", chapter).stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in symrnn_command("audit", chapter, color=True).stdout


def test_check_hands_on_all_it_is_given(symrnn_command, monkeypatch):
    asked = {}
    monkeypatch.setattr(api, "check", lambda claim, **rest: asked.update(rest, claim=claim) or Result(verdict="undecided"))
    options = ["--given", "x = y", "--given", "y = z", "--shape", "W_* = n x n", "--assume", "t < T"]
    done = symrnn_command("check", "a = b", *options)
    assert (done.exit_code, done.stdout) == (0, "as text: undecided\n")
    assert asked == {
        "claim": "a = b", "given": ("x = y", "y = z"), "shapes": {"W_*": "n x n"}, "assume": ("t < T",), "timeout": None,
        "language": "latex",
    }
    assert symrnn_command("check", "a = b", "--require-checked", "--format", "latex").exit_code == 1


def test_emit_hands_on_sizes_and_outputs(symrnn_command, monkeypatch):
    asked = {}
    monkeypatch.setattr(api, "emit", lambda source, **rest: asked.update(rest, source=source) or "def forward(): ...")
    done = symrnn_command("emit", "elman", "--style", "unrolled", "-T", "3", "--sizes", "2,2,3", "--outputs", "loss,forward")
    assert (done.exit_code, done.stdout) == (0, "def forward(): ...\n")
    assert asked == {
        "source": "elman", "target": "numpy", "style": "unrolled", "steps": 3, "sizes": (2, 2, 3), "outputs": ("forward", "loss"),
        "loss_at": "all",
    }


def test_emit_hands_on_that_the_last_step_alone_is_wanted(symrnn_command, monkeypatch):
    asked = {}
    monkeypatch.setattr(api, "emit", lambda source, **rest: asked.update(rest) or "")
    assert symrnn_command("emit", "elman", "--outputs", "last,loss", "--loss-at", "last").exit_code == 0
    assert (asked["outputs"], asked["loss_at"]) == (("loss", "last"), "last")
    assert symrnn_command("emit", "elman").exit_code == 0
    assert asked["outputs"] == ("forward", "loss", "gradients")


def test_a_loss_over_all_steps_beside_the_last_outputs_ends_in_status_2_with_what_to_do(symrnn_command):
    done = symrnn_command("emit", "elman", "--outputs", "last,gradients")
    assert done.exit_code == 2 and "sums over every step" in done.stderr and "--loss-at last" in done.stderr


def test_a_report_with_an_unexpected_verdict_ends_in_status_1(symrnn_command, monkeypatch, chapter):
    result = SimpleNamespace(written=["reports/chapter.md"], unexpected=["chapter.md:3:1: proved, expected refuted"], notes=[])
    monkeypatch.setattr(api, "report", lambda *documents, **options: result)
    done = symrnn_command("report", chapter)
    assert (done.exit_code, done.stdout) == (1, "reports/chapter.md\n")
    assert done.stderr == "unexpected: chapter.md:3:1: proved, expected refuted\n"
    result.unexpected = []
    assert symrnn_command("report", chapter).exit_code == 0


def failing(error):
    def call(*_, **__):
        raise error

    return call


def test_a_document_with_malformed_declarations_ends_in_status_2_and_the_others_are_judged(symrnn_command, tmp_path):
    bad, good = tmp_path / "bad.md", tmp_path / "good.md"
    bad.write_text("---\nsymrnn: {symbols: {x: vector n m k}}\n---\n")
    good.write_text("---\nsymrnn: {symbols: {x: scalar}}\n---\n$$ x + x = 2 x $$\n")
    done = symrnn_command("audit", str(bad), str(good))
    assert done.exit_code == 2 and "DeclarationError: x" in done.stderr
    assert "1 document: 1 proved" in done.stdout


@pytest.mark.parametrize(("written", "says"), [
    ("```{audot}\n```", "Did you mean audit?"),
    ("```{audit}\n:expet: refuted\n\n$$ y_t = x $$\n```", "Did you mean expect?"),
    ("```{derive} V\n```", "must: have no argument"),
    ("```{unroll} three\n```", "Write for example T=3."),
])
def test_a_directive_that_is_not_understood_stops_the_report_at_its_line(symrnn_command, tmp_path, written, says):
    path = tmp_path / "a.md"
    path.write_text(f"---\nsymrnn: {{symbols: {{x: scalar, y: 'scalar, sequence'}}}}\n---\n$$ y_t = x $$\n\n{written}\n")
    done = symrnn_command("report", str(path), "-o", str(tmp_path / "out"))
    assert done.exit_code == 2
    assert f"{path}:6: DocumentError" in done.stderr and says in done.stderr


def test_an_error_of_a_document_ends_in_status_2_without_a_traceback(symrnn_command, monkeypatch):
    error = ReadError("x", must="close", came="the end", next_step="Add a bracket.", offset=7, token="}")
    monkeypatch.setattr(api, "derive", failing(error))
    done = symrnn_command("derive", "elman")
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"{error}\n")
    assert "Traceback" in symrnn_command("--debug", "derive", "elman").stderr


def test_an_internal_error_ends_in_status_3_and_says_how_to_report_it(symrnn_command, monkeypatch):
    monkeypatch.setattr(api, "derive", failing(KeyError("W")))
    done = symrnn_command("derive", "elman")
    assert (done.exit_code, done.stdout) == (3, "")
    assert "internal error: KeyError: 'W'" in done.stderr and "--debug" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Traceback" in symrnn_command("--debug", "derive", "elman").stderr


def test_an_interruption_is_not_mistaken_for_a_refutation(symrnn_command, monkeypatch):
    monkeypatch.setattr(api, "derive", failing(KeyboardInterrupt()))
    assert symrnn_command("derive", "elman").exit_code == 130


def test_a_reader_that_goes_away_causes_no_message():
    with subprocess.Popen(
        [sys.executable, "-m", "symrnn", "explain"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


def test_a_terminal_without_the_character_gets_escapes_instead_of_an_error():
    done = shell("check", "a", "--shape", "ŷ", PYTHONIOENCODING="latin-1", PYTHONUTF8="0")
    assert done.returncode == 2 and r"\u0177" in done.stderr


def test_the_models_that_come_with_symrnn_are_listed(symrnn_command):
    from symrnn import zoo

    done = symrnn_command("models", "--format", "json")
    assert done.exit_code == 0
    assert [row["name"] for row in json.loads(done.stdout)] == list(zoo.names())


def test_documents_of_several_formats_are_judged_together_with_the_cells_of_notebooks(symrnn_command):
    formats = Path(__file__).parent / "corpus" / "formats"
    done = symrnn_command("audit", *(str(formats / f"unit.{suffix}") for suffix in ("tex", "html", "ipynb", "py")))
    places = [line for line in done.stdout.splitlines() if line.endswith(": refuted")]
    assert [place.replace(f"{formats}/unit.", "") for place in places] == [
        "tex:15:3: refuted", "html:16:42: refuted", "ipynb:cell 1:9:4: refuted", "py:24:10: refuted"]
    assert done.stdout.splitlines()[-1].startswith("4 documents: 16 proved, 4 refuted")
