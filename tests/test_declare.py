r"""A table of declarations that is proposed changes nothing where it stands, and a line of it that is changed holds."""
from __future__ import annotations

import json
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from pages import ROOT
from sweeps import mostly_slow

from symrnn import api
from symrnn.read.beside import beside
from symrnn.read.document import Document, parse_document
from symrnn.reconciled import reconciled

CORPUS = sorted((Path(__file__).parent / "corpus" / "formats").iterdir())
OWN = sorted([*(ROOT / "derivations").glob("*.md"), *(ROOT / "symrnn" / "zoo").glob("*.md")])
DECLARED = [path for path in OWN if "symbols:" in path.read_text(encoding="utf-8")]

TEXT = r"""
$$ s^{(t)} = \tanh(R s^{(t-1)} + P x^{(t)} + b), \quad o^{(t)} = Q s^{(t)} + c, \quad L = \sum_{t=1}^{T} l(o^{(t)}, d^{(t)}) $$

$$ \frac{\partial L}{\partial Q} = \sum_{t=1}^{T} \frac{\partial L}{\partial o^{(t)}} (s^{(t)})^\top $$

$$ \frac{\partial s^{(t)}}{\partial s^{(t-1)}} = R \, \mathrm{diag}(1 - (s^{(t)})^2) $$
"""
WIDE = r"""
The state is $$ s_t = \tanh(A s_{t-1} + B u_t), \qquad p_t = \mathrm{softmax}(C s_t). $$ The target $y_t$ is one-hot, and the loss is

$$ J = \sum_{t=1}^{T} J_t, \qquad J_t = -\sum_k y_{t,k} \log p_{t,k}. $$

$$ \frac{\partial J}{\partial C} = \sum_{t=1}^{T} (p_t - y_t) s_t^\top $$

$$ \frac{\partial J}{\partial B} = \sum_{t=1}^{T} (1 - s_t^2) \frac{\partial J}{\partial s_t} u_t^\top $$
"""
SHAPED = r"$x_t \in \mathbb{R}^d$, all others in $\mathbb{R}^h$, $W \in \mathbb{R}^{d \times h}$. $$h_t = W x_t + U h_{t-1}$$"
NAMED = r"""
$$ h_t = \tanh(W h_{t-1} + U x_t), \quad o_t = V h_t, \quad L = \sum_t \ell(o_t, y_t), \quad \delta_t = \frac{\partial L}{\partial h_t} $$

$$ \frac{\partial L}{\partial W} = \sum_t \mathrm{diag}(1 - h_t^2) \delta_t h_{t-1}^\top $$
"""
GUESSED = r"$$ a^{(t)} = f(b^{(t)}), \quad H(p, q) = -\sum_i p(i) \log q(i), \quad \sigma(z)_i = \frac{e^{z_i}}{\sum_k e^{z_k}} $$"
TEXTS = {"sup": TEXT, "wide": WIDE, "shaped": SHAPED, "named": NAMED, "guessed": GUESSED, "empty": "Nothing.", "matrices": "$A B = B A$",
         "words": "$loss = loss_a + t$ and $k' = 2$"}
MODELS = {p.stem: p.read_text(encoding="utf-8").partition("---\n#")[2] for p in OWN if p not in DECLARED}


def audited(path: Path) -> dict:                                        # type: ignore[type-arg]
    return api.audit(path, timeout=60).to_json()                        # type: ignore[no-any-return]


def understood(document: Document) -> list:                             # type: ignore[type-arg]
    """All that the compiled document says: statements, tables, equations."""
    compiled = reconciled(document)
    rows = [[(s.role, s.defines, str(s.tree)) for s in r.found] if isinstance(r.found, list) else r.found.reason for r in compiled.rows]
    scopes = [(name, dict(s.scope.table.entries), s.scope.table.time, s.scope.table.time_letter, s.conditions, list(map(str, s.equations)),
               s.unsure, s.scope.loss, s.scope.total, s.scope.targets, s.simplex) for name, s in compiled.settings.items()]
    return [rows, scopes, dict(compiled.disputed)]


@pytest.mark.parametrize("path", [pytest.param(p, marks=[pytest.mark.slow] * (p.suffix != ".md")) for p in CORPUS], ids=lambda p: p.suffix)
def test_with_the_proposed_table_beside_it_a_document_has_the_same_audit(path, tmp_path):
    document = Path(shutil.copy(path, tmp_path))
    before, table = audited(document), api.declare(document).to_toml()
    beside(document).write_text(table)
    assert audited(document) == before and api.declare(document).to_toml() == table


@pytest.mark.parametrize("name", [*TEXTS, *mostly_slow(MODELS)])
def test_the_proposed_table_says_what_was_understood_without_it_in_both_forms(name, tmp_path):
    text = (TEXTS | MODELS)[name]
    path = tmp_path / "a.md"
    path.write_text(text)
    document, proposed = parse_document(text, "a.md"), api.declare(path)
    toml = tomllib.loads(proposed.to_toml())
    front = yaml.safe_load(proposed.to_yaml().removeprefix("---\n").removesuffix("---"))["symrnn"]
    assert toml == {key: value for key, value in front.items() if value is not None} and toml["infer"] is True
    plain = understood(document)
    assert understood(replace(document, settings=toml)) == plain
    path.write_text(f"{proposed.to_yaml()}\n{text}")
    assert understood(api.declare(path) and parse_document(path.read_text(), "a.md")) == plain


@pytest.mark.parametrize("path", DECLARED, ids=lambda p: p.stem)
def test_a_document_that_declares_its_symbols_is_shown_as_it_declares_them(path):
    proposed, own = api.declare(path), parse_document(path.read_text(), path.name)
    front = yaml.safe_load(proposed.to_yaml().removeprefix("---\n").removesuffix("---"))["symrnn"]
    assert not proposed.inferred and understood(replace(own, settings=front)) == understood(own)


def test_a_line_that_is_changed_holds_and_what_it_leaves_out_is_inferred_again(tmp_path):
    path = tmp_path / "a.md"
    path.write_text(TEXT)
    wrong = audited(path)["documents"][0]["equations"][-1]
    assert wrong["verdict"] == "refuted"
    beside(path).write_text("infer = true\n[symbols]\nR = 'scalar'\n")
    proposed = api.declare(path)
    assert proposed.data["symbols"]["R"] == {"kind": "scalar", "sequence": False} and proposed.data["symbols"]["Q"] == "matrix"
    assert audited(path)["documents"][0]["equations"][-1]["verdict"] == "proved"


def test_without_infer_only_what_stands_in_the_table_counts(tmp_path):
    path = tmp_path / "a.md"
    path.write_text(TEXT)
    beside(path).write_text("time = 'sup'\n[symbols]\nR = 'matrix n n'\n")
    assert not api.declare(path).inferred
    assert audited(path)["summary"]["undecided"] == 3


def test_the_time_that_is_stated_is_the_one_by_which_formulas_are_understood(tmp_path):
    path = tmp_path / "a.md"
    path.write_text("---\nsymrnn: {time: sup, time_letter: k}\n---\n$$ s^{(k)} = A s^{(k-1)} + B u^{(k)}_t $$")
    symbols = api.declare(path).data["symbols"]
    assert symbols["k"] == "time" and symbols["s"] == "vector, sequence" and symbols.get("t") != "time"


# ------------------------------------------------------------------------------------------------------------- files and errors
def test_the_command_prints_a_table_for_a_file_beside_the_document_or_for_its_front_matter(symrnn_command, tmp_path):
    path = tmp_path / "a.tex"
    path.write_text(r"\[ \mathbf{h}_t = \tanh(W \mathbf{h}_{t-1}) \]")
    done = symrnn_command("declare", str(path))
    assert done.exit_code == 0 and done.stdout.splitlines()[-1] == "'W' = 'matrix'  # n_h x n_h, parameter"
    assert symrnn_command("declare", str(path), "-o", str(beside(path))).exit_code == 0
    assert tomllib.loads(beside(path).read_text())["symbols"][r"\mathbf{h}"] == "vector, sequence"
    assert symrnn_command("declare", str(path), "--format", "yaml").stdout.startswith("---\n# What ")
    value = json.loads(symrnn_command("declare", str(path), "--format", "json").stdout)
    assert value["inferred"] and value["roles"]["W"] == "n_h x n_h, parameter"


def test_the_command_says_where_nothing_was_inferred(symrnn_command):
    done = symrnn_command("declare", str(DECLARED[0]))
    assert done.exit_code == 0 and "declares its symbols itself" in done.stderr


@pytest.mark.parametrize(("table", "says"), [
    ("infer = yes", "a.symrnn.toml:1:9: DocumentError"), ("infer = 'yes'", "must: be true or false"),
    ("[symbols]\nh = 'vecto'", "Did you mean vector?"), ("infer = true\n[symbols]\nh = 'vecto'", "Did you mean vector?"),
    ("colour = 'red'", "came: colour"), ("time = 'sup'", "must: stand in one place"),
    ("a = " + "[" * 5000, "a.symrnn.toml"), ("\xff", "must: be TOML in UTF-8"), ("x = 1\nx = 2", "must: be TOML"),
], ids=lambda x: x[:12])
def test_a_malformed_table_ends_in_status_2_with_its_place(symrnn_command, tmp_path, table, says):
    path = tmp_path / "a.md"
    path.write_text("---\nsymrnn: {time: sub}\n---\n$$ h_t = W h_{t-1} $$")
    beside(path).write_bytes(table.encode("latin-1"))
    for command in ("declare", "audit", "read"):
        done = symrnn_command(command, str(path))
        assert done.exit_code == 2 and says in done.stderr and "a.symrnn.toml" in done.stderr and "Traceback" not in done.stderr


def test_a_scope_infers_nothing(symrnn_command, tmp_path):
    (tmp_path / "a.md").write_text("```{scope} b\n:infer: true\n```\n$h_t = h_t$")
    done = symrnn_command("audit", str(tmp_path / "a.md"))
    assert done.exit_code == 2 and "came: infer" in done.stderr


def test_a_model_is_compiled_with_the_table_beside_its_document(tmp_path):
    path = tmp_path / "a.md"
    path.write_text("$$ h_t = A h_{t-1} + B x_t $$")
    beside(path).write_text("[symbols]\nh = 'vector 2, sequence'\nx = 'vector 3, sequence'\nA = 'matrix 2 2'\nB = 'matrix 2 3'\n")
    assert [s.shape for s in api.model(path).parameters] == [(2, 2), (2, 3)]


@pytest.mark.parametrize(("name", "formula"), [("a.tex", r"\[ {} \]"), ("a.html", r"<p>\[ {} \]</p>"), ("a.md", "$$ {} $$")])
def test_the_proposed_table_may_stand_in_a_comment(symrnn_command, tmp_path, name, formula):
    path = tmp_path / name
    text = formula.replace("{}", r"\mathbf{s}^{(k)} = \sigma(W \mathbf{s}^{(k-1)} + b)") + "\n"
    path.write_text(text)
    document = parse_document(text, name)
    table = symrnn_command("declare", str(path), "--format", "comment").stdout
    commented = parse_document(table + text, name)
    assert commented.settings["infer"] is True and understood(commented) == understood(document)
    before = api.declare(path)
    path.write_text(table + text)
    assert (api.declare(path).data, api.declare(path).roles) == (before.data, before.roles)


@pytest.mark.parametrize(("name", "comment", "says"), [
    ("a.tex", "% symrnn: {time: sup\n", "a.tex:2:1: DocumentError: the comment"),
    ("a.tex", "x\n% symrnn:\n% Other words.\n", "must: have a mapping after symrnn:"),
    ("a.tex", "% symrnn:\n%   symbols: {h: vecto}\n", "a.tex:1:1: DeclarationError: h"),
    ("a.html", "<!-- symrnn:\n  colour: red -->", "came: colour"),
    ("a.md", "---\nsymrnn: {time: sub}\n---\n<!-- symrnn: {time: sup} -->", "must: stand in one place"),
])
def test_a_malformed_comment_ends_in_status_2_with_its_place(symrnn_command, tmp_path, name, comment, says):
    (tmp_path / name).write_text(comment + r"\(h_t\)")
    done = symrnn_command("read", str(tmp_path / name))
    assert done.exit_code == 2 and says in done.stderr


def test_a_comment_that_does_not_begin_so_declares_nothing(tmp_path):
    assert parse_document("% We use symrnn: nothing\n% symrn: {time: sup}\n$h$", "a.tex").settings == {}
    assert parse_document("% symrnn: ignore: this\n$h$", "a.tex").settings == {}
    assert parse_document("<!-- symrnn: ignore: this -->\n$h$", "a.md").settings == {}
    assert parse_document("<!-- about symrnn: x -->\n$h$", "a.md").settings == {}
