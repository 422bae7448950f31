"""Certificates of documents: a file for each verdict, their names in the audit, checked again by the command and by the file alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from symrnn.cli.app import app
from symrnn.standalone import symrnn_check as checker

TEXT = r"""# A network

$x_t \in \mathbb{R}^m$ and $h_t \in \mathbb{R}^n$.

$$ h_t = \tanh(W h_{t-1} + U x_t) $$
$$ \hat y_t = \mathrm{softmax}(V h_t) $$
$$ \ell_t = -\sum_i y_{t,i} \log \hat y_{t,i}, \quad \sum_i y_{t,i} = 1, \quad L = \sum_{t=1}^T \ell_t $$

Then
$$ \frac{\partial h_t}{\partial h_{t-1}} = \mathrm{diag}(1 - h_t^2) W $$
$$ \frac{\partial h_t}{\partial h_{t-1}} = W \mathrm{diag}(1 - h_t^2) $$
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> tuple[Path, dict, str]:
    """A document, its audit with certificates, and what was said on stderr."""
    folder = tmp_path_factory.mktemp("certified")
    (folder / "text.md").write_text(TEXT, encoding="utf-8")
    done = CliRunner().invoke(app, ["audit", str(folder / "text.md"), "--format", "json", "--certificates", str(folder / "proofs")])
    assert done.exit_code == 1
    return folder, json.loads(done.stdout), done.stderr


def relations(audited: dict) -> list[dict]:
    return [r for d in audited["documents"] for e in d["equations"] for r in e["relations"]]


def test_every_verdict_names_the_file_of_its_certificate(written):
    folder, audited, said = written
    decided = [r for r in relations(audited) if r["verdict"] in ("proved", "refuted", "conditional")]
    names = [r["certificate"] for r in decided]
    assert {r["verdict"] for r in decided} == {"proved", "refuted"}
    assert sorted(names) == sorted(p.name for p in (folder / "proofs").iterdir())
    assert f"{len(names)} certificates: {len(names)} establish the whole verdict" in said


def test_the_command_and_the_file_alone_check_them_against_the_document(written):
    folder, _, _ = written
    arguments = [*map(str, sorted((folder / "proofs").iterdir())), "--source", str(folder / "text.md")]
    done = CliRunner().invoke(app, ["recheck", str(folder / "proofs"), "--source", str(folder / "text.md")])
    alone = subprocess.run([sys.executable, "-I", "-S", checker.__file__, *arguments], capture_output=True, text=True)
    assert (done.exit_code, alone.returncode, alone.stderr) == (0, 0, "")
    assert done.stdout == alone.stdout
    assert "proved: holds for all sizes and every T" in done.stdout and "refuted: the left side is" in done.stdout


def test_a_document_that_was_changed_is_refused(written, tmp_path):
    folder, _, _ = written
    (tmp_path / "text.md").write_text(TEXT.replace("h_t^2) W", "h_t^2) U"), encoding="utf-8")
    done = CliRunner().invoke(app, ["recheck", str(folder / "proofs"), "--source", str(tmp_path / "text.md")])
    assert done.exit_code == 1 and "REFUSED: line" in done.stdout


def test_a_single_claim_has_a_certificate_that_establishes_the_whole_verdict(tmp_path):
    file = tmp_path / "claim.json"
    done = CliRunner().invoke(app, ["check", "A B = B A", "--shape", "A = n x n", "--shape", "B = n x n", "--certificate", str(file)])
    assert done.exit_code == 1 and "the certificate establishes the whole verdict" in done.stderr
    assert checker.check_file(file).word == "refuted"


def test_a_verdict_that_the_checker_cannot_establish_has_none_or_states_a_smaller_scope(tmp_path):
    file = tmp_path / "claim.json"
    done = CliRunner().invoke(app, ["check", "(A B)^{-1} = B^{-1} A^{-1}", "--shape", "A = n x n", "--shape", "B = n x n",
                                    "--certificate", str(file)])
    assert "proved" in done.stdout and "a smaller scope than the verdict" in done.stderr
    found = checker.check_file(file)
    assert not found.full and "is not established" in found.lines[0]


def test_what_cannot_be_opened_ends_in_status_2(tmp_path):
    done = CliRunner().invoke(app, ["recheck", str(tmp_path / "none.json")])
    assert done.exit_code == 2 and "none.json" in done.stderr
