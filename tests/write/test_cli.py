"""The commands derive, unroll and models, as the shell sees them, in every format."""

from __future__ import annotations

import json

import pytest

from symrnn.zoo import names


@pytest.mark.parametrize(("arguments", "says"), [
    (["derive", "elman"], "grad W = sum_t=1..T(adj a[t] @ h[t-1].T)"),
    (["derive", "elman", "--format", "md"], r"{\partial W} &= \sum_{t=1}^T \frac{\partial L}{\partial a_t} h_{t-1}^\top"),
    (["derive", "elman-linear-mse", "--format", "latex"], r"\end{document}"),
    (["unroll", "elman", "-T", "2"], "L = loss[1] + loss[2]"),
    (["unroll", "elman", "-T", "1", "--sizes", "2,2,1", "--format", "latex"], r"h_{1,2} &= \tanh\left(a_{1,2}\right)"),
    (["unroll", "elman", "-T", "2", "--format", "md"], r"\ell_2"),
    (["models"], "elman-relu"),
])
def test_a_result_is_the_only_thing_on_stdout(symrnn_command, arguments, says):
    done = symrnn_command(*arguments)
    assert (done.exit_code, done.stderr) == (0, "")
    assert says in done.stdout


@pytest.mark.parametrize(("arguments", "schema"), [
    (["derive", "elman"], "symrnn-derive-1"), (["unroll", "elman", "-T", "2", "--sizes", "n_h=1,n_y=2,n_x=1"], "symrnn-unroll-1"),
])
def test_json_names_its_schema(symrnn_command, arguments, schema):
    assert json.loads(symrnn_command(*arguments, "--format", "json").stdout)["schema"] == schema


def test_models_lists_every_document_with_its_title(symrnn_command):
    rows = json.loads(symrnn_command("models", "--format", "json").stdout)
    assert [r["name"] for r in rows] == list(names())
    assert all(r["title"] != r["name"] for r in rows)


def test_sizes_that_do_not_fit_end_in_status_2_with_the_sizes_of_the_model(symrnn_command):
    done = symrnn_command("unroll", "elman", "--sizes", "2,2")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "n_h, n_y, n_x" in done.stderr


def test_the_level_brief_has_the_gradients_and_not_the_steps(symrnn_command):
    brief, full = (symrnn_command("derive", "elman", "--level", level).stdout for level in ("brief", "full"))
    assert symrnn_command("derive", "elman").stdout == full
    assert "grad W = " in brief and "product rule" not in brief and "_sum_of_products" not in brief
    assert "product rule" in full and "_sum_of_products" in full


def test_an_unknown_level_ends_in_status_2(symrnn_command):
    done = symrnn_command("derive", "elman", "--level", "long")
    assert done.exit_code == 2 and "brief" in done.stderr
