r"""How formulas are read is shown as it is: role, reading, symbols, doubts and exact places; nothing is judged."""
from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

SCHEMA = json.loads((files("symrnn") / "schema" / "read.json").read_text(encoding="utf-8"))
CORPUS = sorted((Path(__file__).parent / "corpus" / "formats").iterdir())

TEXT = r"""# A unit

The state is $$ \mathbf{h}_t = \tanh(W \mathbf{h}_{t-1} + U x_t). $$ {#eq-state}

The loss is $L = \sum_{t=1}^{T} \ell_t$ with $T \ge 4$. Of $x_t$ nothing is known.

$$ \frac{\partial \mathbf{h}_t}{\partial \mathbf{h}_{t-1}} = \log a \cdot W $$

$$ h_t = \frac{1}{2 $$

~~~python
h = np.tanh(W @ h)
~~~
"""


def value(text: str) -> dict:                                           # type: ignore[type-arg]
    """The value of a JSON text, which must be one of the schema."""
    found = json.loads(text)
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    return found                                                        # type: ignore[no-any-return]


@pytest.fixture
def path(tmp_path: Path) -> str:
    (tmp_path / "a.md").write_text(TEXT)
    return str(tmp_path / "a.md")


def spans(symrnn_command, path: str) -> list[dict]:                     # type: ignore[type-arg, no-untyped-def]
    done = symrnn_command("read", path, "--format", "json")
    assert done.exit_code == 0
    return value(done.stdout)["documents"][0]["spans"]                  # type: ignore[no-any-return]


def test_every_piece_of_a_document_has_its_role(symrnn_command, path):
    found = [(s["line"], s["role"], s["defines"]) for s in spans(symrnn_command, path)]
    assert found == [(3, "definition", "h"), (5, "definition", "L"), (5, "condition", None), (5, "mention", None), (7, "claim", None),
                     (9, "unreadable", None), (12, "code", None)]


def test_a_reading_is_printed_back_with_what_its_symbols_are(symrnn_command, path):
    state = spans(symrnn_command, path)[0]
    assert state["label"] == "eq-state" and state["reading"] == r"h_{t} = \tanh\left(W h_{t - 1} + U x_{t}\right)"
    assert {s["latex"]: s["role"] for s in state["symbols"]} == {
        r"\mathbf{h}": "n_h, variable at every step", "t": "the letter of the steps", "W": "n_h x n_h, parameter",
        "U": "n_h x n_x, parameter", "x": "n_x, input"}


def test_what_is_not_read_is_named_with_its_place_in_the_file(symrnn_command, path):
    unread = spans(symrnn_command, path)[5]["unread"]
    assert (unread["line"], unread["column"], unread["token"]) == (9, 18, "{")
    assert TEXT.splitlines()[8][17] == "{" and unread["hint"] == "it is not closed"


def test_what_the_notation_leaves_open_is_shown_in_all_its_readings(symrnn_command, path):
    claim = spans(symrnn_command, path)[4]
    assert claim["reading"].endswith(r"= \log\left(a\right) \cdot W")
    assert [other.split(" = ")[1] for other in claim["alternatives"]] == [r"\log\left(a \cdot W\right)"]
    assert (7, "two-grammars") in {(w["line"], w["code"]) for w in claim["warnings"]}


def test_the_text_output_has_a_line_for_each_piece_that_an_editor_can_jump_to(symrnn_command, path):
    lines = symrnn_command("read", path).stdout.splitlines()
    assert lines[0] == f"{path}: the state at a step is written like h_t, the last step is T, the loss is L, the loss of a step is \\ell"
    assert f"{path}:3:17: definition [eq-state] of h" in lines and f"{path}:5:61: mention: x_{{t}}" in lines
    assert "    stopped at 9:18, '{': it is not closed" in lines and f"{path}:12:1: code in python, 1 line" in lines
    assert lines[-1] == "1 document: 2 definitions, 1 claim, 1 condition, 1 mention, 1 listing, 1 unreadable"
    assert len([line for line in lines if line == "    W: n_h x n_h, parameter"]) == 1


def test_a_text_in_which_nothing_has_a_step_says_so(symrnn_command, tmp_path):
    (tmp_path / "b.md").write_text(r"The $A \in \mathbb{R}^{n \times n}$ has $A B = B A$.")
    done = symrnn_command("read", str(tmp_path / "b.md"))
    assert done.stdout.splitlines()[0].endswith("b.md: nothing has a step")


@pytest.mark.parametrize("path", CORPUS, ids=lambda p: p.suffix)
def test_the_same_text_is_read_alike_in_every_format(symrnn_command, path):
    found = spans(symrnn_command, str(path))
    shown = [(s["role"], s["reading"]) for s in found if s["role"] in ("definition", "claim")]
    assert shown[0] == ("definition", r"s_{t} = \tanh\left(A s_{t - 1} + B u_{t}\right)")
    assert [role for role, _ in shown] == ["definition"] * 2 + ["claim"] * 3
    assert all(s["cell"] is not None for s in found) is (path.suffix == ".ipynb")


def test_what_stands_in_an_included_file_or_in_a_cell_has_its_place_there(symrnn_command, tmp_path):
    (tmp_path / "part.tex").write_text("\n\nWe use numerator layout for $h_t$.")
    (tmp_path / "a.tex").write_text("$x_t$\n\\input{part}\n$y_t$")
    lines = symrnn_command("read", str(tmp_path / "a.tex")).stdout.splitlines()
    assert f"{tmp_path}/part.tex:3:30: mention: h_{{t}}" in lines and f"{tmp_path}/a.tex:3:2: mention: y_{{t}}" in lines
    assert f"{tmp_path}/part.tex:3:8: sentence (layout): numerator layout" in lines
    cells = [{"cell_type": "markdown", "source": "$x_t$"}, {"cell_type": "markdown", "source": "We use numerator layout for $h_t$."}]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells}))
    lines = symrnn_command("read", str(tmp_path / "a.ipynb")).stdout.splitlines()
    assert [line.split("a.ipynb:")[1] for line in lines[1:-1] if "a.ipynb" in line] == [
        "cell 0:1:2: mention: x_{t}", "cell 1:1:30: mention: h_{t}", "cell 1:1:8: sentence (layout): numerator layout"]
    value(symrnn_command("read", str(tmp_path / "a.ipynb"), str(tmp_path / "a.tex"), "--format", "json").stdout)


def test_a_document_that_cannot_be_opened_ends_in_status_2_and_the_others_are_read(symrnn_command, path):
    done = symrnn_command("read", "missing.md", path)
    assert done.exit_code == 2 and "missing.md: DocumentError" in done.stderr
    assert done.stdout.endswith("1 unreadable\n")


def test_malformed_declarations_end_in_status_2_and_the_others_are_read(symrnn_command, path, tmp_path):
    (tmp_path / "bad.md").write_text("---\nsymrnn: {symbols: {h: vecto}}\n---\n$h$\n")
    done = symrnn_command("read", str(tmp_path / "bad.md"), path, "--format", "json")
    assert done.exit_code == 2 and "Did you mean vector?" in done.stderr
    assert [d["path"] for d in value(done.stdout)["documents"]] == [path]


CLAIMS = [
    {"id": "a", "claim": r"\frac{\partial h_t}{\partial h_{t-1}} = \mathrm{diag}(1 - h_t^2) W",
     "given": [r"h_t = \tanh(W h_{t-1})", r"\text{the moon is round}"], "shapes": {"h_t": "n", "W": "n x n"}, "assume": ["on Sundays"]},
    {"id": "b", "claim": "dW += np.outer(dy, h)", "language": "python"}, {"id": "c", "claim": 3}, {"id": "d", "claim": r"u = \frac{1}{2"},
    {"id": "e", "claim": "a = b", "shapes": {"a": "scalar, at noon"}}, {"id": "f", "claim": ""},
    {"id": "g", "claim": "x", "language": "klingon"},
]


@pytest.fixture
def claims(tmp_path: Path) -> str:
    (tmp_path / "claims.jsonl").write_text("\n".join(map(json.dumps, CLAIMS)))
    return str(tmp_path / "claims.jsonl")


def test_claims_and_what_is_given_for_them_are_read_with_every_fact_that_was_not_understood(symrnn_command, claims):
    (document,) = value(symrnn_command("read", claims, "--format", "json").stdout)["documents"]
    assert [(s["id"], s["role"], s["line"]) for s in document["spans"]] == [
        ("a, given 1", "definition", 1), ("a, given 2", "mention", 1), ("a", "claim", 1), ("b", "code", 2), ("line-3", "unreadable", 3),
        ("d", "unreadable", 4), ("e", "claim", 5), ("f", "unreadable", 6), ("g", "unreadable", 7)]
    assert [(p["line"], p["message"]) for p in document["problems"]] == [
        (1, "not understood: on Sundays"), (1, r"not understood: \text{the moon is round}")]
    assert {s["latex"]: s["role"] for s in document["spans"][0]["symbols"]}["W"] == "n x n, parameter"


def test_an_audit_of_claims_lists_every_fact_that_was_not_understood(symrnn_command, claims):
    done = symrnn_command("audit", claims)
    assert done.stderr.splitlines() == [f"{claims}:1:1: not understood: {fact}" for fact in ("on Sundays", r"\text{the moon is round}")]
