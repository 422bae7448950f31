"""Option values that nobody should write end in status 2, the examples of the help run, and no command writes over its document."""
from __future__ import annotations

import re
import shlex
import sys

import pytest

FRONT = '---\nsymrnn: {symbols: {h: "vector n, sequence", W: matrix n n}}\n---\n# A\n\n$$ h_t = W h_{t-1} $$\n'


@pytest.mark.parametrize(("arguments", "says"), [
    (["check", "x = x", "--timeout", "nan"], "is not a number of seconds"),
    (["check", "x = x", "--timeout", "inf"], "is not in the range"),
    (["check", "x = x", "--timeout", "-1"], "is not in the range"),
    (["check", ""], "came: nothing"),
    (["check", "x = x", "--given", " "], "be one piece of LaTeX"),
    (["check", "x = 1 $$ y = 2"], "without the dollars"),
    (["check", "W = W", "--shape", "W = n x n x n"], "have one or two sizes"),
    (["check", "W = W", "--shape", "W = 0 x n"], "a positive number"),
    (["check", "W = W", "--shape", "W = n x -1"], "a positive number"),
    (["check", "W = W", "--shape", "W = n x "], "have one or two sizes"),
    (["unroll", "elman", "-T", "9" * 5000], "Invalid value for '-T'"),
], ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "")
def test_values_that_mean_nothing_are_wrong_usage(symrnn_command, arguments, says):
    done = symrnn_command(*arguments)
    assert (done.exit_code, done.stdout) == (2, "") and says in done.stderr


def test_the_example_in_the_help_of_check_finds_the_misplaced_factor(symrnn_command):
    text = symrnn_command("check", "--help").stdout
    example = re.search(r"symrnn check '.*?(?=\n\n)", text, re.S)
    assert example is not None
    done = symrnn_command(*shlex.split(example[0].replace("\\\n", " "))[1:])
    assert done.exit_code == 1 and "refuted [SR202]" in done.stdout and "right would be (proved)" in done.stdout


@pytest.mark.parametrize("command", ("audit", "unroll"))
def test_no_command_writes_over_the_document_that_it_reads(symrnn_command, tmp_path, command):
    path = tmp_path / "a.md"
    path.write_text(FRONT)
    done = symrnn_command(command, str(path), "--output", str(path))
    assert done.exit_code == 2 and "be another file than the document" in done.stderr and path.read_text() == FRONT


def test_the_command_to_repeat_after_an_internal_error_is_quoted(symrnn_command, monkeypatch):
    from symrnn import api

    def fails(*_, **__):
        raise KeyError("W")

    monkeypatch.setattr(api, "derive", fails)
    monkeypatch.setattr(sys, "argv", ["symrnn", "derive", "my chapter.md"])
    assert "symrnn --debug derive 'my chapter.md'" in symrnn_command("derive", "my chapter.md").stderr


def test_a_line_of_claims_that_is_malformed_spoils_no_other(symrnn_command, tmp_path):
    path = tmp_path / "a.jsonl"
    lines = ['{"claim": null}', '{"claim": "x = x", "given": "a = b"}', '{"claim": "x = x", "shapes": 3}', "[" * 20_000,
             '{"claim": "$$ x = x $$"}', '{"claim": "' + "9" * 5000 + ' x = x"}', '{"claim": "x = x", "assume": [["t < T"]]}',
             '{"claim": "x = x"}']
    path.write_text("\n".join(lines))
    done = symrnn_command("audit", str(path))
    assert done.exit_code == 0 and done.stdout.endswith("1 document: 1 proved, 7 unreadable\n")
