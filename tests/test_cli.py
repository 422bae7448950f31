"""Every command end to end: payload on stdout, progress on stderr, exit statuses, schemas, and documents that nobody should write."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

FRONT = r"""---
symrnn:
  time: sub
  symbols: {h: "vector n, sequence", W: matrix n n, a: scalar, b: scalar}
---
# A state

$$
h_t = \tanh(W h_{t-1})
$$

"""
RIGHT = r"""
$$
\frac{\partial h_t}{\partial h_{t-1}} = \mathrm{diag}(1 - h_t^2) W
$$
"""
WRONG = r"""
$$
\frac{\partial h_t}{\partial h_{t-1}} = W \mathrm{diag}(1 - h_t^2)
$$
"""
UNKNOWN = r"""
$$
h_t = \int_0^1 h_{t-1} d s
$$
"""


def valid(payload: str, schema: str) -> dict:
    """The value of a JSON text, which must be one of a schema of the package."""
    value = json.loads(payload)
    rules = json.loads((files("symrnn") / "schema" / f"{schema}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(rules).validate(value)
    return value


@pytest.fixture
def write(tmp_path):
    def to(name: str, *parts: str) -> str:
        path = tmp_path / name
        path.write_text(FRONT + "".join(parts), encoding="utf-8")
        return str(path)
    return to


# ----------------------------------------------------------------------------------------------------------------------- audit
def test_an_audit_in_json_is_valid_and_the_same_twice(symrnn_command, write):
    path = write("a.md", RIGHT, WRONG, UNKNOWN)
    one, two = symrnn_command("audit", path, "--format", "json"), symrnn_command("audit", path, "--format", "json")
    assert one.stdout == two.stdout and one.exit_code == 1
    value = valid(one.stdout, "audit")
    assert [e["verdict"] for e in value["documents"][0]["equations"]][:3] == [None, "proved", "refuted"]
    wrong = value["documents"][0]["equations"][2]
    assert (wrong["line"], wrong["column"]) == (18, 1) and wrong["fix"]["verdict"] == "proved"
    assert wrong["relations"][0]["counterexample"]["sizes"] == {"n": 2}


@pytest.mark.parametrize(("parts", "plain", "strict"), [((RIGHT,), 0, 0), ((RIGHT, UNKNOWN), 0, 1), ((RIGHT, WRONG), 1, 1), ((), 0, 0)])
def test_the_status_of_an_audit_follows_the_verdicts(symrnn_command, write, parts, plain, strict):
    path = write("a.md", *parts)
    assert symrnn_command("audit", path).exit_code == plain
    assert symrnn_command("audit", path, "--require-checked").exit_code == strict


def test_an_audit_as_text_names_the_place_the_reason_and_the_correction(symrnn_command, write):
    path = write("a.md", RIGHT, WRONG)
    lines = symrnn_command("audit", path).stdout.splitlines()
    assert f"{path}:14:1: proved" in lines and f"{path}:18:1: refuted" in lines
    assert any(line.strip().startswith("right is:") and line.endswith("proved") for line in lines)
    assert lines[-1] == "1 document: 1 proved, 1 refuted"


def test_an_audit_in_markdown_is_a_table_of_the_judged_equations(symrnn_command, write):
    path = write("a.md", RIGHT, WRONG)
    rows = [line for line in symrnn_command("audit", path, "--format", "md").stdout.splitlines() if line.startswith("| 1")]
    assert [row.split(" | ")[1] for row in rows] == ["proved", "refuted"]


def test_a_file_that_is_missing_leaves_the_others_judged(symrnn_command, write):
    path = write("a.md", RIGHT)
    done = symrnn_command("audit", "missing.md", path, "--format", "json")
    assert done.exit_code == 2 and "missing.md: DocumentError" in done.stderr and "next:" in done.stderr
    assert valid(done.stdout, "audit")["summary"]["proved"] == 1


def test_a_document_with_malformed_front_matter_leaves_the_others_judged(symrnn_command, write, tmp_path):
    bad = tmp_path / "bad.md"
    bad.write_text("---\nsymrnn: {time: [sub\n---\n# x\n")
    done = symrnn_command("audit", str(bad), write("a.md", RIGHT), "--format", "json")
    assert done.exit_code == 2 and f"{bad}:" in done.stderr
    assert valid(done.stdout, "audit")["summary"]["proved"] == 1


# --------------------------------------------------------------------------------------------------- documents nobody should write
STRANGE = {
    "a null byte": "$$\na \x00 = b\n$$\n", "an astronomical binomial": "$$\na = \\binom{10^8}{5\\cdot10^7}\n$$\n",
    "a tower of powers": "$$\na = 9^{9^{9^9}}\n$$\n", "two towers": "$$\n9^{9^{9^9}} = 9^{9^{9^9}} + 1\n$$\n",
    "a large factorial": "$$\na = 10^{8}!\n$$\n", "a large power": "$$\na = (a + b)^{5000}\n$$\n",
    "a long sum": "$$\n\\sum_{k=1}^{1000000000} a = b\n$$\n", "a long product": "$$\na = \\prod_{k=1}^{1000000} k\n$$\n",
    "ten thousand braces": "$$\na = " + "{" * 10_000 + "b" + "}" * 10_000 + "\n$$\n",
    "ten thousand brackets": "$$\na = " + "(" * 10_000 + "b" + ")" * 10_000 + "\n$$\n",
    "nested fractions": "$$\na = " + "\\frac{1}{" * 2000 + "b" + "}" * 2000 + "\n$$\n",
    "nested functions": "$$\nh_t = " + "\\tanh(" * 300 + "h_t" + ")" * 300 + "\n$$\n",
    "an equation of itself": "$$\na = a + a + b\n$$\n", "a cycle": "$$\na = b + 1\n$$\n\n$$\nb = a + 1\n$$\n",
    "no mathematics": "$$\n\\foo\\bar &&& ^^ __\n$$\n", "a dollar that is not closed": "It costs $5, or $$ more.\n\n",
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_formula_spoils_no_other(symrnn_command, write, name):
    path = write("strange.md", STRANGE[name], RIGHT)
    done = symrnn_command("audit", path, "--format", "json")
    assert done.exit_code in (0, 1), done.stderr
    equations = valid(done.stdout, "audit")["documents"][0]["equations"]
    assert equations[0]["role"] == "definition" and equations[-1]["verdict"] == "proved"
    assert all(e["verdict"] not in ("proved", "agrees") for e in equations[1:-1])


@pytest.mark.slow
def test_eight_hundred_summands_spoil_nothing(symrnn_command, write):
    path = write("long.md", "$$\nb = " + " + ".join(["a"] * 800) + "\n$$\n", RIGHT)
    equations = valid(symrnn_command("audit", path, "--format", "json").stdout, "audit")["documents"][0]["equations"]
    assert equations[-1]["verdict"] == "proved"


def test_bytes_that_are_no_utf8_spoil_only_the_formula_they_are_in(symrnn_command, tmp_path):
    path = tmp_path / "latin.md"
    path.write_bytes((FRONT + "caf").encode() + b"\xe9\n\n$$\na = \xe9\n$$\n" + RIGHT.encode())
    done = symrnn_command("audit", str(path), "--format", "json")
    assert done.exit_code == 0
    assert [e["verdict"] for e in valid(done.stdout, "audit")["documents"][0]["equations"]] == [None, "unreadable", "proved"]


@pytest.mark.parametrize("text", ["", "\n\n", "# Prose only\n\nNothing to judge, at $5.\n"], ids=["empty", "blank", "prose"])
def test_a_document_without_equations_has_no_claim(symrnn_command, tmp_path, text):
    path = tmp_path / "a.md"
    path.write_text(text)
    done = symrnn_command("audit", str(path))
    assert (done.exit_code, done.stdout) == (0, "1 document: no claim\n")


def test_a_document_of_two_megabytes_is_judged(symrnn_command, write):
    path = write("big.md", "A line of plain prose, and another one.\n" * 50_000, RIGHT)
    assert Path(path).stat().st_size > 1_990_000
    done = symrnn_command("audit", path)
    assert done.exit_code == 0 and done.stdout.endswith("1 document: 1 proved\n")


def test_the_time_for_a_claim_can_be_limited(symrnn_command, write):
    path = write("a.md", RIGHT, "$$\na = b\n$$\n")
    done = symrnn_command("audit", path, "--timeout", "0.000001", "--format", "json")
    assert [e["verdict"] for e in valid(done.stdout, "audit")["documents"][0]["equations"]][1] == "undecided"
    assert "not decided within" in done.stdout


# ------------------------------------------------------------------------------------------------------------- derive and unroll
@pytest.mark.parametrize(("arguments", "schema"), [(("derive", "elman"), "derive"), (("unroll", "elman", "-T", "2"), "unroll"),
                                                   (("unroll", "elman", "-T", "2", "--sizes", "1,1,2"), "unroll")])
def test_derive_and_unroll_in_json_are_valid_and_the_same_twice(symrnn_command, arguments, schema):
    done = symrnn_command(*arguments, "--format", "json")
    assert (done.exit_code, done.stderr) == (0, "")
    assert valid(done.stdout, schema) and symrnn_command(*arguments, "--format", "json").stdout == done.stdout


@pytest.mark.parametrize("form", ["text", "latex", "md"])
@pytest.mark.parametrize("arguments", [("derive", "elman-relu"), ("unroll", "elman-linear-mse", "-T", "3")], ids=lambda a: a[0])
def test_derive_and_unroll_in_words_are_the_same_twice(symrnn_command, arguments, form):
    done = symrnn_command(*arguments, "--format", form)
    assert (done.exit_code, done.stderr) == (0, "") and len(done.stdout) > 500
    assert symrnn_command(*arguments, "--format", form).stdout == done.stdout


def test_derive_and_unroll_take_a_document(symrnn_command):
    path = str(Path(__file__).resolve().parents[1] / "derivations" / "bptt.md")
    derived = valid(symrnn_command("derive", path, "--format", "json").stdout, "derive")
    assert r"W_{hh}" in json.dumps(derived) and symrnn_command("unroll", path, "-T", "1").exit_code == 0


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("arguments", [("derive", "elman"), ("derive", "elman-sigmoid-bce"), ("unroll", "elman", "-T", "3"),
                                       ("unroll", "elman", "-T", "2", "--sizes", "1,1,2")], ids=lambda a: " ".join(a[:3]))
def test_pdflatex_compiles_what_is_printed_without_a_warning(symrnn_command, tmp_path, arguments):
    target = tmp_path / "page.tex"
    assert symrnn_command(*arguments, "--format", "latex", "-o", str(target)).exit_code == 0
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", target.name], cwd=tmp_path, capture_output=True)
    log = done.stdout.decode(errors="replace")
    assert done.returncode == 0 and (tmp_path / "page.pdf").exists(), log[-2000:]
    assert "Overfull" not in log and "undefined" not in log


# -------------------------------------------------------------------------------------------------------------------------- emit
def test_an_emitted_module_checks_itself_without_symrnn(symrnn_command, tmp_path):
    for name, options in (("looped", ()), ("unrolled", ("--style", "unrolled", "-T", "2", "--sizes", "1,1,2"))):
        path = tmp_path / f"{name}.py"
        assert symrnn_command("emit", "elman", *options, "-o", str(path)).exit_code == 0
        done = subprocess.run([sys.executable, "-I", str(path)], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0 and done.stdout.endswith("passed\n"), done.stderr
        assert "import symrnn" not in path.read_text()


def test_emit_writes_the_functions_that_are_asked_for(symrnn_command):
    done = symrnn_command("emit", "elman", "--outputs", "forward")
    assert done.exit_code == 0 and "\ndef forward(" in done.stdout
    assert "\ndef loss(" not in done.stdout and "\ndef gradients(" not in done.stdout
    compile(done.stdout, "emitted", "exec")


def test_sizes_by_name_and_in_order_give_the_same_module(symrnn_command):
    options = ("emit", "elman-linear-mse", "--style", "unrolled", "-T", "1", "--sizes")
    names = json.loads(symrnn_command("derive", "elman-linear-mse", "--format", "json").stdout)["model"]["sizes"]
    assert sorted(names) == ["n_h", "n_x", "n_y"]
    plain = symrnn_command(*options, "1,2,1").stdout
    named = symrnn_command(*options, ",".join(f"{n}={k}" for n, k in zip(names, (1, 2, 1), strict=True))).stdout
    assert plain and plain.splitlines()[5:] == named.splitlines()[5:]


def test_sizes_that_do_not_fit_are_wrong_usage(symrnn_command):
    done = symrnn_command("emit", "elman", "--style", "unrolled", "-T", "2", "--sizes", "1,2")
    assert (done.exit_code, done.stdout) == (2, "") and "n_h, n_y, n_x" in done.stderr


# ------------------------------------------------------------------------------------------------------- check, models, explain
CHECK = ("--given", r"h_t = \tanh(W h_{t-1})", "--shape", "W = n x n", "--shape", "h_t = n")


def test_check_judges_one_claim(symrnn_command):
    right, wrong = (part.replace("$$", "").strip() for part in (RIGHT, WRONG))
    done = symrnn_command("check", right, *CHECK)
    assert done.exit_code == 0 and done.stdout.startswith("proved for all sizes and every T: ")
    done = symrnn_command("check", wrong, *CHECK, "--format", "json")
    assert done.exit_code == 1
    value = json.loads(done.stdout)
    assert value["verdict"] == "refuted" and value["fix"]["verdict"] == "proved"
    again = symrnn_command("check", value["fix"]["latex"], *CHECK)
    assert again.exit_code == 0 and again.stdout.startswith("proved")
    assert symrnn_command("check", wrong, *CHECK, "--format", "latex").stdout.strip() == value["fix"]["latex"]


def test_a_claim_that_cannot_be_read_says_where(symrnn_command):
    done = symrnn_command("check", r"a = \frac{1}{", "--shape", "a = scalar")
    assert done.exit_code == 0 and done.stdout.startswith("unreadable [SR301]") and "at character" in done.stdout
    assert symrnn_command("check", r"a = \frac{1}{", "--shape", "a = scalar", "--require-checked").exit_code == 1


@pytest.mark.slow
def test_every_model_that_is_listed_derives_and_every_finding_is_explained(symrnn_command):
    for row in json.loads(symrnn_command("models", "--format", "json").stdout):
        assert symrnn_command("derive", row["name"]).exit_code == 0
    from symrnn.codes import CODES
    for row in CODES:
        assert symrnn_command("explain", row.id).stdout.startswith(f"{row.id} {row.slug}\n")


# ------------------------------------------------------------------------------------------------------------------ a real process
def test_a_shell_gets_payload_and_progress_apart(write):
    path = write("a.md", RIGHT, WRONG)
    done = subprocess.run([sys.executable, "-m", "symrnn", "audit", path, "--format", "json"], capture_output=True, text=True,
                          env={**os.environ, "PYTHONHASHSEED": "3"})
    assert done.returncode == 1 and valid(done.stdout, "audit")["summary"]["refuted"] == 1
    assert all(line.startswith("judging") for line in done.stderr.splitlines())
