"""Two networks are compared: equal with a proof, one a special case of the other, or different with a counterexample."""

from __future__ import annotations

import json
from importlib.resources import files
from itertools import combinations
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

import symrnn
from symrnn import api
from symrnn.cli.app import app
from symrnn.emit import emit as emit_model
from symrnn.emit.load import load
from symrnn.equivalence import SAYS, Comparison
from symrnn.equivalence.maps import Map, NoMap, Piece, ordered, whole
from symrnn.equivalence.ways import CHANGES, REWRITINGS
from symrnn.errors import CallError
from symrnn.expr import Symbol, apply, had, ones, part, size_value, stack, total
from symrnn.model import Model, param, scalar, sequence

h, s, x, q = sequence("h", "n"), sequence("s", "n"), sequence("x", "m", kind="input"), sequence("q", "k")
y, ell = sequence("y", "k", kind="target"), scalar("l")
W, U, V, b, e, c = param("W", "n", "n"), param("U", "n", "m"), param("V", "k", "n"), param("b", "n"), param("e", "n"), param("c", "k")


def network(*rows, name: str = "net", **options) -> Model:
    """A network whose loss is the squared error of its last variable."""
    last = rows[-1][0]
    return Model.build(name, [*rows, (ell, total((last - y) ** 2))], loss="l", **options)


def tanh_cell(inside, name: str = "cell", **options) -> Model:
    return network((h, apply("tanh", inside)), (q, V @ h + c), name=name, **options)


PLAIN = tanh_cell(W @ h[-1] + U @ x + b, "plain")

EQUAL = {
    "as they stand": [(PLAIN, PLAIN)],
    "after renaming": [
        (PLAIN, network((s, apply("tanh", param("A", "n", "n") @ s[-1] + param("B", "n", "m") @ x + e)), (q, V @ s + c))),
        (PLAIN, tanh_cell(param("U", "n", "n") @ h[-1] + param("W", "n", "m") @ x + b)),
    ],
    "after re-parametrisation": [
        (PLAIN, tanh_cell(W @ h[-1] - U @ x + b)),
        (PLAIN, tanh_cell(W @ h[-1] + 3 * (U @ x) + b)),
        (PLAIN, tanh_cell(W @ h[-1] + U @ x + b + e)),
        (PLAIN, tanh_cell(W @ h[-1] + U @ x + b + ones(("n", 1)))),
        (PLAIN, tanh_cell(W.T @ h[-1] + param("U", "m", "n").T @ x + b)),
        (PLAIN, tanh_cell(param("W", "n", "m+n") @ stack(x, h[-1]) + b)),
        (PLAIN, tanh_cell(param("W", "n", "m+n+1") @ stack(x, h[-1], ones((1, 1))))),
        (tanh_cell(param("W", "n", "m+n") @ stack(x, h[-1]) + b), tanh_cell(param("W", "n", "m+n") @ stack(h[-1], x) + b)),
        (tanh_cell(part(param("W", "2*n", "n") @ h[-1], 1, "n") + part(param("W", "2*n", "n") @ h[-1], "n+1", "2*n") + b),
         tanh_cell(W @ h[-1] + param("F", "n", "n") @ h[-1] + b)),
    ],
}
DIFFERENT = [
    (PLAIN, network((h, apply("sigmoid", W @ h[-1] + U @ x + b)), (q, V @ h + c))),
    (PLAIN, network((h, apply("tanh", W @ h[-1] + U @ x[-1] + b)), (q, V @ h + c))),
    (PLAIN, tanh_cell(W @ (W @ h[-1]) + U @ x + b)),
    (PLAIN, network((h, h[-1] + apply("tanh", W @ h[-1] + U @ x + b)), (q, V @ h + c))),
    (PLAIN, network((h, apply("tanh", W @ h[-1] + U @ x + b)), (q, had(V @ h + c, V @ h + c)))),
]


@pytest.mark.parametrize(("how", "first", "second"), [(how, *pair) for how, pairs in EQUAL.items() for pair in pairs])
def test_equal_networks_are_proved_equal_and_it_is_said_what_was_changed(how, first, second):
    for found in (symrnn.compare(first, second), symrnn.compare(second, first)):
        assert found.sentence == f"{found.a.name} and {found.b.name} are equal {how}, for all sizes and every T"
        assert found.forth.steps and found.back.steps


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_different_networks_are_shown_to_be_by_a_point(first, second):
    found = symrnn.compare(first, second)
    assert (found.verdict, found.forth, found.back) == ("different", None, None)
    assert found.point.left != found.point.right and "symrnn knows" in found.to_text()


ZOO = {
    ("elman", "elman-concatenated"): "equal", ("lstm", "lstm-concatenated"): "equal", ("lstm", "lstm-one-matrix"): "equal",
    ("lstm-concatenated", "lstm-one-matrix"): "equal", ("gru", "gru-written"): "equal", ("elman-rows", "elman-linear-mse"): "equal",
    ("lstm-coupled", "lstm"): "special", ("lstm", "lstm-peephole"): "special", ("mgu", "gru"): "special",
    ("indrnn", "elman-relu"): "special",
    ("lstm-projection", "lstm"): "general", ("elman-class-weights", "elman"): "general",
    ("gru", "gru-reset-after"): "different", ("gru-written", "gru-reset-after"): "different", ("elman", "elman-relu"): "different",
    ("elman", "lstm"): "undecided",
}


@pytest.fixture(scope="module")
def compared() -> dict[tuple[str, str], Comparison]:
    return {pair: symrnn.compare(*pair) for pair in ZOO}


@pytest.mark.parametrize("pair", ZOO, ids="-".join)
def test_the_models_of_the_zoo_are_what_they_are_to_each_other(compared, pair):
    assert compared[pair].verdict == ZOO[pair]


def block(found: Map, values: dict[str, np.ndarray], sizes: dict[str, int]) -> np.ndarray:
    """A parameter made of blocks, as an array: written apart from the code that proves."""
    rows, columns = (size_value(n, sizes) for n in found.symbol.shape)
    out = np.full((rows, columns), np.nan)
    for ((r0, r1), (c0, c1)), items in found.blocks.items():
        target = out[size_value(r0, sizes) - 1:size_value(r1, sizes), size_value(c0, sizes) - 1:size_value(c1, sizes)]
        target[:] = 0
        for number, p in items:
            if p.symbol is None:
                target += float(number) * (np.eye(*target.shape) if p.kind == "eye" else 1)
                continue
            mine = values[p.symbol.name].reshape([size_value(n, sizes) for n in p.symbol.shape])
            (a, z), (left, right) = ([size_value(n, sizes) for n in span] for span in (p.rows, p.columns))
            piece = mine[a - 1:z, left - 1:right]
            piece = piece.T if p.flip else piece
            target += float(number) * (np.diag(piece[:, 0]) if p.kind == "diag" else piece)
    assert not np.isnan(out).any()
    return out


FOUND = [pair for pair, word in ZOO.items() if word in ("equal", "special", "general") and pair[0] != "elman-rows"]
"""Pairs with parameters that were found, of networks in one layout."""


@pytest.mark.parametrize("pair", FOUND, ids="-".join)
def test_the_code_of_both_networks_gives_one_loss_with_the_parameters_that_were_found(compared, pair):
    random = np.random.default_rng(3)
    for found in filter(None, (compared[pair].forth, compared[pair].back)):
        sizes = dict(zip(found.inner.sizes, (2, 4, 3, 5), strict=False))
        sides = [load(emit_model(m)) for m in (found.inner, found.outer)]

        def drawn(shape, sizes=sizes):
            return random.normal(size=[k for n in shape if (k := size_value(n, sizes)) != 1 or n != 1])
        values = {p.name: drawn(p.shape) for p in found.inner.parameters}
        set_to = {name: block(m, values, sizes) for name, m in found.maps.items()}
        steps = 4
        data = {i.name: np.stack([drawn(i.shape) for _ in range(steps)]) for i in (*found.inner.inputs, *found.inner.targets)}
        data["y"] = np.abs(data["y"]) / np.abs(data["y"]).sum(-1, keepdims=True)
        starts = {state.name: drawn(state.shape) for state in found.inner.states}
        inner = sides[0].loss(sides[0].Params(*values.values()), *data.values(), *starts.values())
        names = [p.name for p in found.outer.parameters]
        shaped = [set_to[n].reshape([k for k, size in zip(set_to[n].shape, found.outer.symbol(n).shape, strict=True) if size != 1])
                  for n in names]
        given = [data[found.sequences[i.name][0]] for i in (*found.outer.inputs, *found.outer.targets)]
        before = [starts[found.sequences[state.name][0]] for state in found.outer.states]
        assert sides[1].loss(sides[1].Params(*shaped), *given, *before) == pytest.approx(inner, rel=1e-12)


def test_the_reset_gate_makes_a_difference_from_two_units_on(compared):
    found = compared["gru", "gru-reset-after"]
    assert found.point.sizes["n_h"] == 2 and "e_g' = 0" in found.set_alike


def test_networks_that_differ_in_their_loss_alone_are_said_to_have_one_state():
    found = symrnn.compare("elman", "elman-linear-mse")
    assert (found.verdict, found.alike) == ("different", ("h",))
    assert symrnn.compare("elman", "elman-linear-mse", of="h").verdict == "equal"
    assert symrnn.compare("elman", "elman-linear-mse", of="o=hat(y)").verdict == "equal"


def test_a_loss_may_be_written_otherwise(tmp_path):
    path = tmp_path / "vanilla.md"
    path.write_text(r"""# Vanilla RNN
$x_t \in \mathbb{R}^{d}$, $s_t \in \mathbb{R}^{n}$, $q_t \in \mathbb{R}^{p}$.

$$ s_t = \tanh(A x_t + B s_{t-1} + e + f) $$
$$ q_t = C s_t + g $$
$$ \ell_t = \log \sum_k \exp(q_{t,k}) - \sum_k y_{t,k} q_{t,k} $$
$$ L = \sum_{t=1}^{T} \ell_t $$
""")
    found = symrnn.compare("elman", path)
    assert found.verdict == "equal" and {str(m) for m in found.back.maps.values()} == {"A", "B", "C", "e + f", "g"}
    assert found.back.domain == ("the entries of y sum to one",)


def test_a_network_that_starts_at_zero_is_a_special_case_of_one_that_starts_anywhere():
    zero = tanh_cell(W @ h[-1] + U @ x + b, "zero", initial="zero")
    assert [symrnn.compare(*pair).verdict for pair in ((zero, PLAIN), (PLAIN, zero), (zero, zero))] == ["special", "general", "equal"]


def test_the_loss_of_the_last_step_is_not_that_of_all():
    last = tanh_cell(W @ h[-1] + U @ x + b, "last", at_end=True)
    found = symrnn.compare(PLAIN, last)
    assert found.verdict == "different" and found.point.T == 2


def test_no_change_of_a_cell_that_changes_what_it_can_compute_is_called_equal():
    cells = [PLAIN, *(m for _, m in DIFFERENT), tanh_cell(W @ h[-1] + U @ x), tanh_cell(W @ h[-1] + b), tanh_cell(W @ (b * h[-1]) + U @ x)]
    verdicts = {(i, j): symrnn.compare(cells[i], cells[j]).verdict for i, j in combinations(range(len(cells)), 2)}
    assert {pair for pair, word in verdicts.items() if word == "equal"} == set()
    assert verdicts[0, 6] == "general"


def test_the_page_lists_every_change_of_the_tables():
    page = (Path(__file__).resolve().parent.parent / "docs" / "compare.md").read_text(encoding="utf-8")
    for row in (*CHANGES, *REWRITINGS):
        assert f"| {row.sentence} |" in page
    for verdict in SAYS:
        assert f"| `{verdict}` |" in page


def test_blocks_that_leave_a_gap_or_overlap_are_no_parameter():
    for spans in ({(1, "n")}, {(1, "n"), (1, "m")}, {("n+1", "m+n")}):
        with pytest.raises(NoMap):
            ordered(spans, "m+n")


def test_a_piece_prints_the_rows_and_columns_it_has():
    piece = Piece.of(Symbol("W", ("2*n", "m+n"), "parameter"))
    assert str(piece.cut(rows=("n+1", "2*n"), columns=(1, "m"))) == "W[n+1..2*n, 1..m]"
    assert whole("n") == (1, "n") and piece.cut(columns=("m+1", "m+n")).shape == ("2*n", "n")


@pytest.mark.parametrize("pair", [("elman", "elman-concatenated"), ("gru", "gru-reset-after"), ("elman", "lstm")], ids="-".join)
def test_a_comparison_as_data_is_one_of_the_schema(compared, pair):
    schema = json.loads((files("symrnn") / "schema" / "compare.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(compared[pair].to_json())


def test_the_command_prints_the_verdict_and_ends_with_one_where_models_are_different():
    run = CliRunner().invoke(app, ["compare", "gru", "gru-written"])
    assert run.exit_code == 0 and run.stdout.startswith("gru and gru-written are equal after re-parametrisation")
    run = CliRunner().invoke(app, ["compare", "elman", "elman-relu", "--format", "json"])
    found = json.loads(run.stdout)
    assert run.exit_code == 1 and found["schema"] == "symrnn-compare-1" and found["verdict"] == "different"
    assert found["counterexample"]["left"] != found["counterexample"]["right"] and found["a_as_b"] is None


def test_a_variable_that_is_none_is_named_with_those_there_are():
    with pytest.raises(CallError, match="be one of a, h, o"):
        api.compare("elman", "elman", of="k")
    with pytest.raises(CallError, match="name it with --of"):
        two = Model.build("two", [(h, apply("tanh", W @ h[-1])), (q, param("R", "k", "m") @ x)])
        api.compare(two, two)
